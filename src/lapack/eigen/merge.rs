//! Eigenvectors of a tridiagonal matrix by divide and conquer (Cuppen 1981; Gu and Eisenstat 1995; LAPACK: xSTEDC).
//!
//! The host deflates; the vectors stay on the device, which solves small parts and finds the roots:
//!
//! ```text
//!   leaves     Q := diag(Q1, Q2, ...), by QL iterations
//!   a level    z := rows of Q beside each cut, to the host; deflation; rotations of Q's columns
//!              Q' := columns of Q, grouped by the rows in which they are not zero
//!              roots of 1 + rho sum z² / (d - lambda); eigenvalues, to the host
//!              U := eigenvectors of D + rho z zᵀ, with Gu and Eisenstat's z
//!              Q := Q' U, as a product for each of the two parts
//! ```

use std::ops::Range;
use std::time::Instant;

use super::plan::{EigenPlan, MAX_LEAF};
use super::roots::{self, DeviceRoots, Equations, Root, THREADS};
use super::secular::{Precision, Rows, Update, deflate};
use crate::blas::level3::gemm::{Operand, Target};
use crate::context::{BufferParts, DeviceBuffer};
use crate::error::Result;
use crate::lapack::{Block, Executor};
use crate::launch::Launch;
use crate::program::Program;
use crate::scalar::Scalar;
use crate::threads;

/// Work-items of a group that moves rows.
const ROW_THREADS: usize = 256;

/// Two parts with a cut between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Node {
    start: usize,
    middle: usize,
    end: usize,
}

/// The parts that are not cut, and the merges of each level, from the lowest one up.
#[derive(Debug, Default)]
struct Tree {
    leaves: Vec<Range<usize>>,
    levels: Vec<Vec<Node>>,
}

impl Tree {
    fn new(n: usize, leaf: usize) -> Self {
        let mut tree = Tree::default();
        tree.cut(0..n, leaf.max(1));
        tree
    }

    /// Cuts a part, and gives the level of its vectors.
    fn cut(&mut self, part: Range<usize>, leaf: usize) -> usize {
        if part.len() <= leaf {
            self.leaves.push(part);
            return 0;
        }
        let middle = part.start + part.len() / 2;
        let level = self.cut(part.start..middle, leaf).max(self.cut(middle..part.end, leaf));
        if self.levels.len() == level {
            self.levels.push(Vec::new());
        }
        self.levels[level].push(Node { start: part.start, middle, end: part.end });
        level + 1
    }
}

/// Eigenvalues, the order of columns that makes them ascend, and the eigenvectors in the columns of an n x n matrix.
pub(super) struct Eigenvectors<R> {
    pub(super) values: Vec<R>,
    pub(super) order: Vec<i32>,
    pub(super) q: DeviceBuffer,
    pub(super) stride: usize,
}

/// The numbers of a level's merges, as its kernels take them.
struct Level<R> {
    nodes: Vec<i32>,
    pairs: Vec<i32>,
    rotations: Vec<R>,
    /// For each column: its source, and its rows, before the products and after them.
    sources: Vec<i32>,
    deflated: Vec<i32>,
    firsts: Vec<i32>,
    rows: Vec<i32>,
    poles: Vec<R>,
    z: Vec<R>,
    rhos: Vec<R>,
}

impl<R: Scalar> Level<R> {
    fn new(n: usize) -> Self {
        let (none, zeros) = ([-1, 0, 0].repeat(n), vec![R::ZERO; n]);
        Level {
            nodes: Vec::new(),
            pairs: Vec::new(),
            rotations: Vec::new(),
            sources: none.clone(),
            deflated: none,
            firsts: vec![0; 2 * n],
            rows: vec![0; n],
            poles: zeros.clone(),
            z: zeros.clone(),
            rhos: zeros,
        }
    }

