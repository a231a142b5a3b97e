//! `affinimath tune exec` as its users run it: shell scripts are tuned.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::text;

/// Prints a number that is least for 72 and 4. Some blocks end with an exit code, a signal, no number, or never.
const BENCH: &str = r#"#!/bin/sh
n=$1 block=$2 chunk=$3
case $block in
    24) echo $* >> "$LOG"; echo "no memory" >&2; exit 3 ;;
    32) echo $* >> "$LOG"; kill -SEGV $$ ;;
    40) echo $* >> "$LOG"; exec sleep 1000 ;;
    48) echo $* >> "$LOG"; echo wrong; exit 0 ;;
esac
sleep ${DELAY:-0}
echo "points $n"
distance=$((block - 72)); [ $distance -lt 0 ] && distance=$((-distance))
echo "$((100 + distance * 3 + (chunk - 4) * (chunk - 4) * 5))"
echo $* >> "$LOG"
"#;

struct Bench(TempDir);

impl Bench {
    fn new() -> Self {
        let bench = Bench(tempfile::tempdir().unwrap());
        fs::write(bench.path("bench"), BENCH).unwrap();
        fs::set_permissions(bench.path("bench"), fs::Permissions::from_mode(0o755)).unwrap();
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `tune exec` with options before the program, and arguments after it.
    fn command(&self, options: &[&str], arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_affinimath"));
        command.args(["tune", "exec"]).args(options).arg(self.path("bench")).args(arguments);
        command.env("LOG", self.path("log")).current_dir(self.0.path());
        command
    }

    fn tune(&self, options: &[&str], arguments: &[&str]) -> Output {
        self.command(options, arguments).output().unwrap()
    }

    fn report(&self, options: &[&str], arguments: &[&str]) -> Value {
        let output = self.tune(&[options, &["--json"]].concat(), arguments);
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// The arguments of the runs so far, in their order.
    fn log(&self) -> Vec<String> {
        lines(&self.path("log"))
    }
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}

const RANGES: [&str; 3] = ["200", "8:8:200", "1:*2:16"];
const LIMIT: [&str; 2] = ["--limit", "2"];

#[test]
fn every_strategy_tunes_a_script_whose_candidates_fail_in_every_way() {
    let bench = Bench::new();
    let plot = bench.path("best.svg");
    let options =
        ["--strategy", "exhaustive", "--plot", plot.to_str().unwrap(), "--constraint", "($1 + $2 - 1) / $2 >= 3"];
    let report = bench.report(&[&LIMIT[..], &options].concat(), &RANGES);
    // Blocks up to 96 make three blocks of 200.
    let whole: Vec<u64> = (1..=24).map(|index| 8 * index).filter(|block| 200_u64.div_ceil(*block) >= 3).collect();
    assert_eq!(report["evaluations"], whole.len() * 5);
    assert_eq!((&report["failed"], &report["measured_now"]), (&20.into(), &report["evaluations"]));
    assert_eq!((&report["best"]["value"], &report["best"]["configuration"]["$2"]), (&100.0.into(), &72.into()));
    let kinds = |kind: &str| {
        let runs = report["runs"].as_array().unwrap().iter();
        runs.filter(|run| run["invalidity"] == kind && run["value"].is_null()).count()
    };
    assert_eq!((kinds("timeout"), kinds("runtime"), kinds("correctness")), (5, 10, 5));
    assert!(fs::read_to_string(plot).unwrap().contains("best so far"));

    // The runs are there for other strategies, and none is made again.
    let runs = ["--runs", "runs.jsonl"];
    let ranges = ["200", "56:8:96", "1:*2:16"];
    bench.report(&[&runs[..], &["--strategy", "exhaustive"]].concat(), &ranges);
    let before = bench.log().len();
    for strategy in ["greedy", "gce", "hooke-jeeves", "powell", "nelder-mead", "direct", "genetic", "local"] {
        let report = bench.report(&[&runs[..], &["--strategy", strategy, "--budget", "30"]].concat(), &ranges);
        assert_eq!((&report["best"]["value"], &report["measured_now"]), (&100.0.into(), &0.into()), "{strategy}");
    }
    assert_eq!(bench.log().len(), before);
}

#[test]
fn a_search_that_was_killed_goes_on_and_runs_no_candidate_twice() {
    let bench = Bench::new();
    let options = ["--strategy", "hooke-jeeves", "--budget", "40", "--resume", "runs.jsonl", "--seed", "3"];
    let ranges = ["200", "56:8:200", "1:*2:16!"];
    let mut killed = bench.command(&options, &ranges);
    let mut killed = killed.env("DELAY", "0.05").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let tried = || lines(&bench.path("runs.jsonl")).iter().filter(|line| line.contains("\"tried\"")).count();
    let start = Instant::now();
    while tried() < 5 {
        assert!(killed.try_wait().unwrap().is_none() && start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    let before = tried();
    // The candidate that ran when the search was killed has been ended, or has logged its arguments by now.
    std::thread::sleep(Duration::from_millis(300));
    let logged = bench.log().len();
    assert!((before..=before + 1).contains(&logged), "{before} in the file, {logged} logged");
    let report = bench.report(&options, &ranges);
    assert_eq!(report["evaluations"], 40);
    assert_eq!(report["measured_now"], 40 - before);
    let log = bench.log();
    let again = log[logged..].iter().filter(|run| log[..before].contains(run)).count();
    assert_eq!(again, 0, "{log:?}");
    assert_eq!(log.len(), logged + 40 - before);
    // Each value of the swept argument has had its part of the budget.
    for chunk in ["1", "2", "4", "8", "16"] {
        assert!(log.iter().any(|run| run.ends_with(&format!(" {chunk}"))), "{chunk}");
    }
    // A file of other runs is refused, and stays as it is.
    let held = fs::read(bench.path("runs.jsonl")).unwrap();
    let other = bench.tune(&["--runs", "runs.jsonl", "--repeat", "2"], &ranges);
    assert!(text(&other.stderr).contains("another session") && other.status.code() == Some(1));
    assert_eq!(fs::read(bench.path("runs.jsonl")).unwrap(), held);
}

#[test]
fn the_table_names_the_best_command_line() {
    let bench = Bench::new();
    fs::write(
        bench.path("bench"),
        "#!/bin/sh\nfor a in \"$@\"; do case $a in --tile=*) echo ${a#--tile=};; esac; done\n",
    )
    .unwrap();
    let arguments = ["--tile=2:2:20", "row,the column", "-q"];
    let rules = ["--constraint", "tile >= 6 or $2 == 'row'", "--constraint", "tile % 4 != 2", "--budget", "30"];
    let output = bench.tune(&rules, &[&["--"], &arguments[..]].concat());
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(shown.contains("--tile=4 row -q\n") && shown.contains("tile") && shown.contains("1.000"), "{shown}");
    let output = bench.tune(&[&rules[..], &["--maximize"]].concat(), &[&["--"], &arguments[..]].concat());
    let shown = text(&output.stdout);
    assert!(shown.contains("best: ") && shown.contains("--tile=20 "), "{shown}");
    let output = bench.tune(&["--wall", "--repeat", "2"], &["--", "--tile=2,4"]);
    assert!(output.status.success() && text(&output.stdout).contains("2 of 2 points run"), "{}", text(&output.stdout));
}

#[test]
fn a_search_that_cannot_be_made_is_told() {
    let bench = Bench::new();
    for (options, ranges, told) in [
        (&["--constraint", "$2 >= "][..], &RANGES[..], "a value should be in column 7"),
        (&["--constraint", "$7 > 1"], &RANGES, "there are 3 arguments"),
        (&["--constraint", "$1 > 200"], &RANGES, "no point satisfies the rules"),
        (&[], &["200", "fast"], "no argument has several values"),
        (&[], &["8:x:20"], "'x' is no integer"),
        (&["--runs", "no/such/folder/runs.jsonl"], &RANGES, "no/such/folder"),
    ] {
        let output = bench.tune(options, ranges);
        assert_eq!(output.status.code(), Some(1), "{options:?} {ranges:?}");
        assert!(text(&output.stderr).contains(told), "{}", text(&output.stderr));
    }
    assert!(bench.log().is_empty(), "nothing ran");
    let missing = Command::new(env!("CARGO_BIN_EXE_affinimath")).args(["tune", "exec", "./missing", "1:4"]).output();
    assert!(text(&missing.unwrap().stderr).contains("there is no program './missing'"));
    // A search of which nothing works says so, and shows the reason of the first.
    let output = bench.tune(&[], &["200", "24,48", "1,2"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("no memory") && text(&output.stderr).contains("no candidate"));
}
