//! `affinimath bench`: routines measured beside other libraries, in turn and in one run.
//!
//! What is measured is a family's matter ([`gemm`], [`levels`], [`lapack`], [`fft`]): it makes the cases, and for each case one
//! [`contender::Contender`] per library. The rest knows nothing of the family: [`session`] goes through the cases, [`runner`]
//! times contenders in turn, [`report`] holds what came out, and [`table`] and [`plot`] show it. [`checks`] is for whom rates are
//! not the matter.

pub mod checks;
mod contender;
mod error;
mod fft;
mod gemm;
mod lapack;
pub mod levels;
pub mod options;
mod peers;
mod plot;
pub mod random;
mod report;
mod runner;
mod session;
pub mod sizes;
mod table;
pub mod target;

use std::io::Write;

use clap::{Args, Subcommand};

pub use error::BenchError;

/// The arguments of `affinimath bench`.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    family: Family,
}

#[derive(Subcommand)]
enum Family {
    /// C := op(A) op(B), in GFLOP/s
    #[command(after_help = gemm::HELP)]
    Gemm(gemm::GemmArguments),
    /// Routines on vectors, in GB/s
    #[command(after_help = levels::help(1))]
    Level1(levels::LevelArguments<1>),
    /// Routines on matrices and vectors, in GB/s
    #[command(after_help = levels::help(2))]
    Level2(levels::LevelArguments<2>),
    /// Routines on matrices, in GFLOP/s
    #[command(after_help = levels::help(3))]
    Level3(levels::LevelArguments<3>),
    /// Factorisations of matrices and inverses from them, in GFLOP/s
    #[command(after_help = lapack::help())]
    Lapack(lapack::LapackArguments),
    /// Fourier transforms, in GFLOP/s and GB/s
    #[command(after_help = fft::HELP)]
    Fft(fft::FftArguments),
    /// Calls of the standard BLAS names from n = 1 on, in thousands a second
    #[command(after_help = levels::calls::HELP)]
    Calls(levels::calls::CallArguments),
}

/// Launches that wait for each other at most: some drivers keep all of them in memory.
const LAUNCHES_IN_FLIGHT: u32 = 1024;

/// Runs the benchmark and prints its table.
///
/// # Errors
/// What the user asked for that is not there, and a result of ours that is wrong.
pub fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let result = match &arguments.family {
        Family::Gemm(arguments) => gemm::run(arguments),
        Family::Level1(arguments) => levels::run(arguments),
        Family::Level2(arguments) => levels::run(arguments),
        Family::Level3(arguments) => levels::run(arguments),
        Family::Lapack(arguments) => lapack::run(arguments),
        Family::Fft(arguments) => fft::run(arguments),
        Family::Calls(arguments) => levels::calls::run(arguments),
    };
    match result {
        Err(BenchError::NobodyReads) => Ok(()),
        result => result,
    }
}

/// Prints a line. A reader that has seen enough (`affinimath bench ... | head`) ends the benchmark, and is no failure.
fn print(line: &str) -> Result<(), BenchError> {
    let mut stdout = std::io::stdout().lock();
    match writeln!(stdout, "{line}").and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Err(BenchError::NobodyReads),
        Err(error) => Err(BenchError::Print(error.to_string())),
    }
}
