//! Naive loops in C: the meaning of a stencil, with which an emitted program compares its kernels.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;

use super::expression::{Leaves, Term, binary, coordinates, declare};
use super::names;
use super::record::Event;
use super::unit::Unit;
use crate::definition::{Binary, Boundary, ExprId, MAX_AXES, Reduction, Statement, Stencil, Tap, Type};
use crate::executor::reduction;
use crate::reduce::STRIP;
use crate::run::Colour;
use crate::value::Value;

/// The expressions of steps.
pub(super) fn roots(stencil: &Stencil) -> Vec<ExprId> {
    let statements = stencil.stages().iter().flat_map(|stage| &stage.statements).map(|statement| match statement {
        Statement::Let { value, .. } | Statement::Assign { value, .. } | Statement::Reduce { value, .. } => *value,
    });
    let faces = stencil.boundaries().iter().filter_map(|rule| match rule.boundary {
        Boundary::Value(value) | Boundary::Neumann(value) => Some(value),
        _ => None,
    });
    let filters = stencil.filter().iter().map(|filter| filter.value);
    statements.chain(faces).chain(filters).collect()
}

/// Leaves at a point.
pub(super) struct Here<'u, 'a> {
    pub(super) unit: &'u Unit<'a>,
    /// Grids whose neighbours have new values, in the second half of a sweep in colours.
    pub(super) coupled: Vec<usize>,
    /// The level that taps at `t` read.
    pub(super) shift: i32,
    pub(super) time: String,
    /// Taps may lie outside the memory.
    pub(super) checks: bool,
    pub(super) temporaries: RefCell<HashMap<usize, Term>>,
}

impl Here<'_, '_> {
    fn element(&self, tap: &Tap) -> String {
        let unit = self.unit;
        let definition = &unit.bound.stencil().grids()[tap.grid];
        let time = if definition.constant { 0 } else { tap.time + self.shift };
        let newest = unit.bound.facts().grids[tap.grid].newest;
        let is_centre = tap.offsets.iter().all(|&offset| offset == 0);
        let is_new = self.coupled.contains(&tap.grid) && !is_centre && tap.time == newest - 1;
        let position = unit.position(tap.grid, if is_new { newest } else { time });
        let (name, ..) = unit.grid(tap.grid);
        let at = coordinates(&definition.axes, &tap.offsets);
        format!("s->{name}[{}][{position}][at_{name}({at})]", tap.component)
    }
}

impl Leaves for Here<'_, '_> {
    fn tap(&self, tap: &Tap) -> Term {
        let value = self.element(tap);
        let known = self.checks.then(|| {
            let layout = &self.unit.plain[tap.grid];
            let axes = &self.unit.bound.stencil().grids()[tap.grid].axes;
            let conditions = axes.iter().enumerate().map(|(position, &axis)| {
                let at = coordinates(&[axis], &tap.offsets);
                let first = layout.lower[position];
                let last = first + layout.lengths[position] as i64 - 1;
                format!("{} <= {at} && {at} <= {}", names::whole(first), names::whole(last))
            });
            conditions.collect::<Vec<_>>().join(" && ")
        });
        Term { value, known }
    }

    fn temporary(&self, temporary: usize) -> Term {
        self.temporaries.borrow()[&temporary].clone()
    }

    fn time(&self) -> String {
        self.time.clone()
    }
}

/// Loops over a box: the last axis is the outermost.
pub(super) fn open_loops(text: &mut String, axes: &[(usize, i64, usize)]) {
    for &(axis, first, length) in axes.iter().rev() {
        let name = names::axis(axis);
        let last = names::whole(first + length as i64 - 1);
        writeln!(text, "  for (int64_t {name} = {}; {name} <= {last}; ++{name})", names::whole(first))
            .expect("a String takes every write");
    }
    text.push_str("  {\n");
}

/// The naive run of a unit.
pub(super) struct Naive<'u, 'a> {
    pub(super) unit: &'u Unit<'a>,
    text: String,
    functions: Vec<String>,
}

impl Naive<'_, '_> {
    fn domain(&self) -> Vec<(usize, i64, usize)> {
        let bound = self.unit.bound;
        (0..bound.lower().len()).map(|axis| (axis, bound.lower()[axis], bound.lengths()[axis])).collect()
    }

