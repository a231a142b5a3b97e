//! Operators of arrays and of numbers.

use super::types::{array_of, floating, of_all};
use super::value::{Value, Weak};
use affinimath_array::function::{Binary, Reduction, Unary};
use affinimath_array::node::Complex;
use affinimath_array::shape::Axes;
use affinimath_array::slice::Slice;
use affinimath_array::{ElementType, Node, Number};

type Result<T> = std::result::Result<T, String>;

/// The result of a binary operator.
pub(crate) fn binary(operator: &str, a: &Value, b: &Value) -> Result<Value> {
    if let (Value::Number(a), Value::Number(b)) = (a, b) {
        return numbers(operator, *a, *b).map(Value::Number);
    }
    let element = of_all(&[a, b])?;
    let is_bool = element == ElementType::Bool;
    let both = |element| Ok::<_, String>((array_of(a, element)?, array_of(b, element)?));
    let apply = |function, element| both(element).map(|(x, y)| x.binary(function, &y));
    let node = match operator {
        "+" if is_bool => apply(Binary::Or, element)?,
        "*" if is_bool => apply(Binary::And, element)?,
        "-" if is_bool => return Err("conditions are not subtracted: write a ^ b".to_owned()),
        "+" => apply(Binary::Add, element)?,
        "-" => apply(Binary::Sub, element)?,
        "*" => apply(Binary::Mul, element)?,
        "/" => apply(Binary::Div, floating(element))?,
        "//" | "%" => {
            let (x, y) = both(if is_bool { ElementType::I64 } else { element })?;
            if operator == "%" { remainder(&x, &y) } else { floor_divide(&x, &y) }
        }
        "**" => return power(a, b),
        "@" if element.is_integer() || is_bool => {
            let (x, y) = both(element)?;
            integer_product(&x, &y)?
        }
        "@" => {
            let (x, y) = both(floating(element))?;
            x.matmul(&y)
        }
        "<" | "<=" | ">" | ">=" => {
            let function = match operator {
                "<" => Binary::Lt,
                "<=" => Binary::Le,
                ">" => Binary::Gt,
                _ => Binary::Ge,
            };
            // Conditions are ordered as 0 and 1.
            apply(function, if is_bool { ElementType::U8 } else { element })?
        }
        "==" => apply(Binary::Eq, element)?,
        "!=" => apply(Binary::Ne, element)?,
        "&" => apply(Binary::And, element)?,
        "|" => apply(Binary::Or, element)?,
        "^" => apply(Binary::Xor, element)?,
        "<<" => apply(Binary::Shl, element)?,
        ">>" => apply(Binary::Shr, element)?,
        other => return Err(format!("{other:?} is no operator")),
    };
    Ok(Value::Array(node))
}

/// The result of a sign or a negation.
pub(crate) fn unary(operator: &str, a: &Value) -> Result<Value> {
    let is_bool = |node: &Node| node.element() == ElementType::Bool;
    Ok(match (operator, a) {
        ("-", Value::Number(number)) => Value::Number(match *number {
            Weak::Bool(_) => return Err("a truth value has no sign: write ~".to_owned()),
            Weak::Integer(value) => value.checked_neg().map_or(Weak::Real(-(value as f64)), Weak::Integer),
            Weak::Real(value) => Weak::Real(-value),
            Weak::Complex(re, im) => Weak::Complex(-re, -im),
        }),
        ("~", Value::Number(Weak::Bool(value))) => Value::Number(Weak::Bool(!value)),
        ("~", Value::Number(Weak::Integer(value))) => Value::Number(Weak::Integer(!value)),
        ("+", Value::Number(_) | Value::Array(_)) => a.clone(),
        ("-", Value::Array(node)) if is_bool(node) => return Err("conditions have no sign: write ~".to_owned()),
        ("-", Value::Array(node)) => Value::Array(node.unary(Unary::Neg)),
        ("~", Value::Array(node)) => Value::Array(node.unary(Unary::Not)),
        _ => return Err(format!("{operator} of {}", a.describe())),
    })
}

/// A number in the type of an array.
pub(crate) fn constant(value: f64, like: &Node) -> Node {
    Node::scalar(Number::of_real(value, like.element()))
}

