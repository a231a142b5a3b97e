//! Transforms and convolutions: what is to be computed.

pub mod convolution;
pub mod descriptor;
pub mod factors;

pub use convolution::{ConvolutionDescriptor, ConvolutionKind, ConvolutionMode, ConvolutionProblem};
pub use descriptor::{Direction, FftDescriptor, FftLayout, Problem, Transform};
