//! Common parts of the iterative solvers.

use affinimath::sparse::{LinearOperator, Outcome, Reason};
use affinimath::{Op, Scalar, VectorMut, VectorRef, VectorShape};

use super::csr::DistCsr;
use super::vector::DistVector;
use crate::comm::Communicator;
use crate::error::{Error, Result};
use crate::memory::Memory;

/// When a solver stops, and its preconditioner.
#[derive(Clone, Copy)]
pub struct SolveOptions<'a, T> {
    rtol: f64,
    atol: f64,
    max_iterations: Option<usize>,
    restart: usize,
    preconditioner: Option<&'a dyn LinearOperator<T>>,
}

impl<T: Scalar> Default for SolveOptions<'_, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a, T: Scalar> SolveOptions<'a, T> {
    /// ||b - A x|| <= 1e-8 ||b|| (1e-5 in single precision), within ten times as many iterations as there are unknowns.
    pub const fn new() -> Self {
        let rtol = if T::KIND.is_double() { 1e-8 } else { 1e-5 };
        SolveOptions { rtol, atol: 0.0, max_iterations: None, restart: 30, preconditioner: None }
    }

    /// Stops at ||b - A x|| <= max(rtol ||b||, atol).
    #[must_use]
    pub const fn rtol(self, rtol: f64) -> Self {
        SolveOptions { rtol, ..self }
    }

    /// Stops at ||b - A x|| <= max(rtol ||b||, atol).
    #[must_use]
    pub const fn atol(self, atol: f64) -> Self {
        SolveOptions { atol, ..self }
    }

    /// The most iterations.
    #[must_use]
    pub const fn max_iterations(self, iterations: usize) -> Self {
        SolveOptions { max_iterations: Some(iterations), ..self }
    }

    /// Vectors of GMRES between two restarts: 30 without this.
    #[must_use]
    pub const fn restart(self, vectors: usize) -> Self {
        SolveOptions { restart: vectors, ..self }
    }

    /// An approximate inverse of each rank's block on the diagonal: block Jacobi, whatever solves with the blocks.
    ///
    /// Every preconditioner of [`DistCsr::interior`] will do, such as [`super::BlockJacobi`], `affinimath::Ilu0` or
    /// `affinimath::Ic0`. All ranks have one, or none has.
    #[must_use]
    pub const fn preconditioner(self, local: &'a dyn LinearOperator<T>) -> Self {
        SolveOptions { preconditioner: Some(local), ..self }
    }

    pub(super) fn has_preconditioner(&self) -> bool {
        self.preconditioner.is_some()
    }

    pub(super) fn has_diagonal(&self) -> bool {
        self.preconditioner.is_some_and(|local| local.diagonal().is_some())
    }

    /// The same for a solver of one process.
    pub(super) fn of_one_process(&self, max_iterations: usize) -> affinimath::sparse::SolveOptions<'a, T> {
        let options = affinimath::sparse::SolveOptions::new().rtol(self.rtol).atol(self.atol);
        let options = options.max_iterations(max_iterations).restart(self.restart);
        match self.preconditioner {
            Some(local) => options.preconditioner(local),
            None => options,
        }
    }
}

/// A system that ranks have agreed on.
pub(super) struct System<'a, T> {
    a: &'a DistCsr<T>,
    preconditioner: Option<&'a dyn LinearOperator<T>>,
    pub(super) b: &'a [T],
    pub(super) max_iterations: usize,
    pub(super) restart: usize,
    /// ||b||.
    norm: f64,
    /// The residual at which a solver stops.
    pub(super) target: f64,
}

impl<'a, T: Scalar> System<'a, T> {
    /// Checks a solver's arguments, on all ranks alike.
    pub(super) fn new(
        name: &'static str,
        a: &'a DistCsr<T>,
        b: &'a DistVector<T>,
        x: &DistVector<T>,
        options: &SolveOptions<'a, T>,
    ) -> Result<Self> {
        let max_iterations = agree(name, a, b, x, options)?;
        let norm = a.grid().together(|| norm(a.grid().all(), b.local()))?;
        let target = (options.rtol * norm).max(options.atol);
        let (preconditioner, restart) = (options.preconditioner, options.restart);
        Ok(System { a, preconditioner, b: b.local(), max_iterations, restart, norm, target })
    }

