//! Random kernels for tests of executors: structure, arguments and memory from a seed, and the reference's results.
//!
//! ```
//! use affinimath_array::testing::{Case, Options};
//!
//! let case = Case::random(7, &Options::default());
//! let expected = case.reference().unwrap();
//! case.compare(&expected, &expected).unwrap();
//! ```

mod case;
mod code;
mod random;

pub use case::Case;
pub use random::Random;

use super::element::ElementType;

/// The contents of random kernels.
#[derive(Clone, Debug)]
pub struct Options {
    /// Types in memory; of complex ones the part must be there too.
    pub types: Vec<ElementType>,
    /// True for functions of crates/math too, false for exact and correctly rounded ones alone.
    pub has_elementary: bool,
    /// Points of the iteration space at most.
    pub max_points: usize,
    /// Instructions of a phase at most.
    pub max_code: usize,
}

/// All types and functions.
impl Default for Options {
    fn default() -> Self {
        Options { types: ElementType::ALL.to_vec(), has_elementary: true, max_points: 4000, max_code: 24 }
    }
}
