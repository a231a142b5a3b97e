//! How the entries on one side of the diagonal follow from those on the other.

use super::matrix_market::Symmetry;
use crate::scalar::Scalar;

/// What stands across the diagonal from an entry a.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mirror {
    /// a: the matrix is symmetric.
    Symmetric,
    /// The conjugate of a: the matrix is Hermitian.
    Hermitian,
    /// -a: the matrix is skew-symmetric.
    SkewSymmetric,
}

impl Mirror {
    /// That of a matrix as its file stores it; none where all entries are listed.
    pub(crate) const fn of(symmetry: Symmetry) -> Option<Self> {
        match symmetry {
            Symmetry::General => None,
            Symmetry::Symmetric => Some(Mirror::Symmetric),
            Symmetry::SkewSymmetric => Some(Mirror::SkewSymmetric),
            Symmetry::Hermitian => Some(Mirror::Hermitian),
        }
    }

    /// What stands across the diagonal from a value.
    pub(crate) fn across<T: Scalar>(self, value: T) -> T {
        match self {
            Mirror::Symmetric => value,
            Mirror::Hermitian => value.conjugate(),
            Mirror::SkewSymmetric => -value,
        }
    }
}
