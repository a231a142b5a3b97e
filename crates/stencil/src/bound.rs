//! A stencil with values for its sizes: layouts, checks of operands, and values of parameters.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::analysis::{Analysis, needed_memory};
use crate::data::{Argument, Field, GridSlices, Layout};
use crate::definition::{AXES, Boundary, ExprId, Range, Side, Stencil};
use crate::error::{Error, Result};
use crate::run::Span;
use crate::value::Value;

/// A stencil with values for its sizes: the ground of every executor.
#[derive(Clone, Debug)]
pub struct Bound {
    stencil: Arc<Stencil>,
    facts: Analysis,
    sizes: BTreeMap<String, i64>,
    lower: Vec<i64>,
    lengths: Vec<usize>,
}

/// The values of all parameters and tables.
#[derive(Clone, Debug)]
pub struct Parameters {
    all: Vec<Elements>,
}

/// A parameter's values, with the first index and the length of each of its ranges.
#[derive(Clone, Debug)]
struct Elements {
    ranges: Vec<(i64, usize)>,
    values: Vec<Value>,
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

impl Bound {
    /// Binds sizes to their values.
    ///
    /// # Errors
    /// A size is missing, the domain is empty on an axis, or a declared memory box does not hold what taps reach.
    pub fn new(stencil: &Stencil, sizes: &[(&str, i64)]) -> Result<Self> {
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
        let facts = Analysis::new(stencil);
        let bound = Bound { stencil: Arc::new(stencil.clone()), facts, sizes: given, lower, lengths };
        for grid in 0..stencil.grids().len() {
            bound.layout(grid)?;
        }
        Ok(bound)
    }

    /// The same stencil and sizes on a box of coordinates in place of the domain, which may reach beyond it. Layouts
    /// stay those of the whole domain.
    ///
    /// # Errors
    /// The box has another number of axes, or no point.
    pub fn part(&self, lower: &[i64], lengths: &[usize]) -> Result<Self> {
        if [lower.len(), lengths.len()] != [self.lower.len(); 2] || lengths.contains(&0) {
            return Err(Error::new("a part of a domain has a point, and the domain's axes"));
        }
        Ok(Bound { lower: lower.to_vec(), lengths: lengths.to_vec(), ..self.clone() })
    }

    /// The stencil.
    pub fn stencil(&self) -> &Stencil {
        &self.stencil
    }

    /// Facts about the stencil.
    pub fn facts(&self) -> &Analysis {
        &self.facts
    }

    /// The values of sizes.
    pub fn sizes(&self) -> &BTreeMap<String, i64> {
        &self.sizes
    }

    /// The first coordinate of the domain on each axis.
    pub fn lower(&self) -> &[i64] {
        &self.lower
    }

    /// The number of the domain's points on each axis.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
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
            let (first, length) = self.range(grid, range)?;
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
    /// Those of [`Bound::layout`].
    pub fn field(&self, grid: usize) -> Result<Field> {
        let definition = &self.stencil.grids()[grid];
        Field::zeros(definition.kind, self.layout(grid)?, definition.component_count(), self.levels(grid))
    }

