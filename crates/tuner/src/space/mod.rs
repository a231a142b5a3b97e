//! Parameter spaces: parameters with their values, constraints between them, and the legal points.
//!
//! A space of up to [`MAX_LISTED`] points has a list of them. A larger one is lazy: points are found when they are
//! asked for, a rule is checked as soon as its parameters have values, and nothing is kept but counts.

mod builder;
mod lazy;
mod parse;
mod rules;
mod term;
#[cfg(test)]
mod tests;
mod value;
mod walk;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

pub use builder::{SpaceBuilder, SpaceError};
pub use parse::{RuleError, Symbol};
pub use term::{Constraint, Function, Operator, Term};
pub use value::{Configuration, Value};

use crate::search::Random;
use lazy::{Lazy, Tree};
use rules::Rules;
use walk::Walk;

/// Points up to which a space has a list of them.
pub const MAX_LISTED: usize = 100_000;
/// Values tried up to which a list is made: with few legal points among many combinations, a list would take long.
const MAX_VISITED: u64 = 2_000_000;

/// A parameter and its values: integers in rising order, false and true, or names in the order of their author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its values, all of one kind.
    pub values: Vec<Value>,
    /// Parameters of different groups do not depend on each other, so that each group is searched apart.
    pub group: usize,
}

impl Parameter {
    /// Sorts the values and drops repeated ones.
    fn sort(&mut self) -> Result<(), SpaceError> {
        let Some(first) = self.values.first() else { return Err(SpaceError::NoValues(self.name.clone())) };
        let kind = std::mem::discriminant(first);
        if self.values.iter().any(|value| std::mem::discriminant(value) != kind) {
            return Err(SpaceError::SeveralKinds(self.name.clone()));
        }
        if matches!(first, Value::Name(_)) {
            let mut seen = BTreeSet::new();
            self.values.retain(|value| seen.insert(value.clone()));
        } else {
            self.values.sort_unstable();
            self.values.dedup();
        }
        Ok(())
    }

    fn index(&self, value: &Value) -> Option<usize> {
        match value {
            Value::Name(_) => self.values.iter().position(|own| own == value),
            _ => self.values.binary_search(value).ok(),
        }
    }
}

/// Which of its values each parameter has.
pub type Coordinates = Vec<usize>;

/// Parameters, constraints, and all points that satisfy these. A point is a number: in a space with a list from 0 on,
/// in a lazy one with gaps.
#[derive(Clone, Debug)]
pub struct Space {
    parameters: Vec<Parameter>,
    constraints: Vec<Constraint>,
    rules: Arc<Rules>,
    points: Arc<Points>,
}

#[derive(Debug)]
enum Points {
    Listed { list: Vec<Coordinates>, numbers: HashMap<Coordinates, usize> },
    Lazy(Lazy),
}

impl Points {
    fn listed(list: Vec<Coordinates>) -> Self {
        let numbers = list.iter().enumerate().map(|(number, point)| (point.clone(), number)).collect();
        Points::Listed { list, numbers }
    }
}

impl Space {
    /// A space that is made step by step, with values and rules of any kind.
    pub fn builder() -> SpaceBuilder {
        SpaceBuilder::default()
    }

    /// All points of integer parameters (name, values, group) that satisfy the constraints.
    ///
    /// # Panics
    /// For what [`SpaceBuilder::build`] refuses, such as a rule about a parameter that is not there.
    pub fn new(parameters: &[(&str, &[i64], usize)], constraints: Vec<Constraint>) -> Self {
        let add = |builder: SpaceBuilder, &(name, values, group): &(&str, &[i64], usize)| {
            builder.values(name, values.iter().copied()).in_group(group)
        };
        let builder = parameters.iter().fold(Space::builder(), add);
        let built = constraints.into_iter().fold(builder, SpaceBuilder::constraint).build();
        built.unwrap_or_else(|error| panic!("{error}"))
    }

