//! Linear algebra and Fourier transforms over the ranks of an MPI program: the functions of `libaffinimath_mpi.so`.

mod csr;

use super::Access::{Read, Write};
use super::fft::field;
use super::library::plain;
use super::{
    Argument, Constant, ConstantGroup, Family, Forms, FunctionGroup, Kind, LibraryFunction, Number, Part,
    PlainArgument, Routine, Struct, TypeVariant, argument,
};
use super::{Element, Standard};
use crate::signature::{Named, Pointee, Returns, Type};

const GRID: Named = Named { rust: "Grid", c: "mpi_grid" };
const FFT_PLAN: Named = Named { rust: "FftPlan", c: "mpi_fft_plan" };

/// The part of the C API that a library of its own has.
pub const MPI: Part = Part {
    name: "mpi",
    title: "matrices and transforms distributed over the ranks of an MPI program",
    constants: CONSTANTS,
    handles: &[
        (GRID, "Ranks of a communicator as rows and columns: affinimathMpiGridCreate makes one."),
        (FFT_PLAN, "A plan of distributed Fourier transforms: affinimathMpiSfftPlanCreate and others make one."),
        (csr::CSR, "A sparse matrix in blocks of rows: affinimathMpiScsrCreate and others make one."),
        (csr::PRECONDITIONER, "A preconditioner of solvers: affinimathMpiJacobiCreate and others make one."),
    ],
    callbacks: &[],
    groups: &[
        FunctionGroup {
            module: "objects",
            title: "Grids, plans, and errors",
            structs: &[BLOCKS],
            functions: FUNCTIONS,
        },
        csr::GROUP,
    ],
    families: &[
        Family { path: "dense", home: "crate", title: "Dense matrices in ScaLAPACK's layout", routines: DENSE },
        csr::FAMILY,
        Family { path: "transforms", home: "crate", title: "Plans of Fourier transforms", routines: PLANS },
    ],
};

const CONSTANTS: &[ConstantGroup] = &[
    ConstantGroup {
        title: "Statuses of the distributed functions, beside those of the others",
        expression: "crate::boundary::{}",
        constants: &[
            constant(
                "MPI_FAILED",
                -1100,
                "FAILED",
                "A rank could not do its part, or has ended. In the middle of a call this closes the grid.",
            ),
            constant(
                "MPI_MISMATCH",
                -1101,
                "MISMATCH",
                "Ranks disagree about an argument, or call different functions. Nothing was changed.",
            ),
        ],
    },
    ConstantGroup {
        title: "How the array of a distributed transform is cut",
        expression: "crate::transforms::{}",
        constants: &[
            constant("MPI_AUTO", 0, "AUTO", "Slabs where there are enough planes, else the best pencils."),
            constant("MPI_SLABS", 1, "SLABS", "One axis is cut."),
            constant("MPI_PENCILS", 2, "PENCILS", "Two axes of three are cut."),
        ],
    },
];

const fn constant(name: &'static str, value: i32, rust: &'static str, meaning: &'static str) -> Constant {
    Constant { name, value, rust, meaning }
}

const BLOCKS: Struct = Struct {
    ty: Named { rust: "FftBlocks", c: "mpi_fft_blocks" },
    summary: "A rank's blocks of a transform: on each axis the first index and how many. Two axes have two numbers.",
    fields: &[
        field("input_offset", Type::Int64, Some(3), "The first index on each axis of the array's block."),
        field("input_shape", Type::Int64, Some(3), "Elements on each axis of the array's block."),
        field("output_offset", Type::Int64, Some(3), "The first index on each axis of the spectrum's block."),
        field("output_shape", Type::Int64, Some(3), "Elements on each axis of the spectrum's block."),
    ],
};

const STATUS: Returns = Returns::Status;

const fn int64s(name: &'static str, meaning: &'static str) -> PlainArgument {
    plain(name, Type::Pointer(Pointee::Int64, true), meaning)
}

const GIVEN_GRID: PlainArgument = plain("grid", Type::Pointer(Pointee::Handle(GRID), false), "the grid");
const GIVEN_PLAN: PlainArgument = plain("plan", Type::Pointer(Pointee::Handle(FFT_PLAN), true), "the plan");
const COLLECTIVE: &str = "All ranks call it together.";

