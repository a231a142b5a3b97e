//! Tridiagonal systems of a batch: solved on a device as each one is on the host.

use super::*;
use crate::lapack::batched::{TridiagonalPartsPlan, TridiagonalPlan, TridiagonalRoute, gtsv_batched_with_plan};
use crate::lapack::tests::host::{norm, product};
use crate::testing::{LAPACK_THRESHOLD, filled, for_each_type, lapack_ratio};
use crate::{gtsv, gtsv_batched, gtsv_batched_on};

/// Diagonals below, on and above the main one, at strides with gaps.
struct Diagonals<T> {
    values: [Vec<T>; 3],
    strides: [usize; 3],
    n: usize,
}

impl<T: Scalar> Diagonals<T> {
    /// Random ones, with canaries around. System `singular` is zero on and below the diagonal.
    fn new(n: usize, count: usize, singular: usize) -> Self {
        let strides = [n + 1, n + 2, n.max(1)];
        let nan = T::from_parts(f64::NAN, f64::NAN);
        let values = [0, 1, 2].map(|k: usize| {
            let each = Self::length(n, k);
            let random = filled::<T>(strides[k], count, 1 + k as u64);
            let mut values = vec![nan; strides[k] * count];
            for i in 0..count {
                for r in 0..each {
                    let zero = i == singular && k < 2;
                    values[i * strides[k] + r] = if zero { T::ZERO } else { random[(r, i)] };
                }
            }
            values
        });
        Diagonals { values, strides, n }
    }

    fn length(n: usize, diagonal: usize) -> usize {
        if diagonal == 1 { n } else { n.saturating_sub(1) }
    }

    fn system(&self, i: usize) -> [Vec<T>; 3] {
        [0, 1, 2].map(|k: usize| self.values[k][i * self.strides[k]..][..Self::length(self.n, k)].to_vec())
    }

    fn dense(&self, i: usize) -> Dense {
        let [dl, d, du] = self.system(i);
        let complex = |x: T| Complex64::new(x.re(), x.im());
        faer::Mat::from_fn(self.n, self.n, |i, j| match (i, j) {
            _ if i == j => complex(d[i]),
            _ if i == j + 1 => complex(dl[j]),
            _ if j == i + 1 => complex(du[i]),
            _ => Complex64::ZERO,
        })
    }

    /// True if what is between the systems is still NaN.
    fn gaps_live(&self, found: &[Vec<T>; 3]) -> bool {
        (0..3).all(|k| {
            let gap = |i: usize| i % self.strides[k] >= Self::length(self.n, k);
            found[k].iter().enumerate().all(|(i, value)| !gap(i) || value.re().is_nan())
        })
    }
}

