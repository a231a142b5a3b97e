//! The four-step method (Gentleman and Sande 1966, Bailey 1990) on several threads.
//!
//! With j = n2 j1 + j2 and k = k1 + n1 k2: transforms of length n1 along the columns, times w^(j2 k1), then transforms
//! of length n2 along the rows, stored as columns of the output. Memory is read and written twice.
//!
//! ```text
//!          n2                      tiles of columns              n1
//!     +----------+   columns      +--+--+--+--+   rows       +---------+
//! n1  | | | |    |  ---------->   |  |  |  |  |  -------->   |=========| n2
//!     | | | |    |   twiddles     |  |  |  |  |  transposed  |=========|
//!     +----------+                +--+--+--+--+              +---------+
//!        from                         work                       to
//! ```

use std::ops::Range;
use std::sync::Arc;

use num_complex::Complex;
use pulp::Arch;
use rustfft::{Direction, Fft, FftDirection, FftNum, Length};

use super::memory::{Pool, SharedPointer, aligned_length, complex_mut, split_aligned};
use super::roots::RootTable;
use super::tiles::{Strides, copy, scatter};
use affinimath_core::threads;

/// Bytes of a tile's row, in columns or rows: two cache lines.
const TILE_BYTES: usize = 2 * CACHE_LINE;

const CACHE_LINE: usize = 64;

/// Fine twiddles of a column: w^(j2 k1) is coarse twiddle k1 / FINE times fine twiddle k1 % FINE.
const FINE: usize = 32;

pub(super) struct FourStep<R> {
    direction: FftDirection,
    /// True if each transform uses all threads.
    shared: bool,
    columns: Arc<dyn Fft<R>>,
    rows: Arc<dyn Fft<R>>,
    /// For each column, the fine twiddles, then the coarse ones.
    twiddles: Vec<Complex<R>>,
    pool: Pool<R>,
}

/// The divisors of n nearest to its square root.
pub(super) fn factors(n: usize) -> (usize, usize) {
    let root = n.isqrt();
    let small = (1..=root).rev().find(|d| n.is_multiple_of(*d)).unwrap_or(1);
    (small, n / small)
}

impl<R: FftNum> FourStep<R> {
    /// Of n1 and n2 points; `shared`, each transform uses all threads.
    pub(super) fn new(direction: FftDirection, columns: Arc<dyn Fft<R>>, rows: Arc<dyn Fft<R>>, shared: bool) -> Self {
        let (n1, n2) = (columns.len(), rows.len());
        let roots = RootTable::new(n1 * n2);
        let twiddle = |m: usize| {
            let root = roots.get(m % (n1 * n2));
            if direction == FftDirection::Forward { root } else { root.conj() }
        };
        let twiddle = &twiddle;
        let column = |j: usize| {
            let fine = (0..FINE).map(move |k| twiddle(j * k));
            fine.chain((0..n1.div_ceil(FINE)).map(move |k| twiddle(j * k * FINE)))
        };
        FourStep { direction, shared, twiddles: (0..n2).flat_map(column).collect(), columns, rows, pool: Pool::new() }
    }

    /// Distance between pencils in a buffer. Padding avoids cache conflicts at powers of two.
    fn pitch(length: usize) -> usize {
        length + if length.is_multiple_of(64) { 4 } else { 0 }
    }

    /// Columns or rows of a tile.
    const TILE: usize = TILE_BYTES / size_of::<Complex<R>>();

    /// # Safety
    /// `from` is valid for reads and `to` for writes of n1 n2 points. The two may be equal.
    unsafe fn transform(&self, from: *const Complex<R>, to: *mut Complex<R>) {
        let (n1, n2) = (self.columns.len(), self.rows.len());
        let (threads, tiles) = (if self.shared { threads::available() } else { 1 }, n2.div_ceil(Self::TILE));
        self.pool.with(2 * n1 * tiles * Self::TILE, |work| {
            let work = SharedPointer(complex_mut(work).as_mut_ptr());
            let (from, to) = (SharedPointer(from), SharedPointer(to));
            let memory = aligned_length(2 * Self::TILE * Self::pitch(n1)) + 2 * self.columns.get_inplace_scratch_len();
            self.pool.share(threads, tiles, memory, |tile, memory| {
                // SAFETY: `from` holds n1 n2 points; no two tiles have a column of `work` in common.
                unsafe { self.transform_columns(tile, from.get(), work.get(), memory) };
            });
            let memory = aligned_length(2 * Self::TILE * Self::pitch(n2)) + 2 * self.rows.get_inplace_scratch_len();
            // Tiles begin at cache lines of the output.
            let skew = skew(to.get(), n1);
            let ahead = skew.map_or(0, |skew| (Self::TILE - skew) % Self::TILE);
            self.pool.share(threads, (n1 + ahead).div_ceil(Self::TILE), memory, |tile, memory| {
                let rows = (tile * Self::TILE).saturating_sub(ahead)..((tile + 1) * Self::TILE - ahead).min(n1);
                // SAFETY: all columns are in `work`; no two tiles have a column of `to` in common.
                unsafe { self.transform_rows(rows, work.get(), to.get(), skew.is_some(), memory) };
            });
        });
    }

