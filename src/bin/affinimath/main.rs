//! The command line program `affinimath`.

mod bench;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Dense linear algebra on any OpenCL device, and on the host where there is none.
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measures routines beside other libraries.
    Bench(bench::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.command {
        Command::Bench(arguments) => bench::run(arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
