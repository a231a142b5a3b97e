//! CUDA's driver (`libcuda.so.1`), which comes with every NVIDIA GPU: a context, memory and copies, without any CUDA
//! runtime.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::ptr;

use super::file::{LibraryFile, text};
use crate::error::{Error, Result};

/// Status of CUDA's and cuBLAS's functions: 0 is success.
pub type Status = c_int;
type DevicePointer = u64;
type Event = *mut c_void;

const OUT_OF_MEMORY: Status = 2;
/// CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT.
const MULTIPROCESSORS: c_int = 16;
/// CU_EVENT_DISABLE_TIMING.
const WITHOUT_TIMING: c_uint = 2;

/// The driver's functions that are needed (the `_v2` ones are those that cuda.h calls by the plain names), and the
/// primary context of a GPU, which cuBLAS uses too.
#[derive(Debug)]
pub struct Cuda {
    file: LibraryFile,
    context: *mut c_void,
    device: String,
    multiprocessors: usize,
    push: unsafe extern "C" fn(*mut c_void) -> Status,
    pop: unsafe extern "C" fn(*mut *mut c_void) -> Status,
    allocate: unsafe extern "C" fn(*mut DevicePointer, usize) -> Status,
    free: unsafe extern "C" fn(DevicePointer) -> Status,
    write: unsafe extern "C" fn(DevicePointer, *const c_void, usize) -> Status,
    read: unsafe extern "C" fn(*mut c_void, DevicePointer, usize) -> Status,
    write_async: unsafe extern "C" fn(DevicePointer, *const c_void, usize, *mut c_void) -> Status,
    read_async: unsafe extern "C" fn(*mut c_void, DevicePointer, usize, *mut c_void) -> Status,
    allocate_pinned: unsafe extern "C" fn(*mut *mut c_void, usize, c_uint) -> Status,
    create_event: unsafe extern "C" fn(*mut Event, c_uint) -> Status,
    record_event: unsafe extern "C" fn(Event, *mut c_void) -> Status,
    wait_event: unsafe extern "C" fn(Event) -> Status,
    synchronize: unsafe extern "C" fn() -> Status,
}

// SAFETY: the driver's functions may be called by any thread; the context is made current by each call that needs it.
unsafe impl Send for Cuda {}
// SAFETY: as above.
unsafe impl Sync for Cuda {}

/// While it lives, the context is the thread's current one.
#[derive(Debug)]
pub struct Current<'a>(&'a Cuda);

impl Drop for Current<'_> {
    fn drop(&mut self) {
        let mut popped = ptr::null_mut();
        // SAFETY: the context was pushed by this thread. A failure has nobody to hear of it.
        let _ = unsafe { (self.0.pop)(&mut popped) };
    }
}

impl Cuda {
    /// The GPU called `name`, or else the first one.
    ///
    /// # Errors
    /// [`Error::VendorLibrary`] when there is no driver or no GPU, [`Error::VendorCall`] with CUDA's code.
    pub fn load(name: &str) -> Result<Self> {
        let path = Path::new("libcuda.so.1");
        let file = LibraryFile::open(path)?;
        let (context, device, multiprocessors) = primary_context(&file, name)?;
        // SAFETY: the types are those of cuda.h.
        unsafe {
            Ok(Cuda {
                context,
                device,
                multiprocessors,
                push: file.function("cuCtxPushCurrent_v2")?,
                pop: file.function("cuCtxPopCurrent_v2")?,
                allocate: file.function("cuMemAlloc_v2")?,
                free: file.function("cuMemFree_v2")?,
                write: file.function("cuMemcpyHtoD_v2")?,
                read: file.function("cuMemcpyDtoH_v2")?,
                write_async: file.function("cuMemcpyHtoDAsync_v2")?,
                read_async: file.function("cuMemcpyDtoHAsync_v2")?,
                allocate_pinned: file.function("cuMemHostAlloc")?,
                create_event: file.function("cuEventCreate")?,
                record_event: file.function("cuEventRecord")?,
                wait_event: file.function("cuEventSynchronize")?,
                synchronize: file.function("cuCtxSynchronize")?,
                file,
            })
        }
    }

    /// The GPU's name.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Its multiprocessors.
    pub const fn multiprocessors(&self) -> usize {
        self.multiprocessors
    }

