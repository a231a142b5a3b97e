//! cuSOLVER, with device memory through CUDA's driver.

use std::ffi::c_void;
use std::os::raw::c_int;
use std::ptr::null_mut;

use affinimath::vendor::{Cuda, CudaCurrent, CudaMemory, CudaStatus};

use super::LibraryFile;
use crate::bench::error::BenchError;
use crate::bench::report::ContenderFacts;
use crate::bench::target::{MemoryChoice, Target};

/// `cusolverDnHandle_t`.
pub type Handle = *mut c_void;

/// cuSOLVER on a GPU.
pub struct CuSolverLibrary {
    file: LibraryFile,
    cuda: &'static Cuda,
    /// The context is the program's only benchmarking thread's.
    current: CudaCurrent<'static>,
    handle: Handle,
}

impl CuSolverLibrary {
    /// What a file without one of its functions is asked to be.
    pub const EXPECTED: &str = "cuSOLVER";

    /// cuSOLVER on the GPU with the name of our library's device, or else on the first one.
    pub(super) fn new(file: LibraryFile, target: &Target) -> Result<Self, BenchError> {
        let ours = target.facts().map_or("", |facts| facts.name.as_str());
        let cuda: &'static Cuda = Box::leak(Box::new(Cuda::load(ours)?));
        let current = cuda.enter()?;
        // SAFETY: cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle).
        let create: unsafe extern "C" fn(*mut Handle) -> CudaStatus =
            unsafe { file.function("cusolverDnCreate", Self::EXPECTED)? };
        let mut handle = null_mut();
        // SAFETY: a context is current.
        file.check("cusolverDnCreate", unsafe { create(&mut handle) })?;
        Ok(CuSolverLibrary { file, cuda, current, handle })
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
        let too_large = |_| BenchError::Unfit(format!("{}: its integers end before {size}", self.file.name()));
        c_int::try_from(size).map_err(too_large)
    }

    /// Device memory of so many bytes.
    ///
    /// # Errors
    /// CUDA's code.
    pub fn allocate(&self, bytes: usize) -> Result<CudaMemory<'static>, BenchError> {
        Ok(self.cuda.allocate(&self.current, bytes.max(1))?)
    }

    /// Waits until the GPU has done everything.
    ///
    /// # Errors
    /// CUDA's code.
    pub fn synchronize(&self) -> Result<(), BenchError> {
        Ok(self.cuda.synchronize(&self.current)?)
    }

    pub(super) fn facts(&self) -> ContenderFacts {
        ContenderFacts {
            name: self.file.name().to_owned(),
            version: self.version(),
            threads: None,
            path: Some(self.file.path().to_owned()),
            memory: MemoryChoice::Device,
        }
    }

    fn version(&self) -> Option<String> {
        // SAFETY: cusolverStatus_t cusolverGetVersion(int *version).
        let ask: unsafe extern "C" fn(*mut c_int) -> CudaStatus = unsafe { self.file.find("cusolverGetVersion")? };
        let mut version = 0;
        // SAFETY: it writes one integer.
        let status = unsafe { ask(&mut version) };
        (status == 0).then(|| format!("{}.{}.{}", version / 1000, version / 100 % 10, version % 100))
    }
}
