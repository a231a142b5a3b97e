//! The operands of a case: the same for every contender, which each work on a copy of their own.

use affinimath::{Complex64, Scalar};

use super::check::{Sample, Seen, worse};
use super::routine::{Action, Form, Routine, WIDTH};
use crate::contender::Accuracy;
use crate::error::BenchError;
use crate::memory;
use crate::random::Random;

/// A routine's operands for one size, as they are before a call.
pub struct Data<T: Scalar> {
    /// The routine.
    pub routine: &'static Routine<T>,
    /// The size of all operands.
    pub n: usize,
    /// Their elements.
    pub operands: Vec<Vec<T>>,
}

/// Results of a call.
pub struct Results<T> {
    /// The operands that it writes; the others are empty.
    pub operands: Vec<Vec<T>>,
    /// The scalar result; 0 if there is none.
    pub number: Complex64,
}

/// Elements of a result that are checked, and its corners in addition.
const SAMPLES: usize = 28;

impl<T: Scalar> Data<T> {
    /// Random operands; each of the `contenders` gets a copy.
    ///
    /// # Errors
    /// [`BenchError::Memory`].
    pub fn random(routine: &'static Routine<T>, n: usize, contenders: usize) -> Result<Self, BenchError> {
        let needed = bytes(routine, n, contenders + 1).unwrap_or(u64::MAX);
        // No limit where the system does not tell.
        let available = memory::available().unwrap_or(u64::MAX);
        if needed > available {
            let what = format!("{}{} of size {n}", T::KIND.letter(), routine.label());
            return Err(BenchError::Memory { what, needed, available });
        }
        let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
        let operands = routine.operands.iter().map(|operand| elements(operand.form, n, &mut random));
        Ok(Data { routine, n, operands: operands.collect() })
    }

    /// Largest error of the samples.
    pub fn accuracy(&self, results: &Results<T>) -> Accuracy {
        let seen = Seen { n: self.n, before: &self.operands, after: &results.operands };
        match &self.routine.action {
            Action::Reduce { check, .. } => check(&seen, results.number),
            Action::Update { check, .. } => {
                let samples = self.sampled_elements().map(|(i, j)| check(&seen, i, j));
                samples.reduce(worse).unwrap_or(Sample { error: f64::NAN, bound: 0.0 })
            }
        }
    }

    /// The elements of the result that are looked at: its corners, and some anywhere.
    fn sampled_elements(&self) -> impl Iterator<Item = (usize, usize)> {
        let written = self.routine.outputs().next().map(|output| self.routine.operands[output].form);
        let (rows, columns) = written.unwrap_or(Form::Vector).extents(self.n);
        let mut random = Random::new(0xD1B5_4A32_D192_ED03);
        let anywhere = (0..SAMPLES).map(move |_| (random.below(rows), random.below(columns)));
        [(0, 0), (rows - 1, 0), (0, columns - 1), (rows - 1, columns - 1)].into_iter().chain(anywhere)
    }
}

fn bytes<T: Scalar>(routine: &Routine<T>, n: usize, copies: usize) -> Option<u64> {
    let sizes = routine.operands.iter().map(|operand| operand.form.stored(n));
    let elements = sizes.sum::<Option<usize>>()?;
    (elements as u64).checked_mul(T::KIND.bytes() as u64)?.checked_mul(copies as u64)
}

fn elements<T: Scalar>(form: Form, n: usize, random: &mut Random) -> Vec<T> {
    let mut elements: Vec<T> = random.elements(form.stored(n).expect("what fits in memory can be counted"));
    match form {
        Form::Vector | Form::General | Form::Band => {}
        Form::Triangle => (0..n).for_each(|i| real(&mut elements[i + i * n])),
        Form::Packed => (0..n).for_each(|j| real(&mut elements[packed_index(n, j, j)])),
        Form::BandTriangle => (0..n).for_each(|j| real(&mut elements[j * (WIDTH + 1)])),
        Form::PackedFactor => averaging(&mut elements, n, 0.5, n, |i, j| packed_index(n, i, j)),
        Form::PackedDivisor => averaging(&mut elements, n, 2.0, n, |i, j| packed_index(n, i, j)),
        Form::BandFactor => averaging(&mut elements, n, 0.5, WIDTH, band_index),
        Form::BandDivisor => averaging(&mut elements, n, 2.0, WIDTH, band_index),
        Form::Factor => steady(&mut elements, n, 0.5),
        Form::Divisor => steady(&mut elements, n, 2.0),
    }
    elements
}

/// Element (i, j) of a packed lower triangle.
pub const fn packed_index(n: usize, i: usize, j: usize) -> usize {
    i + j * (2 * n - j - 1) / 2
}

/// Element (i, j) of a lower triangle of a band.
pub const fn band_index(i: usize, j: usize) -> usize {
    i - j + j * (WIDTH + 1)
}

fn real<T: Scalar>(element: &mut T) {
    *element = T::from_parts(element.re(), 0.0);
}

/// Makes a lower triangle one that can be applied, or whose inverse can, thousands of times: one eigenvalue is exactly
/// 1, and the others, which lie around `others`, die out. What remains is an eigenvector without zeros.
fn steady<T: Scalar>(elements: &mut [T], n: usize, others: f64) {
    let small = T::RealScalar::from_parts(1.0 / n as f64, 0.0);
    for j in 0..n {
        for element in &mut elements[j * n + j..(j + 1) * n] {
            *element = element.scaled(small);
        }
        let diagonal = &mut elements[j * n + j];
        *diagonal = if j == 0 { T::ONE } else { T::from_parts(others, 0.0) + *diagonal };
    }
}

/// Makes a lower triangle with `width` diagonals below the main one safe to apply, or to solve with, thousands of
/// times.
///
/// Its first diagonal element is 1, and the others are `others`. The rest of a row sums up to 1 - `others`, but for
/// signs or turns by right angles. So what remains is an eigenvector whose elements all have the same modulus.
fn averaging<T: Scalar>(
    elements: &mut [T],
    n: usize,
    others: f64,
    width: usize,
    index: impl Fn(usize, usize) -> usize,
) {
    let turn = |distance: usize| match (T::KIND.is_complex(), distance % 4) {
        (_, 0) => (1.0, 0.0),
        (_, 2) if T::KIND.is_complex() => (-1.0, 0.0),
        (true, 1) => (0.0, 1.0),
        (true, _) => (0.0, -1.0),
        (false, distance) => (if distance == 2 { 1.0 } else { -1.0 }, 0.0),
    };
    for i in 0..n {
        let first = i.saturating_sub(width);
        let weight = |element: &T| 0.5 + element.re().abs();
        let sum: f64 = (first..i).map(|j| weight(&elements[index(i, j)])).sum();
        for j in first..i {
            let size = (1.0 - others) * weight(&elements[index(i, j)]) / sum;
            let (re, im) = turn(i - j);
            elements[index(i, j)] = T::from_parts(size * re, size * im);
        }
        elements[index(i, i)] = T::from_parts(if i == 0 { 1.0 } else { others }, 0.0);
    }
}
