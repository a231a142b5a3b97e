//! Operations of the kernel language whose errors are recorded: a lowered structure has been checked, and an error is
//! one of the lowering itself.

use crate::element::ElementType;
use affinimath_kernel::dynamic::{Alignment, BinaryOp, Builder, Memory, Query, StoreMode, UnaryOp, Value, Variable};
use affinimath_kernel::{Access, BuildError, Constant, ScalarType, ValueType};
use std::cell::RefCell;

/// A value of the kernel under construction: one, or one in each lane.
pub type V<'k> = Value<'k>;

/// A buffer, or an array in local or private memory.
pub type Buffer<'k> = Memory<'k>;

/// The way to correctly rounded quotients and square roots of `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// The device's compiler takes an option.
    Native,
    /// In double precision.
    Doubles,
}

impl Rounding {
    pub fn needs_doubles(self, scalar: ScalarType) -> bool {
        self == Rounding::Doubles && scalar == ScalarType::F32
    }
}

/// A kernel under construction.
#[derive(Clone, Copy)]
pub struct Emit<'e, 'k> {
    k: Builder<'k>,
    /// The first error.
    error: &'e RefCell<Option<BuildError>>,
    pub rounding: Rounding,
}

type Outcome<V> = Result<V, BuildError>;

impl<'e, 'k> Emit<'e, 'k> {
    pub const fn new(k: Builder<'k>, error: &'e RefCell<Option<BuildError>>, rounding: Rounding) -> Self {
        Emit { k, error, rounding }
    }

    /// The value, or where there is none another one in its place.
    fn value(self, outcome: Outcome<V<'k>>) -> V<'k> {
        outcome.unwrap_or_else(|error| {
            self.record(error);
            self.k.index(0)
        })
    }

    pub fn record(self, error: BuildError) {
        self.error.borrow_mut().get_or_insert(error);
    }

    fn done(self, outcome: Outcome<()>) {
        if let Err(error) = outcome {
            self.record(error);
        }
    }

    pub fn argument(self, name: &str, scalar: ScalarType) -> V<'k> {
        self.value(self.k.argument(name, scalar))
    }

