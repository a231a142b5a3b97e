//! Arguments: their types in C++, their values for the C function, and the elements that an operand needs.

use affinimath_routines::signature::{Parameter, Pointee, Type};
use affinimath_routines::table::{Element, Routine};

use super::super::shapes::{self, Shape, Token};
use super::names;

/// The types of a function's arguments.
pub(super) fn types(parameters: &[Parameter], typed: &str) -> Vec<String> {
    parameters.iter().map(|parameter| self::parameter(parameter, typed)).collect()
}

fn parameter(parameter: &Parameter, typed: &str) -> String {
    let constant = |written| if written { "" } else { "const " };
    match parameter.ty {
        Type::Int => names::enumeration_of(&parameter.name).unwrap_or("int").to_owned(),
        Type::Int64 => "int64_t".to_owned(),
        Type::Value(element) => names::element(element).to_owned(),
        Type::New(handle) => format!("{} &", names::pointee(Pointee::Handle(handle), typed)),
        Type::Callback(function) => format!("affinimath_{}", function.c),
        Type::Address => "void **".to_owned(),
        Type::User => "void *".to_owned(),
        Type::Queue => "_cl_command_queue *".to_owned(),
        Type::Memory => "_cl_mem *".to_owned(),
        Type::Event => "_cl_event **".to_owned(),
        Type::Pointer(pointee, written) => {
            let ty = format!("{}{}", constant(written), names::pointee(pointee, typed));
            match pointee {
                Pointee::Handle(_) => format!("{ty} &"),
                _ if is_operand(parameter) => format!("Elements<{ty}>"),
                _ => format!("{ty} *"),
            }
        }
    }
}

/// True of a pointer to a count of elements: a container may take its place.
pub(super) fn is_operand(parameter: &Parameter) -> bool {
    shapes::is_array(parameter.ty, parameter.count.filter(|&count| count == 1))
}

/// Arguments and their types, such as `Elements<const float> a`. A last event, and options before it, may be left out.
pub(super) fn declarations<'a>(list: impl Iterator<Item = (&'a Parameter, &'a String)>) -> String {
    let mut list: Vec<(&Parameter, &String)> = list.collect();
    list.reverse();
    let mut optional = true;
    let mut declared: Vec<String> = Vec::new();
    for (parameter, ty) in list {
        optional &= parameter.ty == Type::Event || parameter.name == "options";
        let space = if ty.ends_with(['*', '&']) { "" } else { " " };
        let default = if optional { " = nullptr" } else { "" };
        declared.push(unbroken(&format!("{ty}{space}{}{default}", parameter.name)));
    }
    declared.reverse();
    declared.join(", ")
}

/// Text that is not broken at its spaces.
pub(super) fn unbroken(text: &str) -> String {
    text.replace(' ', "~")
}

/// The types of a template, in terms of `T`, from those for each of its element types.
pub(super) fn relative(variants: &[(Element, Vec<String>)]) -> Result<Vec<String>, String> {
    let (first, types) = &variants[0];
    let column = |j: usize| {
        let ty = &types[j];
        if variants.iter().all(|(_, types)| types[j] == *ty) {
            return Ok(ty.clone());
        }
        let found = PARTS.iter().find_map(|(name, part)| {
            let relative = ty.replace(part(*first), name);
            variants.iter().all(|(e, types)| relative.replace(name, part(*e)) == types[j]).then_some(relative)
        });
        match found {
            Some(ty) if ty == "T" => Ok("detail::Scalar<T>".to_owned()),
            found => found.ok_or_else(|| format!("no type of T is '{ty}' for its first element type")),
        }
    };
    (0..types.len()).map(column).collect()
}

/// A type in terms of an element type `T`, and of the element type itself.
type PartOf = fn(Element) -> &'static str;
const PARTS: [(&str, PartOf); 3] = [
    ("T", names::element),
    ("detail::Real<T>", |element| match element {
        Element::C32 => "float",
        Element::C64 => "double",
        real => names::element(real),
    }),
    ("detail::Complex<T>", |element| match element {
        Element::F32 => "std::complex<float>",
        Element::F64 => "std::complex<double>",
        complex => names::element(complex),
    }),
];

