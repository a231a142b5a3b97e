//! Auxiliaries of LAPACK against their definitions, and condition numbers and triangular systems of bands.

use affinimath_core::options::{Diag, Norm, Triangle};
use affinimath_cpu::lapack::auxiliary::{
    Block, Direction, Storage, lacpy, larf, larfb, larfg, larft, lartg, lascl, laset, machine,
};
use affinimath_cpu::lapack::{TridiagonalFactors, gbcon, gbtrf, getrf, getri, gtcon, gttrf, ptcon, pttrf, tbtrs};
use affinimath_testing::{Stored, for_each_type};

use super::*;

fn block<T: Scalar>(stored: &mut Stored<T>) -> Block<T> {
    let (row, column) = stored.shape.strides();
    let start = stored.data.as_mut_ptr().wrapping_add(stored.shape.offset());
    Block { start, row: row as isize, column: column as isize }
}

fn identity(n: usize) -> Dense {
    Mat::from_fn(n, n, |i, j| Complex64::new(f64::from(u8::from(i == j)), 0.0))
}

/// I - tau v vᴴ.
fn reflector(v: &[Complex64], tau: Complex64) -> Dense {
    Mat::from_fn(v.len(), v.len(), |i, j| f64::from(u8::from(i == j)) - tau * v[i] * v[j].conj())
}

#[test]
fn larfg_and_larf_reflect() {
    fn check<T: Scalar>(n: usize, scale: f64) {
        let case = (T::KIND, n, scale);
        let stored = Stored::<T>::new(Layout::ColumnMajor, n, 1, 0, 3).dense();
        let x: Vec<T> = (0..n).map(|i| T::from_parts(stored[(i, 0)].re * scale, stored[(i, 0)].im * scale)).collect();
        let (mut alpha, mut rest) = (x[0], vec![T::ZERO; 2 * n]);
        (1..n).for_each(|i| rest[2 * i - 2] = x[i]);
        // SAFETY: the vector has n - 1 elements, 2 apart.
        let tau = unsafe { larfg(n, &mut alpha, rest.as_mut_ptr(), 2) };
        let mut v = vec![Complex64::new(1.0, 0.0)];
        v.extend((1..n).map(|i| complex(rest[2 * i - 2])));
        // Hᴴ x = beta e1.
        let h = operated(Op::ConjTrans, &reflector(&v, complex(tau)));
        let column = Mat::from_fn(n, 1, |i, _| complex(x[i]) / scale);
        let found = product(&h, &column);
        assert_eq!(alpha.im(), 0.0, "{case:?}");
        let error = Mat::from_fn(n, 1, |i, _| found[(i, 0)] - if i == 0 { alpha.re() / scale } else { 0.0 });
        assert_ratio::<T>(&error, n, norm(&column), &case);
        let of_orthogonal = product(&h, &operated(Op::ConjTrans, &h));
        let error = Mat::from_fn(n, n, |i, j| of_orthogonal[(i, j)] - identity(n)[(i, j)]);
        assert_ratio::<T>(&error, n, 1.0, &case);
        // larf does the same to a matrix, from either side, and for a negative increment from the vector's end.
        for (left, increment) in [(true, 2_isize), (false, 2), (true, -2)] {
            let (rows, columns) = if left { (n, 3) } else { (3, n) };
            let mut c = Stored::<T>::new(Layout::RowMajor, rows, columns, 1, 4);
            let before = c.dense();
            let mut vector = vec![T::ZERO; 2 * n];
            for (i, v) in v.iter().enumerate() {
                let index = if increment > 0 { i } else { n - 1 - i };
                vector[2 * index] = T::from_parts(v.re, v.im);
            }
            let tau = T::from_parts(tau.re(), tau.im());
            // SAFETY: the vector and the matrix have these sizes.
            unsafe { larf(left, rows, columns, (vector.as_ptr(), increment), tau, block(&mut c)) };
            let h = reflector(&v, complex(tau));
            let expected = if left { product(&h, &before) } else { product(&before, &h) };
            let error = Mat::from_fn(rows, columns, |i, j| c.element(i, j) - expected[(i, j)]);
            assert!(c.canaries_live());
            assert_ratio::<T>(&error, n, norm(&before), &case);
        }
    }
    for n in [1, 2, 5, 17] {
        for_each_type!(check(n, 1.0));
    }
    for scale in [1e-36, 1e36] {
        for_each_type!(check(6, scale));
    }
    for scale in [1e-305, 1e300] {
        for_each_type!(check::<f64>(6, scale); check::<Complex64>(6, scale));
    }
    // Nothing to reflect.
    let mut alpha = 3.0;
    // SAFETY: a vector of one element.
    assert_eq!(unsafe { larfg(2, &mut alpha, [0.0].as_mut_ptr(), 1) }, 0.0);
    assert_eq!(alpha, 3.0);
}

