//! The exports of the drop-in: one line of symbols for each type of a routine, under a list of its arguments' kinds.

use std::fmt::Write;

use crate::table::{
    self, Access, Argument, Choice, Element, Family, Kind, Number, Only, Ops, Routine, Standard, TypeVariant,
};

/// The prefixes of names in the libraries that Python's packages install.
const PREFIXES: [&str; 2] = ["", "scipy_"];

/// The imports of each module of exports, needed or not.
const IMPORTS: &str = "\
use crate::export::*;
use crate::lapack::{Iterations, PivotsIn, PivotsOut, Unused, lapack, lapacke, lapacke_function, lapacke_plain};
use crate::schur::*;
";

/// The families with a routine under a standard name.
pub fn families() -> impl Iterator<Item = &'static Family> {
    table::families().filter(|family| family.routines.iter().any(|routine| !routine.standard.is_empty()))
}

/// A family's exports.
pub(super) fn family(family: &Family) -> String {
    let mut out = format!("//! {}.\n\n{IMPORTS}\n", family.title);
    writeln!(out, "use affinimath_abi::{}::*;", family.path.replace('/', "::")).unwrap();
    for routine in family.routines {
        for standard in routine.standard {
            fortran(&mut out, routine, standard);
            if standard.lapack && !standard.lapacke {
                continue;
            }
            if standard.lapack {
                lapacke(&mut out, routine, standard);
            } else {
                cblas(&mut out, routine, standard);
            }
        }
    }
    out
}

/// Every symbol of the table: for each line, all spellings of one name.
pub fn symbols() -> Vec<Vec<String>> {
    let text: String = families().map(family).collect();
    let lists = text.lines().filter_map(|line| line.strip_prefix("    ")?.strip_suffix(';')?.split_once("\": "));
    let spellings = |list: &str| list.replace(',', " ").split_whitespace().map(str::to_owned).collect();
    lists.map(|(_, list)| spellings(list)).collect()
}

/// A routine's name in lower case, such as `dgemm`.
pub fn name(variant: &TypeVariant, standard: &Standard) -> String {
    format!("{}{}", variant.letters.to_lowercase(), standard.name)
}

fn is_layout(argument: &&Argument) -> bool {
    argument.kind == Kind::Layout
}

/// The scalar that a routine computes, if it does.
pub fn result(routine: &Routine) -> Option<Number> {
    routine.arguments.iter().find_map(|argument| match argument.kind {
        Kind::Result(number) => Some(number),
        _ => None,
    })
}

fn fortran(out: &mut String, routine: &Routine, standard: &Standard) {
    let types: Vec<&TypeVariant> = routine.types.iter().filter(|t| standard.fortran.has(t)).collect();
    if types.is_empty() {
        return;
    }
    let with_order = |argument: &&Argument| !is_layout(argument) || standard.fortran_order;
    let parameters: Vec<String> = routine
        .arguments
        .iter()
        .filter(|argument| !matches!(argument.kind, Kind::Result(_) | Kind::Info))
        .filter(with_order)
        .filter(|argument| !is_left_out(argument, standard) && !is_superb(argument))
        .map(|argument| match argument.kind {
            Kind::Layout => "layout: Order".to_owned(),
            _ => parameter(argument, standard),
        })
        .collect();
    let fixed = routine.arguments.iter().any(|a| is_layout(&a)) && !standard.fortran_order;
    let layout = if fixed { Some("layout = COLUMN_MAJOR".to_owned()) } else { None };
    let left_out = routine.arguments.iter().filter(|argument| is_left_out(argument, standard) || is_superb(argument));
    let special: Vec<String> = layout.into_iter().chain(left_out.map(absent)).collect();
    let language = if standard.info { "lapack" } else { "fortran" };
    open(out, language, routine, &format!("[{}]", special.join(", ")), &parameters, result(routine));
    for variant in types {
        let name = name(variant, standard);
        let symbols = |suffix: &str| PREFIXES.map(|prefix| format!("{prefix}{name}{suffix}")).join(" ");
        let sub = if standard.sub { format!(", {name}sub_") } else { String::new() };
        writeln!(
            out,
            "    {}, c\"{:6}\": {}, {}{sub};",
            super::element(variant.element),
            name.to_uppercase(),
            symbols("_"),
            symbols("_64_")
        )
        .unwrap();
    }
    out.push_str("}\n");
}

