//! Values that modules above keep with a context: one of each type.

use std::any::Any;
use std::fmt;
use std::sync::OnceLock;

/// A list that only grows: to read it takes no lock, and it has a handful of values.
#[derive(Default)]
pub(super) struct Extensions {
    first: Slot,
}

type Slot = OnceLock<Box<Node>>;

struct Node {
    value: Box<dyn Any + Send + Sync>,
    next: Slot,
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extensions").finish_non_exhaustive()
    }
}

impl Extensions {
    /// The value of the type. Where there is none, `make` gives it.
    ///
    /// `make` holds nothing of the list, so that it may ask for values of other types.
    pub(super) fn get_or_insert<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> &T {
        let mut end = &self.first;
        if let Some(value) = find(&mut end) {
            return value;
        }
        let mut node = Box::new(Node { value: Box::new(make()), next: OnceLock::new() });
        loop {
            let refused = end.set(node).err();
            // Another thread may have been first, with a value of this type or of another one.
            if let Some(value) = find(&mut end) {
                return value;
            }
            node = refused.expect("a node that was set is found");
        }
    }
}

/// The value of the type from a slot on; else the slot is the first one that was empty.
fn find<'a, T: Any>(slot: &mut &'a Slot) -> Option<&'a T> {
    while let Some(node) = slot.get() {
        if let Some(value) = node.value.downcast_ref() {
            return Some(value);
        }
        *slot = &node.next;
    }
    None
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn each_type_has_one_value_that_is_made_once() {
        let extensions = Extensions::default();
        let number: &u32 = extensions.get_or_insert(|| 1);
        let text: &String = extensions.get_or_insert(|| format!("{}", extensions.get_or_insert(|| 2_u32)));
        assert_eq!((*number, text.as_str()), (1, "1"));
        assert!(std::ptr::eq(number, extensions.get_or_insert(|| -> u32 { panic!("it is there") })));
    }

    #[test]
    fn threads_find_the_same_values() {
        let extensions = Extensions::default();
        let addresses = |start: usize| {
            let (number, byte) = (extensions.get_or_insert(|| start), extensions.get_or_insert(|| start as u8));
            [std::ptr::from_ref(number) as usize, std::ptr::from_ref(byte) as usize]
        };
        let found: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|start| scope.spawn(move || addresses(start))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(found.iter().all(|addresses| *addresses == found[0]), "{found:?}");
    }
}
