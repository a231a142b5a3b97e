//! Row interchanges: the net permutation of many of them in one exchange within each column of ranks.

use std::collections::BTreeMap;
use std::ops::Range;

use affinimath::Scalar;

use super::matrix::DistMatrix;
use crate::comm::{Tag, allocate};
use crate::error::Result;

/// Rows that change, with the rows whose elements they get. Row `first + t` is exchanged with `pivots[t]`, for each t
/// in order, or in the opposite one.
pub(super) fn net_permutation(first: usize, pivots: &[usize], backwards: bool) -> Vec<(usize, usize)> {
    let mut sources: BTreeMap<usize, usize> = BTreeMap::new();
    let mut exchange = |t: usize| {
        let (one, other) = (first + t, pivots[t]);
        let (a, b) = (*sources.get(&one).unwrap_or(&one), *sources.get(&other).unwrap_or(&other));
        sources.insert(one, b);
        sources.insert(other, a);
    };
    if backwards {
        (0..pivots.len()).rev().for_each(&mut exchange);
    } else {
        (0..pivots.len()).for_each(&mut exchange);
    }
    sources.into_iter().filter(|(row, source)| row != source).collect()
}

/// Permutes rows in ranges of local columns. All ranks of a column of ranks have the same ranges.
pub(super) fn permute_rows<T: Scalar>(
    a: &mut DistMatrix<T>,
    moves: &[(usize, usize)],
    columns: &[Range<usize>],
) -> Result<()> {
    let grid = a.grid().clone();
    let (rows, row, ld) = (a.layout().rows, grid.row(), a.leading_dimension());
    let width: usize = columns.iter().map(Range::len).sum();
    if width == 0 || moves.is_empty() {
        return Ok(());
    }
    let columns = || columns.iter().cloned().flatten();
    let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); grid.rows()];
    let mut incoming = outgoing.clone();
    for (target, source) in moves {
        let (to, from) = (rows.owner(*target), rows.owner(*source));
        if from == row {
            outgoing[to].push(rows.local(*source));
        }
        if to == row {
            incoming[from].push(rows.local(*target));
        }
    }
    // Column by column, so that memory is read in its order.
    let mut parts = Vec::with_capacity(grid.rows());
    for list in &outgoing {
        let mut part = allocate(list.len() * width, T::ZERO)?;
        if !list.is_empty() {
            for (part, column) in part.chunks_exact_mut(list.len()).zip(columns()) {
                let source = &a.local()[column * ld..];
                part.iter_mut().zip(list).for_each(|(element, row)| *element = source[*row]);
            }
        }
        parts.push(part);
    }
    let lengths: Vec<usize> = incoming.iter().map(|list| list.len() * width).collect();
    let received = grid.along_column().exchange(Tag::Interchange, parts, &lengths)?;
    for (list, part) in incoming.iter().zip(&received).filter(|(list, _)| !list.is_empty()) {
        for (part, column) in part.chunks_exact(list.len()).zip(columns()) {
            let target = &mut a.local_mut()[column * ld..];
            part.iter().zip(list).for_each(|(element, row)| target[*row] = *element);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_net_permutation_is_that_of_the_interchanges() {
        let pivots = [5, 3, 3, 7, 4];
        let mut rows: Vec<usize> = (0..9).collect();
        pivots.iter().enumerate().for_each(|(t, pivot)| rows.swap(1 + t, *pivot));
        let mut moved: Vec<usize> = (0..9).collect();
        for (target, source) in net_permutation(1, &pivots, false) {
            moved[target] = source;
        }
        assert_eq!(moved, rows);
        let mut back = rows.clone();
        for (target, source) in net_permutation(1, &pivots, true) {
            back[target] = rows[source];
        }
        assert_eq!(back, (0..9).collect::<Vec<_>>());
    }
}
