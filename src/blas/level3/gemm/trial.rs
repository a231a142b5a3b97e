//! Probes of a device's features: each is made once in a context, with products whose results are known.

use std::sync::atomic::{AtomicU8, Ordering};

use affinimath_core::problem::gemm::GemmProblem;

use super::family::Needs;
use super::limits::{F32Mma, Limits, TensorUse};
use super::plan::GemmPlan;
use super::tensor;
use crate::context::{ContextParts, DeviceContext, Queue, QueueParts};
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::math_mode::{MathMode, math_mode};
use crate::scalar::{Complex32, Complex64, ScalarKind};

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

impl Limits {
    /// A context's limits. Half of its scratch memory, so that two threads can work at a time.
    pub fn of(context: &DeviceContext) -> Self {
        let copies = may_copy(context);
        Limits { scratch_bytes: context.scratch_limit() / 2, tensor: TensorUse::of(context), copies, units: None }
    }

    /// A queue's limits.
    pub(crate) fn on(queue: &Queue) -> Self {
        Limits { units: queue.units(), ..Self::of(queue.context()) }
    }
}

impl TensorUse {
    /// What a context's device, its trials and the mode in force allow.
    pub(super) fn of(context: &DeviceContext) -> Self {
        let allowed = Self::allowed(context.device().info(), math_mode());
        let trials = Trials::of(context);
        let failed = |kind: ScalarKind| trials.tensor(kind).get() == Trial::Failed;
        let unstated_failed = |kind: &ScalarKind| trials.unstated(*kind).get() == Trial::Failed;
        TensorUse {
            doubles: allowed.doubles && !failed(ScalarKind::D) && !failed(ScalarKind::Z),
            f32_mma: if failed(ScalarKind::S) || failed(ScalarKind::C) { F32Mma::Off } else { allowed.f32_mma },
            unstated: allowed.unstated && !ScalarKind::ALL.iter().any(unstated_failed),
        }
    }
}

/// Whether slices for multiply-adds may be copied without registers: the device can, and no trial has failed.
pub(super) fn may_copy(context: &DeviceContext) -> bool {
    context.device().info().nvidia.cp_async && Trials::of(context).copies.get() != Trial::Failed
}

/// True if the plan needs no probe, or its probe has passed. The first call for a feature makes the probe: the only time
/// that an operation waits for the device.
pub(super) fn allows(queue: &Queue, problem: &GemmProblem, plan: &GemmPlan) -> bool {
    let needs = plan.needs(problem, queue.context().device().info());
    needs.is_none_or(|needs| has_passed(queue, problem.kind, needs))
}

/// The local memory that the arrays of a type's kernels may take: what the device states, or what it has, where the trial of that has
/// passed or passes now.
pub(crate) fn local_memory_for(queue: &Queue, kind: ScalarKind) -> u64 {
    let device = queue.context().device().info();
    let is_unstated =
        TensorUse::allowed(device, MathMode::Default).unstated && has_passed(queue, kind, Needs::Unstated);
    if is_unstated { tensor::local_memory(device) } else { device.local_memory_bytes }
}

/// The same without a trial, unless one has failed: for kernels whose program does not build where there is less.
pub(crate) fn opt_in_local_memory(context: &DeviceContext, device: &DeviceInfo, kind: ScalarKind) -> u64 {
    let failed = Trials::of(context).unstated(kind).get() == Trial::Failed;
    if failed { device.local_memory_bytes } else { tensor::local_memory(device) }
}

/// Whether the tensor cores multiply doubles: by the trial of that, which is made now if it has not been.
pub(crate) fn multiplies_doubles(queue: &Queue) -> bool {
    let device = queue.context().device().info();
    TensorUse::allowed(device, MathMode::Default).doubles && has_passed(queue, ScalarKind::D, Needs::Stated)
}

/// Whether a type's trial has passed, of what plans may need. If it has not been made, it is made now.
fn has_passed(queue: &Queue, kind: ScalarKind, needs: Needs) -> bool {
    let context = queue.context();
    let trials = Trials::of(context);
    let (trial, what) = match needs {
        Needs::Copies => (&trials.copies, "copies without registers"),
        Needs::Stated => (trials.tensor(kind), "tensor cores"),
        Needs::Unstated => (trials.unstated(kind), "what the device does not state"),
        Needs::Skinny => (trials.skinny(kind), "tensor cores for skinny products"),
    };
    passes(context, trial, what, || match kind {
        ScalarKind::S => GemmPlan::probe::<f32>(queue, needs),
        ScalarKind::D => GemmPlan::probe::<f64>(queue, needs),
        ScalarKind::C => GemmPlan::probe::<Complex32>(queue, needs),
        ScalarKind::Z => GemmPlan::probe::<Complex64>(queue, needs),
    })
}

/// Whether a trial of something has passed. If it has not been made, it is made.
fn passes(context: &DeviceContext, trial: &TrialState, what: &str, is_right: impl Fn() -> Result<bool>) -> bool {
    if trial.get() == Trial::Untried {
        let passed = is_right();
        if !matches!(passed, Ok(true)) {
            let device = &context.device().info().name;
            tracing::warn!(device, what, ?passed, "this cannot be used: other kernels take its place");
        }
        trial.set(if matches!(passed, Ok(true)) { Trial::Passed } else { Trial::Failed });
    }
    trial.get() == Trial::Passed
}
