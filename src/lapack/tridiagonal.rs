//! One large tridiagonal system on a device, in parts.
//!
//! ```text
//!   n rows  --reduce-->  2 rows of each part  --reduce-->  ...  --reduce-->  few rows
//!                                                                               | substitute
//!   X of n rows  <--substitute--  X of those  <--  ...       <--substitute--  X of few rows
//! ```
//!
//! Each part eliminates its inner rows with pivots among its own rows, and the rows that are left are tridiagonal again
//! (Wang 1981; with pivots Klein and Strzodka 2021). That is no LU of the whole matrix: a part may be singular, or
//! nearly so, where the matrix is not. So the residual of X decides, after refinement where it is large.

use affinimath_macros::instances;

use super::{DeviceSlice, device_info};
use crate::blas::device_buffer;
use crate::context::{BufferParts, ContextParts, DeviceBuffer, DeviceMemory, Queue};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::launch::Launch;
use crate::program::{Program, ProgramSource, source};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, VectorRef, View};

/// Rows of a part at most: a part's rows of U are in private memory.
const ROWS: usize = 32;

/// Right-hand sides that share an elimination at most.
const MAX_COLUMNS: usize = 4;

/// Rows of a group that computes residuals, at least, and the groups of a column at most.
const RESIDUAL_ROWS: usize = 4096;
const RESIDUAL_GROUPS: usize = 64;

/// Largest backward error in units of the precision. LU with partial pivoting stays below 10 as a rule.
const MAX_ERROR: f64 = 10.0;

/// Corrections by the residual before the parts give up.
const CORRECTIONS: usize = 2;

/// Numbers that the kernel of residuals finds.
const MAXIMA: usize = 4;

/// How a system is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartsPlan {
    /// Rows of a part at most, 4 or more.
    pub(crate) rows: usize,
    /// Right-hand sides of a work-item.
    pub(crate) columns: usize,
    /// Work-items of a group that eliminates, and of one that computes residuals: a power of two.
    pub(crate) group: usize,
    pub(crate) residual_group: usize,
}

impl PartsPlan {
    /// The plan for so many right-hand sides.
    pub(crate) fn choose(columns: usize, device: &DeviceInfo) -> Self {
        let columns = columns.clamp(1, MAX_COLUMNS);
        let most = device.max_work_group_size;
        let largest = |wanted: usize| if most >= wanted { wanted } else { 1 << most.max(1).ilog2() };
        match device.class {
            // A work-item of a CPU has adjacent rows.
            DeviceClass::Cpu => PartsPlan { rows: ROWS, columns, group: largest(16), residual_group: 1 },
            _ => PartsPlan { rows: ROWS, columns, group: largest(64), residual_group: largest(256) },
        }
    }

    /// Parts of a system; 0 where one work-item has all rows.
    const fn parts(&self, n: usize) -> usize {
        if n <= self.rows { 0 } else { n.div_ceil(self.rows) }
    }
}

/// The matrix of a system: its diagonals below, on and above the main one.
struct Diagonals<'a> {
    vectors: [DeviceSlice<'a>; 3],
    n: usize,
}

impl Diagonals<'_> {
    fn arguments<'l>(&self, mut launch: Launch<'l>) -> Launch<'l> {
        for vector in &self.vectors {
            launch = launch.buffer(vector.memory).index(vector.offset);
        }
        launch
    }
}

/// Right-hand sides, or solutions.
#[derive(Clone, Copy)]
struct Columns<'a> {
    memory: &'a dyn DeviceMemory,
    offset: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a> Columns<'a> {
    /// Adjacent columns of n rows.
    const fn adjacent(memory: &'a DeviceBuffer, n: usize) -> Self {
        Columns { memory, offset: 0, row_stride: 1, column_stride: n }
    }

    fn arguments<'l>(&self, launch: Launch<'l>) -> Launch<'l> {
        let launch = launch.buffer(self.memory).index(self.offset);
        launch.index(self.row_stride).index(self.column_stride)
    }
}

