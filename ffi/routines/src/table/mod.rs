//! The routine table: every function of the C API as plain data, one file per family.
//!
//! A row has the meanings of a routine's arguments; [`crate::signature`] expands it into one C function per type and
//! form.

mod array;
mod batched;
mod constants;
mod convolution;
mod fft;
mod lapack;
mod lapack_batched;
mod level1;
mod level2;
mod level3;
mod library;
mod movement;
mod mpi;
mod sparse;
mod standard;
mod stencil;

use crate::signature::Named;

pub use constants::{Constant, ConstantGroup};
pub use library::{Field, FunctionGroup, LibraryFunction, PlainArgument, Struct};
pub use mpi::MPI;
pub use standard::{Ops, Standard, WRITTEN_BY_HAND};

/// A part of the C header and of the Fortran module, each a file of its own.
pub struct Part {
    /// Its name, and its files': `include/affinimath/blas.h`.
    pub name: &'static str,
    /// Its contents, for people.
    pub title: &'static str,
    /// Its constants.
    pub constants: &'static [ConstantGroup],
    /// Opaque types of the library, each with the header's words on it.
    pub handles: &'static [(Named, &'static str)],
    /// Callbacks, each with its type in the header and the header's words on it.
    pub callbacks: &'static [(Named, &'static str, &'static str)],
    /// Its functions that are the same for all types.
    pub groups: &'static [FunctionGroup],
    /// Its routines.
    pub families: &'static [Family],
}

/// All of the C API, in the order of the generated files. Other parts need the first one.
pub const PARTS: &[Part] = &[
    Part {
        name: "library",
        title: "the library itself: types, options, statuses, devices and settings",
        constants: constants::COMMON,
        handles: &[],
        callbacks: &[],
        groups: &[library::GROUP],
        families: &[],
    },
    Part {
        name: "blas",
        title: "BLAS levels 1 to 3, batches of products, and matrices moved and transposed",
        constants: &[],
        handles: &[],
        callbacks: &[],
        groups: &[],
        families: &[level1::FAMILY, level2::FAMILY, level3::FAMILY, batched::FAMILY, movement::FAMILY],
    },
    Part {
        name: "lapack",
        title: "LAPACK: factorisations of dense matrices and what is made of them, alone and in batches",
        constants: constants::LAPACK,
        handles: &[],
        callbacks: &[],
        groups: &[],
        families: &[lapack::FAMILY, lapack::packed::FAMILY, lapack_batched::FAMILY],
    },
    Part {
        name: "fft",
        title: "Fourier transforms and convolutions, and plans of them",
        constants: constants::FFT,
        handles: &[
            (fft::PLAN_TYPE, "A plan of Fourier transforms: affinimathFftPlanCreate makes one."),
            (convolution::PLAN_TYPE, "A plan of convolutions: affinimathConvolutionPlanCreate makes one."),
        ],
        callbacks: &[],
        groups: &[fft::PLANS, convolution::PLANS],
        families: &[fft::FAMILY],
    },
    Part {
        name: "sparse",
        title: "sparse matrices, preconditioners, iterative and direct solvers",
        constants: constants::SPARSE,
        handles: &[
            (sparse::CSR, "A sparse matrix in compressed rows: affinimathScsrCreate and others make one."),
            (
                sparse::PRECONDITIONER,
                "A preconditioner of iterative solvers: affinimathJacobiCreate and others make one.",
            ),
            (sparse::FACTORS, "The factors of a sparse matrix: affinimathSparseFactorsCreate makes them."),
        ],
        callbacks: sparse::CALLBACKS,
        groups: &[sparse::OBJECTS],
        families: &[sparse::FAMILY],
    },
    Part {
        name: "array",
        title: "arrays, text expressions and stencils",
        constants: array::CONSTANTS,
        handles: &[
            (array::ARRAY_TYPE, "An array, or an expression of arrays: affinimathArrayCreate makes one."),
            (array::EXPRESSION_TYPE, "A parsed text: affinimathExpressionCreate makes one."),
            (stencil::STENCIL_TYPE, "A stencil: affinimathStencilCreate makes one."),
            (stencil::PLAN_TYPE, "A plan of a stencil's runs: affinimathStencilPlanCreate makes one."),
        ],
        callbacks: &[],
        groups: &[array::ARRAYS, stencil::STENCILS],
        families: &[],
    },
];

/// The families of all parts.
pub fn families() -> impl Iterator<Item = &'static Family> {
    PARTS.iter().flat_map(|part| part.families)
}

/// The functions of all parts that are the same for all types.
pub fn groups() -> impl Iterator<Item = &'static FunctionGroup> {
    PARTS.iter().flat_map(|part| part.groups)
}

/// The constants of all parts.
pub fn constants() -> impl Iterator<Item = &'static ConstantGroup> {
    PARTS.iter().flat_map(|part| part.constants)
}

/// A group of routines whose shims share a file.
pub struct Family {
    /// Its path under `cl/`, `src/`, `tests/` and `benches/`, and its modules' path in the home crate.
    pub path: &'static str,
    /// The crate of its modules: `affinimath_abi` for both libraries, or `crate` for the native library's own.
    pub home: &'static str,
    /// A heading for people.
    pub title: &'static str,
    /// Its routines.
    pub routines: &'static [Routine],
}

