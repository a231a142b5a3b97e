use affinimath_cpu::lapack::{Pencil, Spectrum, heev, heevr, hegv, hegvx};
use affinimath_testing::for_each_type;

use super::*;

fn ascending<R: Scalar>(values: &[R]) -> bool {
    values.windows(2).all(|pair| pair[0].re() <= pair[1].re())
}

fn diagonalises<T: Scalar>(n: usize, kind: Kind, triangle: Triangle, storage: (Layout, usize)) {
    let case = (n, kind, triangle, storage);
    let a = matrix::<T>(n, n, true, kind, 1);
    let (mut v, mut w) = (triangle_of::<T>(&a, triangle, storage), vec![T::RealScalar::default(); n]);
    assert_eq!(heev(triangle, view_mut(&mut v), &mut w, true), None, "{case:?}");
    assert!(v.canaries_live() && ascending(&w), "{case:?} {w:?}");
    let x = v.dense();
    assert_orthonormal::<T>(&x, &case);
    let error = difference(&product(&a, &x), &times_values(&x, &w));
    assert_ratio::<T>(&error, n, norm(&a), &case);

    let (mut only, mut values) = (triangle_of::<T>(&a, triangle, storage), vec![T::RealScalar::default(); n]);
    assert_eq!(heev(triangle, view_mut(&mut only), &mut values, false), None, "{case:?}");
    assert!(ascending(&values), "{case:?}");
    assert_values(&values, &w, n, &case);
}

#[test]
fn eigenvectors_diagonalise_a_hermitian_matrix() {
    for (i, n) in ORDERS.into_iter().enumerate() {
        for (k, kind) in KINDS.into_iter().enumerate() {
            let triangle = Triangle::ALL[(i + k) % 2];
            for_each_type!(diagonalises(n, kind, triangle, STORAGES[(i / 2 + k) % 3]));
        }
    }
}

fn ranges_select<T: Scalar>(n: usize) {
    let a = matrix::<T>(n, n, true, Kind::Random, 3);
    let stored = triangle_of::<T>(&a, Triangle::Upper, STORAGES[1]);
    let mut all = vec![T::RealScalar::default(); n];
    let mut copy = stored.clone();
    // Values of all indices, which are those of ranges in all bits.
    heevr(Spectrum::Indices(0, n), Triangle::Upper, view_mut(&mut copy).as_ref(), &mut all, None);
    let (first, end) = (n / 4, n / 2 + 1);
    let middle = |i: usize| (all[i].re() + all[i + 1].re()) / 2.0;
    let mut spectra =
        vec![(Spectrum::All, 0, n), (Spectrum::Indices(first, end), first, end), (Spectrum::Within(9.0, 1e9), n, n)];
    if first > 0 && end < n {
        spectra.push((Spectrum::Within(middle(first - 1), middle(end - 1)), first, end));
        // The upper bound belongs to the interval, the lower one does not.
        spectra.push((Spectrum::Within(all[first].re(), all[end].re()), first + 1, end + 1));
    }
    for (spectrum, first, end) in spectra {
        let spectrum =
            if n > 17 && matches!(spectrum, Spectrum::Within(9.0, _)) { Spectrum::Within(1e8, 1e9) } else { spectrum };
        let mut w = vec![T::RealScalar::default(); n];
        let mut z = Stored::<T>::new(Layout::RowMajor, n, end - first, 2, 0).poisoned();
        let mut source = stored.clone();
        let view = view_mut(&mut source);
        let found = heevr(spectrum, Triangle::Upper, view.as_ref(), &mut w, Some(view_mut(&mut z)));
        let case = (n, spectrum, first, end);
        assert_eq!(found, (end - first, None), "{case:?}");
        let mut merged = all.clone();
        merged[first..end].copy_from_slice(&w[..end - first]);
        assert_values(&merged, &all, n, &case);
        assert!(z.canaries_live());
        let x = z.dense();
        assert_orthonormal::<T>(&x, &case);
        assert_ratio::<T>(&difference(&product(&a, &x), &times_values(&x, &w)), n, norm(&a), &case);
    }
}

