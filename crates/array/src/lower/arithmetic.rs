//! Functions of elements that are exact, or rounded once.
//!
//! The kernel language checks signed integers for overflow, and elements wrap: sums, products and left shifts are
//! computed on the unsigned type.

use super::emit::{Emit, V};
use crate::element::ElementType;
use crate::function::{Binary, Unary};
use affinimath_kernel::ScalarType;
use affinimath_kernel::dynamic::{BinaryOp, UnaryOp};

/// The kernel language's type of an element.
pub const fn scalar_type(element: ElementType) -> ScalarType {
    match element {
        ElementType::Bool => ScalarType::Bool,
        ElementType::U8 => ScalarType::U8,
        ElementType::I32 => ScalarType::I32,
        ElementType::U32 => ScalarType::U32,
        ElementType::I64 => ScalarType::I64,
        ElementType::F32 | ElementType::C32 => ScalarType::F32,
        ElementType::F64 | ElementType::C64 => ScalarType::F64,
    }
}

/// The unsigned type of an integer's size, whose arithmetic wraps.
pub const fn unsigned(element: ElementType) -> ScalarType {
    match element {
        ElementType::U8 => ScalarType::U8,
        ElementType::I32 | ElementType::U32 | ElementType::F32 => ScalarType::U32,
        _ => ScalarType::U64,
    }
}

