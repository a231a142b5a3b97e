//! The names and peculiarities of a routine in BLAS, and in the libraries that extend it.
//!
//! The argument lists follow from the row. CBLAS has its arguments in the row's order, complex scalars by pointer.
//! Fortran has them without the layout, all by pointer, options as letters. Both return a scalar result, except a
//! complex one in CBLAS.

use super::{SDCZ, TypeVariant};

/// A routine under a standard name.
pub struct Standard {
    /// The end of the name, after the type's letters, such as `gemm`.
    pub name: &'static str,
    /// The letters of the types that have a Fortran name: `dgemm_`.
    pub fortran: Types,
    /// The letters of the types that have a CBLAS name: `cblas_dgemm`.
    pub cblas: Types,
    /// The ops that its options allow.
    pub ops: Ops,
    /// True if Fortran's form begins with the layout, as a letter.
    pub fortran_order: bool,
    /// True if the reference has a subroutine that returns the result in a last argument: `ddotsub_`.
    pub sub: bool,
    /// Arguments that the reference exchanges in row-major layout, before Fortran's form counts the wrong one.
    pub exchanged: &'static [[&'static str; 2]],
    /// True for LAPACK, where LAPACKE replaces CBLAS.
    pub lapack: bool,
    /// True if LAPACKE has it, too.
    pub lapacke: bool,
    /// True if Fortran's form ends with LAPACK's info.
    pub info: bool,
    /// Workspace of the routine that this name does not have.
    pub without: &'static [&'static str],
}

/// Some of a routine's types.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Types {
    /// All of them.
    All,
    /// S and D.
    Real,
    /// C and Z.
    Complex,
}

impl Types {
    /// True if these types include one.
    pub fn has(self, variant: &TypeVariant) -> bool {
        let real = SDCZ[..2].iter().any(|t| t.element == variant.element);
        match self {
            Types::All => true,
            Types::Real => real,
            Types::Complex => !real,
        }
    }
}

/// The ops that an option allows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ops {
    /// `N`, `T` and `C`. CBLAS's extended code for the conjugate is legal, too.
    Three,
    /// `N` and `T`, and for real types `C`.
    Symmetric,
    /// `N` and `C`.
    Hermitian,
    /// `N`, `T`, `C` and `R`, the conjugate.
    Four,
    /// `N` and the type's adjoint: `T` or `C`.
    Adjoint,
}

/// A routine of BLAS, for all its types.
pub const fn blas(name: &'static str) -> Standard {
    Standard {
        name,
        fortran: Types::All,
        cblas: Types::All,
        ops: Ops::Three,
        fortran_order: false,
        sub: false,
        exchanged: &[],
        lapack: false,
        lapacke: true,
        info: false,
        without: &[],
    }
}

/// A routine of LAPACK, for all its types.
pub const fn lapack(name: &'static str) -> Standard {
    Standard { lapack: true, info: true, ..blas(name) }
}

