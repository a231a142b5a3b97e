//! Expert drivers and what they consist of, and condition numbers of indefinite matrices.

mod rook;
mod structured;

pub(super) use rook::{
    HECON_ROOK, HESV_ROOK, HETRF_ROOK, HETRI_ROOK, HETRS_ROOK, SYCON_ROOK, SYSV_ROOK, SYTRF_ROOK, SYTRI_ROOK,
    SYTRS_ROOK,
};
pub(super) use structured::{GBCON, GTCON, GTRFS, GTSVX, PTCON, PTRFS, PTRFS_COMPLEX, PTSVX, TBTRS};

use super::norms::{ANORM, RCOND, UNNEEDED_TOO};
use super::{A, FACTORS, LAYOUT, LDA, LDB, LWORK, M, N, NRHS, ORDER, PIVOTS_IN, TRANS, UNNEEDED, UPLO, WORK};
use crate::table::Access::{Read, Write};
use crate::table::standard::{Standard, lapack};
use crate::table::{Argument, Choice, Forms, Kind, Number, Routine, SDCZ, TypeVariant, argument};

/// The complex types.
const CZ: &[TypeVariant] = &[SDCZ[2], SDCZ[3]];
const READ_A: Argument = argument("a", Kind::Matrix(Read), "A");
const SCALED_A: Argument = argument("a", Kind::Matrix(Write), "A, and then A as scaled");
const AF_IN: Argument = argument("af", Kind::Matrix(Read), "the factors of A");
const AF: Argument = argument("af", Kind::Matrix(Write), "the factors of A, which are read or written");
const LDAF: Argument = argument("ldaf", Kind::LeadingDimension, "leading dimension of the factors");
const PIVOTS: Argument =
    argument("ipiv", Kind::Vector(Write, Number::I32), "n pivots of the factors, which are read or written");
const OWN_PIVOTS: Argument = argument("ipiv", Kind::Vector(Read, Number::I32), "the factorisation's pivots");
const READ_B: Argument = argument("b", Kind::Matrix(Read), "B");
const SCALED_B: Argument = argument("b", Kind::Matrix(Write), "B, and then B as scaled");
const X: Argument = argument("x", Kind::Matrix(Write), "gets X");
const REFINED_X: Argument = argument("x", Kind::Matrix(Write), "X, which is refined");
const LDX: Argument = argument("ldx", Kind::LeadingDimension, "leading dimension of X");
const FERR: Argument = argument(
    "ferr",
    Kind::Vector(Write, Number::Real),
    "gets nrhs bounds of the relative errors of X's columns, in the maximum norm",
);
const BERR: Argument =
    argument("berr", Kind::Vector(Write, Number::Real), "gets nrhs componentwise relative backward errors");
const FACT: Argument = argument("fact", Kind::Choice(Choice::Fact), "whether the factors are given");
const R: Argument = argument("r", Kind::Vector(Write, Number::Real), "factors of the rows");
const C: Argument = argument("c", Kind::Vector(Write, Number::Real), "factors of the columns");
const S: Argument = argument("s", Kind::Vector(Write, Number::Real), "factors of rows and columns");
const ROWCND: Argument =
    argument("rowcnd", Kind::RealResult, "gets the ratio of the smallest row's size to the largest one's");
const COLCND: Argument = argument("colcnd", Kind::RealResult, "gets the same of the columns, after scaling rows");
const SCOND: Argument = argument("scond", Kind::RealResult, "gets the ratio of the smallest to the largest factor");
const AMAX: Argument = argument("amax", Kind::RealResult, "gets the size of the largest element");
const EQUED: Argument = argument(
    "equed",
    Kind::Letter,
    "how A is scaled, read where factors are given, else written: 'N' not, 'R' its rows, 'C' its columns, 'B' both",
);
const EQUED_DEFINITE: Argument = argument(
    "equed",
    Kind::Letter,
    "how A is scaled, read where factors are given, else written: 'N' not, 'Y' its rows and columns",
);
/// The reciprocal pivot growth.
const RPIVOT: Argument = argument("rpivot", Kind::StandardVector(Number::Real), "gets the reciprocal pivot growth");
const REAL_WORK: Argument = argument("rwork", Kind::RealWorkspace, "more of it");
const SCALED: &str = "The size of a complex number is |re| + |im|.";
const ZERO_LINE: &str = "Returns i where row i is zero, m + j where column j is.";
const NOT_POSITIVE: &str = "Returns i where diagonal element i is not positive.";
const BY_POWERS: &str = "The factors are powers of two, by which scaling does not round.";
const ERRORS: &str = "X is refined until its componentwise backward error is at most the unit roundoff, does not \
    shrink to a half any more, or after five corrections. The backward error is the smallest relative change of \
    elements of A and B of which X is the exact solution.";
