//! Objects of the program, by their handles: what a launch needs to know of them. A new object replaces an old one with
//! its handle.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::types::Handle;

/// Argument that a program has set.
#[derive(Clone, Debug)]
pub enum Argument {
    /// Bytes of a value, or of a handle.
    Bytes(Vec<u8>),
    /// A null pointer: local memory of that size in bytes, or no memory object.
    Null(usize),
    /// Shared virtual memory.
    Svm,
}

/// Parameter of a kernel, as far as the driver tells of it.
#[derive(Clone, Debug, Default)]
pub struct Parameter {
    pub name: String,
    pub type_name: String,
    /// Address space.
    pub address: Option<u32>,
    pub is_pipe: bool,
}

/// A kernel.
#[derive(Clone, Debug, Default)]
pub struct Kernel {
    pub arguments: Vec<Option<Argument>>,
    pub parameters: Option<Arc<Vec<Parameter>>>,
    /// True if it uses shared virtual memory beyond its arguments.
    pub has_svm: bool,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Number in the trace, once the recorder has given one.
    pub id: Arc<OnceLock<u64>>,
    /// Options as the program gave them to the last build or compilation that was successful.
    pub options: Option<String>,
    /// Options of the last build or compilation, also of one that failed.
    pub last_options: Option<String>,
    /// Source that a linked program has from another one.
    pub source: Option<String>,
    /// Reason for which its source does not say all.
    pub obstacle: Option<String>,
}

/// A mapped part of a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    pub offset: usize,
    pub bytes: usize,
    pub is_written: bool,
}

/// All objects.
#[derive(Debug, Default)]
pub struct Objects {
    pub kernels: HashMap<usize, Kernel>,
    pub programs: HashMap<usize, Program>,
    /// References that the program holds to queues.
    pub queues: HashMap<usize, u32>,
    /// References that the program holds to memory objects.
    pub memories: HashMap<usize, u32>,
    /// Mapped parts by memory object and address.
    pub mappings: HashMap<(usize, usize), Vec<Mapping>>,
    /// Number of a context with a device.
    pub contexts: HashMap<(usize, usize), usize>,
    pub context_count: usize,
    /// References that the program holds to user events.
    pub user_events: HashMap<usize, u32>,
    /// User events without a status.
    unset: HashSet<usize>,
}

static OBJECTS: LazyLock<Mutex<Objects>> = LazyLock::new(Mutex::default);
/// Number of user events without a status.
static UNSET: AtomicUsize = AtomicUsize::new(0);

/// All objects, for a moment: no call of a driver is made meanwhile, but clRetainCommandQueue.
pub fn objects() -> MutexGuard<'static, Objects> {
    OBJECTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True if a command may wait for an event that the program has yet to set.
pub fn has_unset_events() -> bool {
    UNSET.load(Ordering::Relaxed) > 0
}

impl Objects {
    pub fn kernel(&mut self, handle: Handle) -> &mut Kernel {
        self.kernels.entry(handle.addr()).or_default()
    }

    pub fn program(&mut self, handle: Handle) -> &mut Program {
        self.programs.entry(handle.addr()).or_default()
    }

    /// Number of a context with a device.
    pub fn context(&mut self, context: Handle, device: Handle) -> usize {
        let count = &mut self.context_count;
        *self.contexts.entry((context.addr(), device.addr())).or_insert_with(|| {
            *count += 1;
            *count
        })
    }

    /// A user event is made.
    pub fn user_event_created(&mut self, event: Handle) {
        self.user_events.insert(event.addr(), 1);
        self.unset.insert(event.addr());
        UNSET.store(self.unset.len(), Ordering::Relaxed);
    }

    /// True for a user event without a status.
    pub fn is_unset(&self, event: Handle) -> bool {
        self.unset.contains(&event.addr())
    }

    /// A user event has got a status, or is gone.
    pub fn user_event_settled(&mut self, event: Handle) {
        self.unset.remove(&event.addr());
        UNSET.store(self.unset.len(), Ordering::Relaxed);
    }
}

/// Counts a reference more.
pub fn retain(references: &mut HashMap<usize, u32>, handle: Handle) {
    if let Some(count) = references.get_mut(&handle.addr()) {
        *count += 1;
    }
}

/// Counts a reference less; true for the last one, after which the object is not known.
pub fn release(references: &mut HashMap<usize, u32>, handle: Handle) -> bool {
    let Some(count) = references.get_mut(&handle.addr()) else { return false };
    *count = count.saturating_sub(1);
    let is_last = *count == 0;
    if is_last {
        references.remove(&handle.addr());
    }
    is_last
}
