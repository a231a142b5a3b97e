//! Functions on sparse matrices of all types, and the options and outcomes of iterative solvers.

use super::super::fft::field;
use super::super::library::plain;
use super::super::{Element, FunctionGroup, LibraryFunction, PlainArgument, Struct};
use super::{CSR, HISTORY, PRECONDITIONER, factors};
use crate::signature::{Named, Pointee, Returns, Type};

/// Functions on handles.
pub(in crate::table) const OBJECTS: FunctionGroup = FunctionGroup {
    module: "sparse_objects",
    title: "Sparse matrices of all types, preconditioners, options of iterative solvers, and sparse factors",
    structs: &[OPTIONS, OUTCOME],
    functions: &[
        DESTROY,
        SHAPE,
        TRANSPOSE,
        SORTED,
        MIRRORED,
        PRODUCT,
        SOLVE_OPTIONS,
        JACOBI,
        CHEBYSHEV,
        CHEBYSHEV_BOUNDS,
        BLOCK_JACOBI,
        SSOR,
        ILU0,
        IC0,
        IC0_SHIFTED,
        DESTROY_PRECONDITIONER,
        factors::CREATE,
        factors::UPDATE,
        factors::INFO,
        factors::CONDITION,
        factors::DESTROY,
    ],
};

pub(super) const OPTIONS: Struct = Struct {
    ty: Named { rust: "SolveOptions", c: "solve_options" },
    summary: "When an iterative solver stops, and how it gets there.",
    fields: &[
        field("rtol", Type::Value(Element::F64), None, "It stops at ||b - A x|| <= max(rtol ||b||, atol)."),
        field("atol", Type::Value(Element::F64), None, "The same."),
        field(
            "max_iterations",
            Type::Int64,
            None,
            "The most iterations; less than 0 for ten times as many as unknowns.",
        ),
        field("restart", Type::Int64, None, "How many vectors GMRES keeps before it begins anew: from 1 to 62."),
        field(
            "poll",
            Type::Int64,
            None,
            "After how many iterations, at the most, the host looks at what a device has done: from 1 to 16. The \
             result does not depend on it.",
        ),
        field(
            "damping",
            Type::Value(Element::F64),
            None,
            "Methods for least squares minimise ||b - A x||^2 + damping^2 ||x - x0||^2, where x0 is the x that they \
             are given; at least 0.",
        ),
        field("history", Type::Callback(HISTORY), None, "Null, or told of each iteration."),
        field("history_user", Type::User, None, "What history is given."),
        field(
            "preconditioner",
            Type::Pointer(Pointee::Handle(PRECONDITIONER), false),
            None,
            "Null, or the preconditioner, which is the caller's to destroy after the solve. Methods for least squares \
             take none.",
        ),
    ],
};

pub(super) const OUTCOME: Struct = Struct {
    ty: Named { rust: "SolveOutcome", c: "solve_outcome" },
    summary: "How an iterative solver ended.",
    fields: &[
        field("reason", Type::Int, None, "AFFINIMATH_CONVERGED or another reason."),
        field("iterations", Type::Int64, None, "How many iterations were made."),
        field("residual", Type::Value(Element::F64), None, "||b - A x||, computed from x at the end."),
        field("relative_residual", Type::Value(Element::F64), None, "The same over ||b||; 0 where both are 0."),
        field(
            "normal_residual",
            Type::Value(Element::F64),
            None,
            "||A^H (b - A x)||, computed from x at the end by methods for least squares; with damping that of the \
             damped system. -1 of others.",
        ),
    ],
};

const fn matrix(name: &'static str, meaning: &'static str) -> PlainArgument {
    plain(name, Type::Pointer(Pointee::Handle(CSR), false), meaning)
}

const A: PlainArgument = matrix("a", "the sparse matrix A");
const NEW_MATRIX: PlainArgument = plain("matrix", Type::New(CSR), "gets the matrix; affinimathCsrDestroy ends it");
const NEW_PRECONDITIONER: PlainArgument = plain(
    "preconditioner",
    Type::New(PRECONDITIONER),
    "gets the preconditioner; affinimathPreconditionerDestroy ends it",
);
const LIES: &str = "The result has A's type and lies where A lies, also for matrices made from memory objects; the \
    call waits until it is made.";

