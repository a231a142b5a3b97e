//! What a run tells another process as it goes: a JSON object a line.

use serde::{Deserialize, Serialize};

use super::error::BenchError;
use super::plot::Rates;
use super::print;
use super::report::{CaseReport, Report};

/// A step of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event", content = "of")]
pub enum Event {
    /// Everything is loaded.
    Begin {
        /// Without cases yet.
        report: Box<Report>,
        /// How its rates are drawn.
        rates: Rates,
        /// How many cases there are, those that are skipped among them.
        cases: usize,
    },
    /// A contender's turn begins.
    Turn {
        /// The case in a few words.
        case: String,
        /// The contender's name.
        contender: String,
    },
    /// A case is done.
    Case(Box<CaseReport>),
    /// A case could not be prepared for anybody.
    LeftOut {
        /// The case in a few words.
        case: String,
        /// Why.
        reason: String,
    },
    /// The run cannot begin.
    Refused {
        /// The contender that is the reason, if one is.
        peer: Option<String>,
        /// Why.
        reason: String,
    },
    /// There is nothing more to do, or no more time.
    End,
}

impl Event {
    /// Tells it.
    ///
    /// # Errors
    /// As [`print`].
    pub fn print(&self) -> Result<(), BenchError> {
        let line = serde_json::to_string(self).map_err(|error| BenchError::Print(error.to_string()))?;
        print(&line)
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::example;
    use super::*;

    #[test]
    fn a_case_comes_out_as_it_went_in() {
        let mut cases = example().cases;
        // JSON has no NaN.
        cases[0].results[0].outcome.as_mut().unwrap().error = f64::NAN;
        for case in cases {
            let line = serde_json::to_string(&Event::Case(Box::new(case.clone()))).unwrap();
            assert!(!line.contains('\n'));
            let Event::Case(back) = serde_json::from_str(&line).unwrap() else { panic!("another event") };
            assert_eq!(format!("{back:?}"), format!("{case:?}"));
        }
    }

    #[test]
    fn a_report_comes_out_as_it_went_in() {
        let event = Event::Begin { report: Box::new(example()), rates: Rates::Linear, cases: 3 };
        let back: Event = serde_json::from_str(&serde_json::to_string(&event).unwrap()).unwrap();
        assert_eq!(format!("{back:?}"), format!("{event:?}"));
    }
}
