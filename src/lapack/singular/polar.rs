//! Polar decomposition by weighted Halley iterations (QDWH: Nakatsukasa, Bai and Gygi, SIAM J. Matrix Anal. Appl. 31,
//! 2010): X converges to the unitary factor W of L = W H.
//!
//! ```text
//!   X := X (a I + b Xᴴ X) (I + c Xᴴ X)⁻¹
//! ```
//!
//! The weights map each singular value in [l, 1] as close to 1 as a rational function of this degree can. While c is
//! large, the inverse is taken by a QR factorisation of [√c X; I], and by Cholesky's factorisation afterwards.

use super::{Owned, term};
use crate::blas::level3::gemm::{Target, Trapezoid};
use crate::blas::movement::enqueue_sum;
use crate::context::{BufferParts, DeviceBuffer};
use crate::error::Result;
use crate::lapack::cholesky::{self, Cholesky, CholeskyPlan};
use crate::lapack::qr::{QrPlan, form_q, geqrf_block};
use crate::lapack::{Block, DeviceSlice, Executor};
use crate::options::{Layout, Op, Symmetry, Triangle};
use crate::scalar::Scalar;
use crate::view::MatrixShape;

/// Largest c for which Cholesky's factorisation of I + c Xᴴ X is accurate enough: its condition is c + 1 at most.
const MAX_CHOLESKY_WEIGHT: f64 = 100.0;

/// Iterations at most. Six bring singular values of 2^-53 to 1.
const MAX_ITERATIONS: usize = 9;

/// Weights of an iteration.
#[derive(Clone, Copy, Debug)]
struct Weights {
    a: f64,
    b: f64,
    c: f64,
}

impl Weights {
    /// The best ones for singular values in [l, 1].
    fn of(l: f64) -> Self {
        let squared = l * l;
        let d = (4.0 * (1.0 - squared) / (squared * squared)).cbrt();
        let root = (1.0 + d).sqrt();
        let a = root + (8.0 - 4.0 * d + 8.0 * (2.0 - squared) / (squared * root)).max(0.0).sqrt() / 2.0;
        let b = (a - 1.0) * (a - 1.0) / 4.0;
        Weights { a, b, c: a + b - 1.0 }
    }

    /// Where an iteration brings a singular value.
    fn image(&self, l: f64) -> f64 {
        (l * (self.a + self.b * l * l) / (1.0 + self.c * l * l)).min(1.0)
    }

    /// The weights of all iterations until singular values of `epsilon` / 2 and more are 1.
    fn all(epsilon: f64) -> Vec<Self> {
        let (mut l, mut all) = (epsilon / 2.0, Vec::new());
        while 1.0 - l > 5.0 * epsilon && all.len() < MAX_ITERATIONS {
            let weights = Weights::of(l);
            l = weights.image(l);
            all.push(weights);
        }
        all
    }
}

/// Overwrites X, an n x n matrix of norm 1 at most, with its unitary factor. Directions of singular values below the
/// precision may stay shorter than 1. `tall` is workspace of 2 n x n elements, `square` of n x n.
pub(super) fn polar<T: Scalar>(
    executor: &Executor<'_>,
    n: usize,
    x: &Owned,
    tall: &Owned,
    square: &Owned,
) -> Result<()> {
    let iteration = Iteration { executor, n, x: x.block(), tall: tall.block(), square };
    for weights in Weights::all(T::EPSILON) {
        match weights.c > MAX_CHOLESKY_WEIGHT {
            true => iteration.by_qr::<T>(weights)?,
            false => iteration.by_cholesky::<T>(weights)?,
        }
    }
    Ok(())
}

struct Iteration<'i> {
    executor: &'i Executor<'i>,
    n: usize,
    x: Block<'i>,
    tall: Block<'i>,
    square: &'i Owned,
}

fn real<T: Scalar>(value: f64) -> T {
    T::from_parts(value, 0.0)
}

impl Iteration<'_> {
    /// X := b / c X + (a - b / c) / √c Q₁ Q₂ᴴ, for the Q of [√c X; I].
    fn by_qr<T: Scalar>(&self, Weights { a, b, c }: Weights) -> Result<()> {
        let Iteration { executor, n, x, tall, .. } = *self;
        let (size, lower) = ([2 * n, n], tall.at(n, 0));
        enqueue_sum::<T>(executor.queue, n, n, &[term(c.sqrt(), x)], (tall.memory, tall.operand), false).map(drop)?;
        executor.unit_columns::<T>(n, 0..n, lower)?;
        let tau = DeviceBuffer::for_step(executor.queue, n * size_of::<T>())?;
        let tau = DeviceSlice { memory: &tau, offset: 0 };
        geqrf_block::<T>(executor, &QrPlan::on_queue::<T>((executor.queue, executor.device), size), tall, size, tau)?;
        form_q::<T>(executor, &QrPlan::for_kernels(T::KIND, executor.device), tall, size, n, tau)?;
        let (product, sum) = (real::<T>((a - b / c) / c.sqrt()), real::<T>(b / c));
        executor.product([n; 3], product, tall, lower.with(Op::ConjTrans), sum, x, Target::Whole)
    }

    /// X := b / c X + (a - b / c) X Z⁻¹, for Z = I + c Xᴴ X.
    fn by_cholesky<T: Scalar>(&self, Weights { a, b, c }: Weights) -> Result<()> {
        let Iteration { executor, n, x, tall, square } = *self;
        let z = square.block();
        executor.unit_columns::<T>(n, 0..n, z)?;
        let lower = Target::Triangle(Trapezoid::of(Triangle::Lower), Symmetry::Hermitian);
        executor.product([n; 3], real::<T>(c), x.with(Op::ConjTrans), x, T::ONE, z, lower)?;
        let info = DeviceBuffer::for_step(executor.queue, size_of::<i32>())?;
        let info = DeviceSlice { memory: &info, offset: 0 };
        let plan = CholeskyPlan::choose(T::KIND, n, executor.device);
        Cholesky { executor: *executor, plan: &plan, a: z, order: n, info }.run::<T>()?;
        // Xᴴ, and Z⁻¹ Xᴴ.
        let adjoint = Block::new(tall.memory, tall.operand.packed(n, n));
        executor.copy::<T>([n, n], x.with(Op::ConjTrans), adjoint)?;
        let shape = MatrixShape::new(Layout::ColumnMajor, n, n, 0, n.max(1))?;
        cholesky::solve::<T>(executor, Triangle::Lower, (z.memory, &shape), n, adjoint)?;
        let terms = [term(b / c, x), term(a - b / c, adjoint.with(Op::ConjTrans))];
        enqueue_sum::<T>(executor.queue, n, n, &terms, (x.memory, x.operand), true).map(drop)
    }
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn iterations_bring_all_singular_values_to_one() {
        for (epsilon, count) in [(f64::EPSILON, 6), (f64::from(f32::EPSILON), 4)] {
            let all = Weights::all(epsilon);
            assert_eq!(all.len(), count);
            // QR comes before Cholesky, and is needed twice.
            let large: Vec<bool> = all.iter().map(|weights| weights.c > MAX_CHOLESKY_WEIGHT).collect();
            assert!(large.is_sorted_by(|a, b| a >= b) && large.iter().filter(|is_large| **is_large).count() == 2);
            for k in 0..=52 {
                let value = (0.5_f64.powi(k)).max(epsilon / 2.0);
                let image = all.iter().fold(value, |value, weights| weights.image(value));
                assert!((image - 1.0).abs() < 16.0 * epsilon, "{value} goes to {image}");
            }
        }
    }
}
