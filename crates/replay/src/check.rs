//! Results of a replay against those that were recorded.

use std::fmt;

use affinimath_trace::{Comparison, Tolerance};

/// A memory object after a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgumentCheck {
    /// Index of the first argument that it is.
    pub argument: usize,
    /// Name of the argument for a person: `'x' (argument 3)`.
    pub name: String,
    /// Comparison with the recorded result.
    pub comparison: Comparison,
}

/// Comparison of all memory that a launch may have changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Check {
    /// Memory objects in the order of the arguments.
    pub arguments: Vec<ArgumentCheck>,
    /// Names of memory whose result was not recorded.
    pub unchecked: Vec<String>,
}

impl Check {
    /// True if no element is farther from the recorded one than the tolerance says. Without any recorded result it is
    /// false: nothing was checked.
    pub fn within(&self, tolerance: Tolerance) -> bool {
        let all = self.arguments.iter().all(|argument| argument.comparison.within(tolerance));
        all && !self.arguments.is_empty()
    }

    /// First memory object that is not within a tolerance.
    pub fn first_beyond(&self, tolerance: Tolerance) -> Option<&ArgumentCheck> {
        self.arguments.iter().find(|argument| !argument.comparison.within(tolerance))
    }
}

impl fmt::Display for ArgumentCheck {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Comparison { elements, different, first, worst, relative } = &self.comparison;
        write!(formatter, "{}: ", self.name)?;
        let (Some(first), Some(worst)) = (first, worst) else {
            return write!(formatter, "{elements} elements, all equal");
        };
        write!(
            formatter,
            "{different} of {elements} elements differ, relative to the largest {relative:.1e}; {first}"
        )?;
        if worst.index != first.index || worst.is_imaginary != first.is_imaginary {
            write!(formatter, "; worst, {worst}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Check {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, argument) in self.arguments.iter().enumerate() {
            write!(formatter, "{}{argument}", if index > 0 { "\n" } else { "" })?;
        }
        if self.arguments.is_empty() {
            formatter.write_str("no result was recorded")?;
        }
        Ok(())
    }
}
