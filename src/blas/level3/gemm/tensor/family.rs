//! The tensor family's candidates and probes.

use affinimath_core::problem::gemm::GemmProblem;

use super::super::call::GemmCall;
use super::super::family::{Family, Feature};
use super::super::limits::{F32Mma, Limits};
use super::super::probe::{SIZE, product_matches_reference};
use super::parameters::TensorParameters;
use super::plan::TensorPlan;
use super::run::run;
use crate::context::{Event, Queue};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::scalar::Scalar;

impl Family for TensorPlan {
    type Parameters = Option<TensorParameters>;

    fn candidates(
        problem: &GemmProblem,
        device: &DeviceInfo,
        limits: &Limits,
        tile: Option<TensorParameters>,
    ) -> Vec<Self> {
        if device.class == DeviceClass::Gpu { Self::plans(problem, device, limits, tile) } else { Vec::new() }
    }

    fn cost(&self, problem: &GemmProblem, device: &DeviceInfo) -> Option<u64> {
        Some(self.fmas(problem, device))
    }

    fn required_feature(&self, problem: &GemmProblem, device: &DeviceInfo) -> Option<Feature> {
        let is_without_opt_in = self.parameters.is_without_opt_in(problem.kind, device);
        Some(if is_without_opt_in { Feature::TensorCores } else { Feature::OptIn })
    }

    /// Runs the built-in tiles that need opt-in features, or those that do not.
    fn probe<T: Scalar>(queue: &Queue, feature: Feature) -> Result<bool> {
        let is_without_opt_in = match feature {
            Feature::TensorCores => true,
            Feature::OptIn => false,
            Feature::CpAsync | Feature::SkinnyTensor => return Ok(true),
        };
        let tiles = [
            TensorParameters::large(T::KIND),
            TensorParameters::small(T::KIND),
            TensorParameters::warp_group(T::KIND),
            TensorParameters::narrow_warp_group(T::KIND),
        ];
        let device_info = queue.context().device().info();
        let is_meant = |tile: &TensorParameters| {
            tile.can(T::KIND)
                && tile.fits(T::KIND, device_info)
                && tile.is_without_opt_in(T::KIND, device_info) == is_without_opt_in
        };
        for tile in tiles.into_iter().filter(is_meant) {
            if !matches_reference::<T>(queue, tile)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn run<T: Scalar>(&self, call: &GemmCall<'_, T>, problem: &GemmProblem) -> Result<Event> {
        run(call, problem, self)
    }
}

fn matches_reference<T: Scalar>(queue: &Queue, parameters: TensorParameters) -> Result<bool> {
    product_matches_reference::<T>(queue, SIZE, |call, problem| {
        run(call, problem, &TensorPlan::with_parameters(problem, parameters, 1, F32Mma::Tf32x3))?.wait()
    })
}