fn check<T: Scalar>(context: &Context, k: usize, [n, columns, count]: [usize; 3], plan: Option<TridiagonalRoute>) {
    let case = (n, columns, count, k, plan);
    let singular = if n > 0 { 1 } else { count };
    let (a, right) = (Diagonals::<T>::new(n, count, singular), batch::<T>(k, [n, columns], count, 7));
    let queue = context.queue().unwrap();
    let mut memory = a.values.clone().map(|values| context.upload(&values).unwrap());
    let mut b = context.upload(&right.data).unwrap();
    let mut info = context.upload(&vec![CANARY; count + 1]).unwrap();
    let [dl, d, du] = &mut memory;
    let views = [dl.vector_mut().unwrap(), d.vector_mut().unwrap(), du.vector_mut().unwrap()];
    let (b_view, info_view) = (b.batch_mut(right.shape()).unwrap(), info.vector_mut().unwrap());
    let event = match plan {
        None => gtsv_batched_on(&queue, views, a.strides, b_view, info_view),
        Some(_) => {
            let [dl, d, du] = views;
            let [below, own, above] = a.strides;
            gtsv_batched_with_plan(&queue, [(dl, below), (d, own), (du, above)], &b_view, &info_view, plan)
        }
    };
    event.unwrap().wait().unwrap();
    let found = memory.map(|memory| memory.download().unwrap());
    let (x, info) = (with_data(&right, b.download().unwrap()), info.download().unwrap());
    assert!(a.gaps_live(&found) && x.canaries_live() && info[count] == CANARY, "{case:?}");
    let mut unchanged_ones = 0;
    for i in 0..count {
        assert_eq!(info[i], i32::from(i == singular), "{case:?}: system {i}");
        if i == singular {
            continue;
        }
        // Parts leave the matrix as it is.
        let in_parts = matches!(plan, Some(TridiagonalRoute::Parts(_)) | None);
        let unchanged = (0..3).all(|k| {
            let own = i * a.strides[k]..i * a.strides[k] + Diagonals::<T>::length(n, k);
            found[k][own.clone()] == a.values[k][own]
        });
        unchanged_ones += usize::from(unchanged);
        // The factors are the host's but for roundings, as is the choice of pivots of random matrices.
        let mut host = a.system(i);
        let mut solution = Stored::<T>::new(Layout::ColumnMajor, n, 0, 0, 0);
        let [dl, d, du] = &mut host;
        gtsv(dl, d, du, solution.view_mut()).unwrap();
        for (k, values) in host.iter().enumerate() {
            // gtsv leaves n - 2 elements of U in dl.
            let length = if k == 0 { n.saturating_sub(2) } else { values.len() };
            let length = if unchanged && in_parts { 0 } else { length };
            for (r, value) in values.iter().enumerate().take(length) {
                let device = found[k][i * a.strides[k] + r];
                let scale = 1e4 * T::EPSILON * (1.0 + value.modulus());
                assert!((device - *value).modulus() <= scale, "{case:?}: {device:?} for {value:?}, system {i}");
            }
        }
        let (a, x, b) = (a.dense(i), dense(&x, i, [n, columns]), dense(&right, i, [n, columns]));
        let image = product(&a, &x);
        let error = faer::Mat::from_fn(n, columns, |r, c| b[(r, c)] - image[(r, c)]);
        let ratio = lapack_ratio::<T>(norm(&error), n, norm(&a) * norm(&x));
        assert!(ratio < LAPACK_THRESHOLD, "{case:?}, system {i}: ratio {ratio}");
    }
    if matches!(plan, Some(TridiagonalRoute::Parts(_))) {
        assert!(2 * unchanged_ones >= count - 1, "{case:?}: {unchanged_ones} systems are solved in parts");
    }
}

fn on_devices<T: Scalar>(cases: &[([usize; 3], Option<TridiagonalRoute>)]) {
    for (context, _) in devices::<T>() {
        for (k, (sizes, plan)) in cases.iter().enumerate() {
            check::<T>(&context, k, *sizes, *plan);
        }
    }
}

mod device_small {
    use super::*;

    /// Tiles of which the last one is full or not, one tile, groups that are not full, and no right-hand sides.
    #[test]
    fn tridiagonal_systems_of_a_batch() {
        let plan = |systems, rows| Some(TridiagonalRoute::Whole(TridiagonalPlan { systems, rows }));
        for_each_type!(on_devices(&[
            ([0, 1, 3], None),
            ([1, 1, 3], None),
            ([2, 2, 5], plan(4, 2)),
            ([8, 1, 5], plan(4, 4)),
            ([9, 1, 4], plan(4, 4)),
            ([7, 0, 3], None),
            ([7, 6, 3], plan(2, 8)),
        ]));
    }

    /// Parts of two rows and more, groups that are not full, a system that no part can tell to be singular, and
    /// systems of one and more blocks.
    #[test]
    fn tridiagonal_systems_of_a_batch_in_parts() {
        for_each_type!(on_devices(&[
            ([4, 1, 3], parts(2, 2, 4)),
            ([8, 2, 5], parts(2, 2, 4)),
            ([13, 1, 4], parts(4, 1, 4)),
            ([37, 1, 3], parts(2, 1, 4)),
        ]));
    }
}

fn parts(parts: usize, systems: usize, rows: usize) -> Option<TridiagonalRoute> {
    Some(TridiagonalRoute::Parts(TridiagonalPartsPlan { parts, systems, rows }))
}

mod device {
    use super::*;

    #[test]
    fn long_tridiagonal_systems_of_a_batch() {
        for_each_type!(on_devices(&[([100, 1, 130], None), ([65, 3, 70], None), ([33, 9, 65], None)]));
    }

    /// Systems in one block, and coarse systems of one block and more.
    #[test]
    fn long_tridiagonal_systems_of_a_batch_in_parts() {
        for_each_type!(on_devices(&[
            ([100, 1, 20], parts(16, 4, 8)),
            ([200, 4, 9], parts(16, 2, 16)),
            ([300, 1, 5], parts(8, 1, 16)),
            ([120, 6, 20], parts(8, 1, 8)),
        ]));
    }

