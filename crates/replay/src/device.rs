//! A case on a device.

use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath_opencl::context::{BufferParts, ContextParts, DeviceBuffer, Queue};
use affinimath_opencl::launch::Launch;
use affinimath_opencl::program::{GeneratedSource, Program, TextSource};
use affinimath_trace::Given;
use opencl3::kernel::{CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_PRIVATE};

use crate::case::{Case, Code, Outcome};
use crate::error::{Result, unfit};

/// Has the compiler keep the kinds of arguments, with which the case's are compared.
const ARGUMENT_INFO: &str = "-cl-kernel-arg-info";

/// Runs code on new memory, which is filled before each run.
pub(crate) fn run(case: &Case, queue: &Queue, code: Code<'_>, runs: usize) -> Result<(Outcome, Vec<Duration>)> {
    let (launch, inputs) = (case.launch(), case.inputs()?);
    let program = program(case, queue, code)?;
    let name = match code {
        Code::Kernel(kernel) => kernel.name().to_owned(),
        Code::Recorded | Code::Text(_) => launch.kernel.clone(),
    };
    check_arguments(case, &program, &name)?;
    let buffers = inputs.iter().map(|input| DeviceBuffer::new(queue.context(), input.len(), "a recorded buffer"));
    let buffers = buffers.collect::<std::result::Result<Vec<_>, _>>()?;
    let mut times = Vec::with_capacity(runs);
    for _ in 0..runs {
        for (buffer, input) in buffers.iter().zip(&inputs) {
            buffer.write_bytes(queue, input)?;
        }
        let mut prepared = Launch::new(queue, &program, name.clone());
        for argument in &launch.arguments {
            prepared = match &argument.given {
                Given::Memory { memory } => prepared.buffer(&buffers[*memory]),
                given => prepared.bytes(&given.bytes().unwrap_or_default())?,
            };
        }
        let start = Instant::now();
        prepared.enqueue(launch.groups, launch.items)?.wait()?;
        times.push(start.elapsed());
    }
    let read = |(buffer, input): (&DeviceBuffer, &&[u8])| {
        let mut content = vec![0; input.len()];
        buffer.read_bytes(queue, 0, &mut content).map(|()| content)
    };
    let memories = buffers.iter().zip(&inputs).map(read).collect::<std::result::Result<Vec<_>, _>>()?;
    let elapsed = times.last().copied().unwrap_or_default();
    Ok((Outcome { memories, elapsed }, times))
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
        let is_memory = matches!(argument.given, Given::Memory { .. });
        let fits = match address {
            CL_KERNEL_ARG_ADDRESS_GLOBAL | CL_KERNEL_ARG_ADDRESS_CONSTANT => is_memory,
            CL_KERNEL_ARG_ADDRESS_PRIVATE => !is_memory,
            _ => false,
        };
        if !fits {
            let (found, other) = if is_memory { ("memory", "a value") } else { ("a value", "memory") };
            return unfit(format!("argument {index} of '{name}' is {found} in the case and {other} in the kernel"));
        }
    }
    program.return_kernel(idle);
    Ok(())
}
