//! NumPy's format of arrays: a header, which is a dictionary of Python with three entries, and the elements.

use std::io::{Error, ErrorKind, Read, Result, Write};

/// Bytes of a header at most. NumPy's own have about a hundred.
const MAX_HEADER: usize = 1 << 16;
const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Description of an array in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Type of the elements as NumPy has it, with the byte order: `<f8`.
    pub descr: String,
    /// True if the first index varies fastest.
    pub is_fortran: bool,
    /// Elements along each axis.
    pub shape: Vec<usize>,
}

fn malformed(reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidData, reason.into())
}

impl Header {
    /// Reads a header, which comes with its bytes.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidData`] with the reason; errors of the source.
    pub fn read(file: &mut impl Read) -> Result<(Self, u64)> {
        let mut start = [0; 8];
        if fill(file, &mut start)? < start.len() || start[..6] != MAGIC[..] {
            return Err(malformed("it is no array of NumPy's: it does not begin with \\x93NUMPY"));
        }
        let mut length = [0; 4];
        let width = match start[6] {
            1 => 2,
            2 | 3 => 4,
            other => return Err(malformed(format!("version {other} of NumPy's format is not known"))),
        };
        let cut = || malformed("it ends within its header");
        if fill(file, &mut length[..width])? < width {
            return Err(cut());
        }
        let length = u32::from_le_bytes(length) as usize;
        if length > MAX_HEADER {
            return Err(malformed(format!("its header has {length} bytes, more than {MAX_HEADER}")));
        }
        let mut text = vec![0; length];
        if fill(file, &mut text)? < length {
            return Err(cut());
        }
        let text = String::from_utf8_lossy(&text);
        let header = Self::parse(&text)?;
        Ok((header, (start.len() + width + length) as u64))
    }

    /// Header of a dictionary such as `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidData`] with the reason.
    pub fn parse(text: &str) -> Result<Self> {
        let mut rest = Rest(text.trim());
        let (mut descr, mut is_fortran, mut shape) = (None, None, None);
        rest.expect('{')?;
        while !rest.take('}') {
            let key = rest.string()?;
            rest.expect(':')?;
            match key {
                "descr" => descr = Some(rest.element()?.to_owned()),
                "fortran_order" => is_fortran = Some(rest.truth()?),
                "shape" => shape = Some(rest.tuple()?),
                other => return Err(malformed(format!("its header has an entry {other:?}"))),
            }
            if !rest.take(',') {
                rest.expect('}')?;
                break;
            }
        }
        let missing = |name: &str| malformed(format!("its header has no entry {name:?}"));
        Ok(Header {
            descr: descr.ok_or_else(|| missing("descr"))?,
            is_fortran: is_fortran.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }

    /// The type without its byte order, and true if bytes are in big-endian order.
    pub fn kind(&self) -> (&str, bool) {
        let (order, kind) = match self.descr.chars().next() {
            Some(order @ ('<' | '>' | '|' | '=')) => (order, &self.descr[1..]),
            _ => ('=', self.descr.as_str()),
        };
        (kind, order == '>' || order == '=' && cfg!(target_endian = "big"))
    }

    /// Writes the header. Elements follow it, from a multiple of 64 bytes on.
    ///
    /// # Errors
    /// Errors of the target.
    pub fn write(&self, file: &mut impl Write) -> Result<()> {
        let extents: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        let comma = if self.shape.len() == 1 { "," } else { "" };
        let (descr, order) = (&self.descr, if self.is_fortran { "True" } else { "False" });
        let mut text =
            format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({}{comma}), }}", extents.join(", "));
        let before = MAGIC.len() + 4;
        let spaces = (before + text.len() + 1).next_multiple_of(64) - (before + text.len() + 1);
        text.extend(std::iter::repeat_n(' ', spaces));
        text.push('\n');
        let length = u16::try_from(text.len()).map_err(|_| malformed("its shape is too long for a header"))?;
        file.write_all(MAGIC)?;
        file.write_all(&[1, 0])?;
        file.write_all(&length.to_le_bytes())?;
        file.write_all(text.as_bytes())
    }
}

/// Reads until the buffer is full or the file ends, and gives the bytes that it read.
///
/// # Errors
/// Errors of the source.
pub fn fill(file: &mut impl Read, buffer: &mut [u8]) -> Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Rest of a header.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    fn take(&mut self, symbol: char) -> bool {
        self.0 = self.0.trim_start();
        self.0.strip_prefix(symbol).map(|rest| self.0 = rest).is_some()
    }

    fn expect(&mut self, symbol: char) -> Result<()> {
        if self.take(symbol) {
            return Ok(());
        }
        let found: String = self.0.chars().take(12).collect();
        Err(malformed(format!("its header has {found:?} instead of {symbol:?}")))
    }

    fn string(&mut self) -> Result<&'a str> {
        let quote = if self.take('"') { '"' } else { '\'' };
        if quote == '\'' {
            self.expect(quote)?;
        }
        let (string, rest) = self.0.split_once(quote).ok_or_else(|| malformed("a string of its header has no end"))?;
        self.0 = rest;
        Ok(string)
    }

    fn truth(&mut self) -> Result<bool> {
        self.0 = self.0.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.0.strip_prefix(word) {
                self.0 = rest;
                return Ok(value);
            }
        }
        Err(malformed("fortran_order in its header is neither True nor False"))
    }

    fn tuple(&mut self) -> Result<Vec<usize>> {
        self.expect('(')?;
        let mut extents = Vec::new();
        while !self.take(')') {
            self.0 = self.0.trim_start();
            let end = self.0.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.0.len());
            let (digits, rest) = self.0.split_at(end);
            extents.push(digits.parse().map_err(|_| malformed("its shape has an extent that is no number"))?);
            // Python 2 wrote long integers with an L.
            self.0 = rest.strip_prefix('L').unwrap_or(rest);
            if !self.take(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(extents)
    }

    /// Type of the elements.
    fn element(&mut self) -> Result<&'a str> {
        self.0 = self.0.trim_start();
        if self.0.starts_with(['[', '(']) {
            return Err(malformed("its elements are structures; give one field of them"));
        }
        self.string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_is_written_comes_back() {
        for shape in [&[][..], &[7], &[0, 2], &[1, 2, 3, 4, 5, 6, 7, 8]] {
            for is_fortran in [false, true] {
                let header = Header { descr: "<c16".to_owned(), is_fortran, shape: shape.to_vec() };
                let mut bytes = Vec::new();
                header.write(&mut bytes).unwrap();
                assert_eq!(Header::read(&mut bytes.as_slice()).unwrap(), (header, bytes.len() as u64));
                assert!(bytes.len().is_multiple_of(64) && bytes.ends_with(b"\n"));
            }
        }
        let long = Header { descr: "<f4".to_owned(), is_fortran: false, shape: vec![1; 1 << 16] };
        assert!(long.write(&mut Vec::new()).is_err());
    }

    #[test]
    fn kinds_have_an_order_of_bytes() {
        for (descr, kind) in [("<f8", ("f8", false)), (">i4", ("i4", true)), ("|u1", ("u1", false))] {
            let header = Header { descr: descr.to_owned(), is_fortran: false, shape: Vec::new() };
            assert_eq!(header.kind(), kind);
        }
    }
}
