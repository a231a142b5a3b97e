//! Batches: many products or triangular systems of one shape in one call.

use super::Access::{Read, Write};
use super::standard::blas;
use super::{Argument, Family, Forms, Kind, Number, Routine, SDCZ, argument};

pub(super) const FAMILY: Family = Family {
    path: "blas/level3/batched",
    home: "affinimath_abi",
    title: "Batches: many matrices of one shape",
    routines: &[GEMM_STRIDED, GEMM, TRSM_STRIDED, TRSM],
};

const LAYOUT: Argument = argument("layout", Kind::Layout, "how all the matrices lie in memory");
const ALPHA: Argument = argument("alpha", Kind::Scalar(Number::Element), "factor of the products");
const LDA: Argument = argument("lda", Kind::LeadingDimension, "leading dimension of every A");
const LDB: Argument = argument("ldb", Kind::LeadingDimension, "leading dimension of every B");
const STRIDE_A: Argument =
    argument("stridea", Kind::Stride, "from each A to the next one; 0 when they are all the same");
const OFFSETS_A: Argument =
    argument("offsetsa", Kind::Offsets, "where each A begins behind a, in elements, at least 0");
const COUNT: Argument = argument("batch_count", Kind::Size, "how many matrices there are of each kind");

const APART: &str = "Neighbouring matrices begin a stride apart, in elements, at least 0.";
const OFFSETS: &str = "The offsets are read before the call returns; they lie in the host's memory in both forms. \
    Matrices at pointers of their own in one memory are at offsets from the lowest of them.";
const QUICK: &str = "When batch_count is 0 nothing is done, and no pointer is looked at.";
const ONE_CALL: &str = "Small matrices are computed all at once; large ones one after the other, as each one alone \
    keeps the machine busy.";
const DISTINCT_C: &str = "No C may overlap another matrix; two C that do are an error of their stride or offsets.";
const DISTINCT_B: &str = "No B may overlap another matrix; two B that do are an error of their stride or offsets.";
const AS_GEMM: &str = "With alpha or k = 0, A and B are not read and may be null; with beta = 0, C is not read.";
const AS_TRSM: &str =
    "One triangle of each A is read, and its diagonal if it is stored. With alpha = 0, A is not read and may be null.";

const GEMM_STRIDED: Routine = Routine {
    name: "gemmStridedBatched",
    module: "gemm_strided",
    types: SDCZ,
    summary: "Many matrix products, of matrices that are a stride apart: C := alpha * op(A) * op(B) + beta * C for \
     each.",
    notes: &[APART, AS_GEMM, QUICK, DISTINCT_C, ONE_CALL],
    source: "BLAS extension xGEMM_BATCH_STRIDED (cuBLAS, Intel MKL)",
    arguments: &[
        LAYOUT,
        argument("transa", Kind::Op, "op of every A"),
        argument("transb", Kind::Op, "op of every B"),
        argument("m", Kind::Size, "rows of each op(A) and C"),
        argument("n", Kind::Size, "columns of each op(B) and C"),
        argument("k", Kind::Size, "columns of each op(A), rows of each op(B)"),
        ALPHA,
        argument("a", Kind::Matrix(Read), "the first A, m by k, or k by m when transa transposes"),
        LDA,
        STRIDE_A,
        argument("b", Kind::Matrix(Read), "the first B, k by n, or n by k when transb transposes"),
        LDB,
        argument("strideb", Kind::Stride, "from each B to the next one; 0 when they are all the same"),
        argument("beta", Kind::Scalar(Number::Element), "factor of C before the products are added"),
        argument("c", Kind::Matrix(Write), "the first C, m by n"),
        argument("ldc", Kind::LeadingDimension, "leading dimension of every C"),
        argument("stridec", Kind::Stride, "from each C to the next one"),
        COUNT,
    ],
    forms: Forms::BOTH,
    standard: &[blas("gemm_batch_strided")],
};

