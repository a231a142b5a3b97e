//! Against the definitions, with integers and diagonals of powers of two, which are exact.

use affinimath_core::options::{Diag, Op, Side, Triangle};
use affinimath_core::scalar::Scalar;
use affinimath_cpu::simd::instruction_sets;
use affinimath_cpu::small::products::ByColumns;
use affinimath_cpu::small::triangular::{Factor, MAX_ORDER, triangular};
use affinimath_testing::for_each_type;

const TEST_ORDERS: [usize; 8] = [1, 2, 4, 5, 9, 16, MAX_ORDER - 1, MAX_ORDER];

fn value_of<T: Scalar>(i: usize, j: usize) -> T {
    let part = |x: usize| (x % 5) as f64 - 2.0;
    T::from_parts(part(i * 3 + j * 7), part(i * 2 + j))
}

fn check_one<T: Scalar>(side: Side, triangle: Triangle, op: Op, diagonal: Diag, order: usize, others: usize) {
    let (m, n) = if side == Side::Left { (order, others) } else { (others, order) };
    let not_a_number = T::from_parts(f64::NAN, f64::NAN);
    let mut a = vec![not_a_number; (order + 1) * order];
    let mut whole = vec![T::ZERO; order * order];
    for (i, j) in (0..order).flat_map(|i| (0..order).map(move |j| (i, j))) {
        let value = if i == j { T::from_parts(f64::from(1 << (i % 3)), 0.0) } else { value_of(i, j) };
        if i == j && diagonal == Diag::Unit {
            whole[i * order + i] = T::ONE;
        } else if i == j || (i > j) == (triangle == Triangle::Lower) {
            a[j * (order + 1) + i] = value;
            let (row, column) = if op.transposes() { (j, i) } else { (i, j) };
            whole[column * order + row] = if op.conjugates() { value.conjugate() } else { value };
        }
    }
    let x: Vec<T> = (0..(m + 1) * n).map(|index| value_of(index % (m + 1), index / (m + 1) + 2)).collect();
    let mut b = x.clone();
    let matrix = ByColumns { first: a.as_mut_ptr(), leading_dimension: order + 1 };
    let factor = Factor { matrix, side, triangle, op, diagonal };
    // Without a factor, rows that are whole vectors are not copied.
    let alpha = if others == 16 { T::ONE } else { T::from_parts(2.0, 0.0) };
    let b_view = ByColumns { first: b.as_mut_ptr(), leading_dimension: m + 1 };
    // SAFETY: the matrices lie in their memory.
    assert!(unsafe { triangular::<T, false>(factor, [m, n], alpha, b_view) });
    for (i, j) in (0..m + 1).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let x = |i: usize, j: usize| x[j * (m + 1) + i];
        let terms = (0..order).map(|p| match side {
            Side::Left => whole[p * order + i] * x(p, j),
            Side::Right => x(i, p) * whole[j * order + p],
        });
        let expected = if i == m { x(i, j) } else { alpha * terms.fold(T::ZERO, |sum, term| sum + term) };
        assert_eq!(b[j * (m + 1) + i], expected, "{side:?} {triangle:?} {op:?} {diagonal:?} {order} ({i}, {j})");
    }
    let b_view = ByColumns { first: b.as_mut_ptr(), leading_dimension: m + 1 };
    let half = T::from_parts(1.0 / alpha.re(), 0.0);
    // SAFETY: as above.
    assert!(unsafe { triangular::<T, true>(factor, [m, n], half, b_view) });
    assert_eq!(b, x, "{side:?} {triangle:?} {op:?} {diagonal:?} {order} {others}");
}

fn check<T: Scalar>() {
    for order in TEST_ORDERS {
        for (side, triangle) in Side::ALL.iter().flat_map(|side| Triangle::ALL.iter().map(move |t| (*side, *t))) {
            for (op, diagonal) in Op::ALL.iter().flat_map(|op| Diag::ALL.iter().map(move |d| (*op, *d))) {
                for others in [1, 3, 8, 16, 21] {
                    check_one::<T>(side, triangle, op, diagonal, order, others);
                }
            }
        }
    }
}

#[test]
fn products_and_solutions_are_those_of_the_definitions() {
    instruction_sets::for_each(|| {
        for_each_type!(check());
    });
}

#[test]
fn diagonals_without_ordinary_reciprocals_are_left_alone() {
    for diagonal in [0.0, f64::NAN, f64::INFINITY, 1e-300, 1e300] {
        let (mut a, mut b) = ([1.0, 0.0, 0.0, diagonal], [3.0, 4.0]);
        let matrix = ByColumns { first: a.as_mut_ptr(), leading_dimension: 2 };
        let factor =
            Factor { matrix, side: Side::Left, triangle: Triangle::Lower, op: Op::NoTrans, diagonal: Diag::NonUnit };
        let b_view = ByColumns { first: b.as_mut_ptr(), leading_dimension: 2 };
        // SAFETY: the matrices lie in their memory.
        assert!(!unsafe { triangular::<f64, true>(factor, [2, 1], 1.0, b_view) });
        assert_eq!(b, [3.0, 4.0]);
    }
}
