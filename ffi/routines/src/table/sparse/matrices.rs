//! Sparse matrices: creation, conversions, changes and products.

use super::super::Access::{Read, Write};
use super::super::{Argument, Forms, Kind, Number, Routine, SDCZ, argument};
use super::{A, COLUMNS, CSR, NEW_MATRIX, ROWS, indices, values};

const WHERE: &str = "With host pointers the matrix lies where AFFINIMATH_ROUTE and AFFINIMATH_DEVICE say: on the \
    device that is chosen, else on the host. It is used with host pointers then. One made from memory objects lies in \
    the queue's context and is used with memory objects, on any queue of that context.";
const COPIED: &str = "The arrays are looked at and copied: they are the caller's own afterwards.";
const ORDER: &str = "Columns of a row may come in any order, and more than once: such entries add up.";
const SORTED: &str = "Columns of a row are in ascending order then.";
const MADE: &str = "The call on memory objects waits until the matrix is made.";

const fn create(
    name: &'static str,
    module: &'static str,
    summary: &'static str,
    notes: &'static [&'static str],
    source: &'static str,
    arguments: &'static [Argument],
) -> Routine {
    Routine { name, module, types: SDCZ, summary, notes, source, arguments, forms: Forms::WAITING, standard: &[] }
}

const fn in_place(
    name: &'static str,
    module: &'static str,
    summary: &'static str,
    notes: &'static [&'static str],
    source: &'static str,
    arguments: &'static [Argument],
) -> Routine {
    Routine { forms: Forms::BOTH, ..create(name, module, summary, notes, source, arguments) }
}

const CHANGED: Argument = argument("a", Kind::Handle(Write, CSR), "the sparse matrix A");
const INDICES: Argument = indices("indices", Read, "the column of each entry, from 0");
const VALUES: Argument = values("values", Read, "the value of each entry");

pub(super) const CREATE: Routine = create(
    "csrCreate",
    "csr_create",
    "Makes a sparse matrix of compressed rows, with row pointers of 32 bits.",
    &[ORDER, COPIED, WHERE, MADE],
    "CSR as in the sparse BLAS",
    &[
        ROWS,
        COLUMNS,
        indices(
            "pointers",
            Read,
            "rows + 1 numbers: where each row's entries begin, from 0, and where the last one's end",
        ),
        INDICES,
        VALUES,
        NEW_MATRIX,
    ],
);

pub(super) const CREATE_64: Routine = create(
    "csrCreate64",
    "csr_create64",
    "Makes a sparse matrix of compressed rows, with row pointers of 64 bits, for 2^31 and more entries.",
    &[ORDER, COPIED, WHERE, MADE],
    "CSR as in the sparse BLAS",
    &[
        ROWS,
        COLUMNS,
        argument(
            "pointers",
            Kind::Array(Read, Number::I64),
            "rows + 1 numbers: where each row's entries begin, from 0, and where the last one's end",
        ),
        INDICES,
        VALUES,
        NEW_MATRIX,
    ],
);

const LIST: &[Argument] = &[
    ROWS,
    COLUMNS,
    argument("entries", Kind::Size, "entries of the list"),
    indices("row_indices", Read, "the row of each entry, from 0"),
    indices("column_indices", Read, "the column of each entry, from 0"),
    VALUES,
    NEW_MATRIX,
];
const ADDED: &str = "Entries in the same place are added, in the order of the list.";

pub(super) const FROM_COO: Routine = create(
    "csrFromCoo",
    "csr_from_coo",
    "Makes a sparse matrix of a list of entries in any order, with row pointers of 32 bits.",
    &[ADDED, SORTED, COPIED, WHERE, MADE],
    "COO as in the sparse BLAS",
    LIST,
);

pub(super) const FROM_COO_64: Routine = create(
    "csrFromCoo64",
    "csr_from_coo64",
    "Makes a sparse matrix of a list of entries in any order, with row pointers of 64 bits.",
    &[ADDED, SORTED, COPIED, WHERE, MADE],
    "COO as in the sparse BLAS",
    LIST,
);

const DENSE: &[Argument] = &[
    argument("layout", Kind::Layout, "the order of the dense matrix in memory"),
    argument("m", Kind::Size, "its rows"),
    argument("n", Kind::Size, "its columns"),
    argument("a", Kind::Matrix(Read), "the dense matrix"),
    argument("lda", Kind::LeadingDimension, "its leading dimension"),
    NEW_MATRIX,
];

