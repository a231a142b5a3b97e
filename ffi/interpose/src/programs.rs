//! Programs: their sources and options.
#![allow(non_snake_case, clippy::too_many_arguments)]

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::Arc;

use affinimath_trace::ProgramFacts;

use crate::objects::{Program, objects};
use crate::recorder::{guarded, is_on, note};
use crate::types::{
    Callback, Handle, INVALID_BUILD_OPTIONS, PROGRAM_BUILD_OPTIONS, PROGRAM_KERNEL_NAMES, PROGRAM_SOURCE, Pointer,
    SUCCESS, Status,
};
use crate::{info, real};

/// Has the compiler keep the names and types of arguments.
const ARGUMENT_INFO: &str = "-cl-kernel-arg-info";
/// Letters of a program's name, at most.
const MAX_NAME: usize = 60;

/// Facts of a program for the recorder, but for its options.
fn facts(program: Handle, known: &Program) -> ProgramFacts {
    // SAFETY: the program is alive in a call of it, and the places are those of `info`.
    let query = |what| move |size, value, used| unsafe { real::clGetProgramInfo(program, what, size, value, used) };
    let source = known.source.clone().or_else(|| info::text(query(PROGRAM_SOURCE))).unwrap_or_default();
    let name = name_of(&info::text(query(PROGRAM_KERNEL_NAMES)).unwrap_or_default());
    ProgramFacts {
        name,
        source,
        options: known.options.as_deref().unwrap_or_default().trim().to_owned(),
        definitions: BTreeMap::new(),
        hidden_ptx: false,
        scalar: None,
        kernels: Vec::new(),
    }
}

/// A program's name: those of its first kernels.
fn name_of(kernels: &str) -> String {
    let mut name = String::new();
    for kernel in kernels.split(';').filter(|kernel| !kernel.is_empty()) {
        if !name.is_empty() {
            if name.len() + kernel.len() > MAX_NAME {
                return name + " ...";
            }
            name += ", ";
        }
        name.extend(kernel.chars().filter(|c| !c.is_control()).take(MAX_NAME));
    }
    if name.is_empty() { "program".to_owned() } else { name }
}

/// The program as launches need it, with a number in the trace. Its state is new where it was not built under the
/// trace's eyes.
pub fn registered(program: Handle) -> Program {
    let known = objects().program(program).clone();
    if known.id.get().is_none() { register(program, known) } else { known }
}

/// Gives a program a number and a line.
fn register(program: Handle, mut known: Program) -> Program {
    let facts = facts(program, &known);
    if facts.source.is_empty() {
        known.obstacle.get_or_insert_with(|| "its program has no source".to_owned());
    }
    known.id = Arc::default();
    objects().programs.insert(program.addr(), known.clone());
    let id = known.id.clone();
    note(move |recorder| {
        let number = recorder.program(facts)?;
        id.get_or_init(|| number);
        Ok(())
    });
    known
}

/// Options of a build: the program's, and those with which the compiler tells of arguments.
struct Options {
    given: String,
    /// `None` for a program without a source.
    told: Option<CString>,
}

impl Options {
    /// Options of a call; `None` for a text that is no UTF-8, and where nothing is traced.
    ///
    /// # Safety
    /// The text is null, or ends in a zero byte.
    unsafe fn of(program: Handle, options: *const u8) -> Option<Self> {
        if !is_on() {
            return None;
        }
        let given = if options.is_null() {
            String::new()
        } else {
            // SAFETY: the caller says so.
            unsafe { CStr::from_ptr(options.cast()) }.to_str().ok()?.to_owned()
        };
        let told = has_source(program).then(|| CString::new(with_argument_info(&given)).ok()).flatten();
        Some(Options { given, told })
    }
}

/// Options of a build with those that have the compiler tell of arguments.
fn with_argument_info(given: &str) -> String {
    match given.contains(ARGUMENT_INFO) {
        true => given.to_owned(),
        false => format!("{given} {ARGUMENT_INFO}").trim_start().to_owned(),
    }
}

/// True for a program that has a source for the compiler.
fn has_source(program: Handle) -> bool {
    let mut size = 0;
    // SAFETY: the program is alive in a call of it.
    let status = unsafe { real::clGetProgramInfo(program, PROGRAM_SOURCE, 0, ptr::null_mut(), &raw mut size) };
    status == SUCCESS && size > 1
}

