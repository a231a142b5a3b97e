//! Batched band matrices: LU with partial pivoting in one launch, and solutions in another.

use affinimath_macros::instances;

use super::{INDEPENDENT, Matrices, MatrixOffsets, PerMatrix};
use crate::context::{ContextParts, Event, Queue};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::{Error, Result};
use crate::lapack::{DeviceSlice, Executor, check_right_hand_sides, check_rows, device_info, read_only};
use crate::launch::Launch;
use crate::options::Op;
use crate::program::{ProgramSource, source};
use crate::scalar::{Scalar, ScalarKind};
use crate::view::{BatchMut, BatchRef, VectorMut, VectorRef, View};

/// Maximum bytes of a work-group's windows in local memory, so that several groups are on a compute unit.
const LOCAL_BYTES: usize = 32 << 10;

/// Columns that a window takes in at a time: at least, and at most.
const MIN_BLOCK: usize = 4;
const MAX_BLOCK: usize = 16;

/// Columns between barriers of a band that stays in global memory.
const GLOBAL_BLOCK: usize = 64;

/// Work-items of a team at least and at most. One has a column of the window at a time.
const MIN_TEAM: usize = 4;
const MAX_TEAM: usize = 256;

/// Diagonals, without the main one, from which a team solves for a right-hand side, and the team's most work-items.
const TEAM_DIAGONALS: usize = 16;
const MAX_SOLVE_TEAM: usize = 32;

/// Teams of work-items, and their windows of the bands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BandPlan {
    /// Work-items that factorise a matrix, and teams of them in a group.
    pub(crate) team: usize,
    pub(crate) teams: usize,
    /// Columns that a window takes in at a time.
    pub(crate) block: usize,
    /// True if windows are in local memory.
    pub(crate) is_local: bool,
    /// Work-items that solve for a right-hand side, and teams of them in a group.
    pub(crate) solve_team: usize,
    pub(crate) solve_teams: usize,
}

impl BandPlan {
    /// The plan for matrices with these diagonals below and above the main one.
    pub(crate) fn choose(kind: ScalarKind, [kl, ku]: [usize; 2], device: &DeviceInfo) -> Self {
        if device.class == DeviceClass::Cpu {
            // A work-item for each matrix: the band's columns in use are in its cache.
            let (team, teams, block) = (1, 1, GLOBAL_BLOCK);
            return BandPlan { team, teams, block, is_local: false, solve_team: 1, solve_teams: 1 };
        }
        let wide = kl.saturating_add(ku);
        let most = 1 << device.max_work_group_size.max(1).ilog2();
        let team = wide.clamp(MIN_TEAM, MAX_TEAM).next_power_of_two().min(most);
        let solve_team = match wide {
            ..TEAM_DIAGONALS => 1,
            _ => (wide / 4).next_power_of_two().min(MAX_SOLVE_TEAM).min(most),
        };
        let solve_teams = (INDEPENDENT.min(most) / solve_team).max(1);
        let elements = Self::max_elements(kind, device);
        let mut teams = (INDEPENDENT.min(most) / team).max(1);
        loop {
            let columns = elements / teams / Self::height([kl, ku]);
            if columns >= wide.saturating_add(MIN_BLOCK) {
                let block = MAX_BLOCK.min(columns - wide);
                return BandPlan { team, teams, block, is_local: true, solve_team, solve_teams };
            }
            if teams == 1 {
                return BandPlan { team, teams, block: GLOBAL_BLOCK, is_local: false, solve_team, solve_teams };
            }
            teams /= 2;
        }
    }

    /// Elements of a group's local memory at most: a power of two.
    fn max_elements(kind: ScalarKind, device: &DeviceInfo) -> usize {
        let bytes = LOCAL_BYTES.min(usize::try_from(device.local_memory_bytes).unwrap_or(LOCAL_BYTES));
        1 << (bytes / kind.bytes()).max(1).ilog2()
    }

    /// Rows of a window: an odd number of elements apart, columns spread over the banks.
    const fn height([kl, ku]: [usize; 2]) -> usize {
        kl.saturating_mul(2).saturating_add(ku).saturating_add(1) | 1
    }

