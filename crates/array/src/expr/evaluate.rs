//! Evaluation of expressions, one or several at once.

use super::Expr;
use crate::array::Array;
use crate::element::HostSliceMut;
use crate::executor::{AsExecutor, Executor};
use crate::node::{Node, Op};
use crate::plan::{self, Limits, Plan};
use crate::types::Element;
use affinimath_core::{Error, Result};
use std::sync::Arc;

impl<T: Element> Expr<T> {
    /// The elements in new memory of the operands' context. The array of an array's expression shares its memory.
    ///
    /// An expression of generated elements alone has no context: [`eval_on`](Expr::eval_on) names one.
    pub fn eval(&self) -> Result<Array<T>> {
        Ok(Array::of(evaluate(vec![self.node.clone()], None)?.remove(0)))
    }

    /// The elements, as [`eval`](Expr::eval) gives them, of an expression that is used up. They may be in the memory of
    /// an operand that nothing else holds: `let x = (2.0 * x).into_array()?` needs no further memory.
    pub fn into_array(self) -> Result<Array<T>> {
        Ok(Array::of(evaluate(vec![self.node], None)?.remove(0)))
    }

    /// The elements in memory of this context.
    pub fn eval_on(&self, context: &impl AsExecutor) -> Result<Array<T>> {
        Ok(Array::of(evaluate(vec![self.node.clone()], Some(context.as_executor()))?.remove(0)))
    }

    /// The only element. It waits for the evaluation.
    pub fn value(&self) -> Result<T> {
        match (self.error(), self.len()) {
            (None, 1) => Ok(self.to_vec()?[0]),
            (Some(error), _) => Err(error.clone().into()),
            (None, len) => Err(Error::argument("value", format!("the array has {len} elements, not one"))),
        }
    }

    /// The elements in row-major order. It waits for the evaluation.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        if let Some(error) = self.node.error() {
            return Err(error.clone().into());
        }
        // Before the memory is asked for: an expression without a context is an error.
        let executor = executor_of(std::slice::from_ref(&self.node))?;
        let mut elements = Vec::new();
        let bytes = self.len() as u64 * T::TYPE.bytes() as u64;
        let memory = |_| Error::OutOfHostMemory { bytes, purpose: "the elements of an array" };
        elements.try_reserve_exact(self.len()).map_err(memory)?;
        elements.resize(self.len(), T::default());
        to_host(&*executor, vec![self.to_slice(&mut elements)])?;
        Ok(elements)
    }

    /// The elements in row-major order, in memory that exists: as many as the expression has. It waits for the
    /// evaluation.
    pub fn eval_into(&self, elements: &mut [T]) -> Result<()> {
        match self.error() {
            Some(error) => Err(error.clone().into()),
            None => to_host(&*executor_of(std::slice::from_ref(&self.node))?, vec![self.to_slice(elements)]),
        }
    }

    /// The expression as one of several that [`eval_into_on`] evaluates to memory of the host.
    pub fn to_slice<'a>(&self, elements: &'a mut [T]) -> HostOutput<'a> {
        HostOutput { node: self.node.clone(), elements: T::host_mut(elements) }
    }
}

/// An expression, and the memory of the host that receives its elements in row-major order, as many as it has.
#[derive(Debug)]
pub struct HostOutput<'a> {
    node: Node,
    elements: HostSliceMut<'a>,
}

/// Evaluates expressions together in a context, to memory of the host, and waits for them.
///
/// A device gets large operands of the host and gives the elements in pieces, if all outputs have one extent along
/// their first axis: it computes while they are on their way, and holds no more than a few pieces.
///
/// The guide of arrays has an example.
pub fn eval_into_on<'a>(context: &impl AsExecutor, outputs: impl IntoIterator<Item = HostOutput<'a>>) -> Result<()> {
    let (executor, outputs) = (context.as_executor(), outputs.into_iter().collect::<Vec<_>>());
    for HostOutput { node, .. } in &outputs {
        if let Some(error) = node.error() {
            return Err(error.clone().into());
        }
        if node.context().is_some_and(|other| other != executor.id()) {
            return Err(Error::MixedMemory("the operands are arrays of another context".into()));
        }
    }
    to_host(&*executor, outputs)
}

