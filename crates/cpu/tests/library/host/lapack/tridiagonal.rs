//! Tridiagonal systems: LAPACK's tests of xGTTRF, xGTTRS, xGTSV, xPTTRF, xPTTRS and xPTSV.

use affinimath_core::options::Triangle;
use affinimath_core::view::{BatchMut, BatchShape};
use affinimath_cpu::batched::{self, PerMatrix};
use affinimath_cpu::lapack::{TridiagonalFactors, gesv, gtsv, gttrf, gttrs, ptsv, pttrf, pttrs};
use affinimath_testing::{Batch, filled, for_each_type};

use super::*;

const ORDERS: [usize; 8] = [0, 1, 2, 3, 4, 7, 8, 33];
const COLUMNS: [usize; 6] = [0, 1, 2, 3, 9, 17];
const OPS: [Op; 4] = [Op::NoTrans, Op::Trans, Op::ConjTrans, Op::ConjNoTrans];

/// The diagonals below, on and above the main one.
#[derive(Clone)]
struct Tridiagonal<T> {
    dl: Vec<T>,
    d: Vec<T>,
    du: Vec<T>,
}

impl<T: Scalar> Tridiagonal<T> {
    /// Elements of (-1, 1), the diagonal times `weight`: with a small one, rows are interchanged.
    fn random(n: usize, weight: f64, seed: u64) -> Self {
        let values = filled::<T>(n, 3, seed);
        let scale = |x: T| x * T::from_parts(weight, 0.0);
        let off = n.saturating_sub(1);
        Tridiagonal {
            dl: (0..off).map(|i| values[(i, 0)]).collect(),
            d: (0..n).map(|i| scale(values[(i, 1)])).collect(),
            du: (0..off).map(|i| values[(i, 2)]).collect(),
        }
    }

    fn dense(&self) -> Dense {
        let n = self.d.len();
        Mat::from_fn(n, n, |i, j| match (i, j) {
            _ if i == j => complex(self.d[i]),
            _ if i == j + 1 => complex(self.dl[j]),
            _ if j == i + 1 => complex(self.du[i]),
            _ => Complex64::ZERO,
        })
    }

    /// The factors, with U's second diagonal and the pivots.
    fn factorised(&mut self) -> (Vec<T>, Vec<i32>, Option<usize>) {
        let n = self.d.len();
        let nan = T::from_parts(f64::NAN, f64::NAN);
        let (mut du2, mut pivots) = (vec![nan; n.saturating_sub(2)], vec![-7; n]);
        let info = gttrf(&mut self.dl, &mut self.d, &mut self.du, &mut du2, &mut pivots);
        (du2, pivots, info)
    }
}

/// P L U of the factors: interchanges and eliminations from the last one back.
fn multiplied<T: Scalar>(factors: &Tridiagonal<T>, du2: &[T], pivots: &[i32]) -> Dense {
    let n = factors.d.len();
    let mut a = Mat::from_fn(n, n, |i, j| match j.wrapping_sub(i) {
        0 => complex(factors.d[i]),
        1 => complex(factors.du[i]),
        2 => complex(du2[i]),
        _ => Complex64::ZERO,
    });
    for i in (0..n.saturating_sub(1)).rev() {
        for j in 0..n {
            let above = a[(i, j)];
            a[(i + 1, j)] += complex(factors.dl[i]) * above;
            if pivots[i] == (i + 2) as i32 {
                let below = a[(i + 1, j)];
                (a[(i, j)], a[(i + 1, j)]) = (below, above);
            }
        }
    }
    a
}

fn factors_multiply<T: Scalar>(n: usize, weight: f64) {
    let mut a = Tridiagonal::<T>::random(n, weight, 1);
    let before = a.dense();
    let (du2, pivots, info) = a.factorised();
    assert_eq!(info, None, "{n}");
    assert!(pivots.iter().enumerate().all(|(i, p)| *p as usize == i + 1 || *p as usize == i + 2 && i + 1 < n));
    assert!(a.dl.iter().all(|l| l.modulus() <= 1.5), "multipliers are at most 1 in |re| + |im|");
    let found = multiplied(&a, &du2, &pivots);
    let error = Mat::from_fn(n, n, |i, j| before[(i, j)] - found[(i, j)]);
    assert_ratio::<T>(&error, n, norm(&before), &(n, weight));
}

