use affinimath_core::options::Side;
use affinimath_cpu::lapack::{
    BidiagonalFactor, bdsqr, gebrd, hetrd, orgbr, orgtr, ormbr, ormtr, stedc, steqr, sterf, stevr,
};
use affinimath_cpu::lapack::{Spectrum, gesvd, heev};
use affinimath_testing::for_each_type;

use super::*;

const SIZES: [usize; 8] = [0, 1, 2, 3, 7, 33, 64, 100];

fn zeros<T: Scalar>(n: usize) -> Vec<T::RealScalar> {
    vec![T::RealScalar::default(); n]
}

/// The tridiagonal matrix.
fn tridiagonal<R: Scalar>(d: &[R], e: &[R]) -> Dense {
    let n = d.len();
    Mat::from_fn(n, n, |i, j| {
        let value = match i.abs_diff(j) {
            0 => d[i].re(),
            1 => e[i.min(j)].re(),
            _ => 0.0,
        };
        Complex64::new(value, 0.0)
    })
}

fn identity<T: Scalar>(n: usize, storage: (Layout, usize)) -> Stored<T> {
    Stored::<T>::new(storage.0, n, n, storage.1, 0)
        .filled_with(|i, j| if i == j { Complex64::ONE } else { Complex64::ZERO })
}

/// Two matrices are the same within n eps of the size.
#[track_caller]
fn assert_close<T: Scalar>(found: &Dense, expected: &Dense, size: f64, case: &dyn std::fmt::Debug) {
    if expected.nrows() > 0 && expected.ncols() > 0 {
        assert_ratio::<T>(&difference(found, expected), expected.nrows().max(expected.ncols()), size, case);
    }
}

fn reduces_to_tridiagonal_form<T: Scalar>(n: usize, kind: Kind, triangle: Triangle, storage: (Layout, usize)) {
    let case = (n, kind, triangle, storage);
    let a = matrix::<T>(n, n, true, kind, 1);
    let mut q = triangle_of::<T>(&a, triangle, storage);
    let (mut d, mut e, mut tau) = (zeros::<T>(n), zeros::<T>(n.saturating_sub(1)), vec![T::ZERO; n.saturating_sub(1)]);
    hetrd(triangle, view_mut(&mut q), &mut d, &mut e, &mut tau);
    assert!(q.canaries_live(), "{case:?}");
    // T is in the triangle, too; the other one is as it was.
    for i in 0..n {
        assert_eq!(q.element(i, i).re, d[i].re(), "{case:?}");
        if i + 1 < n {
            let (row, column) = if triangle == Triangle::Lower { (i + 1, i) } else { (i, i + 1) };
            assert_eq!(q.element(row, column), Complex64::new(e[i].re(), 0.0), "{case:?}");
            assert!(q.element(column, row).re.is_nan(), "{case:?}");
        }
    }
    let reflectors = q.clone();
    orgtr(triangle, view_mut(&mut q), &tau);
    assert!(q.canaries_live(), "{case:?}");
    let full = q.dense();
    assert_orthonormal::<T>(&full, &case);
    let t = tridiagonal(&d, &e);
    let back = product(&product(&full, &t), &operated(Op::ConjTrans, &full));
    assert_close::<T>(&back, &a, norm(&a), &case);

    // Products with Q from both sides, on a matrix that is not square.
    let other = n / 2 + 1;
    let mut reflectors = reflectors;
    for (side, (rows, columns)) in [(Side::Left, (n, other)), (Side::Right, (other, n))] {
        for op in [Op::NoTrans, Op::ConjTrans] {
            let before = matrix::<T>(rows, columns, false, Kind::Random, 8);
            let mut c = stored::<T>(&before, storage);
            ormtr(side, triangle, op, view_mut(&mut reflectors).as_ref(), &tau, view_mut(&mut c));
            let factor = operated(op, &full);
            let expected = if side == Side::Left { product(&factor, &before) } else { product(&before, &factor) };
            assert_close::<T>(&c.dense(), &expected, norm(&before), &(case, side, op));
        }
    }
}

