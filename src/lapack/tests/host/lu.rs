use faer::Mat;
use proptest::prelude::*;

use super::*;
use crate::testing::{filled, for_each_type};
use crate::{Error, PivotOrder, gesv, getrf, getri, getrs, laswp};

/// P A for getrf's pivots.
pub(crate) fn interchanged(a: &Dense, pivots: &[i32]) -> Dense {
    let mut a = a.clone();
    for (i, pivot) in pivots.iter().enumerate() {
        let other = *pivot as usize - 1;
        for j in 0..a.ncols() {
            (a[(i, j)], a[(other, j)]) = (a[(other, j)], a[(i, j)]);
        }
    }
    a
}

/// ||P A - L U|| / (n eps ||A||).
pub(crate) fn factor_ratio<T: Scalar>(a: &Dense, factors: &Dense, pivots: &[i32]) -> f64 {
    let (m, n) = (a.nrows(), a.ncols());
    let order = m.min(n);
    let lower = Mat::from_fn(m, order, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => Complex64::ZERO,
        std::cmp::Ordering::Equal => Complex64::ONE,
        std::cmp::Ordering::Greater => factors[(i, j)],
    });
    let upper = Mat::from_fn(order, n, |i, j| if i <= j { factors[(i, j)] } else { Complex64::ZERO });
    ratio::<T>(&difference(&interchanged(a, pivots), &product(&lower, &upper)), n, norm(a))
}

fn factorises<T: Scalar>(m: usize, n: usize, (layout, gap): (Layout, usize)) {
    let case = (m, n, layout, gap);
    let order = m.min(n);
    let mut a = Stored::<T>::new(layout, m, n, gap, 1);
    let before = a.dense();
    let mut pivots = vec![-7; order + 1];
    getrf(a.view_mut(), &mut pivots).unwrap();
    assert!(a.canaries_live() && pivots[order] == -7, "{case:?}: memory around the factors or the pivots was changed");
    for (i, pivot) in pivots[..order].iter().enumerate() {
        assert!((i + 1..=m).contains(&(*pivot as usize)), "{case:?}: row {i} changed places with row {pivot}");
    }
    let factors = a.dense();
    assert_ratio::<T>(factor_ratio::<T>(&before, &factors, &pivots[..order]), "P A - L U", &case);
    // Multipliers are bounded by the choice of pivots, for complex types by |re| + |im|.
    let most = if T::KIND.is_complex() { 2f64.sqrt() } else { 1.0 } * (1.0 + 4.0 * T::EPSILON);
    for j in 0..order {
        assert!((j + 1..m).all(|i| factors[(i, j)].norm() <= most), "{case:?}: column {j} of L is too large");
    }
}

#[test]
fn getrf_factorises_square_high_and_wide_matrices() {
    for n in ORDERS {
        for storage in STORAGES {
            for_each_type!(factorises(n, n, storage));
        }
    }
    for (m, n) in
        [(0, 4), (4, 0), (1, 9), (9, 1), (70, 20), (20, 70), (300, 40), (150, 129), (129, 300), (700, 5), (261, 261)]
    {
        for storage in STORAGES {
            for_each_type!(factorises(m, n, storage));
        }
    }
}

/// Enough columns for the recursion, and a trailing update of the columns right of the square part.
#[test]
fn getrf_factorises_matrices_of_many_columns() {
    factorises::<f32>(560, 530, STORAGES[0]);
    factorises::<f64>(530, 600, STORAGES[2]);
}

