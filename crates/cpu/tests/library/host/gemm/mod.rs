mod half;
mod product;
mod shared;

use faer::{Mat, MatMut, MatRef};
use proptest::prelude::*;

use affinimath_core::{Op, Scalar};
use affinimath_cpu::gemm::gemm;
use affinimath_testing::{assert_close, filled, for_each_type};

fn element<T: Scalar>(op: Op, a: MatRef<'_, T>, row: usize, column: usize) -> T {
    let value = if op.transposes() { a[(column, row)] } else { a[(row, column)] };
    if op.conjugates() { value.conjugate() } else { value }
}

/// Checks `C = alpha op(A) op(B) + beta C0` elementwise: |C - exact| <= (k + 3) c eps (|alpha| |A| |B| + |beta| |C0|),
/// with c = 1 for real and 4 for complex arithmetic (Higham, Accuracy and Stability, 3.1 and 3.6), doubled for the
/// reference's own rounding.
#[allow(clippy::too_many_arguments)]
fn check<T: Scalar>(
    ops: (Op, Op),
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    c0: MatRef<'_, T>,
    c: MatRef<'_, T>,
) {
    let k = if ops.0.transposes() { a.nrows() } else { a.ncols() };
    let bound = 2.0 * (k + 3) as f64 * if T::KIND.is_complex() { 4.0 } else { 1.0 } * T::EPSILON;
    for column in 0..c.ncols() {
        for row in 0..c.nrows() {
            let (mut sum, mut size) = (T::ZERO, 0.0);
            for p in 0..k {
                let product = element(ops.0, a, row, p) * element(ops.1, b, p, column);
                sum += product;
                size += product.modulus();
            }
            let mut expected = alpha * sum;
            size *= alpha.modulus();
            if beta != T::ZERO {
                expected += beta * c0[(row, column)];
                size += (beta * c0[(row, column)]).modulus();
            }
            assert_close!(c[(row, column)], expected, bound * size, "({row}, {column})");
        }
    }
}

/// Storage for a matrix inside a larger one, by columns or by rows, between elements that must not change.
struct Framed<T> {
    memory: Mat<T>,
    by_rows: bool,
    rows: usize,
    columns: usize,
}

impl<T: Scalar> Framed<T> {
    fn new(rows: usize, columns: usize, by_rows: bool, seed: u64) -> Self {
        let (outer, inner) = if by_rows { (columns, rows) } else { (rows, columns) };
        Framed { memory: filled(outer + 3, inner + 2, seed), by_rows, rows, columns }
    }

    fn view(&self) -> MatRef<'_, T> {
        let memory = if self.by_rows { self.memory.transpose() } else { self.memory.as_ref() };
        memory.submatrix(1, 1, self.rows, self.columns)
    }

    fn view_mut(&mut self) -> MatMut<'_, T> {
        let (rows, columns) = (self.rows, self.columns);
        let memory = if self.by_rows { self.memory.as_mut().transpose_mut() } else { self.memory.as_mut() };
        memory.submatrix_mut(1, 1, rows, columns)
    }

    /// True if everything around the matrix is equal to `before`.
    fn frame_unchanged(&self, before: &Mat<T>) -> bool {
        let mut restored = Framed { memory: self.memory.clone(), ..*self };
        let inner = Framed { memory: before.clone(), ..*self };
        restored.view_mut().copy_from(inner.view());
        restored.memory == *before
    }
}

#[derive(Clone, Copy, Debug)]
struct Case {
    m: usize,
    n: usize,
    k: usize,
    ops: (Op, Op),
    by_rows: (bool, bool, bool),
    alpha: (f64, f64),
    beta: (f64, f64),
}

fn case() -> impl Strategy<Value = Case> {
    // Small sizes, and sizes on both sides of each of the plan's switches.
    let size = || prop_oneof![4 => 0..20usize, 2 => 60..70usize, 1 => 250..260usize, 1 => 505..520usize];
    let op = || proptest::sample::select(Op::ALL);
    let scalar = || prop_oneof![Just((0.0, 0.0)), Just((1.0, 0.0)), (-2.0..2.0, -2.0..2.0)];
    (size(), size(), size(), (op(), op()), any::<(bool, bool, bool)>(), scalar(), scalar())
        .prop_map(|(m, n, k, ops, by_rows, alpha, beta)| Case { m, n, k, ops, by_rows, alpha, beta })
        .prop_filter("keeps the reference quick", |case| case.m * case.n * case.k < 3_000_000)
}

