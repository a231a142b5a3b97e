//! Rank-one and rank-two updates.

use super::{ALPHA, CZ, INCX, INCY, LAYOUT, LDA, M, N, N_COLUMNS, SD, UPLO, X_READ, Y_READ};
use crate::table::Access::Write;
use crate::table::standard::blas;
use crate::table::{Argument, Forms, Kind, Number, Routine, SDCZ, argument};

const EMPTY: &str = "When m or n is 0, or alpha is 0, nothing changes and no pointer is looked at.";
const EMPTY_SQUARE: &str = "When n is 0, or alpha is 0, nothing changes and no pointer is looked at.";
const DISTINCT: &str = "A must not overlap x or y.";
const DISTINCT_ONE: &str = "A must not overlap x.";
const HALF: &str = "Only the triangle that uplo names is read and written.";
const REAL_DIAGONAL: &str = "Imaginary parts on the diagonal are not read, and become 0.";

const REAL_ALPHA: Argument = argument("alpha", Kind::Scalar(Number::Real), "factor of the product, a real number");
const A: Argument = argument("a", Kind::Matrix(Write), "A, m by n");
const SQUARE: Argument = argument("a", Kind::Matrix(Write), "A, n by n, of which one triangle is updated");
const AP: Argument = argument("ap", Kind::Packed(Write), "the packed triangle, n (n + 1) / 2 elements");

pub(super) const GER: Routine = Routine {
    name: "ger",
    module: "ger",
    types: SD,
    summary: "Rank-one update: A := alpha * x * y^T + A.",
    notes: &[EMPTY, DISTINCT],
    source: "BLAS xGER",
    arguments: &[LAYOUT, M, N_COLUMNS, ALPHA, X_READ, INCX, Y_READ, INCY, A, LDA],
    forms: Forms::BOTH,
    standard: &[blas("ger").exchanging(&[["m", "n"], ["incx", "incy"]])],
};

pub(super) const GERU: Routine = Routine {
    name: "geru",
    module: "geru",
    types: CZ,
    summary: "Rank-one update: A := alpha * x * y^T + A.",
    notes: &[EMPTY, DISTINCT],
    source: "BLAS xGERU",
    arguments: &[LAYOUT, M, N_COLUMNS, ALPHA, X_READ, INCX, Y_READ, INCY, A, LDA],
    forms: Forms::BOTH,
    standard: &[blas("geru").exchanging(&[["m", "n"], ["incx", "incy"]])],
};

pub(super) const GERC: Routine = Routine {
    name: "gerc",
    module: "gerc",
    types: CZ,
    summary: "Rank-one update with the conjugate of y: A := alpha * x * y^H + A.",
    notes: &[EMPTY, DISTINCT],
    source: "BLAS xGERC",
    arguments: &[LAYOUT, M, N_COLUMNS, ALPHA, X_READ, INCX, Y_READ, INCY, A, LDA],
    forms: Forms::BOTH,
    standard: &[blas("gerc").exchanging(&[["m", "n"], ["incx", "incy"]])],
};

pub(super) const SYR: Routine = Routine {
    name: "syr",
    module: "syr",
    types: SDCZ,
    summary: "Symmetric rank-one update: A := alpha * x * x^T + A.",
    notes: &[HALF, EMPTY_SQUARE, DISTINCT_ONE],
    source: "BLAS xSYR; LAPACK CSYR, ZSYR",
    arguments: &[LAYOUT, UPLO, N, ALPHA, X_READ, INCX, SQUARE, LDA],
    forms: Forms::BOTH,
    standard: &[blas("syr").lapack_complex()],
};

pub(super) const SPR: Routine = Routine {
    name: "spr",
    module: "spr",
    types: SDCZ,
    summary: "Packed symmetric rank-one update: A := alpha * x * x^T + A.",
    notes: &[EMPTY_SQUARE, DISTINCT_ONE],
    source: "BLAS xSPR; LAPACK CSPR, ZSPR",
    arguments: &[LAYOUT, UPLO, N, ALPHA, X_READ, INCX, AP],
    forms: Forms::BOTH,
    standard: &[blas("spr").lapack_complex()],
};

pub(super) const HER: Routine = Routine {
    name: "her",
    module: "her",
    types: CZ,
    summary: "Hermitian rank-one update: A := alpha * x * x^H + A.",
    notes: &[HALF, REAL_DIAGONAL, EMPTY_SQUARE, DISTINCT_ONE],
    source: "BLAS xHER",
    arguments: &[LAYOUT, UPLO, N, REAL_ALPHA, X_READ, INCX, SQUARE, LDA],
    forms: Forms::BOTH,
    standard: &[blas("her")],
};

pub(super) const HPR: Routine = Routine {
    name: "hpr",
    module: "hpr",
    types: CZ,
    summary: "Packed Hermitian rank-one update: A := alpha * x * x^H + A.",
    notes: &[REAL_DIAGONAL, EMPTY_SQUARE, DISTINCT_ONE],
    source: "BLAS xHPR",
    arguments: &[LAYOUT, UPLO, N, REAL_ALPHA, X_READ, INCX, AP],
    forms: Forms::BOTH,
    standard: &[blas("hpr")],
};

pub(super) const SYR2: Routine = Routine {
    name: "syr2",
    module: "syr2",
    types: SDCZ,
    summary: "Symmetric rank-two update: A := alpha * x * y^T + alpha * y * x^T + A.",
    notes: &[HALF, EMPTY_SQUARE, DISTINCT],
    source: "BLAS xSYR2",
    arguments: &[LAYOUT, UPLO, N, ALPHA, X_READ, INCX, Y_READ, INCY, SQUARE, LDA],
    forms: Forms::BOTH,
    standard: &[blas("syr2").real()],
};

pub(super) const SPR2: Routine = Routine {
    name: "spr2",
    module: "spr2",
    types: SDCZ,
    summary: "Packed symmetric rank-two update: A := alpha * x * y^T + alpha * y * x^T + A.",
    notes: &[EMPTY_SQUARE, DISTINCT],
    source: "BLAS xSPR2",
    arguments: &[LAYOUT, UPLO, N, ALPHA, X_READ, INCX, Y_READ, INCY, AP],
    forms: Forms::BOTH,
    standard: &[blas("spr2").real()],
};

pub(super) const HER2: Routine = Routine {
    name: "her2",
    module: "her2",
    types: CZ,
    summary: "Hermitian rank-two update: A := alpha * x * y^H + conj(alpha) * y * x^H + A.",
    notes: &[HALF, REAL_DIAGONAL, EMPTY_SQUARE, DISTINCT],
    source: "BLAS xHER2",
    arguments: &[LAYOUT, UPLO, N, ALPHA, X_READ, INCX, Y_READ, INCY, SQUARE, LDA],
    forms: Forms::BOTH,
    standard: &[blas("her2").exchanging(&[["incx", "incy"]])],
};

pub(super) const HPR2: Routine = Routine {
    name: "hpr2",
    module: "hpr2",
    types: CZ,
    summary: "Packed Hermitian rank-two update: A := alpha * x * y^H + conj(alpha) * y * x^H + A.",
    notes: &[REAL_DIAGONAL, EMPTY_SQUARE, DISTINCT],
    source: "BLAS xHPR2",
    arguments: &[LAYOUT, UPLO, N, ALPHA, X_READ, INCX, Y_READ, INCY, AP],
    forms: Forms::BOTH,
    standard: &[blas("hpr2").exchanging(&[["incx", "incy"]])],
};
