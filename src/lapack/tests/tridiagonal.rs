//! One large tridiagonal system in parts: LAPACK's ratios, and what is not solved stays as it was.

use super::*;
use crate::gtsv_on;
use crate::lapack::tridiagonal::{PartsPlan, gtsv_with_plan};
use crate::scalar::{Complex32, Complex64};
use crate::testing::{LAPACK_THRESHOLD, filled, for_each_type};
use crate::view::VectorRef;

/// Diagonals below, on and above the main one.
type Diagonals<T> = [Vec<T>; 3];

fn random<T: Scalar>(n: usize) -> Diagonals<T> {
    let values = filled::<T>(n, 3, 5);
    [n.saturating_sub(1), n, n.saturating_sub(1)]
        .map(|length| length)
        .into_iter()
        .enumerate()
        .map(|(k, length)| (0..length).map(|i| values[(i, k)]).collect::<Vec<_>>())
        .collect::<Vec<_>>()
        .try_into()
        .expect("there are three")
}

/// The largest backward error of a column in units of the precision: ||B - A X|| / (||A|| ||X|| eps) in sums of moduli.
fn ratio<T: Scalar>([dl, d, du]: &Diagonals<T>, x: &Stored<T>, b: &Stored<T>, columns: usize) -> f64 {
    let n = d.len();
    let size = |value: T| value.re().hypot(value.im());
    let of_column = |j: usize| {
        let below = if j + 1 < n { size(dl[j]) } else { 0.0 };
        size(d[j]) + below + if j > 0 { size(du[j - 1]) } else { 0.0 }
    };
    let norm = (0..n).map(of_column).fold(0.0, f64::max);
    let wide = |matrix: &Stored<T>, i, j| matrix.element(i, j);
    let complex = |value: T| Complex64::new(value.re(), value.im());
    let mut most = 0.0_f64;
    for j in 0..columns {
        let (mut rest, mut length) = (0.0, 0.0);
        for i in 0..n {
            let mut sum = wide(b, i, j) - complex(d[i]) * wide(x, i, j);
            if i > 0 {
                sum -= complex(dl[i - 1]) * wide(x, i - 1, j);
            }
            if i + 1 < n {
                sum -= complex(du[i]) * wide(x, i + 1, j);
            }
            rest += sum.re.hypot(sum.im);
            length += wide(x, i, j).re.hypot(wide(x, i, j).im);
        }
        let error = rest / (norm * length * T::EPSILON);
        assert!(!error.is_nan());
        most = most.max(error);
    }
    most
}

