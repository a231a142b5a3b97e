//! Rules of initial values, boundaries, filters and the stop criterion.

use super::{Checked, MAX_LEVELS, by_tap, ensure, indices, plain_tap, refuse_result, time_name};
use crate::definition::*;

/// Expressions outside stages: `tap` says which taps are legal.
fn outside(
    stencil: &Stencil,
    root: ExprId,
    knows_points: bool,
    what: &str,
    mut tap: impl FnMut(&Tap) -> Checked,
) -> Checked {
    for expression in stencil.graph.reachable([root]) {
        match stencil.graph.node(expression) {
            Node::Tap(each) => {
                by_tap(plain_tap(stencil, each).and_then(|()| tap(each)), each)?;
            }
            Node::Temporary(_) => return Err(format!("{what} cannot read temporaries").into()),
            Node::Result(result) => refuse_result(stencil, *result)?,
            Node::Coordinate(_) => ensure(knows_points, || format!("{what} cannot depend on coordinates"))?,
            node => indices(stencil, node)?,
        }
    }
    Ok(())
}

pub(super) fn initial_values(stencil: &Stencil, initial: &Initial) -> Checked {
    let Some(grid) = stencil.grids.get(initial.grid) else { return Err("a grid of another stencil".into()) };
    ensure(initial.component < grid.component_count(), || format!("'{}' has no such component", grid.name))?;
    let lowest = if grid.constant { 0 } else { 1 - MAX_LEVELS };
    ensure(initial.time.is_none_or(|time| (lowest..=0).contains(&time)), || {
        format!("initial values of '{}' are at t or before it", grid.name)
    })?;
    for root in initial.condition.into_iter().chain([initial.value]) {
        outside(stencil, root, true, "initial values", |_| Err("initial values cannot read grids".into()))?;
    }
    Ok(())
}

pub(super) fn boundary(stencil: &Stencil, rule: &BoundaryRule) -> Checked {
    let Some(grid) = stencil.grids.get(rule.grid) else { return Err("a grid of another stencil".into()) };
    let name = &grid.name;
    ensure(rule.component < grid.component_count(), || format!("'{name}' has no such component"))?;
    ensure(grid.axes.contains(&rule.axis), || format!("'{name}' has no such axis"))?;
    let inwards = if rule.side == Side::Lower { 1 } else { -1 };
    match rule.boundary {
        Boundary::Periodic => {
            let is_pair = [Side::Lower, Side::Upper]
                .into_iter()
                .all(|side| stencil.boundary(rule.grid, rule.component, rule.axis, side) == Boundary::Periodic);
            ensure(is_pair, || format!("'{name}' is periodic on one face of the axis {}: both are", AXES[rule.axis]))
        }
        Boundary::Value(value) => outside(stencil, value, true, "a boundary", |tap| {
            if stencil.grids[tap.grid].constant && tap.grid != rule.grid {
                return Ok(());
            }
            ensure((tap.grid, tap.component) == (rule.grid, rule.component), || {
                format!("a boundary of '{name}' reads '{name}' itself and constant grids alone")
            })?;
            let is_inward = (0..MAX_AXES).all(|axis| match axis == rule.axis {
                true => tap.offsets[axis] * inwards > 0,
                false => tap.offsets[axis] == 0,
            });
            ensure(is_inward && tap.time == 0, || {
                format!("a boundary of '{name}' reads neighbours towards the domain, on the face's axis and at t")
            })
        }),
        Boundary::Neumann(value) => outside(stencil, value, true, "a derivative", |tap| {
            ensure(stencil.grids[tap.grid].constant && tap.grid != rule.grid, || {
                "a derivative reads constant grids alone".to_owned()
            })
        }),
        _ => Ok(()),
    }
}

pub(super) fn filter(stencil: &Stencil, filter: &Filter) -> Checked {
    let target = filter.target;
    let Some(grid) = stencil.grids.get(target.grid) else { return Err("a grid of another stencil".into()) };
    let name = &grid.name;
    ensure(target.component < grid.component_count(), || format!("'{name}' has no such component"))?;
    let written = stencil.written_level(target.grid);
    ensure(written == Some(target.time), || {
        format!("a filter changes what a step assigns, and '{name}' at {} is not", time_name(target.time))
    })?;
    let is_arithmetic = filter
        .operator
        .is_none_or(|operator| matches!(operator, Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide));
    ensure(is_arithmetic, || "a filter has '=', '+=', '-=', '*=' or '/='".to_owned())?;
    let is_whole_quotient = filter.operator == Some(Binary::Divide) && grid.kind.is_integer();
    ensure(!is_whole_quotient, || format!("'/=' needs a grid of real numbers, and '{name}' holds integers"))?;
    if let Some(point) = &filter.point {
        ensure(point.len() == stencil.dimension(), || {
            "the point has not as many coordinates as the domain".to_owned()
        })?;
        for &coordinate in point {
            ensure(stencil.graph.type_of(coordinate).is_integer(), || "a coordinate is not an integer".to_owned())?;
            let no_grid = |_: &Tap| Err("a point cannot depend on grids".into());
            outside(stencil, coordinate, false, "a point", no_grid)?;
        }
    }
    outside(stencil, filter.value, true, "a filter", |tap| {
        let newest = stencil.written_level(tap.grid).unwrap_or(0);
        ensure(tap.time <= newest, || format!("'{}' is never computed", stencil.grids[tap.grid].name))?;
        let is_own = tap.grid == target.grid && tap.time == target.time;
        ensure(!is_own || tap.offsets == Offsets::default(), || {
            format!("a filter of '{name}' reads the level that it changes at the centre alone")
        })
    })
}

pub(super) fn stop_criterion(stencil: &Stencil, stop: Stop) -> Checked {
    ensure(stop.every > 0, || "the criterion is checked every 1 step or more".to_owned())?;
    for expression in stencil.graph.reachable([stop.condition]) {
        match stencil.graph.node(expression) {
            Node::Tap(_) | Node::Temporary(_) | Node::Coordinate(_) => {
                return Err("the criterion reads results, parameters and sizes alone".into());
            }
            node => indices(stencil, node)?,
        }
    }
    Ok(())
}
