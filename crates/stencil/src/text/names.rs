//! Names of axes, grids, parameters and other things.

use super::parser::{Parser, Variable};
use crate::definition::{AXES, ExprId, MAX_AXES, Node, Type};
use crate::error::Result;

/// The axis of a name: x y z u v w, or x0, x1, ...
pub(super) fn axis_named(name: &str, dimension: usize) -> Option<usize> {
    let axis = AXES.iter().position(|axis| *axis == name).or_else(|| {
        let number = name.strip_prefix('x')?;
        (number.len() == 1).then(|| number.parse::<usize>().ok())?.filter(|&axis| axis < MAX_AXES)
    })?;
    (axis < dimension).then_some(axis)
}

impl<'a> Parser<'a> {
    pub(super) fn grid_named(&self, name: &str) -> Option<usize> {
        self.stencil.grids.iter().position(|grid| grid.name == name)
    }

    pub(super) fn parameter_named(&self, name: &str) -> Option<usize> {
        self.stencil.parameters.iter().position(|parameter| parameter.name == name)
    }

    pub(super) fn result_named(&self, name: &str) -> Option<usize> {
        self.stencil.results.iter().position(|result| result.name == name)
    }

    pub(super) fn variable_named(&self, name: &str) -> Option<Variable> {
        self.variables.iter().rev().find(|(own, _)| *own == name).map(|(_, variable)| *variable)
    }

    /// A parameter, a temporary, or another value of this name hides the axis.
    fn is_value(&self, name: &str) -> bool {
        self.temporaries.contains_key(name)
            || self.parameter_named(name).is_some()
            || self.result_named(name).is_some()
            || self.symbols.contains(name)
    }

    /// The axis that a name means as a value.
    pub(super) fn axis_value(&self, name: &str) -> Option<usize> {
        if self.is_value(name) {
            return None;
        }
        axis_named(name, self.stencil.dimension())
    }

    /// The value of a name that stands alone.
    pub(super) fn named_value(&mut self, at: usize, name: &'a str) -> Result<ExprId> {
        let built = if let Some(variable) = self.variable_named(name) {
            match variable {
                Variable::Axis(axis) => self.draft.leaf(Node::Coordinate(axis), Type::I64),
                Variable::Number(value) => self.draft.literal(value as f64),
            }
        } else if let Some(&temporary) = self.temporaries.get(name) {
            self.draft.leaf(Node::Temporary(temporary), self.stencil.temporaries[temporary].kind)
        } else if let Some(parameter) = self.parameter_named(name) {
            let kind = self.stencil.parameters[parameter].kind;
            if !self.stencil.parameters[parameter].ranges.is_empty() {
                return self.fail_at(at, format!("'{name}' takes indices: {name}[...]"));
            }
            self.draft.leaf(Node::Parameter { parameter, indices: Vec::new() }, kind)
        } else if let Some(result) = self.result_named(name) {
            self.draft.leaf(Node::Result(result), self.stencil.results[result].kind)
        } else if name == "t" {
            self.draft.leaf(Node::Time, Type::I64)
        } else if self.symbols.contains(name) {
            self.draft.leaf(Node::Size(name.to_owned()), Type::I64)
        } else if self.grid_named(name).is_some() {
            return self.fail_at(at, format!("'{name}' is a grid: it takes coordinates, such as {name}[x; t]"));
        } else if let Some(axis) = self.axis_value(name) {
            self.draft.leaf(Node::Coordinate(axis), Type::I64)
        } else {
            return self.fail_at(at, format!("unknown name '{name}'"));
        };
        self.built(at, built)
    }
}
