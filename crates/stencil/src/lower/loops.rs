//! The kernel of a strategy's parallel loop: groups, work-items and loops.
//!
//! ```text
//!   parallel                      a work-item has some iterations, or on a CPU device a group of one work-item
//!   parallel within parallel      a group has iterations of the outer loop, its work-items those of the inner one
//!   other loops                   loops of a work-item
//! ```

use std::cell::RefCell;
use std::collections::HashMap;

use affinimath_array::lower::operations::V;
use affinimath_kernel::dynamic::{BinaryOp, Query, Variable};

use super::generator::{Generator, Point};
use super::{Abilities, Form, KernelArgument};
use crate::analysis::values as values_of;
use crate::definition::{MAX_AXES, Statement};
use crate::run::Colour;
use crate::schedule::{
    Comparison, Function, Iterations, Loop, LoopKind, Node, Operator, Parallel, Ranges, Scalar, Truth,
};

/// Work-items of a group that shares an iteration.
const SHARED_ITEMS: usize = 128;
/// Work-items of a group where each has iterations of its own.
const OWN_ITEMS: usize = 64;
/// The most work-items or groups that iterations are dealt to: others are done by a loop.
const MAX_WORKERS: usize = 1 << 24;

/// The form of a parallel loop on a device.
#[derive(Clone, Copy)]
struct Dealing {
    /// Work-items of a group share an iteration.
    is_shared: bool,
    items: usize,
    /// Groups take iterations, not work-items.
    has_groups: bool,
}

impl Dealing {
    fn new(own: &Loop, device: Abilities) -> Self {
        let is_shared = device.form == Form::Points && own.body.iter().any(Node::has_parallel);
        let items = match device.form {
            Form::Rows => 1,
            Form::Points if is_shared => SHARED_ITEMS,
            Form::Points => OWN_ITEMS,
        };
        Dealing { is_shared, items: items.min(device.max_items), has_groups: is_shared || device.form == Form::Rows }
    }
}

/// Groups and work-items of a parallel loop's launch; none where it has no iterations.
pub(crate) fn loop_groups(own: &Loop, variables: &[i64], device: Abilities) -> Option<([usize; 3], [usize; 3])> {
    let iterations: Iterations<'_> = own.iterations(variables);
    let Parallel { threads, chunk } = own.parallel?;
    let workers = iterations.count().div_ceil(chunk).min(threads.unwrap_or(MAX_WORKERS)).min(MAX_WORKERS);
    let dealing = Dealing::new(own, device);
    let groups = if dealing.has_groups { workers } else { workers.div_ceil(dealing.items) };
    (groups > 0).then_some(([groups, 1, 1], [dealing.items, 1, 1]))
}

/// A variable of loops in the kernel.
#[derive(Clone, Copy)]
enum Slot<'k> {
    Value(V<'k>),
    Mutable(Variable<'k>),
}

/// The loops of a kernel under construction.
struct Loops<'a, 'g, 'k> {
    g: &'a Generator<'g, 'k>,
    statements: &'a [Statement],
    colour: Option<Colour>,
    lanes: usize,
    slots: RefCell<Vec<Option<Slot<'k>>>>,
    /// Variables of last coordinates that are those of first ones.
    singles: RefCell<HashMap<usize, usize>>,
}

impl<'k> Generator<'_, 'k> {
    /// A parallel loop of the plan's strategy.
    pub(super) fn loops(&self, stage: usize, colour: Option<Colour>, number: usize) {
        let tree = self.schedule.expect("the plan has a strategy of loops");
        let own = tree.find(number).expect("a loop of the strategy");
        let statements = &self.stencil().stages()[stage].statements;
        let graph = self.stencil().graph();
        let kinds = graph.reachable(values_of(statements)).into_iter().map(|each| graph.type_of(each));
        let lanes = if colour.is_some() { 1 } else { self.lanes(kinds) };
        let slots = RefCell::new(vec![None; tree.variables]);
        let dealing = Dealing::new(own, self.device);
        let loops = Loops { g: self, statements, colour, lanes, slots, singles: RefCell::default() };
        let (id, size) = match dealing.has_groups {
            true => (Query::GroupId, Query::GroupCount),
            false => (Query::GlobalId, Query::GlobalSize),
        };
        let Some(Parallel { threads, chunk }) = own.parallel else { return };
        let worker = self.query_index(id, 0);
        let step =
            threads.map_or_else(|| self.query_index(size, 0), |threads| self.index(threads.min(MAX_WORKERS) as i64));
        let deal = || {
            loops.deal(own, (worker, step), chunk, &|| loops.nodes(&own.body, dealing.is_shared));
        };
        match threads {
            // Groups are full.
            Some(threads) => self.e.when(self.less(worker, self.index(threads.min(MAX_WORKERS) as i64)), deal),
            None => deal(),
        }
    }
}

