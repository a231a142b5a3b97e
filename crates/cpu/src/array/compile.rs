//! From the instructions of a phase to actions, with registers by liveness.

use std::collections::HashMap;

use affinimath_array::ElementType;
use affinimath_array::function::{ComplexUnary, Reduction, Unary};
use affinimath_array::fused::{AccessClass, Effect, Instruction, Register, Structure};
use affinimath_core::{Error, Result};
use pulp::Arch;

use super::code::{Action, Code, Entry, Level, Reduce, Store, UNREAD, Value};
use super::layout::{Layout, RegisterId};
use super::loops::{self, Function};
use super::machine::LoopFn;

/// The state of a phase's compilation.
struct Compiler<'a> {
    structure: &'a Structure,
    arch: Arch,
    is_loop: bool,
    code: &'a [Instruction],
    types: Vec<ElementType>,
    /// The register that holds a register's bits: another one for conversions that keep them.
    root: Vec<Register>,
    /// Uses of roots by instructions and effects that are needed.
    uses: Vec<usize>,
    levels: Vec<Level>,
    /// Comparisons that are part of a choice, and operations that are part of the next one.
    is_fused: Vec<bool>,
    /// The operation that a register's own one is in one loop with, which comes first.
    first: Vec<Option<Register>>,
    /// Entry of register 0; the others follow.
    first_entry: Entry,
    /// Actions with two or four results, by their operands: level and index.
    groups: HashMap<Group, (Level, usize)>,
    actions: [Vec<Action>; 3],
}

/// Instructions that one action computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Group {
    Load(usize),
    Complex(ComplexUnary, Register, Register),
    Philox(Register, Register, Register),
}

/// Compiles a phase, whose entries begin at `first_entry`.
pub fn phase(structure: &Structure, index: usize, arch: Arch, first_entry: Entry, layout: &mut Layout) -> Result<Code> {
    let phase = &structure.phases[index];
    let types = structure.types(index).map_err(invalid)?;
    let count = phase.code.len();
    let mut compiler = Compiler {
        structure,
        arch,
        is_loop: phase.is_loop,
        code: &phase.code,
        types,
        root: (0..count).collect(),
        uses: vec![0; count],
        levels: vec![Level::Launch; count],
        is_fused: vec![false; count],
        first: vec![None; count],
        first_entry,
        groups: HashMap::new(),
        actions: Default::default(),
    };
    compiler.find_roots();
    compiler.count_uses(&phase.effects);
    compiler.find_levels();
    compiler.find_fused();
    compiler.find_pairs();
    for register in 0..count {
        compiler.add(register)?;
    }
    let (stores, reductions) = compiler.effects(&phase.effects)?;
    compiler.move_overwritten(&stores);
    let values = compiler.values(&stores, &reductions, layout);
    let is_in_place = compiler.is_in_place(&stores, &reductions);
    Ok(Code { is_loop: phase.is_loop, is_in_place, actions: compiler.actions, values, stores, reductions })
}

/// An error of the kernel.
pub fn invalid(error: affinimath_array::check::Invalid) -> Error {
    Error::argument("kernel", error.to_string())
}

/// The registers that an instruction reads.
pub fn operands(instruction: &Instruction) -> Vec<Register> {
    match *instruction {
        Instruction::Load(_)
        | Instruction::LoadImaginary(_)
        | Instruction::Scalar(_)
        | Instruction::Constant(..)
        | Instruction::Coordinate(_)
        | Instruction::Slot(_) => Vec::new(),
        Instruction::LoadAt { ref indices, .. } => indices.clone(),
        Instruction::Unary(_, x) | Instruction::Convert(_, x) | Instruction::Bitcast(_, x) => vec![x],
        Instruction::Binary(_, x, y) | Instruction::ComplexReal(_, x, y) | Instruction::ComplexImaginary(_, x, y) => {
            vec![x, y]
        }
        Instruction::Fma(a, b, c) | Instruction::Select(a, b, c) => vec![a, b, c],
        Instruction::Philox { counter, stream, key, .. } => vec![counter, stream, key],
    }
}

