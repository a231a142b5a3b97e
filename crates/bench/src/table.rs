//! The table: a heading with the conditions, and a row for each case, which can be printed as it comes.

use std::collections::BTreeSet;

use super::report::{CaseReport, ContenderFacts, Outcome, Report};
use super::target::MemoryChoice;

/// The columns of a run.
pub struct Table {
    operation: String,
    /// The column that tells cases of one type and size apart: its name, and its width.
    label: (&'static str, usize),
    sizes: Vec<(&'static str, usize)>,
    peers: Vec<(String, usize)>,
    first_call: bool,
    /// True if the memory's rate has a column.
    bandwidth: bool,
    /// True if the time of a call and the part of a copy's rate have columns.
    times: bool,
}

/// Width of a rate, such as `12345.6`.
const RATE: usize = 9;

impl Table {
    /// The columns for the report's contenders, wide enough for labels up to this width and sizes up to these.
    pub fn new(
        report: &Report,
        label: (&'static str, usize),
        largest: &[(&'static str, usize)],
        first_call: bool,
    ) -> Self {
        let peers = report.contenders[1..].iter().map(|peer| (peer.name.clone(), peer.name.len().max(RATE)));
        Table {
            operation: report.operation.clone(),
            label: (label.0, label.1.max(label.0.len())),
            sizes: largest.iter().map(|(name, size)| (*name, size.to_string().len().max(name.len()))).collect(),
            peers: peers.collect(),
            first_call,
            bandwidth: false,
            times: false,
        }
    }

    /// With the time of a call, and the rate as a part of a copy's.
    pub fn with_times(self) -> Self {
        Table { times: true, ..self }
    }

    /// With the memory's rate.
    pub fn with_memory(self) -> Self {
        Table { bandwidth: true, ..self }
    }

    /// The columns for cases that are batches: their sizes in one column, how many there are, and the memory's rate.
    pub fn of_batches<'a>(self, cases: impl Iterator<Item = &'a CaseReport>) -> Self {
        let names = ["n", "batch"];
        let mut widths = names.map(str::len);
        for text in cases.map(CaseReport::size_texts) {
            widths.iter_mut().zip(&text).for_each(|(width, text)| *width = text.len().max(*width));
        }
        Table { sizes: names.into_iter().zip(widths).collect(), bandwidth: true, ..self }
    }

    /// Operation, target and peers.
    pub fn heading(&self, report: &Report) -> String {
        let memory = if report.memory == MemoryChoice::Host { "the host's" } else { "the device's" };
        let mut lines = vec![
            format!("{} in {}, the median over rounds; operands in {memory} memory", report.operation, report.unit),
            format!("affinimath {} on {}", report.affinimath, report.target),
        ];
        lines.extend(report.contenders[1..].iter().map(|peer| describe(peer, report.memory)));
        lines.extend(report.notes.iter().cloned());
        // Half a processor's worth of other work already shows in the figures.
        if let Some(load) = report.host_load.filter(|load| *load > 0.5) {
            lines.push(format!("the machine was busy before the run (load {load}): compare ratios, not rates"));
        }
        lines.join("\n")
    }

    /// The names of the columns.
    pub fn columns(&self) -> String {
        let (label, width) = self.label;
        let mut line = format!("type  {label:<width$}");
        for (name, width) in &self.sizes {
            line += &format!("  {name:>width$}");
        }
        if self.times {
            line += &format!("  {:>9}", "time");
        }
        line += &format!("  {:>10}  {:>17}", "affinimath", "min..max");
        if self.times {
            line += &format!("  {:>7}", "of copy");
        }
        if self.bandwidth {
            line += &format!("  {:>7}", "GB/s");
        }
        if self.first_call {
            line += &format!("  {:>13}", "first call ms");
        }
        for (name, width) in &self.peers {
            line += &format!("  {name:>width$}  {:>6}", "ratio");
        }
        line + &format!("  {:>7}", "error")
    }

    /// A case's row. `!` marks a wrong result, `-` one that could not be measured.
    pub fn row(&self, case: &CaseReport) -> String {
        let width = self.label.1;
        let mut line = format!("{:<4}  {:<width$}", case.kind.letter(), case.label(&self.operation));
        for (size, (_, width)) in case.size_texts().iter().zip(&self.sizes) {
            line += &format!("  {size:>width$}");
        }
        let ours = case.results.first().and_then(|result| result.outcome.as_ref());
        let range = ours.map_or("-".to_owned(), |o| format!("{}..{}", digits(o.rate_min), digits(o.rate_max)));
        if self.times {
            line += &format!("  {:>9}", ours.map_or("-".to_owned(), |outcome| duration(outcome.median_seconds)));
        }
        line += &format!("  {:>10}  {range:>17}", rate(ours));
        if self.times {
            line += &format!("  {:>7}", ours.and_then(|outcome| outcome.of_copy).map_or("-".to_owned(), digits));
        }
        if self.bandwidth {
            line += &format!("  {:>7}", ours.and_then(|outcome| outcome.bandwidth).map_or("-".to_owned(), digits));
        }
        if self.first_call {
            let first = ours.map_or("-".to_owned(), |outcome| format!("{:.2}", outcome.first_call_seconds * 1e3));
            line += &format!("  {first:>13}");
        }
        for ((_, width), result) in self.peers.iter().zip(case.results.iter().skip(1)) {
            let ratio = result.ratio.map_or("-".to_owned(), |ratio| format!("{}x", digits(ratio)));
            line += &format!("  {:>width$}  {ratio:>6}", rate(result.outcome.as_ref()));
        }
        line + &format!("  {:>7}", ours.map_or("-".to_owned(), |outcome| format!("{:.1e}", outcome.error)))
    }

    /// Legend of the marks in the rows.
    pub fn notes(&self, report: &Report) -> Vec<String> {
        let mut reasons = BTreeSet::new();
        let mut notes = Vec::new();
        for case in &report.cases {
            for result in &case.results {
                if let Some(failure) = &result.failure
                    && reasons.insert((&result.contender, failure))
                {
                    notes.push(format!("- {} at {}: {failure}", result.contender, case.describe()));
                }
                if let Some(Outcome { correct: false, error, error_bound, .. }) = result.outcome {
                    notes.push(format!(
                        "! {} is WRONG at {}: error {error:.1e}, bound {error_bound:.1e}",
                        result.contender,
                        case.describe()
                    ));
                }
            }
        }
        notes
    }

    /// The ratios to each peer over all cases that both did right, where these are batches: of all kinds and sizes
    /// together, and by type.
    pub fn summary(&self, report: &Report) -> Vec<String> {
        let mut lines = Vec::new();
        for (index, peer) in report.contenders.iter().enumerate().skip(1) {
            let compared: Vec<(&CaseReport, f64)> = report
                .cases
                .iter()
                .filter(|case| case.batch.is_some() && [0, index].iter().all(|index| case.is_right(*index)))
                .filter_map(|case| Some((case, case.results[index].ratio?)))
                .collect();
            let Some((slowest, ratio)) = compared.iter().min_by(|x, y| x.1.total_cmp(&y.1)) else { continue };
            let all = geometric_mean(compared.iter().map(|(_, ratio)| *ratio));
            let kinds: BTreeSet<_> = compared.iter().map(|(case, _)| case.kind).collect();
            let by_kind = kinds.into_iter().map(|kind| {
                let ratios = compared.iter().filter(|(case, _)| case.kind == kind).map(|(_, ratio)| *ratio);
                format!("{} {}x", kind.letter(), digits(geometric_mean(ratios)))
            });
            lines.push(format!(
                "ratio to {}: geometric mean {}x (compared: {}; {}), the least {}x at {}",
                peer.name,
                digits(all),
                compared.len(),
                by_kind.collect::<Vec<_>>().join(", "),
                digits(*ratio),
                slowest.describe()
            ));
        }
        lines
    }
}

pub fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value.ln(), count + 1));
    (sum / f64::from(count.max(1))).exp()
}

fn describe(peer: &ContenderFacts, ours: MemoryChoice) -> String {
    let mut line = peer.name.clone();
    if let Some(version) = &peer.version {
        line += &format!(": {version}");
    }
    if let Some(threads) = peer.threads {
        line += &format!(", {threads} threads");
    }
    if let Some(path) = &peer.path {
        line += &format!(" ({})", path.display());
    }
    if peer.memory != ours {
        let memory = if peer.memory == MemoryChoice::Host { "the host's" } else { "the device's" };
        line += &format!("; its operands are in {memory} memory");
    }
    line
}

fn rate(outcome: Option<&Outcome>) -> String {
    outcome
        .map_or("-".to_owned(), |outcome| format!("{}{}", if outcome.correct { "" } else { "!" }, digits(outcome.rate)))
}

/// A time in a readable unit.
fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds >= 1.0 => format!("{} s", digits(seconds)),
        seconds if seconds >= 1e-3 => format!("{} ms", digits(seconds * 1e3)),
        seconds => format!("{} us", digits(seconds * 1e6)),
    }
}

