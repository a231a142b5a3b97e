//! Iterative solvers, with a sparse matrix or a callback.

use super::super::Access::{Read, Write};
use super::super::{Argument, Forms, Kind, Routine, SDCZ, argument};
use super::objects::{OPTIONS, OUTCOME};
use super::{A, OPERATOR, OPERATOR_CL, PRECONDITIONER as PRECONDITIONER_TYPE, values};

const B: Argument = values("b", Read, "the right-hand side");
const X: Argument = values("x", Write, "where iterations begin, and then the solution");
const GIVEN: Argument = argument(
    "options",
    Kind::Struct(Read, OPTIONS.ty),
    "what affinimathSolveOptions filled, or null for what it fills in",
);
const FOUND: Argument = argument("outcome", Kind::Struct(Write, OUTCOME.ty), "gets how the solve ended");

const WITH_MATRIX: &[Argument] = &[A, B, X, GIVEN, FOUND];
const WITH_OPERATOR: &[Argument] = &[
    argument("n", Kind::Size, "unknowns"),
    argument("apply", Kind::Callback([OPERATOR, OPERATOR_CL]), "computes y := A x"),
    argument("user", Kind::User, "what apply is given"),
    B,
    X,
    GIVEN,
    FOUND,
];

const WITH_RECTANGLE: &[Argument] = &[
    argument("m", Kind::Size, "equations: rows of A"),
    argument("n", Kind::Size, "unknowns: columns of A"),
    argument(
        "apply",
        Kind::Callback([OPERATOR, OPERATOR_CL]),
        "computes y := A x, and for AFFINIMATH_CONJ_TRANS y := A^H x",
    ),
    argument("user", Kind::User, "what apply is given"),
    B,
    X,
    GIVEN,
    FOUND,
];

const STOPS: &str = "Stops at ||b - A x|| <= max(rtol ||b||, atol), which is computed from x. That it does not \
    converge is no error: outcome has the reason, and x what was reached.";
const WAITS: &str = "The call on memory objects waits for the end, also on a device.";
const HERMITIAN: &str = "That A is Hermitian is not looked at.";
const OPERATOR_NOTE: &str = "What apply returns but 0 ends the solve, and is what the call returns; x is not to be \
    used then. Vectors lie where options' preconditioner lies, and without one on the host; those of the caller's \
    function with host pointers are always the host's.";

const LEAST_SQUARES_STOPS: &str = "Stops at ||b - A x|| <= max(rtol ||b||, atol), with AFFINIMATH_CONVERGED, or at \
    ||A^H (b - A x)|| <= rtol ||A|| ||b - A x||, with AFFINIMATH_LEAST_SQUARES; both are computed from x. That it does \
    not come there is no error: outcome has the reason, and x what was reached. With damping it minimises \
    ||b - A x||^2 + damping^2 ||x - x0||^2.";

const fn solver(
    name: &'static str,
    module: &'static str,
    summary: &'static str,
    notes: &'static [&'static str],
    source: &'static str,
    arguments: &'static [Argument],
) -> Routine {
    Routine { name, module, types: SDCZ, summary, notes, source, arguments, forms: Forms::WAITING, standard: &[] }
}

const HESTENES: &str = "Hestenes and Stiefel, Methods of conjugate gradients for solving linear systems, 1952";
const PAIGE: &str = "Paige and Saunders, Solution of sparse indefinite systems of linear equations, 1975";
const VAN_DER_VORST: &str = "van der Vorst, Bi-CGSTAB, 1992";
const SAAD: &str = "Saad and Schultz, GMRES, 1986";
const LSQR_PAPER: &str = "Paige and Saunders, LSQR, 1982";
const LSMR_PAPER: &str = "Fong and Saunders, LSMR, 2011";