/// The drop-in's handwritten exports: BLAS's helpers, error handlers with their flags, OpenBLAS's functions about
/// threads, gemm_batch, auxiliaries of LAPACK, and its routines on tridiagonal matrices stebz, stein and stemr.
pub const WRITTEN_BY_HAND: &[&str] = &[
    "lsame_ scipy_lsame_ lsame_64_ scipy_lsame_64_",
    "scabs1_ scipy_scabs1_ scabs1_64_ scipy_scabs1_64_ cblas_scabs1 scipy_cblas_scabs1 cblas_scabs1_64",
    "cblas_scabs164_ scipy_cblas_scabs164_ scabs1sub_ dcabs1_ scipy_dcabs1_ dcabs1_64_ scipy_dcabs1_64_",
    "cblas_dcabs1 scipy_cblas_dcabs1 cblas_dcabs1_64 cblas_dcabs164_ scipy_cblas_dcabs164_ dcabs1sub_",
    "xerbla_ xerbla_array_ scipy_xerbla_ scipy_xerbla_array_ xerbla_64_ xerbla_array_64_ scipy_xerbla_64_",
    "scipy_xerbla_array_64_ cblas_xerbla scipy_cblas_xerbla cblas_xerbla64_ cblas_xerbla_64 scipy_cblas_xerbla64_",
    "LAPACKE_xerbla LAPACKE_xerbla64_ LAPACKE_xerbla_64",
    "RowMajorStrg CBLAS_CallFromC",
    "openblas_get_num_threads openblas_get_num_threads64_ openblas_get_num_threads_64 scipy_openblas_get_num_threads",
    "scipy_openblas_get_num_threads64_ openblas_get_num_threads_ openblas_get_num_threads_64_",
    "scipy_openblas_get_num_threads_ scipy_openblas_get_num_threads_64_",
    "openblas_set_num_threads openblas_set_num_threads64_ openblas_set_num_threads_64 scipy_openblas_set_num_threads",
    "scipy_openblas_set_num_threads64_ openblas_set_num_threads_ openblas_set_num_threads_64_",
    "scipy_openblas_set_num_threads_ scipy_openblas_set_num_threads_64_ goto_set_num_threads",
    "scipy_goto_set_num_threads64_",
    "openblas_get_num_procs openblas_get_num_procs64_ openblas_get_num_procs_64 scipy_openblas_get_num_procs",
    "scipy_openblas_get_num_procs64_ openblas_get_num_procs_ openblas_get_num_procs_64_ scipy_openblas_get_num_procs_",
    "scipy_openblas_get_num_procs_64_",
    "openblas_get_parallel openblas_get_parallel64_ openblas_get_parallel_64 scipy_openblas_get_parallel",
    "scipy_openblas_get_parallel64_ openblas_get_parallel_ openblas_get_parallel_64_ scipy_openblas_get_parallel_",
    "scipy_openblas_get_parallel_64_",
    "openblas_get_config openblas_get_config64_ openblas_get_config_64 scipy_openblas_get_config",
    "scipy_openblas_get_config64_ openblas_get_corename openblas_get_corename64_ openblas_get_corename_64",
    "scipy_openblas_get_corename scipy_openblas_get_corename64_",
    "sgemm_batch_ scipy_sgemm_batch_ cblas_sgemm_batch scipy_cblas_sgemm_batch dgemm_batch_ scipy_dgemm_batch_",
    "cblas_dgemm_batch scipy_cblas_dgemm_batch cgemm_batch_ scipy_cgemm_batch_ cblas_cgemm_batch",
    "scipy_cblas_cgemm_batch zgemm_batch_ scipy_zgemm_batch_ cblas_zgemm_batch scipy_cblas_zgemm_batch",
    "sgemm_batch_64_ scipy_sgemm_batch_64_ cblas_sgemm_batch64_ cblas_sgemm_batch_64 scipy_cblas_sgemm_batch64_",
    "dgemm_batch_64_ scipy_dgemm_batch_64_ cblas_dgemm_batch64_ cblas_dgemm_batch_64 scipy_cblas_dgemm_batch64_",
    "cgemm_batch_64_ scipy_cgemm_batch_64_ cblas_cgemm_batch64_ cblas_cgemm_batch_64 scipy_cblas_cgemm_batch64_",
    "zgemm_batch_64_ scipy_zgemm_batch_64_ cblas_zgemm_batch64_ cblas_zgemm_batch_64 scipy_cblas_zgemm_batch64_",
    // Auxiliaries of LAPACK.
    "slacpy_ scipy_slacpy_ slacpy_64_ scipy_slacpy_64_ dlacpy_ scipy_dlacpy_ dlacpy_64_ scipy_dlacpy_64_ clacpy_",
    "scipy_clacpy_ clacpy_64_ scipy_clacpy_64_ zlacpy_ scipy_zlacpy_ zlacpy_64_ scipy_zlacpy_64_ LAPACKE_slacpy",
    "scipy_LAPACKE_slacpy LAPACKE_slacpy64_ LAPACKE_slacpy_64 scipy_LAPACKE_slacpy64_ LAPACKE_slacpy_work",
    "scipy_LAPACKE_slacpy_work LAPACKE_slacpy_work64_ LAPACKE_slacpy_work_64 scipy_LAPACKE_slacpy_work64_",
    "LAPACKE_dlacpy scipy_LAPACKE_dlacpy LAPACKE_dlacpy64_ LAPACKE_dlacpy_64 scipy_LAPACKE_dlacpy64_",
    "LAPACKE_dlacpy_work scipy_LAPACKE_dlacpy_work LAPACKE_dlacpy_work64_ LAPACKE_dlacpy_work_64",
    "scipy_LAPACKE_dlacpy_work64_ LAPACKE_clacpy scipy_LAPACKE_clacpy LAPACKE_clacpy64_ LAPACKE_clacpy_64",
    "scipy_LAPACKE_clacpy64_ LAPACKE_clacpy_work scipy_LAPACKE_clacpy_work LAPACKE_clacpy_work64_",
    "LAPACKE_clacpy_work_64 scipy_LAPACKE_clacpy_work64_ LAPACKE_zlacpy scipy_LAPACKE_zlacpy LAPACKE_zlacpy64_",
    "LAPACKE_zlacpy_64 scipy_LAPACKE_zlacpy64_ LAPACKE_zlacpy_work scipy_LAPACKE_zlacpy_work",
    "LAPACKE_zlacpy_work64_ LAPACKE_zlacpy_work_64 scipy_LAPACKE_zlacpy_work64_ slaset_ scipy_slaset_ slaset_64_",
    "scipy_slaset_64_ dlaset_ scipy_dlaset_ dlaset_64_ scipy_dlaset_64_ claset_ scipy_claset_ claset_64_",
    "scipy_claset_64_ zlaset_ scipy_zlaset_ zlaset_64_ scipy_zlaset_64_ LAPACKE_slaset scipy_LAPACKE_slaset",
    "LAPACKE_slaset64_ LAPACKE_slaset_64 scipy_LAPACKE_slaset64_ LAPACKE_slaset_work scipy_LAPACKE_slaset_work",
    "LAPACKE_slaset_work64_ LAPACKE_slaset_work_64 scipy_LAPACKE_slaset_work64_ LAPACKE_dlaset",
    "scipy_LAPACKE_dlaset LAPACKE_dlaset64_ LAPACKE_dlaset_64 scipy_LAPACKE_dlaset64_ LAPACKE_dlaset_work",
    "scipy_LAPACKE_dlaset_work LAPACKE_dlaset_work64_ LAPACKE_dlaset_work_64 scipy_LAPACKE_dlaset_work64_",
    "LAPACKE_claset scipy_LAPACKE_claset LAPACKE_claset64_ LAPACKE_claset_64 scipy_LAPACKE_claset64_",
    "LAPACKE_claset_work scipy_LAPACKE_claset_work LAPACKE_claset_work64_ LAPACKE_claset_work_64",
    "scipy_LAPACKE_claset_work64_ LAPACKE_zlaset scipy_LAPACKE_zlaset LAPACKE_zlaset64_ LAPACKE_zlaset_64",
    "scipy_LAPACKE_zlaset64_ LAPACKE_zlaset_work scipy_LAPACKE_zlaset_work LAPACKE_zlaset_work64_",
    "LAPACKE_zlaset_work_64 scipy_LAPACKE_zlaset_work64_ slascl_ scipy_slascl_ slascl_64_ scipy_slascl_64_",
    "dlascl_ scipy_dlascl_ dlascl_64_ scipy_dlascl_64_ clascl_ scipy_clascl_ clascl_64_ scipy_clascl_64_ zlascl_",
    "scipy_zlascl_ zlascl_64_ scipy_zlascl_64_ LAPACKE_slascl scipy_LAPACKE_slascl LAPACKE_slascl64_",
    "LAPACKE_slascl_64 scipy_LAPACKE_slascl64_ LAPACKE_slascl_work scipy_LAPACKE_slascl_work",
    "LAPACKE_slascl_work64_ LAPACKE_slascl_work_64 scipy_LAPACKE_slascl_work64_ LAPACKE_dlascl",
    "scipy_LAPACKE_dlascl LAPACKE_dlascl64_ LAPACKE_dlascl_64 scipy_LAPACKE_dlascl64_ LAPACKE_dlascl_work",
    "scipy_LAPACKE_dlascl_work LAPACKE_dlascl_work64_ LAPACKE_dlascl_work_64 scipy_LAPACKE_dlascl_work64_",
    "LAPACKE_clascl scipy_LAPACKE_clascl LAPACKE_clascl64_ LAPACKE_clascl_64 scipy_LAPACKE_clascl64_",
    "LAPACKE_clascl_work scipy_LAPACKE_clascl_work LAPACKE_clascl_work64_ LAPACKE_clascl_work_64",
    "scipy_LAPACKE_clascl_work64_ LAPACKE_zlascl scipy_LAPACKE_zlascl LAPACKE_zlascl64_ LAPACKE_zlascl_64",
    "scipy_LAPACKE_zlascl64_ LAPACKE_zlascl_work scipy_LAPACKE_zlascl_work LAPACKE_zlascl_work64_",
    "LAPACKE_zlascl_work_64 scipy_LAPACKE_zlascl_work64_ slarfg_ scipy_slarfg_ slarfg_64_ scipy_slarfg_64_",
    "dlarfg_ scipy_dlarfg_ dlarfg_64_ scipy_dlarfg_64_ clarfg_ scipy_clarfg_ clarfg_64_ scipy_clarfg_64_ zlarfg_",
    "scipy_zlarfg_ zlarfg_64_ scipy_zlarfg_64_ LAPACKE_slarfg scipy_LAPACKE_slarfg LAPACKE_slarfg64_",
    "LAPACKE_slarfg_64 scipy_LAPACKE_slarfg64_ LAPACKE_slarfg_work scipy_LAPACKE_slarfg_work",
    "LAPACKE_slarfg_work64_ LAPACKE_slarfg_work_64 scipy_LAPACKE_slarfg_work64_ LAPACKE_dlarfg",
    "scipy_LAPACKE_dlarfg LAPACKE_dlarfg64_ LAPACKE_dlarfg_64 scipy_LAPACKE_dlarfg64_ LAPACKE_dlarfg_work",
    "scipy_LAPACKE_dlarfg_work LAPACKE_dlarfg_work64_ LAPACKE_dlarfg_work_64 scipy_LAPACKE_dlarfg_work64_",
    "LAPACKE_clarfg scipy_LAPACKE_clarfg LAPACKE_clarfg64_ LAPACKE_clarfg_64 scipy_LAPACKE_clarfg64_",
    "LAPACKE_clarfg_work scipy_LAPACKE_clarfg_work LAPACKE_clarfg_work64_ LAPACKE_clarfg_work_64",
    "scipy_LAPACKE_clarfg_work64_ LAPACKE_zlarfg scipy_LAPACKE_zlarfg LAPACKE_zlarfg64_ LAPACKE_zlarfg_64",
    "scipy_LAPACKE_zlarfg64_ LAPACKE_zlarfg_work scipy_LAPACKE_zlarfg_work LAPACKE_zlarfg_work64_",
    "LAPACKE_zlarfg_work_64 scipy_LAPACKE_zlarfg_work64_ slarf_ scipy_slarf_ slarf_64_ scipy_slarf_64_ dlarf_",
    "scipy_dlarf_ dlarf_64_ scipy_dlarf_64_ clarf_ scipy_clarf_ clarf_64_ scipy_clarf_64_ zlarf_ scipy_zlarf_",
    "zlarf_64_ scipy_zlarf_64_ slarft_ scipy_slarft_ slarft_64_ scipy_slarft_64_ dlarft_ scipy_dlarft_ dlarft_64_",
    "scipy_dlarft_64_ clarft_ scipy_clarft_ clarft_64_ scipy_clarft_64_ zlarft_ scipy_zlarft_ zlarft_64_",
    "scipy_zlarft_64_ LAPACKE_slarft scipy_LAPACKE_slarft LAPACKE_slarft64_ LAPACKE_slarft_64",
    "scipy_LAPACKE_slarft64_ LAPACKE_slarft_work scipy_LAPACKE_slarft_work LAPACKE_slarft_work64_",
    "LAPACKE_slarft_work_64 scipy_LAPACKE_slarft_work64_ LAPACKE_dlarft scipy_LAPACKE_dlarft LAPACKE_dlarft64_",
    "LAPACKE_dlarft_64 scipy_LAPACKE_dlarft64_ LAPACKE_dlarft_work scipy_LAPACKE_dlarft_work",
    "LAPACKE_dlarft_work64_ LAPACKE_dlarft_work_64 scipy_LAPACKE_dlarft_work64_ LAPACKE_clarft",
    "scipy_LAPACKE_clarft LAPACKE_clarft64_ LAPACKE_clarft_64 scipy_LAPACKE_clarft64_ LAPACKE_clarft_work",
    "scipy_LAPACKE_clarft_work LAPACKE_clarft_work64_ LAPACKE_clarft_work_64 scipy_LAPACKE_clarft_work64_",
    "LAPACKE_zlarft scipy_LAPACKE_zlarft LAPACKE_zlarft64_ LAPACKE_zlarft_64 scipy_LAPACKE_zlarft64_",
    "LAPACKE_zlarft_work scipy_LAPACKE_zlarft_work LAPACKE_zlarft_work64_ LAPACKE_zlarft_work_64",
    "scipy_LAPACKE_zlarft_work64_ slarfb_ scipy_slarfb_ slarfb_64_ scipy_slarfb_64_ dlarfb_ scipy_dlarfb_",
    "dlarfb_64_ scipy_dlarfb_64_ clarfb_ scipy_clarfb_ clarfb_64_ scipy_clarfb_64_ zlarfb_ scipy_zlarfb_",
    "zlarfb_64_ scipy_zlarfb_64_ LAPACKE_slarfb scipy_LAPACKE_slarfb LAPACKE_slarfb64_ LAPACKE_slarfb_64",
    "scipy_LAPACKE_slarfb64_ LAPACKE_slarfb_work scipy_LAPACKE_slarfb_work LAPACKE_slarfb_work64_",
    "LAPACKE_slarfb_work_64 scipy_LAPACKE_slarfb_work64_ LAPACKE_dlarfb scipy_LAPACKE_dlarfb LAPACKE_dlarfb64_",
    "LAPACKE_dlarfb_64 scipy_LAPACKE_dlarfb64_ LAPACKE_dlarfb_work scipy_LAPACKE_dlarfb_work",
    "LAPACKE_dlarfb_work64_ LAPACKE_dlarfb_work_64 scipy_LAPACKE_dlarfb_work64_ LAPACKE_clarfb",
    "scipy_LAPACKE_clarfb LAPACKE_clarfb64_ LAPACKE_clarfb_64 scipy_LAPACKE_clarfb64_ LAPACKE_clarfb_work",
    "scipy_LAPACKE_clarfb_work LAPACKE_clarfb_work64_ LAPACKE_clarfb_work_64 scipy_LAPACKE_clarfb_work64_",
    "LAPACKE_zlarfb scipy_LAPACKE_zlarfb LAPACKE_zlarfb64_ LAPACKE_zlarfb_64 scipy_LAPACKE_zlarfb64_",
    "LAPACKE_zlarfb_work scipy_LAPACKE_zlarfb_work LAPACKE_zlarfb_work64_ LAPACKE_zlarfb_work_64",
    "scipy_LAPACKE_zlarfb_work64_ slartg_ scipy_slartg_ slartg_64_ scipy_slartg_64_ dlartg_ scipy_dlartg_",
    "dlartg_64_ scipy_dlartg_64_ clartg_ scipy_clartg_ clartg_64_ scipy_clartg_64_ zlartg_ scipy_zlartg_",
    "zlartg_64_ scipy_zlartg_64_ slamch_ scipy_slamch_ slamch_64_ scipy_slamch_64_ dlamch_ scipy_dlamch_",
    "dlamch_64_ scipy_dlamch_64_ LAPACKE_slamch scipy_LAPACKE_slamch LAPACKE_slamch64_ LAPACKE_slamch_64",
    "scipy_LAPACKE_slamch64_ LAPACKE_slamch_work scipy_LAPACKE_slamch_work LAPACKE_slamch_work64_",
    "LAPACKE_slamch_work_64 scipy_LAPACKE_slamch_work64_ LAPACKE_dlamch scipy_LAPACKE_dlamch LAPACKE_dlamch64_",
    "LAPACKE_dlamch_64 scipy_LAPACKE_dlamch64_ LAPACKE_dlamch_work scipy_LAPACKE_dlamch_work",
    "LAPACKE_dlamch_work64_ LAPACKE_dlamch_work_64 scipy_LAPACKE_dlamch_work64_ sstebz_ scipy_sstebz_ sstebz_64_",
    "scipy_sstebz_64_ dstebz_ scipy_dstebz_ dstebz_64_ scipy_dstebz_64_ LAPACKE_sstebz scipy_LAPACKE_sstebz",
    "LAPACKE_sstebz64_ LAPACKE_sstebz_64 scipy_LAPACKE_sstebz64_ LAPACKE_sstebz_work scipy_LAPACKE_sstebz_work",
    "LAPACKE_sstebz_work64_ LAPACKE_sstebz_work_64 scipy_LAPACKE_sstebz_work64_ LAPACKE_dstebz",
    "scipy_LAPACKE_dstebz LAPACKE_dstebz64_ LAPACKE_dstebz_64 scipy_LAPACKE_dstebz64_ LAPACKE_dstebz_work",
    "scipy_LAPACKE_dstebz_work LAPACKE_dstebz_work64_ LAPACKE_dstebz_work_64 scipy_LAPACKE_dstebz_work64_ sstein_",
    "scipy_sstein_ sstein_64_ scipy_sstein_64_ dstein_ scipy_dstein_ dstein_64_ scipy_dstein_64_ cstein_",
    "scipy_cstein_ cstein_64_ scipy_cstein_64_ zstein_ scipy_zstein_ zstein_64_ scipy_zstein_64_ LAPACKE_sstein",
    "scipy_LAPACKE_sstein LAPACKE_sstein64_ LAPACKE_sstein_64 scipy_LAPACKE_sstein64_ LAPACKE_dstein",
    "scipy_LAPACKE_dstein LAPACKE_dstein64_ LAPACKE_dstein_64 scipy_LAPACKE_dstein64_ LAPACKE_cstein",
    "scipy_LAPACKE_cstein LAPACKE_cstein64_ LAPACKE_cstein_64 scipy_LAPACKE_cstein64_ LAPACKE_zstein",
    "scipy_LAPACKE_zstein LAPACKE_zstein64_ LAPACKE_zstein_64 scipy_LAPACKE_zstein64_ LAPACKE_sstein_work",
    "scipy_LAPACKE_sstein_work LAPACKE_sstein_work64_ LAPACKE_sstein_work_64 scipy_LAPACKE_sstein_work64_",
    "LAPACKE_dstein_work scipy_LAPACKE_dstein_work LAPACKE_dstein_work64_ LAPACKE_dstein_work_64",
    "scipy_LAPACKE_dstein_work64_ LAPACKE_cstein_work scipy_LAPACKE_cstein_work LAPACKE_cstein_work64_",
    "LAPACKE_cstein_work_64 scipy_LAPACKE_cstein_work64_ LAPACKE_zstein_work scipy_LAPACKE_zstein_work",
    "LAPACKE_zstein_work64_ LAPACKE_zstein_work_64 scipy_LAPACKE_zstein_work64_ sstemr_ scipy_sstemr_ sstemr_64_",
    "scipy_sstemr_64_ dstemr_ scipy_dstemr_ dstemr_64_ scipy_dstemr_64_ cstemr_ scipy_cstemr_ cstemr_64_",
    "scipy_cstemr_64_ zstemr_ scipy_zstemr_ zstemr_64_ scipy_zstemr_64_ LAPACKE_sstemr scipy_LAPACKE_sstemr",
    "LAPACKE_sstemr64_ LAPACKE_sstemr_64 scipy_LAPACKE_sstemr64_ LAPACKE_dstemr scipy_LAPACKE_dstemr",
    "LAPACKE_dstemr64_ LAPACKE_dstemr_64 scipy_LAPACKE_dstemr64_ LAPACKE_cstemr scipy_LAPACKE_cstemr",
    "LAPACKE_cstemr64_ LAPACKE_cstemr_64 scipy_LAPACKE_cstemr64_ LAPACKE_zstemr scipy_LAPACKE_zstemr",
    "LAPACKE_zstemr64_ LAPACKE_zstemr_64 scipy_LAPACKE_zstemr64_ LAPACKE_sstemr_work scipy_LAPACKE_sstemr_work",
    "LAPACKE_sstemr_work64_ LAPACKE_sstemr_work_64 scipy_LAPACKE_sstemr_work64_ LAPACKE_dstemr_work",
    "scipy_LAPACKE_dstemr_work LAPACKE_dstemr_work64_ LAPACKE_dstemr_work_64 scipy_LAPACKE_dstemr_work64_",
    "LAPACKE_cstemr_work scipy_LAPACKE_cstemr_work LAPACKE_cstemr_work64_ LAPACKE_cstemr_work_64",
    "scipy_LAPACKE_cstemr_work64_ LAPACKE_zstemr_work scipy_LAPACKE_zstemr_work LAPACKE_zstemr_work64_",
    "LAPACKE_zstemr_work_64 scipy_LAPACKE_zstemr_work64_",
];

