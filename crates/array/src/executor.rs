//! The interface of what evaluates expressions: the host, or a device.

pub use super::array::sole_memories;

use super::element::{HostSlice, HostSliceMut};
use super::node::{ContextId, Leaf, Node, Storage};
use super::plan::Limits;
use super::shape::Shape;
use affinimath_core::Result;
use std::sync::Arc;

/// An evaluator of expressions, with its memory. All memory of one has the same [`ContextId`].
pub trait Executor: Send + Sync + 'static {
    /// The context of the memory.
    fn id(&self) -> ContextId;

    /// Evaluates the expressions together: what they share is computed once.
    ///
    /// Each result is in memory of its own, which nothing else holds, and has its expression's shape. None of the
    /// nodes is an error.
    fn evaluate(&self, outputs: &[Node]) -> Result<Vec<Leaf>>;

    /// Evaluates expressions together, to their elements in row-major order in the host's memory. There are as many, of
    /// their types.
    fn evaluate_to_host(&self, outputs: Vec<(Node, HostSliceMut<'_>)>) -> Result<()> {
        let (nodes, elements): (Vec<Node>, Vec<_>) = outputs.into_iter().unzip();
        let leaves = self.evaluate(&nodes)?;
        let all = nodes.iter().zip(leaves).zip(elements);
        all.into_iter().try_for_each(|((node, leaf), elements)| self.download(&leaf, node.shape(), elements))
    }

    /// [`evaluate`](Executor::evaluate) of expressions that the caller gives up: a result may be in memory that nothing
    /// but these held, as [`sole_memories`] finds it.
    fn evaluate_owned(&self, outputs: Vec<Node>) -> Result<Vec<Leaf>> {
        self.evaluate(&outputs)
    }

    /// Makes the assignments in order, as if each right side were evaluated before its target is written.
    fn assign(&self, assignments: &[Assignment]) -> Result<()>;

    /// The limits of a kernel, which plans keep.
    fn limits(&self) -> Limits {
        Limits::default()
    }

    /// New memory with these elements.
    fn upload(&self, elements: HostSlice<'_>) -> Result<Arc<dyn Storage>>;

    /// The elements of an array of the shape in row-major order. There are as many, of the leaf's type.
    fn download(&self, leaf: &Leaf, shape: &Shape, elements: HostSliceMut<'_>) -> Result<()>;
}

/// The elements of a view in memory, and the expression that they are set to.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// A leaf whose elements lie apart: no two of them share memory.
    pub target: Node,
    /// An expression of the target's type and shape. It may read the target's memory.
    pub value: Node,
}

/// A value that names an executor, as a context does.
pub trait AsExecutor {
    /// The executor.
    fn as_executor(&self) -> Arc<dyn Executor>;
}

impl<E: Executor> AsExecutor for Arc<E> {
    fn as_executor(&self) -> Arc<dyn Executor> {
        self.clone()
    }
}

impl AsExecutor for Arc<dyn Executor> {
    fn as_executor(&self) -> Arc<dyn Executor> {
        self.clone()
    }
}
