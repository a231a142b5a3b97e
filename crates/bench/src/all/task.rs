//! A family on a place: its process, begun again without a library that cannot be loaded, or behind a case that ended
//! it.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::child::{Ending, follow};
use super::html_summary::quoted;
use super::interrupt;
use super::model::{OUT_OF_TIME, RunReport};
use super::plan::{Family, Task};
use super::summary::Comparison;
use crate::drivers;
use crate::events::Event;
use crate::options::PeerSpec;
use crate::plot::Rates;
use crate::table::digits;

/// Cases that may end the process before the family is given up.
const MAX_DEATHS: usize = 5;

/// Time beyond its share that a process may take, for its current case.
const PATIENCE: Duration = Duration::from_secs(120);

/// State of a running task.
struct Progress {
    run: RunReport,
    peers: Vec<PeerSpec>,
    /// Cases that are behind us, those that ended the process among them.
    behind: usize,
    /// The case and the contender whose turn it is.
    turn: Option<(String, String)>,
    /// Why the process did not begin.
    refused: Option<(Option<String>, String)>,
    deaths: usize,
}

/// Runs a task. `shows` is told how much of it is done, and what is being measured.
pub fn run(task: &Task, share: Duration, shows: impl Fn(f64, &str)) -> RunReport {
    let start = Instant::now();
    let run = RunReport {
        backend: task.backend,
        family: task.family,
        command: command_line(task, &task.peers),
        planned: 0,
        ended: None,
        notes: Vec::new(),
        seconds: 0.0,
        rates: Rates::Linear,
        report: None,
    };
    let peers = task.peers.clone();
    let mut progress = Progress { run, peers, behind: 0, turn: None, refused: None, deaths: 0 };
    shows(0.0, "");
    loop {
        let left = share.saturating_sub(start.elapsed()).max(Duration::from_millis(1));
        let command = match process(task, &progress.peers, progress.behind, left) {
            Ok(command) => command,
            Err(error) => {
                progress.run.ended = Some(format!("this program's file is not known: {error}"));
                break;
            }
        };
        let ending = follow(command, left + PATIENCE, interrupt::requested, |event| progress.hear(event, &shows));
        match ending {
            Ok(ending) if progress.goes_on(&ending) => {}
            Ok(_) => break,
            Err(error) => {
                progress.run.ended = Some(format!("its process cannot be started: {error}"));
                break;
            }
        }
    }
    let mut run = progress.run;
    run.command = command_line(task, &progress.peers);
    run.seconds = start.elapsed().as_secs_f64();
    run
}

impl Progress {
    fn hear(&mut self, event: Event, shows: &impl Fn(f64, &str)) {
        match event {
            Event::Begin { report, rates, cases } => {
                self.run.planned = cases;
                self.run.rates = rates;
                if self.run.report.is_none() {
                    self.run.notes.extend_from_slice(&report.notes);
                    self.run.report = Some(*report);
                }
            }
            Event::Turn { case, contender } => {
                let done = self.behind as f64 / self.run.planned.max(1) as f64;
                shows(done, &format!("{case}, {contender} ({} of {})", self.behind + 1, self.run.planned));
                self.turn = Some((case, contender));
            }
            Event::Case(case) => {
                self.behind += 1;
                if let Some(report) = &mut self.run.report {
                    report.cases.push(*case);
                }
            }
            Event::LeftOut { case, reason } => {
                self.behind += 1;
                self.run.notes.push(format!("{case} was left out: {reason}"));
            }
            Event::Refused { peer, reason } => self.refused = Some((peer, reason)),
            Event::End => {}
        }
    }

    /// True if the process is to be begun again; notes what happened.
    fn goes_on(&mut self, ending: &Ending) -> bool {
        match ending {
            Ending::Stopped => self.run.ended = Some("it was interrupted".to_owned()),
            Ending::TooLong => {
                let (case, contender) = self.turn.clone().unwrap_or_default();
                self.run.ended = Some(format!("{contender} took too long at {case}"));
            }
            Ending::Done => match self.refused.take() {
                Some((Some(peer), reason)) if self.peers.iter().any(|spec| spec.name == peer) => {
                    self.peers.retain(|spec| spec.name != peer);
                    self.run.notes.push(format!("Without {peer}, which was refused: {reason}"));
                    return true;
                }
                Some((_, reason)) => self.run.ended = Some(reason),
                None if self.behind < self.run.planned => {
                    let missing = self.run.planned - self.behind;
                    self.run.ended =
                        Some(format!("{OUT_OF_TIME}: {missing} of {} cases were not measured", self.run.planned));
                }
                None => {}
            },
            Ending::Died(how) => {
                self.deaths += 1;
                let Some((case, contender)) = self.turn.take() else {
                    self.run.ended = Some(format!("its process ended before the first case ({how})"));
                    return false;
                };
                self.run.notes.push(format!("The process ended at {case}, in {contender}'s turn ({how})."));
                self.behind += 1;
                if self.deaths <= MAX_DEATHS {
                    return self.behind < self.run.planned;
                }
                self.run.ended = Some(format!("its process ended {} times", self.deaths));
            }
        }
        false
    }
}

fn process(task: &Task, peers: &[PeerSpec], skip: usize, within: Duration) -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(&task.arguments).args(against(peers)).arg("--events");
    command.args([
        "--skip",
        &skip.to_string(),
        "--within",
        &format!("{:.3}", within.as_secs_f64().clamp(0.001, 3600.0)),
    ]);
    drivers::pass_on(&mut command);
    if let Some((name, value)) = environment(task) {
        command.env(name, value);
    }
    Ok(command)
}

