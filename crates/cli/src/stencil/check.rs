//! A run compared with the reference evaluator.

use super::failed;
use affinimath::stencil::reference::evaluate;
use affinimath::stencil::{Argument, Bound, Field, Outcome, Span};
use affinimath_bench::Failure;

/// Values that were compared, and those that differ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Checked {
    /// Points of all newest levels, and results.
    pub values: usize,
    /// Those whose bits are different. All NaN are equal.
    pub different: usize,
    /// The largest difference relative to the largest value of its grid.
    pub largest: f64,
}

/// Compares newest levels and results of a run from `before` with those of the reference evaluator.
pub fn compare(
    bound: &Bound,
    before: &[Field],
    after: &[Field],
    parameters: &[Argument],
    span: Span,
    outcome: &Outcome,
) -> Result<Checked, Failure> {
    let mut expected = before.to_vec();
    let mut grids: Vec<_> = expected.iter_mut().map(Field::slices).collect();
    let correct = evaluate(bound, &mut grids, parameters, span).map_err(failed)?;
    let mut checked = Checked::default();
    if (correct.steps, &correct.newest) != (outcome.steps, &outcome.newest) {
        let (own, wanted) = (outcome.steps, correct.steps);
        return Err(Failure(format!("the run ended after {own} steps, and the reference after {wanted}")));
    }
    for (index, (after, expected)) in after.iter().zip(&expected).enumerate() {
        if !bound.facts().grids[index].is_written {
            continue;
        }
        let level = outcome.newest[index];
        for component in 0..bound.stencil().grids()[index].component_count() {
            let pairs = after.values(component, level).into_iter().zip(expected.values(component, level));
            let pairs: Vec<(f64, f64)> = pairs.collect();
            checked.add(&pairs);
        }
    }
    let results = outcome.results.iter().zip(&correct.results);
    let pairs =
        results.filter_map(|(own, wanted)| own.zip(*wanted)).map(|(own, wanted)| (own.as_f64(), wanted.as_f64()));
    for pair in pairs {
        checked.add(&[pair]);
    }
    Ok(checked)
}

impl Checked {
    fn add(&mut self, pairs: &[(f64, f64)]) {
        let largest = pairs.iter().map(|pair| pair.1.abs()).fold(f64::MIN_POSITIVE, f64::max);
        for &(own, wanted) in pairs {
            self.values += 1;
            if own.to_bits() != wanted.to_bits() && !(own.is_nan() && wanted.is_nan()) {
                self.different += 1;
                let difference = (own - wanted).abs() / largest;
                // A NaN and a number have the largest difference.
                self.largest = if difference.is_nan() { f64::INFINITY } else { self.largest.max(difference) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_bits_are_counted() {
        let mut checked = Checked::default();
        checked.add(&[(1.0, 1.0), (f64::NAN, f64::NAN), (0.0, -0.0), (2.5, 2.0), (4.0, 4.0)]);
        assert_eq!((checked.values, checked.different, checked.largest), (5, 2, 0.125));
        checked.add(&[(f64::NAN, 1.0)]);
        assert_eq!((checked.different, checked.largest), (3, f64::INFINITY));
    }
}
