//! Memory of plans: lifetimes of temporaries, and results that take over the memory of operands.
//!
//! A kernel's result takes over an operand if both have the same elements at the same points, nobody uses the operand
//! afterwards, and no phase reads it after the one that stores the result.

use super::{Bindings, Buffer, Fused, Matmul, Operand, Plan, Step};
use crate::fused::{AccessClass, Effect, Instruction, Structure};
use std::sync::Arc;

/// Sets the lifetimes of temporaries, and leaves out those that no step uses.
pub(super) fn measure(plan: &mut Plan) {
    let mut lifetimes: Vec<Option<(usize, usize)>> = vec![None; plan.temporaries.len()];
    for (index, step) in plan.steps.iter().enumerate() {
        for operand in step.operands() {
            if let Buffer::Temporary(temporary) = operand.buffer {
                lifetimes[temporary].get_or_insert((index, index)).1 = index;
            }
        }
    }
    let mut new = Vec::with_capacity(lifetimes.len());
    let mut remaining = Vec::new();
    for (temporary, lifetime) in plan.temporaries.iter().zip(&lifetimes) {
        new.push(remaining.len());
        if let &Some((first, last)) = lifetime {
            remaining.push(super::Temporary { first, last, ..*temporary });
        }
    }
    plan.temporaries = remaining;
    for step in &mut plan.steps {
        step.for_each_operand(|operand| {
            if let Buffer::Temporary(temporary) = &mut operand.buffer {
                *temporary = new[*temporary];
            }
        });
    }
    for output in &mut plan.outputs {
        if let Buffer::Temporary(temporary) = &mut output.result.buffer {
            *temporary = new[*temporary];
        }
    }
}

/// Lets results take over memory.
pub(super) fn reuse(plan: &mut Plan, bindings: &Bindings) {
    for step in 0..plan.steps.len() {
        while let Some((read, written)) = pair(plan, bindings, step) {
            take_over(plan, step, read, written);
        }
    }
    drop_copies(plan, bindings);
    measure(plan);
}

/// A read access and a written one that takes over its memory.
fn pair(plan: &Plan, bindings: &Bindings, step: usize) -> Option<(usize, usize)> {
    let Step::Fused(fused) = &plan.steps[step] else { return None };
    for written in 0..fused.accesses.len() {
        let access = fused.structure.accesses[written];
        let is_whole = buffer_len(plan, fused.accesses[written].buffer) == Some(len(&fused.accesses[written]));
        if !access.is_written
            || access.is_read
            || !is_whole
            || !is_first_use(plan, step, fused.accesses[written].buffer)
        {
            continue;
        }
        for read in 0..fused.accesses.len() {
            if fits(fused, read, written) && dies(plan, bindings, step, read) {
                return Some((read, written));
            }
        }
    }
    None
}

fn len(operand: &Operand) -> usize {
    operand.extents.iter().product()
}

fn buffer_len(plan: &Plan, buffer: Buffer) -> Option<usize> {
    match buffer {
        Buffer::Temporary(temporary) => Some(plan.temporaries[temporary].len),
        Buffer::Output(output) => Some(plan.outputs[output].shape.len()),
        Buffer::Leaf(_) | Buffer::Target(_) => None,
    }
}

fn is_first_use(plan: &Plan, step: usize, buffer: Buffer) -> bool {
    let uses = |step: &Step| step.operands().iter().filter(|operand| operand.buffer == buffer).count();
    plan.steps[..step].iter().all(|step| uses(step) == 0) && uses(&plan.steps[step]) == 1
}

/// True if both accesses have the same elements at the same points, and no load follows the store's phase.
fn fits(fused: &Fused, read: usize, written: usize) -> bool {
    let (from, to) = (fused.structure.accesses[read], fused.structure.accesses[written]);
    let (a, b) = (&fused.accesses[read], &fused.accesses[written]);
    let is_same = from.element == to.element
        && from.is_read
        && !from.is_written
        && from.class != AccessClass::Indexed
        && (a.offset, &a.strides, &a.extents) == (b.offset, &b.strides, &b.extents);
    is_same && last_load(&fused.structure, read) <= store_phase(&fused.structure, written)
}

