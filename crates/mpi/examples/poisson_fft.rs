//! Poisson's equation on a periodic cube, by Fourier transforms over all ranks: `mpirun -np 4 poisson_fft 128`.

use std::f64::consts::TAU;

use affinimath_mpi::{DistFft, Environment, FftOptions, Grid};

fn main() -> Result<(), affinimath_mpi::Error> {
    let environment = Environment::initialize()?;
    let grid = Grid::line(&environment.world())?;
    let n = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(64);

    // The spectrum may stay cut as the last exchange leaves it: it is scaled point by point.
    let options = FftOptions::new().transposed().backward_scale(1.0 / (n * n * n) as f64);
    let mut plan = DistFft::<f64>::new(&grid, &[n, n, n], options)?;

    // -laplace(u) = f, for a u that is known. Each rank has its own planes.
    let points = |block: &affinimath_mpi::FftBlock| {
        let (start, shape) = ([0, 1, 2].map(|axis| block.offset()[axis]), [0, 1, 2].map(|axis| block.shape()[axis]));
        (0..block.len()).map(move |k| {
            [start[0] + k / (shape[1] * shape[2]), start[1] + k / shape[2] % shape[1], start[2] + k % shape[2]]
        })
    };
    let wave = |[i, j, k]: [usize; 3]| {
        let angle = |index: usize, periods: usize| TAU * (index * periods) as f64 / n as f64;
        angle(i, 1).sin() * angle(j, 2).cos() * angle(k, 3).sin()
    };
    let exact: Vec<f64> = points(plan.input()).map(wave).collect();
    let mut field: Vec<f64> = exact.iter().map(|u| 14.0 * TAU * TAU * u).collect();

    let mut spectrum = vec![Default::default(); plan.output().len()];
    plan.forward(&field, &mut spectrum)?;
    for (value, index) in spectrum.iter_mut().zip(points(plan.output())) {
        // Frequencies beyond the half are negative ones.
        let square = index.iter().map(|k| (*k).min(n - k).pow(2)).sum::<usize>() as f64;
        *value = if square == 0.0 { *value * 0.0 } else { *value / (TAU * TAU * square) };
    }
    plan.backward(&spectrum, &mut field)?;

    let error = field.iter().zip(&exact).map(|(u, exact)| (u - exact).abs()).fold(0.0, f64::max);
    println!("rank {} of {}: {} points, largest error {error:.1e}", grid.rank(), grid.size(), field.len());
    assert!(error < 1e-12);
    Ok(())
}
