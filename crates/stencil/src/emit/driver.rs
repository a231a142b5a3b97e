//! The driver in C, the header, the values before the first step, and the Makefile.

use super::expression::has_functions;
use super::naive::table;
use super::names::{self, call};
use super::unit::Unit;
use super::{Fill, FillValues, Options};
use crate::definition::Type;
use crate::design::Language;
use crate::run::Levels;

/// Runs that are timed.
pub(super) const TIMED: usize = 5;

/// The path of a component's elements.
pub(super) fn data_path(fill: usize, component: usize) -> String {
    format!("data/fill_{fill}_{component}.bin")
}

/// The largest difference from the naive loops, relative to the largest value: library functions differ in their last
/// bits, and each step hands on what the one before had.
pub(super) fn tolerance(unit: &Unit<'_>, kind: Type) -> f64 {
    if !has_functions(unit.bound) {
        return 0.0;
    }
    let of_step = match kind {
        Type::F32 => 1e-6,
        Type::F64 => 2e-15,
        _ => return 0.0,
    };
    of_step * (unit.steps as f64 + 1.0)
}

/// The header: memory, the outcome of a run, and the functions.
pub(super) fn header(unit: &Unit<'_>) -> String {
    let name = unit.name();
    let guard = format!("STENCIL_{}_H", name.to_uppercase());
    let mut text =
        format!("/* {name}: grids, and runs by kernels and by naive loops. */\n\n#ifndef {guard}\n#define {guard}\n\n");
    text += "#include <stddef.h>\n#include <stdint.h>\n\n";
    for grid in unit.grids() {
        let (own, kind, components, levels) = unit.grid(grid);
        let layout = &unit.plain[grid];
        let lengths: Vec<String> = layout.lengths.iter().map(usize::to_string).collect();
        let upper = own.to_uppercase();
        text += &format!(
            "/* {own}: {components} x {levels} levels of {}, x fastest. The oldest level is the first one; after a run \
             the newest is number {}. */\n#define {upper}_ELEMENTS INT64_C({})\n\
             #define {upper}_BYTES ((size_t){upper}_ELEMENTS * sizeof({kind}))\n#define {upper}_SLICES {}\n\
             #define {upper}_LEVELS {levels}\n#define {upper}_NEWEST {}\n\n",
            lengths.join(" x "),
            unit.newest(grid),
            layout.points(),
            components * levels,
            unit.newest(grid)
        );
    }
    for (parameter, definition) in unit.bound.stencil().parameters().iter().enumerate() {
        if !definition.ranges.is_empty() {
            let (own, count) = (names::parameter(unit.bound, parameter), unit.parameters.values(parameter).len());
            text += &format!("extern const {} {own}[{count}];\n\n", names::c_type(definition.kind));
        }
    }
    text += "/* The end of a run. */\ntypedef struct {\n  double seconds; /* of all steps */\n  int64_t steps;\n  \
             int32_t stopped; /* by the criterion */\n";
    for result in unit.results() {
        let kind = names::c_type(unit.bound.stencil().results()[result].kind);
        text += &format!("  {kind} {};\n", names::result(unit.bound, result));
    }
    text += &format!("}} {name}_outcome;\n\n");
    text += "/* These return 0, 1 if a value outside a range was needed, or 2 if memory is short. */\n\n";
    let grids = unit.grid_parameters();
    text += "/* Sets all values before the first step. */\n";
    text += &call(0, &format!("int {name}_fill"), &grids, ";");
    if !unit.record.initial.is_empty() {
        text += "\n/* Sets the initial values of the text. */\n";
        let parameters: Vec<String> = grids.iter().cloned().chain(["int64_t first".to_owned()]).collect();
        text += &call(0, &format!("int {name}_initialize"), &parameters, ";");
    }
    let mut parameters = grids;
    parameters.extend(["int64_t first", "int64_t steps"].map(str::to_owned));
    parameters.push(format!("{name}_outcome *outcome"));
    text += "\n/* Steps by kernels. */\n";
    text += &call(0, &format!("int {name}_run"), &parameters, ";");
    text += "\n/* Steps by naive loops. */\n";
    text += &call(0, &format!("int {name}_naive"), &parameters, ";");
    text + "\n#endif\n"
}

