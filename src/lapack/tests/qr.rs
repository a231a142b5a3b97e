//! A = Q R, and Q formed from the reflectors or applied.

use super::*;
use crate::lapack::qr::{Panels, QrPlan, TensorGroup, TsqrPlan, geqrf_with_plan, orgqr_with_plan, ormqr_with_plan};
use crate::lapack::tests::host::qr::{assert_usual_factors, full_q, upper};
use crate::lapack::tests::host::{Dense, adjoint, assert_ratio, difference, identity, norm, operated, product, ratio};
use crate::lapack::{geqrf_on, orgqr_on, ormqr_on};
use crate::options::{Op, Side};
use crate::scalar::{Complex64, Element};
use crate::testing::{assert_close, for_each_type};
use faer::Mat;

/// Panels, blocks and slabs so narrow that small matrices have several. Panels of up to 16 rows are in a group's
/// registers with all columns, and those of up to 32 rows with two columns, of one or two rows per work-item.
pub(super) fn small_plan(device_info: &DeviceInfo) -> QrPlan {
    let (backend, block, slab) = (backend(device_info), 10, 12);
    if device_info.class != DeviceClass::Gpu {
        return QrPlan {
            backend,
            block,
            panel: 3,
            slab,
            panels: Panels::Serial,
            tensor: None,
            tsqr: None,
            look_ahead: None,
        };
    }
    let panels = Panels::Group { threads: 16, half_group_rows: 8, elements: 4, width: 2, resident: true, warps: false };
    // Panels of up to 28 rows are not split, taller ones into leaves of up to 16.
    let tsqr = Some(TsqrPlan { threads: 16, rows: 16, max_rows: 32, max_uncut_rows: 28 });
    QrPlan { backend, block, panel: 4, slab, panels, tensor: None, tsqr, look_ahead: None }
}

/// The library's own plan for a device with these facts.
pub(super) fn own_plan<T: Scalar>(device_info: &DeviceInfo) -> QrPlan {
    QrPlan::for_kernels(T::KIND, device_info)
}

/// A matrix, its factors, and the Q of their reflectors.
struct Factorised<T: Element> {
    before: Dense,
    stored: Stored<T>,
    memory: Buffer<T>,
    tau: Buffer<T>,
    q: Dense,
}

impl<T: Scalar> Factorised<T> {
    /// By a plan, or by the device's own.
    fn new((context, device_info): &(Context, DeviceInfo), plan: Option<&QrPlan>, a: &Stored<T>) -> Self {
        let (m, n) = (a.shape.rows(), a.shape.columns());
        // One more than needed, which is not touched.
        let canary = T::from_parts(77.0, 0.0);
        let (mut memory, mut tau) = (uploaded(context, a), context.upload(&vec![canary; m.min(n) + 1]).unwrap());
        let queue = context.queue().unwrap();
        let (view, tau_view) = (memory.view_mut(a.shape).unwrap(), tau.vector_mut().unwrap());
        let event = match plan {
            Some(plan) => geqrf_with_plan(&queue, view, &tau_view, (plan, device_info)),
            None => geqrf_on(&queue, view, tau_view),
        };
        event.unwrap().wait().unwrap();
        let (stored, mut factors) = (downloaded(a, &memory), tau.download().unwrap());
        assert_eq!(factors.pop(), Some(canary));
        let tau = context.upload(&factors).unwrap();
        let q = full_q(&stored.dense(), &factors);
        Factorised { before: a.dense(), stored, memory, tau, q }
    }

    fn check(&self, scale: f64, case: &dyn std::fmt::Debug) {
        let (m, n) = (self.before.nrows(), self.before.ncols());
        assert!(self.stored.canaries_live(), "{case:?}");
        let r = upper(&self.stored.dense());
        assert!((0..m.min(n)).all(|i| r[(i, i)].im == 0.0), "{case:?}: R's diagonal is not real");
        // Scaled by a power of two, so that the reference's own squares stay in the range.
        let unscaled = |a: &Dense| Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] / scale);
        let error = difference(&unscaled(&self.before), &product(&self.q, &unscaled(&r)));
        assert_ratio::<T>(ratio::<T>(&error, m, norm(&unscaled(&self.before))), "A - Q R", case);
        let error = difference(&identity(m), &product(&adjoint(&self.q), &self.q));
        assert_ratio::<T>(ratio::<T>(&error, m, 1.0), "I - Qᴴ Q", case);
        assert_usual_factors(&self.tau.download().unwrap(), case);
    }
}

