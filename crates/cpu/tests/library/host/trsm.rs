use faer::{Mat, MatMut};

use affinimath_core::options::{Diag, Op, Side, Triangle};
use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_cpu::trsm::{BLOCK, PART, trsm};
use affinimath_testing::{assert_close, filled};

/// Enough rows of B for a transposed copy of the triangle, and too few for it. The other triangle is not read in
/// either case.
fn check<T: Scalar>(triangle: Triangle, op: Op) {
    let (n, rows) = (3 * BLOCK + 5, 2 * PART + 3);
    let (values, b) = (filled::<T>(n, n, 1), filled::<T>(rows, n, 2));
    let a = Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Equal => values[(i, j)] + T::from_parts(3.0, 0.0),
        order if (order == std::cmp::Ordering::Greater) == (triangle == Triangle::Lower) => {
            values[(i, j)] * T::from_parts(1.0 / n as f64, 0.0)
        }
        _ => T::from_parts(f64::NAN, f64::NAN),
    });
    let solve = |b: MatMut<'_, T>| trsm(Side::Right, triangle, op, Diag::NonUnit, T::ONE, a.as_ref(), b);
    let (mut whole, mut one_by_one) = (b.clone(), b);
    solve(whole.as_mut());
    for i in 0..rows {
        solve(one_by_one.as_mut().subrows_mut(i, 1));
    }
    for j in 0..n {
        for i in 0..rows {
            let (x, y) = (whole[(i, j)], one_by_one[(i, j)]);
            let tolerance = 50.0 * T::EPSILON * (1.0 + y.modulus());
            assert_close!(x, y, tolerance, "({i}, {j}), {triangle:?}, {op:?}");
        }
    }
}

#[test]
fn many_right_hand_sides_by_rows_are_solved_for() {
    for &triangle in Triangle::ALL {
        for op in [Op::NoTrans, Op::Trans, Op::ConjTrans] {
            check::<f32>(triangle, op);
            check::<Complex64>(triangle, op);
        }
    }
}
