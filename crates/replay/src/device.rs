//! A case on a device.

use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath_opencl::context::{BufferParts, ContextParts, DeviceBuffer, Event, Queue};
use affinimath_opencl::launch::Launch;
use affinimath_opencl::program::{GeneratedSource, Program, TextSource};
use affinimath_trace::Given;
use opencl3::kernel::{CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_PRIVATE};

use crate::case::{Case, Code, Outcome};
use crate::error::{Error, Result, unfit};

/// Has the compiler keep the kinds of arguments, with which the case's are compared.
const ARGUMENT_INFO: &str = "-cl-kernel-arg-info";

/// Kinds of arguments, in messages.
const MEMORY: &str = "memory";
const VALUE: &str = "a value";
const LOCAL: &str = "local memory";

/// Code of a case, built for a device.
#[derive(Debug)]
pub struct CaseProgram {
    program: Arc<Program>,
    kernel: String,
}

/// Bytes behind the content of a memory object, in which a launch may write nothing.
const GUARD: usize = 4096;
/// Content of these bytes: as an integer of any size unlikely, and a NaN of any precision.
const GUARD_BYTE: u8 = 0xfd;

/// Memory objects of a case on a device, with bytes behind each that tell of writes out of bounds.
#[derive(Debug)]
pub struct CaseMemory {
    buffers: Vec<Guarded>,
    /// Content of the bytes behind each of them.
    pattern: DeviceBuffer,
}

#[derive(Debug)]
struct Guarded {
    buffer: DeviceBuffer,
    /// Bytes behind the content.
    guard: usize,
}

impl CaseProgram {
    /// Builds code, and compares the kernel's arguments with the case's.
    ///
    /// # Errors
    /// [`Error::Unfit`](crate::Error::Unfit), [`Error::Device`](crate::Error::Device).
    pub fn build(case: &Case, queue: &Queue, code: Code<'_>) -> Result<Self> {
        if let Some(obstacle) = &case.launch().obstacle {
            return unfit(format!("it cannot be run again: {obstacle}"));
        }
        let program = program(case, queue, code)?;
        let kernel = match code {
            Code::Kernel(kernel) => kernel.name().to_owned(),
            Code::Recorded | Code::Text(_) => case.launch().kernel.clone(),
        };
        check_arguments(case, &program, &kernel)?;
        Ok(CaseProgram { program, kernel })
    }

    /// Enqueues the launch, with the case's sizes and values.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    ///
    /// # Panics
    /// With memory of another case.
    pub fn enqueue(&self, case: &Case, queue: &Queue, memory: &CaseMemory) -> Result<Event> {
        let launch = case.launch();
        let mut prepared = Launch::new(queue, &self.program, self.kernel.clone());
        for argument in &launch.arguments {
            prepared = match &argument.given {
                Given::Memory { memory: index } => prepared.buffer(&memory.buffers[*index].buffer),
                Given::Local { local } => prepared.local(*local as usize),
                given => prepared.bytes(&given.bytes().unwrap_or_default()),
            };
        }
        Ok(match launch.range {
            Some(range) => prepared.enqueue_range(range)?,
            None => prepared.enqueue(launch.groups, launch.items)?,
        })
    }
}

impl CaseMemory {
    /// New memory objects of the recorded sizes. [`CaseMemory::fill`] gives them their contents.
    ///
    /// # Errors
    /// [`Error::Unfit`](crate::Error::Unfit) where contents were not recorded, [`Error::Device`](crate::Error::Device).
    pub fn new(case: &Case, queue: &Queue) -> Result<Self> {
        let new = |bytes: usize| DeviceBuffer::new(queue.context(), bytes, "a recorded buffer");
        let buffers = case.inputs()?.into_iter().map(|input| {
            // A memory object of the largest size has nothing behind it.
            new(input.len() + GUARD)
                .map(|buffer| Guarded { buffer, guard: GUARD })
                .or_else(|_| new(input.len()).map(|buffer| Guarded { buffer, guard: 0 }))
        });
        let buffers = buffers.collect::<std::result::Result<Vec<_>, _>>()?;
        let pattern = new(GUARD)?;
        pattern.write_bytes(queue, &[GUARD_BYTE; GUARD])?;
        Ok(CaseMemory { buffers, pattern })
    }

