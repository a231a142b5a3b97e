//! A kernel whose element type and vector width are known at run time only.

use affinimath_kernel::dynamic::{Alignment, BinaryOp, Query, StoreMode, UnaryOp};
use affinimath_kernel::{Access, BuildError, Kernel, ScalarType, ValueType};

/// y := sqrt(max(x, 0)), `lanes` elements for each work-item. A type without square roots is an error.
pub fn roots(scalar: ScalarType, lanes: usize) -> Result<Kernel, BuildError> {
    Kernel::build_dynamic("roots", |k| {
        let x = k.buffer("x", ValueType::scalar(scalar), Access::Read)?;
        let y = k.buffer("y", ValueType::scalar(scalar), Access::Write)?;
        let i = k.query(Query::GlobalId, 0)?.binary(BinaryOp::Mul, k.index(lanes as i64))?;
        let value = x.load_vector(i, lanes, Alignment::Vector)?;
        // A scalar operand goes with every lane.
        let positive = value.binary(BinaryOp::Max, k.number(scalar, 0.0)?)?;
        y.store_with(i, positive.unary(UnaryOp::Sqrt)?, StoreMode { alignment: Alignment::Vector, streaming: true })
    })
}
