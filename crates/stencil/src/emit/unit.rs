//! The run of a program, which all of its files share: its memory, and the loop over steps.

use std::fmt::Write;

use super::expression::{NoPoint, declare};
use super::names;
use super::record::Record;
use crate::bound::{Bound, Parameters};
use crate::data::Layout;
use crate::definition::ExprId;

/// A run that is emitted.
pub(super) struct Unit<'a> {
    pub(super) bound: &'a Bound,
    pub(super) parameters: &'a Parameters,
    pub(super) record: &'a Record,
    /// The memory of grids without gaps, which the driver has.
    pub(super) plain: Vec<Layout>,
    pub(super) first: i64,
    pub(super) steps: u64,
}

impl Unit<'_> {
    pub(super) fn name(&self) -> &str {
        self.bound.stencil().name()
    }

    pub(super) fn grids(&self) -> std::ops::Range<usize> {
        0..self.bound.stencil().grids().len()
    }

    pub(super) fn results(&self) -> std::ops::Range<usize> {
        0..self.bound.stencil().results().len()
    }

    /// The name of a grid, its type, components and levels.
    pub(super) fn grid(&self, grid: usize) -> (String, &'static str, usize, usize) {
        let definition = &self.bound.stencil().grids()[grid];
        let kind = names::c_type(definition.kind);
        (names::grid(self.bound, grid), kind, definition.component_count(), self.bound.levels(grid))
    }

    /// The name of a component in what the driver prints.
    pub(super) fn label(&self, grid: usize, component: usize) -> String {
        let definition = &self.bound.stencil().grids()[grid];
        let name = &definition.name;
        if definition.component_count() > 1 { format!("{name}[{component}]") } else { name.clone() }
    }

    pub(super) fn is_written(&self, grid: usize) -> bool {
        self.bound.facts().grids[grid].is_written
    }

    /// The number of a level, relative to the time, in the order of levels.
    pub(super) fn position(&self, grid: usize, time: i32) -> usize {
        let facts = &self.bound.facts().grids[grid];
        let from_newest = (facts.newest - time).max(0) as usize;
        (facts.levels - 1).saturating_sub(from_newest)
    }

    /// The number of the newest level after a run.
    pub(super) fn newest(&self, grid: usize) -> usize {
        let levels = self.bound.levels(grid);
        if self.is_written(grid) && levels > 1 { levels - 2 } else { levels - 1 }
    }

    /// The parameters of a function of grids.
    pub(super) fn grid_parameters(&self) -> Vec<String> {
        let one = |grid| {
            let (name, kind, ..) = self.grid(grid);
            format!("{kind} *{name}")
        };
        self.grids().map(one).collect()
    }

    /// Declares the coordinates of a filter's point.
    fn filter_point(&self, text: &mut String, point: &[ExprId]) {
        let terms: Vec<_> = point
            .iter()
            .map(|&coordinate| declare(text, 2, (self.bound, self.parameters), coordinate, &NoPoint))
            .collect();
        let mut conditions = Vec::new();
        for (axis, term) in terms.iter().enumerate() {
            let (first, length) = (self.bound.lower()[axis], self.bound.lengths()[axis] as i64);
            conditions.extend(term.known.clone());
            let (first, last) = (names::whole(first), names::whole(first + length - 1));
            let value = &term.value;
            writeln!(text, "  point[{axis}] = (int64_t){value};").expect("a String takes every write");
            conditions.push(format!("{first} <= point[{axis}] && point[{axis}] <= {last}"));
        }
        writeln!(text, "  return {};", conditions.join(" && ")).expect("a String takes every write");
    }

    /// The functions of the coordinates of filters' points.
    pub(super) fn filter_points(&self, state: &str) -> String {
        let mut text = String::new();
        for (number, filter) in self.bound.stencil().filter().iter().enumerate() {
            let Some(point) = &filter.point else { continue };
            text += &format!(
                "/* The point of filter {}; 0 if it lies outside the domain. */\n\
                 static int filter_point_{number}(const {state} *s, int64_t point[])\n{{\n  (void)s;\n",
                number + 1
            );
            // Each coordinate has constants of its own.
            let mut body = String::new();
            self.filter_point(&mut body, point);
            text += &scoped(&body);
            text += "}\n\n";
        }
        text
    }

    /// The function of the stop criterion.
    pub(super) fn stop(&self, state: &str) -> String {
        let Some(stop) = self.bound.stencil().stop() else { return String::new() };
        let mut text = format!("/* The stop criterion. */\nstatic int stops({state} *s)\n{{\n");
        let term = declare(&mut text, 2, (self.bound, self.parameters), stop.condition, &NoPoint);
        if let Some(known) = term.known {
            text += &format!("  if (!({known})) {{\n    s->outside = 1;\n    return 1;\n  }}\n");
        }
        text + &format!("  return {};\n}}\n\n", term.value)
    }

    /// The loop over steps, with the text of one step and of what precedes it.
    pub(super) fn steps_loop(&self, [before, step, after]: [&str; 3]) -> String {
        let mut text = String::from("  while (done < steps && !stopped && !s->outside) {\n    s->t = first + done;\n");
        text += before;
        let stop = self.bound.stencil().stop();
        let mut reduces = String::from("done + 1 == steps");
        if let Some(stop) = stop {
            reduces += &format!(" || (done + 1) % {} == 0", stop.every);
        }
        text += &format!("    s->reduces = {reduces};\n{step}");
        if let Some(stop) = stop {
            text += &format!("    if ((done + 1) % {} == 0) stopped = stops(s);\n", stop.every);
        }
        text + after + "    ++done;\n  }\n"
    }

    /// Statements that make the oldest slice of each grid the next one.
    pub(super) fn rotation(&self, pointer: &dyn Fn(&str) -> String) -> String {
        let mut text = String::new();
        for grid in self.grids().filter(|&grid| self.is_written(grid) && self.bound.levels(grid) > 1) {
            let (name, kind, components, levels) = self.grid(grid);
            let pointer = pointer(kind);
            text += &format!(
                "  for (c = 0; c < {components}; ++c) {{\n    {pointer}oldest = s->{name}[c][0];\n    \
                 for (l = 0; l + 1 < {levels}; ++l) s->{name}[c][l] = s->{name}[c][l + 1];\n    \
                 s->{name}[c][{}] = oldest;\n  }}\n",
                levels - 1
            );
        }
        text
    }
}

/// Declarations of the same constants are one.
fn scoped(body: &str) -> String {
    let mut seen = std::collections::HashSet::new();
    let lines = body.lines().filter(|line| !line.trim_start().starts_with("const ") || seen.insert(line.to_owned()));
    lines.map(|line| format!("{line}\n")).collect()
}
