//! The library's benchmarks by criterion, a group for each family, for comparing two versions of the library.
//! `affinimath bench` compares it with other libraries.
//!
//! ```sh
//! cargo bench -- --save-baseline before           # all families; then change something, and
//! cargo bench -- --baseline before level3/host    # one group, on the host
//! ```
//!
//! Operands lie where the routine runs: in the host's memory, then in that of the first device, where there is one.
#![allow(missing_docs, reason = "criterion's macros write public functions")]

mod blas;
mod calls;
mod common;
mod fft;
mod lapack;
mod sparse;

use criterion::{criterion_group, criterion_main};

criterion_group!(
    families,
    blas::level1::benches,
    blas::level2::benches,
    blas::level3::benches,
    lapack::benches,
    fft::benches,
    sparse::benches,
    calls::benches
);
criterion_main!(families);