/// True of an argument that the name does not have.
fn is_left_out(argument: &Argument, standard: &Standard) -> bool {
    standard.without.contains(&argument.name)
}

/// True of a result that only LAPACKE's function with its own workspace has.
fn is_superb(argument: &Argument) -> bool {
    argument.kind == Kind::StandardVector(Number::Real)
}

/// The field of a call for an argument that a name does not have.
fn absent(argument: &Argument) -> String {
    let value = match argument.kind {
        Kind::WorkspaceLength => "affinimath_abi::lapack::NO_WORKSPACE",
        Kind::IntegerWorkspace => "affinimath_abi::lapack::NO_INTEGERS",
        Kind::RealWorkspace | Kind::StandardVector(_) => "affinimath_abi::form::StandardLocation(std::ptr::null_mut())",
        Kind::Only(only) => super::absent(only),
        _ => "Unneeded",
    };
    format!("{} = {value}", argument.name)
}

/// LAPACKE's functions: one allocates the workspace itself, one takes it from its caller.
fn lapacke(out: &mut String, routine: &Routine, standard: &Standard) {
    let types: Vec<&TypeVariant> = routine.types.iter().filter(|t| standard.fortran.has(t)).collect();
    // The macro brings these two.
    let is_workspace = |argument: &&Argument| {
        argument.kind == Kind::Workspace || argument.kind == Kind::WorkspaceLength && argument.name == "lwork"
    };
    let is_unneeded = |argument: &&Argument| match argument.kind {
        Kind::UnneededWorkspace | Kind::RealWorkspace | Kind::IntegerWorkspace => true,
        Kind::WorkspaceLength => argument.name != "lwork",
        _ => false,
    };
    let is_brought = |a: &&Argument| is_unneeded(a) || (is_left_out(a, standard) && !is_workspace(a));
    let all_unneeded: Vec<String> = routine.arguments.iter().filter(is_brought).map(absent).collect();
    let has = |kind: Kind| routine.arguments.iter().any(|argument| argument.kind == kind);
    // The macro's word for workspace that it allocates: with a length, or without.
    let has_lwork = routine.arguments.iter().any(|argument| argument.name == "lwork");
    let brought = match (has(Kind::Workspace), has(Kind::WorkspaceLength)) {
        (_, true) if has_lwork => Some("own"),
        (true, _) => Some("work"),
        _ => None,
    };
    for suffix in ["", "_work"] {
        let arguments = routine.arguments.iter().filter(|a| !matches!(a.kind, Kind::Info | Kind::Result(_)));
        let is_own = |a: &&Argument| suffix.is_empty() && (is_workspace(a) || is_unneeded(a));
        let is_given = |a: &&Argument| match suffix {
            "" => !is_own(a) && !is_left_out(a, standard),
            _ => !is_left_out(a, standard) && !is_superb(a),
        };
        let given = arguments.filter(|a| !is_layout(a)).filter(is_given);
        let parameters: Vec<String> = given.map(|argument| parameter(argument, standard)).collect();
        let own = match suffix {
            "" => {
                let brought = brought.map(str::to_owned).into_iter();
                format!("[{}]", brought.chain(all_unneeded.iter().cloned()).collect::<Vec<_>>().join(", "))
            }
            _ => {
                let left_out = routine.arguments.iter().filter(|a| is_left_out(a, standard) || is_superb(a));
                format!("[{}]", left_out.map(absent).collect::<Vec<_>>().join(", "))
            }
        };
        let language = if has(Kind::Layout) { "lapacke" } else { "lapacke_plain" };
        open(out, language, routine, &own, &parameters, result(routine));
        for variant in &types {
            let name = format!("LAPACKE_{}{suffix}", name(variant, standard));
            let lp64 = PREFIXES.map(|prefix| format!("{prefix}{name}")).join(" ");
            let element = super::element(variant.element);
            writeln!(out, "    {element}, c\"{name}\": {lp64}, {name}64_ {name}_64 scipy_{name}64_;").unwrap();
        }
        out.push_str("}\n");
    }
}