    pub(super) fn here(&self, coupled: Vec<usize>) -> Here<'_, '_> {
        let temporaries = RefCell::default();
        Here { unit: self.unit, coupled, shift: 0, time: "s->t".to_owned(), checks: false, temporaries }
    }

    /// The function of an event, written once, and its name.
    fn function(&mut self, event: Event) -> String {
        let name = function_name(self.unit, event);
        if !self.functions.contains(&name) {
            self.functions.push(name.clone());
            let mut body = match event {
                Event::Initial { .. } => String::new(),
                Event::Complete { grid, time, is_initial } => self.complete(grid, time, is_initial),
                Event::CarryOver { grid } => self.carry_over(grid),
                Event::Sweep { stage, colour } => self.sweep(stage, colour),
                Event::Reduce { stage } => self.reduce(stage),
                Event::Filter { filter } => self.filter(filter),
            };
            if body.is_empty() {
                body.push_str("  (void)s;\n");
            }
            self.text += &format!("static void {name}(state *s)\n{{\n{body}}}\n\n");
        }
        name
    }

    fn carry_over(&self, grid: usize) -> String {
        let (name, _, components, levels) = self.unit.grid(grid);
        let mut text = String::new();
        for component in 0..components {
            let slices = format!("s->{name}[{component}]");
            text += &format!(
                "  memcpy({slices}[{}], {slices}[{}], {}_BYTES);\n",
                levels - 1,
                levels.saturating_sub(2),
                name.to_uppercase()
            );
        }
        text
    }

    fn sweep(&self, stage: usize, colour: Option<Colour>) -> String {
        let stencil = self.unit.bound.stencil();
        let coupled = if colour == Some(Colour::Black) { stencil.assigned_in(stage) } else { Vec::new() };
        let here = self.here(coupled);
        let statements = &stencil.stages()[stage].statements;
        let mut text = String::new();
        open_loops(&mut text, &self.domain());
        if let Some(colour) = colour {
            let sum = (0..stencil.dimension()).map(names::axis).collect::<Vec<_>>().join(" + ");
            text += &format!("    if ((({sum}) & 1) != {}) continue;\n", colour.parity());
        }
        for statement in statements {
            if let Statement::Let { temporary, .. } = statement {
                let definition = &stencil.temporaries()[*temporary];
                let name = format!("{}_{temporary}", definition.name);
                text += &format!("    {} {name} = 0;\n", names::c_type(definition.kind));
                text += &format!("    int known_{name} = 1;\n");
            }
        }
        for statement in statements {
            text += "    {\n";
            self.statement(&mut text, statement, &here);
            text += "    }\n";
        }
        for statement in statements {
            if let Statement::Let { temporary, .. } = statement {
                let name = &stencil.temporaries()[*temporary].name;
                text += &format!("    (void){name}_{temporary};\n    (void)known_{name}_{temporary};\n");
            }
        }
        text + "  }\n"
    }

    fn statement(&self, text: &mut String, statement: &Statement, here: &Here<'_, '_>) {
        let unit = self.unit;
        let stencil = unit.bound.stencil();
        let (Statement::Let { value, .. } | Statement::Assign { value, .. } | Statement::Reduce { value, .. }) =
            statement;
        let term = declare(text, 6, (unit.bound, unit.parameters), *value, here);
        if let Statement::Let { temporary, .. } = statement {
            let name = format!("{}_{temporary}", stencil.temporaries()[*temporary].name);
            *text += &format!("      {name} = {};\n", term.value);
            let known = term.known.map(|known| {
                *text += &format!("      known_{name} = {known};\n");
                format!("known_{name}")
            });
            here.temporaries.borrow_mut().insert(*temporary, Term { value: name, known });
            return;
        }
        if let Some(known) = &term.known {
            *text += &format!("      if (!({known})) {{\n        s->outside = 1;\n        return;\n      }}\n");
        }
        match statement {
            Statement::Assign { target, .. } => {
                let (name, ..) = unit.grid(target.grid);
                let at = coordinates(&stencil.grids()[target.grid].axes, &[0; MAX_AXES]);
                let position = unit.position(target.grid, target.time);
                let slice = format!("s->{name}[{}][{position}]", target.component);
                *text += &format!("      {slice}[at_{name}({at})] = {};\n", term.value);
            }
            Statement::Reduce { result, .. } => {
                let name = names::result(unit.bound, *result);
                *text += &format!("      if (s->reduces) s->{name}_values[{}] = {};\n", self.number(), term.value);
            }
            Statement::Let { .. } => {}
        }
    }

