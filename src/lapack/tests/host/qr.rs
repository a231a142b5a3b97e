use proptest::prelude::*;

use super::*;
use crate::testing::{assert_close, for_each_type};
use crate::{Side, geqrf, orgqr, ormqr};

const SHAPES: [(usize, usize); 19] = [
    (0, 3),
    (3, 0),
    (1, 1),
    (5, 1),
    (1, 5),
    (8, 8),
    (9, 20),
    (20, 9),
    (32, 32),
    (33, 33),
    (65, 32),
    (64, 64),
    (65, 65),
    (66, 130),
    (130, 66),
    (129, 129),
    (110, 150),
    (260, 5),
    (200, 70),
];

/// Q = H₁ H₂ ..., from the definition of the reflectors: the whole square matrix.
pub(crate) fn full_q<T: Scalar>(factors: &Dense, tau: &[T]) -> Dense {
    let m = factors.nrows();
    let mut q = identity(m);
    for (k, tau) in tau.iter().enumerate().rev() {
        let tau = Complex64::new(tau.re(), tau.im());
        let mut v = factors.col_as_slice(k)[k..].to_vec();
        v[0] = Complex64::ONE;
        for j in 0..m {
            let column = &mut q.col_as_slice_mut(j)[k..];
            let dot: Complex64 = v.iter().zip(&*column).map(|(v, q)| v.conj() * q).sum();
            column.iter_mut().zip(&v).for_each(|(q, v)| *q -= tau * v * dot);
        }
    }
    q
}

pub(crate) fn upper(factors: &Dense) -> Dense {
    Mat::from_fn(factors.nrows(), factors.ncols(), |i, j| if i <= j { factors[(i, j)] } else { Complex64::ZERO })
}

struct Factorised<T> {
    before: Dense,
    stored: Stored<T>,
    tau: Vec<T>,
    q: Dense,
}

fn factorised<T: Scalar>(m: usize, n: usize, (layout, gap): (Layout, usize), scale: f64) -> Factorised<T> {
    let mut stored = Stored::<T>::new(layout, m, n, gap, 1);
    let values = stored.dense();
    stored = stored.filled_with(|i, j| values[(i, j)] * scale);
    let before = stored.dense();
    let mut tau = vec![T::ZERO; m.min(n)];
    geqrf(stored.view_mut(), &mut tau).unwrap();
    let q = full_q(&stored.dense(), &tau);
    Factorised { before, stored, tau, q }
}

fn factorises<T: Scalar>(m: usize, n: usize, storage: (Layout, usize), scale: f64) {
    let case = (m, n, storage, scale);
    let Factorised { before, stored, tau, q } = factorised::<T>(m, n, storage, scale);
    let factors = stored.dense();
    assert!(stored.canaries_live(), "{case:?}");
    let r = upper(&factors);
    assert!((0..m.min(n)).all(|i| r[(i, i)].im == 0.0), "{case:?}: R's diagonal is not real");
    // Scaled by a power of two, so that the reference's own squares stay in the range.
    let unscaled = |a: &Dense| Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] / scale);
    let error = difference(&unscaled(&before), &product(&q, &unscaled(&r)));
    assert_ratio::<T>(ratio::<T>(&error, m, norm(&unscaled(&before))), "A - Q R", &case);
    let error = difference(&identity(m), &product(&adjoint(&q), &q));
    assert_ratio::<T>(ratio::<T>(&error, m, 1.0), "I - Qᴴ Q", &case);
    assert_usual_factors(&tau, &case);
}

/// LAPACK's xLARFG: 1 <= re(tau) <= 2 and |tau - 1| <= 1, or tau = 0.
#[track_caller]
pub(crate) fn assert_usual_factors<T: Scalar>(tau: &[T], case: &dyn std::fmt::Debug) {
    for tau in tau {
        let away = (Complex64::new(tau.re(), tau.im()) - 1.0).norm();
        let workspace = 1.0 + 4.0 * T::EPSILON;
        let usual = tau.re() >= 2.0 - workspace && tau.re() <= 2.0 * workspace && away <= workspace;
        assert!(*tau == T::ZERO || usual, "{case:?}: tau = {tau:?}");
    }
}

