//! Procedures on assumed-shape arrays, such as `call affinimath_gemm(a, b, c)`: sizes, leading dimensions and the
//! layout follow from the arrays, and options may be left out.

use std::fmt::Write;

use affinimath_routines::signature::{self, Form, Parameter, Pointee, Type};
use affinimath_routines::table::{self, Element, Family, Kind, Part, Routine, TypeVariant};

use super::super::shapes::{self, Shape, Token};
use super::{element_type, write_statement};

/// Families that have them: the others' routines have more arguments than arrays tell, or are Fortran's own.
const FAMILIES: &[&str] = &["blas/level2", "blas/level3", "blas/movement", "lapack", "fft", "sparse"];

/// Routines without: interchanges of rows by parts of their pivots, a result with another leading dimension, and those
/// that make an object or change one.
const LEFT_OUT: &[&str] = &["laswp", "imatcopy"];

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
enum Role {
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

/// A procedure: a routine in one type, with its right-hand sides as matrices or as one vector.
struct Procedure<'a> {
    routine: &'a Routine,
    variant: &'a TypeVariant,
    vector: bool,
    parameters: Vec<Parameter>,
    roles: Vec<Role>,
}

/// The name for all types. `affinimath_fft` is a module.
fn generic(routine: &Routine) -> String {
    match routine.name {
        "fft" => "affinimath_fft1".to_owned(),
        name => format!("affinimath_{name}"),
    }
}

fn routines(part: &Part) -> impl Iterator<Item = &'static Routine> {
    let families = |family: &&Family| FAMILIES.contains(&family.path);
    part.families.iter().filter(families).flat_map(|family| family.routines).filter(|routine| is_shaped(routine))
}

/// True of a routine whose sizes its arrays tell.
pub(super) fn is_shaped(routine: &Routine) -> bool {
    let makes = |kind: Kind| match kind {
        Kind::NewHandle(_) | Kind::Callback(_) => true,
        Kind::Handle(access, _) => access == affinimath_routines::table::Access::Write,
        _ => false,
    };
    let has_arrays = !shapes::operands(routine, routine.types[0].element).is_empty();
    let stays = !LEFT_OUT.contains(&routine.name) && !routine.name.starts_with("csrDownload");
    has_arrays && stays && routine.forms.host && !routine.arguments.iter().any(|a| makes(a.kind))
}

/// The generic names, and which of them are public.
pub(super) fn write_generics(out: &mut String, part: &Part) {
    let mut public: Vec<String> = Vec::new();
    for routine in routines(part) {
        let mut names = Vec::new();
        for &vector in ranks(routine) {
            names.extend(routine.types.iter().map(|t| name(routine, t, vector)));
        }
        let generic = generic(routine);
        write!(out, "\n  !> {}: sizes and leading dimensions follow from the arrays.\n", routine.name).unwrap();
        writeln!(out, "  interface {generic}").unwrap();
        write_statement(out, 4, &format!("module procedure :: {}", names.join(", ")));
        writeln!(out, "  end interface {generic}").unwrap();
        if !public.contains(&generic) {
            public.push(generic);
        }
    }
    if !public.is_empty() {
        out.push('\n');
        write_statement(out, 2, &format!("public :: {}", public.join(", ")));
    }
}

/// Results of a convolution, in terms of its extent.
const CONVOLVED: &str = "
  !> Results of a convolution of n elements with a kernel of m.
  pure function convolved(extent, n, m) result(results)
    integer(c_int), intent(in) :: extent
    integer(c_int64_t), intent(in) :: n, m
    integer(c_int64_t) :: results
    select case (extent)
    case (AFFINIMATH_FULL)
      results = n + m - 1
    case (AFFINIMATH_VALID)
      results = abs(n - m) + 1
    case default
      results = n
    end select
  end function convolved
";

/// The procedures themselves.
pub(super) fn write_procedures(out: &mut String, part: &Part) -> Result<(), String> {
    if part.constants.iter().flat_map(|group| group.constants).any(|constant| constant.name == "FULL") {
        out.push_str(CONVOLVED);
    }
    for routine in routines(part) {
        for &vector in ranks(routine) {
            for variant in routine.types {
                Procedure::new(routine, variant, vector)?.write(out)?;
            }
        }
    }
    Ok(())
}

/// True of a part with such procedures.
pub(super) fn has_any(part: &Part) -> bool {
    routines(part).next().is_some()
}

/// Right-hand sides as matrices, and one of them as a vector.
fn ranks(routine: &Routine) -> &'static [bool] {
    if routine.arguments.iter().any(|a| a.name == "nrhs") { &[false, true] } else { &[false] }
}

fn name(routine: &Routine, variant: &TypeVariant, vector: bool) -> String {
    format!("shaped_{}{}{}", variant.letters.to_lowercase(), routine.name, if vector { "_vector" } else { "" })
}

