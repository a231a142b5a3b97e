//! The real library's functions.

use std::env;
use std::ffi::{CStr, CString, c_void};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::recorder::warn;

/// Path of the real library.
const VARIABLE: &str = "AFFINIMATH_TRACE_OPENCL";
const LOADER: &CStr = c"libOpenCL.so.1";

/// A function of the real library, found at its first call.
pub struct Function {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

/// Mark of a function that the real library does not have: no function has this address.
const MISSING: *mut c_void = ptr::dangling_mut::<u8>().cast();

impl Function {
    pub const fn new(name: &'static CStr) -> Self {
        Function { name, address: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Address; `None` where the real library has none.
    pub fn address(&self) -> Option<*mut c_void> {
        let mut address = self.address.load(Ordering::Relaxed);
        if address.is_null() {
            address = find(self.name).unwrap_or(MISSING);
            self.address.store(address, Ordering::Relaxed);
        }
        (address != MISSING).then_some(address)
    }
}

fn find(name: &CStr) -> Option<*mut c_void> {
    let symbol = |library: *mut c_void| {
        // SAFETY: the handle is a loaded library's, or one of libc's own marks.
        let address = unsafe { libc::dlsym(library, name.as_ptr()) };
        (!address.is_null() && !is_own(address)).then_some(address)
    };
    let next = || if env::var_os(VARIABLE).is_none() { symbol(libc::RTLD_NEXT) } else { None };
    next().or_else(|| symbol(library()?))
}

/// The real library where the program has not linked it, and so has it behind this one.
fn library() -> Option<*mut c_void> {
    static LIBRARY: OnceLock<usize> = OnceLock::new();
    let address = *LIBRARY.get_or_init(|| {
        if let Some(path) = env::var_os(VARIABLE) {
            let found = open_path(Path::new(&path));
            if found.is_none() {
                warn(&format!("{VARIABLE}: {} is no OpenCL library but this one", path.display()));
            }
            return found.unwrap_or_default();
        }
        // Under the loader's name in a folder of LD_LIBRARY_PATH, this library finds itself first.
        let found = open(LOADER).or_else(|| places().iter().find_map(|path| open_path(path)));
        if found.is_none() {
            warn(&format!("no libOpenCL.so.1 is found: {VARIABLE} may name its path"));
        }
        found.unwrap_or_default()
    });
    (address != 0).then_some(address as *mut c_void)
}

/// Usual paths of loaders.
fn places() -> Vec<PathBuf> {
    let listed = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let multiarch = format!("/usr/lib/{}-linux-gnu", env::consts::ARCH);
    let usual = [&multiarch, "/usr/lib64", "/usr/lib", "/usr/local/lib64", "/usr/local/lib", "/opt/rocm/lib"];
    let folders = env::split_paths(&listed).chain(usual.into_iter().map(PathBuf::from));
    folders.map(|folder| folder.join("libOpenCL.so.1")).collect()
}

fn open_path(path: &Path) -> Option<usize> {
    open(&CString::new(path.as_os_str().as_encoded_bytes()).ok()?)
}

/// Handle of a library that has OpenCL and is not this one.
fn open(path: &CStr) -> Option<usize> {
    // SAFETY: a loader's start has no demands on its caller.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        return None;
    }
    // SAFETY: the library is loaded.
    let address = unsafe { libc::dlsym(library, c"clGetPlatformIDs".as_ptr()) };
    (!address.is_null() && !is_own(address)).then_some(library.addr())
}

/// True for an address in this library.
fn is_own(address: *const c_void) -> bool {
    let base = |address: *const c_void| {
        let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: the place is one of libc's structures, all of whose members may be zero.
        let (found, info) = unsafe { (libc::dladdr(address, info.as_mut_ptr()), info.assume_init()) };
        if found == 0 { ptr::null() } else { info.dli_fbase.cast_const() }
    };
    base(address) == base((&raw const MARK).cast())
}

/// Something in this library.
static MARK: u8 = 0;
