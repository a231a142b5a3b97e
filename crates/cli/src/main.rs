//! The command line program: one file or folder for each command, but for `bench`, which has a crate of its own.

mod cache;
mod doctor;
mod eval;
mod info;
mod pages;
mod replay;
mod solve;
mod stencil;
mod tune;
#[cfg(test)]
mod vocabulary;

use std::process::ExitCode;

use affinimath_bench::{Failure, drivers, json};
use clap::{CommandFactory, Parser, Subcommand};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::prelude::*;

/// Linear algebra, dense and sparse, and Fourier transforms on any OpenCL device, and on the host where there is none.
#[derive(Parser)]
#[command(name = "affinimath", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure the library and other libraries
    Bench(affinimath_bench::Arguments),
    /// Show, prune or clear the cache of built programs
    #[command(after_help = cache::HELP)]
    Cache(cache::Arguments),
    /// Check every routine on every device, and show what decides where calls run
    #[command(after_help = doctor::HELP)]
    Doctor(doctor::Arguments),
    /// Evaluate a text expression of arrays in NumPy's files
    #[command(after_help = eval::HELP)]
    Eval(eval::Arguments),
    /// Show what the library finds on this machine
    Info(info::Arguments),
    /// Write the man pages and the shells' completions, in the folders that they have under a prefix's share
    #[command(hide = true)]
    Pages(pages::Arguments),
    /// Run recorded launches again, compare and pack them
    #[command(after_help = replay::HELP)]
    Replay(replay::Arguments),
    /// Solve A x = b, or the least-squares problem of a rectangular A, from Matrix Market files
    Solve(solve::Arguments),
    /// Check, show or run a stencil on grids in NumPy's files
    #[command(after_help = stencil::HELP)]
    Stencil(stencil::Arguments),
    /// Measure this machine, and keep what is found
    Tune(tune::Arguments),
}

fn main() -> ExitCode {
    drivers::remember();
    let log = std::env::var("AFFINIMATH_LOG").unwrap_or_default();
    let targets = match log.parse::<Targets>() {
        Ok(targets) if !log.is_empty() => targets,
        Err(_) if !log.is_empty() => {
            eprintln!("AFFINIMATH_LOG={log} is not understood: a level (debug), or target=level, ...");
            Targets::new()
        }
        _ => Targets::new(),
    };
    tracing_subscriber::registry().with(layer().with_writer(std::io::stderr).with_filter(targets)).init();
    // Wrong usage ends here, with clap's message and exit code 2.
    let done = match arguments().command {
        Command::Bench(arguments) => affinimath_bench::run(&arguments).map_err(|error| Failure(error.to_string())),
        Command::Cache(arguments) => cache::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        Command::Pages(arguments) => pages::run(&arguments, <Arguments as CommandFactory>::command()),
        Command::Replay(arguments) => match replay::run(&arguments) {
            Ok(code) => return code,
            Err(failure) => Err(failure),
        },
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Stencil(arguments) => stencil::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(message)) => {
            eprintln!("affinimath: {message}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Arguments {
    let program = <Arguments as CommandFactory>::command();
    Arguments::parse_from(json::attach_file(std::env::args_os(), &program))
}
