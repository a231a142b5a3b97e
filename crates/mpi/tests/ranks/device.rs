//! Local parts on the ranks' devices, against those in host memory.

use affinimath::sparse::{LinearOperator, Outcome, Reason};
use affinimath::{Ilu0, Op, Scalar, sparse::Jacobi};
use affinimath_mpi::{
    BlockJacobi, DistCsr, DistVector, Error, Grid, Memory, Partition, SolveOptions, bicgstab, cg, gmres, minres,
};

use super::errors::assert_same;
use super::sparse::{distributed, line, partitions, sparse_element};
use super::support::{Full, element, nan, real};

/// Distance of two vectors, over the norm of the second one.
fn distance<T: Scalar>(found: &[T], expected: &[T]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = T>| values.map(|value| value.modulus().powi(2)).sum::<f64>().sqrt();
    let size = norm(&mut expected.iter().copied());
    norm(&mut found.iter().zip(expected).map(|(x, y)| *x - *y)) / if size == 0.0 { 1.0 } else { size }
}

/// y of a product, from vectors in the memory of A. NaN is not read where beta is 0.
fn product<T: Scalar>(a: &DistCsr<T>, op: Op, alpha: T, beta: T) -> Vec<T> {
    let (from, to) = if op.transposes() { (a.rows(), a.columns()) } else { (a.columns(), a.rows()) };
    let x = DistVector::from_fn(a.grid(), from, |i| element::<T>(31)(i, 0)).unwrap();
    let y = |i| if beta == T::ZERO { nan() } else { element::<T>(32)(i, 0) };
    let y = DistVector::from_fn(a.grid(), to, y).unwrap();
    let (x, mut y) = (x.to_memory(a.memory()).unwrap(), y.to_memory(a.memory()).unwrap());
    let before = y.clone();
    a.multiply(op, alpha, &x, beta, &mut y).unwrap();
    let found = y.to_all().unwrap();
    // A clone has elements of its own once one of both is written.
    let mut again = before;
    a.multiply(op, alpha, &x, beta, &mut again).unwrap();
    assert!(again.to_all().unwrap() == found, "two runs differ");
    found
}

