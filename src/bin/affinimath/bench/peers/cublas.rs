//! cuBLAS, with device memory through CUDA's driver (libcuda.so.1): the driver comes with every NVIDIA GPU, so that no CUDA
//! runtime of a matching version has to be found.

use std::ffi::c_void;
use std::os::raw::{c_char, c_int, c_uint};
use std::path::PathBuf;
use std::ptr;

use affinimath::vendor::text;

use super::LibraryFile;
use crate::bench::error::BenchError;
use crate::bench::options::PeerSpec;
use crate::bench::report::ContenderFacts;
use crate::bench::target::{MemoryChoice, Target};

/// What CUDA's and cuBLAS's functions return: 0 is success.
pub type Status = c_int;
/// `cublasHandle_t`.
pub type Handle = *mut c_void;
type DevicePointer = u64;

/// cuBLAS on a GPU.
pub struct CuBlasLibrary {
    file: LibraryFile,
    driver: Driver,
    handle: Handle,
    device: String,
}

impl CuBlasLibrary {
    /// What a file without one of its functions is asked to be.
    pub const EXPECTED: &str = "cuBLAS";

    /// Its file.
    pub const fn file(&self) -> &LibraryFile {
        &self.file
    }

    /// cuBLAS on the GPU with the name of our library's device, or else on the first one.
    pub(super) fn new(file: LibraryFile, target: &Target) -> Result<Self, BenchError> {
        let driver = Driver::load()?;
        let ours = target.facts().map_or("", |facts| facts.name.as_str());
        let device = driver.use_device(ours)?;
        let mut handle = ptr::null_mut();
        // SAFETY: cublasStatus_t cublasCreate_v2(cublasHandle_t *handle), called with a context current.
        unsafe {
            let create: unsafe extern "C" fn(*mut Handle) -> Status = file.function("cublasCreate_v2", "cuBLAS")?;
            file.check("cublasCreate_v2", create(&mut handle))?;
        }
        Ok(CuBlasLibrary { file, driver, handle, device })
    }

    /// A function of cuBLAS.
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

    /// The handle that cuBLAS's functions take first. Its scalars are read from the host's memory, as is the default.
    pub const fn handle(&self) -> Handle {
        self.handle
    }

    /// A size as cuBLAS takes it.
    ///
    /// # Errors
    /// [`BenchError::Unfit`] when it is too large.
    pub fn integer(&self, size: usize) -> Result<c_int, BenchError> {
        let too_large = |_| BenchError::Unfit(format!("{}: its integers end before {size}", self.file.name()));
        c_int::try_from(size).map_err(too_large)
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
    /// [`BenchError::Peer`] with CUDA's code.
    pub fn upload<T>(&self, data: &[T]) -> Result<CudaMemory<'_>, BenchError> {
        let mut memory = CudaMemory { driver: &self.driver, pointer: 0 };
        // SAFETY: the pointer is that of a local variable.
        let status = unsafe { (self.driver.allocate)(&mut memory.pointer, size_of_val(data).max(1)) };
        self.driver.check("cuMemAlloc", status)?;
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
    /// [`BenchError::Peer`] with CUDA's code.
    pub fn synchronize(&self) -> Result<(), BenchError> {
        // SAFETY: the context is current on the program's only benchmarking thread.
        self.driver.check("cuCtxSynchronize", unsafe { (self.driver.synchronize)() })
    }

    pub(super) fn facts(&self) -> ContenderFacts {
        ContenderFacts {
            name: self.file.name().to_owned(),
            version: Some(format!("cuBLAS {} on {}", self.version(), self.device)),
            threads: None,
            path: Some(self.file.path().to_owned()),
            memory: MemoryChoice::Device,
        }
    }

    fn version(&self) -> String {
        let mut version = 0;
        // SAFETY: cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version).
        unsafe {
            if let Some(get) =
                self.file.find::<unsafe extern "C" fn(Handle, *mut c_int) -> Status>("cublasGetVersion_v2")
            {
                get(self.handle, &mut version);
            }
        }
        match version {
            // Since release 10: 10000 major + 100 minor + patch.
            100_000.. => format!("{}.{}.{}", version / 10_000, version / 100 % 100, version % 100),
            _ => version.to_string(),
        }
    }
}

/// A piece of the GPU's memory.
pub struct CudaMemory<'a> {
    driver: &'a Driver,
    pointer: DevicePointer,
}

impl CudaMemory<'_> {
    /// Its address, which means nothing on the host.
    pub const fn address(&self) -> *mut c_void {
        self.pointer as *mut c_void
    }

    /// Fills it with as many elements as it was made from.
    ///
    /// # Errors
    /// [`BenchError::Peer`] with CUDA's code.
    pub fn write<T>(&mut self, data: &[T]) -> Result<(), BenchError> {
        // SAFETY: the memory was made from as many elements; the copy is done on return.
        let status = unsafe { (self.driver.write)(self.pointer, data.as_ptr().cast(), size_of_val(data)) };
        self.driver.check("cuMemcpyHtoD", status)
    }

    /// A copy of it, after everything before is done.
    ///
    /// # Errors
    /// [`BenchError::Peer`] with CUDA's code.
    pub fn download<T>(&self, to: &mut [T]) -> Result<(), BenchError> {
        // SAFETY: the memory was made from as many elements; the copy is done on return.
        let status = unsafe { (self.driver.read)(to.as_mut_ptr().cast(), self.pointer, size_of_val(to)) };
        self.driver.check("cuMemcpyDtoH", status)
    }
}

