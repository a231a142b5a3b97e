//! cuSOLVER's dense factorisations, its eigenvalues and singular values.

use std::ffi::{c_int, c_schar, c_void};
use std::ptr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath::{Scalar, ScalarKind};

use super::data::{Data, Results};
use super::routine::Routine;
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::peers::{CuSolverHandle as Handle, CuSolverLibrary, CudaMemory, CudaStatus as Status};

type Memory = *mut c_void;
type Getrf = unsafe extern "C" fn(Handle, c_int, c_int, Memory, c_int, Memory, Memory, Memory) -> Status;
type Potrf = unsafe extern "C" fn(Handle, c_int, c_int, Memory, c_int, Memory, c_int, Memory) -> Status;
type Geqrf = unsafe extern "C" fn(Handle, c_int, c_int, Memory, c_int, Memory, Memory, c_int, Memory) -> Status;
/// Arguments of a workspace query: (m, n) for getrf and geqrf, (uplo, n) for potrf and potri.
type WorkSize = unsafe extern "C" fn(Handle, c_int, c_int, Memory, c_int, *mut c_int) -> Status;
/// Vectors or not, the triangle, n, A and its leading dimension, eigenvalues; then workspace and info.
type Syevd = unsafe extern "C" fn(Handle, c_int, c_int, c_int, Memory, c_int, Memory, Memory, c_int, Memory) -> Status;
type SyevdSize = unsafe extern "C" fn(Handle, c_int, c_int, c_int, Memory, c_int, Memory, *mut c_int) -> Status;

/// Which left and right vectors, m, n, A, s, U, VT; workspace, for superdiagonals, and info.
type Gesvd = unsafe extern "C" fn(
    Handle,
    c_schar,
    c_schar,
    c_int,
    c_int,
    Memory,
    c_int,
    Memory,
    Memory,
    c_int,
    Memory,
    c_int,
    Memory,
    c_int,
    Memory,
    Memory,
) -> Status;
type GesvdSize = unsafe extern "C" fn(Handle, c_int, c_int, *mut c_int) -> Status;

/// CUBLAS_FILL_MODE_LOWER.
const LOWER: c_int = 0;

/// A routine of the library.
#[derive(Clone, Copy)]
enum Function {
    Getrf(Getrf),
    /// potri has the same arguments.
    Potrf(Potrf),
    Geqrf(Geqrf),
    /// CUSOLVER_EIG_MODE_NOVECTOR is 0, CUSOLVER_EIG_MODE_VECTOR 1.
    Syevd(Syevd, c_int),
    /// The job: min(m, n) vectors, or none.
    Gesvd(Gesvd, c_schar),
}

/// Function that tells the length of a workspace.
#[derive(Clone, Copy)]
enum Query {
    Factor(WorkSize),
    Syevd(SyevdSize, c_int),
    Gesvd(GesvdSize),
}

impl Function {
    /// The routine, and what asks for its workspace.
    fn find(library: &CuSolverLibrary, routine: Routine, kind: ScalarKind) -> Result<(Self, Query), BenchError> {
        let (file, expected) = (library.file(), CuSolverLibrary::EXPECTED);
        let symbol = format!("cusolverDn{}{}", kind.letter(), routine.name());
        if routine.has_eigenvalues() {
            let (kinds, vectors) = (if kind.is_complex() { "heevd" } else { "syevd" }, routine == Routine::Syev);
            let symbol = format!("cusolverDn{}{kinds}", kind.letter());
            // SAFETY: the types are those of cusolverDn.h.
            return unsafe {
                let function = Function::Syevd(file.function(&symbol, expected)?, c_int::from(vectors));
                let size = file.function(&format!("{symbol}_bufferSize"), expected)?;
                Ok((function, Query::Syevd(size, c_int::from(vectors))))
            };
        }
        if routine.has_singular_values() {
            let symbol = format!("cusolverDn{}gesvd", kind.letter());
            let job = if routine == Routine::Gesdd { b'S' } else { b'N' };
            // SAFETY: the types are those of cusolverDn.h.
            return unsafe {
                let function = Function::Gesvd(file.function(&symbol, expected)?, job.cast_signed());
                Ok((function, Query::Gesvd(file.function(&format!("{symbol}_bufferSize"), expected)?)))
            };
        }
        // SAFETY: the types are those of cusolverDn.h.
        unsafe {
            let function = match routine {
                Routine::Getrf => Function::Getrf(file.function(&symbol, expected)?),
                Routine::Potrf | Routine::Potri => Function::Potrf(file.function(&symbol, expected)?),
                Routine::Geqrf => Function::Geqrf(file.function(&symbol, expected)?),
                Routine::Getri
                | Routine::Trtri
                | Routine::Geqp3
                | Routine::Gels
                | Routine::Gelsy
                | Routine::Syev
                | Routine::SyevValues
                | Routine::Gesdd
                | Routine::GesddValues => {
                    let (name, routine) = (file.name(), routine.name());
                    return Err(BenchError::Unfit(format!("{name}: it has no {routine} of this form")));
                }
            };
            Ok((function, Query::Factor(file.function(&format!("{symbol}_bufferSize"), expected)?)))
        }
    }
}

