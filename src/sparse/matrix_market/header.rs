//! The banner and the line of sizes.

use std::io::Read;

use super::lines::Lines;
use super::number::{Words, natural, shown};
use super::{Field, Format, MatrixMarketError, Symmetry, array_entries};

/// Header of a Matrix Market file: format, field, symmetry and sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// How entries are listed.
    pub format: Format,
    /// Type of the entries.
    pub field: Field,
    /// Which entries are listed.
    pub symmetry: Symmetry,
    /// Rows of the matrix.
    pub rows: usize,
    /// Columns of the matrix.
    pub columns: usize,
    /// Entries listed.
    pub entries: usize,
}

impl Header {
    /// Reads the banner, comments and sizes.
    pub(super) fn read<R: Read>(lines: &mut Lines<R>) -> Result<Header, MatrixMarketError> {
        let banner = match lines.next_line()? {
            Some(line) => banner(line),
            None => Err("the file is empty: it should begin with %%MatrixMarket".into()),
        };
        let (format, field, symmetry) = banner.map_err(|reason| MatrixMarketError::new(1, reason))?;
        if !lines.advance()? {
            return Err(MatrixMarketError::new(lines.number(), "the file ends before the line of sizes"));
        }
        let header = sizes(lines.content(), format, field, symmetry);
        header.map_err(|reason| MatrixMarketError::new(lines.number(), reason))
    }
}

fn banner(line: &[u8]) -> Result<(Format, Field, Symmetry), String> {
    // A byte order mark, as some editors put it.
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let words: Vec<&[u8]> = Words::new(line).take(6).collect();
    if !words.first().is_some_and(|word| word.eq_ignore_ascii_case(b"%%MatrixMarket")) {
        return Err("not a Matrix Market file: the first line should begin with %%MatrixMarket".into());
    }
    let &[_, object, format, field, symmetry] = &words[..] else {
        let expected = "'%%MatrixMarket matrix FORMAT FIELD SYMMETRY'";
        return Err(format!("the banner should have five words, {expected}, and has {}", words.len()));
    };
    if !object.eq_ignore_ascii_case(b"matrix") {
        return Err(format!("the object {} is not known: only 'matrix' is", shown(object)));
    }
    let format = known("format", format, Format::ALL, Format::word)?;
    let field = match field.to_ascii_lowercase().as_slice() {
        b"double" => Field::Real,
        b"unsigned-integer" => Field::Integer,
        _ => known("field", field, Field::ALL, Field::word)?,
    };
    let symmetry = known("symmetry", symmetry, Symmetry::ALL, Symmetry::word)?;
    match (format, field, symmetry) {
        (Format::Array, Field::Pattern, _) => Err("an array lists every entry: it cannot be a pattern".into()),
        (_, Field::Pattern, Symmetry::SkewSymmetric | Symmetry::Hermitian) => {
            Err(format!("a pattern has no values: it cannot be {}", symmetry.word()))
        }
        (_, Field::Real | Field::Integer, Symmetry::Hermitian) => {
            Err(format!("a Hermitian matrix is complex, and the field is {}", field.word()))
        }
        sound => Ok(sound),
    }
}

fn known<T: Copy>(what: &str, word: &[u8], all: &[T], name: impl Fn(T) -> &'static str) -> Result<T, String> {
    all.iter().copied().find(|value| word.eq_ignore_ascii_case(name(*value).as_bytes())).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|value| name(*value)).collect();
        format!("the {what} {} is not known: it may be {}", shown(word), names.join(", "))
    })
}

fn sizes(line: &[u8], format: Format, field: Field, symmetry: Symmetry) -> Result<Header, String> {
    let expected = match format {
        Format::Coordinate => "ROWS COLUMNS ENTRIES",
        Format::Array => "ROWS COLUMNS",
    };
    let words: Vec<&[u8]> = Words::new(line).take(4).collect();
    if words.len() != expected.split(' ').count() {
        return Err(format!("the sizes should be '{expected}', and are {}", shown(line)));
    }
    let (rows, columns) = (natural(words[0])?, natural(words[1])?);
    if symmetry != Symmetry::General && rows != columns {
        return Err(format!("a {} matrix is square, and this one is {rows} by {columns}", symmetry.word()));
    }
    let entries = match words.get(2) {
        Some(entries) => natural(entries)?,
        None => array_entries(rows, columns, symmetry)
            .ok_or_else(|| format!("an array of {rows} by {columns} entries is too large for this machine"))?,
    };
    if entries > 0 && (rows == 0 || columns == 0) {
        return Err(format!("a matrix of {rows} by {columns} has no entries, and {entries} are announced"));
    }
    Ok(Header { format, field, symmetry, rows, columns, entries })
}
