//! The error handlers of an application: in the module that called, and among the global names of the process.
//!
//! A module loaded with RTLD_LOCAL, such as a Python extension, has handlers without a global name. The call's return
//! address leads to the module: the stack is unwound to the first function outside this library.

use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr;

/// The application's handler under the first of these names that it defines, if any. This library's own do not count.
///
/// Addresses of functions say nothing: an application's function of the same name gives ours its address.
pub(crate) fn find(names: &[&CStr]) -> Option<*mut c_void> {
    in_callers_module(names).or_else(|| names.iter().find_map(|name| global(name)))
}

/// A handler among the global names: the program's, its libraries', and those loaded with RTLD_GLOBAL.
///
/// RTLD_DEFAULT would also find names of a module that loaded this library, whichever module calls.
fn global(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: null opens the program itself, and `name` is a C string. Global symbols stay loaded.
    let found = unsafe {
        let program = libc::dlopen(ptr::null(), libc::RTLD_LAZY);
        let found = libc::dlsym(program, name.as_ptr());
        libc::dlclose(program);
        found
    };
    (!found.is_null() && module_of(found).base != own_module()).then_some(found)
}

/// The handler that the calling module itself defines. Its dependencies are not searched: another BLAS has a handler,
/// too, and the reference's ends the process.
fn in_callers_module(names: &[&CStr]) -> Option<*mut c_void> {
    let module = module_of(caller()?);
    if module.base.is_null() || module.path.is_null() {
        return None;
    }
    // SAFETY: `module_of` found a path, a C string of the loader, and the calling module stays loaded.
    let path: CString = unsafe { CStr::from_ptr(module.path) }.into();
    // SAFETY: with RTLD_NOLOAD nothing is loaded, and no initialiser runs.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if handle.is_null() {
        return None;
    }
    let found = names.iter().find_map(|name| {
        // SAFETY: the handle was opened above, and `name` is a C string.
        let found = unsafe { libc::dlsym(handle, name.as_ptr()) };
        (!found.is_null() && module_of(found).base == module.base).then_some(found)
    });
    // The handle is closed at once, since a handler may leave by longjmp. The module is running, so it stays.
    // SAFETY: the handle was opened above.
    unsafe { libc::dlclose(handle) };
    found
}

/// A library or program in memory.
struct Module {
    base: *mut c_void,
    path: *const std::ffi::c_char,
}

/// The module that holds an address; null for code in none.
fn module_of(address: *const c_void) -> Module {
    let mut device_info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: dladdr writes into its own struct, and zeros, which it leaves on failure, are a value of it.
    let device_info = unsafe {
        libc::dladdr(address, device_info.as_mut_ptr());
        device_info.assume_init()
    };
    Module { base: device_info.dli_fbase, path: device_info.dli_fname }
}

fn own_module() -> *mut c_void {
    module_of(own_module as *const c_void).base
}

#[cfg(not(target_arch = "arm"))]
mod unwind {
    use super::{c_int, c_void};

    /// A stack frame, in the unwinder's terms.
    #[repr(C)]
    pub(super) struct Frame {
        _opaque: [u8; 0],
    }

    /// `_URC_NO_REASON`: continue.
    pub(super) const NEXT: c_int = 0;
    /// `_URC_NORMAL_STOP`.
    pub(super) const STOP: c_int = 4;

    // The Itanium C++ ABI's unwinder, which Rust's panics have linked.
    unsafe extern "C" {
        pub(super) fn _Unwind_Backtrace(
            each: extern "C" fn(*mut Frame, *mut c_void) -> c_int,
            argument: *mut c_void,
        ) -> c_int;
        pub(super) fn _Unwind_GetIP(frame: *mut Frame) -> usize;
    }
}

/// An address in the code that called this library.
#[cfg(not(target_arch = "arm"))]
fn caller() -> Option<*const c_void> {
    struct Search {
        own: *mut c_void,
        found: usize,
    }
    extern "C" fn look(frame: *mut unwind::Frame, search: *mut c_void) -> c_int {
        // SAFETY: the unwinder passes a frame of its own, and the search that `caller` passed.
        let (search, returns_to) = unsafe { (&mut *search.cast::<Search>(), unwind::_Unwind_GetIP(frame)) };
        // The call's own address: the return address may be another function's if the call never returns.
        let call = returns_to.wrapping_sub(1);
        if module_of(ptr::without_provenance(call)).base == search.own {
            return unwind::NEXT;
        }
        search.found = call;
        unwind::STOP
    }
    let mut search = Search { own: own_module(), found: 0 };
    // SAFETY: the function takes a frame and the search, which lives until the unwinder returns.
    unsafe { unwind::_Unwind_Backtrace(look, (&raw mut search).cast()) };
    (search.found != 0).then(|| ptr::without_provenance(search.found))
}

/// 32-bit ARM's ABI has another unwinder.
#[cfg(target_arch = "arm")]
fn caller() -> Option<*const c_void> {
    None
}
