//! Elements of Rust's own types and of other libraries as arrays, and back.
//!
//! A conversion copies once: later changes of one side do not reach the other.

#[cfg(any(test, feature = "faer"))]
mod faer;
mod host;
#[cfg(any(test, feature = "nalgebra"))]
mod nalgebra;
#[cfg(any(test, feature = "ndarray"))]
mod ndarray;
#[cfg(test)]
mod tests;

use crate::array::Array;
use crate::error::ErrorKind;
use crate::executor::AsExecutor;
use crate::expr::Expr;
use crate::host::Elements;
use crate::node::Node;
use crate::shape::{Shape, Strides};
use crate::types::Element;
use affinimath_core::{Error, Layout, Result};
use std::borrow::Cow;
use std::sync::Arc;

/// Elements in the host's memory with a shape: element `i` is `elements[offset + sum_k i_k strides_k]`.
#[derive(Clone, Debug)]
pub struct HostArray<'a, T: Element> {
    elements: Cow<'a, [T]>,
    offset: usize,
    shape: Shape,
    strides: Strides,
}

impl<'a, T: Element> HostArray<'a, T> {
    /// Elements in the order of the layout.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for more axes or elements than an array has, or where the shape has another count.
    #[track_caller]
    pub fn new(layout: Layout, extents: &[usize], elements: impl Into<Cow<'a, [T]>>) -> Result<Self> {
        let (shape, elements) = (checked(Shape::new(extents))?, elements.into());
        if shape.len() != elements.len() {
            let reason = format!("{} elements are given for shape {shape}", elements.len());
            return checked(Err(ErrorKind::Argument { operation: "from_host", reason }));
        }
        Ok(HostArray { elements, offset: 0, shape, strides: Strides::of(&shape, layout) })
    }

    /// Elements with strides, negative ones too. All of `elements` is copied, also what no index reaches.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for more axes or elements than an array has, or where an index leaves `elements`.
    #[track_caller]
    pub fn strided(
        extents: &[usize],
        strides: &[i64],
        offset: usize,
        elements: impl Into<Cow<'a, [T]>>,
    ) -> Result<Self> {
        let (shape, strides) = (checked(Shape::new(extents))?, checked(Strides::new(strides))?);
        let elements = elements.into();
        if strides.len() != shape.rank() {
            let reason = format!("{} strides for {} axes", strides.len(), shape.rank());
            return checked(Err(ErrorKind::Argument { operation: "strides", reason }));
        }
        let is_within = strides
            .span(&shape)
            .is_none_or(|(first, last)| offset as i128 + first >= 0 && offset as i128 + last < elements.len() as i128);
        if !is_within {
            return checked(Err(ErrorKind::OutOfMemory { shape, available: elements.len() }));
        }
        Ok(HostArray { elements, offset, shape, strides })
    }
}

/// A value with elements in the host's memory: slices, vectors and arrays of Rust; by features of the same names the
/// arrays and matrices of the crates `ndarray`, `nalgebra` and `faer`.
pub trait AsHostArray {
    /// The type of the elements.
    type Element: Element;

    /// The elements with their shape. They are borrowed where they lie side by side in memory, in any order of the
    /// axes.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for more axes or elements than an array has.
    fn as_host_array(&self) -> Result<HostArray<'_, Self::Element>>;
}

impl<V: AsHostArray + ?Sized> AsHostArray for &V {
    type Element = V::Element;

    fn as_host_array(&self) -> Result<HostArray<'_, V::Element>> {
        (**self).as_host_array()
    }
}

impl<T: Element> AsHostArray for HostArray<'_, T> {
    type Element = T;

    fn as_host_array(&self) -> Result<HostArray<'_, T>> {
        Ok(HostArray { elements: Cow::Borrowed(&self.elements), ..*self })
    }
}

impl<T: Element> Array<T> {
    /// A copy of elements of the host in memory of the context. It has their shape, and their order in memory.
    ///
    /// # Errors
    /// Those of [`AsHostArray::as_host_array`], and of the context's memory.
    #[track_caller]
    pub fn from_host(context: &impl AsExecutor, value: &(impl AsHostArray<Element = T> + ?Sized)) -> Result<Self> {
        let HostArray { elements, offset, shape, strides } = value.as_host_array()?;
        let storage = context.as_executor().upload(T::host(&elements))?;
        Self::from_storage(storage, offset, shape, strides)
    }
}

/// A copy of elements of the host, as an operand among arrays of any context: the evaluation brings them over.
///
/// ```
/// let x = affinimath_array::from_host(&[[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!((&x + 1.0).shape(), &[2, 2]);
/// ```
#[track_caller]
pub fn from_host<V: AsHostArray + ?Sized>(value: &V) -> Expr<V::Element> {
    match value.as_host_array() {
        Ok(HostArray { elements, offset, shape, strides }) => {
            Expr::new(Node::leaf(Arc::new(Elements(elements.into_owned())), offset, shape, strides))
        }
        Err(error) => Expr::failed(ErrorKind::Argument { operation: "from_host", reason: error.to_string() }),
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

/// The elements of a matrix in column-major order, without a transposition where they lie so.
#[cfg(any(test, feature = "faer", feature = "nalgebra"))]
fn column_major<T: Element>(matrix: &Expr<T>) -> Result<Vec<T>> {
    matrix.t().to_vec()
}

/// Why an expression has no value of another type: its own error, or its shape.
#[cold]
fn no_value<T: Element>(expr: &Expr<T>, wanted: &str) -> Error {
    match expr.error() {
        Some(error) => error.clone().into(),
        None => Error::ShapeMismatch(format!("an array of shape {} is not {wanted}", expr.shape())),
    }
}
