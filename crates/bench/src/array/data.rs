//! Operands of a case, and sampled results in double precision.

use affinimath::{Complex64, Scalar};

use super::case::{Case, Operation};
use crate::contender::Accuracy;
use crate::error::BenchError;
use crate::random::Random;

/// Scalars of the Black-Scholes formula.
pub const RATE: f64 = 0.02;
pub const VOLATILITY: f64 = 0.3;

/// Prices and times: a uniform value between -0.5 and 0.5, times the first number, plus the second.
const MARKET: [(f64, f64); 3] = [(40.0, 100.0), (40.0, 100.0), (1.8, 1.1)];

/// An upper bound of the prices.
const LARGEST_PRICE: f64 = 120.0;

/// Results of each output that are compared.
const SAMPLES: usize = 1024;

/// Operands of a case.
pub struct Data<T> {
    pub case: Case,
    /// Row-major elements of each operand.
    pub operands: Vec<Vec<T>>,
}

/// An expected result.
struct Expected {
    value: Complex64,
    /// Magnitude of what it is computed from.
    scale: f64,
}

impl Expected {
    /// A result of functions whose values are about 1.
    fn near_one(value: impl Into<Complex64>) -> Self {
        let value = value.into();
        Expected { value, scale: value.norm().max(1.0) }
    }
}

/// The largest relative error that a case's results may have in a precision with this distance from 1 to the next
/// number.
///
/// A sum of m terms in any order has an error of about sqrt(m) roundings of the terms' magnitudes (Higham and Mary
/// 2019); four times that is far in the tail. The rest is some roundings, and a few units of functions.
pub fn bound(case: &Case, epsilon: f64) -> f64 {
    let root = |terms: usize| 4.0 * (terms as f64).sqrt();
    let roundings = match case.operation {
        Operation::Dot | Operation::CumSum => 16.0 + root(case.elements()),
        Operation::RowSums | Operation::Softmax => 16.0 + root(case.shape[1]),
        Operation::ColumnSums => 16.0 + root(case.shape[0]),
        Operation::BlackScholes | Operation::FirstCall => 64.0,
        _ => 16.0,
    };
    roundings * epsilon
}

impl<T: Scalar> Data<T> {
    /// Random operands: uniform between -0.5 and 0.5, of Black-Scholes prices and times.
    ///
    /// # Errors
    /// [`BenchError::Memory`], where the host's memory does not hold as many `copies`.
    pub fn random(case: &Case, copies: usize) -> Result<Self, BenchError> {
        require_memory(case, copies + 1)?;
        let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
        let mut operands: Vec<Vec<T>> = (0..case.operands()).map(|_| random.elements(case.elements())).collect();
        if matches!(case.operation, Operation::BlackScholes | Operation::FirstCall) {
            for (operand, (factor, shift)) in operands.iter_mut().zip(MARKET) {
                operand.iter_mut().for_each(|x| *x = T::from_parts(x.re() * factor + shift, 0.0));
            }
        }
        Ok(Data { case: case.clone(), operands })
    }

    /// The largest error of sampled results, each relative to the magnitude of what it is computed from.
    pub fn accuracy(&self, outputs: &[Vec<T>]) -> Accuracy {
        let bound = bound(&self.case, T::EPSILON);
        let length: usize = outputs.iter().map(Vec::len).sum();
        let expected =
            if self.case.operation == Operation::NewShape { super::case::EXTENTS[0] } else { self.case.results() };
        if length != expected {
            return Accuracy { error: f64::NAN, bound };
        }
        let mut largest: f64 = 0.0;
        for (number, output) in outputs.iter().enumerate() {
            let positions = positions(output.len());
            for (position, expected) in positions.iter().zip(self.expected(number, &positions)) {
                let found = Complex64::new(output[*position].re(), output[*position].im());
                let error = (found - expected.value).norm() / expected.scale;
                // A NaN stays.
                largest = if error <= largest { largest } else { error };
            }
        }
        Accuracy { error: largest, bound }
    }

    fn at(&self, operand: usize, index: usize) -> Complex64 {
        let x = self.operands[operand][index];
        Complex64::new(x.re(), x.im())
    }

    fn real(&self, operand: usize, index: usize) -> f64 {
        self.operands[operand][index].re()
    }

    /// The results of an output at ascending positions.
    fn expected(&self, output: usize, positions: &[usize]) -> Vec<Expected> {
        if self.case.operation == Operation::CumSum {
            return self.cumulative(positions);
        }
        positions.iter().map(|index| self.result(output, *index)).collect()
    }

    fn cumulative(&self, positions: &[usize]) -> Vec<Expected> {
        let (mut sum, mut scale, mut next) = (0.0, 0.0, 0);
        let mut results = Vec::with_capacity(positions.len());
        for &position in positions {
            for x in &self.operands[0][next..=position] {
                sum += x.re();
                scale += x.re().abs();
            }
            next = position + 1;
            results.push(Expected { value: sum.into(), scale });
        }
        results
    }

