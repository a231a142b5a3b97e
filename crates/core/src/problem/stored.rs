//! Level 2's matrices in one form: full, band or packed, whole or a triangle, they are all columns of adjacent
//! elements.

use crate::options::{Layout, Triangle};
use crate::view::{BandShape, MatrixShape, PackedShape};

/// A matrix stored by columns, each of which has its stored elements next to each other.
///
/// Element (i, j) is element `offset + column_start(j) + i` of the memory, and is stored when it is in the band:
/// `j - above <= i <= j + below`. A triangle is a band too. What a caller stores by rows is here the transpose, stored
/// by columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Rows of the matrix that is stored by columns.
    pub rows: usize,
    /// Its columns.
    pub columns: usize,
    /// The first element of its memory.
    pub offset: usize,
    /// How column starts grow with the column.
    pub starts: ColumnStarts,
    /// Diagonals above the main one that are stored.
    pub above: usize,
    /// Diagonals below the main one that are stored.
    pub below: usize,
}

/// Starts of columns: row 0 of column j, stored or not, is at `shift + j (linear + quadratic j) / 2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnStarts {
    /// Offset of row 0 of column 0, stored or not.
    pub shift: usize,
    /// Twice the distance between the starts of columns, but for what the quadratic term adds.
    pub linear: usize,
    /// 1 for a packed upper triangle, -1 for a lower one, whose columns grow or shrink; else 0.
    pub quadratic: isize,
}

impl Stored {
    /// A whole matrix. The flag tells whether it is stored by rows, so that this is its transpose.
    #[inline]
    pub const fn full(shape: &MatrixShape) -> (Self, bool) {
        let by_rows = matches!(shape.layout(), Layout::RowMajor);
        let (rows, columns) = if by_rows { (shape.columns(), shape.rows()) } else { (shape.rows(), shape.columns()) };
        let starts = ColumnStarts { shift: 0, linear: 2 * shape.leading_dimension(), quadratic: 0 };
        (Stored { rows, columns, offset: shape.offset(), starts, above: columns, below: rows }, by_rows)
    }

    /// One triangle of a square matrix, named as the caller names it.
    #[inline]
    pub const fn triangle(shape: &MatrixShape, triangle: Triangle) -> (Self, bool) {
        let (stored, by_rows) = Self::full(shape);
        (stored.only(triangle, by_rows), by_rows)
    }

    /// A band.
    #[inline]
    pub const fn band(shape: &BandShape) -> (Self, bool) {
        let by_rows = matches!(shape.layout(), Layout::RowMajor);
        let (rows, columns, above, below) = if by_rows {
            (shape.columns(), shape.rows(), shape.lower(), shape.upper())
        } else {
            (shape.rows(), shape.columns(), shape.upper(), shape.lower())
        };
        let memory = shape.memory();
        let starts = ColumnStarts { shift: above, linear: 2 * (memory.leading_dimension() - 1), quadratic: 0 };
        (Stored { rows, columns, offset: memory.offset(), starts, above, below }, by_rows)
    }

    /// One triangle of a square band, named as the caller names it.
    #[inline]
    pub const fn band_triangle(shape: &BandShape, triangle: Triangle) -> (Self, bool) {
        let (stored, by_rows) = Self::band(shape);
        (stored.only(triangle, by_rows), by_rows)
    }

    /// A packed triangle.
    #[inline]
    pub const fn packed(shape: &PackedShape) -> (Self, bool) {
        let by_rows = matches!(shape.layout(), Layout::RowMajor);
        let order = shape.order();
        let upper = matches!(shape.triangle(), Triangle::Upper) != by_rows;
        let starts = if upper {
            ColumnStarts { shift: 0, linear: 1, quadratic: 1 }
        } else {
            ColumnStarts { shift: 0, linear: (2 * order).saturating_sub(1), quadratic: -1 }
        };
        let whole = Stored { rows: order, columns: order, offset: shape.offset(), starts, above: order, below: order };
        (whole.only(shape.triangle(), by_rows), by_rows)
    }

    /// The part on one side of the diagonal, and the diagonal.
    #[inline]
    pub const fn only(self, triangle: Triangle, by_rows: bool) -> Self {
        let upper = matches!(triangle, Triangle::Upper) != by_rows;
        if upper { Stored { below: 0, ..self } } else { Stored { above: 0, ..self } }
    }

