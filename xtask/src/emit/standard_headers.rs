//! `include/affinimath-blas/cblas.h` and `lapacke.h`: what the drop-in has under CBLAS's and LAPACKE's names, for
//! programs that are built where no other library has left its headers. They declare the names with 32-bit integers.

use std::fmt::Write;

use affinimath_routines::rust::standard;
use affinimath_routines::table::{Access, Argument, Element, Kind, Number, Only, Routine, SDCZ, Standard, TypeVariant};
use affinimath_routines::wrap;

use super::COMMAND;

const WIDTH: usize = 110;

const CBLAS_TYPES: &str = "\
typedef int32_t CBLAS_INT;
typedef size_t CBLAS_INDEX;

typedef enum CBLAS_LAYOUT { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_LAYOUT;
typedef enum CBLAS_TRANSPOSE {
  CblasNoTrans = 111,
  CblasTrans = 112,
  CblasConjTrans = 113,
  CblasConjNoTrans = 114
} CBLAS_TRANSPOSE;
typedef enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 } CBLAS_UPLO;
typedef enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit = 132 } CBLAS_DIAG;
typedef enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 } CBLAS_SIDE;
typedef CBLAS_LAYOUT CBLAS_ORDER;
";

/// Numbers of the element types are what the program's language has for them: `_Complex` in C, `std::complex` in C++.
const LAPACKE_TYPES: &str = "\
#define LAPACK_ROW_MAJOR 101
#define LAPACK_COL_MAJOR 102
#define LAPACK_WORK_MEMORY_ERROR (-1010)
#define LAPACK_TRANSPOSE_MEMORY_ERROR (-1011)

typedef int32_t lapack_int;

/* A program may have its own complex types, of the same layout. */
#ifndef lapack_complex_float
#ifdef __cplusplus
#include <complex>
#define lapack_complex_float std::complex<float>
#else
#include <complex.h>
#define lapack_complex_float float _Complex
#endif
#endif
#ifndef lapack_complex_double
#ifdef __cplusplus
#include <complex>
#define lapack_complex_double std::complex<double>
#else
#include <complex.h>
#define lapack_complex_double double _Complex
#endif
#endif
#define lapack_logical lapack_int

/* Functions that select eigenvalues. */
typedef lapack_logical (*LAPACK_S_SELECT2)(const float *, const float *);
typedef lapack_logical (*LAPACK_D_SELECT2)(const double *, const double *);
typedef lapack_logical (*LAPACK_C_SELECT1)(const lapack_complex_float *);
typedef lapack_logical (*LAPACK_Z_SELECT1)(const lapack_complex_double *);
typedef lapack_logical (*LAPACK_S_SELECT3)(const float *, const float *, const float *);
typedef lapack_logical (*LAPACK_D_SELECT3)(const double *, const double *, const double *);
typedef lapack_logical (*LAPACK_C_SELECT2)(const lapack_complex_float *, const lapack_complex_float *);
typedef lapack_logical (*LAPACK_Z_SELECT2)(const lapack_complex_double *, const lapack_complex_double *);
";

/// Prototypes written by hand in the drop-in.
const CBLAS_MORE: &str = "
/* Groups of products, each with options and sizes of its own. */
";

/// `include/affinimath-blas/cblas.h`.
pub(super) fn cblas() -> String {
    let mut out = open("CBLAS", "AFFINIMATH_CBLAS_H", "CBLAS_H", CBLAS_TYPES);
    for (routine, standard) in rows(false) {
        out.push('\n');
        for variant in routine.types.iter().filter(|variant| standard.cblas.has(variant)) {
            cblas_function(&mut out, routine, variant, standard);
        }
    }
    out.push_str(CBLAS_MORE);
    for (letter, element) in [("s", Element::F32), ("d", Element::F64), ("c", Element::C32), ("z", Element::C64)] {
        let number = |access| cblas_pointer(access, Number::Element, element);
        let constant = number(Access::Read);
        let [read, written] = [constant, number(Access::Write)].map(|pointer| pointer.replace(" *", " **"));
        let parameters = [
            "CBLAS_LAYOUT layout".to_owned(),
            "const CBLAS_TRANSPOSE *transa".to_owned(),
            "const CBLAS_TRANSPOSE *transb".to_owned(),
            "const CBLAS_INT *m".to_owned(),
            "const CBLAS_INT *n".to_owned(),
            "const CBLAS_INT *k".to_owned(),
            format!("{constant}alpha"),
            format!("{read}a"),
            "const CBLAS_INT *lda".to_owned(),
            format!("{read}b"),
            "const CBLAS_INT *ldb".to_owned(),
            format!("{constant}beta"),
            format!("{written}c"),
            "const CBLAS_INT *ldc".to_owned(),
            "CBLAS_INT group_count".to_owned(),
            "const CBLAS_INT *group_size".to_owned(),
        ];
        function(&mut out, "void", &format!("cblas_{letter}gemm_batch"), &parameters);
    }
    out.push_str("\n/* |re| + |im| of a complex number. */\n");
    function(&mut out, "float", "cblas_scabs1", &["const void *z".to_owned()]);
    function(&mut out, "double", "cblas_dcabs1", &["const void *z".to_owned()]);
    out.push_str("\n/* Is told of wrong arguments. A program may have its own. */\n");
    out.push_str("void cblas_xerbla(CBLAS_INT position, const char *routine, const char *format, ...);\n");
    close(out, "AFFINIMATH_CBLAS_H")
}

