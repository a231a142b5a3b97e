//! Work of the host's as a command of a queue (OpenCL's native kernels), on memory objects that are mapped for it.
//!
//! A driver can also tell such a command the addresses of memory objects. PoCL up to version 6 may tell it those of
//! several in another order, and of a part of a memory object another memory than the part's. So the memory is mapped
//! before and unmapped after, which are commands of the queue, too: nobody waits for any of them.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use opencl3::command_queue::{enqueue_map_buffer, enqueue_native_kernel, enqueue_unmap_mem_object};
use opencl3::error_codes::CL_INVALID_OPERATION;
use opencl3::event::Event as ClEvent;
use opencl3::memory::{CL_MAP_READ, CL_MAP_WRITE};
use opencl3::types::{CL_FALSE, cl_map_flags, cl_mem};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{DeviceMemory, Queue, QueueParts};
use crate::error::Result;
use crate::fork;
use crate::status::check;
use crate::threads::threads;
use crate::trace;

/// A part of a memory object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    memory: cl_mem,
    start: usize,
    end: usize,
    /// Alignment of its address, in bytes.
    alignment: usize,
    access: cl_map_flags,
}

impl Span {
    /// So many elements (at least one) from one on.
    pub fn of<V>(memory: &dyn DeviceMemory, first: usize, count: usize) -> Self {
        debug_assert!(count > 0);
        let (size, alignment) = (size_of::<V>(), align_of::<V>());
        let (start, end, access) = (first * size, (first + count) * size, CL_MAP_READ | CL_MAP_WRITE);
        Span { memory: memory.handle(), start, end, alignment, access }
    }

    /// The same, only to be read.
    pub fn read_only(self) -> Self {
        Span { access: CL_MAP_READ, ..self }
    }

    /// The least part of its memory that has both.
    fn with(self, other: &Self) -> Self {
        let (start, end) = (self.start.min(other.start), self.end.max(other.end));
        Span { start, end, access: self.access | other.access, ..self }
    }
}

/// Address of a mapped part of a memory object, valid while the mapped work runs.
#[derive(Clone, Copy, Debug)]
pub struct HostPtr(*mut u8);

// SAFETY: an address is used by one piece of work alone, on whichever thread does it.
unsafe impl Send for HostPtr {}

impl HostPtr {
    pub const fn cast<V>(self) -> *mut V {
        self.0.cast()
    }
}

/// Parts of memory objects that are mapped, by the addresses of their parts: each object once.
struct Mapping<'q> {
    queue: &'q Queue,
    objects: Vec<(Span, *mut u8)>,
}

impl<'q> Mapping<'q> {
    /// Maps them, or finds that the host may not have them, or not at addresses that its types can have.
    fn new(queue: &'q Queue, spans: &[Span]) -> Result<Option<Self>> {
        let mut mapping = Mapping { queue, objects: Vec::with_capacity(spans.len()) };
        for (index, span) in spans.iter().enumerate() {
            let same = |other: &&Span| other.memory == span.memory;
            if spans[..index].iter().any(|other| same(&other)) {
                continue;
            }
            let whole = spans[index..].iter().filter(same).fold(*span, Span::with);
            match mapping.map(whole) {
                Ok(()) => {}
                Err(code) => {
                    let undone = mapping.undo();
                    // Memory without access for the host.
                    let refused = code == CL_INVALID_OPERATION;
                    return if refused { undone.map(|()| None) } else { check("clEnqueueMapBuffer", Err(code)) };
                }
            }
        }
        if spans.iter().all(|span| (mapping.host_ptr(span).0 as usize).is_multiple_of(span.alignment)) {
            return Ok(Some(mapping));
        }
        mapping.undo()?;
        Ok(None)
    }

    fn map(&mut self, span: Span) -> std::result::Result<(), i32> {
        let (mut address, access) = (ptr::null_mut(), span.access);
        let (queue, bytes) = (self.queue.handle().get(), span.end - span.start);
        // SAFETY: OpenCL refuses what is not a part of the memory object. The address is not used before the command
        // has run.
        let event = unsafe {
            enqueue_map_buffer(queue, span.memory, CL_FALSE, access, span.start, bytes, &mut address, 0, ptr::null())
        }?;
        drop(ClEvent::new(event));
        self.objects.push((span, address.cast()));
        Ok(())
    }

    fn host_ptr(&self, span: &Span) -> HostPtr {
        let mapped = self.objects.iter().find(|(object, _)| object.memory == span.memory);
        let (object, address) = mapped.expect("each part's memory is mapped");
        HostPtr(address.wrapping_add(span.start - object.start))
    }

    /// Enqueues that it ends. The first error is told, after all has been tried.
    fn undo(self) -> Result<()> {
        let mut result = Ok(());
        for (span, address) in self.objects {
            let queue = self.queue.handle().get();
            // SAFETY: the address is that of the memory object's mapping.
            let event = unsafe { enqueue_unmap_mem_object(queue, span.memory, address.cast(), 0, ptr::null()) };
            result = result.and(check("clEnqueueUnmapMemObject", event).map(|event| drop(ClEvent::new(event))));
        }
        result
    }
}

