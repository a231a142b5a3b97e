//! The one place where kernels get their arguments and are enqueued.

use std::borrow::Cow;
use std::ptr;

use affinimath_trace::NdRange;
use opencl3::error_codes::{CL_INVALID_OPERATION, CL_SUCCESS};
use opencl3::event::Event as ClEvent;
use opencl3::kernel::{Kernel, set_kernel_arg};
use opencl3::types::{cl_event, cl_mem, cl_uint};

use crate::argument::Argument;
use crate::context::{DeviceMemory, Event, Queue, QueueParts, Workspace};
use crate::error::{Error, Result};
use crate::program::{IdleKernel, Program};
use crate::scalar::Scalar;
use crate::status::check;
use crate::trace;

/// One launch of a kernel: arguments in the kernel's order, then [`Launch::enqueue`].
pub struct Launch<'a> {
    queue: &'a Queue,
    program: &'a Program,
    kernel: Cow<'static, str>,
    arguments: Vec<Argument>,
    /// Values that arguments do not hold, in their order.
    long: Vec<Box<[u8]>>,
}

/// Work-groups and their work-items, or an index space of its own.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    groups: [usize; 3],
    local: [usize; 3],
    range: Option<NdRange>,
}

impl<'a> Launch<'a> {
    pub fn new(queue: &'a Queue, program: &'a Program, kernel: impl Into<Cow<'static, str>>) -> Self {
        Launch { queue, program, kernel: kernel.into(), arguments: Vec::with_capacity(24), long: Vec::new() }
    }

    /// A memory object.
    pub fn buffer(mut self, buffer: &dyn DeviceMemory) -> Self {
        self.push::<cl_mem>(buffer.handle(), true);
        self
    }

    /// Workspace.
    pub fn workspace(self, workspace: &Workspace<'_>) -> Self {
        self.buffer(workspace)
    }

    /// A size, stride, offset or index: a `long` in the kernel.
    pub fn index(self, value: usize) -> Self {
        self.raw::<i64>(value as i64)
    }

    /// A signed number of elements, such as an increment: a `long` in the kernel.
    pub fn step(self, value: isize) -> Self {
        self.raw::<i64>(value as i64)
    }

    /// A number of rows or columns that `int` holds, as the plan has seen to.
    pub fn count(self, value: usize) -> Self {
        self.raw::<i32>(value as i32)
    }

    /// A yes or no: an `int` in the kernel.
    pub fn flag(self, value: bool) -> Self {
        self.raw::<i32>(i32::from(value))
    }

    /// A number of the program's type: a `scalar` in the kernel.
    pub fn scalar<T: Scalar>(self, value: T) -> Self {
        self.raw::<T>(value)
    }

    /// A number of a type that the kernel has.
    pub fn raw<V: Copy>(mut self, value: V) -> Self {
        self.push(value, false);
        self
    }

    /// A value by its bytes, such as a structure.
    pub fn bytes(mut self, value: &[u8]) -> Self {
        self.arguments.push(Argument::of_bytes(value).unwrap_or_else(|| {
            self.long.push(value.into());
            Argument::long()
        }));
        self
    }

    /// Local memory of each group, in bytes.
    pub fn local(mut self, bytes: usize) -> Self {
        self.arguments.push(Argument::local(bytes));
        self
    }

    fn push<V: Copy>(&mut self, value: V, is_memory: bool) {
        self.arguments.push(Argument::new(value, is_memory));
    }

    /// Enqueues the kernel over `groups` work-groups of `local` work-items, per dimension.
    ///
    /// # Errors
    /// [`Error::OpenCl`], [`Error::OutOfDeviceMemory`]: the kernel was not enqueued.
    pub fn enqueue(self, groups: [usize; 3], local: [usize; 3]) -> Result<Event> {
        self.enqueue_sizes(Sizes { groups, local, range: None })
    }

    /// [`Launch::enqueue`] over an index space with an offset, or whose groups the driver chooses.
    ///
    /// # Errors
    /// The errors of [`Launch::enqueue`].
    pub fn enqueue_range(self, range: NdRange) -> Result<Event> {
        let (groups, local) = range.sizes();
        self.enqueue_sizes(Sizes { groups, local, range: Some(range) })
    }

