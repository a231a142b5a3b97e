//! A convolution on a device.

use std::sync::Arc;

use super::{BuiltPasses, MAX_PENCILS, Operand, Operands, workspace_points};
use crate::context::{ContextParts, DeviceContext, DeviceMemory, Event, Queue};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::fft::convolution::ConvolutionProblem;
use crate::fft::pass::{Pass, PassList};
use crate::fft::planner::Planner;
use crate::fft::recipe::ConvolutionRecipe;
use crate::fft::space::FftParameters;
use crate::scalar::ScalarKind;

/// A convolution with its programs and tables on a context.
#[derive(Debug)]
pub(crate) struct DeviceConvolution {
    problem: ConvolutionProblem,
    /// The passes for the `chunk` signals that fit in the workspace, and for the remainder of the batch.
    whole: Chunk,
    rest: Option<Chunk>,
    chunk: usize,
    workspace_bytes: u64,
}

/// The passes for some signals.
#[derive(Debug)]
struct Chunk {
    built: BuiltPasses,
    /// Launches that transform the kernels; they come first.
    kernel_launches: usize,
}

#[derive(Clone, Copy)]
pub(crate) struct ConvolutionOperands<'a> {
    pub(crate) signal: Operand<'a>,
    pub(crate) kernel: Operand<'a>,
    pub(crate) output: Operand<'a>,
}

impl DeviceConvolution {
    /// Chooses the recipe for the device of a context, lowers it, builds the programs and uploads the tables.
    ///
    /// # Errors
    /// [`Error::PrecisionNotSupported`](crate::Error::PrecisionNotSupported),
    /// [`Error::ProgramBuild`](crate::Error::ProgramBuild),
    /// [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory).
    pub(crate) fn new(context: &Arc<DeviceContext>, problem: &ConvolutionProblem, kind: ScalarKind) -> Result<Self> {
        Self::for_facts(context, context.device().info(), problem, kind)
    }

    /// [`DeviceConvolution::new`] with other facts of the device, for tests.
    pub(in super::super) fn for_facts(
        context: &Arc<DeviceContext>,
        device_info: &DeviceInfo,
        problem: &ConvolutionProblem,
        kind: ScalarKind,
    ) -> Result<Self> {
        device_info.require(kind)?;
        let (double, real) = (kind.is_double(), !kind.is_complex());
        let planner = Planner::of(device_info, double, &FftParameters::for_device(double, device_info));
        let list = |batch: usize| {
            let problem = ConvolutionProblem { batch, ..problem.clone() };
            let recipe = ConvolutionRecipe::choose(&problem, real, &planner);
            PassList::lower_convolution(&recipe, &problem, real, &planner)
        };
        let bytes =
            |list: &PassList| workspace_points(list, device_info.compute_units) as u64 * if double { 16 } else { 8 };
        let mut chunk = problem.batch;
        let (mut whole, mut kernel_passes) = list(chunk);
        let exceeds_limits = |list: &PassList| {
            let pencils = list.passes.iter().map(Pass::pencils).max().unwrap_or(0);
            bytes(list) > context.workspace_limit() || list.exceeds_caches(double, device_info) || pencils > MAX_PENCILS
        };
        while chunk > 1 && exceeds_limits(&whole) {
            chunk = chunk.div_ceil(2);
            (whole, kernel_passes) = list(chunk);
        }
        let workspace_bytes = bytes(&whole);
        let left = if chunk == 0 { 0 } else { problem.batch % chunk };
        let prepare = |(list, kernel_launches): (PassList, usize)| -> Result<Chunk> {
            Ok(Chunk { built: BuiltPasses::new(context, list, double)?, kernel_launches })
        };
        Ok(DeviceConvolution {
            problem: problem.clone(),
            rest: (left > 0).then(|| prepare(list(left))).transpose()?,
            whole: prepare((whole, kernel_passes))?,
            chunk,
            workspace_bytes,
        })
    }

    /// Bytes of workspace that an execution needs.
    pub(crate) const fn workspace_bytes(&self) -> u64 {
        self.workspace_bytes
    }

    /// Enqueues the convolution.
    ///
    /// # Errors
    /// [`Error::OpenCl`](crate::Error::OpenCl), [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory).
    pub(crate) fn enqueue(
        &self,
        queue: &Queue,
        operands: ConvolutionOperands<'_>,
        workspace: &dyn DeviceMemory,
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
            .map(|(operand, points)| Operand { offset: operand.offset + first * points, ..operand });
            // The spectrum of a shared kernel is computed once.
            let known = if first > 0 && !batched_kernels { chunk.kernel_launches } else { 0 };
            for launch in &chunk.built.launches[known..] {
                launch.enqueue(queue, &chunk.built, Operands { input, kernel: Some(kernel), output }, workspace)?;
            }
            first += signals;
        }
        queue.marker()
    }
}
