//! Functions that C99, CUDA C++ and HIP lack, declared above a kernel that uses them.

use super::super::constant::range;
use super::super::ir::{Op, Program, Statement, walk};
use super::super::operations::{BinaryOp, UnaryOp};
use super::super::types::ScalarType;
use super::Printer;
use super::dialect::{Dialect, saturating_name, with_type};

/// A function that a kernel uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Helper {
    Min(ScalarType),
    Max(ScalarType),
    Popcount(ScalarType),
    LeadingZeros(ScalarType),
    RotateLeft(ScalarType),
    MulHigh(ScalarType),
    Saturate(ScalarType, ScalarType),
    Bitcast(ScalarType, ScalarType),
    HalfToFloat,
    FloatToHalf,
}

/// The differences between the languages.
pub(super) struct Language {
    head: &'static str,
    /// True if it has functions for bits, products and half precision.
    has_intrinsics: bool,
    /// True if it has `min` and `max` of all integers.
    has_min: bool,
}

pub(super) const C99: Language = Language { head: "static inline", has_intrinsics: false, has_min: false };
pub(super) const CUDA: Language =
    Language { head: "static __device__ __forceinline__", has_intrinsics: true, has_min: true };
pub(super) const HIP: Language = Language { has_min: false, ..CUDA };

pub(super) fn bitcast_name(from: ScalarType, to: ScalarType) -> String {
    format!("bitcast_{}_{}", from.name(), to.name())
}

/// True if a name is one of a helper function.
pub(super) fn is_helper(name: &str) -> bool {
    let prefixes = ["popcount_", "clz_", "rotate_", "mul_hi_", "saturate_", "bitcast_"];
    prefixes.iter().any(|prefix| name.starts_with(prefix)) || matches!(name, "half_to_float" | "float_to_half")
}

/// True if a kernel of scalars copies bits between integers and floating-point numbers.
pub(super) fn needs_memcpy(program: &Program) -> bool {
    used(program).iter().any(|helper| matches!(helper, Helper::Bitcast(..) | Helper::HalfToFloat | Helper::FloatToHalf))
}

/// The helper functions of a program, in the order of their first uses.
fn used(program: &Program) -> Vec<Helper> {
    let mut found = Vec::new();
    for node in &program.nodes {
        let scalar = node.value_type.scalar;
        let of = |id: &usize| program.nodes[*id].value_type.scalar;
        let helper = match &node.op {
            Op::Binary(BinaryOp::Min, ..) if scalar.is_integer() => Helper::Min(scalar),
            Op::Binary(BinaryOp::Max, ..) if scalar.is_integer() => Helper::Max(scalar),
            Op::Binary(BinaryOp::RotateLeft, ..) => Helper::RotateLeft(scalar),
            Op::Binary(BinaryOp::MulHigh, ..) => Helper::MulHigh(scalar),
            Op::Unary(UnaryOp::Popcount, _) => Helper::Popcount(scalar),
            Op::Unary(UnaryOp::LeadingZeros, _) => Helper::LeadingZeros(scalar),
            Op::ConvertSat(a) => Helper::Saturate(of(a), scalar),
            Op::Bitcast(a) if of(a).is_float() != scalar.is_float() => Helper::Bitcast(of(a), scalar),
            Op::Load(memory, ..) if program.memories[*memory].element.scalar == ScalarType::F16 => Helper::HalfToFloat,
            _ => continue,
        };
        if !found.contains(&helper) {
            found.push(helper);
        }
    }
    let mut stores = false;
    walk(&program.body, &mut |statement| {
        if let Statement::Store(memory, ..) = statement {
            stores |= program.memories[*memory].element.scalar == ScalarType::F16;
        }
    });
    if stores {
        found.push(Helper::FloatToHalf);
    }
    found
}

/// Declares the helper functions that the program uses.
pub(super) fn declare(printer: &mut Printer<'_>, dialect: &dyn Dialect, language: &Language) {
    let writer = Writer { dialect, language };
    for helper in used(printer.program) {
        if let Some(text) = writer.function(helper) {
            for line in text.lines() {
                printer.line(line);
            }
            printer.line("");
        }
    }
}

struct Writer<'a> {
    dialect: &'a dyn Dialect,
    language: &'a Language,
}

