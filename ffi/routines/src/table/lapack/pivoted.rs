//! QR with column pivoting, and least squares of matrices of any rank.

use super::{A, B, LAYOUT, LDA, LDB, LWORK, M, N, NRHS, REFLECTIONS, TAU_OUT, UNNEEDED, WORK};
use crate::table::Access::Write;
use crate::table::standard::lapack;
use crate::table::{Argument, Forms, Kind, Number, Routine, SDCZ, argument};

const JPVT: Argument = argument(
    "jpvt",
    Kind::Vector(Write, Number::I32),
    "n numbers: not 0 for the columns that go to the front; then column j of A * P is column jpvt[j] of A, from 1",
);
/// Workspace of the complex types only.
const RWORK: Argument = Argument { name: "rwork", ..UNNEEDED };

pub(super) const GEQP3: Routine = Routine {
    name: "geqp3",
    module: "geqp3",
    types: SDCZ,
    summary: "QR factorisation with column pivoting, in place: A * P = Q * R.",
    notes: &[
        REFLECTIONS,
        "R is on and above the diagonal, the vectors v below it. The moduli on R's diagonal do not increase among the \
         free columns.",
        "It is computed on the host.",
    ],
    source: "LAPACK xGEQP3",
    arguments: &[LAYOUT, M, N, A, LDA, JPVT, TAU_OUT, WORK, LWORK, RWORK],
    forms: Forms::WAITING,
    standard: &[lapack("geqp3").real().without(&["rwork"]), lapack("geqp3").complex()],
};

pub(super) const GELSY: Routine = Routine {
    name: "gelsy",
    module: "gelsy",
    types: SDCZ,
    summary: "Least squares of any rank: for each column b of B the x of least norm that minimises ||b - A * x||.",
    notes: &[
        "A is factorised with column pivoting; its rank is the order of the largest leading triangle of R whose \
         condition is estimated to be at most 1 / rcond.",
        "B has max(m, n) rows: b in the first m, then x in the first n. Where the rank is n < m, the sum of squares of \
         rows n to m is that of the residual.",
        "It is computed on the host. NaN in A or B goes into X.",
    ],
    source: "LAPACK xGELSY",
    arguments: &[
        LAYOUT,
        M,
        N,
        NRHS,
        Argument { meaning: "A, which is overwritten", ..A },
        LDA,
        B,
        LDB,
        JPVT,
        argument(
            "rcond",
            Kind::Scalar(Number::Real),
            "the least reciprocal condition, such as max(m, n) * epsilon; not NaN",
        ),
        argument("rank", Kind::Iterations, "gets the rank of A, in host memory in both forms"),
        WORK,
        LWORK,
        RWORK,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("gelsy").real().without(&["rwork"]), lapack("gelsy").complex()],
};