/// Solves on a device and counts the solved columns; what is around X, and X where it is not solved, stay.
fn solve<T: Scalar>(
    context: &Context,
    a: &Diagonals<T>,
    b: &Stored<T>,
    columns: usize,
    plan: PartsPlan,
) -> (usize, Stored<T>) {
    let queue = context.queue().unwrap();
    let memory = a.clone().map(|values| context.upload(&values).unwrap());
    let mut right = uploaded(context, b);
    let views: [VectorRef<'_, T>; 3] = memory.each_ref().map(|memory| memory.vector().unwrap());
    let solved = gtsv_with_plan(&queue, views, &right.view_mut(b.shape).unwrap(), plan).unwrap();
    for (memory, values) in memory.iter().zip(a) {
        assert!(memory.download().unwrap() == *values, "the diagonals stay");
    }
    let x = downloaded(b, &right);
    assert!(x.canaries_live());
    if solved == 0 && columns > 0 {
        assert_eq!(x.dense(), b.dense(), "B stays where nothing is solved");
    }
    (solved, x)
}

fn check<T: Scalar>(n: usize, columns: usize, change: impl Fn(PartsPlan) -> PartsPlan) {
    for (context, device) in devices::<T>() {
        for (layout, gap) in STORAGES {
            let (a, b) = (random::<T>(n), Stored::<T>::new(layout, n, columns, gap, 3));
            let plan = change(PartsPlan::choose(columns, &device));
            let (solved, x) = solve(&context, &a, &b, columns, plan);
            assert_eq!(solved, columns, "{n} rows, {columns} columns, {plan:?}");
            let ratio = ratio(&a, &x, &b, columns);
            assert!(ratio < LAPACK_THRESHOLD, "{n} rows, {columns} columns, {plan:?}: {ratio}");
        }
    }
}

mod device_small {
    use super::*;

    /// One part, parts of all lengths, several levels, and blocks of columns that are full or not.
    #[test]
    fn systems_in_parts_are_solved() {
        let small = |rows, columns| move |plan| PartsPlan { rows, columns, group: 4, ..plan };
        for_each_type! {
            check::<f32>(1, 1, small(4, 1));
            check::<f64>(4, 2, small(4, 1));
            check::<Complex32>(9, 3, small(4, 2));
            check::<Complex64>(23, 1, small(5, 1));
            check::<f32>(70, 5, small(8, 4));
            check::<f64>(37, 0, small(8, 1));
        }
    }

    #[test]
    fn singular_systems_are_left_to_others() {
        for (context, device) in devices::<f32>() {
            let n = 40;
            let mut a = random::<f32>(n);
            (a[0][17], a[1][17], a[2][16], a[0][16]) = (0.0, 0.0, 0.0, 0.0);
            let b = Stored::<f32>::new(Layout::ColumnMajor, n, 2, 1, 3);
            let plan = PartsPlan { rows: 8, group: 4, ..PartsPlan::choose(2, &device) };
            assert_eq!(solve(&context, &a, &b, 2, plan).0, 0);
        }
    }
}

mod device {
    use super::*;

    #[test]
    fn long_systems_are_solved_in_parts() {
        for_each_type! {
            check::<f32>(40_000, 1, |plan| plan);
            check::<f64>(33_333, 9, |plan| plan);
            check::<Complex32>(5_000, 3, |plan| plan);
            check::<Complex64>(5_001, 1, |plan| plan);
        }
    }

    /// Of zeros on the diagonal, parts with an odd number of inner rows are singular: solved, or left as they were.
    #[test]
    fn what_parts_cannot_solve_is_seen() {
        for (context, device) in devices::<f64>() {
            for n in [64, 1000, 1024, 2051] {
                let mut a = random::<f64>(n);
                a[1].fill(0.0);
                let b = Stored::<f64>::new(Layout::ColumnMajor, n, 1, 0, 3);
                let (solved, x) = solve(&context, &a, &b, 1, PartsPlan::choose(1, &device));
                assert!(solved == 0 || ratio(&a, &x, &b, 1) < LAPACK_THRESHOLD, "{n} rows");
            }
        }
    }

    /// A row whose sum overflows, or has Inf, bounds no residual.
    #[test]
    fn rows_that_overflow_are_left_to_others() {
        fn check<T: Scalar>(most: f64) {
            for (context, device) in devices::<T>() {
                let n = 500;
                for (own, other) in [(0.6 * most, 0.3 * most), (f64::INFINITY, 1.0), (1.0, f64::INFINITY)] {
                    let all = |value: f64, length| vec![T::from_parts(value, 0.0); length];
                    let a = [all(other, n - 1), all(own, n), all(other, n - 1)];
                    let b = Stored::<T>::new(Layout::ColumnMajor, n, 1, 0, 3);
                    assert_eq!(solve(&context, &a, &b, 1, PartsPlan::choose(1, &device)).0, 0, "{own} {other}");
                }
            }
        }
        for_each_type! {
            check::<f32>(f32::MAX.into());
            check::<f64>(f64::MAX);
            check::<Complex32>(f32::MAX.into());
            check::<Complex64>(f64::MAX);
        }
    }

    /// gtsv itself gives LAPACK's info and factors where the parts give up.
    #[test]
    fn large_systems_are_solved_by_gtsv() {
        let n = 20_011;
        for (context, _) in devices::<f64>() {
            for is_singular in [false, true] {
                let queue = context.queue().unwrap();
                let mut a = random::<f64>(n);
                if is_singular {
                    (a[0][17], a[1][17], a[2][16], a[0][16]) = (0.0, 0.0, 0.0, 0.0);
                }
                let b = Stored::<f64>::new(Layout::RowMajor, n, 2, 1, 3);
                let mut memory = a.clone().map(|values| context.upload(&values).unwrap());
                let (mut right, mut info) = (uploaded(&context, &b), context.upload(&[-5_i32]).unwrap());
                let views = memory.each_mut().map(|memory| memory.vector_mut().unwrap());
                let (view, of_info) = (right.view_mut(b.shape).unwrap(), info.vector_mut().unwrap());
                gtsv_on(&queue, views, view, of_info).unwrap().wait().unwrap();
                let (x, info) = (downloaded(&b, &right), info.download().unwrap()[0]);
                assert_eq!(info, if is_singular { 18 } else { 0 });
                let is_solved = || ratio(&a, &x, &b, 2) < LAPACK_THRESHOLD;
                assert!(x.canaries_live() && if is_singular { x.dense() == b.dense() } else { is_solved() });
            }
        }
    }
}
