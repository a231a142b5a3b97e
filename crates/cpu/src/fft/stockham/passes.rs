//! The passes of a transform in Stockham's order, each of one radix.
//!
//! N is a radix that has a butterfly of its own, or for an odd prime that is summed as it is defined the room for its
//! numbers.

use std::mem::MaybeUninit;

use pulp::{Scalar, Simd, WithSimd};

use super::butterfly::Unit;
use super::plan::LARGEST_BUTTERFLY;
use affinimath_core::simd::Parts;

/// What the passes of a radix have in common.
#[derive(Clone, Copy)]
pub(super) struct Radix<'a, T> {
    pub(super) radix: usize,
    /// Of a prime without a butterfly of its own: [`matrix`](super::butterfly::matrix).
    pub(super) matrix: &'a [T],
    pub(super) forward: bool,
}

/// The lines of a pass on one side, in elements: from a line to the next, from a butterfly to the next, and between its
/// elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Strides {
    pub(super) line: usize,
    pub(super) butterfly: usize,
    pub(super) element: usize,
}

/// The first pass: its butterflies have no twiddles, and are side by side in the lanes of vectors.
pub(super) struct First<'a, T, const N: usize> {
    pub(super) radix: Radix<'a, T>,
    pub(super) from: *const T,
    pub(super) to: *mut T,
    pub(super) lines: usize,
    /// Butterflies of a line.
    pub(super) butterflies: usize,
    pub(super) source: Strides,
    pub(super) target: Strides,
}

/// A pass after the first one: `stride` is the product of the radices before, and `blocks` that of those after it.
pub(super) struct Later<'a, T, const N: usize> {
    pub(super) radix: Radix<'a, T>,
    pub(super) from: *const T,
    pub(super) to: *mut T,
    pub(super) lines: usize,
    /// Of element j > 0 and frequency q: at (j - 1) stride + q.
    pub(super) twiddles: &'a [T],
    pub(super) stride: usize,
    pub(super) blocks: usize,
}

/// The most lanes of any vector of complex numbers.
const MOST_LANES: usize = 8;

/// A butterfly's numbers in registers, or where they are too many in the nearest cache.
struct Numbers<S: Simd, T: Parts, const N: usize> {
    unit: Unit<S, T>,
    x: [T::Vector<S>; N],
    /// Room for results.
    results: [T::Vector<S>; N],
}

impl<S: Simd, T: Parts, const N: usize> Numbers<S, T, N> {
    #[inline(always)]
    fn new(simd: S, forward: bool) -> Self {
        let zeros = [T::zero(simd); N];
        Numbers { unit: Unit::new(simd, forward), x: zeros, results: zeros }
    }

    #[inline(always)]
    fn transform(&mut self, radix: Radix<'_, T>) {
        if N <= LARGEST_BUTTERFLY {
            self.unit.transform::<N>(&mut self.x);
        } else {
            self.unit.direct(&mut self.x[..radix.radix], &mut self.results[..radix.radix], radix.matrix);
        }
    }
}

impl<T> Radix<'_, T> {
    /// The radix, where N is one known as the code is compiled.
    #[inline(always)]
    fn length<const N: usize>(&self) -> usize {
        if N <= LARGEST_BUTTERFLY { N } else { self.radix }
    }
}

