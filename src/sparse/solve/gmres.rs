//! Generalised minimal residuals.
//!
//! An iteration is a product and, for the k-th one since the last restart, k + 2 passes, which move 4 n elements each:
//! 4 k n in all. The Hessenberg matrix's rotations are the host's, which looks once an iteration.

use super::method::{CYCLE, Method, Preconditioning};
use super::options::Reason;
use super::runner::HISTORY;
use super::space::{D, OWN, R, Space};
use crate::error::Result;
use crate::options::Op;
use crate::scalar::{Complex64, Scalar};
use affinimath_core::sparse::formula::{Formula, Number, choice, less, root, sum};
use affinimath_core::sparse::pass::{Operand::*, Pass, scaled_term, term};

/// An element of the Hessenberg matrix.
const ELEMENT: Number = Number(Number::OWN);
/// Factor of a vector that is added to another.
const FACTOR: Number = Number(Number::OWN + 1);

/// M v, and what is added to x before it is preconditioned.
const Z: usize = OWN;
const U: usize = OWN + 1;
const DIAGONAL: usize = OWN + 2;
/// The orthonormal basis.
const BASIS: usize = OWN + 3;

const COMBINE: usize = 0;
const MEET: usize = 1;
const PROJECT: usize = 2;
const PROJECT_LAST: usize = 3;
const NORMALISE: usize = 4;
const SCALE: usize = 5;

/// The method of Saad and Schultz (1986), restarted, with Gram and Schmidt's process modified; preconditioned from the
/// right.
pub(crate) struct Gmres {
    kind: Preconditioning,
    restart: usize,
    /// The upper triangle that rotations have made of the Hessenberg matrix, by columns.
    triangle: Vec<Vec<Complex64>>,
    rotations: Vec<(f64, Complex64)>,
    /// The right-hand side of the small system.
    target: Vec<Complex64>,
    /// The largest norm of a column over its last element: as many times larger is the rounding that the last vectors
    /// have by division by a small element.
    growth: f64,
}

/// Rounding of a column of the Hessenberg matrix, in parts of eps times its norm: sums of vectors make it.
const ROUNDING: f64 = 16.0;

/// Result of an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Extent {
    /// Another direction.
    Larger,
    /// A maps the basis to its own span: the residual is the smallest there is, and zero but for rounding where A is
    /// regular there.
    Invariant,
    /// A maps the last vector to the span of what it maps the others to: no multiple of that makes the residual
    /// smaller.
    Singular,
    /// Numbers that are not finite.
    NotFinite,
}

impl Gmres {
    /// With so many vectors in the basis.
    pub(crate) fn new(kind: Preconditioning, restart: usize) -> Self {
        let restart = restart.clamp(1, HISTORY - 2);
        Gmres { kind, restart, triangle: Vec::new(), rotations: Vec::new(), target: Vec::new(), growth: 1.0 }
    }

    /// The basis begins with r / ||r||.
    fn restart<T: Scalar>(&mut self, space: &mut Space<'_, T>, scalars: &mut [T], norm: f64) -> Result<()> {
        self.triangle.clear();
        self.rotations.clear();
        self.target = vec![Complex64::from(norm)];
        self.growth = 1.0;
        Self::combine(space, scalars, Complex64::from(1.0 / norm), R, BASIS, false)
    }

    /// to := to + factor * from, where `to` begins with zeros, or is kept.
    fn combine<T: Scalar>(
        space: &mut Space<'_, T>,
        scalars: &mut [T],
        factor: Complex64,
        from: usize,
        to: usize,
        accumulate: bool,
    ) -> Result<()> {
        scalars[FACTOR.0] = T::from_parts(factor.re, factor.im);
        space.set_scalars(scalars)?;
        if !accumulate {
            space.clear(to)?;
        }
        space.run(COMBINE, &[to, from], 0)
    }

