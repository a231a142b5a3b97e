//! Eigenvalues and eigenvectors of Hermitian matrices by kernels: LAPACK's ratios, also where divide and conquer
//! deflates nearly everything.

use std::f64::consts::PI;

use faer::Mat;

use super::host::{Dense, adjoint, assert_ratio, difference, identity, norm, product, ratio};
use super::*;
use crate::device::DeviceInfo;
use crate::host::lapack::{Pencil, Spectrum};
use crate::lapack::eigen::{
    Cooperative, EigenPlan, heevd_with_plan, heevr_with_plan, hegvd_with_plan, hetrd_with_plan,
};
use crate::options::Triangle;
use crate::options::{Op, Side};
use crate::scalar::Complex64;
use crate::testing::{filled, for_each_type};

/// Where a matrix's eigenvalues lie.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Random,
    /// Rows and columns that become smaller, or larger.
    Graded(bool),
    /// One eigenvalue apart from a cluster.
    Clustered,
    /// Three eigenvalues, each of many vectors.
    Repeated,
    Diagonal,
    /// Copies of Wilkinson's matrix, joined by small elements: pairs of eigenvalues that are nearly equal.
    Wilkinson,
    /// Second differences.
    Toeplitz,
    Zero,
    /// Random, times a power of two.
    Scaled(i32),
}

const KINDS: [Kind; 9] = [
    Kind::Random,
    Kind::Graded(false),
    Kind::Graded(true),
    Kind::Clustered,
    Kind::Repeated,
    Kind::Diagonal,
    Kind::Wilkinson,
    Kind::Toeplitz,
    Kind::Zero,
];

fn real(value: f64) -> Complex64 {
    Complex64::new(value, 0.0)
}

/// Random numbers of the type, in doubles.
fn random<T: Scalar>(n: usize, seed: u64) -> Dense {
    let values = filled::<T>(n, n, seed);
    Mat::from_fn(n, n, |i, j| Complex64::new(values[(i, j)].re(), values[(i, j)].im()))
}

/// H D H for the reflector H of a random vector.
fn reflected<T: Scalar>(values: &[f64]) -> Dense {
    let n = values.len();
    let v = random::<T>(n.max(1), 7);
    let size: f64 = (0..n).map(|i| v[(i, 0)].norm_sqr()).sum();
    let h = Mat::from_fn(n, n, |i, j| real(f64::from(u8::from(i == j))) - v[(i, 0)] * v[(j, 0)].conj() * (2.0 / size));
    let scaled = Mat::from_fn(n, n, |i, j| h[(i, j)] * values[j]);
    product(&scaled, &h)
}

/// A Hermitian matrix of the type, in doubles, divided by its scale, and the scale.
fn matrix<T: Scalar>(n: usize, kind: Kind) -> (Dense, f64) {
    let values = random::<T>(n, 1);
    let tridiagonal = |d: &dyn Fn(usize) -> f64, e: &dyn Fn(usize) -> f64| {
        Mat::from_fn(n, n, |i, j| match (i.max(j) - i.min(j), i.min(j)) {
            (0, i) => real(d(i)),
            (1, i) => real(e(i)),
            _ => real(0.0),
        })
    };
    let spread = |value: &dyn Fn(usize) -> f64| reflected::<T>(&(0..n).map(value).collect::<Vec<_>>());
    let grade = |i: usize| 10_f64.powf(-6.0 * i as f64 / n as f64);
    let a = match kind {
        Kind::Random | Kind::Scaled(_) => values,
        Kind::Graded(false) => Mat::from_fn(n, n, |i, j| values[(i, j)] * grade(i) * grade(j)),
        Kind::Graded(true) => Mat::from_fn(n, n, |i, j| values[(i, j)] * grade(n - i) * grade(n - j)),
        Kind::Clustered => spread(&|i| if i == 0 { -1.0 } else { 1.0 + i as f64 * T::EPSILON }),
        Kind::Repeated => spread(&|i| [-0.5, 0.25, 1.0][i % 3]),
        Kind::Diagonal => tridiagonal(&|i| ((i * 7) % 11) as f64 - 3.0, &|_| 0.0),
        Kind::Wilkinson => {
            tridiagonal(&|i| ((i % 21) as f64 - 10.0).abs(), &|i| if i % 21 == 20 { T::EPSILON.sqrt() } else { 1.0 })
        }
        Kind::Toeplitz => tridiagonal(&|_| 2.0, &|_| -1.0),
        Kind::Zero => tridiagonal(&|_| 0.0, &|_| 0.0),
    };
    let scale = if let Kind::Scaled(exponent) = kind { 2_f64.powi(exponent) } else { 1.0 };
    // Rounded to the type, and Hermitian.
    let rounded = |value: Complex64| {
        let value = T::from_parts(value.re * scale, value.im * scale);
        Complex64::new(value.re(), value.im()) / scale
    };
    let a = Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => rounded(a[(j, i)]).conj(),
        std::cmp::Ordering::Equal => real(rounded(a[(i, i)]).re),
        std::cmp::Ordering::Greater => rounded(a[(i, j)]),
    });
    (a, scale)
}