    /// Elements whose squares or sums overflow or underflow, Inf, NaN, and a zero diagonal: no part solves them.
    #[test]
    fn systems_that_parts_do_not_solve() {
        fn check<T: Scalar>() {
            for (context, _) in devices::<T>() {
                let (n, queue) = (40, context.queue().unwrap());
                let (huge, tiny) = if T::KIND.is_double() { (1e300, 1e-300) } else { (1e30, 1e-30) };
                // Of order n: each system has one diagonal element d and elements e beside it.
                let most = if T::KIND.is_double() { f64::MAX } else { f32::MAX.into() };
                let systems = [
                    (4.0 * huge, huge),
                    (4.0 * tiny, tiny),
                    (0.0, 1.0),
                    (f64::NAN, 1.0),
                    (4.0, 1.0),
                    (0.6 * most, 0.3 * most),
                    (f64::INFINITY, 1.0),
                ];
                let all = |value: &dyn Fn(usize) -> f64, each: usize| -> Vec<T> {
                    (0..systems.len() * each).map(|i| T::from_parts(value(i / each), 0.0)).collect()
                };
                let mut dl = context.upload(&all(&|i| systems[i].1, n)).unwrap();
                let mut d = context.upload(&all(&|i| systems[i].0, n)).unwrap();
                let mut du = context.upload(&all(&|i| systems[i].1, n)).unwrap();
                let right = batch::<T>(0, [n, 1], systems.len(), 3);
                let ones = vec![T::ONE; right.data.len()];
                let mut b = context.upload(&ones).unwrap();
                let mut info = context.upload(&vec![CANARY; systems.len()]).unwrap();
                let diagonals = [dl.vector_mut(), d.vector_mut(), du.vector_mut()].map(|view| (view.unwrap(), n));
                let (b_view, info_view) = (b.batch_mut(right.shape()).unwrap(), info.vector_mut().unwrap());
                let event = gtsv_batched_with_plan(&queue, diagonals, &b_view, &info_view, parts(4, 2, 16));
                event.unwrap().wait().unwrap();
                let x = with_data(&right, b.download().unwrap());
                assert_eq!(info.download().unwrap(), vec![0; systems.len()]);
                for (i, (own, beside)) in systems.iter().enumerate() {
                    let x = dense(&x, i, [n, 1]);
                    let x = |r: usize| x[(r, 0)].re;
                    if own.is_nan() {
                        assert!((0..n).any(|r| x(r).is_nan()));
                        continue;
                    }
                    if own.is_infinite() {
                        assert!((0..n).all(|r| x(r) == 0.0 || x(r).is_nan()));
                        continue;
                    }
                    for r in 0..n {
                        let others = if r > 0 { x(r - 1) } else { 0.0 } + if r + 1 < n { x(r + 1) } else { 0.0 };
                        let image = own * x(r) + beside * others;
                        assert!((image - 1.0).abs() <= 100.0 * T::EPSILON, "system {i}, row {r}: {image}");
                    }
                }
            }
        }
        for_each_type!(check());
    }
}

mod host {
    use super::*;
    use crate::Error;

    #[test]
    fn systems_that_overlap_or_are_too_short_are_refused() {
        let mut a = Diagonals::<f64>::new(4, 3, 9);
        let mut b = batch::<f64>(0, [4, 1], 3, 1);
        let (before, mut info) = (b.data.clone(), [CANARY; 3]);
        let mut run = |strides: [usize; 3], info: &mut [i32]| {
            let [dl, d, du] = &mut a.values;
            let shape = batch::<f64>(0, [4, 1], 3, 1);
            gtsv_batched([dl, d, du], strides, BatchMut::from_slice(&mut b.data, shape.shape()).unwrap(), info)
        };
        assert!(matches!(run([2, 6, 4], &mut info), Err(Error::InvalidArgument { name: "dl", .. })));
        assert!(matches!(run([5, 3, 4], &mut info), Err(Error::InvalidArgument { name: "d", .. })));
        assert!(matches!(run([5, 6, 5], &mut info), Err(Error::ShapeMismatch(_))));
        assert!(matches!(run([5, 6, 4], &mut info[..2]), Err(Error::ShapeMismatch(_))));
        // The elements between matrices are NaN.
        let bits = |data: &[f64]| data.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!((bits(&b.data), info), (bits(&before), [CANARY; 3]));
    }
}
