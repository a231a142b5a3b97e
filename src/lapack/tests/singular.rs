//! Singular values and vectors by the polar decomposition: LAPACK's ratios for every kind of matrix, and the host's
//! values.

use faer::Mat;

use super::host::{Dense, adjoint, assert_ratio, difference, identity, norm, product, ratio};
use super::*;
use crate::device::DeviceInfo;
use crate::lapack::eigen::EigenPlan;
use crate::lapack::singular::{gelsd_with_plan, gesdd_with_plan};
use crate::scalar::Complex64;
use crate::testing::{filled, for_each_type};
use crate::view::{MatrixMut, View};
use crate::{Error, SingularVectors};

/// Which singular values a matrix has.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Random,
    /// Rows and columns that become smaller, or larger.
    Graded(bool),
    /// Half of the rank.
    Deficient,
    /// One singular value apart from a cluster of tiny ones.
    Clustered,
    /// Every other singular value is the precision.
    AtPrecision,
    Orthogonal,
    /// Some columns are zero.
    ZeroColumns,
    /// Ill-conditioned, with no small element.
    Triangular,
    /// Powers of equidistant numbers.
    Vandermonde,
    Ones,
    Zero,
    /// Random, times a power of two.
    Scaled(i32),
}

const KINDS: [Kind; 12] = [
    Kind::Random,
    Kind::Graded(false),
    Kind::Graded(true),
    Kind::Deficient,
    Kind::Clustered,
    Kind::AtPrecision,
    Kind::Orthogonal,
    Kind::ZeroColumns,
    Kind::Triangular,
    Kind::Vandermonde,
    Kind::Ones,
    Kind::Zero,
];

fn real(value: f64) -> Complex64 {
    Complex64::new(value, 0.0)
}

/// Random numbers of the type, in doubles.
fn random<T: Scalar>(m: usize, n: usize, seed: u64) -> Dense {
    let values = filled::<T>(m, n, seed);
    Mat::from_fn(m, n, |i, j| Complex64::new(values[(i, j)].re(), values[(i, j)].im()))
}

/// G D H for reflectors G and H of random vectors.
fn reflected<T: Scalar>([m, n]: [usize; 2], value: &dyn Fn(usize) -> f64) -> Dense {
    let reflector = |n: usize, seed| {
        let v = random::<T>(n, 1, seed);
        let size: f64 = (0..n).map(|i| v[(i, 0)].norm_sqr()).sum();
        Mat::from_fn(n, n, move |i, j| real(f64::from(u8::from(i == j))) - v[(i, 0)] * v[(j, 0)].conj() * (2.0 / size))
    };
    let middle = Mat::from_fn(m, n, |i, j| real(if i == j { value(i) } else { 0.0 }));
    product(&product(&reflector(m, 7), &middle), &reflector(n, 8))
}

