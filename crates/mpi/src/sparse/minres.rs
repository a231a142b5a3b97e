//! MINRES (Paige and Saunders 1975).

use affinimath::Scalar;
use affinimath::sparse::{Outcome, Reason};

use super::csr::DistCsr;
use super::device;
use super::solve::{SolveOptions, System, axpy, dots, real};
use super::vector::DistVector;
use crate::error::Result;
use crate::memory::Memory;

/// Solves A x = b for a Hermitian A, from the x that is there: MINRES. A preconditioner must be positive definite.
///
/// The result has the same bits in every run on the same grid. If A lies on the ranks' devices, the solver runs there
/// as [`affinimath::minres`]. Vectors in host memory are copied to the devices then.
///
/// # Errors
/// Those of [`super::cg()`].
pub fn minres<T: Scalar>(
    a: &DistCsr<T>,
    b: &DistVector<T>,
    x: &mut DistVector<T>,
    options: &SolveOptions<'_, T>,
) -> Result<Outcome> {
    if a.memory() == Memory::Device {
        return device::solve("minres", affinimath::minres, a, b, x, options);
    }
    let system = System::new("minres", a, b, x, options)?;
    a.grid().together(|| iterate(&system, x.local_mut()))
}

/// The QR factorisation of the tridiagonal matrix, as far as the next columns need it.
struct Rotation {
    cosine: f64,
    sine: f64,
    d_bar: f64,
    epsilon: f64,
    phi_bar: f64,
}

fn iterate<T: Scalar>(system: &System<'_, T>, x: &mut [T]) -> Result<Outcome> {
    let length = x.len();
    let zeros = || vec![T::ZERO; length];
    let (mut r1, mut y, mut v) = (zeros(), zeros(), zeros());
    let (mut w, mut w_before) = (zeros(), zeros());
    let start = system.residual(x, &mut r1)?;
    if start <= system.target {
        return system.outcome(Reason::Converged, 0, x);
    }
    system.precondition(&r1, &mut y)?;
    let square = dots(system.comm(), &[(&r1, &y)])?[0].re();
    if square.is_nan() || square <= 0.0 {
        let reason = if square.is_finite() { Reason::NotPositiveDefinite } else { Reason::Breakdown };
        return system.outcome(reason, 0, x);
    }
    let mut r2 = r1.clone();
    let (mut beta, mut beta_before) = (square.sqrt(), 0.0);
    let mut rotation = Rotation { cosine: -1.0, sine: 0.0, d_bar: 0.0, epsilon: 0.0, phi_bar: beta };
    // Of a preconditioned system the recurrence has the residual in another norm: the true one is computed where that
    // has become as small in proportion.
    let mut threshold = beta * (system.target / start);
    let mut iterations = 0;
    let reason = loop {
        if rotation.phi_bar <= threshold {
            if !system.is_preconditioned() {
                break Reason::Converged;
            }
            let mut r = zeros();
            if system.residual(x, &mut r)? <= system.target {
                break Reason::Converged;
            }
            threshold /= 10.0;
        }
        if iterations >= system.max_iterations {
            break Reason::Limit;
        }
        if beta == 0.0 || rotation.phi_bar == 0.0 {
            break Reason::Stagnated;
        }
        // Lanczos.
        v.iter_mut().zip(&y).for_each(|(v, y)| *v = y.scaled(scale::<T>(1.0 / beta)));
        system.multiply(&v, &mut y)?;
        if iterations > 0 {
            axpy(real(-beta / beta_before), &r1, &mut y);
        }
        let alpha = dots(system.comm(), &[(&v, &y)])?[0].re();
        axpy(real(-alpha / beta), &r2, &mut y);
        std::mem::swap(&mut r1, &mut r2);
        r2.copy_from_slice(&y);
        system.precondition(&r2, &mut y)?;
        let square = dots(system.comm(), &[(&r2, &y)])?[0].re();
        if !alpha.is_finite() || !square.is_finite() {
            break Reason::Breakdown;
        }
        if square < 0.0 {
            break Reason::NotPositiveDefinite;
        }
        (beta_before, beta) = (beta, square.sqrt());
        // The rotation before, and the next one.
        let epsilon_before = rotation.epsilon;
        let delta = rotation.cosine * rotation.d_bar + rotation.sine * alpha;
        let gamma_bar = rotation.sine * rotation.d_bar - rotation.cosine * alpha;
        let gamma = gamma_bar.hypot(beta);
        if gamma == 0.0 {
            break Reason::Breakdown;
        }
        let (epsilon, d_bar) = (rotation.sine * beta, -rotation.cosine * beta);
        let (cosine, sine) = (gamma_bar / gamma, beta / gamma);
        let phi = cosine * rotation.phi_bar;
        rotation = Rotation { cosine, sine, d_bar, epsilon, phi_bar: sine * rotation.phi_bar };
        // w := (v - epsilon w(-2) - delta w(-1)) / gamma.
        for ((next, w), v) in w_before.iter_mut().zip(&w).zip(&v) {
            let sum = *v - next.scaled(scale::<T>(epsilon_before)) - w.scaled(scale::<T>(delta));
            *next = sum.scaled(scale::<T>(1.0 / gamma));
        }
        std::mem::swap(&mut w, &mut w_before);
        axpy(real(phi), &w, x);
        iterations += 1;
    };
    system.outcome(reason, iterations, x)
}

/// A real factor in the precision of the vectors.
fn scale<T: Scalar>(factor: f64) -> T::RealScalar {
    T::RealScalar::from_parts(factor, 0.0)
}
