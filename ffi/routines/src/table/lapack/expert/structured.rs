//! Band and tridiagonal matrices: condition numbers, refinement and expert drivers.

use super::{
    BERR, CZ, D, ERRORS, ESTIMATE, FACT, FERR, ILL_CONDITIONED, LDX, ON_HOST, OWN_PIVOTS, PIVOTS, READ_B, REFINED_X, U,
    UNSOLVED, UNSOLVED_DEFINITE, X,
};
use crate::table::Access::{Read, Write};
use crate::table::lapack::norms::{ANORM, RCOND, UNNEEDED_TOO};
use crate::table::lapack::{B, DIAG, LAYOUT, LDB, NRHS, ORDER, PIVOTS_IN, TRANS, UNNEEDED, UPLO};
use crate::table::standard::lapack;
use crate::table::{Argument, Forms, Kind, Number, Routine, SDCZ, TypeVariant, argument};

/// The real types.
const SD: &[TypeVariant] = &[SDCZ[0], SDCZ[1]];
const CONSISTENT: Argument = argument("norm", Kind::ConsistentNorm, "which norm");
const KL: Argument = argument("kl", Kind::Size, "diagonals below the main one");
const KU: Argument = argument("ku", Kind::Size, "diagonals above the main one");
const KD: Argument = argument("kd", Kind::Size, "diagonals beside the main one");
const BAND_FACTORS: Argument = argument("ab", Kind::Matrix(Read), "the diagonals of gbtrf's factors");
const BAND: Argument = argument("ab", Kind::Matrix(Read), "A's diagonals");
const LDAB: Argument = argument("ldab", Kind::LeadingDimension, "leading dimension of ab");
const DL: Argument = argument("dl", Kind::Vector(Read, Number::Element), "n - 1 elements below A's diagonal");
const DU: Argument = argument("du", Kind::Vector(Read, Number::Element), "n - 1 elements above it");
const MULTIPLIERS: Argument = argument("dl", Kind::Vector(Read, Number::Element), "n - 1 multipliers of gttrf");
const U1: Argument = argument("du", Kind::Vector(Read, Number::Element), "n - 1 elements of U's first diagonal above");
const U2: Argument =
    argument("du2", Kind::Vector(Read, Number::Element), "n - 2 elements of U's second diagonal above");
const DLF_IN: Argument = argument("dlf", Kind::Vector(Read, Number::Element), "n - 1 multipliers of gttrf");
const DF_IN: Argument = argument("df", Kind::Vector(Read, Number::Element), "n elements on U's diagonal");
const DUF_IN: Argument =
    argument("duf", Kind::Vector(Read, Number::Element), "n - 1 elements of U's first diagonal above");
const DLF: Argument = argument("dlf", Kind::Vector(Write, Number::Element), "n - 1 multipliers, read or written");
const DF: Argument =
    argument("df", Kind::Vector(Write, Number::Element), "n elements on U's diagonal, read or written");
const DUF: Argument =
    argument("duf", Kind::Vector(Write, Number::Element), "n - 1 elements above them, read or written");
const DU2: Argument =
    argument("du2", Kind::Vector(Write, Number::Element), "n - 2 elements above those, read or written");
const REAL_D: Argument = argument("d", Kind::Vector(Read, Number::Real), "n elements on A's diagonal");
const E: Argument = argument("e", Kind::Vector(Read, Number::Element), "n - 1 elements below it, or by uplo above it");
const FACTOR_D: Argument = argument("d", Kind::Vector(Read, Number::Real), "n elements of pttrf's D");
const FACTOR_E: Argument = argument("e", Kind::Vector(Read, Number::Element), "n - 1 elements of pttrf's factor");
const REAL_DF_IN: Argument = argument("df", Kind::Vector(Read, Number::Real), "n elements of pttrf's D");
const EF_IN: Argument = argument("ef", Kind::Vector(Read, Number::Element), "n - 1 elements of pttrf's factor");
const REAL_DF: Argument = argument("df", Kind::Vector(Write, Number::Real), "n elements of D, read or written");
const EF: Argument =
    argument("ef", Kind::Vector(Write, Number::Element), "n - 1 elements of the factor, read or written");
const RWORK: Argument = argument("rwork", Kind::UnneededWorkspace, "real workspace, of complex types only");
const TRIANGLE_BAND: &str = "ab has kd + 1 rows and n columns: element (i, j) of A is in column j, from 0, in row \
    kd + i - j of an upper triangle and i - j of a lower one.";
const ZERO: &str = "Returns i where element i of the diagonal is zero: nothing is changed.";

pub(in crate::table::lapack) const GBCON: Routine = Routine {
    name: "gbcon",
    module: "gbcon",
    types: SDCZ,
    summary: "An estimate of the reciprocal condition number 1 / (||A|| * ||A^-1||) of a band matrix, from gbtrf's \
        factors.",
    notes: &[ESTIMATE, ON_HOST],
    source: "LAPACK xGBCON",
    arguments: &[
        LAYOUT,
        CONSISTENT,
        ORDER,
        KL,
        KU,
        BAND_FACTORS,
        LDAB,
        PIVOTS_IN,
        ANORM,
        RCOND,
        UNNEEDED,
        UNNEEDED_TOO,
    ],
    forms: Forms::HOST,
    standard: &[lapack("gbcon")],
};

