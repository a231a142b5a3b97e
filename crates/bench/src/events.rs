//! Progress of a run for another process: one JSON object in each line.

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
        /// Kind of plot of the rates.
        rates: Rates,
        /// Number of cases, including skipped ones.
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
    /// See [`print`].
    pub fn print(&self) -> Result<(), BenchError> {
        let line = serde_json::to_string(self).map_err(|error| BenchError::Print(error.to_string()))?;
        print(&line)
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::example;
    use super::*;

    /// Fields of a case; numbers as text keeps them.
    fn digest(case: &CaseReport) -> String {
        let results = case.results.iter().map(|result| {
            let outcome = result.outcome.as_ref().map(|outcome| {
                let rounds = outcome.round_seconds.len();
                (format!("{:.9e} {}", outcome.rate, outcome.error), rounds, outcome.correct)
            });
            (
                result.contender.clone(),
                outcome,
                result.ratio.map(|ratio| format!("{ratio:.9e}")),
                result.failure.clone(),
            )
        });
        format!("{} {:?} {:?}", case.describe(), case.sizes, results.collect::<Vec<_>>())
    }

    #[test]
    fn a_case_comes_out_as_it_went_in() {
        let mut cases = example().cases;
        // JSON has no NaN.
        cases[0].results[0].outcome.as_mut().unwrap().error = f64::NAN;
        for case in cases {
            let line = serde_json::to_string(&Event::Case(Box::new(case.clone()))).unwrap();
            assert!(!line.contains('\n'));
            let Event::Case(back) = serde_json::from_str(&line).unwrap() else { panic!("another event") };
            assert_eq!(digest(&back), digest(&case));
        }
    }

    #[test]
    fn a_report_comes_out_as_it_went_in() {
        let event = Event::Begin { report: Box::new(example()), rates: Rates::Linear, cases: 3 };
        let back: Event = serde_json::from_str(&serde_json::to_string(&event).unwrap()).unwrap();
        let Event::Begin { report, rates: Rates::Linear, cases: 3 } = back else { panic!("another event") };
        assert_eq!(
            report.cases.iter().map(digest).collect::<Vec<_>>(),
            example().cases.iter().map(digest).collect::<Vec<_>>()
        );
        assert_eq!(format!("{:?}", report.contenders), format!("{:?}", example().contenders));
    }
}
