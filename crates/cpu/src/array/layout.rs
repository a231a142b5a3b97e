//! The layout of a thread's workspace: copies of uniform values, slots, registers and accumulators.

use std::collections::HashMap;

use super::machine::GRANULE;

/// Bytes of an element at most.
const ELEMENT: usize = 8;
/// Registers begin so many bytes after the end of another one, so that equal offsets of two do not meet in the cache.
const GAP: usize = 64;

/// Bytes of a block's registers at most, or of the operands in their place: they stay in the first cache.
const BLOCK_BYTES: usize = 32 * 1024;

/// Minimum elements of a block: the calls of an action's loop cost little in comparison.
const MIN_BLOCK: usize = 256;

/// Elements of a block at most.
const MAX_BLOCK: usize = 1024;

/// Elements of a block where elements are read and written once.
const SINGLE_PASS_BLOCK: usize = 4096;

/// The number of a register in the layout.
pub type RegisterId = usize;

/// Sizes and offsets in a workspace, in bytes.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Elements of a block; 0 until [`Layout::set_block`].
    pub block: usize,
    /// Copies so far, all phases together.
    copies: usize,
    /// For each register the bytes of an element of all registers before it.
    before: Vec<usize>,
    /// Bytes of an element of all registers.
    bytes: usize,
    /// Registers that are free, by the size of their elements.
    free: HashMap<usize, Vec<RegisterId>>,
}

impl Layout {
    /// The offset of copies of one more uniform value, from the start of all copies.
    pub fn add_copies(&mut self) -> usize {
        self.copies += 1;
        (self.copies - 1) * GRANULE * ELEMENT
    }

    /// Bytes of all copies.
    pub fn copies_bytes(&self) -> usize {
        self.copies * GRANULE * ELEMENT
    }

    /// Chooses the length of blocks once all registers are known. `is_single_pass` if no loop reads what another one
    /// has written, so that the first cache does not bound it.
    pub fn set_block(&mut self, is_single_pass: bool) {
        let fits = BLOCK_BYTES / self.bytes.max(1);
        self.block = match is_single_pass {
            true => SINGLE_PASS_BLOCK,
            false => (1 << fits.max(1).ilog2()).clamp(MIN_BLOCK, MAX_BLOCK),
        };
    }

    /// A register's offset from the start of all registers.
    pub fn offset(&self, register: RegisterId) -> usize {
        self.before[register] * self.block + register * GAP
    }

    /// Bytes of all registers.
    pub fn registers_bytes(&self) -> usize {
        self.bytes * self.block + self.before.len() * GAP
    }

    /// A free register for elements of the given size.
    pub fn take_register(&mut self, bytes: usize) -> RegisterId {
        if let Some(register) = self.free.get_mut(&bytes).and_then(Vec::pop) {
            return register;
        }
        self.before.push(self.bytes);
        self.bytes += bytes;
        self.before.len() - 1
    }

    /// Makes a register free.
    pub fn give_register(&mut self, bytes: usize, register: RegisterId) {
        self.free.entry(bytes).or_default().push(register);
    }
}
