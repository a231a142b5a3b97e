//! `affinimath bench array` as its users run it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use affinimath_opencl::device::for_tests;
use serde_json::Value;

use super::text;

/// Little time for each case.
const SHORT: [&str; 4] = ["--seconds", "0.001", "--rounds", "1"];

fn bench(family: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_affinimath")).arg("bench").arg(family).args(arguments).output().unwrap()
}

fn bench_array(arguments: &[&str]) -> Output {
    bench("array", &[arguments, &SHORT].concat())
}

/// The report of a run that must succeed.
fn report(arguments: &[&str]) -> Value {
    let output = bench_array(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn cases<'a>(report: &'a Value, routine: &str) -> Vec<&'a Value> {
    report["cases"].as_array().unwrap().iter().filter(|case| case["routine"] == routine).collect()
}

#[test]
fn every_case_has_a_row_with_its_rate_time_and_part_of_the_copy() {
    let report = report(&["--device", "host", "--no-peers", "--sizes", "1000,4096"]);
    assert_eq!((&report["schema"], &report["operation"]), (&"affinimath/bench-array/1".into(), &"array".into()));
    assert_eq!((&report["unit"], &report["memory"]), (&"GB/s".into(), &"host".into()));
    assert!(report["device"].is_null() && report["notes"].is_null());
    assert_eq!(report["contenders"].as_array().unwrap().len(), 1);
    for case in report["cases"].as_array().unwrap() {
        let result = &case["results"][0];
        assert_eq!(result["correct"], true, "{case}");
        assert!(result["rate"].as_f64().unwrap() > 0.0 && result["median_seconds"].as_f64().unwrap() > 0.0, "{case}");
        assert!(case["sizes"]["elements"].as_u64().unwrap() >= 900, "{case}");
        let moves_memory = !["small", "new-shape", "first-call"].contains(&case["routine"].as_str().unwrap());
        assert_eq!(result["of_copy"].as_f64().is_some_and(|part| part > 0.0), moves_memory, "{case}");
    }
    for (routine, count) in [
        ("copy", 4 * 2),
        ("axpy", 2 * 2),
        ("sqrt", 2 * 2),
        ("exp", 2 * 2),
        ("sin", 2 * 2),
        ("normcdf", 2 * 2),
        ("dot", 2 * 2),
        ("rowsum", 2 * 2),
        ("colsum", 2 * 2),
        ("transpose", 2 * 2),
        ("rows", 2 * 2),
        ("strided", 2 * 2),
        ("cumsum", 2 * 2),
        ("black-scholes", 2 * 2),
        ("softmax", 2 * 2),
        ("heat", 2 * 2),
        ("select", 2 * 2),
        ("complex", 2 * 2),
        ("small", 2 * 2),
        ("new-shape", 2),
        ("first-call", 2 * 2),
    ] {
        assert_eq!(cases(&report, routine).len(), count, "{routine}");
    }
    assert_eq!(cases(&report, "copy")[0]["results"][0]["of_copy"], 1.0);
    assert_eq!(cases(&report, "axpy")[1]["work"], 3.0 * 4096.0 * 4.0);
    let variants: Vec<_> = cases(&report, "first-call").into_iter().map(|case| &case["variant"]).collect();
    assert_eq!(variants, ["cold", "warm", "cold", "warm"]);
}