const DESTROY: LibraryFunction = LibraryFunction {
    name: "CsrDestroy",
    function: "destroy",
    summary: "Ends a sparse matrix, and what it holds of a device once the work that is enqueued is done.",
    notes: &["No other call may use it meanwhile or afterwards. Preconditioners that were made of it stay."],
    arguments: &[plain(
        "matrix",
        Type::Pointer(Pointee::Handle(CSR), true),
        "the matrix, or null, for which nothing is done",
    )],
    returns: Returns::Status,
};

const SHAPE: LibraryFunction = LibraryFunction {
    name: "CsrShape",
    function: "shape",
    summary: "Tells the size of a sparse matrix.",
    notes: &[],
    arguments: &[
        A,
        plain("rows", Type::Pointer(Pointee::Int64, true), "gets the number of rows"),
        plain("columns", Type::Pointer(Pointee::Int64, true), "gets the number of columns"),
        plain("entries", Type::Pointer(Pointee::Int64, true), "gets the number of entries"),
    ],
    returns: Returns::Status,
};

const TRANSPOSE: LibraryFunction = LibraryFunction {
    name: "CsrTranspose",
    function: "transpose",
    summary: "Makes the transpose of a sparse matrix, which is also the matrix in compressed columns.",
    notes: &["Entries of a row are in the order of A's rows.", LIES],
    arguments: &[A, NEW_MATRIX],
    returns: Returns::Status,
};

const SORTED: LibraryFunction = LibraryFunction {
    name: "CsrSorted",
    function: "sorted",
    summary: "Makes the same sparse matrix with the columns of each row in ascending order, and one entry in each \
     place.",
    notes: &[LIES],
    arguments: &[A, NEW_MATRIX],
    returns: Returns::Status,
};

const MIRRORED: LibraryFunction = LibraryFunction {
    name: "CsrMirrored",
    function: "mirrored",
    summary: "Makes the whole of a square sparse matrix of which a triangle is stored, sorted as by \
     affinimathCsrSorted.",
    notes: &[
        "Entries across the diagonal are added where both sides have some; those on the diagonal stay as they are.",
        LIES,
    ],
    arguments: &[
        A,
        plain(
            "symmetry",
            Type::Int,
            "what stands across the diagonal from an entry: AFFINIMATH_SYMMETRIC, AFFINIMATH_HERMITIAN or \
             AFFINIMATH_SKEW_SYMMETRIC",
        ),
        NEW_MATRIX,
    ],
    returns: Returns::Status,
};

const PRODUCT: LibraryFunction = LibraryFunction {
    name: "CsrProduct",
    function: "product",
    summary: "Makes the product A B of two sparse matrices, sorted as by affinimathCsrSorted.",
    notes: &[
        "On a device all products of entries are listed before they are added: that takes memory for each of them.",
        LIES,
    ],
    arguments: &[
        A,
        matrix("b", "the sparse matrix B, of A's type and width of row pointers, with as many rows as A has columns"),
        NEW_MATRIX,
    ],
    returns: Returns::Status,
};

const SOLVE_OPTIONS: LibraryFunction = LibraryFunction {
    name: "SolveOptions",
    function: "options",
    summary: "Fills options: rtol 1e-8 (1e-5 in single precision), atol 0, ten times as many iterations as unknowns, \
     restart 30, poll 16, damping 0.",
    notes: &["There is no history and no preconditioner. What is to be otherwise is set in the fields."],
    arguments: &[
        plain("options", Type::Pointer(Pointee::Struct(OPTIONS.ty), true), "gets the options"),
        plain("precision", Type::Int, "AFFINIMATH_SINGLE or AFFINIMATH_DOUBLE"),
    ],
    returns: Returns::Status,
};

const JACOBI: LibraryFunction = LibraryFunction {
    name: "JacobiCreate",
    function: "jacobi",
    summary: "Makes Jacobi's preconditioner: the inverse of a square sparse matrix's diagonal.",
    notes: &["Returns i > 0 where the i-th element of the diagonal is zero."],
    arguments: &[A, NEW_PRECONDITIONER],
    returns: Returns::Status,
};

const CHEBYSHEV: LibraryFunction = LibraryFunction {
    name: "ChebyshevCreate",
    function: "chebyshev",
    summary: "Makes Chebyshev's polynomial preconditioner of a Hermitian positive definite sparse matrix, with \
     Gershgorin's bound for its spectrum.",
    notes: &[
        "It keeps the matrix as it is now. Saad, Iterative methods for sparse linear systems, 2003, algorithm 12.1.",
    ],
    arguments: &[A, plain("degree", Type::Int64, "products with the matrix, at least 0"), NEW_PRECONDITIONER],
    returns: Returns::Status,
};

