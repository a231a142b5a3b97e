//! `affinimath solve` as a person runs it: answers, refusals, exit codes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use affinimath::Complex64;
use affinimath::sparse::matrix_market::read;
use affinimath_testing::assert_close;
use serde_json::Value;
use tempfile::TempDir;

/// Exit code and output of a run of the program.
struct Run {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn affinimath(arguments: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_affinimath")).args(arguments).output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
    let run = Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    run
}

fn solve(arguments: &[&str]) -> Value {
    let run = affinimath(&[&["solve", "--json"], arguments].concat());
    assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
    serde_json::from_str(&run.stdout).expect("the program writes JSON")
}

/// The message of a run that fails.
fn refusal(arguments: &[&str]) -> String {
    let run = affinimath(&[&["solve"], arguments].concat());
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{arguments:?}: {}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "one message: {}", run.stderr);
    run.stderr
}

fn example(name: &str) -> String {
    format!("{}/../../examples/data/{name}.mtx", env!("CARGO_MANIFEST_DIR"))
}

/// Files of one test.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Files(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn add(&self, name: &str, content: &str) -> String {
        fs::write(self.path(name), content).expect("a temporary file");
        text(&self.path(name))
    }

    /// A real matrix of columns, or one that is not square.
    fn array(&self, name: &str, rows: usize, values: &[f64]) -> String {
        let values: String = values.iter().map(|value| format!("{value}\n")).collect();
        let columns = values.lines().count() / rows;
        self.add(name, &format!("%%MatrixMarket matrix array real general\n{rows} {columns}\n{values}"))
    }
}

fn text(path: &Path) -> String {
    path.to_str().expect("a path of UTF-8").into()
}

fn number(report: &Value, key: &str) -> f64 {
    report[key].as_f64().unwrap_or_else(|| panic!("{key} is a number: {report}"))
}

#[test]
fn each_example_is_solved_by_its_method() {
    for (name, order, method) in [
        ("poisson2d", 400.0, "sparse-cholesky"),
        ("convection_diffusion", 225.0, "sparse-lu"),
        ("hermitian_lattice", 144.0, "sparse-cholesky"),
        ("polynomial_fit", 40.0, "least-squares"),
        ("hilbert", 10.0, "cholesky"),
    ] {
        let report = solve(&[&example(name)]);
        assert_eq!(report["method"], method, "{name}");
        assert_eq!(report["fell_back"], Value::Null, "{name}");
        // A backward stable method: a residual of n eps, and an error of at most the condition times that.
        let rounding = order * f64::EPSILON;
        assert!(number(&report, "residual") <= rounding, "{name}: {report}");
        assert!(number(&report, "forward_error") <= 10.0 * number(&report, "condition") * rounding, "{name}: {report}");
        for step in ["read", "factorise", "solve", "residual"] {
            let steps = report["steps"].as_array().unwrap();
            assert!(steps.iter().any(|done| done["name"] == step), "{name} has no step {step}");
        }
    }
}

#[test]
fn the_report_for_a_person_says_what_was_done_and_how_good_it_is() {
    let run = affinimath(&["solve", &example("poisson2d")]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    for part in ["400 x 400, symmetric", "1920 nonzeros", "Cholesky", "factorise", "host", "residual", "condition"] {
        assert!(run.stdout.contains(part), "'{part}' is missing in\n{}", run.stdout);
    }
    assert!(!run.stdout.contains("warning"));
}

#[test]
fn an_ill_conditioned_matrix_is_solved_with_a_warning() {
    let run = affinimath(&["solve", &example("hilbert")]);
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.contains("warning     the matrix is ill conditioned: expect about 2 correct digits"));
}

