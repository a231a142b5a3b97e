use super::*;
use crate::lapack::batched::{JacobiTeam, gesvd_batched_with_team, heev_batched_with_team};
use crate::lapack::tests::host::{adjoint, assert_ratio, difference, identity, norm, product, ratio};
use crate::options::Triangle;
use crate::testing::for_each_type;
use crate::{gesvd_batched, gesvd_batched_on, heev_batched, heev_batched_on};

/// Values whose squares overflow or underflow.
fn large<T: Scalar>() -> f64 {
    if T::KIND.is_double() { 1e290 } else { 1e30 }
}

/// Matrices of every kind: random, graded, repeated and clustered values, rank 1, zero, small, large, diagonal.
const KINDS: usize = 9;

/// Kind `matrix` of these, from a random one.
fn of_kind<T: Scalar>(a: &Batch<T>, matrix: usize, (i, j): (usize, usize)) -> Complex64 {
    let random = a.element(0, i, j);
    let unit = Complex64::new(f64::from(u8::from(i == j)), 0.0);
    let other = 1.min(a.count - 1);
    let outer = a.element(other, i, 0) * a.element(other, j.min(a.shape().matrix().rows().max(1) - 1), 0).conj();
    let grade = |k: usize| 10f64.powf(-5.0 * k as f64 / 8.0).max(1e-20);
    match matrix % KINDS {
        1 => random * grade(i) * grade(j),
        2 => unit + outer * 2.0,
        3 => outer,
        4 => Complex64::ZERO,
        5 => random / large::<T>(),
        6 => random * large::<T>(),
        7 => unit * (i as f64 - 1.5),
        8 => unit + random * 1e-4,
        _ => random,
    }
}

/// Both triangles of Hermitian matrices of every kind.
fn hermitian<T: Scalar>(a: &Batch<T>, n: usize) -> Batch<T> {
    let mut b = a.clone();
    for matrix in 0..a.count {
        for j in 0..n {
            for i in j..n {
                let value = of_kind(a, matrix, (i, j));
                let value = if i == j { Complex64::new(value.re, 0.0) } else { value };
                set(&mut b, matrix, (i, j), value);
                set(&mut b, matrix, (j, i), value.conj());
            }
        }
    }
    b
}

/// Eigenvalues, a stride of n + 1 apart, vectors and infos.
struct Eigen<T: Scalar> {
    w: Vec<T::RealScalar>,
    v: Batch<T>,
    info: Vec<i32>,
}

fn eigen<T: Scalar>(
    backend: &Backend<'_>,
    team: Option<JacobiTeam>,
    triangle: Triangle,
    a: &Batch<T>,
    n: usize,
    vectors: bool,
) -> Eigen<T> {
    let stride = n + 1;
    let canary = T::RealScalar::from_parts(f64::from(CANARY), 0.0);
    let (mut w, mut info) = (vec![canary; a.count * stride], vec![CANARY; a.count + 1]);
    let Some(device_info) = backend.device_info else {
        let mut data = a.data.clone();
        let view = BatchMut::from_slice(&mut data, a.shape()).unwrap();
        heev_batched(triangle, view, &mut w, stride, vectors, &mut info).unwrap();
        return Eigen { w, v: with_data(a, data), info };
    };
    let context = backend.context;
    let (mut memory, mut w, mut info) =
        (context.upload(&a.data).unwrap(), context.upload(&w).unwrap(), context.upload(&info).unwrap());
    let (queue, view) = (context.queue().unwrap(), memory.batch_mut(a.shape()).unwrap());
    let (of_w, of_info) = (w.vector_mut().unwrap(), info.vector_mut().unwrap());
    let event = if device_info.class == DeviceClass::Gpu {
        let facts = (team, device_info);
        heev_batched_with_team(&queue, triangle, &view, (&of_w, stride), vectors, &of_info, facts).unwrap().unwrap()
    } else {
        heev_batched_on(&queue, triangle, view, of_w, stride, vectors, of_info).unwrap()
    };
    event.wait().unwrap();
    Eigen { w: w.download().unwrap(), v: with_data(a, memory.download().unwrap()), info: info.download().unwrap() }
}

