//! The tuner on workloads that are functions.

use std::collections::HashSet;
use std::fs;

use super::*;
use crate::exchange::Invalidity;

fn space() -> Space {
    let builder = Space::builder().values("x", 0..20).values("y", 0..20).choice("mode", ["slow", "fast"]);
    builder.rule("x + y <= 30").build().unwrap()
}

fn value(point: &Configuration) -> f64 {
    let (x, y) = (point.get("x").unwrap() as f64, point.get("y").unwrap() as f64);
    let factor = if point.value("mode").unwrap().as_name() == Some("fast") { 1.0 } else { 2.0 };
    factor * (1.0 + (x - 12.0).powi(2) + (y - 5.0).powi(2))
}

fn model(point: &Configuration) -> Measurement {
    match point.get("x").unwrap() + point.get("y").unwrap() {
        sum if sum % 7 == 1 => Measurement::Wrong("sum".to_owned()),
        sum if sum % 7 == 2 => Measurement::Crashed("signal 11".to_owned()),
        sum if sum % 7 == 4 => Measurement::TimedOut("10 s".to_owned()),
        // Values that would win if they counted.
        sum if sum % 7 == 5 => Measurement::Value(if sum % 2 == 0 { 0.0 } else { f64::NAN }),
        _ => Measurement::Value(value(point)),
    }
}

fn budget(runs: usize) -> Budget {
    Budget::Evaluations(runs)
}

#[test]
fn points_that_fail_are_recorded_and_never_win() {
    let space = space();
    let found = Tuner::new(&space).strategy(StrategyKind::Exhaustive).run(&mut model).unwrap();
    assert_eq!((found.runs.len(), found.measured, found.end), (space.len(), space.len(), End::Complete));
    let (best, seconds) = found.best.unwrap();
    assert_eq!((best.to_string(), seconds), ("mode=fast x=12 y=5".to_owned(), 1.0));
    for kind in [Invalidity::Correctness, Invalidity::Runtime, Invalidity::Timeout] {
        let failed = found.runs.iter().find(|(_, outcome)| outcome.invalidity == kind).unwrap();
        assert!(failed.1.seconds.is_none() && failed.1.message.is_some());
    }
    let mut none = |_: &Configuration| Measurement::Crashed("always".to_owned());
    assert_eq!(Tuner::new(&space).budget(budget(9)).run(&mut none).unwrap().best, None);
}

#[test]
fn rates_are_maximized() {
    let space = space();
    let mut rate = |point: &Configuration| Measurement::Value(1e9 / value(point));
    for strategy in StrategyKind::ALL {
        let tuner = Tuner::new(&space).objective(Objective::Maximize).strategy(strategy);
        let found = tuner.budget(budget(650)).run(&mut rate).unwrap();
        if found.runs.len() == space.len() {
            assert_eq!(found.best.unwrap().1, 1e9, "{strategy}");
        }
    }
}

#[test]
fn swept_parameters_have_each_value() {
    let space = space();
    let mut fast = |point: &Configuration| Measurement::Value(value(point));
    let tuner = Tuner::new(&space).strategy(StrategyKind::HookeJeeves).sweep(["mode", "y"]);
    let found = tuner.budget(budget(400)).run(&mut fast).unwrap();
    let swept: HashSet<_> =
        found.runs.iter().map(|(point, _)| (point.value("mode").cloned(), point.value("y").cloned())).collect();
    assert_eq!(swept.len(), 40);
    assert!(found.runs.len() <= 400 && found.end == End::Budget);
    assert_eq!(found.best.unwrap().1, 1.0);
    let points: HashSet<_> = found.runs.iter().map(|(point, _)| point).collect();
    assert_eq!(points.len(), found.runs.len(), "no point twice");
}

/// A search that ends after any number of runs, and with the file cut at any byte, goes on with all that it had.
#[test]
fn a_search_that_was_killed_is_taken_up_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.jsonl");
    let space = space();
    let tune = |runs: usize, asked: &mut Vec<Configuration>| {
        let mut workload = |point: &Configuration| {
            asked.push(point.clone());
            model(point)
        };
        let tuner = Tuner::new(&space).strategy(StrategyKind::NelderMead).seed(4).budget(budget(runs));
        tuner.resume(&path, "model").run(&mut workload).unwrap()
    };
    let (mut first, mut second) = (Vec::new(), Vec::new());
    tune(15, &mut first);
    let whole = fs::read(&path).unwrap();
    let found = tune(40, &mut second);
    assert_eq!((found.measured, found.runs.len(), first.len(), second.len()), (25, 40, 15, 25));
    let all: HashSet<_> = first.iter().chain(&second).collect();
    assert_eq!(all.len(), 40, "no point twice");
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    for cut in [1, 2, 3, 4, lines.len() - 1] {
        for partial in [0, 1, 20] {
            let mut bytes = lines[..cut].concat();
            bytes.extend(&lines[cut][..partial]);
            fs::write(&path, &bytes).unwrap();
            let mut asked = Vec::new();
            let resumed = tune(40, &mut asked);
            let had = String::from_utf8_lossy(&bytes).lines().filter(|line| line.ends_with("}}}")).count();
            let expected: Vec<_> = found.runs.iter().map(|(point, _)| point).collect();
            let points: Vec<_> = resumed.runs.iter().map(|(point, _)| point).collect();
            assert_eq!((points, asked.len()), (expected, 40 - had), "{cut} lines and {partial} bytes");
        }
    }
}

