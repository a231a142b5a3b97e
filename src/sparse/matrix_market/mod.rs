//! Matrix Market files: the whole exchange format, read as a stream and written.
//!
//! The grammar is that of Boisvert, Pozo and Remington, *The Matrix Market Exchange Formats: Initial Design*, NISTIR
//! 5935 (1996). Where files in circulation differ from it, the reader
//! - takes words and the banner in any case, `\r\n` line ends, and any blanks around and between words;
//! - skips blank lines and lines that begin with `%` anywhere after the banner;
//! - takes `double` for `real` and `unsigned-integer` for `integer`;
//! - takes Fortran's exponents (`1.0D+00`, `1.0+100`) and `inf` and `nan` as C, C++, Fortran and Windows write them;
//! - takes a zero on the diagonal of a skew-symmetric matrix;
//! - keeps duplicate entries, which add up in the matrix.
//!
//! A file may be compressed by gzip: the reader sees that by its first bytes.
//!
//! It refuses, with the line and the reason, everything else: above all an entry above the diagonal of a matrix that is
//! stored by its lower triangle, since reading it would either drop it or count it twice.
//!
//! ```
//! use affinimath::sparse::matrix_market;
//!
//! let file = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4.0\n2 1 -1.0\n";
//! let matrix = matrix_market::read(file.as_bytes())?;
//! assert_eq!(matrix.to_dense::<f64>()?, [4.0, -1.0, -1.0, 0.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block;
mod dense;
mod header;
mod lines;
mod number;
mod read;
mod source;
#[cfg(test)]
mod tests;
mod write;

use crate::Complex64;

pub use header::Header;
#[cfg(fuzzing)]
pub use read::set_by_lines;
pub use read::{Reader, read};
pub use write::write;

/// A file that is not a Matrix Market file, or that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct MatrixMarketError {
    /// The line, from 1; one past the last where the file ends too early.
    pub line: u64,
    /// The violated rule of the format.
    pub reason: String,
}

impl MatrixMarketError {
    #[cold]
    fn new(line: u64, reason: impl Into<String>) -> Self {
        MatrixMarketError { line, reason: reason.into() }
    }
}

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$vmeta])* $variant),+ }

        impl $name {
            /// Every value.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The word that a file has for it.
            pub const fn word(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }
        }
    };
}

words! {
    /// How entries are listed.
    Format {
        /// Each with its row and column; the others are zero.
        Coordinate = "coordinate",
        /// All, by columns.
        Array = "array",
    }
}

words! {
    /// Type of the entries.
    Field {
        /// Real numbers.
        Real = "real",
        /// Complex numbers: two real numbers each.
        Complex = "complex",
        /// Integers.
        Integer = "integer",
        /// No value: each listed entry is a one.
        Pattern = "pattern",
    }
}

words! {
    /// Which entries are listed, and what the others are.
    Symmetry {
        /// All.
        General = "general",
        /// The lower triangle; `a(i, j) = a(j, i)`.
        Symmetric = "symmetric",
        /// The lower triangle without the diagonal; `a(i, j) = -a(j, i)`.
        SkewSymmetric = "skew-symmetric",
        /// The lower triangle; `a(i, j) = conj(a(j, i))`.
        Hermitian = "hermitian",
    }
}

/// The values of a matrix's entries.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Of a real or integer matrix. Integers beyond 2^53 are rounded to the nearest double.
    Real(Vec<f64>),
    /// Of a complex matrix.
    Complex(Vec<Complex64>),
    /// Of a pattern: none, each entry is a one.
    Pattern,
}

/// A matrix as its file lists it: with indices from 0, in the file's order.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinates {
    /// Rows of the matrix.
    pub rows: usize,
    /// Columns of the matrix.
    pub columns: usize,
    /// The row of each entry; empty for the array format, whose order says it (see [`entry_positions`]).
    ///
    /// [`entry_positions`]: Coordinates::entry_positions
    pub row_indices: Vec<usize>,
    /// The column of each entry; empty for the array format.
    pub col_indices: Vec<usize>,
    /// The entries' values.
    pub values: Values,
    /// Type of the entries in the file.
    pub field: Field,
    /// Which entries are listed.
    pub symmetry: Symmetry,
    /// How they are listed.
    pub format: Format,
}

impl Coordinates {
    /// A general matrix of all its entries, by columns: the array format.
    ///
    /// # Panics
    /// Panics unless there are `rows * columns` values, and for a pattern.
    pub fn array(rows: usize, columns: usize, values: Values) -> Self {
        let (count, field) = match &values {
            Values::Real(values) => (values.len(), Field::Real),
            Values::Complex(values) => (values.len(), Field::Complex),
            Values::Pattern => panic!("the array format has no patterns"),
        };
        assert_eq!(Some(count), rows.checked_mul(columns), "an array has a value for each element");
        Coordinates {
            rows,
            columns,
            row_indices: Vec::new(),
            col_indices: Vec::new(),
            values,
            field,
            symmetry: Symmetry::General,
            format: Format::Array,
        }
    }

    /// How many entries are listed.
    pub fn listed(&self) -> usize {
        match (&self.values, self.format) {
            (_, Format::Coordinate) => self.row_indices.len(),
            (Values::Real(values), _) => values.len(),
            (Values::Complex(values), _) => values.len(),
            (Values::Pattern, _) => 0,
        }
    }

    /// The row and the column of each listed entry, from 0.
    pub fn entry_positions(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let listed = self.row_indices.iter().copied().zip(self.col_indices.iter().copied());
        // None where there are none: the columns of a matrix without rows may be more than anyone can count.
        let columns = if self.format == Format::Array && self.rows > 0 { 0..self.columns } else { 0..0 };
        listed.chain(
            columns.flat_map(|column| array_rows(self.rows, column, self.symmetry).map(move |row| (row, column))),
        )
    }

    /// True if entries are complex.
    pub fn is_complex(&self) -> bool {
        self.field == Field::Complex
    }
}

/// The rows of a column that the array format lists.
fn array_rows(rows: usize, column: usize, symmetry: Symmetry) -> std::ops::Range<usize> {
    let first = match symmetry {
        Symmetry::General => 0,
        Symmetry::Symmetric | Symmetry::Hermitian => column,
        Symmetry::SkewSymmetric => column + 1,
    };
    first.min(rows)..rows
}

/// How many entries the array format lists, where memory can count them.
fn array_entries(rows: usize, columns: usize, symmetry: Symmetry) -> Option<usize> {
    let (m, n) = (rows as u128, columns as u128);
    let entries = match symmetry {
        Symmetry::General => m * n,
        Symmetry::Symmetric | Symmetry::Hermitian => m * (m + 1) / 2,
        Symmetry::SkewSymmetric => m * m.saturating_sub(1) / 2,
    };
    usize::try_from(entries).ok()
}
