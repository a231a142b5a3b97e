//! The interface of kernel families: what they offer for a problem, what that costs, what it needs, and its launches.

use affinimath_core::problem::gemm::GemmProblem;

use super::call::GemmCall;
use super::limits::Limits;
use crate::context::{Event, Queue};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::scalar::Scalar;

/// A kernel family, implemented by its plans, which are plain data.
///
/// Without a product (alpha or k = 0) no family is asked: alpha is no part of a problem, so that the caller takes
/// [`GemmPlan::without_product`](super::plan::GemmPlan::without_product).
///
/// Choice: [`GemmPlan::choose`](super::plan::GemmPlan::choose) asks families in ranks. It takes the first rank that
/// offers anything: skinny on tensor cores; skinny; tensor, expanded and tiled; packed; portable. Within a rank the
/// cheapest candidate wins, the first one of equals. A family without a cost model is a rank of its own, and offers at
/// most one plan, where its rule holds.
///
/// Probes: the chosen plan runs after the probe of what it [needs](Family::needs) has passed. If it fails, the choice is
/// made again under the plan's [`fallback`](Family::fallback) limits. The remaining candidates do not do: tuned tiles
/// hide the library's own ones, and a failed skinny probe also excludes opt-in features for that problem.
pub(super) trait Family: Copy {
    /// Sizes that plans are made with.
    type Parameters;

    /// Plans for a problem; none where a rule excludes the family, of device classes for one.
    fn candidates(
        problem: &GemmProblem,
        device: &DeviceInfo,
        limits: &Limits,
        parameters: Self::Parameters,
    ) -> Vec<Self>;

    /// Estimated time in the FMAs of [`Chip`](super::chip::Chip); `None` without a cost model.
    fn cost(&self, _problem: &GemmProblem, _device: &DeviceInfo) -> Option<u64> {
        None
    }

    /// The feature whose probe must pass on the device first.
    fn needs(&self, _problem: &GemmProblem, _device: &DeviceInfo) -> Option<Needs> {
        None
    }

    /// Limits of the next choice, after this plan's probe failed: first without opt-in features, then without tensor
    /// cores.
    fn fallback(&self, limits: &Limits) -> Limits {
        limits.without_tensor_features()
    }

    /// Runs products with known results by the family's kernels that need a feature: true if all are right, or there
    /// are none.
    ///
    /// # Errors
    /// Those of the launches, which mean the same as a wrong product.
    fn probe<T: Scalar>(_queue: &Queue, _needs: Needs) -> Result<bool> {
        Ok(true)
    }

    /// Enqueues the product.
    ///
    /// # Errors
    /// Those of programs, scratch memory and launches.
    fn run<T: Scalar>(&self, call: &GemmCall<'_, T>, problem: &GemmProblem) -> Result<Event>;
}

/// A feature that is probed before its first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    /// Copies into local memory without registers.
    Copies,
    /// Tiles on tensor cores, within the local memory that the device states.
    Stated,
    /// Tiles on tensor cores by groups of warps, or in opt-in local memory.
    Unstated,
    /// Kernels that stream a matrix to tensor cores.
    Skinny,
}
