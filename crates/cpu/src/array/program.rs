//! Compiled kernels, and their launches.

use affinimath_array::ElementType;
use affinimath_array::fused::{AccessClass, Arguments, Instruction, Structure};
use affinimath_core::{Error, Result};
use pulp::Arch;

use super::code::{Code, Memory, UNREAD};
use super::compile::{self, invalid};
use super::layout::Layout;
use super::operand::Operand;
use super::rows;
use super::worker::Launch;

/// A kernel, compiled for this processor.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) structure: Structure,
    pub(super) phases: Vec<Code>,
    pub(super) accesses: Vec<Memory>,
    pub(super) layout: Layout,
    pub(super) entries: usize,
}

impl Program {
    /// Compiles a kernel.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a kernel that is not consistent.
    pub fn new(structure: &Structure) -> Result<Self> {
        structure.check().map_err(invalid)?;
        let arch = arch();
        let mut layout = Layout::default();
        let mut entries = UNREAD + 1;
        let mut phases = Vec::with_capacity(structure.phases.len());
        for index in 0..structure.phases.len() {
            phases.push(compile::phase(structure, index, arch, entries, &mut layout)?);
            entries += structure.phases[index].code.len();
        }
        let memory = |access: &affinimath_array::fused::Access| {
            Memory::new(access.element, access.class == AccessClass::Contiguous)
        };
        let accesses: Vec<Memory> = structure.accesses.iter().map(memory).collect();
        layout.set_block(phases.iter().all(|code| code.is_single_pass(&accesses)));
        Ok(Program { structure: structure.clone(), phases, accesses, layout, entries })
    }

    /// Runs the kernel. `operands` has the memory of each access. Large launches are shared out among the threads that
    /// the library may use.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] where arguments or operands are not those of the kernel, or elements lie outside of
    /// an operand. Nothing is written then.
    pub fn run(&self, arguments: &Arguments, operands: &[Operand<'_>]) -> Result<()> {
        self.check(arguments, operands)?;
        if !arguments.extents.contains(&0) {
            // SAFETY: the elements of all points are within the operands, which `check` has proved.
            rows::run(unsafe { Launch::new(self, arguments, operands) });
        }
        Ok(())
    }

    /// True if loops load an access at their points alone.
    pub(super) fn is_loaded_at_points(&self, access: usize) -> bool {
        let is_own = |instruction: &&Instruction| match **instruction {
            Instruction::Load(a) | Instruction::LoadImaginary(a) | Instruction::LoadAt { access: a, .. } => a == access,
            _ => false,
        };
        let mut loads = self.structure.phases.iter().flat_map(|phase| &phase.code).filter(is_own);
        loads.all(|instruction| matches!(instruction, Instruction::Load(_) | Instruction::LoadImaginary(_)))
    }

    /// Bytes of a slot's result.
    pub(super) fn slot_bytes(&self, slot: usize) -> usize {
        let slot = self.structure.slots[slot];
        slot.reduction.result_type(slot.element).map_or(0, ElementType::bytes)
    }

    fn check(&self, arguments: &Arguments, operands: &[Operand<'_>]) -> Result<()> {
        let accesses = &self.structure.accesses;
        if operands.len() != accesses.len() {
            return Err(Error::argument("operands", format!("{} instead of {}", operands.len(), accesses.len())));
        }
        for (index, (operand, access)) in operands.iter().zip(accesses).enumerate() {
            let reason = match () {
                () if operand.element != access.element => "has another type than its access",
                () if access.is_written && !operand.is_writable => "is written, its memory is read-only",
                () if !operand.at.addr().is_multiple_of(alignment(access.element)) => "is not aligned",
                () => continue,
            };
            return Err(Error::argument("operands", format!("operand {index} {reason}")));
        }
        // Lengths of a few operands need no memory of their own.
        let mut few = [0; 16];
        let many: Vec<usize>;
        let lengths = if let Some(few) = few.get_mut(..operands.len()) {
            few.iter_mut().zip(operands).for_each(|(length, operand)| *length = operand.length);
            &*few
        } else {
            many = operands.iter().map(|operand| operand.length).collect();
            &many
        };
        arguments.check(&self.structure, lengths).map_err(invalid)
    }
}

/// Bytes that an element's address is a multiple of.
fn alignment(element: ElementType) -> usize {
    element.part().bytes()
}

/// Instructions of the processor, or those that a test has chosen.
fn arch() -> Arch {
    #[cfg(debug_assertions)]
    if let Some(chosen) = crate::simd::instruction_sets::chosen() {
        return chosen;
    }
    Arch::new()
}
