//! Band matrices: LAPACK's tests of xGBTRF, xGBTRS, xGBSV, xPBTRF, xPBTRS and xPBSV.

use affinimath_core::options::Triangle;
use affinimath_cpu::lapack::{gbsv, gbtrf, gbtrs, gesv, pbsv, pbtrf, pbtrs, posv};
use affinimath_testing::{filled, for_each_type};

use super::*;

/// Orders, and diagonals below and above: on both sides of the panels' width, and more than the matrix has.
const BANDS: [[usize; 3]; 14] = [
    [0, 1, 1],
    [1, 0, 0],
    [1, 2, 3],
    [2, 1, 0],
    [5, 0, 2],
    [5, 2, 0],
    [9, 2, 1],
    [33, 4, 7],
    [40, 50, 3],
    [70, 3, 60],
    [90, 48, 0],
    [97, 48, 5],
    [130, 50, 64],
    [64, 63, 63],
];
const OPS: [Op; 4] = [Op::NoTrans, Op::Trans, Op::ConjTrans, Op::ConjNoTrans];

/// A band of values in (-1, 1); the diagonal times `weight`.
fn band<T: Scalar>([m, n]: [usize; 2], [kl, ku]: [usize; 2], weight: f64, seed: u64) -> Dense {
    let values = filled::<T>(m, n, seed);
    Mat::from_fn(m, n, |i, j| match (i, j) {
        _ if i == j => complex(values[(i, j)]) * weight,
        _ if i <= j + kl && j <= i + ku => complex(values[(i, j)]),
        _ => Complex64::ZERO,
    })
}

/// The band in LAPACK's array, NaN elsewhere: also where U fills in.
fn stored<T: Scalar>(a: &Dense, [kl, ku]: [usize; 2], fill: usize, (layout, gap): (Layout, usize)) -> Stored<T> {
    let (m, n) = (a.nrows(), a.ncols());
    let array = Stored::<T>::new(layout, kl + ku + 1 + fill, n, gap, 0);
    array.filled_with(|row, j| {
        let i = (row + j).wrapping_sub(ku + fill);
        let inside = i < m && i <= j + kl && j <= i + ku;
        if inside { a[(i, j)] } else { Complex64::new(f64::NAN, f64::NAN) }
    })
}

/// P L U of gbtrf's factors.
fn multiplied<T: Scalar>(array: &Stored<T>, m: usize, [kl, ku]: [usize; 2], pivots: &[i32]) -> Dense {
    let (n, wide) = (array.shape.columns(), kl + ku);
    let mut a =
        Mat::from_fn(
            m,
            n,
            |i, j| {
                if i <= j && j <= i + wide { array.element(wide + i - j, j) } else { Complex64::ZERO }
            },
        );
    for step in (0..m.min(n)).rev() {
        let pivot = pivots[step] as usize - 1;
        for j in 0..n {
            let above = a[(step, j)];
            let rows = if above == Complex64::ZERO { 0..0 } else { step + 1..m.min(step + kl + 1) };
            for i in rows {
                a[(i, j)] += array.element(wide + i - step, step) * above;
            }
            (a[(step, j)], a[(pivot, j)]) = (a[(pivot, j)], a[(step, j)]);
        }
    }
    a
}

/// True if what is outside the matrix is still NaN.
fn outside_is_untouched<T: Scalar>(array: &Stored<T>, m: usize, first: usize) -> bool {
    (0..array.shape.columns()).all(|j| {
        let outside = |row: usize| (row + j).wrapping_sub(first) >= m;
        (0..array.shape.rows()).filter(|row| outside(*row)).all(|row| array.element(row, j).re.is_nan())
    })
}

fn factors_multiply<T: Scalar>(m: usize, n: usize, [kl, ku]: [usize; 2], storage: (Layout, usize)) {
    for weight in [0.25, 8.0] {
        let case = (m, n, kl, ku, storage, weight);
        let a = band::<T>([m, n], [kl, ku], weight, 1);
        let mut array = stored::<T>(&a, [kl, ku], kl, storage);
        let mut pivots = vec![-7; m.min(n)];
        let info = gbtrf(m, [kl, ku], view_mut(&mut array), &mut pivots);
        assert_eq!(info, None, "{case:?}");
        assert!(array.canaries_live() && outside_is_untouched(&array, m, kl + ku), "{case:?}");
        let found = multiplied(&array, m, [kl, ku], &pivots);
        let error = Mat::from_fn(m, n, |i, j| a[(i, j)] - found[(i, j)]);
        // Of a matrix of another precision than doubles, `a` was rounded.
        assert_ratio::<T>(&error, m.max(n), norm(&a), &case);
    }
}

