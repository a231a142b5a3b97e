//! Sparse matrices of Matrix Market files.

#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use crate::memory::Context;
use crate::scalar::Scalar;
use crate::sparse::matrix_market::{Coordinates, Format, Symmetry, Values};
use crate::sparse::{CooArrays, CooMatrix, CsrMatrix, Mirror, RowPointer};

impl<T: Scalar, P: RowPointer> CsrMatrix<T, P> {
    /// The matrix of a Matrix Market file, whole: with the entries across the diagonal where the file stores one
    /// triangle. Columns of a row are in ascending order, duplicate entries are added in the order of the file, and a
    /// pattern's entries are ones.
    ///
    /// ```
    /// use affinimath::Context;
    /// use affinimath::sparse::{CsrMatrix, matrix_market};
    ///
    /// let file = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4.0\n2 1 -1.0\n";
    /// let matrix: CsrMatrix<f64> = CsrMatrix::from_file(&Context::host(), &matrix_market::read(file.as_bytes())?)?;
    /// assert_eq!(matrix.download()?.values, [4.0, -1.0, -1.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] where the matrix is complex and `T` is not, or larger than 32-bit indices name;
    /// [`Error::ShapeMismatch`] when there are more entries than the pointers count; [`Error::OutOfDeviceMemory`], and
    /// what the device reports.
    pub fn from_file(context: &Context, file: &Coordinates) -> Result<Self> {
        match &file.values {
            Values::Complex(_) if !T::KIND.is_complex() => {
                Err(Error::argument("T", "the matrix is complex: use a complex type"))
            }
            Values::Complex(values) => {
                Self::from_listed(context, file, values.iter().map(|value| T::from_parts(value.re, value.im)))
            }
            Values::Real(values) => {
                Self::from_listed(context, file, values.iter().map(|value| T::from_parts(*value, 0.0)))
            }
            Values::Pattern => Self::from_listed(context, file, std::iter::repeat(T::ONE)),
        }
    }

    fn from_listed(context: &Context, file: &Coordinates, listed: impl Iterator<Item = T>) -> Result<Self> {
        let values = listed.take(file.listed()).collect();
        let (row_indices, col_indices) = match file.format {
            Format::Coordinate => (indices(&file.row_indices), indices(&file.col_indices)),
            Format::Array => file.entry_positions().map(|(row, column)| (index(row), index(column))).unzip(),
        };
        let mut list = CooArrays { row_indices, col_indices, values };
        if let Some(mirror) = mirror_of(file.symmetry) {
            list = mirrored(&list, mirror);
        }
        CooMatrix::from_arrays(context, file.rows, file.columns, list)?.to_csr()
    }
}

/// Each entry, followed by the one across the diagonal where it is not on it.
fn mirrored<T: Scalar>(list: &CooArrays<T>, mirror: Mirror) -> CooArrays<T> {
    let count = 2 * list.values.len();
    let (rows, columns) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let mut whole = CooArrays { row_indices: rows, col_indices: columns, values: Vec::with_capacity(count) };
    let mut push = |row, column, value| {
        whole.row_indices.push(row);
        whole.col_indices.push(column);
        whole.values.push(value);
    };
    for ((&row, &column), &value) in list.row_indices.iter().zip(&list.col_indices).zip(&list.values) {
        push(row, column, value);
        if row != column {
            push(column, row, mirror.across(value));
        }
    }
    whole
}

fn indices(all: &[usize]) -> Vec<i32> {
    all.iter().map(|&one| index(one)).collect()
}

/// An index as matrices have them; one that is too large becomes none, and is refused as such.
fn index(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(-1)
}

/// How entries across the diagonal follow from those in a file; none where all entries are listed.
const fn mirror_of(symmetry: Symmetry) -> Option<Mirror> {
    match symmetry {
        Symmetry::General => None,
        Symmetry::Symmetric => Some(Mirror::Symmetric),
        Symmetry::SkewSymmetric => Some(Mirror::SkewSymmetric),
        Symmetry::Hermitian => Some(Mirror::Hermitian),
    }
}