impl Writer<'_> {
    fn function(&self, helper: Helper) -> Option<String> {
        let intrinsics = self.language.has_intrinsics;
        match helper {
            Helper::Min(_) | Helper::Max(_) if self.language.has_min => None,
            Helper::Bitcast(..) if intrinsics => None,
            Helper::HalfToFloat | Helper::FloatToHalf if intrinsics => None,
            Helper::Min(scalar) => Some(self.of_two("min", scalar, "return a < b ? a : b;")),
            Helper::Max(scalar) => Some(self.of_two("max", scalar, "return a > b ? a : b;")),
            Helper::Popcount(scalar) => Some(self.of_one("popcount", scalar, &self.popcount(scalar))),
            Helper::LeadingZeros(scalar) => Some(self.of_one("clz", scalar, &self.leading_zeros(scalar))),
            Helper::RotateLeft(scalar) => Some(self.of_two("rotate", scalar, &self.rotate(scalar))),
            Helper::MulHigh(scalar) => Some(self.of_two("mul_hi", scalar, &self.mul_high(scalar))),
            Helper::Saturate(from, to) => Some(self.saturate(from, to)),
            Helper::Bitcast(from, to) => Some(self.bitcast(from, to)),
            Helper::HalfToFloat => Some(format!("{} {HALF_TO_FLOAT}", self.language.head)),
            Helper::FloatToHalf => Some(format!("{} {FLOAT_TO_HALF}", self.language.head)),
        }
    }

    fn name(&self, scalar: ScalarType) -> &'static str {
        self.dialect.scalar_name(scalar)
    }

    fn of_one(&self, name: &str, scalar: ScalarType, body: &str) -> String {
        let (name, of) = (with_type(name, scalar), self.name(scalar));
        format!("{} {of} {name}(const {of} a) {}", self.language.head, braced(body))
    }

    fn of_two(&self, name: &str, scalar: ScalarType, body: &str) -> String {
        let (name, of) = (with_type(name, scalar), self.name(scalar));
        format!("{} {of} {name}(const {of} a, const {of} b) {}", self.language.head, braced(body))
    }

    /// Sums of ever more bits (Warren, Hacker's Delight, section 5-1).
    fn popcount(&self, scalar: ScalarType) -> String {
        let (of, unsigned, word) = (self.name(scalar), self.name(scalar.unsigned()), self.name(ScalarType::U64));
        if self.language.has_intrinsics {
            let function = if scalar.bits() == 64 { "__popcll" } else { "__popc" };
            return format!("return ({of}){function}(({unsigned})a);");
        }
        format!(
            "{word} x = ({unsigned})a;\n\
             x -= (x >> 1) & 0x5555555555555555ULL;\n\
             x = (x & 0x3333333333333333ULL) + ((x >> 2) & 0x3333333333333333ULL);\n\
             x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fULL;\n\
             return ({of})((x * 0x0101010101010101ULL) >> 56);"
        )
    }

    /// The highest bit by bisection.
    fn leading_zeros(&self, scalar: ScalarType) -> String {
        let (of, unsigned, word) = (self.name(scalar), self.name(scalar.unsigned()), self.name(ScalarType::U64));
        let bits = scalar.bits();
        if self.language.has_intrinsics {
            return match bits {
                64 => format!("return ({of})__clzll(a);"),
                _ => format!("return ({of})(__clz(({unsigned})a) - {});", 32 - bits),
            };
        }
        format!(
            "{word} x = ({unsigned})a;\n\
             int used = x != 0;\n\
             for (int step = {}; step > 0; step /= 2)\n    \
                 if (x >> step != 0) {{ x >>= step; used += step; }}\n\
             return ({of})({bits} - used);",
            bits / 2
        )
    }

    fn rotate(&self, scalar: ScalarType) -> String {
        let (of, unsigned, bits) = (self.name(scalar), self.name(scalar.unsigned()), scalar.bits());
        // Shorter integers would be shifted as signed ones.
        let word = self.name(if bits < 32 { ScalarType::U32 } else { scalar.unsigned() });
        format!(
            "const {word} x = ({unsigned})a;\n\
             const int left = (int)(b & {mask});\n\
             return ({of})({unsigned})(x << left | x >> (({bits} - left) & {mask}));",
            mask = bits - 1
        )
    }

    fn mul_high(&self, scalar: ScalarType) -> String {
        let (of, bits) = (self.name(scalar), scalar.bits());
        if self.language.has_intrinsics && bits >= 32 {
            let function = match scalar {
                ScalarType::I32 => "__mulhi",
                ScalarType::U32 => "__umulhi",
                ScalarType::I64 => "__mul64hi",
                _ => "__umul64hi",
            };
            return format!("return {function}(a, b);");
        }
        if bits < 64 {
            let wide = self.name(if scalar.is_signed() { ScalarType::I64 } else { ScalarType::U64 });
            return format!("return ({of})(({wide})a * b >> {bits});");
        }
        // Products of halves (Warren, Hacker's Delight, section 8-2).
        let signs = if scalar.is_signed() { " - (a < 0 ? (uint64_t)b : 0) - (b < 0 ? (uint64_t)a : 0)" } else { "" };
        format!(
            "const uint64_t a0 = (uint32_t)a, a1 = (uint64_t)a >> 32, b0 = (uint32_t)b, b1 = (uint64_t)b >> 32;\n\
             const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);\n\
             const uint64_t other = a0 * b1 + (uint32_t)middle;\n\
             return ({of})(a1 * b1 + (middle >> 32) + (other >> 32){signs});"
        )
    }

    /// Compares with the bounds that the source's type passes. Bounds of floating-point numbers are powers of two, and
    /// exact.
    fn saturate(&self, from: ScalarType, to: ScalarType) -> String {
        let (of, target) = (self.name(from), self.name(to));
        let (low, high) = range(to);
        let literal = |value: i128| {
            let constant = super::super::constant::Constant::wrapped(value, to);
            self.dialect.literal(constant).0
        };
        let body = if from.is_float() {
            let suffix = if from == ScalarType::F32 { "f" } else { "" };
            let bound = |value: i128| format!("{:?}{suffix}", value as f64);
            let upper = format!("if (a >= {}) return {};\n", bound(high + 1), literal(high));
            if to.is_signed() {
                let (min, bound) = (literal(low), bound(low));
                format!("{upper}if (a >= {bound}) return ({target})a;\nreturn a < {bound} ? {min} : 0;")
            } else {
                format!("{upper}return a > 0 ? ({target})a : 0;")
            }
        } else {
            let (min, max) = range(from);
            let mut body = String::new();
            if min < low {
                let bound = if low == 0 { "0".to_owned() } else { literal(low) };
                body += &format!("if (a < {bound}) return {};\n", literal(low));
            }
            if max > high {
                body += &format!("if (a > {}) return {};\n", self.bound_of(from, high), literal(high));
            }
            format!("{body}return ({target})a;")
        };
        let name = saturating_name(from, to);
        format!("{} {target} {name}(const {of} a) {}", self.language.head, braced(&body))
    }

    /// A bound in the source's type, which holds it: a comparison in the target's would be of other signs.
    fn bound_of(&self, from: ScalarType, value: i128) -> String {
        self.dialect.literal(super::super::constant::Constant::wrapped(value, from)).0
    }

    fn bitcast(&self, from: ScalarType, to: ScalarType) -> String {
        let (of, target) = (self.name(from), self.name(to));
        let body = format!("{target} b;\nmemcpy(&b, &a, sizeof b);\nreturn b;");
        format!("{} {target} {}(const {of} a) {}", self.language.head, bitcast_name(from, to), braced(&body))
    }
}

