//! BiCGStab (van der Vorst 1992), preconditioned from the right, with two reductions for each iteration.

use affinimath::Scalar;
use affinimath::sparse::{Outcome, Reason};

use super::csr::DistCsr;
use super::device;
use super::solve::{SolveOptions, System, axpy, dots};
use super::vector::DistVector;
use crate::error::Result;
use crate::memory::Memory;

/// Solves A x = b for any square A, from the x that is there: BiCGStab.
///
/// The result has the same bits in every run on the same grid. If A lies on the ranks' devices, the solver runs there
/// as [`affinimath::bicgstab`]. Vectors in host memory are copied to the devices then.
///
/// # Errors
/// Those of [`super::cg()`].
pub fn bicgstab<T: Scalar>(
    a: &DistCsr<T>,
    b: &DistVector<T>,
    x: &mut DistVector<T>,
    options: &SolveOptions<'_, T>,
) -> Result<Outcome> {
    if a.memory() == Memory::Device {
        return device::solve("bicgstab", affinimath::bicgstab, a, b, x, options);
    }
    let system = System::new("bicgstab", a, b, x, options)?;
    a.grid().together(|| iterate(&system, x.local_mut()))
}

fn iterate<T: Scalar>(system: &System<'_, T>, x: &mut [T]) -> Result<Outcome> {
    let zeros = || vec![T::ZERO; x.len()];
    let (mut r, mut v, mut t, mut p_hat, mut s_hat) = (zeros(), zeros(), zeros(), zeros(), zeros());
    let start = system.residual(x, &mut r)?;
    if start <= system.target {
        return system.outcome(Reason::Converged, 0, x);
    }
    let (shadow, mut p) = (r.clone(), r.clone());
    let mut rho = dots(system.comm(), &[(&shadow, &r)])?[0];
    let mut iterations = 0;
    let reason = loop {
        system.precondition(&p, &mut p_hat)?;
        system.multiply(&p_hat, &mut v)?;
        // The residual of the step before comes with this step's first sum.
        let sums = dots(system.comm(), &[(&shadow, &v), (&r, &r)])?;
        let (sigma, square) = (sums[0], sums[1].re());
        if square.sqrt() <= system.target {
            break Reason::Converged;
        }
        if iterations >= system.max_iterations {
            break Reason::Limit;
        }
        if sigma == T::ZERO || !sigma.finite() || !square.is_finite() || rho == T::ZERO {
            break Reason::Breakdown;
        }
        let alpha = rho / sigma;
        axpy(-alpha, &v, &mut r); // s
        system.precondition(&r, &mut s_hat)?;
        system.multiply(&s_hat, &mut t)?;
        let sums = dots(system.comm(), &[(&t, &r), (&t, &t), (&shadow, &r), (&shadow, &t)])?;
        let (cross, square, of_s, of_t) = (sums[0], sums[1].re(), sums[2], sums[3]);
        axpy(alpha, &p_hat, x);
        iterations += 1;
        if square == 0.0 {
            // s = 0 solves the system; else A is singular on it.
            let found = dots(system.comm(), &[(&r, &r)])?[0].re().sqrt();
            break if found <= system.target { Reason::Converged } else { Reason::Breakdown };
        }
        let omega = cross / T::from_parts(square, 0.0);
        if !omega.finite() {
            break Reason::Breakdown;
        }
        axpy(omega, &s_hat, x);
        axpy(-omega, &t, &mut r);
        let rho_next = of_s - omega * of_t;
        if omega == T::ZERO {
            break Reason::Breakdown;
        }
        let beta = rho_next / rho * (alpha / omega);
        rho = rho_next;
        // p := r + beta (p - omega v).
        for ((p, v), r) in p.iter_mut().zip(&v).zip(&r) {
            *p = *r + beta * (*p - omega * *v);
        }
    };
    system.outcome(reason, iterations, x)
}
