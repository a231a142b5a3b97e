//! Incomplete factors, on the host: as L U or L L^H, but for what falls on places where the matrix has no entry, which is left out.

use affinimath_core::division::quotient;
use affinimath_core::error::{Error, Result};
use affinimath_core::scalar::Scalar;
use affinimath_core::sparse::{CsrArrays, RowPointer};
use affinimath_macros::instances;

/// No entry of the row at hand.
const NONE: usize = usize::MAX;

/// Rows in ascending order of their columns, with one entry in each place, and where their diagonals are.
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
            found.map(|place| begin + place).map_err(|_| {
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

    /// Where a row's entries begin.
    fn begin(&self, row: usize) -> usize {
        self.arrays.row_ptr[row].count()
    }

    fn column(&self, entry: usize) -> usize {
        self.arrays.col_indices[entry] as usize
    }
}

/// Makes the matrix its own incomplete factors: L below the diagonal, whose own one is ones, and U from the diagonal on, with
/// (L U)_ij = a_ij wherever there is an entry (Saad, *Iterative methods for sparse linear systems*, 2003, algorithm 10.4: ILU(0)). The rows must be
/// sorted, with one entry in each place.
///
/// # Errors
/// [`Error::InvalidArgument`] for a row without a diagonal, [`Error::ZeroPivot`]: the matrix is then of no use.
#[instances]
pub fn incomplete_lu<T: Scalar, P: RowPointer>(matrix: &mut CsrArrays<T, P>) -> Result<()> {
    let sorted = Sorted::new(matrix)?;
    let mut places = vec![NONE; sorted.rows()];
    for row in 0..sorted.rows() {
        let own = sorted.begin(row)..sorted.begin(row + 1);
        own.clone().for_each(|entry| places[sorted.column(entry)] = entry);
        for entry in own.start..sorted.diagonals[row] {
            let above = sorted.column(entry);
            let diagonal = sorted.diagonals[above];
            let factor = quotient(sorted.arrays.values[entry], sorted.arrays.values[diagonal]);
            sorted.arrays.values[entry] = factor;
            for other in diagonal + 1..sorted.begin(above + 1) {
                let place = places[sorted.column(other)];
                if place != NONE {
                    let product = factor * sorted.arrays.values[other];
                    sorted.arrays.values[place] -= product;
                }
            }
        }
        if sorted.arrays.values[sorted.diagonals[row]] == T::ZERO {
            return Err(Error::ZeroPivot { index: row + 1 });
        }
        own.for_each(|entry| places[sorted.column(entry)] = NONE);
    }
    Ok(())
}

/// Makes the lower triangle of a Hermitian matrix its incomplete Cholesky factor L, with (L L^H)_ij = a_ij wherever the triangle has an entry
/// off the diagonal, and (1 + shift) a_ii on it (Meijerink and van der Vorst, 1977; the shift is Manteuffel's, 1980). The rows must be sorted, with
/// one entry in each place and none above the diagonal, of which the real parts count.
///
/// # Errors
/// [`Error::InvalidArgument`] for a row without a diagonal, [`Error::IncompletePivot`]: the matrix is then of no use.
#[instances]
pub fn incomplete_cholesky<T: Scalar, P: RowPointer>(matrix: &mut CsrArrays<T, P>, shift: f64) -> Result<()> {
    let sorted = Sorted::new(matrix)?;
    // The row at hand, by columns: its entries of L as far as they are known.
    let mut known = vec![T::ZERO; sorted.rows()];
    for row in 0..sorted.rows() {
        let (begin, diagonal) = (sorted.begin(row), sorted.diagonals[row]);
        let size = sorted.arrays.values[diagonal].re() * (1.0 + shift);
        let mut pivot = size;
        for entry in begin..diagonal {
            let column = sorted.column(entry);
            let above = sorted.begin(column)..sorted.diagonals[column];
            let products = above.map(|other| known[sorted.column(other)] * sorted.arrays.values[other].conjugate());
            let rest = products.fold(sorted.arrays.values[entry], |rest, product| rest - product);
            let value = quotient(rest, sorted.arrays.values[sorted.diagonals[column]]);
            known[column] = value;
            sorted.arrays.values[entry] = value;
            pivot -= (value * value.conjugate()).re();
        }
        // One that rounding has left of a larger number says nothing; NaN is not larger than anything.
        if !(pivot > T::EPSILON * size.abs() && pivot.is_finite()) {
            return Err(Error::IncompletePivot { index: row + 1 });
        }
        sorted.arrays.values[diagonal] = T::from_parts(pivot.sqrt(), 0.0);
        (begin..diagonal).for_each(|entry| known[sorted.column(entry)] = T::ZERO);
    }
    Ok(())
}