    /// Makes the context the thread's current one.
    ///
    /// # Errors
    /// [`Error::VendorCall`] with CUDA's code.
    pub fn enter(&self) -> Result<Current<'_>> {
        // SAFETY: the context is valid.
        check(&self.file, "cuCtxPushCurrent", unsafe { (self.push)(self.context) })?;
        Ok(Current(self))
    }

    /// Waits until the GPU has done everything.
    ///
    /// # Errors
    /// [`Error::VendorCall`] with CUDA's code.
    pub fn synchronize(&self, _current: &Current<'_>) -> Result<()> {
        // SAFETY: a context is current.
        check(&self.file, "cuCtxSynchronize", unsafe { (self.synchronize)() })
    }

    /// Memory of so many bytes, at least one.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`], or [`Error::VendorCall`] with CUDA's code.
    pub fn allocate(&self, _current: &Current<'_>, bytes: usize) -> Result<CudaMemory<'_>> {
        let mut pointer = 0;
        // SAFETY: the pointer is that of a local variable.
        match unsafe { (self.allocate)(&mut pointer, bytes.max(1)) } {
            OUT_OF_MEMORY => Err(Error::OutOfDeviceMemory { bytes: bytes as u64, purpose: "an operand for cuBLAS" }),
            status => {
                check(&self.file, "cuMemAlloc", status)?;
                Ok(CudaMemory { cuda: self, pointer, bytes })
            }
        }
    }

    /// A piece of pinned memory, which is never freed.
    pub(super) fn pinned(&self, _current: &Current<'_>, bytes: usize) -> Result<Pinned> {
        let (mut address, mut event) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: both pointers are those of local variables.
        unsafe {
            check(&self.file, "cuMemHostAlloc", (self.allocate_pinned)(&mut address, bytes, 0))?;
            check(&self.file, "cuEventCreate", (self.create_event)(&mut event, WITHOUT_TIMING))?;
        }
        Ok(Pinned { address: address.cast(), event })
    }
}

/// A piece of pinned memory, and the event of the last copy that uses it.
#[derive(Debug)]
pub(super) struct Pinned {
    pub(super) address: *mut u8,
    event: Event,
}

/// A piece of the GPU's memory.
#[derive(Debug)]
pub struct CudaMemory<'a> {
    cuda: &'a Cuda,
    pointer: DevicePointer,
    bytes: usize,
}

impl CudaMemory<'_> {
    /// Its address, which means nothing on the host.
    pub const fn address(&self) -> *mut c_void {
        self.pointer as *mut c_void
    }

    /// Its size.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Fills its beginning.
    ///
    /// # Errors
    /// [`Error::VendorCall`] with CUDA's code.
    pub fn write<T: Copy>(&mut self, data: &[T]) -> Result<()> {
        assert!(size_of_val(data) <= self.bytes);
        // SAFETY: the memory is large enough; the copy is done on return.
        let status = unsafe { (self.cuda.write)(self.pointer, data.as_ptr().cast(), size_of_val(data)) };
        check(&self.cuda.file, "cuMemcpyHtoD", status)
    }

    /// A copy of its beginning, after everything before is done.
    ///
    /// # Errors
    /// [`Error::VendorCall`] with CUDA's code.
    pub fn download<T: Copy>(&self, to: &mut [T]) -> Result<()> {
        assert!(size_of_val(to) <= self.bytes);
        // SAFETY: the memory holds the bytes; the copy is done on return.
        let status = unsafe { (self.cuda.read)(to.as_mut_ptr().cast(), self.pointer, size_of_val(to)) };
        check(&self.cuda.file, "cuMemcpyDtoH", status)
    }

    /// Begins to copy from a pinned piece to byte `offset` of this memory.
    ///
    /// # Safety
    /// The piece must hold the bytes, and stay as it is until it is waited for.
    pub(super) unsafe fn begin_write(&self, offset: usize, chunk: &Pinned, bytes: usize) -> Result<()> {
        assert!(offset + bytes <= self.bytes);
        let to = self.pointer + offset as DevicePointer;
        // SAFETY: by contract, the piece holds the bytes and stays as it is; the range was asserted to lie within.
        let status = unsafe { (self.cuda.write_async)(to, chunk.address.cast(), bytes, ptr::null_mut()) };
        check(&self.cuda.file, "cuMemcpyHtoDAsync", status)?;
        self.record(chunk)
    }

    /// Begins to copy from byte `offset` of this memory to a pinned piece, after everything before is done.
    ///
    /// # Safety
    /// The piece must hold the bytes, and not be touched until it is waited for.
    pub(super) unsafe fn begin_read(&self, offset: usize, chunk: &Pinned, bytes: usize) -> Result<()> {
        assert!(offset + bytes <= self.bytes);
        let from = self.pointer + offset as DevicePointer;
        // SAFETY: by contract, the piece holds the bytes and is not touched; the range was asserted to lie within.
        let status = unsafe { (self.cuda.read_async)(chunk.address.cast(), from, bytes, ptr::null_mut()) };
        check(&self.cuda.file, "cuMemcpyDtoHAsync", status)?;
        self.record(chunk)
    }

    fn record(&self, chunk: &Pinned) -> Result<()> {
        // SAFETY: the event is the piece's own, and a context is current.
        check(&self.cuda.file, "cuEventRecord", unsafe { (self.cuda.record_event)(chunk.event, ptr::null_mut()) })
    }
}

