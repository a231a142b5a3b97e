//! The stages of a method's passes, compiled for a context's device.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, PoisonError, RwLock};

use affinimath_array::lower::{Functions, LowerError, LoweredStage, lower_stage};
use affinimath_array::stage::{BoundStage, stage_of};
use affinimath_core::sparse::pass::Pass;

use crate::context::{ContextParts, DeviceContext};
use crate::error::{Error, Result};
use crate::program::{GeneratedSource, Program, device_class};
use crate::scalar::Scalar;

/// The stages of a method's passes, in one program.
pub(super) struct DeviceStages {
    pub(super) program: Arc<Program>,
    pub(super) lowered: Vec<LoweredStage>,
    /// The position of each access's vector among the pass's, for each stage.
    pub(super) vectors: Vec<Vec<usize>>,
}

/// Compiled methods of a context, by hash.
#[derive(Default)]
struct Methods(RwLock<HashMap<u64, Vec<Arc<DeviceStages>>>>);

impl DeviceStages {
    /// Those of passes, compiled at their first use in a context.
    ///
    /// # Errors
    /// [`Error::ProgramBuild`].
    pub(super) fn of<T: Scalar>(context: &DeviceContext, passes: &[Pass]) -> Result<Arc<Self>> {
        let bound = passes.iter().map(|pass| stage_of(pass, T::KIND)).collect();
        context.extension(Methods::default).get(context, bound)
    }

    fn new(context: &DeviceContext, bound: Vec<BoundStage>) -> Result<Self> {
        let class = device_class(context.device().info(), Functions::Own);
        let internal = |error: LowerError| Error::Internal(format!("stages of a solver: {error}"));
        let items = context.device().info().max_work_group_size;
        let lower = |bound: &BoundStage| lower_stage(&bound.stage, &class, items).map_err(internal);
        let lowered = bound.iter().map(lower).collect::<Result<Vec<_>>>()?;
        let kernel = |stage: &LoweredStage| stage.kernel().map_err(internal);
        let kernels = lowered.iter().map(kernel).collect::<Result<Vec<_>>>()?;
        let program = context.generated_program(&GeneratedSource::of_kernels("sparse solver", &kernels))?;
        Ok(DeviceStages { program, lowered, vectors: bound.into_iter().map(|bound| bound.vectors).collect() })
    }

    fn are_of(&self, bound: &[BoundStage]) -> bool {
        self.lowered.iter().map(LoweredStage::stage).eq(bound.iter().map(|bound| &bound.stage))
    }
}

impl Methods {
    fn get(&self, context: &DeviceContext, bound: Vec<BoundStage>) -> Result<Arc<DeviceStages>> {
        let mut hasher = DefaultHasher::new();
        bound.iter().for_each(|bound| bound.stage.hash(&mut hasher));
        let key = hasher.finish();
        let methods = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let same = methods.get(&key).into_iter().flatten();
        if let Some(known) = same.clone().find(|known| known.are_of(&bound)) {
            return Ok(known.clone());
        }
        drop(methods);
        let stages = Arc::new(DeviceStages::new(context, bound)?);
        let mut methods = self.0.write().unwrap_or_else(PoisonError::into_inner);
        methods.entry(key).or_default().push(stages.clone());
        Ok(stages)
    }
}
