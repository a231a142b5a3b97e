//! Matrices and columns of the crate `faer`, owned ones and views.

use super::{AsHostArray, HostArray, column_major, no_value};
use crate::array::Array;
use crate::expr::Expr;
use crate::types::Element;
use affinimath_core::{Error, Layout, Result};
use faer::{Col, ColRef, Mat, MatRef};

/// Of rank 2, in column-major order, or in row-major order where neighbours of a row are the closer ones.
impl<T: Element> AsHostArray for MatRef<'_, T> {
    type Element = T;

    fn as_host_array(&self) -> Result<HostArray<'_, T>> {
        let extents = [self.nrows(), self.ncols()];
        let is_row_major = self.col_stride().unsigned_abs() < self.row_stride().unsigned_abs();
        let (matrix, layout) = match is_row_major {
            true => (self.transpose(), Layout::RowMajor),
            false => (*self, Layout::ColumnMajor),
        };
        let mut elements = Vec::with_capacity(extents[0] * extents[1]);
        (0..matrix.ncols()).for_each(|column| append(&mut elements, matrix.col(column)));
        HostArray::new(layout, &extents, elements)
    }
}

/// Of rank 2, in column-major order.
impl<T: Element> AsHostArray for Mat<T> {
    type Element = T;

    fn as_host_array(&self) -> Result<HostArray<'_, T>> {
        let mut elements = Vec::with_capacity(self.nrows() * self.ncols());
        (0..self.ncols()).for_each(|column| append(&mut elements, self.col(column)));
        HostArray::new(Layout::ColumnMajor, &[self.nrows(), self.ncols()], elements)
    }
}

/// Of rank 1.
impl<T: Element> AsHostArray for ColRef<'_, T> {
    type Element = T;

    fn as_host_array(&self) -> Result<HostArray<'_, T>> {
        let extents = [self.nrows()];
        if let Some(column) = self.try_as_col_major() {
            return HostArray::new(Layout::ColumnMajor, &extents, column.as_slice());
        }
        let mut elements = Vec::with_capacity(self.nrows());
        append(&mut elements, *self);
        HostArray::new(Layout::ColumnMajor, &extents, elements)
    }
}

/// Of rank 1.
impl<T: Element> AsHostArray for Col<T> {
    type Element = T;

    fn as_host_array(&self) -> Result<HostArray<'_, T>> {
        let mut elements = Vec::with_capacity(self.nrows());
        append(&mut elements, self.as_ref());
        HostArray::new(Layout::ColumnMajor, &[self.nrows()], elements)
    }
}

/// Appends the elements of a column.
fn append<T: Element>(elements: &mut Vec<T>, column: ColRef<'_, T>) {
    match column.try_as_col_major() {
        Some(column) => elements.extend_from_slice(column.as_slice()),
        None => elements.extend(column.iter().copied()),
    }
}

/// A copy of the elements of a matrix. It waits for the evaluation.
impl<T: Element> TryFrom<&Expr<T>> for Mat<T> {
    type Error = Error;

    fn try_from(expr: &Expr<T>) -> Result<Self> {
        let [rows, columns] = *expr.shape().extents() else { return Err(no_value(expr, "a matrix")) };
        let elements = column_major(expr)?;
        Ok(Mat::from_fn(rows, columns, |row, column| elements[row + column * rows]))
    }
}

/// A copy of the elements of a vector. It waits for the evaluation.
impl<T: Element> TryFrom<&Expr<T>> for Col<T> {
    type Error = Error;

    fn try_from(expr: &Expr<T>) -> Result<Self> {
        let [rows] = *expr.shape().extents() else { return Err(no_value(expr, "a vector")) };
        let elements = expr.to_vec()?;
        Ok(Col::from_fn(rows, |row| elements[row]))
    }
}

/// As of the array's expression.
impl<T: Element> TryFrom<&Array<T>> for Mat<T> {
    type Error = Error;

    fn try_from(array: &Array<T>) -> Result<Self> {
        Self::try_from(&**array)
    }
}

/// As of the array's expression.
impl<T: Element> TryFrom<&Array<T>> for Col<T> {
    type Error = Error;

    fn try_from(array: &Array<T>) -> Result<Self> {
        Self::try_from(&**array)
    }
}
