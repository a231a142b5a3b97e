//! Programs of their own: they compile without a warning, validate themselves, and have the reference's values.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use affinimath_opencl::device::for_tests;
use affinimath_stencil::emit::{Fill, FillValues, Options, program};
use affinimath_stencil::reference::evaluate;
use affinimath_stencil::{Argument, Bound, Class, Design, DeviceProfile, Field, GridSlices, Language, Span, Stencil};
use common::devices::arguments;
use common::{example_text, noise, parse};

/// Points of a domain along each axis, and steps.
const POINTS: i64 = 11;
const STEPS: u64 = 7;

/// A program in a folder of its own.
struct Program {
    folder: PathBuf,
    bound: Bound,
    parameters: Vec<Argument>,
}

/// The kind of a program.
#[derive(Clone, Debug)]
struct Form {
    language: Language,
    fortran: bool,
    facts: DeviceProfile,
    strategy: &'static str,
}

impl Form {
    fn c99() -> Self {
        Form { language: Language::C99, fortran: false, facts: DeviceProfile::default(), strategy: "auto" }
    }

    fn opencl() -> Self {
        Form { language: Language::OpenCl, ..Form::c99() }
    }

    fn cpu(self) -> Self {
        Form { facts: DeviceProfile { class: Class::Cpu, ..self.facts }, ..self }
    }

    fn fortran(self) -> Self {
        Form { fortran: true, ..self }
    }

    fn strategy(self, strategy: &'static str) -> Self {
        Form { strategy, ..self }
    }
}

fn sizes(stencil: &Stencil) -> Vec<(&str, i64)> {
    let value = |name: &str| match name {
        "nxb" | "nyb" | "nzb" => 1,
        "steps" => STEPS as i64,
        _ => POINTS,
    };
    stencil.symbols().into_iter().map(|name| (name, value(name))).collect()
}

/// The time of the first step: 0 where tables have an element for each step.
fn first(bound: &Bound) -> i64 {
    if bound.sizes().contains_key("steps") { 0 } else { 2 }
}

/// The value of a grid's point before the first step.
fn start(bound: &Bound, grid: usize, component: usize, cell: &[i64]) -> f64 {
    let scale = if bound.stencil().grids()[grid].kind.is_real() { 1.0 } else { 100.0 };
    scale * (noise((grid * 64 + component) as u64 + 1, cell) + 1.5)
}

/// Fields with values before the first step in all levels.
fn fields(bound: &Bound) -> Vec<Field> {
    let each = (0..bound.stencil().grids().len()).map(|grid| {
        let mut field = bound.field(grid).expect("memory");
        for component in 0..bound.stencil().grids()[grid].component_count() {
            for level in 0..bound.levels(grid) {
                field.fill(component, level, |cell| start(bound, grid, component, cell));
            }
        }
        field
    });
    each.collect()
}

/// The same values as bytes.
fn fills(bound: &Bound) -> Vec<Fill> {
    let mut fields = fields(bound);
    let each = fields.iter_mut().enumerate().map(|(grid, field)| {
        let components = field.slices().slices.into_iter().map(|levels| levels[0].bytes());
        Fill { grid, time: None, values: FillValues::Bytes(components.collect()) }
    });
    each.collect()
}

impl Program {
    fn emit(name: &str, text: &str, form: &Form) -> Self {
        let stencil = parse(text);
        let mut design = Design::new(&stencil, form.facts.clone(), &sizes(&stencil)).expect("a design");
        design.set_strategy_text(form.strategy).expect("a strategy that fits");
        let parameters = arguments(design.bound());
        let options = Options {
            language: form.language,
            fortran: form.fortran,
            first: first(design.bound()),
            steps: Some(STEPS),
            fills: fills(design.bound()),
            parameters: parameters.clone(),
        };
        let files = program(&design, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        let kind = format!("{:?}{}{:?}", form.language, form.fortran, form.facts.class);
        let strategy: String = form.strategy.chars().filter(char::is_ascii_alphanumeric).collect();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("emit {name} {kind} {strategy}"));
        let _ = fs::remove_dir_all(&folder);
        for file in files {
            let path = folder.join(&file.path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, file.content).expect("a file");
        }
        Program { folder, bound: design.bound().clone(), parameters }
    }

