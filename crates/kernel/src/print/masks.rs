//! Boolean vectors in OpenCL C and in C with vector extensions: vectors of integers whose lanes are 0 or -1, as wide as
//! the lanes that were compared.

use super::super::constant::Constant;
use super::super::ir::{Id, Op, Program};
use super::super::operations::{BinaryOp, UnaryOp};
use super::super::types::{ScalarType, ValueType};
use super::operators::Level;
use super::{Printer, Text};

/// Bits of the lanes of boolean vectors that were not compared, and of variables.
const UNCOMPARED: u32 = 32;

/// The bits of each boolean vector's lanes.
pub(super) fn widths(program: &Program) -> Vec<u32> {
    let mut widths = vec![UNCOMPARED; program.nodes.len()];
    for (id, node) in program.nodes.iter().enumerate().filter(|(_, node)| node.value_type.is_mask()) {
        let compared = |id: Id| program.nodes[id].value_type.scalar.bits();
        widths[id] = match node.op {
            Op::Binary(op, a, _) if op.is_comparison() => compared(a),
            Op::Unary(UnaryOp::SignBit, a) => compared(a),
            Op::Binary(_, a, _) | Op::Unary(_, a) | Op::Select(_, a, _) => widths[a],
            _ => UNCOMPARED,
        };
    }
    widths
}

fn mask_type(lanes: usize, bits: u32) -> ValueType {
    let scalar = match bits {
        8 => ScalarType::I8,
        16 => ScalarType::I16,
        32 => ScalarType::I32,
        _ => ScalarType::I64,
    };
    ValueType::vector(scalar, lanes)
}

impl Printer<'_> {
    /// The type of a value in the text.
    pub(super) fn node_type(&self, id: Id) -> String {
        let value_type = self.program.nodes[id].value_type;
        if value_type.is_mask() {
            return self.type_name(mask_type(value_type.lanes, self.mask_bits[id]));
        }
        self.type_name(value_type)
    }

    /// The type of a variable in the text.
    pub(super) fn variable_type(&self, value_type: ValueType) -> String {
        self.type_name(if value_type.is_mask() { mask_type(value_type.lanes, UNCOMPARED) } else { value_type })
    }

    /// A value as a variable takes it.
    pub(super) fn as_variable(&self, id: Id, text: Text) -> Text {
        if self.program.nodes[id].value_type.is_mask() { self.mask(id, &text, UNCOMPARED) } else { text }
    }

    /// A boolean vector with lanes of `bits` bits: conversions keep 0 and -1.
    fn mask(&self, id: Id, text: &Text, bits: u32) -> Text {
        let node = &self.program.nodes[id];
        let type_name = self.type_name(mask_type(node.value_type.lanes, bits));
        match node.op {
            Op::Constant(constant) => self.dialect.splat(&type_name, node.value_type.lanes, mask_lane(constant)),
            _ if self.mask_bits[id] == bits => text.clone(),
            _ => {
                let converted = self.dialect.convert_vector(&type_name, &text.text);
                Text { text: converted, level: Level::Primary, ..text.clone() }
            }
        }
    }

    /// The text of an operation on boolean vectors, where it is another than that on numbers.
    pub(super) fn mask_operation(&self, id: Id, operands: &[(Id, Text)]) -> Option<Text> {
        let node = &self.program.nodes[id];
        let value_type = node.value_type;
        let mask = |number: usize, bits: u32| self.mask(operands[number].0, &operands[number].1, bits);
        let all = |bits: u32| (0..operands.len()).map(|number| mask(number, bits).text).collect::<Vec<_>>();
        let bits = self.mask_bits[id];
        let text = match node.op {
            Op::Select(condition, ..) if self.program.nodes[condition].value_type.is_mask() => {
                let value_bits = if value_type.is_mask() { bits } else { value_type.scalar.bits() };
                let values = if value_type.is_mask() { all(bits) } else { texts(operands) };
                let words = self.type_name(mask_type(value_type.lanes, value_bits));
                let of = if value_type.is_mask() { words.clone() } else { self.type_name(value_type) };
                self.dialect.select_vector(&of, &words, &mask(0, value_bits).text, &values[1], &values[2])
            }
            Op::Select(..) if value_type.is_mask() => {
                let [a, b] = [1, 2].map(|number| mask(number, bits).at_least(Level::Or));
                Text::at(Level::Conditional, format!("{} ? {a} : {b}", operands[0].1.at_least(Level::Or)))
            }
            Op::Lane(vector, lane) if self.program.nodes[vector].value_type.is_mask() => {
                let lanes = self.program.nodes[vector].value_type.lanes;
                let vector = mask(0, self.mask_bits[vector]).at_least(Level::Primary);
                Text::at(Level::Equality, format!("{} != 0", self.dialect.lane(&vector, lanes, lane)))
            }
            _ if !value_type.is_mask() => return None,
            Op::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor), ..) => {
                let [a, b] = [0, 1].map(|number| mask(number, bits).at_least(Level::Unary));
                let sign = match op {
                    BinaryOp::And => "&",
                    BinaryOp::Or => "|",
                    _ => "^",
                };
                Text::at(Level::Bits, format!("{a} {sign} {b}"))
            }
            Op::Unary(UnaryOp::Not, _) => Text::at(Level::Unary, format!("~{}", mask(0, bits).at_least(Level::Unary))),
            Op::Unary(..) => Text::name(format!("signbit({})", operands[0].1.text)),
            Op::Splat(_) => {
                let lane = format!("-(int){}", operands[0].1.at_least(Level::Unary));
                self.dialect.splat(&self.node_type(id), value_type.lanes, &lane)
            }
            Op::Gather(_) => {
                let lanes = operands.iter().map(|(_, text)| format!("-(int){}", text.at_least(Level::Unary)));
                self.dialect.vector(&self.node_type(id), &lanes.collect::<Vec<_>>())
            }
            _ => return None,
        };
        Some(text)
    }
}

fn texts(operands: &[(Id, Text)]) -> Vec<String> {
    operands.iter().map(|(_, text)| text.text.clone()).collect()
}

/// A lane of a constant boolean vector.
pub(super) fn mask_lane(constant: Constant) -> &'static str {
    if constant.is_true() { "-1" } else { "0" }
}
