//! The results of a text: printed, as JSON, and written to files.

use std::fs::File;
use std::io::{BufWriter, Error, Write};
use std::path::PathBuf;

use affinimath::array::{AnyArray, Element, ElementType};
use affinimath::{Complex32, Complex64};
use affinimath_bench::Failure;
use affinimath_bench::replace::{replace, sync};
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::input::is_name;
use super::npy;

/// A result with the name that the text assigns it to.
pub type Output = (Option<String>, AnyArray);

/// A `--out` of the command line.
#[derive(Debug, PartialEq)]
pub struct Sink {
    pub name: Option<String>,
    pub path: PathBuf,
}

impl Sink {
    /// The parts of `[NAME=]FILE`.
    pub fn parse(given: &str) -> Self {
        match given.split_once('=') {
            Some((name, file)) if is_name(name) => Sink { name: Some(name.to_owned()), path: file.into() },
            _ => Sink { name: None, path: given.into() },
        }
    }

    /// True of an archive of several arrays.
    fn is_archive(&self) -> bool {
        self.path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npz"))
    }

    /// The results that it gets, with their keys in an archive.
    pub fn chosen<'a>(&self, outputs: &'a [Output]) -> Result<Vec<(String, &'a AnyArray)>, Failure> {
        let path = self.path.display();
        let named = |name: &str| outputs.iter().find(|(other, _)| other.as_deref() == Some(name));
        match &self.name {
            Some(name) => match named(name) {
                Some((_, array)) => Ok(vec![(name.clone(), array)]),
                None => Err(Failure(format!("{path}: the text assigns no {name}"))),
            },
            None if self.is_archive() => Ok(keys(outputs)),
            None => Ok(value_of(outputs).map(|array| ("value".to_owned(), array)).into_iter().collect()),
        }
    }

    /// Writes the results. A file that is there already is replaced once the new one is complete.
    pub fn write(&self, chosen: &[(String, &AnyArray)]) -> Result<(), Failure> {
        let written = replace(&self.path, |file| match self.is_archive() {
            true => write_archive(file, chosen),
            false => write_arrays(file, chosen),
        });
        written.map_err(|error| Failure::file("cannot write", &self.path, error))
    }
}

fn write_arrays(file: File, chosen: &[(String, &AnyArray)]) -> std::io::Result<()> {
    let mut file = BufWriter::new(file);
    chosen.iter().try_for_each(|(_, array)| write_array(&mut file, array))?;
    sync(&file.into_inner()?)
}

fn write_archive(file: File, chosen: &[(String, &AnyArray)]) -> std::io::Result<()> {
    let mut archive = ZipWriter::new(BufWriter::new(file));
    for (key, array) in chosen {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        // Members of 4 GiB and more, with their header, need sizes of 64 bits.
        let bytes = array.shape().len() as u64 * array.element().bytes() as u64 + (1 << 16);
        let options = options.large_file(bytes > u32::MAX.into());
        archive.start_file(format!("{key}.npy"), options)?;
        write_array(&mut archive, array)?;
    }
    sync(&archive.finish()?.into_inner()?)
}

/// The text's value: that of its last statement without a name, else the last one that is assigned.
pub fn value_of(outputs: &[Output]) -> Option<&AnyArray> {
    let unnamed = outputs.iter().rfind(|(name, _)| name.is_none());
    unnamed.or_else(|| outputs.last()).map(|(_, array)| array)
}

/// The results with keys as NumPy's `savez` gives them: names, and `arr_0` and so on for those without one.
fn keys(outputs: &[Output]) -> Vec<(String, &AnyArray)> {
    let mut unnamed = 0..;
    let mut next = || format!("arr_{}", unnamed.next().unwrap_or(0));
    outputs.iter().map(|(name, array)| (name.clone().unwrap_or_else(&mut next), array)).collect()
}

/// The results that are printed: those without names, or all of a text without such.
pub fn printed(outputs: &[Output]) -> Vec<&Output> {
    let is_unnamed = |output: &&Output| output.0.is_none();
    match outputs.iter().any(|output| output.0.is_none()) {
        true => outputs.iter().filter(is_unnamed).collect(),
        false => outputs.iter().collect(),
    }
}

/// The results as NumPy prints them, with names where there are some.
pub fn text(outputs: &[&Output]) -> Result<String, Failure> {
    let mut text = String::new();
    for (name, array) in outputs {
        let elements = array.to_text()?;
        match name {
            // The rows of a matrix stay below each other.
            Some(name) => {
                let indent = format!("\n{}", " ".repeat(name.len() + 3));
                text.push_str(&format!("{name} = {}\n", elements.replace('\n', &indent)));
            }
            None => text.push_str(&format!("{elements}\n")),
        }
    }
    Ok(text)
}

