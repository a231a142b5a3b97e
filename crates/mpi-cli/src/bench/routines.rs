//! Routines that are measured, on the ranks of a grid.

use std::time::Instant;

use affinimath::stencil::{Span, Stencil};
use affinimath::{Complex64, Op, Triangle};
use affinimath_mpi::model::Routine;
use affinimath_mpi::{
    DistCsr, DistFft, DistMatrix, DistStencil, DistVector, Error, FftOptions, Grid, MatrixLayout, Memory, Partition,
    Result, SolveOptions, StencilOptions, cg, gemm, geqrf, getrf, potrf,
};

/// Iterations of a measurement, as one is short.
const ITERATIONS: usize = 20;
/// Steps of a measurement.
const STEPS: u64 = 10;

/// The names of `--routines`.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// C := A B
    Gemm,
    /// Cholesky factors
    Potrf,
    /// LU factors
    Getrf,
    /// QR factors
    Geqrf,
    /// An iteration of conjugate gradients for Poisson's equation on n^3 points
    Cg,
    /// A complex transform of n^3 elements
    Fft,
    /// A step of the 7-point stencil on n^3 points
    Stencil,
}

impl Name {
    /// The routine of a size; its usual one without.
    pub fn routine(self, size: Option<usize>, block: usize) -> Routine {
        let order = size.unwrap_or(1024);
        match self {
            Name::Gemm => Routine::Gemm { n: order, block },
            Name::Potrf => Routine::Potrf { n: order, block },
            Name::Getrf => Routine::Getrf { n: order, block },
            Name::Geqrf => Routine::Geqrf { n: order, block },
            Name::Cg => Routine::Cg { n: size.unwrap_or(64) },
            Name::Fft => Routine::Fft { n: size.unwrap_or(96) },
            Name::Stencil => Routine::Stencil { n: size.unwrap_or(128), steps: 1 },
        }
    }
}

/// The grid of ranks that suits a routine: as square as can be, with more columns than rows.
pub fn shape(ranks: usize) -> (usize, usize) {
    let rows = (1..=ranks).filter(|rows| ranks.is_multiple_of(*rows) && rows * rows <= ranks).max().unwrap_or(1);
    (rows, ranks / rows)
}

