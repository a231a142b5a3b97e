use super::*;
use crate::testing::for_each_type;
use crate::{Complex32, Error, Triangle, posv, potrf, potri, potrs};

pub(crate) fn is_in(triangle: Triangle, i: usize, j: usize) -> bool {
    if triangle == Triangle::Lower { i >= j } else { i <= j }
}

/// A Hermitian positive definite matrix, rounded to T, and the same with NaN in the other triangle and imaginary parts
/// on a complex diagonal, which count as zero.
pub(crate) fn definite<T: Scalar>(triangle: Triangle, n: usize, (layout, gap): (Layout, usize)) -> (Dense, Stored<T>) {
    let f = Stored::<T>::new(layout, n, n, 0, 1).dense();
    let square = product(&adjoint(&f), &f);
    let a = Stored::<T>::new(layout, n, n, gap, 0).filled_with(|i, j| match i == j {
        true => Complex64::new(square[(i, i)].re + n as f64, 0.0),
        false => square[(i, j)],
    });
    let a_dense = a.dense();
    let exact = Mat::from_fn(n, n, |i, j| if i >= j { a_dense[(i, j)] } else { a_dense[(j, i)].conj() });
    let stored = a.filled_with(|i, j| match i == j {
        true => Complex64::new(exact[(i, i)].re, 7.0),
        false if is_in(triangle, i, j) => exact[(i, j)],
        false => Complex64::new(f64::NAN, f64::NAN),
    });
    (exact, stored)
}

pub(crate) fn other_triangle_untouched<T: Scalar>(triangle: Triangle, a: &Stored<T>) -> bool {
    let n = a.shape.rows();
    a.canaries_live() && (0..n).all(|j| (0..n).all(|i| is_in(triangle, i, j) || a.element(i, j).re.is_nan()))
}

/// The triangle, and zeros in the other one.
pub(crate) fn triangle_of<T: Scalar>(triangle: Triangle, a: &Stored<T>) -> Dense {
    let n = a.shape.rows();
    Mat::from_fn(n, n, |i, j| if is_in(triangle, i, j) { a.element(i, j) } else { Complex64::ZERO })
}

#[test]
fn potrf_reconstructs_and_potri_inverts_a_positive_definite_matrix() {
    fn check<T: Scalar>(n: usize) {
        for storage in STORAGES {
            for triangle in [Triangle::Lower, Triangle::Upper] {
                let case = (n, storage, triangle);
                let (exact, mut a) = definite::<T>(triangle, n, storage);
                potrf(triangle, a.view_mut()).unwrap();
                assert!(other_triangle_untouched(triangle, &a), "{case:?}");
                let factor = triangle_of(triangle, &a);
                let again = match triangle {
                    Triangle::Lower => product(&factor, &adjoint(&factor)),
                    Triangle::Upper => product(&adjoint(&factor), &factor),
                };
                assert_ratio::<T>(ratio::<T>(&difference(&exact, &again), n, norm(&exact)), "A - L Lᴴ", &case);
                assert!((0..n).all(|i| factor[(i, i)].re > 0.0 && factor[(i, i)].im == 0.0), "{case:?}: the diagonal");

                potri(triangle, a.view_mut()).unwrap();
                assert!(other_triangle_untouched(triangle, &a), "{case:?}");
                let half = triangle_of(triangle, &a);
                let inverse = Mat::from_fn(n, n, |i, j| match is_in(triangle, i, j) {
                    true => half[(i, j)],
                    false => half[(j, i)].conj(),
                });
                assert_ratio::<T>(inverse_ratio::<T>(&exact, &inverse), "I - A A⁻¹", &case);
            }
        }
    }
    for n in ORDERS {
        for_each_type!(check(n));
    }
}

