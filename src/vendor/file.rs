//! Library files, loaded at run time.

use std::ffi::{CStr, c_char, c_void};
use std::path::{Path, PathBuf};

use libloading::Library;

use crate::error::{Error, Result};

/// A library that stays loaded until the program ends, because its threads may.
#[derive(Debug)]
pub struct LibraryFile {
    path: PathBuf,
    library: &'static Library,
}

impl LibraryFile {
    /// Loads a file by its path, or by a name that the system's loader looks for. Its symbols are not seen by others,
    /// and its own come before those of the program, so that a library that replaces the BLAS of the program does not
    /// replace its.
    ///
    /// # Errors
    /// [`Error::VendorLibrary`], with the loader's reason.
    pub fn open(path: &Path) -> Result<Self> {
        // Should its initialisers call the program's BLAS, the work is the host's: the settings are not there yet.
        let _inside = super::Inside::enter();
        match load(path) {
            Ok(library) => Ok(LibraryFile { path: path.to_owned(), library: Box::leak(Box::new(library)) }),
            Err(error) => Err(Error::vendor_library(path, reason(&error))),
        }
    }

    /// Its path, as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A function that it may have.
    ///
    /// # Safety
    /// `F` must be the type of the function: a pointer.
    pub unsafe fn find<F: Copy>(&self, symbol: &str) -> Option<F> {
        // SAFETY: by contract, F is the type of the function. The library is leaked by `open`, so never unloaded.
        unsafe { self.library.get::<F>(symbol.as_bytes()) }.ok().map(|function| *function)
    }

    /// A function that it must have.
    ///
    /// # Errors
    /// [`Error::VendorLibrary`], which names it.
    ///
    /// # Safety
    /// As [`LibraryFile::find`].
    pub unsafe fn function<F: Copy>(&self, symbol: &str) -> Result<F> {
        // SAFETY: by contract, F is the type of the function.
        unsafe { self.find(symbol) }.ok_or_else(|| Error::vendor_library(&self.path, format!("it has no {symbol}")))
    }

    /// The address of a function that it may have.
    pub fn address(&self, symbol: &str) -> Option<*const c_void> {
        // SAFETY: the address of a function is that of anything.
        unsafe { self.find(symbol) }
    }

    /// The version in the name of the file that its links lead to, such as 1.6.3 in `libclblast.so.1.6.3`.
    pub fn version_in_name(&self) -> Option<String> {
        let file = self.path.canonicalize().ok()?;
        let (_, version) = file.file_name()?.to_str()?.split_once(".so.")?;
        Some(version.to_owned())
    }
}

#[cfg(unix)]
fn load(path: &Path) -> std::result::Result<Library, libloading::Error> {
    use libloading::os::unix;
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    const OWN_SYMBOLS_FIRST: i32 = libc::RTLD_DEEPBIND;
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    const OWN_SYMBOLS_FIRST: i32 = 0;
    let flags = unix::RTLD_NOW | unix::RTLD_LOCAL | OWN_SYMBOLS_FIRST;
    // SAFETY: loading runs the library's initialisers: that is what the user asked for by naming it.
    unsafe { unix::Library::open(Some(path), flags) }.map(Library::from)
}

#[cfg(not(unix))]
fn load(path: &Path) -> std::result::Result<Library, libloading::Error> {
    // SAFETY: as above.
    unsafe { Library::new(path) }
}

/// The loader's own words, in one line.
fn reason(error: &libloading::Error) -> String {
    let text = match error {
        libloading::Error::DlOpen { source, .. } => format!("{source:?}").trim_matches('"').to_owned(),
        other => other.to_string(),
    };
    text.replace('\n', " ")
}

/// True if an address lies in the same loaded file as this library itself, such as our own drop-in BLAS.
#[cfg(unix)]
pub(super) fn is_our_own(address: *const c_void) -> bool {
    let file_of = |address: *const c_void| {
        // SAFETY: zeros are valid for a struct of pointers, and dladdr accepts any address.
        let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
        // SAFETY: as above.
        (unsafe { libc::dladdr(address, &mut info) } != 0).then_some(info.dli_fbase as usize)
    };
    let ours = file_of(is_our_own as *const c_void);
    ours.is_some() && file_of(address) == ours
}

/// The thread's guard finds a library that calls us.
#[cfg(not(unix))]
pub(super) fn is_our_own(_address: *const c_void) -> bool {
    false
}

/// A library's static C string, unless it is null or empty.
///
/// # Safety
/// The pointer must be null or that of a C string that is valid for the call.
pub unsafe fn text(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: not null, checked above; by contract, it is else a C string that is valid for the call.
    let text = unsafe { CStr::from_ptr(pointer) }.to_string_lossy().trim().to_owned();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn a_file_that_is_no_library_is_named_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libnothing.so");
        std::fs::write(&path, "not a library").unwrap();
        let message = LibraryFile::open(&path).unwrap_err().to_string();
        assert!(message.contains("libnothing.so"), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn our_own_functions_are_known() {
        assert!(is_our_own(text as *const c_void));
        assert!(!is_our_own(libc::malloc as *const c_void));
    }
}
