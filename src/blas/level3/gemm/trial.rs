//! Whether a device's tensor cores can be used: tried once for each type in a context, with a product whose result is known.

use std::sync::atomic::{AtomicU8, Ordering};

use super::tiled::{self, Arithmetic};
use super::{
    GemmCall, GemmPlan, GemmProblem, SkinnyTensorPlan, TensorParameters, TensorPlan, TiledParameters, TiledPlan,
    skinny_tensor, tensor,
};
use crate::context::{BufferParts, ContextParts, DeviceBuffer, DeviceContext, Queue};
use crate::device::DeviceFacts;
use crate::error::Result;
use crate::math_mode::{MathMode, math_mode};
use crate::options::{Layout, Op};
use crate::scalar::{Complex32, Complex64, Scalar, ScalarKind};
use crate::view::MatrixShape;

/// How a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trial {
    Untried,
    Passed,
    Failed,
}

/// A trial's state, shared by threads. Two that try at the same time find the same.
#[derive(Debug, Default)]
struct TrialState(AtomicU8);

impl TrialState {
    fn get(&self) -> Trial {
        match self.0.load(Ordering::Relaxed) {
            0 => Trial::Untried,
            1 => Trial::Passed,
            _ => Trial::Failed,
        }
    }

    fn set(&self, trial: Trial) {
        self.0.store(trial as u8, Ordering::Relaxed);
    }
}

/// The trials of a context's device.
#[derive(Debug, Default)]
struct Trials {
    tensor: [TrialState; 4],
    unstated: [TrialState; 4],
    skinny: [TrialState; 4],
    /// Whether slices for multiply-adds can be copied without registers.
    copies: TrialState,
}

impl Trials {
    /// Those of a context.
    fn of(context: &DeviceContext) -> &Self {
        context.extension(Self::default)
    }

    /// Whether the tensor cores can be used with a type.
    const fn tensor(&self, kind: ScalarKind) -> &TrialState {
        &self.tensor[kind as usize]
    }

    /// Whether the tensor cores can be used with what the device has and does not state.
    const fn unstated(&self, kind: ScalarKind) -> &TrialState {
        &self.unstated[kind as usize]
    }

    /// Whether the tensor cores can be used for skinny products of a type.
    const fn skinny(&self, kind: ScalarKind) -> &TrialState {
        &self.skinny[kind as usize]
    }
}

/// What the tensor cores may multiply: there are some, no trial has failed, and the mode wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorUse {
    /// Doubles.
    pub doubles: bool,
    /// Floats.
    pub singles: Singles,
    /// Whether kernels may use what the device has and does not state: instructions for groups of warps, and local memory beyond what it says.
    pub unstated: bool,
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
/// The one whose chips are known to have more than they state.
pub(super) const UNSTATED_CAPABILITY: u32 = 90;

impl TensorUse {
    /// Nothing.
    pub const NONE: Self = TensorUse { doubles: false, singles: Singles::No, unstated: false };

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
            unstated: device.nvidia_capability == UNSTATED_CAPABILITY,
        }
    }

    /// What a device's facts and the mode in force allow.
    pub(crate) fn of_device(device: &DeviceFacts) -> Self {
        Self::allowed(device, math_mode())
    }

    /// What a context's device, its trials and the mode in force allow.
    pub(super) fn of(context: &DeviceContext) -> Self {
        let allowed = Self::allowed(context.device().facts(), math_mode());
        let trials = Trials::of(context);
        let failed = |kind: ScalarKind| trials.tensor(kind).get() == Trial::Failed;
        let unstated_failed = |kind: &ScalarKind| trials.unstated(*kind).get() == Trial::Failed;
        TensorUse {
            doubles: allowed.doubles && !failed(ScalarKind::D) && !failed(ScalarKind::Z),
            singles: if failed(ScalarKind::S) || failed(ScalarKind::C) { Singles::No } else { allowed.singles },
            unstated: allowed.unstated && !ScalarKind::ALL.iter().any(unstated_failed),
        }
    }

    /// Whether they may multiply this type.
    pub(crate) fn takes(self, kind: ScalarKind) -> bool {
        if kind.is_double() { self.doubles } else { self.singles != Singles::No }
    }
}

