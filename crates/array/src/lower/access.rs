//! Loads and stores of accesses at points.

use super::emit::{Buffer, V};
use super::generator::{Generator, Loads, Point, Slots};
use super::variant::{Form, Parameter};
use crate::element::ElementType;
use crate::fused::{AccessClass, Effect, Instruction, Phase};
use affinimath_kernel::ScalarType;
use affinimath_kernel::dynamic::BinaryOp;
use std::collections::BTreeSet;

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

/// Values to be stored.
#[derive(Clone)]
struct Store<'k> {
    buffer: Buffer<'k>,
    element: ElementType,
    address: Address<'k>,
    parts: Vec<V<'k>>,
}

impl<'k> Generator<'_, 'k> {
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
            (Step::One, None) => {
                // Vectors have 16 numbers at most.
                let step = width.min(16 / parts);
                let pieces = (0..width).step_by(step).map(|lane| {
                    let first = scaled(self.add(address.first, self.index(lane)));
                    self.split(self.e.load(buffer, first, parts * step, !self.is_cpu()), parts)
                });
                self.joined(&pieces.collect::<Vec<_>>(), step)
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
        values.into_iter().map(|value| self.loaded(element, value)).collect()
    }

    /// The parts of pieces of a vector, whose lanes are given, as those of the whole vector.
    fn joined(&self, pieces: &[Vec<V<'k>>], step: usize) -> Vec<V<'k>> {
        if let [piece] = pieces {
            return piece.clone();
        }
        let lanes = |part: usize| {
            let lanes = pieces.iter().flat_map(|piece| (0..step).map(move |lane| (piece[part], lane)));
            self.e.gather(&lanes.map(|(value, lane)| self.e.lane(value, lane)).collect::<Vec<_>>())
        };
        (0..pieces[0].len()).map(lanes).collect()
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

    /// The parts of as many elements of an access as in memory, of which the first is at a point of one lane.
    pub(super) fn raw_parts(&self, access: usize, point: &Point<'k>, count: usize) -> Vec<V<'k>> {
        let element = self.lowered.structure.accesses[access].element;
        let parts = if element.is_complex() { 2 } else { 1 };
        let first = self.mul(self.address(access, point).first, self.index(parts));
        self.split(self.e.load(self.buffer(Parameter::Access(access)), first, parts * count, !self.is_cpu()), parts)
    }

    pub(super) fn loaded(&self, element: ElementType, value: V<'k>) -> V<'k> {
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
                let parts = if !is_vector(address) {
                    0
                } else if element.is_complex() {
                    2
                } else {
                    1
                };
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
        let mut guarded = Vec::new();
        for effect in &phase.effects {
            if let Effect::Store { access, value, imaginary } = *effect {
                let element = self.lowered.structure.accesses[access].element;
                let parts = std::iter::once(value).chain(imaginary).map(|register| registers[register]).collect();
                let buffer = self.buffer(Parameter::Access(access));
                let store = Store { buffer, element, address: self.address(access, point), parts };
                match self.guards.get(&access) {
                    Some(guard) => guarded.push((*guard, store)),
                    None => stores.push(store),
                }
            }
        }
        self.store_all(&stores, point);
        for (guard, store) in guarded {
            self.e.when(guard, || self.store_all(&[store], point));
        }
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
        if !is_unit {
            return (0..width).for_each(|lane| self.store_lane(store, lane));
        }
        let step = width.min(16 / parts);
        for piece in (0..width).step_by(step) {
            let lanes = (0..parts * step).map(|lane| self.e.lane(store.parts[lane % parts], piece + lane / parts));
            let is_whole = parts == 1 && step == width;
            let value = if is_whole { store.parts[0] } else { self.e.gather(&lanes.collect::<Vec<_>>()) };
            let first = self.add(store.address.first, self.index(piece));
            let first = if parts == 2 { self.mul(first, self.index(2)) } else { first };
            self.e.store(store.buffer, first, value, !self.is_cpu());
        }
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

    /// The element of an indexed access: indices, one for each axis, are clamped.
    pub(super) fn load_at(&self, access: usize, indices: &[V<'k>], is_imaginary: bool) -> V<'k> {
        let element = self.lowered.structure.accesses[access].element;
        let buffer = self.buffer(Parameter::Access(access));
        let mut first = self.parameter(Parameter::Offset(access));
        for (axis, index) in indices.iter().enumerate() {
            let extent = self.parameter(Parameter::IndexedExtent(access, axis));
            let last = self.e.binary(
                BinaryOp::Sub,
                self.e.convert(extent, ScalarType::I64),
                self.e.whole(ScalarType::I64, 1, 1),
            );
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
