//! Programs of their own: kernels, a driver that fills grids, runs, validates and times, and a Makefile (after the
//! benchmarks that PATUS generates: Christen 2011).
//!
//! Kernels and their order are those of a plan: an executor records its launches. The driver compares the results with
//! naive loops in C, which are made from the definition alone.

mod driver;
mod expression;
mod faces;
mod fortran;
mod launches;
mod memory;
mod naive;
mod names;
mod record;
mod unit;

use crate::data::{Argument, Layout};
use crate::design::{Design, Language};
use crate::error::{Error, Result};
use crate::grids::padded;
use crate::run::{Levels, Span};
use launches::Launches;
use record::Record;
use unit::Unit;

/// The values of a grid before the first step.
#[derive(Clone, Debug, PartialEq)]
pub struct Fill {
    /// The grid.
    pub grid: usize,
    /// The level relative to the first step; all that hold values without one.
    pub time: Option<i32>,
    /// The values.
    pub values: FillValues,
}

/// Values that fill levels of a grid.
#[derive(Clone, Debug, PartialEq)]
pub enum FillValues {
    /// Zeros.
    Zero,
    /// Random numbers from 0 to 1 with a seed, those of the program `affinimath stencil`; integers are 0 or 1.
    Random(u64),
    /// The bytes of the elements of each component, without gaps, x fastest.
    Bytes(Vec<Vec<u8>>),
}

/// The choices of an emitted program.
#[derive(Clone, Debug)]
pub struct Options {
    /// The kernels' language: OpenCL C, or C99 with OpenMP.
    pub language: Language,
    /// The driver is in Fortran. Kernels are in C99 then.
    pub fortran: bool,
    /// The time of the first step.
    pub first: i64,
    /// Steps; without them the stencil's own number.
    pub steps: Option<u64>,
    /// Values of grids, the later ones over the earlier ones.
    pub fills: Vec<Fill>,
    /// Parameters in the order of declaration.
    pub parameters: Vec<Argument>,
}

/// A file of a program: its path within the program's folder, and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path, with `/` between folders.
    pub path: String,
    /// The content.
    pub content: Vec<u8>,
}

impl File {
    fn text(path: impl Into<String>, content: impl Into<String>) -> Self {
        File { path: path.into(), content: content.into().into_bytes() }
    }
}

/// The files of a program.
///
/// # Errors
/// Parameters, steps or fills do not fit, the language is CUDA C++, Fortran's kernels are not in C99, a filter's point
/// lies outside the domain, or a kernel cannot be made.
///
/// ```
/// use affinimath_stencil::emit::{Options, program};
/// use affinimath_stencil::{Design, DeviceProfile, Language, Stencil};
///
/// let shift = Stencil::parse(
///     "stencil shift { domainsize = (1 .. n); operation (int grid u) { u[x; t+1] = u[x-1; t]; } }",
/// )?;
/// let design = Design::new(&shift, DeviceProfile::default(), &[("n", 100)])?;
/// let options = Options {
///     language: Language::C99,
///     fortran: false,
///     first: 0,
///     steps: Some(10),
///     fills: Vec::new(),
///     parameters: Vec::new(),
/// };
/// let files = program(&design, &options)?;
/// assert!(files.iter().any(|file| file.path == "Makefile"));
/// # Ok::<(), affinimath_stencil::Error>(())
/// ```
pub fn program(design: &Design, options: &Options) -> Result<Vec<File>> {
    let bound = design.bound();
    match (options.language, options.fortran) {
        (Language::Cuda, _) => return Err(Error::new("programs have kernels in opencl or c99, not in cuda")),
        (Language::OpenCl, true) => return Err(Error::new("a driver in Fortran calls kernels in c99, not in opencl")),
        _ => {}
    }
    let span = Span { first: options.first, steps: options.steps, initial: false };
    let steps = bound.steps(span)?;
    let parameters = bound.parameters(&options.parameters)?;
    check_fills(design, &options.fills)?;
    let plain: Vec<Layout> =
        (0..bound.stencil().grids().len()).map(|grid| bound.layout(grid)).collect::<Result<_>>()?;
    let layouts = plain.iter().enumerate().map(|(grid, layout)| padded(bound, grid, layout.clone()));
    let record = Record::new(design, &parameters, layouts.collect::<Result<_>>()?, options.first)?;
    let unit = Unit { bound, parameters: &parameters, record: &record, plain, first: options.first, steps };
    let launches = Launches { unit: &unit, language: options.language };
    let kernels = launches.kernels()?;
    let name = unit.name();
    let mut files = vec![
        File::text("Makefile", driver::makefile(&unit, options)),
        File::text(format!("{name}.h"), driver::header(&unit)),
        File::text(format!("{name}.stc"), bound.stencil().to_string()),
        File::text(format!("{name}_run.c"), launches.file(&kernels)?),
        File::text(format!("{name}_naive.c"), naive::file(&unit)),
        File::text(format!("{name}_fill.c"), driver::fills(&unit, &options.fills)),
        File::text("naive_math.h", include_str!("files/naive_math.h")),
    ];
    files.push(if options.fortran {
        File::text("main.f90", fortran::main(&unit))
    } else {
        File::text("main.c", driver::main(&unit))
    });
    if options.language == Language::OpenCl {
        files.push(File::text("opencl.h", include_str!("files/opencl.h")));
        files.push(File::text("opencl.c", include_str!("files/opencl.c")));
    }
    for (kernel, text) in kernels {
        let end = if options.language == Language::OpenCl { "cl" } else { "c" };
        files.push(File::text(format!("kernels/{kernel}.{end}"), compilable(&kernel, &text)));
    }
    for (number, fill) in options.fills.iter().enumerate() {
        let FillValues::Bytes(components) = &fill.values else { continue };
        for (component, content) in components.iter().enumerate() {
            files.push(File { path: driver::data_path(number, component), content: content.clone() });
        }
    }
    Ok(files)
}