fn to_host(executor: &dyn Executor, mut outputs: Vec<HostOutput<'_>>) -> Result<()> {
    for HostOutput { node, elements } in &outputs {
        if elements.len() != node.shape().len() {
            let reason = format!("{} elements for an expression of {}", elements.len(), node.shape().len());
            return Err(Error::argument("elements", reason));
        }
    }
    outputs.retain(|output| !output.elements.is_empty());
    let is_memory = |node: &Node| matches!(node.op(), Op::Leaf(_)) && node.context() == Some(executor.id());
    let (arrays, computed): (Vec<_>, Vec<_>) = outputs.into_iter().partition(|output| is_memory(&output.node));
    if !computed.is_empty() {
        executor.evaluate_to_host(computed.into_iter().map(|output| (output.node, output.elements)).collect())?;
    }
    arrays.into_iter().try_for_each(|HostOutput { node, elements }| match node.op() {
        Op::Leaf(leaf) => executor.download(leaf, node.shape(), elements),
        _ => Ok(()),
    })
}

impl<T: Element> Expr<T> {
    /// The plan of the evaluation as text: kernels, temporaries, bytes and operations. It computes nothing.
    ///
    /// ```
    /// let x = affinimath_array::from_vec(3, vec![1.0f64, 2.0, 3.0]);
    /// println!("{}", (2.5 * &x + x.abs().sqrt()).explain());
    /// ```
    pub fn explain(&self) -> String {
        explain(self)
    }
}

/// The plan of an evaluation of several expressions together, as text.
pub fn explain<O: Outputs>(outputs: O) -> String {
    let nodes = outputs.nodes();
    let limits = executor_of(&nodes).map_or_else(|_| Limits::default(), |executor| executor.limits());
    let outputs: Vec<_> = nodes.into_iter().map(|node| plan::Output { node, target: None }).collect();
    match Plan::new(&outputs, &limits) {
        Ok((plan, _)) => plan.explain(),
        Err(error) => error.to_string(),
    }
}

/// Evaluates expressions together, in the operands' context: what they share is computed once.
///
/// Outputs are a tuple, an array, a slice or a vector of expressions; the arrays come in the same form.
pub fn eval<O: Outputs>(outputs: O) -> Result<O::Arrays> {
    O::arrays(evaluate(outputs.nodes(), None)?)
}

/// Evaluates expressions together, in memory of this context.
pub fn eval_on<O: Outputs>(context: &impl AsExecutor, outputs: O) -> Result<O::Arrays> {
    O::arrays(evaluate(outputs.nodes(), Some(context.as_executor()))?)
}

/// Leaves with the elements of the nodes.
fn evaluate(nodes: Vec<Node>, executor: Option<Arc<dyn Executor>>) -> Result<Vec<Node>> {
    if let Some(error) = nodes.iter().find_map(Node::error) {
        return Err(error.clone().into());
    }
    let executor = match executor {
        Some(executor) => executor,
        None => executor_of(&nodes)?,
    };
    let context = Some(executor.id());
    if nodes.iter().any(|node| node.context().is_some() && node.context() != context) {
        return Err(Error::MixedMemory("expressions of different contexts are evaluated separately".into()));
    }
    let is_computed = |node: &Node| !(matches!(node.op(), Op::Leaf(_)) && node.context() == context);
    let mut arrays: Vec<Option<Node>> = Vec::with_capacity(nodes.len());
    let (mut outputs, mut shapes) = (Vec::with_capacity(nodes.len()), Vec::with_capacity(nodes.len()));
    for node in nodes {
        if is_computed(&node) {
            shapes.push(*node.shape());
            outputs.push(node);
            arrays.push(None);
        } else {
            arrays.push(Some(node));
        }
    }
    // Expressions that others hold too, as those of `eval`, keep their operands' memory.
    let leaves = if outputs.is_empty() { Vec::new() } else { executor.evaluate_owned(outputs)? };
    if leaves.len() != shapes.len() {
        return Err(Error::Internal(format!("{} results of {} expressions", leaves.len(), shapes.len())));
    }
    let mut results = leaves.into_iter().zip(shapes).map(|(leaf, shape)| {
        let node = Node::leaf(leaf.storage, leaf.offset, shape, leaf.strides);
        match node.error() {
            Some(error) => Err(Error::Internal(error.to_string())),
            None => Ok(node),
        }
    });
    let missing = || Err(Error::Internal("a result is missing".into()));
    arrays.into_iter().map(|array| array.map_or_else(|| results.next().unwrap_or_else(missing), Ok)).collect()
}