/// The triangle named, and NaN in what is not read.
fn stored<T: Scalar>(a: &Dense, scale: f64, triangle: Triangle, (layout, gap): (Layout, usize)) -> Stored<T> {
    let n = a.nrows();
    Stored::new(layout, n, n, gap, 1).filled_with(|i, j| {
        let is_read = if triangle == Triangle::Lower { i > j } else { i < j };
        match i == j {
            true => Complex64::new(a[(i, i)].re * scale, f64::NAN),
            false if is_read => a[(i, j)] * scale,
            false => Complex64::new(f64::NAN, f64::NAN),
        }
    })
}

type On = (Context, DeviceInfo);

/// Eigenvalues, divided by the scale, and the matrix afterwards.
fn decomposed<T: Scalar>(
    on: &On,
    plan: &EigenPlan,
    triangle: Triangle,
    before: &Stored<T>,
    vectors: bool,
) -> (Vec<f64>, Stored<T>) {
    let mut memory = uploaded(&on.0, before);
    let (queue, n) = (on.0.queue().unwrap(), before.shape.rows());
    let mut w = vec![T::RealScalar::ZERO; n];
    let a = memory.view_mut(before.shape).unwrap();
    assert!(heevd_with_plan(&queue, triangle, &a, &mut w, vectors, (plan, &on.1)).unwrap(), "{plan:?}");
    (w.into_iter().map(|w| w.re()).collect(), downloaded(before, &memory))
}

fn check<T: Scalar>(on: &On, plan: &EigenPlan, n: usize, kind: Kind, triangle: Triangle, storage: (Layout, usize)) {
    let case = (n, kind, triangle, storage, plan, &on.1.name);
    let (a, scale) = matrix::<T>(n, kind);
    let before = stored::<T>(&a, scale, triangle, storage);
    let (w, after) = decomposed(on, plan, triangle, &before, true);
    assert!(after.canaries_live(), "{case:?}");
    assert!(w.windows(2).all(|pair| pair[0] <= pair[1]), "{case:?}: {w:?}");
    let z = after.dense();
    assert_ratio::<T>(ratio::<T>(&difference(&identity(n), &product(&adjoint(&z), &z)), n, 1.0), "I - Zᴴ Z", &case);
    let scaled = Mat::from_fn(n, n, |i, j| z[(i, j)] * (w[j] / scale));
    let error = difference(&a, &product(&scaled, &adjoint(&z)));
    assert_ratio::<T>(ratio::<T>(&error, n, norm(&a)), "A - Z L Zᴴ", &case);

    let (values, unchanged) = decomposed(on, plan, triangle, &before, false);
    let bits =
        |stored: &Stored<T>| stored.data.iter().map(|x| [x.re().to_bits(), x.im().to_bits()]).collect::<Vec<_>>();
    assert_eq!(bits(&unchanged), bits(&before), "{case:?}: A is changed without eigenvectors");
    // The host's routine has the same eigenvalues.
    let mut on_host = before.clone();
    let mut expected = vec![T::RealScalar::ZERO; n];
    crate::heev(triangle, on_host.view_mut(), &mut expected, false).unwrap();
    let bound = 30.0 * n as f64 * T::EPSILON * norm(&a);
    for i in 0..n {
        for found in [w[i], values[i]] {
            let difference = (found - expected[i].re()).abs() / scale;
            assert!(difference <= bound, "{case:?}: value {i} is {found}, and not {:?}", expected[i]);
        }
    }
}

