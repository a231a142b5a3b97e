//! Calls that must stay on the host, whatever the settings say.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::fork;

/// Threads that are in [`on_host`]. As long as there is none, nobody looks at the thread's own note.
static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Runs something whose calls on the host's memory all run on the host backend: what a device has failed to do, for
/// example. Neither settings nor devices are looked at.
pub fn on_host<R>(work: impl FnOnce() -> R) -> R {
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            DEPTH.set(DEPTH.get() - 1);
            THREADS.fetch_sub(1, Ordering::Relaxed);
        }
    }
    THREADS.fetch_add(1, Ordering::Relaxed);
    DEPTH.set(DEPTH.get() + 1);
    let _leave = Leave;
    work()
}

/// True if a call has to run on the host: within [`on_host`], and in a forked child, where devices do not work.
#[inline]
pub(super) fn host_only() -> bool {
    fork::forked() || THREADS.load(Ordering::Relaxed) > 0 && DEPTH.get() > 0
}
