//! Plans: the steps that evaluate expressions, as plain data.
//!
//! ```text
//!   nodes     -> graph     hash-consed terms, exact identities, products contracted to fma, alpha A B + beta C
//!             -> cuts      terms that are materialised: limits, routines, shared or repeated work
//!             -> spaces    iteration space of each kernel, with its reductions
//!             -> steps     roots joined to kernels, in order
//!             -> kernel    phases, axes collapsed, complex values expanded: fused::Structure
//! ```
//!
//! A plan holds no operands: [`Bindings`] do. So a cached plan serves each evaluation of the same graph.

mod build;
mod cache;
pub(crate) mod code;
mod complex;
mod cuts;
mod domains;
mod fold;
mod graph;
mod in_place;
mod kernel;
mod products;
pub(crate) mod space;
mod steps;
mod walk;

pub use cache::PlanCache;
pub use walk::Bindings;

use super::element::{ElementType, Number, Value};
use super::error::{ArrayError, ErrorKind};
use super::function::Reduction;
use super::fused::{Arguments, Instruction, Structure, View};
use super::node::{Leaf, Node, Routine};
use super::reference;
use super::shape::Shape;
use std::fmt;
use std::sync::Arc;

/// Bounds of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Accesses.
    pub operands: usize,
    /// Terms of the graph in a kernel.
    pub nodes: usize,
    /// Bytes of the arguments: 16 for a buffer with its offset, 8 for a stride, an extent or a scalar.
    pub argument_bytes: usize,
    /// True for a kernel for each operation, for diagnosis. Products that are added stay one `fma`: results have the
    /// same bits.
    pub is_eager: bool,
}

/// OpenCL's least argument size is 1,024 bytes.
impl Default for Limits {
    fn default() -> Self {
        Limits { operands: 24, nodes: 256, argument_bytes: 1000, is_eager: false }
    }
}

/// An expression to evaluate.
#[derive(Clone)]
pub struct Output {
    /// The expression.
    pub node: Node,
    /// Memory that receives it, of its type and shape; `None` for a new array. It may be read by the expressions, which
    /// mean what it held before.
    pub target: Option<Leaf>,
}

/// Memory of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Buffer {
    /// The memory of [`Bindings::leaves`].
    Leaf(usize),
    /// The memory of [`Bindings::targets`].
    Target(usize),
    /// Of [`Plan::temporaries`].
    Temporary(usize),
    /// A new array, of [`Plan::outputs`].
    Output(usize),
}

/// Elements of a buffer. In a leaf or a target they begin at the binding's own offset, to which `offset` is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The memory.
    pub buffer: Buffer,
    /// The type of the elements.
    pub element: ElementType,
    /// Elements after the binding's first one.
    pub offset: i64,
    /// The extents.
    pub extents: Vec<usize>,
    /// Elements between neighbours, one for each axis.
    pub strides: Vec<i64>,
    /// True if the conjugate is meant.
    pub is_conjugate: bool,
}

/// A number of a binding, or of the plan.
#[derive(Clone, Debug, PartialEq)]
pub enum ScalarSource {
    /// The same for each evaluation.
    Value(Value),
    /// Computed from the bindings: instruction `Scalar(2 k)` is the real part of [`Bindings::scalars`] `k`, `2 k + 1`
    /// its imaginary part. The last instruction is the result.
    Code(Vec<Instruction>),
}

/// A factor of a matrix product.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// The real and the imaginary part; `None` for 1.
    pub scalar: Option<(ScalarSource, Option<ScalarSource>)>,
    /// True if it is negated.
    pub is_negative: bool,
}

/// A fused kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Fused {
    /// The kernel.
    pub structure: Arc<Structure>,
    /// [`crate::key::structure_key`] of the kernel.
    pub key: u64,
    /// The extents of its axes.
    pub extents: Vec<usize>,
    /// The memory of each access.
    pub accesses: Vec<Operand>,
    /// The source of each scalar.
    pub scalars: Vec<ScalarSource>,
}

/// `output := alpha A B + beta C`, for each matrix of the axes before the last two. Without C the output is not read.
/// A C that is not the output is copied there first.
#[derive(Clone, Debug, PartialEq)]
pub struct Matmul {
    /// Factor of the product.
    pub alpha: Factor,
    /// A, of `m x k`; transposition is in its strides.
    pub a: Operand,
    /// B, of `k x n`.
    pub b: Operand,
    /// Factor of C.
    pub beta: Factor,
    /// C.
    pub c: Option<Operand>,
    /// The result, `m x n`.
    pub output: Operand,
}

/// A step of a plan. Steps run in order.
#[derive(Clone)]
pub enum Step {
    /// A fused kernel.
    Fused(Fused),
    /// Copies elements of one type, which need no kernel.
    Copy {
        /// Elements that are read.
        from: Operand,
        /// Elements that are written.
        to: Operand,
    },
    /// A matrix product.
    Matmul(Box<Matmul>),
    /// Running sums or products along an axis.
    Scan {
        /// `Sum` or `Product`.
        reduction: Reduction,
        /// The axis.
        axis: usize,
        /// Elements that are joined.
        input: Operand,
        /// The results.
        output: Operand,
    },
    /// Reads two `I64`, the least and the greatest index, and fails unless they are in `-extent .. extent`.
    CheckIndices {
        /// The two indices.
        range: Operand,
        /// The axis, for the error.
        axis: usize,
        /// Elements of the axis.
        extent: usize,
    },
    /// A routine.
    Library {
        /// The call.
        routine: Arc<dyn Routine>,
        /// Inputs in order.
        inputs: Vec<Operand>,
        /// All outputs in order.
        outputs: Vec<Operand>,
        /// The index of its line in [`Bindings::calls`].
        call: usize,
    },
}

