//! `include/affinimath.h` and its parts: cbindgen's declarations, arranged for people. A routine has one block of
//! documentation, and the prototypes of all its types and forms below it.

mod declarations;

use std::fmt::Write;

use affinimath_routines::rust;
use affinimath_routines::signature::{self, Form, Parameter, Type};
use affinimath_routines::table::{LibraryFunction, MPI, PARTS, Part, Routine, Struct};
use affinimath_routines::wrap;

use self::declarations::Declarations;
use super::{COMMAND, Generated};

/// The longest line.
const WIDTH: usize = 120;

/// Conventions of all functions.
const CONVENTIONS: &[&str] = &[
    "Functions that can fail return an int: 0 for success; -i when argument i of the prototype is wrong, counted \
     from 1, the first one that is, and nothing was touched; more than 0 for LAPACK's info; -1000 and below for the \
     library's own errors. affinimathStatusString explains a status, affinimathLastError tells the facts.",
    "Sizes, offsets, increments and leading dimensions count elements.",
    "Functions whose names end in CL do the same on memory objects. First they take the in-order command queue to \
     enqueue on. Each vector and matrix is a memory object, followed by an offset: where it begins, in elements, at \
     least 0. Last is an event: null, or a place that gets an event which is complete when the result is; release \
     it with clReleaseEvent. They return while the work runs. Numbers and null are checked first, in the order of \
     the arguments, then the memory objects: one that is too small is a wrong argument. A queue that executes out \
     of order gives AFFINIMATH_INVALID_QUEUE, memory of another context than the queue's AFFINIMATH_MIXED_MEMORY.",
];

/// Types that do not come from the Rust functions: those of OpenCL, and those with C's own names.
const TYPES: &str = "
/** A number in IEEE half precision (binary16), as its 16 bits: the layout of C23's _Float16 and of OpenCL's half. */
typedef uint16_t affinimath_half;

/*
 * Complex numbers of float and of double: the layout of C99's float _Complex and of C++'s std::complex<float>.
 *
 * A program that defines AFFINIMATH_NATIVE_COMPLEX before it includes this header has these types of its language
 * themselves, and needs no casts. Functions are called in the same way on the architectures below.
 */
#ifdef AFFINIMATH_NATIVE_COMPLEX
#if defined(_WIN32) || !(defined(__x86_64__) || defined(__aarch64__))
#error AFFINIMATH_NATIVE_COMPLEX is for x86-64 and AArch64, where structs are passed as complex numbers are
#elif defined(__cplusplus)
#include <complex>
typedef std::complex<float> affinimath_c32;
typedef std::complex<double> affinimath_c64;
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L && !defined(__STDC_NO_COMPLEX__)
typedef float _Complex affinimath_c32;
typedef double _Complex affinimath_c64;
#else
#error AFFINIMATH_NATIVE_COMPLEX needs a C with complex numbers, such as C99
#endif
#else
/** A complex number of float. */
typedef struct affinimath_c32 {
  float re;
  float im;
} affinimath_c32;

/** A complex number of double. */
typedef struct affinimath_c64 {
  double re;
  double im;
} affinimath_c64;
#endif

/* The structs behind OpenCL's cl_command_queue, cl_mem and cl_event, so that this header needs no CL/cl.h and goes
   together with it in either order. */
struct _cl_command_queue;
struct _cl_mem;
struct _cl_event;
";

/// The header and its parts.
pub(super) fn all() -> Result<Vec<Generated>, String> {
    let parts: Vec<&Part> = PARTS.iter().collect();
    let mut declarations = Declarations::make(&rust::shims(), &parts)?;
    let mut files = vec![Generated::new("include/affinimath.h", umbrella())];
    for part in PARTS {
        let text = self::part(part, &mut declarations)?;
        files.push(Generated::new(format!("include/affinimath/{}.h", part.name), text));
    }
    let mut distributed = Declarations::make(&rust::mpi_shims(), &[&MPI])?;
    files.push(Generated::new("include/affinimath_mpi.h", part(&MPI, &mut distributed)?));
    match declarations.left().chain(distributed.left()).next() {
        Some(left) => Err(format!("no part of the header has {left}")),
        None => Ok(files),
    }
}

fn umbrella() -> String {
    let text =
        ["Affinimath: dense and sparse linear algebra and Fourier transforms on any OpenCL device, and on the host \
                 where there is none. docs/src/c.md is the guide. Each part can be included alone."];
    let mut out = opening("AFFINIMATH_H", &text);
    for part in PARTS {
        writeln!(out, "\n/* {}. */\n#include \"affinimath/{}.h\"", capitalised(part.title), part.name).unwrap();
    }
    out.push_str("\n#endif /* AFFINIMATH_H */\n");
    out
}

