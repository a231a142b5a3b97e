//! Arguments, buffers in global memory, and arrays in local and private memory.

use std::marker::PhantomData;

use super::builder::Builder;
use super::error::BuildError;
use super::expr::{Expr, IntoExpr, Var};
use super::ir::{Access, AtomicOp, Id, Memory, Op, Parameter, Space, Statement};
use super::types::{Atomic, Counter, Element, LaneType, ScalarKind, Vector};

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
        let index = self.with(|state| state.program.parameters.len());
        let expr = self.emit::<T>(Op::Argument(index));
        let name = self.unique(name);
        self.with(|state| {
            state.program.nodes[expr.id].name = Some(name);
            state.program.parameters.push(Parameter::Scalar(expr.id));
        });
        expr
    }

    /// A read-only buffer. No written buffer of a launch may overlap it.
    pub fn input<T: Element>(self, name: &str) -> Array<'k, T, ReadOnly> {
        self.global(name, Access::Read)
    }

    /// A write-only buffer. No other buffer of a launch may overlap it.
    pub fn output<T: Element>(self, name: &str) -> Array<'k, T, WriteOnly> {
        self.global(name, Access::Write)
    }

    /// A read-write buffer. No other buffer of a launch may overlap it.
    pub fn in_out<T: Element>(self, name: &str) -> Array<'k, T, ReadWrite> {
        self.global(name, Access::ReadWrite)
    }

    fn global<T: Element, A>(self, name: &str, access: Access) -> Array<'k, T, A> {
        let array = self.array(name, Space::Global, access, 0);
        self.with(|state| state.program.parameters.push(Parameter::Memory(array.memory)));
        array
    }

    /// An array in local memory, uninitialised.
    pub fn local<T: Element>(self, name: &str, length: usize) -> Array<'k, T, ReadWrite> {
        self.array(name, Space::Local, Access::ReadWrite, length)
    }

    /// An array in private memory, uninitialised, for run-time indices. For constant indices a Rust array of
    /// expressions is better.
    pub fn private<T: Element>(self, name: &str, length: usize) -> Array<'k, T, ReadWrite> {
        self.array(name, Space::Private, Access::ReadWrite, length)
    }

    fn array<T: Element, A>(self, name: &str, space: Space, access: Access, length: usize) -> Array<'k, T, A> {
        if space != Space::Global && !(1..=i32::MAX as usize).contains(&length) {
            self.fail(BuildError::Length { name: name.to_owned(), length });
        }
        let memory = self.add_memory(Memory { name: name.to_owned(), element: T::TYPE, space, access, length });
        Array { builder: self, memory, marks: PhantomData }
    }
}

impl<'k, T: Element, A> Array<'k, T, A> {
    fn index(self, index: impl IntoIndex<'k>, width: usize) -> Id {
        let id = index.into_index(self.builder);
        if let Some(index) = self.builder.constant_of(id).and_then(super::constant::Constant::integer) {
            let (name, length, global) = self.builder.with(|state| {
                let memory = &state.program.memories[self.memory];
                (memory.name.clone(), memory.length, memory.space == Space::Global)
            });
            if index < 0 || (!global && index as usize + width > length) {
                self.builder.fail(BuildError::Index { name, index, length });
            }
        }
        id
    }
}

impl<'k, T: Element, A: Readable> Array<'k, T, A> {
    /// The element at an index.
    pub fn at(self, index: impl IntoIndex<'k>) -> Expr<'k, T> {
        let index = self.index(index, 1);
        self.builder.emit(Op::Load(self.memory, index))
    }
}

impl<'k, T: Element, A: Writable> Array<'k, T, A> {
    /// Writes the element at an index.
    pub fn store(self, index: impl IntoIndex<'k>, value: impl IntoExpr<'k, T>) {
        let index = self.index(index, 1);
        let value = value.into_expr(self.builder);
        self.builder.push(Statement::Store(self.memory, index, value.id));
    }
}

impl<'k, T: LaneType, A: Readable> Array<'k, T, A> {
    /// Loads `N` elements from an index on, without alignment.
    pub fn vector_at<const N: usize>(self, index: impl IntoIndex<'k>) -> Expr<'k, Vector<T, N>> {
        let index = self.index(index, N);
        self.builder.emit(Op::Load(self.memory, index))
    }
}

impl<'k, T: LaneType, A: Writable> Array<'k, T, A> {
    /// Stores `N` elements from an index on, without alignment.
    pub fn store_vector<const N: usize>(self, index: impl IntoIndex<'k>, value: impl IntoExpr<'k, Vector<T, N>>) {
        let index = self.index(index, N);
        let value = value.into_expr(self.builder);
        self.builder.push(Statement::Store(self.memory, index, value.id));
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
        let private = self.builder.with(|state| state.program.memories[self.memory].space == Space::Private);
        if private {
            // A private array needs no atomic operation.
            let name = self.builder.with(|state| state.program.memories[self.memory].name.clone());
            self.builder.fail(BuildError::PrivateAtomic(name));
        }
        let index = self.index(index, 1);
        self.builder.forget_memory_of(self.memory);
        self.builder.emit(Op::Atomic(op, self.memory, index, values))
    }
}
