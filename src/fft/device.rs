//! A transform on a device: its recipe's programs, built, and its tables, in the device's memory.

use std::sync::Arc;

use super::descriptor::{Batch, Problem};
use super::kernels::{self, WORK_ARRAYS};
use super::pass::{Form, Pass, Window};
use super::recipe::{Dimension, Place, Recipe, Spectrum, Step};
use super::space::FftParameters;
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

/// Work-groups for each compute unit, of passes whose work-items go from block to block.
const GROUPS_PER_UNIT: usize = 4;

/// Lines of a launch: kernels count them in 32 bits.
const MOST_LINES: usize = i32::MAX as usize;

/// Scratch memory for each compute unit that its caches hold.
const CACHED_BYTES_PER_UNIT: u64 = 2 << 20;

/// A memory of a launch, and where in it a transform begins, in elements.
#[derive(Clone, Copy)]
pub(crate) struct Operand<'a> {
    pub(crate) memory: &'a dyn DeviceMemory,
    pub(crate) offset: usize,
}

/// The operands of a launch's steps.
#[derive(Clone, Copy)]
struct Operands<'a> {
    input: Operand<'a>,
    /// That of a convolution.
    kernel: Option<Operand<'a>>,
    output: Operand<'a>,
}

/// A transform made ready for a context.
#[derive(Debug)]
pub(crate) struct DeviceFft {
    problem: Problem,
    /// The transforms that the scratch memory suffices for at a time, and what is left of the batch.
    whole: Prepared,
    rest: Option<Prepared>,
    chunk: usize,
    scratch_bytes: u64,
}

/// A recipe's programs and tables.
#[derive(Debug)]
struct Prepared {
    launches: Vec<Prelaunch>,
    scratch: Vec<usize>,
    scale: f64,
}

#[derive(Debug)]
struct Prelaunch {
    step: Step,
    program: Arc<Program>,
    name: String,
    tables: DeviceBuffer,
    /// A spectrum of the recipe's own.
    spectrum: Option<Arc<DeviceBuffer>>,
    groups: usize,
    items: usize,
}

impl DeviceFft {
    /// Designs the transform for a context's device, builds its programs and computes its tables.
    ///
    /// # Errors
    /// [`Error::PrecisionNotSupported`], [`Error::ProgramBuild`], [`Error::OutOfDeviceMemory`].
    pub(crate) fn new(context: &Arc<DeviceContext>, problem: &Problem, double: bool) -> Result<Self> {
        Self::for_facts(context, context.device().info(), problem, double)
    }

