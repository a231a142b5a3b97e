//! Schur forms in another order, and Sylvester's equation.

use affinimath_cpu::lapack::{Conditions, gees, geesx, trexc, trsen, trsyl};
use affinimath_testing::for_each_type;

use super::general::{Form, general};
use super::*;

struct Schur<T> {
    a: Dense,
    t: Stored<T>,
    z: Stored<T>,
    values: Vec<Complex64>,
}

fn schur<T: Scalar>(n: usize, form: Form, storage: (Layout, usize)) -> Schur<T> {
    let a = general::<T>(n, form);
    let (mut t, mut z) = (stored::<T>(&a, storage), Stored::<T>::new(storage.0, n, n, storage.1, 0).poisoned());
    let (mut wr, mut wi) = (vec![T::RealScalar::default(); n], vec![T::RealScalar::default(); n]);
    assert_eq!(gees(view_mut(&mut t), &mut wr, &mut wi, Some(view_mut(&mut z))), None);
    let values = wr.iter().zip(&wi).map(|(re, im)| Complex64::new(re.re(), im.re())).collect();
    Schur { a, t, z, values }
}

impl<T: Scalar> Schur<T> {
    #[track_caller]
    fn assert_similar(&self, case: &dyn std::fmt::Debug) {
        assert!(self.t.canaries_live() && self.z.canaries_live(), "{case:?}");
        let (t, z) = (self.t.dense(), self.z.dense());
        assert_orthonormal::<T>(&z, case);
        let found = product(&product(&z, &t), &operated(Op::ConjTrans, &z));
        assert_ratio::<T>(&difference(&self.a, &found), self.a.nrows(), norm(&self.a), case);
        let n = t.nrows();
        for j in 0..n {
            for i in j + 1..n {
                let pair = !T::KIND.is_complex() && i == j + 1 && t[(i, j)].re * t[(j, i)].re < 0.0;
                assert!(t[(i, j)] == Complex64::ZERO || (pair && t[(i, i)] == t[(j, j)]), "{case:?}: ({i}, {j})");
            }
        }
    }
}

fn moves_blocks<T: Scalar>(n: usize, storage: (Layout, usize)) {
    for (from, to) in [(0, n - 1), (n - 1, 0), (n / 2, 1), (1, n / 2), (n / 3, n / 3)] {
        let mut schur = schur::<T>(n, Form::Of(Kind::Random), storage);
        let value = schur.values[from];
        let moved = trexc(view_mut(&mut schur.t), Some(view_mut(&mut schur.z)), from, to);
        let at = moved.unwrap_or_else(|at| panic!("{n} {from} {to}: stopped at {at}"));
        assert!(at.abs_diff(to) <= 1, "{n}: {from} {to} {at}");
        schur.assert_similar(&(n, from, to));
        let t = schur.t.dense();
        let error = (t[(at, at)].re - value.re).abs();
        assert!(error <= 1000.0 * n as f64 * T::EPSILON * norm(&schur.a), "{n} {from} {to}: {error}");
    }
}

#[test]
fn blocks_are_moved() {
    for (i, n) in [2, 3, 7, 20, 33].into_iter().enumerate() {
        for_each_type!(moves_blocks(n, STORAGES[i % 3]));
    }
}

fn selects<T: Scalar>(n: usize, form: Form, storage: (Layout, usize)) {
    let case = (n, form, storage);
    let mut schur = schur::<T>(n, form, storage);
    let select: Vec<bool> = schur.values.iter().map(|value| value.re < 0.0).collect();
    let count = select.iter().filter(|x| **x).count();
    let mut values = schur.values.clone();
    let wanted = Conditions { values: true, subspace: true };
    let order = trsen(view_mut(&mut schur.t), Some(view_mut(&mut schur.z)), &select, &mut values, wanted);
    assert!(!order.failed && order.count == count, "{case:?}: {order:?}");
    assert!(order.mean > 0.0 && order.mean <= 1.0 + 10.0 * T::EPSILON && order.subspace > 0.0, "{case:?}: {order:?}");
    schur.assert_similar(&case);
    let leading: f64 = values[..count].iter().map(|value| value.re).sum();
    let expected: f64 = schur.values.iter().zip(&select).filter(|(_, x)| **x).map(|(value, _)| value.re).sum();
    assert!((leading - expected).abs() <= 1000.0 * n as f64 * T::EPSILON * norm(&schur.a), "{case:?}");

    let (mut t, mut z) = (stored::<T>(&schur.a, storage), Stored::<T>::new(storage.0, n, n, storage.1, 0).poisoned());
    let (mut wr, mut wi) = (vec![T::RealScalar::default(); n], vec![T::RealScalar::default(); n]);
    let mut negative = |re: f64, _: f64| re < 0.0;
    let (info, found) =
        geesx(view_mut(&mut t), &mut wr, &mut wi, Some(view_mut(&mut z)), &mut negative, Conditions::NONE);
    assert_eq!((info, found.info, found.count), (None, None, count), "{case:?}");
    assert!((0..n).all(|i| (wr[i].re() < 0.0) == (i < count)), "{case:?}");
    let schur = Schur { t, z, ..schur };
    schur.assert_similar(&case);
}