pub(super) const CG: Routine = solver(
    "cg",
    "cg",
    "Solves A x = b for a Hermitian positive definite sparse A by conjugate gradients.",
    &[STOPS, HERMITIAN, WAITS],
    HESTENES,
    WITH_MATRIX,
);
pub(super) const MINRES: Routine = solver(
    "minres",
    "minres",
    "Solves A x = b for a Hermitian sparse A, which may be indefinite, by minimal residuals.",
    &[STOPS, HERMITIAN, WAITS],
    PAIGE,
    WITH_MATRIX,
);
pub(super) const BICGSTAB: Routine = solver(
    "bicgstab",
    "bicgstab",
    "Solves A x = b for a square sparse A by stabilised biconjugate gradients.",
    &[STOPS, WAITS],
    VAN_DER_VORST,
    WITH_MATRIX,
);
pub(super) const GMRES: Routine = solver(
    "gmres",
    "gmres",
    "Solves A x = b for a square sparse A by generalised minimal residuals, restarted.",
    &[STOPS, WAITS],
    SAAD,
    WITH_MATRIX,
);
pub(super) const LSQR: Routine = solver(
    "lsqr",
    "lsqr",
    "Minimises ||b - A x|| for a sparse A of any shape by LSQR.",
    &[LEAST_SQUARES_STOPS, WAITS],
    LSQR_PAPER,
    WITH_MATRIX,
);
pub(super) const LSMR: Routine = solver(
    "lsmr",
    "lsmr",
    "Minimises ||b - A x|| for a sparse A of any shape by LSMR, of which ||A^H (b - A x)|| decreases in each \
     iteration.",
    &[LEAST_SQUARES_STOPS, WAITS],
    LSMR_PAPER,
    WITH_MATRIX,
);
pub(super) const CG_OPERATOR: Routine = solver(
    "cgOperator",
    "cg_operator",
    "Solves A x = b by conjugate gradients, for a Hermitian positive definite A that a function of the caller's \
     multiplies by.",
    &[STOPS, OPERATOR_NOTE, WAITS],
    HESTENES,
    WITH_OPERATOR,
);
pub(super) const MINRES_OPERATOR: Routine = solver(
    "minresOperator",
    "minres_operator",
    "Solves A x = b by minimal residuals, for a Hermitian A that a function of the caller's multiplies by.",
    &[STOPS, OPERATOR_NOTE, WAITS],
    PAIGE,
    WITH_OPERATOR,
);
pub(super) const BICGSTAB_OPERATOR: Routine = solver(
    "bicgstabOperator",
    "bicgstab_operator",
    "Solves A x = b by stabilised biconjugate gradients, for an A that a function of the caller's multiplies by.",
    &[STOPS, OPERATOR_NOTE, WAITS],
    VAN_DER_VORST,
    WITH_OPERATOR,
);
pub(super) const GMRES_OPERATOR: Routine = solver(
    "gmresOperator",
    "gmres_operator",
    "Solves A x = b by generalised minimal residuals, restarted, for an A that a function of the caller's multiplies \
     by.",
    &[STOPS, OPERATOR_NOTE, WAITS],
    SAAD,
    WITH_OPERATOR,
);

pub(super) const LSQR_OPERATOR: Routine = solver(
    "lsqrOperator",
    "lsqr_operator",
    "Minimises ||b - A x|| by LSQR, for an A of any shape that a function of the caller's multiplies by, and by its \
     adjoint.",
    &[LEAST_SQUARES_STOPS, OPERATOR_NOTE, WAITS],
    LSQR_PAPER,
    WITH_RECTANGLE,
);
pub(super) const LSMR_OPERATOR: Routine = solver(
    "lsmrOperator",
    "lsmr_operator",
    "Minimises ||b - A x|| by LSMR, for an A of any shape that a function of the caller's multiplies by, and by its \
     adjoint.",
    &[LEAST_SQUARES_STOPS, OPERATOR_NOTE, WAITS],
    LSMR_PAPER,
    WITH_RECTANGLE,
);

pub(super) const PRECONDITIONER: Routine = Routine {
    forms: Forms { host: true, device: true, waits: true },
    ..solver(
        "preconditionerCreate",
        "preconditioner_create",
        "Makes a preconditioner of a function of the caller's, which computes what stands for the inverse of A times a \
         vector.",
        &["The function is called on the thread that solves. With host pointers it serves matrices that lie on a \
             device, too: its vectors are brought to the host and back then."],
        "Saad, Iterative methods for sparse linear systems, 2003",
        &[
            argument("n", Kind::Size, "rows of the matrix"),
            argument("apply", Kind::Callback([OPERATOR, OPERATOR_CL]), "computes y := M^-1 x"),
            argument("user", Kind::User, "what apply is given"),
            argument(
                "preconditioner",
                Kind::NewHandle(PRECONDITIONER_TYPE),
                "gets the preconditioner; affinimathPreconditionerDestroy ends it",
            ),
        ],
    )
};
