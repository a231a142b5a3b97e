//! Norms of matrices, and estimates of their condition numbers.

use super::{DIAG, FACTORS, LAYOUT, LDA, M, N, ORDER, UNNEEDED, UPLO};
use crate::table::Access::{Read, Write};
use crate::table::standard::lapack;
use crate::table::{Argument, Forms, Kind, Number, Routine, SDCZ, TypeVariant, argument};

/// The complex types.
const CZ: &[TypeVariant] = &[SDCZ[2], SDCZ[3]];

pub(super) const NORM: Argument = argument("norm", Kind::Norm, "which norm");
const READ_A: Argument = argument("a", Kind::Matrix(Read), "A");
pub(super) const RESULT: Argument =
    argument("result", Kind::Result(Number::Real), "gets the norm; 0 of a matrix without elements");
pub(super) const NAN: &str =
    "The norm is NaN where an element that is read is. Sums of squares neither overflow nor underflow on the way.";

pub(super) const LANGE: Routine = Routine {
    name: "lange",
    module: "lange",
    types: SDCZ,
    summary: "A norm of a matrix: of its columns' or rows' sums of moduli, of all elements' squares, or of the largest \
     element.",
    notes: &[NAN],
    source: "LAPACK xLANGE",
    arguments: &[LAYOUT, NORM, M, N, READ_A, LDA, UNNEEDED, RESULT],
    forms: Forms::BOTH,
    standard: &[lapack("lange").without_info()],
};

pub(super) const LANSY: Routine = Routine {
    name: "lansy",
    module: "lansy",
    types: SDCZ,
    summary: "A norm of a symmetric matrix, of which a triangle is read.",
    notes: &[NAN],
    source: "LAPACK xLANSY",
    arguments: &[LAYOUT, NORM, UPLO, ORDER, READ_A, LDA, UNNEEDED, RESULT],
    forms: Forms::BOTH,
    standard: &[lapack("lansy").without_info()],
};

pub(super) const LANHE: Routine = Routine {
    name: "lanhe",
    module: "lanhe",
    types: CZ,
    summary: "A norm of a Hermitian matrix, of which a triangle is read, and of its diagonal the real parts.",
    notes: &[NAN],
    source: "LAPACK xLANHE",
    arguments: &[LAYOUT, NORM, UPLO, ORDER, READ_A, LDA, UNNEEDED, RESULT],
    forms: Forms::BOTH,
    standard: &[lapack("lanhe").without_info()],
};

pub(super) const LANTR: Routine = Routine {
    name: "lantr",
    module: "lantr",
    types: SDCZ,
    summary: "A norm of a triangular or trapezoidal matrix, of which a triangle is read.",
    notes: &["A diagonal of ones counts, and is not read.", NAN],
    source: "LAPACK xLANTR",
    arguments: &[LAYOUT, NORM, UPLO, DIAG, M, N, READ_A, LDA, UNNEEDED, RESULT],
    forms: Forms::BOTH,
    standard: &[lapack("lantr").without_info()],
};

const CONSISTENT: Argument = argument("norm", Kind::ConsistentNorm, "which norm");
pub(super) const ANORM: Argument = argument("anorm", Kind::Scalar(Number::Real), "the norm of A itself, at least 0");
pub(super) const RCOND: Argument = argument("rcond", Kind::Scalars(Write, Number::Real, 1), "gets the estimate");
/// 2 n elements; the last n receive a vector that xLATDF reads.
pub(super) const VECTOR: Argument =
    argument("work", Kind::Workspace, "workspace, of which elements n to 2 n get a vector");
/// Integers for the real types, real elements for the complex ones.
pub(super) const UNNEEDED_TOO: Argument = argument("iwork", Kind::UnneededWorkspace, "more of it");
pub(super) const ESTIMATE: &str = "The estimate is nearly always within a factor of 3, and not too small. It is 0 \
    where A is singular, or so nearly that the norm of its inverse overflows; 1 where n = 0. A norm or a factor that \
    is NaN makes it NaN, an infinite norm 0; of trcon a norm that is not finite makes it 0.";

pub(super) const GECON: Routine = Routine {
    name: "gecon",
    module: "gecon",
    types: SDCZ,
    summary: "An estimate of the reciprocal condition number 1 / (||A|| * ||A^-1||), from getrf's factors.",
    notes: &[ESTIMATE],
    source: "LAPACK xGECON",
    arguments: &[LAYOUT, CONSISTENT, ORDER, FACTORS, LDA, ANORM, RCOND, VECTOR, UNNEEDED_TOO],
    forms: Forms::WAITING,
    standard: &[lapack("gecon")],
};

pub(super) const POCON: Routine = Routine {
    name: "pocon",
    module: "pocon",
    types: SDCZ,
    summary: "An estimate of the reciprocal condition number 1 / (||A|| * ||A^-1||) in the 1-norm, from potrf's \
     factor.",
    notes: &[ESTIMATE],
    source: "LAPACK xPOCON",
    arguments: &[LAYOUT, UPLO, ORDER, FACTORS, LDA, ANORM, RCOND, VECTOR, UNNEEDED_TOO],
    forms: Forms::WAITING,
    standard: &[lapack("pocon")],
};

pub(super) const TRCON: Routine = Routine {
    name: "trcon",
    module: "trcon",
    types: SDCZ,
    summary: "An estimate of the reciprocal condition number 1 / (||A|| * ||A^-1||) of a triangular A.",
    notes: &[ESTIMATE],
    source: "LAPACK xTRCON",
    arguments: &[LAYOUT, CONSISTENT, UPLO, DIAG, ORDER, READ_A, LDA, RCOND, VECTOR, UNNEEDED_TOO],
    forms: Forms::WAITING,
    standard: &[lapack("trcon")],
};
