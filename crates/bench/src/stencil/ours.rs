//! Our library: steps on grids in a plan's memory.

use std::time::{Duration, Instant};

use affinimath::Context;
use affinimath::stencil::{Plan, Strategy};

use super::case::Case;
use super::domain::Domain;
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::target::Target;

/// Steps behind which samples are compared: those before are a cone, which grows with each step.
const SAMPLED_STEPS: u64 = 3;

struct Ours {
    domain: Domain,
    steps: u64,
    /// The digest that naive kernels lead to.
    expected: u64,
}

/// Our library on the target.
pub fn entrant<'a>(case: &Case, target: &Target) -> Entrant<'a> {
    let context = target.device.map_or_else(|| Ok(Context::host()), Context::open)?;
    let sizes: Vec<_> = case.sizes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let failed = |error: affinimath::stencil::Error| BenchError::Unfit(error.to_string());
    let plan = || Plan::new(&case.stencil, &context, &sizes).map_err(failed);
    let naive = plan()?.with_strategy(Strategy::Naive).map_err(failed)?;
    let mut chosen = plan()?;
    if let Some(strategy) = &case.strategy {
        let strategy: Strategy = strategy.parse().map_err(failed)?;
        chosen = chosen.with_strategy(strategy).map_err(failed)?;
    }
    let mut domain = Domain::new(naive, &case.parameters)?;
    let expected = domain.digest_after(case.steps)?;
    domain.set_plan(chosen);
    Ok(Box::new(Ours { domain, steps: case.steps, expected }))
}

impl Contender for Ours {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let start = Instant::now();
        for _ in 0..repetitions {
            self.domain.run(self.steps)?;
        }
        Ok(start.elapsed())
    }

    /// 0 where the bits are those of naive kernels, and at samples those of the host.
    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        let mut is_equal = self.domain.digest_after(self.steps)? == self.expected;
        let sampled = self.steps.min(SAMPLED_STEPS);
        if sampled != self.steps {
            self.domain.restart(sampled)?;
        }
        is_equal &= self.domain.wrong_sample(sampled)?.is_none();
        Ok(Accuracy { error: if is_equal { 0.0 } else { f64::INFINITY }, bound: 0.0 })
    }
}