/// One routine, for all its types.
pub struct Routine {
    /// The end of the C name, after the type's letters, such as `gemm`.
    pub name: &'static str,
    /// The handwritten module under the family's path in `ffi/abi/src/` that the shims call.
    pub module: &'static str,
    /// Its types, in the order of the header.
    pub types: &'static [TypeVariant],
    /// Its effect: one sentence for a person who looks for it.
    pub summary: &'static str,
    /// Further facts: operands that are not read, or may overlap.
    pub notes: &'static [&'static str],
    /// Its origin, such as `BLAS xGEMM`.
    pub source: &'static str,
    /// The arguments of the host form. The device form follows from their kinds.
    pub arguments: &'static [Argument],
    /// Its forms.
    pub forms: Forms,
    /// Its standard names in the drop-in.
    pub standard: &'static [Standard],
}

/// One type of a routine: `S` of sgemm, `Sc` of scnrm2, `Ds` of dsdot.
#[derive(Clone, Copy)]
pub struct TypeVariant {
    /// The letters between `affinimath` and the routine's name.
    pub letters: &'static str,
    /// The type of its vectors' and matrices' elements.
    pub element: Element,
}

/// The element types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// `affinimath_half`
    F16,
    /// `float`
    F32,
    /// `double`
    F64,
    /// `affinimath_c32`
    C32,
    /// `affinimath_c64`
    C64,
}

/// S, D, C and Z: the types of most routines.
pub const SDCZ: &[TypeVariant] = &[
    TypeVariant { letters: "S", element: Element::F32 },
    TypeVariant { letters: "D", element: Element::F64 },
    TypeVariant { letters: "C", element: Element::C32 },
    TypeVariant { letters: "Z", element: Element::C64 },
];

/// The C functions that a routine has for each type.
pub struct Forms {
    /// With host pointers: `affinimathSgemm`.
    pub host: bool,
    /// With a queue and memory objects: `affinimathSgemmCL`.
    pub device: bool,
    /// True if the device form waits on the host for a decision.
    pub waits: bool,
}

impl Forms {
    /// Both, which is the rule.
    pub const BOTH: Forms = Forms { host: true, device: true, waits: false };
    /// With host pointers alone.
    pub const HOST: Forms = Forms { host: true, device: false, waits: false };
    /// Both; the device form waits in its middle.
    pub const WAITING: Forms = Forms { waits: true, ..Forms::BOTH };
}

/// One argument.
pub struct Argument {
    /// BLAS's name for it, in lower case.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// Its meaning, with its unit: one phrase, beginning in lower case.
    pub meaning: &'static str,
}

/// The kind of an argument. It decides the type in every language, and the parameters of the device form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// CBLAS's layout code.
    Layout,
    /// CBLAS's transpose code.
    Op,
    /// CBLAS's uplo code.
    Triangle,
    /// CBLAS's diag code.
    Diagonal,
    /// CBLAS's side code.
    Side,
    /// A norm of a matrix.
    Norm,
    /// Vectors of an eigenvalue or singular value problem.
    Job,
    /// The choice of eigenvalues.
    Range,
    /// The 1-norm or the infinity norm.
    ConsistentNorm,
    /// An option of routines on Hessenberg and Schur forms.
    Choice(Choice),
    /// A count of rows, columns, elements, diagonals or matrices.
    Size,
    /// The direction of a Fourier transform.
    Direction,
    /// The mode of a convolution.
    Extent,
    /// Points on an axis of a Fourier transform: at least 1.
    AxisLength,
    /// The length of level 1's vectors: 0 and less change nothing.
    Length,
    /// A scalar by value.
    Scalar(Number),
    /// A matrix: a pointer, or a memory object and an offset.
    Matrix(Access),
    /// A triangle packed by columns (rows): in memory a vector without increment.
    Packed(Access),
    /// Elements between the starts of neighbouring columns (rows) of the matrix before it.
    LeadingDimension,
    /// The leading dimension of the result that overwrites the matrix before it.
    ResultLeadingDimension,
    /// A vector: a pointer, or a memory object and an offset.
    Vector(Access, Number),
    /// Adjacent elements: a pointer, or a memory object and an offset.
    Array(Access, Number),
    /// Rows of adjacent elements, one after the other: a pointer, or a memory object and an offset. The text is the
    /// length of a row, in terms of the arguments.
    Rows(Access, Number, &'static str),
    /// Elements between neighbours of the vector before it; a negative increment walks from the end.
    Increment,
    /// Elements between the starts of neighbouring matrices of a batch.
    Stride,
    /// An array of offsets in host memory, one per matrix of a batch, read before the call returns.
    Offsets,
    /// A fixed count of adjacent elements to read or write, such as each of rotg's four, or rotm's five parameters.
    Scalars(Access, Number, usize),
    /// The result: a last pointer, or a memory object and an offset.
    Result(Number),
    /// A host pointer in both forms, for a result that the host needs: iterations of a refinement, or a rank.
    Iterations,
    /// A handle from an earlier call, such as a sparse matrix.
    Handle(Access, Named),
    /// A pointer that receives a new handle.
    NewHandle(Named),
    /// A struct in host memory, in both forms.
    Struct(Access, Named),
    /// A C string in host memory, in both forms.
    Text,
    /// A callback: the host form's type, and the device form's.
    Callback([Named; 2]),
    /// The pointer that a callback receives.
    User,
    /// LAPACK's info: the device form writes it to a memory object, the host form returns it.
    Info,
    /// LAPACK's workspace, which only the standard names have. Callers read it afterwards: the best length in its first
    /// element if a length follows, else the elements that the routine is known to leave there.
    Workspace,
    /// Its length, or -1 for a workspace query.
    WorkspaceLength,
    /// LAPACK's workspace of real elements, which only the standard names have. Queries write its best length.
    RealWorkspace,
    /// LAPACK's workspace of integers, which only the standard names have. Queries write its best length.
    IntegerWorkspace,
    /// A result that only the standard names have. Of real elements, LAPACKE's function with its own workspace has it.
    StandardVector(Number),
    /// Flags of eigenvalues: an array in host memory in both forms.
    Flags(Access),
    /// A host pointer, in both forms, to a real result.
    RealResult,
    /// An argument that only the standard names have, with and without their own workspace.
    Only(Only),
    /// LAPACK's workspace of a fixed length, which only the standard names have, and which is not accessed.
    UnneededWorkspace,
    /// A letter in host memory that is read or written: LAPACK's `equed`.
    Letter,
}

