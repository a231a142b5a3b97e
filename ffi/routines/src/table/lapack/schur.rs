//! Hessenberg and Schur forms of general matrices, and what is made of them.

use super::spectral::{
    CZ, FAILED, IWORK, JOBVL, JOBVR, LDVL, LDVR, LIWORK, LRWORK, ON_HOST, READ_A, RWORK, SD, VL, VR,
};
use super::{INFO, LAYOUT, LDA, LDB, LWORK, ORDER, TRANS, UNNEEDED, WORK};
use crate::table::Access::{Read, Write};
use crate::table::standard::{Ops, lapack};
use crate::table::{Argument, Choice, Forms, Kind, Number, Only, Routine, SDCZ, argument};

const BALANC: Argument = argument("balanc", Kind::Choice(Choice::Balance), "the parts of the balancing");
const SENSE: Argument = argument("sense", Kind::Choice(Choice::Sense), "which condition numbers are computed");
const ILO: Argument = argument("ilo", Kind::Scalar(Number::I64), "the first row of the range, from 1");
const IHI: Argument = argument("ihi", Kind::Scalar(Number::I64), "its last row; 0 where there are none");
const GETS_ILO: Argument = argument("ilo", Kind::Iterations, "gets the first row of the range, from 1");
const GETS_IHI: Argument = argument("ihi", Kind::Iterations, "gets its last row");
const GETS_SCALE: Argument = argument(
    "scale",
    Kind::Vector(Write, Number::Real),
    "gets n numbers: factors of columns in the range, else rows, from 1, that each one was exchanged with",
);
const RANGE: &str = "Outside of the rows and columns from ilo to ihi the matrix is upper triangular.";
const REFLECTIONS: &str = "Q is a product of reflections I - tau v v^H, stored as LAPACK stores them.";
const TAU: Argument =
    argument("tau", Kind::Vector(Read, Number::Element), "factors of the reflections, one less than Q has rows");
const C: Argument = argument("c", Kind::Matrix(Write), "C, m by n");
const LDC: Argument = argument("ldc", Kind::LeadingDimension, "leading dimension of C");
const T_ORDER: Argument = argument("n", Kind::Size, "rows and columns of the matrix");
const PAIRS: &str = "Complex eigenvalues come in adjacent pairs, the one with the positive imaginary part first. In \
    the Schur form a pair is a block of order 2.";
const WR: Argument = argument("wr", Kind::Vector(Write, Number::Real), "gets the real parts of n eigenvalues");
const WI: Argument = argument("wi", Kind::Vector(Write, Number::Real), "gets their imaginary parts");
const W: Argument = argument("w", Kind::Vector(Write, Number::Element), "gets n eigenvalues");
const READ_T: Argument = argument("t", Kind::Matrix(Read), "the Schur form");
const T: Argument = argument("t", Kind::Matrix(Write), "the Schur form, and then that of the other order");
const LDT: Argument = argument("ldt", Kind::LeadingDimension, "leading dimension of T");
const COMPQ: Argument = argument("compq", Kind::Job, "whether Q is multiplied by the transformation");
const Q: Argument = argument("q", Kind::Matrix(Write), "Q, and then its product with the transformation");
const LDQ: Argument = argument("ldq", Kind::LeadingDimension, "leading dimension of Q");
const HOWMNY: Argument = argument("howmny", Kind::Choice(Choice::HowMany), "of which eigenvalues");
pub(super) const SELECT: Argument =
    argument("select", Kind::Flags(Read), "n flags in host memory: not 0 of selected eigenvalues");
const MM: Argument = argument("mm", Kind::Scalar(Number::I64), "the most eigenvalues that there is memory for");
pub(super) const COUNT: Argument = argument("m", Kind::Iterations, "gets the number of eigenvalues");
pub(super) const EITHER: &str = "Of real types both eigenvalues of a pair are selected, if one is.";

