//! Blocks of arrays, and how an array is cut into one for each rank.

use std::ops::Range;

use affinimath_core::threads;

use crate::error::{Error, Result};

/// Axes of an array. Those of two dimensions have a first axis of length 1.
pub(super) const AXES: usize = 3;

/// A box of an array's indices, whose elements a rank has row by row: the last axis' neighbours are adjacent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FftBlock {
    start: [usize; AXES],
    size: [usize; AXES],
    dimensions: usize,
}

impl FftBlock {
    /// First index on each axis, in the whole array.
    pub fn offset(&self) -> &[usize] {
        &self.start[AXES - self.dimensions..]
    }

    /// Elements on each axis.
    pub fn shape(&self) -> &[usize] {
        &self.size[AXES - self.dimensions..]
    }

    /// Elements of the block.
    pub fn len(&self) -> usize {
        self.size.iter().product()
    }

    /// True of a block without elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn size(&self) -> [usize; AXES] {
        self.size
    }

    /// Indices that both have.
    fn intersection(&self, other: &Self) -> Self {
        let start: [usize; AXES] = std::array::from_fn(|axis| self.start[axis].max(other.start[axis]));
        let size = std::array::from_fn(|axis| {
            let end = (self.start[axis] + self.size[axis]).min(other.start[axis] + other.size[axis]);
            end.saturating_sub(start[axis])
        });
        FftBlock { start, size, dimensions: self.dimensions }
    }

    /// Elements of a part of this block, in its memory.
    fn subarray(&self, part: &Self) -> Subarray {
        let [_, n1, n2] = self.size;
        let start: [usize; AXES] = std::array::from_fn(|axis| part.start[axis].saturating_sub(self.start[axis]));
        let offset = (start[0] * n1 + start[1]) * n2 + start[2];
        let [p0, p1, p2] = part.size;
        let (inner, length) = match (p1 == n1, p2 == n2) {
            (true, true) => ((1, 0), p0 * p1 * p2),
            (false, true) => ((1, 0), p1 * p2),
            _ => ((p1, n2), p2),
        };
        let outer = if p1 == n1 && p2 == n2 { (1, 0) } else { (p0, n1 * n2) };
        Subarray { offset, outer, inner, length }
    }
}

/// Elements of a part of a block, as runs of adjacent ones in two nested strides: MPI's subarray.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subarray {
    /// Offset of the first run.
    offset: usize,
    /// Count and stride.
    outer: (usize, usize),
    /// Count and stride.
    inner: (usize, usize),
    /// Elements of a run.
    length: usize,
}

impl Subarray {
    /// All elements.
    pub(super) fn len(&self) -> usize {
        self.count() * self.length
    }

    fn count(&self) -> usize {
        self.outer.0 * self.inner.0
    }

    /// The range of all elements, if they are adjacent.
    pub(super) fn adjacent(&self) -> Option<Range<usize>> {
        (self.count() == 1).then(|| self.offset..self.offset + self.length)
    }

    /// Adjacent elements.
    pub(super) fn packed(range: Range<usize>) -> Self {
        Subarray { offset: range.start, outer: (1, 0), inner: (1, 0), length: range.len() }
    }

    /// Offset of an element, by its index in the part.
    fn offset(&self, element: usize) -> usize {
        let (run, rest) = (element / self.length, element % self.length);
        self.offset + run / self.inner.0 * self.outer.1 + run % self.inner.0 * self.inner.1 + rest
    }

    /// The element after the last one.
    fn end(&self) -> usize {
        if self.len() == 0 { 0 } else { self.offset(self.len() - 1) + 1 }
    }
}

/// Bytes that a thread copies at once.
const CHUNK_BYTES: usize = 64 << 10;

/// A slice without a lifetime: a pointer and a length.
#[derive(Debug)]
pub(super) struct RawSlice<T>(pub(super) *mut T, pub(super) usize);

impl<T> Clone for RawSlice<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for RawSlice<T> {}

impl<T> RawSlice<T> {
    fn at(&self, element: usize) -> *mut T {
        self.0.wrapping_add(element)
    }
}

// SAFETY: it is a pointer alone; whoever follows it promises the rest.
unsafe impl<T: Send + Sync> Sync for RawSlice<T> {}

