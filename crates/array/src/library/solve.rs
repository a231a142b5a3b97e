//! Linear systems as plain data: what is known of a matrix, the choice of a method, and the report of a solution.

use crate::element::{ElementType, Number, Value};
use crate::function::{Binary, Reduction};
use crate::node::{Complex, Node};
use crate::shape::{Axes, Shape};
use affinimath_core::refinement::Refinement;
use affinimath_core::{Diag, Error, Result, Symmetry, Triangle};

/// A call of `solve`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Solve {
    /// The structure that the caller names.
    pub structure: MatrixStructure,
    /// Dense factors in single precision, and a solution that is refined to double precision.
    pub is_mixed: bool,
    /// A second output with the words of a [`SolveReport`].
    pub reports: bool,
}

impl From<MatrixStructure> for Solve {
    fn from(structure: MatrixStructure) -> Self {
        Solve { structure, is_mixed: false, reports: false }
    }
}

/// The structure of a matrix, as its caller names it. Elements that it excludes are not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixStructure {
    /// To be found in the values. The matrix need not be square.
    Unknown,
    /// None.
    General,
    /// A = Aᵀ, by the triangle named.
    Symmetric(Triangle),
    /// A = Aᴴ, by the triangle named.
    Hermitian(Triangle),
    /// Hermitian and positive definite, by the triangle named.
    PositiveDefinite(Triangle),
    /// A triangle.
    Triangular(Triangle, Diag),
    /// The main diagonal, the one below it and the one above it.
    Tridiagonal,
    /// The main diagonal, `lower` diagonals below it and `upper` ones above it.
    Banded {
        /// Diagonals below the main one.
        lower: usize,
        /// Diagonals above the main one.
        upper: usize,
    },
}

impl MatrixStructure {
    /// True if routines read element (i, j).
    pub const fn reads(self, i: usize, j: usize) -> bool {
        match self {
            MatrixStructure::Unknown | MatrixStructure::General => true,
            MatrixStructure::Triangular(triangle, Diag::Unit) => i != j && is_in_triangle(triangle, i, j),
            MatrixStructure::Symmetric(triangle)
            | MatrixStructure::Hermitian(triangle)
            | MatrixStructure::PositiveDefinite(triangle)
            | MatrixStructure::Triangular(triangle, Diag::NonUnit) => is_in_triangle(triangle, i, j),
            MatrixStructure::Tridiagonal => i.abs_diff(j) <= 1,
            MatrixStructure::Banded { lower, upper } => i <= j.saturating_add(lower) && j <= i.saturating_add(upper),
        }
    }
}

const fn is_in_triangle(triangle: Triangle, i: usize, j: usize) -> bool {
    match triangle {
        Triangle::Lower => i >= j,
        Triangle::Upper => i <= j,
    }
}

/// Properties of the values of square matrices, which choose a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixProperties {
    /// Diagonals below the main one up to the last that is not zero.
    pub lower: usize,
    /// Diagonals above the main one up to the last that is not zero.
    pub upper: usize,
    /// A = Aᵀ, exactly.
    pub is_symmetric: bool,
    /// A = Aᴴ, exactly.
    pub is_hermitian: bool,
    /// All elements of the diagonal are real and positive.
    pub has_positive_diagonal: bool,
}

impl MatrixProperties {
    /// Numbers that an expression of properties has.
    pub const WORDS: usize = 5;

