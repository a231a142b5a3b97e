//! Functions of elements.

use super::complex;
use super::{Function, Result, array, flag, given, numbers, pair, pair_of_numbers};
use crate::operators::{self, constant};
use crate::types::{array_of, of_all};
use crate::value::Value;
use affinimath_array::ElementType;
use affinimath_array::Node;
use affinimath_array::function::{Binary, Unary};
use affinimath_array::node::Complex;

type Values<'a> = &'a [Option<Value>];

macro_rules! table {
    ($($name:literal ($($parameter:literal)*) $required:literal: $compute:expr;)*) => {
        &[$(Function {
            name: $name,
            parameters: &[$($parameter),*],
            required: $required,
            compute: |values| $compute(values).map(Value::Array),
        }),*]
    };
}

/// A function of real elements, of integers as doubles.
macro_rules! real {
    ($function:ident) => {
        |values: Values<'_>| Ok(numbers(values, 0)?.unary(Unary::$function))
    };
}

/// A function that keeps whole numbers.
macro_rules! keeping {
    ($function:ident) => {
        |values: Values<'_>| {
            let x = array(values, 0)?;
            match x.element() {
                element if element.is_complex() => Err(format!("{element} elements are not rounded in one direction")),
                element if element.is_real() => Ok(x.unary(Unary::$function)),
                _ => Ok(x),
            }
        }
    };
}

/// A function of two values of one type.
macro_rules! two {
    ($function:ident) => {
        |values: Values<'_>| pair(values).map(|[x, y]| x.binary(Binary::$function, &y))
    };
}

/// A function of two real values.
macro_rules! two_real {
    ($function:ident) => {
        |values: Values<'_>| pair_of_numbers(values).map(|[x, y]| x.binary(Binary::$function, &y))
    };
}

/// An operator under a name.
macro_rules! operator {
    ($operator:literal) => {
        |values: Values<'_>| into_array(operators::binary($operator, given(values, 0)?, given(values, 1)?)?)
    };
}

/// An operator on conditions.
macro_rules! logical {
    ($function:ident) => {
        |values: Values<'_>| Ok(condition(values, 0)?.binary(Binary::$function, &condition(values, 1)?))
    };
}

/// A function of real elements, and of the parts of complex ones.
macro_rules! complex {
    ($real:ident, $complex:ident) => {
        |values: Values<'_>| of_kind(values, |x| x.unary(Unary::$real), complex::$complex)
    };
}

