//! LAPACK: factorisations of dense matrices, solutions, inverses and norms.

mod band;
mod expert;
mod generalised;
mod indefinite;
mod mixed;
mod norms;
pub(super) mod packed;
mod pivoted;
mod reductions;
mod schur;
mod spectral;
mod tridiagonal;

use super::Access::{Read, Write};
use super::standard::{Ops, lapack};
use super::{Argument, Family, Forms, Kind, Number, Routine, SDCZ, argument};
use band::{GBSV, GBTRF, GBTRS, PBSV, PBTRF, PBTRS, SBEV, SBEVX, SBTRD};
use expert::{
    GBCON, GEEQU, GEEQUB, GERFS, GESVX, GTCON, GTRFS, GTSVX, HECON, HECON_ROOK, HERFS, HESV_ROOK, HESVX, HETRF_ROOK,
    HETRI_ROOK, HETRS_ROOK, POEQU, POEQUB, PORFS, POSVX, PTCON, PTRFS, PTRFS_COMPLEX, PTSVX, SYCON, SYCON_ROOK, SYEQUB,
    SYGST, SYRFS, SYSV_ROOK, SYSVX, SYTRF_ROOK, SYTRI_ROOK, SYTRS_ROOK, TBTRS,
};
use generalised::{GGES, GGES_COMPLEX, GGEV, GGEV_COMPLEX, TGSEN, TGSEN_COMPLEX};
use indefinite::{HESV, HETRF, HETRI, HETRS, SYSV, SYTRF, SYTRI, SYTRS};
use mixed::{GESV_MIXED, POSV_MIXED};
use norms::{GECON, LANGE, LANHE, LANSY, LANTR, POCON, TRCON};
use pivoted::{GELSY, GEQP3};
use reductions::{BDSQR, GEBRD, ORGBR, ORGTR, ORMBR, ORMTR, STEDC, STEQR, STERF, STEV, STEVR, SYEVX, SYGVX, SYTRD};
use schur::{
    GEBAK, GEBAL, GEES, GEES_COMPLEX, GEEVX, GEEVX_COMPLEX, GEHRD, HSEQR, HSEQR_COMPLEX, ORGHR, ORMHR, TREVC,
    TREVC_COMPLEX, TREXC, TREXC_COMPLEX, TRSEN, TRSEN_COMPLEX, TRSNA, TRSYL,
};
use spectral::{GEEV, GEEV_COMPLEX, GELSD, GESDD, GESVD, SYEV, SYEVR, SYGV};
use tridiagonal::{GTSV, GTTRF, GTTRS, PTSV, PTTRF, PTTRS, PTTRS_COMPLEX};

pub(super) const FAMILY: Family = Family {
    path: "lapack",
    home: "affinimath_abi",
    title: "LAPACK: factorisations of dense, band and tridiagonal matrices, eigenvalues and singular values",
    routines: &[
        GETRF,
        GETRS,
        GESV,
        GETRI,
        LASWP,
        POTRF,
        POTRS,
        POSV,
        POTRI,
        GEQRF,
        GEQP3,
        ORGQR,
        ORMQR,
        GELS,
        GELSY,
        TRTRI,
        TRTRS,
        LAUUM,
        LANGE,
        LANSY,
        LANHE,
        LANTR,
        GECON,
        POCON,
        TRCON,
        GESV_MIXED,
        POSV_MIXED,
        GTTRF,
        GTTRS,
        GTSV,
        PTTRF,
        PTTRS,
        PTTRS_COMPLEX,
        PTSV,
        GBTRF,
        GBTRS,
        GBSV,
        PBTRF,
        PBTRS,
        PBSV,
        SYTRF,
        SYTRS,
        SYSV,
        SYTRI,
        HETRF,
        HETRS,
        HESV,
        HETRI,
        SYEV,
        SYEVR,
        SYGV,
        GEEV,
        GEEV_COMPLEX,
        GESVD,
        GESDD,
        GELSD,
        SYEVX,
        SYGVX,
        SYTRD,
        ORGTR,
        ORMTR,
        STERF,
        STEQR,
        STEDC,
        STEV,
        STEVR,
        GEBRD,
        ORGBR,
        ORMBR,
        BDSQR,
        GEBAL,
        GEBAK,
        GEHRD,
        ORGHR,
        ORMHR,
        HSEQR,
        HSEQR_COMPLEX,
        TREVC,
        TREVC_COMPLEX,
        TREXC,
        TREXC_COMPLEX,
        TRSEN,
        TRSEN_COMPLEX,
        TRSNA,
        TRSYL,
        GEES,
        GEES_COMPLEX,
        GEEVX,
        GEEVX_COMPLEX,
        GGEV,
        GGEV_COMPLEX,
        GGES,
        GGES_COMPLEX,
        TGSEN,
        TGSEN_COMPLEX,
        SBTRD,
        SBEV,
        SBEVX,
        GEEQU,
        GEEQUB,
        POEQU,
        POEQUB,
        SYEQUB,
        GERFS,
        PORFS,
        SYRFS,
        HERFS,
        GESVX,
        POSVX,
        SYSVX,
        HESVX,
        SYCON,
        HECON,
        SYTRF_ROOK,
        SYTRS_ROOK,
        SYSV_ROOK,
        SYTRI_ROOK,
        SYCON_ROOK,
        HETRF_ROOK,
        HETRS_ROOK,
        HESV_ROOK,
        HETRI_ROOK,
        HECON_ROOK,
        GBCON,
        GTCON,
        PTCON,
        GTRFS,
        GTSVX,
        PTRFS,
        PTRFS_COMPLEX,
        PTSVX,
        TBTRS,
        SYGST,
    ],
};

