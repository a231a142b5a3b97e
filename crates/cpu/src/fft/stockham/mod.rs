//! Transforms of lengths whose prime factors are small, in Stockham's order (Cochran et al. 1967): passes from one
//! memory to another, each over all numbers with the butterflies of one radix, whose vectors are as wide as the
//! processor has them.
//!
//! The error is as small as the number of roundings allows: twiddles and the constants of butterflies are rounded once.
//! With n = s r b, the product s of the radices before, and x the numbers between passes, a pass of radix r computes
//! y_(q + s (k + r p)) = sum over j of w_r^(j k) w_(s r)^(j q) x_(q + s (p + b j)) for q < s and p < b.

mod butterfly;
mod passes;
mod plan;
mod roots;

use num_complex::Complex;
use rustfft::{Direction, Fft, FftDirection, FftNum, Length};

use super::roots::root;
use crate::simd::dispatch;
use affinimath_core::simd::Parts;
use passes::{First, Later, Radix, Strides};
pub(super) use plan::largest_prime;
use plan::{LARGEST_PRIME, Stage};

/// Numbers of short lines that go through each pass together.
const TOGETHER: usize = 1024;

/// Whether a length has small prime factors only.
pub(super) fn takes(n: usize) -> bool {
    largest_prime(n) <= LARGEST_PRIME
}

/// The transform of a length that [`takes`] allows.
pub(super) struct Stockham<R> {
    n: usize,
    direction: FftDirection,
    stages: Vec<Stage<Complex<R>>>,
}

/// The pass that a radix has: a type for each one with a butterfly of its own, and two for other primes.
macro_rules! pass {
    ($radix:expr, $pass:ident $fields:tt) => {
        pass!(@ $radix, $pass $fields, 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 20)
    };
    (@ $radix:expr, $pass:ident $fields:tt, $($own:literal)*) => {
        match $radix {
            $($own => dispatch(&pass!(% $pass, $own, $fields)),)*
            0..=31 => dispatch(&pass!(% $pass, 32, $fields)),
            _ => dispatch(&pass!(% $pass, 128, $fields)),
        }
    };
    (% $pass:ident, $n:literal, { $($fields:tt)* }) => {
        $pass::<_, $n> { $($fields)* }
    };
}

impl<R: FftNum> Stockham<R>
where
    Complex<R>: Parts,
{
    pub(super) fn new(n: usize, direction: FftDirection) -> Self {
        let forward = direction == FftDirection::Forward;
        let root = |m: usize, n: usize| if forward { root(m, n) } else { root(m, n).conj() };
        Stockham { n, direction, stages: plan::stages(n, root) }
    }

    fn radix<'a>(&self, stage: &'a Stage<Complex<R>>) -> Radix<'a, Complex<R>> {
        Radix { radix: stage.radix, matrix: &stage.matrix, forward: self.direction == FftDirection::Forward }
    }

    /// Lines that go through each pass together.
    fn together(&self) -> usize {
        if self.stages.len() <= 1 { usize::MAX / self.n } else { (TOGETHER / self.n).max(1) }
    }

    /// Numbers of the memory beside a block of lines that passes go to.
    fn room(&self) -> usize {
        if self.stages.len() <= 1 { 0 } else { self.together() * self.n }
    }

    /// # Safety
    /// `lines` lines can be read at `from`, and written at the places that the passes go to; no pass goes to what it
    /// reads, unless it is the only one.
    unsafe fn passes(&self, lines: usize, from: *const Complex<R>, place: impl Fn(usize) -> *mut Complex<R>) {
        let n = self.n;
        for (i, stage) in self.stages.iter().enumerate() {
            let (radix, to, stride) = (self.radix(stage), place(i), stage.stride);
            let blocks = n / stride / stage.radix;
            if i > 0 {
                let (from, twiddles) = (place(i - 1).cast_const(), &stage.twiddles[..]);
                pass!(stage.radix, Later { radix, from, to, lines, twiddles, stride, blocks });
            } else {
                let source = Strides { line: n, butterfly: 1, element: blocks };
                let target = Strides { line: n, butterfly: stage.radix, element: 1 };
                pass!(stage.radix, First { radix, from, to, lines, butterflies: blocks, source, target });
            }
        }
    }

    /// Which memory a pass goes to: 0 for that of the results, 1 and 2 for others. No pass goes to what it reads.
    fn place(&self, pass: usize, in_place: bool) -> usize {
        let count = self.stages.len();
        let after = count - 1 - pass;
        if !in_place || count.is_multiple_of(2) {
            return after % 2;
        }
        match after {
            0 => 0,
            1 => 2,
            _ => (pass + 1) % 2,
        }
    }

    fn in_place_scratch(&self) -> usize {
        if self.stages.len().is_multiple_of(2) { self.room() } else { 2 * self.room() }
    }
}

impl<R: FftNum> Fft<R> for Stockham<R>
where
    Complex<R>: Parts,
{
    fn process_with_scratch(&self, buffer: &mut [Complex<R>], scratch: &mut [Complex<R>]) {
        let (first, second) = scratch[..self.in_place_scratch()].split_at_mut(self.room());
        for block in buffer.chunks_mut(self.together() * self.n) {
            let places = [block.as_mut_ptr(), first.as_mut_ptr(), second.as_mut_ptr()];
            // SAFETY: the block holds the lines, and each part of the scratch memory as many; a third place has two
            // parts.
            unsafe { self.passes(block.len() / self.n, places[0], |pass| places[self.place(pass, true)]) };
        }
    }

    fn process_outofplace_with_scratch(
        &self,
        input: &mut [Complex<R>],
        output: &mut [Complex<R>],
        scratch: &mut [Complex<R>],
    ) {
        self.process_immutable_with_scratch(input, output, scratch);
    }

    fn process_immutable_with_scratch(
        &self,
        input: &[Complex<R>],
        output: &mut [Complex<R>],
        scratch: &mut [Complex<R>],
    ) {
        assert_eq!(input.len(), output.len(), "there are as many results as numbers");
        if self.n == 1 {
            return output.copy_from_slice(input);
        }
        let scratch = &mut scratch[..self.room()];
        let block = self.together() * self.n;
        for (input, output) in input.chunks(block).zip(output.chunks_mut(block)) {
            let places = [output.as_mut_ptr(), scratch.as_mut_ptr()];
            // SAFETY: input and output hold the lines, and the scratch memory as many.
            unsafe { self.passes(input.len() / self.n, input.as_ptr(), |pass| places[self.place(pass, false)]) };
        }
    }

    fn get_inplace_scratch_len(&self) -> usize {
        self.in_place_scratch()
    }

    fn get_outofplace_scratch_len(&self) -> usize {
        self.room()
    }

    fn get_immutable_scratch_len(&self) -> usize {
        self.room()
    }
}

impl<R> Length for Stockham<R> {
    fn len(&self) -> usize {
        self.n
    }
}

impl<R> Direction for Stockham<R> {
    fn fft_direction(&self) -> FftDirection {
        self.direction
    }
}
