//! P A = L U, and the solvers that use it.

use std::cmp::Ordering;

use super::*;
use crate::lapack::lu::{LookAhead, LuPlan, Panels, getrf_with_plan};
use crate::lapack::tests::host::lu::factor_ratio;
use crate::lapack::tests::host::{assert_ratio, difference, norm, solution_ratio};
use crate::lapack::{gesv_on, getrf_on, getrs_on, laswp_on, read_only};
use crate::options::Op;
use crate::scalar::Complex64;
use crate::testing::{assert_close, filled, for_each_type};
use crate::{MatrixMut, MatrixShape, PivotOrder, VectorShape, getrf};

/// Plans with which small matrices use every kernel: panels with two columns in registers, of one or two rows for each
/// work-item, and tall panels.
const GROUPS: LuPlan = LuPlan {
    backend: Backend::Device,
    block: 16,
    span: 64,
    panels: Panels::Group { threads: 32, elements: 4, width: 2, columns: 4, warps: false },
    look_ahead: None,
};
const SERIAL: LuPlan =
    LuPlan { backend: Backend::Device, block: 16, span: 16, panels: Panels::Serial { width: 8 }, look_ahead: None };

/// With blocks whose rows' origins a launch finds.
const WIDE: LuPlan = LuPlan { block: 40, span: 40, ..GROUPS };

/// Blocks from left to right, with a second queue.
const SHARES: Option<LookAhead> = Some(LookAhead { units: 2, tall_units: 3 });
const LOOK_AHEAD: LuPlan = LuPlan { look_ahead: SHARES, ..GROUPS };
const SERIAL_LOOK_AHEAD: LuPlan = LuPlan { look_ahead: SHARES, ..SERIAL };

fn small_plan(device_info: &DeviceInfo) -> LuPlan {
    let plan = if device_info.class == DeviceClass::Gpu { GROUPS } else { SERIAL };
    LuPlan { backend: backend(device_info), ..plan }
}

/// The factors on a device, by a plan or by the device's own, with the pivots and the info.
fn factorised<T: Scalar>(
    (context, device_info): &(Context, DeviceInfo),
    plan: Option<&LuPlan>,
    a: &Stored<T>,
) -> (Stored<T>, Vec<i32>, i32) {
    let order = a.shape.rows().min(a.shape.columns());
    let mut memory = uploaded(context, a);
    let mut pivots = context.upload(&vec![-7_i32; order + 1]).unwrap();
    let mut info = context.upload(&[-7_i32]).unwrap();
    let queue = context.queue().unwrap();
    let (view, pivots_view) = (memory.view_mut(a.shape).unwrap(), pivots.vector_mut().unwrap());
    let info_view = info.vector_mut().unwrap();
    let event = match plan {
        Some(plan) => getrf_with_plan(&queue, view, &read_only(&pivots_view), &info_view, (plan, device_info)),
        None => getrf_on(&queue, view, pivots_view, info_view),
    };
    event.unwrap().wait().unwrap();
    let mut pivots = pivots.download().unwrap();
    assert_eq!(pivots.pop(), Some(-7), "memory behind the pivots was changed");
    (downloaded(a, &memory), pivots, info.download().unwrap()[0])
}

/// Factorises, and compares the pivots with those of the host.
fn check<T: Scalar>(on: &(Context, DeviceInfo), plan: Option<&LuPlan>, a: &Stored<T>, singular: Option<usize>) {
    let case = (a.shape, on.1.class, plan);
    let (factors, pivots, info) = factorised(on, plan, a);
    assert!(factors.canaries_live(), "{case:?}: memory around the factors was changed");
    assert_eq!(info as usize, singular.map_or(0, |column| column + 1), "{case:?}: info");
    assert_ratio::<T>(factor_ratio::<T>(&a.dense(), &factors.dense(), &pivots), "P A - L U", &case);
    let mut expected = vec![0; pivots.len()];
    let mut host = a.clone();
    let _ = getrf(MatrixMut::from_slice(&mut host.data, a.shape).unwrap(), &mut expected);
    // Rounding may decide between candidates as good as each other; where it could not, the pivots are the same.
    if a.shape.rows() <= 40 || singular.is_none_or(|column| column == 0) && T::KIND.is_double() {
        assert_eq!(pivots, expected, "{case:?}: pivots");
    }
}

fn random<T: Scalar>(m: usize, n: usize, storage: (Layout, usize)) -> Stored<T> {
    Stored::new(storage.0, m, n, storage.1, 1)
}