#[test]
fn a_tridiagonal_form_is_similar_to_the_matrix() {
    for (i, n) in SIZES.into_iter().enumerate() {
        for (k, kind) in KINDS.into_iter().enumerate() {
            for &triangle in Triangle::ALL {
                if n < 100 || k % 3 == 0 {
                    for_each_type!(reduces_to_tridiagonal_form(n, kind, triangle, STORAGES[(i + k) % 3]));
                }
            }
        }
    }
}

fn reduces_to_bidiagonal_form<T: Scalar>((m, n): (usize, usize), kind: Kind, storage: (Layout, usize)) {
    let case = (m, n, kind, storage);
    let order = m.min(n);
    let a = matrix::<T>(m, n, false, kind, 1);
    let mut factors = stored::<T>(&a, storage);
    let (mut d, mut e) = (zeros::<T>(order), zeros::<T>(order.saturating_sub(1)));
    let (mut tauq, mut taup) = (vec![T::ZERO; order], vec![T::ZERO; order]);
    gebrd(view_mut(&mut factors), &mut d, &mut e, &mut tauq, &mut taup);
    assert!(factors.canaries_live(), "{case:?}");
    let upper = m >= n;
    let b = Mat::from_fn(order, order, |i, j| {
        let off_diagonal = if upper { j == i + 1 } else { i == j + 1 };
        Complex64::new(
            if i == j {
                d[i].re()
            } else if off_diagonal {
                e[i.min(j)].re()
            } else {
                0.0
            },
            0.0,
        )
    });
    let formed = |factor, size: usize, rows, columns, tau: &[T]| {
        let part =
            Mat::from_fn(rows, columns, |i, j| if i < m && j < n { factors.element(i, j) } else { Complex64::ZERO });
        let mut part = stored::<T>(&part, storage);
        let other = if size == m { n } else { m };
        orgbr(factor, other, view_mut(&mut part), tau);
        assert!(part.canaries_live(), "{case:?}");
        part.dense()
    };
    // The whole Q and Pᴴ.
    let q = formed(BidiagonalFactor::Q, m, m, m, &tauq);
    let mut pt =
        stored::<T>(&Mat::from_fn(n, n, |i, j| if i < m { factors.element(i, j) } else { Complex64::ZERO }), storage);
    orgbr(BidiagonalFactor::P, m, view_mut(&mut pt), &taup);
    let pt = pt.dense();
    assert_orthonormal::<T>(&q, &case);
    assert_orthonormal::<T>(&pt, &case);
    let (left, right) = (Mat::from_fn(m, order, |i, j| q[(i, j)]), Mat::from_fn(order, n, |i, j| pt[(i, j)]));
    assert_close::<T>(&product(&product(&left, &b), &right), &a, norm(&a), &case);

    let width = order / 2 + 1;
    for (factor, size, full) in [(BidiagonalFactor::Q, m, q), (BidiagonalFactor::P, n, operated(Op::ConjTrans, &pt))] {
        let (tau, other) = if factor == BidiagonalFactor::Q { (&tauq, n) } else { (&taup, m) };
        for (side, (rows, columns)) in [(Side::Left, (size, width)), (Side::Right, (width, size))] {
            for op in [Op::NoTrans, Op::ConjTrans] {
                let before = matrix::<T>(rows, columns, false, Kind::Random, 8);
                let mut c = stored::<T>(&before, storage);
                ormbr(factor, (side, op), other, view_mut(&mut factors.clone()).as_ref(), tau, view_mut(&mut c));
                let by = operated(op, &full);
                let expected = if side == Side::Left { product(&by, &before) } else { product(&before, &by) };
                assert_close::<T>(&c.dense(), &expected, norm(&before), &(case, factor, side, op));
            }
        }
    }
}

const SHAPES: [(usize, usize); 13] =
    [(0, 3), (3, 0), (1, 1), (1, 5), (5, 1), (2, 2), (4, 3), (3, 4), (33, 33), (40, 33), (33, 70), (100, 64), (90, 90)];

