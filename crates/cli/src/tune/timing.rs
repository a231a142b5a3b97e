//! The shortest time of a call.

use std::time::{Duration, Instant};

use affinimath::Result;

/// Calls are repeated for this long, and three times at least.
const ENOUGH: Duration = Duration::from_millis(60);
/// A call that takes longer than this is not repeated: it is a measurement by itself.
const LONG: Duration = Duration::from_millis(400);

/// The shortest of several calls, after one that prepares what the first call prepares.
pub fn shortest(mut call: impl FnMut() -> Result<()>) -> Result<f64> {
    call()?;
    let (mut best, mut calls, begin) = (Duration::MAX, 0, Instant::now());
    while best > Duration::ZERO && (calls < 3 && begin.elapsed() < LONG || calls < 100 && begin.elapsed() < ENOUGH) {
        let start = Instant::now();
        call()?;
        best = best.min(start.elapsed());
        calls += 1;
    }
    Ok(best.as_secs_f64())
}
