//! Stencils: their definition as plain data, a text language, analysis, and a naive reference evaluator.
//!
//! A [`Stencil`] says what one step computes at each point of a domain. It comes from a text or from a program, and
//! does not know where it will run:
//!
//! ```
//! use affinimath_stencil::Stencil;
//! use affinimath_stencil::analysis::Analysis;
//!
//! let heat = Stencil::parse(
//!     "stencil heat {
//!        domainsize = (1 .. nx, 1 .. ny);
//!        operation (double grid u, double param k) {
//!          u[x,y; t+1] = u[x,y; t] + k * ({ d in axes } sum(u[d-1; t] + u[d+1; t]) - 4 * u[x,y; t]);
//!        }
//!        boundary { u: x = periodic; y = 0; }
//!      }",
//! )?;
//! let facts = Analysis::new(&heat);
//! assert_eq!((facts.flops, facts.grids[0].levels), (7, 2));
//! # Ok::<(), affinimath_stencil::Error>(())
//! ```

pub mod analysis;
mod bound;
mod data;
pub mod definition;
mod design;
mod device;
mod digest;
pub mod emit;
mod error;
mod evaluate;
mod executor;
mod facts;
mod grids;
pub mod host;
mod lower;
mod occupied;
mod plan;
mod reduce;
pub mod reference;
pub mod run;
mod schedule;
mod shared;
mod strategy;
mod text;
mod tuning;
mod value;

pub use bound::{Bound, Parameters};
pub use data::{Argument, Field, GridSlices, Layout, Slice};
pub use definition::Stencil;
pub use design::{Design, Language};
pub use device::{DeviceGrid, DeviceSlice};
pub use error::{Error, Location, Result};
pub use facts::{Class, DeviceProfile};
pub use grids::Grids;
pub use plan::{Enqueued, Plan, Target};
pub use reduce::{STRIP, Strips};
pub use run::{Outcome, Span};
pub use schedule::Schedule;
pub use strategy::{Strategy, Tile};
pub use value::Value;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