#[test]
fn a_bidiagonal_form_is_equivalent_to_the_matrix() {
    for (i, shape) in SHAPES.into_iter().enumerate() {
        for (k, kind) in KINDS.into_iter().enumerate() {
            if shape.0 < 100 || k % 4 == 0 {
                for_each_type!(reduces_to_bidiagonal_form(shape, kind, STORAGES[(i + k) % 3]));
            }
        }
    }
}

/// Diagonals of tridiagonal and bidiagonal matrices, as LAPACK's testers have them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Diagonals {
    Random,
    /// Differences of second order.
    Laplace,
    /// Wilkinson's W21+ and its like: pairs of eigenvalues that agree in all digits.
    Wilkinson,
    /// Elements fall by many orders of magnitude, or rise.
    Falling,
    Rising,
    /// Blocks apart, of very different sizes.
    Split,
    Zero,
    /// Zeros on the diagonal.
    Singular,
}
const DIAGONALS: [Diagonals; 8] = [
    Diagonals::Random,
    Diagonals::Laplace,
    Diagonals::Wilkinson,
    Diagonals::Falling,
    Diagonals::Rising,
    Diagonals::Split,
    Diagonals::Zero,
    Diagonals::Singular,
];

fn diagonals<R: Scalar>(n: usize, kind: Diagonals) -> (Vec<R>, Vec<R>) {
    let (random, step) = (filled::<R>(n, 2, 21), if R::KIND.is_double() { 2 } else { 1 });
    let power = |i: usize| 2f64.powi(-((step * i) as i32).min(100 * step as i32));
    let of = |i: usize, k: usize| match kind {
        Diagonals::Random => random[(i, k)].re(),
        Diagonals::Laplace => [2.0, -1.0][k],
        Diagonals::Wilkinson => [(i as f64 - (n / 2) as f64).abs(), 1.0][k],
        Diagonals::Falling => random[(i, k)].re() * power(i),
        Diagonals::Rising => random[(i, k)].re() * power(n - 1 - i),
        Diagonals::Split if k == 1 && i % 9 == 8 => 0.0,
        Diagonals::Split => random[(i, k)].re() * if (i / 9).is_multiple_of(2) { 1e15 } else { 1e-15 },
        Diagonals::Zero => 0.0,
        Diagonals::Singular if k == 0 && i % 4 == 1 => 0.0,
        Diagonals::Singular => random[(i, k)].re(),
    };
    let column = |k: usize, count: usize| (0..count).map(|i| R::from_parts(of(i, k), 0.0)).collect();
    (column(0, n), column(1, n.saturating_sub(1)))
}

fn solved<T: Scalar>(
    conquers: bool,
    d: &mut [T::RealScalar],
    e: &mut [T::RealScalar],
    z: Option<MatMut<'_, T>>,
) -> Option<usize> {
    if conquers { stedc::<T>(d, e, z) } else { steqr::<T>(d, e, z) }
}

fn solves_tridiagonal<T: Scalar>(n: usize, kind: Diagonals, storage: (Layout, usize)) {
    let case = (n, kind, storage);
    let (d, e) = diagonals::<T::RealScalar>(n, kind);
    let t = tridiagonal(&d, &e);
    let mut all = Vec::new();
    for conquers in [false, true] {
        let (mut w, mut off_diagonal, mut z) = (d.clone(), e.clone(), identity::<T>(n, storage));
        assert_eq!(solved::<T>(conquers, &mut w, &mut off_diagonal, Some(view_mut(&mut z))), None, "{case:?}");
        assert!(z.canaries_live() && w.windows(2).all(|pair| pair[0].re() <= pair[1].re()), "{case:?}: {w:?}");
        let x = z.dense();
        assert_orthonormal::<T>(&x, &case);
        assert_close::<T>(&product(&t, &x), &times_values(&x, &w), norm(&t), &case);
        // Eigenvectors of a similar matrix.
        let (mut w, mut off_diagonal) = (d.clone(), e.clone());
        let q = of_values::<T>(n, n, true, |i| if i % 2 == 0 { 1.0 } else { -1.0 });
        let mut z = stored::<T>(&q, storage);
        solved::<T>(conquers, &mut w, &mut off_diagonal, Some(view_mut(&mut z)));
        let a = product(&product(&q, &t), &operated(Op::ConjTrans, &q));
        assert_close::<T>(&product(&a, &z.dense()), &times_values(&z.dense(), &w), norm(&t), &case);
        all.push(w);
    }
    let (mut w, mut off_diagonal) = (d.clone(), e.clone());
    assert_eq!(steqr::<T>(&mut w, &mut off_diagonal, None), None);
    assert_values(&all[0], &w, n, &case);
    assert_values(&all[1], &w, n, &case);
}

