//! The floor of the crates of Affinimath: element types, options, errors, views of memory, wide vectors, and threads.
//!
//! This is an inner crate: programs use `affinimath`, which names what of it is public.

pub mod division;
pub mod error;
pub mod fft;
pub mod fork;
pub mod math_mode;
pub mod options;
pub mod pattern;
pub mod private_files;
pub mod problem;
pub mod refinement;
pub mod scalar;
pub mod simd;
pub mod sparse;
pub mod threads;
pub mod view;

pub use error::{Error, Result};
pub use options::{Diag, Layout, Norm, Op, PivotOrder, Side, Symmetry, Triangle};
pub use scalar::{Complex32, Complex64, Double, Element, Half, Real, Scalar, ScalarKind};
