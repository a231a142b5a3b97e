//! Types of elements in memory.

use half::f16;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Type of the elements of an array, by NumPy's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ElementKind {
    /// `int8`
    #[serde(rename = "i1")]
    I8,
    /// `uint8`: also bytes of unknown type.
    #[serde(rename = "u1")]
    U8,
    /// `int16`
    #[serde(rename = "i2")]
    I16,
    /// `uint16`
    #[serde(rename = "u2")]
    U16,
    /// `int32`
    #[serde(rename = "i4")]
    I32,
    /// `uint32`
    #[serde(rename = "u4")]
    U32,
    /// `int64`
    #[serde(rename = "i8")]
    I64,
    /// `uint64`
    #[serde(rename = "u8")]
    U64,
    /// `float16`
    #[serde(rename = "f2")]
    F16,
    /// `float32`
    #[serde(rename = "f4")]
    F32,
    /// `float64`
    #[serde(rename = "f8")]
    F64,
    /// `complex64`
    #[serde(rename = "c8")]
    C32,
    /// `complex128`
    #[serde(rename = "c16")]
    C64,
}

use ElementKind::{C32, C64, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

impl ElementKind {
    /// All of them.
    pub const ALL: [ElementKind; 13] = [I8, U8, I16, U16, I32, U32, I64, U64, F16, F32, F64, C32, C64];

    /// NumPy's code, without the byte order.
    pub const fn code(self) -> &'static str {
        match self {
            I8 => "i1",
            U8 => "u1",
            I16 => "i2",
            U16 => "u2",
            I32 => "i4",
            U32 => "u4",
            I64 => "i8",
            U64 => "u8",
            F16 => "f2",
            F32 => "f4",
            F64 => "f8",
            C32 => "c8",
            C64 => "c16",
        }
    }

    /// Type of a code.
    pub fn of_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// Bytes of an element.
    pub const fn bytes(self) -> usize {
        match self {
            I8 | U8 => 1,
            I16 | U16 | F16 => 2,
            I32 | U32 | F32 => 4,
            I64 | U64 | F64 | C32 => 8,
            C64 => 16,
        }
    }

    /// Type of the real and the imaginary part; of others the type itself.
    pub const fn part(self) -> Self {
        match self {
            C32 => F32,
            C64 => F64,
            other => other,
        }
    }

    /// Numbers in an element: 2 of complex ones.
    pub const fn parts(self) -> usize {
        self.bytes() / self.part().bytes()
    }

    /// True for floating-point types, also complex ones.
    pub const fn is_float(self) -> bool {
        matches!(self, F16 | F32 | F64 | C32 | C64)
    }

    /// Type of the elements behind a type of OpenCL C, such as `float4*`. `scalar` is the program's element type, by
    /// which names such as `scalar` and `real` are known.
    pub fn of_opencl(name: &str, scalar: Option<Self>) -> Option<Self> {
        let words = name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let qualifiers = ["", "const", "global", "__global", "restrict", "volatile", "__constant", "constant"];
        let words: Vec<&str> = words.filter(|word| !qualifiers.contains(word)).collect();
        let word = match words[..] {
            ["unsigned", "char"] => return Some(U8),
            ["unsigned", "short"] => return Some(U16),
            ["unsigned", "int"] | ["unsigned"] => return Some(U32),
            ["unsigned", "long"] => return Some(U64),
            [word] => word,
            _ => return None,
        };
        let base = word.trim_end_matches(|c: char| c.is_ascii_digit());
        if !["", "2", "3", "4", "8", "16"].contains(&&word[base.len()..]) {
            return None;
        }
        Some(match base {
            "char" => I8,
            "uchar" | "bool" | "_Bool" => U8,
            "short" => I16,
            "ushort" => U16,
            "int" => I32,
            "uint" => U32,
            "long" | "ptrdiff_t" => I64,
            "ulong" | "size_t" => U64,
            "half" => F16,
            "float" => F32,
            "double" => F64,
            "scalar" | "stored" => return scalar,
            "real" => return scalar.map(Self::part),
            _ => return None,
        })
    }

    /// An integer of one element; `None` for other elements, and for one that `i64` does not have.
    pub fn integer(self, bytes: &[u8]) -> Option<i64> {
        let is_one = bytes.len() == self.bytes() && self.parts() == 1;
        is_one.then(|| self.number(bytes).1).flatten().and_then(|value| i64::try_from(value).ok())
    }

    /// Number of an element's part as `f64`, and exactly as an integer where it is one. `bytes` are the part's.
    fn number(self, bytes: &[u8]) -> (f64, Option<i128>) {
        macro_rules! integer {
            ($type:ty) => {{
                let value = <$type>::from_le_bytes(array(bytes));
                (value as f64, Some(i128::from(value)))
            }};
        }
        match self {
            I8 => integer!(i8),
            U8 => integer!(u8),
            I16 => integer!(i16),
            U16 => integer!(u16),
            I32 => integer!(i32),
            U32 => integer!(u32),
            I64 => integer!(i64),
            U64 => integer!(u64),
            F16 => (f16::from_le_bytes(array(bytes)).into(), None),
            F32 | C32 => (f32::from_le_bytes(array(bytes)).into(), None),
            F64 | C64 => (f64::from_le_bytes(array(bytes)), None),
        }
    }

    /// A part as `f64`: exact but for large integers of 64 bits.
    pub fn real(self, bytes: &[u8]) -> f64 {
        self.part().number(bytes).0
    }

    /// A part as text, with as few digits as tell it from others.
    pub fn text(self, bytes: &[u8]) -> String {
        match (self.part(), self.part().number(bytes)) {
            (_, (_, Some(integer))) => integer.to_string(),
            (F32, _) => format!("{:?}", f32::from_le_bytes(array(bytes))),
            (F16, _) => format!("{:?}", f16::from_le_bytes(array(bytes))),
            (_, (real, _)) => format!("{real:?}"),
        }
    }

    /// First elements of memory for JSON: at most `count` of them. Infinities and NaN are texts.
    pub fn first(self, bytes: &[u8], count: usize) -> Vec<Value> {
        let size = self.part().bytes();
        let part = |bytes: &[u8]| {
            let text = self.text(bytes);
            let real = self.real(bytes);
            if self.is_float() && !real.is_finite() {
                return Value::from(text);
            }
            serde_json::from_str(&text).unwrap_or(Value::Null)
        };
        let elements = bytes.chunks_exact(self.bytes()).take(count);
        elements
            .map(|element| match self.parts() {
                1 => part(element),
                _ => element.chunks_exact(size).map(part).collect(),
            })
            .collect()
    }
}

