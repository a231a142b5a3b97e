//! Whether a device's tensor cores can be used: tried once for each type in a context, with a product whose result is known.

use super::tensor::Unit;
use super::tiled::{self, Arithmetic};
use super::{GemmCall, GemmPlan, GemmProblem, TensorParameters, TensorPlan, TiledParameters, TiledPlan, tensor};
use crate::context::{DeviceBuffer, DeviceContext, Queue, Trial};
use crate::device::DeviceFacts;
use crate::error::Result;
use crate::math_mode::{MathMode, math_mode};
use crate::options::{Layout, Op};
use crate::scalar::{Complex32, Complex64, Scalar, ScalarKind};
use crate::view::MatrixShape;

/// What the tensor cores may multiply: there are some, no trial has failed, and the mode wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorUse {
    /// Doubles.
    pub doubles: bool,
    /// Floats.
    pub singles: Singles,
    /// Whether groups of warps may multiply floats together.
    pub groups: bool,
}

/// What the tensor cores may do to floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Singles {
    /// Nothing.
    No,
    /// Multiply them in halves.
    Split,
    /// Round them.
    Rounded,
}

/// Compute capabilities whose tensor cores are faster than the multiply-adds that they replace: those of the chips for data centres.
const SINGLES_CAPABILITIES: [u32; 2] = [80, 90];
/// The one whose mma.sync takes doubles in fragments of 16 x 8.
const DOUBLES_CAPABILITY: u32 = 90;
/// The one with wgmma.
const GROUPS_CAPABILITY: u32 = 90;

impl TensorUse {
    /// Nothing.
    pub const NONE: Self = TensorUse { doubles: false, singles: Singles::No, groups: false };

    /// What a device's facts and a mode allow.
    pub(super) fn allowed(device: &DeviceFacts, mode: MathMode) -> Self {
        let singles = match mode {
            _ if !SINGLES_CAPABILITIES.contains(&device.nvidia_capability) => Singles::No,
            MathMode::Strict => Singles::No,
            MathMode::Default => Singles::Split,
            MathMode::Fast => Singles::Rounded,
        };
        TensorUse {
            doubles: device.nvidia_capability == DOUBLES_CAPABILITY,
            singles,
            groups: Self::has_groups(device) && singles != Singles::No,
        }
    }

    /// Whether a device has instructions for groups of warps.
    const fn has_groups(device: &DeviceFacts) -> bool {
        device.nvidia_capability == GROUPS_CAPABILITY
    }

    /// What a device's facts and the mode in force allow.
    pub(crate) fn of_device(device: &DeviceFacts) -> Self {
        Self::allowed(device, math_mode())
    }

    /// What a context's device, its trials and the mode in force allow.
    pub(super) fn of(context: &DeviceContext) -> Self {
        let allowed = Self::allowed(context.device().facts(), math_mode());
        let failed = |kind: ScalarKind| context.tensor_trial(kind).get() == Trial::Failed;
        let group_failed = |kind: ScalarKind| context.group_trial(kind).get() == Trial::Failed;
        TensorUse {
            doubles: allowed.doubles && !failed(ScalarKind::D) && !failed(ScalarKind::Z),
            singles: if failed(ScalarKind::S) || failed(ScalarKind::C) { Singles::No } else { allowed.singles },
            groups: allowed.groups && [ScalarKind::S, ScalarKind::C].iter().all(|kind| !group_failed(*kind)),
        }
    }

    /// Whether they may multiply this type.
    pub(crate) fn takes(self, kind: ScalarKind) -> bool {
        if kind.is_double() { self.doubles } else { self.singles != Singles::No }
    }
}

/// Whether a plan depends on a trial that has not passed yet. If it has not been made, it is made now: the only time
/// that an operation waits for the device.
pub(super) fn allows(queue: &Queue, problem: &GemmProblem, plan: &GemmPlan) -> bool {
    let context = queue.context();
    let trial = match plan {
        GemmPlan::Tiled(plan) if plan.parameters.arithmetic == Arithmetic::TensorF64 => {
            context.tensor_trial(problem.kind)
        }
        GemmPlan::Tensor(plan) => match plan.parameters.unit {
            Unit::Warp => context.tensor_trial(problem.kind),
            Unit::Group => context.group_trial(problem.kind),
        },
        _ => return true,
    };
    if trial.get() == Trial::Untried {
        let passed = match (plan, problem.kind) {
            (GemmPlan::Tensor(plan), ScalarKind::S) if plan.parameters.unit == Unit::Group => {
                groups_are_right::<f32>(queue)
            }
            (GemmPlan::Tensor(plan), _) if plan.parameters.unit == Unit::Group => groups_are_right::<Complex32>(queue),
            (_, ScalarKind::S) => products_are_right::<f32>(queue),
            (_, ScalarKind::D) => products_are_right::<f64>(queue),
            (_, ScalarKind::C) => products_are_right::<Complex32>(queue),
            (_, ScalarKind::Z) => products_are_right::<Complex64>(queue),
        };
        if !matches!(passed, Ok(true)) {
            let device = &context.device().facts().name;
            tracing::warn!(device, ?plan, ?passed, "tensor cores cannot be used like this: others take their place");
        }
        trial.set(if matches!(passed, Ok(true)) { Trial::Passed } else { Trial::Failed });
    }
    trial.get() == Trial::Passed
}

