//! Elementary functions of complex elements, from those of their parts.
//!
//! Branch cuts and special values are C99's (annex G), but for the angles of two infinities. Inverse functions follow
//! Kahan, "Branch cuts for complex elementary functions" (1987).

use crate::operators::constant;
use affinimath_array::Node;
use affinimath_array::function::{Binary, Unary};
use affinimath_array::node::Complex;

/// The real and the imaginary part.
pub(super) type Parts = [Node; 2];

/// The parts of complex elements.
pub(super) fn parts(z: &Node) -> Parts {
    [z.complex(Complex::Re), z.complex(Complex::Im)]
}

/// Complex elements of their parts.
pub(super) fn joined([re, im]: Parts) -> Node {
    re.complex_of(Complex::FromParts, &im)
}

/// A function of -y + i x in place of one of x + i y: sin z = -i sinh(i z), and so on.
fn turned(function: fn(Parts) -> Parts, [x, y]: Parts) -> Parts {
    let [re, im] = function([y.unary(Unary::Neg), x]);
    [im, re.unary(Unary::Neg)]
}

pub(super) fn sinh([x, y]: Parts) -> Parts {
    let real = x.unary(Unary::Sinh);
    let re = times(&real, &y.unary(Unary::Cos));
    [or_of_infinite(&x, &y, &real, re), times(&x.unary(Unary::Cosh), &y.unary(Unary::Sin))]
}

pub(super) fn cosh([x, y]: Parts) -> Parts {
    let real = x.unary(Unary::Cosh);
    let re = times(&real, &y.unary(Unary::Cos));
    [or_of_infinite(&x, &y, &real, re), times(&x.unary(Unary::Sinh), &y.unary(Unary::Sin))]
}

pub(super) fn sin(z: Parts) -> Parts {
    turned(sinh, z)
}

pub(super) fn cos([x, y]: Parts) -> Parts {
    cosh([y.unary(Unary::Neg), x])
}

/// Kahan's formula; beyond `FAR` its limits.
pub(super) fn tanh([x, y]: Parts) -> Parts {
    const FAR: f64 = 20.0;
    let (tangent, sine, one) = (y.unary(Unary::Tan), x.unary(Unary::Sinh), constant(1.0, &x));
    let beta = one.binary(Binary::Add, &mul(&tangent, &tangent));
    let divisor = one.binary(Binary::Add, &mul(&beta, &mul(&sine, &sine)));
    let near = mul(&mul(&beta, &x.unary(Unary::Cosh)), &sine).binary(Binary::Div, &divisor);
    let size = x.unary(Unary::Abs);
    let decay = mul(&size, &constant(-2.0, &x)).unary(Unary::Exp);
    let wave = mul(&constant(4.0, &x), &mul(&y.unary(Unary::Sin), &y.unary(Unary::Cos)));
    let zero = constant(0.0, &x);
    let vanished = y.unary(Unary::IsFinite).select(&mul(&wave, &decay), &zero.binary(Binary::CopySign, &y));
    let is_far = size.binary(Binary::Gt, &constant(FAR, &x));
    let re = is_far.select(&one.binary(Binary::CopySign, &x), &near);
    let im = is_far.select(&vanished, &tangent.binary(Binary::Div, &divisor));
    let is_zero = |node: &Node| node.binary(Binary::Eq, &zero);
    [is_zero(&x).select(&x, &re), is_zero(&y).select(&y, &im)]
}

pub(super) fn tan(z: Parts) -> Parts {
    turned(tanh, z)
}

/// 2^z
pub(super) fn exp2(z: &Node) -> Node {
    z.binary(Binary::Mul, &constant(std::f64::consts::LN_2, z)).unary(Unary::Exp)
}

/// e^z - 1: (e^x - 1) cos y - 2 sin²(y/2), and e^x sin y.
pub(super) fn expm1([x, y]: Parts) -> Parts {
    let real = x.unary(Unary::Expm1);
    let half = mul(&y, &constant(0.5, &y)).unary(Unary::Sin);
    let rest = mul(&constant(2.0, &x), &mul(&half, &half));
    let re = times(&real, &y.unary(Unary::Cos)).binary(Binary::Sub, &rest);
    [or_of_infinite(&x, &y, &real, re), times(&x.unary(Unary::Exp), &y.unary(Unary::Sin))]
}

/// ln(1 + z), whose modulus is near 1 where z is small.
pub(super) fn log1p([x, y]: Parts) -> Parts {
    let (half, above) = (constant(0.5, &x), x.binary(Binary::Add, &constant(1.0, &x)));
    let square = mul(&x, &x.binary(Binary::Add, &constant(2.0, &x))).binary(Binary::Add, &mul(&y, &y));
    let near = mul(&half, &square.unary(Unary::Log1p));
    let far = above.binary(Binary::Hypot, &y).unary(Unary::Ln);
    let is_near = x.binary(Binary::Hypot, &y).binary(Binary::Lt, &half);
    [is_near.select(&near, &far), y.binary(Binary::Atan2, &above)]
}

pub(super) fn acos(z: Parts) -> Parts {
    let ([u, u_im], [v, v_im]) = roots(&z);
    let re = mul(&constant(2.0, &u), &u.binary(Binary::Atan2, &v));
    [re, asinh_of_real(&mul(&v, &u_im).binary(Binary::Sub, &mul(&v_im, &u)))]
}

