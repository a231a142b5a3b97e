//! Other libraries, loaded at run time.

mod cblas;
mod clblast;
mod cublas;

use std::ffi::{CStr, c_void};
use std::os::raw::c_char;
use std::path::{Path, PathBuf};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

pub use cblas::CblasLibrary;
pub use clblast::{ClBlastLibrary, Session as ClBlastSession};
pub use cublas::{CuBlasLibrary, CudaMemory, Handle as CudaHandle, Status as CudaStatus};

use super::error::BenchError;
use super::options::PeerSpec;
use super::report::ContenderFacts;
use super::target::{MemoryChoice, Target};

/// Another library.
pub enum Peer {
    /// faer, on whose products our host route is built: it is compiled in.
    Faer,
    /// Any library with CBLAS's interface.
    Cblas(CblasLibrary),
    /// CLBlast.
    ClBlast(ClBlastLibrary),
    /// cuBLAS.
    CuBlas(CuBlasLibrary),
}

impl Peer {
    /// Loads what the user names. The name tells the interface: `clblast` and `cublas` have their own, all others CBLAS's.
    ///
    /// # Errors
    /// [`BenchError::Load`], [`BenchError::Symbol`], [`BenchError::Peer`].
    pub fn load(spec: &PeerSpec, target: &Target) -> Result<Self, BenchError> {
        if spec.paths.is_empty() {
            return Ok(Peer::Faer);
        }
        let file = LibraryFile::open(spec)?;
        Ok(match spec.name.to_ascii_lowercase().as_str() {
            "clblast" => Peer::ClBlast(ClBlastLibrary::new(file, target.device)?),
            "cublas" => Peer::CuBlas(CuBlasLibrary::new(file, target)?),
            _ => Peer::Cblas(CblasLibrary::new(file)),
        })
    }

    /// What reports say of it.
    pub fn facts(&self) -> ContenderFacts {
        match self {
            Peer::Faer => ContenderFacts {
                name: "faer".to_owned(),
                version: None,
                threads: Some(affinimath::host::threads()),
                path: None,
                memory: MemoryChoice::Host,
            },
            Peer::Cblas(library) => library.facts(),
            Peer::ClBlast(library) => library.facts(),
            Peer::CuBlas(library) => library.facts(),
        }
    }
}

/// A library file that stays loaded until the program ends, because its threads may.
pub struct LibraryFile {
    name: String,
    path: PathBuf,
    library: &'static Library,
}

impl LibraryFile {
    fn open(spec: &PeerSpec) -> Result<Self, BenchError> {
        let open = |path: &PathBuf| {
            // SAFETY: loading runs the library's initialisers: that is what the user asked for by naming it.
            let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
            library.map(|library| &*Box::leak(Box::new(library))).map_err(|error| BenchError::Load {
                name: spec.name.clone(),
                path: path.clone(),
                reason: reason(&error),
            })
        };
        // What it needs comes first, so that the loader finds it by name.
        for needed in spec.paths.iter().skip(1) {
            open(needed)?;
        }
        let path = spec.paths[0].clone();
        Ok(LibraryFile { name: spec.name.clone(), library: open(&path)?, path })
    }

    /// What the user calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A function that it must have.
    ///
    /// # Errors
    /// [`BenchError::Symbol`], which asks whether the file is `expected`.
    ///
    /// # Safety
    /// `F` must be the type of the function.
    pub unsafe fn function<F: Copy>(&self, symbol: &str, expected: &'static str) -> Result<F, BenchError> {
        // SAFETY: the caller vouches for the type.
        unsafe { self.find(symbol) }.ok_or_else(|| self.without(symbol, expected))
    }

    /// A function that it may have.
    ///
    /// # Safety
    /// `F` must be the type of the function.
    pub unsafe fn find<F: Copy>(&self, symbol: &str) -> Option<F> {
        // SAFETY: the caller vouches for the type; the library is never unloaded.
        unsafe { self.library.get::<F>(symbol.as_bytes()) }.ok().map(|function| *function)
    }

    /// The address of a function that it may have.
    pub fn address(&self, symbol: &str) -> Option<*const c_void> {
        // SAFETY: the address of a function is that of anything.
        unsafe { self.find(symbol) }
    }

    /// A function that it does not have, as an error, which asks whether the file is `expected`.
    pub fn without(&self, symbol: &str, expected: &'static str) -> BenchError {
        BenchError::Symbol { name: self.name.clone(), path: self.path.clone(), symbol: symbol.to_owned(), expected }
    }

    /// A non-zero status as an error.
    pub fn check(&self, call: &str, status: i32) -> Result<(), BenchError> {
        match status {
            0 => Ok(()),
            code => Err(self.failed(call, code)),
        }
    }

    /// A call that failed, as an error.
    pub fn failed(&self, call: &str, code: i32) -> BenchError {
        BenchError::Peer { name: self.name.clone(), call: call.to_owned(), code }
    }

    /// The version in the name of the file that its links lead to, such as 1.6.3 in `libclblast.so.1.6.3`.
    pub fn version_in_name(&self) -> Option<String> {
        let file = self.path.canonicalize().ok()?;
        let (_, version) = file.file_name()?.to_str()?.split_once(".so.")?;
        Some(version.to_owned())
    }
}

/// The loader's own words, in one line.
fn reason(error: &libloading::Error) -> String {
    let text = match error {
        libloading::Error::DlOpen { source, .. } => format!("{source:?}").trim_matches('"').to_owned(),
        other => other.to_string(),
    };
    text.replace('\n', " ")
}

/// A library's static C string, unless it is null.
///
/// # Safety
/// The pointer must be null or that of a C string that is valid for the call.
unsafe fn text(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: the caller vouches for the string.
    let text = unsafe { CStr::from_ptr(pointer) }.to_string_lossy().trim().to_owned();
    (!text.is_empty()).then_some(text)
}
