//! A naive evaluator on slices: the meaning of a stencil.
//!
//! Each point's expressions are evaluated in the order of the text and in the types of the definition, so that results
//! are those of every executor, to the bit. It is written to be read, not to be fast.

mod cone;
mod faces;
mod machine;

use std::ops::Deref;

use crate::bound::{Bound, Parameters};
use crate::data::{Argument, GridSlices};
use crate::definition::Stencil;
use crate::error::Result;
use crate::run::{Outcome, Passes, Span, run};
use crate::value::Value;

pub use cone::{Cone, FirstValue};

/// The evaluator of a bound stencil, whose methods it has.
#[derive(Clone, Debug)]
pub struct Reference {
    bound: Bound,
}

struct Machine<'g, 'd> {
    stencil: &'g Stencil,
    bound: &'g Bound,
    grids: &'g mut [GridSlices<'d>],
    parameters: &'g Parameters,
    registers: Vec<Option<Value>>,
    temporaries: Vec<Option<Value>>,
    results: Vec<Option<Value>>,
    /// Values of reductions at all points, by result.
    collected: Vec<Vec<Value>>,
    /// Grids of which the black half of a sweep reads new values.
    coupled: Vec<bool>,
}

impl Deref for Reference {
    type Target = Bound;

    fn deref(&self) -> &Bound {
        &self.bound
    }
}

impl Reference {
    /// Binds sizes to their values.
    ///
    /// # Errors
    /// Those of [`Bound::new`].
    pub fn new(stencil: &Stencil, sizes: &[(&str, i64)]) -> Result<Self> {
        Ok(Reference { bound: Bound::new(stencil, sizes)? })
    }

    /// Runs steps on memory. Grids and arguments are in the order of declaration; tables have no argument.
    ///
    /// # Errors
    /// Those of [`evaluate`].
    pub fn run(&self, grids: &mut [GridSlices<'_>], arguments: &[Argument], span: Span) -> Result<Outcome> {
        evaluate(&self.bound, grids, arguments, span)
    }
}

/// Runs steps on memory. Grids and arguments are in the order of declaration; tables have no argument.
///
/// # Errors
/// Memory or arguments do not fit, the domain is too small for a boundary, or an expression reads outside the range
/// of a parameter. Memory is unchanged except by errors of the last kind.
pub fn evaluate(bound: &Bound, grids: &mut [GridSlices<'_>], arguments: &[Argument], span: Span) -> Result<Outcome> {
    bound.check(grids)?;
    bound.steps(span)?;
    let parameters = bound.parameters(arguments)?;
    let mut machine = Machine::new(bound, grids, &parameters);
    let progress = run(bound, &parameters, &mut machine, span)?;
    Ok(progress.with(machine.results()?))
}