    pub(super) fn comm(&self) -> &Communicator {
        self.a.grid().all()
    }

    /// y := A x.
    pub(super) fn multiply(&self, x: &[T], y: &mut [T]) -> Result<()> {
        self.a.product(Op::NoTrans, T::ONE, x, T::ZERO, y)
    }

    /// z := M r, the preconditioner applied to this rank's part.
    pub(super) fn precondition(&self, r: &[T], z: &mut [T]) -> Result<()> {
        let Some(preconditioner) = self.preconditioner else {
            z.copy_from_slice(r);
            return Ok(());
        };
        if r.is_empty() {
            return Ok(());
        }
        // A diagonal is not applied: solvers multiply by it on the way.
        if let Some(diagonal) = preconditioner.diagonal() {
            let diagonal = diagonal.vector()?;
            let not_here = || Error::Local("the preconditioner's diagonal does not lie on the host".to_owned());
            let diagonal = diagonal.as_slice().ok_or_else(not_here)?;
            z.iter_mut().zip(r).zip(diagonal).for_each(|((z, r), inverse)| *z = *inverse * *r);
            return Ok(());
        }
        let shape = VectorShape::new(r.len(), 0, 1)?;
        preconditioner.apply(Op::NoTrans, VectorRef::from_slice(r, shape)?, VectorMut::from_slice(z, shape)?)?;
        Ok(())
    }

    /// True if there is a preconditioner.
    pub(super) fn is_preconditioned(&self) -> bool {
        self.preconditioner.is_some()
    }

    /// r := b - A x, and ||r||.
    pub(super) fn residual(&self, x: &[T], r: &mut [T]) -> Result<f64> {
        r.copy_from_slice(self.b);
        self.a.product(Op::NoTrans, -T::ONE, x, T::ONE, r)?;
        norm(self.comm(), r)
    }

    /// Outcome with the residual of x. Where the recurrence's residual was small enough and the true one is not, the
    /// method has stagnated; a factor of two is rounding.
    pub(super) fn outcome(&self, reason: Reason, iterations: usize, x: &[T]) -> Result<Outcome> {
        let mut r = vec![T::ZERO; self.b.len()];
        let residual = self.residual(x, &mut r)?;
        let reason = match reason {
            Reason::Converged if residual.is_nan() || residual > 2.0 * self.target => Reason::Stagnated,
            reason => reason,
        };
        let relative_residual = if residual == 0.0 { 0.0 } else { residual / self.norm };
        Ok(Outcome { reason, iterations, residual, relative_residual, normal_residual: None })
    }
}

/// Agrees on a solver's arguments, and on the most iterations.
pub(super) fn agree<T: Scalar>(
    name: &'static str,
    a: &DistCsr<T>,
    b: &DistVector<T>,
    x: &DistVector<T>,
    options: &SolveOptions<'_, T>,
) -> Result<usize> {
    let n = a.rows().length();
    let max_iterations = options.max_iterations.unwrap_or(n.saturating_mul(10));
    let agreement = a.agreement(name).scalar("rtol", options.rtol).scalar("atol", options.atol);
    let agreement = agreement.size("max_iterations", max_iterations).size("restart", options.restart);
    let agreement = agreement.integer("preconditioner", i64::from(options.preconditioner.is_some()));
    let agreement = agreement.integer("b's memory", b.memory().code()).integer("x's memory", x.memory().code());
    a.grid().agree(agreement, check(a, b, x, options))?;
    Ok(max_iterations)
}

