//! The routine that stands for each family, on operands that can be computed with for ever.

use affinimath::route::Family;
use affinimath::{
    BatchShape, Buffer, Complex32, Complex64, Context, Diag, Direction, FftReal, Layout, MatrixShape, Op, Result,
    Scalar, ScalarKind, Side, Triangle,
};

use super::timing::shortest;

/// The shortest time of a family's call of size `n`, as [`Family::work`] has it, on operands in the context's memory.
///
/// Vectors and matrices are zeros, triangles have a diagonal of ones, and what is factorised is the identity: it is its
/// own factor.
pub fn seconds(context: &Context, family: Family, kind: ScalarKind, n: usize) -> Result<f64> {
    if family == Family::Transform {
        return if kind.is_double() { transform::<f64>(context, n) } else { transform::<f32>(context, n) };
    }
    match kind {
        ScalarKind::S => of_type::<f32>(context, family, n),
        ScalarKind::D => of_type::<f64>(context, family, n),
        ScalarKind::C => of_type::<Complex32>(context, family, n),
        ScalarKind::Z => of_type::<Complex64>(context, family, n),
    }
}

/// The types that a family is measured in: Fourier transforms of the complex ones.
pub const fn has_type(family: Family, kind: ScalarKind) -> bool {
    !matches!(family, Family::Transform) || kind.is_complex()
}

fn of_type<T: Scalar>(context: &Context, family: Family, n: usize) -> Result<f64> {
    match family {
        Family::Vector | Family::Reduction => vectors::<T>(context, family, n),
        Family::MatrixVector | Family::VectorSolve | Family::Update | Family::Movement => {
            level2::<T>(context, family, n)
        }
        Family::Product | Family::RankUpdate | Family::TriangularProduct | Family::TriangularSolve => {
            level3::<T>(context, family, n)
        }
        Family::Lu | Family::Cholesky | Family::Orthogonal | Family::Inverse => factorization::<T>(context, family, n),
        Family::Batch | Family::BatchFactorization => batch::<T>(context, family, n),
        Family::Transform => Ok(f64::NAN),
    }
}

fn vectors<T: Scalar>(context: &Context, family: Family, n: usize) -> Result<f64> {
    let (x, mut y) = (context.zeros::<T>(n)?, context.zeros::<T>(n)?);
    match family {
        Family::Vector => shortest(|| affinimath::axpy(T::ONE, x.vector()?, y.vector_mut()?)?.wait()),
        _ => shortest(|| affinimath::dot(x.vector()?, y.vector()?).map(drop)),
    }
}

fn level2<T: Scalar>(context: &Context, family: Family, n: usize) -> Result<f64> {
    let vector = || context.zeros::<T>(n);
    let (mut a, mut x) = (context.zeros::<T>(n * n)?, vector()?);
    match family {
        Family::MatrixVector => {
            let mut y = vector()?;
            shortest(|| {
                affinimath::gemv(Op::NoTrans, T::ONE, a.matrix(n, n)?, x.vector()?, T::ZERO, y.vector_mut()?)?.wait()
            })
        }
        Family::VectorSolve => shortest(|| {
            affinimath::trsv(Triangle::Lower, Op::NoTrans, Diag::Unit, a.matrix(n, n)?, x.vector_mut()?)?.wait()
        }),
        Family::Update => {
            let y = vector()?;
            shortest(|| affinimath::ger(T::ONE, x.vector()?, y.vector()?, a.matrix_mut(n, n)?)?.wait())
        }
        _ => {
            let mut b = context.zeros::<T>(n * n)?;
            shortest(|| affinimath::omatcopy(Op::Trans, T::ONE, a.matrix(n, n)?, b.matrix_mut(n, n)?)?.wait())
        }
    }
}

fn level3<T: Scalar>(context: &Context, family: Family, n: usize) -> Result<f64> {
    let (a, mut c) = (context.zeros::<T>(n * n)?, context.zeros::<T>(n * n)?);
    let (one, lower, keep, unit) = (T::ONE, Triangle::Lower, Op::NoTrans, Diag::Unit);
    match family {
        Family::Product => {
            let b = context.zeros::<T>(n * n)?;
            shortest(|| {
                let (a, b, c) = (a.matrix(n, n)?, b.matrix(n, n)?, c.matrix_mut(n, n)?);
                affinimath::gemm(keep, keep, one, a, b, T::ZERO, c)?.wait()
            })
        }
        Family::RankUpdate => {
            shortest(|| affinimath::syrk(lower, keep, one, a.matrix(n, n)?, T::ZERO, c.matrix_mut(n, n)?)?.wait())
        }
        _ => shortest(|| {
            let (a, b) = (a.matrix(n, n)?, c.matrix_mut(n, n)?);
            let call = if family == Family::TriangularSolve { affinimath::trsm } else { affinimath::trmm };
            call(Side::Left, lower, keep, unit, one, a, b)?.wait()
        }),
    }
}

fn factorization<T: Scalar>(context: &Context, family: Family, n: usize) -> Result<f64> {
    let mut a = identity::<T>(context, n, 1)?;
    let mut pivots: Vec<i32> = (1..=n as i32).collect();
    let mut tau = vec![T::ZERO; n];
    match family {
        Family::Lu => shortest(|| affinimath::getrf(a.matrix_mut(n, n)?, &mut pivots)),
        Family::Cholesky => shortest(|| affinimath::potrf(Triangle::Lower, a.matrix_mut(n, n)?)),
        Family::Orthogonal => shortest(|| affinimath::geqrf(a.matrix_mut(n, n)?, &mut tau)),
        _ => shortest(|| affinimath::getri(a.matrix_mut(n, n)?, &pivots)),
    }
}

/// `count` identities of order `n`, one after another.
fn identity<T: Scalar>(context: &Context, n: usize, count: usize) -> Result<Buffer<T>> {
    let mut elements = vec![T::ZERO; n * n * count];
    for matrix in elements.chunks_mut((n * n).max(1)) {
        matrix.iter_mut().step_by(n + 1).for_each(|element| *element = T::ONE);
    }
    context.upload(&elements)
}

/// `n` matrices of order 16.
fn batch<T: Scalar>(context: &Context, family: Family, n: usize) -> Result<f64> {
    const ORDER: usize = 16;
    let shape = BatchShape::strided(MatrixShape::new(Layout::ColumnMajor, ORDER, ORDER, 0, ORDER)?, ORDER * ORDER, n)?;
    let mut c = identity::<T>(context, ORDER, n)?;
    if family == Family::BatchFactorization {
        let (mut pivots, mut info) = (vec![1; ORDER * n], vec![0; n]);
        return shortest(|| affinimath::getrf_batched(c.batch_mut(shape)?, &mut pivots, ORDER, &mut info));
    }
    let batch = || context.zeros::<T>(n * ORDER * ORDER);
    let (a, b) = (batch()?, batch()?);
    shortest(|| {
        let (a, b, c) = (a.batch(shape)?, b.batch(shape)?, c.batch_mut(shape)?);
        affinimath::gemm_batched(Op::NoTrans, Op::NoTrans, T::ONE, a, b, T::ZERO, c)?.wait()
    })
}

/// A transform of n x n complex points.
fn transform<R: FftReal>(context: &Context, n: usize) -> Result<f64> {
    let (x, mut y) = (context.zeros::<R::Complex>(n * n)?, context.zeros::<R::Complex>(n * n)?);
    shortest(|| affinimath::fft::<R>(Direction::Forward, &[n, n], x.vector()?, y.vector_mut()?)?.wait())
}
