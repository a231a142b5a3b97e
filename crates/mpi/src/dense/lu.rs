//! LU factorisation with partial pivoting (ScaLAPACK's pxGETRF), with a look-ahead of one panel.

use std::ops::Range;
use std::rc::Rc;

use affinimath::{Diag, Op, Scalar, Side, Triangle};

use super::blocks::{Panel, block, block_mut, multiply, pack, solve, unpack};
use super::cholesky::check_right_side;
use super::gemm::check_grids;
use super::interchange::{net_permutation, permute_rows};
use super::matrix::DistMatrix;
use super::panel::LuPanel;
use super::trsm;
use crate::comm::{Ring, Tag};
use crate::error::{Error, Result};
use crate::layout::MatrixLayout;

/// A = P L U with partial pivoting, the factors in the place of A. The result is LAPACK's `ipiv` on all ranks: row t
/// was exchanged with row `pivots[t]`, both from 1, for t = 1 to min(m, n).
///
/// A matrix in square blocks is factorised where it lies. Another one takes memory for a copy.
///
/// # Errors
/// [`Error::ZeroPivot`], with complete factors in A ([`getrf_info`] gives the pivots too), [`Error::Mismatch`] if ranks
/// disagree; else the error of the rank that failed.
pub fn getrf<T: Scalar>(a: &mut DistMatrix<T>) -> Result<Vec<i32>> {
    let (pivots, info) = getrf_info(a)?;
    if info == 0 { Ok(pivots) } else { Err(Error::ZeroPivot { index: info }) }
}

/// [`getrf`], with LAPACK's info beside the pivots: 0, or the number of the first pivot that is exactly zero.
///
/// # Errors
/// Those of [`getrf`] but for the pivot.
pub fn getrf_info<T: Scalar>(a: &mut DistMatrix<T>) -> Result<(Vec<i32>, usize)> {
    let grid = a.grid().clone();
    let own = i32::try_from(a.rows()).map(drop);
    let own = own.map_err(|_| Error::argument("A", "pivots are numbers of 32 bits, and it has more rows"));
    grid.agree(a.agreement("getrf"), own)?;
    let layout = *a.layout();
    let (pivots, info) = if layout.rows.block() == layout.columns.block() {
        grid.together(|| factor(a))?
    } else {
        let block = layout.rows.block().min(layout.columns.block());
        let mut copy = a.redistribute(Op::NoTrans, MatrixLayout::new(&grid, layout.shape(), (block, block))?)?;
        let result = grid.together(|| factor(&mut copy))?;
        let back = copy.redistribute(Op::NoTrans, layout)?;
        a.copy_from(&back, None);
        result
    };
    Ok((pivots.into_iter().map(|pivot| pivot as i32 + 1).collect(), info))
}

/// Solves op(A) X = B with the factors and pivots of [`getrf`], and puts X in the place of B.
///
/// # Errors
/// Those of [`trsm()`]; [`Error::Argument`] for pivots that are not A's.
pub fn getrs<T: Scalar>(op: Op, factors: &DistMatrix<T>, pivots: &[i32], b: &mut DistMatrix<T>) -> Result<()> {
    let own = check_grids(&[factors, b]).and_then(|()| check_right_side(factors, b));
    let own = own.and_then(|()| check_pivots(pivots, b.rows()));
    let digest = pivots.iter().fold(0_i64, |sum, pivot| sum.wrapping_mul(31).wrapping_add(i64::from(*pivot)));
    let agreement = b.agreement("getrs").integer("op", i64::from(op.code())).integer("pivots", digest);
    let grid = b.grid().clone();
    grid.agree(agreement, own)?;
    let pivots: Vec<usize> = pivots.iter().map(|pivot| *pivot as usize - 1).collect();
    let columns = 0..b.local_columns();
    let permute = |b: &mut DistMatrix<T>| {
        let moves = net_permutation(0, &pivots, op.transposes());
        grid.together(|| permute_rows(b, &moves, std::slice::from_ref(&columns)))
    };
    let lower = |b: &mut DistMatrix<T>| trsm::trsm(Side::Left, Triangle::Lower, op, Diag::Unit, T::ONE, factors, b);
    let upper = |b: &mut DistMatrix<T>| trsm::trsm(Side::Left, Triangle::Upper, op, Diag::NonUnit, T::ONE, factors, b);
    if op.transposes() {
        upper(b)?;
        lower(b)?;
        return permute(b);
    }
    permute(b)?;
    lower(b)?;
    upper(b)
}

/// Solves A X = B: the factors in the place of A, and X in that of B. The result is [`getrf`]'s.
///
/// # Errors
/// Those of [`getrf`] and [`getrs`]. B is as it was if a pivot is zero.
pub fn gesv<T: Scalar>(a: &mut DistMatrix<T>, b: &mut DistMatrix<T>) -> Result<Vec<i32>> {
    let own = check_grids(&[a, b]).and_then(|()| check_right_side(a, b));
    b.grid().clone().agree(b.agreement("gesv"), own)?;
    let pivots = getrf(a)?;
    getrs(Op::NoTrans, a, &pivots, b)?;
    Ok(pivots)
}

fn check_pivots(pivots: &[i32], n: usize) -> Result<()> {
    if pivots.len() != n {
        return Err(Error::argument("pivots", format!("there are {}, and A has {n} rows", pivots.len())));
    }
    match pivots.iter().find(|pivot| !(1..=n as i64).contains(&i64::from(**pivot))) {
        Some(pivot) => Err(Error::argument("pivots", format!("{pivot} does not lie in 1 to {n}"))),
        None => Ok(()),
    }
}

/// A panel on its way along a row of ranks.
struct PanelStep {
    start: usize,
    width: usize,
    /// Local rows from the diagonal block on.
    rows: Range<usize>,
}

