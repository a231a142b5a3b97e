//! Memory with a record of accesses, for race detection.

use super::super::constant::Constant;
use super::super::ir::{Memory, Space};

/// Work-item and epoch of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Who {
    /// The group's number among all.
    pub(super) group: usize,
    /// The work-item's number in its group.
    pub(super) item: usize,
    /// Barriers passed by the group that order this memory.
    pub(super) epoch: usize,
    pub(super) atomic: bool,
}

/// The last accesses to an element.
#[derive(Clone, Copy, Default)]
struct Shadow {
    write: Option<Who>,
    read: Option<Who>,
    /// True if work-items other than `read` read it, in its epoch or in other groups.
    other_items: bool,
    other_groups: bool,
}

/// True if two accesses are concurrent.
fn at_once(before: Who, now: Who) -> bool {
    let same_item = before.group == now.group && before.item == now.item;
    let ordered = before.group == now.group && before.epoch < now.epoch;
    !(same_item || ordered || before.atomic && now.atomic)
}

impl Shadow {
    fn read(&mut self, now: Who) -> bool {
        let race = self.write.is_some_and(|write| at_once(write, now));
        match self.read {
            Some(read) if read.group != now.group => self.other_groups = true,
            Some(read) if read.epoch == now.epoch && read.item != now.item => self.other_items = true,
            Some(read) if read.epoch == now.epoch => {}
            _ => {
                self.read = Some(now);
                self.other_items = false;
            }
        }
        race
    }

    fn write(&mut self, now: Who) -> bool {
        let reads = self.read.is_some_and(|read| {
            self.other_groups
                || at_once(read, now)
                || (self.other_items && read.group == now.group && read.epoch == now.epoch)
        });
        let race = reads || self.write.is_some_and(|write| at_once(write, now));
        self.write = Some(now);
        race
    }
}

/// Lanes of a buffer or array; of a private array for each work-item.
pub(super) struct Store {
    pub(super) values: Vec<Option<Constant>>,
    shadows: Vec<Shadow>,
    /// Elements of one array.
    pub(super) length: usize,
    pub(super) space: Space,
    lanes: usize,
}

impl Store {
    pub(super) fn new(memory: &Memory, items: usize) -> Self {
        let copies = if memory.space == Space::Private { items } else { 1 };
        let mut store = Store {
            values: Vec::new(),
            shadows: Vec::new(),
            length: memory.length,
            space: memory.space,
            lanes: memory.element.lanes,
        };
        store.values.resize(copies * memory.length * store.lanes, None);
        store.clear();
        store
    }

    /// Takes a buffer's contents.
    pub(super) fn fill(&mut self, values: &[Constant]) {
        self.values = values.iter().copied().map(Some).collect();
        self.length = values.len() / self.lanes;
        self.shadows = vec![Shadow::default(); values.len()];
    }

    /// Begins a group: arrays are uninitialised.
    pub(super) fn clear(&mut self) {
        if self.space != Space::Global {
            self.values.fill(None);
            self.shadows = vec![Shadow::default(); if self.space == Space::Local { self.values.len() } else { 0 }];
        }
    }

    /// Offset in lanes of an access of `width` lanes at `index`. An index out of bounds is the error.
    pub(super) fn slot(&self, index: i64, width: usize, item: usize) -> Result<usize, i64> {
        // An index counts elements; an access wider than one begins at it.
        let elements = width / self.lanes;
        let first = usize::try_from(index).map_err(|_| index)?;
        match first.checked_add(elements) {
            Some(end) if end <= self.length => {
                let own = if self.space == Space::Private { item * self.length } else { 0 };
                Ok((own + first) * self.lanes)
            }
            _ => Err(index.max(self.length as i64)),
        }
    }

    /// Records an access. Returns whether it races.
    pub(super) fn touch(&mut self, slot: usize, who: Who, writes: bool) -> bool {
        match self.shadows.get_mut(slot) {
            Some(shadow) if writes => shadow.write(who),
            Some(shadow) => shadow.read(who),
            None => false,
        }
    }

    /// Element of an offset.
    pub(super) const fn element(&self, slot: usize) -> usize {
        if self.length == 0 { 0 } else { slot / self.lanes % self.length }
    }
}
