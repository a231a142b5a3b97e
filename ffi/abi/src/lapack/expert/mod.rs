//! Expert drivers and what they consist of, on the host: C's arguments, in C's order, to the library's views.

mod band;
mod condition;
mod drivers;
mod equilibrate;
mod refine;
mod rook;
mod tridiagonal;

/// Equilibrations share their arguments.
pub mod geequ {
    pub type Call<T, F> = super::equilibrate::General<T, F, false>;
}
pub mod geequb {
    pub type Call<T, F> = super::equilibrate::General<T, F, true>;
}
pub mod poequ {
    pub type Call<T, F> = super::equilibrate::Definite<T, F, false>;
}
pub mod poequb {
    pub type Call<T, F> = super::equilibrate::Definite<T, F, true>;
}
pub mod syequb {
    pub type Call<T, F> = super::equilibrate::Indefinite<T, F>;
}

/// Refinements.
pub mod gerfs {
    pub type Call<T, F> = super::refine::General<T, F>;
}
pub mod porfs {
    pub type Call<T, F> = super::refine::Definite<T, F>;
}
pub mod syrfs {
    pub type Call<T, F> = super::refine::Indefinite<T, F, false>;
}
pub mod herfs {
    pub type Call<T, F> = super::refine::Indefinite<T, F, true>;
}

/// Drivers.
pub mod gesvx {
    pub type Call<T, F> = super::drivers::General<T, F>;
}
pub mod posvx {
    pub type Call<T, F> = super::drivers::Definite<T, F>;
}
pub mod sysvx {
    pub type Call<T, F> = super::drivers::Indefinite<T, F, false>;
}
pub mod hesvx {
    pub type Call<T, F> = super::drivers::Indefinite<T, F, true>;
}

/// Condition numbers.
pub mod sycon {
    pub type Call<T, F> = super::condition::OfTriangle<T, F, false, false>;
}
pub mod hecon {
    pub type Call<T, F> = super::condition::OfTriangle<T, F, true, false>;
}
pub mod sycon_rook {
    pub type Call<T, F> = super::condition::OfTriangle<T, F, false, true>;
}
pub mod hecon_rook {
    pub type Call<T, F> = super::condition::OfTriangle<T, F, true, true>;
}

/// The rook variant.
pub mod sytrf_rook {
    pub type Call<T, F> = super::rook::Factor<T, F, false>;
}
pub mod hetrf_rook {
    pub type Call<T, F> = super::rook::Factor<T, F, true>;
}
pub mod sytrs_rook {
    pub type Call<T, F> = super::rook::Solve<T, F, false>;
}
pub mod hetrs_rook {
    pub type Call<T, F> = super::rook::Solve<T, F, true>;
}
pub mod sysv_rook {
    pub type Call<T, F> = super::rook::SolveAtOnce<T, F, false>;
}
pub mod hesv_rook {
    pub type Call<T, F> = super::rook::SolveAtOnce<T, F, true>;
}
pub mod sytri_rook {
    pub type Call<T, F> = super::rook::Invert<T, F, false>;
}
pub mod hetri_rook {
    pub type Call<T, F> = super::rook::Invert<T, F, true>;
}

/// Band and tridiagonal matrices.
pub mod gbcon {
    pub type Call<T, F> = super::band::Condition<T, F>;
}
pub mod tbtrs {
    pub type Call<T, F> = super::band::Solve<T, F>;
}
pub mod sygst {
    pub type Call<T, F> = super::band::Standardise<T, F>;
}
pub mod gtcon {
    pub type Call<T, F> = super::tridiagonal::Condition<T, F>;
}
pub mod ptcon {
    pub type Call<T, F> = super::tridiagonal::DefiniteCondition<T, F>;
}
pub mod gtrfs {
    pub type Call<T, F> = super::tridiagonal::Refine<T, F>;
}
pub mod gtsvx {
    pub type Call<T, F> = super::tridiagonal::Driver<T, F>;
}
pub mod ptrfs {
    pub type Call<T, F> = super::tridiagonal::RefineDefinite<T, F>;
}
pub mod ptrfs_complex {
    pub type Call<T, F> = super::tridiagonal::RefineHermitian<T, F>;
}
pub mod ptsvx {
    pub type Call<T, F> = super::tridiagonal::DefiniteDriver<T, F>;
}

use affinimath::{Result, Scalar, Symmetry};

use crate::arguments::array;
use crate::form::{Location, Names, Opened, Session, names};
use affinimath::VectorShape;

/// Names of the factors beside A.
const AF: Names = names!("af", "ld");
const R: Names = names!("r");
const C: Names = names!("c");
const FERR: Names = names!("ferr");
const BERR: Names = names!("berr");

const fn symmetry(hermitian: bool) -> Symmetry {
    if hermitian { Symmetry::Hermitian } else { Symmetry::Symmetric }
}

/// Real elements behind a host pointer.
///
/// # Safety
/// The pointer must be null or valid for `count` elements.
unsafe fn reals<T: Scalar>(
    session: &Session,
    names: Names,
    count: usize,
    location: impl Location<T::RealScalar>,
) -> Result<Opened<T::RealScalar, VectorShape>> {
    // SAFETY: `array` refused null; this function requires `count` elements.
    unsafe { array(names, count, location)?.open(session) }
}
