//! The parts of eigenvalue problems of general matrices: balancing, Hessenberg forms, Schur forms and their vectors.

use affinimath_core::options::Side;
use affinimath_cpu::lapack::{
    Balancing, Conditions, Wanted, gebak, gebal, geev, geevx, gehrd, hseqr, orghr, ormhr, selected_pairs, trevc, trsna,
};
use affinimath_testing::for_each_type;

use super::general::{FORMS, Form, general, unpacked};
use super::*;

/// Made upper triangular outside of a range.
fn within<T: Scalar>(n: usize, form: Form, range: &std::ops::Range<usize>) -> Dense {
    let a = general::<T>(n, form);
    let inside = |i: usize, j: usize| range.contains(&i) && range.contains(&j);
    Mat::from_fn(n, n, |i, j| if i <= j || inside(i, j) { a[(i, j)] } else { Complex64::ZERO })
}

fn reals<T: Scalar>(n: usize) -> Vec<T::RealScalar> {
    vec![T::RealScalar::default(); n]
}

fn similar<T: Scalar>(a: &Dense, t: &Dense, z: &Dense, case: &dyn std::fmt::Debug) {
    assert_orthonormal::<T>(z, case);
    let found = product(&product(z, t), &operated(Op::ConjTrans, z));
    assert_ratio::<T>(&difference(a, &found), a.nrows(), norm(a).max(f64::MIN_POSITIVE), case);
}

fn has_hessenberg_and_schur_form<T: Scalar>(n: usize, form: Form, storage: (Layout, usize)) {
    let range = n / 5..n - n / 7;
    let case = (n, form, storage, &range);
    let a = within::<T>(n, form, &range);
    let mut factored = stored::<T>(&a, storage);
    let mut tau = vec![T::ONE; n - 1];
    gehrd(view_mut(&mut factored), range.clone(), &mut tau);
    assert!(factored.canaries_live(), "{case:?}");
    let packed = factored.dense();
    let h = Mat::from_fn(n, n, |i, j| if i > j + 1 { Complex64::ZERO } else { packed[(i, j)] });
    let mut z = factored.clone();
    orghr(view_mut(&mut z), range.clone(), &tau);
    similar::<T>(&a, &h, &z.dense(), &case);

    // op(Q) C and C op(Q) are products with Q.
    let random = Mat::from_fn(n, n, |i, j| complex(filled::<T>(n, n, 5)[(i, j)]));
    for (side, op) in [(Side::Left, Op::NoTrans), (Side::Left, Op::ConjTrans), (Side::Right, Op::NoTrans)] {
        let mut c = stored::<T>(&random, storage);
        ormhr(side, op, range.clone(), view_mut(&mut factored).as_ref(), &tau, view_mut(&mut c));
        let q = operated(op, &z.dense());
        let expected = if side == Side::Left { product(&q, &random) } else { product(&random, &q) };
        assert_ratio::<T>(&difference(&c.dense(), &expected), n, norm(&random), &(case, side, op));
    }

    let (mut wr, mut wi) = (reals::<T>(n), reals::<T>(n));
    let mut t = stored::<T>(&h, storage);
    assert_eq!(
        hseqr(view_mut(&mut t), Some(view_mut(&mut z)), range.clone(), true, &mut wr, &mut wi),
        None,
        "{case:?}"
    );
    assert!(t.canaries_live() && z.canaries_live(), "{case:?}");
    similar::<T>(&a, &t.dense(), &z.dense(), &case);
    let (mut re, mut im, mut only) = (reals::<T>(n), reals::<T>(n), stored::<T>(&h, storage));
    assert_eq!(hseqr(view_mut(&mut only), None, range.clone(), false, &mut re, &mut im), None, "{case:?}");
    let sum: f64 = re.iter().zip(&wr).map(|(x, y)| x.re() - y.re()).sum();
    assert!(sum.abs() <= 30.0 * n as f64 * T::EPSILON * norm(&a), "{case:?}");
    has_vectors::<T>(&a, &t, &z, &wi, &case);
}

/// Eigenvectors of the Schur form, of the matrix, and of some eigenvalues.
fn has_vectors<T: Scalar>(a: &Dense, t: &Stored<T>, z: &Stored<T>, wi: &[T::RealScalar], case: &dyn std::fmt::Debug) {
    let n = a.nrows();
    let mut t = t.clone();
    let dense = t.dense();
    let t = view_mut(&mut t);
    let select: Vec<bool> = (0..n).map(|i| i % 3 == 1).collect();
    let chosen = selected_pairs(t.as_ref(), &select);
    let of_chosen: Vec<T::RealScalar> =
        wi.iter().zip(&chosen).filter(|(_, chosen)| **chosen).map(|(im, _)| *im).collect();
    for (wanted, of, im) in
        [(Wanted::All, &dense, wi), (Wanted::Transformed, a, wi), (Wanted::Selected(&select), &dense, &of_chosen)]
    {
        let (mut vl, mut vr) = (z.clone(), z.clone());
        let count = trevc(t.as_ref(), wanted, Some(view_mut(&mut vl)), Some(view_mut(&mut vr)));
        assert_eq!(count, im.len(), "{case:?}");
        for (v, op) in [(vl, Op::ConjTrans), (vr, Op::NoTrans)] {
            let v = v.dense();
            let x = unpacked::<T>(&v.as_ref().subcols(0, count).to_owned(), im);
            let y = product(&operated(op, of), &x);
            // X's columns are eigenvectors: A x is a multiple of x.
            for j in 0..count {
                let square: f64 = (0..n).map(|i| x[(i, j)].norm_sqr()).sum();
                let value = (0..n).map(|i| x[(i, j)].conj() * y[(i, j)]).sum::<Complex64>() / square;
                let error = Mat::from_fn(n, 1, |i, _| y[(i, j)] - x[(i, j)] * value);
                let size = norm(of).max(f64::MIN_POSITIVE) * norm(&x.as_ref().subcols(j, 1).to_owned());
                assert_ratio::<T>(&error, n, size, &(case, wanted, op, j));
            }
        }
    }
}