#[test]
fn a_range_selects_eigenvalues_by_value_and_index() {
    for n in [1, 2, 5, 17, 65] {
        for_each_type!(ranges_select(n));
    }
}

fn few_are_found<T: Scalar>(n: usize, kind: Kind, storage: (Layout, usize)) {
    let a = matrix::<T>(n, n, true, kind, 9);
    let count = n / 9;
    for first in [0, n / 2, n - count] {
        let case = (n, kind, storage, first);
        let mut source = triangle_of::<T>(&a, Triangle::Lower, storage);
        let mut z = Stored::<T>::new(storage.0, n, count, storage.1, 0).poisoned();
        let mut w = vec![T::RealScalar::default(); n];
        let (a_view, range) = (view_mut(&mut source), Spectrum::Indices(first, first + count));
        let found = heevr(range, Triangle::Lower, a_view.as_ref(), &mut w, Some(view_mut(&mut z)));
        assert_eq!(found, (count, None), "{case:?}");
        assert!(z.canaries_live(), "{case:?}");
        let x = z.dense();
        assert_orthonormal::<T>(&x, &case);
        assert_ratio::<T>(&difference(&product(&a, &x), &times_values(&x, &w)), n, norm(&a), &case);
    }
}

#[test]
fn a_few_eigenvectors_are_orthonormal() {
    for (i, n) in [9, 40, 101].into_iter().enumerate() {
        for (k, kind) in KINDS.into_iter().enumerate() {
            for_each_type!(few_are_found(n, kind, STORAGES[(i + k) % 3]));
        }
    }
}

fn solves_the_pencil<T: Scalar>(n: usize, pencil: Pencil, triangle: Triangle, storage: (Layout, usize)) {
    let case = (n, pencil, triangle, storage);
    let a = matrix::<T>(n, n, true, Kind::Random, 4);
    let b = matrix::<T>(n, n, true, Kind::Random, 5);
    let b = Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 0)
        .filled_with(|i, j| b[(i, j)] + if i == j { 2.0 * n as f64 } else { 0.0 })
        .dense();
    let (mut x, mut factor) = (triangle_of::<T>(&a, triangle, storage), triangle_of::<T>(&b, triangle, storage));
    let mut w = vec![T::RealScalar::default(); n];
    let info = hegv(pencil, triangle, view_mut(&mut x), view_mut(&mut factor), &mut w, true);
    assert_eq!(info, None, "{case:?}");
    assert!(x.canaries_live() && factor.canaries_live() && ascending(&w), "{case:?}");
    let x = x.dense();
    let error = match pencil {
        Pencil::Quotient => difference(&product(&a, &x), &product(&b, &times_values(&x, &w))),
        Pencil::Product => difference(&product(&a, &product(&b, &x)), &times_values(&x, &w)),
        Pencil::ReversedProduct => difference(&product(&b, &product(&a, &x)), &times_values(&x, &w)),
    };
    let size = match pencil {
        Pencil::Quotient => norm(&a) * norm(&x),
        _ => norm(&a) * norm(&b) * norm(&x),
    };
    assert_ratio::<T>(&error, n, size, &case);
    let (mut only, mut factor) = (triangle_of::<T>(&a, triangle, storage), triangle_of::<T>(&b, triangle, storage));
    let mut values = vec![T::RealScalar::default(); n];
    hegv(pencil, triangle, view_mut(&mut only), view_mut(&mut factor), &mut values, false);
    assert_values(&values, &w, n, &case);

    // The same of some of them.
    let (first, end) = (n / 3, n - n / 4);
    let (mut only, mut factor) = (triangle_of::<T>(&a, triangle, storage), triangle_of::<T>(&b, triangle, storage));
    let mut z = Stored::<T>::new(storage.0, n, end - first, storage.1, 0).poisoned();
    let (kind, read) = ((pencil, Spectrum::Indices(first, end)), view_mut(&mut only));
    let found = hegvx(kind, triangle, read.as_ref(), view_mut(&mut factor), &mut values, Some(view_mut(&mut z)));
    assert_eq!(found, (end - first, None), "{case:?}");
    assert!(z.canaries_live(), "{case:?}");
    let mut merged = w.clone();
    merged[first..end].copy_from_slice(&values[..end - first]);
    assert_values(&merged, &w, n, &case);
    let (z, x_size) = (z.dense(), norm(&x));
    let error = match pencil {
        Pencil::Quotient => difference(&product(&a, &z), &product(&b, &times_values(&z, &values))),
        Pencil::Product => difference(&product(&a, &product(&b, &z)), &times_values(&z, &values)),
        Pencil::ReversedProduct => difference(&product(&b, &product(&a, &z)), &times_values(&z, &values)),
    };
    let size = if pencil == Pencil::Quotient { norm(&a) } else { norm(&a) * norm(&b) };
    assert_ratio::<T>(&error, n, size * x_size, &case);
}