/// A lower factor with -0.9 below its diagonal, whose inverse grows with 1.9^n: solutions are as exact as with any
/// other.
#[test]
fn a_lower_factor_with_a_huge_inverse_does_no_harm() {
    fn check<T: Scalar>(n: usize) {
        let lower = Mat::from_fn(n, n, |i, j| Complex64::new(if i == j { 1.0 } else { -0.9 * f64::from(i > j) }, 0.0));
        let values = Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 3).dense();
        let upper = Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Less => values[(i, j)] * (1.0 / n as f64),
            std::cmp::Ordering::Equal => Complex64::ONE,
            std::cmp::Ordering::Greater => Complex64::ZERO,
        });
        let exact = product(&lower, &upper);
        let mut a = Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 3).filled_with(|i, j| exact[(i, j)]);
        let before = a.dense();
        let mut pivots = vec![0; n];
        getrf(a.view_mut(), &mut pivots).unwrap();
        assert_ratio::<T>(factor_ratio::<T>(&before, &a.dense(), &pivots), "P A - L U", &n);
    }
    for_each_type!(check(300));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn getrf_factorises_any_shape(m in 0..150usize, n in 0..150usize, gap in 0..4usize, by_rows in any::<bool>()) {
        let layout = if by_rows { Layout::RowMajor } else { Layout::ColumnMajor };
        for_each_type!(factorises(m, n, (layout, gap)));
    }
}

/// Gaussian elimination as in a textbook, in doubles: the pivots that it chooses.
pub(crate) fn textbook_pivots(a: &Dense, real: bool) -> Vec<i32> {
    let size = |z: Complex64| if real { z.re.abs() } else { z.re.abs() + z.im.abs() };
    let mut a = a.clone();
    let n = a.nrows();
    (0..n)
        .map(|k| {
            let pivot = (k..n).fold(k, |best, i| if size(a[(i, k)]) > size(a[(best, k)]) { i } else { best });
            for j in 0..n {
                (a[(k, j)], a[(pivot, j)]) = (a[(pivot, j)], a[(k, j)]);
            }
            for i in k + 1..n {
                let factor = a[(i, k)] / a[(k, k)];
                for j in k..n {
                    let product = factor * a[(k, j)];
                    a[(i, j)] -= product;
                }
            }
            pivot as i32 + 1
        })
        .collect()
}

#[test]
fn pivots_are_those_of_elimination_by_the_book() {
    fn check<T: Scalar>(n: usize) {
        let mut a = Stored::<T>::new(Layout::ColumnMajor, n, n, 1, 3);
        let expected = textbook_pivots(&a.dense(), !T::KIND.is_complex());
        let mut pivots = vec![0; n];
        getrf(a.view_mut(), &mut pivots).unwrap();
        assert_eq!(pivots, expected, "{:?} {n}", T::KIND);
    }
    // Sizes at which rounding in floats does not yet decide between candidates.
    for n in [2, 5, 10, 40] {
        for_each_type!(check(n));
    }
    check::<f64>(200);
    check::<Complex64>(200);
}

#[test]
fn a_tie_goes_to_the_first_row_and_a_permutation_is_found() {
    let mut a = Stored::<f64>::new(Layout::ColumnMajor, 3, 3, 0, 0)
        .filled_with(|i, j| Complex64::new([[2.0, 1.0, 0.0], [-2.0, 5.0, 1.0], [2.0, 0.0, 3.0]][i][j], 0.0));
    let mut pivots = [0; 3];
    getrf(a.view_mut(), &mut pivots).unwrap();
    assert_eq!(pivots, [1, 2, 3]);
    for n in [5, 40, 150] {
        // Row i holds the one of column (i + 1) mod n.
        let mut a = Stored::<f64>::new(Layout::RowMajor, n, n, 1, 0)
            .filled_with(|i, j| Complex64::new(f64::from(u8::from(j == (i + 1) % n)), 0.0));
        let before = a.dense();
        let mut pivots = vec![0; n];
        getrf(a.view_mut(), &mut pivots).unwrap();
        assert_eq!(norm(&difference(&a.dense(), &identity(n))), 0.0);
        assert_eq!(norm(&difference(&interchanged(&before, &pivots), &identity(n))), 0.0);
    }
}

