//! Norms of general, symmetric, Hermitian and triangular matrices (LAPACK: xLANGE, xLANSY, xLANHE, xLANTR).
//!
//! Sums are accumulated in doubles. Columns, contiguous here, are divided into the same portions in every run and
//! reduced in order: results do not depend on the number of threads.

use affinimath_macros::instances;
use std::ops::{Add, Range};

use crate::level1::reals;
use crate::level1::squares::{self, Squares};
use crate::threads;
use affinimath_core::options::Norm;
use affinimath_core::pattern::{Corner, Pattern};
use affinimath_core::scalar::Scalar;
use faer::MatRef;

/// Elements of a portion, at least.
const PORTION: usize = 1 << 17;

/// Maximum portions of a matrix, each of which has its own row sums.
const PORTIONS: usize = 64;

/// A norm of a matrix; 0 if it is empty, NaN if an element that is read is NaN.
#[instances]
pub fn norm<T: Scalar>(norm: Norm, pattern: Pattern, a: MatRef<'_, T>) -> f64 {
    if a.nrows() == 0 || a.ncols() == 0 {
        return 0.0;
    }
    if a.row_stride() != 1 {
        if a.col_stride() == 1 {
            return self::norm(norm.transposed(), pattern.transposed(), a.transpose());
        }
        // A single row or column may have any strides.
        return self::norm(norm, pattern, a.to_owned().as_ref());
    }
    let columns = Columns { pattern, a };
    match norm {
        Norm::Max => columns.portions(|range| columns.max(range)).into_iter().fold(0.0, larger),
        Norm::Frobenius => columns
            .portions(|range| columns.squares(range))
            .into_iter()
            .fold(Squares::default(), Add::add)
            .square_root(),
        Norm::One if !pattern.is_mirrored() => {
            columns.portions(|range| columns.largest_sum(range)).into_iter().fold(0.0, larger)
        }
        Norm::One | Norm::Infinity => {
            let sums = columns.portions(|range| columns.row_sums(range)).into_iter().reduce(|mut sums, others| {
                sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
                sums
            });
            sums.into_iter().flatten().fold(0.0, larger)
        }
    }
}

/// A matrix with contiguous columns.
#[derive(Clone, Copy)]
struct Columns<'a, T> {
    pattern: Pattern,
    a: MatRef<'a, T>,
}

impl<'a, T: Scalar> Columns<'a, T> {
    /// Results of all portions of the columns, in order.
    fn portions<R: Send>(self, result: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
        let (rows, columns) = (self.a.nrows(), self.a.ncols());
        let width = PORTION.div_ceil(rows).max(columns.div_ceil(PORTIONS)).max(1);
        let portion = |k: usize| result(k * width..columns.min((k + 1) * width));
        let count = columns.div_ceil(width);
        if count > 1 && threads::available() > 1 {
            threads::map(count, portion)
        } else {
            (0..count).map(portion).collect()
        }
    }

    /// First row of column j's stored elements off the diagonal, and these elements.
    fn column(&self, j: usize) -> (usize, &'a [T]) {
        let rows = self.pattern.rows_of_column(self.a.nrows(), j);
        let column = self.a.col(j).try_as_col_major().map_or(&[][..], |column| column.as_slice());
        (rows.start, &column[rows])
    }

    /// Modulus of column j's diagonal element, if it is treated apart from the others.
    fn diagonal_modulus(&self, j: usize) -> Option<f64> {
        let corner = self.pattern.corner();
        if corner == Corner::Any || j >= self.a.nrows() {
            return None;
        }
        Some(match corner {
            Corner::Ones => 1.0,
            Corner::Real => self.a[(j, j)].re().abs(),
            Corner::Stored | Corner::Any => modulus(self.a[(j, j)]),
        })
    }

    fn max(&self, range: Range<usize>) -> f64 {
        range.fold(0.0, |largest, j| {
            let off_diagonal = self.column(j).1.iter().map(|element| modulus(*element)).fold(largest, larger);
            self.diagonal_modulus(j).map_or(off_diagonal, |diagonal_modulus| larger(off_diagonal, diagonal_modulus))
        })
    }

    fn squares(&self, range: Range<usize>) -> Squares {
        range.fold(Squares::default(), |sum, j| {
            let off_diagonal = squares::of_run(reals(self.column(j).1));
            let off_diagonal = if self.pattern.is_mirrored() { off_diagonal + off_diagonal } else { off_diagonal };
            let diagonal_modulus =
                self.diagonal_modulus(j).map(|diagonal_modulus| squares::of_run(&[diagonal_modulus]));
            sum + off_diagonal + diagonal_modulus.unwrap_or_default()
        })
    }

    fn largest_sum(&self, range: Range<usize>) -> f64 {
        range.map(|j| sum_of_moduli(self.column(j).1) + self.diagonal_modulus(j).unwrap_or(0.0)).fold(0.0, larger)
    }

    /// Contribution of some columns to the row sums; for a mirrored triangle also that of the rows they represent.
    fn row_sums(&self, range: Range<usize>) -> Vec<f64> {
        let mut sums = vec![0.0; self.a.nrows()];
        for j in range {
            let (first, column) = self.column(j);
            for (sum, element) in sums[first..].iter_mut().zip(column) {
                *sum += modulus(*element);
            }
            if self.pattern.is_mirrored() {
                sums[j] += sum_of_moduli(column);
            }
            if let Some(diagonal_modulus) = self.diagonal_modulus(j) {
                sums[j] += diagonal_modulus;
            }
        }
        sums
    }
}

/// Independent accumulators.
const LANES: usize = 16;

fn sum_of_moduli<T: Scalar>(elements: &[T]) -> f64 {
    let mut sums = [0.0; LANES];
    let (chunks, rest) = elements.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            sums[lane] += modulus(chunk[lane]);
        }
    }
    for (sum, element) in sums.iter_mut().zip(rest) {
        *sum += modulus(*element);
    }
    sums.iter().sum()
}

/// Modulus; NaN if a part is, which `hypot` hides if the other is infinite.
#[inline]
fn modulus<T: Scalar>(element: T) -> f64 {
    /// Sums of squares in this range have lost nothing significant to underflow, and have not overflowed.
    const PLAIN: Range<f64> = 1e-280..1e300;
    if !T::KIND.is_complex() {
        return element.re().abs();
    }
    let (re, im) = (element.re(), element.im());
    let square = re * re + im * im;
    // The squares of floats are ordinary doubles.
    if !T::KIND.is_double() || PLAIN.contains(&square) || square.is_nan() { square.sqrt() } else { re.hypot(im) }
}

/// Maximum of two; NaN if one is.
fn larger(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}
