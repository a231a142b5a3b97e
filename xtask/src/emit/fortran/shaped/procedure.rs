//! One procedure: its arguments, its local variables and its statements.

use std::fmt::Write;

use affinimath_routines::signature::{self, Form, Parameter, Pointee, Type};
use affinimath_routines::table::{self, Element, Routine, TypeVariant};

use super::super::write_statement;
use super::roles::{Role, fortran_type, is_size, role, value};
use super::{generic, name};

/// A procedure: a routine in one type, with its right-hand sides as matrices or as one vector.
pub(super) struct Procedure<'a> {
    pub(super) routine: &'a Routine,
    variant: &'a TypeVariant,
    pub(super) vector: bool,
    pub(super) parameters: Vec<Parameter>,
    pub(super) roles: Vec<Role>,
}

impl<'a> Procedure<'a> {
    pub(super) fn new(routine: &'a Routine, variant: &'a TypeVariant, vector: bool) -> Result<Self, String> {
        let parameters = signature::parameters(routine, variant.element, Form::Host);
        let mut roles = Vec::new();
        for parameter in &parameters {
            roles.push(role(routine, parameter, vector)?);
        }
        let mut procedure = Procedure { routine, variant, vector, parameters, roles };
        // A size that no array tells is an argument.
        for i in 0..procedure.parameters.len() {
            let name = &procedure.parameters[i].name;
            let is_size = routine.arguments.iter().any(|a| a.name == name && is_size(a.kind));
            if is_size && procedure.size(name).is_none() {
                procedure.roles[i] = Role::Needed;
            }
        }
        Ok(procedure)
    }

    fn is_optional(role: &Role) -> bool {
        matches!(role, Role::OptionalArray(_) | Role::Optional(_) | Role::OptionalResult | Role::Options)
    }

    /// The arguments in C's order: those that are needed, sizes behind the others, then those that may be left out.
    fn arguments(&self) -> Vec<(&Parameter, &Role)> {
        let all = self.parameters.iter().zip(&self.roles).filter(|(_, role)| !matches!(role, Role::Derived(_)));
        let mut list: Vec<(&Parameter, &Role)> = all.collect();
        list.sort_by_key(|(parameter, role)| (Self::is_optional(role), parameter.ty == Type::Int64));
        list
    }

    pub(super) fn write(&self, out: &mut String) -> Result<(), String> {
        let name = name(self.routine, self.variant, self.vector);
        let arguments = self.arguments();
        let list: Vec<&str> = arguments.iter().map(|(p, _)| p.name.as_str()).chain(["stat", "errmsg"]).collect();
        out.push('\n');
        write_statement(out, 2, &format!("subroutine {name}({})", list.join(", ")));
        let mut lines = Lines::default();
        for (parameter, role) in &arguments {
            let (head, shape) = self.head(parameter, role);
            lines.add(head, format!("{}{shape}", parameter.name));
        }
        lines.add("integer(c_int), intent(out), optional".to_owned(), "stat".to_owned());
        lines.add("character(len=*), intent(inout), optional".to_owned(), "errmsg".to_owned());
        let mut body = Body::default();
        self.write_body(&mut lines, &mut body)?;
        lines.add("integer(c_int)".to_owned(), "status".to_owned());
        lines.add("character(len=160)".to_owned(), "text".to_owned());
        lines.write(out);
        out.push_str("    status = AFFINIMATH_SUCCESS\n    text = \"\"\n");
        out.push_str(&body.text);
        let values: Vec<String> = self.parameters.iter().zip(&self.roles).map(|(p, role)| value(p, role)).collect();
        let symbol = signature::symbol(self.routine, self.variant, Form::Host);
        write_statement(out, 4, &format!("if (status == AFFINIMATH_SUCCESS) status = {symbol}({})", values.join(", ")));
        out.push_str(&body.after);
        writeln!(out, "    call finish(\"{}\", status, text, stat, errmsg)", generic(self.routine)).unwrap();
        writeln!(out, "  end subroutine {name}").unwrap();
        Ok(())
    }

    /// An argument's type with its attributes, and its shape.
    fn head(&self, parameter: &Parameter, role: &Role) -> (String, &'static str) {
        let ty = fortran_type(parameter);
        let optional = if Self::is_optional(role) { ", optional" } else { "" };
        let intent = match (parameter.ty, role) {
            (Type::Pointer(Pointee::Handle(_), _), _) => "in",
            (Type::Pointer(_, true), _) => "inout",
            _ => "in",
        };
        let shape = match role {
            Role::OptionalArray(_) => "(:)",
            Role::Array(shape) => ["(:)", "(:, :)", "(:, :, :)"][self.rank(&parameter.name, *shape) - 1],
            _ => "",
        };
        (format!("{ty}, intent({intent}){optional}"), shape)
    }