impl Drop for CudaMemory<'_> {
    fn drop(&mut self) {
        if self.pointer != 0 {
            // SAFETY: the memory is ours, and freeing it waits for what uses it. A failure has nobody to hear of it.
            let _ = unsafe { (self.driver.free)(self.pointer) };
        }
    }
}

/// The functions of CUDA's driver that are needed; the `_v2` ones are those that cuda.h calls by the plain names.
struct Driver {
    file: LibraryFile,
    allocate: unsafe extern "C" fn(*mut DevicePointer, usize) -> Status,
    free: unsafe extern "C" fn(DevicePointer) -> Status,
    write: unsafe extern "C" fn(DevicePointer, *const c_void, usize) -> Status,
    read: unsafe extern "C" fn(*mut c_void, DevicePointer, usize) -> Status,
    synchronize: unsafe extern "C" fn() -> Status,
}

const DRIVER: &str = "CUDA's driver";

impl Driver {
    fn load() -> Result<Self, BenchError> {
        let spec = PeerSpec { name: DRIVER.to_owned(), paths: vec![PathBuf::from("libcuda.so.1")] };
        let file = LibraryFile::open(&spec)?;
        // SAFETY: the types are those of cuda.h.
        unsafe {
            Ok(Driver {
                allocate: file.function("cuMemAlloc_v2", DRIVER)?,
                free: file.function("cuMemFree_v2", DRIVER)?,
                write: file.function("cuMemcpyHtoD_v2", DRIVER)?,
                read: file.function("cuMemcpyDtoH_v2", DRIVER)?,
                synchronize: file.function("cuCtxSynchronize", DRIVER)?,
                file,
            })
        }
    }

    fn check(&self, call: &str, status: Status) -> Result<(), BenchError> {
        self.file.check(call, status)
    }

    /// Makes the primary context of the GPU called `name`, or else of the first one, current; it is the context that
    /// cuBLAS uses too. Returns the GPU's name.
    fn use_device(&self, name: &str) -> Result<String, BenchError> {
        type Init = unsafe extern "C" fn(c_uint) -> Status;
        type GetCount = unsafe extern "C" fn(*mut c_int) -> Status;
        type GetDevice = unsafe extern "C" fn(*mut c_int, c_int) -> Status;
        type RetainContext = unsafe extern "C" fn(*mut *mut c_void, c_int) -> Status;
        type SetContext = unsafe extern "C" fn(*mut c_void) -> Status;
        let file = &self.file;
        // SAFETY: the types are those of cuda.h; every pointer is that of a local variable.
        unsafe {
            self.check("cuInit", file.function::<Init>("cuInit", DRIVER)?(0))?;
            let mut count = 0;
            self.check("cuDeviceGetCount", file.function::<GetCount>("cuDeviceGetCount", DRIVER)?(&mut count))?;
            let get = file.function::<GetDevice>("cuDeviceGet", DRIVER)?;
            let mut chosen = None;
            for ordinal in 0..count {
                let mut device = 0;
                self.check("cuDeviceGet", get(&mut device, ordinal))?;
                let its_name = self.device_name(device)?;
                if chosen.is_none() || its_name == name {
                    chosen = Some((device, its_name));
                }
                if chosen.as_ref().is_some_and(|(_, chosen)| chosen == name) {
                    break;
                }
            }
            let Some((device, its_name)) = chosen else {
                return Err(BenchError::Unfit("CUDA's driver knows no GPU on this machine".to_owned()));
            };
            let mut context = ptr::null_mut();
            let retain = file.function::<RetainContext>("cuDevicePrimaryCtxRetain", DRIVER)?;
            self.check("cuDevicePrimaryCtxRetain", retain(&mut context, device))?;
            self.check("cuCtxSetCurrent", file.function::<SetContext>("cuCtxSetCurrent", DRIVER)?(context))?;
            Ok(its_name)
        }
    }

    fn device_name(&self, device: c_int) -> Result<String, BenchError> {
        type GetName = unsafe extern "C" fn(*mut c_char, c_int, c_int) -> Status;
        let mut buffer = [0 as c_char; 256];
        // SAFETY: the type is that of cuda.h; the length leaves room for a final zero.
        unsafe {
            let get = self.file.function::<GetName>("cuDeviceGetName", DRIVER)?;
            self.check("cuDeviceGetName", get(buffer.as_mut_ptr(), 255, device))?;
            Ok(text(buffer.as_ptr()).unwrap_or_default())
        }
    }
}
