use affinimath_cpu::lapack::{gees, geev};
use affinimath_testing::for_each_type;

use super::*;

/// Matrices whose eigenvalues are ill-conditioned or have no basis of eigenvectors.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    Of(Kind),
    /// One Jordan block.
    Jordan,
    /// A cyclic permutation: eigenvalues on the unit circle.
    Cycle,
    Triangular,
    /// Of rank 1: a reduction leaves powers of rounding errors, down to subnormal numbers.
    Ones,
    /// Of a random polynomial.
    Companion,
    /// Rows and columns scaled against each other, so that balancing pays.
    Unbalanced,
}

pub(super) fn general<T: Scalar>(n: usize, form: Form) -> Dense {
    let random = filled::<T>(n, n, 9);
    let a = match form {
        Form::Of(kind) => return matrix::<T>(n, n, false, kind, 8),
        Form::Jordan => Mat::from_fn(n, n, |i, j| {
            Complex64::new(
                if i == j {
                    0.5
                } else if i + 1 == j {
                    1.0
                } else {
                    0.0
                },
                0.0,
            )
        }),
        Form::Cycle => Mat::from_fn(n, n, |i, j| Complex64::new(f64::from(u8::from((i + 1) % n == j)), 0.0)),
        Form::Ones => Mat::from_fn(n, n, |_, _| Complex64::ONE),
        Form::Companion => Mat::from_fn(n, n, |i, j| match (i, j) {
            (0, j) => complex(random[(0, j)]),
            (i, j) if i == j + 1 => Complex64::ONE,
            _ => Complex64::ZERO,
        }),
        Form::Triangular => Mat::from_fn(n, n, |i, j| if i >= j { complex(random[(i, j)]) } else { Complex64::ZERO }),
        Form::Unbalanced => {
            Mat::from_fn(n, n, |i, j| complex(random[(i, j)]) * 2f64.powi((i % 5) as i32 * 3 - (j % 5) as i32 * 3))
        }
    };
    Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 0).filled_with(|i, j| a[(i, j)]).dense()
}

pub(super) const FORMS: [Form; 13] = [
    Form::Of(Kind::Random),
    Form::Of(Kind::Graded),
    Form::Of(Kind::Repeated),
    Form::Of(Kind::Deficient),
    Form::Of(Kind::Huge),
    Form::Of(Kind::Tiny),
    Form::Of(Kind::Zero),
    Form::Jordan,
    Form::Cycle,
    Form::Triangular,
    Form::Ones,
    Form::Companion,
    Form::Unbalanced,
];

/// Eigenvectors as complex columns, from LAPACK's pairs of columns.
pub(super) fn unpacked<T: Scalar>(v: &Dense, wi: &[T::RealScalar]) -> Dense {
    let (n, count) = (v.nrows(), v.ncols());
    let mut x = v.clone();
    let mut j = 0;
    while j < count {
        if T::KIND.is_complex() || wi[j].re() == 0.0 {
            j += 1;
            continue;
        }
        assert!(wi[j].re() > 0.0 && wi[j + 1].re() == -wi[j].re());
        for i in 0..n {
            x[(i, j)] = Complex64::new(v[(i, j)].re, v[(i, j + 1)].re);
            x[(i, j + 1)] = x[(i, j)].conj();
        }
        j += 2;
    }
    x
}

fn has_eigenvectors<T: Scalar>(n: usize, form: Form, storage: (Layout, usize)) {
    let case = (n, form, storage);
    let a = general::<T>(n, form);
    let mut source = stored::<T>(&a, storage);
    let (mut wr, mut wi) = (vec![T::RealScalar::default(); n], vec![T::RealScalar::default(); n]);
    let mut vl = Stored::<T>::new(storage.0, n, n, storage.1, 0).poisoned();
    let mut vr = vl.clone();
    let info = geev(view_mut(&mut source).as_ref(), &mut wr, &mut wi, Some(view_mut(&mut vl)), Some(view_mut(&mut vr)));
    assert_eq!(info, None, "{case:?}");
    assert!(vl.canaries_live() && vr.canaries_live(), "{case:?}");
    let values: Vec<Complex64> = wr.iter().zip(&wi).map(|(re, im)| Complex64::new(re.re(), im.re())).collect();
    for (v, op) in [(&vr, Op::NoTrans), (&vl, Op::ConjTrans)] {
        let x = unpacked::<T>(&v.dense(), &wi);
        let size = |j: usize| (0..n).map(|i| x[(i, j)].norm_sqr()).sum::<f64>().sqrt();
        for j in 0..n {
            assert!((size(j) - 1.0).abs() < 10.0 * n as f64 * T::EPSILON, "{case:?}: column {j} {}", size(j));
            let largest = (0..n).max_by(|i, k| x[(*i, j)].norm_sqr().total_cmp(&x[(*k, j)].norm_sqr())).unwrap();
            let other = (0..n).any(|i| x[(i, j)].im == 0.0 && x[(i, j)].norm() >= 0.999 * x[(largest, j)].norm());
            assert!(other, "{case:?}: column {j} has no large real element");
        }
        let of = |value: Complex64| if op == Op::ConjTrans { value.conj() } else { value };
        let error = difference(&product(&operated(op, &a), &x), &Mat::from_fn(n, n, |i, j| x[(i, j)] * of(values[j])));
        assert_ratio::<T>(&error, n, norm(&a).max(f64::MIN_POSITIVE), &case);
    }
    let trace: Complex64 = (0..n).map(|i| a[(i, i)]).sum();
    let error = (trace - values.iter().sum::<Complex64>()).norm();
    assert!(error <= 30.0 * n as f64 * T::EPSILON * norm(&a), "{case:?}: trace {error}");

    let (mut re, mut im) = (vec![T::RealScalar::default(); n], vec![T::RealScalar::default(); n]);
    assert_eq!(geev(view_mut(&mut source).as_ref(), &mut re, &mut im, None, None), None, "{case:?}");
    let sum: f64 = re.iter().map(|x| x.re()).sum();
    assert!((sum - trace.re).abs() <= 30.0 * n as f64 * T::EPSILON * norm(&a), "{case:?}");
}