const FUNCTIONS: &[LibraryFunction] = &[
    LibraryFunction {
        name: "MpiGridCreate",
        function: "grid_create",
        summary: "Makes a grid of ranks, row by row: rank r is in row r / columns and column r % columns.",
        notes: &[
            "All ranks of the communicator call it, after MPI_Init. The communicator is duplicated.",
            "A rank takes the GPU of its number among the host's ranks, unless AFFINIMATH_DEVICE says otherwise.",
        ],
        arguments: &[
            plain("comm", Type::Int, "the communicator as Fortran has it: MPI_Comm_c2f gives it in C"),
            plain("rows", Type::Int64, "rows of ranks, at least 1"),
            plain("columns", Type::Int64, "columns of ranks: rows * columns is the number of ranks"),
            plain("grid", Type::New(GRID), "gets the grid"),
        ],
        returns: STATUS,
    },
    LibraryFunction {
        name: "MpiGridDestroy",
        function: "grid_destroy",
        summary: "Frees a grid, after all plans and sparse matrices that were made with it, and before MPI_Finalize.",
        notes: &[COLLECTIVE],
        arguments: &[plain("grid", Type::Pointer(Pointee::Handle(GRID), true), "the grid, or null on all ranks")],
        returns: STATUS,
    },
    LibraryFunction {
        name: "MpiGridPosition",
        function: "grid_position",
        summary: "Tells this rank's row and column in a grid.",
        notes: &[],
        arguments: &[GIVEN_GRID, int64s("row", "gets the row, from 0"), int64s("column", "gets the column, from 0")],
        returns: STATUS,
    },
    LibraryFunction {
        name: "MpiGridFail",
        function: "grid_fail",
        summary: "Fails on all ranks: each of their calls on this grid, also one that waits, has this rank's message.",
        notes: &["It returns AFFINIMATH_MPI_FAILED. The grid is closed: end the job by MPI_Abort."],
        arguments: &[
            GIVEN_GRID,
            plain("message", Type::Pointer(Pointee::Char, false), "the reason as a C string; null is an empty one"),
        ],
        returns: STATUS,
    },
    LibraryFunction {
        name: "MpiGridStatus",
        function: "grid_status",
        summary: "Tells whether a grid is open: 0, or AFFINIMATH_MPI_FAILED after a failure that has closed it.",
        notes: &["affinimathMpiLastError has the reason then. It needs no other rank."],
        arguments: &[GIVEN_GRID],
        returns: STATUS,
    },
    LibraryFunction {
        name: "MpiNumroc",
        function: "numroc",
        summary: "Tells how many of n rows (columns) in blocks of nb lie on one row (column) of ranks.",
        notes: &["As ScaLAPACK's NUMROC; 0 for arguments that are no layout."],
        arguments: &[
            plain("n", Type::Int64, "rows (columns) of the matrix"),
            plain("nb", Type::Int64, "rows (columns) of a block"),
            plain("iproc", Type::Int64, "the row (column) of ranks, from 0"),
            plain("isrcproc", Type::Int64, "the row (column) of ranks that has the first block"),
            plain("nprocs", Type::Int64, "rows (columns) of ranks"),
        ],
        returns: Returns::Int64,
    },
    LibraryFunction {
        name: "MpiFftBlocks",
        function: "fft_blocks",
        summary: "Tells a rank's blocks of the array and of the spectrum.",
        notes: &["Elements of a block lie row by row: those of the last axis are adjacent."],
        arguments: &[
            plain("plan", Type::Pointer(Pointee::Handle(FFT_PLAN), false), "the plan"),
            plain("blocks", Type::Pointer(Pointee::Struct(BLOCKS.ty), true), "gets the blocks"),
        ],
        returns: STATUS,
    },
    LibraryFunction {
        name: "MpiFftForward",
        function: "fft_forward",
        summary: "Transforms forward, from a rank's block of the array to that of the spectrum.",
        notes: &[COLLECTIVE, "Nothing is normalised. Input and output must not overlap; the input is not changed."],
        arguments: &[
            GIVEN_PLAN,
            plain("input", Type::Pointer(Pointee::Void, false), "the array's block: real or complex, as the plan says"),
            plain("output", Type::Pointer(Pointee::Void, true), "gets the spectrum's block, of complex numbers"),
        ],
        returns: STATUS,
    },
    LibraryFunction {
        name: "MpiFftBackward",
        function: "fft_backward",
        summary: "Transforms backward, from a rank's block of the spectrum to that of the array.",
        notes: &[COLLECTIVE, "Results are multiplied by the plan's factor. The input is not changed."],
        arguments: &[
            GIVEN_PLAN,
            plain("input", Type::Pointer(Pointee::Void, false), "the spectrum's block, of complex numbers"),
            plain("output", Type::Pointer(Pointee::Void, true), "gets the array's block: real or complex"),
        ],
        returns: STATUS,
    },
    LibraryFunction {
        name: "MpiFftPlanDestroy",
        function: "fft_plan_destroy",
        summary: "Frees a plan.",
        notes: &[],
        arguments: &[plain("plan", Type::Pointer(Pointee::Handle(FFT_PLAN), true), "the plan, or null")],
        returns: STATUS,
    },
    LibraryFunction {
        name: "MpiStatusString",
        function: "status_string",
        summary: "Explains a status in one line.",
        notes: &[],
        arguments: &[plain("status", Type::Int, "the status")],
        returns: Returns::Text,
    },
    LibraryFunction {
        name: "MpiLastError",
        function: "last_error",
        summary: "Tells the facts about the calling thread's last error in a function of this library.",
        notes: &["The text stays until the thread's next error."],
        arguments: &[],
        returns: Returns::Text,
    },
];

