//! Grids, plans and errors: the functions that are the same for all types.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::{Mutex, PoisonError};

use affinimath::{Complex32, Complex64, FftReal, Scalar};
use affinimath_core::error::status;
use affinimath_mpi::{BlockCyclic, DistFft, Error, FftBlock, Result, Spectrum};
use mpi::ffi;

use crate::boundary;
use crate::generated::objects::FftBlocks;

/// Rust's side of C's `affinimath_mpi_grid`.
#[derive(Debug)]
pub struct Grid(pub(crate) affinimath_mpi::Grid);

/// Rust's side of C's `affinimath_mpi_fft_plan`.
#[derive(Debug)]
pub enum FftPlan {
    /// `float`
    S(DistFft<f32>),
    /// `double`
    D(DistFft<f64>),
    /// `affinimath_c32`
    C(DistFft<Complex32>),
    /// `affinimath_c64`
    Z(DistFft<Complex64>),
}

/// The same work with each type of a plan.
macro_rules! with_plan {
    ($plan:expr, $name:ident => $work:expr) => {
        match $plan {
            FftPlan::S($name) => $work,
            FftPlan::D($name) => $work,
            FftPlan::C($name) => $work,
            FftPlan::Z($name) => $work,
        }
    };
}

/// An argument without a legal value.
#[cold]
pub(crate) fn wrong(name: &'static str, reason: impl Into<String>) -> Error {
    Error::Argument { name, reason: reason.into() }
}

thread_local! {
    /// Grids that C has and has not destroyed.
    static OPEN: RefCell<Vec<*const Grid>> = const { RefCell::new(Vec::new()) };
}

/// The object of a call of all ranks.
///
/// Only an object tells this rank who the others are. Where it is null, they hear of it on the only open grid, as of
/// another function than theirs. Several open grids are closed, so that nobody waits on any of them.
///
/// # Safety
/// The pointer is null or valid.
pub(crate) unsafe fn handle<'a, T>(function: &'static str, name: &'static str, pointer: *const T) -> Result<&'a T> {
    // SAFETY: by contract.
    unsafe { pointer.as_ref() }.ok_or_else(|| null_handle(function, name))
}

#[cold]
fn null_handle(function: &'static str, name: &'static str) -> Error {
    let error = wrong(name, "it is null");
    let open = OPEN.with(|open| open.borrow().clone());
    // SAFETY: the pointers are those of grids that C has not destroyed.
    let open: Vec<&affinimath_mpi::Grid> = open.into_iter().map(|grid| unsafe { &(*grid).0 }).collect();
    match open.as_slice() {
        [] => error,
        // Where all ranks have given null, they agree.
        [grid] => grid.agree_on(lasting(format!("{function} with a null {name}")), &[], Ok(())).err().unwrap_or(error),
        several => {
            several.iter().for_each(|grid| drop(grid.fail(&format!("{function}: {error}"))));
            error
        }
    }
}

/// A text that lasts as long as the program. Each of the few texts is kept once.
fn lasting(text: String) -> &'static str {
    static TEXTS: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let texts = texts.get_or_insert_default();
    match texts.get(text.as_str()) {
        Some(known) => known,
        None => {
            let text: &'static str = text.leak();
            texts.insert(text);
            text
        }
    }
}

/// Target of a pointer of C's, in a call of this rank alone.
///
/// # Safety
/// It is null or valid.
pub(crate) unsafe fn given<'a, T>(name: &'static str, pointer: *const T) -> Result<&'a T> {
    // SAFETY: by contract.
    unsafe { pointer.as_ref() }.ok_or_else(|| wrong(name, "it is null"))
}

