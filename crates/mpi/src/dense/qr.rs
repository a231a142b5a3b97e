//! QR factorisation by blocks of Householder reflectors (ScaLAPACK's pxGEQRF), with a look-ahead of one panel.

use std::ops::Range;
use std::rc::Rc;

use affinimath::{Op, Scalar};

use super::blocks::{block, block_mut, pack, unpack};
use super::gemm::check_grids;
use super::matrix::DistMatrix;
use crate::comm::{Communicator, Ring, Tag, allocate};
use crate::error::{Error, Result};
use crate::layout::BlockCyclic;

/// A = Q R: R in the place of A's upper triangle, and the Householder reflectors of Q below it, as LAPACK's geqrf. The
/// result is LAPACK's `tau` on all ranks, min(m, n) factors.
///
/// # Errors
/// [`Error::Mismatch`] if ranks disagree; else the error of the rank that failed.
pub fn geqrf<T: Scalar>(a: &mut DistMatrix<T>) -> Result<Vec<T>> {
    let grid = a.grid().clone();
    grid.agree(a.agreement("geqrf"), Ok(()))?;
    grid.together(|| factor(a))
}

/// C := op(Q) C with the reflectors of [`geqrf`], for the op `NoTrans` or `ConjTrans` (of real types `Trans` too).
///
/// # Errors
/// [`Error::Argument`] for another op, and if C does not have A's rows dealt in the same way; [`Error::Mismatch`] if
/// ranks disagree; else the error of the rank that failed.
pub fn ormqr<T: Scalar>(op: Op, a: &DistMatrix<T>, tau: &[T], c: &mut DistMatrix<T>) -> Result<()> {
    let adjoint = op.transposes();
    let own = check_grids(&[a, c]).and_then(|()| {
        if matches!(op, Op::Trans | Op::ConjNoTrans) && T::KIND.is_complex() {
            return Err(Error::argument("op", "it is neither NoTrans nor ConjTrans"));
        }
        if a.layout().rows != c.layout().rows {
            return Err(Error::argument("C", "its rows are not dealt as A's"));
        }
        let order = a.rows().min(a.columns());
        if tau.len() != order {
            return Err(Error::argument("tau", format!("there are {} factors, and {order} reflectors", tau.len())));
        }
        Ok(())
    });
    let grid = c.grid().clone();
    grid.agree(c.agreement("ormqr").integer("op", i64::from(op.code())).size("reflectors", tau.len()), own)?;
    grid.together(|| {
        let mut ring = Ring::new(grid.along_row(), Tag::RowPanel);
        let mut panels = panels(a.layout().columns, tau.len());
        // Q = Q1 Q2 ...: its adjoint begins with the first panel, Q itself with the last one.
        if !adjoint {
            panels.reverse();
        }
        for panel in panels {
            let rows = a.layout().rows.local_from(grid.row(), panel.start)..a.local_rows();
            let root = a.layout().columns.owner(panel.start);
            let elements = ring.broadcast(root, rows.len() * panel.len(), || {
                let own = a.layout().columns.local_range(grid.column(), panel.clone());
                Ok(pack(a.local(), a.leading_dimension(), &rows, &own))
            })?;
            let position = Position { rows: a.layout().rows, first: rows.start, start: panel.start };
            let reflectors = Reflectors::new(grid.along_column(), &position, &elements, &tau[panel.clone()])?;
            reflectors.apply(grid.along_column(), adjoint, c, &(0..c.local_columns()))?;
        }
        ring.flush()
    })
}

/// Ranges of the columns that are reduced, each within one block.
fn panels(columns: BlockCyclic, order: usize) -> Vec<Range<usize>> {
    (0..order).step_by(columns.block()).map(|start| start..(start + columns.block()).min(order)).collect()
}

/// Position of a panel: how rows are dealt, the first local row of the panel, and its first row and column.
#[derive(Clone, Copy)]
struct Position {
    rows: BlockCyclic,
    first: usize,
    start: usize,
}

impl Position {
    /// How many of the panel's local rows come before a row of the whole matrix.
    fn rows_before(&self, part: usize, row: usize) -> usize {
        self.rows.local_from(part, row.min(self.rows.length())) - self.first
    }
}

