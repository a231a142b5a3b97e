//! Short transforms of one pencil, in registers and on the stack: one butterfly, or two steps. In two steps n = a b has
//! columns of a points, twiddles, and rows of b points. Vectors hold adjacent columns, then adjacent rows, and blocks
//! are transposed between.

use std::mem::MaybeUninit;

use num_complex::Complex;
use pulp::{Scalar, Simd, WithSimd};
use rustfft::{Direction, Fft, FftDirection, FftNum, Length};

use super::Stockham;
use super::butterfly::Butterflies;
use super::transpose::transpose;
use crate::fft::roots::root;
use crate::simd::dispatch;
use affinimath_core::simd::Parts;

/// The longest short transform.
const LONGEST: usize = 256;

/// The most lanes of a block that is transposed.
const MAX_LANES: usize = 4;

/// Calls a function with the lengths of columns and rows of n points; a butterfly has one row. Lengths of rows and
/// columns are at least [`MAX_LANES`] where vectors shall have as many lanes.
macro_rules! with_shape {
    ($n:expr, $function:ident $arguments:tt) => {
        with_shape!(@ $n, $function $arguments,
            2: 2 1, 3: 3 1, 4: 2 2, 5: 5 1, 6: 6 1, 7: 7 1, 8: 4 2, 9: 9 1, 10: 10 1, 11: 11 1, 12: 12 1, 13: 13 1,
            14: 14 1, 15: 15 1, 16: 4 4, 20: 5 4, 24: 6 4, 30: 6 5, 32: 8 4, 36: 6 6, 40: 8 5, 48: 8 6, 60: 10 6,
            64: 8 8, 80: 10 8, 96: 12 8, 100: 10 10, 128: 16 8, 256: 16 16)
    };
    (@ $n:expr, $function:ident $arguments:tt, $($length:literal: $columns:literal $rows:literal),*) => {
        match $n {
            $($length => with_shape!(% $function $arguments, $columns, $rows),)*
            _ => None,
        }
    };
    (% $function:ident ($($argument:expr),*), $columns:literal, $rows:literal) => {
        Some($function::<_, $columns, $rows>($($argument),*))
    };
}

/// A short transform, and passes for many pencils together where these take one pass.
pub(in crate::fft) struct Short<R> {
    n: usize,
    direction: FftDirection,
    /// Of row a and column b at a columns + b.
    twiddles: Vec<Complex<R>>,
    many: Option<Stockham<R>>,
}

/// One transform of A B points.
struct TwoSteps<'a, T, const A: usize, const B: usize> {
    from: *const T,
    to: *mut T,
    twiddles: &'a [T],
    forward: bool,
}

/// Starts of vectors that cover `count` elements. The last one may repeat elements of the one before.
#[inline(always)]
fn starts(count: usize, lanes: usize) -> impl Iterator<Item = usize> {
    (0..count.div_ceil(lanes)).map(move |i| (i * lanes).min(count - lanes))
}

impl<T: Parts, const A: usize, const B: usize> TwoSteps<'_, T, A, B> {
    /// # Safety
    /// `from` is valid for reads and `to` for writes of A B points; A and B are not below the lanes, which are at most
    /// [`MAX_LANES`], and there are A B twiddles.
    #[inline(always)]
    unsafe fn run<S: Simd>(&self, simd: S) {
        let lanes = T::width::<S>();
        let butterflies = Butterflies::<S, T>::new(simd, self.forward);
        let mut columns = [const { MaybeUninit::<T>::uninit() }; LONGEST];
        let columns = columns.as_mut_ptr().cast::<T>();
        for column in starts(B, lanes) {
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
                for a in starts(A, lanes) {
                    let mut block = [T::zero(simd); MAX_LANES];
                    block[..lanes].copy_from_slice(&x[a..a + lanes]);
                    transpose::<S, T>(&mut block[..lanes]);
                    for (j, x) in block[..lanes].iter().enumerate() {
                        T::store(simd, columns.add((column + j) * A + a), *x);
                    }
                }
            }
        }
        for row in starts(A, lanes) {
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

    /// One butterfly, which has no vectors.
    ///
    /// # Safety
    /// `from` is valid for reads and `to` for writes of A points.
    #[inline(always)]
    unsafe fn butterfly(&self) {
        let simd = Scalar::new();
        let mut x = [T::zero(simd); A];
        // SAFETY: there are A points.
        unsafe {
            x.iter_mut().enumerate().for_each(|(a, x)| *x = T::load(simd, self.from.add(a)));
            Butterflies::<Scalar, T>::new(simd, self.forward).transform::<A>(&mut x);
            x.iter().enumerate().for_each(|(a, x)| T::store(simd, self.to.add(a), *x));
        }
    }
}

