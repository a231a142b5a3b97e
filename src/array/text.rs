//! Text expressions in contexts.

use std::fmt;
use std::sync::Arc;

use affinimath_array::executor::{Assignment, Executor};
use affinimath_array::node::{Node, Storage};
use affinimath_array::shape::{Shape, Strides};
use affinimath_array::{AsExecutor, ElementType};
use affinimath_expression::{Expression as Text, Output, Target};

use super::any::{AnyArray, Borrowed, elements_at_mut};
use super::executor::ContextExecutor;
use crate::error::{Error, Result};
use crate::memory::Context;

/// A text such as `d = x*exp(-r*t); s*normcdf(a) - d*normcdf(b)`, parsed once and evaluated for any operands.
///
/// Names, operators, functions and types mean what they mean in Python with NumPy. A text has several statements, of
/// which later ones see what earlier ones assign.
///
/// ```
/// use affinimath::Context;
/// use affinimath::array::{AnyArray, Array, Expression};
///
/// # fn main() -> affinimath::Result<()> {
/// let context = Context::host();
/// let x = Array::from_slice(&context, [3], &[1.0_f32, 4.0, 9.0])?;
/// let x = AnyArray::new(&context, x.node().clone())?;
/// let text = Expression::parse("root = sqrt(x); 2*root + 1")?;
/// let results = text.apply(&context, &[("x", &x)])?;
/// let value = results[1].1.to_expr::<f32>().expect("single precision stays");
/// assert_eq!(value.to_vec()?, [3.0, 5.0, 7.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Expression(Text);

/// An operand in the host's memory.
#[derive(Clone, Copy, Debug)]
pub struct HostOperand<'a> {
    /// The name in the text. Without one it receives the text's value.
    pub name: &'a str,
    /// The type of its elements.
    pub element: ElementType,
    /// Its shape.
    pub shape: Shape,
    /// Elements between neighbours, one for each axis.
    pub strides: Strides,
    /// The element of which all indices are 0.
    pub start: *mut u8,
}

impl Expression {
    /// Parses a text.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] with the place in the text.
    pub fn parse(text: &str) -> Result<Self> {
        Ok(Expression(Text::parse(text)?))
    }

    /// The names that it reads before it assigns them: operands and constants.
    pub fn names(&self) -> &[String] {
        self.0.names()
    }

    /// The text's values in order, with the names that it assigns them to: expressions that are not evaluated yet.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] with the place in the text, [`Error::MixedMemory`].
    pub fn apply(&self, context: &Context, operands: &[(&str, &AnyArray)]) -> Result<Vec<(Option<String>, AnyArray)>> {
        let nodes: Vec<(&str, Node)> = operands.iter().map(|(name, array)| (*name, array.node())).collect();
        let result = |output: Output| match output.target {
            Target::Value => Ok((None, AnyArray::new(context, output.node)?)),
            Target::Name(name) => Ok((Some(name), AnyArray::new(context, output.node)?)),
            Target::Part { name, .. } => {
                let reason = format!("a part of {name:?} is assigned: arrays do not change");
                Err(Error::argument("text", reason))
            }
        };
        self.0.build(&nodes)?.outputs.into_iter().map(result).collect()
    }

