//! Eigenvalues, singular values, and least squares by them.

use super::{B, INFO, LAYOUT, LDA, LDB, LWORK, M, N, NRHS, ORDER, UNNEEDED, UPLO, WORK};
use crate::table::Access::{Read, Write};
use crate::table::standard::lapack;
use crate::table::{Argument, Forms, Kind, Number, Routine, SDCZ, TypeVariant, argument};

/// The real types.
pub(super) const SD: &[TypeVariant] = &[SDCZ[0], SDCZ[1]];
/// The complex types.
pub(super) const CZ: &[TypeVariant] = &[SDCZ[2], SDCZ[3]];

pub(super) const JOBZ: Argument = argument("jobz", Kind::Job, "whether eigenvectors are computed");
pub(super) const ON_HOST: &str = "It is computed on the host; the form on memory objects copies them there and back.";
pub(super) const FAILED: &str =
    "Returns a positive number where an element is not finite or the iteration does not converge.";
pub(super) const TRIANGLE: &str =
    "Of a symmetric or Hermitian matrix one triangle is read, and of its diagonal the real parts.";
pub(super) const W: Argument =
    argument("w", Kind::Vector(Write, Number::Real), "gets n eigenvalues in ascending order");
pub(super) const RWORK: Argument =
    argument("rwork", Kind::RealWorkspace, "real workspace, which the library does not need");
pub(super) const LRWORK: Argument = argument("lrwork", Kind::WorkspaceLength, "its elements");
pub(super) const IWORK: Argument =
    argument("iwork", Kind::IntegerWorkspace, "integers, which the library does not need");
pub(super) const LIWORK: Argument = argument("liwork", Kind::WorkspaceLength, "their count");
const VECTORS_IN_A: Argument = argument("a", Kind::Matrix(Write), "A, and then eigenvectors where they are wanted");
pub(super) const READ_A: Argument = argument("a", Kind::Matrix(Read), "A");

pub(super) const SYEV: Routine = Routine {
    name: "syev",
    module: "syev",
    types: SDCZ,
    summary: "Eigenvalues of a symmetric or Hermitian matrix, and orthonormal eigenvectors in its place.",
    notes: &[TRIANGLE, FAILED, "Of complex types LAPACK's name is heev.", ON_HOST],
    source: "LAPACK xSYEV, xHEEV, xSYEVD, xHEEVD",
    arguments: &[LAYOUT, JOBZ, UPLO, ORDER, VECTORS_IN_A, LDA, W, WORK, LWORK, RWORK, LRWORK, IWORK, LIWORK, INFO],
    forms: Forms::WAITING,
    standard: &[
        lapack("syev").real().without(&["rwork", "lrwork", "iwork", "liwork"]),
        lapack("syevd").real().without(&["rwork", "lrwork"]),
        lapack("heev").complex().without(&["lrwork", "iwork", "liwork"]),
        lapack("heevd").complex(),
    ],
};

pub(super) const SYEVR: Routine = Routine {
    name: "syevr",
    module: "syevr",
    types: SDCZ,
    summary: "Some eigenvalues of a symmetric or Hermitian matrix, by value or by index, and their eigenvectors.",
    notes: &[
        TRIANGLE,
        FAILED,
        "All eigenvalues are computed, to full precision, and the eigenvectors that are wanted. A is not changed.",
        "Of complex types LAPACK's name is heevr.",
        ON_HOST,
    ],
    source: "LAPACK xSYEVR, xHEEVR",
    arguments: &[
        LAYOUT,
        JOBZ,
        argument("range", Kind::Range, "which eigenvalues"),
        UPLO,
        ORDER,
        READ_A,
        LDA,
        argument("vl", Kind::Scalar(Number::Real), "the bound above which eigenvalues by value are"),
        argument("vu", Kind::Scalar(Number::Real), "their upper bound, which belongs to them"),
        argument("il", Kind::Scalar(Number::I64), "the first index of eigenvalues by index, from 1"),
        argument("iu", Kind::Scalar(Number::I64), "the last index"),
        argument("abstol", Kind::Scalar(Number::Real), "LAPACK's tolerance, which the library does not need"),
        argument("m", Kind::Iterations, "gets the number of eigenvalues"),
        argument("w", Kind::Vector(Write, Number::Real), "n elements: gets m eigenvalues in ascending order"),
        argument("z", Kind::Matrix(Write), "gets m eigenvectors as columns, where they are wanted"),
        argument("ldz", Kind::LeadingDimension, "leading dimension of Z"),
        argument("isuppz", Kind::StandardVector(Number::I32), "gets the rows that eigenvectors may have"),
        WORK,
        LWORK,
        RWORK,
        LRWORK,
        IWORK,
        LIWORK,
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("syevr").real().without(&["rwork", "lrwork"]), lapack("heevr").complex()],
};