const SINGULAR: &str = "Returns i where pivot i is exactly zero: the factorisation is complete, but U is singular.";
const UNSOLVED: &str = "Returns i where pivot i is exactly zero: A is factorised, and B is as it was.";
const INDEFINITE: &str = "Returns i where the leading minor of order i is not positive; then A is partly overwritten.";
const ZERO: &str = "Returns i where element i of the diagonal is zero: nothing is changed.";
const TRIANGLE: &str = "Only the triangle that uplo names is read and written; its diagonal is taken as real.";
const REFLECTIONS: &str = "Q is a product of reflections I - tau v v^H; the first element of v is 1 and not stored.";

const LAYOUT: Argument = argument("layout", Kind::Layout, "how the matrices lie in memory");
const UPLO: Argument = argument("uplo", Kind::Triangle, "the triangle that is stored");
const DIAG: Argument = argument("diag", Kind::Diagonal, "whether the diagonal is stored or all ones");
const TRANS: Argument = argument("trans", Kind::Op, "op of the matrix");
const M: Argument = argument("m", Kind::Size, "rows of A");
const N: Argument = argument("n", Kind::Size, "columns of A");
const ORDER: Argument = argument("n", Kind::Size, "rows and columns of A");
const NRHS: Argument = argument("nrhs", Kind::Size, "columns of B");
const A: Argument = argument("a", Kind::Matrix(Write), "A, and then its factors");
const FACTORS: Argument = argument("a", Kind::Matrix(Read), "the factors of A");
const LDA: Argument = argument("lda", Kind::LeadingDimension, "leading dimension of A");
const B: Argument = argument("b", Kind::Matrix(Write), "B, and then X");
const LDB: Argument = argument("ldb", Kind::LeadingDimension, "leading dimension of B");
const PIVOTS_OUT: Argument = argument(
    "ipiv",
    Kind::Vector(Write, Number::I32),
    "min(m, n) pivots: row i was interchanged with row ipiv[i], both counted from 1",
);
const PIVOTS_IN: Argument = argument("ipiv", Kind::Vector(Read, Number::I32), "getrf's pivots");
const INFO: Argument = argument("info", Kind::Info, "gets 0, or what the host form returns for what it found");
const TAU_OUT: Argument = argument("tau", Kind::Vector(Write, Number::Element), "min(m, n) factors of the reflections");
const TAU_IN: Argument = argument("tau", Kind::Vector(Read, Number::Element), "k factors of the reflections");
const WORK: Argument = argument("work", Kind::Workspace, "workspace, which the library does not need");
const UNNEEDED: Argument = argument("work", Kind::UnneededWorkspace, "workspace, which the library does not need");
const LWORK: Argument = argument("lwork", Kind::WorkspaceLength, "its elements");

const GETRF: Routine = Routine {
    name: "getrf",
    module: "getrf",
    types: SDCZ,
    summary: "LU factorisation with partial pivoting, in place: P * A = L * U.",
    notes: &["L is unit lower trapezoidal, U upper trapezoidal.", SINGULAR],
    source: "LAPACK xGETRF",
    arguments: &[LAYOUT, M, N, A, LDA, PIVOTS_OUT, INFO],
    forms: Forms::BOTH,
    standard: &[lapack("getrf")],
};

const GETRS: Routine = Routine {
    name: "getrs",
    module: "getrs",
    types: SDCZ,
    summary: "Solution of op(A) * X = B with getrf's factors, in B's place.",
    notes: &[],
    source: "LAPACK xGETRS",
    arguments: &[LAYOUT, TRANS, ORDER, NRHS, FACTORS, LDA, PIVOTS_IN, B, LDB],
    forms: Forms::BOTH,
    standard: &[lapack("getrs")],
};