    /// The number of a point of the domain, the first axis fastest.
    fn number(&self) -> String {
        let mut text = String::new();
        for (axis, first, length) in self.domain().into_iter().rev() {
            let own = format!("({} - {})", names::axis(axis), names::whole(first));
            text = if text.is_empty() { own } else { format!("({text} * {length} + {own})") };
        }
        text
    }

    fn reduce(&self, stage: usize) -> String {
        let bound = self.unit.bound;
        let mut text = String::new();
        for statement in &bound.stencil().stages()[stage].statements {
            let Statement::Reduce { result, .. } = statement else { continue };
            let name = names::result(bound, *result);
            text += &format!("  reduce_{name}(s);\n");
        }
        text
    }

    /// The function that combines the values of a result: strips of a row from left to right, then neighbours.
    fn reduction(&mut self, result: usize) {
        let bound = self.unit.bound;
        let (kind, reduction) = (bound.stencil().results()[result].kind, reduction(bound, result));
        let (c, name) = (names::c_type(kind), names::result(bound, result));
        let is_real = kind.is_real();
        let nan = |other: &str| {
            if is_real {
                format!("if (isnan(a)) return a;\n  if (isnan(b)) return b;\n  {other}")
            } else {
                other.to_owned()
            }
        };
        let combine = match reduction {
            Reduction::Max => nan("return a < b ? b : a;"),
            Reduction::Min => nan("return b < a ? b : a;"),
            _ => format!("return {};", binary(Binary::Add, kind, "a", "b")),
        };
        let point = match reduction {
            Reduction::Norm2 => binary(Binary::Multiply, kind, "s->VALUES[i]", "s->VALUES[i]"),
            _ => format!("({c})s->VALUES[i]"),
        }
        .replace("VALUES", &format!("{name}_values"));
        let root = if kind == Type::F32 { "sqrtf" } else { "sqrt" };
        let finished = if reduction == Reduction::Norm2 && is_real {
            format!("{root}(partial[0])")
        } else {
            "partial[0]".to_owned()
        };
        let (row, points) = (bound.lengths()[0], bound.points());
        self.text += &format!(
            "static {c} combine_{name}({c} a, {c} b)\n{{\n  {combine}\n}}\n\n\
             /* Strips of rows from left to right, then pairs of neighbours. */\n\
             static void reduce_{name}(state *s)\n{{\n  {c} *partial = s->{name}_partials;\n  \
             int64_t begin, i, strip, count = 0;\n  \
             for (begin = 0; begin < {points}; begin += {row}) {{\n    \
             for (strip = begin; strip < begin + {row}; strip += {STRIP}) {{\n      \
             const int64_t end = strip + {STRIP} < begin + {row} ? strip + {STRIP} : begin + {row};\n      \
             i = strip;\n      {c} sum = {point};\n      \
             for (++i; i < end; ++i) sum = combine_{name}(sum, {point});\n      partial[count++] = sum;\n    \
             }}\n  }}\n  while (count > 1) {{\n    int64_t pairs = 0;\n    for (i = 0; i < count; i += 2) {{\n      \
             partial[pairs++] = i + 1 < count ? combine_{name}(partial[i], partial[i + 1]) : partial[i];\n    }}\n    \
             count = pairs;\n  }}\n  s->{name} = {finished};\n}}\n\n"
        );
    }

