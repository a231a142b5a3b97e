//! A kernel on all targets at hand: the interpreter, the C99 text compiled by `cc`, and the OpenCL C text checked by
//! `clang`. A compiler that is missing checks nothing.

use std::ffi::c_void;
use std::io::Write;
use std::process::{Command, Stdio};

use affinimath_kernel::{Argument, Fault, Kernel, Launch, f16};

use super::c99::{Language, compile};

/// A buffer's contents.
#[derive(Clone, Debug)]
pub enum Buffer {
    I8(Vec<i8>),
    U8(Vec<u8>),
    I16(Vec<i16>),
    U16(Vec<u16>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    I64(Vec<i64>),
    U64(Vec<u64>),
    F16(Vec<f16>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

macro_rules! each {
    ($buffer:expr, $values:ident => $result:expr) => {
        match $buffer {
            Buffer::I8($values) => $result,
            Buffer::U8($values) => $result,
            Buffer::I16($values) => $result,
            Buffer::U16($values) => $result,
            Buffer::I32($values) => $result,
            Buffer::U32($values) => $result,
            Buffer::I64($values) => $result,
            Buffer::U64($values) => $result,
            Buffer::F16($values) => $result,
            Buffer::F32($values) => $result,
            Buffer::F64($values) => $result,
        }
    };
}

macro_rules! from_vec {
    ($($type:ident $variant:ident),*) => { $(
        impl From<Vec<$type>> for Buffer {
            fn from(values: Vec<$type>) -> Self {
                Buffer::$variant(values)
            }
        }
    )* };
}

from_vec!(i8 I8, u8 U8, i16 I16, u16 U16, i32 I32, u32 U32, i64 I64, u64 U64, f16 F16, f32 F32, f64 F64);

/// Equal bits; every NaN is equal to every other.
impl PartialEq for Buffer {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Buffer::F16(a), Buffer::F16(b)) => same(a, b, |a| a.is_nan(), |a| a.to_bits().into()),
            (Buffer::F32(a), Buffer::F32(b)) => same(a, b, |a| a.is_nan(), |a| a.to_bits().into()),
            (Buffer::F64(a), Buffer::F64(b)) => same(a, b, |a| a.is_nan(), |a| a.to_bits()),
            _ => format!("{self:?}") == format!("{other:?}"),
        }
    }
}

fn same<R: Copy>(a: &[R], b: &[R], is_nan: impl Fn(R) -> bool, bits: impl Fn(R) -> u64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| bits(*a) == bits(*b) || is_nan(*a) && is_nan(*b))
}

impl Buffer {
    fn argument(&mut self) -> Argument<'_> {
        each!(self, values => values.into())
    }

    fn pointer(&mut self) -> *mut c_void {
        each!(self, values => values.as_mut_ptr().cast())
    }
}

/// The interpreter's results of a launch of one group. All parameters are buffers.
pub fn interpret(kernel: &Kernel, items: usize, buffers: &[Buffer]) -> Result<Vec<Buffer>, Fault> {
    let mut results = buffers.to_vec();
    Launch::new(kernel, [1; 3], [items, 1, 1]).run(results.iter_mut().map(Buffer::argument))?;
    Ok(results)
}

/// The interpreter's results, after the other targets have given the same.
pub fn run(kernel: &Kernel, items: usize, buffers: &[Buffer]) -> Vec<Buffer> {
    let results = interpret(kernel, items, buffers).unwrap();
    check_opencl(kernel);
    for language in Language::ALL {
        if let Some(compiled) = run_compiled(language, kernel, items, buffers) {
            assert_eq!(compiled, results, "{}", language.text(kernel));
        }
    }
    results
}

type P = *mut c_void;
type Function = unsafe extern "C" fn(*const i64, *const i64, P, P, P, P, P, P, P, P, P, P, P, P);

/// The results of a compiled text, for kernels of up to twelve buffers.
fn run_compiled(language: Language, kernel: &Kernel, items: usize, buffers: &[Buffer]) -> Option<Vec<Buffer>> {
    assert!(buffers.len() <= 12, "the function takes twelve pointers");
    let folder = tempfile::tempdir().unwrap();
    let library = compile(language, kernel, folder.path())?;
    let mut results = buffers.to_vec();
    let mut pointers = [std::ptr::null_mut(); 12];
    results.iter_mut().zip(&mut pointers).for_each(|(buffer, pointer)| *pointer = buffer.pointer());
    let [a, b, c, d, e, f, g, h, i, j, k, l] = pointers;
    let (groups, sizes) = ([1_i64; 3], [items as i64, 1, 1]);
    // SAFETY: all parameters are pointers, and the calling convention of C allows more than a function takes; the
    // interpreter has found the buffers long enough.
    unsafe {
        let function = library.get::<Function>(kernel.name().as_bytes()).unwrap();
        function(groups.as_ptr(), sizes.as_ptr(), a, b, c, d, e, f, g, h, i, j, k, l);
    }
    Some(results)
}

/// Checks the OpenCL C text.
pub fn check_opencl(kernel: &Kernel) {
    let options = ["-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-fsyntax-only", "-Werror"];
    let child = Command::new("clang")
        .args(options)
        .args(["-target", "spir64", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else { return };
    child.stdin.take().unwrap().write_all(kernel.opencl().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}\n{}", kernel.opencl());
}
