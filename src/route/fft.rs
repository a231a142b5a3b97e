//! Plans of Fourier transforms, and where they run.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{Family, Route, Work, decide_without_vendors};
use crate::context::{
    BufferParts, DeviceBuffer, DeviceContext, DeviceMemory, Event, MemoryExt, Queue, QueueParts, Workspace,
};
use crate::error::{Error, Result};
use crate::fft::{DeviceFft, Direction, FftDescriptor, FftLayout, Operand, Problem, Transform};
use crate::host::HostFft;
use crate::memory::Context;
use crate::scalar::{Complex32, Complex64, Real, Scalar};
use crate::transfer::VectorOnDevice;
use crate::view::{Memory, VectorMut, VectorRef, VectorShape, View};
use affinimath_kernel as kernel;

/// A precision that Fourier transforms are computed in: `f32` or `f64`.
pub trait FftReal: Real + kernel::Real + rustfft::FftNum {
    /// The complex numbers of that precision.
    type Complex: Scalar<RealScalar = Self>;

    #[doc(hidden)]
    fn cache() -> &'static PlanCache<Self>;
}

macro_rules! precision {
    ($real:ident, $complex:ident) => {
        impl FftReal for $real {
            type Complex = $complex;

            fn cache() -> &'static PlanCache<Self> {
                static CACHE: PlanCache<$real> = PlanCache::new();
                &CACHE
            }
        }
    };
}

precision!(f32, Complex32);
precision!(f64, Complex64);

/// Plan of a transform: programs and tables for each device, and a plan for the host. Threads may share it.
///
/// ```
/// use affinimath::{Complex64, Context, Direction, FftDescriptor, FftPlan, Transform};
///
/// # fn main() -> affinimath::Result<()> {
/// let plan = FftPlan::<f64>::new(FftDescriptor::new(Transform::Complex(Direction::Forward), &[4]))?;
/// let context = Context::host(); // or Context::preferred()?, a GPU
/// let x = context.upload(&[1.0, 2.0, 3.0, 4.0].map(|re| Complex64::new(re, 0.0)))?;
/// let mut y = context.zeros::<Complex64>(4)?;
/// plan.execute(x.vector()?, y.vector_mut()?)?.wait()?;
/// assert_eq!(y.download()?[1], Complex64::new(-2.0, 2.0));
/// # Ok(())
/// # }
/// ```
pub struct FftPlan<R: FftReal> {
    descriptor: FftDescriptor,
    problem: Problem,
    host: OnceLock<HostFft<R>>,
    devices: PerContext<DeviceFft>,
}

impl<R: FftReal> fmt::Debug for FftPlan<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FftPlan").field("descriptor", &self.descriptor).finish_non_exhaustive()
    }
}

/// Programs and tables of a plan, for each context.
pub(super) struct PerContext<D>(Mutex<Vec<(Arc<DeviceContext>, Slot<D>)>>);

/// Two threads that need the same thing meet here, and the first one makes it.
type Slot<D> = Arc<Mutex<Option<Arc<D>>>>;

impl<D> Default for PerContext<D> {
    fn default() -> Self {
        PerContext(Mutex::default())
    }
}

impl<D> PerContext<D> {
    /// Programs and tables for a context, built at the first use.
    pub(super) fn get(&self, context: &Arc<DeviceContext>, make: impl FnOnce() -> Result<D>) -> Result<Arc<D>> {
        let slot = {
            let mut devices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match devices.iter().find(|(known, _)| Arc::ptr_eq(known, context)) {
                Some((_, slot)) => slot.clone(),
                None => {
                    let slot = Slot::default();
                    devices.push((context.clone(), slot.clone()));
                    slot
                }
            }
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*slot {
            return Ok(made.clone());
        }
        let made = Arc::new(make()?);
        *slot = Some(made.clone());
        Ok(made)
    }
}

impl<R: FftReal> FftPlan<R> {
    /// Checks what is to be transformed. Programs and tables are made at the first execution, or by
    /// [`FftPlan::prepare`].
    ///
    /// # Errors
    /// [`Error::InvalidArgument`]: it names the field that makes no sense, and why.
    pub fn new(descriptor: FftDescriptor) -> Result<Self> {
        let problem = Problem::new(&descriptor)?;
        Ok(FftPlan { descriptor, problem, host: OnceLock::new(), devices: PerContext::default() })
    }

