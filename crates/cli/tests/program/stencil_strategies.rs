//! `affinimath stencil --strategy FILE.stg`: runs, prints, refusals.

use std::fs;

use crate::stencil::Files;

const BLOCKS: &str = "strategy blocks (domain u, auto dim cb = {8, 16}, auto int chunk) {
  for t = 1 .. stencil.t_max
    for subdomain v(cb) in u(:; t) parallel schedule chunk
      for point p in v(:; t)
        v[p; t+1] = stencil(v[p; t]);
}
";
const RUN: [&str; 9] = ["heat.stc", "--size", "nx=21", "--size", "ny=13", "--grid", "u=random:3", "--param", "dt=0.25"];

fn files() -> Files {
    let files = Files::new();
    fs::write(files.path("blocks.stg"), BLOCKS).expect("a temporary file");
    files
}

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&RUN[..], more].concat()
}

#[test]
fn a_strategy_of_a_file_runs_with_its_parameters() {
    let files = files();
    let with = |more: &[&'static str]| with(&[&["--strategy", "blocks.stg"], more].concat());
    for more in [&[][..], &["--auto", "cb=5x4", "--auto", "chunk=3"], &["--auto", "cb=7"]] {
        let printed = files.prints(&with(&[more, &["--check", "--steps", "3"]].concat()));
        assert!(printed.contains("values are those of the reference"), "{printed}");
    }
    let printed = files.prints(&with(&["--auto", "cb=5x4", "--steps", "2", "--bench"]));
    assert!(printed.contains(", strategy blocks:cb=5x4\n"), "{printed}");
    let printed = files.prints(&with(&["--auto", "chunk=3", "--print", "strategy"]));
    assert!(printed.starts_with("strategy blocks (domain u, auto dim cb = {8, 16}, auto int chunk) {\n"), "{printed}");
    assert!(printed.ends_with("}\n// cb = 8 x 8\n// chunk = 3\n"), "{printed}");
    let printed = files.prints(&with(&["--print", "opencl"]));
    assert!(printed.contains("void heat_stage_0_loops_1("), "{printed}");
    let own = [&RUN[..], &["--print", "strategy"]].concat();
    assert_eq!(files.prints(&own), "naive\n");
}

#[test]
fn a_strategy_that_is_wrong_is_told_with_its_file() {
    let files = files();
    fs::write(files.path("part.stg"), BLOCKS.replace("u(:; t)", "u(:, 2; t)")).expect("a temporary file");
    fs::write(files.path("wrong.stg"), BLOCKS.replace("parallel", "parallell")).expect("a temporary file");
    for (strategy, told) in [
        ("part.stg", "part.stg:3:5: the loop over 'v' leaves out the point x = 1, y = 1\n"),
        ("wrong.stg", "wrong.stg:3:46: '=' expected, not 'schedule'"),
        ("none.stg", "cannot read 'none.stg'"),
        ("other", "'other' is none of naive, stream, stream-local, overlap and wavefront"),
    ] {
        let error = files.refuses(&with(&["--strategy", strategy]));
        assert!(error.contains(told), "{error}\ninstead of {told}");
    }
    for (auto, told) in [
        ("tb=3", "has no parameter 'tb': it has cb, chunk"),
        ("cb", "--auto cb: a name and numbers are wanted"),
        ("cb=5xy", "--auto cb=5xy: a name and numbers are wanted"),
        ("cb=1x2x3", "'cb' has 2 components, and 3 values are given"),
        ("cb=0", "blocks.stg:3:5: the size of 'v' is 0"),
    ] {
        let error = files.refuses(&with(&["--strategy", "blocks.stg", "--auto", auto]));
        assert!(error.contains(told), "{error}\ninstead of {told}");
    }
    let error = files.refuses(&with(&["--strategy", "naive", "--auto", "cb=3"]));
    assert!(error.contains("'naive' is no file of a strategy"), "{error}");
}