fn check_sizes<T: Scalar>(sizes: &[[usize; 2]]) {
    for on in devices_with_backends::<T>() {
        for (k, &[m, n]) in sizes.iter().enumerate() {
            check(&on, Some(&small_plan(&on.1)), &random::<T>(m, n, STORAGES[k % 3]), None);
        }
    }
}

fn check_solutions<T: Scalar>(n: usize, columns: usize) {
    for (context, _) in devices::<T>().iter().step_by(2) {
        for (k, storage) in STORAGES.into_iter().enumerate() {
            let (a, right) =
                (random::<T>(n, n, storage), Stored::<T>::new(STORAGES[2 - k].0, n, columns, storage.1, 8));
            let (mut memory, mut b) = (uploaded(context, &a), uploaded(context, &right));
            let mut pivots = context.upload(&vec![0_i32; n]).unwrap();
            let mut info = context.upload(&[-7_i32]).unwrap();
            let queue = context.queue().unwrap();
            let views = (memory.view_mut(a.shape).unwrap(), b.view_mut(right.shape).unwrap());
            let (pivots_view, info_view) = (pivots.vector_mut().unwrap(), info.vector_mut().unwrap());
            gesv_on(&queue, views.0, pivots_view, views.1, info_view).unwrap().wait().unwrap();
            let x = downloaded(&right, &b);
            assert_eq!(info.download().unwrap(), [0]);
            assert!(x.canaries_live());
            let case = (n, columns, storage);
            let ratio = solution_ratio::<T>(Op::NoTrans, &a.dense(), &x.dense(), &right.dense());
            assert_ratio::<T>(ratio, "gesv", &case);
            for op in [Op::Trans, Op::ConjTrans, Op::NoTrans] {
                let mut b = uploaded(context, &right);
                let b_view = b.view_mut(right.shape).unwrap();
                let views = (memory.view(a.shape).unwrap(), pivots.vector().unwrap());
                getrs_on(&queue, op, views.0, views.1, b_view).unwrap().wait().unwrap();
                let x = downloaded(&right, &b);
                let ratio = solution_ratio::<T>(op, &a.dense(), &x.dense(), &right.dense());
                assert_ratio::<T>(ratio, "getrs", &(case, op));
            }
        }
    }
}

/// Pivots close to overflow or underflow, whose reciprocals or squares are not normal.
fn check_pivots<T: Scalar>(scales: &[f64]) {
    let direction = if T::KIND.is_complex() { Complex64::new(1.0, 1.0) } else { Complex64::ONE };
    let matrix = |scale: f64| {
        let values = [[4.0, 0.0, 8.0], [2.0, 1.0, 5.0], [1.0, 0.0, 4.0]];
        random::<T>(3, 3, STORAGES[0]).filled_with(|i, j| direction * scale * values[i][j])
    };
    let check = |scale: f64, factors: &Stored<T>, pivots: &[i32]| {
        assert_eq!(pivots, [1, 2, 3]);
        let expected = [[4.0, 0.0, 8.0], [0.5, 1.0, 1.0], [0.25, 0.0, 2.0]];
        for (i, j) in (0..9).map(|k: usize| (k % 3, k / 3)) {
            let unit = if i > j { Complex64::ONE } else { direction };
            let size = if i > j { 1.0 } else { scale };
            let expected = unit * size * expected[i][j];
            assert_close!(factors.element(i, j), expected, 8.0 * T::EPSILON * size, "{scale:e} ({i}, {j})");
        }
    };
    for &scale in scales {
        let (mut factors, mut pivots) = (matrix(scale), [0; 3]);
        getrf(factors.view_mut(), &mut pivots).unwrap();
        check(scale, &factors, &pivots);
        for on in devices_with_backends::<T>().iter().filter(|on| keeps::<T>(&on.0, scale)) {
            let plan = (on.1.class == DeviceClass::Gpu).then_some(&GROUPS);
            let (factors, pivots, info) = factorised(on, plan, &matrix(scale));
            assert_eq!(info, 0);
            check(scale, &factors, &pivots);
        }
    }
}

/// Systems of one unknown at the ends of the range: x is 1, wherever they are solved.
fn check_unknown<T: Scalar>(scales: &[f64]) {
    for context in contexts::<T>() {
        for &scale in scales.iter().filter(|scale| keeps::<T>(&context, **scale)) {
            let scalar = T::from_parts(scale, if T::KIND.is_complex() { -scale } else { 0.0 });
            let (mut a, mut b) = (context.upload(&[scalar]).unwrap(), context.upload(&[scalar]).unwrap());
            crate::gesv(a.matrix_mut(1, 1).unwrap(), &mut [0], b.matrix_mut(1, 1).unwrap()).unwrap();
            let x = b.download().unwrap()[0];
            assert_close!(x, T::ONE, 4.0 * T::EPSILON, "{scale:e} on {:?}", context.device());
        }
    }
}