    /// # Safety
    /// `from` is valid for reads of the tile's columns, and no other thread accesses the tile in `work`.
    unsafe fn transform_columns(&self, tile: usize, from: *const Complex<R>, work: *mut Complex<R>, memory: &mut [R]) {
        let (n1, n2) = (self.columns.len(), self.rows.len());
        let (first, pitch) = (tile * Self::TILE, Self::pitch(n1));
        let pencils = Self::TILE.min(n2 - first);
        let (buffer, workspace) = split_aligned(memory, 2 * Self::TILE * pitch);
        let (buffer, workspace) = (complex_mut(buffer), complex_mut(workspace));
        // SAFETY: columns first..first + pencils are below n2, and the buffer holds TILE pencils of `pitch` points.
        unsafe {
            let strides = Strides { element: n2, pencil: 1 };
            copy(from.add(first), strides, buffer.as_mut_ptr(), adjacent_elements(pitch), n1, pencils);
        }
        let twiddles = FINE + n1.div_ceil(FINE);
        transform_pencils(&*self.columns, &mut buffer[..pencils * pitch], pitch, workspace);
        for (pencil, column) in buffer.chunks_exact_mut(pitch).take(pencils).zip(first..) {
            multiply_twiddles(&mut pencil[..n1], self.twiddles[column * twiddles..][..twiddles].split_at(FINE));
        }
        // SAFETY: the tile in `work` holds n1 rows of TILE points.
        unsafe {
            let strides = Strides { element: Self::TILE, pencil: 1 };
            copy(buffer.as_ptr(), adjacent_elements(pitch), work.add(first * n1), strides, n1, pencils);
        }
    }

    /// # Safety
    /// `work` is valid for reads, and no other thread accesses columns `rows` of `to`.
    unsafe fn transform_rows(
        &self,
        rows: Range<usize>,
        work: *const Complex<R>,
        to: *mut Complex<R>,
        aligned: bool,
        memory: &mut [R],
    ) {
        let (n1, n2) = (self.columns.len(), self.rows.len());
        let (first, pencils, pitch) = (rows.start, rows.len(), Self::pitch(n2));
        let (buffer, workspace) = split_aligned(memory, 2 * Self::TILE * pitch);
        let (buffer, workspace) = (complex_mut(buffer), complex_mut(workspace));
        for column in (0..n2).step_by(Self::TILE) {
            let source = Strides { element: 1, pencil: Self::TILE };
            // SAFETY: rows `first..first + pencils` are below n1, and the buffer holds TILE pencils of `pitch` points.
            unsafe {
                let from = work.add(column * n1 + first * Self::TILE);
                copy(
                    from,
                    source,
                    buffer.as_mut_ptr().add(column),
                    adjacent_elements(pitch),
                    Self::TILE.min(n2 - column),
                    pencils,
                );
            }
        }
        transform_pencils(&*self.rows, &mut buffer[..pencils * pitch], pitch, workspace);
        // SAFETY: columns first..first + pencils of the n2 x n1 output are this call's.
        unsafe { scatter(buffer.as_ptr(), pitch, to.add(first), n1, n2, pencils, aligned) };
    }
}

/// Elements before the first cache line, if a row is a whole number of cache lines.
fn skew<T>(start: *const T, stride: usize) -> Option<usize> {
    let (size, offset) = (size_of::<T>(), start.addr().wrapping_neg() % CACHE_LINE);
    ((stride * size).is_multiple_of(CACHE_LINE) && offset.is_multiple_of(size)).then_some(offset / size)
}

/// Strides of pencils in a buffer.
fn adjacent_elements(pitch: usize) -> Strides {
    Strides { element: 1, pencil: pitch }
}

/// Transforms pencils in place, in one call if they are contiguous.
fn transform_pencils<R: FftNum>(
    fft: &dyn Fft<R>,
    buffer: &mut [Complex<R>],
    pitch: usize,
    workspace: &mut [Complex<R>],
) {
    if pitch == fft.len() {
        return fft.process_with_scratch(buffer, workspace);
    }
    for pencil in buffer.chunks_exact_mut(pitch) {
        fft.process_with_scratch(&mut pencil[..fft.len()], workspace);
    }
}

/// Multiplies a column by its twiddles, products of a fine and a coarse one.
fn multiply_twiddles<R: FftNum>(pencil: &mut [Complex<R>], (fine, coarse): (&[Complex<R>], &[Complex<R>])) {
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for (part, coarse) in pencil.chunks_mut(FINE).zip(coarse) {
                part.iter_mut().zip(fine).for_each(|(x, fine)| *x = *x * (*fine * *coarse));
            }
        },
    );
}

impl<R: FftNum> Fft<R> for FourStep<R> {
    fn process_with_scratch(&self, buffer: &mut [Complex<R>], _workspace: &mut [Complex<R>]) {
        for pencil in buffer.chunks_exact_mut(self.len()) {
            let pencil = pencil.as_mut_ptr();
            // SAFETY: the slice holds n1 n2 points.
            unsafe { self.transform(pencil, pencil) };
        }
    }

    fn process_outofplace_with_scratch(
        &self,
        input: &mut [Complex<R>],
        output: &mut [Complex<R>],
        workspace: &mut [Complex<R>],
    ) {
        self.process_immutable_with_scratch(input, output, workspace);
    }

    fn process_immutable_with_scratch(
        &self,
        input: &[Complex<R>],
        output: &mut [Complex<R>],
        _workspace: &mut [Complex<R>],
    ) {
        for (input, output) in input.chunks_exact(self.len()).zip(output.chunks_exact_mut(self.len())) {
            // SAFETY: both slices hold n1 n2 points.
            unsafe { self.transform(input.as_ptr(), output.as_mut_ptr()) };
        }
    }

    fn get_inplace_scratch_len(&self) -> usize {
        0
    }

    fn get_outofplace_scratch_len(&self) -> usize {
        0
    }

    fn get_immutable_scratch_len(&self) -> usize {
        0
    }
}

impl<R> Length for FourStep<R> {
    fn len(&self) -> usize {
        self.columns.len() * self.rows.len()
    }
}

impl<R> Direction for FourStep<R> {
    fn fft_direction(&self) -> FftDirection {
        self.direction
    }
}
