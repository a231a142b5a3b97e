//! Assignments to arrays and to their views.

use super::{Array, ownership, sole_memories};
use crate::error::ErrorKind;
use crate::executor::Assignment;
use crate::expr::{Expr, IntoExpr, executor_of};
use crate::node::Node;
use crate::slice::Slice;
use crate::types::Element;
use affinimath_core::Result;

/// A view of an array whose elements can be set.
pub struct ArrayMut<'a, T: Element> {
    array: &'a mut Array<T>,
    slices: Vec<Slice>,
}

impl<T: Element> Array<T> {
    /// The elements that the slices take, to be set: `u.at_mut(s![1..-1, 0]).assign(1.0)?`. Where
    /// the value reads the array, [`assign_at`](Array::assign_at) takes it.
    pub fn at_mut(&mut self, slices: impl AsRef<[Slice]>) -> ArrayMut<'_, T> {
        ArrayMut { array: self, slices: slices.as_ref().to_vec() }
    }

    /// Sets the elements that the slices take to those of the expression, which broadcasts to their shape. It reads
    /// what the array held before, without a copy of it:
    /// `u.assign_at(s![1..-1], 0.5 * (u.at(s![..-2]) + u.at(s![2..])))?`.
    ///
    /// An operand of a method, as in `u.at(s![2..]).exp()`, lives until the end of the statement and holds the memory:
    /// such a value is bound by `let` before the call, or else the array is copied.
    #[track_caller]
    pub fn assign_at(&mut self, slices: impl AsRef<[Slice]>, value: impl IntoExpr<T>) -> Result<()> {
        self.at_mut(slices).assign(value)
    }

    /// Sets all elements to those of the expression, which broadcasts to the array's shape. It reads what the array
    /// held before.
    #[track_caller]
    pub fn assign(&mut self, value: impl IntoExpr<T>) -> Result<()> {
        self.at_mut([]).assign(value)
    }
}

impl<T: Element> ArrayMut<'_, T> {
    /// Sets the elements to those of the expression, which broadcasts to the view's shape. It reads what the array held
    /// before.
    #[track_caller]
    pub fn assign(self, value: impl IntoExpr<T>) -> Result<()> {
        let target = self.array.node().slice(&self.slices);
        let value = checked(&target, value.into_expr().node())?;
        if target.shape().is_empty() {
            return Ok(());
        }
        drop(target);
        let executor = executor_of(std::slice::from_ref(self.array.node()))?;
        let is_writable =
            self.array.is_injective() && sole_memories([self.array.node(), &value]).contains(&self.array.leaf().id());
        if !is_writable {
            *self.array = self.array.copied()?;
        }
        let target = self.array.node().slice(&self.slices);
        executor.assign(&[Assignment { target, value }])
    }
}

impl<T: Element> Array<T> {
    /// Makes the memory the array's alone, as an assignment does: it is copied first, to row-major order, where another
    /// array or expression holds it, or where elements share memory. On an error the array stays as it is.
    pub fn make_unique(&mut self) -> Result<()> {
        if !(self.is_injective() && ownership::is_only_holder(self.node(), &self.leaf().storage)) {
            *self = self.copied()?;
        }
        Ok(())
    }

    /// True if no two elements share memory.
    fn is_injective(&self) -> bool {
        self.strides().is_injective(self.shape())
    }
}

impl<T: Element> ArrayMut<'_, T> {
    /// The array whose elements the view takes.
    pub fn array(&self) -> &Array<T> {
        self.array
    }

    /// The elements of the view, whose memory is the array's alone: [`Array::make_unique`]. The result holds the memory
    /// too.
    ///
    /// # Errors
    /// Slices that are not legal, and errors of the copy.
    #[track_caller]
    pub fn make_unique(&mut self) -> Result<Expr<T>> {
        if let Some(error) = self.array.node().slice(&self.slices).error() {
            return Err(error.clone().into());
        }
        self.array.make_unique()?;
        Ok(Expr::new(self.array.node().slice(&self.slices)))
    }
}

/// The value in the target's shape, if it can be assigned.
#[track_caller]
fn checked(target: &Node, value: &Node) -> Result<Node> {
    for node in [target, value] {
        if let Some(error) = node.error() {
            return Err(error.clone().into());
        }
    }
    if value.context().is_some_and(|context| Some(context) != target.context()) {
        return Err(crate::ArrayError::new(ErrorKind::Memory { operation: "assign" }).into());
    }
    let value = value.broadcast_to(target.shape());
    match value.error() {
        Some(error) => Err(error.clone().into()),
        None => Ok(value),
    }
}
