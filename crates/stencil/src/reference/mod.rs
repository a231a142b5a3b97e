//! A naive evaluator on slices: the meaning of a stencil.
//!
//! Each point's expressions are evaluated in the order of the text and in the types of the definition, so that results
//! are those of every strategy, to the bit. It is written to be read, not to be fast.

mod data;
mod evaluate;
mod faces;
mod machine;
mod reduce;

use std::collections::BTreeMap;

pub use data::{Argument, Field, GridSlices, Layout, Slice, Value};
pub use reduce::STRIP;

use crate::analysis::{Analysis, needed_memory};
use crate::definition::{AXES, Parameter, Range, Stencil};
use crate::error::{Error, Result};
use faces::Faces;

/// A stencil with values for its sizes.
#[derive(Clone, Debug)]
pub struct Reference<'s> {
    stencil: &'s Stencil,
    facts: Analysis,
    sizes: BTreeMap<String, i64>,
    lower: Vec<i64>,
    lengths: Vec<usize>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Steps that were done.
    pub steps: u64,
    /// The stop criterion ended the run.
    pub has_stopped: bool,
    /// The index of each grid's slice with the newest level.
    pub newest: Vec<usize>,
    /// Results of the last step; none before the first one.
    pub results: Vec<Option<Value>>,
}

/// The length of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// The time `t` of the first step.
    pub first: i64,
    /// Steps; without them the stencil's own number.
    pub steps: Option<u64>,
    /// Initial values are set before.
    pub initial: bool,
}

/// A parameter's values, with the first index and the length of each of its ranges.
struct Elements {
    ranges: Vec<(i64, usize)>,
    values: Vec<Value>,
}

/// A grid during a run.
struct State<'g, 'd> {
    data: &'g mut GridSlices<'d>,
    constant: bool,
    newest: i32,
    /// Slots of the levels, from the oldest to the newest.
    order: Vec<usize>,
    /// A red-black sweep's second half runs, and assigns the grid.
    is_coupled: bool,
}

impl State<'_, '_> {
    /// The slot of a level relative to `t`.
    fn slot(&self, time: i32) -> usize {
        let from_newest = (self.newest - time).max(0) as usize;
        self.order[(self.order.len() - 1).saturating_sub(from_newest)]
    }
}

struct Machine<'g, 'd> {
    stencil: &'g Stencil,
    facts: &'g Analysis,
    sizes: &'g BTreeMap<String, i64>,
    lower: Vec<i64>,
    lengths: Vec<usize>,
    grids: Vec<State<'g, 'd>>,
    faces: Vec<Vec<Faces>>,
    parameters: Vec<Elements>,
    registers: Vec<Option<Value>>,
    temporaries: Vec<Option<Value>>,
    results: Vec<Option<Value>>,
}

/// The greatest coordinate and the greatest number of points.
const MAX_COORDINATE: i64 = 1 << 48;

/// A range's first value and length.
fn bound(range: &Range, sizes: &BTreeMap<String, i64>) -> std::result::Result<(i64, usize), String> {
    let (lower, upper) = (range.lower.value(sizes)?, range.upper.value(sizes)?);
    if lower.unsigned_abs().max(upper.unsigned_abs()) > MAX_COORDINATE as u64 {
        return Err(format!("{lower} .. {upper} is beyond 2^48"));
    }
    match usize::try_from(upper - lower + 1).ok().filter(|&length| length > 0) {
        Some(length) => Ok((lower, length)),
        None => Err(format!("{lower} .. {upper} is empty")),
    }
}

