//! The functions: those that return a status, and those that throw.

use std::fmt::Write;

use affinimath_routines::signature::{self, Form, Parameter, Returns, Signature, Type};
use affinimath_routines::table::{Element, LibraryFunction, Part, Routine};

use super::{names, operands, short, write_comment, write_wrapped};

/// Functions that `support.hpp` has instead.
const OTHERWISE: &[&str] = &["LastError"];

/// The library's own names of devices, as a string.
const DEVICE_NAME: &str = "
/** A device's name; -1 is the host. */
inline std::string deviceName(int64_t index)
{
  char name[256];
  deviceName(index, name, static_cast<int64_t>(sizeof name));
  return name;
}
";

/// A function of C++.
pub(super) struct Function<'a> {
    pub(super) name: String,
    /// Empty for an overload that is not the first one.
    pub(super) summary: &'a str,
    pub(super) template: Template,
    pub(super) parameters: Vec<Parameter>,
    pub(super) types: Vec<String>,
    /// The statements that check operands.
    pub(super) checks: Vec<String>,
    pub(super) call: Call,
    /// True of a callable in place of a callback and its argument.
    pub(super) callable: bool,
}

/// The parameters of a template.
pub(super) enum Template {
    No,
    /// The element type of sparse matrices, which is deduced.
    Deduced,
    /// The element type, which the call names, as one of this list.
    Among(String),
}

/// The call that gives a status.
pub(super) enum Call {
    /// Of a C function, or of an expression that selects one by `T`.
    C(String),
    /// Of the overload with these arguments.
    Overload(Vec<String>),
}

/// The functions of a part.
pub(super) fn write(out: &mut String, part: &Part) -> Result<(), String> {
    let (mut plain, mut statuses, mut throwing) = (String::new(), String::new(), String::new());
    let functions = part.groups.iter().flat_map(|group| group.functions);
    for function in functions.filter(|f| !OTHERWISE.contains(&f.name) && !f.name.ends_with("Destroy")) {
        if function.returns == Returns::Status {
            let function = of_library(function);
            function.write_status(&mut statuses);
            function.write_throwing(&mut throwing);
        } else {
            write_plain(&mut plain, function);
        }
        if function.name == "DeviceName" {
            throwing.push_str(DEVICE_NAME);
        }
    }
    for routine in part.families.iter().flat_map(|family| family.routines) {
        write_routine(routine, &mut statuses, &mut throwing)?;
    }
    write!(out, "{plain}\nnamespace nothrow {{\n{statuses}\n}} // namespace nothrow\n").unwrap();
    write!(out, "\n#ifdef __cpp_exceptions\n{throwing}\n#endif // __cpp_exceptions\n").unwrap();
    Ok(())
}

/// A function that cannot fail.
fn write_plain(out: &mut String, function: &LibraryFunction) {
    let signature = Signature::of_function(function);
    let result = if function.returns == Returns::Text { "const char *" } else { "int64_t " };
    let types = operands::types(&signature.parameters, "");
    let parameters = operands::declarations(signature.parameters.iter().zip(&types));
    let values: Vec<String> = signature.parameters.iter().map(|p| operands::value(p, false)).collect();
    out.push('\n');
    write_comment(out, "", function.summary);
    let name = names::function(function.name);
    write_wrapped(out, 0, &format!("inline {result}{name}({parameters}) noexcept"));
    writeln!(out, "{{\n  return {}({});\n}}", signature.symbol, values.join(", ")).unwrap();
}

/// A function that is the same for all types. A sparse matrix brings its type.
fn of_library(function: &LibraryFunction) -> Function<'_> {
    let signature = Signature::of_function(function);
    let types = operands::types(&signature.parameters, "T");
    let typed = types.iter().any(|ty| ty.contains("<T>"));
    let has_rank = signature.parameters.iter().any(|p| p.name == "rank");
    let arrays = signature.parameters.iter().enumerate().filter(|(_, p)| has_rank && operands::is_operand(p));
    let checks = arrays.map(|(i, p)| check(&signature.symbol, i, &p.name, "rank")).collect();
    Function {
        name: names::function(function.name),
        summary: function.summary,
        template: if typed { Template::Deduced } else { Template::No },
        parameters: signature.parameters,
        types,
        checks,
        call: Call::C(signature.symbol),
        callable: false,
    }
}

