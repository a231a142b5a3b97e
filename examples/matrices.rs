//! Makes the matrices of `examples/data`: `cargo run --example matrices`.

use std::f64::consts::{PI, TAU};
use std::fs::File;
use std::io::{self, BufWriter};

use affinimath::Complex64;
use affinimath::sparse::matrix_market::{Coordinates, Field, Format, Symmetry, Values, write};

fn main() -> io::Result<()> {
    save("poisson2d", &poisson2d(20))?;
    save("convection_diffusion", &convection_diffusion(15, 30.0))?;
    save("hermitian_lattice", &hermitian_lattice(12, 1.0 / 5.0))?;
    save("polynomial_fit", &polynomial_fit(40, 6))?;
    save("polynomial_fit_b", &samples(40, f64::exp))?;
    save("hilbert", &hilbert(10))
}

fn save(name: &str, matrix: &Coordinates) -> io::Result<()> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data");
    write(matrix, BufWriter::new(File::create(format!("{folder}/{name}.mtx"))?))
}

/// The Laplacian on a square of `side * side` points, zero outside, by differences of five points: symmetric positive
/// definite.
fn poisson2d(side: usize) -> Coordinates {
    let entries = grid(side).flat_map(|point| {
        let later = neighbours(side, point).filter(move |(row, ..)| *row > point);
        std::iter::once((point, point, 4.0)).chain(later.map(move |(row, ..)| (row, point, -1.0)))
    });
    real(side * side, Symmetry::Symmetric, entries)
}

/// The same with a wind along x, taken from upstream: unsymmetric.
fn convection_diffusion(side: usize, wind: f64) -> Coordinates {
    // The wind's number is that of the whole square: a cell sees its part.
    let wind = wind / (side + 1) as f64;
    let entries = grid(side).flat_map(move |point| {
        // Entry (row, point) is what the point gives its neighbour: the one downstream gets the wind too.
        let given = neighbours(side, point).map(move |(row, along_x)| {
            let downstream = along_x && row > point;
            (row, point, if downstream { -1.0 - wind } else { -1.0 })
        });
        std::iter::once((point, point, 4.0 + wind)).chain(given)
    });
    real(side * side, Symmetry::General, entries)
}

/// A particle on a square lattice in a magnetic field (Peierls, 1933; Hofstadter, 1976), with its energy shifted above
/// zero: complex Hermitian positive definite. `flux` is the field's through each cell.
fn hermitian_lattice(side: usize, flux: f64) -> Coordinates {
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let mut add = |row, column, value| {
        rows.push(row);
        columns.push(column);
        values.push(value);
    };
    for point in grid(side) {
        add(point, point, Complex64::new(4.5, 0.0));
        for (row, along_x) in neighbours(side, point).filter(|(row, _)| *row > point) {
            let phase = if along_x { 0.0 } else { TAU * flux * (point % side) as f64 };
            add(row, point, -Complex64::cis(phase));
        }
    }
    Coordinates {
        rows: side * side,
        columns: side * side,
        row_indices: rows,
        col_indices: columns,
        values: Values::Complex(values),
        field: Field::Complex,
        symmetry: Symmetry::Hermitian,
        format: Format::Coordinate,
    }
}

/// Powers 0, 1, ... of the Chebyshev points: a rectangular matrix of more equations than unknowns.
fn polynomial_fit(points: usize, powers: usize) -> Coordinates {
    let columns = (0..powers).flat_map(|power| chebyshev(points).map(move |x| x.powi(power as i32)));
    Coordinates::array(points, powers, Values::Real(columns.collect()))
}

/// The values of a function at the Chebyshev points.
fn samples(points: usize, of: impl Fn(f64) -> f64) -> Coordinates {
    Coordinates::array(points, 1, Values::Real(chebyshev(points).map(of).collect()))
}

fn chebyshev(points: usize) -> impl Iterator<Item = f64> {
    (0..points).map(move |i| (PI * (i as f64 + 0.5) / points as f64).cos())
}

/// Hilbert's matrix, `1 / (i + j - 1)`: symmetric positive definite and very ill conditioned. All of it, as an array.
fn hilbert(order: usize) -> Coordinates {
    let lower = (0..order).flat_map(|j| (j..order).map(move |i| 1.0 / (i + j + 1) as f64));
    Coordinates {
        rows: order,
        columns: order,
        row_indices: Vec::new(),
        col_indices: Vec::new(),
        values: Values::Real(lower.collect()),
        field: Field::Real,
        symmetry: Symmetry::Symmetric,
        format: Format::Array,
    }
}

/// The points of a square, numbered along x first.
fn grid(side: usize) -> std::ops::Range<usize> {
    0..side * side
}

/// A point's neighbours, and whether they lie along x.
fn neighbours(side: usize, point: usize) -> impl Iterator<Item = (usize, bool)> {
    let (x, y) = (point % side, point / side);
    [
        (y > 0).then(|| (point - side, false)),
        (x > 0).then(|| (point - 1, true)),
        (x + 1 < side).then(|| (point + 1, true)),
        (y + 1 < side).then(|| (point + side, false)),
    ]
    .into_iter()
    .flatten()
}

fn real(order: usize, symmetry: Symmetry, entries: impl Iterator<Item = (usize, usize, f64)>) -> Coordinates {
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (row, column, value) in entries {
        rows.push(row);
        columns.push(column);
        values.push(value);
    }
    Coordinates {
        rows: order,
        columns: order,
        row_indices: rows,
        col_indices: columns,
        values: Values::Real(values),
        field: Field::Real,
        symmetry,
        format: Format::Coordinate,
    }
}