/// The file of values before the first step.
pub(super) fn fills(unit: &Unit<'_>, fills: &[Fill]) -> String {
    let name = unit.name();
    let mut text = format!(
        "/* {name}: values before the first step, and parameters with elements. */\n\n#include \"{name}.h\"\n\n\
         #include <stdio.h>\n#include <string.h>\n\n"
    );
    for (parameter, definition) in unit.bound.stencil().parameters().iter().enumerate() {
        if !definition.ranges.is_empty() {
            let values = unit.parameters.values(parameter);
            let own = names::parameter(unit.bound, parameter);
            text += &format!(
                "const {} {own}[{}] = {{\n{}\n}};\n\n",
                names::c_type(definition.kind),
                values.len(),
                table(values)
            );
        }
    }
    if fills.iter().any(|fill| matches!(fill.values, FillValues::Random(_))) {
        text += include_str!("files/random.c");
        let kinds: Vec<Type> = unit.bound.stencil().grids().iter().map(|grid| grid.kind).collect();
        for kind in [Type::I32, Type::I64, Type::F32, Type::F64].into_iter().filter(|kind| kinds.contains(kind)) {
            let value = match kind {
                Type::F32 => "(float)(((double)(next(&seed) >> 11) + 0.5) / 9007199254740992.0 - 0.5) + 0.5f",
                Type::F64 => "((double)(next(&seed) >> 11) + 0.5) / 9007199254740992.0 - 0.5 + 0.5",
                _ => "next(&seed) % 2",
            };
            let (c, suffix) = (names::c_type(kind), names::suffix(kind));
            text += &format!(
                "static inline void random_{suffix}({c} *slice, int64_t elements, uint64_t seed)\n{{\n  int64_t i;\n  \
                 for (i = 0; i < elements; ++i) slice[i] = {value};\n}}\n\n"
            );
        }
    }
    if fills.iter().any(|fill| matches!(fill.values, FillValues::Bytes(_))) {
        text += include_str!("files/read_slice.c");
    }
    let grids = unit.grid_parameters();
    text += &call(0, &format!("int {name}_fill"), &grids, "");
    text += "{\n";
    for grid in unit.grids() {
        let (own, ..) = unit.grid(grid);
        let upper = own.to_uppercase();
        text += &format!("  memset({own}, 0, {upper}_SLICES * {upper}_BYTES);\n");
    }
    if !unit.record.initial.is_empty() {
        let arguments: Vec<String> =
            unit.grids().map(|grid| unit.grid(grid).0).chain([names::whole(unit.first)]).collect();
        let call = call(0, &format!("{name}_initialize"), &arguments, "");
        text += &format!("  {{\n    int status = {};\n    if (status != 0) return status;\n  }}\n", call.trim_end());
    }
    for (number, fill) in fills.iter().enumerate() {
        text += &fill_text(unit, number, fill);
    }
    text + "  return 0;\n}\n"
}

fn fill_text(unit: &Unit<'_>, number: usize, fill: &Fill) -> String {
    let (own, _, components, levels) = unit.grid(fill.grid);
    let definition = &unit.bound.stencil().grids()[fill.grid];
    let upper = own.to_uppercase();
    let inputs = Levels::new(unit.bound).inputs(fill.grid);
    let times = match fill.time {
        Some(time) => time..=time,
        None => inputs,
    };
    let mut text = String::new();
    for component in 0..components {
        for time in times.clone() {
            let slice = component * levels + unit.position(fill.grid, time);
            let start = format!("{own} + {slice} * {upper}_ELEMENTS");
            text += &match &fill.values {
                FillValues::Zero => format!("  memset({start}, 0, {upper}_BYTES);\n"),
                FillValues::Random(seed) => {
                    let seed = seed.wrapping_mul(4099).wrapping_add(component as u64);
                    let suffix = names::suffix(definition.kind);
                    format!("  random_{suffix}({start}, {upper}_ELEMENTS, UINT64_C({seed}));\n")
                }
                FillValues::Bytes(_) => {
                    let path = data_path(number, component);
                    format!("  if (read_slice({start}, {upper}_BYTES, FOLDER \"/{path}\") != 0) return 2;\n")
                }
            };
        }
    }
    text
}

