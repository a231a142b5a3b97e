//! The parts that arguments of C have in a procedure on arrays.

use affinimath_routines::signature::{Parameter, Pointee, Type};
use affinimath_routines::table::{Choice, Kind, Routine};

use super::super::super::shapes::{self, Shape};
use super::super::element_type;

/// Arrays of two axes where C has a vector. Rows of C are columns here.
const MATRICES: &[(&str, &str, Shape)] = &[
    ("fftMany", "x", Shape::Matrix("n", "batch")),
    ("fftMany", "y", Shape::Matrix("n", "batch")),
    ("fft2", "x", Shape::Matrix("n", "m")),
    ("fft2", "y", Shape::Matrix("n", "m")),
    ("rfft2", "x", Shape::Matrix("n", "m")),
    ("rfft2", "y", Shape::Matrix("n/2+1", "m")),
    ("irfft2", "x", Shape::Matrix("n/2+1", "m")),
    ("irfft2", "y", Shape::Matrix("n", "m")),
];

/// An argument's part in a procedure.
pub(super) enum Role {
    /// A constant or a size, which is no argument here; with its value.
    Derived(String),
    /// An array, and its shape as it is stored.
    Array(Shape),
    /// An array that may be left out, of this length.
    OptionalArray(String),
    /// A number or a code that may be left out, and what it is then.
    Optional(&'static str),
    /// A result that may be left out.
    OptionalResult,
    /// The options of a solver.
    Options,
    /// Another argument that is needed.
    Needed,
}

pub(super) fn is_size(kind: Kind) -> bool {
    matches!(kind, Kind::Size | Kind::Length | Kind::AxisLength)
}

/// The part of an argument of C's in a procedure.
pub(super) fn role(routine: &Routine, parameter: &Parameter, vector: bool) -> Result<Role, String> {
    let name = parameter.name.as_str();
    let kind = routine.arguments.iter().find(|a| a.name == name).map(|a| a.kind);
    let kind = kind.ok_or_else(|| format!("{} has no argument '{name}'", routine.name))?;
    Ok(match kind {
        Kind::Layout => Role::Derived("AFFINIMATH_COL_MAJOR".to_owned()),
        Kind::Increment => Role::Derived("1_c_int64_t".to_owned()),
        Kind::LeadingDimension => {
            let matrix = name.strip_prefix("ld").expect("the name of a leading dimension");
            Role::Derived(format!("max(1_c_int64_t, size({matrix}, 1, c_int64_t))"))
        }
        // The members of a batch are adjacent.
        Kind::Stride => {
            let array = name.strip_prefix("stride").expect("the name of a stride");
            let one = format!("size({array}, 1, c_int64_t)");
            Role::Derived(match shape(routine, array, vector)? {
                Shape::Vector(_) => one,
                _ => format!("{one} * size({array}, 2, c_int64_t)"),
            })
        }
        kind if is_size(kind) => Role::Derived(name.to_owned()),
        Kind::Op => Role::Optional("AFFINIMATH_NO_TRANS"),
        Kind::Triangle => Role::Optional("AFFINIMATH_UPPER"),
        Kind::Diagonal => Role::Optional("AFFINIMATH_NON_UNIT"),
        Kind::Side => Role::Optional("AFFINIMATH_LEFT"),
        Kind::Norm | Kind::ConsistentNorm => Role::Optional("AFFINIMATH_ONE_NORM"),
        Kind::Job if matches!(routine.name, "gesvd" | "gesdd" | "gesvdStridedBatched") => {
            Role::Optional("AFFINIMATH_THIN_VECTORS")
        }
        Kind::Job if name == "vect" => Role::Optional("AFFINIMATH_FACTOR_Q"),
        Kind::Job => Role::Optional("AFFINIMATH_VECTORS"),
        Kind::Range => Role::Optional("AFFINIMATH_RANGE_ALL"),
        Kind::Choice(choice) => Role::Optional(match choice {
            Choice::Balance => "AFFINIMATH_BALANCE_BOTH",
            Choice::Sense => "AFFINIMATH_SENSE_BOTH",
            Choice::SchurJob => "AFFINIMATH_SCHUR_FORM",
            Choice::HowMany => "AFFINIMATH_EIGENVECTORS_ALL",
            Choice::Sides => "AFFINIMATH_BOTH_VECTORS",
            Choice::Fact => "AFFINIMATH_FACT_COMPUTED",
            Choice::Sort => unreachable!("the standard names alone have it"),
        }),
        Kind::Direction => Role::Optional("AFFINIMATH_FORWARD"),
        Kind::Extent => Role::Optional("AFFINIMATH_FULL"),
        Kind::Scalar(_) if name == "alpha" => Role::Optional("1"),
        Kind::Scalar(_) if name == "beta" => Role::Optional("0"),
        Kind::Iterations if name == "iter" => Role::OptionalResult,
        Kind::Struct(_, _) if name == "options" => Role::Options,
        Kind::Struct(_, _) => Role::OptionalResult,
        _ if routine.name.ends_with("sv") && name == "ipiv" => Role::OptionalArray("n".to_owned()),
        _ if shapes::is_array(parameter.ty, parameter.count) => Role::Array(shape(routine, name, vector)?),
        _ => Role::Needed,
    })
}

/// An array's shape in Fortran.
fn shape(routine: &Routine, name: &str, vector: bool) -> Result<Shape, String> {
    if let Some((_, _, shape)) = MATRICES.iter().find(|(r, operand, _)| *r == routine.name && *operand == name) {
        return Ok(*shape);
    }
    Ok(match shapes::shape(routine, name)? {
        Shape::Matrix(rows, "nrhs") if vector => Shape::Vector(rows),
        shape => shape,
    })
}

/// An argument's value for the C function.
pub(super) fn value(parameter: &Parameter, role: &Role) -> String {
    let name = &parameter.name;
    match role {
        Role::Derived(value) => value.clone(),
        Role::Array(_) => name.clone(),
        Role::Needed if parameter.ty == Type::Int64 => format!("int({name}, c_int64_t)"),
        Role::Needed => name.clone(),
        _ => format!("{name}_"),
    }
}

/// A type without attributes. A size that is needed is of the default kind.
pub(super) fn fortran_type(parameter: &Parameter) -> String {
    match parameter.ty {
        Type::Int => "integer(c_int)".to_owned(),
        Type::Int64 => "integer".to_owned(),
        Type::Value(element) | Type::Pointer(Pointee::Element(element), _) => element_type(element).to_owned(),
        Type::Pointer(Pointee::Int32, _) => "integer(c_int32_t)".to_owned(),
        Type::Pointer(Pointee::Int64, _) => "integer(c_int64_t)".to_owned(),
        Type::Pointer(Pointee::Struct(item), _) => format!("type(affinimath_{})", item.c),
        Type::Pointer(Pointee::Char, true) => "character(kind=c_char)".to_owned(),
        _ => "type(c_ptr)".to_owned(),
    }
}