impl Drop for CudaMemory<'_> {
    fn drop(&mut self) {
        // SAFETY: the memory is ours, and freeing it waits for what uses it. A failure has nobody to hear of it.
        let _ = unsafe { (self.cuda.free)(self.pointer) };
    }
}

impl Pinned {
    /// Waits for the last copy that uses it; one that no copy has used is free.
    pub(super) fn wait(&self, cuda: &Cuda) -> Result<()> {
        // SAFETY: the event is the piece's own.
        check(&cuda.file, "cuEventSynchronize", unsafe { (cuda.wait_event)(self.event) })
    }
}

/// A failed call as an error.
pub(super) fn check(file: &LibraryFile, call: &str, status: Status) -> Result<()> {
    match status {
        0 => Ok(()),
        code => Err(Error::VendorCall { library: file.path().display().to_string(), call: call.to_owned(), code }),
    }
}

/// The primary context of the GPU called `name`, or else of the first one; its name and its multiprocessors.
fn primary_context(file: &LibraryFile, name: &str) -> Result<(*mut c_void, String, usize)> {
    type Init = unsafe extern "C" fn(c_uint) -> Status;
    type GetCount = unsafe extern "C" fn(*mut c_int) -> Status;
    type GetDevice = unsafe extern "C" fn(*mut c_int, c_int) -> Status;
    type GetName = unsafe extern "C" fn(*mut c_char, c_int, c_int) -> Status;
    type GetAttribute = unsafe extern "C" fn(*mut c_int, c_int, c_int) -> Status;
    type RetainContext = unsafe extern "C" fn(*mut *mut c_void, c_int) -> Status;
    // SAFETY: the types are those of cuda.h; every pointer is that of a local variable with room for what is written.
    unsafe {
        check(file, "cuInit", file.function::<Init>("cuInit")?(0))?;
        let mut count = 0;
        check(file, "cuDeviceGetCount", file.function::<GetCount>("cuDeviceGetCount")?(&mut count))?;
        let (get, get_name) =
            (file.function::<GetDevice>("cuDeviceGet")?, file.function::<GetName>("cuDeviceGetName")?);
        let mut chosen: Option<(c_int, String)> = None;
        for ordinal in 0..count {
            let (mut device, mut buffer) = (0, [0 as c_char; 256]);
            check(file, "cuDeviceGet", get(&mut device, ordinal))?;
            check(file, "cuDeviceGetName", get_name(buffer.as_mut_ptr(), 255, device))?;
            let its_name = text(buffer.as_ptr()).unwrap_or_default();
            let is_it = its_name == name;
            if chosen.is_none() || is_it {
                chosen = Some((device, its_name));
            }
            if is_it {
                break;
            }
        }
        let Some((device, its_name)) = chosen else {
            return Err(Error::vendor_library(file.path(), "it knows no GPU on this machine"));
        };
        let mut multiprocessors = 0;
        let attribute = file.function::<GetAttribute>("cuDeviceGetAttribute")?;
        check(file, "cuDeviceGetAttribute", attribute(&mut multiprocessors, MULTIPROCESSORS, device))?;
        let mut context = ptr::null_mut();
        let retain = file.function::<RetainContext>("cuDevicePrimaryCtxRetain")?;
        check(file, "cuDevicePrimaryCtxRetain", retain(&mut context, device))?;
        Ok((context, its_name, usize::try_from(multiprocessors).unwrap_or(1)))
    }
}