fn check_eigen<T: Scalar>(backend: &Backend<'_>, team: Option<JacobiTeam>, n: usize, k: usize, count: usize) {
    let triangle = if k.is_multiple_of(2) { Triangle::Lower } else { Triangle::Upper };
    let full = hermitian(&batch::<T>(k, [n, n], count, 3), n);
    // The other triangle is not read.
    let mut a = full.clone();
    for matrix in 0..count {
        for j in 0..n {
            for i in j + 1..n {
                let index = if triangle == Triangle::Lower { (j, i) } else { (i, j) };
                set(&mut a, matrix, index, Complex64::new(f64::NAN, f64::NAN));
            }
        }
    }
    let case = (n, k, count, team, backend.device_info.map(|device_info| device_info.class));
    let found = eigen(backend, team, triangle, &a, n, true);
    let values = eigen(backend, team, triangle, &a, n, false);
    assert!(found.v.canaries_live(), "{case:?}: memory around the vectors was changed");
    let same = values.v.data.iter().zip(&a.data).all(|(x, y)| x == y || (x.re().is_nan() && y.re().is_nan()));
    assert!(same, "{case:?}: a matrix was changed without vectors");
    assert_eq!(found.info[..count], vec![0; count], "{case:?}");
    assert_eq!((found.info[count], values.info[count]), (CANARY, CANARY), "{case:?}");
    for matrix in 0..count {
        let w: Vec<f64> = found.w[matrix * (n + 1)..][..n].iter().map(|w| w.re()).collect();
        assert!(w.is_sorted(), "{case:?} {matrix}: {w:?}");
        assert_eq!(found.w[matrix * (n + 1) + n].re(), f64::from(CANARY), "{case:?}");
        let (before, v) = (dense(&full, matrix, [n, n]), dense(&found.v, matrix, [n, n]));
        let scaled = Dense::from_fn(n, n, |i, j| v[(i, j)] * w[j]);
        let error = difference(&product(&before, &v), &scaled);
        assert_ratio::<T>(ratio::<T>(&error, n, norm(&before)), "A V - V W", &(case, matrix));
        let error = difference(&identity(n), &product(&adjoint(&v), &v));
        assert_ratio::<T>(ratio::<T>(&error, n, 1.0), "I - Vᴴ V", &(case, matrix));
        let others = &values.w[matrix * (n + 1)..];
        let error = Dense::from_fn(n, 1, |i, _| Complex64::new(w[i] - others[i].re(), 0.0));
        assert_ratio::<T>(ratio::<T>(&error, n, norm(&before)), "eigenvalues alone", &(case, matrix));
    }
}

/// Singular values, vectors and infos.
struct Singular<T: Scalar> {
    s: Vec<T::RealScalar>,
    u: Batch<T>,
    vt: Batch<T>,
    info: Vec<i32>,
}