/// A matrix of the type, in doubles, divided by its scale, and the scale.
fn matrix<T: Scalar>([m, n]: [usize; 2], kind: Kind) -> (Dense, f64) {
    let values = random::<T>(m, n, 1);
    let order = m.min(n);
    let grade = |i: usize, n: usize| 10_f64.powf(-9.0 * i as f64 / n as f64);
    let epsilon = T::EPSILON;
    let a = match kind {
        Kind::Random | Kind::Scaled(_) => values,
        Kind::Graded(false) => Mat::from_fn(m, n, |i, j| values[(i, j)] * grade(i, m) * grade(j, n)),
        Kind::Graded(true) => Mat::from_fn(m, n, |i, j| values[(i, j)] * grade(m - i, m) * grade(n - j, n)),
        Kind::Deficient => {
            let rank = order.div_ceil(2);
            product(&random::<T>(m, rank, 2), &random::<T>(rank, n, 3))
        }
        Kind::Clustered => reflected::<T>([m, n], &|i| if i == 0 { 1.0 } else { 40.0 * epsilon }),
        Kind::AtPrecision => reflected::<T>([m, n], &|i| if i % 2 == 0 { 1.0 } else { epsilon }),
        Kind::Orthogonal => reflected::<T>([m, n], &|_| 1.0),
        Kind::ZeroColumns => Mat::from_fn(m, n, |i, j| if j % 3 == 1 { real(0.0) } else { values[(i, j)] }),
        Kind::Triangular => Mat::from_fn(m, n, |i, j| if i > j { real(0.0) } else { values[(i, j)] }),
        Kind::Vandermonde => Mat::from_fn(m, n, |i, j| real((i as f64 / m as f64).powi((n - j) as i32))),
        Kind::Ones => Mat::from_fn(m, n, |_, _| real(1.0)),
        Kind::Zero => Mat::from_fn(m, n, |_, _| real(0.0)),
    };
    let scale = if let Kind::Scaled(exponent) = kind { 2_f64.powi(exponent) } else { 1.0 };
    let rounded = |value: Complex64| {
        let value = T::from_parts(value.re * scale, value.im * scale);
        Complex64::new(value.re(), value.im()) / scale
    };
    (Mat::from_fn(m, n, |i, j| rounded(a[(i, j)])), scale)
}

/// How many vectors are wanted, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wanted {
    All,
    Some,
    /// Left ones in A, and right ones.
    LeftOverA,
    /// Right ones in A, and left ones.
    RightOverA,
}

const WANTED: [Wanted; 4] = [Wanted::All, Wanted::Some, Wanted::LeftOverA, Wanted::RightOverA];

type On = (Context, DeviceInfo);

