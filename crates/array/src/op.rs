//! Operations of nodes, and the memory of leaves.

use super::element::{ElementType, HostSlice, Number};
use super::error::{ArrayError, ErrorKind};
use super::executor::Executor;
use super::function::{Binary, Reduction, Unary};
use super::key::Words;
use super::shape::{Axes, Shape, Strides};
use super::view::ViewMap;
use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The context that memory belongs to. Operands of one expression share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContextId(pub u64);

/// Memory that holds elements of an array. Expressions share it, so its contents must not change while they do.
///
/// Executors find their own type by [`Any`].
pub trait Storage: Any + Send + Sync {
    /// The type of the elements.
    fn element(&self) -> ElementType;

    /// Elements of the memory.
    fn len(&self) -> usize;

    /// The context that the memory belongs to; `None` for memory of the host that is brought to any.
    fn context(&self) -> Option<ContextId>;

    /// The executor of the memory's context; `None` where [`context`](Storage::context) is, and in tests of plans.
    fn executor(&self) -> Option<Arc<dyn Executor>> {
        None
    }

    /// The elements, of memory of the host that belongs to no context.
    fn host(&self) -> Option<HostSlice<'_>> {
        None
    }

    /// True if it holds no element.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Elements in memory: of a node of the shape `e`, element `i` is at `offset + sum_k i_k strides_k`.
#[derive(Clone)]
pub struct Leaf {
    /// The memory.
    pub storage: Arc<dyn Storage>,
    /// Elements before the first one.
    pub offset: usize,
    /// Elements between neighbours, one for each axis.
    pub strides: Strides,
}

impl Leaf {
    /// The identity of the memory, which no other memory has while this one is held.
    pub fn id(&self) -> usize {
        Arc::as_ptr(&self.storage).cast::<()>() as usize
    }
}

/// An operation that a routine computes as a whole, as a Fourier transform or the solution of a linear system.
///
/// Its operands are evaluated to arrays first. It may have several outputs. Routines with the same name and the same
/// parameters are one: on the same operands they are called once, and plans of one serve the other.
pub trait Routine: Any + Send + Sync {
    /// The name, as `explain` prints it.
    fn name(&self) -> &'static str;

    /// Everything but the name that tells this routine from another one, as by a derived [`Hash`].
    fn hash_parameters(&self, state: &mut dyn Hasher);

    /// Types and shapes of the outputs, or why these inputs are not legal.
    fn outputs(&self, inputs: &[(ElementType, Shape)]) -> Result<Vec<(ElementType, Shape)>, ErrorKind>;

    /// Floating-point operations of a call on these inputs, for `explain`.
    fn flops(&self, _inputs: &[(ElementType, Shape)]) -> u64 {
        0
    }
}

/// The name and the parameters of a routine, as data of a hash.
pub(crate) fn hash_routine(routine: &dyn Routine, mut state: &mut dyn Hasher) {
    routine.name().hash(&mut state);
    routine.hash_parameters(state);
}

/// True if both have the same name and the same parameters.
pub(crate) fn is_same_routine(a: &Arc<dyn Routine>, b: &Arc<dyn Routine>) -> bool {
    let words = |routine: &Arc<dyn Routine>| {
        let mut words = Words(Vec::new());
        hash_routine(&**routine, &mut words);
        words.0
    };
    address(a) == address(b) || words(a) == words(b)
}

/// A function of complex values, or with a complex result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Complex {
    /// x + i y of two real operands.
    FromParts,
    /// r e^(i φ) of two real operands, r and φ.
    Polar,
    /// The real part.
    Re,
    /// The imaginary part.
    Im,
    /// The conjugate.
    Conj,
    /// The angle, in radians: `atan2(im, re)`.
    Arg,
    /// |z|² = re² + im², a real value.
    NormSquared,
}

