//! Functions of elements.

use super::{Expr, IntoExpr};
use crate::element::Number;
use crate::function::{Binary, Unary};
use crate::node::Node;
use crate::types::{Element, Floating, Numeric, Ordered, Real};

macro_rules! unary {
    ($bound:ident => $output:ty: $($(#[$doc:meta])* $method:ident $function:ident;)*) => {
        impl<T: $bound> Expr<T> {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $method(&self) -> Expr<$output> {
                    Expr::new(self.node.unary(Unary::$function))
                }
            )*
        }
    };
}

unary! { Numeric => T::Part:
    /// |x|, of a complex value a real one; wraps for the least signed integer.
    abs Abs;
}

unary! { Numeric => T:
    /// x x
    square Square;
}

unary! { Ordered => T:
    /// -1, 0 or 1; NaN and zeros are themselves.
    sign Sign;
}

unary! { Floating => T:
    /// 1/x
    recip Recip;
    /// The square root; of a complex value the principal one.
    sqrt Sqrt;
    /// e^x
    exp Exp;
    /// The natural logarithm; of a complex value the principal one.
    ln Ln;
}

unary! { Floating => bool:
    /// True where the element, or a part of it, is NaN.
    is_nan IsNan;
    /// True where the element, or a part of it, is infinite.
    is_infinite IsInfinite;
    /// True where the element, and each part of it, is neither NaN nor infinite.
    is_finite IsFinite;
}

unary! { Real => T:
    /// The cube root.
    cbrt Cbrt;
    /// 2^x
    exp2 Exp2;
    /// e^x - 1, also near 0.
    expm1 Expm1;
    /// The logarithm to base 2.
    log2 Log2;
    /// The logarithm to base 10.
    log10 Log10;
    /// ln(1 + x), also near 0.
    log1p Log1p;
    /// The sine of radians.
    sin Sin;
    /// The cosine of radians.
    cos Cos;
    /// The tangent of radians.
    tan Tan;
    /// The angle in radians, -π/2 to π/2.
    asin Asin;
    /// The angle in radians, 0 to π.
    acos Acos;
    /// The angle in radians, -π/2 to π/2.
    atan Atan;
    /// (e^x - e^-x) / 2
    sinh Sinh;
    /// (e^x + e^-x) / 2
    cosh Cosh;
    /// sinh(x) / cosh(x)
    tanh Tanh;
    /// The error function.
    erf Erf;
    /// 1 - erf(x), also for large x.
    erfc Erfc;
    /// The distribution function of the standard normal distribution.
    normcdf Normcdf;
    /// Γ(x)
    gamma Gamma;
    /// ln |Γ(x)|
    lgamma Lgamma;
    /// The largest whole number not above x.
    floor Floor;
    /// The smallest whole number not below x.
    ceil Ceil;
    /// The next whole number towards zero.
    trunc Trunc;
    /// The nearest whole number, ties to even.
    round Round;
    /// sin(π x), exact at multiples of 1/2.
    sin_pi SinPi;
    /// cos(π x), exact at multiples of 1/2.
    cos_pi CosPi;
}

unary! { Real => bool:
    /// True for negative values, -0, and NaN with a sign.
    sign_bit SignBit;
}

macro_rules! binary {
    ($bound:ident: $($(#[$doc:meta])* $method:ident $function:ident;)*) => {
        impl<T: $bound> Expr<T> {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $method(&self, other: impl IntoExpr<T>) -> Expr<T> {
                    Expr::new(self.node.binary(Binary::$function, other.into_expr().node()))
                }
            )*
        }
    };
}

binary! { Ordered:
    /// The smaller element; NaN if one is NaN.
    minimum Min;
    /// The larger element; NaN if one is NaN.
    maximum Max;
}

binary! { Real:
    /// x^y
    pow Pow;
    /// The angle of the point (`other`, `self`), in radians, -π to π.
    atan2 Atan2;
    /// sqrt(x² + y²) without overflow.
    hypot Hypot;
    /// |x| with the sign of `other`.
    copysign CopySign;
}

impl<T: Ordered> Expr<T> {
    /// The nearest value between `low` and `high`; `high` where they are in the wrong order.
    #[track_caller]
    pub fn clamp(&self, low: impl IntoExpr<T>, high: impl IntoExpr<T>) -> Expr<T> {
        self.maximum(low).minimum(high)
    }
}

impl<T: Real> Expr<T> {
    /// x `factor` + `addend`, rounded once.
    #[track_caller]
    pub fn fma(&self, factor: impl IntoExpr<T>, addend: impl IntoExpr<T>) -> Expr<T> {
        Expr::new(self.node.fma(factor.into_expr().node(), addend.into_expr().node()))
    }
}

impl<T: Numeric> Expr<T> {
    /// x^`exponent` by repeated squaring; 1 for the exponent 0.
    #[track_caller]
    pub fn powi(&self, exponent: u32) -> Expr<T> {
        if self.error().is_some() {
            return self.clone();
        }
        let (mut base, mut rest, mut result) = (self.node.clone(), exponent, None::<Node>);
        while rest > 0 {
            if rest & 1 == 1 {
                result = Some(match result {
                    None => base.clone(),
                    Some(product) => product.binary(Binary::Mul, &base),
                });
            }
            rest >>= 1;
            if rest > 0 {
                base = base.unary(Unary::Square);
            }
        }
        let one = || Node::scalar(Number::of_real(1.0, T::TYPE)).broadcast_to(self.shape());
        Expr::new(result.unwrap_or_else(one))
    }
}

impl<T: Element> Expr<T> {
    /// Each element converted as by Rust's `as`: integers wrap, reals saturate, NaN becomes 0. `bool` becomes 0 or 1;
    /// to `bool` it is true where not equal to 0. A real value becomes complex. A complex one does not become real:
    /// that is an error, and `re`, `im` or `abs` do it.
    #[track_caller]
    pub fn cast<U: Element>(&self) -> Expr<U> {
        Expr::new(self.node.convert(U::TYPE))
    }
}

impl Expr<bool> {
    /// `on_true` where the mask is true, `on_false` elsewhere.
    #[track_caller]
    pub fn select<T: Element>(&self, on_true: impl IntoExpr<T>, on_false: impl IntoExpr<T>) -> Expr<T> {
        Expr::new(self.node.select(on_true.into_expr().node(), on_false.into_expr().node()))
    }
}
