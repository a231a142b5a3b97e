//! Band matrices.

use super::{
    B, INDEFINITE, INFO, LAYOUT, LDB, M, N, NRHS, ORDER, PIVOTS_IN, PIVOTS_OUT, SINGULAR, TRANS, UNSOLVED, UPLO,
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
