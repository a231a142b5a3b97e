//! A launch: described, waited for and read.

use std::ptr;
use std::slice;
use std::time::{Duration, Instant};

use affinimath_trace::{ArgumentFacts, ContextFacts, DeviceName, LaunchFacts, NdRange, Payload, Pending};

use crate::objects::{Argument, Parameter, Program, objects};
use crate::reader::{PATIENCE_AFTER, Reader, WAITS_FOR_PROGRAM};
use crate::recorder::{Held, defer, guarded, is_in_callback};
use crate::types::{
    DEVICE_NAME, DEVICE_PLATFORM, DRIVER_VERSION, Handle, KERNEL_ARG_ADDRESS_CONSTANT, KERNEL_ARG_ADDRESS_GLOBAL,
    KERNEL_FUNCTION_NAME, KERNEL_PROGRAM, MEM_ASSOCIATED_MEMOBJECT, MEM_OBJECT_BUFFER, MEM_OFFSET, MEM_SIZE, MEM_TYPE,
    PLATFORM_NAME, SUCCESS, Status,
};
use crate::{info, kernels, programs, real};

/// A program's call that launches a kernel.
pub struct Call<'a> {
    queue: Handle,
    kernel: Handle,
    dimensions: u32,
    offset: [usize; 3],
    global: [usize; 3],
    local: Option<[usize; 3]>,
    waits: &'a [Handle],
}

impl Call<'_> {
    /// The call's arguments: offset, global and local sizes.
    ///
    /// # Safety
    /// Sizes are null or have as many values as there are dimensions, and there are `n` events.
    pub unsafe fn new(
        queue: Handle,
        kernel: Handle,
        dimensions: u32,
        [offset, global, local]: [*const usize; 3],
        n: u32,
        waits: *const Handle,
    ) -> Self {
        let used = if (1..=3).contains(&dimensions) { dimensions as usize } else { 0 };
        let sizes = |from: *const usize, rest: usize| {
            let mut sizes = [rest; 3];
            if !from.is_null() {
                // SAFETY: the caller says so.
                sizes[..used].copy_from_slice(unsafe { slice::from_raw_parts(from, used) });
            }
            sizes
        };
        let waits = match waits.is_null() {
            true => &[],
            // SAFETY: the caller says so.
            false => unsafe { slice::from_raw_parts(waits, n as usize) },
        };
        let local = (!local.is_null()).then(|| sizes(local, 1));
        let global = if global.is_null() { [0; 3] } else { sizes(global, 1) };
        Call { queue, kernel, dimensions, offset: sizes(offset, 0), global, local, waits }
    }

    /// Index space, and what of it groups and work-items do not say.
    fn range(&self) -> (NdRange, bool) {
        let NdRange { dimensions, offset, global, local } =
            NdRange { dimensions: self.dimensions, offset: self.offset, global: self.global, local: self.local };
        let used = (1..3).rfind(|&axis| global[axis] > 1).map_or(1, |last| last as u32 + 1);
        let whole = local.is_some_and(|local| (0..3).all(|axis| local[axis] > 0 && global[axis] % local[axis] == 0));
        let is_plain = whole && offset == [0; 3] && dimensions == used;
        (NdRange { dimensions, offset, global, local }, is_plain)
    }
}

/// Facts of a launch that its program tells, without what the recorder numbers.
struct Facts {
    kernel: String,
    program: Program,
    context: (usize, usize),
    range: NdRange,
    is_plain: bool,
    arguments: Vec<ArgumentFacts>,
    obstacle: Option<String>,
    unread: bool,
}

