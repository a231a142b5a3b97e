//! Solutions by their residuals: |op(T) x - b| <= 2 (k + 2) eps |op(T)| |x| in every row of k entries (Higham, 2002,
//! theorem 8.5).

use proptest::prelude::*;

use super::*;
use crate::scalar::Complex64;
use crate::sparse::testing::{Random, Rows, Sample, for_each_matrix, rounded, samples};
use crate::testing::contexts;
use crate::view::VectorShape;

/// A square matrix with a diagonal that is not small, entries on both sides, and duplicates.
fn square(sample: &Sample) -> Sample {
    let n = sample.rows.min(sample.columns);
    let row = |i: usize| {
        let mut row: Vec<_> = sample.entries[i].iter().copied().filter(|entry| entry.0 < n).collect();
        row.insert(row.len() / 2, (i, Complex64::new(2.0, 0.5)));
        row.push((i, Complex64::new(1.5, 1.0)));
        row
    };
    Sample { rows: n, columns: n, entries: (0..n).map(row).collect() }
}

fn check<T: Scalar, P: RowPointer>(sample: &Sample, triangle: Triangle, op: Op, diagonal: Diag, increment: isize) {
    let n = sample.rows;
    let mut random = Random(5);
    let b: Vec<_> = (0..n).map(|_| rounded::<T>(random.complex())).collect();
    let shape = VectorShape::new(n, 1, increment).unwrap();
    let element_index = |i: usize| (shape.first() as isize + i as isize * increment) as usize;
    let nan = T::from_parts(f64::NAN, f64::NAN);
    let mut memory = vec![nan; shape.end() + 1];
    b.iter().enumerate().for_each(|(i, value)| memory[element_index(i)] = T::from_parts(value.re, value.im));
    for context in contexts::<T>() {
        let matrix: CsrMatrix<T, P> = sample.matrix(&context);
        let mut x = context.upload(&memory).unwrap();
        matrix.solve_triangle(triangle, op, diagonal, x.vector_view_mut(shape).unwrap()).unwrap().wait().unwrap();
        let mut result = x.download().unwrap();
        let x: Vec<_> = (0..n).map(|i| std::mem::replace(&mut result[element_index(i)], nan)).collect();
        let x: Vec<_> = x.into_iter().map(|value| Complex64::new(value.re(), value.im())).collect();
        assert!(result.iter().all(|value| value.re().is_nan()), "canaries on {context:?}");
        let (mut residual, mut size, mut terms) = (b.clone(), vec![0.0; n], vec![0; n]);
        for (i, row) in sample.entries.iter().enumerate() {
            for &(j, value) in row {
                let used = match triangle {
                    Triangle::Lower => j < i,
                    Triangle::Upper => j > i,
                };
                if used || (j == i && diagonal == Diag::NonUnit) {
                    let value = rounded::<T>(value);
                    let value = if op.conjugates() { value.conj() } else { value };
                    let (row, column) = if op.transposes() { (j, i) } else { (i, j) };
                    residual[row] -= value * x[column];
                    size[row] += value.norm() * x[column].norm();
                    terms[row] += 1;
                }
            }
        }
        for i in 0..n {
            if diagonal == Diag::Unit {
                residual[i] -= x[i];
                size[i] += x[i].norm();
            }
            // Complex products and quotients have a few roundings more.
            let bound = 8.0 * f64::from(terms[i] + 2) * T::EPSILON * size[i];
            let error = residual[i].norm();
            // Solutions that grow out of range say nothing.
            assert!(
                error <= bound || !size[i].is_finite(),
                "row {i}: {error:e} > {bound:e}: {triangle:?} {op:?} {diagonal:?} on {context:?}"
            );
        }
    }
}

fn check_all<T: Scalar, P: RowPointer>(sample: &Sample) {
    for (index, triangle) in Triangle::ALL.iter().enumerate() {
        for (other, op) in Op::ALL.iter().enumerate() {
            let (diagonal, increment) = (Diag::ALL[(index + other) % 2], [1, -2, 3][(index + other) % 3]);
            check::<T, P>(sample, *triangle, *op, diagonal, increment);
        }
    }
}

mod host {
    use super::*;

    #[test]
    fn systems_that_are_not_square_are_refused() {
        let host = crate::Context::host();
        let matrix: CsrMatrix<f64> = Sample::new(3, 4, Rows::UpTo(2), 1).matrix(&host);
        let mut x = host.upload(&[1.0; 3]).unwrap();
        let wrong = matrix.solve_triangle(Triangle::Lower, Op::NoTrans, Diag::Unit, x.vector_mut().unwrap());
        assert!(matches!(wrong, Err(Error::ShapeMismatch(_))));
    }
}

mod device {
    use super::*;

    /// Levels that are wide, narrow ones between them, and chains.
    #[test]
    fn levels_of_all_widths_are_solved() {
        let n = 20_000;
        let mut sample = square(&Sample::new(n, n, Rows::UpTo(1), 4));
        for i in 1..300 {
            sample.entries[i].push((i - 1, Complex64::new(0.5, 0.0)));
        }
        for_each_matrix!(check(&sample, Triangle::Lower, Op::NoTrans, Diag::NonUnit, 1));
        check::<f64, i32>(&sample, Triangle::Upper, Op::Trans, Diag::NonUnit, 1);
    }

    #[test]
    fn ten_runs_give_the_same_bits() {
        let n = 3000;
        let sample = square(&Sample::new(n, n, Rows::UpTo(6), 8));
        let b: Vec<Complex64> = (0..n).map(|i| Complex64::new((i as f64).sin(), (i as f64).cos())).collect();
        for context in contexts::<Complex64>() {
            for (triangle, op) in [(Triangle::Lower, Op::NoTrans), (Triangle::Upper, Op::ConjTrans)] {
                let run = || {
                    let matrix: CsrMatrix<Complex64> = sample.matrix(&context);
                    let mut x = context.upload(&b).unwrap();
                    let solved = matrix.solve_triangle(triangle, op, Diag::NonUnit, x.vector_mut().unwrap());
                    solved.unwrap().wait().unwrap();
                    let x = x.download().unwrap();
                    x.into_iter().map(|value| (value.re.to_bits(), value.im.to_bits())).collect::<Vec<_>>()
                };
                let first = run();
                assert!((1..10).all(|_| run() == first), "{triangle:?} {op:?} on {context:?}");
            }
        }
    }
}

mod device_small {
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(12) })]

        #[test]
        fn residuals_of_triangular_systems_are_small(sample in samples()) {
            for_each_matrix!(check_all(&square(&sample)));
        }
    }

    #[test]
    fn triangular_systems_are_solved() {
        for_each_matrix!(check_all(&square(&Sample::new(9, 9, Rows::UpTo(3), 4))));
    }
}
