//! Proofs that a fused kernel is consistent and stays in its memory.
//!
//! [`Structure::check`] proves of the code, for all arguments:
//! - each instruction reads earlier registers of its phase, of types that it is defined for;
//! - accesses, scalars and slots are in range; a slot is filled once, in a loop before the phases that read it;
//! - an access is read or written as its flags say, and stored at most once; no phase loads what an earlier one stored;
//! - the order's lanes are a power of two that divides its chunk, of 2 elements at least.
//!
//! [`Arguments::check`] proves, of a checked structure and buffers of the given lengths:
//! - there is a view for each access and a value of the right type for each scalar, all with the right count of axes;
//! - each element that a phase addresses is in its buffer; neither an index nor a count of points overflows `i64`;
//! - strides have the pattern of the access's class, along axes of more than one element;
//! - a written access has different elements at different points, of the rows where it is stored outside of a loop.
//!
//! Two accesses may have one buffer where neither is written. The caller has to see to that.

mod arguments;
mod types;

#[cfg(any(test, feature = "testing"))]
pub(crate) use arguments::is_injective;
pub(crate) use types::constant;

use super::element::ElementType;
use super::fused::{AccessClass, Effect, Instruction, Phase, Register, Structure};

/// Axes of an iteration space at most.
pub const MAX_RANK: usize = 8;

/// An inconsistency of a structure or of its arguments.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// Of the whole kernel.
    #[error("fused kernel: {0}")]
    Kernel(&'static str),
    /// Of an instruction.
    #[error("fused kernel: instruction {register} of phase {phase}: {reason}")]
    Instruction {
        /// Index of the phase.
        phase: usize,
        /// Index of the instruction.
        register: Register,
        /// The rule that it breaks.
        reason: &'static str,
    },
    /// Of an effect.
    #[error("fused kernel: effect {effect} of phase {phase}: {reason}")]
    Effect {
        /// Index of the phase.
        phase: usize,
        /// Index of the effect.
        effect: usize,
        /// The rule that it breaks.
        reason: &'static str,
    },
    /// Of an access or its view.
    #[error("fused kernel: access {access}: {reason}")]
    Access {
        /// Index of the access.
        access: usize,
        /// The rule that it breaks.
        reason: &'static str,
    },
    /// Of a scalar argument.
    #[error("fused kernel: scalar {scalar} has another type")]
    Scalar {
        /// Index of the scalar.
        scalar: usize,
    },
    /// Of a slot.
    #[error("fused kernel: slot {slot}: {reason}")]
    Slot {
        /// Index of the slot.
        slot: usize,
        /// The rule that it breaks.
        reason: &'static str,
    },
}

pub(crate) type Checked<T = ()> = Result<T, Invalid>;

pub(crate) fn require(holds: bool, error: impl FnOnce() -> Invalid) -> Checked {
    if holds { Ok(()) } else { Err(error()) }
}

impl Structure {
    /// Proves that the code is consistent.
    pub fn check(&self) -> Checked {
        require((1..=MAX_RANK).contains(&self.rank), || Invalid::Kernel("1 to 8 axes"))?;
        require(self.parallel <= self.rank, || Invalid::Kernel("more parallel axes than axes"))?;
        let order = self.order;
        let is_order = order.lanes.is_power_of_two() && order.chunk > 1 && order.chunk.is_multiple_of(order.lanes);
        require(is_order, || {
            Invalid::Kernel("lanes: a power of two that divides the chunk, which has 2 elements at least")
        })?;
        require(self.scalars.iter().all(|&t| !t.is_complex()), || Invalid::Kernel("a complex scalar"))?;
        require(!self.phases.is_empty(), || Invalid::Kernel("no phase"))?;
        if self.parallel == self.rank {
            let is_elementwise = self.phases.len() == 1 && self.phases[0].is_loop && self.slots.is_empty();
            require(is_elementwise, || Invalid::Kernel("without reduced axes: one phase, a loop, and no slots"))?;
        }
        for (index, slot) in self.slots.iter().enumerate() {
            let is_defined = slot.reduction.result_type(slot.element).is_some();
            require(is_defined, || Invalid::Slot { slot: index, reason: "no such reduction of the type" })?;
        }
        let mut uses =
            Uses { filled: vec![None; self.slots.len()], accesses: vec![Use::default(); self.accesses.len()] };
        for phase in 0..self.phases.len() {
            self.check_phase(phase, &mut uses)?;
        }
        uses.check(self)
    }

