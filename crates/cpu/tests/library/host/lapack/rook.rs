//! The rook variant of Bunch and Kaufman's factorisation: LAPACK's tests of xSYTRF_ROOK and what is made of it.

use affinimath_core::options::{Symmetry, Triangle};
use affinimath_cpu::lapack::{
    Pivoting, hecon, hesv_rook, hetrf_rook, hetri_rook, rook_pivots_fit, sycon, sysv_rook, sytrf_rook, sytri_rook,
};
use affinimath_testing::{Stored, for_each_type};

use super::indefinite::{
    KINDS, Kind, ORDERS, SYMMETRIES, indefinite, multiplied_with, other_triangle_lives, triangle_of,
};
use super::*;

/// The interchanges of a block, in the order of the factorisation.
fn interchanges(triangle: Triangle, pivots: &[i32], k: usize, step: usize) -> Vec<(usize, usize)> {
    let mut rows: Vec<_> = (k..k + step).map(|k| (k, pivots[k].unsigned_abs() as usize - 1)).collect();
    if triangle == Triangle::Upper {
        rows.reverse();
    }
    rows
}

fn factorise<T: Scalar>(
    symmetry: Symmetry,
    triangle: Triangle,
    a: &mut Stored<T>,
    pivots: &mut [i32],
) -> Option<usize> {
    match symmetry {
        Symmetry::Symmetric => sytrf_rook(triangle, view_mut(a), pivots),
        Symmetry::Hermitian => hetrf_rook(triangle, view_mut(a), pivots),
    }
}

/// Multipliers of rook pivoting are bounded: |l| < 1 / (1 - alpha), by |re| + |im| a little more.
const MAX_MULTIPLIER: f64 = 2.8 * std::f64::consts::SQRT_2;

fn factors_multiply<T: Scalar>(n: usize, symmetry: Symmetry, triangle: Triangle, storage: (Layout, usize)) {
    for kind in KINDS {
        let case = (n, symmetry, triangle, storage, kind);
        let a = indefinite::<T>(n, symmetry, kind, 1);
        let (mut factors, mut pivots) = (triangle_of::<T>(&a, triangle, storage), vec![0; n]);
        let info = factorise(symmetry, triangle, &mut factors, &mut pivots);
        assert!(info.is_none() || matches!(kind, Kind::ZeroDiagonal) && n % 2 == 1, "{case:?}: {info:?}");
        assert!(factors.canaries_live() && other_triangle_lives(&factors, triangle), "{case:?}");
        assert!(rook_pivots_fit(triangle, &pivots), "{case:?}: {pivots:?}");
        let found =
            multiplied_with(&factors, symmetry, triangle, &pivots, |k, step| interchanges(triangle, &pivots, k, step));
        assert_ratio::<T>(&Mat::from_fn(n, n, |i, j| a[(i, j)] - found[(i, j)]), n, norm(&a), &case);
        let lower = triangle == Triangle::Lower;
        for k in 0..n {
            // Of a block of order 2, the element off the diagonal is D's.
            let below = if lower { k + 1 } else { 0 }..if lower { n } else { k };
            for i in below.filter(|i| pivots[k] > 0 || pivots[*i] > 0 || i.abs_diff(k) > 1) {
                assert!(modulus(factors.element(i, k)) < MAX_MULTIPLIER, "{case:?}: {i} {k}");
            }
        }
    }
}

#[test]
fn rook_factors_multiply_to_the_matrix_and_are_bounded() {
    for n in ORDERS {
        for (k, symmetry) in SYMMETRIES.into_iter().enumerate() {
            for &triangle in Triangle::ALL {
                for_each_type!(factors_multiply(n, symmetry, triangle, STORAGES[(n + k) % 3]));
            }
        }
    }
}

fn solves<T: Scalar>(n: usize, columns: usize, symmetry: Symmetry, triangle: Triangle, storage: (Layout, usize)) {
    let case = (n, columns, symmetry, triangle, storage);
    let a = indefinite::<T>(n, symmetry, Kind::Random, 2);
    let right = Stored::<T>::new(storage.0, n, columns, storage.1, 3);
    let (mut factors, mut x, mut pivots) = (triangle_of::<T>(&a, triangle, storage), right.clone(), vec![0; n]);
    let info = match symmetry {
        Symmetry::Symmetric => sysv_rook(triangle, view_mut(&mut factors), &mut pivots, view_mut(&mut x)),
        Symmetry::Hermitian => hesv_rook(triangle, view_mut(&mut factors), &mut pivots, view_mut(&mut x)),
    };
    assert_eq!(info, None, "{case:?}");
    assert!(x.canaries_live());
    assert_solves::<T>(Op::NoTrans, &a, &x.dense(), &right.dense(), &case);
    let mut inverse = factors.clone();
    let info = match symmetry {
        Symmetry::Symmetric => sytri_rook(triangle, view_mut(&mut inverse), &pivots),
        Symmetry::Hermitian => hetri_rook(triangle, view_mut(&mut inverse), &pivots),
    };
    assert_eq!(info, None, "{case:?}");
    assert!(inverse.canaries_live() && other_triangle_lives(&inverse, triangle), "{case:?}");
    let lower = triangle == Triangle::Lower;
    let whole = Mat::from_fn(n, n, |i, j| match (if lower { i >= j } else { i <= j }, symmetry) {
        (true, _) => inverse.element(i, j),
        (_, Symmetry::Symmetric) => inverse.element(j, i),
        (_, Symmetry::Hermitian) => inverse.element(j, i).conj(),
    });
    let found = product(&a, &whole);
    let error = Mat::from_fn(n, n, |i, j| found[(i, j)] - f64::from(u8::from(i == j)));
    assert_ratio::<T>(&error, n, norm(&a) * norm(&whole), &case);
    // The estimate is nearly always within a factor of 3, and LAPACK's tests allow one of 30.
    let exact = if n == 0 { 1.0 } else { 1.0 / (norm(&a) * norm(&whole)) };
    let view = view_mut(&mut factors);
    let rcond = match symmetry {
        Symmetry::Symmetric => sycon(Pivoting::Rook, triangle, view.as_ref(), &pivots, norm(&a)),
        Symmetry::Hermitian => hecon(Pivoting::Rook, triangle, view.as_ref(), &pivots, norm(&a)),
    };
    assert!(rcond >= exact * 0.9 && rcond <= exact * 10.0, "{case:?}: {rcond:e}, {exact:e}");
}