/// Interchanges of the rows from the fourth one on, forward and back, some of whose partners are no rows.
fn check_interchanges<T: Scalar>(n: usize, columns: usize) {
    for (context, _) in devices::<T>().iter().step_by(2) {
        for storage in STORAGES {
            let a = random::<T>(n, columns, storage);
            let choice = filled::<f64>(n, 1, 11);
            let partner = |i: usize| 1 + ((choice[(i, 0)] + 1.0) / 2.0 * n as f64) as i32;
            let is_row = |i: usize| i % 11 != 5;
            let pivots: Vec<i32> = (0..n).map(|i| if is_row(i) { partner(i) } else { 1 + i as i32 }).collect();
            // Two elements apart, after another one.
            let none = |i: usize| if i.is_multiple_of(2) { -(i as i32) } else { n as i32 + 1 };
            let given = (3..n).flat_map(|i| [if is_row(i) { pivots[i] } else { none(i) }, -7]);
            let spread: Vec<i32> = std::iter::once(-7).chain(given).collect();
            let (mut memory, indices) = (uploaded(context, &a), context.upload(&spread).unwrap());
            let indices = indices.vector_view(VectorShape::new(n - 3, 1, 2).unwrap()).unwrap();
            let queue = context.queue().unwrap();
            let mut expected = a.clone();
            let mut view = MatrixMut::from_slice(&mut expected.data, a.shape).unwrap();
            crate::laswp(view, 3..n, &pivots[3..], PivotOrder::Forward).unwrap();
            for order in [PivotOrder::Forward, PivotOrder::Backward] {
                let a_view = memory.view_mut(a.shape).unwrap();
                laswp_on(&queue, a_view, 3..n, indices, order).unwrap().wait().unwrap();
                let moved = downloaded(&a, &memory);
                assert!(moved.canaries_live());
                assert_eq!(norm(&difference(&moved.dense(), &expected.dense())), 0.0, "{n} {order:?} {storage:?}");
                view = MatrixMut::from_slice(&mut expected.data, a.shape).unwrap();
                crate::laswp(view, 3..n, &pivots[3..], PivotOrder::Backward).unwrap();
            }
        }
    }
}

mod device {
    use super::*;

    /// Every kernel and both sides of each switch: panels, blocks and the recursion.
    #[test]
    fn factors() {
        let sizes = [
            [0, 3],
            [3, 0],
            [1, 9],
            [9, 1],
            [16, 16],
            [17, 17],
            [65, 40],
            [64, 70],
            [129, 50],
            [133, 133],
            [150, 20],
            [90, 120],
        ];
        for_each_type!(check_sizes(&sizes));
    }

    #[test]
    fn factors_by_the_devices_own_plan() {
        fn check_own<T: Scalar>() {
            for on in devices::<T>().iter().step_by(2) {
                for (k, [m, n]) in [[33, 50], [300, 280], [140, 400]].into_iter().enumerate() {
                    check(on, None, &random::<T>(m, n, STORAGES[k]), None);
                    let kernels = LuPlan::for_kernels(T::KIND, &on.1);
                    check(on, Some(&kernels), &random::<T>(m, n, STORAGES[k]), None);
                }
            }
        }
        for_each_type!(check_own());
    }

    /// Wilkinson's matrix of maximum growth, with integers that floats hold exactly; columns of very different scales;
    /// and a nearly singular matrix.
    #[test]
    fn difficult_matrices() {
        fn check_difficult<T: Scalar>() {
            let n = 40;
            // Of order 20, so that sums of them in any order are exact, too.
            let wilkinson = |i: usize, j: usize| {
                let below = if i > j { -1.0 } else { 0.0 };
                if i == j || j == 19 { 1.0 } else { below }
            };
            let a = random::<T>(n, n, STORAGES[1]);
            let values = a.dense();
            let real = |value| Complex64::new(value, 0.0);
            let matrices = [
                random::<T>(20, 20, STORAGES[1]).filled_with(|i, j| real(wilkinson(i, j))),
                a.clone().filled_with(|i, j| values[(i, j)] * 2f64.powi(j as i32 - 20)),
                a.clone().filled_with(|i, j| real(1.0 + i as f64) + values[(i, j)] * (8.0 * T::EPSILON) * j as f64),
            ];
            for on in devices_with_backends::<T>() {
                for a in &matrices[..2] {
                    check(&on, Some(&small_plan(&on.1)), a, None);
                }
                let (factors, pivots, _) = factorised(&on, Some(&small_plan(&on.1)), &matrices[2]);
                let ratio = factor_ratio::<T>(&matrices[2].dense(), &factors.dense(), &pivots);
                assert_ratio::<T>(ratio, "P A - L U, nearly singular", &on.1.class);
            }
        }
        for_each_type!(check_difficult());
    }