pub(super) const FROM_DENSE: Routine = create(
    "csrFromDense",
    "csr_from_dense",
    "Makes a sparse matrix of the elements of a dense one that are not zero, with row pointers of 32 bits.",
    &[SORTED, WHERE, MADE],
    "cuSPARSE cusparseDenseToSparse",
    DENSE,
);

pub(super) const FROM_DENSE_64: Routine = create(
    "csrFromDense64",
    "csr_from_dense64",
    "Makes a sparse matrix of the elements of a dense one that are not zero, with row pointers of 64 bits.",
    &[SORTED, WHERE, MADE],
    "cuSPARSE cusparseDenseToSparse",
    DENSE,
);

const FILE: &[Argument] = &[argument("path", Kind::Text, "the file's path, ended by a null character"), NEW_MATRIX];
const WHOLE: &str = "A file that stores a triangle of a symmetric, Hermitian or skew-symmetric matrix gives the whole \
    one. Duplicate entries are added, a pattern's entries are ones. What is wrong with the file is reported as a wrong \
    path, with the line.";

pub(super) const READ: Routine = create(
    "csrRead",
    "csr_read",
    "Makes the sparse matrix of a Matrix Market file, also one compressed by gzip, with row pointers of 32 bits.",
    &[WHOLE, SORTED, WHERE, MADE],
    "Boisvert, Pozo and Remington, The Matrix Market exchange formats, 1996",
    FILE,
);

pub(super) const READ_64: Routine = create(
    "csrRead64",
    "csr_read64",
    "Makes the sparse matrix of a Matrix Market file, also one compressed by gzip, with row pointers of 64 bits.",
    &[WHOLE, SORTED, WHERE, MADE],
    "Boisvert, Pozo and Remington, The Matrix Market exchange formats, 1996",
    FILE,
);

const ENTRIES: Argument = argument("entries", Kind::Size, "entries of A, as affinimathCsrShape tells them");
const OUT_INDICES: Argument = indices("indices", Write, "gets the column of each entry, from 0");
const OUT_VALUES: Argument = values("values", Write, "gets the value of each entry");

pub(super) const DOWNLOAD: Routine = in_place(
    "csrDownload",
    "csr_download",
    "Copies the arrays of a sparse matrix with row pointers of 32 bits.",
    &[],
    "CSR as in the sparse BLAS",
    &[A, ENTRIES, indices("pointers", Write, "gets rows + 1 row pointers"), OUT_INDICES, OUT_VALUES],
);

pub(super) const DOWNLOAD_64: Routine = in_place(
    "csrDownload64",
    "csr_download64",
    "Copies the arrays of a sparse matrix with row pointers of 64 bits.",
    &[],
    "CSR as in the sparse BLAS",
    &[
        A,
        ENTRIES,
        argument("pointers", Kind::Array(Write, Number::I64), "gets rows + 1 row pointers"),
        OUT_INDICES,
        OUT_VALUES,
    ],
);

pub(super) const TO_DENSE: Routine = in_place(
    "csrToDense",
    "csr_to_dense",
    "Writes all elements of a sparse matrix into a dense one: B := A.",
    &["Entries in the same place are added."],
    "cuSPARSE cusparseSparseToDense",
    &[
        argument("layout", Kind::Layout, "the order of B in memory"),
        A,
        argument("b", Kind::Matrix(Write), "gets the matrix, of A's rows and columns"),
        argument("ldb", Kind::LeadingDimension, "leading dimension of B"),
    ],
);

pub(super) const DIAGONAL: Routine = in_place(
    "csrDiagonal",
    "csr_diagonal",
    "Copies the diagonal of a sparse matrix.",
    &["There are as many elements as rows or columns, whatever is fewer."],
    "SciPy csr_matrix.diagonal",
    &[A, values("x", Write, "gets the diagonal")],
);

const FORGOTTEN: &str = "What is kept of the old values, such as the transpose, is made anew when it is needed; how \
    products and triangular systems are shared out stays. A preconditioner that was made of the matrix stays as it \
    was.";

pub(super) const SET_VALUES: Routine = in_place(
    "csrSetValues",
    "csr_set_values",
    "Gives the entries of a sparse matrix other values, in the order of the old ones.",
    &[FORGOTTEN],
    "cuSPARSE cusparseCsrSetPointers",
    &[CHANGED, ENTRIES, VALUES],
);

pub(super) const SCALE: Routine = in_place(
    "csrScale",
    "csr_scale",
    "Multiplies all entries of a sparse matrix: A := alpha A.",
    &[FORGOTTEN],
    "BLAS xSCAL",
    &[argument("alpha", Kind::Scalar(Number::Element), "the factor"), CHANGED],
);

