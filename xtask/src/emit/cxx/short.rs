//! Forms on containers alone: the lengths are theirs, and elements are adjacent.

use affinimath_routines::signature::{self, Form, Parameter};
use affinimath_routines::table::{Kind, Routine};

use super::super::shapes::{self, Shape};
use super::functions::{Call, Function, Template};
use super::operands;

/// The short form of an overload, where all its operands are vectors that tell every length.
pub(super) fn short<'a>(
    routine: &'a Routine,
    i: usize,
    function: &Function<'a>,
) -> Result<Option<Function<'a>>, String> {
    let Some(lengths) = lengths(routine) else { return Ok(None) };
    let Call::C(symbol) = &function.call else { return Ok(None) };
    let is_length = |p: &Parameter| lengths.iter().any(|(length, _)| *length == p.name);
    let is_increment = |p: &Parameter| routine.arguments.iter().any(|a| a.name == p.name && a.kind == Kind::Increment);
    let mut checks: Vec<String> =
        lengths.iter().map(|(length, operand)| format!("const int64_t {length} = {operand}.size();")).collect();
    let mut arguments = Vec::new();
    let (mut parameters, mut types) = (Vec::new(), Vec::new());
    let all = signature::parameters(routine, routine.types[i].element, Form::Host);
    for (parameter, ty) in all.into_iter().zip(&function.types) {
        if is_increment(&parameter) {
            arguments.push("1".to_owned());
            continue;
        }
        arguments.push(parameter.name.clone());
        if is_length(&parameter) {
            continue;
        }
        let spans = operands::is_operand(&parameter) && parameter.count.is_none();
        if spans && !lengths.iter().any(|(_, operand)| *operand == parameter.name) {
            let Shape::Vector(length) = shapes::shape(routine, &parameter.name)? else { continue };
            let (name, length) = (&parameter.name, operands::expression(length));
            let mismatched = format!("return detail::mismatched(\"{symbol}\", \"{name}\");");
            checks.push(format!("if (detail::differs({name}, {length})) {}", operands::unbroken(&mismatched)));
        }
        types.push(if spans { ty.replacen("Elements", "Span", 1) } else { ty.clone() });
        parameters.push(parameter);
    }
    let call = Call::Overload(arguments);
    Ok(Some(Function {
        name: function.name.clone(),
        summary: "",
        template: Template::No,
        parameters,
        types,
        checks,
        call,
        callable: false,
    }))
}

/// Each length of a routine, with the operand that has it. None where something else is to be told, or nothing.
fn lengths(routine: &Routine) -> Option<Vec<(&'static str, String)>> {
    let operands = shapes::operands(routine, routine.types[0].element);
    let is_vector = |operand: &String| matches!(shapes::shape(routine, operand), Ok(Shape::Vector(_)));
    if operands.is_empty() || !operands.iter().all(is_vector) {
        return None;
    }
    let mut lengths = Vec::new();
    let mut increments = false;
    for argument in routine.arguments {
        match argument.kind {
            Kind::Increment => increments = true,
            Kind::Length | Kind::Size | Kind::AxisLength => {
                let has = |operand: &&String| shapes::shape(routine, operand) == Ok(Shape::Vector(argument.name));
                lengths.push((argument.name, operands.iter().find(has)?.clone()));
            }
            Kind::Stride | Kind::NewHandle(_) => return None,
            _ => {}
        }
    }
    (increments || !lengths.is_empty()).then_some(lengths)
}
