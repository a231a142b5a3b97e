//! Points in their order, with a rule checked as soon as its parameters have values.

use super::Parameter;
use super::rules::Rules;

/// Goes through the beginnings of points with a given length, which satisfy all rules about them.
pub(super) struct Walk<'s> {
    parameters: &'s [Parameter],
    rules: &'s Rules,
    /// Axes that keep their value, and the length of the beginnings.
    first: usize,
    end: usize,
    at: Vec<usize>,
    codes: Vec<i64>,
    axis: usize,
    state: State,
    /// Values that may still be tried.
    left: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Fresh,
    /// `at` was given, and the next one is wanted.
    Given,
    Ended,
}

impl<'s> Walk<'s> {
    /// All continuations of a beginning that is legal, up to a length.
    pub(super) fn below(parameters: &'s [Parameter], rules: &'s Rules, beginning: &[usize], end: usize) -> Self {
        let mut at = vec![0; parameters.len()];
        at[..beginning.len()].copy_from_slice(beginning);
        let codes = at.iter().zip(&rules.codes).map(|(&value, codes)| codes.get(value).copied().unwrap_or(0)).collect();
        let state = if rules.constants_hold() { State::Fresh } else { State::Ended };
        let first = beginning.len();
        Walk { parameters, rules, first, end: end.max(first), at, codes, axis: first, state, left: u64::MAX }
    }

    /// All points after a legal one.
    pub(super) fn after(parameters: &'s [Parameter], rules: &'s Rules, point: &[usize]) -> Self {
        let mut walk = Walk::below(parameters, rules, point, point.len());
        (walk.first, walk.axis) = (0, point.len().saturating_sub(1));
        if walk.state != State::Ended {
            walk.state = if point.is_empty() { State::Ended } else { State::Given };
        }
        walk
    }

    /// Ends after so many tried values.
    pub(super) fn with_limit(mut self, values: u64) -> Self {
        self.left = values;
        self
    }

    /// True if the limit ended it.
    pub(super) const fn is_cut(&self) -> bool {
        self.left == 0
    }

    /// The next beginning; its values from the length on mean nothing.
    pub(super) fn next(&mut self) -> Option<&[usize]> {
        match self.state {
            State::Ended => return None,
            // One beginning: the given one.
            State::Fresh if self.end == self.first => {
                self.state = State::Ended;
                return Some(&self.at);
            }
            State::Fresh => self.at[self.axis] = 0,
            State::Given => self.at[self.axis] += 1,
        }
        loop {
            let axis = self.axis;
            let Some(&code) = self.rules.codes[axis].get(self.at[axis]) else {
                if axis == self.first {
                    self.state = State::Ended;
                    return None;
                }
                self.axis -= 1;
                self.at[self.axis] += 1;
                continue;
            };
            self.codes[axis] = code;
            self.left -= 1;
            if self.left == 0 {
                self.state = State::Ended;
                return None;
            }
            if !self.rules.hold_at(axis, self.parameters, &self.at, &self.codes) {
                self.at[axis] += 1;
            } else if axis + 1 == self.end {
                self.state = State::Given;
                return Some(&self.at);
            } else {
                self.axis += 1;
                self.at[self.axis] = 0;
            }
        }
    }
}