/// Copies a part of one block to its elements in another one.
///
/// # Safety
/// The part's elements in `from` are valid for reads, and those in `to` for writes; nobody else uses the latter ones.
pub(super) unsafe fn copy<T: Copy + Send + Sync>(
    (from, source): (RawSlice<T>, &Subarray),
    (to, target): (RawSlice<T>, &Subarray),
) {
    let elements = source.len();
    assert!(elements == target.len() && source.end() <= from.1 && target.end() <= to.1);
    // Both are the same part of an array, so that the longer runs are made of shorter ones.
    let run = source.length.min(target.length);
    if elements == 0 {
        return;
    }
    let chunk = (CHUNK_BYTES / size_of::<T>()).max(1);
    // Long runs are cut into chunks. A task copies several short runs.
    let (chunks_per_run, chunks_per_task) = (run.div_ceil(chunk), (chunk / run).max(1));
    let copy_chunks = |range: Range<usize>| {
        for index in range {
            let skipped = index % chunks_per_run * chunk;
            let start = index / chunks_per_run * run + skipped;
            let count = chunk.min(run - skipped);
            let (from, to) = (from.at(source.offset(start)), to.at(target.offset(start)));
            // SAFETY: the elements lie before the ends, which were checked, and are the part's; each comes once.
            unsafe { std::ptr::copy_nonoverlapping(from, to, count) };
        }
    };
    let chunks = elements / run * chunks_per_run;
    threads::for_each(chunks.div_ceil(chunks_per_task), |task| {
        copy_chunks(task * chunks_per_task..chunks.min((task + 1) * chunks_per_task));
    });
}

/// How an array is cut: up to two axes into ranges whose lengths differ by at most one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// Axis, parts, and the ranks between a part and the next one.
    pub(super) axes: [(usize, usize, usize); 2],
}

impl Cut {
    /// Block of a rank.
    pub(super) fn block(&self, shape: [usize; AXES], dimensions: usize, rank: usize) -> FftBlock {
        let mut block = FftBlock { start: [0; AXES], size: shape, dimensions };
        for (axis, parts, step) in self.axes {
            let part = rank / step % parts;
            let (each, more) = (shape[axis] / parts, shape[axis] % parts);
            block.start[axis] += part * each + part.min(more);
            block.size[axis] = each + usize::from(part < more);
            if parts == 1 {
                (block.start[axis], block.size[axis]) = (0, shape[axis]);
            }
        }
        block
    }
}

/// How the array of a distributed transform is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Decomposition {
    /// Slabs where the first two axes have an index for each rank, else the pencils with the smallest largest block.
    #[default]
    Auto,
    /// One axis is cut: one exchange for a transform, at most as many ranks as planes.
    Slabs,
    /// Two axes of three are cut, by the rows and the columns of a grid of ranks: two exchanges for a transform.
    Pencils(usize, usize),
}

impl Decomposition {
    /// Numbers on which ranks agree.
    pub(super) fn code(self) -> [i64; 2] {
        match self {
            Decomposition::Auto => [-1, 0],
            Decomposition::Slabs => [0, 0],
            Decomposition::Pencils(rows, columns) => [rows as i64, columns as i64],
        }
    }

    /// Cuts of the array before each of the transforms, the last axes' first.
    pub(super) fn cuts(self, shape: [usize; AXES], dimensions: usize, ranks: usize) -> Result<Vec<Cut>> {
        let first = AXES - dimensions;
        let slabs = || {
            vec![
                Cut { axes: [(first, ranks, 1), (first + 1, 1, 1)] },
                Cut { axes: [(first + 1, ranks, 1), (first, 1, 1)] },
            ]
        };
        let pencils = |p: usize, q: usize| {
            [(0, 1), (0, 2), (1, 2)].map(|(row, column)| Cut { axes: [(row, p, q), (column, q, 1)] }).to_vec()
        };
        match self {
            Decomposition::Pencils(p, q) if p.checked_mul(q) != Some(ranks) => {
                let rule = format!("pencils of {p} x {q} ranks are not for the {ranks} ranks of the grid");
                Err(Error::argument("decomposition", rule))
            }
            Decomposition::Pencils(..) if dimensions < AXES => {
                Err(Error::argument("decomposition", "pencils are for three dimensions"))
            }
            Decomposition::Pencils(p, q) => Ok(pencils(p, q)),
            Decomposition::Slabs => Ok(slabs()),
            Decomposition::Auto if dimensions < AXES || ranks <= shape[0].min(shape[1]) => Ok(slabs()),
            Decomposition::Auto => {
                let largest = |cuts: &[Cut]| cuts.iter().map(|cut| cut.block(shape, dimensions, 0).len()).max();
                let divisors = (1..=ranks).filter(|p| ranks.is_multiple_of(*p));
                let all = divisors.map(|p| (pencils(p, ranks / p), p.abs_diff(ranks / p)));
                Ok(all.min_by_key(|(cuts, skew)| (largest(cuts), *skew)).map_or_else(slabs, |(cuts, _)| cuts))
            }
        }
    }
}

