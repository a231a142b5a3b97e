use affinimath_cpu::lapack::{Spectrum, hbev, hbevx, hbtrd};
use affinimath_testing::for_each_type;

use super::*;

/// A Hermitian band matrix, and its array with NaN outside of the matrix.
fn band<T: Scalar>(
    n: usize,
    kd: usize,
    triangle: Triangle,
    kind: Kind,
    storage: (Layout, usize),
) -> (Dense, Stored<T>) {
    let full = matrix::<T>(n, n, true, kind, 17);
    let a = Mat::from_fn(n, n, |i, j| if i.abs_diff(j) <= kd { full[(i, j)] } else { Complex64::ZERO });
    let mut ab = Stored::<T>::new(storage.0, kd + 1, n, storage.1, 0).poisoned();
    for j in 0..n {
        for i in 0..=kd {
            let row = if triangle == Triangle::Lower { j + i } else { (j + i).wrapping_sub(kd) };
            if row < n {
                ab.set(i, j, a[(row, j)]);
            }
        }
    }
    (a, ab)
}

fn decomposes<T: Scalar>(n: usize, kd: usize, triangle: Triangle, kind: Kind, storage: (Layout, usize)) {
    let case = (n, kd, triangle, kind, storage);
    let (a, mut ab) = band::<T>(n, kd, triangle, kind, storage);
    let mut w = vec![T::RealScalar::from_parts(f64::NAN, 0.0); n];
    let mut z = Stored::<T>::new(storage.0, n, n, storage.1, 0).poisoned();
    let before = ab.data.clone();
    assert_eq!(hbev(triangle, kd, view_mut(&mut ab).as_ref(), &mut w, Some(view_mut(&mut z))), None, "{case:?}");
    let same = |x: &T, y: &T| x == y || x.re().is_nan() && y.re().is_nan();
    assert!(before.iter().zip(&ab.data).all(|(x, y)| same(x, y)), "{case:?}: the band is read only");
    assert!(z.canaries_live(), "{case:?}");
    let z = z.dense();
    assert_orthonormal::<T>(&z, &case);
    let error = difference(&product(&a, &z), &times_values(&z, &w));
    assert_ratio::<T>(&error, n, norm(&a).max(f64::MIN_POSITIVE), &case);
    assert!(w.windows(2).all(|pair| pair[0].re() <= pair[1].re()), "{case:?}");

    let mut alone = w.clone();
    assert_eq!(hbev(triangle, kd, view_mut(&mut ab).as_ref(), &mut alone, None), None, "{case:?}");
    assert_values(&alone, &w, n, &case);

    // Some of them, by their indices, and Q.
    let (first, end) = (n / 3, n - n / 4);
    let mut some = vec![T::RealScalar::default(); n];
    let mut vectors = Stored::<T>::new(storage.0, n, end - first, storage.1, 0).poisoned();
    let mut q = Stored::<T>::new(storage.0, n, n, storage.1, 0).poisoned();
    let spectrum = Spectrum::Indices(first, end);
    let (ab_view, z) = (view_mut(&mut ab), Some(view_mut(&mut vectors)));
    let (count, info) = hbevx(spectrum, (triangle, kd), ab_view.as_ref(), &mut some, z, Some(view_mut(&mut q)));
    assert_eq!((count, info), (end - first, None), "{case:?}");
    assert_values(&some[..count], &w[first..end], n, &case);
    let x = vectors.dense();
    assert_orthonormal::<T>(&x, &case);
    let error = difference(&product(&a, &x), &times_values(&x, &some[..count]));
    assert_ratio::<T>(&error, n, norm(&a).max(f64::MIN_POSITIVE), &case);
    assert_orthonormal::<T>(&q.dense(), &case);
}

#[test]
fn eigenvectors_of_bands() {
    for (i, n) in [1, 2, 3, 5, 9, 20, 66].into_iter().enumerate() {
        for (k, kd) in [0, 1, 2, 4, n - 1].into_iter().enumerate() {
            for triangle in [Triangle::Lower, Triangle::Upper] {
                for kind in [Kind::Random, Kind::Graded, Kind::Repeated, Kind::Huge, Kind::Tiny, Kind::Zero] {
                    for_each_type!(decomposes(n, kd, triangle, kind, STORAGES[(i + k) % 3]));
                }
            }
        }
    }
    for_each_type!(decomposes(20, 30, Triangle::Upper, Kind::Random, STORAGES[1]));
}

fn reduces<T: Scalar>(n: usize, kd: usize, triangle: Triangle, storage: (Layout, usize)) {
    let case = (n, kd, triangle, storage);
    let (a, mut ab) = band::<T>(n, kd, triangle, Kind::Random, storage);
    let zero = T::RealScalar::default();
    let (mut d, mut e) = (vec![zero; n], vec![zero; n - 1]);
    let identity = Mat::from_fn(n, n, |i, j| if i == j { Complex64::ONE } else { Complex64::ZERO });
    let mut q = stored::<T>(&identity, storage);
    hbtrd(triangle, kd, view_mut(&mut ab), &mut d, &mut e, Some(view_mut(&mut q)));
    let t = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => Complex64::new(d[i].re(), 0.0),
        1 => Complex64::new(e[i.min(j)].re(), 0.0),
        _ => Complex64::ZERO,
    });
    let q = q.dense();
    assert_orthonormal::<T>(&q, &case);
    let found = product(&product(&q, &t), &operated(Op::ConjTrans, &q));
    assert_ratio::<T>(&difference(&a, &found), n, norm(&a), &case);
    let diagonal = if triangle == Triangle::Lower { 0 } else { kd };
    for j in 0..n {
        assert_eq!(ab.element(diagonal, j), t[(j, j)], "{case:?}");
        if kd > 0 && j + 1 < n {
            let at = if triangle == Triangle::Lower { (1, j) } else { (kd - 1, j + 1) };
            assert_eq!(ab.element(at.0, at.1), t[(j + 1, j)], "{case:?}");
        }
    }
}

#[test]
fn bands_become_tridiagonal() {
    for n in [1, 2, 5, 18] {
        for kd in [0, 1, 3, n + 1] {
            for triangle in [Triangle::Lower, Triangle::Upper] {
                for storage in STORAGES {
                    for_each_type!(reduces(n, kd, triangle, storage));
                }
            }
        }
    }
}

fn spoils<T: Scalar>() {
    let mut ab = Stored::<T>::new(Layout::ColumnMajor, 2, 4, 0, 3);
    ab.set(0, 2, Complex64::new(f64::NAN, 0.0));
    let mut w = [T::RealScalar::default(); 4];
    assert_eq!(hbev(Triangle::Lower, 1, view_mut(&mut ab).as_ref(), &mut w, None), Some(4));
    assert!(w.iter().all(|w| w.re().is_nan()));
}

#[test]
fn nan_spoils_results() {
    for_each_type!(spoils());
}
