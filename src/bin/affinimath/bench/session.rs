//! A run from its heading to its files, whatever is measured.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::error::BenchError;
use super::options::CommonArguments;
use super::plot::{self, Rates};
use super::print;
use super::report::{CaseReport, Report};
use super::runner::{Measurement, Schedule};
use super::table::Table;

/// What the contenders did on one case.
pub type Measured = Result<Vec<Result<Measurement, BenchError>>, BenchError>;

/// Measures every case and shows what came out: a table, and the files that were asked for.
///
/// A case's description comes with what measures it, which is told before each turn to call `turn` with the index of the
/// contender.
///
/// # Errors
/// What the user asked for that is not there, and a result of ours that is wrong.
pub fn run<C>(
    mut report: Report,
    table: &Table,
    common: &CommonArguments,
    rates: Rates,
    cases: Vec<(CaseReport, C)>,
    measure: impl Fn(&C, &Schedule, &mut dyn FnMut(usize)) -> Measured,
) -> Result<(), BenchError> {
    print(&format!("{}\n\n{}", table.heading(&report), table.columns()))?;
    let schedule = common.schedule();
    let bar = progress_bar(cases.len() * report.contenders.len() * (schedule.rounds + 1));
    for (mut row, case) in cases {
        bar.set_message(row.describe());
        let mut turn = |index: usize| {
            bar.set_prefix(report.contenders[index].name.clone());
            bar.inc(1);
        };
        let measured = measure(&case, &schedule, &mut turn)?;
        row.record(&report.contenders, measured);
        bar.suspend(|| print(&table.row(&row)))?;
        report.cases.push(row);
    }
    bar.finish_and_clear();
    conclude(&report, table, common, rates)
}

/// Notes, files, and whether we failed ourselves.
fn conclude(report: &Report, table: &Table, common: &CommonArguments, rates: Rates) -> Result<(), BenchError> {
    for note in table.notes(report) {
        print(&note)?;
    }
    for line in table.summary(report) {
        print(&line)?;
    }
    if let Some(path) = &common.json {
        report.write_json(path)?;
    }
    if let Some(path) = &common.plot {
        plot::write(report, rates, path)?;
    }
    match report.own_failures().first() {
        None => Ok(()),
        Some(failure) => Err(BenchError::Ours(format!("affinimath failed at {failure}"))),
    }
}

fn progress_bar(turns: usize) -> ProgressBar {
    // A log file or a pipe gets the table only.
    if !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(Some(turns as u64), ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len}  {msg}  {prefix}  {eta} left");
    let bar = ProgressBar::new(turns as u64);
    style.map_or(bar.clone(), |style| bar.with_style(style))
}
