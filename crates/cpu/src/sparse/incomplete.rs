//! Incomplete factorisations on the host: L U or L L^H without fill-in.

use affinimath_core::division::quotient;
use affinimath_core::error::{Error, Result};
use affinimath_core::scalar::Scalar;
use affinimath_core::sparse::{CsrArrays, RowPointer};
use affinimath_macros::instances;

/// No entry of the row at hand.
const NONE: usize = usize::MAX;

/// Sorted rows without duplicates, and the positions of their diagonals.
struct Sorted<'a, T, P> {
    arrays: &'a mut CsrArrays<T, P>,
    diagonals: Vec<usize>,
}

impl<'a, T: Scalar, P: RowPointer> Sorted<'a, T, P> {
    /// Finds the diagonals: the error names the first row that has none.
    fn new(arrays: &'a mut CsrArrays<T, P>) -> Result<Self> {
        let find = |(row, pair): (usize, &[P])| {
            let (begin, end) = (pair[0].count(), pair[1].count());
            let found = arrays.col_indices[begin..end].binary_search(&(row as i32));
            found.map(|position| begin + position).map_err(|_| {
                Error::argument(
                    "matrix",
                    format!("row {row}, counted from 0, has no entry on the diagonal, and needs one"),
                )
            })
        };
        let diagonals = arrays.row_ptr.windows(2).enumerate().map(find).collect::<Result<Vec<_>>>()?;
        Ok(Sorted { arrays, diagonals })
    }

    fn rows(&self) -> usize {
        self.diagonals.len()
    }

    /// First entry of a row.
    fn begin(&self, row: usize) -> usize {
        self.arrays.row_ptr[row].count()
    }

    fn column(&self, entry: usize) -> usize {
        self.arrays.col_indices[entry] as usize
    }
}

/// ILU(0) in place (Saad, *Iterative methods for sparse linear systems*, 2003, algorithm 10.4): unit lower L below the
/// diagonal, U from the diagonal on, and (L U)_ij = a_ij for every stored entry. Rows must be sorted without
/// duplicates.
///
/// # Errors
/// [`Error::InvalidArgument`] for a row without a diagonal, [`Error::ZeroPivot`]: the matrix is then undefined.
#[instances]
pub fn incomplete_lu<T: Scalar, P: RowPointer>(matrix: &mut CsrArrays<T, P>) -> Result<()> {
    let sorted = Sorted::new(matrix)?;
    let mut positions = vec![NONE; sorted.rows()];
    for row in 0..sorted.rows() {
        let own = sorted.begin(row)..sorted.begin(row + 1);
        own.clone().for_each(|entry| positions[sorted.column(entry)] = entry);
        for entry in own.start..sorted.diagonals[row] {
            let above = sorted.column(entry);
            let diagonal = sorted.diagonals[above];
            let factor = quotient(sorted.arrays.values[entry], sorted.arrays.values[diagonal]);
            sorted.arrays.values[entry] = factor;
            for other in diagonal + 1..sorted.begin(above + 1) {
                let position = positions[sorted.column(other)];
                if position != NONE {
                    let product = factor * sorted.arrays.values[other];
                    sorted.arrays.values[position] -= product;
                }
            }
        }
        if sorted.arrays.values[sorted.diagonals[row]] == T::ZERO {
            return Err(Error::ZeroPivot { index: row + 1 });
        }
        own.for_each(|entry| positions[sorted.column(entry)] = NONE);
    }
    Ok(())
}

/// IC(0) in place of the lower triangle of a Hermitian matrix (Meijerink and van der Vorst 1977): (L L^H)_ij = a_ij for
/// every stored entry off the diagonal, and (1 + shift) a_ii on it (Manteuffel 1980). Rows must be sorted without
/// duplicates and have no entry above the diagonal, whose real parts are used.
///
/// # Errors
/// [`Error::InvalidArgument`] for a row without a diagonal, [`Error::IncompletePivot`]: the matrix is then undefined.
#[instances]
pub fn incomplete_cholesky<T: Scalar, P: RowPointer>(matrix: &mut CsrArrays<T, P>, shift: f64) -> Result<()> {
    let sorted = Sorted::new(matrix)?;
    // The current row of L, indexed by column, as far as it is computed.
    let mut row_values = vec![T::ZERO; sorted.rows()];
    for row in 0..sorted.rows() {
        let (begin, diagonal) = (sorted.begin(row), sorted.diagonals[row]);
        let size = sorted.arrays.values[diagonal].re() * (1.0 + shift);
        let mut pivot = size;
        for entry in begin..diagonal {
            let column = sorted.column(entry);
            let above = sorted.begin(column)..sorted.diagonals[column];
            let products =
                above.map(|other| row_values[sorted.column(other)] * sorted.arrays.values[other].conjugate());
            let rest = products.fold(sorted.arrays.values[entry], |rest, product| rest - product);
            let value = quotient(rest, sorted.arrays.values[sorted.diagonals[column]]);
            row_values[column] = value;
            sorted.arrays.values[entry] = value;
            pivot -= (value * value.conjugate()).re();
        }
        // A pivot that is only rounding error of a larger value is rejected; the comparison is false for NaN.
        if !(pivot > T::EPSILON * size.abs() && pivot.is_finite()) {
            return Err(Error::IncompletePivot { index: row + 1 });
        }
        sorted.arrays.values[diagonal] = T::from_parts(pivot.sqrt(), 0.0);
        (begin..diagonal).for_each(|entry| row_values[sorted.column(entry)] = T::ZERO);
    }
    Ok(())
}
