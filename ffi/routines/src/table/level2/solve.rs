//! Triangular solves with one right-hand side.

use super::{AP_READ, BAND_TRIANGLE_READ, DIAG, INCX, K, LAYOUT, LDA, N, SQUARE_READ, TRANS, UPLO};
use crate::table::Access::Write;
use crate::table::standard::blas;
use crate::table::{Argument, Forms, Kind, Number, Routine, SDCZ, argument};

const OP: &str = "op(A) is A, its transpose, its conjugate transpose or its conjugate, as trans says.";
const HALF: &str = "Only the triangle that uplo names is read.";
const SINGULAR: &str = "As in BLAS, A is not tested for singularity: a zero on the diagonal gives Inf or NaN, but an \
    element that is zero by then stays zero.";
const EMPTY: &str = "When n is 0, no pointer is looked at.";
const DISTINCT: &str = "x must not overlap A.";

const X: Argument = argument("x", Kind::Vector(Write, Number::Element), "the right-hand side, and then the solution");

pub(super) const TRSV: Routine = Routine {
    name: "trsv",
    module: "trsv",
    types: SDCZ,
    summary: "Triangular solve with one right-hand side, in place: x := op(A)^-1 * x.",
    notes: &[OP, HALF, SINGULAR, EMPTY, DISTINCT],
    source: "BLAS xTRSV",
    arguments: &[LAYOUT, UPLO, TRANS, DIAG, N, SQUARE_READ, LDA, X, INCX],
    forms: Forms::BOTH,
    standard: &[blas("trsv")],
};

pub(super) const TBSV: Routine = Routine {
    name: "tbsv",
    module: "tbsv",
    types: SDCZ,
    summary: "Triangular band solve with one right-hand side, in place: x := op(A)^-1 * x.",
    notes: &[OP, SINGULAR, EMPTY, DISTINCT],
    source: "BLAS xTBSV",
    arguments: &[LAYOUT, UPLO, TRANS, DIAG, N, K, BAND_TRIANGLE_READ, LDA, X, INCX],
    forms: Forms::BOTH,
    standard: &[blas("tbsv")],
};

pub(super) const TPSV: Routine = Routine {
    name: "tpsv",
    module: "tpsv",
    types: SDCZ,
    summary: "Packed triangular solve with one right-hand side, in place: x := op(A)^-1 * x.",
    notes: &[OP, SINGULAR, EMPTY, DISTINCT],
    source: "BLAS xTPSV",
    arguments: &[LAYOUT, UPLO, TRANS, DIAG, N, AP_READ, X, INCX],
    forms: Forms::BOTH,
    standard: &[blas("tpsv")],
};
