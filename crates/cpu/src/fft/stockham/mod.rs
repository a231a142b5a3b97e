//! Mixed-radix Stockham autosort (Cochran et al. 1967) for lengths with small prime factors. Each pass reads one buffer
//! and writes another, with SIMD butterflies of one radix.
//!
//! Twiddles and the constants of butterflies are rounded once. With n = s r b and the product s of the radices before,
//! a pass of radix r computes y_(q + s (k + r p)) = sum over j of w_r^(j k) w_(s r)^(j q) x_(q + s (p + b j)) for q < s
//! and p < b.

mod butterfly;
mod passes;
pub mod plan;
pub mod roots;
pub(super) mod short;
mod transpose;

use num_complex::Complex;
use rustfft::{Direction, Fft, FftDirection, FftNum, Length};

use super::roots::RootTable;
use crate::simd::dispatch;
use affinimath_core::simd::Parts;
use passes::{First, Later, Radix, Strides};
pub(super) use plan::largest_prime;
use plan::{LARGEST_PRIME, Stage};

/// Points of a block of short pencils, which go through all passes together.
const POINTS_PER_BLOCK: usize = 1024;

/// True if a length has small prime factors only.
pub(super) fn is_supported(n: usize) -> bool {
    largest_prime(n) <= LARGEST_PRIME
}

/// The transform of a length that [`is_supported`] allows.
pub(super) struct Stockham<R> {
    n: usize,
    direction: FftDirection,
    stages: Vec<Stage<Complex<R>>>,
}

/// Dispatches a pass by its radix: one type for each butterfly, and two for other primes.
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
        let roots = RootTable::new(n);
        let root = |m: usize, length: usize| {
            let root = roots.get(m * (n / length));
            if forward { root } else { root.conj() }
        };
        Stockham { n, direction, stages: plan::stages(n, root) }
    }

    fn radix<'a>(&self, stage: &'a Stage<Complex<R>>) -> Radix<'a, Complex<R>> {
        Radix { radix: stage.radix, matrix: &stage.matrix, forward: self.direction == FftDirection::Forward }
    }

    /// Pencils that go through all passes together.
    fn pencils_per_block(&self) -> usize {
        if self.stages.len() <= 1 { usize::MAX / self.n } else { (POINTS_PER_BLOCK / self.n).max(1) }
    }

    /// Points of each workspace buffer.
    fn block_points(&self) -> usize {
        if self.stages.len() <= 1 { 0 } else { self.pencils_per_block() * self.n }
    }

    /// # Safety
    /// `from` is valid for reads and each `buffer` for reads and writes of `pencils` pencils. No pass writes the buffer
    /// that it reads, unless it is the only one.
    unsafe fn passes(&self, pencils: usize, from: *const Complex<R>, buffer: impl Fn(usize) -> *mut Complex<R>) {
        let n = self.n;
        for (i, stage) in self.stages.iter().enumerate() {
            let (radix, to, stride) = (self.radix(stage), buffer(i), stage.stride);
            let blocks = n / stride / stage.radix;
            if i > 0 {
                let (from, twiddles) = (buffer(i - 1).cast_const(), &stage.twiddles[..]);
                pass!(stage.radix, Later { radix, from, to, pencils, twiddles, stride, blocks });
            } else {
                let source = Strides { pencil: n, butterfly: 1, element: blocks };
                let target = Strides { pencil: n, butterfly: stage.radix, element: 1 };
                pass!(stage.radix, First { radix, from, to, pencils, butterflies: blocks, source, target });
            }
        }
    }

    /// Buffer that a pass writes: 0 for the results, 1 and 2 for workspace. No pass writes the buffer that it
    /// reads.
    fn buffer(&self, pass: usize, in_place: bool) -> usize {
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

    fn in_place_workspace(&self) -> usize {
        if self.stages.len().is_multiple_of(2) { self.block_points() } else { 2 * self.block_points() }
    }
}

impl<R: FftNum> Fft<R> for Stockham<R>
where
    Complex<R>: Parts,
{
    fn process_with_scratch(&self, buffer: &mut [Complex<R>], workspace: &mut [Complex<R>]) {
        let (first, second) = workspace[..self.in_place_workspace()].split_at_mut(self.block_points());
        for block in buffer.chunks_mut(self.pencils_per_block() * self.n) {
            let buffers = [block.as_mut_ptr(), first.as_mut_ptr(), second.as_mut_ptr()];
            // SAFETY: each buffer holds the pencils of the block; `buffer` names the third one only if the workspace
            // memory has two parts.
            unsafe { self.passes(block.len() / self.n, buffers[0], |pass| buffers[self.buffer(pass, true)]) };
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
        assert_eq!(input.len(), output.len(), "input and output have the same length");
        if self.n == 1 {
            return output.copy_from_slice(input);
        }
        let workspace = &mut workspace[..self.block_points()];
        let block = self.pencils_per_block() * self.n;
        for (input, output) in input.chunks(block).zip(output.chunks_mut(block)) {
            let buffers = [output.as_mut_ptr(), workspace.as_mut_ptr()];
            // SAFETY: input, output and workspace each hold the pencils of the block.
            unsafe { self.passes(input.len() / self.n, input.as_ptr(), |pass| buffers[self.buffer(pass, false)]) };
        }
    }

    fn get_inplace_scratch_len(&self) -> usize {
        self.in_place_workspace()
    }

    fn get_outofplace_scratch_len(&self) -> usize {
        self.block_points()
    }

    fn get_immutable_scratch_len(&self) -> usize {
        self.block_points()
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
