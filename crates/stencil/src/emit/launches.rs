//! The file that runs kernels: memory, launches in their order, and copies from and to the driver's grids.

use super::names::{self, call};
use super::record::{Event, Launch, Operand};
use super::unit::Unit;
use crate::definition::{Reduction, Type};
use crate::design::Language;
use crate::error::{Error, Result};
use crate::executor::reduction;
use crate::value::Value;

/// The file of launches.
pub(super) struct Launches<'u, 'a> {
    pub(super) unit: &'u Unit<'a>,
    pub(super) language: Language,
}

impl Launches<'_, '_> {
    pub(super) fn is_opencl(&self) -> bool {
        self.language == Language::OpenCl
    }

    /// The kernels' names and texts, each once.
    ///
    /// # Errors
    /// C99 cannot hold a kernel.
    pub(super) fn kernels(&self) -> Result<Vec<(String, String)>> {
        let mut found: Vec<(String, String)> = Vec::new();
        let mut failure = None;
        self.unit.record.for_each_launch(|launch| {
            let kernel = &launch.kernel.kernel;
            if failure.is_some() || found.iter().any(|(name, _)| name == kernel.name()) {
                return;
            }
            match self.language.text(kernel) {
                Ok(text) => found.push((kernel.name().to_owned(), text)),
                Err(error) => failure = Some(error),
            }
        });
        failure.map_or(Ok(found), Err)
    }

    /// An argument of a launch.
    fn operand(&self, operand: Operand) -> String {
        let bound = self.unit.bound;
        let text = match operand {
            Operand::Slice { grid, component, position } => {
                format!("s->{}[{component}][{position}]", names::grid(bound, grid))
            }
            Operand::Elements(parameter) => {
                let name = names::parameter(bound, parameter);
                if self.is_opencl() { format!("s->{name}") } else { name }
            }
            Operand::Values(result) => format!("s->{}_values", names::result(bound, result)),
            Operand::Partials(result) => format!("s->{}_partials", names::result(bound, result)),
            Operand::Flag if self.is_opencl() => "s->flag".to_owned(),
            Operand::Flag => "&s->flag".to_owned(),
            Operand::Time(0) => "s->t".to_owned(),
            Operand::Time(distance) => format!("s->t + {}", names::whole(distance)),
            Operand::Point { axis, .. } => {
                format!("point[{axis}] - {}", names::whole(bound.lower()[axis]))
            }
            Operand::Number(value) => names::number(value),
        };
        if !self.is_opencl() {
            return text;
        }
        match operand {
            Operand::Time(_) | Operand::Number(Value::I64(_)) => format!("LONG({text})"),
            Operand::Point { is_wide, .. } => format!("{}({text})", if is_wide { "LONG" } else { "INT" }),
            Operand::Number(Value::I32(_) | Value::Bool(_)) => format!("INT({text})"),
            Operand::Number(Value::F32(_)) => format!("FLOAT({text})"),
            Operand::Number(Value::F64(_)) => format!("DOUBLE({text})"),
            _ => format!("BUFFER({text})"),
        }
    }

    fn launch(&self, indent: usize, launch: &Launch) -> String {
        let name = launch.kernel.kernel.name();
        let sizes = |[x, y, z]: [usize; 3]| format!("SIZES({x}, {y}, {z})");
        let operands: Vec<String> = launch.operands.iter().map(|operand| self.operand(*operand)).collect();
        let head = vec![sizes(launch.groups), sizes(launch.items)];
        if !self.is_opencl() {
            return call(indent, name, &[head, operands].concat(), ";");
        }
        let spaces = " ".repeat(indent);
        let list = call(indent + 2, "ARGUMENTS", &operands, ");");
        let [groups, items] = &head[..] else { unreachable!("two sizes") };
        format!("{spaces}opencl_launch(&{name}, {groups}, {items},\n{list}")
    }

    fn launches(&self, indent: usize, launches: &[Launch]) -> String {
        launches.iter().map(|launch| self.launch(indent, launch)).collect()
    }

