//! Expert drivers and what they consist of; condition numbers of band, tridiagonal and indefinite matrices; and the
//! rook variant of Bunch and Kaufman's factorisation.

use super::norms::{ANORM, RCOND, UNNEEDED_TOO};
use super::{A, B, DIAG, FACTORS, LAYOUT, LDA, LDB, LWORK, M, N, NRHS, ORDER, PIVOTS_IN, TRANS, UNNEEDED, UPLO, WORK};
use crate::table::Access::{Read, Write};
use crate::table::standard::{Standard, lapack};
use crate::table::{Argument, Choice, Forms, Kind, Number, Routine, SDCZ, TypeVariant, argument};

/// The real types.
const SD: &[TypeVariant] = &[SDCZ[0], SDCZ[1]];
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
const ROOK: &str = "D has blocks of order 1 and 2; L or U has a diagonal of ones, and bounded elements. Only the \
    triangle that uplo names is read and written. Of a block of order 2, both pivots are negative: its first row and \
    column was interchanged with -ipiv[k], its second one with -ipiv[k + 1]; of an upper triangle the second one comes \
    first.";
const SINGULAR: &str = "Returns i where block i of D is exactly zero, or NaN: the factorisation is complete.";
const ZERO_BLOCK: &str = "Returns i where block i of D is exactly zero, or NaN: A is factorised, and B is as it was.";
const ZERO_INVERSE: &str = "Returns i where block i of D, of order 1, is zero: nothing is changed.";
const ROOK_PIVOTS_OUT: Argument = argument("ipiv", Kind::Vector(Write, Number::I32), "gets n pivots");
const TO_INVERT: Argument = argument("a", Kind::Matrix(Write), "the factors, and then the inverse's triangle");
const ESTIMATE: &str = "It is 0 where a block or an element of the factors' diagonal is zero, and 1 where n = 0.";

const CONSISTENT: Argument = argument("norm", Kind::ConsistentNorm, "which norm");
const KL: Argument = argument("kl", Kind::Size, "diagonals below the main one");
const KU: Argument = argument("ku", Kind::Size, "diagonals above the main one");
const KD: Argument = argument("kd", Kind::Size, "diagonals beside the main one");
const BAND_FACTORS: Argument = argument("ab", Kind::Matrix(Read), "the diagonals of gbtrf's factors");
const BAND: Argument = argument("ab", Kind::Matrix(Read), "A's diagonals");
const LDAB: Argument = argument("ldab", Kind::LeadingDimension, "leading dimension of ab");
const DL: Argument = argument("dl", Kind::Vector(Read, Number::Element), "n - 1 elements below A's diagonal");
const D: Argument = argument("d", Kind::Vector(Read, Number::Element), "n elements on it");
const DU: Argument = argument("du", Kind::Vector(Read, Number::Element), "n - 1 elements above it");
const MULTIPLIERS: Argument = argument("dl", Kind::Vector(Read, Number::Element), "n - 1 multipliers of gttrf");
const U: Argument = argument("d", Kind::Vector(Read, Number::Element), "n elements on U's diagonal");
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
const ITYPE: Argument =
    argument("itype", Kind::Scalar(Number::I64), "1 of A x = lambda B x, 2 of A B x = lambda x, 3 of B A x = lambda x");
const FACTOR_B: Argument = argument("b", Kind::Matrix(Read), "potrf's factor of B");
const RWORK: Argument = argument("rwork", Kind::UnneededWorkspace, "real workspace, of complex types only");
const TRIANGLE_BAND: &str = "ab has kd + 1 rows and n columns: element (i, j) of A is in column j, from 0, in row \
    kd + i - j of an upper triangle and i - j of a lower one.";
const ZERO: &str = "Returns i where element i of the diagonal is zero: nothing is changed.";

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

pub(super) const SYTRF_ROOK: Routine = Routine {
    name: "sytrfRook",
    module: "sytrf_rook",
    types: SDCZ,
    summary: "Bunch and Kaufman's factorisation of a symmetric matrix by rook pivoting, in place: P * A * P^T = L * D \
        * L^T or U * D * U^T.",
    notes: &[ROOK, SINGULAR, ON_HOST],
    source: "LAPACK xSYTRF_ROOK",
    arguments: &[LAYOUT, UPLO, ORDER, A, LDA, ROOK_PIVOTS_OUT, WORK, LWORK],
    forms: Forms::HOST,
    standard: &[lapack("sytrf_rook")],
};

pub(super) const SYTRS_ROOK: Routine = Routine {
    name: "sytrsRook",
    module: "sytrs_rook",
    types: SDCZ,
    summary: "Solution of A * X = B with sytrfRook's factors, in B's place.",
    notes: &[ON_HOST],
    source: "LAPACK xSYTRS_ROOK",
    arguments: &[LAYOUT, UPLO, ORDER, NRHS, FACTORS, LDA, OWN_PIVOTS, B, LDB],
    forms: Forms::HOST,
    standard: &[lapack("sytrs_rook")],
};

pub(super) const SYSV_ROOK: Routine = Routine {
    name: "sysvRook",
    module: "sysv_rook",
    types: SDCZ,
    summary: "Solution of A * X = B for a symmetric A by rook pivoting: sytrfRook and sytrsRook.",
    notes: &[ROOK, ZERO_BLOCK, ON_HOST],
    source: "LAPACK xSYSV_ROOK",
    arguments: &[LAYOUT, UPLO, ORDER, NRHS, A, LDA, ROOK_PIVOTS_OUT, B, LDB, WORK, LWORK],
    forms: Forms::HOST,
    standard: &[lapack("sysv_rook")],
};

