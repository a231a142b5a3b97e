//! Products and iterations with the matrix of Poisson's equation on a square, of five elements a row: bytes per second
//! of the matrix, which bounds both.

use affinimath::sparse::{CsrMatrix, Jacobi, SolveOptions};
use affinimath::{Context, Layout, MatrixShape, Op, Result, Scalar, cg};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};

use crate::common::{Target, group, random, targets};

/// Points along an edge.
const EDGES: [usize; 2] = [64, 512];
/// Columns of a product with a dense matrix.
const COLUMNS: usize = 8;
/// Iterations of the conjugate gradient method, which does not get as far as its tolerance.
const ITERATIONS: usize = 20;

fn poisson<T: Scalar>(context: &Context, edge: usize) -> Result<CsrMatrix<T>> {
    let (mut row_ptr, mut indices, mut values) = (vec![0_i32], Vec::new(), Vec::new());
    for (y, x) in (0..edge).flat_map(|y| (0..edge).map(move |x| (y, x))) {
        let neighbours = [
            (y > 0, -(edge as isize), -1.0),
            (x > 0, -1, -1.0),
            (true, 0, 4.0),
            (x + 1 < edge, 1, -1.0),
            (y + 1 < edge, edge as isize, -1.0),
        ];
        for (_, distance, value) in neighbours.into_iter().filter(|(is_inside, ..)| *is_inside) {
            indices.push(((y * edge + x) as isize + distance) as i32);
            values.push(T::from_parts(value, 0.0));
        }
        row_ptr.push(indices.len() as i32);
    }
    CsrMatrix::new(context, edge * edge, edge * edge, &row_ptr, &indices, &values)
}

fn bench_edge<T: Scalar>(group: &mut BenchmarkGroup<'_, WallTime>, target: &Target, edge: usize) -> Result<()> {
    let (context, n) = (&target.context, edge * edge);
    let matrix = poisson::<T>(context, edge)?;
    let bytes = (matrix.entries() * (T::KIND.bytes() + size_of::<i32>()) + n * size_of::<i32>()) as u64;
    let name = |routine: &str| format!("{}/{}{routine}", target.name, T::KIND.letter().to_ascii_lowercase());

    let (x, mut y) = (context.upload(&random::<T>(n, 1))?, context.zeros::<T>(n)?);
    let mut multiply = || matrix.multiply(Op::Keep, T::ONE, x.vector()?, T::ZERO, y.vector_mut()?)?.wait();
    group.throughput(Throughput::Bytes(bytes));
    group.bench_function(BenchmarkId::new(name("csrmv"), n), |bencher| {
        bencher.iter(|| multiply().expect("the product is computed"));
    });

    let shape = MatrixShape::new(Layout::RowMajor, n, COLUMNS, 0, COLUMNS)?;
    let (b, mut c) = (context.upload(&random::<T>(n * COLUMNS, 2))?, context.zeros::<T>(n * COLUMNS)?);
    let mut multiply = || matrix.multiply_dense(Op::Keep, T::ONE, b.view(shape)?, T::ZERO, c.view_mut(shape)?)?.wait();
    group.bench_function(BenchmarkId::new(name("csrmm"), n), |bencher| {
        bencher.iter(|| multiply().expect("the product is computed"));
    });

    let jacobi = Jacobi::new(&matrix)?;
    let options = SolveOptions::new().rtol(0.0).max_iterations(ITERATIONS).preconditioner(&jacobi);
    let zeros = context.zeros::<T>(n)?;
    let mut solve = || {
        affinimath::copy(zeros.vector()?, y.vector_mut()?)?.wait()?;
        cg(&matrix, x.vector()?, y.vector_mut()?, &options).map(drop)
    };
    group.throughput(Throughput::Bytes(bytes * ITERATIONS as u64));
    group.bench_function(BenchmarkId::new(name("cg"), n), |bencher| {
        bencher.iter(|| solve().expect("the iterations end"));
    });
    Ok(())
}

pub fn benches(criterion: &mut Criterion) {
    let mut group = group(criterion, "sparse");
    for target in targets() {
        for edge in EDGES {
            bench_edge::<f32>(&mut group, &target, edge).expect("the matrix fits in memory");
            if target.has_doubles() {
                bench_edge::<f64>(&mut group, &target, edge).expect("the matrix fits in memory");
            }
        }
    }
}