/// Devices taken for GPUs.
fn gpus<T: Scalar>() -> Vec<On> {
    devices::<T>().into_iter().filter(|(_, device_info)| device_info.class == DeviceClass::Gpu).collect()
}

/// Several panels, tiles of both sizes, and levels of merges even for small matrices.
fn small_plan<T: Scalar>() -> EigenPlan {
    EigenPlan { panel: 8, large_min_order: 48, leaf: 8, ..EigenPlan::for_kernels(T::KIND) }
}

/// Panels of one launch by a single group, which has the runs of several.
fn cooperative_plan<T: Scalar>() -> EigenPlan {
    let cooperative = Cooperative { groups: 1, runs: 4, threads: 64 };
    EigenPlan { panel: 5, cooperative: Some(cooperative), ..small_plan::<T>() }
}

fn check_kinds<T: Scalar>(orders: &[usize]) {
    for on in gpus::<T>() {
        for (i, &n) in orders.iter().enumerate() {
            for (k, kind) in KINDS.into_iter().enumerate() {
                let triangle = Triangle::ALL[(i + k) % 2];
                let plan = if k % 2 == 0 { small_plan::<T>() } else { cooperative_plan::<T>() };
                check::<T>(&on, &plan, n, kind, triangle, STORAGES[(i / 2 + k) % 3]);
            }
        }
    }
}

fn check_scales<T: Scalar>(n: usize) {
    let exponents: &[i32] = if T::KIND.is_double() { &[-996, -540, 540, 1020] } else { &[-120, -70, 70, 124] };
    for on in gpus::<T>() {
        for (k, exponent) in exponents.iter().enumerate() {
            let triangle = Triangle::ALL[k % 2];
            check::<T>(&on, &small_plan::<T>(), n, Kind::Scaled(*exponent), triangle, STORAGES[k % 3]);
        }
    }
}

/// Q of the reflectors, formed by the host's orgtr, brings T to A; and T is in A, too.
fn check_reduction<T: Scalar>(on: &On, n: usize, kind: Kind, triangle: Triangle, storage: (Layout, usize)) {
    let case = (n, kind, triangle, storage);
    let (a, scale) = matrix::<T>(n, kind);
    let before = stored::<T>(&a, scale, triangle, storage);
    let mut memory = uploaded(&on.0, &before);
    let off = n.saturating_sub(1);
    let (mut d, mut e, mut tau) = (vec![T::RealScalar::ZERO; n], vec![T::RealScalar::ZERO; off], vec![T::ZERO; off]);
    let (queue, plan) =
        (on.0.queue().unwrap(), if n.is_multiple_of(2) { small_plan::<T>() } else { cooperative_plan::<T>() });
    let view = memory.view_mut(before.shape).unwrap();
    let results = (&mut d[..], &mut e[..], &mut tau[..]);
    assert!(hetrd_with_plan(&queue, triangle, &view, results, (&plan, &on.1)).unwrap());
    let after = downloaded(&before, &memory);
    assert!(after.canaries_live(), "{case:?}");
    let t = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => real(d[i].re() / scale),
        1 => real(e[i.min(j)].re() / scale),
        _ => real(0.0),
    });
    for i in 0..n {
        assert_eq!(after.element(i, i), real(d[i].re()), "{case:?}");
        let below = if triangle == Triangle::Lower { (i + 1, i) } else { (i, i + 1) };
        assert!(i + 1 >= n || after.element(below.0, below.1) == real(e[i].re()), "{case:?}");
        let unread = |j: usize| after.element(i.min(j), i.max(j)).re.is_nan();
        assert!(triangle == Triangle::Upper || (i + 1..n).all(unread), "{case:?}");
    }
    let mut q = Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 1).filled_with(|i, j| real(f64::from(u8::from(i == j))));
    crate::ormtr(Side::Left, triangle, Op::NoTrans, after.view(), &tau, q.view_mut()).unwrap();
    let q = q.dense();
    assert_ratio::<T>(ratio::<T>(&difference(&identity(n), &product(&adjoint(&q), &q)), n, 1.0), "I - Qᴴ Q", &case);
    let error = difference(&a, &product(&product(&q, &t), &adjoint(&q)));
    assert_ratio::<T>(ratio::<T>(&error, n, norm(&a)), "A - Q T Qᴴ", &case);
}

