//! Eigenvalues of a real symmetric tridiagonal matrix by bisection (LAPACK: xSTEBZ), and eigenvectors of some of them
//! (LAPACK: xSTEIN).
//!
//! W. Barth, R. S. Martin and J. H. Wilkinson, *Calculation of the eigenvalues of a symmetric tridiagonal matrix by the
//! method of bisection*, Numer. Math. 9 (1967), 386-393.

use std::ops::Range;

use affinimath_macros::instances;
use faer::Mat;

use super::inverse::Matrix;
use super::{Spectrum, stedc, stevr};
use crate::lapack::Info;
use crate::lapack::auxiliary::Block;
use affinimath_core::scalar::{Real, Scalar};

/// A matrix that was split where elements off the diagonal are negligible, scaled near one.
struct Blocks {
    d: Vec<f64>,
    e: Vec<f64>,
    /// Rows of the blocks.
    rows: Vec<Range<usize>>,
    /// The given matrix times this power of two.
    scale: f64,
    /// The smallest pivot of a Sturm sequence.
    min_pivot: f64,
    /// Spacing of numbers of the precision.
    ulp: f64,
}

/// The power of two that brings the largest element near one.
fn towards_one(d: &[f64], e: &[f64]) -> f64 {
    let largest = d.iter().chain(e).fold(0.0, |a: f64, b| a.max(b.abs()));
    let normal = largest.is_finite() && largest > 0.0;
    if normal { 2f64.powi(-(largest.log2().floor() as i32).clamp(-1000, 1000)) } else { 1.0 }
}

impl Blocks {
    fn new<T: Real>(d: &[T], e: &[T]) -> Self {
        let (mut d, mut e): (Vec<f64>, Vec<f64>) =
            (d.iter().map(|x| x.re()).collect(), e.iter().map(|x| x.re()).collect());
        let scale = towards_one(&d, &e);
        d.iter_mut().chain(&mut e).for_each(|x| *x *= scale);
        let (n, ulp) = (d.len(), T::EPSILON);
        let (mut rows, mut first) = (Vec::new(), 0);
        for i in 1..=n {
            let splits = i == n
                || e[i - 1] * e[i - 1] < (d[i] * d[i - 1]).abs() * ulp * ulp + f64::MIN_POSITIVE
                || e[i - 1] == 0.0;
            if splits {
                rows.push(first..i);
                first = i;
            }
        }
        Blocks { d, e, rows, scale, min_pivot: f64::MIN_POSITIVE * 4.0, ulp }
    }

    /// Eigenvalues of a block that are at most x, by Sylvester's law of inertia.
    fn count(&self, block: &Range<usize>, x: f64) -> usize {
        let (mut count, mut pivot) = (0, 1.0);
        for i in block.clone() {
            let above = if i > block.start { self.e[i - 1] * self.e[i - 1] / pivot } else { 0.0 };
            pivot = self.d[i] - x - above;
            if pivot <= self.min_pivot {
                count += 1;
                pivot = pivot.min(-self.min_pivot);
            }
        }
        count
    }

    fn count_of_all(&self, x: f64) -> usize {
        self.rows.iter().map(|block| self.count(block, x)).sum()
    }

    /// Bounds of a block's eigenvalues (Gershgorin), somewhat wider.
    fn bounds(&self, block: &Range<usize>) -> (f64, f64) {
        let mut bounds = (f64::INFINITY, f64::NEG_INFINITY);
        for i in block.clone() {
            let before = if i > block.start { self.e[i - 1].abs() } else { 0.0 };
            let after = if i + 1 < block.end { self.e[i].abs() } else { 0.0 };
            bounds = (bounds.0.min(self.d[i] - before - after), bounds.1.max(self.d[i] + before + after));
        }
        let margin = 4.0 * self.ulp * bounds.0.abs().max(bounds.1.abs()) * block.len() as f64 + 4.0 * self.min_pivot;
        (bounds.0 - margin, bounds.1 + margin)
    }

    /// Tolerance of an eigenvalue in an interval.
    fn tolerance(&self, low: f64, high: f64, absolute: f64) -> f64 {
        absolute.max(2.0 * self.ulp * low.abs().max(high.abs())).max(self.min_pivot)
    }