    /// The same for a device of which something else is told, as tests do.
    pub(super) fn for_facts(
        context: &Arc<DeviceContext>,
        device_info: &DeviceInfo,
        problem: &Problem,
        double: bool,
    ) -> Result<Self> {
        let kind = if double { ScalarKind::Z } else { ScalarKind::C };
        device_info.require(kind)?;
        let parameters = FftParameters::for_problem(problem, double, device_info, Tuned::of_context(context));
        let more = parameters.with_line_bytes(opt_in_local_memory(context, device_info, kind));
        match Self::with_parameters(context, device_info, problem, double, &more) {
            // The compiler of the device's driver gives no more than the device states.
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
        let recipe = |count: usize| {
            let problem = Problem { batch: Batch { count, ..problem.batch }, ..problem.clone() };
            Recipe::design(&problem, double, device_info, parameters)
        };
        let bytes =
            |recipe: &Recipe| scratch_numbers(recipe, device_info.compute_units) as u64 * if double { 16 } else { 8 };
        let count = problem.batch.count;
        let mut chunk = count;
        let mut whole = recipe(chunk);
        let too_much = |recipe: &Recipe| {
            let lines = recipe.steps.iter().map(Step::lines).max().unwrap_or(0);
            bytes(recipe) > context.scratch_limit() || recipe.leaves_caches(double, device_info) || lines > MOST_LINES
        };
        while chunk > 1 && too_much(&whole) {
            chunk = chunk.div_ceil(2);
            whole = recipe(chunk);
        }
        let scratch_bytes = bytes(&whole);
        let left = if chunk == 0 { 0 } else { count % chunk };
        let prepare = |recipe: Recipe| Prepared::new(context, recipe, double);
        Ok(DeviceFft {
            problem: problem.clone(),
            rest: (left > 0).then(|| prepare(recipe(left))).transpose()?,
            whole: prepare(whole)?,
            chunk,
            scratch_bytes,
        })
    }

    /// Bytes of scratch memory that an execution needs.
    pub(crate) const fn scratch_bytes(&self) -> u64 {
        self.scratch_bytes
    }

    /// Enqueues the transform. In place, input and output are one.
    ///
    /// # Errors
    /// [`Error::OpenCl`], [`Error::OutOfDeviceMemory`].
    pub(crate) fn enqueue(
        &self,
        queue: &Queue,
        input: Operand<'_>,
        output: Operand<'_>,
        scratch: &dyn DeviceMemory,
    ) -> Result<Event> {
        let Batch { count, input_distance, output_distance } = self.problem.batch;
        let mut first = 0;
        while first < count {
            let (prepared, lines) = match &self.rest {
                Some(rest) if count - first < self.chunk => (rest, count - first),
                _ => (&self.whole, self.chunk),
            };
            let moved = |operand: Operand<'_>, distance: usize| operand.offset + first * distance;
            let input = Operand { offset: moved(input, input_distance), ..input };
            let output = Operand { offset: moved(output, output_distance), ..output };
            let operands = Operands { input, kernel: None, output };
            for launch in &prepared.launches {
                launch.enqueue(queue, prepared, operands, scratch)?;
            }
            first += lines;
        }
        queue.marker()
    }
}

impl Recipe {
    /// Whether what lies between its passes is more than the caches of a CPU hold.
    fn leaves_caches(&self, double: bool, device_info: &DeviceInfo) -> bool {
        let bytes = self.scratch.iter().sum::<usize>() as u64 * if double { 16 } else { 8 };
        device_info.class == DeviceClass::Cpu && bytes > CACHED_BYTES_PER_UNIT * device_info.compute_units as u64
    }
}

/// Complex numbers of scratch memory: a recipe's parts, then the room that its passes work in.
pub(super) fn scratch_numbers(recipe: &Recipe, units: usize) -> usize {
    let work = recipe.steps.iter().map(|step| work_numbers(step, units)).max().unwrap_or(0);
    recipe.scratch.iter().sum::<usize>() + work
}

fn work_numbers(step: &Step, units: usize) -> usize {
    match step.pass.form {
        Form::Lanes { width, .. } => shape(step, units).0 * WORK_ARRAYS * step.pass.length() * width,
        Form::Group { .. } => 0,
    }
}

/// Work-groups, and work-items in each.
pub(super) fn shape(step: &Step, units: usize) -> (usize, usize) {
    match step.pass.form {
        Form::Lanes { .. } => (blocks(step).min(GROUPS_PER_UNIT * units).max(1), 1),
        Form::Group { threads, lines, .. } => (step.lines().div_ceil(lines), threads * lines),
    }
}

/// Vectors of lines.
fn blocks(step: &Step) -> usize {
    across(step) * step.dimensions[1..].iter().map(|dimension| dimension.count).product::<usize>()
}

/// Those on the first dimension.
fn across(step: &Step) -> usize {
    match step.pass.form {
        Form::Lanes { width, tail: false, .. } if step.pass.in_place => step.dimensions[0].count / width,
        Form::Lanes { width, tail: false, .. } => step.dimensions[0].count.div_ceil(width),
        _ => 1,
    }
}

impl Prepared {
    fn new(context: &Arc<DeviceContext>, recipe: Recipe, double: bool) -> Result<Self> {
        let upload =
            |numbers: &[f64]| if double { upload(context, numbers) } else { upload(context, &rounded(numbers)) };
        let spectrum = |spectrum: &Vec<rustfft::num_complex::Complex64>| {
            upload(&spectrum.iter().flat_map(|z| [z.re, z.im]).collect::<Vec<_>>()).map(Arc::new)
        };
        let spectra = recipe.spectra.iter().map(spectrum).collect::<Result<Vec<_>>>()?;
        let launch = |step: Step| {
            let pass = &step.pass;
            let kernel = kernels::kernel(pass).map_err(|error| defect(pass, &error))?;
            let program = context.generated_program(&GeneratedSource::from(&kernel))?;
            let tables = upload(&pass.tables())?;
            let (groups, items) = shape(&step, context.device().info().compute_units);
            let spectrum = match step.spectrum {
                Some(Spectrum::Table(number)) => Some(spectra[number].clone()),
                _ => None,
            };
            Ok(Prelaunch { name: kernel.name().to_owned(), program, tables, spectrum, groups, items, step })
        };
        let launches = recipe.steps.into_iter().map(launch).collect::<Result<Vec<_>>>()?;
        Ok(Prepared { launches, scratch: recipe.scratch, scale: recipe.scale })
    }
}

/// A kernel that cannot be built is a mistake of the library's.
#[cold]
fn defect(pass: &Pass, error: &kernel::BuildError) -> Error {
    Error::Internal(format!("the kernel {} cannot be generated: {error}", pass.name()))
}

fn rounded(numbers: &[f64]) -> Vec<f32> {
    numbers.iter().map(|number| *number as f32).collect()
}

/// Memory that holds the numbers; at least one, as OpenCL has no empty memory.
fn upload<T: Element>(context: &Arc<DeviceContext>, numbers: &[T]) -> Result<DeviceBuffer> {
    let memory = DeviceBuffer::new(context, size_of_val(numbers), "an FFT's tables")?;
    if !numbers.is_empty() {
        memory.write(&Queue::new(context)?, numbers)?;
    }
    Ok(memory)
}

/// Where in its memories a launch begins.
pub(super) struct Offsets {
    /// In elements.
    pub(super) source: usize,
    pub(super) target: usize,
    /// In complex numbers.
    pub(super) spectrum: usize,
    /// Complex numbers before the room that lanes work in.
    pub(super) work: usize,
}

/// Whether a kernel is told of positions, what an element adds to them, and a line on a dimension.
type Positions = (bool, usize, fn(&Dimension) -> usize);

impl Step {
    /// The kernel's arguments after the memories, but for the scale.
    pub(super) fn indices(&self, offsets: &Offsets) -> Vec<usize> {
        let mut indices = Vec::new();
        if let Form::Lanes { width, .. } = self.pass.form {
            indices.push(2 * offsets.work / width);
        }
        indices.extend([offsets.source, self.load, offsets.target, self.store]);
        indices.extend(self.dimensions.iter().flat_map(|dimension| [dimension.count, dimension.load, dimension.store]));
        for (_, element, line) in self.positions().into_iter().filter(|(wanted, ..)| *wanted) {
            indices.push(element);
            indices.extend(self.dimensions.iter().map(line));
        }
        if self.pass.convolve.is_some() {
            indices.push(offsets.spectrum);
        }
        let window = |Window { lead, count, period, block }: Window| [lead, count, period, block];
        if self.pass.load.window {
            indices.extend(window(self.load_window));
        }
        if self.pass.store.window {
            indices.extend(window(self.store_window));
            indices.extend(self.dimensions.iter().map(|dimension| dimension.store_window));
        }
        match self.pass.form {
            Form::Lanes { tail, .. } => {
                indices.extend([blocks(self), across(self)]);
                if tail {
                    indices.extend([self.first_line, self.dimensions[0].count - self.first_line]);
                }
            }
            Form::Group { .. } => indices.push(self.lines()),
        }
        indices
    }

