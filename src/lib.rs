//! Affinimath: dense and sparse linear algebra, Fourier transforms and array expressions on any OpenCL device, and on
//! the host where there is none.
//!
//! The library is built in floors: a file uses only the floors below it (`docs/src/architecture.md`).

// Without what the other packages of the workspace use, some of it is used by nobody; some names are used by tests
// alone.
#![cfg_attr(not(feature = "inner"), allow(dead_code))]
#![cfg_attr(not(test), allow(unused_imports))]

// The examples, which tests take in, name the crate as a stranger does.
#[cfg(test)]
extern crate self as affinimath;

// The programs of the README and of the book are tested as those in the documentation are.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
#[cfg(doctest)]
#[doc = include_str!("../docs/src/arrays.md")]
struct Arrays;
#[cfg(doctest)]
#[doc = include_str!("../docs/src/rust.md")]
struct RustGuide;
#[cfg(doctest)]
#[doc = include_str!("../docs/src/tour.md")]
struct Tour;

pub mod array;
mod blas;
mod fft;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
mod generated;
#[cfg(all(debug_assertions, not(test)))]
#[doc(hidden)]
pub mod instances;
pub mod host {
    //! Systems and least-squares problems on the host, dense and sparse, by the method that suits them.

    #[doc(inline)]
    pub use affinimath_cpu::solve;
    // All of it, under the name that it has in this crate.
    pub(crate) use affinimath_cpu::*;
}
mod lapack;
mod memory;
mod pinned;
pub mod program;
pub mod replay {
    //! Launches recorded in files and run again: cases for tests of kernels, as `AFFINIMATH_TRACE` writes them.

    #[doc(inline)]
    pub use affinimath_replay::*;
}
pub mod route;
pub mod sparse;
mod spread;
pub mod stencil;
#[cfg(test)]
mod testing;
mod transfer;
pub mod tuner {
    //! Spaces of parameters, and searches in them for the fastest point of anything that can be measured.
    //!
    //! [`Context::tuned_kernel`](crate::Context::tuned_kernel) uses what `affinimath tune kernel` has found.

    #[doc(inline)]
    pub use affinimath_tuner::tuner::*;
    #[doc(inline)]
    pub use affinimath_tuner::{probe, search, space};
}
#[cfg(not(feature = "inner"))]
mod tunable;
#[cfg(feature = "inner")]
#[doc(hidden)]
pub mod tunable;
#[cfg(not(feature = "inner"))]
mod vendor;
#[cfg(feature = "inner")]
#[doc(hidden)]
pub mod vendor;

// Modules of the crates below, by the names that they have here.
pub(crate) use affinimath_core::{
    division, error, fork, math_mode, options, pattern, refinement, scalar, threads, view,
};

