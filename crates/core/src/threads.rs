//! How many threads of the host may work, and the pools in which they do.
//!
//! Work that is shared out goes to rayon's global pool where all of its threads are allowed, so that a Rust program and
//! the library share one, and else to a pool of the library's own with exactly as many threads as are allowed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, Result};
use crate::fork;

const VARIABLE: &str = "AFFINIMATH_NUM_THREADS";

/// The threads that are allowed; 0 before anybody has asked.
static THREADS: AtomicUsize = AtomicUsize::new(0);
/// True once [`set_num_threads`] was called, which overrides the environment.
static SET: AtomicBool = AtomicBool::new(false);

/// The threads that a large operation on the host may use, in the whole process: those of the last [`set_num_threads`],
/// else `AFFINIMATH_NUM_THREADS`, else `OMP_NUM_THREADS`, else one for each processor that the process may run on.
/// Never more than there are such processors, or than `RAYON_NUM_THREADS` says.
///
/// # Errors
/// [`Error::InvalidSetting`] when `AFFINIMATH_NUM_THREADS` is not a positive number, and no call has set the threads in
/// its place. An `OMP_NUM_THREADS` that is none is ignored, with a warning in the log.
pub fn num_threads() -> Result<usize> {
    check_setting()?;
    Ok(threads())
}

/// Sets how many threads a large operation on the host may use, in the whole process and in place of the environment's
/// settings. More than there are processors are as many as there are.
///
/// Operations that have begun go on with the threads that they have.
///
/// # Errors
/// [`Error::InvalidArgument`] for 0 threads: the setting stays as it was.
pub fn set_num_threads(threads: usize) -> Result<()> {
    if threads == 0 {
        return Err(Error::argument("threads", "0 threads do no work"));
    }
    fork::watch();
    THREADS.store(threads.min(most()), Ordering::Relaxed);
    SET.store(true, Ordering::Relaxed);
    Ok(())
}

/// True if `AFFINIMATH_NUM_THREADS` or a call has set the threads.
pub fn threads_are_set() -> bool {
    SET.load(Ordering::Relaxed) || own_setting().ok().flatten().is_some()
}

/// [`num_threads`], where a setting that is not understood is as good as none.
pub fn threads() -> usize {
    match THREADS.load(Ordering::Relaxed) {
        0 => first(),
        threads => threads,
    }
}

#[cold]
fn first() -> usize {
    fork::watch();
    let threads = own_setting().ok().flatten().or_else(openmps_setting).map_or(most(), |threads| threads.min(most()));
    // A call that has set them meanwhile is later than the environment.
    THREADS.compare_exchange(0, threads, Ordering::Relaxed, Ordering::Relaxed).err().unwrap_or(threads)
}

/// Checks `AFFINIMATH_NUM_THREADS`, unless a call has overridden it.
pub fn check_setting() -> Result<()> {
    if SET.load(Ordering::Relaxed) { Ok(()) } else { own_setting().map(drop) }
}

fn own_setting() -> Result<Option<usize>> {
    let Some(value) = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) else { return Ok(None) };
    let value = value.to_string_lossy().into_owned();
    match parse_threads(&value) {
        Some(threads) => Ok(Some(threads)),
        None => Err(Error::InvalidSetting { variable: VARIABLE, value, expected: "it may be a positive number" }),
    }
}

fn openmps_setting() -> Option<usize> {
    let value = std::env::var("OMP_NUM_THREADS").ok().filter(|value| !value.is_empty())?;
    // A list has one number for each level of nesting: the first is ours.
    let threads = value.split(',').next().and_then(parse_threads);
    if threads.is_none() {
        tracing::warn!("OMP_NUM_THREADS='{value}' is ignored: a positive number of threads is expected");
    }
    threads
}

/// The number that a setting gives.
fn parse_threads(value: &str) -> Option<usize> {
    value.trim().parse().ok().filter(|threads| *threads > 0)
}

/// The threads of rayon's global pool, as rayon counts them, which are not started for it.
fn most() -> usize {
    static MOST: OnceLock<usize> = OnceLock::new();
    *MOST.get_or_init(|| {
        let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|value| parse_threads(&value));
        asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |processors| processors.get()))
    })
}

/// The threads that the calling thread may hand work to now: [`threads`], at most those of the pool that it is in.
///
/// A forked child stays alone: the pools' threads exist in the parent only, and work handed to them would wait for
/// ever.
pub fn available() -> usize {
    let threads = threads();
    if threads == 1 || fork::forked() {
        return 1;
    }
    let in_own_pool = threads < most() && rayon::current_thread_index().is_none();
    if in_own_pool { threads } else { threads.min(rayon::current_num_threads()) }
}