#[test]
fn factors_multiply_to_the_matrix() {
    for n in ORDERS {
        for weight in [0.0625, 1.0, 8.0] {
            for_each_type!(factors_multiply(n, weight));
        }
    }
}

fn solves<T: Scalar>(n: usize, columns: usize, (layout, gap): (Layout, usize)) {
    for weight in [0.25, 4.0] {
        let a = Tridiagonal::<T>::random(n, weight, 3);
        let dense = a.dense();
        let right = Stored::<T>::new(layout, n, columns, gap, 4);
        let mut factors = a.clone();
        let (du2, pivots, _) = factors.factorised();
        for op in OPS {
            let mut x = right.clone();
            let parts =
                TridiagonalFactors { dl: &factors.dl, d: &factors.d, du: &factors.du, du2: &du2, pivots: &pivots };
            gttrs(op, parts, view_mut(&mut x));
            assert!(x.canaries_live());
            assert_solves::<T>(op, &dense, &x.dense(), &right.dense(), &(n, columns, layout, op));
        }
        let (mut at_once, mut x) = (a.clone(), right.clone());
        assert_eq!(gtsv(&mut at_once.dl, &mut at_once.d, &mut at_once.du, view_mut(&mut x)), None);
        assert!(x.canaries_live());
        assert_solves::<T>(Op::NoTrans, &dense, &x.dense(), &right.dense(), &(n, columns, layout));
        assert_eq!((&at_once.d, &at_once.du), (&factors.d, &factors.du));
        assert_eq!(&at_once.dl[..du2.len()], &du2[..], "dl gets U's second diagonal");
    }
}

#[test]
fn solutions_of_all_ops_and_layouts() {
    for n in ORDERS {
        for columns in COLUMNS {
            for storage in STORAGES {
                for_each_type!(solves(n, columns, storage));
            }
        }
    }
    // Columns that threads share.
    solves::<f64>(1100, 33, STORAGES[0]);
}

/// The condition of the matrix bounds the distance to dense LU's solution.
#[test]
fn gtsv_agrees_with_dense_gesv() {
    fn check<T: Scalar>() {
        let n = 60;
        let mut a = Tridiagonal::<T>::random(n, 4.0, 5);
        (0..n).for_each(|i| a.d[i] += T::from_parts(6.0, 0.0));
        let dense = a.dense();
        let mut whole = Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 0).filled_with(|i, j| dense[(i, j)]);
        let right = Stored::<T>::new(Layout::ColumnMajor, n, 2, 0, 6);
        let (mut x, mut y) = (right.clone(), right);
        assert_eq!(gesv(view_mut(&mut whole), &mut vec![0; n], view_mut(&mut x)), None);
        assert_eq!(gtsv(&mut a.dl, &mut a.d, &mut a.du, view_mut(&mut y)), None);
        let (x, y) = (x.dense(), y.dense());
        let error = Mat::from_fn(n, 2, |i, j| x[(i, j)] - y[(i, j)]);
        assert_ratio::<T>(&error, n, norm(&x), &"gesv");
    }
    for_each_type!(check());
}

#[test]
fn a_singular_matrix_is_told_and_right_hand_sides_stand() {
    fn check<T: Scalar>(n: usize, zero: usize) {
        // No coupling at `zero`, where the pivot is zero.
        let mut a = Tridiagonal::<T>::random(n, 8.0, 7);
        (0..n).for_each(|i| a.d[i] = T::from_parts(5.0, 1.0));
        a.d[zero] = T::ZERO;
        for i in [zero.checked_sub(1), Some(zero)].into_iter().flatten().filter(|i| *i + 1 < n) {
            (a.dl[i], a.du[i]) = (T::ZERO, T::ZERO);
        }
        let right = Stored::<T>::new(Layout::ColumnMajor, n, 2, 1, 8);
        let mut x = right.clone();
        let mut factors = a.clone();
        assert_eq!(factors.factorised().2, Some(zero + 1));
        assert_eq!(gtsv(&mut a.dl, &mut a.d, &mut a.du, view_mut(&mut x)), Some(zero + 1));
        assert_eq!(x.dense(), right.dense());
    }
    for (n, zero) in [(1, 0), (5, 0), (5, 2), (5, 4)] {
        for_each_type!(check(n, zero));
    }
}

