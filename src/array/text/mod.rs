//! Text expressions in contexts, and for operands in memory of others.

mod device;
mod host;
mod prepared;

use std::collections::HashMap;
use std::fmt;

use affinimath_array::executor::Assignment;
use affinimath_array::node::Node;
use affinimath_array::plan::Fused;
use affinimath_array::shape::Shape;
use affinimath_array::slice::{Slice, intersect};
use affinimath_array::{ElementType, Number};
use affinimath_expression::{Expression as Text, Output, Target};

use super::any::AnyArray;
use super::executor::ContextExecutor;
use super::host::HostKernels;
use crate::error::{Error, Result};
use crate::memory::Context;

use prepared::Prepared;

pub use device::DeviceOperand;
pub use host::HostOperand;

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
pub struct Expression {
    text: Text,
    prepared: Prepared,
}

impl Expression {
    /// Parses a text.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] with the place in the text.
    pub fn parse(text: &str) -> Result<Self> {
        Ok(Expression { text: Text::parse(text)?, prepared: Prepared::default() })
    }

    /// The names that it reads before it assigns them: operands and constants.
    pub fn names(&self) -> &[String] {
        self.text.names()
    }

    /// The text with a number for a name, such as `3.5`, `-2j` or `pi/4`. The number takes the type of the arrays that
    /// it meets, as one of the text does.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] of a name that is none, and of a value that is no number.
    pub fn with_number(mut self, name: &str, value: &str) -> Result<Self> {
        self.text.set_number(name, value)?;
        Ok(Expression { prepared: Prepared::default(), ..self })
    }

    /// The text's values in order, with the names that it assigns them to: expressions that are not evaluated yet. An
    /// operand of which parts are assigned stays as it is: behind the others is an array with its name and the new
    /// elements.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] with the place in the text, [`Error::MixedMemory`].
    pub fn apply(&self, context: &Context, operands: &[(&str, &AnyArray)]) -> Result<Vec<(Option<String>, AnyArray)>> {
        self.apply_with(context, operands, &[])
    }

    /// The same with numbers for some names, which take the type of the arrays that they meet.
    ///
    /// # Errors
    /// Those of [`Expression::apply`].
    pub fn apply_with(
        &self,
        context: &Context,
        operands: &[(&str, &AnyArray)],
        numbers: &[(&str, Number)],
    ) -> Result<Vec<(Option<String>, AnyArray)>> {
        let nodes: Vec<(&str, Node)> = operands.iter().map(|(name, array)| (*name, array.node())).collect();
        let mut results: Vec<(Option<String>, Node)> = Vec::with_capacity(nodes.len());
        let mut changed: Vec<(Option<String>, Node)> = Vec::new();
        for Output { target, node } in self.text.build_with(&nodes, numbers)?.outputs {
            match target {
                Target::Value => results.push((None, node)),
                Target::Name(name) => results.push((Some(name), node)),
                Target::Part { name, whole, .. } => {
                    match changed.iter_mut().find(|(other, _)| other.as_ref() == Some(&name)) {
                        Some((_, before)) => *before = whole,
                        None => changed.push((Some(name), whole)),
                    }
                }
            }
        }
        let all = results.into_iter().chain(changed);
        all.map(|(name, node)| Ok((name, AnyArray::new(context, node)?))).collect()
    }

