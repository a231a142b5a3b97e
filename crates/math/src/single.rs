//! Functions in single precision.
