//! Batched tridiagonal systems: in parts on a GPU, and where those fail a work-item for each.

mod parts;

use affinimath_macros::instances;

use super::{Matrices, PerMatrix};
use crate::blas::device_buffer;
use crate::blas::level3::batched::MatrixOffsets;
use crate::context::{BufferParts, ContextParts, DeviceBuffer, Event, MemoryExt, Queue};
use crate::device::DeviceInfo;
use crate::error::{Error, Result};
use crate::lapack::{DeviceSlice, Executor, check_rows, device_info, read_only};
use crate::launch::Launch;
use crate::program::{ProgramSource, source};
use crate::scalar::{Scalar, ScalarKind};
use crate::view::{BatchMut, VectorMut, VectorShape, View};

pub(crate) use parts::TridiagonalPartsPlan;

/// Maximum right-hand sides of a system: they are eliminated with the matrix, whose multipliers are not kept.
pub(crate) const MAX_COLUMNS: usize = 4;

/// Maximum bytes of a work-group's local memory, so that several groups are on a compute unit.
const LOCAL_BYTES: usize = 24 << 10;

/// Maximum bytes of a system's elements in a tile: a cache line of each diagonal.
const LINE_BYTES: usize = 128;

/// Systems of a group: the work-items that a GPU runs in step.
const SYSTEMS: usize = 32;

/// Groups for each compute unit that take turns with the systems of a list, which is nearly always empty.
const LISTED_GROUPS_PER_UNIT: usize = 8;

/// How a batch is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TridiagonalRoute {
    /// A work-item for each system.
    Whole(TridiagonalPlan),
    /// In parts, then a work-item for each system that is not solved.
    Parts(TridiagonalPartsPlan),
}

impl TridiagonalRoute {
    /// The route for systems of order `n` with `columns` right-hand sides.
    fn choose(kind: ScalarKind, n: usize, columns: usize, device: &DeviceInfo) -> Self {
        match TridiagonalPartsPlan::choose(kind, n, columns, device) {
            Some(plan) => TridiagonalRoute::Parts(plan),
            None => TridiagonalRoute::Whole(TridiagonalPlan::choose(kind, n, columns, device)),
        }
    }
}

/// Groups of systems, and tiles of their rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TridiagonalPlan {
    /// Systems of a work-group, one for each work-item.
    pub(crate) systems: usize,
    /// Rows of a tile in local memory.
    pub(crate) rows: usize,
}

impl TridiagonalPlan {
    /// The plan for systems of order `n` with `columns` right-hand sides.
    pub(crate) fn choose(kind: ScalarKind, n: usize, columns: usize, device: &DeviceInfo) -> Self {
        let bytes = LOCAL_BYTES.min(usize::try_from(device.local_memory_bytes).unwrap_or(LOCAL_BYTES));
        let row_bytes = (3 + columns.max(1)) * kind.bytes();
        let mut systems = SYSTEMS.min(device.max_work_group_size);
        // A tile of four rows is worth more than a work-item.
        while systems > 1 && systems * 5 * row_bytes > bytes {
            systems /= 2;
        }
        let fits = |rows: usize| systems * (rows + 1) * row_bytes <= bytes;
        let mut rows = 1;
        // The first row of a system is in no tile.
        while 2 * rows * kind.bytes() <= LINE_BYTES && rows + 1 < n && fits(2 * rows) {
            rows *= 2;
        }
        TridiagonalPlan { systems, rows }
    }
}

/// The diagonals of a batch below, on and above the main one, with their strides.
type Diagonals<'a, T> = [(VectorMut<'a, T>, usize); 3];

/// Names of the diagonals, in their order.
const NAMES: [&str; 3] = ["dl", "d", "du"];

