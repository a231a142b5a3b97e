//! cuBLAS, with device memory through CUDA's driver.

use std::ffi::c_void;
use std::os::raw::c_int;

use affinimath::vendor::{CuBlas, CudaCurrent, CudaMemory};

pub use affinimath::vendor::CudaStatus as Status;

use super::LibraryFile;
use crate::error::BenchError;
use crate::report::ContenderFacts;
use crate::target::{MemoryChoice, Target};

/// `cublasHandle_t`.
pub type Handle = *mut c_void;

/// cuBLAS on a GPU.
pub struct CuBlasLibrary {
    file: LibraryFile,
    cublas: &'static CuBlas,
    /// The context is the program's only benchmarking thread's.
    current: CudaCurrent<'static>,
    handle: Handle,
}

impl CuBlasLibrary {
    /// Expected library, for a file without one of its functions.
    pub const EXPECTED: &str = "cuBLAS";

    /// Its file.
    pub const fn file(&self) -> &LibraryFile {
        &self.file
    }

    /// cuBLAS on the GPU with the name of our library's device, or else on the first one.
    pub(super) fn new(file: LibraryFile, target: &Target) -> Result<Self, BenchError> {
        let ours = target.info().map_or("", |facts| facts.name.as_str());
        let cublas = CuBlas::load(file.path(), ours).map_err(|error| BenchError::load(file.name(), error))?;
        let cublas: &'static CuBlas = Box::leak(Box::new(cublas));
        Ok(CuBlasLibrary { file, cublas, current: cublas.cuda().enter()?, handle: cublas.handle() })
    }

    /// A function of cuBLAS.
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

    /// The handle that cuBLAS's functions take first. Its scalars are read from the host's memory, as is the default.
    pub const fn handle(&self) -> Handle {
        self.handle
    }

    /// A size as cuBLAS takes it.
    ///
    /// # Errors
    /// [`BenchError::Unfit`] when it is too large.
    pub fn integer(&self, size: usize) -> Result<c_int, BenchError> {
        self.file.integer(size)
    }

    /// A failed call as an error.
    ///
    /// # Errors
    /// [`BenchError::Peer`] when the status is not zero.
    pub fn check(&self, call: &str, status: Status) -> Result<(), BenchError> {
        self.file.check(call, status)
    }

    /// Device memory that holds a copy of `data`.
    ///
    /// # Errors
    /// CUDA's code.
    pub fn upload<T: Copy>(&self, data: &[T]) -> Result<CudaMemory<'static>, BenchError> {
        let mut memory = self.cublas.cuda().allocate(&self.current, size_of_val(data))?;
        memory.write(data)?;
        Ok(memory)
    }

    /// Lets numbers that cuBLAS takes or gives lie in the device's memory, or as is the default in the host's.
    ///
    /// # Errors
    /// [`BenchError::Peer`] with cuBLAS's status.
    pub fn numbers_on_device(&self, on_device: bool) -> Result<(), BenchError> {
        // SAFETY: cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode).
        let set: unsafe extern "C" fn(Handle, c_int) -> Status = unsafe { self.function("cublasSetPointerMode_v2")? };
        // SAFETY: the handle is valid.
        self.check("cublasSetPointerMode_v2", unsafe { set(self.handle, on_device.into()) })
    }

    /// Waits until the GPU has done everything.
    ///
    /// # Errors
    /// CUDA's code.
    pub fn synchronize(&self) -> Result<(), BenchError> {
        Ok(self.cublas.cuda().synchronize(&self.current)?)
    }

    pub(super) fn info(&self) -> ContenderFacts {
        ContenderFacts {
            name: self.file.name().to_owned(),
            version: Some(self.cublas.version()),
            threads: None,
            path: Some(self.file.path().to_owned()),
            memory: MemoryChoice::Device,
        }
    }
}
