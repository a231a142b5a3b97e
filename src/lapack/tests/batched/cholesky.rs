use super::*;
use crate::lapack::batched::{BatchedFactorPlan, posv_batched_with_plan, potrf_batched_with_plan};
use crate::lapack::potrs_batched_on;
use crate::lapack::tests::host::cholesky::{definite, is_in};
use crate::lapack::tests::host::{adjoint, assert_ratio, difference, norm, product, ratio, solution_ratio};
use crate::options::{Op, Triangle};
use crate::testing::for_each_type;
use crate::{posv_batched, potrf_batched, potrs_batched};

/// Positive definite matrices with different diagonals and NaN in the other triangle, and the dense matrices.
fn definites<T: Scalar>(k: usize, triangle: Triangle, n: usize, count: usize) -> (Vec<Dense>, Batch<T>) {
    let mut a = batch::<T>(k, [n, n], count, 1);
    let (exact, stored) = definite::<T>(triangle, n, STORAGES[0]);
    let matrices = (0..count).map(|matrix| {
        let mut exact = exact.clone();
        for j in 0..n {
            for i in 0..n {
                let more = if i == j { matrix as f64 } else { 0.0 };
                set(&mut a, matrix, (i, j), stored.element(i, j) + more);
            }
            exact[(j, j)] = Complex64::new(a.element(matrix, j, j).re, 0.0);
        }
        exact
    });
    let matrices = matrices.collect();
    (matrices, a)
}

fn factorised<T: Scalar>(
    backend: &Backend<'_>,
    plan: Option<BatchedFactorPlan>,
    triangle: Triangle,
    a: &Batch<T>,
) -> (Batch<T>, Vec<i32>) {
    let mut info = vec![CANARY; a.count + 1];
    let Some(device_info) = backend.device_info else {
        let mut data = a.data.clone();
        potrf_batched(triangle, BatchMut::from_slice(&mut data, a.shape()).unwrap(), &mut info).unwrap();
        return (with_data(a, data), info);
    };
    let (mut memory, mut info) = (backend.context.upload(&a.data).unwrap(), backend.context.upload(&info).unwrap());
    let (queue, view) = (backend.context.queue().unwrap(), memory.batch_mut(a.shape()).unwrap());
    let event = potrf_batched_with_plan(&queue, triangle, &view, &info.vector_mut().unwrap(), (plan, device_info));
    event.unwrap().wait().unwrap();
    (with_data(a, memory.download().unwrap()), info.download().unwrap())
}

/// ||A - L Lᴴ|| of the first rows and columns.
fn factor_ratio<T: Scalar>(triangle: Triangle, exact: &Dense, factor: &Dense, order: usize) -> f64 {
    let stored = |i, j| if is_in(triangle, i, j) { factor[(i, j)] } else { Complex64::ZERO };
    let factor = faer::Mat::from_fn(order, order, stored);
    let again = match triangle {
        Triangle::Lower => product(&factor, &adjoint(&factor)),
        Triangle::Upper => product(&adjoint(&factor), &factor),
    };
    let exact = faer::Mat::from_fn(order, order, |i, j| exact[(i, j)]);
    ratio::<T>(&difference(&exact, &again), order, norm(&exact))
}

/// The batch, of which some matrices' minors are not positive from an order on.
fn check<T: Scalar>(
    backend: &Backend<'_>,
    plan: Option<BatchedFactorPlan>,
    n: usize,
    k: usize,
    wrong: &[(usize, usize, f64)],
) {
    for &triangle in Triangle::ALL {
        let count = 5;
        let case = (n, k, triangle, plan, backend.device_info.map(|device_info| device_info.class));
        let (exact, mut a) = definites::<T>(k, triangle, n, count);
        for &(matrix, index, value) in wrong {
            set(&mut a, matrix, (index, index), Complex64::new(value, 0.0));
        }
        let (factors, info) = factorised(backend, plan, triangle, &a);
        assert!(factors.canaries_live() && info[count] == CANARY, "{case:?}: memory around was changed");
        for matrix in 0..count {
            let failure = wrong.iter().find(|(which, ..)| *which == matrix);
            assert_eq!(
                info[matrix] as usize,
                failure.map_or(0, |(_, index, _)| index + 1),
                "{case:?}: info of {matrix}"
            );
            let factor = dense(&factors, matrix, [n, n]);
            let order = failure.map_or(n, |(_, index, _)| *index);
            let ratio = factor_ratio::<T>(triangle, &exact[matrix], &factor, order);
            assert_ratio::<T>(ratio, "A - L Lᴴ", &(case, matrix));
            let untouched = (0..n).all(|j| (0..n).all(|i| is_in(triangle, i, j) || factor[(i, j)].re.is_nan()));
            let real = (0..order).all(|i| factor[(i, i)].re > 0.0 && factor[(i, i)].im == 0.0);
            assert!(untouched && real, "{case:?}: the other triangle or the diagonal of {matrix}");
        }
    }
}

fn check_orders<T: Scalar>(class: Option<DeviceClass>, width: Option<usize>, orders: &[usize]) {
    for_each_backend::<T>(|backend| {
        if backend.device_info.map(|device_info| device_info.class) == class {
            let plan = width.map(|width| BatchedFactorPlan::Teams { width });
            orders.iter().enumerate().for_each(|(k, &n)| check::<T>(backend, plan, n, k, &[]));
        }
    });
}

