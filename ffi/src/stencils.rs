//! Stencils and their plans that C holds.

mod grids;
mod lent;
mod names;

use std::collections::BTreeMap;
use std::ffi::{c_char, c_int};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use affinimath::stencil::{
    Enqueued, Language, Outcome, Plan, Span, Stencil as Definition, Type, Value, sizes_of_shapes,
};
use affinimath::{Context, Error, Result};
use affinimath_abi::arguments::{not_null, size};
use affinimath_abi::opencl::{self, ClEvent, ClQueue};

pub use crate::generated::arrays::{ArrayOperand, OperandCl};
use crate::generated::stencils::{StencilOutcome, StencilSize};

use crate::text::{read, write};

use names::Names;

/// Rust's side of C's `affinimath_stencil`.
pub struct Stencil(Definition);

/// Rust's side of C's `affinimath_stencil_plan`. Runs share the plan, and a change of its strategy waits for them.
pub struct StencilPlan(RwLock<Plan>);

impl StencilPlan {
    fn read(&self) -> RwLockReadGuard<'_, Plan> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// # Safety
/// `text` must be null or a C string, `stencil` null or valid for a write.
pub(crate) unsafe fn create(text: *const c_char, stencil: *mut *mut Stencil) -> Result<()> {
    // SAFETY: `create` requires a C string.
    let definition = Definition::parse(unsafe { read("text", text)? }).map_err(|error| error.of_argument("text"))?;
    not_null("stencil", stencil)?;
    // SAFETY: `not_null` refused null; `create` requires a pointer that is valid for a write.
    unsafe { stencil.write(Box::into_raw(Box::new(Stencil(definition)))) };
    Ok(())
}

/// # Safety
/// `stencil` must be null or live, and is not used afterwards.
pub(crate) unsafe fn destroy(stencil: *mut Stencil) -> Result<()> {
    if !stencil.is_null() {
        // SAFETY: it is not null; `destroy` requires a live stencil.
        drop(unsafe { Box::from_raw(stencil) });
    }
    Ok(())
}

/// # Safety
/// `stencil` must be null or live, `text` null or valid for `size` bytes, `length` null or valid for a write.
pub(crate) unsafe fn description(
    stencil: *const Stencil,
    text: *mut c_char,
    size: i64,
    length: *mut i64,
) -> Result<()> {
    not_null("stencil", stencil)?;
    // SAFETY: `not_null` refused null; this function requires a live stencil, and memory as `write` does.
    unsafe { write(&affinimath::stencil::description(&(*stencil).0), text, size, length) }
}

/// The values of sizes by their names.
///
/// # Safety
/// `values` must be null or valid for `count` ones with C strings.
unsafe fn given_sizes(count: i64, values: *const StencilSize) -> Result<BTreeMap<String, i64>> {
    let mut given = BTreeMap::new();
    let count = size("sizes", count)?;
    if count == 0 {
        return Ok(given);
    }
    not_null("values", values)?;
    // SAFETY: `not_null` refused null; this function requires `count` values with C strings.
    for value in unsafe { std::slice::from_raw_parts(values, count) } {
        // SAFETY: as above.
        let name = unsafe { read("values", value.name)? };
        if given.insert(name.to_owned(), value.value).is_some() {
            return Err(Error::argument("values", format!("the size {name:?} is given twice")));
        }
    }
    Ok(given)
}

/// A plan with values for all sizes of the domain.
fn planned(definition: &Definition, context: &Context, sizes: &BTreeMap<String, i64>) -> Result<*mut StencilPlan> {
    let sizes: Vec<(&str, i64)> = sizes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let plan = Plan::new(definition, context, &sizes).map_err(|error| error.of_argument("values"))?;
    Ok(Box::into_raw(Box::new(StencilPlan(RwLock::new(plan)))))
}

/// # Safety
/// `stencil` must be null or live, `values` null or valid for `sizes` ones, `operands` null or valid for `count` ones
/// with C strings, `plan` null or valid for a write.
pub(crate) unsafe fn plan_create(
    stencil: *const Stencil,
    device: i64,
    sizes: i64,
    values: *const StencilSize,
    count: i64,
    operands: *const ArrayOperand,
    plan: *mut *mut StencilPlan,
) -> Result<()> {
    not_null("stencil", stencil)?;
    // SAFETY: `not_null` refused null; `plan_create` requires a live stencil.
    let definition = unsafe { &(*stencil).0 };
    // SAFETY: `plan_create` requires `sizes` values with C strings.
    let given = unsafe { given_sizes(sizes, values)? };
    // SAFETY: `plan_create` requires valid operands.
    let operands = unsafe { crate::arrays::operands(count, operands)? };
    let mut shapes = Vec::new();
    for (name, operand) in operands {
        let grid = names::grid(definition, name)
            .ok_or_else(|| Error::argument("operands", format!("there is no grid {name:?}")))?;
        shapes.push((grid, names::lengths(definition, grid, operand.rank, &operand.shape)?));
    }
    let shapes: Vec<(usize, &[usize])> = shapes.iter().map(|(grid, lengths)| (*grid, &lengths[..])).collect();
    let sizes = sizes_of_shapes(definition, &given, &shapes).map_err(|error| error.of_argument("operands"))?;
    not_null("plan", plan)?;
    let made = planned(definition, &crate::arrays::context(device)?, &sizes)?;
    // SAFETY: `not_null` refused null; `plan_create` requires a pointer that is valid for a write.
    unsafe { plan.write(made) };
    Ok(())
}

/// # Safety
/// `stencil` must be null or live, `queue` null or a live queue, `values` null or valid for `sizes` ones, `plan` null
/// or valid for a write.
pub(crate) unsafe fn plan_create_cl(
    stencil: *const Stencil,
    queue: *mut ClQueue,
    sizes: i64,
    values: *const StencilSize,
    plan: *mut *mut StencilPlan,
) -> Result<()> {
    not_null("stencil", stencil)?;
    // SAFETY: `plan_create_cl` requires a queue that is null or live, and `sizes` values with C strings.
    let (queue, sizes) = unsafe { (opencl::queue(queue)?, given_sizes(sizes, values)?) };
    not_null("plan", plan)?;
    // SAFETY: `not_null` refused null; `plan_create_cl` requires a live stencil.
    let made = planned(unsafe { &(*stencil).0 }, &Context::from_queue(&queue), &sizes)?;
    // SAFETY: `not_null` refused null; `plan_create_cl` requires a pointer that is valid for a write.
    unsafe { plan.write(made) };
    Ok(())
}

/// # Safety
/// `plan` must be null or live, and is not used afterwards.
pub(crate) unsafe fn plan_destroy(plan: *mut StencilPlan) -> Result<()> {
    if !plan.is_null() {
        // SAFETY: it is not null; `plan_destroy` requires a live plan.
        drop(unsafe { Box::from_raw(plan) });
    }
    Ok(())
}

/// # Safety
/// `plan` must be null or live, `text` null or valid for `size` bytes, `length` null or valid for a write.
pub(crate) unsafe fn plan_description(
    plan: *const StencilPlan,
    text: *mut c_char,
    size: i64,
    length: *mut i64,
) -> Result<()> {
    not_null("plan", plan)?;
    // SAFETY: `not_null` refused null; this function requires a live plan.
    let full = unsafe { (*plan).read().description().map_err(|error| error.of_argument("plan"))? };
    // SAFETY: this function requires memory as `write` does.
    unsafe { write(&full, text, size, length) }
}

/// # Safety
/// `plan` must be null or live, `language` null or a C string, `text` null or valid for `size` bytes, `length` null or
/// valid for a write.
pub(crate) unsafe fn plan_source(
    plan: *const StencilPlan,
    language: *const c_char,
    text: *mut c_char,
    size: i64,
    length: *mut i64,
) -> Result<()> {
    not_null("plan", plan)?;
    // SAFETY: this function requires a C string.
    let language = unsafe { read("language", language)? }.parse::<Language>();
    let language = language.map_err(|error| error.of_argument("language"))?;
    // SAFETY: `not_null` refused null; this function requires a live plan.
    let full = unsafe { (*plan).read().source(language).map_err(|error| error.of_argument("plan"))? };
    // SAFETY: this function requires memory as `write` does.
    unsafe { write(&full, text, size, length) }
}

/// # Safety
/// `plan` must be null or live, `strategy` null or a C string.
pub(crate) unsafe fn plan_set_strategy(plan: *mut StencilPlan, strategy: *const c_char) -> Result<()> {
    not_null("plan", plan)?;
    // SAFETY: `not_null` refused null; this function requires a live plan, which only its lock changes.
    let lock = unsafe { &(*plan).0 };
    // SAFETY: this function requires a C string.
    let text = unsafe { read("strategy", strategy)? };
    let mut plan = lock.write().unwrap_or_else(PoisonError::into_inner);
    plan.set_strategy_text(text).map_err(|error| error.of_argument("strategy"))
}

/// # Safety
/// `plan` must be null or live, `text` null or valid for `size` bytes, `length` null or valid for a write.
pub(crate) unsafe fn plan_strategy(
    plan: *const StencilPlan,
    text: *mut c_char,
    size: i64,
    length: *mut i64,
) -> Result<()> {
    not_null("plan", plan)?;
    // SAFETY: `not_null` refused null; this function requires a live plan.
    let full = unsafe { (*plan).read().strategy().to_string() };
    // SAFETY: this function requires memory as `write` does.
    unsafe { write(&full, text, size, length) }
}

fn span(initialize: c_int, first: i64, steps: i64) -> Result<Span> {
    let initial = match initialize {
        0 => false,
        1 => true,
        other => return Err(Error::argument("initialize", format!("it is {other}, not 0 or 1"))),
    };
    let steps = match steps {
        -1 => None,
        steps => Some(size("steps", steps)? as u64),
    };
    Ok(Span { first, steps, initial })
}

/// # Safety
/// `plan` must be null or live, `operands` null or valid for `count` ones with their elements, `newest` null or valid
/// for `count` writes, `outcome` null or valid for a write.
#[expect(clippy::too_many_arguments, reason = "they are the C function's")]
pub(crate) unsafe fn plan_run(
    plan: *const StencilPlan,
    count: i64,
    operands: *const ArrayOperand,
    initialize: c_int,
    first: i64,
    steps: i64,
    newest: *mut i32,
    outcome: *mut StencilOutcome,
) -> Result<()> {
    not_null("plan", plan)?;
    let span = span(initialize, first, steps)?;
    // SAFETY: `plan_run` requires valid operands.
    let operands = unsafe { crate::arrays::operands(count, operands)? };
    // SAFETY: `not_null` refused null; `plan_run` requires a live plan.
    let plan = &*unsafe { (*plan).read() };
    let stencil = plan.bound().stencil();
    let names = Names::new(stencil, operands.iter().map(|(name, _)| *name), true)?;
    // SAFETY: `plan_run` requires operands with their elements.
    let arguments = unsafe { names.arguments(plan.bound(), &operands)? };
    names.check_results(stencil, &operands)?;
    // SAFETY: `plan_run` requires live arrays.
    let end = match unsafe { lent::Arrays::lend(plan, &names, &operands, span)? } {
        Some(arrays) => arrays.run(plan, &names, &operands, &arguments, span)?,
        None => {
            // SAFETY: `plan_run` requires operands with their elements.
            let mut grids = unsafe { grids::slices(plan.bound(), &names, &operands)? };
            plan.run(&mut grids, &arguments, span).map_err(|error| error.of_argument("operands"))?
        }
    };
    // SAFETY: `plan_run` requires operands with their elements, room for `count` flags, and a pointer that is null or
    // valid for a write.
    unsafe {
        names.write_results(&operands, &end);
        names.write_newest(&end, newest);
        give(&end, outcome);
    }
    Ok(())
}

/// The end of a run, which is waited for if the host decides by it or gets a part of it.
fn ended(enqueued: Enqueued, is_awaited: bool, argument: &'static str) -> Result<Outcome> {
    if is_awaited {
        return enqueued.wait().map_err(|error| error.of_argument(argument));
    }
    let (steps, newest) = (enqueued.steps(), enqueued.newest().to_vec());
    Ok(Outcome { steps, has_stopped: false, newest, results: Vec::new() })
}

/// # Safety
/// `outcome` must be null or valid for a write.
unsafe fn give(end: &Outcome, outcome: *mut StencilOutcome) {
    if !outcome.is_null() {
        let stopped = c_int::from(end.has_stopped);
        // SAFETY: it is not null; this function requires a pointer that is valid for a write.
        unsafe { outcome.write(StencilOutcome { steps: end.steps as i64, stopped }) };
    }
}

/// # Safety
/// `plan` must be null or live, `queue` null or a live queue, `grids` null or valid for `count` ones with live memory
/// objects, `operands` null or valid for `scalars` ones with their elements, `newest` null or valid for `count` writes,
/// `outcome` and `event` null or valid for a write.
#[expect(clippy::too_many_arguments, reason = "they are the C function's")]
pub(crate) unsafe fn plan_run_cl(
    plan: *const StencilPlan,
    queue: *mut ClQueue,
    count: i64,
    grids: *const OperandCl,
    scalars: i64,
    operands: *const ArrayOperand,
    initialize: c_int,
    first: i64,
    steps: i64,
    newest: *mut i32,
    outcome: *mut StencilOutcome,
    event: *mut *mut ClEvent,
) -> Result<()> {
    not_null("plan", plan)?;
    let span = span(initialize, first, steps)?;
    // SAFETY: `plan_run_cl` requires a queue that is null or live.
    let queue = unsafe { opencl::queue(queue)? };
    // A caller without an event pointer does not pay for an event.
    let queue = if event.is_null() { queue.unsignaled() } else { queue };
    // SAFETY: `plan_run_cl` requires valid operands.
    let (levels, operands) =
        unsafe { (crate::arrays::operands(count, grids)?, crate::arrays::operands(scalars, operands)?) };
    // SAFETY: `not_null` refused null; `plan_run_cl` requires a live plan.
    let plan = &*unsafe { (*plan).read() };
    let stencil = plan.bound().stencil();
    let names = Names::new(stencil, levels.iter().map(|(name, _)| *name), true)?;
    let others = Names::new(stencil, operands.iter().map(|(name, _)| *name), false)?;
    // SAFETY: `plan_run_cl` requires operands with their elements.
    let arguments = unsafe { others.arguments(plan.bound(), &operands)? };
    others.check_results(stencil, &operands)?;
    // SAFETY: `plan_run_cl` requires live memory objects.
    let memories = unsafe { grids::memories(&queue, &levels)? };
    let levels = levels.iter().zip(&memories).map(|((_, level), memory)| Some(grids::Level::of(level, memory)));
    let levels: Vec<Option<grids::Level<'_>>> = levels.collect();
    let on_device = grids::on_device(plan.bound(), &names, &levels)?;
    let enqueued = plan.enqueue(&queue, &on_device, &arguments, span).map_err(|error| error.of_argument("grids"))?;
    let end = ended(enqueued, others.has_results() || stencil.stop().is_some(), "grids")?;
    let done = queue.marker()?;
    // SAFETY: `plan_run_cl` requires operands with their elements, room for `count` flags, and pointers that are null
    // or valid for a write.
    unsafe {
        others.write_results(&operands, &end);
        names.write_newest(&end, newest);
        give(&end, outcome);
        opencl::give_event(&queue, done, event)
    }
}

/// The code of a type of elements.
const fn code(kind: Type) -> c_int {
    match kind {
        Type::Bool => 501,
        Type::I32 => 503,
        Type::I64 => 505,
        Type::F32 => 506,
        Type::F64 => 507,
    }
}

/// # Safety
/// `to` must be valid for a write of a number of the value's type.
unsafe fn store(value: Value, to: *mut std::ffi::c_void) {
    // SAFETY: this function's condition.
    unsafe {
        match value {
            Value::Bool(value) => to.cast::<u8>().write_unaligned(value.into()),
            Value::I32(value) => to.cast::<i32>().write_unaligned(value),
            Value::I64(value) => to.cast::<i64>().write_unaligned(value),
            Value::F32(value) => to.cast::<f32>().write_unaligned(value),
            Value::F64(value) => to.cast::<f64>().write_unaligned(value),
        }
    }
}
