//! Codes of passes that read outside a range, and the errors that they stand for.

use crate::bound::Bound;
use crate::error::Error;
use crate::lower::Pass;

/// The code of a pass, from 1 on.
pub(super) fn code(pass: Pass) -> i32 {
    let (kind, number) = match pass {
        Pass::Initial { rule } => (1, rule),
        Pass::Faces { grid, .. } => (2, grid),
        Pass::Sweep { stage, .. } | Pass::Stream { stage, .. } | Pass::Loops { stage, .. } => (3, stage),
        Pass::Overlap { .. } => (3, 0),
        Pass::Filter { filter } => (4, filter),
        Pass::CarryOver { .. } | Pass::Strips { .. } | Pass::Tree { .. } => (5, 0),
    };
    kind + 8 * number as i32
}

/// The error of a pass that read outside a range.
pub(crate) fn failure(bound: &Bound, code: i32) -> Error {
    let (stencil, number) = (bound.stencil(), (code / 8) as usize);
    let name = |grid: usize| &stencil.grids()[grid].name;
    Error::new(match code % 8 {
        1 => {
            let name = name(stencil.initial()[number].grid);
            format!("an initial value of '{name}' reads outside the range of a parameter")
        }
        2 => format!("the boundary of '{}' reads outside a range or a memory", name(number)),
        3 => format!("a point of stage {} reads outside the range of a parameter", number + 1),
        _ => format!("a point of filter {} reads outside the range of a parameter", number + 1),
    })
}
