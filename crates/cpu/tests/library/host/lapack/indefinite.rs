//! Symmetric and Hermitian indefinite matrices: LAPACK's tests of xSYTRF, xSYTRS, xSYSV, xSYTRI and their xHE.

use affinimath_core::options::{Symmetry, Triangle};
use affinimath_cpu::lapack::{gesv, hesv, hetrf, hetri, hetrs, pivots_fit, sysv, sytrf, sytri, sytrs};
use affinimath_testing::{filled, for_each_type};

use super::*;

/// On both sides of a panel's width, and of two.
pub(super) const ORDERS: [usize; 12] = [0, 1, 2, 3, 4, 7, 47, 48, 49, 50, 64, 99];
pub(super) const SYMMETRIES: [Symmetry; 2] = [Symmetry::Symmetric, Symmetry::Hermitian];

/// Diagonals of different kinds of matrices.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// As large as other elements.
    Random,
    /// Zero: every block of D is of order 2.
    ZeroDiagonal,
    /// Dominant: every block is of order 1.
    Dominant,
    /// Rows and columns scaled over many orders of magnitude.
    Graded,
}
pub(super) const KINDS: [Kind; 4] = [Kind::Random, Kind::ZeroDiagonal, Kind::Dominant, Kind::Graded];

/// A matrix that the type represents.
pub(super) fn indefinite<T: Scalar>(n: usize, symmetry: Symmetry, kind: Kind, seed: u64) -> Dense {
    let values = filled::<T>(n, n, seed);
    let grade = |i: usize| if matches!(kind, Kind::Graded) { 2f64.powi(-((7 * i % 23) as i32)) } else { 1.0 };
    let hermitian = symmetry == Symmetry::Hermitian;
    let a = Mat::from_fn(n, n, |i, j| {
        let value = complex(values[(i.max(j), i.min(j))]) * grade(i) * grade(j);
        match i.cmp(&j) {
            std::cmp::Ordering::Greater => value,
            std::cmp::Ordering::Less => {
                if hermitian {
                    value.conj()
                } else {
                    value
                }
            }
            std::cmp::Ordering::Equal => {
                let value = if hermitian { Complex64::new(value.re, 0.0) } else { value };
                match kind {
                    Kind::ZeroDiagonal => Complex64::ZERO,
                    Kind::Dominant => value + 2.0 * n as f64,
                    _ => value,
                }
            }
        }
    });
    Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 0).filled_with(|i, j| a[(i, j)]).dense()
}

/// The triangle of a matrix, NaN elsewhere.
pub(super) fn triangle_of<T: Scalar>(a: &Dense, triangle: Triangle, (layout, gap): (Layout, usize)) -> Stored<T> {
    let inside = |i, j| if triangle == Triangle::Lower { i >= j } else { i <= j };
    let nan = Complex64::new(f64::NAN, f64::NAN);
    Stored::<T>::new(layout, a.nrows(), a.ncols(), gap, 0)
        .filled_with(|i, j| if inside(i, j) { a[(i, j)] } else { nan })
}

pub(super) fn other_triangle_lives<T: Scalar>(a: &Stored<T>, triangle: Triangle) -> bool {
    let other = |i, j| if triangle == Triangle::Lower { i < j } else { i > j };
    let n = a.shape.rows();
    (0..n).all(|j| (0..n).filter(|i| other(*i, j)).all(|i| a.element(i, j).re.is_nan()))
}

fn factorise<T: Scalar>(
    symmetry: Symmetry,
    triangle: Triangle,
    a: &mut Stored<T>,
    pivots: &mut [i32],
) -> Option<usize> {
    match symmetry {
        Symmetry::Symmetric => sytrf(triangle, view_mut(a), pivots),
        Symmetry::Hermitian => hetrf(triangle, view_mut(a), pivots),
    }
}

/// P L D Lᴴ Pᵀ by LAPACK's recipe: the product of P(k) L(k), one block after another.
fn multiplied<T: Scalar>(factors: &Stored<T>, symmetry: Symmetry, triangle: Triangle, pivots: &[i32]) -> Dense {
    multiplied_with(factors, symmetry, triangle, pivots, |k, step| {
        let row = if triangle == Triangle::Lower { k + step - 1 } else { k };
        vec![(row, pivots[k].unsigned_abs() as usize - 1)]
    })
}

