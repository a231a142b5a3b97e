//! Errors of expressions, with the place in the caller's program.

use super::element::ElementType;
use super::shape::{MAX_RANK, Shape};
use std::panic::Location;

/// The reason why an expression has no value, and the line that wrote it.
///
/// Operators do not fail: the expression keeps the error, and its evaluation returns it. Of several errors the one in
/// the first operand counts.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{kind} (at {location})")]
pub struct ArrayError {
    /// The rule that was broken.
    pub kind: ErrorKind,
    /// The file and line of the operation.
    pub location: &'static Location<'static>,
}

impl ArrayError {
    /// An error of the caller's line.
    #[track_caller]
    #[cold]
    pub fn new(kind: ErrorKind) -> Self {
        ArrayError { kind, location: Location::caller() }
    }
}

/// The rule that an operation on arrays broke.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Too many axes.
    #[error("an array has at most {MAX_RANK} axes, not {rank}")]
    Rank {
        /// Axes asked for.
        rank: usize,
    },

    /// The product of the extents is no legal count.
    #[error("an array of shape {extents:?} has too many elements")]
    TooLarge {
        /// Extents asked for.
        extents: Vec<usize>,
    },

    /// Shapes that do not broadcast to one.
    #[error("{operation}: shapes {left} and {right} do not broadcast: extents of an axis are equal, or one is 1")]
    Broadcast {
        /// The operation.
        operation: &'static str,
        /// The first operand's shape.
        left: Box<Shape>,
        /// The second operand's shape.
        right: Box<Shape>,
    },

    /// A shape that cannot be repeated to another one.
    #[error("an array of shape {from} does not broadcast to shape {to}")]
    BroadcastTo {
        /// The array's shape.
        from: Box<Shape>,
        /// The shape asked for.
        to: Box<Shape>,
    },

    /// A reshape that would change the count of elements.
    #[error("an array of shape {from} has {} elements, shape {to} has {}", from.len(), to.len())]
    Reshape {
        /// The array's shape.
        from: Box<Shape>,
        /// The shape asked for.
        to: Box<Shape>,
    },

    /// Shapes that must be equal, or equal but for one axis.
    #[error("{operation}: shapes {left} and {right} do not fit")]
    Shapes {
        /// The operation.
        operation: &'static str,
        /// The first operand's shape.
        left: Box<Shape>,
        /// The other operand's shape.
        right: Box<Shape>,
    },

    /// An axis that the array does not have.
    #[error("axis {axis} does not exist: the array has {rank} axes")]
    Axis {
        /// The axis asked for.
        axis: i64,
        /// Axes of the array.
        rank: usize,
    },

    /// An axis that is named twice, or a permutation that lacks one.
    #[error("{operation}: axes {axes:?} of an array of {rank} axes: {}", axes_rule(*.all))]
    Axes {
        /// The operation.
        operation: &'static str,
        /// The axes asked for.
        axes: Vec<i64>,
        /// Axes of the array.
        rank: usize,
        /// True if each axis must be named.
        all: bool,
    },

    /// An index outside its axis.
    #[error("index {index} is outside axis {axis}, which has {extent} elements")]
    Index {
        /// The index asked for.
        index: i64,
        /// The axis.
        axis: usize,
        /// Elements of the axis.
        extent: usize,
    },

    /// More slices than axes.
    #[error("{count} slices of an array of {rank} axes")]
    TooManySlices {
        /// Slices that take an axis.
        count: usize,
        /// Axes of the array.
        rank: usize,
    },

    /// A slice whose step is 0.
    #[error("a slice has the step 0")]
    ZeroStep,

    /// Operands of different types.
    #[error("{operation}: operands have the types {left} and {right}; `cast` converts")]
    Types {
        /// The operation.
        operation: &'static str,
        /// The first operand's type.
        left: ElementType,
        /// The other operand's type.
        right: ElementType,
    },

    /// An operation that the type does not have.
    #[error("{operation} is not defined for elements of type {element}")]
    Unsupported {
        /// The operation.
        operation: &'static str,
        /// The type.
        element: ElementType,
    },

    /// A reduction of no elements that has no neutral element.
    #[error("{operation} of no elements: the array has shape {shape}")]
    Empty {
        /// The operation.
        operation: &'static str,
        /// The array's shape.
        shape: Shape,
    },

    /// Operands in memories of different contexts.
    #[error("{operation}: operands lie in memories of different contexts; copy one to the other's context first")]
    Memory {
        /// The operation.
        operation: &'static str,
    },

    /// A view that reaches beyond its memory.
    #[error("an array of shape {shape} does not lie within its memory of {available} elements")]
    OutOfMemory {
        /// The view's shape.
        shape: Shape,
        /// Elements of the memory.
        available: usize,
    },

    /// An argument that is not legal.
    #[error("{operation}: {reason}")]
    Argument {
        /// The operation.
        operation: &'static str,
        /// The rule that is broken.
        reason: String,
    },
}

/// The rule of a list of axes.
fn axes_rule(all: bool) -> &'static str {
    if all { "each must stand once" } else { "each may stand once" }
}

impl From<ArrayError> for affinimath_core::Error {
    fn from(error: ArrayError) -> Self {
        use affinimath_core::Error;
        let name = match &error.kind {
            ErrorKind::Memory { .. } => return Error::MixedMemory(error.to_string()),
            ErrorKind::Broadcast { .. }
            | ErrorKind::BroadcastTo { .. }
            | ErrorKind::Reshape { .. }
            | ErrorKind::Shapes { .. }
            | ErrorKind::Empty { .. } => return Error::ShapeMismatch(error.to_string()),
            ErrorKind::Rank { .. } | ErrorKind::TooLarge { .. } => "shape",
            ErrorKind::Axis { .. } | ErrorKind::Axes { .. } => "axis",
            ErrorKind::Index { .. } => "index",
            ErrorKind::TooManySlices { .. } | ErrorKind::ZeroStep => "slice",
            ErrorKind::Types { .. } | ErrorKind::Unsupported { .. } => "type",
            ErrorKind::OutOfMemory { .. } => "strides",
            ErrorKind::Argument { operation, .. } => operation,
        };
        Error::argument(name, error.to_string())
    }
}