/// `include/affinimath-blas/lapacke.h`.
pub(super) fn lapacke() -> String {
    let mut out = open("LAPACKE", "AFFINIMATH_LAPACKE_H", "_LAPACKE_H_", LAPACKE_TYPES);
    for (routine, standard) in rows(true) {
        out.push('\n');
        for suffix in ["", "_work"] {
            for variant in routine.types.iter().filter(|variant| standard.fortran.has(variant)) {
                lapacke_function(&mut out, routine, variant, standard, suffix);
            }
        }
    }
    auxiliaries(&mut out);
    out.push_str("\n/* Is told of wrong arguments. A program may have its own. */\n");
    out.push_str("void LAPACKE_xerbla(const char *name, lapack_int info);\n");
    close(out, "AFFINIMATH_LAPACKE_H")
}

/// LAPACKE's functions that are written by hand in the drop-in, each with its count of types. Parameters of type T and
/// R have the element type and its real type, those of type I LAPACKE's integers. Those after `work` are only of the
/// form with workspace.
const WRITTEN_BY_HAND: &[(&str, &str, usize)] = &[
    ("lacpy", "int matrix_layout|char uplo|I m|I n|const T *a|I lda|T *b|I ldb", 4),
    ("laset", "int matrix_layout|char uplo|I m|I n|T alpha|T beta|T *a|I lda", 4),
    ("lascl", "int matrix_layout|char type|I kl|I ku|R cfrom|R cto|I m|I n|T *a|I lda", 4),
    ("larfg", "I n|T *alpha|T *x|I incx|T *tau", 4),
    ("larft", "int matrix_layout|char direct|char storev|I n|I k|const T *v|I ldv|const T *tau|T *t|I ldt", 4),
    (
        "larfb",
        "int matrix_layout|char side|char trans|char direct|char storev|I m|I n|I k|const T *v|I ldv|const T *t|I ldt|\
         T *c|I ldc|work T *work|work I ldwork",
        4,
    ),
    (
        "stebz",
        "char range|char order|I n|R vl|R vu|I il|I iu|R abstol|const R *d|const R *e|I *m|I *nsplit|R *w|I *iblock|\
         I *isplit|work R *work|work I *iwork",
        2,
    ),
    (
        "stein",
        "int matrix_layout|I n|const R *d|const R *e|I m|const R *w|const I *iblock|const I *isplit|T *z|I ldz|\
         work R *work|work I *iwork|I *ifailv",
        4,
    ),
    (
        "stemr",
        "int matrix_layout|char jobz|char range|I n|R *d|R *e|R vl|R vu|I il|I iu|I *m|R *w|T *z|I ldz|I nzc|\
         I *isuppz|lapack_logical *tryrac|work R *work|work I lwork|work I *iwork|work I liwork",
        4,
    ),
    ("lamch", "char cmach", 2),
];

fn auxiliaries(out: &mut String) {
    out.push_str("\n/* Auxiliaries, and eigenvalues of tridiagonal matrices. */\n");
    for (name, parameters, types) in WRITTEN_BY_HAND {
        for suffix in ["", "_work"] {
            for variant in &SDCZ[..*types] {
                let typed = |parameter: &str| {
                    let words = parameter.split(' ').map(|word| match word {
                        "I" => "lapack_int",
                        "T" => c_number(Number::Element, variant.element),
                        "R" => c_number(Number::Real, variant.element),
                        other => other,
                    });
                    words.collect::<Vec<_>>().join(" ")
                };
                let given = parameters.split('|').filter_map(|parameter| match parameter.strip_prefix("work ") {
                    Some(_) if suffix.is_empty() => None,
                    Some(parameter) => Some(typed(parameter)),
                    None => Some(typed(parameter)),
                });
                let letter = variant.letters.to_lowercase();
                let returned = if *name == "lamch" { c_number(Number::Real, variant.element) } else { "lapack_int" };
                function(out, returned, &format!("LAPACKE_{letter}{name}{suffix}"), &given.collect::<Vec<_>>());
            }
        }
    }
}

