//! Plans of convolutions and correlations that C holds.

use std::ffi::{c_int, c_void};
use std::ptr;

use affinimath::{Complex32, Complex64, ConvolutionDescriptor, ConvolutionScalar, Error, Result};
use affinimath_abi::arguments::{not_null, size};
use affinimath_abi::fft::filtering::{self, extent, operation};
use affinimath_abi::fft::{Precision, precision};
use affinimath_abi::form::{Device, DeviceLocation, Form, Host, Names};
use affinimath_abi::opencl::{self, ClEvent, ClMem, ClQueue};

use crate::fft_plans::{MAX_AXES, Untyped, axes};
use crate::generated::convolution_plans::ConvolutionDescriptor as Described;

/// Rust's side of C's `affinimath_convolution_plan`.
#[derive(Debug)]
pub enum ConvolutionPlan {
    /// `float`
    Single(affinimath::ConvolutionPlan<f32>),
    /// `double`
    Double(affinimath::ConvolutionPlan<f64>),
    /// `affinimath_c32`
    SingleComplex(affinimath::ConvolutionPlan<Complex32>),
    /// `affinimath_c64`
    DoubleComplex(affinimath::ConvolutionPlan<Complex64>),
}

/// Works with a plan of any type.
macro_rules! with_plan {
    ($plan:expr, $one:ident => $work:expr) => {
        match $plan {
            ConvolutionPlan::Single($one) => $work,
            ConvolutionPlan::Double($one) => $work,
            ConvolutionPlan::SingleComplex($one) => $work,
            ConvolutionPlan::DoubleComplex($one) => $work,
        }
    };
}

/// # Safety
/// `descriptor` must be null or valid for a write, `signal` and `kernel` null or valid for `rank` lengths.
pub(crate) unsafe fn describe(
    descriptor: *mut Described,
    operation: c_int,
    extent: c_int,
    precision: c_int,
    rank: c_int,
    signal: *const i64,
    kernel: *const i64,
) -> Result<()> {
    not_null("descriptor", descriptor)?;
    self::operation("operation", operation)?;
    self::extent("extent", extent)?;
    self::precision("precision", precision)?;
    let axes = axes(rank)?;
    // SAFETY: `describe` requires arrays that are null or have `rank` lengths.
    let [signal, kernel] = unsafe { [lengths("signal", signal, axes)?, lengths("kernel", kernel, axes)?] };
    let described = Described {
        operation,
        extent,
        precision,
        complex_numbers: 0,
        rank,
        own_kernels: 0,
        signal,
        kernel,
        batch: 1,
        scale: 1.0,
    };
    // SAFETY: `not_null` refused null; `describe` requires a descriptor that is valid for a write.
    unsafe { descriptor.write(described) };
    Ok(())
}

/// # Safety
/// `numbers` must be null or valid for `axes` lengths.
unsafe fn lengths(name: &'static str, numbers: *const i64, axes: usize) -> Result<[i64; MAX_AXES]> {
    not_null(name, numbers)?;
    let mut lengths = [0; MAX_AXES];
    for (axis, length) in lengths[..axes].iter_mut().enumerate() {
        // SAFETY: `not_null` refused null; `lengths` requires `axes` lengths.
        *length = unsafe { numbers.add(axis).read() };
        if *length < 1 {
            return Err(Error::argument(name, format!("that of axis {axis} is {length}, which is less than 1")));
        }
    }
    Ok(lengths)
}

/// # Safety
/// `descriptor` must be null or valid, `plan` null or valid for a write.
pub(crate) unsafe fn create(descriptor: *const Described, plan: *mut *mut ConvolutionPlan) -> Result<()> {
    not_null("descriptor", descriptor)?;
    // SAFETY: `not_null` refused null; `create` requires a valid descriptor.
    let made = made(unsafe { &*descriptor }).map_err(|error| match error {
        Error::InvalidArgument { name, reason } => Error::argument("descriptor", format!("its {name}: {reason}")),
        other => other,
    })?;
    not_null("plan", plan)?;
    // SAFETY: `not_null` refused null; `create` requires a pointer that is valid for a write.
    unsafe { plan.write(Box::into_raw(Box::new(made))) };
    Ok(())
}