#[test]
fn block_reflectors_are_products_of_reflectors() {
    fn check<T: Scalar>(direct: Direction, storage: Storage, left: bool, adjoint: bool, layout: Layout) {
        let (m, n, k) = if left { (9, 4, 3) } else { (4, 9, 3) };
        let (length, case) = (9, (direct, storage, left, adjoint, layout));
        let columns = storage == Storage::Columns;
        let (rows_of_v, columns_of_v) = if columns { (length, k) } else { (k, length) };
        let mut v = Stored::<T>::new(layout, rows_of_v, columns_of_v, 1, 5);
        let vector = |j: usize| -> Vec<Complex64> {
            let one = if direct == Direction::Forward { j } else { length - k + j };
            let inside = |i: usize| if direct == Direction::Forward { i > one } else { i < one };
            (0..length)
                .map(|i| match (i == one, inside(i)) {
                    (true, _) => Complex64::new(1.0, 0.0),
                    (_, true) if columns => v.element(i, j),
                    (_, true) => v.element(j, i).conj(),
                    _ => Complex64::ZERO,
                })
                .collect()
        };
        let vectors: Vec<_> = (0..k).map(vector).collect();
        let tau: Vec<T> =
            vectors.iter().map(|v| T::from_parts(2.0 / v.iter().map(|x| x.norm_sqr()).sum::<f64>(), 0.0)).collect();
        let mut h = identity(length);
        for (v, tau) in vectors.iter().zip(&tau) {
            let one = reflector(v, complex(*tau));
            h = if direct == Direction::Forward { product(&h, &one) } else { product(&one, &h) };
        }
        let mut t = Stored::<T>::new(layout, k, k, 2, 0).filled_with(|_, _| Complex64::new(f64::NAN, 0.0));
        // SAFETY: V, tau and T have these sizes.
        unsafe { larft((direct, storage), length, k, block(&mut v), tau.as_ptr(), block(&mut t)) };
        let mut c = Stored::<T>::new(layout, m, n, 1, 6);
        let before = c.dense();
        // SAFETY: the matrices have these sizes.
        unsafe {
            larfb((left, adjoint), (direct, storage), [m, n, k], block(&mut v), block(&mut t), block(&mut c));
        }
        let h = if adjoint { operated(Op::ConjTrans, &h) } else { h };
        let expected = if left { product(&h, &before) } else { product(&before, &h) };
        let error = Mat::from_fn(m, n, |i, j| c.element(i, j) - expected[(i, j)]);
        assert!(c.canaries_live() && t.canaries_live(), "{case:?}");
        assert_ratio::<T>(&error, length, norm(&before), &case);
    }
    for direct in [Direction::Forward, Direction::Backward] {
        for storage in [Storage::Columns, Storage::Rows] {
            for (left, adjoint) in [(true, true), (true, false), (false, true), (false, false)] {
                for layout in [Layout::ColumnMajor, Layout::RowMajor] {
                    for_each_type!(check(direct, storage, left, adjoint, layout));
                }
            }
        }
    }
}

