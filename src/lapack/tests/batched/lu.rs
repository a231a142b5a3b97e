use super::*;
use crate::lapack::batched::{BatchedFactorPlan, gesv_batched_with_plan, getrf_batched_with_plan};
use crate::lapack::tests::host::lu::factor_ratio;
use crate::lapack::tests::host::{assert_ratio, solution_ratio};
use crate::lapack::{getrs_batched_on, read_only};
use crate::options::Op;
use crate::testing::for_each_type;
use crate::{MatrixMut, gesv_batched, getrf, getrf_batched, getrs_batched};

/// The factors, the pivots, `order` + 2 from matrix to matrix, and the infos.
fn factorised<T: Scalar>(
    backend: &Backend<'_>,
    plan: Option<BatchedFactorPlan>,
    a: &Batch<T>,
    order: usize,
) -> (Batch<T>, Vec<i32>, Vec<i32>) {
    let (stride, count) = (order + 2, a.count);
    let (mut pivots, mut info) = (vec![CANARY; count * stride + 1], vec![CANARY; count + 1]);
    let Some(device_info) = backend.device_info else {
        let mut data = a.data.clone();
        let view = BatchMut::from_slice(&mut data, a.shape()).unwrap();
        getrf_batched(view, &mut pivots, stride, &mut info).unwrap();
        return (with_data(a, data), pivots, info);
    };
    let mut memory = backend.context.upload(&a.data).unwrap();
    let (mut pivots_memory, mut info_memory) =
        (backend.context.upload(&pivots).unwrap(), backend.context.upload(&info).unwrap());
    let (pivots_view, info_view) = (pivots_memory.vector_mut().unwrap(), info_memory.vector_mut().unwrap());
    let (queue, view) = (backend.context.queue().unwrap(), memory.batch_mut(a.shape()).unwrap());
    let event = getrf_batched_with_plan(&queue, &view, (&pivots_view, stride), &info_view, (plan, device_info));
    event.unwrap().wait().unwrap();
    pivots = pivots_memory.download().unwrap();
    info = info_memory.download().unwrap();
    (with_data(a, memory.download().unwrap()), pivots, info)
}

/// Factorises, and compares each matrix's pivots with those of the same matrix alone.
fn check<T: Scalar>(
    backend: &Backend<'_>,
    plan: Option<BatchedFactorPlan>,
    size: [usize; 2],
    a: &Batch<T>,
    zero: &[usize],
) {
    let (order, count) = (size[0].min(size[1]), a.count);
    let case = (size, count, plan, backend.device_info.map(|device_info| device_info.class));
    let (factors, pivots, info) = factorised(backend, plan, a, order);
    assert!(factors.canaries_live(), "{case:?}: memory around the factors was changed");
    assert!(gaps_live(&pivots, order, order + 2), "{case:?}: memory around the pivots was changed");
    assert_eq!(info[count], CANARY, "{case:?}: memory behind the infos was changed");
    for matrix in 0..count {
        let pivots = &pivots[matrix * (order + 2)..][..order];
        let expected_info = zero.get(matrix).map_or(0, |column| *column as i32);
        assert_eq!(info[matrix], expected_info, "{case:?}: info of {matrix}");
        let before = dense(a, matrix, size);
        let ratio = factor_ratio::<T>(&before, &dense(&factors, matrix, size), pivots);
        assert_ratio::<T>(ratio, "P A - L U", &(case, matrix));
        let mut alone =
            Stored::<T>::new(Layout::ColumnMajor, size[0], size[1], 0, 0).filled_with(|i, j| before[(i, j)]);
        let mut expected = vec![0; order];
        let _ = getrf(MatrixMut::from_slice(&mut alone.data, alone.shape).unwrap(), &mut expected);
        if size[0] <= 40 || T::KIND.is_double() {
            assert_eq!(pivots, expected, "{case:?}: pivots of {matrix}");
        }
    }
}

fn check_sizes<T: Scalar>(class: Option<DeviceClass>, width: Option<usize>, sizes: &[[usize; 2]], count: usize) {
    for_each_backend::<T>(|backend| {
        if backend.device_info.map(|device_info| device_info.class) != class {
            return;
        }
        let plan = width.map(|width| BatchedFactorPlan::Teams { width });
        for (k, &size) in sizes.iter().enumerate() {
            check(backend, plan, size, &batch::<T>(k, size, count, 1), &[]);
        }
    });
}