    /// Start of column `j`, relative to the offset: row i lies i elements further. It is negative for some columns
    /// without row 0.
    #[inline]
    pub const fn column_start(&self, j: usize) -> isize {
        let ColumnStarts { shift, linear, quadratic } = self.starts;
        let j = j as isize;
        shift as isize + j * (linear as isize + quadratic * j) / 2
    }

    /// The element of the memory that holds the stored element (i, j).
    #[inline]
    pub const fn offset_of(&self, i: usize, j: usize) -> usize {
        (self.offset as isize + self.column_start(j) + i as isize) as usize
    }

    /// The stored rows of column `j`.
    #[inline]
    pub fn rows_of(&self, j: usize) -> std::ops::Range<usize> {
        let end = self.rows.min(j.saturating_add(self.below).saturating_add(1));
        j.saturating_sub(self.above).min(end)..end
    }

    /// The columns in which row `i` is stored.
    #[inline]
    pub fn columns_of(&self, i: usize) -> std::ops::Range<usize> {
        let end = self.columns.min(i.saturating_add(self.above).saturating_add(1));
        i.saturating_sub(self.below).min(end)..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];

    /// The stored elements of the caller's matrix and their places, in the order of the memory.
    fn elements((stored, by_rows): (Stored, bool)) -> Vec<(usize, (usize, usize))> {
        let mut elements = Vec::new();
        for j in 0..stored.columns {
            for i in stored.rows_of(j) {
                assert!(stored.columns_of(i).contains(&j));
                elements.push((stored.offset_of(i, j), if by_rows { (j, i) } else { (i, j) }));
            }
        }
        elements
    }

    #[test]
    fn a_full_matrix_lies_as_its_strides_say() {
        for layout in LAYOUTS {
            let shape = MatrixShape::new(layout, 3, 4, 5, 6).unwrap();
            let (row_stride, column_stride) = shape.strides();
            let elements = elements(Stored::full(&shape));
            assert_eq!(elements.len(), 12);
            assert!(elements.iter().all(|(offset, (i, j))| *offset == 5 + i * row_stride + j * column_stride));
        }
    }

    #[test]
    fn a_band_lies_as_gbmv_has_it() {
        for (rows, columns) in [(5, 4), (4, 7)] {
            let of = |layout| elements(Stored::band(&BandShape::new(layout, rows, columns, 2, 1, 3, 6).unwrap()));
            for (offset, (i, j)) in of(Layout::ColumnMajor) {
                assert_eq!(offset, 3 + 1 + i - j + j * 6);
            }
            for (offset, (i, j)) in of(Layout::RowMajor) {
                assert_eq!(offset, 3 + 2 + j - i + i * 6);
            }
            let in_band = |i: usize, j: usize| i <= j + 2 && j <= i + 1;
            let expected = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))).filter(|&(i, j)| in_band(i, j));
            assert_eq!(of(Layout::ColumnMajor).len(), expected.clone().count());
            assert_eq!(of(Layout::RowMajor).len(), expected.count());
        }
    }

    #[test]
    fn a_packed_triangle_fills_its_memory() {
        for layout in LAYOUTS {
            for triangle in Triangle::ALL {
                for order in [0, 1, 2, 5] {
                    let shape = PackedShape::new(layout, *triangle, order, 7).unwrap();
                    let elements = elements(Stored::packed(&shape));
                    assert!(
                        elements.iter().map(|(offset, _)| *offset).eq(7..7 + shape.length()),
                        "{layout:?} {triangle:?}"
                    );
                    let in_triangle = |i, j| if *triangle == Triangle::Upper { i <= j } else { i >= j };
                    assert!(elements.iter().all(|(_, (i, j))| in_triangle(*i, *j)));
                }
            }
        }
    }

    #[test]
    fn a_triangle_of_a_full_matrix_leaves_the_other_one_out() {
        for layout in LAYOUTS {
            let shape = MatrixShape::new(layout, 4, 4, 0, 5).unwrap();
            let upper = elements(Stored::triangle(&shape, Triangle::Upper));
            assert!(upper.len() == 10 && upper.iter().all(|(_, (i, j))| i <= j));
        }
    }
}
