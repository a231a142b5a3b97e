//! Conjugate gradients with one reduction for each iteration (Chronopoulos and Gear 1989).

use affinimath::Scalar;
use affinimath::sparse::{Outcome, Reason};

use super::csr::DistCsr;
use super::device;
use super::solve::{SolveOptions, System, axpy, dots, real, xpby};
use super::vector::DistVector;
use crate::error::Result;
use crate::memory::Memory;

/// Solves A x = b for a Hermitian positive definite A, from the x that is there: conjugate gradients.
///
/// The result has the same bits in every run on the same grid. If A lies on the ranks' devices, the solver runs there
/// as [`affinimath::cg`]. Vectors in host memory are copied to the devices then.
///
/// # Errors
/// [`crate::Error::Argument`] if partitions differ, [`crate::Error::Mismatch`] if ranks disagree; else the error of the
/// rank that failed. Not to converge is no error: the outcome says it.
pub fn cg<T: Scalar>(
    a: &DistCsr<T>,
    b: &DistVector<T>,
    x: &mut DistVector<T>,
    options: &SolveOptions<'_, T>,
) -> Result<Outcome> {
    if a.memory() == Memory::Device {
        return device::solve("cg", affinimath::cg, a, b, x, options);
    }
    let system = System::new("cg", a, b, x, options)?;
    a.grid().together(|| iterate(&system, x.local_mut()))
}

fn iterate<T: Scalar>(system: &System<'_, T>, x: &mut [T]) -> Result<Outcome> {
    let zeros = || vec![T::ZERO; x.len()];
    let (mut r, mut u, mut w, mut p, mut s) = (zeros(), zeros(), zeros(), zeros(), zeros());
    let start = system.residual(x, &mut r)?;
    if start <= system.target {
        return system.outcome(Reason::Converged, 0, x);
    }
    let (mut gamma_before, mut alpha_before) = (0.0, 0.0);
    let mut iterations = 0;
    let reason = loop {
        system.precondition(&r, &mut u)?;
        system.multiply(&u, &mut w)?;
        let sums = dots(system.comm(), &[(&u, &r), (&u, &w), (&r, &r)])?;
        let (gamma, delta, square) = (sums[0].re(), sums[1].re(), sums[2].re());
        if square.sqrt() <= system.target {
            break Reason::Converged;
        }
        if iterations >= system.max_iterations {
            break Reason::Limit;
        }
        if !gamma.is_finite() || !delta.is_finite() || !square.is_finite() {
            break Reason::Breakdown;
        }
        let beta = if iterations == 0 { 0.0 } else { gamma / gamma_before };
        let curvature = if iterations == 0 { delta } else { delta - beta * gamma / alpha_before };
        if gamma <= 0.0 || curvature <= 0.0 {
            break Reason::NotPositiveDefinite;
        }
        let alpha = gamma / curvature;
        xpby(&u, real(beta), &mut p);
        xpby(&w, real(beta), &mut s);
        axpy(real(alpha), &p, x);
        axpy(real(-alpha), &s, &mut r);
        (gamma_before, alpha_before) = (gamma, alpha);
        iterations += 1;
    };
    system.outcome(reason, iterations, x)
}