    /// A buffer of scalars.
    pub fn buffer(self, name: &str, scalar: ScalarType, access: Access) -> Outcome<Buffer<'k>> {
        self.k.buffer(name, ValueType::scalar(scalar), access)
    }

    /// An array of numbers, in local or in private memory.
    pub fn array(self, name: &str, scalar: ScalarType, length: usize, is_local: bool) -> Buffer<'k> {
        let element = ValueType::scalar(scalar);
        let array = |name: &str| {
            if is_local { self.k.local(name, element, length) } else { self.k.private(name, element, length) }
        };
        array(name).expect("numbers are elements of arrays")
    }

    /// An array of vectors in local memory: an access is one of a vector.
    pub fn local_vectors(self, name: &str, scalar: ScalarType, lanes: usize, length: usize) -> Buffer<'k> {
        let element = ValueType::vector(scalar, lanes);
        self.k.local(name, element, length).expect("vectors are elements of arrays")
    }

    pub fn constant(self, constant: Constant, lanes: usize) -> V<'k> {
        self.widen(self.value(self.k.constant(constant)), lanes)
    }

    /// A whole number in all lanes.
    pub fn whole(self, scalar: ScalarType, number: i64, lanes: usize) -> V<'k> {
        self.widen(self.value(self.k.integer(scalar, number.into())), lanes)
    }

    pub fn truth(self, value: bool, lanes: usize) -> V<'k> {
        self.constant(value.into(), lanes)
    }

    /// The constant of a type with these bits.
    pub fn bits(self, element: ElementType, bits: u64) -> V<'k> {
        let low = bits as u32;
        let constant = match element {
            ElementType::Bool => (bits != 0).into(),
            ElementType::U8 => (bits as u8).into(),
            ElementType::I32 => (low as i32).into(),
            ElementType::U32 => low.into(),
            ElementType::I64 => (bits as i64).into(),
            ElementType::F32 | ElementType::C32 => Constant::F32(low),
            ElementType::F64 | ElementType::C64 => Constant::F64(bits),
        };
        self.constant(constant, 1)
    }

    pub fn infinity(self, element: ElementType) -> V<'k> {
        self.extreme(element, true, 1)
    }

    /// The largest or the least value of a type.
    pub fn extreme(self, element: ElementType, is_largest: bool, lanes: usize) -> V<'k> {
        let pick = |largest: Constant, least: Constant| if is_largest { largest } else { least };
        let constant = match element {
            ElementType::Bool => is_largest.into(),
            ElementType::U8 => pick(u8::MAX.into(), u8::MIN.into()),
            ElementType::I32 => pick(i32::MAX.into(), i32::MIN.into()),
            ElementType::U32 => pick(u32::MAX.into(), u32::MIN.into()),
            ElementType::I64 => pick(i64::MAX.into(), i64::MIN.into()),
            ElementType::F32 | ElementType::C32 => pick(f32::INFINITY.into(), f32::NEG_INFINITY.into()),
            ElementType::F64 | ElementType::C64 => pick(f64::INFINITY.into(), f64::NEG_INFINITY.into()),
        };
        self.constant(constant, lanes)
    }

    pub fn scalar(self, value: V<'k>) -> ScalarType {
        value.value_type().scalar
    }

    pub fn lanes(self, value: V<'k>) -> usize {
        value.value_type().lanes
    }

    /// The value in as many lanes.
    pub fn widen(self, value: V<'k>, lanes: usize) -> V<'k> {
        self.value(value.splat(lanes))
    }

    pub fn unary(self, op: UnaryOp, a: V<'k>) -> V<'k> {
        self.value(a.unary(op))
    }

    pub fn binary(self, op: BinaryOp, a: V<'k>, b: V<'k>) -> V<'k> {
        self.value(a.binary(op, b))
    }

    pub fn fma(self, a: V<'k>, b: V<'k>, c: V<'k>) -> V<'k> {
        self.value(a.mul_add(b, c))
    }

    pub fn select(self, mask: V<'k>, a: V<'k>, b: V<'k>) -> V<'k> {
        // One condition for vectors is one for each lane, as OpenCL's select wants it.
        let lanes = [mask, a, b].map(|value| self.lanes(value)).into_iter().max().unwrap_or(1);
        self.value(self.widen(mask, lanes).select(a, b))
    }

    pub fn any(self, mask: V<'k>) -> V<'k> {
        self.value(mask.any())
    }

    pub fn convert(self, a: V<'k>, to: ScalarType) -> V<'k> {
        self.value(a.convert(to))
    }

    pub fn convert_saturating(self, a: V<'k>, to: ScalarType) -> V<'k> {
        self.value(a.convert_saturating(to))
    }

    pub fn bitcast(self, a: V<'k>, to: ScalarType) -> V<'k> {
        if self.scalar(a) == to { a } else { self.value(a.bitcast(to)) }
    }

    /// True where a byte is not 0.
    pub fn is_nonzero(self, byte: V<'k>) -> V<'k> {
        self.binary(BinaryOp::Ne, byte, self.whole(ScalarType::U8, 0, 1))
    }

    /// 1 where it is true, else 0.
    pub fn byte_of(self, truth: V<'k>) -> V<'k> {
        let [one, zero] = [1, 0].map(|number| self.whole(ScalarType::U8, number, 1));
        self.select(truth, one, zero)
    }

    pub fn lane(self, value: V<'k>, lane: usize) -> V<'k> {
        if self.lanes(value) == 1 { value } else { self.value(value.lane(lane)) }
    }

    /// A vector of values, or the one value.
    pub fn gather(self, lanes: &[V<'k>]) -> V<'k> {
        match lanes {
            [one] => *one,
            _ => self.value(self.k.gather(lanes)),
        }
    }

    pub fn variable(self, name: &str, initial: V<'k>) -> Variable<'k> {
        self.k.variable(name, initial)
    }

    pub fn get(self, variable: Variable<'k>) -> V<'k> {
        variable.get()
    }

    pub fn set(self, variable: Variable<'k>, value: V<'k>) {
        self.done(variable.set(value));
    }

    pub fn when(self, condition: V<'k>, then: impl FnOnce()) {
        self.if_else(condition, then, || {});
    }

    pub fn if_else(self, condition: V<'k>, then: impl FnOnce(), otherwise: impl FnOnce()) {
        let run = |body: &mut dyn FnMut()| {
            body();
            Ok(())
        };
        let (mut then, mut otherwise) = (Some(then), Some(otherwise));
        self.done(self.k.if_else(
            condition,
            || run(&mut || then.take().into_iter().for_each(|then| then())),
            || run(&mut || otherwise.take().into_iter().for_each(|otherwise| otherwise())),
        ));
    }

    /// A loop from `from` to `to`, exclusive.
    pub fn for_each(self, name: &str, from: V<'k>, to: V<'k>, step: V<'k>, body: impl FnOnce(V<'k>)) {
        self.done(self.k.range(name, [from, to, step], |counter| {
            body(counter);
            Ok(())
        }));
    }

    pub fn barrier(self, is_global: bool) {
        self.k.barrier(is_global);
    }

    pub fn query(self, query: Query, dimension: usize) -> V<'k> {
        self.value(self.k.query(query, dimension))
    }

    /// Loads scalars from an index on.
    pub fn load(self, buffer: Buffer<'k>, index: V<'k>, lanes: usize, is_aligned: bool) -> V<'k> {
        let alignment = if is_aligned { Alignment::Vector } else { Alignment::Element };
        self.value(buffer.load_vector(index, lanes, alignment))
    }

    /// Stores a value from an index on.
    pub fn store(self, buffer: Buffer<'k>, index: V<'k>, value: V<'k>, is_aligned: bool) {
        let alignment = if is_aligned { Alignment::Vector } else { Alignment::Element };
        self.done(buffer.store_with(index, value, StoreMode { alignment, streaming: false }));
    }

    /// Fixes the size of work-groups.
    pub fn fix_group(self, items: [usize; 3]) {
        self.k.typed().group_size(items);
    }

    /// Asks for the option of correctly rounded quotients, where the device has one.
    pub fn demand_rounding(self) {
        self.k.typed().build_option(affinimath_kernel::BuildOption::CorrectlyRoundedDivideSqrt);
    }
}
