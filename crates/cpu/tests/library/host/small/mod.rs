mod factors;
mod products;
mod triangles;
mod triangular;
mod vectors;

use affinimath_core::scalar::Scalar;
use affinimath_cpu::simd::instruction_sets;
use affinimath_cpu::small::{Strided, axpy, dot, gemm, gemv, ger, without_stack};
use affinimath_testing::for_each_type;

/// Small integers, so that all sums are exact in any order.
fn values<T: Scalar>(count: usize, seed: usize) -> Vec<T> {
    let value_of = |i: usize| ((i * 7 + seed * 13) % 19) as f64 - 9.0;
    (0..count).map(|i| T::from_parts(value_of(i), value_of(i + 5))).collect()
}

fn not_a_number<T: Scalar>() -> T {
    T::from_parts(f64::NAN, f64::NAN)
}

/// A matrix in memory whose other elements are NaN.
struct Matrix<T> {
    memory: Vec<T>,
    row: usize,
    column: usize,
    conjugate: bool,
}

impl<T: Scalar> Matrix<T> {
    /// By rows or by columns, with a gap after each.
    fn new(by_rows: bool, conjugate: bool, rows: usize, columns: usize, seed: usize) -> Self {
        let (row, column) = if by_rows { (columns + 1, 1) } else { (1, rows + 1) };
        let mut memory = vec![not_a_number::<T>(); (rows + 1) * (columns + 1) + 1];
        let values = values::<T>(rows * columns, seed);
        for i in 0..rows {
            for j in 0..columns {
                memory[i * row + j * column] = values[i * columns + j];
            }
        }
        Matrix { memory, row, column, conjugate }
    }

    fn view(&mut self) -> Strided<T> {
        let Matrix { row, column, conjugate, .. } = *self;
        Strided { first: self.memory.as_mut_ptr(), row, column, conjugate }
    }

    fn at(&self, i: usize, j: usize) -> T {
        let value = self.memory[i * self.row + j * self.column];
        if self.conjugate { value.conjugate() } else { value }
    }
}

/// The vector, followed by NaN.
fn guarded<T: Scalar>(n: usize, seed: usize) -> Vec<T> {
    let mut vector = values::<T>(n, seed);
    vector.push(not_a_number());
    vector
}

fn is_untouched<T: Scalar>(value: T) -> bool {
    value.re().is_nan()
}

fn check_product<T: Scalar>([m, n, k]: [usize; 3], alpha: T, beta: T) {
    for form in 0..32 {
        let is = |bit: usize| form & bit != 0;
        let mut a = Matrix::<T>::new(is(1), is(8), m, k, 1);
        let mut b = Matrix::<T>::new(is(2), is(16), k, n, 2);
        let mut c = Matrix::<T>::new(is(4), false, m, n, 3);
        let before = Matrix::<T>::new(is(4), false, m, n, 3);
        if beta == T::ZERO {
            c.memory.fill(not_a_number());
        }
        // SAFETY: the matrices lie in their memory.
        assert!(unsafe { gemm([m, n, k], alpha, a.view(), b.view(), beta, c.view()) });
        for i in 0..m {
            for j in 0..n {
                let sum = (0..k).fold(T::ZERO, |sum, p| sum + a.at(i, p) * b.at(p, j));
                let old = if beta == T::ZERO { T::ZERO } else { beta * before.at(i, j) };
                assert_eq!(c.at(i, j), alpha * sum + old, "{m} {n} {k}, form {form}, ({i}, {j})");
                c.memory[i * c.row + j * c.column] = not_a_number();
            }
        }
        assert!(c.memory.iter().all(|value| is_untouched(*value)));
    }
}

fn check_products<T: Scalar>() {
    let (alpha, beta) = (T::from_parts(2.0, -1.0), T::from_parts(3.0, 1.0));
    for sizes in [[1, 1, 1], [4, 4, 4], [7, 5, 3], [16, 1, 9], [9, 8, 2], [17, 11, 4], [33, 3, 5], [3, 33, 5]] {
        check_product(sizes, alpha, beta);
    }
    check_product([24, 18, 7], alpha, T::ZERO);
    check_product([32, 8, 1], T::ONE, T::ONE);
}

