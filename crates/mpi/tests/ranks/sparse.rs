//! Sparse products, solvers and files.

use affinimath::sparse::{LinearOperator, Reason};
use affinimath::{Ilu0, Op, Scalar};
use affinimath_mpi::{BlockJacobi, DistCsr, DistVector, Grid, Partition, SolveOptions, bicgstab, cg, gmres, minres};

use super::support::{Full, element, real};

/// A sparse m x n matrix, as a function.
pub fn sparse_element<T: Scalar>(seed: usize) -> impl Fn(usize, usize) -> T {
    move |i, j| if (7 * i + 11 * j) % 5 == 0 { element::<T>(seed)(i, j) } else { T::ZERO }
}

/// The rows of a rank's range, from a full matrix.
fn rows_of<T: Scalar>(full: &Full<T>, range: std::ops::Range<usize>) -> (Vec<usize>, Vec<usize>, Vec<T>) {
    let (mut row_ptr, mut col_indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in range {
        for j in (0..full.n).filter(|j| full.at(i, *j) != T::ZERO) {
            col_indices.push(j);
            values.push(full.at(i, j));
        }
        row_ptr.push(values.len());
    }
    (row_ptr, col_indices, values)
}

pub fn distributed<T: Scalar>(grid: &Grid, full: &Full<T>, rows: &Partition, columns: &Partition) -> DistCsr<T> {
    let (row_ptr, col_indices, values) = rows_of(full, rows.range(grid.rank()));
    DistCsr::from_rows(grid, rows, columns, &row_ptr, &col_indices, &values).unwrap()
}

/// Partitions of `n`: even, and all on the last rank.
pub fn partitions(grid: &Grid, n: usize) -> [Partition; 2] {
    let last = if grid.rank() + 1 == grid.size() { n } else { 0 };
    [Partition::even(grid, n), Partition::from_own_length(grid, last).unwrap()]
}

pub fn products<T: Scalar>(grid: &Grid) {
    let (alpha, beta) = (T::from_parts(1.5, -0.5), T::from_parts(-0.25, 1.0));
    for (m, n) in [(0, 0), (1, 1), (2, 9), (23, 17)] {
        let full = Full::from_fn(m, n, sparse_element::<T>(30));
        for (rows, columns) in partitions(grid, m).iter().flat_map(|r| partitions(grid, n).map(|c| (r.clone(), c))) {
            let a = distributed(grid, &full, &rows, &columns);
            for op in [Op::NoTrans, Op::Trans, Op::ConjTrans, Op::ConjNoTrans] {
                let (from, to) = if op.transposes() { (&rows, &columns) } else { (&columns, &rows) };
                let x = DistVector::from_fn(grid, from, |i| element::<T>(31)(i, 0)).unwrap();
                let mut y = DistVector::from_fn(grid, to, |i| element::<T>(32)(i, 0)).unwrap();
                a.multiply(op, alpha, &x, beta, &mut y).unwrap();
                let product = full.turned(op).times(&Full::from_fn(from.length(), 1, element::<T>(31)));
                for (i, value) in y.to_all().unwrap().into_iter().enumerate() {
                    let expected = alpha * product.at(i, 0) + beta * element::<T>(32)(i, 0);
                    assert!((value - expected).modulus() <= 32.0 * (m + n) as f64 * T::EPSILON);
                }
            }
        }
        // Entries that lie on other ranks than their rows, each twice.
        let (rows, columns) = (Partition::even(grid, m), Partition::even(grid, n));
        let mut entries = Vec::new();
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            if full.at(i, j) != T::ZERO && (i + j) % grid.size() == grid.rank() {
                entries.extend([(i, j, full.at(i, j)), (i, j, full.at(i, j))]);
            }
        }
        let twice = DistCsr::from_entries(grid, &rows, &columns, &entries).unwrap();
        let once = distributed(grid, &full, &rows, &columns);
        let x = DistVector::from_fn(grid, &columns, |i| element::<T>(31)(i, 0)).unwrap();
        let product = |a: &DistCsr<T>, alpha: T| {
            let mut y = DistVector::zeros(grid, &rows).unwrap();
            a.multiply(Op::NoTrans, alpha, &x, T::ZERO, &mut y).unwrap();
            y.to_all().unwrap()
        };
        let close = |x: &T, y: &T| (*x - *y).modulus() <= 64.0 * (m + n) as f64 * T::EPSILON;
        assert!(product(&twice, T::ONE).iter().zip(&product(&once, real(2.0))).all(|(x, y)| close(x, y)));
    }
}

