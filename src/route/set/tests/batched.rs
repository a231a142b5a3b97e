//! Batches on several devices, against the host.

use super::*;
use crate::host::batched::{self as host, PerMatrix};
use crate::options::{Diag, Op, Side, Triangle};
use crate::testing::close::distance;
use crate::testing::{Batch, for_each_type, sum_tolerance};
use crate::view::{BatchMut, BatchRef};

const COUNT: usize = 19;

fn read<T: Scalar>(batch: &Batch<T>) -> BatchRef<'_, T> {
    BatchRef::from_slice(&batch.data, batch.shape()).unwrap()
}

/// The batch after a call on its data.
fn after<T: Scalar>(batch: &Batch<T>, call: impl FnOnce(BatchMut<'_, T>)) -> Vec<T> {
    let mut data = batch.data.clone();
    call(BatchMut::from_slice(&mut data, batch.shape()).unwrap());
    data
}

/// The same on one, two and three contexts, compared with the host's.
fn compare<T: Scalar>(
    case: &str,
    batch: &Batch<T>,
    on_the_host: impl Fn(BatchMut<'_, T>),
    on_devices: impl Fn(&DeviceSet, BatchMut<'_, T>),
) {
    let expected = after(batch, &on_the_host);
    let tolerance = sum_tolerance::<T>(24, 16.0);
    for sets in sets::<T>() {
        let found = sets.each_ref().map(|set| after(batch, |view| on_devices(set, view)));
        for (index, expected) in expected.iter().enumerate() {
            let is_close = match expected.re().is_nan() {
                true => found[0][index].re().is_nan(),
                false => distance(found[0][index], *expected) <= tolerance,
            };
            assert!(is_close, "{case}: {:?} is not {expected:?}", found[0][index]);
            let bits = |value: T| [value.re().to_bits(), value.im().to_bits()];
            assert!(found.iter().all(|other| bits(other[index]) == bits(found[0][index])), "{case}: other bits");
        }
    }
}

/// Square matrices whose diagonals are large.
fn dominant<T: Scalar>(layout: Layout, n: usize, at_offsets: bool) -> Batch<T> {
    let mut batch = Batch::<T>::new(layout, [n, n], COUNT, 1, at_offsets, 3);
    for matrix in 0..COUNT {
        for i in 0..n {
            let index = batch.index(matrix, i, i);
            batch.data[index] = T::from_parts(3.0 + n as f64, 0.0);
        }
    }
    batch
}

mod device {
    use super::*;

    #[test]
    fn products_and_systems() {
        fn check<T: Scalar>() {
            for (at_offsets, layout) in [false, true].into_iter().zip(LAYOUTS) {
                let a = dominant::<T>(layout, 5, at_offsets);
                let b = Batch::<T>::new(layout, [5, 3], COUNT, 2, at_offsets, 5);
                let c = Batch::<T>::new(layout, [5, 3], COUNT, 1, at_offsets, 7);
                let (alpha, beta) = (T::from_parts(0.5, 0.25), T::from_parts(-0.5, 0.0));
                compare(
                    "gemm_batched",
                    &c,
                    |c| host::gemm_batched([Op::Trans, Op::NoTrans], alpha, &read(&a), &read(&b), beta, &c),
                    |set, c| set.gemm_batched(Op::Trans, Op::NoTrans, alpha, read(&a), read(&b), beta, c).unwrap(),
                );
                let (side, triangle, op, diagonal) = (Side::Left, Triangle::Upper, Op::NoTrans, Diag::NonUnit);
                compare(
                    "trsm_batched",
                    &c,
                    |c| host::trsm_batched(side, (triangle, op, diagonal), alpha, &read(&a), &c),
                    |set, c| set.trsm_batched(side, triangle, op, diagonal, alpha, read(&a), c).unwrap(),
                );
            }
        }
        for_each_type!(check());
    }

    #[test]
    fn factors() {
        fn check<T: Scalar>() {
            for layout in LAYOUTS {
                let (a, stride) = (dominant::<T>(layout, 5, false), 7);
                compare(
                    "getrf_batched",
                    &a,
                    |a| {
                        let (mut pivots, mut info) = (vec![0; stride * COUNT], vec![7; COUNT]);
                        host::getrf_batched(&a, PerMatrix { values: &mut pivots, each: 5, stride }, &mut info);
                    },
                    |set, a| {
                        let (mut pivots, mut info) = (vec![0; stride * (COUNT - 1) + 5], vec![7; COUNT]);
                        set.getrf_batched(a, &mut pivots, stride, &mut info).unwrap();
                        assert_eq!(info, vec![0; COUNT]);
                        let of_one = |pivots: &[i32]| pivots[..5] == [1, 2, 3, 4, 5];
                        assert!(pivots.chunks(stride).all(of_one), "{pivots:?}");
                    },
                );
                compare(
                    "potrf_batched",
                    &a,
                    |a| host::potrf_batched(Triangle::Lower, &a, &mut [0; COUNT]),
                    |set, a| {
                        let mut info = vec![7; COUNT];
                        set.potrf_batched(Triangle::Lower, a, &mut info).unwrap();
                        assert_eq!(info, vec![0; COUNT]);
                    },
                );
                compare(
                    "geqrf_batched",
                    &a,
                    |a| {
                        let mut tau = vec![T::ZERO; 5 * COUNT];
                        host::geqrf_batched(&a, PerMatrix { values: &mut tau, each: 5, stride: 5 });
                    },
                    |set, a| {
                        let mut tau = vec![T::ZERO; 5 * COUNT];
                        set.geqrf_batched(a, &mut tau, 5).unwrap();
                        assert!(tau.chunks(5).all(|tau| tau[0] != T::ZERO), "{tau:?}");
                    },
                );
            }
        }
        for_each_type!(check());
    }
}
