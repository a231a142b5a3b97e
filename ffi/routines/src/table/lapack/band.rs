//! Band matrices.

use super::reductions::{ABSTOL, COUNT, D_OUT, E_OUT, IFAIL, IL, IU, LDZ, RANGE, SOME_W, SOME_Z, VL, VU};
use super::spectral::{FAILED, IWORK, JOBZ, LIWORK, LRWORK, RWORK, W};
use super::{
    B, INDEFINITE, INFO, LAYOUT, LDB, LWORK, M, N, NRHS, ORDER, PIVOTS_IN, PIVOTS_OUT, SINGULAR, TRANS, UNNEEDED,
    UNSOLVED, UPLO, WORK,
};
use crate::table::Access::{Read, Write};
use crate::table::standard::lapack;
use crate::table::{Argument, Forms, Kind, Routine, SDCZ, argument};

const KL: Argument = argument("kl", Kind::Size, "diagonals below the main one");
const KU: Argument = argument("ku", Kind::Size, "diagonals above the main one");
const KD: Argument = argument("kd", Kind::Size, "diagonals beside the main one");
const AB: Argument = argument("ab", Kind::Matrix(Write), "A's diagonals, and then those of its factors");
const FACTORS: Argument = argument("ab", Kind::Matrix(Read), "the factors' diagonals");
const LDAB: Argument = argument("ldab", Kind::LeadingDimension, "leading dimension of ab");
const STORAGE: &str = "ab has 2 kl + ku + 1 rows and n columns: element (i, j) of A is in its row kl + ku + i - j and \
    column j, from 0. U has kl + ku diagonals above the main one; the first kl rows need not be set.";
const TRIANGLE: &str = "ab has kd + 1 rows and n columns: element (i, j) of A is in column j, from 0, in row kd + i - \
    j of an upper triangle and i - j of a lower one. The diagonal is taken as real.";
const ON_HOST: &str = "It is computed on the host; the form on memory objects copies them there and back.";

pub(super) const GBTRF: Routine = Routine {
    name: "gbtrf",
    module: "gbtrf",
    types: SDCZ,
    summary: "LU factorisation of a band matrix with partial pivoting, in place: P * A = L * U.",
    notes: &[STORAGE, SINGULAR, ON_HOST],
    source: "LAPACK xGBTRF",
    arguments: &[LAYOUT, M, N, KL, KU, AB, LDAB, PIVOTS_OUT, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("gbtrf")],
};

pub(super) const GBTRS: Routine = Routine {
    name: "gbtrs",
    module: "gbtrs",
    types: SDCZ,
    summary: "Solution of op(A) * X = B with gbtrf's factors, in B's place.",
    notes: &[STORAGE, ON_HOST],
    source: "LAPACK xGBTRS",
    arguments: &[LAYOUT, TRANS, ORDER, KL, KU, NRHS, FACTORS, LDAB, PIVOTS_IN, B, LDB],
    forms: Forms::WAITING,
    standard: &[lapack("gbtrs")],
};

pub(super) const GBSV: Routine = Routine {
    name: "gbsv",
    module: "gbsv",
    types: SDCZ,
    summary: "Solution of A * X = B for a band matrix by LU factorisation with partial pivoting: gbtrf and gbtrs.",
    notes: &[STORAGE, UNSOLVED, ON_HOST],
    source: "LAPACK xGBSV",
    arguments: &[LAYOUT, ORDER, KL, KU, NRHS, AB, LDAB, PIVOTS_OUT, B, LDB, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("gbsv")],
};

pub(super) const PBTRF: Routine = Routine {
    name: "pbtrf",
    module: "pbtrf",
    types: SDCZ,
    summary: "Cholesky's factorisation of a positive definite band matrix, in place: A = L * L^H or U^H * U.",
    notes: &[TRIANGLE, INDEFINITE, ON_HOST],
    source: "LAPACK xPBTRF",
    arguments: &[LAYOUT, UPLO, ORDER, KD, AB, LDAB, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("pbtrf")],
};

pub(super) const PBTRS: Routine = Routine {
    name: "pbtrs",
    module: "pbtrs",
    types: SDCZ,
    summary: "Solution of A * X = B with pbtrf's factor, in B's place.",
    notes: &[TRIANGLE, ON_HOST],
    source: "LAPACK xPBTRS",
    arguments: &[LAYOUT, UPLO, ORDER, KD, NRHS, FACTORS, LDAB, B, LDB],
    forms: Forms::WAITING,
    standard: &[lapack("pbtrs")],
};

