//! clFFT, on the device that our library runs on.

use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::time::{Duration, Instant};

use opencl3::memory::{Buffer, ClMem};
use opencl3::types::{cl_command_queue, cl_context, cl_event, cl_mem, cl_uint, cl_ulong};

use super::data::{Data, Element, Output};
use crate::LAUNCHES_IN_FLIGHT;
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::options::PeerSpec;
use crate::peers::{LibraryFile, OpenClSession, without_device};
use crate::report::ContenderFacts;
use crate::target::{MemoryChoice, Target};

/// Expected library, for a file without one of its functions.
const EXPECTED: &str = "clFFT 2";

/// CLFFT_NOTIMPLEMENTED.
const NOT_IMPLEMENTED: Status = 4097;
/// CLFFT_FORWARD.
const FORWARD: c_int = -1;
/// CLFFT_OUTOFPLACE.
const OUT_OF_PLACE: c_int = 2;
/// CLFFT_SINGLE and CLFFT_DOUBLE.
const PRECISIONS: [c_int; 2] = [1, 2];
/// CLFFT_COMPLEX_INTERLEAVED, CLFFT_HERMITIAN_INTERLEAVED and CLFFT_REAL.
const COMPLEX: c_int = 1;
const HERMITIAN: c_int = 3;
const REAL: c_int = 5;

type Status = c_int;
/// `clfftPlanHandle`.
type Handle = usize;
type SetInteger = unsafe extern "C" fn(Handle, c_int) -> Status;
type SetStrides = unsafe extern "C" fn(Handle, c_int, *mut usize) -> Status;
/// clfftBakePlan(plan, queues, queue, notify, data).
type Bake = unsafe extern "C" fn(Handle, cl_uint, *mut cl_command_queue, *mut c_void, *mut c_void) -> Status;
/// clfftEnqueueTransform(plan, direction, queues, queue, events, wait for, event, inputs, outputs, temporary).
type Enqueue = unsafe extern "C" fn(
    Handle,
    c_int,
    cl_uint,
    *mut cl_command_queue,
    cl_uint,
    *const cl_event,
    *mut cl_event,
    *mut cl_mem,
    *mut cl_mem,
    cl_mem,
) -> Status;

/// `clfftSetupData`.
#[repr(C)]
struct SetupData {
    major: cl_uint,
    minor: cl_uint,
    patch: cl_uint,
    debug_flags: cl_ulong,
}

/// clFFT's functions, those of clFFT.h without their prefix.
#[derive(Clone, Copy)]
struct Functions {
    create: unsafe extern "C" fn(*mut Handle, cl_context, c_int, *const usize) -> Status,
    set_precision: SetInteger,
    set_layout: unsafe extern "C" fn(Handle, c_int, c_int) -> Status,
    set_result_location: SetInteger,
    set_batch_size: unsafe extern "C" fn(Handle, usize) -> Status,
    set_in_stride: SetStrides,
    set_out_stride: SetStrides,
    set_distance: unsafe extern "C" fn(Handle, usize, usize) -> Status,
    bake: Bake,
    enqueue: Enqueue,
    destroy: unsafe extern "C" fn(*mut Handle) -> Status,
    tear_down: unsafe extern "C" fn() -> Status,
}

impl Functions {
    fn find(file: &LibraryFile) -> Result<Self, BenchError> {
        // SAFETY: the types are those of clFFT.h, whose enumerations are integers.
        unsafe {
            Ok(Functions {
                create: file.function("clfftCreateDefaultPlan", EXPECTED)?,
                set_precision: file.function("clfftSetPlanPrecision", EXPECTED)?,
                set_layout: file.function("clfftSetLayout", EXPECTED)?,
                set_result_location: file.function("clfftSetResultLocation", EXPECTED)?,
                set_batch_size: file.function("clfftSetPlanBatchSize", EXPECTED)?,
                set_in_stride: file.function("clfftSetPlanInStride", EXPECTED)?,
                set_out_stride: file.function("clfftSetPlanOutStride", EXPECTED)?,
                set_distance: file.function("clfftSetPlanDistance", EXPECTED)?,
                bake: file.function("clfftBakePlan", EXPECTED)?,
                enqueue: file.function("clfftEnqueueTransform", EXPECTED)?,
                destroy: file.function("clfftDestroyPlan", EXPECTED)?,
                tear_down: file.function("clfftTeardown", EXPECTED)?,
            })
        }
    }
}