impl<'k> Loops<'_, '_, 'k> {
    fn scalar(&self, own: &Scalar) -> V<'k> {
        let g = self.g;
        match own {
            // What is beyond indices is in no iteration.
            Scalar::Number(number) if g.variant.is_wide => g.index(*number),
            Scalar::Number(number) => g.index((*number).clamp(i64::from(i32::MIN), i64::from(i32::MAX))),
            Scalar::Variable(variable) => match self.slots.borrow()[*variable] {
                Some(Slot::Value(value)) => value,
                Some(Slot::Mutable(own)) => g.e.get(own),
                None => g.value(KernelArgument::Loop(*variable)),
            },
            Scalar::Binary(function, operands) => {
                let (a, b) = (self.scalar(&operands.0), self.scalar(&operands.1));
                match function {
                    Function::Min => g.min(a, b),
                    Function::Max => g.max(a, b),
                    Function::Operator(Operator::Add) => g.add(a, b),
                    Function::Operator(Operator::Subtract) => g.subtract(a, b),
                    Function::Operator(Operator::Multiply) => g.multiply(a, b),
                    Function::Operator(Operator::Divide) => g.e.binary(BinaryOp::Div, a, b),
                    Function::Operator(Operator::Remainder) => g.e.binary(BinaryOp::Rem, a, b),
                }
            }
        }
    }

    fn truth(&self, own: &Truth) -> V<'k> {
        let g = self.g;
        match own {
            Truth::Compare(comparison, a, b) => {
                let operator = match comparison {
                    Comparison::Less => BinaryOp::Lt,
                    Comparison::LessOrEqual => BinaryOp::Le,
                    Comparison::Equal => BinaryOp::Eq,
                    Comparison::GreaterOrEqual => BinaryOp::Ge,
                    Comparison::Greater => BinaryOp::Gt,
                    Comparison::NotEqual => BinaryOp::Ne,
                };
                g.e.binary(operator, self.scalar(a), self.scalar(b))
            }
            Truth::And(both) => g.both(self.truth(&both.0), self.truth(&both.1)),
            Truth::Or(both) => g.e.binary(BinaryOp::Or, self.truth(&both.0), self.truth(&both.1)),
        }
    }

    fn set(&self, variable: usize, value: V<'k>) {
        self.slots.borrow_mut()[variable] = Some(Slot::Value(value));
    }

    fn nodes(&self, nodes: &[Node], is_shared: bool) {
        nodes.iter().for_each(|node| self.node(node, is_shared));
    }

    fn node(&self, node: &Node, is_shared: bool) {
        let g = self.g;
        match node {
            Node::Set { variable, value } => {
                let value = self.scalar(value);
                let slot = self.slots.borrow()[*variable];
                match slot {
                    Some(Slot::Mutable(own)) => g.e.set(own, value),
                    _ => {
                        let own = g.e.variable(&format!("v{variable}"), value);
                        self.slots.borrow_mut()[*variable] = Some(Slot::Mutable(own));
                    }
                }
            }
            Node::If { condition, then, otherwise } => {
                let condition = self.truth(condition);
                g.e.if_else(condition, || self.nodes(then, is_shared), || self.nodes(otherwise, is_shared));
            }
            Node::Loop(own) if is_shared && own.parallel.is_some() => {
                let own_items = (g.query_index(Query::LocalId, 0), g.query_index(Query::LocalSize, 0));
                let chunk = own.parallel.map_or(1, |parallel| parallel.chunk);
                self.deal(own, own_items, chunk, &|| self.nodes(&own.body, false));
            }
            Node::Loop(own) => self.repeat(own, is_shared),
            Node::Apply { ranges, .. } if is_shared => self.share(ranges),
            Node::Apply { ranges, .. } => self.apply(ranges),
        }
    }

    /// Deals iterations to workers, some consecutive ones at a time.
    fn deal(&self, own: &Loop, (worker, step): (V<'k>, V<'k>), chunk: usize, body: &dyn Fn()) {
        let g = self.g;
        let counts = self.counts(own);
        let all = counts.iter().copied().reduce(|a, b| g.multiply(a, b)).unwrap_or_else(|| g.index(0));
        if chunk == 1 {
            g.e.for_each("iteration", worker, all, step, |iteration| {
                self.enter(own, &counts, iteration);
                body();
            });
            return;
        }
        let width = g.index(i64::try_from(chunk).unwrap_or(i64::MAX).min(1 << 30));
        let less = g.subtract(width, g.index(1));
        let chunks = g.e.binary(BinaryOp::Div, g.add(all, less), width);
        g.e.for_each("chunk", worker, chunks, step, |chunk| {
            let first = g.multiply(chunk, width);
            let end = g.min(g.add(first, width), all);
            g.e.for_each("iteration", first, end, g.index(1), |iteration| {
                self.enter(own, &counts, iteration);
                body();
            });
        });
    }

    /// The number of iterations, by axis.
    fn counts(&self, own: &Loop) -> Vec<V<'k>> {
        let count = |first: &Scalar, last: &Scalar, step: &Scalar| {
            let length = last.clone().minus(first.clone()).plus(step.clone());
            let count = Scalar::binary(Function::Operator(Operator::Divide), length, step.clone());
            self.scalar(&Scalar::binary(Function::Max, count, Scalar::Number(0)))
        };
        match &own.kind {
            LoopKind::Counter { first, last, step, .. } => vec![count(first, last, &Scalar::Number(*step))],
            LoopKind::Boxes { ranges, sizes, .. } => {
                ranges.iter().zip(sizes).map(|((first, last), size)| count(first, last, size)).collect()
            }
        }
    }

    /// Sets the variables of an iteration.
    fn enter(&self, own: &Loop, counts: &[V<'k>], iteration: V<'k>) {
        let g = self.g;
        match &own.kind {
            LoopKind::Counter { variable, first, step, .. } => {
                let value = g.add(self.scalar(first), g.multiply(iteration, g.index(*step)));
                self.set(*variable, value);
            }
            LoopKind::Boxes { ranges, sizes, first, last } => {
                let mut rest = iteration;
                for axis in 0..ranges.len() {
                    let is_last = axis + 1 == ranges.len();
                    let own = if is_last { rest } else { g.e.binary(BinaryOp::Rem, rest, counts[axis]) };
                    if !is_last {
                        rest = g.e.binary(BinaryOp::Div, rest, counts[axis]);
                    }
                    let from = g.add(self.scalar(&ranges[axis].0), g.multiply(own, self.scalar(&sizes[axis])));
                    self.bounds((first[axis], last[axis]), &ranges[axis], &sizes[axis], from);
                }
            }
        }
    }

    /// Sets the first and the last coordinate of a box on an axis.
    fn bounds(&self, (first, last): (usize, usize), range: &(Scalar, Scalar), size: &Scalar, from: V<'k>) {
        self.set(first, from);
        self.set(last, self.end(range, size, from));
        if *size == Scalar::Number(1) {
            self.singles.borrow_mut().insert(last, first);
        }
    }

    /// A range has one coordinate.
    fn is_single(&self, first: &Scalar, last: &Scalar) -> bool {
        match (first, last) {
            (Scalar::Variable(first), Scalar::Variable(last)) => self.singles.borrow().get(last) == Some(first),
            _ => first == last,
        }
    }

    /// The last coordinate of a box.
    fn end(&self, (first, last): &(Scalar, Scalar), size: &Scalar, from: V<'k>) -> V<'k> {
        let g = self.g;
        let end = match size {
            Scalar::Number(1) => return from,
            size => g.add(from, g.subtract(self.scalar(size), g.index(1))),
        };
        match (first, last, size) {
            (Scalar::Number(first), Scalar::Number(last), Scalar::Number(size)) if (last - first + 1) % size == 0 => {
                end
            }
            _ => g.min(end, self.scalar(last)),
        }
    }

    /// A loop of a work-item.
    fn repeat(&self, own: &Loop, is_shared: bool) {
        let g = self.g;
        match &own.kind {
            LoopKind::Counter { variable, first, last, step } => {
                let end = g.add(self.scalar(last), g.index(1));
                g.e.for_each(
                    &format!("{}_{}", own.name, own.number),
                    self.scalar(first),
                    end,
                    g.index(*step),
                    |value| {
                        self.set(*variable, value);
                        self.nodes(&own.body, is_shared);
                    },
                );
            }
            LoopKind::Boxes { ranges, .. } => self.repeat_axis(own, ranges.len(), is_shared),
        }
    }

    /// Loops over boxes on the axes before one, the last of them outside.
    fn repeat_axis(&self, own: &Loop, axes: usize, is_shared: bool) {
        let LoopKind::Boxes { ranges, sizes, first, last } = &own.kind else { return };
        let Some(axis) = axes.checked_sub(1) else { return self.nodes(&own.body, is_shared) };
        let (g, (from, to), size) = (self.g, &ranges[axis], &sizes[axis]);
        if let (Scalar::Number(from), Scalar::Number(to), Scalar::Number(size)) = (from, to, size)
            && (0..*size).contains(&(to - from))
        {
            self.set(first[axis], g.index(*from));
            self.set(last[axis], g.index(*to));
            return self.repeat_axis(own, axis, is_shared);
        }
        let end = g.add(self.scalar(to), g.index(1));
        g.e.for_each(&format!("{}_{}", own.name, own.number), self.scalar(from), end, self.scalar(size), |value| {
            self.bounds((first[axis], last[axis]), &ranges[axis], size, value);
            self.repeat_axis(own, axis, is_shared);
        });
    }

    /// The point at coordinates on the stencil's axes.
    fn point(&self, coordinates: &[V<'k>], lanes: usize) -> Point<'k> {
        let mut local = [None; MAX_AXES];
        for (axis, &own) in coordinates.iter().enumerate() {
            local[axis] = Some(self.g.subtract(own, self.g.index(self.g.bound.lower()[axis])));
        }
        Point { local, lanes }
    }

    fn compute(&self, coordinates: &[V<'k>], lanes: usize) {
        self.g.statements(self.statements, &self.point(coordinates, lanes), false);
    }

    /// 0 where a point has the colour, else 1.
    fn skipped(&self, coordinates: &[V<'k>], colour: Colour) -> V<'k> {
        let g = self.g;
        let sum = coordinates.iter().copied().reduce(|a, b| g.add(a, b)).unwrap_or_else(|| g.index(0));
        g.e.binary(BinaryOp::And, g.add(sum, g.index(colour.parity())), g.index(1))
    }

    /// Work-items of a group take points by turns.
    fn share(&self, ranges: &Ranges) {
        let g = self.g;
        let one = Scalar::Number(1);
        let lengths = ranges.iter().map(|(first, last)| {
            let length = last.clone().minus(first.clone()).plus(one.clone());
            self.scalar(&Scalar::binary(Function::Max, length, Scalar::Number(0)))
        });
        let lengths: Vec<V<'k>> = lengths.collect();
        let all = lengths.iter().copied().reduce(|a, b| g.multiply(a, b)).unwrap_or_else(|| g.index(0));
        let (item, items) = (g.query_index(Query::LocalId, 0), g.query_index(Query::LocalSize, 0));
        g.e.for_each("number", item, all, items, |number| {
            let (mut rest, mut coordinates) = (number, Vec::new());
            for (axis, &length) in lengths.iter().enumerate() {
                let is_last = axis + 1 == lengths.len();
                let own = if is_last { rest } else { g.e.binary(BinaryOp::Rem, rest, length) };
                rest = if is_last { rest } else { g.e.binary(BinaryOp::Div, rest, length) };
                coordinates.push(g.add(self.scalar(&ranges[axis].0), own));
            }
            match self.colour {
                None => self.compute(&coordinates, 1),
                Some(colour) => {
                    let is_own = g.equal(self.skipped(&coordinates, colour), g.index(0));
                    g.e.when(is_own, || self.compute(&coordinates, 1));
                }
            }
        });
    }

    /// All points of a box.
    fn apply(&self, ranges: &Ranges) {
        self.apply_axis(ranges, Vec::new());
    }

    /// Loops over the axes before those of the coordinates, which are given last axis first.
    fn apply_axis(&self, ranges: &Ranges, behind: Vec<V<'k>>) {
        let axis = ranges.len() - behind.len() - 1;
        let (g, (first, last)) = (self.g, &ranges[axis]);
        let (from, to) = (self.scalar(first), self.scalar(last));
        let with = |own: V<'k>| {
            let all = [behind.clone(), vec![own]].concat();
            if axis > 0 { all } else { all.into_iter().rev().collect() }
        };
        let end = g.add(to, g.index(1));
        if axis > 0 {
            return match self.is_single(first, last) {
                true => self.apply_axis(ranges, with(from)),
                false => g.e.for_each("i", from, end, g.index(1), |own| self.apply_axis(ranges, with(own))),
            };
        }
        if let Some(colour) = self.colour {
            let start = g.add(from, self.skipped(&with(from), colour));
            return g.e.for_each("x", start, end, g.index(2), |own| self.compute(&with(own), 1));
        }
        if self.is_single(first, last) {
            return self.compute(&with(from), 1);
        }
        let mut done = from;
        if self.lanes > 1 {
            let count = g.max(g.subtract(end, from), g.index(0));
            let rest = g.e.binary(BinaryOp::Rem, count, g.index(self.lanes as i64));
            done = g.add(from, g.subtract(count, rest));
            let lanes = g.index(self.lanes as i64);
            g.e.for_each("x", from, done, lanes, |own| self.compute(&with(own), self.lanes));
        }
        g.e.for_each("x", done, end, g.index(1), |own| self.compute(&with(own), 1));
    }
}