/// Solves A X = B for a tridiagonal A, X in B's place, and counts the columns that are solved, from the first one on:
/// the others are as they were. Their residual is too large, or memory is short. The diagonals stay as they are.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`] and [`crate::Error::InvalidArgument`] where a diagonal is too short or its elements
/// are not adjacent, and what the device reports.
#[instances]
pub(crate) fn gtsv_in_parts<T: Scalar>(
    queue: &Queue,
    diagonals: [VectorRef<'_, T>; 3],
    b: &MatrixMut<'_, T>,
) -> Result<usize> {
    gtsv_with_plan(queue, diagonals, b, PartsPlan::choose(b.columns(), device_info(queue)))
}

/// [`gtsv_in_parts`] by a given plan.
pub(super) fn gtsv_with_plan<T: Scalar>(
    queue: &Queue,
    [dl, d, du]: [VectorRef<'_, T>; 3],
    b: &MatrixMut<'_, T>,
    plan: PartsPlan,
) -> Result<usize> {
    device_info(queue).require(T::KIND)?;
    let (n, off) = (b.rows(), b.rows().saturating_sub(1));
    let [dl, d, du] = [
        DeviceSlice::of("dl", queue, &dl, off)?,
        DeviceSlice::of("d", queue, &d, n)?,
        DeviceSlice::of("du", queue, &du, off)?,
    ];
    let memory = device_buffer(queue, b.memory(), "B")?;
    if n == 0 || b.columns() == 0 {
        return Ok(b.columns());
    }
    // X, its residual, and coarse systems of an eighth in all.
    let column_bytes = (n * size_of::<T>()) as u64 * 3;
    let some = usize::try_from(queue.context().workspace_limit() / column_bytes).unwrap_or(usize::MAX);
    let some = some.min(b.columns());
    let mut solved = 0;
    while some > 0 && solved < b.columns() {
        let columns = some.min(b.columns() - solved);
        let shape = b.shape().block((0, n), (solved, columns));
        let (row_stride, column_stride) = shape.strides();
        let right = Columns { memory, offset: shape.offset(), row_stride, column_stride };
        let solver = Solver::new::<T>(queue, plan, columns)?;
        if !solver.solve::<T>(&Diagonals { vectors: [dl, d, du], n }, right)? {
            break;
        }
        solved += columns;
    }
    tracing::debug!(n, columns = b.columns(), solved, "gtsv in parts");
    Ok(solved)
}

/// The kernels for some columns.
struct Solver<'q> {
    queue: &'q Queue,
    plan: PartsPlan,
    columns: usize,
    program: std::sync::Arc<Program>,
}

impl<'q> Solver<'q> {
    fn new<T: Scalar>(queue: &'q Queue, plan: PartsPlan, columns: usize) -> Result<Self> {
        let definitions =
            vec![("PART", plan.rows as i64), ("COLUMNS", plan.columns as i64), ("GROUP", plan.residual_group as i64)];
        let (name, root) = ("lapack tridiagonal", source("lapack/tridiagonal/solve.cl"));
        let program = queue.context().program(&ProgramSource { name, kind: T::KIND, root, definitions })?;
        Ok(Solver { queue, plan, columns, program })
    }

    /// Solves for all columns: false where a residual stays large, with B as it was.
    fn solve<T: Scalar>(&self, a: &Diagonals<'_>, b: Columns<'_>) -> Result<bool> {
        let bytes = a.n * self.columns * size_of::<T>();
        let (x, rest) = (DeviceBuffer::for_step(self.queue, bytes)?, DeviceBuffer::for_step(self.queue, bytes)?);
        self.substitute_all::<T>(a, b, &x)?;
        let mut error = self.residual::<T>(a, b, &x, &rest)?;
        for _ in 0..CORRECTIONS {
            // A NaN is no small error, and nothing to correct.
            if error <= MAX_ERROR || !error.is_finite() {
                break;
            }
            self.substitute_all::<T>(a, Columns::adjacent(&rest, a.n), &rest)?;
            let length = a.n * self.columns;
            let launch = Launch::new(self.queue, &self.program, "add").index(length).buffer(&x).buffer(&rest);
            launch.enqueue_step([length.div_ceil(self.plan.group), 1, 1], [self.plan.group, 1, 1])?;
            error = self.residual::<T>(a, b, &x, &rest)?;
        }
        if error.is_nan() || error > MAX_ERROR {
            tracing::debug!(error, n = a.n, "the parts of a tridiagonal system are ill-conditioned");
            return Ok(false);
        }
        let launch = Launch::new(self.queue, &self.program, "copy_back").index(a.n).buffer(&x);
        b.arguments(launch).enqueue_step([a.n.div_ceil(self.plan.group), self.columns, 1], [self.plan.group, 1, 1])?;
        self.queue.finish()?;
        Ok(true)
    }

    /// Enqueues the solution for the columns of B, which may be X's memory.
    fn substitute_all<T: Scalar>(&self, a: &Diagonals<'_>, b: Columns<'_>, x: &DeviceBuffer) -> Result<()> {
        let parts = self.plan.parts(a.n);
        if parts == 0 {
            return self.substitute(a, b, 0, x, x);
        }
        let order = 2 * parts;
        let memory = |elements: usize| DeviceBuffer::for_step(self.queue, elements * size_of::<T>());
        let [dl, d, du, right] = [memory(order)?, memory(order)?, memory(order)?, memory(order * self.columns)?];
        let launch = self.launch("reduce", a, b, parts);
        let launch = launch.buffer(&dl).buffer(&d).buffer(&du).buffer(&right);
        self.enqueue(launch, parts, 2 * self.blocks())?;
        let vectors = [&dl, &d, &du].map(|memory| DeviceSlice { memory, offset: 0 });
        let coarse = Diagonals { vectors, n: order };
        self.substitute_all::<T>(&coarse, Columns::adjacent(&right, order), &right)?;
        self.substitute(a, b, parts, &right, x)
    }

    fn substitute(
        &self,
        a: &Diagonals<'_>,
        b: Columns<'_>,
        parts: usize,
        coarse: &DeviceBuffer,
        x: &DeviceBuffer,
    ) -> Result<()> {
        let launch = self.launch("substitute", a, b, parts).buffer(coarse).buffer(x);
        self.enqueue(launch, parts.max(1), self.blocks())
    }

    /// Blocks of right-hand sides.
    const fn blocks(&self) -> usize {
        self.columns.div_ceil(self.plan.columns)
    }

    fn launch(&self, kernel: &'static str, a: &Diagonals<'_>, b: Columns<'_>, parts: usize) -> Launch<'_> {
        let launch = Launch::new(self.queue, &self.program, kernel).index(a.n).index(self.columns).index(parts);
        b.arguments(a.arguments(launch))
    }

    fn enqueue(&self, launch: Launch<'_>, items: usize, second: usize) -> Result<()> {
        let group = self.plan.group;
        launch.enqueue_step([items.div_ceil(group), second, 1], [group, 1, 1])
    }

    /// The residual B - A X, and the largest backward error of a column in units of the precision.
    fn residual<T: Scalar>(
        &self,
        a: &Diagonals<'_>,
        b: Columns<'_>,
        x: &DeviceBuffer,
        rest: &DeviceBuffer,
    ) -> Result<f64> {
        let groups = a.n.div_ceil(RESIDUAL_ROWS).min(RESIDUAL_GROUPS);
        let count = groups * self.columns * MAXIMA;
        let maxima = DeviceBuffer::for_step(self.queue, count * size_of::<T::RealScalar>())?;
        let launch = Launch::new(self.queue, &self.program, "residual").index(a.n);
        let launch = b.arguments(a.arguments(launch)).buffer(x).buffer(rest).buffer(&maxima);
        launch.enqueue_step([groups, self.columns, 1], [self.plan.residual_group, 1, 1])?;
        let mut found = vec![T::RealScalar::ZERO; count];
        maxima.read(self.queue, &mut found)?;
        let errors = found.chunks(groups * MAXIMA).map(|column| {
            let mut most = [0.0_f64; MAXIMA];
            for group in column.chunks(MAXIMA) {
                for (most, value) in most.iter_mut().zip(group) {
                    *most = most.max((*value).into());
                }
            }
            let [rest, x, b, a] = most;
            let bound = (a * x + b) * T::EPSILON;
            match (rest, bound) {
                // The residual tells nothing where X or a row of A overflows.
                _ if !bound.is_finite() => f64::NAN,
                // 0 of 0 is exact.
                (0.0, _) => 0.0,
                _ => rest / bound,
            }
        });
        Ok(errors.fold(0.0, |most: f64, error| if most.is_nan() || error <= most { most } else { error }))
    }
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::device::example;

    #[test]
    fn coarse_systems_end_with_one_part() {
        for rows in [4, 5, 8, 32] {
            let plan = PartsPlan { rows, ..PartsPlan::choose(1, &example(DeviceClass::Gpu)) };
            for n in (1..200).chain([1000, 12_345, 10_000_000, i32::MAX as usize]) {
                let (mut order, mut levels) = (n, 0);
                while plan.parts(order) > 0 {
                    let parts = plan.parts(order);
                    assert!(order / parts >= 2 && order.div_ceil(parts) <= rows, "{order} rows in {parts} parts");
                    assert!(2 * parts < order, "{order} rows give {}", 2 * parts);
                    (order, levels) = (2 * parts, levels + 1);
                }
                assert!(levels <= 35 && order <= rows);
            }
        }
    }

    #[test]
    fn groups_are_powers_of_two_that_the_device_has() {
        for class in [DeviceClass::Gpu, DeviceClass::Cpu] {
            for max_work_group_size in [1, 3, 64, 1024] {
                let device = DeviceInfo { max_work_group_size, ..example(class) };
                for columns in [0, 1, 3, 100] {
                    let plan = PartsPlan::choose(columns, &device);
                    for group in [plan.group, plan.residual_group] {
                        assert!(group.is_power_of_two() && group <= max_work_group_size, "{plan:?}");
                    }
                    assert!((1..=MAX_COLUMNS).contains(&plan.columns));
                }
            }
        }
    }
}
