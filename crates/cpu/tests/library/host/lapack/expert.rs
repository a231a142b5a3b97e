//! Expert drivers: LAPACK's tests of xGEEQU, xGERFS, xGESVX and their kin, in every precision.

use affinimath_core::options::{Symmetry, Triangle};
use affinimath_cpu::lapack::{
    Definite, DefiniteTridiagonal, Equed, Equilibration, General, Indefinite, Tridiagonal, geequ, geequb, gerfs, gesvx,
    getrf, getrs, gtsvx, poequ, poequb, posvx, ptsvx, syequb, sysvx,
};
use affinimath_testing::{Stored, for_each_type};

use super::indefinite::{Kind, SYMMETRIES, indefinite, triangle_of};
use super::*;

const ORDERS: [usize; 6] = [0, 1, 2, 7, 40, 65];
const OPS: [Op; 3] = [Op::NoTrans, Op::Trans, Op::ConjTrans];

fn general<T: Scalar>(n: usize, grade: impl Fn(usize, usize) -> f64, seed: u64) -> Dense {
    let a = Stored::<T>::new(Layout::ColumnMajor, n, n, 0, seed).dense();
    let a = Mat::from_fn(n, n, |i, j| {
        let heavy = if i == j { 3.0 } else { 0.0 };
        (a[(i, j)] + heavy) * grade(i, j)
    });
    Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 0).filled_with(|i, j| a[(i, j)]).dense()
}

fn stored<T: Scalar>(a: &Dense, (layout, gap): (Layout, usize)) -> Stored<T> {
    Stored::<T>::new(layout, a.nrows(), a.ncols(), gap, 0).filled_with(|i, j| a[(i, j)])
}

fn reals<T: Scalar>(n: usize) -> Vec<T::RealScalar> {
    vec![T::RealScalar::default(); n]
}

/// Asserts that the forward error bounds hold (LAPACK: xGET07's first ratio), and that the backward errors are small.
#[track_caller]
fn assert_bounds<T: Scalar>(
    x: &Dense,
    exact: &Dense,
    ferr: &[T::RealScalar],
    berr: &[T::RealScalar],
    case: &dyn std::fmt::Debug,
) {
    let size = |x: Complex64| x.re.abs() + x.im.abs();
    for j in 0..x.ncols() {
        let largest = (0..x.nrows()).map(|i| size(x[(i, j)])).fold(0.0, f64::max);
        let error = (0..x.nrows()).map(|i| size(x[(i, j)] - exact[(i, j)])).fold(0.0, f64::max);
        let (forward, backward) = (ferr[j].re(), berr[j].re());
        assert!(
            error <= forward * largest * 1.01 && forward.is_finite(),
            "{case:?}: {error:e}, {forward:e} {largest:e}"
        );
        assert!(backward <= 4.0 * T::EPSILON, "{case:?}: {backward:e}");
    }
}

