//! Arguments, buffers in global memory, and arrays in local and private memory.

use std::marker::PhantomData;

use super::builder::Builder;
use super::constant::Constant;
use super::error::BuildError;
use super::expr::{Expr, IntoExpr, Var};
use super::ir::{Access, Alignment, AtomicOp, Id, Memory, Op, Parameter, Space, Statement, StoreMode};
use super::types::{Atomic, Counter, Element, LaneType, ScalarKind, ScalarType, Stored, Type, ValueType, Vector};

/// Marks a read-only buffer.
#[derive(Clone, Copy, Debug)]
pub struct ReadOnly;

/// Marks a write-only buffer.
#[derive(Clone, Copy, Debug)]
pub struct WriteOnly;

/// Marks a buffer or array with both accesses.
#[derive(Clone, Copy, Debug)]
pub struct ReadWrite;

/// Access that includes reading.
pub trait Readable {}
impl Readable for ReadOnly {}
impl Readable for ReadWrite {}

/// Access that includes writing.
pub trait Writable {}
impl Writable for WriteOnly {}
impl Writable for ReadWrite {}

/// Elements of type `T` in global, local or private memory, with access `A`.
pub struct Array<'k, T, A> {
    builder: Builder<'k>,
    memory: usize,
    marks: PhantomData<fn() -> (T, A)>,
}

impl<T, A> Clone for Array<'_, T, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, A> Copy for Array<'_, T, A> {}

/// An index: an integer expression, variable or constant.
pub trait IntoIndex<'k> {
    #[doc(hidden)]
    fn into_index(self, builder: Builder<'k>) -> Id;
}

impl<'k, T: Counter> IntoIndex<'k> for Expr<'k, T> {
    fn into_index(self, _: Builder<'k>) -> Id {
        self.id
    }
}

impl<'k, T: Counter> IntoIndex<'k> for Var<'k, T> {
    fn into_index(self, _: Builder<'k>) -> Id {
        self.get().id
    }
}

impl<'k> IntoIndex<'k> for usize {
    fn into_index(self, builder: Builder<'k>) -> Id {
        IntoExpr::<i64>::into_expr(self, builder).id
    }
}

impl<'k> IntoIndex<'k> for i32 {
    fn into_index(self, builder: Builder<'k>) -> Id {
        IntoExpr::<i64>::into_expr(self, builder).id
    }
}

