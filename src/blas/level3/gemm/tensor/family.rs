//! The tensor family's candidates and probes.

use affinimath_core::problem::gemm::GemmProblem;

use super::super::call::GemmCall;
use super::super::family::{Family, Needs};
use super::super::limits::{F32Mma, Limits};
use super::super::probe::{SIZE, product_is_right};
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

    fn needs(&self, problem: &GemmProblem, device: &DeviceInfo) -> Option<Needs> {
        let is_stated = self.parameters.is_stated(problem.kind, device);
        Some(if is_stated { Needs::Stated } else { Needs::Unstated })
    }

    /// Tries the tiles for what the device states, or the others.
    fn probe<T: Scalar>(queue: &Queue, needs: Needs) -> Result<bool> {
        let is_stated = match needs {
            Needs::Stated => true,
            Needs::Unstated => false,
            Needs::Copies | Needs::Skinny => return Ok(true),
        };
        let tiles = [
            TensorParameters::large(T::KIND),
            TensorParameters::small(T::KIND),
            TensorParameters::group(T::KIND),
            TensorParameters::narrow_group(T::KIND),
        ];
        let device_info = queue.context().device().info();
        let is_meant = |tile: &TensorParameters| {
            tile.can(T::KIND) && tile.fits(T::KIND, device_info) && tile.is_stated(T::KIND, device_info) == is_stated
        };
        for tile in tiles.into_iter().filter(is_meant) {
            if !is_right::<T>(queue, tile)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn run<T: Scalar>(&self, call: &GemmCall<'_, T>, problem: &GemmProblem) -> Result<Event> {
        run(call, problem, self)
    }
}

fn is_right<T: Scalar>(queue: &Queue, parameters: TensorParameters) -> Result<bool> {
    product_is_right::<T>(queue, SIZE, |call, problem| {
        run(call, problem, &TensorPlan::with_parameters(problem, parameters, 1, F32Mma::Tf32x3))?.wait()
    })
}
