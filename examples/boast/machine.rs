//! Machines that run kernels of the kernel language: an OpenCL device, a compiler of the host, the interpreter.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use affinimath::kernel::dynamic::{Alignment, Query};
use affinimath::kernel::{
    Access, Argument, BuildError, Compiled, Compiler, HostLanguage, Kernel, Launch, ScalarType, Setting, ValueType,
};
use affinimath::{Device, DeviceContext, Queue};
use affinimath_opencl::context::{BufferParts, ContextParts, DeviceBuffer};
use affinimath_opencl::launch::Launch as DeviceLaunch;
use affinimath_opencl::program::{GeneratedSource, Program};

pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Seconds that a measurement of one point takes at least; times are the best of several such parts.
const PART: f64 = 0.004;
const PARTS: usize = 5;

/// Elements of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    U8(Vec<u8>),
    I32(Vec<i32>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl Data {
    pub fn len(&self) -> usize {
        match self {
            Data::U8(values) => values.len(),
            Data::I32(values) => values.len(),
            Data::F32(values) => values.len(),
            Data::F64(values) => values.len(),
        }
    }

    pub const fn scalar(&self) -> ScalarType {
        match self {
            Data::U8(_) => ScalarType::U8,
            Data::I32(_) => ScalarType::I32,
            Data::F32(_) => ScalarType::F32,
            Data::F64(_) => ScalarType::F64,
        }
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the elements are numbers without padding, and every byte pattern is a `u8`.
        let of = |start: *const u8, bytes: usize| unsafe { std::slice::from_raw_parts(start, bytes) };
        match self {
            Data::U8(values) => values,
            Data::I32(values) => of(values.as_ptr().cast(), size_of_val(&values[..])),
            Data::F32(values) => of(values.as_ptr().cast(), size_of_val(&values[..])),
            Data::F64(values) => of(values.as_ptr().cast(), size_of_val(&values[..])),
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        let (start, length) = (self.bytes().as_ptr().cast_mut(), self.bytes().len());
        // SAFETY: the memory is that of `self`, borrowed alone, and every byte pattern is a number.
        unsafe { std::slice::from_raw_parts_mut(start, length) }
    }

    fn argument(&mut self) -> Argument<'_> {
        match self {
            Data::U8(values) => values.as_mut_slice().into(),
            Data::I32(values) => values.as_mut_slice().into(),
            Data::F32(values) => values.as_mut_slice().into(),
            Data::F64(values) => values.as_mut_slice().into(),
        }
    }
}

/// An argument of a launch: a number, or the memory of this index.
#[derive(Clone, Copy, Debug)]
pub enum Given {
    I32(i32),
    I64(i64),
    Memory(usize),
}

/// A launch of a built kernel.
#[derive(Clone, Debug)]
pub struct Step {
    pub built: Arc<Built>,
    pub groups: [usize; 3],
    pub items: [usize; 3],
    pub given: Vec<Given>,
}

/// A kernel as a machine runs it.
#[derive(Debug)]
pub enum Built {
    Device(Arc<Program>, String),
    Host(Compiled),
    Interpreter(Kernel),
}

/// Place where kernels run.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // A program has one.
pub enum Machine {
    Device(Device),
    Host(HostLanguage),
    Interpreter,
}

impl Machine {
    /// Machine of a name: `opencl`, `c`, `c-vectors`, `fortran`, `interpreter`, or a part of an OpenCL device's name.
    pub fn named(name: &str) -> Outcome<Self> {
        Ok(match name {
            "c" => Machine::Host(HostLanguage::C99),
            "c-vectors" => Machine::Host(HostLanguage::CVectors),
            "fortran" => Machine::Host(HostLanguage::Fortran),
            "interpreter" => Machine::Interpreter,
            _ => {
                let fits = |device: &&Device| {
                    name == "opencl" || device.info().name.to_lowercase().contains(&name.to_lowercase())
                };
                let found = Device::all()?.iter().find(fits);
                Machine::Device(found.ok_or_else(|| format!("there is no OpenCL device '{name}'"))?.clone())
            }
        })
    }

    /// True for a device with many work-items side by side, whose memory accesses coalesce.
    pub fn is_gpu(&self) -> bool {
        matches!(self, Machine::Device(device) if device.info().class == affinimath::DeviceClass::Gpu)
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Machine::Device(device) => f.write_str(&device.info().name),
            Machine::Host(HostLanguage::C99) => f.write_str("C"),
            Machine::Host(HostLanguage::CVectors) => f.write_str("C with vectors"),
            Machine::Host(HostLanguage::Fortran) => f.write_str("Fortran"),
            Machine::Interpreter => f.write_str("interpreter"),
        }
    }
}

