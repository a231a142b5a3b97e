//! The compiled form of a phase: actions on entries of a table of operands.
//!
//! An entry of the table is an array of a block's elements, in a register or in an operand's memory, or a uniform
//! value. A thread fills the table once for its part, but for entries of memory, which move with the block.

use affinimath_array::ElementType;

use super::layout::RegisterId;
use super::loops::Folds;
use super::machine::LoopFn;

/// Index of an entry in a thread's table.
pub type Entry = usize;

/// The entry that takes results which nobody reads.
pub const UNREAD: Entry = 0;

/// The points at which a value is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// All points of a launch.
    Launch,
    /// All points of a run along the last axis.
    Run,
    /// One point.
    Block,
}

/// An operation on a block, or on the copies of a uniform value.
#[derive(Clone, Debug)]
pub enum Action {
    /// A loop over the elements.
    Loop {
        /// The loop.
        run: LoopFn,
        /// Its results.
        to: [Entry; 4],
        /// Its operands.
        from: [Entry; 4],
    },
    /// The parts of an access's elements at the points.
    Load {
        /// The access.
        access: usize,
        /// The real and the imaginary part, where they are wanted.
        to: [Option<Entry>; 2],
        /// True if adjacent elements may be read where they are, until the block ends.
        may_stay: bool,
    },
    /// A part of an access's elements at indices.
    LoadAt {
        /// The access.
        access: usize,
        /// 0, or 1 for the imaginary part.
        part: usize,
        /// An entry for each axis of the access.
        indices: Vec<Entry>,
        /// The elements.
        to: Entry,
    },
    /// The coordinate along an axis.
    Coordinate {
        /// The axis.
        axis: usize,
        /// The coordinates.
        to: Entry,
    },
    /// The result of a reduction.
    Slot {
        /// The slot.
        slot: usize,
        /// The results.
        to: Entry,
    },
    /// A scalar argument.
    Scalar {
        /// The scalar.
        scalar: usize,
        /// Its copies.
        to: Entry,
    },
    /// A constant.
    Constant {
        /// Its bits.
        bits: u64,
        /// Its bytes.
        bytes: usize,
        /// Its copies.
        to: Entry,
    },
}

impl Action {
    /// Entries that the action reads.
    pub fn operands(&self) -> Vec<Entry> {
        match self {
            Action::Loop { from, .. } => from.iter().copied().filter(|&entry| entry != UNREAD).collect(),
            Action::LoadAt { indices, .. } => indices.clone(),
            _ => Vec::new(),
        }
    }

    /// Entries that the action fills.
    pub fn results(&self) -> Vec<Entry> {
        match *self {
            Action::Loop { ref to, .. } => to.iter().copied().filter(|&entry| entry != UNREAD).collect(),
            Action::Load { to, .. } => to.into_iter().flatten().collect(),
            Action::LoadAt { to, .. }
            | Action::Coordinate { to, .. }
            | Action::Slot { to, .. }
            | Action::Scalar { to, .. }
            | Action::Constant { to, .. } => vec![to],
        }
    }
}

/// The memory of a value.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// Its entry.
    pub entry: Entry,
    /// The points at which it is the same.
    pub level: Level,
    /// The register of its block; none at the level of a launch.
    pub register: Option<RegisterId>,
    /// The offset of its copies in the workspace; 0 at the level of a block.
    pub copies: usize,
}

/// A store at the end of a block.
#[derive(Clone, Copy, Debug)]
pub struct Store {
    /// The access.
    pub access: usize,
    /// The value's parts; the second one of a complex access.
    pub parts: [Entry; 2],
    /// True if the value may be computed in the access's memory.
    pub is_direct: bool,
}

/// A reduction at the end of a block.
#[derive(Clone, Copy, Debug)]
pub struct Reduce {
    /// The slot.
    pub slot: usize,
    /// The joined values.
    pub value: Entry,
    /// Bytes of a joined value.
    pub bytes: usize,
    /// True for the search for an index.
    pub is_search: bool,
    /// Its loops.
    pub folds: Folds,
}

/// A compiled phase.
#[derive(Clone, Debug)]
pub struct Code {
    /// True if it runs for each element of a row; false if once for each row.
    pub is_loop: bool,
    /// True if a block's values are adjacent elements of accesses, so that blocks may be longer than registers.
    pub is_in_place: bool,
    /// Actions of a launch, of a run and of a block.
    pub actions: [Vec<Action>; 3],
    /// The values with entries.
    pub values: Vec<Value>,
    /// Stores.
    pub stores: Vec<Store>,
    /// Reductions.
    pub reductions: Vec<Reduce>,
}

impl Code {
    /// True if no action of a block reads another one's results, but for elements that stay where they are.
    pub fn is_single_pass(&self, accesses: &[Memory]) -> bool {
        let stays = |memory: Memory| memory.is_contiguous && !memory.is_complex;
        let is_load = |action: &&Action| matches!(**action, Action::Load { access, .. } if stays(accesses[access]));
        let actions = &self.actions[Level::Block as usize];
        actions.iter().filter(|action| !is_load(action)).count() + self.reductions.len() <= 1
    }
}

/// An access in memory.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Bytes of an element.
    pub bytes: usize,
    /// Bytes of its part.
    pub part_bytes: usize,
    /// True for complex elements.
    pub is_complex: bool,
    /// True if the points' elements are adjacent, in the points' order.
    pub is_contiguous: bool,
}

impl Memory {
    /// An access's.
    pub const fn new(element: ElementType, is_contiguous: bool) -> Self {
        let (bytes, part_bytes) = (element.bytes(), element.part().bytes());
        Memory { bytes, part_bytes, is_complex: element.is_complex(), is_contiguous }
    }
}