impl Facts {
    fn of(call: &Call<'_>) -> Option<Self> {
        let Call { kernel, .. } = *call;
        let (context, device) = Reader::new(call.queue).context_and_device()?;
        // SAFETY: the kernel is alive in the call.
        let query = |what| move |size, value, used| unsafe { real::clGetKernelInfo(kernel, what, size, value, used) };
        let name = info::text(query(KERNEL_FUNCTION_NAME))?;
        let program = programs::registered(info::value(query(KERNEL_PROGRAM))?);
        let known = kernels::known(kernel);
        let parameters = known.parameters.unwrap_or_default();
        let (range, is_plain) = call.range();
        let mut obstacles = Vec::new();
        let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let named = is_word && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.len() <= 80;
        let mut unread = true;
        if !named {
            obstacles.push("its kernel has a name that folders cannot have".to_owned());
        } else if range.global.contains(&0) || !(1..=3).contains(&range.dimensions) {
            obstacles.push("it has no work-items".to_owned());
        } else if known.has_svm || known.arguments.iter().any(|argument| matches!(argument, Some(Argument::Svm))) {
            obstacles.push("it uses shared virtual memory".to_owned());
        } else if is_in_callback() {
            obstacles.push("it was launched by a function that the driver calls".to_owned());
        } else if call.waits.iter().any(|event| objects().is_unset(*event)) {
            obstacles.push(WAITS_FOR_PROGRAM.to_owned());
        } else {
            unread = false;
        }
        let mut parts = Vec::new();
        let described = known.arguments.iter().zip(parameters.iter()).enumerate();
        let arguments = described.map(|(index, (argument, parameter))| {
            let payload = payload(argument.as_ref(), parameter, &mut parts);
            if let Payload::Object(kind) = &payload {
                obstacles.push(match kind.as_str() {
                    NOT_SET => format!("argument {index} was set by a function that is not traced"),
                    kind => format!("argument {index} is an object: {kind}"),
                });
            }
            ArgumentFacts { name: parameter.name.clone(), type_name: parameter.type_name.clone(), payload }
        });
        let arguments = arguments.collect();
        if overlap(&parts) {
            obstacles.push("parts of one memory object, which are its arguments, overlap".to_owned());
        }
        obstacles.extend(program.obstacle.clone());
        Some(Facts {
            kernel: name,
            program,
            context: (objects().context(context, device), device.addr()),
            range,
            is_plain,
            arguments,
            obstacle: obstacles.into_iter().next(),
            unread,
        })
    }

    /// Begins the launch with the recorder.
    fn begin(
        &self,
        recorder: &mut affinimath_trace::Recorder,
        read: impl FnMut(usize, u64) -> std::io::Result<Vec<u8>>,
    ) -> std::io::Result<Pending> {
        let (key, device) = self.context;
        let context = recorder.context(key, || ContextFacts {
            device: device_name(device as Handle),
            library: env!("CARGO_PKG_VERSION"),
        })?;
        // A program whose line could not be written has ended the trace.
        let missing = || std::io::Error::other("a launch of a program without a line");
        let program = *self.program.id.get().ok_or_else(missing)?;
        let sound = !self.range.global.contains(&0) && self.range.local.is_none_or(|local| !local.contains(&0));
        let (groups, items) = if sound { self.range.sizes() } else { ([0; 3], [0; 3]) };
        let facts = LaunchFacts {
            kernel: &self.kernel,
            program,
            context,
            groups,
            items,
            range: (!self.is_plain).then_some(self.range),
            arguments: self.arguments.clone(),
            obstacle: self.obstacle.clone(),
            unread: self.unread || !sound,
        };
        recorder.begin(&facts, read)
    }
}

/// Kind of an argument that was not set by a call that is traced.
const NOT_SET: &str = "not set";

/// A memory object as part of another one: that one, its first byte and its size.
type Part = (usize, usize, u64, u64);

/// Value, memory or object of an argument.
fn payload(argument: Option<&Argument>, parameter: &Parameter, parts: &mut Vec<Part>) -> Payload {
    let type_name = parameter.type_name.trim();
    let is_object = |word: &str| {
        let is_image = word.starts_with("image") && word.ends_with("_t");
        is_image || ["sampler_t", "queue_t", "clk_event_t", "pipe"].contains(&word)
    };
    let object = type_name.split_whitespace().find(|word| is_object(word));
    let is_global = matches!(parameter.address, Some(KERNEL_ARG_ADDRESS_GLOBAL | KERNEL_ARG_ADDRESS_CONSTANT));
    let nothing = || Payload::Value(vec![0; size_of::<Handle>()]);
    match argument {
        None => Payload::Object(NOT_SET.to_owned()),
        Some(Argument::Svm) => Payload::Object("shared virtual memory".to_owned()),
        Some(_) if parameter.is_pipe => Payload::Object("pipe".to_owned()),
        Some(_) if object.is_some() => Payload::Object(object.unwrap_or_default().to_owned()),
        Some(Argument::Null(_)) if is_global => nothing(),
        Some(Argument::Null(bytes)) => Payload::Local(*bytes as u64),
        Some(Argument::Bytes(bytes)) => {
            let handle = bytes.as_slice().try_into().map(usize::from_ne_bytes).unwrap_or_default();
            let is_known = objects().memories.contains_key(&handle);
            match parameter.address {
                _ if handle == 0 => Payload::Value(bytes.clone()),
                Some(_) if !is_global => Payload::Value(bytes.clone()),
                // Without a word of the driver's, a known memory object's handle is one.
                None if !is_known => Payload::Value(bytes.clone()),
                // A handle that the program has released is none.
                Some(_) if !is_known => Payload::Object("memory that is not known".to_owned()),
                _ => memory(handle, parts),
            }
        }
    }
}

