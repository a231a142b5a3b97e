//! Plans of Fourier transforms that C holds.

use std::ffi::{c_int, c_void};
use std::ptr;

use affinimath::{Error, FftDescriptor, FftLayout, FftReal, Result};
use affinimath_abi::arguments::{not_null, size};
use affinimath_abi::fft::{Precision, in_place, out_of_place, precision, transform};
use affinimath_abi::form::{Device, DeviceLocation, Form, Host, HostLocation, Names};
use affinimath_abi::opencl::{self, ClEvent, ClMem, ClQueue};

use crate::generated::fft_plans::FftDescriptor as Described;

/// Rust's side of C's `affinimath_fft_plan`.
#[derive(Debug)]
pub enum FftPlan {
    /// `float`
    Single(affinimath::FftPlan<f32>),
    /// `double`
    Double(affinimath::FftPlan<f64>),
}

/// Maximum of axes in a descriptor.
pub(crate) const MAX_AXES: usize = 3;

/// # Safety
/// `descriptor` must be null or valid for a write, `lengths` null or valid for `rank` lengths.
pub(crate) unsafe fn describe(
    descriptor: *mut Described,
    transform: c_int,
    precision: c_int,
    rank: c_int,
    lengths: *const i64,
) -> Result<()> {
    not_null("descriptor", descriptor)?;
    self::transform("transform", transform)?;
    self::precision("precision", precision)?;
    let axes = axes(rank)?;
    not_null("lengths", lengths)?;
    let mut described = Described {
        transform,
        precision,
        rank,
        in_place: 0,
        lengths: [0; MAX_AXES],
        batch: 1,
        input_strides: [0; MAX_AXES],
        input_distance: 0,
        output_strides: [0; MAX_AXES],
        output_distance: 0,
        scale: 1.0,
    };
    for (axis, length) in described.lengths[..axes].iter_mut().enumerate() {
        // SAFETY: `not_null` refused null; `describe` requires `rank` lengths.
        *length = unsafe { lengths.add(axis).read() };
        if *length < 1 {
            return Err(Error::argument("lengths", format!("that of axis {axis} is {length}, which is less than 1")));
        }
    }
    // SAFETY: `not_null` refused null; `describe` requires a descriptor that is valid for a write.
    unsafe { descriptor.write(described) };
    Ok(())
}

pub(crate) fn axes(rank: c_int) -> Result<usize> {
    match usize::try_from(rank) {
        Ok(axes) if (1..=MAX_AXES).contains(&axes) => Ok(axes),
        _ => Err(Error::argument("rank", format!("there are transforms of 1, 2 and 3 dimensions, not of {rank}"))),
    }
}

