//! Bisection and inverse iteration: eigenvalues against those of stevr, by LAPACK's tests of xSTEBZ and xSTEIN.

use affinimath_core::scalar::{Real, Scalar};
use affinimath_cpu::lapack::auxiliary::Block;
use affinimath_cpu::lapack::{Spectrum, count_between, stebz, stein, stevr};
use affinimath_testing::Stored;

use super::*;

/// A matrix with a split and, of the second kind, a cluster.
fn diagonals<T: Real>(n: usize, kind: usize, scale: f64) -> (Vec<T>, Vec<T>) {
    let values = Stored::<f64>::new(Layout::ColumnMajor, n.max(1), 2, 0, 21).dense();
    let d = (0..n).map(|i| [values[(i, 0)].re, 1.0, 0.0][kind] * scale);
    let e = (1..n).map(|i| if i % 7 == 3 { 0.0 } else { [values[(i, 1)].re, 1e-3, 0.0][kind] * scale });
    (d.map(|x| T::from_parts(x, 0.0)).collect(), e.map(|x| T::from_parts(x, 0.0)).collect())
}

#[test]
fn bisection_finds_the_eigenvalues_of_stevr() {
    fn check<T: Real + Scalar<RealScalar = T>>(n: usize, kind: usize, scale: f64) {
        let (d, e) = diagonals::<T>(n, kind, scale);
        let mut all = vec![T::ZERO; n];
        assert_eq!(stevr::<T>(Spectrum::All, &d, &e, &mut all, None), (n, None));
        let all: Vec<f64> = all.iter().map(|x| x.re()).collect();
        let norm = all.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let bound = 8.0 * (n + 1) as f64 * T::EPSILON * norm;
        let (mut w, mut blocks, mut splits) = (vec![T::ZERO; n], vec![0; n], vec![0; n]);
        let middle = if n > 2 { (all[n / 3] + all[n / 3 + 1]) / 2.0 } else { 0.0 };
        let spectra = [
            (Spectrum::All, 0..n),
            (Spectrum::Indices(n / 4, n - n / 3), n / 4..n - n / 3),
            (Spectrum::Within(middle, 2.0 * norm + scale), all.iter().filter(|x| **x <= middle).count()..n),
        ];
        for (spectrum, expected) in spectra {
            if kind > 0 && matches!(spectrum, Spectrum::Within(..)) {
                // A bound within a cluster.
                continue;
            }
            let case = (T::KIND, n, kind, scale, spectrum);
            let (count, of_blocks) = stebz(spectrum, false, 0.0, &d, &e, &mut w, &mut blocks, &mut splits);
            assert_eq!(count, expected.len(), "{case:?}");
            for (found, expected) in w.iter().zip(&all[expected]) {
                assert!((found.re() - expected).abs() <= bound, "{case:?}: {found:?}, {expected:e}");
            }
            assert!(n == 0 || splits[of_blocks - 1] as usize == n && (n < 5 || of_blocks > 1), "{case:?}");
        }
        assert_eq!(count_between(&d, &e, -2.0 * norm - scale, 2.0 * norm + scale), n);
        // Eigenvectors by blocks.
        let (count, of_blocks) = stebz(Spectrum::All, true, 0.0, &d, &e, &mut w, &mut blocks, &mut splits);
        let mut z = Stored::<T>::new(Layout::RowMajor, n, count, 2, 3);
        let (row, column) = z.shape.strides();
        let start = z.data.as_mut_ptr().wrapping_add(z.shape.offset());
        // SAFETY: Z has a row for each of the matrix's, and a column for each eigenvalue.
        unsafe {
            let block = Block { start, row: row as isize, column: column as isize };
            stein::<T>(&d, &e, &w[..count], &blocks[..count], &splits[..of_blocks], block);
        }
        let a = Mat::from_fn(n, n, |i, j| {
            let value = match (i + 1).wrapping_sub(j) {
                2 => e[j],
                1 => d[i],
                0 => e[i],
                _ => T::ZERO,
            };
            complex(value)
        });
        let z = z.dense();
        let product_with_z = product(&a, &z);
        let error = Mat::from_fn(n, n, |i, j| product_with_z[(i, j)] / scale - z[(i, j)] * w[j].re() / scale);
        assert_ratio::<T>(&error, n, norm / scale + 1.0, &(n, kind, scale));
        let gram = product(&operated(Op::ConjTrans, &z), &z);
        let error = Mat::from_fn(n, n, |i, j| gram[(i, j)] - f64::from(u8::from(i == j)));
        assert_ratio::<T>(&error, n, 1.0, &(n, kind, scale));
    }
    for n in [0, 1, 2, 5, 24, 61] {
        for kind in 0..3 {
            for scale in [1.0, 1e-30, 1e30] {
                check::<f32>(n, kind, scale);
                check::<f64>(n, kind, scale);
            }
            check::<f64>(n, kind, 1e300);
            check::<f64>(n, kind, 1e-290);
        }
    }
}

#[test]
fn bisection_ends_with_nan() {
    for n in [1, 2, 9] {
        for at in 0..n {
            let (mut d, e) = diagonals::<f64>(n, 0, 1.0);
            d[at] = f64::NAN;
            let (mut w, mut blocks, mut splits) = (vec![0.0; n], vec![0; n], vec![0; n]);
            for spectrum in [Spectrum::All, Spectrum::Indices(0, 1), Spectrum::Within(-0.5, 0.5)] {
                let found = stebz(spectrum, true, 0.0, &d, &e, &mut w, &mut blocks, &mut splits);
                assert!(found.0 <= n && found.1 >= 1);
            }
        }
    }
}
