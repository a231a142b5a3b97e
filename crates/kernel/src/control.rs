//! Branches, loops, barriers, the queries of work-items, and functions.

use std::marker::PhantomData;

use super::builder::Builder;
use super::constant::Constant;
use super::error::BuildError;
use super::expr::{Expr, IntoExpr};
use super::ir::{Function as FunctionBody, Id, Node, Op, Query, Statement};
use super::types::{Counter, Element, Index, LaneType, ScalarKind, ValueType};

/// Limit of unrolled iterations: more are a mistake in the program that builds the kernel.
const MOST_UNROLLED: i64 = 4096;

impl<'k> Builder<'k> {
    /// `if` without `else`. The closure's result is discarded.
    pub fn when<V>(self, condition: Expr<'k, bool>, then: impl FnOnce() -> V) {
        self.if_else(condition, then, || {});
    }

    /// `if` with `else`.
    pub fn if_else<V, W>(self, condition: Expr<'k, bool>, then: impl FnOnce() -> V, otherwise: impl FnOnce() -> W) {
        let (then, _) = self.block(false, then);
        let (otherwise, _) = self.block(false, otherwise);
        self.push(Statement::If { condition: condition.id, then, otherwise });
    }

    /// A `while` loop. Values that change between iterations are in variables.
    pub fn repeat_while<V>(self, condition: impl FnOnce() -> Expr<'k, bool>, body: impl FnOnce() -> V) {
        self.forget_memory();
        let (test, condition) = self.block(false, condition);
        let (body, _) = self.block(false, body);
        self.forget_memory();
        self.push(Statement::While { test, condition: condition.id, body });
    }

    /// The integers from `from` to `to`, exclusive; [`Range::each`] makes the loop.
    pub fn range<T: Counter>(self, from: impl IntoExpr<'k, T>, to: impl IntoExpr<'k, T>) -> Range<'k, T> {
        Range { from: from.into_expr(self), to: to.into_expr(self), step: self.value(T::whole(1)), unroll: false }
    }

    /// A work-group barrier that orders local memory.
    pub fn barrier(self) {
        self.push(Statement::Barrier { global: false });
    }

    /// A work-group barrier that orders local and global memory.
    pub fn global_barrier(self) {
        self.push(Statement::Barrier { global: true });
    }

    pub(super) fn add_counter(self, name: &str, value_type: ValueType) -> Id {
        let counter = self.emit_as(Op::Counter, value_type);
        let name = self.unique(name);
        self.with(|state| state.program.nodes[counter].name = Some(name));
        counter
    }

    pub(super) fn query(self, query: Query, dimension: usize) -> Expr<'k, Index> {
        if dimension > 2 {
            self.fail(BuildError::Dimension(dimension));
        }
        let group = self.with(|state| state.program.group);
        match group {
            Some(sizes) if query == Query::LocalSize && dimension < 3 => self.value(sizes[dimension]),
            _ => self.emit(Op::Query(query, dimension)),
        }
    }

    /// The global id in a dimension.
    pub fn global_id(self, dimension: usize) -> Expr<'k, Index> {
        self.query(Query::GlobalId, dimension)
    }

    /// The local id in a dimension.
    pub fn local_id(self, dimension: usize) -> Expr<'k, Index> {
        self.query(Query::LocalId, dimension)
    }

    /// The group id in a dimension.
    pub fn group_id(self, dimension: usize) -> Expr<'k, Index> {
        self.query(Query::GroupId, dimension)
    }

    /// The global size in a dimension.
    pub fn global_size(self, dimension: usize) -> Expr<'k, Index> {
        self.query(Query::GlobalSize, dimension)
    }

    /// The local size in a dimension; a constant after [`Builder::group_size`].
    pub fn local_size(self, dimension: usize) -> Expr<'k, Index> {
        self.query(Query::LocalSize, dimension)
    }

    /// The number of groups in a dimension.
    pub fn group_count(self, dimension: usize) -> Expr<'k, Index> {
        self.query(Query::GroupCount, dimension)
    }

    /// A pure helper function of up to four scalars.
    pub fn function<P: Parameters<'k>, R: ScalarKind + Element>(
        self,
        name: &str,
        body: impl FnOnce(P) -> Expr<'k, R>,
    ) -> Function<'k, P, R> {
        let name = self.unique(name);
        let parameters = P::declare(self);
        let ids = parameters.ids();
        let (body, result) = self.block(true, || body(parameters));
        let result = result.id;
        Function::new(self, self.add_function(FunctionBody { name, parameters: ids, body, result, foreign: None }))
    }

    pub(super) fn add_function(self, function: FunctionBody) -> usize {
        let is_pure = self.with(|state| {
            let nodes = &state.program.nodes;
            function.body.iter().all(|statement| matches!(statement, Statement::Let(id) if is_value(&nodes[*id])))
        });
        if !is_pure {
            self.fail(BuildError::Impure(function.name.clone()));
        }
        self.with(|state| {
            state.program.functions.push(function);
            state.program.functions.len() - 1
        })
    }
}