impl Standard {
    /// For the real types only.
    pub const fn real(self) -> Self {
        Standard { fortran: Types::Real, cblas: Types::Real, ..self }
    }

    /// For the complex types only.
    pub const fn complex(self) -> Self {
        Standard { fortran: Types::Complex, cblas: Types::Complex, ..self }
    }

    /// In BLAS for the real types only; LAPACK has it for the complex ones, under Fortran's names.
    pub const fn lapack_complex(self) -> Self {
        Standard { cblas: Types::Real, ..self }
    }

    /// With other ops than most.
    pub const fn ops(self, ops: Ops) -> Self {
        Standard { ops, ..self }
    }

    /// With the layout as Fortran's first argument.
    pub const fn fortran_order(self) -> Self {
        Standard { fortran_order: true, ..self }
    }

    /// With the reference's subroutine.
    pub const fn with_sub(self) -> Self {
        Standard { sub: true, ..self }
    }

    /// Without LAPACK's info.
    pub const fn without_info(self) -> Self {
        Standard { info: false, ..self }
    }

    /// Without LAPACKE's functions.
    pub const fn without_lapacke(self) -> Self {
        Standard { lapacke: false, ..self }
    }

    /// Without workspace that the routine has under other names.
    pub const fn without(self, without: &'static [&'static str]) -> Self {
        Standard { without, ..self }
    }

    /// With arguments that the reference exchanges in row-major layout.
    pub const fn exchanging(self, exchanged: &'static [[&'static str; 2]]) -> Self {
        Standard { exchanged, ..self }
    }
}
