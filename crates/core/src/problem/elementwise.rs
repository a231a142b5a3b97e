//! Operations of level 1 that treat elements apart from each other.

use crate::scalar::Scalar;

/// An operation on each element y of a vector, and in some operations on its partner x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Elementwise<T: Scalar> {
    /// y := alpha
    Set(T),
    /// y := alpha y
    Scal(T),
    /// y := alpha y, with a real alpha
    ScalReal(T::RealScalar),
    /// y := x
    Copy,
    /// x <-> y
    Swap,
    /// y := alpha x + y
    Axpy(T),
    /// y := alpha x + beta y; with beta = 0, y is not read
    Axpby(T, T),
    /// (x, y) := (h11 x + h12 y, h21 x + h22 y), with the real factors h11, h12, h21, h22
    Rotate([T::RealScalar; 4]),
    /// (x, y) := (c x + s y, c y - conj(s) x), with a real c
    RotateComplex(T::RealScalar, T),
}

impl<T: Scalar> Elementwise<T> {
    /// y := alpha x + beta y, with as little reading as the factors allow; `None` when nothing changes.
    pub fn axpby(alpha: T, beta: T) -> Option<Self> {
        // BLAS: a factor of zero means that its vector is not read, so that NaN in it vanishes.
        match (alpha == T::ZERO, beta == T::ZERO, beta == T::ONE) {
            (true, _, true) => None,
            (true, true, _) => Some(Elementwise::Set(T::ZERO)),
            (true, false, _) => Some(Elementwise::Scal(beta)),
            (false, _, true) => Some(Elementwise::Axpy(alpha)),
            (false, ..) => Some(Elementwise::Axpby(alpha, beta)),
        }
    }

    /// True if there are two vectors.
    pub const fn has_x(&self) -> bool {
        !matches!(self, Elementwise::Set(_) | Elementwise::Scal(_) | Elementwise::ScalReal(_))
    }

    /// True if x is changed.
    pub const fn writes_x(&self) -> bool {
        matches!(self, Elementwise::Swap) || self.rotates()
    }

    /// True for the rotations, which are a program of their own.
    pub const fn rotates(&self) -> bool {
        matches!(self, Elementwise::Rotate(_) | Elementwise::RotateComplex(..))
    }

    /// The rotation by a cosine and a sine, which is real for the real types.
    pub fn rotation(c: T::RealScalar, s: T) -> Self {
        if T::KIND.is_complex() {
            return Elementwise::RotateComplex(c, s);
        }
        Self::real_rotation(c, T::RealScalar::from_parts(s.re(), 0.0))
    }

    /// The rotation by a cosine and a sine that are both real.
    pub fn real_rotation(c: T::RealScalar, s: T::RealScalar) -> Self {
        Elementwise::Rotate([c, s, -s, c])
    }

    /// True if y is read before it is written.
    pub fn reads_y(&self) -> bool {
        match self {
            Elementwise::Set(_) | Elementwise::Copy => false,
            Elementwise::Axpby(_, beta) => *beta != T::ZERO,
            _ => true,
        }
    }
}