    /// The properties of the square matrices of the last two axes, of all together, as an expression:
    /// [`WORDS`](Self::WORDS) numbers of type `I64`. All are maxima over the same elements, and so one reduction.
    pub fn expression(a: &Node) -> Node {
        let shape = *a.shape();
        let axes = Axes::all(shape.rank());
        let index = |value| Node::scalar(Number::Real(Value::I64(value)));
        let (row, column) = (Node::coordinates(&shape, -2), Node::coordinates(&shape, -1));
        let is_nonzero = a.binary(Binary::Ne, &Node::scalar(Number::of_real(0.0, a.element())));
        let mirrored = a.transpose_last();
        let is_complex = a.element().is_complex();
        let adjoint = if is_complex { mirrored.complex(Complex::Conj) } else { mirrored.clone() };
        let re = if is_complex { a.complex(Complex::Re) } else { a.clone() };
        let zero = Node::scalar(Number::of_real(0.0, re.element()));
        let is_positive = re.binary(Binary::Gt, &zero);
        let is_positive = match is_complex {
            true => is_positive.binary(Binary::And, &a.complex(Complex::Im).binary(Binary::Eq, &zero)),
            false => is_positive,
        };
        let is_off_diagonal = row.binary(Binary::Ne, &column);
        let words = [
            is_nonzero.select(&row.binary(Binary::Sub, &column), &index(0)),
            is_nonzero.select(&column.binary(Binary::Sub, &row), &index(0)),
            a.binary(Binary::Ne, &mirrored).convert(ElementType::I64),
            a.binary(Binary::Ne, &adjoint).convert(ElementType::I64),
            is_off_diagonal.binary(Binary::Or, &is_positive).select(&index(0), &index(1)),
        ];
        Node::stack(0, &words.map(|word| word.reduce(Reduction::Max, axes, false)))
    }

    /// The properties from the numbers of their expression.
    pub const fn from_words(words: [i64; Self::WORDS]) -> Self {
        let [lower, upper, differs, differs_from_adjoint, lacks_positive] = words;
        MatrixProperties {
            lower: if lower > 0 { lower as usize } else { 0 },
            upper: if upper > 0 { upper as usize } else { 0 },
            is_symmetric: differs == 0,
            is_hermitian: differs_from_adjoint == 0,
            has_positive_diagonal: lacks_positive == 0,
        }
    }

    /// The properties of several matrices together.
    pub fn and(self, other: Self) -> Self {
        MatrixProperties {
            lower: self.lower.max(other.lower),
            upper: self.upper.max(other.upper),
            is_symmetric: self.is_symmetric && other.is_symmetric,
            is_hermitian: self.is_hermitian && other.is_hermitian,
            has_positive_diagonal: self.has_positive_diagonal && other.has_positive_diagonal,
        }
    }
}

/// A way to solve a system, with the part of the matrix that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolveMethod {
    /// Division by the diagonal.
    Division,
    /// Substitution with a triangle (LAPACK: trtrs).
    Substitution(Triangle, Diag),
    /// LU with partial pivoting of three diagonals (LAPACK: gtsv).
    Tridiagonal,
    /// LU with partial pivoting of a band (LAPACK: gbsv).
    Band {
        /// Diagonals below the main one.
        lower: usize,
        /// Diagonals above the main one.
        upper: usize,
    },
    /// Cholesky factors of a band (LAPACK: pbsv).
    BandCholesky {
        /// Diagonals below the main one.
        width: usize,
    },
    /// Cholesky factors of the triangle named (LAPACK: posv).
    Cholesky(Triangle),
    /// L D Lᵀ or L D Lᴴ with symmetric pivoting (Bunch and Kaufman 1977) of the triangle named (LAPACK: sysv, hesv).
    Indefinite(Symmetry, Triangle),
    /// LU with partial pivoting (LAPACK: gesv).
    Lu,
    /// Least squares, or the solution of least norm, by QR or LQ (LAPACK: gels).
    LeastSquares,
}

