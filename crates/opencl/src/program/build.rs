//! Building a program, from the binary in the cache or from its source.

use std::ffi::{CStr, CString};
use std::ptr;
use std::time::Instant;

use opencl3::error_codes::CL_BUILD_PROGRAM_FAILURE;
use opencl3::program::{Program, build_program};
use opencl3::types::{cl_device_id, cl_int};

use super::source::Source;
use super::{cache, key, ptx_patch};
use crate::error::{Error, Result};
use crate::raw::RawContext;
use crate::status::check;
use crate::trace::{self, TracedProgram};

/// The version of the language that all sources are written in, but foreign ones with a version of their own.
const LANGUAGE: &str = "-cl-std=CL1.2";

/// Has the compiler keep the names and types of arguments.
const ARGUMENT_INFO: &str = " -cl-kernel-arg-info";

pub(super) fn load_or_build(context: &RawContext, source: &impl Source) -> Result<(Program, Option<TracedProgram>)> {
    let device_info = context.device().info();
    let text = source.text(device_info);
    let own_options = source.options(device_info);
    let information = if trace::is_on() { ARGUMENT_INFO } else { "" };
    let language = if own_options.contains("-cl-std=") { "" } else { LANGUAGE };
    let options = format!("{language}{own_options}{information}");
    let key = key::digest(&text, &options, device_info);
    let options = CString::new(options).map_err(|_| Error::argument("build options", "they contain a zero byte"))?;
    let start = Instant::now();
    if let Some(program) = cache::read(&key).and_then(|binary| from_binary(context, &binary, &options)) {
        tracing::debug!(program = source.label(), elapsed = ?start.elapsed(), "loaded from the cache");
        return Ok((program, trace::program(source, &text, own_options.trim())));
    }
    let program = from_source(context, source, &text, &options)?;
    tracing::debug!(program = source.label(), elapsed = ?start.elapsed(), "built from source");
    // Asking for the binary can take as long as building did: PoCL compiles every kernel once more for it.
    if cache::directory().is_some()
        && let Some(binary) = binary_of(&program)
    {
        cache::write(&key, &binary);
    }
    Ok((program, trace::program(source, &text, own_options.trim())))
}

/// A driver may refuse its own binary after an update that its version string does not show: then there is none.
fn from_binary(context: &RawContext, binary: &[u8], options: &CStr) -> Option<Program> {
    let device = context.device().handle().id();
    // SAFETY: the device belongs to the context.
    let program = unsafe { Program::create_from_binary(context.handle(), &[device], &[binary]) }.ok()?;
    build(&program, device, options).ok()?;
    Some(program)
}

fn from_source(context: &RawContext, source: &impl Source, text: &str, options: &CStr) -> Result<Program> {
    let program = Program::create_from_source(context.handle(), text);
    let program = built(context, source, check("clCreateProgramWithSource", program)?, options)?;
    if source.has_hidden_ptx() { with_patched_ptx(context, source, &program, options) } else { Ok(program) }
}

/// Builds a program.
fn built(context: &RawContext, source: &impl Source, program: Program, options: &CStr) -> Result<Program> {
    let device = context.device().handle().id();
    let Err(code) = build(&program, device, options) else { return Ok(program) };
    let log = program.get_build_log(device).unwrap_or_default();
    let log = log.trim();
    if code != CL_BUILD_PROGRAM_FAILURE && log.is_empty() {
        // The compiler has not seen the program.
        return Err(Error::opencl("clBuildProgram", code));
    }
    let log = if log.is_empty() { "the driver gives no log" } else { log };
    Err(failure(context, source, log))
}

fn failure(context: &RawContext, source: &impl Source, log: &str) -> Error {
    let device = context.device().info().name.clone();
    Error::ProgramBuild { program: source.label(), device, log: log.to_owned() }
}

/// The program with the instructions that its compiler has passed over: see [`ptx_patch`].
fn with_patched_ptx(context: &RawContext, source: &impl Source, program: &Program, options: &CStr) -> Result<Program> {
    let binary = binary_of(program).unwrap_or_default();
    let ptx = ptx_patch::reveal(&binary).map_err(|missing| failure(context, source, missing))?;
    let device = context.device().handle().id();
    // SAFETY: the device belongs to the context.
    let program = unsafe { Program::create_from_binary(context.handle(), &[device], &[ptx.as_bytes()]) };
    built(context, source, check("clCreateProgramWithBinary", program)?, options)
}

/// opencl3's own way asks for the names of the program's kernels, which nobody needs.
fn build(program: &Program, device: cl_device_id, options: &CStr) -> std::result::Result<(), cl_int> {
    build_program(program.get(), &[device], options, None, ptr::null_mut())
}

/// The context has one device, so that the program has one binary; a driver may give none.
fn binary_of(program: &Program) -> Option<Vec<u8>> {
    program.get_binaries().ok()?.into_iter().next().filter(|binary| !binary.is_empty())
}
