//! Execution of statements by a work-group.

use super::super::arithmetic;
use super::super::constant::{Constant, Undefined};
use super::super::error::Fault;
use super::super::ir::{Alignment, Arm, AtomicOp, Block, Id, Op, Program, Query, Space, Statement, StoreMode};
use super::super::operations::BinaryOp;
use super::super::types::ScalarType;
use super::memory::{Store, Who};

/// Limit of iterations of a `while` loop.
const MOST_ROUNDS: u64 = 10_000_000;

/// Mask of the active work-items.
type Mask = Vec<bool>;

pub(super) struct Machine<'p> {
    program: &'p Program,
    groups: [usize; 3],
    sizes: [usize; 3],
    /// Work-items in a group.
    items: usize,
    /// Lanes of each value, for each work-item.
    registers: Vec<Vec<Constant>>,
    variables: Vec<Vec<Constant>>,
    stores: Vec<Store>,
    group: [usize; 3],
    /// Barriers passed: any, and those that order global memory.
    local_epoch: usize,
    global_epoch: usize,
}

impl<'p> Machine<'p> {
    pub(super) fn new(program: &'p Program, groups: [usize; 3], sizes: [usize; 3]) -> Self {
        let items = sizes.iter().product();
        let zeros = |value_type: super::super::types::ValueType| {
            vec![Constant::zero(value_type.scalar); items * value_type.lanes]
        };
        let mut machine = Machine {
            program,
            groups,
            sizes,
            items,
            registers: program.nodes.iter().map(|node| zeros(node.value_type)).collect(),
            variables: program.variables.iter().map(|variable| zeros(variable.value_type)).collect(),
            stores: program.memories.iter().map(|memory| Store::new(memory, items)).collect(),
            group: [0; 3],
            local_epoch: 0,
            global_epoch: 0,
        };
        for (id, node) in program.nodes.iter().enumerate() {
            if let Op::Constant(constant) = node.op {
                machine.registers[id].fill(constant);
            }
        }
        machine
    }

    pub(super) fn set_argument(&mut self, id: Id, value: Constant) {
        self.registers[id].fill(value);
    }

    pub(super) fn set_buffer(&mut self, memory: usize, values: &[Constant]) {
        self.stores[memory].fill(values);
    }

    pub(super) fn buffer(&self, memory: usize) -> Vec<Constant> {
        self.stores[memory].values.iter().flatten().copied().collect()
    }

    pub(super) fn run(&mut self) -> Result<(), Fault> {
        let program = self.program;
        for z in 0..self.groups[2] {
            for y in 0..self.groups[1] {
                for x in 0..self.groups[0] {
                    self.group = [x, y, z];
                    (self.local_epoch, self.global_epoch) = (0, 0);
                    self.stores.iter_mut().for_each(Store::clear);
                    self.block(&program.body, &vec![true; self.items])?;
                }
            }
        }
        Ok(())
    }

    fn item(&self, item: usize) -> [usize; 3] {
        let [x, y, _] = self.sizes;
        [item % x, item / x % y, item / (x * y)]
    }

    fn undefined(&self, reason: Undefined, item: usize) -> Fault {
        Fault::Undefined { reason, group: self.group, item: self.item(item) }
    }

    fn active(mask: &Mask) -> impl Iterator<Item = usize> + use<> {
        mask.iter().enumerate().filter(|(_, active)| **active).map(|(item, _)| item).collect::<Vec<_>>().into_iter()
    }

    fn block(&mut self, block: &Block, mask: &Mask) -> Result<(), Fault> {
        // No active work-item: the indices are meaningless.
        if !mask.contains(&true) {
            return Ok(());
        }
        block.iter().try_for_each(|statement| self.statement(statement, mask))
    }

