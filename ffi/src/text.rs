//! Texts from and to C.

use std::ffi::{CStr, c_char};
use std::ptr;

use affinimath::{Error, Result};
use affinimath_abi::arguments::{not_null, size};

/// The text of an argument with this name.
///
/// # Safety
/// `text` must be null or a C string, which lives as long as the result.
pub(crate) unsafe fn read<'a>(name: &'static str, text: *const c_char) -> Result<&'a str> {
    not_null(name, text)?;
    // SAFETY: `not_null` refused null; this function requires a C string.
    let text = unsafe { CStr::from_ptr(text) }.to_str();
    text.map_err(|_| Error::argument(name, "it is not UTF-8"))
}

/// Writes a text, ended by a null character and cut to fit.
///
/// # Safety
/// `text` must be valid for `room` bytes, at least 1.
pub(crate) unsafe fn write_cut(full: &str, text: *mut c_char, room: usize) {
    let end = (0..=(room - 1).min(full.len())).rev().find(|&end| full.is_char_boundary(end)).unwrap_or(0);
    // SAFETY: there is room for `end` bytes, which are fewer than `room`, and one more.
    unsafe {
        ptr::copy_nonoverlapping(full.as_ptr(), text.cast::<u8>(), end);
        text.add(end).write(0);
    }
}

/// Writes a text, cut to fit, and its length.
///
/// # Safety
/// `text` must be null or valid for `room` bytes, `length` null or valid for a write.
pub(crate) unsafe fn write(full: &str, text: *mut c_char, room: i64, length: *mut i64) -> Result<()> {
    let room = size("size", room)?;
    not_null("length", length)?;
    if !text.is_null() && room > 0 {
        // SAFETY: it is not null; this function requires `room` bytes.
        unsafe { write_cut(full, text, room) };
    }
    // SAFETY: `not_null` refused null; this function requires a pointer that is valid for a write.
    unsafe { length.write(full.len() as i64) };
    Ok(())
}