pub(super) const TABLE: &[Function] = table! {
    "exp"("x") 1: real!(Exp);
    "exp2"("x") 1: exp2;
    "expm1"("x") 1: complex!(Expm1, expm1);
    "log"("x") 1: real!(Ln);
    "ln"("x") 1: real!(Ln);
    "log2"("x") 1: |values| in_base(values, Unary::Log2, std::f64::consts::LOG2_E);
    "log10"("x") 1: |values| in_base(values, Unary::Log10, std::f64::consts::LOG10_E);
    "log1p"("x") 1: complex!(Log1p, log1p);
    "sqrt"("x") 1: real!(Sqrt);
    "cbrt"("x") 1: real!(Cbrt);
    "reciprocal"("x") 1: real!(Recip);
    "sin"("x") 1: complex!(Sin, sin);
    "cos"("x") 1: complex!(Cos, cos);
    "tan"("x") 1: complex!(Tan, tan);
    "asin"("x") 1: complex!(Asin, asin);
    "arcsin"("x") 1: complex!(Asin, asin);
    "acos"("x") 1: complex!(Acos, acos);
    "arccos"("x") 1: complex!(Acos, acos);
    "atan"("x") 1: complex!(Atan, atan);
    "arctan"("x") 1: complex!(Atan, atan);
    "sinh"("x") 1: complex!(Sinh, sinh);
    "cosh"("x") 1: complex!(Cosh, cosh);
    "tanh"("x") 1: complex!(Tanh, tanh);
    "asinh"("x") 1: |values| of_kind(values, complex::asinh_of_real, complex::asinh);
    "arcsinh"("x") 1: |values| of_kind(values, complex::asinh_of_real, complex::asinh);
    "acosh"("x") 1: |values| of_kind(values, acosh, complex::acosh);
    "arccosh"("x") 1: |values| of_kind(values, acosh, complex::acosh);
    "atanh"("x") 1: |values| of_kind(values, atanh, complex::atanh);
    "arctanh"("x") 1: |values| of_kind(values, atanh, complex::atanh);
    "erf"("x") 1: real!(Erf);
    "erfc"("x") 1: real!(Erfc);
    "normcdf"("x") 1: real!(Normcdf);
    "ndtr"("x") 1: real!(Normcdf);
    "gamma"("x") 1: real!(Gamma);
    "lgamma"("x") 1: real!(Lgamma);
    "gammaln"("x") 1: real!(Lgamma);
    "sinpi"("x") 1: real!(SinPi);
    "cospi"("x") 1: real!(CosPi);
    "floor"("x") 1: keeping!(Floor);
    "ceil"("x") 1: keeping!(Ceil);
    "trunc"("x") 1: keeping!(Trunc);
    "round"("x") 1: round;
    "rint"("x") 1: round;
    "abs"("x") 1: magnitude;
    "absolute"("x") 1: magnitude;
    "fabs"("x") 1: magnitude;
    "sign"("x") 1: sign;
    "square"("x") 1: |values: Values<'_>| Ok(array(values, 0)?.unary(Unary::Square));
    "positive"("x") 1: |values: Values<'_>| array(values, 0);
    "negative"("x") 1: |values: Values<'_>| into_array(operators::unary("-", given(values, 0)?)?);
    "isnan"("x") 1: |values| test(values, Unary::IsNan, false);
    "isinf"("x") 1: |values| test(values, Unary::IsInfinite, false);
    "isfinite"("x") 1: |values| test(values, Unary::IsFinite, true);
    "signbit"("x") 1: |values| test(values, Unary::SignBit, false);
    "deg2rad"("x") 1: |values| scaled(values, std::f64::consts::PI / 180.0);
    "radians"("x") 1: |values| scaled(values, std::f64::consts::PI / 180.0);
    "rad2deg"("x") 1: |values| scaled(values, 180.0 / std::f64::consts::PI);
    "degrees"("x") 1: |values| scaled(values, 180.0 / std::f64::consts::PI);
    "real"("x") 1: |values| part(values, Complex::Re);
    "imag"("x") 1: |values| part(values, Complex::Im);
    "conj"("x") 1: conjugate;
    "conjugate"("x") 1: conjugate;
    "arg"("x") 1: angle;
    "angle"("x") 1: angle;
    "complex"("re" "im") 2: |values| of_parts(values, Complex::FromParts);
    "polar"("r" "phi") 2: |values| of_parts(values, Complex::Polar);
    "atan2"("y" "x") 2: two_real!(Atan2);
    "arctan2"("y" "x") 2: two_real!(Atan2);
    "hypot"("x" "y") 2: two_real!(Hypot);
    "copysign"("x" "y") 2: two_real!(CopySign);
    "minimum"("x" "y") 2: |values| extreme(values, Binary::Min, Binary::And);
    "maximum"("x" "y") 2: |values| extreme(values, Binary::Max, Binary::Or);
    "fmod"("x" "y") 2: two!(Rem);
    "logaddexp"("x" "y") 2: logaddexp;
    "heaviside"("x" "y") 2: heaviside;
    "add"("x" "y") 2: operator!("+");
    "subtract"("x" "y") 2: operator!("-");
    "multiply"("x" "y") 2: operator!("*");
    "divide"("x" "y") 2: operator!("/");
    "true_divide"("x" "y") 2: operator!("/");
    "floor_divide"("x" "y") 2: operator!("//");
    "remainder"("x" "y") 2: operator!("%");
    "mod"("x" "y") 2: operator!("%");
    "pow"("x" "y") 2: operator!("**");
    "power"("x" "y") 2: operator!("**");
    "less"("x" "y") 2: operator!("<");
    "less_equal"("x" "y") 2: operator!("<=");
    "greater"("x" "y") 2: operator!(">");
    "greater_equal"("x" "y") 2: operator!(">=");
    "equal"("x" "y") 2: operator!("==");
    "not_equal"("x" "y") 2: operator!("!=");
    "bitwise_and"("x" "y") 2: operator!("&");
    "bitwise_or"("x" "y") 2: operator!("|");
    "bitwise_xor"("x" "y") 2: operator!("^");
    "bitwise_left_shift"("x" "y") 2: operator!("<<");
    "left_shift"("x" "y") 2: operator!("<<");
    "bitwise_right_shift"("x" "y") 2: operator!(">>");
    "right_shift"("x" "y") 2: operator!(">>");
    "bitwise_invert"("x") 1: |values: Values<'_>| into_array(operators::unary("~", given(values, 0)?)?);
    "invert"("x") 1: |values: Values<'_>| into_array(operators::unary("~", given(values, 0)?)?);
    "logical_and"("x" "y") 2: logical!(And);
    "logical_or"("x" "y") 2: logical!(Or);
    "logical_xor"("x" "y") 2: logical!(Xor);
    "logical_not"("x") 1: |values: Values<'_>| Ok(condition(values, 0)?.unary(Unary::Not));
    "where"("condition" "x" "y") 3: choice;
    "clip"("x" "min" "max") 1: clip;
    "fma"("a" "b" "c") 3: fused;
    "isclose"("a" "b" "rtol" "atol" "equal_nan") 2: isclose;
};