    fn filter(&self, number: usize) -> String {
        let unit = self.unit;
        let filter = &unit.bound.stencil().filter()[number];
        let here = self.here(Vec::new());
        let mut text = String::new();
        if filter.point.is_some() {
            text += &format!(
                "  int64_t point[{}];\n  if (!filter_point_{number}(s, point)) {{\n    \
                 s->outside = 1;\n    return;\n  }}\n  {{\n",
                unit.bound.lower().len()
            );
            for axis in 0..unit.bound.lower().len() {
                text += &format!("    const int64_t {} = point[{axis}];\n", names::axis(axis));
            }
        } else {
            open_loops(&mut text, &self.domain());
        }
        let term = declare(&mut text, 4, (unit.bound, unit.parameters), filter.value, &here);
        if let Some(known) = &term.known {
            text += &format!("    if (!({known})) {{\n      s->outside = 1;\n      return;\n    }}\n");
        }
        let target = filter.target;
        let definition = &unit.bound.stencil().grids()[target.grid];
        let (name, ..) = unit.grid(target.grid);
        let at = coordinates(&definition.axes, &[0; MAX_AXES]);
        let slice = format!("s->{name}[{}][{}]", target.component, unit.position(target.grid, target.time));
        let element = format!("{slice}[at_{name}({at})]");
        let new = filter
            .operator
            .map_or(term.value.clone(), |operator| binary(operator, definition.kind, &element, &term.value));
        text + &format!("    {element} = {new};\n  }}\n")
    }
}

fn function_name(unit: &Unit<'_>, event: Event) -> String {
    let grid = |grid: usize| unit.grid(grid).0;
    match event {
        Event::Initial { rule, .. } => format!("initial_{rule}"),
        Event::Complete { grid: own, time, is_initial } => {
            let start = if is_initial { "begin" } else { "complete" };
            let time = if time < 0 { format!("minus_{}", -time) } else { format!("plus_{time}") };
            format!("{start}_{}_t_{time}", grid(own))
        }
        Event::CarryOver { grid: own } => format!("carry_over_{}", grid(own)),
        Event::Sweep { stage, colour } => {
            let colour = match colour {
                None => "",
                Some(Colour::Red) => "_red",
                Some(Colour::Black) => "_black",
            };
            format!("stage_{stage}{colour}")
        }
        Event::Reduce { stage } => format!("reduce_{stage}"),
        Event::Filter { filter } => format!("filter_{filter}"),
    }
}

/// Bytes of a result's values at all points, by the type of its expression.
fn value_type(unit: &Unit<'_>, result: usize) -> Type {
    let stencil = unit.bound.stencil();
    let statements = stencil.stages().iter().flat_map(|stage| &stage.statements);
    let mut values = statements.filter_map(|statement| match statement {
        Statement::Reduce { result: own, value, .. } if *own == result => Some(stencil.graph().type_of(*value)),
        _ => None,
    });
    values.next().unwrap_or(Type::F64)
}

/// The file of naive loops.
pub(super) fn file(unit: &Unit<'_>) -> String {
    let name = unit.name();
    let mut text = format!(
        "/* {name} by naive loops, one point after the other: the kernels' results are compared with these. */\n\n\
         #include \"{name}.h\"\n\n#include <stdlib.h>\n#include <string.h>\n\n#include \"naive_math.h\"\n\n"
    );
    text += "typedef struct {\n";
    for grid in unit.grids() {
        let (grid, kind, components, levels) = unit.grid(grid);
        text += &format!("  {kind} *{grid}[{components}][{levels}]; /* components, levels: the oldest first */\n");
    }
    for result in unit.results() {
        let kind = names::c_type(unit.bound.stencil().results()[result].kind);
        let value = names::c_type(value_type(unit, result));
        let result = names::result(unit.bound, result);
        text += &format!("  {kind} {result};\n  {value} *{result}_values;\n  {kind} *{result}_partials;\n");
    }
    text += "  int64_t t;\n  int reduces;\n  int outside; /* a value outside a range was needed */\n} state;\n\n";
    for grid in unit.grids() {
        let layout = &unit.plain[grid];
        let axes = &unit.bound.stencil().grids()[grid].axes;
        let (grid, ..) = unit.grid(grid);
        let parameters: Vec<String> = axes.iter().map(|&axis| format!("int64_t {}", names::axis(axis))).collect();
        let terms: Vec<String> = axes
            .iter()
            .enumerate()
            .map(|(position, &axis)| {
                let stride = layout.strides[position];
                format!("({} - {}) * {stride}", names::axis(axis), names::whole(layout.lower[position]))
            })
            .collect();
        text += &format!(
            "static inline int64_t at_{grid}({})\n{{\n  return {};\n}}\n\n",
            parameters.join(", "),
            terms.join(" + ")
        );
    }
    text += &unit.filter_points("state");
    text += &unit.stop("state");
    let mut naive = Naive { unit, text, functions: Vec::new() };
    unit.results().for_each(|result| naive.reduction(result));
    let begin: Vec<String> = unit.record.begin.iter().map(|pass| naive.function(pass.event)).collect();
    let step: Vec<(Event, String)> =
        unit.record.step.iter().map(|pass| (pass.event, naive.function(pass.event))).collect();
    let text = std::mem::take(&mut naive.text);
    text + &run(unit, &begin, &step)
}

