//! Random code of phases.

use super::{Case, Options, Random};
use crate::element::ElementType;
use crate::function::{Binary, ComplexUnary, Reduction, Unary};
use crate::fused::{AccessClass, Effect, Instruction, Phase, Register, Slot, Structure};

const UNARY: [Unary; 39] = [
    Unary::Neg,
    Unary::Not,
    Unary::Abs,
    Unary::Sign,
    Unary::Recip,
    Unary::Square,
    Unary::Sqrt,
    Unary::Floor,
    Unary::Ceil,
    Unary::Trunc,
    Unary::Round,
    Unary::IsNan,
    Unary::IsInfinite,
    Unary::IsFinite,
    Unary::SignBit,
    Unary::Cbrt,
    Unary::Exp,
    Unary::Exp2,
    Unary::Expm1,
    Unary::Ln,
    Unary::Log2,
    Unary::Log10,
    Unary::Log1p,
    Unary::Sin,
    Unary::Cos,
    Unary::Tan,
    Unary::Asin,
    Unary::Acos,
    Unary::Atan,
    Unary::Sinh,
    Unary::Cosh,
    Unary::Tanh,
    Unary::Erf,
    Unary::Erfc,
    Unary::Normcdf,
    Unary::Gamma,
    Unary::Lgamma,
    Unary::SinPi,
    Unary::CosPi,
];
/// The first ones of [`UNARY`], which are no functions of crates/math.
const EXACT_UNARY: usize = 15;

const BINARY: [Binary; 22] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Rem,
    Binary::Min,
    Binary::Max,
    Binary::CopySign,
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::Shl,
    Binary::Shr,
    Binary::Lt,
    Binary::Le,
    Binary::Gt,
    Binary::Ge,
    Binary::Eq,
    Binary::Ne,
    Binary::Pow,
    Binary::Atan2,
    Binary::Hypot,
];
const EXACT_BINARY: usize = 19;

const REDUCTIONS: [Reduction; 8] = [
    Reduction::Sum,
    Reduction::Product,
    Reduction::Min,
    Reduction::Max,
    Reduction::ArgMin,
    Reduction::ArgMax,
    Reduction::Any,
    Reduction::All,
];

/// Calls a function with each access that the code names.
pub(super) fn each_access(structure: &mut Structure, mut f: impl FnMut(&mut usize)) {
    for phase in &mut structure.phases {
        for instruction in &mut phase.code {
            match instruction {
                Instruction::Load(access) | Instruction::LoadImaginary(access) | Instruction::LoadAt { access, .. } => {
                    f(access);
                }
                _ => {}
            }
        }
        for effect in &mut phase.effects {
            if let Effect::Store { access, .. } = effect {
                f(access);
            }
        }
    }
}