impl SolveMethod {
    /// Its LAPACK routine, without the letter of the type; of a division "division".
    pub const fn routine(self) -> &'static str {
        match self {
            SolveMethod::Division => "division",
            SolveMethod::Substitution(..) => "trtrs",
            SolveMethod::Tridiagonal => "gtsv",
            SolveMethod::Band { .. } => "gbsv",
            SolveMethod::BandCholesky { .. } => "pbsv",
            SolveMethod::Cholesky(_) => "posv",
            SolveMethod::Indefinite(Symmetry::Symmetric, _) => "sysv",
            SolveMethod::Indefinite(Symmetry::Hermitian, _) => "hesv",
            SolveMethod::Lu => "gesv",
            SolveMethod::LeastSquares => "gels",
        }
    }

    const fn words(self) -> [i64; 3] {
        const fn of_triangle(triangle: Triangle) -> i64 {
            matches!(triangle, Triangle::Upper) as i64
        }
        match self {
            SolveMethod::Division => [0, 0, 0],
            SolveMethod::Substitution(triangle, diagonal) => {
                [1, of_triangle(triangle), matches!(diagonal, Diag::Unit) as i64]
            }
            SolveMethod::Tridiagonal => [2, 0, 0],
            SolveMethod::Band { lower, upper } => [3, lower as i64, upper as i64],
            SolveMethod::BandCholesky { width } => [4, width as i64, 0],
            SolveMethod::Cholesky(triangle) => [5, of_triangle(triangle), 0],
            SolveMethod::Indefinite(symmetry, triangle) => {
                [6, of_triangle(triangle), matches!(symmetry, Symmetry::Hermitian) as i64]
            }
            SolveMethod::Lu => [7, 0, 0],
            SolveMethod::LeastSquares => [8, 0, 0],
        }
    }

    const fn from_words([method, first, second]: [i64; 3]) -> Option<Self> {
        let triangle = if first == 0 { Triangle::Lower } else { Triangle::Upper };
        Some(match method {
            0 => SolveMethod::Division,
            1 => SolveMethod::Substitution(triangle, if second == 0 { Diag::NonUnit } else { Diag::Unit }),
            2 => SolveMethod::Tridiagonal,
            3 => SolveMethod::Band { lower: first as usize, upper: second as usize },
            4 => SolveMethod::BandCholesky { width: first as usize },
            5 => SolveMethod::Cholesky(triangle),
            6 if second == 0 => SolveMethod::Indefinite(Symmetry::Symmetric, triangle),
            6 => SolveMethod::Indefinite(Symmetry::Hermitian, triangle),
            7 => SolveMethod::Lu,
            8 => SolveMethod::LeastSquares,
            _ => return None,
        })
    }
}

/// Diagonals of a band in a device's memory, at most, that are brought to the host: each is a launch.
const MAX_DEVICE_DIAGONALS: usize = 64;
/// Matrices of a batch below this order are factorised together by LU, which beats sysv for one after the other.
const MIN_INDEFINITE_ORDER: usize = 64;

/// The method for a system, and the one for matrices that are not positive definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemPlan {
    /// The method.
    pub method: SolveMethod,
    /// The method where the first one meets a minor that is not positive.
    pub fallback: Option<SolveMethod>,
}

impl From<SolveMethod> for SystemPlan {
    fn from(method: SolveMethod) -> Self {
        SystemPlan { method, fallback: None }
    }
}

impl SystemPlan {
    /// Chooses by the properties of `count` matrices of this order.
    ///
    /// A band pays while its factorisation has half of the operations of a dense one: `lower (lower + upper)` products
    /// for each column by LU against `order² / 3`. Matrices of a batch are solved together: a method for one after the
    /// other is not chosen on a device, and a definite band is one like others. No device has a kernel for indefinite
    /// matrices.
    pub fn choose(properties: &MatrixProperties, order: usize, count: usize, is_on_device: bool) -> Self {
        let (lower, upper) = (properties.lower, properties.upper);
        let is_definite = properties.is_hermitian && properties.has_positive_diagonal;
        let is_single = count <= 1;
        if lower == 0 && upper == 0 {
            return SolveMethod::Division.into();
        }
        if (lower == 0 || upper == 0) && (is_single || !is_on_device) {
            let triangle = if upper == 0 { Triangle::Lower } else { Triangle::Upper };
            return SolveMethod::Substitution(triangle, Diag::NonUnit).into();
        }
        if lower <= 1 && upper <= 1 {
            return SolveMethod::Tridiagonal.into();
        }
        if !is_on_device || lower + upper < MAX_DEVICE_DIAGONALS {
            let band = SolveMethod::Band { lower, upper };
            if is_single && is_definite && lower.saturating_mul(4) <= order {
                return SystemPlan { method: SolveMethod::BandCholesky { width: lower }, fallback: Some(band) };
            }
            if lower.saturating_mul(lower + upper).saturating_mul(6) <= order.saturating_mul(order) {
                return band.into();
            }
        }
        if is_definite {
            return Self::of_hermitian(Triangle::Lower, true, is_on_device);
        }
        let symmetry = if properties.is_hermitian { Symmetry::Hermitian } else { Symmetry::Symmetric };
        if (properties.is_hermitian || properties.is_symmetric)
            && !is_on_device
            && (is_single || order >= MIN_INDEFINITE_ORDER)
        {
            return SolveMethod::Indefinite(symmetry, Triangle::Lower).into();
        }
        SolveMethod::Lu.into()
    }

