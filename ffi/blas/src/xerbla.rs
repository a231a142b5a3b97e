//! The error handlers of BLAS and CBLAS: the application's if it has one, else ours. Ours print the reference's
//! messages on standard error and return.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io::Write;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::call::{Language, Routine};
use crate::handlers;

const ROW_MAJOR: c_int = 101;

/// The reference's flag for its own error handlers: 1 if the last wrong call was row-major. An application's
/// `cblas_xerbla` may read it to count the arguments.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the reference's name")]
static RowMajorStrg: AtomicI32 = AtomicI32::new(0);

/// The reference's flag for Fortran routines called from C, which never happens here.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the reference's name")]
static CBLAS_CallFromC: AtomicI32 = AtomicI32::new(0);

/// Prints a line on standard error. Without standard error, the line is lost.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Reports that the argument at this index, from 1, is wrong.
pub(crate) fn report(routine: &Routine, layout: c_int, position: usize, text: &str) {
    match routine.language {
        Language::Fortran { wide } => fortran(routine.name.to_bytes(), wide, position as i64),
        Language::Cblas { wide, exchanged } => {
            let row_major = layout == ROW_MAJOR;
            let number = if row_major { exchange(routine.arguments, exchanged, position) } else { position };
            cblas(routine.name, wide, row_major, [position, number], text);
        }
    }
}

/// The index of an argument after the reference's exchange from row-major layout to Fortran.
fn exchange(arguments: &[&str], exchanged: &[[&str; 2]], position: usize) -> usize {
    let location = |name: &str| arguments.iter().position(|argument| *argument == name).map_or(position, |at| at + 1);
    exchanged
        .iter()
        .map(|[one, other]| (location(one), location(other)))
        .find_map(|(one, other)| match position {
            _ if position == one => Some(other),
            _ if position == other => Some(one),
            _ => None,
        })
        .unwrap_or(position)
}

/// Prints the reference's message of XERBLA.
fn say_fortran(name: &[u8], position: i64) {
    let name = String::from_utf8_lossy(name);
    say(&format!(" ** On entry to {:6} parameter number {position:2} had an illegal value", name.trim_end()));
}

fn fortran(name: &[u8], wide: bool, position: i64) {
    type Handler<I> = unsafe extern "C" fn(*const c_char, *const I, usize);
    let start = name.as_ptr().cast();
    let names: &[&CStr] = if wide { &[c"xerbla_64_", c"scipy_xerbla_64_"] } else { &[c"xerbla_", c"scipy_xerbla_"] };
    match handlers::find(names) {
        None => {
            say_fortran(name, position);
        }
        // SAFETY: a symbol of this name is BLAS's error handler, with these arguments.
        Some(handler) if wide => unsafe {
            std::mem::transmute::<*mut c_void, Handler<i64>>(handler)(start, &position, name.len());
        },
        // SAFETY: the same, with 32-bit integers.
        Some(handler) => unsafe {
            std::mem::transmute::<*mut c_void, Handler<i32>>(handler)(start, &(position as i32), name.len());
        },
    }
}

/// Calls the application's handler with the reference's index, or prints a message with the argument's own.
fn cblas(name: &'static CStr, wide: bool, row_major: bool, [own, reference]: [usize; 2], text: &str) {
    type Handler<I> = unsafe extern "C" fn(I, *const c_char, *const c_char, ...);
    let names: &[&CStr] = if wide {
        &[c"cblas_xerbla64_", c"cblas_xerbla_64", c"scipy_cblas_xerbla64_"]
    } else {
        &[c"cblas_xerbla", c"scipy_cblas_xerbla"]
    };
    let Some(handler) = handlers::find(names) else {
        return say(&format!("Parameter {own} to routine {} was incorrect\n{text}", name.to_string_lossy()));
    };
    // An application's own copy of the flag replaces ours at link time.
    RowMajorStrg.store(i32::from(row_major), Ordering::Relaxed);
    let text = CString::new(format!("{text}\n").replace('\0', " ")).unwrap_or_default();
    // SAFETY: a symbol of this name is CBLAS's error handler: an index, a name, and a format with its arguments.
    unsafe {
        if wide {
            let handler = std::mem::transmute::<*mut c_void, Handler<i64>>(handler);
            handler(reference as i64, name.as_ptr(), c"%s".as_ptr(), text.as_ptr());
        } else {
            let handler = std::mem::transmute::<*mut c_void, Handler<c_int>>(handler);
            handler(reference as c_int, name.as_ptr(), c"%s".as_ptr(), text.as_ptr());
        }
    }
}

