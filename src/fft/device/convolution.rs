//! A convolution on a device.

use std::sync::Arc;

use super::{MOST_LINES, Operand, Operands, Prepared, scratch_numbers};
use crate::context::{ContextParts, DeviceContext, DeviceMemory, Event, Queue};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::fft::convolution::ConvolutionProblem;
use crate::fft::recipe::{Recipe, Step};
use crate::scalar::ScalarKind;

/// A convolution made ready for a context.
#[derive(Debug)]
pub(crate) struct DeviceConvolution {
    problem: ConvolutionProblem,
    /// The signals that the scratch memory suffices for at a time, and what is left of the batch.
    whole: Chunk,
    rest: Option<Chunk>,
    chunk: usize,
    scratch_bytes: u64,
}

/// A recipe for some signals.
#[derive(Debug)]
struct Chunk {
    prepared: Prepared,
    /// The first launches are those that transform the kernels.
    kernel_launches: usize,
}

/// Signals, kernels and results.
#[derive(Clone, Copy)]
pub(crate) struct ConvolutionOperands<'a> {
    pub(crate) signal: Operand<'a>,
    pub(crate) kernel: Operand<'a>,
    pub(crate) output: Operand<'a>,
}

impl DeviceConvolution {
    /// Designs the convolution of real or complex numbers for a context's device, builds its programs and computes its tables.
    ///
    /// # Errors
    /// [`Error::PrecisionNotSupported`](crate::Error::PrecisionNotSupported), [`Error::ProgramBuild`](crate::Error::ProgramBuild),
    /// [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory).
    pub(crate) fn new(context: &Arc<DeviceContext>, problem: &ConvolutionProblem, kind: ScalarKind) -> Result<Self> {
        Self::for_facts(context, context.device().info(), problem, kind)
    }

    /// The same for a device of which something else is told, as tests do.
    pub(in super::super) fn for_facts(
        context: &Arc<DeviceContext>,
        device_info: &DeviceInfo,
        problem: &ConvolutionProblem,
        kind: ScalarKind,
    ) -> Result<Self> {
        device_info.require(kind)?;
        let double = kind.is_double();
        let recipe = |batch: usize| {
            let problem = ConvolutionProblem { batch, ..problem.clone() };
            Recipe::convolution(&problem, kind, device_info)
        };
        let bytes =
            |recipe: &Recipe| scratch_numbers(recipe, device_info.compute_units) as u64 * if double { 16 } else { 8 };
        let mut chunk = problem.batch;
        let (mut whole, mut kernel_steps) = recipe(chunk);
        let too_much = |recipe: &Recipe| {
            let lines = recipe.steps.iter().map(Step::lines).max().unwrap_or(0);
            bytes(recipe) > context.scratch_limit() || recipe.leaves_caches(double, device_info) || lines > MOST_LINES
        };
        while chunk > 1 && too_much(&whole) {
            chunk = chunk.div_ceil(2);
            (whole, kernel_steps) = recipe(chunk);
        }
        let scratch_bytes = bytes(&whole);
        let left = if chunk == 0 { 0 } else { problem.batch % chunk };
        let prepare = |(recipe, kernel_launches): (Recipe, usize)| -> Result<Chunk> {
            Ok(Chunk { prepared: Prepared::new(context, recipe, double)?, kernel_launches })
        };
        Ok(DeviceConvolution {
            problem: problem.clone(),
            rest: (left > 0).then(|| prepare(recipe(left))).transpose()?,
            whole: prepare((whole, kernel_steps))?,
            chunk,
            scratch_bytes,
        })
    }

    /// Bytes of scratch memory that an execution needs.
    pub(crate) const fn scratch_bytes(&self) -> u64 {
        self.scratch_bytes
    }

    /// Enqueues the convolution.
    ///
    /// # Errors
    /// [`Error::OpenCl`](crate::Error::OpenCl), [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory).
    pub(crate) fn enqueue(
        &self,
        queue: &Queue,
        operands: ConvolutionOperands<'_>,
        scratch: &dyn DeviceMemory,
    ) -> Result<Event> {
        let ConvolutionProblem { batch, batched_kernels, .. } = self.problem;
        let mut first = 0;
        while first < batch {
            let (chunk, signals) = match &self.rest {
                Some(rest) if batch - first < self.chunk => (rest, batch - first),
                _ => (&self.whole, self.chunk),
            };
            let [input, kernel, output] = [
                (operands.signal, self.problem.signal_points()),
                (operands.kernel, if batched_kernels { self.problem.kernel_points() } else { 0 }),
                (operands.output, self.problem.output_points()),
            ]
            .map(|(operand, numbers)| Operand { offset: operand.offset + first * numbers, ..operand });
            // The spectrum of a kernel that serves all is there still.
            let known = if first > 0 && !batched_kernels { chunk.kernel_launches } else { 0 };
            for launch in &chunk.prepared.launches[known..] {
                launch.enqueue(queue, &chunk.prepared, Operands { input, kernel: Some(kernel), output }, scratch)?;
            }
            first += signals;
        }
        queue.marker()
    }
}
