//! Any library with LAPACK's Fortran names (32-bit integers), such as OpenBLAS.

use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath::{Scalar, ScalarKind};

use super::data::{Data, Results};
use super::routine::Routine;
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::peers::{CblasLibrary, LibraryFile};

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

type Geqp3 =
    unsafe extern "C" fn(Integer, Integer, Elements, Integer, *mut c_int, Elements, Elements, Integer, *mut c_int);
/// For complex types, with real workspace before the info.
type ComplexGeqp3 = unsafe extern "C" fn(
    Integer,
    Integer,
    Elements,
    Integer,
    *mut c_int,
    Elements,
    Elements,
    Integer,
    Elements,
    *mut c_int,
);
type Gels = unsafe extern "C" fn(
    *const c_char,
    Integer,
    Integer,
    Integer,
    Elements,
    Integer,
    Elements,
    Integer,
    Elements,
    Integer,
    *mut c_int,
    Length,
);
type Gelsy = unsafe extern "C" fn(
    Integer,
    Integer,
    Integer,
    Elements,
    Integer,
    Elements,
    Integer,
    *mut c_int,
    *const c_void,
    *mut c_int,
    Elements,
    Integer,
    *mut c_int,
);
/// For complex types, with real workspace before the info.
type ComplexGelsy = unsafe extern "C" fn(
    Integer,
    Integer,
    Integer,
    Elements,
    Integer,
    Elements,
    Integer,
    *mut c_int,
    *const c_void,
    *mut c_int,
    Elements,
    Integer,
    Elements,
    *mut c_int,
);

type Syevd = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    Integer,
    Elements,
    Integer,
    Elements,
    Elements,
    Integer,
    *mut c_int,
    Integer,
    *mut c_int,
    Length,
    Length,
);
/// For complex types, with real workspace and its length before the integers.
type Heevd = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    Integer,
    Elements,
    Integer,
    Elements,
    Elements,
    Integer,
    Elements,
    Integer,
    *mut c_int,
    Integer,
    *mut c_int,
    Length,
    Length,
);

/// jobz, m, n, A, s, U and VT; workspace; for complex types real workspace; integers and info.
type Gesdd = unsafe extern "C" fn(
    *const c_char,
    Integer,
    Integer,
    Elements,
    Integer,
    Elements,
    Elements,
    Integer,
    Elements,
    Integer,
    Elements,
    Integer,
    *mut c_int,
    *mut c_int,
    Length,
);
type ComplexGesdd = unsafe extern "C" fn(
    *const c_char,
    Integer,
    Integer,
    Elements,
    Integer,
    Elements,
    Elements,
    Integer,
    Elements,
    Integer,
    Elements,
    Integer,
    Elements,
    *mut c_int,
    *mut c_int,
    Length,
);

