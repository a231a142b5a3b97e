//! QR with column pivoting, and least squares of matrices of any rank: LAPACK's tests of xGEQP3 and xGELSY.

use super::qr::{full_q, upper};
use super::*;
use crate::testing::{assert_close, for_each_type};
use crate::{Error, gelsy, geqp3};

/// Shapes on both sides of a panel.
const SHAPES: [(usize, usize); 15] = [
    (0, 3),
    (3, 0),
    (1, 1),
    (1, 5),
    (5, 1),
    (8, 8),
    (31, 33),
    (33, 31),
    (32, 32),
    (40, 90),
    (90, 40),
    (65, 65),
    (130, 66),
    (66, 130),
    (3, 200),
];

/// I - 2 v vᴴ / (vᴴ v) for a random v.
fn reflector<T: Scalar>(n: usize, seed: u64) -> Dense {
    let v = Stored::<T>::new(Layout::ColumnMajor, n, 1, 0, seed).dense();
    let square: f64 = (0..n).map(|i| v[(i, 0)].norm_sqr()).sum();
    let unit = identity(n);
    Mat::from_fn(n, n, |i, j| unit[(i, j)] - v[(i, 0)] * v[(j, 0)].conj() * 2.0 / square)
}

/// A matrix of any rank, whose singular values, but for those that are zero, lie between 1 and 3.
fn of_rank<T: Scalar>(m: usize, n: usize, rank: usize) -> Dense {
    let diagonal = Mat::from_fn(m, n, |i, j| {
        let value = if i == j && i < rank { 1.0 + 2.0 * i as f64 / rank as f64 } else { 0.0 };
        Complex64::new(value, 0.0)
    });
    product(&reflector::<T>(m, 5), &product(&diagonal, &reflector::<T>(n, 6)))
}

fn pivots<T: Scalar>(m: usize, n: usize, rank: usize, (layout, gap): (Layout, usize), initial: &[usize]) {
    let case = (m, n, rank, layout, gap, initial);
    let random = of_rank::<T>(m, n, rank);
    let mut stored = Stored::<T>::new(layout, m, n, gap, 1).filled_with(|i, j| random[(i, j)]);
    let before = stored.dense();
    let (mut jpvt, mut tau) = (vec![0; n], vec![T::ZERO; m.min(n)]);
    initial.iter().for_each(|j| jpvt[*j] = 7);
    geqp3(stored.view_mut(), &mut jpvt, &mut tau).unwrap();
    assert!(stored.canaries_live(), "{case:?}");
    let columns: Vec<usize> = jpvt.iter().map(|scalar| *scalar as usize - 1).collect();
    let mut sorted = columns.clone();
    sorted.sort_unstable();
    assert!(sorted.into_iter().eq(0..n), "{case:?}: {jpvt:?} is no permutation");
    let mut first = columns[..initial.len()].to_vec();
    first.sort_unstable();
    assert_eq!(first, initial, "{case:?}: initial columns come first");
    let (factors, permuted) = (stored.dense(), Mat::from_fn(m, n, |i, j| before[(i, columns[j])]));
    let (q, r) = (full_q(&factors, &tau), upper(&factors));
    let error = difference(&permuted, &product(&q, &r));
    assert_ratio::<T>(ratio::<T>(&error, m.max(n), norm(&before)), "A P - Q R", &case);
    let error = difference(&identity(m), &product(&adjoint(&q), &q));
    assert_ratio::<T>(ratio::<T>(&error, m, 1.0), "I - Qᴴ Q", &case);
    // A pivot column is not shorter than the remainder of any later one, up to the square root of the precision, to
    // which norms are downdated.
    for k in initial.len()..m.min(n) {
        for j in k + 1..n {
            let left = (k..=j.min(m - 1)).map(|i| r[(i, j)].norm_sqr()).sum::<f64>().sqrt();
            let slack = T::EPSILON.sqrt() * left + 30.0 * m.max(n) as f64 * T::EPSILON * 3.0;
            assert!(r[(k, k)].norm() >= left - slack, "{case:?}: pivot {k} is {}, column {j} {left}", r[(k, k)].norm());
        }
    }
}

#[test]
fn geqp3_multiplies_to_the_permuted_matrix() {
    for (m, n) in SHAPES {
        for (k, storage) in STORAGES.into_iter().enumerate() {
            for_each_type!(pivots(m, n, m.min(n), storage, &[]));
            let initial: Vec<usize> = (0..n).filter(|j| j % 3 == k % 2).collect();
            for_each_type!(pivots(m, n, m.min(n) / 2, storage, &initial));
        }
    }
    // More initial columns than rows.
    for_each_type!(pivots(3, 9, 2, STORAGES[1], &[1, 2, 4, 5, 8]));
}

/// A block of columns that threads share.
#[test]
fn geqp3_of_a_matrix_that_threads_share() {
    pivots::<f64>(280, 250, 250, STORAGES[0], &[]);
}