/// Memory of a machine, on which launches work.
pub struct Bench {
    pub machine: Machine,
    data: Vec<Data>,
    device: Option<(Arc<DeviceContext>, Queue, Vec<DeviceBuffer>)>,
}

impl Bench {
    /// Copies arrays to the machine.
    pub fn new(machine: &Machine, data: Vec<Data>) -> Outcome<Self> {
        let device = match machine {
            Machine::Device(device) => {
                let context = DeviceContext::for_device(device)?;
                let queue = Queue::new(&context)?;
                let mut buffers = Vec::new();
                for array in &data {
                    let buffer = DeviceBuffer::new(&context, array.bytes().len(), "an array of a case study")?;
                    buffer.write_bytes(&queue, array.bytes())?;
                    buffers.push(buffer);
                }
                Some((context, queue, buffers))
            }
            _ => None,
        };
        Ok(Bench { machine: machine.clone(), data, device })
    }

    /// Builds a kernel. Programs of C and Fortran are optimised for the processor at hand.
    pub fn build(&self, kernel: &Kernel) -> Outcome<Arc<Built>> {
        Ok(Arc::new(match (&self.machine, &self.device) {
            (Machine::Host(language), _) => {
                let compiler = Compiler::from_env()?.language(*language);
                let flags = "-O3 -march=native -mprefer-vector-width=512";
                let compiler = compiler.with(Setting::CFlags, flags).with(Setting::FFlags, flags);
                Built::Host(Compiled::build(kernel, &compiler)?)
            }
            (_, Some((context, ..))) => {
                Built::Device(context.generated_program(&GeneratedSource::from(kernel))?, kernel.name().to_owned())
            }
            _ => Built::Interpreter(kernel.clone()),
        }))
    }

    /// Runs launches one after the other, and waits for the last.
    pub fn run(&mut self, steps: &[Step]) -> Outcome<()> {
        self.repeat(steps, 1)
    }

    /// Seconds of a run of all launches: the best of several means.
    pub fn time(&mut self, steps: &[Step]) -> Outcome<f64> {
        let begin = Instant::now();
        self.repeat(steps, 1)?;
        let once = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let times = ((PART / 4.0 / once) as usize).clamp(1, 200);
        self.repeat(steps, times)?;
        let once = begin.elapsed().as_secs_f64() / times as f64;
        let times = ((PART / once) as usize).clamp(1, 2000);
        let mut best = f64::INFINITY;
        for _ in 0..PARTS {
            let begin = Instant::now();
            self.repeat(steps, times)?;
            best = best.min(begin.elapsed().as_secs_f64() / times as f64);
        }
        Ok(best)
    }

    fn repeat(&mut self, steps: &[Step], times: usize) -> Outcome<()> {
        for _ in 0..times {
            for step in steps {
                self.enqueue(step)?;
            }
        }
        if let Some((_, queue, _)) = &self.device {
            queue.finish()?;
        }
        Ok(())
    }

