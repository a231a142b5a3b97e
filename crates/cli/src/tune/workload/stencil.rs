//! Steps of a stencil on a plan's grids, compared to the bit with those of naive kernels.

use std::sync::Arc;

use affinimath::stencil::{
    Argument, Bound, Field, Grids, Plan, Schedule, Slice, Span, Stencil, Strategy, Target, Type,
};
use affinimath::{DeviceContext, Error, Result};
use affinimath_tuner::space::Configuration;

use super::Workload;
use crate::tune::messages::Problem;

/// Steps of a run: a multiple of many numbers of steps that a launch may have.
pub const STEPS: u64 = 24;

/// A domain with its grids, and what naive kernels leave there.
struct Domain {
    plan: Plan,
    sizes: Vec<(String, i64)>,
    weight: f64,
    arguments: Vec<Argument>,
    grids: Grids,
    /// The first values of each grid, of all its levels and components.
    first: Vec<Field>,
    expected: u64,
}

/// Runs of a stencil on some domains.
pub struct Steps {
    context: Arc<DeviceContext>,
    stencil: Stencil,
    /// The strategy whose parameters are measured.
    schedule: Option<Schedule>,
    domains: Vec<Domain>,
}

impl Steps {
    pub fn new(context: &Arc<DeviceContext>, text: &str, problems: &[Problem], schedule: Option<&str>) -> Result<Self> {
        let stencil = Stencil::parse(text)?;
        let schedule = schedule.map(Schedule::parse).transpose()?;
        let domains = problems.iter().map(|problem| Domain::new(context, &stencil, problem));
        let domains = domains.collect::<Result<Vec<_>>>()?;
        Ok(Steps { context: context.clone(), stencil, schedule, domains })
    }
}

/// A plan, whatever is known from tuning.
fn plan(context: &Arc<DeviceContext>, stencil: &Stencil, sizes: &[(String, i64)]) -> Result<Plan> {
    let sizes: Vec<(&str, i64)> = sizes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    Ok(Plan::new(stencil, Target::Device(context.clone()), &sizes)?)
}

impl Domain {
    fn new(context: &Arc<DeviceContext>, stencil: &Stencil, problem: &Problem) -> Result<Self> {
        let plan = plan(context, stencil, &problem.sizes)?.with_strategy(Strategy::Naive)?;
        let grids = plan.grids()?;
        let arguments = arguments(plan.bound())?;
        let first = (0..stencil.grids().len()).map(|grid| first_values(plan.bound(), grid)).collect::<Result<_>>()?;
        let Problem { sizes, weight } = problem.clone();
        let mut domain = Domain { plan, sizes, weight, arguments, grids, first, expected: 0 };
        domain.expected = domain.result()?;
        Ok(domain)
    }

    fn run(&mut self, repetitions: u32) -> Result<()> {
        let span = Span { steps: Some(STEPS * u64::from(repetitions)), ..Span::default() };
        self.plan.run_on(&mut self.grids, &self.arguments, span)?;
        Ok(())
    }

    /// A digest of the bits after a run from the first values.
    fn result(&mut self) -> Result<u64> {
        for (grid, field) in self.first.iter_mut().enumerate() {
            let layout = field.layout().clone();
            for component in 0..self.plan.bound().stencil().grids()[grid].component_count() {
                for level in 0..self.plan.bound().levels(grid) {
                    self.grids.upload(grid, component, level, &layout, &field.slices().slices[0][0])?;
                }
            }
        }
        self.run(1)?;
        digest(&self.plan, &mut self.grids)
    }
}

/// A digest of the newest levels of all components.
fn digest(plan: &Plan, grids: &mut Grids) -> Result<u64> {
    let mut digest = 0;
    for grid in 0..plan.bound().stencil().grids().len() {
        let mut field: Field = plan.bound().field(grid)?;
        let (layout, newest) = (field.layout().clone(), grids.newest(grid));
        for (component, levels) in field.slices().slices.iter_mut().enumerate() {
            grids.download(grid, component, newest, &layout, &mut levels[0])?;
            digest = mixed(digest, &levels[0]);
        }
    }
    Ok(digest)
}

