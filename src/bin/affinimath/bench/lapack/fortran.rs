//! Any library with LAPACK's Fortran names (32-bit integers), such as OpenBLAS.

use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath::{Scalar, ScalarKind};

use super::data::{Data, Results};
use super::routine::Routine;
use crate::bench::contender::{Accuracy, Contender, Entrant};
use crate::bench::error::BenchError;
use crate::bench::peers::{CblasLibrary, LibraryFile};

const EXPECTED: &str = "a LAPACK under Fortran's names, with 32-bit integers";

type Integer = *const c_int;
type Elements = *mut c_void;
/// The length of a character argument, as gfortran passes it.
type Length = usize;

type Getrf = unsafe extern "C" fn(Integer, Integer, Elements, Integer, *mut c_int, *mut c_int);
type Potrf = unsafe extern "C" fn(*const c_char, Integer, Elements, Integer, *mut c_int, Length);
type Trtri = unsafe extern "C" fn(*const c_char, *const c_char, Integer, Elements, Integer, *mut c_int, Length, Length);
type Geqrf = unsafe extern "C" fn(Integer, Integer, Elements, Integer, Elements, Elements, Integer, *mut c_int);
type Getri = unsafe extern "C" fn(Integer, Elements, Integer, *const c_int, Elements, Integer, *mut c_int);

/// A routine of the library.
#[derive(Clone, Copy)]
enum Function {
    Getrf(Getrf),
    /// potri has the same arguments.
    Potrf(Potrf),
    Geqrf(Geqrf),
    Getri(Getri),
    Trtri(Trtri),
}

impl Function {
    fn find(file: &LibraryFile, routine: Routine, kind: ScalarKind) -> Result<Self, BenchError> {
        let symbol = format!("{}{}_", kind.letter().to_ascii_lowercase(), routine.name());
        // SAFETY: the types are those of LAPACK's routines, as gfortran compiles them.
        unsafe {
            Ok(match routine {
                Routine::Getrf => Function::Getrf(file.function(&symbol, EXPECTED)?),
                Routine::Potrf | Routine::Potri => Function::Potrf(file.function(&symbol, EXPECTED)?),
                Routine::Geqrf => Function::Geqrf(file.function(&symbol, EXPECTED)?),
                Routine::Getri => Function::Getri(file.function(&symbol, EXPECTED)?),
                Routine::Trtri => Function::Trtri(file.function(&symbol, EXPECTED)?),
            })
        }
    }
}

/// Whether the library has a routine for a type.
///
/// # Errors
/// [`BenchError::Symbol`].
pub fn require(library: &CblasLibrary, routine: Routine, kind: ScalarKind) -> Result<(), BenchError> {
    Function::find(library.file(), routine, kind).map(drop)
}

/// The library on a copy of the matrix.
pub fn entrant<'a, T: Scalar>(data: &Arc<Data<T>>, library: &'a CblasLibrary) -> Entrant<'a> {
    let mut guest = Guest {
        name: library.file().name(),
        function: Function::find(library.file(), data.routine, T::KIND)?,
        n: library.integer(data.n)?,
        a: data.start.clone(),
        pivots: if data.pivots.is_empty() { vec![0; data.n] } else { data.pivots.clone() },
        tau: vec![T::ZERO; data.n],
        work: vec![T::ZERO; 1],
        data: data.clone(),
    };
    guest.call(-1)?;
    let best = guest.work[0].re().max(1.0) as usize;
    guest.work = vec![T::ZERO; best];
    Ok(Box::new(guest))
}

struct Guest<'a, T> {
    name: &'a str,
    function: Function,
    n: c_int,
    data: Arc<Data<T>>,
    a: Vec<T>,
    pivots: Vec<c_int>,
    tau: Vec<T>,
    work: Vec<T>,
}

impl<T: Scalar> Guest<'_, T> {
    /// One call, or with -1 a question for the workspace; routines that need none are not asked.
    fn call(&mut self, lwork: c_int) -> Result<(), BenchError> {
        let (n, mut info) = (&raw const self.n, 0);
        let letter = |letter: &'static [u8; 1]| letter.as_ptr().cast::<c_char>();
        let (a, pivots) = (self.a.as_mut_ptr().cast::<c_void>(), self.pivots.as_mut_ptr());
        let (tau, work) = (self.tau.as_mut_ptr().cast(), self.work.as_mut_ptr().cast());
        let asks = lwork == -1;
        // SAFETY: the matrix has n x n elements, there are n pivots and n factors, and the workspace has `lwork` elements.
        unsafe {
            match self.function {
                Function::Geqrf(geqrf) => geqrf(n, n, a, n, tau, work, &lwork, &mut info),
                Function::Getri(getri) => getri(n, a, n, pivots, work, &lwork, &mut info),
                Function::Getrf(_) | Function::Potrf(_) | Function::Trtri(_) if asks => {}
                Function::Getrf(getrf) => getrf(n, n, a, n, pivots, &mut info),
                Function::Potrf(potrf) => potrf(letter(b"L"), n, a, n, &mut info, 1),
                Function::Trtri(trtri) => trtri(letter(b"L"), letter(b"N"), n, a, n, &mut info, 1, 1),
            }
        }
        if info == 0 {
            return Ok(());
        }
        Err(BenchError::Peer { name: self.name.to_owned(), call: self.data.routine.name().to_owned(), code: info })
    }
}

impl<T: Scalar> Contender for Guest<'_, T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let length = c_int::try_from(self.work.len()).unwrap_or(c_int::MAX);
        let mut took = Duration::ZERO;
        for _ in 0..repetitions {
            self.a.copy_from_slice(&self.data.start);
            let start = Instant::now();
            self.call(length)?;
            took += start.elapsed();
        }
        Ok(took)
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        self.run(1)?;
        let (pivots, tau) = (self.pivots.clone(), self.tau.clone());
        Ok(self.data.accuracy(&Results { a: self.a.clone(), pivots, tau }))
    }
}
