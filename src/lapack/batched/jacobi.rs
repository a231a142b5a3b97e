//! Eigenvalues and singular values of each matrix of a batch by one-sided Jacobi rotations.

use super::{Matrices, PerMatrix};
use crate::blas::level3::batched::MatrixOffsets;
use crate::blas::level3::square;
use crate::context::{ContextParts, Event, Queue};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::lapack::{DeviceSlice, Executor, check_rows, has_groups, read_only};
use crate::launch::Launch;
use crate::options::Triangle;
use crate::program::{ProgramSource, source};
use crate::scalar::{Scalar, ScalarKind};
use crate::view::{BatchMut, BatchRef, VectorMut, View};

/// Work-items of a group, at least.
const GROUP: usize = 32;
/// Work-items of a team, at most.
const MAX_TEAM: usize = 256;
/// Rows of a matrix, and its columns, at most.
const MAX_ROWS: usize = 256;
const MAX_COLUMNS: usize = 128;
/// Bytes of a work-item's two columns that stay in registers.
const ITEM_BYTES: usize = 512;
/// Rows of a column that a work-item has, at most: loops over more of them are not unrolled.
const ITEM_ROWS: usize = 32;
/// Pairs of a team up to which their number is a power of two, and the divisor of larger numbers.
const MAX_POWER_PAIRS: usize = 16;
const PAIR_STEP: usize = 8;

/// Teams of work-items that have a matrix in registers, two columns for each `lanes` of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JacobiTeam {
    /// Pairs of columns, at most.
    pub pairs: usize,
    /// Work-items of a pair.
    pub lanes: usize,
    /// Teams that share a work-group.
    pub teams: usize,
    /// Elements of a column that a work-item has.
    pub rows: usize,
    /// Elements of a right singular vector that it has.
    pub vector_rows: usize,
    /// Steps in which a column goes through local memory.
    pub parts: usize,
}

impl JacobiTeam {
    /// A team for matrices of no fewer rows than columns, with their right singular vectors or without. None if the
    /// device has no fast work-groups, or they are too small.
    pub fn choose(kind: ScalarKind, size: [usize; 2], vectors: bool, device: &DeviceInfo) -> Option<Self> {
        if !has_groups(device) {
            return None;
        }
        let team = Self::of_size(kind, size, vectors)?;
        [1, 2].map(|parts| JacobiTeam { parts, ..team }).into_iter().find(|team| {
            team.threads() <= device.max_work_group_size && team.local_bytes(kind) as u64 <= device.local_memory_bytes
        })
    }

    /// The same without regard to a device.
    fn of_size(kind: ScalarKind, [rows, columns]: [usize; 2], vectors: bool) -> Option<Self> {
        if rows > MAX_ROWS || columns > MAX_COLUMNS {
            return None;
        }
        let pairs = columns.div_ceil(2).max(1);
        let pairs =
            if pairs <= MAX_POWER_PAIRS { pairs.next_power_of_two() } else { pairs.next_multiple_of(PAIR_STEP) };
        let elements = |all: usize, lanes: usize| all.div_ceil(lanes).next_multiple_of(2);
        let vector_rows = |lanes: usize| if vectors { elements(columns.max(1), lanes) } else { 0 };
        let mut lanes = 1;
        let fits = |lanes: usize| {
            let own = elements(rows.max(1), lanes);
            own <= ITEM_ROWS && (own + vector_rows(lanes)) * 2 * kind.bytes() <= ITEM_BYTES
        };
        while !fits(lanes) {
            lanes *= 2;
        }
        let rows = elements(rows.max(1), lanes);
        let teams = (GROUP / (pairs * lanes)).max(1);
        let team = JacobiTeam { pairs, lanes, teams, rows, vector_rows: vector_rows(lanes), parts: 1 };
        (pairs * lanes <= MAX_TEAM).then_some(team)
    }

    /// Work-items of a group.
    pub const fn threads(&self) -> usize {
        self.pairs * self.lanes * self.teams
    }

    /// Local memory of a group.
    const fn local_bytes(&self, kind: ScalarKind) -> usize {
        let buffers = if self.lanes == 1 && self.parts == 1 { 2 } else { 1 };
        let moved = (self.rows + self.vector_rows) / self.parts * buffers * kind.bytes();
        // Four sums of doubles, flags, and what the compiler needs for itself.
        self.threads() * (moved + 32) + 12 * self.teams + 512
    }