#[test]
fn cases_and_types_are_those_that_are_asked_for_and_the_copy() {
    let output =
        bench_array(&["--device", "host", "--no-peers", "--size", "64", "--case", "dot,complex", "--type", "d,c"]);
    let table = text(&output.stdout);
    assert!(output.status.success(), "{table}{}", text(&output.stderr));
    let columns = table.lines().find(|line| line.starts_with("type  case")).unwrap();
    assert_eq!(
        columns.split_whitespace().collect::<Vec<_>>().join(" "),
        "type case elements time affinimath min..max of copy error"
    );
    let rows: Vec<String> = table
        .lines()
        .filter(|line| line.starts_with("D ") || line.starts_with("C "))
        .map(|line| line.split_whitespace().take(3).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(rows, ["D copy 64", "D dot 64", "C copy 64", "C complex 64"], "{table}");
    let small = report(&["--device", "host", "--no-peers", "--cases", "small", "--types", "s"]);
    assert!(cases(&small, "copy").is_empty() && cases(&small, "small").len() == 2);
}

#[test]
fn an_interpreter_that_fails_leaves_a_note_and_our_rates() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("python");
    for (script, told) in [
        ("echo no JSON; cat", "without numpy: its answer is not understood: 'no JSON'"),
        ("exit 1", "without numpy: it ended (exit status: 1)"),
        ("sleep 1000", "without numpy: it gave no answer within 1 s"),
    ] {
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let python = ["--python", path.to_str().unwrap(), "--limit", "1"];
        let what = ["--device", "host", "--cases", "axpy", "--types", "s", "--sizes", "64"];
        let output = bench_array(&[&what[..], &python, &["--against", "numpy"]].concat());
        let table = text(&output.stdout);
        assert!(output.status.success(), "{table}{}", text(&output.stderr));
        assert!(table.contains(told) && table.lines().any(|line| line.starts_with("S     axpy")), "{table}");
    }
    let nowhere =
        report(&["--device", "host", "--cases", "axpy", "--types", "s", "--sizes", "64", "--python", "/no/such"]);
    let notes = nowhere["notes"].as_array().unwrap();
    assert_eq!(notes.len(), 5);
    assert!(notes[0].as_str().unwrap().contains("'/no/such' cannot be started"), "{notes:?}");
}

#[test]
fn numpy_stands_beside_our_rates_where_python_has_it() {
    let what = ["--device", "host", "--cases", "axpy,softmax,complex,first-call", "--sizes", "1000"];
    let report = report(&[&what[..], &["--against", "numpy", "--against", "numexpr"]].concat());
    let contenders = report["contenders"].as_array().unwrap();
    let Some(numpy) = contenders.iter().position(|peer| peer["name"] == "numpy") else {
        println!("not tested: {}", report["notes"][0]);
        return;
    };
    assert!(contenders[numpy]["version"].as_str().unwrap().contains('.') && contenders[numpy]["threads"] == 1);
    for routine in ["copy", "axpy", "softmax", "complex"] {
        for case in cases(&report, routine) {
            let result = &case["results"][numpy];
            assert_eq!(result["correct"], true, "{case}");
            assert!(result["ratio"].as_f64().unwrap() > 0.0 && result["of_copy"].as_f64().unwrap() > 0.0, "{case}");
        }
    }
    for result in cases(&report, "first-call").iter().map(|case| &case["results"][numpy]) {
        let is_without_scipy = result["failure"].as_str().is_some_and(|reason| reason.contains("SciPy is not there"));
        assert!(result["correct"] == true || is_without_scipy, "{result}");
    }
}

#[test]
fn arrays_in_a_devices_memory_are_right_too() {
    if for_tests().is_empty() {
        return;
    }
    let what =
        ["--device", "0", "--no-peers", "--cases", "axpy,black-scholes,small", "--types", "s", "--sizes", "1000"];
    let report = report(&what);
    assert_eq!(report["memory"], "device");
    assert!(report["cases"].as_array().unwrap().iter().all(|case| case["results"][0]["correct"] == true), "{report}");
}

#[test]
fn arrays_that_cannot_be_measured_are_told() {
    for (arguments, code, told) in [
        (&["--cases", "axpie"][..], 2, "the cases are copy, axpy"),
        (&["--no-peers", "--against", "numpy"], 2, "--no-peers"),
        (&["--limit", "0"], 2, "between 0 and 3600 seconds"),
        (&["--no-peers", "--sizes", "8"], 1, "sizes are 16 to"),
        (&["--no-peers", "--sizes", "2^41"], 1, "sizes are 16 to"),
        (&["--cases", "complex", "--types", "s"], 1, "the case complex has the types c,z"),
        (&["--against", "faer"], 1, "faer has no arrays"),
        (&["--against", "cupy"], 1, "cupy does not run on the host"),
        (&["--no-peers", "--sizes", "2^40"], 1, "choose smaller sizes"),
    ] {
        let output = bench_array(&[&["--device", "host"], arguments].concat());
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        assert!(error.contains(told), "{arguments:?}: {error}");
    }
    for family in ["gemm", "fft", "sparse"] {
        let output = bench(family, &["--device", "host", "--against", "numpy"]);
        assert!(text(&output.stderr).contains("numpy is measured by `affinimath bench array` only"));
    }
    let help = text(&bench("array", &["--help"]).stdout);
    assert!(help.contains("black-scholes") && help.contains("Examples:") && !help.contains("--once"), "{help}");
}
