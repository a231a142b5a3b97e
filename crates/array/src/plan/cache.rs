//! Plans of earlier evaluations.

use super::walk::Walk;
use super::{Bindings, Limits, Output, Plan};
use crate::error::ArrayError;
use crate::key::{IdMap, hash_words};
use crate::node::Leaf;
use std::sync::Arc;

/// Plans by the structure of their graphs: operations, types, shapes, strides, and which memories and scalars are the
/// same. Other memory or other scalars find the same plan; other shapes make a new plan, of the same kernels.
pub struct PlanCache {
    limits: Limits,
    capacity: usize,
    plans: IdMap<Vec<Cached>>,
    len: usize,
    time: u64,
}

struct Cached {
    words: Box<[u64]>,
    plan: Arc<Plan>,
    used: u64,
}

impl PlanCache {
    /// A cache of at most `capacity` plans. The least recently used one is dropped first.
    pub fn new(limits: Limits, capacity: usize) -> Self {
        PlanCache { limits, capacity: capacity.max(1), plans: IdMap::default(), len: 0, time: 0 }
    }

    /// The plan of an evaluation and its operands. `dies` is as for [`Plan::reusing`].
    ///
    /// # Errors
    /// Those of [`Plan::new`].
    pub fn plan(
        &mut self,
        outputs: &[Output],
        dies: impl Fn(&Leaf) -> bool,
    ) -> Result<(Arc<Plan>, Bindings), ArrayError> {
        let walk = Walk::of(outputs, &dies)?;
        self.time += 1;
        let hash = hash_words(&walk.words) as usize;
        if let Some(cached) = self.plans.get_mut(&hash).and_then(|all| all.iter_mut().find(|c| *c.words == *walk.words))
        {
            cached.used = self.time;
            return Ok((cached.plan.clone(), walk.bindings));
        }
        let plan = Arc::new(Plan::from_walk(outputs, &walk, &self.limits)?);
        if self.len == self.capacity {
            self.remove_oldest();
        }
        let cached = Cached { words: walk.words.into(), plan: plan.clone(), used: self.time };
        self.plans.entry(hash).or_default().push(cached);
        self.len += 1;
        Ok((plan, walk.bindings))
    }

    /// Plans in the cache.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if it holds no plan.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Drops all plans.
    pub fn clear(&mut self) {
        self.plans.clear();
        self.len = 0;
    }

    fn remove_oldest(&mut self) {
        let oldest = self.plans.iter().flat_map(|(&hash, all)| all.iter().map(move |c| (c.used, hash))).min();
        let Some((used, hash)) = oldest else { return };
        if let Some(all) = self.plans.get_mut(&hash) {
            all.retain(|cached| cached.used != used);
            if all.is_empty() {
                self.plans.remove(&hash);
            }
            self.len -= 1;
        }
    }
}
