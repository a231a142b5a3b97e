//! Loops over strips: one for each operation and type, compiled for each set of instructions.

mod chain;
mod function;
mod map;

pub(super) use chain::{AHEAD, ChainCall, Link, Micro, chain};
pub(super) use function::function;
pub(super) use map::{compare, convert, copy, logical, not, remainder, select, whole_quotient};

/// Operands and result of a loop: arrays of `n` elements. Of a condition, an element is a byte, 0 or 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct MapCall {
    /// Elements.
    pub(super) n: usize,
    /// Operands; those that the loop has not are null.
    pub(super) from: [*const u8; 3],
    /// The result, which is apart from the operands.
    pub(super) to: *mut u8,
}
