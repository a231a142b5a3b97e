//! Calls of the library's routines in expressions, as plain data.

mod solve;

pub use solve::{MatrixProperties, MatrixStructure, Solve, SolveMethod, SolveReport, SystemPlan};

use super::element::ElementType;
use super::error::ErrorKind;
use super::op::Routine;
use super::shape::{Axes, Shape};
use affinimath_core::Triangle;
use affinimath_core::fft::{Direction, Transform};
use std::hash::{Hash, Hasher};

/// A routine that an executor has. Matrices are the last two axes of operands; the axes before them are a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LibraryCall {
    /// A X = B for A of `m x n` and B of `m x k`, of the same batch: X, `n x k`. Where A is not square, X is the
    /// least-squares solution, or of many solutions the one of least norm. A second output is the report, if asked for.
    Solve(Solve),
    /// The inverse of a square matrix.
    Inverse,
    /// P A = L U of an `m x n` matrix. Outputs: the row of A that is row i of P A, an `I64`, for each of m rows; L
    /// below the diagonal and U on and above it, `m x n`; and the determinant of P, 1 or -1.
    Lu,
    /// A = Q R of an `m x n` matrix. Outputs: Q, `m x min(m, n)`; and R on and above the diagonal of an `m x n` matrix.
    Qr,
    /// L or U of a positive definite matrix, in the triangle that is read. The other one is not part of the result.
    Cholesky(Triangle),
    /// A = Z diag(w) Zᴴ of a symmetric or Hermitian matrix, of which one triangle is read. Outputs: the n real
    /// eigenvalues in ascending order; and with `vectors` Z, `n x n`.
    Eigh {
        /// The triangle that is read.
        triangle: Triangle,
        /// Z is computed.
        vectors: bool,
    },
    /// A = U diag(s) Vᴴ of an `m x n` matrix. Outputs: the min(m, n) real singular values in descending order; and with
    /// vectors U and Vᴴ.
    Svd(SingularVectors),
    /// A Fourier transform along the last axes.
    Fft(Fourier),
}

/// The singular vectors that are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SingularVectors {
    /// None.
    None,
    /// The first min(m, n): U is `m x min(m, n)`, Vᴴ `min(m, n) x n`.
    Thin,
    /// All: U is `m x m`, Vᴴ `n x n`.
    All,
}

/// A Fourier transform along the last `axes` axes, 1 to 3. Backward ones are divided by the count of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fourier {
    /// `Complex`, `RealToComplex` or `ComplexToReal`.
    pub transform: Transform,
    /// Axes.
    pub axes: usize,
    /// Points along the last axis.
    pub length: usize,
}

type Signature = (ElementType, Shape);