fn singular<T: Scalar>(
    backend: &Backend<'_>,
    team: Option<JacobiTeam>,
    a: &Batch<T>,
    (u, vt): (&Batch<T>, &Batch<T>),
    order: usize,
    vectors: bool,
) -> Singular<T> {
    let stride = order + 1;
    let canary = T::RealScalar::from_parts(f64::from(CANARY), 0.0);
    let (mut s, mut info) = (vec![canary; a.count * stride], vec![CANARY; a.count]);
    let Some(device_info) = backend.device_info else {
        let (mut of_u, mut of_vt) = (u.data.clone(), vt.data.clone());
        let view = BatchRef::from_slice(&a.data, a.shape()).unwrap();
        let destinations = vectors.then(|| {
            (BatchMut::from_slice(&mut of_u, u.shape()).unwrap(), BatchMut::from_slice(&mut of_vt, vt.shape()).unwrap())
        });
        gesvd_batched(view, &mut s, stride, destinations, &mut info).unwrap();
        return Singular { s, u: with_data(u, of_u), vt: with_data(vt, of_vt), info };
    };
    let context = backend.context;
    let (memory, mut of_u, mut of_vt) =
        (context.upload(&a.data).unwrap(), context.upload(&u.data).unwrap(), context.upload(&vt.data).unwrap());
    let (mut s, mut info) = (context.upload(&s).unwrap(), context.upload(&info).unwrap());
    let (queue, view) = (context.queue().unwrap(), memory.batch(a.shape()).unwrap());
    let destinations = vectors.then(|| (of_u.batch_mut(u.shape()).unwrap(), of_vt.batch_mut(vt.shape()).unwrap()));
    let (of_s, of_info) = (s.vector_mut().unwrap(), info.vector_mut().unwrap());
    let event = if device_info.class == DeviceClass::Gpu {
        let destinations = destinations.as_ref().map(|(u, vt)| (u, vt));
        let facts = (team, device_info);
        gesvd_batched_with_team(&queue, &view, (&of_s, stride), destinations, &of_info, facts).unwrap().unwrap()
    } else {
        gesvd_batched_on(&queue, view, of_s, stride, destinations, of_info).unwrap()
    };
    event.wait().unwrap();
    Singular {
        s: s.download().unwrap(),
        u: with_data(u, of_u.download().unwrap()),
        vt: with_data(vt, of_vt.download().unwrap()),
        info: info.download().unwrap(),
    }
}

fn check_singular<T: Scalar>(
    backend: &Backend<'_>,
    team: Option<JacobiTeam>,
    [m, n]: [usize; 2],
    k: usize,
    count: usize,
    full: bool,
) {
    let order = m.min(n);
    let mut a = batch::<T>(k, [m, n], count, 5);
    let random = a.clone();
    for matrix in 0..count {
        for i in 0..m {
            for j in 0..n {
                set(&mut a, matrix, (i, j), of_kind(&random, matrix, (i, j)));
            }
        }
    }
    let (columns, rows) = if full { (m, n) } else { (order, order) };
    let (mut u, mut vt) = (batch::<T>(k + 1, [m, columns], count, 7), batch::<T>(k + 2, [rows, n], count, 8));
    u.poison();
    vt.poison();
    let case = ([m, n], k, count, full, team, backend.device_info.map(|device_info| device_info.class));
    let found = singular(backend, team, &a, (&u, &vt), order, true);
    let values = singular(backend, None, &a, (&u, &vt), order, false);
    assert!(found.u.canaries_live() && found.vt.canaries_live(), "{case:?}: memory around the vectors was changed");
    assert_eq!((&found.info, &values.info), (&vec![0; count], &vec![0; count]), "{case:?}");
    for matrix in 0..count {
        let s: Vec<f64> = found.s[matrix * (order + 1)..][..order].iter().map(|s| s.re()).collect();
        assert!(s.iter().rev().is_sorted() && s.iter().all(|s| *s >= 0.0), "{case:?} {matrix}: {s:?}");
        let before = dense(&a, matrix, [m, n]);
        let (u, vt) = (dense(&found.u, matrix, [m, columns]), dense(&found.vt, matrix, [rows, n]));
        let scaled = Dense::from_fn(m, order, |i, j| u[(i, j)] * s[j]);
        let right = Dense::from_fn(order, n, |i, j| vt[(i, j)]);
        let (longer, size) = (m.max(n), norm(&before));
        let error = difference(&before, &product(&scaled, &right));
        assert_ratio::<T>(ratio::<T>(&error, longer, size), "A - U S Vᴴ", &(case, matrix));
        let error = difference(&identity(columns), &product(&adjoint(&u), &u));
        assert_ratio::<T>(ratio::<T>(&error, longer, 1.0), "I - Uᴴ U", &(case, matrix));
        let error = difference(&identity(rows), &product(&vt, &adjoint(&vt)));
        assert_ratio::<T>(ratio::<T>(&error, longer, 1.0), "I - Vᴴ V", &(case, matrix));
        let others = &values.s[matrix * (order + 1)..];
        let error = Dense::from_fn(order, 1, |i, _| Complex64::new(s[i] - others[i].re(), 0.0));
        assert_ratio::<T>(ratio::<T>(&error, longer, size), "singular values alone", &(case, matrix));
    }
}

