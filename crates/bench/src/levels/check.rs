//! Checks of results: samples against sums in double precision.

use affinimath::{Complex64, Scalar};

use super::data::{band_index, packed_index};
use super::routine::{Factor, WIDTH, wide};
use crate::contender::Accuracy;

/// The error of one element, relative to the magnitude of what was added up for it, and how large it may be.
pub type Sample = Accuracy;

/// Errors of single operations that are assumed to line up: the bound for k terms is this times sqrt(k + 2) eps.
/// Rounding errors behave like independent ones (Higham and Mary, 2019: A new approach to probabilistic rounding error
/// analysis); the bound that always holds, k eps, would let pass anything for a million terms in single precision.
const CONFIDENCE: f64 = 8.0;

/// The operands of one call, before and after it.
pub struct Seen<'a, T> {
    /// The size.
    pub n: usize,
    /// The operands before.
    pub before: &'a [Vec<T>],
    /// The operands after; those that are not written are empty.
    pub after: &'a [Vec<T>],
}

impl<T: Scalar> Seen<'_, T> {
    /// An element of a vector.
    pub fn vector(&self, operand: usize, i: usize) -> Complex64 {
        wide(self.before[operand][i])
    }

    /// An element of a vector after the call.
    pub fn new_vector(&self, operand: usize, i: usize) -> Complex64 {
        wide(self.after[operand][i])
    }

    /// An element of a matrix.
    pub fn matrix(&self, operand: usize, i: usize, j: usize) -> Complex64 {
        wide(self.before[operand][i + j * self.n])
    }

    /// An element of a matrix after the call.
    pub fn new_matrix(&self, operand: usize, i: usize, j: usize) -> Complex64 {
        wide(self.after[operand][i + j * self.n])
    }

    /// An element of a triangular matrix.
    pub fn triangle(&self, operand: usize, i: usize, j: usize) -> Complex64 {
        if i >= j { self.matrix(operand, i, j) } else { Complex64::ZERO }
    }

    /// An element of a symmetric matrix.
    pub fn symmetric(&self, operand: usize, i: usize, j: usize) -> Complex64 {
        self.matrix(operand, i.max(j), i.min(j))
    }

    /// An element of a Hermitian matrix; of a symmetric one for real types.
    pub fn hermitian(&self, operand: usize, i: usize, j: usize) -> Complex64 {
        let stored = self.symmetric(operand, i, j);
        if i < j { stored.conj() } else { stored }
    }

    /// An element of a packed lower triangle, i >= j.
    pub fn packed(&self, operand: usize, i: usize, j: usize) -> Complex64 {
        wide(self.before[operand][packed_index(self.n, i, j)])
    }

    /// An element of a packed lower triangle after the call, i >= j.
    pub fn new_packed(&self, operand: usize, i: usize, j: usize) -> Complex64 {
        wide(self.after[operand][packed_index(self.n, i, j)])
    }

    /// An element of a lower triangle of a band matrix, i >= j.
    pub fn band_triangle(&self, operand: usize, i: usize, j: usize) -> Complex64 {
        if i - j > WIDTH { Complex64::ZERO } else { wide(self.before[operand][band_index(i, j)]) }
    }

    /// An element of a band matrix.
    pub fn band(&self, operand: usize, i: usize, j: usize) -> Complex64 {
        if i.abs_diff(j) > WIDTH {
            return Complex64::ZERO;
        }
        wide(self.before[operand][WIDTH + i - j + j * (2 * WIDTH + 1)])
    }

    /// A factor of operands.
    pub fn factor(&self, factor: Factor) -> Complex64 {
        wide(factor.value::<T>())
    }

    /// The sum of `alpha` times a_k b_k over all k, and of `more`, and the found result.
    pub fn product(
        &self,
        alpha: Factor,
        terms: impl Fn(usize) -> (Complex64, Complex64),
        more: (Complex64, Complex64),
        result: Complex64,
    ) -> Sample {
        let alpha = self.factor(alpha);
        let scaled = (0..self.n).map(terms).map(|(a, b)| (alpha * a, b));
        self.compare(scaled.chain([more]), result)
    }

    /// The sum of products, and the found result.
    pub fn compare(&self, products: impl IntoIterator<Item = (Complex64, Complex64)>, result: Complex64) -> Sample {
        let (mut sum, mut magnitude, mut terms) = (Complex64::ZERO, 0.0, 0.0);
        for (a, b) in products {
            sum += a * b;
            magnitude += (a.norm_sqr() * b.norm_sqr()).sqrt();
            terms += 1.0;
        }
        self.sample((sum - result).norm(), magnitude, terms)
    }

    /// An absolute error of a sum of `terms` terms of this magnitude.
    pub fn sample(&self, error: f64, magnitude: f64, terms: f64) -> Sample {
        // An all-zero result has to be exact.
        let error = if magnitude > 0.0 { error / magnitude } else { error };
        let factor = if T::KIND.is_complex() { 2.0 * CONFIDENCE } else { CONFIDENCE };
        Sample { error, bound: factor * (terms + 2.0_f64).sqrt() * T::EPSILON }
    }

    /// The index of the first element of a vector with the largest |re| + |im|, in the precision of the type.
    pub fn first_largest(&self, operand: usize) -> usize {
        let size = |index: usize| self.before[operand][index].sum_of_moduli();
        (1..self.n).fold(0, |largest, index| if size(index) > size(largest) { index } else { largest })
    }

    /// The index of the first element of a vector with the smallest |re| + |im|, in the precision of the type.
    pub fn first_smallest(&self, operand: usize) -> usize {
        let size = |index: usize| self.before[operand][index].sum_of_moduli();
        (1..self.n).fold(0, |smallest, index| if size(index) < size(smallest) { index } else { smallest })
    }

    /// Something that has to be equal.
    pub fn equal(&self, expected: Complex64, result: Complex64) -> Sample {
        Sample { error: if expected == result { 0.0 } else { 1.0 }, bound: 0.0 }
    }
}

/// The sample that says the most against a result.
pub fn worse(one: Sample, other: Sample) -> Sample {
    // A NaN must not pass, wherever it comes.
    let excess =
        |sample: &Sample| if sample.holds() { sample.error / sample.bound.max(f64::MIN_POSITIVE) } else { f64::MAX };
    if one.error.is_nan() || (!other.error.is_nan() && excess(&one) >= excess(&other)) { one } else { other }
}
