//! Sparse matrices in blocks of rows, preconditioners and iterative solvers.

use super::super::Access::{Read, Write};
use super::super::fft::field;
use super::super::library::plain;
use super::super::{
    Argument, Element, Family, FunctionGroup, Kind, LibraryFunction, Number, PlainArgument, Routine, Struct, argument,
};
use super::{ALPHA, COLLECTIVE, ON, SDCZ, STATUS, TRANS, int64s, read, routine, write};
use crate::signature::{Named, Pointee, Type};

pub(super) const CSR: Named = Named { rust: "Csr", c: "mpi_csr" };
pub(super) const PRECONDITIONER: Named = Named { rust: "Preconditioner", c: "mpi_preconditioner" };

pub(super) const FAMILY: Family =
    Family { path: "csr", home: "crate", title: "Sparse matrices in blocks of rows", routines: ROUTINES };

pub(super) const GROUP: FunctionGroup = FunctionGroup {
    module: "csr_objects",
    title: "Sparse matrices of all types, preconditioners, and options of iterative solvers",
    structs: &[OPTIONS, OUTCOME],
    functions: FUNCTIONS,
};

const OPTIONS: Struct = Struct {
    ty: Named { rust: "SolveOptions", c: "mpi_solve_options" },
    summary: "When an iterative solver stops, and its preconditioner. All ranks give the same numbers.",
    fields: &[
        field("rtol", Type::Value(Element::F64), None, "It stops at ||b - A x|| <= max(rtol ||b||, atol)."),
        field("atol", Type::Value(Element::F64), None, "The same."),
        field(
            "max_iterations",
            Type::Int64,
            None,
            "The most iterations; less than 0 for ten times as many as unknowns.",
        ),
        field("restart", Type::Int64, None, "How many vectors GMRES keeps before it begins anew: at least 1."),
        field(
            "preconditioner",
            Type::Pointer(Pointee::Handle(PRECONDITIONER), false),
            None,
            "Null on all ranks, or the preconditioner, which is the caller's to destroy after the solve.",
        ),
    ],
};

const OUTCOME: Struct = Struct {
    ty: Named { rust: "SolveOutcome", c: "mpi_solve_outcome" },
    summary: "How an iterative solver ended: the same on all ranks.",
    fields: &[
        field("reason", Type::Int, None, "AFFINIMATH_CONVERGED or another reason."),
        field("iterations", Type::Int64, None, "How many iterations were made."),
        field("residual", Type::Value(Element::F64), None, "||b - A x||, computed from x at the end."),
        field("relative_residual", Type::Value(Element::F64), None, "The same over ||b||; 0 where both are 0."),
    ],
};

const A: PlainArgument = plain("a", Type::Pointer(Pointee::Handle(CSR), false), "the sparse matrix A");
const NEW_PRECONDITIONER: PlainArgument = plain(
    "preconditioner",
    Type::New(PRECONDITIONER),
    "gets the preconditioner; affinimathMpiPreconditionerDestroy ends it",
);
const SINGULAR: &str = "A block that is singular on some rank is AFFINIMATH_MPI_FAILED on all of them.";

const fn preconditioner(
    name: &'static str,
    function: &'static str,
    summary: &'static str,
    notes: &'static [&'static str],
) -> LibraryFunction {
    LibraryFunction { name, function, summary, notes, arguments: &[A, NEW_PRECONDITIONER], returns: STATUS }
}

