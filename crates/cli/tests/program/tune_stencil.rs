//! `affinimath tune stencil` as its users run it, on a device that takes the strategies of GPUs.

use std::path::Path;
use std::process::{Command, Output};

use affinimath_opencl::device::for_tests;
use serde_json::Value;

use super::text;

const HEAT: &str = "stencil heat {
  domainsize = (1 .. n, 1 .. m);
  operation (float grid u, float param k) {
    u[x,y; t+1] = u[x,y; t] + k * ({ d in axes } sum(u[d-1; t] + u[d+1; t]) - 4 * u[x,y; t]);
  }
  boundary { u: x = periodic; y = reflect; }
}";

/// The program with an empty tuning database in a folder that has the stencil.
fn program(folder: &Path, arguments: &[&str]) -> Output {
    std::fs::write(folder.join("heat.stc"), HEAT).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_affinimath"));
    command.current_dir(folder).args(arguments);
    command.env("AFFINIMATH_TUNING_DIR", folder.join("database")).env("AFFINIMATH_CACHE", "off");
    command.env("AFFINIMATH_DEVICE_CLASS", "gpu").output().unwrap()
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

const SIZES: [&str; 4] = ["--size", "n=64", "--size", "m=48"];

#[test]
fn a_search_measures_strategies_with_the_right_bits_and_goes_on() {
    if for_tests().is_empty() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let tune = [
        "tune",
        "stencil",
        "heat.stc",
        "--device",
        "0",
        "--limit",
        "5",
        "--runs",
        "runs.jsonl",
        "--plot",
        "heat.svg",
        "--json",
    ];
    let first = json(&program(folder.path(), &[&tune[..], &SIZES, &["--budget", "5"]].concat()));
    let runs = first["runs"].as_array().unwrap();
    assert_eq!((runs.len(), &first["measured_now"]), (5, &5.into()), "{first}");
    assert!(runs.iter().all(|run| run["invalidity"] != "correctness"), "{first}");
    assert!(runs.iter().any(|run| run["invalidity"] == "correct"), "{first}");
    assert_eq!(first["model"][0], "naive", "a small domain");
    assert!(std::fs::read_to_string(folder.path().join("heat.svg")).unwrap().contains("heat"));
    let second = json(&program(folder.path(), &[&tune[..], &SIZES, &["--budget", "6"]].concat()));
    assert_eq!((&second["runs"].as_array().unwrap().len(), &second["measured_now"]), (&6, &1.into()), "{second}");
}

#[test]
fn what_was_recorded_counts_for_the_next_process_where_it_fits() {
    let Some(device) = for_tests().first() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = |sizes: &[&str]| {
        let stencil = ["stencil", "heat.stc", "--device", "0", "--param", "k=0.2", "--grid", "u=random:1"];
        json(&program(folder.path(), &[&stencil[..], sizes, &["--steps", "9", "--check", "--json"]].concat()))
    };
    let strategy = |sizes: &[&str]| run(sizes)["strategy"].as_str().unwrap().to_owned();
    assert_eq!(strategy(&SIZES), "naive");
    let fits = "overlap:steps=3,items=32x1,points=2x1,planes=16,unroll=2,prefetch=2";
    let info = device.info();
    let digest = affinimath::stencil::Stencil::parse(HEAT).unwrap().digest();
    let record = |strategy: &str, lengths: [usize; 2]| {
        serde_json::json!({
            "library": "0.1.0", "device": info.name, "driver": info.driver, "definition": digest, "name": "heat",
            "lengths": lengths, "strategy": strategy, "seconds": 1.0, "default_seconds": 1.5, "evaluations": 5,
        })
    };
    let does_not_fit = fits.replace("items=32x1", "items=2x1");
    let lines = [record(fits, [64, 48]), record(&does_not_fit, [64, 48]), record("of another time", [64, 48])];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::create_dir(folder.path().join("database")).unwrap();
    std::fs::write(folder.path().join("database/stencils.jsonl"), text).unwrap();
    let found = run(&SIZES);
    assert_eq!(found["strategy"], fits);
    assert_eq!(found["check"]["different"], 0, "{found}");
    assert_eq!(strategy(&["--size", "n=100", "--size", "m=60"]), fits, "a domain near it");
    assert_eq!(strategy(&["--size", "n=600", "--size", "m=60"]), "naive", "another domain");
}

#[test]
fn what_cannot_be_tuned_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str], reason: &str| {
        let output = program(folder.path(), &[&["tune", "stencil"], arguments].concat());
        assert_eq!(output.status.code(), Some(if reason.contains("required") { 2 } else { 1 }), "{arguments:?}");
        assert!(text(&output.stderr).contains(reason), "{arguments:?}: {}", text(&output.stderr));
    };
    refused(&["heat.stc"], "required");
    refused(&["heat.stc", "--size", "n"], "a size is NAME=VALUE");
    refused(&["heat.stc", "--problem", "n=8,m=8@0"], "the weight is no positive number");
    refused(&["missing.stc", "--size", "n=8"], "missing.stc");
    if !for_tests().is_empty() {
        refused(&["heat.stc", "--device", "0", "--size", "n=8"], "m");
        std::fs::write(
            folder.path().join("line.stc"),
            "stencil line { domainsize = (1 .. n); operation (float grid u) { u[x; t+1] = u[x-1; t]; } }",
        )
        .unwrap();
        refused(&["line.stc", "--device", "0", "--size", "n=8"], "there is no strategy of 'line' to choose");
    }
}

const BLOCKS: &str = "strategy blocks (domain u, auto dim cb = ({64, 32}, {1, 2, 4}), auto int chunk = {1, 2}) {
  for t = 1 .. stencil.t_max
    for subdomain v(cb) in u(:; t) parallel schedule chunk
      for point p in v(:; t)
        v[p; t+1] = stencil(v[p; t]);
}";

#[test]
fn the_parameters_of_a_strategy_s_file_are_searched() {
    if for_tests().is_empty() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("blocks.stg"), BLOCKS).unwrap();
    let tune = ["tune", "stencil", "heat.stc", "--device", "0", "--limit", "20", "--schedule", "blocks.stg", "--json"];
    let found = json(&program(folder.path(), &[&tune[..], &SIZES, &["--budget", "4"]].concat()));
    let runs = found["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 4, "{found}");
    assert!(runs.iter().all(|run| run["invalidity"] == "correct"), "{found}");
    assert_eq!(runs[0]["strategy"], "blocks:cb=64x1,chunk=1", "{found}");
    assert_eq!(found["file"], Value::Null);
    std::fs::write(folder.path().join("part.stg"), BLOCKS.replace("v(:; t)", "v(1, :; t)")).unwrap();
    let mut tune = tune;
    tune[8] = "part.stg";
    let output = program(folder.path(), &[&tune[..], &SIZES].concat());
    assert!(text(&output.stderr).contains("5:9: this statement leaves out the point"), "{}", text(&output.stderr));
}
