//! Features of a device that gemm does without, since their probes failed.

use affinimath_core::problem::gemm::GemmProblem;

use super::family::Feature;
use super::feature_probes::has_passed;
use super::limits::{Limits, TensorUse};
use super::multiply::plan_for;
use super::plan::GemmPlan;
use super::tensor::MmaScope;
use super::tiled::Arithmetic;
use crate::context::{DeviceContext, Queue};
use crate::device::{Device, DeviceInfo};
use crate::error::Result;
use crate::options::{Layout, Op};
use crate::scalar::ScalarKind;
use crate::view::MatrixShape;

/// A feature whose probe failed, and the kernels that multiply without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedProbe {
    /// Element type of the products.
    pub kind: ScalarKind,
    /// Instructions or memory that the device has.
    pub feature: &'static str,
    /// Kernels of a large product in place of those that need the feature.
    pub fallback: &'static str,
}

/// Runs the probes that have not run in the library's own context of a device, and lists those that failed. The current
/// math mode decides which features are probed.
///
/// # Errors
/// Those of a context and its queue; an error of a probe is a failure of the feature.
pub fn failed_probes(device: &Device) -> Result<Vec<FailedProbe>> {
    let queue = Queue::new(&DeviceContext::for_device(device)?)?;
    let info = device.info();
    let mut failed = Vec::new();
    for kind in ScalarKind::ALL.into_iter().filter(|kind| info.supports(*kind)) {
        let features = features_of(kind, TensorUse::of_device(info), info);
        failed.extend(features.into_iter().filter(|feature| !has_passed(&queue, kind, *feature)).map(|f| (kind, f)));
    }
    // A failure of one type excludes the feature for others: plans are made when all probes have run.
    let report = |(kind, feature)| {
        let plan = plan_for(&queue, &typical_problem(kind, feature)?, &limits(&queue, feature));
        Ok(FailedProbe { kind, feature: name(feature), fallback: kernels(&plan) })
    };
    failed.into_iter().map(report).collect()
}

/// The features that a device has and products of a type use.
fn features_of(kind: ScalarKind, tensor: TensorUse, device: &DeviceInfo) -> Vec<Feature> {
    let on_tensor_cores = tensor.takes(kind);
    let features = [
        (Feature::TensorCores, on_tensor_cores),
        (Feature::OptIn, on_tensor_cores && tensor.opt_in),
        (Feature::SkinnyTensor, on_tensor_cores && tensor.opt_in),
        (Feature::CpAsync, kind == ScalarKind::S && device.nvidia.cp_async),
    ];
    features.into_iter().filter(|(_, used)| *used).map(|(feature, _)| feature).collect()
}

/// A large product that uses a feature.
fn typical_problem(kind: ScalarKind, feature: Feature) -> Result<GemmProblem> {
    let (order, columns) = (4096, if feature == Feature::SkinnyTensor { 8 } else { 4096 });
    let shape = |rows, columns| MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows);
    let (a, b) = (shape(order, order)?, shape(order, columns)?);
    GemmProblem::new(kind, Op::NoTrans, Op::NoTrans, &a, &b, &b)
}

/// The limits of a queue's products. Tiles that cp.async fills are those of multiply-adds.
fn limits(queue: &Queue, feature: Feature) -> Limits {
    let limits = Limits::on(queue);
    if feature == Feature::CpAsync { Limits { tensor: TensorUse::NONE, ..limits } } else { limits }
}

const fn name(feature: Feature) -> &'static str {
    match feature {
        Feature::CpAsync => "cp.async",
        Feature::TensorCores => "mma.sync",
        Feature::OptIn => "wgmma or opt-in shared memory",
        Feature::SkinnyTensor => "mma.sync for few columns",
    }
}

/// The kernels of a plan, by their instructions.
const fn kernels(plan: &GemmPlan) -> &'static str {
    match plan {
        GemmPlan::Tensor(plan) => match plan.parameters.scope {
            MmaScope::WarpGroup => "tiles of wgmma",
            MmaScope::Warp => "tiles of mma.sync",
        },
        GemmPlan::Tiled(plan) => match plan.parameters.arithmetic {
            Arithmetic::TensorF64 => "tiles of mma.sync",
            Arithmetic::Fma => "tiles of multiply-adds",
        },
        GemmPlan::Expanded(_) => "tiles of mma.sync, of an expanded operand",
        GemmPlan::SkinnyTensor(_) => "columns on tensor cores",
        GemmPlan::Skinny(_) => "columns of multiply-adds",
        GemmPlan::Packed(_) => "packed panels",
        GemmPlan::Portable(_) => "the portable kernel",
        GemmPlan::Nothing | GemmPlan::Scale => "no product",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    mod host {
        use super::super::super::limits::F32Mma;
        use super::super::super::plan::GemmParameters;
        use super::*;
        use crate::device::{DeviceClass, NvidiaFeatures};
        use crate::math_mode::MathMode;

        fn gpu(capability: u32) -> DeviceInfo {
            DeviceInfo { nvidia: NvidiaFeatures::of(capability), ..crate::device::example(DeviceClass::Gpu) }
        }

        #[test]
        fn only_features_that_a_device_has_are_probed() {
            let names = |kind, capability| {
                let device = gpu(capability);
                let tensor = TensorUse::allowed(&device, MathMode::Default);
                let features = features_of(kind, tensor, &device);
                features.into_iter().map(name).collect::<Vec<_>>()
            };
            let hopper = ["mma.sync", "wgmma or opt-in shared memory", "mma.sync for few columns"];
            assert_eq!(names(ScalarKind::Z, 90), hopper);
            assert_eq!(names(ScalarKind::S, 90), [&hopper[..], &["cp.async"]].concat());
            assert_eq!(names(ScalarKind::S, 80), ["mma.sync", "cp.async"]);
            assert_eq!(names(ScalarKind::D, 80), [""; 0]);
            assert_eq!(names(ScalarKind::S, 0), [""; 0]);
        }

        #[test]
        fn the_fallback_is_named_by_its_instructions() {
            let device = gpu(90);
            let fallback = |kind, feature, tensor| {
                let limits = Limits { workspace_bytes: 1 << 30, tensor, copies: false, units: None };
                let problem = typical_problem(kind, feature).unwrap();
                let parameters = GemmParameters::for_device(kind, &device);
                kernels(&GemmPlan::choose(&problem, &device, &limits, &parameters))
            };
            let all = TensorUse { doubles: true, f32_mma: F32Mma::Tf32x3, opt_in: true };
            let without_opt_in = TensorUse { opt_in: false, ..all };
            assert_eq!(fallback(ScalarKind::S, Feature::OptIn, all), "tiles of wgmma");
            assert_eq!(fallback(ScalarKind::S, Feature::OptIn, without_opt_in), "tiles of mma.sync");
            for kind in ScalarKind::ALL {
                assert_eq!(fallback(kind, Feature::TensorCores, TensorUse::NONE), "tiles of multiply-adds");
                assert_eq!(fallback(kind, Feature::SkinnyTensor, all), "columns on tensor cores");
                assert_eq!(fallback(kind, Feature::SkinnyTensor, without_opt_in), "columns of multiply-adds");
            }
        }
    }

    mod device {
        use super::*;
        use crate::testing::devices;

        #[test]
        fn no_probe_fails_on_a_device_that_works() {
            for device in devices() {
                assert_eq!(failed_probes(device).unwrap(), [], "{}", device.info().name);
            }
        }
    }
}
