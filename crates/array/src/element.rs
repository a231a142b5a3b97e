//! Element types of arrays as plain data.

use affinimath_core::{Complex32, Complex64};
use std::fmt;

/// An element type of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementType {
    /// `bool`, one byte in memory: 0 or 1.
    Bool,
    /// `u8`; its arithmetic wraps, as that of all integers.
    U8,
    /// `i32`
    I32,
    /// `u32`
    U32,
    /// `i64`
    I64,
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// `Complex32`
    C32,
    /// `Complex64`
    C64,
}

impl ElementType {
    /// All of them.
    pub const ALL: [ElementType; 9] = [
        ElementType::Bool,
        ElementType::U8,
        ElementType::I32,
        ElementType::U32,
        ElementType::I64,
        ElementType::F32,
        ElementType::F64,
        ElementType::C32,
        ElementType::C64,
    ];

    /// Bytes of an element in memory.
    pub const fn bytes(self) -> usize {
        match self {
            ElementType::Bool | ElementType::U8 => 1,
            ElementType::I32 | ElementType::U32 | ElementType::F32 => 4,
            ElementType::I64 | ElementType::F64 | ElementType::C32 => 8,
            ElementType::C64 => 16,
        }
    }

    /// True for `Complex32` and `Complex64`.
    pub const fn is_complex(self) -> bool {
        matches!(self, ElementType::C32 | ElementType::C64)
    }

    /// True for `f32` and `f64`.
    pub const fn is_real(self) -> bool {
        matches!(self, ElementType::F32 | ElementType::F64)
    }

    /// True for `u8`, `i32`, `u32` and `i64`.
    pub const fn is_integer(self) -> bool {
        matches!(self, ElementType::U8 | ElementType::I32 | ElementType::U32 | ElementType::I64)
    }

    /// True for a type that a device without double precision lacks.
    pub const fn is_double(self) -> bool {
        matches!(self, ElementType::F64 | ElementType::C64)
    }

    /// True for all but `bool`.
    pub const fn is_number(self) -> bool {
        !matches!(self, ElementType::Bool)
    }

    /// Rust's name of the type.
    pub const fn name(self) -> &'static str {
        match self {
            ElementType::Bool => "bool",
            ElementType::U8 => "u8",
            ElementType::I32 => "i32",
            ElementType::U32 => "u32",
            ElementType::I64 => "i64",
            ElementType::F32 => "f32",
            ElementType::F64 => "f64",
            ElementType::C32 => "Complex32",
            ElementType::C64 => "Complex64",
        }
    }

    /// The type of the real and of the imaginary part; of another type the type itself.
    pub const fn part(self) -> ElementType {
        match self {
            ElementType::C32 => ElementType::F32,
            ElementType::C64 => ElementType::F64,
            other => other,
        }
    }
}

/// [`ElementType::name`].
impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A scalar of one of the types that instructions work on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// `bool`
    Bool(bool),
    /// `u8`
    U8(u8),
    /// `i32`
    I32(i32),
    /// `u32`
    U32(u32),
    /// `i64`
    I64(i64),
    /// `f32`
    F32(f32),
    /// `f64`
    F64(f64),
}

impl Value {
    /// Its type.
    pub const fn element_type(self) -> ElementType {
        match self {
            Value::Bool(_) => ElementType::Bool,
            Value::U8(_) => ElementType::U8,
            Value::I32(_) => ElementType::I32,
            Value::U32(_) => ElementType::U32,
            Value::I64(_) => ElementType::I64,
            Value::F32(_) => ElementType::F32,
            Value::F64(_) => ElementType::F64,
        }
    }

    /// Its bits in memory, extended by zeros.
    pub const fn bits(self) -> u64 {
        match self {
            Value::Bool(value) => value as u64,
            Value::U8(value) => value as u64,
            Value::I32(value) => value as u32 as u64,
            Value::U32(value) => value as u64,
            Value::I64(value) => value as u64,
            Value::F32(value) => value.to_bits() as u64,
            Value::F64(value) => value.to_bits(),
        }
    }
}

/// A scalar of any element type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A real number, an integer or a `bool`.
    Real(Value),
    /// The real and the imaginary part, of one type.
    Complex(Value, Value),
}

impl Number {
    /// Its type.
    pub const fn element_type(self) -> ElementType {
        match self {
            Number::Real(value) => value.element_type(),
            Number::Complex(Value::F32(_), _) => ElementType::C32,
            Number::Complex(..) => ElementType::C64,
        }
    }

    /// A real number as one of the type, rounded and saturated as by `as`; of `bool` true but for 0.
    pub const fn of_real(value: f64, element: ElementType) -> Number {
        Number::Real(match element {
            ElementType::Bool => Value::Bool(value != 0.0),
            ElementType::U8 => Value::U8(value as u8),
            ElementType::I32 => Value::I32(value as i32),
            ElementType::U32 => Value::U32(value as u32),
            ElementType::I64 => Value::I64(value as i64),
            ElementType::F32 => Value::F32(value as f32),
            ElementType::F64 => Value::F64(value),
            ElementType::C32 => return Number::Complex(Value::F32(value as f32), Value::F32(0.0)),
            ElementType::C64 => return Number::Complex(Value::F64(value), Value::F64(0.0)),
        })
    }

    /// The bits of the real and the imaginary part; -0 and 0 have different ones.
    pub const fn bits(self) -> (u64, u64) {
        match self {
            Number::Real(value) => (value.bits(), 0),
            Number::Complex(real, imaginary) => (real.bits(), imaginary.bits()),
        }
    }
}

macro_rules! host_slices {
    ($($variant:ident $element:ty,)*) => {
        /// Elements in memory of the host.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum HostSlice<'a> {
            $(#[allow(missing_docs)] $variant(&'a [$element]),)*
        }

        impl<'a> HostSlice<'a> {
            /// The elements of a range of indices.
            ///
            /// # Panics
            /// Of a range that is not within the slice.
            #[must_use]
            pub fn range(&self, range: std::ops::Range<usize>) -> HostSlice<'a> {
                match *self {
                    $(HostSlice::$variant(elements) => HostSlice::$variant(&elements[range]),)*
                }
            }

            /// The type of the elements.
            pub const fn element(&self) -> ElementType {
                match self {
                    $(HostSlice::$variant(_) => ElementType::$variant,)*
                }
            }

            /// The count of elements.
            pub const fn len(&self) -> usize {
                match self {
                    $(HostSlice::$variant(elements) => elements.len(),)*
                }
            }

            /// True if there is none.
            pub const fn is_empty(&self) -> bool {
                self.len() == 0
            }
        }

        /// Elements in memory of the host, to be written.
        #[derive(Debug, PartialEq)]
        pub enum HostSliceMut<'a> {
            $(#[allow(missing_docs)] $variant(&'a mut [$element]),)*
        }

        impl HostSliceMut<'_> {
            /// The type of the elements.
            pub const fn element(&self) -> ElementType {
                match self {
                    $(HostSliceMut::$variant(_) => ElementType::$variant,)*
                }
            }

            /// The count of elements.
            pub const fn len(&self) -> usize {
                match self {
                    $(HostSliceMut::$variant(elements) => elements.len(),)*
                }
            }

            /// True if there is none.
            pub const fn is_empty(&self) -> bool {
                self.len() == 0
            }
        }
    };
}

host_slices! {
    Bool bool,
    U8 u8,
    I32 i32,
    U32 u32,
    I64 i64,
    F32 f32,
    F64 f64,
    C32 Complex32,
    C64 Complex64,
}
