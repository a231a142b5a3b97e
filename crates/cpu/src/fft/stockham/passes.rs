//! The passes of a Stockham transform, one radix each.
//!
//! N is the radix, if it has a butterfly, else the capacity for a prime with a direct sum.

use std::mem::MaybeUninit;

use pulp::{Scalar, Simd, WithSimd};

use super::butterfly::Butterflies;
use super::plan::LARGEST_BUTTERFLY;
use super::transpose::{has_shuffles, transpose};
use affinimath_core::simd::Parts;

/// The radix of a pass.
#[derive(Clone, Copy)]
pub(super) struct Radix<'a, T> {
    pub(super) radix: usize,
    /// Roots of a prime without a butterfly, from [`matrix`](super::butterfly::matrix).
    pub(super) matrix: &'a [T],
    pub(super) forward: bool,
}

/// Distances on one side of a pass: between pencils, between butterflies, and between elements of a butterfly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Strides {
    pub(super) pencil: usize,
    pub(super) butterfly: usize,
    pub(super) element: usize,
}

/// The first pass, without twiddles: one butterfly in each SIMD lane.
pub(super) struct First<'a, T, const N: usize> {
    pub(super) radix: Radix<'a, T>,
    pub(super) from: *const T,
    pub(super) to: *mut T,
    pub(super) pencils: usize,
    /// Butterflies of a pencil.
    pub(super) butterflies: usize,
    pub(super) source: Strides,
    pub(super) target: Strides,
}

/// A pass after the first one: `stride` is the product of the radices before, `blocks` that of the radices after.
pub(super) struct Later<'a, T, const N: usize> {
    pub(super) radix: Radix<'a, T>,
    pub(super) from: *const T,
    pub(super) to: *mut T,
    pub(super) pencils: usize,
    /// The twiddle of element j > 0 and frequency q is at (j - 1) stride + q.
    pub(super) twiddles: &'a [T],
    pub(super) stride: usize,
    pub(super) blocks: usize,
}

/// Largest number of complex lanes of a vector.
const MAX_LANES: usize = 8;

/// The points of a butterfly, in registers or, if there are too many, in the first-level cache.
struct Butterfly<S: Simd, T: Parts, const N: usize> {
    butterflies: Butterflies<S, T>,
    x: [T::Vector<S>; N],
    /// Results of a direct sum.
    results: [T::Vector<S>; N],
}

impl<S: Simd, T: Parts, const N: usize> Butterfly<S, T, N> {
    #[inline(always)]
    fn new(simd: S, forward: bool) -> Self {
        let zeros = [T::zero(simd); N];
        Butterfly { butterflies: Butterflies::new(simd, forward), x: zeros, results: zeros }
    }

    #[inline(always)]
    fn transform(&mut self, radix: Radix<'_, T>) {
        if N <= LARGEST_BUTTERFLY {
            self.butterflies.transform::<N>(&mut self.x);
        } else {
            self.butterflies.direct(&mut self.x[..radix.radix], &mut self.results[..radix.radix], radix.matrix);
        }
    }
}

impl<T> Radix<'_, T> {
    /// The radix, at compile time if N is one.
    #[inline(always)]
    fn length<const N: usize>(&self) -> usize {
        if N <= LARGEST_BUTTERFLY { N } else { self.radix }
    }
}

