use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, MatRef};

use affinimath_core::{Complex32, Complex64, Error, Scalar};
use affinimath_cpu::solve::sparse::{SparseFactors, SparseMethod, solve_sparse};
use affinimath_testing::assert_close;

fn matrix<T: Scalar>(m: usize, n: usize, entries: &[(usize, usize, f64, f64)]) -> SparseColMat<usize, T> {
    let triplet = |(i, j, re, im): &(usize, usize, f64, f64)| Triplet::new(*i, *j, T::from_parts(*re, *im));
    let entries: Vec<_> = entries.iter().map(triplet).collect();
    SparseColMat::try_new_from_triplets(m, n, &entries).expect("the indices are in range")
}

/// The 5-point Laplacian of a square minus a shift; `wind` makes it unsymmetric, `phase` Hermitian and complex.
fn laplacian<T: Scalar>(edge: usize, shift: f64, wind: f64, phase: f64) -> SparseColMat<usize, T> {
    let mut entries = Vec::new();
    for here in 0..edge * edge {
        entries.push((here, here, 4.0 - shift, 0.0));
        if here % edge + 1 < edge {
            entries.extend([(here + 1, here, -1.0 + wind, phase), (here, here + 1, -1.0 - wind, -phase)]);
        }
        if here + edge < edge * edge {
            entries.extend([(here + edge, here, -1.0, 0.0), (here, here + edge, -1.0, 0.0)]);
        }
    }
    matrix(edge * edge, edge * edge, &entries)
}

fn times_ones<T: Scalar>(a: &SparseColMat<usize, T>) -> Mat<T> {
    let a = a.as_ref();
    let mut b = Mat::zeros(a.nrows(), 1);
    for j in 0..a.ncols() {
        a.row_idx_of_col(j).zip(a.val_of_col(j)).for_each(|(i, value)| b[(i, 0)] += *value);
    }
    b
}

fn error_against_ones<T: Scalar>(x: MatRef<'_, T>) -> f64 {
    (0..x.nrows()).map(|i| (x[(i, 0)] - T::ONE).modulus()).fold(0.0, f64::max)
}

/// A backward error of n eps makes a forward error of at most the condition times twice that.
fn is_solved<T: Scalar>(a: &SparseColMat<usize, T>, method: SparseMethod) {
    let b = times_ones(a);
    let solution = solve_sparse(a.as_ref(), b.as_ref(), None).unwrap();
    assert_eq!(solution.method, method, "{:?}", solution.tried);
    let bound = 2.0 * a.nrows() as f64 * T::EPSILON * solution.condition;
    let error = error_against_ones(solution.x.as_ref());
    assert!(error <= bound, "{:?} {method:?}: {error} above {bound}", T::KIND);
    // Higham's estimate is within a factor of 3 of a condition, which is at least 1.
    assert!(solution.condition >= 1.0 / 3.0 && solution.factor_nnz >= a.ncols());
}

fn each_method<T: Scalar>() {
    let phase = if T::KIND.is_complex() { 0.25 } else { 0.0 };
    for edge in [1, 2, 7, 30] {
        // The diagonal outweighs the four neighbours, of which two have the modulus |1 + i/4|.
        is_solved::<T>(&laplacian(edge, -0.25, 0.0, phase), SparseMethod::Cholesky);
        is_solved::<T>(&laplacian(edge, 9.5, 0.0, phase), SparseMethod::Ldl);
        let unsymmetric = if edge == 1 { SparseMethod::Cholesky } else { SparseMethod::Lu };
        is_solved::<T>(&laplacian(edge, 0.0, 0.5, phase), unsymmetric);
    }
}

#[test]
fn each_factorisation_solves_what_it_is_for() {
    each_method::<f32>();
    each_method::<f64>();
    each_method::<Complex32>();
    each_method::<Complex64>();
}

#[test]
fn an_indefinite_matrix_without_a_diagonal_is_solved_by_lu() {
    is_solved::<f64>(&matrix(2, 2, &[(0, 1, 2.0, 0.0), (1, 0, 2.0, 0.0)]), SparseMethod::Lu);
    // The leading minor is tiny: LDLᴴ would lose all digits.
    let tiny = matrix::<f64>(2, 2, &[(0, 0, 1e-20, 0.0), (0, 1, 1.0, 0.0), (1, 0, 1.0, 0.0), (1, 1, 1e-20, 0.0)]);
    let solution = solve_sparse(tiny.as_ref(), times_ones(&tiny).as_ref(), None).unwrap();
    assert!(error_against_ones(solution.x.as_ref()) <= 8.0 * f64::EPSILON, "{solution:?}");
}

