//! Memory objects, and their transfers.
#![allow(non_snake_case, clippy::too_many_arguments)]

use std::ptr;
use std::slice;

use affinimath_trace::checksum;

use crate::objects::{Mapping, objects, release, retain};
use crate::recorder::{guarded, is_on, note};
use crate::types::{
    Callback, Handle, IMAGE_ELEMENT_SIZE, MAP_READ, MEM_COPY_OR_USE_HOST_PTR, MEM_SIZE, Pointer, SUCCESS, Status,
};
use crate::{info, real};

/// A new buffer, `filled` with content from elsewhere or not.
fn created(buffer: Handle, filled: bool) -> Handle {
    if !buffer.is_null() && is_on() {
        guarded(|| {
            objects().memories.insert(buffer.addr(), 1);
            let size = info::value::<usize>(|size, value, used| {
                // SAFETY: the memory object is the call's.
                unsafe { real::clGetMemObjectInfo(buffer, MEM_SIZE, size, value, used) }
            });
            let (handle, bytes) = (buffer.addr(), size.unwrap_or_default() as u64);
            note(move |recorder| recorder.buffer_created(handle, bytes, filled).map(|_| ()));
        });
    }
    buffer
}

/// A new image: it has no line.
fn image_created(image: Handle) -> Handle {
    if !image.is_null() && is_on() {
        guarded(|| objects().memories.insert(image.addr(), 1));
    }
    image
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCreateBuffer(
    context: Handle,
    flags: u64,
    size: usize,
    host: Pointer,
    status: *mut Status,
) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    let made = unsafe { real::clCreateBuffer(context, flags, size, host, status) };
    created(made, flags & MEM_COPY_OR_USE_HOST_PTR != 0)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCreateBufferWithProperties(
    context: Handle,
    properties: Pointer,
    flags: u64,
    size: usize,
    host: Pointer,
    status: *mut Status,
) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    let made = unsafe { real::clCreateBufferWithProperties(context, properties, flags, size, host, status) };
    created(made, flags & MEM_COPY_OR_USE_HOST_PTR != 0)
}