/// Does work whose parts rayon shares out, so that no more threads than allowed take them. For work that is worth it: a
/// thread outside of the pool hands it over, and sleeps until it is done.
pub fn shared<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    match small_pool() {
        None => work(),
        Some(pool) => {
            let (mut work, mut result) = (Some(work), None);
            install(&pool, &mut || result = work.take().map(|work| work()));
            result.expect("the pool has done the work")
        }
    }
}

/// Two parts of some work, each by whichever of the allowed threads is free.
pub fn join<A: Send, B: Send>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B + Send) -> (A, B) {
    let (mut first, mut second) = (Some(first), Some(second));
    let (mut a, mut b) = (None, None);
    join_parts(&mut || a = first.take().map(|part| part()), &mut || b = second.take().map(|part| part()));
    (a.expect("both parts are done"), b.expect("both parts are done"))
}

/// Calls `work` for each index below `count`, shared out among the allowed threads.
pub fn for_each(count: usize, work: impl Fn(usize) + Sync) {
    if count <= 1 || available() == 1 {
        return (0..count).for_each(work);
    }
    for_each_index(count, 1, &work);
}

/// The results of `work` for each index below `count`, in their order, shared out among the allowed threads.
pub fn map<R: Send>(count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    map_by(count, 1, work)
}

/// The same with at least so many neighbouring indices for one thread.
pub fn map_by<R: Send>(count: usize, min_items: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    if count <= 1 || available() == 1 {
        return (0..count).map(work).collect();
    }
    /// Start of the results. After a panic, written results are not dropped.
    struct Slots<R>(*mut R);
    // SAFETY: threads write different results.
    unsafe impl<R: Send> Sync for Slots<R> {}
    impl<R> Slots<R> {
        /// # Safety
        /// The place must be the caller's alone.
        unsafe fn write(&self, index: usize, result: R) {
            // SAFETY: the memory holds as many results as there are indices.
            unsafe { self.0.add(index).write(result) }
        }
    }
    let mut results = Vec::with_capacity(count);
    let slots = Slots(results.as_mut_ptr());
    // SAFETY: each index comes once.
    for_each_index(count, min_items, &|index| unsafe { slots.write(index, work(index)) });
    // SAFETY: all of them have been written.
    unsafe { results.set_len(count) };
    results
}

// These are compiled once, and not for every closure: rayon makes much code of each.

fn for_each_index(count: usize, min_items: usize, work: &(dyn Fn(usize) + Sync)) {
    shared(|| (0..count).into_par_iter().with_min_len(min_items).for_each(work));
}

fn join_parts(first: &mut (dyn FnMut() + Send), second: &mut (dyn FnMut() + Send)) {
    shared(|| rayon::join(first, second));
}

fn install(pool: &ThreadPool, work: &mut (dyn FnMut() + Send)) {
    pool.install(work);
}

/// The pool to hand work over to; none where the caller's is small enough: an application's, or this one's.
fn small_pool() -> Option<Arc<ThreadPool>> {
    let threads = threads();
    let small_enough = || rayon::current_thread_index().is_some() && rayon::current_num_threads() <= threads;
    if threads >= most() || small_enough() { None } else { pool(threads) }
}

/// A pool of the library's own. The last one stays, with its threads asleep; one of another size ends once nobody uses
/// it.
fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
    static POOL: RwLock<Option<Arc<ThreadPool>>> = RwLock::new(None);
    let fits = |pool: &Option<Arc<ThreadPool>>| pool.clone().filter(|pool| pool.current_num_threads() == threads);
    if let Some(pool) = fits(&POOL.read().unwrap_or_else(PoisonError::into_inner)) {
        return Some(pool);
    }
    let mut last = POOL.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = fits(&last) {
        return Some(pool);
    }
    let name = |index| format!("affinimath-{index}");
    match ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build() {
        Ok(pool) => last.insert(Arc::new(pool)).clone().into(),
        Err(error) => {
            tracing::warn!("no pool of {threads} threads: {error}");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_a_positive_number() {
        assert_eq!(parse_threads("3"), Some(3));
        assert_eq!(parse_threads(" 8 "), Some(8));
        for wrong in ["", "0", "-1", "many", "1.5", "8,2"] {
            assert_eq!(parse_threads(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn there_is_at_least_one_thread_and_none_is_no_setting() {
        assert!(threads() >= 1);
        let before = threads();
        assert!(matches!(set_num_threads(0), Err(Error::InvalidArgument { name: "threads", .. })));
        assert_eq!(threads(), before);
    }

    #[test]
    fn pools_have_the_threads_that_they_are_asked_for() {
        for threads in [2, 3, 2] {
            let pool = pool(threads).unwrap();
            assert_eq!(pool.install(rayon::current_num_threads), threads);
        }
    }
}