/// Whether slices for multiply-adds may be copied without registers: the device can, and no trial has failed.
pub(super) fn may_copy(context: &DeviceContext) -> bool {
    tiled::has_copies(context.device().facts()) && Trials::of(context).copies.get() != Trial::Failed
}

/// Whether a plan depends on a trial that has not passed yet. If it has not been made, it is made now: the only time
/// that an operation waits for the device.
pub(super) fn allows(queue: &Queue, problem: &GemmProblem, plan: &GemmPlan) -> bool {
    let context = queue.context();
    let plan = &match plan {
        GemmPlan::Expanded(plan) => GemmPlan::Tensor(plan.tensor),
        plan => *plan,
    };
    let needs = match plan {
        GemmPlan::Tiled(plan) if plan.parameters.is_copied() => {
            let copies = |call: &GemmCall<'_, f32>, problem: &GemmProblem| {
                tiled::run(call, problem, &TiledPlan { parameters: TiledParameters::COPIED, depth_parts: 1 })?.wait()
            };
            let trial = &Trials::of(context).copies;
            return passes(context, trial, "copies without registers", || product_is_right::<f32>(queue, SIZE, copies));
        }
        GemmPlan::Tiled(plan) if plan.parameters.arithmetic == Arithmetic::TensorF64 => Needs::Stated,
        GemmPlan::Tensor(plan) if plan.parameters.is_stated(problem.kind, context.device().facts()) => Needs::Stated,
        GemmPlan::Tensor(_) => Needs::Unstated,
        GemmPlan::SkinnyTensor(_) => Needs::Skinny,
        _ => return true,
    };
    has_passed(queue, problem.kind, needs)
}

/// The local memory that the arrays of a type's kernels may take: what the device states, or what it has, where the trial of that has
/// passed or passes now.
pub(crate) fn local_memory_for(queue: &Queue, kind: ScalarKind) -> u64 {
    let device = queue.context().device().facts();
    let is_unstated =
        TensorUse::allowed(device, MathMode::Default).unstated && has_passed(queue, kind, Needs::Unstated);
    if is_unstated { tensor::local_memory(device) } else { device.local_memory_bytes }
}

/// The same without a trial, unless one has failed: for kernels whose program does not build where there is less.
pub(crate) fn opt_in_local_memory(context: &DeviceContext, device: &DeviceFacts, kind: ScalarKind) -> u64 {
    let failed = Trials::of(context).unstated(kind).get() == Trial::Failed;
    if failed { device.local_memory_bytes } else { tensor::local_memory(device) }
}

/// Whether the tensor cores multiply doubles: by the trial of that, which is made now if it has not been.
pub(crate) fn multiplies_doubles(queue: &Queue) -> bool {
    let device = queue.context().device().facts();
    TensorUse::allowed(device, MathMode::Default).doubles && has_passed(queue, ScalarKind::D, Needs::Stated)
}

/// Whether a type's trial has passed, of what plans may need. If it has not been made, it is made now.
fn has_passed(queue: &Queue, kind: ScalarKind, needs: Needs) -> bool {
    let context = queue.context();
    let trials = Trials::of(context);
    let (trial, what) = match needs {
        Needs::Stated => (trials.tensor(kind), "tensor cores"),
        Needs::Unstated => (trials.unstated(kind), "what the device does not state"),
        Needs::Skinny => (trials.skinny(kind), "tensor cores for skinny products"),
    };
    passes(context, trial, what, || match kind {
        ScalarKind::S => products_are_right::<f32>(queue, needs),
        ScalarKind::D => products_are_right::<f64>(queue, needs),
        ScalarKind::C => products_are_right::<Complex32>(queue, needs),
        ScalarKind::Z => products_are_right::<Complex64>(queue, needs),
    })
}