#[test]
fn the_solution_is_written_with_a_column_for_each_of_b() {
    let files = Files::new();
    let a = files.array("a.mtx", 2, &[2.0, 0.0, 1.0, 4.0]);
    let b = files.array("b.mtx", 2, &[4.0, 4.0, 2.0, 0.0]);
    let x = text(&files.path("x.mtx"));
    let report = solve(&[&a, &b, "-o", &x]);
    assert_eq!(report["right_side"]["columns"], 2);
    assert_eq!(report["forward_error"], Value::Null);
    let x = read(fs::File::open(x).unwrap()).unwrap();
    // Exact in binary: the system is triangular.
    assert_eq!((x.rows, x.columns, x.to_dense::<f64>().unwrap()), (2, 2, vec![1.5, 1.0, 1.0, 0.0]));
}

#[test]
fn a_complex_right_side_makes_the_system_complex() {
    let files = Files::new();
    let a = files.array("a.mtx", 2, &[2.0, 0.0, 0.0, 4.0]);
    let b = files.add("b.mtx", "%%MatrixMarket matrix coordinate complex general\n2 1 1\n2 1 4 -8\n");
    let x = text(&files.path("x.mtx"));
    solve(&[&a, &b, "--output", &x]);
    let x = read(fs::File::open(x).unwrap()).unwrap();
    assert_eq!(x.to_dense::<Complex64>().unwrap(), [Complex64::ZERO, Complex64::new(1.0, -2.0)]);
}

#[test]
fn least_squares_fit_the_exponential() {
    let files = Files::new();
    let x = text(&files.path("x.mtx"));
    let report = solve(&[&example("polynomial_fit"), &example("polynomial_fit_b"), "-o", &x]);
    assert_eq!(report["method"], "least-squares");
    // Orthogonal to rounding, though the residual is the error of the fit: 1/(2^5 6!) for degree 5 (Chebyshev).
    assert!(number(&report, "optimality") <= 40.0 * f64::EPSILON);
    assert!((1e-7..1e-4).contains(&number(&report, "residual")));
    let coefficients = read(fs::File::open(x).unwrap()).unwrap().to_dense::<f64>().unwrap();
    assert_close!(coefficients[0], 1.0, 1.0 / 23040.0 * 2.0, "{coefficients:?}");
}

#[test]
fn an_indefinite_matrix_falls_back_to_lu() {
    let files = Files::new();
    let report = solve(&[&files.array("a.mtx", 2, &[1.0, 2.0, 2.0, 1.0])]);
    assert_eq!((&report["planned"], &report["method"]), (&Value::from("cholesky"), &Value::from("lu")));
    assert!(report["fell_back"].as_str().unwrap().contains("not positive definite"));
}

