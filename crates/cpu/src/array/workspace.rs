//! A thread's memory for a launch, which it keeps from one launch to the next.

use std::cell::Cell;

use super::loops::{Extreme, Fold};
use super::machine::Source;

/// A cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Line {
    _bytes: [u64; 8],
}

/// A reduction of a row that is under way.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// Of elements.
    pub fold: Fold,
    /// Of the search for an index.
    pub extreme: Extreme,
}

/// Memory of a thread.
#[derive(Debug, Default)]
pub struct Workspace {
    lines: Vec<Line>,
    tiles: Vec<Line>,
    /// The table of operands.
    pub table: Vec<Source>,
    /// The memory of each entry's own.
    pub homes: Vec<*mut u8>,
    /// The first element of the present run, for each access.
    pub positions: Vec<*mut u8>,
    /// Elements between neighbours of the present run, for each access.
    pub strides: Vec<isize>,
    /// The reduction of each slot.
    pub states: Vec<State>,
    /// The accumulators of each slot.
    pub accumulators: Vec<Vec<u64>>,
    /// Values that are joined at each level of each slot, in reductions across rows.
    pub joined: Vec<Vec<usize>>,
    /// The results of each slot's chunks.
    pub results: Vec<Vec<u64>>,
}

impl Workspace {
    /// Memory of this many bytes at least, from the start of a cache line. New bytes are 0.
    pub fn memory(&mut self, bytes: usize) -> *mut u8 {
        at_least(&mut self.lines, bytes)
    }

    /// The same for tiles.
    pub fn tiles(&mut self, bytes: usize) -> *mut u8 {
        at_least(&mut self.tiles, bytes)
    }
}

fn at_least(memory: &mut Vec<Line>, bytes: usize) -> *mut u8 {
    let lines = bytes.div_ceil(size_of::<Line>());
    if memory.len() < lines {
        *memory = vec![Line::default(); lines];
    }
    memory.as_mut_ptr().cast()
}

thread_local! {
    static OWN: Cell<Option<Box<Workspace>>> = const { Cell::new(None) };
}

/// Does some work with the thread's workspace.
pub fn with<R>(work: impl FnOnce(&mut Workspace) -> R) -> R {
    let mut workspace = OWN.take().unwrap_or_default();
    let result = work(&mut workspace);
    OWN.set(Some(workspace));
    result
}
