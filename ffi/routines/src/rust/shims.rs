//! The exported functions of `libaffinimath.so`. Each names its arguments and calls a handwritten function.

use std::fmt::Write;

use super::element;
use crate::signature::{self, Form, Parameter, Pointee, Returns, Signature, Type};
use crate::table::{Argument, Family, FunctionGroup, Kind, LibraryFunction, Number, Routine, Struct, TypeVariant};
use crate::wrap;

/// The width of the documentation.
const WIDTH: usize = 108;

/// The imports of each module of shims, needed or not.
const IMPORTS: &str = "\
use std::ffi::{c_char, c_int, c_void};

use affinimath::{Complex32, Complex64, Half};
use affinimath_abi::boundary::{boundary, host_boundary};
use affinimath_abi::form::*;
use affinimath_abi::opencl::*;
";

/// The shims of a family's routines.
pub(super) fn family(family: &Family) -> String {
    let mut out = format!("//! {}.\n\n{IMPORTS}\n", family.title);
    writeln!(out, "use {}::{}::*;", family.home, family.path.replace('/', "::")).unwrap();
    for routine in family.routines {
        for form in signature::forms(routine) {
            write_routine(&mut out, routine, form);
        }
    }
    out
}

fn write_routine(out: &mut String, routine: &Routine, form: Form) {
    let parameters = signature::parameters(routine, routine.types[0].element, form);
    let list = format!("{}_{}", routine.module.to_uppercase(), if form == Form::Host { "HOST" } else { "DEVICE" });
    writeln!(out, "\nconst {list}: &[&str] = {};", names(&parameters)).unwrap();
    for variant in routine.types {
        write_shim(out, routine, variant, form, &list);
    }
}

/// A function's parameters by name, as a slice.
fn names(parameters: &[Parameter]) -> String {
    let names: Vec<String> = parameters.iter().map(|p| format!("\"{}\"", p.name)).collect();
    format!("&[{}]", names.join(", "))
}

fn write_shim(out: &mut String, routine: &Routine, variant: &TypeVariant, form: Form, list: &str) {
    let signature = Signature::of_routine(routine, variant, form);
    write_head(out, &signature);
    let info = routine.arguments.iter().any(|argument| argument.kind == Kind::Info);
    let form_type = match form {
        Form::Host => "Host",
        Form::Device if info => "DeviceWithInfo",
        Form::Device => "Device",
    };
    let arguments = routine.arguments.iter().filter(|argument| argument.kind != Kind::Info);
    let fields: Vec<String> = arguments.map(|argument| field(argument, form)).collect();
    let ty = element(variant.element);
    let call = format!("let call = {}::Call::<{ty}, {form_type}> {{ {} }};", routine.module, fields.join(", "));
    let symbol = &signature.symbol;
    if form == Form::Host {
        writeln!(out, "    {call}").unwrap();
        out.push_str("    // SAFETY: the C contract: a pointer that is not null is valid.\n");
        writeln!(out, "    unsafe {{ host_boundary(\"{symbol}\", {list}, &call) }}\n}}").unwrap();
        return;
    }
    writeln!(out, "    boundary(\"{symbol}\", {list}, || {{\n        {call}").unwrap();
    if info {
        out.push_str("        let info = DeviceLocation { memory: info, offset: offinfo };\n");
        out.push_str("        let form = DeviceWithInfo { queue, event, info };\n");
    } else {
        out.push_str("        let form = Device { queue, event };\n");
    }
    out.push_str("        // SAFETY: the C contract: a pointer that is not null is valid.\n");
    out.push_str("        unsafe { call.run(form) }\n    })\n}\n");
}

