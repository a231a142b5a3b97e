//! Times of iterations, printed: `cargo test --release --lib solve::bench -- --ignored --nocapture`, with
//! `AFFINIMATH_DEVICE=host` or a part of a device's name, and `SIDE_2D` and `SIDE_3D` for other sizes of the problems.

use std::time::Instant;

use super::*;
use crate::route::sparse::bench::{context, poisson, side};
use crate::route::sparse::precondition::{BlockJacobi, Ic0, Ilu0, Ssor};
use crate::sparse::Jacobi;

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
    let product = matrix.nnz() * (size_of::<T>() + 4) + 4 * (n + 1) + 2 * n * size_of::<T>();
    let bytes = product + vectors * n * size_of::<T>();
    println!("{name:<24} {:8.3} ms an iteration, {:7.1} GB/s", 1e3 * time, bytes as f64 / time / 1e9);
}

mod device {
    use super::*;

    #[test]
    #[ignore = "a measurement"]
    fn iterations() {
        fn measure<T: Scalar>(context: &Context) {
            println!("{:?} on {:?}", T::KIND, context.device().map(|device| &device.info().name));
            for (name, side, dimensions) in [("2D", side("SIDE_2D", 1000), 2), ("3D", side("SIDE_3D", 100), 3)] {
                let matrix = poisson::<i32, T>(context, side, dimensions);
                let b = problems::right_hand_side(CsrMatrix::rows(&matrix));
                let b = context.upload(&b.iter().map(|&b| T::from_parts(b, 0.0)).collect::<Vec<_>>()).unwrap();
                let jacobi = Jacobi::new(&matrix).unwrap();
                let run = |solver: Solver<T>, options: &SolveOptions<'_, T>| {
                    let mut x = context.zeros(CsrMatrix::columns(&matrix)).unwrap();
                    solver(&matrix, b.vector().unwrap(), x.vector_mut().unwrap(), options).unwrap()
                };
                iteration(&format!("{name} cg"), |options| run(cg, options), 10, &matrix);
                iteration(
                    &format!("{name} cg, jacobi"),
                    |options| run(cg, &options.preconditioner(&jacobi)),
                    12,
                    &matrix,
                );
                iteration(&format!("{name} minres"), |options| run(minres, options), 15, &matrix);
            }
        }
        let context = context();
        measure::<f64>(&context);
        measure::<f32>(&context);
    }

    #[test]
    #[ignore = "a measurement of the matrix of the file that MATRIX names, by all methods or the one that METHOD names"]
    fn files() {
        let Ok(path) = std::env::var("MATRIX") else { return };
        let coordinates = crate::sparse::matrix_market::read(std::fs::File::open(path).unwrap()).unwrap();
        let matrix = CsrMatrix::<f64>::from_file(&context(), &coordinates).unwrap();
        let (n, context) = (CsrMatrix::rows(&matrix), CsrMatrix::context(&matrix));
        let b = context.upload(&problems::right_hand_side(n)).unwrap();
        type Helper<'a> = Box<dyn LinearOperator<f64> + 'a>;
        let ic = Ic0::new(&matrix);
        let shift = ic.as_ref().map_or(0.0, Ic0::shift);
        let made: [(&str, Result<Helper<'_>>); 6] = [
            ("Jacobi", Jacobi::new(&matrix).map(|made| Box::new(made) as _)),
            ("Chebyshev", Chebyshev::new(&matrix, 4).map(|made| Box::new(made) as _)),
            (
                "block Jacobi",
                BlockJacobi::new(&matrix, BlockJacobi::<f64>::DEFAULT_SIZE).map(|made| Box::new(made) as _),
            ),
            ("SSOR", Ssor::new(&matrix, 1.0).map(|made| Box::new(made) as _)),
            ("IC(0)", ic.map(|made| Box::new(made) as _)),
            ("ILU(0)", Ilu0::new(&matrix).map(|made| Box::new(made) as _)),
        ];
        println!("the shift of IC(0) is {shift}");
        let mut helpers: Vec<(&str, Option<Helper<'_>>)> = vec![("nothing", None)];
        for (name, made) in made {
            match made {
                Ok(made) => helpers.push((name, Some(made))),
                Err(error) => println!("{name}: {error}"),
            }
        }
        let solvers = [("cg", cg as Solver<f64>), ("minres", minres), ("bicgstab", bicgstab), ("gmres", gmres)];
        let others = |name: &str| std::env::var("METHOD").is_ok_and(|method| method != name);
        let solvers = solvers.into_iter().filter(|(name, _)| !others(name));
        for ((name, solver), (helper, operator)) in
            solvers.flat_map(|solver| helpers.iter().map(move |helper| (solver, helper)))
        {
            let options = SolveOptions::new().max_iterations(20 * n);
            let options = operator.as_deref().map_or(options, |operator| options.preconditioner(operator));
            let (mut x, start) = (context.zeros(n).unwrap(), Instant::now());
            let outcome = solver(&matrix, b.vector().unwrap(), x.vector_mut().unwrap(), &options).unwrap();
            println!("{name}, {helper}: {outcome}, {:.2} s", start.elapsed().as_secs_f64());
        }
    }
}
