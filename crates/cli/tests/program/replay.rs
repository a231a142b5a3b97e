//! `affinimath replay` as its users run it, on traces of the program itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use affinimath_opencl::device::for_tests;
use serde_json::Value;

use super::text;

fn program(arguments: &[&str], trace: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_affinimath"));
    command.args(arguments).env("AFFINIMATH_TRACE", trace).env("AFFINIMATH_CACHE", "off");
    command.output().unwrap()
}

fn replay(arguments: &[&str]) -> Output {
    program(&[&["replay"], arguments].concat(), "")
}

/// A command of a device with a trace.
fn traced(arguments: &[&str], folder: &Path, settings: &str) -> Output {
    let arguments = [arguments, &["--device", "0"]].concat();
    let output = program(&arguments, &format!("{}{settings}", folder.display()));
    assert!(output.status.success(), "{arguments:?}: {}{}", text(&output.stdout), text(&output.stderr));
    output
}

/// Verdicts of all cases.
fn verdicts(arguments: &[&str]) -> Vec<(String, Value)> {
    let output = replay(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{arguments:?}: {}{}", text(&output.stdout), text(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["schema"], "affinimath/replay/1");
    let cases = document["cases"].as_array().unwrap().iter();
    cases.map(|case| (case["verdict"].as_str().unwrap().to_owned(), case.clone())).collect()
}

/// Arguments of a small run of a family.
fn small(family: &str) -> Vec<&str> {
    let own: &[&str] = match family {
        "gemm" => &["--sizes", "5,70", "--types", "s,z", "--transpose", "nn,tc"],
        "fft" => &["--sizes", "16,30,5x8", "--types", "c,d", "--points", "2^10"],
        "sparse" => &["--poisson2d", "20", "--types", "s,d"],
        "lapack" => &["--sizes", "40", "--types", "d,c"],
        "array" => &["--sizes", "1000", "--types", "s,d", "--no-peers"],
        "stencil" => &["--sizes", "12", "--steps", "2", "--no-peers"],
        other => unreachable!("{other}"),
    };
    [&["bench", family], own, &["--seconds", "0.001", "--rounds", "1"]].concat()
}

fn replays(family: &str) {
    if for_tests().is_empty() {
        return;
    }
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join(family);
    traced(&small(family), &folder, ",count=150,bytes=4M");
    let path = folder.to_str().unwrap();
    let all = verdicts(&[path]);
    assert!(all.len() >= 4, "{family}: {} launches", all.len());
    for (verdict, case) in &all {
        assert_eq!(verdict, "right", "{family}: {case}");
    }
    let has_generated = fs::read_dir(&folder).unwrap().any(|entry| entry.unwrap().path().join("kernel.json").exists());
    assert_eq!(has_generated, ["array", "fft", "sparse", "stencil"].contains(&family), "{family}");
    if has_generated {
        let interpreted = verdicts(&[path, "--interpret", "--check", "4ulp"]);
        let right = interpreted.iter().filter(|(verdict, _)| verdict == "right").count();
        let rest = interpreted.iter().filter(|(verdict, _)| !["right", "skipped"].contains(&verdict.as_str()));
        assert_eq!((rest.map(|(_, case)| case).next(), right > 0), (None, true), "{family}");
    }
    let same = replay(&["--diff", path, path]);
    assert!(same.status.success() && text(&same.stdout).contains("no difference"), "{}", text(&same.stdout));
}

#[test]
fn launches_of_gemm_replay_with_the_same_bits() {
    replays("gemm");
}

#[test]
fn launches_of_transforms_replay_with_the_same_bits() {
    replays("fft");
}

#[test]
fn launches_of_sparse_matrices_replay_with_the_same_bits() {
    replays("sparse");
}

#[test]
fn launches_of_factorisations_replay_with_the_same_bits() {
    replays("lapack");
}

#[test]
fn launches_of_arrays_replay_with_the_same_bits() {
    replays("array");
}

#[test]
fn launches_of_stencils_replay_with_the_same_bits() {
    replays("stencil");
}

/// An array of doubles in NumPy's format.
fn array(path: &Path, elements: &[f64]) {
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({},), }}", elements.len());
    header += &" ".repeat(128 - 11 - header.len());
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend_from_slice(header.as_bytes());
    bytes.push(b'\n');
    elements.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
    fs::write(path, bytes).unwrap();
}

/// A trace of an expression of x and y.
fn expression(outer: &Path, name: &str, expression: &str) -> PathBuf {
    let (x, y, folder) = (outer.join("x.npy"), outer.join("y.npy"), outer.join(name));
    array(&x, &[1.0, 2.0, 3.0, f64::NAN, 0.0, -6.0]);
    array(&y, &[0.5, 0.25, 8.0, 1.0, 0.0, f64::INFINITY]);
    let [x, y] = [("x", &x), ("y", &y)].map(|(name, path)| format!("{name}={}", path.display()));
    traced(&["eval", expression, "--array", &x, "--array", &y], &folder, "");
    folder
}