#[test]
fn selected_eigenvalues_come_first() {
    for (i, n) in [2, 3, 7, 20, 33, 90].into_iter().enumerate() {
        for_each_type!(selects(n, Form::Of(Kind::Random), STORAGES[i % 3]));
        for_each_type!(selects(n, Form::Of(Kind::Huge), STORAGES[(i + 1) % 3]));
    }
}

/// Of diag(1, 4), the separation is 3; the mean's condition of a projector's norm is s = 1 / sqrt(1 + (x / 3)^2).
#[test]
fn conditions_of_a_triangle() {
    let (mut t, mut values) = (Mat::from_fn(2, 2, |i, j| [[1.0, 6.0], [0.0, 4.0]][i][j]), [Complex64::ZERO; 2]);
    let wanted = Conditions { values: true, subspace: true };
    let order = trsen(t.as_mut(), None, &[true, false], &mut values, wanted);
    assert!((order.mean - 5f64.sqrt().recip()).abs() < 1e-15 && (order.subspace - 3.0).abs() < 1e-15, "{order:?}");
}

fn solves_sylvester<T: Scalar>(m: usize, n: usize) {
    let mut left = schur::<T>(m, Form::Of(Kind::Random), STORAGES[0]);
    let mut right = schur::<T>(n, Form::Companion, STORAGES[0]);
    let (a, b) = (left.t.dense(), right.t.dense());
    let random = filled::<T>(m, n, 31);
    let c = Mat::from_fn(m, n, |i, j| complex(random[(i, j)]));
    for ops in [[Op::NoTrans; 2], [Op::ConjTrans, Op::NoTrans], [Op::NoTrans, Op::Trans], [Op::Trans, Op::ConjTrans]] {
        for sign in [1.0, -1.0] {
            let mut x = stored::<T>(&c, STORAGES[1]);
            let (a_view, b_view) = (view_mut(&mut left.t), view_mut(&mut right.t));
            let (scale, _) = trsyl(ops, sign, a_view.as_ref(), b_view.as_ref(), view_mut(&mut x));
            let x = x.dense();
            let (ax, xb) = (product(&operated(ops[0], &a), &x), product(&x, &operated(ops[1], &b)));
            let error = Mat::from_fn(m, n, |i, j| ax[(i, j)] + xb[(i, j)] * sign - c[(i, j)] * scale);
            assert_ratio::<T>(&error, m.max(n), (norm(&a) + norm(&b)) * norm(&x), &(m, n, ops, sign));
        }
    }
}

#[test]
fn sylvester_equations() {
    for (m, n) in [(1, 1), (2, 3), (7, 4), (20, 33), (70, 41), (33, 150)] {
        for_each_type!(solves_sylvester(m, n));
    }
}

/// Common eigenvalues are perturbed, and a solution that would overflow is scaled.
#[test]
fn sylvester_equations_that_are_singular() {
    let t = Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 0.0 });
    let mut c = Mat::<f64>::from_fn(2, 2, |_, _| 1e300);
    let (scale, perturbed) = trsyl([Op::NoTrans; 2], -1.0, t.as_ref(), t.as_ref(), c.as_mut());
    assert!(perturbed && scale < 1.0 && scale > 0.0);
    assert!((0..2).all(|j| (0..2).all(|i| c[(i, j)].is_finite() && c[(i, j)] != 0.0)));
}

/// Products between halves would overflow.
#[test]
fn sylvester_equations_are_scaled_between_halves() {
    let n = 80;
    let large = |i: usize, j: usize| if i == j { 1e-200 } else { f64::from(u8::from(i < j)) };
    let t = Mat::<f64>::from_fn(n, n, large);
    let mut c = Mat::<f64>::from_fn(n, n, |_, _| 1e200);
    let (scale, _) = trsyl([Op::NoTrans, Op::Trans], 1.0, t.as_ref(), t.as_ref(), c.as_mut());
    assert!((0.0..1.0).contains(&scale));
    assert!((0..n).all(|j| (0..n).all(|i| c[(i, j)].is_finite())));
}