/// # Safety
/// `grid` is null or valid for a write.
pub(crate) unsafe fn grid_create(
    function: &'static str,
    comm: c_int,
    rows: i64,
    columns: i64,
    grid: *mut *mut Grid,
) -> Result<()> {
    if !mpi::environment::is_initialized() || mpi::environment::is_finalized() {
        return Err(wrong("comm", "MPI has not begun, or has ended"));
    }
    // Numbers that no grid has are refused by it, on all ranks alike.
    let [rows, columns] = [rows, columns].map(|number| usize::try_from(number).unwrap_or(0));
    // SAFETY: MPI has begun, and the handle is the caller's communicator.
    let made = unsafe {
        let comm = ffi::RSMPI_Comm_f2c(comm);
        affinimath_mpi::Grid::from_raw(comm, rows, columns)
    };
    let made = made.map_err(|error| match error {
        Error::Argument { name: "grid", reason } => wrong("rows", reason),
        other => other,
    })?;
    // All ranks make the grid, also one that has nowhere to put it: the others would wait for it.
    made.agree_on(function, &[], if grid.is_null() { Err(wrong("grid", "it is null")) } else { Ok(()) })?;
    let made = Box::into_raw(Box::new(Grid(made)));
    OPEN.with(|open| open.borrow_mut().push(made));
    // SAFETY: the pointer is not null, and valid for a write by contract.
    unsafe { grid.write(made) };
    Ok(())
}

/// # Safety
/// `grid` is null or a grid that nothing uses any more.
pub(crate) unsafe fn grid_destroy(_: &'static str, grid: *mut Grid) -> Result<()> {
    if !grid.is_null() {
        OPEN.with(|open| open.borrow_mut().retain(|other| !std::ptr::eq(*other, grid)));
        // SAFETY: `grid_create` boxed it, and nothing uses it any more.
        drop(unsafe { Box::from_raw(grid) });
    }
    Ok(())
}

/// # Safety
/// Pointers are null or valid.
pub(crate) unsafe fn grid_position(_: &'static str, grid: *const Grid, row: *mut i64, column: *mut i64) -> Result<()> {
    // SAFETY: by contract.
    let grid = &unsafe { given("grid", grid)? }.0;
    for (name, target) in [("row", row), ("column", column)] {
        if target.is_null() {
            return Err(wrong(name, "it is null"));
        }
    }
    // SAFETY: the pointers are not null, and valid for writes by contract.
    unsafe {
        row.write(grid.row() as i64);
        column.write(grid.column() as i64);
    }
    Ok(())
}

/// # Safety
/// `message` is null or a C string.
pub(crate) unsafe fn grid_fail(_: &'static str, grid: *const Grid, message: *const c_char) -> Result<()> {
    // SAFETY: by contract.
    let grid = &unsafe { given("grid", grid)? }.0;
    // SAFETY: a C string by contract.
    let text = if message.is_null() { c"" } else { unsafe { CStr::from_ptr(message) } };
    Err(grid.fail(&text.to_string_lossy()))
}

/// # Safety
/// `grid` is null or a live grid.
pub(crate) unsafe fn grid_status(_: &'static str, grid: *const Grid) -> Result<()> {
    // SAFETY: by contract.
    unsafe { given("grid", grid)? }.0.failure().map_or(Ok(()), Err)
}

pub(crate) fn numroc(n: i64, nb: i64, iproc: i64, isrcproc: i64, nprocs: i64) -> i64 {
    let sizes = [n, nb, iproc, isrcproc, nprocs].map(usize::try_from);
    let [Ok(n), Ok(nb), Ok(part), Ok(source), Ok(parts)] = sizes else { return 0 };
    match BlockCyclic::new(n, nb, parts, source) {
        Ok(deal) if part < parts => deal.local_length(part) as i64,
        _ => 0,
    }
}

/// # Safety
/// Pointers are null or valid.
pub(crate) unsafe fn fft_blocks(_: &'static str, plan: *const FftPlan, blocks: *mut FftBlocks) -> Result<()> {
    // SAFETY: by contract.
    let plan = unsafe { given("plan", plan)? };
    if blocks.is_null() {
        return Err(wrong("blocks", "it is null"));
    }
    let (input, output): (FftBlock, FftBlock) = with_plan!(plan, plan => (*plan.input(), *plan.output()));
    let numbers = |of: &[usize]| std::array::from_fn(|axis| of.get(axis).map_or(0, |number| *number as i64));
    let found = FftBlocks {
        input_offset: numbers(input.offset()),
        input_shape: numbers(input.shape()),
        output_offset: numbers(output.offset()),
        output_shape: numbers(output.shape()),
    };
    // SAFETY: not null, and valid for a write by contract.
    unsafe { blocks.write(found) };
    Ok(())
}

