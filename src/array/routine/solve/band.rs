//! Diagonals and bands on the host. Of one long system with a narrow band in a device's memory, the diagonals and the
//! right sides are brought over: the device's elimination has a step for each column.

use std::cmp::Ordering;

use affinimath_array::function::Binary;

use super::System;
use super::dense::Mixed;
use super::properties::HostMatrices;
use crate::array::routine::stack::Stack;
use crate::error::{Error, Result};
use crate::options::{Layout, Triangle};
use crate::route::lapack::{gbsv, gbsv_batched, gtsv, gtsv_batched, pbsv};
use crate::scalar::Scalar;
use crate::view::{BatchMut, BatchShape, MatrixMut, MatrixShape};

impl<T: Mixed> System<'_, T> {
    /// Calls a function with the elements of a band: the matrix's number, row, column, value.
    fn for_band(&self, lower: usize, upper: usize, mut visit: impl FnMut(usize, usize, usize, T)) -> Result<()> {
        let (n, count) = (self.solution.rows, self.solution.count);
        if let Some(matrices) = HostMatrices::<T>::of(self.run, self.a)? {
            for index in 0..count {
                let a = matrices.matrix(index);
                for j in 0..n {
                    for i in j.saturating_sub(upper)..n.min(j + lower + 1) {
                        let element = if self.a.is_conjugate { a[(i, j)].conjugate() } else { a[(i, j)] };
                        visit(index, i, j, element);
                    }
                }
            }
            return Ok(());
        }
        let last = n as i64 - 1;
        for diagonal in -(lower as i64).min(last)..=(upper as i64).min(last) {
            let elements = Stack::<T>::diagonal(self.run, self.a, diagonal)?;
            let (row, column, length) = ((-diagonal).max(0) as usize, diagonal.max(0) as usize, elements.rows);
            for (position, element) in elements.to_vec()?.into_iter().enumerate() {
                let (index, step) = (position / length, position % length);
                visit(index, row + step, column + step, element);
            }
        }
        Ok(())
    }

    /// True if the real part of each diagonal element is positive.
    pub(super) fn has_positive_diagonal(&self) -> Result<bool> {
        let mut is_positive = true;
        self.for_band(0, 0, |_, _, _, element| is_positive &= element.re() > 0.0)?;
        Ok(is_positive)
    }

    /// Division by the diagonal, where the right sides lie.
    pub(super) fn divide(&mut self) -> Result<()> {
        let mut zero = None;
        self.for_band(0, 0, |_, i, _, element| {
            if element == T::ZERO && zero.is_none() {
                zero = Some(i + 1);
            }
        })?;
        if let Some(index) = zero {
            return Err(Error::ZeroPivot { index });
        }
        // A column for each matrix: its transpose is a row, which divides those of the right sides' transposes.
        let diagonals = Stack::<T>::diagonal(self.run, self.a, 0)?;
        let quotients = self.solution.transposed()?.binary(Binary::Div, &diagonals.transposed()?);
        self.solution.set_transposed(self.run, quotients)
    }

    /// LU with partial pivoting of three diagonals.
    pub(super) fn tridiagonal(&mut self) -> Result<()> {
        if self.run.is_on_device() {
            return self.tridiagonal_on_device();
        }
        let (n, count, columns) = (self.solution.rows, self.solution.count, self.solution.columns);
        let mut diagonals = [n - 1, n, n - 1].map(|length| vec![T::ZERO; length * count]);
        self.for_band(1, 1, |index, i, j, element| match i.cmp(&j) {
            Ordering::Greater => diagonals[0][index * (n - 1) + j] = element,
            Ordering::Equal => diagonals[1][index * n + i] = element,
            Ordering::Less => diagonals[2][index * (n - 1) + i] = element,
        })?;
        let [dl, d, du] = &mut diagonals;
        if count == 1 {
            return gtsv(dl, d, du, self.solution.matrix(0)?);
        }
        let matrix = MatrixShape::new(Layout::ColumnMajor, n, columns, 0, n)?;
        let mut info = vec![0; count];
        self.solution.on_host_mut(|elements| {
            let b = BatchMut::from_slice(elements, BatchShape::strided(matrix, n * columns, count)?)?;
            gtsv_batched([dl, d, du], [n - 1, n, n - 1], b, &mut info)?;
            first_zero_pivot(&info)
        })
    }

    /// LU with partial pivoting of a band.
    pub(super) fn band(&mut self, lower: usize, upper: usize) -> Result<()> {
        if self.has_bands_on_device([lower, upper]) {
            return self.band_on_device([lower, upper]);
        }
        let (count, n, columns) = (self.solution.count, self.solution.rows, self.solution.columns);
        if count > 1 {
            return self.bands([lower, upper], [count, n, columns]);
        }
        let rows = 2 * lower + upper + 1;
        let mut pivots = vec![0; self.solution.rows];
        self.with_band(
            [lower, upper],
            rows,
            |i, j| lower + upper + i - j,
            |ab, b| gbsv(lower, upper, ab, &mut pivots, b),
        )
    }

    /// The same for several matrices in the host's memory.
    fn bands(&mut self, [lower, upper]: [usize; 2], [count, n, columns]: [usize; 3]) -> Result<()> {
        let rows = 2 * lower + upper + 1;
        let mut bands = zeros::<T>(rows.saturating_mul(n).saturating_mul(count))?;
        let row = |i, j| lower + upper + i - j;
        self.for_band(lower, upper, |index, i, j, element| bands[(index * n + j) * rows + row(i, j)] = element)?;
        let (mut pivots, mut info) = (vec![0; n * count], vec![0; count]);
        self.solution.on_host_mut(|elements| {
            let band = MatrixShape::new(Layout::ColumnMajor, rows, n, 0, rows)?;
            let matrix = MatrixShape::new(Layout::ColumnMajor, n, columns, 0, n)?;
            let ab = BatchMut::from_slice(&mut bands, BatchShape::strided(band, rows * n, count)?)?;
            let b = BatchMut::from_slice(elements, BatchShape::strided(matrix, n * columns, count)?)?;
            gbsv_batched(lower, upper, ab, &mut pivots, n, b, &mut info)?;
            first_zero_pivot(&info)
        })
    }

    /// Cholesky's factors of the lower half of a band; the fallback where it is not positive definite.
    pub(super) fn band_cholesky(&mut self, width: usize) -> Result<()> {
        let factorised = |ab: MatrixMut<'_, T>, b: MatrixMut<'_, T>| pbsv(Triangle::Lower, width, ab, b);
        match self.with_band([width, 0], width + 1, |i, j| i - j, factorised) {
            // B is as it was.
            Err(Error::NotPositiveDefinite { index }) => self.solve_others(&[index as i32]),
            result => result,
        }
    }

    /// Solves each system with its band in LAPACK's storage of `rows` rows, in which `row` finds an element.
    fn with_band(
        &mut self,
        [lower, upper]: [usize; 2],
        rows: usize,
        row: impl Fn(usize, usize) -> usize,
        mut solve: impl FnMut(MatrixMut<'_, T>, MatrixMut<'_, T>) -> Result<()>,
    ) -> Result<()> {
        let (n, count, columns) = (self.solution.rows, self.solution.count, self.solution.columns);
        let mut bands = zeros::<T>(rows.saturating_mul(n).saturating_mul(count))?;
        self.for_band(lower, upper, |index, i, j, element| bands[(index * n + j) * rows + row(i, j)] = element)?;
        self.solution.on_host_mut(|elements| {
            for (ab, b) in bands.chunks_mut(rows * n).zip(elements.chunks_mut(n * columns)) {
                let ab = MatrixMut::from_slice(ab, MatrixShape::new(Layout::ColumnMajor, rows, n, 0, rows)?)?;
                solve(ab, MatrixMut::from_slice(b, MatrixShape::new(Layout::ColumnMajor, n, columns, 0, n)?)?)?;
            }
            Ok(())
        })
    }
}

/// The error that infos tell of, if any does.
pub(super) fn first_zero_pivot(info: &[i32]) -> Result<()> {
    match info.iter().find(|info| **info > 0) {
        Some(index) => Err(Error::ZeroPivot { index: *index as usize }),
        None => Ok(()),
    }
}

/// So many zeros.
fn zeros<T: Scalar>(length: usize) -> Result<Vec<T>> {
    let mut elements = Vec::new();
    let bytes = length.saturating_mul(size_of::<T>()) as u64;
    elements.try_reserve_exact(length).map_err(|_| Error::OutOfHostMemory { bytes, purpose: "a band" })?;
    elements.resize(length, T::ZERO);
    Ok(elements)
}
