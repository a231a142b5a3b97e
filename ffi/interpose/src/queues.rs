//! Contexts, queues and events.
#![allow(non_snake_case, clippy::too_many_arguments)]

use std::ffi::c_void;

use crate::objects::{objects, release, retain};
use crate::real;
use crate::recorder::{guarded, in_callback, is_on};
use crate::types::{Callback, Handle, Pointer, SUCCESS, Status};

/// A new context may have the handle of one that is gone, and another device.
fn created(context: Handle) -> Handle {
    if !context.is_null() && is_on() {
        guarded(|| objects().contexts.retain(|(handle, _), _| *handle != context.addr()));
    }
    context
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCreateContext(
    properties: Pointer,
    n: u32,
    devices: *const Handle,
    notify: Callback,
    user: Pointer,
    status: *mut Status,
) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    created(unsafe { real::clCreateContext(properties, n, devices, notify, user, status) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCreateContextFromType(
    properties: Pointer,
    kind: u64,
    notify: Callback,
    user: Pointer,
    status: *mut Status,
) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    created(unsafe { real::clCreateContextFromType(properties, kind, notify, user, status) })
}

fn queue_created(queue: Handle) -> Handle {
    if !queue.is_null() && is_on() {
        guarded(|| objects().queues.insert(queue.addr(), 1));
    }
    queue
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCreateCommandQueue(
    context: Handle,
    device: Handle,
    properties: u64,
    status: *mut Status,
) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    queue_created(unsafe { real::clCreateCommandQueue(context, device, properties, status) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCreateCommandQueueWithProperties(
    context: Handle,
    device: Handle,
    properties: Pointer,
    status: *mut Status,
) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    queue_created(unsafe { real::clCreateCommandQueueWithProperties(context, device, properties, status) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clRetainCommandQueue(queue: Handle) -> Status {
    // SAFETY: the program keeps OpenCL's demands.
    let status = unsafe { real::clRetainCommandQueue(queue) };
    if status == SUCCESS && is_on() {
        guarded(|| retain(&mut objects().queues, queue));
    }
    status
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clReleaseCommandQueue(queue: Handle) -> Status {
    if is_on() {
        guarded(|| release(&mut objects().queues, queue));
    }
    // SAFETY: the program keeps OpenCL's demands.
    unsafe { real::clReleaseCommandQueue(queue) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCreateUserEvent(context: Handle, status: *mut Status) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    let event = unsafe { real::clCreateUserEvent(context, status) };
    if !event.is_null() && is_on() {
        guarded(|| objects().user_event_created(event));
    }
    event
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clSetUserEventStatus(event: Handle, result: i32) -> Status {
    // SAFETY: the program keeps OpenCL's demands.
    let status = unsafe { real::clSetUserEventStatus(event, result) };
    if is_on() {
        guarded(|| objects().user_event_settled(event));
    }
    status
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clRetainEvent(event: Handle) -> Status {
    // SAFETY: the program keeps OpenCL's demands.
    let status = unsafe { real::clRetainEvent(event) };
    if status == SUCCESS && is_on() {
        guarded(|| retain(&mut objects().user_events, event));
    }
    status
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clReleaseEvent(event: Handle) -> Status {
    if is_on() {
        guarded(|| {
            let mut objects = objects();
            if release(&mut objects.user_events, event) {
                objects.user_event_settled(event);
            }
        });
    }
    // SAFETY: the program keeps OpenCL's demands.
    unsafe { real::clReleaseEvent(event) }
}

/// A program's function for an event.
type Notify = unsafe extern "C" fn(Handle, i32, *mut c_void);

/// The program's function and its data.
struct Notice {
    notify: Notify,
    user: usize,
}

/// Calls the program's function in its place, where launches may not wait.
unsafe extern "C" fn notified(event: Handle, result: i32, notice: *mut c_void) {
    // SAFETY: `clSetEventCallback` has made the notice, for one call.
    let notice = unsafe { Box::from_raw(notice.cast::<Notice>()) };
    let _scope = in_callback();
    // SAFETY: the function takes what the driver gives, and its own data.
    unsafe { (notice.notify)(event, result, notice.user as *mut c_void) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clSetEventCallback(event: Handle, kind: i32, notify: Callback, user: Pointer) -> Status {
    if notify.is_null() || !is_on() {
        // SAFETY: the program keeps OpenCL's demands.
        return unsafe { real::clSetEventCallback(event, kind, notify, user) };
    }
    // SAFETY: OpenCL's function has this signature.
    let function = unsafe { std::mem::transmute::<Callback, Notify>(notify) };
    let notice = Box::into_raw(Box::new(Notice { notify: function, user: user.addr() }));
    let own = notified as *const () as Callback;
    // SAFETY: the function takes the notice once.
    let status = unsafe { real::clSetEventCallback(event, kind, own, notice.cast()) };
    if status != SUCCESS {
        // SAFETY: a refused function is not called.
        drop(unsafe { Box::from_raw(notice) });
    }
    status
}
