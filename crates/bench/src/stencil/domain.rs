//! Steps of a stencil on grids in a plan's memory, whose bits are compared with those of naive kernels.

use affinimath::Result;
use affinimath::stencil::definition::MAX_AXES;
use affinimath::stencil::reference::Cone;
use affinimath::stencil::{Argument, Bound, Grids, Plan, Span, Stencil, Type, Value};

use super::samples::samples;

/// Values that the host reads for a case's samples.
const MAX_TAPS: u64 = 1 << 18;

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
        self.restart(steps)?;
        self.digest()
    }

    /// A digest of the newest levels of all grids that steps change.
    fn digest(&mut self) -> Result<u64> {
        let mut digest = 0u64;
        for (grid, is_changed) in self.plan.changed(Span::default()).into_iter().enumerate() {
            if is_changed {
                digest = digest.rotate_left(5) ^ self.plan.digest(&mut self.grids, grid)?;
            }
        }
        Ok(digest)
    }

    /// Starts again from the first values, and makes `steps` steps.
    ///
    /// # Errors
    /// Those of [`Self::run`].
    pub fn restart(&mut self, steps: u64) -> Result<()> {
        let span = Span { steps: Some(0), initial: true, ..Span::default() };
        self.filling.run_on(&mut self.grids, &self.arguments, span)?;
        self.run(steps)
    }

    /// The first sample whose value is not the host's after `steps` steps. The host evaluates the expressions point by
    /// point. It compares as many samples as it has time for, and none of a stencil without single points.
    ///
    /// # Errors
    /// Those of [`Self::run`].
    pub fn wrong_sample(&mut self, steps: u64) -> Result<Option<Vec<i64>>> {
        let bound = self.plan.bound().clone();
        let first = |grid: usize, _: usize, point: &[i64; MAX_AXES]| first_value(&bound, grid, point);
        let Some(mut cone) = Cone::new(&bound, &self.arguments, &first)? else { return Ok(None) };
        let grids = bound.stencil().grids().iter().enumerate();
        let assigned = grids.filter(|(grid, _)| bound.stencil().written_level(*grid).is_some());
        let columns: Vec<(usize, usize)> = assigned
            .flat_map(|(grid, own)| (0..own.component_count()).map(move |component| (grid, component)))
            .collect();
        let mut points = samples(bound.lower(), bound.lengths());
        let mut wanted: Vec<Vec<Option<Value>>> = Vec::new();
        for point in &points {
            if cone.taps() > MAX_TAPS {
                break;
            }
            wanted.push(columns.iter().map(|&(grid, own)| cone.value(grid, own, point, steps)).collect());
        }
        points.truncate(wanted.len());
        for (column, &(grid, component)) in columns.iter().enumerate() {
            let level = self.grids.newest(grid);
            let found = self.grids.values_at(grid, component, level, &points)?;
            let differs = |(found, wanted): (&Value, &Vec<Option<Value>>)| {
                wanted[column].is_none_or(|wanted| found.as_f64().to_bits() != wanted.as_f64().to_bits())
            };
            if let Some(index) = found.iter().zip(&wanted).position(differs) {
                return Ok(Some(points.swap_remove(index)));
            }
        }
        Ok(None)
    }
}

/// The first value of a grid at a point: that of [`with_first_values`].
fn first_value(bound: &Bound, grid: usize, point: &[i64; MAX_AXES]) -> Value {
    let definition = &bound.stencil().grids()[grid];
    let mut mixed = 77 + 31 * grid as i64;
    for &axis in &definition.axes {
        let at = point[axis].abs();
        mixed = (mixed * (at % 509 + 3) + at % 4093 * 7 + axis as i64) % 1021;
    }
    match definition.kind {
        Type::F32 => Value::F32(0.1 * mixed as f32 / 1021.0),
        Type::F64 => Value::F64(0.1 * mixed as f64 / 1021.0),
        Type::I64 => Value::I64(0),
        Type::I32 | Type::Bool => Value::I32(0),
    }
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

#[cfg(test)]
mod tests {
    use affinimath::stencil::{Field, Slice, Strategy, Target};

    use super::super::case::Subject;
    use super::*;

    /// Changes a box of points of the newest level.
    fn break_box(domain: &mut Domain, lower: [i64; 3], lengths: [i64; 3]) {
        let (layout, newest) = (domain.grids.layout(0).clone(), domain.grids.newest(0));
        let kind = domain.plan.bound().stencil().grids()[0].kind;
        let mut field = Field::zeros(kind, layout.clone(), 1, 1).expect("memory");
        domain.grids.download(0, 0, newest, &layout, &mut field.slices().slices[0][0]).expect("a copy");
        for z in 0..lengths[2] {
            for y in 0..lengths[1] {
                for x in 0..lengths[0] {
                    let index = layout.index(&[lower[0] + x, lower[1] + y, lower[2] + z]).expect("a point");
                    match &mut field.slices().slices[0][0] {
                        Slice::F32(values) => values[index] = f32::from_bits(values[index].to_bits() ^ 1),
                        other => panic!("{other:?}"),
                    }
                }
            }
        }
        domain.grids.upload(0, 0, newest, &layout, &field.slices().slices[0][0]).expect("a copy");
    }

    #[test]
    fn one_wrong_bit_changes_the_digest_and_wrong_tiles_and_planes_have_samples() {
        let subject = Subject::named("laplacian").expect("a stencil");
        let case = subject.case(affinimath::ScalarKind::S, 64, 1, &[], None).expect("a case");
        let sizes: Vec<_> = case.sizes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let plan = Plan::new(&case.stencil, Target::Host, &sizes).expect("a plan");
        let mut domain = Domain::new(plan, &case.parameters).expect("a domain");
        let right = domain.digest_after(1).expect("steps");
        // A point at a corner, on a face, inside; a tile; a plane of the boundary.
        let broken = [
            ([1, 1, 1], [1; 3]),
            ([64, 33, 20], [1; 3]),
            ([31, 17, 40], [1; 3]),
            ([33, 17, 1], [16, 8, 16]),
            ([1, 1, 64], [64, 64, 1]),
        ];
        for (number, (lower, lengths)) in broken.into_iter().enumerate() {
            assert_eq!(domain.wrong_sample(1).expect("samples"), None);
            break_box(&mut domain, lower, lengths);
            assert_ne!(domain.digest().expect("a digest"), right, "{lower:?}");
            let wrong = domain.wrong_sample(1).expect("samples");
            assert!(wrong.is_some() || matches!(number, 1 | 2), "{lower:?}");
            assert_eq!(domain.digest_after(1).expect("steps"), right);
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
