//! Convolutions and correlations: C's codes, and views of the operands.

use std::ffi::c_int;

use affinimath::route::cached_convolution;
use affinimath::{ConvolutionKind, ConvolutionMode, ConvolutionPlan, ConvolutionScalar, Error, Event, Result};

use super::{axis, overlap, resolve_workspace};
use crate::arguments::{array, wrong_code};
use crate::form::{Location, Names, Session, names};
use crate::opencl::ClMem;

/// C's code of a convolution.
pub const CONVOLUTION: (c_int, ConvolutionKind) = (311, ConvolutionKind::Convolution);
/// C's code of a correlation.
pub const CORRELATION: (c_int, ConvolutionKind) = (312, ConvolutionKind::Correlation);
/// C's code of the full mode.
pub const FULL: (c_int, ConvolutionMode) = (321, ConvolutionMode::Full);
/// C's code of the same mode.
pub const SAME: (c_int, ConvolutionMode) = (322, ConvolutionMode::Same);
/// C's code of the valid mode.
pub const VALID: (c_int, ConvolutionMode) = (323, ConvolutionMode::Valid);
/// C's code of the circular mode.
pub const CIRCULAR: (c_int, ConvolutionMode) = (324, ConvolutionMode::Circular);

/// The convolution kind of a code, under its argument's or field's name.
pub fn operation(name: &'static str, found: c_int) -> Result<ConvolutionKind> {
    let known = [CONVOLUTION, CORRELATION].into_iter().find(|(code, _)| *code == found);
    let legal = "AFFINIMATH_CONVOLUTION or AFFINIMATH_CORRELATION";
    known.map(|(_, operation)| operation).ok_or_else(|| wrong_code(name, found, legal))
}

/// The convolution mode of a code, under its argument's or field's name.
pub fn extent(name: &'static str, found: c_int) -> Result<ConvolutionMode> {
    let known = [FULL, SAME, VALID, CIRCULAR].into_iter().find(|(code, _)| *code == found);
    let legal = "AFFINIMATH_FULL, AFFINIMATH_SAME, AFFINIMATH_VALID or AFFINIMATH_CIRCULAR";
    known.map(|(_, extent)| extent).ok_or_else(|| wrong_code(name, found, legal))
}

/// Names of the operands of functions without a plan.
const OPERANDS: [Names; 3] = [names!("x"), names!("h"), names!("y")];

/// Convolves n elements with a kernel of m, by a cached plan.
///
/// # Safety
/// x, h and y must be null or valid for their elements. Nothing else may access y.
pub(super) unsafe fn with_cached_plan<T: ConvolutionScalar, P: Location<T>>(
    session: Session,
    operation: ConvolutionKind,
    (extent, n, m): (c_int, i64, i64),
    operands: [P; 3],
) -> Result<()> {
    let (extent, n, m) = (self::extent("extent", extent)?, axis("n", n)?, axis("m", m)?);
    let plan = cached_convolution::<T>(operation, extent, n, m).map_err(|error| match error {
        Error::InvalidArgument { name: "kernel", reason } => Error::argument("m", format!("the kernel: {reason}")),
        Error::InvalidArgument { name, reason } => Error::argument("n", format!("the {name}: {reason}")),
        other => other,
    })?;
    // SAFETY: `execute` has this function's contract.
    unsafe { execute(session, &plan, OPERANDS, operands, std::ptr::null_mut()) }
}

/// Executes a plan on a signal, a kernel and an output, under their names. `workspace` is null, or a memory object in
/// the device form.
///
/// # Safety
/// Operands must be null or valid for the plan's lengths, `workspace` null or live. Nothing else may access the output.
pub unsafe fn execute<T: ConvolutionScalar, P: Location<T>>(
    session: Session,
    plan: &ConvolutionPlan<T>,
    [signal_name, kernel_name, output_name]: [Names; 3],
    [signal, kernel, output]: [P; 3],
    workspace: *mut ClMem,
) -> Result<()> {
    let lengths = [plan.signal_length(), plan.kernel_length(), plan.output_length()];
    if lengths[2] == 0 {
        return session.finish(Event::Complete); // A batch of no signals.
    }
    let x = array(signal_name, lengths[0], signal)?;
    let h = array(kernel_name, lengths[1], kernel)?;
    let y = array(output_name, lengths[2], output)?;
    let piece = |location: P, length: usize| (location.position(), length * size_of::<T>());
    let written = piece(output, lengths[2]);
    for (name, read) in [(signal_name, piece(signal, lengths[0])), (kernel_name, piece(kernel, lengths[1]))] {
        if overlap(read, written) {
            return Err(Error::argument(output_name.memory, format!("it overlaps {}", name.memory)));
        }
    }
    // SAFETY: `array` checked the plan's lengths and refused null; this function requires memory of these lengths.
    let (x, h, y) = unsafe { (x.open::<T>(&session)?, h.open::<T>(&session)?, y.open::<T>(&session)?) };
    let event = match session.queue() {
        None => plan.execute(x.read()?, h.read()?, y.write()?)?,
        Some(queue) => {
            let (x, h, y) = (x.read()?, h.read()?, y.write()?);
            let operands = [signal, kernel, output].map(|location| location.position().0);
            // SAFETY: this function requires a workspace that is null or a live memory object.
            let workspace = unsafe { resolve_workspace(|| plan.workspace_bytes(queue), queue, workspace, &operands)? };
            plan.execute_on(queue, x, h, y, workspace.as_ref())?
        }
    };
    session.finish(event)
}