    /// to := M from.
    fn precondition<T: Scalar>(&self, space: &mut Space<'_, T>, from: usize, to: usize) -> Result<()> {
        match self.kind {
            Preconditioning::Diagonal => space.run(SCALE, &[to, from, DIAGONAL], 0),
            _ => space.precondition(from, to),
        }
    }

    /// The next column of the Hessenberg matrix, and the basis's next vector.
    fn extend<T: Scalar>(&self, space: &mut Space<'_, T>) -> Result<Vec<Complex64>> {
        let column = self.triangle.len();
        let (last, next) = (BASIS + column, BASIS + column + 1);
        if self.kind == Preconditioning::None {
            space.apply(Op::NoTrans, last, next)?;
        } else {
            self.precondition(space, last, Z)?;
            space.apply(Op::NoTrans, Z, next)?;
        }
        space.run(MEET, &[BASIS, next], 0)?;
        for index in 0..column {
            space.run(PROJECT, &[next, BASIS + index, BASIS + index + 1], index)?;
        }
        space.run(PROJECT_LAST, &[next, last], column)?;
        space.run(NORMALISE, &[next], column + 1)?;
        Ok(space.history(column + 2)?.iter().map(|value| Complex64::new(value.re(), value.im())).collect())
    }

    /// Rotates a column's last element away, where it has more than the columns before it.
    fn rotate(&mut self, mut column: Vec<Complex64>, epsilon: f64) -> Extent {
        let norm = column.iter().fold(0.0, |norm: f64, element| norm.hypot(element.norm()));
        if !norm.is_finite() {
            return Extent::NotFinite;
        }
        for (index, &(cosine, sine)) in self.rotations.iter().enumerate() {
            let (a, b) = (column[index], column[index + 1]);
            column[index] = a * cosine + sine * b;
            column[index + 1] = b * cosine - sine.conj() * a;
        }
        let last = column.len() - 2;
        let (a, b) = (column[last], column[last + 1].re);
        let (size, negligible) = (a.norm().hypot(b), ROUNDING * epsilon * norm * self.growth);
        if size <= negligible {
            return Extent::Singular;
        }
        let (cosine, sine) =
            if a == Complex64::ZERO { (0.0, Complex64::ONE) } else { (a.norm() / size, a / a.norm() * (b / size)) };
        column[last] = a * cosine + sine * b;
        column.pop();
        self.triangle.push(column);
        self.rotations.push((cosine, sine));
        let before = self.target[last];
        self.target[last] = before * cosine;
        self.target.push(-sine.conj() * before);
        if b <= ROUNDING * epsilon * norm {
            return Extent::Invariant;
        }
        self.growth = self.growth.max(norm / b);
        Extent::Larger
    }

    /// The y that minimises the residual with the first columns.
    fn solution(&self, size: usize) -> Vec<Complex64> {
        let mut y = self.target[..size].to_vec();
        for row in (0..size).rev() {
            let known: Complex64 = (row + 1..size).map(|column| self.triangle[column][row] * y[column]).sum();
            y[row] = (y[row] - known) / self.triangle[row][row];
        }
        y
    }

    /// The norm of the residual that is left by the first columns: what the rotations have left, and the rounding of A
    /// V y.
    fn attainable(&self, y: &[Complex64], epsilon: f64) -> f64 {
        let left = self.target[y.len()..].iter().fold(0.0, |norm: f64, part| norm.hypot(part.norm()));
        let norms = self
            .triangle
            .iter()
            .zip(y)
            .map(|(column, y)| y.norm() * column.iter().fold(0.0, |norm: f64, element| norm.hypot(element.norm())));
        left.hypot(epsilon * self.growth * norms.sum::<f64>())
    }

    /// The y of the smallest residual: with all columns, or with fewer where a direction that A all but ends makes y so
    /// large that rounding is more than what the others leave.
    fn best_solution(&self, epsilon: f64) -> Vec<Complex64> {
        let mut best = self.solution(self.triangle.len());
        let mut residual = self.attainable(&best, epsilon);
        for size in (0..self.triangle.len()).rev() {
            // Fewer columns leave no less but for rounding.
            if self.target[size..].iter().fold(0.0, |norm: f64, part| norm.hypot(part.norm())) * 2.0 >= residual {
                break;
            }
            let y = self.solution(size);
            let other = self.attainable(&y, epsilon);
            if !residual.is_finite() || other < residual / 2.0 {
                (best, residual) = (y, other);
            }
        }
        best
    }

