//! `affinimath bench`: routines measured beside other libraries, in turn and in one run.
//!
//! What is measured is a family's matter ([`gemm`]): it makes the cases, and for each case one [`contender::Contender`]
//! per library. The rest knows nothing of the family: [`runner`] times contenders in turn, [`report`] holds what came out,
//! and [`table`] shows it.

mod contender;
mod error;
mod gemm;
mod options;
mod peers;
mod report;
mod runner;
mod sizes;
mod table;
mod target;

use clap::{Args, Subcommand};

pub use error::BenchError;

/// The arguments of `affinimath bench`.
#[derive(Args)]
pub struct BenchArguments {
    #[command(subcommand)]
    family: Family,
}

#[derive(Subcommand)]
enum Family {
    /// C := A B, in GFLOP/s.
    #[command(after_help = gemm::HELP)]
    Gemm(gemm::GemmArguments),
}

/// Runs the benchmark and prints its table.
///
/// # Errors
/// What the user asked for that is not there, and a result of ours that is wrong.
pub fn run(arguments: &BenchArguments) -> Result<(), BenchError> {
    match &arguments.family {
        Family::Gemm(arguments) => gemm::run(arguments),
    }
}
