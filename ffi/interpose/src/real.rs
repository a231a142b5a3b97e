//! The real library's functions, by their names in OpenCL. One that it does not have gives an error.
#![allow(non_snake_case, clippy::too_many_arguments)]

use crate::types::{Callback, Handle, INVALID_OPERATION, Pointer, Status};

pub use crate::forward::real::*;

/// Result of a function that the real library does not have.
pub trait Outcome {
    const MISSING: Self;
}

impl Outcome for Status {
    const MISSING: Self = INVALID_OPERATION;
}

impl Outcome for Handle {
    const MISSING: Self = std::ptr::null_mut();
}

impl Outcome for () {
    const MISSING: Self = ();
}

/// Argument of a function that the real library does not have.
pub trait Argument: Sized {
    /// Tells a place for a status the error.
    ///
    /// # Safety
    /// A place for a status is null or valid.
    unsafe fn refuse(self) {}
}

impl Argument for u32 {}
impl Argument for i32 {}
impl Argument for u64 {}
impl Argument for usize {}
impl Argument for Handle {}
impl Argument for *mut usize {}
impl Argument for *const usize {}
impl Argument for *const u8 {}
impl Argument for *const Handle {}
impl Argument for *mut Handle {}

impl Argument for *mut Status {
    unsafe fn refuse(self) {
        if !self.is_null() {
            // SAFETY: the caller says so.
            unsafe { self.write(INVALID_OPERATION) };
        }
    }
}

/// Declares functions of the real library.
macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => { $(
        /// # Safety
        /// Callers keep the demands of OpenCL's function of this name.
        pub unsafe fn $name($($argument: $type),*) $(-> $result)? {
            type Signature = unsafe extern "C" fn($($type),*) $(-> $result)?;
            const NAME: &str = concat!(stringify!($name), "\0");
            static REAL: crate::find::Function = crate::find::Function::new(
                match std::ffi::CStr::from_bytes_with_nul(NAME.as_bytes()) {
                    Ok(name) => name,
                    Err(_) => unreachable!(),
                },
            );
            let Some(address) = REAL.address() else {
                // SAFETY: places for a status are null or valid in OpenCL.
                $(unsafe { crate::real::Argument::refuse($argument) };)*
                return crate::real::Outcome::MISSING;
            };
            // SAFETY: the real library's function of this name has OpenCL's signature.
            let function = unsafe { std::mem::transmute::<*mut std::ffi::c_void, Signature>(address) };
            let _inside = crate::recorder::inside();
            // SAFETY: the caller keeps OpenCL's demands.
            unsafe { function($($argument),*) }
        }
    )* };
}
pub(crate) use functions;

