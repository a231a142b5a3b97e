//! Matrices of problems that solvers are for.

use crate::scalar::Complex64;
use crate::sparse::testing::{Random, Sample};

fn number(value: f64) -> Complex64 {
    Complex64::new(value, 0.0)
}

/// A square matrix whose rows `row` lists.
fn square(rows: usize, row: impl FnMut(usize) -> Vec<(usize, Complex64)>) -> Sample {
    Sample { rows, columns: rows, entries: (0..rows).map(row).collect() }
}

/// The Laplacian -sum of weight_d d^2/dx_d^2 on a grid of such sides, with zeros around it (2 d + 1 points), less a
/// shift of the diagonal.
pub(in crate::route::sparse) fn poisson(sides: &[usize], weights: &[f64], shift: f64) -> Sample {
    square(sides.iter().product(), |row| {
        let (mut entries, mut stride) = (Vec::new(), 1);
        for (&side, &weight) in sides.iter().zip(weights) {
            let coordinate = row / stride % side;
            entries.extend((coordinate > 0).then(|| (row - stride, number(-weight))));
            entries.extend((coordinate + 1 < side).then(|| (row + stride, number(-weight))));
            stride *= side;
        }
        entries.push((row, number(2.0 * weights.iter().sum::<f64>() - shift)));
        entries
    })
}

/// The same operator with no flow through the sides: singular, with constants in its null space.
pub(in crate::route::sparse) fn neumann(side: usize) -> Sample {
    let mut sample = poisson(&[side, side], &[1.0, 1.0], 0.0);
    for (row, entries) in sample.entries.iter_mut().enumerate() {
        let neighbours = entries.len() as f64 - 1.0;
        entries.iter_mut().filter(|(column, _)| *column == row).for_each(|(_, value)| *value = number(neighbours));
    }
    sample
}

/// A particle on a grid in a magnetic field: Hermitian positive definite, with a flux of `flux` quanta through each
/// square.
pub(in crate::route::sparse) fn magnetic(side: usize, flux: f64) -> Sample {
    square(side * side, |row| {
        let (x, y) = (row % side, row / side);
        let turned = |turns: f64| -Complex64::from_polar(1.0, std::f64::consts::TAU * turns);
        let mut entries = vec![(row, number(4.5))];
        entries.extend((x > 0).then(|| (row - 1, number(-1.0))));
        entries.extend((x + 1 < side).then(|| (row + 1, number(-1.0))));
        entries.extend((y > 0).then(|| (row - side, turned(-flux * x as f64))));
        entries.extend((y + 1 < side).then(|| (row + side, turned(flux * x as f64))));
        entries
    })
}

/// The optimality system [H B^T; B 0] of a convex quadratic with `constraints` linear constraints: symmetric
/// indefinite.
pub(in crate::route::sparse) fn saddle_point(unknowns: usize, constraints: usize) -> Sample {
    let mut sample = poisson(&[unknowns], &[1.0], -0.5);
    sample.rows += constraints;
    sample.columns += constraints;
    sample.entries.resize(sample.rows, Vec::new());
    for constraint in 0..constraints {
        let row = unknowns + constraint;
        for (k, value) in [1.0, -0.5, 0.25].into_iter().enumerate() {
            let column = (7 * constraint + 13 * k) % unknowns;
            sample.entries[row].push((column, number(value)));
            sample.entries[column].push((row, number(value)));
        }
    }
    sample
}

/// Diffusion, and a wind along the first axis that it does not quite hide: not symmetric.
pub(in crate::route::sparse) fn convection(side: usize, wind: f64) -> Sample {
    let mut sample = poisson(&[side, side], &[1.0, 1.0], 0.0);
    for (row, entries) in sample.entries.iter_mut().enumerate() {
        for (column, value) in entries {
            *value -= number(match () {
                () if *column + 1 == row => wind / 2.0,
                () if *column == row + 1 => -wind / 2.0,
                () => 0.0,
            });
        }
    }
    sample
}

/// Waves in a medium that damps them: symmetric, complex, not Hermitian.
pub(in crate::route::sparse) fn helmholtz(side: usize, wave_number_squared: f64, damping: f64) -> Sample {
    let mut sample = poisson(&[side, side], &[1.0, 1.0], wave_number_squared);
    sample.entries.iter_mut().enumerate().for_each(|(row, entries)| entries.push((row, Complex64::new(0.0, damping))));
    sample
}

/// A random Hermitian matrix whose diagonal is `margin` times what the other entries of its row come to: positive
/// definite for more than 1, and indefinite where the signs alternate.
pub(in crate::route::sparse) fn random_hermitian(
    rows: usize,
    margin: f64,
    alternate: bool,
    complex: bool,
    seed: u64,
) -> Sample {
    let mut random = Random(seed);
    let mut sample = square(rows, |_| Vec::new());
    for row in 1..rows {
        for _ in 0..3 {
            let (column, value) = (random.below(row), random.complex());
            let value = if complex { value } else { number(value.re) };
            sample.entries[row].push((column, value));
            sample.entries[column].push((row, value.conj()));
        }
    }
    for (row, entries) in sample.entries.iter_mut().enumerate() {
        let sum: f64 = entries.iter().map(|(_, value)| value.norm()).sum();
        let sign = if alternate && row % 2 == 1 { -1.0 } else { 1.0 };
        entries.push((row, number(sign * (margin * sum + 0.1))));
    }
    sample
}

/// Equations of four unknowns each; every column is half, a quarter ... of the one before, until after `grades` of them
/// the next begins with 1 again.
pub(in crate::route::sparse) fn equations(rows: usize, columns: usize, grades: usize, complex: bool) -> Sample {
    let entry = |row: usize, k: usize| {
        let column = (7 * row + 13 * k * k + 5 * k) % columns;
        let re = ((37 * row + 29 * k + 11) % 101) as f64 / 101.0 - 0.5 + if k == 0 { 2.0 } else { 0.0 };
        let im = if complex { ((53 * row + 31 * k + 7) % 103) as f64 / 103.0 - 0.5 } else { 0.0 };
        (column, Complex64::new(re, im) / f64::from(1_u32 << (column % grades)))
    };
    Sample { rows, columns, entries: (0..rows).map(|row| (0..4).map(|k| entry(row, k)).collect()).collect() }
}

/// A right-hand side that is exact in every precision but for its rounding, and has no symmetry.
pub(in crate::route::sparse) fn right_hand_side(rows: usize) -> Vec<f64> {
    (0..rows).map(|i| ((37 * i + 11) % 101) as f64 / 101.0 - 0.5).collect()
}

/// A x.
pub(in crate::route::sparse) fn product(sample: &Sample, x: &[Complex64]) -> Vec<Complex64> {
    let row = |entries: &Vec<(usize, Complex64)>| entries.iter().map(|(column, value)| value * x[*column]).sum();
    sample.entries.iter().map(row).collect()
}