#[test]
fn a_file_of_another_session_or_in_use_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.jsonl");
    let space = space();
    let tune = |session: &str| Tuner::new(&space).budget(budget(3)).resume(&path, session).run(&mut model);
    tune("one").unwrap();
    let before = fs::read(&path).unwrap();
    assert!(tune("two").unwrap_err().to_string().contains("another session, \"one\""));
    let held = fs::File::open(&path).unwrap();
    held.lock().unwrap();
    assert!(tune("one").unwrap_err().to_string().contains("another search is using it"));
    drop(held);
    assert_eq!(fs::read(&path).unwrap(), before);
    fs::write(&path, "notes\nof mine\n").unwrap();
    assert!(tune("one").unwrap_err().to_string().contains("no file of a search's runs"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "notes\nof mine\n");
}

#[test]
fn a_point_that_interrupts_the_search_twice_is_avoided() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.jsonl");
    let space = space();
    let deadly = space.configuration(0);
    let mut runs = Runs::open(&path, &"x".into()).unwrap();
    runs.trying(&deadly).unwrap();
    drop(runs);
    let mut runs = Runs::open(&path, &"x".into()).unwrap();
    assert!(runs.known.is_empty(), "it may have been stopped by hand");
    runs.trying(&deadly).unwrap();
    drop(runs);
    assert_eq!(Runs::open(&path, &"x".into()).unwrap().known[&deadly].invalidity, Invalidity::Runtime);
}

#[test]
fn a_search_that_cannot_be_made_is_told() {
    let space = space();
    let error = |tuner: Tuner<'_>| tuner.run(&mut model).unwrap_err().to_string();
    assert!(error(Tuner::new(&space).sweep(["z"])).contains("'z'"));
    let start = Configuration::new([("x", 19), ("y", 19)]);
    assert!(error(Tuner::new(&space).starts([start])).contains("x=19 y=19"));
    let empty = Space::builder().values("x", 0..3).rule("x > 5").build().unwrap();
    assert!(error(Tuner::new(&empty)).contains("no point satisfies"));
}

#[test]
fn budgets_of_time_end_searches() {
    let space = space();
    let mut slow = |point: &Configuration| {
        std::thread::sleep(Duration::from_millis(2));
        Measurement::Value(value(point))
    };
    let tuner = Tuner::new(&space).budget(Budget::Time(Duration::from_millis(60))).sweep(["mode"]);
    let found = tuner.run(&mut slow).unwrap();
    assert!(found.end == End::Budget && found.runs.len() <= 60, "{} runs", found.runs.len());
}

/// A reading in which the slower point takes less energy.
fn reading(point: &Configuration) -> Measurement {
    let seconds = 1.0 + point.get("x").unwrap() as f64;
    let joules = Some(100.0 / seconds.powi(2));
    Measurement::Reading(Reading { wall_seconds: seconds, joules, ..Reading::default() })
}

#[test]
fn objectives_pick_other_points_of_the_same_readings() {
    let space = Space::builder().values("x", 0..10).build().unwrap();
    let best = |objective: Objective| {
        let tuner = Tuner::new(&space).objective(objective).strategy(StrategyKind::Exhaustive);
        let found = tuner.run(&mut reading).unwrap();
        assert!(found.runs.iter().all(|(_, outcome)| outcome.reading.is_some()));
        let (point, value) = found.best.unwrap();
        (point.get("x").unwrap(), value)
    };
    assert_eq!(best(Objective::Time), (0, 1.0));
    assert_eq!(best(Objective::Energy), (9, 1.0));
    assert_eq!(best(Objective::EnergyDelay), (9, 10.0));
    assert_eq!(best(Objective::Maximize), (0, 1.0));
}

/// A workload that says what it cannot measure.
struct Blind(usize);

impl Workload for Blind {
    fn measure(&mut self, point: &Configuration) -> Measurement {
        self.0 += 1;
        reading(point)
    }

    fn can_measure(&mut self, objective: Objective) -> Result<(), String> {
        if objective.needs_energy() { Err("there is no meter".to_owned()) } else { Ok(()) }
    }
}

#[test]
fn an_objective_that_cannot_be_measured_is_an_error_before_the_search() {
    let space = Space::builder().values("x", 0..10).build().unwrap();
    let mut blind = Blind(0);
    let error = Tuner::new(&space).objective(Objective::Energy).run(&mut blind).unwrap_err();
    assert_eq!(error.to_string(), "energy cannot be measured here: there is no meter");
    assert_eq!(blind.0, 0, "no point was measured");
    assert!(Tuner::new(&space).objective(Objective::Time).run(&mut blind).is_ok());
    // A workload that does not say so is found out with its first point.
    let error = Tuner::new(&space).objective(Objective::DeviceTime).run(&mut reading).unwrap_err();
    assert!(error.to_string().starts_with("device-time cannot be measured here"), "{error}");
}

#[test]
fn readings_are_kept_in_the_file_of_runs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.jsonl");
    let space = Space::builder().values("x", 0..10).build().unwrap();
    let tune = || Tuner::new(&space).objective(Objective::Energy).resume(&path, "energy").run(&mut reading).unwrap();
    let (first, second) = (tune(), tune());
    assert_eq!((first.measured, second.measured, &first.runs), (10, 0, &second.runs));
}
