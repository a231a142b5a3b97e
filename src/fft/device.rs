//! A transform on a device: the programs of its passes, and their tables in the device's memory.

use std::sync::Arc;

use super::descriptor::{Batch, Problem};
use super::kernels::{self, WORK_ARRAYS};
use super::pass::{Buffer, Dimension, Pass, PassList, Spectrum};
use super::planner::Planner;
use super::recipe::Recipe;
use super::space::FftParameters;
use super::spec::{Form, KernelSpec, PadWindow};
use crate::blas::level3::gemm::opt_in_local_memory;
use crate::context::{BufferParts, ContextParts, DeviceBuffer, DeviceContext, DeviceMemory, Event, Queue};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::program::{GeneratedSource, Program};
use crate::scalar::{Element, ScalarKind};
use crate::tuning::tuned::Tuned;
use affinimath_kernel as kernel;

mod convolution;

pub(crate) use convolution::{ConvolutionOperands, DeviceConvolution};

/// Work-groups for each compute unit, of kernels whose work-items loop over blocks of pencils.
const GROUPS_PER_UNIT: usize = 4;

/// Pencils of a launch: kernels count them in 32 bits.
const MAX_PENCILS: usize = i32::MAX as usize;

/// Workspace that the caches of a compute unit hold.
const CACHED_BYTES_PER_UNIT: u64 = 2 << 20;

/// The memory of an operand; `offset` is its first element.
#[derive(Clone, Copy)]
pub(crate) struct Operand<'a> {
    pub(crate) memory: &'a dyn DeviceMemory,
    pub(crate) offset: usize,
}

#[derive(Clone, Copy)]
struct Operands<'a> {
    input: Operand<'a>,
    /// The kernel of a convolution.
    kernel: Option<Operand<'a>>,
    output: Operand<'a>,
}

/// A transform with its programs and tables on a context.
#[derive(Debug)]
pub(crate) struct DeviceFft {
    problem: Problem,
    /// The passes for the `chunk` transforms that fit in the workspace, and for the remainder of the batch.
    whole: BuiltPasses,
    rest: Option<BuiltPasses>,
    chunk: usize,
    workspace_bytes: u64,
}

#[derive(Debug)]
struct BuiltPasses {
    launches: Vec<BuiltPass>,
    workspace: Vec<usize>,
    scale: f64,
}

#[derive(Debug)]
struct BuiltPass {
    pass: Pass,
    program: Arc<Program>,
    name: String,
    tables: DeviceBuffer,
    /// The spectrum of a chirp.
    spectrum: Option<Arc<DeviceBuffer>>,
    groups: usize,
    items: usize,
}

impl DeviceFft {
    /// Chooses the recipe for the device of a context, lowers it, builds the programs and uploads the tables.
    ///
    /// # Errors
    /// [`Error::PrecisionNotSupported`], [`Error::ProgramBuild`], [`Error::OutOfDeviceMemory`].
    pub(crate) fn new(context: &Arc<DeviceContext>, problem: &Problem, double: bool) -> Result<Self> {
        Self::for_facts(context, context.device().info(), problem, double)
    }

    /// [`DeviceFft::new`] with other facts of the device, for tests.
    pub(super) fn for_facts(
        context: &Arc<DeviceContext>,
        device_info: &DeviceInfo,
        problem: &Problem,
        double: bool,
    ) -> Result<Self> {
        let kind = if double { ScalarKind::Z } else { ScalarKind::C };
        device_info.require(kind)?;
        let parameters = FftParameters::for_problem(problem, double, device_info, Tuned::of_context(context));
        let more = parameters.with_pencil_bytes(opt_in_local_memory(context, device_info, kind));
        match Self::with_parameters(context, device_info, problem, double, &more) {
            // The driver refuses opt-in local memory.
            Err(Error::ProgramBuild { .. }) if more != parameters => {
                Self::with_parameters(context, device_info, problem, double, &parameters)
            }
            made => made,
        }
    }

    fn with_parameters(
        context: &Arc<DeviceContext>,
        device_info: &DeviceInfo,
        problem: &Problem,
        double: bool,
        parameters: &FftParameters,
    ) -> Result<Self> {
        let planner = Planner::of(device_info, double, parameters);
        let list = |count: usize| {
            let problem = Problem { batch: Batch { count, ..problem.batch }, ..problem.clone() };
            PassList::lower(&Recipe::choose(&problem, &planner), &problem, &planner)
        };
        let bytes =
            |list: &PassList| workspace_points(list, device_info.compute_units) as u64 * if double { 16 } else { 8 };
        let count = problem.batch.count;
        let mut chunk = count;
        let mut whole = list(chunk);
        let exceeds_limits = |list: &PassList| {
            let pencils = list.passes.iter().map(Pass::pencils).max().unwrap_or(0);
            bytes(list) > context.workspace_limit() || list.exceeds_caches(double, device_info) || pencils > MAX_PENCILS
        };
        while chunk > 1 && exceeds_limits(&whole) {
            chunk = chunk.div_ceil(2);
            whole = list(chunk);
        }
        let workspace_bytes = bytes(&whole);
        let left = if chunk == 0 { 0 } else { count % chunk };
        let prepare = |list: PassList| BuiltPasses::new(context, list, double);
        Ok(DeviceFft {
            problem: problem.clone(),
            rest: (left > 0).then(|| prepare(list(left))).transpose()?,
            whole: prepare(whole)?,
            chunk,
            workspace_bytes,
        })
    }