/// True if a conversion keeps all bits.
fn keeps_bits(from: ElementType, to: ElementType) -> bool {
    use ElementType::{Bool, I32, U8, U32};
    from == to || matches!((from, to), (Bool, U8) | (I32, U32) | (U32, I32))
}

impl Compiler<'_> {
    fn find_roots(&mut self) {
        // Instructions that a group computes: its results are in one place each.
        let mut same = HashMap::new();
        for (register, instruction) in self.code.iter().enumerate() {
            let root = |x: Register| self.root[x];
            self.root[register] = match *instruction {
                Instruction::Bitcast(_, x) => self.root[x],
                Instruction::Convert(to, x) if keeps_bits(self.types[x], to) => self.root[x],
                Instruction::Load(_) | Instruction::LoadImaginary(_) => {
                    *same.entry(instruction.clone()).or_insert(register)
                }
                Instruction::ComplexReal(function, x, y) => {
                    *same.entry(Instruction::ComplexReal(function, root(x), root(y))).or_insert(register)
                }
                Instruction::ComplexImaginary(function, x, y) => {
                    *same.entry(Instruction::ComplexImaginary(function, root(x), root(y))).or_insert(register)
                }
                Instruction::Philox { word, counter, stream, key } => {
                    let (counter, stream, key) = (root(counter), root(stream), root(key));
                    *same.entry(Instruction::Philox { word, counter, stream, key }).or_insert(register)
                }
                _ => register,
            };
        }
    }

    fn count_uses(&mut self, effects: &[Effect]) {
        for effect in effects {
            match *effect {
                Effect::Store { value, imaginary, .. } => {
                    self.uses[self.root[value]] += 1;
                    if let Some(imaginary) = imaginary {
                        self.uses[self.root[imaginary]] += 1;
                    }
                }
                Effect::Reduce { value, .. } => self.uses[self.root[value]] += 1,
            }
        }
        for register in (0..self.code.len()).rev() {
            if self.uses[register] > 0 && self.root[register] == register {
                operands(&self.code[register]).into_iter().for_each(|x| self.uses[self.root[x]] += 1);
            }
        }
    }

    /// Marks comparisons that one choice alone reads, if there is a loop of both.
    fn find_fused(&mut self) {
        for register in 0..self.code.len() {
            if let Instruction::Select(mask, ..) = self.code[register]
                && self.uses[register] > 0
                && self.uses[self.root[mask]] == 1
                && self.compare_select(register).is_some()
            {
                self.is_fused[self.root[mask]] = true;
            }
        }
    }

    fn find_levels(&mut self) {
        for register in 0..self.code.len() {
            if self.root[register] == register {
                self.levels[register] = self.level(&self.code[register]);
            }
        }
    }

    /// Joins operations of a block to the next one, if it alone reads them and there is a loop of both.
    fn find_pairs(&mut self) {
        for register in 0..self.code.len() {
            let is_own = self.uses[register] > 0 && self.root[register] == register && !self.is_fused[register];
            if !is_own || self.levels[register] != Level::Block {
                continue;
            }
            for x in operands(&self.code[register]) {
                let first = self.root[x];
                let is_free = self.uses[first] == 1 && !self.is_fused[first];
                if is_free && self.levels[first] == Level::Block && self.pair(first, register).is_some() {
                    self.first[register] = Some(first);
                    self.is_fused[first] = true;
                    break;
                }
            }
        }
    }

    /// The operation that a register's action computes, as the first of two.
    fn first_operation(&self, register: Register) -> Option<(Function, Register)> {
        match (&self.code[register], self.first[register]) {
            (Instruction::Unary(Unary::Sqrt, _), Some(first))
                if matches!(self.code[first], Instruction::Unary(Unary::Abs, _)) =>
            {
                Some((Function::RootOfModulus, first))
            }
            (_, Some(_)) => None,
            (&Instruction::Unary(function, _), None) => Some((Function::Unary(function), register)),
            (&Instruction::Binary(function, ..), None) => Some((Function::Binary(function), register)),
            _ => None,
        }
    }

    /// The loop of two operations, of which the second one reads the first one's result, and their operands.
    fn pair(&self, first: Register, second: Register) -> Option<(LoopFn, [Entry; 4])> {
        // Bits that are taken as another type lie between them.
        if self.types[first] != self.types[second] {
            return None;
        }
        let (inner_function, start) = self.first_operation(first)?;
        let outer_function = match self.code[second] {
            Instruction::Unary(function, _) => Function::Unary(function),
            Instruction::Binary(function, ..) => Function::Binary(function),
            Instruction::Fma(..) => Function::Fma,
            _ => return None,
        };
        let (inner, outer) = (operands(&self.code[start]), operands(&self.code[second]));
        let position = outer.iter().position(|&x| self.root[x] == first)?;
        // Factors commute, so that the right operand of a sum of a product and a term is the term.
        let is_right = position + 1 == outer.len() && position > 0;
        let run = loops::pair(self.arch, self.types[second], inner_function, outer_function, is_right)?;
        let a = self.entry(inner[0]);
        // Operations of one value read no other operand.
        let mut from = [a; 4];
        from[1] = inner.get(1).map_or(a, |&x| self.entry(x));
        let others = outer.iter().enumerate().filter(|&(index, _)| index != position);
        from[2..].iter_mut().zip(others).for_each(|(from, (_, &x))| *from = self.entry(x));
        Some((run, from))
    }

    /// The loop of a choice with its comparison, and the comparison's operands.
    fn compare_select(&self, select: Register) -> Option<(LoopFn, Register, Register)> {
        let Instruction::Select(mask, value, _) = self.code[select] else { return None };
        let Instruction::Binary(function, x, y) = self.code[self.root[mask]] else { return None };
        let run = loops::compare_select(self.arch, function, self.types[x], self.types[value])?;
        Some((run, x, y))
    }

    fn entry(&self, register: Register) -> Entry {
        self.first_entry + self.root[register]
    }

    /// Adds the action of a register.
    fn add(&mut self, register: Register) -> Result<()> {
        if self.uses[register] == 0 || self.root[register] != register {
            return Ok(());
        }
        let (code, level) = (self.code, self.levels[register]);
        if self.is_fused[register] {
            return Ok(());
        }
        let to = self.entry(register);
        let action = match code[register] {
            Instruction::Load(access) => return self.add_to_group(Group::Load(access), level, 0, to),
            Instruction::LoadImaginary(access) => return self.add_to_group(Group::Load(access), level, 1, to),
            Instruction::ComplexReal(function, x, y) => {
                return self.add_to_group(Group::Complex(function, self.root[x], self.root[y]), level, 0, to);
            }
            Instruction::ComplexImaginary(function, x, y) => {
                return self.add_to_group(Group::Complex(function, self.root[x], self.root[y]), level, 1, to);
            }
            Instruction::Philox { word, counter, stream, key } => {
                let group = Group::Philox(self.root[counter], self.root[stream], self.root[key]);
                return self.add_to_group(group, level, word as usize, to);
            }
            Instruction::LoadAt { access, ref indices, imaginary } => Action::LoadAt {
                access,
                part: imaginary as usize,
                indices: indices.iter().map(|&index| self.entry(index)).collect(),
                to,
            },
            Instruction::Scalar(scalar) => Action::Scalar { scalar, to },
            Instruction::Constant(element, bits) => Action::Constant { bits, bytes: element.bytes(), to },
            Instruction::Coordinate(axis) => Action::Coordinate { axis, to },
            Instruction::Slot(slot) => Action::Slot { slot, to },
            Instruction::Select(mask, ..) if self.is_fused[self.root[mask]] => self.choice(register)?,
            _ => match self.first[register].and_then(|first| self.pair(first, register)) {
                Some((run, from)) => Action::Loop { run, to: [to, UNREAD, UNREAD, UNREAD], from },
                None => self.computation(register)?,
            },
        };
        self.actions[level as usize].push(action);
        Ok(())
    }

    /// The points at which an instruction's result is the same.
    fn level(&self, instruction: &Instruction) -> Level {
        let own = match *instruction {
            Instruction::Load(access) | Instruction::LoadImaginary(access) => {
                match self.structure.accesses[access].class {
                    AccessClass::Uniform => Level::Launch,
                    AccessClass::InnerUniform => Level::Run,
                    _ => Level::Block,
                }
            }
            Instruction::Coordinate(axis) if axis + 1 == self.structure.rank => Level::Block,
            Instruction::Coordinate(_) | Instruction::Slot(_) => Level::Run,
            _ => Level::Launch,
        };
        let level = operands(instruction).into_iter().map(|x| self.levels[self.root[x]]).fold(own, Level::max);
        // Outside of loops, points are rows.
        if level == Level::Run && !self.is_loop { Level::Block } else { level }
    }

    /// Adds a result to the action that computes it with others.
    fn add_to_group(&mut self, group: Group, level: Level, part: usize, to: Entry) -> Result<()> {
        if let Some(&(level, index)) = self.groups.get(&group) {
            match &mut self.actions[level as usize][index] {
                Action::Load { to: parts, .. } => parts[part] = Some(to),
                Action::Loop { to: results, .. } => results[part] = to,
                _ => {}
            }
            return Ok(());
        }
        let first = self.first_entry;
        let mut results = [UNREAD; 4];
        results[part] = to;
        let action = match group {
            Group::Load(access) => {
                let mut to_parts = [None; 2];
                to_parts[part] = Some(to);
                Action::Load { access, to: to_parts, may_stay: true }
            }
            Group::Complex(function, x, y) => {
                // The result's type: the root of an operand may have another one of the same size.
                let run = loops::complex(self.arch, function, self.types[to - first]).ok_or_else(missing)?;
                Action::Loop { run, to: results, from: [first + x, first + y, UNREAD, UNREAD] }
            }
            Group::Philox(counter, stream, key) => {
                let from = [first + counter, first + stream, first + key, UNREAD];
                Action::Loop { run: loops::philox(self.arch), to: results, from }
            }
        };
        self.groups.insert(group, (level, self.actions[level as usize].len()));
        self.actions[level as usize].push(action);
        Ok(())
    }

    /// The action of a choice with its comparison.
    fn choice(&self, register: Register) -> Result<Action> {
        let Instruction::Select(_, a, b) = self.code[register] else { return Err(missing()) };
        let (run, x, y) = self.compare_select(register).ok_or_else(missing)?;
        let from = [self.entry(x), self.entry(y), self.entry(a), self.entry(b)];
        Ok(Action::Loop { run, to: [self.entry(register), UNREAD, UNREAD, UNREAD], from })
    }

    /// The action of a loop with one result.
    fn computation(&self, register: Register) -> Result<Action> {
        let element = |x: Register| self.types[x];
        let run = match self.code[register] {
            Instruction::Unary(function, x) => loops::unary(self.arch, function, element(x)),
            Instruction::Binary(function, x, _) => loops::binary(self.arch, function, element(x)),
            Instruction::Fma(a, ..) => loops::fma(self.arch, element(a)),
            Instruction::Select(_, a, _) => loops::select(self.arch, element(a)),
            Instruction::Convert(to, x) => loops::convert(self.arch, element(x), to),
            _ => None,
        };
        let mut from = [UNREAD; 4];
        for (from, x) in from.iter_mut().zip(operands(&self.code[register])) {
            *from = self.entry(x);
        }
        let to = [self.entry(register), UNREAD, UNREAD, UNREAD];
        Ok(Action::Loop { run: run.ok_or_else(missing)?, to, from })
    }

    fn effects(&self, effects: &[Effect]) -> Result<(Vec<Store>, Vec<Reduce>)> {
        let (mut stores, mut reductions) = (Vec::<Store>::new(), Vec::new());
        for effect in effects {
            match *effect {
                Effect::Store { access, value, imaginary } => {
                    let parts = [self.entry(value), imaginary.map_or(UNREAD, |imaginary| self.entry(imaginary))];
                    let is_taken = stores.iter().any(|store| store.is_direct && store.parts[0] == parts[0]);
                    let is_direct = !is_taken && self.is_direct(access, value, imaginary);
                    stores.push(Store { access, parts, is_direct });
                }
                Effect::Reduce { slot, value } => {
                    let Some(folds) = loops::fold(self.arch, self.structure.slots[slot]) else { return Err(missing()) };
                    let is_search =
                        matches!(self.structure.slots[slot].reduction, Reduction::ArgMin | Reduction::ArgMax);
                    let bytes = self.types[value].bytes();
                    reductions.push(Reduce { slot, value: self.entry(value), bytes, is_search, folds });
                }
            }
        }
        Ok((stores, reductions))
    }

    /// Has loaded values in registers that a store writes after the store of their own access.
    fn move_overwritten(&mut self, stores: &[Store]) {
        for action in self.actions.iter_mut().flatten() {
            if let Action::Load { access, to, may_stay } = action {
                let is_stored = stores.iter().flat_map(|store| store.parts).any(|part| to.contains(&Some(part)));
                *may_stay = !(is_stored && stores.iter().any(|store| store.access == *access));
            }
        }
    }

    /// True if a block's actions are loads of real contiguous accesses, whose values are reduced alone.
    fn is_in_place(&self, stores: &[Store], reductions: &[Reduce]) -> bool {
        let is_load = |action: &Action| {
            matches!(*action, Action::Load { access, to: [Some(_), None], may_stay: true } if {
                let access = &self.structure.accesses[access];
                access.class == AccessClass::Contiguous && !access.element.is_complex()
            })
        };
        let is_loaded = |reduce: &Reduce| self.levels[reduce.value - self.first_entry] == Level::Block;
        let is_alone = stores.is_empty() && self.actions[Level::Run as usize].is_empty();
        is_alone && self.actions[Level::Block as usize].iter().all(is_load) && reductions.iter().all(is_loaded)
    }

    /// True if a loop may write the value to the access's memory. Where that is read in place, its elements are needed
    /// until the block ends.
    fn is_direct(&self, access: usize, value: Register, imaginary: Option<Register>) -> bool {
        let root = self.root[value];
        let is_load = matches!(self.code[root], Instruction::Load(_) | Instruction::LoadImaginary(_));
        let is_read = self.structure.accesses[access].is_read;
        imaginary.is_none() && !is_read && !is_load && self.levels[root] == Level::Block
    }

    /// Gives each value its memory. A result has another register than the action's operands.
    fn values(&self, stores: &[Store], reductions: &[Reduce], layout: &mut Layout) -> Vec<Value> {
        let mut last_use = HashMap::new();
        let sequence: Vec<&Action> = self.actions[1].iter().chain(&self.actions[2]).collect();
        for (time, action) in sequence.iter().enumerate() {
            action.operands().into_iter().for_each(|entry| {
                last_use.insert(entry, time);
            });
        }
        let at_end = stores.iter().flat_map(|store| store.parts).chain(reductions.iter().map(|reduce| reduce.value));
        at_end.for_each(|entry| {
            last_use.insert(entry, usize::MAX);
        });
        let mut values = Vec::new();
        for action in &self.actions[0] {
            for entry in action.results() {
                values.push(value(entry, Level::Launch, None, layout));
            }
        }
        let mut registers: HashMap<Entry, (usize, RegisterId)> = HashMap::new();
        for (time, action) in sequence.iter().enumerate() {
            let level = if time < self.actions[1].len() { Level::Run } else { Level::Block };
            for entry in action.results() {
                let bytes = self.types[entry - self.first_entry].bytes();
                let register = layout.take_register(bytes);
                registers.insert(entry, (bytes, register));
                values.push(value(entry, level, Some(register), layout));
            }
            for entry in action.operands().into_iter().chain(action.results()) {
                if last_use.get(&entry).is_none_or(|&last| last <= time)
                    && let Some((bytes, register)) = registers.remove(&entry)
                {
                    layout.give_register(bytes, register);
                }
            }
        }
        for (bytes, register) in registers.into_values() {
            layout.give_register(bytes, register);
        }
        values
    }
}

fn value(entry: Entry, level: Level, register: Option<RegisterId>, layout: &mut Layout) -> Value {
    let copies = if level == Level::Block { 0 } else { layout.add_copies() };
    Value { entry, level, register, copies }
}

/// The error of an instruction without a loop. `Structure::check` lets none pass.
fn missing() -> Error {
    Error::argument("kernel", "an instruction that the host does not have")
}
