//! Plans of convolutions and correlations, and where they run.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::fft::{FftReal, MAX_CACHED, PerContext, check_length, mixed};
use super::{Family, Route, Work, decide_without_vendors};
use crate::context::{DeviceBuffer, DeviceContext, DeviceMemory, Event, MemoryExt, Queue, QueueParts, Workspace};
use crate::error::{Error, Result};
use crate::fft::{
    ConvolutionDescriptor, ConvolutionKind, ConvolutionMode, ConvolutionOperands, ConvolutionProblem,
    DeviceConvolution, Operand,
};
use crate::host::HostConvolution;
use crate::memory::Context;
use crate::scalar::{Complex32, Complex64, Scalar};
use crate::transfer::VectorOnDevice;
use crate::view::{Memory, VectorMut, VectorRef, VectorShape, View};

/// Numbers that are convolved: `f32`, `f64`, or complex ones of these.
pub trait ConvolutionScalar: Scalar<RealScalar: FftReal> {
    #[doc(hidden)]
    fn cache() -> &'static ConvolutionCache<Self>;
}

macro_rules! number {
    ($($scalar:ident),*) => { $(
        impl ConvolutionScalar for $scalar {
            fn cache() -> &'static ConvolutionCache<Self> {
                static CACHE: ConvolutionCache<$scalar> = ConvolutionCache { plans: Mutex::new(None) };
                &CACHE
            }
        }
    )* };
}

number!(f32, f64, Complex32, Complex64);

/// Plan of a convolution or correlation: programs and tables for each device, and a plan for the host. Threads may
/// share it.
///
/// ```
/// use affinimath::{Context, ConvolutionDescriptor, ConvolutionPlan, ConvolutionMode, ConvolutionKind};
///
/// # fn main() -> affinimath::Result<()> {
/// let descriptor = ConvolutionDescriptor::new(ConvolutionKind::Convolution, &[4], &[2]).mode(ConvolutionMode::Valid);
/// let plan = ConvolutionPlan::<f64>::new(descriptor)?;
/// let context = Context::host(); // or Context::preferred()?, a GPU
/// let (x, h) = (context.upload(&[1.0, 2.0, 4.0, 8.0])?, context.upload(&[1.0, -1.0])?);
/// let mut y = context.zeros::<f64>(plan.output_length())?;
/// plan.execute(x.vector()?, h.vector()?, y.vector_mut()?)?.wait()?;
/// assert!(y.download()?.iter().zip([1.0, 2.0, 4.0]).all(|(y, expected)| (y - expected).abs() < 1e-14));
/// # Ok(())
/// # }
/// ```
pub struct ConvolutionPlan<T: ConvolutionScalar> {
    descriptor: ConvolutionDescriptor,
    problem: ConvolutionProblem,
    host: OnceLock<HostConvolution<T::RealScalar>>,
    devices: PerContext<DeviceConvolution>,
}

impl<T: ConvolutionScalar> fmt::Debug for ConvolutionPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConvolutionPlan").field("descriptor", &self.descriptor).finish_non_exhaustive()
    }
}

/// Views of a plan's operands.
struct Views<'a, T> {
    signal: VectorRef<'a, T>,
    kernel: VectorRef<'a, T>,
    output: VectorMut<'a, T>,
}

impl<T: ConvolutionScalar> ConvolutionPlan<T> {
    /// Checks what is to be convolved. Programs and tables are made at the first execution, or by
    /// [`ConvolutionPlan::prepare`].
    ///
    /// # Errors
    /// [`Error::InvalidArgument`]: it names the field that makes no sense, and why.
    pub fn new(descriptor: ConvolutionDescriptor) -> Result<Self> {
        let problem = ConvolutionProblem::new(&descriptor)?;
        Ok(ConvolutionPlan { descriptor, problem, host: OnceLock::new(), devices: PerContext::default() })
    }

    /// Descriptor of the operation.
    pub const fn descriptor(&self) -> &ConvolutionDescriptor {
        &self.descriptor
    }

    /// Numbers of all signals.
    pub fn signal_length(&self) -> usize {
        self.problem.signal_points() * self.problem.batch
    }

    /// Numbers of all kernels.
    pub fn kernel_length(&self) -> usize {
        self.problem.kernel_points() * self.problem.kernels()
    }

    /// Numbers of all results.
    pub fn output_length(&self) -> usize {
        self.problem.output_points() * self.problem.batch
    }

