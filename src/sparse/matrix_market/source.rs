//! Sources of files: plain or compressed.

use std::io::{Chain, Cursor, Read, Result};

use flate2::read::MultiGzDecoder;

/// How a file that gzip compressed begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A source whose first bytes were looked at, and are read again.
type Begun<R> = Chain<Cursor<Vec<u8>>, R>;

/// A source of bytes, uncompressed where it is compressed by gzip.
pub(super) enum Source<R> {
    /// Nothing of it was read.
    Unread(Option<R>),
    Plain(Begun<R>),
    Compressed(Box<MultiGzDecoder<Begun<R>>>),
}

impl<R: Read> Source<R> {
    pub(super) fn new(source: R) -> Self {
        Source::Unread(Some(source))
    }

    /// Finds out by the first bytes what the source is.
    fn begin(mut source: R) -> Result<Self> {
        let mut first = Vec::with_capacity(GZIP.len());
        source.by_ref().take(GZIP.len() as u64).read_to_end(&mut first)?;
        let compressed = first == GZIP;
        let begun = Cursor::new(first).chain(source);
        Ok(if compressed { Source::Compressed(Box::new(MultiGzDecoder::new(begun))) } else { Source::Plain(begun) })
    }
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if let Source::Unread(source) = self {
            let Some(source) = source.take() else { return Ok(0) };
            *self = Self::begin(source)?;
        }
        match self {
            Source::Unread(_) => Ok(0),
            Source::Plain(source) => source.read(buffer),
            Source::Compressed(source) => source.read(buffer),
        }
    }
}
