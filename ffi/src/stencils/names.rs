//! Operands of C's by their names: grids with their levels, parameters and results.

use std::ffi::c_int;

use affinimath::stencil::{Argument, Bound, Outcome, Stencil, Type};
use affinimath::{Error, Result};
use affinimath_abi::arguments::{not_null, size};

use super::{ArrayOperand, code, store};

/// The indices of operands among those of a call.
pub(super) struct Names {
    /// Those of each grid's levels, the oldest first.
    pub(super) grids: Vec<Vec<usize>>,
    /// Those of each parameter.
    parameters: Vec<Option<usize>>,
    /// Those of each result.
    results: Vec<Option<usize>>,
    count: usize,
}

fn wrong(reason: String) -> Error {
    Error::argument("operands", reason)
}

/// The grid of a name.
pub(super) fn grid(stencil: &Stencil, name: &str) -> Option<usize> {
    stencil.grids().iter().position(|grid| grid.name == name)
}

/// Lengths by a grid's axes, x first, of an operand with its components' axes first and x last.
pub(super) fn lengths(stencil: &Stencil, grid: usize, rank: c_int, shape: &[i64; 8]) -> Result<Vec<usize>> {
    let definition = &stencil.grids()[grid];
    let (components, axes) = (&definition.components, definition.axes.len());
    let name = &definition.name;
    let wanted = components.len() + axes;
    if usize::try_from(rank) != Ok(wanted) || wanted > shape.len() {
        return Err(wrong(format!("{name:?} has {wanted} axes, and an operand has {rank}")));
    }
    let extents = shape[..wanted].iter().map(|extent| size("operands", *extent)).collect::<Result<Vec<_>>>()?;
    if extents[..components.len()] != components[..] {
        let given = &extents[..components.len()];
        return Err(wrong(format!("{name:?} has components {components:?}, and an operand has {given:?}")));
    }
    Ok(extents[components.len()..].iter().rev().copied().collect())
}