functions! {
    clBuildProgram(program: Handle, n: u32, devices: *const Handle, options: *const u8, done: Callback,
        user: Pointer) -> Status;
    clCompileProgram(program: Handle, n: u32, devices: *const Handle, options: *const u8, headers: u32,
        programs: *const Handle, names: Pointer, done: Callback, user: Pointer) -> Status;
    clLinkProgram(context: Handle, n: u32, devices: *const Handle, options: *const u8, inputs: u32,
        programs: *const Handle, done: Callback, user: Pointer, status: *mut Status) -> Handle;
    clCreateProgramWithSource(context: Handle, count: u32, strings: Pointer, lengths: *const usize,
        status: *mut Status) -> Handle;
    clCreateProgramWithBinary(context: Handle, n: u32, devices: *const Handle, lengths: *const usize,
        binaries: Pointer, each: Pointer, status: *mut Status) -> Handle;
    clCreateProgramWithBuiltInKernels(context: Handle, n: u32, devices: *const Handle, names: *const u8,
        status: *mut Status) -> Handle;
    clCreateProgramWithIL(context: Handle, il: Pointer, length: usize, status: *mut Status) -> Handle;
    clGetProgramBuildInfo(program: Handle, device: Handle, what: u32, size: usize, value: Pointer,
        used: *mut usize) -> Status;

    clCreateKernel(program: Handle, name: *const u8, status: *mut Status) -> Handle;
    clCreateKernelsInProgram(program: Handle, n: u32, kernels: *mut Handle, count: Pointer) -> Status;
    clCloneKernel(kernel: Handle, status: *mut Status) -> Handle;
    clSetKernelArg(kernel: Handle, index: u32, size: usize, value: Pointer) -> Status;
    clSetKernelArgSVMPointer(kernel: Handle, index: u32, value: Pointer) -> Status;
    clSetKernelExecInfo(kernel: Handle, what: u32, size: usize, value: Pointer) -> Status;
    clEnqueueNDRangeKernel(queue: Handle, kernel: Handle, dimensions: u32, offset: *const usize,
        global: *const usize, local: *const usize, n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueTask(queue: Handle, kernel: Handle, n: u32, waits: *const Handle, event: *mut Handle) -> Status;

    clCreateContext(properties: Pointer, n: u32, devices: *const Handle, notify: Callback, user: Pointer,
        status: *mut Status) -> Handle;
    clCreateContextFromType(properties: Pointer, kind: u64, notify: Callback, user: Pointer,
        status: *mut Status) -> Handle;
    clCreateCommandQueue(context: Handle, device: Handle, properties: u64, status: *mut Status) -> Handle;
    clCreateCommandQueueWithProperties(context: Handle, device: Handle, properties: Pointer,
        status: *mut Status) -> Handle;
    clRetainCommandQueue(queue: Handle) -> Status;
    clReleaseCommandQueue(queue: Handle) -> Status;
    clCreateUserEvent(context: Handle, status: *mut Status) -> Handle;
    clSetUserEventStatus(event: Handle, result: i32) -> Status;
    clRetainEvent(event: Handle) -> Status;
    clReleaseEvent(event: Handle) -> Status;
    clSetEventCallback(event: Handle, kind: i32, notify: Callback, user: Pointer) -> Status;

    clCreateBuffer(context: Handle, flags: u64, size: usize, host: Pointer, status: *mut Status) -> Handle;
    clCreateBufferWithProperties(context: Handle, properties: Pointer, flags: u64, size: usize, host: Pointer,
        status: *mut Status) -> Handle;
    clCreateSubBuffer(buffer: Handle, flags: u64, kind: u32, region: Pointer, status: *mut Status) -> Handle;
    clCreateImage(context: Handle, flags: u64, format: Pointer, description: Pointer, host: Pointer,
        status: *mut Status) -> Handle;
    clCreateImageWithProperties(context: Handle, properties: Pointer, flags: u64, format: Pointer,
        description: Pointer, host: Pointer, status: *mut Status) -> Handle;
    clCreateImage2D(context: Handle, flags: u64, format: Pointer, width: usize, height: usize, pitch: usize,
        host: Pointer, status: *mut Status) -> Handle;
    clCreateImage3D(context: Handle, flags: u64, format: Pointer, width: usize, height: usize, depth: usize,
        pitch: usize, slice: usize, host: Pointer, status: *mut Status) -> Handle;
    clRetainMemObject(memory: Handle) -> Status;
    clReleaseMemObject(memory: Handle) -> Status;

    clEnqueueReadBuffer(queue: Handle, memory: Handle, blocking: u32, offset: usize, size: usize, to: Pointer,
        n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueReadBufferRect(queue: Handle, memory: Handle, blocking: u32, origin: *const usize, host: *const usize,
        region: *const usize, row: usize, slice: usize, host_row: usize, host_slice: usize, to: Pointer,
        n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueWriteBuffer(queue: Handle, memory: Handle, blocking: u32, offset: usize, size: usize, from: Pointer,
        n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueWriteBufferRect(queue: Handle, memory: Handle, blocking: u32, origin: *const usize, host: *const usize,
        region: *const usize, row: usize, slice: usize, host_row: usize, host_slice: usize, from: Pointer,
        n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueFillBuffer(queue: Handle, memory: Handle, pattern: Pointer, length: usize, offset: usize, size: usize,
        n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueCopyBuffer(queue: Handle, from: Handle, to: Handle, from_offset: usize, offset: usize, size: usize,
        n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueCopyBufferRect(queue: Handle, from: Handle, to: Handle, from_origin: *const usize,
        origin: *const usize, region: *const usize, from_row: usize, from_slice: usize, row: usize, slice: usize,
        n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueCopyImageToBuffer(queue: Handle, image: Handle, to: Handle, origin: *const usize,
        region: *const usize, offset: usize, n: u32, waits: *const Handle, event: *mut Handle) -> Status;
    clEnqueueMapBuffer(queue: Handle, memory: Handle, blocking: u32, flags: u64, offset: usize, size: usize,
        n: u32, waits: *const Handle, event: *mut Handle, status: *mut Status) -> Handle;
    clEnqueueUnmapMemObject(queue: Handle, memory: Handle, mapped: Pointer, n: u32, waits: *const Handle,
        event: *mut Handle) -> Status;
    clEnqueueNativeKernel(queue: Handle, work: Callback, arguments: Pointer, length: usize, n_memory: u32,
        memory: *const Handle, places: Pointer, n: u32, waits: *const Handle, event: *mut Handle) -> Status;
}
