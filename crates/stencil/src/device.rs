//! Runs on OpenCL devices: launches, and memory for parameters and reductions.

use std::sync::{Arc, Mutex, PoisonError};

use affinimath_opencl::context::{BufferParts, ContextParts, DeviceBuffer, DeviceContext, Queue, QueueParts};
use affinimath_opencl::launch::Launch;
use affinimath_opencl::program::{GeneratedSource, Program};

use crate::bound::{Bound, Parameters};
use crate::data::Layout;
use crate::definition::Type;
use crate::error::{Error, Result};
use crate::executor::{LaunchArgument, Launcher};
use crate::lower::Lowered;
use crate::reduce::STRIP;
use crate::value::Value;

/// The memory of a grid on a device: `slices[component][level]`, levels from the oldest to the newest.
#[derive(Clone, Debug)]
pub struct DeviceGrid<'a> {
    /// The index of coordinates in each slice, from the slice's own offset on.
    pub layout: Layout,
    /// Components, and their levels.
    pub slices: Vec<Vec<DeviceSlice<'a>>>,
}

/// One level of one component of a grid in a device's memory.
#[derive(Clone, Copy, Debug)]
pub struct DeviceSlice<'a> {
    /// The memory.
    pub buffer: &'a DeviceBuffer,
    /// The element of the memory at which the layout begins.
    pub offset: usize,
}

/// Elements of parameters on the device, with the values that they hold: a program repeats a run with the same ones.
#[derive(Debug, Default)]
pub(crate) struct Elements {
    known: Mutex<Vec<ParameterElements>>,
}

/// A parameter's values, and the buffer that holds them.
#[derive(Debug)]
struct ParameterElements {
    parameter: usize,
    values: Vec<Value>,
    buffer: Arc<DeviceBuffer>,
}

impl Elements {
    fn get(&self, context: &Arc<DeviceContext>, parameter: usize, values: &[Value]) -> Result<Arc<DeviceBuffer>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = known.iter().find(|entry| entry.parameter == parameter && entry.values == values) {
            return Ok(entry.buffer.clone());
        }
        let buffer = Arc::new(copied(context, &bytes_of(values))?);
        known.retain(|entry| entry.parameter != parameter);
        known.push(ParameterElements { parameter, values: values.to_vec(), buffer: buffer.clone() });
        Ok(buffer)
    }
}

/// The bytes of numbers in memory.
fn bytes_of(values: &[Value]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in values {
        match value {
            Value::Bool(value) => bytes.push(u8::from(*value)),
            Value::I32(value) => bytes.extend(value.to_ne_bytes()),
            Value::I64(value) => bytes.extend(value.to_ne_bytes()),
            Value::F32(value) => bytes.extend(value.to_ne_bytes()),
            Value::F64(value) => bytes.extend(value.to_ne_bytes()),
        }
    }
    bytes
}

/// A buffer with bytes, at once: a write would wait for what is on the queue.
fn copied(context: &Arc<DeviceContext>, bytes: &[u8]) -> Result<DeviceBuffer> {
    let words = bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        i64::from_ne_bytes(word)
    });
    DeviceBuffer::of_indices(context, &words.collect::<Vec<i64>>()).map_err(Error::device)
}

/// A run's launches on a queue.
pub(crate) struct DeviceLauncher<'r> {
    queue: Queue,
    grids: &'r [DeviceGrid<'r>],
    bound: &'r Bound,
    parameters: &'r Parameters,
    elements: &'r Elements,
    pub(crate) memory: RunMemory,
}

/// Memory of one run, which outlives its enqueueing.
#[derive(Debug, Default)]
pub(crate) struct RunMemory {
    values: Vec<Option<DeviceBuffer>>,
    partials: Vec<Option<DeviceBuffer>>,
    flag: Option<DeviceBuffer>,
    /// Elements of parameters, which commands read: other threads may replace those that the plan knows.
    held: Vec<(usize, Arc<DeviceBuffer>)>,
    /// Slices in the middle of a run, by grid and component.
    slices: Vec<Vec<Vec<DeviceBuffer>>>,
}

impl<'r> DeviceLauncher<'r> {
    pub(crate) fn new(
        queue: &Queue,
        grids: &'r [DeviceGrid<'r>],
        bound: &'r Bound,
        parameters: &'r Parameters,
        elements: &'r Elements,
    ) -> Result<Self> {
        let results = bound.stencil().results().len();
        let none = || (0..results).map(|_| None).collect();
        let memory = RunMemory { values: none(), partials: none(), ..RunMemory::default() };
        Ok(DeviceLauncher { queue: queue.share().map_err(Error::device)?, grids, bound, parameters, elements, memory })
    }

    /// Makes the memory that an argument stands for, where there is none yet.
    fn prepare(&mut self, argument: LaunchArgument) -> Result<()> {
        let kind = |result: usize| self.bound.stencil().results()[result].kind;
        match argument {
            LaunchArgument::Elements(parameter) if self.memory.held(parameter).is_none() => {
                let values = self.parameters.values(parameter);
                let buffer = self.elements.get(self.queue.context(), parameter, values)?;
                self.memory.held.push((parameter, buffer));
            }
            LaunchArgument::Values(result) if self.memory.values[result].is_none() => {
                let bytes = self.bound.points().saturating_mul(kind(result).bytes());
                self.memory.values[result] = Some(workspace(&self.queue, bytes)?);
            }
            LaunchArgument::Partials(result) if self.memory.partials[result].is_none() => {
                let row = self.bound.lengths()[0];
                let strips = row.div_ceil(STRIP) * (self.bound.points() / row);
                self.memory.partials[result] = Some(workspace(&self.queue, strips * kind(result).bytes())?);
            }
            LaunchArgument::Flag if self.memory.flag.is_none() => {
                self.memory.flag = Some(copied(self.queue.context(), &[0; 4])?);
            }
            _ => {}
        }
        Ok(())
    }

    fn program(&self, kernel: &Lowered) -> Result<Arc<Program>> {
        if let Some(program) = kernel.program.get() {
            return Ok(program.clone());
        }
        let source = GeneratedSource::from(&kernel.kernel);
        let program = self.queue.context().generated_program(&source).map_err(Error::device)?;
        Ok(kernel.program.get_or_init(|| program).clone())
    }
}

