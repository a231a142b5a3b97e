use affinimath_cpu::lapack::gesvd;
use affinimath_testing::for_each_type;

use super::*;

const SHAPES: [(usize, usize); 15] = [
    (0, 3),
    (3, 0),
    (1, 1),
    (1, 5),
    (5, 1),
    (2, 2),
    (3, 4),
    (9, 4),
    (4, 9),
    (17, 17),
    (40, 33),
    (33, 60),
    (131, 131),
    (150, 135),
    (200, 30),
];

fn decomposes<T: Scalar>((m, n): (usize, usize), kind: Kind, storage: (Layout, usize), full: bool) {
    let case = (m, n, kind, storage, full);
    let order = m.min(n);
    let a = matrix::<T>(m, n, false, kind, 1);
    let mut source = stored::<T>(&a, storage);
    let (of_u, of_v) = if full { (m, n) } else { (order, order) };
    let mut u = Stored::<T>::new(storage.0, m, of_u, storage.1, 0).poisoned();
    let mut vt = Stored::<T>::new(storage.0, of_v, n, storage.1, 0).poisoned();
    let mut s = vec![T::RealScalar::default(); order];
    let info = gesvd(view_mut(&mut source).as_ref(), &mut s, Some(view_mut(&mut u)), Some(view_mut(&mut vt)));
    assert_eq!(info, None, "{case:?}");
    assert!(u.canaries_live() && vt.canaries_live(), "{case:?}");
    assert!(s.iter().all(|s| s.re() >= 0.0) && s.windows(2).all(|pair| pair[0].re() >= pair[1].re()), "{case:?} {s:?}");
    let (u, v) = (u.dense(), operated(Op::ConjTrans, &vt.dense()));
    assert_orthonormal::<T>(&u, &case);
    assert_orthonormal::<T>(&v, &case);
    let (leading, columns) = (Mat::from_fn(m, order, |i, j| u[(i, j)]), Mat::from_fn(n, order, |i, j| v[(i, j)]));
    let found = product(&times_values(&leading, &s), &operated(Op::ConjTrans, &columns));
    assert_ratio::<T>(&difference(&a, &found), m.max(n), norm(&a), &case);

    // Values alone, and either side alone.
    for (with_u, with_v) in [(false, false), (true, false), (false, true)] {
        let mut other_u = Stored::<T>::new(storage.0, m, of_u, 0, 0);
        let mut other_v = Stored::<T>::new(storage.0, of_v, n, 0, 0);
        let mut values = vec![T::RealScalar::default(); order];
        let info = gesvd(
            view_mut(&mut source).as_ref(),
            &mut values,
            with_u.then(|| view_mut(&mut other_u)),
            with_v.then(|| view_mut(&mut other_v)),
        );
        assert_eq!(info, None, "{case:?}");
        assert_values(&values, &s, m.max(n), &case);
        if with_u {
            assert_orthonormal::<T>(&other_u.dense(), &case);
        }
        if with_v {
            assert_orthonormal::<T>(&operated(Op::ConjTrans, &other_v.dense()), &case);
        }
    }
}

#[test]
fn singular_vectors_diagonalise_a_matrix() {
    for (i, shape) in SHAPES.into_iter().enumerate() {
        for (k, kind) in KINDS.into_iter().enumerate() {
            for_each_type!(decomposes(shape, kind, STORAGES[(i + k) % 3], (i / 3 + k) % 2 == 0));
        }
    }
}

fn refuses<T: Scalar>() {
    for value in [f64::NAN, f64::NEG_INFINITY] {
        let mut a = Stored::<T>::new(Layout::ColumnMajor, 4, 3, 0, 1);
        a.set(2, 1, Complex64::new(value, 0.0));
        let mut s = vec![T::RealScalar::default(); 3];
        let mut u = Stored::<T>::new(Layout::ColumnMajor, 4, 4, 0, 1);
        assert!(gesvd(view_mut(&mut a).as_ref(), &mut s, Some(view_mut(&mut u)), None).is_some());
        assert!(s.iter().all(|s| s.re().is_nan()) && u.element(3, 3).re.is_nan());
    }
}

#[test]
fn matrices_that_are_not_finite_have_an_info() {
    for_each_type!(refuses());
}
