//! Symmetric and Hermitian indefinite matrices on a device: Bunch and Kaufman's factorisation by panels, and solutions.
//!
//! ```text
//!   panel: 4 launches for each column, with pivots chosen on the device  ->  its width and pivots, to the host
//!   A22 -= L W^T by gemm, of one triangle                                 ->  multipliers back to LAPACK's rows
//! ```
//!
//! A panel has one column less where its last pivot is of order 2: the host waits for each panel's width.

mod solve;

pub(crate) use solve::solve;

use super::{Block, Executor, device_info};
use crate::blas::level3::gemm::{Operand, Target, Trapezoid};
use crate::context::{BufferParts, ContextParts, DeviceBuffer, DeviceMemory, Queue};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::host::lapack::Info;
use crate::launch::Launch;
use crate::options::{Op, Symmetry, Triangle};
use crate::program::{Program, ProgramSource, source};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, View};

/// Columns of a panel.
const PANEL: usize = 64;

/// Work-items of a group, and groups that share a column.
const GROUP: usize = 256;
const MAX_GROUPS: usize = 64;

/// Order from which a GPU factorises a matrix in its memory: the launches of a smaller one's columns take longer than
/// its way to the host and back.
const MIN_ORDER: usize = 1024;

/// Numbers of a panel's state before its pivots.
const STATE: usize = 5;
/// The panel's width, and the first zero pivot counted from 1.
const NEXT: usize = 0;
const ZERO: usize = 4;

/// How panels are factorised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IndefinitePlan {
    /// Columns of a panel, 2 or more.
    pub(crate) panel: usize,
    /// Work-items of a group: a power of two.
    pub(crate) group: usize,
    /// Groups that share a column, at most.
    pub(crate) groups: usize,
}

impl IndefinitePlan {
    /// The plan for matrices of order n; none for those that the host factorises in less time.
    pub(crate) fn choose(n: usize, device: &DeviceInfo) -> Option<Self> {
        (device.class == DeviceClass::Gpu && n >= MIN_ORDER).then(|| Self::of(device))
    }

    /// The plan for a device and any order.
    pub(crate) fn of(device: &DeviceInfo) -> Self {
        let group = GROUP.min(1 << device.max_work_group_size.max(1).ilog2());
        IndefinitePlan { panel: PANEL, group, groups: MAX_GROUPS }
    }
}

/// P A Pᵀ = L D Lᵀ or L D Lᴴ, in place of a triangle of a square A on a device. It waits for the device, and returns
/// the n pivots and the info as [`crate::sytrf`] has them.
pub(crate) fn factorise<T: Scalar>(
    queue: &Queue,
    (symmetry, triangle): (Symmetry, Triangle),
    a: &MatrixMut<'_, T>,
    plan: IndefinitePlan,
) -> Result<(Vec<i32>, Info)> {
    let executor = Executor::new::<T>(queue, device_info(queue))?;
    let n = a.rows();
    super::check_rows(n)?;
    let a = block_of(queue, &MatrixRef::from_parts(a.memory(), *a.shape()))?;
    tracing::debug!(n, ?plan, device = executor.device.name, "sytrf");
    let mut pivots = vec![0; n];
    let zero = if n == 0 {
        None
    } else {
        Factorisation::new::<T>(executor, symmetry, triangle, (a, n), plan)?.run::<T>(&mut pivots)?
    };
    Ok(match triangle {
        Triangle::Lower => (pivots, zero),
        Triangle::Upper => (reversed(&pivots), zero.map(|index| n + 1 - index)),
    })
}

/// Pivots of the matrix in reverse order.
fn reversed(pivots: &[i32]) -> Vec<i32> {
    let n = pivots.len() as i32;
    pivots.iter().rev().map(|pivot| if *pivot > 0 { n + 1 - *pivot } else { -n - 1 - *pivot }).collect()
}

fn block_of<'a, T: Scalar>(queue: &Queue, a: &MatrixRef<'a, T>) -> Result<Block<'a>> {
    Ok(Block::new(super::device_buffer(queue, a.memory(), "A")?, Operand::whole(Op::NoTrans, a.shape())))
}

