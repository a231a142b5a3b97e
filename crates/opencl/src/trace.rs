//! Traces of what is enqueued, where `AFFINIMATH_TRACE` asks for one.
//!
//! Without a trace, each call is one relaxed load. A trace that fails ends with one warning: no call sees its errors.

use std::collections::HashMap;
use std::ffi::c_void;
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use affinimath_trace::{
    ArgumentFacts, ContextFacts, DeviceName, ElementKind, LaunchFacts, NdRange, Payload, Pending, ProgramFacts,
    Recorder, Settings,
};
use opencl3::command_queue::{enqueue_copy_buffer, enqueue_read_buffer};
use opencl3::kernel::Kernel;
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE, CL_MEM_SIZE, ClMem, create_buffer, get_mem_object_info};
use opencl3::types::{CL_FALSE, cl_mem};

use crate::argument::Argument;
use crate::context::{ContextParts, Queue, QueueParts, wait};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::program::{Program, Source};
use crate::scalar::ScalarKind;
use crate::status::check;

const UNREAD: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(UNREAD);
static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);

/// True if a trace is written.
#[inline]
pub fn is_on() -> bool {
    match STATE.load(Ordering::Relaxed) {
        OFF => false,
        ON => true,
        _ => start(),
    }
}

/// Reads the variable, once.
#[cold]
fn start() -> bool {
    let mut recorder = lock();
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
}

fn lock() -> MutexGuard<'static, Option<Recorder>> {
    RECORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the trace with a warning, on standard error: the variable's user waits for files.
#[cold]
fn stop(recorder: &mut Option<Recorder>, reason: &str) {
    *recorder = None;
    STATE.store(OFF, Ordering::Relaxed);
    eprintln!("affinimath: AFFINIMATH_TRACE: no further tracing: {reason}");
}

/// Hands the trace to `work`, whose error ends it.
#[cold]
fn with<V>(work: impl FnOnce(&mut Recorder) -> io::Result<V>) -> Option<V> {
    let mut guard = lock();
    match work(guard.as_mut()?) {
        Ok(value) => Some(value),
        Err(error) => {
            stop(&mut guard, &error.to_string());
            None
        }
    }
}

/// A memory object was made, `filled` with content of the host's or not.
#[inline]
pub fn buffer_created(handle: cl_mem, bytes: usize, filled: bool) {
    if is_on() {
        with(|recorder| recorder.buffer_created(handle.addr(), bytes as u64, filled));
    }
}

/// An application's memory object is used.
#[inline]
pub fn buffer_met(handle: cl_mem, bytes: usize) {
    if is_on() {
        with(|recorder| recorder.buffer(handle.addr(), bytes as u64));
    }
}

/// Bytes are written to a memory object: `data` where they are adjacent.
#[inline]
pub fn written<'d>(handle: cl_mem, start: usize, bytes: usize, data: impl FnOnce() -> Option<&'d [u8]>) {
    if is_on() {
        with(|recorder| recorder.written(handle.addr(), start as u64, bytes as u64, data()));
    }
}

/// Bytes of a memory object are read.
#[inline]
pub fn read(handle: cl_mem, start: usize, bytes: usize) {
    if is_on() {
        with(|recorder| recorder.read(handle.addr(), start as u64, bytes as u64));
    }
}

/// Bytes are copied: memory objects and first bytes.
#[inline]
pub fn copied(from: (cl_mem, usize), to: (cl_mem, usize), bytes: usize) {
    if is_on() {
        let [from, to] = [from, to].map(|(handle, start)| (handle.addr(), start as u64));
        with(|recorder| recorder.copied(from, to, bytes as u64));
    }
}

/// A pattern fills the beginning of a memory object.
#[inline]
pub fn filled(handle: cl_mem, bytes: usize) {
    if is_on() {
        with(|recorder| recorder.filled(handle.addr(), bytes as u64));
    }
}

/// Work of the host is enqueued on memory objects.
#[inline]
pub fn host_work(handles: impl IntoIterator<Item = cl_mem>) {
    if is_on() {
        with(|recorder| recorder.host_work(handles.into_iter().map(|handle| handle.addr())));
    }
}

/// Names and types of a kernel's arguments.
type Signature = Arc<Vec<(String, String)>>;

/// A program that the trace has a line for.
#[derive(Debug)]
pub struct TracedProgram {
    id: u64,
    signatures: Mutex<HashMap<String, Signature>>,
}

/// A line for a program that was built.
#[inline]
pub(crate) fn program(source: &impl Source, text: &str, options: &str) -> Option<TracedProgram> {
    if !is_on() {
        return None;
    }
    let facts = ProgramFacts {
        name: source.label(),
        source: text.to_owned(),
        options: options.to_owned(),
        definitions: source.definitions().iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        hidden_ptx: source.has_hidden_ptx(),
        scalar: source.kind().map(element),
        kernels: source.kernels().to_vec(),
    };
    let id = with(|recorder| recorder.program(facts))?;
    Some(TracedProgram { id, signatures: Mutex::default() })
}

const fn element(kind: ScalarKind) -> ElementKind {
    match kind {
        ScalarKind::S => ElementKind::F32,
        ScalarKind::D => ElementKind::F64,
        ScalarKind::C => ElementKind::C32,
        ScalarKind::Z => ElementKind::C64,
    }
}

impl TracedProgram {
    /// Names and types of a kernel's arguments; empty ones, where the driver does not tell.
    fn signature(&self, name: &str, kernel: &Kernel, count: usize) -> Signature {
        let mut signatures = self.signatures.lock().unwrap_or_else(PoisonError::into_inner);
        let read = |index: usize| {
            let index = index as u32;
            (kernel.get_arg_name(index).unwrap_or_default(), kernel.get_arg_type_name(index).unwrap_or_default())
        };
        let made = || Arc::new((0..count).map(read).collect());
        signatures.entry(name.to_owned()).or_insert_with(made).clone()
    }
}

