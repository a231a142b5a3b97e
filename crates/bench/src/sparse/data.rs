//! A matrix in a type, vectors for it, and what comes out of them.

use std::sync::Arc;

use affinimath::sparse::Outcome;
use affinimath::{Complex64, Layout, Op, Scalar, ScalarKind};

use super::matrix::Pattern;
use crate::contender::Accuracy;
use crate::error::BenchError;
use crate::memory;
use crate::random::Random;

/// Quantities that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// y := op(A) x.
    Vector(Op),
    /// C := A B, for dense B and C with this count of columns, in one layout.
    Dense(usize, Layout),
    /// Iterations of conjugate gradients.
    Cg(usize),
    /// Iterations of MINRES.
    Minres(usize),
}

impl Operation {
    /// The routine's name in reports, and what tells it from others of its name.
    pub fn name(self) -> (&'static str, String) {
        match self {
            Operation::Vector(op) => ("csrmv", if op.transposes() { "t" } else { "n" }.to_owned()),
            Operation::Dense(columns, Layout::RowMajor) => ("csrmm", format!("n x{columns}")),
            Operation::Dense(columns, Layout::ColumnMajor) => ("csrmm", format!("n x{columns} by columns")),
            Operation::Cg(iterations) => ("cg", format!("{iterations} it.")),
            Operation::Minres(iterations) => ("minres", format!("{iterations} it.")),
        }
    }

    /// Bytes that the operation needs: values, indices and pointers once, each vector once that is read and once that
    /// is written. Iterations are a product each, and the traffic of their vectors; the residuals before the first
    /// and after the last are not counted.
    pub fn bytes(self, pattern: &Pattern, kind: ScalarKind) -> f64 {
        let element = kind.bytes() as f64;
        let (rows, columns) = (pattern.rows as f64, pattern.columns as f64);
        let matrix = pattern.nnz() as f64 * (element + 4.0) + (rows + 1.0) * 4.0;
        let product = matrix + (rows + columns) * element;
        match self {
            Operation::Vector(_) => product,
            Operation::Dense(count, _) => matrix + (rows + columns) * element * count as f64,
            // The methods document their other memory traffic.
            Operation::Cg(iterations) => iterations as f64 * (product + 10.0 * rows * element),
            Operation::Minres(iterations) => iterations as f64 * (product + 15.0 * rows * element),
        }
    }
}

/// Operands of a case.
#[derive(Debug)]
pub struct Data<T> {
    /// The matrix without its values.
    pub pattern: Arc<Pattern>,
    /// Quantities that are measured.
    pub operation: Operation,
    /// The matrix's values.
    pub values: Vec<T>,
    /// x, B in the operation's layout, or the right-hand side.
    pub x: Vec<T>,
    /// The length of what comes out.
    pub result: usize,
}

fn wide<T: Scalar>(value: T) -> Complex64 {
    Complex64::new(value.re(), value.im())
}

impl<T: Scalar> Data<T> {
    /// The matrix with random vectors; each contender gets a copy.
    ///
    /// # Errors
    /// [`BenchError::Memory`].
    pub fn random(pattern: &Arc<Pattern>, operation: Operation, contenders: usize) -> Result<Self, BenchError> {
        let needed = operation.bytes(pattern, T::KIND) / operation.iterations().unwrap_or(1) as f64;
        // The pattern is there; references are complex doubles.
        let needed = (needed * (1.0 + contenders as f64)) as u64 + 24 * (pattern.rows + pattern.columns) as u64;
        let available = memory::available().unwrap_or(u64::MAX);
        if needed > available {
            let what = format!("{} with {} entries", operation.name().0, pattern.nnz());
            return Err(BenchError::Memory { what, needed, available });
        }
        let (rows, columns) = (pattern.rows, pattern.columns);
        let (length, result) = match operation {
            Operation::Vector(op) if op.transposes() => (rows, columns),
            Operation::Dense(count, _) => (columns * count, rows * count),
            _ => (columns, rows),
        };
        let x = Random::new(0x9E37_79B9_7F4A_7C15).elements(length);
        Ok(Data { pattern: pattern.clone(), operation, values: pattern.values(), x, result })
    }

    /// Memory for the result, random so that a missing write shows.
    pub fn random_result(&self) -> Vec<T> {
        Random::new(0xD1B5_4A32_D192_ED03).elements(self.result)
    }

    /// How far a product is from one in doubles: the largest error, relative to the sum of its terms' moduli and to
    /// their number and 2 more, which the error analysis bounds by a small multiple of the precision.
    pub fn accuracy(&self, result: &[T]) -> Accuracy {
        let factor = if T::KIND.is_complex() { 4.0 } else { 1.0 };
        let bound = factor * T::EPSILON;
        let error = match self.operation {
            Operation::Dense(count, layout) => {
                // The first column and the last.
                let column = |data: &[T], j: usize| match layout {
                    Layout::RowMajor => data.iter().skip(j).step_by(count).copied().collect::<Vec<T>>(),
                    Layout::ColumnMajor => {
                        data.chunks(data.len() / count).nth(j).map(<[T]>::to_vec).unwrap_or_default()
                    }
                };
                let errors = [0, count - 1].map(|j| self.error(Op::NoTrans, &column(&self.x, j), &column(result, j)));
                worst(errors.into_iter())
            }
            Operation::Vector(op) => self.error(op, &self.x, result),
            Operation::Cg(_) | Operation::Minres(_) => f64::NAN,
        };
        Accuracy { error, bound }
    }

