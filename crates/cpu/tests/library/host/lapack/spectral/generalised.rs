use affinimath_cpu::lapack::{gges, ggev, tgsen};
use affinimath_testing::for_each_type;

use super::general::{FORMS, Form, general};
use super::*;

/// Pencils: kinds of A, and of B.
const PENCILS: [(Form, Form); 16] = [
    (Form::Of(Kind::Random), Form::Of(Kind::Random)),
    (Form::Of(Kind::Graded), Form::Of(Kind::Graded)),
    (Form::Of(Kind::Random), Form::Of(Kind::Deficient)),
    (Form::Of(Kind::Deficient), Form::Of(Kind::Deficient)),
    (Form::Of(Kind::Huge), Form::Of(Kind::Huge)),
    (Form::Of(Kind::Huge), Form::Of(Kind::Tiny)),
    (Form::Of(Kind::Tiny), Form::Of(Kind::Huge)),
    (Form::Of(Kind::Tiny), Form::Of(Kind::Tiny)),
    (Form::Of(Kind::Zero), Form::Of(Kind::Random)),
    (Form::Of(Kind::Random), Form::Of(Kind::Zero)),
    (Form::Of(Kind::Zero), Form::Of(Kind::Zero)),
    (Form::Jordan, Form::Of(Kind::Diagonal)),
    (Form::Cycle, Form::Of(Kind::Random)),
    (Form::Triangular, Form::Triangular),
    (Form::Ones, Form::Companion),
    (Form::Of(Kind::Repeated), Form::Of(Kind::Repeated)),
];

/// Eigenvalues alpha / beta.
struct Values<R> {
    alphar: Vec<R>,
    alphai: Vec<R>,
    beta: Vec<R>,
}

impl<R: Scalar> Values<R> {
    fn new(n: usize) -> Self {
        let nan = || vec![R::from_parts(f64::NAN, 0.0); n];
        Values { alphar: nan(), alphai: nan(), beta: nan() }
    }

    fn view(&mut self) -> (&mut [R], &mut [R], &mut [R]) {
        (&mut self.alphar, &mut self.alphai, &mut self.beta)
    }

    fn alpha(&self, i: usize) -> Complex64 {
        Complex64::new(self.alphar[i].re(), self.alphai[i].re())
    }
}

/// Eigenvectors as complex columns. The betas of a pair, and so the alphas, may differ.
fn unpacked<T: Scalar>(v: &Dense, values: &Values<T::RealScalar>) -> Dense {
    let mut x = v.clone();
    for j in (0..v.ncols()).filter(|j| !T::KIND.is_complex() && values.alphai[*j].re() > 0.0) {
        assert!(values.alphai[j + 1].re() < 0.0, "column {j}");
        for i in 0..v.nrows() {
            x[(i, j)] = Complex64::new(v[(i, j)].re, v[(i, j + 1)].re);
            x[(i, j + 1)] = x[(i, j)].conj();
        }
    }
    x
}

/// The 1-norm, or 1 of a zero matrix.
fn size(a: &Dense) -> f64 {
    let size = norm(a);
    if size > 0.0 { size } else { 1.0 }
}

/// A matrix with its largest element near 1: products of huge and tiny ones neither overflow nor vanish.
fn unit(a: &Dense) -> (Dense, f64) {
    let factor = size(a).recip();
    (Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] * factor), factor)
}

fn has_eigenvectors<T: Scalar>(n: usize, (of_a, of_b): (Form, Form), storage: (Layout, usize)) {
    let case = (n, of_a, of_b, storage);
    let (a, b) = (general::<T>(n, of_a), general::<T>(n, of_b));
    let b = if matches!(of_b, Form::Of(Kind::Random)) { Mat::from_fn(n, n, |i, j| b[(j, i)]) } else { b };
    let (mut source_a, mut source_b) = (stored::<T>(&a, storage), stored::<T>(&b, storage));
    let mut values = Values::<T::RealScalar>::new(n);
    let mut vl = Stored::<T>::new(storage.0, n, n, storage.1, 0).poisoned();
    let mut vr = vl.clone();
    let (left, right) = (Some(view_mut(&mut vl)), Some(view_mut(&mut vr)));
    let info = ggev(view_mut(&mut source_a).as_ref(), view_mut(&mut source_b).as_ref(), values.view(), left, right);
    assert_eq!(info, None, "{:?} {case:?}", T::KIND);
    assert!(vl.canaries_live() && vr.canaries_live(), "{case:?}");
    let ((a, scale_a), (b, scale_b)) = (unit(&a), unit(&b));
    let smallest = if T::KIND.is_double() { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) };
    for (v, op) in [(&vr, Op::NoTrans), (&vl, Op::ConjTrans)] {
        let x = unpacked::<T>(&v.dense(), &values);
        let (ax, bx) = (product(&operated(op, &a), &x), product(&operated(op, &b), &x));
        for j in 0..n {
            let largest = (0..n).map(|i| x[(i, j)].re.abs() + x[(i, j)].im.abs()).fold(0.0, f64::max);
            assert!((largest - 1.0).abs() < 10.0 * T::EPSILON, "{:?} {case:?}: {j} {largest}", T::KIND);
            let (alpha, beta) = (values.alpha(j) * scale_a, values.beta[j].re() * scale_b);
            assert!(beta >= 0.0, "{case:?}");
            let scale = alpha.norm().max(beta);
            // LAPACK: the vector of an eigenvalue 0 / 0 is a unit vector.
            if scale <= 100.0 * smallest {
                continue;
            }
            let (alpha, beta) = (if op == Op::ConjTrans { alpha.conj() } else { alpha } / scale, beta / scale);
            let residual = Mat::from_fn(n, 1, |i, _| ax[(i, j)] * beta - bx[(i, j)] * alpha);
            assert_ratio::<T>(&residual, n, 1.0, &(case, op, j));
        }
    }
    let mut alone = Values::<T::RealScalar>::new(n);
    let (a, b) = (view_mut(&mut source_a), view_mut(&mut source_b));
    assert_eq!(ggev(a.as_ref(), b.as_ref(), alone.view(), None, None), None, "{case:?}");
    assert!(alone.beta.iter().all(|beta| beta.re() >= 0.0), "{case:?}");
}