impl<'k> Builder<'k> {
    /// A scalar argument.
    pub fn argument<T: ScalarKind + Element>(self, name: &str) -> Expr<'k, T> {
        Expr::new(self, self.add_argument(name, T::TYPE))
    }

    pub(super) fn add_argument(self, name: &str, value_type: ValueType) -> Id {
        let index = self.with(|state| state.program.parameters.len());
        let id = self.emit_as(Op::Argument(index), value_type);
        let name = self.unique(name);
        self.with(|state| {
            state.program.nodes[id].name = Some(name);
            state.program.parameters.push(Parameter::Scalar(id));
        });
        id
    }

    /// A read-only buffer. No written buffer of a launch may overlap it.
    pub fn input<T: Stored>(self, name: &str) -> Array<'k, T, ReadOnly> {
        self.global(name, Access::Read)
    }

    /// A write-only buffer. No other buffer of a launch may overlap it.
    pub fn output<T: Stored>(self, name: &str) -> Array<'k, T, WriteOnly> {
        self.global(name, Access::Write)
    }

    /// A read-write buffer. No other buffer of a launch may overlap it.
    pub fn in_out<T: Stored>(self, name: &str) -> Array<'k, T, ReadWrite> {
        self.global(name, Access::ReadWrite)
    }

    fn global<T: Stored, A>(self, name: &str, access: Access) -> Array<'k, T, A> {
        Array::new(self, self.add_buffer(name, T::STORED, access))
    }

    pub(super) fn add_buffer(self, name: &str, element: ValueType, access: Access) -> usize {
        let memory = Memory { name: name.to_owned(), element, space: Space::Global, access, length: 0 };
        let memory = self.add_memory(memory);
        self.with(|state| state.program.parameters.push(Parameter::Memory(memory)));
        memory
    }

    /// An array in local memory, uninitialised.
    pub fn local<T: Stored>(self, name: &str, length: usize) -> Array<'k, T, ReadWrite> {
        self.array(name, Space::Local, length)
    }

    /// An array in private memory, uninitialised, for run-time indices. For constant indices a Rust array of
    /// expressions is better.
    pub fn private<T: Stored>(self, name: &str, length: usize) -> Array<'k, T, ReadWrite> {
        self.array(name, Space::Private, length)
    }

    fn array<T: Stored>(self, name: &str, space: Space, length: usize) -> Array<'k, T, ReadWrite> {
        Array::new(self, self.add_array(name, T::STORED, space, length))
    }

    pub(super) fn name_of(self, memory: usize) -> String {
        self.with(|state| state.program.memories[memory].name.clone())
    }

    pub(super) fn add_array(self, name: &str, element: ValueType, space: Space, length: usize) -> usize {
        if !(1..=i32::MAX as usize).contains(&length) {
            self.fail(BuildError::Length { name: name.to_owned(), length });
        }
        self.add_memory(Memory { name: name.to_owned(), element, space, access: Access::ReadWrite, length })
    }

    /// Refuses a constant index outside of an array, or between aligned vectors.
    pub(super) fn check_index(self, memory: usize, index: Id, width: usize, alignment: Alignment) {
        let Some(index) = self.constant_of(index).and_then(Constant::integer) else { return };
        let (name, length, global) = self.with(|state| {
            let memory = &state.program.memories[memory];
            (memory.name.clone(), memory.length, memory.space == Space::Global)
        });
        let outside = |index: usize| !global && index.checked_add(width).is_none_or(|end| end > length);
        if usize::try_from(index).map_or(true, outside) {
            self.fail(BuildError::Index { name, index, length });
        } else if alignment == Alignment::Vector && index % width as i64 != 0 {
            self.fail(BuildError::Misaligned { name, index, lanes: width });
        }
    }

    /// A load of `lanes` elements of a scalar memory, or of one element. Half precision gives `f32`.
    pub(super) fn load(self, memory: usize, index: Id, lanes: usize, alignment: Alignment) -> Id {
        let element = self.with(|state| state.program.memories[memory].element);
        let width = lanes / element.lanes;
        // An access to one element has its alignment anyway.
        let alignment = if width == 1 { Alignment::Element } else { alignment };
        self.check_index(memory, index, width, alignment);
        self.emit_as(Op::Load(memory, index, alignment), ValueType::vector(element.scalar.loaded(), lanes))
    }

    /// A store of a value to an element, or to as many elements as it has lanes.
    pub(super) fn store(self, memory: usize, index: Id, value: Id, mode: StoreMode) {
        let (element, lanes) = (self.with(|state| state.program.memories[memory].element), self.type_of(value).lanes);
        let width = lanes / element.lanes;
        let alignment = if width == 1 { Alignment::Element } else { mode.alignment };
        self.check_index(memory, index, width, alignment);
        self.push(Statement::Store(memory, index, value, StoreMode { alignment, ..mode }));
    }
}

impl<'k, T: Stored, A> Array<'k, T, A> {
    const fn new(builder: Builder<'k>, memory: usize) -> Self {
        Array { builder, memory, marks: PhantomData }
    }

    pub(super) const fn builder(self) -> Builder<'k> {
        self.builder
    }

    pub(super) fn name(self) -> String {
        self.builder.name_of(self.memory)
    }
}

impl<'k, T: Stored, A: Readable> Array<'k, T, A> {
    /// The element at an index.
    pub fn at(self, index: impl IntoIndex<'k>) -> Expr<'k, T::Value> {
        let index = index.into_index(self.builder);
        let id = self.builder.load(self.memory, index, T::STORED.lanes, Alignment::Element);
        Expr::new(self.builder, self.builder.converted(id, T::Value::TYPE.scalar, false))
    }
}

impl<'k, T: Stored, A: Writable> Array<'k, T, A> {
    /// Writes the element at an index.
    pub fn store(self, index: impl IntoIndex<'k>, value: impl IntoExpr<'k, T::Value>) {
        self.store_as(index, value, StoreMode::default());
    }

    /// Writes the element at an index past the caches where the device can: nobody reads it soon.
    pub fn store_streaming(self, index: impl IntoIndex<'k>, value: impl IntoExpr<'k, T::Value>) {
        self.store_as(index, value, StoreMode { streaming: true, ..StoreMode::default() });
    }

