//! The programs of one kind of source that a context keeps: all that are in use, and the last ones that are not.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Result;

/// Programs kept that nobody holds, at most. All routines in four types need fewer; transforms of ever new lengths and
/// solvers' passes, of which there is no end, take each other's places.
const MAX_UNUSED: usize = 512;

/// A program's place: two threads that need the same program meet here, and the first one builds it.
type Slot<P> = Mutex<Option<Arc<P>>>;

/// A place, and when it was used last.
#[derive(Debug)]
struct Entry<P> {
    slot: Arc<Slot<P>>,
    used: u64,
}

impl<P> Entry<P> {
    /// True if nobody is building the program, and nobody holds it.
    fn unused(&self) -> bool {
        Arc::strong_count(&self.slot) == 1
            && self
                .slot
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .as_ref()
                .is_none_or(|p| Arc::strong_count(p) == 1)
    }
}

#[derive(Debug)]
struct State<S, P> {
    entries: HashMap<S, Entry<P>, BuildHasherDefault<WordHasher>>,
    now: u64,
}

/// A hash of a few words, by multiplication and rotation. Sources are the library's own and a user's kernels: nobody
/// gains by collisions.
#[derive(Debug, Default)]
struct WordHasher(u64);

impl WordHasher {
    /// 2^64 over the golden ratio, odd (Knuth).
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(Self::FACTOR);
    }
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for word in bytes.chunks(8) {
            let mut padded = [0; 8];
            padded[..word.len()].copy_from_slice(word);
            self.add(u64::from_le_bytes(padded));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.add(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.add(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.add(value as u64);
    }

    fn finish(&self) -> u64 {
        // A table takes the upper bits and the lower ones.
        self.0 ^ self.0 >> 32
    }
}

/// The programs of one kind of source.
#[derive(Debug)]
pub(super) struct Slots<S, P> {
    state: Mutex<State<S, P>>,
}

impl<S, P> Default for Slots<S, P> {
    fn default() -> Self {
        Slots { state: Mutex::new(State { entries: HashMap::default(), now: 0 }) }
    }
}

impl<S: Clone + Eq + Hash, P> Slots<S, P> {
    /// The program of `source`: the one that is kept, or what `build` makes.
    ///
    /// # Errors
    /// Those of `build`. The next call tries again.
    pub(super) fn get(&self, source: &S, build: impl FnOnce() -> Result<P>) -> Result<Arc<P>> {
        let slot = self.slot(source);
        let mut program = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = &*program {
            return Ok(program.clone());
        }
        let built = Arc::new(build()?);
        *program = Some(built.clone());
        Ok(built)
    }

    fn slot(&self, source: &S) -> Arc<Slot<P>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.now += 1;
        let now = state.now;
        if let Some(entry) = state.entries.get_mut(source) {
            entry.used = now;
            return entry.slot.clone();
        }
        let left_over = state.remove_oldest_unused();
        let slot = Arc::<Slot<P>>::default();
        state.entries.insert(source.clone(), Entry { slot: slot.clone(), used: now });
        drop(state);
        // A driver may take long to release a program: others need not wait for that.
        drop(left_over);
        slot
    }
}

impl<S: Clone + Eq + Hash, P> State<S, P> {
    /// Takes the unused program that was used longest ago out, where there are as many as are kept.
    fn remove_oldest_unused(&mut self) -> Option<Entry<P>> {
        let (mut unused, mut oldest) = (0, None);
        for (source, entry) in self.entries.iter().filter(|(_, entry)| entry.unused()) {
            unused += 1;
            if oldest.is_none_or(|(_, used)| entry.used < used) {
                oldest = Some((source, entry.used));
            }
        }
        let source = oldest.filter(|_| unused >= MAX_UNUSED)?.0.clone();
        self.entries.remove(&source)
    }
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::error::Error;

    #[test]
    fn unused_programs_take_each_others_places_and_used_ones_stay() {
        let slots = Slots::<usize, usize>::default();
        let held = slots.get(&0, || Ok(0)).unwrap();
        for source in 1..3 * MAX_UNUSED {
            assert_eq!(*slots.get(&source, || Ok(source)).unwrap(), source);
            // Used again and again, it is never the oldest one.
            slots.get(&1, || panic!("program 1 was forgotten")).unwrap();
        }
        assert_eq!(slots.state.lock().unwrap().entries.len(), MAX_UNUSED + 1);
        assert!(Arc::ptr_eq(&held, &slots.get(&0, || panic!("a program in use was forgotten")).unwrap()));
        let last = 3 * MAX_UNUSED - 1;
        slots.get(&last, || panic!("the newest program was forgotten")).unwrap();
        assert_eq!(*slots.get(&2, || Ok(7)).unwrap(), 7, "the oldest one was not forgotten");
    }

    #[test]
    fn what_could_not_be_built_is_tried_again_and_takes_no_place_for_ever() {
        let slots = Slots::<usize, usize>::default();
        for source in 0..2 * MAX_UNUSED {
            assert!(slots.get(&source, || Err(Error::Internal("refused".to_owned()))).is_err());
        }
        assert_eq!(slots.state.lock().unwrap().entries.len(), MAX_UNUSED);
        assert_eq!(*slots.get(&5, || Ok(5)).unwrap(), 5);
    }
}
