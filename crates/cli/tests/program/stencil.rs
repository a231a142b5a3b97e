//! `affinimath stencil` as a person runs it: texts, facts, runs on files, checks, refusals, exit codes.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::text;

const HEAT: &str = "stencil heat {
  domainsize = (1 .. nx, 1 .. ny);
  t_max = 2;
  operation (double grid u, const float grid k, double param dt, double result change) {
    double lap = u[x-1,y; t] + u[x+1,y; t] + u[x,y-1; t] + u[x,y+1; t] - 4 * u[x,y; t];
    u[x,y; t+1] = u[x,y; t] + dt * k[x,y] * lap;
    change = max(abs(u[x,y; t+1] - u[x,y; t]));
  }
}
";
const WAVE: &str = "stencil wave {
  domainsize = (1 .. n);
  operation (float grid u[2], const int grid m) {
    u[x; t+1; 0] = u[x; t; 1] - u[x; t-1; 0];
    u[x; t+1; 1] = u[x; t; 0] + m[x];
  }
}
";

pub struct Files(TempDir);

impl Files {
    pub fn new() -> Self {
        let files = Files(tempfile::tempdir().expect("a temporary folder"));
        for (name, content) in [("heat.stc", HEAT), ("wave.stc", WAVE), ("wrong.stc", "stencil heat {\n  grids;\n}\n")]
        {
            fs::write(files.path(name), content).expect("a temporary file");
        }
        files
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// An array of doubles in NumPy's format.
    pub fn array(&self, name: &str, shape: &str, elements: &[f64]) {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut content = [b"\x93NUMPY\x01\x00".as_slice(), &(header.len() as u16).to_le_bytes()].concat();
        content.extend(header.as_bytes());
        content.extend(elements.iter().flat_map(|element| element.to_le_bytes()));
        fs::write(self.path(name), content).expect("a temporary file");
    }

    /// The numbers of an array that the program wrote, as text.
    pub fn shown(&self, expression: &str, file: &str) -> String {
        let file = format!("a={file}");
        let (code, stdout, stderr) = self.program(&["eval", expression, "--array", &file]);
        assert_eq!(code, Some(0), "{stderr}");
        stdout.trim_end().to_owned()
    }

    pub fn program(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_affinimath"));
        command.current_dir(self.0.path()).env("AFFINIMATH_ROUTE", "host").args(arguments);
        let output = command.output().expect("the program runs");
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert!(!stderr.contains("panicked"), "{stderr}");
        (output.status.code(), stdout, stderr)
    }

    pub fn prints(&self, arguments: &[&str]) -> String {
        let (code, stdout, stderr) = self.program(&[&["stencil"], arguments].concat());
        assert_eq!(code, Some(0), "{arguments:?}: {stderr}");
        stdout
    }

    pub fn refuses(&self, arguments: &[&str]) -> String {
        let (code, stdout, stderr) = self.program(&[&["stencil"], arguments].concat());
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{arguments:?}: {stderr}");
        stderr
    }
}

#[test]
fn a_stencil_is_shown() {
    let files = Files::new();
    let facts = files.prints(&["heat.stc", "--print", "facts"]);
    assert!(facts.contains("grid u: double, 2 levels, reach x -1 +1, y -1 +1\n"), "{facts}");
    assert!(facts.contains("grid k: constant float, 1 level, reach x -0 +0, y -0 +0\n"), "{facts}");
    assert!(facts.contains("parameter dt: double\nresult change: double\n"), "{facts}");
    assert!(files.prints(&["heat.stc", "--print", "text"]).starts_with("stencil heat {"));
    assert!(files.prints(&["heat.stc", "--print", "tree"]).starts_with("heat\nstage 1\n  lap =\n    - double\n"));
    let sizes = ["heat.stc", "--size", "nx=64", "--size", "ny=64", "--print"];
    for (language, word) in [("opencl", "__kernel"), ("cuda", "__global__"), ("c99", "void")] {
        assert!(files.prints(&[&sizes[..], &[language]].concat()).contains(word), "{language}");
    }
}

#[test]
fn steps_are_run_on_arrays_of_files() {
    let files = Files::new();
    let mut u = [0.0; 5 * 6];
    u[2 * 6 + 2] = 1.0;
    files.array("u.npy", "(5, 6)", &u);
    let run = ["heat.stc", "--grid", "u=u.npy", "--grid", "k=1", "--param", "dt=0.25", "--steps", "1"];
    let printed = files.prints(&[&run[..], &["--out", "u=v.npy", "--check"]].concat());
    assert!(printed.starts_with("heat: 4 x 3 points, 1 step on the host, "), "{printed}");
    assert!(printed.ends_with("change = 1.0\ncheck: all 31 values are those of the reference\n"), "{printed}");
    assert_eq!(files.shown("a[2]", "v.npy"), "[0.   0.25 0.   0.25 0.   0.  ]");
    assert_eq!(files.shown("a[1]", "v.npy"), "[0.   0.   0.25 0.   0.   0.  ]");
    // An array of the domain, where sizes are given; and the steps of the text.
    files.array("inner.npy", "(3, 4)", &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
    let sizes = ["heat.stc", "--size", "nx=4", "--size", "ny=3", "--grid", "u=inner.npy", "--param", "dt=0"];
    let printed = files.prints(&[&sizes[..], &["--out", "all.npz"]].concat());
    assert!(printed.starts_with("heat: 4 x 3 points, 2 steps on the host, "), "{printed}");
    assert_eq!(files.shown("a[1:4, 1:5].sum()", "all.npz:u"), "66.0");
}

#[test]
fn the_number_of_steps_and_the_first_time_are_those_of_the_text() {
    let files = Files::new();
    let source = "stencil source {
      domainsize = (1 .. n);
      t_max = steps;
      operation (double grid u, double param w[steps]) { u[x; t+1] = u[x; t]; }
      initial { u = t; }
      filter { u[x; t+1] += w[t - 5]; }
    }";
    fs::write(files.path("source.stc"), source).expect("a temporary file");
    let run = ["source.stc", "--size", "n=2", "--param", "w=1,2,4", "--first", "5", "--out", "u=u.npy"];
    files.prints(&[&run[..], &["--steps", "3"]].concat());
    assert_eq!(files.shown("a", "u.npy"), "[12. 12.]");
    files.prints(&[&run[..], &["--size", "steps=3"]].concat());
    assert_eq!(files.shown("a", "u.npy"), "[12. 12.]");
    let (code, _, stderr) = files.program(&[&["stencil"], &run[..], &["--steps", "2"]].concat());
    assert!(code == Some(1) && stderr.contains("'w' has 2 elements, and 3 are given"), "{stderr}");
}

#[test]
fn a_grid_is_drawn() {
    let files = Files::new();
    let sizes = ["heat.stc", "--size", "nx=20", "--size", "ny=10", "--grid", "u=x + y", "--param", "dt=0.1"];
    files.prints(&[&sizes[..], &["--plot", "heat.svg"]].concat());
    let svg = fs::read_to_string(files.path("heat.svg")).expect("a drawing");
    assert!(svg.starts_with("<svg ") && svg.contains("heat: u after 2 steps"), "{svg}");
    // A rectangle for each of 22 x 12 points, and those of the scale.
    assert!(svg.matches("<rect ").count() > 22 * 12 + 60, "{} rectangles", svg.matches("<rect ").count());
    let line = ["wave.stc", "--size", "n=40", "--grid", "u=x", "--steps", "1", "--plot", "u=wave.svg"];
    files.prints(&line);
    let svg = fs::read_to_string(files.path("wave.svg")).expect("a drawing");
    assert!(svg.contains("wave: u, component 0 after 1 step") && svg.contains("<polyline "), "{svg}");
    assert!(
        files.refuses(&[&line[..5], &["--steps", "1", "--plot", "v=v.svg"]].concat()).contains("there is no grid v")
    );
    assert!(files.refuses(&[&line[..5], &["--steps", "1", "--plot", "none/v.svg"]].concat()).contains("cannot write"));
}

#[test]
fn levels_and_components_have_values_of_their_own() {
    let files = Files::new();
    files.array("new.npy", "(2, 3)", &[1.0, 2.0, 3.0, 10.0, 20.0, 30.0]);
    let run = ["wave.stc", "--size", "n=3", "--grid", "u=zero", "--grid", "u[t]=new.npy", "--grid", "m=x", "--steps"];
    files.prints(&[&run[..], &["1", "--out", "u=v.npy"]].concat());
    assert_eq!(files.shown("a", "v.npy"), "[[10. 20. 30.]\n [ 2.  4.  6.]]");
    let random = ["wave.stc", "--size", "n=300", "--grid", "u=random:3", "--steps", "5", "--check", "--json"];
    let json: Value = serde_json::from_str(&files.prints(&random)).expect("JSON");
    assert_eq!((&json["schema"], &json["steps"]), (&"affinimath/stencil/1".into(), &5.into()));
    assert_eq!((&json["check"]["values"], &json["check"]["different"]), (&600.into(), &0.into()));
    let rates = files.prints(&["wave.stc", "--size", "n=300", "--steps", "3", "--bench"]);
    assert!(rates.contains(" million points/s, "), "{rates}");
}

#[test]
fn wrong_values_are_refused() {
    let files = Files::new();
    files.array("u.npy", "(5, 6)", &[0.0; 30]);
    let wrong = files.refuses(&["wrong.stc"]);
    assert!(wrong.contains("wrong.stc:2:3: unknown section 'grids'") && wrong.contains("\n      ^"), "{wrong}");
    assert!(files.refuses(&["none.stc"]).contains("cannot read"));
    let refuses = |more: &[&str]| files.refuses(&[&["heat.stc", "--grid", "u=u.npy"], more].concat());
    assert!(refuses(&[]).contains("--param dt=VALUE is missing"));
    assert!(files.refuses(&["wave.stc", "--size", "n=9"]).contains("--steps COUNT is missing: the text has no t_max"));
    let missing = files.refuses(&["heat.stc", "--size", "ny=3"]);
    assert!(missing.contains("--size nx=VALUE is missing, or an array by --grid"), "{missing}");
    let missing = files.refuses(&["heat.stc"]);
    assert!(missing.contains("--size nx=VALUE, --size ny=VALUE are missing, or an array by --grid"), "{missing}");
    assert!(refuses(&["--param", "dt=q"]).contains("--param dt=q: q is no number"));
    assert!(refuses(&["--param", "v=1"]).contains("there is no parameter v among dt"));
    assert!(refuses(&["--param", "dt=1,2"]).contains("'dt' has 1 element, and 2 are given"));
    assert!(refuses(&["--grid", "w=zero"]).contains("there is no grid w among u, k"));
    assert!(refuses(&["--grid", "k=1 +"]).contains("--grid k=1 +: '1 +'"));
    assert!(refuses(&["--size", "nx=5"]).contains("does not fit on x"));
    assert!(refuses(&["--size", "nx=5", "--size", "ny=3", "--param", "dt=1"]).contains("the memory of 'u' [5, 7]"));
    assert!(refuses(&["--size", "nz=5", "--param", "dt=1"]).contains("there is no size 'nz'"));
    assert!(refuses(&["--grid", "u[t-3]=zero", "--param", "dt=1"]).contains("a run reads the levels t+0 to t+0"));
    assert!(refuses(&["--out", "k=k.npy", "--param", "dt=1"]).contains("no k"));
    assert!(
        refuses(&["--strategy", "spiral", "--param", "dt=1"])
            .contains("none of naive, stream, stream-local, overlap and")
    );
    assert!(refuses(&["--strategy", "stream", "--param", "dt=1"]).contains("does not fit 'heat'"));
    assert_eq!(files.program(&["stencil", "heat.stc", "--print", "fortran"]).0, Some(2));
}

#[test]
fn real_types_are_replaced() {
    let files = Files::new();
    let facts = files.prints(&["heat.stc", "--type", "s", "--print", "facts"]);
    assert!(
        facts.contains("grid u: float, ") && facts.contains("parameter dt: float\nresult change: float"),
        "{facts}"
    );
    let facts = files.prints(&["wave.stc", "--type", "D", "--print", "facts"]);
    assert!(facts.contains("grid u [2]: double, ") && facts.contains("grid m: constant int, "), "{facts}");
    let run =
        ["heat.stc", "--size", "nx=8", "--size", "ny=8", "--grid", "u=sin(x)", "--grid", "k=1", "--param", "dt=0.1"];
    for (letter, element) in [("s", 4), ("d", 8)] {
        let printed = files.prints(&[&run[..], &["--type", letter, "--check", "--out", "u=v.npy"]].concat());
        assert!(printed.contains("check: all 101 values are those of the reference"), "{printed}");
        let header = fs::metadata(files.path("v.npy")).expect("a file").len() - 100 * element;
        assert!((64..=128).contains(&header), "{letter}: {header}");
    }
    assert_eq!(files.program(&["stencil", "heat.stc", "--type", "c"]).0, Some(2));
}

/// Standard error of a program in a pipe has no bar, with or without --quiet.
#[test]
fn progress_is_silent_without_a_terminal() {
    let files = Files::new();
    let run = ["stencil", "heat.stc", "--size", "nx=30", "--size", "ny=30", "--param", "dt=0.1", "--steps", "3000"];
    for more in [&[][..], &["--quiet"]] {
        let (code, stdout, stderr) = files.program(&[&run[..], more].concat());
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
    }
}
