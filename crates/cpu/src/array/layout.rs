//! The layout of a thread's workspace: copies of uniform values, slots, registers and accumulators.

use std::collections::HashMap;

use super::machine::GRANULE;

/// Bytes of an element at most.
const ELEMENT: usize = 8;
/// Registers begin so many bytes after the end of another one, so that equal offsets of two do not meet in the cache.
const GAP: usize = 64;

/// Sizes and offsets in a workspace, in bytes.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Elements of a block.
    pub block: usize,
    /// Copies so far, all phases together.
    copies: usize,
    /// Bytes of registers so far.
    registers: usize,
    /// Registers that are free, by the size of their elements.
    free: HashMap<usize, Vec<usize>>,
}

impl Layout {
    /// Of an empty program.
    pub fn new(block: usize) -> Self {
        Layout { block, ..Layout::default() }
    }

    /// The offset of copies of one more uniform value, from the start of all copies.
    pub fn add_copies(&mut self) -> usize {
        self.copies += 1;
        (self.copies - 1) * GRANULE * ELEMENT
    }

    /// Bytes of all copies.
    pub fn copies_bytes(&self) -> usize {
        self.copies * GRANULE * ELEMENT
    }

    /// Bytes of all registers.
    pub fn registers_bytes(&self) -> usize {
        self.registers
    }

    /// A free register's offset from the start of all registers.
    pub fn take_register(&mut self, bytes: usize) -> usize {
        if let Some(register) = self.free.get_mut(&bytes).and_then(Vec::pop) {
            return register;
        }
        let register = self.registers;
        self.registers += self.block * bytes + GAP;
        register
    }

    /// Makes a register free.
    pub fn give_register(&mut self, bytes: usize, register: usize) {
        self.free.entry(bytes).or_default().push(register);
    }
}
