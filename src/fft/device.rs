//! A transform on a device: its recipe's programs, built, and its tables, in the device's memory.

use std::sync::Arc;

use super::descriptor::{Batch, Problem};
use super::kernels::{self, WORK_ARRAYS};
use super::pass::{Buffer, Dimension, Pass, PassList, Spectrum};
use super::planner::Planner;
use super::recipe::Recipe;
use super::space::FftParameters;
use super::spec::{Form, KernelSpec, Window};
use crate::blas::level3::gemm::opt_in_local_memory;
use crate::context::{BufferParts, ContextParts, DeviceBuffer, DeviceContext, DeviceMemory, Event, Queue};
use crate::device::{DeviceClass, DeviceFacts};
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
    pass: Pass,
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
        Self::for_facts(context, context.device().facts(), problem, double)
    }

    /// The same for a device of which something else is told, as tests do.
    pub(super) fn for_facts(
        context: &Arc<DeviceContext>,
        facts: &DeviceFacts,
        problem: &Problem,
        double: bool,
    ) -> Result<Self> {
        let kind = if double { ScalarKind::Z } else { ScalarKind::C };
        facts.require(kind)?;
        let parameters = FftParameters::for_problem(problem, double, facts, Tuned::of_context(context));
        let more = parameters.with_line_bytes(opt_in_local_memory(context, facts, kind));
        match Self::with_parameters(context, facts, problem, double, &more) {
            // The compiler of the device's driver gives no more than the device states.
            Err(Error::ProgramBuild { .. }) if more != parameters => {
                Self::with_parameters(context, facts, problem, double, &parameters)
            }
            made => made,
        }
    }

    fn with_parameters(
        context: &Arc<DeviceContext>,
        facts: &DeviceFacts,
        problem: &Problem,
        double: bool,
        parameters: &FftParameters,
    ) -> Result<Self> {
        let planner = Planner::of(facts, double, parameters);
        let list = |count: usize| {
            let problem = Problem { batch: Batch { count, ..problem.batch }, ..problem.clone() };
            PassList::lower(&Recipe::choose(&problem, &planner), &problem, &planner)
        };
        let bytes = |list: &PassList| scratch_numbers(list, facts.compute_units) as u64 * if double { 16 } else { 8 };
        let count = problem.batch.count;
        let mut chunk = count;
        let mut whole = list(chunk);
        let too_much = |list: &PassList| {
            let lines = list.passes.iter().map(Pass::lines).max().unwrap_or(0);
            bytes(list) > context.scratch_limit() || list.leaves_caches(double, facts) || lines > MOST_LINES
        };
        while chunk > 1 && too_much(&whole) {
            chunk = chunk.div_ceil(2);
            whole = list(chunk);
        }
        let scratch_bytes = bytes(&whole);
        let left = if chunk == 0 { 0 } else { count % chunk };
        let prepare = |list: PassList| Prepared::new(context, list, double);
        Ok(DeviceFft {
            problem: problem.clone(),
            rest: (left > 0).then(|| prepare(list(left))).transpose()?,
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

impl PassList {
    /// Whether what lies between its passes is more than the caches of a CPU hold.
    fn leaves_caches(&self, double: bool, facts: &DeviceFacts) -> bool {
        let bytes = self.scratch.iter().sum::<usize>() as u64 * if double { 16 } else { 8 };
        facts.class == DeviceClass::Cpu && bytes > CACHED_BYTES_PER_UNIT * facts.compute_units as u64
    }
}

/// Complex numbers of scratch memory: a recipe's parts, then the room that its passes work in.
pub(super) fn scratch_numbers(list: &PassList, units: usize) -> usize {
    let work = list.passes.iter().map(|pass| work_numbers(pass, units)).max().unwrap_or(0);
    list.scratch.iter().sum::<usize>() + work
}

fn work_numbers(pass: &Pass, units: usize) -> usize {
    match pass.spec.form {
        Form::Lanes { width, .. } => shape(pass, units).0 * WORK_ARRAYS * pass.spec.length() * width,
        Form::Group { .. } => 0,
    }
}

/// Work-groups, and work-items in each.
pub(super) fn shape(pass: &Pass, units: usize) -> (usize, usize) {
    match pass.spec.form {
        Form::Lanes { .. } => (blocks(pass).min(GROUPS_PER_UNIT * units).max(1), 1),
        Form::Group { threads, lines, .. } => (pass.lines().div_ceil(lines), threads * lines),
    }
}

/// Vectors of lines.
fn blocks(pass: &Pass) -> usize {
    across(pass) * pass.dimensions[1..].iter().map(|dimension| dimension.count).product::<usize>()
}

/// Those on the first dimension.
fn across(pass: &Pass) -> usize {
    match pass.spec.form {
        Form::Lanes { width, tail: false, .. } if pass.spec.in_place => pass.dimensions[0].count / width,
        Form::Lanes { width, tail: false, .. } => pass.dimensions[0].count.div_ceil(width),
        _ => 1,
    }
}

impl Prepared {
    fn new(context: &Arc<DeviceContext>, list: PassList, double: bool) -> Result<Self> {
        let upload =
            |numbers: &[f64]| if double { upload(context, numbers) } else { upload(context, &rounded(numbers)) };
        let spectrum = |spectrum: &Vec<rustfft::num_complex::Complex64>| {
            upload(&spectrum.iter().flat_map(|z| [z.re, z.im]).collect::<Vec<_>>()).map(Arc::new)
        };
        let spectra = list.spectra.iter().map(spectrum).collect::<Result<Vec<_>>>()?;
        let launch = |pass: Pass| {
            let spec = &pass.spec;
            let kernel = kernels::kernel(spec).map_err(|error| defect(spec, &error))?;
            let program = context.generated_program(&GeneratedSource::from(&kernel))?;
            let tables = upload(&spec.tables())?;
            let (groups, items) = shape(&pass, context.device().facts().compute_units);
            let spectrum = match pass.spectrum {
                Some(Spectrum::Table(number)) => Some(spectra[number].clone()),
                _ => None,
            };
            Ok(Prelaunch { name: kernel.name().to_owned(), program, tables, spectrum, groups, items, pass })
        };
        let launches = list.passes.into_iter().map(launch).collect::<Result<Vec<_>>>()?;
        Ok(Prepared { launches, scratch: list.scratch, scale: list.scale })
    }
}

/// A kernel that cannot be built is a mistake of the library's.
#[cold]
fn defect(spec: &KernelSpec, error: &kernel::BuildError) -> Error {
    Error::Internal(format!("the kernel {} cannot be generated: {error}", spec.name()))
}

fn rounded(numbers: &[f64]) -> Vec<f32> {
    numbers.iter().map(|number| *number as f32).collect()
}

/// Memory that holds the numbers; at least one, as OpenCL has no empty memory.
fn upload<T: Element>(context: &Arc<DeviceContext>, numbers: &[T]) -> Result<DeviceBuffer> {
    let memory = DeviceBuffer::new(context, size_of_val(numbers), "an FFT's tables")?;
    if !numbers.is_empty() {
        memory.write(&Queue::of(context)?, numbers)?;
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

impl Pass {
    /// The kernel's arguments after the memories, but for the scale.
    pub(super) fn indices(&self, offsets: &Offsets) -> Vec<usize> {
        let mut indices = Vec::new();
        if let Form::Lanes { width, .. } = self.spec.form {
            indices.push(2 * offsets.work / width);
        }
        indices.extend([offsets.source, self.load, offsets.target, self.store]);
        indices.extend(self.dimensions.iter().flat_map(|dimension| [dimension.count, dimension.load, dimension.store]));
        for (_, element, line) in self.positions().into_iter().filter(|(wanted, ..)| *wanted) {
            indices.push(element);
            indices.extend(self.dimensions.iter().map(line));
        }
        if self.spec.convolve.is_some() {
            indices.push(offsets.spectrum);
        }
        let window = |Window { lead, count, period, block }: Window| [lead, count, period, block];
        if self.spec.load.window {
            indices.extend(window(self.load_window));
        }
        if self.spec.store.window {
            indices.extend(window(self.store_window));
            indices.extend(self.dimensions.iter().map(|dimension| dimension.store_window));
        }
        match self.spec.form {
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
        let KernelSpec { load, store, convolve, .. } = &self.spec;
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
        let pass = &self.pass;
        let part = |part: usize| prepared.scratch[..part].iter().sum();
        let operand = |buffer: Buffer| match buffer {
            Buffer::Input => operands.input,
            Buffer::Kernel => operands.kernel.unwrap_or(operands.input),
            Buffer::Output => operands.output,
            Buffer::Scratch(number) => Operand { memory: scratch, offset: part(number) },
        };
        let (source, target) = (operand(pass.source), operand(pass.target));
        let mut launch = Launch::new(queue, &self.program, self.name.clone()).buffer(source.memory);
        if !pass.spec.in_place {
            launch = launch.buffer(target.memory);
        }
        launch = launch.buffer(&self.tables);
        let mut offsets =
            Offsets { source: source.offset, target: target.offset, spectrum: 0, work: part(prepared.scratch.len()) };
        if let Some(Spectrum::Scratch(number)) = pass.spectrum {
            launch = launch.buffer(scratch);
            offsets.spectrum = part(number);
        } else if let Some(spectrum) = &self.spectrum {
            launch = launch.buffer(&**spectrum);
        }
        if let Form::Lanes { .. } = pass.spec.form {
            launch = launch.buffer(scratch);
        }
        for index in pass.indices(&offsets) {
            launch = launch.index(index);
        }
        if pass.spec.scale {
            launch = if pass.spec.double { launch.raw(prepared.scale) } else { launch.raw(prepared.scale as f32) };
        }
        launch.enqueue_step([self.groups, 1, 1], [self.items, 1, 1])
    }
}
