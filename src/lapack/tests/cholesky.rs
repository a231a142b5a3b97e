//! A = L Lᴴ, and the solvers that use it.

use super::*;
use crate::lapack::cholesky::{CholeskyPanels, CholeskyPlan, potrf_with_plan};
use crate::lapack::tests::host::cholesky::{definite, other_triangle_untouched, triangle_of};
use crate::lapack::tests::host::{adjoint, assert_ratio, difference, norm, product, ratio, solution_ratio};
use crate::lapack::{has_warps, posv_on, potrf_on, potrs_on};
use crate::options::{Op, Triangle};
use crate::scalar::Complex64;
use crate::testing::for_each_type;

/// Four panels per block and some rows below, so that all kinds of work-groups run concurrently.
fn small_plan(device_info: &DeviceInfo) -> CholeskyPlan {
    let groups =
        CholeskyPanels::Groups { width: 16, tile_k: 16, max_blocks: 22, warps: has_warps(device_info), tensor: false };
    let panels = if device_info.class == DeviceClass::Gpu { groups } else { CholeskyPanels::Serial { width: 8 } };
    CholeskyPlan { backend: backend(device_info), panels }
}

/// The factor on a device, by a plan or by the device's own, and the info.
fn factorised<T: Scalar>(
    (context, device_info): &(Context, DeviceInfo),
    plan: Option<&CholeskyPlan>,
    triangle: Triangle,
    a: &Stored<T>,
) -> (Stored<T>, i32) {
    let (mut memory, mut info) = (uploaded(context, a), context.upload(&[-7_i32]).unwrap());
    let queue = context.queue().unwrap();
    let (view, info_view) = (memory.view_mut(a.shape).unwrap(), info.vector_mut().unwrap());
    let event = match plan {
        Some(plan) => potrf_with_plan(&queue, triangle, view, &info_view, (plan, device_info)),
        None => potrf_on(&queue, triangle, view, info_view),
    };
    event.unwrap().wait().unwrap();
    (downloaded(a, &memory), info.download().unwrap()[0])
}

/// L Lᴴ or Uᴴ U of the first rows and columns.
fn squared<T: Scalar>(triangle: Triangle, factor: &Stored<T>, order: usize) -> faer::Mat<Complex64> {
    let factor = triangle_of(triangle, factor);
    let factor = factor.submatrix(0, 0, order, order).to_owned();
    match triangle {
        Triangle::Lower => product(&factor, &adjoint(&factor)),
        Triangle::Upper => product(&adjoint(&factor), &factor),
    }
}

fn check<T: Scalar>(on: &(Context, DeviceInfo), plan: Option<&CholeskyPlan>, n: usize, storage: (Layout, usize)) {
    for &triangle in Triangle::ALL {
        let case = (n, storage, triangle, on.1.class, plan);
        let (exact, a) = definite::<T>(triangle, n, storage);
        let (factor, info) = factorised(on, plan, triangle, &a);
        assert_eq!(info, 0, "{case:?}");
        assert!(other_triangle_untouched(triangle, &factor), "{case:?}");
        let error = difference(&exact, &squared(triangle, &factor, n));
        assert_ratio::<T>(ratio::<T>(&error, n, norm(&exact)), "A - L Lᴴ", &case);
        let is_real = |i| factor.element(i, i).re > 0.0 && factor.element(i, i).im == 0.0;
        assert!((0..n).all(is_real), "{case:?}: the diagonal");
    }
}

/// Rows and columns times powers of two: the factor's rows are scaled by the same powers, with the same relative
/// accuracy.
fn check_graded<T: Scalar>(on: &(Context, DeviceInfo), plan: &CholeskyPlan, n: usize, exponent: impl Fn(usize) -> i32) {
    for (storage, &triangle) in STORAGES.into_iter().zip(Triangle::ALL) {
        let power = |i| 2.0_f64.powi(exponent(i));
        let (exact, a) = definite::<T>(triangle, n, storage);
        let (before, after) = (a.clone(), a.clone());
        let graded = a.filled_with(|i, j| before.element(i, j) * power(i) * power(j));
        let (factor, info) = factorised(on, Some(plan), triangle, &graded);
        let case = (n, storage, triangle, on.1.class, plan);
        assert_eq!(info, 0, "{case:?}");
        let row_of = |i, j| if triangle == Triangle::Lower { i } else { j };
        let factor = after.filled_with(|i, j| factor.element(i, j) / power(row_of(i, j)));
        let error = difference(&exact, &squared(triangle, &factor, n));
        assert_ratio::<T>(ratio::<T>(&error, n, norm(&exact)), "A - L Lᴴ", &case);
    }
}

/// Mesa 22.3's llvmpipe computes wrong factors by work-groups, unlike PoCL and Oclgrind. It is a CPU, for which the
/// library does not choose these kernels.
fn is_right_by_groups((_, device_info): &(Context, DeviceInfo)) -> bool {
    device_info.class != DeviceClass::Gpu || device_info.platform != "rusticl"
}

fn check_orders<T: Scalar>(orders: &[usize]) {
    for on in devices_with_backends::<T>().into_iter().filter(is_right_by_groups) {
        for (k, &n) in orders.iter().enumerate() {
            check::<T>(&on, Some(&small_plan(&on.1)), n, STORAGES[k % 3]);
        }
    }
}

