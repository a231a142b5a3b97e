//! LSQR's recurrence (Paige and Saunders, *LSQR: an algorithm for sparse linear equations and sparse least squares*,
//! 1982): the passes read 2 vectors of the rows' length and 5 of the columns', and write 1 and 3: 3 m + 8 n elements an
//! iteration.

use super::least_squares::{ALPHA, BETA, DAMPING, NORMAL, THEIRS, inverse, length, size};
use affinimath_core::sparse::formula::{Number, choice, less, root};
use affinimath_core::sparse::pass::{Operand::*, Pass, term};

// The names are those of the paper; rotations are [c s; -s c], so that rhobar is not negative, and phibar alternates.
const RHOBAR: Number = Number(THEIRS);
const PHIBAR: Number = Number(THEIRS + 1);
/// The same once the damping is rotated away.
const DAMPED: Number = Number(THEIRS + 2);
const PSI: Number = Number(THEIRS + 3);
const PSIS: Number = Number(THEIRS + 4);
const RHO: Number = Number(THEIRS + 5);
const COSINE: Number = Number(THEIRS + 6);
const SINE: Number = Number(THEIRS + 7);
const THETA: Number = Number(THEIRS + 8);
const PHI: Number = Number(THEIRS + 9);
/// Factors of w in the updates of x and of w.
const STEP: Number = Number(THEIRS + 10);
const SHARE: Number = Number(THEIRS + 11);

/// Initial scalars.
pub(super) const fn scalars(alpha: f64, beta: f64) -> [(Number, f64); 2] {
    [(RHOBAR, alpha), (PHIBAR, beta)]
}

/// x, w and alpha v: x := x + phi/rho w, and w := v - theta/rho w.
pub(super) fn advance(pass: Pass) -> Pass {
    let [x, w, v] = [0, 1, 2].map(Vector);
    pass.set(DAMPED, length(RHOBAR, DAMPING))
        .set(PSI, DAMPING * inverse(DAMPED) * PHIBAR)
        .set(PSIS, PSIS + PSI * PSI)
        .set(PHIBAR, choice(less(0, DAMPING), RHOBAR * inverse(DAMPED) * PHIBAR, PHIBAR))
        .set(RHO, length(DAMPED, BETA))
        .set(COSINE, DAMPED * inverse(RHO))
        .set(SINE, BETA * inverse(RHO))
        .set(THETA, SINE * ALPHA)
        .set(RHOBAR, COSINE * ALPHA)
        .set(PHI, COSINE * PHIBAR)
        .set(PHIBAR, -(SINE * PHIBAR))
        .set(STEP, PHI * inverse(RHO))
        .set(SHARE, THETA * inverse(RHO))
        .set(Number::RESIDUAL, length(PHIBAR, root(PSIS)))
        .set(NORMAL, RHOBAR * size(PHIBAR))
        .update(x, [term(1, x), term(STEP, w)])
        .update(w, [term(inverse(ALPHA), v), term(-SHARE, w)])
}
