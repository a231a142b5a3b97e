//! A matrix's entries as a dense matrix.

use super::{Coordinates, Symmetry, Values};
use crate::{Error, Result, Scalar};

impl Coordinates {
    /// All `rows * columns` elements, by columns. Duplicate entries are added; a pattern's entries are ones.
    ///
    /// # Errors
    /// Errors of a failed allocation, and of a complex matrix with a real `T`.
    pub fn to_dense<T: Scalar>(&self) -> Result<Vec<T>> {
        if self.is_complex() && !T::KIND.is_complex() {
            return Err(Error::argument("T", "the matrix is complex: use a complex type"));
        }
        let mut dense = zeros(self.rows, self.columns)?;
        match &self.values {
            Values::Real(values) => self.scatter(values.iter().map(|value| T::from_parts(*value, 0.0)), &mut dense),
            Values::Complex(values) => {
                self.scatter(values.iter().map(|value| T::from_parts(value.re, value.im)), &mut dense);
            }
            Values::Pattern => self.scatter(std::iter::repeat(T::ONE), &mut dense),
        }
        Ok(dense)
    }

    fn scatter<T: Scalar>(&self, values: impl Iterator<Item = T>, dense: &mut [T]) {
        let rows = self.rows;
        for ((row, column), value) in self.entry_positions().zip(values) {
            dense[row + column * rows] += value;
            if row == column {
                continue;
            }
            match self.symmetry {
                Symmetry::General => {}
                Symmetry::Symmetric => dense[column + row * rows] += value,
                Symmetry::SkewSymmetric => dense[column + row * rows] += -value,
                Symmetry::Hermitian => dense[column + row * rows] += value.conjugate(),
            }
        }
    }
}

fn zeros<T: Scalar>(rows: usize, columns: usize) -> Result<Vec<T>> {
    let elements = rows as u128 * columns as u128;
    let mut dense = Vec::new();
    let room = usize::try_from(elements).ok().and_then(|elements| dense.try_reserve_exact(elements).ok());
    if room.is_none() {
        let bytes = u64::try_from(elements * size_of::<T>() as u128).unwrap_or(u64::MAX);
        return Err(Error::OutOfHostMemory { bytes, purpose: "a dense matrix" });
    }
    dense.resize(rows * columns, T::ZERO);
    Ok(dense)
}