    /// For a matrix that is known to be Hermitian, by one triangle.
    pub fn of_hermitian(triangle: Triangle, has_positive_diagonal: bool, is_on_device: bool) -> Self {
        let indefinite = Self::of_indefinite(Symmetry::Hermitian, triangle, is_on_device);
        match has_positive_diagonal {
            true => SystemPlan { method: SolveMethod::Cholesky(triangle), fallback: Some(indefinite.method) },
            false => indefinite,
        }
    }

    /// For a symmetric or Hermitian matrix that is not positive definite.
    pub fn of_indefinite(symmetry: Symmetry, triangle: Triangle, is_on_device: bool) -> Self {
        match is_on_device {
            true => SolveMethod::Lu.into(),
            false => SolveMethod::Indefinite(symmetry, triangle).into(),
        }
    }
}

/// How a system was solved, or the systems of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolveReport {
    /// The method that the structure of the matrix chose.
    pub method: SolveMethod,
    /// The method of the matrices for which the first one failed, as they are not positive definite.
    pub fallback: Option<SolveMethod>,
    /// Matrices that were solved by the fallback.
    pub fallbacks: usize,
    /// Refinement of a solution in mixed precision: of a batch the one that took most. `None` without.
    pub refinement: Option<Refinement>,
}

/// In the place of the refinement where there is none, and of a fallback.
const NONE: i64 = i64::MIN;

impl SolveReport {
    /// Numbers that a report has as an array.
    pub const WORDS: usize = 8;

    /// The report as numbers.
    pub fn words(&self) -> [i64; Self::WORDS] {
        let [method, first, second] = self.method.words();
        let [other, other_first, other_second] = self.fallback.map_or([NONE, 0, 0], SolveMethod::words);
        let refinement = self.refinement.map_or(NONE, |refinement| i64::from(refinement.iter()));
        [method, first, second, other, other_first, other_second, self.fallbacks as i64, refinement]
    }

    /// The report from its numbers.
    ///
    /// # Errors
    /// [`Error::Internal`] where they are not those of a report.
    pub fn from_words(words: &[i64]) -> Result<Self> {
        let wrong = || Error::Internal(format!("no report of a solution: {words:?}"));
        let &[method, first, second, other, other_first, other_second, fallbacks, refinement] = words else {
            return Err(wrong());
        };
        let fallback = match other {
            NONE => None,
            _ => Some(SolveMethod::from_words([other, other_first, other_second]).ok_or_else(wrong)?),
        };
        let refinement = match refinement {
            NONE => None,
            -2 => Some(Refinement::Overflow),
            -3 => Some(Refinement::NotFactorised),
            steps @ 0.. => Some(Refinement::Converged { steps: steps as usize }),
            _ => Some(Refinement::NotConverged),
        };
        Ok(SolveReport {
            method: SolveMethod::from_words([method, first, second]).ok_or_else(wrong)?,
            fallback,
            fallbacks: usize::try_from(fallbacks).map_err(|_| wrong())?,
            refinement,
        })
    }

    /// The shape of a report as an array.
    pub(super) fn shape() -> std::result::Result<Shape, crate::error::ErrorKind> {
        Shape::new(&[Self::WORDS])
    }
}

#[cfg(test)]
mod tests;