pub(super) const SYGV: Routine = Routine {
    name: "sygv",
    module: "sygv",
    types: SDCZ,
    summary: "Eigenvalues of a symmetric or Hermitian A and a positive definite B, and eigenvectors in A's place.",
    notes: &[
        TRIANGLE,
        "Eigenvectors X have X^H B X = I, of type 3 X^H B^-1 X = I. B's triangle gets its Cholesky factor.",
        FAILED,
        "Returns n + i where the leading minor of order i of B is not positive.",
        "Of complex types LAPACK's name is hegv.",
        ON_HOST,
    ],
    source: "LAPACK xSYGV, xHEGV, xSYGVD, xHEGVD",
    arguments: &[
        LAYOUT,
        argument("itype", Kind::Scalar(Number::I64), "1: A x = lambda B x; 2: A B x = lambda x; 3: B A x = lambda x"),
        JOBZ,
        UPLO,
        ORDER,
        VECTORS_IN_A,
        LDA,
        argument("b", Kind::Matrix(Write), "B, and then its Cholesky factor"),
        LDB,
        W,
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
        lapack("sygv").real().without(&["rwork", "lrwork", "iwork", "liwork"]),
        lapack("sygvd").real().without(&["rwork", "lrwork"]),
        lapack("hegv").complex().without(&["lrwork", "iwork", "liwork"]),
        lapack("hegvd").complex(),
    ],
};

pub(super) const JOBVL: Argument = argument("jobvl", Kind::Job, "whether left eigenvectors are computed");
pub(super) const JOBVR: Argument = argument("jobvr", Kind::Job, "whether right eigenvectors are computed");
pub(super) const VL: Argument =
    argument("vl", Kind::Matrix(Write), "gets left eigenvectors as columns: u^H A = lambda u^H");
pub(super) const LDVL: Argument = argument("ldvl", Kind::LeadingDimension, "leading dimension of VL");
pub(super) const VR: Argument =
    argument("vr", Kind::Matrix(Write), "gets right eigenvectors as columns: A v = lambda v");
pub(super) const LDVR: Argument = argument("ldvr", Kind::LeadingDimension, "leading dimension of VR");
const LENGTH: &str = "Vectors have length 1, and their largest element is real. A is not changed.";

pub(super) const GEEV: Routine = Routine {
    name: "geev",
    module: "geev",
    types: SD,
    summary: "Eigenvalues of a general matrix, and left and right eigenvectors.",
    notes: &[
        "Complex eigenvalues come in adjacent pairs, the one with the positive imaginary part first. Its column has \
         the real parts of the vector, the next one the imaginary parts.",
        LENGTH,
        FAILED,
        ON_HOST,
    ],
    source: "LAPACK xGEEV",
    arguments: &[
        LAYOUT,
        JOBVL,
        JOBVR,
        ORDER,
        READ_A,
        LDA,
        argument("wr", Kind::Vector(Write, Number::Real), "gets the real parts of n eigenvalues"),
        argument("wi", Kind::Vector(Write, Number::Real), "gets their imaginary parts"),
        VL,
        LDVL,
        VR,
        LDVR,
        WORK,
        LWORK,
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("geev").real()],
};

