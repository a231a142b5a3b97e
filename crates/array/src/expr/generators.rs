//! Arrays that follow from indices: they need no memory.

use super::Expr;
use crate::element::Number;
use crate::error::ErrorKind;
use crate::node::Node;
use crate::shape::IntoShape;
use crate::types::{Element, Numeric, Real};

/// The same value everywhere.
#[track_caller]
pub fn full<T: Element>(shape: impl IntoShape, value: T) -> Expr<T> {
    Expr::scalar(value).broadcast_to(shape)
}

/// Zeros.
#[track_caller]
pub fn zeros<T: Numeric>(shape: impl IntoShape) -> Expr<T> {
    constant(0.0, shape)
}

/// Ones.
#[track_caller]
pub fn ones<T: Numeric>(shape: impl IntoShape) -> Expr<T> {
    constant(1.0, shape)
}

#[track_caller]
fn constant<T: Numeric>(value: f64, shape: impl IntoShape) -> Expr<T> {
    Expr::new(Node::scalar(Number::of_real(value, T::TYPE))).broadcast_to(shape)
}

/// The row-major index of each element, from 0.
#[track_caller]
pub fn iota(shape: impl IntoShape) -> Expr<i64> {
    match shape.into_shape() {
        Ok(shape) => Expr::new(Node::iota(&shape)),
        Err(kind) => Expr::failed(kind),
    }
}

/// The index of each element along the axis, from 0.
#[track_caller]
pub fn coordinates(shape: impl IntoShape, axis: i64) -> Expr<i64> {
    match shape.into_shape() {
        Ok(shape) => Expr::new(Node::coordinates(&shape, axis)),
        Err(kind) => Expr::failed(kind),
    }
}

/// `count` values from `start`, `step` apart: `start + i * step`.
#[track_caller]
pub fn arange<T: Numeric>(start: T, step: T, count: usize) -> Expr<T> {
    Expr::scalar(step) * iota(count).cast::<T>() + Expr::scalar(start)
}

/// `count` values from `start` to `stop` in equal steps, both included.
#[track_caller]
pub fn linspace<T: Real>(start: T, stop: T, count: usize) -> Expr<T> {
    let (first, last) = (Expr::scalar(start), Expr::scalar(stop));
    if count < 2 {
        return first.broadcast_to(count);
    }
    let (index, end) = (iota(count), (count - 1) as i64);
    let step = (stop.to_f64() - start.to_f64()) / end as f64;
    let step = Expr::new(Node::scalar(Number::of_real(step, T::TYPE)));
    // The end is met exactly.
    index.equal(end).select(last, index.cast::<T>() * step + first)
}

/// A matrix with ones in column `i + diagonal` of each row `i`, and zeros elsewhere.
///
/// ```
/// assert_eq!(affinimath_array::eye::<f64>([3, 4], 1).shape(), &[3, 4]);
/// ```
#[track_caller]
pub fn eye<T: Numeric>(shape: impl IntoShape, diagonal: i64) -> Expr<T> {
    let shape = match shape.into_shape() {
        Ok(shape) if shape.rank() == 2 => shape,
        Ok(shape) => {
            let reason = format!("a matrix has 2 axes, not {}", shape.rank());
            return Expr::failed(ErrorKind::Argument { operation: "eye", reason });
        }
        Err(kind) => return Expr::failed(kind),
    };
    Expr::new(Node::diagonal_mask(&shape, diagonal).convert(T::TYPE))
}
