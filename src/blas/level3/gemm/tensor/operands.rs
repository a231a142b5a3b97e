//! Preparation of the operands before a product: padded copies, and the scan for small floats.

use affinimath_core::problem::gemm::{GemmProblem, Operand};

use super::super::call::GemmCall;
use super::plan::{Guard, TensorPlan};
use crate::context::{ContextParts, DeviceMemory, Workspace};
use crate::error::Result;
use crate::launch::Launch;
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;

/// Work-items of a group, groups per compute unit, and words that a work-item reads at once: one more than eight, so
/// that columns of 2^n + 1 words take no second pass.
const THREADS: usize = 256;
const GROUPS: usize = 8;
const AT_ONCE: usize = 9;

/// Problem and memory that the product's kernel gets.
pub(super) struct PreparedOperands<'q> {
    /// The problem, with operands that may lie in the copies.
    pub(super) problem: GemmProblem,
    copies: [Option<Workspace<'q>>; 2],
    /// Results of the scan for [`Guard::Separate`].
    pub(super) guard_buffers: Option<GuardBuffers<'q>>,
}

/// Memory that the launches before and after a guarded product share.
pub(super) struct GuardBuffers<'q> {
    /// Per tile: a flag to recompute it.
    pub(super) again: Workspace<'q>,
    /// Per group of the scan: a flag for floats too small for the split, and the number of groups.
    too_small: Workspace<'q>,
    groups: usize,
}

pub(super) trait GuardArguments: Sized {
    /// Flags that the product reads and writes.
    fn guard_buffers(self, guard_buffers: Option<&GuardBuffers<'_>>) -> Self;
}

impl GuardArguments for Launch<'_> {
    fn guard_buffers(self, guard_buffers: Option<&GuardBuffers<'_>>) -> Self {
        match guard_buffers {
            Some(guard_buffers) => {
                self.workspace(&guard_buffers.again).workspace(&guard_buffers.too_small).count(guard_buffers.groups)
            }
            None => self,
        }
    }
}

/// An operand's contiguous columns or rows: leading dimension, number and length.
#[derive(Clone, Copy)]
struct Vectors {
    stride: usize,
    count: usize,
    length: usize,
}

impl Vectors {
    const fn of(operand: &Operand, [rows, columns]: [usize; 2]) -> Self {
        if operand.row_stride == 1 {
            Vectors { stride: operand.column_stride, count: columns, length: rows }
        } else {
            Vectors { stride: operand.row_stride, count: rows, length: columns }
        }
    }
}

impl<'q> PreparedOperands<'q> {
    /// Enqueues the copies and the scan of a plan.
    pub(super) fn new<T: Scalar>(call: &GemmCall<'q, T>, problem: &GemmProblem, plan: &TensorPlan) -> Result<Self> {
        let scans = plan.guard == Guard::Separate;
        let mut prepared = PreparedOperands { problem: *problem, copies: [None, None], guard_buffers: None };
        if !scans && plan.pads == [false; 2] {
            return Ok(prepared);
        }
        let context = call.queue.context();
        let definitions = vec![
            ("THREADS", THREADS as i64),
            ("WORDS_PER_ITEM", AT_ONCE as i64),
            ("CHECK", i64::from(scans)),
            ("PAD_A", i64::from(plan.pads[0])),
            ("PAD_B", i64::from(plan.pads[1])),
        ];
        let source = ProgramSource {
            name: "gemm tensor operands",
            kind: T::KIND,
            root: source("blas/level3/gemm/tensor/operands.cl"),
            definitions,
        };
        let program = context.program(&source)?;

        let sizes = [[problem.m, problem.k], [problem.k, problem.n]];
        let mut vectors = [Vectors::of(&problem.a, sizes[0]), Vectors::of(&problem.b, sizes[1])];
        let (a, b) = call.operands(problem);
        let mut launch = Launch::new(call.queue, &program, "prepare_operands");
        for (memory, operand, vectors) in [(a, &problem.a, vectors[0]), (b, &problem.b, vectors[1])] {
            launch = launch.buffer(memory).index(operand.offset);
            launch = launch.index(vectors.stride).index(vectors.count).index(vectors.length);
        }
        let padded = plan.padded_sizes(problem);
        for (which, operand) in [&mut prepared.problem.a, &mut prepared.problem.b].into_iter().enumerate() {
            if plan.pads[which] {
                let [rows, columns] = padded[which];
                let packed = operand.packed(rows, columns);
                *operand = Operand { conjugate: operand.conjugate, structure: operand.structure, ..packed };
                vectors[which] = Vectors::of(operand, padded[which]);
                let copy = Workspace::borrow(call.queue, (rows * columns * T::KIND.bytes()) as u64)?;
                launch = launch.workspace(&copy).index(vectors[which].count).index(vectors[which].length);
                prepared.copies[which] = Some(copy);
            }
        }
        let groups = (GROUPS * context.device().info().compute_units).clamp(1, vectors[0].count + vectors[1].count);
        if scans {
            let borrow = |count: usize| Workspace::borrow(call.queue, (count * size_of::<u32>()) as u64);
            let products = plan.whole_tiles + plan.split_tiles(problem) * plan.split_k;
            let guard_buffers = GuardBuffers { again: borrow(products)?, too_small: borrow(groups)?, groups };
            launch = launch.workspace(&guard_buffers.too_small);
            prepared.guard_buffers = Some(guard_buffers);
        }
        launch.enqueue_step([groups, 1, 1], [THREADS, 1, 1])?;
        Ok(prepared)
    }

    /// Memory of [`Self::problem`]'s operands.
    pub(super) fn memories<'a, T: Scalar>(&'a self, call: &'a GemmCall<'_, T>) -> [&'a dyn DeviceMemory; 2] {
        let (a, b) = call.operands(&self.problem);
        let [a_copy, b_copy] = &self.copies;
        [a_copy.as_ref().map_or(a, |copy| copy), b_copy.as_ref().map_or(b, |copy| copy)]
    }
}
