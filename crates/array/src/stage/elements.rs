//! The elements of a pass's vectors, as the body of a stage.

use std::collections::BTreeMap;

use affinimath_core::scalar::ScalarKind;
use affinimath_core::sparse::pass::{Operand, Pass, Term};

use super::Guard;
use super::complex::{Code, Pair};
use crate::element::ElementType;
use crate::function::Reduction;
use crate::fused::{Access, AccessClass, Effect, Instruction, Phase, ReductionOrder, Register, Slot, Structure};

/// A body under construction.
pub(super) struct Elements<'a> {
    pass: &'a Pass,
    /// The type in memory, and that of its parts.
    memory: ElementType,
    element: ElementType,
    prologue: &'a Code,
    code: Code,
    effects: Vec<Effect>,
    guards: Vec<Guard>,
    /// Registers of the prologue that are scalars of the body, with their types.
    scalars: Vec<(Register, ElementType)>,
    /// The access of each vector that the pass uses.
    accesses: BTreeMap<usize, usize>,
    is_read: Vec<bool>,
    /// The present values of operands.
    values: BTreeMap<Operand, Pair>,
}

impl<'a> Elements<'a> {
    pub(super) fn new(pass: &'a Pass, kind: ScalarKind, prologue: &'a Code) -> Self {
        let element = if kind.is_double() { ElementType::F64 } else { ElementType::F32 };
        let memory = match (kind.is_complex(), kind.is_double()) {
            (false, _) => element,
            (true, false) => ElementType::C32,
            (true, true) => ElementType::C64,
        };
        let used = (0..pass.vectors).filter(|vector| {
            let is_source = pass.save.is_some_and(|save| save.source == *vector);
            is_source || pass.writes(*vector) || pass.read().contains(&Operand::Vector(*vector))
        });
        let accesses: BTreeMap<usize, usize> = used.enumerate().map(|(access, vector)| (vector, access)).collect();
        Elements {
            pass,
            memory,
            element,
            prologue,
            code: Code::new(element),
            effects: Vec::new(),
            guards: Vec::new(),
            scalars: Vec::new(),
            is_read: vec![false; accesses.len()],
            accesses,
            values: BTreeMap::new(),
        }
    }

    /// All of the pass, with its factors, and the condition of its save, as registers of the prologue.
    pub(super) fn run(&mut self, factors: &[Pair], condition: Option<Register>) {
        let pass = self.pass;
        if let (Some(save), Some(condition)) = (pass.save, condition) {
            let value = self.value(Operand::Vector(save.source));
            self.store(save.target, value);
            let scalar = self.scalar_index(condition, ElementType::Bool);
            self.guards.push(Guard { access: self.accesses[&save.target], scalar });
        }
        let mut factors = factors.iter();
        for update in &pass.updates {
            let zero = self.code.constant(0.0);
            let mut sum = [zero; 2];
            for (term, factor) in update.terms.iter().zip(&mut factors) {
                sum = self.add_term(sum, term, *factor);
            }
            self.values.insert(update.target, sum);
        }
        for vector in (0..pass.vectors).filter(|vector| pass.updates(*vector)) {
            let value = self.values[&Operand::Vector(vector)];
            self.store(vector, value);
        }
        for (x, y) in &pass.dots {
            self.dot(*x, *y);
        }
    }

    fn value(&mut self, operand: Operand) -> Pair {
        if let Some(value) = self.values.get(&operand) {
            return *value;
        }
        let Operand::Vector(vector) = operand else { unreachable!("a pass computes its own values") };
        let access = self.accesses[&vector];
        self.is_read[access] = true;
        let re = self.code.push(Instruction::Load(access));
        let value = match self.memory.is_complex() {
            false => self.code.real(re),
            true => [re, self.code.push(Instruction::LoadImaginary(access))],
        };
        self.values.insert(operand, value);
        value
    }

    /// sum + factor * diagonal * vector.
    fn add_term(&mut self, sum: Pair, term: &Term, factor: Pair) -> Pair {
        let mut vector = self.value(term.vector);
        if let Some(diagonal) = term.diagonal {
            let diagonal = self.value(diagonal);
            vector = self.code.product(diagonal, vector);
        }
        let factor = factor.map(|part| self.factor(part));
        self.code.multiply_add(sum, factor, vector)
    }

    /// A register of the prologue in the body.
    fn factor(&mut self, register: Register) -> Register {
        if let Some(constant) = self.prologue.known(register) {
            return self.code.push(constant);
        }
        let scalar = self.scalar_index(register, self.element);
        self.code.push(Instruction::Scalar(scalar))
    }

    fn scalar_index(&mut self, register: Register, element: ElementType) -> usize {
        self.scalars.iter().position(|scalar| *scalar == (register, element)).unwrap_or_else(|| {
            self.scalars.push((register, element));
            self.scalars.len() - 1
        })
    }

    fn store(&mut self, vector: usize, [value, imaginary]: Pair) {
        let imaginary = self.memory.is_complex().then_some(imaginary);
        self.effects.push(Effect::Store { access: self.accesses[&vector], value, imaginary });
    }

    /// The sum of conj(x_i) y_i.
    fn dot(&mut self, x: Operand, y: Operand) {
        let is_square = x == y;
        let (x, y) = (self.value(x), self.value(y));
        let conjugate = self.code.conjugate(x);
        let product = self.code.product(conjugate, y);
        self.sum(product[0]);
        if self.memory.is_complex() {
            let imaginary = if is_square { self.code.constant(0.0) } else { product[1] };
            self.sum(imaginary);
        }
    }

    fn sum(&mut self, value: Register) {
        let slot = self.effects.iter().filter(|effect| matches!(effect, Effect::Reduce { .. })).count();
        self.effects.push(Effect::Reduce { slot, value });
    }

    /// The body, the prologue's registers that are its scalars, its guards, and the vector of each access.
    pub(super) fn finish(mut self) -> (Structure, Vec<Register>, Vec<Guard>, Vec<usize>) {
        let vectors: Vec<usize> = self.accesses.keys().copied().collect();
        let accesses = vectors.iter().zip(&self.is_read).map(|(vector, &is_read)| Access {
            element: self.memory,
            class: AccessClass::Contiguous,
            is_written: self.pass.writes(*vector),
            is_read,
        });
        let sums = self.effects.iter().filter(|effect| matches!(effect, Effect::Reduce { .. }));
        let slots = sums.map(|_| Slot { reduction: Reduction::Sum, element: self.element }).collect();
        let accesses = accesses.collect();
        let values = self.effects.iter_mut().flat_map(|effect| match effect {
            Effect::Store { value, imaginary, .. } => [Some(value), imaginary.as_mut()],
            Effect::Reduce { value, .. } => [Some(value), None],
        });
        let mut values: Vec<&mut Register> = values.flatten().collect();
        // Not every device has fma of single precision in hardware.
        let code = if self.element == ElementType::F64 { self.code.contracted(&mut values) } else { self.code };
        let code = code.keep(&mut values);
        let structure = Structure {
            rank: 1,
            parallel: 0,
            accesses,
            scalars: self.scalars.iter().map(|(_, element)| *element).collect(),
            phases: vec![Phase { is_loop: true, code, effects: self.effects }],
            slots,
            order: ReductionOrder { lanes: 1, chunk: 2 },
        };
        (structure, self.scalars.into_iter().map(|(register, _)| register).collect(), self.guards, vectors)
    }
}