#[doc(inline)]
pub use affinimath_kernel as kernel;
pub(crate) use affinimath_opencl::{context, device, launch, status, trace};
pub(crate) use affinimath_tuner as tuning;
pub use blas::level1::{
    asum_on, axpby_on, axpy_on, copy_on, dot_on, dotc_on, dsdot_on, iamax_on, iamin_on, nrm2_on, rot_on, rot_real_on,
    rotg_on, rotm_on, rotmg_on, scal_on, scal_real_on, sdsdot_on, swap_on,
};
pub use blas::level2::{
    gbmv_on, gemv_on, ger_on, gerc_on, hbmv_on, hemv_on, her_on, her2_on, hpmv_on, hpr_on, hpr2_on, sbmv_on, spmv_on,
    spr_on, spr2_on, symv_on, syr_on, syr2_on, tbmv_on, tbsv_on, tpmv_on, tpsv_on, trmv_on, trsv_on,
};
pub use blas::level3::batched::{gemm_batched_on, trsm_batched_on};
#[cfg(feature = "inner")]
#[doc(hidden)]
pub use blas::level3::gemm::{FailedProbe, failed_probes};
pub use blas::level3::gemm::{gemm_on, hgemm_on};
pub use blas::level3::trsm::trsm_on;
pub use blas::level3::{gemmt_on, hemm_on, her2k_on, herk_on, symm_on, syr2k_on, syrk_on, trmm_on};
pub use blas::movement::{imatcopy_on, omatadd_on, omatcopy_on};
pub use context::{DeviceBuffer, DeviceContext, DeviceVector, Event, Queue};
pub use device::{Device, DeviceClass, DeviceInfo, NvidiaFeatures};
pub use error::{Error, Result};
pub use fft::{
    ConvolutionDescriptor, ConvolutionKind, ConvolutionMode, Direction, FftDescriptor, FftLayout, Transform,
};
pub use generated::{DeviceArgument, DeviceKernel};
pub use host::lapack::{Balanced, Balancing, BidiagonalFactor, Pencil, Spectrum, TridiagonalFactors};
pub use host::lapack::{
    Conditions as SchurConditions, Leading as SchurLeading, LeadingQuotients, Order as SchurOrder,
    Select as SchurSelect, SelectPencil,
};
pub use host::lapack::{DefiniteTridiagonal, Equed, Equilibration, Expert, Pivoting, Tridiagonal};
pub use host::level1::{Givens, ModifiedGivens, rotg, rotm_factors, rotmg};
pub use lapack::{
    gbsv_batched_on, gbtrf_batched_on, gbtrs_batched_on, gels_on, geqrf_batched_on, geqrf_on, gesv_batched_on,
    gesv_mixed_on, gesv_on, getrf_batched_on, getrf_on, getri_on, getrs_batched_on, getrs_on, gtsv_batched_on,
    lange_on, lanhe_on, lansy_on, lantr_on, laswp_on, lauum_on, orgqr_on, ormqr_on, posv_batched_on, posv_mixed_on,
    posv_on, potrf_batched_on, potrf_on, potri_on, potrs_batched_on, potrs_on, trtri_on, trtrs_on,
};
pub use math_mode::{MathMode, math_mode, set_math_mode};
pub use memory::{Buffer, Context};
pub use options::{Diag, Layout, Norm, Op, PivotOrder, Side, Symmetry, Triangle};
pub use pinned::Pinned;
pub use refinement::Refinement;
pub use route::batched::{gemm_batched, trsm_batched};
pub use route::condition::{
    gecon, gecon_on, gecon_with_vector, pocon, pocon_on, pocon_with_vector, trcon, trcon_on, trcon_with_vector,
};
pub use route::convolution::{ConvolutionPlan, ConvolutionScalar, convolve, correlate};
pub use route::fft::{FftPlan, FftReal, fft, fft_many, irfft, rfft};
pub use route::gemm::gemm;
pub use route::half::hgemm;
pub use route::lapack::{
    BidiagonalVectors, SingularVectors, TridiagonalMethod, TridiagonalVectors, bdsqr, bdsqr_on, gebrd, gebrd_on, geev,
    geev_complex_on, geev_on, gelsd, gelsd_on, gesvd, gesvd_on, heev, heev_on, heevr, heevr_on, hegv, hegv_on, hegvx,
    hegvx_on, hetrd, hetrd_on, orgbr, orgbr_on, orgtr, orgtr_on, ormbr, ormbr_on, ormtr, ormtr_on, stevr, stevr_on,
    tridiagonal_eigen, tridiagonal_eigen_on,
};
pub use route::lapack::{
    DeviceEigenvalues, MovedBlock, SchurEigenvectors, SchurVectors, SylvesterScale, gebak, gebak_on, gebal, gebal_on,
    gees, gees_on, geesx, geevx, geevx_on, gehrd, gehrd_on, hseqr, hseqr_on, orghr, orghr_on, ormhr, ormhr_on,
    selected_pairs, trevc, trevc_on, trexc, trexc_on, trsen, trsen_on, trsna, trsna_on, trsyl, trsyl_on,
};
pub use route::lapack::{
    DeviceQuotients, QuotientOrder, Quotients, gges, gges_on, gges_ordered, ggev, ggev_on, tgsen, tgsen_on,
};
pub use route::lapack::{
    ExpertFactors, geequ, gerfs, gesvx, poequ, porfs, posvx, sycon, syequb, syrfs, sysv_rook, sysvx, sytrf_rook,
    sytri_rook, sytrs_rook,
};
pub use route::lapack::{TridiagonalFactorsMut, gbcon, gtcon, gtrfs, gtsvx, hegst, ptcon, ptrfs, ptsvx, tbtrs};
pub use route::lapack::{
    gbsv, gbsv_on, gbtrf, gbtrf_on, gbtrs, gbtrs_on, pbsv, pbsv_on, pbtrf, pbtrf_on, pbtrs, pbtrs_on,
};
pub use route::lapack::{
    gbsv_batched, gbtrf_batched, gbtrs_batched, geqrf_batched, gesv_batched, gesvd_batched, gesvd_batched_on,
    getrf_batched, getrs_batched, heev_batched, heev_batched_on, posv_batched, potrf_batched, potrs_batched,
};
pub use route::lapack::{
    gels, gelsy, gelsy_on, geqp3, geqp3_on, geqrf, gesv, gesv_mixed, getrf, getri, getrs, laswp, lauum, orgqr, ormqr,
    posv, posv_mixed, potrf, potri, potrs, trtri, trtrs,
};
pub use route::lapack::{
    gtsv, gtsv_batched, gtsv_on, gttrf, gttrf_on, gttrs, gttrs_on, ptsv, ptsv_on, pttrf, pttrf_on, pttrs, pttrs_on,
};
pub use route::lapack::{hbev, hbev_on, hbevx, hbevx_on, hbtrd, hbtrd_on};
pub use route::lapack::{
    hesv, hesv_on, hetrf, hetrf_on, hetri, hetri_on, hetrs, hetrs_on, sysv, sysv_on, sytrf, sytrf_on, sytri, sytri_on,
    sytrs, sytrs_on,
};
pub use route::lapack::{
    hfrk, hfrk_on, hpev, hpev_on, hpgv, hpgv_on, hpsv, hpsv_on, hptrf, hptrf_on, hptri, hptri_on, hptrs, hptrs_on,
    lanhf, lanhf_on, lanhp, lanhp_on, lansf, lansf_on, lansp, lansp_on, lantp, lantp_on, pftrf, pftrf_on, pftri,
    pftri_on, pftrs, pftrs_on, ppcon, ppcon_on, ppcon_with_vector, ppsv, ppsv_on, pptrf, pptrf_on, pptri, pptri_on,
    pptrs, pptrs_on, sfrk, sfrk_on, spsv, spsv_on, sptrf, sptrf_on, sptri, sptri_on, sptrs, sptrs_on, tfsm, tfsm_on,
    tftri, tftri_on, tfttp, tfttp_on, tfttr, tfttr_on, tptri, tptri_on, tptrs, tptrs_on, tpttf, tpttf_on, tpttr,
    tpttr_on, trttf, trttf_on, trttp, trttp_on,
};
pub use route::level1::{axpby, axpy, copy, rot, rot_real, rotm, scal, scal_real, swap};
pub use route::level2::{
    gbmv, gemv, ger, gerc, hbmv, hemv, her, her2, hpmv, hpr, hpr2, sbmv, spmv, spr, spr2, symv, syr, syr2, tbmv, tbsv,
    tpmv, tpsv, trmv, trsv,
};
pub use route::level3::{gemmt, hemm, her2k, herk, symm, syr2k, syrk, trmm};
pub use route::movement::{imatcopy, omatadd, omatcopy};
pub use route::norms::{lange, lanhe, lansy, lantr};
pub use route::reductions::{asum, dot, dotc, dsdot, iamax, iamin, nrm2, sdsdot};
pub use route::set::DeviceSet;
pub use route::sparse::{
    BlockJacobi, Chebyshev, Ic0, Ilu0, SparseFactors, Ssor, bicgstab, cg, gmres, lsmr, lsqr, minres,
};
pub use route::trsm::trsm;
pub use scalar::{Complex32, Complex64, Double, Element, Half, Real, Scalar, ScalarKind};
pub use threads::{num_threads, set_num_threads};
pub use view::{
    BandRef, BandShape, BatchMut, BatchRef, BatchShape, InPlace, MatrixMut, MatrixRef, MatrixShape, PackedMut,
    PackedRef, PackedShape, Spacing, VectorMut, VectorRef, VectorShape,
};