    /// Elements of a group's windows, rounded up so that few programs are compiled; 0 for those in global memory.
    const fn window(&self, [kl, ku]: [usize; 2]) -> usize {
        if self.is_local {
            (self.teams * Self::height([kl, ku]) * (kl + ku + self.block)).next_power_of_two()
        } else {
            0
        }
    }
}

/// Nanoseconds that a GPU takes for the elimination and the substitution of a column, mostly latency of barriers and
/// of local memory; and matrices of a compute unit at a time.
const STEP_NS: f64 = 2000.0;
const MATRICES_OF_UNIT: usize = 16;

/// Nanoseconds of the host for a column, for a multiply-add in it, for a byte that crosses the bus, and for a call.
const HOST_COLUMN_NS: f64 = 80.0;
const HOST_PAIR_NS: f64 = 1.0;
const BYTE_NS: f64 = 0.1;
const COPIES_NS: f64 = 1e5;

/// True if `count` band matrices of order n with right-hand sides in a device's memory are eliminated there: a GPU has
/// a step for each column, which the matrices share, and the host needs their elements on its side of the bus.
pub(crate) fn eliminates_bands(
    kind: ScalarKind,
    [count, n, columns]: [usize; 3],
    [kl, ku]: [usize; 2],
    device: &DeviceInfo,
) -> bool {
    if device.class == DeviceClass::Cpu {
        return true;
    }
    let [all, kl, ku, columns] = [count * n, kl, ku, columns].map(|size| size as f64);
    let waves = count.div_ceil(MATRICES_OF_UNIT * device.compute_units.max(1)) as f64;
    let pairs = kl * (kl + ku) + (2.0 * kl + ku) * columns;
    let bytes = kind.bytes() as f64 * (kl + ku + 1.0 + 2.0 * columns);
    let on_device = waves * n as f64 * STEP_NS;
    on_device <= COPIES_NS + all * (HOST_COLUMN_NS + pairs * HOST_PAIR_NS + bytes * BYTE_NS)
}

/// P A = L U with partial pivoting for each m x n band matrix of a batch on a device, with `kl` diagonals below the
/// main one and `ku` above.
///
/// Bands lie as for [`crate::gbtrf`]. Pivots of consecutive matrices begin `pivot_stride` apart, at least min(m, n) if
/// there are several. `info` has one element per matrix: 0, or the 1-based index of its first pivot that is exactly
/// zero. Its factorisation is complete in that case too. It returns as soon as the work is enqueued.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`] where a band has fewer rows than 2 kl + ku + 1, or a vector is too short;
/// [`crate::Error::InvalidArgument`] where pivots overlap; [`crate::Error::MixedMemory`] where an operand lies in the
/// host's memory.
#[allow(clippy::too_many_arguments, reason = "the operands of LAPACK's gbtrf")]
#[instances]
pub fn gbtrf_batched_on<T: Scalar>(
    queue: &Queue,
    m: usize,
    kl: usize,
    ku: usize,
    ab: BatchMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    pivot_stride: usize,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    gbtrf_batched_with_plan(queue, (m, [kl, ku]), &ab, (&pivots, pivot_stride), &info, None)
}

