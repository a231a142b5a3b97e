//! Condition estimates, on the host and with factors on a device, compared with norms of inverses.

use super::*;
use crate::host::norm::{infinity_norm, one_norm};
use crate::lapack::tests::host::cholesky::{definite, triangle_of};
use crate::lapack::tests::host::qr::upper as host_upper;
use crate::lapack::tests::host::{operated, product};
use crate::options::{Diag, Norm, Op, Triangle};
use crate::scalar::Complex64;
use crate::testing::{assert_close, for_each_type};
use crate::{
    Error, Event, MatrixMut, MatrixShape, Queue, Result, VectorMut, VectorShape, gecon, gecon_on, gecon_with_vector,
    getrf, getri, pocon, pocon_on, potrf, trcon, trcon_on,
};

/// 1 / (||A|| ||A⁻¹||) in doubles, and ||A||.
fn exact(norm: Norm, a: &faer::Mat<Complex64>) -> (f64, f64) {
    let n = a.nrows();
    let mut inverse: Vec<Complex64> = (0..n * n).map(|e| a[(e % n, e / n)]).collect();
    let (shape, mut pivots) = (MatrixShape::new(Layout::ColumnMajor, n, n, 0, n.max(1)).unwrap(), vec![0; n]);
    getrf(MatrixMut::from_slice(&mut inverse, shape).unwrap(), &mut pivots).unwrap();
    getri(MatrixMut::from_slice(&mut inverse, shape).unwrap(), &pivots).unwrap();
    let inverse = faer::Mat::from_fn(n, n, |i, j| inverse[i + j * n]);
    let of =
        |a: &faer::Mat<Complex64>| if norm == Norm::One { one_norm(a.as_ref()) } else { infinity_norm(a.as_ref()) };
    (1.0 / (of(a) * of(&inverse)), of(a))
}

/// Not below the number itself but by roundings, which it multiplies, and not far above it.
#[track_caller]
fn assert_estimate<T: Scalar>(found: T::RealScalar, exact: f64, n: usize, what: &dyn std::fmt::Debug) {
    let slack = 30.0 * n as f64 * T::EPSILON / exact;
    let ratio = found.re() / exact;
    assert!(ratio >= 1.0 - slack && ratio <= 3.0 + slack, "{:?} {what:?}: {}, not {exact}", T::KIND, found.re());
}

/// The number that work leaves in a device's memory, between canaries.
fn on_queue<T: Scalar>(
    context: &Context,
    work: impl FnOnce(&Queue, VectorMut<'_, T::RealScalar>) -> Result<Event>,
) -> T::RealScalar {
    let canary = T::RealScalar::from_parts(-7.0, 0.0);
    let mut values = context.upload(&[canary; 3]).unwrap();
    let storage = values.vector_view_mut(VectorShape::new(1, 1, 1).unwrap()).unwrap();
    work(&context.queue().unwrap(), storage).unwrap().wait().unwrap();
    let values = values.download().unwrap();
    assert_eq!((values[0], values[2]), (canary, canary));
    values[1]
}

fn check<T: Scalar>(n: usize) {
    let devices = devices::<T>();
    for (k, storage) in STORAGES.into_iter().enumerate() {
        let values = Stored::<T>::new(storage.0, n, n, storage.1, 8);
        let dense = values.dense();
        let a = values.filled_with(|i, j| dense[(i, j)] + if i == j { 3.0 } else { 0.0 });
        let mut factors = a.clone();
        getrf(factors.view_mut(), &mut vec![0; n]).unwrap();
        let triangle = Triangle::ALL[k % 2];
        let (whole, half) = definite::<T>(triangle, n, storage);
        let mut factor = half.clone();
        potrf(triangle, factor.view_mut()).unwrap();
        let triangular = triangle_of(triangle, &factor);
        for norm in [Norm::One, Norm::Infinity] {
            let what = (n, norm, storage);
            let scalar = |value| T::RealScalar::from_parts(value, 0.0);
            let ((general, size), (positive, half_size)) = (exact(norm, &a.dense()), exact(Norm::One, &whole));
            let (of_triangle, _) = exact(norm, &triangular);
            let stored = Diag::NonUnit;
            assert_estimate::<T>(gecon(norm, factors.view(), scalar(size)).unwrap(), general, n, &("gecon", what));
            let found = pocon(triangle, factor.view(), scalar(half_size)).unwrap();
            assert_estimate::<T>(found, positive, n, &("pocon", what));
            let found = trcon(norm, triangle, stored, factor.view()).unwrap();
            assert_estimate::<T>(found, of_triangle, n, &("trcon", what));
            for (context, _) in devices.iter().step_by(2) {
                let memory = uploaded(context, &factors);
                let found = gecon(norm, memory.view(a.shape).unwrap(), scalar(size)).unwrap();
                assert_estimate::<T>(found, general, n, &("gecon on a device", what));
                let memory = uploaded(context, &factor);
                let found = pocon(triangle, memory.view(half.shape).unwrap(), scalar(half_size)).unwrap();
                assert_estimate::<T>(found, positive, n, &("pocon on a device", what));
                let found = trcon(norm, triangle, stored, memory.view(half.shape).unwrap()).unwrap();
                assert_estimate::<T>(found, of_triangle, n, &("trcon on a device", what));
                let found = on_queue::<T>(context, |queue, rcond| {
                    trcon_on(queue, norm, triangle, stored, memory.view(half.shape).unwrap(), rcond)
                });
                assert_estimate::<T>(found, of_triangle, n, &("trcon on a queue", what));
                let found = on_queue::<T>(context, |queue, rcond| {
                    pocon_on(queue, triangle, memory.view(half.shape).unwrap(), scalar(half_size), rcond)
                });
                assert_estimate::<T>(found, positive, n, &("pocon on a queue", what));
                let memory = uploaded(context, &factors);
                let found = on_queue::<T>(context, |queue, rcond| {
                    gecon_on(queue, norm, memory.view(a.shape).unwrap(), scalar(size), rcond)
                });
                assert_estimate::<T>(found, general, n, &("gecon on a queue", what));
            }
        }
    }
}

/// diag(1, 2) times a value close to overflow or underflow has the reciprocal condition 1/2, and the value alone 1.
/// Norms are exact.
fn check_ends<T: Scalar>(exponents: &[i32]) {
    let direction = if T::KIND.is_complex() { Complex64::new(3.0, 4.0) } else { Complex64::ONE };
    let scalar = |value| T::RealScalar::from_parts(value, 0.0);
    for scale in exponents.iter().map(|exponent| 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)) {
        for (n, expected) in [(1, 1.0), (2, 0.5)] {
            let a = Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 1);
            let element = |i: usize| direction * scale * (i + 1) as f64;
            let a = a.filled_with(|i, j| if i == j { element(i) } else { Complex64::ZERO });
            let size = scalar(element(n - 1).norm());
            let close = |found: T::RealScalar, what: &str| {
                assert_close!(found.re(), expected, 8.0 * T::EPSILON, "{what}, {:?} {scale:e} {n}", T::KIND);
            };
            close(gecon(Norm::One, a.view(), size).unwrap(), "gecon");
            close(trcon(Norm::Infinity, Triangle::Upper, Diag::NonUnit, a.view()).unwrap(), "trcon");
            for (context, _) in devices::<T>().iter().step_by(2).filter(|(context, _)| keeps::<T>(context, scale)) {
                let memory = uploaded(context, &a);
                close(gecon(Norm::One, memory.view(a.shape).unwrap(), size).unwrap(), "gecon on a device");
            }
        }
    }
}

