//! `affinimath bench` as its users run it. Nothing here depends on how fast anything is.

use std::process::{Command, Output};

use affinimath_opencl::device::for_tests;
use serde_json::Value;

use super::text;

fn bench_family(family: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_affinimath")).arg("bench").arg(family).args(arguments).output().unwrap()
}

fn bench(arguments: &[&str]) -> Output {
    bench_family("gemm", arguments)
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
    assert_eq!((&report["schema"], &report["operation"]), (&"affinimath/bench-gemm/1".into(), &"gemm".into()));
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
        // Without a device the program says so.
        if !for_tests().is_empty() {
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
    // Without a device the program says so.
    if !for_tests().is_empty() {
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

#[test]
fn sparse_matrices_of_every_kind_and_type_have_rows_and_panels() {
    let folder = tempfile::tempdir().unwrap();
    let (json, plot) = (folder.path().join("run.json"), folder.path().join("run.svg"));
    let file = folder.path().join("my_matrix.mtx");
    std::fs::write(&file, "%%MatrixMarket matrix coordinate real general\n3 2 4\n1 1 2\n2 1 3\n2 2 -1\n3 2 5\n")
        .unwrap();
    let matrices = ["--poisson2d", "16", "--poisson3d", "8", "--power-law", "200", "--file", file.to_str().unwrap()];
    let what = ["--types", "s,d,c,z", "--device", "host", "--seconds", "0.001", "--rounds", "1"];
    let files = ["--json", json.to_str().unwrap(), "--plot", plot.to_str().unwrap()];
    let output = bench_family("sparse", &[&matrices[..], &what[..], &files[..]].concat());
    let table = text(&output.stdout);
    assert!(output.status.success(), "{table}{}", text(&output.stderr));

    let report: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!((&report["operation"], &report["unit"]), (&"sparse".into(), &"GB/s".into()));
    let cases = report["cases"].as_array().unwrap();
    // Products with the matrix, its transpose and a dense one, and iterations on the two that are positive definite.
    assert_eq!(cases.len(), 4 * (4 * 3 + 2 * 2));
    for case in cases {
        assert_eq!(case["results"][0]["correct"], true, "{case}");
        assert!(case["results"][0]["rate"].as_f64().unwrap() > 0.0, "{case}");
    }
    assert!(cases.iter().any(|case| case["variant"] == "t my_matrix" && case["sizes"]["entries"] == 4));
    let svg = std::fs::read_to_string(&plot).unwrap();
    assert!(svg.contains("Zcsrmv t poisson3d") && svg.contains("Sminres 20 it. poisson2d"));
}

#[test]
fn sparse_matrices_that_cannot_be_measured_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let complex = folder.path().join("complex.mtx");
    std::fs::write(&complex, "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 3\n").unwrap();
    let broken = folder.path().join("broken.mtx");
    std::fs::write(&broken, "not a matrix\n").unwrap();
    for (arguments, told) in [
        (&["--file", complex.to_str().unwrap(), "--types", "d"][..], "give --types c,z"),
        (&["--file", broken.to_str().unwrap()], "broken.mtx: line 1"),
        (&["--file", "/no/such.mtx"], "/no/such.mtx"),
        (&["--poisson2d", "100000"], "32-bit pointers"),
        (&["--against", "faer"], "faer has no sparse matrices"),
        (&["--against", "mkl=/no/such/lib.so"], "mkl: the library '/no/such/lib.so' cannot be used"),
    ] {
        let output = bench_family("sparse", &[&["--device", "host"], arguments].concat());
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(error.contains(told) && error.trim_end().lines().count() == 1, "{arguments:?}: {error}");
    }
}

#[test]
fn limits_are_measured_on_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("run.json");
    let what = ["--device", "host", "--bytes", "65536", "--seconds", "0.001", "--rounds", "1"];
    let output = bench_family("limits", &[&what[..], &["--json", json.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let report: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    let cases = report["cases"].as_array().unwrap();
    let names: Vec<&str> = cases.iter().map(|case| case["routine"].as_str().unwrap()).collect();
    assert_eq!(names, ["copy", "read", "fma", "fma"]);
    assert!(cases.iter().all(|case| case["results"][0]["correct"] == true));
    assert_eq!(bench_family("limits", &["--device", "host", "--against", "faer"]).status.code(), Some(1));
}

/// All numeric values in a JSON value.
fn numbers(value: &Value, found: &mut Vec<f64>) {
    match value {
        Value::Number(number) => found.push(number.as_f64().unwrap()),
        Value::Array(values) => values.iter().for_each(|value| numbers(value, found)),
        Value::Object(fields) => fields.values().for_each(|value| numbers(value, found)),
        _ => {}
    }
}

#[test]
fn all_families_on_the_host_make_a_report_and_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("below/report");
    let families = ["limits", "gemm", "level1", "level2", "level3", "lapack", "fft", "sparse", "array"];
    let what =
        ["--smoke", "--device", "host", "--types", "d,c", "--against", "faer", "--families", &families.join(",")];
    let output = bench_family("all", &[&what[..], &["--report", report.to_str().unwrap()]].concat());
    let told = text(&output.stdout);
    assert!(output.status.success(), "{told}{}", text(&output.stderr));
    assert!(told.contains("index.html") && told.contains("against faer: built in"), "{told}");

    let json: Value = serde_json::from_str(&std::fs::read_to_string(report.join("report.json")).unwrap()).unwrap();
    assert_eq!(json["schema"], "affinimath/bench-all/1");
    assert_eq!((&json["interrupted"], &json["effort"]), (&false.into(), &"smoke".into()));
    let mut found = Vec::new();
    numbers(&json, &mut found);
    assert!(found.len() > 100 && found.iter().all(|number| number.is_finite()));
    let runs = json["runs"].as_array().unwrap();
    assert_eq!(runs.iter().map(|run| run["family"].as_str().unwrap()).collect::<Vec<_>>(), families);
    for run in runs {
        let cases = run["report"]["cases"].as_array().unwrap();
        assert!(run["ended"].is_null() && !cases.is_empty(), "{run}");
        assert_eq!(run["planned"], cases.len(), "{run}");
        for result in cases.iter().flat_map(|case| case["results"].as_array().unwrap()) {
            assert_eq!(result["correct"], true, "{run}");
            assert!(result["rate"].as_f64().unwrap() > 0.0, "{run}");
        }
    }
    assert!(json["backends"][0]["limits"]["fma_double"].as_f64().unwrap() > 0.0);
    let comparisons = json["comparisons"].as_array().unwrap();
    assert_eq!((comparisons.len(), &comparisons[0]["peer"]), (1, &"faer".into()));

    let page = std::fs::read_to_string(report.join("index.html")).unwrap();
    for family in families {
        assert!(page.contains(&format!("id=\"p0-{family}\"")), "{family}");
    }
    assert_eq!(page.matches("<svg").count(), 8 * 2);
    assert!(!page.contains("<script") && !page.contains("NaN") && page.trim_end().ends_with("</html>"));
}

#[test]
fn what_all_cannot_measure_is_told_before_anything_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a file");
    std::fs::write(&file, "").unwrap();
    for (arguments, code, told) in [
        (&["--device", "no such device"][..], 1, "no such device"),
        (&["--device", "auto"], 1, "--device auto has no meaning"),
        (&["--device", "host", "--against", "none,faer"], 1, "--against none goes with no other"),
        (&["--device", "host", "--against", "nobody"], 1, "nobody=/path/lib.so"),
        (&["--device", "host", "--report", file.to_str().unwrap()], 1, "a file"),
        (&["--families", "level4"], 2, "level4"),
        (&["--minutes", "0"], 2, "between 0 and 1440"),
        (&["--types", "q"], 2, "complex f64"),
    ] {
        let output = bench_family("all", arguments);
        let error = text(&output.stderr);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(code), String::new()), "{arguments:?}: {error}");
        assert!(error.contains(told), "{arguments:?}: {error}");
    }
}