/// A body of one line in braces, or of more lines below.
fn braced(body: &str) -> String {
    if !body.contains('\n') {
        return format!("{{ {body} }}");
    }
    let lines: String = body.lines().map(|line| format!("    {line}\n")).collect();
    format!("{{\n{lines}}}")
}

/// The exponent is moved by a product, which also makes subnormal numbers normal.
const HALF_TO_FLOAT: &str = "\
float half_to_float(const uint16_t a) {
    const uint32_t magnitude = (uint32_t)(a & 0x7fff) << 13;
    const uint32_t bits = magnitude | (uint32_t)(a & 0x8000) << 16 | (magnitude >= 0x0f800000 ? 0x70000000 : 0);
    float b;
    memcpy(&b, &bits, sizeof b);
    return magnitude >= 0x0f800000 ? b : b * 0x1p112f;
}";

/// Rounds to nearest, ties to even. Subnormal results are rounded by a sum, whose last bit is worth 2^-24.
const FLOAT_TO_HALF: &str = "\
uint16_t float_to_half(const float a) {
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) return sign | 0x7e00;
    if (bits >= 0x477ff000) return sign | 0x7c00;
    if (bits >= 0x38800000) return sign | (uint16_t)((bits - 0x38000000 + 0xfff + (bits >> 13 & 1)) >> 13);
    const float sum = fabsf(a) + 0.5f;
    memcpy(&bits, &sum, sizeof bits);
    return sign | (uint16_t)(bits - 0x3f000000);
}";