/// A X = B X W or its like, Xᴴ B X = I or Xᴴ B⁻¹ X = I, and B's factor.
fn check_pencil<T: Scalar>(on: &On, n: usize, pencil: Pencil, triangle: Triangle, storage: (Layout, usize)) {
    let case = (n, pencil, triangle, storage);
    let (a, _) = matrix::<T>(n, Kind::Random);
    let m = random::<T>(n, 3);
    // Rounded to the type, which is real in S and D.
    let shifted = Mat::from_fn(n, n, |i, j| m[(i, j)] + real(if i == j { 4.0 } else { 0.0 }));
    let b = product(&shifted, &adjoint(&shifted));
    let rounded =
        |value: Complex64| Complex64::new(T::from_parts(value.re, 0.0).re(), T::from_parts(value.im, 0.0).re());
    let b = Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => rounded(b[(j, i)]).conj(),
        std::cmp::Ordering::Equal => real(rounded(b[(i, i)]).re),
        std::cmp::Ordering::Greater => rounded(b[(i, j)]),
    });
    let (a_before, b_before) = (stored::<T>(&a, 1.0, triangle, storage), stored::<T>(&b, 1.0, triangle, storage));
    let (queue, plan) = (on.0.queue().unwrap(), small_plan::<T>());
    let mut all = Vec::new();
    for vectors in [false, true] {
        let (mut of_a, mut of_b) = (uploaded(&on.0, &a_before), uploaded(&on.0, &b_before));
        let mut w = vec![T::RealScalar::ZERO; n];
        {
            let operands = (&of_a.view_mut(a_before.shape).unwrap(), &of_b.view_mut(b_before.shape).unwrap());
            let found = hegvd_with_plan(&queue, (pencil, triangle), operands, &mut w, vectors, (&plan, &on.1));
            assert!(found.unwrap(), "{case:?}");
        }
        let (a_after, b_after) = (downloaded(&a_before, &of_a), downloaded(&b_before, &of_b));
        assert!(a_after.canaries_live() && b_after.canaries_live(), "{case:?}");
        // The other triangle of B stays as it was.
        let unread = |i: usize, j: usize| if triangle == Triangle::Lower { (i, j) } else { (j, i) };
        let is_left = (0..n).all(|i| (i + 1..n).all(|j| b_after.element(unread(i, j).0, unread(i, j).1).re.is_nan()));
        assert!(is_left, "{case:?}");
        let l = Mat::from_fn(n, n, |i, j| match (i >= j, triangle) {
            (false, _) => real(0.0),
            (true, Triangle::Lower) => b_after.element(i, j),
            (true, Triangle::Upper) => b_after.element(j, i).conj(),
        });
        assert_ratio::<T>(ratio::<T>(&difference(&b, &product(&l, &adjoint(&l))), n, norm(&b)), "B - L Lᴴ", &case);
        all.push(w.iter().map(|w| w.re()).collect::<Vec<_>>());
        if !vectors {
            let same = |i: usize, j: usize| a_after.element(i, j).re.to_bits() == a_before.element(i, j).re.to_bits();
            assert!((0..n).all(|i| (0..n).all(|j| same(i, j))), "{case:?}: A is changed");
            continue;
        }
        let x = a_after.dense();
        let scaled = Mat::from_fn(n, n, |i, j| x[(i, j)] * w[j].re());
        let (left, right) = match pencil {
            Pencil::Quotient => (product(&a, &x), product(&b, &scaled)),
            Pencil::Product => (product(&a, &product(&b, &x)), scaled),
            Pencil::ReversedProduct => (product(&b, &product(&a, &x)), scaled),
        };
        let sizes = norm(&a) * if pencil == Pencil::Quotient { 1.0 } else { norm(&b) };
        assert_ratio::<T>(ratio::<T>(&difference(&left, &right), n, sizes * norm(&x)), "the pencil's residual", &case);
        // B is well-conditioned.
        let unit = match pencil {
            Pencil::ReversedProduct => {
                // Xᴴ B⁻¹ X for X = L Z.
                let z = solve_lower(&l, &x);
                product(&adjoint(&z), &z)
            }
            _ => product(&adjoint(&x), &product(&b, &x)),
        };
        let size = norm(&b) * norm(&x) * norm(&x);
        assert_ratio::<T>(ratio::<T>(&difference(&identity(n), &unit), n, size.max(1.0)), "I - Xᴴ B X", &case);
    }
    let largest = all[0].iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let close = |pair: (&f64, &f64)| (pair.0 - pair.1).abs() <= 30.0 * n as f64 * T::EPSILON * largest;
    assert!(all[0].iter().zip(&all[1]).all(close) && all[1].is_sorted(), "{case:?}: {all:?}");
}

