//! Running sums and products along an axis.

use affinimath_array::function::Reduction;
use affinimath_array::plan::Operand;

use super::steps::Run;
use crate::error::{Error, Result};

pub(super) fn run(_run: &Run<'_>, _reduction: Reduction, _axis: usize, _input: &Operand, _output: &Operand) -> Result<()> {
    Err(Error::Internal("scans".to_owned()))
}