/// A part of a buffer has its content from there.
#[unsafe(no_mangle)]
unsafe extern "C" fn clCreateSubBuffer(
    buffer: Handle,
    flags: u64,
    kind: u32,
    region: Pointer,
    status: *mut Status,
) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    created(unsafe { real::clCreateSubBuffer(buffer, flags, kind, region, status) }, true)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCreateImage(
    context: Handle,
    flags: u64,
    format: Pointer,
    description: Pointer,
    host: Pointer,
    status: *mut Status,
) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    image_created(unsafe { real::clCreateImage(context, flags, format, description, host, status) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCreateImageWithProperties(
    context: Handle,
    properties: Pointer,
    flags: u64,
    format: Pointer,
    description: Pointer,
    host: Pointer,
    status: *mut Status,
) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    let made =
        unsafe { real::clCreateImageWithProperties(context, properties, flags, format, description, host, status) };
    image_created(made)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCreateImage2D(
    context: Handle,
    flags: u64,
    format: Pointer,
    width: usize,
    height: usize,
    pitch: usize,
    host: Pointer,
    status: *mut Status,
) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    image_created(unsafe { real::clCreateImage2D(context, flags, format, width, height, pitch, host, status) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCreateImage3D(
    context: Handle,
    flags: u64,
    format: Pointer,
    width: usize,
    height: usize,
    depth: usize,
    pitch: usize,
    slice: usize,
    host: Pointer,
    status: *mut Status,
) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    let made =
        unsafe { real::clCreateImage3D(context, flags, format, width, height, depth, pitch, slice, host, status) };
    image_created(made)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clRetainMemObject(memory: Handle) -> Status {
    // SAFETY: the program keeps OpenCL's demands.
    let status = unsafe { real::clRetainMemObject(memory) };
    if status == SUCCESS && is_on() {
        guarded(|| retain(&mut objects().memories, memory));
    }
    status
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clReleaseMemObject(memory: Handle) -> Status {
    if is_on() {
        guarded(|| release(&mut objects().memories, memory));
    }
    // SAFETY: the program keeps OpenCL's demands.
    unsafe { real::clReleaseMemObject(memory) }
}

/// First byte and number of bytes of a region.
///
/// # Safety
/// The origin and the region have three values.
unsafe fn region(origin: *const usize, region: *const usize, row: usize, slice: usize) -> (u64, u64) {
    // SAFETY: the caller says so.
    let (origin, region) = unsafe { (origin.cast::<[usize; 3]>().read(), region.cast::<[usize; 3]>().read()) };
    let row = if row == 0 { region[0] } else { row };
    let slice = if slice == 0 { region[1].wrapping_mul(row) } else { slice };
    let offset = origin[0].wrapping_add(origin[1].wrapping_mul(row)).wrapping_add(origin[2].wrapping_mul(slice));
    (offset as u64, region.iter().fold(1_usize, |all, size| all.saturating_mul(*size)) as u64)
}

/// A line for bytes that are written, where the call was successful.
fn written(status: Status, memory: Handle, offset: u64, bytes: u64, sum: Option<String>) -> Status {
    let handle = memory.addr();
    if status == SUCCESS && is_on() {
        note(move |recorder| recorder.written_sum(handle, offset, bytes, sum));
    }
    status
}

/// A line for bytes that are read.
fn read(status: Status, memory: Handle, offset: u64, bytes: u64) -> Status {
    let handle = memory.addr();
    if status == SUCCESS && is_on() {
        note(move |recorder| recorder.read(handle, offset, bytes));
    }
    status
}

/// True if a memory object that is known has the bytes from the offset on.
fn holds(memory: Handle, offset: usize, bytes: usize) -> bool {
    let holds = || {
        if !is_on() || !objects().memories.contains_key(&memory.addr()) {
            return false;
        }
        let size = info::value::<usize>(|size, value, used| {
            // SAFETY: the memory object is alive in a call of it.
            unsafe { real::clGetMemObjectInfo(memory, MEM_SIZE, size, value, used) }
        });
        size.zip(offset.checked_add(bytes)).is_some_and(|(size, end)| end <= size)
    };
    guarded(holds).unwrap_or(false)
}

/// Checksum of a program's bytes.
///
/// # Safety
/// The address is null, or that of `bytes` bytes.
unsafe fn sum(from: Pointer, bytes: usize) -> Option<String> {
    if from.is_null() || !is_on() {
        return None;
    }
    // SAFETY: the caller says so.
    guarded(|| checksum(unsafe { slice::from_raw_parts(from.cast::<u8>(), bytes) }))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clEnqueueReadBuffer(
    queue: Handle,
    memory: Handle,
    blocking: u32,
    offset: usize,
    size: usize,
    to: Pointer,
    n: u32,
    waits: *const Handle,
    event: *mut Handle,
) -> Status {
    // SAFETY: the program keeps OpenCL's demands.
    let status = unsafe { real::clEnqueueReadBuffer(queue, memory, blocking, offset, size, to, n, waits, event) };
    read(status, memory, offset as u64, size as u64)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clEnqueueReadBufferRect(
    queue: Handle,
    memory: Handle,
    blocking: u32,
    origin: *const usize,
    host: *const usize,
    extent: *const usize,
    row: usize,
    slice: usize,
    host_row: usize,
    host_slice: usize,
    to: Pointer,
    n: u32,
    waits: *const Handle,
    event: *mut Handle,
) -> Status {
    // SAFETY: the program keeps OpenCL's demands.
    let status = unsafe {
        real::clEnqueueReadBufferRect(
            queue, memory, blocking, origin, host, extent, row, slice, host_row, host_slice, to, n, waits, event,
        )
    };
    if status != SUCCESS {
        return status;
    }
    // SAFETY: a call that was successful has read them.
    let (offset, bytes) = unsafe { region(origin, extent, row, slice) };
    read(status, memory, offset, bytes)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clEnqueueWriteBuffer(
    queue: Handle,
    memory: Handle,
    blocking: u32,
    offset: usize,
    size: usize,
    from: Pointer,
    n: u32,
    waits: *const Handle,
    event: *mut Handle,
) -> Status {
    // After the call, another thread may see the command done, and free the bytes.
    // SAFETY: the program has the bytes for this call; a call that OpenCL refuses for its sizes may not have them.
    let sum = if holds(memory, offset, size) { unsafe { sum(from, size) } } else { None };
    // SAFETY: the program keeps OpenCL's demands.
    let status = unsafe { real::clEnqueueWriteBuffer(queue, memory, blocking, offset, size, from, n, waits, event) };
    written(status, memory, offset as u64, size as u64, sum)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clEnqueueWriteBufferRect(
    queue: Handle,
    memory: Handle,
    blocking: u32,
    origin: *const usize,
    host: *const usize,
    extent: *const usize,
    row: usize,
    slice: usize,
    host_row: usize,
    host_slice: usize,
    from: Pointer,
    n: u32,
    waits: *const Handle,
    event: *mut Handle,
) -> Status {
    // SAFETY: the program keeps OpenCL's demands.
    let status = unsafe {
        real::clEnqueueWriteBufferRect(
            queue, memory, blocking, origin, host, extent, row, slice, host_row, host_slice, from, n, waits, event,
        )
    };
    if status != SUCCESS {
        return status;
    }
    // SAFETY: a call that was successful has read them.
    let (offset, bytes) = unsafe { region(origin, extent, row, slice) };
    written(status, memory, offset, bytes, None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clEnqueueFillBuffer(
    queue: Handle,
    memory: Handle,
    pattern: Pointer,
    length: usize,
    offset: usize,
    size: usize,
    n: u32,
    waits: *const Handle,
    event: *mut Handle,
) -> Status {
    // SAFETY: the program keeps OpenCL's demands.
    let status = unsafe { real::clEnqueueFillBuffer(queue, memory, pattern, length, offset, size, n, waits, event) };
    if status == SUCCESS && is_on() {
        let (handle, bytes) = (memory.addr(), size as u64);
        note(move |recorder| recorder.filled(handle, bytes));
    }
    status
}

/// A line for a copy.
fn copied(status: Status, from: (Handle, u64), to: (Handle, u64), bytes: u64) -> Status {
    if status == SUCCESS && is_on() {
        let [from, to] = [from, to].map(|(handle, offset)| (handle.addr(), offset));
        note(move |recorder| recorder.copied(from, to, bytes));
    }
    status
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clEnqueueCopyBuffer(
    queue: Handle,
    from: Handle,
    to: Handle,
    from_offset: usize,
    offset: usize,
    size: usize,
    n: u32,
    waits: *const Handle,
    event: *mut Handle,
) -> Status {
    // SAFETY: the program keeps OpenCL's demands.
    let status = unsafe { real::clEnqueueCopyBuffer(queue, from, to, from_offset, offset, size, n, waits, event) };
    copied(status, (from, from_offset as u64), (to, offset as u64), size as u64)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clEnqueueCopyBufferRect(
    queue: Handle,
    from: Handle,
    to: Handle,
    from_origin: *const usize,
    origin: *const usize,
    extent: *const usize,
    from_row: usize,
    from_slice: usize,
    row: usize,
    slice: usize,
    n: u32,
    waits: *const Handle,
    event: *mut Handle,
) -> Status {
    // SAFETY: the program keeps OpenCL's demands.
    let status = unsafe {
        real::clEnqueueCopyBufferRect(
            queue,
            from,
            to,
            from_origin,
            origin,
            extent,
            from_row,
            from_slice,
            row,
            slice,
            n,
            waits,
            event,
        )
    };
    if status != SUCCESS {
        return status;
    }
    // SAFETY: a call that was successful has read them.
    let [(start, _), (offset, bytes)] =
        unsafe { [region(from_origin, extent, from_row, from_slice), region(origin, extent, row, slice)] };
    copied(status, (from, start), (to, offset), bytes)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clEnqueueCopyImageToBuffer(
    queue: Handle,
    image: Handle,
    to: Handle,
    origin: *const usize,
    extent: *const usize,
    offset: usize,
    n: u32,
    waits: *const Handle,
    event: *mut Handle,
) -> Status {
    // SAFETY: the program keeps OpenCL's demands.
    let status = unsafe { real::clEnqueueCopyImageToBuffer(queue, image, to, origin, extent, offset, n, waits, event) };
    if status != SUCCESS || !is_on() {
        return status;
    }
    let size = info::value::<usize>(|size, value, used| {
        // SAFETY: the image is alive in the call.
        unsafe { real::clGetImageInfo(image, IMAGE_ELEMENT_SIZE, size, value, used) }
    });
    // SAFETY: a call that was successful has read them.
    let (_, elements) = unsafe { region(origin, extent, 0, 0) };
    written(status, to, offset as u64, elements.saturating_mul(size.unwrap_or(1) as u64), None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clEnqueueMapBuffer(
    queue: Handle,
    memory: Handle,
    blocking: u32,
    flags: u64,
    offset: usize,
    size: usize,
    n: u32,
    waits: *const Handle,
    event: *mut Handle,
    status: *mut Status,
) -> Handle {
    let mapped =
        // SAFETY: the program keeps OpenCL's demands.
        unsafe { real::clEnqueueMapBuffer(queue, memory, blocking, flags, offset, size, n, waits, event, status) };
    if !mapped.is_null() && is_on() {
        guarded(|| {
            let mapping = Mapping { offset, bytes: size, is_written: flags & !MAP_READ != 0 };
            objects().mappings.entry((memory.addr(), mapped.addr())).or_default().push(mapping);
        });
        if flags & MAP_READ != 0 {
            read(SUCCESS, memory, offset as u64, size as u64);
        }
    }
    mapped
}

/// Bytes that the program has written to a mapped part count as a write of it.
#[unsafe(no_mangle)]
unsafe extern "C" fn clEnqueueUnmapMemObject(
    queue: Handle,
    memory: Handle,
    mapped: Pointer,
    n: u32,
    waits: *const Handle,
    event: *mut Handle,
) -> Status {
    let known = guarded(|| {
        let is_on = is_on();
        let key = (memory.addr(), mapped.addr());
        let mut objects = objects();
        let parts = objects.mappings.get_mut(&key).filter(|_| is_on)?;
        let last = parts.pop();
        if parts.is_empty() {
            objects.mappings.remove(&key);
        }
        last.filter(|mapping| mapping.is_written)
    });
    let known = known.flatten();
    // SAFETY: the part is mapped until the command.
    let sum = known.and_then(|mapping| unsafe { sum(mapped, mapping.bytes) });
    // SAFETY: the program keeps OpenCL's demands.
    let status = unsafe { real::clEnqueueUnmapMemObject(queue, memory, mapped, n, waits, event) };
    match known {
        Some(Mapping { offset, bytes, .. }) => written(status, memory, offset as u64, bytes as u64, sum),
        None => status,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clEnqueueNativeKernel(
    queue: Handle,
    work: Callback,
    arguments: Pointer,
    length: usize,
    n_memory: u32,
    memory: *const Handle,
    places: Pointer,
    n: u32,
    waits: *const Handle,
    event: *mut Handle,
) -> Status {
    // SAFETY: the program keeps OpenCL's demands.
    let status = unsafe {
        real::clEnqueueNativeKernel(queue, work, arguments, length, n_memory, memory, places, n, waits, event)
    };
    if status == SUCCESS && is_on() {
        let count = if memory.is_null() { 0 } else { n_memory as usize };
        let from = if count == 0 { ptr::dangling() } else { memory };
        // SAFETY: a call that was successful has read all of them.
        let handles: Vec<usize> = unsafe { slice::from_raw_parts(from, count) }.iter().map(|x| x.addr()).collect();
        note(move |recorder| recorder.host_work(handles));
    }
    status
}