/// The remainder with the sign of the divisor, as Python's.
pub(crate) fn remainder(x: &Node, y: &Node) -> Node {
    let rest = x.binary(Binary::Rem, y);
    if matches!(x.element(), ElementType::U8 | ElementType::U32) {
        return rest;
    }
    let zero = constant(0.0, x);
    let is_negative = |node: &Node| node.binary(Binary::Lt, &zero);
    let differs = is_negative(&rest).binary(Binary::Xor, &is_negative(y));
    let is_moved = differs.binary(Binary::And, &rest.binary(Binary::Ne, &zero));
    let moved = is_moved.select(&rest.binary(Binary::Add, y), &rest);
    // A zero has the divisor's sign.
    match x.element().is_real() {
        true => rest.binary(Binary::Eq, &zero).select(&zero.binary(Binary::CopySign, y), &moved),
        false => moved,
    }
}

/// The quotient rounded down, as Python's; of a real division by 0 the quotient.
pub(crate) fn floor_divide(x: &Node, y: &Node) -> Node {
    if x.element().is_integer() {
        let quotient = x.binary(Binary::Div, y);
        if matches!(x.element(), ElementType::U8 | ElementType::U32) {
            return quotient;
        }
        let (zero, one) = (constant(0.0, x), constant(1.0, x));
        let rest = x.binary(Binary::Rem, y);
        let is_negative = |node: &Node| node.binary(Binary::Lt, &zero);
        let differs = is_negative(&rest).binary(Binary::Xor, &is_negative(y));
        let is_below = differs.binary(Binary::And, &rest.binary(Binary::Ne, &zero));
        return is_below.select(&quotient.binary(Binary::Sub, &one), &quotient);
    }
    let (zero, one) = (constant(0.0, x), constant(1.0, x));
    let rest = x.binary(Binary::Rem, y);
    let is_negative = |node: &Node| node.binary(Binary::Lt, &zero);
    let differs = is_negative(&rest).binary(Binary::Xor, &is_negative(y));
    let is_below = differs.binary(Binary::And, &rest.binary(Binary::Ne, &zero));
    // One less than the quotient towards zero, also of an infinite divisor.
    let whole = x.binary(Binary::Sub, &rest).binary(Binary::Div, y).unary(Unary::Round);
    let whole = is_below.select(&whole.binary(Binary::Sub, &one), &whole);
    let quotient = x.binary(Binary::Div, y);
    // A zero has the quotient's sign.
    let whole = whole.binary(Binary::Eq, &zero).select(&zero.binary(Binary::CopySign, &quotient), &whole);
    y.binary(Binary::Eq, &zero).select(&quotient, &whole)
}

/// The product of matrices of integers or of conditions, as sums of products in their own type.
fn integer_product(x: &Node, y: &Node) -> Result<Node> {
    let (x_rank, y_rank) = (x.shape().rank(), y.shape().rank());
    if x_rank == 0 || y_rank == 0 {
        return Err("a product of matrices has no number as an operand: write *".to_owned());
    }
    let rows = if x_rank == 1 { x.new_axis(0) } else { x.clone() };
    let columns = if y_rank == 1 { y.new_axis(1) } else { y.clone() };
    let (rank, before) = (rows.shape().rank(), columns.shape().rank() - 2);
    if rows.shape()[rank - 1] != columns.shape()[before] {
        return Err(format!("shapes {} and {} are not those of a product", x.shape(), y.shape()));
    }
    let is_bool = x.element() == ElementType::Bool;
    let function = if is_bool { Binary::And } else { Binary::Mul };
    let products = rows.new_axis(rank as i64).binary(function, &columns.new_axis(before as i64));
    if products.error().is_some() {
        return Ok(products);
    }
    let axis = Axes::one(products.shape().rank() - 2);
    let sums = match x.element() {
        ElementType::Bool => products.reduce(Reduction::Any, axis, false),
        element => products.reduce(Reduction::Sum, axis, false).convert(element),
    };
    let sums = if y_rank == 1 { sums.slice(&[Slice::Ellipsis, Slice::Index(0)]) } else { sums };
    Ok(match (x_rank, y_rank) {
        (1, 1) => sums.slice(&[Slice::Index(0)]),
        (1, _) => sums.slice(&[Slice::Ellipsis, Slice::Index(0), Slice::FULL]),
        _ => sums,
    })
}

