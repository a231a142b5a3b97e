//! Matrix times vector.

use super::{
    ALPHA, AP_READ, BAND_TRIANGLE_READ, BETA, CZ, DIAG, INCX, INCY, K, LAYOUT, LDA, M, N, N_COLUMNS, SD, SQUARE_READ,
    TRANS, UPLO, X_READ, X_WRITE, Y_WRITE,
};
use crate::table::Access::Read;
use crate::table::standard::blas;
use crate::table::{Forms, Kind, Routine, SDCZ, argument};

const FACTORS: &str = "When beta is 0, y is written without being read: it may hold anything, NaN too. When alpha is \
    0, A and x are not read and may be null.";
const EMPTY: &str = "When m or n is 0, or alpha is 0 and beta is 1, nothing changes and no pointer is looked at.";
const EMPTY_SQUARE: &str = "When n is 0, or alpha is 0 and beta is 1, nothing changes and no pointer is looked at.";
const DISTINCT: &str = "y must not overlap A or x.";
const DISTINCT_IN_PLACE: &str = "x must not overlap A.";
const EMPTY_IN_PLACE: &str = "When n is 0, no pointer is looked at.";
const HALF: &str = "Only the triangle that uplo names is read.";
const REAL_DIAGONAL: &str = "Imaginary parts on the diagonal are not read.";
const OP: &str = "op(A) is A, its transpose, its conjugate transpose or its conjugate, as trans says.";

pub(super) const GEMV: Routine = Routine {
    name: "gemv",
    module: "gemv",
    types: SDCZ,
    summary: "Matrix times vector: y := alpha * op(A) * x + beta * y.",
    notes: &[OP, FACTORS, EMPTY, DISTINCT],
    source: "BLAS xGEMV",
    arguments: &[
        LAYOUT,
        TRANS,
        M,
        N_COLUMNS,
        ALPHA,
        argument("a", Kind::Matrix(Read), "A, m by n"),
        LDA,
        X_READ,
        INCX,
        BETA,
        Y_WRITE,
        INCY,
    ],
    forms: Forms::BOTH,
    standard: &[blas("gemv").exchanging(&[["m", "n"]])],
};

pub(super) const GBMV: Routine = Routine {
    name: "gbmv",
    module: "gbmv",
    types: SDCZ,
    summary: "Band matrix times vector: y := alpha * op(A) * x + beta * y.",
    notes: &[OP, FACTORS, EMPTY, DISTINCT],
    source: "BLAS xGBMV",
    arguments: &[
        LAYOUT,
        TRANS,
        M,
        N_COLUMNS,
        argument("kl", Kind::Size, "diagonals below the main one"),
        argument("ku", Kind::Size, "diagonals above the main one"),
        ALPHA,
        argument("a", Kind::Matrix(Read), "the band of A, kl + ku + 1 by n (m by kl + ku + 1, in row-major layout)"),
        LDA,
        X_READ,
        INCX,
        BETA,
        Y_WRITE,
        INCY,
    ],
    forms: Forms::BOTH,
    standard: &[blas("gbmv").exchanging(&[["m", "n"], ["kl", "ku"]])],
};

pub(super) const SYMV: Routine = Routine {
    name: "symv",
    module: "symv",
    types: SDCZ,
    summary: "Symmetric matrix times vector: y := alpha * A * x + beta * y.",
    notes: &[HALF, FACTORS, EMPTY_SQUARE, DISTINCT],
    source: "BLAS xSYMV; LAPACK CSYMV, ZSYMV",
    arguments: &[LAYOUT, UPLO, N, ALPHA, SQUARE_READ, LDA, X_READ, INCX, BETA, Y_WRITE, INCY],
    forms: Forms::BOTH,
    standard: &[blas("symv").lapack_complex()],
};

pub(super) const SBMV: Routine = Routine {
    name: "sbmv",
    module: "sbmv",
    types: SD,
    summary: "Symmetric band matrix times vector: y := alpha * A * x + beta * y.",
    notes: &[HALF, FACTORS, EMPTY_SQUARE, DISTINCT],
    source: "BLAS xSBMV",
    arguments: &[LAYOUT, UPLO, N, K, ALPHA, BAND_TRIANGLE_READ, LDA, X_READ, INCX, BETA, Y_WRITE, INCY],
    forms: Forms::BOTH,
    standard: &[blas("sbmv")],
};