    fn result(&self, output: usize, index: usize) -> Expected {
        let columns = *self.case.shape.last().expect("an operand has an axis");
        let (row, column) = (index / columns, index % columns);
        let x = |index: usize| self.real(0, index);
        match self.case.operation {
            Operation::Copy => Expected::near_one(self.at(0, index)),
            Operation::Axpy => Expected::near_one(2.5 * x(index) + self.real(1, index)),
            Operation::Sqrt | Operation::Small | Operation::NewShape => {
                Expected::near_one(2.5 * x(index) + self.real(1, index).abs().sqrt())
            }
            Operation::Exp => Expected::near_one(x(index).exp()),
            Operation::Sin => Expected::near_one(x(index).sin()),
            Operation::NormCdf => Expected::near_one(normcdf(x(index))),
            Operation::Dot => sum((0..self.case.elements()).map(|i| x(i) * self.real(1, i))),
            Operation::RowSums => sum((0..columns).map(|j| x(index * columns + j))),
            Operation::ColumnSums => sum((0..self.case.shape[0]).map(|i| x(i * columns + index))),
            Operation::Transpose => Expected::near_one(x(index) + self.real(1, column * columns + row)),
            Operation::Rows => {
                let first = 2 * row * columns + column;
                Expected::near_one(x(first) + self.real(1, first + columns))
            }
            Operation::Strided => Expected::near_one(x(2 * index) + self.real(1, 2 * index + 1)),
            Operation::CumSum => sum((0..=index).map(x)),
            Operation::BlackScholes | Operation::FirstCall => self.price(output, index),
            Operation::Softmax => {
                let row = row * columns..(row + 1) * columns;
                let top = row.clone().map(x).fold(f64::NEG_INFINITY, f64::max);
                let total: f64 = row.map(|i| (x(i) - top).exp()).sum();
                let value = (x(index) - top).exp() / total;
                Expected { value: value.into(), scale: value }
            }
            Operation::Heat => {
                let inside = |i: usize, extent: usize| i > 0 && i + 1 < extent;
                let is_interior = inside(row, self.case.shape[0]) && inside(column, columns);
                let mean = || (x(index - columns) + x(index + columns) + x(index - 1) + x(index + 1)) / 4.0;
                Expected::near_one(if is_interior { mean() } else { x(index) })
            }
            Operation::Select => {
                let y = self.real(1, index);
                Expected::near_one(if x(index) > 0.0 && y < 0.25 { x(index) * y } else { y })
            }
            Operation::Complex => Expected::near_one(self.at(0, index) * self.at(1, index)),
        }
    }

    fn price(&self, output: usize, index: usize) -> Expected {
        let [spot, strike, years] = [0, 1, 2].map(|operand| self.real(operand, index));
        let spread = VOLATILITY * years.sqrt();
        let d1 = ((spot / strike).ln() + (RATE + 0.5 * VOLATILITY * VOLATILITY) * years) / spread;
        let (d2, discounted) = (d1 - spread, strike * (-RATE * years).exp());
        let price = match output {
            0 => spot * normcdf(d1) - discounted * normcdf(d2),
            _ => discounted * normcdf(-d2) - spot * normcdf(-d1),
        };
        Expected { value: price.into(), scale: LARGEST_PRICE }
    }
}

/// Fails where the host's memory does not hold as many copies of the operands and results.
pub fn require_memory(case: &Case, copies: usize) -> Result<(), BenchError> {
    let elements = case.operands() * case.elements() + case.results();
    let needed = (elements * case.element_bytes()).saturating_mul(copies) as u64;
    let available = crate::memory::available().unwrap_or(u64::MAX);
    if needed > available {
        return Err(BenchError::Memory { what: case.report().describe(), needed, available });
    }
    Ok(())
}

/// Ascending positions in an output, the first and the last among them.
fn positions(length: usize) -> Vec<usize> {
    let count = length.min(SAMPLES);
    (0..count)
        .map(|i| if count == 1 { 0 } else { (i as u128 * (length - 1) as u128 / (count - 1) as u128) as usize })
        .collect()
}

fn sum(terms: impl Iterator<Item = f64>) -> Expected {
    let (value, scale) = terms.fold((0.0, 0.0), |(sum, scale), term| (sum + term, scale + term.abs()));
    Expected { value: value.into(), scale }
}

/// The distribution function of the standard normal distribution, by the series of Marsaglia (2004), whose terms have
/// one sign: for |x| up to 6.
fn normcdf(x: f64) -> f64 {
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term.abs() > f64::EPSILON * sum.abs() / 16.0 {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    0.5 + sum * (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt()
}

#[cfg(test)]
mod tests {
    use affinimath::ScalarKind;
    use affinimath_testing::assert_close;

    use super::*;

    #[test]
    fn the_normal_distribution_has_its_known_values() {
        for (x, value) in [(0.0, 0.5), (1.0, 0.841_344_746_068_542_9), (-3.0, 0.001_349_898_031_630_094_6)] {
            assert_close!(normcdf(x), value, 1e-15);
        }
    }

    #[test]
    fn samples_have_both_ends() {
        assert_eq!(positions(1), [0]);
        assert_eq!(positions(3), [0, 1, 2]);
        let many = positions(1 << 26);
        assert_eq!((many.len(), many[0], many[SAMPLES - 1]), (SAMPLES, 0, (1 << 26) - 1));
        assert!(many.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn wrong_results_and_results_that_are_no_numbers_are_found() {
        let case = &Case::of(Operation::Axpy, ScalarKind::D, &[100])[0];
        let data = Data::<f64>::random(case, 1).unwrap();
        let right: Vec<f64> = (0..100).map(|i| 2.5 * data.operands[0][i] + data.operands[1][i]).collect();
        assert!(data.accuracy(std::slice::from_ref(&right)).holds());
        for wrong in [0.5, f64::NAN] {
            let mut results = right.clone();
            results[99] = wrong;
            assert!(!data.accuracy(&[results]).holds());
        }
        assert!(!data.accuracy(&[right[1..].to_vec()]).holds());
    }
}
