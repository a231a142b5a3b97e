//! The host's memory and arithmetic.

use std::hint::black_box;
use std::time::{Duration, Instant};

use affinimath::ScalarKind;
use affinimath_cpu as host;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::{CHAINS, Case, FACTOR, STEPS, What, exact};
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;

/// Lanes of all threads' vectors.
pub fn lanes(kind: ScalarKind) -> usize {
    host::threads() * Arch::new().dispatch(Width { kind })
}

/// The host on a case.
pub fn entrant<'a>(case: &Case) -> Entrant<'a> {
    let x = || vec![1.0_f64; case.bytes / size_of::<f64>()];
    Ok(match case.what {
        What::Copy => Box::new(Copy { x: x(), y: vec![0.0; case.bytes / size_of::<f64>()] }),
        What::Read => Box::new(Read { x: x(), sum: f64::NAN }),
        What::MultiplyAdd => Box::new(MultiplyAdd { kind: case.kind, sums: Vec::new() }),
    })
}

/// Elements of each thread's part.
fn part(length: usize) -> usize {
    length.div_ceil(host::threads()).max(1)
}

struct Copy {
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Contender for Copy {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let part = part(self.x.len());
        let start = Instant::now();
        for _ in 0..repetitions {
            let parts = self.y.par_chunks_mut(part).zip(self.x.par_chunks(part));
            parts.for_each(|(y, x)| y.copy_from_slice(x));
        }
        Ok(start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        Ok(exact(self.y.iter().copied(), 1.0))
    }
}

struct Read {
    x: Vec<f64>,
    sum: f64,
}

impl Contender for Read {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let part = part(self.x.len());
        let start = Instant::now();
        for _ in 0..repetitions {
            self.sum = black_box(&self.x).par_chunks(part).map(|x| Arch::new().dispatch(Sum { x })).sum();
        }
        Ok(start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        Ok(exact(std::iter::once(self.sum), self.x.len() as f64))
    }
}

struct MultiplyAdd {
    kind: ScalarKind,
    sums: Vec<f64>,
}

impl Contender for MultiplyAdd {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let steps = STEPS * repetitions as usize;
        let kind = self.kind;
        let start = Instant::now();
        self.sums = (0..host::threads())
            .into_par_iter()
            .with_max_len(1)
            .map(|_| match kind.is_double() {
                true => Arch::new().dispatch(Doubles { steps, factor: black_box(FACTOR) }),
                false => Arch::new().dispatch(Floats { steps, factor: black_box(FACTOR as f32) }),
            })
            .collect();
        Ok(start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        let expected = (CHAINS * Arch::new().dispatch(Width { kind: self.kind })) as f64;
        Ok(exact(self.sums.iter().copied(), expected))
    }
}

/// The lanes of the widest vectors.
struct Width {
    kind: ScalarKind,
}

impl WithSimd for Width {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> usize {
        if self.kind.is_double() { S::F64_LANES } else { S::F32_LANES }
    }
}

struct Sum<'a> {
    x: &'a [f64],
}

impl WithSimd for Sum<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        const ACCUMULATORS: usize = 8;
        let zero = simd.splat_f64s(0.0);
        let mut sums = [zero; ACCUMULATORS];
        let each = ACCUMULATORS * S::F64_LANES;
        let whole = self.x.len() / each * each;
        let mut i = 0;
        while i < whole {
            let mut s = 0;
            while s < ACCUMULATORS {
                // SAFETY: the vector ends before `whole` does, and any bits are numbers.
                let x: S::f64s =
                    unsafe { self.x.as_ptr().add(i + s * S::F64_LANES).cast::<S::f64s>().read_unaligned() };
                sums[s] = simd.add_f64s(sums[s], x);
                s += 1;
            }
            i += each;
        }
        let mut sum = 0.0;
        for part in sums {
            sum += simd.reduce_sum_f64s(part);
        }
        self.x[whole..].iter().fold(sum, |sum, x| sum + x)
    }
}

macro_rules! multiply_adds {
    ($name:ident, $real:ident, $splat:ident, $mul_add:ident, $reduce:ident) => {
        /// Multiply-adds of one thread.
        struct $name {
            steps: usize,
            factor: $real,
        }

        impl WithSimd for $name {
            type Output = f64;

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) -> f64 {
                let factor = simd.$splat(self.factor);
                let mut x = [factor; CHAINS];
                let mut chain = 0;
                while chain < CHAINS {
                    // Vectors that differ: none of them can be left out.
                    x[chain] = simd.$splat(black_box(chain as $real));
                    chain += 1;
                }
                let mut step = 0;
                while step < self.steps {
                    // The loop over the chains is unrolled: they stay in registers.
                    x = each(
                        x,
                        #[inline(always)]
                        |x| simd.$mul_add(x, factor, factor),
                    );
                    step += 1;
                }
                let mut sum = 0.0;
                for x in x {
                    sum += f64::from(simd.$reduce(x));
                }
                sum
            }
        }
    };
}

multiply_adds!(Floats, f32, splat_f32s, mul_add_e_f32s, reduce_sum_f32s);
multiply_adds!(Doubles, f64, splat_f64s, mul_add_e_f64s, reduce_sum_f64s);

/// The function of each chain, without a loop.
#[inline(always)]
fn each<V: std::marker::Copy>(x: [V; CHAINS], f: impl Fn(V) -> V) -> [V; CHAINS] {
    let [a, b, c, d, e, g, h, i, j, k, l, m] = x;
    [f(a), f(b), f(c), f(d), f(e), f(g), f(h), f(i), f(j), f(k), f(l), f(m)]
}
