//! A kernel under construction: its parameters, points of the iteration space, loads and stores.

use super::Lowered;
use super::arithmetic::scalar_type;
use super::device::DeviceKind;
use super::emit::{Buffer, Emit, V};
use super::variant::{Count, Form, Parameter, Variant};
use crate::element::ElementType;
use crate::fused::{Access, AccessClass, Effect, Instruction, Phase};
use affinimath_kernel::dynamic::{BinaryOp, Query};
use affinimath_kernel::{Access as KernelAccess, BuildError, ScalarType};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub(super) struct Generator<'a, 'k> {
    pub(super) lowered: &'a Lowered,
    pub(super) variant: Variant,
    pub(super) e: Emit<'a, 'k>,
    numbers: HashMap<Parameter, V<'k>>,
    buffers: HashMap<Parameter, Buffer<'k>>,
    /// Arrays in local or private memory that later reductions use again.
    arrays: RefCell<HashMap<(String, ScalarType, usize), Buffer<'k>>>,
}

/// Neighbouring points of the iteration space, one for each lane.
#[derive(Clone)]
pub(super) struct Point<'k> {
    pub(super) width: usize,
    /// Coordinates of the first lane; `None` is 0.
    pub(super) coordinates: Vec<Option<V<'k>>>,
    /// The axis along which the lanes run, and the points between them.
    pub(super) lane_axis: usize,
    pub(super) lane_step: usize,
    /// `None` if all lanes are points.
    pub(super) partial: Option<Partial<'k>>,
}

/// Lanes of a vector that may reach beyond the last point.
#[derive(Clone, Copy)]
pub(super) struct Partial<'k> {
    /// True if all lanes are points.
    pub(super) is_full: V<'k>,
    /// Lanes that are points: the first ones, at least one.
    pub(super) count: V<'k>,
}

/// The elements of an access at a point: that of the first lane, and the step to the others.
#[derive(Clone, Copy)]
struct Address<'k> {
    first: V<'k>,
    step: Step<'k>,
}

#[derive(Clone, Copy)]
enum Step<'k> {
    Zero,
    One,
    Stride(V<'k>),
}

/// Values of the slots that a phase reads.
pub(super) type Slots<'k> = BTreeMap<usize, V<'k>>;

/// The elements that a phase loads, by access: real parts, and imaginary ones.
pub(super) type Loads<'k> = HashMap<usize, Vec<V<'k>>>;

/// The type of a parameter of numbers.
pub(super) const fn stored(element: ElementType) -> ScalarType {
    match element {
        ElementType::Bool => ScalarType::U8,
        other => scalar_type(other),
    }
}

impl<'a, 'k> Generator<'a, 'k> {
    /// Declares the parameters.
    pub(super) fn new(lowered: &'a Lowered, variant: Variant, e: Emit<'a, 'k>) -> Result<Self, BuildError> {
        let (numbers, buffers) = (HashMap::new(), HashMap::new());
        let mut generator = Generator { lowered, variant, e, numbers, buffers, arrays: RefCell::default() };
        for parameter in variant.parameters(&lowered.structure, lowered.device.kind) {
            generator.declare(parameter)?;
        }
        Ok(generator)
    }

