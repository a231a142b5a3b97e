//! Many entries at a time: a block of whole lines is cut into parts, which threads parse side by side.
//!
//! Lines as programs write them are parsed in one go. What is unusual about a line is left to the reader of single
//! lines; where anything is wrong, the block is left to it too, which knows what to say.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::header::Header;
use super::number::POWERS_OF_TEN;
use super::read::{Value, coordinate, fits_symmetry};
use crate::threads;

/// Entries in their order.
pub(super) struct Entries<V> {
    pub(super) rows: Vec<usize>,
    pub(super) columns: Vec<usize>,
    pub(super) values: Vec<V>,
    /// The lines that they are on, and those between them.
    pub(super) lines: u64,
}

/// Bytes that are worth waking a thread for; fuzzers' files are small.
const PART: usize = if cfg!(fuzzing) { 64 } else { 128 << 10 };

/// Lists that are used again, as memory that is new to the process costs as much as filling it.
pub(super) struct Spare<V>(Mutex<Vec<Entries<V>>>);

impl<V> Spare<V> {
    pub(super) const fn new() -> Self {
        Spare(Mutex::new(Vec::new()))
    }

    /// An empty list.
    fn take(&self) -> Entries<V> {
        let list = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        list.unwrap_or_else(|| Entries { rows: Vec::new(), columns: Vec::new(), values: Vec::new(), lines: 0 })
    }

    /// Takes back a list that has been emptied.
    pub(super) fn give(&self, list: Entries<V>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Entries { lines: 0, ..list });
    }
}

/// The entries of a block of whole lines, in parts; `None` where a line is not an entry of the matrix. What is to be
/// done `meanwhile` is done by this thread, before it takes its share of the parts.
pub(super) fn parse<V: Value>(
    block: &[u8],
    header: &Header,
    spare: &Spare<V>,
    meanwhile: impl FnOnce(),
) -> Option<Vec<Entries<V>>> {
    let parts = cut(block, (block.len() / PART).max(1));
    let parsed: Vec<OnceLock<Option<Entries<V>>>> = parts.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let (Some(part), Some(parsed)) = (parts.get(index), parsed.get(index)) else { return };
            parsed.get_or_init(|| parse_part(part, header, spare.take()));
        }
    };
    match threads::available() {
        1 => {
            meanwhile();
            work();
        }
        threads => rayon::in_place_scope(|scope| {
            (1..threads).for_each(|_| scope.spawn(|_| work()));
            meanwhile();
            work();
        }),
    }
    parsed.into_iter().map(|entries| entries.into_inner().flatten()).collect()
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

fn parse_part<V: Value>(part: &[u8], header: &Header, mut entries: Entries<V>) -> Option<Entries<V>> {
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

/// 1 to 10^8.
const WHOLE_POWERS_OF_TEN: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// The number that the digits at the beginning of eight bytes are, and how many there are: all bytes at a time, as in
/// Lemire, *Number parsing at a gigabyte per second* (2021).
#[inline(always)]
fn leading_digits(bytes: [u8; 8]) -> (u64, usize) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(bytes);
    // The highest bit of a byte that is no digit, exact up to the first such byte.
    let others = (word.wrapping_add(0x46 * ONES) | word.wrapping_sub(0x30 * ONES)) & (0x80 * ONES);
    let count = others.trailing_zeros() as usize / 8;
    if count == 0 {
        return (0, 0);
    }
    // Behind zeros instead of before what follows; then pairs of digits, pairs of pairs and both halves.
    let digits = word.wrapping_sub(0x30 * ONES) << (64 - 8 * count);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let first = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(100 + (1_000_000 << 32));
    let second = (pairs >> 16 & 0x0000_00ff_0000_00ff).wrapping_mul(1 + (10_000 << 32));
    (first.wrapping_add(second) >> 32, count)
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
        while let Some(eight) = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
            let (more, count) = leading_digits(*eight);
            number = number.wrapping_mul(WHOLE_POWERS_OF_TEN[count]).wrapping_add(more);
            self.at += count;
            if count < 8 {
                return (number, self.at - start);
            }
        }
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

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn digits_are_read_up_to_the_first_other_byte() {
        for count in 0..=8 {
            for other in (0..=u8::MAX).filter(|byte| !byte.is_ascii_digit()) {
                let mut bytes = *b"90817263";
                bytes[count..].fill(other);
                let expected = bytes[..count].iter().fold(0, |number, digit| 10 * number + u64::from(digit - b'0'));
                assert_eq!(leading_digits(bytes), (expected, count), "{bytes:?}");
            }
        }
    }
}
