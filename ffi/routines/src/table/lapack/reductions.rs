//! Reductions to tridiagonal and bidiagonal form, and the eigenvalues and singular values of these.

use super::spectral::{FAILED, IWORK, JOBZ, LDU, LDVT, LIWORK, LRWORK, ON_HOST, READ_A, RWORK, SD, TRIANGLE};
use super::{INFO, LAYOUT, LDA, LDB, LWORK, M, N, ORDER, TAU_IN, TRANS, UNNEEDED, UPLO, WORK};
use crate::table::Access::{Read, Write};
use crate::table::standard::{Ops, lapack};
use crate::table::{Argument, Forms, Kind, Number, Routine, SDCZ, argument};

const REFLECTIONS: &str = "Q is a product of reflections I - tau v v^H, stored as LAPACK stores them.";
const REDUCED: Argument = argument("a", Kind::Matrix(Write), "A, and then the reduced matrix and the reflections");
const REFLECTED: Argument = argument("a", Kind::Matrix(Read), "the reflections");
pub(super) const D_OUT: Argument = argument("d", Kind::Vector(Write, Number::Real), "gets the diagonal");
pub(super) const E_OUT: Argument =
    argument("e", Kind::Vector(Write, Number::Real), "gets the elements beside the diagonal");
const D: Argument = argument("d", Kind::Vector(Write, Number::Real), "the diagonal, and then the values, in order");
const E: Argument =
    argument("e", Kind::Vector(Write, Number::Real), "n - 1 elements beside the diagonal, which are overwritten");
const Z: Argument = argument("z", Kind::Matrix(Write), "gets eigenvectors as columns, where they are wanted");
pub(super) const LDZ: Argument = argument("ldz", Kind::LeadingDimension, "leading dimension of Z");
const C: Argument = argument("c", Kind::Matrix(Write), "C, m by n");
const LDC: Argument = argument("ldc", Kind::LeadingDimension, "leading dimension of C");
const SIDE: Argument = argument("side", Kind::Side, "the side of C on which the factor stands");
const VECT: Argument = argument("vect", Kind::Job, "the factor: Q or P");
const COMPZ: Argument =
    argument("compz", Kind::Job, "whether eigenvectors are computed, those of Z T Z^H or of T itself");
const K_ORDER: Argument = argument("n", Kind::Size, "rows and columns of the matrix");

pub(super) const SYTRD: Routine = Routine {
    name: "sytrd",
    module: "sytrd",
    types: SDCZ,
    summary: "Reduction of a symmetric or Hermitian matrix to real tridiagonal form: Q^H * A * Q = T.",
    notes: &[TRIANGLE, REFLECTIONS, "Of complex types LAPACK's name is hetrd.", ON_HOST],
    source: "LAPACK xSYTRD, xHETRD",
    arguments: &[
        LAYOUT,
        UPLO,
        ORDER,
        REDUCED,
        LDA,
        D_OUT,
        E_OUT,
        argument("tau", Kind::Vector(Write, Number::Element), "gets n - 1 factors of the reflections"),
        WORK,
        LWORK,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("sytrd").real(), lapack("hetrd").complex()],
};

pub(super) const ORGTR: Routine = Routine {
    name: "orgtr",
    module: "orgtr",
    types: SDCZ,
    summary: "The Q of sytrd, in place of its reflections.",
    notes: &["Of complex types LAPACK's name is ungtr.", ON_HOST],
    source: "LAPACK xORGTR, xUNGTR",
    arguments: &[
        LAYOUT,
        UPLO,
        ORDER,
        argument("a", Kind::Matrix(Write), "the reflections, and then Q"),
        LDA,
        argument("tau", Kind::Vector(Read, Number::Element), "n - 1 factors of the reflections"),
        WORK,
        LWORK,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("orgtr").real(), lapack("ungtr").complex()],
};

