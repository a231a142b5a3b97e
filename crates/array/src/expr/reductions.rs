//! Reductions over axes, and scans.

use super::Expr;
use crate::element::Number;
use crate::error::ErrorKind;
use crate::function::{Binary, Reduction, Unary};
use crate::node::{Complex, Node};
use crate::shape::{Axes, IntoAxes, Shape};
use crate::types::{Element, Floating, Numeric, Ordered};

/// Axes that a reduction keeps with extent 1: `x.sum(keep(1))`.
#[derive(Clone, Copy, Debug)]
pub struct Keep<A>(A);

/// The reduced axes stay, with extent 1, so that the result broadcasts against the operand.
///
/// ```
/// use affinimath_array::{keep, ones};
///
/// let x = ones::<f64>([4, 3]);
/// let softmax = (&x - x.max(keep(1))).exp();
/// assert_eq!((&softmax / softmax.sum(keep(1))).shape(), &[4, 3]);
/// ```
pub fn keep<A: IntoAxes>(axes: A) -> Keep<A> {
    Keep(axes)
}

impl<A: IntoAxes> IntoAxes for Keep<A> {
    fn into_axes(self, shape: &Shape, operation: &'static str) -> Result<Axes, ErrorKind> {
        self.0.into_axes(shape, operation)
    }

    fn keeps(&self) -> bool {
        true
    }
}

impl<T: Element> Expr<T> {
    #[track_caller]
    fn reduce<U: Element>(&self, reduction: Reduction, axes: impl IntoAxes) -> Expr<U> {
        if self.error().is_some() {
            return Expr::new(self.node.same_error(U::TYPE));
        }
        let keep = axes.keeps();
        match axes.into_axes(self.shape(), reduction.name()) {
            Ok(axes) => Expr::new(self.node.reduce(reduction, axes, keep)),
            Err(kind) => Expr::failed(kind),
        }
    }

    /// The elements that a reduction over the axes joins. Bad axes are the reduction's error.
    fn count_of(&self, axes: &Result<Axes, ErrorKind>) -> usize {
        axes.as_ref().map_or(0, |&axes| self.shape().len_of(axes))
    }
}

macro_rules! reductions {
    ($bound:ident => $output:ty: $($(#[$doc:meta])* $method:ident $reduction:ident;)*) => {
        impl<T: $bound> Expr<T> {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $method(&self, axes: impl IntoAxes) -> Expr<$output> {
                    self.reduce(Reduction::$reduction, axes)
                }
            )*
        }
    };
}

reductions! { Numeric => T:
    /// The sum over the axes; `..` is all of them. Integers wrap: `cast` to a wider type first where sums are large.
    sum Sum;
    /// The product over the axes; `..` is all of them. Integers wrap.
    prod Product;
}

reductions! { Ordered => T:
    /// The smallest element; NaN if one is NaN. Of no elements an error.
    min Min;
    /// The largest element; NaN if one is NaN. Of no elements an error.
    max Max;
}

reductions! { Ordered => i64:
    /// The index of the first smallest element, or of the first NaN. Over several axes it is the row-major index within
    /// them. Of no elements an error.
    argmin ArgMin;
    /// The index of the first largest element, or of the first NaN. Over several axes it is the row-major index within
    /// them. Of no elements an error.
    argmax ArgMax;
}

impl Expr<bool> {
    /// True if one element is; false of no elements.
    #[track_caller]
    pub fn any(&self, axes: impl IntoAxes) -> Expr<bool> {
        self.reduce(Reduction::Any, axes)
    }

    /// True if all elements are; true of no elements.
    #[track_caller]
    pub fn all(&self, axes: impl IntoAxes) -> Expr<bool> {
        self.reduce(Reduction::All, axes)
    }

    /// The count of true elements.
    #[track_caller]
    pub fn count(&self, axes: impl IntoAxes) -> Expr<i64> {
        self.cast::<i64>().reduce(Reduction::Sum, axes)
    }
}

impl<T: Floating> Expr<T> {
    /// The mean over the axes; NaN of no elements.
    #[track_caller]
    pub fn mean(&self, axes: impl IntoAxes) -> Expr<T> {
        let (keeps, axes) = (axes.keeps(), axes.into_axes(self.shape(), "mean"));
        let count = Node::scalar(Number::of_real(self.count_of(&axes) as f64, T::TYPE.part()));
        let sum: Expr<T> = self.reduce(Reduction::Sum, Checked(axes, keeps));
        Expr::new(sum.node.binary(Binary::Div, &count))
    }

    /// The variance over the axes: the mean of |x - mean|², in two passes.
    #[track_caller]
    pub fn var(&self, axes: impl IntoAxes) -> Expr<T::Part> {
        self.var_with(axes, 0)
    }

    /// The sum of |x - mean|² divided by the count of elements less `ddof`: 1 for the unbiased estimate of a sample.
    #[track_caller]
    pub fn var_with(&self, axes: impl IntoAxes, ddof: usize) -> Expr<T::Part> {
        let (keeps, axes) = (axes.keeps(), axes.into_axes(self.shape(), "var"));
        let divisor = (self.count_of(&axes) as f64 - ddof as f64).max(0.0);
        let mean = self.mean(Checked(axes.clone(), true));
        let distance = Expr::<T>::new(self.node.binary(Binary::Sub, &mean.node)).squared_magnitude();
        let sum: Expr<T::Part> = distance.reduce(Reduction::Sum, Checked(axes, keeps));
        Expr::new(sum.node.binary(Binary::Div, &Node::scalar(Number::of_real(divisor, T::TYPE.part()))))
    }

    /// The Euclidean norm of all elements: sqrt(sum |x|²).
    #[track_caller]
    pub fn norm(&self) -> Expr<T::Part> {
        self.norm_along(..)
    }

    /// The Euclidean norm over the axes.
    #[track_caller]
    pub fn norm_along(&self, axes: impl IntoAxes) -> Expr<T::Part> {
        let sum: Expr<T::Part> = self.squared_magnitude().reduce(Reduction::Sum, axes);
        Expr::new(sum.node.unary(Unary::Sqrt))
    }

    /// |x|²
    #[track_caller]
    fn squared_magnitude(&self) -> Expr<T::Part> {
        Expr::new(match T::TYPE.is_complex() {
            true => self.node.complex(Complex::NormSquared),
            false => self.node.unary(Unary::Square),
        })
    }
}

impl<T: Numeric> Expr<T> {
    /// Running sums along the axis, each element included.
    #[track_caller]
    pub fn cumsum(&self, axis: i64) -> Expr<T> {
        Expr::new(self.node.scan(Reduction::Sum, axis))
    }

    /// Running products along the axis, each element included.
    #[track_caller]
    pub fn cumprod(&self, axis: i64) -> Expr<T> {
        Expr::new(self.node.scan(Reduction::Product, axis))
    }
}

/// Axes that were looked up, or the error of that.
struct Checked(Result<Axes, ErrorKind>, bool);

impl IntoAxes for Checked {
    fn into_axes(self, _: &Shape, _: &'static str) -> Result<Axes, ErrorKind> {
        self.0
    }

    fn keeps(&self) -> bool {
        self.1
    }
}
