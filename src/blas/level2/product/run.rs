//! The launches of a plan.

use std::sync::Arc;

use super::plan::{
    Direction, GPU_COLUMNS, GPU_THREADS, Parts, ProductFamily, ProductPlan, cpu_step, elements_per_group, gpu_strip,
    max_accumulators,
};
use super::{Product, ProductProblem};
use crate::blas::device_buffer;
use crate::context::{ContextParts, DeviceBuffer, Event, Queue, QueueParts, Workspace};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::launch::Launch;
use crate::program::{Program, ProgramSource, source};
use crate::scalar::{Scalar, ScalarKind};

impl ProductPlan {
    fn source(&self, kind: ScalarKind, device: &DeviceInfo) -> ProgramSource {
        let symmetric = self.direction == Direction::Both;
        let (name, file, definitions) = match self.family {
            ProductFamily::Portable => {
                let flag = |other| i64::from(self.direction != other);
                let along = [("ALONG_ROW", flag(Direction::Across)), ("ALONG_COLUMN", flag(Direction::Along))];
                ("level 2 product by lines", "blas/level2/product_lines.cl", along.to_vec())
            }
            ProductFamily::Gpu if symmetric => {
                let tile = self.parts.map_or(GPU_THREADS, |parts| parts.tile);
                let unroll = if kind.bytes() > 8 { 4 } else { 8 };
                let sizes = [("STRIP", gpu_strip(kind) as i64), ("TILE", tile as i64), ("UNROLL", unroll)];
                (
                    "level 2 symmetric product",
                    "blas/level2/product_symmetric_gpu.cl",
                    [&[("THREADS", GPU_THREADS as i64)], &sizes[..]].concat(),
                )
            }
            ProductFamily::Gpu => {
                let (unroll, rows) = if kind.bytes() > 8 { (4, 1) } else { (8, 2) };
                let columns = ("COLUMNS", GPU_COLUMNS as i64);
                let sizes = vec![("THREADS", GPU_THREADS as i64), ("UNROLL", unroll), columns, ("ROWS", rows)];
                ("level 2 product", "blas/level2/product_gpu.cl", sizes)
            }
            ProductFamily::Cpu => {
                let width = ("VECTOR_WIDTH", device.vector_width(kind) as i64);
                let step = ("STEP", cpu_step(kind, self.direction) as i64);
                if symmetric {
                    ("level 2 symmetric product cpu", "blas/level2/product_symmetric_cpu.cl", vec![width, step])
                } else {
                    (
                        "level 2 product cpu",
                        "blas/level2/product_general_cpu.cl",
                        vec![width, step, ("CHUNK", max_accumulators(kind) as i64)],
                    )
                }
            }
        };
        ProgramSource { name, kind, root: source(file), definitions }
    }

    const fn kernel(&self) -> &'static str {
        match (self.family, self.direction) {
            (ProductFamily::Portable, _) => "product_lines",
            (_, Direction::Along) => "product_along",
            (_, Direction::Across) => "product_across",
            (_, Direction::Both) => "product_symmetric",
        }
    }

    /// True if the kernel needs an x with increment 1.
    const fn needs_adjacent(&self) -> bool {
        !matches!((self.family, self.direction), (ProductFamily::Portable, _) | (_, Direction::Along))
    }
}

/// Runs a product by a given plan. Any plan is right for any product that it was chosen for; tests run all of them.
pub(super) fn execute<T: Scalar>(queue: &Queue, product: &Product<'_, T>, plan: &ProductPlan) -> Result<Event> {
    let problem = &product.problem;
    let call = Call {
        queue,
        a: device_buffer(queue, product.a, "A")?,
        x: device_buffer(queue, product.x, "x")?,
        y: device_buffer(queue, product.y, "y")?,
        problem,
    };
    let gathered = (plan.needs_adjacent() && problem.x.increment() != 1).then(|| call.gather::<T>()).transpose()?;
    let x = gathered.as_ref();
    let n = problem.y.length();
    // In place, results wait in workspace, since kernels read x while they store.
    let one = Parts { count: 1, slots: 1, tile: 1, reach: 1 };
    let event = match plan.parts.or(problem.in_place().then_some(one)) {
        None => call.launch_product(plan, x, (product.alpha, product.beta), None)?,
        Some(parts) => {
            let partial = Workspace::borrow(queue, (parts.slots * n * T::KIND.bytes()) as u64)?;
            let _ = call.launch_product(plan, x, (T::ONE, T::ZERO), Some(&partial))?;
            call.finish(&parts, &partial, product.alpha, product.beta)?
        }
    };
    queue.flush()?;
    Ok(event)
}