/// The types, as `affinimathMpiDgemm` has them.
const SDCZ: &[TypeVariant] = &[
    TypeVariant { letters: "MpiS", element: Element::F32 },
    TypeVariant { letters: "MpiD", element: Element::F64 },
    TypeVariant { letters: "MpiC", element: Element::C32 },
    TypeVariant { letters: "MpiZ", element: Element::C64 },
];

/// The complex types.
const CZ: &[TypeVariant] = &[SDCZ[2], SDCZ[3]];

const HOST: Forms = Forms { host: true, device: false, waits: false };
const NO_NAMES: &[Standard] = &[];

const ON: Argument = argument("grid", Kind::Handle(Read, GRID), "the grid");
const UPLO: Argument = argument("uplo", Kind::Triangle, "the triangle that is stored");
const SIDE: Argument = argument("side", Kind::Side, "the side of A");
const TRANS: Argument = argument("trans", Kind::Op, "op");
const ALPHA: Argument = argument("alpha", Kind::Scalar(Number::Element), "a factor");
const BETA: Argument = argument("beta", Kind::Scalar(Number::Element), "a factor; with 0, C is not read");
const REAL_ALPHA: Argument = argument("alpha", Kind::Scalar(Number::Real), "a real factor");
const REAL_BETA: Argument = argument("beta", Kind::Scalar(Number::Real), "a real factor; with 0, C is not read");

const fn read(name: &'static str, meaning: &'static str) -> Argument {
    argument(name, Kind::Array(Read, Number::Element), meaning)
}

const fn write(name: &'static str, meaning: &'static str) -> Argument {
    argument(name, Kind::Array(Write, Number::Element), meaning)
}

const fn descriptor(name: &'static str, meaning: &'static str) -> Argument {
    argument(name, Kind::Scalars(Read, Number::I32, 9), meaning)
}

const A: Argument = read("a", "this rank's part of A");
const DESCA: Argument = descriptor("desca", "A's descriptor");
const CHANGED_A: Argument = write("a", "this rank's part of A, which is overwritten");
const B: Argument = read("b", "this rank's part of B");
const CHANGED_B: Argument = write("b", "this rank's part of B, which is overwritten");
const DESCB: Argument = descriptor("descb", "B's descriptor");
const C: Argument = write("c", "this rank's part of C, which is overwritten");
const DESCC: Argument = descriptor("descc", "C's descriptor");
const IPIV: Argument = argument(
    "ipiv",
    Kind::Array(Write, Number::I32),
    "gets LAPACK's pivots, min(m, n) of them: all on every rank, other than ScaLAPACK's",
);
const GIVEN_IPIV: Argument =
    argument("ipiv", Kind::Array(Read, Number::I32), "the pivots of getrf, n of them on every rank");