pub(super) const GEBAL: Routine = Routine {
    name: "gebal",
    module: "gebal",
    types: SDCZ,
    summary: "Balances a general matrix: a permutation that isolates eigenvalues, and a diagonal similarity by powers \
     of two.",
    notes: &[RANGE, "Elements that are not finite stay, and have no factor.", ON_HOST],
    source: "LAPACK xGEBAL",
    arguments: &[
        LAYOUT,
        BALANC,
        ORDER,
        argument("a", Kind::Matrix(Write), "A, and then the balanced matrix"),
        LDA,
        GETS_ILO,
        GETS_IHI,
        GETS_SCALE,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("gebal")],
};

pub(super) const GEBAK: Routine = Routine {
    name: "gebak",
    module: "gebak",
    types: SDCZ,
    summary: "Eigenvectors of a matrix from those of the balanced one, in their place.",
    notes: &["The side is the left one of left eigenvectors, and the right one of right ones.", ON_HOST],
    source: "LAPACK xGEBAK",
    arguments: &[
        LAYOUT,
        BALANC,
        argument("side", Kind::Side, "the kind of eigenvectors"),
        argument("n", Kind::Size, "rows of V"),
        ILO,
        IHI,
        argument("scale", Kind::Vector(Read, Number::Real), "gebal's n numbers"),
        argument("m", Kind::Size, "columns of V"),
        argument("v", Kind::Matrix(Write), "eigenvectors as columns"),
        argument("ldv", Kind::LeadingDimension, "leading dimension of V"),
    ],
    forms: Forms::WAITING,
    standard: &[lapack("gebak")],
};

pub(super) const GEHRD: Routine = Routine {
    name: "gehrd",
    module: "gehrd",
    types: SDCZ,
    summary: "Reduction of a general matrix to upper Hessenberg form: Q^H * A * Q = H.",
    notes: &[RANGE, REFLECTIONS, ON_HOST],
    source: "LAPACK xGEHRD",
    arguments: &[
        LAYOUT,
        ORDER,
        ILO,
        IHI,
        argument("a", Kind::Matrix(Write), "A, and then H and the reflections"),
        LDA,
        argument("tau", Kind::Vector(Write, Number::Element), "gets n - 1 factors of the reflections"),
        WORK,
        LWORK,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("gehrd")],
};

pub(super) const ORGHR: Routine = Routine {
    name: "orghr",
    module: "orghr",
    types: SDCZ,
    summary: "The Q of gehrd, in place of its reflections.",
    notes: &["Of complex types LAPACK's name is unghr.", ON_HOST],
    source: "LAPACK xORGHR, xUNGHR",
    arguments: &[
        LAYOUT,
        ORDER,
        ILO,
        IHI,
        argument("a", Kind::Matrix(Write), "the reflections, and then Q"),
        LDA,
        TAU,
        WORK,
        LWORK,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("orghr").real(), lapack("unghr").complex()],
};

pub(super) const ORMHR: Routine = Routine {
    name: "ormhr",
    module: "ormhr",
    types: SDCZ,
    summary: "Product with the Q of gehrd: C := op(Q) * C or C * op(Q).",
    notes: &["Of complex types LAPACK's name is unmhr.", ON_HOST],
    source: "LAPACK xORMHR, xUNMHR",
    arguments: &[
        LAYOUT,
        argument("side", Kind::Side, "the side of C on which the factor stands"),
        TRANS,
        argument("m", Kind::Size, "rows of C"),
        argument("n", Kind::Size, "columns of C"),
        ILO,
        IHI,
        argument("a", Kind::Matrix(Read), "the reflections"),
        LDA,
        TAU,
        C,
        LDC,
        WORK,
        LWORK,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("ormhr").real().ops(Ops::Adjoint), lapack("unmhr").complex().ops(Ops::Adjoint)],
};

const JOB: Argument = argument("job", Kind::Choice(Choice::SchurJob), "what is computed");
const COMPZ: Argument = argument("compz", Kind::Job, "whether Schur vectors are computed, those of Z H Z^H or of H");
const H: Argument = argument("h", Kind::Matrix(Write), "H, and then the Schur form, where it is wanted");
const LDH: Argument = argument("ldh", Kind::LeadingDimension, "leading dimension of H");
const Z: Argument = argument("z", Kind::Matrix(Write), "gets Schur vectors as columns, where they are wanted");
const LDZ: Argument = argument("ldz", Kind::LeadingDimension, "leading dimension of Z");
const Z_BEGINS: &str = "With AFFINIMATH_VECTORS, Z begins as the Q of a reduction.";
const SOME_CONVERGED: &str =
    "Returns i where eigenvalues after the i-th have converged, and others have not; or an element is not finite.";

