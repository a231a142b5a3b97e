//! The program `affinimath` as its users run it. One binary, which links the library once.

mod bench;
mod bench_array;
mod bench_stencil;
mod doctor;
mod eval;
mod replay;
mod replay_foreign;
mod settings;
mod solve;
mod stencil;
mod stencil_emit;
mod stencil_facts;
mod stencil_refusals;
mod stencil_strategies;
mod stencil_texts;
mod tune;
mod tune_exec;
mod tune_kernel;
mod tune_stencil;

/// Standard output and standard error of a process.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