    /// Results of a signal on each axis.
    pub fn output_lengths(&self) -> Vec<usize> {
        self.problem.axes.iter().map(|axis| axis.output).collect()
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
    /// The errors of [`ConvolutionPlan::prepare`].
    pub fn workspace_bytes(&self, queue: &Queue) -> Result<u64> {
        Ok(self.on_device(queue.context())?.workspace_bytes())
    }

    /// Convolves where the operands lie: on the device that holds them, or for the host's memory on the host, or where
    /// `AFFINIMATH_ROUTE=device` says so, on a device; then the result is there on return.
    ///
    /// Signals, kernels and results lie row after row, one after the other, from the vectors' beginnings on.
    ///
    /// # Errors
    /// [`Error::ViewTooLarge`] for vectors that end too early, [`Error::InvalidArgument`] for those with an increment
    /// that is not 1, [`Error::MixedMemory`], and as [`ConvolutionPlan::prepare`].
    pub fn execute(
        &self,
        signal: VectorRef<'_, T>,
        kernel: VectorRef<'_, T>,
        output: VectorMut<'_, T>,
    ) -> Result<Event> {
        let views = self.checked(signal, kernel, output)?;
        let start = |memory: &Memory<'_, T>, shape: &VectorShape| match memory {
            Memory::Host(start, _) => Some(start.wrapping_add(shape.first())),
            Memory::Device(_) => None,
        };
        let Views { signal, kernel, output } = &views;
        let starts = (
            start(&signal.memory(), signal.shape()),
            start(&kernel.memory(), kernel.shape()),
            start(&output.memory(), output.shape()),
        );
        match (starts, output.memory().buffer()) {
            ((Some(x), Some(h), Some(y)), _) => {
                match self.route()? {
                    // SAFETY: the views hold the problem's numbers, and none overlaps the output, which is exclusive.
                    Route::Host | Route::Vendor(_) => unsafe {
                        self.on_host().execute(x.cast_const().cast(), h.cast_const().cast(), y.cast());
                    },
                    Route::Device(context) => self.transferred(&Queue::new(&context)?, [x, h, y])?,
                }
                Ok(Event::Complete)
            }
            (_, Some(buffer)) => self.enqueue(&Queue::new(buffer.context())?, &views, None),
            _ => Err(mixed()),
        }
    }

    /// [`ConvolutionPlan::execute`] on an application's queue, for operands in its context's memory. `workspace` is
    /// memory of at least [`ConvolutionPlan::workspace_bytes`], whose content is lost; without it, the library's own is
    /// used.
    ///
    /// # Errors
    /// The errors of [`ConvolutionPlan::execute`]; [`Error::ViewTooLarge`] also for the workspace.
    pub fn execute_on(
        &self,
        queue: &Queue,
        signal: VectorRef<'_, T>,
        kernel: VectorRef<'_, T>,
        output: VectorMut<'_, T>,
        workspace: Option<&DeviceBuffer>,
    ) -> Result<Event> {
        self.enqueue(queue, &self.checked(signal, kernel, output)?, workspace)
    }

    fn on_host(&self) -> &HostConvolution<T::RealScalar> {
        self.host.get_or_init(|| HostConvolution::new(&self.problem, !T::KIND.is_complex()))
    }

    fn on_device(&self, context: &Arc<DeviceContext>) -> Result<Arc<DeviceConvolution>> {
        self.devices.get(context, || DeviceConvolution::new(context, &self.problem, T::KIND))
    }

    fn route(&self) -> Result<Route> {
        let numbers = self.output_length().max(self.signal_length()) as u64;
        let levels = u64::from(self.problem.signal_points().max(2).ilog2());
        let bytes = |numbers: usize| numbers as u64 * T::KIND.bytes() as u64;
        decide_without_vendors(&Work {
            family: Family::Transform,
            kind: T::KIND,
            operations: 10 * numbers * levels,
            steps: 0,
            bytes_to: bytes(self.signal_length() + self.kernel_length()),
            bytes_from: bytes(self.output_length()),
        })
    }

    /// The operands of the host on a device, and back.
    fn transferred(&self, queue: &Queue, [x, h, y]: [*mut T; 3]) -> Result<()> {
        if self.problem.batch == 0 {
            return Ok(());
        }
        let shape = |length: usize| VectorShape::new(length, 0, 1);
        let [signals, kernels, outputs] =
            [shape(self.signal_length())?, shape(self.kernel_length())?, shape(self.output_length())?];
        queue.lending_memory(|| {
            // SAFETY: the views hold so many numbers, which nobody else writes meanwhile; only the output is written.
            let (signal, kernel, mut output) = unsafe {
                (
                    VectorOnDevice::new(queue, x, &signals, true)?,
                    VectorOnDevice::new(queue, h, &kernels, true)?,
                    VectorOnDevice::new(queue, y, &outputs, false)?,
                )
            };
            let views = Views {
                signal: signal.as_ref("signal")?,
                kernel: kernel.as_ref("kernel")?,
                output: output.as_mut("output")?,
            };
            self.enqueue(queue, &views, None)?.wait()?;
            output.write_back(queue)
        })
    }

