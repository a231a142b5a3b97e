//! Tridiagonal systems.

use super::{B, INDEFINITE, INFO, LAYOUT, LDB, NRHS, ORDER, SINGULAR, TRANS, UNSOLVED, UPLO};
use crate::table::Access::{Read, Write};
use crate::table::standard::lapack;
use crate::table::{Argument, Forms, Kind, Number, Routine, SDCZ, TypeVariant, argument};

/// The real types, and the complex ones.
const SD: &[TypeVariant] = &[SDCZ[0], SDCZ[1]];
const CZ: &[TypeVariant] = &[SDCZ[2], SDCZ[3]];

const DL: Argument =
    argument("dl", Kind::Vector(Write, Number::Element), "n - 1 elements below the diagonal, and then the multipliers");
const D: Argument = argument("d", Kind::Vector(Write, Number::Element), "n elements on the diagonal, and then U's");
const DU: Argument =
    argument("du", Kind::Vector(Write, Number::Element), "n - 1 elements above the diagonal, and then U's");
const DU2: Argument =
    argument("du2", Kind::Vector(Write, Number::Element), "gets the n - 2 elements of U's second diagonal above");
const PIVOTS_OUT: Argument = argument(
    "ipiv",
    Kind::Vector(Write, Number::I32),
    "n pivots: row i was interchanged with row ipiv[i], i or i + 1, all counted from 1",
);
const PIVOTS_IN: Argument = argument("ipiv", Kind::Vector(Read, Number::I32), "gttrf's pivots");
const REAL_D: Argument = argument("d", Kind::Vector(Write, Number::Real), "n elements on the diagonal, and then D");
const E: Argument =
    argument("e", Kind::Vector(Write, Number::Element), "n - 1 elements below the diagonal, and then L's");
const FACTOR_D: Argument = argument("d", Kind::Vector(Read, Number::Real), "n elements of pttrf's D");
const FACTOR_E: Argument = argument("e", Kind::Vector(Read, Number::Element), "n - 1 elements of pttrf's factor");
/// Of gtsv.
const LARGE_ON_GPU: &str = "It is computed on the host; the form on memory objects copies them there and back. A GPU \
                        solves a system from 8192 rows on itself, where the residual shows that X is right; then dl, \
                        d and du stay as they were.";
const ON_HOST: &str = "It is computed on the host; the form on memory objects copies them there and back.";

pub(super) const GTTRF: Routine = Routine {
    name: "gttrf",
    module: "gttrf",
    types: SDCZ,
    summary: "LU factorisation of a tridiagonal matrix with partial pivoting, in place: P * A = L * U.",
    notes: &[SINGULAR, ON_HOST],
    source: "LAPACK xGTTRF",
    arguments: &[ORDER, DL, D, DU, DU2, PIVOTS_OUT, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("gttrf")],
};

pub(super) const GTTRS: Routine = Routine {
    name: "gttrs",
    module: "gttrs",
    types: SDCZ,
    summary: "Solution of op(A) * X = B with gttrf's factors, in B's place.",
    notes: &[ON_HOST],
    source: "LAPACK xGTTRS",
    arguments: &[
        LAYOUT,
        TRANS,
        ORDER,
        NRHS,
        argument("dl", Kind::Vector(Read, Number::Element), "n - 1 multipliers"),
        argument("d", Kind::Vector(Read, Number::Element), "n elements on U's diagonal"),
        argument("du", Kind::Vector(Read, Number::Element), "n - 1 elements of U's first diagonal above"),
        argument("du2", Kind::Vector(Read, Number::Element), "n - 2 elements of U's second diagonal above"),
        PIVOTS_IN,
        B,
        LDB,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("gttrs")],
};

pub(super) const GTSV: Routine = Routine {
    name: "gtsv",
    module: "gtsv",
    types: SDCZ,
    summary: "Solution of A * X = B for a tridiagonal A by LU factorisation with partial pivoting.",
    notes: &[UNSOLVED, LARGE_ON_GPU],
    source: "LAPACK xGTSV",
    arguments: &[
        LAYOUT,
        ORDER,
        NRHS,
        argument(
            "dl",
            Kind::Vector(Write, Number::Element),
            "n - 1 elements below the diagonal, and then n - 2 of U's second diagonal above",
        ),
        D,
        DU,
        B,
        LDB,
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("gtsv")],
};

pub(super) const PTTRF: Routine = Routine {
    name: "pttrf",
    module: "pttrf",
    types: SDCZ,
    summary: "Factorisation L * D * L^H of a positive definite tridiagonal matrix, in place.",
    notes: &["With e above the diagonal, it is U^H * D * U with the same elements.", INDEFINITE, ON_HOST],
    source: "LAPACK xPTTRF",
    arguments: &[ORDER, REAL_D, E, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("pttrf")],
};

pub(super) const PTTRS: Routine = Routine {
    name: "pttrs",
    module: "pttrs",
    types: SD,
    summary: "Solution of A * X = B with pttrf's factors, in B's place.",
    notes: &[ON_HOST],
    source: "LAPACK xPTTRS",
    arguments: &[LAYOUT, ORDER, NRHS, FACTOR_D, FACTOR_E, B, LDB],
    forms: Forms::WAITING,
    standard: &[lapack("pttrs").real()],
};

pub(super) const PTTRS_COMPLEX: Routine = Routine {
    name: "pttrs",
    module: "pttrs_complex",
    types: CZ,
    summary: "Solution of A * X = B with pttrf's factors, in B's place: L * D * L^H, or U^H * D * U.",
    notes: &["uplo says if e was below or above the diagonal.", ON_HOST],
    source: "LAPACK xPTTRS",
    arguments: &[LAYOUT, UPLO, ORDER, NRHS, FACTOR_D, FACTOR_E, B, LDB],
    forms: Forms::WAITING,
    standard: &[lapack("pttrs").complex()],
};

pub(super) const PTSV: Routine = Routine {
    name: "ptsv",
    module: "ptsv",
    types: SDCZ,
    summary: "Solution of A * X = B for a positive definite tridiagonal A: pttrf and pttrs.",
    notes: &[INDEFINITE, "Then B is as it was.", ON_HOST],
    source: "LAPACK xPTSV",
    arguments: &[LAYOUT, ORDER, NRHS, REAL_D, E, B, LDB, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("ptsv")],
};
