//! Products that read or write a triangle.

use crate::table::Access::{Read, Write};
use crate::table::standard::{Ops, Standard, blas};
use crate::table::{Argument, Element, Forms, Kind, Number, Routine, SDCZ, TypeVariant, argument};

const CZ: &[TypeVariant] =
    &[TypeVariant { letters: "C", element: Element::C32 }, TypeVariant { letters: "Z", element: Element::C64 }];

const LAYOUT: Argument = argument("layout", Kind::Layout, "how all matrices lie in memory");
const SIDE: Argument = argument("side", Kind::Side, "the side of B on which A stands");
const UPLO_A: Argument = argument("uplo", Kind::Triangle, "the triangle of A that is stored");
const UPLO_C: Argument = argument("uplo", Kind::Triangle, "the triangle of C that is computed");
const TRANS: Argument = argument("trans", Kind::Op, "op of A and B");
const TRANS_A: Argument = argument("transa", Kind::Op, "op of A");
const DIAG: Argument = argument("diag", Kind::Diagonal, "whether A's diagonal is stored, or is all ones and not read");
const N: Argument = argument("n", Kind::Size, "rows and columns of C");
const K: Argument = argument("k", Kind::Size, "columns of op(A)");
const ALPHA: Argument = argument("alpha", Kind::Scalar(Number::Element), "factor of the product");
const REAL_ALPHA: Argument = argument("alpha", Kind::Scalar(Number::Real), "factor of the product");
const A_SQUARE: Argument = argument("a", Kind::Matrix(Read), "A, m by m on the left, n by n on the right");
const A_TALL: Argument = argument("a", Kind::Matrix(Read), "A, n by k, or k by n when trans transposes");
const B_TALL: Argument = argument("b", Kind::Matrix(Read), "B, n by k, or k by n when trans transposes");
const LDA: Argument = argument("lda", Kind::LeadingDimension, "leading dimension of A");
const LDB: Argument = argument("ldb", Kind::LeadingDimension, "leading dimension of B");
const BETA: Argument = argument("beta", Kind::Scalar(Number::Element), "factor of C before the product is added");
const REAL_BETA: Argument = argument("beta", Kind::Scalar(Number::Real), "factor of C before the product is added");
const C_SQUARE: Argument = argument("c", Kind::Matrix(Write), "C, n by n, of which one triangle is read and written");
const LDC: Argument = argument("ldc", Kind::LeadingDimension, "leading dimension of C");

const HALF_OF_A: &str = "Only the triangle of A that uplo names is read.";
const HALF_OF_C: &str = "Only the triangle of C that uplo names is read and written.";
const REAL_DIAGONAL: &str = "Imaginary parts on the diagonal of A are not read.";
const REAL_RESULT: &str = "Imaginary parts on the diagonal of C are not read, and written as zeros.";
const OP: &str = "op(X) is X, its transpose, its conjugate transpose or its conjugate, as trans says.";
const REPLACE: &str = "When beta is 0, C is written without being read: it may hold anything, NaN too.";
const UNREAD: &str = "When alpha is 0, A and B are not read and may be null.";
const UNREAD_K: &str = "When alpha is 0 or k is 0, A and B are not read and may be null.";
const UNREAD_A: &str = "When alpha is 0 or k is 0, A is not read and may be null.";
const EMPTY: &str = "When m or n is 0, or alpha is 0 and beta is 1, nothing changes and no pointer is looked at.";
const EMPTY_SQUARE: &str =
    "When n is 0, or beta is 1 and there is nothing to add, nothing changes and no pointer is looked at.";
const DISTINCT: &str = "C must not overlap A or B.";
const DISTINCT_A: &str = "C must not overlap A.";