impl Routine for LibraryCall {
    fn name(&self) -> &'static str {
        match self {
            LibraryCall::Solve(_) => "solve",
            LibraryCall::Inverse => "inverse",
            LibraryCall::Lu => "lu",
            LibraryCall::Qr => "qr",
            LibraryCall::Cholesky(_) => "cholesky",
            LibraryCall::Eigh { .. } => "eigh",
            LibraryCall::Svd(_) => "svd",
            LibraryCall::Fft(fourier) => fourier.name(),
        }
    }

    fn hash_parameters(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
    }

    fn outputs(&self, inputs: &[Signature]) -> Result<Vec<Signature>, ErrorKind> {
        let operation = self.name();
        let &[(element, shape), ref others @ ..] = inputs else {
            return Err(ErrorKind::Argument { operation, reason: "there is no operand".into() });
        };
        if !element.is_real() && !element.is_complex() {
            return Err(ErrorKind::Unsupported { operation, element });
        }
        if let LibraryCall::Fft(fourier) = self {
            return Ok(vec![fourier.output(element, &shape)?]);
        }
        let [m, n] = matrix(operation, &shape)?;
        let batch = &shape[..shape.rank() - 2];
        let of = |element, axes: &[usize]| Ok((element, Shape::new(&[batch, axes].concat())?));
        match self {
            LibraryCall::Solve(solve) => {
                let &[(other, right)] = others else {
                    return Err(ErrorKind::Argument { operation, reason: "there is no right side".into() });
                };
                if other != element {
                    return Err(ErrorKind::Types { operation, left: element, right: other });
                }
                if solve.structure != MatrixStructure::Unknown {
                    square(operation, &shape)?;
                }
                let [rows, columns] = matrix(operation, &right)?;
                if rows != m || right[..right.rank() - 2] != *batch {
                    return Err(ErrorKind::Shapes { operation, left: shape.into(), right: right.into() });
                }
                let mut outputs = vec![of(element, &[n, columns])?];
                if solve.reports {
                    outputs.push((ElementType::I64, SolveReport::shape()?));
                }
                Ok(outputs)
            }
            LibraryCall::Inverse | LibraryCall::Cholesky(_) => {
                square(operation, &shape)?;
                Ok(vec![(element, shape)])
            }
            LibraryCall::Lu => Ok(vec![of(ElementType::I64, &[m])?, (element, shape), of(element, &[])?]),
            LibraryCall::Qr => Ok(vec![of(element, &[m, m.min(n)])?, (element, shape)]),
            LibraryCall::Eigh { vectors, .. } => {
                square(operation, &shape)?;
                let values = of(element.part(), &[n])?;
                Ok(if *vectors { vec![values, (element, shape)] } else { vec![values] })
            }
            LibraryCall::Svd(vectors) => {
                let values = of(element.part(), &[m.min(n)])?;
                let [columns, rows] = match vectors {
                    SingularVectors::None => return Ok(vec![values]),
                    SingularVectors::Thin => [m.min(n); 2],
                    SingularVectors::All => [m, n],
                };
                Ok(vec![values, of(element, &[m, columns])?, of(element, &[rows, n])?])
            }
            LibraryCall::Fft(_) => unreachable!("transforms have no matrices"),
        }
    }

    fn flops(&self, inputs: &[Signature]) -> u64 {
        let Some(&(element, shape)) = inputs.first() else { return 0 };
        if let LibraryCall::Fft(fourier) = self {
            return fourier.flops(element, &shape);
        }
        let Ok([m, n]) = matrix(self.name(), &shape) else { return 0 };
        let count = shape[..shape.rank() - 2].iter().fold(1.0, |count, &extent| count * extent as f64);
        let columns = inputs.get(1).and_then(|(_, right)| right.last()).map_or(0.0, |&columns| columns as f64);
        let (long, short) = (m.max(n) as f64, m.min(n) as f64);
        let lu = short * short * (long - short / 3.0);
        let qr = 2.0 * lu;
        let each = match self {
            LibraryCall::Solve(_) if m != n => qr + (4.0 * long * short - short * short) * columns,
            LibraryCall::Solve(solve) => match solve.structure {
                MatrixStructure::Triangular(..) => short * short * columns,
                MatrixStructure::Hermitian(_) | MatrixStructure::PositiveDefinite(_) => {
                    short.powi(3) / 3.0 + 2.0 * short * short * columns
                }
                MatrixStructure::Tridiagonal => 8.0 * short * (1.0 + columns),
                MatrixStructure::Banded { lower, upper } => {
                    let (lower, upper) = (lower.min(n) as f64, upper.min(n) as f64);
                    short * (2.0 * lower * (lower + upper) + (4.0 * lower + 2.0 * upper) * columns)
                }
                _ => lu + 2.0 * short * short * columns,
            },
            LibraryCall::Inverse => 2.0 * short.powi(3),
            LibraryCall::Lu => lu,
            LibraryCall::Qr => 2.0 * qr,
            LibraryCall::Cholesky(_) => short.powi(3) / 3.0,
            // Reduction, and with vectors the merges and the reflectors' products.
            LibraryCall::Eigh { vectors, .. } => short.powi(3) * if *vectors { 6.0 } else { 4.0 / 3.0 },
            LibraryCall::Svd(SingularVectors::None) => 2.0 * qr,
            LibraryCall::Svd(_) => 2.0 * qr + 6.0 * long * short * short,
            LibraryCall::Fft(_) => 0.0,
        };
        // A complex multiplication and addition are four real ones each.
        (count * each * if element.is_complex() { 4.0 } else { 1.0 }) as u64
    }
}