#[test]
fn lartg_rotates_at_all_sizes() {
    fn check<T: Scalar>(f: Complex64, g: Complex64) {
        let (f, g) = (T::from_parts(f.re, f.im), T::from_parts(g.re, g.im));
        let (c, s, r) = lartg(f, g);
        let case = (f, g, c, s, r);
        let (c, s, r, f, g) = (c.re(), complex(s), complex(r), complex(f), complex(g));
        assert!(c >= 0.0 && (c * c + s.norm_sqr() - 1.0).abs() < 8.0 * T::EPSILON, "{case:?}");
        // Scaled, so that nothing overflows here.
        let size = f.re.abs().max(f.im.abs()).max(g.re.abs()).max(g.im.abs()).max(f64::MIN_POSITIVE);
        let (f, g, r) = (f / size, g / size, r / size);
        let tiny = f64::from(f32::MIN_POSITIVE) / size.max(1e-45);
        let bound = 16.0 * T::EPSILON + if T::KIND.is_double() { 1e-300 } else { tiny.min(1e-2) };
        assert!((c * f + s * g - r).norm() < bound && (c * g - s.conj() * f).norm() < bound, "{case:?}");
    }
    for sizes in [[1.0, 1.0], [1e-30, 1.0], [1.0, 1e-30], [1e30, 1e29], [1e-30, 1e-31], [0.0, 2.0], [3.0, 0.0]] {
        let [f, g] = sizes.map(|size| Complex64::new(0.6 * size, -0.3 * size));
        for (f, g) in [(f, g), (-f, g), (f.conj(), -g)] {
            for_each_type!(check(f, g));
        }
    }
    for [f, g] in [[1e-300, 1e-301], [1e300, 1e299], [1e-320, 1e-310], [1e150, 1e-200]] {
        check::<f64>(Complex64::new(f, 0.0), Complex64::new(g, 0.0));
        check::<Complex64>(Complex64::new(f, -f), Complex64::new(g, g));
    }
    assert_eq!(lartg(0.0, -2.0_f64), (0.0, -1.0, 2.0));
}

#[test]
fn copies_settings_and_scalings_of_parts() {
    fn check<T: Scalar>(layout: Layout, uplo: u8, m: usize, n: usize) {
        let inside = |i: usize, j: usize| match uplo {
            b'U' => i <= j,
            b'L' => i >= j,
            _ => true,
        };
        let mut a = Stored::<T>::new(layout, m, n, 1, 1);
        let mut b = Stored::<T>::new(layout, m, n, 2, 2);
        let (from, before) = (a.dense(), b.dense());
        // SAFETY: the matrices have these sizes.
        unsafe { lacpy(uplo, m, n, block(&mut a), block(&mut b)) };
        let expected = Mat::from_fn(m, n, |i, j| if inside(i, j) { from[(i, j)] } else { before[(i, j)] });
        assert_eq!(b.dense(), expected);
        // SAFETY: the matrix has these sizes.
        unsafe { laset(uplo, m, n, T::ZERO, T::ONE, block(&mut b)) };
        let expected = Mat::from_fn(m, n, |i, j| match (i == j, inside(i, j)) {
            (true, _) => Complex64::new(1.0, 0.0),
            (_, true) => Complex64::ZERO,
            _ => expected[(i, j)],
        });
        assert_eq!(b.dense(), expected);
        // A quotient that overflows.
        let huge = if T::KIND.is_double() { 1e200 } else { 1e25 };
        let mut c = a.clone().filled_with(|i, j| from[(i, j)] / huge);
        let small = c.dense();
        // SAFETY: the matrix has these sizes.
        unsafe { lascl(uplo, [0, 0], [1.0 / huge, 1.0], [m, n], block(&mut c)) };
        let sizes = |a: &Dense| Mat::from_fn(m, n, |i, j| if inside(i, j) { a[(i, j)] } else { Complex64::ZERO });
        let (found, expected) = (sizes(&c.dense()), sizes(&from));
        let error = Mat::from_fn(m, n, |i, j| found[(i, j)] - expected[(i, j)]);
        assert_ratio::<T>(&error, m.max(n), norm(&expected), &(layout, uplo, m, n));
        let others = |a: &Dense| Mat::from_fn(m, n, |i, j| if inside(i, j) { Complex64::ZERO } else { a[(i, j)] });
        assert_eq!(others(&c.dense()), others(&small));
        assert!(b.canaries_live() && c.canaries_live());
    }
    for layout in [Layout::ColumnMajor, Layout::RowMajor] {
        for uplo in [b'U', b'L', b'G'] {
            for (m, n) in [(3, 5), (5, 3), (4, 4), (1, 1), (0, 2)] {
                for_each_type!(check(layout, uplo, m, n));
            }
        }
    }
    assert_eq!(machine::<f64>(b'E'), f64::EPSILON / 2.0);
    assert_eq!(machine::<f32>(b'O'), f32::MAX);
    assert_eq!(1.0 + machine::<f32>(b'E'), 1.0);
}

