//! The rook variant of Bunch and Kaufman's factorisation.

use super::{CZ, ESTIMATE, ON_HOST, OWN_PIVOTS};
use crate::table::Access::Write;
use crate::table::lapack::norms::{ANORM, RCOND, UNNEEDED_TOO};
use crate::table::lapack::{A, B, FACTORS, LAYOUT, LDA, LDB, LWORK, NRHS, ORDER, UNNEEDED, UPLO, WORK};
use crate::table::standard::lapack;
use crate::table::{Argument, Forms, Kind, Number, Routine, SDCZ, argument};

const ROOK: &str = "D has blocks of order 1 and 2; L or U has a diagonal of ones, and bounded elements. Only the \
    triangle that uplo names is read and written. Of a block of order 2, both pivots are negative: its first row and \
    column was interchanged with -ipiv[k], its second one with -ipiv[k + 1]; of an upper triangle the second one comes \
    first.";
const SINGULAR: &str = "Returns i where block i of D is exactly zero, or NaN: the factorisation is complete.";
const ZERO_BLOCK: &str = "Returns i where block i of D is exactly zero, or NaN: A is factorised, and B is as it was.";
const ZERO_INVERSE: &str = "Returns i where block i of D, of order 1, is zero: nothing is changed.";
const ROOK_PIVOTS_OUT: Argument = argument("ipiv", Kind::Vector(Write, Number::I32), "gets n pivots");
const TO_INVERT: Argument = argument("a", Kind::Matrix(Write), "the factors, and then the inverse's triangle");

pub(in crate::table::lapack) const SYTRF_ROOK: Routine = Routine {
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

pub(in crate::table::lapack) const SYTRS_ROOK: Routine = Routine {
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

pub(in crate::table::lapack) const SYSV_ROOK: Routine = Routine {
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

pub(in crate::table::lapack) const SYTRI_ROOK: Routine = Routine {
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

pub(in crate::table::lapack) const SYCON_ROOK: Routine = Routine {
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

pub(in crate::table::lapack) const HETRF_ROOK: Routine = Routine {
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

pub(in crate::table::lapack) const HETRS_ROOK: Routine = Routine {
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

pub(in crate::table::lapack) const HESV_ROOK: Routine = Routine {
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

pub(in crate::table::lapack) const HETRI_ROOK: Routine = Routine {
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

pub(in crate::table::lapack) const HECON_ROOK: Routine = Routine {
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