#[test]
fn eigenvectors_diagonalise_a_tridiagonal_matrix() {
    for (i, n) in [0, 1, 2, 3, 7, 21, 33, 65, 90].into_iter().enumerate() {
        for (k, kind) in DIAGONALS.into_iter().enumerate() {
            for_each_type!(solves_tridiagonal(n, kind, STORAGES[(i + k) % 3]));
        }
    }
}

fn selects_of_tridiagonal<R: Scalar<RealScalar = R>>(n: usize, kind: Diagonals) {
    let (d, e) = diagonals::<R>(n, kind);
    let t = tridiagonal(&d, &e);
    let (mut all, mut off_diagonal) = (d.clone(), e.clone());
    assert_eq!(sterf::<R>(&mut all, &mut off_diagonal), None);
    let (first, end) = (n / 3, n / 2 + 1);
    let (mut w, mut z) = (vec![R::ZERO; n], Stored::<R>::new(Layout::RowMajor, n, end - first, 1, 0).poisoned());
    let found = stevr(Spectrum::Indices(first, end), &d, &e, &mut w, Some(view_mut(&mut z)));
    assert_eq!(found, (end - first, None));
    let mut merged = all.clone();
    merged[first..end].copy_from_slice(&w[..end - first]);
    assert_values(&merged, &all, n, &(n, kind));
    assert_orthonormal::<R>(&z.dense(), &(n, kind));
    assert_close::<R>(&product(&t, &z.dense()), &times_values(&z.dense(), &w), norm(&t), &(n, kind));
    let found = stevr::<R>(Spectrum::Within(-1e300, 1e300), &d, &e, &mut w, None);
    assert_eq!(found, (n, None));
    assert_values(&w, &all, n, &(n, kind));
}

#[test]
fn a_range_selects_eigenvalues_of_a_tridiagonal_matrix() {
    for n in [1, 2, 9, 40] {
        for kind in DIAGONALS {
            selects_of_tridiagonal::<f32>(n, kind);
            selects_of_tridiagonal::<f64>(n, kind);
        }
    }
}