/// clFFT, with its own context and queue.
pub struct ClFftLibrary {
    file: LibraryFile,
    functions: Functions,
    version: [cl_uint; 3],
    session: OpenClSession,
}

impl ClFftLibrary {
    /// Loads the named file.
    ///
    /// # Errors
    /// [`BenchError::Load`], [`BenchError::Symbol`], [`BenchError::Peer`], and [`BenchError::Unfit`] where our library
    /// runs on the host.
    pub fn load(spec: &PeerSpec, target: &Target) -> Result<Self, BenchError> {
        let file = LibraryFile::open(spec)?;
        let functions = Functions::find(&file)?;
        let device = target.device.ok_or_else(|| without_device(&file))?;
        let mut version = [0; 3];
        let [major, minor, patch] = &mut version;
        // SAFETY: the types are those of clFFT.h: the first function writes three integers, the second one reads its
        // structure.
        unsafe {
            let ask: unsafe extern "C" fn(*mut cl_uint, *mut cl_uint, *mut cl_uint) -> Status =
                file.function("clfftGetVersion", EXPECTED)?;
            file.check("clfftGetVersion", ask(major, minor, patch))?;
            let set_up: unsafe extern "C" fn(*const SetupData) -> Status = file.function("clfftSetup", EXPECTED)?;
            let data = SetupData { major: *major, minor: *minor, patch: *patch, debug_flags: 0 };
            file.check("clfftSetup", set_up(&data))?;
        }
        let session = OpenClSession::open(&file, device)?;
        Ok(ClFftLibrary { file, functions, version, session })
    }

    /// Description in reports.
    pub fn info(&self) -> ContenderFacts {
        let [major, minor, patch] = self.version;
        ContenderFacts {
            name: self.file.name().to_owned(),
            version: Some(format!("clFFT {major}.{minor}.{patch}")),
            threads: None,
            path: Some(self.file.path().to_owned()),
            memory: MemoryChoice::Device,
        }
    }

    fn check(&self, call: &str, status: Status) -> Result<(), BenchError> {
        match status {
            NOT_IMPLEMENTED => {
                let name = self.file.name();
                Err(BenchError::Unfit(format!("{name} has no transforms of such lengths: no prime factors beyond 13")))
            }
            status => self.file.check(call, status),
        }
    }
}

impl Drop for ClFftLibrary {
    fn drop(&mut self) {
        // SAFETY: all plans are destroyed. A failure cannot be reported.
        let _ = unsafe { (self.functions.tear_down)() };
    }
}

/// clFFT on a copy of the operands.
pub fn entrant<'a, T: Element>(data: &Arc<Data<T>>, library: &'a ClFftLibrary) -> Entrant<'a> {
    let session = &library.session;
    session.device.info().require(T::KIND)?;
    let (input, output) = (session.upload(&data.input)?, session.upload(&data.zeros())?);
    Ok(Box::new(Guest { library, data: data.clone(), plan: None, input, output }))
}

struct Guest<'a, T: Element> {
    library: &'a ClFftLibrary,
    data: Arc<Data<T>>,
    /// Made by the first call, whose time includes it.
    plan: Option<Plan<'a>>,
    input: Buffer<T>,
    output: Buffer<Output<T>>,
}

/// A plan, destroyed on drop.
struct Plan<'a> {
    library: &'a ClFftLibrary,
    handle: Handle,
}