impl<T: Parts, const N: usize> First<'_, T, N> {
    /// Writes what lanes of vectors have to the elements of a butterfly.
    ///
    /// # Safety
    /// The butterfly's elements can be written from `to` on, and the vectors have the lane.
    #[inline(always)]
    unsafe fn scatter<V>(&self, x: &[V; N], lane: usize, to: *mut T) {
        for (k, x) in x.iter().enumerate().take(self.radix.length::<N>()) {
            // SAFETY: the caller's promise.
            unsafe { *to.add(k * self.target.element) = *std::ptr::from_ref(x).cast::<T>().add(lane) };
        }
    }

    /// Butterflies of a line that are neighbours in memory, at least as many as lanes.
    ///
    /// # Safety
    /// The lines can be read and written.
    #[inline(always)]
    unsafe fn adjacent<S: Simd>(&self, simd: S) {
        let lanes = T::width::<S>();
        let mut numbers = Numbers::<S, T, N>::new(simd, self.radix.forward);
        for line in 0..self.lines {
            let mut start = 0;
            loop {
                // SAFETY: `start` and the lanes after it are butterflies of the line.
                unsafe {
                    let from = self.from.add(line * self.source.line + start);
                    for (j, x) in numbers.x.iter_mut().enumerate().take(self.radix.length::<N>()) {
                        *x = T::load(simd, from.add(j * self.source.element));
                    }
                    numbers.transform(self.radix);
                    let to = self.to.add(line * self.target.line + start * self.target.butterfly);
                    for lane in 0..lanes {
                        self.scatter(&numbers.x, lane, to.add(lane * self.target.butterfly));
                    }
                }
                if start + lanes >= self.butterflies {
                    break;
                }
                // The last vector may do once more what the one before has done: results go to another memory.
                start = (start + lanes).min(self.butterflies - lanes);
            }
        }
    }

    /// Butterflies from anywhere. A vector's are read before they are written.
    ///
    /// # Safety
    /// The lines can be read and written.
    #[inline(always)]
    unsafe fn gathered<S: Simd>(&self, simd: S) {
        let lanes = T::width::<S>();
        let mut numbers = Numbers::<S, T, N>::new(simd, self.radix.forward);
        let mut gathered = [[const { MaybeUninit::<T>::uninit() }; MOST_LANES]; N];
        let count = self.lines * self.butterflies;
        let (mut line, mut butterfly) = (0, 0);
        for start in (0..count).step_by(lanes) {
            let (mut from, mut to) = ([0; MOST_LANES], [0; MOST_LANES]);
            for (lane, (from, to)) in from.iter_mut().zip(&mut to).enumerate().take(lanes) {
                *from = line * self.source.line + butterfly * self.source.butterfly;
                *to = line * self.target.line + butterfly * self.target.butterfly;
                // Lanes without a butterfly repeat the last one.
                if start + lane + 1 < count {
                    butterfly += 1;
                    if butterfly == self.butterflies {
                        (line, butterfly) = (line + 1, 0);
                    }
                }
            }
            // All numbers are gathered before the first ones are loaded as vectors: what was just stored in parts is
            // waited for.
            for (lane, from) in from.into_iter().enumerate().take(lanes) {
                for (j, values) in gathered.iter_mut().enumerate().take(self.radix.length::<N>()) {
                    // SAFETY: the place is in one of the lines.
                    values[lane].write(unsafe { *self.from.add(from + j * self.source.element) });
                }
            }
            for (x, values) in numbers.x.iter_mut().zip(&gathered).take(self.radix.length::<N>()) {
                // SAFETY: the lanes of the vector have been written, and no vector has more than there is room for.
                *x = unsafe { T::load(simd, values.as_ptr().cast()) };
            }
            numbers.transform(self.radix);
            for (lane, to) in to.into_iter().enumerate().take(lanes) {
                // SAFETY: the place is in one of the lines.
                unsafe { self.scatter(&numbers.x, lane, self.to.add(to)) };
            }
        }
    }
}

impl<T: Parts, const N: usize> WithSimd for &First<'_, T, N> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // SAFETY: the plan that made the pass has checked the lines.
        unsafe {
            if self.source.butterfly == 1 && self.butterflies >= T::width::<S>() {
                self.adjacent(simd);
            } else {
                self.gathered(simd);
            }
        }
    }
}

impl<T: Parts, const N: usize> Later<'_, T, N> {
    /// # Safety
    /// A vector can be read at each of the butterfly's elements from `from` on, and written from `to` on.
    #[inline(always)]
    unsafe fn butterfly<S: Simd>(
        &self,
        simd: S,
        numbers: &mut Numbers<S, T, N>,
        (from, to): (*const T, *mut T),
        root: impl Fn(usize) -> T::Vector<S>,
    ) {
        let radix = self.radix.length::<N>();
        for (j, x) in numbers.x.iter_mut().enumerate().take(radix) {
            // SAFETY: the caller's promise.
            let value = unsafe { T::load(simd, from.add(self.stride * self.blocks * j)) };
            *x = if j == 0 { value } else { T::product(simd, root(j), value) };
        }
        numbers.transform(self.radix);
        for (k, x) in numbers.x.iter().enumerate().take(radix) {
            // SAFETY: the caller's promise.
            unsafe { T::store(simd, to.add(k * self.stride), *x) };
        }
    }
}

impl<T: Parts, const N: usize> WithSimd for &Later<'_, T, N> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (lanes, stride, radix) = (T::width::<S>(), self.stride, self.radix.length::<N>());
        if lanes > stride {
            return self.with_simd(Scalar::new());
        }
        assert_eq!(self.twiddles.len(), (radix - 1) * stride, "a pass has its twiddles");
        let mut numbers = Numbers::<S, T, N>::new(simd, self.radix.forward);
        let mut roots = numbers.x;
        let line_length = stride * radix * self.blocks;
        let mut q = 0;
        loop {
            // SAFETY: q and the lanes after it are below the stride, of which each row has as many twiddles.
            let root = |j: usize| unsafe { T::load(simd, self.twiddles.as_ptr().add((j - 1) * stride + q)) };
            // SAFETY: as above; the plan that made the pass has checked the lines.
            unsafe {
                if self.lines * self.blocks == 1 {
                    self.butterfly(simd, &mut numbers, (self.from.add(q), self.to.add(q)), root);
                } else {
                    for (j, place) in roots.iter_mut().enumerate().take(radix).skip(1) {
                        *place = root(j);
                    }
                    for line in 0..self.lines {
                        let (from, to) = (self.from.add(line * line_length + q), self.to.add(line * line_length + q));
                        for p in 0..self.blocks {
                            let block = (from.add(stride * p), to.add(stride * radix * p));
                            self.butterfly(simd, &mut numbers, block, |j| roots[j]);
                        }
                    }
                }
            }
            if q + lanes >= stride {
                break;
            }
            // The last vector may do once more what the one before has done.
            q = (q + lanes).min(stride - lanes);
        }
    }
}