fn multiplies<T: Scalar>(case: Case) {
    let Case { m, n, k, ops, by_rows, .. } = case;
    let stored = |op: Op, rows, columns| if op.transposes() { (columns, rows) } else { (rows, columns) };
    let (a_rows, a_columns) = stored(ops.0, m, k);
    let (b_rows, b_columns) = stored(ops.1, k, n);
    let a = Framed::<T>::new(a_rows, a_columns, by_rows.0, 1);
    let b = Framed::<T>::new(b_rows, b_columns, by_rows.1, 2);
    let mut c = Framed::<T>::new(m, n, by_rows.2, 3);
    let before = c.memory.clone();
    let alpha = T::from_parts(case.alpha.0, case.alpha.1);
    let beta = T::from_parts(case.beta.0, case.beta.1);
    let c0 = c.view().to_owned();

    gemm(ops.0, ops.1, alpha, a.view(), b.view(), beta, c.view_mut());

    assert!(c.frame_unchanged(&before), "memory around C was changed");
    check(ops, alpha, a.view(), b.view(), beta, c0.as_ref(), c.view());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn gemm_is_alpha_op_a_op_b_plus_beta_c(case in case()) {
        for_each_type!(multiplies(case));
    }
}

#[test]
fn beta_zero_does_not_read_c() {
    fn check_kind<T: Scalar>() {
        for (m, n, k) in [(1, 1, 1), (3, 5, 0), (16, 16, 16), (1, 300, 40), (300, 1, 40), (70, 70, 70), (520, 65, 530)]
        {
            for by_rows in [false, true] {
                let (a, b) = (filled::<T>(m, k, 1), filled::<T>(n, k, 2));
                let mut c = Framed::<T>::new(m, n, by_rows, 3);
                c.view_mut().fill(T::from_parts(f64::NAN, f64::NAN));
                gemm(Op::NoTrans, Op::ConjTrans, T::ONE, a.as_ref(), b.as_ref(), T::ZERO, c.view_mut());
                let zero = Mat::zeros(m, n);
                check((Op::NoTrans, Op::ConjTrans), T::ONE, a.as_ref(), b.as_ref(), T::ZERO, zero.as_ref(), c.view());
            }
        }
    }
    for_each_type!(check_kind());
}

#[test]
fn alpha_zero_does_not_read_a_and_b() {
    let nan = Mat::from_fn(4, 4, |_, _| f64::NAN);
    let mut c = filled::<f64>(4, 4, 1);
    let expected = faer::Scale(2.0) * &c;
    gemm(Op::NoTrans, Op::NoTrans, 0.0, nan.as_ref(), nan.as_ref(), 2.0, c.as_mut());
    assert_eq!(c, expected);
}

#[test]
fn an_empty_inner_dimension_scales_c() {
    let empty = Mat::<f64>::zeros(3, 0);
    let mut c = filled::<f64>(3, 3, 1);
    let expected = faer::Scale(-0.5) * &c;
    gemm(Op::NoTrans, Op::Trans, 1.0, empty.as_ref(), empty.as_ref(), -0.5, c.as_mut());
    assert_eq!(c, expected);
}

#[test]
fn a_long_inner_dimension_is_a_sum_of_parts() {
    fn check_kind<T: Scalar>() {
        let k = 9_001;
        for (m, n) in [(1, 1), (16, 1), (1, 16), (16, 16), (7, 70)] {
            let (a, b, c0) = (filled::<T>(k, m, 1), filled::<T>(k, n, 2), filled::<T>(m, n, 3));
            for beta in [T::ZERO, T::ONE] {
                let mut c = c0.clone();
                gemm(Op::ConjTrans, Op::NoTrans, T::ONE, a.as_ref(), b.as_ref(), beta, c.as_mut());
                check((Op::ConjTrans, Op::NoTrans), T::ONE, a.as_ref(), b.as_ref(), beta, c0.as_ref(), c.as_ref());
            }
        }
    }
    for_each_type!(check_kind());
}

#[test]
fn many_threads_multiply_at_once() {
    let (a, b) = (filled::<f64>(300, 300, 1), filled::<f64>(300, 300, 2));
    let product = |op_b| {
        let mut c = Mat::zeros(300, 300);
        gemm(Op::NoTrans, op_b, 1.0, a.as_ref(), b.as_ref(), 0.0, c.as_mut());
        c
    };
    let expected = [product(Op::NoTrans), product(Op::Trans)];
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..5 {
                    assert_eq!([product(Op::NoTrans), product(Op::Trans)], expected, "the same bits every time");
                }
            });
        }
    });
    // From rayon's own workers too, all of them busy.
    use rayon::prelude::*;
    (0..16).into_par_iter().for_each(|_| assert_eq!(product(Op::Trans), expected[1]));
}