fn workspace(queue: &Queue, bytes: usize) -> Result<DeviceBuffer> {
    DeviceBuffer::for_step(queue, bytes.max(1)).map_err(Error::device)
}

impl Launcher for DeviceLauncher<'_> {
    fn offset(&self, grid: usize, component: usize, slot: usize) -> usize {
        self.grids[grid].slices[component].get(slot).map_or(0, |slice| slice.offset)
    }

    fn largest_offset(&self) -> usize {
        let slices = self.grids.iter().flat_map(|grid| grid.slices.iter().flatten());
        slices.map(|slice| slice.offset).max().unwrap_or(0)
    }

    fn add_slices(&mut self, grid: usize, count: usize, elements: usize) -> bool {
        let bytes = elements.saturating_mul(self.bound.stencil().grids()[grid].kind.bytes());
        let components = 0..self.grids[grid].slices.len();
        let slices = |_| (0..count).map(|_| workspace(&self.queue, bytes)).collect::<Result<Vec<_>>>();
        let Ok(slices) = components.map(slices).collect::<Result<Vec<_>>>() else { return false };
        self.memory.slices.resize_with(self.grids.len(), Vec::new);
        self.memory.slices[grid] = slices;
        true
    }

    fn launch(
        &mut self,
        kernel: &Arc<Lowered>,
        groups: [usize; 3],
        items: [usize; 3],
        arguments: &[LaunchArgument],
    ) -> Result<()> {
        arguments.iter().try_for_each(|&argument| self.prepare(argument))?;
        let program = self.program(kernel)?;
        let mut call = Launch::new(&self.queue, &program, kernel.kernel.name().to_owned());
        for argument in arguments {
            call = match *argument {
                LaunchArgument::Slice { grid, component, slot } => {
                    let own = &self.grids[grid].slices[component];
                    match own.get(slot) {
                        Some(slice) => call.buffer(slice.buffer),
                        None => call.buffer(&self.memory.slices[grid][component][slot - own.len()]),
                    }
                }
                LaunchArgument::Elements(parameter) => {
                    call.buffer(self.memory.held(parameter).expect("memory that was prepared"))
                }
                LaunchArgument::Values(result) => call.buffer(prepared(&self.memory.values[result])),
                LaunchArgument::Partials(result) => call.buffer(prepared(&self.memory.partials[result])),
                LaunchArgument::Flag => call.buffer(prepared(&self.memory.flag)),
                LaunchArgument::Number(Value::Bool(value)) => call.raw(u8::from(value)),
                LaunchArgument::Number(Value::I32(value)) => call.raw(value),
                LaunchArgument::Number(Value::I64(value)) => call.raw(value),
                LaunchArgument::Number(Value::F32(value)) => call.raw(value),
                LaunchArgument::Number(Value::F64(value)) => call.raw(value),
            };
        }
        call.enqueue_step(groups, items).map_err(Error::device)
    }

    fn partial(&mut self, result: usize) -> Result<Value> {
        self.memory.partial(&self.queue, result, self.bound.stencil().results()[result].kind)
    }

    fn flag(&mut self) -> Result<i32> {
        self.memory.flag(&self.queue)
    }
}

fn prepared(buffer: &Option<DeviceBuffer>) -> &DeviceBuffer {
    buffer.as_ref().expect("memory that was prepared")
}

impl RunMemory {
    /// The buffer with a parameter's elements.
    fn held(&self, parameter: usize) -> Option<&DeviceBuffer> {
        self.held.iter().find(|held| held.0 == parameter).map(|held| &*held.1)
    }

    /// The combined values of a reduction, once all that is on the queue is done.
    pub(crate) fn partial(&self, queue: &Queue, result: usize, kind: Type) -> Result<Value> {
        let mut bytes = [0; 8];
        let buffer = prepared(&self.partials[result]);
        buffer.read_bytes(queue, 0, &mut bytes[..kind.bytes()]).map_err(Error::device)?;
        let [a, b, c, d, ..] = bytes;
        let word = [a, b, c, d];
        Ok(match kind {
            Type::Bool => Value::Bool(a != 0),
            Type::I32 => Value::I32(i32::from_ne_bytes(word)),
            Type::I64 => Value::I64(i64::from_ne_bytes(bytes)),
            Type::F32 => Value::F32(f32::from_ne_bytes(word)),
            Type::F64 => Value::F64(f64::from_ne_bytes(bytes)),
        })
    }

    /// The code of the first pass that read outside a range.
    pub(crate) fn flag(&self, queue: &Queue) -> Result<i32> {
        let Some(flag) = &self.flag else { return Ok(0) };
        let mut bytes = [0; 4];
        flag.read_bytes(queue, 0, &mut bytes).map_err(Error::device)?;
        Ok(i32::from_ne_bytes(bytes))
    }
}
