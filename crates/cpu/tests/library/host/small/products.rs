//! Against the definitions, with integers, whose sums are exact in any order.

use affinimath_core::options::{Side, Symmetry, Triangle};
use affinimath_core::scalar::Scalar;
use affinimath_cpu::simd::instruction_sets;
use affinimath_cpu::small::products::{ByColumns, TRIANGLE, rank_k, symm};
use affinimath_testing::for_each_type;

const TEST_ORDERS: [usize; 9] = [1, 2, 3, 7, 8, 9, 17, TRIANGLE - 1, TRIANGLE];

fn not_a_number<T: Scalar>() -> T {
    T::from_parts(f64::NAN, f64::NAN)
}

fn value_of<T: Scalar>(i: usize, j: usize, seed: usize) -> T {
    let part = |x: usize| (x % 7) as f64 - 3.0;
    T::from_parts(part(i * 5 + j * 3 + seed), part(i * 2 + j * 11 + seed + 4))
}

/// A matrix with a row of NaN below it.
fn matrix<T: Scalar>(m: usize, n: usize, seed: usize) -> Vec<T> {
    let element = |index: usize| match (index % (m + 1), index / (m + 1)) {
        (i, _) if i == m => not_a_number(),
        (i, j) => value_of(i, j, seed),
    };
    (0..(m + 1) * n).map(element).collect()
}

fn view<T>(memory: &mut [T], m: usize) -> ByColumns<T> {
    ByColumns { first: memory.as_mut_ptr(), leading_dimension: m + 1 }
}

fn holds(triangle: Triangle, i: usize, j: usize) -> bool {
    if triangle == Triangle::Lower { i >= j } else { i <= j }
}

fn check_symm<T: Scalar>(side: Side, triangle: Triangle, hermitian: bool, [m, n]: [usize; 2], beta: T) {
    let symmetry = if hermitian { Symmetry::Hermitian } else { Symmetry::Symmetric };
    let (order, alpha) = (if side == Side::Left { m } else { n }, T::from_parts(2.0, -1.0));
    let mut a = matrix::<T>(order, order, 1);
    let mut whole = vec![T::ZERO; order * order];
    for (i, j) in (0..order).flat_map(|i| (0..order).map(move |j| (i, j))) {
        let index = j * (order + 1) + i;
        if !holds(triangle, i, j) {
            a[index] = not_a_number();
            continue;
        }
        let value = if hermitian && i == j { T::from_parts(a[index].re(), 0.0) } else { a[index] };
        whole[j * order + i] = value;
        whole[i * order + j] = if hermitian { value.conjugate() } else { value };
        if hermitian && i == j && T::KIND.is_complex() {
            a[index] = T::from_parts(value.re(), f64::NAN);
        }
    }
    let (mut b, mut c) = (matrix::<T>(m, n, 2), matrix::<T>(m, n, 3));
    if beta == T::ZERO {
        c.fill(not_a_number());
    }
    let before = c.clone();
    // SAFETY: the matrices lie in their memory.
    let done = unsafe {
        let (a, b, c) = (view(&mut a, order), view(&mut b, m), view(&mut c, m));
        symm((side, triangle, symmetry), [m, n], alpha, a, b, beta, c)
    };
    assert!(done);
    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let b = |i: usize, j: usize| b[j * (m + 1) + i];
        let terms = (0..order)
            .map(|p| if side == Side::Left { whole[p * order + i] * b(p, j) } else { b(i, p) * whole[j * order + p] });
        let sum = terms.fold(T::ZERO, |sum, term| sum + term);
        let old = before[j * (m + 1) + i];
        let expected = alpha * sum + if beta == T::ZERO { T::ZERO } else { beta * old };
        assert_eq!(c[j * (m + 1) + i], expected, "{side:?} {triangle:?} {hermitian} {m} {n} ({i}, {j})");
    }
}

