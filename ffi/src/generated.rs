//! Exported functions: shims that hand their arguments to what is written by hand. The build script writes them
//! from the routine table (`ffi/routines`).
//!
//! They are `unsafe` because a pointer that is not null must be valid for what the documentation says it holds.

#![allow(clippy::missing_safety_doc, clippy::too_many_arguments, non_snake_case)]
#![allow(rustdoc::broken_intra_doc_links, reason = "the header's text: brackets are those of C's arrays")]
#![allow(unused_imports, reason = "all modules have the same imports")]

include!(concat!(env!("OUT_DIR"), "/modules.rs"));