fn part(part: &Part, declarations: &mut Declarations) -> Result<String, String> {
    let guard = format!("AFFINIMATH_{}_H", part.name.to_uppercase());
    let title = format!("Affinimath, {}.", part.title);
    let mut out = if part.name == PARTS[0].name {
        let text: Vec<&str> = [title.as_str()].into_iter().chain(CONVENTIONS.iter().copied()).collect();
        format!("{}\n#include <stdint.h>\n{TYPES}", opening(&guard, &text))
    } else {
        let first = PARTS[0].name;
        let conventions = format!("affinimath/{first}.h tells what all functions have in common.");
        let opening = opening(&guard, &[&title, &conventions]);
        if part.name == MPI.name {
            // It lies beside the folder of the others. Precisions are fft's codes, norms lapack's, reasons sparse's.
            let needed = [first, "fft", "lapack", "sparse"].map(|name| format!("#include \"affinimath/{name}.h\"\n"));
            format!("{opening}\n{}", needed.concat())
        } else {
            format!("{opening}\n#include \"{first}.h\"\n")
        }
    };
    write_constants(&mut out, part);
    out.push_str("\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    for (ty, meaning) in part.handles {
        write!(out, "\n/** {meaning} */\ntypedef struct affinimath_{0} affinimath_{0};\n", ty.c).unwrap();
    }
    for (ty, arguments, meaning) in part.callbacks {
        let (returns, arguments) = arguments.split_once(' ').expect("what it returns comes first");
        out.push('\n');
        write_comment(&mut out, "", &[(*meaning).to_owned()]);
        write_wrapped(&mut out, &format!("typedef {returns} (*affinimath_{}){arguments};", ty.c));
    }
    for group in part.groups {
        write_heading(&mut out, group.title);
        for item in group.structs {
            write_struct(&mut out, item, declarations)?;
        }
        for function in group.functions {
            write_function(&mut out, function, declarations)?;
        }
    }
    for family in part.families {
        write_heading(&mut out, family.title);
        for routine in family.routines {
            write_routine(&mut out, routine, declarations)?;
        }
    }
    write!(out, "\n#ifdef __cplusplus\n}} /* extern \"C\" */\n#endif\n\n#endif /* {guard} */\n").unwrap();
    Ok(out)
}

/// The first comment and the guard.
fn opening(guard: &str, text: &[&str]) -> String {
    let mut out = format!("/* Generated by `{COMMAND}` from the routine table.\n");
    for paragraph in text {
        out.push_str(" *\n");
        wrap(paragraph, WIDTH - 3).iter().for_each(|line| writeln!(out, " * {line}").unwrap());
    }
    write!(out, " */\n\n#ifndef {guard}\n#define {guard}\n").unwrap();
    out
}

fn capitalised(text: &str) -> String {
    let (first, rest) = text.split_at(1);
    format!("{}{rest}", first.to_uppercase())
}

fn write_heading(out: &mut String, title: &str) {
    writeln!(out, "\n/* ---- {title} ---- */").unwrap();
}

/// The constants, negative numbers in parentheses.
fn write_constants(out: &mut String, part: &Part) {
    for group in part.constants {
        writeln!(out, "\n/* {}. */", group.title).unwrap();
        for constant in group.constants {
            let value = if constant.value < 0 { format!("({})", constant.value) } else { constant.value.to_string() };
            write_comment(out, "", &[constant.meaning.to_owned()]);
            writeln!(out, "#define AFFINIMATH_{} {value}", constant.name).unwrap();
        }
    }
}

/// A struct, with the meanings of its fields between cbindgen's lines.
fn write_struct(out: &mut String, item: &Struct, declarations: &mut Declarations) -> Result<(), String> {
    let declared = declarations.take(&format!("affinimath_{}", item.ty.c))?;
    out.push('\n');
    write_comment(out, "", &[item.summary.to_owned()]);
    let mut fields = item.fields.iter();
    for line in declared.lines() {
        if line.starts_with(' ') {
            let field = fields.next().ok_or_else(|| format!("{} has more fields than the table", item.ty.c))?;
            write_comment(out, "  ", &[field.meaning.to_owned()]);
        }
        writeln!(out, "{line}").unwrap();
    }
    Ok(())
}

fn write_function(out: &mut String, function: &LibraryFunction, declarations: &mut Declarations) -> Result<(), String> {
    let signature = signature::Signature::of_function(function);
    let mut text = vec![function.summary.to_owned()];
    text.extend(function.notes.iter().map(|note| (*note).to_owned()));
    text.extend(signature::parameter_list(&signature.parameters));
    out.push('\n');
    write_comment(out, "", &text);
    write_wrapped(out, &declarations.take(&signature.symbol)?);
    Ok(())
}

