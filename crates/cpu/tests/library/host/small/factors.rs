//! Products of the factors, and solutions put into their equations.

use std::cell::Cell;

use affinimath_core::options::{Op, Triangle};
use affinimath_core::scalar::Scalar;
use affinimath_cpu::simd::instruction_sets;
use affinimath_cpu::small::Strided;
use affinimath_cpu::small::factors::{COLUMNS, MAX_ORDER, gesv, getrf, getrs, potrf, potrs};
use affinimath_cpu::small::products::ByColumns;
use affinimath_testing::{assert_close, for_each_type};

const TEST_ORDERS: [usize; 8] = [1, 2, 3, 7, 8, 17, MAX_ORDER - 1, MAX_ORDER];

/// Pseudorandom values of modulus up to 1.
fn value_of<T: Scalar>(i: usize, j: usize) -> T {
    let part = |seed: u64| {
        let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 40) as f64 / f64::from(1 << 24) - 0.5
    };
    T::from_parts(part((i * 64 + j) as u64), part((i * 64 + j + 4096) as u64))
}

/// A matrix by rows or by columns, with a gap after each.
struct Matrix<T> {
    memory: Vec<T>,
    row: usize,
    column: usize,
}

impl<T: Scalar> Matrix<T> {
    fn new(by_rows: bool, [m, n]: [usize; 2], element: impl Fn(usize, usize) -> T) -> Self {
        let (row, column) = if by_rows { (n + 1, 1) } else { (1, m + 1) };
        let mut memory = vec![T::from_parts(f64::NAN, 0.0); (m + 1) * (n + 1)];
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            memory[i * row + j * column] = element(i, j);
        }
        Matrix { memory, row, column }
    }

    fn view(&mut self) -> Strided<T> {
        Strided { first: self.memory.as_mut_ptr(), row: self.row, column: self.column, conjugate: false }
    }

    fn at(&self, i: usize, j: usize) -> T {
        self.memory[i * self.row + j * self.column]
    }

    fn by_columns(&mut self) -> (ByColumns<T>, bool) {
        let by_rows = self.column == 1;
        let leading_dimension = if by_rows { self.row } else { self.column };
        (ByColumns { first: self.memory.as_mut_ptr(), leading_dimension }, by_rows)
    }
}

fn assert_near<T: Scalar>(x: T, y: T, n: usize, what: &str) {
    assert_close!(x, y, 60.0 * n as f64 * T::EPSILON, "{what}, n = {n}");
}

fn check_lu<T: Scalar>(by_rows: bool, [m, n]: [usize; 2]) {
    let mut a = Matrix::<T>::new(by_rows, [m, n], value_of);
    let order = m.min(n);
    let pivots: Vec<Cell<i32>> = vec![Cell::new(0); order];
    // SAFETY: the matrix lies in its memory.
    let done = unsafe { getrf([m, n], a.view(), |i, pivot| pivots[i].set(pivot)) };
    assert!(done, "{m} x {n}, by rows: {by_rows}");
    let mut rows: Vec<usize> = (0..m).collect();
    pivots.iter().enumerate().for_each(|(i, pivot)| rows.swap(i, pivot.get() as usize - 1));
    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let l = |i: usize, p: usize| if i == p { T::ONE } else { a.at(i, p) };
        assert!(j >= i.min(order) || a.at(i, j).modulus() <= 1.5, "multipliers are small");
        let terms = (0..order.min(i + 1).min(j + 1)).map(|p| l(i, p) * a.at(p, j));
        assert_near(terms.fold(T::ZERO, |sum, term| sum + term), value_of(rows[i], j), m.max(n), "L U");
    }
}

fn check_solutions<T: Scalar>(by_rows: bool, n: usize, columns: usize) {
    let element = |i: usize, j: usize| value_of::<T>(i, j) + if i == j { T::from_parts(40.0, 1.0) } else { T::ZERO };
    let right = |i: usize, j: usize| value_of::<T>(i + 3, j + 1);
    let (mut a, mut b) = (Matrix::new(by_rows, [n, n], element), Matrix::new(by_rows, [n, columns], right));
    let pivots: Vec<Cell<i64>> = vec![Cell::new(0); n];
    // SAFETY: the matrices lie in their memory.
    assert!(unsafe { gesv([n, columns], a.view(), |i, pivot| pivots[i].set(pivot.into()), b.view()) });
    let verify = |op: Op, x: &Matrix<T>| {
        for (i, j) in (0..n).flat_map(|i| (0..columns).map(move |j| (i, j))) {
            let a = |i, j| {
                let value = if op.transposes() { element(j, i) } else { element(i, j) };
                if op.conjugates() { value.conjugate() } else { value }
            };
            let sum = (0..n).fold(T::ZERO, |sum, p| sum + a(i, p) * x.at(p, j));
            assert_near(sum, right(i, j), 20 * n, &format!("{op:?}"));
        }
    };
    verify(Op::NoTrans, &b);
    for op in Op::ALL {
        let mut b = Matrix::new(by_rows, [n, columns], right);
        // SAFETY: as above.
        assert!(unsafe { getrs(*op, [n, columns], a.by_columns(), |i| Some(pivots[i].get()), b.view()) });
        verify(*op, &b);
    }
}

