//! `affinimath info`: what the library finds on this machine.

use affinimath::host;
use serde_json::json;

use crate::failure::Failure;
use crate::{memory, print};

/// The arguments of `affinimath info`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints the library's version and the host backend's threads and memory.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (version, threads, available) = (env!("CARGO_PKG_VERSION"), host::threads(), memory::available());
    if arguments.json {
        let information = json!({ "version": version, "host": { "threads": threads, "memory_available": available } });
        return print(&format!("{information:#}\n"));
    }
    let available = available.map_or("unknown".into(), |bytes| memory::readable(bytes.into()));
    print(&format!("affinimath  {version}\nhost        {threads} threads, {available} of memory available\n"))
}