/// A matrix whose lower triangle is meant: that of an upper one in reverse order, with negative strides.
#[derive(Clone, Copy)]
struct Lower<'a> {
    memory: &'a dyn DeviceMemory,
    offset: usize,
    row: isize,
    column: isize,
}

impl<'a> Lower<'a> {
    /// Of `rows` x `columns`, which are not 0.
    const fn new(triangle: Triangle, a: Block<'a>, [rows, columns]: [usize; 2]) -> Self {
        let Operand { offset, row_stride, column_stride, .. } = a.operand;
        let (row, column) = (row_stride as isize, column_stride as isize);
        match triangle {
            Triangle::Lower => Lower { memory: a.memory, offset, row, column },
            Triangle::Upper => {
                let last = offset + (rows - 1) * row_stride + (columns - 1) * column_stride;
                Lower { memory: a.memory, offset: last, row: -row, column: -column }
            }
        }
    }

    /// From element (i, j) on.
    const fn at(self, i: usize, j: usize) -> Self {
        let step = i as isize * self.row + j as isize * self.column;
        Lower { offset: self.offset.wrapping_add_signed(step), ..self }
    }

    fn arguments<'l>(&self, launch: Launch<'l>) -> Launch<'l> {
        launch.buffer(self.memory).index(self.offset).step(self.row).step(self.column)
    }
}

/// A program of these kernels.
fn program<T: Scalar>(
    queue: &Queue,
    (name, root): (&'static str, &'static str),
    symmetry: Symmetry,
    group: usize,
) -> Result<std::sync::Arc<Program>> {
    let hermitian = T::KIND.is_complex() && symmetry == Symmetry::Hermitian;
    let definitions = vec![("HERMITIAN", i64::from(hermitian)), ("GROUP", group as i64)];
    queue.context().program(&ProgramSource { name, kind: T::KIND, root: source(root), definitions })
}

/// The factorisation of one matrix.
struct Factorisation<'q> {
    executor: Executor<'q>,
    program: std::sync::Arc<Program>,
    symmetry: Symmetry,
    triangle: Triangle,
    n: usize,
    a: Block<'q>,
    plan: IndefinitePlan,
    /// W's columns and a candidate's, n elements each; in reverse order where A is.
    w: DeviceBuffer,
    /// The panel's state and pivots, and the elements of a pivot.
    state: DeviceBuffer,
    block: DeviceBuffer,
    /// Of each group the largest element below the diagonal and that of the candidate's column, and their rows.
    sizes: [DeviceBuffer; 2],
    rows: [DeviceBuffer; 2],
}

