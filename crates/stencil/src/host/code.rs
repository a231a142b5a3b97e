//! Programs of strips: instructions on a table of addresses.

use affinimath_math::machine::LoopFn;

use super::loops::{ChainCall, MapCall, Micro};
use super::lower::Access;
use super::nodes::NodeId;
use crate::definition::{Reduction, Type};

/// An index into the table of addresses. First come the accesses to memory, then uniform values, then uniform values
/// that are spread over a strip, then registers.
pub(super) type Slot = u32;

/// A result of a pass.
#[derive(Clone, Copy, Debug)]
pub(super) enum Output {
    /// A value goes to memory.
    Store { access: usize, value: NodeId },
    /// A condition that holds at all points, or the pass fails.
    Check(NodeId),
    /// A value goes into a reduction.
    Reduce { number: usize, value: NodeId },
}

/// A reduction of a pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduced {
    pub(super) result: usize,
    pub(super) reduction: Reduction,
    pub(super) kind: Type,
}

/// An operation on a strip, or on a granule of copies of a uniform value.
#[derive(Clone, Debug)]
pub(super) enum Instruction {
    /// Links from `first` on.
    Chain {
        entry: LoopFn<ChainCall>,
        start: Slot,
        is_start_uniform: bool,
        first: usize,
        count: usize,
        to: Slot,
        is_streamed: bool,
    },
    Map {
        entry: LoopFn<MapCall>,
        from: [Slot; 3],
        operands: usize,
        to: Slot,
    },
    /// The time, as a uniform value.
    Time {
        to: Slot,
    },
    /// A coordinate, as a uniform value.
    Coordinate {
        axis: usize,
        to: Slot,
    },
    /// The coordinates along the row.
    Ramp {
        to: Slot,
    },
    /// A uniform value, spread over a strip.
    Spread {
        bytes: usize,
        from: Slot,
        to: Slot,
    },
    /// Elements in memory with a stride.
    Gather {
        access: usize,
        bytes: usize,
        to: Slot,
    },
    Scatter {
        access: usize,
        bytes: usize,
        from: Slot,
    },
    /// An element of memory, as a uniform value.
    Broadcast {
        access: usize,
        bytes: usize,
        to: Slot,
    },
    /// Elements of memory, 0 outside.
    Checked {
        access: usize,
        bytes: usize,
        is_uniform: bool,
        to: Slot,
    },
    IsInside {
        access: usize,
        is_uniform: bool,
        to: Slot,
    },
    /// Elements of a parameter, 0 outside.
    Element {
        parameter: usize,
        kind: Type,
        indices: Vec<Slot>,
        to: Slot,
    },
    IsElement {
        parameter: usize,
        indices: Vec<Slot>,
        to: Slot,
    },
    /// The pass fails where a condition does not hold.
    Check {
        from: Slot,
        is_uniform: bool,
    },
    Reduce {
        number: usize,
        from: Slot,
    },
}

/// A compiled pass.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) accesses: Vec<Access>,
    /// Accesses of which the table has the address of each strip.
    pub(super) in_place: Vec<usize>,
    /// Accesses of which the next row is fetched: those that reach memory first, and results.
    pub(super) ahead: Vec<usize>,
    pub(super) constants: Vec<(Slot, u64, Type)>,
    pub(super) pass: Vec<Instruction>,
    pub(super) row: Vec<Instruction>,
    pub(super) strip: Vec<Instruction>,
    pub(super) micros: Vec<Micro>,
    pub(super) uniforms: usize,
    /// Spread values and registers.
    pub(super) strips: usize,
    pub(super) reduced: Vec<Reduced>,
}

impl Instruction {
    /// Calls back for each operand and for the result.
    pub(super) fn for_each_slot(&mut self, micros: &mut [Micro], mut visit: impl FnMut(&mut Slot)) {
        use Instruction::*;
        match self {
            Chain { start, first, count, to, .. } => {
                visit(start);
                for micro in &mut micros[*first..*first + *count] {
                    for slot in [&mut micro.x, &mut micro.y].into_iter().take(micro.link.operands()) {
                        visit(slot);
                    }
                }
                visit(to);
            }
            Map { from, operands, to, .. } => {
                from.iter_mut().take(*operands).for_each(&mut visit);
                visit(to);
            }
            Time { to } | Coordinate { to, .. } | Ramp { to } | Gather { to, .. } | Broadcast { to, .. } => visit(to),
            Checked { to, .. } | IsInside { to, .. } => visit(to),
            Spread { from, to, .. } => {
                visit(from);
                visit(to);
            }
            Element { indices, to, .. } | IsElement { indices, to, .. } => {
                indices.iter_mut().for_each(&mut visit);
                visit(to);
            }
            Scatter { from, .. } | Check { from, .. } | Reduce { from, .. } => visit(from),
        }
    }
}
