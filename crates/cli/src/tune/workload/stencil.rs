//! Steps of a stencil on a plan's grids, compared to the bit with those of naive kernels.

use std::sync::Arc;

use affinimath::stencil::{Bound, Plan, Schedule, Stencil, Strategy, Target};
use affinimath::{DeviceContext, Error, Result};
use affinimath_bench::stencil::Domain;
use affinimath_tuner::space::Configuration;

use super::Workload;
use crate::tune::messages::Problem;

/// Steps of a run: a multiple of many numbers of steps that a launch may have.
pub const STEPS: u64 = 24;

/// A domain with its weight, and what naive kernels leave there.
struct Weighted {
    domain: Domain,
    problem: Problem,
    expected: u64,
}

/// Runs of a stencil on some domains.
pub struct Steps {
    context: Arc<DeviceContext>,
    stencil: Stencil,
    /// The strategy whose parameters are measured.
    schedule: Option<Schedule>,
    domains: Vec<Weighted>,
}

impl Steps {
    pub fn new(context: &Arc<DeviceContext>, text: &str, problems: &[Problem], schedule: Option<&str>) -> Result<Self> {
        let stencil = Stencil::parse(text)?;
        let schedule = schedule.map(Schedule::parse).transpose()?;
        let domains = problems.iter().map(|problem| {
            let mut domain = Domain::new(plan(context, &stencil, problem)?.with_strategy(Strategy::Naive)?, &[])?;
            let expected = domain.digest_after(STEPS)?;
            Ok(Weighted { domain, problem: problem.clone(), expected })
        });
        let domains = domains.collect::<Result<Vec<_>>>()?;
        Ok(Steps { context: context.clone(), stencil, schedule, domains })
    }
}

/// A plan, whatever is known from tuning.
fn plan(context: &Arc<DeviceContext>, stencil: &Stencil, problem: &Problem) -> Result<Plan> {
    let sizes: Vec<(&str, i64)> = problem.sizes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    Ok(Plan::new(stencil, Target::Device(context.clone()), &sizes)?)
}

impl Workload for Steps {
    fn cases(&self) -> usize {
        self.domains.len()
    }

    fn weight(&self, case: usize) -> f64 {
        self.domains[case].problem.weight
    }

    fn prepare(&mut self, configuration: Option<&Configuration>) -> Result<()> {
        for Weighted { domain, problem, .. } in &mut self.domains {
            let plan = plan(&self.context, &self.stencil, problem)?;
            let strategy = match configuration {
                Some(point) => strategy(point, self.schedule.as_ref(), plan.bound())?,
                None => plan.model_strategy(),
            };
            domain.set_plan(plan.with_strategy(strategy)?);
        }
        Ok(())
    }

    fn run(&mut self, case: usize, repetitions: u32) -> Result<()> {
        self.domains[case].domain.run(STEPS * u64::from(repetitions))
    }

    /// Results have the bits of naive kernels, or are wrong.
    fn error(&mut self) -> Result<f64> {
        for Weighted { domain, expected, .. } in &mut self.domains {
            if domain.digest_after(STEPS)? != *expected {
                return Ok(f64::INFINITY);
            }
        }
        Ok(0.0)
    }

    fn wrong(&self, _error: f64) -> String {
        "its bits differ from those of naive kernels".to_owned()
    }
}

/// The strategy of a point; the naive one has no other value.
fn strategy(point: &Configuration, schedule: Option<&Schedule>, bound: &Bound) -> Result<Strategy> {
    if point.get("naive") == Some(1) {
        return Ok(Strategy::Naive);
    }
    if let Some(schedule) = schedule {
        return Ok(schedule.at(point, bound)?.into());
    }
    Strategy::of_configuration(point).ok_or_else(|| Error::Internal(format!("'{point}' is no strategy")))
}