#[test]
fn recursive_potrf_is_right_and_finds_the_first_minor_that_is_not_positive() {
    fn check<T: Scalar>(n: usize, indices: &[usize]) {
        let storage = STORAGES[n % STORAGES.len()];
        let other = Stored::<T>::new(storage.0, n, n, storage.1, 2);
        let exact = Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Equal => Complex64::new(2.0 * n as f64, 0.0),
            std::cmp::Ordering::Greater => other.element(i, j),
            std::cmp::Ordering::Less => other.element(j, i).conj(),
        });
        let x = Stored::<T>::new(Layout::ColumnMajor, n, 2, 0, 5).dense();
        for triangle in [Triangle::Lower, Triangle::Upper] {
            let nan = Complex64::new(f64::NAN, f64::NAN);
            let stored = other.clone().filled_with(|i, j| if is_in(triangle, i, j) { exact[(i, j)] } else { nan });
            let mut a = stored.clone();
            potrf(triangle, a.view_mut()).unwrap();
            assert!(other_triangle_untouched(triangle, &a), "{n}, {triangle:?}");
            let mut lower = triangle_of(triangle, &a);
            if triangle == Triangle::Upper {
                lower = adjoint(&lower);
            }
            let again = product(&lower, &product(&adjoint(&lower), &x));
            let error = difference(&product(&exact, &x), &again);
            assert_ratio::<T>(ratio::<T>(&error, n, norm(&exact) * norm(&x)), "A x - L Lᴴ x", &(n, triangle));
            for &index in indices {
                let mut a = stored.clone();
                a.set(index, index, Complex64::new(-1.0, 0.0));
                let error = potrf(triangle, a.view_mut()).unwrap_err();
                assert!(matches!(error, Error::NotPositiveDefinite { index: i } if i == index + 1), "{n}: {error}");
                assert!(other_triangle_untouched(triangle, &a), "{n}, {triangle:?}, {index}");
            }
        }
    }
    check::<f32>(300, &[127, 128, 255, 256, 299]);
    check::<Complex64>(301, &[130, 300]);
    check::<f64>(1025, &[511, 512, 1024]);
    check::<Complex32>(1290, &[640, 700, 1289]);
}

#[test]
fn potrs_and_posv_solve() {
    fn check<T: Scalar>(n: usize, columns: usize) {
        for storage in STORAGES {
            for triangle in [Triangle::Lower, Triangle::Upper] {
                let (exact, mut a) = definite::<T>(triangle, n, storage);
                let right = Stored::<T>::new(storage.0, n, columns, storage.1, 3);
                let mut x = right.clone();
                posv(triangle, a.view_mut(), x.view_mut()).unwrap();
                let mut again = right.clone();
                potrs(triangle, a.view(), again.view_mut()).unwrap();
                for (what, x) in [("posv", x), ("potrs", again)] {
                    assert!(x.canaries_live() && other_triangle_untouched(triangle, &a));
                    let ratio = solution_ratio::<T>(Op::NoTrans, &exact, &x.dense(), &right.dense());
                    assert_ratio::<T>(ratio, what, &(n, columns, storage, triangle));
                }
            }
        }
    }
    for n in [0, 1, 5, 33, 65, 130] {
        for columns in [0, 1, 4, 66] {
            for_each_type!(check(n, columns));
        }
    }
}

#[test]
fn the_first_minor_that_is_not_positive_is_reported() {
    fn check<T: Scalar>(n: usize, index: usize, value: f64) {
        for storage in STORAGES {
            for triangle in [Triangle::Lower, Triangle::Upper] {
                let (_, mut a) = definite::<T>(triangle, n, storage);
                // With this diagonal element no minor from here on is positive, and those before are as they were.
                a.set(index, index, Complex64::new(value, 0.0));
                let mut b = Stored::<T>::new(storage.0, n, 2, 0, 3);
                let right = b.data.clone();
                let error = posv(triangle, a.view_mut(), b.view_mut()).unwrap_err();
                let case = (n, index, value, storage, triangle);
                assert!(
                    matches!(error, Error::NotPositiveDefinite { index: i } if i == index + 1),
                    "{case:?}: {error}"
                );
                assert_eq!(b.data, right, "{case:?}: B was changed");
                assert!(other_triangle_untouched(triangle, &a), "{case:?}");
            }
        }
    }
    for value in [-1.0, 0.0, f64::NAN] {
        for (n, index) in [(1, 0), (5, 0), (5, 4), (40, 33), (100, 31), (100, 63), (100, 64), (200, 199)] {
            for_each_type!(check(n, index, value));
        }
    }
}

#[test]
fn a_singular_factor_is_not_inverted() {
    let mut a = Stored::<f64>::new(Layout::ColumnMajor, 5, 5, 1, 2);
    a.set(3, 3, Complex64::ZERO);
    let before = a.dense();
    assert!(matches!(potri(Triangle::Upper, a.view_mut()), Err(Error::ZeroPivot { index: 4 })));
    assert_eq!(a.dense(), before);
}
