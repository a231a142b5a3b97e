//! The user's request to stop: a signal, after which what was measured is still written.

use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// True if the user has asked to stop.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

#[cfg(unix)]
extern "C" fn request(_signal: libc::c_int) {
    REQUESTED.store(true, Ordering::Relaxed);
}

/// Takes interrupts and terminations as such a request; the second one ends the program at once.
#[cfg(unix)]
pub fn listen() {
    let request: extern "C" fn(libc::c_int) = request;
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: zeros are a valid action, whose handler is set to a function that only stores a flag; without one
        // the signal does what it did before.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = request as libc::sighandler_t;
            action.sa_flags = libc::SA_RESETHAND | libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

/// Interrupts end the program.
#[cfg(not(unix))]
pub fn listen() {}
