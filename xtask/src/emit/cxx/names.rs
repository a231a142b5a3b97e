//! Names of C++: enumerations, classes, functions and types.

use affinimath_routines::signature::{Named, Parameter, Pointee, Type};
use affinimath_routines::table::{ConstantGroup, Element, Routine};

/// The handle whose class has the element type as its parameter.
pub(super) const TYPED: &str = "csr";

/// The enumeration of a group of constants, or none for statuses.
pub(super) fn enumeration(group: &ConstantGroup) -> Result<Option<&'static str>, String> {
    Ok(Some(match group.constants[0].name {
        "ROW_MAJOR" => "Layout",
        "NO_TRANS" => "Op",
        "UPPER" => "Uplo",
        "NON_UNIT" => "Diag",
        "LEFT" => "Side",
        "ONE_NORM" => "Norm",
        "NO_VECTORS" => "Job",
        "RANGE_ALL" => "Range",
        "BALANCE_NONE" => "Balance",
        "SENSE_NONE" => "Sense",
        "EIGENVALUES" => "SchurJob",
        "EIGENVECTORS_ALL" => "Eigenvectors",
        "LEFT_VECTORS" => "Sides",
        "FACT_COMPUTED" => "Factors",
        "FORWARD" => "Transform",
        "SINGLE" => "Precision",
        "CONVOLUTION" => "ConvolutionKind",
        "FULL" => "ConvolutionMode",
        "SYMMETRIC" => "Symmetry",
        "CONVERGED" => "Reason",
        "FACTORS_AUTO" => "SparseMethod",
        "TYPE_BOOL" => "ElementType",
        "SUCCESS" => return Ok(None),
        other => return Err(format!("constants from {other} on have no enumeration: xtask/src/emit/cxx/names.rs")),
    }))
}

/// The enumeration of an argument that C has as an int.
pub(super) fn enumeration_of(argument: &str) -> Option<&'static str> {
    Some(match argument {
        "layout" => "Layout",
        "trans" | "transa" | "transb" => "Op",
        "uplo" => "Uplo",
        "diag" => "Diag",
        "side" => "Side",
        "norm" => "Norm",
        "jobz" | "jobu" | "jobvt" | "jobvl" | "jobvr" | "compz" | "compq" | "jobvs" | "jobvsl" | "jobvsr" | "vect" => {
            "Job"
        }
        "balanc" => "Balance",
        "sense" => "Sense",
        "job" => "SchurJob",
        "howmny" => "Eigenvectors",
        "sides" => "Sides",
        "fact" => "Factors",
        "range" => "Range",
        "direction" | "transform" => "Transform",
        "precision" => "Precision",
        "operation" => "ConvolutionKind",
        "extent" => "ConvolutionMode",
        "symmetry" => "Symmetry",
        "method" => "SparseMethod",
        _ => return None,
    })
}

/// `NoTrans` for `NO_TRANS`, `One` for `ONE_NORM`, `Double` for `TYPE_DOUBLE`, and `Lu` for `FACTORS_LU`.
pub(super) fn member(constant: &str) -> String {
    let name = constant.strip_suffix("_NORM").unwrap_or(constant);
    let prefix = ["TYPE_", "FACTORS_", "BALANCE_", "SENSE_", "EIGENVECTORS_", "FACT_"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix));
    camel(prefix.unwrap_or(name))
}

/// `FftPlan` for `fft_plan`.
pub(super) fn class(handle: Named) -> String {
    camel(handle.c)
}

fn camel(name: &str) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + &rest.to_lowercase()
    };
    name.split('_').map(word).collect()
}

/// `csrTranspose` for `CsrTranspose`, and `ldMultipleS` for `LDMultipleS`.
pub(super) fn function(name: &str) -> String {
    let capitals = name.chars().take_while(char::is_ascii_uppercase).count();
    let lowered = if capitals > 1 { capitals - 1 } else { capitals };
    name[..lowered].to_lowercase() + &name[lowered..]
}

/// A routine's name without its type's letter. Letters that tell more than the type stay: `iamax`, `dsdot`.
pub(super) fn routine(routine: &Routine) -> String {
    let letters = routine.types[0].letters;
    match routine.types {
        [_] if letters.len() > 1 => letters.to_lowercase() + routine.name,
        _ if letters.starts_with('I') => format!("i{}", routine.name),
        _ => routine.name.to_owned(),
    }
}

/// An element type.
pub(super) fn element(element: Element) -> &'static str {
    match element {
        Element::F16 => "affinimath_half",
        Element::F32 => "float",
        Element::F64 => "double",
        Element::C32 => "std::complex<float>",
        Element::C64 => "std::complex<double>",
    }
}

/// The type of what a pointer points to. `typed` is the element type of handles that have one.
pub(super) fn pointee(pointee: Pointee, typed: &str) -> String {
    match pointee {
        Pointee::Element(element) => self::element(element).to_owned(),
        Pointee::Int32 => "int32_t".to_owned(),
        Pointee::Int64 => "int64_t".to_owned(),
        Pointee::Char => "char".to_owned(),
        Pointee::Void => "void".to_owned(),
        Pointee::Struct(named) => format!("affinimath_{}", named.c),
        Pointee::Handle(named) if named.c == TYPED => format!("{}<{typed}>", class(named)),
        Pointee::Handle(named) => class(named),
    }
}

/// True of an argument that a function writes one object through.
pub(super) fn is_output(parameter: &Parameter) -> bool {
    match parameter.ty {
        Type::New(_) | Type::Pointer(Pointee::Struct(_), true) => true,
        Type::Pointer(_, true) => parameter.count == Some(1),
        _ => false,
    }
}
