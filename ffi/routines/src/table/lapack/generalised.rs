//! Generalised eigenvalues of pencils of general matrices.

use super::schur::{BWORK, COUNT, EITHER, SDIM, SELECT, SORT, TOO_CLOSE};
use super::spectral::{CZ, JOBVL, JOBVR, LDVL, LDVR, ON_HOST, READ_A, SD};
use super::{INFO, LAYOUT, LDA, LDB, LWORK, ORDER, UNNEEDED, WORK};
use crate::table::Access::{Read, Write};
use crate::table::standard::lapack;
use crate::table::{Argument, Forms, Kind, Number, Only, Routine, argument};

const PAIRS: &str = "Complex eigenvalues come in adjacent pairs, the one with the positive imaginary part first.";
const QUOTIENTS: &str = "Eigenvalues are alpha / beta. Beta is not negative, and zero for infinite eigenvalues; with \
    an alpha of zero, the pencil is singular.";
const SOME_CONVERGED: &str =
    "Returns i where eigenvalues after the i-th have converged, and others have not; or an element is not finite.";
const READ_B: Argument = argument("b", Kind::Matrix(Read), "B");
const ALPHAR: Argument = argument("alphar", Kind::Vector(Write, Number::Real), "gets the real parts of n alphas");
const ALPHAI: Argument = argument("alphai", Kind::Vector(Write, Number::Real), "gets their imaginary parts");
const REAL_BETA: Argument = argument("beta", Kind::Vector(Write, Number::Real), "gets n betas");
const ALPHA: Argument = argument("alpha", Kind::Vector(Write, Number::Element), "gets n alphas");
const BETA: Argument = argument("beta", Kind::Vector(Write, Number::Element), "gets n betas, which are real");
const VL: Argument = argument("vl", Kind::Matrix(Write), "gets left eigenvectors as columns: beta u^H A = alpha u^H B");
const VR: Argument = argument("vr", Kind::Matrix(Write), "gets right eigenvectors as columns: beta A v = alpha B v");
const LENGTH: &str = "The largest |re| + |im| of a vector is 1. A and B are not changed.";

pub(super) const GGEV: Routine = Routine {
    name: "ggev",
    module: "ggev",
    types: SD,
    summary: "Generalised eigenvalues of general matrices A and B, and left and right eigenvectors.",
    notes: &[
        QUOTIENTS,
        PAIRS,
        "The first column of a pair has the real parts of the vector, the next one the imaginary parts.",
        LENGTH,
        SOME_CONVERGED,
        ON_HOST,
    ],
    source: "LAPACK xGGEV, xGGEV3",
    arguments: &[
        LAYOUT, JOBVL, JOBVR, ORDER, READ_A, LDA, READ_B, LDB, ALPHAR, ALPHAI, REAL_BETA, VL, LDVL, VR, LDVR, WORK,
        LWORK, INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("ggev").real(), lapack("ggev3").real()],
};

pub(super) const GGEV_COMPLEX: Routine = Routine {
    name: "ggev",
    module: "ggev_complex",
    types: CZ,
    summary: "Generalised eigenvalues of general complex matrices A and B, and left and right eigenvectors.",
    notes: &[QUOTIENTS, LENGTH, SOME_CONVERGED, ON_HOST],
    source: "LAPACK xGGEV, xGGEV3",
    arguments: &[
        LAYOUT,
        JOBVL,
        JOBVR,
        ORDER,
        READ_A,
        LDA,
        READ_B,
        LDB,
        ALPHA,
        BETA,
        VL,
        LDVL,
        VR,
        LDVR,
        WORK,
        LWORK,
        Argument { name: "rwork", ..UNNEEDED },
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("ggev").complex(), lapack("ggev3").complex()],
};

const JOBVSL: Argument = argument("jobvsl", Kind::Job, "whether left Schur vectors are computed");
const JOBVSR: Argument = argument("jobvsr", Kind::Job, "whether right Schur vectors are computed");
const SELCTG: Argument = argument("selctg", Kind::Only(Only::SelectQuotient), "the function that selects them");
const SCHUR_A: Argument = argument("a", Kind::Matrix(Write), "A, and then S");
const SCHUR_B: Argument = argument("b", Kind::Matrix(Write), "B, and then P");
const VSL: Argument = argument("vsl", Kind::Matrix(Write), "gets Q, where it is wanted");
const LDVSL: Argument = argument("ldvsl", Kind::LeadingDimension, "leading dimension of VSL");
const VSR: Argument = argument("vsr", Kind::Matrix(Write), "gets Z, where it is wanted");
const LDVSR: Argument = argument("ldvsr", Kind::LeadingDimension, "leading dimension of VSR");
const REORDERED: &str = "tgsen changes the order of the eigenvalues.";
const TRIANGLES: &str = "P is upper triangular, its diagonal real and not negative.";