fn mul(x: &Node, y: &Node) -> Node {
    x.binary(Binary::Mul, y)
}

/// A function of real elements, of integers as doubles, or of the parts of complex elements.
fn of_kind(
    values: Values<'_>,
    of_real: impl FnOnce(&Node) -> Node,
    of_complex: fn(complex::Parts) -> complex::Parts,
) -> Result<Node> {
    let x = numbers(values, 0)?;
    match x.element().is_complex() {
        true => Ok(complex::joined(of_complex(complex::parts(&x)))),
        false => Ok(of_real(&x)),
    }
}

fn exp2(values: Values<'_>) -> Result<Node> {
    let x = numbers(values, 0)?;
    Ok(if x.element().is_complex() { complex::exp2(&x) } else { x.unary(Unary::Exp2) })
}

/// The nearest whole number, of both parts of complex elements.
fn round(values: Values<'_>) -> Result<Node> {
    let x = array(values, 0)?;
    Ok(match x.element() {
        element if element.is_complex() => complex::joined(complex::round(complex::parts(&x))),
        element if element.is_real() => x.unary(Unary::Round),
        _ => x,
    })
}

fn sign(values: Values<'_>) -> Result<Node> {
    let x = array(values, 0)?;
    match x.element().is_complex() {
        true => Ok(complex::joined(complex::sign(complex::parts(&x)))),
        false => Ok(x.unary(Unary::Sign)),
    }
}

/// The lesser or the greater of two values; of conditions an operator.
fn extreme(values: Values<'_>, function: Binary, of_conditions: Binary) -> Result<Node> {
    let [x, y] = pair(values)?;
    let is_condition = x.element() == ElementType::Bool && y.element() == ElementType::Bool;
    Ok(x.binary(if is_condition { of_conditions } else { function }, &y))
}

/// Complex elements of two real parts, or of a length and an angle.
fn of_parts(values: Values<'_>, function: Complex) -> Result<Node> {
    pair_of_numbers(values).map(|[x, y]| x.complex_of(function, &y))
}

fn into_array(value: Value) -> Result<Node> {
    array_of(&value, of_all(&[&value])?)
}

/// The logarithm to a base, whose logarithm's reciprocal is `factor`.
fn in_base(values: Values<'_>, function: Unary, factor: f64) -> Result<Node> {
    let x = numbers(values, 0)?;
    if !x.element().is_complex() {
        return Ok(x.unary(function));
    }
    let real = x.complex(Complex::Re);
    Ok(x.unary(Unary::Ln).binary(Binary::Mul, &constant(factor, &real)))
}

/// ln(x + sqrt(x² - 1)).
fn acosh(x: &Node) -> Node {
    let one = constant(1.0, x);
    let t = x.binary(Binary::Sub, &one);
    let root = mul(&t, &t.binary(Binary::Add, &constant(2.0, x))).unary(Unary::Sqrt);
    let near = t.binary(Binary::Add, &root).unary(Unary::Log1p);
    let far = x.unary(Unary::Ln).binary(Binary::Add, &constant(std::f64::consts::LN_2, x));
    let inside = x.binary(Binary::Gt, &constant(1e8, x)).select(&far, &near);
    x.binary(Binary::Lt, &one).select(&constant(f64::NAN, x), &inside)
}

/// ln((1 + x) / (1 - x)) / 2.
fn atanh(x: &Node) -> Node {
    let (size, one) = (x.unary(Unary::Abs), constant(1.0, x));
    let twice = size.binary(Binary::Add, &size);
    let quotient = twice.binary(Binary::Div, &one.binary(Binary::Sub, &size)).unary(Unary::Log1p);
    mul(&quotient, &constant(0.5, x)).binary(Binary::CopySign, x)
}

fn magnitude(values: Values<'_>) -> Result<Node> {
    let x = array(values, 0)?;
    let is_unsigned = matches!(x.element(), ElementType::Bool | ElementType::U8 | ElementType::U32);
    Ok(if is_unsigned { x } else { x.unary(Unary::Abs) })
}

/// A test of real and complex numbers, with the answer for others.
fn test(values: Values<'_>, function: Unary, other: bool) -> Result<Node> {
    let x = array(values, 0)?;
    if x.element().is_real() || x.element().is_complex() {
        return Ok(x.unary(function));
    }
    if function == Unary::SignBit && x.element() != ElementType::Bool {
        return Ok(x.binary(Binary::Lt, &constant(0.0, &x)));
    }
    let answer = constant(f64::from(u8::from(other)), &x.convert(ElementType::Bool));
    Ok(answer.broadcast_to(x.shape()))
}