fn check_cholesky<T: Scalar>(by_rows: bool, triangle: Triangle, n: usize) {
    let element = |i: usize, j: usize| match i.cmp(&j) {
        std::cmp::Ordering::Equal => T::from_parts(60.0, 0.0),
        std::cmp::Ordering::Greater => value_of::<T>(i, j),
        std::cmp::Ordering::Less => value_of::<T>(j, i).conjugate(),
    };
    let stored = |i: usize, j: usize| i == j || (i > j) == (triangle == Triangle::Lower);
    let not_a_number = T::from_parts(f64::NAN, 0.0);
    let mut a = Matrix::new(by_rows, [n, n], |i, j| if stored(i, j) { element(i, j) } else { not_a_number });
    // SAFETY: the matrix lies in its memory.
    assert!(unsafe { potrf(triangle, n, a.view()) });
    let l = |i: usize, j: usize| if triangle == Triangle::Lower { a.at(i, j) } else { a.at(j, i).conjugate() };
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        assert!(stored(i, j) || a.at(i, j).re().is_nan(), "the other triangle is not touched");
        let sum = (0..i.min(j) + 1).fold(T::ZERO, |sum, p| sum + l(i, p) * l(j, p).conjugate());
        assert_near(sum, element(i, j), 40 * n, "L Lᴴ");
    }
    let right = |i: usize, j: usize| value_of::<T>(i + 3, j + 1);
    let mut b = Matrix::new(by_rows, [n, 2], right);
    // SAFETY: as above.
    assert!(unsafe { potrs(triangle, [n, 2], a.by_columns(), b.view()) });
    for (i, j) in (0..n).flat_map(|i| [(i, 0), (i, 1)]) {
        let sum = (0..n).fold(T::ZERO, |sum, p| sum + element(i, p) * b.at(p, j));
        assert_near(sum, right(i, j), 40 * n, "A X");
    }
}

fn check<T: Scalar>() {
    for (n, by_rows) in TEST_ORDERS.into_iter().flat_map(|n| [(n, false), (n, true)]) {
        for m in [1, 4, n, MAX_ORDER] {
            check_lu::<T>(by_rows, [m, n]);
        }
        for columns in [1, COLUMNS, COLUMNS + 1, 20] {
            check_solutions::<T>(by_rows, n, columns);
        }
        Triangle::ALL.iter().for_each(|triangle| check_cholesky::<T>(by_rows, *triangle, n));
    }
}

#[test]
fn factors_and_solutions_are_those_of_the_matrix() {
    instruction_sets::for_each(|| {
        for_each_type!(check());
    });
}

/// Cases of the general path: an info, or quotients that need care.
#[test]
fn other_matrices_are_left_alone() {
    for (index, value) in [(0, f64::NAN), (1, f64::INFINITY), (2, f64::NAN), (3, 1e200), (0, 1e-200)] {
        let mut a = [2.0, 4.0, 1.0, 2.0];
        a[index] = value;
        if value == 1e-200 {
            a[1] = 0.0;
        }
        let before = a;
        let matrix = Strided { first: a.as_mut_ptr(), row: 1, column: 2, conjugate: false };
        let mut b = [1.0, 1.0];
        let right = Strided { first: b.as_mut_ptr(), row: 1, column: 2, conjugate: false };
        // SAFETY: the matrices lie in their memory.
        unsafe {
            assert!(!getrf([2, 2], matrix, |_, _| panic!("pivots are not written")));
            assert!(!gesv([2, 1], matrix, |_, _| panic!("pivots are not written"), right));
        }
        assert_eq!((a.map(f64::to_bits), b), (before.map(f64::to_bits), [1.0, 1.0]));
    }
    let mut singular = [2.0, 4.0, 1.0, 2.0];
    let matrix = Strided { first: singular.as_mut_ptr(), row: 1, column: 2, conjugate: false };
    // SAFETY: as above.
    unsafe {
        assert!(!getrf([2, 2], matrix, |_, _| panic!("pivots are not written")));
        assert!(!potrf(Triangle::Lower, 2, matrix));
    }
    assert_eq!(singular, [2.0, 4.0, 1.0, 2.0]);
    let wrong = |_: usize| Some(3);
    let factors = ByColumns { first: singular.as_mut_ptr(), leading_dimension: 2 };
    // SAFETY: as above.
    assert!(!unsafe { getrs(Op::NoTrans, [2, 1], (factors, false), wrong, matrix) });
}