    fn program(&self, kind: ScalarKind, name: &'static str, path: &'static str) -> ProgramSource {
        let definitions = vec![
            ("PAIRS", self.pairs as i64),
            ("LANES", self.lanes as i64),
            ("TEAMS", self.teams as i64),
            ("ROWS", self.rows as i64),
            ("VECTOR_ROWS", self.vector_rows as i64),
            ("PARTS", self.parts as i64),
        ];
        ProgramSource { name, kind, root: source(path), definitions }
    }
}

/// True if some device may have the matrices of a batch in registers.
pub(crate) fn rotates<T: Scalar>(rows: usize, columns: usize, vectors: bool) -> bool {
    JacobiTeam::of_size(T::KIND, [rows.max(columns), rows.min(columns)], vectors).is_some()
}

/// Eigenvalues in ascending order of each matrix of a batch, and eigenvectors in its columns if they are wanted. `w`
/// has a stride from matrix to matrix. None if the device has no team for them: then nothing is done.
///
/// # Errors
/// Those of [`crate::heev_batched_on`].
pub(crate) fn heev_batched_with_team<T: Scalar>(
    queue: &Queue,
    triangle: Triangle,
    a: &BatchMut<'_, T>,
    (w, w_stride): (&VectorMut<'_, T::RealScalar>, usize),
    vectors: bool,
    info: &VectorMut<'_, i32>,
    (team, device): (Option<JacobiTeam>, &DeviceInfo),
) -> Result<Option<Event>> {
    let order = square(a.shape().matrix(), "A")?;
    check_rows(order)?;
    let matrices = Matrices::new(queue, a.memory(), *a.shape(), "A")?;
    let (executor, count) = (Executor::new::<T>(queue, device)?, matrices.count());
    let values = PerMatrix::new("w", queue, &read_only(w), (order, w_stride), count)?;
    let info = DeviceSlice::of("the infos", queue, &read_only(info), count)?;
    if count == 0 {
        return Ok(Some(Event::Complete));
    }
    let Some(team) = team.or_else(|| JacobiTeam::choose(T::KIND, [order; 2], false, device)) else { return Ok(None) };
    tracing::debug!(order, count, vectors, ?team, device = device.name, "heev batched");
    let context = queue.context();
    let program = context.program(&team.program(T::KIND, "heev batched", "lapack/batched/heev_jacobi.cl"))?;
    let operand = matrices.operand();
    let launch = Launch::new(queue, &program, "heev_batched")
        .count(order)
        .flag(triangle == Triangle::Upper)
        .flag(vectors)
        .buffer(matrices.memory)
        .index(operand.offset)
        .index(operand.row_stride)
        .index(operand.column_stride);
    let launch = values.arguments(launch).buffer(info.memory).index(info.offset);
    let offsets = matrices.offsets(queue)?;
    let launch = offsets.arguments(launch, matrices.memory, &[0]);
    launch.enqueue_step([count.div_ceil(team.teams), 1, 1], [team.threads(), 1, 1])?;
    executor.finish().map(Some)
}

/// Singular values in descending order of each m x n matrix of a batch, and singular vectors if they are wanted: left
/// ones as columns, right ones as rows. `s` has a stride from matrix to matrix. None if the device has no team for
/// them: then nothing is done. Sizes of the batches agree.
///
/// # Errors
/// Those of [`crate::gesvd_batched_on`].
pub(crate) fn gesvd_batched_with_team<T: Scalar>(
    queue: &Queue,
    a: &BatchRef<'_, T>,
    (s, s_stride): (&VectorMut<'_, T::RealScalar>, usize),
    vectors: Option<(&BatchMut<'_, T>, &BatchMut<'_, T>)>,
    info: &VectorMut<'_, i32>,
    (team, device): (Option<JacobiTeam>, &DeviceInfo),
) -> Result<Option<Event>> {
    let a = Matrices::new(queue, a.memory(), *a.shape(), "A")?;
    let ([rows, columns], count) = (a.size(), a.count());
    check_rows(rows.max(columns))?;
    let executor = Executor::new::<T>(queue, device)?;
    // The team has the adjoint of a matrix of fewer rows than columns: its left vectors are A's right ones.
    let is_wide = rows < columns;
    let size @ [height, order] = [rows.max(columns), rows.min(columns)];
    let values = PerMatrix::new("s", queue, &read_only(s), (order, s_stride), count)?;
    let info = DeviceSlice::of("the infos", queue, &read_only(info), count)?;
    let vectors = match vectors {
        Some((u, vt)) => Some([
            Matrices::new(queue, u.memory(), *u.shape(), "U")?,
            Matrices::new(queue, vt.memory(), *vt.shape(), "VT")?,
        ]),
        None => None,
    };
    if count == 0 {
        return Ok(Some(Event::Complete));
    }
    let chosen = || JacobiTeam::choose(T::KIND, size, vectors.is_some(), device);
    let Some(team) = team.or_else(chosen) else { return Ok(None) };
    tracing::debug!(rows, columns, count, ?team, device = device.name, "gesvd batched");
    let context = queue.context();
    let program = context.program(&team.program(T::KIND, "gesvd batched", "lapack/batched/gesvd_jacobi.cl"))?;
    let operand = if is_wide { a.operand().transposed() } else { a.operand() };
    let launch = Launch::new(queue, &program, "gesvd_batched")
        .count(height)
        .count(order)
        .buffer(a.memory)
        .index(operand.offset)
        .index(operand.row_stride)
        .index(operand.column_stride)
        .flag(is_wide);
    let launch = values.arguments(launch).buffer(info.memory).index(info.offset);
    let [u, vt] = vectors.unwrap_or([a, a]);
    let [left, right] = if is_wide { [vt, u] } else { [u, vt] };
    // VT has right vectors as rows, conjugated.
    let operands = [(left, is_wide), (right, !is_wide)].map(|(matrices, is_vt)| {
        let operand = matrices.operand();
        (matrices.memory, if is_vt { operand.transposed() } else { operand }, is_vt)
    });
    let left_columns = if is_wide { left.size()[0] } else { left.size()[1] };
    let mut launch = launch;
    for (k, (memory, operand, is_vt)) in operands.into_iter().enumerate() {
        launch = launch
            .buffer(memory)
            .index(operand.offset)
            .index(operand.row_stride)
            .index(operand.column_stride)
            .flag(is_vt);
        if k == 0 {
            launch = launch.count(left_columns);
        }
    }
    let offsets = MatrixOffsets::of(queue, count, &[&a.shape, &left.shape, &right.shape])?;
    let launch = offsets.arguments(launch, a.memory, &[0, 1, 2]);
    launch.enqueue_step([count.div_ceil(team.teams), 1, 1], [team.threads(), 1, 1])?;
    executor.finish().map(Some)
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::device::DeviceClass;

    #[test]
    fn a_gpus_teams_have_matrices_in_registers() {
        let device = crate::device::example(DeviceClass::Gpu);
        for kind in [ScalarKind::S, ScalarKind::D, ScalarKind::C, ScalarKind::Z] {
            for n in 0..=64 {
                for vectors in [false, true] {
                    let team = JacobiTeam::choose(kind, [n, n], vectors, &device);
                    let Some(team) = team else { panic!("{kind:?} {n} {vectors}") };
                    assert!(2 * team.pairs >= n && team.rows * team.lanes >= n, "{team:?}");
                    assert!(!vectors || team.vector_rows * team.lanes >= n, "{team:?}");
                    assert!((GROUP / 2 + 1..=MAX_TEAM).contains(&team.threads()), "{team:?}");
                    assert!((team.rows + team.vector_rows) * 2 * kind.bytes() <= ITEM_BYTES, "{team:?}");
                    assert!(team.rows <= ITEM_ROWS, "{team:?}");
                    assert!((team.rows + team.vector_rows).is_multiple_of(team.parts), "{team:?}");
                }
            }
            assert_eq!(JacobiTeam::choose(kind, [129, 129], false, &device), None);
        }
        let of_32 = JacobiTeam { pairs: 16, lanes: 1, teams: 2, rows: 32, vector_rows: 0, parts: 1 };
        assert_eq!(JacobiTeam::choose(ScalarKind::D, [32, 32], false, &device), Some(of_32));
        let cpu = crate::device::example(DeviceClass::Cpu);
        assert_eq!(JacobiTeam::choose(ScalarKind::D, [32, 32], false, &cpu), None);
    }
}