    /// Adds a merge that has something to do, and its eigenvalues that are final.
    fn add(&mut self, node: Node, update: &Update, values: &mut [f64]) {
        let Node { start, middle, end } = node;
        let real = |value: f64| R::from_parts(value, 0.0);
        let first_rotation = self.pairs.len() / 2;
        for rotation in &update.rotations {
            self.pairs.extend(rotation.columns.map(|column| (start + column) as i32));
            self.rotations.extend([real(rotation.c), real(rotation.s)]);
        }
        let count = update.columns.len();
        let last_rotation = self.pairs.len() / 2;
        self.nodes.extend([start, middle, end, first_rotation, last_rotation].map(|number| number as i32));
        // Columns with the same rows are neighbours.
        let mut grouped: Vec<usize> = (0..count).collect();
        grouped.sort_by_key(|i| update.rows[*i]);
        let column = |source: usize| [start + source, start, end].map(|number| number as i32);
        for (rank, i) in grouped.into_iter().enumerate() {
            self.rows[start + i] = rank as i32;
            self.sources[3 * (start + rank)..][..3].copy_from_slice(&column(update.columns[i]));
        }
        let deflated: Vec<f64> = update.deflated.iter().map(|i| values[start + i]).collect();
        for (k, i) in update.deflated.iter().enumerate() {
            let to = count + k;
            self.sources[3 * (start + to)..][..3].copy_from_slice(&column(*i));
            self.deflated[3 * (start + to)..][..3].copy_from_slice(&column(to));
            values[start + to] = deflated[k];
        }
        for p in start..end {
            self.firsts[2 * p] = start as i32;
            self.firsts[2 * p + 1] = count as i32;
        }
        for j in 0..count {
            self.poles[start + j] = real(update.poles[j]);
            self.z[start + j] = real(update.z[j]);
            self.rhos[start + j] = real(update.rho);
        }
    }
}

/// Memory and kernels of the merges.
struct Merges<'m> {
    executor: &'m Executor<'m>,
    program: &'m Program,
    n: usize,
    stride: usize,
    q: &'m DeviceBuffer,
    grouped: DeviceBuffer,
    u: DeviceBuffer,
}

/// Eigenvalues and eigenvectors of the tridiagonal matrix with these elements; `None` where those of a part are not
/// found.
pub(super) fn eigenvectors<R: Scalar<RealScalar = R>>(
    executor: &Executor<'_>,
    plan: &EigenPlan,
    d: &[R],
    e: &[R],
) -> Result<Option<Eigenvectors<R>>> {
    let (n, queue) = (d.len(), executor.queue);
    let tree = Tree::new(n, plan.leaf.min(MAX_LEAF));
    let precision = Precision { epsilon: R::EPSILON / 2.0, round: |value| R::from_parts(value, 0.0).re() };
    let mut values: Vec<f64> = d.iter().map(|d| d.re()).collect();
    for node in tree.levels.iter().flatten() {
        let size = e[node.middle - 1].re().abs();
        for i in [node.middle - 1, node.middle] {
            values[i] = (precision.round)(values[i] - size);
        }
    }
    let bytes = n * n * size_of::<R>();
    let q = DeviceBuffer::for_step(queue, bytes)?;
    let program = roots::program::<R>(queue)?;
    let (grouped, u) = match tree.levels.len() {
        0 => (DeviceBuffer::for_step(queue, 1)?, DeviceBuffer::for_step(queue, 1)?),
        _ => (DeviceBuffer::for_step(queue, bytes)?, DeviceBuffer::for_step(queue, bytes)?),
    };
    let merges = Merges { executor, program: &program, n, stride: n, q: &q, grouped, u };
    if !merges.solve_leaves(&tree.leaves, &mut values, e)? {
        return Ok(None);
    }
    for level in &tree.levels {
        merges.merge(level, &mut values, e, precision)?;
    }
    drop(merges);
    let mut order: Vec<i32> = (0..n as i32).collect();
    order.sort_by(|i, j| values[*i as usize].total_cmp(&values[*j as usize]));
    let values = order.iter().map(|i| R::from_parts(values[*i as usize], 0.0)).collect();
    Ok(Some(Eigenvectors { values, order, q, stride: n }))
}

