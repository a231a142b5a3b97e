//! The code of a phase while it is written: equal instructions are one, folded by exact rules.

use super::fold::{Folded, folded};
use crate::element::{ElementType, Value};
use crate::function::{Binary, ComplexUnary, Unary};
use crate::fused::{Instruction, Register};
use std::collections::HashMap;

#[derive(Default)]
pub(crate) struct Code {
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) types: Vec<ElementType>,
    known: HashMap<Instruction, Register>,
}

/// The registers of a value's parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    pub(crate) re: Register,
    /// `None` of a value that is not complex.
    pub(crate) im: Option<Register>,
}

impl Parts {
    pub(crate) fn real(re: Register) -> Parts {
        Parts { re, im: None }
    }

    pub(crate) fn complex(re: Register, im: Register) -> Parts {
        Parts { re, im: Some(im) }
    }
}

impl Code {
    /// The register of an instruction with a result of the type.
    pub(crate) fn push(&mut self, instruction: Instruction, element: ElementType) -> Register {
        let instruction = match folded(self, &instruction, element) {
            Some(Folded::Register(register)) => return register,
            Some(Folded::Instruction(instruction)) => instruction,
            None => instruction,
        };
        if let Some(&register) = self.known.get(&instruction) {
            return register;
        }
        let register = self.instructions.len();
        self.known.insert(instruction.clone(), register);
        self.instructions.push(instruction);
        self.types.push(element);
        register
    }

    pub(crate) fn unary(&mut self, function: Unary, x: Register) -> Register {
        // Constructors of nodes have checked the types.
        let element = function.result_type(self.types[x]).unwrap_or(self.types[x]);
        self.push(Instruction::Unary(function, x), element)
    }

    pub(crate) fn binary(&mut self, function: Binary, x: Register, y: Register) -> Register {
        let element = function.result_type(self.types[x]).unwrap_or(self.types[x]);
        self.push(Instruction::Binary(function, x, y), element)
    }

    pub(crate) fn neg(&mut self, x: Register) -> Register {
        self.unary(Unary::Neg, x)
    }

    pub(crate) fn fma(&mut self, a: Register, b: Register, c: Register) -> Register {
        self.push(Instruction::Fma(a, b, c), self.types[a])
    }

    pub(crate) fn select(&mut self, mask: Register, a: Register, b: Register) -> Register {
        self.push(Instruction::Select(mask, a, b), self.types[a])
    }

    pub(crate) fn convert(&mut self, to: ElementType, x: Register) -> Register {
        self.push(Instruction::Convert(to, x), to)
    }

    pub(crate) fn constant(&mut self, value: Value) -> Register {
        let element = value.element_type();
        self.push(Instruction::Constant(element, value.bits()), element)
    }

    pub(crate) fn complex(&mut self, function: ComplexUnary, z: Parts) -> Parts {
        let (x, element) = (z.re, self.types[z.re]);
        let y = z.im.unwrap_or(x);
        let re = self.push(Instruction::ComplexReal(function, x, y), element);
        Parts::complex(re, self.push(Instruction::ComplexImaginary(function, x, y), element))
    }

    /// Keeps the instructions that the registers need, which change to the new numbers.
    pub(crate) fn keep(mut self, registers: &mut [&mut Register]) -> Vec<Instruction> {
        let mut is_used = vec![false; self.instructions.len()];
        for register in registers.iter() {
            is_used[**register] = true;
        }
        for register in (0..self.instructions.len()).rev() {
            if is_used[register] {
                each_operand(&mut self.instructions[register], |operand| is_used[*operand] = true);
            }
        }
        let new: Vec<Register> =
            is_used.iter().scan(0, |n, &used| Some(std::mem::replace(n, *n + usize::from(used)))).collect();
        for register in registers.iter_mut() {
            **register = new[**register];
        }
        let mut remaining = self.instructions;
        let mut used = is_used.iter();
        remaining.retain(|_| *used.next().unwrap_or(&true));
        for instruction in &mut remaining {
            each_operand(instruction, |operand| *operand = new[*operand]);
        }
        remaining
    }
}

/// Calls a function with each register that an instruction reads.
pub(crate) fn each_operand(instruction: &mut Instruction, mut f: impl FnMut(&mut Register)) {
    match instruction {
        Instruction::LoadAt { indices, .. } => indices.iter_mut().for_each(f),
        Instruction::Unary(_, x) | Instruction::Convert(_, x) | Instruction::Bitcast(_, x) => f(x),
        Instruction::Binary(_, x, y) | Instruction::ComplexReal(_, x, y) | Instruction::ComplexImaginary(_, x, y) => {
            f(x);
            f(y);
        }
        Instruction::Fma(a, b, c)
        | Instruction::Select(a, b, c)
        | Instruction::Philox { counter: a, stream: b, key: c, .. } => {
            f(a);
            f(b);
            f(c);
        }
        Instruction::Load(_)
        | Instruction::LoadImaginary(_)
        | Instruction::Scalar(_)
        | Instruction::Constant(..)
        | Instruction::Coordinate(_)
        | Instruction::Slot(_) => {}
    }
}