    /// Descriptor of the transform.
    pub const fn descriptor(&self) -> &FftDescriptor {
        &self.descriptor
    }

    /// Elements of the input, from the first to the last.
    pub fn input_length(&self) -> usize {
        self.problem.input_extent()
    }

    /// Elements of the output, from the first to the last.
    pub fn output_length(&self) -> usize {
        self.problem.output_extent()
    }

    /// Makes what executions in a context need, so that the first one does not have to.
    ///
    /// # Errors
    /// [`Error::PrecisionNotSupported`], [`Error::ProgramBuild`], [`Error::OutOfDeviceMemory`].
    pub fn prepare(&self, context: &Context) -> Result<()> {
        match context.on_device() {
            Some(context) => self.on_device(context).map(drop),
            None => {
                self.on_host();
                Ok(())
            }
        }
    }

    /// Bytes of workspace that an execution on a queue needs.
    ///
    /// # Errors
    /// The errors of [`FftPlan::prepare`].
    pub fn workspace_bytes(&self, queue: &Queue) -> Result<u64> {
        Ok(self.on_device(queue.context())?.workspace_bytes())
    }

    /// Transforms out of place, where the operands lie: on the device that holds them, or for the host's memory on the
    /// host, or where `AFFINIMATH_ROUTE=device` says so, on a device; then the result is there on return.
    ///
    /// Real numbers are of type `R`, complex ones of `R::Complex`. The vectors begin with the first elements of input
    /// and output.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for numbers of another type or a plan in place, [`Error::ViewTooLarge`] for vectors
    /// that end too early, [`Error::MixedMemory`], and as [`FftPlan::prepare`].
    pub fn execute<I: Scalar, O: Scalar>(&self, input: VectorRef<'_, I>, output: VectorMut<'_, O>) -> Result<Event> {
        let (input, output) = (self.input(input)?, self.output(output, false)?);
        match (input.memory(), output.memory()) {
            (Memory::Device(object), Memory::Device(_)) => {
                self.enqueue(&Queue::new(DeviceBuffer::of(object).context())?, input, output, None)
            }
            (Memory::Host(from, _), Memory::Host(to, _)) => {
                let (from, to) = (from.wrapping_add(input.shape().first()), to.wrapping_add(output.shape().first()));
                match self.route()? {
                    // SAFETY: the views hold the problem's extents, and do not overlap, as one of them is exclusive.
                    Route::Host | Route::Vendor(_) => unsafe { self.on_host().execute(from.cast(), to.cast()) },
                    Route::Device(context) => self.transferred(&Queue::new(&context)?, input, output)?,
                }
                Ok(Event::Complete)
            }
            _ => Err(mixed()),
        }
    }

    /// Transforms in place: of a plan whose descriptor says so. Between real and complex numbers, the vector is one of
    /// complex ones.
    ///
    /// # Errors
    /// The errors of [`FftPlan::execute`].
    pub fn execute_in_place<T: Scalar>(&self, data: VectorMut<'_, T>) -> Result<Event> {
        let data = self.output(data, true)?;
        match data.memory() {
            Memory::Device(object) => {
                self.enqueue_in_place(&Queue::new(DeviceBuffer::of(object).context())?, data, None)
            }
            Memory::Host(start, _) => {
                let start = start.wrapping_add(data.shape().first());
                match self.route()? {
                    // SAFETY: the view holds the problem's extents.
                    Route::Host | Route::Vendor(_) => unsafe {
                        self.on_host().execute(start.cast_const().cast(), start.cast());
                    },
                    Route::Device(context) => {
                        let queue = Queue::new(&context)?;
                        let shape = VectorShape::new(self.in_place_length(), 0, 1)?;
                        queue.lending_memory(|| {
                            // SAFETY: the view holds so many elements, which nobody else uses meanwhile.
                            let mut moved = unsafe { VectorOnDevice::new(&queue, start, &shape, true) }?;
                            self.enqueue_in_place(&queue, moved.as_mut("data")?, None)?.wait()?;
                            moved.write_back(&queue)
                        })?;
                    }
                }
                Ok(Event::Complete)
            }
        }
    }

