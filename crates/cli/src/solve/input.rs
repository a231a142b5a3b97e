//! The files of a system, checked before memory and time are spent on them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use affinimath::sparse::matrix_market::{Coordinates, Header, MatrixMarketError, Reader};
use affinimath::{Error, Scalar};
use affinimath_bench::{Failure, memory};
use affinimath_cpu::solve::check_finite;
use faer::MatRef;

/// The matrix and, if given, the right-hand side: first as opened files, then as data.
pub struct Input<S> {
    pub matrix: S,
    pub right_side: Option<S>,
    /// The matrix's header.
    pub header: Header,
}

/// A file whose header has been read.
pub struct Opened {
    reader: Reader<Box<dyn Read>>,
    path: PathBuf,
}

impl Opened {
    fn new(path: &Path) -> Result<Self, Failure> {
        let file: Box<dyn Read> = match path.to_str() {
            Some("-") => Box::new(std::io::stdin()),
            _ => Box::new(File::open(path).map_err(|error| Failure::file("cannot open", path, error))?),
        };
        let reader = Reader::new(file).map_err(|error| malformed(path, &error))?;
        Ok(Opened { reader, path: path.into() })
    }

    fn read(self) -> Result<Coordinates, Failure> {
        self.reader.read().map_err(|error| malformed(&self.path, &error))
    }
}

fn malformed(path: &Path, error: &MatrixMarketError) -> Failure {
    Failure(format!("{}: {error}", path.display()))
}

impl Input<Opened> {
    /// Opens the files and checks that their sizes agree.
    pub fn open(matrix: &Path, right_side: Option<&Path>) -> Result<Self, Failure> {
        if matrix == Path::new("-") && right_side == Some(matrix) {
            return Err(Failure("A and b cannot both be read from standard input".into()));
        }
        let matrix = Opened::new(matrix)?;
        let right_side = right_side.map(Opened::new).transpose()?;
        let input = Input { header: *matrix.reader.header(), matrix, right_side };
        let b = input.right_side.as_ref().map(|b| *b.reader.header());
        input.check_sizes(b.as_ref())?;
        Ok(input)
    }

    /// Checks that there is memory for a matrix in this form.
    pub fn check_memory(&self, form: Form) -> Result<(), Failure> {
        let b = self.right_side.as_ref().map(|b| *b.reader.header());
        check_memory(&self.matrix.path, form, &self.header, b.as_ref(), memory::available())
    }

    fn check_sizes(&self, b: Option<&Header>) -> Result<(), Failure> {
        let Header { rows, columns, .. } = self.header;
        if rows == 0 || columns == 0 {
            let path = self.matrix.path.display();
            return Err(Failure(format!("{path}: the matrix is {rows} by {columns}: there is nothing to solve")));
        }
        let (Some(b), Some(file)) = (b, &self.right_side) else { return Ok(()) };
        let path = file.path.display();
        if b.rows != rows {
            return Err(Failure(format!("{path}: b has {} rows, and the matrix has {rows}", b.rows)));
        }
        if b.columns == 0 {
            return Err(Failure(format!("{path}: b has no columns")));
        }
        Ok(())
    }

    /// Reads what the files hold.
    pub fn read(self) -> Result<Input<Coordinates>, Failure> {
        let right_side = self.right_side.map(Opened::read).transpose()?;
        Ok(Input { matrix: self.matrix.read()?, right_side, header: self.header })
    }
}

impl Input<Coordinates> {
    /// Checks that there is memory for the matrix of this file in dense form.
    pub fn check_dense(&self, path: &Path) -> Result<(), Failure> {
        check_memory(path, Form::Dense, &self.header, None, memory::available())
    }

    /// True if the matrix or the right-hand side is complex.
    pub fn is_complex(&self) -> bool {
        self.matrix.is_complex() || self.right_side.as_ref().is_some_and(Coordinates::is_complex)
    }

    /// A failure that says where in the file's matrix the first NaN or infinity is.
    pub fn check_finite<T: Scalar>(&self, a: MatRef<'_, T>, what: &'static str, path: &Path) -> Result<(), Failure> {
        check_finite(what, a).map_err(|error| match error {
            Error::NotFinite { .. } => Failure(format!("{}: {error}", path.display())),
            other => other.into(),
        })
    }
}

/// The format of a matrix in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// With its factors.
    Dense,
    /// With the vectors of iterations.
    Sparse,
}

/// Vectors of the matrix' order that a solve by iterations has at the most, GMRES' basis of 30 among them.
const ITERATION_VECTORS: u128 = 48;

/// Fails where the matrix, what is made of it and the vectors need more memory than there is.
fn check_memory(
    path: &Path,
    form: Form,
    a: &Header,
    b: Option<&Header>,
    available: Option<u64>,
) -> Result<(), Failure> {
    use affinimath::sparse::matrix_market::Field;
    let complex = [Some(a), b].into_iter().flatten().any(|header| header.field == Field::Complex);
    let element = if complex { size_of::<affinimath::Complex64>() } else { size_of::<f64>() } as u128;
    let (rows, columns, entries) = (a.rows as u128, a.columns as u128, a.entries as u128);
    let right_sides = b.map_or(1, |b| b.columns as u128);
    let needed = match form {
        // A and its factors; b, x and the residual.
        Form::Dense => {
            let elements = rows.saturating_mul(columns).saturating_mul(2);
            elements.saturating_add((2 * rows + columns).saturating_mul(right_sides)).saturating_mul(element)
        }
        // The file's entries with both indices, and the rows of the whole matrix and of its transpose or its incomplete
        // factors.
        Form::Sparse => {
            let stored = entries.saturating_mul(5 * element + 32);
            let vectors = ITERATION_VECTORS + 2 * right_sides;
            stored.saturating_add(rows.max(columns).saturating_mul(vectors).saturating_mul(element))
        }
    };
    let (kind, more) =
        if form == Form::Dense { ("dense", "its factors") } else { ("sparse", "the vectors of iterations") };
    match available {
        Some(available) if needed > u128::from(available) => Err(Failure(format!(
            "{}: a {kind} matrix of {rows} by {columns} and {more} need {}, and {} of memory are available",
            path.display(),
            memory::readable(needed),
            memory::readable(available.into()),
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinimath::sparse::matrix_market::{Field, Format, Symmetry};

    #[test]
    fn what_does_not_fit_in_memory_is_refused() {
        let header = |rows, columns, field| Header {
            format: Format::Coordinate,
            symmetry: Symmetry::General,
            field,
            rows,
            columns,
            entries: 0,
        };
        let check =
            |a: Header, available| check_memory(Path::new("a.mtx"), Form::Dense, &a, None, Some(available)).is_ok();
        // Two matrices of 100 by 100 and three vectors of 100, 8 or 16 bytes each element.
        assert!(check(header(100, 100, Field::Real), 8 * 20_300));
        assert!(!check(header(100, 100, Field::Real), 8 * 20_300 - 1));
        assert!(!check(header(100, 100, Field::Complex), 8 * 20_300));
        assert!(!check(header(usize::MAX, usize::MAX, Field::Complex), u64::MAX));
        let sparse = |a: Header, available| check_memory(Path::new("a.mtx"), Form::Sparse, &a, None, Some(available));
        assert!(sparse(header(100_000, 100_000, Field::Real), 1 << 30).is_ok());
        assert!(sparse(header(1 << 40, 1 << 40, Field::Real), 1 << 40).is_err());
        assert!(
            check_memory(Path::new("a.mtx"), Form::Dense, &header(1 << 40, 1 << 40, Field::Real), None, None).is_ok()
        );
    }
}
