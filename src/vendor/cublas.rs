//! cuBLAS on the host's matrices and vectors, which go to the GPU and back through pinned memory.

use std::ffi::{c_int, c_void};
use std::path::Path;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use super::call::{Integer, Returned, caller};
use super::cuda::{Cuda, CudaMemory, Current, Pinned, Status, check};
use super::file::LibraryFile;
use super::functions::{Functions, call};
use super::request::{Interface, Operand, Request, ResultSlot, Returns};
use super::{Number, Ran};
use crate::error::{Error, Result};
use crate::scalar::Scalar;
use crate::transfer::HostRuns;

/// `cublasHandle_t`.
type Handle = *mut c_void;

/// The files that `AFFINIMATH_CUBLAS=auto` looks for.
const KNOWN: [&str; 4] = ["libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"];
/// Bytes of a pinned piece, of which two take turns.
const PIECE: usize = 8 << 20;

/// cuBLAS on a GPU.
#[derive(Debug)]
pub struct CuBlas {
    file: LibraryFile,
    cuda: &'static Cuda,
    functions: Functions,
    /// One call at a time: the handle is not to be shared.
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    handle: Handle,
    pieces: [Pinned; 2],
    /// Memory of earlier calls, kept for later ones.
    idle: Vec<CudaMemory<'static>>,
}

// SAFETY: the handle and the pieces are used by one thread at a time.
unsafe impl Send for State {}

impl CuBlas {
    /// Loads a file, for the GPU called `device` or else the first one.
    ///
    /// # Errors
    /// [`Error::VendorLibrary`] when the file is not cuBLAS or there is no GPU, [`Error::VendorCall`] with CUDA's code.
    pub fn load(path: &Path, device: &str) -> Result<Self> {
        let cuda: &'static Cuda = Box::leak(Box::new(Cuda::load(device)?));
        let file = LibraryFile::open(path)?;
        let current = cuda.enter()?;
        let mut handle = ptr::null_mut();
        // SAFETY: cublasStatus_t cublasCreate_v2(cublasHandle_t *handle), called with a context current.
        unsafe {
            let create: unsafe extern "C" fn(*mut Handle) -> Status = file.function("cublasCreate_v2")?;
            check(&file, "cublasCreate_v2", create(&mut handle))?;
        }
        let pieces = [cuda.pinned(&current, PIECE)?, cuda.pinned(&current, PIECE)?];
        let state = Mutex::new(State { handle, pieces, idle: Vec::new() });
        drop(current);
        Ok(CuBlas { file, cuda, functions: Functions::new(), state })
    }

    /// The first of the files that are usually there; `None` when none can be used.
    pub fn find(device: &str) -> Option<Self> {
        KNOWN.into_iter().find_map(|name| match CuBlas::load(Path::new(name), device) {
            Ok(library) => Some(library),
            Err(error) => {
                tracing::info!("{error}");
                None
            }
        })
    }

    /// Its file.
    pub const fn file(&self) -> &LibraryFile {
        &self.file
    }

    /// The GPU.
    pub const fn cuda(&self) -> &'static Cuda {
        self.cuda
    }

    /// The handle that its functions take first.
    pub fn handle(&self) -> *mut c_void {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).handle
    }

    /// Its version and its GPU.
    pub fn version(&self) -> String {
        type GetVersion = unsafe extern "C" fn(Handle, *mut c_int) -> Status;
        let mut version = 0;
        // SAFETY: cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version).
        unsafe {
            if let Some(get) = self.file.find::<GetVersion>("cublasGetVersion_v2") {
                get(self.handle(), &mut version);
            }
        }
        let version = match version {
            // Since release 10: 10000 major + 100 minor + patch.
            100_000.. => format!("{}.{}.{}", version / 10_000, version / 100 % 100, version % 100),
            _ => version.to_string(),
        };
        format!("cuBLAS {version} on {}", self.cuda.device())
    }

    /// A request to write a call in.
    pub(super) fn request<T: Scalar>(&self, slot: &mut ResultSlot) -> Request<T> {
        Request::new(Interface::CuBlas, c_int::LARGEST, slot)
    }

    /// The name of the function for a request.
    pub(super) fn symbol<T: Scalar>(&self, request: &Request<T>) -> String {
        let name = request.routine().name(T::KIND, |letter| *letter);
        // cublasIsamax, and not cublasiSamax.
        let name = name.strip_prefix('i').map_or(name.clone(), |rest| format!("I{}", rest.to_ascii_lowercase()));
        format!("cublas{name}_v2")
    }

    /// Makes the call, if the library has the function.
    ///
    /// # Errors
    /// [`Error::VendorCall`], [`Error::OutOfDeviceMemory`].
    ///
    /// # Safety
    /// The request's operands must be valid, and those that it writes nobody else's.
    pub(super) unsafe fn run<T: Scalar>(&self, request: &mut Request<T>, slot: &ResultSlot) -> Result<Ran<T>> {
        let found = self.functions.get::<T>(request.routine(), || {
            let address = self.file.address(&self.symbol(request))?;
            Some((address, caller::<T, c_int>(&request.signature())?))
        });
        let Some(function) = found else { return Ok(Ran::Lacks) };
        let current = self.cuda.enter()?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut memories = Vec::new();
        let operands: Vec<Operand> = request.operands().copied().collect();
        let result = (|| {
            for operand in &operands {
                let memory = state.take(self.cuda, &current, operand.count * operand.bytes)?;
                request.set_address(operand.word, memory.address());
                if let Some(again) = operand.again {
                    request.set_address(again, memory.address());
                }
                if operand.access.reads {
                    // SAFETY: by contract, the request's operands are valid.
                    unsafe { state.upload(self.cuda, &memory, runs(operand))? };
                }
                memories.push(memory);
            }
            request.set_address(0, state.handle);
            // SAFETY: the words were written for the function, and name memory of the operands' sizes.
            match unsafe { call(function, request) } {
                Returned::Status(status) => check(&self.file, &self.symbol(request), status)?,
                _ => return Err(Error::Internal("cuBLAS's functions return a status".to_owned())),
            }
            for (operand, memory) in operands.iter().zip(&memories) {
                if operand.access.writes {
                    // SAFETY: as above.
                    unsafe { state.download(self.cuda, memory, runs(operand))? };
                }
            }
            // A number that lies on the host is there when the function returns.
            self.cuda.synchronize(&current)
        })();
        if result.is_err() {
            // The first error is the one to report; the memory must not be in use any more.
            let _ = self.cuda.synchronize(&current);
        }
        state.keep(memories);
        result?;
        Ok(Ran::Done(match request.returns() {
            Returns::Nothing => Number::None,
            Returns::Element => Number::Element(slot.number()),
            Returns::Real => Number::Real(slot.number::<T::RealScalar>().into()),
            Returns::Double => Number::Real(slot.number::<f64>()),
            Returns::Index => Number::Index(slot.index()),
        }))
    }
}