fn solves<T: Scalar>(n: usize, op: Op, storage: (Layout, usize)) {
    // A solution of small integers, and the right-hand sides of the exact product in double precision.
    let exact = Mat::from_fn(n, 2, |i, j| Complex64::new((1 + (i + j) % 3) as f64, 0.0));
    for (rows, columns) in [(false, false), (true, false), (false, true), (true, true)] {
        // Powers of two, by which nothing is rounded.
        let power = |on: bool, i: usize| if on { 2f64.powi((i * 7 % 23) as i32) } else { 1.0 };
        let a = general::<T>(n, |i, j| power(rows, i) * power(columns, j), 1);
        let b = product(&operated(op, &a), &exact);
        let case = (n, op, storage, rows, columns);
        let (mut of_a, mut b) = (stored::<T>(&a, storage), stored::<T>(&b, storage));
        let mut factors = Stored::<T>::new(storage.0, n, n, storage.1, 0);
        let mut x = Stored::<T>::new(storage.0, n, 2, storage.1, 0);
        let (mut r, mut c, mut ferr, mut berr) = (reals::<T>(n), reals::<T>(n), reals::<T>(2), reals::<T>(2));
        let (mut pivots, mut equed) = (vec![0; n], Equed::None);
        let mut run = |equilibrate, factored, of_a: &mut Stored<T>, b: &mut Stored<T>, x: &mut Stored<T>| {
            let found = gesvx(General {
                op,
                factored,
                equilibrate,
                a: view_mut(of_a),
                factors: view_mut(&mut factors),
                pivots: &mut pivots,
                equed: &mut equed,
                r: &mut r,
                c: &mut c,
                b: view_mut(b),
                x: view_mut(x),
                ferr: &mut ferr,
                berr: &mut berr,
            });
            (found, equed, ferr.clone(), berr.clone())
        };
        let mut again = b.clone();
        let (found, equed, ferr, berr) = run(true, false, &mut of_a, &mut b, &mut x);
        assert_eq!(found.info, None, "{case:?}: {found:?}");
        assert!(found.rcond > 10.0 * T::EPSILON && found.growth > 0.0 && found.growth < 30.0, "{case:?}: {found:?}");
        assert!(of_a.canaries_live() && b.canaries_live() && x.canaries_live(), "{case:?}");
        assert!(n < 3 || equed.rows() || equed.columns() || !(rows || columns), "{case:?}: {equed:?}");
        // A scaling of X makes the bounds larger, by the ratio of its factors. Else they are of the condition's order.
        let limit = 10.0 * (n + 1) as f64 * T::EPSILON / found.rcond;
        assert!(rows || columns || ferr.iter().all(|bound| bound.re() < limit), "{case:?}: {ferr:?}, {limit:e}");
        // The right-hand sides were rounded: by at most the matrix's condition the solution differs.
        let loose = |ferr: &[T::RealScalar]| -> Vec<T::RealScalar> {
            ferr.iter().map(|x| T::RealScalar::from_parts(x.re() * 2.0, 0.0)).collect()
        };
        assert_bounds::<T>(&x.dense(), &exact, &loose(&ferr), &berr, &case);
        // With given factors and scalings, the same.
        let mut second = Stored::<T>::new(storage.0, n, 2, storage.1, 0);
        let (found_again, ..) = run(false, true, &mut of_a, &mut again, &mut second);
        assert_eq!(found, found_again, "{case:?}");
        assert_eq!(x.dense(), second.dense(), "{case:?}");
    }
}

#[test]
fn gesvx_bounds_its_errors() {
    for n in ORDERS {
        for (op, storage) in OPS.into_iter().zip(STORAGES) {
            for_each_type!(solves(n, op, storage));
        }
    }
}

#[test]
fn gerfs_improves_a_solution() {
    fn check<T: Scalar>(op: Op) {
        let n = 30;
        let a = general::<T>(n, |_, _| 1.0, 2);
        let exact = Mat::from_fn(n, 1, |i, _| Complex64::new((1 + i % 5) as f64, 0.0));
        let right = stored::<T>(&product(&operated(op, &a), &exact), STORAGES[0]);
        let (mut factors, mut pivots) = (stored::<T>(&a, STORAGES[0]), vec![0; n]);
        assert_eq!(getrf(view_mut(&mut factors), &mut pivots), None);
        let mut x = right.clone();
        getrs(op, view_mut(&mut factors).as_ref(), &pivots, view_mut(&mut x));
        // A disturbance of half of the digits.
        let x_before = x.dense();
        let mut x = stored::<T>(&Mat::from_fn(n, 1, |i, _| x_before[(i, 0)] * (1.0 + T::EPSILON.sqrt())), STORAGES[0]);
        let (mut ferr, mut berr) = (reals::<T>(1), reals::<T>(1));
        let (mut of_a, mut right) = (stored::<T>(&a, STORAGES[2]), right);
        let (a, b) = (view_mut(&mut of_a), view_mut(&mut right));
        let factors = view_mut(&mut factors);
        gerfs(op, a.as_ref(), factors.as_ref(), &pivots, b.as_ref(), view_mut(&mut x), &mut ferr, &mut berr);
        let loose = [T::RealScalar::from_parts(ferr[0].re() * 2.0, 0.0)];
        assert_bounds::<T>(&x.dense(), &exact, &loose, &berr, &op);
    }
    for op in OPS {
        for_each_type!(check(op));
    }
}

fn definite<T: Scalar>(n: usize, grade: impl Fn(usize) -> f64) -> Dense {
    let c = Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 4).dense();
    let a = product(&c, &operated(Op::ConjTrans, &c));
    let a = Mat::from_fn(n, n, |i, j| (a[(i, j)] + if i == j { n as f64 } else { 0.0 }) * grade(i) * grade(j));
    let a = Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Equal => Complex64::new(a[(i, i)].re, 0.0),
        std::cmp::Ordering::Greater => a[(i, j)],
        std::cmp::Ordering::Less => a[(j, i)].conj(),
    });
    Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 0).filled_with(|i, j| a[(i, j)]).dense()
}

