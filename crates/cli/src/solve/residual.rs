//! Residuals and backward errors of a solution.

use affinimath::{Layout, MatrixMut, MatrixRef, MatrixShape, Op, Scalar, route};
use affinimath_bench::Failure;
use affinimath_cpu::norm;
use faer::{Mat, MatRef};

/// The judgement.
pub struct Quality {
    /// `||b - A x|| / (||A|| ||x|| + ||b||)` in the infinity norm: the largest of the columns'. Of the order of the
    /// rounding error where the solution is that of a system nearby (Rigal and Gaches, 1967).
    pub residual: f64,
    /// `||Aᴴ r|| / (||Aᴴ|| (||A|| ||x|| + ||b||))` for the residual r: of the order of the rounding error where x is a
    /// least-squares solution, however large r itself is.
    pub optimality: f64,
    /// Backend of the products.
    pub backend: String,
}

/// Judges a solution.
pub fn residual<T: Scalar>(a: MatRef<'_, T>, x: MatRef<'_, T>, b: MatRef<'_, T>) -> Result<Quality, Failure> {
    let mut r = b.to_owned();
    let mut normal = Mat::zeros(a.ncols(), b.ncols());
    let backend = multiply(Op::NoTrans, -T::ONE, a, x, T::ONE, &mut r)?;
    multiply(Op::ConjTrans, T::ONE, a, r.as_ref(), T::ZERO, &mut normal)?;
    let (size, adjoint_size) = (norm::infinity_norm(a), norm::one_norm(a));
    let mut quality = Quality { residual: 0.0, optimality: 0.0, backend };
    for column in 0..b.ncols() {
        let of = |vector: MatRef<'_, T>| norm::infinity_norm(vector.subcols(column, 1));
        let scale = size * of(x) + of(b);
        quality.residual = quality.residual.max(ratio(of(r.as_ref()), scale));
        quality.optimality = quality.optimality.max(ratio(of(normal.as_ref()), adjoint_size * scale));
    }
    Ok(quality)
}

/// Zero of nothing is nothing.
pub fn ratio(part: f64, whole: f64) -> f64 {
    if part == 0.0 { 0.0 } else { part / whole }
}

/// `C := alpha op(A) B + beta C` by the library's own gemm, and where it was computed.
fn multiply<T: Scalar>(
    op: Op,
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    c: &mut Mat<T>,
) -> Result<String, Failure> {
    let route = route::route_of_gemm(T::KIND, c.nrows(), c.ncols(), b.nrows())?;
    let (a_shape, b_shape, c_shape) = (shape(a)?, shape(b)?, shape(c.as_ref())?);
    // SAFETY: the matrices are borrowed, C exclusively, for longer than the call, which ends when the result is there.
    let event = unsafe {
        let a = MatrixRef::from_host_raw(a.as_ptr().cast_mut(), a_shape);
        let b = MatrixRef::from_host_raw(b.as_ptr().cast_mut(), b_shape);
        let c = MatrixMut::from_host_raw(c.as_ptr_mut(), c_shape);
        affinimath::gemm(op, Op::NoTrans, alpha, a, b, beta, c)?
    };
    event.wait()?;
    Ok(route.to_string())
}

/// The shape of a matrix of this program: they are all column-major.
fn shape<T: Scalar>(matrix: MatRef<'_, T>) -> Result<MatrixShape, Failure> {
    let leading_dimension = matrix.col_stride().unsigned_abs().max(matrix.nrows()).max(1);
    Ok(MatrixShape::new(Layout::ColumnMajor, matrix.nrows(), matrix.ncols(), 0, leading_dimension)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_residual_is_relative_to_the_system() {
        let a = faer::mat![[2.0, 0.0], [0.0, 1.0]];
        let x = faer::mat![[1.0, 0.0], [1.0, 0.0]];
        let b = faer::mat![[2.0, 0.0], [2.0, 0.0]];
        let quality = residual(a.as_ref(), x.as_ref(), b.as_ref()).unwrap();
        // r = (0, 1): 1 / (2 * 1 + 2), and Aᴴ r = (0, 1) over 2 * 4; the second column is exact.
        assert_eq!((quality.residual, quality.optimality), (0.25, 0.125));
    }
}