fn scaled(values: Values<'_>, factor: f64) -> Result<Node> {
    let x = numbers(values, 0)?;
    Ok(mul(&x, &constant(factor, &x)))
}

fn part(values: Values<'_>, function: Complex) -> Result<Node> {
    let x = array(values, 0)?;
    match (x.element().is_complex(), function) {
        (true, _) => Ok(x.complex(function)),
        (false, Complex::Im) => Ok(constant(0.0, &x).broadcast_to(x.shape())),
        (false, _) => Ok(x),
    }
}

fn conjugate(values: Values<'_>) -> Result<Node> {
    let x = array(values, 0)?;
    Ok(if x.element().is_complex() { x.complex(Complex::Conj) } else { x })
}

fn angle(values: Values<'_>) -> Result<Node> {
    let x = numbers(values, 0)?;
    Ok(if x.element().is_complex() { x.complex(Complex::Arg) } else { constant(0.0, &x).binary(Binary::Atan2, &x) })
}

/// ln(e^x + e^y).
fn logaddexp(values: Values<'_>) -> Result<Node> {
    let [x, y] = pair_of_numbers(values)?;
    let distance = x.binary(Binary::Sub, &y).unary(Unary::Abs).unary(Unary::Neg);
    let larger = x.binary(Binary::Max, &y);
    let sum = larger.binary(Binary::Add, &distance.unary(Unary::Exp).unary(Unary::Log1p));
    // Of equal infinities the distance is no number.
    Ok(x.binary(Binary::Eq, &y).select(&x.binary(Binary::Add, &constant(std::f64::consts::LN_2, &x)), &sum))
}

fn heaviside(values: Values<'_>) -> Result<Node> {
    let [x, y] = pair_of_numbers(values)?;
    let (zero, one) = (constant(0.0, &x), constant(1.0, &x));
    let step = x.binary(Binary::Lt, &zero).select(&zero, &x.binary(Binary::Eq, &zero).select(&y, &one));
    Ok(x.unary(Unary::IsNan).select(&x, &step))
}

/// An argument as a condition: not equal to 0.
fn condition(values: Values<'_>, position: usize) -> Result<Node> {
    let x = array(values, position)?;
    Ok(match x.element() {
        ElementType::Bool => x,
        _ => x.binary(Binary::Ne, &constant(0.0, &x)),
    })
}

fn choice(values: Values<'_>) -> Result<Node> {
    let (x, y) = (given(values, 1)?, given(values, 2)?);
    let element = of_all(&[x, y])?;
    Ok(condition(values, 0)?.select(&array_of(x, element)?, &array_of(y, element)?))
}

fn clip(values: Values<'_>) -> Result<Node> {
    let bounds = [&values[1], &values[2]].map(|bound| bound.as_ref().filter(|bound| !matches!(bound, Value::None)));
    let mut all = vec![given(values, 0)?];
    all.extend(bounds.iter().flatten());
    let element = of_all(&all)?;
    let mut x = array_of(all[0], element)?;
    for (bound, function) in bounds.into_iter().zip([Binary::Max, Binary::Min]) {
        if let Some(bound) = bound {
            x = x.binary(function, &array_of(bound, element)?);
        }
    }
    Ok(x)
}

fn fused(values: Values<'_>) -> Result<Node> {
    let all = [given(values, 0)?, given(values, 1)?, given(values, 2)?];
    let element = crate::types::floating(of_all(&all)?);
    Ok(array_of(all[0], element)?.fma(&array_of(all[1], element)?, &array_of(all[2], element)?))
}

/// |a - b| <= atol + rtol |b|, or equal.
fn isclose(values: Values<'_>) -> Result<Node> {
    let [a, b] = pair_of_numbers(values)?;
    let size = b.unary(Unary::Abs);
    let tolerance = |position: usize, default: f64| match &values[position] {
        None => Ok(constant(default, &size)),
        Some(value) => array_of(value, size.element()),
    };
    let bound = tolerance(3, 1e-8)?.binary(Binary::Add, &mul(&tolerance(2, 1e-5)?, &size));
    let is_near = a.binary(Binary::Sub, &b).unary(Unary::Abs).binary(Binary::Le, &bound);
    let is_finite = b.unary(Unary::IsFinite).binary(Binary::And, &is_near);
    let is_close = a.binary(Binary::Eq, &b).binary(Binary::Or, &is_finite);
    Ok(match flag(values, 4)? {
        true => is_close.binary(Binary::Or, &a.unary(Unary::IsNan).binary(Binary::And, &b.unary(Unary::IsNan))),
        false => is_close,
    })
}