/// The same with the interchanges of the rows of block k, of a given order.
pub(super) fn multiplied_with<T: Scalar>(
    factors: &Stored<T>,
    symmetry: Symmetry,
    triangle: Triangle,
    pivots: &[i32],
    interchanges: impl Fn(usize, usize) -> Vec<(usize, usize)>,
) -> Dense {
    let n = pivots.len();
    let of = |x: Complex64| if symmetry == Symmetry::Hermitian { x.conj() } else { x };
    let mut d = Mat::zeros(n, n);
    // The factor, from the left.
    let mut l = Mat::from_fn(n, n, |i, j| Complex64::new(f64::from(u8::from(i == j)), 0.0));
    let lower = triangle == Triangle::Lower;
    let mut blocks = Vec::new();
    let mut k = 0;
    while k < n {
        let step = if pivots[k] > 0 { 1 } else { 2 };
        blocks.push((k, step));
        k += step;
    }
    for &(k, step) in &blocks {
        for i in k..k + step {
            d[(i, i)] = factors.element(i, i);
        }
        if step == 2 {
            let (row, column) = if lower { (k + 1, k) } else { (k, k + 1) };
            d[(row, column)] = factors.element(row, column);
            d[(column, row)] = of(factors.element(row, column));
        }
    }
    // L = P(1) L(1) P(2) L(2) ... of blocks from the first one, of an upper triangle from the last one on; so the
    // factors multiply the identity in reverse order.
    let order: Vec<_> = if lower { blocks.into_iter().rev().collect() } else { blocks };
    for (k, step) in order {
        for column in k..k + step {
            let rows = if lower { k + step..n } else { 0..k };
            for j in 0..n {
                let above = l[(column, j)];
                if above == Complex64::ZERO {
                    continue;
                }
                rows.clone().for_each(|i| l[(i, j)] += factors.element(i, column) * above);
            }
        }
        // The last interchange of the factorisation is the first one here.
        for (row, pivot) in interchanges(k, step).into_iter().rev() {
            for j in 0..n {
                (l[(row, j)], l[(pivot, j)]) = (l[(pivot, j)], l[(row, j)]);
            }
        }
    }
    let transposed = if symmetry == Symmetry::Hermitian { Op::ConjTrans } else { Op::Trans };
    product(&product(&l, &d), &operated(transposed, &l))
}

fn factors_multiply<T: Scalar>(n: usize, symmetry: Symmetry, triangle: Triangle, storage: (Layout, usize)) {
    for kind in KINDS {
        let case = (n, symmetry, triangle, storage, kind);
        let a = indefinite::<T>(n, symmetry, kind, 1);
        let (mut factors, mut pivots) = (triangle_of::<T>(&a, triangle, storage), vec![0; n]);
        let info = factorise(symmetry, triangle, &mut factors, &mut pivots);
        assert!(info.is_none() || matches!(kind, Kind::ZeroDiagonal) && n % 2 == 1, "{case:?}: {info:?}");
        assert!(factors.canaries_live() && other_triangle_lives(&factors, triangle), "{case:?}");
        assert!(pivots_fit(triangle, &pivots), "{case:?}: {pivots:?}");
        let found = multiplied(&factors, symmetry, triangle, &pivots);
        assert_ratio::<T>(&Mat::from_fn(n, n, |i, j| a[(i, j)] - found[(i, j)]), n, norm(&a), &case);
    }
}

#[test]
fn indefinite_factors_multiply_to_the_matrix() {
    for n in ORDERS {
        for (k, symmetry) in SYMMETRIES.into_iter().enumerate() {
            for &triangle in Triangle::ALL {
                for_each_type!(factors_multiply(n, symmetry, triangle, STORAGES[(n + k) % 3]));
            }
        }
    }
    for storage in STORAGES {
        factors_multiply::<Complex64>(60, Symmetry::Hermitian, Triangle::Upper, storage);
        factors_multiply::<Complex64>(60, Symmetry::Symmetric, Triangle::Lower, storage);
    }
}

fn solves<T: Scalar>(n: usize, columns: usize, symmetry: Symmetry, triangle: Triangle, storage: (Layout, usize)) {
    let case = (n, columns, symmetry, triangle, storage);
    let a = indefinite::<T>(n, symmetry, Kind::Random, 2);
    let right = Stored::<T>::new(storage.0, n, columns, storage.1, 3);
    let (mut factors, mut x, mut pivots) = (triangle_of::<T>(&a, triangle, storage), right.clone(), vec![0; n]);
    let info = match symmetry {
        Symmetry::Symmetric => sysv(triangle, view_mut(&mut factors), &mut pivots, view_mut(&mut x)),
        Symmetry::Hermitian => hesv(triangle, view_mut(&mut factors), &mut pivots, view_mut(&mut x)),
    };
    assert_eq!(info, None, "{case:?}");
    assert!(x.canaries_live());
    assert_solves::<T>(Op::NoTrans, &a, &x.dense(), &right.dense(), &case);
    let mut y = right.clone();
    let view = view_mut(&mut factors);
    match symmetry {
        Symmetry::Symmetric => sytrs(triangle, view.as_ref(), &pivots, view_mut(&mut y)),
        Symmetry::Hermitian => hetrs(triangle, view.as_ref(), &pivots, view_mut(&mut y)),
    }
    assert_eq!(x.dense(), y.dense(), "{case:?}");
    let mut inverse = factors.clone();
    let info = match symmetry {
        Symmetry::Symmetric => sytri(triangle, view_mut(&mut inverse), &pivots),
        Symmetry::Hermitian => hetri(triangle, view_mut(&mut inverse), &pivots),
    };
    assert_eq!(info, None, "{case:?}");
    assert!(inverse.canaries_live() && other_triangle_lives(&inverse, triangle), "{case:?}");
    let lower = triangle == Triangle::Lower;
    let whole = Mat::from_fn(n, n, |i, j| {
        let stored = if lower { i >= j } else { i <= j };
        match (stored, symmetry) {
            (true, _) => inverse.element(i, j),
            (_, Symmetry::Symmetric) => inverse.element(j, i),
            (_, Symmetry::Hermitian) => inverse.element(j, i).conj(),
        }
    });
    let found = product(&a, &whole);
    let error = Mat::from_fn(n, n, |i, j| found[(i, j)] - f64::from(u8::from(i == j)));
    assert_ratio::<T>(&error, n, norm(&a) * norm(&whole), &case);
}

