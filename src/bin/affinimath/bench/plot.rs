//! placeholder
use std::path::Path;
use super::error::BenchError;
use super::report::Report;
/// x
pub fn write(_: &Report, _: &Path) -> Result<(), BenchError> { Ok(()) }
