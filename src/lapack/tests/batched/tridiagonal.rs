//! Tridiagonal systems of a batch: solved on a device as each one is on the host.

use super::*;
use crate::lapack::batched::{TridiagonalPlan, gtsv_batched_with_plan};
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

fn check<T: Scalar>(context: &Context, k: usize, [n, columns, count]: [usize; 3], plan: Option<TridiagonalPlan>) {
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
    for i in 0..count {
        assert_eq!(info[i], i32::from(i == singular), "{case:?}: system {i}");
        if i == singular {
            continue;
        }
        // The factors are the host's but for roundings, as is the choice of pivots of random matrices.
        let mut host = a.system(i);
        let mut solution = Stored::<T>::new(Layout::ColumnMajor, n, 0, 0, 0);
        let [dl, d, du] = &mut host;
        gtsv(dl, d, du, solution.view_mut()).unwrap();
        for (k, values) in host.iter().enumerate() {
            // gtsv leaves n - 2 elements of U in dl.
            let length = if k == 0 { n.saturating_sub(2) } else { values.len() };
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
}

fn on_devices<T: Scalar>(cases: &[([usize; 3], Option<TridiagonalPlan>)]) {
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
        let plan = |systems, rows| Some(TridiagonalPlan { systems, rows });
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
}

mod device {
    use super::*;

    #[test]
    fn long_tridiagonal_systems_of_a_batch() {
        for_each_type!(on_devices(&[([100, 1, 130], None), ([65, 3, 70], None), ([33, 9, 65], None)]));
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
