//! Fused kernels on the host.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use affinimath_array::fused::{Arguments, Structure};

use super::steps::Memory;
use crate::error::{Error, Result};
use crate::host::array::{Operand, Program};

/// Programs of the host's evaluator, by the key of their structure.
#[derive(Default)]
pub(super) struct HostKernels {
    programs: RwLock<HashMap<u64, Arc<Program>>>,
}

impl HostKernels {
    /// The program of a structure.
    pub(super) fn program(&self, key: u64, structure: &Structure) -> Result<Arc<Program>> {
        let known = self.programs.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(program) = known {
            return Ok(program);
        }
        let program = Arc::new(Program::new(structure)?);
        self.programs.write().unwrap_or_else(PoisonError::into_inner).insert(key, program.clone());
        Ok(program)
    }

    /// Runs a kernel on the memory of its accesses.
    pub(super) fn run(
        &self,
        key: u64,
        structure: &Structure,
        arguments: &Arguments,
        memories: &[Memory<'_>],
    ) -> Result<()> {
        let operand = |(memory, access): (&Memory<'_>, &affinimath_array::fused::Access)| match *memory {
            // SAFETY: the memory holds as many elements of the access's type. What is written belongs to this
            // evaluation: a new block, memory that its owner assigns to, or an array's that nothing else holds.
            Memory::Host(at, length) => Ok(unsafe { Operand::from_raw(at, length, access.element, access.is_written) }),
            Memory::Device(..) => Err(Error::Internal("memory of a device in a kernel of the host".to_owned())),
        };
        let operands = memories.iter().zip(&structure.accesses).map(operand).collect::<Result<Vec<_>>>()?;
        self.program(key, structure)?.run(arguments, &operands)
    }
}