/// Values from 0 to 0.1 that no symmetry of a stencil maps to each other.
fn first_values(bound: &Bound, grid: usize) -> Result<Field> {
    let mut field: Field = bound.field(grid)?;
    field.fill(0, 0, |cell| {
        let mixed = cell.iter().fold(0x9e37_79b9_i64, |so_far, &c| so_far.wrapping_mul(0x5851_f42d) ^ (c + 77));
        0.1 * ((mixed >> 11) & 0x3ff) as f64 / 1024.0
    });
    Ok(field)
}

/// 0.1, or 1 where a parameter is an integer, for all elements of parameters.
fn arguments(bound: &Bound) -> Result<Vec<Argument>> {
    let parameters = bound.stencil().parameters().iter().enumerate();
    let each = parameters.filter(|(_, parameter)| parameter.values.is_none()).map(|(number, parameter)| {
        let count = bound.ranges(number)?.iter().map(|(_, length)| length).product();
        Ok(match parameter.kind {
            Type::I32 | Type::I64 => Argument::Integers(vec![1; count]),
            _ => Argument::Reals(vec![0.1; count]),
        })
    });
    each.collect()
}

fn mixed(digest: u64, slice: &Slice<'_>) -> u64 {
    let mix = |digest: u64, bits: u64| (digest.rotate_left(5) ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    match slice {
        Slice::F32(values) => values.iter().fold(digest, |digest, value| mix(digest, value.to_bits().into())),
        Slice::F64(values) => values.iter().fold(digest, |digest, value| mix(digest, value.to_bits())),
        Slice::I32(values) => values.iter().fold(digest, |digest, value| mix(digest, *value as u64)),
        Slice::I64(values) => values.iter().fold(digest, |digest, value| mix(digest, *value as u64)),
    }
}

impl Workload for Steps {
    fn cases(&self) -> usize {
        self.domains.len()
    }

    fn weight(&self, case: usize) -> f64 {
        self.domains[case].weight
    }

    fn prepare(&mut self, configuration: Option<&Configuration>) -> Result<()> {
        for domain in &mut self.domains {
            let plan = plan(&self.context, &self.stencil, &domain.sizes)?;
            let strategy = match configuration {
                Some(point) => strategy(point, self.schedule.as_ref(), plan.bound())?,
                None => plan.model_strategy(),
            };
            domain.plan = plan.with_strategy(strategy)?;
        }
        Ok(())
    }

    fn run(&mut self, case: usize, repetitions: u32) -> Result<()> {
        self.domains[case].run(repetitions)
    }

    /// Results have the bits of naive kernels, or are wrong.
    fn error(&mut self) -> Result<f64> {
        for domain in &mut self.domains {
            if domain.result()? != domain.expected {
                return Ok(f64::INFINITY);
            }
        }
        Ok(0.0)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_depends_on_each_component() {
        let text = "stencil pair {
          domainsize = (1 .. n, 1 .. n);
          operation (float grid u[2]) {
            u[x,y; t+1; 0] = u[x,y; t; 0];
            u[x,y; t+1; 1] = u[x,y; t; 1];
          }
        }";
        let stencil = Stencil::parse(text).expect("a stencil");
        let plan = Plan::new(&stencil, Target::Host, &[("n", 8)]).expect("a plan");
        let mut grids = plan.grids().expect("memory");
        let before = digest(&plan, &mut grids).expect("a digest");
        for component in 0..2 {
            let mut field = first_values(plan.bound(), 0).expect("values");
            let (layout, newest) = (field.layout().clone(), grids.newest(0));
            grids.upload(0, component, newest, &layout, &field.slices().slices[0][0]).expect("a copy");
            assert_ne!(digest(&plan, &mut grids).expect("a digest"), before, "component {component}");
            let mut zeros: Field = plan.bound().field(0).expect("zeros");
            grids.upload(0, component, newest, &layout, &zeros.slices().slices[0][0]).expect("a copy");
            assert_eq!(digest(&plan, &mut grids).expect("a digest"), before);
        }
    }
}