/// One block of documentation, and the prototypes of all types and forms.
fn write_routine(out: &mut String, routine: &Routine, declarations: &mut Declarations) -> Result<(), String> {
    out.push('\n');
    write_comment(out, "", &documentation(routine));
    for form in signature::forms(routine) {
        for variant in routine.types {
            write_wrapped(out, &declarations.take(&signature::symbol(routine, variant, form))?);
        }
    }
    Ok(())
}

/// A routine's paragraphs. The arguments are those of the host form, where there is one.
fn documentation(routine: &Routine) -> Vec<String> {
    let mut text = vec![routine.summary.to_owned()];
    text.extend(routine.notes.iter().map(|note| (*note).to_owned()));
    let of = |form| signature::parameters(routine, routine.types[0].element, form);
    let form = if routine.forms.host { Form::Host } else { Form::Device };
    text.extend(signature::parameter_list(&of(form)));
    if routine.forms.host && routine.forms.device {
        text.push(difference(&of(Form::Host), &of(Form::Device), routine.forms.waits));
    }
    text.push(format!("Source: {}.", routine.source));
    text
}

/// Conventions of the form on memory objects.
fn difference(host: &[Parameter], device: &[Parameter], waits: bool) -> String {
    let in_host = |parameter: &&Parameter| host.iter().any(|other| other.name == parameter.name);
    let memory: Vec<&Parameter> = device.iter().filter(|parameter| parameter.ty == Type::Memory).collect();
    let names: Vec<&str> = memory.iter().map(|parameter| parameter.name.as_str()).collect();
    let mut text = match names.as_slice() {
        [] => "CL: the queue first, the event last.".to_owned(),
        [name] => format!("CL: {name} is a memory object with an offset."),
        [names @ .., last] => format!("CL: {} and {last} are memory objects, each with an offset.", names.join(", ")),
    };
    for parameter in memory.iter().filter(|parameter| !in_host(parameter)) {
        write!(text, " {} {}.", parameter.name, parameter.meaning).unwrap();
    }
    if waits {
        text.push_str(" The call waits for what the host decides on in its middle.");
    }
    text
}

/// A comment of paragraphs, of which numbered ones stand together; in one line where it fits.
fn write_comment(out: &mut String, indent: &str, paragraphs: &[String]) {
    if let [only] = paragraphs
        && indent.len() + only.chars().count() + "/**  */".len() <= WIDTH
    {
        writeln!(out, "{indent}/** {only} */").unwrap();
        return;
    }
    let number = |text: &str| text.split_once(". ").filter(|(n, _)| n.parse::<u32>().is_ok()).map(|(n, _)| n.len() + 2);
    writeln!(out, "{indent}/**").unwrap();
    for (i, paragraph) in paragraphs.iter().enumerate() {
        let item = number(paragraph);
        if i > 0 && !(item.is_some() && number(&paragraphs[i - 1]).is_some()) {
            writeln!(out, "{indent} *").unwrap();
        }
        let item = item.unwrap_or(0);
        for (j, line) in wrap(paragraph, WIDTH - indent.len() - 3 - item).iter().enumerate() {
            let item = if j > 0 { item } else { 0 };
            writeln!(out, "{indent} * {:item$}{line}", "").unwrap();
        }
    }
    writeln!(out, "{indent} */").unwrap();
}

/// A declaration, in as many lines as it needs, broken between parameters.
fn write_wrapped(out: &mut String, declaration: &str) {
    let mut line = String::new();
    for (i, parameter) in declaration.split(", ").enumerate() {
        if i > 0 {
            line.push(',');
            // Its comma or semicolon has to fit too.
            if line.len() + 1 + parameter.len() + 1 > WIDTH {
                writeln!(out, "{line}").unwrap();
                line = "    ".to_owned();
            } else {
                line.push(' ');
            }
        }
        line.push_str(parameter);
    }
    writeln!(out, "{line}").unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_for_people() {
        let files = all().expect("every function has its place");
        let lines: Vec<&str> = files.iter().flat_map(|file| file.text.lines()).collect();
        assert!(lines.len() <= 15_000, "{} lines", lines.len());
        let long: Vec<&&str> = lines.iter().filter(|line| line.chars().count() > WIDTH).collect();
        assert!(long.is_empty(), "{long:#?}");
    }

    #[test]
    fn a_declaration_breaks_between_parameters() {
        let mut out = String::new();
        let parameters: Vec<String> = (0..12).map(|i| format!("const float *number{i}")).collect();
        write_wrapped(&mut out, &format!("int function({});", parameters.join(", ")));
        assert!(out.lines().count() == 3 && out.lines().all(|line| line.len() <= WIDTH), "{out}");
        assert!(out.lines().skip(1).all(|line| line.starts_with("    const float *")), "{out}");
    }
}