/// gelsy's solution for A and B, and the rank.
fn solved<T: Scalar>(a: &Dense, b: &Dense, rcond: f64, (layout, gap): (Layout, usize)) -> (Dense, usize) {
    let (m, n) = (a.nrows(), a.ncols());
    let mut matrix = Stored::<T>::new(layout, m, n, gap, 0).filled_with(|i, j| a[(i, j)]);
    let mut right = Stored::<T>::new(layout, m.max(n), b.ncols(), gap, 0)
        .filled_with(|i, j| if i < m { b[(i, j)] } else { Complex64::new(f64::NAN, f64::NAN) });
    let rcond = T::RealScalar::from_parts(rcond, 0.0);
    let rank = gelsy(matrix.view_mut(), right.view_mut(), &mut vec![0; n], rcond).unwrap();
    assert!(matrix.canaries_live() && right.canaries_live());
    (Mat::from_fn(n, b.ncols(), |i, j| right.dense()[(i, j)]), rank)
}

fn solves<T: Scalar>(m: usize, n: usize, rank: usize, storage: (Layout, usize)) {
    let case = (m, n, rank, storage);
    let rcond = 30.0 * m.max(n) as f64 * T::EPSILON;
    // Rounded to the type, which gives it a full rank by roundings.
    let random = of_rank::<T>(m, n, rank);
    let a = Stored::<T>::new(Layout::ColumnMajor, m, n, 0, 1).filled_with(|i, j| random[(i, j)]).dense();
    let b = Stored::<T>::new(Layout::ColumnMajor, m, 2, 0, 2).dense();
    let (x, found) = solved::<T>(&a, &b, rcond, storage);
    assert_eq!(found, rank, "{case:?}");
    let size = m.max(n);
    let residual = difference(&b, &product(&a, &x));
    // LAPACK's xQRT17: Aᴴ r is small.
    let bound = norm(&adjoint(&a)) * (norm(&a) * norm(&x) + norm(&b));
    assert_ratio::<T>(ratio::<T>(&product(&adjoint(&a), &residual), size, bound), "Aᴴ r", &case);
    // Its xQRT14: x is in the range of Aᴴ, which fits it without a residual.
    let (fit, _) = solved::<T>(&adjoint(&a), &x, rcond, storage);
    let outside = difference(&x, &product(&adjoint(&a), &fit));
    let bound = norm(&adjoint(&a)) * norm(&fit) + norm(&x);
    assert_ratio::<T>(ratio::<T>(&outside, size, bound), "least norm", &case);
}

#[test]
fn gelsy_finds_the_solution_of_least_norm_of_any_rank() {
    for (k, (m, n)) in SHAPES.into_iter().enumerate() {
        let order = m.min(n);
        for rank in [0, 1, order / 2, order.saturating_sub(1), order] {
            if rank <= order {
                for_each_type!(solves(m, n, rank, STORAGES[(k + rank) % 3]));
            }
        }
    }
}

/// With full rank there is one solution, or one of least norm: that of gels.
#[test]
fn gelsy_agrees_with_gels_where_the_rank_is_full() {
    fn check<T: Scalar>(m: usize, n: usize) {
        let a = of_rank::<T>(m, n, m.min(n));
        let b = Stored::<T>::new(Layout::ColumnMajor, m, 2, 0, 2).dense();
        let (x, rank) = solved::<T>(&a, &b, m.max(n) as f64 * T::EPSILON, STORAGES[0]);
        assert_eq!(rank, m.min(n));
        let mut factors = Stored::<T>::new(Layout::ColumnMajor, m, n, 0, 0).filled_with(|i, j| a[(i, j)]);
        let mut right = Stored::<T>::new(Layout::ColumnMajor, m.max(n), 2, 0, 0)
            .filled_with(|i, j| if i < m { b[(i, j)] } else { Complex64::ZERO });
        crate::gels(Op::NoTrans, factors.view_mut(), right.view_mut()).unwrap();
        let expected = Mat::from_fn(n, 2, |i, j| right.dense()[(i, j)]);
        // The condition is 3; of the residual its square counts.
        let bound = 9.0 * (norm(&x) + norm(&b));
        assert_ratio::<T>(ratio::<T>(&difference(&x, &expected), m.max(n), bound), "gels's solution", &(m, n));
    }
    for (m, n) in [(5, 5), (40, 20), (20, 40), (70, 66)] {
        for_each_type!(check(m, n));
    }
}

