//! The types of instructions.

use super::{Checked, Invalid};
use crate::element::{ElementType, Value};
use crate::function::{Binary, Reduction, Unary};
use crate::fused::{Access, AccessClass, Effect, Instruction, Phase, Register, Structure};

impl Unary {
    /// The type of the result, or `None` where the function has no such operand.
    pub const fn result_type(self, operand: ElementType) -> Option<ElementType> {
        let is_number = operand.is_integer() || operand.is_real();
        let (is_defined, result) = match self {
            Unary::Neg | Unary::Abs | Unary::Sign | Unary::Square => (is_number, operand),
            Unary::Not => (operand.is_integer() || matches!(operand, ElementType::Bool), operand),
            Unary::IsNan | Unary::IsInfinite | Unary::IsFinite | Unary::SignBit => {
                (operand.is_real(), ElementType::Bool)
            }
            _ => (operand.is_real(), operand),
        };
        if is_defined { Some(result) } else { None }
    }
}

impl Binary {
    /// The type of the result, or `None` where the function has no such operands.
    pub const fn result_type(self, operand: ElementType) -> Option<ElementType> {
        let is_bool = matches!(operand, ElementType::Bool);
        let is_number = operand.is_integer() || operand.is_real();
        let is_defined = match self {
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Rem | Binary::Min | Binary::Max => {
                is_number
            }
            Binary::Pow | Binary::Atan2 | Binary::Hypot | Binary::CopySign => operand.is_real(),
            Binary::And | Binary::Or | Binary::Xor => is_bool || operand.is_integer(),
            Binary::Shl | Binary::Shr => operand.is_integer(),
            _ => is_bool || is_number,
        };
        match is_defined {
            true if self.is_comparison() => Some(ElementType::Bool),
            true => Some(operand),
            false => None,
        }
    }
}

impl Reduction {
    /// The type of the result, or `None` where elements of the type have no such reduction.
    pub const fn result_type(self, element: ElementType) -> Option<ElementType> {
        let is_number = element.is_integer() || element.is_real();
        match self {
            Reduction::Sum | Reduction::Product | Reduction::Min | Reduction::Max if is_number => Some(element),
            Reduction::ArgMin | Reduction::ArgMax if is_number => Some(ElementType::I64),
            Reduction::Any | Reduction::All if matches!(element, ElementType::Bool) => Some(element),
            _ => None,
        }
    }
}

/// True for types of registers.
const fn is_register_type(element: ElementType) -> bool {
    !element.is_complex()
}

impl Structure {
    /// The types of the registers of a phase.
    ///
    /// # Errors
    /// If the structure is not consistent up to this phase.
    pub fn types(&self, phase: usize) -> Checked<Vec<ElementType>> {
        let mut filled = vec![None; self.slots.len()];
        let code = self.phases.get(phase).ok_or(Invalid::Kernel("no such phase"))?;
        for (index, earlier) in self.phases[..phase].iter().enumerate() {
            for effect in &earlier.effects {
                if let &Effect::Reduce { slot, .. } = effect {
                    *filled.get_mut(slot).ok_or(Invalid::Slot { slot, reason: "no such slot" })? = Some(index);
                }
            }
        }
        let mut types = Vec::with_capacity(code.code.len());
        for (register, instruction) in code.code.iter().enumerate() {
            let error = |reason| Invalid::Instruction { phase, register, reason };
            types.push(self.result_type(code, instruction, &types, &filled).map_err(error)?);
        }
        Ok(types)
    }

