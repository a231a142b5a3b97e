//! Tridiagonal systems in parts, whose rows are in local memory.
//!
//! ```text
//!   up to PARTS * ROWS rows:   gtsv_whole
//!   more:   gtsv_reduce  ->  coarse systems, solved in the same way  ->  gtsv_finish, gtsv_judge, gtsv_commit
//! ```
//!
//! A part's pivots are among its own rows. So the residual decides which systems are solved; the others stay as they
//! are, and are listed.

use std::sync::Arc;

use super::{MAX_COLUMNS, Systems};
use crate::context::{BufferParts, ContextParts, DeviceBuffer};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::lapack::batched::{Matrices, PerMatrix};
use crate::lapack::{DeviceSlice, Executor, has_groups};
use crate::launch::Launch;
use crate::options::Layout;
use crate::program::{Program, ProgramSource, source};
use crate::scalar::{Scalar, ScalarKind};
use crate::view::{BatchShape, MatrixShape};

/// Minimum order for which parts are faster than a work-item for each system: of few right-hand sides, and of more,
/// for which parts have fewer rows in local memory.
const MIN_ORDER: usize = 64;
const FEW_COLUMNS: usize = 2;
const MIN_ORDER_MANY_COLUMNS: usize = 1024;

/// Work-items of a group, and the parts of a system at most.
const ITEMS: usize = 64;
const MAX_PARTS: usize = 128;

/// Rows of a part, at most: few of them, or more where the systems are long.
const ROWS: [usize; 2] = [8, 16];

/// Local memory of a group at most.
const LOCAL_BYTES: usize = 48 << 10;

/// How systems are cut: `systems` of a group, of `parts` parts each, of up to `rows` rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TridiagonalPartsPlan {
    /// A power of two from 2 on.
    pub(crate) parts: usize,
    /// 1 for systems of more than `parts * rows` rows.
    pub(crate) systems: usize,
    /// 4 or more.
    pub(crate) rows: usize,
}

impl TridiagonalPartsPlan {
    /// The plan for systems of order `n` with `columns` right-hand sides; `None` where work-items solve whole systems.
    pub(crate) fn choose(kind: ScalarKind, n: usize, columns: usize, device: &DeviceInfo) -> Option<Self> {
        let min_order = if columns <= FEW_COLUMNS { MIN_ORDER } else { MIN_ORDER_MANY_COLUMNS };
        let solves = has_groups(device) && n >= min_order && (1..=MAX_COLUMNS).contains(&columns);
        solves.then(|| Self::for_kernels(kind, n, columns, device))
    }

    /// The plan for any device with groups of work-items.
    fn for_kernels(kind: ScalarKind, n: usize, columns: usize, device: &DeviceInfo) -> Self {
        let bytes = LOCAL_BYTES.min(usize::try_from(device.local_memory_bytes).unwrap_or(LOCAL_BYTES));
        let fits = |plan: &Self| plan.local_bytes(kind, columns) <= bytes;
        for rows in ROWS {
            let parts = n.div_ceil(rows).next_power_of_two().max(2);
            let mut plan = TridiagonalPartsPlan { parts, systems: (ITEMS / parts).max(1), rows };
            while plan.systems > 1 && !fits(&plan) {
                plan.systems /= 2;
            }
            if parts <= MAX_PARTS && fits(&plan) {
                return plan;
            }
        }
        let mut plan = TridiagonalPartsPlan { parts: ITEMS, systems: 1, rows: ROWS[1] };
        while plan.parts > 2 && !fits(&plan) {
            plan.parts /= 2;
        }
        plan
    }

    /// Local memory of a group.
    fn local_bytes(&self, kind: ScalarKind, columns: usize) -> usize {
        let (rows, coarse) = (self.parts * self.rows, 4 * self.parts);
        let elements = (3 + columns) * (rows + rows / 16 + coarse) * kind.bytes();
        // The maxima are real: a double's bytes for each are enough.
        self.systems * (elements + self.parts * (3 * columns + 1) * size_of::<f64>())
    }

    /// Blocks of a system, which a group has each.
    const fn blocks(&self, n: usize) -> usize {
        n.div_ceil(self.parts * self.rows)
    }
}

/// Solves the systems, all of order 2 `parts` and more, and lists those that are not: how many there are, and from
/// element 1 on their numbers. Infos of solved ones are 0.
///
/// # Errors
/// [`crate::Error::OutOfDeviceMemory`]: nothing was written.
pub(super) fn enqueue<T: Scalar>(
    executor: &Executor<'_>,
    systems: &Systems<'_>,
    info: DeviceSlice<'_>,
    plan: &TridiagonalPartsPlan,
) -> Result<DeviceBuffer> {
    let solver = Solver::<T>::new(executor, plan, systems.b.size()[1])?;
    solver.solve(systems, info)
}

/// The kernels of a plan.
struct Solver<'e, T> {
    executor: &'e Executor<'e>,
    plan: &'e TridiagonalPartsPlan,
    columns: usize,
    program: Arc<Program>,
    kind: std::marker::PhantomData<T>,
}

impl<'e, T: Scalar> Solver<'e, T> {
    fn new(executor: &'e Executor<'_>, plan: &'e TridiagonalPartsPlan, columns: usize) -> Result<Self> {
        let definitions = vec![
            ("PARTS", plan.parts as i64),
            ("SYSTEMS", plan.systems as i64),
            ("ROWS", plan.rows as i64),
            ("COLUMNS", columns as i64),
        ];
        let (name, root) = ("lapack batched tridiagonal parts", source("lapack/batched/gtsv_parts.cl"));
        let program = executor.queue.context().program(&ProgramSource { name, kind: T::KIND, root, definitions })?;
        Ok(Solver { executor, plan, columns, program, kind: std::marker::PhantomData })
    }

