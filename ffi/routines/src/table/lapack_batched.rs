//! LAPACK on batches: many small matrices of one shape in one call.

use super::Access::{Read, Write};
use super::{Argument, Family, Forms, Kind, Number, Routine, SDCZ, argument};

pub(super) const FAMILY: Family = Family {
    path: "lapack/batched",
    home: "affinimath_abi",
    title: "LAPACK on batches: many small matrices of one shape",
    routines: &[GETRF, GETRS, GESV, POTRF, POTRS, POSV, GEQRF, GTSV, GBTRF, GBTRS, GBSV, SYEV, GESVD],
};

const APART: &str = "Neighbouring matrices begin a stride apart, in elements, at least 0, and their pivots or tau \
    likewise. What is written must not overlap.";
const INFOS: &str = "Each matrix has an info of its own, and does not disturb the others: what LAPACK returns for one \
    matrix is there, and the function returns 0 all the same.";
const SINGULAR: &str = "info[i] is the number of matrix i's first pivot that is exactly zero: its factorisation is \
    complete, but U is singular.";
const INDEFINITE: &str =
    "info[i] is the order of matrix i's first leading minor that is not positive; then A is partly overwritten.";
const AS_IT_WAS: &str = "Where info[i] is not 0, B of matrix i is as it was.";
const QUICK: &str = "When batch_count is 0 nothing is done, and no pointer is looked at.";
const TRIANGLE: &str = "Only the triangle that uplo names is read and written; its diagonal is taken as real.";

const LAYOUT: Argument = argument("layout", Kind::Layout, "how all the matrices lie in memory");
const UPLO: Argument = argument("uplo", Kind::Triangle, "the triangle of each A that is stored");
const M: Argument = argument("m", Kind::Size, "rows of each A");
const N: Argument = argument("n", Kind::Size, "columns of each A");
const ORDER: Argument = argument("n", Kind::Size, "rows and columns of each A");
const NRHS: Argument = argument("nrhs", Kind::Size, "columns of each B");
const A: Argument = argument("a", Kind::Matrix(Write), "the first A, and then its factors");
const FACTORS: Argument = argument("a", Kind::Matrix(Read), "the first A's factors");
const LDA: Argument = argument("lda", Kind::LeadingDimension, "leading dimension of every A");
const STRIDE_A: Argument = argument("stridea", Kind::Stride, "from each A to the next one");
const B: Argument = argument("b", Kind::Matrix(Write), "the first B, and then X");
const LDB: Argument = argument("ldb", Kind::LeadingDimension, "leading dimension of every B");
const STRIDE_B: Argument = argument("strideb", Kind::Stride, "from each B to the next one");
const PIVOTS_OUT: Argument = argument(
    "ipiv",
    Kind::Vector(Write, Number::I32),
    "the first A's min(m, n) pivots: row i was interchanged with row ipiv[i], both counted from 1",
);
const PIVOTS_IN: Argument =
    argument("ipiv", Kind::Vector(Read, Number::I32), "the first A's pivots, as getrf left them");
const STRIDE_PIVOTS: Argument =
    argument("strideipiv", Kind::Stride, "from each A's pivots to the next one's, at least as many as it has");
const TAU: Argument =
    argument("tau", Kind::Vector(Write, Number::Element), "the first A's min(m, n) factors of the reflections");
const STRIDE_TAU: Argument =
    argument("stridetau", Kind::Stride, "from each A's factors to the next one's, at least as many as it has");
const INFO: Argument = argument("info", Kind::Vector(Write, Number::I32), "gets batch_count infos, each 0 or LAPACK's");
const COUNT: Argument = argument("batch_count", Kind::Size, "how many matrices there are of each kind");