    /// The launches of a pass, with its filter's point.
    fn pass(&self, indent: usize, event: Event, launches: &[Launch]) -> String {
        let text = self.launches(indent, launches);
        let point = match event {
            Event::Filter { filter } => self.unit.bound.stencil().filter()[filter].point.as_ref().map(|_| filter),
            _ => None,
        };
        let Some(filter) = point else { return text };
        let spaces = " ".repeat(indent);
        let axes = self.unit.bound.lower().len();
        format!(
            "{spaces}{{\n{spaces}  int64_t point[{axes}];\n{spaces}  if (!filter_point_{filter}(s, point)) {{\n\
             {spaces}    s->outside = 1;\n{spaces}    return;\n{spaces}  }}\n{}{spaces}}}\n",
            self.launches(indent + 2, launches)
        )
    }

    /// The passes of a step.
    fn step(&self) -> String {
        let mut text = String::from(
            "/* One step. `copies` is 1 in the first ones, which copy what is kept beyond faces to each level. */\n\
             static void step(state *s, int copies)\n{\n  (void)copies;\n",
        );
        for pass in &self.unit.record.step {
            let [[plain, results], [copies, copies_results]] = &pass.launches;
            if pass.launches.iter().flatten().all(Vec::is_empty) {
                continue;
            }
            text += &format!("  /* {} */\n", described(self.unit, pass.event));
            let by_results = |indent: usize, plain: &[Launch], results: &[Launch]| {
                if plain == results {
                    return self.pass(indent, pass.event, plain);
                }
                let spaces = " ".repeat(indent);
                let other = if plain.is_empty() {
                    format!("{spaces}}}\n")
                } else {
                    format!("{spaces}}} else {{\n{}{spaces}}}\n", self.pass(indent + 2, pass.event, plain))
                };
                format!("{spaces}if (s->reduces) {{\n{}{other}", self.pass(indent + 2, pass.event, results))
            };
            if (plain, results) == (copies, copies_results) {
                text += &by_results(2, plain, results);
            } else {
                text += &format!("  if (copies) {{\n{}", by_results(4, copies, copies_results));
                if plain.is_empty() && results.is_empty() {
                    text += "  }\n";
                } else {
                    text += &format!("  }} else {{\n{}  }}\n", by_results(4, plain, results));
                }
            }
        }
        text + "}\n\n"
    }

    /// Several steps in one launch, after which slices change places.
    fn leap(&self) -> String {
        let Some(leap) = &self.unit.record.leap else { return String::new() };
        let mut text = format!("/* {} steps in one launch. */\nstatic void leap(state *s)\n{{\n", leap.steps);
        text += "  int c, l;\n";
        text += &self.launches(2, &leap.launches);
        for (grid, order) in leap.order.iter().enumerate() {
            if order.iter().enumerate().all(|(position, slice)| position == *slice) {
                continue;
            }
            let (name, kind, components, _) = self.unit.grid(grid);
            let pointer = self.pointer(kind);
            let order: Vec<String> = order.iter().map(usize::to_string).collect();
            let count = order.len();
            text += &format!(
                "  for (c = 0; c < {components}; ++c) {{\n    static const int order[{count}] = {{{}}};\n    \
                 {pointer}before[{count}];\n    memcpy(before, s->{name}[c], sizeof before);\n    \
                 for (l = 0; l < {count}; ++l) s->{name}[c][l] = before[order[l]];\n  }}\n",
                order.join(", ")
            );
        }
        text += "  (void)c;\n  (void)l;\n";
        text + "}\n\n"
    }

    /// The start of a declaration of a slice.
    pub(super) fn pointer(&self, kind: &str) -> String {
        if self.is_opencl() { "cl_mem ".to_owned() } else { format!("{kind} *") }
    }

