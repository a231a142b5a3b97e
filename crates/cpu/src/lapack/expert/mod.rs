//! Expert drivers: equilibration, condition numbers, iterative refinement and error bounds (LAPACK: xGEEQU, xGERFS,
//! xGESVX and their kin).

mod band;
mod condition;
mod drivers;
mod equilibrate;
mod refine;
mod tridiagonal;

pub use band::tbtrs;
pub use condition::{gbcon, gtcon, hecon, ptcon, sycon};
pub use drivers::{Definite, Expert, General, Indefinite, gesvx, posvx, sysvx};
pub use equilibrate::{Equed, Equilibration, geequ, geequb, poequ, poequb, syequb};
pub use refine::{gerfs, herfs, porfs, syrfs};
pub use tridiagonal::{DefiniteTridiagonal, Tridiagonal, gtrfs, gtsvx, ptrfs, ptsvx};

use affinimath_core::scalar::Scalar;

/// The smallest normal number of the precision (LAPACK: xLAMCH('S')).
fn safe_minimum<T: Scalar>() -> f64 {
    if T::KIND.is_double() { f64::MIN_POSITIVE } else { f32::MIN_POSITIVE.into() }
}

/// The unit roundoff (LAPACK: xLAMCH('E')).
fn roundoff<T: Scalar>() -> f64 {
    T::EPSILON / 2.0
}

/// A real number of the precision.
fn real<T: Scalar>(value: f64) -> T::RealScalar {
    T::RealScalar::from_parts(value, 0.0)
}

/// |re| + |im|.
fn size<T: Scalar>(x: T) -> f64 {
    x.sum_of_moduli().into()
}

/// The larger number; NaN where one is.
fn larger(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}
