//! The vectors of a solve, and what is done with them.

use super::formula::Number;
use super::operator::LinearOperator;
use super::pass::{Operand, Pass, term};
use super::runner::{Runner, Watch};
use crate::error::Result;
use crate::memory::Buffer;
use crate::options::Op;
use crate::scalar::Scalar;
use crate::view::{VectorMut, VectorRef, VectorShape};

/// The vectors that every method has: the solution, the right-hand side, the residual. Its own ones come behind them.
pub(super) const X: usize = 0;
pub(super) const B: usize = 1;
pub(super) const R: usize = 2;
pub(super) const OWN: usize = 3;

/// The passes that every method has.
const CLEAR: usize = 0;
const RESIDUAL: usize = 1;
const OWN_PASSES: usize = 2;

/// r := b - r, and ||r||^2; and vectors of zeros.
pub(super) fn common_passes() -> Vec<Pass> {
    let (b, r) = (Operand::Vector(0), Operand::Vector(1));
    vec![
        Pass::new("clear", 1, 0).update(b, []),
        Pass::new("residual", 2, 0).update(r, [term(1, b), term(-1, r)]).dot(r, r),
    ]
}

/// The vectors of a solve on what runs its passes.
pub(crate) struct Space<'a, T: Scalar> {
    runner: &'a mut dyn Runner<T>,
    operator: &'a dyn LinearOperator<T>,
    preconditioner: Option<&'a dyn LinearOperator<T>>,
    vectors: Vec<Buffer<T>>,
    lengths: Vec<usize>,
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
        let mut space = Space { runner, operator, preconditioner, vectors, lengths };
        space.runner.set_numbers(&[T::ZERO; Number::COUNT])?;
        for vector in 0..space.vectors.len() {
            space.runner.run(CLEAR, &mut space.vectors, &[vector], 0)?;
        }
        Ok(space)
    }

    fn shape(&self, vector: usize) -> Result<VectorShape> {
        VectorShape::new(self.lengths[vector], 0, 1)
    }

    /// A vector of the space := factor * a caller's.
    pub(super) fn load(&mut self, from: VectorRef<'_, T>, factor: T::RealScalar, to: usize) -> Result<()> {
        let shape = self.shape(to)?;
        self.runner.copy(from, self.vectors[to].vector_view_mut(shape)?)?;
        self.runner.scale(factor, self.vectors[to].vector_view_mut(shape)?)
    }

    /// A caller's vector := factor * a vector of the space, which is changed.
    pub(super) fn store(&mut self, from: usize, factor: T::RealScalar, to: VectorMut<'_, T>) -> Result<()> {
        let shape = self.shape(from)?;
        self.runner.scale(factor, self.vectors[from].vector_view_mut(shape)?)?;
        self.runner.copy(self.vectors[from].vector_view(shape)?, to)
    }

    /// to := op(A) from.
    pub(super) fn apply(&mut self, op: Op, from: usize, to: usize) -> Result<()> {
        self.map(self.operator, op, from, to)
    }

    /// to := M from, for the preconditioner M.
    pub(super) fn precondition(&mut self, from: usize, to: usize) -> Result<()> {
        self.map(self.preconditioner.expect("the method's kind says that there is one"), Op::Keep, from, to)
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

    /// r := b - A x, and its norm.
    pub(super) fn residual(&mut self) -> Result<f64> {
        self.apply(Op::Keep, X, R)?;
        self.runner.run(RESIDUAL, &mut self.vectors, &[B, R], 0)?;
        Ok(self.runner.sums(1)?[0].re().sqrt())
    }

    /// to := from, within the space.
    pub(super) fn copy(&mut self, from: usize, to: usize) -> Result<()> {
        let [from, to] = self.vectors.get_disjoint_mut([from, to]).expect("two vectors of the space");
        self.runner.copy(from.vector()?, to.vector_mut()?)
    }

    /// A vector of the space that a diagonal preconditioner is copied into.
    pub(super) fn load_diagonal(&mut self, to: usize) -> Result<()> {
        let diagonal = self.preconditioner.and_then(LinearOperator::diagonal).expect("the method's kind says so");
        self.load(diagonal.vector()?, T::RealScalar::ONE, to)
    }

    /// The sums of the last pass.
    pub(super) fn sums(&mut self, count: usize) -> Result<Vec<T>> {
        self.runner.sums(count)
    }

    /// The numbers.
    pub(super) fn numbers(&mut self) -> Result<Vec<T>> {
        self.runner.numbers()
    }

    /// What looks at numbers while passes go on.
    pub(super) fn watch(&mut self) -> Option<&mut dyn Watch<T>> {
        self.runner.watch()
    }

    /// Other numbers.
    pub(super) fn set_numbers(&mut self, numbers: &[T]) -> Result<()> {
        self.runner.set_numbers(numbers)
    }

    /// The number of unknowns.
    pub(super) fn length(&self) -> usize {
        self.lengths[X]
    }

    /// After how many iterations, at the most, the numbers are looked at.
    pub(super) fn most_between_polls(&self) -> usize {
        self.runner.most_between_polls()
    }

    /// Numbers that passes recorded since the last look.
    pub(super) fn history(&mut self, count: usize) -> Result<Vec<T>> {
        self.runner.history(count)
    }
}