    fn enqueue_sizes(self, sizes: Sizes) -> Result<Event> {
        if !self.queue.makes_events() {
            let queue = self.queue.share()?;
            self.launch(sizes, ptr::null_mut())?;
            return Ok(Event::Deferred(queue));
        }
        let mut event = ptr::null_mut();
        self.launch(sizes, &raw mut event)?;
        Ok(Event::Pending(ClEvent::new(event)))
    }

    /// [`Launch::enqueue`] for a launch that others follow: the queue's order is all they need of it. An event took
    /// NVIDIA's driver 2.3 of 10 microseconds.
    pub fn enqueue_step(self, groups: [usize; 3], local: [usize; 3]) -> Result<()> {
        self.launch(Sizes { groups, local, range: None }, ptr::null_mut())
    }

    fn launch(self, sizes: Sizes, event: *mut cl_event) -> Result<()> {
        let Sizes { groups, local, range } = sizes;
        let IdleKernel { kernel, arguments, .. } = self.program.take_kernel(self.kernel.clone())?;
        self.set_arguments(&kernel, &arguments)?;
        let traced = trace::begin(
            self.queue,
            self.program,
            &self.kernel,
            &kernel,
            ([groups, local], range),
            (&self.arguments, &self.long),
        );
        let result = self.enqueue_kernel(&kernel, &sizes, event);
        if let Some(traced) = traced {
            traced.end(self.queue, &result);
        }
        tracing::trace!(kernel = &*self.kernel, ?groups, ?local, "enqueued");
        self.program.return_kernel(IdleKernel { name: self.kernel, kernel, arguments: self.arguments });
        result
    }

    /// Sets the arguments, but for numbers that the kernel object has already.
    fn set_arguments(&self, kernel: &Kernel, held: &[Argument]) -> Result<()> {
        let mut long = self.long.iter();
        for (index, argument) in self.arguments.iter().enumerate() {
            if argument.is_held_as(held.get(index)) {
                continue;
            }
            let (value, length) = match argument.is_long().then(|| long.next()).flatten() {
                Some(bytes) => (bytes.as_ptr().cast(), bytes.len()),
                None => (argument.as_ptr(), argument.length()),
            };
            // SAFETY: the value holds `length` bytes, or is null for local memory; OpenCL refuses an index
            // or a length that the kernel does not have.
            check("clSetKernelArg", unsafe { set_kernel_arg(kernel.get(), index as cl_uint, length, value) })?;
        }
        Ok(())
    }

    fn enqueue_kernel(&self, kernel: &Kernel, sizes: &Sizes, event: *mut cl_event) -> Result<()> {
        let Sizes { groups, local, range } = sizes;
        let global: [usize; 3] = range.map_or_else(|| std::array::from_fn(|d| groups[d] * local[d]), |r| r.global);
        // Each dimension takes NVIDIA's driver a quarter of a microsecond.
        let used = || (1..3).rfind(|&d| global[d] > 1).map_or(1, |last| last as cl_uint + 1);
        let dimensions = range.map_or_else(used, |range| range.dimensions);
        let (queue, kernel) = (self.queue.handle().get(), kernel.get());
        let offset = range.as_ref().map_or(ptr::null(), |range| range.offset.as_ptr());
        let is_free = range.is_some_and(|range| range.local.is_none());
        let (global, local) = (global.as_ptr(), if is_free { ptr::null() } else { local.as_ptr() });
        // opencl3's own function makes an event in any case.
        let loaded = cl3::load_library().as_ref().ok();
        // All arguments are set, the sizes are null or arrays of three, the wait list is empty, and the event is null
        // or has its place.
        let status = loaded.and_then(|library| {
            library.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, 0, ptr::null(), event)
        });
        match status.unwrap_or(CL_INVALID_OPERATION) {
            CL_SUCCESS => Ok(()),
            // CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY: drivers allocate this late.
            -6..=-4 => {
                let purpose = match self.kernel {
                    Cow::Borrowed(name) => name,
                    Cow::Owned(_) => "a generated kernel",
                };
                Err(Error::OutOfDeviceMemory { bytes: 0, purpose })
            }
            code => Err(Error::opencl("clEnqueueNDRangeKernel", code)),
        }
    }
}
