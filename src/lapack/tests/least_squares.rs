//! Least squares and least norms.

use super::qr::small_plan;
use super::*;
use crate::lapack::gels_on;
use crate::lapack::qr::gels_with_plan;
use crate::lapack::tests::host::least_squares::{check_solutions, top};
use crate::lapack::tests::host::{Dense, operated};
use crate::options::Op;
use crate::scalar::Complex64;
use crate::testing::for_each_type;
use crate::{VectorShape, gelsy, gelsy_on, geqp3, geqp3_on};

/// gels's solution for op(A) and B, by small panels or by the device's own plan, and the info.
fn solved<T: Scalar>(
    (context, device_info): &(Context, DeviceInfo),
    own: bool,
    op: Op,
    [a, b]: [&Dense; 2],
    (layout, gap): (Layout, usize),
) -> (Dense, i32) {
    let (m, n) = (a.nrows(), a.ncols());
    let nan = Complex64::new(f64::NAN, f64::NAN);
    let matrix = Stored::<T>::new(layout, m, n, gap, 0).filled_with(|i, j| a[(i, j)]);
    let right = Stored::<T>::new(layout, m.max(n), b.ncols(), gap, 0);
    let right = right.filled_with(|i, j| if i < b.nrows() { b[(i, j)] } else { nan });
    let (mut memory, mut x) = (uploaded(context, &matrix), uploaded(context, &right));
    let mut info = context.upload(&[-7_i32]).unwrap();
    let queue = context.queue().unwrap();
    let (a_view, b_view) = (memory.view_mut(matrix.shape).unwrap(), x.view_mut(right.shape).unwrap());
    let info_view = info.vector_mut().unwrap();
    let event = if own {
        gels_on(&queue, op, a_view, b_view, info_view)
    } else {
        gels_with_plan(&queue, op, a_view, b_view, &info_view, (&small_plan(device_info), device_info))
    };
    event.unwrap().wait().unwrap();
    let (matrix, x) = (downloaded(&matrix, &memory), downloaded(&right, &x));
    assert!(matrix.canaries_live() && x.canaries_live());
    (top(&x.dense(), operated(op, a).ncols()), info.download().unwrap()[0])
}

fn check<T: Scalar>(shapes: &[[usize; 3]], own: bool) {
    for on in devices_with_backends::<T>() {
        for (k, &shape) in shapes.iter().enumerate() {
            let storage = STORAGES[k % 3];
            for op in [Op::NoTrans, Op::ConjTrans] {
                let case = (shape, storage, op, on.1.class, own);
                check_solutions::<T>(shape, op, &case, |op, a, b| {
                    let (x, info) = solved::<T>(&on, own, op, [a, b], storage);
                    assert_eq!(info, 0, "{case:?}");
                    x
                });
            }
        }
    }
}

mod device {
    use super::*;

    #[test]
    fn least_squares() {
        for_each_type!(check(&[[1, 1, 1], [4, 2, 3], [33, 20, 1], [20, 33, 3], [30, 30, 2], [50, 12, 5]], false));
        check::<Complex64>(&[[90, 70, 3], [70, 90, 3]], true);
    }

    #[test]
    fn a_matrix_without_full_rank_is_told() {
        for on in devices::<f64>() {
            for (m, n, zero) in [(9, 6, 4), (6, 9, 0)] {
                for op in [Op::NoTrans, Op::ConjTrans] {
                    let mut a = Stored::<f64>::new(Layout::ColumnMajor, m, n, 0, 1).dense();
                    // A column of a tall matrix, a row of a wide one.
                    (0..m.max(n)).for_each(|i| a[if m >= n { (i, zero) } else { (zero, i) }] = Complex64::ZERO);
                    let b = Stored::<f64>::new(Layout::ColumnMajor, operated(op, &a).nrows(), 1, 0, 2).dense();
                    let (_, info) = solved::<f64>(&on, false, op, [&a, &b], STORAGES[1]);
                    assert_eq!(info as usize, zero + 1, "{m} x {n}, {op:?}");
                }
            }
        }
    }