/// The Laplacian of a line, with a convection term that makes it nonsymmetric, and an imaginary part off the diagonal.
pub fn line<T: Scalar>(n: usize, shift: f64, convection: f64) -> Full<T> {
    Full::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => real(2.0 + shift),
        1 if i > j => T::from_parts(-1.0 - convection, 0.25),
        1 => T::from_parts(-1.0 + convection, -0.25),
        _ => T::ZERO,
    })
}

pub fn solvers<T: Scalar>(grid: &Grid) {
    type Solver<T> = fn(
        &DistCsr<T>,
        &DistVector<T>,
        &mut DistVector<T>,
        &SolveOptions<'_, T>,
    ) -> affinimath_mpi::Result<affinimath::sparse::Outcome>;
    let n = 60;
    let systems: [(&str, Solver<T>, Full<T>); 5] = [
        ("cg", cg, line(n, 0.5, 0.0)),
        ("minres", minres, line(n, 0.5, 0.0)),
        ("minres, indefinite", minres, line(n, -3.5, 0.0)),
        ("bicgstab", bicgstab, line(n, 0.5, 0.3)),
        ("gmres", gmres, line(n, 0.5, 0.3)),
    ];
    for (name, solver, full) in systems {
        for partition in partitions(grid, n) {
            let a = distributed(grid, &full, &partition, &partition);
            let exact = Full::from_fn(n, 1, element::<T>(33));
            let right = full.times(&exact);
            let b = DistVector::from_fn(grid, &partition, |i| right.at(i, 0)).unwrap();
            let factors = BlockJacobi::new(&a).unwrap();
            let incomplete = (a.interior().rows() > 0).then(|| Ilu0::new(a.interior()).unwrap());
            let none: Option<&dyn LinearOperator<T>> = None;
            let incomplete: &dyn LinearOperator<T> = match &incomplete {
                Some(incomplete) => incomplete,
                None => &factors,
            };
            for (kind, local) in [("none", none), ("factors", Some(&factors as _)), ("ILU(0)", Some(incomplete))] {
                if name == "minres, indefinite" && kind != "none" {
                    continue; // A preconditioner of MINRES is positive definite.
                }
                let rtol = if T::KIND.is_double() { 1e-10 } else { 1e-4 };
                let mut options = SolveOptions::new().rtol(rtol);
                if let Some(local) = local {
                    options = options.preconditioner(local);
                }
                let solve = || {
                    let mut x = DistVector::zeros(grid, &partition).unwrap();
                    let outcome = solver(&a, &b, &mut x, &options).unwrap();
                    assert!(outcome.converged(), "{name} with {kind}: {outcome}");
                    x
                };
                let x = solve();
                let found = Full { m: n, n: 1, data: x.to_all().unwrap() };
                let norm = |values: &[T]| values.iter().map(|value| value.modulus().powi(2)).sum::<f64>().sqrt();
                let product = full.times(&found);
                let rest: Vec<T> = product.data.iter().zip(&right.data).map(|(product, b)| *product - *b).collect();
                assert!(norm(&rest) <= 3.0 * rtol * norm(&right.data), "{name} with {kind}: {}", norm(&rest));
                assert!(x.local() == solve().local(), "two runs of {name} differ");
            }
        }
    }
    // A matrix that is not positive definite is reported, and the limit of iterations holds.
    let partition = Partition::even(grid, n);
    let a = distributed(grid, &line::<T>(n, -3.5, 0.0), &partition, &partition);
    let b = DistVector::from_fn(grid, &partition, |i| element::<T>(34)(i, 0)).unwrap();
    let mut x = DistVector::zeros(grid, &partition).unwrap();
    assert_eq!(cg(&a, &b, &mut x, &SolveOptions::new()).unwrap().reason, Reason::NotPositiveDefinite);
    let outcome = gmres(&a, &b, &mut x, &SolveOptions::new().restart(5).max_iterations(7)).unwrap();
    assert_eq!((outcome.reason, outcome.iterations), (Reason::Limit, 7));
    let dot = b.dot(&b).unwrap();
    assert!((dot.re().sqrt() - b.norm().unwrap()).abs() <= 64.0 * T::EPSILON * dot.re());
}

