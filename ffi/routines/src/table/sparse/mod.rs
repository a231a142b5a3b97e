//! Sparse matrices: handles that the library makes, products and solves with them, and iterative solvers.

mod factors;
mod matrices;
mod objects;
mod solvers;

pub(super) use objects::OBJECTS;

use super::{Access, Argument, Family, Kind, Number, argument};
use crate::signature::Named;

pub(super) const FAMILY: Family = Family {
    path: "sparse",
    home: "crate",
    title: "Sparse matrices",
    routines: &[
        matrices::CREATE,
        matrices::CREATE_64,
        matrices::FROM_COO,
        matrices::FROM_COO_64,
        matrices::FROM_DENSE,
        matrices::FROM_DENSE_64,
        matrices::READ,
        matrices::READ_64,
        matrices::DOWNLOAD,
        matrices::DOWNLOAD_64,
        matrices::TO_DENSE,
        matrices::DIAGONAL,
        matrices::SET_VALUES,
        matrices::SCALE,
        matrices::SCALE_ROWS,
        matrices::SCALE_COLUMNS,
        matrices::SUM,
        matrices::CSRMV,
        matrices::CSRMM,
        matrices::CSRSV,
        solvers::CG,
        solvers::MINRES,
        solvers::BICGSTAB,
        solvers::GMRES,
        solvers::LSQR,
        solvers::LSMR,
        solvers::CG_OPERATOR,
        solvers::MINRES_OPERATOR,
        solvers::BICGSTAB_OPERATOR,
        solvers::GMRES_OPERATOR,
        solvers::LSQR_OPERATOR,
        solvers::LSMR_OPERATOR,
        solvers::PRECONDITIONER,
        factors::SOLVE,
    ],
};

pub(super) const CSR: Named = Named { rust: "Csr", c: "csr" };
pub(super) const PRECONDITIONER: Named = Named { rust: "Preconditioner", c: "preconditioner" };

pub(super) const FACTORS: Named = Named { rust: "Factors", c: "sparse_factors" };

/// Callbacks.
pub(super) const CALLBACKS: &[(Named, &str, &str)] = &[
    (
        HISTORY,
        "void (void *user, int64_t iteration, double residual)",
        "Told of each iteration, from 1, and of the norm of the residual after it as the recurrence has it.",
    ),
    (
        OPERATOR,
        "int (void *user, int op, const void *x, void *y)",
        "y := op(A) x for adjacent elements of the type that the solver or the preconditioner was made for. op is \
         AFFINIMATH_NO_TRANS for all solvers of square systems. What it returns but 0 ends the solve, which returns \
         it.",
    ),
    (
        OPERATOR_CL,
        "int (void *user, int op, struct _cl_command_queue *queue, struct _cl_mem *x, int64_t offx, struct _cl_mem *y, \
         int64_t offy)",
        "The same for adjacent elements in memory objects, from the elements offx and offy on: enqueued on the queue \
         that it is given, which is the library's own one of the context. It may return while the work runs.",
    ),
];
pub(super) const HISTORY: Named = Named { rust: "History", c: "history" };
pub(super) const OPERATOR: Named = Named { rust: "Operator", c: "operator" };
pub(super) const OPERATOR_CL: Named = Named { rust: "OperatorCl", c: "operator_cl" };

const A: Argument = argument("a", Kind::Handle(Access::Read, CSR), "the sparse matrix A");
const NEW_MATRIX: Argument = argument("matrix", Kind::NewHandle(CSR), "gets the matrix; affinimathCsrDestroy ends it");
const ROWS: Argument = argument("rows", Kind::Size, "rows of the matrix");
const COLUMNS: Argument = argument("columns", Kind::Size, "columns of the matrix");

const fn indices(name: &'static str, access: Access, meaning: &'static str) -> Argument {
    argument(name, Kind::Array(access, Number::I32), meaning)
}

const fn values(name: &'static str, access: Access, meaning: &'static str) -> Argument {
    argument(name, Kind::Array(access, Number::Element), meaning)
}
