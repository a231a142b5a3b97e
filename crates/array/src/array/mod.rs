//! Arrays in memory.

mod assign;
mod element;
mod ownership;

pub use assign::ArrayMut;
pub use ownership::sole_memories;

use crate::display;
use crate::error::ErrorKind;
use crate::executor::AsExecutor;
use crate::expr::{self, Expr};
use crate::node::{Leaf, Node, Op, Storage};
use crate::shape::{Axes, IntoShape, Shape, Strides};
use crate::slice::Slice;
use crate::types::{Element, Numeric, Real};
use affinimath_core::{Error, Layout, Result};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// An array in memory of a context.
///
/// It is an [`Expr`] by `Deref`: all operations of expressions are its own. A clone shares the memory; an assignment
/// copies it first where another array or expression holds it. So an expression means what its operands held when it
/// was written.
pub struct Array<T: Element> {
    // Its node is a leaf.
    expr: Expr<T>,
}

impl<T: Element> Array<T> {
    /// The array of a leaf of the type.
    pub(crate) fn of(leaf: Node) -> Self {
        debug_assert!(matches!(leaf.op(), Op::Leaf(_)));
        Array { expr: Expr::new(leaf) }
    }

    /// An array of elements in memory: element `i` is at `offset + sum_k i_k strides_k`.
    #[track_caller]
    pub fn from_storage(storage: Arc<dyn Storage>, offset: usize, shape: Shape, strides: Strides) -> Result<Self> {
        let expr = Expr::<T>::from_node(Node::leaf(storage, offset, shape, strides));
        match expr.error() {
            Some(error) => Err(error.clone().into()),
            None => Ok(Array { expr }),
        }
    }

    /// A copy of these elements, in row-major order.
    #[track_caller]
    pub fn from_slice(context: &impl AsExecutor, shape: impl IntoShape, elements: &[T]) -> Result<Self> {
        Self::from_slice_in(context, Layout::RowMajor, shape, elements)
    }

    /// A copy of these elements, which are in the order of the layout and stay so in memory.
    #[track_caller]
    pub fn from_slice_in(
        context: &impl AsExecutor,
        layout: Layout,
        shape: impl IntoShape,
        elements: &[T],
    ) -> Result<Self> {
        let shape = checked(shape.into_shape())?;
        if shape.len() != elements.len() {
            let reason = format!("{} elements are given for shape {shape}", elements.len());
            return checked(Err(ErrorKind::Argument { operation: "from_slice", reason }));
        }
        let storage = context.as_executor().upload(T::host(elements))?;
        Self::from_storage(storage, 0, shape, Strides::of(&shape, layout))
    }

    /// The same value everywhere.
    #[track_caller]
    pub fn full(context: &impl AsExecutor, shape: impl IntoShape, value: T) -> Result<Self> {
        expr::full(shape, value).eval_on(context)
    }

    /// The memory, with offset and strides.
    pub fn leaf(&self) -> &Leaf {
        match self.expr.node().op() {
            Op::Leaf(leaf) => leaf,
            _ => unreachable!("the node of an array is a leaf"),
        }
    }

    /// Elements between neighbours in memory, along each axis.
    pub fn strides(&self) -> &Strides {
        &self.leaf().strides
    }

    /// True if the elements lie in row-major order without gaps.
    pub fn is_contiguous(&self) -> bool {
        self.strides().is_row_major(self.shape())
    }

    /// A copy in memory of its own, in row-major order.
    fn copied(&self) -> Result<Self> {
        let leaf = expr::executor_of(std::slice::from_ref(self.node()))?.evaluate(std::slice::from_ref(self.node()))?;
        let leaf = leaf.into_iter().next().ok_or_else(|| Error::Internal("a result is missing".into()))?;
        Self::from_storage(leaf.storage, leaf.offset, *self.shape(), leaf.strides)
    }

    /// A copy of the array in memory of another context (or the same one).
    pub fn to(&self, context: &impl AsExecutor) -> Result<Self> {
        let storage = context.as_executor().upload(T::host(&self.to_vec()?))?;
        Self::from_storage(storage, 0, *self.shape(), Strides::row_major(self.shape()))
    }
}

impl<T: Numeric> Array<T> {
    /// Zeros.
    #[track_caller]
    pub fn zeros(context: &impl AsExecutor, shape: impl IntoShape) -> Result<Self> {
        expr::zeros(shape).eval_on(context)
    }

    /// Ones.
    #[track_caller]
    pub fn ones(context: &impl AsExecutor, shape: impl IntoShape) -> Result<Self> {
        expr::ones(shape).eval_on(context)
    }
}

impl<T: Real> Array<T> {
    /// `count` values from `start` to `stop` in equal steps, both included.
    #[track_caller]
    pub fn linspace(context: &impl AsExecutor, start: T, stop: T, count: usize) -> Result<Self> {
        expr::linspace(start, stop, count).eval_on(context)
    }
}

/// An error with the caller's line.
#[track_caller]
fn checked<V>(result: std::result::Result<V, ErrorKind>) -> Result<V> {
    match result {
        Ok(value) => Ok(value),
        Err(kind) => Err(crate::ArrayError::new(kind).into()),
    }
}

impl<T: Element> Deref for Array<T> {
    type Target = Expr<T>;

    fn deref(&self) -> &Expr<T> {
        &self.expr
    }
}

/// Another handle of the same memory.
impl<T: Element> Clone for Array<T> {
    fn clone(&self) -> Self {
        Array { expr: self.expr.clone() }
    }
}

impl<T: Element> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array({} {}, strides {:?})", T::TYPE, self.shape(), self.strides())
    }
}

/// The elements as NumPy prints them; of large arrays the first and last three along each axis. It waits for them.
impl<T: Element> fmt::Display for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match summary(self) {
            Ok((elements, shape, cut)) => f.write_str(&display::format(T::host(&elements), &shape, cut)),
            Err(error) => write!(f, "<{self:?}: {error}>"),
        }
    }
}

/// The elements to print, their shape, and the axes from which the middle was cut out.
fn summary<T: Element>(array: &Array<T>) -> Result<(Vec<T>, Shape, Axes)> {
    let (mut expr, mut cut) = ((**array).clone(), Axes::default());
    if array.len() > display::THRESHOLD {
        for axis in 0..array.rank() {
            if array.shape()[axis] <= 2 * display::EDGE {
                continue;
            }
            let edge = display::EDGE as i64;
            let mut slices = vec![Slice::FULL; axis];
            let mut part = |slice: Slice| {
                slices.truncate(axis);
                slices.push(slice);
                expr.at(&slices)
            };
            expr = expr::concatenate(axis as i64, [part(Slice::from(..edge)), part(Slice::from(-edge..))]);
            cut = cut.with(axis);
        }
    }
    match expr.error() {
        Some(error) => Err(Error::from(error.clone())),
        None => Ok((expr.to_vec()?, *expr.shape(), cut)),
    }
}
