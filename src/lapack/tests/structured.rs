//! Tridiagonal, band and indefinite matrices in a device's memory: the routines compute on the host, and what is around
//! the operands stays.

use super::*;
use crate::options::{Op, Triangle};
use crate::testing::{filled, for_each_type};
use crate::view::VectorShape;
use crate::{
    TridiagonalFactors, gbsv, gbsv_on, gbtrf, gbtrf_on, gbtrs, gbtrs_on, gtsv, gtsv_on, gttrf, gttrf_on, gttrs,
    gttrs_on, hesv, hesv_on, hetrf, hetrf_on, hetri, hetri_on, hetrs, hetrs_on, pbsv, pbsv_on, pbtrf, pbtrf_on, pbtrs,
    pbtrs_on, ptsv, ptsv_on, pttrf, pttrf_on, pttrs, pttrs_on, sysv, sysv_on, sytrf, sytrf_on, sytri, sytri_on, sytrs,
    sytrs_on,
};

const N: usize = 9;
const COLUMNS: usize = 2;

/// Adjacent elements in a device's memory with a canary on each side.
struct Guarded<V> {
    memory: Buffer<V>,
    shape: VectorShape,
}

impl<V: crate::scalar::Element> Guarded<V> {
    fn new(context: &Context, values: &[V], canary: V) -> Self {
        let mut data = vec![canary; values.len() + 2];
        data[1..=values.len()].copy_from_slice(values);
        Guarded { memory: context.upload(&data).unwrap(), shape: VectorShape::new(values.len(), 1, 1).unwrap() }
    }

    /// The elements, whose neighbours are as they were.
    fn values(&self, canary: impl Fn(V) -> bool) -> Vec<V> {
        let data = self.memory.download().unwrap();
        assert!(canary(data[0]) && canary(data[data.len() - 1]));
        data[1..data.len() - 1].to_vec()
    }
}

macro_rules! write {
    ($guarded:expr) => {{
        let shape = $guarded.shape;
        $guarded.memory.vector_view_mut(shape).unwrap()
    }};
}

macro_rules! read {
    ($guarded:expr) => {
        $guarded.memory.vector_view($guarded.shape).unwrap()
    };
}

fn nan<T: Scalar>() -> T {
    T::from_parts(f64::NAN, f64::NAN)
}

fn guarded<T: Scalar>(context: &Context, values: &[T]) -> Guarded<T> {
    Guarded::new(context, values, nan())
}

fn integers(context: &Context, count: usize) -> Guarded<i32> {
    Guarded::new(context, &vec![-5; count], -7)
}

fn found<T: Scalar>(vector: &Guarded<T>) -> Vec<T> {
    vector.values(|value| value.re().is_nan())
}

fn numbers(vector: &Guarded<i32>) -> Vec<i32> {
    vector.values(|value| value == -7)
}

/// LAPACK's info of a call on the host.
fn info_of(result: crate::Result<()>) -> i32 {
    result.map_or_else(|error| error.status(), |()| 0)
}

fn done(event: crate::Result<crate::Event>) {
    event.unwrap().wait().unwrap();
}