fn check_solutions<T: Scalar>(n: usize, columns: usize, definite_at: Option<usize>) {
    for (context, _) in devices::<T>().iter().step_by(2) {
        for (storage, &triangle) in STORAGES.into_iter().zip(Triangle::ALL) {
            let (exact, mut a) = definite::<T>(triangle, n, storage);
            if let Some(index) = definite_at {
                a.set(index, index, Complex64::new(-1.0, 0.0));
            }
            let right = Stored::<T>::new(Layout::RowMajor, n, columns, storage.1, 3);
            let (mut memory, mut b) = (uploaded(context, &a), uploaded(context, &right));
            let mut info = context.upload(&[-7_i32]).unwrap();
            let queue = context.queue().unwrap();
            let (a_view, b_view) = (memory.view_mut(a.shape).unwrap(), b.view_mut(right.shape).unwrap());
            posv_on(&queue, triangle, a_view, b_view, info.vector_mut().unwrap()).unwrap().wait().unwrap();
            let x = downloaded(&right, &b);
            assert_eq!(info.download().unwrap()[0] as usize, definite_at.map_or(0, |index| index + 1));
            if definite_at.is_some() {
                assert_eq!(norm(&difference(&x.dense(), &right.dense())), 0.0, "B was changed");
                continue;
            }
            let case = (n, columns, storage, triangle);
            assert!(x.canaries_live(), "{case:?}");
            let residual = |x: &Stored<T>| solution_ratio::<T>(Op::NoTrans, &exact, &x.dense(), &right.dense());
            assert_ratio::<T>(residual(&x), "posv", &case);
            let mut b = uploaded(context, &right);
            let views = (memory.view(a.shape).unwrap(), b.view_mut(right.shape).unwrap());
            potrs_on(&queue, triangle, views.0, views.1).unwrap().wait().unwrap();
            assert_ratio::<T>(residual(&downloaded(&right, &b)), "potrs", &case);
        }
    }
}

mod device {
    use super::*;

    #[test]
    fn factors() {
        for_each_type!(check_orders(&[0, 1, 7, 8, 9, 16, 17, 33, 64, 100]));
    }

    #[test]
    fn factors_by_the_devices_own_plan() {
        fn check_own<T: Scalar>() {
            for on in devices::<T>() {
                let plan = CholeskyPlan::for_kernels(T::KIND, &on.1);
                for (k, n) in [31, 64, 150, 330].into_iter().enumerate() {
                    check::<T>(&on, Some(&plan), n, STORAGES[k % 3]);
                }
            }
            for on in devices::<T>().iter().step_by(2) {
                check::<T>(on, None, 130, STORAGES[1]);
            }
        }
        for_each_type!(check_own());
    }

    #[test]
    fn factors_of_rows_of_any_size() {
        fn check_all<T: Scalar>() {
            for on in devices::<T>().into_iter().filter(is_right_by_groups) {
                let own = CholeskyPlan::for_kernels(T::KIND, &on.1);
                for (plan, n) in [(small_plan(&on.1), 40), (own, 200)] {
                    check_graded::<T>(&on, &plan, n, |_| -50);
                    check_graded::<T>(&on, &plan, n, |i| i as i32 * 37 % 100 - 50);
                    check_graded::<T>(&on, &plan, n, |i| 45 - i as i32 / 2);
                }
            }
        }
        for_each_type!(check_all());
    }

    /// The info, the factor of the minor before it, and an untouched other triangle.
    #[test]
    fn the_first_minor_that_is_not_positive_is_told() {
        fn check_minor<T: Scalar>(n: usize, index: usize, value: f64) {
            for on in devices_with_backends::<T>() {
                for (storage, &triangle) in STORAGES.into_iter().skip(1).zip(Triangle::ALL) {
                    let (exact, mut a) = definite::<T>(triangle, n, storage);
                    a.set(index, index, Complex64::new(value, 0.0));
                    let (factor, info) = factorised(&on, Some(&small_plan(&on.1)), triangle, &a);
                    let case = (n, index, value, storage, triangle, on.1.class);
                    assert_eq!(info as usize, index + 1, "{case:?}");
                    assert!(other_triangle_untouched(triangle, &factor), "{case:?}");
                    let before = exact.submatrix(0, 0, index, index).to_owned();
                    let error = difference(&before, &squared(triangle, &factor, index));
                    assert_ratio::<T>(ratio::<T>(&error, index, norm(&exact)), "the minor before", &case);
                }
            }
        }
        for (value, (n, index)) in
            [(-1.0, (5, 0)), (0.0, (20, 7)), (f64::NAN, (20, 8)), (-1.0, (40, 21)), (0.0, (40, 39))]
        {
            for_each_type!(check_minor(n, index, value));
        }
    }

    #[test]
    fn solutions() {
        for (n, columns) in [(0, 1), (4, 0), (65, 40), (130, 3)] {
            for_each_type!(check_solutions(n, columns, None));
        }
        for_each_type!(check_solutions(40, 3, Some(35)));
    }
}

mod device_small {
    use super::*;

    #[test]
    fn factors() {
        for_each_type!(check_orders(&[5, 11, 20]));
        check_orders::<f32>(&[84]);
    }

    #[test]
    fn solutions() {
        for_each_type!(check_solutions(9, 2, None));
    }
}
