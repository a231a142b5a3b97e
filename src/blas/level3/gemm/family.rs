//! Interface of kernel families: candidate plans, their cost, the feature they require, and their launches.

use affinimath_core::problem::gemm::GemmProblem;

use super::call::GemmCall;
use super::limits::Limits;
use crate::context::{Event, Queue};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::scalar::Scalar;

/// A kernel family, implemented by its plans, which are plain data.
///
/// Families are not used without a product (alpha or k = 0). Alpha is not part of a problem, so that the caller takes
/// [`GemmPlan::without_product`](super::plan::GemmPlan::without_product).
///
/// Choice: [`GemmPlan::choose`](super::plan::GemmPlan::choose) goes through ranks of families and takes the first one
/// with any candidate. The ranks are: skinny on tensor cores; skinny; tensor, expanded and tiled; packed; portable.
/// Within a rank the cheapest candidate wins, the first one of equals. A family without a cost model is a rank of its
/// own, with at most one candidate.
///
/// Probes: the chosen plan runs after the probe of its [required feature](Family::required_feature) has passed. If the
/// probe fails, the choice is repeated under the plan's [`fallback`](Family::fallback) limits. The remaining candidates
/// would not do: tuned tiles hide the built-in ones, and a failed skinny probe also excludes opt-in features for that
/// problem.
pub(super) trait Family: Copy {
    /// Sizes that plans are made with.
    type Parameters;

    /// Plans for a problem; empty if a rule excludes the family, such as the device's class.
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

    /// The feature whose probe must pass on the device before the first launch.
    fn required_feature(&self, _problem: &GemmProblem, _device: &DeviceInfo) -> Option<Feature> {
        None
    }

    /// Limits of the next choice, after this plan's probe failed: first without opt-in features, then without tensor
    /// cores.
    fn fallback(&self, limits: &Limits) -> Limits {
        limits.without_tensor_features()
    }

    /// Runs products with known results by those kernels of the family that use a feature. True if all match, or there
    /// are none.
    ///
    /// # Errors
    /// Those of the launches; the caller treats them like a wrong result.
    fn probe<T: Scalar>(_queue: &Queue, _needs: Feature) -> Result<bool> {
        Ok(true)
    }

    /// # Errors
    /// Those of programs, workspace and launches.
    fn run<T: Scalar>(&self, call: &GemmCall<'_, T>, problem: &GemmProblem) -> Result<Event>;
}

/// A feature that is probed before its first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    /// Copies into local memory without registers.
    CpAsync,
    /// Tiles on tensor cores, within the local memory that the device states.
    TensorCores,
    /// Tiles on tensor cores by groups of warps, or in opt-in local memory.
    OptIn,
    /// Kernels that stream a matrix to tensor cores.
    SkinnyTensor,
}
