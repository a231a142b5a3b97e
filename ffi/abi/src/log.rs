//! `AFFINIMATH_LOG`: what the library decides, told on standard error of a program that has no logging of Rust's.

use std::sync::Once;

use tracing_subscriber::EnvFilter;

const VARIABLE: &str = "AFFINIMATH_LOG";

/// Starts the log at the first call, if it is asked for. Later calls cost a comparison.
pub fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        if std::env::var_os(VARIABLE).is_none_or(|value| value.is_empty()) {
            return;
        }
        let filter = EnvFilter::builder().with_env_var(VARIABLE).from_env_lossy();
        // A process that has a log already, such as one in Rust that links this library, keeps it.
        let _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init();
    });
}
