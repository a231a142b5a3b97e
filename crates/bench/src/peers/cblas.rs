//! Any library with CBLAS's interface.

use std::os::raw::c_int;

use affinimath::vendor;

use super::LibraryFile;
use crate::error::BenchError;
use crate::report::ContenderFacts;
use crate::target::MemoryChoice;

/// A library with CBLAS's interface (32-bit integers).
pub struct CblasLibrary {
    file: LibraryFile,
}

impl CblasLibrary {
    /// Expected library, for a file without one of its functions.
    pub const EXPECTED: &str = "a CBLAS with 32-bit integers";

    /// Its file.
    pub const fn file(&self) -> &LibraryFile {
        &self.file
    }

    pub(super) const fn new(file: LibraryFile) -> Self {
        CblasLibrary { file }
    }

    /// A function of CBLAS.
    ///
    /// # Errors
    /// [`BenchError::Symbol`].
    ///
    /// # Safety
    /// `F` must be the type of the function.
    pub unsafe fn function<F: Copy>(&self, symbol: &str) -> Result<F, BenchError> {
        // SAFETY: this function requires that `F` is the symbol's type, too.
        unsafe { self.file.function(symbol, Self::EXPECTED) }
    }

    /// A size as CBLAS takes it.
    ///
    /// # Errors
    /// [`BenchError::Unfit`] when it is too large.
    pub fn integer(&self, size: usize) -> Result<c_int, BenchError> {
        self.file.integer(size)
    }

    pub(super) fn info(&self) -> ContenderFacts {
        ContenderFacts {
            name: self.file.name().to_owned(),
            version: vendor::cblas_version(self.file.library()),
            threads: vendor::cblas_threads(self.file.library()),
            path: Some(self.file.path().to_owned()),
            memory: MemoryChoice::Host,
        }
    }
}