fn unit_lower(factors: &faer::Mat<Complex64>) -> faer::Mat<Complex64> {
    faer::Mat::from_fn(factors.nrows(), factors.ncols(), |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => Complex64::ZERO,
        std::cmp::Ordering::Equal => Complex64::ONE,
        std::cmp::Ordering::Greater => factors[(i, j)],
    })
}

mod host {
    use super::*;

    /// A matrix's scale does not matter: its inverse's norm alone would overflow, or underflow.
    #[test]
    fn a_condition_does_not_depend_on_the_scale() {
        for scale in [1e-38_f32, 1e37] {
            let diagonal = [1.0, 2.0, 4.0].map(|x| x * scale);
            let a = Stored::<f32>::new(Layout::RowMajor, 3, 3, 1, 1);
            let a = a.filled_with(|i, j| if i == j { f64::from(diagonal[i]).into() } else { Complex64::ZERO });
            let found = gecon(Norm::One, a.view(), diagonal[2]).unwrap();
            assert_close!(found, 0.25, 1e-5, "{scale}");
        }
    }

    #[test]
    fn what_is_no_norm_is_refused() {
        let a = Stored::<f64>::new(Layout::ColumnMajor, 5, 5, 0, 1);
        let refused = gecon(Norm::One, a.view(), -1.0);
        assert!(matches!(refused, Err(Error::InvalidArgument { name: "anorm", .. })), "{refused:?}");
        let refused = gecon(Norm::Frobenius, a.view(), 1.0);
        assert!(matches!(refused, Err(Error::InvalidArgument { name: "norm", .. })), "{refused:?}");
    }
}

mod device {
    use super::*;

    #[test]
    fn condition_estimates() {
        for n in [1, 2, 33, 70] {
            for_each_type!(check(n));
        }
    }

    #[test]
    fn a_singular_matrix_has_the_reciprocal_condition_zero() {
        let mut a = Stored::<f64>::new(Layout::ColumnMajor, 5, 5, 0, 1);
        a.set(3, 3, Complex64::ZERO);
        assert_eq!(gecon(Norm::Infinity, a.view(), 1.0).unwrap(), 0.0);
        assert_eq!(gecon(Norm::One, a.view(), 0.0).unwrap(), 0.0);
        assert_eq!(trcon(Norm::One, Triangle::Lower, Diag::NonUnit, a.view()).unwrap(), 0.0);
        for (context, _) in devices::<f64>().iter().step_by(2) {
            let memory = uploaded(context, &a);
            assert_eq!(gecon(Norm::One, memory.view(a.shape).unwrap(), 1.0).unwrap(), 0.0);
        }
        let none = MatrixShape::new(Layout::ColumnMajor, 0, 0, 0, 1).unwrap();
        let empty = crate::MatrixRef::from_slice(&a.data, none).unwrap();
        assert_eq!(gecon(Norm::One, empty, 0.0).unwrap(), 1.0);
    }

