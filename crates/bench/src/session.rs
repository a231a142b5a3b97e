//! A run from its heading to its files, whatever is measured.

use std::collections::HashMap;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::error::BenchError;
use super::events::Event;
use super::options::{CommonArguments, seconds};
use super::plot::{self, Rates};
use super::print;
use super::report::{CaseReport, Report};
use super::runner::{Measurement, Schedule};
use super::table::Table;

/// Results of the contenders on a case.
pub type Measured = Result<Vec<Result<Measurement, BenchError>>, BenchError>;

/// Recipient of progress: a person, or `affinimath bench all`, which starts a process for each family.
#[derive(Args, Debug, Default)]
pub struct Audience {
    /// Prints what happens as it does, one JSON object a line, in place of the table.
    #[arg(long, global = true, hide = true)]
    events: bool,
    /// Begins no case after this time, in seconds.
    #[arg(long, global = true, value_parser = seconds, value_name = "SECONDS")]
    within: Option<Duration>,
    /// Leaves out so many cases at the beginning.
    #[arg(long, global = true, hide = true, default_value_t = 0, value_name = "CASES")]
    skip: usize,
}

impl Audience {
    /// True if another process follows the run.
    pub const fn listens(&self) -> bool {
        self.events
    }
}

/// Measures every case and shows what came out: a table, and the files that were asked for.
///
/// A case's description comes with what measures it, which is told before each turn to call `turn` with the index of
/// the contender.
///
/// # Errors
/// Missing targets or peers, and wrong results of our library.
pub fn run<C>(
    mut report: Report,
    table: &Table,
    (common, audience): (&CommonArguments, &Audience),
    rates: Rates,
    mut cases: Vec<(CaseReport, C)>,
    measure: impl Fn(&C, &Schedule, &mut dyn FnMut(usize)) -> Measured,
) -> Result<(), BenchError> {
    let schedule = common.schedule();
    if audience.events {
        return tell(&report, audience, rates, &schedule, cases, measure);
    }
    common.json.check_folder()?;
    // JSON replaces the table.
    let say = |text: &str| if common.json.replaces_text() { Ok(()) } else { print(text) };
    say(&format!("{}\n\n{}", table.heading(&report), table.columns()))?;
    let bar = progress_bar(cases.len() * report.contenders.len() * (schedule.rounds + 1));
    let (start, count) = (Instant::now(), cases.len());
    for (number, (mut row, case)) in cases.drain(..).enumerate() {
        if audience.within.is_some_and(|within| start.elapsed() > within) {
            let note = format!("{} of {count} cases were left out: there was no time for them", count - number);
            say(&note)?;
            report.notes.push(note);
            break;
        }
        bar.set_message(row.describe());
        let mut turn = |index: usize| {
            bar.set_prefix(report.contenders[index].name.clone());
            bar.inc(1);
        };
        let measured = measure(&case, &schedule, &mut turn)?;
        row.record(&report.contenders, measured);
        bar.suspend(|| say(&table.row(&row)))?;
        report.cases.push(row);
    }
    bar.finish_and_clear();
    conclude(&report, table, common, rates)
}

/// Measures every case that there is time for, and tells each step.
fn tell<C>(
    report: &Report,
    audience: &Audience,
    rates: Rates,
    schedule: &Schedule,
    mut cases: Vec<(CaseReport, C)>,
    measure: impl Fn(&C, &Schedule, &mut dyn FnMut(usize)) -> Measured,
) -> Result<(), BenchError> {
    let start = Instant::now();
    smallest_first(&mut cases);
    Event::Begin { report: Box::new(report.clone()), rates, cases: cases.len() }.print()?;
    for (mut row, case) in cases.into_iter().skip(audience.skip) {
        if audience.within.is_some_and(|within| start.elapsed() > within) {
            break;
        }
        let description = row.describe();
        let mut unheard = None;
        let mut turn = |index: usize| {
            let contender = report.contenders[index].name.clone();
            unheard = Event::Turn { case: description.clone(), contender }.print().err();
        };
        let measured = measure(&case, schedule, &mut turn);
        if let Some(error) = unheard {
            return Err(error);
        }
        match measured {
            Ok(measured) => {
                row.record(&report.contenders, measured);
                Event::Case(Box::new(row)).print()?;
            }
            Err(error) => Event::LeftOut { case: description, reason: error.to_string() }.print()?,
        }
    }
    Event::End.print()
}

/// Orders cases so that each routine and type has its first size before any has its second.
fn smallest_first<C>(cases: &mut [(CaseReport, C)]) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let ranks: HashMap<String, usize> = cases
        .iter()
        .map(|(case, _)| {
            let rank = seen.entry(case.title()).or_default();
            *rank += 1;
            (case.describe(), *rank)
        })
        .collect();
    cases.sort_by_key(|(case, _)| ranks[&case.describe()]);
}

/// Notes, files, and whether we failed ourselves.
fn conclude(report: &Report, table: &Table, common: &CommonArguments, rates: Rates) -> Result<(), BenchError> {
    if !common.json.replaces_text() {
        for line in table.notes(report).into_iter().chain(table.summary(report)) {
            print(&line)?;
        }
    }
    if common.json.is_asked() {
        common.json.document(&report.command(), report.json()?)?;
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

#[cfg(test)]
mod tests {
    use super::super::report::tests::example;
    use super::*;

    #[test]
    fn every_routine_has_its_smallest_size_first() {
        let mut cases: Vec<(CaseReport, ())> = Vec::new();
        for routine in ["gemm", "symm"] {
            cases.extend(example().cases.into_iter().map(|case| (CaseReport { routine: routine.into(), ..case }, ())));
        }
        smallest_first(&mut cases);
        let order: Vec<String> = cases.iter().map(|(case, ())| format!("{} {}", case.routine, case.size)).collect();
        assert_eq!(order, ["gemm 256", "symm 256", "gemm 512", "symm 512", "gemm 1024", "symm 1024"]);
    }
}