/// A X = B by LU with partial pivoting for each tridiagonal system of a batch on a device; see [`crate::gtsv_on`].
///
/// The diagonals are those below, on and above the main one, of n - 1, n and n - 1 elements for each system, `strides`
/// apart. They stay as they are, or have elements of U in them. `info` has one element per system: 0, or the 1-based
/// index of its first pivot that is exactly zero; then its B has no solution in it. It returns as soon as the work is
/// enqueued.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`] where a vector is too short; [`crate::Error::InvalidArgument`] where systems
/// overlap; [`crate::Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn gtsv_batched_on<T: Scalar>(
    queue: &Queue,
    diagonals: [VectorMut<'_, T>; 3],
    strides: [usize; 3],
    b: BatchMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    let [dl, d, du] = diagonals;
    let [below, own, above] = strides;
    gtsv_batched_with_plan(queue, [(dl, below), (d, own), (du, above)], &b, &info, None)
}

/// [`gtsv_batched_on`] by a given route, or by the device's own.
pub(in crate::lapack) fn gtsv_batched_with_plan<T: Scalar>(
    queue: &Queue,
    diagonals: Diagonals<'_, T>,
    b: &BatchMut<'_, T>,
    info: &VectorMut<'_, i32>,
    route: Option<TridiagonalRoute>,
) -> Result<Event> {
    let executor = Executor::new::<T>(queue, device_info(queue))?;
    let b = Matrices::new(queue, b.memory(), *b.shape(), "B")?;
    let ([n, columns], count) = (b.size(), b.count());
    check_rows(n)?;
    let mut first = 0;
    // Further right-hand sides are solved for with copies of the diagonals, as the multipliers are not kept.
    while first + MAX_COLUMNS < columns {
        let mut copies = Vec::new();
        for (k, (vector, stride)) in diagonals.iter().enumerate() {
            copies.push((copy_of(queue, vector, NAMES[k])?, vector.length(), *stride));
        }
        let mut views = Vec::new();
        for (k, (copy, length, stride)) in copies.iter().enumerate() {
            views.push((VectorMut::from_device(copy, VectorShape::new(*length, 0, 1)?, NAMES[k])?, *stride));
        }
        if let Ok(views) = <Diagonals<'_, T>>::try_from(views) {
            let some = b.block((0, n), (first, MAX_COLUMNS))?;
            solve(&executor, &views, &some, info, route)?;
        }
        first += MAX_COLUMNS;
    }
    tracing::debug!(n, columns, count, device = executor.device.name, "gtsv batched");
    solve(&executor, &diagonals, &b.block((0, n), (first, columns - first))?, info, route)?;
    executor.finish()
}

fn copy_of<T: Scalar>(queue: &Queue, vector: &VectorMut<'_, T>, name: &'static str) -> Result<DeviceBuffer> {
    let (length, start) = (vector.length(), vector.shape().offset());
    let bytes = size_of::<T>();
    let copy = DeviceBuffer::new(queue.context(), (length * bytes).max(1), "diagonals")?;
    device_buffer(queue, vector.memory(), name)?;
    if let (Some(memory), true) = (vector.memory().buffer(), length > 0) {
        // The queue's order is enough.
        drop(copy.copy_from(queue, 0, memory, start * bytes, length * bytes)?);
    }
    Ok(copy)
}

/// Systems with at most [`MAX_COLUMNS`] right-hand sides.
struct Systems<'s> {
    diagonals: [PerMatrix<'s>; 3],
    b: Matrices<'s>,
    offsets: MatrixOffsets<'s>,
}

impl Systems<'_> {
    /// Launch with the order, the diagonals and B.
    fn arguments<'l>(&self, mut launch: Launch<'l>) -> Launch<'l> {
        launch = launch.count(self.b.size()[0]);
        for vector in &self.diagonals {
            launch = vector.arguments(launch);
        }
        let operand = self.b.operand();
        let launch = launch.buffer(self.b.memory).index(operand.offset);
        let launch = launch.index(operand.row_stride).index(operand.column_stride);
        self.offsets.arguments(launch, self.b.memory, &[0])
    }
}

