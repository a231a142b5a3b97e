//! Least squares of any rank by singular values on a device (LAPACK: xGELSD).
//!
//! ```text
//!   m >= n:  A = Q₁ L Q₂ᴴ,   L = U S Vᴴ     x = Q₂ V S⁺ Uᴴ (Q₁ᴴ b)
//!   m < n:   Aᴴ = Q₁ L Q₂ᴴ,  L = U S Vᴴ     x = Q₁ U S⁺ Vᴴ (Q₂ᴴ b)
//! ```

use affinimath_macros::instances;
use std::time::Instant;

use super::*;

/// Powers of two of a type: a number times one of them, in two steps, is finite only if the exponent is smaller.
const fn largest_exponent(is_double: bool) -> i32 {
    if is_double { 2040 } else { 250 }
}

/// For each column b of B, the x of least norm that minimises ||b - A x||, for an m x n A of any rank by its singular
/// values (LAPACK: xGELSD). Gives the rank: singular values of at most `rcond` times the largest one count as zero; a
/// negative `rcond` stands for the precision.
///
/// B has max(m, n) rows: b in the first m, then x in the first n, and in the others what [`gelsd`](crate::gelsd) says.
/// The first min(m, n) rows of A get right singular vectors. `None` where the host is faster, memory is short, an
/// element is not finite, or A is zero: only `s` was changed.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// [`Error::MixedMemory`], [`Error::PrecisionNotSupported`], [`Error::ShapeMismatch`]: nothing was changed.
/// [`Error::ProgramBuild`], [`Error::OutOfDeviceMemory`], [`Error::OpenCl`]: A and B are undefined.
#[instances]
pub(crate) fn gelsd_on_device<T: Scalar>(
    queue: &Queue,
    a: &MatrixMut<'_, T>,
    b: &MatrixMut<'_, T>,
    s: &mut [T::RealScalar],
    rcond: f64,
) -> Result<Option<usize>> {
    let device = device_info(queue);
    match EigenPlan::choose(T::KIND, a.rows().min(a.columns()), device) {
        Some(plan) => gelsd_with_plan(queue, (a, b), s, rcond, (&plan, device)),
        None => Ok(None),
    }
}

/// [`gelsd_on_device`] by a given plan, as on a device with these facts. Any plan is right for any matrix.
pub(in crate::lapack) fn gelsd_with_plan<T: Scalar>(
    queue: &Queue,
    (a, b): (&MatrixMut<'_, T>, &MatrixMut<'_, T>),
    s: &mut [T::RealScalar],
    rcond: f64,
    (plan, device): (&EigenPlan, &DeviceInfo),
) -> Result<Option<usize>> {
    let (m, n, columns) = (a.rows(), a.columns(), b.columns());
    check_rows(m.max(n))?;
    let (a, b) = (block_of(queue, "A", a)?, block_of(queue, "B", b)?);
    if m.min(n) == 0 || columns == 0 {
        return Ok(None);
    }
    let queue = &queue.for_steps()?;
    let executor = Executor::new::<T>(queue, device)?;
    let start = Instant::now();
    tracing::debug!(m, n, columns, ?plan, device = device.name, "gelsd");
    let is_tall = m >= n;
    let source = if is_tall { a } else { a.with(Op::ConjTrans) };
    let problem = Least { of: Problem { executor: &executor, plan, m: m.max(n), n: m.min(n) }, is_tall, columns };
    let solved = match problem.solve::<T>(source, (b, m), s, rcond) {
        // Nothing is written before X is in workspace.
        Err(Error::OutOfDeviceMemory { .. }) => None,
        solved => solved?,
    };
    let Some(Solved { found, rank, x, exponents: [of_x, of_b] }) = solved else { return Ok(None) };
    let bound = largest_exponent(T::KIND.is_double());
    problem.of.scaled_copy::<T>([n, columns], x.block(), b, of_x.clamp(-bound, bound))?;
    if is_tall {
        problem.of.scaled_copy::<T>([m - n, columns], x.block().at(n, 0), b.at(n, 0), of_b)?;
    }
    // Rows of A are columns of its adjoint.
    let vectors = Some((a.with(Op::ConjTrans), m.min(n)));
    let [left, right] = if is_tall { [None, vectors] } else { [vectors, None] };
    problem.of.store_all::<T>(&found, left, right)?;
    queue.finish()?;
    tracing::debug!(m, n, rank, took = ?start.elapsed(), "gelsd");
    Ok(Some(rank))
}

