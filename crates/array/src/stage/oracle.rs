//! The oracle of stages, on the reference of fused kernels.

use super::Stage;
use crate::check::Invalid;
use crate::element::{ElementType, Value};
use crate::fused::{AccessClass, Arguments, Effect, Instruction, Phase, Structure, View};
use crate::reference::{self, Memory};

/// A recurrence under way: its state, and the partial sums of its last stage.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// Numbers of the state.
    pub state: Vec<Value>,
    /// Partial sums by slot, those of each block.
    pub sums: Vec<Vec<Value>>,
    /// Numbers that the last stage recorded.
    pub records: Vec<Value>,
}

impl Chain {
    /// Runs a stage over vectors of `n` elements, in blocks of `block`. `memory` has the bytes of each access's vector.
    ///
    /// # Errors
    /// If the stage or the memory is not consistent. Nothing is written then.
    pub fn run(&mut self, stage: &Stage, n: usize, block: usize, memory: &mut [Vec<u8>]) -> Result<(), Invalid> {
        stage.check()?;
        if self.state[stage.prologue.stop] != number(stage.element, 0.0) {
            return Ok(());
        }
        let registers = self.prologue(stage)?;
        let scalars: Vec<Value> = stage.prologue.scalars.iter().map(|register| registers[*register]).collect();
        self.records = stage.prologue.records.iter().map(|register| registers[*register]).collect();
        for (number, register) in &stage.prologue.updates {
            self.state[*number] = registers[*register];
        }
        self.sums = vec![Vec::new(); stage.body.slots.len()];
        for first in (0..n).step_by(block) {
            let sums = run_block(stage, &scalars, first, block.min(n - first), memory)?;
            self.sums.iter_mut().zip(sums).for_each(|(all, sum)| all.push(sum));
        }
        Ok(())
    }

    /// The registers of a stage's prologue.
    fn prologue(&self, stage: &Stage) -> Result<Vec<Value>, Invalid> {
        let total = |sums: &Vec<Value>| {
            let zero = number(stage.element, 0.0);
            sums.iter().try_fold(zero, |sum, part| reference::binary(crate::function::Binary::Add, sum, *part))
        };
        let sums: Vec<Option<Value>> = self.sums.iter().map(total).collect();
        let mut registers = Vec::with_capacity(stage.prologue.code.len());
        for (register, instruction) in stage.prologue.code.iter().enumerate() {
            let value = match *instruction {
                Instruction::Scalar(number) => Some(self.state[number]),
                Instruction::Slot(slot) => sums.get(slot).copied().flatten(),
                ref other => reference::evaluate_one(other, &registers),
            };
            let reason = "the prologue has no such instruction";
            registers.push(value.ok_or(Invalid::Instruction { phase: 0, register, reason })?);
        }
        Ok(registers)
    }
}

/// Runs a block of a body, as a kernel that stores its sums.
fn run_block(
    stage: &Stage,
    scalars: &[Value],
    first: usize,
    n: usize,
    memory: &mut [Vec<u8>],
) -> Result<Vec<Value>, Invalid> {
    let body = &stage.body;
    let (structure, vectors) = (with_stores(body), body.accesses.len());
    let view = |index| match index < vectors {
        true => View { offset: first, strides: vec![1], extents: vec![n] },
        false => View { offset: 0, strides: vec![0], extents: vec![n] },
    };
    let views = (0..structure.accesses.len()).map(view).collect();
    let arguments = Arguments { extents: vec![n], views, scalars: scalars.to_vec() };
    let unguarded: Vec<(usize, Vec<u8>)> = stage
        .guards
        .iter()
        .filter(|guard| scalars[guard.scalar] == Value::Bool(false))
        .map(|guard| (guard.access, memory[guard.access].clone()))
        .collect();
    let mut sums = vec![vec![0; stage.element.bytes()]; body.slots.len()];
    let mut all: Vec<Memory<'_>> = memory.iter_mut().chain(&mut sums).map(|bytes| Memory::Write(bytes)).collect();
    reference::run(&structure, &arguments, &mut all)?;
    for (access, bytes) in unguarded {
        memory[access] = bytes;
    }
    let read = |bytes: &Vec<u8>| reference::read(stage.element, bytes).expect("a number of the state's type");
    Ok(sums.iter().map(read).collect())
}

/// The body with its sums as accesses.
fn with_stores(body: &Structure) -> Structure {
    let mut structure = body.clone();
    let mut effects = Vec::new();
    for (slot, described) in body.slots.iter().enumerate() {
        let access = structure.accesses.len();
        let element = described.element;
        let class = AccessClass::Uniform;
        structure.accesses.push(crate::fused::Access { element, class, is_written: true, is_read: false });
        effects.push(Effect::Store { access, value: slot, imaginary: None });
    }
    if !effects.is_empty() {
        let code = (0..body.slots.len()).map(Instruction::Slot).collect();
        structure.phases.push(Phase { is_loop: false, code, effects });
    }
    structure
}

/// A number of a real type.
fn number(element: ElementType, value: f64) -> Value {
    if element == ElementType::F32 { Value::F32(value as f32) } else { Value::F64(value) }
}
