//! Threads of the host backend, for loops and for faer's routines.

use faer::Par;

pub use affinimath_core::threads::{available, for_each, join, map, map_by, shared};

/// Parallelism of faer's own routines.
pub fn parallelism() -> Par {
    match available() {
        1 => Par::Seq,
        several => Par::rayon(several),
    }
}

/// Runs two independent tasks, on two threads if `worth` and the host backend has several.
pub fn both<A: Send, B: Send>(
    worth: bool,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    if worth && available() > 1 { join(first, second) } else { (first(), second()) }
}

/// Runs work of many parallel tasks, if it is `worth` it on a thread of the pool: another thread would hand over each
/// task and sleep until it is done.
pub fn in_pool<R: Send>(worth: bool, work: impl FnOnce() -> R + Send) -> R {
    if worth && available() > 1 {
        let (mut work, mut result) = (Some(work), None);
        in_scope(&mut || result = work.take().map(|work| work()));
        result.expect("the pool has done the work")
    } else {
        work()
    }
}

/// Compiled once, and not for every closure.
fn in_scope(work: &mut (dyn FnMut() + Send)) {
    shared(|| rayon::scope(|_| work()));
}
