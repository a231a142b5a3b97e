//! cuSOLVER, with device memory through CUDA's driver.

use std::ffi::c_void;
use std::os::raw::c_int;
use std::ptr::null_mut;

use affinimath::vendor::{CudaMemory, CudaStatus};

use super::{CudaSession, LibraryFile, cuda_version};
use crate::error::BenchError;
use crate::report::ContenderFacts;
use crate::target::{MemoryChoice, Target};

/// `cusolverDnHandle_t`.
pub type Handle = *mut c_void;

/// cuSOLVER on a GPU.
pub struct CuSolverLibrary {
    file: LibraryFile,
    session: CudaSession,
    handle: Handle,
}

impl CuSolverLibrary {
    /// Expected library, for a file without one of its functions.
    pub const EXPECTED: &str = "cuSOLVER";

    /// cuSOLVER on the GPU with the name of our library's device, or else on the first one.
    pub(super) fn new(file: LibraryFile, target: &Target) -> Result<Self, BenchError> {
        let session = CudaSession::open(target)?;
        // SAFETY: cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle).
        let create: unsafe extern "C" fn(*mut Handle) -> CudaStatus =
            unsafe { file.function("cusolverDnCreate", Self::EXPECTED)? };
        let mut handle = null_mut();
        // SAFETY: a context is current.
        file.check("cusolverDnCreate", unsafe { create(&mut handle) })?;
        Ok(CuSolverLibrary { file, session, handle })
    }

    /// Its file.
    pub const fn file(&self) -> &LibraryFile {
        &self.file
    }

    /// The handle that its functions take first.
    pub const fn handle(&self) -> Handle {
        self.handle
    }

    /// A size as it takes it.
    ///
    /// # Errors
    /// [`BenchError::Unfit`] when it is too large.
    pub fn integer(&self, size: usize) -> Result<c_int, BenchError> {
        self.file.integer(size)
    }

    /// Device memory of so many bytes.
    ///
    /// # Errors
    /// CUDA's code.
    pub fn allocate(&self, bytes: usize) -> Result<CudaMemory<'static>, BenchError> {
        self.session.allocate(bytes)
    }

    /// Waits until the GPU has done everything.
    ///
    /// # Errors
    /// CUDA's code.
    pub fn synchronize(&self) -> Result<(), BenchError> {
        self.session.synchronize()
    }

    pub(super) fn info(&self) -> ContenderFacts {
        ContenderFacts {
            name: self.file.name().to_owned(),
            version: cuda_version(&self.file, "cusolverGetVersion"),
            threads: None,
            path: Some(self.file.path().to_owned()),
            memory: MemoryChoice::Device,
        }
    }
}