    /// A function that takes results and the flag from their memory.
    fn fetch(&self) -> String {
        let unit = self.unit;
        let mut text = String::from(
            "/* Results of the last step, and the flag of values that were needed outside a range. */\n\
                          static void fetch(state *s, int has_results)\n{\n  (void)has_results;\n",
        );
        if self.is_opencl() {
            text += "  int32_t flag = 0;\n  opencl_finish();\n  \
                     opencl_read(s->flag, 0, sizeof flag, &flag, sizeof flag, sizeof flag, 1);\n  \
                     if (flag != 0) s->outside = 1;\n";
        } else {
            text += "  if (s->flag != 0) s->outside = 1;\n";
        }
        for result in unit.results() {
            let kind = unit.bound.stencil().results()[result].kind;
            let name = names::result(unit.bound, result);
            text += "  if (has_results) {\n";
            text += &if self.is_opencl() {
                format!(
                    "    opencl_read(s->{name}_partials, 0, sizeof s->{name}, &s->{name}, sizeof s->{name}, \
                     sizeof s->{name}, 1);\n"
                )
            } else {
                format!("    s->{name} = s->{name}_partials[0];\n")
            };
            if reduction(unit.bound, result) == Reduction::Norm2 && kind.is_real() {
                let root = if kind == Type::F32 { "sqrtf" } else { "sqrt" };
                text += &format!("    s->{name} = {root}(s->{name});\n");
            }
            text += "  }\n";
        }
        text + "}\n\n"
    }

    /// The functions of the header.
    fn functions(&self) -> String {
        let unit = self.unit;
        let name = unit.name();
        let mut text = String::new();
        let grids = unit.grid_parameters();
        let arguments: Vec<String> =
            ["s".to_owned()].into_iter().chain(unit.grids().map(|grid| unit.grid(grid).0)).collect();
        let (open, close) = (call(0, "open_run", &arguments, ""), call(2, "close_run", &arguments, ";"));
        let open = format!("  int status = {};\n  if (status != 0) return status;\n", open.trim_end());
        let finish = if self.is_opencl() { "  opencl_finish();\n" } else { "" };
        if !unit.record.initial.is_empty() {
            let parameters: Vec<String> = grids.iter().cloned().chain(["int64_t first".to_owned()]).collect();
            text += &call(0, &format!("int {name}_initialize"), &parameters, "");
            text += &format!("{{\n  state own, *s = &own;\n{open}  s->t = first;\n");
            for pass in &unit.record.initial {
                text += &self.launches(2, &pass.launches);
            }
            text += &format!("  fetch(s, 0);\n{close}  return s->outside;\n}}\n\n");
        }
        let mut parameters = grids;
        parameters.extend(["int64_t first", "int64_t steps"].map(str::to_owned));
        parameters.push(format!("{name}_outcome *outcome"));
        text += &call(0, &format!("int {name}_run"), &parameters, "");
        let rounds = unit.grids().map(|grid| unit.bound.levels(grid)).max().unwrap_or(1);
        text += &format!(
            "{{\n  state own, *s = &own;\n  int64_t done = 0;\n  int c, l, stopped = 0;\n  double start;\n{open}  \
             s->t = first;\n  begin(s);\n{finish}  start = seconds();\n"
        );
        let (leap, copies) = match &unit.record.leap {
            Some(leap) => (self.leaps(leap.steps), "1".to_owned()),
            None => (String::new(), format!("done < {rounds}")),
        };
        let fetched = if unit.bound.stencil().stop().is_some() { "    fetch(s, s->reduces);\n" } else { "" };
        let rotation: String =
            unit.rotation(&|kind| self.pointer(kind)).lines().map(|line| format!("  {line}\n")).collect();
        text += &unit.steps_loop([&leap, &format!("    step(s, {copies});\n{fetched}"), &rotation]);
        text += &format!("{finish}  outcome->seconds = seconds() - start;\n  fetch(s, done > 0);\n");
        for result in unit.results() {
            let result = names::result(unit.bound, result);
            text += &format!("  outcome->{result} = s->{result};\n");
        }
        text + "  outcome->steps = done;\n  outcome->stopped = stopped;\n  (void)c;\n  (void)l;\n"
            + &close
            + "  return s->outside;\n}\n"
    }