impl Drop for Plan<'_> {
    fn drop(&mut self) {
        // SAFETY: the plan is valid, and this is its last use. A failure cannot be reported.
        let _ = unsafe { (self.library.functions.destroy)(&mut self.handle) };
    }
}

/// Strides and distance of dense transforms, the contiguous axis first.
fn strides(lengths: &[usize]) -> (Vec<usize>, usize) {
    let strides = (0..lengths.len()).map(|axis| lengths[..axis].iter().product()).collect();
    (strides, lengths.iter().product())
}

impl<'a, T: Element> Guest<'a, T> {
    fn make_plan(&self) -> Result<Plan<'a>, BenchError> {
        let (library, case) = (self.library, &self.data.case);
        let functions = &library.functions;
        // The first axis of clFFT is the contiguous one.
        let lengths: Vec<usize> = case.lengths.iter().rev().copied().collect();
        let outputs: Vec<usize> = case.output_lengths().into_iter().rev().collect();
        let (mut from, input_distance) = strides(&lengths);
        let (mut to, output_distance) = strides(&outputs);
        let dimensions = library.file.integer(lengths.len())?;
        let precision = PRECISIONS[usize::from(T::KIND.is_double())];
        let (input, output) = if T::KIND.is_complex() { (COMPLEX, COMPLEX) } else { (REAL, HERMITIAN) };
        let mut handle = 0;
        let context = library.session.context();
        // SAFETY: there are as many lengths as dimensions.
        let status = unsafe { (functions.create)(&mut handle, context, dimensions, lengths.as_ptr()) };
        library.check("clfftCreateDefaultPlan", status)?;
        let plan = Plan { library, handle };
        let mut queue = library.session.queue.get();
        // SAFETY: the plan is valid; there are as many strides as dimensions, which are copied, as is the queue's
        // handle.
        unsafe {
            library.check("clfftSetPlanPrecision", (functions.set_precision)(handle, precision))?;
            library.check("clfftSetLayout", (functions.set_layout)(handle, input, output))?;
            library.check("clfftSetResultLocation", (functions.set_result_location)(handle, OUT_OF_PLACE))?;
            library.check("clfftSetPlanBatchSize", (functions.set_batch_size)(handle, case.batch))?;
            library.check("clfftSetPlanInStride", (functions.set_in_stride)(handle, dimensions, from.as_mut_ptr()))?;
            library.check("clfftSetPlanOutStride", (functions.set_out_stride)(handle, dimensions, to.as_mut_ptr()))?;
            let status = (functions.set_distance)(handle, input_distance, output_distance);
            library.check("clfftSetPlanDistance", status)?;
            library.check("clfftBakePlan", (functions.bake)(handle, 1, &mut queue, null_mut(), null_mut()))?;
        }
        Ok(plan)
    }
}

impl<T: Element> Contender for Guest<'_, T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let session = &self.library.session;
        let start = Instant::now();
        if self.plan.is_none() {
            self.plan = Some(self.make_plan()?);
        }
        let handle = self.plan.as_ref().map_or(0, |plan| plan.handle);
        let enqueue = self.library.functions.enqueue;
        let (mut queue, mut input, mut output) = (session.queue.get(), self.input.get(), self.output.get());
        for launch in 1..=repetitions {
            // SAFETY: the plan is for buffers of these sizes, and for this queue; clFFT only reads the handles, waits
            // for no event and makes none where it is given no room for one.
            let status = unsafe {
                enqueue(handle, FORWARD, 1, &mut queue, 0, null(), null_mut(), &mut input, &mut output, null_mut())
            };
            self.library.check("clfftEnqueueTransform", status)?;
            if launch % LAUNCHES_IN_FLIGHT == 0 {
                session.finish()?;
            }
        }
        session.finish()?;
        Ok(start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        let mut results = self.data.zeros();
        self.library.session.download(&self.output, &mut results)?;
        Ok(self.data.accuracy(&results))
    }
}
