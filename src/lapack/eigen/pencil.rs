//! Eigenvalues of a Hermitian and a positive definite matrix, and some eigenvalues of a Hermitian one, on a device.
//!
//! ```text
//!   B = L Lᴴ                          potrf
//!   C = L⁻¹ A L⁻ᴴ, or Lᴴ A L          trsm twice, or two products
//!   C = Z W Zᴴ                        heevd
//!   X = L⁻ᴴ Z, or L Z                 trsm, or a product
//! ```

use affinimath_macros::instances;

use super::reduce::{LowerTriangle, copy_program};
use super::*;
use crate::blas::level3::gemm::Target;
use crate::blas::level3::trsm::TrsmProblem;
use crate::host::lapack::{Pencil, Spectrum};
use crate::lapack::cholesky::{Cholesky, CholeskyPlan};
use crate::options::Diag;
use crate::view::MatrixRef;

/// Eigenvalues in ascending order of a Hermitian A and a positive definite B on their device, and eigenvectors in A's
/// columns where they are wanted (LAPACK: xSYGVD, xHEGVD). B's triangle gets its Cholesky factor.
///
/// False where the host is faster, memory is short, an element is not finite, or B is not positive definite. Then only
/// `w` was changed.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// [`Error::ShapeMismatch`], [`Error::MixedMemory`], [`Error::PrecisionNotSupported`]: nothing was changed.
/// [`Error::ProgramBuild`], [`Error::OutOfDeviceMemory`], [`Error::OpenCl`]: A and B are undefined.
#[instances]
pub(crate) fn hegvd_on_device<T: Scalar>(
    queue: &Queue,
    (pencil, triangle): (Pencil, Triangle),
    a: &MatrixMut<'_, T>,
    b: &MatrixMut<'_, T>,
    w: &mut [T::RealScalar],
    vectors: bool,
) -> Result<bool> {
    let device = device_info(queue);
    match EigenPlan::choose(T::KIND, a.rows(), device) {
        Some(plan) => hegvd_with_plan(queue, (pencil, triangle), (a, b), w, vectors, (&plan, device)),
        None => Ok(false),
    }
}

/// [`hegvd_on_device`] by a given plan, as on a device with these facts. Any plan is right for any matrix.
pub(in crate::lapack) fn hegvd_with_plan<T: Scalar>(
    queue: &Queue,
    (pencil, triangle): (Pencil, Triangle),
    (a, b): (&MatrixMut<'_, T>, &MatrixMut<'_, T>),
    w: &mut [T::RealScalar],
    vectors: bool,
    (plan, device): (&EigenPlan, &DeviceInfo),
) -> Result<bool> {
    let n = square(a.shape(), "A")?;
    check_rows(n)?;
    let b_memory = device_buffer(queue, b.memory(), "B")?;
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, Operand::whole(Op::NoTrans, a.shape()));
    let b = Block::new(b_memory, Operand::whole(Op::NoTrans, b.shape()));
    if n == 0 {
        return Ok(true);
    }
    let queue = &queue.for_steps()?;
    let executor = Executor::new::<T>(queue, device)?;
    tracing::debug!(n, ?pencil, vectors, device = device.name, "hegvd");
    let problem = Reduced { executor: &executor, plan, n };
    let found = match problem.solve::<T>(pencil, (a, b, triangle), w, vectors) {
        // Nothing is written before the vectors are in workspace.
        Err(Error::OutOfDeviceMemory { .. }) => None,
        found => found?,
    };
    let Some((l, x)) = found else { return Ok(false) };
    problem.store_factor::<T>(&l, triangle, b)?;
    if vectors {
        executor.copy::<T>([n, n], problem.block(&x), a)?;
    }
    queue.finish()?;
    Ok(true)
}

