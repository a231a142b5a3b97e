use super::*;
use crate::geqrf_batched;
use crate::lapack::batched::{BatchedQrPlan, geqrf_batched_with_plan};
use crate::lapack::tests::host::qr::{full_q, upper};
use crate::lapack::tests::host::{adjoint, assert_ratio, difference, identity, norm, product, ratio};
use crate::testing::for_each_type;

const GROUPS: BatchedQrPlan = BatchedQrPlan::Groups { threads: 32 };

/// Factors of a batch, and its tau, `order` + 2 from matrix to matrix.
fn factorised<T: Scalar>(
    backend: &Backend<'_>,
    plan: Option<BatchedQrPlan>,
    a: &Batch<T>,
    order: usize,
) -> (Batch<T>, Vec<T>) {
    let stride = order + 2;
    let mut tau = vec![T::from_parts(f64::NAN, 0.0); a.count * stride];
    let Some(device_info) = backend.device_info else {
        let mut data = a.data.clone();
        geqrf_batched(BatchMut::from_slice(&mut data, a.shape()).unwrap(), &mut tau, stride).unwrap();
        return (with_data(a, data), tau);
    };
    let (mut memory, mut tau) = (backend.context.upload(&a.data).unwrap(), backend.context.upload(&tau).unwrap());
    let (queue, view) = (backend.context.queue().unwrap(), memory.batch_mut(a.shape()).unwrap());
    let event = geqrf_batched_with_plan(&queue, &view, (&tau.vector_mut().unwrap(), stride), (plan, device_info));
    event.unwrap().wait().unwrap();
    (with_data(a, memory.download().unwrap()), tau.download().unwrap())
}

fn check<T: Scalar>(backend: &Backend<'_>, plan: Option<BatchedQrPlan>, size: [usize; 2], a: &Batch<T>) {
    let order = size[0].min(size[1]);
    let case = (size, a.count, plan, backend.device_info.map(|device_info| device_info.class));
    let (factors, tau) = factorised(backend, plan, a, order);
    assert!(factors.canaries_live(), "{case:?}: memory around the factors was changed");
    for matrix in 0..a.count {
        let own = &tau[matrix * (order + 2)..][..order + 2];
        assert!(own[order..].iter().all(|tau| tau.re().is_nan()), "{case:?}: memory around tau was changed");
        let (before, after) = (dense(a, matrix, size), dense(&factors, matrix, size));
        let q = full_q(&after, &own[..order]);
        let r = upper(&after);
        let real = (0..order).all(|i| r[(i, i)].im == 0.0);
        assert!(real, "{case:?}: R's diagonal is not real");
        let error = difference(&before, &product(&q, &r));
        assert_ratio::<T>(ratio::<T>(&error, size[0], norm(&before)), "A - Q R", &(case, matrix));
        let error = difference(&identity(size[0]), &product(&adjoint(&q), &q));
        assert_ratio::<T>(ratio::<T>(&error, size[0], 1.0), "I - Qᴴ Q", &(case, matrix));
    }
}

fn check_sizes<T: Scalar>(class: Option<DeviceClass>, plan: Option<BatchedQrPlan>, sizes: &[[usize; 2]], count: usize) {
    for_each_backend::<T>(|backend| {
        if backend.device_info.map(|device_info| device_info.class) == class {
            let each = sizes.iter().enumerate();
            each.for_each(|(k, &size)| check(backend, plan, size, &batch::<T>(k, size, count, 1)));
        }
    });
}

mod device {
    use super::*;

    #[test]
    fn batched_qr_of_any_size() {
        let square: Vec<_> = (0..41).step_by(3).chain([64, 65]).map(|n| [n, n]).collect();
        let others = [[0, 3], [3, 0], [1, 9], [9, 1], [40, 20], [20, 40], [100, 33]];
        for class in [None, Some(DeviceClass::Cpu)] {
            for_each_type!(check_sizes(class, None, &square, 2));
            for_each_type!(check_sizes(class, None, &others, 2));
            for_each_type!(check_sizes(class, None, &[[5, 5]], 0));
        }
    }

    #[test]
    fn batched_qr_on_teams_and_groups() {
        if !compiles_large_panels() {
            return;
        }
        let gpu = Some(DeviceClass::Gpu);
        for_each_type!(check_sizes(gpu, None, &[[1, 1], [16, 33], [33, 17]], 3));
        check_sizes::<f64>(gpu, None, &[[32, 32], [24, 9], [65, 40]], 3);
        check_sizes::<f32>(gpu, Some(GROUPS), &[[1, 1], [100, 3], [3, 70]], 2);
    }
}

mod device_small {
    use super::*;

    #[test]
    fn batched_qr() {
        for_each_type!(check_sizes(None, None, &[[7, 7], [3, 9]], 3));
        for_each_type!(check_sizes(Some(DeviceClass::Cpu), None, &[[7, 7], [3, 9], [9, 3]], 3));
        for_each_type!(check_sizes(Some(DeviceClass::Gpu), None, &[[7, 7], [6, 5]], 5));
        for_each_type!(check_sizes(Some(DeviceClass::Gpu), Some(GROUPS), &[[7, 7], [3, 9], [9, 3]], 2));
    }

    /// Zero columns, and values close to overflow and underflow.
    #[test]
    fn batched_qr_neither_overflows_nor_underflows() {
        fn check_scaled<T: Scalar>() {
            let range = if T::KIND.is_double() { 1e307 } else { 8e37 };
            for_each_backend::<T>(|backend| {
                let mut a = batch::<T>(0, [7, 7], 3, 1);
                for i in 0..7 {
                    for j in 0..7 {
                        let (large, small) = (a.element(0, i, j) * range, a.element(1, i, j) / range * 128.0);
                        set(&mut a, 0, (i, j), large);
                        set(&mut a, 1, (i, j), small);
                    }
                    set(&mut a, 2, (i, 3), Complex64::ZERO);
                }
                check(backend, None, [7, 7], &a);
                if backend.is(DeviceClass::Gpu) {
                    check(backend, Some(GROUPS), [7, 7], &a);
                }
            });
        }
        for_each_type!(check_scaled());
    }
}