/// A routine of the library.
#[derive(Clone, Copy)]
enum Function {
    /// The job: vectors or none.
    Gesdd(Gesdd, &'static [u8; 1]),
    ComplexGesdd(ComplexGesdd, &'static [u8; 1]),
    /// The job: vectors or none.
    Syevd(Syevd, &'static [u8; 1]),
    Heevd(Heevd, &'static [u8; 1]),
    Geqp3(Geqp3),
    ComplexGeqp3(ComplexGeqp3),
    Gels(Gels),
    Gelsy(Gelsy),
    ComplexGelsy(ComplexGelsy),
    Getrf(Getrf),
    /// potri has the same arguments.
    Potrf(Potrf),
    Geqrf(Geqrf),
    Getri(Getri),
    Trtri(Trtri),
}

impl Function {
    fn find(file: &LibraryFile, routine: Routine, kind: ScalarKind) -> Result<Self, BenchError> {
        let singular: &'static [u8; 1] = if routine == Routine::Gesdd { b"S" } else { b"N" };
        let (complex, job) = (kind.is_complex(), if routine == Routine::Syev { b"V" } else { b"N" });
        let name = match routine.has_eigenvalues() {
            true if complex => "heevd",
            true => "syevd",
            false if routine.has_singular_values() => "gesdd",
            false => routine.name(),
        };
        let symbol = format!("{}{name}_", kind.letter().to_ascii_lowercase());
        // SAFETY: the types are those of LAPACK's routines, as gfortran compiles them.
        unsafe {
            Ok(match routine {
                Routine::Getrf => Function::Getrf(file.function(&symbol, EXPECTED)?),
                Routine::Potrf | Routine::Potri => Function::Potrf(file.function(&symbol, EXPECTED)?),
                Routine::Geqrf => Function::Geqrf(file.function(&symbol, EXPECTED)?),
                Routine::Geqp3 if kind.is_complex() => Function::ComplexGeqp3(file.function(&symbol, EXPECTED)?),
                Routine::Geqp3 => Function::Geqp3(file.function(&symbol, EXPECTED)?),
                Routine::Gels => Function::Gels(file.function(&symbol, EXPECTED)?),
                Routine::Gelsy if kind.is_complex() => Function::ComplexGelsy(file.function(&symbol, EXPECTED)?),
                Routine::Gelsy => Function::Gelsy(file.function(&symbol, EXPECTED)?),
                Routine::Getri => Function::Getri(file.function(&symbol, EXPECTED)?),
                Routine::Trtri => Function::Trtri(file.function(&symbol, EXPECTED)?),
                Routine::Syev | Routine::SyevValues if complex => {
                    Function::Heevd(file.function(&symbol, EXPECTED)?, job)
                }
                Routine::Syev | Routine::SyevValues => Function::Syevd(file.function(&symbol, EXPECTED)?, job),
                Routine::Gesdd | Routine::GesddValues if complex => {
                    Function::ComplexGesdd(file.function(&symbol, EXPECTED)?, singular)
                }
                Routine::Gesdd | Routine::GesddValues => Function::Gesdd(file.function(&symbol, EXPECTED)?, singular),
            })
        }
    }
}

/// True if the library has a routine for a type.
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
        m: library.integer(data.m)?,
        n: library.integer(data.n)?,
        a: data.start.clone(),
        b: data.right.clone(),
        pivots: data.pivots_at_start(),
        tau: vec![T::ZERO; data.m.min(data.n)],
        real_work: vec![T::RealScalar::ZERO; real_work_length(data)],
        w: vec![T::RealScalar::ZERO; data.n],
        // LAPACK: for divide and conquer.
        integer_work: vec![0; integer_work_length(data)],
        vectors: data.vector_lengths().map(|length| vec![T::ZERO; length]),
        work: vec![T::ZERO; 1],
        data: data.clone(),
    };
    guest.call(-1)?;
    let best = guest.work[0].re().max(1.0) as usize;
    guest.work = vec![T::ZERO; best];
    Ok(Box::new(guest))
}

/// Integers of workspace.
const fn integer_work_length<T: Scalar>(data: &Data<T>) -> usize {
    match (data.routine.has_eigenvalues(), data.routine.has_singular_values()) {
        (true, _) => 3 + 5 * data.n,
        (_, true) => 8 * if data.m < data.n { data.m } else { data.n },
        _ => 0,
    }
}

/// Elements of real workspace of complex routines.
fn real_work_length<T: Scalar>(data: &Data<T>) -> usize {
    let n = data.n;
    if data.routine.has_singular_values() {
        let (long, short) = (data.m.max(n), data.m.min(n));
        return (5 * short * short + 5 * short).max(2 * long * short + 2 * short * short + short).max(7 * short);
    }
    if data.routine.has_eigenvalues() && T::KIND.is_complex() { 1 + 5 * n + 2 * n * n } else { 2 * n }
}

struct Guest<'a, T: Scalar> {
    name: &'a str,
    function: Function,
    m: c_int,
    n: c_int,
    data: Arc<Data<T>>,
    a: Vec<T>,
    b: Vec<T>,
    pivots: Vec<c_int>,
    tau: Vec<T>,
    real_work: Vec<T::RealScalar>,
    w: Vec<T::RealScalar>,
    integer_work: Vec<c_int>,
    vectors: [Vec<T>; 2],
    work: Vec<T>,
}

impl<T: Scalar> Guest<'_, T> {
    /// One call, or with -1 a question for the workspace; routines that need none are not asked.
    fn call(&mut self, lwork: c_int) -> Result<(), BenchError> {
        let (m, n, mut info) = (&raw const self.m, &raw const self.n, 0);
        let (longest, one, mut rank) = (self.m.max(self.n), 1, 0);
        let rcond = T::RealScalar::from_parts(f64::from(longest) * T::EPSILON, 0.0);
        let rcond = (&raw const rcond).cast::<c_void>();
        let letter = |letter: &'static [u8; 1]| letter.as_ptr().cast::<c_char>();
        let (a, pivots) = (self.a.as_mut_ptr().cast::<c_void>(), self.pivots.as_mut_ptr());
        let (tau, work) = (self.tau.as_mut_ptr().cast(), self.work.as_mut_ptr().cast());
        let (b, real_work) = (self.b.as_mut_ptr().cast(), self.real_work.as_mut_ptr().cast());
        let asks = lwork == -1;
        let [u, vt] = self.vectors.each_mut().map(|vectors| vectors.as_mut_ptr().cast::<c_void>());
        let order = self.m.min(self.n);
        let (w, integer_work) = (self.w.as_mut_ptr().cast(), self.integer_work.as_mut_ptr());
        let length = |length: usize| if asks { -1 } else { c_int::try_from(length).unwrap_or(c_int::MAX) };
        let [real_length, integer_length] = [self.real_work.len(), self.integer_work.len()].map(length);
        // SAFETY: the matrix has m x n elements, the right-hand side max(m, n), the factors min(m, n), and there are n
        // eigenvalues; `pivots_at_start` made the pivots, and `vector_lengths` the singular vectors. The real workspace
        // has what `real_work_length` says, the integers what `integer_work_length` says, the other one `lwork`.
        unsafe {
            match self.function {
                Function::Geqrf(geqrf) => geqrf(m, n, a, m, tau, work, &lwork, &mut info),
                Function::Geqp3(geqp3) => geqp3(m, n, a, m, pivots, tau, work, &lwork, &mut info),
                Function::ComplexGeqp3(geqp3) => {
                    geqp3(m, n, a, m, pivots, tau, work, &lwork, real_work, &mut info);
                }
                Function::Gels(gels) => {
                    gels(letter(b"N"), m, n, &one, a, m, b, &longest, work, &lwork, &mut info, 1);
                }
                Function::Gelsy(gelsy) => {
                    gelsy(m, n, &one, a, m, b, &longest, pivots, rcond, &mut rank, work, &lwork, &mut info);
                }
                Function::ComplexGelsy(gelsy) => {
                    let work = (work, &raw const lwork, real_work);
                    gelsy(m, n, &one, a, m, b, &longest, pivots, rcond, &mut rank, work.0, work.1, work.2, &mut info);
                }
                Function::Syevd(syevd, job) => {
                    let lengths = (&raw const lwork, &raw const integer_length);
                    let (job, uplo) = (letter(job), letter(b"L"));
                    syevd(job, uplo, n, a, n, w, work, lengths.0, integer_work, lengths.1, &mut info, 1, 1);
                }
                Function::Heevd(heevd, job) => {
                    let (job, uplo) = (letter(job), letter(b"L"));
                    let (reals, integers) =
                        ((real_work, &raw const real_length), (integer_work, &raw const integer_length));
                    heevd(
                        job, uplo, n, a, n, w, work, &lwork, reals.0, reals.1, integers.0, integers.1, &mut info, 1, 1,
                    );
                }
                Function::Gesdd(gesdd, job) => {
                    let (ldu, ldvt) = (m, &raw const order);
                    gesdd(letter(job), m, n, a, m, w, u, ldu, vt, ldvt, work, &lwork, integer_work, &mut info, 1);
                }
                Function::ComplexGesdd(gesdd, job) => {
                    let (ldu, ldvt, integers) = (m, &raw const order, integer_work);
                    gesdd(
                        letter(job),
                        m,
                        n,
                        a,
                        m,
                        w,
                        u,
                        ldu,
                        vt,
                        ldvt,
                        work,
                        &lwork,
                        real_work,
                        integers,
                        &mut info,
                        1,
                    );
                }
                Function::Getri(getri) => getri(n, a, n, pivots, work, &lwork, &mut info),
                Function::Getrf(_) | Function::Potrf(_) | Function::Trtri(_) if asks => {}
                Function::Getrf(getrf) => getrf(m, n, a, m, pivots, &mut info),
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
            self.b.copy_from_slice(&self.data.right);
            if self.data.routine.permutes() {
                self.pivots.fill(0);
            }
            let start = Instant::now();
            self.call(length)?;
            took += start.elapsed();
        }
        Ok(took)
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        self.run(1)?;
        let (pivots, tau) = (self.pivots.clone(), self.tau.clone());
        let w = self.w.iter().map(|w| w.re()).collect();
        Ok(self.data.accuracy(&Results {
            a: self.a.clone(),
            pivots,
            tau,
            x: self.b.clone(),
            w,
            vectors: self.vectors.clone(),
        }))
    }
}