    #[test]
    fn what_has_no_rows_or_no_columns_is_solved_by_zeros() {
        for on in devices::<f64>() {
            for (m, n, columns) in [(0, 4, 2), (4, 0, 2), (3, 2, 0)] {
                let a = Stored::<f64>::new(Layout::ColumnMajor, m, n, 0, 1).dense();
                let b = Stored::<f64>::new(Layout::ColumnMajor, m, columns, 0, 2).dense();
                let (x, info) = solved::<f64>(&on, false, Op::NoTrans, [&a, &b], STORAGES[1]);
                assert_eq!((x.nrows(), x.ncols(), info), (n, columns, 0));
                assert!((0..columns).all(|j| (0..n).all(|i| x[(i, j)] == Complex64::ZERO)));
            }
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn least_squares() {
        for_each_type!(check(&[[7, 4, 2], [4, 7, 1]], false));
    }

    /// Matrices in device memory are factorised on the host: results are the host's, and memory around the matrices is
    /// unchanged.
    #[test]
    fn pivoted_qr_and_least_squares_of_any_rank_of_a_device_are_the_hosts() {
        fn check<T: Scalar>() {
            for (context, _) in devices::<T>().iter().step_by(2) {
                for storage in STORAGES {
                    let (m, n) = (7, 4);
                    let values = Stored::<T>::new(storage.0, m, n, storage.1, 3);
                    let dense = values.dense();
                    // The last two columns are the same.
                    let a = values.filled_with(|i, j| dense[(i, j.min(n - 2))]);
                    let b = Stored::<T>::new(storage.0, m, 2, storage.1, 4);
                    let rcond = T::RealScalar::from_parts(30.0 * m as f64 * T::EPSILON, 0.0);
                    let (mut factors, mut x, mut jpvt) = (a.clone(), b.clone(), [0, 1, 0, 0]);
                    assert_eq!(gelsy(factors.view_mut(), x.view_mut(), &mut jpvt, rcond).unwrap(), n - 1);
                    let queue = context.queue().unwrap();
                    let (mut of_a, mut of_b) = (uploaded(context, &a), uploaded(context, &b));
                    let mut columns = context.upload(&[-7, 0, 1, 0, 0, -7]).unwrap();
                    let shape = VectorShape::new(n, 1, 1).unwrap();
                    let (left, right) = (of_a.view_mut(a.shape).unwrap(), of_b.view_mut(b.shape).unwrap());
                    let (event, rank) =
                        gelsy_on(&queue, left, right, columns.vector_view_mut(shape).unwrap(), rcond).unwrap();
                    event.wait().unwrap();
                    assert_eq!(rank, n - 1);
                    assert!(downloaded(&a, &of_a).canaries_live() && downloaded(&b, &of_b).canaries_live());
                    assert_eq!(downloaded(&a, &of_a).dense(), factors.dense());
                    assert_eq!(downloaded(&b, &of_b).dense(), x.dense());
                    let found = columns.download().unwrap();
                    assert_eq!((found[0], &found[1..=n], found[n + 1]), (-7, &jpvt[..], -7));

                    let (mut factors, mut jpvt, mut tau) = (a.clone(), [0; 4], [T::ZERO; 4]);
                    geqp3(factors.view_mut(), &mut jpvt, &mut tau).unwrap();
                    let (mut of_a, mut columns) = (uploaded(context, &a), context.upload(&[0; 4]).unwrap());
                    let mut of_tau = context.upload(&[T::ONE; 4]).unwrap();
                    let event = geqp3_on(
                        &queue,
                        of_a.view_mut(a.shape).unwrap(),
                        columns.vector_mut().unwrap(),
                        of_tau.vector_mut().unwrap(),
                    );
                    event.unwrap().wait().unwrap();
                    assert!(downloaded(&a, &of_a).canaries_live());
                    assert_eq!(downloaded(&a, &of_a).dense(), factors.dense());
                    assert_eq!(
                        (columns.download().unwrap(), of_tau.download().unwrap()),
                        (jpvt.to_vec(), tau.to_vec())
                    );
                    // Without a queue, on one of its own.
                    let mut of_a = uploaded(context, &a);
                    let mut jpvt = [0; 4];
                    geqp3(of_a.view_mut(a.shape).unwrap(), &mut jpvt, &mut tau).unwrap();
                    assert_eq!(downloaded(&a, &of_a).dense(), factors.dense());
                }
            }
        }
        for_each_type!(check());
    }
}