#[test]
fn huge_and_tiny_values_do_no_harm() {
    let n = 400;
    for (size, spread) in [(1e300, 0.0), (1e-300, 0.0), (1.0, 140.0)] {
        let at = |i: usize| 10f64.powf(spread * (i as f64 / n as f64 - 0.5));
        let plain = laplacian::<f64>(20, 0.0, 0.5, 0.0);
        let mut entries = Vec::new();
        for j in 0..n {
            let column = plain.as_ref();
            let scaled = |(i, value): (usize, &f64)| (i, j, value * size * at(i) * at(n - 1 - j), 0.0);
            entries.extend(column.row_idx_of_col(j).zip(column.val_of_col(j)).map(scaled));
        }
        let a = matrix::<f64>(n, n, &entries);
        // b is a column of A: the solution is a unit vector.
        let mut b = Mat::zeros(n, 1);
        a.as_ref().row_idx_of_col(7).zip(a.as_ref().val_of_col(7)).for_each(|(i, value)| b[(i, 0)] = *value);
        let x = solve_sparse(a.as_ref(), b.as_ref(), None).unwrap().x;
        for i in 0..n {
            let expected = if i == 7 { 1.0 } else { 0.0 };
            let size = at(n - 1 - i) / at(n - 1 - 7);
            assert_close!(x[(i, 0)] * size, expected * size, 1e4 * f64::EPSILON, "{size}: x[{i}]");
        }
    }
}

#[test]
fn singular_matrices_are_told() {
    let b = Mat::<f64>::full(3, 1, 1.0);
    for entries in [
        vec![],
        vec![(0, 0, 1.0, 0.0), (1, 1, 1.0, 0.0)],
        vec![(0, 0, 1.0, 0.0), (0, 1, 2.0, 0.0), (1, 0, 2.0, 0.0), (1, 1, 4.0, 0.0), (2, 2, 1.0, 0.0)],
        vec![(0, 0, 1.0, 0.0), (0, 1, 1.0, 0.0), (0, 2, 1.0, 0.0)],
    ] {
        let error = solve_sparse(matrix(3, 3, &entries).as_ref(), b.as_ref(), None).unwrap_err();
        assert!(matches!(error, Error::ZeroPivot { .. } | Error::Singular), "{entries:?}: {error}");
    }
}

#[test]
fn least_squares_by_qr_meet_the_normal_equations() {
    // The values of a path and their differences: 2 n rows.
    let n = 50;
    let mut entries = Vec::new();
    for i in 0..n {
        entries.extend([(i, i, 1.0, 0.0), (n + i, i, 1.0, 0.0)]);
        if i > 0 {
            entries.push((n + i, i - 1, -1.0, 0.0));
        }
    }
    let a = matrix::<f64>(2 * n, n, &entries);
    let solution = solve_sparse(a.as_ref(), times_ones(&a).as_ref(), None).unwrap();
    assert_eq!(solution.method, SparseMethod::Qr);
    let bound = 4.0 * n as f64 * f64::EPSILON * solution.condition;
    assert!(error_against_ones(solution.x.as_ref()) <= bound);
    let b = Mat::from_fn(2 * n, 1, |i, _| (i % 7) as f64 - 3.0);
    let x = solve_sparse(a.as_ref(), b.as_ref(), None).unwrap().x;
    let mut r = b.clone();
    for j in 0..n {
        a.as_ref()
            .row_idx_of_col(j)
            .zip(a.as_ref().val_of_col(j))
            .for_each(|(i, value)| r[(i, 0)] -= value * x[(j, 0)]);
    }
    for j in 0..n {
        let normal: f64 = a.as_ref().row_idx_of_col(j).zip(a.as_ref().val_of_col(j)).map(|(i, v)| v * r[(i, 0)]).sum();
        assert!(normal.abs() <= 100.0 * n as f64 * f64::EPSILON, "{normal}");
    }
    // Two equal columns.
    let a = matrix::<f64>(3, 2, &[(0, 0, 1.0, 0.0), (1, 0, 2.0, 0.0), (0, 1, 1.0, 0.0), (1, 1, 2.0, 0.0)]);
    let error = solve_sparse(a.as_ref(), Mat::full(3, 1, 1.0).as_ref(), None).unwrap_err();
    assert!(matches!(error, Error::RankDeficient { rank: 1, full: 2 }), "{error}");
}

#[test]
fn what_memory_does_not_hold_is_refused_with_its_bytes() {
    let refused = |method, a: &SparseColMat<usize, f64>| {
        let error = SparseFactors::factor(method, a.as_ref(), Some(1000)).err().expect("there is not enough memory");
        assert!(matches!(error, Error::OutOfHostMemory { bytes, .. } if bytes > 1000), "{error}");
    };
    let a = laplacian(20, 0.0, 0.0, 0.0);
    for method in [SparseMethod::Cholesky, SparseMethod::Ldl, SparseMethod::Lu, SparseMethod::Qr] {
        refused(method, &a);
    }
}

#[test]
fn wrong_sizes_and_values_are_refused() {
    let a = matrix::<f64>(2, 2, &[(0, 0, 1.0, 0.0), (1, 1, f64::NAN, 0.0)]);
    let solve = |a: &SparseColMat<usize, f64>, rows| solve_sparse(a.as_ref(), Mat::full(rows, 1, 1.0).as_ref(), None);
    assert!(matches!(solve(&a, 2).unwrap_err(), Error::NotFinite { row: 2, column: 2, .. }));
    assert!(matches!(solve(&a, 3).unwrap_err(), Error::ShapeMismatch(_)));
    assert!(matches!(solve(&matrix(1, 2, &[]), 1).unwrap_err(), Error::ShapeMismatch(_)));
    let empty = solve(&matrix(0, 0, &[]), 0).unwrap();
    assert_eq!((empty.x.nrows(), empty.x.ncols()), (0, 1));
}
