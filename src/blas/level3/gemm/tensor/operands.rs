//! What is done with operands before a product.

use affinimath_core::problem::gemm::{GemmProblem, Operand};

use super::super::call::GemmCall;
use super::plan::{Guard, TensorPlan};
use crate::context::{ContextParts, DeviceMemory, Scratch};
use crate::error::Result;
use crate::launch::Launch;
use crate::program::ProgramSource;
use crate::scalar::Scalar;

const FILES: &[&str] = &[
    include_str!("../../../../../cl/blas/level3/gemm/too_small.cl"),
    include_str!("../../../../../cl/blas/level3/gemm/tensor_operands.cl"),
];

/// Work-items of a group, how many groups a compute unit has, and how many words each work-item reads at once: so many that a line of a power of
/// two and one more does not take another turn.
const THREADS: usize = 256;
const GROUPS: usize = 8;
const AT_ONCE: usize = 9;

/// What a product's kernel takes.
pub(super) struct Prepared<'q> {
    /// The problem, with operands that may lie in the copies.
    pub(super) problem: GemmProblem,
    copies: [Option<Scratch<'q>>; 2],
    /// What was found out for [`Guard::Around`].
    pub(super) around: Option<Around<'q>>,
}

/// Memory for what is found out around a product.
pub(super) struct Around<'q> {
    /// Whether tiles are to be multiplied once more.
    pub(super) again: Scratch<'q>,
    /// Whether work-groups have found numbers that are too small for halves, and how many groups look.
    too_small: Scratch<'q>,
    groups: usize,
}

/// Memory around a product as arguments.
pub(super) trait AroundArguments: Sized {
    /// What is known before a product, and where what it finds out goes.
    fn around(self, around: Option<&Around<'_>>) -> Self;
}

impl AroundArguments for Launch<'_> {
    fn around(self, around: Option<&Around<'_>>) -> Self {
        match around {
            Some(around) => self.scratch(&around.again).scratch(&around.too_small).count(around.groups),
            None => self,
        }
    }
}

/// An operand's lines, which are contiguous: how far they are apart, how many there are, and how long they are.
#[derive(Clone, Copy)]
struct Lines {
    stride: usize,
    count: usize,
    length: usize,
}

impl Lines {
    const fn of(operand: &Operand, [rows, columns]: [usize; 2]) -> Self {
        if operand.row_stride == 1 {
            Lines { stride: operand.column_stride, count: columns, length: rows }
        } else {
            Lines { stride: operand.row_stride, count: rows, length: columns }
        }
    }
}

impl<'q> Prepared<'q> {
    /// Enqueues what the plan does with the operands.
    pub(super) fn new<T: Scalar>(call: &GemmCall<'q, T>, problem: &GemmProblem, plan: &TensorPlan) -> Result<Self> {
        let looks = plan.guard == Guard::Around;
        let mut prepared = Prepared { problem: *problem, copies: [None, None], around: None };
        if !looks && plan.pads == [false; 2] {
            return Ok(prepared);
        }
        let context = call.queue.context();
        let definitions = vec![
            ("THREADS", THREADS as i64),
            ("AT_ONCE", AT_ONCE as i64),
            ("LOOK", i64::from(looks)),
            ("PAD_A", i64::from(plan.pads[0])),
            ("PAD_B", i64::from(plan.pads[1])),
        ];
        let source = ProgramSource { name: "gemm tensor operands", kind: T::KIND, files: FILES, definitions };
        let program = context.program(&source)?;

        let sizes = [[problem.m, problem.k], [problem.k, problem.n]];
        let mut lines = [Lines::of(&problem.a, sizes[0]), Lines::of(&problem.b, sizes[1])];
        let (a, b) = call.operands(problem);
        let mut launch = Launch::new(call.queue, &program, "prepare_operands");
        for (memory, operand, lines) in [(a, &problem.a, lines[0]), (b, &problem.b, lines[1])] {
            launch = launch.buffer(memory).index(operand.offset);
            launch = launch.index(lines.stride).index(lines.count).index(lines.length);
        }
        let padded = plan.padded_sizes(problem);
        for (which, operand) in [&mut prepared.problem.a, &mut prepared.problem.b].into_iter().enumerate() {
            if plan.pads[which] {
                let [rows, columns] = padded[which];
                let packed = operand.packed(rows, columns);
                *operand = Operand { conjugate: operand.conjugate, structure: operand.structure, ..packed };
                lines[which] = Lines::of(operand, padded[which]);
                let copy = Scratch::borrow(call.queue, (rows * columns * T::KIND.bytes()) as u64)?;
                launch = launch.scratch(&copy).index(lines[which].count).index(lines[which].length);
                prepared.copies[which] = Some(copy);
            }
        }
        let groups = (GROUPS * context.device().info().compute_units).clamp(1, lines[0].count + lines[1].count);
        if looks {
            let room = |count: usize| Scratch::borrow(call.queue, (count * size_of::<u32>()) as u64);
            let products = plan.whole_tiles + plan.split_tiles(problem) * plan.depth_parts;
            let around = Around { again: room(products)?, too_small: room(groups)?, groups };
            launch = launch.scratch(&around.too_small);
            prepared.around = Some(around);
        }
        launch.enqueue_step([groups, 1, 1], [THREADS, 1, 1])?;
        Ok(prepared)
    }

    /// Where the operands of [`Self::problem`] lie.
    pub(super) fn memories<'a, T: Scalar>(&'a self, call: &'a GemmCall<'_, T>) -> [&'a dyn DeviceMemory; 2] {
        let (a, b) = call.operands(&self.problem);
        let [a_copy, b_copy] = &self.copies;
        [a_copy.as_ref().map_or(a, |copy| copy), b_copy.as_ref().map_or(b, |copy| copy)]
    }
}
