//! Fourier transforms: C's arguments, in C's order, to plans and views.

// Each routine has a module of its name.
pub mod convolve;
pub mod correlate;
#[expect(clippy::module_inception, reason = "the routine has the family's name")]
pub mod fft;
pub mod fft2;
pub mod fft_many;
pub mod filtering;
pub mod irfft;
pub mod irfft2;
pub mod rfft;
pub mod rfft2;

use std::ffi::c_int;

use affinimath::route::cached_plan;
use affinimath::{
    DeviceBuffer, Direction, Error, Event, FftDescriptor, FftPlan, FftReal, Queue, Result, Scalar, Transform,
};

use crate::arguments::{array, wrong_code};
use crate::form::{Location, Names, Session, names};
use crate::opencl::{self, ClMem};

/// C's codes and their transforms.
pub mod code {
    use super::{Direction, Transform, c_int};

    macro_rules! codes {
        ($($name:ident: $code:literal, $transform:expr;)+) => {
            $(
                /// C's code, and the transform.
                pub const $name: (c_int, Transform) = ($code, $transform);
            )+

            /// Codes of all transforms.
            pub(super) const ALL: &[(c_int, Transform)] = &[$($name),+];
        };
    }

    codes! {
        FORWARD: -1, Transform::Complex(Direction::Forward);
        BACKWARD: 1, Transform::Complex(Direction::Backward);
        REAL_TO_COMPLEX: 301, Transform::RealToComplex;
        COMPLEX_TO_REAL: 302, Transform::ComplexToReal;
        COSINE_2: 303, Transform::Dct2;
        COSINE_3: 304, Transform::Dct3;
        SINE_2: 305, Transform::Dst2;
        SINE_3: 306, Transform::Dst3;
    }
}

/// The precision of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `float`
    Single = 211,
    /// `double`
    Double = 212,
}

/// The transform of a code, under its argument's or field's name.
pub fn transform(name: &'static str, found: c_int) -> Result<Transform> {
    let known = code::ALL.iter().find(|(code, _)| *code == found);
    known.map(|(_, transform)| *transform).ok_or_else(|| {
        let legal = "AFFINIMATH_FORWARD, AFFINIMATH_BACKWARD, AFFINIMATH_REAL_TO_COMPLEX, AFFINIMATH_COMPLEX_TO_REAL, \
             AFFINIMATH_COSINE_2, AFFINIMATH_COSINE_3, AFFINIMATH_SINE_2 or AFFINIMATH_SINE_3";
        wrong_code(name, found, legal)
    })
}

/// The precision of a code, under its argument's or field's name.
pub fn precision(name: &'static str, found: c_int) -> Result<Precision> {
    let precision = [Precision::Single, Precision::Double].into_iter().find(|precision| *precision as c_int == found);
    precision.ok_or_else(|| wrong_code(name, found, "AFFINIMATH_SINGLE or AFFINIMATH_DOUBLE"))
}

/// The argument `direction`.
fn direction(found: c_int) -> Result<Transform> {
    match transform("direction", found) {
        Ok(complex @ Transform::Complex(_)) => Ok(complex),
        _ => Err(wrong_code("direction", found, "AFFINIMATH_FORWARD (-1) or AFFINIMATH_BACKWARD (1)")),
    }
}

/// The length of an axis under its argument's name, at least 1.
fn axis(name: &'static str, length: i64) -> Result<usize> {
    match usize::try_from(length) {
        Ok(length) if length > 0 => Ok(length),
        _ => Err(Error::argument(name, format!("{length} is less than 1"))),
    }
}

/// Names of the operands of functions without a plan.
const OPERANDS: [Names; 2] = [names!("x"), names!("y")];

/// Transforms row-major x to row-major y, by a cached plan.
///
/// # Safety
/// x and y must be null or valid for the plan's lengths. Nothing else may access y.
unsafe fn with_cached_plan<R: FftReal, I: Scalar, O: Scalar, X: Location<I>, Y: Location<O>>(
    session: Session,
    descriptor: &FftDescriptor,
    x: X,
    y: Y,
) -> Result<()> {
    let plan = cached_plan::<R>(descriptor).map_err(|error| match error {
        // Each length was checked, so their product is too large.
        Error::InvalidArgument { name, reason } => Error::argument("n", format!("the {name} is too large: {reason}")),
        other => other,
    })?;
    // SAFETY: `out_of_place` has this function's contract.
    unsafe { out_of_place::<R, I, O, X, Y>(session, &plan, OPERANDS, (x, y), std::ptr::null_mut()) }
}