fn check<T: Scalar>(on: &On, size: [usize; 2], kind: Kind, wanted: Wanted, (layout, gap): (Layout, usize)) {
    let [m, n] = size;
    let case = (size, kind, wanted, layout, gap, &on.1.name);
    let order = m.min(n);
    let (a, scale) = matrix::<T>(size, kind);
    let before = Stored::<T>::new(layout, m, n, gap, 1).filled_with(|i, j| a[(i, j)] * scale);
    let columns = if wanted == Wanted::All { [m, n] } else { [order; 2] };
    let u = Stored::<T>::new(layout, m, columns[0], gap, 2);
    let vt = Stored::<T>::new(layout, columns[1], n, gap, 3);
    let queue = on.0.queue().unwrap();
    let plan = EigenPlan { panel: 8, leaf: 8, ..EigenPlan::for_kernels(T::KIND) };
    let (mut memory, mut of_u, mut of_vt) = (uploaded(&on.0, &before), uploaded(&on.0, &u), uploaded(&on.0, &vt));
    let mut alone = vec![T::RealScalar::ZERO; order];
    let view = memory.view_mut(before.shape).unwrap();
    assert!(gesdd_with_plan(&queue, &view, &mut alone, [None, None], (&plan, &on.1)).unwrap(), "{case:?}");
    let bits =
        |stored: &Stored<T>| stored.data.iter().map(|x| [x.re().to_bits(), x.im().to_bits()]).collect::<Vec<_>>();
    assert_eq!(bits(&downloaded(&before, &memory)), bits(&before), "{case:?}: A is changed without vectors");
    let mut s = vec![T::RealScalar::ZERO; order];
    {
        let view = memory.view_mut(before.shape).unwrap();
        let (own_u, own_vt) = (of_u.view_mut(u.shape).unwrap(), of_vt.view_mut(vt.shape).unwrap());
        let part =
            |rows, columns| MatrixMut::<T>::from_parts(view.memory(), before.shape.block((0, rows), (0, columns)));
        let over = if wanted == Wanted::LeftOverA { part(m, order) } else { part(order, n) };
        let vectors = match wanted {
            Wanted::LeftOverA => [&over, &own_vt],
            Wanted::RightOverA => [&own_u, &over],
            _ => [&own_u, &own_vt],
        };
        let run = |s: &mut [T::RealScalar], vectors: [Option<&MatrixMut<'_, T>>; 2]| {
            assert!(gesdd_with_plan(&queue, &view, s, vectors, (&plan, &on.1)).unwrap(), "{case:?}");
        };
        if matches!(wanted, Wanted::All | Wanted::Some) {
            // Each kind alone.
            run(&mut s, [Some(&own_u), None]);
            run(&mut s, [None, Some(&own_vt)]);
        } else {
            run(&mut s, vectors.map(Some));
        }
    }
    let after = downloaded(&before, &memory);
    let (found_u, found_vt) = (downloaded(&u, &of_u), downloaded(&vt, &of_vt));
    assert!(after.canaries_live() && found_u.canaries_live() && found_vt.canaries_live(), "{case:?}");
    let part = |rows, columns| {
        let dense = after.dense();
        Mat::from_fn(rows, columns, |i, j| dense[(i, j)])
    };
    let (left, right) = match wanted {
        Wanted::LeftOverA => {
            assert_eq!(bits(&found_u), bits(&u), "{case:?}: U is not wanted");
            (part(m, order), found_vt.dense())
        }
        Wanted::RightOverA => {
            assert_eq!(bits(&found_vt), bits(&vt), "{case:?}: VT is not wanted");
            (found_u.dense(), part(order, n))
        }
        _ => {
            assert_eq!(bits(&after), bits(&before), "{case:?}: A is changed");
            (found_u.dense(), found_vt.dense())
        }
    };
    let right = adjoint(&right);
    for (vectors, name) in [(&left, "I - Uᴴ U"), (&right, "I - Vᴴ V")] {
        let (rows, count) = (vectors.nrows(), vectors.ncols());
        let error = difference(&identity(count), &product(&adjoint(vectors), vectors));
        assert_ratio::<T>(ratio::<T>(&error, rows, 1.0), name, &case);
    }
    let scaled = Mat::from_fn(m, order, |i, j| left[(i, j)] * (s[j].re() / scale));
    let first = Mat::from_fn(n, order, |i, j| right[(i, j)]);
    let error = difference(&a, &product(&scaled, &adjoint(&first)));
    assert_ratio::<T>(ratio::<T>(&error, m.max(n), norm(&a)), "A - U S Vᴴ", &case);

    assert!(s.windows(2).all(|pair| pair[0] >= pair[1]) && s.iter().all(|s| s.re() >= 0.0), "{case:?}: {s:?}");
    let mut on_host = before.clone();
    let mut expected = vec![T::RealScalar::ZERO; order];
    crate::gesvd(on_host.view_mut(), &mut expected, SingularVectors::None, SingularVectors::None).unwrap();
    let bound = 30.0 * m.max(n) as f64 * T::EPSILON * norm(&a);
    for i in 0..order {
        for found in [s[i], alone[i]] {
            let difference = (found.re() - expected[i].re()).abs() / scale;
            assert!(difference <= bound, "{case:?}: value {i} is {found:?}, and not {:?}", expected[i]);
        }
    }
}

/// Devices taken for GPUs.
fn gpus<T: Scalar>() -> Vec<On> {
    devices::<T>().into_iter().filter(|(_, device_info)| device_info.class == DeviceClass::Gpu).collect()
}

fn check_kinds<T: Scalar>(sizes: &[[usize; 2]], kinds: &[Kind]) {
    for on in gpus::<T>() {
        for (i, size) in sizes.iter().enumerate() {
            for (k, kind) in kinds.iter().enumerate() {
                check::<T>(&on, *size, *kind, WANTED[(i + k) % 4], STORAGES[(i / 2 + k) % 3]);
            }
        }
    }
}