/// # Safety
/// Pointers are null or valid, for the elements of the plan's blocks.
pub(crate) unsafe fn fft_forward(
    function: &'static str,
    plan: *mut FftPlan,
    input: *const c_void,
    output: *mut c_void,
) -> Result<()> {
    // SAFETY: by contract.
    unsafe {
        handle(function, "plan", plan.cast_const())?;
        let plan = &mut *plan;
        with_plan!(plan, plan => forward(function, plan, input, output))
    }
}

/// # Safety
/// Pointers are null or valid, for the elements of the plan's blocks.
pub(crate) unsafe fn fft_backward(
    function: &'static str,
    plan: *mut FftPlan,
    input: *const c_void,
    output: *mut c_void,
) -> Result<()> {
    // SAFETY: by contract.
    unsafe {
        handle(function, "plan", plan.cast_const())?;
        let plan = &mut *plan;
        with_plan!(plan, plan => backward(function, plan, input, output))
    }
}

/// # Safety
/// Null, or valid for the blocks' elements.
unsafe fn forward<T: Scalar<RealScalar: FftReal>>(
    function: &'static str,
    plan: &mut DistFft<T>,
    input: *const c_void,
    output: *mut c_void,
) -> Result<()> {
    let (read, written) = (plan.input().len(), plan.output().len());
    plan.grid().clone().agree_on(function, &[], check(input, read, output, written))?;
    // SAFETY: by contract; null has no elements.
    let (input, output) = unsafe { (elements(input.cast::<T>(), read), elements_mut(output.cast(), written)) };
    plan.forward(input, output)
}

/// # Safety
/// Null, or valid for the blocks' elements.
unsafe fn backward<T: Scalar<RealScalar: FftReal>>(
    function: &'static str,
    plan: &mut DistFft<T>,
    input: *const c_void,
    output: *mut c_void,
) -> Result<()> {
    let (read, written) = (plan.output().len(), plan.input().len());
    plan.grid().clone().agree_on(function, &[], check(input, read, output, written))?;
    // SAFETY: by contract; null has no elements.
    let (input, output) =
        unsafe { (elements(input.cast::<Spectrum<T>>(), read), elements_mut(output.cast::<T>(), written)) };
    plan.backward(input, output)
}

fn check(input: *const c_void, read: usize, output: *const c_void, written: usize) -> Result<()> {
    for (name, pointer, length) in [("input", input, read), ("output", output, written)] {
        if pointer.is_null() && length > 0 {
            return Err(wrong(name, "it is null, and the rank has elements"));
        }
    }
    Ok(())
}

/// # Safety
/// Valid for the number of elements given.
pub(crate) unsafe fn elements<'a, T>(pointer: *const T, length: usize) -> &'a [T] {
    // SAFETY: by contract.
    if length == 0 { &[] } else { unsafe { std::slice::from_raw_parts(pointer, length) } }
}

/// # Safety
/// Valid for the number of elements given, which nobody else uses.
pub(crate) unsafe fn elements_mut<'a, T>(pointer: *mut T, length: usize) -> &'a mut [T] {
    // SAFETY: by contract.
    if length == 0 { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(pointer, length) } }
}

/// # Safety
/// `plan` is null or a plan that nothing uses any more.
pub(crate) unsafe fn fft_plan_destroy(_: &'static str, plan: *mut FftPlan) -> Result<()> {
    if !plan.is_null() {
        // SAFETY: the plan was boxed, and nothing uses it any more.
        drop(unsafe { Box::from_raw(plan) });
    }
    Ok(())
}

/// A status's text as a C string. Each of the few texts is made once and cached.
pub(crate) fn status_string(status: c_int) -> *const c_char {
    static TEXTS: Mutex<Option<HashMap<&'static str, CString>>> = Mutex::new(None);
    let text = match status {
        boundary::FAILED => "a rank of the grid could not do its part, or has ended",
        boundary::MISMATCH => "ranks of the grid disagree about an argument, or call different functions",
        other => status::describe(other),
    };
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let cached = texts.get_or_insert_default().entry(text).or_insert_with(|| CString::new(text).unwrap_or_default());
    cached.as_ptr()
}

pub(crate) fn last_error() -> *const c_char {
    boundary::last_error()
}
