//! Dense factorisations: Cholesky with a fallback, L D Lᴴ, LU, and both in mixed precision.

use affinimath_array::function::Binary;
use affinimath_array::library::{MatrixStructure, SolveMethod};
use affinimath_array::node::{Complex, Node};
use affinimath_array::shape::Shape;

use super::System;
use crate::array::routine::stack::Stack;
use crate::error::{Error, Result};
use crate::options::{Symmetry, Triangle};
use crate::refinement::Refinement;
use crate::route::lapack::{gesv, gesv_batched, gesv_mixed, hesv, posv, posv_batched, posv_mixed, sysv};
use crate::scalar::{Complex32, Complex64, Scalar};
use crate::view::{MatrixMut, MatrixRef};

/// Types with routines in mixed precision, and those without.
pub(in crate::array::routine) trait Mixed: Scalar {
    /// True if there are any.
    const HAS_MIXED: bool;

    /// By LU, or by Cholesky's factors of the triangle named.
    fn solve_mixed(
        triangle: Option<Triangle>,
        a: MatrixMut<'_, Self>,
        b: MatrixRef<'_, Self>,
        x: MatrixMut<'_, Self>,
    ) -> Result<Refinement>;
}

macro_rules! single {
    ($($type:ty),*) => {$(
        impl Mixed for $type {
            const HAS_MIXED: bool = false;

            fn solve_mixed(
                _: Option<Triangle>,
                _: MatrixMut<'_, Self>,
                _: MatrixRef<'_, Self>,
                _: MatrixMut<'_, Self>,
            ) -> Result<Refinement> {
                Err(Error::Internal("mixed precision of single precision".to_owned()))
            }
        }
    )*};
}

macro_rules! double {
    ($($type:ty),*) => {$(
        impl Mixed for $type {
            const HAS_MIXED: bool = true;

            fn solve_mixed(
                triangle: Option<Triangle>,
                a: MatrixMut<'_, Self>,
                b: MatrixRef<'_, Self>,
                x: MatrixMut<'_, Self>,
            ) -> Result<Refinement> {
                let mut refinement = Refinement::default();
                match triangle {
                    Some(triangle) => posv_mixed(triangle, a, b, x, &mut refinement)?,
                    None => {
                        let mut pivots = vec![0; a.rows()];
                        gesv_mixed(a, &mut pivots, b, x, &mut refinement)?;
                    }
                }
                Ok(refinement)
            }
        }
    )*};
}

single!(f32, Complex32);
double!(f64, Complex64);