    /// The space of given points, such as those of a recording. Points that lack a parameter are left out.
    pub fn of_configurations<'a>(configurations: impl Iterator<Item = &'a Configuration> + Clone) -> Self {
        let names: Vec<&String> =
            configurations.clone().next().map(|first| first.0.keys().collect()).unwrap_or_default();
        let parameters: Vec<Parameter> = names
            .into_iter()
            .map(|name| {
                let mut values: Vec<Value> =
                    configurations.clone().filter_map(|point| point.0.get(name)).cloned().collect();
                values.sort_unstable();
                values.dedup();
                Parameter { name: name.clone(), values, group: 0 }
            })
            .collect();
        let mut list: Vec<Coordinates> = configurations.filter_map(|point| coordinates(&parameters, point)).collect();
        list.sort_unstable();
        list.dedup();
        Self::of_list(parameters, list)
    }

    fn of_list(parameters: Vec<Parameter>, list: Vec<Coordinates>) -> Self {
        let codes = parameters.iter().map(|parameter| (0..parameter.values.len() as i64).collect()).collect();
        let rules = Rules::none(codes);
        Space { parameters, constraints: Vec::new(), rules: rules.into(), points: Points::listed(list).into() }
    }

    fn make(parameters: Vec<Parameter>, constraints: Vec<Constraint>) -> Result<Self, SpaceError> {
        let combinations =
            parameters.iter().try_fold(1_u64, |all, parameter| all.checked_mul(parameter.values.len() as u64));
        if combinations.is_none_or(|all| i64::try_from(all).is_err() || usize::try_from(all).is_err()) {
            return Err(SpaceError::TooLarge);
        }
        let rules = Rules::new(&parameters, &constraints)?;
        let points = list(&parameters, &rules).map_or_else(|| Points::Lazy(Lazy::default()), Points::listed);
        Ok(Space { parameters, constraints, rules: rules.into(), points: points.into() })
    }

    fn tree(&self) -> Tree<'_> {
        Tree { parameters: &self.parameters, rules: &self.rules }
    }

    /// The parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The constraints.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// True if the points are found when they are asked for: their numbers then have gaps.
    pub fn is_lazy(&self) -> bool {
        matches!(*self.points, Points::Lazy(_))
    }

    /// Combinations of values, legal or not.
    pub fn combinations(&self) -> u64 {
        self.parameters.iter().map(|parameter| parameter.values.len() as u64).product()
    }

    /// How many points there are. In a lazy space the first call goes through the beginnings of all points.
    pub fn len(&self) -> usize {
        match &*self.points {
            Points::Listed { list, .. } => list.len(),
            Points::Lazy(lazy) => lazy.len(self.tree()),
        }
    }

    /// The count of points where it costs nothing; `None` in a lazy space, which mostly has more than [`MAX_LISTED`].
    pub fn known_len(&self) -> Option<usize> {
        match &*self.points {
            Points::Listed { list, .. } => Some(list.len()),
            Points::Lazy(_) => None,
        }
    }

    /// True if there is no point.
    pub fn is_empty(&self) -> bool {
        self.next_point(None).is_none()
    }

    /// The first point after another, or the first of all: with the last parameter as the fastest.
    pub fn next_point(&self, after: Option<usize>) -> Option<usize> {
        match &*self.points {
            Points::Listed { list, .. } => {
                after.map_or(Some(0), |point| point.checked_add(1)).filter(|p| *p < list.len())
            }
            Points::Lazy(_) => {
                let after = after.map(|point| self.tree().combination(point));
                self.tree().next(after.as_deref()).map(|at| self.tree().number(&at))
            }
        }
    }

    /// All points in their order.
    pub fn points(&self) -> impl Iterator<Item = usize> {
        std::iter::successors(self.next_point(None), |point| self.next_point(Some(*point)))
    }

    /// A point at random, each one as likely as any other; `None` if there is none.
    pub fn sample(&self, random: &mut Random) -> Option<usize> {
        match &*self.points {
            Points::Listed { list, .. } => (!list.is_empty()).then(|| random.below(list.len())),
            Points::Lazy(lazy) => lazy.sample(self.tree(), random).map(|at| self.tree().number(&at)),
        }
    }

    /// A point's place among the values.
    pub fn coordinates(&self, point: usize) -> Coordinates {
        match &*self.points {
            Points::Listed { list, .. } => list[point].clone(),
            Points::Lazy(_) => self.tree().combination(point),
        }
    }

    /// The point at a place among the values; `None` where a rule forbids it, or beyond the values.
    pub fn at(&self, coordinates: &[usize]) -> Option<usize> {
        match &*self.points {
            Points::Listed { numbers, .. } => numbers.get(coordinates).copied(),
            Points::Lazy(_) => {
                let axes = self.parameters.iter().zip(coordinates);
                let is_inside = coordinates.len() == self.parameters.len()
                    && axes.into_iter().all(|(parameter, &value)| value < parameter.values.len());
                let holds = is_inside && self.rules.hold(&self.parameters, coordinates);
                holds.then(|| self.tree().number(coordinates))
            }
        }
    }

    /// A point's values by their names.
    pub fn configuration(&self, point: usize) -> Configuration {
        let at = self.coordinates(point);
        let values = self.parameters.iter().zip(at);
        Configuration(values.map(|(parameter, at)| (parameter.name.clone(), parameter.values[at].clone())).collect())
    }

    /// The number of the point with these values; other names are not looked at.
    pub fn find(&self, configuration: &Configuration) -> Option<usize> {
        self.at(&coordinates(&self.parameters, configuration)?)
    }

    /// The groups of parameters, in their order.
    pub fn groups(&self) -> Vec<usize> {
        let mut groups: Vec<usize> = self.parameters.iter().map(|parameter| parameter.group).collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    }

    /// The points that differ from `around` in parameters of one group only.
    pub fn of_group(&self, group: usize, around: usize) -> Space {
        let at = self.coordinates(around);
        let axes = self.parameters.iter().enumerate();
        let fixed: Vec<(usize, usize)> =
            axes.filter(|(_, parameter)| parameter.group != group).map(|(axis, _)| (axis, at[axis])).collect();
        self.with_fixed(&fixed)
    }

    /// The points in which some axes have a given value, by its number.
    pub fn with_fixed(&self, fixed: &[(usize, usize)]) -> Space {
        if let Points::Listed { list, .. } = &*self.points {
            let is_kept = |number: &usize| fixed.iter().all(|&(axis, value)| list[*number][axis] == value);
            let configurations: Vec<Configuration> =
                (0..list.len()).filter(is_kept).map(|number| self.configuration(number)).collect();
            if configurations.is_empty() {
                return Self::of_list(self.parameters.clone(), Vec::new());
            }
            let space = Space::of_configurations(configurations.iter());
            return Space { constraints: self.constraints.clone(), ..space.in_the_order_of(&self.parameters) };
        }
        let mut parameters = self.parameters.clone();
        for &(axis, value) in fixed {
            parameters[axis].values = vec![parameters[axis].values[value].clone()];
        }
        // The rules have been read with the same parameters, and there are no more combinations.
        Self::make(parameters, self.constraints.clone())
            .unwrap_or_else(|_| Self::of_list(self.parameters.clone(), Vec::new()))
    }

    /// The same points with parameters, and names among values, in the order of another space.
    fn in_the_order_of(&self, others: &[Parameter]) -> Space {
        let own = |other: &Parameter| self.parameters.iter().find(|parameter| parameter.name == other.name);
        let parameters: Vec<Parameter> = others
            .iter()
            .filter_map(|other| {
                let own = &own(other)?.values;
                let values = other.values.iter().filter(|value| own.contains(value)).cloned().collect();
                Some(Parameter { name: other.name.clone(), values, group: 0 })
            })
            .collect();
        let points = self.points().map(|point| self.configuration(point));
        let mut list: Vec<Coordinates> = points.filter_map(|point| coordinates(&parameters, &point)).collect();
        list.sort_unstable();
        Self::of_list(parameters, list)
    }

    /// The points that differ from one in a single parameter: those with a neighbouring value first.
    pub fn neighbours(&self, point: usize) -> Vec<usize> {
        let from = self.coordinates(point);
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (axis, parameter) in self.parameters.iter().enumerate() {
            for value in (0..parameter.values.len()).filter(|value| *value != from[axis]) {
                let mut other = from.clone();
                other[axis] = value;
                found.extend(self.at(&other).map(|number| (value.abs_diff(from[axis]), number)));
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(_, number)| number).collect()
    }

    /// The point nearest to a place among the values, each axis measured by its length; the first one of several. In a
    /// lazy space it is the nearest only if it is among the nearest combinations.
    pub fn nearest(&self, coordinates: &[f64]) -> Option<usize> {
        let scale: Vec<f64> =
            self.parameters.iter().map(|parameter| 1.0 / (parameter.values.len().max(2) - 1) as f64).collect();
        match &*self.points {
            Points::Listed { list, .. } => {
                let distance = |point: &Coordinates| -> f64 {
                    let axes = point.iter().zip(coordinates).zip(&scale);
                    axes.map(|((&a, b), scale)| (a as f64 - b).abs() * scale).sum()
                };
                (0..list.len()).min_by(|a, b| distance(&list[*a]).total_cmp(&distance(&list[*b])))
            }
            Points::Lazy(_) => lazy::nearest(self.tree(), coordinates, &scale).map(|at| self.tree().number(&at)),
        }
    }
}

fn coordinates(parameters: &[Parameter], configuration: &Configuration) -> Option<Coordinates> {
    parameters.iter().map(|parameter| parameter.index(configuration.0.get(&parameter.name)?)).collect()
}

/// All points, unless they are too many or too rare.
fn list(parameters: &[Parameter], rules: &Rules) -> Option<Vec<Coordinates>> {
    let mut walk = Walk::below(parameters, rules, &[], parameters.len()).with_limit(MAX_VISITED);
    let mut points = Vec::new();
    while let Some(point) = walk.next() {
        if points.len() == MAX_LISTED {
            return None;
        }
        points.push(point.to_vec());
    }
    (!walk.is_cut()).then_some(points)
}