    fn statement(&mut self, statement: &Statement, mask: &Mask) -> Result<(), Fault> {
        match statement {
            Statement::Let(id) => self.value(*id, mask),
            Statement::Declare(variable, value) | Statement::Assign(variable, value) => {
                let lanes = self.program.variables[*variable].value_type.lanes;
                for item in Self::active(mask) {
                    let slot = item * lanes..(item + 1) * lanes;
                    self.variables[*variable][slot.clone()].copy_from_slice(&self.registers[*value][slot]);
                }
                Ok(())
            }
            Statement::Store(memory, index, value, mode) => self.store(*memory, *index, *value, *mode, mask),
            Statement::If { condition, then, otherwise } => {
                self.block(then, &self.narrowed(mask, *condition, true))?;
                self.block(otherwise, &self.narrowed(mask, *condition, false))
            }
            Statement::Switch { selector, arms, default } => self.switch(*selector, arms, default, mask),
            Statement::For { counter, from, to, step, body } => self.repeat([*counter, *from, *to, *step], body, mask),
            Statement::While { test, condition, body } => {
                let mut mask = mask.clone();
                for _ in 0..MOST_ROUNDS {
                    self.block(test, &mask)?;
                    mask = self.narrowed(&mask, *condition, true);
                    if !mask.contains(&true) {
                        return Ok(());
                    }
                    self.block(body, &mask)?;
                }
                Err(Fault::Endless(MOST_ROUNDS))
            }
            Statement::Barrier { global } => {
                let reached = Self::active(mask).count();
                if reached != self.items {
                    return Err(Fault::DivergentBarrier { group: self.group, reached, items: self.items });
                }
                self.local_epoch += 1;
                self.global_epoch += usize::from(*global);
                Ok(())
            }
        }
    }

    fn switch(&mut self, selector: Id, arms: &[Arm], default: &Block, mask: &Mask) -> Result<(), Fault> {
        let mut rest = mask.clone();
        for Arm { values, body } in arms {
            let chosen: Mask = rest
                .iter()
                .zip(&self.registers[selector])
                .map(|(active, selector)| *active && values.contains(selector))
                .collect();
            rest.iter_mut().zip(&chosen).for_each(|(rest, chosen)| *rest &= !chosen);
            self.block(body, &chosen)?;
        }
        self.block(default, &rest)
    }

    fn narrowed(&self, mask: &Mask, condition: Id, wanted: bool) -> Mask {
        mask.iter()
            .zip(&self.registers[condition])
            .map(|(active, condition)| *active && condition.is_true() == wanted)
            .collect()
    }

    fn repeat(&mut self, [counter, from, to, step]: [Id; 4], body: &Block, mask: &Mask) -> Result<(), Fault> {
        let mut mask = mask.clone();
        for item in Self::active(&mask) {
            self.registers[counter][item] = self.registers[from][item];
        }
        loop {
            for item in Self::active(&mask) {
                let (now, end) = (self.registers[counter][item], self.registers[to][item]);
                mask[item] = now.wide() < end.wide();
            }
            if !mask.contains(&true) {
                return Ok(());
            }
            self.block(body, &mask)?;
            for item in Self::active(&mask) {
                let step = self.registers[step][item];
                if step.wide() < Some(1) {
                    return Err(Fault::Step {
                        step: step.integer().unwrap_or(0),
                        group: self.group,
                        item: self.item(item),
                    });
                }
                let next = arithmetic::binary(BinaryOp::Add, self.registers[counter][item], step);
                self.registers[counter][item] = next.map_err(|reason| self.undefined(reason, item))?;
            }
        }
    }

    fn value(&mut self, id: Id, mask: &Mask) -> Result<(), Fault> {
        let program = self.program;
        let node = &program.nodes[id];
        let lanes = node.value_type.lanes;
        if let Op::Call(function, arguments) = &node.op {
            let function = &program.functions[*function];
            if let Some(foreign) = &function.foreign {
                for item in Self::active(mask) {
                    let values: Vec<Constant> = arguments.iter().map(|id| self.registers[*id][item]).collect();
                    self.registers[id][item] = (foreign.evaluate)(&values);
                }
                return Ok(());
            }
            for (parameter, argument) in function.parameters.iter().zip(arguments) {
                self.registers[*parameter] = self.registers[*argument].clone();
            }
            self.block(&function.body, mask)?;
            for item in Self::active(mask) {
                self.registers[id][item] = self.registers[function.result][item];
            }
            return Ok(());
        }
        for item in Self::active(mask) {
            match &node.op {
                Op::Load(memory, index, alignment) => {
                    for (lane, value) in self.load(*memory, *index, lanes, *alignment, item)?.into_iter().enumerate() {
                        self.registers[id][item * lanes + lane] = value;
                    }
                }
                Op::Atomic(op, memory, index, values) => {
                    self.registers[id][item] = self.atomic(*op, *memory, *index, values, item)?;
                }
                op => {
                    for lane in 0..lanes {
                        let value = self.operation(op, node.value_type.scalar, lanes, item, lane);
                        let value = value.map_err(|reason| self.undefined(reason, item))?;
                        self.registers[id][item * lanes + lane] = value;
                    }
                }
            }
        }
        Ok(())
    }