    fn enqueue(&self, queue: &Queue, views: &Views<'_, T>, workspace: Option<&DeviceBuffer>) -> Result<Event> {
        let on_device =
            [views.signal.memory(), views.kernel.memory(), views.output.memory()].map(|memory| memory.buffer());
        let [Some(signal), Some(kernel), Some(output)] = on_device else {
            return Err(mixed());
        };
        let memories = [signal, kernel, output];
        if memories.into_iter().chain(workspace).any(|memory| !Arc::ptr_eq(memory.context(), queue.context())) {
            return Err(mixed());
        }
        if self.problem.batch == 0 {
            return Ok(Event::Complete);
        }
        let convolution = self.on_device(queue.context())?;
        let needed = convolution.workspace_bytes();
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
        let operands = ConvolutionOperands {
            signal: Operand { memory: signal, offset: views.signal.shape().first() },
            kernel: Operand { memory: kernel, offset: views.kernel.shape().first() },
            output: Operand { memory: output, offset: views.output.shape().first() },
        };
        convolution.enqueue(queue, operands, workspace)
    }

    fn checked<'a>(
        &self,
        signal: VectorRef<'a, T>,
        kernel: VectorRef<'a, T>,
        output: VectorMut<'a, T>,
    ) -> Result<Views<'a, T>> {
        check_length("signal", signal.shape(), self.signal_length())?;
        check_length("kernel", kernel.shape(), self.kernel_length())?;
        check_length("output", output.shape(), self.output_length())?;
        Ok(Views { signal, kernel, output })
    }
}

/// Plans that are kept for the functions without one.
#[derive(Debug)]
pub struct ConvolutionCache<T: ConvolutionScalar> {
    plans: Mutex<Option<HashMap<Key, Used<T>>>>,
}

/// Key of a cached plan: kind, mode, and the lengths of signal and kernel.
type Key = (ConvolutionKind, ConvolutionMode, usize, usize);

/// A plan, and when it was used last.
type Used<T> = (u64, Arc<ConvolutionPlan<T>>);

/// The plan of one dimension for n numbers and a kernel of m: the one that was used before, if it is among the last 64.
///
/// # Errors
/// The errors of [`ConvolutionPlan::new`].
pub fn cached_convolution<T: ConvolutionScalar>(
    kind: ConvolutionKind,
    mode: ConvolutionMode,
    n: usize,
    m: usize,
) -> Result<Arc<ConvolutionPlan<T>>> {
    let key = (kind, mode, n, m);
    let mut plans = T::cache().plans.lock().unwrap_or_else(PoisonError::into_inner);
    let plans = plans.get_or_insert_default();
    let now = plans.values().map(|(used, _)| *used).max().unwrap_or(0) + 1;
    if let Some((used, plan)) = plans.get_mut(&key) {
        *used = now;
        return Ok(plan.clone());
    }
    let descriptor = ConvolutionDescriptor::new(kind, &[n], &[m]).mode(mode);
    let plan = Arc::new(ConvolutionPlan::new(descriptor)?);
    if plans.len() >= MAX_CACHED
        && let Some(oldest) = plans.iter().min_by_key(|(_, (used, _))| *used).map(|(key, _)| *key)
    {
        plans.remove(&oldest);
    }
    plans.insert(key, (now, plan.clone()));
    Ok(plan)
}

/// Forgets the kept plans, and with them what they hold of devices.
pub(super) fn clear_convolution_cache() {
    fn forget<T: ConvolutionScalar>() {
        let plans = T::cache().plans.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(plans);
    }
    forget::<f32>();
    forget::<f64>();
    forget::<Complex32>();
    forget::<Complex64>();
}

/// y := the convolution of x with the kernel h: of vectors, the results that `mode` tells.
///
/// # Errors
/// [`Error::InvalidArgument`] for lengths that make no sense, and as [`ConvolutionPlan::execute`].
pub fn convolve<T: ConvolutionScalar>(
    mode: ConvolutionMode,
    x: VectorRef<'_, T>,
    h: VectorRef<'_, T>,
    y: VectorMut<'_, T>,
) -> Result<Event> {
    cached_convolution(ConvolutionKind::Convolution, mode, x.length(), h.length())?.execute(x, h, y)
}

/// y := the correlation of x with h: of vectors, the results that `mode` tells.
///
/// # Errors
/// The errors of [`convolve`].
pub fn correlate<T: ConvolutionScalar>(
    mode: ConvolutionMode,
    x: VectorRef<'_, T>,
    h: VectorRef<'_, T>,
    y: VectorMut<'_, T>,
) -> Result<Event> {
    cached_convolution(ConvolutionKind::Correlation, mode, x.length(), h.length())?.execute(x, h, y)
}