fn tridiagonal<T: Scalar>(context: &Context, storage: (Layout, usize), is_singular: bool) {
    let queue = context.queue().unwrap();
    let random = filled::<T>(N, 3, 1);
    let column = |j: usize, length: usize| (0..length).map(|i| random[(i, j)]).collect::<Vec<_>>();
    let (mut dl, mut d, mut du) = (column(0, N - 1), column(1, N), column(2, N - 1));
    if is_singular {
        (dl[3], d[3], du[2]) = (T::ZERO, T::ZERO, T::ZERO);
        dl[2] = T::ZERO;
    }
    let b = Stored::<T>::new(storage.0, N, COLUMNS, storage.1, 2);
    let mut of = [&dl, &d, &du].map(|values| guarded(context, values));
    let (mut of_du2, mut of_pivots, mut of_info) =
        (guarded(context, &[nan::<T>(); N - 2]), integers(context, N), integers(context, 1));
    let [of_dl, of_d, of_du] = &mut of;
    let diagonals = [write!(of_dl), write!(of_d), write!(of_du), write!(of_du2)];
    done(gttrf_on(&queue, diagonals, write!(of_pivots), write!(of_info)));
    let (mut l, mut u, mut u1, mut u2, mut pivots) =
        (dl.clone(), d.clone(), du.clone(), vec![T::ZERO; N - 2], vec![0; N]);
    let info = info_of(gttrf(&mut l, &mut u, &mut u1, &mut u2, &mut pivots));
    assert_eq!(info, if is_singular { 4 } else { 0 });
    assert_eq!(numbers(&of_info), [info]);
    assert_eq!(
        (found(of_dl), found(of_d), found(of_du), found(&of_du2)),
        (l.clone(), u.clone(), u1.clone(), u2.clone())
    );
    assert_eq!(numbers(&of_pivots), pivots);
    if !is_singular {
        for op in [Op::NoTrans, Op::Trans, Op::ConjTrans] {
            let (mut x, mut of_b) = (b.clone(), uploaded(context, &b));
            let diagonals = [read!(of_dl), read!(of_d), read!(of_du), read!(of_du2)];
            done(gttrs_on(&queue, op, diagonals, read!(of_pivots), of_b.view_mut(b.shape).unwrap()));
            let factors = TridiagonalFactors { dl: &l, d: &u, du: &u1, du2: &u2, pivots: &pivots };
            gttrs(op, factors, x.view_mut()).unwrap();
            assert!(downloaded(&b, &of_b).canaries_live());
            assert_eq!(downloaded(&b, &of_b).dense(), x.dense());
        }
    }
    let mut of = [&dl, &d, &du].map(|values| guarded(context, values));
    let [of_dl, of_d, of_du] = &mut of;
    let (mut x, mut of_b) = (b.clone(), uploaded(context, &b));
    let diagonals = [write!(of_dl), write!(of_d), write!(of_du)];
    done(gtsv_on(&queue, diagonals, of_b.view_mut(b.shape).unwrap(), write!(of_info)));
    assert_eq!(info_of(gtsv(&mut dl, &mut d, &mut du, x.view_mut())), numbers(&of_info)[0]);
    assert_eq!((found(of_dl), found(of_d), found(of_du)), (dl, d, du));
    assert!(downloaded(&b, &of_b).canaries_live());
    assert_eq!(downloaded(&b, &of_b).dense(), x.dense());
}

fn definite_tridiagonal<T: Scalar>(context: &Context, storage: (Layout, usize), is_definite: bool) {
    let queue = context.queue().unwrap();
    let random = filled::<T>(N, 1, 3);
    let mut d = vec![T::RealScalar::from_parts(3.0, 0.0); N];
    if !is_definite {
        d[4] = T::RealScalar::from_parts(-1.0, 0.0);
    }
    let e: Vec<T> = (0..N - 1).map(|i| random[(i, 0)]).collect();
    let b = Stored::<T>::new(storage.0, N, COLUMNS, storage.1, 2);
    let (mut of_d, mut of_e, mut of_info) = (guarded(context, &d), guarded(context, &e), integers(context, 1));
    done(pttrf_on::<T>(&queue, write!(of_d), write!(of_e), write!(of_info)));
    let (mut pivots, mut factor) = (d.clone(), e.clone());
    let info = info_of(pttrf(&mut pivots, &mut factor));
    assert_eq!(info, if is_definite { 0 } else { 5 });
    assert_eq!((found(&of_d), found(&of_e), numbers(&of_info)), (pivots.clone(), factor.clone(), vec![info]));
    if is_definite {
        for &triangle in Triangle::ALL {
            let (mut x, mut of_b) = (b.clone(), uploaded(context, &b));
            done(pttrs_on::<T>(&queue, triangle, read!(of_d), read!(of_e), of_b.view_mut(b.shape).unwrap()));
            pttrs(triangle, &pivots, &factor, x.view_mut()).unwrap();
            assert!(downloaded(&b, &of_b).canaries_live());
            assert_eq!(downloaded(&b, &of_b).dense(), x.dense());
        }
    }
    let (mut of_d, mut of_e) = (guarded(context, &d), guarded(context, &e));
    let (mut x, mut of_b) = (b.clone(), uploaded(context, &b));
    done(ptsv_on::<T>(&queue, write!(of_d), write!(of_e), of_b.view_mut(b.shape).unwrap(), write!(of_info)));
    assert_eq!(info_of(ptsv(&mut d, &mut e.clone(), x.view_mut())), info);
    assert_eq!((found(&of_d), numbers(&of_info)), (d, vec![info]));
    assert_eq!(downloaded(&b, &of_b).dense(), x.dense());
}

