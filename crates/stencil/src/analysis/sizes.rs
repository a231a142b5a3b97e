//! Values of sizes that follow from the shapes of grids.

use std::collections::BTreeMap;

use super::Analysis;
use crate::definition::{AXES, Linear, Stencil};
use crate::error::{Error, Result};

/// A length on one axis of a grid: what its memory has, by the definition and by an array.
struct Equation {
    grid: usize,
    axis: usize,
    /// Symbols in terms of which the length is, less the array's length: 0 for sizes that fit.
    difference: Linear,
}

/// The sizes that a stencil has if its grids' memory has these shapes. Shapes are lengths by a grid's axes, x first;
/// `given` sizes are kept. Sizes that no shape tells, such as the number of steps, are not among the results.
///
/// # Errors
/// A length is not that of any sizes, or two lengths contradict each other.
pub fn sizes_of_shapes(
    stencil: &Stencil,
    given: &BTreeMap<String, i64>,
    shapes: &[(usize, &[usize])],
) -> Result<BTreeMap<String, i64>> {
    let facts = Analysis::new(stencil);
    let mut sizes = given.clone();
    let mut equations = Vec::new();
    for &(grid, shape) in shapes {
        let definition = &stencil.grids()[grid];
        let (name, axes) = (&definition.name, definition.axes.len());
        if shape.len() != axes {
            return Err(Error::new(format!("'{name}' has {axes} axes, and an array has {}", shape.len())));
        }
        for ((range, &length), &axis) in facts.grids[grid].memory.iter().zip(shape).zip(&definition.axes) {
            let (lower, upper) = (range.lower.linear(), range.upper.linear());
            let Some((lower, upper)) = lower.zip(upper) else { continue };
            let length = i64::try_from(length).unwrap_or(i64::MAX);
            let one_less = Linear { constant: length - 1, ..Linear::default() };
            if let Some(difference) = upper.less(&lower).and_then(|last| last.less(&one_less)) {
                equations.push(Equation { grid, axis, difference });
            }
        }
    }
    // Each round finds at least one size, or is the last.
    loop {
        let before = sizes.len();
        for equation in &equations {
            solve(stencil, equation, &mut sizes)?;
        }
        if sizes.len() == before {
            return Ok(sizes);
        }
    }
}

/// The one size of an equation that is not known yet; nothing where there are several.
fn solve(stencil: &Stencil, equation: &Equation, sizes: &mut BTreeMap<String, i64>) -> Result<()> {
    let wrong = |reason: String| {
        let (name, axis) = (&stencil.grids()[equation.grid].name, AXES[equation.axis]);
        Error::new(format!("the array of '{name}' does not fit on {axis}: {reason}"))
    };
    let mut known = i128::from(equation.difference.constant);
    let mut unknown = None;
    for (name, &factor) in &equation.difference.factors {
        match sizes.get(name) {
            Some(&value) => known += i128::from(factor) * i128::from(value),
            None if unknown.is_some() => return Ok(()),
            None => unknown = Some((name, factor)),
        }
    }
    match unknown {
        None if known == 0 => Ok(()),
        None => {
            let (many, than) = if known > 0 { ("few", "shorter") } else { ("many", "longer") };
            let by = known.unsigned_abs();
            Err(wrong(format!("it has too {many} points, and is {by} {than} than sizes and other arrays demand")))
        }
        Some((name, factor)) if known % i128::from(factor) == 0 => {
            let value = i64::try_from(-known / i128::from(factor)).map_err(|_| wrong(format!("{name} overflows")))?;
            sizes.insert(name.clone(), value);
            Ok(())
        }
        Some((name, _)) => Err(wrong(format!("no whole {name} gives its length"))),
    }
}
