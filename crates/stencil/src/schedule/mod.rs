//! Strategies as texts: PATUS's Strategy language (Christen 2011, chapter 7 and appendix B.2).
//!
//! ```text
//!   text ──parser──> syntax tree ──resolve──> loops of a step ──cover──> checked loops ──> host, devices
//!                        │                        with sizes and parameters
//!                      print
//! ```

mod cover;
mod expressions;
mod parameters;
mod parser;
mod print;
mod resolve;
mod search;
mod syntax;
mod tree;
mod vectors;

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::analysis::all_taps;
use crate::bound::Bound;
use crate::error::{Error, Result};
use resolve::Scene;
use syntax::Definition;

pub(crate) use syntax::{Comparison, Operator};
pub(crate) use tree::{Function, Iterations, Loop, LoopKind, Node, Parallel, Ranges, Scalar, Tree, Truth, values};

/// A strategy written in the Strategy language, with values for some of its parameters.
///
/// ```
/// use affinimath_stencil::{Plan, Schedule, Stencil, Target};
///
/// let blocked = Schedule::parse(
///     "strategy blocked (domain u, auto dim cb, auto int chunk = {1, 2, 4}) {
///        for t = 1 .. stencil.t_max
///          for subdomain v(cb) in u(:; t) parallel schedule chunk
///            for point p in v(:; t)
///              v[p; t+1] = stencil(v[p; t]);
///      }",
/// )?;
/// let stencil = Stencil::parse(
///     "stencil shift { domainsize = (1 .. n, 1 .. n); operation (float grid u) { u[x,y; t+1] = u[x-1,y; t]; } }",
/// )?;
/// let plan = Plan::new(&stencil, Target::Host, &[("n", 100)])?;
/// let plan = plan.with_strategy(blocked.with("cb", &[100, 7])?)?;
/// assert_eq!(plan.strategy().to_string(), "blocked:cb=100x7");
/// # Ok::<(), affinimath_stencil::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Schedule {
    definition: Arc<Definition>,
    text: Arc<str>,
    values: BTreeMap<String, Vec<i64>>,
}

impl PartialEq for Schedule {
    fn eq(&self, other: &Self) -> bool {
        self.definition == other.definition && self.values == other.values
    }
}

impl Eq for Schedule {}

impl Hash for Schedule {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.definition.hash(state);
        self.values.hash(state);
    }
}

impl Schedule {
    /// Reads a strategy, such as those of the folder `examples/strategies`.
    ///
    /// # Errors
    /// The first fault, with its line and column.
    pub fn parse(text: &str) -> Result<Self> {
        let definition = Arc::new(parser::parse(text)?);
        Ok(Schedule { definition, text: text.into(), values: BTreeMap::new() })
    }

    /// The name after `strategy`.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// The names of parameters, in the order of their declaration.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.definition.parameters.iter().map(|own| own.name.as_str())
    }

    /// The same strategy with a value of a parameter: one number, or one for each component. One number stands for all
    /// components.
    ///
    /// # Errors
    /// There is no such parameter.
    pub fn with(mut self, name: &str, values: &[i64]) -> Result<Self> {
        if !self.parameters().any(|own| own == name) {
            let all: Vec<&str> = self.parameters().collect();
            let known = if all.is_empty() { "none".to_owned() } else { all.join(", ") };
            let own = self.name();
            return Err(Error::new(format!("the strategy '{own}' has no parameter '{name}': it has {known}")));
        }
        if values.is_empty() {
            return Err(Error::new(format!("the parameter '{name}' has no value")));
        }
        self.values.insert(name.to_owned(), values.to_vec());
        Ok(self)
    }

    /// The values of a parameter's components for a stencil with sizes: those among which a search chooses.
    ///
    /// # Errors
    /// There is no such parameter, or its sets have no values for this stencil.
    pub fn possible(&self, name: &str, bound: &Bound) -> Result<Vec<Vec<i64>>> {
        let Some(own) = self.definition.parameters.iter().find(|own| own.name == name) else {
            return Err(Error::new(format!("the strategy '{}' has no parameter '{name}'", self.name())));
        };
        parameters::possible(&self.definition, &self.text, &scene(bound), own)
    }

    /// The values of all parameters for a stencil with sizes: those that were given, or the first of their sets.
    /// Without sets a number is 1, and a vector has the domain's length along x and 16 on other axes.
    ///
    /// # Errors
    /// A parameter has another number of components, or its sets have no values for this stencil.
    pub fn values(&self, bound: &Bound) -> Result<Vec<(String, Vec<i64>)>> {
        let all = parameters::chosen(&self.definition, &self.text, &scene(bound), &self.values)?;
        Ok(self.parameters().map(str::to_owned).zip(all).collect())
    }

    /// The loops compute each point of a stencil's domain once.
    ///
    /// # Errors
    /// They do not, or they do not fit the stencil: with the location of the loop, and a point.
    pub fn check(&self, bound: &Bound) -> Result<()> {
        self.bind(bound).map(|_| ())
    }

    /// The loops of a step, which compute each point of the domain once.
    pub(crate) fn bind(&self, bound: &Bound) -> Result<Tree> {
        let scene = scene(bound);
        let values = parameters::chosen(&self.definition, &self.text, &scene, &self.values)?;
        let mut tree = resolve::resolve(&self.definition, &self.text, &scene, &values)?;
        cover::check(&mut tree, &scene.domain).map_err(|(at, reason)| Error::at(&self.text, at.0, reason))?;
        Ok(tree)
    }
}

/// The facts of a stencil that strategies know.
fn scene(bound: &Bound) -> Scene {
    let taps = all_taps(bound.stencil());
    let reach = |axis: usize| {
        let offsets = || taps.iter().map(|tap| i64::from(tap.offsets[axis])).chain([0]);
        (offsets().min().unwrap_or(0), offsets().max().unwrap_or(0))
    };
    let domain = bound.lower().iter().zip(bound.lengths()).map(|(&first, &length)| (first, first + length as i64 - 1));
    Scene { domain: domain.collect(), reach: (0..bound.lower().len()).map(reach).collect() }
}

/// The normal text. It has no values of parameters.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.definition.fmt(f)
    }
}

impl Schedule {
    /// The name, with the values of parameters that were given.
    pub fn label(&self) -> String {
        let each = self.values.iter().map(|(name, values)| {
            let values: Vec<String> = values.iter().map(i64::to_string).collect();
            format!("{name}={}", values.join("x"))
        });
        let values: Vec<String> = each.collect();
        if values.is_empty() { self.name().to_owned() } else { format!("{}:{}", self.name(), values.join(",")) }
    }
}
