//! Functions that leave no trace: the real ones are called. A program that has this library in the loader's place finds
//! them here.
#![allow(non_snake_case, clippy::too_many_arguments)]

use crate::real::functions;
use crate::types::{Callback, Handle, Pointer, Status};

/// Declares functions, and exports them.
macro_rules! forwarded {
    ($($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        /// The real functions.
        pub mod real {
            use super::*;

            functions! { $($name($($argument: $type),*) $(-> $result)?;)* }
        }

        $(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? {
                // SAFETY: the program keeps OpenCL's demands.
                unsafe { real::$name($($argument),*) }
            }
        )*
    };
}

forwarded! {
    clGetPlatformIDs(n: u32, platforms: Pointer, count: Pointer) -> Status;
    clGetPlatformInfo(platform: Handle, what: u32, size: usize, value: Pointer, used: *mut usize) -> Status;
    clUnloadPlatformCompiler(platform: Handle) -> Status;
    clUnloadCompiler() -> Status;
    clGetExtensionFunctionAddress(name: *const u8) -> Pointer;
    clGetExtensionFunctionAddressForPlatform(platform: Handle, name: *const u8) -> Pointer;

    clGetDeviceIDs(platform: Handle, kind: u64, n: u32, devices: Pointer, count: Pointer) -> Status;
    clGetDeviceInfo(device: Handle, what: u32, size: usize, value: Pointer, used: *mut usize) -> Status;
    clCreateSubDevices(device: Handle, properties: Pointer, n: u32, devices: Pointer, count: Pointer) -> Status;
    clCreateSubDevicesEXT(device: Handle, properties: Pointer, n: u32, devices: Pointer, count: Pointer) -> Status;
    clRetainDevice(device: Handle) -> Status;
    clReleaseDevice(device: Handle) -> Status;
    clRetainDeviceEXT(device: Handle) -> Status;
    clReleaseDeviceEXT(device: Handle) -> Status;
    clGetDeviceAndHostTimer(device: Handle, on_device: Pointer, on_host: Pointer) -> Status;
    clGetHostTimer(device: Handle, on_host: Pointer) -> Status;

    clRetainContext(context: Handle) -> Status;
    clReleaseContext(context: Handle) -> Status;
    clGetContextInfo(context: Handle, what: u32, size: usize, value: Pointer, used: *mut usize) -> Status;
    clSetContextDestructorCallback(context: Handle, notify: Callback, user: Pointer) -> Status;
    clGetGLContextInfoKHR(properties: Pointer, what: u32, size: usize, value: Pointer, used: *mut usize) -> Status;
    clGetCommandQueueInfo(queue: Handle, what: u32, size: usize, value: Pointer, used: *mut usize) -> Status;
    clSetCommandQueueProperty(queue: Handle, properties: u64, enable: u32, old: Pointer) -> Status;
    clSetDefaultDeviceCommandQueue(context: Handle, device: Handle, queue: Handle) -> Status;
    clFlush(queue: Handle) -> Status;
    clFinish(queue: Handle) -> Status;

    clWaitForEvents(n: u32, events: *const Handle) -> Status;
    clGetEventInfo(event: Handle, what: u32, size: usize, value: Pointer, used: *mut usize) -> Status;
    clGetEventProfilingInfo(event: Handle, what: u32, size: usize, value: Pointer, used: *mut usize) -> Status;
    clCreateEventFromGLsyncKHR(context: Handle, sync: Pointer, status: *mut Status) -> Handle;
    clCreateEventFromEGLSyncKHR(context: Handle, sync: Pointer, display: Pointer, status: *mut Status) -> Handle;

    clGetMemObjectInfo(memory: Handle, what: u32, size: usize, value: Pointer, used: *mut usize) -> Status;
    clSetMemObjectDestructorCallback(memory: Handle, notify: Callback, user: Pointer) -> Status;
    clGetImageInfo(image: Handle, what: u32, size: usize, value: Pointer, used: *mut usize) -> Status;
    clGetSupportedImageFormats(context: Handle, flags: u64, kind: u32, n: u32, formats: Pointer,
        count: Pointer) -> Status;
    clCreatePipe(context: Handle, flags: u64, size: u32, packets: u32, properties: Pointer,
        status: *mut Status) -> Handle;
    clGetPipeInfo(pipe: Handle, what: u32, size: usize, value: Pointer, used: *mut usize) -> Status;
    clCreateFromGLBuffer(context: Handle, flags: u64, buffer: u32, status: *mut Status) -> Handle;
    clCreateFromGLTexture(context: Handle, flags: u64, target: u32, level: i32, texture: u32,
        status: *mut Status) -> Handle;
    clCreateFromGLTexture2D(context: Handle, flags: u64, target: u32, level: i32, texture: u32,
        status: *mut Status) -> Handle;
    clCreateFromGLTexture3D(context: Handle, flags: u64, target: u32, level: i32, texture: u32,
        status: *mut Status) -> Handle;
    clCreateFromGLRenderbuffer(context: Handle, flags: u64, buffer: u32, status: *mut Status) -> Handle;
    clCreateFromEGLImageKHR(context: Handle, display: Pointer, image: Pointer, flags: u64, properties: Pointer,
        status: *mut Status) -> Handle;
    clGetGLObjectInfo(memory: Handle, kind: Pointer, name: Pointer) -> Status;
    clGetGLTextureInfo(memory: Handle, what: u32, size: usize, value: Pointer, used: *mut usize) -> Status;

    clCreateSampler(context: Handle, normalized: u32, addressing: u32, filter: u32, status: *mut Status) -> Handle;
    clCreateSamplerWithProperties(context: Handle, properties: Pointer, status: *mut Status) -> Handle;
    clRetainSampler(sampler: Handle) -> Status;
    clReleaseSampler(sampler: Handle) -> Status;
    clGetSamplerInfo(sampler: Handle, what: u32, size: usize, value: Pointer, used: *mut usize) -> Status;

    clSVMAlloc(context: Handle, flags: u64, size: usize, alignment: u32) -> Pointer;
    clSVMFree(context: Handle, memory: Pointer);
    clEnqueueSVMFree(queue: Handle, n_memory: u32, memory: Pointer, free: Callback, user: Pointer,
        n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueSVMMap(queue: Handle, blocking: u32, flags: u64, memory: Pointer, size: usize,
        n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueSVMUnmap(queue: Handle, memory: Pointer, n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueSVMMemcpy(queue: Handle, blocking: u32, to: Pointer, from: Pointer, size: usize,
        n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueSVMMemFill(queue: Handle, to: Pointer, pattern: Pointer, length: usize, size: usize,
        n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueSVMMigrateMem(queue: Handle, n_memory: u32, memory: Pointer, sizes: *const usize, flags: u64,
        n: u32, waits: *const Handle, event: *mut Handle) -> Status;

    clRetainProgram(program: Handle) -> Status;
    clReleaseProgram(program: Handle) -> Status;
    clGetProgramInfo(program: Handle, what: u32, size: usize, value: Pointer, used: *mut usize) -> Status;
    clSetProgramReleaseCallback(program: Handle, notify: Callback, user: Pointer) -> Status;
    clSetProgramSpecializationConstant(program: Handle, id: u32, size: usize, value: Pointer) -> Status;
    clRetainKernel(kernel: Handle) -> Status;
    clReleaseKernel(kernel: Handle) -> Status;
    clGetKernelInfo(kernel: Handle, what: u32, size: usize, value: Pointer, used: *mut usize) -> Status;
    clGetKernelArgInfo(kernel: Handle, index: u32, what: u32, size: usize, value: Pointer,
        used: *mut usize) -> Status;
    clGetKernelWorkGroupInfo(kernel: Handle, device: Handle, what: u32, size: usize, value: Pointer,
        used: *mut usize) -> Status;
    clGetKernelSubGroupInfo(kernel: Handle, device: Handle, what: u32, length: usize, input: Pointer, size: usize,
        value: Pointer, used: *mut usize) -> Status;
    clGetKernelSubGroupInfoKHR(kernel: Handle, device: Handle, what: u32, length: usize, input: Pointer, size: usize,
        value: Pointer, used: *mut usize) -> Status;

    clEnqueueReadImage(queue: Handle, image: Handle, blocking: u32, origin: *const usize, region: *const usize,
        row: usize, slice: usize, to: Pointer, n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueWriteImage(queue: Handle, image: Handle, blocking: u32, origin: *const usize, region: *const usize,
        row: usize, slice: usize, from: Pointer, n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueFillImage(queue: Handle, image: Handle, color: Pointer, origin: *const usize, region: *const usize,
        n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueCopyImage(queue: Handle, from: Handle, to: Handle, from_origin: *const usize, origin: *const usize,
        region: *const usize, n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueCopyBufferToImage(queue: Handle, from: Handle, image: Handle, offset: usize, origin: *const usize,
        region: *const usize, n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueMapImage(queue: Handle, image: Handle, blocking: u32, flags: u64, origin: *const usize,
        region: *const usize, row: *mut usize, slice: *mut usize, n: u32, waits: *const Handle, event: *mut Handle,
        status: *mut Status) -> Handle;
    clEnqueueMigrateMemObjects(queue: Handle, n_memory: u32, memory: *const Handle, flags: u64,
        n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueMarker(queue: Handle, event: *mut Handle) -> Status;
    clEnqueueMarkerWithWaitList(queue: Handle, n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueBarrier(queue: Handle) -> Status;
    clEnqueueBarrierWithWaitList(queue: Handle, n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueWaitForEvents(queue: Handle, n: u32, events: *const Handle) -> Status;
    clEnqueueAcquireGLObjects(queue: Handle, n_memory: u32, memory: *const Handle, n: u32, waits: *const Handle,
        event: *mut Handle) -> Status;
    clEnqueueReleaseGLObjects(queue: Handle, n_memory: u32, memory: *const Handle, n: u32, waits: *const Handle,
        event: *mut Handle) -> Status;
    clEnqueueAcquireEGLObjectsKHR(queue: Handle, n_memory: u32, memory: *const Handle, n: u32, waits: *const Handle,
        event: *mut Handle) -> Status;
    clEnqueueReleaseEGLObjectsKHR(queue: Handle, n_memory: u32, memory: *const Handle, n: u32, waits: *const Handle,
        event: *mut Handle) -> Status;
}