    /// [`FftPlan::execute`] on an application's queue, for operands in its context's memory. `workspace` is memory of
    /// at least [`FftPlan::workspace_bytes`], whose content is lost; without it, the library's own is used.
    ///
    /// # Errors
    /// The errors of [`FftPlan::execute`]; [`Error::ViewTooLarge`] also for the workspace.
    pub fn execute_on<I: Scalar, O: Scalar>(
        &self,
        queue: &Queue,
        input: VectorRef<'_, I>,
        output: VectorMut<'_, O>,
        workspace: Option<&DeviceBuffer>,
    ) -> Result<Event> {
        let (input, output) = (self.input(input)?, self.output(output, false)?);
        self.enqueue(queue, input, output, workspace)
    }

    /// [`FftPlan::execute_in_place`] on an application's queue.
    ///
    /// # Errors
    /// The errors of [`FftPlan::execute_on`].
    pub fn execute_in_place_on<T: Scalar>(
        &self,
        queue: &Queue,
        data: VectorMut<'_, T>,
        workspace: Option<&DeviceBuffer>,
    ) -> Result<Event> {
        let data = self.output(data, true)?;
        self.enqueue_in_place(queue, data, workspace)
    }

    fn on_host(&self) -> &HostFft<R> {
        self.host.get_or_init(|| HostFft::new(&self.problem))
    }

    fn on_device(&self, context: &Arc<DeviceContext>) -> Result<Arc<DeviceFft>> {
        self.devices.get(context, || DeviceFft::new(context, &self.problem, R::KIND.is_double()))
    }

    fn route(&self) -> Result<Route> {
        let points = self.problem.points().saturating_mul(self.problem.batch.count) as u64;
        let levels = u64::from(self.problem.points().max(2).ilog2());
        let bytes = |extent: usize| extent as u64 * R::Complex::KIND.bytes() as u64;
        decide_without_vendors(&Work {
            family: Family::Transform,
            kind: R::Complex::KIND,
            operations: 5 * points * levels,
            steps: 0,
            bytes_to: bytes(self.problem.input_extent()),
            bytes_from: bytes(self.problem.output_extent()),
        })
    }

    /// The operands of the host on a device, and back.
    fn transferred<I: Scalar, O: Scalar>(
        &self,
        queue: &Queue,
        input: VectorRef<'_, I>,
        output: VectorMut<'_, O>,
    ) -> Result<()> {
        let (Memory::Host(from, _), Memory::Host(to, _)) = (input.memory(), output.memory()) else {
            return Err(mixed());
        };
        let from_shape = VectorShape::new(self.problem.input_extent(), input.shape().first(), 1)?;
        let to_shape = VectorShape::new(self.problem.output_extent(), output.shape().first(), 1)?;
        // Gaps between elements come back unchanged.
        let gaps =
            self.problem.output_lengths().iter().product::<usize>() * self.problem.batch.count != to_shape.length();
        queue.lending_memory(|| {
            // SAFETY: the views hold the extents, which nobody else uses meanwhile; the input is only read.
            let (moved, mut result) = unsafe {
                (VectorOnDevice::new(queue, from, &from_shape, true)?, VectorOnDevice::new(queue, to, &to_shape, gaps)?)
            };
            self.enqueue(queue, moved.as_ref("input")?, result.as_mut("output")?, None)?.wait()?;
            result.write_back(queue)
        })
    }

    fn enqueue<I: Scalar, O: Scalar>(
        &self,
        queue: &Queue,
        input: VectorRef<'_, I>,
        output: VectorMut<'_, O>,
        workspace: Option<&DeviceBuffer>,
    ) -> Result<Event> {
        let (Some(from), Some(to)) = (input.memory().buffer(), output.memory().buffer()) else { return Err(mixed()) };
        let input = Operand { memory: from, offset: input.shape().first() };
        let output = Operand { memory: to, offset: output.shape().first() };
        self.launch(queue, [from, to], input, output, workspace)
    }