/// The folder of the one launch of a trace.
fn launch(folder: &Path) -> PathBuf {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut launches: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    launches.sort();
    launches.remove(0)
}

#[test]
fn a_changed_source_is_wrong_in_a_named_element() {
    if for_tests().is_empty() {
        return;
    }
    let outer = tempfile::tempdir().unwrap();
    let case = launch(&expression(outer.path(), "t", "x*2.0 + y*3.0"));
    let source = fs::read_to_string(case.join("source.cl")).unwrap();
    // Constants of an expression are arguments of its kernel.
    assert!(source.contains("(a1)"), "{source}");
    let changed = outer.path().join("changed.cl");
    fs::write(&changed, source.replace("(a1)", "(a1 + 1.0)")).unwrap();
    let case = case.to_str().unwrap();
    let output = replay(&[case, "--kernel", changed.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stdout);
    assert!(told.contains("wrong: '") && told.contains("element 0 is 4.0 instead of 3.5"), "{told}");
    let output = replay(&[case, "--kernel", changed.to_str().unwrap(), "--check", "10"]);
    assert!(output.status.success(), "{}", text(&output.stdout));
    let output = replay(&[case, "--time"]);
    assert!(output.status.success() && text(&output.stdout).contains("us in the middle of 10"), "{output:?}");
    let languages = [
        ("opencl", "__kernel"),
        ("cuda", "__global__"),
        ("hip", "hip_runtime"),
        ("c99", "#include"),
        ("c-vectors", "#include"),
        ("fortran", "subroutine"),
    ];
    for (language, told) in languages {
        let output = replay(&[case, "--text", language]);
        assert!(output.status.success() && text(&output.stdout).contains(told), "{language}: {output:?}");
    }
}

#[test]
fn traces_of_two_expressions_differ_in_a_launch() {
    if for_tests().is_empty() {
        return;
    }
    let outer = tempfile::tempdir().unwrap();
    let good = expression(outer.path(), "good", "x*2.0 + y");
    let bad = expression(outer.path(), "bad", "x*2.0 - y");
    let [a, b] = [&good, &bad].map(|path| path.to_str().unwrap());
    let output = replay(&["--diff", a, b]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stdout);
    assert!(told.contains("launch 0 of ") && told.contains("the inputs agree, and '"), "{told}");
    assert!(told.contains("element 0 is 1.5 instead of 2.5") && told.contains("the sources differ"), "{told}");
    let output = replay(&["--diff", a, b, "--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&document["first"]["launches"][0], &document["compared"]), (&0.into(), &1.into()));
}

#[test]
fn a_packed_case_replays_and_redaction_leaves_classes_alone() {
    if for_tests().is_empty() {
        return;
    }
    let outer = tempfile::tempdir().unwrap();
    let folder = expression(outer.path(), "t", "x*2.0 + y");
    let (case, packed) = (launch(&folder), outer.path().join("case.zip"));
    let out = packed.to_str().unwrap();
    for what in [case.to_str().unwrap(), folder.to_str().unwrap()] {
        let output = replay(&["pack", what, "--out", out]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let all = verdicts(&[out]);
        assert!(all.iter().all(|(verdict, _)| verdict == "right") && !all.is_empty());
    }
    assert!(replay(&["--diff", out, folder.to_str().unwrap()]).status.success(), "a packed trace is one");
    let hidden = outer.path().join("hidden.zip");
    let output = replay(&["pack", case.to_str().unwrap(), "--redact", "--out", hidden.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(verdicts(&[hidden.to_str().unwrap()]).iter().all(|(verdict, _)| verdict == "right"));
    let [open, closed] = [&packed, &hidden].map(|path| fs::read(path).unwrap());
    assert_ne!(open, closed);
}

#[test]
fn malformed_cases_give_exit_code_2_and_write_nothing() {
    let outer = tempfile::tempdir().unwrap();
    let path = |name: &str| outer.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir(path("empty")).unwrap();
    fs::create_dir(path("case")).unwrap();
    fs::write(path("case/launch.json"), "{\"format\": 1}").unwrap();
    fs::write(path("file.zip"), "no archive").unwrap();
    fs::create_dir(path("trace")).unwrap();
    fs::write(path("trace/trace.jsonl"), "{}\n").unwrap();
    for (arguments, told) in [
        (vec![path("absent")], "absent"),
        (vec![path("empty")], "it has no launch.json"),
        (vec![path("case"), "--text".into(), "opencl".into()], "launch.json: missing field"),
        (vec![path("file.zip")], "neither a folder nor packed"),
        (vec!["--diff".into(), path("trace"), path("trace")], "trace.jsonl, line 1"),
        (vec!["pack".into(), path("case")], "launch.json"),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = replay(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(text(&output.stderr).contains(told), "{arguments:?}: {}", text(&output.stderr));
    }
    if !for_tests().is_empty() {
        let output = replay(&[&path("case")]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(text(&output.stdout).contains("malformed: launch.json"), "{}", text(&output.stdout));
    }
    assert_eq!(fs::read_dir(outer.path()).unwrap().count(), 4, "nothing was written");
}
