//! Measures the largest errors of functions: over all 2^32 arguments in single precision, over random ones in double
//! precision and of functions of two values.
//!
//! ```text
//! export RUSTFLAGS="-C target-cpu=native"
//! cargo run --release -p affinimath-math --example exhaustive -- [OPTION]... [NAME]...
//!   --step N      every N-th argument in single precision; 1 by default
//!   --random N    so many random arguments; 100,000,000 by default
//! ```

#[allow(dead_code)]
#[path = "../tests/support/mod.rs"]
mod support;

use std::fmt::Debug;
use std::num::NonZero;
use std::process::ExitCode;
use std::thread;

use support::Largest;

struct Options {
    step: usize,
    random: usize,
    names: Vec<String>,
}

fn options() -> Option<Options> {
    let mut options = Options { step: 1, random: 100_000_000, names: Vec::new() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--step" => options.step = arguments.next()?.parse().ok().filter(|step| *step > 0)?,
            "--random" => options.random = arguments.next()?.parse().ok()?,
            _ if argument.starts_with('-') => return None,
            _ => options.names.push(argument),
        }
    }
    Some(options)
}

/// The largest error of the threads' shares. `share` is called with the index of each.
fn largest<A: Copy + Send>(nothing: A, share: impl Fn(u64, u64) -> Largest<A> + Sync) -> Largest<A> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get) as u64;
    let mut largest = Largest::new(nothing);
    thread::scope(|scope| {
        let share = &share;
        let shares: Vec<_> = (0..threads).map(|thread| scope.spawn(move || share(thread, threads))).collect();
        for share in shares {
            largest.join(share.join().expect("a share ends"));
        }
    });
    largest
}

fn print<A: Debug>(precision: &str, name: &str, bound: f64, largest: Largest<A>) -> bool {
    let is_within = largest.error <= bound;
    let remark = if is_within { "" } else { "  ABOVE THE BOUND" };
    println!("{precision} {name:<10} {:>8.4} {bound:>6}   {:?}{remark}", largest.error, largest.argument);
    is_within
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("usage: exhaustive [--step N] [--random N] [NAME]...");
        return ExitCode::FAILURE;
    };
    let is_wanted = |name: &str| options.names.is_empty() || options.names.iter().any(|wanted| wanted == name);
    println!("  function   error/ulp  bound   argument");
    let mut is_within = true;
    for function in support::single().filter(|function| is_wanted(function.name)) {
        let worst = largest(f32::NAN, |thread, threads| {
            let (start, end) = ((thread << 32) / threads, ((thread + 1) << 32) / threads);
            function.largest_error(start, end, options.step)
        });
        is_within &= print("S", function.name, function.bound, worst);
    }
    for function in support::single_pairs().filter(|function| is_wanted(function.name)) {
        let count = |threads: u64| options.random / threads as usize;
        let worst = largest((f32::NAN, f32::NAN), |seed, threads| function.largest_error(seed, count(threads)));
        is_within &= print("S", function.name, function.bound, worst);
    }
    for function in support::double().filter(|function| is_wanted(function.name)) {
        let count = |threads: u64| options.random / threads as usize;
        let worst = largest(f64::NAN, |seed, threads| function.largest_error(seed, count(threads)));
        is_within &= print("D", function.name, function.bound, worst);
    }
    for function in support::double_pairs().filter(|function| is_wanted(function.name)) {
        let count = |threads: u64| options.random / threads as usize;
        let worst = largest((f64::NAN, f64::NAN), |seed, threads| function.largest_error(seed, count(threads)));
        is_within &= print("D", function.name, function.bound, worst);
    }
    if is_within { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
