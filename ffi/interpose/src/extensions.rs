//! Functions that a program asks for by their names.
//!
//! A function that this library has is given in the loader's place, so that its calls are traced as those of a linked
//! one. The others of an extension are the driver's own: one warning says which of them may launch or move data.

#![allow(non_snake_case)]

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::sync::{Mutex, PoisonError};

use crate::find;
use crate::real;
use crate::recorder::{self, warn};
use crate::types::{Handle, Pointer};

/// Beginnings of the names of functions that launch, move data, or give arguments to kernels.
const UNSEEN: [&str; 5] = ["clEnqueue", "clCommand", "clSetKernelArg", "clMem", "clSetKernelExec"];
/// Ends of the names of Intel's functions for unified shared memory.
const MEMORY: &str = "MemAllocINTEL";

/// True for a function whose calls a trace would have to have.
fn is_unseen(name: &str) -> bool {
    UNSEEN.iter().any(|begin| name.starts_with(begin)) || name.ends_with(MEMORY)
}

/// The function that the program gets for the driver's.
///
/// # Safety
/// The name is null or a text with a zero byte at its end.
unsafe fn found(name: *const u8, real: Pointer) -> Pointer {
    if real.is_null() || name.is_null() || !recorder::is_on() {
        return real;
    }
    // SAFETY: the caller says so.
    let name = unsafe { CStr::from_ptr(name.cast()) };
    if let Some(own) = find::own(name) {
        return own;
    }
    static TOLD: Mutex<BTreeSet<CString>> = Mutex::new(BTreeSet::new());
    let text = name.to_string_lossy();
    if is_unseen(&text) && TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned()) {
        warn(&format!("AFFINIMATH_TRACE: calls of {text}, which is a function of an extension, are not traced"));
    }
    real
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clGetExtensionFunctionAddress(name: *const u8) -> Pointer {
    // SAFETY: the program keeps OpenCL's demands.
    unsafe { found(name, real::clGetExtensionFunctionAddress(name)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clGetExtensionFunctionAddressForPlatform(platform: Handle, name: *const u8) -> Pointer {
    // SAFETY: the program keeps OpenCL's demands.
    unsafe { found(name, real::clGetExtensionFunctionAddressForPlatform(platform, name)) }
}