fn solves_bidiagonal<T: Scalar>(n: usize, kind: Diagonals, triangle: Triangle, storage: (Layout, usize)) {
    let case = (n, kind, triangle, storage);
    let (d, e) = diagonals::<T::RealScalar>(n, kind);
    let b = Mat::from_fn(n, n, |i, j| {
        let off_diagonal = if triangle == Triangle::Upper { j == i + 1 } else { i == j + 1 };
        Complex64::new(
            if i == j {
                d[i].re()
            } else if off_diagonal {
                e[i.min(j)].re()
            } else {
                0.0
            },
            0.0,
        )
    });
    let (mut s, mut off_diagonal) = (d.clone(), e.clone());
    let (mut u, mut vt) = (identity::<T>(n, storage), identity::<T>(n, storage));
    let right = matrix::<T>(n, 3, false, Kind::Random, 4);
    let mut c = stored::<T>(&right, storage);
    let [of_v, of_u, of_c] = [&mut vt, &mut u, &mut c].map(|matrix| Some(view_mut(matrix)));
    assert_eq!(bdsqr(triangle, &mut s, &mut off_diagonal, of_v, of_u, of_c), None, "{case:?}");
    assert!([&u, &vt, &c].iter().all(|matrix| matrix.canaries_live()), "{case:?}");
    assert!(
        s.windows(2).all(|pair| pair[0].re() >= pair[1].re()) && s.iter().all(|s| s.re() >= 0.0),
        "{case:?}: {s:?}"
    );
    let (u, vt) = (u.dense(), vt.dense());
    assert_orthonormal::<T>(&u, &case);
    assert_orthonormal::<T>(&vt, &case);
    assert_close::<T>(&product(&times_values(&u, &s), &vt), &b, norm(&b), &case);
    assert_close::<T>(&c.dense(), &product(&operated(Op::ConjTrans, &u), &right), norm(&right), &case);
    let (mut values, mut off_diagonal) = (d, e);
    assert_eq!(bdsqr::<T>(triangle, &mut values, &mut off_diagonal, None, None, None), None);
    // Each value has the same relative accuracy with and without vectors.
    for (value, s) in values.iter().zip(&s) {
        assert!((value.re() - s.re()).abs() <= 40.0 * n as f64 * T::EPSILON * s.re(), "{case:?}: {value:?} {s:?}");
    }
}

#[test]
fn singular_vectors_diagonalise_a_bidiagonal_matrix() {
    for (i, n) in [0, 1, 2, 3, 7, 21, 33, 65, 90].into_iter().enumerate() {
        for (k, kind) in DIAGONALS.into_iter().enumerate() {
            for &triangle in Triangle::ALL {
                for_each_type!(solves_bidiagonal(n, kind, triangle, STORAGES[(i + k) % 3]));
            }
        }
    }
}

#[test]
fn small_singular_values_have_high_relative_accuracy() {
    // Kahan's example: the product of the values is that of the diagonal, which no cancellation spoils.
    for n in [2, 5, 12] {
        let d: Vec<f64> = (0..n).map(|i| 2f64.powi(-8 * i)).collect();
        let mut e: Vec<f64> = d[1..].iter().map(|d| 1e8 * d).collect();
        let expected: f64 = d.iter().map(|d| d.log2()).sum();
        let mut s = d.clone();
        assert_eq!(bdsqr::<f64>(Triangle::Upper, &mut s, &mut e, None, None, None), None);
        let found: f64 = s.iter().map(|s| s.log2()).sum();
        assert!((found - expected).abs() <= 1e-13 * expected.abs(), "{n}: {found} {expected}");
    }
}

fn agrees_with_the_drivers<T: Scalar>(n: usize) {
    let a = matrix::<T>(n, n, true, Kind::Random, 5);
    let (mut whole, mut w) = (triangle_of::<T>(&a, Triangle::Upper, STORAGES[0]), zeros::<T>(n));
    heev(Triangle::Upper, view_mut(&mut whole), &mut w, false);
    let mut reduced = triangle_of::<T>(&a, Triangle::Upper, STORAGES[2]);
    let (mut d, mut e, mut tau) = (zeros::<T>(n), zeros::<T>(n - 1), vec![T::ZERO; n - 1]);
    hetrd(Triangle::Upper, view_mut(&mut reduced), &mut d, &mut e, &mut tau);
    orgtr(Triangle::Upper, view_mut(&mut reduced), &tau);
    assert_eq!(steqr(&mut d, &mut e, Some(view_mut(&mut reduced))), None);
    assert_values(&d, &w, n, &n);
    let x = reduced.dense();
    assert_close::<T>(&product(&a, &x), &times_values(&x, &d), norm(&a), &n);

    let b = matrix::<T>(n, n, false, Kind::Random, 6);
    let (mut source, mut s) = (stored::<T>(&b, STORAGES[0]), zeros::<T>(n));
    gesvd(view_mut(&mut source).as_ref(), &mut s, None, None);
    let (mut d, mut e) = (zeros::<T>(n), zeros::<T>(n - 1));
    let (mut tauq, mut taup) = (vec![T::ZERO; n], vec![T::ZERO; n]);
    gebrd(view_mut(&mut source), &mut d, &mut e, &mut tauq, &mut taup);
    let mut vt = source.clone();
    orgbr(BidiagonalFactor::Q, n, view_mut(&mut source), &tauq);
    orgbr(BidiagonalFactor::P, n, view_mut(&mut vt), &taup);
    let (of_v, of_u) = (Some(view_mut(&mut vt)), Some(view_mut(&mut source)));
    assert_eq!(bdsqr(Triangle::Upper, &mut d, &mut e, of_v, of_u, None), None);
    assert_values(&d, &s, n, &n);
    assert_close::<T>(&product(&times_values(&source.dense(), &d), &vt.dense()), &b, norm(&b), &n);
}