impl<'q> Factorisation<'q> {
    fn new<T: Scalar>(
        executor: Executor<'q>,
        symmetry: Symmetry,
        triangle: Triangle,
        a: (Block<'q>, usize),
        plan: IndefinitePlan,
    ) -> Result<Self> {
        let (queue, (a, n)) = (executor.queue, a);
        let program =
            program::<T>(queue, ("lapack indefinite panel", "lapack/indefinite/panel.cl"), symmetry, plan.group)?;
        let memory = |elements: usize, bytes: usize| DeviceBuffer::for_step(queue, elements * bytes);
        let maxima = || memory(plan.groups, size_of::<T::RealScalar>());
        let rows = || memory(plan.groups, size_of::<i32>());
        let state = memory(STATE + plan.panel + 2, size_of::<i32>())?;
        state.write(queue, &vec![0_i32; STATE + plan.panel + 2])?;
        Ok(Factorisation {
            executor,
            program,
            symmetry,
            triangle,
            n,
            a,
            plan,
            w: memory(n * (plan.panel + 1), size_of::<T>())?,
            state,
            block: memory(3, size_of::<T>())?,
            sizes: [maxima()?, maxima()?],
            rows: [rows()?, rows()?],
        })
    }

    /// Panel after panel. Pivots are those of the lower triangle, as is the index of the first zero.
    fn run<T: Scalar>(&self, pivots: &mut [i32]) -> Result<Info> {
        let (mut first, mut state) = (0, vec![0_i32; STATE + self.plan.panel + 2]);
        while first < self.n {
            let rows = self.n - first;
            // The last panel is the rest of the matrix. Others leave a column for a pivot of order 2.
            let columns = if rows <= self.plan.panel + 1 { rows } else { self.plan.panel - 1 };
            for k in 0..columns {
                self.column(first, k)?;
            }
            self.state.read(self.executor.queue, &mut state)?;
            let done = state[NEXT] as usize;
            self.update::<T>(first, done)?;
            self.launch("undo_interchanges", first, done).enqueue_step([1, 1, 1], [self.plan.group, 1, 1])?;
            for (pivot, own) in pivots[first..first + done].iter_mut().zip(&state[STATE..]) {
                *pivot = *own + if *own > 0 { first as i32 } else { -(first as i32) };
            }
            first += done;
        }
        self.executor.queue.finish()?;
        Ok(usize::try_from(state[ZERO]).ok().filter(|index| *index > 0))
    }

    /// The launches of column k of the panel that begins in column `first`.
    fn column(&self, first: usize, k: usize) -> Result<()> {
        let rows = self.n - first - k;
        let groups = rows.div_ceil(self.plan.group).min(self.plan.groups);
        let (all, one, local) = ([groups, 1, 1], [1, 1, 1], [self.plan.group, 1, 1]);
        let ([below, candidate], [below_rows, candidate_rows]) = (&self.sizes, &self.rows);
        let launch = |kernel| self.launch(kernel, first, k);
        launch("update").buffer(below).buffer(below_rows).enqueue_step(all, local)?;
        let search = launch("candidate").buffer(candidate).buffer(candidate_rows);
        search.count(groups).buffer(below).buffer(below_rows).enqueue_step(all, local)?;
        let choose = launch("choose").count(first).count(groups).buffer(below).buffer(below_rows);
        choose.buffer(candidate).buffer(candidate_rows).enqueue_step(one, local)?;
        launch("store").enqueue_step(all, local)
    }

    /// A kernel with the arguments that all have.
    fn launch(&self, kernel: &'static str, first: usize, k: usize) -> Launch<'_> {
        let launch = Launch::new(self.executor.queue, &self.program, kernel).count(k).count(self.n - first);
        let a = Lower::new(self.triangle, self.a, [self.n; 2]).at(first, first);
        let w = Lower::new(self.triangle, self.copies(), [self.n, self.plan.panel + 1]).at(first, 0);
        w.arguments(a.arguments(launch)).buffer(&self.state).buffer(&self.block)
    }

    /// W as a matrix.
    fn copies(&self) -> Block<'_> {
        Block::new(&self.w, Operand::general(0, 1, self.n))
    }

    /// A22 -= L W^T of one triangle, behind the `done` columns of a panel.
    fn update<T: Scalar>(&self, first: usize, done: usize) -> Result<()> {
        let rest = self.n - first - done;
        let target = Target::Triangle(Trapezoid::of(self.triangle), self.symmetry);
        let (l, w, c) = match self.triangle {
            Triangle::Lower => {
                let next = first + done;
                (self.a.at(next, first), self.copies().at(next, 0), self.a.at(next, next))
            }
            Triangle::Upper => (self.a.at(0, rest), self.copies().at(0, self.plan.panel + 1 - done), self.a),
        };
        self.executor.subtract::<T>([rest, rest, done], l, w.with(Op::Trans), c, target)
    }
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::device::example;

    #[test]
    fn large_matrices_are_factorised_by_gpus() {
        let gpu = example(DeviceClass::Gpu);
        assert_eq!(IndefinitePlan::choose(MIN_ORDER - 1, &gpu), None);
        let plan = IndefinitePlan::choose(MIN_ORDER, &gpu).unwrap();
        assert!(plan.panel >= 2 && plan.group.is_power_of_two() && plan.group <= gpu.max_work_group_size);
        let small = DeviceInfo { max_work_group_size: 48, ..gpu };
        assert_eq!(IndefinitePlan::of(&small).group, 32);
        assert_eq!(IndefinitePlan::choose(1 << 14, &example(DeviceClass::Cpu)), None);
    }

    #[test]
    fn pivots_in_reverse_order_are_their_own_inverse() {
        let pivots = [1, -5, -5, 4, 6, 6];
        assert_eq!(reversed(&pivots), [1, 1, 3, -2, -2, 6]);
        assert_eq!(reversed(&reversed(&pivots)), pivots);
    }
}