fn memory(handle: usize, parts: &mut Vec<Part>) -> Payload {
    let memory = handle as Handle;
    // SAFETY: the program has not released the memory object.
    let query = |what| move |size, value, used| unsafe { real::clGetMemObjectInfo(memory, what, size, value, used) };
    let (kind, bytes) = (info::value::<u32>(query(MEM_TYPE)), info::value::<usize>(query(MEM_SIZE)));
    let (Some(MEM_OBJECT_BUFFER), Some(bytes @ 1..)) = (kind, bytes) else {
        return Payload::Object("memory other than a buffer".to_owned());
    };
    let bytes = bytes as u64;
    let whole = info::value::<usize>(query(MEM_ASSOCIATED_MEMOBJECT)).filter(|whole| *whole != 0);
    let offset = info::value::<usize>(query(MEM_OFFSET)).filter(|_| whole.is_some()).unwrap_or_default();
    parts.push((whole.unwrap_or(handle), handle, offset as u64, bytes));
    Payload::Memory { handle, bytes }
}

/// True if two memory objects share bytes.
fn overlap(parts: &[Part]) -> bool {
    let both = |(index, a): (usize, &Part)| {
        parts[index + 1..].iter().any(|b| a.0 == b.0 && a.1 != b.1 && a.2 < b.2 + b.3 && b.2 < a.2 + a.3)
    };
    parts.iter().enumerate().any(both)
}

fn device_name(device: Handle) -> DeviceName {
    // SAFETY: a device that a queue has is valid.
    let query = |what| move |size, value, used| unsafe { real::clGetDeviceInfo(device, what, size, value, used) };
    let platform = info::value::<Handle>(query(DEVICE_PLATFORM)).and_then(|platform| {
        // SAFETY: the device tells its platform.
        info::text(|size, value, used| unsafe { real::clGetPlatformInfo(platform, PLATFORM_NAME, size, value, used) })
    });
    DeviceName {
        platform: platform.unwrap_or_default(),
        name: info::text(query(DEVICE_NAME)).unwrap_or_default(),
        driver: info::text(query(DRIVER_VERSION)).unwrap_or_default(),
    }
}

/// Launches, and records it. `launch` is the real call, which is made once in any case.
pub fn run(call: &Call<'_>, event: *mut Handle, launch: impl Fn(*mut Handle) -> Status) -> Status {
    let Some(facts) = guarded(|| Facts::of(call)).flatten() else { return launch(event) };
    let Some(mut held) = guarded(Held::now).flatten() else {
        // A driver's thread, while another one waits: the line comes later.
        let status = launch(event);
        guarded(|| {
            defer(move |recorder| {
                let pending = facts.begin(recorder, |_, _| Ok(Vec::new()))?;
                end(recorder, pending, status)
            });
        });
        return status;
    };
    let mut reader = Reader::new(call.queue);
    let mut is_settled = false;
    let begun = guarded(|| {
        held.with(|recorder| {
            facts.begin(recorder, |handle, bytes| {
                if !is_settled {
                    reader.settle(call.waits)?;
                    is_settled = true;
                }
                reader.content(handle, bytes)
            })
        })
    });
    let Some(pending) = begun.flatten() else { return launch(event) };
    if !pending.is_recorded() {
        let status = launch(event);
        guarded(|| held.with(|recorder| end(recorder, pending, status)));
        return status;
    }
    let mut own = ptr::null_mut();
    let target = if event.is_null() { &raw mut own } else { event };
    let start = Instant::now();
    let status = launch(target);
    guarded(|| {
        held.with(|recorder| {
            if status != SUCCESS {
                return end(recorder, pending, status);
            }
            // SAFETY: the call has written an event.
            let waited = reader.wait(unsafe { target.read() }, PATIENCE_AFTER);
            let elapsed = start.elapsed();
            let mut waited = Some(waited);
            recorder.end(pending, elapsed, |handle, bytes| {
                waited.take().unwrap_or(Ok(()))?;
                reader.content(handle, bytes)
            })
        })
    });
    if !own.is_null() {
        // SAFETY: the event is that of the call above, which nobody else has.
        unsafe { real::clReleaseEvent(own) };
    }
    status
}

/// Ends a launch that is not read.
fn end(recorder: &mut affinimath_trace::Recorder, pending: Pending, status: Status) -> std::io::Result<()> {
    match status {
        SUCCESS => recorder.end(pending, Duration::ZERO, |_, _| Ok(Vec::new())),
        code => recorder.refused(pending, format!("clEnqueueNDRangeKernel gives {code}")),
    }
}