/// The drop-in library takes its settings from the environment.
fn environment(task: &Task) -> Option<(&'static str, &'static str)> {
    (task.family == Family::Calls).then_some(("AFFINIMATH_ROUTE", "host"))
}

fn against(peers: &[PeerSpec]) -> Vec<String> {
    let spec = |peer: &PeerSpec| {
        let paths: Vec<String> = peer.paths.iter().map(|path: &std::path::PathBuf| path_text(path)).collect();
        let name = &peer.name;
        if paths.is_empty() { name.clone() } else { format!("{name}={}", paths.join(":")) }
    };
    peers.iter().flat_map(|peer| ["--against".to_owned(), spec(peer)]).collect()
}

fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Command that repeats the measurement.
fn command_line(task: &Task, peers: &[PeerSpec]) -> String {
    let words = task.arguments.iter().cloned().chain(against(peers)).map(|word| quoted(&word));
    let settings = environment(task).map(|(name, value)| format!("{name}={value}"));
    let all: Vec<String> = settings.into_iter().chain(["affinimath".to_owned()]).chain(words).collect();
    all.join(" ")
}

/// Message at the end of a task.
pub fn lines(run: &RunReport, backend: &str, comparisons: &[Comparison]) -> Vec<String> {
    let cases = run.report.as_ref().map_or(0, |report| report.cases.len());
    let mut line =
        format!("{backend}: {}, {cases} of {} cases in {:.0} s", run.family.name(), run.planned, run.seconds);
    for one in comparisons.iter().filter(|one| one.backend == run.backend && one.family == run.family) {
        let (mean, min, max) = (digits(one.mean), digits(one.min), digits(one.max));
        line += &format!("; {mean}x {} ({min} to {max})", one.peer);
    }
    let notes = run.ended.iter().chain(&run.notes).map(|note| format!("  {note}"));
    std::iter::once(line).chain(notes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::example;

    fn progress() -> Progress {
        let peers: Vec<PeerSpec> = ["openblas=/o.so:/p.so", "faer"].map(|spec| spec.parse().unwrap()).into();
        let arguments = ["bench", "gemm", "--sizes", "8..16*2"].map(str::to_owned).into();
        let task = Task { backend: 0, family: Family::Gemm, arguments, peers: peers.clone() };
        let command = command_line(&task, &peers);
        assert_eq!(command, "affinimath bench gemm --sizes '8..16*2' --against openblas=/o.so:/p.so --against faer");
        let run = RunReport {
            backend: 0,
            family: Family::Gemm,
            command,
            planned: 0,
            ended: None,
            notes: Vec::new(),
            seconds: 0.0,
            rates: Rates::Linear,
            report: None,
        };
        Progress { run, peers, behind: 0, turn: None, refused: None, deaths: 0 }
    }

    fn begun() -> Progress {
        let mut progress = progress();
        let mut report = example();
        let cases = std::mem::take(&mut report.cases);
        let silent = |_: f64, _: &str| {};
        progress.hear(Event::Begin { report: Box::new(report), rates: Rates::Linear, cases: 3 }, &silent);
        progress.hear(Event::Case(Box::new(cases[0].clone())), &silent);
        progress.hear(Event::Turn { case: cases[1].describe(), contender: "openblas".to_owned() }, &silent);
        progress
    }

    #[test]
    fn a_library_that_cannot_be_loaded_is_left_out() {
        let mut progress = progress();
        progress.refused = Some((Some("openblas".to_owned()), "openblas: no such file".to_owned()));
        assert!(progress.goes_on(&Ending::Done));
        assert_eq!((progress.peers.len(), progress.run.notes.len()), (1, 1));
        // A peer that the family itself did not find is noted once.
        for _ in 0..2 {
            let report = crate::report::Report { notes: vec!["without jax: no module".to_owned()], ..example() };
            progress.hear(Event::Begin { report: Box::new(report), rates: Rates::Linear, cases: 3 }, &|_, _| {});
        }
        assert_eq!(progress.run.notes[1..], ["without jax: no module"]);
        // Without a peer to leave out, the task ends.
        progress.refused = Some((None, "no such device".to_owned()));
        assert!(!progress.goes_on(&Ending::Done));
        assert_eq!(progress.run.ended.as_deref(), Some("no such device"));
    }

    #[test]
    fn a_case_that_ends_the_process_is_skipped_but_not_for_ever() {
        let mut progress = begun();
        assert!(progress.goes_on(&Ending::Died("signal: 11".to_owned())));
        assert_eq!(progress.behind, 2);
        assert!(progress.run.notes[0].contains("Sgemm nn 512x512x512, in openblas's turn (signal: 11)"));
        progress.deaths = MAX_DEATHS;
        progress.turn = Some(Default::default());
        assert!(!progress.goes_on(&Ending::Died("signal: 11".to_owned())));
        assert!(progress.run.ended.unwrap().contains("6 times"));
    }

    #[test]
    fn what_was_not_measured_has_a_reason() {
        let mut progress = begun();
        assert!(!progress.goes_on(&Ending::Done));
        assert_eq!(progress.run.ended.as_deref(), Some("the time was up: 2 of 3 cases were not measured"));
        assert!(!progress.goes_on(&Ending::TooLong));
        assert_eq!(progress.run.ended.as_deref(), Some("openblas took too long at Sgemm nn 512x512x512"));
        assert_eq!(progress.run.report.unwrap().cases.len(), 1);
        let mut dead = super::tests::progress();
        assert!(!dead.goes_on(&Ending::Died("exit status: 1".to_owned())));
        assert!(dead.run.ended.unwrap().contains("before the first case (exit status: 1)"));
    }
}
