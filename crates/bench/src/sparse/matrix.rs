//! The matrices: stencils on grids, rows of very different lengths, and those of files.

use std::path::{Path, PathBuf};

use affinimath::sparse::{CsrArrays, CsrMatrix, matrix_market};
use affinimath::{Complex64, Context, Scalar};

use crate::error::BenchError;
use crate::random::Random;

/// Source of a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The five-point stencil of Poisson's equation on a square, by the points of an edge.
    Poisson2(usize),
    /// The seven-point stencil on a cube.
    Poisson3(usize),
    /// Rows whose lengths follow a power law: the longest has a twentieth of all columns. Columns are
    /// anywhere.
    PowerLaw(usize),
    /// A Matrix Market file.
    File(PathBuf),
}

/// Values of the entries.
#[derive(Debug)]
enum Values {
    /// Those of Poisson's equation: this on the diagonal, and neighbours of modulus 1, negative in real types, and with
    /// phases that make the matrix Hermitian in complex ones.
    Stencil(f64),
    /// Any.
    Random,
    /// Those of a file.
    Listed(Vec<Complex64>),
}

/// A matrix of any type.
#[derive(Debug)]
pub struct Pattern {
    /// Name in reports.
    pub name: String,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// First entry of each row, then `nnz`.
    pub row_ptr: Vec<i32>,
    /// The column of each entry.
    pub col_indices: Vec<i32>,
    values: Values,
}

/// The entries that 32-bit pointers count.
const MAX_ENTRIES: usize = i32::MAX as usize;

impl Source {
    /// Makes the matrix, or reads it.
    ///
    /// # Errors
    /// [`BenchError::Options`]: it cannot be read, or is too large.
    pub fn pattern(&self) -> Result<Pattern, BenchError> {
        match self {
            Source::Poisson2(edge) => stencil("poisson2d", &[*edge, *edge]),
            Source::Poisson3(edge) => stencil("poisson3d", &[*edge, *edge, *edge]),
            Source::PowerLaw(rows) => power_law(*rows),
            Source::File(path) => from_file(path),
        }
    }

    /// True if it is Hermitian and positive definite, whatever it is made of.
    pub const fn is_definite(&self) -> bool {
        matches!(self, Source::Poisson2(_) | Source::Poisson3(_))
    }
}

impl Pattern {
    /// The count of entries.
    pub const fn nnz(&self) -> usize {
        self.col_indices.len()
    }

    /// True if real types cannot have its values.
    pub fn is_complex(&self) -> bool {
        matches!(&self.values, Values::Listed(values) if values.iter().any(|value| value.im != 0.0))
    }

    /// The entries' values in a type, in their order.
    pub fn values<T: Scalar>(&self) -> Vec<T> {
        match &self.values {
            Values::Random => Random::new(0xA076_1D64_78BD_642F).elements(self.nnz()),
            Values::Listed(values) => values.iter().map(|value| T::from_parts(value.re, value.im)).collect(),
            Values::Stencil(diagonal) => {
                let phase = if T::KIND.is_complex() { T::from_parts(-0.6, 0.8) } else { -T::ONE };
                let rows = self.row_ptr.windows(2).enumerate();
                let entries =
                    rows.flat_map(|(row, ends)| (ends[0]..ends[1]).map(move |entry| (row as i32, entry as usize)));
                let value = |(row, entry): (i32, usize)| match self.col_indices[entry].cmp(&row) {
                    std::cmp::Ordering::Less => phase,
                    std::cmp::Ordering::Equal => T::from_parts(*diagonal, 0.0),
                    std::cmp::Ordering::Greater => phase.conjugate(),
                };
                entries.map(value).collect()
            }
        }
    }
}

fn too_large(what: &str) -> BenchError {
    BenchError::Options(format!("{what} has more than the {MAX_ENTRIES} entries that 32-bit pointers count"))
}

/// Each point of a grid with its neighbours along the axes.
fn stencil(name: &str, edges: &[usize]) -> Result<Pattern, BenchError> {
    let neighbours = 2 * edges.len() + 1;
    let rows = edges.iter().try_fold(1_usize, |rows, edge| rows.checked_mul(*edge));
    let rows = rows.filter(|rows| rows.checked_mul(neighbours).is_some_and(|entries| entries <= MAX_ENTRIES));
    let rows = rows.ok_or_else(|| too_large(&format!("{name} of {}", edges[0])))?;
    let mut row_ptr = Vec::with_capacity(rows + 1);
    let mut col_indices = Vec::with_capacity(rows * neighbours);
    let steps: Vec<usize> = (0..edges.len()).map(|axis| edges[axis + 1..].iter().product()).collect();
    row_ptr.push(0);
    for row in 0..rows {
        // Backwards along the first axis comes first: columns ascend.
        let coordinate = |axis: usize| row / steps[axis] % edges[axis];
        let before = (0..edges.len()).filter(|axis| coordinate(*axis) > 0).map(|axis| row - steps[axis]);
        let after =
            (0..edges.len()).rev().filter(|axis| coordinate(*axis) + 1 < edges[*axis]).map(|axis| row + steps[axis]);
        col_indices.extend(before.chain([row]).chain(after).map(|column| column as i32));
        row_ptr.push(col_indices.len() as i32);
    }
    let values = Values::Stencil(2.0 * edges.len() as f64);
    Ok(Pattern { name: name.to_owned(), rows, columns: rows, row_ptr, col_indices, values })
}