/// Whether a trial of something has passed. If it has not been made, it is made.
fn passes(context: &DeviceContext, trial: &TrialState, what: &str, is_right: impl Fn() -> Result<bool>) -> bool {
    if trial.get() == Trial::Untried {
        let passed = is_right();
        if !matches!(passed, Ok(true)) {
            let device = &context.device().facts().name;
            tracing::warn!(device, what, ?passed, "this cannot be used: other kernels take its place");
        }
        trial.set(if matches!(passed, Ok(true)) { Trial::Passed } else { Trial::Failed });
    }
    trial.get() == Trial::Passed
}

/// What a plan needs of the tensor cores.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// Tiles, with no more than the device states, or with more.
    Stated,
    Unstated,
    /// Kernels that stream a matrix.
    Skinny,
}

/// Sizes that reach over a tile's edge in all directions, and more slices than any tile keeps at a time.
const SIZE: [usize; 3] = [150, 140, 150];

/// Few columns, and few rows, with more steps along the depth than any plan keeps at a time.
const SKINNY_SIZES: [[usize; 3]; 2] = [[150, 7, 1300], [14, 150, 1300]];

fn skinny_products_are_right<T: Scalar>(queue: &Queue) -> Result<bool> {
    let facts = queue.context().device().facts();
    for (size, which) in SKINNY_SIZES.into_iter().flat_map(|size| [(size, 0), (size, 1)]) {
        let is_right = product_is_right::<T>(queue, size, |call, problem| {
            skinny_tensor::run(call, problem, &SkinnyTensorPlan::both(problem, Singles::Split, facts)[which])?.wait()
        });
        if !is_right? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Tries the kernels that products of a type may need: those for what the device states, or the others.
fn products_are_right<T: Scalar>(queue: &Queue, needs: Needs) -> Result<bool> {
    if needs == Needs::Skinny {
        return skinny_products_are_right::<T>(queue);
    }
    let is_stated = needs == Needs::Stated;
    let tiles = [
        TensorParameters::large(T::KIND),
        TensorParameters::small(T::KIND),
        TensorParameters::group(T::KIND),
        TensorParameters::narrow_group(T::KIND),
    ];
    let facts = queue.context().device().facts();
    let is_meant = |tile: &TensorParameters| {
        tile.can(T::KIND) && tile.fits(T::KIND, facts) && tile.is_stated(T::KIND, facts) == is_stated
    };
    for tile in tiles.into_iter().filter(is_meant) {
        if !tensor_product_is_right::<T>(queue, tile)? {
            return Ok(false);
        }
    }
    if T::KIND != ScalarKind::D || !is_stated {
        return Ok(true);
    }
    // Structured operands have a kernel of their own.
    product_is_right::<T>(queue, SIZE, |call, problem| {
        tiled::run(call, problem, &TiledPlan { parameters: TiledParameters::TENSOR_F64, depth_parts: 1 })?.wait()
    })
}

fn tensor_product_is_right<T: Scalar>(queue: &Queue, parameters: TensorParameters) -> Result<bool> {
    product_is_right::<T>(queue, SIZE, |call, problem| {
        tensor::run(call, problem, &TensorPlan::with_parameters(problem, parameters, 1, Singles::Split))?.wait()
    })
}

/// A product whose numbers have all the bits of a float, compared with one that is nearly exact.
fn product_is_right<T: Scalar>(
    queue: &Queue,
    [m, n, k]: [usize; 3],
    product: impl Fn(&GemmCall<'_, T>, &GemmProblem) -> Result<()>,
) -> Result<bool> {
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
            let facts = DeviceFacts { nvidia_capability, ..crate::device::example(DeviceClass::Gpu) };
            TensorUse::allowed(&facts, mode)
        };
        let with = |doubles, singles, unstated| TensorUse { doubles, singles, unstated };
        assert_eq!(use_of(90, MathMode::Default), with(true, Singles::Split, true));
        assert_eq!(use_of(90, MathMode::Fast), with(true, Singles::Rounded, true));
        assert_eq!(use_of(90, MathMode::Strict), with(true, Singles::No, true));
        assert_eq!(use_of(80, MathMode::Default), with(false, Singles::Split, false));
        for without in [0, 60, 75, 86, 89, 120] {
            assert_eq!(use_of(without, MathMode::Default), TensorUse::NONE);
        }
    }
}
