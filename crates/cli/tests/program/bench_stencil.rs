//! `affinimath bench stencil` as its users run it.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

use super::text;

fn bench(arguments: &[&str]) -> Output {
    let short = ["--seconds", "0.001", "--rounds", "1"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_affinimath"));
    command.args(["bench", "stencil"]).args(arguments).args(short).output().unwrap()
}

/// The report of a run that must succeed.
fn report(arguments: &[&str]) -> Value {
    let output = bench(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The message of a run that must fail.
fn refusal(arguments: &[&str]) -> String {
    let output = bench(arguments);
    assert!(!output.status.success());
    text(&output.stderr).to_owned()
}

#[test]
fn cases_have_rates_parts_of_a_copy_and_roofs() {
    let report = report(&["--device", "host", "--no-peers", "--sizes", "12,17", "--steps", "1,3"]);
    assert_eq!((&report["schema"], &report["unit"]), (&"affinimath/bench-stencil/1".into(), &"Gpoint/s".into()));
    let cases = report["cases"].as_array().unwrap();
    // Names, types, sizes and numbers of steps.
    assert_eq!(cases.len(), 14 * 2 * 2 * 2);
    for case in cases {
        let result = &case["results"][0];
        assert_eq!((&result["correct"], &result["error"]), (&true.into(), &0.0.into()), "{case}");
        let positive = |value: &Value| value.as_f64().is_some_and(|value| value > 0.0);
        assert!(positive(&result["rate"]) && positive(&result["of_copy"]) && positive(&result["bandwidth"]), "{case}");
        let roofs: Vec<_> = case["roofs"].as_array().unwrap().iter().map(|roof| &roof["name"]).collect();
        assert_eq!(roofs, ["copy", "copy in caches", "multiply-adds"], "{case}");
    }
    let steps: Vec<_> = cases[..4].iter().map(|case| (&case["variant"], &case["sizes"]["n"])).collect();
    assert_eq!(
        format!("{steps:?}"),
        r#"[(String(""), Number(12)), (String(""), Number(17)), "#.to_owned()
            + r#"(String("3 steps"), Number(12)), (String("3 steps"), Number(17))]"#
    );
}

#[test]
fn a_file_is_measured_with_its_parameters_and_strategies_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let stencil = "stencil ring {
      domainsize = (1 .. nx, 1 .. ny);
      operation (double grid u, double param k) { u[x,y; t+1] = u[x,y; t] + k * (u[x-1,y; t] - u[x,y; t]); }
      boundary { u: x = 0; y = 0; }
    }";
    fs::write(path("ring.stc"), stencil).unwrap();
    let file = path("ring.stc");
    let plot = path("ring.svg");
    let what = ["--device", "host", "--cases", &file, "--types", "d", "--sizes", "16,40", "--param", "k=0.25"];
    let strategies = ["--strategy", "naive", "--strategy", "wavefront", "--plot", &plot, "--no-peers"];
    let output = bench(&[&what[..], &strategies].concat());
    let table = text(&output.stdout);
    assert!(output.status.success(), "{table}{}", text(&output.stderr));
    let rows = |start: &str| table.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((rows("D     ring naive"), rows("D     ring wavefront")), (2, 2), "{table}");
    let drawn = fs::read_to_string(&plot).unwrap();
    assert!(drawn.contains("Dring naive") && drawn.contains("Gpoint/s"));
}

#[test]
fn no_case_begins_after_the_time_limit() {
    let what = ["--device", "host", "--no-peers", "--cases", "laplacian,wave", "--sizes", "8", "--within", "0.000001"];
    let report = report(&what);
    assert_eq!(report["cases"].as_array().unwrap().len(), 0);
    assert_eq!(report["notes"][0], "4 of 4 cases were left out: there was no time for them");
}

#[test]
fn what_cannot_be_measured_is_told() {
    let host = |arguments: &[&str]| refusal(&[&["--device", "host", "--no-peers", "--sizes", "8"], arguments].concat());
    for (arguments, told) in [
        (&["--cases", "laplace"][..], "there is no case laplace: give laplacian, "),
        (&["--cases", "no/such.stc"], "cannot read no/such.stc: "),
        (&["--types", "c"], "stencils have real elements: give --types s,d"),
        (&["--cases", "wave", "--param", "k=1"], "no case has a parameter k"),
        (&["--cases", "wave", "--param", "k"], "a parameter is NAME=VALUE, as in k=0.2"),
        (&["--cases", "wave", "--steps", "0"], "0 is not in 1..=1000000"),
        (&["--cases", "wave", "--strategy", "diagonal"], "diagonal"),
    ] {
        let message = host(arguments);
        assert!(message.contains(told), "{arguments:?}: {message}");
    }
    let message = refusal(&["--device", "host", "--against", "numpy"]);
    assert!(
        message.contains("numpy computes no stencils here: give devito, pystencils, numba, torch, jax"),
        "{message}"
    );
}

#[test]
fn an_interpreter_without_libraries_leaves_notes_and_our_rates() {
    let what = ["--device", "host", "--cases", "laplacian", "--types", "s", "--sizes", "8", "--python", "/no/such"];
    let report = report(&what);
    let notes: Vec<_> = report["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect();
    assert_eq!(notes.len(), 5);
    assert!(notes[0].starts_with("without devito: '/no/such' cannot be started"), "{notes:?}");
    assert_eq!(report["cases"][0]["results"].as_array().unwrap().len(), 1);
}
