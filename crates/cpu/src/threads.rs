//! The host's threads, as loops and faer's routines ask for them.

use faer::Par;

pub use affinimath_core::threads::{available, for_each, join, map, map_by, shared};

/// The same for faer's own routines.
pub fn parallelism() -> Par {
    match available() {
        1 => Par::Seq,
        several => Par::rayon(several),
    }
}

/// Two parts of some work that know nothing of each other: where it is worth it, and the host backend may, on two threads.
pub fn both<A: Send, B: Send>(
    worth: bool,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    if worth && available() > 1 { join(first, second) } else { (first(), second()) }
}

/// Does work of many shared parts, where that is worth it on one of the pool's threads: any other thread hands over each part, and
/// sleeps until it is done.
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