/// Writes phases one after the other.
pub(super) struct Writer<'a> {
    case: &'a mut Case,
    random: &'a mut Random,
    options: &'a Options,
    code: Vec<Instruction>,
    types: Vec<ElementType>,
    /// Slots that the phases so far fill.
    slots: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(case: &'a mut Case, random: &'a mut Random, options: &'a Options) -> Self {
        Writer { case, random, options, code: Vec::new(), types: Vec::new(), slots: 0 }
    }

    pub(super) fn write_phases(&mut self) {
        if self.case.structure.parallel == self.case.structure.rank {
            return self.write_phase(true, true);
        }
        let count = 1 + self.random.below(4);
        for index in 0..count {
            let is_loop = index == 0 || self.random.chance(60);
            self.write_phase(is_loop, index + 1 == count);
        }
    }

    fn write_phase(&mut self, is_loop: bool, is_last: bool) {
        self.code.clear();
        self.types.clear();
        let stored = self.case.stored();
        for slot in 0..self.slots {
            if self.random.chance(80) {
                self.push(Instruction::Slot(slot));
            }
        }
        self.write_loads(is_loop, &stored);
        let count = self.code.len() + 2 + self.random.below(self.options.max_code);
        while self.code.len() < count {
            if let Some(instruction) = self.operation(is_loop) {
                self.push(instruction);
            }
        }
        // Indices need operands.
        for access in 0..self.case.structure.accesses.len() {
            if self.case.structure.accesses[access].class == AccessClass::Indexed && self.random.chance(60) {
                self.write_gather(access);
            }
        }
        for _ in 0..2 + self.random.below(6) {
            if let Some(instruction) = self.operation(is_loop) {
                self.push(instruction);
            }
        }
        let effects = self.effects(is_loop, is_last);
        let code = std::mem::take(&mut self.code);
        self.case.structure.phases.push(Phase { is_loop, code, effects });
        self.slots = self.case.structure.slots.len();
    }

    fn push(&mut self, instruction: Instruction) -> Register {
        let structure = &mut self.case.structure;
        structure.phases.push(Phase { is_loop: true, code: vec![], effects: vec![] });
        let filled: Vec<Option<usize>> =
            (0..structure.slots.len()).map(|slot| (slot < self.slots).then_some(0)).collect();
        let phase = &structure.phases[structure.phases.len() - 1];
        let element = structure.result_type(phase, &instruction, &self.types, &filled);
        structure.phases.pop();
        match element {
            Ok(element) => {
                self.code.push(instruction);
                self.types.push(element);
            }
            Err(reason) => unreachable!("{instruction:?}: {reason}"),
        }
        self.code.len() - 1
    }

    fn write_loads(&mut self, is_loop: bool, stored: &[usize]) {
        for index in 0..self.case.structure.accesses.len() {
            let access = self.case.structure.accesses[index];
            let reduced = &self.case.arguments.views[index].strides;
            let is_row = access.class != AccessClass::Indexed
                && reduced[self.case.structure.parallel.min(reduced.len())..].iter().all(|&stride| stride == 0)
                && !matches!(access.class, AccessClass::Contiguous | AccessClass::InnerContiguous);
            let is_possible = access.is_read && access.class != AccessClass::Indexed && (is_loop || is_row);
            if is_possible && !stored.contains(&index) && self.random.chance(75) {
                self.push(Instruction::Load(index));
                if access.element.is_complex() {
                    self.push(Instruction::LoadImaginary(index));
                }
            }
        }
        if self.code.is_empty() {
            let part = self.random.choose(&self.options.types).part();
            let value = self.random.value(part);
            self.push(Instruction::Constant(part, value.bits()));
        }
    }

    fn write_gather(&mut self, access: usize) {
        let axes = self.case.arguments.views[access].strides.len();
        let index = match self.some(|t| t == ElementType::I64) {
            Some(index) => index,
            None => {
                let any = self.random.below(self.code.len());
                self.push(Instruction::Convert(ElementType::I64, any))
            }
        };
        let indices: Vec<Register> = (0..axes).map(|_| self.some(|t| t == ElementType::I64).unwrap_or(index)).collect();
        self.push(Instruction::LoadAt { access, indices: indices.clone(), imaginary: false });
        if self.case.structure.accesses[access].element.is_complex() {
            self.push(Instruction::LoadAt { access, indices, imaginary: true });
        }
    }

    /// A register of a type with the property; late ones are likelier.
    fn some(&mut self, has: impl Fn(ElementType) -> bool) -> Option<Register> {
        let found: Vec<Register> = (0..self.types.len()).filter(|&register| has(self.types[register])).collect();
        let (a, b) = (self.random.below(found.len().max(1)), self.random.below(found.len().max(1)));
        found.get(a.max(b)).copied()
    }

    /// True if the bits of a NaN in the register are known: it comes from memory or is a constant.
    fn has_known_bits(&self, register: Register) -> bool {
        !self.types[register].is_real()
            || matches!(
                self.code[register],
                Instruction::Load(_)
                    | Instruction::LoadImaginary(_)
                    | Instruction::Scalar(_)
                    | Instruction::Constant(..)
            )
    }

    fn operation(&mut self, is_loop: bool) -> Option<Instruction> {
        let x = self.some(|_| true)?;
        let t = self.types[x];
        let y = self.some(|u| u == t)?;
        let z = self.some(|u| u == t)?;
        Some(match self.random.below(16) {
            0..4 => {
                let count = if self.options.has_elementary { UNARY.len() } else { EXACT_UNARY };
                let function = UNARY[self.random.below(count)];
                function.result_type(t)?;
                if function == Unary::SignBit && !self.has_known_bits(x) {
                    return None;
                }
                Instruction::Unary(function, x)
            }
            4..9 => {
                let count = if self.options.has_elementary { BINARY.len() } else { EXACT_BINARY };
                let function = BINARY[self.random.below(count)];
                function.result_type(t)?;
                if function == Binary::CopySign && !self.has_known_bits(y) {
                    return None;
                }
                Instruction::Binary(function, x, y)
            }
            9 if t.is_real() => Instruction::Fma(x, y, z),
            10 => Instruction::Select(self.some(|u| u == ElementType::Bool)?, x, y),
            11 => Instruction::Convert(self.random.choose(&self.options.types).part(), x),
            12 if self.has_known_bits(x) => {
                let to = self.random.choose(&self.options.types).part();
                let fits = to.bytes() == t.bytes() && to != ElementType::Bool && t != ElementType::Bool;
                fits.then_some(Instruction::Bitcast(to, x))?
            }
            13 if t.is_real() && self.options.has_elementary => {
                let functions = [ComplexUnary::Exp, ComplexUnary::Ln, ComplexUnary::Sqrt, ComplexUnary::Recip];
                let function = self.random.choose(&functions);
                match self.random.chance(50) {
                    true => Instruction::ComplexReal(function, x, y),
                    false => Instruction::ComplexImaginary(function, x, y),
                }
            }
            14 if t == ElementType::I64 => {
                Instruction::Philox { word: self.random.below(4) as u8, counter: x, stream: y, key: z }
            }
            15 => self.source(is_loop)?,
            _ => return None,
        })
    }

    fn source(&mut self, is_loop: bool) -> Option<Instruction> {
        let structure = &self.case.structure;
        let (scalars, axes) = (structure.scalars.len(), if is_loop { structure.rank } else { structure.parallel });
        match self.random.below(3) {
            0 if scalars > 0 => Some(Instruction::Scalar(self.random.below(scalars))),
            1 if axes > 0 => Some(Instruction::Coordinate(self.random.below(axes))),
            _ => {
                let part = self.random.choose(&self.options.types).part();
                let value = self.random.value(part);
                Some(Instruction::Constant(part, value.bits()))
            }
        }
    }

    fn effects(&mut self, is_loop: bool, is_last: bool) -> Vec<Effect> {
        let mut effects = Vec::new();
        let is_elementwise = self.case.structure.parallel == self.case.structure.rank;
        if is_loop && !is_elementwise {
            for _ in 0..1 + self.random.below(3) {
                let reduction = self.random.choose(&REDUCTIONS);
                if let Some(value) = self.some(|t| reduction.result_type(t).is_some()) {
                    let slots = &mut self.case.structure.slots;
                    effects.push(Effect::Reduce { slot: slots.len(), value });
                    slots.push(Slot { reduction, element: self.types[value] });
                }
            }
        }
        for _ in 0..self.random.below(3) + usize::from(is_last) {
            effects.push(self.store(is_loop, &effects));
        }
        effects
    }

    fn store(&mut self, is_loop: bool, effects: &[Effect]) -> Effect {
        let value = self.types.len() - 1 - self.random.below(self.types.len().min(6));
        let part = self.types[value];
        let complex = if part == ElementType::F32 { ElementType::C32 } else { ElementType::C64 };
        let is_complex = part.is_real() && self.options.types.contains(&complex) && self.random.chance(30);
        let imaginary = if is_complex { self.some(|t| t == part) } else { None };
        let element = if is_complex { complex } else { part };
        let is_stored = |access| effects.iter().any(|e| matches!(e, Effect::Store { access: a, .. } if *a == access));
        let in_place: Vec<usize> = (0..self.case.structure.accesses.len())
            .filter(|&access| !is_stored(access) && self.case.is_in_place(access, element, is_loop))
            .filter(|&access| self.is_loaded(access))
            .collect();
        let access = match in_place.is_empty() || self.random.chance(50) {
            true => self.case.add_written(self.random, element, is_loop),
            false => self.random.choose(&in_place),
        };
        self.case.structure.accesses[access].is_written = true;
        Effect::Store { access, value, imaginary }
    }

    /// True if the phase or an earlier one loads the access.
    fn is_loaded(&self, access: usize) -> bool {
        let is_load =
            |i: &Instruction| matches!(i, Instruction::Load(a) | Instruction::LoadImaginary(a) if *a == access);
        self.code.iter().any(is_load) || self.case.structure.phases.iter().any(|phase| phase.code.iter().any(is_load))
    }
}
