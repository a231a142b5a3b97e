//! Complex values, their parts and their angles.

use super::{Expr, IntoExpr};
use crate::node::Complex;
use crate::types::{ComplexNumber, Element, Real};

impl<T: ComplexNumber> Expr<T> {
    /// The real part.
    #[track_caller]
    pub fn re(&self) -> Expr<T::Part> {
        Expr::new(self.node.complex(Complex::Re))
    }

    /// The imaginary part.
    #[track_caller]
    pub fn im(&self) -> Expr<T::Part> {
        Expr::new(self.node.complex(Complex::Im))
    }

    /// The conjugate.
    #[track_caller]
    pub fn conj(&self) -> Expr<T> {
        Expr::new(self.node.complex(Complex::Conj))
    }

    /// The angle in radians, -π to π.
    #[track_caller]
    pub fn arg(&self) -> Expr<T::Part> {
        Expr::new(self.node.complex(Complex::Arg))
    }

    /// |z|²
    #[track_caller]
    pub fn norm_squared(&self) -> Expr<T::Part> {
        Expr::new(self.node.complex(Complex::NormSquared))
    }

    /// The conjugate transpose: all axes in reverse order.
    #[track_caller]
    pub fn h(&self) -> Expr<T> {
        Expr::new(self.node.complex(Complex::Conj).transpose())
    }
}

impl<T: Real> Expr<T> {
    /// The elements as complex ones. Beside a complex operand of + - * / they are taken as the real ones that they are.
    #[track_caller]
    pub fn to_complex(&self) -> Expr<T::Complex> {
        Expr::new(self.node.convert(T::Complex::TYPE))
    }
}

/// re + i im
///
/// ```
/// let z = affinimath_array::complex(affinimath_array::ones::<f64>([3]), 2.0);
/// assert_eq!(z.re().shape(), &[3]);
/// ```
#[track_caller]
pub fn complex<T: Real>(re: impl IntoExpr<T>, im: impl IntoExpr<T>) -> Expr<T::Complex> {
    Expr::new(re.into_expr().node.complex_of(Complex::FromParts, im.into_expr().node()))
}

/// r e^(i φ), the angle φ in radians.
#[track_caller]
pub fn polar<T: Real>(r: impl IntoExpr<T>, phi: impl IntoExpr<T>) -> Expr<T::Complex> {
    Expr::new(r.into_expr().node.complex_of(Complex::Polar, phi.into_expr().node()))
}
