//! `affinimath-mpi bench`: measurements over several numbers of ranks.

mod peers;
mod plot;
mod routines;
mod scale;

use affinimath_mpi::{Grid, Result};
use mpi::topology::SimpleCommunicator;

pub use routines::Name;

/// The arguments of `affinimath-mpi bench`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(clap::Subcommand)]
enum Kind {
    /// Strong and weak scaling of routines, compared with the model's prediction
    #[command(after_help = scale::HELP)]
    Scale(scale::Arguments),
}

/// Runs a benchmark.
///
/// # Errors
/// The same on all ranks.
pub fn run(grid: &Grid, world: &SimpleCommunicator, arguments: &Arguments) -> Result<()> {
    match &arguments.kind {
        Kind::Scale(arguments) => scale::run(grid, world, arguments),
    }
}
