//! Equilibration by powers of two, exact except for overflow and underflow.

use faer::sparse::{SparseColMat, SparseColMatRef};
use faer::{Mat, MatMut, MatRef};

use affinimath_core::scalar::Scalar;

/// Sweeps that bring rows and columns to like size (Ruiz 2001); powers of two need no more.
const SWEEPS: usize = 3;

/// `2^r A 2^c` with the exponents r of rows and c of columns.
pub(super) struct Equilibrated<T: Scalar> {
    scaled: SparseColMat<usize, T>,
    rows: Vec<i32>,
    columns: Vec<i32>,
    /// A's largest exponent: norms of A and of its inverse are relative to it.
    exponent: i32,
    original_one_norm: f64,
    one_norm: f64,
    infinity_norm: f64,
}

impl<T: Scalar> Equilibrated<T> {
    /// The same exponents for rows and columns.
    pub(super) fn hermitian(a: SparseColMatRef<'_, usize, T>) -> Self {
        let mut shared = vec![0; a.nrows()];
        for _ in 0..SWEEPS {
            let (rows, _) = largest(a, &shared, &shared);
            shared.iter_mut().zip(rows).for_each(|(shared, row)| *shared -= half(row.unwrap_or(0)));
        }
        Self::new(a, shared.clone(), shared)
    }

    /// With exponents of rows, then of columns.
    pub(super) fn general(a: SparseColMatRef<'_, usize, T>) -> Self {
        let (mut rows, mut columns) = (vec![0; a.nrows()], vec![0; a.ncols()]);
        for _ in 0..SWEEPS {
            let (row_sizes, column_sizes) = largest(a, &rows, &columns);
            rows.iter_mut().zip(row_sizes).for_each(|(row, size)| *row -= half(size.unwrap_or(0)));
            columns.iter_mut().zip(column_sizes).for_each(|(column, size)| *column -= half(size.unwrap_or(0)));
        }
        Self::new(a, rows, columns)
    }

    /// Exponents of columns alone, for least squares.
    pub(super) fn columns(a: SparseColMatRef<'_, usize, T>) -> Self {
        let rows = vec![0; a.nrows()];
        let (_, sizes) = largest(a, &rows, &vec![0; a.ncols()]);
        Self::new(a, rows, sizes.into_iter().map(|size| -size.unwrap_or(0)).collect())
    }

    fn new(a: SparseColMatRef<'_, usize, T>, rows: Vec<i32>, columns: Vec<i32>) -> Self {
        let exponent = a.val().iter().filter_map(exponent).max().unwrap_or(0);
        let sum = |j: usize| a.val_of_col(j).iter().map(|value| power(*value, -exponent).modulus()).sum::<f64>();
        let original_one_norm = (0..a.ncols()).map(sum).fold(0.0, f64::max);
        let mut values = Vec::with_capacity(a.val().len());
        for (j, column) in columns.iter().enumerate() {
            values.extend(a.row_idx_of_col(j).zip(a.val_of_col(j)).map(|(i, value)| power(*value, rows[i] + column)));
        }
        let symbolic = a.symbolic().to_owned().expect("a copy of the pattern fits in memory");
        let scaled = SparseColMat::new(symbolic, values);
        let (one_norm, infinity_norm) = norms(scaled.as_ref());
        Equilibrated { scaled, rows, columns, exponent, original_one_norm, one_norm, infinity_norm }
    }

