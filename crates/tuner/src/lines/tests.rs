use std::fs;
use std::path::PathBuf;

use serde::Deserialize;

use super::*;
use affinimath_testing::{Killed, child};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Record {
    writer: u32,
    number: u32,
    text: String,
}

fn record(writer: u32, number: u32) -> Record {
    // Longer than a page now and then.
    Record { writer, number, text: "x".repeat(number as usize * 97 % 6000) }
}

fn records(path: &Path) -> Vec<Record> {
    read(path, |found: &Record| *found == record(found.writer, found.number))
}

/// The name of the variable that gives a child its file.
const CHILD: &str = "AFFINIMATH_TEST_LINES_CHILD";

/// No test by itself: the child of the next one.
#[test]
fn child_that_appends_until_it_is_killed() {
    let Some(path) = std::env::var_os(CHILD).map(PathBuf::from) else { return };
    for number in 0.. {
        append(&path, &record(std::process::id(), number)).unwrap();
    }
}

/// Two processes append to one file, and are killed in the middle of it again and again: no line that was appended is
/// lost or mixed with another, but for the last one of each.
#[test]
fn lines_of_several_writers_that_are_killed_are_all_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines.jsonl");
    let name = "lines::tests::child_that_appends_until_it_is_killed";
    for round in 1..=8 {
        let writers = [(); 2].map(|()| Killed(child(name, CHILD, &path).spawn().unwrap()));
        let ids = writers.each_ref().map(|writer| writer.0.id());
        let written = |records: &[Record]| ids.map(|id| records.iter().filter(|record| record.writer == id).count());
        while written(&records(&path)).iter().any(|count| *count < 5 * round) {}
        assert!(!writers.into_iter().any(Killed::had_ended), "they append until they are killed");
        let records = records(&path);
        for id in ids {
            let numbers: Vec<u32> =
                records.iter().filter(|record| record.writer == id).map(|record| record.number).collect();
            assert_eq!(numbers, Vec::from_iter(0..numbers.len() as u32), "round {round}");
        }
    }
    // Damage, if there is any, is a line of its own, and at most one for each writer.
    let bytes = fs::read(&path).unwrap();
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
    assert!(lines <= records(&path).len() + 16, "{lines} lines");
    append(&path, &record(0, 7)).unwrap();
    assert_eq!(records(&path).last(), Some(&record(0, 7)));
}

/// No test by itself: a disk that is full after 3000 bytes of a file, until somebody makes room.
#[test]
#[cfg(unix)]
fn child_on_a_full_disk() {
    let Some(path) = std::env::var_os(CHILD).map(PathBuf::from) else { return };
    append(&path, &record(1, 10)).unwrap();
    append(&path, &record(1, 11)).unwrap();
    affinimath_testing::limit_files(3000);
    append(&path, &record(1, 20)).unwrap_err();
    assert_eq!(records(&path), [record(1, 10), record(1, 11)]);
    affinimath_testing::limit_files(u64::MAX);
    append(&path, &record(1, 12)).unwrap();
    assert_eq!(records(&path), [record(1, 10), record(1, 11), record(1, 12)]);
}

#[test]
#[cfg(unix)]
fn a_full_disk_costs_the_line_that_found_no_room() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines.jsonl");
    let output = child("lines::tests::child_on_a_full_disk", CHILD, &path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(records(&path).len(), 3);
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "in the folder's place").unwrap();
    append(&file.join("lines.jsonl"), &record(1, 1)).unwrap_err();
    assert_eq!(records(&file.join("lines.jsonl")), []);
    assert_eq!(records(folder.path()), [], "a folder in the file's place");
    append(folder.path(), &record(1, 1)).unwrap_err();
}
