//! A context per device: its queues, its workspace and its programs.

mod buffer;
mod extensions;
mod native;
mod pinned;
mod queue;
mod reductions;
mod staging;
mod waiting;
mod workspace;

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use opencl3::command_queue::{CommandQueue, create_command_queue};
use opencl3::context::Context as ClContext;
use opencl3::types::cl_context;

pub use buffer::{BufferParts, DeviceMemory, MemoryExt, wait};
pub use buffer::{DeviceBuffer, DeviceVector};
pub use native::{HostCommands, HostPtr, Span};
pub use pinned::PinnedMemory;
pub use queue::{Event, Queue};
pub use queue::{QueueParts, SecondQueue};
pub use reductions::ReductionMemory;
pub use staging::{Chunk, PinnedChunks, TransferLimits};
pub use waiting::wait_for_event;
pub use workspace::Workspace;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::program::{GeneratedSource, Program, ProgramSource, ProgramStore, TextSource};
use crate::raw::RawContext;
use crate::status::check;
use extensions::Extensions;
use staging::StagingPool;
use workspace::BlockPool;

/// State of one device in one OpenCL context: a queue, workspace and compiled programs.
///
/// Shared by every thread that uses the device.
pub struct DeviceContext {
    programs: ProgramStore,
    workspace: BlockPool,
    /// Memory for operands of the host.
    operands: BlockPool,
    /// Memory of arrays.
    arrays: BlockPool,
    reductions: reductions::ReductionSlot,
    staging: StagingPool,
    /// Pinned memory that users have.
    pinned: pinned::PinnedRanges,
    transfers: TransferLimits,
    extensions: Extensions,
    queue: CommandQueue,
    /// Queues for transfers beside it that nobody uses now: to make one takes a device long.
    second_queues: Mutex<Vec<CommandQueue>>,
    // Last, so that it is released after everything that was made in it.
    raw: RawContext,
}

/// By its device alone: its programs are megabytes of text.
impl fmt::Debug for DeviceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceContext").field("device", &self.device().info().name).finish_non_exhaustive()
    }
}

/// The contexts made so far. A foreign context is held (retained) until [`DeviceContext::release_all`], so that its
/// handle cannot come to mean another one.
static CONTEXTS: Mutex<Option<HashMap<ContextKey, Arc<DeviceContext>>>> = Mutex::new(None);

/// Dimensions that every device has for work-items: opencl3's queues want to know.
const DIMENSIONS: u32 = 3;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum ContextKey {
    Own { device: usize },
    Foreign { context: usize, device: usize },
}

impl DeviceContext {
    /// The library's own context for a device, made at its first use.
    pub fn for_device(device: &Device) -> Result<Arc<Self>> {
        let key = ContextKey::Own { device: device.handle().id() as usize };
        Self::get_or_create(key, || {
            let handle = ClContext::from_device(&device.handle()).map_err(|e| Error::opencl("clCreateContext", e.0))?;
            Self::new(device.clone(), handle)
        })
    }

    /// The context that belongs to an application's OpenCL context, made at its first use.
    ///
    /// # Safety
    /// Both handles must be valid.
    unsafe fn for_foreign(context: cl_context, device: opencl3::device::Device) -> Result<Arc<Self>> {
        let key = ContextKey::Foreign { context: context as usize, device: device.id() as usize };
        Self::get_or_create(key, || {
            // SAFETY: by contract, the handle is valid; retaining it makes the wrapper an owner of its own.
            unsafe { opencl3::context::context::retain_context(context) }
                .map_err(|code| Error::opencl("clRetainContext", code))?;
            // Before anything else can fail: it releases what was retained.
            let handle = ClContext::wrap_cl_context(context, &device);
            Self::new(Device::from_handle(device)?, handle)
        })
    }