pub(super) const HSEQR: Routine = Routine {
    name: "hseqr",
    module: "hseqr",
    types: SD,
    summary: "Eigenvalues of an upper Hessenberg matrix by multishift QR with early deflation, and its Schur form: H = \
     Z * T * Z^T.",
    notes: &[RANGE, PAIRS, Z_BEGINS, SOME_CONVERGED, ON_HOST],
    source: "LAPACK xHSEQR",
    arguments: &[LAYOUT, JOB, COMPZ, T_ORDER, ILO, IHI, H, LDH, WR, WI, Z, LDZ, WORK, LWORK, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("hseqr").real()],
};

pub(super) const HSEQR_COMPLEX: Routine = Routine {
    name: "hseqr",
    module: "hseqr_complex",
    types: CZ,
    summary: "Eigenvalues of a complex upper Hessenberg matrix by multishift QR with early deflation, and its Schur \
     form: H = Z * T * Z^H.",
    notes: &[RANGE, Z_BEGINS, SOME_CONVERGED, ON_HOST],
    source: "LAPACK xHSEQR",
    arguments: &[LAYOUT, JOB, COMPZ, T_ORDER, ILO, IHI, H, LDH, W, Z, LDZ, WORK, LWORK, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("hseqr").complex()],
};

const SIDES: Argument = argument("sides", Kind::Choice(Choice::Sides), "which eigenvectors are computed");
const LEFT: Argument = argument("vl", Kind::Matrix(Write), "gets left eigenvectors as columns: u^H T = lambda u^H");
const RIGHT: Argument = argument("vr", Kind::Matrix(Write), "gets right eigenvectors as columns: T v = lambda v");
const SCHUR_VECTORS: &str = "With AFFINIMATH_EIGENVECTORS_PRODUCT, the matrices have Schur vectors at first. Elements \
    of each vector are at most 1 in |re| + |im|.";

const TREVC_SUMMARY: &str =
    "Eigenvectors of a Schur form: all, those of selected eigenvalues, or products of Schur vectors with all.";

pub(super) const TREVC: Routine = Routine {
    name: "trevc",
    module: "trevc",
    types: SD,
    summary: TREVC_SUMMARY,
    source: "LAPACK xTREVC, xTREVC3",
    notes: &[
        "A complex eigenvector takes two columns: real parts, imaginary parts.",
        "Of a selected pair the first flag is set and the second one cleared, as LAPACK has it.",
        SCHUR_VECTORS,
        ON_HOST,
    ],
    arguments: &[
        LAYOUT,
        SIDES,
        HOWMNY,
        Argument { kind: Kind::Flags(Write), ..SELECT },
        T_ORDER,
        READ_T,
        LDT,
        LEFT,
        LDVL,
        RIGHT,
        LDVR,
        MM,
        COUNT,
        WORK,
        LWORK,
        RWORK,
        LRWORK,
    ],
    standard: &[
        lapack("trevc").real().without(&["lwork", "rwork", "lrwork"]),
        lapack("trevc3").real().without(&["rwork", "lrwork"]).without_lapacke(),
    ],
    forms: Forms::WAITING,
};

pub(super) const TREVC_COMPLEX: Routine = Routine {
    name: "trevc",
    module: "trevc_complex",
    types: CZ,
    summary: TREVC_SUMMARY,
    source: "LAPACK xTREVC, xTREVC3",
    notes: &[SCHUR_VECTORS, ON_HOST],
    arguments: &[
        LAYOUT, SIDES, HOWMNY, SELECT, T_ORDER, READ_T, LDT, LEFT, LDVL, RIGHT, LDVR, MM, COUNT, WORK, LWORK, RWORK,
        LRWORK,
    ],
    standard: &[lapack("trevc").complex().without(&["lwork", "lrwork"]), lapack("trevc3").complex().without_lapacke()],
    forms: Forms::WAITING,
};

