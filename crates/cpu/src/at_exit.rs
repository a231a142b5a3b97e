//! Calls from threads that are ending, such as exit handlers.
//!
//! At process exit the main thread's thread-local memory is destroyed before its exit handlers run. Libraries below
//! keep their workspace there and would panic. Such a call runs on another thread instead.

use std::thread;

/// Detects that thread-local memory is destroyed: a value with a destructor is not accessible afterwards.
struct Sentinel;

impl Drop for Sentinel {
    fn drop(&mut self) {}
}

thread_local! {
    static SENTINEL: Sentinel = const { Sentinel };
}

/// Work that another thread does while this one waits.
struct Handed<W>(W);

// SAFETY: only one of the two threads does anything at a time, so that nothing is used by both at once.
unsafe impl<W> Send for Handed<W> {}

/// Does some work on the host, in this thread if it is not ending.
#[inline]
pub fn on_living_thread(work: impl FnOnce()) {
    match SENTINEL.try_with(|_| ()) {
        Ok(()) => work(),
        Err(_) => {
            let mut work = Some(work);
            on_another_thread(&mut || work.take().into_iter().for_each(|work| work()));
        }
    }
}

#[cold]
pub fn on_another_thread(work: &mut dyn FnMut()) {
    let handed = Handed(work);
    thread::scope(|scope| {
        let done = scope.spawn(move || {
            let whole = handed;
            (whole.0)();
        });
        if let Err(panic) = done.join() {
            std::panic::resume_unwind(panic);
        }
    });
}
