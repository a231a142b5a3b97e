//! Kernels of stages: a prologue in each work-group, and a loop over a block of the vectors.
//!
//! ```text
//!   stop?      group 0 passes the state on
//!   prologue   join the partial sums of the stage before; numbers, by each work-item; group 0 stores the state
//!   loop       vectors of a block: load, compute, store, accumulate
//!   sums       accumulators of a group by halving -> a partial sum for each group
//! ```
//!
//! Vectors have a multiple of [`STAGE_MULTIPLE`] elements, so that no vector of lanes reaches beyond an end.

use std::cell::RefCell;
use std::collections::HashMap;

use super::device::{DeviceClass, DeviceKind};
use super::emit::{Emit, Rounding, V};
use super::generator::{Generator, Slots};
use super::rows::{Rows, Span};
use super::variant::{Along, Form, GROUP, Parameter, Team, Uses, Variant};
use super::{LowerError, Lowered, lower};
use crate::fused::Slot;
use crate::stage::Stage;
use affinimath_kernel::dynamic::{BinaryOp, Memory};
use affinimath_kernel::{Access, BuildError, Kernel, ScalarType};

/// Lengths of stages' vectors are multiples of this: whole vectors of lanes.
pub const STAGE_MULTIPLE: usize = 64;

/// On a CPU a block has at least as many elements as cost about what a work-group's start does, and there are a few
/// blocks for each core.
const MIN_CPU_BLOCK: usize = 4096;
const CPU_BLOCKS_PER_UNIT: usize = 4;

/// Groups for each of a GPU's units: each one joins the partial sums of all.
const GPU_BLOCKS_PER_UNIT: usize = 8;

/// A stage for a class of devices.
#[derive(Clone, Debug)]
pub struct LoweredStage {
    stage: Stage,
    prologue: Lowered,
    body: Lowered,
    /// Work-items of a group, a power of two.
    items: usize,
}

/// A launch of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageLaunch {
    /// Work-groups: blocks of the vectors, each of which has partial sums of its own.
    pub groups: usize,
    /// Work-items of a group.
    pub items: usize,
    /// Elements of a block.
    pub block: usize,
}

/// The parameters of a stage's kernel, in order. They are followed by the vectors of the body's accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageParameter {
    /// An `i64`: elements of a vector.
    Length,
    /// An `i64`: elements of a block.
    Block,
    /// An `i64`: groups of the stage before.
    Groups,
    /// An `i64`: where records go in the history, in units of a record.
    Position,
    /// The state to be read.
    State,
    /// The state to be written, other memory.
    NewState,
    /// Partial sums of the stage before: sum `k` of group `g` at `k groups + g`.
    Sums,
    /// Partial sums to be written, other memory.
    NewSums,
    /// The history.
    History,
}

impl StageParameter {
    /// All of them.
    pub const ALL: [StageParameter; 9] = {
        use StageParameter::{Block, Groups, History, Length, NewState, NewSums, Position, State, Sums};
        [Length, Block, Groups, Position, State, NewState, Sums, NewSums, History]
    };

    const fn name(self) -> &'static str {
        match self {
            StageParameter::Length => "n",
            StageParameter::Block => "block",
            StageParameter::Groups => "groups",
            StageParameter::Position => "position",
            StageParameter::State => "state",
            StageParameter::NewState => "new_state",
            StageParameter::Sums => "sums",
            StageParameter::NewSums => "new_sums",
            StageParameter::History => "history",
        }
    }

    /// The access to a buffer; `None` of a number.
    const fn access(self) -> Option<Access> {
        match self {
            StageParameter::State | StageParameter::Sums => Some(Access::Read),
            StageParameter::NewState | StageParameter::NewSums | StageParameter::History => Some(Access::Write),
            _ => None,
        }
    }
}

/// Work-groups of a stage at most, on a class of devices.
pub const fn max_stage_groups(device: &DeviceClass) -> usize {
    let per_unit = match device.kind {
        DeviceKind::Cpu => CPU_BLOCKS_PER_UNIT,
        DeviceKind::Gpu => GPU_BLOCKS_PER_UNIT,
    };
    let units = per_unit * device.compute_units;
    if units == 0 { 1 } else { units }
}

