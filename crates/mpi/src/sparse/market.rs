//! Matrix Market files, of which each rank reads its part.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use affinimath::Scalar;
use affinimath::sparse::matrix_market::{self, Coordinates, Symmetry, Values};

use super::csr::DistCsr;
use super::vector::Partition;
use crate::agree::Agreement;
use crate::error::{Error, Result};
use crate::grid::Grid;

/// The first bytes of a file that gzip has compressed.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Beginning of a file, which rank 0 reads for all.
struct Head {
    /// The banner.
    banner: String,
    rows: usize,
    columns: usize,
    entries: usize,
    /// Bytes before the first entry, and lines.
    start: u64,
    lines: u64,
    size: u64,
}

impl<T: Scalar> DistCsr<T> {
    /// Reads a matrix in the coordinate format. Each rank reads and parses its part of the file, which all must see.
    /// Entries then go to the ranks of their rows. Rows and columns are in even partitions. Symmetric, skew-symmetric
    /// and Hermitian matrices are stored in full. Entries of one place add up.
    ///
    /// # Errors
    /// An error of all ranks, with the line and the rule, for a file that is not as the format demands; for the array
    /// format, a compressed file, and a complex one that is read as real.
    pub fn read_matrix_market(grid: &Grid, path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        grid.agree(Agreement::new("read_matrix_market").integer("type", T::KIND as i64), Ok(()))?;
        let head = if grid.rank() == 0 { read_head(path) } else { Ok(None) };
        let agreed = head.as_ref().map(drop).map_err(Clone::clone);
        grid.agree(Agreement::new("read_matrix_market"), agreed)?;
        let head = grid.together(|| share(grid, head?))?;
        let (rows, columns) = (Partition::even(grid, head.rows), Partition::even(grid, head.columns));
        let part = read_part(grid, path, &head);
        let (lines, count) = part.as_ref().map_or((0, 0), |(text, count)| (count_lines(text), *count));
        let counts = grid.together(|| grid.all().gather_all(vec![lines as i64, count as i64]))?;
        let all: i64 = counts.chunks_exact(2).map(|pair| pair[1]).sum();
        let before: i64 = counts.chunks_exact(2).take(grid.rank()).map(|pair| pair[0]).sum();
        let entries = part.and_then(|(text, count)| {
            if all as usize != head.entries {
                let (found, promised) = (all, head.entries);
                let rule = format!("the file has {found} entries, and its size line promises {promised}");
                return Err(Error::argument("file", rule));
            }
            parse(&head, &text, count, head.lines + before as u64).and_then(elements)
        });
        let agreed = entries.as_ref().map(drop).map_err(Clone::clone);
        grid.agree(Agreement::new("read_matrix_market"), agreed)?;
        Self::from_entries(grid, &rows, &columns, &entries?)
    }
}

/// Reads up to the size line.
fn read_head(path: &Path) -> Result<Option<Head>> {
    let failed = |error: io::Error| Error::Local(format!("'{}': {error}", path.display()));
    let file = File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    let mut file = BufReader::new(file);
    if file.fill_buf().map_err(failed)?.starts_with(&GZIP) {
        return Err(Error::argument("file", "it is compressed: ranks can read parts of a plain file only"));
    }
    let (mut banner, mut start, mut lines) = (String::new(), 0, 0);
    loop {
        let mut line = String::new();
        let length = file.read_line(&mut line).map_err(failed)?;
        (start, lines) = (start + length as u64, lines + 1);
        let content = line.trim();
        if length > 0 && lines > 1 && (content.is_empty() || content.starts_with('%')) {
            continue;
        }
        if lines == 1 {
            banner = line;
            if length > 0 {
                continue;
            }
        } else {
            // The reader of whole files checks banner and sizes, and says what is wrong.
            let text = format!("{}\n{}\n", banner.trim_end(), content);
            let header = matrix_market::Reader::new(text.as_bytes()).map_err(|error| file_error(&error, lines - 2))?;
            let header = *header.header();
            if header.format != matrix_market::Format::Coordinate {
                return Err(Error::argument("file", "it is in the array format, and a sparse matrix is read"));
            }
            let (rows, columns, entries) = (header.rows, header.columns, header.entries);
            return Ok(Some(Head { banner, rows, columns, entries, start, lines, size }));
        }
        matrix_market::Reader::new(banner.as_bytes()).map_err(|error| file_error(&error, 0))?;
        return Err(Error::argument("file", "it ends before its size line"));
    }
}