pub(super) const SCALE_ROWS: Routine = in_place(
    "csrScaleRows",
    "csr_scale_rows",
    "Multiplies each row of a sparse matrix by its factor: A := diag(x) A.",
    &[FORGOTTEN],
    "LAPACK xLASCL2",
    &[CHANGED, values("x", Read, "a factor for each row")],
);

pub(super) const SCALE_COLUMNS: Routine = in_place(
    "csrScaleColumns",
    "csr_scale_columns",
    "Multiplies each column of a sparse matrix by its factor: A := A diag(x).",
    &[FORGOTTEN],
    "LAPACK xLASCL2",
    &[CHANGED, values("x", Read, "a factor for each column")],
);

pub(super) const SUM: Routine = Routine {
    forms: Forms { host: true, device: false, waits: true },
    ..create(
        "csrSum",
        "csr_sum",
        "Adds two sparse matrices: C := alpha A + beta B.",
        &["C has an entry wherever A or B has one, and lies where they lie. It serves matrices made from memory \
             objects, too, and waits until C is made."],
        "cuSPARSE cusparseXcsrgeam2",
        &[
            argument("alpha", Kind::Scalar(Number::Element), "factor of A"),
            A,
            argument("beta", Kind::Scalar(Number::Element), "factor of B"),
            argument(
                "b",
                Kind::Handle(Read, CSR),
                "the sparse matrix B, with A's rows, columns and width of row pointers",
            ),
            argument("c", Kind::NewHandle(CSR), "gets the sum; affinimathCsrDestroy ends it"),
        ],
    )
};

const CACHED: &str = "What is found out about A on the way, such as its transpose, is kept with it: the first call is \
    slower than the next ones.";
const ALPHA: Argument = argument("alpha", Kind::Scalar(Number::Element), "factor of the product");
const BETA: Argument = argument("beta", Kind::Scalar(Number::Element), "factor of what the result held before");
const UNREAD: &str =
    "With alpha = 0, A and the other factor are not read; with beta = 0 the result is not, so that NaN in it vanishes.";
const SAME_BITS: &str = "Sums are made in one order: a call gives the same bits each time on the same device.";

pub(super) const CSRMV: Routine = in_place(
    "csrmv",
    "csrmv",
    "Multiplies a sparse matrix and a vector: y := alpha op(A) x + beta y.",
    &[UNREAD, SAME_BITS, CACHED],
    "sparse BLAS xUSMV",
    &[
        argument("trans", Kind::Op, "op(A)"),
        ALPHA,
        A,
        argument("x", Kind::Vector(Read, Number::Element), "the vector x, of op(A)'s columns"),
        argument("incx", Kind::Increment, "increment of x"),
        BETA,
        argument("y", Kind::Vector(Write, Number::Element), "the vector y, of op(A)'s rows"),
        argument("incy", Kind::Increment, "increment of y"),
    ],
);

pub(super) const CSRMM: Routine = in_place(
    "csrmm",
    "csrmm",
    "Multiplies a sparse matrix and a dense one: C := alpha op(A) B + beta C.",
    &[UNREAD, SAME_BITS, CACHED],
    "sparse BLAS xUSMM",
    &[
        argument("layout", Kind::Layout, "the order of B and C in memory"),
        argument("trans", Kind::Op, "op(A)"),
        argument("n", Kind::Size, "columns of B and C"),
        ALPHA,
        A,
        argument("b", Kind::Matrix(Read), "the dense matrix B, of op(A)'s columns x n"),
        argument("ldb", Kind::LeadingDimension, "leading dimension of B"),
        BETA,
        argument("c", Kind::Matrix(Write), "the dense matrix C, of op(A)'s rows x n"),
        argument("ldc", Kind::LeadingDimension, "leading dimension of C"),
    ],
);

pub(super) const CSRSV: Routine = in_place(
    "csrsv",
    "csrsv",
    "Solves a triangular system with a sparse matrix: x := op(T)^-1 x, for a triangle T of A.",
    &[
        "Entries on the other side of the diagonal are not used. As in BLAS's xTRSV nothing is tested: with a zero on \
         the diagonal the result is infinite or NaN.",
        "Which rows do not need each other is found out on the host at the first call, and kept, also for other values \
         of the same entries.",
    ],
    "sparse BLAS xUSSV",
    &[
        argument("uplo", Kind::Triangle, "which triangle of A"),
        argument("trans", Kind::Op, "op(T)"),
        argument("diag", Kind::Diagonal, "whether T's diagonal is stored"),
        A,
        argument("x", Kind::Vector(Write, Number::Element), "the right-hand side, and then the solution"),
        argument("incx", Kind::Increment, "increment of x"),
    ],
);