    fn range(&self, grid: usize, range: &Range) -> Result<(i64, usize)> {
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
        for (position, range) in needed_memory(&self.stencil, grid, &self.facts.grids[grid].radius).iter().enumerate() {
            let (first, length) = self.range(grid, range)?;
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

    /// Checks the layout of a grid's memory, and its numbers of components and levels. `slices` has the number of
    /// levels of each component.
    ///
    /// # Errors
    /// The memory does not hold what taps reach, points overlap, or components or levels are missing.
    pub fn check_layout(&self, grid: usize, layout: &Layout, slices: &[usize]) -> Result<()> {
        let definition = &self.stencil.grids()[grid];
        let name = &definition.name;
        self.holds(grid, layout)?;
        let (components, levels) = (definition.component_count(), self.levels(grid));
        if slices.len() != components {
            let given = slices.len();
            return Err(Error::new(format!("'{name}' has {components} components, and memory for {given} is given")));
        }
        if !layout.is_injective() {
            return Err(Error::new(format!("points of '{name}' overlap in memory: its strides are too small")));
        }
        match slices.iter().find(|&&given| given != levels) {
            Some(given) => Err(Error::new(format!("'{name}' has {levels} levels, and {given} slices are given"))),
            None => Ok(()),
        }
    }

    /// Checks the memory of all grids.
    ///
    /// # Errors
    /// Grids are missing, those of [`Bound::check_layout`], or slices are too short or of another type.
    pub fn check(&self, grids: &[GridSlices<'_>]) -> Result<()> {
        let wanted = self.stencil.grids().len();
        if grids.len() != wanted {
            return Err(Error::new(format!("{wanted} grids are wanted, and {} are given", grids.len())));
        }
        for (grid, data) in grids.iter().enumerate() {
            let levels: Vec<usize> = data.slices.iter().map(Vec::len).collect();
            self.check_layout(grid, &data.layout, &levels)?;
            let definition = &self.stencil.grids()[grid];
            let name = &definition.name;
            let extent = data.layout.extent().unwrap_or(usize::MAX);
            for slice in data.slices.iter().flatten() {
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

    /// The domain has the points that boundary conditions need.
    ///
    /// # Errors
    /// The reason, with the axis and the numbers of points.
    pub fn check_boundaries(&self) -> Result<()> {
        for (grid, definition) in self.stencil.grids().iter().enumerate() {
            for component in 0..definition.component_count() {
                for &axis in &definition.axes {
                    for side in [Side::Lower, Side::Upper] {
                        let boundary = self.stencil.boundary(grid, component, axis, side);
                        self.fits(grid, axis, boundary, self.reach(grid, axis, side))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Points beyond a face that taps reach: those that a boundary condition sets.
    pub fn reach(&self, grid: usize, axis: usize, side: Side) -> i64 {
        i64::from(self.facts.grids[grid].radius[axis][if side == Side::Lower { 0 } else { 1 }])
    }

    /// A condition finds the points of the domain that it needs.
    fn fits(&self, grid: usize, axis: usize, boundary: Boundary, reach: i64) -> Result<()> {
        let needed = match boundary {
            Boundary::Reflect | Boundary::Antireflect if reach > 0 => reach + 1,
            Boundary::Symmetric | Boundary::Neumann(_) => reach,
            Boundary::Value(value) => inward_reach(&self.stencil, grid, axis, value),
            _ => 0,
        };
        let points = self.lengths[axis] as i64;
        if points < needed {
            let name = &self.stencil.grids()[grid].name;
            return Err(Error::new(format!(
                "the domain has {points} points on {}, and the boundary of '{name}' needs {needed}: its taps reach \
                 {reach} beyond the face",
                AXES[axis]
            )));
        }
        Ok(())
    }

    /// The number of steps of a run.
    ///
    /// # Errors
    /// Neither the span nor the stencil has one, or it is negative.
    pub fn steps(&self, span: Span) -> Result<u64> {
        match (span.steps, self.stencil.steps()) {
            (Some(steps), _) => Ok(steps),
            (None, Some(size)) => {
                let steps = size.value(&self.sizes).map_err(Error::new)?;
                u64::try_from(steps).map_err(|_| Error::new(format!("the number of steps is {steps}")))
            }
            (None, None) => Err(Error::new("the number of steps is missing")),
        }
    }

    /// The values of all parameters: arguments, in the order of declaration, for those that are no tables.
    ///
    /// # Errors
    /// Arguments are missing or too many, have another number of elements, or real numbers are given for integers.
    pub fn parameters(&self, arguments: &[Argument]) -> Result<Parameters> {
        let all = self.stencil.parameters();
        let wanted = all.iter().filter(|parameter| parameter.values.is_none()).count();
        if arguments.len() > wanted {
            return Err(Error::new(format!("{wanted} parameters are wanted, and {} are given", arguments.len())));
        }
        let mut arguments = arguments.iter();
        let each = all.iter().enumerate().map(|(number, parameter)| {
            let argument = if parameter.values.is_none() { arguments.next() } else { None };
            self.elements(number, argument)
        });
        Ok(Parameters { all: each.collect::<Result<_>>()? })
    }

    /// The first index and the length of each range of a parameter.
    ///
    /// # Errors
    /// A range is empty.
    pub fn ranges(&self, parameter: usize) -> Result<Vec<(i64, usize)>> {
        let parameter = &self.stencil.parameters()[parameter];
        let ranges = parameter.ranges.iter().map(|range| bound(range, &self.sizes));
        ranges
            .collect::<std::result::Result<_, _>>()
            .map_err(|reason| Error::new(format!("the ranges of '{}': {reason}", parameter.name)))
    }

    /// The values of a parameter, from an argument or from its table.
    fn elements(&self, number: usize, argument: Option<&Argument>) -> Result<Elements> {
        let parameter = &self.stencil.parameters()[number];
        let name = &parameter.name;
        let ranges = self.ranges(number)?;
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
            let elements = if wanted == 1 { "element" } else { "elements" };
            let are = if given == 1 { "is" } else { "are" };
            return Err(Error::new(format!("the parameter '{name}' has {wanted} {elements}, and {given} {are} given")));
        }
        Ok(Elements { ranges, values })
    }
}

impl Parameters {
    /// The elements of a parameter in row-major order.
    pub fn values(&self, parameter: usize) -> &[Value] {
        &self.all[parameter].values
    }

    /// The element at indices; none outside the ranges.
    pub fn element(&self, parameter: usize, indices: &[i64]) -> Option<Value> {
        let elements = &self.all[parameter];
        let mut position = 0usize;
        for (index, range) in indices.iter().zip(&elements.ranges) {
            let offset = usize::try_from(index.checked_sub(range.0)?).ok().filter(|&offset| offset < range.1)?;
            position = position * range.1 + offset;
        }
        elements.values.get(position).copied()
    }
}

/// The greatest offset by which a boundary reads its own grid towards the domain.
fn inward_reach(stencil: &Stencil, grid: usize, axis: usize, value: ExprId) -> i64 {
    let own = stencil.graph().taps([value]).into_iter().filter(|tap| tap.grid == grid);
    own.map(|tap| i64::from(tap.offsets[axis].abs())).max().unwrap_or(0)
}