const FUNCTIONS: &[LibraryFunction] = &[
    LibraryFunction {
        name: "MpiEvenRange",
        function: "even_range",
        summary: "Tells a rank's range of indices where ranges differ by one index at most.",
        notes: &["Matrices that are read from files have these ranges. It needs no other rank."],
        arguments: &[
            plain("length", Type::Int64, "indices of all ranks"),
            plain("rank", Type::Int64, "the rank, from 0"),
            plain("ranks", Type::Int64, "ranks"),
            int64s("start", "gets the first index of the rank, from 0"),
            int64s("count", "gets how many indices the rank has"),
        ],
        returns: STATUS,
    },
    LibraryFunction {
        name: "MpiCsrToDevice",
        function: "csr_to_device",
        summary: "Moves a sparse matrix to the ranks' devices: products and solvers run there from then on.",
        notes: &[
            "Each call copies vectors from host memory to the devices and back. Preconditioners are made after it.",
            "A rank without a device, or without memory on it, is an error on all ranks. The matrix stays then.",
        ],
        arguments: &[plain("matrix", Type::Pointer(Pointee::Handle(CSR), true), "the matrix")],
        returns: STATUS,
    },
    LibraryFunction {
        name: "MpiCsrDestroy",
        function: "csr_destroy",
        summary: "Ends a sparse matrix.",
        notes: &["It needs no other rank. Preconditioners that were made of the matrix stay."],
        arguments: &[plain("matrix", Type::Pointer(Pointee::Handle(CSR), true), "the matrix, or null")],
        returns: STATUS,
    },
    LibraryFunction {
        name: "MpiCsrShape",
        function: "csr_shape",
        summary: "Tells the size of a sparse matrix of all ranks.",
        notes: &["It needs no other rank."],
        arguments: &[
            A,
            int64s("rows", "gets the number of rows"),
            int64s("columns", "gets the number of columns"),
            int64s("entries", "gets the number of entries"),
        ],
        returns: STATUS,
    },
    LibraryFunction {
        name: "MpiCsrRanges",
        function: "csr_ranges",
        summary: "Tells this rank's rows of a sparse matrix, and its elements of x in y := A x.",
        notes: &["It needs no other rank."],
        arguments: &[
            A,
            int64s("row_start", "gets this rank's first row, from 0"),
            int64s("row_count", "gets the number of this rank's rows, and of its elements of y"),
            int64s("column_start", "gets the index of this rank's first element of x, from 0"),
            int64s("column_count", "gets the number of this rank's elements of x"),
        ],
        returns: STATUS,
    },
    LibraryFunction {
        name: "MpiSolveOptions",
        function: "solve_options",
        summary: "Fills options: rtol 1e-8 (1e-5 in single precision), atol 0, ten times as many iterations as \
            unknowns, restart 30, no preconditioner.",
        notes: &["What is to be otherwise is set in the fields. It needs no other rank."],
        arguments: &[
            plain("options", Type::Pointer(Pointee::Struct(OPTIONS.ty), true), "gets the options"),
            plain("precision", Type::Int, "AFFINIMATH_SINGLE or AFFINIMATH_DOUBLE"),
        ],
        returns: STATUS,
    },
    preconditioner(
        "MpiJacobiCreate",
        "jacobi",
        "Makes Jacobi's preconditioner: the inverse of a square sparse matrix's diagonal.",
        &[COLLECTIVE, "A zero on the diagonal of some rank is AFFINIMATH_MPI_FAILED on all of them."],
    ),
    preconditioner(
        "MpiBlockJacobiCreate",
        "block_jacobi",
        "Makes block Jacobi's preconditioner: sparse factors of each rank's block on the diagonal.",
        &[COLLECTIVE, SINGULAR, "Of a Hermitian positive definite matrix it is positive definite, too."],
    ),
    preconditioner(
        "MpiIlu0Create",
        "ilu0",
        "Makes block Jacobi's preconditioner with incomplete LU factors without fill, ILU(0), of each block.",
        &[COLLECTIVE, "Every row needs an entry on the diagonal.", SINGULAR],
    ),
    preconditioner(
        "MpiIc0Create",
        "ic0",
        "Makes block Jacobi's preconditioner with incomplete Cholesky factors without fill, IC(0), of each block.",
        &[
            COLLECTIVE,
            "Of a Hermitian positive definite matrix, it uses the blocks' lower triangles. Every row needs an entry on \
             the diagonal. Each rank shifts its own diagonal where that is needed, as affinimathIc0Create does.",
            SINGULAR,
        ],
    ),
    LibraryFunction {
        name: "MpiPreconditionerDestroy",
        function: "preconditioner_destroy",
        summary: "Ends a preconditioner.",
        notes: &["It needs no other rank."],
        arguments: &[plain(
            "preconditioner",
            Type::Pointer(Pointee::Handle(PRECONDITIONER), true),
            "the preconditioner, or null",
        )],
        returns: STATUS,
    },
];

