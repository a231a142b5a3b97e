//! The lines of a stream of bytes, numbered, without copying each.

use std::io::{ErrorKind, Read};
use std::ops::Range;

use super::MatrixMarketError;

/// Bytes asked of the source at a time.
const CHUNK: usize = 1 << 17;
/// Bytes of a block of lines.
const BLOCK: usize = 4 << 20;
/// The longest line. The format allows 1024 bytes; what is longer than this is no text file.
const MAX_LINE: usize = 1 << 20;

/// Reads lines through a buffer that holds at least one whole line.
pub(super) struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    /// What of the buffer is read but not yet handed out.
    unread: Range<usize>,
    /// Where the current line is.
    content: Range<usize>,
    /// The number of the line handed out last, from 1.
    number: u64,
    at_end: bool,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(source: R) -> Self {
        Lines { source, buffer: vec![0; CHUNK], unread: 0..0, content: 0..0, number: 0, at_end: false }
    }

    /// The number of the line handed out last; one more at the end of the file.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The next line without its end, or `None` after the last.
    pub(super) fn next_line(&mut self) -> Result<Option<&[u8]>, MatrixMarketError> {
        let place = self.find_line()?;
        Ok(place.map(|place| &self.buffer[place]))
    }

    /// Goes to the next line that is neither blank nor a comment; false where there is none.
    pub(super) fn advance(&mut self) -> Result<bool, MatrixMarketError> {
        while let Some(place) = self.find_line()? {
            let line = self.buffer[place.clone()].trim_ascii();
            if !line.is_empty() && line[0] != b'%' {
                self.content = place;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The line that [`advance`](Lines::advance) went to, without blanks around it.
    pub(super) fn content(&self) -> &[u8] {
        self.buffer[self.content.clone()].trim_ascii()
    }

    /// Many whole lines, from the next one on, which are not handed out by this; none where the last line has no end.
    pub(super) fn block(&mut self) -> Result<&[u8], MatrixMarketError> {
        while !self.at_end && self.unread.len() < BLOCK {
            self.fill()?;
        }
        let unread = &self.buffer[self.unread.clone()];
        let end = unread.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        Ok(&unread[..end])
    }

    /// Goes past bytes of a block, in which there are so many lines.
    pub(super) fn skip_block(&mut self, bytes: usize, lines: u64) {
        self.unread.start += bytes;
        self.number += lines;
    }

    /// Where in the buffer the next line is.
    fn find_line(&mut self) -> Result<Option<Range<usize>>, MatrixMarketError> {
        self.number += 1;
        let mut searched = 0;
        loop {
            let unread = &self.buffer[self.unread.clone()];
            if let Some(length) = unread[searched..].iter().position(|byte| *byte == b'\n') {
                let line = self.unread.start..self.unread.start + searched + length;
                self.unread.start = line.end + 1;
                return Ok(Some(line));
            }
            searched = unread.len();
            if self.at_end {
                let last = self.unread.clone();
                self.unread.start = self.unread.end;
                return Ok((searched > 0).then_some(last));
            }
            if searched > MAX_LINE {
                return Err(MatrixMarketError::new(self.number, format!("a line of more than {MAX_LINE} bytes")));
            }
            self.fill()?;
        }
    }

    /// Reads more behind what is unread, which moves to the buffer's start.
    fn fill(&mut self) -> Result<(), MatrixMarketError> {
        self.buffer.copy_within(self.unread.clone(), 0);
        self.unread = 0..self.unread.len();
        if self.buffer.len() - self.unread.end < CHUNK / 2 {
            self.buffer.resize(self.buffer.len() + CHUNK, 0);
        }
        match self.source.read(&mut self.buffer[self.unread.end..]) {
            Ok(0) => self.at_end = true,
            Ok(read) => self.unread.end += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                return Err(MatrixMarketError::new(self.number, format!("the file could not be read: {error}")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that gives a few bytes at a time.
    struct Drops<'a>(&'a [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let size = self.0.len().min(3).min(buffer.len());
            let (now, later) = self.0.split_at(size);
            buffer[..size].copy_from_slice(now);
            self.0 = later;
            Ok(size)
        }
    }

    #[test]
    fn lines_are_numbered_whatever_their_ends_and_however_they_arrive() {
        let mut lines = Lines::new(Drops(b"one\n\n% two\r\n  three \r\nlast"));
        assert!(lines.advance().unwrap());
        assert_eq!(lines.content(), b"one");
        assert_eq!(lines.number(), 1);
        assert!(lines.advance().unwrap());
        assert_eq!(lines.content(), b"three");
        assert_eq!(lines.number(), 4);
        assert!(lines.advance().unwrap());
        assert_eq!(lines.content(), b"last");
        assert!(!lines.advance().unwrap());
        assert_eq!(lines.number(), 6);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let error = Lines::new(std::io::repeat(b'x')).next_line().unwrap_err();
        assert!(error.reason.contains("a line of more than"), "{error}");
    }
}
