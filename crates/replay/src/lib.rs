//! Recorded launches, run again on a device or by the interpreter of kernels.
//!
//! A kernel's author keeps cases in the repository, and a test runs them:
//!
//! ```
//! use affinimath_kernel::{Index, Kernel};
//! use affinimath_replay::{Case, Tolerance};
//!
//! /// y := a x + y, over n elements.
//! fn axpy() -> Kernel {
//!     Kernel::build("axpy", |k| {
//!         let (n, a) = (k.argument::<Index>("n"), k.argument::<f32>("a"));
//!         let (x, y) = (k.input::<f32>("x"), k.in_out::<f32>("y"));
//!         let i = k.global_id(0);
//!         k.when(i.lt(n), || y.store(i, a * x.at(i) + y.at(i)));
//!     })
//!     .unwrap()
//! }
//!
//! # let outer = tempfile::tempdir()?;
//! # let folder = outer.path().join("axpy");
//! let (x, y) = ([1.0_f32, 2.0, 3.0], [10.0_f32, 20.0, 30.0]);
//! let arguments = [3_i64.into(), 2.0_f32.into(), (&x[..]).into(), (&y[..]).into()];
//! Case::record(&folder, &axpy(), [1, 1, 1], [4, 1, 1], arguments)?;
//!
//! let case = Case::load(&folder)?;
//! assert!(case.check(&axpy())?.within(Tolerance::Ulps(2)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod case;
mod check;
mod device;
mod error;
mod interpret;
mod profile;
mod value;

pub use affinimath_trace::{CaseError, Comparison, Difference, LaunchRecord, NdRange, Tolerance};
pub use case::{Case, Code, Outcome};
pub use check::{ArgumentCheck, Check};
pub use device::{CaseMemory, CaseProgram};
pub use error::{Error, Result};
pub use profile::{device_seconds, profiling_queue};
pub use value::Value;