    fn make(&self, goal: &str) -> String {
        let mut command = Command::new("make");
        command.args(["-s", goal, "CFLAGS=-O1 -Werror", "FFLAGS=-O1 -Werror"]).current_dir(&self.folder);
        let output = command.output().expect("make is here");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (shown, told) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success() && told.is_empty(), "{}: {shown}\n{told}", self.folder.display());
        shown
    }

    /// The program validates itself, and its newest levels and results lie between the reference's.
    fn validates(self) {
        let shown = self.make("check");
        let mut expected = fields(&self.bound);
        let mut grids: Vec<GridSlices<'_>> = expected.iter_mut().map(Field::slices).collect();
        let span = Span { first: first(&self.bound), steps: Some(STEPS), initial: false };
        let outcome = evaluate(&self.bound, &mut grids, &self.parameters, span).expect("a run");
        let mut lines = shown.lines();
        let mut compare = |name: &str, values: &[f64]| {
            let line = lines.next().unwrap_or_else(|| panic!("a line for {name}: {shown}"));
            let range = line.strip_prefix(name).and_then(|rest| rest.strip_prefix(": ")).expect(line);
            let (lower, rest) = range.split_once(" to ").expect(line);
            let (upper, _) = rest.split_once(',').expect(line);
            let numbers = [lower, upper].map(|text| text.trim().parse::<f64>().expect(line));
            let finite = |fold: fn(f64, f64) -> f64, start| values.iter().copied().fold(start, fold);
            let wanted = [finite(f64::min, f64::INFINITY), finite(f64::max, f64::NEG_INFINITY)];
            let largest = values.iter().fold(0.0, |so_far: f64, value| so_far.max(value.abs()));
            for (own, wanted) in numbers.into_iter().zip(wanted) {
                // All numbers may be NaN.
                let is_same = own == wanted || wanted.is_infinite() || (own - wanted).abs() <= 1e-15 * largest;
                assert!(is_same, "{}: {own} and {wanted}: {line}", self.folder.display());
            }
        };
        for (grid, definition) in self.bound.stencil().grids().iter().enumerate() {
            if !self.bound.facts().grids[grid].is_written {
                continue;
            }
            let count = definition.component_count();
            for component in 0..count {
                let name =
                    if count > 1 { format!("{}[{component}]", definition.name) } else { definition.name.clone() };
                compare(&name, &expected[grid].values(component, outcome.newest[grid]));
            }
        }
        for (result, value) in self.bound.stencil().results().iter().zip(&outcome.results) {
            compare(&result.name, &[value.expect("a step").as_f64()]);
        }
        assert_eq!(lines.next(), None, "{shown}");
        fs::remove_dir_all(&self.folder).expect("the folder");
    }
}

fn validates(name: &str, form: &Form) {
    Program::emit(name, &example_text(name), form).validates();
}

#[test]
fn kernels_in_c99_have_the_values_of_naive_loops() {
    for name in ["rods", "plate", "wave25", "results", "red_black", "conditions", "components", "lattice_boltzmann"] {
        validates(name, &Form::c99());
    }
    for name in ["upwind", "boundaries", "heat", "himeno"] {
        validates(name, &Form::c99().cpu());
    }
}

#[test]
fn drivers_in_fortran_call_kernels_in_c99() {
    for name in ["upwind", "components", "jacobi"] {
        validates(name, &Form::c99().fortran());
    }
}

#[test]
fn kernels_in_opencl_have_the_values_of_naive_loops() {
    // The same device that the program chooses.
    if for_tests().is_empty() {
        return;
    }
    for name in ["rods", "plate", "results", "heat"] {
        validates(name, &Form::opencl());
    }
    validates("laplacian", &Form::opencl().cpu());
}

