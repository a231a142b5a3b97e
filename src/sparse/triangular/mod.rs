//! Systems whose matrix is a triangle of a sparse one, on a device: level by level.

mod levels;

use super::RowPointer;
use crate::blas::device_buffer;
use crate::context::{ContextParts, Event, Queue, QueueParts};
use crate::device::DeviceClass;
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::memory::{Buffer, Context};
use crate::options::{Diag, Triangle};
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;
use crate::sparse::product::MatrixArguments;

use crate::view::View;
pub(crate) use levels::Levels;
use levels::Step;

/// Work-items of a GPU's group, and rows of a level that are worth a launch there.
const GPU_THREADS: usize = 128;
const GPU_WIDE: usize = 1024;
/// Rows of a level that are worth a launch on a CPU, and those of a work-item.
const CPU_WIDE: usize = 4096;
const CPU_CHUNK: usize = 512;

/// A triangle of a matrix, as a device solves with it: found out once for a pattern of entries.
#[derive(Debug)]
pub(crate) struct PreparedTriangle {
    starts: Vec<i32>,
    steps: Vec<Step>,
    device_rows: Buffer<i32>,
    device_starts: Buffer<i32>,
}

pub(crate) use affinimath_core::sparse::TriangleSolve;

impl PreparedTriangle {
    /// Brings the levels to a device.
    pub(crate) fn new(context: &Context, levels: Levels) -> Result<Self> {
        let cpu = context.device().is_some_and(|device| device.info().class == DeviceClass::Cpu);
        let steps = levels.steps(if cpu { CPU_WIDE } else { GPU_WIDE });
        let (device_rows, device_starts) = (context.upload(&levels.rows)?, context.upload(&levels.starts)?);
        Ok(PreparedTriangle { starts: levels.starts, steps, device_rows, device_starts })
    }
}

/// The solution on a device: returns as soon as the work is enqueued.
///
/// # Errors
/// The errors of [`super::product_on`].
pub(crate) fn solve_on<T: Scalar, P: RowPointer>(
    queue: &Queue,
    solve: &TriangleSolve<'_, T, P>,
    prepared: &PreparedTriangle,
) -> Result<Event> {
    let context = queue.context();
    let device = context.device().info();
    device.require(T::KIND)?;
    let grouped = device.class == DeviceClass::Gpu && device.max_work_group_size >= GPU_THREADS;
    let definitions = vec![
        ("POINTER_IS_LONG", i64::from(P::LONG)),
        ("THREADS", if grouped { GPU_THREADS as i64 } else { 1 }),
        ("CONJUGATED", i64::from(solve.conjugate && T::KIND.is_complex())),
        ("LOWER", i64::from(solve.triangle == Triangle::Lower)),
        ("UNIT", i64::from(solve.diagonal == Diag::Unit)),
    ];
    let source = ProgramSource {
        name: "sparse triangular solve",
        kind: T::KIND,
        root: source("sparse/triangular/solve.cl"),
        definitions,
    };
    let program = context.program(&source)?;
    let rows = prepared.device_rows.on_device().expect("the matrix lies on a device");
    let starts = prepared.device_starts.on_device().expect("the matrix lies on a device");
    let x = device_buffer(queue, solve.x.memory(), "x")?;
    for step in &prepared.steps {
        let launch = |kernel| {
            let launch = Launch::new(queue, &program, kernel).matrix(queue, &solve.matrix)?.buffer(rows);
            Ok::<_, Error>(launch.buffer(x).index(solve.x.shape().first()).step(solve.x.shape().increment()))
        };
        let row = |level: usize| prepared.starts[level] as usize;
        match *step {
            Step::Narrow { first, last } if grouped => {
                let launch: Launch<'_> = launch("solve_levels")?;
                launch.buffer(starts).index(first).index(last).enqueue_step([1, 1, 1], [GPU_THREADS, 1, 1])?;
            }
            Step::Narrow { first, last } => {
                let (begin, end) = (row(first), row(last));
                let launch: Launch<'_> = launch("solve_rows")?;
                launch.index(begin).index(end).index(end - begin).enqueue_step([1, 1, 1], [1, 1, 1])?;
            }
            Step::Wide { level } => {
                let (begin, end) = (row(level), row(level + 1));
                let (chunk, threads) = if device.class == DeviceClass::Cpu { (CPU_CHUNK, 1) } else { (1, 64) };
                let launch: Launch<'_> = launch("solve_rows")?;
                let groups = (end - begin).div_ceil(chunk * threads);
                launch.index(begin).index(end).index(chunk).enqueue_step([groups, 1, 1], [threads, 1, 1])?;
            }
        }
    }
    let event = queue.marker()?;
    queue.flush()?;
    Ok(event)
}
