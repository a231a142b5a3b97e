//! The entries.

use std::io::Read;

use super::block::{self, Cursor, Entries, Spare};
use super::lines::{Block, Lines};
use super::number::{Words, integer, natural, real, shown};
use super::source::Source;
use super::{Coordinates, Field, Format, Header, MatrixMarketError, Symmetry, Values, array_rows};
use crate::Complex64;

/// Reads a matrix.
///
/// # Errors
/// An invalid file is refused, with the line and the reason.
pub fn read(source: impl Read) -> Result<Coordinates, MatrixMarketError> {
    Reader::new(source)?.read()
}

/// A file whose header has been read: what is to come is known before memory is spent on it.
pub struct Reader<R> {
    lines: Lines<Source<R>>,
    header: Header,
}

impl<R: Read> Reader<R> {
    /// Reads the header. The reader has a buffer of its own: the source needs none.
    ///
    /// # Errors
    /// A missing or invalid header is refused.
    pub fn new(source: R) -> Result<Self, MatrixMarketError> {
        let mut lines = Lines::new(Source::new(source));
        let header = Header::read(&mut lines)?;
        Ok(Reader { lines, header })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Reads the entries.
    ///
    /// # Errors
    /// An entry that contradicts the header is refused, and so is a wrong number of entries.
    pub fn read(mut self) -> Result<Coordinates, MatrixMarketError> {
        let Header { format, field, symmetry, rows, columns, .. } = self.header;
        let mut row_indices = Vec::new();
        let mut col_indices = Vec::new();
        let values = match (format, field) {
            (Format::Coordinate, Field::Pattern) => {
                self.coordinates::<()>(&mut row_indices, &mut col_indices)?;
                Values::Pattern
            }
            (Format::Coordinate, Field::Complex) => {
                Values::Complex(self.coordinates(&mut row_indices, &mut col_indices)?)
            }
            (Format::Coordinate, Field::Real | Field::Integer) => {
                Values::Real(self.coordinates(&mut row_indices, &mut col_indices)?)
            }
            (Format::Array, Field::Complex) => Values::Complex(self.array(complex_value)?),
            (Format::Array, Field::Integer) => Values::Real(self.array(integer_value)?),
            (Format::Array, Field::Real | Field::Pattern) => Values::Real(self.array(real_value)?),
        };
        self.expect_end()?;
        Ok(Coordinates { rows, columns, row_indices, col_indices, values, field, symmetry, format })
    }

    fn coordinates<V: Value>(
        &mut self,
        row_indices: &mut Vec<usize>,
        col_indices: &mut Vec<usize>,
    ) -> Result<Vec<V>, MatrixMarketError> {
        let header = self.header;
        let mut values = Vec::new();
        let (mut block, spare) = (self.lines.block(Block::none())?, Spare::new());
        while !block.bytes().is_empty() {
            // The next block is read, or inflated, while threads parse this one.
            let parts = block::parse(block.bytes(), &header, &spare, || self.lines.read_ahead());
            let left = header.entries - values.len();
            let fits = |parts: &Vec<Entries<V>>| parts.iter().map(|part| part.values.len()).sum::<usize>() <= left;
            #[cfg(fuzzing)]
            let parts = parts.filter(|_| !BY_LINES.load(std::sync::atomic::Ordering::Relaxed));
            let Some(parts) = parts.filter(fits) else {
                self.lines.put_back(&block);
                break;
            };
            self.lines.passed(parts.iter().map(|part| part.lines).sum());
            for mut part in parts {
                let room = append(row_indices, &mut part.rows, header.entries)
                    .and_then(|()| append(col_indices, &mut part.columns, header.entries))
                    .and_then(|()| append(&mut values, &mut part.values, header.entries));
                room.map_err(|reason| self.error(reason))?;
                spare.give(part);
            }
            block = self.lines.block(block)?;
        }
        for entry in values.len()..header.entries {
            let line = self.next_entry(entry)?;
            let parsed = coordinate(line, &header);
            let (row, column, value) = parsed.map_err(|reason| self.error(reason))?;
            let room = push(row_indices, row, header.entries)
                .and_then(|()| push(col_indices, column, header.entries))
                .and_then(|()| push(&mut values, value, header.entries));
            room.map_err(|reason| self.error(reason))?;
        }
        Ok(values)
    }

    fn array<V: Value>(
        &mut self,
        value: impl Fn(&mut Words<'_>) -> Result<V, String>,
    ) -> Result<Vec<V>, MatrixMarketError> {
        let header = self.header;
        let mut values = Vec::new();
        // A matrix without rows may have more columns than anyone can count.
        let columns = if header.entries == 0 { 0 } else { header.columns };
        for column in 0..columns {
            for row in array_rows(header.rows, column, header.symmetry) {
                let line = self.next_entry(values.len())?;
                let parsed = single(line, &value).and_then(|value| fits_symmetry(row, column, value, header.symmetry));
                let pushed = parsed.and_then(|value| push(&mut values, value, header.entries));
                pushed.map_err(|reason| self.error(reason))?;
            }
        }
        Ok(values)
    }

    /// The line of the next entry, after so many.
    fn next_entry(&mut self, read: usize) -> Result<&[u8], MatrixMarketError> {
        if !self.lines.advance()? {
            let announced = self.header.entries;
            return Err(self.error(format!("the file ends after {read} entries, and {announced} are announced")));
        }
        Ok(self.lines.content())
    }

    fn expect_end(&mut self) -> Result<(), MatrixMarketError> {
        if self.lines.advance()? {
            let (announced, more) = (self.header.entries, shown(self.lines.content()));
            return Err(self.error(format!("more entries than the {announced} announced: {more}")));
        }
        Ok(())
    }

    #[cold]
    fn error(&self, reason: String) -> MatrixMarketError {
        MatrixMarketError::new(self.lines.number(), reason)
    }
}

fn real_value(words: &mut Words<'_>) -> Result<f64, String> {
    real(words.expect("the value")?)
}

fn integer_value(words: &mut Words<'_>) -> Result<f64, String> {
    integer(words.expect("the value")?)
}

fn complex_value(words: &mut Words<'_>) -> Result<Complex64, String> {
    let re = real(words.expect("the real part")?)?;
    Ok(Complex64::new(re, real(words.expect("the imaginary part")?)?))
}

fn single<V>(line: &[u8], value: impl Fn(&mut Words<'_>) -> Result<V, String>) -> Result<V, String> {
    let mut words = Words::new(line);
    let value = value(&mut words)?;
    words.expect_end()?;
    Ok(value)
}

/// The entry of a line.
pub(super) fn coordinate<V: Value>(line: &[u8], header: &Header) -> Result<(usize, usize, V), String> {
    let mut words = Words::new(line);
    let row = index(words.expect("the row")?, header.rows, "row")?;
    let column = index(words.expect("the column")?, header.columns, "column")?;
    let value = V::parse(&mut words, header)?;
    words.expect_end()?;
    Ok((row, column, fits_symmetry(row, column, value, header.symmetry)?))
}

/// An index from 1 in the file, from 0 here.
fn index(word: &[u8], count: usize, what: &str) -> Result<usize, String> {
    match natural(word)? {
        0 => Err(format!("{what} 0: indices begin with 1")),
        index if index > count => Err(format!("{what} {index} of a matrix with {count} {what}s")),
        index => Ok(index - 1),
    }
}

/// An entry's value: how it is read, and what it must be for the symmetry's sake.
pub(super) trait Value: Copy + Send + Sync {
    /// From the words of a line.
    fn parse(words: &mut Words<'_>, header: &Header) -> Result<Self, String>;
    /// With the blanks before it, where it is as programs write it.
    fn quick(cursor: &mut Cursor<'_>, header: &Header) -> Option<Self>;

    fn is_zero(self) -> bool;
    fn is_real(self) -> bool;
}

impl Value for () {
    fn parse(_: &mut Words<'_>, _: &Header) -> Result<Self, String> {
        Ok(())
    }
    #[inline(always)]
    fn quick(_: &mut Cursor<'_>, _: &Header) -> Option<Self> {
        Some(())
    }
    fn is_zero(self) -> bool {
        false
    }
    fn is_real(self) -> bool {
        true
    }
}

impl Value for f64 {
    fn parse(words: &mut Words<'_>, header: &Header) -> Result<Self, String> {
        if header.field == Field::Integer { integer_value(words) } else { real_value(words) }
    }
    #[inline(always)]
    fn quick(cursor: &mut Cursor<'_>, header: &Header) -> Option<Self> {
        cursor.blanks()?;
        cursor.number(header.field == Field::Integer)
    }
    fn is_zero(self) -> bool {
        self == 0.0
    }
    fn is_real(self) -> bool {
        true
    }
}

impl Value for Complex64 {
    fn parse(words: &mut Words<'_>, _: &Header) -> Result<Self, String> {
        complex_value(words)
    }
    #[inline(always)]
    fn quick(cursor: &mut Cursor<'_>, _: &Header) -> Option<Self> {
        cursor.blanks()?;
        let re = cursor.number(false)?;
        cursor.blanks()?;
        Some(Complex64::new(re, cursor.number(false)?))
    }
    fn is_zero(self) -> bool {
        self == Complex64::ZERO
    }
    fn is_real(self) -> bool {
        self.im == 0.0
    }
}

pub(super) fn fits_symmetry<V: Value>(row: usize, column: usize, value: V, symmetry: Symmetry) -> Result<V, String> {
    if symmetry == Symmetry::General || row > column {
        return Ok(value);
    }
    let (word, row, column, above) = (symmetry.word(), row + 1, column + 1, row < column);
    if above {
        return Err(format!(
            "entry ({row}, {column}) is above the diagonal: a {word} matrix is stored by its lower triangle"
        ));
    }
    match symmetry {
        Symmetry::SkewSymmetric if !value.is_zero() => {
            Err(format!("entry ({row}, {row}) is on the diagonal, which is zero in a skew-symmetric matrix"))
        }
        Symmetry::Hermitian if !value.is_real() => {
            Err(format!("entry ({row}, {row}) has an imaginary part, and a Hermitian matrix's diagonal is real"))
        }
        _ => Ok(value),
    }
}

/// Entries for which memory is taken before they are seen: what a header announces may be a lie.
const TRUSTED_ENTRIES: usize = if cfg!(fuzzing) { 64 } else { 1 << 20 };

fn append<V>(values: &mut Vec<V>, more: &mut Vec<V>, announced: usize) -> Result<(), String> {
    if values.capacity() - values.len() < more.len() {
        let room = (2 * values.len()).max(announced.min(TRUSTED_ENTRIES)).max(more.len()).min(announced - values.len());
        let room = values.try_reserve_exact(room.max(more.len()));
        room.map_err(|_| format!("no memory for more than {} of {announced} entries", values.len()))?;
    }
    values.append(more);
    Ok(())
}

fn push<V>(values: &mut Vec<V>, value: V, announced: usize) -> Result<(), String> {
    if values.len() == values.capacity() {
        let more = values.len().max(announced.min(TRUSTED_ENTRIES)).min(announced - values.len());
        let room = values.try_reserve_exact(more);
        room.map_err(|_| format!("no memory for more than {} of {announced} entries", values.len()))?;
    }
    values.push(value);
    Ok(())
}

/// True if files are read line by line, and never by blocks.
#[cfg(fuzzing)]
static BY_LINES: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// Has files read line by line from now on, or not.
#[cfg(fuzzing)]
pub fn set_by_lines(by_lines: bool) {
    BY_LINES.store(by_lines, std::sync::atomic::Ordering::Relaxed);
}
