//! Solutions by factors in single precision, refined to double precision.

use super::{A, INFO, LAYOUT, LDA, LDB, NRHS, ORDER, TRIANGLE, UNNEEDED, UPLO};
use crate::table::Access::{Read, Write};
use crate::table::standard::lapack;
use crate::table::{Argument, Element, Forms, Kind, Number, Routine, TypeVariant, argument};

/// Double precision, with factors in single precision.
const DS_ZC: &[TypeVariant] =
    &[TypeVariant { letters: "Ds", element: Element::F64 }, TypeVariant { letters: "Zc", element: Element::C64 }];

const RIGHT_SIDES: Argument = argument("b", Kind::Matrix(Read), "B");
const SOLUTION: Argument = argument("x", Kind::Matrix(Write), "gets X");
const LDX: Argument = argument("ldx", Kind::LeadingDimension, "leading dimension of X");
const SINGLE_WORK: Argument = argument("swork", Kind::UnneededWorkspace, "workspace in single precision");
const REAL_WORK: Argument = argument("rwork", Kind::UnneededWorkspace, "real workspace, of complex types only");
const ITER: Argument = argument(
    "iter",
    Kind::Iterations,
    "gets the number of refinements, or why there are factors in double precision: -2 where a number is beyond single \
     precision, -3 where there are no factors in it, -31 after 30 refinements; it points to the host's memory, and is \
     set on return",
);
const REFINED: &str = "A is factorised in single precision, and X refined until its residual is as small as by factors \
    in double precision. Where that does not come about, they are computed.";
const UNCHANGED: &str =
    "A is as it was where iter is 0 or more; else it is overwritten by its factors in double precision.";
const UNUSABLE: &str = "Then X is not to be used.";

pub(super) const GESV_MIXED: Routine = Routine {
    name: "gesv",
    module: "gesv_mixed",
    types: DS_ZC,
    summary: "Solution of A * X = B by LU in single precision, refined to double.",
    notes: &[
        REFINED,
        UNCHANGED,
        "Returns i where pivot i of the factors in double precision is exactly zero: U is singular.",
        UNUSABLE,
    ],
    source: "LAPACK DSGESV, ZCGESV",
    arguments: &[
        LAYOUT,
        ORDER,
        NRHS,
        A,
        LDA,
        argument("ipiv", Kind::Vector(Write, Number::I32), "n pivots of the factors that were used"),
        RIGHT_SIDES,
        LDB,
        SOLUTION,
        LDX,
        UNNEEDED,
        SINGLE_WORK,
        REAL_WORK,
        ITER,
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("gesv").real().without(&["rwork"]), lapack("gesv").complex()],
};

pub(super) const POSV_MIXED: Routine = Routine {
    name: "posv",
    module: "posv_mixed",
    types: DS_ZC,
    summary: "Solution of A * X = B for a positive definite A by Cholesky's factorisation in single precision, refined \
     to double.",
    notes: &[
        TRIANGLE,
        REFINED,
        UNCHANGED,
        "Returns i where the leading minor of order i is not positive in double precision.",
        UNUSABLE,
    ],
    source: "LAPACK DSPOSV, ZCPOSV",
    arguments: &[
        LAYOUT,
        UPLO,
        ORDER,
        NRHS,
        A,
        LDA,
        RIGHT_SIDES,
        LDB,
        SOLUTION,
        LDX,
        UNNEEDED,
        SINGLE_WORK,
        REAL_WORK,
        ITER,
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("posv").real().without(&["rwork"]), lapack("posv").complex()],
};