/// # Safety
/// `descriptor` must be null or valid, `plan` null or valid for a write.
pub(crate) unsafe fn create(descriptor: *const Described, plan: *mut *mut FftPlan) -> Result<()> {
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
fn made(described: &Described) -> Result<FftPlan> {
    let transform = transform("transform", described.transform)?;
    let precision = precision("precision", described.precision)?;
    let axes = axes(described.rank)?;
    let sizes = |name, numbers: &[i64]| numbers.iter().map(|number| size(name, *number)).collect::<Result<Vec<_>>>();
    let layout = |[strides, distance]: [&'static str; 2], given: &[i64], apart: i64| -> Result<Option<FftLayout>> {
        let layout = FftLayout { strides: sizes(strides, given)?, distance: size(distance, apart)? };
        Ok((layout.distance != 0 || layout.strides.iter().any(|stride| *stride != 0)).then_some(layout))
    };
    let lengths = sizes("lengths", &described.lengths[..axes])?;
    let batch = size("batch", described.batch)?;
    let input =
        layout(["input_strides", "input_distance"], &described.input_strides[..axes], described.input_distance)?;
    let output =
        layout(["output_strides", "output_distance"], &described.output_strides[..axes], described.output_distance)?;
    let descriptor = FftDescriptor {
        input,
        output,
        in_place: described.in_place != 0,
        ..FftDescriptor::new(transform, &lengths).batch(batch).scale(described.scale)
    };
    Ok(match precision {
        Precision::Single => FftPlan::Single(affinimath::FftPlan::new(descriptor)?),
        Precision::Double => FftPlan::Double(affinimath::FftPlan::new(descriptor)?),
    })
}

/// # Safety
/// `plan` must be null or a plan that nothing uses any more.
pub(crate) unsafe fn destroy(plan: *mut FftPlan) -> Result<()> {
    if !plan.is_null() {
        // SAFETY: `create` boxed the plan, and `destroy` requires that nothing uses it any more.
        drop(unsafe { Box::from_raw(plan) });
    }
    Ok(())
}

/// # Safety
/// `plan` must be null or a live plan, `queue` null or a live queue, `bytes` null or valid for a write.
pub(crate) unsafe fn workspace_bytes(plan: *const FftPlan, queue: *mut ClQueue, bytes: *mut i64) -> Result<()> {
    not_null("plan", plan)?;
    // SAFETY: `not_null` refused a null plan; `workspace_bytes` requires a live plan, and a queue that is null or live.
    let (plan, queue) = unsafe { (&*plan, opencl::queue(queue)?) };
    not_null("bytes", bytes)?;
    let needed = match plan {
        FftPlan::Single(plan) => plan.workspace_bytes(&queue)?,
        FftPlan::Double(plan) => plan.workspace_bytes(&queue)?,
    };
    // SAFETY: `not_null` refused null; `workspace_bytes` requires a pointer that is valid for a write.
    unsafe { ptr::write(bytes, i64::try_from(needed).unwrap_or(i64::MAX)) };
    Ok(())
}

/// # Safety
/// `plan` must be null or a live plan, `input` and `output` null or valid for its lengths.
pub(crate) unsafe fn execute(plan: *const FftPlan, input: *const c_void, output: *mut c_void) -> Result<()> {
    // SAFETY: `run` has this function's contract.
    unsafe { run(plan, Host, [input.cast_mut(), output], ptr::null_mut()) }
}

/// # Safety
/// `plan` must be null or a live plan, the handles null or live, `event` null or valid for a write.
#[expect(clippy::too_many_arguments, reason = "they are the C function's")]
pub(crate) unsafe fn execute_cl(
    plan: *const FftPlan,
    queue: *mut ClQueue,
    input: *mut ClMem,
    offinput: i64,
    output: *mut ClMem,
    offoutput: i64,
    workspace: *mut ClMem,
    event: *mut *mut ClEvent,
) -> Result<()> {
    let input = DeviceLocation { memory: input, offset: offinput };
    let output = DeviceLocation { memory: output, offset: offoutput };
    // SAFETY: `run` has this function's contract.
    unsafe { run(plan, Device { queue, event }, [input, output], workspace) }
}

/// An operand whose element type the plan determines.
pub(crate) trait Untyped: Copy {
    type Form: Form;

    fn typed<T>(self) -> <Self::Form as Form>::Location<T>;
}

impl Untyped for *mut c_void {
    type Form = Host;

    fn typed<T>(self) -> HostLocation<T> {
        HostLocation(self.cast())
    }
}

impl Untyped for DeviceLocation {
    type Form = Device;

    fn typed<T>(self) -> DeviceLocation {
        self
    }
}

/// C's names of a plan's operands.
const OPERANDS: [Names; 2] = [
    Names { memory: "input", offset: "offinput", step: "" },
    Names { memory: "output", offset: "offoutput", step: "" },
];

/// # Safety
/// The contract of [`execute`] for host pointers, and of [`execute_cl`] for memory objects.
unsafe fn run<U: Untyped>(plan: *const FftPlan, form: U::Form, operands: [U; 2], workspace: *mut ClMem) -> Result<()> {
    not_null("plan", plan)?;
    // SAFETY: `not_null` refused null; this function requires a live plan and valid operands.
    unsafe {
        match &*plan {
            FftPlan::Single(plan) => run_plan(plan, form, operands, workspace),
            FftPlan::Double(plan) => run_plan(plan, form, operands, workspace),
        }
    }
}

/// # Safety
/// The contract of [`run`].
unsafe fn run_plan<R: FftReal, U: Untyped>(
    plan: &affinimath::FftPlan<R>,
    form: U::Form,
    [input, output]: [U; 2],
    workspace: *mut ClMem,
) -> Result<()> {
    let (transform, in_its_place) = (plan.descriptor().transform, plan.descriptor().in_place);
    // SAFETY: this function has `run`'s contract: handles and operands are null or valid.
    unsafe {
        let session = form.begin()?;
        match (transform.from_real(), transform.to_real()) {
            (true, true) if in_its_place => {
                let operands = [input, output].map(U::typed::<R>);
                in_place::<_, R, _>(session, plan, OPERANDS, operands, workspace)
            }
            _ if in_its_place => {
                let operands = [input, output].map(U::typed::<R::Complex>);
                in_place::<_, R::Complex, _>(session, plan, OPERANDS, operands, workspace)
            }
            (true, true) => {
                let operands = (input.typed::<R>(), output.typed::<R>());
                out_of_place::<_, R, R, _, _>(session, plan, OPERANDS, operands, workspace)
            }
            (true, false) => {
                let operands = (input.typed::<R>(), output.typed::<R::Complex>());
                out_of_place::<_, R, R::Complex, _, _>(session, plan, OPERANDS, operands, workspace)
            }
            (false, true) => {
                let operands = (input.typed::<R::Complex>(), output.typed::<R>());
                out_of_place::<_, R::Complex, R, _, _>(session, plan, OPERANDS, operands, workspace)
            }
            (false, false) => {
                let operands = (input.typed::<R::Complex>(), output.typed::<R::Complex>());
                out_of_place::<_, R::Complex, R::Complex, _, _>(session, plan, OPERANDS, operands, workspace)
            }
        }
    }
}
