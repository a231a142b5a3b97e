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
//! let plan = Plan::new(&heat, &Context::host(), &[("nx", 64), ("ny", 32)])?;
//! let mut u = plan.bound().field(0)?;
//! u.fill(0, 0, |cell| if cell == [20, 16] { 1.0 } else { 0.0 });
//! let span = Span { steps: Some(100), ..Span::default() };
//! let outcome = plan.run(&mut [u.slices()], &[0.2.into()], span)?;
//! let sum: f64 = u.values(0, outcome.newest[0]).iter().sum();
//! assert!(sum > 0.9);
//! # Ok(())
//! # }
//! ```

pub use affinimath_stencil::analysis::{description, sizes_of_shapes};
pub use affinimath_stencil::definition::Type;
pub use affinimath_stencil::{
    Argument, Bound, Class, Design, DeviceGrid, DeviceProfile, DeviceSlice, Enqueued, Error, Field, GridSlices, Grids,
    Language, Layout, Location, Outcome, Parameters, Plan, Result, STRIP, Schedule, Slice, Span, Stencil, Strategy,
    Target, Tile, Value, analysis, definition, emit, reference, run,
};

use crate::memory::Context;

impl From<&Context> for Target {
    fn from(context: &Context) -> Self {
        context.on_device().map_or(Target::Host, |device| Target::Device(device.clone()))
    }
}