    pub(crate) fn result_type(
        &self,
        phase: &Phase,
        instruction: &Instruction,
        types: &[ElementType],
        filled: &[Option<usize>],
    ) -> Result<ElementType, &'static str> {
        let type_of = |register: Register| types.get(register).copied().ok_or("an operand that is not computed yet");
        let same = |a, b| match (type_of(a)?, type_of(b)?) {
            (a, b) if a == b => Ok(a),
            _ => Err("operands of different types"),
        };
        let undefined = "not defined for the type";
        match *instruction {
            Instruction::Load(access) => Ok(self.read_access(access, false, false)?.element.part()),
            Instruction::LoadImaginary(access) => Ok(self.read_access(access, false, true)?.element.part()),
            Instruction::LoadAt { access, ref indices, imaginary } => {
                let element = self.read_access(access, true, imaginary)?.element;
                let are_integers = indices.iter().all(|&index| type_of(index) == Ok(ElementType::I64));
                if are_integers { Ok(element.part()) } else { Err("an index that is no I64") }
            }
            Instruction::Scalar(scalar) => self.scalars.get(scalar).copied().ok_or("no such scalar"),
            Instruction::Constant(element, bits) => constant(element, bits).map(Value::element_type),
            Instruction::Coordinate(axis) => match axis < if phase.is_loop { self.rank } else { self.parallel } {
                true => Ok(ElementType::I64),
                false => Err("no such axis"),
            },
            Instruction::Slot(slot) => match filled.get(slot) {
                Some(Some(_)) => {
                    let slot = self.slots[slot];
                    slot.reduction.result_type(slot.element).ok_or(undefined)
                }
                _ => Err("a slot that is not filled yet"),
            },
            Instruction::Unary(function, x) => function.result_type(type_of(x)?).ok_or(undefined),
            Instruction::Binary(function, x, y) => function.result_type(same(x, y)?).ok_or(undefined),
            Instruction::Fma(a, b, c) => {
                same(b, c)?;
                Some(same(a, b)?).filter(|t| t.is_real()).ok_or(undefined)
            }
            Instruction::Select(mask, a, b) => match type_of(mask)? {
                ElementType::Bool => same(a, b),
                _ => Err("a mask that is no Bool"),
            },
            Instruction::Convert(to, x) => type_of(x).and(Some(to).filter(|&t| is_register_type(t)).ok_or(undefined)),
            Instruction::Bitcast(to, x) => {
                let from = type_of(x)?;
                let is_bool = to == ElementType::Bool || from == ElementType::Bool;
                let fits = is_register_type(to) && !is_bool && to.bytes() == from.bytes();
                if fits { Ok(to) } else { Err(undefined) }
            }
            Instruction::ComplexReal(_, x, y) | Instruction::ComplexImaginary(_, x, y) => {
                Some(same(x, y)?).filter(|t| t.is_real()).ok_or(undefined)
            }
            Instruction::Philox { word, counter, stream, key } => {
                let are_integers = same(counter, stream)? == ElementType::I64 && same(stream, key)? == ElementType::I64;
                if word < 4 && are_integers { Ok(ElementType::U32) } else { Err(undefined) }
            }
        }
    }

    fn read_access(&self, index: usize, is_indexed: bool, is_imaginary: bool) -> Result<Access, &'static str> {
        let access = *self.accesses.get(index).ok_or("no such access")?;
        match (access.class == AccessClass::Indexed) == is_indexed {
            false if is_indexed => Err("indices for an access at the points"),
            false => Err("an indexed access without indices"),
            true if is_imaginary && !access.element.is_complex() => Err("the imaginary part of a real access"),
            true => Ok(access),
        }
    }
}

/// The constant with the bits of a type.
pub(crate) fn constant(element: ElementType, bits: u64) -> Result<Value, &'static str> {
    let low = bits as u32;
    let (value, used) = match element {
        ElementType::Bool => (Value::Bool(bits == 1), 1),
        ElementType::U8 => (Value::U8(bits as u8), 8),
        ElementType::I32 => (Value::I32(low as i32), 32),
        ElementType::U32 => (Value::U32(low), 32),
        ElementType::I64 => (Value::I64(bits as i64), 64),
        ElementType::F32 => (Value::F32(f32::from_bits(low)), 32),
        ElementType::F64 => (Value::F64(f64::from_bits(bits)), 64),
        ElementType::C32 | ElementType::C64 => return Err("a complex constant"),
    };
    if used == 64 || bits >> used == 0 { Ok(value) } else { Err("a constant with more bits than its type") }
}