impl<T: Parts, const N: usize> First<'_, T, N> {
    /// Writes one lane of the vectors to the elements of a butterfly.
    ///
    /// # Safety
    /// The elements of the butterfly from `to` on are valid for writes, and `lane` is below the lanes of V.
    #[inline(always)]
    unsafe fn scatter<V>(&self, x: &[V; N], lane: usize, to: *mut T) {
        for (k, x) in x.iter().enumerate().take(self.radix.length::<N>()) {
            // SAFETY: k is below the radix; by contract, element k is valid for writes, and V has the lane.
            unsafe { *to.add(k * self.target.element) = *std::ptr::from_ref(x).cast::<T>().add(lane) };
        }
    }

    /// Writes the butterflies of all lanes as vectors: the next pass waits for a vector that was stored in parts.
    ///
    /// # Safety
    /// As many butterflies as lanes are valid for writes from `to` on, each of N adjacent elements.
    #[inline(always)]
    unsafe fn store_blocks<S: Simd>(&self, simd: S, x: &mut [T::Vector<S>; N], to: *mut T) {
        let lanes = T::width::<S>();
        for k in (0..N).step_by(lanes) {
            let block = &mut x[k..k + lanes];
            transpose::<S, T>(block);
            for (lane, x) in block.iter().enumerate() {
                // SAFETY: k + lanes <= N, so the vector is inside the butterfly of the lane.
                unsafe { T::store(simd, to.add(lane * self.target.butterfly + k), *x) };
            }
        }
    }

    /// The pass over contiguous butterflies, at least as many in a pencil as lanes.
    ///
    /// # Safety
    /// `from` is valid for reads and `to` for writes of all pencils.
    #[inline(always)]
    unsafe fn contiguous<S: Simd>(&self, simd: S) {
        let lanes = T::width::<S>();
        let mut points = Butterfly::<S, T, N>::new(simd, self.radix.forward);
        for pencil in 0..self.pencils {
            let mut start = 0;
            loop {
                // SAFETY: start + lanes <= butterflies, so all lanes are butterflies of the pencil.
                unsafe {
                    let from = self.from.add(pencil * self.source.pencil + start);
                    for (j, x) in points.x.iter_mut().enumerate().take(self.radix.length::<N>()) {
                        *x = T::load(simd, from.add(j * self.source.element));
                    }
                    points.transform(self.radix);
                    let to = self.to.add(pencil * self.target.pencil + start * self.target.butterfly);
                    if N <= LARGEST_BUTTERFLY
                        && N.is_multiple_of(lanes)
                        && has_shuffles::<S, T>()
                        && self.target.element == 1
                    {
                        self.store_blocks(simd, &mut points.x, to);
                    } else {
                        for lane in 0..lanes {
                            self.scatter(&points.x, lane, to.add(lane * self.target.butterfly));
                        }
                    }
                }
                if start + lanes >= self.butterflies {
                    break;
                }
                // The last vector may repeat butterflies of the one before: the results go to another buffer.
                start = (start + lanes).min(self.butterflies - lanes);
            }
        }
    }

    /// The pass over butterflies at any strides. Each vector is loaded before it is stored.
    ///
    /// # Safety
    /// `from` is valid for reads and `to` for writes of all pencils.
    #[inline(always)]
    unsafe fn gathered<S: Simd>(&self, simd: S) {
        let lanes = T::width::<S>();
        let mut points = Butterfly::<S, T, N>::new(simd, self.radix.forward);
        let mut gathered = [[const { MaybeUninit::<T>::uninit() }; MAX_LANES]; N];
        let count = self.pencils * self.butterflies;
        let (mut pencil, mut butterfly) = (0, 0);
        for start in (0..count).step_by(lanes) {
            let (mut from, mut to) = ([0; MAX_LANES], [0; MAX_LANES]);
            for (lane, (from, to)) in from.iter_mut().zip(&mut to).enumerate().take(lanes) {
                *from = pencil * self.source.pencil + butterfly * self.source.butterfly;
                *to = pencil * self.target.pencil + butterfly * self.target.butterfly;
                // Lanes beyond the last butterfly repeat it.
                if start + lane + 1 < count {
                    butterfly += 1;
                    if butterfly == self.butterflies {
                        (pencil, butterfly) = (pencil + 1, 0);
                    }
                }
            }
            // Gathering all points before the first vector load avoids store-forwarding stalls.
            for (lane, from) in from.into_iter().enumerate().take(lanes) {
                for (j, values) in gathered.iter_mut().enumerate().take(self.radix.length::<N>()) {
                    // SAFETY: `from` is the offset of a butterfly of a pencil, and j is below the radix.
                    values[lane].write(unsafe { *self.from.add(from + j * self.source.element) });
                }
            }
            for (x, values) in points.x.iter_mut().zip(&gathered).take(self.radix.length::<N>()) {
                // SAFETY: the first `lanes` <= MAX_LANES values are initialised.
                *x = unsafe { T::load(simd, values.as_ptr().cast()) };
            }
            points.transform(self.radix);
            for (lane, to) in to.into_iter().enumerate().take(lanes) {
                // SAFETY: `to` is the offset of a butterfly of a pencil, and lane < lanes.
                unsafe { self.scatter(&points.x, lane, self.to.add(to)) };
            }
        }
    }
}

impl<T: Parts, const N: usize> WithSimd for &First<'_, T, N> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // SAFETY: `Stockham::passes` alone makes passes; its contract covers all pencils of `from` and `to`.
        unsafe {
            if self.source.butterfly == 1 && self.butterflies >= T::width::<S>() {
                self.contiguous(simd);
            } else {
                self.gathered(simd);
            }
        }
    }
}

impl<T: Parts, const N: usize> Later<'_, T, N> {
    /// # Safety
    /// A vector at each element of the butterfly is valid for reads from `from` on, and for writes from `to` on.
    #[inline(always)]
    unsafe fn butterfly<S: Simd>(
        &self,
        simd: S,
        points: &mut Butterfly<S, T, N>,
        (from, to): (*const T, *mut T),
        root: impl Fn(usize) -> T::Vector<S>,
    ) {
        let radix = self.radix.length::<N>();
        for (j, x) in points.x.iter_mut().enumerate().take(radix) {
            // SAFETY: j is below the radix; by contract, a vector at element j is valid for reads.
            let value = unsafe { T::load(simd, from.add(self.stride * self.blocks * j)) };
            *x = if j == 0 { value } else { T::product(simd, root(j), value) };
        }
        points.transform(self.radix);
        for (k, x) in points.x.iter().enumerate().take(radix) {
            // SAFETY: k is below the radix; by contract, a vector at element k is valid for writes.
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
        let mut points = Butterfly::<S, T, N>::new(simd, self.radix.forward);
        let mut roots = points.x;
        let pencil_length = stride * radix * self.blocks;
        let mut q = 0;
        loop {
            // SAFETY: q + lanes <= stride, and there are (radix - 1) stride twiddles.
            let root = |j: usize| unsafe { T::load(simd, self.twiddles.as_ptr().add((j - 1) * stride + q)) };
            // SAFETY: q + lanes <= stride and p < blocks, so the elements belong to a pencil of the pass.
            unsafe {
                if self.pencils * self.blocks == 1 {
                    self.butterfly(simd, &mut points, (self.from.add(q), self.to.add(q)), root);
                } else {
                    for (j, twiddle) in roots.iter_mut().enumerate().take(radix).skip(1) {
                        *twiddle = root(j);
                    }
                    for pencil in 0..self.pencils {
                        let (from, to) =
                            (self.from.add(pencil * pencil_length + q), self.to.add(pencil * pencil_length + q));
                        for p in 0..self.blocks {
                            let block = (from.add(stride * p), to.add(stride * radix * p));
                            self.butterfly(simd, &mut points, block, |j| roots[j]);
                        }
                    }
                }
            }
            if q + lanes >= stride {
                break;
            }
            // The last vector may repeat frequencies of the one before.
            q = (q + lanes).min(stride - lanes);
        }
    }
}
