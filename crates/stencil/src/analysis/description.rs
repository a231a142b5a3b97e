//! A stencil's facts as JSON, for programs in other languages.

use serde_json::{Value, json};

use super::{Analysis, Linearity};
use crate::definition::{AXES, Boundary, Range, Side, Size, Stencil};
use crate::text::print;

/// Names, types, shapes and work of a stencil, as a JSON object:
///
/// - `name`, `axes` (names, x first), `domain` (a pair of texts for each axis), `sizes`, `steps` (a text or null);
/// - `grids`: `name`, `type`, `constant`, `axes`, `memory`, `components`, `levels`, `radius` (a pair for each axis),
///   `assigned`, and `boundaries` (`component`, `face` and `condition` of those that are not `keep`);
/// - `parameters`: `name`, `type`, `ranges`; `results`: `name`, `type`;
/// - per point and step `flops`, `elements_read`, `elements_written`, `bytes`; `linearity`, `constant_coefficients`.
pub fn description(stencil: &Stencil) -> String {
    let facts = Analysis::new(stencil);
    let grids: Vec<Value> = (0..stencil.grids().len()).map(|grid| described_grid(stencil, &facts, grid)).collect();
    let arguments = stencil.parameters().iter().filter(|parameter| parameter.values.is_none());
    let parameters: Vec<Value> = arguments
        .map(|parameter| {
            json!({ "name": parameter.name, "type": parameter.kind.keyword(), "ranges": pairs(&parameter.ranges) })
        })
        .collect();
    let results: Vec<Value> =
        stencil.results().iter().map(|result| json!({ "name": result.name, "type": result.kind.keyword() })).collect();
    let linearity = match facts.linearity {
        Linearity::Constant => "constant",
        Linearity::Linear => "linear",
        Linearity::Affine => "affine",
        Linearity::Nonlinear => "nonlinear",
    };
    let described = json!({
        "name": stencil.name(),
        "axes": &AXES[..stencil.dimension()],
        "domain": pairs(stencil.domain()),
        "sizes": facts.symbols,
        "steps": stencil.steps().map(text),
        "grids": grids,
        "parameters": parameters,
        "results": results,
        "stages": stencil.stages().len(),
        "stops": stencil.stop().is_some(),
        "flops": facts.flops,
        "elements_read": facts.elements_read,
        "elements_written": facts.elements_written,
        "bytes": facts.bytes,
        "linearity": linearity,
        "constant_coefficients": facts.constant_coefficients,
    });
    described.to_string()
}

fn described_grid(stencil: &Stencil, facts: &Analysis, index: usize) -> Value {
    let (grid, facts) = (&stencil.grids()[index], &facts.grids[index]);
    let rules = stencil.boundaries().iter().filter(|rule| rule.grid == index);
    let boundaries: Vec<Value> = rules
        .map(|rule| {
            let side = if rule.side == Side::Lower { '-' } else { '+' };
            let condition = match rule.boundary {
                Boundary::Keep => "keep",
                Boundary::Value(_) => "expression",
                Boundary::Periodic => "periodic",
                Boundary::Neumann(_) => "neumann",
                Boundary::Reflect => "reflect",
                Boundary::Symmetric => "symmetric",
                Boundary::Antireflect => "antireflect",
                Boundary::Clamp => "clamp",
            };
            json!({
                "component": rule.component,
                "face": format!("{}{side}", AXES[rule.axis]),
                "condition": condition,
            })
        })
        .collect();
    json!({
        "name": grid.name,
        "type": grid.kind.keyword(),
        "constant": grid.constant,
        "axes": grid.axes.iter().map(|&axis| AXES[axis]).collect::<Vec<_>>(),
        "memory": pairs(&facts.memory),
        "components": grid.components,
        "levels": facts.levels,
        "radius": grid.axes.iter().map(|&axis| facts.radius[axis]).collect::<Vec<_>>(),
        "assigned": facts.is_written,
        "boundaries": boundaries,
    })
}

fn pairs(ranges: &[Range]) -> Vec<[String; 2]> {
    ranges.iter().map(|range| [text(&range.lower), text(&range.upper)]).collect()
}

/// A size as its text.
fn text(size: &Size) -> String {
    print::size(size, 0)
}
