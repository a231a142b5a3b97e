//! Descriptions of plans for people.

use std::fmt::Write;

use super::{Plan, Target};
use crate::definition::{AXES, Boundary, Side, Sweep};
use crate::executor::reduction;
use crate::grids::padded;
use crate::lower::Form;
use crate::strategy::Strategy;

impl Plan {
    /// A description for people: sizes, memory, passes of a step, work and traffic.
    pub fn explain(&self) -> String {
        let mut text = String::new();
        self.describe(&mut text).expect("a String takes every write");
        text
    }

    fn describe(&self, text: &mut String) -> std::fmt::Result {
        let (stencil, facts) = (self.bound.stencil(), self.bound.facts());
        let lengths: Vec<String> = self.bound.lengths().iter().map(usize::to_string).collect();
        let device = match &self.target {
            Target::Host => "the host".to_owned(),
            Target::Device(context) => context.device().info().name.clone(),
        };
        writeln!(text, "{} on {} points, on {device}", stencil.name(), lengths.join(" x "))?;
        writeln!(text, "  work     {} flops and {} bytes per point and step", facts.flops, facts.bytes)?;
        for (grid, definition) in stencil.grids().iter().enumerate() {
            let (levels, components) = (self.bound.levels(grid), definition.component_count());
            let layout = self.bound.layout(grid).and_then(|layout| padded(&self.bound, grid, layout));
            let layout = layout.map_err(|_| std::fmt::Error)?;
            let extent = layout.extent().unwrap_or(0) * definition.kind.bytes();
            let (name, kind) = (&definition.name, definition.kind);
            writeln!(text, "  grid     {name}: {kind}, {components} x {levels} slices of {extent} bytes")?;
        }
        for (number, stage) in stencil.stages().iter().enumerate() {
            let form = match (&self.target, self.kernels.device.form) {
                (Target::Host, _) if self.strategy == Strategy::Naive => "strips of rows".to_owned(),
                (Target::Host, _) => format!("strips of rows, {}", self.strategy),
                (_, Form::Rows) if matches!(self.strategy, Strategy::Schedule(_)) => self.strategy.to_string(),
                (_, Form::Rows) => "a work-item for each row, in vectors along x".to_owned(),
                (_, Form::Points) if self.strategy == Strategy::Naive => "a work-item for each point".to_owned(),
                (_, Form::Points) => self.strategy.to_string(),
            };
            let sweep = if stage.sweep == Sweep::RedBlack { ", red and black" } else { "" };
            writeln!(text, "  stage {:<2} {} statements{sweep}, {form}", number + 1, stage.statements.len())?;
        }
        for rule in stencil.boundaries() {
            let (name, axis) = (&stencil.grids()[rule.grid].name, AXES[rule.axis]);
            let side = if rule.side == Side::Lower { '-' } else { '+' };
            writeln!(text, "  face     {name}[{}] {axis}{side}: {}", rule.component, kind_of(rule.boundary))?;
        }
        if !stencil.filter().is_empty() {
            writeln!(text, "  filters  {} after each step", stencil.filter().len())?;
        }
        for (result, definition) in stencil.results().iter().enumerate() {
            writeln!(text, "  result   {}: {}", definition.name, reduction(&self.bound, result).name())?;
        }
        Ok(())
    }
}

/// A name of a boundary condition.
const fn kind_of(boundary: Boundary) -> &'static str {
    match boundary {
        Boundary::Keep => "keep",
        Boundary::Value(_) => "an expression",
        Boundary::Periodic => "periodic",
        Boundary::Neumann(_) => "neumann",
        Boundary::Reflect => "reflect",
        Boundary::Symmetric => "symmetric",
        Boundary::Antireflect => "antireflect",
        Boundary::Clamp => "clamp",
    }
}
