//! Solutions by their residuals, which refinement makes rounding errors: |op(A) x - b| <= 8 n eps (|A| |x| + |b|), in
//! the infinity norm.

use super::*;
use crate::options::Layout;
use crate::scalar::Complex64;
use crate::sparse::testing::{Random, Sample, rounded};
use crate::testing::contexts;
use crate::view::MatrixShape;

/// The 5-point Laplacian of a square, with a diagonal of its own, `wind` that makes it unsymmetric, and an imaginary
/// part that keeps it Hermitian. Some entries are two.
fn laplacian(edge: usize, diagonal: f64, wind: f64) -> Sample {
    let row = |here: usize| {
        let (i, j) = (here / edge, here % edge);
        let mut row = vec![(here, Complex64::new(diagonal - 1.0, 0.0))];
        let mut neighbour = |there: usize, re: f64, im: f64| row.push((there, Complex64::new(re, im)));
        if j + 1 < edge {
            neighbour(here + 1, -1.0 - wind, 0.25);
        }
        if j > 0 {
            neighbour(here - 1, -1.0 + wind, -0.25);
        }
        if i + 1 < edge {
            neighbour(here + edge, -1.0, 0.0);
        }
        if i > 0 {
            neighbour(here - edge, -1.0, 0.0);
        }
        row.push((here, Complex64::new(1.0, 0.0)));
        row
    };
    Sample { rows: edge * edge, columns: edge * edge, entries: (0..edge * edge).map(row).collect() }
}

/// The largest |op(A) x - b| over the largest |A| |x| + |b|.
fn backward_error<T: Scalar>(sample: &Sample, op: Op, x: &[T], b: &[T]) -> f64 {
    let complex = |value: &T| Complex64::new(value.re(), value.im());
    let mut residual: Vec<Complex64> = b.iter().map(|b| -complex(b)).collect();
    let mut sizes = vec![0.0; b.len()];
    for (i, row) in sample.entries.iter().enumerate() {
        for &(j, value) in row {
            let value = rounded::<T>(value);
            let value = if op.conjugates() { value.conj() } else { value };
            let (to, from) = if op.transposes() { (j, i) } else { (i, j) };
            residual[to] += value * complex(&x[from]);
            sizes[to] += value.norm();
        }
    }
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let norm = |values: &[T]| largest(&mut values.iter().map(|value| complex(value).norm()));
    let scale = largest(&mut sizes.iter().copied()) * norm(x) + norm(b);
    let error = largest(&mut residual.iter().map(|r| r.norm()));
    if error == 0.0 { 0.0 } else { error / scale }
}

fn random<T: Scalar>(n: usize, seed: u64) -> Vec<T> {
    let mut random = Random(seed);
    (0..n).map(|_| random.complex()).map(|z| T::from_parts(z.re, z.im)).collect()
}

/// Solves with factors for two right-hand sides by rows, with padding.
fn check<T: Scalar>(context: &Context, sample: &Sample, factors: &SparseFactors<T>, op: Op) {
    let (rows, columns) = if op.transposes() { (sample.columns, sample.rows) } else { (sample.rows, sample.columns) };
    let b = [random::<T>(rows, 3), random::<T>(rows, 4)];
    let (of_b, of_x) = (
        MatrixShape::new(Layout::RowMajor, rows, 2, 1, 3).unwrap(),
        MatrixShape::new(Layout::RowMajor, columns, 2, 2, 5).unwrap(),
    );
    let mut memory = vec![T::ZERO; of_b.end().max(1) + 1];
    for (k, b) in b.iter().enumerate() {
        b.iter().enumerate().for_each(|(i, value)| memory[1 + 3 * i + k] = *value);
    }
    let canary = T::from_parts(f64::NAN, f64::NAN);
    let given = context.upload(&memory).unwrap();
    let mut found = context.upload(&vec![canary; of_x.end().max(2) + 1]).unwrap();
    factors.solve(op, given.view(of_b).unwrap(), found.view_mut(of_x).unwrap()).unwrap();
    let mut found = found.download().unwrap();
    for (k, b) in b.iter().enumerate() {
        let x: Vec<T> = (0..columns).map(|i| std::mem::replace(&mut found[2 + 5 * i + k], canary)).collect();
        let error = backward_error(sample, op, &x, b);
        assert!(error <= 8.0 * rows as f64 * T::EPSILON, "{:?} {op:?} {factors:?}: {error:e}", T::KIND);
    }
    assert!(found.iter().all(|value| value.re().is_nan()), "canaries");
}