fn random<T: Scalar>((m, n): (usize, usize), storage: (Layout, usize)) -> Stored<T> {
    Stored::new(storage.0, m, n, storage.1, 1)
}

fn check_factors<T: Scalar>(shapes: &[(usize, usize)]) {
    for on in devices_with_backends::<T>() {
        for (k, &shape) in shapes.iter().enumerate() {
            let storage = STORAGES[k % 3];
            let a = random::<T>(shape, storage);
            let plan = small_plan(&on.1);
            Factorised::new(&on, Some(&plan), &a).check(1.0, &(shape, storage, on.1.class));
        }
    }
}

/// Devices with tensor cores for panels, and the simulator, which emulates their instructions. Panels of up to 40 rows
/// are not split, taller ones into leaves of up to 32.
fn on_tensor_cores<T: Scalar>() -> Vec<((Context, DeviceInfo), QrPlan)> {
    let has_them = |device_info: &DeviceInfo| {
        device_info.class == DeviceClass::Gpu
            && (device_info.platform == "Oclgrind" || QrPlan::for_kernels(T::KIND, device_info).tensor.is_some())
    };
    let tensor = Some(TensorGroup { threads: 64, tiles: 4 });
    let tsqr = Some(TsqrPlan { threads: 64, rows: 32, max_rows: 64, max_uncut_rows: 40 });
    let devices = devices::<T>().into_iter().filter(|(_, device_info)| has_them(device_info));
    devices
        .map(|on| (on.clone(), QrPlan { block: 32, panel: 16, slab: 48, tensor, tsqr, ..small_plan(&on.1) }))
        .collect()
}

fn check_on_tensor_cores<T: Scalar>(exponents: &[i32]) {
    for (on, plan) in on_tensor_cores::<T>() {
        for (k, shape) in [(40, 21), (70, 35), (16, 40)].into_iter().enumerate() {
            let storage = STORAGES[k % 3];
            Factorised::new(&on, Some(&plan), &random::<T>(shape, storage)).check(1.0, &(shape, storage));
        }
        let (m, n) = (40, 16);
        let values = random::<T>((m, n), STORAGES[0]).dense();
        let check = |scale: f64, case: &str, element: &dyn Fn(usize, usize) -> Complex64| {
            let a = random::<T>((m, n), STORAGES[0]).filled_with(element);
            Factorised::new(&on, Some(&plan), &a).check(scale, &(case, scale));
        };
        for &exponent in exponents {
            let scale = 2f64.powi(exponent);
            check(scale, "an end of the range", &|i, j| values[(i, j)] * scale);
        }
        // After the reflectors before it, a column is small, zero, or dominated by one element.
        let little = if T::KIND.is_double() { 1e-9 } else { 1e-4 };
        check(1.0, "nearly dependent", &|i, j| values[(i, 0)] + values[(i, j)] * little);
        check(1.0, "dependent", &|i, j| values[(i, j / 3)]);
        check(1.0, "zero", &|i, j| if j % 5 == 2 { Complex64::ZERO } else { values[(i, j)] });
        check(1.0, "polynomials", &|i, j| Complex64::new((i as f64 / m as f64).powi(j as i32), 0.0));
        let tiny = 2f64.powi(if T::KIND.is_double() { -522 } else { -70 });
        check(1.0, "graded", &|i, j| values[(i, j)] * if i == 0 { 1.0 } else { tiny });

        let triangle = random::<T>((m, n), STORAGES[0]);
        let triangle = triangle.filled_with(|i, j| if i <= j { values[(i, j)] } else { Complex64::ZERO });
        let found = Factorised::new(&on, Some(&plan), &triangle);
        assert_eq!(found.tau.download().unwrap(), vec![T::from_parts(0.0, 0.0); n]);
        assert_eq!(found.stored.dense(), triangle.dense());

        // Columns before a NaN are unaffected by it.
        let mut a = random::<T>((m, n), STORAGES[0]);
        let whole = Factorised::new(&on, Some(&plan), &a).stored;
        a.set(27, 5, Complex64::new(f64::NAN, 0.0));
        let found = Factorised::new(&on, Some(&plan), &a).stored;
        assert!(found.element(5, 5).re.is_nan());
        for j in 0..5 {
            for i in 0..m {
                assert_close!(found.element(i, j), whole.element(i, j), 100.0 * T::EPSILON, "({i}, {j})");
            }
        }
    }
}

