//! `libaffinimath_fftw3.so`: FFTW's names over the library's transforms, for unchanged programs.
//!
//! `names` has C's functions in both precisions and `fortran` the legacy subroutines; both call `api`. A call of the
//! basic, many or guru interface becomes a `Layout`, then a `Problem`, then a `Program`: one `Pass` over all pencils
//! for each axis. A pass transforms pencils where they lie if their points are adjacent, and else through a buffer.
//!
//! Planning touches no array. Execution takes no lock, and no memory but the plan's while at most 16 threads execute
//! one plan.

mod api;
mod cache;
mod fortran;
mod guard;
mod layout;
mod memory;
mod memory_functions;
mod names;
mod pass;
mod pencil;
mod plan;
mod program;
mod threads;
mod waves;
mod wisdom;