/// A problem and its memory.
struct Call<'a> {
    queue: &'a Queue,
    a: &'a DeviceBuffer,
    x: &'a DeviceBuffer,
    y: &'a DeviceBuffer,
    problem: &'a ProductProblem,
}

impl<'a> Call<'a> {
    fn device(&self) -> &DeviceInfo {
        self.queue.context().device().info()
    }

    fn launch_product<T: Scalar>(
        &self,
        plan: &ProductPlan,
        gathered: Option<&Workspace<'_>>,
        (alpha, beta): (T, T),
        partial: Option<&Workspace<'_>>,
    ) -> Result<Event> {
        let context = self.queue.context();
        let program = context.program(&plan.source(T::KIND, self.device()))?;
        let problem = self.problem;
        let launch = Launch::new(self.queue, &program, plan.kernel()).stored(problem).buffer(self.a);
        let launch = launch.index(problem.stored.offset);
        let launch = match gathered {
            Some(x) => launch.workspace(x).index(0).index(1),
            None => launch.buffer(self.x).index(problem.x.first()).step(problem.x.increment()),
        };
        let launch = launch.scalar(alpha).scalar(beta);
        let launch = match partial {
            Some(partial) => launch.workspace(partial).index(0).index(1),
            None => launch.buffer(self.y).index(problem.y.first()).step(problem.y.increment()),
        };
        launch
            .index(plan.chunk)
            .index(plan.part_length)
            .index(problem.y.length())
            .enqueue([plan.groups[0], plan.groups[1], 1], [plan.threads, 1, 1])
    }

    fn finish_program(&self, kind: ScalarKind) -> Result<Arc<Program>> {
        let source = ProgramSource {
            name: "level 2 product finish",
            kind,
            root: source("blas/level2/product_finish.cl"),
            definitions: Vec::new(),
        };
        self.queue.context().program(&source)
    }

    /// y := alpha (sum of the parts) + beta y.
    fn finish<T: Scalar>(&self, parts: &Parts, partial: &Workspace<'_>, alpha: T, beta: T) -> Result<Event> {
        let y = &self.problem.y;
        let (block, count, threads) = elements_per_group(y.length(), self.device());
        let program = self.finish_program(T::KIND)?;
        Launch::new(self.queue, &program, "product_finish")
            .index(y.length())
            .index(block)
            .index(parts.count)
            .index(parts.slots)
            .index(parts.tile)
            .index(parts.reach)
            .scalar(alpha)
            .scalar(beta)
            .workspace(partial)
            .buffer(self.y)
            .index(y.first())
            .step(y.increment())
            .enqueue([count, 1, 1], [threads, 1, 1])
    }

    /// Copies x with increment 1.
    fn gather<T: Scalar>(&self) -> Result<Workspace<'a>> {
        let x = &self.problem.x;
        let (block, count, threads) = elements_per_group(x.length(), self.device());
        let gathered = Workspace::borrow(self.queue, (x.length() * T::KIND.bytes()) as u64)?;
        let program = self.finish_program(T::KIND)?;
        Launch::new(self.queue, &program, "product_gather")
            .index(x.length())
            .index(block)
            .buffer(self.x)
            .index(x.first())
            .step(x.increment())
            .workspace(&gathered)
            .enqueue_step([count, 1, 1], [threads, 1, 1])?;
        Ok(gathered)
    }
}

trait ProductArguments: Sized {
    /// The matrix and its pattern, for all kernels of products.
    fn stored(self, problem: &ProductProblem) -> Self;
}

impl ProductArguments for Launch<'_> {
    fn stored(self, problem: &ProductProblem) -> Self {
        let stored = &problem.stored;
        let (above, below) = problem.diagonals();
        self.index(stored.rows)
            .index(stored.columns)
            .index(stored.starts.shift)
            .index(stored.starts.linear)
            .step(stored.starts.quadratic)
            .step(above)
            .step(below)
            .flag(problem.conjugate)
            .flag(problem.hermitian())
    }
}
