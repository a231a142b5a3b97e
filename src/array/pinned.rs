//! Pinned memory among arrays.

use std::sync::Arc;

use affinimath_array::element::HostSlice;
use affinimath_array::node::{ContextId, Node, Storage};
use affinimath_array::shape::{IntoShape, Strides};
use affinimath_array::{ArrayError, Element, ElementType, Expr};

use crate::error::{Error, Result};
use crate::pinned::Pinned;
use crate::scalar;

/// Elements in pinned memory that an expression owns.
struct PinnedElements<T>(Pinned<T>);

impl<T: Element + scalar::Element> Storage for PinnedElements<T> {
    fn element(&self) -> ElementType {
        T::TYPE
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn context(&self) -> Option<ContextId> {
        None
    }

    fn host(&self) -> Option<HostSlice<'_>> {
        Some(T::host(&self.0))
    }
}

impl<T: Element + scalar::Element> Pinned<T> {
    /// The elements in row-major order, as an operand among arrays of any context. An evaluation in the memory's own
    /// context brings them over without a copy on the host.
    ///
    /// ```
    /// use affinimath::{Context, array::eval_into_on};
    ///
    /// let context = Context::preferred()?;
    /// let (mut x, mut y) = (context.pinned::<f64>(1000)?, context.pinned::<f64>(1000)?);
    /// x.fill(3.0);
    /// let x = x.into_expr([1000])?;
    /// eval_into_on(&context, [(2.0 * &x).to_slice(&mut y)])?;
    /// assert!(y.iter().all(|y| *y == 6.0));
    /// # Ok::<(), affinimath::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the shape has another count of elements, or too many axes.
    pub fn into_expr(self, shape: impl IntoShape) -> Result<Expr<T>> {
        let shape = shape.into_shape().map_err(|kind| Error::from(ArrayError::new(kind)))?;
        if shape.len() != self.len() {
            return Err(Error::argument("shape", format!("{} elements are given for shape {shape}", self.len())));
        }
        let node = Node::leaf(Arc::new(PinnedElements(self)), 0, shape, Strides::row_major(&shape));
        Ok(Expr::from_node(node))
    }
}