    fn write_body(&self, lines: &mut Lines, body: &mut Body) -> Result<(), String> {
        let sizes = "integer(c_int64_t)".to_owned();
        for (parameter, role) in self.parameters.iter().zip(&self.roles) {
            let name = &parameter.name;
            let local = format!("{name}_");
            match role {
                Role::Optional(default) => {
                    lines.add(fortran_type(parameter), local.clone());
                    body.line(format!("{local} = {default}"));
                    body.line(format!("if (present({name})) {local} = {name}"));
                }
                Role::Options => {
                    lines.add(fortran_type(parameter), local.clone());
                    let single = matches!(self.variant.element, Element::F32 | Element::C32);
                    let name_of = if single { "SINGLE" } else { "DOUBLE" };
                    // The constant is another module's.
                    let all = || table::constants().flat_map(|group| group.constants);
                    let precision = all().find(|c| c.name == name_of).map_or(0, |constant| constant.value);
                    body.line(format!("status = affinimathSolveOptions({local}, {precision}_c_int)"));
                    body.line(format!("if (present({name})) {local} = {name}"));
                }
                Role::OptionalResult => {
                    lines.add(fortran_type(parameter), local.clone());
                    body.after(format!("if (status >= 0 .and. present({name})) {name} = {local}"));
                }
                Role::OptionalArray(length) => {
                    lines.add(format!("{}, allocatable", fortran_type(parameter)), format!("{local}(:)"));
                    let given = format!("size({name}, kind=c_int64_t)");
                    let check = format!("call need(status, text, \"{name}\", {given}, {length})");
                    body.sized(format!("if (present({name})) {check}"));
                    lines.add("integer".to_owned(), "failed".to_owned());
                    body.sized(format!("allocate ({local}({length}), stat=failed)"));
                    body.sized("if (failed /= 0) status = AFFINIMATH_OUT_OF_HOST_MEMORY".to_owned());
                    body.after(format!("if (status >= 0 .and. present({name})) {name} = {local}"));
                }
                _ => {}
            }
        }
        let matrix = self.parameters.iter().find(|p| matches!(p.ty, Type::Pointer(Pointee::Handle(_), _)));
        if let Some(matrix) = matrix {
            lines.add(sizes.clone(), "rows".to_owned());
            lines.add(sizes.clone(), "columns".to_owned());
            body.line(format!("call sized({}, status, rows, columns)", matrix.name));
        }
        for argument in self.routine.arguments {
            if is_size(argument.kind) && self.is_derived(argument.name) {
                lines.add(sizes.clone(), argument.name.to_owned());
                let size = self.size(argument.name).expect("a size without an array is an argument");
                body.line(format!("{} = {size}", argument.name));
            }
        }
        let deferred = std::mem::take(&mut body.deferred);
        deferred.into_iter().for_each(|line| body.line(line));
        for (parameter, role) in self.parameters.iter().zip(&self.roles) {
            if let Role::Array(shape) = role {
                self.checks(&parameter.name, *shape).into_iter().for_each(|check| body.line(check));
            }
        }
        Ok(())
    }
}

/// Declarations, of which those with the same type and attributes share a line.
#[derive(Default)]
struct Lines(Vec<(String, Vec<String>)>);

impl Lines {
    fn add(&mut self, head: String, name: String) {
        match self.0.iter_mut().find(|(other, _)| *other == head) {
            Some((_, names)) => names.push(name),
            None => self.0.push((head, vec![name])),
        }
    }

    fn write(&self, out: &mut String) {
        for (head, names) in &self.0 {
            write_statement(out, 4, &format!("{head} :: {}", names.join(", ")));
        }
    }
}

/// Statements before the call, those of them that need sizes, and those after it.
#[derive(Default)]
struct Body {
    text: String,
    deferred: Vec<String>,
    after: String,
}

impl Body {
    fn line(&mut self, statement: String) {
        write_statement(&mut self.text, 4, &statement);
    }

    fn sized(&mut self, statement: String) {
        self.deferred.push(statement);
    }

    fn after(&mut self, statement: String) {
        write_statement(&mut self.after, 4, &statement);
    }
}
