//! Arrays of the crate `ndarray`, owned ones and views.

use super::{AsHostArray, HostArray, no_value};
use crate::array::Array;
use crate::expr::Expr;
use crate::types::Element;
use affinimath_core::{Error, Layout, Result};
use ndarray::{ArrayBase, Data, Dimension, IxDyn, OwnedRepr, ShapeBuilder};

/// Arrays without gaps keep their order in memory; elements of others are copied in row-major order.
impl<T: Element, S: Data<Elem = T>, D: Dimension> AsHostArray for ArrayBase<S, D> {
    type Element = T;

    fn as_host_array(&self) -> Result<HostArray<'_, T>> {
        match self.as_slice_memory_order() {
            Some(elements) if !elements.is_empty() => {
                let strides: Vec<_> = self.strides().iter().map(|&stride| stride as i64).collect();
                let offset = (self.as_ptr().addr() - elements.as_ptr().addr()) / size_of::<T>();
                HostArray::strided(self.shape(), &strides, offset, elements)
            }
            _ => HostArray::new(Layout::RowMajor, self.shape(), self.iter().copied().collect::<Vec<_>>()),
        }
    }
}

/// A copy of the elements in the host's memory: column-major where the array's are so, otherwise row-major. It waits
/// for the evaluation.
///
/// A dimension that is fixed in the type must be the array's rank.
impl<T: Element, D: Dimension> TryFrom<&Array<T>> for ArrayBase<OwnedRepr<T>, D> {
    type Error = Error;

    fn try_from(array: &Array<T>) -> Result<Self> {
        let transposed = array.t();
        if !array.is_contiguous() && transposed.eval()?.is_contiguous() {
            return of_elements(array, transposed.to_vec()?, true);
        }
        of_elements(array, array.to_vec()?, false)
    }
}

/// A copy of the elements in the host's memory, in row-major order. It waits for the evaluation.
///
/// A dimension that is fixed in the type must be the array's rank.
impl<T: Element, D: Dimension> TryFrom<&Expr<T>> for ArrayBase<OwnedRepr<T>, D> {
    type Error = Error;

    fn try_from(expr: &Expr<T>) -> Result<Self> {
        of_elements(expr, expr.to_vec()?, false)
    }
}

fn of_elements<T: Element, D: Dimension>(
    expr: &Expr<T>,
    elements: Vec<T>,
    is_column_major: bool,
) -> Result<ndarray::Array<T, D>> {
    let wanted = || format!("of {} axes", D::NDIM.map_or_else(|| "any".to_owned(), |rank| rank.to_string()));
    let dimension = D::from_dimension(&IxDyn(expr.shape().extents())).ok_or_else(|| no_value(expr, &wanted()))?;
    let shape = dimension.set_f(is_column_major);
    ndarray::Array::from_shape_vec(shape, elements).map_err(|error| Error::Internal(error.to_string()))
}