    fn check_phase(&self, index: usize, uses: &mut Uses) -> Checked {
        let phase = &self.phases[index];
        let mut types = Vec::with_capacity(phase.code.len());
        for (register, instruction) in phase.code.iter().enumerate() {
            let error = |reason| Invalid::Instruction { phase: index, register, reason };
            types.push(self.result_type(phase, instruction, &types, &uses.filled).map_err(error)?);
            if let Some(access) = loaded(instruction) {
                uses.accesses[access].load(index, phase, instruction).map_err(error)?;
            }
        }
        for (effect, &what) in phase.effects.iter().enumerate() {
            let error = |reason| Invalid::Effect { phase: index, effect, reason };
            self.check_effect(phase, what, &types).map_err(error)?;
            match what {
                Effect::Store { access, .. } => uses.accesses[access].store(index, phase).map_err(error)?,
                Effect::Reduce { slot, .. } => {
                    require(uses.filled[slot].is_none(), || error("the slot is filled twice"))?;
                    uses.filled[slot] = Some(index);
                }
            }
        }
        Ok(())
    }

    fn check_effect(&self, phase: &Phase, effect: Effect, types: &[ElementType]) -> Result<(), &'static str> {
        let type_of = |register: Register| types.get(register).copied().ok_or("no such register");
        match effect {
            Effect::Store { access, value, imaginary } => {
                let element = self.accesses.get(access).ok_or("no such access")?.element;
                let parts = (type_of(value)?, imaginary.map(type_of).transpose()?);
                let expected = (element.part(), element.is_complex().then_some(element.part()));
                if parts == expected { Ok(()) } else { Err("the value has another type than the access") }
            }
            Effect::Reduce { slot, value } => {
                let slot = self.slots.get(slot).ok_or("no such slot")?;
                match phase.is_loop {
                    false => Err("a reduction outside of a loop"),
                    true if type_of(value)? != slot.element => Err("the value has another type than the slot"),
                    true => Ok(()),
                }
            }
        }
    }
}

/// The access that an instruction loads.
pub(crate) fn loaded(instruction: &Instruction) -> Option<usize> {
    match *instruction {
        Instruction::Load(access) | Instruction::LoadImaginary(access) | Instruction::LoadAt { access, .. } => {
            Some(access)
        }
        _ => None,
    }
}

/// Slots that are filled, and the uses of each access.
struct Uses {
    filled: Vec<Option<usize>>,
    accesses: Vec<Use>,
}

/// The phases that load and store an access.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    is_loaded: bool,
    stored_in: Option<usize>,
    is_outside_of_loops: bool,
    is_stored_outside: bool,
    axes: Option<usize>,
}

impl Use {
    fn load(&mut self, index: usize, phase: &Phase, instruction: &Instruction) -> Result<(), &'static str> {
        if self.stored_in.is_some_and(|stored| stored < index) {
            return Err("a load of an access that an earlier phase stores");
        }
        self.is_loaded = true;
        match instruction {
            Instruction::LoadAt { indices, .. } => match self.axes.replace(indices.len()) {
                Some(axes) if axes != indices.len() => return Err("another count of indices than elsewhere"),
                _ => {}
            },
            _ => self.is_outside_of_loops |= !phase.is_loop,
        }
        Ok(())
    }

    fn store(&mut self, index: usize, phase: &Phase) -> Result<(), &'static str> {
        self.is_outside_of_loops |= !phase.is_loop;
        self.is_stored_outside |= !phase.is_loop;
        match self.stored_in.replace(index) {
            Some(_) => Err("the access is stored twice"),
            None => Ok(()),
        }
    }
}

impl Uses {
    fn of(structure: &Structure) -> Uses {
        let mut accesses = vec![Use::default(); structure.accesses.len()];
        for (index, phase) in structure.phases.iter().enumerate() {
            for instruction in &phase.code {
                if let Some(access) = loaded(instruction) {
                    let _ = accesses[access].load(index, phase, instruction);
                }
            }
            for effect in &phase.effects {
                if let &Effect::Store { access, .. } = effect {
                    let _ = accesses[access].store(index, phase);
                }
            }
        }
        Uses { filled: Vec::new(), accesses }
    }

    fn check(&self, structure: &Structure) -> Checked {
        for (slot, filled) in self.filled.iter().enumerate() {
            require(filled.is_some(), || Invalid::Slot { slot, reason: "it is never filled" })?;
        }
        for (index, (access, uses)) in structure.accesses.iter().zip(&self.accesses).enumerate() {
            let error = |reason| Invalid::Access { access: index, reason };
            require(access.is_read == uses.is_loaded, || error("it is read otherwise than its flag says"))?;
            require(access.is_written == uses.stored_in.is_some(), || {
                error("it is written otherwise than its flag says")
            })?;
            let is_indexed = access.class == AccessClass::Indexed;
            require(!(is_indexed && access.is_written), || error("an indexed access that is written"))?;
            let is_along_reduced = matches!(access.class, AccessClass::Contiguous | AccessClass::InnerContiguous);
            let has_class = !(uses.is_outside_of_loops && is_along_reduced);
            require(has_class, || error("used outside of a loop, with stride 1 in the last reduced axis"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
