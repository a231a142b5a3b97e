//! Eigenvalues of a tridiagonal matrix alone, all at a time by multisection (LAPACK: xSTEBZ).

use super::reduce::Tridiagonal;
use crate::context::{BufferParts, ContextParts, DeviceBuffer};
use crate::error::Result;
use crate::lapack::Executor;
use crate::launch::Launch;
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;

/// Work-items that share an eigenvalue, and those of a group.
const LANES: usize = 8;
const THREADS: usize = 64;

/// Bits by which the final bounds of an eigenvalue are closer than the precision.
const SPARE_BITS: f64 = 3.0;

/// Eigenvalues in ascending order, to the precision of the norm.
pub(super) fn eigenvalues<T: Scalar>(executor: &Executor<'_>, form: &Tridiagonal) -> Result<Vec<T::RealScalar>> {
    let real = |value: f64| T::RealScalar::from_parts(value, 0.0);
    let [mut d, e] = form.download::<T>(executor)?;
    let (n, queue) = (form.n, executor.queue);
    let wide = |values: &[T::RealScalar]| values.iter().map(|x| (*x).into()).collect::<Vec<f64>>();
    let (diagonal, beside) = (wide(&d), wide(&e));
    if beside.iter().all(|e| *e == 0.0) {
        d.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        return Ok(d);
    }
    // Gershgorin's bounds, and what rounding errors add.
    let radius = |i: usize| {
        let left = if i > 0 { beside[i - 1].abs() } else { 0.0 };
        left + beside.get(i).map_or(0.0, |e| e.abs())
    };
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (i, d) in diagonal.iter().enumerate() {
        (low, high) = (low.min(d - radius(i)), high.max(d + radius(i)));
    }
    let size = low.abs().max(high.abs());
    let margin = size * T::EPSILON * (2 * n + 10) as f64;
    let smallest = if T::KIND.is_double() { 1e-290 } else { 1e-32 };
    let bits = (4.0 / T::EPSILON).log2() + SPARE_BITS;
    let steps = (bits / ((LANES + 1) as f64).log2()).ceil() as usize;
    let bounds = DeviceBuffer::for_step(queue, 3 * size_of::<T::RealScalar>())?;
    bounds.write(queue, &[real(low - margin), real(high + margin), real(smallest)])?;
    let w = DeviceBuffer::for_step(queue, n * size_of::<T::RealScalar>())?;
    let definitions = vec![("LANES", LANES as i64), ("THREADS", THREADS as i64)];
    let (kind, root) = (T::RealScalar::KIND, source("lapack/eigen/stebz.cl"));
    let program = queue.context().program(&ProgramSource { name: "eigen bisection", kind, root, definitions })?;
    Launch::new(queue, &program, "stebz")
        .count(n)
        .count(steps)
        .buffer(&form.d)
        .buffer(&form.e)
        .buffer(&bounds)
        .buffer(&w)
        .enqueue_step([n.div_ceil(THREADS / LANES), 1, 1], [THREADS, 1, 1])?;
    w.read(queue, &mut d)?;
    // Bounds of equal eigenvalues may differ in their last bits.
    d.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    Ok(d)
}
