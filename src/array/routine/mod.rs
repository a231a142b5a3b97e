//! Routines of the library in expressions: linear systems, factorisations, eigenvalues, Fourier transforms.

mod factor;
mod fft;
mod solve;
mod spectral;
mod stack;

use std::any::Any;
use std::panic::Location;

use affinimath_array::ElementType;
use affinimath_array::library::LibraryCall;
use affinimath_array::node::Routine;
use affinimath_array::plan::{Buffer, Operand};
use affinimath_array::shape::Shape;

use super::copy;
use super::memory::Block;
use super::steps::{Run, of_block};
use crate::context::{BufferParts, Queue};
use crate::error::{Error, Result};
use crate::scalar::{Complex32, Complex64, Element};

/// Runs a routine. Its error names the routine and the line that wrote it.
pub(super) fn run(
    run: &Run<'_>,
    routine: &dyn Routine,
    inputs: &[Operand],
    outputs: &[Operand],
    location: &'static Location<'static>,
) -> Result<()> {
    call(run, routine, inputs, outputs).map_err(|error| Error::Operation {
        operation: routine.name(),
        location,
        error: Box::new(error),
    })
}

/// Calls a function of the operand's element type.
macro_rules! of_type {
    ($element:expr, $module:ident::$function:ident($($argument:expr),*)) => {
        match $element {
            ElementType::F32 => $module::$function::<f32>($($argument),*),
            ElementType::F64 => $module::$function::<f64>($($argument),*),
            ElementType::C32 => $module::$function::<Complex32>($($argument),*),
            ElementType::C64 => $module::$function::<Complex64>($($argument),*),
            element => Err(Error::Internal(format!("a routine on elements of type {element}"))),
        }
    };
}

fn call(run: &Run<'_>, routine: &dyn Routine, inputs: &[Operand], outputs: &[Operand]) -> Result<()> {
    let unknown = || Error::Internal(format!("no routine with these operands is named {}", routine.name()));
    let call = (routine as &dyn Any).downcast_ref::<LibraryCall>().ok_or_else(unknown)?;
    match (call, inputs, outputs) {
        (LibraryCall::Solve(solve), [a, b], [x, report @ ..]) => {
            of_type!(a.element, solve::run(run, *solve, [a, b], x, report.first()))
        }
        (LibraryCall::Inverse, [a], [inverse]) => of_type!(a.element, factor::inverse(run, a, inverse)),
        (LibraryCall::Lu, [a], [rows, factors, sign]) => {
            of_type!(a.element, factor::lu(run, a, rows, factors, sign))
        }
        (LibraryCall::Qr, [a], [q, r]) => of_type!(a.element, factor::qr(run, a, q, r)),
        (LibraryCall::Cholesky(triangle), [a], [factor]) => {
            of_type!(a.element, factor::cholesky(run, *triangle, a, factor))
        }
        (LibraryCall::Eigh { triangle, .. }, [a], [values, vectors @ ..]) => {
            of_type!(a.element, spectral::eigh(run, *triangle, a, values, vectors.first()))
        }
        (LibraryCall::Svd(wanted), [a], [values, vectors @ ..]) => {
            let vectors = if let [u, vt] = vectors { Some([u, vt]) } else { None };
            of_type!(a.element, spectral::svd(run, *wanted, a, values, vectors))
        }
        (LibraryCall::Fft(fourier), [x], [y]) => match x.element {
            ElementType::F32 | ElementType::C32 => fft::run::<f32>(run, *fourier, x, y),
            ElementType::F64 | ElementType::C64 => fft::run::<f64>(run, *fourier, x, y),
            element => Err(Error::Internal(format!("a Fourier transform of {element}"))),
        },
        _ => Err(unknown()),
    }
}

/// The operand's elements in row-major order, in memory that the plan does not know.
fn row_major(operand: &Operand) -> Result<Operand> {
    let shape = Shape::new(&operand.extents).map_err(|kind| Error::Internal(kind.to_string()))?;
    Ok(copy::row_major(Buffer::Temporary(usize::MAX), operand.element, &shape))
}

/// Writes values of the host, in row-major order, to an output.
fn write_values<T: Element>(run: &Run<'_>, values: &[T], output: &Operand) -> Result<()> {
    if values.is_empty() {
        return Ok(());
    }
    let block = run.block(output.element, values.len())?;
    match &block {
        // SAFETY: the block has `values.len()` elements of this type, and is this function's alone.
        Block::Host(block) => unsafe {
            block.as_ptr().cast::<T>().copy_from_nonoverlapping(values.as_ptr(), values.len())
        },
        Block::Device(buffer) => buffer.write(&Queue::new(buffer.context())?, values)?,
    }
    run.copy_from(of_block(&block, values.len()), &row_major(output)?, output)
}