/// Sizes that reach over a tile's edge in all directions.
const SIZE: [usize; 3] = [150, 140, 20];

/// Tries the kernels that products of a type may need.
fn products_are_right<T: Scalar>(queue: &Queue) -> Result<bool> {
    if !tensor_product_is_right::<T>(queue, TensorParameters::large(T::KIND))? {
        return Ok(false);
    }
    if T::KIND != ScalarKind::D {
        return Ok(true);
    }
    // Structured operands have a kernel of their own.
    product_is_right::<T>(queue, |call, problem| {
        tiled::run(call, problem, &TiledPlan { parameters: TiledParameters::TENSOR_F64, depth_parts: 1 })?.wait()
    })
}

/// Tries groups of warps.
fn groups_are_right<T: Scalar>(queue: &Queue) -> Result<bool> {
    Ok(tensor_product_is_right::<T>(queue, TensorParameters::group(T::KIND))?
        && tensor_product_is_right::<T>(queue, TensorParameters::narrow_group(T::KIND))?)
}

fn tensor_product_is_right<T: Scalar>(queue: &Queue, parameters: TensorParameters) -> Result<bool> {
    product_is_right::<T>(queue, |call, problem| {
        tensor::run(call, problem, &TensorPlan::with_parameters(problem, parameters, 1, Singles::Split))?.wait()
    })
}

/// A product whose numbers have all the bits of a float, compared with one that is nearly exact.
fn product_is_right<T: Scalar>(
    queue: &Queue,
    product: impl Fn(&GemmCall<'_, T>, &GemmProblem) -> Result<()>,
) -> Result<bool> {
    let [m, n, k] = SIZE;
    // Between -1 and 1, with 24 bits.
    let part = |i: usize, j: usize, seed: usize| {
        let number = (i * 7919 + j * 104_729 + seed * 1_299_709).wrapping_mul(2_654_435_761) >> 7;
        (number % (1 << 25)) as f64 / f64::from(1 << 24) - 1.0
    };
    let matrix = |rows: usize, columns: usize, seed: usize| -> Vec<T> {
        (0..rows * columns)
            .map(|index| {
                T::from_parts(part(index % rows, index / rows, seed), part(index % rows, index / rows, seed + 1))
            })
            .collect()
    };
    let upload = |data: &[T]| -> Result<DeviceBuffer> {
        let buffer = DeviceBuffer::new(queue.context(), size_of_val(data), "a trial product")?;
        buffer.write(queue, data)?;
        Ok(buffer)
    };
    let (a, b, mut c) = (matrix(m, k, 1), matrix(k, n, 3), vec![T::from_parts(f64::NAN, f64::NAN); m * n]);
    let buffers = (upload(&a)?, upload(&b)?, upload(&c)?);
    let shape = |rows, columns| MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows);
    let problem = GemmProblem::new(T::KIND, Op::Keep, Op::Keep, &shape(m, k)?, &shape(k, n)?, &shape(m, n)?)?;
    product(&GemmCall { queue, alpha: T::ONE, a: &buffers.0, b: &buffers.1, beta: T::ZERO, c: &buffers.2 }, &problem)?;
    buffers.2.read(queue, &mut c)?;
    let wide = |x: T| Complex64::new(x.re(), x.im());
    let is_right = |i: usize, j: usize| {
        let terms = || (0..k).map(|p| (wide(a[i + p * m]), wide(b[p + j * k])));
        let expected: Complex64 = terms().map(|(x, y)| x * y).sum();
        let magnitude: f64 = terms().map(|(x, y)| x.norm() * y.norm()).sum();
        // NaN is not right.
        (wide(c[i + j * m]) - expected).norm() <= 8.0 * k as f64 * T::EPSILON * magnitude
    };
    Ok((0..m * n).all(|index| is_right(index % m, index / m)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceClass;

    #[test]
    fn facts_and_the_mode_decide() {
        let use_of = |nvidia_capability, mode| {
            let facts = DeviceFacts { nvidia_capability, ..DeviceFacts::example(DeviceClass::Gpu) };
            TensorUse::allowed(&facts, mode)
        };
        let with = |doubles, singles, groups| TensorUse { doubles, singles, groups };
        assert_eq!(use_of(90, MathMode::Default), with(true, Singles::Split, true));
        assert_eq!(use_of(90, MathMode::Fast), with(true, Singles::Rounded, true));
        assert_eq!(use_of(90, MathMode::Strict), with(true, Singles::No, false));
        assert_eq!(use_of(80, MathMode::Default), with(false, Singles::Split, false));
        for without in [0, 60, 75, 86, 89, 120] {
            assert_eq!(use_of(without, MathMode::Default), TensorUse::NONE);
        }
    }
}