    /// The type and the shape of the text's value for operands in the host's memory, which are not read. `None` of a
    /// text that assigns parts of operands alone.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] with the place in the text.
    pub fn value_of(&self, operands: &[HostOperand<'_>]) -> Result<Option<(ElementType, Shape)>> {
        // SAFETY: graphs are made, and dropped, without a look at elements.
        let leaves = unsafe { leaves(operands)? };
        let named: Vec<(&str, Node)> = operands.iter().map(|operand| operand.name).zip(leaves).collect();
        let built = self.0.build(&named)?;
        Ok(built.value().map(|value| (value.element(), *value.shape())))
    }

    /// Evaluates the text for operands in the host's memory, in a context, and waits for it. Operands that the text
    /// assigns are written, and the operand without a name gets its value. An error of the text changes nothing.
    ///
    /// Operands may overlap: each means what it held before.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`], also of a result that does not fit its operand, and errors of the evaluation.
    ///
    /// # Safety
    /// The elements of all operands must be valid and aligned, those that are written nobody else's, and those that
    /// are read written by nobody until it returns.
    pub unsafe fn run(&self, context: &Context, operands: &[HostOperand<'_>]) -> Result<()> {
        // SAFETY: this function's conditions are those of `leaves`.
        let leaves = unsafe { leaves(operands)? };
        let named: Vec<(&str, Node)> = operands
            .iter()
            .zip(&leaves)
            .filter(|(operand, _)| !operand.name.is_empty())
            .map(|(operand, leaf)| (operand.name, leaf.clone()))
            .collect();
        let outputs = self.0.build(&named)?.outputs;
        let values = outputs.iter().filter(|output| matches!(output.target, Target::Value)).count();
        if values > 1 {
            return Err(Error::argument("text", format!("it has {values} values, and one operand for them")));
        }
        // Without a value of its own the text has the one that a name was assigned last.
        let is_name = |output: &Output| matches!(output.target, Target::Name(_));
        let last_name = if values == 1 { None } else { outputs.iter().rposition(is_name) };
        let mut assignments = Vec::new();
        for (index, Output { target, node }) in outputs.into_iter().enumerate() {
            let position = |name: &str| operands.iter().position(|operand| operand.name == name);
            let to = match target {
                Target::Part { view, .. } => Some(view),
                Target::Name(name) => {
                    if Some(index) == last_name
                        && let Some(unnamed) = position("")
                    {
                        let target = leaves[unnamed].clone();
                        assignments.push(Assignment { value: fitted(node.clone(), &target)?, target });
                    }
                    position(&name).map(|k| leaves[k].clone())
                }
                Target::Value => match position("") {
                    Some(k) => Some(leaves[k].clone()),
                    None => return Err(Error::argument("operands", "none without a name receives the value")),
                },
            };
            if let Some(target) = to {
                assignments.push(Assignment { value: fitted(node, &target)?, target });
            }
        }
        if context.on_device().is_none() {
            return ContextExecutor::new(context.clone()).assign(&assignments);
        }
        // SAFETY: this function's conditions; targets lie within their operands.
        unsafe { assign_from_device(context, &assignments) }
    }
}

/// The operands as memory of the host. Those that overlap are one memory, so that evaluations see it.
///
/// # Safety
/// The conditions of [`Expression::run`].
unsafe fn leaves(operands: &[HostOperand<'_>]) -> Result<Vec<Node>> {
    struct Range {
        element: ElementType,
        start: usize,
        end: usize,
        members: Vec<usize>,
    }
    let mut ranges: Vec<Range> = Vec::new();
    for (index, operand) in operands.iter().enumerate() {
        let bytes = operand.element.bytes() as i128;
        let (first, last) = operand.strides.span(&operand.shape).unwrap_or((0, -1));
        let at = operand.start.addr() as i128;
        if operand.shape.is_empty() {
            continue;
        }
        if operand.start.is_null() || at % operand.element.part().bytes() as i128 != 0 {
            let reason = format!("{:?} has an address that is null or not aligned", operand.name);
            return Err(Error::argument("operands", reason));
        }
        let (start, end) = ((at + first * bytes) as usize, (at + (last + 1) * bytes) as usize);
        ranges.push(Range { element: operand.element, start, end, members: vec![index] });
    }
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => {
                if last.element != range.element || (range.start - last.start) % range.element.bytes() != 0 {
                    let reason = "operands that overlap have the same type, and elements at the same addresses";
                    return Err(Error::argument("operands", reason));
                }
                last.end = last.end.max(range.end);
                last.members.extend(range.members);
            }
            _ => merged.push(range),
        }
    }
    let mut leaves: Vec<Option<Node>> = vec![None; operands.len()];
    for range in merged {
        let bytes = range.element.bytes();
        let first = operands[range.members[0]].start;
        let start = first.with_addr(range.start);
        // SAFETY: this function requires valid, aligned elements of each operand, which together are the range.
        let memory = unsafe { Borrowed::new(range.element, start, (range.end - range.start) / bytes) };
        let storage: Arc<dyn Storage> = Arc::new(memory);
        for member in range.members {
            let operand = &operands[member];
            let offset = (operand.start.addr() - range.start) / bytes;
            leaves[member] = Some(Node::leaf(storage.clone(), offset, operand.shape, operand.strides));
        }
    }
    let empty = |operand: &HostOperand<'_>| {
        // SAFETY: no element is accessed.
        let memory = unsafe { Borrowed::new(operand.element, std::ptr::dangling_mut::<u128>().cast(), 0) };
        Node::contiguous(Arc::new(memory), operand.shape)
    };
    Ok(leaves.into_iter().zip(operands).map(|(leaf, operand)| leaf.unwrap_or_else(|| empty(operand))).collect())
}

/// A value in the type and shape of the memory that receives it.
fn fitted(value: Node, target: &Node) -> Result<Node> {
    let (from, to) = (value.element(), target.element());
    if from != to && affinimath_expression::common_type(from, to) != to {
        let reason = format!("{from} elements are not assigned to {to} elements");
        return Err(Error::argument("operands", reason));
    }
    let value = if from == to { value } else { value.convert(to) };
    let value = value.broadcast_to(target.shape());
    match value.error() {
        Some(error) => Err(Error::argument("operands", error.kind.to_string())),
        None => Ok(value),
    }
}

/// Evaluates on a device what the host's memory receives.
///
/// # Safety
/// The targets' elements must be valid, and nobody else's.
unsafe fn assign_from_device(context: &Context, assignments: &[Assignment]) -> Result<()> {
    let executor = context.as_executor();
    let mut results: Vec<Vec<u128>> = Vec::with_capacity(assignments.len());
    for Assignment { value, .. } in assignments {
        let bytes = value.shape().len() * value.element().bytes();
        let mut memory: Vec<u128> = Vec::new();
        let failed = |_| Error::OutOfHostMemory { bytes: bytes as u64, purpose: "results of a text" };
        memory.try_reserve_exact(bytes.div_ceil(16)).map_err(failed)?;
        memory.resize(bytes.div_ceil(16), 0);
        results.push(memory);
    }
    let outputs = assignments.iter().zip(&mut results).map(|(Assignment { value, .. }, memory)| {
        // SAFETY: the vector has as many bytes, whose alignment is that of all types.
        let elements = unsafe { elements_at_mut(value.element(), memory.as_mut_ptr().cast(), value.shape().len()) };
        (value.clone(), elements)
    });
    executor.evaluate_to_host(outputs.filter(|(value, _)| !value.shape().is_empty()).collect())?;
    let copies = assignments.iter().zip(&mut results).map(|(Assignment { target, value }, memory)| {
        // SAFETY: the vector lives until the copies are made.
        let memory = unsafe { Borrowed::new(value.element(), memory.as_mut_ptr().cast(), value.shape().len()) };
        Assignment { target: target.clone(), value: Node::contiguous(Arc::new(memory), *value.shape()) }
    });
    ContextExecutor::new(Context::host()).assign(&copies.collect::<Vec<_>>())
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.text())
    }
}
