//! Exported functions: shims that pass their arguments to handwritten ones. The build script writes them from the
//! routine table (`ffi/routines`).
//!
//! They are `unsafe`: a pointer that is not null must be valid for the elements that its documentation names.

#![allow(clippy::missing_safety_doc, clippy::too_many_arguments, non_snake_case)]
#![allow(rustdoc::broken_intra_doc_links, reason = "the header's text: brackets are those of C's arrays")]
#![allow(unused_imports, reason = "all modules have the same imports")]

include!(concat!(env!("OUT_DIR"), "/modules.rs"));
