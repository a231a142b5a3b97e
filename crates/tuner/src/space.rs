//! Parameter spaces: parameters with their values, constraints between them, and the legal points.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::{Add, Mul};

use serde::{Deserialize, Serialize};

/// Values of parameters by their names: a point of a space, as it is kept and sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Configuration(pub BTreeMap<String, i64>);

impl Configuration {
    /// Values with their names.
    pub fn new<const N: usize>(values: [(&str, usize); N]) -> Self {
        Configuration(values.into_iter().map(|(name, value)| (name.to_owned(), value as i64)).collect())
    }

    /// A parameter's value; `None` when it is missing or negative.
    pub fn get(&self, name: &str) -> Option<usize> {
        usize::try_from(*self.0.get(name)?).ok()
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.0.iter().enumerate() {
            write!(f, "{}{name}={value}", if index == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

/// Integer arithmetic on parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A number.
    Constant(i64),
    /// A parameter, by its name.
    Parameter(&'static str),
    /// A sum.
    Sum(Box<Term>, Box<Term>),
    /// A product.
    Product(Box<Term>, Box<Term>),
}

impl From<i64> for Term {
    fn from(value: i64) -> Self {
        Term::Constant(value)
    }
}

impl From<&'static str> for Term {
    fn from(name: &'static str) -> Self {
        Term::Parameter(name)
    }
}

impl<T: Into<Term>> Add<T> for Term {
    type Output = Term;

    fn add(self, other: T) -> Term {
        Term::Sum(Box::new(self), Box::new(other.into()))
    }
}

impl<T: Into<Term>> Mul<T> for Term {
    type Output = Term;

    fn mul(self, other: T) -> Term {
        Term::Product(Box::new(self), Box::new(other.into()))
    }
}

impl Term {
    fn value(&self, of: &impl Fn(&str) -> i64) -> i64 {
        match self {
            Term::Constant(value) => *value,
            Term::Parameter(name) => of(name),
            Term::Sum(a, b) => a.value(of).saturating_add(b.value(of)),
            Term::Product(a, b) => a.value(of).saturating_mul(b.value(of)),
        }
    }

    fn parameters(&self, names: &mut Vec<&'static str>) {
        match self {
            Term::Constant(_) => {}
            Term::Parameter(name) => {
                if !names.contains(name) {
                    names.push(name);
                }
            }
            Term::Sum(a, b) | Term::Product(a, b) => {
                a.parameters(names);
                b.parameters(names);
            }
        }
    }
}

/// An expression of Python, for the format T1.
impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Constant(value) => write!(f, "{value}"),
            Term::Parameter(name) => f.write_str(name),
            Term::Sum(a, b) => write!(f, "({a} + {b})"),
            Term::Product(a, b) => write!(f, "{a} * {b}"),
        }
    }
}

/// Constraint on the values of several parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// The first is at most as large as the second.
    AtMost(Term, Term),
    /// The first is a multiple of the second.
    MultipleOf(Term, Term),
}

impl Constraint {
    fn holds(&self, of: &impl Fn(&str) -> i64) -> bool {
        match self {
            Constraint::AtMost(small, large) => small.value(of) <= large.value(of),
            Constraint::MultipleOf(whole, part) => whole.value(of).checked_rem(part.value(of)) == Some(0),
        }
    }

    /// The parameters that it is about.
    pub fn parameters(&self) -> Vec<&'static str> {
        let (Constraint::AtMost(a, b) | Constraint::MultipleOf(a, b)) = self;
        let mut names = Vec::new();
        a.parameters(&mut names);
        b.parameters(&mut names);
        names
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constraint::AtMost(small, large) => write!(f, "{small} <= {large}"),
            Constraint::MultipleOf(whole, part) => write!(f, "({whole}) % ({part}) == 0"),
        }
    }
}

/// A parameter and its values, in rising order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Vec<i64>,
    /// Parameters of different groups do not depend on each other, so that each group is searched apart.
    pub group: usize,
}

/// Which of its values each parameter has.
pub type Coordinates = Vec<usize>;

/// Parameters, constraints, and all points that satisfy these, numbered from 0.
#[derive(Clone, Debug)]
pub struct Space {
    parameters: Vec<Parameter>,
    constraints: Vec<Constraint>,
    points: Vec<Coordinates>,
    numbers: HashMap<Coordinates, usize>,
}