    fn enqueue_in_place<T: Scalar>(
        &self,
        queue: &Queue,
        data: VectorMut<'_, T>,
        workspace: Option<&DeviceBuffer>,
    ) -> Result<Event> {
        let Some(memory) = data.memory().buffer() else { return Err(mixed()) };
        // The side of real numbers counts these.
        let offset = |real: bool| data.shape().first() * if real && T::KIND.is_complex() { 2 } else { 1 };
        let input = Operand { memory, offset: offset(self.problem.transform.from_real()) };
        let output = Operand { memory, offset: offset(self.problem.transform.to_real()) };
        self.launch(queue, [memory, memory], input, output, workspace)
    }

    fn launch(
        &self,
        queue: &Queue,
        memories: [&DeviceBuffer; 2],
        input: Operand<'_>,
        output: Operand<'_>,
        workspace: Option<&DeviceBuffer>,
    ) -> Result<Event> {
        if memories.into_iter().chain(workspace).any(|memory| !Arc::ptr_eq(memory.context(), queue.context())) {
            return Err(mixed());
        }
        if self.problem.batch.count == 0 {
            return Ok(Event::Complete);
        }
        let fft = self.on_device(queue.context())?;
        let needed = fft.workspace_bytes();
        let borrowed;
        let workspace: &dyn DeviceMemory = match workspace {
            Some(workspace) if workspace.bytes() as u64 >= needed => workspace,
            Some(workspace) => {
                return Err(Error::ViewTooLarge { name: "workspace", needed, available: workspace.bytes() as u64 });
            }
            None => {
                borrowed = Workspace::borrow(queue, needed)?;
                &borrowed
            }
        };
        fft.enqueue(queue, input, output, workspace)
    }

    /// The input, if it is made of the numbers that the transform takes.
    fn input<'a, T: Scalar>(&self, input: VectorRef<'a, T>) -> Result<VectorRef<'a, T>> {
        self.check_numbers::<T>("input", self.problem.transform.from_real())?;
        check_length("input", input.shape(), self.problem.input_extent())?;
        Ok(input)
    }

    fn output<'a, T: Scalar>(&self, output: VectorMut<'a, T>, in_place: bool) -> Result<VectorMut<'a, T>> {
        if self.problem.in_place != in_place {
            let is = if in_place {
                "out of place, and needs an input and an output"
            } else {
                "in place, and has one operand"
            };
            return Err(Error::argument("output", format!("the plan is {is}")));
        }
        let real = self.problem.transform.to_real() && (self.problem.transform.from_real() || !in_place);
        self.check_numbers::<T>("output", real)?;
        let length = if in_place { self.in_place_length() } else { self.problem.output_extent() };
        check_length("output", output.shape(), length)?;
        Ok(output)
    }

    /// Elements of the one operand of a plan in place: complex ones, if one side has such.
    pub fn in_place_length(&self) -> usize {
        let transform = self.problem.transform;
        let (from, to) = (self.problem.input_extent(), self.problem.output_extent());
        match (transform.from_real(), transform.to_real()) {
            (true, false) => from.div_ceil(2).max(to),
            (false, true) => to.div_ceil(2).max(from),
            _ => to,
        }
    }

    fn check_numbers<T: Scalar>(&self, name: &'static str, real: bool) -> Result<()> {
        let wanted = if real { R::KIND } else { R::Complex::KIND };
        if T::KIND == wanted {
            return Ok(());
        }
        Err(Error::argument(name, format!("the transform has numbers of type {wanted:?} here, not {:?}", T::KIND)))
    }
}

#[cold]
pub(super) fn mixed() -> Error {
    Error::MixedMemory("operands, workspace and queue are to be of one context".to_owned())
}

pub(super) fn check_length(name: &'static str, shape: &VectorShape, needed: usize) -> Result<()> {
    if shape.increment() != 1 {
        let reason =
            format!("strides are the descriptor's; the vector's own increment is 1, not {}", shape.increment());
        return Err(Error::argument(name, reason));
    }
    if shape.length() < needed {
        return Err(Error::ViewTooLarge { name, needed: needed as u64, available: shape.length() as u64 });
    }
    Ok(())
}