/// L⁻¹ X
fn solve_lower(l: &Dense, x: &Dense) -> Dense {
    let mut solved = x.clone();
    for j in 0..x.ncols() {
        for i in 0..x.nrows() {
            let known: Complex64 = (0..i).map(|k| l[(i, k)] * solved[(k, j)]).sum();
            solved[(i, j)] = (x[(i, j)] - known) / l[(i, i)];
        }
    }
    solved
}

mod device {
    use super::*;

    #[test]
    fn eigenvectors_of_definite_pencils() {
        fn check_pencils<T: Scalar>() {
            let pencils = [Pencil::Quotient, Pencil::Product, Pencil::ReversedProduct];
            for on in gpus::<T>() {
                for (i, n) in [1, 2, 23, 40].into_iter().enumerate() {
                    for (k, pencil) in pencils.into_iter().enumerate() {
                        check_pencil::<T>(&on, n, pencil, Triangle::ALL[(i + k) % 2], STORAGES[(i + k) % 3]);
                    }
                }
            }
        }
        for_each_type!(check_pencils());
    }

    #[test]
    fn a_pencil_that_is_not_definite_is_left_to_the_host() {
        for on in gpus::<f64>() {
            let n = 30;
            let (a, _) = matrix::<f64>(n, Kind::Random);
            let before = stored::<f64>(&a, 1.0, Triangle::Lower, STORAGES[0]);
            let (mut of_a, mut of_b) = (uploaded(&on.0, &before), uploaded(&on.0, &before));
            let (queue, plan, mut w) = (on.0.queue().unwrap(), small_plan::<f64>(), vec![0.5; n]);
            {
                let operands = (&of_a.view_mut(before.shape).unwrap(), &of_b.view_mut(before.shape).unwrap());
                let what = (Pencil::Quotient, Triangle::Lower);
                assert!(!hegvd_with_plan(&queue, what, operands, &mut w, true, (&plan, &on.1)).unwrap());
            }
            for memory in [&of_a, &of_b] {
                let after = downloaded(&before, memory);
                assert!((0..n).all(|i| (0..=i).all(|j| after.element(i, j) == before.element(i, j))));
            }
        }
    }