/// Overlap of this rank's block and another rank's of a second cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Overlap {
    /// Number of the other rank.
    pub(super) rank: usize,
    /// Its elements in this rank's block.
    pub(super) local: Subarray,
}

/// Overlaps of a rank's block and the blocks of a cut, in the order of the distance, this rank's own last.
pub(super) fn overlaps(own: &FftBlock, blocks: &[FftBlock], rank: usize, forward: bool) -> Vec<Overlap> {
    let size = blocks.len();
    let ranks = (1..=size).map(|distance| (rank + if forward { distance } else { size - distance }) % size);
    let parts = ranks.map(|rank| (rank, own.intersection(&blocks[rank])));
    parts
        .filter(|(_, part)| !part.is_empty())
        .map(|(rank, part)| Overlap { rank, local: own.subarray(&part) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_cut_have_every_index_once() {
        for (shape, ranks) in [([5, 7, 3], 6), ([1, 1, 1], 4), ([2, 9, 4], 12), ([0, 3, 2], 4)] {
            for decomposition in [Decomposition::Slabs, Decomposition::Auto, Decomposition::Pencils(2, ranks / 2)] {
                for cut in decomposition.cuts(shape, 3, ranks).unwrap() {
                    let blocks: Vec<_> = (0..ranks).map(|rank| cut.block(shape, 3, rank)).collect();
                    assert_eq!(blocks.iter().map(FftBlock::len).sum::<usize>(), shape.iter().product::<usize>());
                    for (i, first) in blocks.iter().enumerate() {
                        assert!(blocks[..i].iter().all(|second| first.intersection(second).is_empty()));
                    }
                }
            }
        }
    }

    fn move_part((from, source): (&mut [usize], &Subarray), (to, target): (&mut [usize], &Subarray)) {
        let (from, to) = (RawSlice(from.as_mut_ptr(), from.len()), RawSlice(to.as_mut_ptr(), to.len()));
        // SAFETY: both are exclusive.
        unsafe { copy((from, source), (to, target)) };
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        let whole = FftBlock { start: [2, 1, 0], size: [3, 4, 5], dimensions: 3 };
        let mut array: Vec<usize> = (0..60).collect();
        for (start, size) in
            [([2, 1, 0], [3, 4, 5]), ([3, 1, 0], [2, 4, 5]), ([2, 2, 0], [3, 2, 5]), ([2, 2, 1], [3, 2, 3])]
        {
            let part = FftBlock { start, size, dimensions: 3 };
            let subarray = whole.subarray(&part);
            let mut packed = vec![0; part.len()];
            let adjacent = Subarray::packed(0..part.len());
            move_part((&mut array, &subarray), (&mut packed, &adjacent));
            let index = |k: usize| (k / (size[1] * size[2]), k / size[2] % size[1], k % size[2]);
            for (k, value) in packed.iter().enumerate() {
                let (i, j, l) = index(k);
                assert_eq!(*value, ((start[0] - 2 + i) * 4 + start[1] - 1 + j) * 5 + start[2] + l);
            }
            let mut back = vec![99; 60];
            move_part((&mut packed, &adjacent), (&mut back, &subarray));
            assert_eq!(back.iter().filter(|value| **value != 99).count(), part.len());
            assert!(packed.iter().all(|value| back[*value] == *value));
        }
    }
}