impl Fourier {
    fn name(self) -> &'static str {
        match self.transform {
            Transform::RealToComplex => "rfft",
            Transform::ComplexToReal => "irfft",
            Transform::Complex(Direction::Backward) => "ifft",
            _ => "fft",
        }
    }

    fn output(self, element: ElementType, shape: &Shape) -> Result<Signature, ErrorKind> {
        let operation = self.name();
        if self.transform.from_real() == element.is_complex() {
            return Err(ErrorKind::Unsupported { operation, element });
        }
        let first = shape.rank().checked_sub(self.axes).filter(|_| (1..=3).contains(&self.axes));
        let Some(first) = first else {
            return Err(ErrorKind::Axis { axis: -(self.axes as i64), rank: shape.rank() });
        };
        let (last, half) = (shape.rank() - 1, self.length / 2 + 1);
        let mut extents = shape.to_vec();
        let stored = if self.transform == Transform::ComplexToReal { half } else { self.length };
        if self.length == 0 || shape[first..].contains(&0) {
            return Err(ErrorKind::Empty { operation, shape: *shape });
        }
        if shape[last] != stored {
            let points = self.length;
            let reason = format!("a signal of {points} elements has {stored} values here, not {}", shape[last]);
            return Err(ErrorKind::Argument { operation, reason });
        }
        let complex = if element.part() == ElementType::F32 { ElementType::C32 } else { ElementType::C64 };
        let element = match self.transform {
            Transform::RealToComplex => {
                extents[last] = half;
                complex
            }
            Transform::ComplexToReal => {
                extents[last] = self.length;
                element.part()
            }
            _ => element,
        };
        Ok((element, Shape::new(&extents)?))
    }

    /// 5 n log2 n of complex points, half of that between real and complex ones.
    fn flops(self, element: ElementType, shape: &Shape) -> u64 {
        let first = shape.rank().saturating_sub(self.axes);
        let rows: usize = shape[first..shape.rank().saturating_sub(1)].iter().product();
        let points = (rows * self.length) as f64;
        let count: usize = shape[..first].iter().product();
        let factor = if matches!(self.transform, Transform::Complex(_)) && element.is_complex() { 5.0 } else { 2.5 };
        (factor * count as f64 * points * points.max(1.0).log2()) as u64
    }
}

/// The extents of the last two axes.
fn matrix(operation: &'static str, shape: &Shape) -> Result<[usize; 2], ErrorKind> {
    match shape[..] {
        [.., m, n] => Ok([m, n]),
        _ => {
            let reason = format!("a matrix has 2 axes at least, not {}", shape.rank());
            Err(ErrorKind::Argument { operation, reason })
        }
    }
}

fn square(operation: &'static str, shape: &Shape) -> Result<(), ErrorKind> {
    match matrix(operation, shape)? {
        [m, n] if m == n => Ok(()),
        [m, n] => Err(ErrorKind::Argument { operation, reason: format!("the matrix is {m} x {n}, and not square") }),
    }
}

/// Axes of a transform of which those before the last three are transformed on their own.
pub(crate) fn split_axes(axes: Axes) -> (Axes, Axes) {
    let list: Vec<usize> = axes.iter().collect();
    let first = list.len().saturating_sub(3);
    let set = |axes: &[usize]| axes.iter().fold(Axes::default(), |set, &axis| set.with(axis));
    (set(&list[..first]), set(&list[first..]))
}
