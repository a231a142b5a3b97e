//! The files of a system, checked before memory and time are spent on them.

use std::fs::File;
use std::path::{Path, PathBuf};

use affinimath::host::solve::check_finite;
use affinimath::sparse::matrix_market::{Coordinates, Header, MatrixMarketError, Reader};
use affinimath::{Error, Scalar};
use faer::MatRef;

use crate::failure::Failure;
use crate::memory;

/// The matrix and, where there is one, the right side: as opened files, then as what they hold.
pub struct Input<S> {
    pub matrix: S,
    pub right_side: Option<S>,
    /// The matrix's header.
    pub header: Header,
}

/// A file whose header has been read.
pub struct Opened {
    reader: Reader<File>,
    path: PathBuf,
}

impl Opened {
    fn new(path: &Path) -> Result<Self, Failure> {
        let file = File::open(path).map_err(|error| Failure::file("cannot open", path, error))?;
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
    /// Opens the files and checks that their sizes agree and fit in memory.
    pub fn open(matrix: &Path, right_side: Option<&Path>) -> Result<Self, Failure> {
        let matrix = Opened::new(matrix)?;
        let right_side = right_side.map(Opened::new).transpose()?;
        let input = Input { header: *matrix.reader.header(), matrix, right_side };
        let b = input.right_side.as_ref().map(|b| *b.reader.header());
        input.check_sizes(b.as_ref())?;
        check_memory(&input.matrix.path, &input.header, b.as_ref(), memory::available())?;
        Ok(input)
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
    /// Whether the system is complex.
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

/// Fails where the dense matrix, its factors and the vectors need more memory than there is.
fn check_memory(path: &Path, a: &Header, b: Option<&Header>, available: Option<u64>) -> Result<(), Failure> {
    use affinimath::sparse::matrix_market::Field;
    let complex = [Some(a), b].into_iter().flatten().any(|header| header.field == Field::Complex);
    let element = if complex { size_of::<affinimath::Complex64>() } else { size_of::<f64>() } as u128;
    let (rows, columns) = (a.rows as u128, a.columns as u128);
    let right_sides = b.map_or(1, |b| b.columns as u128);
    // A and its factors; b, x and the residual.
    let elements = rows.saturating_mul(columns).saturating_mul(2);
    let elements = elements.saturating_add((2 * rows + columns).saturating_mul(right_sides));
    let needed = elements.saturating_mul(element);
    match available {
        Some(available) if needed > u128::from(available) => Err(Failure(format!(
            "{}: a dense matrix of {rows} by {columns} and its factors need {}, and {} of memory are available",
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
        let check = |a: Header, available| check_memory(Path::new("a.mtx"), &a, None, Some(available)).is_ok();
        // Two matrices of 100 by 100 and three vectors of 100, 8 or 16 bytes each element.
        assert!(check(header(100, 100, Field::Real), 8 * 20_300));
        assert!(!check(header(100, 100, Field::Real), 8 * 20_300 - 1));
        assert!(!check(header(100, 100, Field::Complex), 8 * 20_300));
        assert!(!check(header(usize::MAX, usize::MAX, Field::Complex), u64::MAX));
        assert!(check_memory(Path::new("a.mtx"), &header(1 << 40, 1 << 40, Field::Real), None, None).is_ok());
    }
}
