//! Arrays in NumPy's format, with the element types that texts take.

use std::io::{Error, ErrorKind, Read, Result, Write};

use affinimath::array::{AnyArray, ElementType, Shape, from_vec};
use affinimath::{Complex32, Complex64, Context};
use affinimath_trace::npy::{self, fill};

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// The description of an array in a file.
#[derive(Debug, PartialEq)]
pub struct Header {
    /// The type of the elements.
    pub element: ElementType,
    /// True if bytes are in the other order than on most machines.
    is_big_endian: bool,
    /// True if the first index varies fastest.
    is_fortran: bool,
    /// Elements along each axis.
    pub shape: Vec<usize>,
}

fn malformed(reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidData, reason.into())
}

/// Reads an array as an operand of a context. `available` bytes are there, the header among them, where that is known.
pub fn read(context: &Context, file: &mut impl Read, available: Option<u64>) -> Result<AnyArray> {
    let (header, length) = Header::read(file)?;
    let shape = Shape::new(&header.shape).map_err(|error| malformed(error.to_string()))?;
    let bytes = shape.len() as u64 * header.element.bytes() as u64;
    if let Some(found) = available.map(|available| available.saturating_sub(length))
        && found < bytes
    {
        return Err(truncated(found, bytes));
    }
    let order: Vec<usize> = header.shape.iter().rev().copied().collect();
    macro_rules! elements {
        ($($variant:ident $type:ty: $size:literal $le:expr, $be:expr;)*) => {
            match header.element {
                $(ElementType::$variant => {
                    let decode: fn([u8; $size]) -> $type = if header.is_big_endian { $be } else { $le };
                    let elements = decoded(file, shape.len(), decode)?;
                    let extents = if header.is_fortran { &order } else { &header.shape };
                    let array = from_vec(&extents[..], elements);
                    let array = if header.is_fortran { array.t() } else { array };
                    AnyArray::new(context, array.node().clone()).map_err(|error| malformed(error.to_string()))
                })*
            }
        };
    }
    elements! {
        Bool bool: 1 |byte| byte[0] != 0, |byte| byte[0] != 0;
        U8 u8: 1 |byte| byte[0], |byte| byte[0];
        I32 i32: 4 i32::from_le_bytes, i32::from_be_bytes;
        U32 u32: 4 u32::from_le_bytes, u32::from_be_bytes;
        I64 i64: 8 i64::from_le_bytes, i64::from_be_bytes;
        F32 f32: 4 f32::from_le_bytes, f32::from_be_bytes;
        F64 f64: 8 f64::from_le_bytes, f64::from_be_bytes;
        C32 Complex32: 8 |bytes| complex32(bytes, f32::from_le_bytes), |bytes| complex32(bytes, f32::from_be_bytes);
        C64 Complex64: 16 |bytes| complex64(bytes, f64::from_le_bytes), |bytes| complex64(bytes, f64::from_be_bytes);
    }
}

fn truncated(found: u64, bytes: u64) -> Error {
    Error::new(ErrorKind::UnexpectedEof, format!("it ends after {found} of {bytes} bytes of elements"))
}

fn complex32(bytes: [u8; 8], part: fn([u8; 4]) -> f32) -> Complex32 {
    let [a, b, c, d, rest @ ..] = bytes;
    Complex32::new(part([a, b, c, d]), part(rest))
}

fn complex64(bytes: [u8; 16], part: fn([u8; 8]) -> f64) -> Complex64 {
    let [a, b, c, d, e, f, g, h, rest @ ..] = bytes;
    Complex64::new(part([a, b, c, d, e, f, g, h]), part(rest))
}

fn decoded<T, const SIZE: usize>(file: &mut impl Read, count: usize, decode: fn([u8; SIZE]) -> T) -> Result<Vec<T>> {
    let mut elements = Vec::new();
    let out_of_memory = |_| Error::new(ErrorKind::OutOfMemory, format!("{} bytes of memory are missing", count * SIZE));
    elements.try_reserve_exact(count).map_err(out_of_memory)?;
    let mut piece = vec![0; PIECE.min(count * SIZE)];
    while elements.len() < count {
        let bytes = piece.len().min((count - elements.len()) * SIZE);
        let found = fill(file, &mut piece[..bytes])?;
        if found < bytes {
            let before = elements.len() * SIZE + found;
            return Err(truncated(before as u64, (count * SIZE) as u64));
        }
        let whole = piece[..bytes].chunks_exact(SIZE);
        elements.extend(whole.map(|bytes| decode(bytes.try_into().expect("the bytes of an element"))));
    }
    Ok(elements)
}

impl Header {
    /// Reads a header, which comes with its bytes.
    pub fn read(file: &mut impl Read) -> Result<(Self, u64)> {
        let (header, length) = npy::Header::read(file)?;
        Ok((Self::of(header)?, length))
    }

    fn of(header: npy::Header) -> Result<Self> {
        let (kind, is_big_endian) = header.kind();
        let found = TYPES.iter().find(|(code, ..)| *code == kind).map(|(_, element, _)| *element);
        let element = found.ok_or_else(|| {
            let known: Vec<&str> = TYPES.iter().map(|(_, _, name)| *name).collect();
            let name = unsupported(kind).map_or_else(|| format!("of type {:?}", header.descr), str::to_owned);
            malformed(format!("its elements are {name}; a text takes {}: convert with astype", known.join(", ")))
        })?;
        Ok(Header { element, is_big_endian, is_fortran: header.is_fortran, shape: header.shape })
    }
}