    fn store_as<V: Type>(self, index: impl IntoIndex<'k>, value: impl IntoExpr<'k, V>, mode: StoreMode) {
        let index = index.into_index(self.builder);
        let value = value.into_expr(self.builder).id;
        // A half stays a float until the store rounds it.
        let scalar = if T::STORED.scalar == ScalarType::F16 { ScalarType::F32 } else { T::STORED.scalar };
        self.builder.store(self.memory, index, self.builder.converted(value, scalar, false), mode);
    }
}

impl<'k, T: Stored, A: Readable> Array<'k, T, A>
where
    T::Value: LaneType,
{
    /// Loads `N` elements from an index on, without alignment.
    pub fn vector_at<const N: usize>(self, index: impl IntoIndex<'k>) -> Expr<'k, Vector<T::Value, N>> {
        let index = index.into_index(self.builder);
        Expr::new(self.builder, self.builder.load(self.memory, index, N, Alignment::Element))
    }

    /// Loads `N` elements from an index on that is a multiple of `N`. The buffer begins at a multiple of their size.
    pub fn aligned_vector_at<const N: usize>(self, index: impl IntoIndex<'k>) -> Expr<'k, Vector<T::Value, N>> {
        let index = index.into_index(self.builder);
        Expr::new(self.builder, self.builder.load(self.memory, index, N, Alignment::Vector))
    }
}

impl<'k, T: Stored, A: Writable> Array<'k, T, A>
where
    T::Value: LaneType,
{
    /// Stores `N` elements from an index on, without alignment.
    pub fn store_vector<const N: usize>(
        self,
        index: impl IntoIndex<'k>,
        value: impl IntoExpr<'k, Vector<T::Value, N>>,
    ) {
        self.store_as(index, value, StoreMode::default());
    }

    /// Stores `N` elements from an index on that is a multiple of `N`. The buffer begins at a multiple of their size.
    pub fn store_aligned_vector<const N: usize>(
        self,
        index: impl IntoIndex<'k>,
        value: impl IntoExpr<'k, Vector<T::Value, N>>,
    ) {
        self.store_as(index, value, StoreMode { alignment: Alignment::Vector, streaming: false });
    }

    /// Stores an aligned vector past the caches where the device can: nobody reads it soon.
    pub fn store_streaming_vector<const N: usize>(
        self,
        index: impl IntoIndex<'k>,
        value: impl IntoExpr<'k, Vector<T::Value, N>>,
    ) {
        self.store_as(index, value, StoreMode { alignment: Alignment::Vector, streaming: true });
    }
}

macro_rules! atomics {
    ($($method:ident $op:ident $text:literal),*) => { $(
        #[doc = concat!($text, ", as one step that no other work-item comes between; the old value.")]
        pub fn $method(self, index: impl IntoIndex<'k>, value: impl IntoExpr<'k, T>) -> Expr<'k, T> {
            let value = value.into_expr(self.builder).id;
            self.atomic(AtomicOp::$op, index, vec![value])
        }
    )* };
}

impl<'k, T: Atomic> Array<'k, T, ReadWrite> {
    atomics!(
        atomic_add Add "Adds to an element", atomic_min Min "Makes an element the smaller of it and `value`",
        atomic_max Max "Makes an element the larger of it and `value`", atomic_exchange Exchange "Replaces an element"
    );

    /// Atomic compare-and-exchange; returns the old value.
    pub fn atomic_compare_exchange(
        self,
        index: impl IntoIndex<'k>,
        expected: impl IntoExpr<'k, T>,
        value: impl IntoExpr<'k, T>,
    ) -> Expr<'k, T> {
        let values = vec![expected.into_expr(self.builder).id, value.into_expr(self.builder).id];
        self.atomic(AtomicOp::CompareExchange, index, values)
    }

    fn atomic(self, op: AtomicOp, index: impl IntoIndex<'k>, values: Vec<Id>) -> Expr<'k, T> {
        let index = index.into_index(self.builder);
        Expr::new(self.builder, self.builder.atomic(op, self.memory, index, values))
    }
}

impl Builder<'_> {
    pub(super) fn atomic(self, op: AtomicOp, memory: usize, index: Id, values: Vec<Id>) -> Id {
        let (name, space, element) = self.with(|state| {
            let memory = &state.program.memories[memory];
            (memory.name.clone(), memory.space, memory.element)
        });
        if space == Space::Private {
            // A private array needs no atomic operation.
            self.fail(BuildError::PrivateAtomic(name));
        }
        self.check_index(memory, index, 1, Alignment::Element);
        self.forget_memory_of(memory);
        self.emit_as(Op::Atomic(op, memory, index, values), element)
    }
}