#[test]
fn eigenvectors_solve_a_definite_pencil() {
    for (i, n) in [0, 1, 2, 3, 8, 33, 70].into_iter().enumerate() {
        for (k, pencil) in [Pencil::Quotient, Pencil::Product, Pencil::ReversedProduct].into_iter().enumerate() {
            for &triangle in Triangle::ALL {
                for_each_type!(solves_the_pencil(n, pencil, triangle, STORAGES[(i + k) % 3]));
            }
        }
    }
}

fn refuses<T: Scalar>() {
    let a = matrix::<T>(4, 4, true, Kind::Random, 6);
    for value in [f64::NAN, f64::INFINITY] {
        let mut bad = triangle_of::<T>(&a, Triangle::Lower, STORAGES[0]);
        bad.set(2, 1, Complex64::new(value, 0.0));
        let mut w = vec![T::RealScalar::default(); 4];
        assert!(heev(Triangle::Lower, view_mut(&mut bad), &mut w, true).is_some());
        assert!(w.iter().all(|w| w.re().is_nan()) && bad.element(3, 0).re.is_nan());
    }
    let mut negative = stored::<T>(
        &Mat::from_fn(4, 4, |i, j| {
            complex(if i != j {
                T::ZERO
            } else if i == 2 {
                -T::ONE
            } else {
                T::ONE
            })
        }),
        STORAGES[0],
    );
    let (mut a, mut w) = (stored::<T>(&a, STORAGES[0]), vec![T::RealScalar::default(); 4]);
    assert_eq!(
        hegv(Pencil::Quotient, Triangle::Upper, view_mut(&mut a), view_mut(&mut negative), &mut w, true),
        Some(7)
    );
    let mut empty = Stored::<T>::new(Layout::ColumnMajor, 0, 0, 0, 0);
    assert_eq!(heev(Triangle::Upper, view_mut(&mut empty), &mut [], true), None);
}

#[test]
fn matrices_without_eigenvalues_have_an_info() {
    for_each_type!(refuses());
}

fn scales<T: Scalar>(power: i32) {
    let a = matrix::<T>(9, 9, true, Kind::Random, 7);
    let mut values = [power, 0].map(|power| {
        let mut scaled = stored::<T>(&Mat::from_fn(9, 9, |i, j| a[(i, j)] * 2f64.powi(power)), STORAGES[0]);
        let mut w = vec![T::RealScalar::default(); 9];
        assert_eq!(heev(Triangle::Lower, view_mut(&mut scaled), &mut w, true), None);
        assert_orthonormal::<T>(&scaled.dense(), &power);
        w
    });
    let expected: Vec<f64> = values[1].iter().map(|w| w.re() * 2f64.powi(power)).collect();
    let size = expected.iter().fold(0.0, |size: f64, w| size.max(w.abs()));
    for (w, expected) in std::mem::take(&mut values[0]).into_iter().zip(expected) {
        assert!((w.re() - expected).abs() <= 300.0 * T::EPSILON * size, "{w:?} {expected}");
    }
}

#[test]
fn the_largest_and_smallest_numbers_have_eigenvalues() {
    scales::<f64>(1010);
    scales::<f64>(-1000);
    scales::<Complex64>(1010);
    scales::<f32>(120);
    scales::<f32>(-110);
}
