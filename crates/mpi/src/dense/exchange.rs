//! Redistribution between layouts: one packed message for each pair of ranks (Dongarra and others 1998).

use affinimath::{Op, Scalar};

use super::matrix::DistMatrix;
use crate::comm::Tag;
use crate::error::Result;
use crate::layout::BlockCyclic;

/// A part's local numbers of one dimension, by the parts that have the same indices in another deal.
fn by_part(own: &BlockCyclic, part: usize, other: &BlockCyclic) -> Vec<Vec<usize>> {
    let mut lists = vec![Vec::new(); other.parts()];
    for (local, index) in own.indices(part).enumerate() {
        lists[other.owner(index)].push(local);
    }
    lists
}

/// target := op(source). Shapes agree, and both lie on one grid.
///
/// Elements travel in the order of the target's columns. Sender and receiver find the same order from the layouts.
pub(super) fn redistribute<T: Scalar>(source: &DistMatrix<T>, op: Op, target: &mut DistMatrix<T>) -> Result<()> {
    let grid = source.grid().clone();
    let (p, q) = (grid.rows(), grid.columns());
    let (from, to) = (*source.layout(), *target.layout());
    // The source's dimensions in the order of the target's.
    let transposes = op.transposes();
    let (from_rows, from_columns) = if transposes { (from.columns, from.rows) } else { (from.rows, from.columns) };
    let (my_rows, my_columns) = if transposes { (grid.column(), grid.row()) } else { (grid.row(), grid.column()) };
    let rows_to = by_part(&from_rows, my_rows, &to.rows);
    let columns_to = by_part(&from_columns, my_columns, &to.columns);
    let (row_step, column_step) =
        if transposes { (source.leading_dimension(), 1) } else { (1, source.leading_dimension()) };
    let mut parts = Vec::with_capacity(p * q);
    for rank in 0..p * q {
        let (rows, columns) = (&rows_to[rank / q], &columns_to[rank % q]);
        let mut part = crate::comm::allocate(rows.len() * columns.len(), T::ZERO)?;
        if !rows.is_empty() {
            for (part, column) in part.chunks_exact_mut(rows.len()).zip(columns) {
                for (element, row) in part.iter_mut().zip(rows) {
                    *element = source.local()[row * row_step + column * column_step];
                }
            }
        }
        parts.push(part);
    }
    let rows_from = by_part(&to.rows, grid.row(), &from_rows);
    let columns_from = by_part(&to.columns, grid.column(), &from_columns);
    let lists = |rank: usize| {
        let (row, column) = (rank / q, rank % q);
        let (row, column) = if transposes { (column, row) } else { (row, column) };
        (&rows_from[row], &columns_from[column])
    };
    let lengths: Vec<usize> = (0..p * q).map(|rank| lists(rank).0.len() * lists(rank).1.len()).collect();
    let received = grid.all().exchange(Tag::Exchange, parts, &lengths)?;
    let ld = target.leading_dimension();
    let conjugates = op.conjugates() && T::KIND.is_complex();
    for (rank, part) in received.iter().enumerate() {
        let (rows, columns) = lists(rank);
        if rows.is_empty() {
            continue;
        }
        for (part, column) in part.chunks_exact(rows.len()).zip(columns) {
            let target = &mut target.local_mut()[column * ld..];
            for (element, row) in part.iter().zip(rows) {
                target[*row] = if conjugates { element.conjugate() } else { *element };
            }
        }
    }
    Ok(())
}