    fn enqueue(&mut self, step: &Step) -> Outcome<()> {
        if let (Built::Device(program, name), Some((_, queue, buffers))) = (&*step.built, &self.device) {
            let mut launch = DeviceLaunch::new(queue, program, name.clone());
            for given in &step.given {
                launch = match given {
                    Given::I32(value) => launch.raw(*value),
                    Given::I64(value) => launch.raw(*value),
                    Given::Memory(index) => launch.buffer(&buffers[*index]),
                };
            }
            return Ok(launch.enqueue_step(step.groups, step.items)?);
        }
        let mut slots: Vec<Option<&mut Data>> = self.data.iter_mut().map(Some).collect();
        let mut arguments: Vec<Argument<'_>> = Vec::new();
        for given in &step.given {
            arguments.push(match given {
                Given::I32(value) => (*value).into(),
                Given::I64(value) => (*value).into(),
                Given::Memory(index) => slots[*index].take().ok_or("a launch has one memory twice")?.argument(),
            });
        }
        match &*step.built {
            // SAFETY: tests run launches of such sizes in the interpreter, which finds no fault.
            Built::Host(compiled) => unsafe { compiled.run(step.groups, step.items, arguments) }?,
            Built::Interpreter(kernel) => Launch::new(kernel, step.groups, step.items).run(arguments)?,
            Built::Device(..) => return Err("the kernel was built for a device".into()),
        }
        Ok(())
    }

    /// Overwrites an array.
    pub fn write(&mut self, index: usize, data: Data) -> Outcome<()> {
        if let Some((_, queue, buffers)) = &self.device {
            buffers[index].write_bytes(queue, data.bytes())?;
        }
        self.data[index] = data;
        Ok(())
    }

    /// Contents of an array.
    pub fn read(&mut self, index: usize) -> Outcome<&Data> {
        if let Some((_, queue, buffers)) = &self.device {
            buffers[index].read_bytes(queue, 0, self.data[index].bytes_mut())?;
        }
        Ok(&self.data[index])
    }

    /// Seconds of copying one array to another of the same size: the better one of a kernel with vectors of 16 bytes
    /// and of OpenCL's own copy.
    pub fn copy_time(&mut self, from: usize, to: usize) -> Outcome<f64> {
        let lanes = 16 * 8 / self.data[from].scalar().bits() as usize;
        let vectors = self.data[from].len() / lanes;
        let built = self.build(&copy(self.data[from].scalar(), lanes)?)?;
        let given = vec![Given::I64(vectors as i64), Given::Memory(from), Given::Memory(to)];
        let items = if self.machine.is_gpu() { 256 } else { 64 };
        let step = Step { built, groups: [vectors.div_ceil(items), 1, 1], items: [items, 1, 1], given };
        let mut best = self.time(&[step])?;
        if let Some((_, queue, buffers)) = &self.device {
            let bytes = self.data[from].bytes().len();
            for _ in 0..PARTS {
                let begin = Instant::now();
                let times = 20;
                for _ in 0..times {
                    // The queue is waited for below.
                    drop(buffers[to].copy_from(queue, 0, &buffers[from], 0, bytes)?);
                }
                queue.finish()?;
                best = best.min(begin.elapsed().as_secs_f64() / f64::from(times));
            }
        }
        Ok(best)
    }
}

/// to := from, a vector for each work-item.
fn copy(scalar: ScalarType, lanes: usize) -> Result<Kernel, BuildError> {
    use affinimath::kernel::dynamic::{BinaryOp, StoreMode};
    Kernel::build_dynamic("copy", |k| {
        let vectors = k.argument("vectors", ScalarType::I64)?;
        let from = k.buffer("from", ValueType::scalar(scalar), Access::Read)?;
        let to = k.buffer("to", ValueType::scalar(scalar), Access::Write)?;
        let i = k.query(Query::GlobalId, 0)?;
        k.when(i.binary(BinaryOp::Lt, vectors)?, || {
            let first = i.binary(BinaryOp::Mul, k.index(lanes as i64))?;
            let value = from.load_vector(first, lanes, Alignment::Vector)?;
            to.store_with(first, value, StoreMode { alignment: Alignment::Vector, streaming: false })
        })
    })
}