fn cblas(out: &mut String, routine: &Routine, standard: &Standard) {
    let types: Vec<&TypeVariant> = routine.types.iter().filter(|t| standard.cblas.has(t)).collect();
    if types.is_empty() {
        return;
    }
    // The reference writes complex results through a last pointer, in subroutines.
    let complex = |number| number == Number::Element && matches!(types[0].element, Element::C32 | Element::C64);
    let subroutine = result(routine).is_some_and(complex);
    let parameters: Vec<String> = routine
        .arguments
        .iter()
        .filter(|argument| subroutine || !matches!(argument.kind, Kind::Result(_)))
        .map(|argument| parameter(argument, standard))
        .collect();
    let exchanged: Vec<String> = standard.exchanged.iter().map(|[a, b]| format!("{a} {b}")).collect();
    let layout = if routine.arguments.iter().any(|a| is_layout(&a)) { "layout" } else { "" };
    let special =
        if exchanged.is_empty() { format!("[{layout}]") } else { format!("[{layout}; {}]", exchanged.join(", ")) };
    open(out, "cblas", routine, &special, &parameters, result(routine).filter(|_| !subroutine));
    for variant in types {
        let name = format!("cblas_{}{}", name(variant, standard), if subroutine { "_sub" } else { "" });
        let lp64 = PREFIXES.map(|prefix| format!("{prefix}{name}")).join(" ");
        writeln!(
            out,
            "    {}, c\"{name}\": {lp64}, {name}64_ {name}_64 scipy_{name}64_;",
            super::element(variant.element)
        )
        .unwrap();
    }
    out.push_str("}\n");
}

/// The head of a macro's call: the routine, its special cases, its arguments and its result.
fn open(
    out: &mut String,
    language: &str,
    routine: &Routine,
    special: &str,
    parameters: &[String],
    result: Option<Number>,
) {
    let lapack = routine.standard.iter().any(|standard| standard.lapack);
    let level1 = !lapack && routine.arguments.iter().any(|argument| argument.kind == Kind::Length);
    let how = match language {
        "lapack" | "lapacke" | "lapacke_plain" => "",
        _ if level1 => "Walking ",
        _ => "Plain ",
    };
    let returned = result.map(|number| format!(" -> {}", returned(number))).unwrap_or_default();
    let kind = if returned.is_empty() { "" } else { "_function" };
    let (module, parameters) = (routine.module, parameters.join(", "));
    writeln!(out, "\n{language}{kind}! {{ {module} {how}{special} ({parameters}){returned};").unwrap();
}

fn returned(number: Number) -> String {
    match number {
        Number::I64 => "Index".to_owned(),
        _ => format!("Sum<{}>", element(number)),
    }
}