/// Factorises a matrix in square blocks.
fn factor<T: Scalar>(a: &mut DistMatrix<T>) -> Result<(Vec<usize>, usize)> {
    let grid = a.grid().clone();
    let (rows, columns) = (a.layout().rows, a.layout().columns);
    let (order, nb) = (rows.length().min(columns.length()), rows.block());
    let mut ring = Ring::new(grid.along_row(), Tag::RowPanel);
    let mut pivot_ring = Ring::new(grid.along_row(), Tag::Pivots);
    let mut solutions = Ring::new(grid.along_column(), Tag::ColumnPanel);
    let step = |start: usize| PanelStep {
        start,
        width: nb.min(order - start),
        rows: rows.local_from(grid.row(), start)..rows.local_length(grid.row()),
    };
    let begin = |step: &PanelStep, a: &mut DistMatrix<T>, ring: &mut Ring<'_, T>, pivots: &mut Ring<'_, i64>| {
        let root = columns.owner(step.start);
        let ld = a.leading_dimension();
        let mut message = Vec::new();
        let mut elements = Vec::new();
        if grid.column() == root {
            let own = columns.local_range(grid.column(), step.start..step.start + step.width);
            let panel = pack(a.local(), ld, &step.rows, &own);
            let panel = LuPanel::new(grid.along_column(), rows, step.start, step.width, panel);
            let (factored, pivots, info) = panel.factor()?;
            unpack(&factored, a.local_mut(), ld, &step.rows, &own);
            message.extend(pivots.iter().map(|pivot| *pivot as i64));
            message.push(info as i64);
            elements = factored;
        }
        let pivots = pivots.start(root, step.width + 1, || Ok(message))?;
        let panel = ring.start(root, step.rows.len() * step.width, || Ok(elements))?;
        Ok::<_, Error>((pivots, panel))
    };
    let mut next = if order == 0 { None } else { Some(begin(&step(0), a, &mut ring, &mut pivot_ring)?) };
    let (mut start, mut all_pivots, mut info) = (0, Vec::with_capacity(order), 0);
    while let Some((pivots, panel)) = next.take() {
        let current = step(start);
        let message = pivot_ring.finish(pivots)?;
        let panel = ring.finish(panel)?;
        let pivots: Vec<usize> = message[..current.width].iter().map(|pivot| *pivot as usize).collect();
        if info == 0 {
            info = message[current.width] as usize;
        }
        let end = start + current.width;
        let own = columns.local_range(grid.column(), start..end);
        let others = [0..own.start, own.end..a.local_columns()];
        permute_rows(a, &net_permutation(start, &pivots, false), &others)?;
        all_pivots.extend(pivots);
        let trailing = Trailing::new(a, &current, panel, &mut solutions)?;
        let mut updated = own.end;
        if end < order {
            let following = columns.local_range(grid.column(), end..(end + nb).min(columns.length()));
            trailing.apply(a, &following)?;
            next = Some(begin(&step(end), a, &mut ring, &mut pivot_ring)?);
            updated = following.end;
        }
        trailing.apply(a, &(updated..a.local_columns()))?;
        start = end;
    }
    ring.flush()?;
    pivot_ring.flush()?;
    solutions.flush()?;
    Ok((all_pivots, info))
}

/// A22 -= L21 U12, where U12 := L11^-1 A12.
struct Trailing<T> {
    /// This rank's rows of the panel, from the diagonal block on.
    left: Rc<Vec<T>>,
    left_rows: Range<usize>,
    /// Local rows below the panel's diagonal block.
    below: Range<usize>,
    right: Rc<Vec<T>>,
    right_columns: Range<usize>,
    width: usize,
}

impl<T: Scalar> Trailing<T> {
    /// Solves for U12 in the row of ranks that has the diagonal block, and broadcasts it down the columns.
    fn new(a: &mut DistMatrix<T>, step: &PanelStep, left: Rc<Vec<T>>, solutions: &mut Ring<'_, T>) -> Result<Self> {
        let grid = a.grid().clone();
        let (rows, columns, ld) = (a.layout().rows, a.layout().columns, a.leading_dimension());
        let (width, end) = (step.width, step.start + step.width);
        let right_columns = columns.local_from(grid.column(), end)..a.local_columns();
        let below = rows.local_from(grid.row(), end)..step.rows.end;
        let right = solutions.broadcast(rows.owner(step.start), width * right_columns.len(), || {
            let top = step.rows.start..step.rows.start + width;
            if !right_columns.is_empty() {
                let triangle = block(&left, step.rows.len(), &(0..width), &(0..width))?;
                let target = block_mut(a.local_mut(), ld, &top, &right_columns)?;
                solve((Side::Left, Triangle::Lower, Op::NoTrans, Diag::Unit), triangle, target)?;
            }
            Ok(pack(a.local(), ld, &top, &right_columns))
        })?;
        Ok(Trailing { left, left_rows: step.rows.clone(), below, right, right_columns, width })
    }

    /// Updates local columns.
    fn apply(&self, a: &mut DistMatrix<T>, own: &Range<usize>) -> Result<()> {
        let grid = a.grid().clone();
        let ld = a.leading_dimension();
        let left = self.below.start - self.left_rows.start..self.below.end - self.left_rows.start;
        if own.is_empty() || left.is_empty() {
            return Ok(());
        }
        let right = own.start - self.right_columns.start..own.end - self.right_columns.start;
        let panels = (Panel::new(&self.left, self.left_rows.len()), Panel::new(&self.right, self.width));
        let (left, right) = ((panels.0, &left), (panels.1, Op::NoTrans, &right));
        multiply(grid.all(), -T::ONE, left, right, &(0..self.width), (a.local_mut(), ld), (&self.below, own))
    }
}
