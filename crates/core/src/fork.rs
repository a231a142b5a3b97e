//! Detection of forked children: a child has one thread and no device.
//!
//! The worker threads of rayon and of OpenCL's drivers exist in the parent only, and work handed to them would wait for
//! ever. A child of a process that has used either works on the host, in one thread.

use std::sync::atomic::{AtomicBool, Ordering};

static FORKED: AtomicBool = AtomicBool::new(false);

/// Has forks noticed from now on. To be called before threads are started or devices looked for.
pub fn watch() {
    #[cfg(unix)]
    {
        static WATCHING: std::sync::Once = std::sync::Once::new();
        extern "C" fn in_child() {
            FORKED.store(true, Ordering::Relaxed);
        }
        WATCHING.call_once(|| {
            // SAFETY: the handler only writes a flag. Without memory for it, children are not told apart; nothing else
            // is lost.
            unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        });
    }
}

/// True in a child of the process that called [`watch`].
pub fn forked() -> bool {
    FORKED.load(Ordering::Relaxed)
}
