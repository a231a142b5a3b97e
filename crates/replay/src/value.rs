//! Arguments that are recorded: numbers and arrays.

use affinimath_kernel::{ScalarType, f16};
use affinimath_trace::ElementKind;

/// Argument of a launch that is recorded, from a number or a slice by `into()`. A buffer of vectors or of complex
/// numbers is a slice of their lanes.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    pub(crate) scalar: ScalarType,
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_array: bool,
}

macro_rules! values {
    ($($type:ident $variant:ident),*) => { $(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Value { scalar: ScalarType::$variant, bytes: value.to_le_bytes().to_vec(), is_array: false }
            }
        }

        impl From<&[$type]> for Value {
            fn from(values: &[$type]) -> Self {
                let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                Value { scalar: ScalarType::$variant, bytes, is_array: true }
            }
        }

        impl<const N: usize> From<&[$type; N]> for Value {
            fn from(values: &[$type; N]) -> Self {
                values.as_slice().into()
            }
        }

        impl From<&Vec<$type>> for Value {
            fn from(values: &Vec<$type>) -> Self {
                values.as_slice().into()
            }
        }
    )* };
}

values!(i8 I8, u8 U8, i16 I16, u16 U16, i32 I32, u32 U32, i64 I64, u64 U64, f16 F16, f32 F32, f64 F64);

/// Elements in files, and the name in OpenCL C.
pub(crate) const fn stored(scalar: ScalarType) -> (ElementKind, &'static str) {
    match scalar {
        ScalarType::Bool | ScalarType::U8 => (ElementKind::U8, "uchar"),
        ScalarType::I8 => (ElementKind::I8, "char"),
        ScalarType::I16 => (ElementKind::I16, "short"),
        ScalarType::U16 => (ElementKind::U16, "ushort"),
        ScalarType::I32 => (ElementKind::I32, "int"),
        ScalarType::U32 => (ElementKind::U32, "uint"),
        ScalarType::I64 => (ElementKind::I64, "long"),
        ScalarType::U64 => (ElementKind::U64, "ulong"),
        ScalarType::F16 => (ElementKind::F16, "half"),
        ScalarType::F32 => (ElementKind::F32, "float"),
        ScalarType::F64 => (ElementKind::F64, "double"),
    }
}
