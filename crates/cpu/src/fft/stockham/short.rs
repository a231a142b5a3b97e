//! Short transforms in two steps, in registers and on the stack: n = a b, columns of a points, twiddles, rows of b
//! points. Vectors hold adjacent columns, then adjacent rows, and blocks are transposed between.

use std::mem::MaybeUninit;

use num_complex::Complex;
use pulp::{Simd, WithSimd};
use rustfft::{Direction, Fft, FftDirection, FftNum, Length};

use super::butterfly::Butterflies;
use super::transpose::transpose;
use crate::fft::roots::root;
use crate::simd::dispatch;
use affinimath_core::simd::Parts;

/// The longest short transform.
const LONGEST: usize = 256;

/// Lengths of columns and rows: multiples of the lanes of complex doubles.
pub(in crate::fft) fn factors(n: usize) -> Option<(usize, usize)> {
    match n {
        4 => Some((2, 2)),
        8 => Some((4, 2)),
        16 => Some((4, 4)),
        32 => Some((8, 4)),
        64 => Some((8, 8)),
        128 => Some((16, 8)),
        256 => Some((16, 16)),
        _ => None,
    }
}

/// The transform of a length that has [`factors`].
pub(in crate::fft) struct Short<R> {
    n: usize,
    direction: FftDirection,
    /// Of point a and column b at a columns + b.
    twiddles: Vec<Complex<R>>,
}

/// One transform.
struct TwoSteps<'a, T, const A: usize, const B: usize> {
    from: *const T,
    to: *mut T,
    twiddles: &'a [T],
    forward: bool,
}

impl<T: Parts, const A: usize, const B: usize> TwoSteps<'_, T, A, B> {
    /// # Safety
    /// `from` is valid for reads and `to` for writes of A B points, and A and B are multiples of the lanes.
    #[inline(always)]
    unsafe fn run<S: Simd>(&self, simd: S) {
        let lanes = T::width::<S>();
        let butterflies = Butterflies::<S, T>::new(simd, self.forward);
        let mut columns = [const { MaybeUninit::<T>::uninit() }; LONGEST];
        let columns = columns.as_mut_ptr().cast::<T>();
        for column in (0..B).step_by(lanes) {
            let mut x = [T::zero(simd); A];
            // SAFETY: columns `column..column + lanes` of A rows of B points.
            unsafe {
                for (a, x) in x.iter_mut().enumerate() {
                    *x = T::load(simd, self.from.add(a * B + column));
                }
                butterflies.transform::<A>(&mut x);
                for (a, x) in x.iter_mut().enumerate().skip(1) {
                    *x = T::product(simd, T::load(simd, self.twiddles.as_ptr().add(a * B + column)), *x);
                }
                for a in (0..A).step_by(lanes) {
                    let block = &mut x[a..a + lanes];
                    transpose::<S, T>(block);
                    for (j, x) in block.iter().enumerate() {
                        T::store(simd, columns.add((column + j) * A + a), *x);
                    }
                }
            }
        }
        for row in (0..A).step_by(lanes) {
            let mut x = [T::zero(simd); B];
            // SAFETY: rows `row..row + lanes` of all B columns, which have been written.
            unsafe {
                for (b, x) in x.iter_mut().enumerate() {
                    *x = T::load(simd, columns.add(b * A + row).cast_const());
                }
                butterflies.transform::<B>(&mut x);
                for (k, x) in x.iter().enumerate() {
                    T::store(simd, self.to.add(k * A + row), *x);
                }
            }
        }
    }
}

impl<T: Parts, const A: usize, const B: usize> WithSimd for &TwoSteps<'_, T, A, B> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let lanes = T::width::<S>();
        let fits = A.is_multiple_of(lanes) && B.is_multiple_of(lanes) && self.twiddles.len() == A * B;
        if fits {
            // SAFETY: `Short::transform` alone makes these; its contract covers the points.
            unsafe { self.run(simd) };
        }
        fits
    }
}

impl<R: FftNum> Short<R>
where
    Complex<R>: Parts,
{
    /// None if the length has no factors.
    pub(in crate::fft) fn new(n: usize, direction: FftDirection) -> Option<Self> {
        let (a, b) = factors(n)?;
        let twiddle = |m: usize| {
            let root = root(m % n, n);
            if direction == FftDirection::Forward { root } else { root.conj() }
        };
        let twiddles = (0..a).flat_map(|k| (0..b).map(move |j| twiddle(j * k))).collect();
        Some(Short { n, direction, twiddles })
    }

    /// # Safety
    /// `from` is valid for reads and `to` for writes of n points. The two may be equal.
    #[inline]
    unsafe fn transform(&self, from: *const Complex<R>, to: *mut Complex<R>) {
        match self.n {
            4 => self.run::<2, 2>(from, to),
            8 => self.run::<4, 2>(from, to),
            16 => self.run::<4, 4>(from, to),
            32 => self.run::<8, 4>(from, to),
            64 => self.run::<8, 8>(from, to),
            128 => self.run::<16, 8>(from, to),
            _ => self.run::<16, 16>(from, to),
        }
    }

    #[inline(always)]
    fn run<const A: usize, const B: usize>(&self, from: *const Complex<R>, to: *mut Complex<R>) {
        let forward = self.direction == FftDirection::Forward;
        let steps = TwoSteps::<_, A, B> { from, to, twiddles: &self.twiddles, forward };
        // Two points are fewer than the lanes of AVX-512.
        #[cfg(target_arch = "x86_64")]
        if B == 2
            && let Some(simd) = pulp::x86::V3::try_new()
        {
            Simd::vectorize(simd, &steps);
            return;
        }
        if !dispatch(&steps) {
            Simd::vectorize(pulp::Scalar::new(), &steps);
        }
    }
}

impl<R: FftNum> Fft<R> for Short<R>
where
    Complex<R>: Parts,
{
    fn process_with_scratch(&self, buffer: &mut [Complex<R>], _workspace: &mut [Complex<R>]) {
        for pencil in buffer.chunks_exact_mut(self.n) {
            let pencil = pencil.as_mut_ptr();
            // SAFETY: the slice holds n points.
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
        for (input, output) in input.chunks_exact(self.n).zip(output.chunks_exact_mut(self.n)) {
            // SAFETY: both slices hold n points.
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

impl<R> Length for Short<R> {
    fn len(&self) -> usize {
        self.n
    }
}

impl<R> Direction for Short<R> {
    fn fft_direction(&self) -> FftDirection {
        self.direction
    }
}