/// [`gbtrf_batched_on`] by a given plan, or by the device's own.
pub(in crate::lapack) fn gbtrf_batched_with_plan<T: Scalar>(
    queue: &Queue,
    (m, diagonals): (usize, [usize; 2]),
    ab: &BatchMut<'_, T>,
    (pivots, pivot_stride): (&VectorMut<'_, i32>, usize),
    info: &VectorMut<'_, i32>,
    plan: Option<BandPlan>,
) -> Result<Event> {
    let bands = Bands::new::<T>(queue, m, diagonals, Matrices::new(queue, ab.memory(), *ab.shape(), "AB")?, plan)?;
    let each = (m.min(bands.columns()), pivot_stride);
    let pivots = PerMatrix::new("pivots", queue, &read_only(pivots), each, bands.ab.count())?;
    let info = DeviceSlice::of("the infos", queue, &read_only(info), bands.ab.count())?;
    bands.factorise::<T>(pivots, info)?;
    bands.executor.finish()
}

/// Solves op(A) X = B for each matrix of a batch with [`gbtrf_batched_on`]'s factors of square matrices on a device, X
/// in B's place. A pivot that is not one of its step is skipped. It returns as soon as the work is enqueued.
///
/// # Errors
/// Those of [`gbtrf_batched_on`]; [`crate::Error::ShapeMismatch`] where counts or sizes do not agree.
#[allow(clippy::too_many_arguments, reason = "the operands of LAPACK's gbtrs")]
#[instances]
pub fn gbtrs_batched_on<T: Scalar>(
    queue: &Queue,
    op: Op,
    kl: usize,
    ku: usize,
    factors: BatchRef<'_, T>,
    pivots: VectorRef<'_, i32>,
    pivot_stride: usize,
    b: BatchMut<'_, T>,
) -> Result<Event> {
    gbtrs_batched_with_plan(queue, (op, [kl, ku]), &factors, (&pivots, pivot_stride), &b, None)
}

/// [`gbtrs_batched_on`] by a given plan, or by the device's own.
pub(in crate::lapack) fn gbtrs_batched_with_plan<T: Scalar>(
    queue: &Queue,
    (op, diagonals): (Op, [usize; 2]),
    factors: &BatchRef<'_, T>,
    (pivots, pivot_stride): (&VectorRef<'_, i32>, usize),
    b: &BatchMut<'_, T>,
    plan: Option<BandPlan>,
) -> Result<Event> {
    let factors = Matrices::new(queue, factors.memory(), *factors.shape(), "the factors")?;
    let n = factors.size()[1];
    let bands = Bands::new::<T>(queue, n, diagonals, factors, plan)?;
    let pivots = PerMatrix::new("pivots", queue, pivots, (n, pivot_stride), factors.count())?;
    let b = Matrices::new(queue, b.memory(), *b.shape(), "B")?;
    bands.check(&b)?;
    bands.solve::<T>(op, pivots, None, &b)?;
    bands.executor.finish()
}

/// Solves A X = B for each band matrix of a batch by LU on a device. If a matrix's info is not 0, its B is unchanged.
/// It returns as soon as the work is enqueued.
///
/// # Errors
/// Those of [`gbtrf_batched_on`] and [`gbtrs_batched_on`].
#[allow(clippy::too_many_arguments, reason = "the operands of LAPACK's gbsv")]
#[instances]
pub fn gbsv_batched_on<T: Scalar>(
    queue: &Queue,
    kl: usize,
    ku: usize,
    ab: BatchMut<'_, T>,
    pivots: VectorMut<'_, i32>,
    pivot_stride: usize,
    b: BatchMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<Event> {
    gbsv_batched_with_plan(queue, [kl, ku], &ab, (&pivots, pivot_stride), &b, (&info, None))
}

/// [`gbsv_batched_on`] by a given plan, or by the device's own.
pub(in crate::lapack) fn gbsv_batched_with_plan<T: Scalar>(
    queue: &Queue,
    diagonals: [usize; 2],
    ab: &BatchMut<'_, T>,
    (pivots, pivot_stride): (&VectorMut<'_, i32>, usize),
    b: &BatchMut<'_, T>,
    (info, plan): (&VectorMut<'_, i32>, Option<BandPlan>),
) -> Result<Event> {
    let ab = Matrices::new(queue, ab.memory(), *ab.shape(), "AB")?;
    let n = ab.size()[1];
    let bands = Bands::new::<T>(queue, n, diagonals, ab, plan)?;
    let pivots = PerMatrix::new("pivots", queue, &read_only(pivots), (n, pivot_stride), ab.count())?;
    let info = DeviceSlice::of("the infos", queue, &read_only(info), ab.count())?;
    let b = Matrices::new(queue, b.memory(), *b.shape(), "B")?;
    bands.check(&b)?;
    bands.factorise::<T>(pivots, info)?;
    bands.solve::<T>(Op::NoTrans, pivots, Some(info), &b)?;
    bands.executor.finish()
}

/// The bands of a batch.
struct Bands<'a> {
    executor: Executor<'a>,
    plan: BandPlan,
    m: usize,
    diagonals: [usize; 2],
    ab: Matrices<'a>,
}

impl<'a> Bands<'a> {
    fn new<T: Scalar>(
        queue: &'a Queue,
        m: usize,
        [kl, ku]: [usize; 2],
        ab: Matrices<'a>,
        plan: Option<BandPlan>,
    ) -> Result<Self> {
        let [rows, n] = ab.size();
        let needed = kl.saturating_mul(2).saturating_add(ku).saturating_add(1);
        if rows < needed {
            return Err(Error::ShapeMismatch(format!("AB has {rows} rows, and {needed} are needed")));
        }
        let executor = Executor::new::<T>(queue, device_info(queue))?;
        // A matrix without elements has no diagonals.
        let diagonals = if m == 0 || n == 0 { [0; 2] } else { [kl, ku] };
        [m, n, if m == 0 || n == 0 { 0 } else { needed }].into_iter().try_for_each(check_rows)?;
        let plan = plan.unwrap_or_else(|| BandPlan::choose(T::KIND, diagonals, executor.device));
        tracing::debug!(m, n, kl, ku, count = ab.count(), ?plan, device = executor.device.name, "band batched");
        Ok(Bands { executor, plan, m, diagonals, ab })
    }

    const fn columns(&self) -> usize {
        self.ab.size()[1]
    }

    /// Refuses a batch B of another count, or of other rows.
    fn check(&self, b: &Matrices<'_>) -> Result<()> {
        if self.ab.count() != b.count() {
            return Err(Error::ShapeMismatch(format!("{} matrices A, {} matrices B", self.ab.count(), b.count())));
        }
        check_right_hand_sides(self.columns(), b.size()[0])
    }

    fn factorise<T: Scalar>(&self, pivots: PerMatrix<'_>, info: DeviceSlice<'_>) -> Result<()> {
        let (plan, count, [kl, ku]) = (self.plan, self.ab.count(), self.diagonals);
        if count == 0 {
            return Ok(());
        }
        let definitions = vec![
            ("TEAM", plan.team as i64),
            ("TEAMS", plan.teams as i64),
            ("WINDOW", plan.window(self.diagonals) as i64),
        ];
        let (name, root) = ("lapack batched band factors", source("lapack/batched/gbtrf.cl"));
        let program =
            self.executor.queue.context().program(&ProgramSource { name, kind: T::KIND, root, definitions })?;
        let launch = Launch::new(self.executor.queue, &program, "gbtrf_batched").count(self.m).count(self.columns());
        let launch = self.band(launch.count(kl).count(ku));
        let launch = pivots.arguments(launch).buffer(info.memory).index(info.offset);
        let offsets = self.ab.offsets(self.executor.queue)?;
        offsets
            .arguments(launch, self.ab.memory, &[0])
            .count(kl + ku + plan.block)
            .enqueue_step([count.div_ceil(plan.teams), 1, 1], [plan.team * plan.teams, 1, 1])
    }

    /// op(A) X = B, where the info is 0 if it is given.
    fn solve<T: Scalar>(
        &self,
        op: Op,
        pivots: PerMatrix<'_>,
        info: Option<DeviceSlice<'_>>,
        b: &Matrices<'_>,
    ) -> Result<()> {
        let (plan, queue, [kl, ku], [n, columns]) = (self.plan, self.executor.queue, self.diagonals, b.size());
        if b.count() == 0 || n == 0 || columns == 0 {
            return Ok(());
        }
        let definitions = vec![("TEAM", plan.solve_team as i64), ("TEAMS", plan.solve_teams as i64)];
        let (name, root) = ("lapack batched band solutions", source("lapack/batched/gbtrs.cl"));
        let program = queue.context().program(&ProgramSource { name, kind: T::KIND, root, definitions })?;
        let kernel = if op.transposes() { "gbtrs_batched_transposed" } else { "gbtrs_batched" };
        let launch = Launch::new(queue, &program, kernel).count(n).count(kl).count(ku).index(columns);
        let operand = b.operand();
        let launch = pivots.arguments(self.band(launch.flag(op.conjugates())));
        let launch = launch.buffer(b.memory).index(operand.offset);
        let launch = launch.index(operand.row_stride).index(operand.column_stride).flag(info.is_some());
        // Without infos, the pivots take their argument.
        let infos = info.unwrap_or(pivots.values);
        let launch = launch.buffer(infos.memory).index(infos.offset);
        let offsets = MatrixOffsets::of(queue, b.count(), &[&self.ab.shape, &b.shape])?;
        let launch = offsets.arguments(launch, b.memory, &[0, 1]);
        let (team, teams) = match op.transposes() {
            true => (1, INDEPENDENT.min(self.executor.device.max_work_group_size)),
            false => (plan.solve_team, plan.solve_teams),
        };
        launch.enqueue_step([(b.count() * columns).div_ceil(teams), 1, 1], [team * teams, 1, 1])
    }

    fn band<'l>(&self, launch: Launch<'l>) -> Launch<'l> {
        let operand = self.ab.operand();
        launch.buffer(self.ab.memory).index(operand.offset).index(operand.row_stride).index(operand.column_stride)
    }
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::device::example;

    #[test]
    fn windows_of_bands_fit_into_local_memory() {
        for kind in ScalarKind::ALL {
            for (local_memory_bytes, max_work_group_size) in [(1 << 10, 1), (16 << 10, 48), (48 << 10, 1024)] {
                let device = DeviceInfo { local_memory_bytes, max_work_group_size, ..example(DeviceClass::Gpu) };
                for diagonals in [[0, 0], [0, 5], [1, 1], [2, 2], [7, 3], [10, 10], [40, 40], [300, 1]] {
                    let plan = BandPlan::choose(kind, diagonals, &device);
                    assert!(plan.block > 0 && plan.team > 0 && plan.teams > 0, "{plan:?}");
                    assert!(plan.team * plan.teams <= max_work_group_size, "{plan:?}");
                    assert!(plan.solve_team * plan.solve_teams <= max_work_group_size, "{plan:?}");
                    let elements =
                        plan.teams * (diagonals[0] + diagonals[1] + plan.block) * BandPlan::height(diagonals);
                    let window = plan.window(diagonals);
                    assert!(window * kind.bytes() <= local_memory_bytes as usize, "{plan:?}");
                    assert!(!plan.is_local || elements <= window, "{plan:?}");
                }
            }
        }
    }

    #[test]
    fn a_gpu_eliminates_short_bands_wide_bands_and_batches() {
        let gpu = example(DeviceClass::Gpu);
        let chosen = |sizes, diagonals| eliminates_bands(ScalarKind::D, sizes, diagonals, &gpu);
        assert!(chosen([1, 40, 1], [2, 2]) && chosen([1, 1000, 1], [60, 60]) && chosen([500, 1000, 1], [2, 2]));
        assert!(!chosen([1, 1000, 1], [2, 2]) && !chosen([1, 1_000_000, 1], [5, 5]));
        assert!(eliminates_bands(ScalarKind::D, [1, 1_000_000, 1], [2, 2], &example(DeviceClass::Cpu)));
    }

    #[test]
    fn narrow_bands_share_a_group_and_wide_ones_stay_in_global_memory() {
        let device = example(DeviceClass::Gpu);
        let plan = BandPlan::choose(ScalarKind::D, [2, 2], &device);
        assert_eq!((plan.team, plan.teams, plan.is_local, plan.solve_team), (4, 16, true, 1));
        assert!(!BandPlan::choose(ScalarKind::D, [100, 100], &device).is_local);
        let cpu = BandPlan::choose(ScalarKind::D, [2, 2], &example(DeviceClass::Cpu));
        assert_eq!((cpu.team * cpu.teams, cpu.solve_team * cpu.solve_teams, cpu.is_local), (1, 1, false));
    }
}