#[test]
fn posvx_bounds_its_errors() {
    fn check<T: Scalar>(n: usize, triangle: Triangle, graded: bool, storage: (Layout, usize)) {
        let case = (n, triangle, graded, storage);
        let a = definite::<T>(n, |i| if graded { 2f64.powi((i * 5 % 13) as i32) } else { 1.0 });
        let exact = Mat::from_fn(n, 2, |i, j| Complex64::new((1 + (i + j) % 3) as f64, 0.0));
        let mut b = stored::<T>(&product(&a, &exact), storage);
        let mut of_a = triangle_of::<T>(&a, triangle, storage);
        let mut factor = Stored::<T>::new(storage.0, n, n, storage.1, 0);
        let mut x = Stored::<T>::new(storage.0, n, 2, storage.1, 0);
        let (mut s, mut ferr, mut berr) = (reals::<T>(n), reals::<T>(2), reals::<T>(2));
        let mut scaled = false;
        let found = posvx(Definite {
            triangle,
            factored: false,
            equilibrate: true,
            a: view_mut(&mut of_a),
            factor: view_mut(&mut factor),
            scaled: &mut scaled,
            s: &mut s,
            b: view_mut(&mut b),
            x: view_mut(&mut x),
            ferr: &mut ferr,
            berr: &mut berr,
        });
        assert_eq!(found.info, None, "{case:?}: {found:?}");
        assert!(x.canaries_live() && factor.canaries_live() && (scaled || !graded || n < 7), "{case:?}");
        let loose: Vec<_> = ferr.iter().map(|x| T::RealScalar::from_parts(x.re() * 2.0, 0.0)).collect();
        assert_bounds::<T>(&x.dense(), &exact, &loose, &berr, &case);
    }
    for n in ORDERS {
        for (graded, storage) in [false, true, true].into_iter().zip(STORAGES) {
            for &triangle in Triangle::ALL {
                for_each_type!(check(n, triangle, graded, storage));
            }
        }
    }
}

#[test]
fn sysvx_bounds_its_errors() {
    fn check<T: Scalar>(n: usize, symmetry: Symmetry, triangle: Triangle, storage: (Layout, usize)) {
        let case = (n, symmetry, triangle, storage);
        let a = indefinite::<T>(n, symmetry, Kind::Random, 5);
        let exact = Mat::from_fn(n, 2, |i, j| Complex64::new((1 + (i + j) % 3) as f64, 0.0));
        let mut b = stored::<T>(&product(&a, &exact), storage);
        let mut of_a = triangle_of::<T>(&a, triangle, storage);
        let mut factors = Stored::<T>::new(storage.0, n, n, storage.1, 0);
        let mut x = Stored::<T>::new(storage.0, n, 2, storage.1, 0);
        let (mut pivots, mut ferr, mut berr) = (vec![0; n], reals::<T>(2), reals::<T>(2));
        let mut results = Vec::new();
        for factored in [false, true] {
            let (a, b) = (view_mut(&mut of_a), view_mut(&mut b));
            let found = sysvx(Indefinite {
                symmetry,
                triangle,
                factored,
                a: a.as_ref(),
                factors: view_mut(&mut factors),
                pivots: &mut pivots,
                b: b.as_ref(),
                x: view_mut(&mut x),
                ferr: &mut ferr,
                berr: &mut berr,
            });
            assert_eq!(found.info, None, "{case:?}: {found:?}");
            let loose: Vec<_> = ferr.iter().map(|x| T::RealScalar::from_parts(x.re() * 2.0, 0.0)).collect();
            assert_bounds::<T>(&x.dense(), &exact, &loose, &berr, &case);
            results.push((found, x.dense()));
        }
        assert_eq!(results[0], results[1], "{case:?}");
    }
    for n in ORDERS {
        for (symmetry, storage) in SYMMETRIES.into_iter().zip(STORAGES) {
            for &triangle in Triangle::ALL {
                for_each_type!(check(n, symmetry, triangle, storage));
            }
        }
    }
}

