//! Inverses, and singular triangular systems, which are refused: by the functions on views of device memory.

use super::*;
use crate::lapack::cholesky::{CholeskyPlan, potri_with_plan};
use crate::lapack::lauum::lauum_with_backend;
use crate::lapack::lu::getri_with_backend;
use crate::lapack::tests::host::cholesky::{definite, other_triangle_untouched, triangle_of};
use crate::lapack::tests::host::{
    adjoint, assert_ratio, difference, inverse_ratio, norm, product, ratio, solution_ratio,
};
use crate::lapack::triangular::trtri_with_backend;
use crate::options::{Diag, Op, Triangle};
use crate::scalar::Complex64;
use crate::testing::for_each_type;
use crate::{Error, getrf, getri, lauum, potrf, potri, trtri, trtrs};

fn check_general<T: Scalar>(n: usize) {
    for (context, backend) in backends_on_devices::<T>() {
        for storage in STORAGES {
            let a = Stored::<T>::new(storage.0, n, n, storage.1, 9);
            let (mut memory, mut pivots) = (uploaded(&context, &a), vec![0; n]);
            getrf(memory.view_mut(a.shape).unwrap(), &mut pivots).unwrap();
            let (pivots, mut info) = (context.upload(&pivots).unwrap(), context.upload(&[-7_i32]).unwrap());
            let (queue, factors) = (context.queue().unwrap(), memory.view_mut(a.shape).unwrap());
            let info_view = info.vector_mut().unwrap();
            getri_with_backend(&queue, factors, pivots.vector().unwrap(), &info_view, backend).unwrap().wait().unwrap();
            let inverse = downloaded(&a, &memory);
            assert!(inverse.canaries_live() && info.download().unwrap() == [0]);
            assert_ratio::<T>(inverse_ratio::<T>(&a.dense(), &inverse.dense()), "getri", &(n, storage, backend));
        }
    }
}

fn check_definite<T: Scalar>(n: usize) {
    for (context, backend) in backends_on_devices::<T>() {
        for (storage, &triangle) in STORAGES.into_iter().skip(1).zip(Triangle::ALL) {
            let (exact, a) = definite::<T>(triangle, n, storage);
            let (mut memory, mut info) = (uploaded(&context, &a), context.upload(&[-7_i32]).unwrap());
            potrf(triangle, memory.view_mut(a.shape).unwrap()).unwrap();
            let (queue, factor) = (context.queue().unwrap(), memory.view_mut(a.shape).unwrap());
            let device_info = context.device().unwrap().info();
            let plan = CholeskyPlan { backend, ..CholeskyPlan::for_kernels(T::KIND, device_info) };
            let info_view = info.vector_mut().unwrap();
            potri_with_plan(&queue, triangle, factor, &info_view, (&plan, device_info)).unwrap().wait().unwrap();
            let inverse = downloaded(&a, &memory);
            assert!(other_triangle_untouched(triangle, &inverse), "{n} {storage:?}");
            assert_eq!(info.download().unwrap(), [0]);
            let half = triangle_of(triangle, &inverse);
            let whole = faer::Mat::from_fn(n, n, |i, j| match (i >= j) == (triangle == Triangle::Lower) || i == j {
                true => half[(i, j)],
                false => half[(j, i)].conj(),
            });
            assert_ratio::<T>(inverse_ratio::<T>(&exact, &whole), "potri", &(n, storage, backend));
        }
    }
}

/// A well-conditioned triangle, with NaN in elements that are not read.
fn triangular<T: Scalar>(triangle: Triangle, diagonal: Diag, n: usize, (layout, gap): (Layout, usize)) -> Stored<T> {
    let a = Stored::<T>::new(layout, n, n, gap, 4);
    let values = a.dense();
    a.filled_with(|i, j| match i == j {
        true if diagonal == Diag::Unit => Complex64::new(f64::NAN, 0.0),
        true => values[(i, i)] + 2.0,
        false if (i > j) == (triangle == Triangle::Lower) => values[(i, j)] * (2.0 / n as f64),
        false => Complex64::new(f64::NAN, 0.0),
    })
}

/// The mathematical matrix of the triangle.
fn meant<T: Scalar>(triangle: Triangle, diagonal: Diag, a: &Stored<T>) -> faer::Mat<Complex64> {
    let mut dense = triangle_of(triangle, a);
    if diagonal == Diag::Unit {
        (0..dense.nrows()).for_each(|i| dense[(i, i)] = Complex64::ONE);
    }
    dense
}

