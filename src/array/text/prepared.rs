//! Runs of a text on the host that need no graph: operands of types, shapes and strides that it has had before.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use affinimath_array::fused::Arguments;
use affinimath_array::node::{Leaf, Node, Op};
use affinimath_array::plan::{Bindings, Buffer, Fused, Operand as Accessed, Plan, PlannedOutput, Step};
use affinimath_array::shape::{Shape, Strides};
use affinimath_array::{ElementType, Number};

use super::HostOperand;
use crate::error::Result;
use crate::host::array::{Operand, Program};

/// Runs that a text caches.
const MAX_RUNS: usize = 4;

/// Operands up to which pairs of them are looked at for overlaps.
const OPERANDS: usize = 16;

/// The runs that a text has had last.
#[derive(Default)]
pub(super) struct Prepared(Mutex<Vec<Arc<Run>>>);

/// A run of one kernel, with an operand's memory for each of its accesses.
struct Run {
    operands: Vec<Form>,
    numbers: Vec<(Box<str>, Number)>,
    program: Arc<Program>,
    arguments: Arguments,
    accesses: Vec<Access>,
}

/// All of an operand but its address.
struct Form {
    name: Box<str>,
    element: ElementType,
    shape: Shape,
    strides: Strides,
    /// Bytes from its first address to the element of which all indices are 0, and to the end.
    before: usize,
    after: usize,
}

struct Access {
    operand: usize,
    elements: usize,
    is_written: bool,
}

impl Prepared {
    /// Runs the text if it has had such operands. False if it has not, and nothing is done.
    ///
    /// # Errors
    /// Those of the kernel.
    ///
    /// # Safety
    /// The conditions of [`Expression::run`](super::Expression::run).
    pub(super) unsafe fn run(&self, operands: &[HostOperand<'_>], numbers: &[(&str, Number)]) -> Result<bool> {
        let run = {
            let cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            cached.iter().find(|run| run.fits(operands) && run.has_numbers(numbers)).cloned()
        };
        match run {
            Some(run) if are_apart(&run.operands, operands) => {
                // SAFETY: this function's conditions, for operands of which none overlaps another.
                unsafe { run.run(operands) }.map(|()| true)
            }
            _ => Ok(false),
        }
    }

    /// Caches a run, if it is that of one kernel on the operands' memory. `leaves` are the operands.
    pub(super) fn keep(
        &self,
        operands: &[HostOperand<'_>],
        numbers: &[(&str, Number)],
        leaves: &[Node],
        plan: &Plan,
        bindings: &Bindings,
        program: impl FnOnce(&Fused) -> Result<Arc<Program>>,
    ) -> Result<()> {
        let [Step::Fused(fused)] = &*plan.steps else { return Ok(()) };
        let is_new = |output: &PlannedOutput| !matches!(output.result.buffer, Buffer::Target(_));
        if !plan.temporaries.is_empty() || plan.outputs.iter().any(is_new) || operands.len() > OPERANDS {
            return Ok(());
        }
        let Some(forms) = operands.iter().map(Form::of).collect::<Option<Vec<_>>>() else { return Ok(()) };
        if !are_apart(&forms, operands) {
            return Ok(());
        }
        let access = |operand: &Accessed, is_written: bool| {
            let leaf = match operand.buffer {
                Buffer::Leaf(leaf) => &bindings.leaves[leaf],
                Buffer::Target(target) => &bindings.targets[target],
                _ => return None,
            };
            let operand = leaves.iter().position(|node| is_memory_of(node, leaf))?;
            Some(Access { operand, elements: leaf.storage.len(), is_written })
        };
        let written = fused.structure.accesses.iter().map(|access| access.is_written);
        let accesses = fused.accesses.iter().zip(written).map(|(operand, written)| access(operand, written));
        let Some(accesses) = accesses.collect::<Option<Vec<_>>>() else { return Ok(()) };
        let numbers = numbers.iter().map(|(name, number)| ((*name).into(), *number)).collect();
        let (program, arguments) = (program(fused)?, fused.arguments(bindings));
        let run = Run { operands: forms, numbers, program, arguments, accesses };
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A number that changes from run to run has one run.
        cached.retain(|run| !run.fits(operands));
        if cached.len() == MAX_RUNS {
            cached.remove(0);
        }
        cached.push(Arc::new(run));
        Ok(())
    }
}

/// True if a leaf is the operand's memory.
fn is_memory_of(node: &Node, leaf: &Leaf) -> bool {
    matches!(node.op(), Op::Leaf(own) if Arc::ptr_eq(&own.storage, &leaf.storage))
}

impl Form {
    /// None for an operand without elements.
    fn of(operand: &HostOperand<'_>) -> Option<Self> {
        let HostOperand { name, element, shape, strides, .. } = *operand;
        let (first, last) = strides.span(&shape)?;
        let bytes = element.bytes();
        let (before, after) = (usize::try_from(-first).ok()? * bytes, usize::try_from(last + 1).ok()? * bytes);
        Some(Form { name: name.into(), element, shape, strides, before, after })
    }

    fn fits(&self, operand: &HostOperand<'_>) -> bool {
        self.element == operand.element
            && self.shape == operand.shape
            && self.strides == operand.strides
            && *self.name == *operand.name
    }
}

/// True if all operands are there, aligned, and none overlaps another.
fn are_apart(forms: &[Form], operands: &[HostOperand<'_>]) -> bool {
    let range = |index: usize| {
        let at = operands[index].start.addr();
        at.wrapping_sub(forms[index].before)..at.wrapping_add(forms[index].after)
    };
    operands.iter().enumerate().all(|(i, operand)| {
        let own = range(i);
        let aligned = operand.start.addr() % operand.element.part().bytes() == 0;
        let apart = |j: usize| {
            let other = range(j);
            other.end <= own.start || own.end <= other.start
        };
        !operand.start.is_null() && aligned && (0..i).all(apart)
    })
}

impl Run {
    fn fits(&self, operands: &[HostOperand<'_>]) -> bool {
        self.operands.len() == operands.len() && self.operands.iter().zip(operands).all(|(own, given)| own.fits(given))
    }

    /// True if the numbers have the same names and bits.
    fn has_numbers(&self, numbers: &[(&str, Number)]) -> bool {
        let bits = |number: &Number| (number.element_type(), number.bits());
        let is_same = |((own_name, own), (name, number)): (&(Box<str>, Number), &(&str, Number))| {
            **own_name == **name && bits(own) == bits(number)
        };
        self.numbers.len() == numbers.len() && self.numbers.iter().zip(numbers).all(is_same)
    }

    /// # Safety
    /// The conditions of [`Expression::run`](super::Expression::run), for operands that fit and do not overlap.
    unsafe fn run(&self, operands: &[HostOperand<'_>]) -> Result<()> {
        let memory = |access: &Access| {
            let (form, given) = (&self.operands[access.operand], &operands[access.operand]);
            let first = given.start.wrapping_sub(form.before);
            // SAFETY: the elements from the operand's first address on are its own, valid and aligned.
            unsafe { Operand::from_raw(first, access.elements, form.element, access.is_written) }
        };
        self.program.run(&self.arguments, &self.accesses.iter().map(memory).collect::<Vec<_>>())
    }
}

impl Clone for Prepared {
    /// Another text's own runs, of which there are none yet.
    fn clone(&self) -> Self {
        Prepared::default()
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Prepared")
    }
}