    /// LAPACK 3.12: NaN goes on, and an infinite norm has the reciprocal condition 0.
    #[test]
    fn what_is_not_finite_has_no_condition() {
        fn check<T: Scalar>() {
            let scalar = |value| T::RealScalar::from_parts(value, 0.0);
            let values = Stored::<T>::new(Layout::ColumnMajor, 5, 5, 0, 1);
            let dense = values.dense();
            let a = values.filled_with(|i, j| dense[(i, j)] + if i == j { 3.0 } else { 0.0 });
            let (lower, stored) = (Triangle::Lower, Diag::NonUnit);
            assert!(gecon(Norm::One, a.view(), scalar(f64::NAN)).unwrap().re().is_nan());
            assert!(pocon(lower, a.view(), scalar(f64::NAN)).unwrap().re().is_nan());
            assert_eq!(gecon(Norm::Infinity, a.view(), scalar(f64::INFINITY)).unwrap().re(), 0.0);
            assert_eq!(pocon(lower, a.view(), scalar(f64::INFINITY)).unwrap().re(), 0.0);
            for bad in [f64::NAN, f64::INFINITY] {
                let mut with_bad = a.clone();
                with_bad.set(3, 1, bad.into());
                let expected = if bad.is_nan() { f64::NAN } else { 0.0 };
                let same = |found: T::RealScalar, expected: f64| {
                    found.re() == expected || found.re().is_nan() && expected.is_nan()
                };
                assert!(same(gecon(Norm::One, with_bad.view(), scalar(1.0)).unwrap(), expected));
                assert!(same(pocon(lower, with_bad.view(), scalar(1.0)).unwrap(), expected));
                // Elements that are not read do not matter.
                assert!(pocon(Triangle::Upper, with_bad.view(), scalar(1.0)).unwrap().re() > 0.0);
                assert_eq!(trcon(Norm::One, lower, stored, with_bad.view()).unwrap().re(), 0.0);
                assert!(trcon(Norm::One, Triangle::Upper, stored, with_bad.view()).unwrap().re() > 0.0);
                for (context, _) in devices::<T>().iter().step_by(2) {
                    let memory = uploaded(context, &with_bad);
                    let view = || memory.view(with_bad.shape).unwrap();
                    assert!(same(gecon(Norm::One, view(), scalar(1.0)).unwrap(), expected));
                    assert!(same(pocon(lower, view(), scalar(1.0)).unwrap(), expected));
                    assert_eq!(trcon(Norm::One, lower, stored, view()).unwrap().re(), 0.0);
                }
            }
        }
        for_each_type!(check());
    }

    /// The vector of an estimate satisfies ||A v||₁ = ||v||₁ / estimate of ||A⁻¹||₁.
    #[test]
    fn a_vector_shows_the_condition() {
        fn check<T: Scalar>(n: usize) {
            let values = Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 1);
            let dense = values.dense();
            let a = values.filled_with(|i, j| dense[(i, j)] + if i == j { 3.0 } else { 0.0 });
            let of_a = a.dense();
            let mut factors = a.clone();
            let mut pivots = vec![0; n];
            getrf(factors.view_mut(), &mut pivots).unwrap();
            for (norm, op) in [(Norm::One, Op::NoTrans), (Norm::Infinity, Op::ConjTrans)] {
                let (_, size) = exact(norm, &of_a);
                let mut v = vec![T::ZERO; n];
                let scalar = T::RealScalar::from_parts(size, 0.0);
                let rcond = gecon_with_vector(norm, factors.view(), scalar, &mut v).unwrap().re();
                let v = faer::Mat::from_fn(n, 1, |i, _| Complex64::new(v[i].re(), v[i].im()));
                // U and L are solved with in this order, without the exchanges: L U v = w.
                let (lower, upper) = (unit_lower(&factors.dense()), host_upper(&factors.dense()));
                let w = product(&operated(op, &product(&lower, &upper)), &v);
                let found = one_norm(v.as_ref()) / one_norm(w.as_ref());
                let slack = 30.0 * n as f64 * T::EPSILON / rcond;
                assert_close!(found * rcond * size, 1.0, slack, "{n} {norm:?}");
            }
            let short = gecon_with_vector(Norm::One, factors.view(), T::RealScalar::ONE, &mut []);
            assert!(matches!(short, Err(Error::ShapeMismatch(_))) || n == 0);
        }
        for n in [1, 2, 9, 40] {
            for_each_type!(check(n));
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn condition_estimates() {
        for_each_type!(check(6));
    }

    #[test]
    fn conditions_at_the_ends_of_the_range() {
        for_each_type!(check_ends(&[124, -124, -140]));
        for_each_type! {
            check_ends::<f64>(&[1020, -1020, -1060]);
            check_ends::<Complex64>(&[1020, -1020, -1060]);
        }
    }
}