impl Space {
    /// All points of the parameters (name, values, group) that satisfy the constraints. A constraint is looked at as
    /// soon as its parameters have values, so that what cannot be completed is not gone through.
    pub fn new(parameters: &[(&'static str, &[i64], usize)], constraints: Vec<Constraint>) -> Self {
        let parameters: Vec<Parameter> = parameters
            .iter()
            .map(|(name, values, group)| {
                let mut values = values.to_vec();
                values.sort_unstable();
                values.dedup();
                Parameter { name: (*name).to_owned(), values, group: *group }
            })
            .collect();
        let index = |name: &str| parameters.iter().position(|parameter| parameter.name == name);
        let last = |constraint: &Constraint| constraint.parameters().iter().filter_map(|name| index(name)).max();
        let ready: Vec<Vec<&Constraint>> = (0..parameters.len())
            .map(|index| constraints.iter().filter(|constraint| last(constraint) == Some(index)).collect())
            .collect();
        let mut points = Vec::new();
        complete(&parameters, &ready, &mut Vec::new(), &mut points);
        Self::with_points(parameters, constraints, points)
    }

    /// The space of given points, such as those of a recording. Points that lack a parameter are left out.
    pub fn of_configurations<'a>(configurations: impl Iterator<Item = &'a Configuration> + Clone) -> Self {
        let names: Vec<&String> =
            configurations.clone().next().map(|first| first.0.keys().collect()).unwrap_or_default();
        let parameters: Vec<Parameter> = names
            .into_iter()
            .map(|name| {
                let mut values: Vec<i64> =
                    configurations.clone().filter_map(|point| point.0.get(name)).copied().collect();
                values.sort_unstable();
                values.dedup();
                Parameter { name: name.clone(), values, group: 0 }
            })
            .collect();
        let mut points: Vec<Coordinates> = configurations.filter_map(|point| coordinates(&parameters, point)).collect();
        points.sort_unstable();
        points.dedup();
        Self::with_points(parameters, Vec::new(), points)
    }

    fn with_points(parameters: Vec<Parameter>, constraints: Vec<Constraint>, points: Vec<Coordinates>) -> Self {
        let numbers = points.iter().enumerate().map(|(number, point)| (point.clone(), number)).collect();
        Space { parameters, constraints, points, numbers }
    }

    /// The parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The constraints.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// True if there is no point.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// A point's place among the values.
    pub fn coordinates(&self, point: usize) -> &[usize] {
        &self.points[point]
    }

    /// A point's values by their names.
    pub fn configuration(&self, point: usize) -> Configuration {
        let values = self.parameters.iter().zip(&self.points[point]);
        Configuration(values.map(|(parameter, &index)| (parameter.name.clone(), parameter.values[index])).collect())
    }

    /// The number of the point with these values; other names are not looked at.
    pub fn find(&self, configuration: &Configuration) -> Option<usize> {
        self.numbers.get(&coordinates(&self.parameters, configuration)?).copied()
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
        let fixed = |point: &Coordinates| {
            let pairs = self.parameters.iter().zip(point.iter().zip(&self.points[around]));
            pairs.into_iter().all(|(parameter, (a, b))| parameter.group == group || a == b)
        };
        let configurations: Vec<Configuration> = (0..self.len())
            .filter(|number| fixed(&self.points[*number]))
            .map(|number| self.configuration(number))
            .collect();
        Space { constraints: self.constraints.clone(), ..Space::of_configurations(configurations.iter()) }
    }

    /// The points that differ from one in a single parameter: those with a neighbouring value first.
    pub fn neighbours(&self, point: usize) -> Vec<usize> {
        let from = &self.points[point];
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (axis, parameter) in self.parameters.iter().enumerate() {
            for value in (0..parameter.values.len()).filter(|value| *value != from[axis]) {
                let mut other = from.clone();
                other[axis] = value;
                found.extend(self.numbers.get(&other).map(|number| (value.abs_diff(from[axis]), *number)));
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(_, number)| number).collect()
    }

    /// The point nearest to a place among the values, each axis measured by its length; the first one of several.
    pub fn nearest(&self, coordinates: &[f64]) -> Option<usize> {
        let scale: Vec<f64> =
            self.parameters.iter().map(|parameter| 1.0 / (parameter.values.len().max(2) - 1) as f64).collect();
        let distance = |point: &Coordinates| -> f64 {
            point.iter().zip(coordinates).zip(&scale).map(|((&a, b), scale)| (a as f64 - b).abs() * scale).sum()
        };
        (0..self.len()).min_by(|a, b| distance(&self.points[*a]).total_cmp(&distance(&self.points[*b])))
    }
}

fn coordinates(parameters: &[Parameter], configuration: &Configuration) -> Option<Coordinates> {
    let index = |parameter: &Parameter| parameter.values.binary_search(configuration.0.get(&parameter.name)?).ok();
    parameters.iter().map(index).collect()
}

/// Extends a beginning of coordinates by all values that satisfy the constraints which are `ready` then.
fn complete(
    parameters: &[Parameter],
    ready: &[Vec<&Constraint>],
    begun: &mut Coordinates,
    points: &mut Vec<Coordinates>,
) {
    let axis = begun.len();
    if axis == parameters.len() {
        points.push(begun.clone());
        return;
    }
    for value in 0..parameters[axis].values.len() {
        begun.push(value);
        let of = |name: &str| {
            let pairs = parameters.iter().zip(begun.iter());
            pairs
                .filter(|(parameter, _)| parameter.name == name)
                .map(|(parameter, &index)| parameter.values[index])
                .sum()
        };
        if ready[axis].iter().all(|constraint| constraint.holds(&of)) {
            complete(parameters, ready, begun, points);
        }
        begun.pop();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn example() -> Space {
        Space::new(
            &[("tile", &[16, 32, 48, 64], 0), ("threads", &[4, 8, 12, 16], 0), ("items", &[1, 2, 4], 1)],
            vec![
                Constraint::MultipleOf("tile".into(), Term::from("threads") * 4),
                Constraint::AtMost(Term::from("tile") + "threads", 64.into()),
            ],
        )
    }

    #[test]
    fn the_points_are_those_that_satisfy_the_constraints() {
        let space = example();
        let tiles = [(16, 4), (32, 4), (32, 8), (48, 4), (48, 12)];
        assert_eq!(space.len(), 3 * tiles.len());
        for point in 0..space.len() {
            let values = space.configuration(point);
            assert!(tiles.contains(&(values.0["tile"], values.0["threads"])), "{values}");
            assert_eq!(space.find(&values), Some(point));
        }
        assert_eq!(space.find(&Configuration::new([("tile", 64), ("threads", 16), ("items", 1)])), None);
        assert_eq!(space.find(&Configuration::new([("tile", 16), ("threads", 4)])), None);
    }

    #[test]
    fn a_group_leaves_the_other_parameters_as_they_are() {
        let space = example();
        let around = space.find(&Configuration::new([("tile", 48), ("threads", 12), ("items", 2)])).unwrap();
        assert_eq!(space.groups(), [0, 1]);
        assert_eq!(space.of_group(0, around).len(), 5);
        assert_eq!(space.of_group(1, around).len(), 3);
        let items = space.of_group(1, around);
        assert!((0..3).all(|point| items.configuration(point).get("tile") == Some(48)));
    }

    #[test]
    fn constraints_read_as_expressions() {
        let texts: Vec<String> = example().constraints().iter().map(Constraint::to_string).collect();
        assert_eq!(texts, ["(tile) % (threads * 4) == 0", "(tile + threads) <= 64"]);
    }

    #[test]
    fn a_multiple_of_nothing_is_none() {
        let space = Space::new(&[("a", &[0, 2], 0)], vec![Constraint::MultipleOf(4.into(), "a".into())]);
        assert_eq!(space.len(), 1);
    }

    proptest! {
        #[test]
        fn neighbours_differ_in_one_parameter_and_are_mutual(seed in 0_usize..1000) {
            let space = example();
            let point = seed % space.len();
            for neighbour in space.neighbours(point) {
                let pairs = space.coordinates(point).iter().zip(space.coordinates(neighbour));
                prop_assert_eq!(pairs.filter(|(a, b)| a != b).count(), 1);
                prop_assert!(space.neighbours(neighbour).contains(&point));
            }
        }

        #[test]
        fn the_nearest_point_to_a_point_is_itself(seed in 0_usize..1000) {
            let space = example();
            let point = seed % space.len();
            let coordinates: Vec<f64> = space.coordinates(point).iter().map(|&index| index as f64).collect();
            prop_assert_eq!(space.nearest(&coordinates), Some(point));
        }
    }
}
