//! Passes of solvers as stages.

use std::collections::BTreeMap;

use affinimath_core::scalar::ScalarKind;
use affinimath_core::sparse::formula::{Formula, Number};
use affinimath_core::sparse::pass::Pass;

use super::complex::{Code, Pair};
use super::elements::Elements;
use super::{Prologue, Stage};
use crate::element::ElementType;
use crate::function::{Binary, Unary};
use crate::fused::{Instruction, Register};

/// A stage, with the pass's vector of each access.
#[derive(Clone, Debug)]
pub struct BoundStage {
    /// The stage.
    pub stage: Stage,
    /// The position of each access's vector among the pass's.
    pub vectors: Vec<usize>,
}

/// The stage of a pass over vectors of a type. A complex number of the state is two, and a complex sum is two sums.
pub fn stage_of(pass: &Pass, kind: ScalarKind) -> BoundStage {
    let mut numbers = Numbers::new(pass, kind);
    for (number, formula) in &pass.scalars {
        let value = numbers.value(formula);
        numbers.own.insert(number.0, value);
    }
    let factors: Vec<Pair> = pass.factors().map(|factor| numbers.value(factor)).collect();
    let guard = pass.save.map(|save| {
        let condition = numbers.number(save.condition);
        numbers.code.is_set(condition[0])
    });
    let mut elements = Elements::new(pass, kind, &numbers.code);
    elements.run(&factors, guard);
    let (body, scalars, guards, vectors) = elements.finish();
    let (element, width) = (numbers.element, numbers.width);
    let prologue = numbers.prologue(scalars);
    let stage = Stage { name: pass.name.to_owned(), element, numbers: Number::COUNT * width, prologue, body, guards };
    BoundStage { stage, vectors }
}

/// The numbers of a pass, as code.
struct Numbers<'a> {
    pass: &'a Pass,
    element: ElementType,
    /// Reals of a number.
    width: usize,
    code: Code,
    /// Numbers that the pass has computed, by index.
    own: BTreeMap<usize, Pair>,
}

impl<'a> Numbers<'a> {
    fn new(pass: &'a Pass, kind: ScalarKind) -> Self {
        let element = if kind.is_double() { ElementType::F64 } else { ElementType::F32 };
        let width = if kind.is_complex() { 2 } else { 1 };
        Numbers { pass, element, width, code: Code::new(element), own: BTreeMap::new() }
    }

    /// The parts that are kept of a number.
    fn parts(&self, pair: Pair) -> Vec<Register> {
        pair[..self.width].to_vec()
    }

    /// The prologue, with these scalars of the body.
    fn prologue(mut self, mut scalars: Vec<Register>) -> Prologue {
        let recorded = self.pass.records.map(|number| self.number(number));
        let mut records = recorded.map_or(Vec::new(), |pair| self.parts(pair));
        let mut updates: Vec<(usize, Register)> = Vec::new();
        for (number, pair) in &self.own {
            let parts = self.parts(*pair);
            updates.extend(parts.into_iter().enumerate().map(|(part, at)| (number * self.width + part, at)));
        }
        let registers = updates.iter_mut().map(|(_, register)| register);
        let mut registers: Vec<&mut Register> = registers.chain(&mut scalars).chain(&mut records).collect();
        let code = self.code.keep(&mut registers);
        let (sums, stop) = (self.pass.sums * self.width, Number::STATUS.0 * self.width);
        Prologue { sums, code, updates, scalars, records, stop }
    }

    fn number(&mut self, number: Number) -> Pair {
        let index = number.0;
        if let Some(pair) = self.own.get(&index) {
            return *pair;
        }
        let is_sum = index < self.pass.sums;
        let part = |at| if is_sum { Instruction::Slot(at) } else { Instruction::Scalar(at) };
        let re = self.code.push(part(index * self.width));
        match self.width {
            1 => self.code.real(re),
            _ => [re, self.code.push(part(index * self.width + 1))],
        }
    }

    fn value(&mut self, formula: &Formula) -> Pair {
        match formula {
            Formula::Number(number) => self.number(*number),
            Formula::Constant(constant) => {
                let re = self.code.constant(f64::from(*constant));
                self.code.real(re)
            }
            Formula::Plus(a, b) => self.parts_of(Binary::Add, a, b),
            Formula::Minus(a, b) => self.parts_of(Binary::Sub, a, b),
            Formula::Times(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.code.product(a, b)
            }
            Formula::Over(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.code.quotient(a, b)
            }
            Formula::Root(a) => {
                let a = self.value(a);
                let root = self.code.unary(Unary::Sqrt, a[0]);
                self.code.real(root)
            }
            Formula::Real(a) => {
                let a = self.value(a);
                self.code.real(a[0])
            }
            Formula::Conjugate(a) => {
                let a = self.value(a);
                self.code.conjugate(a)
            }
            Formula::Less(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                let is_less = self.code.binary(Binary::Lt, a[0], b[0]);
                self.code.truth(is_less)
            }
            Formula::Finite(a) => {
                let a = self.value(a);
                let are_finite = a.map(|part| self.code.unary(Unary::IsFinite, part));
                let is_finite = if self.width == 1 { are_finite[0] } else { self.both(are_finite) };
                self.code.truth(is_finite)
            }
            Formula::Choice(parts) => {
                let [condition, then, otherwise] = parts.each_ref().map(|part| self.value(part));
                let is_set = self.code.is_set(condition[0]);
                [0, 1].map(|part| self.code.select(is_set, then[part], otherwise[part]))
            }
        }
    }

    fn parts_of(&mut self, function: Binary, a: &Formula, b: &Formula) -> Pair {
        let (a, b) = (self.value(a), self.value(b));
        self.code.parts(function, a, b)
    }

    fn both(&mut self, [a, b]: [Register; 2]) -> Register {
        self.code.binary(Binary::And, a, b)
    }
}
