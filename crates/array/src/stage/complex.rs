//! Code on numbers that may be complex, by their parts.

use crate::element::{ElementType, Value};
use crate::function::{Binary, Unary};
use crate::fused::{Instruction, Register};
use crate::plan::code;

/// The registers of a number: its real part, and its imaginary part.
pub(super) type Pair = [Register; 2];

/// Code under construction, where factors and terms of 0 vanish: numbers without an imaginary part cost no more than
/// real ones.
pub(super) struct Code {
    element: ElementType,
    inner: code::Code,
}

impl Code {
    /// Code on numbers of a real type.
    pub(super) fn new(element: ElementType) -> Self {
        Code { element, inner: code::Code::default() }
    }

    /// An instruction whose result has the code's type.
    pub(super) fn push(&mut self, instruction: Instruction) -> Register {
        self.inner.push(instruction, self.element)
    }

    /// The constant that a register is, if it is one.
    pub(super) fn known(&self, register: Register) -> Option<Instruction> {
        let instruction = &self.inner.instructions[register];
        matches!(instruction, Instruction::Constant(..)).then(|| instruction.clone())
    }

    /// The instructions that the registers need, which change to the new numbers.
    pub(super) fn keep(self, registers: &mut [&mut Register]) -> Vec<Instruction> {
        self.inner.keep(registers)
    }

    fn number(&self, value: f64) -> Value {
        if self.element == ElementType::F32 { Value::F32(value as f32) } else { Value::F64(value) }
    }

    /// A real constant.
    pub(super) fn constant(&mut self, value: f64) -> Register {
        self.inner.constant(self.number(value))
    }

    /// A real number as a complex one.
    pub(super) fn real(&mut self, re: Register) -> Pair {
        [re, self.constant(0.0)]
    }

    fn is_constant(&self, register: Register, value: f64) -> bool {
        let constant = Instruction::Constant(self.element, self.number(value).bits());
        self.inner.instructions[register] == constant
    }

    fn is_zero(&self, register: Register) -> bool {
        self.is_constant(register, 0.0)
    }

    /// The register whose negative a register is.
    fn negated(&self, register: Register) -> Option<Register> {
        match self.inner.instructions[register] {
            Instruction::Unary(Unary::Neg, of) => Some(of),
            _ => None,
        }
    }

    pub(super) fn binary(&mut self, function: Binary, a: Register, b: Register) -> Register {
        match (function, self.negated(a), self.negated(b)) {
            (Binary::Add, ..) if self.is_zero(a) => b,
            (Binary::Add | Binary::Sub, ..) if self.is_zero(b) => a,
            (Binary::Sub, ..) if self.is_zero(a) => self.unary(Unary::Neg, b),
            (Binary::Mul, ..) if self.is_zero(a) || self.is_constant(b, 1.0) => a,
            (Binary::Mul, ..) if self.is_zero(b) || self.is_constant(a, 1.0) => b,
            (Binary::Mul, ..) if self.is_constant(a, -1.0) => self.unary(Unary::Neg, b),
            (Binary::Add, _, Some(b)) => self.binary(Binary::Sub, a, b),
            (Binary::Add, Some(a), _) => self.binary(Binary::Sub, b, a),
            (Binary::Sub, _, Some(b)) => self.binary(Binary::Add, a, b),
            (Binary::Mul, Some(a), _) => self.negative_product(a, b),
            (Binary::Mul, _, Some(b)) => self.negative_product(a, b),
            _ => self.inner.binary(function, a, b),
        }
    }

    fn negative_product(&mut self, a: Register, b: Register) -> Register {
        let product = self.binary(Binary::Mul, a, b);
        self.unary(Unary::Neg, product)
    }

    pub(super) fn unary(&mut self, function: Unary, a: Register) -> Register {
        let is_zero = self.is_zero(a);
        match self.negated(a) {
            _ if function == Unary::Neg && is_zero => a,
            Some(of) if function == Unary::Neg => of,
            _ => self.inner.unary(function, a),
        }
    }

    pub(super) fn select(&mut self, mask: Register, a: Register, b: Register) -> Register {
        if a == b { a } else { self.inner.select(mask, a, b) }
    }

    /// 1 where a mask is true, else 0.
    pub(super) fn truth(&mut self, mask: Register) -> Pair {
        let (one, zero) = (self.constant(1.0), self.constant(0.0));
        [self.select(mask, one, zero), zero]
    }

    /// True where a number is not 0.
    pub(super) fn is_set(&mut self, a: Register) -> Register {
        let zero = self.constant(0.0);
        self.inner.binary(Binary::Ne, a, zero)
    }

    /// A function of both parts.
    pub(super) fn parts(&mut self, function: Binary, a: Pair, b: Pair) -> Pair {
        [self.binary(function, a[0], b[0]), self.binary(function, a[1], b[1])]
    }

    pub(super) fn conjugate(&mut self, a: Pair) -> Pair {
        [a[0], self.unary(Unary::Neg, a[1])]
    }

