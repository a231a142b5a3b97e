//! The QZ iteration, its eigenvectors and exchanges: LAPACK's test ratios on pencils of many kinds.

use affinimath_decompositions::qz::{Eigenvalue, Pencil, eigenvalues, exchange::move_block, iterate, reduce, vectors};
use affinimath_testing::{Complex64, LAPACK_THRESHOLD, Scalar, filled, for_each_type, lapack_ratio};
use faer::Mat;

type Dense = Mat<Complex64>;

/// Kinds of pencils with an upper triangular B.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Random,
    Graded,
    /// B has zeros on its diagonal.
    Infinite,
    /// B is zero.
    NoB,
    NoA,
    /// A and B have a common null vector.
    Singular,
    /// B is the identity, A a Jordan block.
    Defective,
    Identities,
    /// Real rotations: pairs of complex eigenvalues.
    Rotations,
    /// Most of B's diagonal is negligible.
    Nilpotent,
    /// A is a cyclic permutation.
    Cycle,
}

const KINDS: [Kind; 11] = [
    Kind::Random,
    Kind::Graded,
    Kind::Infinite,
    Kind::NoB,
    Kind::NoA,
    Kind::Singular,
    Kind::Defective,
    Kind::Identities,
    Kind::Rotations,
    Kind::Nilpotent,
    Kind::Cycle,
];

fn pencil<T: Scalar>(n: usize, kind: Kind) -> (Mat<T>, Mat<T>) {
    let (mut a, mut b) = (filled::<T>(n, n, 3), filled::<T>(n, n, 4));
    for j in 0..n {
        (j + 1..n).for_each(|i| b[(i, j)] = T::ZERO);
        b[(j, j)] += T::from_parts(if j % 2 == 0 { 1.5 } else { -1.5 }, 0.0);
    }
    let unit = |i: usize, j: usize| if i == j { T::ONE } else { T::ZERO };
    let scale = |i: usize| T::from_parts(2f64.powi(-((5 * i % 19) as i32)), 0.0);
    match kind {
        Kind::Random => {}
        Kind::Graded => {
            for j in 0..n {
                (0..n).for_each(|i| a[(i, j)] *= scale(i) * scale(j + 3));
                (0..n).for_each(|i| b[(i, j)] *= scale(i) * scale(j + 7));
            }
        }
        Kind::Infinite => (0..n).step_by(3).for_each(|j| b[(j, j)] = T::ZERO),
        Kind::NoB => b.fill(T::ZERO),
        Kind::NoA => a.fill(T::ZERO),
        Kind::Singular => {
            for i in 0..n {
                (a[(i, n / 2)], b[(i, n / 2)]) = (T::ZERO, T::ZERO);
            }
        }
        Kind::Defective => {
            a = Mat::from_fn(n, n, |i, j| if i + 1 == j { T::ONE } else { unit(i, j) });
            b = Mat::from_fn(n, n, unit);
        }
        Kind::Identities => {
            a = Mat::from_fn(n, n, unit);
            b = a.clone();
        }
        Kind::Rotations => {
            let part = |i: usize, j: usize| match (i == j, i / 2 == j / 2) {
                (true, _) => 0.5,
                (_, true) => {
                    if i < j {
                        1.0
                    } else {
                        -1.0
                    }
                }
                _ => 0.0,
            };
            a = Mat::from_fn(n, n, |i, j| T::from_parts(part(i, j), 0.0));
        }
        Kind::Nilpotent => (0..n).filter(|j| j % 5 != 4).for_each(|j| b[(j, j)] = T::ZERO),
        Kind::Cycle => a = Mat::from_fn(n, n, |i, j| if (i + 1) % n == j { T::ONE } else { T::ZERO }),
    }
    (a, b)
}

fn dense<T: Scalar>(a: &Mat<T>) -> Dense {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| Complex64::new(a[(i, j)].re(), a[(i, j)].im()))
}

/// The 1-norm; NaN where an element is.
fn norm(a: &Dense) -> f64 {
    let sums = (0..a.ncols()).map(|j| (0..a.nrows()).map(|i| a[(i, j)].norm()).sum::<f64>());
    sums.fold(0.0, |largest, sum| if sum > largest || sum.is_nan() { sum } else { largest })
}

fn assert_ratio<T: Scalar>(error: &Dense, n: usize, size: f64, case: &dyn std::fmt::Debug) {
    let ratio = lapack_ratio::<T>(norm(error), n, size.max(f64::MIN_POSITIVE));
    assert!(ratio < LAPACK_THRESHOLD, "{:?} {case:?}: ratio {ratio}", T::KIND);
}