    /// Bytes of workspace that an execution needs.
    pub(crate) const fn workspace_bytes(&self) -> u64 {
        self.workspace_bytes
    }

    /// Enqueues the transform. In place, input and output are the same memory.
    ///
    /// # Errors
    /// [`Error::OpenCl`], [`Error::OutOfDeviceMemory`].
    pub(crate) fn enqueue(
        &self,
        queue: &Queue,
        input: Operand<'_>,
        output: Operand<'_>,
        workspace: &dyn DeviceMemory,
    ) -> Result<Event> {
        let Batch { count, input_distance, output_distance } = self.problem.batch;
        let mut first = 0;
        while first < count {
            let (built, pencils) = match &self.rest {
                Some(rest) if count - first < self.chunk => (rest, count - first),
                _ => (&self.whole, self.chunk),
            };
            let moved = |operand: Operand<'_>, distance: usize| operand.offset + first * distance;
            let input = Operand { offset: moved(input, input_distance), ..input };
            let output = Operand { offset: moved(output, output_distance), ..output };
            let operands = Operands { input, kernel: None, output };
            for launch in &built.launches {
                launch.enqueue(queue, built, operands, workspace)?;
            }
            first += pencils;
        }
        queue.marker()
    }
}

impl PassList {
    /// True if the points between the passes exceed the caches of a CPU.
    fn exceeds_caches(&self, double: bool, device_info: &DeviceInfo) -> bool {
        let bytes = self.workspace.iter().sum::<usize>() as u64 * if double { 16 } else { 8 };
        device_info.class == DeviceClass::Cpu && bytes > CACHED_BYTES_PER_UNIT * device_info.compute_units as u64
    }
}

/// Complex points of workspace: the parts of the list, then the work arrays of SIMD kernels.
pub(super) fn workspace_points(list: &PassList, units: usize) -> usize {
    let work = list.passes.iter().map(|pass| work_points(pass, units)).max().unwrap_or(0);
    list.workspace.iter().sum::<usize>() + work
}

fn work_points(pass: &Pass, units: usize) -> usize {
    match pass.spec.form {
        Form::Simd { width, .. } => shape(pass, units).0 * WORK_ARRAYS * pass.spec.length() * width,
        Form::WorkGroup { .. } => 0,
    }
}

/// Work-groups, and work-items in each.
pub(super) fn shape(pass: &Pass, units: usize) -> (usize, usize) {
    match pass.spec.form {
        Form::Simd { .. } => (blocks(pass).min(GROUPS_PER_UNIT * units).max(1), 1),
        Form::WorkGroup { items, pencils, .. } => (pass.pencils().div_ceil(pencils), items * pencils),
    }
}

/// Vectors of pencils.
fn blocks(pass: &Pass) -> usize {
    across_pencils(pass) * pass.dimensions[1..].iter().map(|dimension| dimension.count).product::<usize>()
}

/// Vectors of pencils on the first dimension.
fn across_pencils(pass: &Pass) -> usize {
    match pass.spec.form {
        Form::Simd { width, tail: false, .. } if pass.spec.in_place => pass.dimensions[0].count / width,
        Form::Simd { width, tail: false, .. } => pass.dimensions[0].count.div_ceil(width),
        _ => 1,
    }
}

impl BuiltPasses {
    fn new(context: &Arc<DeviceContext>, list: PassList, double: bool) -> Result<Self> {
        let upload = |values: &[f64]| if double { upload(context, values) } else { upload(context, &rounded(values)) };
        let spectrum = |spectrum: &Vec<rustfft::num_complex::Complex64>| {
            upload(&spectrum.iter().flat_map(|z| [z.re, z.im]).collect::<Vec<_>>()).map(Arc::new)
        };
        let spectra = list.spectra.iter().map(spectrum).collect::<Result<Vec<_>>>()?;
        let launch = |pass: Pass| {
            let spec = &pass.spec;
            let kernel = kernels::kernel(spec).map_err(|error| defect(spec, &error))?;
            let program = context.generated_program(&GeneratedSource::from(&kernel))?;
            let tables = upload(&spec.tables())?;
            let (groups, items) = shape(&pass, context.device().info().compute_units);
            let spectrum = match pass.spectrum {
                Some(Spectrum::Table(number)) => Some(spectra[number].clone()),
                _ => None,
            };
            Ok(BuiltPass { name: kernel.name().to_owned(), program, tables, spectrum, groups, items, pass })
        };
        let launches = list.passes.into_iter().map(launch).collect::<Result<Vec<_>>>()?;
        Ok(BuiltPasses { launches, workspace: list.workspace, scale: list.scale })
    }
}