pub(super) const TOO_CLOSE: &str =
    "Returns 1 where eigenvalues are too close to be exchanged: the order is incomplete.";

pub(super) const TREXC: Routine = Routine {
    name: "trexc",
    module: "trexc",
    types: SD,
    summary: "Moves an eigenvalue of a real Schur form, or a pair, from one row to another one.",
    notes: &[TOO_CLOSE, ON_HOST],
    source: "LAPACK xTREXC",
    arguments: &[
        LAYOUT,
        COMPQ,
        T_ORDER,
        T,
        LDT,
        Q,
        LDQ,
        argument("ifst", Kind::Iterations, "the row of the eigenvalue, from 1; gets the first row of a pair"),
        argument("ilst", Kind::Iterations, "the row to move it to; gets the first row where it is then"),
        UNNEEDED,
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("trexc").real()],
};

pub(super) const TREXC_COMPLEX: Routine = Routine {
    name: "trexc",
    module: "trexc_complex",
    types: CZ,
    summary: "Moves an eigenvalue of a complex Schur form from one row to another one.",
    notes: &[ON_HOST],
    source: "LAPACK xTREXC",
    arguments: &[
        LAYOUT,
        COMPQ,
        T_ORDER,
        T,
        LDT,
        Q,
        LDQ,
        argument("ifst", Kind::Scalar(Number::I64), "the row of the eigenvalue, from 1"),
        argument("ilst", Kind::Scalar(Number::I64), "the row to move it to"),
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("trexc").complex()],
};

const S: Argument = argument("s", Kind::RealResult, "gets the reciprocal condition of the selected eigenvalues' mean");
const SEP: Argument = argument("sep", Kind::RealResult, "gets an estimate of their separation from the others");
const TRSEN_SUMMARY: &str = "Moves selected eigenvalues of a Schur form to its front, and estimates their condition.";

pub(super) const TRSEN: Routine = Routine {
    name: "trsen",
    module: "trsen",
    types: SD,
    summary: TRSEN_SUMMARY,
    notes: &[EITHER, TOO_CLOSE, ON_HOST],
    source: "LAPACK xTRSEN",
    arguments: &[
        LAYOUT, SENSE, COMPQ, SELECT, T_ORDER, T, LDT, Q, LDQ, WR, WI, COUNT, S, SEP, WORK, LWORK, IWORK, LIWORK, INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("trsen").real()],
};

pub(super) const TRSEN_COMPLEX: Routine = Routine {
    name: "trsen",
    module: "trsen_complex",
    types: CZ,
    summary: TRSEN_SUMMARY,
    notes: &[ON_HOST],
    source: "LAPACK xTRSEN",
    arguments: &[LAYOUT, SENSE, COMPQ, SELECT, T_ORDER, T, LDT, Q, LDQ, W, COUNT, S, SEP, WORK, LWORK, INFO],
    forms: Forms::WAITING,
    standard: &[lapack("trsen").complex()],
};

const UNREAD_VL: Argument = argument("vl", Kind::Only(Only::Matrix), "left eigenvectors, which are not needed");
const UNREAD_VR: Argument = argument("vr", Kind::Only(Only::Matrix), "right eigenvectors, which are not needed");
const ONLY_LDVL: Argument = argument("ldvl", Kind::Only(Only::Size), "their leading dimension");
const ONLY_LDVR: Argument = argument("ldvr", Kind::Only(Only::Size), "their leading dimension");

