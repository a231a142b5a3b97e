//! How the entries on one side of the diagonal follow from those on the other.

use crate::scalar::Scalar;

/// Relation of an entry to its mirror image a across the diagonal.
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
    /// Value across the diagonal.
    pub fn across<T: Scalar>(self, value: T) -> T {
        match self {
            Mirror::Symmetric => value,
            Mirror::Hermitian => value.conjugate(),
            Mirror::SkewSymmetric => -value,
        }
    }
}
