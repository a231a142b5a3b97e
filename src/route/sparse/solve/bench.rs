//! What iterations cost, printed: `cargo test --release --lib solve::bench -- --ignored --nocapture`, with `AFFINIMATH_DEVICE=host` or a
//! part of a device's name, and `SIDE_2D` and `SIDE_3D` for other sizes of the problems.

use std::time::Instant;

use super::*;
use crate::route::sparse::bench::{context, poisson, side};

/// The time of an iteration, from solves of two numbers of iterations that end at the limit.
fn iteration<T: Scalar>(
    name: &str,
    solver: impl Fn(&SolveOptions<'_, T>) -> Outcome,
    vectors: usize,
    matrix: &CsrMatrix<T>,
) {
    let seconds = |iterations: usize| {
        let start = Instant::now();
        let outcome = solver(&SolveOptions::new().rtol(1e-30).max_iterations(iterations));
        assert_eq!(outcome.iterations, iterations, "{outcome}");
        start.elapsed().as_secs_f64()
    };
    seconds(2);
    let best = |iterations: usize| (0..5).map(|_| seconds(iterations)).fold(f64::INFINITY, f64::min);
    let time = (best(80) - best(16)) / 64.0;
    let n = CsrMatrix::rows(matrix);
    let product = matrix.entries() * (size_of::<T>() + 4) + 4 * (n + 1) + 2 * n * size_of::<T>();
    let bytes = product + vectors * n * size_of::<T>();
    println!("{name:<24} {:8.3} ms an iteration, {:7.1} GB/s", 1e3 * time, bytes as f64 / time / 1e9);
}

#[test]
#[ignore = "a measurement"]
fn iterations() {
    fn measure<T: Scalar>(context: &Context) {
        println!("{:?} on {:?}", T::KIND, context.device().map(|device| &device.facts().name));
        for (name, side, dimensions) in [("2D", side("SIDE_2D", 1000), 2), ("3D", side("SIDE_3D", 100), 3)] {
            let matrix = poisson::<i32, T>(context, side, dimensions);
            let b = problems::right_hand_side(CsrMatrix::rows(&matrix));
            let b = context.upload(&b.iter().map(|&b| T::from_parts(b, 0.0)).collect::<Vec<_>>()).unwrap();
            let jacobi = crate::sparse::Jacobi::new(&matrix).unwrap();
            let run = |solver: Solver<T>, options: &SolveOptions<'_, T>| {
                let mut x = context.zeros(CsrMatrix::columns(&matrix)).unwrap();
                solver(&matrix, b.vector().unwrap(), x.vector_mut().unwrap(), options).unwrap()
            };
            iteration(&format!("{name} cg"), |options| run(cg, options), 10, &matrix);
            iteration(&format!("{name} cg, jacobi"), |options| run(cg, &options.preconditioner(&jacobi)), 12, &matrix);
            iteration(&format!("{name} minres"), |options| run(minres, options), 15, &matrix);
        }
    }
    let context = context();
    measure::<f64>(&context);
    measure::<f32>(&context);
}

#[test]
#[ignore = "a measurement of the matrix of the file that MATRIX names"]
fn files() {
    let Ok(path) = std::env::var("MATRIX") else { return };
    let coordinates = crate::sparse::matrix_market::read(std::fs::File::open(path).unwrap()).unwrap();
    let matrix = CsrMatrix::<f64>::from_file(&context(), &coordinates).unwrap();
    let (n, context) = (CsrMatrix::rows(&matrix), CsrMatrix::context(&matrix));
    let b = context.upload(&problems::right_hand_side(n)).unwrap();
    let jacobi = crate::sparse::Jacobi::new(&matrix);
    let solvers = [("cg", cg as Solver<f64>), ("minres", minres), ("bicgstab", bicgstab), ("gmres", gmres)];
    for (name, solver) in solvers {
        let run = |options: &SolveOptions<'_, f64>| {
            let mut x = context.zeros(n).unwrap();
            solver(&matrix, b.vector().unwrap(), x.vector_mut().unwrap(), &options.max_iterations(20 * n)).unwrap()
        };
        println!("{name}: {}", run(&SolveOptions::new()));
        if let Ok(jacobi) = &jacobi {
            println!("{name}, jacobi: {}", run(&SolveOptions::new().preconditioner(jacobi)));
        }
        let chebyshev = Chebyshev::new(&matrix, 8).unwrap();
        println!("{name}, chebyshev: {}", run(&SolveOptions::new().preconditioner(&chebyshev)));
    }
}