pub fn matrix_market<T: Scalar>(grid: &Grid) {
    let n = 13;
    let path = std::env::temp_dir().join(format!("affinimath-mpi-{}.mtx", T::KIND.letter()));
    let (kind, value) =
        if T::KIND.is_complex() { ("complex hermitian", "-0.5 0.25") } else { ("real symmetric", "-0.5") };
    let diagonal = if T::KIND.is_complex() { "2 0" } else { "2" };
    let mut text = format!("%%MatrixMarket matrix coordinate {kind}\n% a line\n\n{n} {n} {}\n", 2 * n - 1);
    for i in 1..=n {
        text += &format!("{i} {i} {diagonal}\n% between\n");
        if i > 1 {
            text += &format!("{i} {} {value}\r\n", i - 1);
        }
    }
    let write = |text: &str| {
        grid.barrier().unwrap();
        if grid.rank() == 0 {
            std::fs::write(&path, text).unwrap();
        }
        grid.barrier().unwrap();
    };
    // With and without an end of the last line.
    for text in [text.as_str(), text.trim_end().trim_end_matches("% between").trim_end()] {
        write(text);
        let a = DistCsr::<T>::read_matrix_market(grid, &path).unwrap();
        let full = Full::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 => real::<T>(2.0),
            1 => T::from_parts(-0.5, if i > j { 0.25 } else { -0.25 }),
            _ => T::ZERO,
        });
        let x = DistVector::from_fn(grid, a.columns(), |i| element::<T>(35)(i, 0)).unwrap();
        let mut y = DistVector::zeros(grid, a.rows()).unwrap();
        a.multiply(Op::NoTrans, T::ONE, &x, T::ZERO, &mut y).unwrap();
        let expected = full.times(&Full::from_fn(n, 1, element::<T>(35)));
        let close = |(x, y): (&T, &T)| (*x - *y).modulus() <= 16.0 * T::EPSILON;
        assert!(y.to_all().unwrap().iter().zip(&expected.data).all(close));
    }
    let count = text.lines().count();
    write(&format!("{text}{n} nowhere 1\n").replacen(&format!(" {}\n", 2 * n - 1), &format!(" {}\n", 2 * n), 1));
    let error = DistCsr::<T>::read_matrix_market(grid, &path).unwrap_err().to_string();
    assert!(error.contains(&format!("line {}", count + 1)), "{error}");
    write(&text.replacen(&format!(" {}\n", 2 * n - 1), " 99\n", 1));
    let error = DistCsr::<T>::read_matrix_market(grid, &path).unwrap_err().to_string();
    assert!(error.contains("promises 99"), "{error}");
    grid.barrier().unwrap();
    if grid.rank() == 0 {
        std::fs::remove_file(&path).unwrap();
    }
    let error = DistCsr::<T>::read_matrix_market(grid, &path).unwrap_err().to_string();
    assert!(error.contains("affinimath-mpi-"), "{error}");
}
