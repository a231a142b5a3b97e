//! `affinimath tune` as its users run it. Nothing here depends on how fast anything is.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use affinimath_opencl::device::for_tests;
use serde_json::Value;

use super::text;

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_affinimath"));
    command.arg("tune").args(arguments).env("AFFINIMATH_TUNING_DIR", folder).env("AFFINIMATH_CACHE", "off");
    command
}

fn tune(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

/// Small problems that nothing has to be compiled for again.
const SPMV: [&str; 7] = ["spmv", "--device", "0", "--types", "s", "--sizes", "2000"];

fn search(folder: &Path, arguments: &[&str]) -> Value {
    let output = tune(folder, &[&SPMV[..], arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_search_keeps_its_budget_and_exports_what_it_measured() {
    if for_tests().is_empty() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (t4, svg) = (folder.path().join("t4.json"), folder.path().join("best.svg"));
    let files = ["--export", t4.to_str().unwrap(), "--plot", svg.to_str().unwrap()];
    let report = search(folder.path(), &[&["--budget", "4", "--seed", "3"][..], &files].concat());
    let found = &report["searches"][0];
    // The default parameters count as a point, too.
    assert_eq!((&found["evaluations"], &found["failed"]), (&5.into(), &0.into()), "{report}");
    let results: Value = serde_json::from_str(&std::fs::read_to_string(&t4).unwrap()).unwrap();
    assert_eq!(results["results"].as_array().unwrap().len(), 5);
    assert!(results["results"].as_array().unwrap().iter().all(|result| result["invalidity"] == "correct"), "{results}");
    let t1: Value = serde_json::from_str(&std::fs::read_to_string(t4.with_extension("t1.json")).unwrap()).unwrap();
    assert!(!t1["ConfigurationSpace"]["TuningParameters"].as_array().unwrap().is_empty());
    assert!(std::fs::read_to_string(&svg).unwrap().contains("spmv"));

    // What was exported comes back, and counts for contexts from then on.
    let imported = tune(folder.path(), &["--import", t4.to_str().unwrap()]);
    assert!(imported.status.success(), "{}", text(&imported.stderr));
    assert!(std::fs::read_to_string(folder.path().join("parameters.jsonl")).unwrap().contains("spmv-"));

    // The study of what was measured.
    let study = tune(folder.path(), &["--study", t4.to_str().unwrap()]);
    assert!(text(&study.stdout).contains("| refine |"), "{}", text(&study.stderr));
}

#[test]
fn a_search_that_was_killed_is_taken_up_where_it_was() {
    if for_tests().is_empty() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let arguments = [&SPMV[..], &["--budget", "12"]].concat();
    let mut killed = command(folder.path(), &arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let journal = folder.path().join("journal");
    let tried = || -> usize {
        let files = std::fs::read_dir(&journal).map(|files| files.flatten().collect()).unwrap_or_else(|_| Vec::new());
        let lines = |path: &Path| std::fs::read_to_string(path).unwrap_or_default().matches("{\"tried\"").count();
        files.iter().map(|file| lines(&file.path())).sum()
    };
    while tried() < 4 {
        assert!(killed.try_wait().unwrap().is_none_or(|status| status.success()), "the search failed");
        std::thread::sleep(Duration::from_millis(2));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    let before = tried();
    let report = search(folder.path(), &["--budget", "12", "--resume"]);
    let found = &report["searches"][0];
    assert_eq!(found["evaluations"], 13, "{report}");
    // It may have come to its end before it was killed. Then it is made anew.
    let now = found["measured_now"].as_u64().unwrap() as usize;
    assert!(now + before == 13 || before == 13 && now == 13, "{before} before, {now} now");
}

#[test]
fn what_cannot_be_done_is_told_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let damaged = folder.path().join("damaged.json");
    std::fs::write(&damaged, "{\"results\": []}").unwrap();
    for (arguments, told) in [
        (&[][..], "say what is to be tuned"),
        (&["gemm", "--device", "no such device"], "no such device"),
        (&["--import", damaged.to_str().unwrap()], "metadata"),
        (&["--study", "no/such/file"], "no/such/file"),
    ] {
        let output = tune(folder.path(), arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(message.contains(told) && message.lines().count() == 1, "{message}");
    }
    let wrong = tune(folder.path(), &["gemm", "--budget", "soon"]);
    assert_eq!(wrong.status.code(), Some(2), "wrong usage");
}