    fn memory(&self, elements: usize, bytes: usize) -> Result<DeviceBuffer> {
        DeviceBuffer::for_step(self.executor.queue, (elements * bytes).max(1))
    }

    fn launch(&self, kernel: &'static str) -> Launch<'_> {
        Launch::new(self.executor.queue, &self.program, kernel)
    }

    fn enqueue(&self, launch: Launch<'_>, groups: usize) -> Result<()> {
        launch.enqueue_step([groups, 1, 1], [self.plan.parts * self.plan.systems, 1, 1])
    }

    fn launch_on(&self, kernel: &'static str, systems: &Systems<'_>) -> Launch<'_> {
        systems.arguments(self.launch(kernel))
    }

    /// Solves the systems and gives the list of those that are not solved.
    fn solve(&self, systems: &Systems<'_>, info: DeviceSlice<'_>) -> Result<DeviceBuffer> {
        let ([n, _], count) = (systems.b.size(), systems.b.count());
        let unsolved = self.memory(count + 1, size_of::<i32>())?;
        self.launch("gtsv_begin").buffer(&unsolved).enqueue_step([1; 3], [1; 3])?;
        let blocks = self.plan.blocks(n);
        if blocks <= 1 {
            let launch = self.launch_on("gtsv_whole", systems).buffer(info.memory).index(info.offset);
            self.enqueue(launch.buffer(&unsolved), count.div_ceil(self.plan.systems))?;
            return Ok(unsolved);
        }
        let (order, bytes, groups) = (2 * self.plan.parts * blocks, size_of::<T>(), blocks * count);
        let maxima_bytes = (3 * self.columns + 1) * size_of::<T::RealScalar>();
        let [x, maxima] = [self.memory(n * self.columns * count, bytes)?, self.memory(groups, maxima_bytes)?];
        {
            let diagonals = [0; 3].map(|_| self.memory(order * count, bytes));
            let [dl, d, du] = diagonals;
            let ([dl, d, du], right) = ([dl?, d?, du?], self.memory(order * self.columns * count, bytes)?);
            let launch = self.launch_on("gtsv_reduce", systems).count(blocks);
            self.enqueue(launch.buffer(&dl).buffer(&d).buffer(&du).buffer(&right), groups)?;
            self.solve_coarse([&dl, &d, &du], &right, [order, count])?;
            let launch = self.launch_on("gtsv_finish", systems).count(blocks);
            self.enqueue(launch.buffer(&right).buffer(&x).buffer(&maxima), groups)?;
        }
        let launch = self.launch("gtsv_judge").count(blocks).buffer(&maxima);
        self.enqueue(launch.buffer(info.memory).index(info.offset).buffer(&unsolved), count)?;
        let launch = self.launch_on("gtsv_commit", systems).count(blocks).buffer(&x);
        self.enqueue(launch.buffer(info.memory).index(info.offset), groups)?;
        Ok(unsolved)
    }

    /// Solves coarse systems of `order` rows. Where one is not solved, the residual of the whole system shows it.
    fn solve_coarse(
        &self,
        diagonals: [&DeviceBuffer; 3],
        right: &DeviceBuffer,
        [order, count]: [usize; 2],
    ) -> Result<()> {
        let per_matrix = |memory| PerMatrix { values: DeviceSlice { memory, offset: 0 }, stride: order };
        let shape = MatrixShape::new(Layout::ColumnMajor, order, self.columns, 0, order)?;
        let b = Matrices { memory: right, shape: BatchShape::strided(shape, order * self.columns, count)? };
        let offsets = b.offsets(self.executor.queue)?;
        let systems = Systems { diagonals: diagonals.map(|memory| per_matrix(memory)), b, offsets };
        let infos = self.memory(count, size_of::<i32>())?;
        let plan = TridiagonalPartsPlan::for_kernels(T::KIND, order, self.columns, self.executor.device);
        enqueue::<T>(self.executor, &systems, DeviceSlice { memory: &infos, offset: 0 }, &plan).map(drop)
    }
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::device::{DeviceClass, example};

    #[test]
    fn groups_fit_into_local_memory_and_parts_have_rows() {
        for local_memory_bytes in [32 << 10, 48 << 10, 64 << 10] {
            let device = DeviceInfo { local_memory_bytes, ..example(DeviceClass::Gpu) };
            for (kind, columns) in
                ScalarKind::ALL.into_iter().flat_map(|kind| (1..=MAX_COLUMNS).map(move |c| (kind, c)))
            {
                for n in (MIN_ORDER..3000).chain([4096, 12_345, 1 << 20, i32::MAX as usize]) {
                    check(kind, columns, n, &device);
                }
            }
        }
    }

    /// The plans of a system and of its coarse ones.
    fn check(kind: ScalarKind, columns: usize, n: usize, device: &DeviceInfo) {
        let mut order = n;
        for level in 0.. {
            let plan = TridiagonalPartsPlan::for_kernels(kind, order, columns, device);
            let case = (kind, columns, n, level, plan);
            let bytes = plan.local_bytes(kind, columns);
            assert!(bytes <= LOCAL_BYTES && bytes as u64 <= device.local_memory_bytes, "{case:?}: {bytes} bytes");
            assert!(plan.parts.is_power_of_two() && plan.parts * plan.systems <= 256, "{case:?}");
            let blocks = plan.blocks(order);
            assert!(order / 2 / blocks >= plan.parts, "{case:?}: a part of one row");
            if blocks == 1 {
                break;
            }
            assert!(plan.systems == 1 && 2 * plan.parts * blocks < order / 2, "{case:?}");
            order = 2 * plan.parts * blocks;
        }
    }
}