#[test]
fn a_zero_pivot_is_reported_and_the_factorisation_completed() {
    fn check<T: Scalar>(n: usize, column: usize) {
        for storage in STORAGES {
            let mut a = Stored::<T>::new(storage.0, n, n, storage.1, 5);
            (0..n).for_each(|i| a.set(i, column, Complex64::ZERO));
            let before = a.dense();
            let mut pivots = vec![0; n];
            let error = getrf(a.view_mut(), &mut pivots).unwrap_err();
            assert!(matches!(error, Error::ZeroPivot { index } if index == column + 1), "{error}");
            assert_ratio::<T>(factor_ratio::<T>(&before, &a.dense(), &pivots), "P A - L U", &(n, column));

            // Neither inverted, nor used for a solution.
            let factors = a.data.clone();
            assert!(matches!(getri(a.view_mut(), &pivots), Err(Error::ZeroPivot { index }) if index == column + 1));
            assert!(same_bits(&a.data, &factors), "the factors of a singular matrix were changed");
            let mut b = Stored::<T>::new(storage.0, n, 2, 1, 6);
            let right = b.data.clone();
            let mut singular = Stored::<T>::new(storage.0, n, n, 0, 0).filled_with(|i, j| before[(i, j)]);
            assert!(gesv(singular.view_mut(), &mut pivots, b.view_mut()).is_err());
            assert!(same_bits(&b.data, &right), "the right-hand side of a singular system was changed");
        }
    }
    for (n, column) in [(1, 0), (6, 3), (40, 0), (40, 39), (200, 5), (200, 100), (200, 130), (200, 199)] {
        for_each_type!(check(n, column));
    }
}

#[test]
fn a_matrix_of_zeros_has_its_first_pivot_zero() {
    for n in [1, 5, 70, 140] {
        let mut a = Stored::<Complex64>::new(Layout::ColumnMajor, n, n, 0, 0).filled_with(|_, _| Complex64::ZERO);
        let mut pivots = vec![0; n];
        assert!(matches!(getrf(a.view_mut(), &mut pivots), Err(Error::ZeroPivot { index: 1 })));
        assert_eq!(pivots, (1..=n as i32).collect::<Vec<_>>());
    }
}

/// Bitwise equality, with NaN equal to NaN.
fn same_bits<T: Scalar>(a: &[T], b: &[T]) -> bool {
    let bits = |x: &T| (x.re().to_bits(), x.im().to_bits());
    a.iter().map(bits).eq(b.iter().map(bits))
}

#[test]
fn getrs_and_gesv_solve_with_every_operation() {
    fn check<T: Scalar>(n: usize, columns: usize) {
        for (layout, gap) in STORAGES {
            let mut a = Stored::<T>::new(layout, n, n, gap, 7);
            let before = a.dense();
            let mut pivots = vec![0; n];
            let right = Stored::<T>::new(layout, n, columns, gap, 8);
            let mut x = right.clone();
            gesv(a.view_mut(), &mut pivots, x.view_mut()).unwrap();
            let case = (n, columns, layout);
            assert!(x.canaries_live());
            assert_ratio::<T>(solution_ratio::<T>(Op::NoTrans, &before, &x.dense(), &right.dense()), "gesv", &case);
            for op in Op::ALL {
                let mut x = right.clone();
                getrs(*op, a.view(), &pivots, x.view_mut()).unwrap();
                let ratio = solution_ratio::<T>(*op, &before, &x.dense(), &right.dense());
                assert_ratio::<T>(ratio, "getrs", &(case, op));
            }
        }
    }
    for n in [0, 1, 2, 9, 33, 65, 130] {
        for columns in [0, 1, 3, 70] {
            for_each_type!(check(n, columns));
        }
    }
}

