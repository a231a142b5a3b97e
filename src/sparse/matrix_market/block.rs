//! Many entries at a time: a block of whole lines is cut into parts, which threads parse side by side.
//!
//! Lines as programs write them are parsed in one go. What is unusual about a line is left to the reader of single lines; where
//! anything is wrong, the block is left to it too, which knows what to say.

use rayon::prelude::*;

use super::header::Header;
use super::number::POWERS_OF_TEN;
use super::read::{Value, coordinate, fits_symmetry};
use crate::fork;

/// Entries in their order.
pub(super) struct Entries<V> {
    pub(super) rows: Vec<usize>,
    pub(super) columns: Vec<usize>,
    pub(super) values: Vec<V>,
    /// The lines that they are on, and those between them.
    pub(super) lines: u64,
}

/// Bytes that are worth waking a thread for.
const PART: usize = 256 << 10;

/// The entries of a block of whole lines, in parts; `None` where a line is not an entry of the matrix.
pub(super) fn parse<V: Value>(block: &[u8], header: &Header) -> Option<Vec<Entries<V>>> {
    fork::watch();
    let threads = if fork::forked() { 1 } else { rayon::current_num_threads() };
    let parts = cut(block, (block.len() / PART).clamp(1, 2 * threads));
    if threads == 1 || parts.len() == 1 {
        return parts.into_iter().map(|part| parse_part(part, header)).collect();
    }
    parts.into_par_iter().map(|part| parse_part(part, header)).collect()
}

/// Cuts a block into about so many parts of whole lines.
fn cut(block: &[u8], count: usize) -> Vec<&[u8]> {
    let mut parts = Vec::with_capacity(count);
    let mut rest = block;
    for left in (1..=count).rev() {
        let about = rest.len() / left;
        let end = match rest[about..].iter().position(|byte| *byte == b'\n') {
            Some(more) if left > 1 => about + more + 1,
            _ => rest.len(),
        };
        let (part, after) = rest.split_at(end);
        parts.push(part);
        rest = after;
    }
    parts
}

fn parse_part<V: Value>(part: &[u8], header: &Header) -> Option<Entries<V>> {
    let expected = part.len() / 16;
    let [rows, columns] = [(); 2].map(|()| Vec::with_capacity(expected));
    let mut entries = Entries { rows, columns, values: Vec::with_capacity(expected), lines: 0 };
    let mut cursor = Cursor { bytes: part, at: 0 };
    while cursor.at < part.len() {
        let start = cursor.at;
        let entry = match cursor.entry(header) {
            Some(entry) => Some(entry),
            None => {
                let rest = &part[start..];
                let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                cursor.at = (start + length + 1).min(part.len());
                let line = rest[..length].trim_ascii();
                let skipped = line.is_empty() || line[0] == b'%';
                if skipped { None } else { Some(coordinate::<V>(line, header).ok()?) }
            }
        };
        entries.lines += 1;
        if let Some((row, column, value)) = entry {
            entries.rows.push(row);
            entries.columns.push(column);
            entries.values.push(value);
        }
    }
    Some(entries)
}

/// A place in lines of entries.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    /// The entry that a line consists of, and then the place after the line.
    #[inline(always)]
    fn entry<V: Value>(&mut self, header: &Header) -> Option<(usize, usize, V)> {
        let row = self.index(header.rows)?;
        self.blanks()?;
        let column = self.index(header.columns)?;
        let value = V::quick(self, header)?;
        while matches!(self.peek(), b' ' | b'\t' | b'\r') {
            self.at += 1;
        }
        if self.peek() != b'\n' {
            return None;
        }
        self.at += 1;
        Some((row, column, fits_symmetry(row, column, value, header.symmetry).ok()?))
    }

    #[inline(always)]
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    /// At least one blank.
    #[inline(always)]
    pub(super) fn blanks(&mut self) -> Option<()> {
        let start = self.at;
        while matches!(self.peek(), b' ' | b'\t') {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    /// An index of up to 18 digits, from 1 in the file and from 0 here.
    #[inline(always)]
    fn index(&mut self, count: usize) -> Option<usize> {
        let (value, digits) = self.digits(0);
        let value = value as usize;
        ((1..=18).contains(&digits) && value >= 1 && value <= count).then(|| value - 1)
    }

    /// Digits behind those of a number, and how many there are. Of more than 19 the number is wrong.
    #[inline(always)]
    fn digits(&mut self, mut number: u64) -> (u64, usize) {
        let start = self.at;
        loop {
            let digit = self.peek().wrapping_sub(b'0');
            if digit > 9 {
                return (number, self.at - start);
            }
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
            self.at += 1;
        }
    }

    /// A decimal number; `whole` allows neither a point nor an exponent.
    #[inline(always)]
    pub(super) fn number(&mut self, whole: bool) -> Option<f64> {
        let start = self.at;
        let negative = self.peek() == b'-';
        self.at += usize::from(negative || self.peek() == b'+');
        let (mut mantissa, mut digits) = self.digits(0);
        let mut exponent = 0;
        if !whole {
            if self.peek() == b'.' {
                self.at += 1;
                let (more, places) = self.digits(mantissa);
                (mantissa, digits, exponent) = (more, digits + places, -(places as i64));
            }
            if matches!(self.peek(), b'e' | b'E') {
                self.at += 1;
                let down = self.peek() == b'-';
                self.at += usize::from(down || self.peek() == b'+');
                let (size, places) = self.digits(0);
                if !(1..=4).contains(&places) {
                    return None;
                }
                exponent += if down { -(size as i64) } else { size as i64 };
            }
        }
        if digits == 0 {
            return None;
        }
        // Exact in doubles, both of them: the one rounding is that of the product or quotient (Clinger, 1990).
        if digits <= 19 && mantissa <= 1 << 53 && exponent.unsigned_abs() < POWERS_OF_TEN.len() as u64 {
            let power = POWERS_OF_TEN[exponent.unsigned_abs() as usize];
            let size = if exponent < 0 { mantissa as f64 / power } else { mantissa as f64 * power };
            return Some(if negative { -size } else { size });
        }
        let value: f64 = std::str::from_utf8(&self.bytes[start..self.at]).ok()?.parse().ok()?;
        value.is_finite().then_some(value)
    }
}