const GESV: Routine = Routine {
    name: "gesv",
    module: "gesv",
    types: SDCZ,
    summary: "Solution of A * X = B by LU factorisation with partial pivoting: getrf and getrs.",
    notes: &[UNSOLVED],
    source: "LAPACK xGESV",
    arguments: &[LAYOUT, ORDER, NRHS, A, LDA, PIVOTS_OUT, B, LDB, INFO],
    forms: Forms::BOTH,
    standard: &[lapack("gesv")],
};

const GETRI: Routine = Routine {
    name: "getri",
    module: "getri",
    types: SDCZ,
    summary: "Inverse of a matrix from getrf's factors, in their place.",
    notes: &[ZERO],
    source: "LAPACK xGETRI",
    arguments: &[
        LAYOUT,
        ORDER,
        argument("a", Kind::Matrix(Write), "getrf's factors, and then the inverse"),
        LDA,
        PIVOTS_IN,
        WORK,
        LWORK,
        INFO,
    ],
    forms: Forms::BOTH,
    standard: &[lapack("getri")],
};

const LASWP: Routine = Routine {
    name: "laswp",
    module: "laswp",
    types: SDCZ,
    summary: "Interchanges of rows, one after another, as getrf's pivots name them.",
    notes: &[
        "With n, incx = 0 or without rows nothing changes, and no pointer is looked at.",
        "Of a memory object, A is all the rows for which it has room; a pivot that is none of them is passed over.",
    ],
    source: "LAPACK xLASWP",
    arguments: &[
        LAYOUT,
        argument("n", Kind::Length, "columns of A"),
        argument("a", Kind::Matrix(Write), "A, which has at least the rows that are named"),
        LDA,
        argument("k1", Kind::Stride, "the first row to be interchanged, counted from 1"),
        argument("k2", Kind::Stride, "the last one"),
        argument("ipiv", Kind::Vector(Read, Number::I32), "row i's partner is element k1 + (i - k1) |incx|, from 1"),
        argument("incx", Kind::Stride, "elements from a pivot to the next; negative: from the last row to the first"),
    ],
    forms: Forms::BOTH,
    standard: &[lapack("laswp").without_info()],
};

const POTRF: Routine = Routine {
    name: "potrf",
    module: "potrf",
    types: SDCZ,
    summary: "Cholesky's factorisation of a positive definite matrix, in place: A = L * L^H or U^H * U.",
    notes: &[TRIANGLE, INDEFINITE],
    source: "LAPACK xPOTRF",
    arguments: &[LAYOUT, UPLO, ORDER, A, LDA, INFO],
    forms: Forms::BOTH,
    standard: &[lapack("potrf")],
};

const POTRS: Routine = Routine {
    name: "potrs",
    module: "potrs",
    types: SDCZ,
    summary: "Solution of A * X = B with potrf's factor, in B's place.",
    notes: &[],
    source: "LAPACK xPOTRS",
    arguments: &[LAYOUT, UPLO, ORDER, NRHS, FACTORS, LDA, B, LDB],
    forms: Forms::BOTH,
    standard: &[lapack("potrs")],
};

const POSV: Routine = Routine {
    name: "posv",
    module: "posv",
    types: SDCZ,
    summary: "Solution of A * X = B for a positive definite A by Cholesky's factorisation: potrf and potrs.",
    notes: &[TRIANGLE, INDEFINITE, "Then B is as it was."],
    source: "LAPACK xPOSV",
    arguments: &[LAYOUT, UPLO, ORDER, NRHS, A, LDA, B, LDB, INFO],
    forms: Forms::BOTH,
    standard: &[lapack("posv")],
};

const POTRI: Routine = Routine {
    name: "potri",
    module: "potri",
    types: SDCZ,
    summary: "A triangle of the inverse of a positive definite matrix, from potrf's factor in its place.",
    notes: &[ZERO],
    source: "LAPACK xPOTRI",
    arguments: &[
        LAYOUT,
        UPLO,
        ORDER,
        argument("a", Kind::Matrix(Write), "potrf's factor, and then the inverse's triangle"),
        LDA,
        INFO,
    ],
    forms: Forms::BOTH,
    standard: &[lapack("potri")],
};

const GEQRF: Routine = Routine {
    name: "geqrf",
    module: "geqrf",
    types: SDCZ,
    summary: "QR factorisation, in place: A = Q * R.",
    notes: &[REFLECTIONS, "R, whose diagonal is real, is on and above the diagonal, the vectors v below it."],
    source: "LAPACK xGEQRF",
    arguments: &[LAYOUT, M, N, A, LDA, TAU_OUT, WORK, LWORK],
    forms: Forms::BOTH,
    standard: &[lapack("geqrf")],
};