    /// sum + a b.
    pub(super) fn multiply_add(&mut self, sum: Pair, a: Pair, b: Pair) -> Pair {
        let [like, unlike, first, second] =
            [(0, 0), (1, 1), (0, 1), (1, 0)].map(|(i, j)| self.binary(Binary::Mul, a[i], b[j]));
        let re = self.binary(Binary::Add, sum[0], like);
        let im = self.binary(Binary::Add, sum[1], first);
        [self.binary(Binary::Sub, re, unlike), self.binary(Binary::Add, im, second)]
    }

    pub(super) fn product(&mut self, a: Pair, b: Pair) -> Pair {
        let zero = self.constant(0.0);
        self.multiply_add([zero; 2], a, b)
    }

    /// a / b without undue overflow and underflow (Smith 1962).
    pub(super) fn quotient(&mut self, a: Pair, b: Pair) -> Pair {
        let re = self.binary(Binary::Div, a[0], b[0]);
        if self.is_zero(b[1]) {
            let is_real = self.is_zero(a[1]);
            return [re, if is_real { a[1] } else { self.binary(Binary::Div, a[1], b[0]) }];
        }
        let sizes = [b[0], b[1]].map(|part| self.unary(Unary::Abs, part));
        let is_wide = self.inner.binary(Binary::Ge, sizes[0], sizes[1]);
        let less = self.select(is_wide, b[1], b[0]);
        let greater = self.select(is_wide, b[0], b[1]);
        let ratio = self.binary(Binary::Div, less, greater);
        let scaled = self.binary(Binary::Mul, less, ratio);
        let size = self.binary(Binary::Add, greater, scaled);
        // The parts of a that the larger and the smaller part of b meet.
        let [x, y] = [self.select(is_wide, a[0], a[1]), self.select(is_wide, a[1], a[0])];
        let rest = self.binary(Binary::Mul, y, ratio);
        let sum = self.binary(Binary::Add, x, rest);
        let rest = self.binary(Binary::Mul, x, ratio);
        let [first, second] = [self.binary(Binary::Sub, y, rest), self.binary(Binary::Sub, rest, y)];
        let difference = self.select(is_wide, first, second);
        let whole = [sum, difference].map(|part| self.binary(Binary::Div, part, size));
        let zero = self.constant(0.0);
        let [is_real, has_real] = [b[1], a[1]].map(|part| self.inner.binary(Binary::Eq, part, zero));
        let imaginary = self.binary(Binary::Div, a[1], b[0]);
        let imaginary = self.select(has_real, zero, imaginary);
        [self.select(is_real, re, whole[0]), self.select(is_real, imaginary, whole[1])]
    }

    /// The code with products that one sum alone reads contracted to `fma`. Registers change to the new numbers.
    pub(super) fn contracted(self, registers: &mut [&mut Register]) -> Code {
        let uses = self.uses(registers);
        let old = &self.inner.instructions;
        let product = |register: Register| match old[register] {
            Instruction::Binary(Binary::Mul, a, b) if uses[register] == 1 => Some((a, b)),
            _ => None,
        };
        let mut new = Code::new(self.element);
        let mut numbers: Vec<Register> = Vec::with_capacity(old.len());
        for (instruction, element) in old.iter().zip(&self.inner.types) {
            let at = |register: Register| numbers[register];
            let number = match *instruction {
                Instruction::Binary(Binary::Add, x, y) => match (product(y), product(x)) {
                    (Some((a, b)), _) => new.inner.fma(at(a), at(b), at(x)),
                    (None, Some((a, b))) => new.inner.fma(at(a), at(b), at(y)),
                    _ => new.inner.binary(Binary::Add, at(x), at(y)),
                },
                Instruction::Binary(Binary::Sub, x, y) => match (product(y), product(x)) {
                    (Some((a, b)), _) => {
                        let a = new.inner.neg(at(a));
                        new.inner.fma(a, at(b), at(x))
                    }
                    (None, Some((a, b))) => {
                        let y = new.inner.neg(at(y));
                        new.inner.fma(at(a), at(b), y)
                    }
                    _ => new.inner.binary(Binary::Sub, at(x), at(y)),
                },
                ref other => {
                    let mut other = other.clone();
                    code::each_operand(&mut other, |operand| *operand = numbers[*operand]);
                    new.inner.push(other, *element)
                }
            };
            numbers.push(number);
        }
        registers.iter_mut().for_each(|register| **register = numbers[**register]);
        new
    }

    /// How often each register is read.
    fn uses(&self, registers: &[&mut Register]) -> Vec<usize> {
        let mut uses = vec![0; self.inner.instructions.len()];
        registers.iter().for_each(|register| uses[**register] += 1);
        for instruction in &self.inner.instructions {
            code::each_operand(&mut instruction.clone(), |operand| uses[*operand] += 1);
        }
        uses
    }
}