pub(super) const TRSNA: Routine = Routine {
    name: "trsna",
    module: "trsna",
    types: SDCZ,
    summary: "Reciprocal condition numbers of eigenvalues of a Schur form, and of their right eigenvectors.",
    notes: &[EITHER, ON_HOST],
    source: "LAPACK xTRSNA",
    arguments: &[
        LAYOUT,
        SENSE,
        HOWMNY,
        SELECT,
        T_ORDER,
        READ_T,
        LDT,
        UNREAD_VL,
        ONLY_LDVL,
        UNREAD_VR,
        ONLY_LDVR,
        argument("s", Kind::Vector(Write, Number::Real), "mm elements: gets m condition numbers of eigenvalues"),
        argument("sep", Kind::Vector(Write, Number::Real), "mm elements: gets m condition numbers of eigenvectors"),
        MM,
        COUNT,
        UNNEEDED,
        argument("ldwork", Kind::WorkspaceLength, "its leading dimension"),
        Argument { name: "iwork", ..UNNEEDED },
        Argument { name: "rwork", ..UNNEEDED },
    ],
    forms: Forms::WAITING,
    standard: &[lapack("trsna").real().without(&["rwork"]), lapack("trsna").complex().without(&["iwork"])],
};

pub(super) const TRSYL: Routine = Routine {
    name: "trsyl",
    module: "trsyl",
    types: SDCZ,
    summary: "Solves Sylvester's equation of Schur forms: op(A) * X + isgn * X * op(B) = scale * C.",
    notes: &[
        "Returns 1 where eigenvalues of A and of -isgn * B are common or close: X is that of perturbed ones.",
        ON_HOST,
    ],
    source: "LAPACK xTRSYL",
    arguments: &[
        LAYOUT,
        argument("transa", Kind::Op, "op of A"),
        argument("transb", Kind::Op, "op of B"),
        argument("isgn", Kind::Scalar(Number::I64), "1 or -1: the sign of the second term"),
        argument("m", Kind::Size, "rows of C, and the order of A"),
        argument("n", Kind::Size, "columns of C, and the order of B"),
        READ_A,
        LDA,
        argument("b", Kind::Matrix(Read), "B"),
        LDB,
        argument("c", Kind::Matrix(Write), "C, and then X"),
        LDC,
        argument("scale", Kind::RealResult, "gets the factor of C, at most 1, for which X does not overflow"),
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("trsyl").real(), lapack("trsyl").complex().ops(Ops::Hermitian)],
};

const JOBVS: Argument = argument("jobvs", Kind::Job, "whether Schur vectors are computed");
pub(super) const SORT: Argument =
    argument("sort", Kind::Only(Only::Choice(Choice::Sort)), "whether selected eigenvalues come first");
const SELECT_FUNCTION: Argument = argument("select", Kind::Only(Only::Select), "the function that selects them");
const ONLY_SENSE: Argument = argument("sense", Kind::Only(Only::Choice(Choice::Sense)), "which condition numbers");
pub(super) const SDIM: Argument = argument("sdim", Kind::Only(Only::Count), "gets the count of selected eigenvalues");
const RCONDE: Argument = argument("rconde", Kind::Only(Only::Real), "gets the condition of their mean");
const RCONDV: Argument = argument("rcondv", Kind::Only(Only::Real), "gets the condition of their invariant subspace");
const SCHUR_FORM: Argument = argument("a", Kind::Matrix(Write), "A, and then its Schur form");
const VS: Argument = argument("vs", Kind::Matrix(Write), "gets Schur vectors as columns, where they are wanted");
const LDVS: Argument = argument("ldvs", Kind::LeadingDimension, "leading dimension of VS");
pub(super) const BWORK: Argument = Argument { name: "bwork", ..UNNEEDED };
const REORDERED: &str = "trsen changes the order of the eigenvalues.";
const EXPERT: &[&str] = &["sense", "rconde", "rcondv", "iwork", "liwork"];

pub(super) const GEES: Routine = Routine {
    name: "gees",
    module: "gees",
    types: SD,
    summary: "Eigenvalues of a general matrix, its quasi-triangular Schur form in its place, and Schur vectors: A = Z \
     * T * Z^T.",
    notes: &[PAIRS, REORDERED, SOME_CONVERGED, ON_HOST],
    source: "LAPACK xGEES, xGEESX",
    arguments: &[
        LAYOUT,
        JOBVS,
        SORT,
        SELECT_FUNCTION,
        ONLY_SENSE,
        ORDER,
        SCHUR_FORM,
        LDA,
        SDIM,
        WR,
        WI,
        VS,
        LDVS,
        RCONDE,
        RCONDV,
        WORK,
        LWORK,
        IWORK,
        LIWORK,
        BWORK,
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("gees").real().without(EXPERT), lapack("geesx").real()],
};

