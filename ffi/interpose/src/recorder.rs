//! The recorder of this process: started by `AFFINIMATH_TRACE`, and ended by its first error.

use std::cell::Cell;
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use affinimath_trace::{Recorder, Settings};

const UNREAD: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(UNREAD);
static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);
static DEFERRED: Mutex<Vec<Job>> = Mutex::new(Vec::new());

/// Longest wait for a launch of another thread, before a line is deferred.
const PATIENCE: Duration = Duration::from_secs(1);

/// Something to tell the recorder.
type Job = Box<dyn FnOnce(&mut Recorder) -> io::Result<()> + Send>;

thread_local! {
    /// Calls of the real library that this thread is in: those that they make themselves leave no trace.
    static INSIDE: Cell<u32> = const { Cell::new(0) };
    /// Callbacks of a driver that this thread is in: it may not wait.
    static CALLBACKS: Cell<u32> = const { Cell::new(0) };
}

/// True if a trace is written, and the program itself calls.
#[inline]
pub fn is_on() -> bool {
    let is_on = match STATE.load(Ordering::Relaxed) {
        OFF => false,
        ON => true,
        _ => start(),
    };
    is_on && INSIDE.get() == 0
}

/// Calls that this thread is in; those before it return where this ends.
pub struct Scope {
    inside: u32,
    callbacks: u32,
}

impl Scope {
    fn new(inside: u32, callbacks: u32) -> Self {
        Scope { inside: INSIDE.replace(inside), callbacks: CALLBACKS.replace(callbacks) }
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        INSIDE.set(self.inside);
        CALLBACKS.set(self.callbacks);
    }
}

/// Calls of this thread are the real library's own while it lives.
pub fn inside() -> Scope {
    Scope::new(INSIDE.get() + 1, CALLBACKS.get())
}

/// This thread is in a function of the program that a driver calls, while it lives.
pub fn in_callback() -> Scope {
    Scope::new(0, CALLBACKS.get() + 1)
}

/// True in a callback of a driver.
pub fn is_in_callback() -> bool {
    CALLBACKS.get() > 0
}

#[cold]
fn start() -> bool {
    guarded(|| {
        let mut recorder = RECORDER.lock().unwrap_or_else(PoisonError::into_inner);
        if STATE.load(Ordering::Relaxed) == UNREAD {
            let text = std::env::var("AFFINIMATH_TRACE").unwrap_or_default();
            let made = (!text.is_empty()).then(|| {
                Settings::parse(&text).and_then(|settings| {
                    let folder = settings.folder.display().to_string();
                    Recorder::create(settings).map_err(|error| format!("{folder}: {error}"))
                })
            });
            match made {
                None => STATE.store(OFF, Ordering::Relaxed),
                Some(Ok(made)) => {
                    *recorder = Some(made);
                    STATE.store(ON, Ordering::Relaxed);
                }
                Some(Err(reason)) => stop(&mut recorder, &reason),
            }
        }
        recorder.is_some()
    })
    .unwrap_or(false)
}

/// Writes a warning. A closed standard error is the program's affair: no panic may reach its calls.
pub fn warn(text: &str) {
    let _ = writeln!(io::stderr(), "affinimath: {text}");
}

/// Ends the trace with a warning.
#[cold]
fn stop(recorder: &mut Option<Recorder>, reason: &str) {
    *recorder = None;
    STATE.store(OFF, Ordering::Relaxed);
    warn(&format!("AFFINIMATH_TRACE: no further tracing: {reason}"));
}

/// Runs what is deferred, unless another thread has the recorder. That one runs it after the unlock, so that no job is
/// left.
fn run_deferred() {
    let has_jobs = || !DEFERRED.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
    guarded(|| {
        while has_jobs() {
            let guard = match RECORDER.try_lock() {
                Ok(guard) => guard,
                Err(TryLockError::Poisoned(error)) => error.into_inner(),
                Err(TryLockError::WouldBlock) => break,
            };
            Held { guard: Some(guard) }.run_deferred();
        }
    });
}

/// Runs work of the trace's own. A panic in it ends the trace and does not reach the program.
pub fn guarded<V>(work: impl FnOnce() -> V) -> Option<V> {
    let done = catch_unwind(AssertUnwindSafe(work));
    if done.is_err() {
        STATE.store(OFF, Ordering::Relaxed);
        warn("AFFINIMATH_TRACE: no further tracing: an internal error");
    }
    done.ok()
}

/// The recorder while nothing else uses it.
pub struct Held {
    /// `None` while it is dropped.
    guard: Option<MutexGuard<'static, Option<Recorder>>>,
}

impl Held {
    /// Waits for the recorder. In a callback of a driver it is `None` where another thread has it: the driver may be
    /// what that thread waits for.
    pub fn now() -> Option<Self> {
        let guard = if is_in_callback() {
            match RECORDER.try_lock() {
                Ok(guard) => guard,
                Err(TryLockError::Poisoned(error)) => error.into_inner(),
                Err(TryLockError::WouldBlock) => return None,
            }
        } else {
            RECORDER.lock().unwrap_or_else(PoisonError::into_inner)
        };
        let mut held = Held { guard: Some(guard) };
        held.run_deferred();
        Some(held)
    }

    /// Waits for the recorder, but not for long.
    fn soon() -> Option<Self> {
        let start = Instant::now();
        loop {
            match RECORDER.try_lock() {
                Ok(guard) => return Some(Held { guard: Some(guard) }),
                Err(TryLockError::Poisoned(error)) => return Some(Held { guard: Some(error.into_inner()) }),
                Err(TryLockError::WouldBlock) if is_in_callback() || start.elapsed() > PATIENCE => return None,
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_micros(50)),
            }
        }
    }

    fn run_deferred(&mut self) {
        let jobs = std::mem::take(&mut *DEFERRED.lock().unwrap_or_else(PoisonError::into_inner));
        jobs.into_iter().for_each(|job| {
            self.with(job);
        });
    }

    /// Hands the recorder to `work`, whose error ends the trace.
    pub fn with<V>(&mut self, work: impl FnOnce(&mut Recorder) -> io::Result<V>) -> Option<V> {
        let recorder = &mut **self.guard.as_mut()?;
        match work(recorder.as_mut()?) {
            Ok(value) => Some(value),
            Err(error) => {
                stop(recorder, &error.to_string());
                None
            }
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // Other threads' jobs, which they could not do meanwhile, nor between that and the unlock.
        guarded(|| self.run_deferred());
        self.guard = None;
        run_deferred();
    }
}

/// Tells the recorder something, at once or after a launch that another thread waits for.
pub fn note(job: impl FnOnce(&mut Recorder) -> io::Result<()> + Send + 'static) {
    guarded(|| match Held::soon() {
        Some(mut held) => {
            held.run_deferred();
            held.with(job);
        }
        None => defer(job),
    });
}

/// Tells the recorder something later.
pub fn defer(job: impl FnOnce(&mut Recorder) -> io::Result<()> + Send + 'static) {
    DEFERRED.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(job));
    // The thread that had the recorder may be done by now.
    run_deferred();
}