/// Three significant digits or one decimal, whichever is more.
pub fn digits(value: f64) -> String {
    match value {
        value if value >= 10.0 => format!("{value:.1}"),
        value if value >= 1.0 => format!("{value:.2}"),
        value => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::example;
    use super::*;

    #[test]
    fn columns_are_aligned_and_marked() {
        let report = example();
        let table = Table::new(&report, ("op", 2), &[("m", 1024), ("n", 1024), ("k", 1024)], true);
        let rows: Vec<String> = report.cases.iter().map(|case| table.row(case)).collect();
        for row in &rows {
            assert_eq!(row.len(), table.columns().len(), "\n{}\n{row}", table.columns());
        }
        assert!(rows[0].starts_with("S     nn   256   256   256       100.0"), "{}", rows[0]);
        assert!(rows[0].contains("!50.0") && rows[0].contains("50.0x") && rows[0].contains("500.00"), "{}", rows[0]);
        assert!(rows[1].contains("  -       -  "), "{}", rows[1]);
        let notes = table.notes(&report);
        assert_eq!(notes.len(), 2);
        assert_eq!(notes[0], "! openblas is WRONG at Sgemm nn 256x256x256: error 1.0e0, bound 1.0e-4");
        assert_eq!(notes[1], "- openblas at Sgemm nn 512x512x512: openblas: not here");
    }

    #[test]
    fn batches_have_one_column_of_sizes_and_a_summary_of_what_was_right() {
        let mut report = example();
        assert!(Table::new(&report, ("op", 2), &[], true).summary(&report).is_empty());
        for case in &mut report.cases {
            case.batch = Some(77);
            let outcomes = case.results.iter_mut().filter_map(|result| result.outcome.as_mut());
            outcomes.for_each(|outcome| outcome.bandwidth = Some(12.0));
        }
        let table = Table::new(&report, ("op", 2), &[], true).of_batches(report.cases.iter());
        let rows: Vec<String> = report.cases.iter().map(|case| table.row(case)).collect();
        assert!(rows.iter().all(|row| row.len() == table.columns().len()), "{}\n{rows:?}", table.columns());
        assert!(rows[0].starts_with("S     nn     256x256x256     77       100.0"), "{}", rows[0]);
        assert!(rows[0].contains("90.0..110.0     12.0 "), "{}", rows[0]);
        // It was wrong at the first case, and absent at the second.
        let summary = table.summary(&report);
        assert_eq!(
            summary[0],
            "ratio to openblas: geometric mean 1.25x (compared: 1; S 1.25x), the least 1.25x at Sgemm nn 1024x1024x1024"
        );
        assert!(
            summary[1].starts_with("ratio to slow: geometric mean 50.0x (compared: 3; S 50.0x), "),
            "{}",
            summary[1]
        );
    }

    #[test]
    fn times_and_parts_of_a_copy_have_columns() {
        let mut report = example();
        report.notes = vec!["without jax: No module named 'jax'".to_owned()];
        let outcome = report.cases[0].results[0].outcome.as_mut().unwrap();
        (outcome.median_seconds, outcome.of_copy) = (12.34e-6, Some(0.951));
        let table = Table::new(&report, ("case", 4), &[("m", 1024), ("n", 1024), ("k", 1024)], false).with_times();
        let rows: Vec<String> = report.cases.iter().map(|case| table.row(case)).collect();
        assert!(rows.iter().all(|row| row.len() == table.columns().len()), "{}\n{rows:?}", table.columns());
        assert!(rows[0].contains("12.3 us") && rows[0].contains("  0.951  "), "{}", rows[0]);
        assert!(table.heading(&report).lines().any(|line| line == "without jax: No module named 'jax'"));
        assert_eq!([2.0, 0.25e-1, 1e-6].map(duration), ["2.00 s", "25.0 ms", "1.00 us"]);
    }

    #[test]
    fn the_heading_names_versions_threads_and_memory() {
        let report = example();
        let heading = Table::new(&report, ("op", 2), &[], false).heading(&report);
        assert!(heading.contains("gemm in GFLOP/s"), "{heading}");
        assert!(heading.contains("openblas: OpenBLAS 0.3.21, 2 threads\n"), "{heading}");
        assert!(heading.contains("slow, 2 threads; its operands are in the device's memory"), "{heading}");
    }
}
