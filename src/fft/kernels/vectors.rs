//! Shuffles between complex points in memory and SIMD lanes.

use affinimath_kernel::{Complex, Expr, Real, Vector};

/// A complex point in each lane: a vector of real parts and one of imaginary parts.
pub(super) type ComplexVector<'k, R, const W: usize> = Complex<'k, Vector<R, W>>;

/// Gathers a point for each lane.
pub(super) fn gather<'k, R: Real, const W: usize>(at: impl Fn(usize) -> Complex<'k, R>) -> ComplexVector<'k, R, W> {
    let points: [Complex<'k, R>; W] = std::array::from_fn(at);
    Complex::new(Expr::from_lanes(points.map(|z| z.re)), Expr::from_lanes(points.map(|z| z.im)))
}

/// W complex points from the two vectors that they fill in memory.
pub(super) fn deinterleave<'k, R: Real, const W: usize>(
    low: Expr<'k, Vector<R, W>>,
    high: Expr<'k, Vector<R, W>>,
) -> ComplexVector<'k, R, W> {
    let part = |odd: usize| {
        let lane = |l: usize| if l < W / 2 { low.lane(2 * l + odd) } else { high.lane(2 * l + odd - W) };
        Expr::from_lanes(std::array::from_fn(lane))
    };
    Complex::new(part(0), part(1))
}

/// The inverse of [`deinterleave`]: real and imaginary parts in turn, as two vectors.
pub(super) fn interleave<'k, R: Real, const W: usize>(
    even: Expr<'k, Vector<R, W>>,
    odd: Expr<'k, Vector<R, W>>,
) -> (Expr<'k, Vector<R, W>>, Expr<'k, Vector<R, W>>) {
    let half = |first: usize| {
        let lane = |l: usize| if l.is_multiple_of(2) { even } else { odd }.lane(first + l / 2);
        Expr::from_lanes(std::array::from_fn(lane))
    };
    (half(0), half(W / 2))
}

/// The transpose of W vectors by log2(W) perfect shuffles.
pub(super) fn transpose<'k, R: Real, const W: usize>(
    mut rows: Vec<Expr<'k, Vector<R, W>>>,
) -> Vec<Expr<'k, Vector<R, W>>> {
    for _ in 0..W.ilog2() {
        let (first, second) = rows.split_at(W / 2);
        let pairs = first.iter().zip(second).map(|(a, b)| interleave(*a, *b));
        rows = pairs.flat_map(|(low, high)| [low, high]).collect();
    }
    rows
}
