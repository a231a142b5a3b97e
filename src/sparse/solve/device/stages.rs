//! Stages of solvers, compiled for a context's device.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, PoisonError, RwLock};

use affinimath_array::lower::{DeviceClass, LoweredStage, lower_stage};
use affinimath_array::stage::{Stage, stage_of};
use affinimath_core::sparse::pass::Pass;

use crate::array::device_class;
use crate::context::{ContextParts, DeviceContext};
use crate::error::{Error, Result};
use crate::program::{GeneratedSource, Program};
use crate::scalar::Scalar;

/// A stage of a solver.
pub(super) struct DeviceStage {
    pub(super) lowered: LoweredStage,
    pub(super) program: Arc<Program>,
}

/// A pass's stage, with the position of each access's vector among the pass's.
pub(super) struct BoundDeviceStage {
    pub(super) stage: Arc<DeviceStage>,
    pub(super) vectors: Vec<usize>,
}

/// Compiled stages of a context, by hash.
#[derive(Default)]
struct Stages(RwLock<HashMap<u64, Vec<Arc<DeviceStage>>>>);

impl BoundDeviceStage {
    /// That of a pass, compiled at its first use in a context.
    ///
    /// # Errors
    /// [`Error::ProgramBuild`].
    pub(super) fn of<T: Scalar>(context: &DeviceContext, pass: &Pass) -> Result<Self> {
        let bound = stage_of(pass, T::KIND);
        let stage = context.extension(Stages::default).get(context, &bound.stage)?;
        Ok(BoundDeviceStage { stage, vectors: bound.vectors })
    }
}

impl Stages {
    fn get(&self, context: &DeviceContext, stage: &Stage) -> Result<Arc<DeviceStage>> {
        let mut hasher = DefaultHasher::new();
        stage.hash(&mut hasher);
        let key = hasher.finish();
        let is_it = |known: &&Arc<DeviceStage>| known.lowered.stage() == stage;
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&key).and_then(|same| same.iter().find(is_it)) {
            return Ok(known.clone());
        }
        drop(known);
        let stage = Arc::new(DeviceStage::new(context, stage)?);
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.entry(key).or_default().push(stage.clone());
        Ok(stage)
    }
}

impl DeviceStage {
    fn new(context: &DeviceContext, stage: &Stage) -> Result<Self> {
        let internal = |error: &dyn std::fmt::Display| Error::Internal(format!("stage {}: {error}", stage.name));
        let lowered = lower_stage(stage, &stage_class(context)).map_err(|error| internal(&error))?;
        let kernel = lowered.kernel().map_err(|error| internal(&error))?;
        let program = context.generated_program(&GeneratedSource::from(&kernel))?;
        Ok(DeviceStage { lowered, program })
    }
}

/// The properties of a context's device that stages depend on.
pub(super) fn stage_class(context: &DeviceContext) -> DeviceClass {
    device_class(context.device().info())
}