impl<T: Parts, const A: usize, const B: usize> WithSimd for &TwoSteps<'_, T, A, B> {
    type Output = bool;

    /// True if the vectors fit.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let lanes = T::width::<S>();
        if B == 1 {
            // SAFETY: `transform` alone makes these; its contract covers the points.
            unsafe { self.butterfly() };
            return true;
        }
        let fits = lanes <= A.min(B).min(MAX_LANES) && self.twiddles.len() == A * B;
        if fits {
            // SAFETY: as above, and the vectors fit.
            unsafe { self.run(simd) };
        }
        fits
    }
}

/// # Safety
/// `from` is valid for reads and `to` for writes of A B points. The two may be equal.
#[inline(always)]
unsafe fn transform<T: Parts, const A: usize, const B: usize>(
    from: *const T,
    to: *mut T,
    twiddles: &[T],
    forward: bool,
) {
    let steps = TwoSteps::<T, A, B> { from, to, twiddles, forward };
    if dispatch(&steps) {
        return;
    }
    // Vectors of half the width.
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new()
        && Simd::vectorize(simd, &steps)
    {
        return;
    }
    Simd::vectorize(Scalar::new(), &steps);
}

/// Twiddles of row a and column b, if there are rows.
fn twiddles<R: FftNum, const A: usize, const B: usize>(root: impl Fn(usize) -> Complex<R>) -> Vec<Complex<R>> {
    let rows = if B == 1 { 0 } else { A };
    (0..rows).flat_map(|a| (0..B).map(move |b| a * b)).map(root).collect()
}

impl<R: FftNum> Short<R>
where
    Complex<R>: Parts,
{
    /// None if the length is not a short one.
    pub(in crate::fft) fn new(n: usize, direction: FftDirection) -> Option<Self> {
        let root = |m: usize| {
            let root = root(m % n, n);
            if direction == FftDirection::Forward { root } else { root.conj() }
        };
        let twiddles = with_shape!(n, twiddles(root))?;
        let many = Some(Stockham::new(n, direction)).filter(|many| many.stages.len() == 1);
        Some(Short { n, direction, twiddles, many })
    }

    /// # Safety
    /// `from` is valid for reads and `to` for writes of n points. The two may be equal.
    #[inline]
    unsafe fn transform(&self, from: *const Complex<R>, to: *mut Complex<R>) {
        let forward = self.direction == FftDirection::Forward;
        // SAFETY: the contracts are the same.
        let _ = unsafe { with_shape!(self.n, transform(from, to, &self.twiddles, forward)) };
    }
}

impl<R: FftNum> Fft<R> for Short<R>
where
    Complex<R>: Parts,
{
    fn process_with_scratch(&self, buffer: &mut [Complex<R>], workspace: &mut [Complex<R>]) {
        if let Some(many) = &self.many
            && buffer.len() > self.n
        {
            return many.process_with_scratch(buffer, workspace);
        }
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
        workspace: &mut [Complex<R>],
    ) {
        if let Some(many) = &self.many
            && input.len() > self.n
        {
            return many.process_immutable_with_scratch(input, output, workspace);
        }
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
