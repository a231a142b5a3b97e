//! LSMR's recurrence (Fong and Saunders, *LSMR: an iterative algorithm for sparse least-squares problems*, 2011): the
//! passes read 2 vectors of the rows' length and 6 of the columns', and write 1 and 4: 3 m + 10 n elements an
//! iteration.

use super::least_squares::{ALPHA, BETA, DAMPING, NORMAL, THEIRS, inverse, length, size};
use affinimath_core::sparse::formula::{Number, root};
use affinimath_core::sparse::pass::{Operand::*, Pass, term};

const fn own(index: usize) -> Number {
    Number(THEIRS + index)
}

// The names are those of the paper and of its authors' program.
const ALPHABAR: Number = own(0);
const ZETABAR: Number = own(1);
const ZETA: Number = own(2);
const RHO: Number = own(3);
const RHOBAR: Number = own(4);
const CBAR: Number = own(5);
const SBAR: Number = own(6);
const ALPHAHAT: Number = own(7);
const OLD_RHO: Number = own(8);
const OLD_RHOBAR: Number = own(9);
const OLD_ZETA: Number = own(10);
const THETA: Number = own(11);
const THETABAR: Number = own(12);
const COSINE: Number = own(13);
const SINE: Number = own(14);
// Those of the residual's norm.
const BETADD: Number = own(15);
const BETAD: Number = own(16);
const RHOD: Number = own(17);
const TAUTILDE: Number = own(18);
const THETATILDE: Number = own(19);
const SQUARES: Number = own(20);
const RHOTILDE: Number = own(21);
const BETAHAT: Number = own(22);
const OLD_THETATILDE: Number = own(23);
const TAUD: Number = own(24);
const CTILDE: Number = own(25);
const STILDE: Number = own(26);

/// Initial scalars.
pub(super) const fn scalars(alpha: f64, beta: f64) -> [(Number, f64); 7] {
    [(ALPHABAR, alpha), (ZETABAR, alpha * beta), (RHO, 1.0), (RHOBAR, 1.0), (CBAR, 1.0), (BETADD, beta), (RHOD, 1.0)]
}

/// x, hbar, h and alpha v: hbar := h - f hbar, x := x + g hbar, and h := v - theta/rho h.
pub(super) fn advance(pass: Pass) -> Pass {
    let [x, hbar, h, v] = [0, 1, 2, 3].map(Vector);
    let pass = residual(rotations(pass));
    let share = THETABAR * RHO * inverse(OLD_RHO * OLD_RHOBAR);
    pass.set(NORMAL, size(ZETABAR))
        .update(hbar, [term(1, h), term(-share, hbar)])
        .update(x, [term(1, x), term(ZETA * inverse(RHO * RHOBAR), hbar)])
        .update(h, [term(inverse(ALPHA), v), term(-(THETA * inverse(RHO)), h)])
}

/// The bidiagonal matrix with its damping becomes upper bidiagonal, and the transpose of that again.
fn rotations(pass: Pass) -> Pass {
    pass.set(ALPHAHAT, length(ALPHABAR, DAMPING))
        .set(OLD_RHO, RHO)
        .set(RHO, length(ALPHAHAT, BETA))
        .set(COSINE, ALPHAHAT * inverse(RHO))
        .set(SINE, BETA * inverse(RHO))
        .set(BETAHAT, ALPHABAR * inverse(ALPHAHAT) * BETADD)
        .set(SQUARES, SQUARES + (DAMPING * inverse(ALPHAHAT) * BETADD) * (DAMPING * inverse(ALPHAHAT) * BETADD))
        .set(THETA, SINE * ALPHA)
        .set(ALPHABAR, COSINE * ALPHA)
        .set(OLD_RHOBAR, RHOBAR)
        .set(OLD_ZETA, ZETA)
        .set(THETABAR, SBAR * RHO)
        .set(RHOBAR, length(CBAR * RHO, THETA))
        .set(CBAR, CBAR * RHO * inverse(RHOBAR))
        .set(SBAR, THETA * inverse(RHOBAR))
        .set(ZETA, CBAR * ZETABAR)
        .set(ZETABAR, -(SBAR * ZETABAR))
}

/// The norm of the residual (section 5.1 there).
fn residual(pass: Pass) -> Pass {
    pass.set(BETADD, -(SINE * BETAHAT))
        .set(BETAHAT, COSINE * BETAHAT)
        .set(OLD_THETATILDE, THETATILDE)
        .set(RHOTILDE, length(RHOD, THETABAR))
        .set(CTILDE, RHOD * inverse(RHOTILDE))
        .set(STILDE, THETABAR * inverse(RHOTILDE))
        .set(THETATILDE, STILDE * RHOBAR)
        .set(RHOD, CTILDE * RHOBAR)
        .set(BETAD, CTILDE * BETAHAT - STILDE * BETAD)
        .set(TAUTILDE, (OLD_ZETA - OLD_THETATILDE * TAUTILDE) * inverse(RHOTILDE))
        .set(TAUD, (ZETA - THETATILDE * TAUTILDE) * inverse(RHOD))
        .set(Number::RESIDUAL, root(SQUARES + (BETAD - TAUD) * (BETAD - TAUD) + BETADD * BETADD))
}
