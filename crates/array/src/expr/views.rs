//! Views: slices, transposes, reshapes, repetitions.

use super::Expr;
use crate::shape::{IntoAxes, IntoShape, Shape};
use crate::slice::Slice;
use crate::types::Element;

impl<T: Element> Expr<T> {
    /// The elements that the slices take, which [`s!`](crate::s) lists for the first axes; the others stay whole.
    ///
    /// ```
    /// use affinimath_array::{iota, s};
    ///
    /// let u = iota([4, 5]);
    /// assert_eq!(u.at(s![1..-1, ..;2]).shape(), &[2, 3]);
    /// ```
    #[track_caller]
    pub fn at(&self, slices: impl AsRef<[Slice]>) -> Expr<T> {
        Expr::new(self.node.slice(slices.as_ref()))
    }

    /// All axes in reverse order; of a matrix its transpose.
    #[track_caller]
    pub fn t(&self) -> Expr<T> {
        Expr::new(self.node.transpose())
    }

    /// Axes in a new order: axis `k` of the result is axis `axes[k]` of this array. Negative ones count from the last.
    #[track_caller]
    pub fn permute(&self, axes: impl AsRef<[i64]>) -> Expr<T> {
        Expr::new(self.node.permute(axes.as_ref()))
    }

    /// The elements in row-major order in another shape with as many.
    #[track_caller]
    pub fn reshape(&self, shape: impl IntoShape) -> Expr<T> {
        match shape.into_shape() {
            Ok(shape) => Expr::new(self.node.reshape(&shape)),
            Err(kind) => Expr::failed(kind),
        }
    }

    /// The elements in row-major order along one axis.
    #[track_caller]
    pub fn flatten(&self) -> Expr<T> {
        match Shape::new(&[self.len()]) {
            Ok(shape) => Expr::new(self.node.reshape(&shape)),
            Err(kind) => Expr::failed(kind),
        }
    }

    /// The elements repeated along new axes, which stand before the own ones, and along axes of extent 1.
    #[track_caller]
    pub fn broadcast_to(&self, shape: impl IntoShape) -> Expr<T> {
        match shape.into_shape() {
            Ok(shape) => Expr::new(self.node.broadcast_to(&shape)),
            Err(kind) => Expr::failed(kind),
        }
    }

    /// A new axis of extent 1 before `axis`; -1 is behind the last one.
    #[track_caller]
    pub fn new_axis(&self, axis: i64) -> Expr<T> {
        Expr::new(self.node.new_axis(axis))
    }

    /// The elements along the axes in reverse order; `..` is all axes.
    #[track_caller]
    pub fn reverse(&self, axes: impl IntoAxes) -> Expr<T> {
        match axes.into_axes(self.shape(), "reverse") {
            _ if self.error().is_some() => self.clone(),
            Ok(axes) => Expr::new(self.node.reverse(axes)),
            Err(kind) => Expr::failed(kind),
        }
    }
}