/// The operation of a node.
///
/// Operands of elementwise operations broadcast to the node's shape. They have the node's element type but where a
/// variant says otherwise.
#[derive(Clone)]
pub enum Op {
    /// Elements in memory.
    Leaf(Leaf),
    /// One value, of rank 0. Kernels take it as an argument: they are the same for every value.
    Scalar(Number),
    /// The row-major index of each element of the node's shape, an `I64`.
    Iota,
    /// Elementwise. `Abs` of a complex operand is real; `IsNan`, `IsInfinite`, `IsFinite` and `SignBit` give `Bool`.
    /// Complex operands have `Neg`, `Abs`, `Recip`, `Square`, `Sqrt`, `Exp`, `Ln`, `IsNan`, `IsInfinite`, `IsFinite`.
    Unary(Unary),
    /// Elementwise. Comparisons give `Bool`. Complex operands have `Add`, `Sub`, `Mul`, `Div`, `Eq`, `Ne`; of `Add`,
    /// `Sub`, `Mul` and `Div` one of them may be real, of the part's type.
    Binary(Binary),
    /// Elementwise, with complex operands or a complex result.
    Complex(Complex),
    /// Elementwise: the second operand where the first one, a `Bool`, is true, the third one elsewhere.
    Select,
    /// Elementwise: a b + c, rounded once, of real operands.
    Fma,
    /// Elementwise: conversion to the node's type as by Rust's `as`; from `Bool` 0 or 1; to `Bool` not equal to 0. A
    /// real value becomes complex with the imaginary part 0. No complex value becomes real.
    Convert,
    /// Elementwise, of three `I64` operands: counter, stream and key. Word 0 to 3 of Philox 4x32-10, a `U32`.
    Philox(u8),
    /// A strided view of the operand, which is no leaf: that of a leaf is a leaf.
    View(ViewMap),
    /// The operand's elements in row-major order in another shape. What a [`ViewMap`] can express is a `View`.
    Reshape,
    /// Elements of the first operand at the indices of the second one, an `I64`, along the axis. The indices' axes
    /// replace the axis. Negative indices count from the end; one out of range is an error.
    Gather {
        /// The axis of the first operand.
        axis: usize,
    },
    /// The operands one after the other along the axis. Other extents are equal.
    Concatenate {
        /// The axis.
        axis: usize,
    },
    /// Joins the elements along the axes, at least two for each result. `ArgMin` and `ArgMax` give an `I64`: the
    /// row-major index within the axes.
    Reduce {
        /// The operation.
        reduction: Reduction,
        /// The axes.
        axes: Axes,
        /// True if the axes stay, with extent 1.
        keep: bool,
    },
    /// Running `Sum` or `Product` along the axis, each element included.
    Scan {
        /// The operation.
        reduction: Reduction,
        /// The axis.
        axis: usize,
    },
    /// The matrix product of the last two axes, `m x k` by `k x n`; the axes before them are equal in both operands
    /// and the result.
    Matmul,
    /// An output of a routine on all operands. Nodes with the same routine and operands are outputs of one call.
    Routine {
        /// The call.
        routine: Arc<dyn Routine>,
        /// The index of the output.
        output: usize,
    },
    /// An expression without a value. It has rank 0 and no operands.
    Error(Arc<ArrayError>),
}

impl Op {
    /// True if each element of the result depends on the same element of each operand alone.
    pub const fn is_elementwise(&self) -> bool {
        matches!(
            self,
            Op::Unary(_) | Op::Binary(_) | Op::Complex(_) | Op::Select | Op::Fma | Op::Convert | Op::Philox(_)
        )
    }

    /// The operation's data, without its variant.
    pub(crate) fn hash_data<H: Hasher>(&self, state: &mut H) {
        match self {
            Op::Leaf(leaf) => (leaf.id(), leaf.offset, leaf.strides).hash(state),
            Op::Scalar(number) => (number.element_type(), number.bits()).hash(state),
            Op::Unary(function) => function.hash(state),
            Op::Binary(function) => function.hash(state),
            Op::Complex(function) => function.hash(state),
            Op::Philox(word) => word.hash(state),
            Op::View(map) => map.hash(state),
            Op::Gather { axis } | Op::Concatenate { axis } => axis.hash(state),
            Op::Reduce { reduction, axes, keep } => (reduction, axes, keep).hash(state),
            Op::Scan { reduction, axis } => (reduction, axis).hash(state),
            Op::Routine { routine, output } => {
                hash_routine(&**routine, state);
                output.hash(state);
            }
            Op::Error(error) => address(error).hash(state),
            Op::Iota | Op::Select | Op::Fma | Op::Convert | Op::Reshape | Op::Matmul => (),
        }
    }
}