/// A generalised Schur form with its unitary factors.
struct Form<T> {
    s: Mat<T>,
    p: Mat<T>,
    q: Mat<T>,
    z: Mat<T>,
    values: Vec<Eigenvalue>,
}

impl<T: Scalar> Form<T> {
    fn pencil(&mut self) -> Pencil<'_, T> {
        Pencil { a: self.s.as_mut(), b: self.p.as_mut(), q: Some(self.q.as_mut()), z: Some(self.z.as_mut()) }
    }

    fn check(&self, (a, b): (&Mat<T>, &Mat<T>), case: &dyn std::fmt::Debug) {
        let n = a.nrows();
        let (q, z) = (dense(&self.q), dense(&self.z));
        for (given, form) in [(a, &self.s), (b, &self.p)] {
            let found = &q * dense(form) * z.adjoint();
            assert_ratio::<T>(&(dense(given) - found), n, norm(&dense(given)), case);
        }
        for u in [&q, &z] {
            assert_ratio::<T>(&(u.adjoint() * u - Dense::identity(n, n)), n, 1.0, case);
        }
        for j in 0..n {
            let pair = j + 1 < n && self.s[(j + 1, j)] != T::ZERO;
            assert!(!pair || !T::KIND.is_complex(), "{case:?}: {j}");
            (j + 1 + usize::from(pair)..n).for_each(|i| assert_eq!(self.s[(i, j)], T::ZERO, "{case:?}"));
            (j + 1..n).for_each(|i| assert_eq!(self.p[(i, j)], T::ZERO, "{case:?}"));
            assert!(self.p[(j, j)].re() >= 0.0 && self.p[(j, j)].im() == 0.0, "{case:?}");
            let Eigenvalue { alpha, beta } = self.values[j];
            assert!(beta >= 0.0 && alpha.is_finite(), "{case:?}");
            if pair {
                assert!(j == 0 || self.s[(j, j - 1)] == T::ZERO, "{case:?}: blocks overlap");
                assert_eq!(self.p[(j, j + 1)], T::ZERO, "{case:?}");
                assert!(alpha.im > 0.0 && self.values[j + 1].alpha.im < 0.0, "{case:?}");
                let product = self.p[(j, j)].re() * self.p[(j + 1, j + 1)].re();
                let error = (beta * self.values[j + 1].beta - product).abs();
                assert!(error <= 100.0 * T::EPSILON * product, "{case:?}: {error} {product}");
            }
        }
    }

    /// Residuals of eigenvectors, each for its own size, as LAPACK's xGET52.
    fn check_vectors(&self, case: &dyn std::fmt::Debug) {
        let n = self.s.nrows();
        let (s, p) = (dense(&self.s), dense(&self.p));
        let (of_s, of_p) = (norm(&s).max(f64::MIN_POSITIVE), norm(&p).max(f64::MIN_POSITIVE));
        for left in [false, true] {
            let found = if left {
                vectors::left(self.s.as_ref(), self.p.as_ref())
            } else {
                vectors::right(self.s.as_ref(), self.p.as_ref())
            };
            let x = dense(&found);
            let mut j = 0;
            while j < n {
                let pair = j + 1 < n && self.s[(j + 1, j)] != T::ZERO;
                let column = Mat::from_fn(n, 1, |i, _| {
                    x[(i, j)] + if pair { Complex64::I * x[(i, j + 1)].re } else { Complex64::ZERO }
                });
                let Eigenvalue { alpha, beta } = self.values[j];
                let scale = (alpha.norm() / of_s).max(beta / of_p);
                if scale > 0.0 {
                    let (alpha, beta) = (alpha / scale, beta / scale);
                    // The larger one of alpha / ||S|| and beta / ||P|| is 1.
                    let m =
                        Mat::from_fn(n, n, |i, k| s[(i, k)] / of_s * (beta / of_p) - p[(i, k)] / of_p * (alpha / of_s));
                    let residual = if left { m.adjoint() * &column } else { m * &column };
                    let largest = (0..n).map(|i| column[(i, 0)].re.abs() + column[(i, 0)].im.abs()).fold(0.0, f64::max);
                    assert!((largest - 1.0).abs() < 10.0 * T::EPSILON, "{case:?}: {largest}");
                    let case = (case, left, j);
                    assert_ratio::<T>(&residual, n, 1.0, &case);
                }
                j += 1 + usize::from(pair);
            }
        }
    }
}

