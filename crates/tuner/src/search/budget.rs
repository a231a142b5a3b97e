//! Budgets of searches.

use std::str::FromStr;
use std::time::Duration;

/// When a search ends, if it has not been through the space before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// After so many measurements.
    Evaluations(usize),
    /// After so long.
    Time(Duration),
}

impl Budget {
    /// True if it is used up.
    pub fn is_spent(&self, evaluations: usize, time: Duration) -> bool {
        match *self {
            Budget::Evaluations(most) => evaluations >= most,
            Budget::Time(most) => time >= most,
        }
    }

    /// A part of it, which is not nothing.
    #[must_use]
    pub fn share(&self, part: f64) -> Self {
        match *self {
            Budget::Evaluations(most) => Budget::Evaluations(((most as f64 * part).round() as usize).max(1)),
            Budget::Time(most) => Budget::Time(most.mul_f64(part)),
        }
    }
}

/// `200` for measurements, `90s` for seconds.
impl FromStr for Budget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("'{text}' is neither a number of measurements, such as 200, nor one of seconds, such as 90s");
        match text.strip_suffix('s') {
            Some(seconds) => {
                let seconds = seconds.parse::<f64>().ok().and_then(|value| Duration::try_from_secs_f64(value).ok());
                seconds.filter(|time| !time.is_zero()).map(Budget::Time).ok_or_else(wrong)
            }
            None => text.parse().ok().filter(|count| *count > 0).map(Budget::Evaluations).ok_or_else(wrong),
        }
    }
}