/// Lowers a stage for a class of devices, with a maximum of work-items for each group.
///
/// # Errors
/// [`LowerError::Invalid`], [`LowerError::NoDoubles`].
pub fn lower_stage(stage: &Stage, device: &DeviceClass, max_items: usize) -> Result<LoweredStage, LowerError> {
    stage.check()?;
    let (prologue, body) = (lower(&stage.prologue_structure(), device)?, lower(&stage.body, device)?);
    let items = match device.kind {
        DeviceKind::Cpu => 1,
        DeviceKind::Gpu => 1 << GROUP.min(max_items.max(1)).ilog2(),
    };
    Ok(LoweredStage { stage: stage.clone(), prologue, body, items })
}

impl LoweredStage {
    /// The stage.
    pub const fn stage(&self) -> &Stage {
        &self.stage
    }

    const fn device(&self) -> &DeviceClass {
        &self.body.device
    }

    fn team(&self) -> Team {
        let threads = self.items;
        let width = match self.device().kind {
            // Of complex elements, whole vectors of each part.
            DeviceKind::Cpu => 64 / self.stage.element.bytes(),
            DeviceKind::Gpu => self.body.width(0),
        };
        Team { along: Along::Row, lanes: threads * width, threads, width }
    }

    /// The launch for vectors of `n` elements, a multiple of [`STAGE_MULTIPLE`].
    pub fn launch(&self, n: usize) -> StageLaunch {
        let team = self.team();
        let shortest = if self.device().kind == DeviceKind::Cpu { MIN_CPU_BLOCK } else { team.threads };
        let length = n.div_ceil(max_stage_groups(self.device())).max(shortest);
        let block = length.next_multiple_of(team.lanes.max(STAGE_MULTIPLE));
        StageLaunch { groups: n.div_ceil(block).max(1), items: team.threads, block }
    }

    /// The kernel, with the stage's name.
    ///
    /// # Errors
    /// [`LowerError::Kernel`].
    pub fn kernel(&self) -> Result<Kernel, LowerError> {
        let error = RefCell::new(None);
        let device = self.device();
        let needs_doubles = !device.rounds_divisions && device.has_doubles;
        let rounding = if needs_doubles { Rounding::Doubles } else { Rounding::Native };
        let kernel = Kernel::build_dynamic(&self.stage.name, |k| {
            let e = Emit::new(k, &error, rounding);
            if self.prologue.divides_singles() || self.body.divides_singles() {
                e.demand_rounding();
            }
            e.fix_group([self.items, 1, 1]);
            StageKernel::new(self, e)?.generate();
            Ok(())
        });
        match error.into_inner() {
            Some(error) => Err(error.into()),
            None => Ok(kernel?),
        }
    }
}

/// A stage's kernel under construction.
struct StageKernel<'a, 'k> {
    lowered: &'a LoweredStage,
    e: Emit<'a, 'k>,
    team: Team,
    numbers: HashMap<&'static str, V<'k>>,
    buffers: HashMap<&'static str, Memory<'k>>,
    accesses: HashMap<Parameter, Memory<'k>>,
    variant: Variant,
}

impl<'a, 'k> StageKernel<'a, 'k> {
    fn new(lowered: &'a LoweredStage, e: Emit<'a, 'k>) -> Result<Self, BuildError> {
        let (mut numbers, mut buffers, mut accesses) = (HashMap::new(), HashMap::new(), HashMap::new());
        let scalar = super::generator::stored(lowered.stage.element);
        for parameter in StageParameter::ALL {
            let name = parameter.name();
            match parameter.access() {
                Some(access) => {
                    buffers.insert(name, e.buffer(name, scalar, access)?);
                }
                None => {
                    numbers.insert(name, e.argument(name, ScalarType::I64));
                }
            }
        }
        for (index, access) in lowered.stage.body.accesses.iter().enumerate() {
            let both = match (access.is_read, access.is_written) {
                (true, true) => Access::ReadWrite,
                (_, true) => Access::Write,
                _ => Access::Read,
            };
            let buffer = e.buffer(&format!("x{index}"), super::generator::stored(access.element), both)?;
            accesses.insert(Parameter::Access(index), buffer);
        }
        let team = lowered.team();
        let variant = Variant { form: Form::Chunks { phase: 0, team }, is_wide: true };
        Ok(StageKernel { lowered, e, team, numbers, buffers, accesses, variant })
    }