const BLOCKS: &str = "Ranks have blocks of adjacent rows, in their order. Each gives the number of its own ones, which \
    may be 0, and the number of its elements of x. Square matrices of solvers have as many of both on each rank. All \
    ranks call it together.";
const COPIED: &str = "The arrays are copied. Destroy the matrix before its grid.";

const LOCAL_ROWS: Argument = argument("local_rows", Kind::Size, "rows of this rank, fewer than 2^31");
const LOCAL_COLUMNS: Argument =
    argument("local_columns", Kind::Size, "elements of x on this rank in y := A x, fewer than 2^31");
const MATRIX: Argument = argument("matrix", Kind::NewHandle(CSR), "gets the matrix; affinimathMpiCsrDestroy ends it");

const fn integers(name: &'static str, number: Number, meaning: &'static str) -> Argument {
    argument(name, Kind::Array(Read, number), meaning)
}

const POINTERS: &str = "local_rows + 1 numbers: where each own row's entries begin, from 0, and where the last one's \
    end";
const INDICES: &str = "the column of each entry in the whole matrix, from 0";
const VALUES: Argument = read("values", "the value of each entry");
const ENTRIES: Argument = argument("entries", Kind::Size, "entries that this rank gives, fewer than 2^31");
const ROW_INDICES: &str = "the row of each entry in the whole matrix, from 0";
const ORDER: &str = "Columns of a row may come in any order, and more than once: such entries add up.";
const ADDED: &str = "Entries may be those of any rank's rows. Entries in the same place are added, in the order of the \
    ranks.";

const GIVEN_A: Argument = argument("a", Kind::Handle(Read, CSR), "the sparse matrix A");
const WITH_MATRIX: &[Argument] = &[
    GIVEN_A,
    read("b", "this rank's part of the right-hand side, partitioned as A's rows"),
    write("x", "where iterations begin, and then the solution: this rank's part"),
    argument(
        "options",
        Kind::Struct(Read, OPTIONS.ty),
        "what affinimathMpiSolveOptions filled, or null for what it fills in",
    ),
    argument("outcome", Kind::Struct(Write, OUTCOME.ty), "gets how the solve ended"),
];

const STOPS: &str = "Stops at ||b - A x|| <= max(rtol ||b||, atol), which is computed from x. That it does not \
    converge is no error: outcome has the reason, and x what was reached. The result has the same bits in every run \
    on the same ranks. All ranks call it together.";
const HERMITIAN: &str = "That A is Hermitian is not looked at.";
const CSR_SOURCE: &str = "CSR as in the sparse BLAS; PETSc MatCreateMPIAIJWithArrays";
const COO_SOURCE: &str = "COO as in the sparse BLAS; PETSc MatSetPreallocationCOO";

/// A routine that makes a matrix, whose handwritten function has another name than C's.
const fn named(
    module: &'static str,
    name: &'static str,
    summary: &'static str,
    notes: &'static [&'static str],
    source: &'static str,
    arguments: &'static [Argument],
) -> Routine {
    Routine { module, ..routine(name, SDCZ, summary, notes, source, arguments) }
}