#[test]
fn rook_solutions_inverses_and_conditions() {
    for n in ORDERS {
        for (columns, storage) in [0, 1, 5].into_iter().zip(STORAGES) {
            for symmetry in SYMMETRIES {
                for &triangle in Triangle::ALL {
                    for_each_type!(solves(n, columns, symmetry, triangle, storage));
                }
            }
        }
    }
}

#[test]
fn a_singular_matrix_is_told_by_rook_pivoting() {
    fn check<T: Scalar>(n: usize, zero: usize, symmetry: Symmetry, triangle: Triangle) {
        let mut a = indefinite::<T>(n, symmetry, Kind::Dominant, 6);
        (0..n).for_each(|i| (a[(i, zero)], a[(zero, i)]) = (Complex64::ZERO, Complex64::ZERO));
        let (mut factors, mut pivots) = (triangle_of::<T>(&a, triangle, STORAGES[1]), vec![0; n]);
        let info = factorise(symmetry, triangle, &mut factors, &mut pivots);
        assert_eq!(info, Some(zero + 1), "{n} {zero} {symmetry:?} {triangle:?}");
        let view = view_mut(&mut factors);
        let rcond = match symmetry {
            Symmetry::Symmetric => sycon(Pivoting::Rook, triangle, view.as_ref(), &pivots, 1.0),
            Symmetry::Hermitian => hecon(Pivoting::Rook, triangle, view.as_ref(), &pivots, 1.0),
        };
        assert_eq!(rcond, 0.0);
    }
    for symmetry in SYMMETRIES {
        for &triangle in Triangle::ALL {
            for (n, zero) in [(1, 0), (6, 0), (6, 3), (6, 5), (70, 30)] {
                for_each_type!(check(n, zero, symmetry, triangle));
            }
        }
    }
}

#[test]
fn nan_does_not_hang_rook_pivoting() {
    for &triangle in Triangle::ALL {
        for n in [1, 2, 9, 120] {
            let nan = Complex64::new(f64::NAN, f64::NAN);
            let ones = [(n / 2, n / 2), (n - 1, 0), (n / 3, n / 2)].map(|(i, j)| {
                let mut one = indefinite::<f64>(n, Symmetry::Symmetric, Kind::Random, 8);
                (one[(i, j)], one[(j, i)]) = (nan, nan);
                one
            });
            for a in ones.into_iter().chain([Mat::from_fn(n, n, |_, _| nan)]) {
                let (mut factors, mut pivots) = (triangle_of::<f64>(&a, triangle, STORAGES[0]), vec![0; n]);
                let mut x = Stored::<f64>::new(Layout::ColumnMajor, n, 1, 0, 9);
                let info = sysv_rook(triangle, view_mut(&mut factors), &mut pivots, view_mut(&mut x));
                assert!(info.is_some() || x.dense()[(0, 0)].re.is_nan(), "{n} {info:?}");
                assert!(rook_pivots_fit(triangle, &pivots), "{n}: {pivots:?}");
            }
        }
    }
}

#[test]
fn rook_pivots_that_are_none_are_found() {
    for (pivots, lower, upper) in [
        (&[1, 2, 3][..], true, true),
        (&[3, 3, 3], true, false),
        (&[1, 1, 1], false, true),
        (&[-3, -2, 3], true, false),
        (&[-1, -2, 3], true, true),
        (&[-1, -1, 3], false, true),
        (&[1, 2, -3], false, false),
        (&[0, 2, 3], false, false),
        (&[4, 2, 3], false, false),
        (&[i32::MIN, 2, 3], false, false),
    ] {
        assert_eq!(rook_pivots_fit(Triangle::Lower, pivots), lower, "{pivots:?}");
        assert_eq!(rook_pivots_fit(Triangle::Upper, pivots), upper, "{pivots:?}");
    }
}