impl<'s> Reference<'s> {
    /// Binds sizes to their values.
    ///
    /// # Errors
    /// A size is missing, the domain is empty on an axis, or a declared memory box does not hold what taps reach.
    pub fn new(stencil: &'s Stencil, sizes: &[(&str, i64)]) -> Result<Self> {
        let given: BTreeMap<String, i64> = sizes.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        let symbols = stencil.symbols();
        if let Some(unknown) = given.keys().find(|name| !symbols.contains(&name.as_str())) {
            return Err(Error::new(format!("there is no size '{unknown}': there are {}", symbols.join(", "))));
        }
        let (mut lower, mut lengths) = (Vec::new(), Vec::new());
        for (axis, range) in stencil.domain().iter().enumerate() {
            let (first, length) =
                bound(range, &given).map_err(|reason| Error::new(format!("the domain on {}: {reason}", AXES[axis])))?;
            lower.push(first);
            lengths.push(length);
        }
        let points = lengths.iter().try_fold(1usize, |so_far, &length| so_far.checked_mul(length));
        if points.is_none_or(|points| points > MAX_COORDINATE as usize) {
            return Err(Error::new("the domain has more than 2^48 points"));
        }
        let reference = Reference { stencil, facts: Analysis::new(stencil), sizes: given, lower, lengths };
        for grid in 0..stencil.grids().len() {
            reference.layout(grid)?;
        }
        Ok(reference)
    }

    /// The values of sizes.
    pub fn sizes(&self) -> &BTreeMap<String, i64> {
        &self.sizes
    }

    /// The number of points of the domain.
    pub fn points(&self) -> usize {
        self.lengths.iter().product()
    }

    /// The number of levels that a run needs of a grid.
    pub fn levels(&self, grid: usize) -> usize {
        self.facts.grids[grid].levels
    }

    /// The memory of a grid without gaps.
    ///
    /// # Errors
    /// The memory is empty, or does not hold the domain and what taps reach.
    pub fn layout(&self, grid: usize) -> Result<Layout> {
        let (mut lower, mut lengths) = (Vec::new(), Vec::new());
        for range in &self.facts.grids[grid].memory {
            let (first, length) = self.bound(grid, range)?;
            lower.push(first);
            lengths.push(length);
        }
        let layout = Layout::contiguous(lower, lengths);
        self.holds(grid, &layout)?;
        Ok(layout)
    }

    /// A field of zeros with the levels and components that a run needs.
    ///
    /// # Errors
    /// Those of [`Reference::layout`].
    pub fn field(&self, grid: usize) -> Result<Field> {
        let definition = &self.stencil.grids()[grid];
        Field::zeros(definition.kind, self.layout(grid)?, definition.component_count(), self.levels(grid))
    }

    fn bound(&self, grid: usize, range: &Range) -> Result<(i64, usize)> {
        let name = &self.stencil.grids()[grid].name;
        bound(range, &self.sizes).map_err(|reason| Error::new(format!("the memory of '{name}': {reason}")))
    }

    /// A layout holds the domain and what taps reach.
    fn holds(&self, grid: usize, layout: &Layout) -> Result<()> {
        let definition = &self.stencil.grids()[grid];
        let name = &definition.name;
        let axes = definition.axes.len();
        if [layout.lower.len(), layout.lengths.len(), layout.strides.len()] != [axes; 3] {
            return Err(Error::new(format!("the layout of '{name}' has not {axes} axes")));
        }
        for (position, range) in needed_memory(self.stencil, grid, &self.facts.grids[grid].radius).iter().enumerate() {
            let (first, length) = self.bound(grid, range)?;
            let (own, own_length) = (layout.lower[position], layout.lengths[position]);
            let last = first.saturating_add(length as i64 - 1);
            let own_last = own.saturating_add(i64::try_from(own_length).unwrap_or(i64::MAX) - 1);
            if first < own || last > own_last {
                let axis = AXES[definition.axes[position]];
                return Err(Error::new(format!(
                    "the memory of '{name}' is {own} .. {own_last} on {axis}, and its taps reach {first} .. {last}"
                )));
            }
        }
        Ok(())
    }

    /// Checks the memory of a grid.
    fn check(&self, grid: usize, data: &GridSlices<'_>) -> Result<()> {
        let definition = &self.stencil.grids()[grid];
        let name = &definition.name;
        self.holds(grid, &data.layout)?;
        let (components, levels) = (definition.component_count(), self.levels(grid));
        if data.slices.len() != components {
            let given = data.slices.len();
            return Err(Error::new(format!("'{name}' has {components} components, and memory for {given} is given")));
        }
        if !data.layout.is_injective() {
            return Err(Error::new(format!("points of '{name}' overlap in memory: its strides are too small")));
        }
        let extent = data.layout.extent().unwrap_or(usize::MAX);
        for slices in &data.slices {
            if slices.len() != levels {
                let given = slices.len();
                return Err(Error::new(format!("'{name}' has {levels} levels, and {given} slices are given")));
            }
            for slice in slices {
                if slice.kind() != definition.kind {
                    let (wanted, given) = (definition.kind, slice.kind());
                    return Err(Error::new(format!("'{name}' is a grid of {wanted}, and a slice of {given} is given")));
                }
                if slice.len() < extent {
                    let given = slice.len();
                    return Err(Error::new(format!("'{name}' needs {extent} elements, and a slice has {given}")));
                }
            }
        }
        Ok(())
    }