impl Kind {
    /// True for data in memory: a pointer in the host form, a memory object and an offset in the device form.
    pub const fn in_memory(self) -> bool {
        matches!(
            self,
            Kind::Matrix(_)
                | Kind::Packed(_)
                | Kind::Vector(..)
                | Kind::Array(..)
                | Kind::Rows(..)
                | Kind::Scalars(..)
                | Kind::Result(_)
        )
    }
}

/// The options of routines on Hessenberg and Schur forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The parts of a balancing.
    Balance,
    /// Condition numbers.
    Sense,
    /// Eigenvalues, or the Schur form.
    SchurJob,
    /// All eigenvectors, their products with Schur vectors, or some.
    HowMany,
    /// Left or right eigenvectors, or both.
    Sides,
    /// Selected eigenvalues first, which the standard names alone have.
    Sort,
    /// Factors of an expert driver.
    Fact,
}

/// Arguments that only the standard names have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// A matrix that is not accessed.
    Matrix,
    /// A leading dimension, which is checked.
    Size,
    /// An option.
    Choice(Choice),
    /// A function that selects eigenvalues.
    Select,
    /// A function that selects eigenvalues alpha / beta.
    SelectQuotient,
    /// A count.
    Count,
    /// A real result.
    Real,
}

/// The type of an element, relative to the routine's element type or fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// The element type itself.
    Element,
    /// The real type of the same precision.
    Real,
    /// The complex type of the same precision.
    Complex,
    /// `float`, whatever the element type.
    F32,
    /// `double`, whatever the element type.
    F64,
    /// `int32_t`: pivots and sparse indices.
    I32,
    /// `int64_t`: an index as a result.
    I64,
}

/// A routine's access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It is read.
    Read,
    /// It is written, and may be read.
    Write,
}

/// An argument, in one line of a row.
pub const fn argument(name: &'static str, kind: Kind, meaning: &'static str) -> Argument {
    Argument { name, kind, meaning }
}

#[cfg(test)]
mod host {
    use super::*;

    fn routines() -> impl Iterator<Item = &'static Routine> {
        families().flat_map(|family| family.routines)
    }

    #[test]
    fn every_row_is_complete() {
        for routine in routines() {
            assert!(routine.summary.ends_with('.'), "{}: the summary is a sentence", routine.name);
            assert!(routine.forms.host || routine.forms.device, "{}: has no form", routine.name);
            assert!(!routine.types.is_empty() && !routine.source.is_empty(), "{}", routine.name);
            for argument in routine.arguments {
                assert!(!argument.meaning.is_empty(), "{}: {} is not explained", routine.name, argument.name);
            }
        }
    }

    #[test]
    fn a_leading_dimension_follows_its_matrix_and_an_increment_its_vector() {
        for routine in routines() {
            for pair in routine.arguments.windows(2) {
                match pair[1].kind {
                    Kind::LeadingDimension => {
                        assert!(matches!(pair[0].kind, Kind::Matrix(_)), "{}", routine.name);
                        assert_eq!(pair[1].name, format!("ld{}", pair[0].name), "{}", routine.name);
                    }
                    Kind::Increment => {
                        assert!(matches!(pair[0].kind, Kind::Vector(..)), "{}", routine.name);
                        assert_eq!(pair[1].name, format!("inc{}", pair[0].name), "{}", routine.name);
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<String> = routines()
            .flat_map(|routine| routine.types.iter().map(|t| format!("{}{}", t.letters, routine.name)))
            .collect();
        names.sort();
        let before = names.len();
        names.dedup();
        assert_eq!(names.len(), before);
    }
}
