//! Passes on a device: one kernel each.

mod text;

use std::sync::Arc;

use super::runner::{HISTORY, MAX_BETWEEN_POLLS, Runner, Watch};
use crate::blas::device_buffer;
use crate::blas::level1::reduction::{Reduction, reduced};
use crate::blas::level1::{copy_on, scal_real_on};
use crate::context::{BufferParts, ContextParts, DeviceBuffer, DeviceContext, Event, Queue, QueueParts, SecondQueue};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::memory::{Buffer, Context};
use crate::program::{GeneratedSource, Program, ProgramSource};
use crate::scalar::Scalar;
use crate::view::{VectorMut, VectorRef, View};
use affinimath_core::sparse::formula::Number;
use affinimath_core::sparse::pass::Pass;

/// Vectors of solvers have so many times as many elements: whole wide vectors, and whole work-groups.
const MULTIPLE: usize = 64;
/// On a CPU a work-group's elements are at least as many as cost about what its start does, and there are a few groups
/// for each core.
const MIN_CPU_BLOCK: usize = 4096;
const CPU_BLOCKS_PER_UNIT: usize = 4;
/// Work-items of a GPU's group, and groups for each of its units: every group adds up what all groups have summed.
const THREADS: usize = 256;
const GPU_BLOCKS_PER_UNIT: usize = 8;

/// How a pass over `n` elements is shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Blocks {
    length: usize,
    count: usize,
}

impl Blocks {
    fn choose(n: usize, threads: usize, device: &DeviceInfo) -> Self {
        let (most, shortest) = match device.class {
            DeviceClass::Cpu => (CPU_BLOCKS_PER_UNIT * device.compute_units, MIN_CPU_BLOCK),
            _ => (GPU_BLOCKS_PER_UNIT * device.compute_units, threads),
        };
        let length = n.div_ceil(most).max(shortest).next_multiple_of(MULTIPLE.max(threads));
        Blocks { length, count: n.div_ceil(length).max(1) }
    }
}

/// Work-items of a group.
fn threads(device: &DeviceInfo) -> usize {
    match device.class {
        DeviceClass::Cpu => 1,
        _ => 1 << THREADS.min(device.max_work_group_size).ilog2(),
    }
}

/// Passes on a device's own queue. Numbers and sums have two places each: a pass has them from the one and puts them
/// into the other.
pub(crate) struct DeviceRunner {
    context: Context,
    queue: Queue,
    program: Arc<Program>,
    passes: Vec<Pass>,
    threads: usize,
    scalars: [DeviceBuffer; 2],
    sums: [DeviceBuffer; 2],
    history: DeviceBuffer,
    /// Copies of the numbers for polls, and the events of the copies.
    snapshots: [(DeviceBuffer, Event); 2],
    /// Reads snapshots while passes run.
    reader: Option<SecondQueue>,
    /// Index of the buffers that the last pass wrote.
    current: usize,
    /// The work-groups of the last pass, each of which has its own sums.
    blocks: usize,
}

impl DeviceRunner {
    /// For the passes of a method.
    ///
    /// # Errors
    /// [`crate::Error::PrecisionNotSupported`], [`crate::Error::ProgramBuild`], [`crate::Error::OutOfDeviceMemory`].
    pub(crate) fn new<T: Scalar>(context: &Context, device: &Arc<DeviceContext>, passes: Vec<Pass>) -> Result<Self> {
        let device_info = device.device().info();
        device_info.require(T::KIND)?;
        let threads = threads(device_info);
        let source = source::<T>(&passes, threads, device_info);
        let program = device.generated_program(&source)?;
        let most = Blocks::choose(usize::MAX >> 8, threads, device_info).count;
        let buffer = |count: usize| DeviceBuffer::new(device, count * size_of::<T>(), "the numbers of a solver");
        let snapshot = || Ok::<_, Error>((buffer(Number::COUNT)?, Event::Complete));
        Ok(DeviceRunner {
            context: context.clone(),
            queue: Queue::new(device)?,
            program,
            passes,
            threads,
            scalars: [buffer(Number::COUNT)?, buffer(Number::COUNT)?],
            sums: [buffer(Number::SUMS * most)?, buffer(Number::SUMS * most)?],
            history: buffer(HISTORY)?,
            snapshots: [snapshot()?, snapshot()?],
            reader: None,
            current: 0,
            blocks: 0,
        })
    }

    /// The queue for what does not wait for the passes.
    fn reader(&self) -> &Queue {
        self.reader.as_deref().expect("what is read has been kept before")
    }
}