/// The library on a copy of the matrix.
pub fn entrant<'a, T: Scalar>(data: &Arc<Data<T>>, library: &'a CuSolverLibrary) -> Entrant<'a> {
    let (function, work_size) = Function::find(library, data.routine, T::KIND)?;
    if data.routine.has_singular_values() && data.m < data.n {
        return Err(BenchError::Unfit(format!("{}: its gesvd needs m >= n", library.file().name())));
    }
    let (m, n, element) = (library.integer(data.m)?, library.integer(data.n)?, size_of::<T>());
    let a = library.allocate(data.m * data.n * element)?;
    let (first, mut length) = (if matches!(function, Function::Potrf(_)) { LOWER } else { m }, 0);
    let w = library.allocate(data.n * size_of::<T::RealScalar>())?;
    // SAFETY: the matrix has m x n elements, and there are n eigenvalues.
    let status = unsafe {
        match work_size {
            Query::Factor(work_size) => work_size(library.handle(), first, n, a.address(), m, &mut length),
            Query::Gesvd(work_size) => work_size(library.handle(), m, n, &mut length),
            Query::Syevd(work_size, vectors) => {
                work_size(library.handle(), vectors, LOWER, n, a.address(), n, w.address(), &mut length)
            }
        }
    };
    library.file().check("bufferSize", status)?;
    let [u, vt] = data.vector_lengths().map(|length| library.allocate(length * element));
    Ok(Box::new(Guest {
        library,
        function,
        m,
        n,
        length,
        work: library.allocate(length as usize * element)?,
        pivots: library.allocate(data.m.min(data.n) * size_of::<c_int>())?,
        tau: library.allocate(data.m.min(data.n) * element)?,
        info: library.allocate(size_of::<c_int>())?,
        w,
        vectors: [u?, vt?],
        a,
        data: data.clone(),
    }))
}

struct Guest<'a, T> {
    library: &'a CuSolverLibrary,
    function: Function,
    m: c_int,
    n: c_int,
    data: Arc<Data<T>>,
    a: CudaMemory<'a>,
    pivots: CudaMemory<'a>,
    tau: CudaMemory<'a>,
    info: CudaMemory<'a>,
    w: CudaMemory<'a>,
    vectors: [CudaMemory<'a>; 2],
    work: CudaMemory<'a>,
    length: c_int,
}

impl<T: Scalar> Contender for Guest<'_, T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let (handle, m, n) = (self.library.handle(), self.m, self.n);
        let [a, pivots, tau, info, work, w] =
            [&self.a, &self.pivots, &self.tau, &self.info, &self.work, &self.w].map(CudaMemory::address);
        let [u, vt] = self.vectors.each_ref().map(CudaMemory::address);
        let mut took = Duration::ZERO;
        for _ in 0..repetitions {
            self.a.write(&self.data.start)?;
            self.library.synchronize()?;
            let start = Instant::now();
            // SAFETY: the matrix has m x n elements, there are min(m, n) pivots and factors and n eigenvalues, and the
            // workspace is as long as asked for.
            let status = unsafe {
                match self.function {
                    Function::Getrf(getrf) => getrf(handle, m, n, a, m, work, pivots, info),
                    Function::Potrf(potrf) => potrf(handle, LOWER, n, a, n, work, self.length, info),
                    Function::Geqrf(geqrf) => geqrf(handle, m, n, a, m, tau, work, self.length, info),
                    Function::Gesvd(gesvd, job) => {
                        let length = self.length;
                        gesvd(handle, job, job, m, n, a, m, w, u, m, vt, n, work, length, ptr::null_mut(), info)
                    }
                    Function::Syevd(syevd, vectors) => {
                        syevd(handle, vectors, LOWER, n, a, n, w, work, self.length, info)
                    }
                }
            };
            self.library.file().check(self.data.routine.name(), status)?;
            self.library.synchronize()?;
            took += start.elapsed();
        }
        Ok(took)
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        self.run(1)?;
        let Data { m, n, .. } = *self.data;
        let (mut a, mut pivots, mut tau) = (vec![T::ZERO; m * n], vec![0_i32; m.min(n)], vec![T::ZERO; m.min(n)]);
        self.a.download(&mut a)?;
        self.pivots.download(&mut pivots)?;
        self.tau.download(&mut tau)?;
        let mut w = vec![T::RealScalar::ZERO; n];
        self.w.download(&mut w)?;
        let w = w.into_iter().map(|w| w.re()).collect();
        let mut vectors = self.data.vector_lengths().map(|length| vec![T::ZERO; length]);
        for (own, vectors) in self.vectors.iter().zip(&mut vectors) {
            own.download(vectors)?;
        }
        Ok(self.data.accuracy(&Results { a, pivots, tau, x: Vec::new(), w, vectors }))
    }
}