    pub(super) fn matrix(&self) -> SparseColMatRef<'_, usize, T> {
        self.scaled.as_ref()
    }

    /// The 1-norm of A, divided by the power of two that [`Self::scale_rows`] multiplies with.
    pub(super) fn original_one_norm(&self) -> f64 {
        self.original_one_norm
    }

    /// Exponents of rows and columns of A, or of Aᴴ.
    fn exponents(&self, adjoint: bool) -> (&[i32], &[i32]) {
        if adjoint { (&self.columns, &self.rows) } else { (&self.rows, &self.columns) }
    }

    /// Right-hand sides of A, or of Aᴴ, scaled as its rows, and the exponent taken out of each column.
    pub(super) fn scale_right_sides(&self, adjoint: bool, b: MatRef<'_, T>) -> (Mat<T>, Vec<i32>) {
        let (rows, _) = self.exponents(adjoint);
        let of_column = |j: usize| {
            let exponents = (0..b.nrows()).filter_map(|i| exponent(&b[(i, j)]).map(|e| e + rows[i]));
            exponents.max().unwrap_or(0)
        };
        let exponents: Vec<i32> = (0..b.ncols()).map(of_column).collect();
        (Mat::from_fn(b.nrows(), b.ncols(), |i, j| power(b[(i, j)], rows[i] - exponents[j])), exponents)
    }

    pub(super) fn unscale_solution(&self, adjoint: bool, y: &Mat<T>, exponents: &[i32]) -> Mat<T> {
        let (_, columns) = self.exponents(adjoint);
        Mat::from_fn(y.nrows(), y.ncols(), |i, j| power(y[(i, j)], columns[i] + exponents[j]))
    }

    pub(super) fn scale_rows(&self, mut x: MatMut<'_, T>) {
        (0..x.nrows()).for_each(|i| x[(i, 0)] = power(x[(i, 0)], self.rows[i] + self.exponent));
    }

    pub(super) fn scale_columns(&self, mut x: MatMut<'_, T>) {
        (0..x.nrows()).for_each(|i| x[(i, 0)] = power(x[(i, 0)], self.columns[i]));
    }

    /// `B - A Y` of the scaled matrix, or `B - Aᴴ Y`.
    pub(super) fn residual(&self, adjoint: bool, b: &Mat<T>, y: &Mat<T>) -> Mat<T> {
        let mut r = b.clone();
        let a = self.matrix();
        if adjoint {
            let product = self.adjoint_product(y);
            return Mat::from_fn(b.nrows(), b.ncols(), |i, j| b[(i, j)] - product[(i, j)]);
        }
        for k in 0..b.ncols() {
            for j in 0..a.ncols() {
                let factor = y[(j, k)];
                for (i, value) in a.row_idx_of_col(j).zip(a.val_of_col(j)) {
                    r[(i, k)] -= *value * factor;
                }
            }
        }
        r
    }

    /// `Aᴴ R` of the scaled matrix.
    pub(super) fn adjoint_product(&self, r: &Mat<T>) -> Mat<T> {
        let a = self.matrix();
        Mat::from_fn(a.ncols(), r.ncols(), |j, k| {
            let products = a.row_idx_of_col(j).zip(a.val_of_col(j)).map(|(i, value)| value.conjugate() * r[(i, k)]);
            products.fold(T::ZERO, |sum, product| sum + product)
        })
    }

    pub(super) fn one_norm(&self) -> f64 {
        self.one_norm
    }

    pub(super) fn infinity_norm(&self) -> f64 {
        self.infinity_norm
    }
}

/// The 1-norm and the infinity norm.
fn norms<T: Scalar>(a: SparseColMatRef<'_, usize, T>) -> (f64, f64) {
    let (mut sums, mut one_norm) = (vec![0.0; a.nrows()], 0.0f64);
    for j in 0..a.ncols() {
        let mut column = 0.0;
        for (i, value) in a.row_idx_of_col(j).zip(a.val_of_col(j)) {
            let modulus = value.modulus();
            column += modulus;
            sums[i] += modulus;
        }
        one_norm = one_norm.max(column);
    }
    (one_norm, sums.into_iter().fold(0.0, f64::max))
}

/// Largest exponents of rows and columns after the scaling so far; `None` for zero ones.
fn largest<T: Scalar>(
    a: SparseColMatRef<'_, usize, T>,
    rows: &[i32],
    columns: &[i32],
) -> (Vec<Option<i32>>, Vec<Option<i32>>) {
    let (mut of_rows, mut of_columns) = (vec![None; a.nrows()], vec![None; a.ncols()]);
    for j in 0..a.ncols() {
        for (i, value) in a.row_idx_of_col(j).zip(a.val_of_col(j)) {
            let size = exponent(value).map(|e| e + rows[i] + columns[j]);
            // None is below every exponent.
            of_rows[i] = of_rows[i].max(size);
            of_columns[j] = of_columns[j].max(size);
        }
    }
    (of_rows, of_columns)
}

/// Half of an exponent, away from zero, so that sweeps end.
fn half(exponent: i32) -> i32 {
    (exponent + exponent.signum()) / 2
}

/// The exponent e of a value of size about `2^e`.
fn exponent<T: Scalar>(value: &T) -> Option<i32> {
    let largest = value.re().abs().max(value.im().abs());
    (largest > 0.0).then(|| largest.log2().round() as i32)
}

/// `x 2^e`, by two factors that do not overflow unless the product does.
fn power<T: Scalar>(x: T, e: i32) -> T {
    if e == 0 {
        return x;
    }
    // Values are converted part by part, so that factors have the range of doubles.
    let (first, second) = (2f64.powi(e / 2), 2f64.powi(e - e / 2));
    T::from_parts(x.re() * first * second, x.im() * first * second)
}
