//! Norms of distributed matrices.

use affinimath::{Norm, Scalar};

use super::matrix::DistMatrix;
use crate::error::Result;

impl<T: Scalar> DistMatrix<T> {
    /// A norm of the matrix, as LAPACK's `lange`: the same number on all ranks. NaN in the matrix is NaN in the norm.
    ///
    /// # Errors
    /// [`crate::Error::Mismatch`] if ranks disagree, else the error of the rank that failed.
    pub fn norm(&self, norm: Norm) -> Result<f64> {
        self.grid().agree(self.agreement("norm").integer("norm", i64::from(norm.code())), Ok(()))?;
        self.grid().clone().together(|| match norm {
            Norm::Max => {
                let largest = self.columns_of_moduli().flatten().fold(0.0, larger);
                Ok(self.grid().all().maximum(&[largest])?[0])
            }
            Norm::Frobenius => self.frobenius(),
            Norm::One => {
                let sums: Vec<f64> = self.columns_of_moduli().map(Iterator::sum).collect();
                let sums = self.grid().along_column().sum(&sums)?;
                Ok(self.grid().all().maximum(&[sums.into_iter().fold(0.0, larger)])?[0])
            }
            Norm::Infinity => {
                let mut sums = vec![0.0; self.local_rows()];
                for column in self.columns_of_moduli() {
                    sums.iter_mut().zip(column).for_each(|(sum, modulus)| *sum += modulus);
                }
                let sums = self.grid().along_row().sum(&sums)?;
                Ok(self.grid().all().maximum(&[sums.into_iter().fold(0.0, larger)])?[0])
            }
        })
    }

    /// Moduli of this rank's elements, column by column.
    fn columns_of_moduli(&self) -> impl Iterator<Item = impl Iterator<Item = f64> + '_> + '_ {
        let (rows, ld) = (self.local_rows(), self.leading_dimension());
        (0..self.local_columns())
            .map(move |column| self.local()[column * ld..column * ld + rows].iter().map(|element| element.modulus()))
    }

    /// The square root of the sum of squared moduli, scaled by the largest one of all ranks against overflow.
    fn frobenius(&self) -> Result<f64> {
        let largest = self.columns_of_moduli().flatten().fold(0.0, larger);
        let largest = self.grid().all().maximum(&[largest])?[0];
        if largest == 0.0 || !largest.is_finite() {
            return Ok(largest);
        }
        let sum: f64 = self.columns_of_moduli().flatten().map(|modulus| (modulus / largest).powi(2)).sum();
        Ok(largest * self.grid().all().sum(&[sum])?[0].sqrt())
    }
}

/// The larger number, or NaN.
fn larger(largest: f64, value: f64) -> f64 {
    if value > largest || value.is_nan() { value } else { largest }
}