/// Work of a command, and the threads that run it.
struct Job {
    work: Box<dyn FnOnce() + Send>,
    pool: &'static ThreadPool,
}

impl Queue {
    fn enqueue_job(&self, job: Job) -> Result<()> {
        let mut job = Box::into_raw(Box::new(job));
        let (arguments, bytes) = ((&raw mut job).cast::<c_void>(), size_of::<*mut Job>());
        // SAFETY: OpenCL copies the address of the job, which the command takes over when it runs. It gets no memory
        // objects.
        let event = unsafe {
            let (queue, objects, pointers) = (self.handle().get(), ptr::null(), ptr::null());
            enqueue_native_kernel(queue, Some(run), arguments, bytes, 0, objects, pointers, 0, ptr::null())
        };
        match event {
            Ok(event) => {
                drop(ClEvent::new(event));
                Ok(())
            }
            Err(code) => {
                // SAFETY: the command was not enqueued, so that the job is nobody else's.
                drop(unsafe { Box::from_raw(job) });
                check("clEnqueueNativeKernel", Err(code))
            }
        }
    }
}

/// Work of the host's on a queue, for the crates of the library.
pub trait HostCommands: Sized {
    /// Enqueues work of the host's on parts of memory objects, in order with everything else on the queue. It gets
    /// their addresses, in the parts' order, and is done by threads of the library's own, as many as the device has
    /// compute units, at most.
    ///
    /// Gives false, and nothing is changed, where the host may not have the memory or has no threads for the work:
    /// kernels may do it. Work that panics ends there, with a message in the log, and the next command runs: what it
    /// leaves has to tell.
    ///
    /// # Errors
    /// Errors of OpenCL: the work may have been enqueued, or not.
    fn enqueue_on_host(&self, spans: &[Span], work: impl FnOnce(&[HostPtr]) + Send + 'static) -> Result<bool>;
}

impl HostCommands for Queue {
    fn enqueue_on_host(&self, spans: &[Span], work: impl FnOnce(&[HostPtr]) + Send + 'static) -> Result<bool> {
        let Some(pool) = pool(self.context().device().info().compute_units) else { return Ok(false) };
        let Some(mapping) = Mapping::new(self, spans)? else { return Ok(false) };
        let pointers: Vec<HostPtr> = spans.iter().map(|span| mapping.host_ptr(span)).collect();
        let job = Job { work: Box::new(move || work(&pointers)), pool };
        trace::host_work(spans.iter().map(|span| span.memory));
        let enqueued = self.enqueue_job(job);
        // Also where that failed.
        let unmapped = mapping.undo();
        enqueued.and(unmapped).map(|()| true)
    }
}

/// The command: called by a thread of the driver's, to which no panic may return. A driver that never runs it, such as
/// after an error of the command before, keeps the job.
unsafe extern "C" fn run(arguments: *mut c_void) {
    // SAFETY: the arguments are a copy of the job's address, and a command runs once.
    let job = unsafe { Box::from_raw(arguments.cast::<*mut Job>().read_unaligned()) };
    let Job { work, pool } = *job;
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| pool.install(work))) {
        // Dropping the payload may panic, and so may the application's log.
        std::mem::forget(payload);
        let told = catch_unwind(|| {
            tracing::error!("work of the host's on a device's memory panicked: its results are not to be used");
        });
        std::mem::forget(told);
    }
}