/// A routine for host pointers and memory objects, with a module of its name.
const fn routine(
    name: &'static str,
    types: &'static [TypeVariant],
    (summary, notes): (&'static str, &'static [&'static str]),
    source: &'static str,
    arguments: &'static [Argument],
    standard: &'static [Standard],
) -> Routine {
    Routine { name, module: name, types, summary, notes, source, arguments, forms: Forms::BOTH, standard }
}

const SYMM_ARGUMENTS: &[Argument] = &[
    LAYOUT,
    SIDE,
    UPLO_A,
    argument("m", Kind::Size, "rows of B and C"),
    argument("n", Kind::Size, "columns of B and C"),
    ALPHA,
    A_SQUARE,
    LDA,
    argument("b", Kind::Matrix(Read), "B, m by n"),
    LDB,
    BETA,
    argument("c", Kind::Matrix(Write), "C, m by n"),
    LDC,
];

pub(super) const SYMM: Routine = routine(
    "symm",
    SDCZ,
    (
        "Product with a symmetric matrix: C := alpha * A * B + beta * C, or alpha * B * A + beta * C.",
        &[HALF_OF_A, REPLACE, UNREAD, EMPTY, DISTINCT],
    ),
    "BLAS xSYMM",
    SYMM_ARGUMENTS,
    &[blas("symm").exchanging(&[["m", "n"]])],
);

pub(super) const HEMM: Routine = routine(
    "hemm",
    CZ,
    (
        "Product with a Hermitian matrix: C := alpha * A * B + beta * C, or alpha * B * A + beta * C.",
        &[HALF_OF_A, REAL_DIAGONAL, REPLACE, UNREAD, EMPTY, DISTINCT],
    ),
    "BLAS xHEMM",
    SYMM_ARGUMENTS,
    &[blas("hemm").exchanging(&[["m", "n"]])],
);

pub(super) const SYRK: Routine = routine(
    "syrk",
    SDCZ,
    (
        "Symmetric update of rank k: C := alpha * op(A) * op(A)^T + beta * C.",
        &[OP, HALF_OF_C, REPLACE, UNREAD_A, EMPTY_SQUARE, DISTINCT_A],
    ),
    "BLAS xSYRK",
    &[LAYOUT, UPLO_C, argument("trans", Kind::Op, "op of A"), N, K, ALPHA, A_TALL, LDA, BETA, C_SQUARE, LDC],
    &[blas("syrk").ops(Ops::Symmetric)],
);

pub(super) const HERK: Routine = routine(
    "herk",
    CZ,
    (
        "Hermitian update of rank k: C := alpha * op(A) * op(A)^H + beta * C.",
        &[OP, HALF_OF_C, REAL_RESULT, REPLACE, UNREAD_A, EMPTY_SQUARE, DISTINCT_A],
    ),
    "BLAS xHERK",
    &[LAYOUT, UPLO_C, argument("trans", Kind::Op, "op of A"), N, K, REAL_ALPHA, A_TALL, LDA, REAL_BETA, C_SQUARE, LDC],
    &[blas("herk").ops(Ops::Hermitian)],
);

pub(super) const SYR2K: Routine = routine(
    "syr2k",
    SDCZ,
    (
        "Symmetric update of rank 2k: C := alpha * op(A) * op(B)^T + alpha * op(B) * op(A)^T + beta * C.",
        &[OP, HALF_OF_C, REPLACE, UNREAD_K, EMPTY_SQUARE, DISTINCT],
    ),
    "BLAS xSYR2K",
    &[LAYOUT, UPLO_C, TRANS, N, K, ALPHA, A_TALL, LDA, B_TALL, LDB, BETA, C_SQUARE, LDC],
    &[blas("syr2k").ops(Ops::Symmetric)],
);

pub(super) const HER2K: Routine = routine(
    "her2k",
    CZ,
    (
        "Hermitian update of rank 2k: C := alpha * op(A) * op(B)^H + conj(alpha) * op(B) * op(A)^H + beta * C.",
        &[OP, HALF_OF_C, REAL_RESULT, REPLACE, UNREAD_K, EMPTY_SQUARE, DISTINCT],
    ),
    "BLAS xHER2K",
    &[LAYOUT, UPLO_C, TRANS, N, K, ALPHA, A_TALL, LDA, B_TALL, LDB, REAL_BETA, C_SQUARE, LDC],
    &[blas("her2k").ops(Ops::Hermitian)],
);

pub(super) const TRMM: Routine = routine(
    "trmm",
    SDCZ,
    (
        "Product with a triangular matrix, in place: B := alpha * op(A) * B, or alpha * B * op(A).",
        &[
            "op(A) is A, its transpose, its conjugate transpose or its conjugate, as transa says.",
            HALF_OF_A,
            "When alpha is 0, neither A nor B is read, A may be null, and B becomes zero.",
            "When m or n is 0, nothing changes and no pointer is looked at.",
            "B must not overlap A.",
        ],
    ),
    "BLAS xTRMM",
    &[
        LAYOUT,
        SIDE,
        UPLO_A,
        TRANS_A,
        DIAG,
        argument("m", Kind::Size, "rows of B"),
        argument("n", Kind::Size, "columns of B"),
        ALPHA,
        A_SQUARE,
        LDA,
        argument("b", Kind::Matrix(Write), "B, m by n"),
        LDB,
    ],
    &[blas("trmm").exchanging(&[["m", "n"]])],
);

pub(super) const GEMMT: Routine = routine(
    "gemmt",
    SDCZ,
    (
        "A triangle of a matrix product: C := alpha * op(A) * op(B) + beta * C.",
        &[
            "op(X) is X, its transpose, its conjugate transpose or its conjugate, as transa and transb say.",
            HALF_OF_C,
            REPLACE,
            UNREAD_K,
            EMPTY_SQUARE,
            DISTINCT,
        ],
    ),
    "xGEMMT of MKL and OpenBLAS",
    &[
        LAYOUT,
        UPLO_C,
        TRANS_A,
        argument("transb", Kind::Op, "op of B"),
        N,
        argument("k", Kind::Size, "columns of op(A), rows of op(B)"),
        ALPHA,
        argument("a", Kind::Matrix(Read), "A, n by k, or k by n when transa transposes"),
        LDA,
        argument("b", Kind::Matrix(Read), "B, k by n, or n by k when transb transposes"),
        LDB,
        BETA,
        C_SQUARE,
        LDC,
    ],
    &[blas("gemmt"), blas("gemmtr")],
);
