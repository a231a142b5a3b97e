//! Every routine for every type, compiled with this library.
//!
//! In profiles that optimise little, other crates take generic functions that this one has instantiated from here, where else
//! each test and program would compile all of them again, most of its build's time. (With full optimisation they are
//! compiled where they are used.)

use crate::blas::level1::{rotg_on, rotmg_on};
use crate::host::small;
use crate::route::{kept_convolution, kept_plan};
use crate::sparse::{CooMatrix, CsrMatrix, Jacobi, LinearOperator};
use crate::*;
use crate::{Complex32, Complex64};

macro_rules! instances {
    ($($routine:ident)+; $($real:ident)+; $($double:ident)+; $($small:ident)+) => {
        &[
            $($routine::<f32> as *const (), $routine::<f64> as *const (),)+
            $($routine::<Complex32> as *const (), $routine::<Complex64> as *const (),)+
            $($real::<f32> as *const (), $real::<f64> as *const (),)+
            $($double::<f64> as *const (), $double::<Complex64> as *const (),)+
            $(small::$small::<f32> as *const (), small::$small::<f64> as *const (),)+
            $(small::$small::<Complex32> as *const (), small::$small::<Complex64> as *const (),)+
        ]
    };
}

/// Where they lie: what names them has them compiled, unless it is inlined itself.
#[inline(never)]
pub fn instances() -> &'static [*const ()] {
    instances!(
        // Level 1.
        asum axpby axpy copy dot dotc iamax iamin nrm2 rot rot_real rotg_on scal scal_real swap
        // Level 2.
        gbmv gemv ger gerc hbmv hemv her her2 hpmv hpr hpr2 sbmv spmv spr spr2 symv syr syr2 tbmv tbsv tpmv tpsv trmv trsv
        // Level 3, and movement.
        gemm gemm_batched gemmt hemm her2k herk imatcopy omatadd omatcopy symm syr2k syrk trmm trsm trsm_batched
        // LAPACK.
        gecon gels geqrf gesv getrf getri getrs lange lanhe lansy lantr lauum laswp orgqr ormqr pocon posv potrf potri potrs trcon trtri trtrs
        geqrf_batched gesv_batched getrf_batched getrs_batched posv_batched potrf_batched potrs_batched;
        rotm rotmg_on;
        gesv_mixed posv_mixed;
        // What small calls take.
        axpy dot gemm gemv ger
    )
}

macro_rules! transforms {
    ($($real:ident, $complex:ident);+) => {
        &[$(
            FftPlan::<$real>::new as *const (), FftPlan::<$real>::prepare as *const (),
            FftPlan::<$real>::scratch_bytes as *const (), kept_plan::<$real> as *const (),
            FftPlan::<$real>::execute::<$complex, $complex> as *const (),
            FftPlan::<$real>::execute::<$real, $complex> as *const (),
            FftPlan::<$real>::execute::<$complex, $real> as *const (),
            FftPlan::<$real>::execute_on::<$complex, $complex> as *const (),
            FftPlan::<$real>::execute_on::<$real, $complex> as *const (),
            FftPlan::<$real>::execute_on::<$complex, $real> as *const (),
            FftPlan::<$real>::execute_in_place::<$real> as *const (),
            FftPlan::<$real>::execute_in_place::<$complex> as *const (),
            FftPlan::<$real>::execute_in_place_on::<$real> as *const (),
            FftPlan::<$real>::execute_in_place_on::<$complex> as *const (),
        )+]
    };
}

/// The same of Fourier transforms.
#[inline(never)]
pub fn transforms() -> &'static [*const ()] {
    transforms!(f32, Complex32; f64, Complex64)
}

macro_rules! convolutions {
    ($($scalar:ident)+) => {
        &[$(
            ConvolutionPlan::<$scalar>::new as *const (), ConvolutionPlan::<$scalar>::prepare as *const (),
            ConvolutionPlan::<$scalar>::scratch_bytes as *const (), kept_convolution::<$scalar> as *const (),
            ConvolutionPlan::<$scalar>::execute as *const (), ConvolutionPlan::<$scalar>::execute_on as *const (),
        )+]
    };
}

/// The same of convolutions.
#[inline(never)]
pub fn convolutions() -> &'static [*const ()] {
    convolutions!(f32 f64 Complex32 Complex64)
}