/// All forms of a routine: an overload for each type, or a template where no argument tells the type.
fn write_routine(routine: &Routine, statuses: &mut String, throwing: &mut String) -> Result<(), String> {
    for form in signature::forms(routine) {
        let (first, alone) = (types(routine, 0, form), routine.types.len() == 1);
        let of_device = form == Form::Device && routine.types[0].letters.len() == 1;
        if of_device || (!alone && first == types(routine, 1, form)) {
            let template = template(routine, form)?;
            template.write_status(statuses);
            template.write_throwing(throwing);
            continue;
        }
        let output = sole_output(&signature::parameters(routine, routine.types[0].element, form));
        let result_tells_type = !alone && without(&first, output) == without(&types(routine, 1, form), output);
        for i in 0..routine.types.len() {
            let function = overload(routine, form, i)?;
            function.write_status(statuses);
            if !result_tells_type {
                function.write_throwing(throwing);
            }
            let short = if form == Form::Host { short::short(routine, i, &function)? } else { None };
            if let Some(short) = &short {
                short.write_status(statuses);
                short.write_throwing(throwing);
            }
            if form == Form::Host && function.parameters.iter().any(|p| matches!(p.ty, Type::Callback(_))) {
                let element = names::element(routine.types[i].element);
                [Some(function), short]
                    .into_iter()
                    .flatten()
                    .for_each(|f| f.with_callable(element).write_throwing(throwing));
            }
        }
        if result_tells_type {
            template(routine, form)?.write_throwing(throwing);
        }
    }
    Ok(())
}

/// The types of the arguments of one type of a routine.
fn types(routine: &Routine, i: usize, form: Form) -> Vec<String> {
    let element = routine.types[i].element;
    operands::types(&signature::parameters(routine, element, form), names::element(element))
}

fn without(types: &[String], index: Option<usize>) -> Vec<&String> {
    types.iter().enumerate().filter(|(i, _)| Some(*i) != index).map(|(_, ty)| ty).collect()
}

/// One type of a routine.
fn overload(routine: &Routine, form: Form, i: usize) -> Result<Function<'_>, String> {
    let variant = &routine.types[i];
    let parameters = signature::parameters(routine, variant.element, form);
    let symbol = signature::symbol(routine, variant, form);
    Ok(Function {
        name: cxx_name(routine, form),
        summary: if i == 0 { routine.summary } else { "" },
        template: Template::No,
        types: types(routine, i, form),
        checks: checks(routine, &symbol, &parameters)?,
        parameters,
        call: Call::C(symbol),
        callable: false,
    })
}

/// All types of a routine, of which the call names one.
fn template(routine: &Routine, form: Form) -> Result<Function<'_>, String> {
    let elements: Vec<Element> = routine.types.iter().map(|t| t.element).collect();
    let list = elements.iter().map(|&element| names::element(element)).collect::<Vec<_>>().join(", ");
    let symbols: Vec<String> = routine.types.iter().map(|t| signature::symbol(routine, t, form)).collect();
    let variants: Vec<(Element, Vec<String>)> =
        elements.iter().enumerate().map(|(i, &element)| (element, types(routine, i, form))).collect();
    let parameters = signature::parameters(routine, elements[0], form);
    Ok(Function {
        name: cxx_name(routine, form),
        summary: routine.summary,
        types: operands::relative(&variants)?,
        checks: checks(routine, &symbols[0], &parameters)?,
        parameters,
        call: Call::C(format!("detail::of<T, {list}>({})", symbols.join(", "))),
        template: Template::Among(list),
        callable: false,
    })
}

fn cxx_name(routine: &Routine, form: Form) -> String {
    names::routine(routine) + if form == Form::Device { "CL" } else { "" }
}

fn checks(routine: &Routine, symbol: &str, parameters: &[Parameter]) -> Result<Vec<String>, String> {
    let operands = parameters.iter().enumerate().filter(|(_, p)| operands::is_operand(p));
    operands.map(|(i, p)| Ok(check(symbol, i, &p.name, &operands::needed(routine, parameters, i)?))).collect()
}

/// The statement that refuses a container with too few elements.
fn check(symbol: &str, index: usize, name: &str, needed: &str) -> String {
    let refused = format!("detail::refused(\"{symbol}\", {}, \"{name}\")", index + 1);
    format!("if (detail::lacks({name}, {needed})) {}", operands::unbroken(&format!("return {refused};")))
}

/// The one object that a function writes, which becomes its result where it throws.
fn sole_output(parameters: &[Parameter]) -> Option<usize> {
    let mut outputs = parameters.iter().enumerate().filter(|(_, p)| names::is_output(p)).map(|(i, _)| i);
    outputs.next().filter(|_| outputs.next().is_none())
}