/// The driver.
pub(super) fn main(unit: &Unit<'_>) -> String {
    let name = unit.name();
    let mut text = format!(
        "/* {name}: fills the grids, runs, validates and times. The last line is the time of a run in seconds.\n\n   \
         ./{name}         validates and times\n   ./{name} check   validates\n   ./{name} time    times */\n\n\
         #include \"{name}.h\"\n\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n\
         enum {{ TIMED = {TIMED} }};\n\n"
    );
    let grids = unit.bound.stencil().grids();
    let written = unit.grids().filter(|&grid| unit.is_written(grid));
    let mut kinds: Vec<Type> = written.map(|grid| grids[grid].kind).collect();
    kinds.extend(unit.bound.stencil().results().iter().map(|result| result.kind));
    for kind in [Type::I32, Type::I64, Type::F32, Type::F64].into_iter().filter(|kind| kinds.contains(kind)) {
        text += &include_str!("files/compare.c")
            .replace("TYPE", names::c_type(kind))
            .replace("SUFFIX", names::suffix(kind))
            .replace("IS_NAN", if kind.is_real() { "isnan(a) && isnan(b)" } else { "0" });
    }
    text += include_str!("files/driver.c");
    text + &main_function(unit)
}

/// Lines with more space before them.
fn indented(text: &str, indent: usize) -> String {
    text.lines().map(|line| format!("{}{line}\n", " ".repeat(indent))).collect()
}

/// The calls of the driver.
struct Calls<'u, 'a>(&'u Unit<'a>);

impl Calls<'_, '_> {
    fn grids(&self, prefix: &str) -> Vec<String> {
        self.0.grids().map(|grid| format!("{prefix}{}", self.0.grid(grid).0)).collect()
    }

    /// Sets the values before the first step.
    fn fill(&self) -> String {
        let call = call(0, &format!("{}_fill", self.0.name()), &self.grids("start_"), "");
        format!("told({});\n", call.trim_end())
    }

    /// A run by kernels or by naive loops.
    fn run(&self, function: &str, prefix: &str, outcome: &str) -> String {
        let span = [names::whole(self.0.first), names::whole(self.0.steps as i64), format!("&{outcome}")];
        let name = format!("{}_{function}", self.0.name());
        let call = call(0, &name, &[self.grids(prefix), span.to_vec()].concat(), "");
        format!("told({});\n", call.trim_end())
    }

    /// A line for each grid, of its name and its name in capital letters.
    fn each(&self, line: &dyn Fn(&str, &str) -> String) -> String {
        let names = self.0.grids().map(|grid| self.0.grid(grid).0);
        names.map(|own| line(&own, &own.to_uppercase())).collect()
    }

    fn restart(&self) -> String {
        self.each(&|own, upper| format!("memcpy({own}, start_{own}, {upper}_SLICES * {upper}_BYTES);\n"))
    }

    /// Comparisons of all newest levels and results.
    fn comparisons(&self) -> String {
        let (unit, stencil) = (self.0, self.0.bound.stencil());
        let mut text = String::new();
        for grid in unit.grids().filter(|&grid| unit.is_written(grid)) {
            let (own, _, components, _) = unit.grid(grid);
            let definition = &stencil.grids()[grid];
            let (upper, suffix) = (own.to_uppercase(), names::suffix(definition.kind));
            let tolerance = tolerance(unit, definition.kind);
            for component in 0..components {
                let label = unit.label(grid, component);
                let slice = format!("({component} * {upper}_LEVELS + {upper}_NEWEST) * {upper}_ELEMENTS");
                text += &format!(
                    "wrong |= compare_{suffix}(\"{label}\", {own} + {slice},\n    start_{own} + {slice}, \
                     {upper}_ELEMENTS, {tolerance:e});\n"
                );
            }
        }
        for result in unit.results() {
            let definition = &stencil.results()[result];
            let (own, suffix) = (names::result(unit.bound, result), names::suffix(definition.kind));
            let tolerance = tolerance(unit, definition.kind);
            let name = &definition.name;
            text +=
                &format!("wrong |= compare_{suffix}(\"{name}\", &outcome.{own}, &naive.{own}, 1, {tolerance:e});\n");
        }
        text
    }
}