fn schur_form<T: Scalar>(a: &Mat<T>, b: &Mat<T>, case: &dyn std::fmt::Debug) -> Form<T> {
    let n = a.nrows();
    let unit = |n| Mat::from_fn(n, n, |i, j| if i == j { T::ONE } else { T::ZERO });
    let mut form = Form {
        s: a.clone(),
        p: b.clone(),
        q: unit(n),
        z: unit(n),
        values: vec![Eigenvalue { alpha: Complex64::new(f64::NAN, 0.0), beta: f64::NAN }; n],
    };
    let mut values = std::mem::take(&mut form.values);
    reduce(form.pencil(), 0..n);
    assert_eq!(iterate(form.pencil(), 0..n, true, &mut values), None, "{:?} {case:?}", T::KIND);
    form.values = values;
    form
}

fn has_schur_form<T: Scalar>(n: usize, kind: Kind, factors: (f64, f64)) {
    let case = (n, kind, factors);
    let (mut a, mut b) = pencil::<T>(n, kind);
    for j in 0..n {
        (0..n).for_each(|i| a[(i, j)] *= T::from_parts(factors.0, 0.0));
        (0..n).for_each(|i| b[(i, j)] *= T::from_parts(factors.1, 0.0));
    }
    let form = schur_form(&a, &b, &case);
    form.check((&a, &b), &case);
    form.check_vectors(&case);
    // Eigenvalues alone are those of the form, up to their condition: their products are.
    let (mut h, mut t) = (a.clone(), b.clone());
    reduce(Pencil { a: h.as_mut(), b: t.as_mut(), q: None, z: None }, 0..n);
    let mut alone = vec![Eigenvalue::default(); n];
    let pencil = Pencil { a: h.as_mut(), b: t.as_mut(), q: None, z: None };
    assert_eq!(iterate(pencil, 0..n, false, &mut alone), None, "{case:?}");
    let infinite = |values: &[Eigenvalue]| values.iter().filter(|value| value.beta == 0.0).count();
    if kind != Kind::Singular {
        assert_eq!(infinite(&alone), infinite(&form.values), "{:?} {case:?}", T::KIND);
    }
}

#[test]
fn generalised_schur_forms() {
    for n in [1, 2, 3, 4, 5, 8, 17, 40, 63] {
        for kind in KINDS {
            for_each_type!(has_schur_form(n, kind, (1.0, 1.0)));
        }
    }
    for kind in KINDS {
        for factors in [(1e10, 1e-10), (1e-10, 1e10), (1e10, 1e10), (1e-10, 1e-10)] {
            for_each_type!(has_schur_form(13, kind, factors));
        }
    }
}

fn moves_blocks<T: Scalar>(n: usize, kind: Kind) {
    let case = (n, kind);
    let (a, b) = pencil::<T>(n, kind);
    let mut form = schur_form(&a, &b, &case);
    for (from, to) in [(n - 1, 0), (0, n - 1), (n / 2, 1), (n / 3, n - 2), (n - 2, n / 2)] {
        let before = form.values.clone();
        let start = if from > 0 && form.s[(from, from - 1)] != T::ZERO { from - 1 } else { from };
        let moved = move_block(form.pencil(), from, to);
        let mut values = vec![Eigenvalue::default(); n];
        eigenvalues(form.s.as_ref(), form.p.as_ref(), &mut values);
        form.values = values;
        form.check((&a, &b), &(case, from, to));
        if kind == Kind::Random {
            let at = moved.unwrap();
            let (old, new) = (before[start], form.values[at]);
            let error = (old.alpha * new.beta - new.alpha * old.beta).norm();
            let size = old.alpha.norm().hypot(old.beta) * new.alpha.norm().hypot(new.beta);
            assert!(error <= 1e4 * n as f64 * T::EPSILON * size, "{case:?}: {error} {old:?} {new:?}");
        }
    }
}

#[test]
fn eigenvalues_in_another_order() {
    for n in [3, 4, 5, 9, 20, 31] {
        for kind in KINDS {
            for_each_type!(moves_blocks(n, kind));
        }
    }
}

fn ends<T: Scalar>(bad: f64) {
    let n = 9;
    for part in 0..2 {
        let (mut a, mut b) = pencil::<T>(n, Kind::Random);
        let target = if part == 0 { &mut a } else { &mut b };
        target[(2, 4)] = T::from_parts(bad, 0.0);
        let mut values = vec![Eigenvalue::default(); n];
        reduce(Pencil { a: a.as_mut(), b: b.as_mut(), q: None, z: None }, 0..n);
        let _ = iterate(Pencil { a: a.as_mut(), b: b.as_mut(), q: None, z: None }, 0..n, true, &mut values);
    }
}

#[test]
fn elements_that_are_not_finite_do_not_hang() {
    for bad in [f64::NAN, f64::INFINITY] {
        for_each_type!(ends(bad));
    }
}
