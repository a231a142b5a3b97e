//! Hessenberg and Schur forms of general matrices, their order, their eigenvectors and condition numbers.

mod balance;
mod expert;
mod form;
mod hessenberg;
mod order;
mod sylvester;
mod vectors;

use std::ops::Range;

use super::{check_length, check_matrix, check_vector, no_convergence};
use crate::context::Queue;
use crate::error::{Error, Result};
use crate::route::lapack::staged::{Adjacent, adjacent, adjacent_of};
use crate::scalar::{Element, Scalar};
use crate::view::{MatrixMut, VectorMut, VectorRef};

pub use balance::{gebak, gebak_on, gebal, gebal_on};
pub use expert::{geevx, geevx_on};
pub use form::{SchurVectors, gees, gees_on, geesx, hseqr, hseqr_on};
pub use hessenberg::{gehrd, gehrd_on, orghr, orghr_on, ormhr, ormhr_on};
pub use order::{MovedBlock, selected_pairs, trexc, trexc_on, trsen, trsen_on};
pub use sylvester::{SylvesterScale, trsyl, trsyl_on};
pub use vectors::{SchurEigenvectors, trevc, trevc_on, trsna, trsna_on};

/// Eigenvalues of a general matrix in a device's memory, n of them.
pub enum DeviceEigenvalues<'a, T: Scalar> {
    /// Real parts and imaginary parts.
    Parts(VectorMut<'a, T::RealScalar>, VectorMut<'a, T::RealScalar>),
    /// Elements of the matrix's type, which is complex.
    Elements(VectorMut<'a, T>),
}

/// Memory of eigenvalues, checked before they are computed.
enum Target<'a> {
    Parts(Adjacent<'a>, Adjacent<'a>),
    Elements(Adjacent<'a>),
}

impl<'a> Target<'a> {
    fn of<T: Scalar>(queue: &Queue, values: &DeviceEigenvalues<'a, T>, n: usize) -> Result<Self> {
        match values {
            DeviceEigenvalues::Parts(wr, wi) => {
                check_vector("wr", wr, n)?;
                check_vector("wi", wi, n)?;
                Ok(Target::Parts(adjacent(queue, wr, "wr")?, adjacent(queue, wi, "wi")?))
            }
            DeviceEigenvalues::Elements(_) if !T::KIND.is_complex() => {
                Err(Error::argument("w", "eigenvalues of a real matrix are complex: give two vectors"))
            }
            DeviceEigenvalues::Elements(w) => {
                check_vector("w", w, n)?;
                Ok(Target::Elements(adjacent(queue, w, "w")?))
            }
        }
    }

    fn write<T: Scalar>(&self, queue: &Queue, wr: &[T::RealScalar], wi: &[T::RealScalar]) -> Result<()> {
        match self {
            Target::Parts(re, im) => {
                re.write(queue, wr)?;
                im.write(queue, wi)
            }
            Target::Elements(w) => {
                let values: Vec<T> = wr.iter().zip(wi).map(|(re, im)| T::from_parts(re.re(), im.re())).collect();
                w.write(queue, &values)
            }
        }
    }
}

/// The elements of a vector of a device's memory that is read.
fn copy_of<V: Element>(queue: &Queue, name: &'static str, vector: &VectorRef<'_, V>, length: usize) -> Result<Vec<V>> {
    check_length(name, vector.length(), length)?;
    adjacent_of(queue, vector, name)?.read(queue, length)
}

/// Refuses a range that n rows do not have.
fn check_range(range: &Range<usize>, n: usize) -> Result<()> {
    if range.start <= range.end && range.end <= n {
        return Ok(());
    }
    Err(Error::argument("range", format!("{range:?} is no range of {n} rows")))
}

/// Refuses an optional matrix of other sizes.
fn check_optional<T: Scalar>(name: &str, a: Option<&MatrixMut<'_, T>>, rows: usize, columns: usize) -> Result<()> {
    a.map_or(Ok(()), |a| check_matrix(name, a, rows, columns))
}