pub(super) const SYTRI_ROOK: Routine = Routine {
    name: "sytriRook",
    module: "sytri_rook",
    types: SDCZ,
    summary: "A triangle of the inverse of a symmetric matrix, from sytrfRook's factors in their place.",
    notes: &[ZERO_INVERSE, ON_HOST],
    source: "LAPACK xSYTRI_ROOK",
    arguments: &[LAYOUT, UPLO, ORDER, TO_INVERT, LDA, OWN_PIVOTS, UNNEEDED],
    forms: Forms::HOST,
    standard: &[lapack("sytri_rook").without_lapacke()],
};

pub(super) const SYCON_ROOK: Routine = Routine {
    name: "syconRook",
    module: "sycon_rook",
    types: SDCZ,
    summary: "An estimate of the reciprocal condition number 1 / (||A|| * ||A^-1||) in the 1-norm, from sytrfRook's \
        factors.",
    notes: &[ESTIMATE, ON_HOST],
    source: "LAPACK xSYCON_ROOK",
    arguments: &[LAYOUT, UPLO, ORDER, FACTORS, LDA, OWN_PIVOTS, ANORM, RCOND, UNNEEDED, UNNEEDED_TOO],
    forms: Forms::HOST,
    standard: &[
        lapack("sycon_rook").real().without_lapacke(),
        lapack("sycon_rook").complex().without(&["iwork"]).without_lapacke(),
    ],
};

pub(super) const HETRF_ROOK: Routine = Routine {
    name: "hetrfRook",
    module: "hetrf_rook",
    types: CZ,
    summary: "Bunch and Kaufman's factorisation of a Hermitian matrix by rook pivoting, in place: P * A * P^T = L * D \
        * L^H or U * D * U^H.",
    notes: &[ROOK, SINGULAR, ON_HOST],
    source: "LAPACK xHETRF_ROOK",
    arguments: &[LAYOUT, UPLO, ORDER, A, LDA, ROOK_PIVOTS_OUT, WORK, LWORK],
    forms: Forms::HOST,
    standard: &[lapack("hetrf_rook").complex()],
};

pub(super) const HETRS_ROOK: Routine = Routine {
    name: "hetrsRook",
    module: "hetrs_rook",
    types: CZ,
    summary: "Solution of A * X = B with hetrfRook's factors, in B's place.",
    notes: &[ON_HOST],
    source: "LAPACK xHETRS_ROOK",
    arguments: &[LAYOUT, UPLO, ORDER, NRHS, FACTORS, LDA, OWN_PIVOTS, B, LDB],
    forms: Forms::HOST,
    standard: &[lapack("hetrs_rook").complex()],
};

pub(super) const HESV_ROOK: Routine = Routine {
    name: "hesvRook",
    module: "hesv_rook",
    types: CZ,
    summary: "Solution of A * X = B for a Hermitian A by rook pivoting: hetrfRook and hetrsRook.",
    notes: &[ROOK, ZERO_BLOCK, ON_HOST],
    source: "LAPACK xHESV_ROOK",
    arguments: &[LAYOUT, UPLO, ORDER, NRHS, A, LDA, ROOK_PIVOTS_OUT, B, LDB, WORK, LWORK],
    forms: Forms::HOST,
    standard: &[lapack("hesv_rook").complex()],
};

pub(super) const HETRI_ROOK: Routine = Routine {
    name: "hetriRook",
    module: "hetri_rook",
    types: CZ,
    summary: "A triangle of the inverse of a Hermitian matrix, from hetrfRook's factors in their place.",
    notes: &[ZERO_INVERSE, ON_HOST],
    source: "LAPACK xHETRI_ROOK",
    arguments: &[LAYOUT, UPLO, ORDER, TO_INVERT, LDA, OWN_PIVOTS, UNNEEDED],
    forms: Forms::HOST,
    standard: &[lapack("hetri_rook").complex().without_lapacke()],
};

pub(super) const HECON_ROOK: Routine = Routine {
    name: "heconRook",
    module: "hecon_rook",
    types: CZ,
    summary: "An estimate of the reciprocal condition number 1 / (||A|| * ||A^-1||) in the 1-norm, from hetrfRook's \
        factors.",
    notes: &[ESTIMATE, ON_HOST],
    source: "LAPACK xHECON_ROOK",
    arguments: &[LAYOUT, UPLO, ORDER, FACTORS, LDA, OWN_PIVOTS, ANORM, RCOND, UNNEEDED, UNNEEDED_TOO],
    forms: Forms::HOST,
    standard: &[lapack("hecon_rook").complex().without(&["iwork"]).without_lapacke()],
};

pub(super) const GBCON: Routine = Routine {
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

pub(super) const GTCON: Routine = Routine {
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

pub(super) const PTCON: Routine = Routine {
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

pub(super) const GTRFS: Routine = Routine {
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

pub(super) const GTSVX: Routine = Routine {
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

pub(super) const PTRFS: Routine = Routine {
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

pub(super) const PTRFS_COMPLEX: Routine = Routine {
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

pub(super) const PTSVX: Routine = Routine {
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

pub(super) const TBTRS: Routine = Routine {
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