/// A kernel's text without warnings of compilers: GCC knows the contraction of expressions as an option alone, which
/// the Makefile has, and a variant of a kernel may need fewer parameters than others.
fn compilable(name: &str, text: &str) -> String {
    let pragma = "#pragma STDC FP_CONTRACT OFF\n";
    let text = text.replacen(pragma, &format!("#if !defined(__GNUC__) || defined(__clang__)\n{pragma}#endif\n"), 1);
    let parts = text.split_once(&format!("void {name}(")).and_then(|(before, rest)| {
        let (head, body) = rest.split_once(") {\n")?;
        Some((before, head, body))
    });
    let Some((before, head, body)) = parts else { return text };
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let words = body.split(|letter: char| !is_part(letter));
    let mut unused = String::new();
    for parameter in head.split(',') {
        let own = parameter.trim().trim_end_matches("[3]").rsplit(|letter: char| !is_part(letter)).next().unwrap_or("");
        if !words.clone().any(|word| word == own) {
            unused += &format!("    (void){own};\n");
        }
    }
    format!("{before}void {name}({head}) {{\n{unused}{body}")
}

/// Levels that are filled hold values before a step, and bytes are as many as elements.
fn check_fills(design: &Design, fills: &[Fill]) -> Result<()> {
    let bound = design.bound();
    let levels = Levels::new(bound);
    for Fill { grid, time, values } in fills {
        let definition = bound.stencil().grids().get(*grid);
        let definition = definition.ok_or_else(|| Error::new(format!("there is no grid {grid}")))?;
        let inputs = levels.inputs(*grid);
        if let Some(time) = time.filter(|time| !inputs.contains(time)) {
            let (first, last, name) = (inputs.start(), inputs.end(), &definition.name);
            let reason = format!("a run reads the levels t{first:+} to t{last:+} of '{name}', not t{time:+}");
            return Err(Error::new(reason));
        }
        if let FillValues::Bytes(components) = values {
            let wanted = bound.layout(*grid)?.points() * definition.kind.bytes();
            let fits = components.iter().all(|bytes| bytes.len() == wanted);
            if components.len() != definition.component_count() || !fits {
                let (count, name) = (definition.component_count(), &definition.name);
                return Err(Error::new(format!("'{name}' has {count} components of {wanted} bytes")));
            }
        }
    }
    Ok(())
}
