//! Triangular solves with one right-hand side, in the one form that plans, kernels and the host know.

use super::Stored;
use crate::error::{Error, Result};
use crate::options::{Diag, Op, Triangle};
use crate::scalar::Scalar;
use crate::view::{BandRef, MatrixRef, Memory, PackedRef, VectorMut, VectorShape, View};

/// x := op(A)⁻¹ x, where A is a triangle stored by columns.
#[derive(Debug)]
pub struct Solve<'a, T: Scalar> {
    /// The memory of A.
    pub a: Memory<'a, T>,
    /// Which elements of A are stored, and where.
    pub stored: Stored,
    /// The operation on the matrix that is stored by columns.
    pub op: Op,
    /// True if the first unknown is found first, as op(A) is a lower triangle.
    pub forward: bool,
    /// True if the diagonal is all ones, and not read.
    pub unit: bool,
    /// The right-hand side, and the solution.
    pub x: VectorMut<'a, T>,
}

impl<'a, T: Scalar> Solve<'a, T> {
    /// With a triangle of a full matrix.
    pub fn full(triangle: Triangle, op: Op, diagonal: Diag, a: MatrixRef<'a, T>, x: VectorMut<'a, T>) -> Result<Self> {
        check_sizes(a.rows(), a.columns(), x.shape())?;
        Ok(Self::new(Stored::triangle(a.shape(), triangle), triangle, op, diagonal, a.memory(), x))
    }

    /// With a triangle of a band matrix.
    pub fn band(triangle: Triangle, op: Op, diagonal: Diag, a: BandRef<'a, T>, x: VectorMut<'a, T>) -> Result<Self> {
        check_sizes(a.shape().rows(), a.shape().columns(), x.shape())?;
        let (stored, by_rows) = Stored::band(a.shape());
        Ok(Self::new((stored.only(triangle, by_rows), by_rows), triangle, op, diagonal, a.memory(), x))
    }

    /// With a packed triangle.
    pub fn packed(op: Op, diagonal: Diag, a: PackedRef<'a, T>, x: VectorMut<'a, T>) -> Result<Self> {
        check_sizes(a.shape().order(), a.shape().order(), x.shape())?;
        Ok(Self::new(Stored::packed(a.shape()), a.shape().triangle(), op, diagonal, a.memory(), x))
    }

    fn new(
        (stored, by_rows): (Stored, bool),
        triangle: Triangle,
        op: Op,
        diagonal: Diag,
        a: Memory<'a, T>,
        x: VectorMut<'a, T>,
    ) -> Self {
        let op = if by_rows { op.transposed() } else { op };
        let upper = (triangle == Triangle::Upper) != by_rows;
        Solve { a, stored, op, forward: upper == op.transposes(), unit: diagonal == Diag::Unit, x }
    }

    /// Real operations, counted as multiplications and additions of the stored elements.
    pub fn operations(&self) -> u64 {
        let elements = (self.stored.rows as u64).saturating_mul(1 + self.reach() as u64);
        elements.saturating_mul(T::KIND.multiply_add_operations()) / 2
    }

    /// How many unknowns before it an unknown has to do with, at most.
    pub fn reach(&self) -> usize {
        // One of both is 0.
        self.stored.above.max(self.stored.below).min(self.stored.rows.saturating_sub(1))
    }
}

fn check_sizes(rows: usize, columns: usize, x: &VectorShape) -> Result<()> {
    if rows == columns && rows == x.length() {
        return Ok(());
    }
    let sizes = format!("A is {rows} x {columns}, and would have to be square; x has {} elements", x.length());
    Err(Error::ShapeMismatch(sizes))
}