/// The executor of the first memory that the nodes read.
pub(crate) fn executor_of(nodes: &[Node]) -> Result<Arc<dyn Executor>> {
    let mut next = nodes.iter().find(|node| node.context().is_some());
    while let Some(node) = next {
        if let Op::Leaf(leaf) = node.op() {
            return leaf.storage.executor().ok_or_else(|| Error::Internal("memory of no executor".into()));
        }
        if let Some(executor) = node.executor() {
            return Ok(executor.clone());
        }
        next = node.operands().iter().find(|operand| operand.context().is_some());
    }
    Err(Error::argument("context", "no operand is an array of a context: `eval_on` names the context"))
}

/// Expressions that are evaluated together.
pub trait Outputs {
    /// Their arrays.
    type Arrays;

    /// The graphs.
    fn nodes(&self) -> Vec<Node>;

    /// The arrays of leaves, one for each graph, with its type.
    fn arrays(leaves: Vec<Node>) -> Result<Self::Arrays>;
}

/// One of several expressions.
pub trait Output {
    /// The type of its elements.
    type Element: Element;

    /// The graph.
    fn graph(&self) -> &Node;
}

impl<T: Element> Output for Expr<T> {
    type Element = T;

    fn graph(&self) -> &Node {
        &self.node
    }
}

impl<T: Element> Output for Array<T> {
    type Element = T;

    fn graph(&self) -> &Node {
        self.node()
    }
}

impl<O: Output> Output for &O {
    type Element = O::Element;

    fn graph(&self) -> &Node {
        (*self).graph()
    }
}

impl<T: Element> Outputs for &Expr<T> {
    type Arrays = Array<T>;

    fn nodes(&self) -> Vec<Node> {
        vec![self.node.clone()]
    }

    fn arrays(mut leaves: Vec<Node>) -> Result<Self::Arrays> {
        leaves.pop().map(Array::of).ok_or_else(|| Error::Internal("a result is missing".into()))
    }
}

impl<O: Output> Outputs for Vec<O> {
    type Arrays = Vec<Array<O::Element>>;

    fn nodes(&self) -> Vec<Node> {
        self.iter().map(|output| output.graph().clone()).collect()
    }

    fn arrays(leaves: Vec<Node>) -> Result<Self::Arrays> {
        Ok(leaves.into_iter().map(Array::of).collect())
    }
}

impl<O: Output> Outputs for &[O] {
    type Arrays = Vec<Array<O::Element>>;

    fn nodes(&self) -> Vec<Node> {
        self.iter().map(|output| output.graph().clone()).collect()
    }

    fn arrays(leaves: Vec<Node>) -> Result<Self::Arrays> {
        Ok(leaves.into_iter().map(Array::of).collect())
    }
}

impl<O: Output, const N: usize> Outputs for [O; N] {
    type Arrays = [Array<O::Element>; N];

    fn nodes(&self) -> Vec<Node> {
        self.iter().map(|output| output.graph().clone()).collect()
    }

    fn arrays(leaves: Vec<Node>) -> Result<Self::Arrays> {
        let arrays: Vec<_> = leaves.into_iter().map(Array::of).collect();
        arrays.try_into().map_err(|_| Error::Internal(format!("not {N} results")))
    }
}

macro_rules! tuples {
    ($(($($output:ident)*);)*) => {$(
        impl<$($output: Output),*> Outputs for ($($output,)*) {
            type Arrays = ($(Array<$output::Element>,)*);

            fn nodes(&self) -> Vec<Node> {
                #[allow(non_snake_case)]
                let ($($output,)*) = self;
                vec![$($output.graph().clone()),*]
            }

            fn arrays(leaves: Vec<Node>) -> Result<Self::Arrays> {
                let mut leaves = leaves.into_iter();
                let mut next = || leaves.next().ok_or_else(|| Error::Internal("a result is missing".into()));
                Ok(($(Array::<$output::Element>::of(next()?),)*))
            }
        }
    )*};
}

tuples! {
    (A);
    (A B);
    (A B C);
    (A B C D);
    (A B C D E);
    (A B C D E F);
    (A B C D E F G);
    (A B C D E F G H);
}