#[test]
fn reductions_and_iterations_make_the_drivers() {
    for n in [1, 2, 40, 257] {
        for_each_type!(agrees_with_the_drivers(n));
    }
}

fn refuses<T: Scalar>() {
    let one = <T::RealScalar as Scalar>::ONE;
    let nan = <T::RealScalar as Scalar>::from_parts(f64::NAN, 0.0);
    for solver in [steqr::<T>, stedc::<T>] {
        let (mut d, mut e, mut z) = (vec![one, nan, one], vec![one; 2], identity::<T>(3, STORAGES[0]));
        assert!(solver(&mut d, &mut e, Some(view_mut(&mut z))).is_some());
        assert!(d.iter().all(|d| d.re().is_nan()) && z.element(2, 0).re.is_nan());
    }
    let (mut d, mut e, mut u) = (vec![one; 3], vec![one, nan], identity::<T>(3, STORAGES[0]));
    assert!(bdsqr::<T>(Triangle::Lower, &mut d, &mut e, None, Some(view_mut(&mut u)), None).is_some());
    assert!(d.iter().all(|d| d.re().is_nan()) && u.element(2, 0).re.is_nan());
}

#[test]
fn diagonals_that_are_not_finite_have_an_info() {
    for_each_type!(refuses());
}

fn pair_is_accurate(f: f64, g: f64, h: f64, triangle: Triangle) {
    let case = (f, g, h, triangle);
    let (mut s, mut off_diagonal) = (vec![f, h], vec![g]);
    let (mut u, mut vt) = (identity::<f64>(2, STORAGES[0]), identity::<f64>(2, STORAGES[0]));
    let (of_v, of_u) = (Some(view_mut(&mut vt)), Some(view_mut(&mut u)));
    assert_eq!(bdsqr(triangle, &mut s, &mut off_diagonal, of_v, of_u, None), None, "{case:?}");
    let upper = if triangle == Triangle::Upper { (0, 1) } else { (1, 0) };
    let b = Mat::from_fn(2, 2, |i, j| {
        let value = if i == j {
            [f, h][i]
        } else if (i, j) == upper {
            g
        } else {
            0.0
        };
        Complex64::new(value, 0.0)
    });
    let (u, vt) = (u.dense(), vt.dense());
    assert_orthonormal::<f64>(&u, &case);
    assert_orthonormal::<f64>(&vt, &case);
    assert_close::<f64>(&product(&times_values(&u, &s), &vt), &b, norm(&b), &case);
    // The determinant: the smaller value has all its digits.
    let determinant = f.abs() * h.abs();
    assert!((s[0] * s[1] - determinant).abs() <= 1e-14 * determinant, "{case:?}: {s:?}");
}

#[test]
fn pairs_of_singular_values_have_high_relative_accuracy() {
    let values = [1.0, -1.0, 0.5, -3.0, 1e-20, -1e-9, 1e17, 7.0, -7.0];
    for f in values {
        for g in values.into_iter().chain([0.0]) {
            for h in values {
                pair_is_accurate(f, g, h, Triangle::Upper);
                pair_is_accurate(f, g, h, Triangle::Lower);
            }
        }
    }
}
