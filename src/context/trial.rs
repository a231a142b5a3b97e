//! Whether something that a device should be able to do was tried, and how that ended.

use std::sync::atomic::{AtomicU8, Ordering};

/// How a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trial {
    Untried,
    Passed,
    Failed,
}

/// A trial's state, shared by threads. Two that try at the same time find the same.
#[derive(Debug, Default)]
pub(crate) struct TrialState(AtomicU8);

impl TrialState {
    pub(crate) fn get(&self) -> Trial {
        match self.0.load(Ordering::Relaxed) {
            0 => Trial::Untried,
            1 => Trial::Passed,
            _ => Trial::Failed,
        }
    }

    pub(crate) fn set(&self, trial: Trial) {
        self.0.store(trial as u8, Ordering::Relaxed);
    }
}
