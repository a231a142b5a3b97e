//! Arguments of a launch.

use std::ffi::c_void;

use half::f16;

use super::super::constant::Constant;
use super::super::error::Fault;
use super::super::ir::Access;
use super::super::types::ScalarType;
use super::super::{Kernel, ParameterType};

/// An argument, from a scalar, a slice, an array or a `Vec` by `into()`.
pub struct Argument<'a> {
    scalar: ScalarType,
    form: Form<'a>,
}

enum Form<'a> {
    Number(Constant),
    Slice(Box<dyn Elements + 'a>),
    SliceMut(Box<dyn ElementsMut + 'a>),
}

/// A slice of numbers.
trait Elements {
    fn length(&self) -> usize;

    fn constants(&self) -> Vec<Constant>;

    fn pointer(&self) -> *const c_void;
}

/// A slice of numbers that change.
trait ElementsMut: Elements {
    fn write(&mut self, values: &[Constant]);

    fn pointer_mut(&mut self) -> *mut c_void;
}

impl Argument<'_> {
    /// The elements, or the number.
    pub(super) fn constants(&self) -> Vec<Constant> {
        match &self.form {
            Form::Number(value) => vec![*value],
            Form::Slice(slice) => slice.constants(),
            Form::SliceMut(slice) => slice.constants(),
        }
    }

    pub(super) fn write_back(&mut self, values: &[Constant]) {
        if let Form::SliceMut(slice) = &mut self.form {
            slice.write(values);
        }
    }

    /// The number, or the address of the elements, which a kernel does not write where they are of a shared slice.
    pub(in super::super) fn address(&mut self) -> Result<Constant, *mut c_void> {
        match &mut self.form {
            Form::Number(value) => Ok(*value),
            Form::Slice(slice) => Err(slice.pointer().cast_mut()),
            Form::SliceMut(slice) => Err(slice.pointer_mut()),
        }
    }

    fn fits(&self, parameter: ParameterType) -> bool {
        match (parameter, &self.form) {
            (ParameterType::Scalar(scalar), Form::Number(_)) => scalar == self.scalar,
            (ParameterType::Buffer(element, access), Form::Slice(slice)) => {
                access == Access::Read && element.scalar == self.scalar && slice.length() % element.lanes == 0
            }
            (ParameterType::Buffer(element, _), Form::SliceMut(slice)) => {
                element.scalar == self.scalar && slice.length() % element.lanes == 0
            }
            _ => false,
        }
    }
}

macro_rules! argument_from {
    ($($type:ident $variant:ident $value:expr),*) => { $(
        impl Elements for &[$type] {
            fn length(&self) -> usize {
                self.len()
            }

            fn constants(&self) -> Vec<Constant> {
                self.iter().map(|value| (*value).into()).collect()
            }

            fn pointer(&self) -> *const c_void {
                self.as_ptr().cast()
            }
        }

        impl Elements for &mut [$type] {
            fn length(&self) -> usize {
                self.len()
            }

            fn constants(&self) -> Vec<Constant> {
                self.iter().map(|value| (*value).into()).collect()
            }

            fn pointer(&self) -> *const c_void {
                self.as_ptr().cast()
            }
        }

        impl ElementsMut for &mut [$type] {
            fn write(&mut self, values: &[Constant]) {
                for (element, value) in self.iter_mut().zip(values) {
                    if let Constant::$variant(value) = value {
                        *element = $value(*value);
                    }
                }
            }

            fn pointer_mut(&mut self) -> *mut c_void {
                self.as_mut_ptr().cast()
            }
        }

        impl From<$type> for Argument<'_> {
            fn from(value: $type) -> Self {
                Argument { scalar: ScalarType::$variant, form: Form::Number(value.into()) }
            }
        }

        impl<'a> From<&'a [$type]> for Argument<'a> {
            fn from(slice: &'a [$type]) -> Self {
                Argument { scalar: ScalarType::$variant, form: Form::Slice(Box::new(slice)) }
            }
        }

        impl<'a> From<&'a mut [$type]> for Argument<'a> {
            fn from(slice: &'a mut [$type]) -> Self {
                Argument { scalar: ScalarType::$variant, form: Form::SliceMut(Box::new(slice)) }
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

/// Checks the work-items of a group, and the arguments against the parameters.
pub(in super::super) fn check(kernel: &Kernel, items: [usize; 3], arguments: &[Argument<'_>]) -> Result<(), Fault> {
    let group = kernel.group_size();
    if group.is_some_and(|fixed| fixed != items) || items.contains(&0) {
        let reason = format!("groups of {items:?} work-items, where it wants {group:?}");
        return Err(Fault::Arguments(reason));
    }
    let parameters = kernel.parameters();
    if parameters.len() != arguments.len() {
        return Err(Fault::Arguments(format!("{} of them, where it takes {}", arguments.len(), parameters.len())));
    }
    for (index, (parameter, argument)) in parameters.into_iter().zip(arguments).enumerate() {
        if !argument.fits(parameter) {
            return Err(Fault::Arguments(format!("argument {index} is to be {parameter:?}")));
        }
    }
    Ok(())
}
