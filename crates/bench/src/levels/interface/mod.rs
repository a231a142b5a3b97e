//! Other libraries through their C interfaces.
//!
//! A routine's row says which arguments its C function takes. [`spelling`] writes them as each interface has them, and
//! [`affinimath::vendor::call`] makes the call, so that a routine is not written once more for each library and type.

mod spelling;

use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath::vendor::call::{Caller, Returned, Word, caller, signature};
use affinimath::{Complex64, Scalar};
use opencl3::memory::{Buffer, ClMem};
use opencl3::types::cl_command_queue;

pub use self::spelling::{Addresses, Spelling};
use super::data::{Data, Results};
use super::routine::{Number, Routine, wide};
use crate::LAUNCHES_IN_FLIGHT;
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::peers::{
    CblasLibrary, ClBlastLibrary, CuBlasLibrary, CudaMemory, LibraryFile, OpenClSession, Peer, cusolver_has_no_blas,
};

/// Another library on the operands.
pub fn entrant<'a, T: Scalar>(data: &Arc<Data<T>>, peer: &'a Peer) -> Entrant<'a> {
    match peer {
        Peer::Faer => Err(faer()),
        Peer::Cblas(library) => Guest::prepare(library, data),
        Peer::ClBlast(library) => {
            let session = library.session()?;
            session.device.info().require(T::KIND)?;
            Guest::prepare(ClBlast { library, session, queue: Box::new(session.queue.get()) }, data)
        }
        Peer::CuBlas(library) => Guest::prepare(library, data),
        Peer::CuSolver(_) => Err(cusolver_has_no_blas()),
    }
}