#[test]
fn hessenberg_forms_schur_forms_and_vectors_of_ranges() {
    for (i, n) in [1, 2, 3, 7, 33].into_iter().enumerate() {
        for (k, form) in FORMS.into_iter().enumerate() {
            for_each_type!(has_hessenberg_and_schur_form(n, form, STORAGES[(i + k) % 3]));
        }
    }
    for_each_type!(has_hessenberg_and_schur_form(130, FORMS[0], STORAGES[1]));
}

/// D^-1 P^T A P D is what balancing leaves, and its eigenvectors come back.
fn is_balanced<T: Scalar>(n: usize, form: Form) {
    let a = general::<T>(n, form);
    let mut balanced = stored::<T>(&a, STORAGES[1]);
    let mut scale = reals::<T>(n);
    let range = gebal(view_mut(&mut balanced), Balancing::BOTH, &mut scale);
    let b = balanced.dense();
    let outside = |i: usize, j: usize| i > j && !(range.contains(&i) && range.contains(&j));
    assert!((0..n).all(|j| (0..n).all(|i| !outside(i, j) || b[(i, j)] == Complex64::ZERO)), "{n} {form:?}");
    // S = P D as gebak applies it to the identity, and its inverse's adjoint: A S = S B.
    let identity = Mat::from_fn(n, n, |i, j| Complex64::new(f64::from(u8::from(i == j)), 0.0));
    let mut s = stored::<T>(&identity, STORAGES[0]);
    gebak(view_mut(&mut s), Balancing::BOTH, range.clone(), &scale, false);
    let s = s.dense();
    assert_eq!(norm(&difference(&product(&a, &s), &product(&s, &b))), 0.0, "{n} {form:?}");
    let mut left = stored::<T>(&identity, STORAGES[2]);
    gebak(view_mut(&mut left), Balancing::BOTH, range, &scale, true);
    let unit = product(&operated(Op::ConjTrans, &left.dense()), &s);
    assert_eq!(norm(&difference(&unit, &identity)), 0.0, "{n} {form:?}");
}

#[test]
fn balancing_is_an_exact_similarity() {
    for n in [1, 2, 3, 7, 33] {
        for form in [Form::Of(Kind::Random), Form::Triangular, Form::Unbalanced, Form::Companion, Form::Jordan] {
            for_each_type!(is_balanced(n, form));
        }
    }
}

/// Of a normal matrix eigenvalues have the condition 1, and separations are distances.
fn normal_matrices_are_well_conditioned<T: Scalar>() {
    let n = 5;
    let a = of_values::<T>(n, n, true, |i| 1.0 + 2.0 * i as f64);
    let mut source = stored::<T>(&a, STORAGES[1]);
    let (mut wr, mut wi, mut scale) = (reals::<T>(n), reals::<T>(n), reals::<T>(n));
    let (mut s, mut sep) = (reals::<T>(n), reals::<T>(n));
    let nothing = Balancing { permute: false, scale: false };
    let (info, balanced) = geevx(
        view_mut(&mut source).as_ref(),
        nothing,
        (&mut wr, &mut wi),
        (None, None),
        &mut scale,
        Some((Some(&mut s), Some(&mut sep))),
    );
    assert_eq!((info, balanced.range), (None, 0..n));
    assert!((balanced.norm - norm(&a)).abs() <= 10.0 * T::EPSILON * norm(&a));
    for i in 0..n {
        assert!((s[i].re() - 1.0).abs() < 100.0 * T::EPSILON, "{s:?}");
        assert!(sep[i].re() > 0.4 && sep[i].re() < 8.0, "{sep:?}");
    }
    let mut plain = (reals::<T>(n), reals::<T>(n));
    assert_eq!(geev(view_mut(&mut source).as_ref(), &mut plain.0, &mut plain.1, None, None), None);
    let sum = |x: &[T::RealScalar]| x.iter().map(|x| x.re()).sum::<f64>();
    assert!((sum(&plain.0) - sum(&wr)).abs() < 100.0 * T::EPSILON * 9.0);
}

#[test]
fn condition_numbers_of_normal_matrices() {
    for_each_type!(normal_matrices_are_well_conditioned());
}

/// A pair [0, 1; -1, 0] beside 5: the distance of i from 5 and -i is 2, that of 5 from the pair sqrt(26).
#[test]
fn separations_of_pairs() {
    let t = Mat::from_fn(3, 3, |i, j| [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 5.0]][i][j]);
    let (mut s, mut sep) = ([0.0f64; 3], [0.0f64; 3]);
    trsna(t.as_ref(), Conditions { values: true, subspace: true }, &mut s, &mut sep);
    for (found, expected) in s.iter().chain(&sep).zip([1.0f64, 1.0, 1.0, 2.0, 2.0, 26f64.sqrt()]) {
        assert!((*found - expected).abs() < 1e-14, "{s:?} {sep:?}");
    }
}

#[test]
fn hessenberg_matrices_that_are_not_finite_have_an_info() {
    let mut h = Mat::<f64>::from_fn(3, 3, |i, j| if i > j + 1 { 0.0 } else { 1.0 });
    h[(1, 0)] = f64::NAN;
    let (mut wr, mut wi) = ([0.0; 3], [0.0; 3]);
    assert_eq!(hseqr(h.as_mut(), None, 0..3, true, &mut wr, &mut wi), Some(3));
    assert!(wr.iter().all(|x| x.is_nan()));
}