const GETRF: Routine = Routine {
    name: "getrfStridedBatched",
    module: "getrf",
    types: SDCZ,
    summary: "LU factorisation with partial pivoting of many matrices, in place: P * A = L * U for each.",
    notes: &[APART, INFOS, SINGULAR, QUICK],
    source: "LAPACK xGETRF, of many matrices",
    arguments: &[LAYOUT, M, N, A, LDA, STRIDE_A, PIVOTS_OUT, STRIDE_PIVOTS, INFO, COUNT],
    forms: Forms::BOTH,
    standard: &[],
};

const GETRS: Routine = Routine {
    name: "getrsStridedBatched",
    module: "getrs",
    types: SDCZ,
    summary: "Solutions of op(A) * X = B with the factors of many matrices, in B's place.",
    notes: &[APART, QUICK],
    source: "LAPACK xGETRS, of many matrices",
    arguments: &[
        LAYOUT,
        argument("trans", Kind::Op, "op of every A"),
        ORDER,
        NRHS,
        FACTORS,
        LDA,
        STRIDE_A,
        PIVOTS_IN,
        STRIDE_PIVOTS,
        B,
        LDB,
        STRIDE_B,
        COUNT,
    ],
    forms: Forms::BOTH,
    standard: &[],
};

const GESV: Routine = Routine {
    name: "gesvStridedBatched",
    module: "gesv",
    types: SDCZ,
    summary: "Solutions of A * X = B for many matrices by LU factorisation with partial pivoting.",
    notes: &[APART, INFOS, SINGULAR, AS_IT_WAS, QUICK],
    source: "LAPACK xGESV, of many matrices",
    arguments: &[LAYOUT, ORDER, NRHS, A, LDA, STRIDE_A, PIVOTS_OUT, STRIDE_PIVOTS, B, LDB, STRIDE_B, INFO, COUNT],
    forms: Forms::BOTH,
    standard: &[],
};

const POTRF: Routine = Routine {
    name: "potrfStridedBatched",
    module: "potrf",
    types: SDCZ,
    summary: "Cholesky factorisation of many positive definite matrices, in place: A = L * L^H or U^H * U for each.",
    notes: &[TRIANGLE, APART, INFOS, INDEFINITE, QUICK],
    source: "LAPACK xPOTRF, of many matrices",
    arguments: &[LAYOUT, UPLO, ORDER, A, LDA, STRIDE_A, INFO, COUNT],
    forms: Forms::BOTH,
    standard: &[],
};

const POTRS: Routine = Routine {
    name: "potrsStridedBatched",
    module: "potrs",
    types: SDCZ,
    summary: "Solutions of A * X = B with the Cholesky factors of many matrices, in B's place.",
    notes: &[APART, QUICK],
    source: "LAPACK xPOTRS, of many matrices",
    arguments: &[LAYOUT, UPLO, ORDER, NRHS, FACTORS, LDA, STRIDE_A, B, LDB, STRIDE_B, COUNT],
    forms: Forms::BOTH,
    standard: &[],
};

const POSV: Routine = Routine {
    name: "posvStridedBatched",
    module: "posv",
    types: SDCZ,
    summary: "Solutions of A * X = B for many positive definite matrices by Cholesky factorisation.",
    notes: &[TRIANGLE, APART, INFOS, INDEFINITE, AS_IT_WAS, QUICK],
    source: "LAPACK xPOSV, of many matrices",
    arguments: &[LAYOUT, UPLO, ORDER, NRHS, A, LDA, STRIDE_A, B, LDB, STRIDE_B, INFO, COUNT],
    forms: Forms::BOTH,
    standard: &[],
};

const GEQRF: Routine = Routine {
    name: "geqrfStridedBatched",
    module: "geqrf",
    types: SDCZ,
    summary: "QR factorisation of many matrices, in place: A = Q * R for each.",
    notes: &[
        "Q is a product of reflections I - tau v v^H; the first element of v is 1 and not stored. R, whose diagonal is \
         real, is on and above the diagonal, the vectors v below it.",
        APART,
        QUICK,
    ],
    source: "LAPACK xGEQRF, of many matrices",
    arguments: &[LAYOUT, M, N, A, LDA, STRIDE_A, TAU, STRIDE_TAU, COUNT],
    forms: Forms::BOTH,
    standard: &[],
};