    /// Pivots whose reciprocals overflow. The factors are exact: L has multiples of 1/2, and U even integers.
    #[test]
    fn subnormal_matrices_are_factorised() {
        // One block: the triangles between blocks are solved with inverses, which have other bits.
        let n = 16;
        let lower = |i: usize, j: usize| match i.cmp(&j) {
            Ordering::Greater if (i * 7 + j * 3) % 5 < 2 => -0.5,
            Ordering::Greater => 0.5,
            Ordering::Equal => 1.0,
            Ordering::Less => 0.0,
        };
        let upper = |i: usize, j: usize| match i.cmp(&j) {
            Ordering::Less => ((i * 5 + j * 11) % 7) as f64 * 2.0 - 6.0,
            Ordering::Equal => 16.0,
            Ordering::Greater => 0.0,
        };
        let unit = 2f64.powi(-1000) * 2f64.powi(-65);
        let scalar = |i, j| Complex64::new((0..n).map(|k| lower(i, k) * upper(k, j)).sum::<f64>() * unit, 0.0);
        for on in devices_with_backends::<f64>() {
            let a = random::<f64>(n, n, STORAGES[1]).filled_with(scalar);
            let plan = LuPlan { backend: Backend::Device, ..small_plan(&on.1) };
            let (factors, pivots, info) = factorised(&on, Some(&plan), &a);
            assert_eq!((pivots, info), ((1..=n as i32).collect(), 0), "{:?}", on.1.class);
            let factors = factors.dense();
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let expected = if i > j { lower(i, j) } else { upper(i, j) * unit };
                assert_eq!(factors[(i, j)].re, expected, "({i}, {j}), {:?}", on.1.class);
            }
        }
    }

    #[test]
    fn a_zero_pivot_is_told_and_the_factorisation_completed() {
        fn check_singular<T: Scalar>() {
            for on in devices_with_backends::<T>() {
                for (n, column) in [(5, 3), (40, 0), (40, 17), (40, 39)] {
                    let mut a = random::<T>(n, n, STORAGES[2]);
                    (0..n).for_each(|i| a.set(i, column, Complex64::ZERO));
                    check(&on, Some(&small_plan(&on.1)), &a, Some(column));
                }
                let zeros = random::<T>(6, 6, STORAGES[0]).filled_with(|_, _| Complex64::ZERO);
                check(&on, Some(&small_plan(&on.1)), &zeros, Some(0));
            }
        }
        for_each_type!(check_singular());
    }

    /// Nothing waits for them to vanish, and all pivots are rows.
    #[test]
    fn nan_and_infinities_end() {
        for on in devices_with_backends::<f64>() {
            for value in [f64::NAN, f64::INFINITY] {
                for (i, j) in [(0, 0), (39, 0), (20, 20)] {
                    let mut a = random::<f64>(40, 40, STORAGES[0]);
                    a.set(i, j, Complex64::new(value, 0.0));
                    let (factors, pivots, _) = factorised(&on, Some(&small_plan(&on.1)), &a);
                    assert!(pivots.iter().all(|pivot| (1..=40).contains(pivot)), "{pivots:?}");
                    assert!(factors.data.iter().any(|x| !x.is_finite()), "{value} in ({i}, {j}) disappeared");
                }
            }
        }
    }

    #[test]
    fn solutions() {
        for (n, columns) in [(0, 2), (5, 0), (1, 1), (65, 40), (140, 1)] {
            for_each_type!(check_solutions(n, columns));
        }
    }

    /// The interchanges of the smallest launch, one more, those of three launches with row-major matrices, and more
    /// than the largest launch makes.
    #[test]
    fn interchanges() {
        for (n, columns) in [(259, 37), (260, 37), (600, 37), (4100, 3)] {
            for_each_type!(check_interchanges(n, columns));
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn factors() {
        for_each_type!(check_sizes(&[[7, 7], [20, 33], [36, 19], [40, 40]]));
    }

    #[test]
    fn factors_by_wide_blocks() {
        fn check_wide<T: Scalar>() {
            for on in devices::<T>().iter().filter(|(_, device_info)| device_info.class == DeviceClass::Gpu) {
                for (k, [m, n]) in [[41, 50], [40, 47], [60, 44], [85, 90]].into_iter().enumerate() {
                    check(on, Some(&WIDE), &random::<T>(m, n, STORAGES[k % 3]), None);
                }
            }
        }
        for_each_type!(check_wide());
    }

    #[test]
    fn factors_with_look_ahead() {
        fn check_look_ahead<T: Scalar>() {
            for on in &devices::<T>() {
                for (k, [m, n]) in [[15, 18], [16, 48], [50, 40], [40, 61], [85, 70]].into_iter().enumerate() {
                    let plan = if on.1.class == DeviceClass::Gpu { &LOOK_AHEAD } else { &SERIAL_LOOK_AHEAD };
                    check(on, Some(plan), &random::<T>(m, n, STORAGES[k % 3]), None);
                }
            }
        }
        for_each_type!(check_look_ahead());
    }

    #[test]
    fn solutions() {
        for_each_type!(check_solutions(9, 3));
    }

    #[test]
    fn the_right_side_of_a_singular_system_stays() {
        for (context, _) in devices::<f32>() {
            let mut a = random::<f32>(6, 6, STORAGES[0]);
            (0..6).for_each(|i| a.set(i, 2, Complex64::ZERO));
            let right = Stored::<f32>::new(Layout::RowMajor, 6, 2, 1, 8);
            let (mut memory, mut b) = (uploaded(&context, &a), uploaded(&context, &right));
            let mut pivots = context.upload(&[0_i32; 6]).unwrap();
            let mut info = context.upload(&[0_i32]).unwrap();
            let (a_view, b_view) = (memory.view_mut(a.shape).unwrap(), b.view_mut(right.shape).unwrap());
            let (pivots_view, info_view) = (pivots.vector_mut().unwrap(), info.vector_mut().unwrap());
            gesv_on(&context.queue().unwrap(), a_view, pivots_view, b_view, info_view).unwrap().wait().unwrap();
            assert_eq!(info.download().unwrap(), [3]);
            assert_eq!(norm(&difference(&downloaded(&right, &b).dense(), &right.dense())), 0.0);
        }
    }

    #[test]
    fn pivots_at_the_ends_of_the_range() {
        for_each_type!(check_pivots(&[2f64.powi(124), 2f64.powi(-124), 2f64.powi(-140)]));
        for_each_type! {
            check_pivots::<f64>(&[2f64.powi(1020), 2f64.powi(-530) * 2f64.powi(-530)]);
            check_pivots::<Complex64>(&[2f64.powi(1019), 2f64.powi(-530) * 2f64.powi(-530)]);
        }
    }

    #[test]
    fn systems_at_the_ends_of_the_range() {
        for_each_type!(check_unknown(&[1e38, 1e-38, 1e-40]));
        for_each_type! {
            check_unknown::<f64>(&[1e308, 1e-308, 1e-309, 5e-324]);
            check_unknown::<Complex64>(&[1e308, 1e-308, 1e-309, 5e-324]);
        }
    }

    /// Pivots index rows by 32 bits, which does not matter without rows or columns.
    #[test]
    fn matrices_without_elements_may_have_any_size() {
        for (layout, rows, columns) in [(Layout::RowMajor, 1 << 40, 0), (Layout::ColumnMajor, 0, 1 << 40)] {
            let shape = MatrixShape::new(layout, rows, columns, 0, 1).unwrap();
            getrf(MatrixMut::<f32>::from_slice(&mut [], shape).unwrap(), &mut []).unwrap();
        }
        let shape = MatrixShape::new(Layout::RowMajor, 1 << 40, 0, 0, 1).unwrap();
        for (context, _) in devices::<f32>() {
            let (mut memory, mut pivots) = (context.zeros::<f32>(1).unwrap(), context.upload(&[-7_i32]).unwrap());
            let mut info = context.upload(&[-7_i32]).unwrap();
            let (view, pivots_view) = (memory.view_mut(shape).unwrap(), pivots.vector_mut().unwrap());
            getrf_on(&context.queue().unwrap(), view, pivots_view, info.vector_mut().unwrap()).unwrap().wait().unwrap();
            assert_eq!((pivots.download().unwrap(), info.download().unwrap()), (vec![-7], vec![0]));
        }
    }

    /// The maximum of interchanges that work-groups resolve themselves, and one more.
    #[test]
    fn interchanges() {
        for_each_type!(check_interchanges(35, 5));
        for_each_type!(check_interchanges(36, 5));
    }
}
