//! Norms against sums in doubles over the mathematical matrix: on the host, and on every device as every class of
//! device.

use super::*;
use crate::context::Queue;
use crate::error::Result;
use crate::lapack::norm::enqueue_as;
use crate::options::{Diag, Norm, Symmetry, Triangle};
use crate::pattern::{Corner, Pattern};
use crate::scalar::{Complex32, Complex64};
use crate::testing::{assert_close, for_each_type};
use crate::view::{MatrixRef, VectorShape, View};
use crate::{MatrixShape, lange, lange_on, lanhe, lanhe_on, lansy, lansy_on, lantr, lantr_on};

/// Every pattern.
fn patterns() -> Vec<Pattern> {
    let triangles = Triangle::ALL.iter().flat_map(|&triangle| {
        [
            Pattern::Mirrored(triangle, Symmetry::Symmetric),
            Pattern::Mirrored(triangle, Symmetry::Hermitian),
            Pattern::Triangular(triangle, Diag::NonUnit),
            Pattern::Triangular(triangle, Diag::Unit),
        ]
    });
    std::iter::once(Pattern::General).chain(triangles).collect()
}

/// The modulus of what element (i, j) of the whole matrix is.
fn meant<T: Scalar>(pattern: Pattern, a: &Stored<T>, i: usize, j: usize) -> f64 {
    let inside = |triangle: Triangle| if triangle == Triangle::Lower { i > j } else { i < j };
    match pattern {
        Pattern::General => a.element(i, j).norm(),
        Pattern::Mirrored(_, Symmetry::Hermitian) if i == j => a.element(i, i).re.abs(),
        Pattern::Mirrored(triangle, _) if i == j || inside(triangle) => a.element(i, j).norm(),
        Pattern::Mirrored(..) => a.element(j, i).norm(),
        Pattern::Triangular(_, Diag::Unit) if i == j => 1.0,
        Pattern::Triangular(triangle, _) if i == j || inside(triangle) => a.element(i, j).norm(),
        Pattern::Triangular(..) => 0.0,
    }
}

/// A matrix with NaN where its pattern does not look.
fn stored<T: Scalar>(pattern: Pattern, [m, n]: [usize; 2], (layout, gap): (Layout, usize)) -> Stored<T> {
    let a = Stored::<T>::new(layout, m, n, gap, 6);
    let values = a.dense();
    a.filled_with(|i, j| {
        let unread = match pattern {
            Pattern::General => false,
            Pattern::Triangular(_, Diag::Unit) if i == j => true,
            Pattern::Mirrored(triangle, _) | Pattern::Triangular(triangle, _) => {
                if triangle == Triangle::Lower {
                    i < j
                } else {
                    i > j
                }
            }
        };
        let imaginary = if matches!(pattern, Pattern::Mirrored(_, Symmetry::Hermitian)) && i == j {
            f64::NAN
        } else {
            values[(i, j)].im
        };
        if unread { Complex64::new(f64::NAN, f64::NAN) } else { Complex64::new(values[(i, j)].re, imaginary) }
    })
}

fn expected<T: Scalar>(norm: Norm, pattern: Pattern, a: &Stored<T>) -> f64 {
    let (m, n) = (a.shape.rows(), a.shape.columns());
    let at = |i, j| meant(pattern, a, i, j);
    let largest = |sums: &mut dyn Iterator<Item = f64>| sums.fold(0.0, f64::max);
    match norm {
        Norm::Max => largest(&mut (0..m * n).map(|e| at(e % m, e / m))),
        Norm::One => largest(&mut (0..n).map(|j| (0..m).map(|i| at(i, j)).sum())),
        Norm::Infinity => largest(&mut (0..m).map(|i| (0..n).map(|j| at(i, j)).sum())),
        Norm::Frobenius => (0..m * n).map(|e| at(e % m, e / m).powi(2)).sum::<f64>().sqrt(),
    }
}

fn of_view<T: Scalar>(norm: Norm, pattern: Pattern, a: MatrixRef<'_, T>) -> f64 {
    let found = match pattern {
        Pattern::General => lange(norm, a),
        Pattern::Mirrored(triangle, Symmetry::Symmetric) => lansy(norm, triangle, a),
        Pattern::Mirrored(triangle, Symmetry::Hermitian) => lanhe(norm, triangle, a),
        Pattern::Triangular(triangle, diagonal) => lantr(norm, triangle, diagonal, a),
    };
    found.unwrap().re()
}