/// The largest exponent of an integral power that is computed by multiplications.
const MAX_MULTIPLIED: i64 = 64;

/// Powers: of integers by integers integers, as NumPy's.
pub(crate) fn power(base: &Value, exponent: &Value) -> Result<Value> {
    if let (Value::Number(a), Value::Number(b)) = (base, exponent) {
        return numbers("**", *a, *b).map(Value::Number);
    }
    let element = of_all(&[base, exponent])?;
    let element = if element == ElementType::Bool { ElementType::I64 } else { element };
    let x = array_of(base, element)?;
    if let Value::Number(Weak::Integer(n)) = *exponent {
        let is_real = element.is_real();
        match n {
            0 => return Ok(Value::Array(constant(1.0, &x).broadcast_to(x.shape()))),
            1 => return Ok(Value::Array(x)),
            2 => return Ok(Value::Array(x.unary(Unary::Square))),
            ..0 if element.is_integer() => {
                return Err(format!("an integer to the power {n}: write the base as a real number"));
            }
            _ if !is_real && n.abs() <= MAX_MULTIPLIED => {
                let power = multiplied(&x, n.unsigned_abs());
                return Ok(Value::Array(if n < 0 { power.unary(Unary::Recip) } else { power }));
            }
            _ => {}
        }
    }
    let y = array_of(exponent, element)?;
    Ok(Value::Array(match element {
        element if element.is_real() => x.binary(Binary::Pow, &y),
        element if element.is_complex() => complex_power(&x, &y),
        _ => integer_power(&x, &y),
    }))
}

fn multiplied(x: &Node, n: u64) -> Node {
    let (mut power, mut square, mut left) = (None::<Node>, x.clone(), n);
    while left > 0 {
        if left & 1 == 1 {
            power = Some(power.map_or_else(|| square.clone(), |power| power.binary(Binary::Mul, &square)));
        }
        left >>= 1;
        if left > 0 {
            square = square.binary(Binary::Mul, &square);
        }
    }
    power.unwrap_or_else(|| constant(1.0, x))
}

/// e^(y ln x); 0 to a power with a positive real part is 0, anything to the power 0 is 1.
fn complex_power(x: &Node, y: &Node) -> Node {
    let power = y.binary(Binary::Mul, &x.unary(Unary::Ln)).unary(Unary::Exp);
    let zero = constant(0.0, x);
    let is_positive = y.complex(Complex::Re).binary(Binary::Gt, &constant(0.0, &y.complex(Complex::Re)));
    let is_zero = x.binary(Binary::Eq, &zero).binary(Binary::And, &is_positive);
    let power = is_zero.select(&zero, &power);
    y.binary(Binary::Eq, &zero).select(&constant(1.0, x), &power)
}

/// Square and multiply over all bits of the exponent; 0 where it is negative, but for the bases 1 and -1.
fn integer_power(x: &Node, y: &Node) -> Node {
    let (zero, one) = (constant(0.0, x), constant(1.0, x));
    let (mut power, mut square, mut left) = (one.clone(), x.clone(), y.clone());
    for _ in 0..8 * x.element().bytes() {
        let is_odd = left.binary(Binary::And, &one).binary(Binary::Ne, &zero);
        power = is_odd.select(&power.binary(Binary::Mul, &square), &power);
        square = square.binary(Binary::Mul, &square);
        left = left.binary(Binary::Shr, &one);
    }
    if matches!(x.element(), ElementType::U8 | ElementType::U32) {
        return power;
    }
    let is_unit = x.binary(Binary::Mul, x).binary(Binary::Eq, &one);
    let is_zero = y.binary(Binary::Lt, &zero).binary(Binary::And, &is_unit.unary(Unary::Not));
    is_zero.select(&zero, &power)
}