    fn declare(&mut self, parameter: Parameter) -> Result<(), BuildError> {
        let structure = &self.lowered.structure;
        let written = |is_written| if is_written { KernelAccess::Write } else { KernelAccess::Read };
        let (name, scalar, access) = match parameter {
            Parameter::Access(access) => {
                let Access { element, is_written, is_read, .. } = structure.accesses[access];
                let both = if is_read && is_written { KernelAccess::ReadWrite } else { written(is_written) };
                (format!("x{access}"), stored(element), Some(both))
            }
            Parameter::Offset(access) => (format!("offset{access}"), self.index_type(), None),
            Parameter::Stride(access, axis) => (format!("stride{access}_{axis}"), self.index_type(), None),
            Parameter::IndexedExtent(access, axis) => (format!("length{access}_{axis}"), self.index_type(), None),
            Parameter::Extent(axis) => (format!("n{axis}"), self.index_type(), None),
            Parameter::Scalar(scalar) => (format!("a{scalar}"), stored(structure.scalars[scalar]), None),
            Parameter::Chunks { slot, is_written, is_index } => {
                let direction = if is_written { "to" } else { "from" };
                let content = if is_index { "indices" } else { "values" };
                let element = if is_index { ElementType::I64 } else { structure.slots[slot].element };
                (format!("{content}_{direction}{slot}"), stored(element), Some(written(is_written)))
            }
            Parameter::Rows { slot, is_written } => {
                (format!("rows{slot}"), stored(self.slot_type(slot)), Some(written(is_written)))
            }
            Parameter::Count(count) => (count.name().to_owned(), self.index_type(), None),
        };
        match access {
            Some(access) => {
                self.buffers.insert(parameter, self.e.buffer(&name, scalar, access)?);
            }
            None => {
                self.numbers.insert(parameter, self.e.argument(&name, scalar));
            }
        }
        Ok(())
    }

    /// The type of a slot's result.
    pub(super) fn slot_type(&self, slot: usize) -> ElementType {
        let slot = self.lowered.structure.slots[slot];
        if slot.reduction.is_arg() { ElementType::I64 } else { slot.element }
    }

    pub(super) fn is_cpu(&self) -> bool {
        self.lowered.device.kind == DeviceKind::Cpu
    }

    /// The type of indices.
    pub(super) fn index_type(&self) -> ScalarType {
        if self.variant.is_wide { ScalarType::I64 } else { ScalarType::I32 }
    }