impl<'a> Procedure<'a> {
    fn new(routine: &'a Routine, variant: &'a TypeVariant, vector: bool) -> Result<Self, String> {
        let parameters = signature::parameters(routine, variant.element, Form::Host);
        let mut roles = Vec::new();
        for parameter in &parameters {
            roles.push(role(routine, parameter, &parameters, vector)?);
        }
        Ok(Procedure { routine, variant, vector, parameters, roles })
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

    fn write(&self, out: &mut String) -> Result<(), String> {
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
            Role::Array(Shape::Vector(_)) | Role::OptionalArray(_) => "(:)",
            Role::Array(_) => "(:, :)",
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
                body.line(format!("{} = {}", argument.name, self.size(argument.name)?));
            }
        }
        let deferred = std::mem::take(&mut body.deferred);
        deferred.into_iter().for_each(|line| body.line(line));
        for (parameter, role) in self.parameters.iter().zip(&self.roles) {
            if let Role::Array(shape) = role {
                body.line(self.check(&parameter.name, *shape));
            }
        }
        Ok(())
    }

    fn is_derived(&self, name: &str) -> bool {
        let at = self.parameters.iter().position(|p| p.name == name);
        at.is_some_and(|i| matches!(self.roles[i], Role::Derived(_)))
    }

    /// A size in terms of the arrays' extents.
    fn size(&self, wanted: &str) -> Result<String, String> {
        let arrays = || {
            self.parameters.iter().zip(&self.roles).filter_map(|(p, role)| match role {
                Role::Array(shape) => Some((p.name.as_str(), *shape)),
                _ => None,
            })
        };
        let extent = |array: &str, axis: u32| format!("size({array}, {axis}, c_int64_t)");
        if self.vector && wanted == "nrhs" {
            return Ok("1".to_owned());
        }
        let plain = arrays().find_map(|(array, shape)| match shape {
            Shape::Vector(length) if length == wanted => Some(extent(array, 1)),
            Shape::Matrix(rows, _) if rows == wanted => Some(extent(array, 1)),
            Shape::Matrix(_, columns) | Shape::Band(_, columns, _) if columns == wanted => Some(extent(array, 2)),
            _ => None,
        });
        let by_op = || {
            arrays().find_map(|(array, shape)| match shape {
                Shape::Op(op, rows, columns) if rows == wanted || columns == wanted => {
                    let (plain, other) = if rows == wanted { (1, 2) } else { (2, 1) };
                    Some(format!("merge({}, {}, keeps({op}_))", extent(array, plain), extent(array, other)))
                }
                _ => None,
            })
        };
        let by_vectors = || {
            let vector =
                |pattern: String| arrays().find(|(_, shape)| matches!(shape, Shape::Vector(l) if *l == pattern));
            let other = if wanted == "m" { "n" } else { "m" };
            let untransposed = vector(format!("op(trans,{wanted},{other})"))?;
            let transposed = vector(format!("op(trans,{other},{wanted})"))?;
            Some(format!("merge({}, {}, keeps(trans_))", extent(untransposed.0, 1), extent(transposed.0, 1)))
        };
        let by_band = || {
            arrays().find_map(|(array, shape)| match shape {
                Shape::Band(_, _, "k+1") if wanted == "k" => Some(format!("{} - 1", extent(array, 1))),
                Shape::Band(_, _, "kl+ku+1") if wanted == "ku" => Some(format!("{} - 1 - kl", extent(array, 1))),
                _ => None,
            })
        };
        plain.or_else(by_op).or_else(by_vectors).or_else(by_band).ok_or_else(|| {
            format!("no array of {} tells {wanted} (xtask/src/emit/fortran/shaped.rs)", self.routine.name)
        })
    }

    /// The statement that compares an array's extents with what the others need.
    fn check(&self, name: &str, shape: Shape) -> String {
        let rank = if matches!(shape, Shape::Vector(_)) { 1 } else { 2 };
        let given: Vec<String> = (1..=rank).map(|axis| format!("size({name}, {axis}, c_int64_t)")).collect();
        let needed = match shape {
            Shape::Vector(length) => expression(length),
            Shape::Matrix(rows, columns) | Shape::InPlace(_, rows, columns, _) => {
                format!("{}, {}", expression(rows), expression(columns))
            }
            Shape::Op(op, rows, columns) => {
                let [rows, columns] = [rows, columns].map(expression);
                format!("merge({rows}, {columns}, keeps({op}_)), merge({columns}, {rows}, keeps({op}_))")
            }
            Shape::Band(_, columns, diagonals) => format!("{}, {}", expression(diagonals), expression(columns)),
        };
        format!("call need(status, text, \"{name}\", {}, {needed})", given.join(", "))
    }
}

fn is_size(kind: Kind) -> bool {
    matches!(kind, Kind::Size | Kind::Length | Kind::AxisLength)
}