const LAYOUT: &str = "Matrices lie as ScaLAPACK has them: in blocks over the grid, each described by 9 integers \
    (type 1, a context that is not looked at, m, n, mb, nb, first row and column of ranks, leading dimension) and each \
    rank's part by columns. They are taken whole. All ranks call it together.";

const fn routine(
    name: &'static str,
    types: &'static [TypeVariant],
    summary: &'static str,
    notes: &'static [&'static str],
    source: &'static str,
    arguments: &'static [Argument],
) -> Routine {
    Routine { name, module: name, types, summary, notes, source, arguments, forms: HOST, standard: NO_NAMES }
}

const DENSE: &[Routine] = &[
    routine(
        "gemm",
        SDCZ,
        "Multiplies matrices: C := alpha op(A) op(B) + beta C.",
        &[LAYOUT],
        "PBLAS PxGEMM; SUMMA (van de Geijn and Watts 1997)",
        &[
            ON,
            argument("transa", Kind::Op, "op of A"),
            argument("transb", Kind::Op, "op of B"),
            ALPHA,
            A,
            DESCA,
            B,
            DESCB,
            BETA,
            C,
            DESCC,
        ],
    ),
    routine(
        "symm",
        SDCZ,
        "Multiplies by a symmetric matrix: C := alpha A B + beta C, or alpha B A + beta C.",
        &[LAYOUT],
        "PBLAS PxSYMM",
        &[ON, SIDE, UPLO, ALPHA, A, DESCA, B, DESCB, BETA, C, DESCC],
    ),
    routine(
        "hemm",
        CZ,
        "Multiplies by a Hermitian matrix: C := alpha A B + beta C, or alpha B A + beta C.",
        &[LAYOUT],
        "PBLAS PxHEMM",
        &[ON, SIDE, UPLO, ALPHA, A, DESCA, B, DESCB, BETA, C, DESCC],
    ),
    routine(
        "syrk",
        SDCZ,
        "Updates a triangle: C := alpha op(A) op(A)^T + beta C.",
        &[LAYOUT],
        "PBLAS PxSYRK",
        &[ON, UPLO, TRANS, ALPHA, A, DESCA, BETA, C, DESCC],
    ),
    routine(
        "herk",
        CZ,
        "Updates a triangle: C := alpha op(A) op(A)^H + beta C.",
        &[LAYOUT],
        "PBLAS PxHERK",
        &[ON, UPLO, TRANS, REAL_ALPHA, A, DESCA, REAL_BETA, C, DESCC],
    ),
    routine(
        "trsm",
        SDCZ,
        "Solves with a triangle: B := alpha op(A)^-1 B, or alpha B op(A)^-1.",
        &[LAYOUT],
        "PBLAS PxTRSM",
        &[
            ON,
            SIDE,
            UPLO,
            TRANS,
            argument("diag", Kind::Diagonal, "the diagonal of A"),
            ALPHA,
            A,
            DESCA,
            CHANGED_B,
            DESCB,
        ],
    ),
    routine(
        "potrf",
        SDCZ,
        "Factorises a Hermitian positive definite matrix: A = L L^H, or U^H U.",
        &[LAYOUT],
        "ScaLAPACK PxPOTRF",
        &[ON, UPLO, CHANGED_A, DESCA],
    ),
    routine(
        "potrs",
        SDCZ,
        "Solves A X = B with the factor of potrf.",
        &[LAYOUT],
        "ScaLAPACK PxPOTRS",
        &[ON, UPLO, A, DESCA, CHANGED_B, DESCB],
    ),
    routine(
        "posv",
        SDCZ,
        "Solves A X = B for a Hermitian positive definite A, which its factor overwrites.",
        &[LAYOUT],
        "ScaLAPACK PxPOSV",
        &[ON, UPLO, CHANGED_A, DESCA, CHANGED_B, DESCB],
    ),
    routine(
        "getrf",
        SDCZ,
        "Factorises a matrix: A = P L U, with partial pivoting.",
        &[LAYOUT, "With a positive status, a pivot is exactly zero: the factors are complete, and U is singular."],
        "ScaLAPACK PxGETRF",
        &[ON, CHANGED_A, DESCA, IPIV],
    ),
    routine(
        "getrs",
        SDCZ,
        "Solves op(A) X = B with the factors of getrf.",
        &[LAYOUT],
        "ScaLAPACK PxGETRS",
        &[ON, TRANS, A, DESCA, GIVEN_IPIV, CHANGED_B, DESCB],
    ),
    routine(
        "gesv",
        SDCZ,
        "Solves A X = B; A's factors overwrite it.",
        &[LAYOUT],
        "ScaLAPACK PxGESV",
        &[ON, CHANGED_A, DESCA, IPIV, CHANGED_B, DESCB],
    ),
    routine(
        "geqrf",
        SDCZ,
        "Factorises a matrix: A = Q R, by Householder reflectors.",
        &[LAYOUT],
        "ScaLAPACK PxGEQRF",
        &[
            ON,
            CHANGED_A,
            DESCA,
            write("tau", "gets the reflectors' factors, min(m, n) of them: all on every rank, other than ScaLAPACK's"),
        ],
    ),
    routine(
        "ormqr",
        SDCZ,
        "Multiplies by the Q of geqrf from the left: C := op(Q) C.",
        &[LAYOUT, "C's rows lie as A's."],
        "ScaLAPACK PxORMQR, PxUNMQR",
        &[ON, TRANS, A, DESCA, read("tau", "the reflectors' factors, all on every rank"), C, DESCC],
    ),
    routine(
        "lange",
        SDCZ,
        "Computes a norm of a matrix, the same on all ranks.",
        &[LAYOUT],
        "ScaLAPACK PxLANGE",
        &[
            ON,
            argument("norm", Kind::Norm, "the norm"),
            A,
            DESCA,
            argument("value", Kind::Result(Number::F64), "gets the norm"),
        ],
    ),
    routine(
        "redistribute",
        SDCZ,
        "Copies a matrix to another layout of the grid: B := op(A).",
        &[LAYOUT],
        "ScaLAPACK PxGEMR2D, PxTRAN",
        &[ON, TRANS, A, DESCA, CHANGED_B, DESCB],
    ),
];

