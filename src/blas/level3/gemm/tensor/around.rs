//! What is done before and behind a product, for floats that halves do not hold.

use super::super::{GemmCall, GemmProblem, Operand};
use crate::context::Scratch;
use crate::error::Result;
use crate::launch::Launch;
use crate::program::ProgramSource;
use crate::scalar::Scalar;

const SPLITTABLE: &[&str] = &[
    include_str!("../../../../../cl/blas/level3/gemm/too_small.cl"),
    include_str!("../../../../../cl/blas/level3/gemm/splittable.cl"),
];

/// Work-items of a group that looks for small numbers, how many of those groups a compute unit has, and how many numbers each
/// work-item reads at once.
const LOOKING: usize = 256;
const LOOKING_GROUPS: usize = 8;
const LOOKING_AT_ONCE: usize = 8;

/// Memory for what is found out around a product.
pub(super) struct Around<'q> {
    /// Whether tiles are to be multiplied once more.
    pub(super) again: Scratch<'q>,
    /// Whether work-groups have found numbers that are too small for halves, and how many groups look.
    too_small: Scratch<'q>,
    groups: usize,
}

impl Launch<'_> {
    /// What is known before a product, and where what it finds out goes.
    pub(super) fn around(self, around: Option<&Around<'_>>) -> Self {
        match around {
            Some(around) => self.scratch(&around.again).scratch(&around.too_small).count(around.groups),
            None => self,
        }
    }
}

/// Looks for numbers that are too small for halves.
pub(super) fn find_too_small<'q, T: Scalar>(
    call: &GemmCall<'q, T>,
    problem: &GemmProblem,
    tiles: usize,
) -> Result<Around<'q>> {
    let context = call.queue.context();
    let definitions = vec![("THREADS", LOOKING as i64), ("AT_ONCE", LOOKING_AT_ONCE as i64)];
    let source = ProgramSource { name: "gemm splittable", kind: T::KIND, files: SPLITTABLE, definitions };
    let program = context.programs().get(context, &source)?;
    // An operand's lines: how far they are apart, how many there are, and how long they are.
    let lines = |operand: &Operand, rows: usize, columns: usize| {
        if operand.row_stride == 1 {
            [operand.column_stride, columns, rows]
        } else {
            [operand.row_stride, rows, columns]
        }
    };
    let (a_lines, b_lines) = (lines(&problem.a, problem.m, problem.k), lines(&problem.b, problem.k, problem.n));
    let groups = (LOOKING_GROUPS * context.device().facts().compute_units).clamp(1, a_lines[1] + b_lines[1]);
    let room = |count: usize| Scratch::borrow(call.queue, (count * size_of::<u32>()) as u64);
    let (too_small, again) = (room(groups)?, room(tiles)?);
    let (a, b) = call.operands(problem);
    let launch = Launch::new(call.queue, &program, "find_too_small");
    let launch = a_lines.into_iter().fold(launch.buffer(a).index(problem.a.offset), Launch::index);
    let launch = b_lines.into_iter().fold(launch.buffer(b).index(problem.b.offset), Launch::index);
    launch.scratch(&too_small).enqueue_step([groups, 1, 1], [LOOKING, 1, 1])?;
    Ok(Around { again, too_small, groups })
}
