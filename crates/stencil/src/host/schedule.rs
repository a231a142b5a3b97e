//! A sweep by the loops of a strategy that is a text: the outermost parallel loop's iterations go to threads.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use affinimath_core::threads;

use super::space::Space;
use super::worker::{Pass, Worker};
use crate::definition::MAX_AXES;
use crate::schedule::{Loop, Node, Parallel, Tree, values};

/// Blocks of rows for a thread: enough for threads that are interrupted.
const BLOCKS: usize = 8;

/// Executes a pass over the domain. The number of the first point at which it fails, if there is one.
pub(super) fn execute(pass: &Pass<'_>, tree: &Tree) -> Option<u64> {
    let mut walk = Walk { pass, worker: Worker::new(pass), variables: vec![0; tree.variables], is_parallel: true };
    walk.nodes(&tree.nodes);
    let failure = pass.failure.load(Ordering::Relaxed);
    (failure != u64::MAX).then_some(failure)
}

/// A thread at its place in the loops.
struct Walk<'p> {
    pass: &'p Pass<'p>,
    worker: Worker<'p>,
    variables: Vec<i64>,
    /// No parallel loop is around.
    is_parallel: bool,
}

impl Walk<'_> {
    fn nodes(&mut self, nodes: &[Node]) {
        nodes.iter().for_each(|node| self.node(node));
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Set { variable, value } => self.variables[*variable] = value.value(&self.variables).unwrap_or(0),
            Node::If { condition, then, otherwise } => {
                let is_true = condition.value(&self.variables).unwrap_or(false);
                self.nodes(if is_true { then } else { otherwise });
            }
            Node::Loop(own) => self.repeat(own),
            Node::Apply { ranges, parallel, .. } => {
                let Some(rows) = values(ranges, &self.variables).and_then(|block| Rows::new(self.pass.space, &block))
                else {
                    return;
                };
                match parallel.filter(|_| self.is_parallel) {
                    None => rows.visit(0..rows.count(), &mut self.worker),
                    Some(parallel) => self.share_rows(&rows, parallel),
                }
            }
        }
    }

    fn repeat(&mut self, own: &Loop) {
        let iterations = own.iterations(&self.variables);
        let count = iterations.count();
        let Some(Parallel { threads, chunk }) = own.parallel.filter(|_| self.is_parallel && count > 1) else {
            for number in 0..count {
                iterations.enter(number, &mut self.variables);
                self.nodes(&own.body);
            }
            return;
        };
        deal(count, chunk, threads, |next| {
            let mut walk = Walk {
                pass: self.pass,
                worker: Worker::new(self.pass),
                variables: self.variables.clone(),
                is_parallel: false,
            };
            while let Some(chunk) = next() {
                for number in chunk {
                    iterations.enter(number, &mut walk.variables);
                    walk.nodes(&own.body);
                }
            }
        });
    }

    /// The rows of a parallel loop over points. A chunk of points is one of whole rows.
    fn share_rows(&self, rows: &Rows<'_>, parallel: Parallel) {
        let even = rows.count().div_ceil(BLOCKS * threads::available());
        let chunk = parallel.chunk.div_ceil(rows.points().max(1)).max(even).max(1);
        deal(rows.count(), chunk, parallel.threads, |next| {
            let mut worker = Worker::new(self.pass);
            while let Some(chunk) = next() {
                rows.visit(chunk, &mut worker);
            }
        });
    }
}

/// Deals chunks of consecutive numbers to threads, in their order.
fn deal(
    count: usize,
    chunk: usize,
    most: Option<usize>,
    work: impl Fn(&mut dyn FnMut() -> Option<Range<usize>>) + Sync,
) {
    let taken = AtomicUsize::new(0);
    let chunks = count.div_ceil(chunk);
    let workers = threads::available().min(most.unwrap_or(usize::MAX)).min(chunks);
    threads::for_each(workers, |_| {
        work(&mut || {
            let own = taken.fetch_add(1, Ordering::Relaxed);
            (own < chunks).then(|| own * chunk..count.min((own + 1).saturating_mul(chunk)))
        });
    });
}

/// The rows of a box of a pass.
struct Rows<'s> {
    space: &'s Space,
    first: [i64; MAX_AXES],
    counts: [usize; MAX_AXES],
}

impl<'s> Rows<'s> {
    /// None where the box is empty.
    fn new(space: &'s Space, block: &[(i64, i64)]) -> Option<Self> {
        let (mut first, mut counts) = (space.lower, space.lengths);
        for (axis, &(from, to)) in block.iter().enumerate() {
            first[axis] = from;
            counts[axis] = usize::try_from(to.checked_sub(from)?.checked_add(1)?).ok().filter(|&count| count > 0)?;
        }
        Some(Rows { space, first, counts })
    }

    /// Points of a row.
    fn points(&self) -> usize {
        self.counts[self.space.axis]
    }

    fn count(&self) -> usize {
        (0..MAX_AXES).filter(|&axis| axis != self.space.axis).map(|axis| self.counts[axis]).product()
    }

    /// Executes some rows, the first of their axes fastest.
    fn visit(&self, rows: Range<usize>, worker: &mut Worker<'_>) {
        let own = self.space.axis;
        let from = (self.first[own] - self.space.lower[own]) as usize;
        let mut cell = self.first;
        let mut rest = rows.start;
        for axis in (0..MAX_AXES).filter(|&axis| axis != own) {
            cell[axis] += (rest % self.counts[axis]) as i64;
            rest /= self.counts[axis];
        }
        cell[own] = self.space.lower[own];
        for _ in rows {
            worker.row_at(cell, 0, (from, from + self.points()));
            for axis in (0..MAX_AXES).filter(|&axis| axis != own) {
                cell[axis] += 1;
                if cell[axis] < self.first[axis] + self.counts[axis] as i64 {
                    break;
                }
                cell[axis] = self.first[axis];
            }
        }
    }
}