/// NumPy's codes of the types, without the byte order, and its names.
const TYPES: [(&str, ElementType, &str); 9] = [
    ("b1", ElementType::Bool, "bool"),
    ("u1", ElementType::U8, "uint8"),
    ("i4", ElementType::I32, "int32"),
    ("u4", ElementType::U32, "uint32"),
    ("i8", ElementType::I64, "int64"),
    ("f4", ElementType::F32, "float32"),
    ("f8", ElementType::F64, "float64"),
    ("c8", ElementType::C32, "complex64"),
    ("c16", ElementType::C64, "complex128"),
];

/// NumPy's code and name of a type.
fn named(element: ElementType) -> (&'static str, &'static str) {
    TYPES.iter().find(|(_, known, _)| *known == element).map_or(("", ""), |(code, _, name)| (code, name))
}

/// NumPy's name of a type.
pub fn name(element: ElementType) -> &'static str {
    named(element).1
}

/// A name for people of a type that texts do not have.
fn unsupported(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "i1" => "int8",
        "i2" => "int16",
        "u2" => "uint16",
        "u8" => "uint64",
        "f2" => "float16",
        "f12" | "f16" => "long doubles",
        _ => match kind.chars().next()? {
            'U' | 'S' | 'a' => "strings",
            'O' => "objects of Python",
            'M' | 'm' => "dates or times",
            'V' => "structures or bytes without a type",
            _ => return None,
        },
    })
}

/// Writes a header. The elements follow it.
pub fn write_header(file: &mut impl Write, element: ElementType, shape: &[usize]) -> Result<()> {
    let (code, _) = named(element);
    let order = if matches!(element, ElementType::Bool | ElementType::U8) { '|' } else { '<' };
    npy::Header { descr: format!("{order}{code}"), is_fortran: false, shape: shape.to_vec() }.write(file)
}

/// Writes elements as their bytes.
pub fn write_elements<T: Copy, const SIZE: usize>(
    file: &mut impl Write,
    elements: &[T],
    encode: fn(T) -> [u8; SIZE],
) -> Result<()> {
    let mut bytes = Vec::with_capacity(PIECE.min(elements.len() * SIZE));
    for piece in elements.chunks(PIECE / SIZE) {
        bytes.clear();
        piece.iter().for_each(|element| bytes.extend_from_slice(&encode(*element)));
        file.write_all(&bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Header> {
        npy::Header::parse(text).and_then(Header::of)
    }

    #[test]
    fn headers_are_read_in_any_order_of_their_entries() {
        let header = parse("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n").unwrap();
        assert_eq!((header.element, &header.shape[..]), (ElementType::F64, &[3, 4][..]));
        assert!(!header.is_fortran && !header.is_big_endian);
        let header = parse("{\"shape\": (5,), \"fortran_order\": True, \"descr\": \">c16\"}").unwrap();
        assert_eq!((header.element, &header.shape[..]), (ElementType::C64, &[5][..]));
        assert!(header.is_fortran && header.is_big_endian);
        assert!(parse("{'descr': '|b1', 'fortran_order': False, 'shape': ()}").unwrap().shape.is_empty());
        assert_eq!(parse("{'descr': '<i8', 'fortran_order': False, 'shape': (2L, 3L)}").unwrap().shape, [2, 3]);
    }

    #[test]
    fn other_headers_are_refused_with_a_reason() {
        for (text, reason) in [
            ("", "instead of '{'"),
            ("{'descr': '<f2', 'fortran_order': False, 'shape': ()}", "float16"),
            ("{'descr': '<U7', 'fortran_order': False, 'shape': ()}", "strings"),
            ("{'descr': '|O', 'fortran_order': False, 'shape': ()}", "objects"),
            ("{'descr': '<q9', 'fortran_order': False, 'shape': ()}", "\"<q9\""),
            ("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", "structures"),
            ("{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", "neither True nor False"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "no number"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "no number"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", "instead of '}'"),
            ("{'descr': '<f4', 'fortran_order': False}", "no entry \"shape\""),
            ("{'descr': '<f4, 'fortran_order': False}", "instead of '}'"),
            ("{'more': 1}", "entry \"more\""),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn a_header_that_is_written_comes_back() {
        for shape in [&[][..], &[7], &[0, 2], &[1, 2, 3, 4, 5, 6, 7, 8]] {
            for (_, element, _) in TYPES {
                let mut bytes = Vec::new();
                write_header(&mut bytes, element, shape).unwrap();
                let (header, length) = Header::read(&mut bytes.as_slice()).unwrap();
                assert_eq!((header.element, &header.shape[..], length), (element, shape, bytes.len() as u64));
                assert!(bytes.len().is_multiple_of(64) && bytes.ends_with(b"\n"));
            }
        }
    }

    #[test]
    fn damaged_files_are_refused() {
        let mut bytes = Vec::new();
        write_header(&mut bytes, ElementType::F64, &[2, 2]).unwrap();
        bytes.extend_from_slice(&[0; 32]);
        assert!(read(&Context::host(), &mut bytes.as_slice(), None).is_ok());
        for end in 0..bytes.len() {
            assert!(read(&Context::host(), &mut &bytes[..end], None).is_err(), "{end}");
            assert!(read(&Context::host(), &mut &bytes[..end], Some(end as u64)).is_err(), "{end}");
        }
        let mut huge = Vec::new();
        write_header(&mut huge, ElementType::F64, &[1 << 40]).unwrap();
        let length = huge.len() as u64;
        assert!(
            read(&Context::host(), &mut huge.as_slice(), Some(length))
                .err()
                .unwrap()
                .to_string()
                .contains("ends after 0 of")
        );
        bytes[8] = 0xff;
        bytes[9] = 0xff;
        assert!(read(&Context::host(), &mut bytes.as_slice(), None).is_err());
    }
}
