//! Kernels whose types are run-time data: for programs that lower expressions, whose element types they learn at run
//! time.
//!
//! A [`Value`] has a run-time [`ValueType`]. Every operation checks its operands and returns a [`BuildError`] instead
//! of a value where they do not fit. A scalar operand of an operation on vectors goes with every lane. Typed and
//! untyped values mix: `Value::from(expr)`, [`Value::typed`], [`Builder::typed`].
//!
//! ```
//! use affinimath_kernel::dynamic::{BinaryOp, Query, UnaryOp};
//! use affinimath_kernel::{Access, Kernel, Launch, ScalarType, ValueType};
//!
//! /// y := sqrt(x + 1), of any real type.
//! fn shifted_roots(scalar: ScalarType) -> Kernel {
//!     Kernel::build_dynamic("shifted_roots", |k| {
//!         let element = ValueType::scalar(scalar);
//!         let x = k.buffer("x", element, Access::Read)?;
//!         let y = k.buffer("y", element, Access::Write)?;
//!         let i = k.query(Query::GlobalId, 0)?;
//!         let sum = x.load(i)?.binary(BinaryOp::Add, k.number(scalar, 1.0)?)?;
//!         y.store(i, sum.unary(UnaryOp::Sqrt)?)
//!     })
//!     .unwrap()
//! }
//!
//! let (x, mut y) = ([3.0_f64, 8.0], [0.0_f64; 2]);
//! Launch::new(&shifted_roots(ScalarType::F64), [1; 3], [2, 1, 1]).run([(&x).into(), (&mut y).into()]).unwrap();
//! assert_eq!(y, [2.0, 3.0]);
//! // The square root of integers is an error, not a panic.
//! let refused =
//!     Kernel::build_dynamic("refused", |k| k.number(ScalarType::I32, 2.0)?.unary(UnaryOp::Sqrt).map(|_| ()));
//! assert_eq!(refused.unwrap_err().to_string(), "Sqrt does not take i32");
//! ```

mod control;
mod memory;
mod types;
mod value;

pub use super::ir::{Alignment, AtomicOp, Query, StoreMode};
pub use super::operations::{BinaryOp, UnaryOp};
pub use control::Function;
pub use memory::{Memory, Variable};
pub use value::Value;

use super::constant::Constant;
use super::error::BuildError;
use super::ir::{Id, Op};
use super::types::{ScalarType, ValueType};

type Result<V> = std::result::Result<V, BuildError>;

/// A kernel under construction, as [`crate::Builder`], for values of run-time types.
#[derive(Clone, Copy)]
pub struct Builder<'k> {
    builder: super::Builder<'k>,
}

impl<'k> From<super::Builder<'k>> for Builder<'k> {
    fn from(builder: super::Builder<'k>) -> Self {
        Builder { builder }
    }
}

impl<'k> Builder<'k> {
    /// The builder of typed values: also of comments, sizes of groups, build options.
    pub const fn typed(self) -> super::Builder<'k> {
        self.builder
    }

    const fn value(self, id: Id) -> Value<'k> {
        Value { builder: self.builder, id }
    }

    /// A scalar argument: of any type but `bool` and `f16`.
    ///
    /// # Errors
    /// [`BuildError::Type`].
    pub fn argument(self, name: &str, scalar: ScalarType) -> Result<Value<'k>> {
        let value_type = ValueType::scalar(scalar);
        if matches!(scalar, ScalarType::Bool | ScalarType::F16) {
            return Err(BuildError::Type { what: format!("the argument '{name}'"), value_type });
        }
        Ok(self.value(self.builder.add_argument(name, value_type)))
    }

    /// A constant.
    ///
    /// # Errors
    /// [`BuildError::Type`] for half precision, which no value has.
    pub fn constant(self, constant: Constant) -> Result<Value<'k>> {
        let value_type = ValueType::scalar(constant.scalar_type());
        types::check_value("a constant", value_type)?;
        Ok(self.value(self.builder.constant(constant, 1)))
    }

    /// A number as a constant of a type: rounded to a floating-point type, or held exactly by an integer type.
    ///
    /// # Errors
    /// [`BuildError::Constant`] for a number that an integer type does not hold; [`BuildError::Type`].
    pub fn number(self, scalar: ScalarType, number: f64) -> Result<Value<'k>> {
        let constant = Constant::from(number).convert(scalar).ok();
        let exact = constant.filter(|constant| scalar.is_float() || constant.float() == number);
        self.constant(exact.ok_or_else(|| BuildError::Constant { scalar, value: number.to_string() })?)
    }

    /// An integer as a constant of a type.
    ///
    /// # Errors
    /// [`BuildError::Constant`] for an integer that an integer type does not hold; [`BuildError::Type`].
    pub fn integer(self, scalar: ScalarType, number: i128) -> Result<Value<'k>> {
        let constant = Constant::wrapped(number, scalar);
        if scalar.is_integer() && constant.wide() != Some(number) {
            return Err(BuildError::Constant { scalar, value: number.to_string() });
        }
        self.constant(constant)
    }

    /// A constant of the type of indices.
    pub fn index(self, index: i64) -> Value<'k> {
        self.value(self.builder.constant(index.into(), 1))
    }

    /// A query of the work-item, in a dimension from 0 to 2.
    ///
    /// # Errors
    /// [`BuildError::Dimension`].
    pub fn query(self, query: Query, dimension: usize) -> Result<Value<'k>> {
        if dimension > 2 {
            return Err(BuildError::Dimension(dimension));
        }
        Ok(self.builder.query(query, dimension).into())
    }

    /// A vector of scalars of one type.
    ///
    /// # Errors
    /// [`BuildError::Operands`].
    pub fn gather(self, lanes: &[Value<'k>]) -> Result<Value<'k>> {
        let types: Vec<ValueType> = lanes.iter().map(|lane| lane.value_type()).collect();
        let vector = types.first().map(|first| ValueType::vector(first.scalar, lanes.len()));
        match vector {
            Some(vector) if vector.is_vector() && types.iter().all(|lane| *lane == vector.one_lane()) => {
                Ok(self.value(self.builder.emit_as(Op::Gather(lanes.iter().map(|lane| lane.id).collect()), vector)))
            }
            _ => Err(BuildError::Operands { operation: "a vector".to_owned(), types }),
        }
    }
}
