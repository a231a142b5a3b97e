//! `affinimath doctor` as its users run it.

use std::process::{Command, Output};

use serde_json::Value;

use super::text;

fn doctor(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_affinimath"));
    command.arg("doctor").args(arguments).envs(variables.iter().copied()).output().unwrap()
}

/// The checks that `--json` lists.
fn checks(output: &Output) -> Vec<Value> {
    let document = serde_json::from_slice::<Value>(&output.stdout).unwrap();
    assert_eq!(document["schema"], "affinimath/doctor/1");
    document["checks"].as_array().unwrap().clone()
}

#[test]
fn every_family_is_right_on_the_host() {
    let output = doctor(&["--device", "host", "--json"], &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let checks = checks(&output);
    for family in ["level1", "level2", "level3", "gemm", "lapack", "fft", "sparse"] {
        for kind in ["S", "D", "C", "Z"] {
            let of_both = |check: &&Value| check["family"] == family && check["type"] == kind;
            let count = checks.iter().filter(of_both).inspect(|check| assert_eq!(check["verdict"], "right")).count();
            assert!(count >= 5, "{family} {kind}: {count}");
        }
    }
}

#[test]
fn the_table_has_a_line_for_each_family_or_routine() {
    let output = doctor(&["--device", "host", "--types", "d", "--details"], &[]);
    let table = text(&output.stdout);
    assert!(output.status.success(), "{table}{}", text(&output.stderr));
    for line in ["level1, ", "  axpy", "  getrf", "sparse, ", "  minres"] {
        assert!(table.lines().any(|found| found.starts_with(line)), "{line}: {table}");
    }
    assert!(table.contains(" 0 failed") && table.contains("bug report"), "{table}");
    assert_eq!(text(&output.stderr), "", "no progress bar where there is no terminal");
}

#[test]
fn a_library_that_is_wrong_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("wrong.c"), folder.path().join("libwrong.so"));
    // Whose sums are zero, and with the function that tells a CBLAS.
    let text_of_both =
        "double cblas_dasum(int n, const double *x, int incx) { return 0; }\nvoid cblas_dgemm(void) {}\n";
    std::fs::write(&source, text_of_both).unwrap();
    let compiled = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    assert!(compiled.expect("cc, which Rust links with").success());
    let variables = [("AFFINIMATH_CBLAS", library.to_str().unwrap())];
    let output = doctor(&["--device", "vendor", "--types", "d", "--json"], &variables);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("checks failed"), "{}", text(&output.stderr));
    let checks = checks(&output);
    let wrong: Vec<&Value> = checks.iter().filter(|check| check["verdict"] == "wrong").collect();
    assert!(wrong.iter().any(|check| check["routine"] == "asum" && check["error"].is_f64()), "{wrong:?}");
    assert!(wrong.iter().any(|check| check["family"] == "gemm"), "{wrong:?}");
    assert!(checks.iter().all(|check| check["verdict"] != "right"), "the library has nothing else");
    assert!(checks.iter().filter(|check| check["verdict"] == "not done").count() > 10);
}

#[test]
fn a_backend_that_is_missing_is_refused() {
    let output = doctor(&["--device", "vendor"], &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("AFFINIMATH_CBLAS"), "{}", text(&output.stderr));
    let output = doctor(&["--device", "no such device"], &[]);
    assert!(text(&output.stderr).contains("no such device"), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "", "the report comes after what is asked for is known");
}
