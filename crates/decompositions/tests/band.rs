//! The tridiagonal form of band matrices: LAPACK's test ratios.

use affinimath_decompositions::band::{lower_band, tridiagonalise};
use affinimath_testing::{Complex64, LAPACK_THRESHOLD, Scalar, filled, for_each_type, lapack_ratio};
use faer::Mat;

type Dense = Mat<Complex64>;

fn norm(a: &Dense) -> f64 {
    let sums = (0..a.ncols()).map(|j| (0..a.nrows()).map(|i| a[(i, j)].norm()).sum::<f64>());
    sums.fold(0.0, |largest, sum| if sum > largest || sum.is_nan() { sum } else { largest })
}

fn reduces<T: Scalar>(n: usize, kd: usize, lower: bool, size: f64) {
    let case = (T::KIND, n, kd, lower, size);
    let random = filled::<T>(kd + 1, n, 5);
    // Elements outside of the matrix are not read.
    let inside = |i: usize, j: usize| if lower { i + j < n } else { i + j >= kd };
    let ab = Mat::from_fn(kd + 1, n, |i, j| {
        let x = random[(i, j)];
        if inside(i, j) { T::from_parts(x.re() * size, x.im() * size) } else { T::from_parts(f64::NAN, f64::NAN) }
    });
    let mut band = lower_band(lower, kd, ab.as_ref(), 1.0);
    let a = Dense::from_fn(n, n, |i, j| {
        let (row, column) = (i.max(j), i.min(j));
        if row - column > kd {
            return Complex64::ZERO;
        }
        let x = band[(row - column, column)];
        Complex64::new(x.re(), if i >= j { x.im() } else { -x.im() })
    });
    let mut q = Mat::from_fn(n, n, |i, j| if i == j { T::ONE } else { T::ZERO });
    tridiagonalise(kd, band.as_mut(), Some(q.as_mut()));
    for j in 0..n {
        (2..kd + 2).for_each(|d| assert_eq!(band[(d, j)], T::ZERO, "{case:?}"));
        assert!(kd == 0 || (band[(1, j)].im() == 0.0 && band[(1, j)].re() >= 0.0), "{case:?}");
    }
    let t = Dense::from_fn(n, n, |i, j| {
        let (row, column) = (i.max(j), i.min(j));
        if row - column > kd.min(1) { Complex64::ZERO } else { Complex64::new(band[(row - column, column)].re(), 0.0) }
    });
    let q = Dense::from_fn(n, n, |i, j| Complex64::new(q[(i, j)].re(), q[(i, j)].im()));
    let ratio = lapack_ratio::<T>(norm(&(&a - &q * t * q.adjoint())), n, norm(&a));
    assert!(ratio < LAPACK_THRESHOLD, "{case:?}: {ratio}");
    let ratio = lapack_ratio::<T>(norm(&(q.adjoint() * &q - Dense::identity(n, n))), n, 1.0);
    assert!(ratio < LAPACK_THRESHOLD, "{case:?}: {ratio}");
}

#[test]
fn bands_become_tridiagonal() {
    for n in [1, 2, 3, 4, 7, 20, 61] {
        for kd in [0, 1, 2, 3, 5, n - 1, n + 2] {
            for lower in [false, true] {
                for_each_type!(reduces(n, kd, lower, 1.0));
            }
        }
    }
    for size in [1e-30, 1e30] {
        for_each_type!(reduces(20, 4, true, size));
    }
}
