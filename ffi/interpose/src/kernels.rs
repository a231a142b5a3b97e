//! Kernels and their arguments.
#![allow(non_snake_case, clippy::too_many_arguments)]

use std::ffi::c_void;
use std::ptr;
use std::slice;
use std::sync::Arc;

use crate::objects::{Argument, Kernel, Parameter, objects};
use crate::recorder::{guarded, is_on};
use crate::types::{
    Handle, KERNEL_ARG_ADDRESS_QUALIFIER, KERNEL_ARG_NAME, KERNEL_ARG_TYPE_NAME, KERNEL_ARG_TYPE_PIPE,
    KERNEL_ARG_TYPE_QUALIFIER, KERNEL_EXEC_INFO_SVM_PTRS, KERNEL_NUM_ARGS, Pointer, SUCCESS, Status,
};
use crate::{info, launch, real};

/// The kernel as a launch finds it, with its parameters, and as many arguments as it has.
pub fn known(kernel: Handle) -> Kernel {
    let mut known = objects().kernel(kernel).clone();
    if known.parameters.is_none() {
        let parameters = Arc::new(parameters(kernel));
        objects().kernel(kernel).parameters = Some(parameters.clone());
        known.parameters = Some(parameters);
    }
    let count = known.parameters.as_ref().map_or(0, |parameters| parameters.len());
    known.arguments.resize(count, None);
    known
}

fn parameters(kernel: Handle) -> Vec<Parameter> {
    let count = info::value::<u32>(|size, value, used| {
        // SAFETY: the kernel is alive in a call of it.
        unsafe { real::clGetKernelInfo(kernel, KERNEL_NUM_ARGS, size, value, used) }
    });
    let parameter = |index: u32| {
        let query = |what| {
            // SAFETY: the kernel is alive in a call of it.
            move |size, value, used| unsafe { real::clGetKernelArgInfo(kernel, index, what, size, value, used) }
        };
        Parameter {
            name: info::text(query(KERNEL_ARG_NAME)).unwrap_or_default(),
            type_name: info::text(query(KERNEL_ARG_TYPE_NAME)).unwrap_or_default(),
            address: info::value(query(KERNEL_ARG_ADDRESS_QUALIFIER)),
            is_pipe: info::value::<u64>(query(KERNEL_ARG_TYPE_QUALIFIER))
                .is_some_and(|bits| bits & KERNEL_ARG_TYPE_PIPE != 0),
        }
    };
    (0..count.unwrap_or_default()).map(parameter).collect()
}

fn created(kernel: Handle) {
    if !kernel.is_null() && is_on() {
        guarded(|| objects().kernels.insert(kernel.addr(), Kernel::default()));
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCreateKernel(program: Handle, name: *const u8, status: *mut Status) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    let kernel = unsafe { real::clCreateKernel(program, name, status) };
    created(kernel);
    kernel
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCreateKernelsInProgram(program: Handle, n: u32, kernels: *mut Handle, count: Pointer) -> Status {
    let mut found = 0_u32;
    let target = if count.is_null() { (&raw mut found).cast::<c_void>() } else { count };
    // SAFETY: the program keeps OpenCL's demands; the count's address is valid.
    let status = unsafe { real::clCreateKernelsInProgram(program, n, kernels, target) };
    if status == SUCCESS && !kernels.is_null() {
        // SAFETY: OpenCL has written the count, and as many kernels.
        let made = unsafe { slice::from_raw_parts(kernels, target.cast::<u32>().read().min(n) as usize) };
        made.iter().for_each(|kernel| created(*kernel));
    }
    status
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCloneKernel(kernel: Handle, status: *mut Status) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    let clone = unsafe { real::clCloneKernel(kernel, status) };
    if !clone.is_null() && is_on() {
        guarded(|| {
            let mut objects = objects();
            let known = objects.kernel(kernel).clone();
            objects.kernels.insert(clone.addr(), known);
        });
    }
    clone
}

/// Keeps an argument that OpenCL has taken.
fn set(kernel: Handle, index: u32, argument: Argument) {
    let index = index as usize;
    let mut objects = objects();
    let arguments = &mut objects.kernel(kernel).arguments;
    if arguments.len() <= index {
        arguments.resize(index + 1, None);
    }
    arguments[index] = Some(argument);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clSetKernelArg(kernel: Handle, index: u32, size: usize, value: Pointer) -> Status {
    // SAFETY: the program keeps OpenCL's demands.
    let status = unsafe { real::clSetKernelArg(kernel, index, size, value) };
    if status == SUCCESS && is_on() {
        guarded(|| {
            let argument = if value.is_null() {
                Argument::Null(size)
            } else {
                // SAFETY: OpenCL has read `size` bytes.
                Argument::Bytes(unsafe { slice::from_raw_parts(value.cast::<u8>(), size) }.to_vec())
            };
            set(kernel, index, argument);
        });
    }
    status
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clSetKernelArgSVMPointer(kernel: Handle, index: u32, value: Pointer) -> Status {
    // SAFETY: the program keeps OpenCL's demands.
    let status = unsafe { real::clSetKernelArgSVMPointer(kernel, index, value) };
    if status == SUCCESS && is_on() {
        guarded(|| set(kernel, index, Argument::Svm));
    }
    status
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clSetKernelExecInfo(kernel: Handle, what: u32, size: usize, value: Pointer) -> Status {
    // SAFETY: the program keeps OpenCL's demands.
    let status = unsafe { real::clSetKernelExecInfo(kernel, what, size, value) };
    if status == SUCCESS && is_on() && what == KERNEL_EXEC_INFO_SVM_PTRS {
        guarded(|| objects().kernel(kernel).has_svm = size > 0);
    }
    status
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clEnqueueNDRangeKernel(
    queue: Handle,
    kernel: Handle,
    dimensions: u32,
    offset: *const usize,
    global: *const usize,
    local: *const usize,
    n: u32,
    waits: *const Handle,
    event: *mut Handle,
) -> Status {
    let call = |event| {
        // SAFETY: the program keeps OpenCL's demands, and an event is null or valid.
        unsafe { real::clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, n, waits, event) }
    };
    if !is_on() {
        return call(event);
    }
    // SAFETY: OpenCL's sizes are null, or as many as there are dimensions; its wait list has as many events as it says.
    let launch = unsafe { launch::Call::new(queue, kernel, dimensions, [offset, global, local], n, waits) };
    launch::run(&launch, event, call)
}

/// A launch of one work-item.
#[unsafe(no_mangle)]
unsafe extern "C" fn clEnqueueTask(
    queue: Handle,
    kernel: Handle,
    n: u32,
    waits: *const Handle,
    event: *mut Handle,
) -> Status {
    // SAFETY: the program keeps OpenCL's demands, and an event is null or valid.
    let call = |event| unsafe { real::clEnqueueTask(queue, kernel, n, waits, event) };
    if !is_on() {
        return call(event);
    }
    let one = 1_usize;
    // SAFETY: there is one dimension; OpenCL's wait list has as many events as it says.
    let launch =
        unsafe { launch::Call::new(queue, kernel, 1, [ptr::null(), &raw const one, &raw const one], n, waits) };
    launch::run(&launch, event, call)
}