/// The norm that work on a device leaves between canaries.
fn stored_at<T: Scalar>(
    context: &Context,
    a: &Stored<T>,
    work: impl FnOnce(&Queue, MatrixRef<'_, T>, crate::VectorMut<'_, T::RealScalar>) -> Result<crate::Event>,
) -> f64 {
    let seven = T::RealScalar::from_parts(7.0, 0.0);
    let (memory, mut results) = (uploaded(context, a), context.upload(&[seven; 3]).unwrap());
    let storage = results.vector_view_mut(VectorShape::new(1, 1, 1).unwrap()).unwrap();
    work(&context.queue().unwrap(), memory.view(a.shape).unwrap(), storage).unwrap().wait().unwrap();
    let results = results.download().unwrap();
    assert!(results[0] == seven && results[2] == seven, "canaries around the result");
    results[1].re()
}

/// One rounding per addition, and a few per modulus.
#[track_caller]
fn assert_near<T: Scalar>(found: f64, exact: f64, terms: usize, what: &dyn std::fmt::Debug) {
    let bound = (terms + 8) as f64 * T::EPSILON * exact;
    assert_close!(found, exact, bound, "{:?} {what:?}", T::KIND);
}

fn check<T: Scalar>(sizes: &[[usize; 2]]) {
    let devices = devices::<T>();
    for (k, &size) in sizes.iter().enumerate() {
        for pattern in patterns().into_iter().filter(|pattern| size[0] == size[1] || !pattern.is_mirrored()) {
            let storage = STORAGES[(k + usize::from(pattern.triangle() == Some(Triangle::Upper))) % 3];
            let a = stored::<T>(pattern, size, storage);
            for &norm in Norm::ALL {
                let exact = expected(norm, pattern, &a);
                let terms = if norm == Norm::Frobenius { size[0] + size[1] } else { size[0].max(size[1]) };
                assert_near::<T>(
                    of_view(norm, pattern, a.view()),
                    exact,
                    terms,
                    &("host", norm, pattern, size, storage),
                );
                for (context, device_info) in &devices {
                    let found = stored_at(context, &a, |queue, view, result| {
                        enqueue_as(queue, device_info, norm, pattern, view, &result)
                    });
                    assert_near::<T>(found, exact, terms, &(device_info.class, norm, pattern, size, storage));
                }
            }
        }
    }
}

mod device {
    use super::*;

    #[test]
    fn norms() {
        for_each_type!(check(&[[1, 1], [1, 7], [300, 2], [65, 64], [64, 65], [130, 130], [257, 257], [33, 600]]));
        check::<f32>(&[[8300, 3], [2, 5000], [1200, 500]]);
        check::<Complex64>(&[[70_000, 2], [520, 520]]);
    }

    /// The norm is NaN if and only if an element that is read is NaN.
    #[test]
    fn a_nan_is_never_lost() {
        fn check_nan<T: Scalar>() {
            for pattern in patterns() {
                let clean = stored::<T>(pattern, [70, 70], STORAGES[1]);
                for (i, j) in [(69, 69), (40, 3), (3, 40), (0, 0), (69, 0), (0, 69)] {
                    let mut a = clean.clone();
                    if i == j && pattern.corner() == Corner::Ones || clean.element(i, j).re.is_nan() {
                        continue;
                    }
                    a.set(i, j, Complex64::new(f64::NAN, f64::INFINITY));
                    for &norm in Norm::ALL {
                        let what = (norm, pattern, i, j);
                        assert!(of_view(norm, pattern, a.view()).is_nan(), "{what:?}");
                        for (context, device_info) in devices::<T>() {
                            let found = stored_at(&context, &a, |queue, view, result| {
                                enqueue_as(queue, &device_info, norm, pattern, view, &result)
                            });
                            assert!(found.is_nan(), "{:?} {what:?}", device_info.class);
                        }
                    }
                }
            }
        }
        check_nan::<f32>();
        check_nan::<Complex64>();
    }

