//! The front of array expressions: shapes, slices, types, errors, graphs, and values by an evaluator that computes each
//! node by its definition.

mod arrays;
mod display;
mod eager;
mod errors;
mod graphs;
mod launches;
mod operators;
mod panics;
mod random;
mod routines;
mod shapes;
mod slices;
mod types;
mod values;