#[test]
fn tridiagonal_drivers_bound_their_errors() {
    fn check<T: Scalar>(n: usize, op: Op, triangle: Triangle) {
        let number = |seed: u64, heavy: f64| -> Vec<T> {
            let x = Stored::<T>::new(Layout::ColumnMajor, n.max(1), 1, 0, seed).dense();
            (0..n).map(|i| T::from_parts(x[(i, 0)].re + heavy, x[(i, 0)].im)).collect()
        };
        let off = n.saturating_sub(1);
        let (dl, d, du) = (number(1, 0.0), number(2, 0.5), number(3, 0.0));
        let (dl, du) = (&dl[..off], &du[..off]);
        let a = Mat::from_fn(n, n, |i, j| match (i + 1).wrapping_sub(j) {
            2 => complex(dl[j]),
            1 => complex(d[i]),
            0 => complex(du[i]),
            _ => Complex64::ZERO,
        });
        let exact = Mat::from_fn(n, 2, |i, j| Complex64::new((1 + (i + j) % 3) as f64, 0.0));
        let mut b = stored::<T>(&product(&operated(op, &a), &exact), STORAGES[1]);
        let mut x = Stored::<T>::new(Layout::RowMajor, n, 2, 1, 0);
        let (mut ferr, mut berr, mut pivots) = (reals::<T>(2), reals::<T>(2), vec![0; n]);
        let (mut f, mut g, mut h) = (vec![T::ZERO; off], vec![T::ZERO; n], vec![T::ZERO; off]);
        let mut second = vec![T::ZERO; n.saturating_sub(2)];
        let of = Tridiagonal { dl, d: &d, du };
        let factors = (&mut f[..], &mut g[..], &mut h[..], &mut second[..], &mut pivots[..]);
        let right = view_mut(&mut b);
        let found = gtsvx(op, false, of, factors, right.as_ref(), view_mut(&mut x), &mut ferr, &mut berr);
        assert_eq!(found.info, None, "{n} {op:?}: {found:?}");
        let loose: Vec<_> = ferr.iter().map(|x| T::RealScalar::from_parts(x.re() * 2.0, 0.0)).collect();
        assert_bounds::<T>(&x.dense(), &exact, &loose, &berr, &(n, op));

        // A positive definite one.
        let lower = triangle == Triangle::Lower;
        let diagonal: Vec<_> = (0..n).map(|i| T::RealScalar::from_parts(3.0 + (i % 3) as f64, 0.0)).collect();
        let below = |i: usize| if lower { complex(dl[i]) } else { complex(dl[i]).conj() };
        let a = Mat::from_fn(n, n, |i, j| match (i + 1).wrapping_sub(j) {
            2 => below(j),
            1 => Complex64::new(diagonal[i].re(), 0.0),
            0 => below(i).conj(),
            _ => Complex64::ZERO,
        });
        let mut b = stored::<T>(&product(&a, &exact), STORAGES[1]);
        let (mut df, mut ef) = (reals::<T>(n), vec![T::ZERO; off]);
        let of = DefiniteTridiagonal { triangle, d: &diagonal, e: dl };
        let right = view_mut(&mut b);
        let found = ptsvx(false, of, (&mut df, &mut ef), right.as_ref(), view_mut(&mut x), &mut ferr, &mut berr);
        assert_eq!(found.info, None, "{n}: {found:?}");
        let loose: Vec<_> = ferr.iter().map(|x| T::RealScalar::from_parts(x.re() * 2.0, 0.0)).collect();
        assert_bounds::<T>(&x.dense(), &exact, &loose, &berr, &(n, triangle));
    }
    for n in ORDERS {
        for (op, triangle) in
            [(Op::NoTrans, Triangle::Lower), (Op::Trans, Triangle::Upper), (Op::ConjTrans, Triangle::Lower)]
        {
            for_each_type!(check(n, op, triangle));
        }
    }
}