impl<T: Mixed> System<'_, T> {
    /// The copy of the matrices that there is, or a new one.
    fn matrices(&mut self) -> Result<Stack<T>> {
        self.copy.take().map_or_else(|| Stack::of(self.run, self.a), Ok)
    }

    /// The matrices with all of their elements, of those that name a triangle too.
    fn whole_matrices(&mut self) -> Result<Stack<T>> {
        let (symmetry, triangle) = match self.structure {
            MatrixStructure::Symmetric(triangle) => (Symmetry::Symmetric, triangle),
            MatrixStructure::Hermitian(triangle) => (Symmetry::Hermitian, triangle),
            _ => return self.matrices(),
        };
        let mut stack = self.matrices()?;
        let mirrored = mirrored(&stack.transposed()?, symmetry, triangle)?;
        stack.set_transposed(self.run, mirrored)?;
        Ok(stack)
    }

    /// Cholesky's factors of one triangle; the fallback for matrices that are not positive definite.
    pub(super) fn cholesky(&mut self, triangle: Triangle) -> Result<()> {
        if self.is_mixed {
            match self.mixed(Some(triangle)) {
                // B is as it was. The report is that of the other method.
                Err(Error::NotPositiveDefinite { .. }) if self.fallback.is_some() => {
                    (self.is_mixed, self.report.refinement) = (false, None);
                }
                result => return result,
            }
        }
        let (mut factors, count) = (self.matrices()?, self.solution.count);
        let mut info = vec![0; count];
        match count {
            1 => match posv(triangle, factors.matrix(0)?, self.solution.matrix(0)?) {
                Err(Error::NotPositiveDefinite { index }) => info[0] = index as i32,
                result => result?,
            },
            _ => posv_batched(triangle, factors.all()?, self.solution.all()?, &mut info)?,
        }
        self.solve_others(&info)
    }

    /// Solves the systems whose info is not 0, which are not positive definite, by the fallback. Their right sides are
    /// as they were; the matrices are not.
    pub(super) fn solve_others(&mut self, info: &[i32]) -> Result<()> {
        let Some(first) = info.iter().find(|info| **info > 0) else { return Ok(()) };
        let Some(fallback) = self.fallback else {
            return Err(Error::NotPositiveDefinite { index: *first as usize });
        };
        let mut matrices = match fallback {
            SolveMethod::Lu => self.whole_matrices()?,
            SolveMethod::Band { lower, upper } => {
                self.report.fallback = Some(fallback);
                self.report.fallbacks = 1;
                return self.band(lower, upper);
            }
            _ => self.matrices()?,
        };
        let mut pivots = vec![0; matrices.rows];
        for index in (0..info.len()).filter(|index| info[*index] > 0) {
            let (matrix, columns) = (matrices.matrix(index)?, self.solution.matrix(index)?);
            match fallback {
                SolveMethod::Indefinite(Symmetry::Hermitian, triangle) => hesv(triangle, matrix, &mut pivots, columns)?,
                SolveMethod::Indefinite(Symmetry::Symmetric, triangle) => sysv(triangle, matrix, &mut pivots, columns)?,
                _ => gesv(matrix, &mut pivots, columns)?,
            }
            self.report.fallbacks += 1;
        }
        self.report.fallback = Some(fallback);
        Ok(())
    }

    /// L D Lᴴ with symmetric pivoting.
    pub(super) fn indefinite(&mut self, symmetry: Symmetry, triangle: Triangle) -> Result<()> {
        let mut matrices = self.matrices()?;
        let mut pivots = vec![0; matrices.rows];
        for index in 0..self.solution.count {
            let (matrix, columns) = (matrices.matrix(index)?, self.solution.matrix(index)?);
            match symmetry {
                Symmetry::Symmetric => sysv(triangle, matrix, &mut pivots, columns)?,
                Symmetry::Hermitian => hesv(triangle, matrix, &mut pivots, columns)?,
            }
        }
        Ok(())
    }

    /// LU with partial pivoting.
    pub(super) fn lu(&mut self) -> Result<()> {
        if self.is_mixed {
            return self.mixed(None);
        }
        let mut factors = self.whole_matrices()?;
        let (n, count) = (factors.rows, factors.count);
        let mut pivots = vec![0; n * count];
        if count == 1 {
            return gesv(factors.matrix(0)?, &mut pivots, self.solution.matrix(0)?);
        }
        let mut info = vec![0; count];
        gesv_batched(factors.all()?, &mut pivots, n, self.solution.all()?, &mut info)?;
        match info.iter().find(|info| **info > 0) {
            Some(index) => Err(Error::ZeroPivot { index: *index as usize }),
            None => Ok(()),
        }
    }

    /// Factors in single precision, refined to double. After an error B is as it was.
    fn mixed(&mut self, triangle: Option<Triangle>) -> Result<()> {
        let mut matrices = if triangle.is_none() { self.whole_matrices()? } else { self.matrices()? };
        let [count, rows, columns] = [self.solution.count, self.solution.rows, self.solution.columns];
        let mut x = Stack::new(self.run, self.b, [count, rows, columns])?;
        for index in 0..count {
            let b = self.solution.matrix_ref(index)?;
            let refinement = T::solve_mixed(triangle, matrices.matrix(index)?, b, x.matrix(index)?)?;
            self.note_refinement(refinement);
        }
        self.solution = x;
        Ok(())
    }
}

/// The transposes of the symmetric or Hermitian matrices, of whose transposes one triangle is given.
fn mirrored(transposed: &Node, symmetry: Symmetry, triangle: Triangle) -> Result<Node> {
    let wrong = |kind: affinimath_array::ErrorKind| Error::Internal(kind.to_string());
    let shape = Shape::new(&transposed.shape()[1..]).map_err(wrong)?;
    // Row and column of the matrix itself.
    let (row, column) = (Node::coordinates(&shape, 1), Node::coordinates(&shape, 0));
    let is_given = row.binary(if triangle == Triangle::Lower { Binary::Ge } else { Binary::Le }, &column);
    let other = transposed.transpose_last();
    if symmetry == Symmetry::Symmetric || !transposed.element().is_complex() {
        return Ok(is_given.select(transposed, &other));
    }
    let off_diagonal = is_given.select(transposed, &other.complex(Complex::Conj));
    let real = transposed.complex(Complex::Re).convert(transposed.element());
    Ok(row.binary(Binary::Eq, &column).select(&real, &off_diagonal))
}
