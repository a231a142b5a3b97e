//! The vectors of a solve, and what is done with them.

use super::method::Preconditioning;
use super::operator::LinearOperator;
use super::range::Range;
use super::runner::{Runner, Watch};
use crate::error::Result;
use crate::memory::Buffer;
use crate::options::Op;
use crate::scalar::Scalar;
use crate::view::{VectorMut, VectorRef, VectorShape};
use affinimath_core::sparse::formula::Number;
use affinimath_core::sparse::pass::{Operand, Pass, scaled_term, term};

/// The vectors that every method has: the solution, the right-hand side, the residual, and what a run adds to the
/// solution. A method's own vectors come after them.
pub(super) const X: usize = 0;
pub(super) const B: usize = 1;
pub(super) const R: usize = 2;
pub(super) const D: usize = 3;
pub(super) const OWN: usize = 4;

/// The passes that every method has.
const CLEAR: usize = 0;
const RESIDUAL: usize = 1;
const JOIN: usize = 2;
const MULTIPLY: usize = 3;
const OWN_PASSES: usize = 4;

/// The factor of [`JOIN`], which runs while no method does.
const FACTOR: Number = Number(Number::OWN);

/// v := 0; r := b - r, and ||r||^2; d := x + factor d; v := the product of two vectors, element by element.
pub(super) fn common_passes() -> Vec<Pass> {
    let [first, second, third] = [0, 1, 2].map(Operand::Vector);
    vec![
        Pass::new("clear", 1, 0).update(first, []),
        Pass::new("residual", 2, 0).update(second, [term(1, first), term(-1, second)]).dot(second, second),
        Pass::new("join", 2, 0).update(first, [term(1, second), term(FACTOR, first)]),
        Pass::new("elementwise", 3, 0).update(first, [scaled_term(1, Some(third), second)]),
    ]
}

/// The vectors of a solve on what runs its passes.
pub(crate) struct Space<'a, T: Scalar> {
    runner: &'a mut dyn Runner<T>,
    operator: &'a dyn LinearOperator<T>,
    preconditioner: Option<&'a dyn LinearOperator<T>>,
    vectors: Vec<Buffer<T>>,
    lengths: Vec<usize>,
    /// Methods see the operator, and the preconditioner, times two to these powers.
    exponents: Exponents,
}

/// Exponents of the powers of two that operators are multiplied by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Exponents {
    pub(super) operator: i32,
    pub(super) preconditioner: i32,
}

impl<'a, T: Scalar> Space<'a, T> {
    /// Vectors of these lengths, all of zeros.
    pub(super) fn new(
        runner: &'a mut dyn Runner<T>,
        operator: &'a dyn LinearOperator<T>,
        preconditioner: Option<&'a dyn LinearOperator<T>>,
        lengths: Vec<usize>,
    ) -> Result<Self> {
        let vectors = lengths.iter().map(|&length| runner.vector(length)).collect::<Result<Vec<_>>>()?;
        let mut space = Space { runner, operator, preconditioner, vectors, lengths, exponents: Exponents::default() };
        space.runner.set_scalars(&[T::ZERO; Number::COUNT])?;
        for vector in 0..space.vectors.len() {
            space.clear(vector)?;
        }
        Ok(space)
    }

    fn shape(&self, vector: usize) -> Result<VectorShape> {
        VectorShape::new(self.lengths[vector], 0, 1)
    }

    /// A vector of the space := 2^exponent * a caller's.
    pub(super) fn load(&mut self, from: VectorRef<'_, T>, exponent: i32, to: usize) -> Result<()> {
        let shape = self.shape(to)?;
        self.runner.copy(from, self.vectors[to].vector_view_mut(shape)?)?;
        self.scale(to, exponent)
    }

    /// A caller's vector := a vector of the space.
    pub(super) fn store(&mut self, from: usize, to: VectorMut<'_, T>) -> Result<()> {
        let shape = self.shape(from)?;
        self.runner.copy(self.vectors[from].vector_view(shape)?, to)
    }

    /// vector := 2^exponent * vector.
    pub(super) fn scale(&mut self, vector: usize, exponent: i32) -> Result<()> {
        let (shape, largest) = (self.shape(vector)?, Range::of::<T>().step);
        let mut left = exponent;
        while left != 0 {
            let step = left.clamp(-largest, largest);
            let factor = T::RealScalar::from_parts(f64::from(step).exp2(), 0.0);
            self.runner.scale(factor, self.vectors[vector].vector_view_mut(shape)?)?;
            left -= step;
        }
        Ok(())
    }

    /// A vector's norm, without overflow or underflow on the way.
    pub(super) fn norm(&mut self, vector: usize) -> Result<f64> {
        let shape = self.shape(vector)?;
        self.runner.norm(self.vectors[vector].vector_view(shape)?)
    }

    /// The norm of a vector whose square a pass has summed: computed anew where the sum may have overflowed or
    /// underflowed.
    pub(super) fn norm_of_square(&mut self, square: f64, vector: usize) -> Result<f64> {
        let largest = f64::from(2 * Range::of::<T>().half).exp2();
        // The underflowing squares, up to 2^32 of them, add less than eps to such a sum.
        let smallest = if T::KIND.is_double() { 1e-280 } else { 1e-20 };
        if square.is_nan() || (smallest..largest).contains(&square) { Ok(square.sqrt()) } else { self.norm(vector) }
    }

    /// Multiplies the operators by other powers of two.
    pub(super) const fn set_exponents(&mut self, exponents: Exponents) {
        self.exponents = exponents;
    }

