//! Element types of arrays as plain data.

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

    /// The type of the real and of the imaginary part; of another type the type itself.
    pub const fn part(self) -> ElementType {
        match self {
            ElementType::C32 => ElementType::F32,
            ElementType::C64 => ElementType::F64,
            other => other,
        }
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
}