    /// Those of the input, the output and the spectrum.
    fn positions(&self) -> [Positions; 3] {
        let Pass { load, store, convolve, .. } = &self.pass;
        [
            (load.positioned(), self.load_position, |dimension| dimension.load_position),
            (store.positioned(), self.store_position, |dimension| dimension.store_position),
            (convolve.is_some(), self.spectrum_position, |dimension| dimension.spectrum),
        ]
    }
}

impl Prelaunch {
    fn enqueue(
        &self,
        queue: &Queue,
        prepared: &Prepared,
        operands: Operands<'_>,
        scratch: &dyn DeviceMemory,
    ) -> Result<()> {
        let step = &self.step;
        let part = |part: usize| prepared.scratch[..part].iter().sum();
        let operand = |place: Place| match place {
            Place::Input => operands.input,
            Place::Kernel => operands.kernel.unwrap_or(operands.input),
            Place::Output => operands.output,
            Place::Scratch(number) => Operand { memory: scratch, offset: part(number) },
        };
        let (source, target) = (operand(step.source), operand(step.target));
        let mut launch = Launch::new(queue, &self.program, self.name.clone()).buffer(source.memory);
        if !step.pass.in_place {
            launch = launch.buffer(target.memory);
        }
        launch = launch.buffer(&self.tables);
        let mut offsets =
            Offsets { source: source.offset, target: target.offset, spectrum: 0, work: part(prepared.scratch.len()) };
        if let Some(Spectrum::Scratch(number)) = step.spectrum {
            launch = launch.buffer(scratch);
            offsets.spectrum = part(number);
        } else if let Some(spectrum) = &self.spectrum {
            launch = launch.buffer(&**spectrum);
        }
        if let Form::Lanes { .. } = step.pass.form {
            launch = launch.buffer(scratch);
        }
        for index in step.indices(&offsets) {
            launch = launch.index(index);
        }
        if step.pass.scale {
            launch = if step.pass.double { launch.raw(prepared.scale) } else { launch.raw(prepared.scale as f32) };
        }
        launch.enqueue_step([self.groups, 1, 1], [self.items, 1, 1])
    }
}
