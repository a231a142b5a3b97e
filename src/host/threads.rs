//! The host's threads, as loops and faer's routines ask for them.

use faer::Par;

pub(crate) use crate::threads::available;

/// The same for faer's own routines.
pub(crate) fn parallelism() -> Par {
    match available() {
        1 => Par::Seq,
        several => Par::rayon(several),
    }
}