    /// d := M V y, where y minimises the residual.
    fn improve<T: Scalar>(&self, space: &mut Space<'_, T>, scalars: &mut [T]) -> Result<()> {
        let y = self.best_solution(T::EPSILON);
        let preconditioned = self.kind != Preconditioning::None;
        let to = if preconditioned { U } else { D };
        for (index, &factor) in y.iter().enumerate() {
            Self::combine(space, scalars, factor, BASIS + index, to, !preconditioned || index > 0)?;
        }
        if preconditioned && !y.is_empty() {
            self.precondition(space, U, Z)?;
            Self::combine(space, scalars, Complex64::ONE, Z, D, true)?;
        }
        Ok(())
    }
}

impl<T: Scalar> Method<T> for Gmres {
    fn passes(&self) -> Vec<Pass> {
        let [first, second, third] = [0, 1, 2].map(Vector);
        let over_element = choice(less(0, ELEMENT), Formula::from(1) / ELEMENT, 0);
        let project = |name, vectors| {
            let pass = Pass::new(name, vectors, 1).set(ELEMENT, sum(0)).record(ELEMENT);
            pass.update(first, [term(1, first), term(-ELEMENT, second)])
        };
        vec![
            Pass::new("gmres_combine", 2, 0).update(first, [term(1, first), term(FACTOR, second)]),
            Pass::new("gmres_meet", 2, 0).dot(first, second),
            project("gmres_project", 3).dot(third, first),
            project("gmres_project_last", 2).dot(first, first),
            Pass::new("gmres_normalise", 1, 1)
                .set(ELEMENT, root(sum(0)))
                .update(first, [term(over_element, first)])
                .record(ELEMENT),
            Pass::new("gmres_scale", 3, 0).update(first, [scaled_term(1, Some(third), second)]),
        ]
    }

    fn preconditioning(&self) -> Preconditioning {
        self.kind
    }

    fn vectors(&self) -> usize {
        BASIS - OWN + self.restart + 1
    }

    fn max_between_polls(&self) -> usize {
        1
    }

    fn begin(&mut self, space: &mut Space<'_, T>, scalars: &mut [T], norm: f64) -> Result<()> {
        if self.kind == Preconditioning::Diagonal {
            space.load_diagonal(DIAGONAL)?;
        }
        self.restart(space, scalars, norm)
    }

    fn iterate(&mut self, space: &mut Space<'_, T>, _: usize) -> Result<()> {
        let mut scalars = space.scalars()?;
        let column = self.extend(space)?;
        let extent = self.rotate(column, T::EPSILON);
        let residual = if extent == Extent::NotFinite { f64::NAN } else { self.target[self.triangle.len()].norm() };
        let iterations = scalars[Number::ITERATIONS.0].re() + 1.0;
        let status = match extent {
            Extent::NotFinite => Reason::Breakdown.code(),
            _ if residual <= scalars[Number::TARGET.0].re() => Reason::Converged.code(),
            Extent::Singular | Extent::Invariant => Reason::Stagnated.code(),
            Extent::Larger if iterations >= scalars[Number::LIMIT.0].re() => Reason::Limit.code(),
            Extent::Larger if self.triangle.len() == self.restart => CYCLE,
            Extent::Larger => 0,
        };
        if status != 0 {
            self.improve(space, &mut scalars)?;
        }
        scalars[Number::ITERATIONS.0] = T::from_parts(iterations, 0.0);
        scalars[Number::RESIDUAL.0] = T::from_parts(residual, 0.0);
        scalars[Number::STATUS.0] = T::from_parts(f64::from(status), 0.0);
        space.set_scalars(&scalars)
    }
}
