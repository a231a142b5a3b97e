//! `affinimath stencil --facts`: kernels and bounds for a device that is not here, and facts about one that is.

use std::fs;

use serde_json::Value;

use crate::stencil::Files;

const PLANES: &str = "stencil planes {
  domainsize = (1 .. n, 1 .. n, 1 .. n);
  operation (float grid u) {
    u[x,y,z; t+1] = u[x-1,y,z; t] + u[x+1,y,z; t] + u[x,y-1,z; t] + u[x,y+1,z; t] + u[x,y,z-1; t] + u[x,y,z+1; t];
  }
}
";

fn files() -> (Files, String, String) {
    let files = Files::new();
    fs::write(files.path("planes.stc"), PLANES).expect("a temporary file");
    let card = format!("{}/../../examples/devices/h100.json", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&card).expect("an example");
    (files, card, text)
}

#[test]
fn kernels_are_those_of_the_device_in_the_file() {
    let (files, card, text) = files();
    let print = |facts: &str, more: &[&str]| {
        let words = ["planes.stc", "--size", "n=512", "--print", "opencl", "--facts", facts];
        files.prints(&[&words, more].concat())
    };
    // The model takes three steps at once on this card, and single ones where local memory is short.
    assert!(print(&card, &[]).contains("planes_3_steps"));
    fs::write(files.path("small.json"), text.replace("49152", "1024")).expect("a temporary file");
    assert!(!print("small.json", &[]).contains("_steps"));
    fs::write(files.path("cpu.json"), text.replace("\"gpu\"", "\"cpu\"")).expect("a temporary file");
    assert!(print("cpu.json", &[]).contains("vstore16"));
    assert!(print(&card, &["--strategy", "stream:items=32x4"]).contains("planes_stage_0_stream"));
    let chosen = files.prints(&["planes.stc", "--size", "n=512", "--print", "strategy", "--facts", &card]);
    assert!(chosen.starts_with("overlap:steps=3,"), "{chosen}");
    let shown = files.prints(&["planes.stc", "--print", "facts", "--facts", &card]);
    // 8 bytes cross memory for each point.
    assert!(shown.contains("on NVIDIA H100 80GB HBM3: memory bounds a step at 371250.0 million points/s"), "{shown}");
}

#[test]
fn wrong_files_of_facts_are_told() {
    let (files, card, text) = files();
    for (from, to, reason) in [
        ("\"fp64\": true,", "", "wrong.json: missing field `fp64`"),
        ("132", "\"many\"", "invalid type: string \"many\", expected usize"),
        ("\"class\"", "\"kind\"", "unknown field `kind`, expected one of `name`, `class`"),
        ("\"gpu\"", "\"card\"", "unknown variant `card`"),
        ("132", "0", "'compute_units' is 0"),
    ] {
        fs::write(files.path("wrong.json"), text.replacen(from, to, 1)).expect("a temporary file");
        let words = ["planes.stc", "--size", "n=64", "--print", "cuda", "--facts", "wrong.json"];
        let told = files.refuses(&words);
        assert!(told.contains(reason), "{told}");
    }
    let words = |print: &'static str, more: &'static [&'static str]| {
        [&["planes.stc", "--size", "n=64", "--print", print][..], more].concat()
    };
    let told = files.refuses(&[&words("tree", &[])[..], &["--facts", &card]].concat());
    assert!(told.contains("--facts goes with --print facts, strategy, opencl, cuda or c99"), "{told}");
    let told = files.refuses(&words("cuda", &["--facts", "nowhere.json"]));
    assert!(told.contains("cannot read nowhere.json") || told.contains("nowhere.json"), "{told}");
    let told = files.refuses(&[&words("cuda", &["--strategy", "wavefront"])[..], &["--facts", &card]].concat());
    assert!(told.contains("does not fit"), "{told}");
    let told = files.refuses(&["planes.stc", "--size", "n=64", "--steps", "1", "--facts", &card]);
    assert!(told.contains("or with --emit"), "{told}");
    let both = ["stencil", "planes.stc", "--size", "n=64", "--print", "cuda", "--facts", &card, "--device", "0"];
    let (code, _, told) = files.program(&both);
    assert_eq!(code, Some(2), "{told}");
}

#[test]
fn facts_of_a_device_are_written_as_they_are_read() {
    let (files, _, _) = files();
    let (code, _, told) = files.program(&["info", "--facts", "host"]);
    assert_eq!(code, Some(1));
    assert!(told.contains("names the host"), "{told}");
    let (code, facts, told) = files.program(&["info", "--facts", "0"]);
    if code != Some(0) {
        assert!(told.contains("device"), "{told}");
        return;
    }
    let known: Value = serde_json::from_str(&facts).expect("JSON");
    assert!(known["copy_bytes_per_second"].as_f64().is_some_and(|rate| rate > 1e6), "{facts}");
    fs::write(files.path("here.json"), facts).expect("a temporary file");
    let words = ["planes.stc", "--size", "n=32", "--print", "opencl"];
    let here = files.prints(&[&words[..], &["--device", "0"]].concat());
    assert_eq!(files.prints(&[&words[..], &["--facts", "here.json"]].concat()), here);
}