/// An argument as the C function takes it. In a template, `T` may be complex.
pub(super) fn value(parameter: &Parameter, template: bool) -> String {
    let name = &parameter.name;
    let converted = |element| template || matches!(element, Element::C32 | Element::C64);
    match parameter.ty {
        Type::Int if names::enumeration_of(name).is_some() => format!("detail::c({name})"),
        Type::Value(element) if converted(element) => format!("detail::c({name})"),
        Type::New(_) => "&made".to_owned(),
        Type::Pointer(Pointee::Handle(_), _) => format!("{name}.get()"),
        Type::Pointer(pointee, _) => {
            let pointer = if is_operand(parameter) { format!("{name}.data()") } else { name.clone() };
            match pointee {
                Pointee::Element(element) if converted(element) => format!("detail::c({pointer})"),
                _ => pointer,
            }
        }
        _ => name.clone(),
    }
}

/// The elements that an operand of a routine needs, in C++.
pub(super) fn needed(routine: &Routine, parameters: &[Parameter], index: usize) -> Result<String, String> {
    let name = parameters[index].name.as_str();
    if let Some(count) = parameters[index].count {
        return Ok(count.to_string());
    }
    let has = |wanted: &str| parameters.iter().any(|p| p.name == wanted);
    if name.starts_with("offsets") && has("batch_count") {
        return Ok("batch_count".to_owned());
    }
    let ld = format!("ld{name}");
    let one = match shapes::shape(routine, name)? {
        Shape::Vector(length) => {
            let increment = format!("inc{name}");
            let length = expression(length);
            if has(&increment) { format!("detail::vector({length}, {increment})") } else { length }
        }
        Shape::Matrix(rows, columns) => {
            format!("detail::matrix(layout, {}, {}, {ld})", expression(rows), expression(columns))
        }
        Shape::Op(op, rows, columns) => {
            format!("detail::matrix(layout, {op}, {}, {}, {ld})", expression(rows), expression(columns))
        }
        Shape::Band(rows, columns, diagonals) => {
            let [rows, columns, diagonals] = [rows, columns, diagonals].map(expression);
            format!("detail::band(layout, {rows}, {columns}, {diagonals}, {ld})")
        }
        Shape::InPlace(op, rows, columns, result) => {
            let [rows, columns] = [rows, columns].map(expression);
            format!(
                "detail::max(detail::matrix(layout, {rows}, {columns}, {ld}), \
                 detail::matrix(layout, {op}, {rows}, {columns}, {result}))"
            )
        }
    };
    let (stride, offsets) = (format!("stride{name}"), format!("offsets{name}"));
    Ok(match one {
        one if has(&stride) => format!("detail::strided({one}, {stride}, batch_count)"),
        one if has(&offsets) => format!("detail::at_offsets({name}, {one}, {offsets}, batch_count)"),
        one => one,
    })
}

/// A shape's expression in C++. Its sums and products are those of counts, which cannot overflow; what is no sum or
/// product becomes a count by itself.
pub(super) fn expression(text: &str) -> String {
    let mut out = String::new();
    // Each open parenthesis, and whether it is one of a function whose first argument is no count.
    let mut open: Vec<bool> = Vec::new();
    let tokens = shapes::tokens(text);
    let computes = text.contains(['+', '-', '*', '/']);
    let mut i = 0;
    while let Some(&token) = tokens.get(i) {
        match token {
            Token::Function(member @ ("rows" | "columns")) => {
                let Some(Token::Name(matrix)) = tokens.get(i + 2) else { unreachable!("{text} names a matrix") };
                let size = format!("{matrix}.{member}()");
                out.push_str(&if computes { format!("detail::Count({size})") } else { size });
                i += 3;
            }
            Token::Function(name) => {
                out.push_str(&format!("detail::{name}("));
                if name == "left" {
                    out.push_str("side, ");
                }
                open.push(matches!(name, "op" | "abs" | "last" | "results" | "vectors"));
                i += 1;
            }
            Token::Name(name) if !computes || open.last() == Some(&true) => out.push_str(name),
            Token::Name(name) => out.push_str(&format!("detail::Count({name})")),
            Token::Other("(") => {
                open.push(false);
                out.push('(');
            }
            Token::Other(")") => {
                open.pop();
                out.push(')');
            }
            Token::Other(",") => out.push_str(", "),
            Token::Other(operator @ ("+" | "-" | "*" | "/")) => out.push_str(&format!(" {operator} ")),
            Token::Other(number) => out.push_str(number),
        }
        i += 1;
    }
    out
}