impl<'k> Emit<'_, 'k> {
    /// An operation of integers, computed on the unsigned type.
    fn wrapping(self, element: ElementType, op: BinaryOp, a: V<'k>, b: V<'k>) -> V<'k> {
        let wide = unsigned(element);
        let result = self.binary(op, self.bitcast(a, wide), self.bitcast(b, wide));
        self.bitcast(result, scalar_type(element))
    }

    fn wrapping_neg(self, element: ElementType, a: V<'k>) -> V<'k> {
        self.wrapping(element, BinaryOp::Sub, self.number(element, 0, 1), a)
    }

    /// A small whole number of a type.
    pub fn number(self, element: ElementType, number: i64, lanes: usize) -> V<'k> {
        self.whole(scalar_type(element), number, lanes)
    }

    /// A function that is one operation, or a few; `None` for the others.
    pub fn exact_unary(self, function: Unary, element: ElementType, a: V<'k>) -> Option<V<'k>> {
        if element == ElementType::Bool {
            return (function == Unary::Not).then(|| self.unary(UnaryOp::Not, a));
        }
        if element.is_integer() {
            return self.integer_unary(function, element, a);
        }
        let [zero, one] = [0, 1].map(|number| self.number(element, number, 1));
        Some(match function {
            Unary::Neg => self.unary(UnaryOp::Neg, a),
            Unary::Abs => self.unary(UnaryOp::Abs, a),
            Unary::Sign => {
                let minus = self.number(element, -1, 1);
                let rest = self.select(self.binary(BinaryOp::Lt, a, zero), minus, a);
                self.select(self.binary(BinaryOp::Gt, a, zero), one, rest)
            }
            Unary::Recip => self.divide(one, a),
            Unary::Square => self.binary(BinaryOp::Mul, a, a),
            Unary::Sqrt => self.square_root(a),
            Unary::Floor => self.unary(UnaryOp::Floor, a),
            Unary::Ceil => self.unary(UnaryOp::Ceil, a),
            Unary::Trunc => self.unary(UnaryOp::Trunc, a),
            Unary::Round => self.unary(UnaryOp::Rint, a),
            Unary::IsNan => self.is_nan(a),
            Unary::IsInfinite => self.binary(BinaryOp::Eq, self.unary(UnaryOp::Abs, a), self.infinity(element)),
            Unary::IsFinite => self.binary(BinaryOp::Lt, self.unary(UnaryOp::Abs, a), self.infinity(element)),
            Unary::SignBit => self.unary(UnaryOp::SignBit, a),
            _ => return None,
        })
    }

    fn integer_unary(self, function: Unary, element: ElementType, a: V<'k>) -> Option<V<'k>> {
        let is_signed = matches!(element, ElementType::I32 | ElementType::I64);
        let zero = self.number(element, 0, 1);
        Some(match function {
            Unary::Neg => self.wrapping_neg(element, a),
            Unary::Not => self.unary(UnaryOp::Not, a),
            Unary::Abs if is_signed => {
                self.select(self.binary(BinaryOp::Lt, a, zero), self.wrapping_neg(element, a), a)
            }
            Unary::Abs => a,
            Unary::Sign => {
                let [one, minus] = [1, if is_signed { -1 } else { 0 }].map(|number| self.number(element, number, 1));
                let positive = self.select(self.binary(BinaryOp::Gt, a, zero), one, zero);
                self.select(self.binary(BinaryOp::Lt, a, zero), minus, positive)
            }
            Unary::Square => self.wrapping(element, BinaryOp::Mul, a, a),
            _ => return None,
        })
    }

    /// True for NaN.
    pub fn is_nan(self, a: V<'k>) -> V<'k> {
        self.binary(BinaryOp::Ne, a, a)
    }

    /// A function that is one operation, or a few; `None` for the others.
    pub fn exact_binary(self, function: Binary, element: ElementType, a: V<'k>, b: V<'k>) -> Option<V<'k>> {
        if element == ElementType::Bool {
            return self.logical(function, a, b);
        }
        if let Some(op) = comparison(function) {
            return Some(self.binary(op, a, b));
        }
        if element.is_integer() {
            return self.integer_binary(function, element, a, b);
        }
        Some(match function {
            Binary::Add => self.binary(BinaryOp::Add, a, b),
            Binary::Sub => self.binary(BinaryOp::Sub, a, b),
            Binary::Mul => self.binary(BinaryOp::Mul, a, b),
            Binary::Div => self.divide(a, b),
            Binary::Rem => self.binary(BinaryOp::Rem, a, b),
            Binary::Min | Binary::Max => {
                let op = if function == Binary::Min { BinaryOp::Lt } else { BinaryOp::Gt };
                let first = self.binary(BinaryOp::Or, self.binary(op, a, b), self.is_nan(a));
                self.select(first, a, b)
            }
            Binary::CopySign => self.binary(BinaryOp::Copysign, a, b),
            _ => return None,
        })
    }

    fn logical(self, function: Binary, a: V<'k>, b: V<'k>) -> Option<V<'k>> {
        let not = |a| self.unary(UnaryOp::Not, a);
        Some(match function {
            Binary::And => self.binary(BinaryOp::And, a, b),
            Binary::Or => self.binary(BinaryOp::Or, a, b),
            Binary::Xor | Binary::Ne => self.binary(BinaryOp::Xor, a, b),
            Binary::Eq => not(self.binary(BinaryOp::Xor, a, b)),
            Binary::Lt => self.binary(BinaryOp::And, not(a), b),
            Binary::Le => self.binary(BinaryOp::Or, not(a), b),
            Binary::Gt => self.binary(BinaryOp::And, a, not(b)),
            Binary::Ge => self.binary(BinaryOp::Or, a, not(b)),
            _ => return None,
        })
    }

    fn integer_binary(self, function: Binary, element: ElementType, a: V<'k>, b: V<'k>) -> Option<V<'k>> {
        let width = 8 * element.bytes() as i64;
        let count = |b| self.binary(BinaryOp::And, b, self.number(element, width - 1, 1));
        Some(match function {
            Binary::Add => self.wrapping(element, BinaryOp::Add, a, b),
            Binary::Sub => self.wrapping(element, BinaryOp::Sub, a, b),
            Binary::Mul => self.wrapping(element, BinaryOp::Mul, a, b),
            Binary::Div | Binary::Rem => self.integer_quotient(function, element, a, b),
            Binary::Min => self.binary(BinaryOp::Min, a, b),
            Binary::Max => self.binary(BinaryOp::Max, a, b),
            Binary::And => self.binary(BinaryOp::And, a, b),
            Binary::Or => self.binary(BinaryOp::Or, a, b),
            Binary::Xor => self.binary(BinaryOp::Xor, a, b),
            Binary::Shl => self.wrapping(element, BinaryOp::Shl, a, count(b)),
            Binary::Shr => self.binary(BinaryOp::Shr, a, count(b)),
            _ => return None,
        })
    }

    /// Truncated. Divisors 0 and -1 are replaced by 1: for 0 the results are 0, and -1 may overflow.
    fn integer_quotient(self, function: Binary, element: ElementType, a: V<'k>, b: V<'k>) -> V<'k> {
        let [zero, one] = [0, 1].map(|number| self.number(element, number, 1));
        let is_zero = self.binary(BinaryOp::Eq, b, zero);
        let is_signed = matches!(element, ElementType::I32 | ElementType::I64);
        let is_minus_one = is_signed.then(|| self.binary(BinaryOp::Eq, b, self.number(element, -1, 1)));
        let is_special = match is_minus_one {
            Some(is_minus_one) => self.binary(BinaryOp::Or, is_zero, is_minus_one),
            None => is_zero,
        };
        let divisor = self.select(is_special, one, b);
        if function == Binary::Rem {
            return self.binary(BinaryOp::Rem, a, divisor);
        }
        let mut quotient = self.binary(BinaryOp::Div, a, divisor);
        if let Some(is_minus_one) = is_minus_one {
            quotient = self.select(is_minus_one, self.wrapping_neg(element, a), quotient);
        }
        self.select(is_zero, zero, quotient)
    }

    /// Rust's `as`, and to `bool` a comparison with 0.
    pub fn convert_as_rust(self, from: ElementType, to: ElementType, a: V<'k>) -> V<'k> {
        if from == to {
            return a;
        }
        if to == ElementType::Bool {
            return self.binary(BinaryOp::Ne, a, self.number(from, 0, 1));
        }
        if from == ElementType::Bool {
            let [zero, one] = [0, 1].map(|number| self.number(to, number, 1));
            return self.select(a, one, zero);
        }
        if to.is_real() {
            return self.convert(a, scalar_type(to));
        }
        if from.is_real() {
            // Devices differ in their integers of NaN.
            let integer = self.convert_saturating(a, scalar_type(to));
            return self.select(self.is_nan(a), self.number(to, 0, 1), integer);
        }
        self.bitcast(self.convert(a, unsigned(to)), scalar_type(to))
    }

    /// a / b, correctly rounded.
    pub fn divide(self, a: V<'k>, b: V<'k>) -> V<'k> {
        if self.rounding.needs_doubles(self.scalar(a)) {
            // The quotient in 53 bits is rounded to 24 as the exact one is (Figueroa 1995).
            let [a, b] = [a, b].map(|value| self.convert(value, ScalarType::F64));
            return self.convert(self.binary(BinaryOp::Div, a, b), ScalarType::F32);
        }
        self.binary(BinaryOp::Div, a, b)
    }

    /// sqrt(a), correctly rounded.
    pub fn square_root(self, a: V<'k>) -> V<'k> {
        if self.rounding.needs_doubles(self.scalar(a)) {
            let root = self.unary(UnaryOp::Sqrt, self.convert(a, ScalarType::F64));
            return self.convert(root, ScalarType::F32);
        }
        self.unary(UnaryOp::Sqrt, a)
    }
}

const fn comparison(function: Binary) -> Option<BinaryOp> {
    Some(match function {
        Binary::Lt => BinaryOp::Lt,
        Binary::Le => BinaryOp::Le,
        Binary::Gt => BinaryOp::Gt,
        Binary::Ge => BinaryOp::Ge,
        Binary::Eq => BinaryOp::Eq,
        Binary::Ne => BinaryOp::Ne,
        _ => return None,
    })
}