#[test]
fn without_full_rank_the_solution_is_the_least_and_the_rank_is_told() {
    let files = Files::new();
    // Columns (1, 1, 1) and (2, 2, 2): of all x with x1 + 2 x2 = 1 the least is (0.2, 0.4).
    let matrix = files.array("rank.mtx", 3, &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    let (right, x) = (files.array("b.mtx", 3, &[1.0; 3]), text(&files.path("x.mtx")));
    let report = solve(&[&matrix, &right, "-o", &x]);
    assert_eq!((report["deficient_rank"].as_u64(), &report["condition"]), (Some(1), &Value::Null));
    let warning = report["warnings"][0].as_str().unwrap();
    assert!(warning.contains("does not have full rank: 1 of 2"), "{warning}");
    let x = read(fs::File::open(x).unwrap()).unwrap().to_dense::<f64>().unwrap();
    assert_close!(x[0], 0.2, 1e-15, "{x:?}");
    assert_close!(x[1], 0.4, 1e-15, "{x:?}");
    // What ones were multiplied with is not compared with the least solution.
    assert!(solve(&[&matrix])["forward_error"].is_null());
    let said = affinimath(&["solve", &matrix]).stdout;
    assert!(said.lines().any(|line| line.starts_with("rank") && line.ends_with("1 of 2")), "{said}");
    let report = solve(&[&files.array("full.mtx", 3, &[1.0, 0.0, 0.0, 0.0, 2.0, 0.0])]);
    assert!(report["deficient_rank"].is_null() && report["condition"].is_number());
}

#[test]
fn what_cannot_be_solved_is_refused_with_the_reason() {
    let files = Files::new();
    let good = files.array("good.mtx", 2, &[1.0, 0.0, 0.0, 1.0]);
    let banner = "%%MatrixMarket matrix coordinate real general\n";
    let file = |name: &str, content: &str| files.add(name, &format!("{banner}{content}"));
    for (arguments, message) in [
        (vec![text(&files.path("missing.mtx"))], "cannot open"),
        (vec![good.clone(), text(&files.path("missing.mtx"))], "cannot open"),
        (vec![files.add("text.mtx", "hello\n")], "text.mtx: line 1: not a Matrix Market file"),
        (vec![files.add("binary.mtx", "\u{0}\u{1}")], "line 1: not a Matrix Market file"),
        (vec![file("few.mtx", "2 2 2\n1 1 1.0\n")], "few.mtx: line 4: the file ends after 1 entries"),
        (vec![file("index.mtx", "2 2 1\n% here\n\n3 1 1.0\n")], "index.mtx: line 5: row 3 of a matrix with 2 rows"),
        (vec![good.clone(), file("b.mtx", "2 1 1\n1 1 one\n")], "b.mtx: line 3: 'one' is not a number"),
        (vec![files.array("singular.mtx", 2, &[1.0, 2.0, 2.0, 4.0])], "singular.mtx: the matrix is singular: pivot 2"),
        (vec![files.array("zero.mtx", 2, &[0.0; 4])], "the matrix is singular: pivot 1"),
        (vec![file("nan.mtx", "2 2 2\n1 1 1.0\n2 1 nan\n")], "the matrix has the value NaN in row 2, column 1"),
        (vec![file("inf.mtx", "2 2 1\n1 2 -inf\n")], "the matrix has the value -inf in row 1, column 2"),
        (
            vec![good.clone(), files.array("nanb.mtx", 2, &[1.0, f64::NAN])],
            "the right-hand side has the value NaN in row 2",
        ),
        (vec![good.clone(), files.array("b3.mtx", 3, &[1.0; 3])], "b has 3 rows, and the matrix has 2"),
        (vec![good.clone(), file("b0.mtx", "2 0 0\n")], "b has no columns"),
        (vec![file("empty.mtx", "0 0 0\n")], "nothing to solve"),
        (vec![text(files.0.path())], "could not be read"),
        (vec![good.clone(), "-o".into(), text(&files.path("none/x.mtx"))], "cannot write the solution to"),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let refused = refusal(&arguments);
        assert!(refused.starts_with("affinimath: ") && refused.contains(message), "{arguments:?}: {refused}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_matrix_that_does_not_fit_in_memory_is_refused_at_once() {
    let files = Files::new();
    let banner = "%%MatrixMarket matrix coordinate real general\n";
    for size in ["10000000000 10000000000 1\n1 1 1\n", "18446744073709551615 18446744073709551615 0\n"] {
        let refused = refusal(&[&files.add("large.mtx", &format!("{banner}{size}"))]);
        assert!(refused.contains("of memory are available"), "{refused}");
    }
}

#[test]
fn wrong_usage_has_an_exit_code_of_its_own() {
    for arguments in [&["solve"][..], &["solve", "--unknown"], &["unknown"], &[]] {
        let run = affinimath(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.stderr.contains("Usage:"), "{arguments:?}: {}", run.stderr);
    }
    for wrong in [&["--tol=-1"][..], &["--tol", "-1"], &["--tol=nan"], &["--method=lu"], &["--precond=amg"]] {
        let run = affinimath(&[&["solve", "a.mtx"], wrong].concat());
        assert!(run.code == Some(2) && run.stderr.contains("invalid value"), "{wrong:?}: {}", run.stderr);
    }
}

#[test]
fn help_and_info_are_there() {
    assert!(affinimath(&["--help"]).stdout.contains("solve"));
    assert!(affinimath(&["info"]).stdout.contains("threads"));
    let information: Value = serde_json::from_str(&affinimath(&["info", "--json"]).stdout).unwrap();
    assert!(information["host"]["threads"].as_u64().unwrap() >= 1);
}

/// The 5-point Laplacian of a square, lower triangle, in Matrix Market form; `shift` is subtracted from its diagonal.
fn laplacian(edge: usize, shift: f64) -> String {
    let (n, mut entries) = (edge * edge, Vec::new());
    for here in 0..n {
        entries.push(format!("{} {} {}", here + 1, here + 1, 4.0 - shift));
        if here % edge + 1 < edge {
            entries.push(format!("{} {} -1", here + 2, here + 1));
        }
        if here + edge < n {
            entries.push(format!("{} {} -1", here + edge + 1, here + 1));
        }
    }
    let count = entries.len();
    format!("%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {count}\n{}\n", entries.join("\n"))
}

#[test]
fn each_iterative_method_solves_what_it_is_for() {
    for (name, method, title, helper) in [
        ("poisson2d", "cg", "CG", "Jacobi"),
        ("poisson2d", "minres", "MINRES", "Jacobi"),
        ("hermitian_lattice", "minres", "MINRES", "preconditioner"),
        ("convection_diffusion", "bicgstab", "BiCGStab", "Jacobi"),
        ("convection_diffusion", "gmres", "GMRES", "Jacobi"),
        ("convection_diffusion", "lsqr", "LSQR", "no preconditioner"),
        ("convection_diffusion", "lsmr", "LSMR", "no preconditioner"),
    ] {
        let report = solve(&[&example(name), "--method", method]);
        assert_eq!((&report["method"], &report["reason"]), (&title.into(), &"as asked for".into()), "{name}");
        assert!(report["preconditioner"].as_str().unwrap().contains(helper), "{report}");
        assert!(number(&report, "relative_residual") <= 1e-10, "{report}");
        assert!(number(&report, "iterations") > 1.0 && number(&report, "forward_error") < 1e-6, "{report}");
    }
    let report = solve(&[&example("poisson2d"), "--method", "cg", "--precond", "chebyshev", "--tol", "1e-6"]);
    assert_eq!(report["preconditioner"], "Chebyshev's polynomial");
    assert!(number(&report, "relative_residual") <= 1e-6);
}

#[test]
fn preconditioners_save_iterations() {
    for (name, method, helpers) in [
        ("poisson2d", "cg", &["ssor", "ic0"][..]),
        ("convection_diffusion", "bicgstab", &["block-jacobi", "ssor", "ilu0"]),
    ] {
        let iterations = |helper: &str| {
            let report = solve(&[&example(name), "--method", method, "--precond", helper]);
            assert!(number(&report, "relative_residual") <= 1e-10, "{report}");
            number(&report, "iterations")
        };
        let plain = iterations("none");
        helpers.iter().for_each(|helper| assert!(iterations(helper) < plain, "{name}, {helper}: {plain} without"));
    }
    // Not positive definite: no factor without a shift, and none is found where the diagonal is negative.
    let files = Files::new();
    let negative = files.add("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 -1\n");
    let refused = refusal(&[&negative, "--method", "cg", "--precond", "ic0"]);
    assert!(
        refused.contains("a.mtx: the incomplete Cholesky factorisation has no positive pivot in row 2"),
        "{refused}"
    );
}

#[test]
fn least_squares_of_large_sparse_matrices_are_iterated() {
    // Values along a path, and their differences.
    let (n, mut entries) = (2100, Vec::new());
    for i in 0..n {
        entries.push(format!("{} {} 1", i + 1, i + 1));
        entries.push(format!("{} {} 1", n + i + 1, i + 1));
        if i > 0 {
            entries.push(format!("{} {} -1", n + i + 1, i));
        }
    }
    let files = Files::new();
    let header = format!("%%MatrixMarket matrix coordinate real general\n{} {n} {}\n", 2 * n, entries.len());
    let a = files.add("a.mtx", &format!("{header}{}\n", entries.join("\n")));
    let report = solve(&[&a]);
    let why = "the matrix is sparse, and its factors are small";
    assert_eq!((&report["method"], &report["reason"]), (&"sparse-qr".into(), &why.into()));
    assert!(number(&report, "forward_error") < 1e-11, "{report}");
    let report = solve(&[&a, "--plot", &text(&files.path("lsqr.svg"))]);
    let why = "the matrix is large, sparse and rectangular";
    assert_eq!((&report["method"], &report["reason"]), (&"LSQR".into(), &why.into()));
    assert!(number(&report, "relative_residual") <= 1e-10 && number(&report, "forward_error") < 1e-8, "{report}");

    let values: Vec<f64> = (0..2 * n).map(|i| f64::from(i % 7) - 3.0).collect();
    let (b, x) = (files.array("b.mtx", 2 * n as usize, &values), text(&files.path("x.mtx")));
    for method in ["lsqr", "lsmr"] {
        let report = solve(&[&a, &b, "--method", method, "-o", &x]);
        let attempt = &report["attempts"][0];
        assert_eq!(attempt["reason"], "came to the least squares", "{report}");
        assert!(number(attempt, "normal_residual") <= 1e-9 * number(attempt, "residual"), "{report}");
        let x = read(fs::File::open(&x).unwrap()).unwrap();
        assert_eq!((x.rows, x.columns), (n as usize, 1));
    }
    let refused = refusal(&[&a, &b, "--method", "lsqr", "--precond", "jacobi"]);
    assert!(refused.contains("square"), "{refused}");
}

#[test]
fn a_large_sparse_matrix_is_not_made_dense() {
    let files = Files::new();
    let (a, x) = (files.add("a.mtx", &laplacian(60, 0.0)), text(&files.path("x.mtx")));
    let report = solve(&[&a]);
    assert_eq!((&report["method"], &report["factors"]["ordering"]), (&"sparse-cholesky".into(), &"AMD".into()));
    assert!(number(&report, "forward_error") < 1e-12, "{report}");
    // A preconditioner is one of iterations.
    let report = solve(&[&a, "--precond", "jacobi", "-o", &x]);
    assert_eq!(report["method"], "CG");
    assert_eq!(report["matrix"]["entries"], 17_760);
    assert!(number(&report, "forward_error") < 1e-6, "{report}");
    let x = read(fs::File::open(x).unwrap()).unwrap();
    x.to_dense::<f64>().unwrap().iter().for_each(|x| assert_close!(*x, 1.0, 1e-6));

    let run = affinimath(&["solve", &a, "--precond", "jacobi"]);
    for part in
        ["3600 x 3600, symmetric", "CG, Jacobi's preconditioner: converged after", "positive diagonal", "iterate"]
    {
        assert!(run.stdout.contains(part), "'{part}' is missing in\n{}", run.stdout);
    }
}

#[test]
fn a_method_that_does_not_suit_is_followed_by_another() {
    let files = Files::new();
    // With a positive diagonal, and not positive definite.
    let (a, plot) = (files.add("a.mtx", &laplacian(50, 0.1)), text(&files.path("plot.svg")));
    assert_eq!(solve(&[&a])["method"], "sparse-ldl");
    let report = solve(&[&a, "--plot", &plot]);
    let attempts = report["attempts"].as_array().unwrap();
    assert_eq!((attempts.len(), &report["method"]), (2, &"MINRES".into()), "{report}");
    assert!(attempts[0]["reason"].as_str().unwrap().contains("positive definite"), "{report}");

    // A cyclic shift: short-recurrence methods stagnate on it, and its factors are trivial.
    let n = 2100;
    let entries: String = (0..n).map(|i| format!("{} {} 1\n", i + 1, (i + 1) % n + 1)).collect();
    let a = files.add("shift.mtx", &format!("%%MatrixMarket matrix coordinate real general\n{n} {n} {n}\n{entries}"));
    let b = files.add("b.mtx", &format!("%%MatrixMarket matrix coordinate real general\n{n} 1 1\n1 1 1\n"));
    let report = solve(&[&a, &b, "--plot", &plot]);
    assert_eq!((&report["method"], report["tried"].as_array().unwrap().len()), (&"sparse-lu".into(), 2), "{report}");
    assert!(number(&report, "residual") < 1e-12);
}

#[test]
fn a_large_singular_matrix_is_not_made_dense() {
    // A shift without its last row has no factors, and b is not in its range. Dense it needs 160 GB.
    let n = 100_000;
    let entries: String = (1..n).map(|i| format!("{i} {} 1\n", i + 1)).collect();
    let files = Files::new();
    let header = format!("%%MatrixMarket matrix coordinate real general\n{n} {n} {}\n", n - 1);
    let a = files.add("a.mtx", &format!("{header}{entries}"));
    let b = files.add("b.mtx", &format!("%%MatrixMarket matrix coordinate real general\n{n} 1 1\n{n} 1 1\n"));
    let refused = refusal(&[&a, &b]);
    assert!(refused.contains("singular") && refused.contains("--method lsqr or lsmr"), "{refused}");
}

#[test]
fn what_iterations_do_not_solve_is_told_in_a_line() {
    let files = Files::new();
    let indefinite = files.add("a.mtx", &laplacian(20, 0.1));
    assert!(
        refusal(&[&indefinite, "--method", "cg"]).contains("CG, Jacobi's preconditioner: found no positive definite")
    );
    let few = refusal(&[&example("poisson2d"), "--method", "cg", "--max-iter", "3"]);
    assert!(few.contains("reached the limit of iterations after 3 iterations"), "{few}");
    for (method, why) in [("cg", "though the matrix is not Hermitian"), ("gmres", "(as asked for)")] {
        let few = refusal(&[&example("convection_diffusion"), "--method", method, "--max-iter", "3"]);
        assert!(few.contains(why), "{few}");
    }
    assert!(refusal(&[&example("polynomial_fit"), "--method", "gmres"]).contains("square"));
    let zero = files.add("z.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1\n");
    assert!(refusal(&[&zero, "--method", "gmres", "--precond", "jacobi"]).contains("z.mtx"));
}

#[test]
fn the_convergence_is_drawn() {
    let files = Files::new();
    let plot = text(&files.path("plot.svg"));
    let drawn = |name: &str, options: &[&str]| {
        let name = example(name);
        let report = solve(&[&[name.as_str(), "--plot", &plot], options].concat());
        (report, fs::read_to_string(&plot).unwrap())
    };
    let (report, svg) = drawn("poisson2d", &["--method", "cg"]);
    let legend = format!("CG, Jacobi's preconditioner: converged after {}", report["iterations"]);
    for part in ["Convergence for poisson2d.mtx", "400 x 400", "iteration", "tolerance 1e-10", "||b - A x|| / ||b||"] {
        assert!(svg.contains(part), "'{part}' is missing");
    }
    assert!(svg.contains(&legend.replace('\'', "&apos;")) || svg.contains(&legend), "{legend}");
    // A line of a method that did not get there is drawn, too.
    let indefinite = files.add("a.mtx", &laplacian(50, 0.1));
    solve(&[&indefinite, "--plot", &plot]);
    let svg = fs::read_to_string(&plot).unwrap();
    assert!(svg.contains("CG,") && svg.contains("MINRES,"));
    fs::remove_file(&plot).unwrap();
    refusal(&[&example("poisson2d"), "--method", "cg", "--max-iter", "3", "--plot", &plot]);
    assert!(fs::read_to_string(&plot).unwrap().contains("reached the limit of iterations after 3"));
}

#[test]
fn what_factors_or_folders_cannot_do_is_refused() {
    let files = Files::new();
    let plot = text(&files.path("plot.svg"));
    for method in ["auto", "dense"] {
        let refused = refusal(&[&example("poisson2d"), "--method", method, "--plot", &plot]);
        assert!(refused.contains("--plot draws iterations") && refused.contains("--method cg"), "{refused}");
    }
    assert!(!files.path("plot.svg").exists());
    let refused = refusal(&[&example("poisson2d"), "--precond", "ic0"]);
    assert!(refused.contains("--precond helps iterations") && refused.contains("--method cg"), "{refused}");
    solve(&[&example("poisson2d"), "--precond", "none"]);

    let nowhere = text(&files.path("none/file"));
    for (option, what) in [("--plot", "the plot"), ("--output", "the solution")] {
        let refused = refusal(&[&example("poisson2d"), "--method", "cg", option, &nowhere]);
        assert!(refused.contains(&format!("cannot write {what} to '{nowhere}': there is no folder")), "{refused}");
    }
}

#[test]
fn direct_factors_name_their_method_ordering_and_fill() {
    let files = Files::new();
    for (matrix, method, ordering) in [
        (files.add("p.mtx", &laplacian(40, 0.0)), "sparse-cholesky", "AMD"),
        (files.add("i.mtx", &laplacian(40, 0.3)), "sparse-ldl", "AMD"),
        (example("convection_diffusion"), "sparse-lu", "COLAMD"),
        (example("polynomial_fit"), "sparse-qr", "COLAMD"),
    ] {
        let report = solve(&[&matrix, "--method", "direct"]);
        assert_eq!((&report["method"], &report["factors"]["ordering"]), (&method.into(), &ordering.into()), "{report}");
        assert!(report["factors"]["entries"].as_u64().unwrap() > 0, "{report}");
        let rounding = report["matrix"]["facts"]["rows"].as_f64().unwrap() * f64::EPSILON;
        assert!(number(&report, "residual") <= rounding, "{report}");
        assert!(number(&report, "forward_error") <= 10.0 * number(&report, "condition") * rounding, "{report}");
    }
}

#[test]
fn every_method_reports_the_same_rows() {
    let poisson = example("poisson2d");
    let keys = |report: &Value| report.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let dense = solve(&[&poisson, "--method", "dense"]);
    for method in ["cg", "minres", "lsqr", "direct"] {
        let report = solve(&[&poisson, "--method", method]);
        assert_eq!(keys(&report), keys(&dense), "{method}");
        assert_eq!(report["schema"], "affinimath/solve/1");
        // Estimates are within a factor of 3 of the norm of the inverse.
        let ratio = number(&report, "condition") / number(&dense, "condition");
        assert!((1.0 / 3.0..=3.0).contains(&ratio), "{method}: {ratio}");
        let run = affinimath(&["solve", &poisson, "--method", method]);
        for row in ["matrix", "rhs", "method", "steps", "residual", "condition", "error", "solution"] {
            assert!(run.stdout.lines().any(|line| line.starts_with(row)), "{method}: no {row} in\n{}", run.stdout);
        }
    }
}

#[test]
fn json_goes_into_a_file_and_text_to_the_output() {
    let files = Files::new();
    let json = text(&files.path("report.json"));
    let run = affinimath(&["solve", &example("poisson2d"), &format!("--json={json}")]);
    assert!(run.code == Some(0) && run.stdout.starts_with("matrix"), "{}", run.stderr);
    let report: Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!(report["schema"], "affinimath/solve/1");
}

#[test]
fn a_singular_matrix_names_the_methods_that_suit_it() {
    let files = Files::new();
    let banner = "%%MatrixMarket matrix coordinate real";
    let symmetric = files.add("s.mtx", &format!("{banner} symmetric\n2 2 1\n1 1 1\n"));
    let general = files.add("g.mtx", &format!("{banner} general\n2 2 1\n1 2 1\n"));
    for method in ["direct", "dense"] {
        assert!(refusal(&[&symmetric, "--method", method]).contains("--method minres, lsqr or lsmr"));
        let refused = refusal(&[&general, "--method", method]);
        assert!(refused.contains("--method lsqr or lsmr") && !refused.contains("minres"), "{refused}");
    }
}