impl Merges<'_> {
    fn launch(&self, kernel: &'static str) -> Launch<'_> {
        Launch::new(self.executor.queue, self.program, kernel)
    }

    /// Numbers in workspace.
    fn upload<V: crate::scalar::Element>(&self, values: &[V]) -> Result<DeviceBuffer> {
        let buffer = DeviceBuffer::for_step(self.executor.queue, size_of_val(values).max(1))?;
        if !values.is_empty() {
            buffer.write(self.executor.queue, values)?;
        }
        Ok(buffer)
    }

    /// Eigenvalues of the parts in place of the diagonal, and their vectors in Q; false where one is not found.
    fn solve_leaves<R: Scalar<RealScalar = R>>(
        &self,
        leaves: &[Range<usize>],
        values: &mut [f64],
        e: &[R],
    ) -> Result<bool> {
        let start = Instant::now();
        self.launch("stedc_identity")
            .count(self.n)
            .buffer(self.q)
            .index(self.stride)
            .enqueue_step([self.n.div_ceil(ROW_THREADS), self.n, 1], [ROW_THREADS, 1, 1])?;
        let mut found: Vec<R> = values.iter().map(|d| R::from_parts(*d, 0.0)).collect();
        let rows: Vec<i32> = leaves.iter().flat_map(|part| [part.start as i32, part.end as i32]).collect();
        let (rows, d, e, failed) = (self.upload(&rows)?, self.upload(&found)?, self.upload(e)?, self.upload(&[0])?);
        self.launch("stedc_leaves")
            .buffer(&rows)
            .buffer(&d)
            .buffer(&e)
            .buffer(self.q)
            .index(self.stride)
            .buffer(&failed)
            .enqueue_step([leaves.len(), 1, 1], [MAX_LEAF, 1, 1])?;
        let mut has_failed = [0];
        d.read(self.executor.queue, &mut found)?;
        failed.read(self.executor.queue, &mut has_failed)?;
        tracing::debug!(leaves = leaves.len(), took = ?start.elapsed(), "stedc: leaves");
        values.iter_mut().zip(&found).for_each(|(value, found)| *value = found.re());
        Ok(has_failed == [0])
    }

    /// Merges the parts of a level.
    fn merge<R: Scalar<RealScalar = R>>(
        &self,
        nodes: &[Node],
        values: &mut [f64],
        e: &[R],
        precision: Precision,
    ) -> Result<()> {
        let start = Instant::now();
        let z = self.rows_at_cuts::<R>(nodes)?;
        let waited = start.elapsed();
        let given: &[f64] = values;
        let deflated = threads::map(nodes.len(), |k| {
            let Node { start, middle, end } = nodes[k];
            let mut d = given[start..end].to_vec();
            let update = deflate(&mut d, &z[start..end], middle - start, e[middle - 1].re(), precision);
            (update, d)
        });
        let mut level = Level::<R>::new(self.n);
        let mut merged = Vec::new();
        for (node, (update, d)) in nodes.iter().zip(deflated) {
            if update.columns.is_empty() {
                continue;
            }
            values[node.start..node.end].copy_from_slice(&d);
            level.add(*node, &update, values);
            merged.push((*node, update));
        }
        let count: usize = merged.iter().map(|(_, update)| update.columns.len()).sum();
        let on_host = start.elapsed() - waited;
        tracing::debug!(merges = nodes.len(), count, ?waited, ?on_host, "stedc: deflation of a level");
        if merged.is_empty() {
            return Ok(());
        }
        let longest = merged.iter().map(|(node, _)| node.end - node.start).max().unwrap_or(0);
        let roots = self.prepare(&level, merged.len(), longest)?;
        for (node, update) in &merged {
            let own = node.start..node.start + update.columns.len();
            for (value, root) in values[own.clone()].iter_mut().zip(&roots[own]) {
                *value = (precision.round)(update.poles[root.origin] + root.tau);
            }
        }
        for (node, update) in &merged {
            self.multiply::<R>(*node, update)?;
        }
        if merged.iter().any(|(_, update)| !update.deflated.is_empty()) {
            self.gather(&level.deflated, longest, &self.grouped, self.q)?;
        }
        Ok(())
    }

    /// The rows of Q beside each cut.
    fn rows_at_cuts<R: Scalar<RealScalar = R>>(&self, nodes: &[Node]) -> Result<Vec<f64>> {
        let numbers = nodes.iter().flat_map(|node| [node.start, node.middle, node.end, 0, 0].map(|i| i as i32));
        let numbers = self.upload(&numbers.collect::<Vec<_>>())?;
        let longest = nodes.iter().map(|node| node.end - node.start).max().unwrap_or(0);
        let z = DeviceBuffer::for_step(self.executor.queue, self.n * size_of::<R>())?;
        self.launch("stedc_rows")
            .buffer(&numbers)
            .buffer(self.q)
            .index(self.stride)
            .buffer(&z)
            .enqueue_step([longest.div_ceil(ROW_THREADS), nodes.len(), 1], [ROW_THREADS, 1, 1])?;
        let mut found = vec![R::ZERO; self.n];
        z.read(self.executor.queue, &mut found)?;
        Ok(found.into_iter().map(|z| z.re()).collect())
    }

    /// Rotates and groups columns, and finds the roots and vectors of the updates.
    fn prepare<R: Scalar>(&self, level: &Level<R>, merges: usize, longest: usize) -> Result<Vec<Root>> {
        let row_groups = longest.div_ceil(ROW_THREADS);
        if !level.pairs.is_empty() {
            let (nodes, pairs) = (self.upload(&level.nodes)?, self.upload(&level.pairs)?);
            let rotations = self.upload(&level.rotations)?;
            self.launch("stedc_rotate")
                .buffer(&nodes)
                .buffer(&pairs)
                .buffer(&rotations)
                .buffer(self.q)
                .index(self.stride)
                .enqueue_step([row_groups, merges, 1], [ROW_THREADS, 1, 1])?;
        }
        self.gather(&level.sources, longest, self.q, &self.grouped)?;
        let [firsts, rows] = [self.upload(&level.firsts)?, self.upload(&level.rows)?];
        let [poles, z] = [self.upload(&level.poles)?, self.upload(&level.z)?];
        let equations = Equations { firsts: &firsts, poles: &poles, z: &z, n: self.n };
        let roots = DeviceRoots::find(self.executor.queue, self.program, &equations, &level.rhos)?;
        let exact = DeviceBuffer::for_step(self.executor.queue, self.n * size_of::<R>())?;
        let with_roots =
            |kernel| self.launch(kernel).buffer(&firsts).buffer(&poles).buffer(&roots.origins).buffer(&roots.taus);
        let groups = ([self.n, 1, 1], [THREADS, 1, 1]);
        with_roots("stedc_loewner").buffer(&z).buffer(&exact).enqueue_step(groups.0, groups.1)?;
        with_roots("stedc_vectors")
            .buffer(&exact)
            .buffer(&rows)
            .buffer(&self.u)
            .index(self.stride)
            .enqueue_step(groups.0, groups.1)?;
        roots.read::<R>(self.executor.queue)
    }

    fn gather(&self, sources: &[i32], longest: usize, from: &DeviceBuffer, to: &DeviceBuffer) -> Result<()> {
        let sources = self.upload(sources)?;
        self.launch("stedc_gather")
            .buffer(&sources)
            .buffer(from)
            .buffer(to)
            .index(self.stride)
            .enqueue_step([longest.div_ceil(ROW_THREADS), self.n, 1], [ROW_THREADS, 1, 1])
    }

    /// Q := Q' U for a merge, in the columns that are not deflated.
    fn multiply<R: Scalar>(&self, node: Node, update: &Update) -> Result<()> {
        let Node { start, middle, end } = node;
        let count = update.columns.len();
        let [only_first, only_second] =
            [Rows::First, Rows::Second].map(|rows| update.rows.iter().filter(|own| **own == rows).count());
        let at = |memory, row: usize, column: usize| {
            Block::new(memory, Operand::general(column * self.stride + row, 1, self.stride))
        };
        let parts = [(start..middle, 0..count - only_second), (middle..end, only_first..count)];
        for (rows, columns) in parts {
            let target = at(self.q, rows.start, start);
            if columns.is_empty() {
                self.executor.clear_matrix::<R>([rows.len(), count], target)?;
                continue;
            }
            let left = at(&self.grouped, rows.start, start + columns.start);
            let right = at(&self.u, start + columns.start, start);
            let sizes = [rows.len(), count, columns.len()];
            self.executor.product(sizes, R::ONE, left, right, R::ZERO, target, Target::Whole)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn a_tree_covers_every_row_once() {
        for n in [1, 2, 3, 64, 65, 128, 129, 1000] {
            let tree = Tree::new(n, 64);
            assert_eq!(tree.leaves.iter().map(Range::len).sum::<usize>(), n);
            assert!(tree.leaves.iter().all(|leaf| !leaf.is_empty() && leaf.len() <= 64));
            assert_eq!(tree.levels.iter().map(Vec::len).sum::<usize>(), tree.leaves.len() - 1);
            let root = tree.levels.last().cloned();
            assert!(root.is_none_or(|root| root.len() == 1 && (root[0].start, root[0].end) == (0, n)));
        }
    }
}