const ROUTINES: &[Routine] = &[
    named(
        "csr_create",
        "csrCreate",
        "Makes a sparse matrix of all ranks' rows, with row pointers and columns of 32 bits.",
        &[BLOCKS, ORDER, COPIED],
        CSR_SOURCE,
        &[
            ON,
            LOCAL_ROWS,
            LOCAL_COLUMNS,
            integers("pointers", Number::I32, POINTERS),
            integers("indices", Number::I32, INDICES),
            VALUES,
            MATRIX,
        ],
    ),
    named(
        "csr_create64",
        "csrCreate64",
        "Makes a sparse matrix of all ranks' rows, with row pointers and columns of 64 bits.",
        &[BLOCKS, ORDER, COPIED],
        CSR_SOURCE,
        &[
            ON,
            LOCAL_ROWS,
            LOCAL_COLUMNS,
            integers("pointers", Number::I64, POINTERS),
            integers("indices", Number::I64, INDICES),
            VALUES,
            MATRIX,
        ],
    ),
    named(
        "csr_from_coo",
        "csrFromCoo",
        "Makes a sparse matrix of all ranks' lists of entries, with indices of 32 bits.",
        &[BLOCKS, ADDED, COPIED],
        COO_SOURCE,
        &[
            ON,
            LOCAL_ROWS,
            LOCAL_COLUMNS,
            ENTRIES,
            integers("row_indices", Number::I32, ROW_INDICES),
            integers("column_indices", Number::I32, INDICES),
            VALUES,
            MATRIX,
        ],
    ),
    named(
        "csr_from_coo64",
        "csrFromCoo64",
        "Makes a sparse matrix of all ranks' lists of entries, with indices of 64 bits.",
        &[BLOCKS, ADDED, COPIED],
        COO_SOURCE,
        &[
            ON,
            LOCAL_ROWS,
            LOCAL_COLUMNS,
            ENTRIES,
            integers("row_indices", Number::I64, ROW_INDICES),
            integers("column_indices", Number::I64, INDICES),
            VALUES,
            MATRIX,
        ],
    ),
    named(
        "csr_read",
        "csrRead",
        "Makes the sparse matrix of a Matrix Market file, of which each rank reads its part.",
        &[
            "All ranks see the file, which is not compressed, and call it together. Rows and columns have the ranges \
             of affinimathMpiEvenRange, which affinimathMpiCsrRanges tells.",
            "A file that stores a triangle of a symmetric, Hermitian or skew-symmetric matrix gives the whole one. \
             Duplicate entries are added, a pattern's entries are ones. What is wrong with the file is reported as a \
             wrong path, with the line.",
        ],
        "Boisvert, Pozo and Remington, The Matrix Market exchange formats, 1996",
        &[ON, argument("path", Kind::Text, "the file's path, ended by a null character"), MATRIX],
    ),
    routine(
        "csrmv",
        SDCZ,
        "Multiplies a sparse matrix and a vector: y := alpha op(A) x + beta y.",
        &["A rank's ghost elements of x travel while it multiplies its own ones. Sums are made in one order: a call \
             gives the same bits each time on the same ranks. All ranks call it together."],
        "sparse BLAS xUSMV",
        &[
            TRANS,
            ALPHA,
            GIVEN_A,
            read("x", "this rank's part of x, which is partitioned as op(A)'s columns"),
            argument("beta", Kind::Scalar(Number::Element), "a factor; with 0, y is not read"),
            write("y", "this rank's part of y, which is partitioned as op(A)'s rows"),
        ],
    ),
    routine(
        "cg",
        SDCZ,
        "Solves A x = b for a Hermitian positive definite sparse A by conjugate gradients: one reduction an iteration.",
        &[STOPS, HERMITIAN],
        "Chronopoulos and Gear, s-step iterative methods for symmetric linear systems, 1989",
        WITH_MATRIX,
    ),
    routine(
        "minres",
        SDCZ,
        "Solves A x = b for a Hermitian sparse A, which may be indefinite, by minimal residuals.",
        &[STOPS, HERMITIAN],
        "Paige and Saunders, Solution of sparse indefinite systems of linear equations, 1975",
        WITH_MATRIX,
    ),
    routine(
        "bicgstab",
        SDCZ,
        "Solves A x = b for a square sparse A by stabilised biconjugate gradients.",
        &[STOPS],
        "van der Vorst, Bi-CGSTAB, 1992",
        WITH_MATRIX,
    ),
    routine(
        "gmres",
        SDCZ,
        "Solves A x = b for a square sparse A by generalised minimal residuals, restarted.",
        &[STOPS],
        "Saad and Schultz, GMRES, 1986",
        WITH_MATRIX,
    ),
];