    /// The exponent of the operator's power of two.
    pub(super) const fn operator_exponent(&self) -> i32 {
        self.exponents.operator
    }

    /// to := op(A) from, with A times its power of two.
    pub(super) fn apply(&mut self, op: Op, from: usize, to: usize) -> Result<()> {
        self.apply_unscaled(op, from, to)?;
        self.scale(to, self.exponents.operator)
    }

    /// to := op(A) from.
    pub(super) fn apply_unscaled(&mut self, op: Op, from: usize, to: usize) -> Result<()> {
        self.map(self.operator, op, from, to)
    }

    /// to := M from, for the preconditioner M times its power of two.
    pub(super) fn precondition(&mut self, from: usize, to: usize) -> Result<()> {
        let preconditioner = self.preconditioner.expect("the method's kind says that there is one");
        self.map(preconditioner, Op::NoTrans, from, to)?;
        self.scale(to, self.exponents.preconditioner)
    }

    fn map(&mut self, operator: &dyn LinearOperator<T>, op: Op, from: usize, to: usize) -> Result<()> {
        let (from_shape, to_shape) = (self.shape(from)?, self.shape(to)?);
        let [from, to] = self.vectors.get_disjoint_mut([from, to]).expect("two vectors of the space");
        operator.apply(op, from.vector_view(from_shape)?, to.vector_view_mut(to_shape)?)
    }

    /// Runs a pass of the method over vectors.
    pub(super) fn run(&mut self, pass: usize, vectors: &[usize], slot: usize) -> Result<()> {
        self.runner.run(OWN_PASSES + pass, &mut self.vectors, vectors, slot)
    }

    /// A vector of zeros.
    pub(super) fn clear(&mut self, vector: usize) -> Result<()> {
        self.runner.run(CLEAR, &mut self.vectors, &[vector], 0)
    }

    /// All vectors but some become zeros, also behind their ends.
    pub(super) fn clear_others(&mut self, vectors: &[usize]) -> Result<()> {
        self.set_scalars(&[T::ZERO; Number::COUNT])?;
        (0..self.vectors.len()).filter(|vector| !vectors.contains(vector)).try_for_each(|vector| self.clear(vector))
    }

    /// r := b - A x for a vector that is taken as x, and its norm. Numbers are cleared.
    pub(super) fn residual(&mut self, x: usize) -> Result<f64> {
        self.set_scalars(&[T::ZERO; Number::COUNT])?;
        self.apply_unscaled(Op::NoTrans, x, R)?;
        self.runner.run(RESIDUAL, &mut self.vectors, &[B, R], 0)?;
        let square = self.runner.sums(1)?[0].re();
        self.norm_of_square(square, R)
    }

    /// vector := x + 2^exponent * vector.
    pub(super) fn join(&mut self, vector: usize, exponent: i32) -> Result<()> {
        let largest = Range::of::<T>().step;
        let last = exponent.clamp(-largest, largest);
        self.scale(vector, exponent - last)?;
        let mut scalars = [T::ZERO; Number::COUNT];
        scalars[FACTOR.0] = T::from_parts(f64::from(last).exp2(), 0.0);
        self.set_scalars(&scalars)?;
        self.runner.run(JOIN, &mut self.vectors, &[vector, X], 0)
    }

    /// Exchanges x for another vector of the space.
    pub(super) fn exchange_x(&mut self, vector: usize) {
        self.vectors.swap(X, vector);
    }

    /// to := M from, for a preconditioner of any kind, which overwrites `diagonal` where it is one.
    pub(super) fn precondition_by(
        &mut self,
        kind: Preconditioning,
        from: usize,
        to: usize,
        diagonal: usize,
    ) -> Result<()> {
        match kind {
            Preconditioning::None => self.copy(from, to),
            Preconditioning::Operator => self.precondition(from, to),
            Preconditioning::Diagonal => {
                self.load_diagonal(diagonal)?;
                self.runner.run(MULTIPLY, &mut self.vectors, &[to, from, diagonal], 0)
            }
        }
    }

    /// to := from, within the space.
    pub(super) fn copy(&mut self, from: usize, to: usize) -> Result<()> {
        let [from, to] = self.vectors.get_disjoint_mut([from, to]).expect("two vectors of the space");
        self.runner.copy(from.vector()?, to.vector_mut()?)
    }

    /// A vector of the space that a diagonal preconditioner is copied into.
    pub(super) fn load_diagonal(&mut self, to: usize) -> Result<()> {
        let diagonal = self.preconditioner.and_then(LinearOperator::diagonal).expect("the method's kind says so");
        self.load(diagonal.vector()?, self.exponents.preconditioner, to)
    }

    /// The sums of the last pass.
    pub(super) fn sums(&mut self, count: usize) -> Result<Vec<T>> {
        self.runner.sums(count)
    }

    /// The numbers.
    pub(super) fn scalars(&mut self) -> Result<Vec<T>> {
        self.runner.scalars()
    }

    /// Reader of scalars while passes run.
    pub(super) fn watch(&mut self) -> Option<&mut dyn Watch<T>> {
        self.runner.watch()
    }

    /// Other numbers.
    pub(super) fn set_scalars(&mut self, scalars: &[T]) -> Result<()> {
        self.runner.set_scalars(scalars)
    }

    /// After how many iterations, at the most, the numbers are looked at.
    pub(super) fn max_between_polls(&self) -> usize {
        self.runner.max_between_polls()
    }

    /// Numbers that passes recorded since the last look.
    pub(super) fn history(&mut self, count: usize) -> Result<Vec<T>> {
        self.runner.history(count)
    }
}