fn factor<T: Scalar>(a: &mut DistMatrix<T>) -> Result<Vec<T>> {
    let grid = a.grid().clone();
    let (rows, columns) = (a.layout().rows, a.layout().columns);
    let order = rows.length().min(columns.length());
    let panels = panels(columns, order);
    let mut ring = Ring::new(grid.along_row(), Tag::RowPanel);
    let local = |panel: &Range<usize>| rows.local_from(grid.row(), panel.start)..rows.local_length(grid.row());
    let begin = |panel: &Range<usize>, a: &mut DistMatrix<T>, ring: &mut Ring<'_, T>| {
        let (part, root) = (local(panel), columns.owner(panel.start));
        let mut message = Vec::new();
        if grid.column() == root {
            let ld = a.leading_dimension();
            let own = columns.local_range(grid.column(), panel.clone());
            message = pack(a.local(), ld, &part, &own);
            let position = Position { rows, first: part.start, start: panel.start };
            let tau = reduce_panel(grid.along_column(), &position, panel.len(), &mut message)?;
            unpack(&message, a.local_mut(), ld, &part, &own);
            message.extend(tau);
        }
        ring.start(root, (part.len() + 1) * panel.len(), || Ok(message))
    };
    let mut next = panels.first().map(|first| begin(first, a, &mut ring)).transpose()?;
    let mut all_tau = Vec::with_capacity(order);
    for (index, panel) in panels.iter().enumerate() {
        let Some(incoming) = next.take() else { break };
        let message = ring.finish(incoming)?;
        let part = local(panel);
        let (elements, tau) = message.split_at(part.len() * panel.len());
        all_tau.extend_from_slice(tau);
        let position = Position { rows, first: part.start, start: panel.start };
        let reflectors = Reflectors::new(grid.along_column(), &position, elements, tau)?;
        let mut updated = columns.local_from(grid.column(), panel.end);
        if let Some(following) = panels.get(index + 1) {
            let own = columns.local_range(grid.column(), following.clone());
            reflectors.apply(grid.along_column(), true, a, &own)?;
            next = Some(begin(following, a, &mut ring)?);
            updated = own.end.max(updated);
        }
        reflectors.apply(grid.along_column(), true, a, &(updated..a.local_columns()))?;
    }
    ring.flush()?;
    Ok(all_tau)
}

/// Reduces the columns of a panel one by one, on the ranks of a column. The result is tau.
fn reduce_panel<T: Scalar>(comm: &Communicator, position: &Position, width: usize, panel: &mut [T]) -> Result<Vec<T>> {
    let count = panel.len() / width;
    let mut all_tau = Vec::with_capacity(width);
    for column in 0..width {
        let row = position.start + column;
        let mine = position.rows.owner(row) == comm.rank();
        let (from, below) = (position.rows_before(comm.rank(), row), position.rows_before(comm.rank(), row + 1));
        let (before, after) = panel.split_at_mut((column + 1) * count);
        let x = &mut before[column * count..];
        let (norm, alpha) = norm_below(comm, &x[below..], mine.then(|| x[from]))?;
        // LAPACK's larfg: H = I - tau v v^H takes x to beta e1.
        let (tau, beta) = if norm == 0.0 && alpha.im() == 0.0 {
            (T::ZERO, alpha)
        } else {
            let beta = -alpha.modulus().hypot(norm).copysign(alpha.re());
            let tau = T::from_parts((beta - alpha.re()) / beta, -alpha.im() / beta);
            let divisor = alpha - T::from_parts(beta, 0.0);
            x[below..].iter_mut().for_each(|element| *element /= divisor);
            (tau, T::from_parts(beta, 0.0))
        };
        all_tau.push(tau);
        // H^H for the columns right of it: v^H A, then A -= conj(tau) v (v^H A).
        let products = after.chunks_exact(count.max(1)).map(|other| {
            let own = if mine { other[from] } else { T::ZERO };
            x[below..].iter().zip(&other[below..]).fold(own, |sum, (v, a)| sum + v.conjugate() * *a)
        });
        let mut products: Vec<T> = if count == 0 { vec![T::ZERO; width - column - 1] } else { products.collect() };
        if !products.is_empty() {
            products = comm.reduce(products, add)?;
        }
        for (other, product) in after.chunks_exact_mut(count.max(1)).zip(products) {
            let factor = tau.conjugate() * product;
            if mine {
                other[from] -= factor;
            }
            other[below..].iter_mut().zip(&x[below..]).for_each(|(a, v)| *a -= *v * factor);
        }
        if mine {
            x[from] = beta;
        }
    }
    Ok(all_tau)
}