/// gesv with a singular matrix in the midst, whose B stays, and getrs with each op.
fn check_solutions<T: Scalar>(n: usize, columns: usize, k: usize) {
    for_each_backend::<T>(|backend| {
        let plan = backend.is(DeviceClass::Gpu).then_some(BatchedFactorPlan::Teams { width: 8 });
        let (stride, count, size) = (n + 1, 4, [n, columns]);
        let mut a = batch::<T>(k, [n, n], count, 1);
        (0..n).for_each(|i| set(&mut a, 2, (i, n / 2), Complex64::ZERO));
        let b = batch::<T>(k + 1, size, count, 50);
        let (mut pivots, mut info) = (vec![CANARY; count * stride], vec![CANARY; count]);
        let (factors, x) = match backend.device_info {
            None => {
                let (mut a_data, mut b_data) = (a.data.clone(), b.data.clone());
                let a_view = BatchMut::from_slice(&mut a_data, a.shape()).unwrap();
                let b_view = BatchMut::from_slice(&mut b_data, b.shape()).unwrap();
                gesv_batched(a_view, &mut pivots, stride, b_view, &mut info).unwrap();
                (a_data, with_data(&b, b_data))
            }
            Some(device_info) => {
                let upload = |values: &[i32]| backend.context.upload(values).unwrap();
                let (mut pivots_memory, mut info_memory) = (upload(&pivots), upload(&info));
                let (mut a_memory, mut b_memory) =
                    (backend.context.upload(&a.data).unwrap(), backend.context.upload(&b.data).unwrap());
                let (a_view, b_view) = (a_memory.batch_mut(a.shape()).unwrap(), b_memory.batch_mut(b.shape()).unwrap());
                let pivots_view = pivots_memory.vector_mut().unwrap();
                let info_view: VectorMut<'_, i32> = info_memory.vector_mut().unwrap();
                let queue = backend.context.queue().unwrap();
                let done = gesv_batched_with_plan(
                    &queue,
                    &a_view,
                    (&pivots_view, stride),
                    &b_view,
                    &info_view,
                    (plan, device_info),
                );
                done.unwrap().wait().unwrap();
                pivots = pivots_memory.download().unwrap();
                info = info_memory.download().unwrap();
                (a_memory.download().unwrap(), with_data(&b, b_memory.download().unwrap()))
            }
        };
        let case = (n, columns, backend.device_info.map(|device_info| device_info.class));
        assert_eq!(info, [0, 0, n as i32 / 2 + 1, 0], "{case:?}");
        assert!(x.canaries_live() && gaps_live(&pivots, n, stride), "{case:?}");
        for matrix in [0, 1, 3] {
            let (before, right) = (dense(&a, matrix, [n, n]), dense(&b, matrix, size));
            let ratio = solution_ratio::<T>(Op::NoTrans, &before, &dense(&x, matrix, size), &right);
            assert_ratio::<T>(ratio, "gesv", &(case, matrix));
        }
        assert_eq!(dense(&x, 2, size), dense(&b, 2, size), "{case:?}: the singular matrix's B was changed");
        let factors = with_data(&a, factors);
        for &op in Op::ALL {
            let x = solved(backend, op, &factors, (&pivots, stride), &b);
            for matrix in [0, 1, 3] {
                let (before, right) = (dense(&a, matrix, [n, n]), dense(&b, matrix, size));
                let ratio = solution_ratio::<T>(op, &before, &dense(&x, matrix, size), &right);
                assert_ratio::<T>(ratio, "getrs", &(case, matrix, op));
            }
        }
    });
}

fn solved<T: Scalar>(
    backend: &Backend<'_>,
    op: Op,
    factors: &Batch<T>,
    (pivots, stride): (&[i32], usize),
    b: &Batch<T>,
) -> Batch<T> {
    let Some(_) = backend.device_info else {
        let mut data = b.data.clone();
        let view = BatchMut::from_slice(&mut data, b.shape()).unwrap();
        let factors = crate::BatchRef::from_slice(&factors.data, factors.shape()).unwrap();
        getrs_batched(op, factors, pivots, stride, view).unwrap();
        return with_data(b, data);
    };
    let (a_memory, mut b_memory) =
        (backend.context.upload(&factors.data).unwrap(), backend.context.upload(&b.data).unwrap());
    let mut pivots = backend.context.upload(pivots).unwrap();
    let pivots = read_only(&pivots.vector_mut().unwrap());
    let (a, queue) = (a_memory.batch(factors.shape()).unwrap(), backend.context.queue().unwrap());
    let event = getrs_batched_on(&queue, op, a, pivots, stride, b_memory.batch_mut(b.shape()).unwrap());
    event.unwrap().wait().unwrap();
    with_data(b, b_memory.download().unwrap())
}

mod host {
    use super::*;

    #[test]
    fn vectors_that_are_too_short_are_refused() {
        let a = batch::<f64>(0, [3, 3], 2, 1);
        let mut data = a.data.clone();
        let mut run = |pivots: usize, stride: usize, info: usize| {
            let view = BatchMut::from_slice(&mut data, a.shape()).unwrap();
            getrf_batched(view, &mut vec![0; pivots], stride, &mut vec![0; info])
        };
        assert!(run(5, 3, 2).is_err() && run(6, 2, 2).is_err() && run(6, 3, 1).is_err());
        assert!(run(6, 3, 2).is_ok());
        assert!(data != a.data);
    }
}

