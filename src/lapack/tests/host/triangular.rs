use super::*;
use crate::testing::for_each_type;
use crate::{Diag, Error, Triangle, lauum, trtri, trtrs};

const KINDS: [(Triangle, Diag); 4] = [
    (Triangle::Lower, Diag::NonUnit),
    (Triangle::Lower, Diag::Unit),
    (Triangle::Upper, Diag::NonUnit),
    (Triangle::Upper, Diag::Unit),
];

fn is_read((triangle, diagonal): (Triangle, Diag), i: usize, j: usize) -> bool {
    match i.cmp(&j) {
        std::cmp::Ordering::Equal => diagonal == Diag::NonUnit,
        std::cmp::Ordering::Less => triangle == Triangle::Upper,
        std::cmp::Ordering::Greater => triangle == Triangle::Lower,
    }
}

/// The mathematical matrix of a stored triangle.
fn triangle_of<T: Scalar>(kind: (Triangle, Diag), a: &Stored<T>) -> Dense {
    let n = a.shape.rows();
    Mat::from_fn(n, n, |i, j| match i == j && kind.1 == Diag::Unit {
        true => Complex64::ONE,
        false if is_read(kind, i, j) => a.element(i, j),
        false => Complex64::ZERO,
    })
}

/// A triangle that is not so ill-conditioned that its inverse overflows, with NaN in all that is not read.
fn stored<T: Scalar>(kind: (Triangle, Diag), n: usize, (layout, gap): (Layout, usize)) -> Stored<T> {
    let a = Stored::<T>::new(layout, n, n, gap, 1);
    let values = a.dense();
    a.filled_with(|i, j| match is_read(kind, i, j) {
        true if i == j => values[(i, j)] + 2.0,
        true => values[(i, j)] * (4.0 / n as f64),
        false => Complex64::new(f64::NAN, f64::NAN),
    })
}

fn rest_untouched<T: Scalar>(kind: (Triangle, Diag), a: &Stored<T>) -> bool {
    let n = a.shape.rows();
    a.canaries_live() && (0..n).all(|j| (0..n).all(|i| is_read(kind, i, j) || a.element(i, j).re.is_nan()))
}

#[test]
fn trtri_inverts_triangles() {
    fn check<T: Scalar>(n: usize) {
        for storage in STORAGES {
            for kind in KINDS {
                let mut a = stored::<T>(kind, n, storage);
                let before = triangle_of(kind, &a);
                trtri(kind.0, kind.1, a.view_mut()).unwrap();
                assert!(rest_untouched(kind, &a), "{n} {storage:?} {kind:?}");
                let inverse = triangle_of(kind, &a);
                assert_ratio::<T>(inverse_ratio::<T>(&before, &inverse), "trtri", &(n, storage, kind));
            }
        }
    }
    for n in ORDERS {
        for_each_type!(check(n));
    }
}

#[test]
fn trtrs_solves_with_every_operation() {
    fn check<T: Scalar>(n: usize, columns: usize) {
        for storage in STORAGES {
            for kind in KINDS {
                for op in Op::ALL {
                    let a = stored::<T>(kind, n, storage);
                    let right = Stored::<T>::new(storage.0, n, columns, storage.1, 2);
                    let mut x = right.clone();
                    trtrs(kind.0, *op, kind.1, a.view(), x.view_mut()).unwrap();
                    assert!(x.canaries_live());
                    let ratio = solution_ratio::<T>(*op, &triangle_of(kind, &a), &x.dense(), &right.dense());
                    assert_ratio::<T>(ratio, "trtrs", &(n, columns, storage, kind, op));
                }
            }
        }
    }
    for (n, columns) in [(0, 2), (1, 1), (5, 0), (20, 3), (70, 2), (130, 1)] {
        for_each_type!(check(n, columns));
    }
}

#[test]
fn a_zero_on_the_diagonal_is_reported_and_nothing_changed() {
    for index in [0, 3, 69] {
        for triangle in [Triangle::Lower, Triangle::Upper] {
            let mut a = Stored::<f32>::new(Layout::RowMajor, 70, 70, 0, 1);
            a.set(index, index, Complex64::ZERO);
            let mut b = Stored::<f32>::new(Layout::RowMajor, 70, 2, 0, 2);
            let (before, right) = (a.data.clone(), b.data.clone());
            let found = |error: Error| matches!(error, Error::ZeroPivot { index: i } if i == index + 1);
            assert!(found(trtri(triangle, Diag::NonUnit, a.view_mut()).unwrap_err()));
            assert!(found(trtrs(triangle, Op::NoTrans, Diag::NonUnit, a.view(), b.view_mut()).unwrap_err()));
            assert_eq!((&a.data, &b.data), (&before, &right));
            // A diagonal of ones is not looked at.
            trtrs(triangle, Op::NoTrans, Diag::Unit, a.view(), b.view_mut()).unwrap();
        }
    }
}

#[test]
fn lauum_multiplies_a_factor_with_its_adjoint() {
    fn check<T: Scalar>(n: usize) {
        for storage in STORAGES {
            for triangle in [Triangle::Lower, Triangle::Upper] {
                let kind = (triangle, Diag::NonUnit);
                let mut a = stored::<T>(kind, n, storage);
                (0..n).for_each(|i| a.set(i, i, Complex64::new(a.element(i, i).re, 0.0)));
                let factor = triangle_of(kind, &a);
                lauum(triangle, a.view_mut()).unwrap();
                assert!(rest_untouched(kind, &a), "{n} {storage:?} {triangle:?}");
                let expected = match triangle {
                    Triangle::Lower => product(&adjoint(&factor), &factor),
                    Triangle::Upper => product(&factor, &adjoint(&factor)),
                };
                let half = triangle_of(kind, &a);
                let expected = Mat::from_fn(n, n, |i, j| match is_read(kind, i, j) {
                    true => expected[(i, j)],
                    false => Complex64::ZERO,
                });
                let size = norm(&factor) * norm(&adjoint(&factor));
                let ratio = ratio::<T>(&difference(&half, &expected), n, size);
                assert_ratio::<T>(ratio, "lauum", &(n, storage, triangle));
            }
        }
    }
    for n in ORDERS {
        for_each_type!(check(n));
    }
}