/// The part of an argument of C's in a procedure.
fn role(routine: &Routine, parameter: &Parameter, all: &[Parameter], vector: bool) -> Result<Role, String> {
    let name = parameter.name.as_str();
    let kind = routine.arguments.iter().find(|a| a.name == name).map(|a| a.kind);
    let kind = kind.ok_or_else(|| format!("{} has no argument '{name}'", routine.name))?;
    Ok(match kind {
        Kind::Layout => Role::Derived("AFFINIMATH_COL_MAJOR".to_owned()),
        Kind::Increment => Role::Derived("1_c_int64_t".to_owned()),
        Kind::LeadingDimension => {
            let matrix = name.strip_prefix("ld").expect("the name of a leading dimension");
            let is_side = vector && matches!(matrix, "b" | "x");
            Role::Derived(format!(
                "max(1_c_int64_t, size({matrix}{}, kind=c_int64_t))",
                if is_side { "" } else { ", 1" }
            ))
        }
        // The diagonals below the main one: the array's extent tells those above it.
        Kind::Size if name == "kl" => Role::Needed,
        kind if is_size(kind) => Role::Derived(name.to_owned()),
        Kind::Op => Role::Optional("AFFINIMATH_NO_TRANS"),
        Kind::Triangle => Role::Optional("AFFINIMATH_UPPER"),
        Kind::Diagonal => Role::Optional("AFFINIMATH_NON_UNIT"),
        Kind::Side => Role::Optional("AFFINIMATH_LEFT"),
        Kind::Norm | Kind::ConsistentNorm => Role::Optional("AFFINIMATH_ONE_NORM"),
        Kind::Direction => Role::Optional("AFFINIMATH_FORWARD"),
        Kind::Extent => Role::Optional("AFFINIMATH_FULL"),
        Kind::Scalar(_) if name == "alpha" => Role::Optional("1"),
        Kind::Scalar(_) if name == "beta" => Role::Optional("0"),
        Kind::Iterations if name == "iter" => Role::OptionalResult,
        Kind::Struct(_, _) if name == "options" => Role::Options,
        Kind::Struct(_, _) => Role::OptionalResult,
        _ if routine.name == "gesv" && name == "ipiv" => Role::OptionalArray("n".to_owned()),
        _ if shapes::is_array(parameter.ty, parameter.count) => Role::Array(shape(routine, name, all, vector)?),
        _ => Role::Needed,
    })
}

/// An array's shape in Fortran.
fn shape(routine: &Routine, name: &str, _all: &[Parameter], vector: bool) -> Result<Shape, String> {
    if let Some((_, _, shape)) = MATRICES.iter().find(|(r, operand, _)| *r == routine.name && *operand == name) {
        return Ok(*shape);
    }
    Ok(match shapes::shape(routine, name)? {
        Shape::Matrix(rows, "nrhs") if vector => Shape::Vector(rows),
        shape => shape,
    })
}

/// An argument's value for the C function.
fn value(parameter: &Parameter, role: &Role) -> String {
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
fn fortran_type(parameter: &Parameter) -> String {
    match parameter.ty {
        Type::Int => "integer(c_int)".to_owned(),
        Type::Int64 => "integer".to_owned(),
        Type::Value(element) | Type::Pointer(Pointee::Element(element), _) => element_type(element).to_owned(),
        Type::Pointer(Pointee::Int32, _) => "integer(c_int32_t)".to_owned(),
        Type::Pointer(Pointee::Int64, _) => "integer(c_int64_t)".to_owned(),
        Type::Pointer(Pointee::Struct(item), _) => format!("type(affinimath_{})", item.c),
        _ => "type(c_ptr)".to_owned(),
    }
}

/// A shape's expression in Fortran.
fn expression(text: &str) -> String {
    let mut out = String::new();
    // What closes each open parenthesis.
    let mut closings: Vec<String> = Vec::new();
    let tokens = shapes::tokens(text);
    let mut i = 0;
    while let Some(&token) = tokens.get(i) {
        match token {
            Token::Function(member @ ("rows" | "columns")) => {
                out.push_str(member);
                i += 3;
            }
            Token::Function("op") => {
                let Some(Token::Name(op)) = tokens.get(i + 2) else { unreachable!("{text} names an operation") };
                out.push_str("merge(");
                closings.push(format!(", keeps({op}_))"));
                i += 3;
            }
            Token::Function("left") => {
                out.push_str("merge(");
                closings.push(", side_ == AFFINIMATH_LEFT)".to_owned());
                i += 1;
            }
            Token::Function("results") => {
                out.push_str("convolved(extent_");
                closings.push(")".to_owned());
                i += 2;
            }
            Token::Function(name) => {
                out.push_str(&format!("{name}("));
                closings.push(")".to_owned());
                i += 1;
            }
            Token::Other("(") => {
                out.push('(');
                closings.push(")".to_owned());
            }
            Token::Other(")") => out.push_str(&closings.pop().unwrap_or_default()),
            Token::Other(",") => out.push_str(", "),
            Token::Name(text) | Token::Other(text) => out.push_str(text),
        }
        i += 1;
    }
    out
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