/// Threads that do such work, as many as a device has compute units and the host is allowed.
///
/// Those of rayon's global pool may be an application's that wait for the queue: work for them would never be begun.
/// These wait for nobody. They are started at the first use and stay.
fn pool(compute_units: usize) -> Option<&'static ThreadPool> {
    static POOLS: Mutex<BTreeMap<usize, &'static ThreadPool>> = Mutex::new(BTreeMap::new());
    if fork::forked() {
        return None;
    }
    let count = threads().min(compute_units);
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.get(&count) {
        return Some(pool);
    }
    let name = |index| format!("affinimath-{index}");
    match ThreadPoolBuilder::new().num_threads(count).thread_name(name).build() {
        Ok(pool) => {
            let pool: &'static ThreadPool = Box::leak(Box::new(pool));
            pools.insert(count, pool);
            Some(pool)
        }
        Err(error) => {
            tracing::warn!("no threads for work of the host's on a device's memory: {error}");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use opencl3::memory::{
        Buffer, CL_BUFFER_CREATE_TYPE_REGION, CL_MEM_HOST_NO_ACCESS, CL_MEM_READ_WRITE, ClMem, create_buffer,
        create_sub_buffer,
    };

    use super::*;
    use crate::context::{BufferParts, ContextParts, DeviceBuffer, DeviceContext};
    use crate::device::for_tests as devices;

    /// Queues of the devices that run functions of the host's.
    fn queues() -> Vec<Queue> {
        let devices = devices().iter().filter(|device| device.info().native_kernels);
        devices.map(|device| Queue::new(&DeviceContext::for_device(device).unwrap()).unwrap()).collect()
    }

    mod host {
        use super::*;

        #[test]
        fn there_is_one_pool_for_each_number_of_threads() {
            let [one, again, two] = [1, 1, 2].map(|units| pool(units).unwrap());
            assert!(ptr::eq(one, again) && one.current_num_threads() == 1);
            assert_eq!(two.current_num_threads(), threads().min(2));
        }
    }

    mod device {
        use super::*;

        #[test]
        fn work_gets_the_addresses_of_parts_of_several_objects() {
            for queue in queues() {
                let (last, first) = ([1_i32, 2, 3, 4], [5_i32, 6, 7]);
                // Made in one order and given in the other.
                let memory = |values: &[i32]| {
                    let memory = DeviceBuffer::new(queue.context(), size_of_val(values), "a test").unwrap();
                    memory.write(&queue, values).unwrap();
                    memory
                };
                let (first, last) = (memory(&first), memory(&last));
                let spans = [Span::of::<i32>(&last, 3, 1), Span::of::<i32>(&first, 1, 2), Span::of::<i32>(&last, 0, 2)];
                let work = |pointers: &[HostPtr]| {
                    // SAFETY: the places are of one, two and two numbers.
                    let [a, b, c] = [(0, 1), (1, 2), (2, 2)].map(|(pointer, count)| unsafe {
                        std::slice::from_raw_parts_mut(pointers[pointer].cast::<i32>(), count)
                    });
                    a[0] += 10 * b[1];
                    c.copy_from_slice(b);
                };
                assert!(queue.enqueue_on_host(&spans, work).unwrap());
                let mut values = [0_i32; 4];
                last.read(&queue, &mut values).unwrap();
                assert_eq!(values, [6, 7, 3, 74]);
            }
        }

        #[test]
        fn parts_of_the_host_s_memory_are_worked_on_where_they_lie() {
            for queue in queues() {
                let mut values: Vec<i32> = (0..1024).collect();
                // SAFETY: the memory outlives the commands, which are waited for.
                let whole =
                    unsafe { DeviceBuffer::over_host_memory(queue.context(), values.as_mut_ptr().cast(), 4096) };
                let (whole, region) = (whole.unwrap(), [1024_usize, 2048]);
                let (parent, kind, pointer) = (whole.as_raw(), CL_BUFFER_CREATE_TYPE_REGION, region.as_ptr().cast());
                // SAFETY: the region is two numbers, its start and its size, in the memory object.
                let part =
                    Buffer::<u8>::new(unsafe { create_sub_buffer(parent, CL_MEM_READ_WRITE, kind, pointer) }.unwrap());
                // SAFETY: the handle is that of a memory object.
                let part = unsafe { DeviceBuffer::from_raw(&queue, ClMem::get(&part), "a test") }.unwrap();
                let span = Span::of::<i32>(&part, 10, 2);
                let work = |pointers: &[HostPtr]| {
                    // SAFETY: the place is of two numbers.
                    unsafe { std::slice::from_raw_parts_mut(pointers[0].cast::<i32>(), 2) }
                        .iter_mut()
                        .for_each(|x| *x = -*x);
                };
                assert!(queue.enqueue_on_host(&[span], work).unwrap());
                let mut found = vec![0_i32; 1024];
                whole.read(&queue, &mut found).unwrap();
                let expected = |x: i32| if (266..268).contains(&x) { -x } else { x };
                assert!(found.iter().zip(0..).all(|(found, x)| *found == expected(x)), "{found:?}");
            }
        }

        #[test]
        fn work_on_memory_that_the_host_may_not_have_is_not_enqueued() {
            for queue in queues() {
                let (context, flags) = (queue.context().handle().get(), CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS);
                // SAFETY: no host memory is involved.
                let hidden = Buffer::<u8>::new(unsafe { create_buffer(context, flags, 64, ptr::null_mut()) }.unwrap());
                // SAFETY: the handle is that of a memory object.
                let hidden = unsafe { DeviceBuffer::from_raw(&queue, ClMem::get(&hidden), "a test") }.unwrap();
                let open = DeviceBuffer::new(queue.context(), 64, "a test").unwrap();
                let spans = [Span::of::<f64>(&open, 0, 8), Span::of::<f64>(&hidden, 0, 8)];
                assert!(!queue.enqueue_on_host(&spans, |_| unreachable!("it has no memory")).unwrap());
                // Nor at addresses that numbers cannot have.
                let askew = Span { start: 4, end: 12, ..Span::of::<f64>(&open, 0, 1) };
                assert!(!queue.enqueue_on_host(&[askew], |_| unreachable!("it is askew")).unwrap());
                queue.finish().unwrap();
            }
        }
    }
}