    /// Appends the eigenvalues of a block above `low` and up to `high`, in ascending order.
    fn bisect(&self, block: &Range<usize>, low: (f64, usize), high: (f64, usize), absolute: f64, found: &mut Vec<f64>) {
        let mut pending = vec![(low, high)];
        while let Some((low, high)) = pending.pop() {
            if high.1 <= low.1 {
                continue;
            }
            let middle = low.0 + (high.0 - low.0) / 2.0;
            // Also where the middle is NaN.
            let goes_on = high.0 - low.0 > self.tolerance(low.0, high.0, absolute) && middle > low.0 && middle < high.0;
            if !goes_on {
                found.extend(std::iter::repeat_n(middle, high.1 - low.1));
                continue;
            }
            let count = self.count(block, middle).clamp(low.1, high.1);
            pending.push(((middle, count), high));
            pending.push((low, (middle, count)));
        }
    }

    /// An interval that has the eigenvalues of these indices, and few others.
    fn interval(&self, first: usize, last: usize) -> (f64, f64) {
        let bounds = self.rows.iter().map(|block| self.bounds(block));
        let (low, high) = bounds.fold((f64::INFINITY, f64::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        // The largest point found with at most `wanted` eigenvalues, and the smallest one with at least as many.
        let search = |wanted: usize| {
            let (mut below, mut above) = (low, high);
            while above - below > self.tolerance(below, above, 0.0) {
                let middle = below + (above - below) / 2.0;
                if !(middle > below && middle < above) {
                    break;
                }
                if self.count_of_all(middle) >= wanted { above = middle } else { below = middle }
            }
            (below, above)
        };
        (search(first + 1).0, search(last).1)
    }
}

/// The count of eigenvalues above one number and up to another one.
#[instances]
pub fn count_between<T: Real>(d: &[T], e: &[T], low: f64, high: f64) -> usize {
    let blocks = Blocks::new(d, e);
    blocks.count_of_all(high * blocks.scale).saturating_sub(blocks.count_of_all(low * blocks.scale))
}

/// Eigenvalues in ascending order, of each block after the other with `by_blocks`, with the block of each, counted from
/// 1 (LAPACK: xSTEBZ). `splits` gets the blocks' last rows, counted from 1. An error of at most `abstol` is allowed, or
/// of a few roundings where that is not positive. Returns the counts of eigenvalues and of blocks.
///
/// # Panics
/// If a slice has fewer elements than the matrix has rows.
#[instances]
pub fn stebz<T: Real>(
    spectrum: Spectrum,
    by_blocks: bool,
    abstol: f64,
    d: &[T],
    e: &[T],
    w: &mut [T],
    of_block: &mut [i32],
    splits: &mut [i32],
) -> (usize, usize) {
    let n = d.len();
    if n == 0 {
        return (0, 0);
    }
    let blocks = Blocks::new(d, e);
    let scale = blocks.scale;
    let interval = match spectrum {
        Spectrum::All => (f64::NEG_INFINITY, f64::INFINITY),
        Spectrum::Within(low, high) => (low * scale, high * scale),
        Spectrum::Indices(first, last) if first == 0 && last >= n => (f64::NEG_INFINITY, f64::INFINITY),
        Spectrum::Indices(first, last) => blocks.interval(first, last),
    };
    let mut found: Vec<(f64, i32)> = Vec::new();
    for (b, block) in blocks.rows.iter().enumerate() {
        splits[b] = block.end as i32;
        let (low, high) = blocks.bounds(block);
        let (low, high) = (low.max(interval.0), high.min(interval.1));
        if block.len() == 1 {
            let value = blocks.d[block.start];
            // Counted like the others, so that none is lost or found twice.
            let is_inside = blocks.count(block, interval.1) > blocks.count(block, interval.0) || value.is_nan();
            found.extend(is_inside.then_some((value, b as i32 + 1)));
            continue;
        }
        let absolute = if abstol > 0.0 { abstol * scale } else { blocks.ulp * low.abs().max(high.abs()) };
        let mut values = Vec::new();
        if high > low {
            let counts = (blocks.count(block, low), blocks.count(block, high));
            blocks.bisect(block, (low, counts.0), (high, counts.1), absolute, &mut values);
        }
        found.extend(values.into_iter().map(|value| (value, b as i32 + 1)));
    }
    if let Spectrum::Indices(first, last) = spectrum {
        // The interval may have more eigenvalues at its ends.
        let before = if interval.0.is_finite() { blocks.count_of_all(interval.0) } else { 0 };
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by(|a, b| found[*a].0.total_cmp(&found[*b].0));
        let wanted = first.saturating_sub(before)..last.saturating_sub(before).min(order.len());
        let mut is_wanted = vec![false; found.len()];
        order[wanted.start.min(wanted.end)..wanted.end].iter().for_each(|i| is_wanted[*i] = true);
        let mut flags = is_wanted.into_iter();
        found.retain(|_| flags.next().unwrap_or(false));
    }
    if !by_blocks {
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    for (i, (value, block)) in found.iter().enumerate() {
        w[i] = T::from_parts(value / scale, 0.0);
        of_block[i] = *block;
    }
    (found.len(), blocks.rows.len())
}

/// Orthonormal eigenvectors of eigenvalues that [`stebz`] found by blocks, in the columns of Z (LAPACK: xSTEIN). A
/// block's vectors come from inverse iteration, or where that fails from divide and conquer.
///
/// # Panics
/// If a block or a split is none of the matrix.
///
/// # Safety
/// Z must have a row for each of the matrix's, and a column for each eigenvalue.
#[instances]
pub unsafe fn stein<T: Scalar>(
    d: &[T::RealScalar],
    e: &[T::RealScalar],
    w: &[T::RealScalar],
    of_block: &[i32],
    splits: &[i32],
    z: Block<T>,
) {
    // SAFETY: Z has these sizes.
    let mut z = unsafe { z.view_mut(d.len(), w.len()) };
    let of = |x: &[T::RealScalar]| x.iter().map(|x| x.re()).collect::<Vec<f64>>();
    let (mut d, mut e, mut w) = (of(d), of(e), of(w));
    let scale = towards_one(&d, &e);
    d.iter_mut().chain(&mut e).chain(&mut w).for_each(|x| *x *= scale);
    let n = d.len();
    let mut first = 0;
    while first < w.len() {
        let block = of_block[first] as usize;
        let last = (first..w.len()).find(|j| of_block[*j] as usize != block).unwrap_or(w.len());
        let start = if block == 1 { 0 } else { splits[block - 2] as usize };
        let end = splits[block - 1] as usize;
        let (own_d, own_e) = (&d[start..end], &e[start..end - 1]);
        let values = &w[first..last];
        let size = end - start;
        let matrix = Matrix { d: own_d, e: own_e };
        let vectors = matrix.vectors(values, T::EPSILON).unwrap_or_else(|| of_all(own_d, own_e, values));
        for (k, vector) in vectors.chunks_exact(size).enumerate() {
            // The largest element is positive.
            let largest = vector.iter().fold(0.0, |a: f64, b| if b.abs() > a.abs() { *b } else { a });
            let sign = if largest < 0.0 { -1.0 } else { 1.0 };
            for i in 0..n {
                let inside = i >= start && i < end;
                z[(i, first + k)] = if inside { T::from_parts(sign * vector[i - start], 0.0) } else { T::ZERO };
            }
        }
        first = last;
    }
}

/// [`super::stevr`] with the first `columns` columns of Z behind a pointer (LAPACK: xSTEMR).
///
/// # Safety
/// Z must have a row for each of the matrix's, and these columns.
#[instances]
pub unsafe fn stemr<T: Scalar>(
    spectrum: Spectrum,
    d: &[T::RealScalar],
    e: &[T::RealScalar],
    w: &mut [T::RealScalar],
    z: Option<(Block<T>, usize)>,
) -> (usize, Info) {
    let n = d.len();
    let mut own = z.is_some().then(|| Mat::<T>::zeros(n, n));
    let (count, info) = stevr(spectrum, d, e, w, own.as_mut().map(|own| own.as_mut()));
    if let (Some(own), Some((z, columns)), None) = (own, z, info) {
        // Eigenvalues at a bound may be counted in two ways.
        let columns = count.min(columns);
        // SAFETY: Z has these sizes.
        unsafe { z.view_mut(n, columns) }.copy_from(own.as_ref().subcols(0, columns));
    }
    (count, info)
}

/// The eigenvectors of the nearest eigenvalues among all.
fn of_all(d: &[f64], e: &[f64], values: &[f64]) -> Vec<f64> {
    let n = d.len();
    let (mut all, mut off) = (d.to_vec(), e.to_vec());
    let mut u = Mat::<f64>::identity(n, n);
    // Without convergence the vectors are NaN.
    let _ = stedc::<f64>(&mut all, &mut off, Some(u.as_mut()));
    let mut next = 0;
    let mut vectors = Vec::with_capacity(n * values.len());
    for (k, value) in values.iter().enumerate() {
        // Enough eigenvalues are left for the rest.
        let end = n - (values.len() - k - 1).min(n - 1);
        let nearest = (next..end.max(next + 1).min(n))
            .min_by(|a, b| (all[*a] - value).abs().total_cmp(&(all[*b] - value).abs()))
            .unwrap_or(n - 1);
        vectors.extend((0..n).map(|i| u[(i, nearest)]));
        next = nearest + 1;
    }
    vectors
}