fn check_triangular<T: Scalar>(n: usize) {
    for (context, _) in devices::<T>().iter().step_by(2) {
        for (k, storage) in STORAGES.into_iter().enumerate() {
            let (triangle, diagonal) = (Triangle::ALL[k % 2], Diag::ALL[k / 2]);
            let a = triangular::<T>(triangle, diagonal, n, storage);
            let case = (n, storage, triangle, diagonal);
            let exact = meant(triangle, diagonal, &a);
            let mut memory = uploaded(context, &a);
            let right = Stored::<T>::new(Layout::ColumnMajor, n, 3, 1, 5);
            for &op in Op::ALL {
                let mut b = uploaded(context, &right);
                let views = (memory.view(a.shape).unwrap(), b.view_mut(right.shape).unwrap());
                trtrs(triangle, op, diagonal, views.0, views.1).unwrap();
                let x = downloaded(&right, &b).dense();
                assert_ratio::<T>(solution_ratio::<T>(op, &exact, &x, &right.dense()), "trtrs", &(case, op));
            }
            trtri(triangle, diagonal, memory.view_mut(a.shape).unwrap()).unwrap();
            let inverse = downloaded(&a, &memory);
            let error = inverse_ratio::<T>(&exact, &meant(triangle, diagonal, &inverse));
            assert_ratio::<T>(error, "trtri", &case);
            assert!(inverse.canaries_live(), "{case:?}");
            let outside = |i: usize, j: usize| (i > j) != (triangle == Triangle::Lower) && i != j;
            assert!(
                (0..n * n).all(|e| !outside(e % n, e / n) || inverse.element(e % n, e / n).re.is_nan()),
                "{case:?}"
            );
        }
    }
}

/// A triangle's inverse by given means, and the info.
fn inverted<T: Scalar>(
    (context, backend): &(Context, Backend),
    which: (Triangle, Diag),
    a: &Stored<T>,
) -> (Stored<T>, i32) {
    let (mut memory, mut info) = (uploaded(context, a), context.upload(&[-7_i32]).unwrap());
    let view = memory.view_mut(a.shape).unwrap();
    let queue = context.queue().unwrap();
    trtri_with_backend(&queue, which, view, &info.vector_mut().unwrap(), *backend).unwrap().wait().unwrap();
    (downloaded(a, &memory), info.download().unwrap()[0])
}

fn check_backends<T: Scalar>(n: usize) {
    for on in backends_on_devices::<T>() {
        for (k, storage) in STORAGES.into_iter().enumerate() {
            let (triangle, diagonal) = (Triangle::ALL[k % 2], Diag::ALL[k / 2]);
            let a = triangular::<T>(triangle, diagonal, n, storage);
            let case = (n, storage, triangle, diagonal, on.1);
            let (inverse, info) = inverted(&on, (triangle, diagonal), &a);
            let exact = meant(triangle, diagonal, &a);
            let error = inverse_ratio::<T>(&exact, &meant(triangle, diagonal, &inverse));
            assert_ratio::<T>(error, "trtri", &case);
            assert!(inverse.canaries_live() && info == 0, "{case:?}: {info}");
            let mut singular = triangular::<T>(triangle, Diag::NonUnit, n, storage);
            singular.set(n / 2, n / 2, Complex64::ZERO);
            let (left, info) = inverted(&on, (triangle, Diag::NonUnit), &singular);
            let half = |a: &Stored<T>| triangle_of(triangle, a);
            assert_eq!(norm(&difference(&half(&left), &half(&singular))), 0.0, "{case:?}");
            assert_eq!(info as usize, n / 2 + 1, "{case:?}");
        }
    }
}

fn check_product<T: Scalar>(n: usize, block: usize) {
    for (context, _) in devices::<T>().iter().step_by(2) {
        for (storage, &triangle) in STORAGES.into_iter().zip(Triangle::ALL.iter().cycle()) {
            let a = triangular::<T>(triangle, Diag::NonUnit, n, storage);
            let dense = a.dense();
            let a = a.filled_with(|i, j| if i == j { dense[(i, j)].re.into() } else { dense[(i, j)] });
            let factor = triangle_of(triangle, &a);
            let expected = match triangle {
                Triangle::Lower => product(&adjoint(&factor), &factor),
                Triangle::Upper => product(&factor, &adjoint(&factor)),
            };
            let mut memory = uploaded(context, &a);
            let view = memory.view_mut(a.shape).unwrap();
            lauum_with_backend(&context.queue().unwrap(), triangle, view, block).unwrap().wait().unwrap();
            let found = downloaded(&a, &memory);
            assert!(other_triangle_untouched(triangle, &found), "{n} {storage:?}");
            let half = triangle_of(triangle, &found);
            let is_read = |i, j| i == j || (i > j) == (triangle == Triangle::Lower);
            let expected =
                faer::Mat::from_fn(n, n, |i, j| if is_read(i, j) { expected[(i, j)] } else { Complex64::ZERO });
            let error = ratio::<T>(&difference(&half, &expected), n, norm(&factor) * norm(&adjoint(&factor)));
            assert_ratio::<T>(error, "lauum", &(n, block, storage));
            // By the function on views, in blocks of the library's own order.
            let mut memory = uploaded(context, &a);
            lauum(triangle, memory.view_mut(a.shape).unwrap()).unwrap();
            let half = triangle_of(triangle, &downloaded(&a, &memory));
            let error = ratio::<T>(&difference(&half, &expected), n, norm(&factor) * norm(&adjoint(&factor)));
            assert_ratio::<T>(error, "lauum on views", &(n, storage));
        }
    }
}