const ILL_CONDITIONED: &str = "Returns n + 1 where A is singular to working precision: X, ferr and berr are set.";
const UNSOLVED: &str = "Returns i up to n where pivot i is exactly zero: the factors are set, rcond is 0, and there is \
    no solution.";
const UNSOLVED_DEFINITE: &str = "Returns i up to n where the leading minor of order i is not positive: rcond is 0, and \
    there is no solution.";
const SCALING: &str = "Where fact is AFFINIMATH_FACT_EQUILIBRATED, A and B are scaled as far as that pays. X is the \
    solution of the original system. A null r or c is legal where it is not needed.";
const ON_HOST: &str = "It is computed on the host.";
const ESTIMATE: &str = "It is 0 where a block or an element of the factors' diagonal is zero, and 1 where n = 0.";
const D: Argument = argument("d", Kind::Vector(Read, Number::Element), "n elements on it");
const U: Argument = argument("d", Kind::Vector(Read, Number::Element), "n elements on U's diagonal");
const ITYPE: Argument =
    argument("itype", Kind::Scalar(Number::I64), "1 of A x = lambda B x, 2 of A B x = lambda x, 3 of B A x = lambda x");
const FACTOR_B: Argument = argument("b", Kind::Matrix(Read), "potrf's factor of B");
/// The real types have workspace of integers, the complex ones have not.
const CONDITION: [Standard; 2] = [lapack("sycon").real(), lapack("sycon").complex().without(&["iwork"])];

pub(super) const GEEQU: Routine = Routine {
    name: "geequ",
    module: "geequ",
    types: SDCZ,
    summary: "Factors r and c with which the largest elements of the rows and columns of diag(r) * A * diag(c) are 1.",
    notes: &[SCALED, ZERO_LINE, ON_HOST],
    source: "LAPACK xGEEQU",
    arguments: &[LAYOUT, M, N, READ_A, LDA, R, C, ROWCND, COLCND, AMAX],
    forms: Forms::HOST,
    standard: &[lapack("geequ")],
};

pub(super) const GEEQUB: Routine = Routine {
    name: "geequb",
    module: "geequb",
    types: SDCZ,
    summary: "Powers of two r and c with which the largest elements of the rows and columns of diag(r) * A * diag(c) \
        are about 1.",
    notes: &[BY_POWERS, SCALED, ZERO_LINE, ON_HOST],
    source: "LAPACK xGEEQUB",
    arguments: &[LAYOUT, M, N, READ_A, LDA, R, C, ROWCND, COLCND, AMAX],
    forms: Forms::HOST,
    standard: &[lapack("geequb")],
};

pub(super) const POEQU: Routine = Routine {
    name: "poequ",
    module: "poequ",
    types: SDCZ,
    summary: "Factors s with which the diagonal of diag(s) * A * diag(s) of a positive definite A is 1.",
    notes: &[NOT_POSITIVE, ON_HOST],
    source: "LAPACK xPOEQU",
    arguments: &[LAYOUT, ORDER, READ_A, LDA, S, SCOND, AMAX],
    forms: Forms::HOST,
    standard: &[lapack("poequ")],
};