/// A header up to its first function. The `other` guard keeps another library's header of the same name out.
fn open(name: &str, guard: &str, other: &str, types: &str) -> String {
    format!(
        "/* Generated by `{COMMAND}` from the routine table.\n *\n * {name} as libaffinimath_blas.so has it: the names \
         with 32-bit integers. docs/src/drop-in.md tells of the others. */\n\n#ifndef {guard}\n#define {guard}\n/* The \
         guard of the reference's header: either of the two is enough. */\n#ifndef {other}\n#define \
         {other}\n\n#include <stddef.h>\n#include <stdint.h>\n\n{types}\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n"
    )
}

fn close(mut out: String, guard: &str) -> String {
    write!(out, "\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n#endif /* {guard} */\n").unwrap();
    out
}

/// The routines of BLAS or of LAPACK, under each of their names.
fn rows(lapack: bool) -> impl Iterator<Item = (&'static Routine, &'static Standard)> {
    let routines = standard::families().flat_map(|family| family.routines);
    routines
        .flat_map(|routine| routine.standard.iter().map(move |standard| (routine, standard)))
        .filter(move |(_, standard)| standard.lapack == lapack && standard.lapacke)
}

fn cblas_function(out: &mut String, routine: &Routine, variant: &TypeVariant, standard: &Standard) {
    let element = variant.element;
    let result = standard::result(routine);
    // Complex results are written through a last pointer.
    let subroutine = result == Some(Number::Element) && complex(element);
    let parameters: Vec<String> = routine
        .arguments
        .iter()
        .filter(|argument| subroutine || !matches!(argument.kind, Kind::Result(_)))
        .map(|argument| cblas_parameter(argument, element))
        .collect();
    let returned = match result {
        None => "void",
        Some(_) if subroutine => "void",
        Some(Number::I64) => "CBLAS_INDEX",
        Some(number) => c_number(number, element),
    };
    let sub = if subroutine { "_sub" } else { "" };
    function(out, returned, &format!("cblas_{}{sub}", standard::name(variant, standard)), &parameters);
}

fn cblas_parameter(argument: &Argument, element: Element) -> String {
    let kind = match argument.kind {
        Kind::Layout => "CBLAS_LAYOUT ",
        Kind::Op => "CBLAS_TRANSPOSE ",
        Kind::Triangle => "CBLAS_UPLO ",
        Kind::Diagonal => "CBLAS_DIAG ",
        Kind::Side => "CBLAS_SIDE ",
        Kind::Scalar(number) if number == Number::Element && complex(element) => "const void *",
        Kind::Scalar(number) | Kind::Scalars(Access::Read, number, 1) => {
            return format!("{} {}", c_number(number, element), argument.name);
        }
        Kind::Matrix(access) | Kind::Packed(access) => cblas_pointer(access, Number::Element, element),
        Kind::Vector(access, number) | Kind::Scalars(access, number, _) => cblas_pointer(access, number, element),
        Kind::Result(number) => cblas_pointer(Access::Write, number, element),
        _ => "CBLAS_INT ",
    };
    format!("{kind}{}", argument.name)
}

/// A pointer to elements: CBLAS has none to complex ones.
fn cblas_pointer(access: Access, number: Number, element: Element) -> &'static str {
    match (access, if number == Number::Element && complex(element) { "void" } else { c_number(number, element) }) {
        (Access::Read, "void") => "const void *",
        (Access::Write, "void") => "void *",
        (Access::Read, "float") => "const float *",
        (Access::Write, "float") => "float *",
        (Access::Read, _) => "const double *",
        (Access::Write, _) => "double *",
    }
}

fn lapacke_function(out: &mut String, routine: &Routine, variant: &TypeVariant, standard: &Standard, suffix: &str) {
    let element = variant.element;
    let left_out = |argument: &&Argument| match argument.kind {
        Kind::Layout | Kind::Info | Kind::Result(_) => true,
        // The function brings it itself.
        Kind::Workspace
        | Kind::WorkspaceLength
        | Kind::UnneededWorkspace
        | Kind::RealWorkspace
        | Kind::IntegerWorkspace
            if suffix.is_empty() =>
        {
            true
        }
        // The superdiagonal goes with the workspace that the function brings.
        Kind::StandardVector(Number::Real) => !suffix.is_empty(),
        _ => standard.without.contains(&argument.name),
    };
    let given = routine.arguments.iter().filter(|argument| !left_out(argument));
    // Routines without matrices have no layout.
    let layout = routine.arguments.iter().find(|argument| argument.kind == Kind::Layout);
    let parameters: Vec<String> = layout
        .map(|_| "int matrix_layout".to_owned())
        .into_iter()
        .chain(given.map(|a| lapacke_parameter(a, element)))
        .collect();
    let returned = standard::result(routine).map_or("lapack_int", |number| c_number(number, element));
    function(out, returned, &format!("LAPACKE_{}{suffix}", standard::name(variant, standard)), &parameters);
}

