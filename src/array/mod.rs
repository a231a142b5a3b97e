//! Array expressions on devices and on the host.
//!
//! The crate `affinimath-array` has the front, the plans and their lowering; here plans are executed in a context's
//! memory: fused kernels by the host's evaluator or as OpenCL programs, products by gemm.

mod any;
mod buffer;
mod copy;
mod device;
mod executor;
mod host;
mod matrix;
mod memory;
mod pinned;
mod product;
mod routine;
mod scan;
mod settings;
mod steps;
mod stream;
mod text;

pub use affinimath_array::library::{SolveMethod, SolveReport};
pub use affinimath_array::{
    Array, ArrayError, ArrayMut, AsHostArray, Axes, Element, Expr, Floating, HostArray, HostOutput, IntoExpr,
    IntoMatrix, Shape, Slice, Spectral, StructuredMatrix, System, arange, complex, concatenate, coordinates, eval,
    eval_into_on, eval_on, exponential, eye, from_host, from_vec, full, integers, iota, keep, linspace, normal, ones,
    polar, s, solve, stack, uniform, zeros,
};
pub use affinimath_array::{ElementType, Number, Strides, Value};
pub use any::{AnyArray, LentArray, LentMemory, elements_at, elements_at_mut};
pub use matrix::{AsMatrix, AsMatrixMut};
pub use text::{DeviceOperand, Expression, HostOperand};

use affinimath_array::element::{HostSlice, HostSliceMut};
use std::slice;

/// Applies an expression to the slice in a host slice of any type.
macro_rules! with_slice {
    ($slice:expr, $enum:ident, $elements:ident => $value:expr) => {
        match $slice {
            $enum::Bool($elements) => $value,
            $enum::U8($elements) => $value,
            $enum::I32($elements) => $value,
            $enum::U32($elements) => $value,
            $enum::I64($elements) => $value,
            $enum::F32($elements) => $value,
            $enum::F64($elements) => $value,
            $enum::C32($elements) => $value,
            $enum::C64($elements) => $value,
        }
    };
}

/// The bytes of elements.
fn bytes_of<'a>(elements: &HostSlice<'a>) -> &'a [u8] {
    with_slice!(elements, HostSlice, elements => {
        // SAFETY: elements have no padding, and a byte may have any value.
        unsafe { slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(*elements)) }
    })
}

/// The bytes of elements, for copies of elements of the same type.
fn bytes_of_mut<'a>(elements: &'a mut HostSliceMut<'_>) -> &'a mut [u8] {
    with_slice!(elements, HostSliceMut, elements => {
        // SAFETY: elements have no padding; only elements of the same type are copied into them.
        unsafe { slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), size_of_val(*elements)) }
    })
}
