//! LAPACK on triangles in packed storage and in rectangular full packed storage.

mod conversions;
mod definite;
mod indefinite;
mod norms;
mod spectral;
mod triangular;
mod update;

/// Definite matrices share their arguments.
pub mod pptrf {
    pub type Call<T, F> = super::definite::OnTriangle<T, F, false>;
}
pub mod pptri {
    pub type Call<T, F> = super::definite::OnTriangle<T, F, true>;
}
pub mod pptrs {
    pub type Call<T, F> = super::definite::Solve<T, F, false>;
}
pub mod ppsv {
    pub type Call<T, F> = super::definite::Solve<T, F, true>;
}
pub mod ppcon {
    pub type Call<T, F> = super::definite::Condition<T, F>;
}
pub mod pftrf {
    pub type Call<T, F> = super::definite::OnRectangle<T, F, false>;
}
pub mod pftri {
    pub type Call<T, F> = super::definite::OnRectangle<T, F, true>;
}
pub mod pftrs {
    pub type Call<T, F> = super::definite::SolveRectangular<T, F>;
}

/// Symmetric and Hermitian matrices share their arguments.
pub mod sptrf {
    pub type Call<T, F> = super::indefinite::Factor<T, F, false>;
}
pub mod hptrf {
    pub type Call<T, F> = super::indefinite::Factor<T, F, true>;
}
pub mod sptrs {
    pub type Call<T, F> = super::indefinite::Solve<T, F, false>;
}
pub mod hptrs {
    pub type Call<T, F> = super::indefinite::Solve<T, F, true>;
}
pub mod spsv {
    pub type Call<T, F> = super::indefinite::SolveAtOnce<T, F, false>;
}
pub mod hpsv {
    pub type Call<T, F> = super::indefinite::SolveAtOnce<T, F, true>;
}
pub mod sptri {
    pub type Call<T, F> = super::indefinite::Invert<T, F, false>;
}
pub mod hptri {
    pub type Call<T, F> = super::indefinite::Invert<T, F, true>;
}

/// Triangular matrices.
pub mod tptri {
    pub type Call<T, F> = super::triangular::Invert<T, F>;
}
pub mod tptrs {
    pub type Call<T, F> = super::triangular::Solve<T, F>;
}
pub mod tftri {
    pub type Call<T, F> = super::triangular::InvertRectangular<T, F>;
}
pub mod tfsm {
    pub type Call<T, F> = super::triangular::SolveRectangular<T, F>;
}

/// Updates.
pub mod sfrk {
    pub type Call<T, F> = super::update::Symmetric<T, F>;
}
pub mod hfrk {
    pub type Call<T, F> = super::update::Hermitian<T, F>;
}

/// Eigenvalues.
pub mod spev {
    pub type Call<T, F> = super::spectral::Eigenvalues<T, F>;
}
pub mod spgv {
    pub type Call<T, F> = super::spectral::OfPencil<T, F>;
}

/// Norms of symmetric and Hermitian matrices share their arguments.
pub mod lansp {
    pub type Call<T, F> = super::norms::Mirrored<T, F, false>;
}
pub mod lanhp {
    pub type Call<T, F> = super::norms::Mirrored<T, F, true>;
}
pub mod lantp {
    pub type Call<T, F> = super::norms::Triangular<T, F>;
}
pub mod lansf {
    pub type Call<T, F> = super::norms::Rectangular<T, F, false>;
}
pub mod lanhf {
    pub type Call<T, F> = super::norms::Rectangular<T, F, true>;
}

/// Conversions.
pub mod trttp {
    pub type Call<T, F> = super::conversions::FullToPacked<T, F>;
}
pub mod trttf {
    pub type Call<T, F> = super::conversions::FullToRectangular<T, F>;
}
pub mod tpttr {
    pub type Call<T, F> = super::conversions::PackedToFull<T, F>;
}
pub mod tfttr {
    pub type Call<T, F> = super::conversions::RectangularToFull<T, F>;
}
pub mod tpttf {
    pub type Call<T, F> = super::conversions::PackedToRectangular<T, F>;
}
pub mod tfttp {
    pub type Call<T, F> = super::conversions::RectangularToPacked<T, F>;
}

// Generated calls find the family's own arguments here.
pub use super::{NO_INTEGERS, NO_PLACE, NO_WORKSPACE, Unneeded};

use std::ffi::c_int;

use affinimath::{Error, Op, Result, Scalar};

use crate::arguments;
use crate::form::{Names, names};

/// Names of a packed triangle, and of one in rectangular full packed storage.
const AP: Names = names!("ap");
const BP: Names = names!("bp");
const A: Names = names!("a");
const C: Names = names!("c");
const ARF: Names = names!("arf");

/// LAPACK's `transr`: how the rectangle lies.
fn transr<T: Scalar>(code: c_int) -> Result<Op> {
    match arguments::op("transr", code)? {
        Op::NoTrans => Ok(Op::NoTrans),
        Op::Trans | Op::ConjTrans if !T::KIND.is_complex() => Ok(Op::Trans),
        Op::ConjTrans => Ok(Op::ConjTrans),
        _ => Err(Error::argument("transr", "a rectangle is stored as it is, or as its adjoint")),
    }
}
