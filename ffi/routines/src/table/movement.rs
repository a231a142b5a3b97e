//! BLAS's extensions that copy, scale, transpose and add matrices.

use super::Access::{Read, Write};
use super::standard::{Ops, blas};
use super::{Argument, Family, Forms, Kind, Number, Routine, SDCZ, argument};

pub(super) const FAMILY: Family = Family {
    path: "blas/movement",
    home: "affinimath_abi",
    title: "Matrices scaled, transposed and added",
    routines: &[OMATCOPY, IMATCOPY, OMATADD],
};

const LAYOUT: Argument = argument("layout", Kind::Layout, "how all the matrices lie in memory");
const TRANS: Argument = argument("trans", Kind::Op, "op of A");
const ROWS: Argument = argument("rows", Kind::Size, "rows of A as it is stored");
const COLS: Argument = argument("cols", Kind::Size, "columns of A as it is stored");
const ALPHA: Argument = argument("alpha", Kind::Scalar(Number::Element), "factor of op(A)");
const LDA: Argument = argument("lda", Kind::LeadingDimension, "leading dimension of A");

const OP: &str = "op(A) is A, its transpose, its conjugate transpose or its conjugate, as trans says.";
const ALPHA_ZERO: &str = "When alpha is 0, A is not read; when it is 1, no bit of what is copied changes.";
const EMPTY: &str = "When rows or cols is 0 nothing is done, and no pointer is looked at.";

const OMATCOPY: Routine = Routine {
    name: "omatcopy",
    module: "omatcopy",
    types: SDCZ,
    summary: "Copies a matrix, scaled and transposed as asked: B := alpha * op(A).",
    notes: &[OP, ALPHA_ZERO, "When alpha is 0, A may be null.", EMPTY, "B must not overlap A."],
    source: "BLAS extension xOMATCOPY (Intel MKL, OpenBLAS)",
    arguments: &[
        LAYOUT,
        TRANS,
        ROWS,
        COLS,
        ALPHA,
        argument("a", Kind::Matrix(Read), "A, rows by cols"),
        LDA,
        argument("b", Kind::Matrix(Write), "B, rows by cols, or cols by rows when trans transposes"),
        argument("ldb", Kind::LeadingDimension, "leading dimension of B"),
    ],
    forms: Forms::BOTH,
    standard: &[blas("omatcopy").ops(Ops::Four).fortran_order()],
};

const IMATCOPY: Routine = Routine {
    name: "imatcopy",
    module: "imatcopy",
    types: SDCZ,
    summary: "Scales and transposes a matrix in its place: B := alpha * op(A), where B begins where A does.",
    notes: &[
        OP,
        ALPHA_ZERO,
        EMPTY,
        "Elements of the memory that belong to neither A nor B stay as they are.",
        "A square matrix that keeps its leading dimension is transposed in its place. A result that lies elsewhere \
         than the matrix did goes through other memory as large as it.",
    ],
    source: "BLAS extension xIMATCOPY (Intel MKL, OpenBLAS)",
    arguments: &[
        LAYOUT,
        TRANS,
        ROWS,
        COLS,
        ALPHA,
        argument("a", Kind::Matrix(Write), "A, rows by cols, and then B, cols by rows when trans transposes"),
        LDA,
        argument("ldb", Kind::ResultLeadingDimension, "leading dimension of B"),
    ],
    forms: Forms::BOTH,
    standard: &[blas("imatcopy").ops(Ops::Four).fortran_order()],
};

const OMATADD: Routine = Routine {
    name: "omatadd",
    module: "omatadd",
    types: SDCZ,
    summary: "Adds two matrices, scaled and transposed as asked: C := alpha * op(A) + beta * op(B).",
    notes: &[
        "op(X) is X, its transpose, its conjugate transpose or its conjugate, as transa and transb say.",
        "A matrix whose factor is 0 is not read and may be null.",
        "When m or n is 0 nothing is done, and no pointer is looked at.",
        "C must not overlap A or B.",
    ],
    source: "BLAS extension xOMATADD (Intel MKL)",
    arguments: &[
        LAYOUT,
        argument("transa", Kind::Op, "op of A"),
        argument("transb", Kind::Op, "op of B"),
        argument("m", Kind::Size, "rows of C, op(A) and op(B)"),
        argument("n", Kind::Size, "columns of C, op(A) and op(B)"),
        ALPHA,
        argument("a", Kind::Matrix(Read), "A, m by n, or n by m when transa transposes"),
        LDA,
        argument("beta", Kind::Scalar(Number::Element), "factor of op(B)"),
        argument("b", Kind::Matrix(Read), "B, m by n, or n by m when transb transposes"),
        argument("ldb", Kind::LeadingDimension, "leading dimension of B"),
        argument("c", Kind::Matrix(Write), "C, m by n"),
        argument("ldc", Kind::LeadingDimension, "leading dimension of C"),
    ],
    forms: Forms::BOTH,
    standard: &[blas("omatadd").ops(Ops::Four).fortran_order()],
};