fn check_solutions<T: Scalar>(n: usize, columns: usize, k: usize) {
    for_each_backend::<T>(|backend| {
        for &triangle in Triangle::ALL {
            let plan = backend.is(DeviceClass::Gpu).then_some(BatchedFactorPlan::Teams { width: 8 });
            let (count, size) = (4, [n, columns]);
            let (exact, mut a) = definites::<T>(k, triangle, n, count);
            set(&mut a, 1, (n / 2, n / 2), Complex64::new(-1.0, 0.0));
            let b = batch::<T>(k + 1, size, count, 50);
            let mut info = vec![CANARY; count];
            let (factors, x, again) = match backend.device_info {
                None => {
                    let (mut a_data, mut x, mut again) = (a.data.clone(), b.data.clone(), b.data.clone());
                    let a_view = BatchMut::from_slice(&mut a_data, a.shape()).unwrap();
                    posv_batched(triangle, a_view, BatchMut::from_slice(&mut x, b.shape()).unwrap(), &mut info)
                        .unwrap();
                    let factor = crate::BatchRef::from_slice(&a_data, a.shape()).unwrap();
                    potrs_batched(triangle, factor, BatchMut::from_slice(&mut again, b.shape()).unwrap()).unwrap();
                    (a_data, x, again)
                }
                Some(device_info) => {
                    let upload = |data: &[T]| backend.context.upload(data).unwrap();
                    let (mut a_memory, mut x, mut again) = (upload(&a.data), upload(&b.data), upload(&b.data));
                    let mut info_memory = backend.context.upload(&info).unwrap();
                    let queue = backend.context.queue().unwrap();
                    let (a_view, x_view) = (a_memory.batch_mut(a.shape()).unwrap(), x.batch_mut(b.shape()).unwrap());
                    let info_view = info_memory.vector_mut().unwrap();
                    let done =
                        posv_batched_with_plan(&queue, triangle, &a_view, &x_view, &info_view, (plan, device_info));
                    done.unwrap().wait().unwrap();
                    let (factor, again_view) =
                        (a_memory.batch(a.shape()).unwrap(), again.batch_mut(b.shape()).unwrap());
                    potrs_batched_on(&queue, triangle, factor, again_view).unwrap().wait().unwrap();
                    info = info_memory.download().unwrap();
                    (a_memory.download().unwrap(), x.download().unwrap(), again.download().unwrap())
                }
            };
            let case = (n, columns, triangle, backend.device_info.map(|device_info| device_info.class));
            assert_eq!(info, [0, n as i32 / 2 + 1, 0, 0], "{case:?}");
            assert!(with_data(&a, factors).canaries_live(), "{case:?}");
            for (what, x) in [("posv", with_data(&b, x)), ("potrs", with_data(&b, again))] {
                assert!(x.canaries_live(), "{case:?}");
                for matrix in [0, 2, 3] {
                    let (x, right) = (dense(&x, matrix, size), dense(&b, matrix, size));
                    assert_ratio::<T>(
                        solution_ratio::<T>(Op::NoTrans, &exact[matrix], &x, &right),
                        what,
                        &(case, matrix),
                    );
                }
                let unchanged = what == "potrs" || dense(&x, 1, size) == dense(&b, 1, size);
                assert!(unchanged, "{case:?}: the indefinite matrix's B was changed");
            }
        }
    });
}

mod device {
    use super::*;

    #[test]
    fn batched_cholesky_of_any_order() {
        let orders: Vec<_> = (0..41).chain([64, 65, 100]).collect();
        for class in [None, Some(DeviceClass::Cpu)] {
            for_each_type!(check_orders(class, None, &orders));
        }
        for_each_type!(check_orders(Some(DeviceClass::Cpu), None, &[130]));
    }

    #[test]
    fn batched_cholesky_in_registers() {
        if !compiles_large_panels() {
            return;
        }
        let gpu = Some(DeviceClass::Gpu);
        for_each_type!(check_orders(gpu, None, &[0, 2, 32, 33, 65]));
        check_orders::<f64>(gpu, None, &[4, 5, 16, 31, 64, 100]);
    }

    #[test]
    fn an_indefinite_matrix_does_not_disturb_the_others() {
        fn check_wrong<T: Scalar>() {
            for_each_backend::<T>(|backend| {
                let plan = backend.is(DeviceClass::Gpu).then_some(BatchedFactorPlan::Teams { width: 8 });
                check::<T>(backend, plan, 7, 0, &[(1, 0, -1.0), (3, 6, f64::NAN)]);
                check::<T>(backend, plan, 19, 1, &[(0, 3, 0.0), (2, 17, -1.0), (4, 8, f64::NEG_INFINITY)]);
            });
        }
        for_each_type!(check_wrong());
    }

    #[test]
    fn batched_cholesky_solutions() {
        for_each_type!(check_solutions(12, 1, 1));
        for_each_type!(check_solutions(33, 5, 2));
    }
}

mod device_small {
    use super::*;

    #[test]
    fn batched_cholesky() {
        for_each_type!(check_orders(None, None, &[6, 7]));
        for_each_type!(check_orders(Some(DeviceClass::Cpu), None, &[6, 7, 9]));
        for_each_type!(check_orders(Some(DeviceClass::Gpu), Some(8), &[6, 7, 19]));
    }

    #[test]
    fn batched_cholesky_solutions() {
        for_each_type!(check_solutions(7, 2, 0));
    }
}