    /// Writes what memory held before the launch.
    ///
    /// # Errors
    /// The errors of [`CaseMemory::new`].
    pub fn fill(&self, case: &Case, queue: &Queue) -> Result<()> {
        for (Guarded { buffer, guard }, input) in self.buffers.iter().zip(case.inputs()?) {
            if *guard > 0 {
                buffer.copy_from(queue, input.len(), &self.pattern, 0, *guard)?.wait()?;
            }
            buffer.write_bytes(queue, input)?;
        }
        Ok(())
    }

    /// Contents of the memory objects, as the case numbers them.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] where a launch wrote behind the end of one, [`Error::Device`](crate::Error::Device).
    pub fn contents(&self, case: &Case, queue: &Queue) -> Result<Vec<Vec<u8>>> {
        let mut contents = Vec::with_capacity(self.buffers.len());
        for (index, (Guarded { buffer, guard }, input)) in self.buffers.iter().zip(case.inputs()?).enumerate() {
            let mut content = vec![0; input.len() + guard];
            buffer.read_bytes(queue, 0, &mut content)?;
            if let Some(behind) = content[input.len()..].iter().position(|byte| *byte != GUARD_BYTE) {
                let argument = case.launch().argument_of(index).unwrap_or_default();
                let name = case.launch().argument_name(argument);
                return Err(Error::OutOfBounds(format!("{name}, in byte {} of {}", input.len() + behind, input.len())));
            }
            content.truncate(input.len());
            contents.push(content);
        }
        Ok(contents)
    }
}

/// Runs code on new memory, which is filled before each run.
pub(crate) fn run(case: &Case, queue: &Queue, code: Code<'_>, runs: usize) -> Result<(Outcome, Vec<Duration>)> {
    let memory = CaseMemory::new(case, queue)?;
    let program = CaseProgram::build(case, queue, code)?;
    let mut times = Vec::with_capacity(runs);
    for _ in 0..runs {
        memory.fill(case, queue)?;
        let start = Instant::now();
        program.enqueue(case, queue, &memory)?.wait()?;
        times.push(start.elapsed());
    }
    let elapsed = times.last().copied().unwrap_or_default();
    Ok((Outcome { memories: memory.contents(case, queue)?, elapsed }, times))
}

fn program(case: &Case, queue: &Queue, code: Code<'_>) -> Result<Arc<Program>> {
    let launch = case.launch();
    let text = match code {
        Code::Kernel(kernel) => return Ok(queue.context().generated_program(&GeneratedSource::from(kernel))?),
        Code::Recorded => case.source(),
        Code::Text(text) => text,
    };
    let source = TextSource {
        name: launch.program.clone(),
        text: text.to_owned(),
        options: format!("{} {ARGUMENT_INFO}", launch.options).trim_start().to_owned(),
        hidden_ptx: launch.hidden_ptx,
    };
    Ok(queue.context().text_program(&source)?)
}

/// Compares the case's arguments with those of a kernel. OpenCL takes any eight bytes for a memory object's handle.
fn check_arguments(case: &Case, program: &Program, name: &str) -> Result<()> {
    let arguments = &case.launch().arguments;
    let idle = program.take_kernel(name.to_owned().into())?;
    let wanted = idle.kernel.num_args().unwrap_or(arguments.len() as u32) as usize;
    if wanted != arguments.len() {
        return unfit(format!("the kernel '{name}' takes {wanted} arguments, and the case has {}", arguments.len()));
    }
    for (index, argument) in arguments.iter().enumerate() {
        // Drivers that do not tell, of programs from binaries, leave it to the case.
        let Ok(address) = idle.kernel.get_arg_address_qualifier(index as u32) else { continue };
        let wanted = match address {
            CL_KERNEL_ARG_ADDRESS_GLOBAL | CL_KERNEL_ARG_ADDRESS_CONSTANT => MEMORY,
            CL_KERNEL_ARG_ADDRESS_PRIVATE => VALUE,
            _ => LOCAL,
        };
        let found = match &argument.given {
            Given::Memory { .. } => MEMORY,
            // A null pointer for memory, which OpenCL takes by the same call as local memory, or by its value.
            Given::Local { local } if wanted == MEMORY && *local == size_of::<usize>() as u64 => MEMORY,
            Given::Local { .. } => LOCAL,
            given if wanted == MEMORY && given.bytes() == Some(vec![0; size_of::<usize>()]) => MEMORY,
            Given::Value { .. } | Given::Object { .. } => VALUE,
        };
        if found != wanted {
            return unfit(format!("argument {index} of '{name}' is {found} in the case and {wanted} in the kernel"));
        }
    }
    program.return_kernel(idle);
    Ok(())
}
