//! Arguments of a launch.

use half::f16;

use super::super::constant::Constant;
use super::super::error::Fault;
use super::super::ir::Access;
use super::super::types::ScalarType;
use super::super::{Kernel, ParameterType};

/// An argument, from a scalar, a slice, an array or a `Vec` by `into()`.
pub struct Argument<'a> {
    pub(super) values: Vec<Constant>,
    scalar: ScalarType,
    form: Form<'a>,
}

type WriteBack<'a> = Box<dyn FnMut(&[Constant]) + 'a>;

enum Form<'a> {
    Number,
    Slice,
    /// Copies the elements back.
    SliceMut(WriteBack<'a>),
}

impl Argument<'_> {
    pub(super) fn write_back(&mut self, values: Vec<Constant>) {
        if let Form::SliceMut(back) = &mut self.form {
            back(&values);
            self.values = values;
        }
    }
}

macro_rules! argument_from {
    ($($type:ident $variant:ident $value:expr),*) => { $(
        impl From<$type> for Argument<'_> {
            fn from(value: $type) -> Self {
                Argument { values: vec![value.into()], scalar: ScalarType::$variant, form: Form::Number }
            }
        }

        impl<'a> From<&'a [$type]> for Argument<'a> {
            fn from(slice: &'a [$type]) -> Self {
                let values = slice.iter().map(|value| (*value).into()).collect();
                Argument { values, scalar: ScalarType::$variant, form: Form::Slice }
            }
        }

        impl<'a> From<&'a mut [$type]> for Argument<'a> {
            fn from(slice: &'a mut [$type]) -> Self {
                let values = slice.iter().map(|value| (*value).into()).collect();
                let back = move |values: &[Constant]| {
                    for (element, value) in slice.iter_mut().zip(values) {
                        if let Constant::$variant(value) = value {
                            *element = $value(*value);
                        }
                    }
                };
                Argument { values, scalar: ScalarType::$variant, form: Form::SliceMut(Box::new(back)) }
            }
        }

        impl<'a, const N: usize> From<&'a [$type; N]> for Argument<'a> {
            fn from(array: &'a [$type; N]) -> Self {
                array.as_slice().into()
            }
        }

        impl<'a, const N: usize> From<&'a mut [$type; N]> for Argument<'a> {
            fn from(array: &'a mut [$type; N]) -> Self {
                array.as_mut_slice().into()
            }
        }

        impl<'a> From<&'a Vec<$type>> for Argument<'a> {
            fn from(vector: &'a Vec<$type>) -> Self {
                vector.as_slice().into()
            }
        }

        impl<'a> From<&'a mut Vec<$type>> for Argument<'a> {
            fn from(vector: &'a mut Vec<$type>) -> Self {
                vector.as_mut_slice().into()
            }
        }
    )* };
}

argument_from!(i8 I8 i8::from, u8 U8 u8::from, i16 I16 i16::from, u16 U16 u16::from);
argument_from!(i32 I32 i32::from, u32 U32 u32::from, i64 I64 i64::from, u64 U64 u64::from);
argument_from!(f16 F16 f16::from_bits, f32 F32 f32::from_bits, f64 F64 f64::from_bits);

/// Checks the arguments against the parameters.
pub(super) fn check(kernel: &Kernel, arguments: &[Argument<'_>]) -> Result<(), Fault> {
    let parameters = kernel.parameters();
    if parameters.len() != arguments.len() {
        return Err(Fault::Arguments(format!("{} of them, where it takes {}", arguments.len(), parameters.len())));
    }
    for (index, (parameter, argument)) in parameters.into_iter().zip(arguments).enumerate() {
        let fits = match (parameter, &argument.form) {
            (ParameterType::Scalar(scalar), Form::Number) => scalar == argument.scalar,
            (ParameterType::Buffer(element, access), Form::Slice) => {
                access == Access::Read
                    && element.scalar == argument.scalar
                    && argument.values.len() % element.lanes == 0
            }
            (ParameterType::Buffer(element, _), Form::SliceMut(_)) => {
                element.scalar == argument.scalar && argument.values.len() % element.lanes == 0
            }
            _ => false,
        };
        if !fits {
            return Err(Fault::Arguments(format!("argument {index} is to be {parameter:?}")));
        }
    }
    Ok(())
}
