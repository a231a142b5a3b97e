//! Fused vector passes of iterative solvers on the host.
//!
//! Vectors are divided into parts for the threads, and parts into blocks that stay in the L1 cache: a block goes
//! through all updates and dot products of a pass before the next one. Partial sums are added in order, so that results
//! do not depend on the number of threads.

use super::super::level1::RawVector;
use super::super::threads;
use affinimath_core::scalar::Scalar;
use affinimath_core::sparse::formula::{Formula, Number};
use affinimath_core::sparse::pass::{Operand, Pass, Save, Update};
use affinimath_core::view::Memory;
use faer::traits::pulp::Arch;

/// Elements of a part, enough work to wake a thread.
const PART: usize = 16 << 10;
/// Elements of a block.
const CACHE_BLOCK: usize = 512;
/// Independent accumulators.
const LANES: usize = 8;
/// The values of its own that a pass may have.
const MAX_TEMPORARIES: usize = 2;

/// Scalars and passes of a solver whose vectors are in host memory.
pub struct Passes<T> {
    passes: Vec<Pass>,
    /// Scalars by their index.
    pub scalars: Vec<T>,
    /// Dot products of the last pass.
    pub sums: [T; Number::SUMS],
}

impl<T: Scalar> Passes<T> {
    /// For the passes of a method.
    pub fn new(passes: Vec<Pass>) -> Self {
        Passes { passes, scalars: vec![T::ZERO; Number::COUNT], sums: [T::ZERO; Number::SUMS] }
    }

    /// Runs a pass over vectors of `length` elements that begin at `starts`. Returns the scalar that it records, if
    /// any. After the solver has stopped, a pass does nothing.
    ///
    /// # Safety
    /// The vectors must be disjoint, have `length` elements, and not be accessed by anything else.
    pub unsafe fn run(&mut self, pass: usize, length: usize, starts: Vec<*mut T>) -> Option<T> {
        let pass = &self.passes[pass];
        if self.scalars[Number::STATUS.0] != T::ZERO {
            return None;
        }
        self.scalars[..pass.sums].copy_from_slice(&self.sums[..pass.sums]);
        for (number, formula) in &pass.scalars {
            self.scalars[number.0] = formula.value(&self.scalars);
        }
        let run = PassRun {
            pass,
            saves: pass.save.filter(|save| self.scalars[save.condition.0] != T::ZERO),
            factors: pass.factors().map(|factor| factor.value(&self.scalars)).collect(),
            length,
            starts,
        };
        self.sums = run.all();
        pass.records.map(|number| self.scalars[number.0])
    }
}

/// A vector in the host's memory, for the loops of level 1.
pub fn raw_vector<T: Scalar>(memory: Memory<'_, T>, shape: &affinimath_core::view::VectorShape) -> RawVector<T> {
    let Memory::Host(start, _) = memory else { unreachable!("the host works on the host's memory") };
    // SAFETY: the view holds its elements, which nothing else writes.
    unsafe { RawVector::new(start, shape) }
}

/// A pass with its factors and its vectors.
struct PassRun<'a, T> {
    pass: &'a Pass,
    /// The copy that is to be made.
    saves: Option<Save>,
    factors: Vec<T>,
    length: usize,
    starts: Vec<*mut T>,
}

// SAFETY: the vectors are disjoint, and threads access different parts of them.
unsafe impl<T: Sync> Sync for PassRun<'_, T> {}

