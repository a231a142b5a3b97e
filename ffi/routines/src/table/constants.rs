//! The codes of the C API: CBLAS's codes and the statuses.

/// Constants that belong together.
pub struct ConstantGroup {
    /// A heading for people.
    pub title: &'static str,
    /// The Rust expression that each must equal is `expression` with `{}` replaced by the constant's Rust name: the
    /// generated code checks it when it is compiled.
    pub expression: &'static str,
    /// The constants.
    pub constants: &'static [Constant],
}

/// One constant.
pub struct Constant {
    /// Its name without `AFFINIMATH_`.
    pub name: &'static str,
    /// Its value.
    pub value: i32,
    /// Its name in the Rust library.
    pub rust: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
}

const fn constant(name: &'static str, value: i32, rust: &'static str, meaning: &'static str) -> Constant {
    Constant { name, value, rust, meaning }
}

/// Constants of all parts of the API: options of routines, and statuses.
pub(super) const COMMON: &[ConstantGroup] = &[
    ConstantGroup {
        title: "Layouts",
        expression: "affinimath::Layout::{}.code()",
        constants: &[
            constant("ROW_MAJOR", 101, "RowMajor", "The elements of a row are adjacent (C)."),
            constant("COL_MAJOR", 102, "ColumnMajor", "The elements of a column are adjacent (Fortran)."),
        ],
    },
    ConstantGroup {
        title: "Operations on a matrix operand",
        expression: "affinimath::Op::{}.code()",
        constants: &[
            constant("NO_TRANS", 111, "NoTrans", "The matrix itself."),
            constant("TRANS", 112, "Trans", "Its transpose."),
            constant("CONJ_TRANS", 113, "ConjTrans", "Its conjugate transpose; the transpose for real types."),
            constant("CONJ_NO_TRANS", 114, "ConjNoTrans", "Its conjugate; the matrix itself for real types."),
        ],
    },
    ConstantGroup {
        title: "Triangles",
        expression: "affinimath::Triangle::{}.code()",
        constants: &[
            constant("UPPER", 121, "Upper", "The upper triangle is stored."),
            constant("LOWER", 122, "Lower", "The lower triangle is stored."),
        ],
    },
    ConstantGroup {
        title: "Diagonals of triangular matrices",
        expression: "affinimath::Diag::{}.code()",
        constants: &[
            constant("NON_UNIT", 131, "NonUnit", "The diagonal is stored."),
            constant("UNIT", 132, "Unit", "The diagonal is all ones and is not read."),
        ],
    },
    ConstantGroup {
        title: "Sides",
        expression: "affinimath::Side::{}.code()",
        constants: &[
            constant("LEFT", 141, "Left", "The special matrix stands on the left."),
            constant("RIGHT", 142, "Right", "The special matrix stands on the right."),
        ],
    },
    ConstantGroup { title: "Statuses", expression: "affinimath_core::error::status::{}", constants: STATUSES },
];

