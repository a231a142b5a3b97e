//! Any library with CBLAS's interface.

use std::os::raw::{c_char, c_int};

use super::{LibraryFile, text};
use crate::bench::error::BenchError;
use crate::bench::report::ContenderFacts;
use crate::bench::target::MemoryChoice;

/// A library with CBLAS's interface (32-bit integers).
pub struct CblasLibrary {
    file: LibraryFile,
}

impl CblasLibrary {
    /// What a file without one of its functions is asked to be.
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
        // SAFETY: the caller vouches for the type.
        unsafe { self.file.function(symbol, Self::EXPECTED) }
    }

    /// A size as CBLAS takes it.
    ///
    /// # Errors
    /// [`BenchError::Unfit`] when it is too large.
    pub fn integer(&self, size: usize) -> Result<c_int, BenchError> {
        let too_large = |_| BenchError::Unfit(format!("{}: its integers end before {size}", self.file.name()));
        c_int::try_from(size).map_err(too_large)
    }

    pub(super) fn facts(&self) -> ContenderFacts {
        ContenderFacts {
            name: self.file.name().to_owned(),
            version: self.version(),
            threads: self.threads(),
            path: Some(self.file.path().to_owned()),
            memory: MemoryChoice::Host,
        }
    }

    /// What OpenBLAS, BLIS and MKL say of themselves.
    fn version(&self) -> Option<String> {
        type Describe = unsafe extern "C" fn() -> *const c_char;
        type Fill = unsafe extern "C" fn(*mut c_char, c_int);
        // SAFETY: these are the functions' types as their headers have them; the strings are static.
        unsafe {
            if let Some(describe) = self.file.find::<Describe>("openblas_get_config") {
                return text(describe());
            }
            if let Some(describe) = self.file.find::<Describe>("bli_info_get_version_str") {
                return text(describe()).map(|version| format!("BLIS {version}"));
            }
            let fill = self.file.find::<Fill>("MKL_Get_Version_String")?;
            let mut buffer = [0 as c_char; 256];
            fill(buffer.as_mut_ptr(), 255);
            text(buffer.as_ptr())
        }
    }

    fn threads(&self) -> Option<usize> {
        type Count = unsafe extern "C" fn() -> c_int;
        // BLIS returns a 64-bit integer, of which this is the lower half.
        let counts = ["openblas_get_num_threads", "MKL_Get_Max_Threads", "bli_thread_get_num_threads"];
        // SAFETY: none of them takes an argument.
        let count = counts.iter().find_map(|name| unsafe { self.file.find::<Count>(name).map(|count| count()) })?;
        usize::try_from(count).ok().filter(|count| *count > 0)
    }
}