fn main_function(unit: &Unit<'_>) -> String {
    let (name, calls) = (unit.name(), Calls(unit));
    let mut text = format!(
        "int main(int argc, char **argv)\n{{\n  const char *word = argc < 2 ? \"\" : argv[1];\n  \
         const int validates = strcmp(word, \"time\") != 0, times = strcmp(word, \"check\") != 0;\n  \
         {name}_outcome outcome, naive;\n  double all[TIMED], updates;\n  int i, wrong = 0;\n"
    );
    for grid in unit.grids() {
        let (own, kind, ..) = unit.grid(grid);
        let upper = own.to_uppercase();
        text += &format!("  {kind} *start_{own} = memory({upper}_SLICES * {upper}_BYTES);\n");
        text += &format!("  {kind} *{own} = memory({upper}_SLICES * {upper}_BYTES);\n");
    }
    text += "  if (argc > 2 || (validates && times && *word != '\\0')) {\n    \
             fprintf(stderr, \"usage: %s [check|time]\\n\", argv[0]);\n    return 2;\n  }\n  \
             memset(&outcome, 0, sizeof outcome);\n  memset(&naive, 0, sizeof naive);\n";
    text += &indented(&(calls.fill() + &calls.restart() + &calls.run("run", "", "outcome")), 2);
    // The naive run uses the values before the first step.
    text += "  if (validates) {\n";
    text += &indented(&(calls.run("naive", "start_", "naive") + include_str!("files/steps.c")), 4);
    text += &indented(&(calls.comparisons() + &calls.fill()), 4);
    text += "  }\n  if (times) {\n    for (i = 0; i < TIMED; ++i) {\n";
    text += &indented(&(calls.restart() + &calls.run("run", "", "outcome")), 6);
    let lengths = unit.bound.lengths().iter().map(usize::to_string).collect::<Vec<_>>().join(" x ");
    let (points, bytes) = (unit.bound.points(), unit.bound.facts().bytes);
    text += &format!(
        "      all[i] = outcome.seconds;\n    }}\n    qsort(all, TIMED, sizeof *all, by_size);\n    \
         updates = {points}.0 * (double)outcome.steps;\n    \
         printf(\"{lengths} points: %lld steps, %.1f million points/s, %.2f GB/s\\n\",\n        \
         (long long)outcome.steps, updates / all[TIMED / 2] / 1e6, updates * {bytes}.0 / all[TIMED / 2] / 1e9);\n    \
         printf(\"%.9f\\n\", all[TIMED / 2]);\n  }}\n"
    );
    text += &indented(&calls.each(&|own, _| format!("free({own});\nfree(start_{own});\n")), 2);
    text + "  return wrong;\n}\n"
}

/// The Makefile.
pub(super) fn makefile(unit: &Unit<'_>, options: &Options) -> String {
    let name = unit.name();
    let is_opencl = options.language == Language::OpenCl;
    let (device, libraries) =
        if is_opencl { ("-DKERNELS='\"$(CURDIR)/kernels\"'", "-lOpenCL -lm") } else { ("-fopenmp", "-fopenmp -lm") };
    let mut objects = vec![format!("{name}_run.o"), format!("{name}_naive.o"), format!("{name}_fill.o")];
    objects.push("main.o".to_owned());
    if is_opencl {
        objects.push("opencl.o".to_owned());
    }
    let kernels = if is_opencl { "" } else { " $(patsubst %.c,%.o,$(wildcard kernels/*.c))" };
    let mut text = format!(
        "# {name}: make builds it, make run validates and times it, make check validates it.\n\n\
         CFLAGS ?= -O3 -march=native\n\
         # Products and sums are rounded one by one.\n\
         FLAGS = -std=c99 -D_POSIX_C_SOURCE=200809L -ffp-contract=off -Wall -Wextra {device} \
         -DFOLDER='\"$(CURDIR)\"'\n\
         OBJECTS = {}{kernels}\n\n",
        objects.join(" ")
    );
    if options.fortran {
        text += "ifeq ($(origin FC),default)\nFC = gfortran\nendif\nFFLAGS ?= -O2\n\n";
    }
    text += &format!(".PHONY: all run check clean\n\nall: {name}\n\n");
    let linker = if options.fortran { "$(FC) $(FFLAGS)" } else { "$(CC) $(CFLAGS)" };
    text += &format!("{name}: $(OBJECTS)\n\t{linker} -o $@ $(OBJECTS) {libraries}\n\n");
    text += &format!("%.o: %.c {name}.h naive_math.h\n\t$(CC) $(FLAGS) $(CFLAGS) -c -o $@ $<\n\n");
    if options.fortran {
        text += "main.o: main.f90\n\t$(FC) -std=f2018 -Wall -Wextra $(FFLAGS) -c -o $@ $<\n\n";
    }
    text + &format!("run: all\n\t./{name}\n\ncheck: all\n\t./{name} check\n\nclean:\n\trm -f {name} $(OBJECTS) *.mod\n")
}