/// Elements near both ends of the range, and NaN, which comes out again.
#[test]
fn badly_scaled_matrices_and_nan() {
    for scale in [1e-300, 1e300] {
        let n = 40;
        let mut a = Tridiagonal::<f64>::random(n, 1.0, 9);
        [&mut a.dl, &mut a.d, &mut a.du].into_iter().for_each(|v| v.iter_mut().for_each(|x| *x *= scale));
        let mut unscaled = a.dense();
        (0..n).for_each(|j| (0..n).for_each(|i| unscaled[(i, j)] /= scale));
        let right = Stored::<f64>::new(Layout::ColumnMajor, n, 1, 0, 10);
        let mut x = right.clone();
        x.data.iter_mut().for_each(|x| *x *= scale);
        assert_eq!(gtsv(&mut a.dl, &mut a.d, &mut a.du, view_mut(&mut x)), None);
        assert_solves::<f64>(Op::NoTrans, &unscaled, &x.dense(), &right.dense(), &scale);
    }
    let mut a = Tridiagonal::<Complex64>::random(9, 1.0, 11);
    a.d[4] = Complex64::new(f64::NAN, 0.0);
    let mut x = Stored::<Complex64>::new(Layout::ColumnMajor, 9, 1, 0, 12);
    gtsv(&mut a.dl, &mut a.d, &mut a.du, view_mut(&mut x));
    assert!(x.dense()[(8, 0)].re.is_nan());
}

fn real<T: Scalar>(x: f64) -> T::RealScalar {
    T::RealScalar::from_parts(x, 0.0)
}

/// A positive definite matrix: |e| < 1.5 < d / 2.
fn definite<T: Scalar>(n: usize, seed: u64) -> (Vec<T::RealScalar>, Vec<T>) {
    let values = filled::<T>(n, 2, seed);
    let d = (0..n).map(|i| real::<T>(3.5 + values[(i, 0)].re() / 2.0)).collect();
    (d, (0..n.saturating_sub(1)).map(|i| values[(i, 1)]).collect())
}

/// The Hermitian matrix with `e` in a triangle.
fn hermitian<T: Scalar>(triangle: Triangle, d: &[T::RealScalar], e: &[T]) -> Dense {
    Mat::from_fn(d.len(), d.len(), |i, j| {
        let stored =
            |k: usize| if (i > j) == (triangle == Triangle::Lower) { complex(e[k]) } else { complex(e[k]).conj() };
        match i.abs_diff(j) {
            0 => Complex64::new(d[i].into(), 0.0),
            1 => stored(i.min(j)),
            _ => Complex64::ZERO,
        }
    })
}

fn definite_solves<T: Scalar>(n: usize, columns: usize, (layout, gap): (Layout, usize)) {
    let (d, e) = definite::<T>(n, 13);
    let right = Stored::<T>::new(layout, n, columns, gap, 14);
    let (mut pivots, mut factor) = (d.clone(), e.clone());
    assert_eq!(pttrf(&mut pivots, &mut factor), None);
    // L D Lᴴ.
    let l = Mat::from_fn(n, n, |i, j| match i.wrapping_sub(j) {
        0 => Complex64::ONE,
        1 => complex(factor[j]),
        _ => Complex64::ZERO,
    });
    let scaled = Mat::from_fn(n, n, |i, j| l[(i, j)] * <T::RealScalar as Into<f64>>::into(pivots[j]));
    let (a, found) = (hermitian(Triangle::Lower, &d, &e), product(&scaled, &operated(Op::ConjTrans, &l)));
    assert_ratio::<T>(&Mat::from_fn(n, n, |i, j| a[(i, j)] - found[(i, j)]), n, norm(&a), &n);
    for triangle in [Triangle::Lower, Triangle::Upper] {
        let mut x = right.clone();
        pttrs(triangle, &pivots, &factor, view_mut(&mut x));
        assert!(x.canaries_live());
        let a = hermitian(triangle, &d, &e);
        assert_solves::<T>(Op::NoTrans, &a, &x.dense(), &right.dense(), &(n, columns, layout, triangle));
    }
    let (mut x, mut d, mut e) = (right.clone(), d, e);
    assert_eq!(ptsv(&mut d, &mut e, view_mut(&mut x)), None);
    assert_eq!((d, e), (pivots, factor));
    assert_solves::<T>(Op::NoTrans, &a, &x.dense(), &right.dense(), &(n, columns, layout));
}

