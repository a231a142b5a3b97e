//! A GPU's context for a library on CUDA, through CUDA's driver.

use std::os::raw::c_int;

use affinimath::vendor::{Cuda, CudaCurrent, CudaMemory, CudaStatus};

use super::LibraryFile;
use crate::error::BenchError;
use crate::target::Target;

/// A GPU, whose primary context is the current one of the program's only benchmarking thread.
pub struct CudaSession {
    cuda: &'static Cuda,
    current: CudaCurrent<'static>,
}

impl CudaSession {
    /// The GPU with the name of our library's device, or else the first one.
    ///
    /// # Errors
    /// CUDA's code.
    pub fn open(target: &Target) -> Result<Self, BenchError> {
        let ours = target.info().map_or("", |facts| facts.name.as_str());
        let cuda: &'static Cuda = Box::leak(Box::new(Cuda::load(ours)?));
        Ok(CudaSession { cuda, current: cuda.enter()? })
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
}

/// The version that a library tells by a function such as `int cusolverGetVersion(int *version)`.
pub fn cuda_version(file: &LibraryFile, symbol: &str) -> Option<String> {
    // SAFETY: the functions of that name in CUDA's libraries have this type.
    let ask: unsafe extern "C" fn(*mut c_int) -> CudaStatus = unsafe { file.find(symbol)? };
    let mut version = 0;
    // SAFETY: it writes one integer.
    let status = unsafe { ask(&mut version) };
    (status == 0).then(|| format!("{}.{}.{}", version / 1000, version / 100 % 10, version % 100))
}
