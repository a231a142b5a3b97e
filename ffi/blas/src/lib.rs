//! `libaffinimath_blas.so`: BLAS under its standard names, for programs as they are.
//!
//! The names come from the routine table (`generated`): Fortran's and CBLAS's with 32-bit integers, those with 64-bit
//! integers, and those of the libraries that Python's packages bring along. `export` makes a function of each, which
//! turns its arguments into those of the library's own C side and calls it. What is wrong is told to `xerbla_` or
//! `cblas_xerbla`; the library's own failures are told to the log, and the host does the work.

mod batch;
mod call;
mod export;
mod generated;
mod handlers;
mod kinds;
mod lapack;
mod support;
mod threads;
mod walk;
mod xerbla;
