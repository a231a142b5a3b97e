//! Writing.

use std::io::{self, Write};

use super::{Coordinates, Field, Format, Values};

/// Writes a matrix in its own format, field and symmetry. Numbers are as short as reads back to the same bits.
///
/// # Errors
/// Errors of the destination. Writes are small and many: use a buffered one.
pub fn write(matrix: &Coordinates, mut to: impl Write) -> io::Result<()> {
    let Coordinates { rows, columns, format, field, symmetry, .. } = matrix;
    writeln!(to, "%%MatrixMarket matrix {} {} {}", format.word(), field.word(), symmetry.word())?;
    match format {
        Format::Coordinate => writeln!(to, "{rows} {columns} {}", matrix.listed())?,
        Format::Array => writeln!(to, "{rows} {columns}")?,
    }
    for (entry, (row, column)) in matrix.entry_positions().enumerate() {
        if *format == Format::Coordinate {
            write!(to, "{} {}", row + 1, column + 1)?;
            if *field != Field::Pattern {
                write!(to, " ")?;
            }
        }
        match &matrix.values {
            // The field `integer` allows no exponent.
            Values::Real(values) if *field == Field::Integer => writeln!(to, "{}", values[entry])?,
            Values::Real(values) => writeln!(to, "{:e}", values[entry])?,
            Values::Complex(values) => writeln!(to, "{:e} {:e}", values[entry].re, values[entry].im)?,
            Values::Pattern => writeln!(to)?,
        }
    }
    to.flush()
}