impl Function<'_> {
    /// The same with a callable for elements of a type.
    fn with_callable(mut self, element: &str) -> Self {
        for (parameter, ty) in self.parameters.iter().zip(&mut self.types) {
            if matches!(parameter.ty, Type::Callback(_)) {
                *ty = format!("const Operator<{element}> &");
            }
        }
        Function { summary: "", callable: true, ..self }
    }

    fn write_status(&self, out: &mut String) {
        if !self.summary.is_empty() {
            out.push('\n');
        }
        self.write_head(out, "[[nodiscard]] inline int", None, " noexcept");
        out.push_str("{\n");
        for check in &self.checks {
            write_wrapped(out, 2, check);
        }
        let callee = match &self.call {
            Call::C(callee) => callee,
            Call::Overload(arguments) => {
                write_wrapped(out, 2, &format!("return {}({});", self.name, arguments.join(", ")));
                out.push_str("}\n");
                return;
            }
        };
        let any_type = matches!(self.template, Template::Among(_));
        let values: Vec<String> = self.parameters.iter().map(|p| operands::value(p, any_type)).collect();
        let call = format!("detail::told({callee}({}))", values.join(", "));
        let made = self.parameters.iter().find_map(|p| match p.ty {
            Type::New(handle) => Some((&p.name, handle)),
            _ => None,
        });
        if let Some((name, handle)) = made {
            writeln!(out, "  affinimath_{} *made = nullptr;", handle.c).unwrap();
            write_wrapped(out, 2, &format!("const int status = {call};"));
            writeln!(out, "  if (made != nullptr) {name}.reset(made);\n  return status;").unwrap();
        } else {
            write_wrapped(out, 2, &format!("return {call};"));
        }
        out.push_str("}\n");
    }

    fn write_throwing(&self, out: &mut String) {
        let output = sole_output(&self.parameters);
        let result = output.map(|i| self.types[i].trim_end_matches([' ', '*', '&']));
        if !self.summary.is_empty() {
            out.push('\n');
            write_comment(out, "", self.summary);
        }
        self.write_head(out, &format!("inline {}", result.unwrap_or("void")), output, "");
        out.push_str("{\n");
        if let (Some(i), Some(result)) = (output, result) {
            writeln!(out, "  {result} {}{{}};", self.parameters[i].name).unwrap();
        }
        let (mut owner, mut callback) = (String::new(), "");
        if self.callable {
            let callable = self.parameters.iter().find(|p| matches!(p.ty, Type::Callback(_)));
            (owner, callback) = (callable.map(|p| format!("{}.", p.name)).unwrap_or_default(), ".function()");
        }
        let argument = |(i, p): (usize, &Parameter)| match p.ty {
            Type::Callback(_) => format!("{}{callback}", p.name),
            Type::User if self.callable => format!("{owner}user()"),
            _ if Some(i) == output && !matches!(p.ty, Type::New(_)) => format!("&{}", p.name),
            _ => p.name.clone(),
        };
        let arguments: Vec<String> = self.parameters.iter().enumerate().map(argument).collect();
        // An overload of its own for each type is told by the result.
        let by_result = output.is_some_and(|i| self.types[i].contains("<T>"));
        let named = matches!(self.template, Template::Among(_)) && !by_result;
        let of = if named { "<T>" } else { "" };
        write_wrapped(out, 2, &format!("{owner}check(nothrow::{}{of}({}));", self.name, arguments.join(", ")));
        if let Some(i) = output {
            writeln!(out, "  return {};", self.parameters[i].name).unwrap();
        }
        out.push_str("}\n");
    }

    /// The template's line, the result, the name, and the arguments but the one that is returned.
    fn write_head(&self, out: &mut String, start: &str, returned: Option<usize>, end: &str) {
        match &self.template {
            Template::No => {}
            Template::Deduced => out.push_str("template <class T>\n"),
            Template::Among(list) => {
                write_wrapped(out, 0, &format!("template <class T, detail::among<T, {list}>~=~0>"))
            }
        }
        let list = self.parameters.iter().zip(&self.types).enumerate();
        let list = list.filter(|(i, (p, _))| Some(*i) != returned && !(self.callable && p.ty == Type::User));
        let list = operands::declarations(list.map(|(_, of)| of));
        write_wrapped(
            out,
            0,
            &format!("{} {}({list}){}", operands::unbroken(start), self.name, operands::unbroken(end)),
        );
    }
}