    /// The values of a parameter, from an argument or from its table.
    fn elements(&self, parameter: &Parameter, argument: Option<&Argument>) -> Result<Elements> {
        let name = &parameter.name;
        let ranges =
            parameter.ranges.iter().map(|range| bound(range, &self.sizes)).collect::<std::result::Result<_, _>>();
        let ranges: Vec<(i64, usize)> =
            ranges.map_err(|reason| Error::new(format!("the ranges of '{name}': {reason}")))?;
        let wanted = ranges.iter().try_fold(1usize, |so_far, range| so_far.checked_mul(range.1));
        let kind = parameter.kind;
        let values: Vec<Value> = match (&parameter.values, argument) {
            (Some(values), _) => values.iter().map(|value| Value::constant(value.0, kind)).collect(),
            (None, Some(Argument::Integers(values))) => {
                values.iter().map(|&value| Value::I64(value).converted(kind)).collect()
            }
            (None, Some(Argument::Reals(values))) if kind.is_real() => {
                values.iter().map(|&value| Value::constant(value, kind)).collect()
            }
            (None, Some(Argument::Reals(_))) => {
                return Err(Error::new(format!("the parameter '{name}' is of {kind}, and real numbers are given")));
            }
            (None, None) => return Err(Error::new(format!("the parameter '{name}' is missing"))),
        };
        if wanted != Some(values.len()) {
            let (wanted, given) = (wanted.unwrap_or(usize::MAX), values.len());
            return Err(Error::new(format!("the parameter '{name}' has {wanted} elements, and {given} are given")));
        }
        Ok(Elements { ranges, values })
    }

    /// All parameters; arguments are for those that are no tables, in their order.
    fn parameters(&self, arguments: &[Argument]) -> Result<Vec<Elements>> {
        let all = self.stencil.parameters();
        let wanted = all.iter().filter(|parameter| parameter.values.is_none()).count();
        if arguments.len() > wanted {
            return Err(Error::new(format!("{wanted} parameters are wanted, and {} are given", arguments.len())));
        }
        let mut arguments = arguments.iter();
        all.iter()
            .map(|parameter| {
                let argument = if parameter.values.is_none() { arguments.next() } else { None };
                self.elements(parameter, argument)
            })
            .collect()
    }

    /// Runs steps on memory. Grids and arguments are in the order of declaration; tables have no argument.
    ///
    /// # Errors
    /// Memory or arguments do not fit, the domain is too small for a boundary, or an expression reads outside the range
    /// of a parameter. Memory is unchanged except by errors of the last kind.
    pub fn run<'d>(&self, grids: &mut [GridSlices<'d>], arguments: &[Argument], span: Span) -> Result<Outcome> {
        if grids.len() != self.stencil.grids().len() {
            let wanted = self.stencil.grids().len();
            return Err(Error::new(format!("{wanted} grids are wanted, and {} are given", grids.len())));
        }
        for (index, grid) in grids.iter().enumerate() {
            self.check(index, grid)?;
        }
        let steps = match (span.steps, self.stencil.steps()) {
            (Some(steps), _) => steps,
            (None, Some(size)) => {
                let steps = size.value(&self.sizes).map_err(Error::new)?;
                u64::try_from(steps).map_err(|_| Error::new(format!("the number of steps is {steps}")))?
            }
            (None, None) => return Err(Error::new("the number of steps is missing")),
        };
        let parameters = self.parameters(arguments)?;
        let mut machine = Machine::new(self, grids, parameters);
        machine.faces = (0..machine.grids.len()).map(|grid| machine.faces(grid)).collect::<Result<_>>()?;
        machine.run(span, steps)
    }
}