#[test]
fn eigenvectors_of_pencils() {
    for (i, n) in [1, 2, 3, 4, 5, 9, 20, 33, 70].into_iter().enumerate() {
        for (k, forms) in PENCILS.into_iter().enumerate() {
            for_each_type!(has_eigenvectors(n, forms, STORAGES[(i + k) % 3]));
        }
    }
    for_each_type!(has_eigenvectors(131, PENCILS[0], STORAGES[1]));
    for form in FORMS {
        for_each_type!(has_eigenvectors(12, (form, form), STORAGES[2]));
    }
}

fn is_schur_form<T: Scalar>(
    (a, b): (&Dense, &Dense),
    (s, p): (&Dense, &Dense),
    (q, z): (&Dense, &Dense),
    values: &Values<T::RealScalar>,
    case: &dyn std::fmt::Debug,
) {
    let n = a.nrows();
    for u in [q, z] {
        assert_orthonormal::<T>(u, case);
    }
    for (given, form) in [(a, s), (b, p)] {
        let found = product(&product(q, form), &operated(Op::ConjTrans, z));
        assert_ratio::<T>(&difference(given, &found), n, size(given), case);
    }
    for j in 0..n {
        assert!(p[(j, j)].re >= 0.0 && p[(j, j)].im == 0.0, "{case:?}");
        (j + 1..n).for_each(|i| assert_eq!(p[(i, j)], Complex64::ZERO, "{case:?}"));
        let pair = j + 1 < n && s[(j + 1, j)] != Complex64::ZERO;
        (j + 1 + usize::from(pair)..n).for_each(|i| assert_eq!(s[(i, j)], Complex64::ZERO, "{case:?}"));
        assert_eq!(pair, !T::KIND.is_complex() && values.alphai[j].re() > 0.0, "{:?} {case:?}: {j}", T::KIND);
        if pair {
            assert_eq!(p[(j, j + 1)], Complex64::ZERO, "{case:?}");
        } else if T::KIND.is_complex() || values.alphai[j].re() == 0.0 {
            assert_eq!((values.alpha(j), values.beta[j].re()), (s[(j, j)], p[(j, j)].re), "{case:?}");
        }
    }
}

fn has_schur_form<T: Scalar>(n: usize, (of_a, of_b): (Form, Form), storage: (Layout, usize), ordered: bool) {
    let case = (n, of_a, of_b, storage, ordered);
    let (a, b) = (general::<T>(n, of_a), general::<T>(n, of_b));
    let (mut s, mut p) = (stored::<T>(&a, storage), stored::<T>(&b, storage));
    let mut q = Stored::<T>::new(storage.0, n, n, storage.1, 0).poisoned();
    let mut z = q.clone();
    let mut values = Values::<T::RealScalar>::new(n);
    let mut select = |re: f64, _: f64, beta: f64| re < 0.2 * beta;
    let (info, leading) = gges(
        view_mut(&mut s),
        view_mut(&mut p),
        values.view(),
        Some(view_mut(&mut q)),
        Some(view_mut(&mut z)),
        if ordered { Some(&mut select) } else { None },
    );
    assert_eq!(info, None, "{case:?}");
    assert!([&s, &p, &q, &z].iter().all(|m| m.canaries_live()), "{case:?}");
    is_schur_form::<T>((&a, &b), (&s.dense(), &p.dense()), (&q.dense(), &z.dense()), &values, &case);
    if ordered && matches!((of_a, of_b), (Form::Of(Kind::Random), Form::Of(Kind::Random))) {
        assert_eq!(leading.info, None, "{case:?}");
        for j in 0..n {
            let first = values.alphar[j].re() < 0.2 * values.beta[j].re();
            assert_eq!(first, j < leading.count, "{case:?}: {j}");
        }
        // The other ones come first.
        let others: Vec<bool> = (0..n).map(|j| j >= leading.count).collect();
        let mut again = Values::<T::RealScalar>::new(n);
        let (left, right) = (Some(view_mut(&mut q)), Some(view_mut(&mut z)));
        let (count, info) = tgsen(view_mut(&mut s), view_mut(&mut p), again.view(), left, right, &others);
        assert_eq!((count, info), (n - leading.count, None), "{case:?}");
        is_schur_form::<T>((&a, &b), (&s.dense(), &p.dense()), (&q.dense(), &z.dense()), &again, &case);
        for j in 0..n {
            let first = again.alphar[j].re() >= 0.2 * again.beta[j].re();
            assert_eq!(first, j < count, "{case:?}: {j}");
        }
    }
}