    #[test]
    fn some_eigenvalues_and_their_vectors() {
        fn check_some<T: Scalar>() {
            for on in gpus::<T>() {
                let n = 37;
                let (a, _) = matrix::<T>(n, Kind::Random);
                let plan = small_plan::<T>();
                for (k, triangle) in Triangle::ALL.iter().copied().enumerate() {
                    let before = stored::<T>(&a, 1.0, triangle, STORAGES[k]);
                    let (all, _) = decomposed(&on, &plan, triangle, &before, true);
                    let bounds = Spectrum::Within(all[4], all[20]);
                    for (spectrum, expected) in [
                        (Spectrum::All, 0..n),
                        (Spectrum::Indices(3, 9), 3..9),
                        (bounds, 5..21),
                        (Spectrum::Indices(5, 5), 5..5),
                    ] {
                        let memory = uploaded(&on.0, &before);
                        let of_z = Stored::<T>::new(STORAGES[k].0, n, n, 1, 2);
                        let mut z_memory = uploaded(&on.0, &of_z);
                        let (queue, mut w) = (on.0.queue().unwrap(), vec![T::RealScalar::ZERO; n]);
                        let view = memory.view(before.shape).unwrap();
                        let z = z_memory.view_mut(of_z.shape).unwrap();
                        let what = (spectrum, triangle);
                        let count = heevr_with_plan(&queue, what, &view, &mut w, Some(&z), (&plan, &on.1)).unwrap();
                        let count = count.unwrap();
                        assert_eq!(count, expected.len(), "{spectrum:?}");
                        let found = downloaded(&of_z, &z_memory);
                        assert!(found.canaries_live());
                        let x = Mat::from_fn(n, count, |i, j| found.element(i, j));
                        for (k, i) in expected.clone().enumerate() {
                            assert_eq!(w[k].re(), all[i], "{spectrum:?}");
                        }
                        let scaled = Mat::from_fn(n, count, |i, j| x[(i, j)] * w[j].re());
                        let error = difference(&product(&a, &x), &scaled);
                        assert_ratio::<T>(ratio::<T>(&error, n, norm(&a)), "A X - X W", &(spectrum, triangle));
                        // Values alone are those of another method.
                        let found = heevr_with_plan(&queue, what, &view, &mut w, None, (&plan, &on.1)).unwrap();
                        let close =
                            |k: usize| (w[k].re() - all[expected.start + k]).abs() < 30.0 * n as f64 * T::EPSILON;
                        // A bound that is an eigenvalue may be met or missed by rounding.
                        assert!(found.unwrap().abs_diff(count) <= 2, "{spectrum:?}");
                        assert!(matches!(spectrum, Spectrum::Within(..)) || (0..count).all(close), "{spectrum:?}");
                    }
                }
            }
        }
        for_each_type!(check_some());
    }

    #[test]
    fn reductions_are_lapack_s() {
        fn check_reductions<T: Scalar>() {
            let kinds = [Kind::Random, Kind::Graded(true), Kind::Scaled(if T::KIND.is_double() { 900 } else { 100 })];
            for on in gpus::<T>() {
                for (i, n) in [0, 1, 2, 3, 33, 40].into_iter().enumerate() {
                    for (k, triangle) in Triangle::ALL.iter().enumerate() {
                        check_reduction::<T>(&on, n, kinds[(i + k) % 3], *triangle, STORAGES[(i + k) % 3]);
                    }
                }
            }
        }
        for_each_type!(check_reductions());
    }

    #[test]
    fn eigenvectors_diagonalise_every_kind_of_matrix() {
        for_each_type!(check_kinds(&[0, 1, 2, 3, 33, 65]));
    }

    #[test]
    fn eigenvectors_diagonalise_matrices_at_the_ends_of_the_range() {
        for_each_type!(check_scales(37));
    }

