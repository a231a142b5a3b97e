//! Grids that are arrays: a run in their memory.

use std::sync::Arc;

use affinimath::array::{AnyArray, LentArray, LentMemory};
use affinimath::stencil::{Argument, Outcome, Plan, Span, Target};
use affinimath::{Context, Error, Result};

use super::grids::{self, Level};
use super::names::Names;
use super::{ArrayOperand, ended};
use crate::arrays::code;

fn wrong(reason: impl Into<String>) -> Error {
    Error::argument("operands", reason)
}

/// The levels of a run, which are arrays in the memory of the plan's target.
pub(super) struct Arrays {
    context: Context,
    /// By the indices of operands; `None` of one that is no level.
    lent: Vec<Option<LentArray>>,
    /// The operands, of which levels have the types, shapes and addresses of arrays.
    described: Vec<ArrayOperand>,
}

impl Arrays {
    /// Evaluates the arrays. `None` where no grid is one.
    ///
    /// # Safety
    /// The operands' arrays must be null or live.
    pub(super) unsafe fn lend(
        plan: &Plan,
        names: &Names,
        operands: &[(&str, &ArrayOperand)],
        span: Span,
    ) -> Result<Option<Self>> {
        let levels = || names.grids.iter().enumerate().flat_map(|(grid, all)| all.iter().map(move |&i| (grid, i)));
        if levels().all(|(_, index)| operands[index].1.array.is_null()) {
            return Ok(None);
        }
        let changed = plan.changed(span);
        let mut described: Vec<ArrayOperand> = operands.iter().map(|(_, operand)| **operand).collect();
        let mut context = None;
        for (grid, index) in levels() {
            let (name, operand) = operands[index];
            if operand.array.is_null() {
                return Err(wrong(format!("{name:?} is no array, and other grids are: all of them, or none")));
            }
            let again = |(other, at): (usize, usize)| {
                at < index && operands[at].1.array == operand.array && (changed[grid] || changed[other])
            };
            if levels().any(again) {
                return Err(wrong(format!("the array of {name:?} is given twice, and the run changes it")));
            }
            // SAFETY: it is not null, and this function requires live arrays.
            let array = unsafe { array(operand) };
            let is_near = match (plan.target(), Target::from(array.context())) {
                (Target::Host, Target::Host) => true,
                (Target::Device(own), Target::Device(other)) => Arc::ptr_eq(own, &other),
                _ => false,
            };
            if !is_near {
                return Err(Error::MixedMemory(format!(
                    "the array of {name:?} is not in the memory of the plan's device"
                )));
            }
            context = Some(array.context().clone());
            describe(&mut described[index], array);
        }
        let mut lent: Vec<Option<LentArray>> = Vec::new();
        lent.resize_with(operands.len(), || None);
        for (grid, index) in levels() {
            // SAFETY: as above.
            let array = unsafe { array(operands[index].1) };
            let mut memory = array.lend(changed[grid])?;
            if lent.iter().flatten().any(|other| other.is_same(&memory)) {
                // Grids lie apart.
                memory = array.lend(true)?;
            }
            if let LentMemory::Host(start) = memory.memory()? {
                described[index].data = start.cast();
            }
            lent[index] = Some(memory);
        }
        Ok(context.map(|context| Arrays { context, lent, described }))
    }

    /// Runs in the arrays' memory.
    pub(super) fn run(
        &self,
        plan: &Plan,
        names: &Names,
        operands: &[(&str, &ArrayOperand)],
        arguments: &[Argument],
        span: Span,
    ) -> Result<Outcome> {
        let bound = plan.bound();
        let Some(queue) = self.context.own_queue()? else {
            let operands: Vec<(&str, &ArrayOperand)> =
                operands.iter().zip(&self.described).map(|((name, _), described)| (*name, described)).collect();
            // SAFETY: the elements are those of arrays that are lent for the run, or the caller's.
            let mut grids = unsafe { grids::slices(bound, names, &operands)? };
            return plan.run(&mut grids, arguments, span).map_err(|error| error.of_argument("operands"));
        };
        let mut levels: Vec<Option<Level<'_>>> = Vec::with_capacity(self.lent.len());
        for (lent, described) in self.lent.iter().zip(&self.described) {
            levels.push(match lent.as_ref().map(LentArray::memory).transpose()? {
                Some(LentMemory::Device(memory)) => Some(Level::of_array(described, memory)),
                _ => None,
            });
        }
        let grids = grids::on_device(bound, names, &levels)?;
        let enqueued = plan.enqueue(&queue, &grids, arguments, span);
        let enqueued = enqueued.map_err(|error| error.of_argument("operands"))?;
        ended(enqueued, names.has_results() || bound.stencil().stop().is_some(), "operands")
    }
}

/// # Safety
/// The operand's array must be live.
unsafe fn array<'a>(operand: &ArrayOperand) -> &'a AnyArray {
    // SAFETY: this function's condition.
    unsafe { (*operand.array).any() }
}

/// The type and the shape of an array in row-major order.
fn describe(operand: &mut ArrayOperand, array: &AnyArray) {
    let shape = array.shape();
    (operand.element, operand.rank) = (code(array.element()), shape.rank() as _);
    let mut stride = 1;
    for axis in (0..shape.rank()).rev() {
        operand.shape[axis] = shape[axis] as i64;
        operand.strides[axis] = stride;
        stride *= shape[axis].max(1) as i64;
    }
}
