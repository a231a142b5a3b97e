//! C := alpha op(A) op(B) + beta C on a device.
//!
//! A call becomes a [`GemmProblem`]. [`GemmPlan::choose`] picks a kernel family and its sizes for it from the device's
//! properties. Each family's file launches its own kernels.
//!
//! Modules use only those above them:
//! - shared: `call`, `limits`, `chip`, `arguments`, `tiles`, `family` (the trait), `probe`, `finish`;
//! - families: `portable`, `packed`, `tensor`, `tiled` and `expanded` (both use `tensor`), `skinny`, `skinny_tensor`;
//! - choice: `plan`, `feature_probes`, `plan_cache`, `space` (tuning);
//! - entry: `multiply`, `half`, `failed_probes`.

mod arguments;
mod call;
mod chip;
mod expanded;
mod failed_probes;
mod family;
mod feature_probes;
mod finish;
mod half;
mod limits;
mod multiply;
mod packed;
mod plan;
mod plan_cache;
mod portable;
mod probe;
mod skinny;
mod skinny_tensor;
mod space;
mod tensor;
mod tiled;
mod tiles;

#[cfg(test)]
mod tests;

use affinimath_macros::instances;

use crate::blas::device_buffer;
use crate::context::{Event, Queue};
use crate::error::Result;
use crate::options::Op;
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, View};

pub use affinimath_core::problem::gemm::{GemmProblem, Operand};
pub use affinimath_core::problem::structure::{Structure, Target, Trapezoid};
pub(crate) use arguments::GemmArguments;
pub(crate) use call::GemmCall;
pub use expanded::ExpandedPlan;
pub use failed_probes::{FailedProbe, failed_probes};
pub(crate) use feature_probes::{local_memory_for, multiplies_doubles, opt_in_local_memory};
pub(super) use finish::gather;
pub use half::hgemm_on;
pub use limits::{F32Mma, Limits, TensorUse};
pub(super) use multiply::plan_for;
pub(crate) use multiply::{execute, execute_best, multiply, plan_best};
pub use packed::{PackedParameters, PackedPlan};
pub use plan::{GemmParameters, GemmPlan};
pub use portable::PortablePlan;
pub(crate) use skinny::MAX_SKINNY_COLUMNS;
pub use skinny::{SkinnyFamily, SkinnyPlan};
pub use skinny_tensor::SkinnyTensorPlan;
pub(crate) use space::class_of;
pub use tensor::{TensorParameters, TensorPlan};
pub use tiled::{Arithmetic, TiledParameters, TiledPlan};

/// C := alpha op(A) op(B) + beta C, all matrices in device memory of the queue's context.
///
/// It returns as soon as the work is enqueued; the event reports completion. BLAS: with m or n = 0 nothing is changed;
/// with alpha or k = 0 A and B are not read; with beta = 0 C is not read.
///
/// # Errors
/// [`crate::Error::ShapeMismatch`], [`crate::Error::MixedMemory`], [`crate::Error::PrecisionNotSupported`]: nothing was
/// enqueued. [`crate::Error::ProgramBuild`], [`crate::Error::OutOfDeviceMemory`], [`crate::Error::OpenCl`]: C is
/// undefined.
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's gemm")]
#[instances]
pub fn gemm_on<T: Scalar>(
    queue: &Queue,
    op_a: Op,
    op_b: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<Event> {
    let problem = GemmProblem::new(T::KIND, op_a, op_b, a.shape(), b.shape(), c.shape())?;
    let call = GemmCall {
        queue,
        alpha,
        a: device_buffer(queue, a.memory(), "A")?,
        b: device_buffer(queue, b.memory(), "B")?,
        beta,
        c: device_buffer(queue, c.memory(), "C")?,
    };
    multiply(&call, &problem)
}
