//! Elements of accesses for a block: loads to registers, and stores from them.

use super::code::{Entry, Store};
use super::loops;
use super::machine::{GRANULE, Source};
use super::worker::{Block, Worker};

impl Worker<'_> {
    /// Has a stored value computed in the access's memory, if its block is there, else in the register.
    pub(super) fn direct(&mut self, store: &Store, block: &Block<'_>) {
        let entry = store.parts[0];
        match self.adjacent(store.access, block).filter(|_| block.n.is_multiple_of(GRANULE)) {
            Some(at) => self.workspace.table[entry].at = at,
            None => self.workspace.table[entry].at = self.workspace.homes[entry],
        }
    }

    /// The address of a block's elements, if they are adjacent and not complex.
    fn adjacent(&self, access: usize, block: &Block<'_>) -> Option<*mut u8> {
        let memory = self.launch.program.accesses[access];
        if memory.is_complex {
            return None;
        }
        if memory.is_contiguous {
            return Some(self.element(access, self.view(access).offset as isize + block.point as isize));
        }
        let is_adjacent = block.is_in_run && self.workspace.strides[access] == 1;
        is_adjacent.then(|| self.workspace.positions[access].wrapping_add(block.in_run() * memory.bytes))
    }

    /// Calls `visit` for stretches of a block's elements: the address, the stride, the points before and the points.
    fn for_each_stretch(&self, access: usize, block: &Block<'_>, mut visit: impl FnMut(*mut u8, isize, usize, usize)) {
        let (view, memory) = (self.view(access), self.launch.program.accesses[access]);
        let last = block.space.rank() - 1;
        if memory.is_contiguous {
            return visit(self.element(access, view.offset as isize + block.point as isize), 1, 0, block.n);
        }
        if block.is_in_run {
            let stride = self.workspace.strides[access];
            let first = self.workspace.positions[access];
            let at = first.wrapping_offset(block.in_run() as isize * stride * memory.bytes as isize);
            return visit(at, stride, 0, block.n);
        }
        let stride = view.strides.get(last).map_or(0, |&stride| stride as isize);
        let (rank, base, bytes) = (block.space.rank(), self.launch.operands[access].at, memory.bytes as isize);
        let strides = &view.strides[..rank.min(view.strides.len())];
        block.space.for_each_stretch(&block.index, view.offset, strides, block.n, |stretch| {
            visit(base.wrapping_offset(stretch.element * bytes), stride, stretch.done, stretch.n);
        });
    }

    /// Loads parts of an access's elements. Adjacent reals stay where they are.
    pub(super) fn load(&mut self, access: usize, to: [Option<Entry>; 2], may_stay: bool, block: &Block<'_>) {
        if let (Some(at), Some(to)) = (self.adjacent(access, block), to[0])
            && may_stay
            && (block.is_in_place || block.n.is_multiple_of(GRANULE))
        {
            self.workspace.table[to].at = at;
            return;
        }
        let memory = self.launch.program.accesses[access];
        let homes = to.map(|to| to.map_or(std::ptr::null_mut(), |to| self.workspace.homes[to]));
        for (to, home) in to.into_iter().zip(homes) {
            if let Some(to) = to {
                self.workspace.table[to].at = home;
            }
        }
        let bytes = memory.part_bytes;
        self.for_each_stretch(access, block, |from, stride, done, n| {
            let to = homes.map(|home| if home.is_null() { home } else { home.wrapping_add(done * bytes) });
            // SAFETY: the stretch is within the access's memory, and registers hold a block.
            unsafe {
                match memory.is_complex {
                    true => loops::split_parts(bytes, (from, stride), to, n),
                    false => loops::copy_strided(bytes, (from, stride), (to[0], 1), n),
                }
            }
        });
    }

    /// Loads a part of the elements at indices, which are clamped to the access's extents.
    pub(super) fn load_at(&mut self, access: usize, part: usize, indices: &[Entry], to: Entry, n: usize) {
        let (view, memory) = (self.view(access), self.launch.program.accesses[access]);
        let (bytes, to) = (memory.part_bytes, self.workspace.table[to].at);
        for i in 0..n {
            let mut element = view.offset as i64;
            for (axis, &index) in indices.iter().enumerate() {
                let Source { at, step } = self.workspace.table[index];
                // SAFETY: the entry has a block of `I64`, or copies of one.
                let index = unsafe { at.cast::<i64>().add(i * step).read() };
                element += index.clamp(0, view.extents[axis] as i64 - 1) * view.strides[axis];
            }
            let from = self.element(access, element as isize).wrapping_add(part * bytes);
            // SAFETY: clamped indices are within the access's memory, and the register holds a block.
            unsafe { loops::copy_strided(bytes, (from, 1), (to.add(i * bytes), 1), 1) };
        }
    }

    /// Writes the coordinates of a block's points along an axis.
    pub(super) fn coordinates(&mut self, axis: usize, to: Entry, block: &Block<'_>) {
        let to = self.workspace.table[to].at.cast::<i64>();
        let last = block.space.rank() - 1;
        if block.is_in_run {
            let first = block.index[axis] as i64;
            let run_axis = if block.is_across { self.launch.rows.rank() - 1 } else { last };
            // SAFETY: the register holds a block.
            return unsafe {
                match axis == run_axis {
                    true => loops::ramp(first, to, block.n),
                    false => loops::fill(8, (&raw const first).cast(), to.cast(), block.n),
                }
            };
        }
        let mut strides = [0; 8];
        strides[axis] = 1;
        block.space.for_each_stretch(&block.index, 0, &strides, block.n, |stretch| {
            // SAFETY: the register holds a block.
            unsafe {
                let (first, to) = (stretch.element as i64, to.add(stretch.done));
                match axis == last {
                    true => loops::ramp(first, to, stretch.n),
                    false => loops::fill(8, (&raw const first).cast(), to.cast(), stretch.n),
                }
            }
        });
    }

    /// Writes a reduction's results for the points of a block.
    pub(super) fn slots(&mut self, slot: usize, to: Entry, is_loop: bool, n: usize) {
        let (from, bytes) = (self.slot(slot), self.launch.program.slot_bytes(slot));
        let to = self.workspace.table[to].at;
        if !is_loop {
            // SAFETY: both hold a block.
            return unsafe { loops::copy_strided(bytes, (from, 1), (to, 1), n) };
        }
        let length = if self.launch.rows_of_block > 1 { self.launch.row_length } else { n };
        for row in 0..n / length {
            // SAFETY: the slot has a result for each row of the block, and the register holds the block.
            unsafe { loops::fill(bytes, from.add(row * bytes), to.add(row * length * bytes), length) };
        }
    }

    /// Stores a block of values, but for those that were computed in the access's memory.
    pub(super) fn store(&mut self, store: &Store, block: &Block<'_>) {
        let memory = self.launch.program.accesses[store.access];
        let parts = store.parts.map(|entry| self.workspace.table[entry]);
        if store.is_direct && self.adjacent(store.access, block) == Some(parts[0].at) {
            return;
        }
        let bytes = memory.part_bytes;
        self.for_each_stretch(store.access, block, |to, stride, done, n| {
            let from =
                parts.map(|part| (part.at.wrapping_add(done * bytes * part.step).cast_const(), part.step as isize));
            // SAFETY: the stretch is within the access's memory, and registers hold a block.
            unsafe {
                match memory.is_complex {
                    true => loops::join_parts(bytes, from, (to, stride), n),
                    false => loops::copy_strided(bytes, from[0], (to, stride), n),
                }
            }
        });
    }
}