/// B's rows after x are the remainder of Qᴴ b.
#[test]
fn rows_after_the_solution_tell_the_residual() {
    fn check<T: Scalar>(scale: i32) {
        let (m, n) = (23, 9);
        let (a, b) = (of_rank::<T>(m, n, n), Stored::<T>::new(Layout::ColumnMajor, m, 1, 0, 2).dense());
        let factor = 2f64.powi(scale);
        let mut matrix = Stored::<T>::new(Layout::ColumnMajor, m, n, 0, 0).filled_with(|i, j| a[(i, j)] * factor);
        let mut right = Stored::<T>::new(Layout::ColumnMajor, m, 1, 0, 0).filled_with(|i, j| b[(i, j)] * factor);
        let rcond = T::RealScalar::from_parts(m as f64 * T::EPSILON, 0.0);
        assert_eq!(gelsy(matrix.view_mut(), right.view_mut(), &mut [0; 9], rcond).unwrap(), n);
        let found = right.dense();
        let square = |a: &Dense, rows: std::ops::Range<usize>| rows.map(|i| a[(i, 0)].norm_sqr()).sum::<f64>();
        let x = Mat::from_fn(n, 1, |i, _| found[(i, 0)]);
        let residual = square(&difference(&b, &product(&a, &x)), 0..m).sqrt();
        let reported = square(&found, n..m).sqrt() / factor;
        assert_close!(reported, residual, 30.0 * m as f64 * T::EPSILON * norm(&b));
    }
    for scale in [0, 110, -110] {
        for_each_type!(check(scale));
    }
}

#[test]
fn gelsy_solves_problems_at_the_ends_of_the_range() {
    fn check<T: Scalar>(of_a: i32, of_b: i32) {
        for (m, n, rank) in [(20, 8, 8), (20, 8, 5), (8, 20, 6)] {
            let a = of_rank::<T>(m, n, rank);
            let b = Stored::<T>::new(Layout::ColumnMajor, m, 1, 0, 2).dense();
            let scaled =
                |a: &Dense, exponent: i32| Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] * 2f64.powi(exponent));
            let rcond = 30.0 * 20.0 * T::EPSILON;
            let (expected, _) = solved::<T>(&a, &b, rcond, STORAGES[0]);
            let (x, found) = solved::<T>(&scaled(&a, of_a), &scaled(&b, of_b), rcond, STORAGES[0]);
            assert_eq!(found, rank, "2^{of_a}, 2^{of_b}");
            let error = difference(&scaled(&x, of_a - of_b), &expected);
            // The condition is 3; elements that the scale made subnormal have lost digits.
            assert!(norm(&error) <= 1e3 * T::EPSILON * norm(&expected), "2^{of_a}, 2^{of_b}: {}", norm(&error));
        }
    }
    for (of_a, of_b) in [(-1000, -1000), (1010, 1010), (-1000, -500), (1010, 500)] {
        check::<f64>(of_a, of_b);
        check::<Complex64>(of_a, of_b);
    }
    for (of_a, of_b) in [(-110, -110), (120, 120), (-110, -40), (120, 60)] {
        check::<f32>(of_a, of_b);
        check::<crate::Complex32>(of_a, of_b);
    }
}

#[test]
fn a_nan_goes_into_the_solution() {
    for (row, column) in [(0, 0), (4, 2), (8, 3)] {
        let mut a = of_rank::<f64>(9, 4, 3);
        let b = Stored::<f64>::new(Layout::ColumnMajor, 9, 1, 0, 2).dense();
        a[(row, column)] = Complex64::new(f64::NAN, 0.0);
        let (x, _) = solved::<f64>(&a, &b, 1e-10, STORAGES[0]);
        assert!(norm(&x).is_nan(), "{row}, {column}");
        let mut b = b;
        b[(row, 0)] = Complex64::new(f64::NAN, 0.0);
        let (x, _) = solved::<f64>(&of_rank::<f64>(9, 4, 3), &b, 1e-10, STORAGES[0]);
        assert!(norm(&x).is_nan(), "{row}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut a = Stored::<f64>::new(Layout::ColumnMajor, 4, 3, 0, 1);
    let mut b = Stored::<f64>::new(Layout::ColumnMajor, 4, 1, 0, 2);
    let before = (a.data.clone(), b.data.clone());
    let refused = |result: crate::Result<()>| matches!(result, Err(Error::ShapeMismatch(_)));
    assert!(refused(geqp3(a.view_mut(), &mut [0; 2], &mut [0.0; 3])));
    assert!(refused(geqp3(a.view_mut(), &mut [0; 3], &mut [0.0; 2])));
    assert!(refused(gelsy(a.view_mut(), b.view_mut(), &mut [0; 2], 0.1).map(drop)));
    let mut short = Stored::<f64>::new(Layout::ColumnMajor, 3, 1, 0, 2);
    assert!(refused(gelsy(a.view_mut(), short.view_mut(), &mut [0; 3], 0.1).map(drop)));
    let nan = gelsy(a.view_mut(), b.view_mut(), &mut [0; 3], f64::NAN);
    assert!(matches!(nan, Err(Error::InvalidArgument { name: "rcond", .. })), "{nan:?}");
    assert_eq!((a.data, b.data), before);
}