    pub(super) fn index(&self, number: usize) -> V<'k> {
        self.e.whole(self.index_type(), number as i64, 1)
    }

    /// A query of the work-item as an index.
    fn query(&self, query: Query, dimension: usize) -> V<'k> {
        self.e.convert(self.e.query(query, dimension), self.index_type())
    }

    pub(super) fn global_id(&self, dimension: usize) -> V<'k> {
        self.query(Query::GlobalId, dimension)
    }

    pub(super) fn global_size(&self, dimension: usize) -> V<'k> {
        self.query(Query::GlobalSize, dimension)
    }

    pub(super) fn local_id(&self, dimension: usize) -> V<'k> {
        self.query(Query::LocalId, dimension)
    }

    pub(super) fn group_id(&self, dimension: usize) -> V<'k> {
        self.query(Query::GroupId, dimension)
    }

    pub(super) fn parameter(&self, parameter: Parameter) -> V<'k> {
        self.numbers[&parameter]
    }

    pub(super) fn buffer(&self, parameter: Parameter) -> Buffer<'k> {
        self.buffers[&parameter]
    }

    pub(super) fn count(&self, count: Count) -> V<'k> {
        self.numbers[&Parameter::Count(count)]
    }

    pub(super) fn extent(&self, axis: usize) -> V<'k> {
        self.numbers[&Parameter::Extent(axis)]
    }

    pub(super) fn add(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.e.binary(BinaryOp::Add, a, b)
    }

    pub(super) fn mul(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.e.binary(BinaryOp::Mul, a, b)
    }

    pub(super) fn less(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.e.binary(BinaryOp::Lt, a, b)
    }

    pub(super) fn min(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.e.binary(BinaryOp::Min, a, b)
    }

    /// Quotient and remainder of indices that are not negative.
    pub(super) fn divide(&self, a: V<'k>, b: V<'k>) -> (V<'k>, V<'k>) {
        (self.e.binary(BinaryOp::Div, a, b), self.e.binary(BinaryOp::Rem, a, b))
    }

    /// The quotient rounded up.
    pub(super) fn divide_up(&self, a: V<'k>, b: usize) -> V<'k> {
        let b = self.index(b);
        self.e.binary(BinaryOp::Div, self.add(a, self.e.binary(BinaryOp::Sub, b, self.index(1))), b)
    }

    /// Coordinates of a point number along some axes, the last of which runs fastest.
    pub(super) fn coordinates(&self, axes: std::ops::Range<usize>, number: V<'k>, into: &mut [Option<V<'k>>]) {
        let (first, mut rest) = (axes.start, number);
        for axis in axes.rev() {
            if axis == first {
                into[axis] = Some(rest);
            } else {
                let (quotient, remainder) = self.divide(rest, self.extent(axis));
                into[axis] = Some(remainder);
                rest = quotient;
            }
        }
    }

    /// The number of a point's row.
    pub(super) fn row_number(&self, point: &Point<'k>) -> V<'k> {
        let parallel = 0..self.lowered.structure.parallel;
        parallel.fold(self.index(0), |number, axis| {
            let number = self.mul(number, self.extent(axis));
            point.coordinates[axis].map_or(number, |coordinate| self.add(number, coordinate))
        })
    }

    fn address(&self, access: usize, point: &Point<'k>) -> Address<'k> {
        let structure = &self.lowered.structure;
        let class = structure.accesses[access].class;
        let last = structure.rank - 1;
        let is_unit = matches!(class, AccessClass::Contiguous | AccessClass::InnerContiguous);
        let mut first = self.parameter(Parameter::Offset(access));
        if class == AccessClass::Uniform {
            return Address { first, step: Step::Zero };
        }
        for (axis, coordinate) in point.coordinates.iter().enumerate() {
            let Some(coordinate) = *coordinate else { continue };
            first = match self.numbers.get(&Parameter::Stride(access, axis)) {
                Some(stride) => self.add(first, self.mul(coordinate, *stride)),
                None if is_unit => self.add(first, coordinate),
                None => first,
            };
        }
        Address { first, step: self.lane_step(access, point, is_unit && point.lane_axis == last) }
    }

    fn lane_step(&self, access: usize, point: &Point<'k>, is_unit: bool) -> Step<'k> {
        let axis = point.lane_axis;
        let known = match self.variant.form {
            Form::Rows { team, .. } | Form::Chunks { team, .. } => team.columns(),
            _ => None,
        };
        if let Some((contiguous, uniform)) = known {
            if contiguous >> access & 1 == 1 {
                return Step::One;
            }
            if uniform >> access & 1 == 1 {
                return Step::Zero;
            }
        }
        let step = self.index(point.lane_step);
        match self.numbers.get(&Parameter::Stride(access, axis)) {
            _ if point.coordinates[axis].is_none() => Step::Zero,
            Some(stride) => Step::Stride(self.mul(*stride, step)),
            None if is_unit && point.lane_step == 1 => Step::One,
            None if is_unit => Step::Stride(step),
            None => Step::Zero,
        }
    }

    /// The elements of a buffer at an address: one value, or two of a complex element.
    fn load(
        &self,
        buffer: Buffer<'k>,
        element: ElementType,
        address: Address<'k>,
        width: usize,
        last_lane: Option<V<'k>>,
    ) -> Vec<V<'k>> {
        let parts = if element.is_complex() { 2 } else { 1 };
        let scaled = |index: V<'k>| if parts == 2 { self.mul(index, self.index(2)) } else { index };
        let values = match (address.step, last_lane) {
            (Step::Zero, _) => self.split(self.e.load(buffer, scaled(address.first), parts, !self.is_cpu()), parts),
            (Step::One, None) if parts * width <= 16 => {
                let is_aligned = !self.is_cpu();
                self.split(self.e.load(buffer, scaled(address.first), parts * width, is_aligned), parts)
            }
            (step, last_lane) => {
                let lanes = (0..width).map(|lane| {
                    let lane = self.index(lane);
                    let lane = last_lane.map_or(lane, |last| self.min(lane, last));
                    let along = match step {
                        Step::Stride(stride) => self.mul(lane, stride),
                        _ => lane,
                    };
                    let value = self.e.load(buffer, scaled(self.add(address.first, along)), parts, !self.is_cpu());
                    self.split(value, parts)
                });
                let lanes: Vec<Vec<V<'k>>> = lanes.collect();
                (0..parts).map(|part| self.e.gather(&lanes.iter().map(|lane| lane[part]).collect::<Vec<_>>())).collect()
            }
        };
        values.into_iter().map(|value| self.from_memory(element, value)).collect()
    }

    /// The parts of interleaved elements.
    fn split(&self, value: V<'k>, parts: usize) -> Vec<V<'k>> {
        if parts == 1 {
            return vec![value];
        }
        let lanes = self.e.lanes(value) / 2;
        let part = |part: usize| {
            let picked: Vec<_> = (0..lanes).map(|lane| self.e.lane(value, 2 * lane + part)).collect();
            self.e.gather(&picked)
        };
        vec![part(0), part(1)]
    }

    /// The elements that a phase loads at a point, by access: real parts, and imaginary ones.
    pub(super) fn loads(&self, phase: usize, point: &Point<'k>, but: &[usize]) -> Loads<'k> {
        let mut accesses = BTreeSet::new();
        for instruction in &self.lowered.structure.phases[phase].code {
            if let Instruction::Load(access) | Instruction::LoadImaginary(access) = *instruction {
                accesses.insert(access);
            }
        }
        let accesses: Vec<usize> = accesses.into_iter().filter(|access| !but.contains(access)).collect();
        let requests = accesses.iter().map(|access| {
            let element = self.lowered.structure.accesses[*access].element;
            (self.buffer(Parameter::Access(*access)), element, self.address(*access, point))
        });
        let loaded = self.load_all(requests, point);
        accesses.into_iter().zip(loaded).collect()
    }

    /// The parts of the element of an access at a point of one lane, as in memory.
    pub(super) fn raw_parts(&self, access: usize, point: &Point<'k>) -> Vec<V<'k>> {
        let element = self.lowered.structure.accesses[access].element;
        let parts = if element.is_complex() { 2 } else { 1 };
        let first = self.mul(self.address(access, point).first, self.index(parts));
        self.split(self.e.load(self.buffer(Parameter::Access(access)), first, parts, !self.is_cpu()), parts)
    }

    pub(super) fn from_memory(&self, element: ElementType, value: V<'k>) -> V<'k> {
        if element == ElementType::Bool { self.e.is_nonzero(value) } else { value }
    }

    /// Several loads at a point. Lanes beyond the last point get the last one's elements.
    fn load_all(
        &self,
        requests: impl Iterator<Item = (Buffer<'k>, ElementType, Address<'k>)>,
        point: &Point<'k>,
    ) -> Vec<Vec<V<'k>>> {
        let requests: Vec<_> = requests.collect();
        let width = point.width;
        let Some(partial) = point.partial else {
            return requests.into_iter().map(|(b, e, a)| self.load(b, e, a, width, None)).collect();
        };
        let is_vector = |address: &Address<'k>| !matches!(address.step, Step::Zero);
        let variables: Vec<Vec<_>> = requests
            .iter()
            .map(|(_, element, address)| {
                let parts = if !is_vector(address) { 0 } else if element.is_complex() { 2 } else { 1 };
                (0..parts).map(|_| self.e.variable("x", self.e.number(element.part(), 0, width))).collect()
            })
            .collect();
        let set = |last_lane: Option<V<'k>>| {
            for ((buffer, element, address), variables) in requests.iter().zip(&variables) {
                if is_vector(address) {
                    let values = self.load(*buffer, *element, *address, width, last_lane);
                    variables.iter().zip(values).for_each(|(variable, value)| self.e.set(*variable, value));
                }
            }
        };
        if variables.iter().any(|variables| !variables.is_empty()) {
            let last = || self.e.binary(BinaryOp::Sub, partial.count, self.index(1));
            self.e.if_else(partial.is_full, || set(None), || set(Some(last())));
        }
        let values = requests.iter().zip(&variables).map(|((buffer, element, address), variables)| {
            if is_vector(address) {
                variables.iter().map(|variable| self.e.get(*variable)).collect()
            } else {
                self.load(*buffer, *element, *address, width, None)
            }
        });
        values.collect()
    }

    /// The values of slots that earlier launches reduced, at a point's rows.
    pub(super) fn stored_slots(&self, slots: impl IntoIterator<Item = usize>, point: &Point<'k>) -> Slots<'k> {
        let slots: Vec<usize> = slots.into_iter().collect();
        if slots.is_empty() {
            return Slots::new();
        }
        let is_across = point.width > 1 && point.lane_axis < self.lowered.structure.parallel;
        let step = if is_across { Step::One } else { Step::Zero };
        let address = Address { first: self.row_number(point), step };
        let requests = slots.iter().map(|slot| {
            let buffer = self.buffer(Parameter::Rows { slot: *slot, is_written: false });
            (buffer, self.slot_type(*slot), address)
        });
        let loaded = self.load_all(requests, point);
        slots.iter().copied().zip(loaded.into_iter().map(|parts| parts[0])).collect()
    }

    /// Stores values at a point.
    pub(super) fn stores(&self, phase: &Phase, registers: &[V<'k>], point: &Point<'k>) {
        let mut stores = Vec::new();
        for effect in &phase.effects {
            if let Effect::Store { access, value, imaginary } = *effect {
                let element = self.lowered.structure.accesses[access].element;
                let parts = std::iter::once(value).chain(imaginary).map(|register| registers[register]).collect();
                let buffer = self.buffer(Parameter::Access(access));
                stores.push(Store { buffer, element, address: self.address(access, point), parts });
            }
        }
        self.store_all(&stores, point);
    }

    /// Stores one value for each row of a point to a workspace.
    pub(super) fn store_at(
        &self,
        buffer: Buffer<'k>,
        element: ElementType,
        first: V<'k>,
        value: V<'k>,
        point: &Point<'k>,
    ) {
        let address = Address { first, step: Step::One };
        self.store_all(&[Store { buffer, element, address, parts: vec![value] }], point);
    }

    fn store_all(&self, stores: &[Store<'k>], point: &Point<'k>) {
        if stores.is_empty() {
            return;
        }
        let widened: Vec<Store<'k>> = stores.iter().map(|store| self.to_memory(store, point.width)).collect();
        let store_full = || widened.iter().for_each(|store| self.store(store, point.width));
        match point.partial {
            None => store_full(),
            Some(partial) => self.e.if_else(partial.is_full, store_full, || {
                for lane in 0..point.width - 1 {
                    self.e.when(self.less(self.index(lane), partial.count), || {
                        widened.iter().for_each(|store| self.store_lane(store, lane));
                    });
                }
            }),
        }
    }

    /// The values as in memory, in all lanes.
    fn to_memory(&self, store: &Store<'k>, width: usize) -> Store<'k> {
        let to_memory = |value: &V<'k>| {
            let value = if store.element == ElementType::Bool { self.e.byte_of(*value) } else { *value };
            self.e.widen(value, width)
        };
        Store { parts: store.parts.iter().map(to_memory).collect(), ..*store }
    }

    fn store(&self, store: &Store<'k>, width: usize) {
        let parts = store.parts.len();
        let is_unit = matches!(store.address.step, Step::One) || width == 1;
        if !is_unit || parts * width > 16 {
            return (0..width).for_each(|lane| self.store_lane(store, lane));
        }
        let lanes = (0..parts * width).map(|lane| self.e.lane(store.parts[lane % parts], lane / parts));
        let value = if parts == 1 { store.parts[0] } else { self.e.gather(&lanes.collect::<Vec<_>>()) };
        let first = store.address.first;
        let first = if parts == 2 { self.mul(first, self.index(2)) } else { first };
        self.e.store(store.buffer, first, value, !self.is_cpu());
    }

    fn store_lane(&self, store: &Store<'k>, lane: usize) {
        let along = match store.address.step {
            Step::Zero => self.index(0),
            Step::One => self.index(lane),
            Step::Stride(stride) => self.mul(self.index(lane), stride),
        };
        let mut index = self.add(store.address.first, along);
        let values: Vec<_> = store.parts.iter().map(|part| self.e.lane(*part, lane)).collect();
        if values.len() == 2 {
            index = self.mul(index, self.index(2));
        }
        self.e.store(store.buffer, index, self.e.gather(&values), !self.is_cpu());
    }

    /// Runs a phase at a point: its loads, its code and its stores. Returns the registers.
    pub(super) fn run(&self, phase: usize, point: &Point<'k>, slots: &Slots<'k>) -> Vec<V<'k>> {
        let loads = self.loads(phase, point, &[]);
        self.compute(phase, point, &loads, slots)
    }

    /// Runs the code and the stores of a phase.
    pub(super) fn compute(&self, phase: usize, point: &Point<'k>, loads: &Loads<'k>, slots: &Slots<'k>) -> Vec<V<'k>> {
        let registers = self.code(phase, point, loads, slots);
        self.stores(&self.lowered.structure.phases[phase], &registers, point);
        registers
    }

    /// An array that the work-items of a group share, or that a CPU's work-item has.
    pub(super) fn array(&self, name: String, scalar: ScalarType, length: usize) -> Buffer<'k> {
        self.known_array(name, scalar, length, !self.is_cpu())
    }

    /// An array of a work-item.
    pub(super) fn private(&self, name: String, scalar: ScalarType, length: usize) -> Buffer<'k> {
        self.known_array(name, scalar, length, false)
    }

    /// An array of a name, type and length, whose uses follow each other.
    fn known_array(&self, name: String, scalar: ScalarType, length: usize, is_local: bool) -> Buffer<'k> {
        let array = || self.e.array(&name, scalar, length, is_local);
        *self.arrays.borrow_mut().entry((name.clone(), scalar, length)).or_insert_with(array)
    }

    /// The element of an indexed access: indices, one for each axis, are clamped.
    pub(super) fn load_at(&self, access: usize, indices: &[V<'k>], is_imaginary: bool) -> V<'k> {
        let element = self.lowered.structure.accesses[access].element;
        let buffer = self.buffer(Parameter::Access(access));
        let mut first = self.parameter(Parameter::Offset(access));
        for (axis, index) in indices.iter().enumerate() {
            let extent = self.parameter(Parameter::IndexedExtent(access, axis));
            let last = self.e.binary(BinaryOp::Sub, self.e.convert(extent, ScalarType::I64), self.e.whole(ScalarType::I64, 1, 1));
            let zero = self.e.whole(ScalarType::I64, 0, 1);
            let clamped = self.min(self.e.binary(BinaryOp::Max, *index, zero), last);
            let clamped = self.e.convert(clamped, self.index_type());
            first = self.add(first, self.mul(clamped, self.parameter(Parameter::Stride(access, axis))));
        }
        let part = usize::from(is_imaginary);
        let lanes: Vec<_> = (0..self.e.lanes(first))
            .map(|lane| {
                let address = Address { first: self.e.lane(first, lane), step: Step::Zero };
                self.load(buffer, element, address, 1, None)[part]
            })
            .collect();
        self.e.gather(&lanes)
    }
}

/// Values to be stored.
#[derive(Clone)]
struct Store<'k> {
    buffer: Buffer<'k>,
    element: ElementType,
    address: Address<'k>,
    parts: Vec<V<'k>>,
}
