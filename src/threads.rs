//! How many threads of the host may work.

use std::sync::OnceLock;

use crate::fork;

/// The threads that a large host operation may use: `AFFINIMATH_NUM_THREADS`, else `OMP_NUM_THREADS`, else the
/// processors that the process may run on. Read once; at least 1.
///
/// A setting that is not a positive number is ignored, with a warning in the log. The threads are those of rayon's global
/// pool, so that a larger number than the pool has changes nothing; for work on a CPU device's memory they are the library's
/// own, as many as the device has compute units, at most.
pub fn threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| {
        fork::watch();
        ["AFFINIMATH_NUM_THREADS", "OMP_NUM_THREADS"]
            .into_iter()
            .find_map(|variable| {
                let value = std::env::var(variable).ok()?;
                let threads = parse_threads(&value);
                if threads.is_none() {
                    tracing::warn!("{variable}='{value}' is ignored: a positive number of threads is expected");
                }
                threads
            })
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |cores| cores.get()))
    })
}

/// The number that a setting gives. OpenMP allows a list, one number for each level of nesting: the first is ours.
fn parse_threads(value: &str) -> Option<usize> {
    value.split(',').next()?.trim().parse().ok().filter(|threads| *threads > 0)
}

/// The threads that this process may hand work to now: [`threads`], at most those of rayon's pool.
///
/// A forked child stays alone: rayon's threads exist in the parent only, and work handed to them would wait for ever.
pub(crate) fn available() -> usize {
    if threads() == 1 || fork::forked() {
        return 1;
    }
    threads().min(rayon::current_num_threads())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_a_positive_number_or_openmps_list() {
        assert_eq!(parse_threads("3"), Some(3));
        assert_eq!(parse_threads(" 8,2,1"), Some(8));
        for wrong in ["", "0", "-1", "many", "1.5"] {
            assert_eq!(parse_threads(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn there_is_at_least_one_thread() {
        assert!(threads() >= 1);
    }
}