/// X minimises ||B - A X||, has no part in A's null space, and the rank, singular values and vectors are the host's.
fn check_least_squares<T: Scalar>(
    on: &On,
    size: [usize; 2],
    kind: Kind,
    scale_of_b: i32,
    (layout, gap): (Layout, usize),
) {
    let ([m, n], columns) = (size, 3);
    let case = (size, kind, scale_of_b, layout, gap, &on.1.name);
    let (order, long) = (m.min(n), m.max(n));
    let (a, scale) = matrix::<T>(size, kind);
    let b = random::<T>(m, columns, 4);
    let b_scale = 2_f64.powi(scale_of_b);
    let before = Stored::<T>::new(layout, m, n, gap, 1).filled_with(|i, j| a[(i, j)] * scale);
    let right = Stored::<T>::new(layout, long, columns, gap, 2)
        .filled_with(|i, j| if i < m { b[(i, j)] * b_scale } else { Complex64::new(f64::NAN, 0.0) });
    let (mut memory, mut of_b) = (uploaded(&on.0, &before), uploaded(&on.0, &right));
    let (queue, rcond) = (on.0.queue().unwrap(), T::EPSILON.sqrt());
    let plan = EigenPlan { panel: 8, leaf: 8, ..EigenPlan::for_kernels(T::KIND) };
    let mut s = vec![T::RealScalar::ZERO; order];
    let rank = {
        let operands = (&memory.view_mut(before.shape).unwrap(), &of_b.view_mut(right.shape).unwrap());
        gelsd_with_plan(&queue, operands, &mut s, rcond, (&plan, &on.1)).unwrap()
    };
    let rank = rank.unwrap_or_else(|| panic!("{case:?}: not on the device"));
    let (after, found) = (downloaded(&before, &memory), downloaded(&right, &of_b));
    assert!(after.canaries_live() && found.canaries_live(), "{case:?}");

    let (mut on_host, mut expected) = (before.clone(), vec![T::RealScalar::ZERO; order]);
    let mut host_b = right.clone();
    let real_rcond = T::RealScalar::from_parts(rcond, 0.0);
    let host_rank = crate::gelsd(on_host.view_mut(), host_b.view_mut(), &mut expected, real_rcond).unwrap();
    assert_eq!(rank, host_rank, "{case:?}");
    let bound = 30.0 * long as f64 * T::EPSILON * norm(&a);
    for (found, expected) in s.iter().zip(&expected) {
        assert!((found.re() - expected.re()).abs() / scale <= bound, "{case:?}: {found:?}, and not {expected:?}");
    }

    // B over A: X without the scales.
    let stored = found.dense();
    let x = Mat::from_fn(n, columns, |i, j| stored[(i, j)] * (scale / b_scale));
    let rest = difference(&b, &product(&a, &x));
    let gradient = product(&adjoint(&a), &rest);
    let size_of_x = norm(&x);
    let size_of_b = norm(&b) + norm(&a) * size_of_x;
    assert_ratio::<T>(ratio::<T>(&gradient, long, norm(&a) * size_of_b), "Aᴴ (B - A X)", &case);
    let vectors = after.dense();
    let vt = Mat::from_fn(order, n, |i, j| vectors[(i, j)]);
    let error = difference(&identity(order), &product(&vt, &adjoint(&vt)));
    assert_ratio::<T>(ratio::<T>(&error, n, 1.0), "I - Vᴴ V", &case);
    let in_null_space = Mat::from_fn(order - rank, n, |i, j| vt[(rank + i, j)]);
    assert_ratio::<T>(ratio::<T>(&product(&in_null_space, &x), n, size_of_x), "X in the null space", &case);
    if m > n && rank == n {
        for j in 0..columns {
            let size = |values: &mut dyn Iterator<Item = Complex64>| values.map(|x| x.norm_sqr()).sum::<f64>().sqrt();
            let rows = size(&mut (n..m).map(|i| stored[(i, j)] / b_scale));
            let difference = (rows - size(&mut (0..m).map(|i| rest[(i, j)]))).abs();
            let bound = 30.0 * long as f64 * T::EPSILON * size_of_b;
            assert!(difference <= bound, "{case:?}: rows after X, {difference:e}");
        }
    }
}