#[test]
fn generalised_schur_forms() {
    for (i, n) in [1, 2, 3, 4, 5, 9, 20, 33, 70].into_iter().enumerate() {
        for (k, forms) in PENCILS.into_iter().enumerate() {
            for_each_type!(has_schur_form(n, forms, STORAGES[(i + k) % 3], k % 2 == 0));
        }
        for_each_type!(has_schur_form(n, PENCILS[0], STORAGES[i % 3], false));
    }
}

fn isolates<T: Scalar>() {
    // Rows and columns with one element: LAPACK's permutation finds all eigenvalues.
    let n = 6;
    let random = filled::<T>(n, n, 21);
    let order = [3, 0, 5, 1, 4, 2];
    let at = |a: &Mat<T>, i: usize, j: usize| {
        if order[i] <= order[j] { complex(a[(order[i], order[j])]) } else { Complex64::ZERO }
    };
    let a = Mat::from_fn(n, n, |i, j| at(&random, i, j));
    let b = Mat::from_fn(n, n, |i, j| if order[i] == order[j] { Complex64::ONE } else { at(&random, i, j) * 0.5 });
    let (mut source_a, mut source_b) = (stored::<T>(&a, STORAGES[0]), stored::<T>(&b, STORAGES[0]));
    let mut values = Values::<T::RealScalar>::new(n);
    let (a, b) = (view_mut(&mut source_a), view_mut(&mut source_b));
    assert_eq!(ggev(a.as_ref(), b.as_ref(), values.view(), None, None), None);
    // No rounding: betas are ones, or their moduli.
    let mut found: Vec<f64> = (0..n).map(|j| values.alpha(j).norm() / values.beta[j].re()).collect();
    let mut expected: Vec<f64> = (0..n).map(|k| random[(k, k)].modulus()).collect();
    found.sort_by(f64::total_cmp);
    expected.sort_by(f64::total_cmp);
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() <= 4.0 * T::EPSILON * expected, "{found} {expected}");
    }
}

#[test]
fn a_permuted_triangle_needs_no_iteration() {
    for_each_type!(isolates());
}

fn spoils<T: Scalar>(bad: f64, in_b: bool) {
    let n = 5;
    let (mut a, mut b) =
        (Stored::<T>::new(Layout::ColumnMajor, n, n, 1, 3), Stored::<T>::new(Layout::ColumnMajor, n, n, 1, 4));
    let target = if in_b { &mut b } else { &mut a };
    target.set(3, 1, Complex64::new(bad, 0.0));
    let mut values = Values::<T::RealScalar>::new(n);
    let mut v = Stored::<T>::new(Layout::ColumnMajor, n, n, 1, 0);
    let info = ggev(view_mut(&mut a).as_ref(), view_mut(&mut b).as_ref(), values.view(), None, Some(view_mut(&mut v)));
    assert_eq!(info, Some(n));
    assert!(values.alphar.iter().chain(&values.beta).all(|x| x.re().is_nan()));
    let (info, leading) = gges(view_mut(&mut a), view_mut(&mut b), values.view(), None, None, None);
    assert_eq!((info, leading.count), (Some(n), 0));
}

#[test]
fn elements_that_are_not_finite_spoil_results() {
    for bad in [f64::NAN, f64::INFINITY] {
        for_each_type!(spoils(bad, false));
        for_each_type!(spoils(bad, true));
    }
}

fn is_empty<T: Scalar>() {
    let none = || Mat::<T>::zeros(0, 0);
    let (mut a, mut b) = (none(), none());
    let mut values = Values::<T::RealScalar>::new(0);
    assert_eq!(ggev(a.as_ref(), b.as_ref(), values.view(), None, None), None);
    assert_eq!(gges(a.as_mut(), b.as_mut(), values.view(), None, None, None).0, None);
}

#[test]
fn a_pencil_without_rows_has_no_eigenvalues() {
    for_each_type!(is_empty());
}
