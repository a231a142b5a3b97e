//! A device's memory for tiles: slots of one size, of which the longest unused one is taken for the next tile.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use opencl3::event::Event as ClEvent;

use super::tile::{TileIndex, Tiled};
use super::{lost, wait_for};
use crate::context::{BufferParts, DeviceBuffer, PinnedChunks, Queue};
use crate::error::{Error, Result};
use crate::scalar::Scalar;
use crate::transfer::{CopyThreads, HostRuns, bring};
use crate::view::MatrixShape;

/// Slots without which a device cannot work: results that go back, one that is computed, and its operands.
pub(super) const NEEDED: usize = RETURNING + 3;
/// Results on their way to the host, at most: a device takes no more work than it can do.
pub(super) const RETURNING: usize = 3;

/// Memory of one tile.
pub(super) struct Slot {
    pub(super) buffer: Arc<DeviceBuffer>,
    /// Shape of the tile in it.
    pub(super) shape: MatrixShape,
    holds: Option<TileIndex>,
    /// The last command that uses it.
    used: Option<ClEvent>,
    /// True while it is brought back to the host.
    returning: bool,
    stamp: u64,
}

/// The slots of a device, with the queues of the thread that computes.
pub(super) struct Slots<'a, T> {
    matrices: &'a [Tiled<T>; 3],
    incoming: &'a Queue,
    compute: &'a Queue,
    threads: CopyThreads,
    /// Slots that were brought back.
    returned: Receiver<usize>,
    slots: Vec<Slot>,
    /// Slot of each tile that is there.
    index: HashMap<TileIndex, usize>,
    bytes: usize,
    limit: usize,
    clock: u64,
}

impl<'a, T: Scalar> Slots<'a, T> {
    /// Slots for the tiles of a plan's matrices, within the device's limits.
    pub(super) fn new(
        matrices: &'a [Tiled<T>; 3],
        [incoming, compute]: [&'a Queue; 2],
        threads: CopyThreads,
        limit: usize,
        returned: Receiver<usize>,
    ) -> Self {
        Slots {
            matrices,
            incoming,
            compute,
            threads,
            returned,
            slots: Vec::new(),
            index: HashMap::new(),
            bytes: slot_bytes(matrices),
            limit: limit.max(NEEDED),
            clock: 0,
        }
    }

    pub(super) fn get(&self, slot: usize) -> &Slot {
        &self.slots[slot]
    }

    /// The slot of an operand, which is brought if it is not there. Slots in `pinned` stay.
    ///
    /// # Safety
    /// The host's matrices must be valid, and the tile written by nobody until everything enqueued is done.
    pub(super) unsafe fn operand(&mut self, tile: TileIndex, pinned: &[usize]) -> Result<usize> {
        if let Some(slot) = self.index.get(&tile).copied() {
            self.touch(slot);
            return Ok(slot);
        }
        // SAFETY: by contract.
        unsafe { self.load(tile, pinned, true) }
    }

    /// The slot of a tile that is written, with its old elements if they are read. Nothing else finds it there.
    ///
    /// # Safety
    /// The conditions of [`Slots::operand`].
    pub(super) unsafe fn target(&mut self, tile: TileIndex, read: bool) -> Result<usize> {
        while self.slots.iter().filter(|slot| slot.returning).count() >= RETURNING {
            self.wait_for_returned()?;
        }
        let slot = match self.index.get(&tile).copied() {
            Some(slot) => slot,
            // SAFETY: by contract.
            None => unsafe { self.load(tile, &[], read)? },
        };
        self.forget(slot);
        self.touch(slot);
        Ok(slot)
    }

    /// Notes the last command that uses a slot.
    pub(super) fn used(&mut self, slot: usize, event: ClEvent) {
        self.slots[slot].used = Some(event);
    }

    /// Notes that a slot is brought back. As an operand it can be used meanwhile.
    pub(super) fn returns(&mut self, slot: usize, tile: TileIndex, is_operand: bool) {
        self.slots[slot].returning = true;
        if is_operand {
            self.slots[slot].holds = Some(tile);
            self.index.insert(tile, slot);
        }
    }

    /// The tile in the host's memory.
    pub(super) fn on_host(&self, tile: TileIndex) -> Result<(HostRuns, MatrixShape)> {
        self.matrices[tile.matrix].tile(tile.row, tile.column)
    }

    fn touch(&mut self, slot: usize) {
        self.clock += 1;
        self.slots[slot].stamp = self.clock;
    }

    fn forget(&mut self, slot: usize) {
        if let Some(tile) = self.slots[slot].holds.take() {
            self.index.remove(&tile);
        }
    }

    /// Brings a tile into a slot, if its elements are read.
    ///
    /// # Safety
    /// The conditions of [`Slots::operand`].
    unsafe fn load(&mut self, tile: TileIndex, pinned: &[usize], read: bool) -> Result<usize> {
        let slot = self.free_slot(pinned)?;
        let (runs, shape) = self.on_host(tile)?;
        self.slots[slot].shape = shape;
        if read {
            // SAFETY: by contract; no command uses the slot any more.
            let there = unsafe { bring(self.incoming, &self.slots[slot].buffer, runs, self.threads)? };
            there.map_or(Ok(()), |there| self.compute.wait_for(&there))?;
        }
        self.slots[slot].holds = Some(tile);
        self.index.insert(tile, slot);
        self.touch(slot);
        Ok(slot)
    }

    /// A slot that no command uses.
    fn free_slot(&mut self, pinned: &[usize]) -> Result<usize> {
        if self.slots.len() < self.limit {
            match DeviceBuffer::for_operand(self.compute, self.bytes, "a tile of a matrix of the host") {
                Ok(buffer) => return self.new_slot(buffer),
                // Somebody else may have the memory: what there is will do.
                Err(Error::OutOfDeviceMemory { .. }) if self.slots.len() >= NEEDED => self.limit = self.slots.len(),
                Err(error) => return Err(error),
            }
        }
        loop {
            let idle = (0..self.slots.len()).filter(|slot| !self.slots[*slot].returning && !pinned.contains(slot));
            // Those that hold nothing first.
            let oldest = idle.min_by_key(|slot| (self.slots[*slot].holds.is_some(), self.slots[*slot].stamp));
            let Some(slot) = oldest else {
                self.wait_for_returned()?;
                continue;
            };
            self.forget(slot);
            wait_for(self.slots[slot].used.take())?;
            return Ok(slot);
        }
    }

    fn new_slot(&mut self, buffer: DeviceBuffer) -> Result<usize> {
        let shape = MatrixShape::new(crate::options::Layout::ColumnMajor, 0, 0, 0, 1)?;
        let (buffer, holds, used) = (Arc::new(buffer), None, None);
        self.slots.push(Slot { buffer, shape, holds, used, returning: false, stamp: 0 });
        Ok(self.slots.len() - 1)
    }

    fn wait_for_returned(&mut self) -> Result<()> {
        let slot = self.returned.recv().map_err(|_| lost())?;
        self.slots[slot].returning = false;
        Ok(())
    }
}

/// Bytes of a slot for any tile of the matrices.
pub(super) fn slot_bytes<T: Scalar>(matrices: &[Tiled<T>; 3]) -> usize {
    matrices.iter().map(Tiled::tile_bytes).max().unwrap_or(1)
}