mod device {
    use super::*;

    /// All sizes on the host and on CPUs, which need no program for each.
    #[test]
    fn batched_factors_of_any_size() {
        let square: Vec<_> = (0..41).chain([64, 65, 100]).map(|n| [n, n]).collect();
        let others = [[0, 3], [3, 0], [1, 9], [9, 1], [40, 20], [20, 40], [100, 33]];
        for class in [None, Some(DeviceClass::Cpu)] {
            for_each_type!(check_sizes(class, None, &square, 3));
            for_each_type!(check_sizes(class, None, &others, 3));
            for_each_type!(check_sizes(class, None, &[[5, 5]], 1));
            for_each_type!(check_sizes(class, None, &[[5, 5]], 0));
        }
        for_each_type!(check_sizes(Some(DeviceClass::Cpu), None, &[[130, 130]], 2));
    }

    /// One panel and several, on both sides of the switches between teams.
    #[test]
    fn batched_factors_in_registers() {
        if !compiles_large_panels() {
            return;
        }
        let gpu = Some(DeviceClass::Gpu);
        for_each_type!(check_sizes(gpu, None, &[[0, 3], [2, 2], [32, 32], [33, 33], [65, 20], [20, 65]], 3));
        check_sizes::<f64>(gpu, None, &[[4, 4], [5, 3], [16, 17], [31, 23], [64, 64], [100, 100]], 9);
        check_sizes::<f32>(gpu, None, &[[8, 8], [9, 9]], 0);
    }

    #[test]
    fn a_singular_matrix_does_not_disturb_the_others() {
        fn check_singular<T: Scalar>() {
            for_each_backend::<T>(|backend| {
                let plan = backend.is(DeviceClass::Gpu).then_some(BatchedFactorPlan::Teams { width: 8 });
                for (k, (n, column)) in [(7, 0), (7, 6), (12, 9)].into_iter().enumerate() {
                    let mut a = batch::<T>(k, [n, n], 5, 1);
                    for i in 0..n {
                        set(&mut a, 1, (i, column), Complex64::ZERO);
                        (0..n).for_each(|j| set(&mut a, 3, (i, j), Complex64::ZERO));
                    }
                    check(backend, plan, [n, n], &a, &[0, column + 1, 0, 1, 0]);
                }
            });
        }
        for_each_type!(check_singular());
    }

    #[test]
    fn batched_solutions() {
        for_each_type!(check_solutions(12, 1, 1));
        for_each_type!(check_solutions(33, 5, 2));
    }
}

mod device_small {
    use super::*;

    #[test]
    fn batched_factors() {
        for_each_type!(check_sizes(None, None, &[[7, 7], [3, 9]], 3));
        for_each_type!(check_sizes(Some(DeviceClass::Cpu), None, &[[7, 7], [3, 9], [9, 3]], 3));
        for_each_type!(check_sizes(Some(DeviceClass::Gpu), Some(8), &[[7, 7], [6, 8], [12, 12]], 5));
    }

    /// NaN and infinities end, and stay in their matrix.
    #[test]
    fn a_nan_does_not_disturb_the_others() {
        fn check_nan<T: Scalar>() {
            for_each_backend::<T>(|backend| {
                let plan = backend.is(DeviceClass::Gpu).then_some(BatchedFactorPlan::Teams { width: 8 });
                for value in [f64::NAN, f64::INFINITY] {
                    let mut a = batch::<T>(0, [7, 7], 5, 1);
                    let good = a.clone();
                    set(&mut a, 2, (3, 1), Complex64::new(value, 0.0));
                    let (factors, pivots, info) = factorised(backend, plan, &a, 7);
                    let (expected, expected_pivots, _) = factorised(backend, plan, &good, 7);
                    for matrix in [0, 1, 3, 4] {
                        let same = dense(&factors, matrix, [7, 7]) == dense(&expected, matrix, [7, 7]);
                        assert!(same && info[matrix] == 0, "{matrix} with {value} in 2");
                        assert_eq!(pivots[matrix * 9..][..7], expected_pivots[matrix * 9..][..7]);
                    }
                    let rows = pivots[18..25].iter().enumerate().all(|(i, pivot)| (i as i32 + 1..=7).contains(pivot));
                    assert!(rows, "pivots {:?}", &pivots[18..25]);
                }
            });
        }
        for_each_type!(check_nan());
    }

    #[test]
    fn batched_solutions() {
        for_each_type!(check_solutions(7, 2, 0));
    }
}