pub(super) const GEES_COMPLEX: Routine = Routine {
    name: "gees",
    module: "gees_complex",
    types: CZ,
    summary: "Eigenvalues of a general complex matrix, its triangular Schur form in its place, and Schur vectors: A = \
     Z * T * Z^H.",
    notes: &[REORDERED, SOME_CONVERGED, ON_HOST],
    source: "LAPACK xGEES, xGEESX",
    arguments: &[
        LAYOUT,
        JOBVS,
        SORT,
        SELECT_FUNCTION,
        ONLY_SENSE,
        ORDER,
        SCHUR_FORM,
        LDA,
        SDIM,
        W,
        VS,
        LDVS,
        RCONDE,
        RCONDV,
        WORK,
        LWORK,
        Argument { name: "rwork", ..UNNEEDED },
        BWORK,
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("gees").complex().without(EXPERT), lapack("geesx").complex()],
};

const ABNRM: Argument = argument("abnrm", Kind::RealResult, "gets the 1-norm of the balanced matrix");
const OF_VALUES: Argument = argument(
    "rconde",
    Kind::Vector(Write, Number::Real),
    "gets n reciprocal condition numbers of eigenvalues, where they are wanted",
);
const OF_VECTORS: Argument = argument(
    "rcondv",
    Kind::Vector(Write, Number::Real),
    "gets n reciprocal condition numbers of right eigenvectors, where they are wanted",
);
const LENGTH: &str = "Vectors have length 1, and their largest element is real. A is not changed.";
const NEEDS_VECTORS: &str =
    "Condition numbers of eigenvalues go with left and right eigenvectors, which both must be wanted.";

pub(super) const GEEVX: Routine = Routine {
    name: "geevx",
    module: "geevx",
    types: SD,
    summary: "Eigenvalues of a general matrix, eigenvectors and condition numbers, with a choice of the balancing.",
    notes: &[
        "Complex eigenvalues come in adjacent pairs, the one with the positive imaginary part first. Its column has \
         the real parts of the vector, the next one the imaginary parts.",
        LENGTH,
        NEEDS_VECTORS,
        FAILED,
        ON_HOST,
    ],
    source: "LAPACK xGEEVX",
    arguments: &[
        LAYOUT,
        BALANC,
        JOBVL,
        JOBVR,
        SENSE,
        ORDER,
        READ_A,
        LDA,
        WR,
        WI,
        VL,
        LDVL,
        VR,
        LDVR,
        GETS_ILO,
        GETS_IHI,
        GETS_SCALE,
        ABNRM,
        OF_VALUES,
        OF_VECTORS,
        WORK,
        LWORK,
        Argument { name: "iwork", ..UNNEEDED },
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("geevx").real()],
};

pub(super) const GEEVX_COMPLEX: Routine = Routine {
    name: "geevx",
    module: "geevx_complex",
    types: CZ,
    summary: "Eigenvalues of a general complex matrix, eigenvectors and condition numbers, with a choice of the \
     balancing.",
    notes: &[LENGTH, NEEDS_VECTORS, FAILED, ON_HOST],
    source: "LAPACK xGEEVX",
    arguments: &[
        LAYOUT,
        BALANC,
        JOBVL,
        JOBVR,
        SENSE,
        ORDER,
        READ_A,
        LDA,
        W,
        VL,
        LDVL,
        VR,
        LDVR,
        GETS_ILO,
        GETS_IHI,
        GETS_SCALE,
        ABNRM,
        OF_VALUES,
        OF_VECTORS,
        WORK,
        LWORK,
        Argument { name: "rwork", ..UNNEEDED },
        INFO,
    ],
    forms: Forms::WAITING,
    standard: &[lapack("geevx").complex()],
};
