//! Further procedures of the generic names: sizes of 32 bits, and one right-hand side as an array of rank 1.

use std::fmt::Write;

use affinimath_routines::signature::{self, Form, Parameter, Type};
use affinimath_routines::table::{Part, Routine, TypeVariant};

use super::{declaration, generic_name, has_generic, kind, write_statement};

/// A procedure that a generic name has besides the C function.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Widened {
    /// Sizes are of 32 bits.
    narrow: bool,
    /// Right-hand sides are of rank 1.
    vector: bool,
}

impl Widened {
    /// The procedures of a routine.
    fn of(routine: &Routine) -> Vec<Self> {
        let parameters = signature::parameters(routine, routine.types[0].element, Form::Host);
        let has_sizes = parameters.iter().any(|p| p.ty == Type::Int64);
        let has_sides = routine.arguments.iter().any(|a| a.name == "nrhs") && !routine.name.ends_with("Batched");
        let all = [(true, false), (false, true), (true, true)].map(|(narrow, vector)| Widened { narrow, vector });
        all.into_iter().filter(|form| (!form.narrow || has_sizes) && (!form.vector || has_sides)).collect()
    }

    fn name(self, routine: &Routine, variant: &TypeVariant) -> String {
        let narrow = if self.narrow { "_32" } else { "" };
        let vector = if self.vector { "_vector" } else { "" };
        format!("{}{}{narrow}{vector}", variant.letters.to_lowercase(), routine.name)
    }
}

fn routines(part: &Part) -> impl Iterator<Item = &'static Routine> {
    part.families.iter().flat_map(|family| family.routines).filter(|routine| has_generic(routine))
}

/// Adds the procedures to the generic names.
pub(super) fn write_generics(out: &mut String, part: &Part) {
    for routine in routines(part) {
        let forms = Widened::of(routine);
        let names: Vec<String> =
            forms.iter().flat_map(|form| routine.types.iter().map(|t| form.name(routine, t))).collect();
        if names.is_empty() {
            continue;
        }
        let generic = generic_name(routine.name);
        writeln!(out, "\n  interface {generic}").unwrap();
        write_statement(out, 4, &format!("module procedure :: {}", names.join(", ")));
        writeln!(out, "  end interface {generic}").unwrap();
    }
}

/// The procedures themselves.
pub(super) fn write_procedures(out: &mut String, part: &Part) {
    for routine in routines(part) {
        for form in Widened::of(routine) {
            for variant in routine.types {
                write_procedure(out, routine, variant, form);
            }
        }
    }
}

fn write_procedure(out: &mut String, routine: &Routine, variant: &TypeVariant, form: Widened) {
    let parameters = signature::parameters(routine, variant.element, Form::Host);
    let name = form.name(routine, variant);
    let names: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
    out.push('\n');
    write_statement(out, 2, &format!("function {name}({}) result(returned)", names.join(", ")));
    let mut declarations: Vec<(String, String)> = Vec::new();
    for (i, parameter) in parameters.iter().enumerate() {
        let (ty, entity) = declaration(parameter, parameters.get(i + 1));
        let ty = if form.narrow && parameter.ty == Type::Int64 { "integer(c_int32_t)".to_owned() } else { ty };
        let entity = entity.replacen(", value", ", intent(in)", 1);
        let ld = format!("(ld{}, *)", parameter.name);
        let is_side = form.vector && matches!(parameter.name.as_str(), "b" | "x");
        declarations.push((ty, if is_side { entity.replace(&ld, "(*)") } else { entity }));
    }
    // Leading dimensions come before the matrices whose shape they are.
    declarations.sort_by_key(|(ty, _)| kind(ty) != "c_int" && !ty.starts_with("integer(c_int"));
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    for (ty, entity) in &declarations {
        let (attributes, name) = entity.split_once(" :: ").expect("a name follows the attributes");
        let head = format!("{ty}{attributes} :: ");
        match lines.iter_mut().find(|(other, _)| *other == head) {
            Some((_, names)) => names.push(name),
            None => lines.push((head, vec![name])),
        }
    }
    for (head, names) in &lines {
        write_statement(out, 4, &format!("{head}{}", names.join(", ")));
    }
    let wide = |p: &Parameter| match p.ty {
        Type::Int64 if form.narrow => format!("int({}, c_int64_t)", p.name),
        _ => p.name.clone(),
    };
    let values: Vec<String> = parameters.iter().map(wide).collect();
    let symbol = signature::symbol(routine, variant, Form::Host);
    out.push_str("    integer(c_int) :: returned\n");
    write_statement(out, 4, &format!("returned = {symbol}({})", values.join(", ")));
    writeln!(out, "  end function {name}").unwrap();
}