fn check_square<T: Scalar, P: RowPointer>(edge: usize) {
    for context in contexts::<T>() {
        for (diagonal, wind, method) in
            [(4.5, 0.0, SparseMethod::Cholesky), (-5.5, 0.0, SparseMethod::Ldl), (4.0, 0.5, SparseMethod::Lu)]
        {
            let sample = laplacian(edge, diagonal, wind);
            let a: CsrMatrix<T, P> = sample.matrix(&context);
            let factors = a.factorize().unwrap();
            assert!(edge == 1 || factors.method() == method, "{factors:?}");
            assert!(factors.nnz() >= sample.rows && factors.condition().unwrap() >= 1.0 / 3.0);
            for &op in Op::ALL {
                check::<T>(&context, &sample, &factors, op);
                check::<T>(&context, &sample, &a.factorize_by(SparseMethod::Lu).unwrap(), op);
            }
            check::<T>(&context, &sample, &a.factorize_by(SparseMethod::Qr).unwrap(), Op::NoTrans);
        }
    }
}

mod host {
    use super::*;

    fn shape(rows: usize) -> MatrixShape {
        MatrixShape::new(Layout::ColumnMajor, rows, 1, 0, rows.max(1)).unwrap()
    }

    fn solution<T: Scalar>(factors: &SparseFactors<T>, b: &[T]) -> Result<Vec<T>> {
        let mut x = vec![T::ZERO; factors.columns()];
        let (b, into) = (MatrixRef::from_slice(b, shape(factors.rows()))?, shape(x.len()));
        factors.solve(Op::NoTrans, b, MatrixMut::from_slice(&mut x, into)?)?;
        Ok(x)
    }

    #[test]
    fn least_squares_of_a_tall_matrix_leave_an_orthogonal_residual() {
        // Each unknown is measured three times.
        let row = |i: usize| vec![(i / 3, Complex64::new(1.0 + (i % 3) as f64, 0.0))];
        let sample = Sample { rows: 30, columns: 10, entries: (0..30).map(row).collect() };
        let a: CsrMatrix<f64> = sample.matrix(&Context::host());
        let factors = a.factorize().unwrap();
        assert_eq!(factors.method(), SparseMethod::Qr);
        let b = random::<f64>(30, 1);
        let x = solution(&factors, &b).unwrap();
        for (j, x) in x.iter().enumerate() {
            let exact = (0..3).map(|k| (1.0 + k as f64) * b[3 * j + k]).sum::<f64>() / 14.0;
            assert!((x - exact).abs() <= 16.0 * f64::EPSILON, "{j}: {x} {exact}");
        }
        let b = MatrixRef::from_slice(&b[..10], shape(10)).unwrap();
        let mut x = [0.0; 30];
        let wrong = factors.solve(Op::Trans, b, MatrixMut::from_slice(&mut x, shape(30)).unwrap());
        assert!(matches!(wrong, Err(Error::InvalidArgument { .. })), "{wrong:?}");
    }

