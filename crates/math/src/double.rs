//! Functions in double precision.