/// LAPACK's constants.
pub(super) const LAPACK: &[ConstantGroup] = &[
    ConstantGroup {
        title: "Norms, numbered as the BLAS Technical Forum's standard has them",
        expression: "affinimath::Norm::{}.code()",
        constants: &[
            constant("ONE_NORM", 171, "One", "The largest sum of moduli of a column."),
            constant("FROBENIUS_NORM", 174, "Frobenius", "The square root of the sum of squared moduli."),
            constant("INFINITY_NORM", 175, "Infinity", "The largest sum of moduli of a row."),
            constant("MAX_NORM", 177, "Max", "The largest modulus of an element."),
        ],
    },
    ConstantGroup {
        title: "Vectors of eigenvalue and singular value problems",
        expression: "affinimath_abi::lapack::job::{}",
        constants: &[
            constant("NO_VECTORS", 181, "NO_VECTORS", "None: LAPACK's N."),
            constant("VECTORS", 182, "VECTORS", "Eigenvectors: LAPACK's V."),
            constant("ALL_VECTORS", 183, "ALL_VECTORS", "All singular vectors: LAPACK's A."),
            constant("THIN_VECTORS", 184, "THIN_VECTORS", "The first min(m, n) singular vectors: LAPACK's S."),
            constant("OVERWRITE", 185, "OVERWRITE", "The first min(m, n) singular vectors, in A's place: LAPACK's O."),
            constant("TRIDIAGONAL_VECTORS", 186, "TRIDIAGONAL_VECTORS", "Those of the reduced matrix: LAPACK's I."),
            constant("FACTOR_Q", 187, "FACTOR_Q", "The left factor of a bidiagonal form: LAPACK's Q."),
            constant("FACTOR_P", 188, "FACTOR_P", "The right factor of a bidiagonal form: LAPACK's P."),
            constant("UPDATE_VECTORS", 189, "UPDATE_VECTORS", "A product with a matrix as given: LAPACK's U."),
        ],
    },
    ConstantGroup {
        title: "The choice of eigenvalues",
        expression: "affinimath_abi::lapack::job::{}",
        constants: &[
            constant("RANGE_ALL", 191, "RANGE_ALL", "All of them: LAPACK's A."),
            constant("RANGE_VALUES", 192, "RANGE_VALUES", "Those above a bound and up to another one: LAPACK's V."),
            constant("RANGE_INDICES", 193, "RANGE_INDICES", "Those from an index to another one: LAPACK's I."),
        ],
    },
    ConstantGroup {
        title: "The parts of a balancing",
        expression: "affinimath_abi::lapack::job::{}",
        constants: &[
            constant("BALANCE_NONE", 201, "BALANCE_NONE", "None: LAPACK's N."),
            constant("BALANCE_PERMUTE", 202, "BALANCE_PERMUTE", "A permutation: LAPACK's P."),
            constant("BALANCE_SCALE", 203, "BALANCE_SCALE", "A diagonal scaling: LAPACK's S."),
            constant("BALANCE_BOTH", 204, "BALANCE_BOTH", "Both: LAPACK's B."),
        ],
    },
    ConstantGroup {
        title: "Condition numbers of eigenvalues",
        expression: "affinimath_abi::lapack::job::{}",
        constants: &[
            constant("SENSE_NONE", 221, "SENSE_NONE", "None: LAPACK's N."),
            constant("SENSE_VALUES", 222, "SENSE_VALUES", "Those of eigenvalues: LAPACK's E."),
            constant(
                "SENSE_VECTORS",
                223,
                "SENSE_VECTORS",
                "Those of eigenvectors, or of an invariant subspace: LAPACK's V.",
            ),
            constant("SENSE_BOTH", 224, "SENSE_BOTH", "Both: LAPACK's B."),
        ],
    },
    ConstantGroup {
        title: "Results of an iteration on a Hessenberg matrix",
        expression: "affinimath_abi::lapack::job::{}",
        constants: &[
            constant("EIGENVALUES", 231, "EIGENVALUES", "Eigenvalues alone: LAPACK's E."),
            constant("SCHUR_FORM", 232, "SCHUR_FORM", "Eigenvalues and the Schur form: LAPACK's S."),
        ],
    },
    ConstantGroup {
        title: "Eigenvectors of a Schur form",
        expression: "affinimath_abi::lapack::job::{}",
        constants: &[
            constant("EIGENVECTORS_ALL", 241, "EIGENVECTORS_ALL", "All of them: LAPACK's A."),
            constant(
                "EIGENVECTORS_PRODUCT",
                242,
                "EIGENVECTORS_PRODUCT",
                "Products of given matrices with all of them: LAPACK's B.",
            ),
            constant(
                "EIGENVECTORS_SELECTED",
                243,
                "EIGENVECTORS_SELECTED",
                "Those of selected eigenvalues: LAPACK's S.",
            ),
        ],
    },
    ConstantGroup {
        title: "Left and right eigenvectors",
        expression: "affinimath_abi::lapack::job::{}",
        constants: &[
            constant("LEFT_VECTORS", 251, "LEFT_VECTORS", "Left ones: LAPACK's L."),
            constant("RIGHT_VECTORS", 252, "RIGHT_VECTORS", "Right ones: LAPACK's R."),
            constant("BOTH_VECTORS", 253, "BOTH_VECTORS", "Both: LAPACK's B."),
        ],
    },
    ConstantGroup {
        title: "Factors of an expert driver",
        expression: "affinimath_abi::lapack::job::{}",
        constants: &[
            constant("FACT_COMPUTED", 271, "FACT_COMPUTED", "They are computed: LAPACK's N."),
            constant("FACT_EQUILIBRATED", 272, "FACT_EQUILIBRATED", "A is equilibrated and factorised: LAPACK's E."),
            constant("FACT_GIVEN", 273, "FACT_GIVEN", "They are given: LAPACK's F."),
        ],
    },
];