fn is_value(node: &Node) -> bool {
    node.op.is_pure() && !matches!(node.op, Op::Query(..))
}

/// The integers of a loop.
pub struct Range<'k, T> {
    from: Expr<'k, T>,
    to: Expr<'k, T>,
    step: Expr<'k, T>,
    unroll: bool,
}

impl<'k, T: Counter> Range<'k, T> {
    /// Sets the step, which is at least 1.
    #[must_use]
    pub fn step_by(self, step: impl IntoExpr<'k, T>) -> Self {
        Range { step: step.into_expr(self.from.builder), ..self }
    }

    /// Unrolls the loop; bounds and step have to be constants.
    #[must_use]
    pub fn unroll(self, unroll: bool) -> Self {
        Range { unroll, ..self }
    }

    /// Makes the loop: `body` takes the counter, or each constant of an unrolled loop.
    pub fn each<V>(self, name: &str, mut body: impl FnMut(Expr<'k, T>) -> V) {
        let builder = self.from.builder;
        if let Some(step) = constant(self.step).filter(|step| *step < 1) {
            return builder.fail(BuildError::Step(step));
        }
        let body = |counter| {
            body(counter);
        };
        if self.unroll { self.each_unrolled(body) } else { self.each_in_turn(name, body) }
    }

    fn each_in_turn(self, name: &str, mut body: impl FnMut(Expr<'k, T>)) {
        let builder = self.from.builder;
        let counter = Expr::<T>::new(builder, builder.add_counter(name, T::TYPE));
        builder.forget_memory();
        let (block, ()) = builder.block(false, || body(counter));
        builder.forget_memory();
        let (from, to, step) = (self.from.id, self.to.id, self.step.id);
        builder.push(Statement::For { counter: counter.id, from, to, step, body: block });
    }

    fn each_unrolled(self, mut body: impl FnMut(Expr<'k, T>)) {
        let builder = self.from.builder;
        match (constant(self.from), constant(self.to), constant(self.step)) {
            (Some(from), Some(to), Some(step)) if to.saturating_sub(from) / step <= MOST_UNROLLED => {
                let step = usize::try_from(step).unwrap_or(usize::MAX);
                (from..to).step_by(step).for_each(|number| body(builder.value::<i64>(number).to()));
            }
            _ => builder.fail(BuildError::Unroll),
        }
    }
}

fn constant<T: Counter>(expr: Expr<'_, T>) -> Option<i64> {
    expr.builder.constant_of(expr.id)?.integer()
}

/// A helper function of a kernel.
pub struct Function<'k, P, R> {
    builder: Builder<'k>,
    function: usize,
    types: PhantomData<fn(P) -> R>,
}

impl<P, R> Clone for Function<'_, P, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, R> Copy for Function<'_, P, R> {}

impl<'k, P: Parameters<'k>, R: ScalarKind + Element> Function<'k, P, R> {
    pub(super) const fn new(builder: Builder<'k>, function: usize) -> Self {
        Function { builder, function, types: PhantomData }
    }

    /// Calls the function.
    pub fn call(self, arguments: P) -> Expr<'k, R> {
        self.builder.emit(Op::Call(self.function, arguments.ids()))
    }
}

mod sealed {
    pub trait Sealed {}
}

/// Arguments of a function: a tuple of one to four scalar expressions.
pub trait Parameters<'k>: sealed::Sealed + Copy {
    /// The tuple of Rust's values.
    type Values;

    #[doc(hidden)]
    fn values(constants: &[Constant]) -> Self::Values;
    #[doc(hidden)]
    fn declare(builder: Builder<'k>) -> Self;
    #[doc(hidden)]
    fn ids(self) -> Vec<Id>;
}

macro_rules! parameters {
    ($($type:ident $name:ident),*) => {
        impl<$($type: LaneType),*> sealed::Sealed for ($(Expr<'_, $type>,)*) {}
        impl<'k, $($type: LaneType),*> Parameters<'k> for ($(Expr<'k, $type>,)*) {
            type Values = ($($type,)*);

            fn values(constants: &[Constant]) -> Self::Values {
                let [$($name),*] = constants else { return ($($type::whole(0),)*) };
                ($($type::from_constant(*$name),)*)
            }

            fn declare(builder: Builder<'k>) -> Self {
                ($(builder.emit::<$type>(Op::Parameter),)*)
            }

            fn ids(self) -> Vec<Id> {
                let ($($name,)*) = self;
                vec![$($name.id),*]
            }
        }
    };
}

parameters!(A a);
parameters!(A a, B b);
parameters!(A a, B b, C c);
parameters!(A a, B b, C c, D d);