/// A kernel that cannot be built is a defect of the library.
#[cold]
fn defect(spec: &KernelSpec, error: &kernel::BuildError) -> Error {
    Error::Internal(format!("the kernel {} cannot be generated: {error}", spec.name()))
}

fn rounded(values: &[f64]) -> Vec<f32> {
    values.iter().map(|number| *number as f32).collect()
}

/// Device memory with these values.
fn upload<T: Element>(context: &Arc<DeviceContext>, values: &[T]) -> Result<DeviceBuffer> {
    let memory = DeviceBuffer::new(context, size_of_val(values), "an FFT's tables")?;
    if !values.is_empty() {
        memory.write(&Queue::new(context)?, values)?;
    }
    Ok(memory)
}

/// The first element of each operand of a launch.
pub(super) struct Offsets {
    /// In elements of the operand.
    pub(super) source: usize,
    pub(super) target: usize,
    /// In complex points.
    pub(super) spectrum: usize,
    /// Complex points before the work arrays of a SIMD kernel.
    pub(super) work: usize,
}

/// True if a kernel computes positions, their stride along a pencil, and that between pencils of a dimension.
type Positions = (bool, usize, fn(&Dimension) -> usize);

impl Pass {
    /// The index arguments of the kernel: all after the buffers but the scale.
    pub(super) fn indices(&self, offsets: &Offsets) -> Vec<usize> {
        let mut indices = Vec::new();
        if let Form::Simd { width, .. } = self.spec.form {
            indices.push(2 * offsets.work / width);
        }
        indices.extend([offsets.source, self.load, offsets.target, self.store]);
        indices.extend(self.dimensions.iter().flat_map(|dimension| [dimension.count, dimension.load, dimension.store]));
        for (_, element, pencil) in self.positions().into_iter().filter(|(wanted, ..)| *wanted) {
            indices.push(element);
            indices.extend(self.dimensions.iter().map(pencil));
        }
        if self.spec.convolve.is_some() {
            indices.push(offsets.spectrum);
        }
        let window = |PadWindow { lead, count, period, block }: PadWindow| [lead, count, period, block];
        if self.spec.load.window {
            indices.extend(window(self.load_window));
        }
        if self.spec.store.window {
            indices.extend(window(self.store_window));
            indices.extend(self.dimensions.iter().map(|dimension| dimension.store_window));
        }
        match self.spec.form {
            Form::Simd { tail, .. } => {
                indices.extend([blocks(self), across_pencils(self)]);
                if tail {
                    indices.extend([self.first_pencil, self.dimensions[0].count - self.first_pencil]);
                }
            }
            Form::WorkGroup { .. } => indices.push(self.pencils()),
        }
        indices
    }

    /// Strides of the positions in source, target and spectrum.
    fn positions(&self) -> [Positions; 3] {
        let KernelSpec { load, store, convolve, .. } = &self.spec;
        [
            (load.positioned(), self.load_position, |dimension| dimension.load_position),
            (store.positioned(), self.store_position, |dimension| dimension.store_position),
            (convolve.is_some(), self.spectrum_position, |dimension| dimension.spectrum),
        ]
    }
}

impl BuiltPass {
    fn enqueue(
        &self,
        queue: &Queue,
        built: &BuiltPasses,
        operands: Operands<'_>,
        workspace: &dyn DeviceMemory,
    ) -> Result<()> {
        let pass = &self.pass;
        let part = |part: usize| built.workspace[..part].iter().sum();
        let operand = |buffer: Buffer| match buffer {
            Buffer::Input => operands.input,
            Buffer::Kernel => operands.kernel.unwrap_or(operands.input),
            Buffer::Output => operands.output,
            Buffer::Workspace(number) => Operand { memory: workspace, offset: part(number) },
        };
        let (source, target) = (operand(pass.source), operand(pass.target));
        let mut launch = Launch::new(queue, &self.program, self.name.clone()).buffer(source.memory);
        if !pass.spec.in_place {
            launch = launch.buffer(target.memory);
        }
        launch = launch.buffer(&self.tables);
        let mut offsets =
            Offsets { source: source.offset, target: target.offset, spectrum: 0, work: part(built.workspace.len()) };
        if let Some(Spectrum::Workspace(number)) = pass.spectrum {
            launch = launch.buffer(workspace);
            offsets.spectrum = part(number);
        } else if let Some(spectrum) = &self.spectrum {
            launch = launch.buffer(&**spectrum);
        }
        if let Form::Simd { .. } = pass.spec.form {
            launch = launch.buffer(workspace);
        }
        for index in pass.indices(&offsets) {
            launch = launch.index(index);
        }
        if pass.spec.scale {
            launch = if pass.spec.double { launch.raw(built.scale) } else { launch.raw(built.scale as f32) };
        }
        launch.enqueue_step([self.groups, 1, 1], [self.items, 1, 1])
    }
}
