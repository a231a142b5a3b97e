//! Factorisations on several devices, by LAPACK's test ratios.

use super::*;
use crate::error::Error;
use crate::host::lapack as host;
use crate::lapack::tests::host::cholesky::{definite, other_triangle_untouched, triangle_of};
use crate::lapack::tests::host::lu::factor_ratio;
use crate::lapack::tests::host::qr::{full_q, upper};
use crate::lapack::tests::host::{adjoint, assert_ratio, difference, identity, norm, product, ratio};
use crate::options::Triangle;
use crate::route::dispatch::on_host_mut;
use crate::testing::for_each_type;

/// Higher than wide, wider than high, one block, one element, nothing.
const SIZES: [[usize; 2]; 9] = [[37, 37], [40, 21], [21, 40], [16, 16], [7, 5], [1, 1], [1, 9], [9, 1], [0, 3]];

fn lu<T: Scalar>([m, n]: [usize; 2], layout: Layout) {
    let case = format!("getrf {m} x {n} {layout:?}");
    let a = Stored::<T>::new(layout, m, n, 2, 1);
    let order = m.min(n);
    let mut expected = vec![0; order];
    let _ = host::getrf(on_host_mut(a.clone().view_mut()), &mut expected);
    let factors = run(&case, &a, |set, a| {
        let mut pivots = vec![-7; order + 1];
        set.getrf(a.view_mut(), &mut pivots).unwrap();
        assert_eq!(pivots.pop(), Some(-7), "{case}");
        assert_eq!(pivots, expected, "{case}");
    });
    for factors in factors {
        assert!(factors.canaries_live(), "{case}");
        assert_ratio::<T>(factor_ratio::<T>(&a.dense(), &factors.dense(), &expected), "P A - L U", &case);
    }
}

fn cholesky<T: Scalar>(n: usize, triangle: Triangle, layout: Layout) {
    let case = format!("potrf {n} {triangle:?} {layout:?}");
    let (exact, a) = definite::<T>(triangle, n, (layout, 2));
    for factor in run(&case, &a, |set, a| set.potrf(triangle, a.view_mut()).unwrap()) {
        assert!(other_triangle_untouched(triangle, &factor), "{case}");
        let l = triangle_of(triangle, &factor);
        let square = if triangle == Triangle::Lower { product(&l, &adjoint(&l)) } else { product(&adjoint(&l), &l) };
        assert_ratio::<T>(ratio::<T>(&difference(&exact, &square), n, norm(&exact)), "A - L Lᴴ", &case);
    }
}

fn qr<T: Scalar>([m, n]: [usize; 2], layout: Layout) {
    let case = format!("geqrf {m} x {n} {layout:?}");
    let a = Stored::<T>::new(layout, m, n, 2, 1);
    let before = a.dense();
    let taus = Mutex::new(Vec::new());
    let factors = run(&case, &a, |set, a| {
        let mut tau = vec![T::ZERO; m.min(n)];
        set.geqrf(a.view_mut(), &mut tau).unwrap();
        taus.lock().unwrap().push(tau);
    });
    let taus = taus.into_inner().unwrap();
    for (factors, tau) in factors.iter().zip(taus.chunks(CONTEXTS)) {
        assert!(factors.canaries_live(), "{case}");
        assert!(tau.iter().all(|other| *other == tau[0]), "{case}: other factors on several devices");
        let q = full_q(&factors.dense(), &tau[0]);
        let error = difference(&before, &product(&q, &upper(&factors.dense())));
        assert_ratio::<T>(ratio::<T>(&error, m, norm(&before)), "A - Q R", &case);
        let error = difference(&identity(m), &product(&adjoint(&q), &q));
        assert_ratio::<T>(ratio::<T>(&error, m, 1.0), "I - Qᴴ Q", &case);
    }
}

mod device {
    use super::*;

    #[test]
    fn factors_with_pivots() {
        fn check<T: Scalar>() {
            for size in SIZES {
                LAYOUTS.into_iter().for_each(|layout| lu::<T>(size, layout));
            }
        }
        for_each_type!(check());
    }

    #[test]
    fn factors_of_positive_definite_matrices() {
        fn check<T: Scalar>() {
            for n in [37, 16, 5, 1, 0] {
                for triangle in [Triangle::Lower, Triangle::Upper] {
                    LAYOUTS.into_iter().for_each(|layout| cholesky::<T>(n, triangle, layout));
                }
            }
        }
        for_each_type!(check());
    }

    #[test]
    fn reflectors() {
        fn check<T: Scalar>() {
            for size in SIZES {
                LAYOUTS.into_iter().for_each(|layout| qr::<T>(size, layout));
            }
        }
        for_each_type!(check());
    }

    #[test]
    fn columns_near_overflow_are_scaled() {
        fn check<T: Scalar>() {
            let scale = if T::KIND.is_double() { 1e307 } else { 2e37 };
            let a = Stored::<T>::new(LAYOUTS[0], 21, 17, 0, 1);
            let values = a.dense();
            let a = a.filled_with(|i, j| values[(i, j)] * scale);
            for factors in run("geqrf", &a, |set, a| set.geqrf(a.view_mut(), &mut [T::ZERO; 17]).unwrap()) {
                assert!(factors.data.iter().all(|value| value.re().is_finite() && value.im().is_finite()));
            }
        }
        for_each_type!(check());
    }

    #[test]
    fn a_zero_pivot_and_a_minor_that_is_not_positive_are_told() {
        for set in sets::<f32>().into_iter().flatten() {
            for index in [1, 8, 9, 29, 37] {
                let zero_from = |i: usize, j: usize| if i == j && i < index - 1 { 1.0 } else { 0.0 };
                let a = Stored::<f32>::new(LAYOUTS[0], 37, 37, 1, 1);
                let mut a = a.filled_with(|i, j| crate::Complex64::new(zero_from(i, j), 0.0));
                let mut factors = a.clone();
                let mut pivots = [0; 37];
                let error = set.getrf(factors.view_mut(), &mut pivots).unwrap_err();
                assert!(matches!(error, Error::ZeroPivot { index: found } if found == index), "{index}: {error}");
                assert!(pivots.iter().zip(1..).all(|(pivot, row)| *pivot == row));
                let error = set.potrf(Triangle::Upper, a.view_mut()).unwrap_err();
                assert!(
                    matches!(error, Error::NotPositiveDefinite { index: found } if found == index),
                    "{index}: {error}"
                );
            }
            let mut few = [0; 3];
            let mut a = Stored::<f32>::new(LAYOUTS[0], 5, 5, 1, 1);
            let before = a.clone();
            assert!(matches!(set.getrf(a.view_mut(), &mut few), Err(Error::ShapeMismatch(_))));
            let mut wide = Stored::<f32>::new(LAYOUTS[0], 4, 5, 1, 1);
            assert!(matches!(set.potrf(Triangle::Upper, wide.view_mut()), Err(Error::ShapeMismatch(_))));
            assert_eq!(a.dense(), before.dense());
        }
    }
}
