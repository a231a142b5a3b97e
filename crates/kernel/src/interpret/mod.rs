//! The reference interpreter: runs kernels on the host, and checks every access.
//!
//! The active work-items of a group execute each statement in lockstep; groups run in sequence. Results of race-free
//! kernels do not depend on that order, and races are faults.

mod argument;
mod machine;
mod memory;
#[cfg(test)]
mod tests;

pub use argument::Argument;
pub(super) use argument::check;

use super::Kernel;
use super::error::Fault;
use super::ir::Parameter;
use machine::Machine;

/// A launch of a kernel on the host.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'p> {
    kernel: &'p Kernel,
    groups: [usize; 3],
    items: [usize; 3],
}

impl<'p> Launch<'p> {
    /// A launch of `groups` work-groups of `items` work-items, per dimension.
    pub const fn new(kernel: &'p Kernel, groups: [usize; 3], items: [usize; 3]) -> Self {
        Launch { kernel, groups, items }
    }

    /// Runs the kernel on its arguments in order: scalars, slices to read, and mutable slices to write. A buffer of
    /// vectors or complex values is a slice of their lanes.
    ///
    /// # Errors
    /// The first [`Fault`]. No argument has changed.
    pub fn run<'a>(self, arguments: impl IntoIterator<Item = Argument<'a>>) -> Result<(), Fault> {
        let mut arguments: Vec<Argument<'_>> = arguments.into_iter().collect();
        let program = &self.kernel.program;
        argument::check(self.kernel, self.items, &arguments)?;
        let mut machine = Machine::new(program, self.groups, self.items);
        for (parameter, argument) in program.parameters.iter().zip(&arguments) {
            let values = argument.constants();
            match parameter {
                Parameter::Scalar(id) => machine.set_argument(*id, values[0]),
                Parameter::Memory(memory) => machine.set_buffer(*memory, &values),
            }
        }
        machine.run()?;
        for (parameter, argument) in program.parameters.iter().zip(&mut arguments) {
            if let Parameter::Memory(memory) = parameter {
                argument.write_back(&machine.buffer(*memory));
            }
        }
        Ok(())
    }
}