pub(super) const GEEV_COMPLEX: Routine = Routine {
    name: "geev",
    module: "geev_complex",
    types: CZ,
    summary: "Eigenvalues of a general complex matrix, and left and right eigenvectors.",
    notes: &[LENGTH, FAILED, ON_HOST],
    source: "LAPACK xGEEV",
    arguments: &[
        LAYOUT,
        JOBVL,
        JOBVR,
        ORDER,
        READ_A,
        LDA,
        argument("w", Kind::Vector(Write, Number::Element), "gets n eigenvalues"),
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
    standard: &[lapack("geev").complex()],
};

const S: Argument =
    argument("s", Kind::Vector(Write, Number::Real), "gets min(m, n) singular values in descending order");
const U: Argument = argument("u", Kind::Matrix(Write), "gets left singular vectors as columns");
pub(super) const LDU: Argument = argument("ldu", Kind::LeadingDimension, "leading dimension of U");
const VT: Argument = argument("vt", Kind::Matrix(Write), "gets right singular vectors as rows: V^H");
pub(super) const LDVT: Argument = argument("ldvt", Kind::LeadingDimension, "leading dimension of VT");
const OVERWRITTEN: Argument = argument("a", Kind::Matrix(Write), "A, which vectors may overwrite");

pub(super) const GESVD: Routine = Routine {
    name: "gesvd",
    module: "gesvd",
    types: SDCZ,
    summary: "Singular values of a matrix, and singular vectors: A = U * diag(s) * V^H.",
    notes: &["One kind of vectors may overwrite A, which else is not changed.", FAILED, ON_HOST],
    source: "LAPACK xGESVD",
    arguments: &[
        LAYOUT,
        argument("jobu", Kind::Job, "which left singular vectors are computed"),
        argument("jobvt", Kind::Job, "which right singular vectors are computed"),
        M,
        N,
        OVERWRITTEN,
        LDA,
        S,
        U,
        LDU,
        VT,
        LDVT,
        argument("superb", Kind::StandardVector(Number::Real), "gets min(m, n) - 1 zeros"),
        WORK,
        LWORK,
        RWORK,
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("gesvd").real().without(&["rwork"]), lapack("gesvd").complex()],
};

pub(super) const GESDD: Routine = Routine {
    name: "gesdd",
    module: "gesdd",
    types: SDCZ,
    summary: "Singular values of a matrix, and singular vectors, all of one kind: A = U * diag(s) * V^H.",
    notes: &[
        "Where vectors overwrite A, those along its longer side do, and the others are all computed.",
        FAILED,
        ON_HOST,
    ],
    source: "LAPACK xGESDD",
    arguments: &[
        LAYOUT,
        argument("jobz", Kind::Job, "which singular vectors are computed"),
        M,
        N,
        OVERWRITTEN,
        LDA,
        S,
        U,
        LDU,
        VT,
        LDVT,
        WORK,
        LWORK,
        RWORK,
        Argument { name: "iwork", ..UNNEEDED },
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("gesdd").real().without(&["rwork"]), lapack("gesdd").complex()],
};

pub(super) const GELSD: Routine = Routine {
    name: "gelsd",
    module: "gelsd",
    types: SDCZ,
    summary: "Least squares of any rank by singular values: for each column b of B the x of least norm that minimises \
     ||b - A * x||.",
    notes: &[
        "Singular values of at most rcond times the largest one count as zero; a negative rcond stands for epsilon.",
        "B has max(m, n) rows: b in the first m, then x in the first n. Where the rank is n < m, the sum of squares of \
         rows n to m is that of the residual.",
        FAILED,
        ON_HOST,
    ],
    source: "LAPACK xGELSD, xGELSS",
    arguments: &[
        LAYOUT,
        M,
        N,
        NRHS,
        argument("a", Kind::Matrix(Write), "A, and then right singular vectors in its first min(m, n) rows"),
        LDA,
        B,
        LDB,
        S,
        argument("rcond", Kind::Scalar(Number::Real), "the least reciprocal condition; not NaN"),
        argument("rank", Kind::Iterations, "gets the rank of A"),
        WORK,
        LWORK,
        RWORK,
        IWORK,
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[
        lapack("gelsd").real().without(&["rwork"]),
        lapack("gelsd").complex(),
        lapack("gelss").real().without(&["rwork", "iwork"]),
        lapack("gelss").complex().without(&["iwork"]),
    ],
};