/// An error of the reader, whose lines begin `before` lines into the file.
fn file_error(error: &matrix_market::MatrixMarketError, before: u64) -> Error {
    Error::argument("file", format!("line {}: {}", error.line + before, error.reason))
}

/// Gives all ranks what rank 0 has read.
fn share(grid: &Grid, head: Option<Head>) -> Result<Head> {
    let comm = grid.all();
    let banner = comm.broadcast_text(0, head.as_ref().map_or("", |head| &head.banner))?;
    let numbers = head.map_or([0; 6], |head| {
        let sizes = [head.rows, head.columns, head.entries].map(|size| size as i64);
        [sizes[0], sizes[1], sizes[2], head.start as i64, head.lines as i64, head.size as i64]
    });
    let numbers = comm.broadcast(0, numbers.to_vec())?;
    let [rows, columns, entries] = [0, 1, 2].map(|index| numbers[index] as usize);
    let [start, lines, size] = [3, 4, 5].map(|index| numbers[index] as u64);
    Ok(Head { banner, rows, columns, entries, start, lines, size })
}

/// This rank's lines: those that begin in its share of the bytes after the head. The count is that of entries.
fn read_part(grid: &Grid, path: &Path, head: &Head) -> Result<(Vec<u8>, usize)> {
    let failed = |error: io::Error| Error::Local(format!("'{}': {error}", path.display()));
    let length = u128::from(head.size.saturating_sub(head.start));
    let bound = |rank: usize| head.start + (length * rank as u128 / grid.size() as u128) as u64;
    let (begin, end) = (bound(grid.rank()), bound(grid.rank() + 1));
    let mut file = BufReader::new(File::open(path).map_err(failed)?);
    // A line that begins before the share is the rank's before: also one that ends exactly there has its end before.
    let from = if begin > head.start { begin - 1 } else { begin };
    file.seek(SeekFrom::Start(from)).map_err(failed)?;
    if begin > head.start {
        let mut rest = Vec::new();
        file.read_until(b'\n', &mut rest).map_err(failed)?;
    }
    let position = file.stream_position().map_err(failed)?;
    let mut text = Vec::new();
    if position < end {
        (&mut file).take(end - position).read_to_end(&mut text).map_err(failed)?;
        if text.last() != Some(&b'\n') {
            file.read_until(b'\n', &mut text).map_err(failed)?;
        }
    }
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let count = lines.filter(|line| !line.is_empty() && line[0] != b'%').count();
    Ok((text, count))
}

fn count_lines(text: &[u8]) -> u64 {
    text.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Parses lines as a file of their own, with the same banner and as many entries as there are.
fn parse(head: &Head, text: &[u8], count: usize, before: u64) -> Result<Coordinates> {
    let sizes = format!("{}\n{} {} {count}\n", head.banner.trim_end(), head.rows, head.columns);
    // The head has two lines here.
    matrix_market::read(sizes.as_bytes().chain(text)).map_err(|error| file_error(&error, before.saturating_sub(2)))
}

/// Entries with their mirror images.
fn elements<T: Scalar>(file: Coordinates) -> Result<Vec<(usize, usize, T)>> {
    let value = |entry: usize| match &file.values {
        Values::Real(values) => Ok(T::from_parts(values[entry], 0.0)),
        Values::Complex(values) if T::KIND.is_complex() => Ok(T::from_parts(values[entry].re, values[entry].im)),
        Values::Complex(_) => Err(Error::argument("file", "it is complex, and a real matrix was asked for")),
        Values::Pattern => Ok(T::ONE),
    };
    let mut entries = Vec::with_capacity(file.row_indices.len());
    for (entry, (row, column)) in file.row_indices.iter().zip(&file.col_indices).enumerate() {
        let value: T = value(entry)?;
        entries.push((*row, *column, value));
        let mirrored = match file.symmetry {
            Symmetry::General => continue,
            Symmetry::Symmetric => value,
            Symmetry::SkewSymmetric => -value,
            Symmetry::Hermitian => value.conjugate(),
        };
        if row != column {
            entries.push((*column, *row, mirrored));
        }
    }
    Ok(entries)
}
