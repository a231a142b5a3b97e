//! `affinimath tune kernel` as its users run it.

use std::path::Path;
use std::process::{Command, Output};

use affinimath::kernel::{Index, Kernel};
use affinimath::replay::Case;
use affinimath_opencl::device::for_tests;
use serde_json::Value;

use super::text;

/// y := a x + y with `each` elements of a work-item; with `fault` the last element is wrong.
const SOURCE: &str = "
kernel void scaled(long n, float a, global const float *x, global float *y)
{
  for (long i = get_global_id(0) * each, last = min(n, i + each); i < last; ++i)
    y[i] = a * x[i] + y[i] + (fault && i == n - 1 ? 1.0f : 0.0f);
}
";

const N: usize = 1000;

/// Records a launch of another kernel with the same arguments and results.
fn record(folder: &Path) {
    let kernel = Kernel::build("axpy", |k| {
        let (n, a) = (k.argument::<Index>("n"), k.argument::<f32>("a"));
        let (x, y) = (k.input::<f32>("x"), k.in_out::<f32>("y"));
        let i = k.global_id(0);
        k.when(i.lt(n), || y.store(i, a * x.at(i) + y.at(i)));
    });
    let x: Vec<f32> = (0..N).map(|i| i as f32).collect();
    let y = vec![0.5_f32; N];
    let arguments = [(N as i64).into(), 2.0_f32.into(), (&x).into(), (&y).into()];
    Case::record(folder.join("case"), &kernel.unwrap(), [N.div_ceil(64), 1, 1], [64, 1, 1], arguments).unwrap();
    std::fs::write(folder.join("scaled.cl"), SOURCE).unwrap();
}

/// The program with a tuning database of its own.
fn program(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_affinimath"));
    command.current_dir(folder).args(["tune", "kernel", "scaled.cl"]).args(arguments);
    command.env("AFFINIMATH_TUNING_DIR", folder.join("database")).env("AFFINIMATH_CACHE", "off");
    command.output().unwrap()
}

const SEARCH: [&str; 15] = [
    "--case",
    "case",
    "--kernel",
    "scaled",
    "--device",
    "0",
    "--strategy",
    "exhaustive",
    "--limit",
    "20",
    "--constraint",
    "block_size_x * each <= 512",
    "--groups",
    "(n + block_size_x * each - 1) / (block_size_x * each)",
    "--json",
];

#[test]
fn points_are_measured_checked_and_the_fastest_is_recorded() {
    if for_tests().is_empty() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    record(folder.path());
    let parameters = ["block_size_x=16,128", "each=1,4,8", "fault=false,true"];
    let parameters = parameters.iter().flat_map(|text| ["--parameter", *text]);
    let arguments: Vec<&str> = SEARCH.into_iter().chain(parameters).chain(["--export", "t4.json"]).collect();
    let output = program(folder.path(), &arguments);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["schema"], "affinimath/tune-kernel/1");
    let runs = found["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2 * 5, "16 with each of three and 128 with two, with and without the fault: {found}");
    for run in runs {
        let is_faulty = run["configuration"]["fault"] == true;
        assert_eq!(run["invalidity"], if is_faulty { "correctness" } else { "correct" }, "{run}");
        assert_eq!(run["seconds"].is_null(), is_faulty);
        if is_faulty {
            let message = run["message"].as_str().unwrap();
            assert!(message.contains("'y' (argument 3)") && message.contains("element 999"), "{message}");
        }
    }
    let t4: Value = serde_json::from_slice(&std::fs::read(folder.path().join("t4.json")).unwrap()).unwrap();
    assert_eq!((t4["results"].as_array().unwrap().len(), &t4["metadata"]["kernel"]), (10, &"scaled".into()));
    let database = std::fs::read_to_string(folder.path().join("database/kernels.jsonl")).unwrap_or_default();
    match &found["best"] {
        // A launch of some microseconds may be as fast as the recorded one.
        Value::Null => assert_eq!(database, ""),
        best => {
            let line: Value = serde_json::from_str(database.trim()).unwrap();
            assert_eq!((&line["kernel"], &line["configuration"]), (&"scaled".into(), &best["configuration"]));
            let (block, each) = (&best["configuration"]["block_size_x"], &best["configuration"]["each"]);
            let [block, each] = [block, each].map(|value| value.as_u64().unwrap() as usize);
            assert_eq!((&best["groups"][0], &best["items"][0]), (&N.div_ceil(block * each).into(), &block.into()));
            assert_eq!(best["options"], format!("-Dblock_size_x={block} -Deach={each} -Dfault=0"));
        }
    }
}

#[test]
fn spaces_of_other_tuners_are_read() {
    if for_tests().is_empty() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    record(folder.path());
    let space = r#"{
        "ConfigurationSpace": {
            "TuningParameters": [
                { "Name": "block", "Type": "int", "Values": "[8, 64]", "Default": 8 },
                { "Name": "each", "Type": "int", "Values": "[2, 4]", "Default": 4 }
            ],
            "Conditions": [ { "Expression": "block * each != 256", "Parameters": ["block", "each"] } ]
        },
        "KernelSpecification": {
            "KernelName": "scaled", "CompilerOptions": ["-Dfault=0"],
            "GlobalSizeType": "OpenCL", "GlobalSize": { "X": "(n + each - 1) / each" }, "LocalSize": { "X": "block" }
        }
    }"#;
    std::fs::write(folder.path().join("space.json"), space).unwrap();
    let arguments = ["--case", "case", "--space", "space.json", "--device", "0", "--strategy", "exhaustive", "--json"];
    let output = program(folder.path(), &arguments);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let runs = found["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 3);
    assert!(runs.iter().all(|run| run["invalidity"] == "correct"), "{found}");
    assert_eq!(runs[0]["configuration"]["each"], 4, "the default comes first: {found}");
}

#[test]
fn what_cannot_be_tuned_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path());
    std::fs::write(folder.path().join("other.json"), "{}").unwrap();
    for (arguments, reason) in [
        (&["--case", "case"][..], "there is nothing to tune"),
        (&["--case", "nowhere", "--parameter", "each=1"], "cannot use 'nowhere'"),
        (&["--case", "case", "--parameter", "each"], "NAME=VALUES"),
        (&["--case", "case", "--parameter", "each=1,a"], "neither all integers"),
        (&["--case", "case", "--parameter", "a b=1"], "no name of a definition"),
        (&["--case", "case", "--parameter", "t=unsigned int"], "has a space"),
        (&["--case", "case", "--parameter", "each=1", "--constraint", "eac > 1"], "'eac' is no parameter"),
        (&["--case", "case", "--parameter", "each=1", "--items", "eac"], "'eac' is no parameter"),
        (&["--case", "case", "--parameter", "each=1", "--items", "1;1;1;1"], "three dimensions"),
        (&["--case", "case", "--parameter", "each=1", "--kernel", "a-b"], "no name of a kernel"),
        (&["--case", "case", "--parameter", "each=1", "--tolerance", "near"], "no tolerance"),
        (&["--case", "case", "--space", "other.json"], "no space in the format T1"),
    ] {
        let output = program(folder.path(), arguments);
        let said = text(&output.stderr);
        assert!(!output.status.success() && said.contains(reason), "{arguments:?}: {said}");
        assert!(!folder.path().join("database").exists());
    }
}