/// A field of a call: an argument in memory becomes a location.
fn field(argument: &Argument, form: Form) -> String {
    let name = argument.name;
    match argument.kind {
        Kind::Workspace if form == Form::Device => return format!("{name}: NO_PLACE"),
        Kind::Workspace => return format!("{name}: HostLocation(std::ptr::null_mut())"),
        Kind::WorkspaceLength => return format!("{name}: NO_WORKSPACE"),
        Kind::UnneededWorkspace => return format!("{name}: Unneeded"),
        Kind::IntegerWorkspace => return format!("{name}: NO_INTEGERS"),
        Kind::StandardVector(Number::I32) if form == Form::Device => {
            return format!("{name}: Pivots::Narrow(NO_PLACE)");
        }
        Kind::StandardVector(Number::I32) => {
            return format!("{name}: Pivots::Narrow(HostLocation(std::ptr::null_mut()))");
        }
        Kind::RealWorkspace | Kind::StandardVector(_) if form == Form::Device => return format!("{name}: NO_PLACE"),
        Kind::RealWorkspace | Kind::StandardVector(_) => {
            return format!("{name}: HostLocation(std::ptr::null_mut())");
        }
        Kind::Iterations | Kind::Flags(_) => return format!("{name}: {name}.into()"),
        Kind::RealResult | Kind::Letter => return name.to_owned(),
        Kind::Only(only) => return format!("{name}: {}", super::absent(only)),
        Kind::Handle(..) | Kind::NewHandle(_) | Kind::Callback(_) => return format!("{name}: {name}.into()"),
        _ => {}
    }
    if form == Form::Device && matches!(argument.kind, Kind::Vector(_, Number::I32)) {
        return format!("{name}: DeviceLocation {{ memory: {name}, offset: off{name} }}.into()");
    }
    match (argument.kind.in_memory(), form) {
        (false, _) => name.to_owned(),
        (true, Form::Host) => format!("{name}: {name}.into()"),
        (true, Form::Device) => format!("{name}: DeviceLocation {{ memory: {name}, offset: off{name} }}"),
    }
}

/// The shims of functions that are the same for all types, and the structs that they take.
pub(super) fn group(group: &FunctionGroup) -> String {
    let mut out = format!("//! {}.\n\n{IMPORTS}\n", group.title);
    writeln!(out, "use crate::{0}::{{self, *}};", group.module).unwrap();
    for item in group.structs {
        write_struct(&mut out, item);
    }
    for function in group.functions {
        write_function(&mut out, group, function);
    }
    out
}

/// The imports of each module of shims of the distributed functions.
const MPI_IMPORTS: &str = "\
use std::ffi::{c_char, c_int, c_void};

use affinimath::{Complex32, Complex64};

use crate::boundary::boundary;
use crate::csr_objects::{Csr, Preconditioner};
use crate::objects::{FftPlan, Grid};
";

/// Structs of the groups, which routines take.
const MPI_STRUCTS: &str = "use crate::generated::csr_objects::{SolveOptions, SolveOutcome};\n";

/// The shims of a family of distributed routines, each of which calls a handwritten function of its name.
pub(super) fn mpi_family(family: &Family) -> String {
    let mut out = format!("//! {}.\n\n{MPI_IMPORTS}{MPI_STRUCTS}", family.title);
    for routine in family.routines {
        for variant in routine.types {
            let signature = Signature::of_routine(routine, variant, Form::Host);
            let function = format!("crate::{}::{}::<{}>", family.path, routine.module, element(variant.element));
            write_mpi_shim(&mut out, &signature, &function);
        }
    }
    out
}

/// The shims of distributed functions that are the same for all types.
pub(super) fn mpi_group(group: &FunctionGroup) -> String {
    let mut out = format!("//! {}.\n\n{MPI_IMPORTS}", group.title);
    group.structs.iter().for_each(|item| write_struct(&mut out, item));
    for function in group.functions {
        let handwritten = format!("crate::{}::{}", group.module, function.function);
        write_mpi_shim(&mut out, &Signature::of_function(function), &handwritten);
    }
    out
}

/// A function that goes through the boundary gets its own name first, on which ranks agree.
fn write_mpi_shim(out: &mut String, signature: &Signature, function: &str) {
    let arguments: Vec<&str> = signature.parameters.iter().map(|p| p.name.as_str()).collect();
    let list = arguments.join(", ");
    write_head(out, signature);
    if signature.returns != Returns::Status {
        writeln!(out, "    {function}({list})\n}}").unwrap();
        return;
    }
    let (symbol, names) = (&signature.symbol, names(&signature.parameters));
    writeln!(out, "    boundary(\"{symbol}\", {names}, |function| {{").unwrap();
    out.push_str("        // SAFETY: the C contract: a pointer that is not null is valid.\n");
    writeln!(out, "        unsafe {{ {function}(function, {list}) }}\n    }})\n}}").unwrap();
}