fn check_rank_k<T: Scalar>(
    (triangle, hermitian, transposed, two): (Triangle, bool, bool, bool),
    [n, k]: [usize; 2],
    beta: T,
) {
    let symmetry = if hermitian { Symmetry::Hermitian } else { Symmetry::Symmetric };
    let alpha = T::from_parts(2.0, if hermitian && !two { 0.0 } else { -1.0 });
    let (rows, columns) = if transposed { (k, n) } else { (n, k) };
    let (mut a, mut b, mut c) = (matrix::<T>(rows, columns, 1), matrix::<T>(rows, columns, 2), matrix::<T>(n, n, 3));
    for j in 0..n {
        // Imaginary parts on a Hermitian matrix's diagonal are not read.
        let old = c[j * (n + 1) + j];
        c[j * (n + 1) + j] = if beta == T::ZERO { not_a_number() } else { old };
    }
    let before = c.clone();
    // SAFETY: the matrices lie in their memory.
    let done = unsafe {
        let (a, b, c) = (view(&mut a, rows), view(&mut b, rows), view(&mut c, n));
        rank_k((triangle, symmetry, transposed), [n, k], alpha, a, two.then_some(b), beta, c)
    };
    assert!(done);
    let op = |x: &[T], i: usize, p: usize| {
        let value = if transposed { x[i * (k + 1) + p] } else { x[p * (n + 1) + i] };
        if transposed && hermitian { value.conjugate() } else { value }
    };
    let mirrored = |x: T| if hermitian { x.conjugate() } else { x };
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let (found, old) = (c[j * (n + 1) + i], before[j * (n + 1) + i]);
        if !holds(triangle, i, j) {
            assert_eq!(found, old, "the other triangle is not touched");
            continue;
        }
        let mut sum = T::ZERO;
        for p in 0..k {
            if two {
                sum += alpha * op(&a, i, p) * mirrored(op(&b, j, p));
                sum += mirrored(alpha) * op(&b, i, p) * mirrored(op(&a, j, p));
            } else {
                sum += alpha * op(&a, i, p) * mirrored(op(&a, j, p));
            }
        }
        let whole = sum + if beta == T::ZERO { T::ZERO } else { beta * old };
        let expected = if hermitian && i == j { T::from_parts(whole.re(), 0.0) } else { whole };
        assert_eq!(found, expected, "{triangle:?} {hermitian} {transposed} {two} {n} {k} ({i}, {j})");
    }
}

fn check<T: Scalar>() {
    for (n, triangle) in TEST_ORDERS.into_iter().flat_map(|n| Triangle::ALL.iter().map(move |triangle| (n, *triangle)))
    {
        for (hermitian, beta) in [(false, T::ZERO), (true, T::from_parts(3.0, 0.0)), (false, T::from_parts(1.0, 2.0))] {
            for m in [1, 5, 16] {
                check_symm(Side::Left, triangle, hermitian, [n, m], beta);
                check_symm(Side::Right, triangle, hermitian, [m, n], beta);
            }
            for (transposed, two) in [(false, false), (false, true), (true, false), (true, true)] {
                check_rank_k((triangle, hermitian, transposed, two), [n, 1 + n / 2], beta);
            }
        }
    }
}

#[test]
fn symmetric_products_are_those_of_the_definitions() {
    instruction_sets::for_each(|| {
        for_each_type!(check());
    });
}

#[test]
fn orders_beyond_the_switch_are_left_alone() {
    let n = TRIANGLE + 1;
    let mut values = vec![1.0_f64; n * n];
    let matrix = ByColumns { first: values.as_mut_ptr(), leading_dimension: n };
    let kind = (Triangle::Lower, Symmetry::Symmetric, false);
    // SAFETY: nothing is touched.
    assert!(!unsafe { rank_k(kind, [n, 1], 2.0, matrix, None, 1.0, matrix) });
    assert!(values.iter().all(|x| *x == 1.0));
}
