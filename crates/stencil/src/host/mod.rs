//! The host evaluator: programs on strips of rows, by the SIMD instructions that the processor has.
//!
//! The statements of a pass become a graph of values, and the graph a program of register machine. Each instruction
//! works on a strip of up to 512 points along a row. Chains of sums and products stay in SIMD registers, and taps are
//! read where they lie. Threads share out boxes of rows. Results are those of [`reference`](crate::reference), to the
//! bit.

mod code;
mod compile;
mod fold;
mod fuse;
mod leaps;
mod loops;
mod lower;
mod memory;
mod model;
mod nodes;
mod parts;
mod passes;
mod prepare;
mod schedule;
mod space;
mod tasks;
#[cfg(test)]
mod tests;
mod wavefront;
mod worker;

pub(crate) use model::{fits, strategy};
pub use parts::{Part, PartPasses, Parts};

use std::ops::Deref;
use std::sync::Arc;

use crate::bound::Bound;
use crate::data::{Argument, GridSlices};
use crate::definition::Stencil;
use crate::error::Result;
use crate::run::{Outcome, Passes, Span, run};
use crate::schedule::Tree;
use crate::strategy::Strategy;

/// The host evaluator of a bound stencil, whose methods it has.
#[derive(Clone, Debug)]
pub struct Host {
    bound: Bound,
}

impl Deref for Host {
    type Target = Bound;

    fn deref(&self) -> &Bound {
        &self.bound
    }
}

impl Host {
    /// Binds sizes to their values.
    ///
    /// # Errors
    /// Those of [`Bound::new`].
    pub fn new(stencil: &Stencil, sizes: &[(&str, i64)]) -> Result<Self> {
        Ok(Host { bound: Bound::new(stencil, sizes)? })
    }

    /// Runs steps on memory. Grids and arguments are in the order of declaration; tables have no argument.
    ///
    /// # Errors
    /// Those of [`evaluate`].
    pub fn run(&self, grids: &mut [GridSlices<'_>], arguments: &[Argument], span: Span) -> Result<Outcome> {
        evaluate(&self.bound, grids, arguments, span)
    }
}

/// Runs steps on memory, by the threads of `affinimath_core::threads`. Grids and arguments are in the order of
/// declaration; tables have no argument.
///
/// # Errors
/// Memory or arguments do not fit, the domain is too small for a boundary, or an expression reads outside the range
/// of a parameter. Memory is unchanged except by errors of the last kind.
pub fn evaluate(bound: &Bound, grids: &mut [GridSlices<'_>], arguments: &[Argument], span: Span) -> Result<Outcome> {
    evaluate_by(bound, (&strategy(bound), None), grids, arguments, span)
}

/// The same by a strategy, with its loops where it is a text.
pub(crate) fn evaluate_by(
    bound: &Bound,
    (strategy, schedule): (&Strategy, Option<&Arc<Tree>>),
    grids: &mut [GridSlices<'_>],
    arguments: &[Argument],
    span: Span,
) -> Result<Outcome> {
    bound.check(grids)?;
    bound.steps(span)?;
    let parameters = bound.parameters(arguments)?;
    let mut machine = passes::Machine::new(bound, grids, &parameters);
    machine.strategy = strategy.clone();
    machine.schedule = schedule.cloned();
    let progress = run(bound, &parameters, &mut machine, span)?;
    Ok(progress.with(machine.results()?))
}