/// The plan of a descriptor; an error names the field that is wrong.
fn made(described: &Described) -> Result<ConvolutionPlan> {
    let operation = operation("operation", described.operation)?;
    let extent = extent("extent", described.extent)?;
    let precision = precision("precision", described.precision)?;
    let axes = axes(described.rank)?;
    let sizes = |name, numbers: &[i64]| numbers.iter().map(|number| size(name, *number)).collect::<Result<Vec<_>>>();
    let (signal, kernel) = (sizes("signal", &described.signal[..axes])?, sizes("kernel", &described.kernel[..axes])?);
    let descriptor = ConvolutionDescriptor {
        batched_kernels: described.own_kernels != 0,
        ..ConvolutionDescriptor::new(operation, &signal, &kernel)
            .mode(extent)
            .batch(size("batch", described.batch)?)
            .scale(described.scale)
    };
    Ok(match (precision, described.complex_numbers != 0) {
        (Precision::Single, false) => ConvolutionPlan::Single(affinimath::ConvolutionPlan::new(descriptor)?),
        (Precision::Double, false) => ConvolutionPlan::Double(affinimath::ConvolutionPlan::new(descriptor)?),
        (Precision::Single, true) => ConvolutionPlan::SingleComplex(affinimath::ConvolutionPlan::new(descriptor)?),
        (Precision::Double, true) => ConvolutionPlan::DoubleComplex(affinimath::ConvolutionPlan::new(descriptor)?),
    })
}

/// # Safety
/// `plan` must be null or a plan that nothing uses any more.
pub(crate) unsafe fn destroy(plan: *mut ConvolutionPlan) -> Result<()> {
    if !plan.is_null() {
        // SAFETY: `create` boxed the plan, and `destroy` requires that nothing uses it any more.
        drop(unsafe { Box::from_raw(plan) });
    }
    Ok(())
}

/// # Safety
/// `plan` must be null or a live plan, `queue` null or a live queue, `bytes` null or valid for a write.
pub(crate) unsafe fn workspace_bytes(plan: *const ConvolutionPlan, queue: *mut ClQueue, bytes: *mut i64) -> Result<()> {
    not_null("plan", plan)?;
    // SAFETY: `not_null` refused a null plan; `workspace_bytes` requires a live plan, and a queue that is null or live.
    let (plan, queue) = unsafe { (&*plan, opencl::queue(queue)?) };
    not_null("bytes", bytes)?;
    let needed = with_plan!(plan, plan => plan.workspace_bytes(&queue)?);
    // SAFETY: `not_null` refused null; `workspace_bytes` requires a pointer that is valid for a write.
    unsafe { ptr::write(bytes, i64::try_from(needed).unwrap_or(i64::MAX)) };
    Ok(())
}

/// # Safety
/// `plan` must be null or a live plan, `signal`, `kernel` and `output` null or valid for its lengths.
pub(crate) unsafe fn execute(
    plan: *const ConvolutionPlan,
    signal: *const c_void,
    kernel: *const c_void,
    output: *mut c_void,
) -> Result<()> {
    // SAFETY: `run` has this function's contract.
    unsafe { run(plan, Host, [signal.cast_mut(), kernel.cast_mut(), output], ptr::null_mut()) }
}

/// # Safety
/// `plan` must be null or a live plan, the handles null or live, `event` null or valid for a write.
#[expect(clippy::too_many_arguments, reason = "they are the C function's")]
pub(crate) unsafe fn execute_cl(
    plan: *const ConvolutionPlan,
    queue: *mut ClQueue,
    signal: *mut ClMem,
    offsignal: i64,
    kernel: *mut ClMem,
    offkernel: i64,
    output: *mut ClMem,
    offoutput: i64,
    workspace: *mut ClMem,
    event: *mut *mut ClEvent,
) -> Result<()> {
    let locations = [(signal, offsignal), (kernel, offkernel), (output, offoutput)];
    let locations = locations.map(|(memory, offset)| DeviceLocation { memory, offset });
    // SAFETY: `run` has this function's contract.
    unsafe { run(plan, Device { queue, event }, locations, workspace) }
}

/// C's names of a plan's operands.
const OPERANDS: [Names; 3] = [
    Names { memory: "signal", offset: "offsignal", step: "" },
    Names { memory: "kernel", offset: "offkernel", step: "" },
    Names { memory: "output", offset: "offoutput", step: "" },
];

/// # Safety
/// The contract of [`execute`] for host pointers, and of [`execute_cl`] for memory objects.
unsafe fn run<U: Untyped>(
    plan: *const ConvolutionPlan,
    form: U::Form,
    operands: [U; 3],
    workspace: *mut ClMem,
) -> Result<()> {
    not_null("plan", plan)?;
    // SAFETY: `not_null` refused null; this function requires a live plan and valid operands.
    unsafe { with_plan!(&*plan, plan => run_plan(plan, form, operands, workspace)) }
}

/// # Safety
/// The contract of [`run`].
unsafe fn run_plan<T: ConvolutionScalar, U: Untyped>(
    plan: &affinimath::ConvolutionPlan<T>,
    form: U::Form,
    operands: [U; 3],
    workspace: *mut ClMem,
) -> Result<()> {
    // SAFETY: this function has `run`'s contract: handles and operands are null or valid.
    unsafe { filtering::execute(form.begin()?, plan, OPERANDS, operands.map(U::typed::<T>), workspace) }
}
