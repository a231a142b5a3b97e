//! `affinimath tune kernel` as its users run it.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use affinimath::kernel::{Index, Kernel};
use affinimath::replay::Case;
use affinimath_opencl::device::{DeviceClass, for_tests};
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
fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_affinimath"));
    command.current_dir(folder).args(arguments);
    command.env("AFFINIMATH_TUNING_DIR", folder.join("database")).env("AFFINIMATH_CACHE", "off");
    command
}

fn program(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, &[&["tune", "kernel", "scaled.cl"], arguments].concat()).output().unwrap()
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
        assert_eq!((run["seconds"].is_null(), run["reading"].is_null()), (is_faulty, is_faulty));
        if !is_faulty {
            assert_eq!((&run["value"], &run["reading"]["wall_seconds"]), (&run["seconds"], &run["seconds"]));
            assert!(run["reading"]["device_seconds"].as_f64().is_none_or(|seconds| seconds > 0.0), "{run}");
            assert_eq!(run["reading"]["joules"], Value::Null, "no energy was asked for");
        }
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
    let mut bare = Case::load(folder.path().join("case")).unwrap();
    bare.recorded_mut().record.memories.iter_mut().for_each(|memory| (memory.changed, memory.after) = (None, None));
    bare.recorded_mut().memories.iter_mut().for_each(|memory| memory.after = None);
    bare.recorded().save(&folder.path().join("bare")).unwrap();
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
        (&["--case", "case", "--parameter", "each=1", "--objective", "heat"], "none of time, device-time, energy"),
        (&["--case", "bare", "--parameter", "each=1"], "--unchecked does without"),
        (&["--case", "case", "--space", "other.json"], "no space in the format T1"),
    ] {
        let output = program(folder.path(), arguments);
        let said = text(&output.stderr);
        assert!(!output.status.success() && said.contains(reason), "{arguments:?}: {said}");
        assert!(!folder.path().join("database").exists());
    }
}

/// A folder like Linux's powercap, whose package takes 100 W while `work` runs.
fn with_powercap<V>(folder: &Path, work: impl FnOnce(&Path) -> V) -> V {
    let (powercap, ends, start) = (folder.join("powercap"), AtomicBool::new(false), Instant::now());
    let zone = powercap.join("intel-rapl:0");
    std::fs::create_dir_all(&zone).unwrap();
    // The counter begins anew every 20 ms.
    let range = 2_000_000;
    let tick = || {
        let microjoules = (start.elapsed().as_secs_f64() * 100e6) as u64 % range;
        std::fs::write(zone.join("next"), microjoules.to_string()).unwrap();
        std::fs::rename(zone.join("next"), zone.join("energy_uj")).unwrap();
    };
    std::fs::write(zone.join("name"), "package-0\n").unwrap();
    std::fs::write(zone.join("max_energy_range_uj"), range.to_string()).unwrap();
    tick();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ends.load(Ordering::Relaxed) {
                tick();
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        let value = work(&powercap);
        ends.store(true, Ordering::Relaxed);
        value
    })
}

/// True on a device whose energy is that of the host's processors.
fn is_cpu() -> bool {
    for_tests().first().is_some_and(|device| device.info().class == DeviceClass::Cpu)
}

#[test]
fn the_energy_of_launches_is_an_objective() {
    if !is_cpu() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    record(folder.path());
    let arguments = ["--parameter", "block_size_x=8,64", "--parameter", "each=1", "--parameter", "fault=0"];
    let arguments = [&SEARCH[..], &arguments, &["--objective", "energy", "--export", "t4.json"]].concat();
    let words = [&["tune", "kernel", "scaled.cl"], &arguments[..]].concat();
    let output = with_powercap(folder.path(), |powercap| {
        command(folder.path(), &words).env("AFFINIMATH_POWERCAP", powercap).output().unwrap()
    });
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&found["objective"], &found["unit"]), (&"energy".into(), &"J".into()));
    let runs = found["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2, "{found}");
    for run in runs {
        assert_eq!((&run["invalidity"], &run["seconds"]), (&"correct".into(), &Value::Null), "{run}");
        assert_eq!(run["value"], run["reading"]["joules"], "{run}");
    }
    let t4: Value = serde_json::from_slice(&std::fs::read(folder.path().join("t4.json")).unwrap()).unwrap();
    assert_eq!(t4["results"][0]["objectives"], Value::from(["energy"].as_slice()));
    let measurements = t4["results"][0]["measurements"].as_array().unwrap();
    assert_eq!((&measurements[0]["name"], &measurements[0]["unit"]), (&"energy".into(), &"joules".into()));
    assert!(measurements.iter().any(|measurement| measurement["name"] == "time"), "{t4}");
}

