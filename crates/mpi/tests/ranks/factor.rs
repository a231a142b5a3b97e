//! Factorisations and solves, against those of one process.

use affinimath::{Op, Scalar, Triangle};
use affinimath_mpi::{Error, Grid};

use super::support::{Full, assert_close, collect, distribute, element, nan, real};

/// A Hermitian positive definite matrix: B B^H / n + I.
fn positive_definite<T: Scalar>(n: usize) -> Full<T> {
    let b = Full::from_fn(n, n, element::<T>(20));
    let product = b.times(&b.turned(Op::ConjTrans));
    Full::from_fn(n, n, |i, j| {
        let value = product.at(i, j) * real::<T>(1.0 / n as f64);
        if i == j { T::from_parts(value.re() + 1.0, 0.0) } else { value }
    })
}

pub fn cholesky<T: Scalar>(grid: &Grid) {
    for (n, blocks) in [(0, (4, 4)), (1, (4, 4)), (3, (8, 8)), (29, (4, 4)), (29, (3, 5)), (40, (5, 5))] {
        for triangle in [Triangle::Lower, Triangle::Upper] {
            let stored = |i: usize, j: usize| if triangle == Triangle::Lower { i >= j } else { i <= j };
            let whole = positive_definite::<T>(n);
            let a = Full::from_fn(n, n, |i, j| if stored(i, j) { whole.at(i, j) } else { nan() });
            let mut expected = a.clone();
            affinimath::potrf(triangle, expected.view_mut()).unwrap();
            let factor = || {
                let mut result = distribute(grid, &a, blocks, 1);
                affinimath_mpi::potrf(triangle, &mut result).unwrap();
                result
            };
            let result = factor();
            assert_close(&collect(&result), &expected, 16.0 * (n + 1) as f64 * T::EPSILON);
            let bits = |local: &[T]| local.iter().map(|v| (v.re().to_bits(), v.im().to_bits())).collect::<Vec<_>>();
            assert_eq!(bits(result.local()), bits(factor().local()), "two runs differ");
        }
    }
    // A minor that is not positive definite, in the middle of the second block.
    let n = 23;
    let mut whole = positive_definite::<T>(n);
    whole.data[9 + 9 * n] = real(-1.0);
    for triangle in [Triangle::Lower, Triangle::Upper] {
        let mut a = distribute(grid, &whole, (6, 6), 0);
        let error = affinimath_mpi::potrf(triangle, &mut a).unwrap_err();
        assert_eq!(error, Error::NotPositiveDefinite { index: 10 });
    }
}

pub fn lu<T: Scalar>(grid: &Grid) {
    let sizes = [(0, 0), (1, 1), (3, 3), (31, 31), (40, 17), (17, 40), (24, 24)];
    for ((m, n), blocks) in sizes.into_iter().flat_map(|size| [(4, 4), (9, 9), (3, 5)].map(|blocks| (size, blocks))) {
        let a = Full::from_fn(m, n, element::<T>(21));
        let mut expected = a.clone();
        let mut pivots = vec![0; m.min(n)];
        affinimath::getrf(expected.view_mut(), &mut pivots).unwrap();
        let factor = || {
            let mut result = distribute(grid, &a, blocks, 1);
            let pivots = affinimath_mpi::getrf(&mut result).unwrap();
            (result, pivots)
        };
        let (result, found) = factor();
        assert_eq!(found, pivots, "{m} x {n}");
        let found = collect(&result);
        assert_reconstructs(&a, &found, &pivots);
        // Multipliers are at most 1, in the measure by which pivots are chosen.
        let growth = expected.largest().max(1.0);
        assert_close(&found, &expected, 512.0 * (m.max(n) + 1) as f64 * T::EPSILON * growth * growth);
        let (again, _) = factor();
        assert!(again.local() == result.local(), "two runs differ");
    }
    // A zero column: the factors are complete, and the info is LAPACK's.
    let n = 19;
    let a = Full::from_fn(n, n, |i, j| if j == 7 { T::ZERO } else { element::<T>(22)(i, j) });
    let mut result = distribute(grid, &a, (4, 4), 0);
    let (pivots, info) = affinimath_mpi::getrf_info(&mut result).unwrap();
    assert_eq!(info, 8);
    assert_reconstructs(&a, &collect(&result), &pivots);
    let mut result = distribute(grid, &a, (4, 4), 0);
    assert_eq!(affinimath_mpi::getrf(&mut result).unwrap_err(), Error::ZeroPivot { index: 8 });
}