fn band<T: Scalar>(context: &Context, storage: (Layout, usize)) {
    let (queue, kl, ku) = (context.queue().unwrap(), 2, 1);
    // Elements outside the matrix stay as they are.
    let ab = Stored::<T>::new(storage.0, 2 * kl + ku + 1, N, storage.1, 4);
    let b = Stored::<T>::new(storage.0, N, COLUMNS, storage.1, 5);
    let (mut factors, mut pivots) = (ab.clone(), vec![0; N]);
    gbtrf(N, kl, ku, factors.view_mut(), &mut pivots).unwrap();
    let (mut of_ab, mut of_pivots, mut of_info) = (uploaded(context, &ab), integers(context, N), integers(context, 1));
    done(gbtrf_on(&queue, N, kl, ku, of_ab.view_mut(ab.shape).unwrap(), write!(of_pivots), write!(of_info)));
    assert!(downloaded(&ab, &of_ab).canaries_live());
    assert_eq!(downloaded(&ab, &of_ab).dense(), factors.dense());
    assert_eq!((numbers(&of_pivots), numbers(&of_info)), (pivots.clone(), vec![0]));
    for op in [Op::NoTrans, Op::Trans, Op::ConjTrans] {
        let (mut x, mut of_b) = (b.clone(), uploaded(context, &b));
        let (left, right) = (of_ab.view(ab.shape).unwrap(), of_b.view_mut(b.shape).unwrap());
        done(gbtrs_on(&queue, op, kl, ku, left, read!(of_pivots), right));
        gbtrs(op, kl, ku, factors.view(), &pivots, x.view_mut()).unwrap();
        assert!(downloaded(&b, &of_b).canaries_live());
        assert_eq!(downloaded(&b, &of_b).dense(), x.dense());
    }
    let (mut of_ab, mut of_b, mut x) = (uploaded(context, &ab), uploaded(context, &b), b.clone());
    let (left, right) = (of_ab.view_mut(ab.shape).unwrap(), of_b.view_mut(b.shape).unwrap());
    done(gbsv_on(&queue, kl, ku, left, write!(of_pivots), right, write!(of_info)));
    gbsv(kl, ku, ab.clone().view_mut(), &mut pivots, x.view_mut()).unwrap();
    assert_eq!(downloaded(&b, &of_b).dense(), x.dense());
    assert_eq!((numbers(&of_pivots), numbers(&of_info)), (pivots, vec![0]));
}

fn definite_band<T: Scalar>(context: &Context, storage: (Layout, usize), triangle: Triangle, is_definite: bool) {
    let (queue, kd) = (context.queue().unwrap(), 2);
    let diagonal = if triangle == Triangle::Lower { 0 } else { kd };
    let mut ab = Stored::<T>::new(storage.0, kd + 1, N, storage.1, 6);
    (0..N).for_each(|j| ab.set(diagonal, j, 6.0.into()));
    if !is_definite {
        ab.set(diagonal, 5, (-1.0).into());
    }
    let b = Stored::<T>::new(storage.0, N, COLUMNS, storage.1, 7);
    let (mut factor, mut of_ab, mut of_info) = (ab.clone(), uploaded(context, &ab), integers(context, 1));
    let info = info_of(pbtrf(triangle, kd, factor.view_mut()));
    assert_eq!(info, if is_definite { 0 } else { 6 });
    done(pbtrf_on(&queue, triangle, kd, of_ab.view_mut(ab.shape).unwrap(), write!(of_info)));
    assert!(downloaded(&ab, &of_ab).canaries_live());
    assert_eq!((downloaded(&ab, &of_ab).dense(), numbers(&of_info)), (factor.dense(), vec![info]));
    if is_definite {
        let (mut x, mut of_b) = (b.clone(), uploaded(context, &b));
        done(pbtrs_on(&queue, triangle, kd, of_ab.view(ab.shape).unwrap(), of_b.view_mut(b.shape).unwrap()));
        pbtrs(triangle, kd, factor.view(), x.view_mut()).unwrap();
        assert!(downloaded(&b, &of_b).canaries_live());
        assert_eq!(downloaded(&b, &of_b).dense(), x.dense());
    }
    let (mut of_ab, mut of_b, mut x) = (uploaded(context, &ab), uploaded(context, &b), b.clone());
    let (left, right) = (of_ab.view_mut(ab.shape).unwrap(), of_b.view_mut(b.shape).unwrap());
    done(pbsv_on(&queue, triangle, kd, left, right, write!(of_info)));
    assert_eq!(info_of(pbsv(triangle, kd, ab.clone().view_mut(), x.view_mut())), info);
    assert_eq!((downloaded(&b, &of_b).dense(), numbers(&of_info)), (x.dense(), vec![info]));
}

