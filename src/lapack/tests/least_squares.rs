//! Least squares and least norms.

use super::qr::small_plan;
use super::*;
use crate::host::lapack::tests::least_squares::{check_solutions, top};
use crate::host::lapack::tests::{Dense, operated};
use crate::lapack::gels_on;
use crate::lapack::qr::gels_by;
use crate::options::Op;
use crate::scalar::Complex64;
use crate::testing::for_each_type;

/// What gels makes of op(A) and B, by small panels or by the device's own plan, and the info.
fn solved<T: Scalar>(
    (context, facts): &(Context, DeviceFacts),
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
        gels_by(&queue, op, a_view, b_view, &info_view, (&small_plan(facts), facts))
    };
    event.unwrap().wait().unwrap();
    let (matrix, x) = (downloaded(&matrix, &memory), downloaded(&right, &x));
    assert!(matrix.canaries_live() && x.canaries_live());
    (top(&x.dense(), operated(op, a).ncols()), info.download().unwrap()[0])
}

fn check<T: Scalar>(shapes: &[[usize; 3]], own: bool) {
    for on in devices_by_all_means::<T>() {
        for (k, &shape) in shapes.iter().enumerate() {
            let place = PLACES[k % 3];
            for op in [Op::Keep, Op::Adjoint] {
                let case = (shape, place, op, on.1.class, own);
                check_solutions::<T>(shape, op, &case, |op, a, b| {
                    let (x, info) = solved::<T>(&on, own, op, [a, b], place);
                    assert_eq!(info, 0, "{case:?}");
                    x
                });
            }
        }
    }
}

#[test]
fn least_squares_small() {
    for_each_type!(check(&[[7, 4, 2], [4, 7, 1]], false));
}

#[test]
fn least_squares() {
    for_each_type!(check(&[[1, 1, 1], [4, 2, 3], [33, 20, 1], [20, 33, 3], [30, 30, 2], [50, 12, 5]], false));
    check::<Complex64>(&[[90, 70, 3], [70, 90, 3]], true);
}

#[test]
fn a_matrix_without_full_rank_is_told() {
    for on in devices::<f64>() {
        for (m, n, zero) in [(9, 6, 4), (6, 9, 0)] {
            for op in [Op::Keep, Op::Adjoint] {
                let mut a = Stored::<f64>::new(Layout::ColumnMajor, m, n, 0, 1).dense();
                // A column of a high matrix, a row of a wide one.
                (0..m.max(n)).for_each(|i| a[if m >= n { (i, zero) } else { (zero, i) }] = Complex64::ZERO);
                let b = Stored::<f64>::new(Layout::ColumnMajor, operated(op, &a).nrows(), 1, 0, 2).dense();
                let (_, info) = solved::<f64>(&on, false, op, [&a, &b], PLACES[1]);
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
            let (x, info) = solved::<f64>(&on, false, Op::Keep, [&a, &b], PLACES[1]);
            assert_eq!((x.nrows(), x.ncols(), info), (n, columns, 0));
            assert!((0..columns).all(|j| (0..n).all(|i| x[(i, j)] == Complex64::ZERO)));
        }
    }
}