    /// The type and the shape of the text's value for operands in the host's memory, which are not read. `None` of a
    /// text that assigns parts of operands alone.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] with the place in the text.
    pub fn value_of(&self, operands: &[HostOperand<'_>]) -> Result<Option<(ElementType, Shape)>> {
        self.value_with(operands, &[])
    }

    /// The same with numbers for some names.
    ///
    /// # Errors
    /// Those of [`Expression::value_of`].
    pub fn value_with(
        &self,
        operands: &[HostOperand<'_>],
        numbers: &[(&str, Number)],
    ) -> Result<Option<(ElementType, Shape)>> {
        // SAFETY: graphs are made, and dropped, without a look at elements.
        let leaves = unsafe { host::leaves(operands)? };
        let named: Vec<(&str, Node)> = operands.iter().map(|operand| operand.name).zip(leaves).collect();
        let built = self.text.build_with(&named, numbers)?;
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
        // SAFETY: this function's conditions.
        unsafe { self.run_with(context, operands, &[]) }
    }

    /// The same with numbers for some names, which take the type of the arrays that they meet.
    ///
    /// # Errors
    /// Those of [`Expression::run`].
    ///
    /// # Safety
    /// The conditions of [`Expression::run`].
    pub unsafe fn run_with(
        &self,
        context: &Context,
        operands: &[HostOperand<'_>],
        numbers: &[(&str, Number)],
    ) -> Result<()> {
        let on_host = context.on_device().is_none();
        // SAFETY: this function's conditions.
        if on_host && unsafe { self.prepared.run(operands, numbers)? } {
            return Ok(());
        }
        // SAFETY: this function's conditions are those of `leaves`.
        let leaves = unsafe { host::leaves(operands)? };
        let names: Vec<&str> = operands.iter().map(|operand| operand.name).collect();
        let assignments: Vec<Assignment> =
            self.assignments(&names, &leaves, numbers)?.into_iter().map(|(_, assignment)| assignment).collect();
        if on_host {
            let keep = |plan: &_, bindings: &_, kernels: &HostKernels| {
                let program = |fused: &Fused| kernels.program(fused.key, &fused.structure);
                self.prepared.keep(operands, numbers, &leaves, plan, bindings, program)
            };
            return ContextExecutor::new(context.clone()).assign_and_keep(&assignments, keep);
        }
        // SAFETY: this function's conditions; targets lie within their operands.
        unsafe { host::assign_from_device(context, &assignments) }
    }

    /// The text's values with the operands that they are assigned to, of which the one without a name gets the text's
    /// own value; each with the index of its operand.
    fn assignments(
        &self,
        names: &[&str],
        leaves: &[Node],
        numbers: &[(&str, Number)],
    ) -> Result<Vec<(usize, Assignment)>> {
        let position = |name: &str| names.iter().position(|other| *other == name);
        let named = names.iter().zip(leaves).filter(|(name, _)| !name.is_empty());
        let named: Vec<(&str, Node)> = named.map(|(name, leaf)| (*name, leaf.clone())).collect();
        let outputs = self.text.build_with(&named, numbers)?.outputs;
        let values = outputs.iter().filter(|output| matches!(output.target, Target::Value)).count();
        if values > 1 {
            return Err(Error::argument("text", format!("it has {values} values, and one operand for them")));
        }
        // Without a value of its own the text has the one that a name was assigned last.
        let is_name = |output: &Output| matches!(output.target, Target::Name(_));
        let last_name = if values == 1 { None } else { outputs.iter().rposition(is_name) };
        let merged = overlapping(&outputs, |name| position(name).map(|operand| leaves[operand].shape()));
        let mut assignments = Vec::new();
        let mut assign = |operand: usize, target: Node, value: Node| {
            let value = fitted(value, &target)?;
            assignments.push((operand, Assignment { value, target }));
            Ok::<(), Error>(())
        };
        for (index, Output { target, node }) in outputs.into_iter().enumerate() {
            match target {
                Target::Part { name, view, whole, .. } => match position(&name) {
                    Some(operand) => match merged.get(&name) {
                        None => assign(operand, view, node)?,
                        Some(&last) if last == index => assign(operand, leaves[operand].clone(), whole)?,
                        Some(_) => (),
                    },
                    None => return Err(Error::Internal(format!("no operand is called {name:?}"))),
                },
                Target::Name(name) => {
                    if Some(index) == last_name
                        && let Some(unnamed) = position("")
                    {
                        assign(unnamed, leaves[unnamed].clone(), node.clone())?;
                    }
                    if let Some(operand) = position(&name) {
                        assign(operand, leaves[operand].clone(), node)?;
                    }
                }
                Target::Value => match position("") {
                    Some(unnamed) => assign(unnamed, leaves[unnamed].clone(), node)?,
                    None => return Err(Error::argument("operands", "none without a name receives the value")),
                },
            }
        }
        Ok(assignments)
    }
}

/// Operands of which parts with an element in common are assigned, with the last statement that does so: they are
/// written once, whole.
fn overlapping<'a>(outputs: &[Output], shape: impl Fn(&str) -> Option<&'a Shape>) -> HashMap<String, usize> {
    let mut found: HashMap<String, usize> = HashMap::new();
    let mut parts: HashMap<&str, Vec<&[Slice]>> = HashMap::new();
    for (index, output) in outputs.iter().enumerate() {
        let Target::Part { name, slices, .. } = &output.target else { continue };
        let earlier = parts.entry(name).or_default();
        let meets = |other: &&[Slice]| shape(name).is_some_and(|shape| intersect(shape, other, slices));
        if earlier.iter().any(meets) || found.contains_key(name) {
            found.insert(name.clone(), index);
        }
        earlier.push(slices);
    }
    found
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

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.text())
    }
}
