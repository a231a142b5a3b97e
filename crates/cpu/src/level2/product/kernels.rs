//! Inner loops on real numbers. A complex element is two adjacent ones, and a complex product two real products that
//! are combined at the end. The compiler vectorises the same loops for all types.

use faer::traits::pulp::{Arch, NullaryFnOnce};

use affinimath_core::scalar::Scalar;

/// Columns at a time.
pub(super) const STEP: usize = 4;

/// Real and imaginary parts of the elements.
pub(super) fn reals<T: Scalar>(elements: &[T]) -> &[T::RealScalar] {
    // SAFETY: an element is a real number, or two of them without padding (num_complex's layout is that of C).
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), elements.len() * parts::<T>()) }
}

/// Real numbers per element.
pub(super) const fn parts<T: Scalar>() -> usize {
    size_of::<T>() / size_of::<T::RealScalar>()
}

/// The value, or its conjugate.
pub(super) fn conjugated<T: Scalar>(value: T, conjugate: bool) -> T {
    if conjugate { value.conjugate() } else { value }
}

/// sums += each column times its factor.
pub(super) struct AddColumns<'a, R> {
    pub(super) columns: [&'a [R]; STEP],
    pub(super) factors: [R; STEP],
    pub(super) accumulators: &'a mut [R],
}

impl<R: Scalar> AddColumns<'_, R> {
    pub(super) fn run(self) {
        Arch::new().dispatch(self);
    }
}

impl<R: Scalar> NullaryFnOnce for AddColumns<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let [a, b, c, d] = self.columns;
        let [p, q, r, s] = self.factors;
        for ((((sum, a), b), c), d) in self.accumulators.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *sum += (*a * p + *b * q) + (*c * r + *d * s);
        }
    }
}

/// sums += a column times a factor.
pub(super) fn add_column<R: Scalar>(column: &[R], factor: R, accumulators: &mut [R]) {
    accumulators.iter_mut().zip(column).for_each(|(sum, a)| *sum += *a * factor);
}

/// Dot products of columns with x, over even and over odd indices.
pub(super) struct DotColumns<'a, R> {
    pub(super) columns: [&'a [R]; STEP],
    pub(super) x: &'a [R],
}

impl<R: Scalar> DotColumns<'_, R> {
    pub(super) fn run(self) -> [[R; 2]; STEP] {
        // Two vectors of 32 bytes for each column.
        if size_of::<R>() == 4 {
            Arch::new().dispatch(InLanes::<R, 16>(self))
        } else {
            Arch::new().dispatch(InLanes::<R, 8>(self))
        }
    }
}

/// Dot products in independent accumulators, which the compiler vectorises.
struct InLanes<'a, R, const LANES: usize>(DotColumns<'a, R>);

impl<R: Scalar, const LANES: usize> NullaryFnOnce for InLanes<'_, R, LANES> {
    type Output = [[R; 2]; STEP];

    #[inline(always)]
    fn call(self) -> [[R; 2]; STEP] {
        let DotColumns { columns: [a, b, c, d], x } = self.0;
        let mut lanes = [[R::ZERO; LANES]; STEP];
        let n = x.len();
        let (a, b, c, d) = (&a[..n], &b[..n], &c[..n], &d[..n]);
        let columns =
            a.chunks_exact(LANES).zip(b.chunks_exact(LANES)).zip(c.chunks_exact(LANES)).zip(d.chunks_exact(LANES));
        for (x, (((a, b), c), d)) in x.chunks_exact(LANES).zip(columns) {
            for lane in 0..LANES {
                lanes[0][lane] += a[lane] * x[lane];
                lanes[1][lane] += b[lane] * x[lane];
                lanes[2][lane] += c[lane] * x[lane];
                lanes[3][lane] += d[lane] * x[lane];
            }
        }
        for i in n / LANES * LANES..n {
            for (lanes, column) in lanes.iter_mut().zip([a, b, c, d]) {
                lanes[i % LANES] += column[i] * x[i];
            }
        }
        lanes.map(|lanes| {
            let mut accumulators = [R::ZERO; 2];
            lanes.iter().enumerate().for_each(|(lane, value)| accumulators[lane % 2] += *value);
            accumulators
        })
    }
}

/// Dot product of a column with x, over even and over odd indices.
pub(super) fn dot_column<R: Scalar>(column: &[R], x: &[R]) -> [R; 2] {
    let mut accumulators = [R::ZERO; 2];
    column.iter().zip(x).enumerate().for_each(|(i, (a, x))| accumulators[i % 2] += *a * *x);
    accumulators
}
