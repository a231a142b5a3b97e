//! cuSPARSE, with device memory through CUDA's driver.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use affinimath::vendor::{CudaMemory, CudaStatus};

use super::{CudaSession, LibraryFile};
use crate::error::BenchError;
use crate::options::PeerSpec;
use crate::report::ContenderFacts;
use crate::target::{MemoryChoice, Target};

/// `cusparseHandle_t`.
pub type Handle = *mut c_void;

/// cuSPARSE on a GPU.
pub struct CuSparseLibrary {
    file: LibraryFile,
    session: CudaSession,
    handle: Handle,
}

impl CuSparseLibrary {
    /// Expected library, for a file without one of its functions.
    pub const EXPECTED: &str = "cuSPARSE 11 or later, with its generic API";

    /// cuSPARSE on the GPU with the name of our library's device, or else on the first one.
    ///
    /// # Errors
    /// [`BenchError::Load`], [`BenchError::Symbol`], [`BenchError::Peer`].
    pub fn load(spec: &PeerSpec, target: &Target) -> Result<Self, BenchError> {
        let file = LibraryFile::open(spec)?;
        let session = CudaSession::open(target)?;
        // SAFETY: cusparseStatus_t cusparseCreate(cusparseHandle_t *handle).
        let create: unsafe extern "C" fn(*mut Handle) -> CudaStatus =
            unsafe { file.function("cusparseCreate", Self::EXPECTED)? };
        let mut handle = null_mut();
        // SAFETY: a context is current.
        file.check("cusparseCreate", unsafe { create(&mut handle) })?;
        Ok(CuSparseLibrary { file, session, handle })
    }

    /// Its file.
    pub const fn file(&self) -> &LibraryFile {
        &self.file
    }

    /// The handle that its functions take first. Its scalars are read from the host's memory, as is the default.
    pub const fn handle(&self) -> Handle {
        self.handle
    }

    /// Device memory that holds a copy of `data`.
    ///
    /// # Errors
    /// CUDA's code.
    pub fn upload<T: Copy>(&self, data: &[T]) -> Result<CudaMemory<'static>, BenchError> {
        let mut memory = self.allocate(size_of_val(data))?;
        memory.write(data)?;
        Ok(memory)
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

    /// Description in reports.
    pub fn info(&self) -> ContenderFacts {
        ContenderFacts {
            name: self.file.name().to_owned(),
            version: self.version(),
            threads: None,
            path: Some(self.file.path().to_owned()),
            memory: MemoryChoice::Device,
        }
    }

    /// Its version asks for the handle, unlike those of its siblings.
    fn version(&self) -> Option<String> {
        // SAFETY: cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version).
        let ask: unsafe extern "C" fn(Handle, *mut c_int) -> CudaStatus =
            unsafe { self.file.find("cusparseGetVersion")? };
        let mut version = 0;
        // SAFETY: it writes one integer.
        let status = unsafe { ask(self.handle, &mut version) };
        (status == 0).then(|| format!("{}.{}.{}", version / 1000, version / 100 % 10, version % 100))
    }
}
