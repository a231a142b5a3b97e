//! Calls that must stay on the host, or on one device, whatever the settings say.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::context::DeviceContext;
use crate::fork;

/// Threads that are in [`on_host`]. As long as there is none, nobody looks at the thread's own note.
static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static DEVICE: RefCell<Option<Arc<DeviceContext>>> = const { RefCell::new(None) };
}

/// Threads that are in [`on_device`].
static DEVICES: AtomicUsize = AtomicUsize::new(0);

/// Runs something whose calls on the host's memory all run on one device: a part of a call that several share.
pub(super) fn on_device<R>(context: &Arc<DeviceContext>, work: impl FnOnce() -> R) -> R {
    struct Leave(Option<Arc<DeviceContext>>);
    impl Drop for Leave {
        fn drop(&mut self) {
            DEVICE.set(self.0.take());
            DEVICES.fetch_sub(1, Ordering::Relaxed);
        }
    }
    DEVICES.fetch_add(1, Ordering::Relaxed);
    let _leave = Leave(DEVICE.replace(Some(context.clone())));
    work()
}

/// True if some thread is in [`on_device`].
#[inline]
pub(super) fn any_on_device() -> bool {
    DEVICES.load(Ordering::Relaxed) > 0
}

/// The device of this thread's calls, within [`on_device`].
#[inline]
pub(super) fn device_of_thread() -> Option<Arc<DeviceContext>> {
    if any_on_device() { DEVICE.with_borrow(Clone::clone) } else { None }
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
