//! Sparse matrices: products, conversions, triangular systems and iterations, on one small Hermitian matrix.

use affinimath::sparse::{CsrMatrix, LinearOperator, Outcome, SolveOptions};
use affinimath::{
    Complex64, Context, Diag, Op, Scalar, ScalarKind, Triangle, VectorMut, VectorRef, bicgstab, cg, gmres, minres,
};
use affinimath_bench::checks::{Accuracy, Check};
use affinimath_bench::{BenchError, ForType, Random, Target, for_type};

/// Points on a side of the grid.
const SIDE: usize = 20;

/// Checks of a type, in the memory of the target's device.
pub fn checks(kind: ScalarKind, target: &Target) -> Vec<Check> {
    for_type(kind, Checks { target })
}

struct Checks<'a> {
    target: &'a Target,
}

impl ForType for Checks<'_> {
    type Output = Vec<Check>;

    fn run<T: Scalar>(self) -> Vec<Check> {
        match Problem::<T>::new(self.target) {
            Ok(problem) => problem.checks(),
            Err(error) => vec![Check { routine: "matrix".to_owned(), outcome: Err(error) }],
        }
    }
}

type Solver<T> =
    fn(&dyn LinearOperator<T>, VectorRef<'_, T>, VectorMut<'_, T>, &SolveOptions<'_, T>) -> affinimath::Result<Outcome>;

/// The five-point stencil on a grid, with 5 on the diagonal, and neighbours of modulus 1 whose phases make it Hermitian
/// in complex types.
struct Problem<T: Scalar> {
    matrix: CsrMatrix<T>,
    /// Row, column and value of each entry.
    entries: Vec<(usize, usize, T)>,
    x: Vec<T>,
}

impl<T: Scalar> Problem<T> {
    fn new(target: &Target) -> Result<Self, BenchError> {
        let context = match target.device {
            Some(device) => Context::open(device)?,
            None => Context::host(),
        };
        let (mut row_ptr, mut col_indices, mut values, mut entries) = (vec![0], Vec::new(), Vec::new(), Vec::new());
        // Of modulus 1 in complex types; its conjugate goes the other way.
        let phase = if T::KIND.is_complex() { T::from_parts(-0.6, 0.8) } else { -T::ONE };
        for row in 0..SIDE * SIDE {
            let (i, j) = (row / SIDE, row % SIDE);
            let neighbours = [
                (i > 0).then(|| (row - SIDE, phase)),
                (j > 0).then(|| (row - 1, phase)),
                Some((row, T::from_parts(5.0, 0.0))),
                (j + 1 < SIDE).then(|| (row + 1, phase.conjugate())),
                (i + 1 < SIDE).then(|| (row + SIDE, phase.conjugate())),
            ];
            for (column, value) in neighbours.into_iter().flatten() {
                col_indices.push(column as i32);
                values.push(value);
                entries.push((row, column, value));
            }
            row_ptr.push(col_indices.len() as i32);
        }
        let matrix = CsrMatrix::new(&context, SIDE * SIDE, SIDE * SIDE, &row_ptr, &col_indices, &values)?;
        Ok(Problem { matrix, entries, x: Random::new(0x9E37_79B9_7F4A_7C15).elements(SIDE * SIDE) })
    }

    fn checks(&self) -> Vec<Check> {
        let ops = [("csrmv n", Op::NoTrans), ("csrmv t", Op::Trans), ("csrmv c", Op::ConjTrans)];
        let solvers: [(&str, Solver<T>); 4] =
            [("cg", cg), ("minres", minres), ("bicgstab", bicgstab), ("gmres", gmres)];
        let mut checks: Vec<(&str, Result<Accuracy, BenchError>)> = Vec::new();
        checks.extend(ops.map(|(name, op)| (name, self.product(op))));
        checks.push(("csr to coo to csr", self.conversion()));
        checks.push(("csrsv", self.triangle()));
        checks.extend(solvers.map(|(name, solver)| (name, self.solve(solver))));
        checks.into_iter().map(|(name, outcome)| Check { routine: name.to_owned(), outcome }).collect()
    }

    /// y := op(A) x in doubles, and the sums of the moduli of its terms.
    fn reference(&self, keep: impl Fn(usize, usize) -> bool, op: Op, x: &[T]) -> (Vec<Complex64>, Vec<f64>) {
        let (mut y, mut magnitude) = (vec![Complex64::ZERO; x.len()], vec![0.0; x.len()]);
        for &(row, column, value) in self.entries.iter().filter(|(row, column, _)| keep(*row, *column)) {
            let (to, from) = if op.transposes() { (column, row) } else { (row, column) };
            let value = wide(if op == Op::ConjTrans { value.conjugate() } else { value });
            y[to] += value * wide(x[from]);
            magnitude[to] += value.norm() * wide(x[from]).norm();
        }
        (y, magnitude)
    }

    fn product(&self, op: Op) -> Result<Accuracy, BenchError> {
        let context = self.matrix.context();
        let (x, mut y) = (context.upload(&self.x)?, context.zeros(self.x.len())?);
        self.matrix.multiply(op, T::ONE, x.vector()?, T::ZERO, y.vector_mut()?)?.wait()?;
        let (expected, magnitude) = self.reference(|_, _| true, op, &self.x);
        Ok(worst::<T>(&y.download()?, &expected, &magnitude))
    }

    /// The matrix that comes back has to be the same.
    fn conversion(&self) -> Result<Accuracy, BenchError> {
        let back = self.matrix.to_coo()?.to_csr::<i32>()?.download()?;
        let same = |(entry, &(_, column, value)): (usize, &(usize, usize, T))| {
            back.col_indices[entry] as usize == column && back.values[entry] == value
        };
        let equal = back.values.len() == self.entries.len() && self.entries.iter().enumerate().all(same);
        Ok(Accuracy { error: if equal { 0.0 } else { 1.0 }, bound: 0.0 })
    }

    /// L x = b, by its residual.
    fn triangle(&self) -> Result<Accuracy, BenchError> {
        let mut x = self.matrix.context().upload(&self.x)?;
        let lower = Triangle::Lower;
        self.matrix.solve_triangle(lower, Op::NoTrans, Diag::NonUnit, x.vector_mut()?)?.wait()?;
        let (found, mut magnitude) = self.reference(|row, column| row >= column, Op::NoTrans, &x.download()?);
        magnitude.iter_mut().zip(&self.x).for_each(|(magnitude, b)| *magnitude += wide(*b).norm());
        Ok(worst::<T>(&self.x, &found, &magnitude))
    }

    /// A x = b, by its residual against the tolerance plus a rounding bound.
    fn solve(&self, solver: Solver<T>) -> Result<Accuracy, BenchError> {
        let context = self.matrix.context();
        let (b, mut x) = (context.upload(&self.x)?, context.zeros(self.x.len())?);
        let tolerance = if T::KIND.is_double() { 1e-10 } else { 1e-5 };
        let outcome = solver(&self.matrix, b.vector()?, x.vector_mut()?, &SolveOptions::new().rtol(tolerance))?;
        let (found, _) = self.reference(|_, _| true, Op::NoTrans, &x.download()?);
        let difference = found.iter().zip(&self.x).map(|(found, b)| (wide(*b) - found).norm_sqr()).sum::<f64>().sqrt();
        let size = self.x.iter().map(|b| wide(*b).norm_sqr()).sum::<f64>().sqrt();
        // What claims to have converged and has not is wrong, and what has not converged too.
        let error = if outcome.converged() { difference / size } else { f64::NAN };
        Ok(Accuracy { error, bound: tolerance + 30.0 * T::EPSILON })
    }
}

/// The largest difference, relative to the magnitude of the terms of each sum: at most five of them.
fn worst<T: Scalar>(found: &[T], expected: &[Complex64], magnitude: &[f64]) -> Accuracy {
    let errors = found.iter().zip(expected).zip(magnitude).map(|((x, y), size)| (wide(*x) - y).norm() / size);
    let error = errors.fold(0.0, |worst: f64, error| if error.is_nan() || error > worst { error } else { worst });
    // A complex product has rounding errors of sqrt(5) eps (Brent, Percival and Zimmermann, 2007).
    Accuracy { error, bound: if T::KIND.is_complex() { 5.0_f64.sqrt() } else { 1.0 } * 7.0 * T::EPSILON }
}

fn wide<T: Scalar>(value: T) -> Complex64 {
    Complex64::new(value.re(), value.im())
}