fn check_q<T: Scalar>(shapes: &[(usize, usize)], own: bool) {
    for on in devices::<T>() {
        let plan = if own { own_plan::<T>(&on.1) } else { small_plan(&on.1) };
        for (k, &(m, n)) in shapes.iter().enumerate() {
            let storage = STORAGES[k % 3];
            let found = Factorised::new(&on, Some(&plan), &random::<T>((m, n), storage));
            let (tau, order) = (found.tau.download().unwrap(), m.min(n));
            // With all reflectors, with some of them, and with more columns than reflectors.
            for (columns, count) in [(order, order), (order, order / 2), (m, order)] {
                let factors = found.stored.dense();
                let q = if count == order { found.q.clone() } else { full_q(&factors, &tau[..count]) };
                let nan = Complex64::new(f64::NAN, 0.0);
                let target = Stored::<T>::new(storage.0, m, columns, storage.1, 9);
                let target = target.filled_with(|i, j| if j < n { factors[(i, j)] } else { nan });
                let mut memory = uploaded(&on.0, &target);
                let some = on.0.upload(&tau[..count]).unwrap();
                let queue = on.0.queue().unwrap();
                let views = (memory.view_mut(target.shape).unwrap(), some.vector().unwrap());
                orgqr_with_plan(&queue, views.0, views.1, (&plan, &on.1)).unwrap().wait().unwrap();
                let target = downloaded(&target, &memory);
                let case = (m, n, storage, columns, count, on.1.class);
                assert!(target.canaries_live(), "{case:?}");
                let error = difference(&target.dense(), &Mat::from_fn(m, columns, |i, j| q[(i, j)]));
                assert_ratio::<T>(ratio::<T>(&error, m, 1.0), "orgqr", &case);
            }
        }
    }
}

fn check_products<T: Scalar>(shapes: &[(usize, usize, usize)], own: bool) {
    for on in devices::<T>() {
        let plan = if own { own_plan::<T>(&on.1) } else { small_plan(&on.1) };
        for (k, &(m, n, other)) in shapes.iter().enumerate() {
            let storage = STORAGES[k % 3];
            let found = Factorised::new(&on, Some(&plan), &random::<T>((m, n), storage));
            for side in [Side::Left, Side::Right] {
                for op in Op::ALL {
                    let (rows, columns) = if side == Side::Left { (m, other) } else { (other, m) };
                    let c = Stored::<T>::new(STORAGES[(k + 1) % 3].0, rows, columns, storage.1, 4);
                    let mut memory = uploaded(&on.0, &c);
                    let queue = on.0.queue().unwrap();
                    let factors = found.memory.view(found.stored.shape).unwrap();
                    let (tau, target) = (found.tau.vector().unwrap(), memory.view_mut(c.shape).unwrap());
                    ormqr_with_plan(&queue, (side, *op), factors, tau, target, (&plan, &on.1)).unwrap().wait().unwrap();
                    let after = downloaded(&c, &memory);
                    let case = (m, n, other, storage, side, op, on.1.class);
                    assert!(after.canaries_live(), "{case:?}");
                    let (q, before) = (operated(*op, &found.q), c.dense());
                    let expected = if side == Side::Left { product(&q, &before) } else { product(&before, &q) };
                    let error = difference(&after.dense(), &expected);
                    assert_ratio::<T>(ratio::<T>(&error, m, norm(&before).max(1.0)), "ormqr", &case);
                }
            }
        }
    }
}

mod device {
    use super::*;

    #[test]
    fn order() {
        let shapes = [(0, 3), (3, 0), (1, 1), (5, 1), (1, 5), (3, 3), (4, 4), (10, 10), (11, 30), (30, 11), (33, 33)];
        for_each_type!(check_factors(&shapes));
        // Panels of 200 rows have the maximum number of leaves, and those of 300 are not split.
        for_each_type!(check_factors(&[(65, 50), (50, 65), (200, 9), (300, 7), (61, 61)]));
    }