#[test]
fn getri_inverts() {
    fn check<T: Scalar>(n: usize) {
        for (layout, gap) in STORAGES {
            let mut a = Stored::<T>::new(layout, n, n, gap, 9);
            let before = a.dense();
            let mut pivots = vec![0; n];
            getrf(a.view_mut(), &mut pivots).unwrap();
            getri(a.view_mut(), &pivots).unwrap();
            assert!(a.canaries_live());
            assert_ratio::<T>(inverse_ratio::<T>(&before, &a.dense()), "getri", &(n, layout));
        }
    }
    for n in ORDERS {
        for_each_type!(check(n));
    }
}

#[test]
fn laswp_interchanges_rows_forward_and_back() {
    let n = 70;
    for (layout, columns) in [(Layout::ColumnMajor, 5), (Layout::RowMajor, 5), (Layout::ColumnMajor, 1000)] {
        let mut a = Stored::<f32>::new(layout, n, columns, 1, 4);
        let before = a.dense();
        let choice = filled::<f64>(n, 1, 11);
        let pivots: Vec<i32> = (0..n).map(|i| 1 + ((choice[(i, 0)] + 1.0) / 2.0 * n as f64) as i32).collect();
        laswp(a.view_mut(), 3..n, &pivots[3..], PivotOrder::Forward).unwrap();
        let mut absolute: Vec<i32> = (1..=n as i32).collect();
        absolute[3..].copy_from_slice(&pivots[3..]);
        assert_eq!(norm(&difference(&a.dense(), &interchanged(&before, &absolute))), 0.0);
        laswp(a.view_mut(), 3..n, &pivots[3..], PivotOrder::Backward).unwrap();
        assert_eq!(norm(&difference(&a.dense(), &before)), 0.0);
        assert!(a.canaries_live());
    }
}

#[test]
fn matrices_at_the_ends_of_the_range_are_factorised() {
    fn check<T: Scalar>(scale: f64) {
        for n in [3, 40] {
            let mut a = Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 12);
            let before = a.dense();
            let mut a_scaled = a.clone().filled_with(|i, j| before[(i, j)] * scale);
            let scaled = a_scaled.dense();
            let (mut pivots, mut expected) = (vec![0; n], vec![0; n]);
            getrf(a_scaled.view_mut(), &mut pivots).unwrap();
            getrf(a.view_mut(), &mut expected).unwrap();
            assert_eq!(pivots, expected);
            let ratio = factor_ratio::<T>(&scaled, &a_scaled.dense(), &pivots);
            assert_ratio::<T>(ratio, "P A - L U", &(n, scale));
        }
    }
    for scale in [2f64.powi(-120), 2f64.powi(120)] {
        for_each_type!(check(scale));
    }
    for scale in [2f64.powi(-1000), 2f64.powi(1000)] {
        check::<f64>(scale);
        check::<Complex64>(scale);
    }
    // Subnormal pivots, whose reciprocals overflow.
    let tiny = f64::from_bits(1 << 4);
    let mut a = Stored::<f64>::new(Layout::ColumnMajor, 2, 2, 0, 0)
        .filled_with(|i, j| Complex64::new([[2.0, 0.0], [1.0, 1.0]][i][j] * tiny, 0.0));
    getrf(a.view_mut(), &mut [0; 2]).unwrap();
    assert_eq!(a.element(1, 0).re, 0.5);
}

#[test]
fn a_nan_ends_neither_in_a_loop_nor_in_a_panic() {
    for value in [f64::NAN, f64::INFINITY] {
        for n in [4, 40, 150] {
            for (i, j) in [(0, 0), (n - 1, 0), (n / 2, n / 2)] {
                let mut a = Stored::<f64>::new(Layout::ColumnMajor, n, n, 0, 2);
                a.set(i, j, Complex64::new(value, 0.0));
                let mut pivots = vec![0; n];
                let _ = getrf(a.view_mut(), &mut pivots);
                assert!(pivots.iter().all(|pivot| (1..=n as i32).contains(pivot)));
                assert!(a.data.iter().any(|x| !x.is_finite()), "{value} in ({i}, {j}) of {n} disappeared");
            }
        }
    }
}