mod device {
    use super::*;

    #[test]
    fn least_squares_of_any_rank() {
        fn check_kinds<T: Scalar>() {
            let kinds = [Kind::Random, Kind::Deficient, Kind::Orthogonal, Kind::ZeroColumns, Kind::Ones];
            for on in gpus::<T>() {
                for (i, size) in [[33, 33], [41, 23], [20, 37], [2, 1]].into_iter().enumerate() {
                    for (k, kind) in kinds.into_iter().enumerate() {
                        check_least_squares::<T>(&on, size, kind, 0, STORAGES[(i + k) % 3]);
                    }
                }
                let far = if T::KIND.is_double() { 900 } else { 100 };
                for (a, b) in [(far, far), (-far, -far), (far, 0), (0, -far)] {
                    check_least_squares::<T>(&on, [25, 21], Kind::Scaled(a), b, STORAGES[0]);
                    check_least_squares::<T>(&on, [13, 24], Kind::Scaled(a), b, STORAGES[1]);
                }
            }
        }
        for_each_type!(check_kinds());
    }

    #[test]
    fn gelsd_in_device_memory_gives_x_the_rank_and_info() {
        fn check_public<T: Scalar>() {
            for context in contexts::<T>().into_iter().filter(|context| context.device().is_some()) {
                let (m, n) = (150, 140);
                let (a, _) = matrix::<T>([m, n], Kind::Deficient);
                let before = Stored::<T>::new(Layout::RowMajor, m, n, 1, 1).filled_with(|i, j| a[(i, j)]);
                let x = random::<T>(n, 1, 5);
                let exact = product(&a, &x);
                let right = Stored::<T>::new(Layout::ColumnMajor, m, 1, 0, 2).filled_with(|i, j| exact[(i, j)]);
                for (value, expected) in [(0.5, 0), (f64::NAN, 1)] {
                    let (mut given, queue) = (before.clone(), context.queue().unwrap());
                    if value.is_nan() {
                        given.set(100, 50, Complex64::new(value, 0.0));
                    }
                    let (mut memory, mut of_b) = (uploaded(&context, &given), uploaded(&context, &right));
                    let mut s = context.upload(&vec![T::RealScalar::ZERO; n]).unwrap();
                    let mut info = context.upload(&[-1]).unwrap();
                    let (view, b) = (memory.view_mut(given.shape).unwrap(), of_b.view_mut(right.shape).unwrap());
                    let (values, found) = (s.vector_mut().unwrap(), info.vector_mut().unwrap());
                    let rcond = T::RealScalar::from_parts(T::EPSILON.sqrt(), 0.0);
                    let (event, rank) = crate::gelsd_on(&queue, view, b, values, rcond, found).unwrap();
                    event.wait().unwrap();
                    assert_eq!(info.download().unwrap()[0].signum(), expected);
                    let found = downloaded(&right, &of_b).dense();
                    if expected == 1 {
                        assert!((0..n).all(|i| found[(i, 0)].re.is_nan()));
                        continue;
                    }
                    assert_eq!(rank, 70);
                    let x = Mat::from_fn(n, 1, |i, _| found[(i, 0)]);
                    let error = difference(&exact, &product(&a, &x));
                    assert_ratio::<T>(ratio::<T>(&error, m, norm(&a) * norm(&x)), "B - A X", &(m, n));
                }
            }
        }
        for_each_type!(check_public());
    }

    #[test]
    fn singular_vectors_of_every_kind_of_matrix() {
        for_each_type!(check_kinds(&[[33, 33], [41, 23], [20, 37]], &KINDS));
    }