pub(super) fn asin(z: Parts) -> Parts {
    let ([u, u_im], [v, v_im]) = roots(&z);
    let re = z[0].binary(Binary::Atan2, &mul(&u, &v).binary(Binary::Sub, &mul(&u_im, &v_im)));
    [re, asinh_of_real(&mul(&u, &v_im).binary(Binary::Sub, &mul(&u_im, &v)))]
}

pub(super) fn acosh([x, y]: Parts) -> Parts {
    let one = constant(1.0, &x);
    let [p, p_im] = root([x.binary(Binary::Sub, &one), y.clone()]);
    let [q, q_im] = root([x.binary(Binary::Add, &one), y]);
    let re = asinh_of_real(&mul(&p, &q).binary(Binary::Add, &mul(&p_im, &q_im)));
    [re, mul(&constant(2.0, &q), &p_im.binary(Binary::Atan2, &q))]
}

pub(super) fn asinh(z: Parts) -> Parts {
    turned(asin, z)
}

/// ln(1 + 4 |x| / ((1 - |x|)² + y²)) / 4 with the sign of x, and half the angle of (1 - x²) - y² + 2 i y.
pub(super) fn atanh([x, y]: Parts) -> Parts {
    let (one, zero, size) = (constant(1.0, &x), constant(0.0, &x), x.unary(Unary::Abs));
    let distance = one.binary(Binary::Sub, &size).binary(Binary::Hypot, &y);
    let quotient = size.binary(Binary::Div, &distance).binary(Binary::Div, &distance);
    let re = mul(&constant(0.25, &x), &mul(&constant(4.0, &x), &quotient).unary(Unary::Log1p));
    let below = mul(&one.binary(Binary::Sub, &x), &one.binary(Binary::Add, &x)).binary(Binary::Sub, &mul(&y, &y));
    let im = mul(&constant(0.5, &x), &mul(&constant(2.0, &y), &y).binary(Binary::Atan2, &below));
    let is_infinite = distance.unary(Unary::IsInfinite);
    let right_angle = constant(std::f64::consts::FRAC_PI_2, &y).binary(Binary::CopySign, &y);
    [is_infinite.select(&zero, &re).binary(Binary::CopySign, &x), is_infinite.select(&right_angle, &im)]
}

pub(super) fn atan(z: Parts) -> Parts {
    turned(atanh, z)
}

/// Both parts rounded.
pub(super) fn round([x, y]: Parts) -> Parts {
    [x.unary(Unary::Round), y.unary(Unary::Round)]
}

/// z / |z|, and 0 of 0.
pub(super) fn sign([x, y]: Parts) -> Parts {
    let size = x.binary(Binary::Hypot, &y);
    let is_zero = size.binary(Binary::Eq, &constant(0.0, &x));
    [x, y].map(|part| is_zero.select(&part, &part.binary(Binary::Div, &size)))
}

/// sign(x) ln(|x| + sqrt(x² + 1)), without cancellation near 0.
pub(super) fn asinh_of_real(x: &Node) -> Node {
    let (size, one) = (x.unary(Unary::Abs), constant(1.0, x));
    let root = size.binary(Binary::Hypot, &one);
    // ln(1 + |x| + x² / (1 + sqrt(x² + 1))); the quotient as a product, which does not overflow.
    let part = mul(&size, &size.binary(Binary::Div, &root.binary(Binary::Add, &one)));
    let near = size.binary(Binary::Add, &part).unary(Unary::Log1p);
    let far = size.unary(Unary::Ln).binary(Binary::Add, &constant(std::f64::consts::LN_2, x));
    let is_far = size.binary(Binary::Gt, &constant(1e8, x));
    is_far.select(&far, &near).binary(Binary::CopySign, x)
}

/// sqrt(1 - z) and sqrt(1 + z), whose imaginary parts keep the sign of a zero.
fn roots([x, y]: &Parts) -> (Parts, Parts) {
    let one = constant(1.0, x);
    let minus = root([one.binary(Binary::Sub, x), y.unary(Unary::Neg)]);
    (minus, root([one.binary(Binary::Add, x), y.clone()]))
}

fn root(z: Parts) -> Parts {
    parts(&joined(z).unary(Unary::Sqrt))
}

fn mul(x: &Node, y: &Node) -> Node {
    x.binary(Binary::Mul, y)
}

/// The product, which is a zero where a factor is one, also of an infinity or NaN.
fn times(x: &Node, y: &Node) -> Node {
    let (zero, one) = (constant(0.0, x), constant(1.0, x));
    let is_zero = |node: &Node| node.binary(Binary::Eq, &zero);
    let scaled = |zero: &Node, other: &Node| mul(zero, &one.binary(Binary::CopySign, other));
    let rest = is_zero(y).select(&scaled(y, x), &mul(x, y));
    is_zero(x).select(&scaled(x, y), &rest)
}

/// A real part, but where x is infinite and y no number of finite size: the function of x alone.
fn or_of_infinite(x: &Node, y: &Node, of_real: &Node, re: Node) -> Node {
    let is_not_finite = y.unary(Unary::IsFinite).unary(Unary::Not);
    x.unary(Unary::IsInfinite).binary(Binary::And, &is_not_finite).select(of_real, &re)
}