/// The norm of a column below its first element, and that element, of all ranks: LAPACK's scaled sums.
fn norm_below<T: Scalar>(comm: &Communicator, below: &[T], first: Option<T>) -> Result<(f64, T)> {
    let scale = below.iter().fold(0.0, |largest: f64, value| largest.max(value.modulus()));
    let sum: f64 = match scale == 0.0 {
        true => 0.0,
        false => below.iter().map(|value| (value.modulus() / scale).powi(2)).sum(),
    };
    let first = first.unwrap_or(T::ZERO);
    let found = comm.reduce(vec![scale, sum, first.re(), first.im()], |mine, other| {
        let scale = mine[0].max(other[0]);
        if scale > 0.0 {
            mine[1] = mine[1] * (mine[0] / scale).powi(2) + other[1] * (other[0] / scale).powi(2);
            mine[0] = scale;
        }
        mine[2] += other[2];
        mine[3] += other[3];
    })?;
    Ok((found[0] * found[1].sqrt(), T::from_parts(found[2], found[3])))
}

fn add<T: Scalar>(sums: &mut [T], others: &[T]) {
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += *other);
}

/// A block of reflectors: I - V T V^H.
struct Reflectors<T> {
    /// This rank's rows of V, with ones on the diagonal and zeros above.
    v: Rc<Vec<T>>,
    /// Local rows of V in the matrix.
    rows: Range<usize>,
    /// The upper triangle T, with zeros below.
    t: Vec<T>,
    width: usize,
}

impl<T: Scalar> Reflectors<T> {
    /// LAPACK's larft, from the elements of a reduced panel.
    fn new(comm: &Communicator, position: &Position, elements: &[T], tau: &[T]) -> Result<Self> {
        let width = tau.len();
        let count = elements.len() / width;
        let mut v = elements.to_vec();
        for column in 0..width {
            let row = position.start + column;
            let (from, below) = (position.rows_before(comm.rank(), row), position.rows_before(comm.rank(), row + 1));
            v[column * count..column * count + from].fill(T::ZERO);
            v[column * count + from..column * count + below].fill(T::ONE);
        }
        // V^H V in one reduction.
        let mut square = vec![T::ZERO; width * width];
        if count > 0 {
            let part = block(&v, count, &(0..count), &(0..width))?;
            let target = block_mut(&mut square, width, &(0..width), &(0..width))?;
            affinimath::gemm(Op::ConjTrans, Op::NoTrans, T::ONE, part, part, T::ZERO, target)?.wait()?;
        }
        let square = comm.reduce(square, add)?;
        let mut t = vec![T::ZERO; width * width];
        for column in 0..width {
            t[column + column * width] = tau[column];
            for row in 0..column {
                let sum = (row..column).fold(T::ZERO, |sum, k| sum + t[row + k * width] * square[k + column * width]);
                t[row + column * width] = -(tau[column] * sum);
            }
        }
        Ok(Reflectors { v: Rc::new(v), rows: position.first..position.first + count, t, width })
    }

    /// C := (I - V T V^H) C in local columns, or with T^H in the place of T. All ranks of the column of ranks call it.
    fn apply(&self, comm: &Communicator, adjoint: bool, c: &mut DistMatrix<T>, columns: &Range<usize>) -> Result<()> {
        let (width, n, count, ld) = (self.width, columns.len(), self.rows.len(), c.leading_dimension());
        if n == 0 {
            return Ok(());
        }
        let (all, across) = (0..width, 0..n);
        let mut product = allocate(width * n, T::ZERO)?;
        if count > 0 {
            let v = block(&self.v, count, &(0..count), &all)?;
            let target = block_mut(&mut product, width, &all, &across)?;
            let c = block(c.local(), ld, &self.rows, columns)?;
            affinimath::gemm(Op::ConjTrans, Op::NoTrans, T::ONE, v, c, T::ZERO, target)?.wait()?;
        }
        let product = comm.reduce(product, add)?;
        if count == 0 {
            return Ok(());
        }
        let op = if adjoint { Op::ConjTrans } else { Op::NoTrans };
        let mut scaled = allocate(width * n, T::ZERO)?;
        let (t, product) = (block(&self.t, width, &all, &all)?, block(&product, width, &all, &across)?);
        let target = block_mut(&mut scaled, width, &all, &across)?;
        affinimath::gemm(op, Op::NoTrans, T::ONE, t, product, T::ZERO, target)?.wait()?;
        let (v, scaled) = (block(&self.v, count, &(0..count), &all)?, block(&scaled, width, &all, &across)?);
        let target = block_mut(c.local_mut(), ld, &self.rows, columns)?;
        affinimath::gemm(Op::NoTrans, Op::NoTrans, -T::ONE, v, scaled, T::ONE, target)?.wait()?;
        Ok(())
    }
}
