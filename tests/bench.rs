//! `affinimath bench` as its users run it. Nothing here depends on how fast anything is.
#![cfg(feature = "cli")]

use std::process::{Command, Output};

use serde_json::Value;

fn bench_family(family: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_affinimath")).arg("bench").arg(family).args(arguments).output().unwrap()
}

fn bench(arguments: &[&str]) -> Output {
    bench_family("gemm", arguments)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_host_beside_faer_gives_a_table_json_and_a_plot() {
    let folder = tempfile::tempdir().unwrap();
    let (json, plot) = (folder.path().join("run.json"), folder.path().join("run.svg"));
    let files = [json.to_str().unwrap(), plot.to_str().unwrap()];
    let common = ["--sizes", "16,33", "--types", "s,d,c,z", "--transpose", "nn,tc", "--device", "host", "--against"];
    let rest = ["faer", "--seconds", "0.02", "--rounds", "2", "--first-call", "--json", files[0], "--plot", files[1]];
    let output = bench(&[&common[..], &rest[..]].concat());
    let table = text(&output.stdout);
    assert!(output.status.success(), "{table}{}", text(&output.stderr));
    assert!(table.lines().any(|line| line.starts_with("type  op") && line.contains("faer")), "{table}");
    assert_eq!(text(&output.stderr), "", "no progress bar where there is no terminal");

    let report: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!((&report["format"], &report["operation"]), (&1.into(), &"gemm".into()));
    assert!(report["device"].is_null() && report["memory"] == "host");
    assert_eq!(report["contenders"][1]["name"], "faer");
    let cases = report["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 4 * 2 * 2);
    for case in cases {
        assert_eq!(case["sizes"]["m"], case["sizes"]["k"]);
        for result in case["results"].as_array().unwrap() {
            assert!(result["rate"].as_f64().unwrap() > 0.0, "{case}");
            assert!(result["first_call_seconds"].as_f64().unwrap() > 0.0, "{case}");
            assert_eq!(result["round_seconds"].as_array().unwrap().len(), 2, "{case}");
            assert_eq!(result["correct"], true, "{case}");
        }
        assert!(case["results"][1]["ratio"].as_f64().unwrap() > 0.0);
    }
    let svg = std::fs::read_to_string(&plot).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("Zgemm tc") && svg.contains("faer"));
}

#[test]
fn what_is_not_there_is_told_in_one_line_with_exit_code_1() {
    for (arguments, told) in [
        (&["--device", "no such device"][..], "no such device"),
        (
            &["--device", "host", "--against", "openblas=/no/such/lib.so"],
            "openblas: the library '/no/such/lib.so' cannot be used",
        ),
        (&["--device", "host", "--memory", "device"], "--memory device needs a device"),
        (&["--device", "host", "--sizes", "10000000"], "choose smaller sizes"),
        (
            &["--device", "host", "--sizes", "4", "--json", "/no/such/folder/x.json"],
            "cannot write '/no/such/folder/x.json'",
        ),
    ] {
        let output = bench(arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(error.contains(told) && error.trim_end().lines().count() == 1, "{arguments:?}: {error}");
    }
}

#[test]
fn calls_are_those_of_the_drop_in_library_wherever_it_computes() {
    for (arguments, told) in [
        (&["--library", "/no/such/lib.so"], "affinimath: the library '/no/such/lib.so' cannot be used"),
        (&["--device", "host"], "AFFINIMATH_ROUTE and AFFINIMATH_DEVICE"),
    ] {
        let output = bench_family("calls", arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(error.contains(told), "{arguments:?}: {error}");
    }
}

#[test]
fn wrong_usage_has_exit_code_2() {
    for arguments in [
        &["--sizes", "8..4"][..],
        &["--sizes", "0"],
        &["--shape", "3x3"],
        &["--types", "q"],
        &["--transpose", "n"],
        &["--against", "openblas"],
        &["--rounds", "0"],
        &["--seconds", "-1"],
    ] {
        let output = bench(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
    }
}

/// The levels of the BLAS, and LAPACK, with the unit of each, and one of its routines.
const LEVELS: [(&str, &str, &str); 4] = [
    ("level1", "GB/s", "axpy"),
    ("level2", "GB/s", "gemv"),
    ("level3", "GFLOP/s", "gemm"),
    ("lapack", "GFLOP/s", "getrf"),
];

#[test]
fn every_routine_of_a_level_has_rows_and_a_panel() {
    let folder = tempfile::tempdir().unwrap();
    let (json, plot) = (folder.path().join("run.json"), folder.path().join("run.svg"));
    for (level, unit, routine) in LEVELS {
        let common =
            ["--sizes", "5,40", "--types", "s,d,c,z", "--device", "host", "--seconds", "0.001", "--rounds", "1"];
        let files = ["--json", json.to_str().unwrap(), "--plot", plot.to_str().unwrap()];
        let output = bench_family(level, &[&common[..], &files[..]].concat());
        let table = text(&output.stdout);
        assert!(output.status.success(), "{table}{}", text(&output.stderr));
        assert!(table.lines().any(|line| line.starts_with("type  routine")), "{table}");

        let report: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
        assert_eq!((&report["operation"], &report["unit"]), (&level.into(), &unit.into()));
        let cases = report["cases"].as_array().unwrap();
        assert!(cases.iter().any(|case| case["routine"] == routine && case["type"] == "Z"));
        for case in cases {
            assert_eq!(case["results"][0]["correct"], true, "{case}");
            assert!(case["work"].as_f64().unwrap() > 0.0 && case["results"][0]["rate"].as_f64().unwrap() > 0.0);
        }
        assert!(std::fs::read_to_string(&plot).unwrap().contains(&format!("Z{routine}")));
    }
}

#[test]
fn operands_in_a_devices_memory_give_right_results_too() {
    for (level, routines) in
        [("level1", "axpy,dot,iamax"), ("level2", "gemv,trsv"), ("level3", "gemm,trmm"), ("lapack", "getrf,geqrf")]
    {
        let what = ["--routines", routines, "--sizes", "33", "--types", "c", "--seconds", "0.001", "--rounds", "1"];
        let output = bench_family(level, &[&what[..], &["--device", "0", "--memory", "device"]].concat());
        let error = text(&output.stderr);
        // Where there is no device, that is what the program says.
        if !error.contains("no OpenCL device found") {
            assert!(output.status.success(), "{}{error}", text(&output.stdout));
            let rows = text(&output.stdout).lines().filter(|line| line.starts_with("C ")).count();
            assert!(rows >= routines.split(',').count(), "{}", text(&output.stdout));
        }
    }
}

#[test]
fn a_routine_that_does_not_exist_is_answered_with_those_that_do() {
    for (level, _, routine) in LEVELS {
        let output = bench_family(level, &["--routines", "axpie"]);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("'axpie'") && error.contains(routine), "{error}");
        let help = text(&bench_family(level, &["--help"]).stdout);
        assert!(help.contains(routine) && help.contains("Examples:"), "{help}");
    }
}

#[test]
fn a_peer_without_a_level_is_told_before_anything_is_measured() {
    for (level, ..) in LEVELS {
        let output = bench_family(level, &["--device", "host", "--against", "faer"]);
        let error = text(&output.stderr);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), String::new()), "{error}");
        let told = if level == "lapack" {
            "faer is not measured here"
        } else {
            "faer is measured by `affinimath bench gemm` only"
        };
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn transforms_of_every_type_and_dimension_have_rows_and_panels() {
    let folder = tempfile::tempdir().unwrap();
    let (json, plot) = (folder.path().join("run.json"), folder.path().join("run.svg"));
    let what = ["--sizes", "16,7,4x6,2x3x5", "--types", "s,d,c,z", "--points", "512", "--device", "host"];
    let files = ["--json", json.to_str().unwrap(), "--plot", plot.to_str().unwrap()];
    let output = bench_family("fft", &[&what[..], &["--seconds", "0.001", "--rounds", "1"], &files[..]].concat());
    let table = text(&output.stdout);
    assert!(output.status.success(), "{table}{}", text(&output.stderr));
    assert!(table.lines().any(|line| line.starts_with("type  kind") && line.contains("first call ms")), "{table}");

    let report: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!((&report["operation"], &report["unit"]), (&"fft".into(), &"GFLOP/s".into()));
    let cases = report["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 4 * 4);
    for case in cases {
        let result = &case["results"][0];
        assert_eq!(result["correct"], true, "{case}");
        assert!(result["bandwidth"].as_f64().unwrap() > 0.0 && result["first_call_seconds"].as_f64().unwrap() > 0.0);
    }
    let (first, plane) = (&cases[0], &cases[10]);
    assert_eq!((&first["type"], &first["batch"], &first["sizes"]["n"]), (&"S".into(), &32.into(), &16.into()));
    assert_eq!(first["work"], 2.5 * 512.0 * 4.0);
    assert_eq!(first["traffic"], 512.0 * 4.0 + 32.0 * 9.0 * 8.0);
    assert_eq!((&plane["type"], &plane["variant"]), (&"C".into(), &"c2c 2D".into()));
    assert_eq!((&plane["sizes"]["n0"], &plane["sizes"]["n1"], &plane["batch"]), (&4.into(), &6.into(), &21.into()));
    assert_eq!(plane["traffic"], 2.0 * 21.0 * 24.0 * 8.0);
    let svg = std::fs::read_to_string(&plot).unwrap();
    for panel in ["Sfft r2c", "Zfft c2c", "Dfft r2c 2D", "Cfft c2c 3D"] {
        assert!(svg.contains(panel), "{panel}");
    }
}

#[test]
fn transforms_beside_fftw_agree_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("run.json");
    let what = ["--sizes", "60,11,6x4,3x4x5", "--types", "s,d,c,z", "--points", "2^10", "--device", "host"];
    let how = ["--seconds", "0.001", "--rounds", "1", "--json", json.to_str().unwrap(), "--against", "fftw"];
    for measure in [&[][..], &["--fftw-measure"]] {
        let output = bench_family("fft", &[&what[..], &how[..], measure].concat());
        let (table, error) = (text(&output.stdout), text(&output.stderr));
        // Where it is not installed, or without floats, that is what the program says.
        if error.contains("cannot be used") || error.contains("has no function fftwf_") {
            return;
        }
        assert!(output.status.success(), "{table}{error}");
        assert!(table.contains(if measure.is_empty() { "FFTW_ESTIMATE" } else { "FFTW_MEASURE" }), "{table}");
        assert!(table.contains("ratio to fftw: geometric mean"), "{table}");
        let report: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
        for case in report["cases"].as_array().unwrap() {
            assert_eq!(case["results"][1]["correct"], true, "{case}");
            assert!(case["results"][1]["ratio"].as_f64().unwrap() > 0.0, "{case}");
        }
    }
}

#[test]
fn transforms_in_a_devices_memory_are_right_too() {
    let what = ["--sizes", "16,30,5x8", "--types", "c,s", "--points", "2^10", "--seconds", "0.001", "--rounds", "1"];
    let output = bench_family("fft", &[&what[..], &["--device", "0", "--memory", "device"]].concat());
    let (table, error) = (text(&output.stdout), text(&output.stderr));
    // Where there is no device, that is what the program says.
    if !error.contains("no OpenCL device found") {
        assert!(output.status.success(), "{table}{error}");
        assert_eq!(table.lines().filter(|line| line.starts_with("C ") || line.starts_with("S ")).count(), 6, "{table}");
    }
}

#[test]
fn transforms_that_cannot_be_are_refused_with_a_reason() {
    for (arguments, code, told) in [
        (&["--sizes", "4x4x4x4"][..], 2, "more than three dimensions"),
        (&["--sizes", "1"], 2, "lengths begin at 2"),
        (&["--sizes", "8x0"], 2, "sizes begin at 1"),
        (&["--points", "0"], 2, "sizes begin at 1"),
        (&["--types", "q"], 2, "a type is"),
        (&["--against", "mkl"], 2, "mkl=/path/libmkl.so"),
        (&["--against", "faer"], 1, "faer has no Fourier transforms"),
        (&["--against", "fftw=/no/such/lib.so"], 1, "fftw: the library '/no/such/lib.so' cannot be used"),
        (&["--fftw-measure"], 1, "add --against fftw"),
        (&["--sizes", "2^40"], 1, "choose smaller sizes"),
    ] {
        let output = bench_family("fft", &[&["--device", "host"], arguments].concat());
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        assert!(error.contains(told), "{arguments:?}: {error}");
    }
    let output = bench(&["--device", "host", "--against", "fftw"]);
    assert!(text(&output.stderr).contains("fftw is measured by `affinimath bench fft` only"));
    let help = text(&bench_family("fft", &["--help"]).stdout);
    assert!(help.contains("--fftw-measure") && help.contains("Examples:"), "{help}");
}