const GTSV: Routine = Routine {
    name: "gtsvStridedBatched",
    module: "gtsv",
    types: SDCZ,
    summary: "Solutions of A * X = B for many tridiagonal matrices by LU factorisation with partial pivoting.",
    notes: &[
        APART,
        INFOS,
        "info[i] is the number of matrix i's first pivot that is exactly zero. Then its B has no solution in it.",
        "dl, d and du may stay as they are, where a GPU solves a system in parts.",
        QUICK,
    ],
    source: "LAPACK xGTSV, of many matrices",
    arguments: &[
        LAYOUT,
        ORDER,
        NRHS,
        argument(
            "dl",
            Kind::Vector(Write, Number::Element),
            "the first A's n - 1 elements below the diagonal, and then n - 2 of U's second diagonal above",
        ),
        argument("stridedl", Kind::Stride, "from each A's dl to the next one's, at least as many as it has"),
        argument("d", Kind::Vector(Write, Number::Element), "its n elements on the diagonal, and then U's"),
        argument("strided", Kind::Stride, "from each A's d to the next one's, at least as many as it has"),
        argument("du", Kind::Vector(Write, Number::Element), "its n - 1 elements above the diagonal, and then U's"),
        argument("stridedu", Kind::Stride, "from each A's du to the next one's, at least as many as it has"),
        B,
        LDB,
        STRIDE_B,
        INFO,
        COUNT,
    ],
    forms: Forms::BOTH,
    standard: &[],
};

const KL: Argument = argument("kl", Kind::Size, "diagonals of each A below the main one");
const KU: Argument = argument("ku", Kind::Size, "diagonals of each A above the main one");
const AB: Argument = argument("ab", Kind::Matrix(Write), "the first A's diagonals, and then those of its factors");
const BAND_FACTORS: Argument = argument("ab", Kind::Matrix(Read), "the first A's factors' diagonals");
const LDAB: Argument = argument("ldab", Kind::LeadingDimension, "leading dimension of every ab");
const STRIDE_AB: Argument = argument("strideab", Kind::Stride, "from each ab to the next one");
const STORAGE: &str = "Each ab has 2 kl + ku + 1 rows and n columns: element (i, j) of A is in its row kl + ku + i - j \
    and column j, from 0. U has kl + ku diagonals above the main one; the first kl rows need not be set.";

const GBTRF: Routine = Routine {
    name: "gbtrfStridedBatched",
    module: "gbtrf",
    types: SDCZ,
    summary: "LU factorisation with partial pivoting of many band matrices, in place: P * A = L * U for each.",
    notes: &[STORAGE, APART, INFOS, SINGULAR, QUICK],
    source: "LAPACK xGBTRF, of many matrices",
    arguments: &[LAYOUT, M, N, KL, KU, AB, LDAB, STRIDE_AB, PIVOTS_OUT, STRIDE_PIVOTS, INFO, COUNT],
    forms: Forms::BOTH,
    standard: &[],
};

const GBTRS: Routine = Routine {
    name: "gbtrsStridedBatched",
    module: "gbtrs",
    types: SDCZ,
    summary: "Solutions of op(A) * X = B with the factors of many band matrices, in B's place.",
    notes: &[STORAGE, APART, QUICK],
    source: "LAPACK xGBTRS, of many matrices",
    arguments: &[
        LAYOUT,
        argument("trans", Kind::Op, "op of every A"),
        ORDER,
        KL,
        KU,
        NRHS,
        BAND_FACTORS,
        LDAB,
        STRIDE_AB,
        argument("ipiv", Kind::Vector(Read, Number::I32), "the first A's pivots, as gbtrf left them"),
        STRIDE_PIVOTS,
        B,
        LDB,
        STRIDE_B,
        COUNT,
    ],
    forms: Forms::BOTH,
    standard: &[],
};

