//! The standard names. The build script writes them from the routine table (`ffi/routines`), and `crate::export` makes
//! functions of them.

#![allow(unused_imports, reason = "all modules have the same imports")]

include!(concat!(env!("OUT_DIR"), "/modules.rs"));
