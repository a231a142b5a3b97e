//! Level 3. Where an interface cannot express the layout, the transposed equation is told.

use crate::options::{Diag, Layout, Op, Side, Symmetry, Triangle};
use crate::scalar::Scalar;
use crate::vendor::request::{Matrix, Request, read, write};
use crate::vendor::routine::Routine;

/// op of a matrix.
type Factor<T> = (Op, Matrix<T>);

/// C := alpha op(A) op(B) + beta C.
pub(crate) fn gemm<T: Scalar>(
    request: &mut Request<T>,
    alpha: T,
    a: Factor<T>,
    b: Factor<T>,
    beta: T,
    c: Matrix<T>,
) -> Option<()> {
    if request.turns(c.layout) {
        // Cᵀ := alpha op(Bᵀ) op(Aᵀ) + beta Cᵀ.
        let transposed = |(op, matrix): Factor<T>| (op, matrix.transposed());
        return gemm(request, alpha, transposed(b), transposed(a), beta, c.transposed());
    }
    let depth = if a.0.transposes() { a.1.rows } else { a.1.columns };
    request.begin_in(Routine::Gemm, c.layout)?;
    two_factors(request, [c.rows, c.columns, depth].as_slice(), alpha, a, b, c.layout)?;
    request.factor(beta);
    request.matrix(c, write(beta != T::ZERO))
}

/// The triangle named of the same.
pub(crate) fn gemmt<T: Scalar>(
    request: &mut Request<T>,
    triangle: Triangle,
    alpha: T,
    a: Factor<T>,
    b: Factor<T>,
    beta: T,
    c: Matrix<T>,
) -> Option<()> {
    let depth = if a.0.transposes() { a.1.rows } else { a.1.columns };
    request.begin_in(Routine::Gemmt, c.layout)?;
    request.triangle(triangle);
    two_factors(request, [c.rows, depth].as_slice(), alpha, a, b, c.layout)?;
    request.factor(beta);
    request.matrix(c, write(true))
}

/// The ops of A and B, sizes, alpha, A and B.
fn two_factors<T: Scalar>(
    request: &mut Request<T>,
    sizes: &[usize],
    alpha: T,
    a: Factor<T>,
    b: Factor<T>,
    layout: Layout,
) -> Option<()> {
    let reads = read(alpha != T::ZERO);
    let [(a, op_a), (b, op_b)] = [a, b].map(|(op, matrix)| matrix.in_layout(op, layout));
    request.op(op_a)?;
    request.op(op_b)?;
    for size in sizes {
        request.size(*size)?;
    }
    request.factor(alpha);
    request.matrix(a, reads)?;
    request.matrix(b, reads)
}

/// C := alpha A B + beta C with a symmetric or Hermitian A on one of the sides.
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's symm")]
pub(crate) fn symm<T: Scalar>(
    request: &mut Request<T>,
    symmetry: Symmetry,
    side: Side,
    triangle: Triangle,
    alpha: T,
    a: Matrix<T>,
    b: Matrix<T>,
    beta: T,
    c: Matrix<T>,
) -> Option<()> {
    if a.layout != c.layout || b.layout != c.layout {
        return None;
    }
    if request.turns(c.layout) {
        let [a, b, c] = [a, b, c].map(Matrix::transposed);
        return symm(request, symmetry, side.transposed(), triangle.transposed(), alpha, a, b, beta, c);
    }
    let reads = read(alpha != T::ZERO);
    let routine = if symmetry == Symmetry::Hermitian { Routine::Hemm } else { Routine::Symm };
    request.begin_in(routine, c.layout)?;
    request.side(side);
    request.triangle(triangle);
    request.size(c.rows)?;
    request.size(c.columns)?;
    request.factor(alpha);
    request.matrix(a, reads)?;
    request.matrix(b, reads)?;
    request.factor(beta);
    request.matrix(c, write(beta != T::ZERO))
}

/// C := alpha op(A) op(A)ᵀ + beta C, or of two matrices with B, on a triangle; with adjoints for a Hermitian C, where
/// beta, and alpha where there is one matrix, are real.
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's syr2k")]
pub(crate) fn rank_k<T: Scalar>(
    request: &mut Request<T>,
    (triangle, symmetry): (Triangle, Symmetry),
    op: Op,
    alpha: T,
    a: Matrix<T>,
    b: Option<Matrix<T>>,
    beta: T,
    c: Matrix<T>,
) -> Option<()> {
    let hermitian = symmetry == Symmetry::Hermitian && T::KIND.is_complex();
    let (no_trans, trans) = (Op::NoTrans, if hermitian { Op::ConjTrans } else { Op::Trans });
    if T::KIND.is_complex() && op != no_trans && op != trans || a.layout != c.layout {
        return None;
    }
    if b.is_some_and(|b| b.layout != c.layout) {
        return None;
    }
    if request.turns(c.layout) {
        let op = if op.transposes() { no_trans } else { trans };
        let alpha = if hermitian { alpha.conjugate() } else { alpha };
        let (a, b, c) = (a.transposed(), b.map(Matrix::transposed), c.transposed());
        return rank_k(request, (triangle.transposed(), symmetry), op, alpha, a, b, beta, c);
    }
    let routine = match (symmetry, b) {
        (Symmetry::Symmetric, None) => Routine::Syrk,
        (Symmetry::Hermitian, None) => Routine::Herk,
        (Symmetry::Symmetric, Some(_)) => Routine::Syr2k,
        (Symmetry::Hermitian, Some(_)) => Routine::Her2k,
    };
    let reads = read(alpha != T::ZERO);
    let real = |number: T| T::RealScalar::from_parts(number.re(), 0.0);
    request.begin_in(routine, c.layout)?;
    request.triangle(triangle);
    request.op(op)?;
    request.size(c.rows)?;
    request.size(if op.transposes() { a.rows } else { a.columns })?;
    if hermitian && b.is_none() {
        request.real(real(alpha))
    } else {
        request.factor(alpha)
    }
    request.matrix(a, reads)?;
    if let Some(b) = b {
        request.matrix(b, reads)?;
    }
    if hermitian {
        request.real(real(beta))
    } else {
        request.factor(beta)
    }
    request.matrix(c, write(true))
}

/// B := alpha op(A) B, or B := alpha op(A)⁻¹ B with a triangle on one of the sides: trmm and trsm.
pub(crate) fn triangular<T: Scalar>(
    request: &mut Request<T>,
    routine: Routine,
    side: Side,
    (triangle, op, diagonal): (Triangle, Op, Diag),
    alpha: T,
    a: Matrix<T>,
    b: Matrix<T>,
) -> Option<()> {
    if a.layout != b.layout {
        return None;
    }
    if request.turns(b.layout) {
        let options = (triangle.transposed(), op, diagonal);
        return triangular(request, routine, side.transposed(), options, alpha, a.transposed(), b.transposed());
    }
    let reads = alpha != T::ZERO;
    request.begin_in(routine, b.layout)?;
    request.side(side);
    request.triangle(triangle);
    request.op(op)?;
    request.diagonal(diagonal);
    request.size(b.rows)?;
    request.size(b.columns)?;
    request.factor(alpha);
    request.matrix(a, read(reads))?;
    request.matrix(b, write(reads))?;
    if routine == Routine::Trmm {
        request.matrix_again();
    }
    Some(())
}