const GBSV: Routine = Routine {
    name: "gbsvStridedBatched",
    module: "gbsv",
    types: SDCZ,
    summary: "Solutions of A * X = B for many band matrices by LU factorisation with partial pivoting.",
    notes: &[STORAGE, APART, INFOS, SINGULAR, AS_IT_WAS, QUICK],
    source: "LAPACK xGBSV, of many matrices",
    arguments: &[
        LAYOUT,
        ORDER,
        KL,
        KU,
        NRHS,
        AB,
        LDAB,
        STRIDE_AB,
        PIVOTS_OUT,
        STRIDE_PIVOTS,
        B,
        LDB,
        STRIDE_B,
        INFO,
        COUNT,
    ],
    forms: Forms::BOTH,
    standard: &[],
};

const FAILED: &str = "info[i] is positive where an element of matrix i is not finite, or the iteration does not \
    converge: its results are NaN.";
const ROTATIONS: &str = "Small matrices in a GPU's memory are decomposed by one-sided Jacobi rotations in one launch, \
    those of orders above 64 (of some types more) on the host: then the device form waits for the queue.";

const SYEV: Routine = Routine {
    name: "syevStridedBatched",
    module: "syev",
    types: SDCZ,
    summary: "Eigenvalues of many symmetric or Hermitian matrices, and orthonormal eigenvectors in their places.",
    notes: &[
        "Only the triangle that uplo names is read; its diagonal is taken as real. Without eigenvectors A is not \
         changed.",
        APART,
        INFOS,
        FAILED,
        "Of complex types LAPACK's name is heev.",
        ROTATIONS,
        QUICK,
    ],
    source: "LAPACK xSYEV, xHEEV, of many matrices",
    arguments: &[
        LAYOUT,
        argument("jobz", Kind::Job, "whether eigenvectors are computed"),
        UPLO,
        ORDER,
        argument("a", Kind::Matrix(Write), "the first A, and then eigenvectors where they are wanted"),
        LDA,
        STRIDE_A,
        argument("w", Kind::Vector(Write, Number::Real), "gets the first A's n eigenvalues in ascending order"),
        argument("stridew", Kind::Stride, "from each A's eigenvalues to the next one's, at least as many as it has"),
        INFO,
        COUNT,
    ],
    forms: Forms::WAITING,
    standard: &[],
};

const GESVD: Routine = Routine {
    name: "gesvdStridedBatched",
    module: "gesvd",
    types: SDCZ,
    summary: "Singular values of many matrices, and singular vectors, all of one kind: A = U * diag(s) * V^H for each.",
    notes: &[
        "A is not changed: vectors do not overwrite it. Without vectors neither U nor VT is written.",
        APART,
        INFOS,
        FAILED,
        ROTATIONS,
        QUICK,
    ],
    source: "LAPACK xGESVD, of many matrices",
    arguments: &[
        LAYOUT,
        argument("jobz", Kind::Job, "which singular vectors are computed"),
        M,
        N,
        argument("a", Kind::Matrix(Read), "the first A"),
        LDA,
        STRIDE_A,
        argument(
            "s",
            Kind::Vector(Write, Number::Real),
            "gets the first A's min(m, n) singular values in descending order",
        ),
        argument("strides", Kind::Stride, "from each A's singular values to the next one's, at least as many"),
        argument("u", Kind::Matrix(Write), "gets the first A's left singular vectors as columns"),
        argument("ldu", Kind::LeadingDimension, "leading dimension of every U"),
        argument("strideu", Kind::Stride, "from each U to the next one"),
        argument("vt", Kind::Matrix(Write), "gets the first A's right singular vectors as rows: V^H"),
        argument("ldvt", Kind::LeadingDimension, "leading dimension of every VT"),
        argument("stridevt", Kind::Stride, "from each VT to the next one"),
        INFO,
        COUNT,
    ],
    forms: Forms::WAITING,
    standard: &[],
};
