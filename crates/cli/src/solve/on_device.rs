//! The method's work on a device: the factors stay in its memory until the condition is estimated.

use std::cell::RefCell;
use std::time::Instant;

use affinimath::{
    Buffer, Context, Error, Layout, MatrixShape, Op, Result, Scalar, Triangle, getrf, getrs, potrf, potrs,
};
use affinimath_cpu::norm::one_norm;
use affinimath_cpu::solve::{Method, Solution, SolvePlan, check_finite, inverse_one_norm};
use faer::{Mat, MatMut, MatRef};

/// The device that `--device` names, if it computes with the type and has the method.
pub fn chosen<T: Scalar>(name: &str, plan: &SolvePlan) -> Result<Option<Context>> {
    if plan.method == Method::LeastSquares { Ok(None) } else { asked::<T>(name) }
}

/// The device that `--device` names, if it computes with the type.
pub fn asked<T: Scalar>(name: &str) -> Result<Option<Context>> {
    if matches!(name, "auto" | "host") {
        return Ok(None);
    }
    let context = Context::preferred()?;
    let is_able = context.device().is_some_and(|device| device.info().supports(T::KIND));
    Ok(is_able.then_some(context))
}

/// Solves A X = B as planned.
pub fn solve<T: Scalar>(
    context: &Context,
    plan: &SolvePlan,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
) -> Result<Solution<T>> {
    let start = Instant::now();
    let (factors, method, fell_back) = match Factors::compute(context, plan.method, a) {
        Ok(factors) => (factors, plan.method, None),
        Err(error) => {
            let method = plan.fallback.ok_or_else(|| error.clone())?;
            (Factors::compute(context, method, a)?, method, Some(error))
        }
    };
    let factor_time = start.elapsed();

    let start = Instant::now();
    let mut x = b.to_owned();
    factors.solve(Op::NoTrans, x.as_mut())?;
    check_finite("the solution", x.as_ref())?;
    let solve_time = start.elapsed();

    let start = Instant::now();
    // The estimate goes on after an error, which then counts.
    let failure = RefCell::new(None);
    let solve = |op, x: MatMut<'_, T>| {
        if let Err(error) = factors.solve(op, x) {
            failure.borrow_mut().get_or_insert(error);
        }
    };
    let condition = one_norm(a) * inverse_one_norm(a.nrows(), |x| solve(Op::NoTrans, x), |x| solve(Op::ConjTrans, x));
    if let Some(error) = failure.take() {
        return Err(error);
    }
    let condition_time = start.elapsed();
    Ok(Solution { x, method, fell_back, deficient_rank: None, condition, factor_time, solve_time, condition_time })
}

/// The factors, in the device's memory.
struct Factors<'c, T> {
    context: &'c Context,
    memory: Buffer<T>,
    shape: MatrixShape,
    /// getrf's pivots; none of potrf's factor.
    pivots: Option<Vec<i32>>,
}

impl<'c, T: Scalar> Factors<'c, T> {
    fn compute(context: &'c Context, method: Method, a: MatRef<'_, T>) -> Result<Self> {
        let n = a.nrows();
        let shape = MatrixShape::new(Layout::ColumnMajor, n, n, 0, n.max(1))?;
        let mut memory = context.upload(&elements(a))?;
        let view = memory.view_mut(shape)?;
        let pivots = match method {
            Method::Cholesky => {
                potrf(Triangle::Lower, view)?;
                None
            }
            Method::Lu => {
                let mut pivots = vec![0; n];
                getrf(view, &mut pivots)?;
                Some(pivots)
            }
            Method::LeastSquares => return Err(Error::argument("method", "least squares are the host's")),
        };
        Ok(Factors { context, memory, shape, pivots })
    }

    /// x := op(A)⁻¹ x; a Hermitian A is its own adjoint.
    fn solve(&self, op: Op, mut x: MatMut<'_, T>) -> Result<()> {
        let shape = MatrixShape::new(Layout::ColumnMajor, x.nrows(), x.ncols(), 0, x.nrows().max(1))?;
        let mut memory = self.context.upload(&elements(x.as_ref()))?;
        let (factors, view) = (self.memory.view(self.shape)?, memory.view_mut(shape)?);
        match &self.pivots {
            Some(pivots) => getrs(op, factors, pivots, view)?,
            None => potrs(Triangle::Lower, factors, view)?,
        }
        let result: Mat<T> = MatRef::from_column_major_slice(&memory.download()?, x.nrows(), x.ncols()).to_owned();
        x.copy_from(result.as_ref());
        Ok(())
    }
}

/// By columns, without gaps.
fn elements<T: Scalar>(a: MatRef<'_, T>) -> Vec<T> {
    a.col_iter().flat_map(|column| column.iter()).copied().collect()
}