pub(super) const ORMTR: Routine = Routine {
    name: "ormtr",
    module: "ormtr",
    types: SDCZ,
    summary: "Product with the Q of sytrd: C := op(Q) * C or C * op(Q).",
    notes: &["Of complex types LAPACK's name is unmtr.", ON_HOST],
    source: "LAPACK xORMTR, xUNMTR",
    arguments: &[
        LAYOUT,
        SIDE,
        UPLO,
        TRANS,
        argument("m", Kind::Size, "rows of C"),
        argument("n", Kind::Size, "columns of C"),
        REFLECTED,
        LDA,
        argument("tau", Kind::Vector(Read, Number::Element), "factors of the reflections, one less than Q has rows"),
        C,
        LDC,
        WORK,
        LWORK,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("ormtr").real().ops(Ops::Adjoint), lapack("unmtr").complex().ops(Ops::Adjoint)],
};

const ITERATED: &str = "Returns a positive number where an element is not finite or the iteration does not converge.";

pub(super) const STEQR: Routine = Routine {
    name: "steqr",
    module: "steqr",
    types: SDCZ,
    summary: "Eigenvalues of a real symmetric tridiagonal matrix by QL and QR iteration, and eigenvectors.",
    notes: &["With AFFINIMATH_VECTORS, Z begins as the Q of a reduction.", ITERATED, ON_HOST],
    source: "LAPACK xSTEQR",
    arguments: &[LAYOUT, COMPZ, K_ORDER, D, E, Z, LDZ, UNNEEDED, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("steqr")],
};

pub(super) const STEDC: Routine = Routine {
    name: "stedc",
    module: "stedc",
    types: SDCZ,
    summary: "Eigenvalues of a real symmetric tridiagonal matrix by divide and conquer, and eigenvectors.",
    notes: &["With AFFINIMATH_VECTORS, Z begins as the Q of a reduction.", ITERATED, ON_HOST],
    source: "LAPACK xSTEDC",
    arguments: &[LAYOUT, COMPZ, K_ORDER, D, E, Z, LDZ, WORK, LWORK, RWORK, LRWORK, IWORK, LIWORK, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("stedc").real().without(&["rwork", "lrwork"]), lapack("stedc").complex()],
};

pub(super) const STERF: Routine = Routine {
    name: "sterf",
    module: "sterf",
    types: SD,
    summary: "Eigenvalues of a real symmetric tridiagonal matrix.",
    notes: &[ITERATED, ON_HOST],
    source: "LAPACK xSTERF",
    arguments: &[K_ORDER, D, E, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("sterf")],
};

pub(super) const STEV: Routine = Routine {
    name: "stev",
    module: "stev",
    types: SD,
    summary: "Eigenvalues of a real symmetric tridiagonal matrix, and orthonormal eigenvectors.",
    notes: &[ITERATED, ON_HOST],
    source: "LAPACK xSTEV, xSTEVD",
    arguments: &[LAYOUT, JOBZ, K_ORDER, D, E, Z, LDZ, WORK, LWORK, IWORK, LIWORK, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("stev").without(&["lwork", "iwork", "liwork"]), lapack("stevd")],
};

pub(super) const RANGE: Argument = argument("range", Kind::Range, "which eigenvalues");
pub(super) const VL: Argument =
    argument("vl", Kind::Scalar(Number::Real), "the bound above which eigenvalues by value are");
pub(super) const VU: Argument = argument("vu", Kind::Scalar(Number::Real), "their upper bound, which belongs to them");
pub(super) const IL: Argument =
    argument("il", Kind::Scalar(Number::I64), "the first index of eigenvalues by index, from 1");
pub(super) const IU: Argument = argument("iu", Kind::Scalar(Number::I64), "the last index");
pub(super) const ABSTOL: Argument =
    argument("abstol", Kind::Scalar(Number::Real), "LAPACK's tolerance, which the library does not need");