/// Memory between steps, row-major without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Temporary {
    /// The type of the elements.
    pub element: ElementType,
    /// Elements.
    pub len: usize,
    /// The step that writes it first.
    pub first: usize,
    /// The step that uses it last.
    pub last: usize,
}

/// The memory of an evaluated expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedOutput {
    /// The type of the elements.
    pub element: ElementType,
    /// The shape.
    pub shape: Shape,
    /// The result: the target, or all of the buffer `Output` with this index, row-major.
    pub result: Operand,
    /// The leaf whose memory a new array takes over, since the caller said that it dies: both buffers are the same.
    pub in_place: Option<usize>,
}

/// The steps that evaluate expressions.
#[derive(Clone)]
pub struct Plan {
    /// Steps in order.
    pub steps: Vec<Step>,
    /// Memory between steps.
    pub temporaries: Vec<Temporary>,
    /// One for each output.
    pub outputs: Vec<PlannedOutput>,
}

impl Plan {
    /// Plans an evaluation.
    ///
    /// # Errors
    /// The first error in the expressions, or a target of another type or shape.
    pub fn new(outputs: &[Output], limits: &Limits) -> Result<(Plan, Bindings), ArrayError> {
        Plan::reusing(outputs, limits, |_| false)
    }

    /// Plans an evaluation. `dies` says of a leaf that nobody uses its memory afterwards: outputs may take it over.
    ///
    /// # Errors
    /// Those of [`Plan::new`].
    pub fn reusing(
        outputs: &[Output],
        limits: &Limits,
        dies: impl Fn(&Leaf) -> bool,
    ) -> Result<(Plan, Bindings), ArrayError> {
        let walk = walk::Walk::of(outputs, &dies)?;
        let plan = Plan::from_walk(outputs, &walk, limits)?;
        Ok((plan, walk.bindings))
    }

    fn from_walk(outputs: &[Output], walk: &walk::Walk<'_>, limits: &Limits) -> Result<Plan, ArrayError> {
        for output in outputs {
            if let Some(target) = &output.target
                && target.storage.element() != output.node.element()
            {
                let (left, right) = (target.storage.element(), output.node.element());
                return Err(ArrayError {
                    kind: ErrorKind::Types { operation: "assign", left, right },
                    location: output.node.location(),
                });
            }
        }
        let graph = graph::Graph::of(walk);
        let cuts = cuts::Cuts::of(&graph, limits);
        let mut plan = steps::Steps::of(&graph, cuts, limits, outputs, &walk.bindings).plan();
        in_place::reuse(&mut plan, &walk.bindings);
        Ok(plan)
    }
}

impl Operand {
    /// The elements that the bindings have before it. Negative offsets do not pass the binding's first element.
    fn offset_in(&self, bindings: &Bindings) -> usize {
        let base = match self.buffer {
            Buffer::Leaf(leaf) => bindings.leaves[leaf].offset,
            Buffer::Target(target) => bindings.targets[target].offset,
            Buffer::Temporary(_) | Buffer::Output(_) => 0,
        };
        base.wrapping_add_signed(self.offset as isize)
    }

    /// The view of the buffer.
    pub fn view(&self, bindings: &Bindings) -> View {
        View { offset: self.offset_in(bindings), strides: self.strides.clone(), extents: self.extents.clone() }
    }
}

impl ScalarSource {
    /// The number for these bindings.
    pub fn value(&self, bindings: &Bindings) -> Value {
        match self {
            ScalarSource::Value(value) => *value,
            ScalarSource::Code(code) => {
                let scalar = |index: usize| match (bindings.scalars[index / 2], index % 2) {
                    (Number::Real(value), _) | (Number::Complex(value, _), 0) | (Number::Complex(_, value), _) => value,
                };
                match code[..] {
                    [Instruction::Scalar(index)] => scalar(index),
                    _ => reference::evaluate(code, scalar),
                }
            }
        }
    }
}

impl Fused {
    /// The arguments of a launch.
    pub fn arguments(&self, bindings: &Bindings) -> Arguments {
        Arguments {
            extents: self.extents.clone(),
            views: self.accesses.iter().map(|access| access.view(bindings)).collect(),
            scalars: self.scalars.iter().map(|scalar| scalar.value(bindings)).collect(),
        }
    }

    /// Changes the arguments of another launch of this kernel to those of these bindings, without an allocation.
    pub fn update(&self, arguments: &mut Arguments, bindings: &Bindings) {
        for (view, access) in arguments.views.iter_mut().zip(&self.accesses) {
            view.offset = access.offset_in(bindings);
        }
        for (value, scalar) in arguments.scalars.iter_mut().zip(&self.scalars) {
            *value = scalar.value(bindings);
        }
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.explain())
    }
}

#[cfg(test)]
mod tests;
