//! The routines of LAPACK that are measured, each on an n x n matrix.

use affinimath::ScalarKind;

/// A routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routine {
    /// LU with partial pivoting.
    Getrf,
    /// Cholesky.
    Potrf,
    /// QR.
    Geqrf,
    /// The inverse from getrf's factors.
    Getri,
    /// The inverse from potrf's factor.
    Potri,
    /// The inverse of a triangle.
    Trtri,
}

impl Routine {
    /// All of them.
    pub const ALL: [Routine; 6] =
        [Routine::Getrf, Routine::Potrf, Routine::Geqrf, Routine::Getri, Routine::Potri, Routine::Trtri];

    /// LAPACK's name without the type's letter.
    pub const fn name(self) -> &'static str {
        match self {
            Routine::Getrf => "getrf",
            Routine::Potrf => "potrf",
            Routine::Geqrf => "geqrf",
            Routine::Getri => "getri",
            Routine::Potri => "potri",
            Routine::Trtri => "trtri",
        }
    }

    /// What it computes.
    pub const fn formula(self) -> &'static str {
        match self {
            Routine::Getrf => "P A = L U",
            Routine::Potrf => "A = L L^H",
            Routine::Geqrf => "A = Q R",
            Routine::Getri => "A^-1 from getrf's factors",
            Routine::Potri => "A^-1, a triangle of it, from potrf's factor",
            Routine::Trtri => "L^-1 of a lower triangle",
        }
    }

    /// Operations on real numbers, after LAPACK Working Note 41; of complex types four times as many, as all benchmarks count them.
    pub fn operations(self, kind: ScalarKind, n: usize) -> f64 {
        let (cubic, square) = match self {
            Routine::Getrf => (2.0 / 3.0, -0.5),
            Routine::Potrf => (1.0 / 3.0, 0.5),
            Routine::Geqrf => (4.0 / 3.0, 2.0),
            Routine::Getri => (4.0 / 3.0, -1.0),
            Routine::Potri => (2.0 / 3.0, 0.5),
            Routine::Trtri => (1.0 / 3.0, 0.0),
        };
        let n = n as f64;
        let real = cubic * n * n * n + square * n * n;
        if kind.is_complex() { 4.0 * real } else { real }
    }
}