#[test]
fn band_factors_multiply_to_the_matrix() {
    for [n, kl, ku] in BANDS {
        for storage in STORAGES {
            for_each_type!(factors_multiply(n, n, [kl, ku], storage));
        }
    }
    for (m, n) in [(1, 4), (4, 1), (30, 50), (50, 30), (120, 90), (90, 120)] {
        for_each_type!(factors_multiply(m, n, [3, 5], STORAGES[1]));
        for_each_type!(factors_multiply(m, n, [50, 9], STORAGES[1]));
    }
}

fn solves<T: Scalar>([n, kl, ku]: [usize; 3], columns: usize, storage: (Layout, usize)) {
    let a = band::<T>([n, n], [kl, ku], 2.0, 2);
    let (array, right) =
        (stored::<T>(&a, [kl, ku], kl, storage), Stored::<T>::new(storage.0, n, columns, storage.1, 3));
    let (mut factors, mut pivots) = (array.clone(), vec![0; n]);
    gbtrf(n, [kl, ku], view_mut(&mut factors), &mut pivots);
    for op in OPS {
        let mut x = right.clone();
        gbtrs(op, [kl, ku], view_mut(&mut factors).as_ref(), &pivots, view_mut(&mut x));
        assert!(x.canaries_live());
        assert_solves::<T>(op, &a, &x.dense(), &right.dense(), &([n, kl, ku], columns, storage, op));
    }
    let (mut at_once, mut x) = (array, right.clone());
    assert_eq!(gbsv([kl, ku], view_mut(&mut at_once), &mut pivots, view_mut(&mut x)), None);
    assert_solves::<T>(Op::NoTrans, &a, &x.dense(), &right.dense(), &([n, kl, ku], columns, storage));
}

#[test]
fn band_solutions_of_all_ops_and_layouts() {
    for shape in BANDS {
        for (columns, storage) in [0, 1, 3, 17].into_iter().zip(STORAGES.into_iter().cycle()) {
            for_each_type!(solves(shape, columns, storage));
        }
    }
}

#[test]
fn gbsv_agrees_with_dense_gesv() {
    fn check<T: Scalar>([n, kl, ku]: [usize; 3]) {
        let a = band::<T>([n, n], [kl, ku], 3.0 + (kl + ku) as f64, 4);
        let mut whole = Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 0).filled_with(|i, j| a[(i, j)]);
        let mut array = stored::<T>(&a, [kl, ku], kl, STORAGES[0]);
        let right = Stored::<T>::new(Layout::ColumnMajor, n, 2, 0, 5);
        let (mut x, mut y) = (right.clone(), right);
        assert_eq!(gesv(view_mut(&mut whole), &mut vec![0; n], view_mut(&mut x)), None);
        assert_eq!(gbsv([kl, ku], view_mut(&mut array), &mut vec![0; n], view_mut(&mut y)), None);
        let (x, y) = (x.dense(), y.dense());
        let error = Mat::from_fn(n, 2, |i, j| x[(i, j)] - y[(i, j)]);
        assert_ratio::<T>(&error, n, norm(&x), &[n, kl, ku]);
    }
    for shape in [[30, 2, 3], [120, 50, 50]] {
        for_each_type!(check(shape));
    }
}

/// A column that is zero in the band; the factorisation goes on, and right-hand sides stand.
#[test]
fn a_singular_band_is_told() {
    fn check<T: Scalar>([n, kl, ku]: [usize; 3], zero: usize) {
        let mut a = band::<T>([n, n], [kl, ku], 2.0, 6);
        (0..n).for_each(|i| a[(i, zero)] = Complex64::ZERO);
        let mut array = stored::<T>(&a, [kl, ku], kl, STORAGES[1]);
        let right = Stored::<T>::new(Layout::ColumnMajor, n, 2, 1, 7);
        let (mut x, mut pivots) = (right.clone(), vec![0; n]);
        let info = gbsv([kl, ku], view_mut(&mut array), &mut pivots, view_mut(&mut x));
        assert_eq!(info, Some(zero + 1), "{n} {kl} {ku} {zero}");
        assert_eq!(x.dense(), right.dense());
        let found = multiplied(&array, n, [kl, ku], &pivots);
        let error = Mat::from_fn(n, n, |i, j| a[(i, j)] - found[(i, j)]);
        assert_ratio::<T>(&error, n, norm(&a), &[n, kl, ku, zero]);
    }
    for (shape, zero) in [([1, 0, 0], 0), ([9, 2, 3], 4), ([9, 2, 3], 8), ([120, 50, 50], 40), ([120, 50, 50], 0)] {
        for_each_type!(check(shape, zero));
    }
}

