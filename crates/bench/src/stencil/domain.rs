//! Steps of a stencil on grids in a plan's memory, whose bits are compared with those of naive kernels.

use affinimath::Result;
use affinimath::stencil::{Argument, Bound, Field, Grids, Plan, Slice, Span, Stencil, Type};

/// A stencil on a domain, with first values of its grids.
pub struct Domain {
    plan: Plan,
    /// Gives all grids their first values, where they lie: the same stencil with initial values.
    filling: Plan,
    arguments: Vec<Argument>,
    grids: Grids,
}

impl Domain {
    /// Grids in the memory of `plan`. A parameter without a value is 0.1, or 1 where it is an integer.
    ///
    /// # Errors
    /// Those of [`Plan::grids`], and a stencil that takes no initial values.
    pub fn new(plan: Plan, parameters: &[(String, f64)]) -> Result<Self> {
        let arguments = arguments(plan.bound(), parameters)?;
        let sizes: Vec<(&str, i64)> =
            plan.bound().sizes().iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let filling = Plan::new(&with_first_values(plan.bound().stencil())?, plan.target().clone(), &sizes)?;
        let grids = plan.grids()?;
        Ok(Domain { plan, filling, arguments, grids })
    }

    /// Another plan for the next steps: of the same stencil, sizes and target.
    pub fn set_plan(&mut self, plan: Plan) {
        self.plan = plan;
    }

    /// Steps from where the last ones ended.
    ///
    /// # Errors
    /// Those of [`Plan::run_on`].
    pub fn run(&mut self, steps: u64) -> Result<()> {
        let span = Span { steps: Some(steps), ..Span::default() };
        self.plan.run_on(&mut self.grids, &self.arguments, span)?;
        Ok(())
    }

    /// A digest of the bits after so many steps from the first values.
    ///
    /// # Errors
    /// Those of [`Self::run`].
    pub fn digest_after(&mut self, steps: u64) -> Result<u64> {
        let span = Span { steps: Some(0), initial: true, ..Span::default() };
        self.filling.run_on(&mut self.grids, &self.arguments, span)?;
        self.run(steps)?;
        digest(&self.plan, &mut self.grids)
    }
}

/// A digest of the newest levels of all components.
fn digest(plan: &Plan, grids: &mut Grids) -> Result<u64> {
    let mut digest = 0;
    for (grid, declared) in plan.bound().stencil().grids().iter().enumerate() {
        let mut field = one_array(plan.bound(), grid)?;
        let (layout, newest) = (field.layout().clone(), grids.newest(grid));
        for component in 0..declared.component_count() {
            let slice = &mut field.slices().slices[0][0];
            grids.download(grid, component, newest, &layout, slice)?;
            digest = mixed(digest, slice);
        }
    }
    Ok(digest)
}

/// Zeros for one component and level of a grid.
fn one_array(bound: &Bound, grid: usize) -> Result<Field> {
    Ok(Field::zeros(bound.stencil().grids()[grid].kind, bound.layout(grid)?, 1, 1)?)
}

/// The stencil with first values of all levels and components of its grids: from 0 to 0.1, and 0 of integers. No
/// symmetry of a stencil maps them to each other.
fn with_first_values(stencil: &Stencil) -> Result<Stencil> {
    let mut filled = stencil.clone();
    for (grid, declared) in stencil.grids().iter().enumerate() {
        let mut mixed = format!("{}", 77 + 31 * grid);
        for &axis in &declared.axes {
            let at = format!("abs(axis({axis}))");
            mixed = format!("({mixed} * ({at} % 509 + 3) + {at} % 4093 * 7 + {axis}) % 1021");
        }
        let kind = declared.kind;
        let value = if kind.is_integer() { "0".to_owned() } else { format!("0.1 * {kind}({mixed}) / 1021") };
        filled = filled.with_initial(grid, None, &value)?;
    }
    Ok(filled)
}

/// The number of all elements of a parameter.
pub fn parameter_value(parameters: &[(String, f64)], name: &str, kind: Type) -> f64 {
    let given = parameters.iter().find(|(given, _)| given == name).map(|(_, value)| *value);
    given.unwrap_or(if kind.is_integer() { 1.0 } else { 0.1 })
}

fn arguments(bound: &Bound, values: &[(String, f64)]) -> Result<Vec<Argument>> {
    let parameters = bound.stencil().parameters().iter().enumerate();
    let each = parameters.filter(|(_, parameter)| parameter.values.is_none()).map(|(number, parameter)| {
        let count = bound.ranges(number)?.iter().map(|(_, length)| length).product();
        let value = parameter_value(values, &parameter.name, parameter.kind);
        Ok(match parameter.kind.is_integer() {
            true => Argument::Integers(vec![value as i64; count]),
            false => Argument::Reals(vec![value; count]),
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

#[cfg(test)]
mod tests {
    use affinimath::stencil::{Strategy, Target};

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
            let mut field = one_array(plan.bound(), 0).expect("values");
            field.fill(0, 0, |cell| (cell[0] + 3 * cell[1]) as f64);
            let (layout, newest) = (field.layout().clone(), grids.newest(0));
            grids.upload(0, component, newest, &layout, &field.slices().slices[0][0]).expect("a copy");
            assert_ne!(digest(&plan, &mut grids).expect("a digest"), before, "component {component}");
            let mut zeros = one_array(plan.bound(), 0).expect("zeros");
            grids.upload(0, component, newest, &layout, &zeros.slices().slices[0][0]).expect("a copy");
            assert_eq!(digest(&plan, &mut grids).expect("a digest"), before);
        }
    }

    #[test]
    fn steps_go_on_and_first_values_come_back() {
        let text = "stencil decay {
          domainsize = (1 .. n, 1 .. n);
          operation (double grid u, double param a, int param k) { u[x,y; t+1] = a * u[x-1,y; t] + k; }
        }";
        let stencil = Stencil::parse(text).expect("a stencil");
        let plan = || Plan::new(&stencil, Target::Host, &[("n", 9)]).expect("a plan");
        let naive = plan().with_strategy(Strategy::Naive).expect("a plan");
        let mut domain = Domain::new(naive, &[("a".to_owned(), 0.5)]).expect("a domain");
        let [two, five] = [2, 5].map(|steps| domain.digest_after(steps).expect("steps"));
        assert_ne!(two, five);
        domain.run(3).expect("steps");
        domain.set_plan(plan());
        assert_eq!(domain.digest_after(2).expect("steps"), two);
    }
}
