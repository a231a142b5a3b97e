//! Rank-one and rank-two updates on the host.

use affinimath_macros::instances;
use std::ops::Range;

use super::{BYTES_PER_THREAD, serial};
use crate::threads;
use affinimath_core::problem::Stored;
use affinimath_core::problem::update::Update;
use affinimath_core::scalar::Scalar;

/// A := A + alpha x yᵀ, or A := A + alpha x yᵀ + beta y xᵀ, for operands in the host's memory.
#[instances]
pub fn update<T: Scalar>(update: &Update<'_, T>) {
    let stored = update.stored;
    serial::update(update, |work| in_runs(&stored, size_of::<T>(), |columns| work([columns.start, columns.end])));
}

/// Calls `work` for runs of columns that cover all of them, on several threads if there is enough work. A thread's runs
/// come from both ends, which balances a triangle.
pub fn in_runs(stored: &Stored, element_bytes: usize, work: impl Fn(Range<usize>) + Sync) {
    let columns = stored.columns;
    let bytes = stored.rows.saturating_mul(columns).saturating_mul(element_bytes);
    let threads = threads::available().min(bytes / BYTES_PER_THREAD);
    if threads <= 1 {
        return work(0..columns);
    }
    // Several runs per thread balance the load.
    let pairs = (4 * threads).min(columns.div_ceil(2));
    let length = columns.div_ceil(2 * pairs);
    let run = |index: usize| (index * length).min(columns)..((index + 1) * length).min(columns);
    let pair = |index: usize| {
        work(run(index));
        work(run(2 * pairs - 1 - index));
    };
    threads::for_each(pairs, pair);
}