/// Of the backends, those without teams: the host, and a CPU.
fn check_on_hosts<T: Scalar>(n: usize, k: usize) {
    for_each_backend::<T>(|backend| {
        if !backend.is(DeviceClass::Gpu) {
            check_eigen::<T>(backend, None, n, k, KINDS);
            check_singular::<T>(backend, None, [n, n], k, KINDS, false);
        }
    });
}

fn check_on_teams<T: Scalar>(n: usize, k: usize, count: usize, team: Option<JacobiTeam>) {
    for_each_backend::<T>(|backend| {
        if backend.is(DeviceClass::Gpu) {
            check_eigen::<T>(backend, team, n, k, count);
        }
    });
}

fn check_sizes<T: Scalar>(class: Option<DeviceClass>, sizes: &[[usize; 2]], count: usize, team: Option<JacobiTeam>) {
    for_each_backend::<T>(|backend| {
        if backend.device_info.map(|device_info| device_info.class) == class {
            for (k, &size) in sizes.iter().enumerate() {
                check_singular::<T>(backend, team, size, k, count, k % 2 == 1);
            }
        }
    });
}

/// A matrix with an element that is not finite has NaN for results, and does not disturb the others.
fn check_not_finite<T: Scalar>(bad: f64) {
    for_each_backend::<T>(|backend| {
        let (n, count) = (4, 3);
        let mut a = hermitian(&batch::<T>(0, [n, n], count, 3), n);
        set(&mut a, 1, (2, 1), Complex64::new(bad, 0.0));
        let found = eigen(backend, None, Triangle::Lower, &a, n, true);
        assert_eq!(found.info[..count], [0, n as i32, 0]);
        let stride = n + 1;
        assert!(found.w[stride..][..n].iter().all(|w| w.re().is_nan()));
        assert!((0..n).all(|i| (0..n).all(|j| found.v.element(1, i, j).re.is_nan())));
        assert!(found.w[..n].iter().chain(&found.w[2 * stride..][..n]).all(|w| w.re().is_finite()));
        let (u, vt) = (batch::<T>(0, [n, n], count, 7), batch::<T>(0, [n, n], count, 8));
        let found = singular(backend, None, &a, (&u, &vt), n, true);
        assert_eq!(found.info, [0, n as i32, 0]);
        assert!(found.s[stride..][..n].iter().all(|s| s.re().is_nan()));
        assert!((0..n).all(|i| (0..n).all(|j| found.u.element(1, i, j).re.is_nan())));
        assert!((0..n).all(|i| (0..n).all(|j| found.vt.element(1, i, j).re.is_nan())));
        assert!(found.s[..n].iter().chain(&found.s[2 * stride..][..n]).all(|s| s.re().is_finite()));
    });
}

mod host {
    use super::*;

    #[test]
    fn batched_decompositions_refuse_wrong_sizes_and_touch_nothing() {
        let mut a = [1.0_f64; 12];
        let shape = |rows, columns| {
            BatchShape::strided(MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows).unwrap(), 6, 2).unwrap()
        };
        let (mut w, mut info) = ([7.0; 4], [7; 2]);
        let mut check = |columns, strides, length: usize, infos: usize| {
            let view = BatchMut::from_slice(&mut a, shape(2, columns)).unwrap();
            heev_batched(Triangle::Lower, view, &mut w[..length], strides, true, &mut info[..infos])
        };
        assert!(check(3, 2, 4, 2).is_err() && check(2, 1, 4, 2).is_err());
        assert!(check(2, 2, 3, 2).is_err() && check(2, 2, 4, 1).is_err());
        let (mut u, mut vt) = ([7.0; 12], [7.0; 12]);
        let b = BatchRef::from_slice(&a, shape(2, 3)).unwrap();
        let vectors = Some((
            BatchMut::from_slice(&mut u, shape(2, 3)).unwrap(),
            BatchMut::from_slice(&mut vt, shape(2, 3)).unwrap(),
        ));
        assert!(gesvd_batched(b, &mut w, 2, vectors, &mut info).is_err());
        assert!((a, w, info, u, vt) == ([1.0; 12], [7.0; 4], [7; 2], [7.0; 12], [7.0; 12]));
    }
}

