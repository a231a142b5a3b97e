//! Generic types' methods for every type, compiled with this library. Routines have `#[instances]` for that.
//!
//! In profiles that optimise little, other crates take generic functions that this one has instantiated from here. Each
//! test and program would else compile all of them again. With full optimisation they are compiled where they are used.
//! A table that names them has them compiled; nobody calls it.

use crate::route::{cached_convolution, cached_plan};
use crate::sparse::{CooMatrix, CsrMatrix, Jacobi, LinearOperator};
use crate::*;

macro_rules! transforms {
    ($($real:ident, $complex:ident);+) => {
        &[$(
            FftPlan::<$real>::new as *const (), FftPlan::<$real>::prepare as *const (),
            FftPlan::<$real>::workspace_bytes as *const (), cached_plan::<$real> as *const (),
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

/// Fourier transforms.
#[inline(never)]
pub fn transforms() -> &'static [*const ()] {
    transforms!(f32, Complex32; f64, Complex64)
}

macro_rules! convolutions {
    ($($scalar:ident)+) => {
        &[$(
            ConvolutionPlan::<$scalar>::new as *const (), ConvolutionPlan::<$scalar>::prepare as *const (),
            ConvolutionPlan::<$scalar>::workspace_bytes as *const (), cached_convolution::<$scalar> as *const (),
            ConvolutionPlan::<$scalar>::execute as *const (), ConvolutionPlan::<$scalar>::execute_on as *const (),
        )+]
    };
}

/// Convolutions.
#[inline(never)]
pub fn convolutions() -> &'static [*const ()] {
    convolutions!(f32 f64 Complex32 Complex64)
}

macro_rules! sparse {
    ($($scalar:ident, $pointer:ident);+) => {
        &[$(
            CsrMatrix::<$scalar, $pointer>::new as *const (), CsrMatrix::<$scalar, $pointer>::from_views as *const (),
            CsrMatrix::<$scalar, $pointer>::from_file as *const (),
            CsrMatrix::<$scalar, $pointer>::duplicate as *const (),
            CsrMatrix::<$scalar, $pointer>::download as *const (),
            CsrMatrix::<$scalar, $pointer>::to_context as *const (),
            CsrMatrix::<$scalar, $pointer>::set_values as *const (),
            CsrMatrix::<$scalar, $pointer>::set_values_from as *const (),
            CsrMatrix::<$scalar, $pointer>::to_coo as *const (), CsrMatrix::<$scalar, $pointer>::sorted as *const (),
            CsrMatrix::<$scalar, $pointer>::transpose as *const (),
            CsrMatrix::<$scalar, $pointer>::row_statistics as *const (),
            CsrMatrix::<$scalar, $pointer>::write_dense as *const (),
            CsrMatrix::<$scalar, $pointer>::from_dense as *const (),
            CsrMatrix::<$scalar, $pointer>::diagonal as *const (),
            CsrMatrix::<$scalar, $pointer>::mirrored as *const (), CsrMatrix::<$scalar, $pointer>::sum as *const (),
            CsrMatrix::<$scalar, $pointer>::multiply_sparse as *const (),
            CsrMatrix::<$scalar, $pointer>::scale as *const (), CsrMatrix::<$scalar, $pointer>::scale_rows as *const (),
            CsrMatrix::<$scalar, $pointer>::scale_columns as *const (),
            CsrMatrix::<$scalar, $pointer>::multiply as *const (),
            CsrMatrix::<$scalar, $pointer>::multiply_on as *const (),
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

/// Sparse matrices, and preconditioners made of them.
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

/// Iterative solvers.
#[inline(never)]
pub fn solvers() -> &'static [*const ()] {
    solvers!(f32 f64 Complex32 Complex64)
}