/// Plans that are kept for the functions without one.
#[derive(Debug)]
pub struct PlanCache<R: FftReal> {
    plans: Mutex<Option<HashMap<Key, Used<R>>>>,
}

/// A plan, and when it was used last.
type Used<R> = (u64, Arc<FftPlan<R>>);

/// A descriptor, with the bits of its scale.
type Key = (Transform, Vec<usize>, usize, Option<FftLayout>, Option<FftLayout>, bool, u64);

/// Plans that are kept at most.
pub(super) const MAX_CACHED: usize = 64;

impl<R: FftReal> PlanCache<R> {
    const fn new() -> Self {
        PlanCache { plans: Mutex::new(None) }
    }
}

/// A plan for the descriptor: the one that was used before, if it is among the last 64.
///
/// # Errors
/// The errors of [`FftPlan::new`].
pub fn cached_plan<R: FftReal>(descriptor: &FftDescriptor) -> Result<Arc<FftPlan<R>>> {
    let FftDescriptor { transform, lengths, batch, input, output, in_place, scale } = descriptor.clone();
    let key = (transform, lengths, batch, input, output, in_place, scale.to_bits());
    let mut plans = R::cache().plans.lock().unwrap_or_else(PoisonError::into_inner);
    let plans = plans.get_or_insert_default();
    let now = plans.values().map(|(used, _)| *used).max().unwrap_or(0) + 1;
    if let Some((used, plan)) = plans.get_mut(&key) {
        *used = now;
        return Ok(plan.clone());
    }
    let plan = Arc::new(FftPlan::new(descriptor.clone())?);
    if plans.len() >= MAX_CACHED
        && let Some(oldest) = plans.iter().min_by_key(|(_, (used, _))| *used).map(|(key, _)| key.clone())
    {
        plans.remove(&oldest);
    }
    plans.insert(key, (now, plan.clone()));
    Ok(plan)
}

/// Forgets the kept plans, and with them what they hold of devices.
pub fn clear_plan_cache() {
    fn forget<R: FftReal>() {
        let plans = R::cache().plans.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(plans);
    }
    forget::<f32>();
    forget::<f64>();
    super::convolution::clear_convolution_cache();
}

/// y := the transforms of `batch` vectors of `length` numbers, one after the other.
///
/// # Errors
/// The errors of [`FftPlan::execute`].
pub fn fft_many<R: FftReal>(
    direction: Direction,
    length: usize,
    batch: usize,
    x: VectorRef<'_, R::Complex>,
    y: VectorMut<'_, R::Complex>,
) -> Result<Event> {
    let descriptor = FftDescriptor::new(Transform::Complex(direction), &[length]).batch(batch);
    cached_plan::<R>(&descriptor)?.execute(x, y)
}

/// y := the transform of x: `lengths` numbers on one to three axes, row after row.
///
/// # Errors
/// The errors of [`FftPlan::execute`].
pub fn fft<R: FftReal>(
    direction: Direction,
    lengths: &[usize],
    x: VectorRef<'_, R::Complex>,
    y: VectorMut<'_, R::Complex>,
) -> Result<Event> {
    cached_plan::<R>(&FftDescriptor::new(Transform::Complex(direction), lengths))?.execute(x, y)
}

/// y := the forward transform of real numbers, `lengths` of them: of each row the first n/2 + 1.
///
/// # Errors
/// The errors of [`FftPlan::execute`].
pub fn rfft<R: FftReal>(lengths: &[usize], x: VectorRef<'_, R>, y: VectorMut<'_, R::Complex>) -> Result<Event> {
    cached_plan::<R>(&FftDescriptor::new(Transform::RealToComplex, lengths))?.execute(x, y)
}

/// y := the backward transform to real numbers, `lengths` of them, from the first n/2 + 1 of each row.
///
/// # Errors
/// The errors of [`FftPlan::execute`].
pub fn irfft<R: FftReal>(lengths: &[usize], x: VectorRef<'_, R::Complex>, y: VectorMut<'_, R>) -> Result<Event> {
    cached_plan::<R>(&FftDescriptor::new(Transform::ComplexToReal, lengths))?.execute(x, y)
}