fn power_law(rows: usize) -> Result<Pattern, BenchError> {
    /// Entries of the shortest rows, and how lengths fall: about 4.5 entries a row for a million rows.
    const MIN_ROW_ENTRIES: usize = 3;
    const EXPONENT: f64 = -0.9;
    if rows > MAX_ENTRIES / 64 {
        return Err(too_large(&format!("a power law of {rows} rows")));
    }
    let mut random = Random::new(0xE703_7ED1_A0B4_28DB);
    // Long rows are anywhere.
    let mut ranks: Vec<usize> = (1..=rows).collect();
    for last in (1..rows).rev() {
        ranks.swap(last, random.below(last + 1));
    }
    let (mut row_ptr, mut col_indices) = (vec![0], Vec::new());
    for rank in ranks {
        let length = MIN_ROW_ENTRIES + (rows as f64 / 20.0 * (rank as f64).powf(EXPONENT)) as usize;
        let mut columns: Vec<i32> = (0..length).map(|_| random.below(rows) as i32).collect();
        columns.sort_unstable();
        columns.dedup();
        col_indices.extend(columns);
        row_ptr.push(col_indices.len() as i32);
    }
    Ok(Pattern { name: "powerlaw".to_owned(), rows, columns: rows, row_ptr, col_indices, values: Values::Random })
}

fn from_file(path: &Path) -> Result<Pattern, BenchError> {
    let failed = |reason: String| BenchError::Options(format!("{}: {reason}", path.display()));
    let file = crate::input::open(path)?;
    let listed = matrix_market::read(file).map_err(|error| failed(error.to_string()))?;
    let matrix: CsrMatrix<Complex64> = CsrMatrix::from_file(&Context::host(), &listed)?;
    let CsrArrays { row_ptr, col_indices, values } = matrix.download()?;
    if col_indices.is_empty() {
        return Err(failed("the matrix has no entries: there is nothing to measure".to_owned()));
    }
    let stem = path.file_stem().map_or_else(|| "file".into(), |stem| stem.to_string_lossy().into_owned());
    let name = if stem == "-" { "stdin".to_owned() } else { stem };
    let values = Values::Listed(values);
    Ok(Pattern { name, rows: listed.rows, columns: listed.columns, row_ptr, col_indices, values })
}

#[cfg(test)]
mod tests {
    use affinimath::Complex32;

    use super::*;

    #[test]
    fn a_stencil_has_its_neighbours_in_order_and_is_hermitian() {
        let square = Source::Poisson2(3).pattern().unwrap();
        assert_eq!((square.rows, square.nnz()), (9, 9 + 2 * 12));
        assert_eq!(square.row_ptr[..3], [0, 3, 7]);
        assert_eq!(square.col_indices[..7], [0, 1, 3, 0, 1, 2, 4]);
        assert_eq!(square.values::<f64>()[..7], [4.0, -1.0, -1.0, -1.0, 4.0, -1.0, -1.0]);
        let cube = Source::Poisson3(3).pattern().unwrap();
        // The middle of the cube.
        let middle = cube.row_ptr[13] as usize..cube.row_ptr[14] as usize;
        assert_eq!(cube.col_indices[middle], [4, 10, 12, 13, 14, 16, 22]);
        let values = cube.values::<Complex32>();
        let at = |row: usize, column: i32| {
            let entries = cube.row_ptr[row] as usize..cube.row_ptr[row + 1] as usize;
            values[entries.start + cube.col_indices[entries.clone()].iter().position(|index| *index == column).unwrap()]
        };
        assert_eq!(at(13, 13), Complex32::new(6.0, 0.0));
        assert!(cube.col_indices.iter().all(|index| (0..27).contains(index)));
        assert_eq!(at(13, 4), at(4, 13).conj());
    }

    #[test]
    fn a_power_law_has_long_rows_somewhere_and_columns_once() {
        let pattern = Source::PowerLaw(2000).pattern().unwrap();
        let lengths: Vec<i32> = pattern.row_ptr.windows(2).map(|ends| ends[1] - ends[0]).collect();
        let longest = *lengths.iter().max().unwrap();
        assert!((80..=103).contains(&longest), "{longest}");
        assert!(lengths.iter().filter(|length| **length <= 4).count() > 1000);
        for ends in pattern.row_ptr.windows(2) {
            let row = &pattern.col_indices[ends[0] as usize..ends[1] as usize];
            assert!(row.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    #[test]
    fn a_file_is_whole_and_says_whether_it_is_complex() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("small one.mtx");
        std::fs::write(&path, "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 4 0\n2 1 0 1\n").unwrap();
        let pattern = Source::File(path).pattern().unwrap();
        assert_eq!((pattern.name.as_str(), pattern.nnz(), pattern.is_complex()), ("small one", 3, true));
        assert_eq!(pattern.values::<Complex32>()[1], Complex32::new(0.0, -1.0));
        let absent = Source::File(folder.path().join("absent.mtx")).pattern().unwrap_err().to_string();
        assert!(absent.contains("absent.mtx"), "{absent}");
    }

    #[test]
    fn what_32_bits_do_not_count_is_refused() {
        for source in [Source::Poisson2(1 << 17), Source::Poisson3(1 << 40), Source::PowerLaw(1 << 40)] {
            let refused = source.pattern().unwrap_err().to_string();
            assert!(refused.contains("32-bit pointers"), "{refused}");
        }
    }
}
