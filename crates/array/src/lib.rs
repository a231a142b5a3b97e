//! Array expressions: graphs, shapes, and plans of fused kernels as plain data.
//!
//! An [`Array`] is memory, an [`Expr`] an array that is not computed yet. Operators and functions make a graph of
//! nodes ([`node`]), whose types and shapes are known at once. Evaluation plans the whole graph: elementwise
//! operations and reductions become few passes over memory. [`fused`] is the form that a plan lowers a pass to: loop
//! nests whose code is a list of instructions on real and integer values. The host's evaluator and the devices'
//! lowering read the same form, so that their results have the same bits.
//!
//! The crate knows no device. An [`Executor`] evaluates, and the memory of an array names its own.
//!
//! ```
//! use affinimath_array::{from_vec, keep, linspace, s};
//!
//! let t = linspace(0.0f64, 1.0, 5);
//! let a = from_vec([2, 5], (0..10).map(f64::from).collect());
//! let centred = &a - a.mean(keep(1));
//! let energy = (centred.square() * (-2.0 * &t).exp()).sum(1);
//! assert_eq!(energy.shape(), &[2]);
//!
//! // Second differences, by slices.
//! let d = a.at(s![.., ..-2]) - 2.0 * a.at(s![.., 1..-1]) + a.at(s![.., 2..]);
//! assert_eq!(d.shape(), &[2, 3]);
//! ```
//!
//! This is an inner crate: programs use `affinimath`, which names its public parts.

/// The README's examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

// The evaluator of the front's tests, which names the crate as a stranger does.
#[cfg(test)]
extern crate self as affinimath_array;
#[cfg(test)]
#[allow(dead_code, reason = "the front's tests use all of it")]
#[path = "../tests/front/eager.rs"]
mod eager;

pub mod array;
pub mod build;
pub mod check;
pub mod display;
pub mod element;
pub mod error;
pub mod executor;
pub mod explain;
pub mod expr;
pub mod function;
pub mod fused;
pub mod host;
pub mod interop;
pub mod key;
pub mod library;
pub mod lower;
pub mod node;
mod op;
pub mod plan;
pub mod random;
pub mod reference;
pub mod scan;
pub mod shape;
pub mod slice;
pub mod stage;
pub mod stream;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod types;
pub mod view;

pub use array::{Array, ArrayMut};
pub use element::{ElementType, Number, Value};
pub use error::{ArrayError, ErrorKind};
pub use executor::{AsExecutor, Assignment, Executor};
pub use expr::{
    Expr, HostOutput, IntoExpr, IntoMatrix, Operand, Spectral, StructuredMatrix, System, arange, complex, concatenate,
    coordinates, eval, eval_into_on, eval_on, explain, eye, full, iota, keep, linspace, ones, polar, solve, stack,
    zeros,
};
pub use host::from_vec;
pub use interop::{AsHostArray, HostArray, from_host};
pub use node::{Node, Op};
pub use plan::{Limits, Plan, PlanCache};
pub use random::{Random, exponential, integers, normal, uniform};
pub use shape::{Axes, IntoAxes, IntoShape, Shape, Strides};
pub use slice::{Ellipsis, NewAxis, Slice};
pub use types::{Bitwise, ComplexNumber, Element, Floating, Integer, Numeric, Ordered, Real};