    /// Elements at both ends of the range, whose squares are not in it.
    #[test]
    fn frobenius_neither_overflows_nor_underflows() {
        fn check_scaled<T: Scalar>(scales: &[f64]) {
            for &scale in scales {
                for pattern in patterns().into_iter().filter(|pattern| pattern.corner() != Corner::Ones) {
                    let plain = stored::<T>(pattern, [40, 40], STORAGES[2]);
                    let dense = plain.dense();
                    let a = plain.clone().filled_with(|i, j| dense[(i, j)] * scale);
                    // The rounding of the scaled elements is not the norm's error.
                    let reference = Stored::<f64>::new(Layout::ColumnMajor, 40, 40, 0, 1);
                    let moduli = |i, j| Complex64::new(meant(pattern, &a, i, j) / scale, 0.0);
                    let exact = expected(Norm::Frobenius, Pattern::General, &reference.filled_with(moduli)) * scale;
                    assert_near::<T>(of_view(Norm::Frobenius, pattern, a.view()), exact, 80, &(scale, pattern));
                    for (context, device_info) in devices::<T>() {
                        let found = stored_at(&context, &a, |queue, view, result| {
                            enqueue_as(queue, &device_info, Norm::Frobenius, pattern, view, &result)
                        });
                        assert_near::<T>(found, exact, 80, &(device_info.class, scale, pattern));
                    }
                }
            }
        }
        for_each_type! {
            check_scaled::<f64>(&[1e300, 1e-300]);
            check_scaled::<Complex64>(&[1e300, 1e-300]);
            check_scaled::<f32>(&[1e34, 1e-30]);
            check_scaled::<Complex32>(&[1e34, 1e-30]);
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn norms() {
        for_each_type!(check(&[[5, 5], [9, 40]]));
    }

    #[test]
    fn norms_of_nothing() {
        for (context, device_info) in devices::<f32>() {
            let a = Stored::<f32>::new(Layout::ColumnMajor, 3, 3, 1, 1);
            let none = MatrixShape::new(Layout::RowMajor, 0, 5, 0, 5).unwrap();
            for &norm in Norm::ALL {
                let found = stored_at(&context, &a, |queue, view, result| {
                    let view = MatrixRef::from_parts(view.memory(), none);
                    enqueue_as(queue, &device_info, norm, Pattern::General, view, &result)
                });
                assert_eq!(found, 0.0);
                assert_eq!(lange(norm, MatrixRef::from_slice(&a.data, none).unwrap()).unwrap(), 0.0);
            }
        }
    }

    /// The functions that users call, with the device's own facts.
    #[test]
    fn norms_by_the_functions_on_a_queue() {
        for (context, _) in devices::<Complex32>().iter().step_by(2) {
            let upper = Triangle::Upper;
            for &norm in Norm::ALL {
                let case = |pattern| (stored::<Complex32>(pattern, [20, 20], STORAGES[0]), pattern);
                let (a, pattern) = case(Pattern::General);
                let found = stored_at(context, &a, |queue, view, result| lange_on(queue, norm, view, result));
                assert_near::<f32>(found, expected(norm, pattern, &a), 40, &"lange");
                let memory = uploaded(context, &a);
                assert_eq!(of_view(norm, pattern, memory.view(a.shape).unwrap()), found);
                let (a, pattern) = case(Pattern::Mirrored(upper, Symmetry::Symmetric));
                let found = stored_at(context, &a, |queue, view, result| lansy_on(queue, norm, upper, view, result));
                assert_near::<f32>(found, expected(norm, pattern, &a), 40, &"lansy");
                let (a, pattern) = case(Pattern::Mirrored(upper, Symmetry::Hermitian));
                let found = stored_at(context, &a, |queue, view, result| lanhe_on(queue, norm, upper, view, result));
                assert_near::<f32>(found, expected(norm, pattern, &a), 40, &"lanhe");
                let (a, pattern) = case(Pattern::Triangular(upper, Diag::Unit));
                let unit = Diag::Unit;
                let found =
                    stored_at(context, &a, |queue, view, result| lantr_on(queue, norm, upper, unit, view, result));
                assert_near::<f32>(found, expected(norm, pattern, &a), 40, &"lantr");
            }
        }
    }
}