macro_rules! indefinite {
    (
        $check:ident: $trf:ident $trf_on:ident $trs:ident $trs_on:ident $sv:ident $sv_on:ident $tri:ident $tri_on:ident
    ) => {
        fn $check<T: Scalar>(context: &Context, storage: (Layout, usize), triangle: Triangle, is_singular: bool) {
            let queue = context.queue().unwrap();
            let mut a = Stored::<T>::new(storage.0, N, N, storage.1, 8);
            if is_singular {
                (0..N).for_each(|i| (a.set(i, 4, 0.0.into()), a.set(4, i, 0.0.into())).0);
            }
            let b = Stored::<T>::new(storage.0, N, COLUMNS, storage.1, 9);
            let (mut factors, mut pivots) = (a.clone(), vec![0; N]);
            let info = info_of($trf(triangle, factors.view_mut(), &mut pivots));
            assert_eq!(info > 0, is_singular);
            let (mut of_a, mut of_pivots, mut of_info) =
                (uploaded(context, &a), integers(context, N), integers(context, 1));
            let view = of_a.view_mut(a.shape).unwrap();
            done($trf_on(&queue, triangle, view, write!(of_pivots), write!(of_info)));
            assert!(downloaded(&a, &of_a).canaries_live());
            assert_eq!(downloaded(&a, &of_a).dense(), factors.dense());
            assert_eq!((numbers(&of_pivots), numbers(&of_info)), (pivots.clone(), vec![info]));
            if !is_singular {
                let (mut x, mut of_b) = (b.clone(), uploaded(context, &b));
                let (left, right) = (of_a.view(a.shape).unwrap(), of_b.view_mut(b.shape).unwrap());
                done($trs_on(&queue, triangle, left, read!(of_pivots), right));
                $trs(triangle, factors.view(), &pivots, x.view_mut()).unwrap();
                assert!(downloaded(&b, &of_b).canaries_live());
                assert_eq!(downloaded(&b, &of_b).dense(), x.dense());
            }
            let view = of_a.view_mut(a.shape).unwrap();
            done($tri_on(&queue, triangle, view, read!(of_pivots), write!(of_info)));
            let inverse_info = info_of($tri(triangle, factors.view_mut(), &pivots));
            assert_eq!((downloaded(&a, &of_a).dense(), numbers(&of_info)), (factors.dense(), vec![inverse_info]));
            let (mut of_a, mut of_b, mut x) = (uploaded(context, &a), uploaded(context, &b), b.clone());
            let (left, right) = (of_a.view_mut(a.shape).unwrap(), of_b.view_mut(b.shape).unwrap());
            done($sv_on(&queue, triangle, left, write!(of_pivots), right, write!(of_info)));
            assert_eq!(info_of($sv(triangle, a.clone().view_mut(), &mut pivots, x.view_mut())), info);
            assert_eq!((downloaded(&b, &of_b).dense(), numbers(&of_info)), (x.dense(), vec![info]));
        }
    };
}
indefinite!(symmetric: sytrf sytrf_on sytrs sytrs_on sysv sysv_on sytri sytri_on);
indefinite!(hermitian: hetrf hetrf_on hetrs hetrs_on hesv hesv_on hetri hetri_on);

mod device_small {
    use super::*;

    fn contexts_of<T: Scalar>() -> Vec<Context> {
        devices::<T>().into_iter().step_by(2).map(|(context, _)| context).collect()
    }

    #[test]
    fn tridiagonal_systems_of_a_device_are_the_hosts() {
        fn check<T: Scalar>() {
            for context in contexts_of::<T>() {
                for storage in STORAGES {
                    for other in [false, true] {
                        tridiagonal::<T>(&context, storage, other);
                        definite_tridiagonal::<T>(&context, storage, other);
                    }
                }
            }
        }
        for_each_type!(check());
    }

    #[test]
    fn band_systems_of_a_device_are_the_hosts() {
        fn check<T: Scalar>() {
            for context in contexts_of::<T>() {
                for storage in STORAGES {
                    band::<T>(&context, storage);
                    for &triangle in Triangle::ALL {
                        definite_band::<T>(&context, storage, triangle, true);
                        definite_band::<T>(&context, storage, triangle, false);
                    }
                }
            }
        }
        for_each_type!(check());
    }

    #[test]
    fn indefinite_systems_of_a_device_are_the_hosts() {
        fn check<T: Scalar>() {
            for context in contexts_of::<T>() {
                for storage in STORAGES {
                    for &triangle in Triangle::ALL {
                        for is_singular in [false, true] {
                            symmetric::<T>(&context, storage, triangle, is_singular);
                            hermitian::<T>(&context, storage, triangle, is_singular);
                        }
                    }
                }
            }
        }
        for_each_type!(check());
    }
}