/// 1 / (||A|| ||A⁻¹||) by the inverse.
fn exact_condition(a: &Dense, kind: Norm) -> f64 {
    let n = a.nrows();
    let mut inverse = Stored::<Complex64>::new(Layout::ColumnMajor, n, n, 0, 0).filled_with(|i, j| a[(i, j)]);
    let mut pivots = vec![0; n];
    assert_eq!(getrf(view_mut(&mut inverse), &mut pivots), None);
    assert_eq!(getri(view_mut(&mut inverse), &pivots), None);
    let inverse = inverse.dense();
    let of = |a: &Dense| if kind == Norm::One { norm(a) } else { norm(&operated(Op::Trans, a)) };
    1.0 / (of(a) * of(&inverse))
}

#[test]
fn conditions_of_bands_and_tridiagonal_matrices() {
    fn check<T: Scalar>(n: usize, kl: usize, ku: usize) {
        let values = Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 9).dense();
        let a = Mat::from_fn(n, n, |i, j| if i <= j + kl && j <= i + ku { values[(i, j)] } else { Complex64::ZERO });
        let size = |kind| if kind == Norm::One { norm(&a) } else { norm(&operated(Op::Trans, &a)) };
        let mut ab = Stored::<T>::new(Layout::ColumnMajor, 2 * kl + ku + 1, n, 1, 0);
        for j in 0..n {
            (0..n).filter(|i| *i <= j + kl && j <= i + ku).for_each(|i| ab.set(kl + ku + i - j, j, a[(i, j)]));
        }
        let mut pivots = vec![0; n];
        assert_eq!(gbtrf(n, [kl, ku], view_mut(&mut ab), &mut pivots), None);
        let close = |found: f64, exact: f64| found >= 0.9 * exact && found <= 10.0 * exact;
        for kind in [Norm::One, Norm::Infinity] {
            let found = gbcon(kind, [kl, ku], view_mut(&mut ab).as_ref(), &pivots, size(kind));
            let exact = exact_condition(&a, kind);
            assert!(close(found, exact), "{:?} {n} {kl} {ku} {kind:?}: {found:e}, {exact:e}", T::KIND);
        }
        if (kl, ku) != (1, 1) {
            return;
        }
        let number = |i: usize, j: usize| T::from_parts(a[(i, j)].re, a[(i, j)].im);
        let (mut dl, mut du): (Vec<T>, Vec<T>) = (0..n - 1).map(|i| (number(i + 1, i), number(i, i + 1))).unzip();
        let (mut d, mut du2): (Vec<T>, Vec<T>) = ((0..n).map(|i| number(i, i)).collect(), vec![T::ZERO; n]);
        assert_eq!(gttrf(&mut dl, &mut d, &mut du, &mut du2, &mut pivots), None);
        for kind in [Norm::One, Norm::Infinity] {
            let factors = TridiagonalFactors { dl: &dl, d: &d, du: &du, du2: &du2, pivots: &pivots };
            let (found, exact) = (gtcon(kind, factors, size(kind)), exact_condition(&a, kind));
            assert!(close(found, exact), "{:?} {n} {kind:?}: {found:e}, {exact:e}", T::KIND);
        }
        // A positive definite one, whose condition is exact.
        let mut d: Vec<_> = (0..n).map(|i| T::RealScalar::from_parts(2.5 + (i % 2) as f64, 0.0)).collect();
        let mut e: Vec<T> = (0..n - 1).map(|i| number(i + 1, i)).collect();
        let a = Mat::from_fn(n, n, |i, j| match (i + 1).wrapping_sub(j) {
            2 => complex(e[j]),
            1 => Complex64::new(d[i].re(), 0.0),
            0 => complex(e[i]).conj(),
            _ => Complex64::ZERO,
        });
        assert_eq!(pttrf(&mut d, &mut e), None);
        let (found, exact) = (ptcon::<T>(&d, &e, norm(&a)), exact_condition(&a, Norm::One));
        assert!((found / exact - 1.0).abs() < 1e3 * T::EPSILON, "{:?} {n}: {found:e}, {exact:e}", T::KIND);
    }
    for (n, kl, ku) in [(1, 0, 0), (5, 1, 1), (12, 2, 3), (30, 1, 1), (20, 3, 0)] {
        if n > 1 || kl + ku == 0 {
            for_each_type!(check(n, kl, ku));
        }
    }
}