/// Constants of Fourier transforms and convolutions.
pub(super) const FFT: &[ConstantGroup] = &[
    ConstantGroup {
        title: "Fourier transforms: the first two, directions with FFTW's signs, are those of complex numbers",
        expression: "affinimath_abi::fft::code::{}.0",
        constants: TRANSFORMS,
    },
    ConstantGroup {
        title: "Precisions of Fourier transforms, numbered as the BLAS Technical Forum's standard has them",
        expression: "affinimath_abi::fft::Precision::{} as c_int",
        constants: &[
            constant("SINGLE", 211, "Single", "float, and complex numbers of float."),
            constant("DOUBLE", 212, "Double", "double, and complex numbers of double."),
        ],
    },
    ConstantGroup {
        title: "Convolutions: what is computed",
        expression: "affinimath_abi::fft::filtering::{}.0",
        constants: &[
            constant("CONVOLUTION", 311, "CONVOLUTION", "z_k = sum of h_j x_(k-j), on every axis."),
            constant("CORRELATION", 312, "CORRELATION", "z_k = sum of conj(h_j) x_(k-(m-1)+j), on every axis."),
        ],
    },
    ConstantGroup {
        title: "Which results of a convolution of n numbers with a kernel of m there are",
        expression: "affinimath_abi::fft::filtering::{}.0",
        constants: &[
            constant("FULL", 321, "FULL", "All n + m - 1."),
            constant("SAME", 322, "SAME", "The n in the middle, from number (m-1)/2 on."),
            constant("VALID", 323, "VALID", "The n - m + 1 (or m - n + 1) that no zeros from beyond go into."),
            constant("CIRCULAR", 324, "CIRCULAR", "n, of a signal that goes on periodically."),
        ],
    },
];

/// Constants of sparse matrices and solvers.
pub(super) const SPARSE: &[ConstantGroup] = &[
    ConstantGroup {
        title: "What stands across the diagonal of a sparse matrix from an entry a",
        expression: "crate::sparse::code::{}.0",
        constants: &[
            constant("SYMMETRIC", 331, "SYMMETRIC", "a: the matrix is symmetric."),
            constant("HERMITIAN", 332, "HERMITIAN", "The conjugate of a: the matrix is Hermitian."),
            constant("SKEW_SYMMETRIC", 333, "SKEW_SYMMETRIC", "-a: the matrix is skew-symmetric."),
        ],
    },
    ConstantGroup {
        title: "Why an iterative solver stopped",
        expression: "crate::sparse::code::{}.0",
        constants: REASONS,
    },
    ConstantGroup {
        title: "Factorisations of sparse matrices",
        expression: "crate::sparse::code::{}",
        constants: &[
            constant("FACTORS_AUTO", 351, "FACTORS_AUTO", "The one that suits the matrix."),
            constant(
                "FACTORS_CHOLESKY",
                352,
                "FACTORS_CHOLESKY",
                "A = L L^H, of Hermitian positive definite matrices.",
            ),
            constant("FACTORS_LDL", 353, "FACTORS_LDL", "A = L D L^H without pivoting, of Hermitian matrices."),
            constant("FACTORS_LU", 354, "FACTORS_LU", "P A Q = L U with partial pivoting, of square matrices."),
            constant("FACTORS_QR", 355, "FACTORS_QR", "A P = Q R, for least squares."),
        ],
    },
];

