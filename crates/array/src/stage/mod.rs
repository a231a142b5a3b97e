//! Stages of recurrences: fused kernels that hand numbers and sums on to each other, without the host.
//!
//! A stage is a loop over vectors of one length, the [`Stage::body`], behind a [`Prologue`] that gives the body's
//! scalars.
//!
//! ```text
//!   state, partial sums ──> prologue ──> state
//!                              │ scalars
//!           vectors ─────────> body ──> vectors, partial sums of the next stage
//! ```
//!
//! The state is a small array of numbers of one type. The body's reductions stay partial results, one for each block of
//! elements: the prologue of the next stage joins them. On a device a stage is one launch, and each work-group computes
//! the prologue for itself. So state and partial sums have two buffers each, which stages read and write in turn.
//!
//! A recurrence ends where the number [`Prologue::stop`] of the state is not 0: further stages pass the state on, and
//! change nothing else.

mod complex;
mod elements;
#[cfg(any(test, feature = "testing"))]
mod oracle;
mod pass;

#[cfg(any(test, feature = "testing"))]
pub use oracle::Chain;
pub use pass::{BoundStage, stage_of};

use super::check::{Checked, Invalid, require};
use super::element::ElementType;
use super::function::Reduction;
use super::fused::{AccessClass, Effect, Instruction, Phase, ReductionOrder, Register, Slot, Structure};

/// A stage of a recurrence.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stage {
    /// The name of its kernel.
    pub name: String,
    /// The type of the state and of the sums: `F32` or `F64`.
    pub element: ElementType,
    /// Numbers of the state.
    pub numbers: usize,
    /// The scalars' computation.
    pub prologue: Prologue,
    /// A loop over vectors: one reduced axis and one phase, whose accesses are contiguous. Its scalars are the
    /// prologue's, its slots are sums. Its order of reductions has no meaning.
    pub body: Structure,
    /// Stores that are made on a condition.
    pub guards: Vec<Guard>,
}

/// Code that runs before a stage's loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Prologue {
    /// Sums of the stage before that it may read.
    pub sums: usize,
    /// `Scalar(k)` is the number `k` of the state, `Slot(k)` the sum `k` of the stage before. Neither loads nor
    /// coordinates.
    pub code: Vec<Instruction>,
    /// New numbers of the state, by increasing index. The others stay.
    pub updates: Vec<(usize, Register)>,
    /// The body's scalars.
    pub scalars: Vec<Register>,
    /// Numbers that go to the history, next to each other.
    pub records: Vec<Register>,
    /// The number of the state that is not 0 once the recurrence has ended.
    pub stop: usize,
}

/// A store that is made where a scalar of the body is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Guard {
    /// The access, which is not read.
    pub access: usize,
    /// The scalar, a `Bool`.
    pub scalar: usize,
}

impl Stage {
    /// Proves that the code is consistent.
    ///
    /// # Errors
    /// [`Invalid`], with the rule that it breaks.
    pub fn check(&self) -> Checked {
        let kernel = |holds, reason| require(holds, || Invalid::Kernel(reason));
        kernel(matches!(self.element, ElementType::F32 | ElementType::F64), "a state that is not of reals")?;
        kernel(self.prologue.stop < self.numbers, "no such number of the state")?;
        let scalars = self.prologue_types()?;
        kernel(self.body.scalars == scalars, "scalars of other types than the prologue's")?;
        self.check_updates()?;
        self.body.check()?;
        kernel(self.body.rank == 1 && self.body.parallel == 0, "a stage has one axis, which is reduced")?;
        kernel(self.body.phases.len() == 1 && self.body.phases[0].is_loop, "a stage has one phase, a loop")?;
        for (access, described) in self.body.accesses.iter().enumerate() {
            let is_contiguous = described.class == AccessClass::Contiguous;
            require(is_contiguous, || Invalid::Access { access, reason: "a stage's accesses are contiguous" })?;
        }
        for (slot, described) in self.body.slots.iter().enumerate() {
            let is_sum = *described == Slot { reduction: Reduction::Sum, element: self.element };
            require(is_sum, || Invalid::Slot { slot, reason: "a stage's reductions are sums of the state's type" })?;
        }
        for guard in &self.guards {
            let access = self.body.accesses.get(guard.access);
            kernel(access.is_some_and(|access| access.is_written && !access.is_read), "a guard of no mere store")?;
            kernel(scalars.get(guard.scalar) == Some(&ElementType::Bool), "a guard that is no Bool")?;
        }
        Ok(())
    }

    fn check_updates(&self) -> Checked {
        let updates = &self.prologue.updates;
        let kernel = |holds, reason| require(holds, || Invalid::Kernel(reason));
        kernel(updates.is_sorted_by(|one, next| one.0 < next.0), "numbers of the state out of order")?;
        kernel(updates.last().is_none_or(|last| last.0 < self.numbers), "no such number of the state")?;
        let types = self.prologue_structure().types(1)?;
        let mut registers = updates.iter().map(|(_, register)| register).chain(&self.prologue.records);
        kernel(registers.all(|register| types.get(*register) == Some(&self.element)), "a number of another type")
    }

    /// The types of the body's scalars.
    fn prologue_types(&self) -> Checked<Vec<ElementType>> {
        let structure = self.prologue_structure();
        structure.check()?;
        let types = structure.types(1)?;
        let missing = Invalid::Kernel("no such register of the prologue");
        self.prologue.scalars.iter().map(|register| types.get(*register).copied().ok_or(missing.clone())).collect()
    }

    /// The prologue as a kernel whose scalars are the state: a phase that fills the sums, and the code.
    pub(crate) fn prologue_structure(&self) -> Structure {
        let sums = 0..self.prologue.sums;
        let fill = Phase {
            is_loop: true,
            code: vec![Instruction::Constant(self.element, 0)],
            effects: sums.clone().map(|slot| Effect::Reduce { slot, value: 0 }).collect(),
        };
        let code = Phase { is_loop: false, code: self.prologue.code.clone(), effects: Vec::new() };
        Structure {
            rank: 1,
            parallel: 0,
            accesses: Vec::new(),
            scalars: vec![self.element; self.numbers],
            phases: vec![fill, code],
            slots: sums.map(|_| Slot { reduction: Reduction::Sum, element: self.element }).collect(),
            order: ReductionOrder { lanes: 1, chunk: 2 },
        }
    }

    /// The guard of an access, if there is one.
    pub fn guard(&self, access: usize) -> Option<Guard> {
        self.guards.iter().copied().find(|guard| guard.access == access)
    }
}

#[cfg(test)]
pub(crate) mod tests;