/// Prints the reference's message of LAPACKE_xerbla.
fn say_lapacke(name: &str, info: i64) {
    match info {
        -1010 | -1011 => say(&format!("Not enough memory in {name}")),
        ..0 => say(&format!("Wrong parameter {} in {name}", -info)),
        0.. => {}
    }
}

/// Calls the process's LAPACKE handler for a wrong argument, or prints the reference's message.
pub(crate) fn lapacke(name: &'static CStr, wide: bool, position: usize) {
    type Handler<I> = unsafe extern "C" fn(*const c_char, I);
    let names: &[&CStr] = if wide {
        &[c"LAPACKE_xerbla64_", c"LAPACKE_xerbla_64", c"scipy_LAPACKE_xerbla64_"]
    } else {
        &[c"LAPACKE_xerbla", c"scipy_LAPACKE_xerbla"]
    };
    let Some(handler) = handlers::find(names) else {
        return say_lapacke(&name.to_string_lossy(), -(position as i64));
    };
    // SAFETY: a symbol of this name is LAPACKE's error handler: a name and an info.
    unsafe {
        if wide {
            let handler = std::mem::transmute::<*mut c_void, Handler<i64>>(handler);
            handler(name.as_ptr(), -(position as i64));
        } else {
            let handler = std::mem::transmute::<*mut c_void, Handler<i32>>(handler);
            handler(name.as_ptr(), -(position as i32));
        }
    }
}

/// Fortran text.
///
/// # Safety
/// The pointer must be valid for `length` bytes.
unsafe fn text<'a>(start: *const c_char, length: usize) -> &'a [u8] {
    // SAFETY: this function requires `length` bytes.
    unsafe { std::slice::from_raw_parts(start.cast(), length) }
}

/// XERBLA reports a wrong argument. `$array` is XERBLA_ARRAY, for callers that have the name as an array.
macro_rules! xerbla {
    ($($name:ident, $array:ident: $integer:ty;)+) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(name: *const c_char, info: *const $integer, length: usize) {
            // SAFETY: XERBLA requires `length` bytes of the name and a readable info.
            let (name, info) = unsafe { (text(name, length), info.read()) };
            say_fortran(name, info.into());
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $array(name: *const c_char, length: *const $integer, info: *const $integer) {
            // SAFETY: XERBLA_ARRAY requires a readable length and info, and `length` bytes of the name.
            unsafe {
                let name = text(name, usize::try_from(length.read()).unwrap_or(0));
                fortran(name, size_of::<$integer>() == 8, info.read().into());
            }
        }
    )+};
}

xerbla! {
    xerbla_, xerbla_array_: i32;
    scipy_xerbla_, scipy_xerbla_array_: i32;
    xerbla_64_, xerbla_array_64_: i64;
    scipy_xerbla_64_, scipy_xerbla_array_64_: i64;
}

/// C text; empty for null.
///
/// # Safety
/// `text` must be null or a C string.
unsafe fn owned(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: it is not null, and this function requires a C string.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// CBLAS's handler. Arguments behind the format are not read: it is printed if it has no conversions.
macro_rules! cblas_xerbla {
    ($($name:ident: $integer:ty;)+) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(info: $integer, name: *const c_char, format: *const c_char) {
            // SAFETY: cblas_xerbla requires C strings, and `owned` takes null, too.
            let (name, format) = unsafe { (owned(name), owned(format)) };
            if info != 0 {
                say(&format!("Parameter {info} to routine {name} was incorrect"));
            }
            let format = format.trim_end();
            if !format.is_empty() && !format.contains('%') {
                say(format);
            }
        }
    )+};
}

cblas_xerbla! {
    cblas_xerbla: c_int;
    scipy_cblas_xerbla: c_int;
    cblas_xerbla64_: i64;
    cblas_xerbla_64: i64;
    scipy_cblas_xerbla64_: i64;
}

/// LAPACKE's handler.
macro_rules! lapacke_xerbla {
    ($($name:ident: $integer:ty;)+) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(name: *const c_char, info: $integer) {
            // SAFETY: LAPACKE_xerbla requires a C string, and `owned` takes null, too.
            say_lapacke(&unsafe { owned(name) }, info.into());
        }
    )+};
}

lapacke_xerbla! {
    LAPACKE_xerbla: i32;
    LAPACKE_xerbla64_: i64;
    LAPACKE_xerbla_64: i64;
}
