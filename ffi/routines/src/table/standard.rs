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
/// threads, and gemm_batch.
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
