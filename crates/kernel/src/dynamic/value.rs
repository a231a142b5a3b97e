//! Values of run-time types.

use super::super::error::BuildError;
use super::super::expr::Expr;
use super::super::ir::{Id, Op};
use super::super::types::{ScalarType, Type, ValueType};
use super::{BinaryOp, Builder, Result, UnaryOp, types};

/// An immutable value, computed where it was made, as [`Expr`].
#[derive(Clone, Copy)]
pub struct Value<'k> {
    pub(super) builder: super::super::Builder<'k>,
    pub(super) id: Id,
}

impl<'k, T: Type> From<Expr<'k, T>> for Value<'k> {
    fn from(expr: Expr<'k, T>) -> Self {
        Value { builder: expr.builder, id: expr.id }
    }
}

impl<'k> Value<'k> {
    /// The value's type.
    pub fn value_type(self) -> ValueType {
        self.builder.type_of(self.id)
    }

    /// The value as an expression of its type.
    ///
    /// # Errors
    /// [`BuildError::Type`] for another type.
    pub fn typed<T: Type>(self) -> Result<Expr<'k, T>> {
        let value_type = self.value_type();
        if value_type != T::TYPE {
            return Err(BuildError::Type { what: format!("an expression of {}", T::TYPE), value_type });
        }
        Ok(Expr::new(self.builder, self.id))
    }

    fn emit(self, op: Op, value_type: ValueType) -> Self {
        Value { id: self.builder.emit_as(op, value_type), ..self }
    }

    fn refused<V>(operation: impl ToString, operands: &[Value<'k>]) -> Result<V> {
        let types = operands.iter().map(|operand| operand.value_type()).collect();
        Err(BuildError::Operands { operation: operation.to_string(), types })
    }

    /// A scalar in all lanes; a value that has as many lanes is itself.
    ///
    /// # Errors
    /// [`BuildError::Operands`] for another number of lanes; [`BuildError::Type`] for one that no vector has.
    pub fn splat(self, lanes: usize) -> Result<Self> {
        let value_type = self.value_type();
        let result = ValueType::vector(value_type.scalar, lanes);
        types::check_value("a vector", result)?;
        match value_type.lanes {
            own if own == lanes => Ok(self),
            1 => Ok(self.emit(Op::Splat(self.id), result)),
            _ => Self::refused("a splat", &[self]),
        }
    }

    /// The operands with as many lanes as the widest.
    fn broadcast<const N: usize>(operands: [Self; N]) -> Result<[Self; N]> {
        let lanes = operands.iter().map(|operand| operand.value_type().lanes).max().unwrap_or(1);
        let mut out = operands;
        for operand in &mut out {
            *operand = operand.splat(lanes).or_else(|_| Self::refused("an operation lane by lane", &operands))?;
        }
        Ok(out)
    }

    /// A unary operation, lane by lane.
    ///
    /// # Errors
    /// [`BuildError::Operands`].
    pub fn unary(self, op: UnaryOp) -> Result<Self> {
        let Some(result) = types::unary(op, self.value_type()) else {
            return Self::refused(format_args!("{op:?}"), &[self]);
        };
        if op == UnaryOp::Abs {
            return Ok(Value { id: self.builder.modulus(self.id), ..self });
        }
        Ok(self.emit(Op::Unary(op, self.id), result))
    }

    /// A binary operation, lane by lane. Comparisons give `bool`, or a vector of them.
    ///
    /// # Errors
    /// [`BuildError::Operands`].
    pub fn binary(self, op: BinaryOp, other: Self) -> Result<Self> {
        let [a, b] = Self::broadcast([self, other])?;
        let Some(result) = types::binary(op, a.value_type(), b.value_type()) else {
            return Self::refused(format_args!("{op:?}"), &[a, b]);
        };
        match op {
            BinaryOp::Eq | BinaryOp::Ne if a.value_type().scalar == ScalarType::Bool => {
                let differ = self.emit(Op::Binary(BinaryOp::Xor, a.id, b.id), result);
                if op == BinaryOp::Ne { Ok(differ) } else { differ.unary(UnaryOp::Not) }
            }
            _ => Ok(self.emit(Op::Binary(op, a.id, b.id), result)),
        }
    }

    /// self*b + c, rounded once.
    ///
    /// # Errors
    /// [`BuildError::Operands`] for others than floating-point numbers of one type.
    pub fn mul_add(self, b: Self, c: Self) -> Result<Self> {
        let [a, b, c] = Self::broadcast([self, b, c])?;
        let value_type = a.value_type();
        if !value_type.scalar.is_float() || b.value_type() != value_type || c.value_type() != value_type {
            return Self::refused("mul_add", &[a, b, c]);
        }
        Ok(self.emit(Op::Fma(a.id, b.id, c.id), value_type))
    }

    /// The value of the interval from `low` to `high` that is nearest; of NaN it is `low`.
    ///
    /// # Errors
    /// [`BuildError::Operands`].
    pub fn clamp(self, low: Self, high: Self) -> Result<Self> {
        self.binary(BinaryOp::Max, low)?.binary(BinaryOp::Min, high)
    }

    /// The bits rotated to the right, by `places` modulo the number of bits.
    ///
    /// # Errors
    /// [`BuildError::Operands`] for others than integers of one type.
    pub fn rotate_right(self, places: Self) -> Result<Self> {
        let [a, b] = Self::broadcast([self, places])?;
        if types::binary(BinaryOp::RotateLeft, a.value_type(), b.value_type()).is_none() {
            return Self::refused("rotate_right", &[a, b]);
        }
        Ok(Value { id: self.builder.rotated_right(a.id, b.id), ..self })
    }

    /// Of a condition: one of two values, both of which are computed. A vector of conditions selects lane by lane; one
    /// condition selects all lanes.
    ///
    /// # Errors
    /// [`BuildError::Operands`].
    pub fn select(self, if_true: Self, if_false: Self) -> Result<Self> {
        let condition = self.value_type();
        let [mut a, mut b] = Self::broadcast([if_true, if_false])?;
        if condition.lanes > 1 && a.value_type().lanes == 1 {
            [a, b] = [a.splat(condition.lanes)?, b.splat(condition.lanes)?];
        }
        let value_type = a.value_type();
        let fits = condition.lanes == 1 || condition.lanes == value_type.lanes;
        if condition.scalar != ScalarType::Bool || b.value_type() != value_type || !fits {
            return Self::refused("select", &[self, a, b]);
        }
        Ok(self.emit(Op::Select(self.id, a.id, b.id), value_type))
    }

    fn joined(self, op: impl Fn(Id) -> Op, operation: &str) -> Result<Self> {
        let value_type = self.value_type();
        match value_type {
            ValueType { scalar: ScalarType::Bool, lanes: 1 } => Ok(self),
            _ if value_type.is_mask() => Ok(self.emit(op(self.id), value_type.one_lane())),
            _ => Self::refused(operation, &[self]),
        }
    }

    /// True if any lane is; of one `bool` itself.
    ///
    /// # Errors
    /// [`BuildError::Operands`] for numbers.
    pub fn any(self) -> Result<Self> {
        self.joined(Op::Any, "any")
    }

    /// True if all lanes are; of one `bool` itself.
    ///
    /// # Errors
    /// [`BuildError::Operands`] for numbers.
    pub fn all(self) -> Result<Self> {
        self.joined(Op::All, "all")
    }

    /// Converts each lane as C does, see [`Expr::to`].
    ///
    /// # Errors
    /// [`BuildError::Type`] for half precision.
    pub fn convert(self, to: ScalarType) -> Result<Self> {
        self.converted(to, false)
    }

    /// Converts each lane as Rust's `as`, see [`Expr::to_saturating`].
    ///
    /// # Errors
    /// [`BuildError::Type`] for half precision.
    pub fn convert_saturating(self, to: ScalarType) -> Result<Self> {
        self.converted(to, true)
    }

    fn converted(self, to: ScalarType, saturating: bool) -> Result<Self> {
        types::check_value("a converted value", self.value_type().of(to))?;
        Ok(Value { id: self.builder.converted(self.id, to, saturating), ..self })
    }

    /// The same bits of each lane as a value of another type of the same size.
    ///
    /// # Errors
    /// [`BuildError::Operands`] for another size, and for `bool`.
    pub fn bitcast(self, to: ScalarType) -> Result<Self> {
        let from = self.value_type().scalar;
        let is_number = |scalar| !matches!(scalar, ScalarType::Bool | ScalarType::F16);
        if from.bits() != to.bits() || !is_number(from) || !is_number(to) {
            return Self::refused(format_args!("a bitcast to {to}"), &[self]);
        }
        Ok(Value { id: self.builder.bitcast_of(self.id, to), ..self })
    }

    /// A lane of a vector; lane 0 of a scalar is itself.
    ///
    /// # Errors
    /// [`BuildError::Operands`] for a lane that the value does not have.
    pub fn lane(self, lane: usize) -> Result<Self> {
        let value_type = self.value_type();
        match value_type.lanes {
            lanes if lane >= lanes => Self::refused(format_args!("lane {lane}"), &[self]),
            1 => Ok(self),
            _ => Ok(self.emit(Op::Lane(self.id, lane), value_type.one_lane())),
        }
    }

    /// A vector of some lanes of this one; one lane is a scalar.
    ///
    /// # Errors
    /// [`BuildError::Operands`] for a lane that the value does not have, or a number of lanes that no vector has.
    pub fn shuffle(self, lanes: &[usize]) -> Result<Self> {
        let lanes: Vec<Self> = lanes.iter().map(|lane| self.lane(*lane)).collect::<Result<_>>()?;
        match lanes[..] {
            [lane] => Ok(lane),
            _ => Builder { builder: self.builder }.gather(&lanes),
        }
    }

    /// The value with a name in the text.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        self.builder.give_name(self.id, name);
        self
    }
}