#[test]
fn geqrf_factorises_square_high_and_wide_matrices() {
    for (m, n) in SHAPES {
        for storage in STORAGES {
            for_each_type!(factorises(m, n, storage, 1.0));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn geqrf_factorises_any_shape(m in 0..110usize, n in 0..110usize, gap in 0..4usize, by_rows in any::<bool>()) {
        let layout = if by_rows { Layout::RowMajor } else { Layout::ColumnMajor };
        for_each_type!(factorises(m, n, (layout, gap), 1.0));
    }
}

#[test]
fn matrices_at_the_ends_of_the_range_are_factorised() {
    for (m, n) in [(7, 5), (40, 40), (80, 70)] {
        for exponent in [-120, 110] {
            for_each_type!(factorises(m, n, STORAGES[0], 2f64.powi(exponent)));
        }
        for exponent in [-1000, -600, 600, 1000, 1018] {
            factorises::<f64>(m, n, STORAGES[0], 2f64.powi(exponent));
            factorises::<Complex64>(m, n, STORAGES[0], 2f64.powi(exponent));
        }
    }
    // Values so small that their norm would be rounded to a multiple of the smallest one.
    let tiny = f64::from_bits(1);
    let mut a = [tiny, tiny];
    let shape = crate::MatrixShape::new(Layout::ColumnMajor, 2, 1, 0, 2).unwrap();
    let mut tau = [0.0];
    geqrf(MatrixMut::from_slice(&mut a, shape).unwrap(), &mut tau).unwrap();
    assert_close!(tau[0], 1.0 + 0.5f64.sqrt(), 4.0 * f64::EPSILON, "{tau:?}");
    assert_close!(a[1], 2f64.sqrt() - 1.0, 4.0 * f64::EPSILON, "{a:?}");
}

#[test]
fn columns_that_need_no_reflection_get_none() {
    // LAPACK: tau = 0 for a column that is zero below the diagonal, and real on it.
    let mut a = Stored::<Complex64>::new(Layout::ColumnMajor, 40, 40, 0, 2);
    let values = a.dense();
    a = a.filled_with(|i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => values[(i, j)],
        std::cmp::Ordering::Equal => Complex64::new(values[(i, i)].re, 0.0),
        std::cmp::Ordering::Greater => Complex64::ZERO,
    });
    let before = a.dense();
    let mut tau = vec![Complex64::ONE; 40];
    geqrf(a.view_mut(), &mut tau).unwrap();
    assert_eq!(tau, vec![Complex64::ZERO; 40]);
    assert_eq!(a.dense(), before);
    // A complex number alone is turned to a real one.
    let mut a = [Complex64::new(3.0, 4.0)];
    let shape = crate::MatrixShape::new(Layout::ColumnMajor, 1, 1, 0, 1).unwrap();
    geqrf(MatrixMut::from_slice(&mut a, shape).unwrap(), &mut tau[..1]).unwrap();
    assert_eq!((a[0], tau[0]), (Complex64::new(-5.0, 0.0), Complex64::new(1.6, 0.8)));
}

#[test]
fn orgqr_is_the_first_columns_of_q() {
    fn check<T: Scalar>(m: usize, n: usize) {
        for storage in STORAGES {
            let Factorised { stored, tau, q, .. } = factorised::<T>(m, n, storage, 1.0);
            let order = m.min(n);
            // With all reflectors, with some of them, and with more columns than reflectors.
            for (columns, count) in [(order, order), (order, order / 2), (m, order)] {
                let q = if count == order { q.clone() } else { full_q(&stored.dense(), &tau[..count]) };
                let mut target = Stored::<T>::new(storage.0, m, columns, storage.1, 9);
                let factors = stored.dense();
                target = target.filled_with(|i, j| if j < n { factors[(i, j)] } else { Complex64::new(f64::NAN, 0.0) });
                orgqr(target.view_mut(), &tau[..count]).unwrap();
                let expected = Mat::from_fn(m, columns, |i, j| q[(i, j)]);
                let error = difference(&target.dense(), &expected);
                assert!(target.canaries_live());
                assert_ratio::<T>(ratio::<T>(&error, m, 1.0), "orgqr", &(m, n, storage, columns, count));
            }
        }
    }
    for (m, n) in SHAPES {
        for_each_type!(check(m, n));
    }
}

#[test]
fn ormqr_multiplies_by_q_on_either_side() {
    fn check<T: Scalar>(m: usize, n: usize, other: usize) {
        for storage in STORAGES {
            let Factorised { stored, tau, q, .. } = factorised::<T>(m, n, storage, 1.0);
            for side in [Side::Left, Side::Right] {
                for op in Op::ALL {
                    let (rows, columns) = if side == Side::Left { (m, other) } else { (other, m) };
                    let mut c = Stored::<T>::new(storage.0, rows, columns, storage.1, 4);
                    let before = c.dense();
                    ormqr(side, *op, stored.view(), &tau, c.view_mut()).unwrap();
                    let q = operated(*op, &q);
                    let expected = if side == Side::Left { product(&q, &before) } else { product(&before, &q) };
                    let error = difference(&c.dense(), &expected);
                    assert!(c.canaries_live());
                    let ratio = ratio::<T>(&error, m, norm(&before).max(1.0));
                    assert_ratio::<T>(ratio, "ormqr", &(m, n, other, storage, side, op));
                }
            }
        }
    }
    for (m, n) in [(1, 1), (5, 3), (3, 5), (40, 40), (70, 66), (130, 129)] {
        for other in [0, 1, 7, 70] {
            for_each_type!(check(m, n, other));
        }
    }
}