/// Finds out before the first measurement that a peer is not the library it was taken for: it has none of the routines.
///
/// # Errors
/// [`BenchError::Symbol`], and [`BenchError::Options`] for faer.
pub fn require<T: Scalar>(peer: &Peer, routines: &[&'static Routine<T>]) -> Result<(), BenchError> {
    let (file, spelling, expected) = match peer {
        Peer::Faer => return Err(faer()),
        Peer::CuSolver(_) => return Err(cusolver_has_no_blas()),
        Peer::Cblas(library) => (library.file(), Spelling::Cblas, CblasLibrary::EXPECTED),
        Peer::ClBlast(library) => (library.file(), Spelling::ClBlast, ClBlastLibrary::EXPECTED),
        Peer::CuBlas(library) => (library.file(), Spelling::CuBlas, CuBlasLibrary::EXPECTED),
    };
    let mut symbols = routines.iter().map(|routine| spelling.symbol(routine));
    match symbols.clone().next() {
        Some(first) if symbols.all(|symbol| file.address(&symbol).is_none()) => Err(file.without(&first, expected)),
        _ => Ok(()),
    }
}

fn faer() -> BenchError {
    BenchError::Options("faer is measured by `affinimath bench gemm` only: give a CBLAS, CLBlast or cuBLAS".to_owned())
}

/// Interface of a library.
trait Interface {
    /// The names and arguments of its functions.
    const SPELLING: Spelling;
    /// The index that it calls the first element's.
    const FIRST_INDEX: f64;
    /// An operand's memory.
    type Memory<T: Copy>;

    /// Its file.
    fn file(&self) -> &LibraryFile;
    /// CLBlast's queue, by its address, or cuBLAS's handle.
    fn session(&self) -> *mut c_void;
    /// Memory with these elements.
    fn upload<T: Copy>(&self, data: &[T]) -> Result<Self::Memory<T>, BenchError>;
    /// Fills memory that was made from as many elements.
    fn write<T: Copy>(&self, memory: &mut Self::Memory<T>, data: &[T]) -> Result<(), BenchError>;
    /// A copy of the memory, when all calls are done.
    fn download<T: Copy>(&self, memory: &Self::Memory<T>, to: &mut [T]) -> Result<(), BenchError>;
    /// The memory as its functions take it.
    fn address<T: Copy>(memory: &mut Self::Memory<T>) -> *mut c_void;
    /// Prepares for calls of a reduction, or of something else.
    fn expect(&self, reduction: bool) -> Result<(), BenchError>;
    /// Waits until all calls are done.
    fn wait(&self) -> Result<(), BenchError>;
}

/// A library on the operands of a case.
struct Guest<I: Interface, T: Scalar> {
    interface: I,
    data: Arc<Data<T>>,
    operands: Vec<I::Memory<T>>,
    /// Result of a reduction, unless it is returned: large enough for any type.
    slot: I::Memory<Complex64>,
    symbol: String,
    function: *const c_void,
    caller: Caller<T>,
    words: Vec<Word<T>>,
    returned: Returned,
}

impl<'a, I: Interface + 'a, T: Scalar> Guest<I, T> {
    fn prepare(interface: I, data: &Arc<Data<T>>) -> Entrant<'a>
    where
        I::Memory<T>: 'a,
        I::Memory<Complex64>: 'a,
    {
        let symbol = I::SPELLING.symbol(data.routine);
        let lacks = || BenchError::Unfit(format!("{} has no {symbol}", interface.file().name()));
        let function = interface.file().address(&symbol).ok_or_else(lacks)?;
        let mut operands = Vec::new();
        for operand in &data.operands {
            operands.push(interface.upload(operand)?);
        }
        let mut slot = interface.upload(&[Complex64::ZERO])?;
        let addresses: Vec<*mut c_void> = operands.iter_mut().map(I::address).collect();
        let at = Addresses { operands: &addresses, result: I::address(&mut slot), session: interface.session() };
        let too_large =
            || BenchError::Unfit(format!("{}: its integers end before {}", interface.file().name(), data.n));
        let call = I::SPELLING.spell(data.routine, data.n, &at).ok_or_else(too_large)?;
        let caller = caller::<T, c_int>(&signature(&call.words, call.returned)).ok_or_else(lacks)?;
        let data = data.clone();
        let words = call.words;
        let returned = Returned::Nothing;
        Ok(Box::new(Guest { interface, data, operands, slot, symbol, function, caller, words, returned }))
    }

    /// The result of a reduction.
    fn number(&self, number: Number) -> Result<Complex64, BenchError> {
        let mut slot = [Complex64::ZERO];
        self.interface.download(&self.slot, &mut slot)?;
        let real = |value: f64| Complex64::new(value, 0.0);
        Ok(match (self.returned, number) {
            (Returned::Number(value), _) => real(value),
            (Returned::Index(index), _) => real(index as f64),
            (_, Number::Element) => wide(beginning::<T>(&slot)),
            (_, Number::Real) => wide(beginning::<T::RealScalar>(&slot)),
            (_, Number::Index) => real(f64::from(beginning::<u32>(&slot)) - I::FIRST_INDEX),
        })
    }
}

/// The result in its buffer: one of our element types, or an integer.
fn beginning<N: Copy>(slot: &[Complex64; 1]) -> N {
    assert!(size_of::<N>() <= size_of_val(slot));
    // SAFETY: the assertion checked the size, and all bits are valid for these types.
    unsafe { slot.as_ptr().cast::<N>().read_unaligned() }
}

impl<I: Interface, T: Scalar> Contender for Guest<I, T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        self.interface.expect(self.data.routine.number().is_some())?;
        let start = Instant::now();
        for launch in 1..=repetitions {
            // SAFETY: the words were written for this function: addresses of operands and their sizes. Nothing else
            // accesses the operands.
            self.returned = unsafe { (self.caller)(self.function, &self.words) };
            if let Returned::Status(status) = self.returned {
                self.interface.file().check(&self.symbol, status)?;
            }
            if launch % LAUNCHES_IN_FLIGHT == 0 {
                self.interface.wait()?;
            }
        }
        self.interface.wait()?;
        Ok(start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        let data = self.data.clone();
        for output in data.routine.outputs() {
            self.interface.write(&mut self.operands[output], &data.operands[output])?;
        }
        self.run(1)?;
        let mut results = Results { operands: vec![Vec::new(); self.operands.len()], number: Complex64::ZERO };
        for output in data.routine.outputs() {
            results.operands[output] = vec![T::ZERO; data.operands[output].len()];
            self.interface.download(&self.operands[output], &mut results.operands[output])?;
        }
        if let Some(number) = data.routine.number() {
            results.number = self.number(number)?;
        }
        Ok(data.accuracy(&results))
    }
}