/// `name: Kind`.
fn parameter(argument: &Argument, standard: &Standard) -> String {
    let pointer = |access, number| match access {
        Access::Read => format!("Read<{}>", element(number)),
        Access::Write => format!("Write<{}>", element(number)),
    };
    let kind = match argument.kind {
        Kind::Layout => "Layout".to_owned(),
        Kind::Op => match standard.ops {
            Ops::Three => "Op".to_owned(),
            Ops::Symmetric => "SymmetricOp<T>".to_owned(),
            Ops::Hermitian => "HermitianOp".to_owned(),
            Ops::Four => "AnyOp".to_owned(),
            Ops::Adjoint => "AdjointOp<T>".to_owned(),
        },
        Kind::Triangle => "Uplo".to_owned(),
        Kind::Diagonal => "Diag".to_owned(),
        Kind::Side => "Side".to_owned(),
        Kind::Norm | Kind::ConsistentNorm => "Norm".to_owned(),
        Kind::Size
        | Kind::Length
        | Kind::LeadingDimension
        | Kind::ResultLeadingDimension
        | Kind::Increment
        | Kind::Stride => "Size".to_owned(),
        Kind::Job => "Job".to_owned(),
        Kind::Range => "Range".to_owned(),
        Kind::Choice(choice) | Kind::Only(Only::Choice(choice)) => match choice {
            Choice::Balance => "Balance",
            Choice::Sense => "Sense",
            Choice::SchurJob => "SchurJob",
            Choice::HowMany => "HowMany",
            Choice::Sides => "Sides",
            Choice::Sort => "Sort",
            Choice::Fact => "Fact",
        }
        .to_owned(),
        Kind::Flags(Access::Read) => "FlagsIn".to_owned(),
        Kind::Flags(Access::Write) => "FlagsOut".to_owned(),
        Kind::RealResult | Kind::Only(Only::Real) => "Out<Real<T>>".to_owned(),
        Kind::Letter => "Letter".to_owned(),
        Kind::Only(Only::Matrix) => "Unused".to_owned(),
        Kind::Only(Only::Size) => "Size".to_owned(),
        Kind::Only(Only::Select | Only::SelectQuotient) => "Select".to_owned(),
        Kind::Only(Only::Count) => "Iterations".to_owned(),
        // Indices and types of problems have Fortran's integers.
        Kind::Scalar(Number::I64) => "Size".to_owned(),
        Kind::Scalar(number) => format!("Number<{}>", element(number)),
        Kind::Matrix(access) | Kind::Packed(access) => pointer(access, Number::Element),
        Kind::Scalars(Access::Read, number, 1) => format!("Value<{}>", element(number)),
        // Pivots have Fortran's integers.
        Kind::Vector(access, Number::I32) => match access {
            Access::Read => "PivotsIn".to_owned(),
            Access::Write => "PivotsOut".to_owned(),
        },
        Kind::Vector(access, number) | Kind::Scalars(access, number, _) => pointer(access, number),
        Kind::Workspace => "Write<T>".to_owned(),
        Kind::UnneededWorkspace => "Unused".to_owned(),
        Kind::Iterations | Kind::IntegerWorkspace => "Iterations".to_owned(),
        Kind::RealWorkspace => "Write<Real<T>>".to_owned(),
        Kind::StandardVector(Number::I32) => "PivotsOut".to_owned(),
        Kind::StandardVector(number) => pointer(Access::Write, number),
        Kind::WorkspaceLength => "Size".to_owned(),
        Kind::Result(number) => pointer(Access::Write, number),
        Kind::Info => unreachable!("the standard names have it as their last argument, or return it"),
        Kind::Offsets => unreachable!("no standard routine has an array of offsets"),
        Kind::Direction | Kind::Extent | Kind::AxisLength | Kind::Rows(..) => {
            unreachable!("Fourier transforms have no standard names")
        }
        Kind::Array(..)
        | Kind::Handle(..)
        | Kind::NewHandle(_)
        | Kind::Struct(..)
        | Kind::Text
        | Kind::Callback(_)
        | Kind::User => unreachable!("sparse matrices have no standard names"),
    };
    format!("{}: {kind}", argument.name)
}

/// The type of a [`Number`] in terms of the element type `T`.
fn element(number: Number) -> &'static str {
    match number {
        Number::Element => "T",
        Number::Real => "Real<T>",
        Number::Complex => unreachable!("no standard routine has real elements and complex numbers"),
        Number::F32 => "f32",
        Number::F64 => "f64",
        Number::I32 => "i32",
        Number::I64 => "i64",
    }
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn each_symbol_is_exported_once() {
        let mut symbols = symbols().concat();
        symbols.sort();
        let before = symbols.len();
        symbols.dedup();
        assert!(before > 1000);
        assert_eq!(symbols.len(), before);
    }

    #[test]
    fn a_routine_has_its_established_spellings() {
        let symbols = symbols().concat();
        for name in ["dgemm_", "dgemm_64_", "scipy_dgemm_", "scipy_dgemm_64_", "cblas_dgemm", "cblas_dgemm64_"] {
            assert!(symbols.iter().any(|symbol| symbol == name), "{name}");
        }
        for name in ["cblas_dgemm_64", "scipy_cblas_dgemm64_", "cblas_cdotu_sub", "isamaxsub_", "zgemm3m_", "csymv_"] {
            assert!(symbols.iter().any(|symbol| symbol == name), "{name}");
        }
        for name in ["cblas_csymv", "dgemm3m_", "cblas_cdotu"] {
            assert!(!symbols.iter().any(|symbol| symbol == name), "{name}");
        }
    }
}
