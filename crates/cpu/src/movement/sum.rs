//! C := sum of one or two terms.

use crate::threads;
use affinimath_core::division::scale_by;
use affinimath_core::problem::gemm::Operand;
use affinimath_core::problem::movement::MovementProblem;
use affinimath_core::scalar::Scalar;
use affinimath_macros::instances;

/// A term's factor and the memory of its matrix.
#[derive(Debug)]
pub struct Source<T> {
    pub factor: T,
    pub start: *const T,
}

impl<T: Copy> Clone for Source<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Copy> Copy for Source<T> {}

/// A matrix's first element, for all threads.
pub(super) struct Shared<T>(pub(super) *mut T);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Shared<T> {}

impl<T> Shared<T> {
    /// Address of the element at `index`.
    pub(super) fn at(self, index: usize) -> *mut T {
        self.0.wrapping_add(index)
    }
}

// SAFETY: the threads write different elements.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: the threads write different elements.
unsafe impl<T: Send> Sync for Shared<T> {}

/// Side of a tile in a transposition: the tile and its source stay in the L1 cache.
pub(super) const TILE: usize = 32;
/// Below this many bytes, one thread is faster than waking another one.
const PARALLEL_BYTES: usize = 512 << 10;

/// C := sum of the terms of a problem; zero without terms.
///
/// # Safety
/// The problem's matrices must be within their memory, and C must not be accessed by anything else. C may be one of the
/// terms, element by element.
#[instances]
pub unsafe fn sum<T: Scalar>(problem: &MovementProblem, sources: [Option<Source<T>>; 2], target: *mut T) {
    let problem = problem.canonical();
    let sources = sources.map(|source| source.map(|Source { factor, start }| (factor, Shared(start.cast_mut()))));
    let target = Shared(target.wrapping_add(problem.target.offset));
    let threads = threads_for::<T>(problem.rows * problem.columns);
    if problem.rows == 0 || problem.columns == 0 {
        return;
    }
    // Strips of columns; a single column is cut along its rows.
    let strip = |from: [usize; 2], size: [usize; 2]| {
        for j in (from[1]..from[1] + size[1]).step_by(TILE) {
            let columns = TILE.min(from[1] + size[1] - j);
            let rows = if problem.across().contains(&true) { TILE } else { size[0] };
            for i in (from[0]..from[0] + size[0]).step_by(rows) {
                let rows = rows.min(from[0] + size[0] - i);
                let tile = Tile { from: [i, j], rows, columns, target, column_stride: problem.target.column_stride };
                tile.fill(&problem.terms, sources);
            }
        }
    };
    if threads == 1 {
        return strip([0, 0], [problem.rows, problem.columns]);
    }
    let along_rows = problem.columns < 2 * threads;
    let (total, grain) = if along_rows { (problem.rows, 64) } else { (problem.columns, TILE) };
    let part = total.div_ceil(2 * threads).next_multiple_of(grain);
    let strip = |index: usize| {
        let (from, size) = (index * part, part.min(total - index * part));
        if along_rows { strip([from, 0], [size, problem.columns]) } else { strip([0, from], [problem.rows, size]) }
    };
    threads::for_each(total.div_ceil(part), strip);
}

/// Number of threads worth using for a copy of `elements` elements.
pub(super) fn threads_for<T>(elements: usize) -> usize {
    if elements.saturating_mul(size_of::<T>()) < PARALLEL_BYTES { 1 } else { threads::available() }
}

/// A tile of C.
struct Tile<T> {
    from: [usize; 2],
    rows: usize,
    columns: usize,
    target: Shared<T>,
    column_stride: usize,
}

impl<T: Scalar> Tile<T> {
    fn fill(&self, terms: &[Option<Operand>; 2], sources: [Option<(T, Shared<T>)>; 2]) {
        let mut first = true;
        for (operand, (factor, start)) in terms.iter().flatten().zip(sources.into_iter().flatten()) {
            let conjugate = operand.conjugate && T::KIND.is_complex();
            let value = move |x: T| {
                let x = if conjugate { x.conjugate() } else { x };
                scale_by(factor, x) // one changes no bit
            };
            if first {
                self.walk(operand, start, |x, c| *c = value(x));
            } else {
                self.walk(operand, start, |x, c| *c += value(x));
            }
            first = false;
        }
        if first {
            for j in 0..self.columns {
                // SAFETY: the tile is part of C, which `sum` requires to be valid and exclusive.
                (0..self.rows).for_each(|i| unsafe { *self.element(i, j) = T::ZERO });
            }
        }
    }

    fn element(&self, i: usize, j: usize) -> *mut T {
        self.target.at(self.from[0] + i + (self.from[1] + j) * self.column_stride)
    }

    /// Calls `work` for each element of the term and its element of C, down the columns of C.
    fn walk(&self, operand: &Operand, start: Shared<T>, work: impl Fn(T, &mut T)) {
        let x = operand.shifted(self.from[0], self.from[1]);
        for j in 0..self.columns {
            let (from, to) = (start.at(x.offset + j * x.column_stride), self.element(0, j));
            if x.row_stride == 1 {
                // SAFETY: the tile is part of both matrices, which `sum` requires to be valid.
                (0..self.rows).for_each(|i| unsafe { work(*from.add(i), &mut *to.add(i)) });
            } else {
                // SAFETY: the tile is part of both matrices, which `sum` requires to be valid.
                (0..self.rows).for_each(|i| unsafe { work(*from.add(i * x.row_stride), &mut *to.add(i)) });
            }
        }
    }
}