    /// Leaps, as long as nobody wants the results of their steps.
    fn leaps(&self, steps: usize) -> String {
        let stencil = self.unit.bound.stencil();
        let mut left = String::from("steps - done");
        if !stencil.results().is_empty() {
            left += " - 1";
        }
        let mut condition = format!("{left} >= {steps}");
        if let Some(stop) = stencil.stop() {
            condition += &format!(" && {} - done % {} >= {steps}", i64::from(stop.every) - 1, stop.every);
        }
        format!("    if ({condition}) {{\n      leap(s);\n      done += {steps};\n      continue;\n    }}\n")
    }

    fn begin(&self) -> String {
        let mut text = String::from(
            "/* Points beyond faces, before the first step. */\nstatic void begin(state *s)\n{\n  (void)s;\n",
        );
        for pass in &self.unit.record.begin {
            text += &self.launches(2, &pass.launches);
        }
        text + "}\n\n"
    }

    /// The whole file.
    ///
    /// # Errors
    /// A kernel has no prototype.
    pub(super) fn file(&self, kernels: &[(String, String)]) -> Result<String> {
        let name = self.unit.name();
        let mut text =
            format!("/* {name} by kernels: memory, launches, and the loop over steps. */\n\n#include \"{name}.h\"\n\n");
        text += "#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n\n";
        if self.is_opencl() {
            text += "#include \"opencl.h\"\n\n#define SIZES(x, y, z) (const size_t[3]){x, y, z}\n\
                     #define ARGUMENTS(...) \\\n  sizeof((const opencl_argument[]){__VA_ARGS__}) \
                     / sizeof(opencl_argument), \
                     (const opencl_argument[]){__VA_ARGS__}\n\n";
            for (kernel, _) in kernels {
                text += &format!("static opencl_kernel {kernel} = {{\"{kernel}\", NULL}};\n");
            }
            text += "\n";
        } else {
            text += "#define SIZES(x, y, z) (const int64_t[3]){x, y, z}\n\n";
            for (kernel, source) in kernels {
                text += &format!("{}\n", prototype(kernel, source)?);
            }
        }
        text += &self.state();
        text += "static double seconds(void)\n{\n  struct timespec now;\n  clock_gettime(CLOCK_MONOTONIC, &now);\n  \
                 return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;\n}\n\n";
        if !self.is_opencl() {
            text += "/* Memory that begins at a multiple of 128 bytes, as rows do. */\n\
                     static void *aligned(size_t bytes)\n{\n  void *memory = NULL;\n  \
                     return posix_memalign(&memory, 128, bytes) == 0 ? memory : NULL;\n}\n\n";
        }
        text += &self.copies();
        text += &self.unit.filter_points("state");
        text += &self.memory();
        text += &self.fetch();
        text += &self.unit.stop("state");
        text += &self.begin();
        text += &self.step();
        text += &self.leap();
        Ok(text + &self.functions())
    }
}

/// The declaration of a kernel in C99.
fn prototype(name: &str, source: &str) -> Result<String> {
    let missing = || Error::new(format!("the kernel '{name}' has no head"));
    let start = source.find(&format!("void {name}(")).ok_or_else(missing)?;
    let end = source[start..].find(") {").ok_or_else(missing)?;
    Ok(format!("{});\n", &source[start..start + end]))
}

/// A pass for people.
fn described(unit: &Unit<'_>, event: Event) -> String {
    let stencil = unit.bound.stencil();
    let grid = |grid: usize| &stencil.grids()[grid].name;
    match event {
        Event::Initial { rule, .. } => format!("initial value {}", rule + 1),
        Event::Complete { grid: own, .. } => format!("{} beyond its faces", grid(own)),
        Event::CarryOver { grid: own } => format!("the new level of {} begins as the one before", grid(own)),
        Event::Sweep { stage, .. } => match &stencil.stages()[stage].name {
            Some(name) => format!("stage {name}"),
            None => format!("stage {}", stage + 1),
        },
        Event::Reduce { stage } => format!("results of stage {}", stage + 1),
        Event::Filter { filter } => format!("filter {}", filter + 1),
    }
}
