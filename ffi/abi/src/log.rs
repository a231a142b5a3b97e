//! `AFFINIMATH_LOG`: the library's decisions on standard error, for programs without a Rust logger.

use std::sync::Once;

use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::prelude::*;

const VARIABLE: &str = "AFFINIMATH_LOG";

/// Starts the log at the first call, if the environment asks for one.
pub fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let Some(value) = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) else { return };
        let Some(targets) = value.to_str().and_then(|value| value.parse::<Targets>().ok()) else {
            eprintln!("{VARIABLE}={} is not understood: a level (debug), or target=level, ...", value.display());
            return;
        };
        // A process with a logger of its own, such as a Rust program that links this library, keeps it.
        let log = layer().with_writer(std::io::stderr).with_filter(targets);
        let _ = tracing_subscriber::registry().with(log).try_init();
    });
}