    #[test]
    fn the_device_s_own_plan_diagonalises_larger_matrices() {
        fn check_own<T: Scalar>() {
            for on in gpus::<T>() {
                let plan = EigenPlan::for_kernels(T::KIND);
                for (k, kind) in
                    [Kind::Random, Kind::Repeated, Kind::Wilkinson, Kind::Clustered].into_iter().enumerate()
                {
                    check::<T>(&on, &plan, 130, kind, Triangle::ALL[k % 2], STORAGES[k % 3]);
                }
            }
        }
        for_each_type!(check_own());
    }

    #[test]
    fn large_tiles_have_the_same_results() {
        fn check_tiles<T: Scalar>() {
            for on in gpus::<T>() {
                // Three blocks of rows, and their edges. Six tiles are two runs, and more than one row of tiles a run.
                let cooperative = Cooperative { groups: 1, runs: 2, threads: 128 };
                for cooperative in [None, Some(cooperative)] {
                    let plan = EigenPlan { large_min_order: 1, cooperative, ..EigenPlan::for_kernels(T::KIND) };
                    check::<T>(&on, &plan, 270, Kind::Random, Triangle::Lower, STORAGES[0]);
                }
            }
        }
        for_each_type!(check_tiles());
    }

    #[test]
    fn eigenvalues_of_second_differences_are_known() {
        let n = 200;
        for on in gpus::<f64>() {
            let (a, _) = matrix::<f64>(n, Kind::Toeplitz);
            let before = stored::<f64>(&a, 1.0, Triangle::Lower, STORAGES[0]);
            let plan = EigenPlan::for_kernels(f64::KIND);
            for vectors in [false, true] {
                let (w, _) = decomposed(&on, &plan, Triangle::Lower, &before, vectors);
                for (k, value) in w.iter().enumerate() {
                    let exact = 2.0 - 2.0 * (PI * (k + 1) as f64 / (n + 1) as f64).cos();
                    assert!((value - exact).abs() < 1e-13, "{k}: {value}, and not {exact}");
                }
            }
        }
    }

    #[test]
    fn heev_in_device_memory_gives_eigenvalues_vectors_and_info() {
        fn check_public<T: Scalar>() {
            for context in contexts::<T>().into_iter().filter(|context| context.device().is_some()) {
                // Orders on both sides of the switch to a GPU's kernels.
                for (n, triangle) in [(0, Triangle::Lower), (5, Triangle::Upper), (140, Triangle::Lower)] {
                    let (a, _) = matrix::<T>(n, Kind::Random);
                    let before = stored::<T>(&a, 1.0, triangle, STORAGES[1]);
                    let (mut memory, queue) = (uploaded(&context, &before), context.queue().unwrap());
                    let mut w = context.upload(&vec![T::RealScalar::ZERO; n]).unwrap();
                    let mut info = context.upload(&[-1]).unwrap();
                    let view = memory.view_mut(before.shape).unwrap();
                    let results = (w.vector_mut().unwrap(), info.vector_mut().unwrap());
                    crate::heev_on(&queue, triangle, view, results.0, true, results.1).unwrap().wait().unwrap();
                    assert_eq!(info.download().unwrap(), [0]);
                    let (z, w) = (downloaded(&before, &memory).dense(), w.download().unwrap());
                    let scaled = Mat::from_fn(n, n, |i, j| z[(i, j)] * w[j].re());
                    let error = difference(&a, &product(&scaled, &adjoint(&z)));
                    assert_ratio::<T>(ratio::<T>(&error, n, norm(&a)), "A - Z L Zᴴ", &(n, triangle));
                }
                let mut nan = Stored::<T>::new(Layout::ColumnMajor, 140, 140, 0, 1);
                nan.set(100, 50, Complex64::new(f64::NAN, 0.0));
                let (mut memory, queue) = (uploaded(&context, &nan), context.queue().unwrap());
                let mut w = context.upload(&[T::RealScalar::ZERO; 140]).unwrap();
                let mut info = context.upload(&[0]).unwrap();
                let view = memory.view_mut(nan.shape).unwrap();
                let results = (w.vector_mut().unwrap(), info.vector_mut().unwrap());
                crate::heev_on(&queue, Triangle::Lower, view, results.0, false, results.1).unwrap().wait().unwrap();
                assert!(info.download().unwrap()[0] > 0 && w.download().unwrap().iter().all(|w| w.re().is_nan()));
            }
        }
        for_each_type!(check_public());
    }