/// The result of an operator on numbers of the text.
fn numbers(operator: &str, a: Weak, b: Weak) -> Result<Weak> {
    use Weak::{Bool, Complex, Integer, Real};
    if let (Bool(a), Bool(b)) = (a, b)
        && let Some(result) = match operator {
            "&" => Some(a && b),
            "|" => Some(a || b),
            "^" => Some(a != b),
            _ => None,
        }
    {
        return Ok(Bool(result));
    }
    let integer = |number| match number {
        Bool(value) => Some(i64::from(value)),
        Integer(value) => Some(value),
        _ => None,
    };
    if let (Some(a), Some(b)) = (integer(a), integer(b))
        && let Some(result) = integers(operator, a, b)?
    {
        return Ok(result);
    }
    let ((a_re, a_im), (b_re, b_im)) = (a.parts(), b.parts());
    let is_complex = matches!(a, Complex(..)) || matches!(b, Complex(..));
    let is_zero = b_re == 0.0 && b_im == 0.0;
    if matches!(operator, "/" | "//" | "%") && is_zero {
        return Err("a number is divided by 0".to_owned());
    }
    Ok(match operator {
        "==" => Bool((a_re, a_im) == (b_re, b_im)),
        "!=" => Bool((a_re, a_im) != (b_re, b_im)),
        "+" if is_complex => Complex(a_re + b_re, a_im + b_im),
        "-" if is_complex => Complex(a_re - b_re, a_im - b_im),
        "*" if is_complex => Complex(a_re * b_re - a_im * b_im, a_re * b_im + a_im * b_re),
        "/" if is_complex => {
            let size = b_re.hypot(b_im);
            let (re, im) = (b_re / size, b_im / size);
            Complex((a_re * re + a_im * im) / size, (a_im * re - a_re * im) / size)
        }
        "**" if is_complex && is_zero => Complex(1.0, 0.0),
        "**" if is_complex => {
            let (size, angle) = (a_re.hypot(a_im).ln(), a_im.atan2(a_re));
            let (length, turn) = ((b_re * size - b_im * angle).exp(), b_re * angle + b_im * size);
            Complex(length * turn.cos(), length * turn.sin())
        }
        _ if is_complex => return Err(format!("{operator} of complex numbers")),
        "+" => Real(a_re + b_re),
        "-" => Real(a_re - b_re),
        "*" => Real(a_re * b_re),
        "/" => Real(a_re / b_re),
        "//" => Real(floor_parts(a_re, b_re).0),
        "%" => Real(floor_parts(a_re, b_re).1),
        "**" => Real(a_re.powf(b_re)),
        "<" => Bool(a_re < b_re),
        "<=" => Bool(a_re <= b_re),
        ">" => Bool(a_re > b_re),
        ">=" => Bool(a_re >= b_re),
        other => return Err(format!("{other} of numbers that are no integers")),
    })
}

/// The quotient rounded down, and the remainder with the sign of the divisor.
fn floor_parts(a: f64, b: f64) -> (f64, f64) {
    let rest = a % b;
    let whole = ((a - rest) / b).round();
    match rest != 0.0 && (rest < 0.0) != (b < 0.0) {
        true => (whole - 1.0, rest + b),
        false => (whole, if rest == 0.0 { rest.copysign(b) } else { rest }),
    }
}

/// The result on integers, where it is one or a comparison of 64-bit numbers.
fn integers(operator: &str, a: i64, b: i64) -> Result<Option<Weak>> {
    use Weak::{Bool, Integer};
    if matches!(operator, "//" | "%") && b == 0 {
        return Err("a number is divided by 0".to_owned());
    }
    if matches!(operator, "<<" | ">>") && !(0..64).contains(&b) {
        return Err(format!("a shift by {b} bits of 64"));
    }
    let floor = |a: i64, b: i64| a.checked_div(b).map(|q| if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q });
    let result = match operator {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "//" => floor(a, b),
        "%" => floor(a, b).map(|q| a - q * b),
        "**" => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        "&" => Some(a & b),
        "|" => Some(a | b),
        "^" => Some(a ^ b),
        "<<" => a.checked_mul(1_i64.checked_shl(b as u32).unwrap_or(0)),
        ">>" => Some(a >> b),
        "<" => return Ok(Some(Bool(a < b))),
        "<=" => return Ok(Some(Bool(a <= b))),
        ">" => return Ok(Some(Bool(a > b))),
        ">=" => return Ok(Some(Bool(a >= b))),
        "==" => return Ok(Some(Bool(a == b))),
        "!=" => return Ok(Some(Bool(a != b))),
        _ => None,
    };
    Ok(result.map(Integer))
}
