//! Elementary and special functions, by the vectors of the machine.

use affinimath_array::function::{Binary, ComplexUnary, Unary};
use pulp::Arch;

use crate::array::machine::LoopFn;

pub fn single(_arch: Arch, _function: Unary) -> Option<LoopFn> { None }
pub fn double(_arch: Arch, _function: Unary) -> Option<LoopFn> { None }
pub fn single2(_arch: Arch, _function: Binary) -> Option<LoopFn> { None }
pub fn double2(_arch: Arch, _function: Binary) -> Option<LoopFn> { None }
pub fn complex_single(_arch: Arch, _function: ComplexUnary) -> LoopFn { unimplemented!() }
pub fn complex_double(_arch: Arch, _function: ComplexUnary) -> LoopFn { unimplemented!() }