impl Interface for &CblasLibrary {
    const SPELLING: Spelling = Spelling::Cblas;
    const FIRST_INDEX: f64 = 0.0;
    type Memory<T: Copy> = Vec<T>;

    fn file(&self) -> &LibraryFile {
        CblasLibrary::file(self)
    }
    fn session(&self) -> *mut c_void {
        std::ptr::null_mut()
    }
    fn upload<T: Copy>(&self, data: &[T]) -> Result<Vec<T>, BenchError> {
        Ok(data.to_vec())
    }
    fn write<T: Copy>(&self, memory: &mut Vec<T>, data: &[T]) -> Result<(), BenchError> {
        memory.copy_from_slice(data);
        Ok(())
    }
    fn download<T: Copy>(&self, memory: &Vec<T>, to: &mut [T]) -> Result<(), BenchError> {
        to.copy_from_slice(memory);
        Ok(())
    }
    fn address<T: Copy>(memory: &mut Vec<T>) -> *mut c_void {
        memory.as_mut_ptr().cast()
    }
    fn expect(&self, _reduction: bool) -> Result<(), BenchError> {
        Ok(())
    }
    fn wait(&self) -> Result<(), BenchError> {
        Ok(())
    }
}

/// CLBlast on its queue.
struct ClBlast<'a> {
    library: &'a ClBlastLibrary,
    session: &'a OpenClSession,
    /// CLBlast takes the queue's handle by its address, and only reads it.
    queue: Box<cl_command_queue>,
}

impl Interface for ClBlast<'_> {
    const SPELLING: Spelling = Spelling::ClBlast;
    const FIRST_INDEX: f64 = 0.0;
    type Memory<T: Copy> = Buffer<T>;

    fn file(&self) -> &LibraryFile {
        self.library.file()
    }
    fn session(&self) -> *mut c_void {
        (&raw const *self.queue).cast_mut().cast()
    }
    fn upload<T: Copy>(&self, data: &[T]) -> Result<Buffer<T>, BenchError> {
        self.session.upload(data)
    }
    fn write<T: Copy>(&self, memory: &mut Buffer<T>, data: &[T]) -> Result<(), BenchError> {
        self.session.write(memory, data)
    }
    fn download<T: Copy>(&self, memory: &Buffer<T>, to: &mut [T]) -> Result<(), BenchError> {
        self.session.download(memory, to)
    }
    fn address<T: Copy>(memory: &mut Buffer<T>) -> *mut c_void {
        memory.get()
    }
    fn expect(&self, _reduction: bool) -> Result<(), BenchError> {
        Ok(())
    }
    fn wait(&self) -> Result<(), BenchError> {
        self.session.finish()
    }
}

impl<'a> Interface for &'a CuBlasLibrary {
    const SPELLING: Spelling = Spelling::CuBlas;
    const FIRST_INDEX: f64 = 1.0;
    type Memory<T: Copy> = CudaMemory<'a>;

    fn file(&self) -> &LibraryFile {
        CuBlasLibrary::file(self)
    }
    fn session(&self) -> *mut c_void {
        self.handle()
    }
    fn upload<T: Copy>(&self, data: &[T]) -> Result<CudaMemory<'a>, BenchError> {
        CuBlasLibrary::upload(self, data)
    }
    fn write<T: Copy>(&self, memory: &mut CudaMemory<'a>, data: &[T]) -> Result<(), BenchError> {
        Ok(memory.write(data)?)
    }
    fn download<T: Copy>(&self, memory: &CudaMemory<'a>, to: &mut [T]) -> Result<(), BenchError> {
        Ok(memory.download(to)?)
    }
    fn address<T: Copy>(memory: &mut CudaMemory<'a>) -> *mut c_void {
        memory.address()
    }
    fn expect(&self, reduction: bool) -> Result<(), BenchError> {
        // Like our own reductions, without a wait of the host for each result. All other scalars come from the host.
        self.numbers_on_device(reduction)
    }
    fn wait(&self) -> Result<(), BenchError> {
        self.synchronize()
    }
}