const CHEBYSHEV_BOUNDS: LibraryFunction = LibraryFunction {
    name: "ChebyshevCreateBounds",
    function: "chebyshev_bounds",
    summary: "The same with bounds of the part of the spectrum that the polynomial makes small.",
    notes: &["It keeps the matrix as it is now."],
    arguments: &[
        A,
        plain("degree", Type::Int64, "products with the matrix, at least 0"),
        plain("low", Type::Value(Element::F64), "the lower bound, more than 0"),
        plain(
            "high",
            Type::Value(Element::F64),
            "the upper bound, which must be one of the whole spectrum, more than low",
        ),
        NEW_PRECONDITIONER,
    ],
    returns: Returns::Status,
};

const BLOCK_JACOBI: LibraryFunction = LibraryFunction {
    name: "BlockJacobiCreate",
    function: "block_jacobi",
    summary: "Makes block Jacobi's preconditioner: the inverses of the blocks on a square sparse matrix's diagonal.",
    notes: &[
        "Returns i > 0 where a block is found to be singular at row i. Saad, Iterative methods for sparse linear \
         systems, 2003, section 12.2.",
    ],
    arguments: &[
        A,
        plain("size", Type::Int64, "rows of a block, from 1 to 256; the last block may have fewer"),
        NEW_PRECONDITIONER,
    ],
    returns: Returns::Status,
};

const SSOR: LibraryFunction = LibraryFunction {
    name: "SsorCreate",
    function: "ssor",
    summary: "Makes the preconditioner of symmetric successive over-relaxation of a square sparse matrix.",
    notes: &[
        "Returns i > 0 where the i-th element of the diagonal is zero. Saad, Iterative methods for sparse linear \
         systems, 2003, section 10.2.",
    ],
    arguments: &[A, plain("omega", Type::Value(Element::F64), "the relaxation, between 0 and 2"), NEW_PRECONDITIONER],
    returns: Returns::Status,
};

const ILU0: LibraryFunction = LibraryFunction {
    name: "Ilu0Create",
    function: "ilu0",
    summary: "Makes incomplete LU factors without fill, ILU(0), of a square sparse matrix: a preconditioner.",
    notes: &[
        "Every row needs an entry on the diagonal. Returns i > 0 where the i-th pivot is zero. Saad, Iterative methods \
         for sparse linear systems, 2003, section 10.3.2.",
    ],
    arguments: &[A, NEW_PRECONDITIONER],
    returns: Returns::Status,
};

const IC0: LibraryFunction = LibraryFunction {
    name: "Ic0Create",
    function: "ic0",
    summary: "Makes incomplete Cholesky factors without fill, IC(0), of a Hermitian positive definite sparse matrix: a \
     preconditioner.",
    notes: &[
        "Its lower triangle is used, and every row needs an entry on the diagonal. Where a pivot is not positive, the \
         diagonal is made larger by 0.001 of it, which is doubled until all are (Manteuffel 1980). Returns i > 0 where \
         nothing makes the i-th pivot positive. Meijerink and van der Vorst, 1977.",
    ],
    arguments: &[A, NEW_PRECONDITIONER],
    returns: Returns::Status,
};

const IC0_SHIFTED: LibraryFunction = LibraryFunction {
    name: "Ic0CreateShifted",
    function: "ic0_shifted",
    summary: "The same with a diagonal that is (1 + shift) times the matrix's, and no other one.",
    notes: &["Returns i > 0 where the i-th pivot is not positive."],
    arguments: &[
        A,
        plain("shift", Type::Value(Element::F64), "by which part the diagonal is made larger, at least 0"),
        NEW_PRECONDITIONER,
    ],
    returns: Returns::Status,
};

const DESTROY_PRECONDITIONER: LibraryFunction = LibraryFunction {
    name: "PreconditionerDestroy",
    function: "destroy_preconditioner",
    summary: "Ends a preconditioner.",
    notes: &["No other call may use it meanwhile or afterwards."],
    arguments: &[plain(
        "preconditioner",
        Type::Pointer(Pointee::Handle(PRECONDITIONER), true),
        "the preconditioner, or null, for which nothing is done",
    )],
    returns: Returns::Status,
};