fn last_load(structure: &Structure, access: usize) -> Option<usize> {
    let loads = |i: &Instruction| crate::check::loaded(i) == Some(access);
    structure.phases.iter().rposition(|phase| phase.code.iter().any(loads))
}

fn store_phase(structure: &Structure, written: usize) -> Option<usize> {
    let stores = |e: &Effect| matches!(e, Effect::Store { access, .. } if *access == written);
    structure.phases.iter().position(|phase| phase.effects.iter().any(stores))
}

/// True if nothing but the access uses its memory in this step or later.
fn dies(plan: &Plan, bindings: &Bindings, step: usize, read: usize) -> bool {
    let Step::Fused(fused) = &plan.steps[step] else { return false };
    let operand = &fused.accesses[read];
    let is_same_memory = |other: &Operand| match (operand.buffer, other.buffer) {
        (Buffer::Leaf(a), Buffer::Leaf(b)) => bindings.leaves[a].id() == bindings.leaves[b].id(),
        (Buffer::Leaf(a), Buffer::Target(b)) => bindings.leaves[a].id() == bindings.targets[b].id(),
        (a, b) => a == b,
    };
    let is_free = match operand.buffer {
        Buffer::Leaf(leaf) => {
            let memory = &bindings.leaves[leaf];
            let all_die =
                bindings.leaves.iter().zip(&bindings.dies).all(|(other, &dies)| other.id() != memory.id() || dies);
            all_die && memory.offset == 0 && memory.storage.len() == len(operand)
        }
        Buffer::Temporary(temporary) => plan.temporaries[temporary].len == len(operand),
        Buffer::Target(_) | Buffer::Output(_) => false,
    };
    let uses = |step: &Step| step.operands().into_iter().filter(|other| is_same_memory(other)).count();
    is_free
        && uses(&plan.steps[step]) == 1
        && plan.steps[step + 1..].iter().all(|step| uses(step) == 0)
        && !plan.outputs.iter().any(|output| is_same_memory(&output.result))
        && !plan.outputs.iter().any(|output| output.in_place.is_some_and(|leaf| operand.buffer == Buffer::Leaf(leaf)))
}

fn take_over(plan: &mut Plan, step: usize, read: usize, written: usize) {
    let Step::Fused(fused) = &mut plan.steps[step] else { return };
    let (from, to) = (fused.accesses[read].buffer, fused.accesses[written].buffer);
    merge(fused, read, written);
    match (from, to) {
        (Buffer::Leaf(leaf), Buffer::Output(output)) => plan.outputs[output].in_place = Some(leaf),
        // A temporary is the leaf's memory from now on.
        (Buffer::Leaf(_), _) => rename(plan, to, from),
        _ => rename(plan, from, to),
    }
}

fn rename(plan: &mut Plan, from: Buffer, to: Buffer) {
    for step in &mut plan.steps {
        step.for_each_operand(|operand| {
            if operand.buffer == from {
                operand.buffer = to;
            }
        });
    }
}

/// One access that is read and written, with the memory of the written one.
fn merge(fused: &mut Fused, read: usize, written: usize) {
    let structure = Arc::make_mut(&mut fused.structure);
    fused.accesses[read].buffer = fused.accesses[written].buffer;
    structure.accesses[read].is_written = true;
    structure.accesses.remove(written);
    fused.accesses.remove(written);
    let new = |access: &mut usize| {
        if *access == written {
            *access = read;
        }
        if *access > written {
            *access -= 1;
        }
    };
    for phase in &mut structure.phases {
        for instruction in &mut phase.code {
            if let Instruction::Load(access) | Instruction::LoadImaginary(access) | Instruction::LoadAt { access, .. } =
                instruction
            {
                new(access);
            }
        }
        for effect in &mut phase.effects {
            if let Effect::Store { access, .. } = effect {
                new(access);
            }
        }
    }
    fused.key = crate::key::structure_key(structure);
}

