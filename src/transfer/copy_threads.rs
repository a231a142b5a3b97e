//! Threads of the host that copy between pageable and pinned memory.

/// The threads of a transfer, and the pinned pieces that each of them has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CopyThreads {
    pub(super) count: usize,
    /// Pieces of a thread in all, at least, if they are not smaller than pieces may be: threads end together.
    pub(super) pieces: usize,
    /// Pieces that a thread keeps on their way: while the device has one, the thread copies another. They are its own
    /// during a transfer, and stay in its cache.
    pub(super) in_flight: usize,
}

/// Threads at most: with three pieces each, they have no more than a context keeps.
const MAX_THREADS: usize = 21;

impl Default for CopyThreads {
    /// Those of a transfer on its own: not all threads, since there may be one in the other direction.
    fn default() -> Self {
        let threads = crate::threads::available();
        CopyThreads { count: (threads - threads / 4).min(MAX_THREADS), pieces: 1, in_flight: 2 }
    }
}

impl CopyThreads {
    /// Those of one of several callers that copy at the same time.
    pub(crate) fn shared_by(callers: usize) -> Self {
        let count = (crate::threads::available() / callers.max(1)).clamp(1, MAX_THREADS);
        CopyThreads { count, pieces: 1, in_flight: 2 }
    }

    /// Those of the two directions of a stream of transfers, which together are all threads: one that waits for the
    /// bus keeps no thread from the other direction. Each has its part by its bytes.
    ///
    /// Results come back by `bringers` callers at a time, who have the given threads each.
    pub(crate) fn of_stream([up, down]: [usize; 2], bringers: usize) -> [Self; 2] {
        let threads = crate::threads::available().min(MAX_THREADS);
        let share = |part: usize| {
            let exact = threads as u128 * part as u128 / (up as u128 + down as u128).max(1);
            (exact as usize).max(1)
        };
        let back = if down == 0 { 0 } else { share(down).min((threads - 1).max(1)) };
        let of = |count: usize, in_flight| CopyThreads { count: count.max(1), pieces: 4, in_flight };
        [of(threads.saturating_sub(back), 3), of(back.div_ceil(bringers), 2)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    mod host {
        use super::*;

        #[test]
        fn directions_share_the_threads_by_their_bytes() {
            let threads = crate::threads::available().min(MAX_THREADS);
            for bytes in [[0, 0], [1, 0], [0, 1], [1, 1], [2, 1], [1, 1000], [usize::MAX, usize::MAX]] {
                let [up, down] = CopyThreads::of_stream(bytes, 1);
                assert!(up.count >= 1 && down.count >= 1, "{bytes:?}");
                if threads > 1 && bytes[1] > 0 {
                    assert_eq!(up.count + down.count, threads, "{bytes:?}");
                    assert!(bytes[0] < bytes[1] || up.count >= down.count, "{bytes:?}");
                }
                let [_, half] = CopyThreads::of_stream(bytes, 2);
                assert_eq!(half.count, down.count.div_ceil(2), "{bytes:?}");
            }
            assert_eq!(CopyThreads::of_stream([5, 0], 1)[0].count, threads);
        }
    }
}