#[test]
fn equilibrations_make_rows_and_columns_alike() {
    fn check<T: Scalar>(m: usize, n: usize) {
        let a = Stored::<T>::new(Layout::RowMajor, m, n, 2, 7)
            .filled_with(|i, j| Complex64::new((1 + i) as f64 * 2f64.powi(j as i32 * 3 - 9), 0.5));
        let size = |x: Complex64| x.re.abs() + x.im.abs();
        for powers in [false, true] {
            let (mut r, mut c, mut found) = (reals::<T>(m), reals::<T>(n), Equilibration::EMPTY);
            let mut own = a.clone();
            let view = view_mut(&mut own);
            let info = match powers {
                false => geequ(view.as_ref(), &mut r, &mut c, &mut found),
                true => geequb(view.as_ref(), &mut r, &mut c, &mut found),
            };
            assert_eq!(info, None);
            let scaled = |i: usize, j: usize| size(a.element(i, j)) * r[i].re() * c[j].re();
            let range = if powers { 0.24..=4.01 } else { 0.99..=1.01 };
            for j in 0..n {
                assert!(range.contains(&(0..m).map(|i| scaled(i, j)).fold(0.0, f64::max)), "{m} {n} {powers}");
            }
            let mut numbers = r.iter().chain(&c).map(|x| x.re());
            assert!(numbers.all(|x| !powers || x.log2() == x.log2().round()));
        }
        // A row of zeros, and a column.
        for (row, column, info) in [(Some(m / 2), None, m / 2 + 1), (None, Some(n / 2), m + n / 2 + 1)] {
            let mut a = a.clone().filled_with(|i, j| {
                if row == Some(i) || column == Some(j) { Complex64::ZERO } else { Complex64::new(1.0, 0.0) }
            });
            if column.is_some() && n == 1 {
                continue;
            }
            let (mut r, mut c, mut found) = (reals::<T>(m), reals::<T>(n), Equilibration::EMPTY);
            assert_eq!(geequ(view_mut(&mut a).as_ref(), &mut r, &mut c, &mut found), Some(info));
        }
    }
    for (m, n) in [(1, 1), (3, 5), (6, 2)] {
        for_each_type!(check(m, n));
    }
    let diagonal = Mat::from_fn(3, 3, |i, j| if i == j { [4.0, 1024.0, 0.25][i] } else { 0.0 });
    let (mut s, mut found) = ([0.0; 3], Equilibration::EMPTY);
    assert_eq!(poequ(diagonal.as_ref(), &mut s, &mut found), None);
    assert_eq!((s, found.rows, found.largest), ([0.5, 0.03125, 2.0], 0.015625, 1024.0));
    assert_eq!(poequb(diagonal.as_ref(), &mut s, &mut found), None);
    assert_eq!(s, [0.5, 0.03125, 2.0]);
    assert_eq!(syequb(Triangle::Upper, diagonal.as_ref(), &mut s, &mut found), None);
    assert!(s.iter().zip([4.0, 1024.0, 0.25]).all(|(s, d)| (0.2..=5.0).contains(&(s * s * d))), "{s:?}");
    let negative = Mat::from_fn(2, 2, |i, j| if i == j { [1.0, -1.0][i] } else { 0.0 });
    assert_eq!(poequ(negative.as_ref(), &mut s, &mut found), Some(2));
}

/// Zero pivots and matrices that are singular to working precision, and a NaN.
#[test]
fn expert_drivers_tell_singular_matrices() {
    fn driven(a: &Dense) -> (affinimath_cpu::lapack::Expert, f64) {
        let n = a.nrows();
        let mut of_a = stored::<f64>(a, STORAGES[0]);
        let (mut factors, mut x) = (of_a.clone(), Stored::<f64>::new(Layout::ColumnMajor, n, 1, 0, 0));
        let mut b = Stored::<f64>::new(Layout::ColumnMajor, n, 1, 0, 3);
        let (mut r, mut c, mut ferr, mut berr) = (vec![0.0; n], vec![0.0; n], vec![0.0], vec![0.0]);
        let found = gesvx(General {
            op: Op::NoTrans,
            factored: false,
            equilibrate: false,
            a: view_mut(&mut of_a),
            factors: view_mut(&mut factors),
            pivots: &mut vec![0; n],
            equed: &mut Equed::None,
            r: &mut r,
            c: &mut c,
            b: view_mut(&mut b),
            x: view_mut(&mut x),
            ferr: &mut ferr,
            berr: &mut berr,
        });
        (found, ferr[0])
    }
    let n = 6;
    let one = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
    let zero = Mat::from_fn(n, n, |i, j| Complex64::new(if i == 3 { 0.0 } else { one(i, j) }, 0.0));
    let (found, _) = driven(&zero);
    assert_eq!((found.info, found.rcond, found.growth), (Some(4), 0.0, 1.0));
    let tiny = Mat::from_fn(n, n, |i, j| Complex64::new(if i == 3 { 1e-20 * one(i, j) } else { one(i, j) }, 0.0));
    let (found, _) = driven(&tiny);
    assert_eq!(found.info, Some(n + 1));
    assert!(found.rcond > 1e-21 && found.rcond < 1e-19);
    // Sizes at both ends of the range: the condition does not depend on them.
    for scale in [1e-300, 1e300] {
        let a = general::<f64>(20, |_, _| 1.0, 8);
        let (plain, _) = driven(&a);
        let (scaled, _) = driven(&Mat::from_fn(20, 20, |i, j| a[(i, j)] * scale));
        assert!((scaled.rcond / plain.rcond - 1.0).abs() < 1e-6, "{scale:e}: {scaled:?} {plain:?}");
    }
    let mut nan = Mat::from_fn(n, n, |i, j| Complex64::new(one(i, j), 0.0));
    nan[(2, 2)] = Complex64::new(f64::NAN, 0.0);
    let (found, _) = driven(&nan);
    assert!(found.rcond.is_nan() || found.rcond == 0.0 || found.info.is_some(), "{found:?}");
}
