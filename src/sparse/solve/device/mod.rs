//! Passes on a device: stages of one kernel each.

mod stages;

use std::sync::Arc;

use super::runner::{HISTORY, MAX_BETWEEN_POLLS, Runner, Watch};
use crate::blas::device_buffer;
use crate::blas::level1::reduction::{Reduction, reduced};
use crate::blas::level1::{copy_on, scal_real_on};
use crate::context::{BufferParts, DeviceBuffer, DeviceContext, Event, Queue, QueueParts, SecondQueue};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::memory::{Buffer, Context};
use crate::program::device_class;
use crate::scalar::Scalar;
use crate::view::{VectorMut, VectorRef, View};
use affinimath_array::lower::{Functions, STAGE_MULTIPLE, StageParameter, max_stage_groups};
use affinimath_core::sparse::formula::Number;
use affinimath_core::sparse::pass::Pass;
use stages::DeviceStages;

/// Passes on a device's own queue. Numbers and sums have two places each: a pass has them from the one and puts them
/// into the other.
pub(crate) struct DeviceRunner {
    context: Context,
    queue: Queue,
    passes: Vec<Pass>,
    stages: Arc<DeviceStages>,
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
        let stages = DeviceStages::of::<T>(device, &passes)?;
        let most = max_stage_groups(&device_class(device_info, Functions::Own));
        let buffer = |count: usize| DeviceBuffer::new(device, count * size_of::<T>(), "the numbers of a solver");
        let snapshot = || Ok::<_, Error>((buffer(Number::COUNT)?, Event::Complete));
        Ok(DeviceRunner {
            context: context.clone(),
            queue: Queue::new(device)?,
            passes,
            stages,
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

impl<T: Scalar> Runner<T> for DeviceRunner {
    fn vector(&mut self, length: usize) -> Result<Buffer<T>> {
        self.context.unwritten(length.next_multiple_of(STAGE_MULTIPLE))
    }

    fn run(&mut self, pass: usize, vectors: &mut [Buffer<T>], bound: &[usize], slot: usize) -> Result<()> {
        let n = bound.first().map_or(0, |&vector| vectors[vector].len());
        let shape = self.stages.lowered[pass].launch(n);
        let (current, next) = (self.current, 1 - self.current);
        let mut launch = Launch::new(&self.queue, &self.stages.program, self.passes[pass].name);
        for parameter in StageParameter::ALL {
            launch = match parameter {
                StageParameter::Length => launch.index(n),
                StageParameter::Block => launch.index(shape.block),
                StageParameter::Groups => launch.index(self.blocks),
                StageParameter::Position => launch.index(slot),
                StageParameter::State => launch.buffer(&self.scalars[current]),
                StageParameter::NewState => launch.buffer(&self.scalars[next]),
                StageParameter::Sums => launch.buffer(&self.sums[current]),
                StageParameter::NewSums => launch.buffer(&self.sums[next]),
                StageParameter::History => launch.buffer(&self.history),
            };
        }
        for &vector in &self.stages.vectors[pass] {
            let memory = vectors[bound[vector]].vector()?.memory();
            launch = launch.buffer(device_buffer(&self.queue, memory, "a vector")?);
        }
        launch.enqueue_step([shape.groups, 1, 1], [shape.items, 1, 1])?;
        self.current = next;
        self.blocks = shape.groups;
        Ok(())
    }

    fn sums(&mut self, count: usize) -> Result<Vec<T>> {
        // The sums of each part of a number, by group.
        let width = if T::KIND.is_complex() { 2 } else { 1 };
        let mut parts = vec![T::RealScalar::from_parts(0.0, 0.0); count * width * self.blocks];
        self.sums[self.current].read(&self.queue, &mut parts)?;
        let total = |parts: &[T::RealScalar]| -> f64 {
            let zero = T::RealScalar::from_parts(0.0, 0.0);
            parts.iter().fold(zero, |sum, &part| sum + part).into()
        };
        let totals: Vec<f64> = parts.chunks(self.blocks).map(total).collect();
        Ok(totals.chunks(width).map(|parts| T::from_parts(parts[0], parts.get(1).copied().unwrap_or(0.0))).collect())
    }

    fn set_sums(&mut self, sums: &[T]) -> Result<()> {
        let real = |value: f64| T::RealScalar::from_parts(value, 0.0);
        let width = if T::KIND.is_complex() { 2 } else { 1 };
        let parts: Vec<_> =
            sums.iter().flat_map(|sum| [real(sum.re()), real(sum.im())].into_iter().take(width)).collect();
        // One work-group's.
        self.blocks = 1;
        self.sums[self.current].write(&self.queue, &parts)
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
