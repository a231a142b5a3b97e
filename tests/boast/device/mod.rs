//! Tests in the interpreter, and on the devices that are there.

use super::{axpy, elastic, filters, laplace, machine, machines, options, reduction, study};

mod bytes;
mod elements;
mod events;
mod lines;
mod programs;
