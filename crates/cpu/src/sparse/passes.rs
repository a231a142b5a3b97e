//! The passes of iterative solvers on the host.
//!
//! Vectors are shared out in parts, and each part is walked in pieces that stay in the nearest cache: a piece goes through all updates and
//! sums before the next one. What parts sum is added in their order: the result is the same for any number of threads.

use super::super::level1::Strand;
use super::super::threads;
use affinimath_core::scalar::Scalar;
use affinimath_core::sparse::formula::{Formula, Number};
use affinimath_core::sparse::pass::{Operand, Pass, Save, Update};
use affinimath_core::view::Memory;
use faer::traits::pulp::Arch;

/// Elements of a part: they take long enough to be worth waking a thread for.
const PART: usize = 16 << 10;
/// Elements of a piece.
const PIECE: usize = 512;
/// Sums side by side.
const LANES: usize = 8;
/// The values of its own that a pass may have.
const OWN: usize = 2;

/// The numbers of a solver whose vectors lie in the host's memory.
pub struct Passes<T> {
    passes: Vec<Pass>,
    /// The numbers, by their places.
    pub scalars: Vec<T>,
    /// The sums of the last pass.
    pub sums: [T; Number::SUMS],
}

impl<T: Scalar> Passes<T> {
    /// For the passes of a method.
    pub fn new(passes: Vec<Pass>) -> Self {
        Passes { passes, scalars: vec![T::ZERO; Number::COUNT], sums: [T::ZERO; Number::SUMS] }
    }

    /// Runs the pass of an index over vectors of `length` elements that begin at `starts`. The number that it records is the
    /// result, if there is one. A pass of a solver that has stopped does nothing.
    ///
    /// # Safety
    /// The vectors are different ones, with as many elements, and nobody else touches them.
    pub unsafe fn run(&mut self, pass: usize, length: usize, starts: Vec<*mut T>) -> Option<T> {
        let pass = &self.passes[pass];
        if self.scalars[Number::STATUS.0] != T::ZERO {
            return None;
        }
        self.scalars[..pass.sums].copy_from_slice(&self.sums[..pass.sums]);
        for (number, formula) in &pass.scalars {
            self.scalars[number.0] = formula.value(&self.scalars);
        }
        let walk = Walk {
            pass,
            saves: pass.save.filter(|save| self.scalars[save.condition.0] != T::ZERO),
            factors: pass.factors().map(|factor| factor.value(&self.scalars)).collect(),
            length,
            starts,
        };
        self.sums = walk.all();
        pass.records.map(|number| self.scalars[number.0])
    }
}

/// A vector in the host's memory, for the loops of level 1.
pub fn strand<T: Scalar>(memory: Memory<'_, T>, shape: &affinimath_core::view::VectorShape) -> Strand<T> {
    let Memory::Host(start, _) = memory else { unreachable!("the host works on the host's memory") };
    // SAFETY: the view holds its elements, and nobody else writes them.
    unsafe { Strand::new(start, shape) }
}

/// A pass with its factors and its vectors.
struct Walk<'a, T> {
    pass: &'a Pass,
    /// The copy that is to be made.
    saves: Option<Save>,
    factors: Vec<T>,
    length: usize,
    starts: Vec<*mut T>,
}

// SAFETY: the vectors are different ones, and threads work on different parts of them.
unsafe impl<T: Sync> Sync for Walk<'_, T> {}

impl<T: Scalar> Walk<'_, T> {
    /// All parts, and the sums over them.
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
        Arch::new().dispatch(|| self.part_in_vectors(begin, end))
    }

    #[inline(always)]
    fn part_in_vectors(&self, begin: usize, end: usize) -> [T; Number::SUMS] {
        let mut own = [[T::ZERO; PIECE]; OWN];
        let mut sums = [[T::ZERO; LANES]; Number::SUMS];
        for first in (begin..end).step_by(PIECE) {
            let length = PIECE.min(end - first);
            if let Some(Save { source, target, .. }) = self.saves {
                // SAFETY: the two are different vectors of that length, and this thread alone works on the piece.
                unsafe {
                    let (source, target) = (self.starts[source].add(first), self.starts[target].add(first));
                    std::ptr::copy_nonoverlapping(source, target, length);
                }
            }
            let mut factors = self.factors.as_slice();
            for update in &self.pass.updates {
                let (mine, rest) = factors.split_at(update.terms.len());
                factors = rest;
                self.update(update, mine, first, length, &mut own);
            }
            for ((x, y), sums) in self.pass.dots.iter().zip(&mut sums) {
                add_products(self.values(*x, first, length, &own), self.values(*y, first, length, &own), sums);
            }
        }
        sums.map(|lanes| lanes.into_iter().fold(T::ZERO, |sum, lane| sum + lane))
    }

    /// A vector's piece, or a value of the pass's own.
    #[inline(always)]
    fn values<'s>(&'s self, operand: Operand, first: usize, length: usize, own: &'s [[T; PIECE]]) -> &'s [T] {
        match operand {
            // SAFETY: the vector has the elements, this thread alone works on the piece, and it writes nothing while it reads.
            Operand::Vector(vector) => unsafe { std::slice::from_raw_parts(self.starts[vector].add(first), length) },
            Operand::Own(index) => &own[index][..length],
        }
    }

    /// target := x + factor * y in a piece, where the target may be one of them: most updates are this.
    #[inline(always)]
    fn add_multiple(&self, target: usize, x: usize, factor: T, y: usize, first: usize, length: usize) {
        let values = |vector| self.values(Operand::Vector(vector), first, length, &[]);
        // SAFETY: the vector has the elements, this thread alone works on the piece, and nothing else borrows the target's.
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

    /// One update of a piece: its sum is complete before the target, which may be one of its terms, is written.
    #[inline(always)]
    fn update(&self, update: &Update, factors: &[T], first: usize, length: usize, own: &mut [[T; PIECE]; OWN]) {
        if let (Operand::Vector(target), [x, y]) = (update.target, &*update.terms)
            && let (Operand::Vector(x), Operand::Vector(y)) = (x.vector, y.vector)
            && update.terms.iter().all(|term| term.diagonal.is_none())
            && x != y
            && matches!(update.terms[0].factor, Formula::Constant(1))
            && !matches!(update.terms[1].factor, Formula::Constant(1))
        {
            return self.add_multiple(target, x, factors[1], y, first, length);
        }
        let mut sum = [T::ZERO; PIECE];
        let sum = &mut sum[..length];
        for (index, (term, &factor)) in update.terms.iter().zip(factors).enumerate() {
            let values = self.values(term.vector, first, length, own);
            let diagonal = term.diagonal.map(|diagonal| self.values(diagonal, first, length, own));
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
            // SAFETY: the vector has the elements, this thread alone works on the piece, and nothing of it is borrowed now.
            Operand::Vector(vector) => unsafe {
                std::ptr::copy_nonoverlapping(sum.as_ptr(), self.starts[vector].add(first), length);
            },
            Operand::Own(index) => own[index][..length].copy_from_slice(sum),
        }
    }
}

/// The sums of conj(x_i) y_i, side by side.
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
