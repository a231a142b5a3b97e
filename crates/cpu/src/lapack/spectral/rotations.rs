//! Plane rotations of columns, gathered and applied together.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::super::lanes::Columns;
use crate::simd::dispatch;
use crate::threads::for_each;
use affinimath_core::scalar::Scalar;

/// x_p := c x_p + s x_q, and x_q := c x_q - s x_p.
#[derive(Clone, Copy)]
pub(super) struct Rotation {
    pub(super) p: usize,
    pub(super) q: usize,
    pub(super) c: f64,
    pub(super) s: f64,
}

/// Rotations that are applied when there are many: then a few rows of all columns stay in the L2 cache.
pub(super) struct Rotations<T> {
    columns: Columns<T>,
    rows: usize,
    pending: Vec<Rotation>,
}

/// Rotations that are gathered.
const PENDING: usize = 1 << 15;

/// Bytes of the rows of all columns that rotations are applied to at a time.
const CACHE_BYTES: usize = 256 << 10;

/// Elements times rotations from which threads share the rows.
const PARALLEL_WORK: usize = 1 << 20;

impl<T: Scalar> Rotations<T> {
    /// Of the columns of a matrix with `rows` rows.
    ///
    /// # Safety
    /// The columns that are named must be valid for these rows as long as this lives. Nothing else may access them.
    pub(super) unsafe fn new(columns: Columns<T>, rows: usize) -> Self {
        Rotations { columns, rows, pending: Vec::new() }
    }

    #[inline]
    pub(super) fn push(&mut self, rotation: Rotation) {
        if self.rows > 0 {
            self.pending.push(rotation);
            if self.pending.len() >= PENDING {
                self.flush();
            }
        }
    }

    /// Applies all of them.
    pub(super) fn flush(&mut self) {
        let Some(last) = self.pending.iter().map(|rotation| rotation.p.max(rotation.q)).max() else { return };
        let first = self.pending.iter().map(|rotation| rotation.p.min(rotation.q)).min().unwrap_or(0);
        let rows = (CACHE_BYTES / size_of::<T>() / (last - first + 1)).next_multiple_of(16).max(16);
        let (blocks, shared) = (self.rows.div_ceil(rows), Shared(self.columns));
        let block = |index: usize| {
            let rows = index * rows..self.rows.min((index + 1) * rows);
            dispatch(Apply { columns: shared.get(), rows, rotations: &self.pending });
        };
        if self.pending.len().saturating_mul(self.rows) >= PARALLEL_WORK {
            for_each(blocks, block);
        } else {
            (0..blocks).for_each(block);
        }
        self.pending.clear();
    }
}

/// Columns whose rows threads share.
struct Shared<T>(Columns<T>);
// SAFETY: each thread has rows of its own.
unsafe impl<T: Sync> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn get(&self) -> Columns<T> {
        self.0
    }
}

struct Apply<'a, T> {
    columns: Columns<T>,
    rows: Range<usize>,
    rotations: &'a [Rotation],
}

impl<T: Scalar> WithSimd for Apply<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // A complex number is two real ones here.
        let parts = size_of::<T>() / size_of::<T::RealScalar>();
        let count = self.rows.len() * parts;
        for Rotation { p, q, c, s } in self.rotations {
            let [c, s] = [c, s].map(|x| T::RealScalar::from_parts(*x, 0.0));
            // SAFETY: the columns are different and valid for these rows, by the contract of `Rotations::new`.
            let (x, y) = unsafe {
                let [x, y] = [p, q].map(|k| self.columns.at(self.rows.start, *k).cast::<T::RealScalar>());
                (std::slice::from_raw_parts_mut(x, count), std::slice::from_raw_parts_mut(y, count))
            };
            for (x, y) in x.iter_mut().zip(y) {
                let (a, b) = (*x, *y);
                *x = c * a + s * b;
                *y = c * b - s * a;
            }
        }
    }
}

/// c, s and r with c f + s g = r and c g - s f = 0, without overflow and underflow on the way.
#[inline]
pub(super) fn givens(f: f64, g: f64) -> (f64, f64, f64) {
    if g == 0.0 {
        return (1.0, 0.0, f);
    }
    if f == 0.0 {
        return (0.0, 1.0, g);
    }
    let square = f * f + g * g;
    if (1e-280..1e280).contains(&square) {
        let r = square.sqrt().copysign(f);
        return (f / r, g / r, r);
    }
    // A power of two brings the larger one near 1.
    let lift = 2f64.powi(-(f.abs().max(g.abs()).log2() as i32).clamp(-1000, 1000));
    let (f, g) = (f * lift, g * lift);
    let r = f.hypot(g).copysign(f);
    (f / r, g / r, r / lift)
}