const ORGQR: Routine = Routine {
    name: "orgqr",
    module: "orgqr",
    types: SDCZ,
    summary: "The first n columns of the Q of k reflections, which geqrf left in A's first columns.",
    notes: &[REFLECTIONS, "Of complex types LAPACK's name is ungqr."],
    source: "LAPACK xORGQR, xUNGQR",
    arguments: &[
        LAYOUT,
        argument("m", Kind::Size, "rows of Q"),
        argument("n", Kind::Size, "columns of Q, at most m"),
        argument("k", Kind::Size, "reflections, at most n"),
        argument("a", Kind::Matrix(Write), "the reflections, and then Q"),
        LDA,
        TAU_IN,
        WORK,
        LWORK,
    ],
    forms: Forms::BOTH,
    standard: &[lapack("orgqr").real(), lapack("ungqr").complex()],
};

const ORMQR: Routine = Routine {
    name: "ormqr",
    module: "ormqr",
    types: SDCZ,
    summary: "Product with the Q of k reflections, which geqrf left: C := op(Q) * C or C * op(Q).",
    notes: &[REFLECTIONS, "Of complex types LAPACK's name is unmqr."],
    source: "LAPACK xORMQR, xUNMQR",
    arguments: &[
        LAYOUT,
        argument("side", Kind::Side, "the side of C on which Q stands"),
        argument("trans", Kind::Op, "op of Q"),
        argument("m", Kind::Size, "rows of C"),
        argument("n", Kind::Size, "columns of C"),
        argument("k", Kind::Size, "reflections, at most as many as Q has rows"),
        argument("a", Kind::Matrix(Read), "the reflections, in k columns of as many rows as Q has"),
        LDA,
        TAU_IN,
        argument("c", Kind::Matrix(Write), "C, m by n"),
        argument("ldc", Kind::LeadingDimension, "leading dimension of C"),
        WORK,
        LWORK,
    ],
    forms: Forms::BOTH,
    standard: &[lapack("ormqr").real().ops(Ops::Adjoint), lapack("unmqr").complex().ops(Ops::Adjoint)],
};

const GELS: Routine = Routine {
    name: "gels",
    module: "gels",
    types: SDCZ,
    summary: "Least squares, or the solution of least norm: the x that minimises ||b - op(A) * x|| for each column of \
     B.",
    notes: &[
        "A has full rank; it is overwritten by its factors. op is A itself or its adjoint.",
        "Returns i where element i on the diagonal of the triangular factor is zero: there is no solution.",
    ],
    source: "LAPACK xGELS",
    arguments: &[
        LAYOUT,
        TRANS,
        M,
        N,
        NRHS,
        A,
        LDA,
        argument("b", Kind::Matrix(Write), "max(m, n) rows: B in the first ones, and then X"),
        LDB,
        WORK,
        LWORK,
        INFO,
    ],
    forms: Forms::BOTH,
    standard: &[lapack("gels").ops(Ops::Adjoint)],
};

const TRTRI: Routine = Routine {
    name: "trtri",
    module: "trtri",
    types: SDCZ,
    summary: "Inverse of a triangular matrix, in its place.",
    notes: &["The other triangle, and a diagonal of ones, are not touched.", ZERO],
    source: "LAPACK xTRTRI",
    arguments: &[
        LAYOUT,
        UPLO,
        DIAG,
        ORDER,
        argument("a", Kind::Matrix(Write), "the triangle, and then its inverse"),
        LDA,
        INFO,
    ],
    forms: Forms::BOTH,
    standard: &[lapack("trtri")],
};

const TRTRS: Routine = Routine {
    name: "trtrs",
    module: "trtrs",
    types: SDCZ,
    summary: "Solution of op(A) * X = B for a triangular A, in B's place.",
    notes: &[ZERO],
    source: "LAPACK xTRTRS",
    arguments: &[
        LAYOUT,
        UPLO,
        TRANS,
        DIAG,
        ORDER,
        NRHS,
        argument("a", Kind::Matrix(Read), "the triangle"),
        LDA,
        B,
        LDB,
        INFO,
    ],
    forms: Forms::BOTH,
    standard: &[lapack("trtrs")],
};

const LAUUM: Routine = Routine {
    name: "lauum",
    module: "lauum",
    types: SDCZ,
    summary: "Product of a triangular factor with its adjoint, in its place: U * U^H or L^H * L.",
    notes: &[TRIANGLE],
    source: "LAPACK xLAUUM",
    arguments: &[
        LAYOUT,
        UPLO,
        ORDER,
        argument("a", Kind::Matrix(Write), "the factor, and then the triangle of the product"),
        LDA,
    ],
    forms: Forms::BOTH,
    standard: &[lapack("lauum")],
};