pub(super) const COUNT: Argument = argument("m", Kind::Iterations, "gets the number of eigenvalues");
pub(super) const SOME_W: Argument =
    argument("w", Kind::Vector(Write, Number::Real), "n elements: gets m eigenvalues in ascending order");
pub(super) const SOME_Z: Argument =
    argument("z", Kind::Matrix(Write), "gets m eigenvectors as columns, where they are wanted");
pub(super) const IFAIL: Argument = argument("ifail", Kind::StandardVector(Number::I32), "gets m zeros");

pub(super) const STEVR: Routine = Routine {
    name: "stevr",
    module: "stevr",
    types: SD,
    summary: "Some eigenvalues of a real symmetric tridiagonal matrix, by value or by index, and their eigenvectors.",
    notes: &["All eigenvalues are computed, to full precision.", ITERATED, ON_HOST],
    source: "LAPACK xSTEVR",
    arguments: &[
        LAYOUT,
        JOBZ,
        RANGE,
        K_ORDER,
        argument("d", Kind::Vector(Write, Number::Real), "the diagonal"),
        argument("e", Kind::Vector(Write, Number::Real), "n - 1 elements beside the diagonal"),
        VL,
        VU,
        IL,
        IU,
        ABSTOL,
        COUNT,
        SOME_W,
        SOME_Z,
        LDZ,
        argument("isuppz", Kind::StandardVector(Number::I32), "gets the rows that eigenvectors may have"),
        WORK,
        LWORK,
        IWORK,
        LIWORK,
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("stevr")],
};

pub(super) const SYEVX: Routine = Routine {
    name: "syevx",
    module: "syevx",
    types: SDCZ,
    summary: "Some eigenvalues of a symmetric or Hermitian matrix, by value or by index, and their eigenvectors: as \
     syevr, under LAPACK's older name.",
    notes: &[TRIANGLE, FAILED, "A is not changed.", "Of complex types LAPACK's name is heevx.", ON_HOST],
    source: "LAPACK xSYEVX, xHEEVX",
    arguments: &[
        LAYOUT,
        JOBZ,
        RANGE,
        UPLO,
        ORDER,
        READ_A,
        LDA,
        VL,
        VU,
        IL,
        IU,
        ABSTOL,
        COUNT,
        SOME_W,
        SOME_Z,
        LDZ,
        WORK,
        LWORK,
        Argument { name: "rwork", ..UNNEEDED },
        Argument { name: "iwork", ..UNNEEDED },
        IFAIL,
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("syevx").real().without(&["rwork"]), lapack("heevx").complex()],
};

pub(super) const SYGVX: Routine = Routine {
    name: "sygvx",
    module: "sygvx",
    types: SDCZ,
    summary: "Some eigenvalues of a symmetric or Hermitian A and a positive definite B, by value or by index, and \
     their eigenvectors.",
    notes: &[
        TRIANGLE,
        "Eigenvectors X have X^H B X = I, of type 3 X^H B^-1 X = I. B's triangle gets its Cholesky factor.",
        FAILED,
        "Returns n + i where the leading minor of order i of B is not positive.",
        "Of complex types LAPACK's name is hegvx.",
        ON_HOST,
    ],
    source: "LAPACK xSYGVX, xHEGVX",
    arguments: &[
        LAYOUT,
        argument("itype", Kind::Scalar(Number::I64), "1: A x = lambda B x; 2: A B x = lambda x; 3: B A x = lambda x"),
        JOBZ,
        RANGE,
        UPLO,
        ORDER,
        argument("a", Kind::Matrix(Write), "A, whose triangle may be overwritten"),
        LDA,
        argument("b", Kind::Matrix(Write), "B, and then its Cholesky factor"),
        LDB,
        VL,
        VU,
        IL,
        IU,
        ABSTOL,
        COUNT,
        SOME_W,
        SOME_Z,
        LDZ,
        WORK,
        LWORK,
        Argument { name: "rwork", ..UNNEEDED },
        Argument { name: "iwork", ..UNNEEDED },
        IFAIL,
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("sygvx").real().without(&["rwork"]), lapack("hegvx").complex()],
};

