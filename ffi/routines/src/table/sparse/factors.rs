//! Sparse direct solvers: factors of a sparse matrix, and solves with them.

use super::super::Access::{Read, Write};
use super::super::library::plain;
use super::super::{Element, Forms, Kind, LibraryFunction, PlainArgument, Routine, SDCZ, argument};
use super::{CSR, FACTORS};
use crate::signature::{Pointee, Returns, Type};

const HANDLE: PlainArgument = plain("factors", Type::Pointer(Pointee::Handle(FACTORS), false), "the factors");
const A: PlainArgument = plain("a", Type::Pointer(Pointee::Handle(CSR), false), "the sparse matrix A");

const FAILS: &str = "Returns i > 0 where a pivot is zero, is not positive (Cholesky), or A's columns are dependent.";

pub(super) const CREATE: LibraryFunction = LibraryFunction {
    name: "SparseFactorsCreate",
    function: "factorize",
    summary: "Factorises a sparse matrix, ordered for little fill: AMD for Cholesky and LDL^H, COLAMD for LU and QR.",
    notes: &[
        "AFFINIMATH_FACTORS_AUTO tries Cholesky for a Hermitian matrix with a positive diagonal, then LDL^H, then LU \
         with partial pivoting; of a matrix with more rows than columns it is QR.",
        "Factors lie in the host's memory, and the host computes them, also of matrices made from memory objects.",
        FAILS,
    ],
    arguments: &[
        A,
        plain("method", Type::Int, "the factorisation, one of AFFINIMATH_FACTORS_..."),
        plain("factors", Type::New(FACTORS), "gets the factors; affinimathSparseFactorsDestroy ends them"),
    ],
    returns: Returns::Status,
};

pub(super) const UPDATE: LibraryFunction = LibraryFunction {
    name: "SparseFactorsUpdate",
    function: "refactorize",
    summary: "Factorises a matrix with the same entries and other values, by the same method, in the same ordering.",
    notes: &["Calls that solve wait for it, and it for them. The old factors stay if it fails.", FAILS],
    arguments: &[plain("factors", Type::Pointer(Pointee::Handle(FACTORS), true), "the factors"), A],
    returns: Returns::Status,
};

pub(super) const INFO: LibraryFunction = LibraryFunction {
    name: "SparseFactorsInfo",
    function: "factors_info",
    summary: "Tells the factorisation, A's size, and the entries of the factors.",
    notes: &["The entries of LU are an upper bound, which is known before pivoting."],
    arguments: &[
        HANDLE,
        plain("method", Type::Pointer(Pointee::Int32, true), "gets the factorisation, one of AFFINIMATH_FACTORS_..."),
        plain("rows", Type::Pointer(Pointee::Int64, true), "gets A's number of rows"),
        plain("columns", Type::Pointer(Pointee::Int64, true), "gets A's number of columns"),
        plain("entries", Type::Pointer(Pointee::Int64, true), "gets the number of entries of the factors"),
    ],
    returns: Returns::Status,
};

pub(super) const CONDITION: LibraryFunction = LibraryFunction {
    name: "SparseFactorsCondition",
    function: "factors_condition",
    summary: "Estimates A's condition in the 1-norm by a few solves (Higham 1988); of QR that of R.",
    notes: &[],
    arguments: &[HANDLE, plain("condition", Type::Pointer(Pointee::Element(Element::F64), true), "gets the condition")],
    returns: Returns::Status,
};

pub(super) const DESTROY: LibraryFunction = LibraryFunction {
    name: "SparseFactorsDestroy",
    function: "destroy_factors",
    summary: "Ends factors.",
    notes: &["No other call may use them meanwhile or afterwards."],
    arguments: &[plain(
        "factors",
        Type::Pointer(Pointee::Handle(FACTORS), true),
        "the factors, or null, for which nothing is done",
    )],
    returns: Returns::Status,
};

pub(super) const SOLVE: Routine = Routine {
    name: "sparseFactorsSolve",
    module: "sparse_factors_solve",
    types: SDCZ,
    summary: "Solves op(A) X = B by the factors of a sparse A; by QR, minimises ||A x - b|| for each column.",
    notes: &[
        "Solutions are refined until their backward error is a rounding error (Skeel 1980).",
        "QR has no solutions for a transposed A.",
        "The call on memory objects waits for what is before it in the queue.",
    ],
    source: "LAPACK xGETRS",
    arguments: &[
        argument("layout", Kind::Layout, "the order of B and X in memory"),
        argument("trans", Kind::Op, "op(A)"),
        argument("m", Kind::Size, "A's rows"),
        argument("n", Kind::Size, "A's columns"),
        argument("nrhs", Kind::Size, "columns of B and X"),
        argument("factors", Kind::Handle(Read, FACTORS), "A's factors"),
        argument("b", Kind::Matrix(Read), "the right-hand sides B, of op(A)'s rows x nrhs"),
        argument("ldb", Kind::LeadingDimension, "leading dimension of B"),
        argument("x", Kind::Matrix(Write), "gets the solutions X, of op(A)'s columns x nrhs"),
        argument("ldx", Kind::LeadingDimension, "leading dimension of X"),
    ],
    forms: Forms::WAITING,
    standard: &[],
};
