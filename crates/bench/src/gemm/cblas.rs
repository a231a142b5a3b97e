//! cblas_sgemm, cblas_dgemm, cblas_cgemm and cblas_zgemm.

use std::ffi::c_void;
use std::os::raw::c_int;
use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath::{Layout, Scalar, ScalarKind};

use super::data::GemmData;
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::peers::CblasLibrary;

/// The function, whose scalars (`A`) are passed by value when they are real and by address when they are complex.
type CblasGemm<A> = unsafe extern "C" fn(
    layout: c_int,
    trans_a: c_int,
    trans_b: c_int,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: A,
    a: *const c_void,
    lda: c_int,
    b: *const c_void,
    ldb: c_int,
    beta: A,
    c: *mut c_void,
    ldc: c_int,
);

#[derive(Clone, Copy)]
enum Function {
    S(CblasGemm<f32>),
    D(CblasGemm<f64>),
    Complex(CblasGemm<*const c_void>),
}

struct CblasContender<T> {
    data: Arc<GemmData<T>>,
    c: Vec<T>,
    function: Function,
    /// Transposes of A and B, m, n, k, and the leading dimensions of A, B and C, in CBLAS's type.
    arguments: [c_int; 8],
}

impl Function {
    fn find(library: &CblasLibrary, kind: ScalarKind) -> Result<Self, BenchError> {
        let name = format!("cblas_{}gemm", kind.letter().to_ascii_lowercase());
        // SAFETY: the types are those of the CBLAS standard.
        unsafe {
            Ok(match kind {
                ScalarKind::S => Function::S(library.function(&name)?),
                ScalarKind::D => Function::D(library.function(&name)?),
                ScalarKind::C | ScalarKind::Z => Function::Complex(library.function(&name)?),
            })
        }
    }
}

/// True if the library has the function for a type.
///
/// # Errors
/// [`BenchError::Symbol`].
pub fn require(library: &CblasLibrary, kind: ScalarKind) -> Result<(), BenchError> {
    Function::find(library, kind).map(drop)
}

/// A CBLAS on the operands.
pub fn entrant<'a, T: Scalar>(data: &Arc<GemmData<T>>, library: &CblasLibrary) -> Entrant<'a> {
    let function = Function::find(library, T::KIND)?;
    let case = &data.case;
    let arguments = [
        case.op_a.code(),
        case.op_b.code(),
        library.integer(case.m)?,
        library.integer(case.n)?,
        library.integer(case.k)?,
        library.integer(case.stored_a().0)?,
        library.integer(case.stored_b().0)?,
        library.integer(case.m)?,
    ];
    Ok(Box::new(CblasContender { data: data.clone(), c: data.random_c(), function, arguments }))
}

impl<T: Scalar> Contender for CblasContender<T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let layout = Layout::ColumnMajor.code();
        let [trans_a, trans_b, m, n, k, lda, ldb, ldc] = self.arguments;
        let (a, b) = (self.data.a.as_ptr().cast(), self.data.b.as_ptr().cast());
        let c = self.c.as_mut_ptr().cast();
        let (one, zero) = (T::ONE, T::ZERO);
        let start = Instant::now();
        for _ in 0..repetitions {
            // SAFETY: the three matrices have the sizes and leading dimensions that are passed, and C is ours alone.
            unsafe {
                match self.function {
                    Function::S(gemm) => {
                        gemm(layout, trans_a, trans_b, m, n, k, 1.0, a, lda, b, ldb, 0.0, c, ldc);
                    }
                    Function::D(gemm) => {
                        gemm(layout, trans_a, trans_b, m, n, k, 1.0, a, lda, b, ldb, 0.0, c, ldc);
                    }
                    Function::Complex(gemm) => {
                        let (one, zero) = ((&raw const one).cast(), (&raw const zero).cast());
                        gemm(layout, trans_a, trans_b, m, n, k, one, a, lda, b, ldb, zero, c, ldc);
                    }
                }
            }
        }
        Ok(start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        Ok(self.data.accuracy(&self.c))
    }
}