    /// One lane of a pure operation.
    fn operation(
        &self,
        op: &Op,
        scalar: ScalarType,
        lanes: usize,
        item: usize,
        lane: usize,
    ) -> Result<Constant, Undefined> {
        let of = |id: Id| self.registers[id][item * lanes + lane];
        match op {
            Op::Query(query, dimension) => Ok(self.query(*query, *dimension, item)),
            Op::Unary(op, a) => arithmetic::unary(*op, of(*a)),
            Op::Binary(op, a, b) => arithmetic::binary(*op, of(*a), of(*b)),
            Op::Fma(a, b, c) => arithmetic::fma(of(*a), of(*b), of(*c)),
            Op::Select(condition, a, b) => {
                let width = self.program.nodes[*condition].value_type.lanes;
                let condition = self.registers[*condition][item * width + lane % width];
                Ok(if condition.is_true() { of(*a) } else { of(*b) })
            }
            Op::Within(index, low, high) => match [*index, *low, *high].map(|id| of(id).integer()) {
                [Some(number), Some(low), Some(high)] if !(low..=high).contains(&number) => Err(Undefined::Bounds),
                _ => Ok(of(*index)),
            },
            Op::Convert(a) => of(*a).convert(scalar),
            Op::ConvertSat(a) => Ok(of(*a).convert_saturating(scalar)),
            Op::Bitcast(a) => Ok(of(*a).bitcast(scalar)),
            Op::Any(a) => Ok(self.lanes(*a, item).iter().any(|lane| lane.is_true()).into()),
            Op::All(a) => Ok(self.lanes(*a, item).iter().all(|lane| lane.is_true()).into()),
            Op::Splat(a) => Ok(self.registers[*a][item]),
            Op::Gather(ids) => Ok(self.registers[ids[lane]][item]),
            Op::Lane(vector, lane) => {
                let width = self.program.nodes[*vector].value_type.lanes;
                Ok(self.registers[*vector][item * width + lane])
            }
            Op::Read(variable) => Ok(self.variables[*variable][item * lanes + lane]),
            // Handled before, or known without a statement.
            Op::Constant(_) | Op::Argument(_) | Op::Parameter | Op::Counter => Ok(Constant::zero(scalar)),
            Op::Load(..) | Op::Atomic(..) | Op::Call(..) => Ok(Constant::zero(scalar)),
        }
    }

    fn lanes(&self, id: Id, item: usize) -> &[Constant] {
        let width = self.program.nodes[id].value_type.lanes;
        &self.registers[id][item * width..(item + 1) * width]
    }

    fn query(&self, query: Query, dimension: usize, item: usize) -> Constant {
        let local = self.item(item)[dimension];
        let (group, size, groups) = (self.group[dimension], self.sizes[dimension], self.groups[dimension]);
        let number = match query {
            Query::GlobalId => group * size + local,
            Query::LocalId => local,
            Query::GroupId => group,
            Query::GlobalSize => groups * size,
            Query::LocalSize => size,
            Query::GroupCount => groups,
        };
        (number as i64).into()
    }