#[test]
fn nan_in_a_band_does_not_hang() {
    for [n, kl, ku] in [[9, 2, 2], [120, 50, 50]] {
        let mut a = band::<f64>([n, n], [kl, ku], 2.0, 8);
        a[(4, 4)] = Complex64::new(f64::NAN, 0.0);
        let mut array = stored::<f64>(&a, [kl, ku], kl, STORAGES[0]);
        let mut x = Stored::<f64>::new(Layout::ColumnMajor, n, 1, 0, 9);
        gbsv([kl, ku], view_mut(&mut array), &mut vec![0; n], view_mut(&mut x));
        assert!(x.dense()[(n - 1, 0)].re.is_nan());
        let mut a = definite::<f64>(n, kl, 8);
        a[(4, 4)] = Complex64::new(f64::NAN, 0.0);
        let mut array = stored::<f64>(&a, [kl, 0], 0, STORAGES[0]);
        assert_eq!(pbtrf(Triangle::Lower, kl, view_mut(&mut array)), Some(5));
    }
}

/// A Hermitian positive definite band matrix.
fn definite<T: Scalar>(n: usize, kd: usize, seed: u64) -> Dense {
    let values = filled::<T>(n, n, seed);
    Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => Complex64::new(2.0 * kd as f64 + 1.5, 0.0),
        distance if distance > kd => Complex64::ZERO,
        _ if i > j => complex(values[(i, j)]),
        _ => complex(values[(j, i)]).conj(),
    })
}

fn definite_solves<T: Scalar>(triangle: Triangle, n: usize, kd: usize, storage: (Layout, usize)) {
    let case = (triangle, n, kd, storage);
    let a = definite::<T>(n, kd, 10);
    let diagonals = if triangle == Triangle::Lower { [kd, 0] } else { [0, kd] };
    let array = stored::<T>(&a, diagonals, 0, storage);
    let mut factor = array.clone();
    assert_eq!(pbtrf(triangle, kd, view_mut(&mut factor)), None, "{case:?}");
    assert!(factor.canaries_live() && outside_is_untouched(&factor, n, diagonals[1]), "{case:?}");
    let l = Mat::from_fn(n, n, |i, j| match i.wrapping_sub(j) {
        distance if distance > kd => Complex64::ZERO,
        distance if triangle == Triangle::Lower => factor.element(distance, j),
        distance => factor.element(kd - distance, i).conj(),
    });
    let found = product(&l, &operated(Op::ConjTrans, &l));
    assert_ratio::<T>(&Mat::from_fn(n, n, |i, j| a[(i, j)] - found[(i, j)]), n, norm(&a), &case);
    for columns in [0, 1, 11] {
        let right = Stored::<T>::new(storage.0, n, columns, storage.1, 11);
        let mut x = right.clone();
        pbtrs(triangle, kd, view_mut(&mut factor).as_ref(), view_mut(&mut x));
        assert!(x.canaries_live());
        assert_solves::<T>(Op::NoTrans, &a, &x.dense(), &right.dense(), &case);
        let (mut at_once, mut y) = (array.clone(), right.clone());
        assert_eq!(pbsv(triangle, kd, view_mut(&mut at_once), view_mut(&mut y)), None);
        assert_eq!(x.dense(), y.dense(), "{case:?}");
    }
}

#[test]
fn positive_definite_bands() {
    for (n, kd) in [(0, 1), (1, 0), (1, 3), (5, 0), (9, 2), (33, 7), (70, 47), (70, 48), (40, 60), (130, 50)] {
        for storage in STORAGES {
            for &triangle in Triangle::ALL {
                for_each_type!(definite_solves(triangle, n, kd, storage));
            }
        }
    }
}

#[test]
fn pbsv_agrees_with_dense_posv_and_tells_what_is_not_definite() {
    fn check<T: Scalar>(triangle: Triangle, n: usize, kd: usize) {
        let a = definite::<T>(n, kd, 12);
        let diagonals = if triangle == Triangle::Lower { [kd, 0] } else { [0, kd] };
        let mut whole = Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 0).filled_with(|i, j| a[(i, j)]);
        let right = Stored::<T>::new(Layout::ColumnMajor, n, 2, 0, 13);
        let (mut x, mut y) = (right.clone(), right.clone());
        assert_eq!(posv(triangle, view_mut(&mut whole), view_mut(&mut x)), None);
        let mut array = stored::<T>(&a, diagonals, 0, STORAGES[2]);
        assert_eq!(pbsv(triangle, kd, view_mut(&mut array), view_mut(&mut y)), None);
        let (x, y) = (x.dense(), y.dense());
        assert_ratio::<T>(&Mat::from_fn(n, 2, |i, j| x[(i, j)] - y[(i, j)]), n, norm(&x), &(triangle, n, kd));
        for minor in [0, n / 2, n - 1] {
            let mut a = a.clone();
            a[(minor, minor)] = Complex64::new(-1.0, 0.0);
            let mut array = stored::<T>(&a, diagonals, 0, STORAGES[1]);
            let mut x = right.clone();
            assert_eq!(pbsv(triangle, kd, view_mut(&mut array), view_mut(&mut x)), Some(minor + 1));
            assert_eq!(x.dense(), right.dense());
        }
    }
    for &triangle in Triangle::ALL {
        for_each_type!(check(triangle, 20, 3));
        for_each_type!(check(triangle, 130, 60));
    }
}
