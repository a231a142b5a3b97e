//! Operations on ids that typed and dynamic values share.

use super::builder::Builder;
use super::constant::Constant;
use super::ir::{Id, Op};
use super::operations::{BinaryOp, UnaryOp};
use super::types::{ScalarType, ValueType};

impl Builder<'_> {
    pub(super) fn type_of(self, id: Id) -> ValueType {
        self.with(|state| state.program.nodes[id].value_type)
    }

    pub(super) fn constant(self, constant: Constant, lanes: usize) -> Id {
        self.emit_as(Op::Constant(constant), ValueType::vector(constant.scalar_type(), lanes))
    }

    /// A value converted lane by lane. Boolean vectors have no width in OpenCL C: they are compared and selected.
    pub(super) fn converted(self, id: Id, to: ScalarType, saturating: bool) -> Id {
        let from = self.type_of(id);
        let result = from.of(to);
        if from == result {
            return id;
        }
        if from.is_mask() {
            let [one, zero] = [1, 0].map(|value| self.constant(Constant::wrapped(value, to), from.lanes));
            return self.emit_as(Op::Select(id, one, zero), result);
        }
        if result.is_mask() {
            let zero = self.constant(Constant::zero(from.scalar), from.lanes);
            return self.emit_as(Op::Binary(BinaryOp::Ne, id, zero), result);
        }
        let saturates = saturating && to.is_integer() && from.scalar != ScalarType::Bool;
        self.emit_as(if saturates { Op::ConvertSat(id) } else { Op::Convert(id) }, result)
    }

    /// The same bits of each lane as another type of the same size.
    pub(super) fn bitcast_of(self, id: Id, to: ScalarType) -> Id {
        let from = self.type_of(id);
        if from.scalar == to { id } else { self.emit_as(Op::Bitcast(id), from.of(to)) }
    }

    /// A rotation to the right: one to the left by the number of bits minus the count, modulo the bits.
    pub(super) fn rotated_right(self, id: Id, count: Id) -> Id {
        let value_type = self.type_of(id);
        let of = |number: u32| self.constant(Constant::wrapped(number.into(), value_type.scalar), value_type.lanes);
        let bits = value_type.scalar.bits();
        let count = self.emit_as(Op::Binary(BinaryOp::And, count, of(bits - 1)), value_type);
        let left = self.emit_as(Op::Binary(BinaryOp::Sub, of(bits), count), value_type);
        self.emit_as(Op::Binary(BinaryOp::RotateLeft, id, left), value_type)
    }

    /// The modulus: of integers, the negative of negative ones.
    pub(super) fn modulus(self, id: Id) -> Id {
        let value_type = self.type_of(id);
        if value_type.scalar.is_float() {
            return self.emit_as(Op::Unary(UnaryOp::Abs, id), value_type);
        }
        let zero = self.constant(Constant::zero(value_type.scalar), value_type.lanes);
        let is_negative = self.emit_as(Op::Binary(BinaryOp::Lt, id, zero), value_type.of(ScalarType::Bool));
        let negative = self.emit_as(Op::Unary(UnaryOp::Neg, id), value_type);
        self.emit_as(Op::Select(is_negative, negative, id), value_type)
    }
}