#[test]
fn an_objective_that_cannot_be_measured_is_told_before_the_search() {
    if !is_cpu() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    record(folder.path());
    let space = ["--parameter", "block_size_x=8,64", "--parameter", "each=1", "--objective", "energy-delay"];
    let arguments = [&SEARCH[..], &space].concat();
    let arguments = [&["tune", "kernel", "scaled.cl"], &arguments[..], &["--runs", "runs.jsonl"]].concat();
    let output = command(folder.path(), &arguments).env("AFFINIMATH_POWERCAP", "off").output().unwrap();
    let said = text(&output.stderr);
    assert!(!output.status.success() && said.contains("energy-delay of "), "{said}");
    assert!(said.contains("cannot be measured here: AFFINIMATH_POWERCAP is off"), "{said}");
    assert!(!folder.path().join("runs.jsonl").exists(), "the search has not begun");
}

#[test]
fn replays_have_times_and_energy() {
    if !is_cpu() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    record(folder.path());
    let words = ["replay", "case", "--time", "--energy", "--json", "both.json"];
    let output = with_powercap(folder.path(), |powercap| {
        command(folder.path(), &words).env("AFFINIMATH_POWERCAP", powercap).output().unwrap()
    });
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("in the middle of 10") && shown.contains(" mJ (powercap)"), "{shown}");
    let read =
        || -> Value { serde_json::from_slice(&std::fs::read(folder.path().join("both.json")).unwrap()).unwrap() };
    let case = read()["cases"][0].clone();
    assert!(case["energy"] == "powercap" && case["reading"]["joules"].as_f64().unwrap() > 0.0, "{case}");
    assert!(case["reading"]["device_seconds"].as_f64().is_none_or(|seconds| seconds > 0.0), "{case}");
    let output = command(folder.path(), &words).env("AFFINIMATH_POWERCAP", "off").output().unwrap();
    assert!(output.status.success(), "an absent instrument is no error");
    assert!(text(&output.stdout).contains("no energy: AFFINIMATH_POWERCAP is off"), "{}", text(&output.stdout));
    let case = read()["cases"][0].clone();
    assert_eq!((&case["energy"], &case["reading"]["joules"]), (&Value::Null, &Value::Null), "{case}");
}

/// y := a x + y with faults: wrong results, a text that is refused, one that the compiler crashes on, an endless loop,
/// and writes behind the end, near and far.
const HARD: &str = "
#if fault == 2
#error refused
#elif fault == 3
#pragma clang __debug crash
#endif
kernel void scaled(long n, float a, global const float *x, global float *y)
{
  long i = get_global_id(0);
  if (i < n)
    y[i] = a * x[i] + y[i] + (fault == 1 && i == n - 1 ? 1.0f : 0.0f);
#if fault == 4
  for (volatile global float *turns = y; turns[n - 1] != -1.0f;)
    turns[0] = 0.0f;
#elif fault == 5
  if (i == 0)
    y[n] = 0.0f;
#elif fault == 6
  y[i + (1L << 40)] = 0.0f;
#endif
}
";

/// Lines of a file of runs, as (points that were begun, points that have ended).
fn begun_and_ended(path: &Path) -> (Vec<Value>, Vec<Value>) {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let (mut begun, mut ended) = (Vec::new(), Vec::new());
    for line in lines {
        if let Some(point) = line.get("trying") {
            begun.push(point.clone());
        }
        if let Some(run) = line.get("tried") {
            ended.push(run["configuration"].clone());
        }
    }
    (begun, ended)
}