pub fn products<T: Scalar>(grid: &Grid) {
    let (alpha, beta) = (T::from_parts(1.5, -0.5), T::from_parts(-0.25, 1.0));
    for (m, n) in [(0, 0), (1, 1), (2, 9), (23, 17)] {
        let full = Full::from_fn(m, n, sparse_element::<T>(30));
        for (rows, columns) in partitions(grid, m).iter().flat_map(|r| partitions(grid, n).map(|c| (r.clone(), c))) {
            let a = distributed(grid, &full, &rows, &columns);
            let there = a.to_memory(Memory::Device).unwrap();
            assert_eq!((a.memory(), there.memory(), there.nnz()), (Memory::Host, Memory::Device, a.nnz()));
            // Slices are copied to the devices.
            let x = DistVector::from_fn(grid, &columns, |i| element::<T>(31)(i, 0)).unwrap();
            let mut y = DistVector::from_fn(grid, &rows, |i| element::<T>(32)(i, 0)).unwrap();
            there.multiply_local(Op::NoTrans, alpha, x.local(), beta, y.local_mut()).unwrap();
            assert!(y.to_all().unwrap() == product(&there, Op::NoTrans, alpha, beta));
            for op in [Op::NoTrans, Op::Trans, Op::ConjTrans, Op::ConjNoTrans] {
                for beta in [beta, T::ZERO] {
                    let (found, expected) = (product(&there, op, alpha, beta), product(&a, op, alpha, beta));
                    assert!(distance(&found, &expected) <= 32.0 * (m + n) as f64 * T::EPSILON, "{op:?} of {m} x {n}");
                }
            }
            // And back.
            let back = there.to_memory(Memory::Host).unwrap();
            assert!(product(&back, Op::NoTrans, alpha, beta) == product(&a, Op::NoTrans, alpha, beta));
        }
    }
    // Rows with ghosts far from one another, and many without.
    let n = 5000;
    let partition = Partition::even(grid, n);
    let (mut row_ptr, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in partition.range(grid.rank()) {
        let mut entry = |column: usize| {
            columns.push(column);
            values.push(element::<T>(36)(row, column));
        };
        entry(row);
        if row.is_multiple_of(1700) {
            (0..n).step_by(611).filter(|column| *column != row).for_each(&mut entry);
        }
        row_ptr.push(columns.len());
    }
    let a = DistCsr::from_rows(grid, &partition, &partition, &row_ptr, &columns, &values).unwrap();
    let there = a.to_memory(Memory::Device).unwrap();
    for op in [Op::NoTrans, Op::ConjTrans] {
        let (found, expected) = (product(&there, op, alpha, beta), product(&a, op, alpha, beta));
        assert!(distance(&found, &expected) <= 64.0 * T::EPSILON, "{op:?}");
    }
    let x = DistVector::from_fn(grid, &partition, |i| element::<T>(37)(i, 0)).unwrap();
    let y = x.to_memory(Memory::Device).unwrap();
    let (dot, norm) = (x.dot(&x).unwrap(), x.norm().unwrap());
    assert!((y.dot(&y).unwrap() - dot).modulus() <= 64.0 * T::EPSILON * dot.modulus());
    assert!((y.norm().unwrap() - norm).abs() <= 64.0 * T::EPSILON * norm);
}

pub fn solvers<T: Scalar>(grid: &Grid) {
    type Solver<T> =
        fn(&DistCsr<T>, &DistVector<T>, &mut DistVector<T>, &SolveOptions<'_, T>) -> affinimath_mpi::Result<Outcome>;
    let n = 60;
    let systems: [(&str, Solver<T>, Full<T>); 5] = [
        ("cg", cg, line(n, 0.5, 0.0)),
        ("minres", minres, line(n, 0.5, 0.0)),
        ("minres, indefinite", minres, line(n, -3.5, 0.0)),
        ("bicgstab", bicgstab, line(n, 0.5, 0.3)),
        ("gmres", gmres, line(n, 0.5, 0.3)),
    ];
    let rtol = if T::KIND.is_double() { 1e-10 } else { 1e-4 };
    for (name, solver, full) in systems {
        for partition in partitions(grid, n) {
            let host = distributed(grid, &full, &partition, &partition);
            let a = host.to_memory(Memory::Device).unwrap();
            let b = DistVector::from_fn(grid, &partition, |i| element::<T>(33)(i, 0)).unwrap();
            let factors = BlockJacobi::new(&a).unwrap();
            let own = a.interior().rows() > 0;
            let incomplete = own.then(|| Ilu0::new(a.interior()).unwrap());
            let diagonal = Jacobi::new(a.interior()).unwrap();
            let none: Option<&dyn LinearOperator<T>> = None;
            let incomplete: &dyn LinearOperator<T> = match &incomplete {
                Some(incomplete) => incomplete,
                None => &factors,
            };
            let kinds = [
                ("none", none),
                ("factors", Some(&factors as _)),
                ("ILU(0)", Some(incomplete)),
                ("Jacobi", Some(&diagonal)),
            ];
            for (kind, local) in kinds {
                if name == "minres, indefinite" && kind != "none" {
                    continue; // A preconditioner of MINRES is positive definite.
                }
                let mut options = SolveOptions::new().rtol(rtol);
                if let Some(local) = local {
                    options = options.preconditioner(local);
                }
                let solve = |memory: Memory| {
                    let mut x = DistVector::zeros_in(grid, &partition, memory).unwrap();
                    let outcome = solver(&a, &b.to_memory(memory).unwrap(), &mut x, &options).unwrap();
                    assert!(outcome.converged(), "{name} with {kind}: {outcome}");
                    assert_eq!(x.memory(), memory);
                    (x.to_all().unwrap(), outcome)
                };
                let (found, outcome) = solve(Memory::Device);
                let product = full.times(&Full { m: n, n: 1, data: found.clone() });
                let rest = distance(&product.data, &b.to_all().unwrap());
                assert!(rest <= 3.0 * rtol && outcome.relative_residual <= rtol, "{name} with {kind}: {rest:e}");
                // The same bits in every run, and from vectors in host memory. All ranks have one outcome.
                let (again, same) = solve(Memory::Host);
                assert!(again == found && same.iterations == outcome.iterations, "two runs of {name} differ");
                assert_same(grid, &format!("{outcome:?}"));
                // The solver in host memory comes to the same x.
                if kind == "none" {
                    let mut x = DistVector::zeros(grid, &partition).unwrap();
                    solver(&host, &b, &mut x, &options).unwrap();
                    let between = distance(&found, &x.to_all().unwrap());
                    assert!(between <= 100.0 * rtol, "{name}: {between:e} from the host's x");
                }
            }
        }
    }
    outcomes::<T>(grid, n);
}

/// Reasons other than convergence, and special vectors.
fn outcomes<T: Scalar>(grid: &Grid, n: usize) {
    let partition = Partition::even(grid, n);
    let a = distributed(grid, &line::<T>(n, -3.5, 0.0), &partition, &partition).to_memory(Memory::Device).unwrap();
    let b = DistVector::from_fn(grid, &partition, |i| element::<T>(34)(i, 0)).unwrap();
    let zeros = || DistVector::zeros(grid, &partition).unwrap();
    let solve = |b: &DistVector<T>, x: &mut DistVector<T>| cg(&a, b, x, &SolveOptions::new()).unwrap();
    assert_eq!(solve(&b, &mut zeros()).reason, Reason::NotPositiveDefinite);
    let outcome = gmres(&a, &b, &mut zeros(), &SolveOptions::new().restart(5).max_iterations(7)).unwrap();
    assert_eq!((outcome.reason, outcome.iterations), (Reason::Limit, 7));
    // b = 0; NaN on one rank.
    let mut x = b.clone();
    assert!(solve(&zeros(), &mut x).converged() && x.to_all().unwrap().iter().all(|x| *x == T::ZERO));
    let poisoned = DistVector::from_fn(grid, &partition, |i| if i == n - 1 { nan() } else { real(1.0) }).unwrap();
    assert_eq!(solve(&poisoned, &mut zeros()).reason, Reason::Breakdown);
    // No unknowns at all.
    let none = Partition::even(grid, 0);
    let a = distributed(grid, &Full::from_fn(0, 0, |_, _| T::ZERO), &none, &none).to_memory(Memory::Device).unwrap();
    let (b, mut x) = (DistVector::zeros(grid, &none).unwrap(), DistVector::zeros(grid, &none).unwrap());
    assert!(cg(&a, &b, &mut x, &SolveOptions::new()).unwrap().converged());
}

/// Errors that leave everything as it was.
pub fn errors(grid: &Grid) {
    let n = 12;
    let partition = Partition::even(grid, n);
    let host = distributed(grid, &line::<f32>(n, 0.5, 0.0), &partition, &partition);
    let there = host.to_memory(Memory::Device).unwrap();
    let x = DistVector::from_fn(grid, &partition, |i| i as f32).unwrap();
    let x_there = x.to_memory(Memory::Device).unwrap();
    let refused = |error: Error, argument: &str, text: &str| {
        assert_same(grid, &error.to_string());
        assert!(matches!(&error, Error::Argument { name, .. } if *name == argument), "{error}");
        assert!(error.to_string().contains(text), "{error}");
    };
    let mut y = x.clone();
    refused(there.multiply(Op::NoTrans, 1.0, &x, 0.0, &mut y).unwrap_err(), "x", "in host memory");
    refused(there.multiply(Op::NoTrans, 1.0, &x_there, 0.0, &mut y).unwrap_err(), "y", "in host memory");
    refused(host.multiply(Op::NoTrans, 1.0, &x_there, 0.0, &mut y).unwrap_err(), "x", "on the ranks' devices");
    refused(x.dot(&x_there).unwrap_err(), "y", "on the ranks' devices");
    refused(cg(&host, &x_there, &mut y, &SolveOptions::new()).unwrap_err(), "b", "on the ranks' devices");
    assert!(y.local() == x.local());
    // A preconditioner in other memory than A.
    let factors = BlockJacobi::new(&host).unwrap();
    let options = SolveOptions::new().preconditioner(&factors);
    let error = cg(&there, &x, &mut y, &options).unwrap_err();
    assert_same(grid, &error.to_string());
    assert!(error.to_string().contains("does not lie on the rank's device"), "{error}");
    if grid.size() == 1 {
        return;
    }
    // Ranks that disagree, and a rank whose device has no memory for its part.
    let last = grid.rank() + 1 == grid.size();
    let error = x.to_memory(if last { Memory::Host } else { Memory::Device }).unwrap_err();
    assert_same(grid, &error.to_string());
    assert!(matches!(error, Error::Mismatch { name: "memory", .. }), "{error}");
    let large = Partition::from_own_length(grid, if last { 1 << 45 } else { 1 }).unwrap();
    let error = DistVector::<f32>::zeros_in(grid, &large, Memory::Device).unwrap_err();
    assert_same(grid, &error.to_string());
    let expected = format!("rank {} of {}", grid.size() - 1, grid.size());
    assert!(error.to_string().contains(&expected) && error.to_string().contains("memory"), "{error}");
    // The grid works on.
    assert!(cg(&there, &x, &mut y, &SolveOptions::new()).unwrap().converged());
}
