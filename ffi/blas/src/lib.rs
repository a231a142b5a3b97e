//! `libaffinimath_blas.so`: BLAS under its standard names, for unchanged programs.
//!
//! The names come from the routine table (`generated`): Fortran's and CBLAS's with 32-bit integers, with 64-bit
//! integers, and with the prefixes of Python's packages. `export` makes a function of each, which converts its
//! arguments and calls the library's C side. Wrong arguments go to `xerbla_` or `cblas_xerbla`. The library's own
//! failures go to the log, and the host does the work.

mod auxiliary;
mod batch;
mod call;
mod export;
mod generated;
mod handlers;
mod kinds;
mod lapack;
mod schur;
mod support;
mod threads;
mod tridiagonal;
mod walk;
mod xerbla;