    fn get_or_create(key: ContextKey, create: impl FnOnce() -> Result<Self>) -> Result<Arc<Self>> {
        let mut contexts = CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner);
        let contexts = contexts.get_or_insert_default();
        if let Some(context) = contexts.get(&key) {
            return Ok(context.clone());
        }
        let context = Arc::new(create()?);
        contexts.insert(key, context.clone());
        Ok(context)
    }

    fn new(device: Device, handle: ClContext) -> Result<Self> {
        let queue = new_queue(&handle, &device)?;
        tracing::debug!(device = device.info().name, "context created");
        let transfers = TransferLimits::of(device.info());
        Ok(DeviceContext {
            programs: ProgramStore::default(),
            workspace: BlockPool::for_workspace(device.info()),
            operands: BlockPool::for_operands(&transfers),
            arrays: BlockPool::for_arrays(device.info()),
            reductions: reductions::ReductionSlot::new(),
            staging: StagingPool::new(),
            pinned: pinned::PinnedRanges::default(),
            transfers,
            extensions: Extensions::default(),
            queue,
            second_queues: Mutex::default(),
            raw: RawContext::new(device, handle),
        })
    }

    /// Forgets every context. Memory and programs are freed once the last buffer or queue that uses them is dropped.
    pub fn release_all() {
        let contexts = CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(contexts);
    }

    /// The device.
    pub const fn device(&self) -> &Device {
        self.raw.device()
    }
}

/// The parts of a context, for the crates of the library: its users cannot reach them.
pub trait ContextParts: Sized {
    /// The program built from `source`, from memory, from disk or by the device's compiler, in this order.
    ///
    /// # Errors
    /// [`Error::ProgramBuild`] with the compiler's log. The next call tries again.
    fn program(&self, source: &ProgramSource) -> Result<Arc<Program>>;

    /// [`ContextParts::program`] for a generated kernel.
    ///
    /// # Errors
    /// The errors of [`ContextParts::program`].
    fn generated_program(&self, source: &GeneratedSource) -> Result<Arc<Program>>;

    /// The program of a text from elsewhere, which is not kept.
    ///
    /// # Errors
    /// The errors of [`ContextParts::program`].
    fn text_program(&self, source: &TextSource) -> Result<Arc<Program>>;

    /// A value that a module above keeps with the context, one of each type: made at its first use, dropped with the
    /// context.
    ///
    /// Of two threads that make one at a time, one's is kept.
    fn extension<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> &T;

    /// OpenCL's context.
    fn handle(&self) -> &ClContext;

    /// Workspace bytes that one operation may hold at a time, at most: what plans divide their work by.
    fn workspace_limit(&self) -> u64;

    /// How operands of the host come to the device.
    fn transfers(&self) -> &TransferLimits;

    /// True if all bytes lie in pinned memory that a user has of this context.
    fn is_pinned(&self, start: *const u8, bytes: usize) -> bool;

    /// A context of a test's own, with other limits where the device leaves a choice.
    fn with_transfers(device: &Device, limits: TransferLimits) -> Result<Arc<Self>>;
}

impl ContextParts for DeviceContext {
    fn program(&self, source: &ProgramSource) -> Result<Arc<Program>> {
        self.programs.get(&self.raw, source)
    }

    fn generated_program(&self, source: &GeneratedSource) -> Result<Arc<Program>> {
        self.programs.get_generated(&self.raw, source)
    }

    fn text_program(&self, source: &TextSource) -> Result<Arc<Program>> {
        ProgramStore::build_text(&self.raw, source)
    }

    fn extension<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> &T {
        self.extensions.get_or_insert(make)
    }

    fn handle(&self) -> &ClContext {
        self.raw.handle()
    }

    fn workspace_limit(&self) -> u64 {
        self.workspace.limit()
    }

    fn transfers(&self) -> &TransferLimits {
        &self.transfers
    }

    fn is_pinned(&self, start: *const u8, bytes: usize) -> bool {
        self.pinned.hold(start.addr(), bytes)
    }

    fn with_transfers(device: &Device, limits: TransferLimits) -> Result<Arc<Self>> {
        let handle = ClContext::from_device(&device.handle()).map_err(|e| Error::opencl("clCreateContext", e.0))?;
        let parallel = limits.parallel && TransferLimits::of(device.info()).parallel;
        let transfers = TransferLimits { parallel, ..limits };
        let operands = BlockPool::for_operands(&transfers);
        Ok(Arc::new(DeviceContext { transfers, operands, ..Self::new(device.clone(), handle)? }))
    }
}

/// A new in-order queue. opencl3's own way asks the device how many dimensions it has, and loses the queue if it does
/// not tell.
fn new_queue(context: &ClContext, device: &Device) -> Result<CommandQueue> {
    // clCreateCommandQueue, which OpenCL 2.0 deprecates, is the one that every version has.
    // SAFETY: the device belongs to the context.
    let queue = unsafe { create_command_queue(context.get(), device.handle().id(), 0) };
    Ok(CommandQueue::new(check("clCreateCommandQueue", queue)?, DIMENSIONS))
}
