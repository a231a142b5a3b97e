//! The Matrix Market reader: the same bytes as they are, in drops, line by line and compressed by gzip have to give the
//! same matrix or the same error, and a matrix that is written has to come back. The first byte says what is done.
#![no_main]

use std::io::{self, Read, Write};

use affinimath::fuzzing::set_by_lines;
use affinimath::sparse::matrix_market::{self, Coordinates, MatrixMarketError};
use flate2::Compression;
use flate2::write::GzEncoder;
use libfuzzer_sys::fuzz_target;

/// A source that gives a few bytes at a time.
struct Drops<'a>(&'a [u8], usize);

impl Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.0.len().min(self.1).min(buffer.len());
        let (now, later) = self.0.split_at(size);
        buffer[..size].copy_from_slice(now);
        self.0 = later;
        Ok(size)
    }
}

/// A matrix as text, or the error.
type Outcome = Result<Vec<u8>, MatrixMarketError>;

/// A comparable form: NaN is not equal to itself, but its text is.
fn outcome(read: Result<Coordinates, MatrixMarketError>) -> Outcome {
    read.map(|matrix| {
        let mut text = Vec::new();
        matrix_market::write(&matrix, &mut text).expect("memory can be written");
        text
    })
}

/// The same matrix or the same error. Of a damaged compressed file, what comes before the damage may already be wrong:
/// which of both is told depends on how much was read at once.
fn assert_same(packed: bool, whole: &Outcome, other: &Outcome, how: &str) {
    if !(packed && whole.is_err() && other.is_err()) {
        assert_eq!(whole, other, "{how}");
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&how, data)) = data.split_first() else { return };
    if how == 0x1f {
        // As a file that says that it is compressed, and may not be.
        let _ = matrix_market::read([&[0x1f, 0x8b], data].concat().as_slice());
        return;
    }
    let packed = data.starts_with(&[0x1f, 0x8b]);
    let whole = outcome(matrix_market::read(data));
    set_by_lines(true);
    let by_lines = outcome(matrix_market::read(data));
    set_by_lines(false);
    assert_same(packed, &whole, &by_lines, "by blocks and by lines");
    // What begins as gzip's files do is compressed once more below.
    let drops = outcome(matrix_market::read(Drops(data, usize::from(how % 64) + 1)));
    assert_same(packed, &whole, &drops, "in drops");
    if !packed {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(data).expect("memory can be written");
        let compressed = encoder.finish().expect("memory can be written");
        assert_eq!(whole, outcome(matrix_market::read(compressed.as_slice())), "compressed");
    }
    if let Ok(text) = whole {
        assert_eq!(outcome(matrix_market::read(text.as_slice())), Ok(text), "written and read");
    }
});
