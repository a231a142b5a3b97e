//! A product with a known result, for probes of kernels.

use affinimath_core::problem::gemm::GemmProblem;

use super::call::GemmCall;
use crate::context::{BufferParts, DeviceBuffer, Queue};
use crate::error::Result;
use crate::options::{Layout, Op};
use crate::scalar::{Complex64, Scalar};
use crate::view::MatrixShape;

/// Sizes that reach over a tile's edge in all directions, and more slices than any tile keeps at a time.
pub(super) const SIZE: [usize; 3] = [150, 140, 150];

/// Compares a product of elements that use all bits of a float with a reference in double precision.
pub(super) fn product_matches_reference<T: Scalar>(
    queue: &Queue,
    [m, n, k]: [usize; 3],
    product: impl Fn(&GemmCall<'_, T>, &GemmProblem) -> Result<()>,
) -> Result<bool> {
    // Between -1 and 1, with 24 bits.
    let part = |i: usize, j: usize, seed: usize| {
        let number = (i * 7919 + j * 104_729 + seed * 1_299_709).wrapping_mul(2_654_435_761) >> 7;
        (number % (1 << 25)) as f64 / f64::from(1 << 24) - 1.0
    };
    let matrix = |rows: usize, columns: usize, seed: usize| -> Vec<T> {
        (0..rows * columns)
            .map(|index| {
                T::from_parts(part(index % rows, index / rows, seed), part(index % rows, index / rows, seed + 1))
            })
            .collect()
    };
    let upload = |data: &[T]| -> Result<DeviceBuffer> {
        let buffer = DeviceBuffer::new(queue.context(), size_of_val(data), "a trial product")?;
        buffer.write(queue, data)?;
        Ok(buffer)
    };
    let (a, b, mut c) = (matrix(m, k, 1), matrix(k, n, 3), vec![T::from_parts(f64::NAN, f64::NAN); m * n]);
    let buffers = (upload(&a)?, upload(&b)?, upload(&c)?);
    let shape = |rows, columns| MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows);
    let problem = GemmProblem::new(T::KIND, Op::NoTrans, Op::NoTrans, &shape(m, k)?, &shape(k, n)?, &shape(m, n)?)?;
    product(&GemmCall { queue, alpha: T::ONE, a: &buffers.0, b: &buffers.1, beta: T::ZERO, c: &buffers.2 }, &problem)?;
    buffers.2.read(queue, &mut c)?;
    let wide = |x: T| Complex64::new(x.re(), x.im());
    let matches_reference = |i: usize, j: usize| {
        let terms = || (0..k).map(|p| (wide(a[i + p * m]), wide(b[p + j * k])));
        let expected: Complex64 = terms().map(|(x, y)| x * y).sum();
        let magnitude: f64 = terms().map(|(x, y)| x.norm() * y.norm()).sum();
        // NaN is not right.
        (wide(c[i + j * m]) - expected).norm() <= 8.0 * k as f64 * T::EPSILON * magnitude
    };
    Ok((0..m * n).all(|index| matches_reference(index % m, index / m)))
}