fn runs(operand: &Operand) -> HostRuns {
    HostRuns { start: operand.start.cast(), count: operand.count, length: operand.bytes, pitch: operand.pitch }
}

/// Bytes that are kept between calls, at most.
const MAX_CACHED_BYTES: usize = 1 << 30;

impl State {
    /// Memory of at least so many bytes: the smallest idle one that is not too large, or a new one.
    fn take(&mut self, cuda: &'static Cuda, current: &Current<'_>, bytes: usize) -> Result<CudaMemory<'static>> {
        let fits = |memory: &CudaMemory<'_>| (bytes..=bytes.saturating_mul(2).max(1 << 20)).contains(&memory.bytes());
        let fitting = (0..self.idle.len()).filter(|&index| fits(&self.idle[index]));
        if let Some(index) = fitting.min_by_key(|&index| self.idle[index].bytes()) {
            return Ok(self.idle.swap_remove(index));
        }
        match cuda.allocate(current, bytes) {
            Err(Error::OutOfDeviceMemory { .. }) if !self.idle.is_empty() => {
                self.idle.clear();
                cuda.allocate(current, bytes)
            }
            result => result,
        }
    }

    fn keep(&mut self, memories: Vec<CudaMemory<'static>>) {
        self.idle.extend(memories);
        while self.idle.iter().map(CudaMemory::bytes).sum::<usize>() > MAX_CACHED_BYTES {
            self.idle.remove(0);
        }
    }

    /// # Safety
    /// The runs must be valid.
    unsafe fn upload(&self, cuda: &Cuda, to: &CudaMemory<'_>, runs: HostRuns) -> Result<()> {
        for (index, from) in (0..runs.bytes()).step_by(PIECE).enumerate() {
            let (piece, end) = (&self.pieces[index % 2], runs.bytes().min(from + PIECE));
            piece.wait(cuda)?;
            // SAFETY: by contract, the runs are valid; `wait` ended the last copy of the piece.
            unsafe {
                runs.copy_by_threads(from, end, piece.address, true);
                to.begin_write(from, piece, end - from)?;
            }
        }
        Ok(())
    }

    /// # Safety
    /// The runs must be valid, and nobody else's.
    unsafe fn download(&self, cuda: &Cuda, memory: &CudaMemory<'_>, runs: HostRuns) -> Result<()> {
        let total = runs.bytes();
        let begin = |index: usize| {
            let (piece, from) = (&self.pieces[index % 2], index * PIECE);
            piece.wait(cuda)?;
            // SAFETY: no copy uses the piece, and it is waited for below.
            unsafe { memory.begin_read(from, piece, PIECE.min(total - from)) }
        };
        let count = total.div_ceil(PIECE);
        for index in 0..count.min(2) {
            begin(index)?;
        }
        for index in 0..count {
            let (piece, from) = (&self.pieces[index % 2], index * PIECE);
            piece.wait(cuda)?;
            // SAFETY: by contract, the runs are valid, and nobody else's; `wait` ended the read into the piece.
            unsafe { runs.copy_by_threads(from, total.min(from + PIECE), piece.address, false) };
            if index + 2 < count {
                begin(index + 2)?;
            }
        }
        Ok(())
    }
}