impl Names {
    /// Finds operands: levels of all grids, or parameters and results where grids are given elsewhere; all of them
    /// where `together`.
    pub(super) fn new<'a>(stencil: &Stencil, names: impl Iterator<Item = &'a str>, with_grids: bool) -> Result<Self> {
        let mut found = Names {
            grids: vec![Vec::new(); stencil.grids().len()],
            parameters: vec![None; stencil.parameters().len()],
            results: vec![None; stencil.results().len()],
            count: 0,
        };
        for (index, name) in names.enumerate() {
            found.count = index + 1;
            if with_grids && let Some(grid) = grid(stencil, name) {
                found.grids[grid].push(index);
                continue;
            }
            let parameter = stencil.parameters().iter().position(|it| it.name == name && it.values.is_none());
            let result = stencil.results().iter().position(|it| it.name == name);
            let slot = match (parameter, result) {
                (Some(parameter), _) => &mut found.parameters[parameter],
                (None, Some(result)) => &mut found.results[result],
                (None, None) => {
                    let kinds = if with_grids { "grid, parameter or result" } else { "parameter or result" };
                    return Err(wrong(format!("the stencil has no {kinds} {name:?}")));
                }
            };
            if slot.replace(index).is_some() {
                return Err(wrong(format!("{name:?} is given twice")));
            }
        }
        Ok(found)
    }

    /// The arguments of parameters that are no tables.
    ///
    /// # Safety
    /// Operands must have their elements.
    pub(super) unsafe fn arguments(&self, bound: &Bound, operands: &[(&str, &ArrayOperand)]) -> Result<Vec<Argument>> {
        let mut arguments = Vec::new();
        for (number, parameter) in bound.stencil().parameters().iter().enumerate() {
            if parameter.values.is_some() {
                continue;
            }
            let name = &parameter.name;
            let index = self.parameters[number].ok_or_else(|| wrong(format!("the parameter {name:?} is missing")))?;
            let operand = operands[index].1;
            let shape: Vec<usize> = bound
                .ranges(number)
                .map_err(|error| error.of_argument("plan"))?
                .into_iter()
                .map(|(_, length)| length)
                .collect();
            if usize::try_from(operand.rank) != Ok(shape.len()) || shape.len() > 8 {
                let (wanted, given) = (shape.len(), operand.rank);
                return Err(wrong(format!("the parameter {name:?} has {wanted} axes, and its operand {given}")));
            }
            let given = operand.shape[..shape.len()].iter().map(|extent| usize::try_from(*extent).ok());
            if !given.clone().eq(shape.iter().map(|extent| Some(*extent))) {
                let given = &operand.shape[..shape.len()];
                return Err(wrong(format!("the parameter {name:?} has shape {shape:?}, and its operand {given:?}")));
            }
            not_null("operands", operand.data)?;
            // SAFETY: the operand has the parameter's shape, and this function requires its elements.
            arguments.push(unsafe { elements(name, operand, &shape)? });
        }
        Ok(arguments)
    }

    pub(super) fn has_results(&self) -> bool {
        self.results.iter().any(Option::is_some)
    }

    /// Results' operands have their types.
    pub(super) fn check_results(&self, stencil: &Stencil, operands: &[(&str, &ArrayOperand)]) -> Result<()> {
        for (result, index) in stencil.results().iter().zip(&self.results) {
            let Some(index) = *index else { continue };
            let operand = operands[index].1;
            if operand.rank != 0 || operand.element != code(result.kind) {
                let reason = format!("the result {:?} is a {} without axes", result.name, result.kind);
                return Err(wrong(reason));
            }
            not_null("operands", operand.data)?;
        }
        Ok(())
    }

    /// # Safety
    /// Operands of results must be valid for a write; [`Names::check_results`] has passed.
    pub(super) unsafe fn write_results(&self, operands: &[(&str, &ArrayOperand)], end: &Outcome) {
        for (index, value) in self.results.iter().zip(&end.results) {
            if let (Some(index), Some(value)) = (*index, *value) {
                // SAFETY: the operand has the value's type, and this function requires memory for it.
                unsafe { store(value, operands[index].1.data) };
            }
        }
    }

    /// # Safety
    /// `newest` must be null or valid for as many writes as there are operands.
    pub(super) unsafe fn write_newest(&self, end: &Outcome, newest: *mut i32) {
        if newest.is_null() {
            return;
        }
        for index in 0..self.count {
            let is_newest =
                self.grids.iter().zip(&end.newest).any(|(indices, &level)| indices.get(level) == Some(&index));
            // SAFETY: it is not null; this function requires room for all operands.
            unsafe { newest.add(index).write(is_newest.into()) };
        }
    }
}

/// The elements of a parameter, the last index fastest.
///
/// # Safety
/// The operand must have elements for the shape.
unsafe fn elements(name: &str, operand: &ArrayOperand, shape: &[usize]) -> Result<Argument> {
    let kinds = [Type::I32, Type::I64, Type::F32, Type::F64];
    let kind = kinds.into_iter().find(|kind| code(*kind) == operand.element);
    let kind =
        kind.ok_or_else(|| wrong(format!("the parameter {name:?} is no number of C's int, long, float or double")))?;
    let mut offsets = vec![0_isize];
    for (&length, &stride) in shape.iter().zip(&operand.strides) {
        let along = |offset: &isize| {
            let offset = *offset;
            (0..length as isize).map(move |index| offset + index * stride as isize)
        };
        offsets = offsets.iter().flat_map(along).collect();
    }
    macro_rules! read {
        ($type:ty) => {
            // SAFETY: offsets are those of the operand's elements, which this function requires.
            offsets.iter().map(|&offset| unsafe { operand.data.cast::<$type>().offset(offset).read_unaligned() })
        };
    }
    Ok(match kind {
        Type::I32 => Argument::Integers(read!(i32).map(i64::from).collect()),
        Type::I64 => Argument::Integers(read!(i64).collect()),
        Type::F32 => Argument::Reals(read!(f32).map(f64::from).collect()),
        Type::F64 | Type::Bool => Argument::Reals(read!(f64).collect()),
    })
}