#[test]
fn a_small_product_is_the_sum_of_products_in_all_orders() {
    instruction_sets::for_each(|| {
        for_each_type!(check_products());
    });
}

#[test]
fn a_product_that_is_not_for_here_is_refused() {
    let mut memory = vec![1.0; 128 * 129];
    let mut view = |row, column| Strided { first: memory.as_mut_ptr(), row, column, conjugate: false };
    let (by_columns, by_rows) = (view(1, 128), view(128, 1));
    // SAFETY: the matrices lie in their memory, and nothing is written.
    unsafe {
        assert!(!gemm([128, 129, 128], 1.0, by_columns, by_columns, 0.0, by_columns));
        assert!(!gemm([usize::MAX, 2, 2], 1.0, by_columns, by_columns, 0.0, by_columns));
        // More elements than fit on the stack.
        assert!(!gemm([65, 1, 65], 1.0, by_rows, by_columns, 0.0, by_columns));
    }
    assert!(memory.iter().all(|value| *value == 1.0));
}

fn check_gemv<T: Scalar>([m, n]: [usize; 2], alpha: T, beta: T) {
    for (by_rows, conjugate) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut a = Matrix::<T>::new(by_rows, conjugate, m, n, 1);
        let (x, mut y) = (guarded::<T>(n, 2), guarded::<T>(m, 3));
        let before = y.clone();
        if beta == T::ZERO {
            y.fill(not_a_number());
        }
        // SAFETY: the matrix and the vectors lie in their memory.
        unsafe { gemv([m, n], alpha, a.view(), x.as_ptr(), beta, y.as_mut_ptr()) };
        for i in 0..m {
            let sum = (0..n).fold(T::ZERO, |sum, j| sum + a.at(i, j) * x[j]);
            let old = if beta == T::ZERO { T::ZERO } else { beta * before[i] };
            assert_eq!(y[i], alpha * sum + old, "{m} x {n}, by rows: {by_rows}, row {i}");
        }
        assert!(is_untouched(y[m]));
    }
}

fn check_gemvs<T: Scalar>() {
    let (alpha, beta) = (T::from_parts(2.0, -1.0), T::from_parts(3.0, 1.0));
    // On both sides of one vector to four of any width, and of the columns that are taken together.
    for m in [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 64, 65, 70] {
        for n in [1, 2, 3, 5, 8, 15, 20] {
            check_gemv([m, n], alpha, beta);
        }
        check_gemv([m, 9], alpha, T::ZERO);
        check_gemv([m, 11], T::ONE, T::ONE);
        check_gemv([3, m], alpha, beta);
    }
}

#[test]
fn a_small_product_with_a_vector_is_the_sum_of_products() {
    instruction_sets::for_each(|| {
        for_each_type!(check_gemvs());
    });
}

/// Infinities and NaN propagate to the elements that depend on them, also with factor 0, and nowhere else.
fn check_nan<T: Scalar>() {
    for (m, n) in [(3, 3), (20, 13), (70, 9)] {
        for by_rows in [false, true] {
            let mut a = Matrix::<T>::new(by_rows, false, m, n, 1);
            let (mut x, mut y) = (guarded::<T>(n, 2), guarded::<T>(m, 3));
            x[1] = T::ZERO;
            a.memory[2 * a.row + a.column] = T::from_parts(f64::INFINITY, 0.0);
            // SAFETY: the matrix and the vectors lie in their memory.
            unsafe { gemv([m, n], T::ONE, a.view(), x.as_ptr(), T::ONE, y.as_mut_ptr()) };
            assert!((0..m).all(|i| y[i].finite() == (i != 2)), "{m} x {n}, by rows: {by_rows}");
        }
    }
}

#[test]
fn infinity_times_0_spoils_its_own_row() {
    instruction_sets::for_each(|| {
        for_each_type!(check_nan());
    });
}