fn write_struct(out: &mut String, item: &Struct) {
    out.push('\n');
    out.push_str(&documentation(&[item.summary.to_owned()]));
    writeln!(out, "#[repr(C)]\n#[derive(Clone, Copy, Debug)]\npub struct {} {{", item.ty.rust).unwrap();
    for field in item.fields {
        for line in wrap(field.meaning, WIDTH - 4) {
            writeln!(out, "    /// {line}").unwrap();
        }
        let ty = rust_type(field.ty);
        let ty = field.count.map_or_else(|| ty.clone(), |count| format!("[{ty}; {count}]"));
        writeln!(out, "    pub {}: {ty},", field.name).unwrap();
    }
    out.push_str("}\n");
}

/// A function that is the same for all types. One with pointers is unsafe to call.
fn write_function(out: &mut String, group: &FunctionGroup, function: &LibraryFunction) {
    let signature = Signature::of_function(function);
    let arguments: Vec<&str> = signature.parameters.iter().map(|p| p.name.as_str()).collect();
    let call = format!("{}::{}({})", group.module, function.function, arguments.join(", "));
    let pointers = signature.parameters.iter().any(|p| !matches!(p.ty, Type::Int | Type::Int64 | Type::Value(_)));
    write_head(out, &signature);
    let start = format!("    boundary(\"{}\", {}, ", signature.symbol, names(&signature.parameters));
    match (function.returns, pointers) {
        (Returns::Status, true) => {
            writeln!(out, "{start}|| {{").unwrap();
            out.push_str("        // SAFETY: the C contract: a pointer that is not null is valid.\n");
            writeln!(out, "        unsafe {{ {call} }}\n    }})").unwrap();
        }
        // clippy asks for the function itself where a closure would only call it.
        (Returns::Status, false) => match call.strip_suffix("()") {
            Some(function) => writeln!(out, "{start}{function})").unwrap(),
            None => writeln!(out, "{start}|| {call})").unwrap(),
        },
        _ => writeln!(out, "    {call}").unwrap(),
    }
    out.push_str("}\n");
}

/// Documentation, attributes and signature.
fn write_head(out: &mut String, signature: &Signature) {
    out.push('\n');
    out.push_str(&documentation(&signature.documentation));
    let returns = match signature.returns {
        Returns::Status => "c_int",
        Returns::Int64 => "i64",
        Returns::Text => "*const c_char",
    };
    let parameters: Vec<String> =
        signature.parameters.iter().map(|p| format!("{}: {}", p.name, rust_type(p.ty))).collect();
    let (symbol, parameters) = (&signature.symbol, parameters.join(", "));
    writeln!(out, "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn {symbol}({parameters}) -> {returns} {{").unwrap();
}

/// Paragraphs, with numbered items adjacent and indented.
fn documentation(paragraphs: &[String]) -> String {
    let mut out = String::new();
    // The width of an item's number, by which its further lines are indented.
    let item = |text: &str| text.split_once(". ").filter(|(n, _)| n.parse::<u32>().is_ok()).map(|(n, _)| n.len() + 2);
    for (i, paragraph) in paragraphs.iter().enumerate() {
        let indent = item(paragraph);
        if i > 0 && !(indent.is_some() && item(&paragraphs[i - 1]).is_some()) {
            out.push_str("///\n");
        }
        for (j, line) in wrap(paragraph, WIDTH).iter().enumerate() {
            let indent = if j > 0 { indent.unwrap_or(0) } else { 0 };
            writeln!(out, "/// {:indent$}{line}", "").unwrap();
        }
    }
    out
}

fn rust_type(ty: Type) -> String {
    match ty {
        Type::Int => "c_int".to_owned(),
        Type::Int64 => "i64".to_owned(),
        Type::Value(e) => element(e).to_owned(),
        Type::Pointer(pointee, written) => {
            format!("*{} {}", if written { "mut" } else { "const" }, self::pointee(pointee))
        }
        Type::New(handle) => format!("*mut *mut {}", handle.rust),
        Type::Address => "*mut *mut c_void".to_owned(),
        Type::Callback(function) => function.rust.to_owned(),
        Type::User => "*mut c_void".to_owned(),
        Type::Queue => "*mut ClQueue".to_owned(),
        Type::Memory => "*mut ClMem".to_owned(),
        Type::Event => "*mut *mut ClEvent".to_owned(),
    }
}

fn pointee(pointee: Pointee) -> &'static str {
    match pointee {
        Pointee::Element(e) => element(e),
        Pointee::Int32 => "i32",
        Pointee::Int64 => "i64",
        Pointee::Char => "c_char",
        Pointee::Void => "c_void",
        Pointee::Struct(named) | Pointee::Handle(named) => named.rust,
    }
}
