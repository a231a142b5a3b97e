//! Sparse systems by direct factors, and how well a solution fits a sparse system.

use affinimath::sparse::CsrMatrix;
use affinimath::sparse::matrix_market::Coordinates;
use affinimath::{Context, Error, Result, Scalar};
use affinimath_bench::memory;
use affinimath_cpu::solve::{
    MatrixProperties, SparseAnalysis, SparseFactors, SparseMethod, SparseSolution, solve_sparse,
};
use faer::sparse::{SparseColMat, SparseColMatRef};
use faer::{Mat, MatRef};

use super::residual::{Quality, ratio};

/// The bytes that factors made for a condition estimate alone may take.
const ESTIMATE_BYTES: u64 = 256 << 20;

/// Work of factors ([`SparseAnalysis::work`]) that takes a few seconds: iterations may be faster beyond.
const MAX_WORK: f64 = 1e10;

/// A sparse matrix by columns, with duplicates summed, and its properties.
pub struct Columns<T: Scalar> {
    pub matrix: SparseColMat<usize, T>,
    pub properties: MatrixProperties,
}

impl<T: Scalar> Columns<T> {
    pub fn from_file(file: &Coordinates) -> Result<Self> {
        let matrix = CsrMatrix::<T>::from_file(&Context::host(), file)?.to_faer()?;
        let properties = properties(matrix.as_ref());
        Ok(Columns { matrix, properties })
    }

    /// A times a vector of ones.
    pub fn sums(&self) -> Mat<T> {
        let a = self.matrix.as_ref();
        let mut b = Mat::zeros(a.nrows(), 1);
        for j in 0..a.ncols() {
            a.row_idx_of_col(j).zip(a.val_of_col(j)).for_each(|(i, value)| b[(i, 0)] += *value);
        }
        b
    }

    /// True if factors take a few seconds, and half of the memory that is available.
    pub fn has_small_factors(&self) -> bool {
        let a = self.matrix.as_ref();
        let method = SparseMethod::candidates(a)[0];
        let memory = memory::available().map_or(f64::INFINITY, |bytes| bytes as f64 / 2.0);
        let bytes = |analysis: &SparseAnalysis| analysis.nnz() as f64 * (size_of::<T>() + size_of::<usize>()) as f64;
        SparseAnalysis::of(method, a.symbolic())
            .is_ok_and(|analysis| analysis.work() <= MAX_WORK && bytes(&analysis) <= memory)
    }

    /// Solves by sparse factors within the memory that is available.
    pub fn solve(&self, b: MatRef<'_, T>) -> Result<SparseSolution<T>> {
        solve_sparse(self.matrix.as_ref(), b, memory::available())
    }

    /// A condition estimate for a solution by iterations, or why there is none.
    pub fn condition(&self) -> std::result::Result<f64, String> {
        let properties = &self.properties;
        let methods = match properties {
            _ if properties.rows < properties.columns => {
                return Err("a matrix with more columns than rows has none".into());
            }
            _ if properties.rows > properties.columns => &[SparseMethod::Qr][..],
            _ if properties.hermitian && properties.positive_diagonal => &[SparseMethod::Cholesky, SparseMethod::Lu],
            _ => &[SparseMethod::Lu],
        };
        let bytes = memory::available().map_or(ESTIMATE_BYTES, |available| available.min(ESTIMATE_BYTES));
        let mut reason = String::new();
        for method in methods {
            let estimate = SparseFactors::factor(*method, self.matrix.as_ref(), Some(bytes));
            match estimate.and_then(|factors| factors.condition()) {
                Ok(condition) => return Ok(condition),
                Err(Error::ZeroPivot { .. } | Error::Singular | Error::RankDeficient { .. }) => {
                    return Ok(f64::INFINITY);
                }
                Err(error) => reason = error.to_string(),
            }
        }
        Err(reason)
    }

    /// Judges a solution, as [`super::residual::residual`] does.
    pub fn quality(&self, x: MatRef<'_, T>, b: MatRef<'_, T>) -> Quality {
        let a = self.matrix.as_ref();
        let mut quality = Quality { residual: 0.0, optimality: 0.0, backend: "host".into() };
        let largest = |values: &mut dyn Iterator<Item = T>| values.map(T::modulus).fold(0.0, f64::max);
        for k in 0..b.ncols() {
            let mut r: Vec<T> = (0..b.nrows()).map(|i| b[(i, k)]).collect();
            for j in 0..a.ncols() {
                a.row_idx_of_col(j).zip(a.val_of_col(j)).for_each(|(i, value)| r[i] -= *value * x[(j, k)]);
            }
            let normal = (0..a.ncols()).map(|j| {
                let products = a.row_idx_of_col(j).zip(a.val_of_col(j)).map(|(i, value)| value.conjugate() * r[i]);
                products.fold(T::ZERO, |sum, product| sum + product)
            });
            let normal = largest(&mut { normal });
            let (x_size, b_size) = (largest(&mut x.col(k).iter().copied()), largest(&mut b.col(k).iter().copied()));
            let scale = self.properties.infinity_norm * x_size + b_size;
            quality.residual = quality.residual.max(ratio(largest(&mut r.iter().copied()), scale));
            quality.optimality = quality.optimality.max(ratio(normal, self.properties.one_norm * scale));
        }
        quality
    }
}

/// Properties of a sparse matrix.
fn properties<T: Scalar>(a: SparseColMatRef<'_, usize, T>) -> MatrixProperties {
    let square = a.nrows() == a.ncols();
    let (mut row_sums, mut one_norm) = (vec![0.0; a.nrows()], 0.0f64);
    let mut diagonal = vec![T::ZERO; a.nrows().min(a.ncols())];
    // Row i in the order of columns is column i of the transpose in the order of rows.
    let mut next: Vec<usize> = (0..a.ncols()).map(|j| a.col_range(j).start).collect();
    let (mut symmetric, mut skew_symmetric, mut hermitian) = (square, square, square);
    for j in 0..a.ncols() {
        let mut sum = 0.0;
        for (i, value) in a.row_idx_of_col(j).zip(a.val_of_col(j)) {
            sum += value.modulus();
            row_sums[i] += value.modulus();
            if i == j {
                diagonal[i] = *value;
            }
            if symmetric || skew_symmetric || hermitian {
                let entry = next[i];
                let mirrored = entry < a.col_range(i).end && a.row_idx()[entry] == j;
                let image = if mirrored { a.val()[entry] } else { T::ZERO };
                symmetric &= mirrored && image == *value;
                skew_symmetric &= mirrored && image == -*value;
                hermitian &= mirrored && image == value.conjugate();
                next[i] += 1;
            }
        }
        one_norm = one_norm.max(sum);
    }
    MatrixProperties {
        rows: a.nrows(),
        columns: a.ncols(),
        nonzeros: a.val().len(),
        complex: a.val().iter().any(|value| value.im() != 0.0),
        symmetric,
        skew_symmetric,
        hermitian,
        positive_diagonal: diagonal.iter().all(|value| value.re() > 0.0 && value.im() == 0.0),
        one_norm,
        infinity_norm: row_sums.into_iter().fold(0.0, f64::max),
    }
}