fn run(unit: &Unit<'_>, begin: &[String], step: &[(Event, String)]) -> String {
    let name = unit.name();
    let mut parameters = unit.grid_parameters();
    parameters.extend(["int64_t first", "int64_t steps"].map(str::to_owned));
    parameters.push(format!("{name}_outcome *outcome"));
    let mut text = names::call(0, &format!("int {name}_naive"), &parameters, "");
    text += "{\n  state own, *s = &own;\n  int64_t done = 0;\n  int c, l, stopped = 0;\n  memset(s, 0, sizeof *s);\n";
    for grid in unit.grids() {
        let (grid, _, components, levels) = unit.grid(grid);
        let upper = grid.to_uppercase();
        text += &format!(
            "  for (c = 0; c < {components}; ++c) {{\n    for (l = 0; l < {levels}; ++l) {{\n      \
             if ((s->{grid}[c][l] = malloc({upper}_BYTES)) == NULL) return 2;\n      \
             memcpy(s->{grid}[c][l], {grid} + (c * {levels} + l) * {upper}_ELEMENTS, {upper}_BYTES);\n    }}\n  }}\n"
        );
    }
    let points = unit.bound.points();
    for result in unit.results() {
        let result = names::result(unit.bound, result);
        for array in ["values", "partials"] {
            text += &format!(
                "  if ((s->{result}_{array} = calloc({points}, sizeof *s->{result}_{array})) == NULL) return 2;\n"
            );
        }
    }
    text += "  s->t = first;\n";
    begin.iter().for_each(|function| text += &format!("  {function}(s);\n"));
    let mut body = String::new();
    for (event, function) in step {
        let condition = if matches!(event, Event::Reduce { .. }) { "if (s->reduces) " } else { "" };
        body += &format!("    {condition}{function}(s);\n");
    }
    let rotation = unit.rotation(&|kind| format!("{kind} *"));
    let rotation: String = rotation.lines().map(|line| format!("  {line}\n")).collect();
    text += &unit.steps_loop(["", &body, &rotation]);
    for grid in unit.grids() {
        let (grid, _, components, levels) = unit.grid(grid);
        let upper = grid.to_uppercase();
        text += &format!(
            "  for (c = 0; c < {components}; ++c) {{\n    for (l = 0; l < {levels}; ++l) {{\n      \
             memcpy({grid} + (c * {levels} + l) * {upper}_ELEMENTS, s->{grid}[c][l], {upper}_BYTES);\n      \
             free(s->{grid}[c][l]);\n    }}\n  }}\n"
        );
    }
    for result in unit.results() {
        let result = names::result(unit.bound, result);
        text += &format!(
            "  free(s->{result}_values);\n  free(s->{result}_partials);\n  outcome->{result} = s->{result};\n"
        );
    }
    text + "  outcome->steps = done;\n  outcome->stopped = stopped;\n  outcome->seconds = 0;\n  return s->outside;\n}\n"
}

/// A number in the text of a program, of a parameter's type.
pub(super) fn table(values: &[Value]) -> String {
    let mut text = String::new();
    let mut column = 2;
    for value in values {
        let one = names::number(*value) + ",";
        if column + one.len() + 1 > 110 {
            text += "\n";
            column = 2;
        }
        text += if column == 2 { "  " } else { " " };
        column += one.len() + 1;
        text += &one;
    }
    text
}