fn check_vectors<T: Scalar>() {
    let alpha = T::from_parts(2.0, -1.0);
    for n in (1..40).chain([63, 64, 65, 127, 128, 129, 1000]) {
        let (x, mut y) = (guarded::<T>(n, 4), guarded::<T>(n, 5));
        for conjugate in [false, true] {
            let factor = |x: T| if conjugate { x.conjugate() } else { x };
            let sum = (0..n).fold(T::ZERO, |sum, i| sum + factor(x[i]) * y[i]);
            // SAFETY: both have n elements.
            assert_eq!(unsafe { dot(conjugate, n, x.as_ptr(), y.as_ptr()) }, sum, "{n}");
        }
        let expected: Vec<T> = (0..n).map(|i| alpha * x[i] + y[i]).collect();
        // SAFETY: as above.
        unsafe { axpy(n, alpha, x.as_ptr(), y.as_mut_ptr()) };
        assert_eq!(y[..n], expected);
        assert!(is_untouched(y[n]));
    }
}

#[test]
fn small_vectors_are_multiplied_and_added() {
    instruction_sets::for_each(|| {
        for_each_type!(check_vectors());
    });
}

/// Products that faer would copy onto the stack: row-major A and column-major C, with integers, which are exact.
fn check_without_stack<T: Scalar>() {
    for [m, n, k] in [[2, 2, 2], [7, 5, 3], [16, 16, 16], [2, 9, 31], [1, 4, 4], [64, 1, 64], [5, 4, 1]] {
        let from = |rows: usize, columns: usize, seed| {
            faer::MatRef::from_column_major_slice(&values::<T>(rows * columns, seed), rows, columns).to_owned()
        };
        // Each by rows, but for C; neither vector of a product with a column is of adjacent elements.
        let (a, b, before) = (from(k, m, 1), from(n, k, 2), from(m, n, 3));
        let (a, b) = (a.as_ref().transpose(), b.as_ref().transpose());
        for (conjugate_a, conjugate_b) in [(false, false), (true, false), (false, true), (true, true)] {
            for beta in [T::ZERO, T::ONE] {
                let alpha = T::from_parts(2.0, -1.0);
                let mut c = if beta == T::ZERO { faer::Mat::full(m, n, not_a_number::<T>()) } else { before.clone() };
                if !without_stack(alpha, (a, conjugate_a), (b, conjugate_b), beta, c.as_mut()) {
                    assert!(m == 1 || n == 1 || k == 1, "{m} x {n} x {k}");
                    continue;
                }
                let factor = |x: T, conjugate: bool| if conjugate { x.conjugate() } else { x };
                for i in 0..m {
                    for j in 0..n {
                        let term = |l| factor(a[(i, l)], conjugate_a) * factor(b[(l, j)], conjugate_b);
                        let sum = (0..k).fold(T::ZERO, |sum, l| sum + term(l));
                        let old = if beta == T::ZERO { T::ZERO } else { before[(i, j)] };
                        assert_eq!(c[(i, j)], alpha * sum + old, "({i}, {j}) of {m} x {n} x {k}");
                    }
                }
            }
        }
    }
}

#[test]
fn products_by_rows_take_no_stack_of_faers() {
    instruction_sets::for_each(|| {
        for_each_type!(check_without_stack());
    });
}

fn check_ger<T: Scalar>([m, n]: [usize; 2]) {
    let alpha = T::from_parts(2.0, -1.0);
    for (by_rows, adjoint) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut a = Matrix::<T>::new(by_rows, false, m, n, 1);
        let before = Matrix::<T>::new(by_rows, false, m, n, 1);
        let (x, y) = (guarded::<T>(m, 2), guarded::<T>(n, 3));
        // SAFETY: the matrix and the vectors lie in their memory.
        unsafe { ger([m, n], adjoint, alpha, x.as_ptr(), y.as_ptr(), a.view()) };
        for (i, x) in x.iter().enumerate().take(m) {
            for (j, y) in y.iter().enumerate().take(n) {
                let factor = if adjoint { y.conjugate() } else { *y };
                assert_eq!(a.at(i, j), before.at(i, j) + alpha * *x * factor, "{m} x {n}, by rows: {by_rows}");
                a.memory[i * a.row + j * a.column] = not_a_number();
            }
        }
        assert!(a.memory.iter().all(|value| is_untouched(*value)));
    }
}

#[test]
fn a_small_update_adds_the_products_of_two_vectors() {
    instruction_sets::for_each(|| {
        for sizes in [[1, 1], [3, 3], [5, 2], [8, 9], [17, 4], [2, 33]] {
            for_each_type!(check_ger(sizes));
        }
    });
}
