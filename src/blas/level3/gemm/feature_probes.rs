//! Probes of device features: each runs once per context, by products with known results.

use std::sync::atomic::{AtomicU8, Ordering};

use affinimath_core::problem::gemm::GemmProblem;

use super::family::Feature;
use super::limits::{F32Mma, Limits, TensorUse};
use super::plan::GemmPlan;
use super::tensor;
use crate::context::{ContextParts, DeviceContext, Queue, QueueParts};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::math_mode::{MathMode, math_mode};
use crate::scalar::{Complex32, Complex64, ScalarKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProbeResult {
    NotRun,
    Passed,
    Failed,
}

/// A probe's state, shared by threads. Two that run it concurrently store the same result.
#[derive(Debug, Default)]
struct ProbeCell(AtomicU8);

impl ProbeCell {
    fn get(&self) -> ProbeResult {
        match self.0.load(Ordering::Relaxed) {
            0 => ProbeResult::NotRun,
            1 => ProbeResult::Passed,
            _ => ProbeResult::Failed,
        }
    }

    fn set(&self, probe: ProbeResult) {
        self.0.store(probe as u8, Ordering::Relaxed);
    }
}

/// The probes of a context's device.
#[derive(Debug, Default)]
struct Probes {
    tensor: [ProbeCell; 4],
    opt_in: [ProbeCell; 4],
    skinny: [ProbeCell; 4],
    /// Copies to local memory by cp.async.
    copies: ProbeCell,
}

impl Probes {
    fn of(context: &DeviceContext) -> &Self {
        context.extension(Self::default)
    }

    /// Tensor cores with a type.
    const fn tensor(&self, kind: ScalarKind) -> &ProbeCell {
        &self.tensor[kind as usize]
    }

    /// Tensor cores with a type and opt-in features.
    const fn opt_in(&self, kind: ScalarKind) -> &ProbeCell {
        &self.opt_in[kind as usize]
    }

    /// Tensor cores for skinny products of a type.
    const fn skinny(&self, kind: ScalarKind) -> &ProbeCell {
        &self.skinny[kind as usize]
    }
}

impl Limits {
    /// A context's limits. Half of its workspace, so that two threads can work at a time.
    pub fn of(context: &DeviceContext) -> Self {
        let copies = can_use_cp_async(context);
        Limits { workspace_bytes: context.workspace_limit() / 2, tensor: TensorUse::of(context), copies, units: None }
    }

    /// A queue's limits.
    pub(crate) fn on(queue: &Queue) -> Self {
        Limits { units: queue.units(), ..Self::of(queue.context()) }
    }
}

impl TensorUse {
    /// Use of the tensor cores that a context's device, its probes and the current mode allow.
    pub(super) fn of(context: &DeviceContext) -> Self {
        let allowed = Self::allowed(context.device().info(), math_mode());
        let probes = Probes::of(context);
        let failed = |kind: ScalarKind| probes.tensor(kind).get() == ProbeResult::Failed;
        let opt_in_failed = |kind: &ScalarKind| probes.opt_in(*kind).get() == ProbeResult::Failed;
        TensorUse {
            doubles: allowed.doubles && !failed(ScalarKind::D) && !failed(ScalarKind::Z),
            f32_mma: if failed(ScalarKind::S) || failed(ScalarKind::C) { F32Mma::Off } else { allowed.f32_mma },
            opt_in: allowed.opt_in && !ScalarKind::ALL.iter().any(opt_in_failed),
        }
    }
}

/// True if the device has cp.async and no probe of it has failed.
pub(super) fn can_use_cp_async(context: &DeviceContext) -> bool {
    context.device().info().nvidia.cp_async && Probes::of(context).copies.get() != ProbeResult::Failed
}

/// True if the plan needs no probe, or its probe has passed. The first call for a feature runs the probe; no other step
/// of an operation waits for the device.
pub(super) fn allows(queue: &Queue, problem: &GemmProblem, plan: &GemmPlan) -> bool {
    let feature = plan.required_feature(problem, queue.context().device().info());
    feature.is_none_or(|feature| has_passed(queue, problem.kind, feature))
}

/// Maximum local memory of a type's kernels: the device's opt-in limit if its probe passes, else the limit that OpenCL
/// reports.
pub(crate) fn local_memory_for(queue: &Queue, kind: ScalarKind) -> u64 {
    let device = queue.context().device().info();
    let has_opt_in = TensorUse::allowed(device, MathMode::Default).opt_in && has_passed(queue, kind, Feature::OptIn);
    if has_opt_in { tensor::local_memory(device) } else { device.local_memory_bytes }
}

/// The opt-in limit without running its probe, unless one has failed: for kernels whose program does not build if there
/// is less.
pub(crate) fn opt_in_local_memory(context: &DeviceContext, device: &DeviceInfo, kind: ScalarKind) -> u64 {
    let failed = Probes::of(context).opt_in(kind).get() == ProbeResult::Failed;
    if failed { device.local_memory_bytes } else { tensor::local_memory(device) }
}

/// True if tensor cores multiply doubles; runs the probe if it has not run.
pub(crate) fn multiplies_doubles(queue: &Queue) -> bool {
    let device = queue.context().device().info();
    TensorUse::allowed(device, MathMode::Default).doubles && has_passed(queue, ScalarKind::D, Feature::TensorCores)
}

/// True if the probe of a type and feature has passed; runs it if it has not run.
pub(super) fn has_passed(queue: &Queue, kind: ScalarKind, feature: Feature) -> bool {
    let context = queue.context();
    let probes = Probes::of(context);
    let (probe, what) = match feature {
        Feature::CpAsync => (&probes.copies, "cp.async"),
        Feature::TensorCores => (probes.tensor(kind), "tensor cores"),
        Feature::OptIn => (probes.opt_in(kind), "wgmma or opt-in shared memory"),
        Feature::SkinnyTensor => (probes.skinny(kind), "tensor cores for skinny products"),
    };
    passes(context, probe, what, || match kind {
        ScalarKind::S => GemmPlan::probe::<f32>(queue, feature),
        ScalarKind::D => GemmPlan::probe::<f64>(queue, feature),
        ScalarKind::C => GemmPlan::probe::<Complex32>(queue, feature),
        ScalarKind::Z => GemmPlan::probe::<Complex64>(queue, feature),
    })
}

/// True if a probe has passed; runs it if it has not run.
fn passes(
    context: &DeviceContext,
    probe: &ProbeCell,
    what: &str,
    matches_reference: impl Fn() -> Result<bool>,
) -> bool {
    if probe.get() == ProbeResult::NotRun {
        let passed = matches_reference();
        if !matches!(passed, Ok(true)) {
            let device = &context.device().info().name;
            tracing::warn!(device, what, ?passed, "a probe failed: gemm uses kernels without this feature");
        }
        probe.set(if matches!(passed, Ok(true)) { ProbeResult::Passed } else { ProbeResult::Failed });
    }
    probe.get() == ProbeResult::Passed
}
