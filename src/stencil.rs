//! Stencils: texts and definitions, and plans that run them on the host and on devices.
//!
//! ```
//! use affinimath::Context;
//! use affinimath::stencil::{Plan, Span, Stencil};
//!
//! # fn main() -> affinimath::Result<()> {
//! let heat = Stencil::parse(
//!     "stencil heat {
//!        domainsize = (1 .. nx, 1 .. ny);
//!        operation (double grid u, double param k) {
//!          u[x,y; t+1] = u[x,y; t] + k * ({ d in axes } sum(u[d-1; t] + u[d+1; t]) - 4 * u[x,y; t]);
//!        }
//!        boundary { u: x = periodic; y = 0; }
//!      }",
//! )?;
//! let mut plan = Plan::new(&Context::host(), &heat, &[("nx", 64), ("ny", 32)])?;
//! let mut u = plan.field(0)?;
//! u.fill(0, 0, |cell| if cell == [20, 16] { 1.0 } else { 0.0 });
//! let span = Span { steps: Some(100), ..Span::default() };
//! let outcome = plan.run(&mut [u.slices()], &[0.2.into()], span)?;
//! let sum: f64 = u.values(0, outcome.newest[0]).iter().sum();
//! assert!(sum > 0.9);
//! # Ok(())
//! # }
//! ```

use std::ops::Deref;
use std::str::FromStr;

use serde_json::json;

pub use affinimath_stencil::analysis::{description, sizes_of_shapes};
pub use affinimath_stencil::definition::Type;
pub use affinimath_stencil::{
    Argument, Bound, Error, Field, GridSlices, Layout, Location, Outcome, Parameters, Result, Slice, Span, Stencil,
    Value, analysis, definition, reference, run,
};

use crate::error::Error as LibraryError;
use crate::memory::Context;

/// The language of a kernel's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// OpenCL C.
    OpenCl,
    /// CUDA C++.
    Cuda,
    /// C99.
    C99,
}

impl FromStr for Language {
    type Err = LibraryError;

    fn from_str(name: &str) -> crate::Result<Self> {
        match name {
            "opencl" => Ok(Language::OpenCl),
            "cuda" => Ok(Language::Cuda),
            "c99" => Ok(Language::C99),
            _ => Err(LibraryError::argument("language", format!("{name:?} is none of opencl, cuda and c99"))),
        }
    }
}

/// A stencil with values for its sizes, in a context. It has the methods of [`Bound`].
///
/// Runs give the same bits in all contexts, unless the stencil permits another order of evaluation.
#[derive(Clone, Debug)]
pub struct Plan {
    context: Context,
    bound: Bound,
}

impl Deref for Plan {
    type Target = Bound;

    fn deref(&self) -> &Bound {
        &self.bound
    }
}

impl Plan {
    /// Binds sizes to their values. Kernels are built when they are needed.
    ///
    /// # Errors
    /// [`LibraryError::InvalidArgument`] of a size that is missing or unknown, and of memory that does not hold what
    /// taps reach.
    pub fn new(context: &Context, stencil: &Stencil, sizes: &[(&str, i64)]) -> crate::Result<Self> {
        Ok(Plan { context: context.clone(), bound: Bound::new(stencil, sizes)? })
    }

    /// The context of its runs.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The stencil with its sizes.
    pub fn bound(&self) -> &Bound {
        &self.bound
    }

    /// Runs steps on memory of the host, and waits for them. Grids and arguments are in the order of declaration;
    /// tables have no argument.
    ///
    /// # Errors
    /// [`LibraryError::InvalidArgument`] of memory or arguments that do not fit, and of a domain that is too small for
    /// a boundary: then memory is unchanged. The same of an expression that reads outside the range of a parameter, and
    /// errors of the device.
    pub fn run(&self, grids: &mut [GridSlices<'_>], arguments: &[Argument], span: Span) -> crate::Result<Outcome> {
        Ok(reference::evaluate(&self.bound, grids, arguments, span)?)
    }

    /// The text of the kernels.
    ///
    /// # Errors
    /// Kernels that cannot be built for the device.
    pub fn source(&self, language: Language) -> crate::Result<String> {
        Err(LibraryError::Internal(format!("{language:?}")))
    }

    /// Sizes, points and the memory of grids, as a JSON object: `sizes`, `points` and `lower` (lengths and first
    /// coordinates of the domain, x last), and `grids` with `name`, `type`, `lower` (the first coordinate on each axis, x last), `shape` (components first, x
    /// last), `components` (how many axes they are), `levels` and `inputs` (the times of levels that hold values before
    /// a run, oldest first).
    ///
    /// # Errors
    /// Memory beyond the address space.
    pub fn description(&self) -> crate::Result<String> {
        let levels = run::Levels::new(&self.bound);
        let grid = |(index, grid): (usize, &definition::Grid)| {
            let layout = self.bound.layout(index)?;
            let lengths = layout.lengths.iter().rev();
            Ok(json!({
                "name": grid.name,
                "type": grid.kind.keyword(),
                "lower": layout.lower.iter().rev().collect::<Vec<_>>(),
                "shape": grid.components.iter().chain(lengths).collect::<Vec<_>>(),
                "components": grid.components.len(),
                "levels": self.bound.levels(index),
                "inputs": levels.inputs(index).collect::<Vec<_>>(),
            }))
        };
        let grids = self.bound.stencil().grids().iter().enumerate().map(grid).collect::<Result<Vec<_>>>()?;
        let points: Vec<usize> = self.bound.lengths().iter().rev().copied().collect();
        let lower: Vec<i64> = self.bound.lower().iter().rev().copied().collect();
        let described = json!({ "sizes": self.bound.sizes(), "points": points, "lower": lower, "grids": grids });
        Ok(described.to_string())
    }
}