pub(in crate::table::lapack) const GTCON: Routine = Routine {
    name: "gtcon",
    module: "gtcon",
    types: SDCZ,
    summary: "An estimate of the reciprocal condition number 1 / (||A|| * ||A^-1||) of a tridiagonal matrix, from \
        gttrf's factors.",
    notes: &[ESTIMATE, ON_HOST],
    source: "LAPACK xGTCON",
    arguments: &[CONSISTENT, ORDER, MULTIPLIERS, U, U1, U2, OWN_PIVOTS, ANORM, RCOND, UNNEEDED, UNNEEDED_TOO],
    forms: Forms::HOST,
    standard: &[lapack("gtcon").real(), lapack("gtcon").complex().without(&["iwork"])],
};

pub(in crate::table::lapack) const PTCON: Routine = Routine {
    name: "ptcon",
    module: "ptcon",
    types: SDCZ,
    summary: "The reciprocal condition number 1 / (||A|| * ||A^-1||) of a positive definite tridiagonal matrix in the \
        1-norm, from pttrf's factors.",
    notes: &[ESTIMATE, ON_HOST],
    source: "LAPACK xPTCON",
    arguments: &[ORDER, FACTOR_D, FACTOR_E, ANORM, RCOND, UNNEEDED],
    forms: Forms::HOST,
    standard: &[lapack("ptcon")],
};

pub(in crate::table::lapack) const GTRFS: Routine = Routine {
    name: "gtrfs",
    module: "gtrfs",
    types: SDCZ,
    summary: "Refinement of solutions of op(A) * X = B by gttrs, with error bounds.",
    notes: &[ERRORS, ON_HOST],
    source: "LAPACK xGTRFS",
    arguments: &[
        LAYOUT,
        TRANS,
        ORDER,
        NRHS,
        DL,
        D,
        DU,
        DLF_IN,
        DF_IN,
        DUF_IN,
        U2,
        OWN_PIVOTS,
        READ_B,
        LDB,
        REFINED_X,
        LDX,
        FERR,
        BERR,
        UNNEEDED,
        UNNEEDED_TOO,
    ],
    forms: Forms::HOST,
    standard: &[lapack("gtrfs")],
};

pub(in crate::table::lapack) const GTSVX: Routine = Routine {
    name: "gtsvx",
    module: "gtsvx",
    types: SDCZ,
    summary: "Solution of op(A) * X = B for a tridiagonal A by LU with refinement and error bounds.",
    notes: &[ERRORS, UNSOLVED, ILL_CONDITIONED, ON_HOST],
    source: "LAPACK xGTSVX",
    arguments: &[
        LAYOUT,
        FACT,
        TRANS,
        ORDER,
        NRHS,
        DL,
        D,
        DU,
        DLF,
        DF,
        DUF,
        DU2,
        PIVOTS,
        READ_B,
        LDB,
        X,
        LDX,
        RCOND,
        FERR,
        BERR,
        UNNEEDED,
        UNNEEDED_TOO,
    ],
    forms: Forms::HOST,
    standard: &[lapack("gtsvx")],
};

pub(in crate::table::lapack) const PTRFS: Routine = Routine {
    name: "ptrfs",
    module: "ptrfs",
    types: SD,
    summary: "Refinement of solutions of A * X = B by pttrs, with error bounds.",
    notes: &[ERRORS, ON_HOST],
    source: "LAPACK xPTRFS",
    arguments: &[LAYOUT, ORDER, NRHS, REAL_D, E, REAL_DF_IN, EF_IN, READ_B, LDB, REFINED_X, LDX, FERR, BERR, UNNEEDED],
    forms: Forms::HOST,
    standard: &[lapack("ptrfs").real()],
};

pub(in crate::table::lapack) const PTRFS_COMPLEX: Routine = Routine {
    name: "ptrfs",
    module: "ptrfs_complex",
    types: CZ,
    summary: "Refinement of solutions of A * X = B by pttrs, with error bounds.",
    notes: &[ERRORS, ON_HOST],
    source: "LAPACK xPTRFS",
    arguments: &[
        LAYOUT, UPLO, ORDER, NRHS, REAL_D, E, REAL_DF_IN, EF_IN, READ_B, LDB, REFINED_X, LDX, FERR, BERR, UNNEEDED,
        RWORK,
    ],
    forms: Forms::HOST,
    standard: &[lapack("ptrfs").complex()],
};

pub(in crate::table::lapack) const PTSVX: Routine = Routine {
    name: "ptsvx",
    module: "ptsvx",
    types: SDCZ,
    summary: "Solution of A * X = B for a positive definite tridiagonal A with refinement and error bounds.",
    notes: &[ERRORS, UNSOLVED_DEFINITE, ILL_CONDITIONED, ON_HOST],
    source: "LAPACK xPTSVX",
    arguments: &[
        LAYOUT, FACT, ORDER, NRHS, REAL_D, E, REAL_DF, EF, READ_B, LDB, X, LDX, RCOND, FERR, BERR, UNNEEDED, RWORK,
    ],
    forms: Forms::HOST,
    standard: &[lapack("ptsvx").real().without(&["rwork"]), lapack("ptsvx").complex()],
};

pub(in crate::table::lapack) const TBTRS: Routine = Routine {
    name: "tbtrs",
    module: "tbtrs",
    types: SDCZ,
    summary: "Solution of op(A) * X = B for a triangular band matrix, in B's place.",
    notes: &[TRIANGLE_BAND, ZERO, ON_HOST],
    source: "LAPACK xTBTRS",
    arguments: &[LAYOUT, UPLO, TRANS, DIAG, ORDER, KD, NRHS, BAND, LDAB, B, LDB],
    forms: Forms::HOST,
    standard: &[lapack("tbtrs")],
};