impl<T: Scalar> PassRun<'_, T> {
    /// Runs all parts and adds up their sums.
    fn all(&self) -> [T; Number::SUMS] {
        let parts = self.length.div_ceil(PART);
        let part = |index: usize| self.part(index * PART, self.length.min((index + 1) * PART));
        let sums: Vec<[T; Number::SUMS]> = if parts <= 1 || threads::available() == 1 {
            (0..parts).map(part).collect()
        } else {
            threads::map(parts, part)
        };
        let mut total = [T::ZERO; Number::SUMS];
        for sums in sums {
            total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
        }
        total
    }

    fn part(&self, begin: usize, end: usize) -> [T; Number::SUMS] {
        Arch::new().dispatch(|| self.run_part(begin, end))
    }

    #[inline(always)]
    fn run_part(&self, begin: usize, end: usize) -> [T; Number::SUMS] {
        let mut temporaries = [[T::ZERO; CACHE_BLOCK]; MAX_TEMPORARIES];
        let mut sums = [[T::ZERO; LANES]; Number::SUMS];
        for first in (begin..end).step_by(CACHE_BLOCK) {
            let length = CACHE_BLOCK.min(end - first);
            if let Some(Save { source, target, .. }) = self.saves {
                // SAFETY: both are different vectors of that length, and only this thread accesses the block.
                unsafe {
                    let (source, target) = (self.starts[source].add(first), self.starts[target].add(first));
                    std::ptr::copy_nonoverlapping(source, target, length);
                }
            }
            let mut factors = self.factors.as_slice();
            for update in &self.pass.updates {
                let (mine, rest) = factors.split_at(update.terms.len());
                factors = rest;
                self.update(update, mine, first, length, &mut temporaries);
            }
            for ((x, y), sums) in self.pass.dots.iter().zip(&mut sums) {
                add_products(
                    self.values(*x, first, length, &temporaries),
                    self.values(*y, first, length, &temporaries),
                    sums,
                );
            }
        }
        sums.map(|lanes| lanes.into_iter().fold(T::ZERO, |sum, lane| sum + lane))
    }

    /// A block of a vector, or of one of the pass's temporaries.
    #[inline(always)]
    fn values<'s>(
        &'s self,
        operand: Operand,
        first: usize,
        length: usize,
        temporaries: &'s [[T; CACHE_BLOCK]],
    ) -> &'s [T] {
        match operand {
            // SAFETY: the vector has these elements, and only this thread accesses the block, without writing
            // meanwhile.
            Operand::Vector(vector) => unsafe { std::slice::from_raw_parts(self.starts[vector].add(first), length) },
            Operand::Own(index) => &temporaries[index][..length],
        }
    }

    /// target := x + factor * y in a block; the target may be x or y. Most updates have this form.
    #[inline(always)]
    fn add_multiple(&self, target: usize, x: usize, factor: T, y: usize, first: usize, length: usize) {
        let values = |vector| self.values(Operand::Vector(vector), first, length, &[]);
        // SAFETY: the vector has these elements, only this thread accesses the block, and no other borrow covers the
        // target.
        let result = unsafe { std::slice::from_raw_parts_mut(self.starts[target].add(first), length) };
        if target == x {
            result.iter_mut().zip(values(y)).for_each(|(result, &y)| *result += factor * y);
        } else if target == y {
            result.iter_mut().zip(values(x)).for_each(|(result, &x)| *result = x + factor * *result);
        } else {
            let terms = values(x).iter().zip(values(y));
            result.iter_mut().zip(terms).for_each(|(result, (&x, &y))| *result = x + factor * y);
        }
    }

    /// One update of a block. Its sum is complete before the target, possibly one of its terms, is written.
    #[inline(always)]
    fn update(
        &self,
        update: &Update,
        factors: &[T],
        first: usize,
        length: usize,
        temporaries: &mut [[T; CACHE_BLOCK]; MAX_TEMPORARIES],
    ) {
        if let (Operand::Vector(target), [x, y]) = (update.target, &*update.terms)
            && let (Operand::Vector(x), Operand::Vector(y)) = (x.vector, y.vector)
            && update.terms.iter().all(|term| term.diagonal.is_none())
            && x != y
            && matches!(update.terms[0].factor, Formula::Constant(1))
            && !matches!(update.terms[1].factor, Formula::Constant(1))
        {
            return self.add_multiple(target, x, factors[1], y, first, length);
        }
        let mut sum = [T::ZERO; CACHE_BLOCK];
        let sum = &mut sum[..length];
        for (index, (term, &factor)) in update.terms.iter().zip(factors).enumerate() {
            let values = self.values(term.vector, first, length, temporaries);
            let diagonal = term.diagonal.map(|diagonal| self.values(diagonal, first, length, temporaries));
            let one = matches!(term.factor, Formula::Constant(1));
            match (diagonal, index == 0, one) {
                (None, true, true) => sum.copy_from_slice(values),
                (None, true, false) => sum.iter_mut().zip(values).for_each(|(sum, &v)| *sum = factor * v),
                (None, false, true) => sum.iter_mut().zip(values).for_each(|(sum, &v)| *sum += v),
                (None, false, false) => sum.iter_mut().zip(values).for_each(|(sum, &v)| *sum += factor * v),
                (Some(diagonal), ..) => {
                    let products = values.iter().zip(diagonal).map(|(&v, &d)| d * v);
                    sum.iter_mut().zip(products).for_each(|(sum, product)| *sum += factor * product);
                }
            }
        }
        match update.target {
            // SAFETY: the vector has these elements, only this thread accesses the block, and no borrow of it is alive.
            Operand::Vector(vector) => unsafe {
                std::ptr::copy_nonoverlapping(sum.as_ptr(), self.starts[vector].add(first), length);
            },
            Operand::Own(index) => temporaries[index][..length].copy_from_slice(sum),
        }
    }
}

/// Sum of conj(x_i) y_i in independent accumulators.
#[inline(always)]
fn add_products<T: Scalar>(x: &[T], y: &[T], sums: &mut [T; LANES]) {
    let mut lanes = *sums;
    let (x_chunks, x_rest) = x.as_chunks::<LANES>();
    let (y_chunks, y_rest) = y.as_chunks::<LANES>();
    for (x, y) in x_chunks.iter().zip(y_chunks) {
        for lane in 0..LANES {
            lanes[lane] += x[lane].conjugate() * y[lane];
        }
    }
    for (lane, (x, y)) in x_rest.iter().zip(y_rest).enumerate() {
        lanes[lane] += x.conjugate() * *y;
    }
    *sums = lanes;
}
