//! Text on standard output.

use std::io::{ErrorKind, Write};

use crate::failure::Failure;

/// Prints a command's result. A reader that has seen enough (`affinimath ... | head -1`) is no failure.
///
/// # Errors
/// Standard output that cannot be written.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure(format!("the result cannot be printed: {error}")))
        }
        _ => Ok(()),
    }
}
