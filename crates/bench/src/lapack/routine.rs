//! The routines of LAPACK that are measured, each on an m x n matrix; some need m = n.

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
    /// QR with column pivoting.
    Geqp3,
    /// Least squares, or least norm, by QR: one right-hand side.
    Gels,
    /// Least squares of least norm by QR with column pivoting: one right-hand side.
    Gelsy,
    /// The inverse from getrf's factors.
    Getri,
    /// The inverse from potrf's factor.
    Potri,
    /// The inverse of a triangle.
    Trtri,
    /// Eigenvalues and eigenvectors of a Hermitian matrix by divide and conquer.
    Syev,
    /// Its eigenvalues alone.
    SyevValues,
    /// Singular values, and min(m, n) left and right singular vectors.
    Gesdd,
    /// Singular values alone.
    GesddValues,
}

impl Routine {
    /// All of them.
    pub const ALL: [Routine; 13] = [
        Routine::Getrf,
        Routine::Potrf,
        Routine::Geqrf,
        Routine::Geqp3,
        Routine::Gels,
        Routine::Gelsy,
        Routine::Getri,
        Routine::Potri,
        Routine::Trtri,
        Routine::Syev,
        Routine::SyevValues,
        Routine::Gesdd,
        Routine::GesddValues,
    ];

    /// LAPACK's name without the type's letter, of eigenvalues alone with what is computed.
    pub const fn name(self) -> &'static str {
        match self {
            Routine::Getrf => "getrf",
            Routine::Potrf => "potrf",
            Routine::Geqrf => "geqrf",
            Routine::Geqp3 => "geqp3",
            Routine::Gels => "gels",
            Routine::Gelsy => "gelsy",
            Routine::Getri => "getri",
            Routine::Potri => "potri",
            Routine::Trtri => "trtri",
            Routine::Syev => "syev",
            Routine::SyevValues => "syev-values",
            Routine::Gesdd => "gesdd",
            Routine::GesddValues => "gesdd-values",
        }
    }

    /// The operation in a few words.
    pub const fn formula(self) -> &'static str {
        match self {
            Routine::Getrf => "P A = L U",
            Routine::Potrf => "A = L L^H",
            Routine::Geqrf => "A = Q R",
            Routine::Geqp3 => "A P = Q R",
            Routine::Gels => "the x of least ||b - A x||, or where m < n of least ||x||; A of full rank",
            Routine::Gelsy => "the same for A of any rank, by QR with column pivoting",
            Routine::Getri => "A^-1 from getrf's factors",
            Routine::Potri => "A^-1, a triangle of it, from potrf's factor",
            Routine::Trtri => "L^-1 of a lower triangle",
            Routine::Syev => "A = Z L Z^H for a symmetric or Hermitian A; peers: syevd, heevd",
            Routine::SyevValues => "L alone",
            Routine::Gesdd => {
                "A = U S V^H, min(m, n) vectors of each kind; peers: gesdd, cuSOLVER's gesvd where m >= n"
            }
            Routine::GesddValues => "S alone",
        }
    }

    /// True if it needs a square matrix.
    pub const fn is_square(self) -> bool {
        matches!(self, Routine::Potrf | Routine::Getri | Routine::Potri | Routine::Trtri) || self.has_eigenvalues()
    }

    /// True if it finds eigenvalues.
    pub const fn has_eigenvalues(self) -> bool {
        matches!(self, Routine::Syev | Routine::SyevValues)
    }

    /// True if it finds singular values.
    pub const fn has_singular_values(self) -> bool {
        matches!(self, Routine::Gesdd | Routine::GesddValues)
    }

    /// True if the matrix is Hermitian, with its lower triangle stored.
    pub const fn is_hermitian(self) -> bool {
        matches!(self, Routine::Potrf | Routine::Potri) || self.has_eigenvalues()
    }

    /// True if it solves for a right-hand side.
    pub const fn solves(self) -> bool {
        matches!(self, Routine::Gels | Routine::Gelsy)
    }

    /// True if it permutes columns.
    pub const fn permutes(self) -> bool {
        matches!(self, Routine::Geqp3 | Routine::Gelsy)
    }

    /// Real operations, after LAPACK Working Note 41; of complex types four times as many, as all benchmarks
    /// count them.
    pub fn operations(self, kind: ScalarKind, (rows, columns): (usize, usize)) -> f64 {
        let (m, n) = (rows as f64, columns as f64);
        let k = m.min(n);
        let cubic = |factor: f64, square: f64| factor * n * n * n + square * n * n;
        let qr = 2.0 * k * k * (m.max(n) - k / 3.0) + if rows >= columns { m * n + n * n } else { 3.0 * m * n - m * m };
        let real = match self {
            Routine::Getrf => 2.0 * (m * n * k - (m + n) * k * k / 2.0 + k * k * k / 3.0) - 0.5 * k * k,
            Routine::Geqrf | Routine::Geqp3 => qr,
            // Q^H or Q applied to one column, and a triangular solve.
            Routine::Gels | Routine::Gelsy => qr + 4.0 * m.max(n) * k - 2.0 * k * k + k * k,
            Routine::Potrf => cubic(1.0 / 3.0, 0.5),
            Routine::Getri => cubic(4.0 / 3.0, -1.0),
            Routine::Potri => cubic(2.0 / 3.0, 0.5),
            Routine::Trtri => cubic(1.0 / 3.0, 0.0),
            // The reduction; the merges without deflation, and the reflectors applied to the vectors.
            Routine::Syev => cubic(4.0 / 3.0 + 4.0 / 3.0 + 2.0, 0.0),
            Routine::SyevValues => cubic(4.0 / 3.0, 0.0),
            // The reduction to bidiagonal form; merges and reflectors for both kinds of vectors.
            Routine::Gesdd => 4.0 * k * k * (m.max(n) - k / 3.0) + 4.0 * k * k * m.max(n) + 14.0 * k * k * k,
            Routine::GesddValues => 4.0 * k * k * (m.max(n) - k / 3.0),
        };
        if kind.is_complex() { 4.0 * real } else { real }
    }
}