#[test]
fn triangular_band_systems() {
    fn check<T: Scalar>(n: usize, kd: usize, triangle: Triangle, op: Op, diagonal: Diag, layout: Layout) {
        let case = (n, kd, triangle, op, diagonal, layout);
        let lower = triangle == Triangle::Lower;
        let mut ab = Stored::<T>::new(layout, kd + 1, n, 1, 11);
        let main = if lower { 0 } else { kd };
        (0..n).for_each(|j| ab.set(main, j, Complex64::new(2.0 + kd as f64, 0.5)));
        let a = Mat::from_fn(n, n, |i, j| {
            let inside = if lower { i >= j && i - j <= kd } else { i <= j && j - i <= kd };
            match (i == j && diagonal == Diag::Unit, inside) {
                (true, _) => Complex64::new(1.0, 0.0),
                (_, true) => ab.element(main + i - j, j),
                _ => Complex64::ZERO,
            }
        });
        let mut x = Stored::<T>::new(layout, n, 3, 2, 12);
        let right = x.dense();
        assert_eq!(tbtrs(triangle, op, diagonal, kd, view_mut(&mut ab).as_ref(), view_mut(&mut x)), None);
        assert!(x.canaries_live(), "{case:?}");
        assert_solves::<T>(op, &a, &x.dense(), &right, &case);
        if n > 2 && diagonal == Diag::NonUnit {
            ab.set(main, n / 2, Complex64::ZERO);
            let before = x.dense();
            let info = tbtrs(triangle, op, diagonal, kd, view_mut(&mut ab).as_ref(), view_mut(&mut x));
            assert_eq!((info, x.dense()), (Some(n / 2 + 1), before), "{case:?}");
        }
    }
    for (n, kd) in [(0, 1), (1, 0), (4, 1), (9, 3), (5, 7)] {
        for &triangle in Triangle::ALL {
            for (op, layout) in
                [Op::NoTrans, Op::Trans, Op::ConjTrans].into_iter().zip(STORAGES.map(|(layout, _)| layout))
            {
                for diagonal in [Diag::Unit, Diag::NonUnit] {
                    for_each_type!(check(n, kd, triangle, op, diagonal, layout));
                }
            }
        }
    }
}
