//! Rank-k updates of a triangle, and products with symmetric and Hermitian matrices.

use affinimath::{Op, Scalar, Side, Triangle};

use super::gemm::{Region, check_grids, conforming, depth_deals, gemm, scale, summa};
use super::matrix::DistMatrix;
use crate::error::{Error, Result};
use crate::layout::MatrixLayout;

/// C := alpha op(A) op(A)^H + beta C in a triangle of C: ScaLAPACK's pxHERK. The diagonal becomes real.
///
/// # Errors
/// Those of [`gemm`].
pub fn herk<T: Scalar>(
    triangle: Triangle,
    op: Op,
    alpha: T::RealScalar,
    a: &DistMatrix<T>,
    beta: T::RealScalar,
    c: &mut DistMatrix<T>,
) -> Result<()> {
    let (alpha, beta) = (T::from_parts(alpha.into(), 0.0), T::from_parts(beta.into(), 0.0));
    rank_update("herk", (triangle, true), (op, op.adjoint()), alpha, a, beta, c)
}

/// C := alpha op(A) op(A)^T + beta C in a triangle of C: ScaLAPACK's pxSYRK.
///
/// # Errors
/// Those of [`gemm`].
pub fn syrk<T: Scalar>(
    triangle: Triangle,
    op: Op,
    alpha: T,
    a: &DistMatrix<T>,
    beta: T,
    c: &mut DistMatrix<T>,
) -> Result<()> {
    let second = match op {
        Op::NoTrans => Op::Trans,
        Op::Trans => Op::NoTrans,
        Op::ConjTrans => Op::ConjNoTrans,
        Op::ConjNoTrans => Op::ConjTrans,
    };
    rank_update("syrk", (triangle, false), (op, second), alpha, a, beta, c)
}

fn rank_update<T: Scalar>(
    name: &'static str,
    (triangle, hermitian): (Triangle, bool),
    ops: (Op, Op),
    alpha: T,
    a: &DistMatrix<T>,
    beta: T,
    c: &mut DistMatrix<T>,
) -> Result<()> {
    let (n, k) = if ops.0.transposes() { (a.columns(), a.rows()) } else { (a.rows(), a.columns()) };
    let own = check_grids(&[a, c]).and_then(|()| {
        if (n, n) == (c.rows(), c.columns()) {
            return Ok(());
        }
        Err(Error::argument("sizes", format!("op(A) has {n} rows and C is {} x {}", c.rows(), c.columns())))
    });
    let agreement = c.agreement(name).size("k", k).scalar("alpha", alpha).scalar("beta", beta);
    let agreement = agreement.integer("op", i64::from(ops.0.code())).integer("uplo", i64::from(triangle.code()));
    let grid = c.grid().clone();
    grid.agree(agreement, own)?;
    if n == 0 || ((alpha == T::ZERO || k == 0) && beta == T::ONE) {
        return Ok(()); // BLAS: nothing changes.
    }
    let region = Region::Triangle(triangle, hermitian);
    scale(c, region, beta);
    if alpha == T::ZERO || k == 0 {
        return Ok(());
    }
    let (rows, columns) = (c.layout().rows, c.layout().columns);
    let (over_columns, over_rows) = depth_deals(c, k)?;
    let left = conforming(a, ops.0, |layout| layout.rows == rows, MatrixLayout { rows, columns: over_columns })?;
    let right = conforming(a, ops.1, |layout| layout.columns == columns, MatrixLayout { rows: over_rows, columns })?;
    grid.together(|| summa(alpha, &left, &right, c, region))
}

/// C := alpha A B + beta C (left side) or alpha B A + beta C, for a Hermitian A of which a triangle is read:
/// ScaLAPACK's pxHEMM. It takes memory for all of A.
///
/// # Errors
/// Those of [`gemm`].
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's hemm")]
pub fn hemm<T: Scalar>(
    side: Side,
    triangle: Triangle,
    alpha: T,
    a: &DistMatrix<T>,
    b: &DistMatrix<T>,
    beta: T,
    c: &mut DistMatrix<T>,
) -> Result<()> {
    mirrored_product((side, triangle, true), alpha, a, b, beta, c)
}

/// C := alpha A B + beta C (left side) or alpha B A + beta C, for a symmetric A of which a triangle is read:
/// ScaLAPACK's pxSYMM. It takes memory for all of A.
///
/// # Errors
/// Those of [`gemm`].
#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's symm")]
pub fn symm<T: Scalar>(
    side: Side,
    triangle: Triangle,
    alpha: T,
    a: &DistMatrix<T>,
    b: &DistMatrix<T>,
    beta: T,
    c: &mut DistMatrix<T>,
) -> Result<()> {
    mirrored_product((side, triangle, false), alpha, a, b, beta, c)
}

fn mirrored_product<T: Scalar>(
    (side, triangle, hermitian): (Side, Triangle, bool),
    alpha: T,
    a: &DistMatrix<T>,
    b: &DistMatrix<T>,
    beta: T,
    c: &mut DistMatrix<T>,
) -> Result<()> {
    let order = if side == Side::Left { c.rows() } else { c.columns() };
    let own = check_grids(&[a, b, c]).and_then(|()| {
        if (a.rows(), a.columns()) == (order, order) && (b.rows(), b.columns()) == (c.rows(), c.columns()) {
            return Ok(());
        }
        let (sizes, m, n) = (format!("A is {} x {}", a.rows(), a.columns()), c.rows(), c.columns());
        Err(Error::argument("sizes", format!("{sizes}, B {} x {} and C {m} x {n}", b.rows(), b.columns())))
    });
    let name = if hermitian { "hemm" } else { "symm" };
    let agreement = c.agreement(name).integer("side", i64::from(side.code()));
    c.grid().clone().agree(agreement.integer("uplo", i64::from(triangle.code())), own)?;
    let full = mirror(a, triangle, hermitian)?;
    match side {
        Side::Left => gemm(Op::NoTrans, Op::NoTrans, alpha, &full, b, beta, c),
        Side::Right => gemm(Op::NoTrans, Op::NoTrans, alpha, b, &full, beta, c),
    }
}

/// All of a symmetric or Hermitian matrix, from a triangle.
fn mirror<T: Scalar>(a: &DistMatrix<T>, triangle: Triangle, hermitian: bool) -> Result<DistMatrix<T>> {
    let op = if hermitian { Op::ConjTrans } else { Op::Trans };
    let mut full = a.redistribute(op, *a.layout())?;
    let (grid, layout) = (a.grid(), *a.layout());
    let (ld, full_ld) = (a.leading_dimension(), full.leading_dimension());
    let rows: Vec<usize> = layout.rows.indices(grid.row()).collect();
    for (column, j) in layout.columns.indices(grid.column()).enumerate() {
        for (row, i) in rows.iter().enumerate() {
            let stored = if triangle == Triangle::Lower { *i >= j } else { *i <= j };
            if stored {
                let value = a.local()[column * ld + row];
                let real = hermitian && *i == j;
                full.local_mut()[column * full_ld + row] = if real { T::from_parts(value.re(), 0.0) } else { value };
            }
        }
    }
    Ok(full)
}