fn check<T: Scalar>(a: &DistCsr<T>, b: &DistVector<T>, x: &DistVector<T>, options: &SolveOptions<'_, T>) -> Result<()> {
    if a.rows() != a.columns() {
        return Err(Error::argument("A", "its rows and columns have different partitions"));
    }
    for (name, vector) in [("b", b), ("x", x)] {
        if vector.partition() != a.rows() || !vector.grid().is_same(a.grid()) {
            return Err(Error::argument(name, "its partition or grid is not that of A"));
        }
        if (a.memory(), vector.memory()) == (Memory::Host, Memory::Device) {
            return Err(Error::argument(name, "it lies on the ranks' devices, and A in host memory"));
        }
    }
    if options.restart == 0 {
        return Err(Error::argument("restart", "GMRES keeps at least one vector"));
    }
    let own = a.rows().range(a.grid().rank()).len();
    match options.preconditioner {
        Some(local) if (local.rows(), local.columns()) != (own, own) => {
            let rule = format!("it is {} x {} for {own} own rows", local.rows(), local.columns());
            Err(Error::argument("preconditioner", rule))
        }
        Some(local) if own > 0 && !local.context().is_same(a.interior().context()) => {
            let rule = match a.memory() {
                Memory::Host => "it lies on a device, and the vectors lie on the host",
                Memory::Device => "it does not lie on the rank's device, where A lies",
            };
            Err(Error::argument("preconditioner", rule))
        }
        _ => Ok(()),
    }
}

/// x^H y for each pair of parts of vectors, in one reduction: the same bits on all ranks, in every run.
pub(super) fn dots<T: Scalar>(comm: &Communicator, pairs: &[(&[T], &[T])]) -> Result<Vec<T>> {
    let pairs = pairs.iter().map(|(x, y)| Ok((view(x)?, view(y)?))).collect::<Result<Vec<_>>>()?;
    dots_of(comm, pairs)
}

/// The same of vectors in any memory.
pub(super) fn dots_of<'v, T: Scalar>(
    comm: &Communicator,
    pairs: impl IntoIterator<Item = (VectorRef<'v, T>, VectorRef<'v, T>)>,
) -> Result<Vec<T>> {
    let mut message = Vec::new();
    for (x, y) in pairs {
        let own = if x.length() == 0 { T::ZERO } else { affinimath::dotc(x, y)? };
        message.push(own.re());
        if T::KIND.is_complex() {
            message.push(own.im());
        }
    }
    let sums = comm.sum(&message)?;
    Ok(match T::KIND.is_complex() {
        true => sums.chunks_exact(2).map(|pair| T::from_parts(pair[0], pair[1])).collect(),
        false => sums.into_iter().map(|sum| T::from_parts(sum, 0.0)).collect(),
    })
}

/// Euclidean norm of a vector, of which each rank gives its part. It does not overflow where the norm does not.
pub(super) fn norm<T: Scalar>(comm: &Communicator, x: &[T]) -> Result<f64> {
    norm_of(comm, view(x)?)
}

/// The same of a vector in any memory.
pub(super) fn norm_of<T: Scalar>(comm: &Communicator, x: VectorRef<'_, T>) -> Result<f64> {
    let own: f64 = if x.length() == 0 { 0.0 } else { affinimath::nrm2(x)?.into() };
    let largest = comm.maximum(&[own])?[0];
    if largest == 0.0 || !largest.is_finite() {
        return Ok(largest);
    }
    Ok(largest * comm.sum(&[(own / largest).powi(2)])?[0].sqrt())
}

fn view<T: Scalar>(x: &[T]) -> Result<VectorRef<'_, T>> {
    Ok(VectorRef::from_slice(x, VectorShape::new(x.len(), 0, 1)?)?)
}

/// y := y + alpha x.
pub(super) fn axpy<T: Scalar>(alpha: T, x: &[T], y: &mut [T]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += alpha * *x);
}

/// y := x + beta y.
pub(super) fn xpby<T: Scalar>(x: &[T], beta: T, y: &mut [T]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y = *x + beta * *y);
}

/// A real number in the type of the vectors.
pub(super) fn real<T: Scalar>(value: f64) -> T {
    T::from_parts(value, 0.0)
}