/// Some eigenvalues of a Hermitian A on its device in ascending order, and their eigenvectors in the first columns of Z
/// (LAPACK: xSYEVR, xHEEVR). Gives their number; `None` as [`heevd_on_device`]'s false: only `w` was changed.
///
/// It computes all eigenvalues, and all vectors where some are wanted.
///
/// # Errors
/// Those of [`heevd_on_device`]; A is never changed.
#[instances]
pub(crate) fn heevr_on_device<T: Scalar>(
    queue: &Queue,
    (spectrum, triangle): (Spectrum, Triangle),
    a: &MatrixRef<'_, T>,
    w: &mut [T::RealScalar],
    z: Option<&MatrixMut<'_, T>>,
) -> Result<Option<usize>> {
    let device = device_info(queue);
    match EigenPlan::choose(T::KIND, a.rows(), device) {
        Some(plan) => heevr_with_plan(queue, (spectrum, triangle), a, w, z, (&plan, device)),
        None => Ok(None),
    }
}

/// [`heevr_on_device`] by a given plan, as on a device with these facts. Any plan is right for any matrix.
pub(in crate::lapack) fn heevr_with_plan<T: Scalar>(
    queue: &Queue,
    (spectrum, triangle): (Spectrum, Triangle),
    a: &MatrixRef<'_, T>,
    w: &mut [T::RealScalar],
    z: Option<&MatrixMut<'_, T>>,
    (plan, device): (&EigenPlan, &DeviceInfo),
) -> Result<Option<usize>> {
    let n = square(a.shape(), "A")?;
    check_rows(n)?;
    let a = Block::new(device_buffer(queue, a.memory(), "A")?, Operand::whole(Op::NoTrans, a.shape()));
    let z = match z {
        None => None,
        Some(z) => Some(Block::new(device_buffer(queue, z.memory(), "Z")?, Operand::whole(Op::NoTrans, z.shape()))),
    };
    if n == 0 {
        return Ok(Some(0));
    }
    let queue_of_steps = &queue.for_steps()?;
    let executor = Executor::new::<T>(queue_of_steps, device)?;
    let problem = Reduced { executor: &executor, plan, n };
    let solve = |w: &mut [T::RealScalar]| -> Result<Option<DeviceBuffer>> {
        let copy = problem.hermitian::<T>(a, triangle)?;
        let is_done = heevd_of_block::<T>(&executor, plan, Triangle::Lower, (problem.block(&copy), n), w, z.is_some())?;
        Ok(is_done.then_some(copy))
    };
    let vectors = match solve(&mut w[..n]) {
        Err(Error::OutOfDeviceMemory { .. }) => None,
        vectors => vectors?,
    };
    let Some(vectors) = vectors else { return Ok(None) };
    let chosen = match spectrum {
        Spectrum::All => 0..n,
        Spectrum::Indices(first, end) => first..end,
        Spectrum::Within(low, high) => {
            let first = w[..n].partition_point(|value| value.re() <= low);
            first..w[..n].partition_point(|value| value.re() <= high).max(first)
        }
    };
    let count = chosen.len();
    if let Some(z) = z
        && count > 0
    {
        executor.copy::<T>([n, count], problem.block(&vectors).at(0, chosen.start), z)?;
    }
    executor.queue.finish()?;
    w.copy_within(chosen, 0);
    Ok(Some(count))
}

/// Matrices of order n in workspace, column by column.
struct Reduced<'p> {
    executor: &'p Executor<'p>,
    plan: &'p EigenPlan,
    n: usize,
}

