//! Packed triangles and bands against full ones with the same elements.

use affinimath_core::options::{Op, Triangle};
use affinimath_core::scalar::Scalar;
use affinimath_cpu::simd::instruction_sets;
use affinimath_cpu::small::triangles::{StoredBand, StoredTriangle, gbmv, symv, triangular, update};
use affinimath_testing::for_each_type;

/// On both sides of the switches.
const TEST_ORDERS: [usize; 9] = [1, 2, 4, 5, 16, 17, 32, 33, 40];

fn value_of<T: Scalar>(i: usize, j: usize) -> T {
    let part = |x: usize| (x % 5) as f64 - 2.0;
    if i == j { T::from_parts(2.0, 0.0) } else { T::from_parts(part(i * 7 + j), part(i + j * 3)) }
}

fn vector<T: Scalar>(n: usize, seed: usize) -> Vec<T> {
    (0..n).map(|i| value_of(i + seed, seed)).collect()
}

/// The results of all operations with a triangle: products, and vectors that were multiplied and solved for.
fn results<T: Scalar>(n: usize, a: StoredTriangle<T>) -> Vec<T> {
    let (alpha, beta) = (T::from_parts(2.0, -1.0), T::from_parts(-1.0, 3.0));
    let mut all = Vec::new();
    for hermitian in [false, true] {
        let (x, mut y) = (vector::<T>(n, 1), vector::<T>(n, 2));
        // SAFETY: the triangle and the vectors lie in their memory.
        unsafe { symv(hermitian, alpha, a, x.as_ptr(), beta, y.as_mut_ptr()) };
        all.extend(y);
    }
    for (op, unit) in Op::ALL.iter().flat_map(|op| [(*op, false), (*op, true)]) {
        let (mut x, own) = (vector::<T>(n, 3), vector::<T>(n, 3));
        // SAFETY: as above.
        unsafe { triangular::<T, false>(op, unit, a, x.as_mut_ptr()) };
        all.extend(&x);
        // SAFETY: as above.
        unsafe { triangular::<T, true>(op, unit, a, x.as_mut_ptr()) };
        assert_eq!(x, own, "a product of whole numbers is solved exactly");
    }
    all
}

fn check<T: Scalar>() {
    let not_a_number = T::from_parts(f64::NAN, f64::NAN);
    for (n, by_rows) in TEST_ORDERS.into_iter().flat_map(|n| [(n, false), (n, true)]) {
        for triangle in Triangle::ALL {
            let upper = (*triangle == Triangle::Upper) != by_rows;
            let stored = |i: usize, j: usize| if upper { i <= j } else { i >= j };
            // Column-major order; a row-major matrix is the transpose.
            let indices = || (0..n).flat_map(|j| (0..n).map(move |i| (i, j)));
            let element = |(i, j)| if stored(i, j) { value_of(i, j) } else { not_a_number };
            let mut full: Vec<T> = indices().map(element).collect();
            let mut packed: Vec<T> = indices().filter(|(i, j)| stored(*i, *j)).map(element).collect();
            let whole = StoredTriangle::full(full.as_mut_ptr(), n, n, by_rows, *triangle);
            let own = StoredTriangle::packed(packed.as_mut_ptr(), n, by_rows, *triangle);
            assert_eq!(results(n, own), results(n, whole), "packed, {n} {triangle:?} {by_rows}");
            let (x, y) = (vector::<T>(n, 4), vector::<T>(n, 5));
            for (hermitian, second) in
                [(false, None), (true, None), (false, Some(y.as_ptr())), (true, Some(y.as_ptr()))]
            {
                let alpha = T::from_parts(3.0, if hermitian && second.is_none() { 0.0 } else { 1.0 });
                // SAFETY: as above.
                unsafe {
                    update(hermitian, alpha, x.as_ptr(), second, whole);
                    update(hermitian, alpha, x.as_ptr(), second, own);
                }
                let stored_elements = indices().zip(&full).filter(|((i, j), _)| stored(*i, *j)).map(|(_, x)| *x);
                assert!(stored_elements.eq(packed.iter().copied()), "update, {n} {triangle:?} {by_rows} {hermitian}");
            }
            for k in [0, 1, 4, n - 1, n + 2] {
                let inside = |i: usize, j: usize| stored(i, j) && i.abs_diff(j) <= k;
                let element = |(i, j)| match (stored(i, j), inside(i, j)) {
                    (_, true) => value_of(i, j),
                    (true, false) => T::ZERO,
                    _ => not_a_number,
                };
                let mut full: Vec<T> = indices().map(element).collect();
                let mut band = vec![not_a_number; n * (k + 2)];
                for (i, j) in indices().filter(|(i, j)| inside(*i, *j)) {
                    band[j * (k + 2) + if upper { k + i - j } else { i - j }] = value_of(i, j);
                }
                let whole = StoredTriangle::full(full.as_mut_ptr(), n, n, by_rows, *triangle);
                let own = StoredTriangle::band(band.as_mut_ptr(), (n, k), k + 2, by_rows, *triangle);
                assert_eq!(results(n, own), results(n, whole), "band, {n} {k} {triangle:?} {by_rows}");
            }
        }
    }
}

#[test]
fn packed_triangles_and_bands_are_full_ones() {
    instruction_sets::for_each(|| {
        for_each_type!(check());
    });
}

fn check_band<T: Scalar>() {
    for ([m, n], [above, below]) in [([5, 4], [1, 2]), ([40, 37], [3, 0]), ([20, 50], [20, 20]), ([1, 1], [0, 0])] {
        let inside = |i: usize, j: usize| j <= i + above && i <= j + below;
        let lda = above + below + 2;
        let mut band = vec![T::from_parts(f64::NAN, 0.0); n * lda];
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| inside(*i, *j)) {
            band[j * lda + above + i - j] = value_of(i, j);
        }
        for (transpose, conjugate, beta) in [
            (false, false, T::ZERO),
            (false, true, T::from_parts(2.0, 1.0)),
            (true, false, T::ONE),
            (true, true, T::ZERO),
        ] {
            let (rows, columns) = if transpose { (n, m) } else { (m, n) };
            let (x, mut y) = (vector::<T>(columns, 1), vector::<T>(rows, 2));
            let alpha = T::from_parts(1.0, 2.0);
            let mut expected = y.clone();
            for (i, expected) in expected.iter_mut().enumerate() {
                let at = |j: usize| if transpose { (j, i) } else { (i, j) };
                let terms = (0..columns).filter(|j| inside(at(*j).0, at(*j).1)).map(|j| {
                    let value = value_of::<T>(at(j).0, at(j).1);
                    if conjugate { value.conjugate() * x[j] } else { value * x[j] }
                });
                let sum = terms.fold(T::ZERO, |sum, term| sum + term);
                *expected = alpha * sum + if beta == T::ZERO { T::ZERO } else { beta * *expected };
            }
            if beta == T::ZERO {
                y.fill(T::from_parts(f64::NAN, f64::NAN));
            }
            let a = StoredBand {
                first: band.as_mut_ptr(),
                sizes: [m, n],
                off_diagonals: [above, below],
                leading_dimension: lda,
            };
            // SAFETY: the band and the vectors lie in their memory.
            unsafe { gbmv((transpose, conjugate), alpha, a, x.as_ptr(), beta, y.as_mut_ptr()) };
            assert_eq!(y, expected, "{m} x {n}, {above} and {below}, {transpose} {conjugate}");
        }
    }
}

#[test]
fn products_with_bands_are_those_of_the_definition() {
    instruction_sets::for_each(|| {
        for_each_type!(check_band());
    });
}