    fn error(&self, op: Op, x: &[T], y: &[T]) -> f64 {
        let terms = self.product(op, x, y.len());
        worst(y.iter().zip(&terms).map(|(y, terms)| {
            let difference = (wide(*y) - terms.sum).norm();
            // A sum without terms is 0.
            if difference == 0.0 { 0.0 } else { difference / (terms.moduli * (f64::from(terms.count) + 2.0)) }
        }))
    }

    fn product(&self, op: Op, x: &[T], length: usize) -> Vec<Terms> {
        let mut sums = vec![Terms::default(); length];
        for (row, ends) in self.pattern.row_ptr.windows(2).enumerate() {
            for entry in ends[0] as usize..ends[1] as usize {
                let column = self.pattern.col_indices[entry] as usize;
                let (to, from) = if op.transposes() { (column, row) } else { (row, column) };
                let (value, x) = (wide(self.values[entry]), wide(x[from]));
                let terms = &mut sums[to];
                terms.sum += value * x;
                terms.moduli += value.norm() * x.norm();
                terms.count += 1;
            }
        }
        sums
    }

    /// How far the residual that iterations claim is from that of their x, relative to ||b|| and the moduli of A x; and
    /// whether x is better than the zero that they began with, by what the method minimises.
    pub fn accuracy_of_iterations(&self, x: &[T], outcome: &Outcome) -> Accuracy {
        let terms = self.product(Op::NoTrans, x, x.len());
        let (mut residual, mut scale, mut size, mut longest) = (0.0, 0.0, 0.0, 0);
        // x^H A x / 2 - Re x^H b, which conjugate gradients bring below that of 0.
        let mut energy = 0.0;
        for ((terms, b), x) in terms.iter().zip(&self.x).zip(x) {
            let b = wide(*b);
            residual += (b - terms.sum).norm_sqr();
            scale += (b.norm() + terms.moduli).powi(2);
            size += b.norm_sqr();
            energy += (wide(*x).conj() * (terms.sum * 0.5 - b)).re;
            longest = longest.max(terms.count);
        }
        let better = match self.operation {
            Operation::Minres(_) => residual < size,
            _ => energy < 0.0,
        };
        let difference = (residual.sqrt() - outcome.residual).abs() / scale.sqrt();
        let factor = if T::KIND.is_complex() { 4.0 } else { 1.0 };
        let bound = factor * (f64::from(longest) + 4.0) * T::EPSILON;
        Accuracy { error: if better { difference } else { f64::NAN }, bound }
    }
}

impl Operation {
    /// Operation on the matrix.
    pub const fn op(self) -> Op {
        match self {
            Operation::Vector(op) => op,
            _ => Op::NoTrans,
        }
    }

    /// Number of iterations of an iterative method.
    pub const fn iterations(self) -> Option<usize> {
        match self {
            Operation::Cg(iterations) | Operation::Minres(iterations) => Some(iterations),
            _ => None,
        }
    }
}

/// A sum of a product in doubles.
#[derive(Clone, Copy, Debug, Default)]
struct Terms {
    sum: Complex64,
    moduli: f64,
    count: u32,
}

/// The largest; NaN is larger than all values.
fn worst(errors: impl Iterator<Item = f64>) -> f64 {
    errors.fold(0.0, |worst: f64, error| if worst.is_nan() || error <= worst { worst } else { error })
}

#[cfg(test)]
mod tests {
    use affinimath::Complex32;

    use super::super::matrix::Source;
    use super::*;

    fn data<T: Scalar>(operation: Operation) -> Data<T> {
        Data::random(&Arc::new(Source::PowerLaw(40).pattern().unwrap()), operation, 1).unwrap()
    }

    #[test]
    fn a_right_product_passes_and_a_wrong_element_does_not() {
        for op in [Op::NoTrans, Op::Trans] {
            let data = data::<Complex32>(Operation::Vector(op));
            let narrow = |terms: &Terms| Complex32::new(terms.sum.re as f32, terms.sum.im as f32);
            let mut y: Vec<Complex32> = data.product(op, &data.x, 40).iter().map(narrow).collect();
            assert!(data.accuracy(&y).holds(), "{:?}", data.accuracy(&y));
            assert!(!data.accuracy(&data.random_result()).holds());
            y[39] = Complex32::new(f32::NAN, 0.0);
            assert!(!data.accuracy(&y).holds());
        }
    }

    #[test]
    fn bytes_are_those_of_the_matrix_and_of_its_vectors() {
        let pattern = Source::Poisson2(10).pattern().unwrap();
        let matrix = 460.0 * 12.0 + 101.0 * 4.0;
        let bytes = |operation: Operation| operation.bytes(&pattern, ScalarKind::D);
        assert_eq!(bytes(Operation::Vector(Op::NoTrans)), matrix + 1600.0);
        assert_eq!(bytes(Operation::Dense(8, Layout::RowMajor)), matrix + 8.0 * 1600.0);
        assert_eq!(bytes(Operation::Cg(20)), 20.0 * (matrix + 1600.0 + 8000.0));
    }
}