#[test]
fn a_library_that_is_none_is_left_out_and_the_rest_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let (library, report) = (folder.path().join("libnothing.so"), folder.path().join("report"));
    std::fs::write(&library, "not a library").unwrap();
    let against = format!("nothing={}", library.display());
    let what = ["--smoke", "--device", "host", "--types", "s", "--families", "gemm", "--against", &against];
    let output = bench_family("all", &[&what[..], &["--report", report.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let json: Value = serde_json::from_str(&std::fs::read_to_string(report.join("report.json")).unwrap()).unwrap();
    let run = &json["runs"][0];
    assert_eq!(run["report"]["contenders"].as_array().unwrap().len(), 1, "{run}");
    assert!(run["notes"][0].as_str().unwrap().contains("Without nothing"), "{run}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_a_report_of_what_was_measured() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report");
    // The interrupt comes after the first family, of ten.
    let what = ["bench", "all", "--smoke", "--device", "host", "--types", "s", "--against", "none", "--minutes", "600"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_affinimath"))
        .args(what)
        .args(["--report", report.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut told = Vec::new();
    for line in lines {
        if line.contains("the host: limits") {
            let id = child.id().to_string();
            assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        }
        told.push(line);
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{told:?}");
    assert!(text(&output.stderr).contains("interrupted: the report has"), "{}", text(&output.stderr));
    let json: Value = serde_json::from_str(&std::fs::read_to_string(report.join("report.json")).unwrap()).unwrap();
    assert_eq!(json["interrupted"], true);
    assert_eq!(json["runs"][0]["family"], "limits");
    let page = std::fs::read_to_string(report.join("index.html")).unwrap();
    assert!(page.contains("It was interrupted") && page.contains("id=\"p0-limits\""));
}