#[test]
fn indefinite_solutions_and_inverses() {
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
fn sysv_agrees_with_dense_gesv() {
    fn check<T: Scalar>() {
        let n = 70;
        let a = indefinite::<T>(n, Symmetry::Symmetric, Kind::Dominant, 4);
        let mut whole = Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 0).filled_with(|i, j| a[(i, j)]);
        let right = Stored::<T>::new(Layout::ColumnMajor, n, 2, 0, 5);
        let (mut x, mut y) = (right.clone(), right);
        assert_eq!(gesv(view_mut(&mut whole), &mut vec![0; n], view_mut(&mut x)), None);
        let mut triangle = triangle_of::<T>(&a, Triangle::Upper, STORAGES[0]);
        assert_eq!(sysv(Triangle::Upper, view_mut(&mut triangle), &mut vec![0; n], view_mut(&mut y)), None);
        let (x, y) = (x.dense(), y.dense());
        assert_ratio::<T>(&Mat::from_fn(n, 2, |i, j| x[(i, j)] - y[(i, j)]), n, norm(&x), &"gesv");
    }
    for_each_type!(check());
}

/// A row and column of zeros: the factorisation goes on, and neither right-hand sides nor factors change.
#[test]
fn a_singular_indefinite_matrix_is_told() {
    fn check<T: Scalar>(n: usize, zero: usize, symmetry: Symmetry, triangle: Triangle) {
        let mut a = indefinite::<T>(n, symmetry, Kind::Dominant, 6);
        (0..n).for_each(|i| (a[(i, zero)], a[(zero, i)]) = (Complex64::ZERO, Complex64::ZERO));
        let right = Stored::<T>::new(Layout::ColumnMajor, n, 2, 1, 7);
        let (mut factors, mut x, mut pivots) = (triangle_of::<T>(&a, triangle, STORAGES[1]), right.clone(), vec![0; n]);
        let (solved, inverted) = match symmetry {
            Symmetry::Symmetric => (
                sysv(triangle, view_mut(&mut factors), &mut pivots, view_mut(&mut x)),
                sytri(triangle, view_mut(&mut factors.clone()), &pivots),
            ),
            Symmetry::Hermitian => (
                hesv(triangle, view_mut(&mut factors), &mut pivots, view_mut(&mut x)),
                hetri(triangle, view_mut(&mut factors.clone()), &pivots),
            ),
        };
        assert_eq!((solved, inverted), (Some(zero + 1), Some(zero + 1)), "{n} {zero} {symmetry:?} {triangle:?}");
        assert_eq!(x.dense(), right.dense());
        let found = multiplied(&factors, symmetry, triangle, &pivots);
        assert_ratio::<T>(&Mat::from_fn(n, n, |i, j| a[(i, j)] - found[(i, j)]), n, norm(&a), &(n, zero));
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
fn nan_in_an_indefinite_matrix_does_not_hang() {
    for &triangle in Triangle::ALL {
        for n in [1, 2, 9, 120] {
            let nan = Complex64::new(f64::NAN, f64::NAN);
            let mut one = indefinite::<f64>(n, Symmetry::Symmetric, Kind::Random, 8);
            one[(n / 2, n / 2)] = nan;
            for a in [one, Mat::from_fn(n, n, |_, _| nan)] {
                let (mut factors, mut pivots) = (triangle_of::<f64>(&a, triangle, STORAGES[0]), vec![0; n]);
                let mut x = Stored::<f64>::new(Layout::ColumnMajor, n, 1, 0, 9);
                let info = sysv(triangle, view_mut(&mut factors), &mut pivots, view_mut(&mut x));
                assert!(info.is_some() || x.dense()[(0, 0)].re.is_nan(), "{n} {info:?}");
                assert!(pivots_fit(triangle, &pivots), "{n}");
            }
        }
    }
}

#[test]
fn pivots_that_are_none_are_found() {
    for (pivots, lower, upper) in [
        (&[1, 2, 3][..], true, true),
        (&[3, 3, 3], true, false),
        (&[1, 1, 1], false, true),
        (&[-2, -2, 3], true, false),
        (&[-1, -1, 3], false, true),
        (&[-3, -3, 3], true, false),
        (&[-3, -2, 3], false, false),
        (&[1, 2, -3], false, false),
        (&[0, 2, 3], false, false),
        (&[4, 2, 3], false, false),
        (&[i32::MIN, 2, 3], false, false),
    ] {
        assert_eq!(pivots_fit(Triangle::Lower, pivots), lower, "{pivots:?}");
        assert_eq!(pivots_fit(Triangle::Upper, pivots), upper, "{pivots:?}");
    }
}
