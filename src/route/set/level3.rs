//! Level 3 on several devices: arguments are checked, calls without products are done on the host, and others are cut
//! into tiles.

use affinimath_macros::instances;

use super::{DeviceSet, start};
use crate::blas::level3::gemm::GemmProblem;
use crate::blas::level3::rank_k::{check_same_size, real};
use crate::blas::level3::trsm::TrsmProblem;
use crate::blas::level3::{gemmt, symm as symmetric, trmm as triangular};
use crate::error::Result;
use crate::host;
use crate::options::{Diag, Op, Side, Symmetry, Triangle};
use crate::route::dispatch::{on_host, on_host_mut};
use crate::scalar::Scalar;
use crate::spread::plan::{self, RankUpdate, Triangular};
use crate::spread::{Tiled, run};
use crate::view::{MatrixMut, MatrixRef};

#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's gemm")]
#[instances]
pub(crate) fn gemm<T: Scalar>(
    set: &DeviceSet,
    op_a: Op,
    op_b: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<()> {
    let problem = GemmProblem::new(T::KIND, op_a, op_b, a.shape(), b.shape(), c.shape())?;
    let starts = (start(&a, "A")?, start(&b, "B")?, start(&c, "C")?);
    if problem.m == 0 || problem.n == 0 {
        return Ok(()); // BLAS: nothing changes.
    }
    if alpha == T::ZERO || problem.k == 0 {
        host::gemm::gemm(op_a, op_b, alpha, on_host(a), on_host(b), beta, on_host_mut(c));
        return Ok(());
    }
    let tile = [set.tile::<T>(c.rows().max(c.columns())); 2];
    let matrices = [
        Tiled::new(starts.0, *a.shape(), tile),
        Tiled::new(starts.1, *b.shape(), tile),
        Tiled::new(starts.2, *c.shape(), tile),
    ];
    // SAFETY: the views hold valid matrices, C's is exclusive, and all are borrowed until this returns.
    unsafe { run(&set.contexts, plan::gemm([op_a, op_b], alpha, matrices, beta)) }
}

#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's symm")]
#[instances]
pub(crate) fn symm<T: Scalar>(
    set: &DeviceSet,
    side: Side,
    triangle: Triangle,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<()> {
    mirrored(set, (side, triangle, Symmetry::Symmetric), alpha, a, b, beta, c)
}

#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's hemm")]
#[instances]
pub(crate) fn hemm<T: Scalar>(
    set: &DeviceSet,
    side: Side,
    triangle: Triangle,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<()> {
    mirrored(set, (side, triangle, Symmetry::Hermitian), alpha, a, b, beta, c)
}

fn mirrored<T: Scalar>(
    set: &DeviceSet,
    options: (Side, Triangle, Symmetry),
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<()> {
    let (side, triangle, symmetry) = options;
    symmetric::problem(T::KIND, symmetry, side, triangle, [a.shape(), b.shape(), c.shape()])?;
    let starts = (start(&a, "A")?, start(&b, "B")?, start(&c, "C")?);
    if c.rows() == 0 || c.columns() == 0 {
        return Ok(()); // BLAS: nothing changes.
    }
    if alpha == T::ZERO {
        host::level3::symm(symmetry, side, triangle, alpha, on_host(a), on_host(b), beta, on_host_mut(c));
        return Ok(());
    }
    let tile = [set.tile::<T>(c.rows().max(c.columns())); 2];
    let matrices = [
        Tiled::new(starts.0, *a.shape(), tile),
        Tiled::new(starts.1, *b.shape(), tile),
        Tiled::new(starts.2, *c.shape(), tile),
    ];
    // SAFETY: the views hold valid matrices, C's is exclusive, and all are borrowed until this returns.
    unsafe { run(&set.contexts, plan::symm(options, alpha, matrices, beta)) }
}

#[instances]
pub(crate) fn syrk<T: Scalar>(
    set: &DeviceSet,
    triangle: Triangle,
    op: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<()> {
    let update = RankUpdate { triangle, symmetry: Symmetry::Symmetric, op, alpha, beta, two: false };
    rank(set, update, a, None, c)
}

#[instances]
pub(crate) fn herk<T: Scalar>(
    set: &DeviceSet,
    triangle: Triangle,
    op: Op,
    alpha: T::RealScalar,
    a: MatrixRef<'_, T>,
    beta: T::RealScalar,
    c: MatrixMut<'_, T>,
) -> Result<()> {
    let (alpha, beta) = (real(alpha), real(beta));
    let update = RankUpdate { triangle, symmetry: Symmetry::Hermitian, op, alpha, beta, two: false };
    rank(set, update, a, None, c)
}

#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's syr2k")]
#[instances]
pub(crate) fn syr2k<T: Scalar>(
    set: &DeviceSet,
    triangle: Triangle,
    op: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T,
    c: MatrixMut<'_, T>,
) -> Result<()> {
    let update = RankUpdate { triangle, symmetry: Symmetry::Symmetric, op, alpha, beta, two: true };
    rank(set, update, a, Some(b), c)
}

#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's her2k")]
#[instances]
pub(crate) fn her2k<T: Scalar>(
    set: &DeviceSet,
    triangle: Triangle,
    op: Op,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    beta: T::RealScalar,
    c: MatrixMut<'_, T>,
) -> Result<()> {
    let update = RankUpdate { triangle, symmetry: Symmetry::Hermitian, op, alpha, beta: real(beta), two: true };
    rank(set, update, a, Some(b), c)
}

fn rank<T: Scalar>(
    set: &DeviceSet,
    update: RankUpdate<T>,
    a: MatrixRef<'_, T>,
    b: Option<MatrixRef<'_, T>>,
    c: MatrixMut<'_, T>,
) -> Result<()> {
    let RankUpdate { op, alpha, beta, .. } = update;
    let target = (update.triangle, update.symmetry);
    let turned = update.symmetry.turned(op);
    let right = b.unwrap_or(a);
    check_same_size(a.shape(), right.shape())?;
    let problem = gemmt::problem(T::KIND, target, (op, a.shape()), (turned, right.shape()), c.shape())?;
    let starts = (start(&a, "A")?, start(&right, "B")?, start(&c, "C")?);
    if c.rows() == 0 {
        return Ok(()); // BLAS: nothing changes.
    }
    if alpha == T::ZERO || problem.k == 0 {
        let c = on_host_mut(c);
        match b {
            None => host::level3::gemmt(target, (op, on_host(a)), (turned, on_host(a)), alpha, beta, c),
            Some(b) => host::level3::rank_2k(target, op, alpha, (on_host(a), on_host(b)), beta, c),
        }
        return Ok(());
    }
    let tile = [set.tile::<T>(c.rows()); 2];
    let matrices = [
        Tiled::new(starts.0, *a.shape(), tile),
        Tiled::new(starts.1, *right.shape(), tile),
        Tiled::new(starts.2, *c.shape(), tile),
    ];
    // SAFETY: the views hold valid matrices, C's is exclusive, and all are borrowed until this returns.
    unsafe { run(&set.contexts, update.plan(matrices)) }
}

#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's trmm")]
#[instances]
pub(crate) fn trmm<T: Scalar>(
    set: &DeviceSet,
    side: Side,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<()> {
    triangular::problem(T::KIND, side, (triangle, op, diagonal), a.shape(), b.shape())?;
    let (of_a, of_b) = (start(&a, "A")?, start(&b, "B")?);
    if b.rows() == 0 || b.columns() == 0 {
        return Ok(()); // BLAS: nothing changes.
    }
    if alpha == T::ZERO {
        host::level3::trmm(side, triangle, op, diagonal, alpha, on_host(a), on_host_mut(b));
        return Ok(());
    }
    let (a, b) = in_chains(set, side, (of_a, a), (of_b, &b));
    let product = Triangular { side, triangle, op, diagonal, alpha };
    // SAFETY: the views hold valid matrices, B's is exclusive, and both are borrowed until this returns.
    unsafe { run(&set.contexts, plan::trmm(&product, a, b)) }
}

#[allow(clippy::too_many_arguments, reason = "the operands of BLAS's trsm")]
#[instances]
pub(crate) fn trsm<T: Scalar>(
    set: &DeviceSet,
    side: Side,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    alpha: T,
    a: MatrixRef<'_, T>,
    b: MatrixMut<'_, T>,
) -> Result<()> {
    let problem = TrsmProblem::new(T::KIND, side, (triangle, op, diagonal), a.shape(), b.shape())?;
    let (of_a, of_b) = (start(&a, "A")?, start(&b, "B")?);
    if problem.n == 0 || problem.columns == 0 {
        return Ok(()); // BLAS: nothing changes.
    }
    if alpha == T::ZERO {
        host::trsm::trsm(side, triangle, op, diagonal, alpha, on_host(a), on_host_mut(b));
        return Ok(());
    }
    let (a, b) = in_chains(set, side, (of_a, a), (of_b, &b));
    let system = Triangular { side, triangle, op, diagonal, alpha };
    // SAFETY: the views hold valid matrices, B's is exclusive, and both are borrowed until this returns.
    unsafe { run(&set.contexts, plan::trsm(&system, a, b)) }
}

/// A triangular matrix in square tiles, and a B whose chains, of which one device has each, are about as many as tiles
/// of a product.
fn in_chains<T: Scalar>(
    set: &DeviceSet,
    side: Side,
    (of_a, a): (*mut T, MatrixRef<'_, T>),
    (of_b, b): (*mut T, &MatrixMut<'_, T>),
) -> (Tiled<T>, Tiled<T>) {
    let others = if side == Side::Left { b.columns() } else { b.rows() };
    let (order, across) = (set.tile::<T>(a.rows()), set.tile::<T>(others));
    let tile = if side == Side::Left { [order, across] } else { [across, order] };
    (Tiled::new(of_a, *a.shape(), [order; 2]), Tiled::new(of_b, *b.shape(), tile))
}