fn lapacke_parameter(argument: &Argument, element: Element) -> String {
    let pointer = |access, number| match access {
        Access::Read => format!("const {} *", c_number(number, element)),
        Access::Write => format!("{} *", c_number(number, element)),
    };
    let kind = match argument.kind {
        Kind::Op
        | Kind::Triangle
        | Kind::Diagonal
        | Kind::Side
        | Kind::Norm
        | Kind::Job
        | Kind::Range
        | Kind::Choice(_)
        | Kind::Only(Only::Choice(_))
        | Kind::ConsistentNorm => "char ".to_owned(),
        Kind::Flags(access) => match access {
            Access::Read => "const lapack_logical *".to_owned(),
            Access::Write => "lapack_logical *".to_owned(),
        },
        Kind::RealResult | Kind::Only(Only::Real) => pointer(Access::Write, Number::Real),
        // The reference reads eigenvectors that are not needed here.
        Kind::Only(Only::Matrix) => pointer(Access::Read, Number::Element),
        Kind::Only(Only::Count) => "lapack_int *".to_owned(),
        Kind::Only(Only::Select) => {
            format!("LAPACK_{}_SELECT{} ", letter(element), if complex(element) { "1" } else { "2" })
        }
        Kind::Only(Only::SelectQuotient) => {
            format!("LAPACK_{}_SELECT{} ", letter(element), if complex(element) { "2" } else { "3" })
        }
        Kind::Scalar(Number::I64) => "lapack_int ".to_owned(),
        Kind::Scalar(number) => format!("{} ", c_number(number, element)),
        Kind::Matrix(access) | Kind::Packed(access) => pointer(access, Number::Element),
        Kind::Vector(access, number) | Kind::Scalars(access, number, _) => pointer(access, number),
        Kind::Workspace => pointer(Access::Write, Number::Element),
        // The reference has different types for it; nothing looks at it here.
        Kind::UnneededWorkspace => "void *".to_owned(),
        Kind::RealWorkspace => pointer(Access::Write, Number::Real),
        Kind::StandardVector(number) => pointer(Access::Write, number),
        Kind::Iterations | Kind::IntegerWorkspace => "lapack_int *".to_owned(),
        Kind::Letter => "char *".to_owned(),
        _ => "lapack_int ".to_owned(),
    };
    format!("{kind}{}", argument.name)
}

const fn letter(element: Element) -> &'static str {
    match element {
        Element::F32 => "S",
        Element::C32 => "C",
        Element::C64 => "Z",
        _ => "D",
    }
}

fn complex(element: Element) -> bool {
    matches!(element, Element::C32 | Element::C64)
}

/// An element's type in C. Complex types are LAPACKE's.
fn c_number(number: Number, element: Element) -> &'static str {
    let single = matches!(element, Element::F32 | Element::C32);
    match number {
        Number::Element if complex(element) && single => "lapack_complex_float",
        Number::Element if complex(element) => "lapack_complex_double",
        Number::Element | Number::Real if single => "float",
        Number::Element | Number::Real => "double",
        Number::Complex => unreachable!("no standard routine has real elements and complex numbers"),
        Number::F32 => "float",
        Number::F64 => "double",
        Number::I32 => "lapack_int",
        Number::I64 => unreachable!("only results are indices, which CBLAS alone returns"),
    }
}

/// A declaration, in lines that begin below its first parameter.
fn function(out: &mut String, returned: &str, name: &str, parameters: &[String]) {
    let head = format!("{returned} {name}(");
    // Lines do not break at a space inside a parameter: nothing in C's declarations is a tilde.
    let list: Vec<String> = parameters.iter().map(|parameter| parameter.replace(' ', "~")).collect();
    for (i, line) in wrap(&format!("{});", list.join(", ")), WIDTH - head.len()).iter().enumerate() {
        let start = if i == 0 { head.clone() } else { " ".repeat(head.len()) };
        writeln!(out, "{start}{}", line.replace('~', " ")).unwrap();
    }
}