    #[test]
    fn reflectors_with_look_ahead() {
        fn check_look_ahead<T: Scalar>() {
            for on in devices::<T>() {
                let plan = QrPlan { look_ahead: Some(2), ..small_plan(&on.1) };
                for (k, shape) in [(4, 4), (11, 30), (30, 11), (33, 33), (70, 25)].into_iter().enumerate() {
                    Factorised::new(&on, Some(&plan), &random::<T>(shape, STORAGES[k % 3])).check(1.0, &(shape, plan));
                }
            }
        }
        for_each_type!(check_look_ahead());
    }

    #[test]
    fn reflectors_by_the_devices_own_plan() {
        fn check_own<T: Scalar>() {
            for on in devices::<T>() {
                let plan = own_plan::<T>(&on.1);
                for (k, shape) in [(150, 70), (70, 150), (140, 140)].into_iter().enumerate() {
                    let a = random::<T>(shape, STORAGES[k]);
                    Factorised::new(&on, Some(&plan), &a).check(1.0, &(shape, plan));
                }
            }
            for on in devices::<T>().iter().step_by(2) {
                Factorised::new(on, None, &random::<T>((90, 80), STORAGES[1])).check(1.0, &"the device's own");
            }
        }
        for_each_type!(check_own());
    }

    #[test]
    fn matrices_at_the_ends_of_the_range_are_factorised() {
        fn check_scaled<T: Scalar>(exponents: &[i32]) {
            for on in devices_with_backends::<T>() {
                for &exponent in exponents {
                    let scale = 2f64.powi(exponent);
                    let values = random::<T>((20, 14), STORAGES[0]).dense();
                    let a = random::<T>((20, 14), STORAGES[0]).filled_with(|i, j| values[(i, j)] * scale);
                    Factorised::new(&on, Some(&small_plan(&on.1)), &a).check(scale, &(exponent, on.1.class));
                }
            }
        }
        for_each_type!(check_scaled(&[-100, 100, 124]));
        for_each_type! {
            check_scaled::<f64>(&[-1000, -600, 600, 1000, 1020]);
            check_scaled::<Complex64>(&[-1000, -600, 600, 1000, 1020]);
        }
    }

    #[test]
    fn columns_that_need_no_reflection_get_none() {
        for on in devices_with_backends::<Complex64>() {
            let mut a = random::<Complex64>((14, 14), STORAGES[0]);
            let values = a.dense();
            a = a.filled_with(|i, j| match i.cmp(&j) {
                std::cmp::Ordering::Less => values[(i, j)],
                std::cmp::Ordering::Equal => Complex64::new(values[(i, i)].re, 0.0),
                std::cmp::Ordering::Greater => Complex64::ZERO,
            });
            let found = Factorised::new(&on, Some(&small_plan(&on.1)), &a);
            assert_eq!(found.tau.download().unwrap(), vec![Complex64::ZERO; 14]);
            assert_eq!(found.stored.dense(), a.dense());
        }
    }

    /// NaN and Inf come out as they may, but the work ends.
    #[test]
    fn what_is_no_number_ends_too() {
        for on in devices_with_backends::<f64>() {
            for value in [f64::NAN, f64::INFINITY] {
                let mut a = random::<f64>((20, 14), STORAGES[0]);
                a.set(7, 4, Complex64::new(value, 0.0));
                let stored = Factorised::new(&on, Some(&small_plan(&on.1)), &a).stored;
                assert!(stored.element(4, 4).re.is_nan() || stored.element(4, 4).re.is_infinite());
            }
        }
    }

    #[test]
    fn columns_of_q() {
        for_each_type!(check_q(&[(1, 1), (5, 3), (40, 33), (33, 40), (61, 61)], false));
        for_each_type!(check_q(&[(150, 140)], true));
    }

    #[test]
    fn products_with_q() {
        for_each_type!(check_products(&[(1, 1, 4), (5, 3, 0), (3, 5, 7), (40, 33, 20), (33, 40, 9)], false));
        for_each_type!(check_products(&[(150, 140, 33)], true));
    }