/// Gives an expression the elements of an array of any type, with the function that makes bytes of one.
macro_rules! with_elements {
    ($array:expr, |$elements:ident: $type:ident, $encode:ident| $value:expr) => {
        with_elements!(@ $array, $elements, $type, $encode, $value;
            Bool bool |x| [u8::from(x)];
            U8 u8 |x| [x];
            I32 i32 i32::to_le_bytes;
            U32 u32 u32::to_le_bytes;
            I64 i64 i64::to_le_bytes;
            F32 f32 f32::to_le_bytes;
            F64 f64 f64::to_le_bytes;
            C32 Complex32 |x| joined::<4, 8>(x.re.to_le_bytes(), x.im.to_le_bytes());
            C64 Complex64 |x| joined::<8, 16>(x.re.to_le_bytes(), x.im.to_le_bytes());
        )
    };
    (@ $array:expr, $elements:ident, $type:ident, $encode:ident, $value:expr;
        $($variant:ident $element:ident $bytes:expr;)*) => {
        match $array.element() {
            $(ElementType::$variant => {
                type $type = $element;
                let $elements = downloaded::<$type>($array)?;
                let $encode: fn($type) -> _ = $bytes;
                $value
            })*
        }
    };
}

fn joined<const PART: usize, const BOTH: usize>(re: [u8; PART], im: [u8; PART]) -> [u8; BOTH] {
    let mut both = [0; BOTH];
    both[..PART].copy_from_slice(&re);
    both[PART..].copy_from_slice(&im);
    both
}

/// The elements in row-major order, of the array's type.
fn downloaded<T: Element>(array: &AnyArray) -> affinimath::Result<Vec<T>> {
    AnyArray::evaluate_all(&[array])?;
    match array.to_expr::<T>() {
        Some(expr) => expr.to_vec(),
        None => Err(affinimath::Error::Internal(format!("elements of type {} as those of another", array.element()))),
    }
}

fn write_array(file: &mut impl Write, array: &AnyArray) -> std::io::Result<()> {
    npy::write_header(file, array.element(), array.shape().extents())?;
    written(file, array).map_err(Error::other)?
}

/// Writes the elements. The outer error is one of the evaluation.
fn written(file: &mut impl Write, array: &AnyArray) -> affinimath::Result<std::io::Result<()>> {
    Ok(with_elements!(array, |elements: T, encode| npy::write_elements::<T, _>(file, &elements, encode)))
}

/// A number in JSON, which has none that is not finite: those are texts.
trait Json: Copy {
    fn json(self) -> Value;
}

macro_rules! exact {
    ($($type:ty)*) => {
        $(impl Json for $type {
            fn json(self) -> Value {
                json!(self)
            }
        })*
    };
}
exact!(bool u8 i32 u32 i64);

macro_rules! floating {
    ($($type:ty)*) => {
        $(impl Json for $type {
            fn json(self) -> Value {
                match self {
                    x if x.is_finite() => json!(x),
                    x if x.is_nan() => json!("nan"),
                    x => json!(if x > 0.0 { "inf" } else { "-inf" }),
                }
            }
        })*
    };
}
floating!(f32 f64);

macro_rules! complex {
    ($($type:ty)*) => {
        $(impl Json for $type {
            fn json(self) -> Value {
                json!([self.re.json(), self.im.json()])
            }
        })*
    };
}
complex!(Complex32 Complex64);

/// The results as JSON: name, type, shape, and elements in nested lists; complex ones are pairs.
pub fn document(outputs: &[&Output]) -> Result<Value, Failure> {
    let result = |(name, array): &&Output| -> Result<Value, Failure> {
        let shape = array.shape();
        let elements = with_elements!(array, |elements: T, _encode| nested::<T>(&elements, shape.extents()));
        let element = npy::name(array.element());
        Ok(json!({ "name": name, "type": element, "shape": shape.extents(), "value": elements }))
    };
    Ok(json!({ "results": outputs.iter().map(result).collect::<Result<Vec<_>, _>>()? }))
}

fn nested<T: Json>(elements: &[T], extents: &[usize]) -> Value {
    match extents {
        [] => elements.first().map_or(Value::Null, |element| element.json()),
        [_] => Value::Array(elements.iter().map(|element| element.json()).collect()),
        [extent, inner @ ..] => {
            let part = inner.iter().product::<usize>();
            Value::Array((0..*extent).map(|i| nested(&elements[i * part..(i + 1) * part], inner)).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sink_has_a_name_and_a_file() {
        let sink = |name: Option<&str>, path: &str| Sink { name: name.map(str::to_owned), path: path.into() };
        assert_eq!(Sink::parse("c.npy"), sink(None, "c.npy"));
        assert_eq!(Sink::parse("c=d.npy"), sink(Some("c"), "d.npy"));
        assert_eq!(Sink::parse("./c=d.npy"), sink(None, "./c=d.npy"));
    }

    #[test]
    fn nested_lists_have_the_array_s_shape() {
        assert_eq!(nested(&[1, 2, 3, 4, 5, 6], &[2, 3]), json!([[1, 2, 3], [4, 5, 6]]));
        assert_eq!(nested::<i32>(&[], &[2, 0]), json!([[], []]));
        assert_eq!(nested(&[f64::NAN], &[]), json!("nan"));
        assert_eq!(nested(&[Complex32::new(1.0, f32::NEG_INFINITY)], &[1]), json!([[1.0, "-inf"]]));
    }
}