/// Numbers between -0.5 and 0.5 that no two elements share by rule.
pub fn element(i: usize, j: usize) -> f64 {
    let mixed =
        (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add((j as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9));
    ((mixed ^ (mixed >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 40) as f64 / (1_u64 << 24) as f64 - 0.5
}

/// A matrix with a large diagonal, for factors of all kinds.
pub fn dominant(n: usize) -> impl Fn(usize, usize) -> f64 {
    move |i, j| if i == j { n as f64 } else { element(i.min(j), i.max(j)) }
}

/// The least of some runs' seconds, from all ranks' start to their common end.
pub fn fastest(grid: &Grid, repeats: usize, mut run: impl FnMut() -> Result<f64>) -> Result<f64> {
    run()?;
    let mut min = f64::INFINITY;
    for _ in 0..repeats {
        min = min.min(run()?);
    }
    grid.barrier()?;
    Ok(min)
}

/// Seconds of work between two moments at which all ranks are ready.
pub fn timed(grid: &Grid, work: impl FnOnce() -> Result<()>) -> Result<f64> {
    grid.barrier()?;
    let start = Instant::now();
    work()?;
    grid.barrier()?;
    Ok(start.elapsed().as_secs_f64())
}

/// Memory of the ranks' parts: the wanted one, for the routines that have it.
pub const fn memory_of(routine: &Routine, wanted: Memory) -> Memory {
    match routine {
        Routine::Cg { .. } => wanted,
        _ => Memory::Host,
    }
}

/// Seconds of a routine: the least of some runs. Seconds of an iteration, or of a step, for those that have some.
///
/// # Errors
/// Those of the routine.
pub fn measure(grid: &Grid, routine: &Routine, memory: Memory, repeats: usize) -> Result<f64> {
    match *routine {
        Routine::Gemm { n, block } => {
            let layout = MatrixLayout::new(grid, (n, n), (block, block))?;
            let a = DistMatrix::from_fn(grid, layout, element)?;
            let b = a.clone();
            let mut c = DistMatrix::zeros(grid, layout)?;
            fastest(grid, repeats, || timed(grid, || gemm(Op::NoTrans, Op::NoTrans, 1.0, &a, &b, 0.0, &mut c)))
        }
        Routine::Potrf { n, block } => factors(grid, (n, block), repeats, |a| potrf(Triangle::Lower, a)),
        Routine::Getrf { n, block } => factors(grid, (n, block), repeats, |a| getrf(a).map(drop)),
        Routine::Geqrf { n, block } => factors(grid, (n, block), repeats, |a| geqrf(a).map(drop)),
        Routine::Cg { n } => conjugate_gradients(grid, n, memory, repeats),
        Routine::Fft { n } => {
            let mut plan = DistFft::<Complex64>::new(grid, &[n, n, n], FftOptions::new())?;
            let input: Vec<Complex64> = (0..plan.input().len()).map(|i| Complex64::new(element(i, 1), 0.0)).collect();
            let mut output = vec![Complex64::default(); plan.output().len()];
            fastest(grid, repeats, || timed(grid, || plan.forward(&input, &mut output)))
        }
        Routine::Stencil { n, steps } => stencil(grid, n, steps, repeats),
    }
}

fn factors(
    grid: &Grid,
    (n, block): (usize, usize),
    repeats: usize,
    factorise: impl Fn(&mut DistMatrix<f64>) -> Result<()>,
) -> Result<f64> {
    let a = DistMatrix::from_fn(grid, MatrixLayout::new(grid, (n, n), (block, block))?, dominant(n))?;
    fastest(grid, repeats, || {
        let mut own = a.clone();
        timed(grid, || factorise(&mut own))
    })
}

/// Poisson's equation with seven points, and slabs of rows.
fn poisson(grid: &Grid, n: usize) -> Result<DistCsr<f64>> {
    let partition = Partition::even(grid, n.pow(3));
    let (mut row_ptr, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in partition.range(grid.rank()) {
        let point = [row / (n * n), row / n % n, row % n];
        let mut entry = |column: usize, value: f64| {
            columns.push(column);
            values.push(value);
        };
        let steps = [n * n, n, 1];
        (0..3).filter(|axis| point[*axis] > 0).for_each(|axis| entry(row - steps[axis], -1.0));
        entry(row, 6.0);
        (0..3).rev().filter(|axis| point[*axis] + 1 < n).for_each(|axis| entry(row + steps[axis], -1.0));
        row_ptr.push(columns.len());
    }
    DistCsr::from_rows(grid, &partition, &partition, &row_ptr, &columns, &values)
}

fn conjugate_gradients(grid: &Grid, n: usize, memory: Memory, repeats: usize) -> Result<f64> {
    let a = poisson(grid, n)?;
    let a = if memory == Memory::Host { a } else { a.to_memory(memory)? };
    let b = DistVector::from_fn(grid, a.rows(), |row| element(row, 2))?.to_memory(memory)?;
    let options = SolveOptions::new().rtol(0.0).max_iterations(ITERATIONS);
    // A solve has residuals at both ends: the time of an iteration is that of the further ones.
    let fewer = SolveOptions::new().rtol(0.0).max_iterations(ITERATIONS / 4);
    let solve = |options: &SolveOptions<'_, f64>| {
        let mut x = DistVector::zeros_in(grid, a.columns(), memory)?;
        timed(grid, || cg(&a, &b, &mut x, options).map(drop))
    };
    let (all, some) = (fastest(grid, repeats, || solve(&options))?, fastest(grid, repeats, || solve(&fewer))?);
    Ok((all - some).max(1e-9) / (ITERATIONS - ITERATIONS / 4) as f64)
}

fn stencil(grid: &Grid, n: usize, steps: usize, repeats: usize) -> Result<f64> {
    let text = "stencil laplacian {
       domainsize = (1 .. n, 1 .. n, 1 .. n);
       operation (double grid u, double param k) {
         u[x,y,z; t+1] = u[x,y,z; t] + k * ({ d in axes } sum(u[d-1; t] + u[d+1; t]) - 6 * u[x,y,z; t]);
       }
       boundary { u: x = 0; y = 0; z = 0; }
     }";
    let stencil = Stencil::parse(text).map_err(|error| Error::Local(error.to_string()))?;
    let options = StencilOptions::new().steps_per_exchange(steps);
    let mut plan = DistStencil::new(grid, &stencil, &[("n", n as i64)], options)?;
    plan.fill("u", |point| element(point[0] as usize, (point[1] * 1000 + point[2]) as usize))?;
    let span = |steps| Span { steps: Some(steps), ..Span::default() };
    let (all, none) = (
        fastest(grid, repeats, || timed(grid, || plan.run(&[0.1.into()], span(STEPS + 1)).map(drop)))?,
        fastest(grid, repeats, || timed(grid, || plan.run(&[0.1.into()], span(1)).map(drop)))?,
    );
    Ok((all - none).max(1e-9) / STEPS as f64)
}
