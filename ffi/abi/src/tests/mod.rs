//! Tests of the routines as C calls them.

mod host;
