//! Symmetric and Hermitian indefinite matrices.

use super::{A, B, FACTORS, INFO, LAYOUT, LDA, LDB, LWORK, NRHS, ORDER, UNNEEDED, UPLO, WORK};
use crate::table::Access::{Read, Write};
use crate::table::standard::lapack;
use crate::table::{Argument, Forms, Kind, Number, Routine, SDCZ, TypeVariant, argument};

/// The complex types.
const CZ: &[TypeVariant] = &[SDCZ[2], SDCZ[3]];

const PIVOTS_OUT: Argument = argument(
    "ipiv",
    Kind::Vector(Write, Number::I32),
    "n pivots: k was interchanged with ipiv[k] > 0; of a block of order 2, its outer row with both -ipiv[k]",
);
const PIVOTS_IN: Argument = argument("ipiv", Kind::Vector(Read, Number::I32), "the factorisation's pivots");
const BLOCKS: &str = "D has blocks of order 1 and 2; L or U has a diagonal of ones. Only the triangle that uplo names \
    is read and written. Of a block of order 2, the pivot is of its second row, in an upper triangle of its first.";
const SINGULAR: &str = "Returns i where block i of D is exactly zero, or NaN: the factorisation is complete.";
const UNSOLVED: &str = "Returns i where block i of D is exactly zero, or NaN: A is factorised, and B is as it was.";
const ZERO: &str = "Returns i where block i of D, of order 1, is zero: nothing is changed.";
const REAL: &str = "The diagonal is taken as real.";
const LARGE_ON_GPU: &str = "It is computed on the host; the form on memory objects copies them there and back. A GPU \
    computes it in its memory from order 1024 on.";
const ON_HOST: &str = "It is computed on the host; the form on memory objects copies them there and back.";
const TO_INVERT: Argument = argument("a", Kind::Matrix(Write), "the factors, and then the inverse's triangle");

pub(super) const SYTRF: Routine = Routine {
    name: "sytrf",
    module: "sytrf",
    types: SDCZ,
    summary: "Bunch and Kaufman's factorisation of a symmetric matrix, in place: P * A * P^T = L * D * L^T or U * D * \
     U^T.",
    notes: &[BLOCKS, SINGULAR, LARGE_ON_GPU],
    source: "LAPACK xSYTRF",
    arguments: &[LAYOUT, UPLO, ORDER, A, LDA, PIVOTS_OUT, WORK, LWORK, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("sytrf")],
};

pub(super) const SYTRS: Routine = Routine {
    name: "sytrs",
    module: "sytrs",
    types: SDCZ,
    summary: "Solution of A * X = B with sytrf's factors, in B's place.",
    notes: &[LARGE_ON_GPU],
    source: "LAPACK xSYTRS",
    arguments: &[LAYOUT, UPLO, ORDER, NRHS, FACTORS, LDA, PIVOTS_IN, B, LDB],
    forms: Forms::WAITING,
    standard: &[lapack("sytrs")],
};

pub(super) const SYSV: Routine = Routine {
    name: "sysv",
    module: "sysv",
    types: SDCZ,
    summary: "Solution of A * X = B for a symmetric A by Bunch and Kaufman's factorisation: sytrf and sytrs.",
    notes: &[BLOCKS, UNSOLVED, LARGE_ON_GPU],
    source: "LAPACK xSYSV",
    arguments: &[LAYOUT, UPLO, ORDER, NRHS, A, LDA, PIVOTS_OUT, B, LDB, WORK, LWORK, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("sysv")],
};

pub(super) const SYTRI: Routine = Routine {
    name: "sytri",
    module: "sytri",
    types: SDCZ,
    summary: "A triangle of the inverse of a symmetric matrix, from sytrf's factors in their place.",
    notes: &[ZERO, ON_HOST],
    source: "LAPACK xSYTRI",
    arguments: &[LAYOUT, UPLO, ORDER, TO_INVERT, LDA, PIVOTS_IN, UNNEEDED, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("sytri")],
};

pub(super) const HETRF: Routine = Routine {
    name: "hetrf",
    module: "hetrf",
    types: CZ,
    summary: "Bunch and Kaufman's factorisation of a Hermitian matrix, in place: P * A * P^T = L * D * L^H or U * D * \
     U^H.",
    notes: &[BLOCKS, REAL, SINGULAR, LARGE_ON_GPU],
    source: "LAPACK xHETRF",
    arguments: &[LAYOUT, UPLO, ORDER, A, LDA, PIVOTS_OUT, WORK, LWORK, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("hetrf").complex()],
};

pub(super) const HETRS: Routine = Routine {
    name: "hetrs",
    module: "hetrs",
    types: CZ,
    summary: "Solution of A * X = B with hetrf's factors, in B's place.",
    notes: &[LARGE_ON_GPU],
    source: "LAPACK xHETRS",
    arguments: &[LAYOUT, UPLO, ORDER, NRHS, FACTORS, LDA, PIVOTS_IN, B, LDB],
    forms: Forms::WAITING,
    standard: &[lapack("hetrs").complex()],
};

pub(super) const HESV: Routine = Routine {
    name: "hesv",
    module: "hesv",
    types: CZ,
    summary: "Solution of A * X = B for a Hermitian A by Bunch and Kaufman's factorisation: hetrf and hetrs.",
    notes: &[BLOCKS, REAL, UNSOLVED, LARGE_ON_GPU],
    source: "LAPACK xHESV",
    arguments: &[LAYOUT, UPLO, ORDER, NRHS, A, LDA, PIVOTS_OUT, B, LDB, WORK, LWORK, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("hesv").complex()],
};

pub(super) const HETRI: Routine = Routine {
    name: "hetri",
    module: "hetri",
    types: CZ,
    summary: "A triangle of the inverse of a Hermitian matrix, from hetrf's factors in their place.",
    notes: &[ZERO, ON_HOST],
    source: "LAPACK xHETRI",
    arguments: &[LAYOUT, UPLO, ORDER, TO_INVERT, LDA, PIVOTS_IN, UNNEEDED, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("hetri").complex()],
};