/// LAPACK's ratio ||A - P L U|| / (n ||A|| eps) is below 30.
fn assert_reconstructs<T: Scalar>(a: &Full<T>, factors: &Full<T>, pivots: &[i32]) {
    let (m, n) = (a.m, a.n);
    let k = m.min(n);
    let l = Full::from_fn(m, k, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Greater => factors.at(i, j),
        std::cmp::Ordering::Equal => T::ONE,
        std::cmp::Ordering::Less => T::ZERO,
    });
    let u = Full::from_fn(k, n, |i, j| if i <= j { factors.at(i, j) } else { T::ZERO });
    let mut product = l.times(&u);
    for (t, pivot) in pivots.iter().enumerate().rev() {
        for j in 0..n {
            product.data.swap(t + j * m, *pivot as usize - 1 + j * m);
        }
    }
    assert_close(&product, a, 30.0 * (m.max(n) + 1) as f64 * T::EPSILON * a.largest().max(1.0));
}

pub fn qr<T: Scalar>(grid: &Grid) {
    for ((m, n), blocks) in [(0, 0), (1, 1), (5, 0), (30, 13), (13, 30), (22, 22)].map(|size| (size, (4, 3))) {
        let a = Full::from_fn(m, n, element::<T>(25));
        let mut expected = a.clone();
        let mut expected_tau = vec![T::ZERO; m.min(n)];
        affinimath::geqrf(expected.view_mut(), &mut expected_tau).unwrap();
        let factor = || {
            let mut result = distribute(grid, &a, blocks, 1);
            let tau = affinimath_mpi::geqrf(&mut result).unwrap();
            (result, tau)
        };
        let (result, tau) = factor();
        let bound = 128.0 * (m + n) as f64 * T::EPSILON * a.largest().max(1.0);
        assert_close(&collect(&result), &expected, bound * (m.min(n) + 1) as f64);
        assert!(tau.iter().zip(&expected_tau).all(|(x, y)| (*x - *y).modulus() <= bound * (m.min(n) + 1) as f64));
        let (again, _) = factor();
        assert!(again.local() == result.local(), "two runs differ");
        // Q R = A, and Q^H A = R.
        let r = |i: usize, j: usize| if i <= j { T::ONE } else { T::ZERO };
        let upper = collect(&result);
        let upper = Full::from_fn(m, n, |i, j| upper.at(i, j) * r(i, j));
        let mut product = distribute(grid, &upper, (4, 5), 1);
        affinimath_mpi::ormqr(Op::NoTrans, &result, &tau, &mut product).unwrap();
        assert_close(&collect(&product), &a, bound);
        affinimath_mpi::ormqr(Op::ConjTrans, &result, &tau, &mut product).unwrap();
        assert_close(&collect(&product), &upper, bound * 2.0);
    }
}

pub fn solves<T: Scalar>(grid: &Grid) {
    for (n, columns) in [(0, 1), (1, 1), (27, 5)] {
        // Diagonally dominant: the condition is small.
        let value = element::<T>(23);
        let a = Full::from_fn(n, n, |i, j| if i == j { value(i, j) + real::<T>(2.0 * n as f64) } else { value(i, j) });
        let b = Full::from_fn(n, columns, element::<T>(24));
        let bound = 64.0 * (n + 1) as f64 * T::EPSILON;
        for blocks in [(4, 4), (5, 3)] {
            let mut factors = distribute(grid, &a, blocks, 0);
            let mut x = distribute(grid, &b, (4, 2), 1);
            let pivots = affinimath_mpi::gesv(&mut factors, &mut x).unwrap();
            assert_close(&a.times(&collect(&x)), &b, bound);
            for op in [Op::NoTrans, Op::Trans, Op::ConjTrans] {
                let mut x = distribute(grid, &b, (4, 2), 1);
                affinimath_mpi::getrs(op, &factors, &pivots, &mut x).unwrap();
                assert_close(&a.turned(op).times(&collect(&x)), &b, bound);
            }
        }
        for triangle in [Triangle::Lower, Triangle::Upper] {
            let a = positive_definite::<T>(n);
            let mut factor = distribute(grid, &a, (4, 4), 0);
            let mut x = distribute(grid, &b, (4, 2), 1);
            affinimath_mpi::posv(triangle, &mut factor, &mut x).unwrap();
            assert_close(&a.times(&collect(&x)), &b, bound * 4.0);
        }
    }
}