macro_rules! sparse {
    ($($scalar:ident, $pointer:ident);+) => {
        &[$(
            CsrMatrix::<$scalar, $pointer>::new as *const (), CsrMatrix::<$scalar, $pointer>::from_views as *const (),
            CsrMatrix::<$scalar, $pointer>::from_file as *const (), CsrMatrix::<$scalar, $pointer>::duplicate as *const (),
            CsrMatrix::<$scalar, $pointer>::download as *const (), CsrMatrix::<$scalar, $pointer>::to_context as *const (),
            CsrMatrix::<$scalar, $pointer>::set_values as *const (),
            CsrMatrix::<$scalar, $pointer>::set_values_from as *const (),
            CsrMatrix::<$scalar, $pointer>::to_coo as *const (), CsrMatrix::<$scalar, $pointer>::sorted as *const (),
            CsrMatrix::<$scalar, $pointer>::transpose as *const (),
            CsrMatrix::<$scalar, $pointer>::row_statistics as *const (),
            CsrMatrix::<$scalar, $pointer>::write_dense as *const (),
            CsrMatrix::<$scalar, $pointer>::from_dense as *const (), CsrMatrix::<$scalar, $pointer>::diagonal as *const (),
            CsrMatrix::<$scalar, $pointer>::mirrored as *const (), CsrMatrix::<$scalar, $pointer>::sum as *const (),
            CsrMatrix::<$scalar, $pointer>::multiply_sparse as *const (),
            CsrMatrix::<$scalar, $pointer>::scale as *const (), CsrMatrix::<$scalar, $pointer>::scale_rows as *const (),
            CsrMatrix::<$scalar, $pointer>::scale_columns as *const (),
            CsrMatrix::<$scalar, $pointer>::multiply as *const (), CsrMatrix::<$scalar, $pointer>::multiply_on as *const (),
            CsrMatrix::<$scalar, $pointer>::multiply_dense as *const (),
            CsrMatrix::<$scalar, $pointer>::multiply_dense_on as *const (),
            CsrMatrix::<$scalar, $pointer>::solve_triangle as *const (),
            CsrMatrix::<$scalar, $pointer>::solve_triangle_on as *const (),
            CooMatrix::<$scalar>::to_csr::<$pointer> as *const (),
            Jacobi::<$scalar>::new::<$pointer> as *const (), BlockJacobi::<$scalar>::new::<$pointer> as *const (),
            Chebyshev::<$scalar>::new::<$pointer> as *const (),
            Ic0::<$scalar, $pointer>::new as *const (), Ic0::<$scalar, $pointer>::shifted as *const (),
            Ilu0::<$scalar, $pointer>::new as *const (), Ssor::<$scalar, $pointer>::new as *const (),
            <CsrMatrix<$scalar, $pointer> as LinearOperator<$scalar>>::apply as *const (),
            <Ic0<$scalar, $pointer> as LinearOperator<$scalar>>::apply as *const (),
            <Ilu0<$scalar, $pointer> as LinearOperator<$scalar>>::apply as *const (),
            <Ssor<$scalar, $pointer> as LinearOperator<$scalar>>::apply as *const (),
        )+]
    };
}

/// The same of sparse matrices, and preconditioners made of them.
#[inline(never)]
pub fn sparse() -> &'static [*const ()] {
    sparse!(f32, i32; f64, i32; Complex32, i32; Complex64, i32; f32, i64; f64, i64; Complex32, i64; Complex64, i64)
}

macro_rules! solvers {
    ($($scalar:ident)+) => {
        &[$(
            cg::<$scalar> as *const (), minres::<$scalar> as *const (), bicgstab::<$scalar> as *const (),
            gmres::<$scalar> as *const (), lsqr::<$scalar> as *const (), lsmr::<$scalar> as *const (),
            CooMatrix::<$scalar>::new as *const (), CooMatrix::<$scalar>::from_views as *const (),
            CooMatrix::<$scalar>::download as *const (), Chebyshev::<$scalar>::with_bounds as *const (),
            <Jacobi<$scalar> as LinearOperator<$scalar>>::apply as *const (),
            <BlockJacobi<$scalar> as LinearOperator<$scalar>>::apply as *const (),
            <Chebyshev<$scalar> as LinearOperator<$scalar>>::apply as *const (),
        )+]
    };
}

/// The same of iterative solvers.
#[inline(never)]
pub fn solvers() -> &'static [*const ()] {
    solvers!(f32 f64 Complex32 Complex64)
}