#[test]
fn a_hard_space_is_searched_to_its_end_though_the_search_is_killed_ten_times() {
    // Its compiler is in the process, and crashes with it.
    if !for_tests().first().is_some_and(|device| device.info().platform.starts_with("Portable")) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    record(folder.path());
    std::fs::write(folder.path().join("hard.cl"), HARD).unwrap();
    let runs = folder.path().join("runs.jsonl");
    let words = ["tune", "kernel", "hard.cl", "--case", "case", "--kernel", "scaled", "--device", "0", "--json"];
    let search = ["--strategy", "exhaustive", "--limit", "6", "--runs", "runs.jsonl"];
    let space = ["--parameter", "fault=6,4,3,0,2,1,5", "--parameter", "block_size_x=16,64"];
    let words = [&words[..], &search, &space].concat();
    let mut kills = 0;
    while kills < 10 {
        let known = begun_and_ended(&runs).1.len();
        let mut child = command(folder.path(), &words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let start = Instant::now();
        while begun_and_ended(&runs).1.len() == known {
            assert!(child.try_wait().unwrap().is_none(), "it ended after {known} points");
            assert!(start.elapsed() < Duration::from_secs(120), "{known} points are known, and no other one");
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    let output = command(folder.path(), &words).output().unwrap();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let all = found["runs"].as_array().unwrap();
    assert_eq!(all.len(), 14, "{found}");
    assert!(found["measured_now"].as_u64().unwrap() <= 4, "ten runs and more were known: {found}");
    for run in all {
        let (invalidity, told) = match run["configuration"]["fault"].as_i64().unwrap() {
            0 => ("correct", ""),
            1 => ("correctness", "element 999"),
            2 => ("compile", "refused"),
            3 | 6 => ("runtime", "it ended the process"),
            4 => ("timeout", "longer than 6 s"),
            _ => ("correctness", "behind the end of 'y' (argument 3)"),
        };
        assert_eq!(run["invalidity"], invalidity, "{run}");
        assert!(run["message"].as_str().unwrap_or_default().contains(told), "{run}");
    }
    let (begun, ended) = begun_and_ended(&runs);
    let times = |points: &[Value]| {
        let mut times: HashMap<String, usize> = HashMap::new();
        points.iter().for_each(|point| *times.entry(point.to_string()).or_default() += 1);
        times
    };
    assert_eq!((times(&ended).len(), ended.len()), (14, 14), "no point is measured twice");
    assert!(begun.len() <= ended.len() + kills, "a point that a kill interrupted is begun once more");
    match &found["best"] {
        Value::Null => {}
        best => assert_eq!(best["configuration"]["fault"], 0, "{best}"),
    }
}

#[test]
fn a_search_without_a_recorded_launch_begins_with_a_point_that_works() {
    if for_tests().is_empty() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    record(folder.path());
    // A source of its own that cannot be built without parameters.
    std::fs::write(folder.path().join("case/source.cl"), SOURCE).unwrap();
    let arguments = ["--baseline", "first", "--parameter", "fault=1,0", "--parameter", "each=1,2"];
    let output = program(folder.path(), &[&SEARCH[..], &arguments, &["--parameter", "block_size_x=32"]].concat());
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&found["baseline"], &found["best"]["configuration"]["fault"]),
        (&"the first point that works".into(), &0.into())
    );
    assert!(found["gain"].as_f64().unwrap() >= 1.0 && found["file"].is_string(), "it is recorded at any gain: {found}");
    let unchecked = ["--baseline", "first", "--unchecked", "--parameter", "fault=1", "--parameter", "each=1"];
    let arguments: Vec<&str> = [&SEARCH[..], &unchecked, &["--parameter", "block_size_x=32"]].concat();
    let output = program(folder.path(), &arguments);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["runs"][0]["invalidity"], "correct", "nothing is compared: {found}");
    let none = ["--baseline", "first", "--parameter", "fault=1", "--parameter", "each=1"];
    let output = program(folder.path(), &[&SEARCH[..], &none, &["--parameter", "block_size_x=32"]].concat());
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&found["best"], &found["file"]), (&Value::Null, &Value::Null), "no point works: {found}");
}