pub(super) const GGES: Routine = Routine {
    name: "gges",
    module: "gges",
    types: SD,
    summary: "Generalised eigenvalues of general matrices A and B, and their generalised Schur form: A = Q * S * Z^T \
     and B = Q * P * Z^T.",
    notes: &[
        QUOTIENTS,
        PAIRS,
        TRIANGLES,
        "In S a pair is a block of order 2, where P is diagonal.",
        REORDERED,
        SOME_CONVERGED,
        ON_HOST,
    ],
    source: "LAPACK xGGES, xGGES3",
    arguments: &[
        LAYOUT, JOBVSL, JOBVSR, SORT, SELCTG, ORDER, SCHUR_A, LDA, SCHUR_B, LDB, SDIM, ALPHAR, ALPHAI, REAL_BETA, VSL,
        LDVSL, VSR, LDVSR, WORK, LWORK, BWORK, INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("gges").real(), lapack("gges3").real()],
};

pub(super) const GGES_COMPLEX: Routine = Routine {
    name: "gges",
    module: "gges_complex",
    types: CZ,
    summary: "Generalised eigenvalues of general complex matrices A and B, and their generalised Schur form: A = Q * S \
     * Z^H and B = Q * P * Z^H.",
    notes: &[QUOTIENTS, TRIANGLES, REORDERED, SOME_CONVERGED, ON_HOST],
    source: "LAPACK xGGES, xGGES3",
    arguments: &[
        LAYOUT,
        JOBVSL,
        JOBVSR,
        SORT,
        SELCTG,
        ORDER,
        SCHUR_A,
        LDA,
        SCHUR_B,
        LDB,
        SDIM,
        ALPHA,
        BETA,
        VSL,
        LDVSL,
        VSR,
        LDVSR,
        WORK,
        LWORK,
        Argument { name: "rwork", ..UNNEEDED },
        BWORK,
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("gges").complex(), lapack("gges3").complex()],
};

const COMPQ: Argument = argument("compq", Kind::Job, "whether Q is multiplied by the left transformation");
const COMPZ: Argument = argument("compz", Kind::Job, "whether Z is multiplied by the right transformation");
const S: Argument = argument("a", Kind::Matrix(Write), "the Schur form's S, and then that of the other order");
const P: Argument = argument("b", Kind::Matrix(Write), "the Schur form's P, and then that of the other order");
const Q: Argument = argument("q", Kind::Matrix(Write), "Q, and then its product with the transformation");
const LDQ: Argument = argument("ldq", Kind::LeadingDimension, "leading dimension of Q");
const Z: Argument = argument("z", Kind::Matrix(Write), "Z, and then its product with the transformation");
const LDZ: Argument = argument("ldz", Kind::LeadingDimension, "leading dimension of Z");
const TGSEN_SUMMARY: &str = "Moves selected eigenvalues of a generalised Schur form to its front.";

pub(super) const TGSEN: Routine = Routine {
    name: "tgsen",
    module: "tgsen",
    types: SD,
    summary: TGSEN_SUMMARY,
    notes: &[EITHER, TOO_CLOSE, ON_HOST],
    source: "LAPACK xTGSEN without condition numbers",
    arguments: &[
        LAYOUT, COMPQ, COMPZ, SELECT, ORDER, S, LDA, P, LDB, ALPHAR, ALPHAI, REAL_BETA, Q, LDQ, Z, LDZ, COUNT, INFO,
    ],
    forms: Forms::WAITING,
    standard: &[],
};

pub(super) const TGSEN_COMPLEX: Routine = Routine {
    name: "tgsen",
    module: "tgsen_complex",
    types: CZ,
    summary: TGSEN_SUMMARY,
    notes: &[TOO_CLOSE, ON_HOST],
    source: "LAPACK xTGSEN without condition numbers",
    arguments: &[LAYOUT, COMPQ, COMPZ, SELECT, ORDER, S, LDA, P, LDB, ALPHA, BETA, Q, LDQ, Z, LDZ, COUNT, INFO],
    forms: Forms::WAITING,
    standard: &[],
};
