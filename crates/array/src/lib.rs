//! Array expressions: graphs, shapes, and plans of fused kernels as plain data.
//!
//! An expression is a graph of nodes. [`fused`] is the form that a plan lowers it to: loop nests whose code is a list
//! of instructions on real and integer values. The host's evaluator and the devices' lowering read the same form, so
//! that their results have the same bits.
//!
//! This is an inner crate: programs use `affinimath`, which names its public parts.

pub mod check;
pub mod element;
pub mod error;
pub mod function;
pub mod fused;
pub mod node;
pub mod reference;
pub mod shape;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod view;

pub use element::{ElementType, Number, Value};
pub use error::{ArrayError, ErrorKind};
pub use node::{Node, Op};
pub use shape::{IntoAxes, IntoShape, Shape, Strides};
