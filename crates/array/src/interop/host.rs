//! Slices, vectors and arrays of Rust.

use super::{AsHostArray, HostArray, no_value};
use crate::array::Array;
use crate::expr::{Expr, IntoExpr};
use crate::host::from_vec;
use crate::types::Element;
use affinimath_core::{Error, Layout, Result};

impl<T: Element> AsHostArray for [T] {
    type Element = T;

    fn as_host_array(&self) -> Result<HostArray<'_, T>> {
        HostArray::new(Layout::RowMajor, &[self.len()], self)
    }
}

impl<T: Element> AsHostArray for Vec<T> {
    type Element = T;

    fn as_host_array(&self) -> Result<HostArray<'_, T>> {
        self.as_slice().as_host_array()
    }
}

impl<T: Element, const N: usize> AsHostArray for [T; N] {
    type Element = T;

    fn as_host_array(&self) -> Result<HostArray<'_, T>> {
        self.as_slice().as_host_array()
    }
}

/// Of rank 2, row by row.
impl<T: Element, const M: usize> AsHostArray for [[T; M]] {
    type Element = T;

    fn as_host_array(&self) -> Result<HostArray<'_, T>> {
        HostArray::new(Layout::RowMajor, &[self.len(), M], self.as_flattened())
    }
}

/// Of rank 2, row by row.
impl<T: Element, const N: usize, const M: usize> AsHostArray for [[T; M]; N] {
    type Element = T;

    fn as_host_array(&self) -> Result<HostArray<'_, T>> {
        self.as_slice().as_host_array()
    }
}

/// Of rank 2, row by row.
impl<T: Element, const M: usize> AsHostArray for Vec<[T; M]> {
    type Element = T;

    fn as_host_array(&self) -> Result<HostArray<'_, T>> {
        self.as_slice().as_host_array()
    }
}

// Operands of the host among arrays of any context.

/// The elements along one axis, without a copy.
impl<T: Element> From<Vec<T>> for Expr<T> {
    #[track_caller]
    fn from(elements: Vec<T>) -> Self {
        from_vec(elements.len(), elements)
    }
}

impl<T: Element> From<&[T]> for Expr<T> {
    #[track_caller]
    fn from(elements: &[T]) -> Self {
        Expr::from(elements.to_vec())
    }
}

impl<T: Element, const N: usize> From<[T; N]> for Expr<T> {
    #[track_caller]
    fn from(elements: [T; N]) -> Self {
        Expr::from(elements.to_vec())
    }
}

impl<T: Element, const N: usize, const M: usize> From<[[T; M]; N]> for Expr<T> {
    #[track_caller]
    fn from(rows: [[T; M]; N]) -> Self {
        from_vec([N, M], rows.as_flattened().to_vec())
    }
}

macro_rules! operands {
    ($(($($parameters:tt)*) $value:ty;)*) => {$(
        impl<T: Element, $($parameters)*> IntoExpr<T> for $value {
            #[track_caller]
            fn into_expr(self) -> Expr<T> {
                self.into()
            }
        }
    )*};
}

operands! {
    () Vec<T>;
    () &[T];
    (const N: usize) [T; N];
    (const N: usize, const M: usize) [[T; M]; N];
}

/// The elements in row-major order. It waits for the evaluation.
impl<T: Element> TryFrom<&Expr<T>> for Vec<T> {
    type Error = Error;

    fn try_from(expr: &Expr<T>) -> Result<Self> {
        expr.to_vec()
    }
}

/// The elements of an array of shape `[N]`. It waits for the evaluation.
impl<T: Element, const N: usize> TryFrom<&Expr<T>> for [T; N] {
    type Error = Error;

    fn try_from(expr: &Expr<T>) -> Result<Self> {
        if expr.shape().extents() != [N] {
            return Err(no_value(expr, &format!("[{}; {N}]", T::TYPE)));
        }
        expr.to_vec()?.try_into().map_err(|_| Error::Internal(format!("not {N} elements")))
    }
}

/// The rows of an array of shape `[N, M]`. It waits for the evaluation.
impl<T: Element, const N: usize, const M: usize> TryFrom<&Expr<T>> for [[T; M]; N] {
    type Error = Error;

    fn try_from(expr: &Expr<T>) -> Result<Self> {
        if expr.shape().extents() != [N, M] {
            return Err(no_value(expr, &format!("[[{}; {M}]; {N}]", T::TYPE)));
        }
        let elements = expr.to_vec()?;
        let mut rows = [[T::default(); M]; N];
        rows.as_flattened_mut().copy_from_slice(&elements);
        Ok(rows)
    }
}

macro_rules! of_arrays {
    ($(($($parameters:tt)*) $value:ty;)*) => {$(
        /// As of the array's expression.
        impl<T: Element, $($parameters)*> TryFrom<&Array<T>> for $value {
            type Error = Error;

            fn try_from(array: &Array<T>) -> Result<Self> {
                Self::try_from(&**array)
            }
        }
    )*};
}

of_arrays! {
    () Vec<T>;
    (const N: usize) [T; N];
    (const N: usize, const M: usize) [[T; M]; N];
}