pub(super) const GEBRD: Routine = Routine {
    name: "gebrd",
    module: "gebrd",
    types: SDCZ,
    summary: "Reduction of a matrix to real bidiagonal form: Q^H * A * P = B.",
    notes: &["B is upper bidiagonal where m >= n, else lower bidiagonal.", REFLECTIONS, "So is P.", ON_HOST],
    source: "LAPACK xGEBRD",
    arguments: &[
        LAYOUT,
        M,
        N,
        REDUCED,
        LDA,
        D_OUT,
        E_OUT,
        argument("tauq", Kind::Vector(Write, Number::Element), "gets min(m, n) factors of Q's reflections"),
        argument("taup", Kind::Vector(Write, Number::Element), "gets min(m, n) factors of P's reflections"),
        WORK,
        LWORK,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("gebrd")],
};

pub(super) const ORGBR: Routine = Routine {
    name: "orgbr",
    module: "orgbr",
    types: SDCZ,
    summary: "The first columns of the Q of gebrd, or the first rows of its P^H, in place of the reflections.",
    notes: &["Of complex types LAPACK's name is ungbr.", ON_HOST],
    source: "LAPACK xORGBR, xUNGBR",
    arguments: &[
        LAYOUT,
        VECT,
        argument("m", Kind::Size, "rows of Q or P^H"),
        argument("n", Kind::Size, "columns of Q or P^H"),
        argument("k", Kind::Size, "gebrd's columns where Q is formed, its rows where P^H is"),
        argument("a", Kind::Matrix(Write), "the reflections, and then Q or P^H"),
        LDA,
        TAU_IN,
        WORK,
        LWORK,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("orgbr").real(), lapack("ungbr").complex()],
};

pub(super) const ORMBR: Routine = Routine {
    name: "ormbr",
    module: "ormbr",
    types: SDCZ,
    summary: "Product with the Q or the P of gebrd: C := op(Q) * C or C * op(Q).",
    notes: &["Of complex types LAPACK's name is unmbr.", ON_HOST],
    source: "LAPACK xORMBR, xUNMBR",
    arguments: &[
        LAYOUT,
        VECT,
        SIDE,
        TRANS,
        argument("m", Kind::Size, "rows of C"),
        argument("n", Kind::Size, "columns of C"),
        argument("k", Kind::Size, "gebrd's columns of Q, its rows of P"),
        REFLECTED,
        LDA,
        TAU_IN,
        C,
        LDC,
        WORK,
        LWORK,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("ormbr").real().ops(Ops::Adjoint), lapack("unmbr").complex().ops(Ops::Adjoint)],
};

pub(super) const BDSQR: Routine = Routine {
    name: "bdsqr",
    module: "bdsqr",
    types: SDCZ,
    summary: "Singular values of a real bidiagonal matrix B = Q * diag(s) * P^T by QR iteration, each to high relative \
     accuracy, and products with Q and P.",
    notes: &[ITERATED, ON_HOST],
    source: "LAPACK xBDSQR",
    arguments: &[
        LAYOUT,
        argument("uplo", Kind::Triangle, "the side of the diagonal on which the elements of e are"),
        K_ORDER,
        argument("ncvt", Kind::Size, "columns of VT"),
        argument("nru", Kind::Size, "rows of U"),
        argument("ncc", Kind::Size, "columns of C"),
        D,
        E,
        argument("vt", Kind::Matrix(Write), "VT, n by ncvt, and then P^T * VT"),
        LDVT,
        argument("u", Kind::Matrix(Write), "U, nru by n, and then U * Q"),
        LDU,
        argument("c", Kind::Matrix(Write), "C, n by ncc, and then Q^T * C"),
        LDC,
        UNNEEDED,
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("bdsqr")],
};