mod device {
    use super::*;

    #[test]
    fn batched_eigenvalues_and_singular_values_of_any_order() {
        for (k, n) in [0, 1, 2, 3, 7, 8, 16, 31, 32, 33, 64, 65].into_iter().enumerate() {
            for_each_type!(check_on_hosts(n, k));
        }
        let sizes = [[0, 3], [3, 0], [1, 9], [9, 1], [40, 20], [20, 40], [5, 5]];
        for class in [None, Some(DeviceClass::Cpu)] {
            for_each_type!(check_sizes(class, &sizes, KINDS, None));
            for_each_type!(check_sizes(class, &[[5, 5]], 0, None));
        }
    }

    /// Several lanes, of which each has few elements, and columns that go through local memory in one step or in two.
    const LANES: JacobiTeam = JacobiTeam { pairs: 4, lanes: 4, teams: 2, rows: 2, vector_rows: 0, parts: 1 };

    #[test]
    fn batched_eigenvalues_by_teams() {
        for_each_type!(check_on_teams(3, 0, 0, None));
        for_each_type!(check_on_teams(3, 1, 1, None));
        for_each_type!(check_on_teams(0, 1, 2, None));
        check_on_teams::<f64>(7, 0, KINDS, Some(LANES));
        check_on_teams::<Complex64>(8, 1, 3, Some(JacobiTeam { parts: 2, ..LANES }));
        if compiles_large_panels() {
            for (k, n) in [1, 2, 5, 8, 16, 31, 32, 33, 64].into_iter().enumerate() {
                for_each_type!(check_on_teams(n, k, KINDS, None));
            }
        }
    }

    #[test]
    fn batched_singular_values_by_teams() {
        let gpu = Some(DeviceClass::Gpu);
        for_each_type!(check_sizes(gpu, &[[5, 5]], 0, None));
        let lanes = JacobiTeam { vector_rows: 2, parts: 2, ..LANES };
        check_sizes::<f64>(gpu, &[[8, 8], [5, 7]], KINDS, Some(lanes));
        if compiles_large_panels() {
            let small = [[1, 1], [2, 2], [3, 3], [0, 3], [3, 0], [5, 3], [3, 5], [8, 8]];
            for_each_type!(check_sizes(gpu, &small, KINDS, None));
            let large = [[31, 31], [32, 32], [33, 33], [64, 64], [100, 20], [20, 100]];
            for_each_type!(check_sizes(gpu, &large, KINDS, None));
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn batched_decompositions() {
        for_each_type!(check_on_hosts(3, 0));
        for_each_type!(check_on_teams(3, 1, 5, None));
        let lanes = JacobiTeam { pairs: 2, lanes: 2, teams: 2, rows: 2, vector_rows: 2, parts: 2 };
        for_each_type!(check_on_teams(4, 0, 3, Some(JacobiTeam { vector_rows: 0, parts: 1, ..lanes })));
        for_each_type!(check_sizes(Some(DeviceClass::Gpu), &[[3, 2], [4, 3]], 5, None));
        for_each_type!(check_sizes(Some(DeviceClass::Gpu), &[[4, 4], [3, 4]], 5, Some(lanes)));
    }

    #[test]
    fn batched_decompositions_of_what_is_not_finite() {
        for bad in [f64::NAN, f64::INFINITY] {
            for_each_type!(check_not_finite(bad));
        }
    }
}
