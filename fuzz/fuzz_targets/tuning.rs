//! The files of the tuner: crossovers, parameters, the journal of a search, and the exchange format T4. The first byte
//! says which. What is read is used as a context and a search use it, and a line that is appended to any file can be
//! read again.
#![no_main]

// The journal takes its errors from the crate of that name, which would bring all of the benchmarks with it.
extern crate self as affinimath_bench;

#[path = "../../crates/bench/src/failure.rs"]
#[allow(dead_code, missing_docs)]
mod failure;
#[path = "../../crates/cli/src/tune/journal.rs"]
#[allow(dead_code, missing_docs)]
mod journal;

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use affinimath::ScalarKind;
use affinimath::fuzzing::example_device;
use affinimath_tuner::exchange::{Invalidity, Outcome, Results};
use affinimath_tuner::space::Configuration;
use affinimath_tuner::tuned::{self, KernelFamily, Record, ShapeClass, Subject, Tuned};
use affinimath_tuner::{database, lines};
use failure::Failure;
use journal::{Journal, Session};
use libfuzzer_sys::fuzz_target;

/// A folder of this process, in memory if the system has such a folder.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = PathBuf::from("/dev/shm");
    let parent = if memory.is_dir() { memory } else { std::env::temp_dir() };
    let folder = parent.join(format!("affinimath-fuzz-{}", std::process::id()));
    fs::create_dir_all(folder.join("journal")).expect("the folder can be made");
    // SAFETY: the first thing that the process does, before it has threads that read it.
    unsafe { std::env::set_var("AFFINIMATH_TUNING_DIR", &folder) };
    folder
});

const SUBJECT: Subject = Subject { family: KernelFamily::GemmPacked, kind: ScalarKind::S, class: ShapeClass::Small };

fn session() -> Session {
    let [library, device, driver] = ["0.1.0", "example", "1"].map(str::to_owned);
    Session { library, device, driver, subject: SUBJECT, sizes: vec![64] }
}

fn record() -> Record {
    Record {
        library: "0.1.0".to_owned(),
        device: "example".to_owned(),
        driver: "1".to_owned(),
        subject: SUBJECT,
        configuration: Configuration::new([("tile", 4_usize)]),
        seconds: 1.0,
        default_seconds: 2.0,
        evaluations: 1,
    }
}

fn crossovers(data: &[u8]) {
    fs::write(FOLDER.join("crossovers.jsonl"), data).expect("the file can be written");
    let device = example_device();
    for record in database::records() {
        let line = serde_json::to_string(&record).expect("a record is JSON");
        let again: Vec<database::Record> = lines::parse(&line, |_| true);
        assert_eq!(again.len(), 1, "{line}");
        record.model(&device);
    }
    database::model_of(&device, "host");
}

fn parameters(data: &[u8]) {
    let file = FOLDER.join("parameters.jsonl");
    fs::write(&file, data).expect("the file can be written");
    let before = tuned::records();
    Tuned::of(&example_device()).get(SUBJECT, |configuration| configuration.get("tile"));
    tuned::append(&record()).expect("the file can be written");
    let after = tuned::records();
    assert_eq!(after.last(), Some(&record()));
    assert_eq!(after[..after.len() - 1], before, "what was there stays");
}

fn search(data: &[u8]) {
    let file = FOLDER.join("journal").join("gemm-packed-s-small.jsonl");
    fs::write(&file, data).expect("the file can be written");
    let mut journal = Journal::open(&session(), true).expect("the file can be written");
    let measured = journal.measured();
    let point = Configuration::new([("a parameter that no other has", 7_usize)]);
    if journal.outcome(Some(&point)).is_none() {
        journal.trying(Some(&point)).expect("the file can be written");
        journal.tried(Some(&point), &Outcome::failed(Invalidity::Compile, "no")).expect("the file can be written");
        let again = Journal::open(&session(), true).expect("the file can be written");
        assert_eq!(again.measured(), measured + 1);
    }
}

fn results(data: &[u8]) {
    let Ok(value) = serde_json::from_slice(data) else { return };
    if let Ok(results) = Results::from_t4(&value) {
        let again = Results::from_t4(&results.to_t4()).expect("what is written can be read");
        assert_eq!(again.trials.len(), results.trials.len());
    }
}

fuzz_target!(|data: &[u8]| {
    LazyLock::force(&FOLDER);
    let Some((kind, data)) = data.split_first() else { return };
    match kind % 4 {
        0 => crossovers(data),
        1 => parameters(data),
        2 => search(data),
        _ => results(data),
    }
});