    fn number(&self, parameter: StageParameter) -> V<'k> {
        self.numbers[parameter.name()]
    }

    fn buffer(&self, parameter: StageParameter) -> Memory<'k> {
        self.buffers[parameter.name()]
    }

    /// A generator of the prologue's or the body's code, with values of its scalars.
    fn generator(&self, of: &'a Lowered, scalars: impl Iterator<Item = (usize, V<'k>)>) -> Generator<'a, 'k> {
        let mut numbers: HashMap<Parameter, V<'k>> =
            scalars.map(|(scalar, value)| (Parameter::Scalar(scalar), value)).collect();
        let zero = self.e.whole(ScalarType::I64, 0, 1);
        numbers.extend((0..of.structure.accesses.len()).map(|access| (Parameter::Offset(access), zero)));
        Generator::of_parts(of, self.variant, self.e, numbers, self.accesses.clone())
    }

    fn generate(&self) {
        let stop = self.state(self.lowered.stage.prologue.stop);
        let zero = self.e.number(self.lowered.stage.element, 0, 1);
        let has_ended = self.e.binary(BinaryOp::Ne, stop, zero);
        let numbers = self.lowered.stage.numbers;
        self.e.if_else(has_ended, || self.in_first_group(|g| self.pass_on(g, 0..numbers)), || self.run());
    }

    fn state(&self, number: usize) -> V<'k> {
        let at = self.e.whole(ScalarType::I64, number as i64, 1);
        self.e.load(self.buffer(StageParameter::State), at, 1, false)
    }

    fn plain(&self) -> Generator<'a, 'k> {
        self.generator(&self.lowered.body, std::iter::empty())
    }

    fn in_first_group(&self, body: impl FnOnce(&Generator<'a, 'k>)) {
        let generator = self.plain();
        let is_first = self.e.binary(BinaryOp::Eq, generator.group_id(0), generator.index(0));
        self.e.when(is_first, || body(&generator));
    }

    /// The work-item's index in its group.
    fn item(&self, generator: &Generator<'a, 'k>) -> V<'k> {
        if self.team.threads == 1 { generator.index(0) } else { generator.local_id(0) }
    }

    fn in_first_item(&self, generator: &Generator<'a, 'k>, body: impl FnOnce()) {
        match self.team.threads {
            1 => body(),
            _ => self.e.when(self.e.binary(BinaryOp::Eq, self.item(generator), generator.index(0)), body),
        }
    }

    /// Copies numbers of the state.
    fn pass_on(&self, generator: &Generator<'a, 'k>, numbers: std::ops::Range<usize>) {
        let [from, to] = [StageParameter::State, StageParameter::NewState].map(|parameter| self.buffer(parameter));
        let first = generator.add(generator.index(numbers.start), self.item(generator));
        self.e.for_each("i", first, generator.index(numbers.end), generator.index(self.team.threads), |i| {
            self.e.store(to, i, self.e.load(from, i, 1, false), false);
        });
    }

    fn run(&self) {
        let stage = &self.lowered.stage;
        let generator = self.plain();
        let registers = self.prologue(&generator);
        self.store_state(&registers);
        let scalars =
            stage.prologue.scalars.iter().enumerate().map(|(scalar, register)| (scalar, registers[*register]));
        let values: Vec<V<'k>> = scalars.clone().map(|(_, value)| value).collect();
        let mut body = self.generator(&self.lowered.body, scalars);
        body.is_padded = true;
        body.guards = stage.guards.iter().map(|guard| (guard.access, values[guard.scalar])).collect();
        let block = self.number(StageParameter::Block);
        let first = body.mul(body.group_id(0), block);
        let end = body.min(body.add(first, block), self.number(StageParameter::Length));
        let rows = Rows::of_group(&body, self.team, self.item(&body));
        let sums = body.accumulate_span(&rows, Span { first, end });
        let sums = self.halve(&generator, sums);
        let groups = body.group_count();
        self.in_first_item(&body, || {
            for (slot, sum) in sums.into_iter().enumerate() {
                let at = body.add(body.mul(body.index(slot), groups), body.group_id(0));
                self.e.store(self.buffer(StageParameter::NewSums), at, sum, false);
            }
        });
    }

    /// The registers of the prologue.
    fn prologue(&self, generator: &Generator<'a, 'k>) -> Vec<V<'k>> {
        let uses = Uses::of([&self.lowered.prologue.structure.phases[1]]);
        let slots = self.joined_sums(generator, uses.slots.into_iter().collect());
        let state = uses.scalars.into_iter().map(|number| (number, self.state(number)));
        let code = self.generator(&self.lowered.prologue, state.collect::<Vec<_>>().into_iter());
        let point = code.point(1, Vec::new(), 0, None);
        code.code(1, &point, &HashMap::new(), &slots)
    }

    /// The sums of the stage before, in each work-item.
    fn joined_sums(&self, generator: &Generator<'a, 'k>, slots: Vec<usize>) -> Slots<'k> {
        if slots.is_empty() {
            return Slots::new();
        }
        let slot = self.sum_slot();
        let groups = self.number(StageParameter::Groups);
        let totals: Vec<_> =
            slots.iter().map(|_| self.e.variable("total", generator.identity(slot, 1).value)).collect();
        let step = generator.index(self.team.threads);
        self.e.for_each("i", self.item(generator), groups, step, |i| {
            for (slot, total) in slots.iter().zip(&totals) {
                let at = generator.add(generator.mul(generator.index(*slot), groups), i);
                let part = self.e.load(self.buffer(StageParameter::Sums), at, 1, false);
                self.e.set(*total, self.e.binary(BinaryOp::Add, self.e.get(*total), part));
            }
        });
        let totals = totals.into_iter().map(|total| self.e.get(total)).collect();
        slots.into_iter().zip(self.halve(generator, totals)).collect()
    }

    fn sum_slot(&self) -> Slot {
        Slot { reduction: crate::function::Reduction::Sum, element: self.lowered.stage.element }
    }

    /// The sums over lanes and over the group's work-items, of several values at once, in each work-item.
    fn halve(&self, generator: &Generator<'a, 'k>, values: Vec<V<'k>>) -> Vec<V<'k>> {
        let e = self.e;
        let add = |a, b| e.binary(BinaryOp::Add, a, b);
        let values: Vec<V<'k>> = values.into_iter().map(|value| generator.sum_of_lanes(value)).collect();
        let threads = self.team.threads;
        if threads == 1 || values.is_empty() {
            return values;
        }
        let (item, scalar) = (self.item(generator), super::generator::stored(self.lowered.stage.element));
        let arrays: Vec<_> =
            (0..values.len()).map(|number| generator.array(format!("tree{number}"), scalar, threads)).collect();
        let sums: Vec<_> = values.into_iter().map(|value| e.variable("sum", value)).collect();
        e.barrier(false);
        let put = || arrays.iter().zip(&sums).for_each(|(array, sum)| e.store(*array, item, e.get(*sum), false));
        put();
        let mut half = threads / 2;
        while half > 0 {
            e.barrier(false);
            e.when(generator.less(item, generator.index(half)), || {
                let other = generator.add(item, generator.index(half));
                for (array, sum) in arrays.iter().zip(&sums) {
                    e.set(*sum, add(e.get(*sum), e.load(*array, other, 1, false)));
                }
                put();
            });
            half /= 2;
        }
        e.barrier(false);
        arrays.iter().map(|array| e.get(e.variable("all", e.load(*array, generator.index(0), 1, false)))).collect()
    }

    /// The first group stores the new state, and what is recorded.
    fn store_state(&self, registers: &[V<'k>]) {
        let prologue = &self.lowered.stage.prologue;
        self.in_first_group(|generator| {
            let mut first = 0;
            for (number, _) in &prologue.updates {
                if first < *number {
                    self.pass_on(generator, first..*number);
                }
                first = number + 1;
            }
            if first < self.lowered.stage.numbers {
                self.pass_on(generator, first..self.lowered.stage.numbers);
            }
            if prologue.updates.is_empty() && prologue.records.is_empty() {
                return;
            }
            self.in_first_item(generator, || {
                let store = |parameter, at, value| self.e.store(self.buffer(parameter), at, value, false);
                for (number, register) in &prologue.updates {
                    store(StageParameter::NewState, generator.index(*number), registers[*register]);
                }
                let width = generator.index(prologue.records.len().max(1));
                let position = generator.mul(self.number(StageParameter::Position), width);
                for (part, register) in prologue.records.iter().enumerate() {
                    let at = generator.add(position, generator.index(part));
                    store(StageParameter::History, at, registers[*register]);
                }
            });
        });
    }
}