    /// Offset of an access, which is recorded for each lane.
    fn access(&mut self, memory: usize, index: Id, width: usize, item: usize, kind: Kind) -> Result<usize, Fault> {
        let index = self.registers[index][item].integer().unwrap_or(-1);
        let (group, at) = (self.group, self.item(item));
        let name = || self.program.memories[memory].name.clone();
        let length = self.stores[memory].length;
        let slot = self.stores[memory].slot(index, width, item).map_err(|index| Fault::OutOfBounds {
            memory: name(),
            index,
            length,
            group,
            item: at,
        })?;
        let [x, y, z] = group;
        let who = Who {
            group: (z * self.groups[1] + y) * self.groups[0] + x,
            item,
            epoch: if self.stores[memory].space == Space::Global { self.global_epoch } else { self.local_epoch },
            atomic: kind == Kind::Atomic,
        };
        for lane in slot..slot + width {
            let writes = kind != Kind::Read;
            if self.stores[memory].touch(lane, who, writes) {
                let access = if writes { "written" } else { "read" };
                let index = self.stores[memory].element(lane);
                return Err(Fault::Race { memory: name(), index, access, group, item: at });
            }
        }
        Ok(slot)
    }

    /// Checks the index of an aligned access of `width` elements.
    fn check_alignment(
        &self,
        memory: usize,
        index: Id,
        width: usize,
        alignment: Alignment,
        item: usize,
    ) -> Result<(), Fault> {
        let index = self.registers[index][item].integer().unwrap_or(-1);
        if alignment == Alignment::Element || index % width as i64 == 0 {
            return Ok(());
        }
        let memory = self.program.memories[memory].name.clone();
        Err(Fault::Misaligned { memory, index, lanes: width, group: self.group, item: self.item(item) })
    }

    fn load(
        &mut self,
        memory: usize,
        index: Id,
        width: usize,
        alignment: Alignment,
        item: usize,
    ) -> Result<Vec<Constant>, Fault> {
        let offset = self.access(memory, index, width, item, Kind::Read)?;
        self.check_alignment(memory, index, width, alignment, item)?;
        (offset..offset + width).map(|offset| self.element(memory, offset, item).map(loaded)).collect()
    }

    fn element(&self, memory: usize, slot: usize, item: usize) -> Result<Constant, Fault> {
        let store = &self.stores[memory];
        store.values[slot].ok_or_else(|| Fault::Uninitialised {
            memory: self.program.memories[memory].name.clone(),
            index: store.element(slot),
            group: self.group,
            item: self.item(item),
        })
    }

    fn store(&mut self, memory: usize, index: Id, value: Id, mode: StoreMode, mask: &Mask) -> Result<(), Fault> {
        let width = self.program.nodes[value].value_type.lanes;
        let scalar = self.program.memories[memory].element.scalar;
        for item in Self::active(mask) {
            let offset = self.access(memory, index, width, item, Kind::Write)?;
            self.check_alignment(memory, index, width, mode.alignment, item)?;
            for lane in 0..width {
                let value = self.registers[value][item * width + lane];
                let value = if scalar == ScalarType::F16 { value.convert(scalar).unwrap_or(value) } else { value };
                self.stores[memory].values[offset + lane] = Some(value);
            }
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        op: AtomicOp,
        memory: usize,
        index: Id,
        values: &[Id],
        item: usize,
    ) -> Result<Constant, Fault> {
        let slot = self.access(memory, index, 1, item, Kind::Atomic)?;
        let old = self.element(memory, slot, item)?;
        let value = |number: usize| self.registers[values[number]][item];
        let new = match op {
            // Atomic sums wrap around, also for signed integers.
            AtomicOp::Add => wrapping_sum(old, value(0)),
            AtomicOp::Min => arithmetic::binary(BinaryOp::Min, old, value(0)).unwrap_or(old),
            AtomicOp::Max => arithmetic::binary(BinaryOp::Max, old, value(0)).unwrap_or(old),
            AtomicOp::Exchange => value(0),
            AtomicOp::CompareExchange if old == value(0) => value(1),
            AtomicOp::CompareExchange => old,
        };
        self.stores[memory].values[slot] = Some(new);
        Ok(old)
    }
}

/// Kind of an access.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
    Atomic,
}

/// The value of an element in memory.
fn loaded(element: Constant) -> Constant {
    if element.scalar_type() == ScalarType::F16 { (element.float() as f32).into() } else { element }
}

fn wrapping_sum(a: Constant, b: Constant) -> Constant {
    match (a, b) {
        (Constant::I32(a), Constant::I32(b)) => a.wrapping_add(b).into(),
        (Constant::U32(a), Constant::U32(b)) => a.wrapping_add(b).into(),
        _ => a,
    }
}