/// An integer with rules of its own.
const INTEGER: Kind = Kind::Scalar(Number::I64);

const PLANS: &[Routine] = &[Routine {
    name: "fftPlanCreate",
    module: "fft_plan_create",
    types: SDCZ,
    summary: "Plans the transform, in both directions, of an array with two or three axes over all ranks.",
    notes: &[
        "S and D transform real numbers to the n/2 + 1 complex ones of the last axis that are no conjugates, C and Z \
         complex ones. Destroy the plan before its grid.",
        COLLECTIVE,
    ],
    source: "FFTW fftw_mpi_plan_dft, fftw_mpi_plan_dft_r2c",
    arguments: &[
        ON,
        argument("rank", INTEGER, "axes: 2 or 3"),
        argument("lengths", Kind::Offsets, "elements on each axis, of which the last one's are adjacent"),
        argument("decomposition", INTEGER, "AFFINIMATH_MPI_AUTO, AFFINIMATH_MPI_SLABS or AFFINIMATH_MPI_PENCILS"),
        argument("rows", INTEGER, "rows of ranks for pencils, which cut the first axis; else not looked at"),
        argument("columns", INTEGER, "columns of ranks for pencils, which cut the second axis; else not looked at"),
        argument("transposed", INTEGER, "not 0 to leave the spectrum cut along other axes: one exchange less"),
        argument("backward_scale", Kind::Scalar(Number::F64), "factor of the backward transform"),
        argument("plan", Kind::NewHandle(FFT_PLAN), "gets the plan"),
    ],
    forms: HOST,
    standard: NO_NAMES,
}];
