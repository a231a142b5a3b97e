//! Polynomials of a matrix as preconditioners.

use std::cell::RefCell;

use crate::blas::level1::{Elementwise, axpby_on};
use crate::context::Queue;
use crate::error::{Error, Result};
use crate::host::level1::{RawVector, elementwise};
use crate::memory::{Buffer, Context};
use crate::options::Op;
use crate::scalar::Scalar;
use crate::sparse::{CsrMatrix, LinearOperator, RowPointer, convert};
use crate::view::{Memory, VectorMut, VectorRef, View};

/// Chebyshev's polynomial preconditioner for a Hermitian positive definite A: a few steps of his iteration for A z = r,
/// from z = 0 (Saad, *Iterative methods for sparse linear systems*, 2003, algorithm 12.1). It needs products with A and
/// nothing that goes row by row: as parallel as they are.
///
/// ```
/// use affinimath::sparse::{CsrMatrix, SolveOptions};
/// use affinimath::{Chebyshev, Context, cg};
///
/// let context = Context::host();
/// let (row_ptr, col_indices) = ([0, 2, 5, 7], [0, 1, 0, 1, 2, 1, 2]);
/// let a = CsrMatrix::new(&context, 3, 3, &row_ptr, &col_indices, &[2.0, -1.0, -1.0, 2.0, -1.0, -1.0, 2.0])?;
/// let b = context.upload(&[1.0, 0.0, 1.0])?;
/// let mut x = context.zeros(3)?;
/// let chebyshev = Chebyshev::new(&a, 4)?;
/// let outcome = cg(&a, b.vector()?, x.vector_mut()?, &SolveOptions::new().preconditioner(&chebyshev))?;
/// assert!(outcome.converged());
/// # Ok::<(), affinimath::Error>(())
/// ```
pub struct Chebyshev<'a, T: Scalar> {
    operator: &'a dyn LinearOperator<T>,
    degree: usize,
    low: f64,
    high: f64,
    work: RefCell<Work<T>>,
}

struct Work<T> {
    solution: Buffer<T>,
    residual: Buffer<T>,
    step: Buffer<T>,
    image: Buffer<T>,
}

/// The part of the spectrum that the polynomial makes small, where nothing else is said: from a thirtieth of its upper
/// bound.
const SPAN: f64 = 30.0;

/// The sum of the moduli of each row.
fn row_moduli<T: Scalar, P: RowPointer>(matrix: &CsrMatrix<T, P>) -> Result<Vec<f64>> {
    let (Some(row_ptr), Some(values)) = (matrix.row_ptr().on_host(), matrix.values().on_host()) else {
        return Ok(convert::row_moduli_on(matrix)?.download()?.into_iter().map(Into::into).collect());
    };
    let row = |pair: &[P]| values[pair[0].count()..pair[1].count()].iter().map(|value| value.modulus()).sum();
    Ok(row_ptr.windows(2).map(row).collect())
}

impl<'a, T: Scalar> Chebyshev<'a, T> {
    /// With so many products with the matrix, and Gershgorin's bound for its spectrum: the largest sum of moduli of a
    /// row.
    ///
    /// # Errors
    /// The errors of [`Chebyshev::with_bounds`]; an upper bound that is not positive is the matrix's.
    pub fn new<P: RowPointer>(matrix: &'a CsrMatrix<T, P>, degree: usize) -> Result<Self> {
        let larger = |high: f64, sum: f64| if sum > high || sum.is_nan() { sum } else { high };
        let high = row_moduli(matrix)?.into_iter().fold(0.0, larger);
        Self::with_bounds(matrix, degree, high / SPAN, high)
    }

    /// With so many products with the operator, and bounds of the part of its spectrum that the polynomial makes small:
    /// the upper one must be a bound of all of it.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] unless 0 < low < high, both finite; [`Error::ShapeMismatch`] for an operator that is
    /// not square; [`Error::OutOfDeviceMemory`].
    pub fn with_bounds(operator: &'a dyn LinearOperator<T>, degree: usize, low: f64, high: f64) -> Result<Self> {
        if !(0.0 < low && low < high && high.is_finite()) {
            return Err(Error::argument("bounds", format!("{low:e} and {high:e} are not 0 < low < high")));
        }
        let (rows, columns) = (operator.rows(), operator.columns());
        if rows != columns {
            return Err(Error::ShapeMismatch(format!("a {rows} x {columns} operator is not square")));
        }
        let buffer = || operator.context().zeros(rows);
        let work = Work { solution: buffer()?, residual: buffer()?, step: buffer()?, image: buffer()? };
        Ok(Chebyshev { operator, degree, low, high, work: RefCell::new(work) })
    }

    /// The part of the spectrum that the polynomial makes small.
    pub const fn bounds(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// y := alpha x + beta y.
    fn combine(&self, alpha: f64, x: VectorRef<'_, T>, beta: f64, y: VectorMut<'_, T>) -> Result<()> {
        let (alpha, beta) = (T::from_parts(alpha, 0.0), T::from_parts(beta, 0.0));
        if let Some(device) = self.operator.context().on_device() {
            return axpby_on(&Queue::new(device)?, alpha, x, beta, y).map(drop);
        }
        let (Memory::Host(x_start, _), Memory::Host(y_start, _)) = (x.memory(), y.memory()) else {
            return Err(Error::MixedMemory("a vector lies on a device, and the operator on the host".to_owned()));
        };
        // SAFETY: the views hold their vectors, and nobody else touches y.
        let (x, y) = unsafe { (RawVector::new(x_start, x.shape()), RawVector::new(y_start, y.shape())) };
        if let Some(operation) = Elementwise::axpby(alpha, beta) {
            elementwise(&operation, Some(x), y);
        }
        Ok(())
    }
}

impl<T: Scalar> LinearOperator<T> for Chebyshev<'_, T> {
    fn context(&self) -> &Context {
        self.operator.context()
    }

    fn rows(&self) -> usize {
        self.operator.rows()
    }

    fn columns(&self) -> usize {
        self.operator.columns()
    }

    /// y := p(A) x. It is Hermitian: every `op` but the transpose, which solvers do not ask for, is the same.
    fn apply(&self, _: Op, x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> Result<()> {
        let mut work = self.work.borrow_mut();
        let Work { solution, residual, step, image } = &mut *work;
        let (centre, radius) = ((self.high + self.low) / 2.0, (self.high - self.low) / 2.0);
        let mut rho = radius / centre;
        self.combine(1.0, x, 0.0, residual.vector_mut()?)?;
        self.combine(1.0 / centre, x, 0.0, step.vector_mut()?)?;
        self.combine(1.0, step.vector()?, 0.0, solution.vector_mut()?)?;
        for _ in 0..self.degree {
            self.operator.apply(Op::NoTrans, step.vector()?, image.vector_mut()?)?;
            self.combine(-1.0, image.vector()?, 1.0, residual.vector_mut()?)?;
            let next = 1.0 / (2.0 * centre / radius - rho);
            self.combine(2.0 * next / radius, residual.vector()?, next * rho, step.vector_mut()?)?;
            self.combine(1.0, step.vector()?, 1.0, solution.vector_mut()?)?;
            rho = next;
        }
        self.combine(1.0, solution.vector()?, 0.0, y)
    }
}
