//! cublasSgemm, cublasDgemm, cublasCgemm and cublasZgemm, in cuBLAS's default mode: no TF32 for single precision.

use std::ffi::c_void;
use std::os::raw::c_int;
use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath::{Op, Scalar, ScalarKind};

use super::data::GemmData;
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::peers::{CuBlasLibrary, CudaHandle, CudaMemory, CudaStatus};

/// The function, the same for all types but for the elements behind its pointers; matrices are column-major.
type CuBlasGemm = unsafe extern "C" fn(
    handle: CudaHandle,
    transa: c_int,
    transb: c_int,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: *const c_void,
    a: *const c_void,
    lda: c_int,
    b: *const c_void,
    ldb: c_int,
    beta: *const c_void,
    c: *mut c_void,
    ldc: c_int,
) -> CudaStatus;

fn function(library: &CuBlasLibrary, kind: ScalarKind) -> Result<CuBlasGemm, BenchError> {
    // SAFETY: the type is that of cublas_v2.h.
    unsafe { library.function(&format!("cublas{}gemm_v2", kind.letter())) }
}

/// True if the library has the function for a type.
///
/// # Errors
/// [`BenchError::Symbol`].
pub fn require(library: &CuBlasLibrary, kind: ScalarKind) -> Result<(), BenchError> {
    function(library, kind).map(drop)
}

struct CuBlasContender<'a, T> {
    library: &'a CuBlasLibrary,
    function: CuBlasGemm,
    data: Arc<GemmData<T>>,
    a: CudaMemory<'a>,
    b: CudaMemory<'a>,
    c: CudaMemory<'a>,
    /// Transposes of A and B, m, n, k, and the leading dimensions of A, B and C, in cuBLAS's type.
    arguments: [c_int; 8],
}

/// cuBLAS on the operands.
pub fn entrant<'a, T: Scalar>(data: &Arc<GemmData<T>>, library: &'a CuBlasLibrary) -> Entrant<'a> {
    let case = &data.case;
    let arguments = [
        operation(case.op_a),
        operation(case.op_b),
        library.integer(case.m)?,
        library.integer(case.n)?,
        library.integer(case.k)?,
        library.integer(case.stored_a().0)?,
        library.integer(case.stored_b().0)?,
        library.integer(case.m)?,
    ];
    Ok(Box::new(CuBlasContender {
        library,
        function: function(library, T::KIND)?,
        a: library.upload(&data.a)?,
        b: library.upload(&data.b)?,
        c: library.upload(&data.random_c())?,
        data: data.clone(),
        arguments,
    }))
}

/// cublasOperation_t.
const fn operation(op: Op) -> c_int {
    match op {
        Op::NoTrans => 0,
        Op::Trans => 1,
        Op::ConjTrans => 2,
        Op::ConjNoTrans => 3,
    }
}

impl<T: Scalar> Contender for CuBlasContender<'_, T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let [trans_a, trans_b, m, n, k, lda, ldb, ldc] = self.arguments;
        let (one, zero) = (T::ONE, T::ZERO);
        let (alpha, beta) = ((&raw const one).cast(), (&raw const zero).cast());
        let (a, b, c) = (self.a.address(), self.b.address(), self.c.address());
        let handle = self.library.handle();
        let start = Instant::now();
        for _ in 0..repetitions {
            // SAFETY: the three matrices lie in device memory with the sizes and leading dimensions that are passed;
            // the scalars are read before the call returns.
            let status =
                unsafe { (self.function)(handle, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) };
            self.library.check("gemm", status)?;
        }
        self.library.synchronize()?;
        Ok(start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        let mut c = self.data.random_c();
        self.c.download(&mut c)?;
        Ok(self.data.accuracy(&c))
    }
}
