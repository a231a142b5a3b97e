//! BLAS level 3: matrix times matrix.

mod triangles;

use super::Access::{Read, Write};
use super::standard::blas;
use super::{Element, Family, Forms, Kind, Number, Routine, SDCZ, TypeVariant, argument};

pub(super) const FAMILY: Family = Family {
    path: "blas/level3",
    home: "affinimath_abi",
    title: "BLAS level 3: matrix times matrix",
    routines: &[
        GEMM,
        HGEMM,
        triangles::SYMM,
        triangles::HEMM,
        triangles::SYRK,
        triangles::HERK,
        triangles::SYR2K,
        triangles::HER2K,
        triangles::TRMM,
        TRSM,
        triangles::GEMMT,
    ],
};

/// The arguments that the reference exchanges in row-major layout: it multiplies the transposes, in the other order.
const EXCHANGED: &[[&str; 2]] = &[["m", "n"], ["lda", "ldb"]];

const GEMM: Routine = Routine {
    name: "gemm",
    module: "gemm",
    types: SDCZ,
    summary: "General matrix product: C := alpha * op(A) * op(B) + beta * C.",
    notes: &[
        "op(X) is X, its transpose, its conjugate transpose or its conjugate, as transa and transb say.",
        "When beta is 0, C is written without being read: it may hold anything, NaN too.",
        "When alpha is 0 or k is 0, A and B are not read and may be null.",
        "When m or n is 0, or beta is 1 and A and B are not read, nothing changes and no pointer is looked at.",
        "C must not overlap A or B.",
    ],
    source: "BLAS xGEMM",
    arguments: &[
        argument("layout", Kind::Layout, "how all three matrices lie in memory"),
        argument("transa", Kind::Op, "op of A"),
        argument("transb", Kind::Op, "op of B"),
        argument("m", Kind::Size, "rows of op(A) and of C"),
        argument("n", Kind::Size, "columns of op(B) and of C"),
        argument("k", Kind::Size, "columns of op(A), rows of op(B)"),
        argument("alpha", Kind::Scalar(Number::Element), "factor of the product"),
        argument("a", Kind::Matrix(Read), "A, m by k, or k by m when transa transposes"),
        argument("lda", Kind::LeadingDimension, "leading dimension of A"),
        argument("b", Kind::Matrix(Read), "B, k by n, or n by k when transb transposes"),
        argument("ldb", Kind::LeadingDimension, "leading dimension of B"),
        argument("beta", Kind::Scalar(Number::Element), "factor of C before the product is added"),
        argument("c", Kind::Matrix(Write), "C, m by n"),
        argument("ldc", Kind::LeadingDimension, "leading dimension of C"),
    ],
    forms: Forms::BOTH,
    standard: &[blas("gemm").exchanging(EXCHANGED), blas("gemm3m").complex().exchanging(EXCHANGED)],
};

const HGEMM: Routine = Routine {
    name: "gemm",
    module: "hgemm",
    types: &[TypeVariant { letters: "H", element: Element::F16 }],
    summary: "General matrix product in half precision: C := alpha * op(A) * op(B) + beta * C.",
    notes: &[
        "A, B and C are in IEEE half precision (binary16). Sums, alpha and beta are float, and each element of C is \
         rounded once, at the end: a result that is too large becomes infinity. Every device can do it.",
        "op(X) is X or its transpose, as transa and transb say.",
        "When beta is 0, C is written without being read: it may hold anything, NaN too.",
        "When alpha is 0 or k is 0, A and B are not read and may be null.",
        "When m or n is 0, or beta is 1 and A and B are not read, nothing changes and no pointer is looked at.",
        "C must not overlap A or B.",
    ],
    source: "no BLAS; cuBLAS's cublasGemmEx with CUDA_R_16F and CUBLAS_COMPUTE_32F, CLBlast's Hgemm",
    arguments: &[
        argument("layout", Kind::Layout, "how all three matrices lie in memory"),
        argument("transa", Kind::Op, "op of A"),
        argument("transb", Kind::Op, "op of B"),
        argument("m", Kind::Size, "rows of op(A) and of C"),
        argument("n", Kind::Size, "columns of op(B) and of C"),
        argument("k", Kind::Size, "columns of op(A), rows of op(B)"),
        argument("alpha", Kind::Scalar(Number::F32), "factor of the product"),
        argument("a", Kind::Matrix(Read), "A, m by k, or k by m when transa transposes"),
        argument("lda", Kind::LeadingDimension, "leading dimension of A"),
        argument("b", Kind::Matrix(Read), "B, k by n, or n by k when transb transposes"),
        argument("ldb", Kind::LeadingDimension, "leading dimension of B"),
        argument("beta", Kind::Scalar(Number::F32), "factor of C before the product is added"),
        argument("c", Kind::Matrix(Write), "C, m by n"),
        argument("ldc", Kind::LeadingDimension, "leading dimension of C"),
    ],
    forms: Forms::BOTH,
    standard: &[],
};

const TRSM: Routine = Routine {
    name: "trsm",
    module: "trsm",
    types: SDCZ,
    summary: "Triangular system with many right-hand sides: op(A) * X = alpha * B or X * op(A) = alpha * B, X in B's \
     place.",
    notes: &[
        "op(A) is A, its transpose, its conjugate transpose or its conjugate, as transa says.",
        "Of A only the triangle that uplo names is read, and its diagonal only when diag says that it is stored.",
        "As in BLAS, A is not tested for singularity: a zero on the diagonal gives Inf or NaN, but an element that is \
         zero by then stays zero.",
        "When alpha is 0, A is not read and may be null, and X is zero.",
        "When m or n is 0 nothing is done, and no pointer is looked at.",
        "B must not overlap A.",
    ],
    source: "BLAS xTRSM",
    arguments: &[
        argument("layout", Kind::Layout, "how both matrices lie in memory"),
        argument("side", Kind::Side, "on which side of X op(A) stands"),
        argument("uplo", Kind::Triangle, "the triangle of A that is read"),
        argument("transa", Kind::Op, "op of A"),
        argument("diag", Kind::Diagonal, "whether A has a stored diagonal"),
        argument("m", Kind::Size, "rows of B"),
        argument("n", Kind::Size, "columns of B"),
        argument("alpha", Kind::Scalar(Number::Element), "factor of B"),
        argument("a", Kind::Matrix(Read), "A, m by m when it stands on the left, else n by n"),
        argument("lda", Kind::LeadingDimension, "leading dimension of A"),
        argument("b", Kind::Matrix(Write), "B, m by n, and then X"),
        argument("ldb", Kind::LeadingDimension, "leading dimension of B"),
    ],
    forms: Forms::BOTH,
    standard: &[blas("trsm").exchanging(&[["m", "n"]])],
};