mod device {
    use super::*;

    #[test]
    fn triangles_are_inverted_by_every_backend() {
        for n in [1, 33, 129] {
            for_each_type!(check_backends(n));
        }
    }

    #[test]
    fn products_of_a_factor_with_its_adjoint() {
        for (n, block) in [(0, 8), (1, 8), (8, 8), (9, 8), (70, 16), (130, 32)] {
            for_each_type!(check_product(n, block));
        }
        check_product::<f32>(300, 256);
    }

    #[test]
    fn inverses() {
        for n in [1, 32, 33, 70, 129] {
            for_each_type!(check_general(n));
            for_each_type!(check_definite(n));
            for_each_type!(check_triangular(n));
        }
    }

    #[test]
    fn what_a_zero_on_the_diagonal_makes_impossible_changes_nothing() {
        for (context, _) in devices::<f64>().iter().step_by(2) {
            let mut a = Stored::<f64>::new(Layout::ColumnMajor, 40, 40, 1, 2);
            a.set(33, 33, Complex64::ZERO);
            let right = Stored::<f64>::new(Layout::RowMajor, 40, 2, 1, 2);
            let (mut memory, mut b) = (uploaded(context, &a), uploaded(context, &right));
            let pivots: Vec<i32> = (1..=40).collect();
            let upper = Triangle::Upper;
            for result in [
                getri(memory.view_mut(a.shape).unwrap(), &pivots),
                potri(upper, memory.view_mut(a.shape).unwrap()),
                trtri(upper, Diag::NonUnit, memory.view_mut(a.shape).unwrap()),
                trtrs(
                    upper,
                    Op::NoTrans,
                    Diag::NonUnit,
                    memory.view(a.shape).unwrap(),
                    b.view_mut(right.shape).unwrap(),
                ),
            ] {
                assert!(matches!(result, Err(Error::ZeroPivot { index: 34 })), "{result:?}");
            }
            assert_eq!(norm(&difference(&downloaded(&a, &memory).dense(), &a.dense())), 0.0);
            assert_eq!(norm(&difference(&downloaded(&right, &b).dense(), &right.dense())), 0.0);
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn triangles_are_inverted_by_every_backend() {
        for_each_type!(check_backends(9));
    }

    #[test]
    fn products_of_a_factor_with_its_adjoint() {
        for_each_type!(check_product(13, 4));
    }

    #[test]
    fn inverses() {
        for_each_type!(check_general(7));
        for_each_type!(check_definite(7));
        for_each_type!(check_triangular(7));
    }

    /// A zero on U's diagonal changes nothing, and a pivot that is no row is passed over.
    #[test]
    fn inverses_by_factors_that_are_wrong_end() {
        for (context, backend) in backends_on_devices::<f64>() {
            let n = 20;
            for (zero, wrong) in [(Some(7), None), (None, Some(0)), (None, Some(n as i32 + 1)), (None, Some(i32::MIN))]
            {
                let mut a = Stored::<f64>::new(Layout::RowMajor, n, n, 1, 2);
                (0..n).for_each(|i| a.set(i, i, Complex64::new(2.0 + i as f64, 0.0)));
                if let Some(zero) = zero {
                    a.set(zero, zero, Complex64::ZERO);
                }
                let inverse = |wrong: Option<i32>| {
                    let mut pivots: Vec<i32> = (1..=n as i32).collect();
                    pivots[3] = wrong.unwrap_or(4);
                    let (mut memory, pivots) = (uploaded(&context, &a), context.upload(&pivots).unwrap());
                    let mut info = context.upload(&[-7_i32]).unwrap();
                    let (queue, factors) = (context.queue().unwrap(), memory.view_mut(a.shape).unwrap());
                    let info_view = info.vector_mut().unwrap();
                    getri_with_backend(&queue, factors, pivots.vector().unwrap(), &info_view, backend)
                        .unwrap()
                        .wait()
                        .unwrap();
                    (downloaded(&a, &memory).dense(), info.download().unwrap()[0])
                };
                let (found, info) = inverse(wrong);
                assert_eq!(info as usize, zero.map_or(0, |zero| zero + 1), "{backend:?} {wrong:?}");
                let expected = if zero.is_some() { a.dense() } else { inverse(None).0 };
                assert_eq!(norm(&difference(&found, &expected)), 0.0, "{backend:?} {wrong:?}");
            }
        }
    }
}