    #[test]
    fn every_run_has_the_same_bits() {
        for on in gpus::<f64>() {
            let (a, _) = matrix::<f64>(130, Kind::Random);
            let before = stored::<f64>(&a, 1.0, Triangle::Lower, STORAGES[0]);
            let plan = EigenPlan::for_kernels(f64::KIND);
            for vectors in [false, true] {
                let (w, z) = decomposed(&on, &plan, Triangle::Lower, &before, vectors);
                for run in 0..3 {
                    let (again, z_again) = decomposed(&on, &plan, Triangle::Lower, &before, vectors);
                    assert_eq!(w, again, "{vectors}, run {run}");
                    assert!(!vectors || z.data == z_again.data, "run {run}");
                }
            }
        }
    }

    #[test]
    fn groups_that_do_not_run_at_once_give_up() {
        for (context, device) in gpus::<f64>().into_iter().filter(|(_, device)| device.nvidia.redux) {
            // Later reductions on a device of this name have two launches for a column.
            let name = format!("{}, oversubscribed", device.name);
            let on = (context, DeviceInfo { name, ..device });
            let own = EigenPlan::choose(f64::KIND, 200, &on.1).unwrap();
            let cooperative = own.cooperative.unwrap();
            let groups = 100 * cooperative.groups;
            let plan = EigenPlan { cooperative: Some(Cooperative { groups, ..cooperative }), ..own };
            for plan in [own, plan] {
                check::<f64>(&on, &plan, 200, Kind::Random, Triangle::Lower, STORAGES[0]);
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_finite_is_left_to_the_host() {
        for on in gpus::<f64>() {
            for value in [f64::NAN, f64::INFINITY] {
                let mut before = Stored::<f64>::new(Layout::ColumnMajor, 40, 40, 1, 1);
                before.set(20, 10, real(value));
                let mut memory = uploaded(&on.0, &before);
                let (queue, mut w) = (on.0.queue().unwrap(), vec![0.5; 40]);
                let plan = small_plan::<f64>();
                let a = memory.view_mut(before.shape).unwrap();
                let on_lower = heevd_with_plan(&queue, Triangle::Lower, &a, &mut w, true, (&plan, &on.1));
                assert!(!on_lower.unwrap() && w == [0.5; 40]);
                // The other triangle is not read.
                let on_upper = heevd_with_plan(&queue, Triangle::Upper, &a, &mut w, true, (&plan, &on.1));
                assert!(on_upper.unwrap());
            }
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn eigenvectors_diagonalise_small_matrices() {
        fn check_small<T: Scalar>() {
            for on in gpus::<T>() {
                let plan = EigenPlan { panel: 3, leaf: 2, ..EigenPlan::for_kernels(T::KIND) };
                let cooperative = Some(Cooperative { groups: 1, runs: 2, threads: 64 });
                let together = EigenPlan { panel: 3, leaf: 8, cooperative, ..EigenPlan::for_kernels(T::KIND) };
                check::<T>(&on, &together, 7, Kind::Random, Triangle::Lower, STORAGES[0]);
                for (k, kind) in [Kind::Random, Kind::Repeated].into_iter().enumerate() {
                    check::<T>(&on, &plan, 7 - k, kind, Triangle::ALL[k % 2], STORAGES[1 + k]);
                }
            }
        }
        for_each_type!(check_small());
    }
}