#[test]
fn eigenvectors_of_general_matrices() {
    for (i, n) in [1, 2, 3, 4, 5, 9, 20, 33, 70].into_iter().enumerate() {
        for (k, form) in FORMS.into_iter().enumerate() {
            for_each_type!(has_eigenvectors(n, form, STORAGES[(i + k) % 3]));
        }
    }
}

fn has_schur_form<T: Scalar>(n: usize, form: Form, storage: (Layout, usize)) {
    let case = (n, form, storage);
    let a = general::<T>(n, form);
    let (mut t, mut z) = (stored::<T>(&a, storage), Stored::<T>::new(storage.0, n, n, storage.1, 0).poisoned());
    let (mut wr, mut wi) = (vec![T::RealScalar::default(); n], vec![T::RealScalar::default(); n]);
    assert_eq!(gees(view_mut(&mut t), &mut wr, &mut wi, Some(view_mut(&mut z))), None, "{case:?}");
    assert!(t.canaries_live() && z.canaries_live(), "{case:?}");
    let (t, z) = (t.dense(), z.dense());
    assert_orthonormal::<T>(&z, &case);
    let found = product(&product(&z, &t), &operated(Op::ConjTrans, &z));
    assert_ratio::<T>(&difference(&a, &found), n, norm(&a).max(f64::MIN_POSITIVE), &case);
    for j in 0..n {
        for i in j + 1..n {
            let allowed = !T::KIND.is_complex() && i == j + 1 && wi[j].re() > 0.0;
            assert!(allowed || t[(i, j)] == Complex64::ZERO, "{case:?}: ({i}, {j})");
        }
        if !T::KIND.is_complex() && wi[j].re() > 0.0 {
            assert_eq!(t[(j, j)], t[(j + 1, j + 1)], "{case:?}");
            assert!(t[(j + 1, j)].re * t[(j, j + 1)].re < 0.0, "{case:?}");
        }
        assert_eq!(t[(j, j)].re, wr[j].re(), "{case:?}");
    }
}

#[test]
fn schur_forms_are_similar_to_their_matrices() {
    for (i, n) in [1, 2, 3, 5, 9, 20, 33, 70].into_iter().enumerate() {
        for (k, form) in FORMS.into_iter().enumerate() {
            for_each_type!(has_schur_form(n, form, STORAGES[(i + k) % 3]));
        }
    }
}

/// Orders with multishift sweeps, and with windows that have them too.
#[test]
fn large_schur_forms_are_similar_to_their_matrices() {
    for (i, n) in [76, 100, 257].into_iter().enumerate() {
        for (k, form) in FORMS.into_iter().enumerate().filter(|(k, _)| n < 200 || k % 3 == 0) {
            for_each_type!(has_schur_form(n, form, STORAGES[(i + k) % 3]));
        }
    }
}

/// Eigenvalues of these sizes are known, and lost without balancing.
#[test]
fn balancing_keeps_small_eigenvalues() {
    let a = Mat::from_fn(3, 3, |i, j| [[1.0, 1e-8, 1e-16], [1e8, 2.0, 1e-8], [1e16, 1e8, 3.0]][i][j]);
    let even = Mat::from_fn(3, 3, |i, j| [[1.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 3.0]][i][j]);
    let values = |a: &Mat<f64>| {
        let (mut re, mut im) = ([0.0; 3], [0.0; 3]);
        assert_eq!(geev(a.as_ref(), &mut re, &mut im, None, None), None);
        re.sort_by(f64::total_cmp);
        re
    };
    for (found, expected) in values(&a).into_iter().zip(values(&even)) {
        assert!((found - expected).abs() < 1e-13, "{found} {expected}");
    }
}

#[test]
fn general_matrices_that_are_not_finite_have_an_info() {
    for value in [f64::NAN, f64::INFINITY] {
        let mut a = Mat::<f64>::from_fn(3, 3, |i, j| (i + 2 * j) as f64);
        a[(1, 2)] = value;
        let (mut re, mut im, mut v) = ([0.0; 3], [0.0; 3], Mat::zeros(3, 3));
        assert!(geev(a.as_ref(), &mut re, &mut im, None, Some(v.as_mut())).is_some());
        assert!(re.iter().chain(&im).all(|x| x.is_nan()) && v[(0, 0)].is_nan());
        assert!(gees(a.as_mut(), &mut re, &mut im, Some(v.as_mut())).is_some());
    }
    assert_eq!(geev(Mat::<f64>::zeros(0, 0).as_ref(), &mut [], &mut [], None, None), None);
}