impl Reduced<'_> {
    fn block<'b>(&self, memory: &'b DeviceBuffer) -> Block<'b> {
        Block::new(memory, Operand::general(0, 1, self.n))
    }

    fn memory<T: Scalar>(&self) -> Result<DeviceBuffer> {
        DeviceBuffer::for_step(self.executor.queue, self.n * self.n * size_of::<T>())
    }

    /// L with B = L Lᴴ, and the eigenvectors; `None` where the host has to do the work.
    fn solve<T: Scalar>(
        &self,
        pencil: Pencil,
        (a, b, triangle): (Block<'_>, Block<'_>, Triangle),
        w: &mut [T::RealScalar],
        vectors: bool,
    ) -> Result<Option<(DeviceBuffer, DeviceBuffer)>> {
        let Reduced { executor, plan, n } = *self;
        let l = self.hermitian::<T>(b, triangle)?;
        if !self.factor::<T>(&l)? {
            return Ok(None);
        }
        let (c, other) = (self.hermitian::<T>(a, triangle)?, self.memory::<T>()?);
        let product = |a, b, c| executor.product([n; 3], T::ONE, a, b, T::ZERO, c, Target::Whole);
        let (factor, own, temporary) = (self.block(&l), self.block(&c), self.block(&other));
        match pencil {
            Pencil::Quotient => {
                // L⁻¹ (L⁻¹ A)ᴴ is L⁻¹ A L⁻ᴴ.
                self.substitute::<T>(&l, Op::NoTrans, own)?;
                executor.copy::<T>([n, n], own.with(Op::ConjTrans), temporary)?;
                self.substitute::<T>(&l, Op::NoTrans, temporary)?;
                executor.copy::<T>([n, n], temporary, own)?;
            }
            Pencil::Product | Pencil::ReversedProduct => {
                product(own, factor, temporary)?;
                product(factor.with(Op::ConjTrans), temporary, own)?;
            }
        }
        if !heevd_of_block::<T>(executor, plan, Triangle::Lower, (own, n), &mut w[..n], vectors)? {
            return Ok(None);
        }
        match (vectors, pencil) {
            (false, _) => Ok(Some((l, c))),
            (true, Pencil::ReversedProduct) => {
                product(factor, own, temporary)?;
                Ok(Some((l, other)))
            }
            (true, _) => {
                self.substitute::<T>(&l, Op::ConjTrans, own)?;
                Ok(Some((l, c)))
            }
        }
    }

    /// The whole Hermitian matrix with a triangle of A.
    fn hermitian<T: Scalar>(&self, a: Block<'_>, triangle: Triangle) -> Result<DeviceBuffer> {
        let (n, c) = (self.n, self.memory::<T>()?);
        let program = copy_program::<T>(self.executor)?;
        let launch = Launch::new(self.executor.queue, &program, "hermitian_copy").count(n);
        LowerTriangle::of(lower(a, triangle))
            .arguments(launch.flag(triangle == Triangle::Upper))
            .buffer(&c)
            .index(n)
            .enqueue_step([n.div_ceil(THREADS), n, 1], [THREADS, 1, 1])?;
        Ok(c)
    }

    /// B := its Cholesky factor L, with zeros above; false where B is not positive definite.
    fn factor<T: Scalar>(&self, b: &DeviceBuffer) -> Result<bool> {
        let Reduced { executor, n, .. } = *self;
        let result = DeviceBuffer::for_step(executor.queue, size_of::<i32>())?;
        let info = DeviceSlice { memory: &result, offset: 0 };
        let plan = CholeskyPlan::choose(T::KIND, n, executor.device);
        Cholesky { executor: *executor, plan: &plan, a: self.block(b), order: n, info }.run::<T>()?;
        let program = copy_program::<T>(executor)?;
        Launch::new(executor.queue, &program, "triangle_clear")
            .count(n)
            .buffer(b)
            .index(n)
            .enqueue_step([n.div_ceil(THREADS), n, 1], [THREADS, 1, 1])?;
        let mut info = [0];
        result.read(executor.queue, &mut info)?;
        Ok(info == [0])
    }

    /// C := op(L)⁻¹ C
    fn substitute<T: Scalar>(&self, l: &DeviceBuffer, op: Op, c: Block<'_>) -> Result<()> {
        let n = self.n;
        let triangle = if op.transposes() { Triangle::Upper } else { Triangle::Lower };
        let a = self.block(l).with(op).operand;
        let (kind, diagonal, b) = (T::KIND, Diag::NonUnit, c.operand);
        let problem = TrsmProblem { kind, n, columns: n, a, triangle, diagonal, b };
        self.executor.solve::<T>(&problem, l, c.memory)
    }

    /// B's triangle := L, or Lᴴ.
    fn store_factor<T: Scalar>(&self, l: &DeviceBuffer, triangle: Triangle, b: Block<'_>) -> Result<()> {
        let (n, program) = (self.n, copy_program::<T>(self.executor)?);
        let launch = Launch::new(self.executor.queue, &program, "triangle_store")
            .count(n)
            .flag(triangle == Triangle::Upper)
            .buffer(l)
            .index(n);
        LowerTriangle::of(lower(b, triangle))
            .arguments(launch)
            .enqueue_step([n.div_ceil(THREADS), n, 1], [THREADS, 1, 1])
    }
}
