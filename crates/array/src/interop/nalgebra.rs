//! Matrices and vectors of the crate `nalgebra`, of dynamic and of static sizes.

use super::{AsHostArray, HostArray, column_major, no_value};
use crate::array::Array;
use crate::expr::Expr;
use crate::types::Element;
use affinimath_core::{Error, Layout, Result};
use nalgebra::{ArrayStorage, Const, Dim, Matrix, RawStorage, SMatrix, VecStorage};

/// A matrix of rank 2, in column-major order; a column vector by its type has rank 1.
impl<T: Element, R: Dim, C: Dim, S: RawStorage<T, R, C>> AsHostArray for Matrix<T, R, C, S> {
    type Element = T;

    fn as_host_array(&self) -> Result<HostArray<'_, T>> {
        let extents = if is_vector::<C>() { &[self.nrows()][..] } else { &[self.nrows(), self.ncols()] };
        if self.data.is_contiguous() {
            // SAFETY: the storage says that its elements lie side by side.
            let elements = unsafe { self.data.as_slice_unchecked() };
            return HostArray::new(Layout::ColumnMajor, extents, elements);
        }
        HostArray::new(Layout::ColumnMajor, extents, self.iter().copied().collect::<Vec<_>>())
    }
}

/// True for the columns of a vector.
fn is_vector<C: Dim>() -> bool {
    C::try_to_usize() == Some(1)
}

/// The rows and columns of an array as a matrix of these types.
fn sizes<T: Element, R: Dim, C: Dim>(expr: &Expr<T>) -> Result<(usize, usize)> {
    let fits = |extent: usize, wanted: Option<usize>| wanted.is_none_or(|wanted| wanted == extent);
    let sizes = match *expr.shape().extents() {
        [rows] if is_vector::<C>() => Some((rows, 1)),
        [rows, columns] => Some((rows, columns)),
        _ => None,
    };
    sizes.filter(|&(rows, columns)| fits(rows, R::try_to_usize()) && fits(columns, C::try_to_usize())).ok_or_else(
        || {
            let name = |size: Option<usize>| size.map_or_else(|| "n".to_owned(), |size| size.to_string());
            no_value(expr, &format!("{} x {}", name(R::try_to_usize()), name(C::try_to_usize())))
        },
    )
}

/// A copy of the elements of a matrix, or of a vector, for which rank 1 will do. It waits for the evaluation.
impl<T: Element, R: Dim, C: Dim> TryFrom<&Expr<T>> for Matrix<T, R, C, VecStorage<T, R, C>>
where
    VecStorage<T, R, C>: RawStorage<T, R, C>,
{
    type Error = Error;

    fn try_from(expr: &Expr<T>) -> Result<Self> {
        let (rows, columns) = sizes::<T, R, C>(expr)?;
        let elements = column_major(expr)?;
        Ok(Matrix::from_data(VecStorage::new(R::from_usize(rows), C::from_usize(columns), elements)))
    }
}

/// A copy of the elements of a matrix, or of a vector, for which rank 1 will do. It waits for the evaluation.
impl<T: Element, const R: usize, const C: usize> TryFrom<&Expr<T>> for SMatrix<T, R, C> {
    type Error = Error;

    fn try_from(expr: &Expr<T>) -> Result<Self> {
        sizes::<T, Const<R>, Const<C>>(expr)?;
        let elements = column_major(expr)?;
        let mut columns = [[T::default(); R]; C];
        columns.as_flattened_mut().copy_from_slice(&elements);
        Ok(Matrix::from_data(ArrayStorage(columns)))
    }
}

/// As of the array's expression.
impl<T: Element, R: Dim, C: Dim> TryFrom<&Array<T>> for Matrix<T, R, C, VecStorage<T, R, C>>
where
    VecStorage<T, R, C>: RawStorage<T, R, C>,
{
    type Error = Error;

    fn try_from(array: &Array<T>) -> Result<Self> {
        Self::try_from(&**array)
    }
}

/// As of the array's expression.
impl<T: Element, const R: usize, const C: usize> TryFrom<&Array<T>> for SMatrix<T, R, C> {
    type Error = Error;

    fn try_from(array: &Array<T>) -> Result<Self> {
        Self::try_from(&**array)
    }
}
