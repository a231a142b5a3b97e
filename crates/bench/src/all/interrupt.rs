//! The user's wish to stop: a signal, after which what was measured is still written.

use std::sync::atomic::{AtomicBool, Ordering};

static WISHED: AtomicBool = AtomicBool::new(false);

/// True if the user wishes to stop.
pub fn wished() -> bool {
    WISHED.load(Ordering::Relaxed)
}

#[cfg(unix)]
extern "C" fn wish(_signal: libc::c_int) {
    WISHED.store(true, Ordering::Relaxed);
}

/// Takes interrupts and terminations for such a wish; the second one ends the program at once.
#[cfg(unix)]
pub fn listen() {
    let wish: extern "C" fn(libc::c_int) = wish;
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: zeros are a valid action, whose handler is set to a function that only stores a flag; without one
        // the signal does what it did before.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = wish as libc::sighandler_t;
            action.sa_flags = libc::SA_RESETHAND | libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

/// Interrupts end the program.
#[cfg(not(unix))]
pub fn listen() {}