/// Scalars are equal if their bits are, memory if it is the same, routines by name and parameters.
impl PartialEq for Op {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Op::Leaf(a), Op::Leaf(b)) => (a.id(), a.offset, a.strides) == (b.id(), b.offset, b.strides),
            (Op::Scalar(a), Op::Scalar(b)) => (a.element_type(), a.bits()) == (b.element_type(), b.bits()),
            (Op::Unary(a), Op::Unary(b)) => a == b,
            (Op::Binary(a), Op::Binary(b)) => a == b,
            (Op::Complex(a), Op::Complex(b)) => a == b,
            (Op::Philox(a), Op::Philox(b)) => a == b,
            (Op::View(a), Op::View(b)) => a == b,
            (Op::Gather { axis: a }, Op::Gather { axis: b }) => a == b,
            (Op::Concatenate { axis: a }, Op::Concatenate { axis: b }) => a == b,
            (
                Op::Reduce { reduction: a, axes: a_axes, keep: a_keep },
                Op::Reduce { reduction: b, axes: b_axes, keep: b_keep },
            ) => (a, a_axes, a_keep) == (b, b_axes, b_keep),
            (Op::Scan { reduction: a, axis: a_axis }, Op::Scan { reduction: b, axis: b_axis }) => {
                (a, a_axis) == (b, b_axis)
            }
            (Op::Routine { routine: a, output: a_output }, Op::Routine { routine: b, output: b_output }) => {
                a_output == b_output && is_same_routine(a, b)
            }
            (Op::Error(a), Op::Error(b)) => Arc::ptr_eq(a, b),
            (Op::Iota, Op::Iota)
            | (Op::Select, Op::Select)
            | (Op::Fma, Op::Fma)
            | (Op::Convert, Op::Convert)
            | (Op::Reshape, Op::Reshape)
            | (Op::Matmul, Op::Matmul) => true,
            _ => false,
        }
    }
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Op::Leaf(leaf) => write!(f, "Leaf({:#x} + {}, {:?})", leaf.id(), leaf.offset, leaf.strides),
            Op::Scalar(number) => write!(f, "Scalar({number:?})"),
            Op::Iota => f.write_str("Iota"),
            Op::Unary(function) => write!(f, "{function:?}"),
            Op::Binary(function) => write!(f, "{function:?}"),
            Op::Complex(function) => write!(f, "{function:?}"),
            Op::Select => f.write_str("Select"),
            Op::Fma => f.write_str("Fma"),
            Op::Convert => f.write_str("Convert"),
            Op::Philox(word) => write!(f, "Philox({word})"),
            Op::View(map) => write!(f, "View({:?})", map.axes()),
            Op::Reshape => f.write_str("Reshape"),
            Op::Gather { axis } => write!(f, "Gather({axis})"),
            Op::Concatenate { axis } => write!(f, "Concatenate({axis})"),
            Op::Reduce { reduction, axes, keep } => {
                write!(f, "{reduction:?}({:?}, keep: {keep})", axes.iter().collect::<Vec<_>>())
            }
            Op::Scan { reduction, axis } => write!(f, "Scan({reduction:?}, {axis})"),
            Op::Matmul => f.write_str("Matmul"),
            Op::Routine { routine, output } => write!(f, "{}({output})", routine.name()),
            Op::Error(error) => write!(f, "Error({error})"),
        }
    }
}

/// The address of shared data.
pub(crate) fn address<T: ?Sized>(shared: &Arc<T>) -> usize {
    Arc::as_ptr(shared).cast::<()>() as usize
}