pub(super) const PBSV: Routine = Routine {
    name: "pbsv",
    module: "pbsv",
    types: SDCZ,
    summary: "Solution of A * X = B for a positive definite band matrix by Cholesky's factorisation: pbtrf and pbtrs.",
    notes: &[TRIANGLE, INDEFINITE, "Then B is as it was.", ON_HOST],
    source: "LAPACK xPBSV",
    arguments: &[LAYOUT, UPLO, ORDER, KD, NRHS, AB, LDAB, B, LDB, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("pbsv")],
};

const READ_AB: Argument = argument("ab", Kind::Matrix(Read), "A's diagonals");
const LDQ: Argument = argument("ldq", Kind::LeadingDimension, "leading dimension of Q");
const UNREAD_RWORK: Argument = Argument { name: "rwork", ..UNNEEDED };

pub(super) const SBTRD: Routine = Routine {
    name: "sbtrd",
    module: "sbtrd",
    types: SDCZ,
    summary: "Reduction of a symmetric or Hermitian band matrix to real tridiagonal form: Q^H * A * Q = T.",
    notes: &[
        TRIANGLE,
        "With AFFINIMATH_VECTORS, Q is computed; with AFFINIMATH_UPDATE_VECTORS, the matrix as given is multiplied by \
         it.",
        "Of complex types LAPACK's name is hbtrd.",
        ON_HOST,
    ],
    source: "LAPACK xSBTRD, xHBTRD",
    arguments: &[
        LAYOUT,
        argument("vect", Kind::Job, "whether Q is computed, or a matrix multiplied by it"),
        UPLO,
        ORDER,
        KD,
        argument("ab", Kind::Matrix(Write), "A's diagonals, and then those of T"),
        LDAB,
        D_OUT,
        E_OUT,
        argument("q", Kind::Matrix(Write), "gets Q, or its product, where it is wanted"),
        LDQ,
        UNNEEDED,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("sbtrd").real(), lapack("hbtrd").complex()],
};

pub(super) const SBEV: Routine = Routine {
    name: "sbev",
    module: "sbev",
    types: SDCZ,
    summary: "Eigenvalues of a symmetric or Hermitian band matrix, and orthonormal eigenvectors.",
    notes: &[TRIANGLE, "ab is not changed.", FAILED, "Of complex types LAPACK's name is hbev.", ON_HOST],
    source: "LAPACK xSBEV, xHBEV, xSBEVD, xHBEVD",
    arguments: &[
        LAYOUT,
        JOBZ,
        UPLO,
        ORDER,
        KD,
        READ_AB,
        LDAB,
        W,
        argument("z", Kind::Matrix(Write), "gets eigenvectors as columns, where they are wanted"),
        LDZ,
        WORK,
        LWORK,
        RWORK,
        LRWORK,
        IWORK,
        LIWORK,
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[
        lapack("sbev").real().without(&["lwork", "rwork", "lrwork", "iwork", "liwork"]),
        lapack("sbevd").real().without(&["rwork", "lrwork"]),
        lapack("hbev").complex().without(&["lwork", "lrwork", "iwork", "liwork"]),
        lapack("hbevd").complex(),
    ],
};

pub(super) const SBEVX: Routine = Routine {
    name: "sbevx",
    module: "sbevx",
    types: SDCZ,
    summary: "Some eigenvalues of a symmetric or Hermitian band matrix, by value or by index, and their eigenvectors.",
    notes: &[TRIANGLE, "ab is not changed.", FAILED, "Of complex types LAPACK's name is hbevx.", ON_HOST],
    source: "LAPACK xSBEVX, xHBEVX",
    arguments: &[
        LAYOUT,
        JOBZ,
        RANGE,
        UPLO,
        ORDER,
        KD,
        READ_AB,
        LDAB,
        argument("q", Kind::Matrix(Write), "gets the unitary matrix of the tridiagonal form, where vectors are wanted"),
        LDQ,
        VL,
        VU,
        IL,
        IU,
        ABSTOL,
        COUNT,
        SOME_W,
        SOME_Z,
        LDZ,
        UNNEEDED,
        UNREAD_RWORK,
        Argument { name: "iwork", ..UNNEEDED },
        IFAIL,
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("sbevx").real().without(&["rwork"]), lapack("hbevx").complex()],
};