pub(super) const SPMV: Routine = Routine {
    name: "spmv",
    module: "spmv",
    types: SDCZ,
    summary: "Packed symmetric matrix times vector: y := alpha * A * x + beta * y.",
    notes: &[FACTORS, EMPTY_SQUARE, DISTINCT],
    source: "BLAS xSPMV; LAPACK CSPMV, ZSPMV",
    arguments: &[LAYOUT, UPLO, N, ALPHA, AP_READ, X_READ, INCX, BETA, Y_WRITE, INCY],
    forms: Forms::BOTH,
    standard: &[blas("spmv").lapack_complex()],
};

pub(super) const HEMV: Routine = Routine {
    name: "hemv",
    module: "hemv",
    types: CZ,
    summary: "Hermitian matrix times vector: y := alpha * A * x + beta * y.",
    notes: &[HALF, REAL_DIAGONAL, FACTORS, EMPTY_SQUARE, DISTINCT],
    source: "BLAS xHEMV",
    arguments: &[LAYOUT, UPLO, N, ALPHA, SQUARE_READ, LDA, X_READ, INCX, BETA, Y_WRITE, INCY],
    forms: Forms::BOTH,
    standard: &[blas("hemv")],
};

pub(super) const HBMV: Routine = Routine {
    name: "hbmv",
    module: "hbmv",
    types: CZ,
    summary: "Hermitian band matrix times vector: y := alpha * A * x + beta * y.",
    notes: &[HALF, REAL_DIAGONAL, FACTORS, EMPTY_SQUARE, DISTINCT],
    source: "BLAS xHBMV",
    arguments: &[LAYOUT, UPLO, N, K, ALPHA, BAND_TRIANGLE_READ, LDA, X_READ, INCX, BETA, Y_WRITE, INCY],
    forms: Forms::BOTH,
    standard: &[blas("hbmv")],
};

pub(super) const HPMV: Routine = Routine {
    name: "hpmv",
    module: "hpmv",
    types: CZ,
    summary: "Packed Hermitian matrix times vector: y := alpha * A * x + beta * y.",
    notes: &[REAL_DIAGONAL, FACTORS, EMPTY_SQUARE, DISTINCT],
    source: "BLAS xHPMV",
    arguments: &[LAYOUT, UPLO, N, ALPHA, AP_READ, X_READ, INCX, BETA, Y_WRITE, INCY],
    forms: Forms::BOTH,
    standard: &[blas("hpmv")],
};

pub(super) const TRMV: Routine = Routine {
    name: "trmv",
    module: "trmv",
    types: SDCZ,
    summary: "Triangular matrix times vector, in place: x := op(A) * x.",
    notes: &[OP, HALF, EMPTY_IN_PLACE, DISTINCT_IN_PLACE],
    source: "BLAS xTRMV",
    arguments: &[LAYOUT, UPLO, TRANS, DIAG, N, SQUARE_READ, LDA, X_WRITE, INCX],
    forms: Forms::BOTH,
    standard: &[blas("trmv")],
};

pub(super) const TBMV: Routine = Routine {
    name: "tbmv",
    module: "tbmv",
    types: SDCZ,
    summary: "Triangular band matrix times vector, in place: x := op(A) * x.",
    notes: &[OP, HALF, EMPTY_IN_PLACE, DISTINCT_IN_PLACE],
    source: "BLAS xTBMV",
    arguments: &[LAYOUT, UPLO, TRANS, DIAG, N, K, BAND_TRIANGLE_READ, LDA, X_WRITE, INCX],
    forms: Forms::BOTH,
    standard: &[blas("tbmv")],
};

pub(super) const TPMV: Routine = Routine {
    name: "tpmv",
    module: "tpmv",
    types: SDCZ,
    summary: "Packed triangular matrix times vector, in place: x := op(A) * x.",
    notes: &[OP, EMPTY_IN_PLACE, DISTINCT_IN_PLACE],
    source: "BLAS xTPMV",
    arguments: &[LAYOUT, UPLO, TRANS, DIAG, N, AP_READ, X_WRITE, INCX],
    forms: Forms::BOTH,
    standard: &[blas("tpmv")],
};