/// Executes a plan out of place, on operands under their names. `workspace` is null, or a memory object in the device
/// form.
///
/// # Safety
/// Operands must be null or valid for the plan's lengths, `workspace` null or live. Nothing else may access the output.
pub unsafe fn out_of_place<R: FftReal, I: Scalar, O: Scalar, X: Location<I>, Y: Location<O>>(
    session: Session,
    plan: &FftPlan<R>,
    [from, to]: [Names; 2],
    (input, output): (X, Y),
    workspace: *mut ClMem,
) -> Result<()> {
    let [read, written] = [plan.input_length(), plan.output_length()];
    let (x, y) = (array(from, read, input)?, array(to, written, output)?);
    if written == 0 {
        return session.finish(Event::Complete); // A batch of no transforms.
    }
    if overlap((input.position(), read * size_of::<I>()), (output.position(), written * size_of::<O>())) {
        let reason =
            format!("it overlaps {}: only a plan in place allows that, for operands that are one", from.memory);
        return Err(Error::argument(to.memory, reason));
    }
    // SAFETY: `array` checked the plan's lengths and refused null; this function requires memory of these lengths.
    let (x, y) = unsafe { (x.open::<I>(&session)?, y.open::<O>(&session)?) };
    let event = match session.queue() {
        None => plan.execute(x.read()?, y.write()?)?,
        Some(queue) => {
            let (x, y) = (x.read()?, y.write()?);
            let operands = [input.position().0, output.position().0];
            // SAFETY: this function requires a workspace that is null or a live memory object.
            let workspace = unsafe { resolve_workspace(|| plan.workspace_bytes(queue), queue, workspace, &operands)? };
            plan.execute_on(queue, x, y, workspace.as_ref())?
        }
    };
    session.finish(event)
}

/// Executes a plan in place, on an input that is also the output.
///
/// # Safety
/// The operand must be null or valid for the plan's length, `workspace` null or live. Nothing else may access the
/// operand.
pub unsafe fn in_place<R: FftReal, T: Scalar, P: Location<T>>(
    session: Session,
    plan: &FftPlan<R>,
    [from, to]: [Names; 2],
    [input, output]: [P; 2],
    workspace: *mut ClMem,
) -> Result<()> {
    let (length, name) = (plan.in_place_length(), from.memory);
    let data = array(from, length, input)?;
    array(to, length, output)?;
    if length == 0 {
        return session.finish(Event::Complete); // A batch of no transforms.
    }
    let ((memory, first), (other, start)) = (input.position(), output.position());
    if memory != other || (first != start && session.queue().is_none()) {
        return Err(Error::argument(to.memory, format!("the plan is in place, and it is not {name}")));
    }
    if first != start {
        let [wanted, found] = [first, start].map(|bytes| bytes / size_of::<T>());
        let reason = format!("the plan is in place, and it is {found}, but {} is {wanted}", from.offset);
        return Err(Error::argument(to.offset, reason));
    }
    // SAFETY: `array` checked the plan's length and refused null; this function requires memory of this length.
    let data = unsafe { data.open::<T>(&session)? };
    let event = match session.queue() {
        None => plan.execute_in_place(data.write()?)?,
        Some(queue) => {
            let data = data.write()?;
            // SAFETY: this function requires a workspace that is null or a live memory object.
            let workspace =
                unsafe { resolve_workspace(|| plan.workspace_bytes(queue), queue, workspace, &[memory, other])? };
            plan.execute_in_place_on(queue, data, workspace.as_ref())?
        }
    };
    session.finish(event)
}

/// True if two ranges share a byte. Each range is its memory, its start there and its length in bytes.
fn overlap(
    ((memory, first), length): ((usize, usize), usize),
    ((other, start), extent): ((usize, usize), usize),
) -> bool {
    memory == other && first < start.saturating_add(extent) && start < first.saturating_add(length)
}

/// The argument `workspace`: a memory object that is large enough and no operand's, or none for null.
///
/// # Safety
/// `workspace` must be null or a live memory object.
unsafe fn resolve_workspace(
    needed: impl FnOnce() -> Result<u64>,
    queue: &Queue,
    workspace: *mut ClMem,
    operands: &[usize],
) -> Result<Option<DeviceBuffer>> {
    const NAME: &str = "workspace";
    if workspace.is_null() {
        return Ok(None);
    }
    if operands.contains(&workspace.addr()) {
        return Err(Error::argument(NAME, "it is the memory object of an operand"));
    }
    // SAFETY: it is not null, and `workspace` requires a live memory object.
    let memory = unsafe { opencl::memory(queue, NAME, workspace)? };
    let needed = needed()?;
    if (memory.bytes() as u64) < needed {
        let reason = format!("it has {} bytes, and the plan needs {needed}", memory.bytes());
        return Err(Error::argument(NAME, reason));
    }
    Ok(Some(memory))
}