    #[test]
    fn other_values_of_the_same_entries_need_no_new_ordering() {
        let mut a: CsrMatrix<f64> = laplacian(9, 4.5, 0.0).matrix(&Context::host());
        let mut factors = a.factorize().unwrap();
        a.scale(2.0).unwrap();
        factors.refactorize(&a).unwrap();
        let (b, exact) = (random::<f64>(81, 2), a.factorize().unwrap());
        assert_eq!(solution(&factors, &b).unwrap(), solution(&exact, &b).unwrap());
        // A failure leaves the factors as they are.
        a.scale(-1.0).unwrap();
        assert!(matches!(factors.refactorize(&a), Err(Error::NotPositiveDefinite { .. })));
        assert_eq!(solution(&factors, &b).unwrap(), solution(&exact, &b).unwrap());
        let other: CsrMatrix<f64> = laplacian(8, 4.5, 0.0).matrix(&Context::host());
        assert!(matches!(factors.refactorize(&other), Err(Error::ShapeMismatch(_))));
    }

    #[test]
    fn matrices_that_have_no_factors_are_refused() {
        let host = Context::host();
        let matrix = |rows: usize, columns: usize, entries: &[(usize, f64)]| -> CsrMatrix<f64> {
            let row =
                |i: usize| entries.get(i).map(|(j, value)| (*j, Complex64::new(*value, 0.0))).into_iter().collect();
            Sample { rows, columns, entries: (0..rows).map(row).collect() }.matrix(&host)
        };
        assert!(matches!(matrix(2, 3, &[]).factorize(), Err(Error::ShapeMismatch(_))));
        assert!(matches!(matrix(3, 2, &[]).factorize_by(SparseMethod::Lu), Err(Error::ShapeMismatch(_))));
        assert!(matches!(matrix(3, 2, &[(0, 1.0)]).factorize(), Err(Error::RankDeficient { .. })));
        let singular = matrix(2, 2, &[(0, 1.0), (0, 1.0)]).factorize();
        assert!(matches!(singular, Err(Error::ZeroPivot { .. } | Error::Singular)), "{singular:?}");
        let negative = matrix(2, 2, &[(0, 1.0), (1, -1.0)]);
        assert!(matches!(negative.factorize_by(SparseMethod::Cholesky), Err(Error::NotPositiveDefinite { .. })));
        assert_eq!(negative.factorize().unwrap().method(), SparseMethod::Ldl);
        // A triangle, and a matrix whose new values are not Hermitian.
        let triangle: CsrMatrix<f64> = CsrMatrix::new(&host, 2, 2, &[0, 1, 3], &[0, 0, 1], &[2.0, 1.0, 2.0]).unwrap();
        for method in [SparseMethod::Cholesky, SparseMethod::Ldl] {
            assert!(matches!(triangle.factorize_by(method), Err(Error::InvalidArgument { .. })), "{method:?}");
        }
        let full = |values: &[f64]| CsrMatrix::<f64>::new(&host, 2, 2, &[0, 2, 4], &[0, 1, 0, 1], values).unwrap();
        let mut factors = full(&[2.0, 1.0, 1.0, 2.0]).factorize().unwrap();
        assert!(matches!(factors.refactorize(&full(&[2.0, 1.0, 0.5, 2.0])), Err(Error::InvalidArgument { .. })));
        assert!(matches!(matrix(2, 2, &[(0, f64::NAN), (1, 1.0)]).factorize(), Err(Error::NotFinite { .. })));
        let factors = negative.factorize().unwrap();
        assert!(matches!(solution(&factors, &[1.0, f64::INFINITY]), Err(Error::NotFinite { .. })));
        let empty = matrix(0, 0, &[]).factorize().unwrap();
        assert!(solution(&empty, &[]).unwrap().is_empty());
    }
}

mod device_small {
    use super::*;

    #[test]
    fn factors_solve_with_each_operation() {
        for edge in [1, 2, 5] {
            check_square::<f32, i32>(edge);
            check_square::<f64, i64>(edge);
            check_square::<Complex64, i32>(edge);
        }
    }
}

mod device {
    use super::*;
    use crate::scalar::Complex32;

    #[test]
    fn factors_of_large_matrices_solve() {
        check_square::<f64, i32>(40);
        check_square::<Complex32, i32>(31);
    }
}