fn source<T: Scalar>(passes: &[Pass], threads: usize, device_info: &DeviceInfo) -> GeneratedSource {
    let mut definitions = vec![
        ("THREADS", threads as i64),
        ("SCALARS", Number::COUNT as i64),
        ("STATUS", Number::STATUS.0 as i64),
        ("SUM_IS_DOUBLE", 0),
    ];
    if device_info.class == DeviceClass::Cpu {
        definitions.push(("VECTOR_WIDTH", device_info.vector_width(T::KIND) as i64));
    }
    let written = ProgramSource {
        name: "sparse solver",
        kind: T::KIND,
        root: crate::program::source("sparse/solve/pass.cl"),
        definitions,
    };
    GeneratedSource::behind(&written, device_info, &text::kernels(passes))
}

impl<T: Scalar> Runner<T> for DeviceRunner {
    fn vector(&mut self, length: usize) -> Result<Buffer<T>> {
        self.context.unwritten(length.next_multiple_of(MULTIPLE))
    }

    fn run(&mut self, pass: usize, vectors: &mut [Buffer<T>], bound: &[usize], slot: usize) -> Result<()> {
        let pass = &self.passes[pass];
        let n = bound.first().map_or(0, |&vector| vectors[vector].len());
        let blocks = Blocks::choose(n, self.threads, self.queue.context().device().info());
        let (current, next) = (self.current, 1 - self.current);
        let mut launch = Launch::new(&self.queue, &self.program, pass.name).index(n).index(blocks.length);
        launch = launch.index(slot).index(self.blocks).buffer(&self.scalars[current]).buffer(&self.scalars[next]);
        launch = launch.buffer(&self.sums[current]).buffer(&self.sums[next]).buffer(&self.history);
        for &vector in bound {
            launch = launch.buffer(device_buffer(&self.queue, vectors[vector].vector()?.memory(), "a vector")?);
        }
        launch.enqueue_step([blocks.count, 1, 1], [self.threads, 1, 1])?;
        self.current = next;
        self.blocks = blocks.count;
        Ok(())
    }

    fn sums(&mut self, count: usize) -> Result<Vec<T>> {
        let mut parts = vec![T::ZERO; count * self.blocks];
        self.sums[self.current].read(&self.queue, &mut parts)?;
        let total = |parts: &[T]| parts.iter().fold(T::ZERO, |sum, &part| sum + part);
        Ok(parts.chunks(self.blocks).map(total).collect())
    }

    fn scalars(&mut self) -> Result<Vec<T>> {
        let mut scalars = vec![T::ZERO; Number::COUNT];
        self.scalars[self.current].read(&self.queue, &mut scalars)?;
        Ok(scalars)
    }

    fn set_scalars(&mut self, scalars: &[T]) -> Result<()> {
        self.scalars[self.current].write(&self.queue, scalars)
    }

    fn history(&mut self, count: usize) -> Result<Vec<T>> {
        let mut history = vec![T::ZERO; count];
        self.history.read(&self.queue, &mut history)?;
        Ok(history)
    }

    fn watch(&mut self) -> Option<&mut dyn Watch<T>> {
        Some(self)
    }

    fn copy(&mut self, from: VectorRef<'_, T>, to: VectorMut<'_, T>) -> Result<()> {
        copy_on(&self.queue, from, to).map(drop)
    }

    fn scale(&mut self, factor: T::RealScalar, vector: VectorMut<'_, T>) -> Result<()> {
        scal_real_on(&self.queue, factor, vector).map(drop)
    }

    fn norm(&mut self, vector: VectorRef<'_, T>) -> Result<f64> {
        let norm: T::RealScalar = reduced(&self.queue, &Reduction::Nrm2, (vector.memory(), *vector.shape()), None)?;
        Ok(norm.into())
    }

    fn max_between_polls(&self) -> usize {
        MAX_BETWEEN_POLLS
    }
}

impl<T: Scalar> Watch<T> for DeviceRunner {
    fn take_snapshot(&mut self, slot: usize) -> Result<()> {
        if self.reader.is_none() {
            self.reader = Some(Queue::second(self.queue.context())?);
        }
        let (snapshot, done) = &mut self.snapshots[slot];
        let bytes = Number::COUNT * size_of::<T>();
        *done = snapshot.copy_from(&self.queue, 0, &self.scalars[self.current], 0, bytes)?;
        self.queue.flush()
    }

    fn snapshot(&mut self, slot: usize) -> Result<Vec<T>> {
        let mut scalars = vec![T::ZERO; Number::COUNT];
        self.snapshots[slot].1.wait()?;
        self.snapshots[slot].0.read(self.reader(), &mut scalars)?;
        Ok(scalars)
    }

    fn history(&mut self, first: usize, count: usize) -> Result<Vec<T>> {
        let mut history = vec![T::ZERO; count];
        self.history.read_at(self.reader(), first, &mut history)?;
        Ok(history)
    }
}
