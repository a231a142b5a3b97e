//! What a product needs besides multiplying: C := beta C, and the sum of partial products.

use std::sync::Arc;

use super::{GemmCall, GemmProblem, Operand};
use crate::context::{Event, Queue, Scratch};
use crate::error::Result;
use crate::launch::Launch;
use crate::program::{Program, ProgramSource};
use crate::scalar::{Scalar, ScalarKind};

const SOURCE: &str = include_str!("../../../../cl/blas/level3/gemm/finish.cl");
const LOCAL: [usize; 3] = [64, 1, 1];

fn program(queue: &Queue, kind: ScalarKind) -> Result<Arc<Program>> {
    let source = ProgramSource { name: "gemm finish", kind, files: &[SOURCE], definitions: Vec::new() };
    queue.context().programs().get(queue.context(), &source)
}

/// Work-groups for a work-item per element of a matrix.
const fn groups(rows: usize, columns: usize) -> [usize; 3] {
    [rows.div_ceil(LOCAL[0]) * columns, 1, 1]
}

/// C := beta C.
pub(super) fn scale<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem) -> Result<Event> {
    let program = program(call.queue, T::KIND)?;
    Launch::new(call.queue, &program, "gemm_scale")
        .index(problem.m)
        .index(problem.n)
        .scalar(call.beta)
        .buffer(call.c)
        .target(problem)
        .enqueue(groups(problem.m, problem.n), LOCAL)
}

/// C := alpha * (sum of `parts` dense m x n matrices in scratch memory) + beta C.
pub(super) fn sum<T: Scalar>(
    call: &GemmCall<'_, T>,
    problem: &GemmProblem,
    parts: usize,
    partial: &Scratch<'_>,
) -> Result<Event> {
    let program = program(call.queue, T::KIND)?;
    Launch::new(call.queue, &program, "gemm_sum")
        .index(problem.m)
        .index(problem.n)
        .index(parts)
        .scalar(call.alpha)
        .scratch(partial)
        .scalar(call.beta)
        .buffer(call.c)
        .target(problem)
        .enqueue(groups(problem.m, problem.n), LOCAL)
}

/// A dense, column-major copy of the problem's B in scratch memory; the problem then means the copy.
pub(super) fn gather_b<'q, T: Scalar>(call: &GemmCall<'q, T>, problem: &mut GemmProblem) -> Result<Scratch<'q>> {
    let program = program(call.queue, T::KIND)?;
    let dense = Scratch::borrow(call.queue, (problem.k * problem.n * T::KIND.bytes()) as u64)?;
    Launch::new(call.queue, &program, "gemm_gather")
        .index(problem.k)
        .index(problem.n)
        .buffer(call.operands(problem).1)
        .index(problem.b.offset)
        .index(problem.b.row_stride)
        .index(problem.b.column_stride)
        .scratch(&dense)
        .enqueue_step(groups(problem.k, problem.n), LOCAL)?;
    problem.b = Operand { offset: 0, row_stride: 1, column_stride: problem.k, ..problem.b };
    Ok(dense)
}
