//! A kernel under construction: its parameters, points of the iteration space, loads and stores.

use super::Lowered;
use super::arithmetic::scalar_type;
use super::device::DeviceKind;
use super::emit::{Buffer, Emit, V};
use super::variant::{Count, Parameter, Variant};
use crate::element::ElementType;
use crate::fused::Access;
use affinimath_kernel::dynamic::{BinaryOp, Query};
use affinimath_kernel::{Access as KernelAccess, BuildError, ScalarType};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

pub(super) struct Generator<'a, 'k> {
    pub(super) lowered: &'a Lowered,
    pub(super) variant: Variant,
    pub(super) e: Emit<'a, 'k>,
    pub(super) numbers: HashMap<Parameter, V<'k>>,
    buffers: HashMap<Parameter, Buffer<'k>>,
    /// True if no vector of lanes reaches beyond the last point.
    pub(super) is_padded: bool,
    /// Conditions of stores, by access.
    pub(super) guards: HashMap<usize, V<'k>>,
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
        let mut generator = Generator::of_parts(lowered, variant, e, HashMap::new(), HashMap::new());
        for parameter in variant.parameters(&lowered.structure, lowered.device.kind) {
            generator.declare(parameter)?;
        }
        Ok(generator)
    }

    /// With parameters that stand for others.
    pub(super) fn of_parts(
        lowered: &'a Lowered,
        variant: Variant,
        e: Emit<'a, 'k>,
        numbers: HashMap<Parameter, V<'k>>,
        buffers: HashMap<Parameter, Buffer<'k>>,
    ) -> Self {
        let (is_padded, guards, arrays) = (false, HashMap::new(), RefCell::default());
        Generator { lowered, variant, e, numbers, buffers, is_padded, guards, arrays }
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

    pub(super) fn group_count(&self) -> V<'k> {
        self.query(Query::GroupCount, 0)
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
}
