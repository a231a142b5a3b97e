//! Launches besides the product: C := beta C, and the sum of split-K partial products.

use std::sync::Arc;

use affinimath_core::problem::gemm::{GemmProblem, Operand};
use affinimath_core::problem::structure::Target;

use super::arguments::Form;
use super::call::GemmCall;
use crate::blas::level3::gemm::GemmArguments;
use crate::context::{ContextParts, DeviceMemory, Event, Queue, Workspace};
use crate::error::Result;
use crate::launch::Launch;
use crate::program::{Program, ProgramSource, source};
use crate::scalar::{Scalar, ScalarKind};

const LOCAL: [usize; 3] = [64, 1, 1];

fn program(queue: &Queue, kind: ScalarKind, target: Target) -> Result<Arc<Program>> {
    let definitions = vec![("TARGET", target.code())];
    let source = ProgramSource { name: "gemm finish", kind, root: source("blas/level3/gemm/finish.cl"), definitions };
    queue.context().program(&source)
}

/// Work-groups for a work-item per element of a matrix.
const fn groups(rows: usize, columns: usize) -> [usize; 3] {
    [rows.div_ceil(LOCAL[0]) * columns, 1, 1]
}

/// C := beta C.
pub(super) fn scale<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem) -> Result<Event> {
    let program = program(call.queue, T::KIND, problem.target)?;
    Launch::new(call.queue, &program, "gemm_scale")
        .index(problem.m)
        .index(problem.n)
        .scalar(call.beta)
        .buffer(call.c)
        .target(problem)
        .triangle(Form::of_target(problem.target), &problem.target)
        .enqueue(groups(problem.m, problem.n), LOCAL)
}

/// C := alpha * (sum of `parts` dense m x n matrices in workspace) + beta C.
pub(super) fn sum<T: Scalar>(
    call: &GemmCall<'_, T>,
    problem: &GemmProblem,
    parts: usize,
    partial: &Workspace<'_>,
) -> Result<Event> {
    let program = program(call.queue, T::KIND, problem.target)?;
    Launch::new(call.queue, &program, "gemm_sum")
        .index(problem.m)
        .index(problem.n)
        .index(parts)
        .scalar(call.alpha)
        .workspace(partial)
        .scalar(call.beta)
        .buffer(call.c)
        .target(problem)
        .triangle(Form::of_target(problem.target), &problem.target)
        .enqueue(groups(problem.m, problem.n), LOCAL)
}

/// A dense, column-major copy of the problem's B in workspace; the problem then means the copy.
pub(super) fn gather_b<'q, T: Scalar>(call: &GemmCall<'q, T>, problem: &mut GemmProblem) -> Result<Workspace<'q>> {
    let memory = call.operands(problem).1;
    let dense = Workspace::borrow(call.queue, (problem.k * problem.n * T::KIND.bytes()) as u64)?;
    problem.b = gather(call.queue, T::KIND, memory, &problem.b, [problem.k, problem.n], &dense)?;
    Ok(dense)
}

/// Copies a general operand into workspace, dense and column-major. The operand then describes the copy.
pub(in crate::blas::level3) fn gather(
    queue: &Queue,
    kind: ScalarKind,
    memory: &dyn DeviceMemory,
    operand: &Operand,
    [rows, columns]: [usize; 2],
    dense: &Workspace<'_>,
) -> Result<Operand> {
    let program = program(queue, kind, Target::Whole)?;
    Launch::new(queue, &program, "gemm_gather")
        .index(rows)
        .index(columns)
        .buffer(memory)
        .index(operand.offset)
        .index(operand.row_stride)
        .index(operand.column_stride)
        .workspace(dense)
        .enqueue_step(groups(rows, columns), LOCAL)?;
    Ok(Operand { offset: 0, row_stride: 1, column_stride: rows, ..*operand })
}