/// Barriers and vectors in local memory on a device, as GPUs have them: rows of the memory begin at multiples of four.
#[test]
fn planes_in_local_memory_have_the_values_of_naive_loops_on_a_device() {
    if for_tests().is_empty() {
        return;
    }
    let text = "stencil aligned {
      domainsize = (1 .. 24, 1 .. n, 1 .. n);
      operation (float grid u(-3 .. 28, -1 .. n + 2, -1 .. n + 2), const float grid k(-3 .. 28, 1 .. n, 1 .. n)) {
        u[x,y,z; t+1] = 0.5 * u[x,y,z; t] - 0.25 * u[x,y,z; t-1] + k[x,y,z] * 0.0625 * (u[x-2,y,z; t] + u[x+1,y,z; t]
          + u[x,y-1,z; t] + u[x,y+2,z; t] + u[x+1,y-1,z-1; t] + u[x,y,z-2; t] + u[x,y,z+2; t]);
      }
      boundary { u: x = periodic; y = clamp; z = 1; }
    }";
    let form = Form::opencl().strategy("stream-local:items=4x4,points=4x1,planes=5,unroll=3");
    Program::emit("aligned", text, &form).validates();
}

/// Launches of one step and of several, whose slices change places, with steps that are left over.
#[test]
fn tiles_have_the_values_of_naive_loops() {
    validates("laplacian", &Form::c99().strategy("stream:items=8x4,points=1x1,planes=4"));
    validates("laplacian", &Form::c99().strategy("stream-local:items=4x2,points=2x2,planes=4,unroll=2"));
    validates("laplacian", &Form::c99().strategy("overlap:steps=3,items=16x8,points=1x1,planes=8"));
    let watched = "stencil watched {
      domainsize = (1 .. n, 1 .. n);
      operation (double grid u, double result most) {
        u[x,y; t+1] = 0.25 * (u[x-1,y; t] + u[x+1,y; t] + u[x,y-1; t] + u[x,y+1; t]);
        most = max(u[x,y; t+1]);
      }
      boundary { u: x = periodic; y = 0; }
      stop { when most < 1e-9 every 4; }
    }";
    let form = Form::c99().strategy("overlap:steps=2,items=32,points=1,planes=8");
    Program::emit("watched", watched, &form).validates();
    let stops = watched.replace("1e-9", "100");
    Program::emit("stops", &stops, &form).validates();
}

#[test]
fn choices_that_do_not_fit_are_refused() {
    let stencil = parse(&example_text("plate"));
    let design = Design::new(&stencil, DeviceProfile::default(), &sizes(&stencil)).expect("a design");
    let options = Options {
        language: Language::C99,
        fortran: false,
        first: 0,
        steps: Some(1),
        fills: Vec::new(),
        parameters: vec![0.2.into()],
    };
    assert!(program(&design, &options).is_ok());
    let bytes = |count: usize| FillValues::Bytes(vec![vec![0; count]]);
    for (wrong, reason) in [
        (Options { language: Language::Cuda, ..options.clone() }, "opencl or c99, not in cuda"),
        (Options { language: Language::OpenCl, fortran: true, ..options.clone() }, "c99, not in opencl"),
        (Options { steps: None, ..options.clone() }, "the number of steps is missing"),
        (Options { parameters: Vec::new(), ..options.clone() }, "the parameter 'k' is missing"),
        (
            Options { fills: vec![Fill { grid: 0, time: Some(-1), values: FillValues::Zero }], ..options.clone() },
            "not t-1",
        ),
        (Options { fills: vec![Fill { grid: 0, time: None, values: bytes(8) }], ..options.clone() }, "1 components of"),
        (Options { fills: vec![Fill { grid: 3, time: None, values: bytes(8) }], ..options }, "there is no grid 3"),
    ] {
        let error = program(&design, &wrong).expect_err(reason);
        assert!(error.reason.contains(reason), "{error}");
    }
}

#[test]
#[ignore = "compiles each example several times"]
fn all_examples_validate_in_all_forms() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/stencils");
    let only = std::env::var("EXAMPLES").unwrap_or_default();
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("the folder of examples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "stc"))
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .filter(|name| only.is_empty() || only.split(',').any(|each| each == name))
        .collect();
    names.sort();
    let forms = [Form::c99(), Form::c99().cpu(), Form::c99().fortran(), Form::opencl(), Form::opencl().cpu()];
    let mut wrong = Vec::new();
    for name in names {
        for form in &forms {
            if std::panic::catch_unwind(|| validates(&name, form)).is_err() {
                wrong.push(format!("{name} {form:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
