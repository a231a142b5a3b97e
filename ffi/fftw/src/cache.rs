//! Transforms of pencils that plans share: a program that plans the same transform again waits for no tables.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustfft::FftDirection;

use crate::pencil::Pencil;
use crate::plan::Real;
use crate::waves::Kind;

/// Points of all transforms that are cached. Beyond it all are dropped; plans keep theirs.
const MAX_POINTS: usize = 1 << 21;

/// The transform of a pencil.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    Complex(Direction),
    RealToComplex,
    ComplexToReal,
    RealToReal(Kind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Direction {
    Forward,
    Backward,
}

/// A transform of a length; on the calling thread alone, or `shared`: on all threads where that pays, and `few` pencils
/// then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) shape: Shape,
    pub(crate) n: usize,
    pub(crate) shared: bool,
    pub(crate) few: bool,
}

/// Transforms of one precision.
pub struct Cache<R>(Mutex<Option<HashMap<Key, Arc<Pencil<R>>>>>);

impl From<FftDirection> for Direction {
    fn from(direction: FftDirection) -> Self {
        if direction == FftDirection::Forward { Direction::Forward } else { Direction::Backward }
    }
}

impl<R: Real> Cache<R> {
    pub(crate) const fn new() -> Self {
        Cache(Mutex::new(None))
    }

    fn transforms(&self) -> MutexGuard<'_, Option<HashMap<Key, Arc<Pencil<R>>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The transform of a key, made if it is not there.
    pub(crate) fn get(&self, key: Key, make: impl FnOnce() -> Pencil<R>) -> Arc<Pencil<R>> {
        if let Some(pencil) = self.transforms().as_ref().and_then(|cached| cached.get(&key)) {
            return Arc::clone(pencil);
        }
        // Without the lock: other threads plan meanwhile.
        let pencil = Arc::new(make());
        let mut cached = self.transforms();
        let transforms = cached.get_or_insert_default();
        if key.n.saturating_add(transforms.keys().map(|key| key.n).sum()) > MAX_POINTS {
            transforms.clear();
        }
        if key.n <= MAX_POINTS {
            transforms.insert(key, Arc::clone(&pencil));
        }
        pencil
    }

    pub(crate) fn clear(&self) {
        *self.transforms() = None;
    }
}