#[test]
fn positive_definite_systems() {
    for n in ORDERS {
        for columns in COLUMNS {
            for storage in STORAGES {
                for_each_type!(definite_solves(n, columns, storage));
            }
        }
    }
}

#[test]
fn a_matrix_that_is_not_positive_definite_is_told() {
    fn check<T: Scalar>(n: usize, minor: usize) {
        let (mut d, mut e) = definite::<T>(n, 15);
        d[minor] = real::<T>(-1.0);
        let right = Stored::<T>::new(Layout::RowMajor, n, 2, 1, 16);
        let mut x = right.clone();
        assert_eq!(ptsv(&mut d, &mut e, view_mut(&mut x)), Some(minor + 1));
        assert_eq!(x.dense(), right.dense());
    }
    for (n, minor) in [(1, 0), (6, 0), (6, 3), (6, 5)] {
        for_each_type!(check(n, minor));
    }
}

/// Each system of a batch has the bits of its own solution, and its own info.
#[test]
fn systems_of_a_batch_are_independent() {
    fn check<T: Scalar>(n: usize, columns: usize, count: usize) {
        let off = n.saturating_sub(1);
        let strides = [off + 2, n + 1, off];
        let mut systems: Vec<_> = (0..count).map(|i| Tridiagonal::<T>::random(n, 1.0, i as u64 + 1)).collect();
        if n > 0 && count > 2 {
            systems[2].d.fill(T::ZERO);
            systems[2].dl.fill(T::ZERO);
        }
        let nan = T::from_parts(f64::NAN, f64::NAN);
        let mut memory = strides.map(|stride| vec![nan; stride * count + 1]);
        for (i, system) in systems.iter().enumerate() {
            memory[0][i * strides[0]..][..off].copy_from_slice(&system.dl);
            memory[1][i * strides[1]..][..n].copy_from_slice(&system.d);
            memory[2][i * strides[2]..][..off].copy_from_slice(&system.du);
        }
        let mut b = Batch::<T>::new(Layout::ColumnMajor, [n, columns], count, 1, false, 3);
        let (right, mut info) = (b.clone(), vec![-7; count]);
        let [dl, d, du] = &mut memory;
        let each = [off, n, off];
        let diagonals = [(dl, 0), (d, 1), (du, 2)].map(|(values, k): (&mut Vec<T>, usize)| PerMatrix {
            values,
            each: each[k],
            stride: strides[k],
        });
        let shape: BatchShape<'_> = right.shape();
        batched::gtsv_batched(diagonals, &BatchMut::from_slice(&mut b.data, shape).unwrap(), &mut info);
        assert!(b.canaries_live());
        for (i, mut system) in systems.into_iter().enumerate() {
            let one = Stored::<T>::new(Layout::ColumnMajor, n, columns, 0, 0);
            let mut x = one.filled_with(|r, c| right.element(i, r, c));
            let expected = gtsv(&mut system.dl, &mut system.d, &mut system.du, view_mut(&mut x));
            assert_eq!(info[i], expected.map_or(0, |index| index as i32), "{n} {i}");
            let same = |r, c| b.element(i, r, c) == x.element(r, c);
            assert!((0..columns).all(|c| (0..n).all(|r| same(r, c))), "{n} {i}");
        }
    }
    for n in [0, 1, 2, 5, 64] {
        for_each_type!(check(n, 2, 7));
    }
    check::<f64>(64, 1, 300);
}
