//! Every routine for every type, compiled with this library.
//!
//! In profiles that optimise little, other crates take generic functions that this one has instantiated from here, where else
//! each test and program would compile all of them again, most of its build's time. (With full optimisation they are
//! compiled where they are used.)

use crate::blas::level1::{rotg_on, rotmg_on};
use crate::host::small;
use crate::route::*;
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
        gels geqrf gesv getrf getri getrs lauum laswp orgqr ormqr posv potrf potri potrs trtri trtrs;
        rotm rotmg_on;
        gesv_mixed posv_mixed;
        // What small calls take.
        axpy dot gemm gemv
    )
}
