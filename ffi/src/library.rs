//! The functions about the library itself.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use affinimath::{Device, DeviceContext, Error, MathMode, Pinned, Result, route};
use affinimath_core::error::status;

use affinimath_abi::arguments;
pub(crate) use affinimath_abi::boundary::last_error;

/// The name of index -1 in `affinimathDeviceName`.
const HOST: &str = "host";

pub(crate) fn initialize() -> Result<()> {
    route::initialize()
}

pub(crate) fn shutdown() -> Result<()> {
    route::clear_plan_cache();
    DeviceContext::release_all();
    Ok(())
}

pub(crate) fn set_device(index: i64) -> Result<()> {
    route::set_device(index)
}

/// # Safety
/// `devices` must be null or a C string.
pub(crate) unsafe fn set_devices(devices: *const c_char) -> Result<()> {
    // SAFETY: `text` has this function's contract.
    route::set_devices(&unsafe { text("devices", devices)? })
}

/// # Safety
/// `route` must be null or a C string.
pub(crate) unsafe fn set_route(route: *const c_char) -> Result<()> {
    // SAFETY: `text` has this function's contract.
    let text = unsafe { text("route", route)? };
    route::set_route(route::RouteChoice::parse(&text).map_err(|error| Error::argument("route", error.to_string()))?)
}

/// # Safety
/// `mode` must be null or a C string.
pub(crate) unsafe fn set_math_mode(mode: *const c_char) -> Result<()> {
    // SAFETY: `text` has this function's contract.
    let mode = unsafe { text("mode", mode)? };
    affinimath::set_math_mode(MathMode::parse(&mode)?);
    Ok(())
}

/// # Safety
/// `path` must be null or a C string.
pub(crate) unsafe fn set_cblas(path: *const c_char) -> Result<()> {
    // SAFETY: `text` has this function's contract.
    let path = unsafe { text("path", path)? };
    route::set_cblas((!path.is_empty()).then_some(Path::new(&path)))
}

/// # Safety
/// `choice` must be null or a C string.
pub(crate) unsafe fn set_cublas(choice: *const c_char) -> Result<()> {
    // SAFETY: `text` has this function's contract.
    let choice = unsafe { text("choice", choice)? };
    route::set_cublas(&route::CuBlasChoice::parse(&choice))
}

/// # Safety
/// `text` must be null or a C string.
unsafe fn text(name: &'static str, text: *const c_char) -> Result<String> {
    arguments::not_null(name, text)?;
    // SAFETY: `not_null` refused null; this function requires a C string.
    Ok(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// # Safety
/// `index` must be null or valid for a write.
pub(crate) unsafe fn get_device(index: *mut i64) -> Result<()> {
    arguments::not_null("index", index)?;
    let device = route::device()?;
    // SAFETY: `not_null` refused null; `get_device` requires a pointer that is valid for a write.
    unsafe { ptr::write(index, device) };
    Ok(())
}

pub(crate) fn set_num_threads(threads: i64) -> Result<()> {
    affinimath::set_num_threads(arguments::size("threads", threads)?)
}

/// # Safety
/// `threads` must be null or valid for a write.
pub(crate) unsafe fn get_num_threads(threads: *mut i64) -> Result<()> {
    arguments::not_null("threads", threads)?;
    let number = affinimath::num_threads()?;
    // SAFETY: `not_null` refused null; `get_num_threads` requires a pointer that is valid for a write.
    unsafe { ptr::write(threads, number as i64) };
    Ok(())
}

/// # Safety
/// `count` must be null or valid for a write.
pub(crate) unsafe fn device_count(count: *mut i64) -> Result<()> {
    arguments::not_null("count", count)?;
    let devices = match Device::all() {
        Ok(devices) => devices.len(),
        Err(Error::NoDevice(_)) => 0,
        Err(error) => return Err(error),
    };
    // SAFETY: `not_null` refused null; `device_count` requires a pointer that is valid for a write.
    unsafe { ptr::write(count, devices as i64) };
    Ok(())
}

/// # Safety
/// `name` must be null or valid for `size` bytes.
pub(crate) unsafe fn device_name(index: i64, name: *mut c_char, size: i64) -> Result<()> {
    let full = if index == -1 { HOST } else { device_at(index)?.info().name.as_str() };
    arguments::not_null("name", name)?;
    let room = match arguments::size("size", size)? {
        0 => return Err(Error::argument("size", "0 has no room for the null character at the end")),
        size => size,
    };
    // SAFETY: `device_name` requires `size` bytes behind `name`.
    unsafe { crate::text::write_cut(full, name, room) };
    Ok(())
}

fn device_at(index: i64) -> Result<&'static Device> {
    let devices = Device::all()?;
    let device = usize::try_from(index).ok().and_then(|index| devices.get(index));
    device.ok_or_else(|| Error::UnknownDevice {
        asked: index.to_string(),
        available: format!("0 to {}, and -1 for the host", devices.len() - 1),
    })
}

/// Pinned memory that C has, by its address.
static PINNED: Mutex<BTreeMap<usize, Pinned<i32>>> = Mutex::new(BTreeMap::new());

/// # Safety
/// `data` must be null or valid for a write.
pub(crate) unsafe fn pinned_alloc(device: i64, bytes: i64, data: *mut *mut c_void) -> Result<()> {
    let context = crate::arrays::context(device)?;
    let bytes = arguments::size("bytes", bytes)?;
    arguments::not_null("data", data)?;
    let mut memory = context.pinned::<i32>(bytes.div_ceil(size_of::<i32>()))?;
    let start = memory.as_mut_ptr();
    PINNED.lock().unwrap_or_else(PoisonError::into_inner).insert(start.addr(), memory);
    // SAFETY: `not_null` refused null; `pinned_alloc` requires a pointer that is valid for a write.
    unsafe { ptr::write(data, start.cast()) };
    Ok(())
}

/// # Safety
/// `data` must be null or an address of [`pinned_alloc`], and nobody may use the memory any more.
pub(crate) unsafe fn pinned_free(data: *mut c_void) -> Result<()> {
    if data.is_null() {
        return Ok(());
    }
    let memory = PINNED.lock().unwrap_or_else(PoisonError::into_inner).remove(&data.addr());
    match memory {
        Some(memory) => {
            drop(memory);
            Ok(())
        }
        None => Err(Error::argument("data", "it is no address that affinimathPinnedAlloc gave, or is free already")),
    }
}

/// Sub-buffers, whose alignment would matter, are never made: any leading dimension and any offset work.
pub(crate) const fn ld_multiple() -> i64 {
    1
}

/// A status's text as a C string. Each of the few texts is made once and cached.
pub(crate) fn status_string(status: c_int) -> *const c_char {
    static TEXTS: Mutex<Option<HashMap<&'static str, CString>>> = Mutex::new(None);
    let text = status::describe(status);
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let cached = texts.get_or_insert_default().entry(text).or_insert_with(|| CString::new(text).unwrap_or_default());
    cached.as_ptr()
}

pub(crate) const fn version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