fn solve<T: Scalar>(
    executor: &Executor<'_>,
    diagonals: &Diagonals<'_, T>,
    b: &Matrices<'_>,
    info: &VectorMut<'_, i32>,
    route: Option<TridiagonalRoute>,
) -> Result<()> {
    let (queue, [n, columns], count) = (executor.queue, b.size(), b.count());
    let each = [n.saturating_sub(1), n, n.saturating_sub(1)];
    let of = |k: usize| {
        let (vector, stride) = &diagonals[k];
        PerMatrix::new(NAMES[k], queue, &read_only(vector), (each[k], *stride), count)
    };
    let systems = Systems { diagonals: [of(0)?, of(1)?, of(2)?], b: *b, offsets: b.offsets(queue)? };
    let info = DeviceSlice::of("the infos", queue, &read_only(info), count)?;
    if count == 0 {
        return Ok(());
    }
    let whole = |plan, listed: Option<&DeviceBuffer>| enqueue_whole::<T>(executor, &systems, info, plan, listed);
    let own_plan = TridiagonalPlan::choose(T::KIND, n, columns, executor.device);
    match route.unwrap_or_else(|| TridiagonalRoute::choose(T::KIND, n, columns, executor.device)) {
        TridiagonalRoute::Whole(plan) => whole(plan, None),
        TridiagonalRoute::Parts(plan) => match parts::enqueue::<T>(executor, &systems, info, &plan) {
            // Nothing was written before all memory was there.
            Err(Error::OutOfDeviceMemory { .. }) => whole(own_plan, None),
            unsolved => whole(own_plan, Some(&unsolved?)),
        },
    }
}

/// One launch, for all systems or for those of a list.
fn enqueue_whole<T: Scalar>(
    executor: &Executor<'_>,
    systems: &Systems<'_>,
    info: DeviceSlice<'_>,
    plan: TridiagonalPlan,
    listed: Option<&DeviceBuffer>,
) -> Result<()> {
    let (queue, b) = (executor.queue, &systems.b);
    let definitions = vec![
        ("SYSTEMS", plan.systems as i64),
        ("ROWS", plan.rows as i64),
        ("COLUMNS", b.size()[1] as i64),
        ("LISTED", i64::from(listed.is_some())),
    ];
    let (name, root) = ("lapack batched tridiagonal", source("lapack/batched/gtsv.cl"));
    let program = queue.context().program(&ProgramSource { name, kind: T::KIND, root, definitions })?;
    let launch = systems.arguments(Launch::new(queue, &program, "gtsv_batched"));
    let launch = launch.buffer(info.memory).index(info.offset);
    let groups = b.count().div_ceil(plan.systems);
    let (launch, groups) = match listed {
        Some(listed) => (launch.buffer(listed), groups.min(LISTED_GROUPS_PER_UNIT * executor.device.compute_units)),
        None => (launch.buffer(info.memory), groups),
    };
    launch.enqueue_step([groups, 1, 1], [plan.systems, 1, 1])
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::device::{DeviceClass, example};

    #[test]
    fn tiles_of_systems_fit_into_local_memory() {
        for kind in ScalarKind::ALL {
            for class in [DeviceClass::Gpu, DeviceClass::Cpu] {
                for local_memory_bytes in [1 << 10, 16 << 10, 48 << 10] {
                    let device = DeviceInfo { local_memory_bytes, ..example(class) };
                    for (columns, n) in (0..=MAX_COLUMNS).flat_map(|columns| [0, 1, 3, 16, 1000].map(|n| (columns, n)))
                    {
                        let plan = TridiagonalPlan::choose(kind, n, columns, &device);
                        let bytes = plan.systems * (plan.rows + 1) * (3 + columns.max(1)) * kind.bytes();
                        assert!(plan.systems > 0 && plan.rows > 0, "{plan:?}");
                        assert!(bytes as u64 <= local_memory_bytes, "{plan:?}, {columns} right-hand sides");
                    }
                }
            }
        }
    }
}