/// Builds or compiles with options of ours, and with the program's own where the driver does not know them.
fn with_information(given: *const u8, told: Option<&CString>, call: impl Fn(*const u8) -> Status) -> Status {
    if let Some(told) = told {
        let status = call(told.as_ptr().cast());
        if status != INVALID_BUILD_OPTIONS {
            return status;
        }
    }
    call(given)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clBuildProgram(
    program: Handle,
    n: u32,
    devices: *const Handle,
    options: *const u8,
    done: Callback,
    user: Pointer,
) -> Status {
    // SAFETY: OpenCL's options are a text.
    let read = guarded(|| unsafe { Options::of(program, options) }).flatten();
    // SAFETY: the program keeps OpenCL's demands, and the other options are a text too.
    let call = |options| unsafe { real::clBuildProgram(program, n, devices, options, done, user) };
    let status = with_information(options, read.as_ref().and_then(|read| read.told.as_ref()), call);
    if let Some(Options { given, told }) = read {
        guarded(|| {
            objects().program(program).last_options = Some(given.clone());
            if status != SUCCESS {
                return;
            }
            let mut known = objects().program(program).clone();
            known.options = Some(given);
            if told.is_some() {
                (known.obstacle, known.source) = (None, None);
            }
            register(program, known);
        });
    }
    status
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCompileProgram(
    program: Handle,
    n: u32,
    devices: *const Handle,
    options: *const u8,
    headers: u32,
    programs: *const Handle,
    names: Pointer,
    done: Callback,
    user: Pointer,
) -> Status {
    // SAFETY: OpenCL's options are a text.
    let read = guarded(|| unsafe { Options::of(program, options) }).flatten();
    let call = |options| {
        // SAFETY: the program keeps OpenCL's demands, and the other options are a text too.
        unsafe { real::clCompileProgram(program, n, devices, options, headers, programs, names, done, user) }
    };
    let status = with_information(options, read.as_ref().and_then(|read| read.told.as_ref()), call);
    if let Some(Options { given, .. }) = read {
        guarded(|| {
            let mut objects = objects();
            let known = objects.program(program);
            known.last_options = Some(given.clone());
            if status != SUCCESS {
                return;
            }
            known.options = Some(given);
            known.obstacle = (headers > 0).then(|| "its program was compiled with headers in memory".to_owned());
        });
    }
    status
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clLinkProgram(
    context: Handle,
    n: u32,
    devices: *const Handle,
    options: *const u8,
    inputs: u32,
    programs: *const Handle,
    done: Callback,
    user: Pointer,
    status: *mut Status,
) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    let made = unsafe { real::clLinkProgram(context, n, devices, options, inputs, programs, done, user, status) };
    if !made.is_null() && is_on() {
        guarded(|| {
            let known = if inputs == 1 {
                // SAFETY: there is one program, which was alive in the call.
                let input = unsafe { programs.read() };
                let compiled = objects().program(input).clone();
                let source = facts(input, &compiled).source;
                Program { id: Arc::default(), source: Some(source), ..compiled }
            } else {
                let obstacle = Some(format!("its program is linked from {inputs} programs"));
                Program { obstacle, ..Program::default() }
            };
            // The one source with the options of its compilation is as good as the linked program.
            objects().programs.insert(made.addr(), known);
        });
    }
    made
}

/// A new program, whose source may be missing for a reason.
fn created(program: Handle, obstacle: Option<&str>) -> Handle {
    if !program.is_null() && is_on() {
        guarded(|| {
            let obstacle = obstacle.map(str::to_owned);
            objects().programs.insert(program.addr(), Program { obstacle, ..Program::default() });
        });
    }
    program
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCreateProgramWithSource(
    context: Handle,
    count: u32,
    strings: Pointer,
    lengths: *const usize,
    status: *mut Status,
) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    created(unsafe { real::clCreateProgramWithSource(context, count, strings, lengths, status) }, None)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCreateProgramWithBinary(
    context: Handle,
    n: u32,
    devices: *const Handle,
    lengths: *const usize,
    binaries: Pointer,
    each: Pointer,
    status: *mut Status,
) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    let made = unsafe { real::clCreateProgramWithBinary(context, n, devices, lengths, binaries, each, status) };
    created(made, Some("its program was made from a binary"))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCreateProgramWithBuiltInKernels(
    context: Handle,
    n: u32,
    devices: *const Handle,
    names: *const u8,
    status: *mut Status,
) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    let made = unsafe { real::clCreateProgramWithBuiltInKernels(context, n, devices, names, status) };
    created(made, Some("its kernel is built into the driver"))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clCreateProgramWithIL(context: Handle, il: Pointer, length: usize, status: *mut Status) -> Handle {
    // SAFETY: the program keeps OpenCL's demands.
    let made = unsafe { real::clCreateProgramWithIL(context, il, length, status) };
    created(made, Some("its program was made from an intermediate language"))
}

/// The program's own options of a build, where the driver has them with those of the trace. A refused build leaves the
/// driver the options of the one before.
fn given_options(program: Handle, device: Handle) -> Option<CString> {
    let known = objects().programs.get(&program.addr())?.clone();
    let driver = info::text(|size, value, used| {
        // SAFETY: the program is alive in a call of it, and the places are those of `info`.
        unsafe { real::clGetProgramBuildInfo(program, device, PROGRAM_BUILD_OPTIONS, size, value, used) }
    })?;
    let is_told = |given: &String| *given != driver && with_argument_info(given).trim() == driver.trim();
    CString::new([known.last_options, known.options].into_iter().flatten().find(is_told)?).ok()
}

/// Options of a build are told as the program gave them.
#[unsafe(no_mangle)]
unsafe extern "C" fn clGetProgramBuildInfo(
    program: Handle,
    device: Handle,
    what: u32,
    size: usize,
    value: Pointer,
    used: *mut usize,
) -> Status {
    // SAFETY: the program keeps OpenCL's demands.
    let status = unsafe { real::clGetProgramBuildInfo(program, device, what, size, value, used) };
    if what != PROGRAM_BUILD_OPTIONS || !is_on() {
        return status;
    }
    let Some(given) = guarded(|| given_options(program, device)).flatten() else { return status };
    let bytes = given.as_bytes_with_nul();
    if !value.is_null() && size < bytes.len() {
        return status;
    }
    // SAFETY: places are null, or have as many bytes as the program says.
    unsafe {
        if !value.is_null() {
            ptr::copy_nonoverlapping(bytes.as_ptr(), value.cast(), bytes.len());
        }
        if !used.is_null() {
            used.write(bytes.len());
        }
    }
    SUCCESS
}
