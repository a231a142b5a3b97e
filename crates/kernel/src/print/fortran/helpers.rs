//! Functions of the module, each where the kernel needs it.
//!
//! No step overflows: sums and products of fewer than 64 bits are made in 64, and those of 64 bits from their halves.

use super::super::super::constant::{Constant, range};
use super::super::super::types::ScalarType;
use super::super::dialect::Dialect;
use super::{Fortran, is_unsigned, kind};

/// A function of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Helper {
    /// Sums, differences and products of integers of a width in bits, which wrap around.
    Add(u32),
    Sub(u32),
    Mul(u32),
    /// Unsigned quotients and remainders.
    Div(u32),
    Rem(u32),
    MinUnsigned(u32),
    MaxUnsigned(u32),
    /// NaN is ignored.
    MinReal(ScalarType),
    MaxReal(ScalarType),
    MulHigh(ScalarType),
    /// The low bits of an integer of 64 bits.
    Narrow(u32),
    Floor(ScalarType),
    Ceil(ScalarType),
    Rint(ScalarType),
    /// An unsigned integer of 64 bits to a real number, and back.
    ToReal(ScalarType),
    FromReal(ScalarType),
    Saturate(ScalarType, ScalarType),
    HalfToFloat,
    FloatToHalf,
    /// A function of C's library, which Fortran 2008 does not have.
    External(&'static str, ScalarType),
}

