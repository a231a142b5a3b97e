//! `affinimath stencil --emit`: a program of its own, which is built, validated and timed.

use std::fs;
use std::process::Command;

use crate::stencil::Files;
use crate::text;

const RING: &str = "stencil ring {
  domainsize = (1 .. n, 1 .. m);
  operation (float grid u, const int grid k, double param weight[0 .. 2], double result most) {
    u[x,y; t+1] = weight[0] * u[x-1,y; t] + weight[1] * u[x,y; t] + weight[2] * u[x+1,y+1; t] + k[x,y];
    most = max(u[x,y; t+1]);
  }
  initial { u = 0.01 * x * y; }
  boundary { u: x = periodic; y = reflect; }
}
";
const WORDS: [&str; 9] =
    ["ring.stc", "--size", "n=14", "--size", "m=9", "--steps", "5", "--param", "weight=0.25,0.5,0.25"];

fn files() -> Files {
    let files = Files::new();
    fs::write(files.path("ring.stc"), RING).expect("a temporary file");
    files
}

/// The lines of a goal of a program's Makefile.
fn make(files: &Files, folder: &str, goal: &str) -> Vec<String> {
    let mut command = Command::new("make");
    command.args(["-s", "-C", folder, goal, "CFLAGS=-O1 -Werror"]).current_dir(files.path(""));
    let output = command.output().expect("make is here");
    let (shown, told) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success() && told.is_empty(), "{shown}\n{told}");
    shown.lines().map(str::to_owned).collect()
}

/// A program has the values of the library, validates itself, and its last line is a time.
fn runs(files: &Files, folder: &str, more: &[&str]) {
    let given = ["--grid", "k=random:3"];
    let told = files.prints(&[&WORDS[..], &given, &["--emit", folder], more].concat());
    assert!(told.starts_with("ring: ") && told.contains(&format!("make -C '{folder}' run")), "{told}");
    let shown = files.prints(&[&WORDS[..], &given, &["--out", "u=u.npy"]].concat());
    let most = shown.lines().find_map(|line| line.strip_prefix("most = ")).expect("a result");
    let most: f64 = most.parse().expect("a number");
    let lines = make(files, folder, "run");
    let named = |name: &str| lines.iter().find(|line| line.starts_with(name)).expect("a line");
    assert!(named("u: ").contains("values are those of the naive loops"), "{lines:?}");
    let numbers = named("most: ").trim_start_matches("most: ");
    let first = numbers.split(" to ").next().and_then(|number| number.trim().parse::<f64>().ok());
    assert!(first.is_some_and(|first| (first - most).abs() <= 1e-14 * most.abs()), "{lines:?}, {most}");
    let seconds: f64 = lines.last().and_then(|line| line.trim().parse().ok()).expect("a time in the last line");
    assert!(seconds > 0.0 && seconds < 60.0, "{seconds}");
}

#[test]
fn programs_validate_and_time_themselves() {
    let files = files();
    runs(&files, "c", &["--print", "c99"]);
    runs(&files, "fortran", &["--fortran"]);
    let words = [&WORDS[..], &["--emit", "opencl"]].concat();
    assert!(files.prints(&words).contains("kernels for a GPU"));
    assert!(files.path("opencl/kernels/ring_stage_0_results.cl").is_file() && files.path("opencl/opencl.c").is_file());
}

#[test]
fn folders_are_written_anew_if_they_hold_a_program() {
    let files = files();
    let emit = |folder: &'static str, more: &'static [&'static str]| [&WORDS[..], &["--emit", folder], more].concat();
    fs::create_dir(files.path("empty")).expect("a folder");
    files.prints(&emit("empty", &[]));
    assert!(files.path("empty/opencl.c").is_file());
    fs::write(files.path("empty/notes.txt"), "mine").expect("a file");
    files.prints(&emit("empty", &["--print", "c99"]));
    assert!(!files.path("empty/opencl.c").exists() && files.path("empty/kernels/ring_stage_0.c").is_file());
    assert!(files.path("empty/notes.txt").is_file(), "files of others stay");
    fs::create_dir(files.path("full")).expect("a folder");
    fs::write(files.path("full/notes.txt"), "mine").expect("a file");
    let told = files.refuses(&emit("full", &[]));
    assert!(told.contains("'full': it is not empty, and none of its files is from --emit"), "{told}");
    assert_eq!(fs::read_dir(files.path("full")).expect("a folder").count(), 1, "nothing was written");
    let told = files.refuses(&emit("ring.stc", &[]));
    assert!(told.contains("cannot write into 'ring.stc'"), "{told}");
}

#[test]
fn wrong_choices_of_a_program_are_told() {
    let files = files();
    for (more, reason) in [
        (&["--print", "cuda"][..], "opencl or c99, not in cuda"),
        (&["--print", "tree"], "--emit goes with --print opencl or c99"),
        (&["--print", "opencl", "--fortran"], "in c99, not in opencl"),
        (&["--strategy", "trapezoid"], "none of naive"),
        (&["--strategy", "wavefront"], "does not fit"),
        (&["--grid", "u[t-3]=zero"], "not t-3"),
    ] {
        let told = files.refuses(&[&WORDS[..], &["--emit", "out"], more].concat());
        assert!(told.contains(reason), "{told}");
        assert!(!files.path("out").exists(), "nothing was written");
    }
    for more in [&["--check"][..], &["--bench"], &["--out", "u.npy"], &["--json"]] {
        let (code, _, told) = files.program(&[&["stencil"][..], &WORDS, &["--emit", "out"], more].concat());
        assert_eq!(code, Some(2), "{told}");
    }
    let (code, _, told) = files.program(&[&["stencil"][..], &WORDS, &["--fortran"]].concat());
    assert_eq!(code, Some(2), "{told}");
}