/// A launch in the trace, which no other command comes between.
pub(crate) struct Traced {
    recorder: MutexGuard<'static, Option<Recorder>>,
    pending: Pending,
    start: Instant,
}

/// Begins a launch, where a trace is written: memory that it gets is read.
#[inline]
pub(crate) fn begin(
    queue: &Queue,
    program: &Program,
    name: &str,
    kernel: &Kernel,
    sizes: ([[usize; 3]; 2], Option<NdRange>),
    arguments: (&[Argument], &[Box<[u8]>]),
) -> Option<Traced> {
    if is_on() { begin_traced(queue, program, name, kernel, sizes, arguments) } else { None }
}

#[cold]
fn begin_traced(
    queue: &Queue,
    program: &Program,
    name: &str,
    kernel: &Kernel,
    ([groups, items], range): ([[usize; 3]; 2], Option<NdRange>),
    (arguments, long): (&[Argument], &[Box<[u8]>]),
) -> Option<Traced> {
    let program = program.traced()?;
    let signature = program.signature(name, kernel, arguments.len());
    let mut long = long.iter();
    let facts = |(argument, (name, type_name)): (&Argument, &(String, String))| {
        let payload = match (argument.memory(), argument.local_bytes()) {
            (None, Some(bytes)) => Payload::Local(bytes as u64),
            (None, None) => {
                let held = argument.is_long().then(|| long.next()).flatten();
                Payload::Value(held.map_or(argument.bytes(), |bytes| bytes).to_vec())
            }
            (Some(handle), _) => {
                let size = get_mem_object_info(handle, CL_MEM_SIZE).map(usize::from).unwrap_or_default();
                Payload::Memory { handle: handle.addr(), bytes: size as u64 }
            }
        };
        ArgumentFacts { name: name.clone(), type_name: type_name.clone(), payload }
    };
    let arguments = arguments.iter().zip(&*signature).map(facts).collect();
    let mut guard = lock();
    let recorder = guard.as_mut()?;
    let context = queue.context();
    let handle = context.handle().get().addr();
    let begun = recorder.context(handle, || context_facts(context.device().info())).and_then(|context| {
        let (obstacle, unread) = (None, false);
        let program = program.id;
        let facts = LaunchFacts { kernel: name, program, context, groups, items, range, arguments, obstacle, unread };
        recorder.begin(&facts, |handle, bytes| content(queue, handle as cl_mem, bytes))
    });
    match begun {
        Ok(pending) => Some(Traced { recorder: guard, pending, start: Instant::now() }),
        Err(error) => {
            stop(&mut guard, &error.to_string());
            None
        }
    }
}

fn context_facts(info: &DeviceInfo) -> ContextFacts {
    let (platform, name, driver) = (info.platform.clone(), info.name.clone(), info.driver.clone());
    ContextFacts { device: DeviceName { platform, name, driver }, library: env!("CARGO_PKG_VERSION") }
}

impl Traced {
    /// Ends the launch: memory is read again, and files are written.
    pub(crate) fn end(self, queue: &Queue, launched: &Result<()>) {
        let Traced { mut recorder, pending, start } = self;
        let Some(writer) = recorder.as_mut() else { return };
        let ended = match launched {
            Err(error) => writer.refused(pending, error.to_string()),
            Ok(()) => {
                if pending.is_recorded() {
                    // A failure is the program's to find, where it waits.
                    let _ = queue.finish();
                }
                let elapsed = start.elapsed();
                writer.end(pending, elapsed, |handle, bytes| content(queue, handle as cl_mem, bytes))
            }
        };
        if let Err(error) = ended {
            stop(&mut recorder, &error.to_string());
        }
    }
}

/// Content of a memory object, after everything enqueued before is done. Memory that the host may not read is copied
/// to some that it may.
fn content(queue: &Queue, memory: cl_mem, bytes: u64) -> io::Result<Vec<u8>> {
    let bytes = usize::try_from(bytes).map_err(io::Error::other)?;
    let mut content = Vec::new();
    content.try_reserve_exact(bytes).map_err(io::Error::other)?;
    content.resize(bytes, 0);
    let to = content.as_mut_ptr().cast::<c_void>();
    let done = read_into(queue, memory, bytes, to).or_else(|_| {
        let (context, flags) = (queue.context().handle().get(), CL_MEM_READ_WRITE);
        // SAFETY: no host memory is involved.
        let copy = check("clCreateBuffer", unsafe { create_buffer(context, flags, bytes, ptr::null_mut()) });
        let copy = Buffer::<u8>::new(copy?);
        let (handle, target) = (queue.handle().get(), ClMem::get(&copy));
        // SAFETY: both memory objects hold the bytes.
        let event = unsafe { enqueue_copy_buffer(handle, memory, target, 0, 0, bytes, 0, ptr::null()) };
        wait("clEnqueueCopyBuffer", event)?;
        read_into(queue, target, bytes, to)
    });
    done.map_err(|error| io::Error::other(format!("memory of a launch cannot be read: {error}")))?;
    Ok(content)
}

/// Copies the first bytes of a memory object to an address.
fn read_into(queue: &Queue, memory: cl_mem, bytes: usize, to: *mut c_void) -> Result<()> {
    let handle = queue.handle().get();
    // SAFETY: the caller has room for the bytes, and waits; OpenCL refuses more than the memory object has.
    let event = unsafe { enqueue_read_buffer(handle, memory, CL_FALSE, 0, bytes, to, 0, ptr::null()) };
    wait("clEnqueueReadBuffer", event)
}
