//! A system of equations over all ranks: `mpirun -np 4 solve 5000`.

use affinimath::{Norm, Op};
use affinimath_mpi::{DistMatrix, Environment, Grid, MatrixLayout, gemm, gesv};

fn main() -> Result<(), affinimath_mpi::Error> {
    let environment = Environment::initialize()?;
    let world = environment.world();
    let n = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1000);

    // As square as the number of ranks allows: 2 x 2 of 4, 2 x 3 of 6.
    let ranks = mpi::traits::Communicator::size(&world) as usize;
    let rows = (1..=ranks).filter(|p| ranks.is_multiple_of(*p) && p * p <= ranks).max().unwrap_or(1);
    let grid = Grid::new(&world, rows, ranks / rows)?;

    // Blocks of 128 x 128. Each rank makes its own elements.
    let square = MatrixLayout::new(&grid, (n, n), (128, 128))?;
    let column = MatrixLayout::new(&grid, (n, 1), (128, 128))?;
    let element = |i: usize, j: usize| if i == j { 10.0 } else { 1.0 / (1 + i + 2 * j) as f64 };
    let a = DistMatrix::from_fn(&grid, square, element)?;
    let b = DistMatrix::from_fn(&grid, column, |i, _| (i % 7) as f64)?;

    let (mut factors, mut x) = (a.clone(), b.clone());
    gesv(&mut factors, &mut x)?;

    // b - A x. All ranks call `norm`; one of them prints.
    let mut residual = b.clone();
    gemm(Op::NoTrans, Op::NoTrans, -1.0, &a, &x, 1.0, &mut residual)?;
    let ratio = residual.norm(Norm::Max)? / (a.norm(Norm::Infinity)? * x.norm(Norm::Max)? * n as f64 * f64::EPSILON);
    if grid.rank() == 0 {
        println!("n = {n} on {} x {} ranks: the residual's ratio is {ratio:.3}", grid.rows(), grid.columns());
    }
    assert!(ratio < 30.0);
    Ok(())
}