/// X in workspace, and the vectors that A gets.
struct Solved<R> {
    found: Found<R>,
    rank: usize,
    x: Owned,
    /// Exponents of the powers of two that X, and the rows after it, are to be multiplied by.
    exponents: [i32; 2],
}

/// A problem with an A that is tall, or whose adjoint is, and a number of right-hand sides.
struct Least<'p> {
    of: Problem<'p>,
    is_tall: bool,
    columns: usize,
}

impl Least<'_> {
    /// X for the first rows of B; `None` where the host has to do the work.
    fn solve<T: Scalar>(
        &self,
        a: Block<'_>,
        (b, b_rows): (Block<'_>, usize),
        s: &mut [T::RealScalar],
        rcond: f64,
    ) -> Result<Option<Solved<T::RealScalar>>> {
        let Least { of: Problem { executor, m, n, .. }, is_tall, columns } = *self;
        let problem = &self.of;
        let Some(of_b) = problem.exponent_of::<T>([b_rows, columns], b)? else { return Ok(None) };
        let Some(mut found) = problem.solve::<T>(a, s, [true; 2])? else { return Ok(None) };
        let rank = rank::<T>(&found, rcond);
        let (left, right) = (found.left.take(), found.right.take());
        let (first, second) = if is_tall { (left, right) } else { (right, left) };
        let (Some(first), Some(second)) = (first, second) else { return Ok(None) };
        if found.sizes[0] == 0.0 {
            return Ok(None);
        }

        let new = |rows, columns| Owned::new::<T>(executor, rows, columns);
        let x = new(m, columns)?;
        problem.scaled_copy::<T>([b_rows, columns], b, x.block(), of_b)?;
        let Factors { outer, inner } = &found.factors;
        let (size, reflectors) = if is_tall { ([m, n], outer) } else { ([n, n], inner) };
        self.reflect::<T>(Op::ConjTrans, size, reflectors, &x)?;

        // S⁺ times the adjoint of the first vectors, and then the second vectors.
        let (vectors, t) = (new(n, n)?, new(n, columns)?);
        problem.store::<T>([n, n], &inverse_columns(first, &found.sizes[..rank]), vectors.block())?;
        let product = |a, b, c| executor.product([n, columns, n], T::ONE, a, b, T::ZERO, c, Target::Whole);
        product(vectors.block().with(Op::ConjTrans), x.block(), t.block())?;
        problem.store::<T>([n, n], &second, vectors.block())?;
        product(vectors.block(), t.block(), x.block())?;

        if !is_tall {
            executor.clear_matrix::<T>([m - n, columns], x.block().at(n, 0))?;
        }
        let (size, reflectors) = if is_tall { ([n, n], inner) } else { ([m, n], outer) };
        self.reflect::<T>(Op::NoTrans, size, reflectors, &x)?;
        let exponents = [found.exponent - of_b, -of_b];
        *(if is_tall { &mut found.right } else { &mut found.left }) = Some(second);
        Ok(Some(Solved { found, rank, x, exponents }))
    }

    /// X := op(Q) X for the Q of reflectors.
    fn reflect<T: Scalar>(&self, op: Op, size: [usize; 2], [a, tau]: &[Owned; 2], x: &Owned) -> Result<()> {
        let plan = QrPlan::for_kernels(T::KIND, self.of.executor.device);
        apply_reflectors::<T>(self.of.executor, &plan, op, (a.block(), size, tau.slice()), self.columns, x.block())
    }
}

/// Singular values that count.
fn rank<T: Scalar>(found: &Found<T::RealScalar>, rcond: f64) -> usize {
    let part = if rcond < 0.0 { T::EPSILON / 2.0 } else { rcond };
    let smallest = if T::KIND.is_double() { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) };
    let threshold = (part * found.sizes[0]).max(smallest);
    found.sizes.iter().take_while(|size| **size > threshold).count()
}

/// Columns over their singular values; zeros where there is none.
fn inverse_columns<R: Scalar>(columns: Columns<R>, sizes: &[f64]) -> Columns<R> {
    let Columns { matrix, order, mut signs } = columns;
    for (i, sign) in signs.iter_mut().enumerate() {
        let factor = sizes.get(i).map_or(0.0, |size| sign.re() / size);
        *sign = R::from_parts(factor, 0.0);
    }
    Columns { matrix, order, signs }
}
