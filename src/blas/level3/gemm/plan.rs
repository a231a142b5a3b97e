//! Choosing a kernel family and its sizes: plain data from plain data, without a device.

use super::{GemmProblem, PackedPlan, PortablePlan, SkinnyPlan, TiledPlan};
use crate::context::DeviceContext;
use crate::device::{DeviceClass, DeviceFacts};

/// How a product is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GemmPlan {
    /// C is empty, or stays as it is.
    Nothing,
    /// C := beta C: there is nothing to multiply.
    Scale,
    /// One work-item per few elements of C.
    Portable(PortablePlan),
    /// Packed panels and register tiles, for CPUs.
    Packed(PackedPlan),
    /// Tiles in local memory, for GPUs.
    Tiled(TiledPlan),
    /// C has few rows or columns: the matrix is streamed once, at the memory's speed.
    Skinny(SkinnyPlan),
}

/// What a plan may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Scratch memory, in bytes.
    pub scratch_bytes: u64,
}

impl Limits {
    /// A context's limits. Half of its scratch memory, so that two threads can work at a time.
    pub fn of(context: &DeviceContext) -> Self {
        Limits { scratch_bytes: context.scratch_limit() / 2 }
    }
}

impl GemmPlan {
    /// The plan when there is no product to compute: alpha = 0 or k = 0.
    pub const fn without_product(problem: &GemmProblem, beta_is_one: bool) -> Self {
        // BLAS: m or n = 0 changes nothing, nor does beta = 1 without a product.
        if problem.m == 0 || problem.n == 0 || beta_is_one { GemmPlan::Nothing } else { GemmPlan::Scale }
    }

    /// The plan for a problem on a device.
    pub fn choose(problem: &GemmProblem, device: &DeviceFacts, limits: &Limits) -> Self {
        if problem.m == 0 || problem.n == 0 {
            return GemmPlan::Nothing;
        }
        if device.class == DeviceClass::Accelerator {
            return GemmPlan::Portable(PortablePlan::choose(device));
        }
        if let Some(plan) = SkinnyPlan::choose(problem, device, limits) {
            return GemmPlan::Skinny(plan);
        }
        match device.class {
            DeviceClass::Cpu => GemmPlan::Packed(PackedPlan::choose(problem, device, limits)),
            _ => match TiledPlan::choose(problem, device, limits) {
                Some(plan) => GemmPlan::Tiled(plan),
                None => GemmPlan::Portable(PortablePlan::choose(device)),
            },
        }
    }
}

/// The size of the pieces when `total` is split evenly into pieces of about `target`, each a multiple of `multiple`
/// (but for the last).
pub(super) const fn split(total: usize, target: usize, multiple: usize) -> usize {
    let pieces = if target == 0 { 1 } else { total.div_ceil(target) };
    let pieces = if pieces == 0 { 1 } else { pieces };
    let size = total.div_ceil(pieces).next_multiple_of(multiple);
    if size == 0 { multiple } else { size }
}
