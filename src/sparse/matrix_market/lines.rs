//! The lines of a stream of bytes, numbered, without copying each.

use std::io::{self, ErrorKind, Read};
use std::ops::Range;

use super::MatrixMarketError;

/// Bytes asked of the source at a time; fuzzers' files are small.
const CHUNK: usize = if cfg!(fuzzing) { 128 } else { 1 << 17 };
/// Bytes of a block of lines.
const BLOCK: usize = if cfg!(fuzzing) { 256 } else { 4 << 20 };
/// The longest line. The format allows 1024 bytes; what is longer than this is no text file.
const MAX_LINE: usize = 1 << 20;

/// Reads lines through a buffer that holds at least one whole line.
pub(super) struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    /// Part of the buffer that no line has used.
    unread: Range<usize>,
    /// The current line in the buffer.
    content: Range<usize>,
    /// The number of the line handed out last, from 1.
    number: u64,
    at_end: bool,
    /// Error of reading ahead, reported after the lines before it.
    failure: Option<io::Error>,
}

/// Many whole lines, taken out of the buffer; none where the last line has no end.
pub(super) struct Block {
    memory: Vec<u8>,
    lines: Range<usize>,
}

impl Block {
    /// Memory for a first block.
    pub(super) const fn none() -> Self {
        Block { memory: Vec::new(), lines: 0..0 }
    }

    /// The lines, with their ends.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.memory[self.lines.clone()]
    }
}

impl<R: Read> Lines<R> {
    pub(super) fn new(source: R) -> Self {
        let buffer = vec![0; CHUNK];
        Lines { source, buffer, unread: 0..0, content: 0..0, number: 0, at_end: false, failure: None }
    }

    /// The number of the line handed out last; one more at the end of the file.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The next line without its end, or `None` after the last.
    pub(super) fn next_line(&mut self) -> Result<Option<&[u8]>, MatrixMarketError> {
        let range = self.find_line()?;
        Ok(range.map(|range| &self.buffer[range]))
    }

    /// Goes to the next line that is neither blank nor a comment; false where there is none.
    pub(super) fn advance(&mut self) -> Result<bool, MatrixMarketError> {
        while let Some(range) = self.find_line()? {
            let line = self.buffer[range.clone()].trim_ascii();
            if !line.is_empty() && line[0] != b'%' {
                self.content = range;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The line that [`advance`](Lines::advance) went to, without blanks around it.
    pub(super) fn content(&self) -> &[u8] {
        self.buffer[self.content.clone()].trim_ascii()
    }

    /// The next block of lines, which count as handed out once [`passed`](Lines::passed) says so. The block before
    /// lends its memory.
    pub(super) fn block(&mut self, before: Block) -> Result<Block, MatrixMarketError> {
        self.read_ahead();
        if let Some(error) = self.failure.take() {
            return Err(self.failed(&error));
        }
        let unread = &self.buffer[self.unread.clone()];
        let lines = unread.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        if lines == 0 {
            return Ok(Block::none());
        }
        let lines = self.unread.start..self.unread.start + lines;
        let rest = &self.buffer[lines.end..self.unread.end];
        let mut memory = before.memory;
        memory.resize(memory.len().max(rest.len() + CHUNK), 0);
        memory[..rest.len()].copy_from_slice(rest);
        self.unread = 0..rest.len();
        Ok(Block { memory: std::mem::replace(&mut self.buffer, memory), lines })
    }

    /// Reads as much as a block has. What goes wrong is kept.
    pub(super) fn read_ahead(&mut self) {
        while self.failure.is_none() && !self.at_end && self.unread.len() < BLOCK {
            self.failure = self.pull().err();
        }
    }

    /// So many lines of a block are behind us.
    pub(super) fn passed(&mut self, lines: u64) {
        self.number += lines;
    }

    /// A block's lines are to be handed out one by one after all.
    pub(super) fn put_back(&mut self, block: &Block) {
        let both = [block.bytes(), &self.buffer[self.unread.clone()]].concat();
        (self.unread, self.buffer) = (0..both.len(), both);
    }

    /// Position of the next line in the buffer.
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

    /// Reads more behind what is unread.
    fn fill(&mut self) -> Result<(), MatrixMarketError> {
        let filled = self.failure.take().map_or_else(|| self.pull(), Err);
        filled.map_err(|error| self.failed(&error))
    }

    fn pull(&mut self) -> io::Result<()> {
        if self.buffer.len() - self.unread.end < CHUNK {
            if self.unread.len() < self.buffer.len() / 2 {
                self.buffer.copy_within(self.unread.clone(), 0);
                self.unread = 0..self.unread.len();
            } else {
                self.buffer.resize(2 * self.buffer.len().max(CHUNK), 0);
            }
        }
        match self.source.read(&mut self.buffer[self.unread.end..]) {
            Ok(0) => self.at_end = true,
            Ok(read) => self.unread.end += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    #[cold]
    fn failed(&self, error: &io::Error) -> MatrixMarketError {
        MatrixMarketError::new(self.number, format!("the file could not be read: {error}"))
    }
}

#[cfg(test)]
mod host {
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
