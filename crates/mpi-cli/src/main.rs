//! The program `affinimath-mpi`, which all ranks of an MPI job run: `mpirun -np 4 affinimath-mpi solve A.mtx`.

mod bench;
mod model;
mod solve;

use std::process::ExitCode;

use affinimath_bench::json;
use affinimath_mpi::{Environment, Error, Grid, Memory};
use clap::{CommandFactory, Parser, Subcommand};
use mpi::traits::Communicator;

/// Linear systems, and benchmarks of scaling, over the ranks of an MPI job
#[derive(Parser)]
#[command(name = "affinimath-mpi", version, arg_required_else_help = true, after_help = HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const HELP: &str = "\
Examples:
  mpirun -np 4 affinimath-mpi solve A.mtx b.mtx --method cg --precond block-jacobi -o x.mtx
  mpirun -np 4 affinimath-mpi bench scale --routines gemm,cg --plot scale.svg
  mpirun -np 2 affinimath-mpi model --write machine.json";

#[derive(Subcommand)]
enum Command {
    /// Solve A x = b, with A read by all ranks from a Matrix Market file
    #[command(after_help = solve::HELP)]
    Solve(solve::Arguments),
    /// Measure routines on several numbers of ranks
    Bench(bench::Arguments),
    /// Measure latency, bandwidth and rates, and predict the scaling of all routines up to 10,000 ranks
    #[command(after_help = model::HELP)]
    Model(model::Arguments),
}

/// The value of `--memory`.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryName {
    /// Host memory: local work that goes to a device takes copies of its operands there
    Host,
    /// Memory of each rank's device
    Device,
}

impl MemoryName {
    /// As the library has it.
    pub const fn memory(self) -> Memory {
        match self {
            MemoryName::Host => Memory::Host,
            MemoryName::Device => Memory::Device,
        }
    }
}

/// Exit code of wrong usage, as clap has it.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let environment = match Environment::initialize() {
        Ok(environment) => environment,
        Err(error) => {
            eprintln!("affinimath-mpi: {error}");
            return ExitCode::FAILURE;
        }
    };
    let code = run(&environment);
    // MPI ends with all ranks, whatever they return.
    drop(environment);
    ExitCode::from(code)
}

/// Runs the command on all ranks, and gives the exit code of all of them. One rank prints.
fn run(environment: &Environment) -> u8 {
    let world = environment.world();
    let prints = world.rank() == 0;
    let program = <Arguments as CommandFactory>::command();
    let arguments = match Arguments::try_parse_from(json::attach_file(std::env::args_os(), &program)) {
        Ok(arguments) => arguments,
        Err(usage) => {
            if prints {
                let _ = usage.print();
            }
            return u8::try_from(usage.exit_code()).unwrap_or(USAGE);
        }
    };
    let done = Grid::new(&world, 1, world.size() as usize).and_then(|grid| match &arguments.command {
        Command::Solve(arguments) => solve::run(&grid, arguments),
        Command::Bench(arguments) => bench::run(&grid, &world, arguments),
        Command::Model(arguments) => model::run(&grid, arguments),
    });
    match done {
        Ok(()) => 0,
        Err(error) => {
            // Rank 0 may be the one that is no more.
            let speaker = i32::from(matches!(error, Error::Lost { rank: 0, .. }));
            if world.rank() == speaker {
                eprintln!("affinimath-mpi: {}", message(&error));
            }
            1
        }
    }
}

/// An error's text. An argument's name is one of the library's, and says nothing to whoever writes commands.
fn message(error: &Error) -> String {
    match error {
        Error::Argument { reason, .. } => reason.clone(),
        error => error.to_string(),
    }
}

/// One rank does something, and all of them return its error.
fn on_one_rank(
    grid: &Grid,
    work: impl FnOnce() -> Result<(), affinimath_bench::Failure>,
) -> affinimath_mpi::Result<()> {
    let own = match grid.rank() {
        0 => work().map_err(|failure| Error::Local(failure.0)),
        _ => Ok(()),
    };
    grid.agree_on("affinimath-mpi", &[], own.clone()).map_err(|error| match own {
        Err(own) => own,
        Ok(()) => error,
    })
}