const TRANSFORMS: &[Constant] = &[
    constant("FORWARD", -1, "FORWARD", "Complex numbers: X_k = sum of x_j exp(-2 pi i j k / n), on every axis."),
    constant("BACKWARD", 1, "BACKWARD", "Complex numbers: X_k = sum of x_j exp(2 pi i j k / n), on every axis."),
    constant(
        "REAL_TO_COMPLEX",
        301,
        "REAL_TO_COMPLEX",
        "Real numbers, forward: of the last axis the first n/2 + 1 results.",
    ),
    constant(
        "COMPLEX_TO_REAL",
        302,
        "COMPLEX_TO_REAL",
        "Backward to real numbers, from the first n/2 + 1 complex ones of the last axis.",
    ),
    constant("COSINE_2", 303, "COSINE_2", "DCT-II, FFTW's REDFT10, on every axis."),
    constant("COSINE_3", 304, "COSINE_3", "DCT-III, FFTW's REDFT01, on every axis."),
    constant("SINE_2", 305, "SINE_2", "DST-II, FFTW's RODFT10, on every axis."),
    constant("SINE_3", 306, "SINE_3", "DST-III, FFTW's RODFT01, on every axis."),
];

const REASONS: &[Constant] = &[
    constant("CONVERGED", 341, "CONVERGED", "The residual is as small as was asked for."),
    constant(
        "STAGNATED",
        342,
        "STAGNATED",
        "The residual does not become smaller in this precision, or b is not in the range of a singular matrix.",
    ),
    constant("BREAKDOWN", 343, "BREAKDOWN", "A number is not finite, or the recurrence divides by zero."),
    constant(
        "NOT_POSITIVE_DEFINITE",
        344,
        "NOT_POSITIVE_DEFINITE",
        "The matrix, or the preconditioner, is not positive definite, and the method needs that.",
    ),
    constant("LIMIT", 345, "LIMIT", "The iterations were used up."),
    constant(
        "LEAST_SQUARES",
        346,
        "LEAST_SQUARES",
        "No x has a residual as small as was asked for, and that of this one is smallest.",
    ),
];

const STATUSES: &[Constant] = &[
    constant("SUCCESS", 0, "SUCCESS", "Done."),
    constant("INTERNAL", -1000, "INTERNAL", "A defect in the library."),
    constant("NO_DEVICE", -1001, "NO_DEVICE", "No OpenCL device was found, and one was demanded."),
    constant("UNKNOWN_DEVICE", -1002, "UNKNOWN_DEVICE", "No device answers to the index or name."),
    constant(
        "PRECISION_NOT_SUPPORTED",
        -1003,
        "PRECISION_NOT_SUPPORTED",
        "The device lacks the precision (cl_khr_fp64 for the D and Z routines).",
    ),
    constant(
        "PROGRAM_BUILD",
        -1004,
        "PROGRAM_BUILD",
        "The device's compiler refused a program: affinimathLastError() holds its log.",
    ),
    constant("OUT_OF_DEVICE_MEMORY", -1005, "OUT_OF_DEVICE_MEMORY", "Out of device memory."),
    constant("OUT_OF_HOST_MEMORY", -1006, "OUT_OF_HOST_MEMORY", "Out of host memory."),
    constant("INVALID_QUEUE", -1007, "INVALID_QUEUE", "The command queue is not valid, or executes out of order."),
    constant("MIXED_MEMORY", -1008, "MIXED_MEMORY", "A memory object belongs to another context than the queue."),
    constant(
        "VIEW_TOO_LARGE",
        -1009,
        "VIEW_TOO_LARGE",
        "A vector or matrix reaches past the end of its memory. A memory object that is too small is reported by its \
         argument's index.",
    ),
    constant(
        "SHAPE_MISMATCH",
        -1010,
        "SHAPE_MISMATCH",
        "Operands' sizes do not agree. In C each wrong argument has an index of its own.",
    ),
    constant(
        "INVALID_SETTING",
        -1011,
        "INVALID_SETTING",
        "An environment variable has a value that is not understood.",
    ),
    constant(
        "VENDOR_LIBRARY",
        -1020,
        "VENDOR_LIBRARY",
        "A vendor's library cannot be loaded, or none is configured and one was demanded.",
    ),
    constant(
        "UNSUPPORTED_BY_VENDOR",
        -1021,
        "UNSUPPORTED_BY_VENDOR",
        "A vendor's library was demanded for a call that it cannot do.",
    ),
    constant("VENDOR_CALL", -1022, "VENDOR_CALL", "A function of a vendor's library failed."),
    constant("OPENCL", -2000, "OPENCL", "An OpenCL call failed: the status is this number plus OpenCL's code."),
];