pub(super) const POEQUB: Routine = Routine {
    name: "poequb",
    module: "poequb",
    types: SDCZ,
    summary: "Powers of two s with which the diagonal of diag(s) * A * diag(s) of a positive definite A is about 1.",
    notes: &[BY_POWERS, NOT_POSITIVE, ON_HOST],
    source: "LAPACK xPOEQUB",
    arguments: &[LAYOUT, ORDER, READ_A, LDA, S, SCOND, AMAX],
    forms: Forms::HOST,
    standard: &[lapack("poequb")],
};

pub(super) const SYEQUB: Routine = Routine {
    name: "syequb",
    module: "syequb",
    types: SDCZ,
    summary: "Powers of two s with which the rows of diag(s) * A * diag(s) of a symmetric or Hermitian A have about \
        the same 1-norm.",
    notes: &[BY_POWERS, SCALED, ON_HOST],
    source: "LAPACK xSYEQUB, xHEEQUB",
    arguments: &[LAYOUT, UPLO, ORDER, READ_A, LDA, S, SCOND, AMAX, UNNEEDED],
    forms: Forms::HOST,
    standard: &[lapack("syequb"), lapack("heequb").complex()],
};

pub(super) const GERFS: Routine = Routine {
    name: "gerfs",
    module: "gerfs",
    types: SDCZ,
    summary: "Refinement of solutions of op(A) * X = B by getrs, with error bounds.",
    notes: &[ERRORS, ON_HOST],
    source: "LAPACK xGERFS",
    arguments: &[
        LAYOUT,
        TRANS,
        ORDER,
        NRHS,
        READ_A,
        LDA,
        AF_IN,
        LDAF,
        PIVOTS_IN,
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
    standard: &[lapack("gerfs")],
};

pub(super) const PORFS: Routine = Routine {
    name: "porfs",
    module: "porfs",
    types: SDCZ,
    summary: "Refinement of solutions of A * X = B by potrs, with error bounds.",
    notes: &[ERRORS, ON_HOST],
    source: "LAPACK xPORFS",
    arguments: &[
        LAYOUT,
        UPLO,
        ORDER,
        NRHS,
        READ_A,
        LDA,
        AF_IN,
        LDAF,
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
    standard: &[lapack("porfs")],
};

pub(super) const SYRFS: Routine = Routine {
    name: "syrfs",
    module: "syrfs",
    types: SDCZ,
    summary: "Refinement of solutions of A * X = B by sytrs, with error bounds.",
    notes: &[ERRORS, ON_HOST],
    source: "LAPACK xSYRFS",
    arguments: &[
        LAYOUT,
        UPLO,
        ORDER,
        NRHS,
        READ_A,
        LDA,
        AF_IN,
        LDAF,
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
    standard: &[lapack("syrfs")],
};

pub(super) const HERFS: Routine = Routine {
    name: "herfs",
    module: "herfs",
    types: CZ,
    summary: "Refinement of solutions of A * X = B by hetrs, with error bounds.",
    notes: &[ERRORS, ON_HOST],
    source: "LAPACK xHERFS",
    arguments: &[
        LAYOUT,
        UPLO,
        ORDER,
        NRHS,
        READ_A,
        LDA,
        AF_IN,
        LDAF,
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
    standard: &[lapack("herfs").complex()],
};

pub(super) const GESVX: Routine = Routine {
    name: "gesvx",
    module: "gesvx",
    types: SDCZ,
    summary: "Solution of op(A) * X = B by LU with equilibration, refinement and error bounds.",
    notes: &[SCALING, ERRORS, UNSOLVED, ILL_CONDITIONED, ON_HOST],
    source: "LAPACK xGESVX",
    arguments: &[
        LAYOUT, FACT, TRANS, ORDER, NRHS, SCALED_A, LDA, AF, LDAF, PIVOTS, EQUED, R, C, SCALED_B, LDB, X, LDX, RCOND,
        FERR, BERR, RPIVOT, WORK, REAL_WORK,
    ],
    forms: Forms::HOST,
    standard: &[lapack("gesvx")],
};

pub(super) const POSVX: Routine = Routine {
    name: "posvx",
    module: "posvx",
    types: SDCZ,
    summary: "Solution of A * X = B for a positive definite A by Cholesky's factorisation with equilibration, \
        refinement and error bounds.",
    notes: &[SCALING, ERRORS, UNSOLVED_DEFINITE, ILL_CONDITIONED, ON_HOST],
    source: "LAPACK xPOSVX",
    arguments: &[
        LAYOUT,
        FACT,
        UPLO,
        ORDER,
        NRHS,
        SCALED_A,
        LDA,
        AF,
        LDAF,
        EQUED_DEFINITE,
        S,
        SCALED_B,
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
    standard: &[lapack("posvx")],
};

pub(super) const SYSVX: Routine = Routine {
    name: "sysvx",
    module: "sysvx",
    types: SDCZ,
    summary: "Solution of A * X = B for a symmetric A by Bunch and Kaufman's factorisation with refinement and error \
        bounds.",
    notes: &[ERRORS, UNSOLVED, ILL_CONDITIONED, ON_HOST],
    source: "LAPACK xSYSVX",
    arguments: &[
        LAYOUT,
        FACT,
        UPLO,
        ORDER,
        NRHS,
        READ_A,
        LDA,
        AF,
        LDAF,
        PIVOTS,
        READ_B,
        LDB,
        X,
        LDX,
        RCOND,
        FERR,
        BERR,
        WORK,
        LWORK,
        UNNEEDED_TOO,
    ],
    forms: Forms::HOST,
    standard: &[lapack("sysvx")],
};

pub(super) const HESVX: Routine = Routine {
    name: "hesvx",
    module: "hesvx",
    types: CZ,
    summary: "Solution of A * X = B for a Hermitian A by Bunch and Kaufman's factorisation with refinement and error \
        bounds.",
    notes: &[ERRORS, UNSOLVED, ILL_CONDITIONED, ON_HOST],
    source: "LAPACK xHESVX",
    arguments: &[
        LAYOUT,
        FACT,
        UPLO,
        ORDER,
        NRHS,
        READ_A,
        LDA,
        AF,
        LDAF,
        PIVOTS,
        READ_B,
        LDB,
        X,
        LDX,
        RCOND,
        FERR,
        BERR,
        WORK,
        LWORK,
        UNNEEDED_TOO,
    ],
    forms: Forms::HOST,
    standard: &[lapack("hesvx").complex()],
};

pub(super) const SYCON: Routine = Routine {
    name: "sycon",
    module: "sycon",
    types: SDCZ,
    summary: "An estimate of the reciprocal condition number 1 / (||A|| * ||A^-1||) in the 1-norm, from sytrf's \
        factors.",
    notes: &[ESTIMATE, ON_HOST],
    source: "LAPACK xSYCON",
    arguments: &[LAYOUT, UPLO, ORDER, FACTORS, LDA, OWN_PIVOTS, ANORM, RCOND, UNNEEDED, UNNEEDED_TOO],
    forms: Forms::HOST,
    standard: &CONDITION,
};

pub(super) const HECON: Routine = Routine {
    name: "hecon",
    module: "hecon",
    types: CZ,
    summary: "An estimate of the reciprocal condition number 1 / (||A|| * ||A^-1||) in the 1-norm, from hetrf's \
        factors.",
    notes: &[ESTIMATE, ON_HOST],
    source: "LAPACK xHECON",
    arguments: &[LAYOUT, UPLO, ORDER, FACTORS, LDA, OWN_PIVOTS, ANORM, RCOND, UNNEEDED, UNNEEDED_TOO],
    forms: Forms::HOST,
    standard: &[lapack("hecon").complex().without(&["iwork"])],
};

pub(super) const SYGST: Routine = Routine {
    name: "sygst",
    module: "sygst",
    types: SDCZ,
    summary: "The matrix of the standard eigenvalue problem of a symmetric or Hermitian A and a positive definite B, \
        in A's place: L^-1 * A * L^-H, or of types 2 and 3 L^H * A * L.",
    notes: &[ON_HOST],
    source: "LAPACK xSYGST, xHEGST",
    arguments: &[LAYOUT, ITYPE, UPLO, ORDER, A, LDA, FACTOR_B, LDB],
    forms: Forms::HOST,
    standard: &[lapack("sygst").real(), lapack("hegst").complex()],
};