    #[test]
    fn singular_vectors_of_small_and_of_tall_matrices() {
        let kinds = [Kind::Random, Kind::Deficient, Kind::Zero];
        for_each_type!(check_kinds(&[[1, 1], [2, 2], [3, 1], [1, 4], [5, 4], [300, 9], [7, 260]], &kinds));
    }

    #[test]
    fn singular_vectors_of_matrices_at_the_ends_of_the_range() {
        fn check_scales<T: Scalar>() {
            let exponents: &[i32] = if T::KIND.is_double() { &[-1000, -540, 540, 1020] } else { &[-120, -70, 70, 124] };
            for on in gpus::<T>() {
                for (k, exponent) in exponents.iter().enumerate() {
                    check::<T>(&on, [25, 21], Kind::Scaled(*exponent), Wanted::Some, STORAGES[k % 3]);
                }
            }
        }
        for_each_type!(check_scales());
    }

    #[test]
    fn singular_vectors_of_larger_matrices() {
        for_each_type!(check_kinds(&[[150, 130]], &[Kind::Random, Kind::Triangular, Kind::Deficient]));
    }

    #[test]
    fn gesvd_in_device_memory_gives_values_vectors_and_info() {
        fn check_public<T: Scalar>() {
            for context in contexts::<T>().into_iter().filter(|context| context.device().is_some()) {
                // Orders on both sides of the switch to a GPU's kernels.
                for [m, n] in [[0, 3], [6, 4], [150, 140]] {
                    let (a, _) = matrix::<T>([m, n], Kind::Random);
                    let order = m.min(n);
                    let before = Stored::<T>::new(Layout::RowMajor, m, n, 1, 1).filled_with(|i, j| a[(i, j)]);
                    let vt = Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 3);
                    let (mut memory, queue) = (uploaded(&context, &before), context.queue().unwrap());
                    let mut of_vt = uploaded(&context, &vt);
                    let mut s = context.upload(&vec![T::RealScalar::ZERO; order]).unwrap();
                    let mut info = context.upload(&[-1]).unwrap();
                    let (view, right) = (memory.view_mut(before.shape).unwrap(), of_vt.view_mut(vt.shape).unwrap());
                    let (values, found) = (s.vector_mut().unwrap(), info.vector_mut().unwrap());
                    let (u, vt_wanted) = (SingularVectors::Overwrite, SingularVectors::Into(right));
                    crate::gesvd_on(&queue, view, values, u, vt_wanted, found).unwrap().wait().unwrap();
                    assert_eq!(info.download().unwrap(), [0]);
                    let (u, s) = (downloaded(&before, &memory).dense(), s.download().unwrap());
                    let vt = downloaded(&vt, &of_vt).dense();
                    let scaled = Mat::from_fn(m, order, |i, j| u[(i, j)] * s[j].re());
                    let first = Mat::from_fn(order, n, |i, j| vt[(i, j)]);
                    let error = difference(&a, &product(&scaled, &first));
                    assert_ratio::<T>(ratio::<T>(&error, n, norm(&a)), "A - U S Vᴴ", &(m, n));
                    let error = difference(&identity(n), &product(&vt, &adjoint(&vt)));
                    assert_ratio::<T>(ratio::<T>(&error, n, 1.0), "I - Vᴴ V", &(m, n));
                }
                let mut nan = Stored::<T>::new(Layout::ColumnMajor, 140, 140, 0, 1);
                nan.set(100, 50, Complex64::new(f64::NAN, 0.0));
                let mut memory = uploaded(&context, &nan);
                let mut s = vec![T::RealScalar::ZERO; 140];
                let view = memory.view_mut(nan.shape).unwrap();
                let found = crate::gesvd(view, &mut s, SingularVectors::None, SingularVectors::None);
                assert!(matches!(found, Err(Error::NoConvergence { .. })));
                assert!(s.iter().all(|s| s.re().is_nan()));
            }
        }
        for_each_type!(check_public());
    }
}