fn array<const SIZE: usize>(bytes: &[u8]) -> [u8; SIZE] {
    let mut array = [0; SIZE];
    let length = SIZE.min(bytes.len());
    array[..length].copy_from_slice(&bytes[..length]);
    array
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_opencl_have_elements() {
        for (name, kind) in [
            ("float*", Some(F32)),
            ("float4 *", Some(F32)),
            ("const __global double*", Some(F64)),
            ("unsigned int", Some(U32)),
            ("long", Some(I64)),
            ("scalar*", Some(C64)),
            ("real", Some(F64)),
            ("struct pair*", None),
            ("float5", None),
            ("void*", None),
        ] {
            assert_eq!(ElementKind::of_opencl(name, Some(C64)), kind, "{name}");
        }
        assert_eq!(ElementKind::of_opencl("scalar*", None), None);
    }

    #[test]
    fn integers_have_their_values() {
        assert_eq!(ElementKind::I32.integer(&(-7_i32).to_le_bytes()), Some(-7));
        assert_eq!(ElementKind::U8.integer(&[200]), Some(200));
        assert_eq!(ElementKind::U64.integer(&u64::MAX.to_le_bytes()), None);
        assert_eq!(ElementKind::F32.integer(&1.0_f32.to_le_bytes()), None);
        assert_eq!(ElementKind::I32.integer(&[0; 8]), None);
    }

    #[test]
    fn codes_come_back_and_sizes_fit_them() {
        for kind in ElementKind::ALL {
            assert_eq!(ElementKind::of_code(kind.code()), Some(kind));
            assert_eq!(kind.code()[1..].parse(), Ok(kind.bytes()));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.code());
        }
    }

    #[test]
    fn first_elements_are_short_and_exact() {
        let bytes: Vec<u8> = [0.1_f32, f32::NAN, -0.0, 1e30].iter().flat_map(|x| x.to_le_bytes()).collect();
        let shown = serde_json::to_string(&F32.first(&bytes, 3)).unwrap();
        assert_eq!(shown, "[0.1,\"NaN\",-0.0]");
        assert_eq!(serde_json::to_string(&C32.first(&bytes, 1)).unwrap(), "[[0.1,\"NaN\"]]");
        assert_eq!(serde_json::to_string(&U64.first(&u64::MAX.to_le_bytes(), 4)).unwrap(), "[18446744073709551615]");
    }
}