const GEMM: Routine = Routine {
    name: "gemmBatched",
    module: "gemm_batched",
    types: SDCZ,
    summary: "Many matrix products, of matrices at given offsets: C := alpha * op(A) * op(B) + beta * C for each.",
    notes: &[OFFSETS, AS_GEMM, QUICK, DISTINCT_C, ONE_CALL],
    source: "BLAS extension xGEMM_BATCH (cuBLAS, CLBlast, Intel MKL), with offsets in place of pointers",
    arguments: &[
        LAYOUT,
        argument("transa", Kind::Op, "op of every A"),
        argument("transb", Kind::Op, "op of every B"),
        argument("m", Kind::Size, "rows of each op(A) and C"),
        argument("n", Kind::Size, "columns of each op(B) and C"),
        argument("k", Kind::Size, "columns of each op(A), rows of each op(B)"),
        ALPHA,
        argument("a", Kind::Matrix(Read), "what holds all A, each m by k, or k by m when transa transposes"),
        LDA,
        OFFSETS_A,
        argument("b", Kind::Matrix(Read), "what holds all B, each k by n, or n by k when transb transposes"),
        LDB,
        argument("offsetsb", Kind::Offsets, "where each B begins behind b, in elements, at least 0"),
        argument("beta", Kind::Scalar(Number::Element), "factor of C before the products are added"),
        argument("c", Kind::Matrix(Write), "what holds all C, each m by n"),
        argument("ldc", Kind::LeadingDimension, "leading dimension of every C"),
        argument("offsetsc", Kind::Offsets, "where each C begins behind c, in elements, at least 0"),
        COUNT,
    ],
    forms: Forms::BOTH,
    standard: &[],
};

const SIDE: Argument = argument("side", Kind::Side, "on which side of X each op(A) stands");
const UPLO: Argument = argument("uplo", Kind::Triangle, "the triangle of each A that is read");
const TRANSA: Argument = argument("transa", Kind::Op, "op of every A");
const DIAG: Argument = argument("diag", Kind::Diagonal, "whether each A has a stored diagonal");
const M: Argument = argument("m", Kind::Size, "rows of each B");
const N: Argument = argument("n", Kind::Size, "columns of each B");
const RIGHT_SIDES: Argument = argument("alpha", Kind::Scalar(Number::Element), "factor of each B");

const TRSM_STRIDED: Routine = Routine {
    name: "trsmStridedBatched",
    module: "trsm_strided",
    types: SDCZ,
    summary: "Many triangular systems, of matrices that are a stride apart: op(A) * X = alpha * B or X * op(A) = alpha \
     * B for each, X in B's place.",
    notes: &[APART, AS_TRSM, QUICK, DISTINCT_B, ONE_CALL],
    source: "BLAS extension xTRSM_BATCH_STRIDED (Intel MKL)",
    arguments: &[
        LAYOUT,
        SIDE,
        UPLO,
        TRANSA,
        DIAG,
        M,
        N,
        RIGHT_SIDES,
        argument("a", Kind::Matrix(Read), "the first A, m by m when it stands on the left, else n by n"),
        LDA,
        STRIDE_A,
        argument("b", Kind::Matrix(Write), "the first B, m by n"),
        LDB,
        argument("strideb", Kind::Stride, "from each B to the next one"),
        COUNT,
    ],
    forms: Forms::BOTH,
    standard: &[blas("trsm_batch_strided")],
};

const TRSM: Routine = Routine {
    name: "trsmBatched",
    module: "trsm_batched",
    types: SDCZ,
    summary: "Many triangular systems, of matrices at given offsets: op(A) * X = alpha * B or X * op(A) = alpha * B \
     for each, X in B's place.",
    notes: &[OFFSETS, AS_TRSM, QUICK, DISTINCT_B, ONE_CALL],
    source: "BLAS extension xTRSM_BATCH (cuBLAS, Intel MKL), with offsets in place of pointers",
    arguments: &[
        LAYOUT,
        SIDE,
        UPLO,
        TRANSA,
        DIAG,
        M,
        N,
        RIGHT_SIDES,
        argument("a", Kind::Matrix(Read), "what holds all A, each m by m when it stands on the left, else n by n"),
        LDA,
        OFFSETS_A,
        argument("b", Kind::Matrix(Write), "what holds all B, each m by n"),
        LDB,
        argument("offsetsb", Kind::Offsets, "where each B begins behind b, in elements, at least 0"),
        COUNT,
    ],
    forms: Forms::BOTH,
    standard: &[],
};
