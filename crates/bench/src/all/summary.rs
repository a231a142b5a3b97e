//! Summary: ratios to peers, and cases in which our library is slower.

use serde::Serialize;

use super::model::RunReport;
use super::plan::Family;
use crate::report::CaseReport;
use crate::table::geometric_mean;

/// Our rates divided by a peer's, over the cases of a family on a place that both did right.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The place's number.
    pub backend: usize,
    /// The family.
    pub family: Family,
    /// The peer.
    pub peer: String,
    /// Number of cases.
    pub cases: usize,
    /// The geometric mean of the ratios.
    pub mean: f64,
    /// The least ratio.
    pub min: f64,
    /// The largest ratio.
    pub max: f64,
}

/// A case in which a peer is faster.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shortfall {
    /// The place's number.
    pub backend: usize,
    /// The family.
    pub family: Family,
    /// The case in a few words.
    pub case: String,
    /// The peer.
    pub peer: String,
    /// Our rate divided by its.
    pub ratio: f64,
    /// Our rate.
    pub ours: f64,
    /// Its rate.
    pub theirs: f64,
    /// The unit of both.
    pub unit: String,
}

/// The ratio to a contender in a case that both did right.
fn ratio(case: &CaseReport, contender: usize) -> Option<f64> {
    if !case.is_right(0) || !case.is_right(contender) {
        return None;
    }
    case.results[contender].ratio.filter(|ratio| ratio.is_finite() && *ratio > 0.0)
}

/// The comparisons in the order of the runs, and the shortfalls, the worst first.
pub fn of(runs: &[RunReport]) -> (Vec<Comparison>, Vec<Shortfall>) {
    let (mut comparisons, mut shortfalls) = (Vec::new(), Vec::new());
    for run in runs {
        let Some(report) = &run.report else { continue };
        for (index, peer) in report.contenders.iter().enumerate().skip(1) {
            let compared = report.cases.iter().filter_map(|case| Some((case, ratio(case, index)?)));
            let compared: Vec<(&CaseReport, f64)> = compared.collect();
            let ratios = || compared.iter().map(|(_, ratio)| *ratio);
            if !compared.is_empty() {
                comparisons.push(Comparison {
                    backend: run.backend,
                    family: run.family,
                    peer: peer.name.clone(),
                    cases: compared.len(),
                    mean: geometric_mean(ratios()),
                    min: ratios().fold(f64::INFINITY, f64::min),
                    max: ratios().fold(0.0, f64::max),
                });
            }
            let rate = |case: &CaseReport, contender: usize| {
                case.results[contender].outcome.as_ref().map_or(f64::NAN, |outcome| outcome.rate)
            };
            shortfalls.extend(compared.iter().filter(|(_, ratio)| *ratio < 1.0).map(|(case, ratio)| Shortfall {
                backend: run.backend,
                family: run.family,
                case: case.describe(),
                peer: peer.name.clone(),
                ratio: *ratio,
                ours: rate(case, 0),
                theirs: rate(case, index),
                unit: report.unit.clone(),
            }));
        }
    }
    shortfalls.sort_by(|one, other| one.ratio.total_cmp(&other.ratio));
    (comparisons, shortfalls)
}

#[cfg(test)]
mod tests {
    use super::super::model::tests::example;
    use affinimath_testing::assert_close;

    #[test]
    fn comparisons_are_of_cases_that_both_did_right() {
        let mut report = example();
        // The first peer was wrong at one case, and absent at another.
        assert_eq!(report.comparisons.len(), 2);
        assert_eq!((report.comparisons[0].cases, report.comparisons[1].cases), (1, 3));
        assert_close!(report.comparisons[1].mean, 50.0, 1e-9);
        assert!(report.shortfalls.is_empty());

        let cases = &mut report.runs[0].report.as_mut().unwrap().cases;
        for (case, ratio) in cases.iter_mut().zip([0.9, 2.0, 0.5]) {
            case.results[2].ratio = Some(ratio);
        }
        let (comparisons, shortfalls) = super::of(&report.runs);
        let slow = &comparisons[1];
        assert_close!(slow.mean, 0.9_f64.cbrt(), 1e-12);
        assert!(slow.min == 0.5 && slow.max == 2.0);
        let worst: Vec<(f64, &str)> = shortfalls.iter().map(|case| (case.ratio, case.case.as_str())).collect();
        assert_eq!(worst, [(0.5, "Sgemm nn 1024x1024x1024"), (0.9, "Sgemm nn 256x256x256")]);
    }
}