/// Steps write their results to targets that they read at the same elements, in place of a temporary and a copy.
fn drop_copies(plan: &mut Plan, bindings: &Bindings) {
    for copy in (0..plan.steps.len()).rev() {
        let Step::Copy { from, to } = &plan.steps[copy] else { continue };
        let (Buffer::Temporary(_), Buffer::Target(target)) = (from.buffer, to.buffer) else { continue };
        let (from, to) = (from.clone(), to.clone());
        let is_target = |operand: &Operand| match operand.buffer {
            Buffer::Leaf(leaf) => bindings.leaves[leaf].id() == bindings.targets[target].id(),
            Buffer::Target(other) => bindings.targets[other].id() == bindings.targets[target].id(),
            _ => false,
        };
        let users: Vec<usize> = (0..plan.steps.len()).filter(|&step| plan.steps[step].uses(from.buffer)).collect();
        let [writer, _] = users[..] else { continue };
        let is_read_later = plan.steps[writer + 1..copy].iter().any(|step| step.operands().into_iter().any(is_target));
        if writer > copy || is_read_later {
            continue;
        }
        let is_direct = match &mut plan.steps[writer] {
            Step::Fused(fused) => write_to_target(fused, bindings, &from, &to, is_target),
            Step::Matmul(matmul) => {
                let Matmul { a, b, c, output, .. } = &mut **matmul;
                let is_same = |c: &Operand| {
                    let offset = c.offset_in(bindings);
                    (offset, &c.strides, &c.extents) == (to.offset_in(bindings), &to.strides, &to.extents)
                };
                let is_whole = *output == from && output.extents == to.extents && !is_target(a) && !is_target(b);
                let is_direct = is_whole && c.as_ref().is_none_or(|c| !is_target(c) || is_same(c));
                if is_direct {
                    *output = to;
                }
                is_direct
            }
            _ => false,
        };
        if is_direct {
            plan.steps.remove(copy);
        }
    }
}

/// Changes a kernel that computes a row-major temporary so that it computes the target, which it reads at the same
/// elements or not at all.
fn write_to_target(
    fused: &mut Fused,
    bindings: &Bindings,
    from: &Operand,
    to: &Operand,
    is_target: impl Fn(&Operand) -> bool,
) -> bool {
    let Some(written) = fused.accesses.iter().position(|access| access.buffer == from.buffer) else { return false };
    let is_row_major = |operand: &Operand| super::kernel::is_row_major(&operand.strides, &operand.extents);
    let is_whole = len(&fused.accesses[written]) == len(to) && fused.accesses[written].offset == 0;
    if !is_whole || !is_row_major(from) || !is_row_major(to) || to.offset != 0 {
        return false;
    }
    let reads: Vec<usize> = (0..fused.accesses.len()).filter(|&access| is_target(&fused.accesses[access])).collect();
    match reads[..] {
        [] => fused.accesses[written].buffer = to.buffer,
        [read] if fits(fused, read, written) && fused.accesses[read].offset_in(bindings) == to.offset_in(bindings) => {
            fused.accesses[written].buffer = to.buffer;
            merge(fused, read, written);
        }
        _ => return false,
    }
    true
}

impl Step {
    /// The operands in the order in which the step names them.
    pub fn operands(&self) -> Vec<&Operand> {
        match self {
            Step::Fused(fused) => fused.accesses.iter().collect(),
            Step::Copy { from, to } => vec![from, to],
            Step::Matmul(matmul) => {
                let Matmul { a, b, c, output, .. } = &**matmul;
                [Some(a), Some(b), c.as_ref(), Some(output)].into_iter().flatten().collect()
            }
            Step::Scan { input, output, .. } => vec![input, output],
            Step::CheckIndices { range, .. } => vec![range],
            Step::Library { inputs, outputs, .. } => inputs.iter().chain(outputs).collect(),
        }
    }

    fn uses(&self, buffer: Buffer) -> bool {
        self.operands().iter().any(|operand| operand.buffer == buffer)
    }

    fn for_each_operand(&mut self, mut f: impl FnMut(&mut Operand)) {
        match self {
            Step::Fused(fused) => fused.accesses.iter_mut().for_each(f),
            Step::Copy { from, to } => [from, to].into_iter().for_each(f),
            Step::Matmul(matmul) => {
                let Matmul { a, b, c, output, .. } = &mut **matmul;
                [Some(a), Some(b), c.as_mut(), Some(output)].into_iter().flatten().for_each(f);
            }
            Step::Scan { input, output, .. } => [input, output].into_iter().for_each(f),
            Step::CheckIndices { range, .. } => f(range),
            Step::Library { inputs, outputs, .. } => inputs.iter_mut().chain(outputs).for_each(f),
        }
    }
}