/// True if a name may be one of a function of the module.
pub(super) fn is_helper(name: &str) -> bool {
    const PREFIXES: [&str; 15] = [
        "wrapping_",
        "unsigned_",
        "min_",
        "max_",
        "mul_high_",
        "low_bits_",
        "floor_",
        "ceil_",
        "rint_",
        "saturate_",
        "half_to_",
        "float_to_",
        "external_",
        "to_unsigned_",
        "from_unsigned_",
    ];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

impl Helper {
    pub(super) fn name(self) -> String {
        match self {
            Helper::Add(bits) => format!("wrapping_add_{bits}"),
            Helper::Sub(bits) => format!("wrapping_sub_{bits}"),
            Helper::Mul(bits) => format!("wrapping_mul_{bits}"),
            Helper::Div(bits) => format!("unsigned_div_{bits}"),
            Helper::Rem(bits) => format!("unsigned_mod_{bits}"),
            Helper::MinUnsigned(bits) => format!("unsigned_min_{bits}"),
            Helper::MaxUnsigned(bits) => format!("unsigned_max_{bits}"),
            Helper::MinReal(scalar) => format!("min_{}", scalar.name()),
            Helper::MaxReal(scalar) => format!("max_{}", scalar.name()),
            Helper::MulHigh(scalar) => format!("mul_high_{}", scalar.name()),
            Helper::Narrow(bits) => format!("low_bits_{bits}"),
            Helper::Floor(scalar) => format!("floor_{}", scalar.name()),
            Helper::Ceil(scalar) => format!("ceil_{}", scalar.name()),
            Helper::Rint(scalar) => format!("rint_{}", scalar.name()),
            Helper::ToReal(scalar) => format!("from_unsigned_{}", scalar.name()),
            Helper::FromReal(scalar) => format!("to_unsigned_{}", scalar.name()),
            Helper::Saturate(from, to) => format!("saturate_{}_{}", from.name(), to.name()),
            Helper::HalfToFloat => "half_to_float".to_owned(),
            Helper::FloatToHalf => "float_to_half".to_owned(),
            Helper::External(name, scalar) => format!("external_{name}_{}", scalar.name()),
        }
    }

    /// The functions that this one calls.
    fn needs(self) -> Vec<Helper> {
        match self {
            Helper::Add(64) | Helper::Sub(64) => Vec::new(),
            Helper::Mul(64) => vec![Helper::Add(64)],
            Helper::Div(64) => vec![Helper::Sub(64), Helper::Mul(64)],
            Helper::Rem(64) => vec![Helper::Div(64), Helper::Sub(64), Helper::Mul(64)],
            Helper::MulHigh(ScalarType::I64) => vec![Helper::Sub(64)],
            Helper::Add(bits) | Helper::Sub(bits) | Helper::Mul(bits) | Helper::Div(bits) | Helper::Rem(bits) => {
                vec![Helper::Narrow(bits)]
            }
            Helper::MulHigh(scalar) if scalar.bits() < 64 => vec![Helper::Narrow(scalar.bits())],
            Helper::Saturate(from, ScalarType::U64) if from.is_float() => vec![Helper::FromReal(from)],
            Helper::Saturate(from, to) if !from.is_float() || is_unsigned(to) => vec![Helper::Narrow(to.bits())],
            _ => Vec::new(),
        }
        .into_iter()
        .filter(|helper| !matches!(helper, Helper::Narrow(64)))
        .collect()
    }
}

/// The interfaces of C's functions, and the functions of the module, with those that they call.
pub(super) fn texts(used: Vec<Helper>) -> (String, String) {
    let mut all = used;
    let mut number = 0;
    while number < all.len() {
        for helper in all[number].needs() {
            if !all.contains(&helper) {
                all.push(helper);
            }
        }
        number += 1;
    }
    let mut interfaces = String::new();
    let mut functions = String::new();
    for helper in all {
        match helper {
            Helper::External(name, scalar) => interfaces += &external(name, scalar),
            _ => functions += &function(helper),
        }
    }
    if !interfaces.is_empty() {
        interfaces = format!("    interface\n{interfaces}    end interface\n");
    }
    (interfaces, functions)
}

fn external(name: &str, scalar: ScalarType) -> String {
    let arguments = if name == "fma" { "a, b, c" } else { "a" };
    let of = kind(scalar);
    format!(
        "        pure function external_{name}_{}({arguments}) bind(c, name=\"{}\") result(d)\n            \
         import :: {of}\n            \
         real({of}), value :: {arguments}\n            real({of}) :: d\n        end function\n",
        scalar.name(),
        super::super::cuda::with_suffix(name, scalar),
    )
}

/// Arguments of a type, a result of a type, local declarations and statements.
struct Body {
    arguments: &'static str,
    of: ScalarType,
    result: ScalarType,
    text: String,
}

fn function(helper: Helper) -> String {
    let Body { arguments, of, result, text } = body(helper);
    let name = helper.name();
    let dialect = Fortran::default();
    let mut out = format!("    pure function {name}({arguments}) result(c)\n");
    let lines = [
        format!("{}, intent(in) :: {arguments}", dialect.scalar_name(of)),
        format!("{} :: c", dialect.scalar_name(result)),
    ];
    for line in lines.iter().map(String::as_str).chain(text.lines()) {
        out += &format!("        {line}\n");
    }
    out + "    end function\n\n"
}

fn signed(bits: u32) -> ScalarType {
    match bits {
        8 => ScalarType::I8,
        16 => ScalarType::I16,
        32 => ScalarType::I32,
        _ => ScalarType::I64,
    }
}

/// An argument as an integer of 64 bits.
fn wide(name: &str, scalar: ScalarType) -> String {
    match scalar.bits() {
        64 => name.to_owned(),
        bits if is_unsigned(scalar) => format!("iand(int({name}, c_int64_t), {}_c_int64_t)", (1_u64 << bits) - 1),
        _ => format!("int({name}, c_int64_t)"),
    }
}

fn body(helper: Helper) -> Body {
    let two = |of: ScalarType, text: String| Body { arguments: "a, b", of, result: of, text };
    let one = |of: ScalarType, text: String| Body { arguments: "a", of, result: of, text };
    let narrow = |bits: u32, value: &str| format!("c = low_bits_{bits}({value})");
    match helper {
        Helper::Add(64) => two(ScalarType::I64, sum_of_halves("b", "")),
        // a - b is a + not(b) + 1.
        Helper::Sub(64) => two(ScalarType::I64, sum_of_halves("not(b)", " + 1")),
        Helper::Mul(64) => two(ScalarType::I64, PRODUCT.to_owned()),
        Helper::Div(64) => two(ScalarType::I64, QUOTIENT.to_owned()),
        Helper::Rem(64) => {
            let text = "c = wrapping_sub_64(a, wrapping_mul_64(unsigned_div_64(a, b), b))".to_owned();
            two(ScalarType::I64, text)
        }
        Helper::Add(bits) => two(signed(bits), narrow(bits, "int(a, c_int64_t) + int(b, c_int64_t)")),
        Helper::Sub(bits) => two(signed(bits), narrow(bits, "int(a, c_int64_t) - int(b, c_int64_t)")),
        Helper::Mul(bits) => two(signed(bits), narrow(bits, "int(a, c_int64_t) * int(b, c_int64_t)")),
        Helper::Div(bits) | Helper::Rem(bits) => {
            let [a, b] = ["a", "b"].map(|name| wide(name, signed(bits).unsigned()));
            let is_quotient = matches!(helper, Helper::Div(_));
            let value = if is_quotient { format!("{a} / {b}") } else { format!("mod({a}, {b})") };
            two(signed(bits), narrow(bits, &value))
        }
        Helper::MinUnsigned(bits) => two(signed(bits), "c = merge(a, b, blt(a, b))".to_owned()),
        Helper::MaxUnsigned(bits) => two(signed(bits), "c = merge(a, b, bgt(a, b))".to_owned()),
        Helper::MinReal(scalar) => two(scalar, "c = merge(a, b, a < b .or. b /= b)".to_owned()),
        Helper::MaxReal(scalar) => two(scalar, "c = merge(a, b, a > b .or. b /= b)".to_owned()),
        Helper::MulHigh(scalar) => two(scalar, upper_product(scalar)),
        Helper::Narrow(bits) => {
            let (mask, sign) = ((1_u64 << bits) - 1, 1_u64 << (bits - 1));
            let text = format!(
                "c = int(ieor(iand(a, {mask}_c_int64_t), {sign}_c_int64_t) - {sign}_c_int64_t, {})",
                kind(signed(bits))
            );
            Body { arguments: "a", of: ScalarType::I64, result: signed(bits), text }
        }
        Helper::Floor(scalar) => one(scalar, format!("c = aint(a)\nif (c > a) c = c - 1.0_{}", kind(scalar))),
        Helper::Ceil(scalar) => one(scalar, format!("c = aint(a)\nif (c < a) c = c + 1.0_{}", kind(scalar))),
        Helper::Rint(scalar) => {
            // Numbers from there on are whole.
            let whole = if scalar == ScalarType::F32 { "8388608.0" } else { "4503599627370496.0" };
            let of = kind(scalar);
            let text = format!("c = a\nif (abs(a) < {whole}_{of}) c = sign((abs(a) + {whole}_{of}) - {whole}_{of}, a)");
            one(scalar, text)
        }
        Helper::ToReal(to) => {
            // The last bit says that some bit below is set.
            let of = kind(to);
            let text = format!(
                "if (a >= 0) then\n    c = real(a, {of})\nelse\n    \
                 c = 2.0_{of} * real(ior(shiftr(a, 1), iand(a, 1_c_int64_t)), {of})\nend if"
            );
            Body { arguments: "a", of: ScalarType::U64, result: to, text }
        }
        Helper::FromReal(from) => {
            let bound = format!("9223372036854775808.0_{}", kind(from));
            let text = format!(
                "if (a < {bound}) then\n    c = int(a, c_int64_t)\nelse\n    \
                 c = ieor(int(a - {bound}, c_int64_t), -9223372036854775807_c_int64_t - 1_c_int64_t)\nend if"
            );
            Body { arguments: "a", of: from, result: ScalarType::U64, text }
        }
        Helper::Saturate(from, to) => {
            let text = if from.is_float() { saturated_real(from, to) } else { saturated_integer(from, to) };
            Body { arguments: "a", of: from, result: to, text }
        }
        Helper::HalfToFloat => {
            Body { arguments: "a", of: ScalarType::F16, result: ScalarType::F32, text: HALF_TO_FLOAT.to_owned() }
        }
        Helper::FloatToHalf => {
            Body { arguments: "a", of: ScalarType::F32, result: ScalarType::F16, text: FLOAT_TO_HALF.to_owned() }
        }
        Helper::External(..) => one(ScalarType::F64, String::new()),
    }
}

/// a + `other` + `carry`, modulo 2^64.
fn sum_of_halves(other: &str, carry: &str) -> String {
    format!(
        "integer(c_int64_t), parameter :: half = 4294967295_c_int64_t\n\
         integer(c_int64_t) :: low, high\n\
         low = iand(a, half) + iand({other}, half){carry}\n\
         high = shiftr(a, 32) + shiftr({other}, 32) + shiftr(low, 32)\n\
         c = ior(shiftl(high, 32), iand(low, half))"
    )
}

/// Products of 32 by 16 bits: a product of halves may have 64.
const PRODUCT: &str = "\
integer(c_int64_t) :: a0, a1, b0, b1, b2, b3, cross
a0 = ibits(a, 0, 32)
a1 = ibits(a, 32, 32)
b0 = ibits(b, 0, 16)
b1 = ibits(b, 16, 16)
b2 = ibits(b, 32, 16)
b3 = ibits(b, 48, 16)
cross = a0 * b2 + a1 * b0 + shiftl(ibits(a0 * b3, 0, 16) + ibits(a1 * b1, 0, 16), 16)
c = wrapping_add_64(a0 * b0, wrapping_add_64(shiftl(a0 * b1, 16), shiftl(cross, 32)))";

/// Half of the dividend is a signed number; the quotient's last bit is found by a comparison (Warren, Hacker's Delight,
/// section 9-3).
const QUOTIENT: &str = "\
if (b < 0) then
    c = merge(1_c_int64_t, 0_c_int64_t, bge(a, b))
else
    c = shiftl(shiftr(a, 1) / b, 1)
    if (bge(wrapping_sub_64(a, wrapping_mul_64(c, b)), b)) c = ior(c, 1_c_int64_t)
end if";

fn upper_product(scalar: ScalarType) -> String {
    let bits = scalar.bits();
    match scalar {
        ScalarType::U32 => format!(
            "integer(c_int64_t) :: x, y\nx = {}\ny = {}\n\
             c = low_bits_32(shiftr(x * shiftr(y, 16) + shiftr(x * ibits(y, 0, 16), 16), 16))",
            wide("a", scalar),
            wide("b", scalar)
        ),
        _ if bits < 64 => {
            format!("c = low_bits_{bits}(shifta({} * {}, {bits}))", wide("a", scalar), wide("b", scalar))
        }
        // Products of 16 by 16 bits, a column after the other.
        _ => {
            let signs = if scalar.is_signed() {
                "\nif (a < 0) c = wrapping_sub_64(c, b)\nif (b < 0) c = wrapping_sub_64(c, a)"
            } else {
                ""
            };
            format!(
                "integer(c_int64_t) :: column\n\
                 integer :: i, k\n\
                 column = 0\n\
                 c = 0\n\
                 do k = 0, 7\n    \
                     do i = max(0, k - 3), min(3, k)\n        \
                         column = column + ibits(a, 16 * i, 16) * ibits(b, 16 * (k - i), 16)\n    \
                     end do\n    \
                     if (k >= 4) c = ior(c, shiftl(ibits(column, 0, 16), 16 * (k - 4)))\n    \
                     column = shiftr(column, 16)\n\
                 end do{signs}"
            )
        }
    }
}

fn literal(value: i128, scalar: ScalarType) -> String {
    Fortran::default().literal(Constant::wrapped(value, scalar)).0
}

/// Bounds are powers of two, and exact; NaN passes none of them.
fn saturated_real(from: ScalarType, to: ScalarType) -> String {
    let (low, high) = range(to);
    let bound = |value: i128| format!("{:?}_{}", value as f64, kind(from));
    let converted = match to {
        ScalarType::U64 => format!("to_unsigned_{}(a)", from.name()),
        _ if is_unsigned(to) => format!("low_bits_{}(int(a, c_int64_t))", to.bits()),
        _ => format!("int(a, {})", kind(to)),
    };
    let inside = if to.is_signed() { format!("a >= {}", bound(low)) } else { format!("a > 0.0_{}", kind(from)) };
    let below = if to.is_signed() {
        format!("else if (a < {}) then\n    c = {}\n", bound(low), literal(low, to))
    } else {
        String::new()
    };
    format!(
        "if (a >= {}) then\n    c = {}\nelse if ({inside}) then\n    c = {converted}\n{below}else\n    c = 0\nend if",
        bound(high + 1),
        literal(high, to)
    )
}

fn saturated_integer(from: ScalarType, to: ScalarType) -> String {
    let ((min, max), (low, high)) = (range(from), range(to));
    let a = wide("a", from);
    let converted = if to.bits() == 64 { a.clone() } else { format!("low_bits_{}({a})", to.bits()) };
    let mut lines = vec![format!("c = {converted}")];
    if max > high && from == ScalarType::U64 {
        lines.push(format!("if (bgt(a, {})) c = {}", literal(high, ScalarType::I64), literal(high, to)));
    } else if max > high {
        lines.push(format!("if ({a} > {}) c = {}", literal(high, ScalarType::I64), literal(high, to)));
    }
    if min < low {
        lines.push(format!("if ({a} < {}) c = {}", literal(low, ScalarType::I64), literal(low, to)));
    }
    lines.join("\n")
}

/// The exponent is moved by a product, which also makes subnormal numbers normal.
const HALF_TO_FLOAT: &str = "\
integer(c_int32_t) :: magnitude, bits
magnitude = shiftl(ibits(int(a, c_int32_t), 0, 15), 13)
bits = ior(magnitude, shiftl(ibits(int(a, c_int32_t), 15, 1), 31))
if (magnitude >= 260046848_c_int32_t) then
    c = transfer(ior(bits, 1879048192_c_int32_t), 0.0_c_float)
else
    c = transfer(bits, 0.0_c_float) * 2.0_c_float**112
end if";

/// Rounds to nearest, ties to even. Subnormal results are rounded by a sum, whose last bit is worth 2^-24.
const FLOAT_TO_HALF: &str = "\
integer(c_int32_t) :: bits, half
bits = ibits(transfer(a, 0_c_int32_t), 0, 31)
if (bits > 2139095040_c_int32_t) then
    half = 32256_c_int32_t
else if (bits >= 1199566848_c_int32_t) then
    half = 31744_c_int32_t
else if (bits >= 947912704_c_int32_t) then
    half = shiftr(bits - 939524096_c_int32_t + 4095_c_int32_t + ibits(bits, 13, 1), 13)
else
    half = transfer(abs(a) + 0.5_c_float, 0_c_int32_t) - 1056964608_c_int32_t
end if
c = int(half, c_int16_t)
if (transfer(a, 0_c_int32_t) < 0) c = ior(c, -32767_c_int16_t - 1_c_int16_t)";