    #[test]
    fn what_does_not_fit_is_refused_and_nothing_is_changed() {
        use crate::error::Error;
        for context in contexts::<f64>().into_iter().filter(|context| context.device().is_some()) {
            let a = random::<f64>((5, 4), STORAGES[0]);
            let (mut memory, mut tau) = (uploaded(&context, &a), context.upload(&[0.0; 3]).unwrap());
            let queue = context.queue().unwrap();
            let short = geqrf_on(&queue, memory.view_mut(a.shape).unwrap(), tau.vector_mut().unwrap());
            assert!(matches!(short, Err(Error::ShapeMismatch(_))), "{short:?}");
            let wide = random::<f64>((4, 5), STORAGES[0]);
            let mut other = uploaded(&context, &wide);
            let refused = orgqr_on(&queue, other.view_mut(wide.shape).unwrap(), tau.vector().unwrap());
            assert!(matches!(refused, Err(Error::ShapeMismatch(_))), "{refused:?}");
            let target = other.view_mut(wide.shape).unwrap();
            let factors = memory.view(a.shape).unwrap();
            let refused = ormqr_on(&queue, Side::Left, Op::NoTrans, factors, tau.vector().unwrap(), target);
            assert!(matches!(refused, Err(Error::ShapeMismatch(_))), "{refused:?}");
            assert_eq!((memory.download().unwrap(), other.download().unwrap()), (a.data.clone(), wide.data.clone()));
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn reflectors() {
        for_each_type!(check_factors(&[(7, 5), (12, 13), (3, 4), (70, 7)]));
    }

    /// (x, x) for the largest x whose column's norm is a number: R is -sqrt(2) x, and v 1 / (1 + sqrt(2)).
    #[test]
    fn a_column_next_to_the_largest_number_is_reflected() {
        fn check_column<T: Scalar>(x: f64) {
            let root = 2f64.sqrt();
            for on in devices_with_backends::<T>() {
                let a = random::<T>((2, 1), STORAGES[0]).filled_with(|_, _| Complex64::new(x, 0.0));
                for plan in [None, Some(&small_plan(&on.1))] {
                    let found = Factorised::new(&on, plan, &a).stored;
                    let (r, v) = (found.element(0, 0).re / x + root, found.element(1, 0).re - 1.0 / (1.0 + root));
                    assert!(r.abs() <= 8.0 * T::EPSILON && v.abs() <= 8.0 * T::EPSILON, "{:?}: {r}, {v}", on.1.class);
                }
            }
            let mut a = Stored::<T>::new(Layout::ColumnMajor, 2, 1, 0, 1).filled_with(|_, _| Complex64::new(x, 0.0));
            crate::geqrf(a.view_mut(), &mut [T::ZERO]).unwrap();
            let (r, v) = (a.element(0, 0).re / x + root, a.element(1, 0).re - 1.0 / (1.0 + root));
            assert!(r.abs() <= 8.0 * T::EPSILON && v.abs() <= 8.0 * T::EPSILON, "on the host: {r}, {v}");
        }
        for_each_type!(check_column(2e38));
        for_each_type! {
            check_column::<f64>(1.2e308);
            check_column::<Complex64>(1.2e308);
        }
    }

    /// Values below the first row have subnormal squares: an inaccurate norm would make Q not orthogonal.
    #[test]
    fn small_rows_below_a_large_one_leave_q_orthogonal() {
        fn check_graded<T: Scalar>() {
            let tiny = 2f64.powi(if T::KIND.is_double() { -522 } else { -70 });
            for on in devices_with_backends::<T>() {
                let a = random::<T>((12, 5), STORAGES[0]);
                let values = a.dense();
                let a = a.filled_with(|i, j| if i == 0 { values[(i, j)] } else { values[(i, j)] * tiny });
                Factorised::new(&on, Some(&small_plan(&on.1)), &a).check(1.0, &on.1.class);
            }
        }
        for_each_type!(check_graded());
    }

    #[test]
    fn panels_on_tensor_cores() {
        check_on_tensor_cores::<f32>(&[-100, 100]);
        check_on_tensor_cores::<f64>(&[-1000, 1000]);
    }

    #[test]
    fn columns_of_q() {
        for_each_type!(check_q(&[(12, 5), (9, 11)], false));
    }

    #[test]
    fn products_with_q() {
        for_each_type!(check_products(&[(11, 5, 3)], false));
    }
}
