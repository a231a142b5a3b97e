//! `affinimath bench`: routines measured against other libraries, in turn and in one run.
//!
//! A family (`gemm`, `levels`, `lapack`, `fft`, `sparse`, `array`, `stencil`, `limits`) makes the cases, and for each
//! case one `contender::Contender` per library. The rest knows nothing of the family: `session` goes through the cases,
//! `runner` times contenders in turn, `report` holds what came out, and `table` and `plot` show it. `all` runs every
//! family in a process of its own, which tells it `events`. [`checks`] calls each routine once and returns its error,
//! without rates.
//!
//! The program `affinimath` has the command from here: [`Arguments`] and [`run`]. Its other commands share the options
//! (`--device`, `--json`, types and sizes), the drawings, and the messages of failures.

mod all;
mod array;
pub mod checks;
mod contender;
#[cfg(test)]
mod coverage;
pub mod device;
pub mod drawing;
pub mod drivers;
mod error;
mod events;
mod failure;
mod fft;
mod gemm;
pub mod input;
pub mod json;
mod lapack;
mod levels;
mod limits;
pub mod memory;
mod options;
mod peers;
mod plot;
mod python;
pub mod random;
pub mod replace;
mod report;
mod runner;
mod session;
mod sizes;
mod sparse;
pub mod stdout;
pub mod stencil;
mod table;
mod target;

use std::io::Write;

use clap::{Args, Subcommand};

pub use error::BenchError;
use events::Event;
pub use failure::Failure;
pub use levels::{ForType, for_type};
pub use limits::copy_rate;
pub use options::TypeLetter;
pub use random::Random;
use session::Audience;
pub use sizes::Sizes;
pub use target::{MemoryChoice, Target};

/// The arguments of `affinimath bench`.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    family: Family,
    #[command(flatten)]
    audience: Audience,
}

#[derive(Subcommand)]
enum Family {
    /// Every family on the host and on every device, against the libraries that are found here: a report as JSON and as
    /// a page
    #[command(after_help = all::HELP)]
    All(all::AllArguments),
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
    /// Products and iterations of sparse matrices, in GB/s
    #[command(after_help = sparse::HELP)]
    Sparse(sparse::SparseArguments),
    /// Array expressions, in GB/s, compared with Python libraries
    #[command(after_help = array::help())]
    Array(array::ArrayArguments),
    /// Steps of stencils, in points a second, compared with Python libraries
    #[command(after_help = stencil::help())]
    Stencil(stencil::StencilArguments),
    /// Measure the peak rates of memory and arithmetic: copies in GB/s, multiply-adds in GFLOP/s
    #[command(after_help = limits::HELP)]
    Limits(limits::LimitArguments),
    /// Calls of the standard BLAS names from n = 1 on, in thousands a second
    #[command(after_help = levels::calls::HELP)]
    Calls(levels::calls::CallArguments),
}

/// Launches that wait for each other at most: some drivers keep all of them in memory.
const LAUNCHES_IN_FLIGHT: u32 = 1024;

/// Runs the benchmark and prints its table.
///
/// # Errors
/// Missing targets or peers, and wrong results of our library.
pub fn run(arguments: &Arguments) -> Result<(), BenchError> {
    let Arguments { family, audience } = arguments;
    let result = match family {
        Family::All(arguments) => all::run(arguments),
        Family::Gemm(arguments) => gemm::run(arguments, audience),
        Family::Level1(arguments) => levels::run(arguments, audience),
        Family::Level2(arguments) => levels::run(arguments, audience),
        Family::Level3(arguments) => levels::run(arguments, audience),
        Family::Lapack(arguments) => lapack::run(arguments, audience),
        Family::Fft(arguments) => fft::run(arguments, audience),
        Family::Sparse(arguments) => sparse::run(arguments, audience),
        Family::Array(arguments) => array::run(arguments, audience),
        Family::Stencil(arguments) => stencil::run(arguments, audience),
        Family::Limits(arguments) => limits::run(arguments, audience),
        Family::Calls(arguments) => levels::calls::run(arguments, audience),
    };
    match result {
        Err(BenchError::NobodyReads) => Ok(()),
        Err(error) if audience.listens() => {
            Event::Refused { peer: error.peer().map(str::to_owned), reason: error.to_string() }.print()
        }
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
