//! Fortran 2008, with OpenMP over the work-groups.
//!
//! A module holds the kernel's subroutine, which C can call, a subroutine for a group, and functions. Fortran has no
//! unsigned integers: they are the signed ones of the same bits, and functions of the module add, multiply and convert
//! them. Names are declared at the head of a subprogram, and vectors become scalars.

mod helpers;
mod lines;
mod names;
mod operations;

use std::cell::RefCell;

use super::super::constant::Constant;
use super::super::error::BuildError;
use super::super::ir::{Access, AtomicOp, Foreign, Memory, Parameter, Program, Query, Space};
use super::super::types::ScalarType;
use super::dialect::{Atomic, Construct, Counting, Dialect, HalfAccess};
use super::operators::Level;
use super::regions::{HostDialect, Regions};
use super::{Printer, Text, without_vectors};
use helpers::Helper;

/// Fortran, and the functions that its text calls.
#[derive(Default)]
struct Fortran {
    used: RefCell<Vec<Helper>>,
}

impl Fortran {
    /// The name of a function of the module, which declares it.
    fn helper(&self, helper: Helper) -> String {
        let mut used = self.used.borrow_mut();
        if !used.contains(&helper) {
            used.push(helper);
        }
        helper.name()
    }
}

/// The name of a type's kind.
fn kind(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::Bool => "",
        ScalarType::I8 | ScalarType::U8 => "c_int8_t",
        ScalarType::I16 | ScalarType::U16 | ScalarType::F16 => "c_int16_t",
        ScalarType::I32 | ScalarType::U32 => "c_int32_t",
        ScalarType::I64 | ScalarType::U64 => "c_int64_t",
        ScalarType::F32 => "c_float",
        ScalarType::F64 => "c_double",
    }
}

/// True for integers whose least value is 0.
fn is_unsigned(scalar: ScalarType) -> bool {
    scalar.is_integer() && !scalar.is_signed()
}

/// An index, or an operand of 64-bit arithmetic: a constant needs no kind there.
fn bare(text: &str) -> &str {
    match text.strip_suffix("_c_int64_t") {
        Some(number) if number.parse::<i32>().is_ok_and(|number| number >= 0) => number,
        _ => text,
    }
}

impl Dialect for Fortran {
    fn scalar_name(&self, scalar: ScalarType) -> &'static str {
        match scalar {
            ScalarType::Bool => "logical",
            ScalarType::I8 | ScalarType::U8 => "integer(c_int8_t)",
            ScalarType::I16 | ScalarType::U16 | ScalarType::F16 => "integer(c_int16_t)",
            ScalarType::I32 | ScalarType::U32 => "integer(c_int32_t)",
            ScalarType::I64 | ScalarType::U64 => "integer(c_int64_t)",
            ScalarType::F32 => "real(c_float)",
            ScalarType::F64 => "real(c_double)",
        }
    }

    fn foreign<'f>(&self, function: &'f Foreign) -> &'f str {
        function.fortran.as_deref().unwrap_or_default()
    }

    fn long_suffix(&self) -> &'static str {
        "_c_int64_t"
    }

    fn function(&self, name: &str, _: ScalarType) -> String {
        name.to_owned()
    }

    fn bitcast(&self, _: ScalarType, _: super::super::types::ValueType) -> String {
        "transfer".to_owned()
    }

    fn operation(&self, printer: &Printer<'_>, id: usize, operands: &[(usize, Text)]) -> Option<Text> {
        operations::operation(self, printer, id, operands)
    }

    fn declares_first(&self) -> bool {
        true
    }

    fn comment(&self, line: &str) -> String {
        format!("! {line}").trim_end().to_owned()
    }

    fn assignment(&self, target: &str, value: &str) -> String {
        format!("{target} = {value}")
    }

    fn array(&self, _: &str, name: &str, dimensions: &[String]) -> String {
        let last = |length: &String| match length.parse::<usize>() {
            Ok(length) => format!("0:{}", length.saturating_sub(1)),
            Err(_) => format!("0:{length} - 1"),
        };
        // The first dimension is that of neighbours.
        format!("{name}({})", dimensions.iter().rev().map(last).collect::<Vec<_>>().join(", "))
    }

    fn element(&self, name: &str, per_item: bool, index: &Text, index_type: ScalarType) -> String {
        let index = if is_unsigned(index_type) && index_type != ScalarType::U64 {
            operations::zero_extended(index, index_type).text
        } else {
            bare(&index.text).to_owned()
        };
        if per_item { format!("{name}({index}, item)") } else { format!("{name}({index})") }
    }

    fn of_item(&self, name: &str) -> String {
        format!("{name}(item)")
    }

    fn negated(&self, condition: &Text) -> String {
        format!(".not. {}", condition.at_least(Level::Primary))
    }

    fn if_head(&self, condition: &str) -> String {
        format!("if ({condition}) then")
    }

    fn or_else(&self) -> &'static str {
        "else"
    }

    fn while_head(&self, condition: Option<&str>) -> String {
        condition.map_or_else(|| "do".to_owned(), |condition| format!("do while ({condition})"))
    }

    fn leave_unless(&self, condition: &Text) -> Vec<String> {
        vec![format!("if ({}) exit", self.negated(condition))]
    }

    /// Unsigned counters have no `do` loop: its bound would be a signed one.
    fn loop_head(&self, counting: &Counting<'_>) -> Vec<String> {
        let Counting { scalar, name, from, to, .. } = counting;
        if is_unsigned(*scalar) {
            return vec![format!("{name} = {from}"), format!("do while (blt({name}, {}))", to.text)];
        }
        let last = match to.text.strip_suffix(&format!("_{}", kind(*scalar))).map(str::parse::<i64>) {
            Some(Ok(bound)) if bound > i64::from(i8::MIN) => format!("{}_{}", bound - 1, kind(*scalar)),
            _ => format!("{} - 1_{}", to.at_least(Level::Sum), kind(*scalar)),
        };
        let step = match counting.constant_step {
            Some(1) => String::new(),
            _ => format!(", {}", counting.step),
        };
        vec![format!("do {name} = {from}, {last}{step}")]
    }

    fn loop_tail(&self, counting: &Counting<'_>) -> Option<String> {
        let Counting { scalar, name, step, .. } = counting;
        let add = || self.helper(Helper::Add(scalar.bits()));
        is_unsigned(*scalar).then(|| format!("{name} = {}({name}, {step})", add()))
    }

    fn switch_head(&self, selector: &str) -> String {
        format!("select case ({selector})")
    }

    fn arm_head(&self, values: &[Constant]) -> String {
        let labels: Vec<String> = values.iter().map(|value| self.literal(*value).0).collect();
        if values.is_empty() { "case default".to_owned() } else { format!("case ({})", labels.join(", ")) }
    }

    fn arm_end(&self) -> &'static [&'static str] {
        &[]
    }

    fn end(&self, construct: Construct) -> &'static str {
        match construct {
            Construct::If => "end if",
            Construct::Loop => "end do",
            Construct::Switch => "end select",
            Construct::Subprogram => "end subroutine",
        }
    }

    fn load_half(&self, access: &HalfAccess<'_>) -> String {
        format!("{}({})", self.helper(Helper::HalfToFloat), access.element)
    }

    fn store_half(&self, access: &HalfAccess<'_>, value: &str) -> String {
        format!("{} = {}({value})", access.element, self.helper(Helper::FloatToHalf))
    }

    /// Fortran has none: it is printed as any other store.
    fn store_streaming(&self, element: &str, _: &str, value: &str) -> String {
        self.assignment(element, value)
    }

    fn query(&self, query: Query, dimension: usize) -> (String, Level) {
        let d = dimension;
        match query {
            Query::GlobalId => (format!("group_{d} * local_size({d}) + local_{d}"), Level::Sum),
            Query::GlobalSize => (format!("groups({d}) * local_size({d})"), Level::Product),
            Query::LocalId => (format!("local_{d}"), Level::Primary),
            Query::GroupId => (format!("group_{d}"), Level::Primary),
            Query::LocalSize => (format!("local_size({d})"), Level::Primary),
            Query::GroupCount => (format!("groups({d})"), Level::Primary),
        }
    }

    fn barrier(&self, _: bool) -> String {
        String::new()
    }

    fn atomic(&self, atomic: &Atomic<'_>) -> Vec<String> {
        let Atomic { op, target, element, scalar, values } = atomic;
        let old = target.as_ref().map_or(*element, |(name, _)| name.as_str());
        let value = &values[values.len() - 1];
        let new = match op {
            AtomicOp::Add => format!("{}({old}, {value})", self.helper(Helper::Add(scalar.bits()))),
            AtomicOp::Min if is_unsigned(*scalar) => {
                format!("{}({old}, {value})", self.helper(Helper::MinUnsigned(scalar.bits())))
            }
            AtomicOp::Max if is_unsigned(*scalar) => {
                format!("{}({old}, {value})", self.helper(Helper::MaxUnsigned(scalar.bits())))
            }
            AtomicOp::Min => format!("min({old}, {value})"),
            AtomicOp::Max => format!("max({old}, {value})"),
            AtomicOp::Exchange => value.clone(),
            AtomicOp::CompareExchange => format!("merge({value}, {old}, {old} == ({}))", values[0]),
        };
        let read = target.as_ref().map(|(name, _)| format!("{name} = {element}"));
        let head = std::iter::once("!$omp critical (atomic_step)".to_owned()).chain(read);
        head.chain([format!("{element} = {new}"), "!$omp end critical (atomic_step)".to_owned()]).collect()
    }

    fn literal(&self, constant: Constant) -> (String, Level) {
        let scalar = constant.scalar_type();
        let suffix = kind(scalar);
        // Decimals of subnormal numbers are refused by some compilers, and infinities have none.
        let real = |value: f64, text: String, bits: Constant, is_normal: bool| {
            if is_normal || value == 0.0 {
                let level = if text.starts_with('-') { Level::Sum } else { Level::Primary };
                return (format!("{text}_{suffix}"), level);
            }
            (format!("transfer({}, 0.0_{suffix})", self.literal(bits).0), Level::Primary)
        };
        match constant {
            Constant::Bool(value) => (if value { ".true." } else { ".false." }.to_owned(), Level::Primary),
            Constant::F32(bits) => {
                let value = f32::from_bits(bits);
                real(value.into(), format!("{value:?}"), Constant::U32(bits), value.is_normal())
            }
            Constant::F64(bits) => {
                let value = f64::from_bits(bits);
                real(value, format!("{value:?}"), Constant::U64(bits), value.is_normal())
            }
            _ => {
                // The signed integer of the same bits.
                let above = u64::BITS - scalar.bits();
                let value = (constant.bits() << above) as i64 >> above;
                let min = i64::MIN >> above;
                match value {
                    _ if value == min => (format!("(-{}_{suffix} - 1_{suffix})", -(value + 1)), Level::Primary),
                    0.. => (format!("{value}_{suffix}"), Level::Primary),
                    _ => (format!("{value}_{suffix}"), Level::Sum),
                }
            }
        }
    }
}

impl HostDialect for Fortran {
    fn language(&self) -> &'static str {
        "Fortran"
    }

    fn declare_item(&self, printer: &mut Printer<'_>) {
        printer.locals.push((self.scalar_name(ScalarType::I64).to_owned(), "item".to_owned()));
    }

    fn local_size(&self, dimension: usize) -> String {
        format!("local_size({dimension})")
    }

    fn open_items(&self, printer: &mut Printer<'_>, numbered: bool) {
        for dimension in (0..3).rev() {
            let name = format!("local_{dimension}");
            printer.open(&format!("do {name} = 0, local_size({dimension}) - 1"));
            let local = (self.scalar_name(ScalarType::I64).to_owned(), name);
            if !printer.locals.contains(&local) {
                printer.locals.push(local);
            }
        }
        if numbered {
            printer.line("item = local_0 + local_size(0) * (local_1 + local_size(1) * local_2)");
        }
    }

    fn close_items(&self, printer: &mut Printer<'_>) {
        (0..3).for_each(|_| printer.close(Construct::Loop));
    }
}

/// The kernel in Fortran: a module with a subroutine of the number of groups and of work-items in a group, per
/// dimension, and of the arguments.
pub(in super::super) fn fortran(program: &Program) -> Result<String, BuildError> {
    check_functions(program)?;
    let renamed = names::renamed(&without_vectors(program));
    let dialect = Fortran::default();
    let regions = Regions::of(&renamed, &dialect)?;
    let mut printer = Printer::new(&renamed, &dialect);
    printer.indent = 1;
    functions(&mut printer);
    let functions = std::mem::take(&mut printer.out);
    let call = group(&mut printer, &regions);
    let group = std::mem::take(&mut printer.out);
    kernel(&mut printer, &program.name, &call);
    let procedures = [std::mem::take(&mut printer.out), group, functions].concat();
    let text = module(&dialect, &renamed, &procedures);
    Ok(lines::wrapped(&text))
}

/// The kernel in Fortran, and a subroutine `entry` with the addresses of all arguments in one array.
pub(in super::super) fn fortran_with_entry(program: &Program, entry: &str) -> Result<String, BuildError> {
    let text = fortran(program)?;
    let renamed = names::renamed(&without_vectors(program));
    let dialect = Fortran::default();
    let mut declarations = String::new();
    let mut statements = String::new();
    let mut names = String::new();
    for (number, parameter) in renamed.parameters.iter().enumerate() {
        let (scalar, shape, form) = match parameter {
            Parameter::Scalar(id) => (renamed.nodes[*id].value_type.scalar, "", ", pointer"),
            Parameter::Memory(memory) => (renamed.memories[*memory].element.scalar, ", [1]", ", pointer, contiguous"),
        };
        let dimension = if shape.is_empty() { "" } else { "(:)" };
        declarations += &format!("    {}{form} :: a{number}{dimension}\n", dialect.scalar_name(scalar));
        statements += &format!("    call c_f_pointer(addresses({number}), a{number}{shape})\n");
        names += &format!(", a{number}");
    }
    // The kernel has another name here, so that it may be that of an argument.
    let call = format!("    call affinimath_kernel_call(groups, local_size{names})\n");
    let head = format!(
        "\nsubroutine {entry}(groups, local_size, addresses) bind(c, name=\"{entry}\")\n    \
         use, intrinsic :: iso_c_binding\n    use {}, only: affinimath_kernel_call => {}\n    implicit none\n    \
         integer(c_int64_t), intent(in) :: groups(0:2), local_size(0:2)\n    \
         type(c_ptr), intent(in) :: addresses(0:*)\n",
        names::module(&renamed),
        renamed.name
    );
    Ok([text, lines::wrapped(&[head, declarations, statements, call].concat()), "end subroutine\n".to_owned()].concat())
}

/// Functions that are text need one in Fortran.
fn check_functions(program: &Program) -> Result<(), BuildError> {
    for function in super::heads::called(program) {
        if function.foreign.as_ref().is_some_and(|foreign| foreign.fortran.is_none()) {
            let reason = format!("the function '{}' is given as text of other languages", function.name);
            return Err(BuildError::Target { target: "Fortran", reason });
        }
    }
    Ok(())
}

/// The module around the procedures.
fn module(dialect: &Fortran, program: &Program, procedures: &str) -> String {
    let (interfaces, functions) = helpers::texts(dialect.used.borrow().clone());
    let body = [procedures, &functions].concat();
    // Text that is given may have capitals.
    let all = [&interfaces, &body].map(String::as_str).concat().to_ascii_lowercase();
    let kinds = ["c_double", "c_float", "c_int8_t", "c_int16_t", "c_int32_t", "c_int64_t"];
    let used: Vec<&str> = kinds.into_iter().filter(|kind| lines::has_word(&all, kind)).collect();
    let name = names::module(program);
    let mut comment = String::new();
    for line in program.comment.iter().flat_map(|comment| comment.lines()) {
        comment += &format!("{}\n", dialect.comment(line.trim()));
    }
    format!(
        "{comment}module {name}\n    use, intrinsic :: iso_c_binding, only: {}\n    implicit none\n    private\n    \
         public :: {}\n{interfaces}contains\n\n{}\nend module\n",
        used.join(", "),
        program.name,
        body.trim_end_matches('\n')
    )
}

/// The kernel's functions.
fn functions(printer: &mut Printer<'_>) {
    let program = printer.program;
    for function in super::heads::called(program) {
        let mut declarations = Vec::new();
        let mut names = Vec::new();
        for (number, id) in function.parameters.iter().enumerate() {
            let given = function.foreign.as_ref().map(|foreign| foreign.parameters[number].clone());
            let name = given.unwrap_or_else(|| printer.parameter_name(number));
            let type_name = printer.type_name(program.nodes[*id].value_type);
            declarations.push(format!("{type_name}, intent(in) :: {name}"));
            printer.texts.insert(*id, Text::name(&name));
            names.push(name);
        }
        let result = printer.type_name(program.nodes[function.result].value_type);
        declarations.push(format!("{result} :: result"));
        let before = std::mem::take(&mut printer.out);
        printer.indent += 1;
        if let Some(foreign) = &function.foreign {
            printer.dialect.foreign(foreign).lines().for_each(|line| printer.line(line));
        } else {
            function.body.iter().for_each(|statement| printer.statement(statement));
            let text = printer.take(function.result).text;
            printer.flush(|_| true);
            printer.assign("result", &text);
        }
        printer.indent -= 1;
        let body = std::mem::replace(&mut printer.out, before);
        printer.open(&format!("function {}({}) result(result)", function.name, names.join(", ")));
        declarations.iter().for_each(|line| printer.line(line));
        declare_locals(printer);
        printer.out += &body;
        printer.indent -= 1;
        printer.line("end function");
        printer.out.push('\n');
    }
}

fn declare_locals(printer: &mut Printer<'_>) {
    for line in lines::declarations(std::mem::take(&mut printer.locals)) {
        printer.line(&line);
    }
}

/// Names of the kernel's arguments, and their declarations in the kernel or in its group.
fn arguments(printer: &Printer<'_>, in_kernel: bool) -> Vec<(String, String)> {
    let program = printer.program;
    let one = |parameter: &Parameter| match parameter {
        Parameter::Scalar(id) => {
            let node = &program.nodes[*id];
            let name = node.name.clone().unwrap_or_default();
            let attribute = if in_kernel { "value" } else { "intent(in)" };
            let declaration = format!("{}, {attribute} :: {name}", printer.type_name(node.value_type));
            (name, declaration)
        }
        Parameter::Memory(memory) => {
            let memory: &Memory = &program.memories[*memory];
            // With intent(out), elements that nobody writes would be undefined.
            let intent = if memory.access == Access::Read { "in" } else { "inout" };
            let type_name = printer.dialect.array_type(memory.element);
            (memory.name.clone(), format!("{type_name}, intent({intent}) :: {}(0:*)", memory.name))
        }
    };
    program.parameters.iter().map(one).collect()
}

/// Names and declarations before the kernel's arguments.
fn sizes() -> Vec<(String, String)> {
    ["groups", "local_size"]
        .map(|name| (name.to_owned(), format!("integer(c_int64_t), intent(in) :: {name}(0:2)")))
        .to_vec()
}

/// The names of the arguments that a group's text has.
fn group_arguments(printer: &Printer<'_>, text: &str) -> Vec<(String, String)> {
    let number = |dimension: usize| {
        let name = format!("group_{dimension}");
        let declaration = format!("integer(c_int64_t), intent(in) :: {name}");
        (name, declaration)
    };
    let all = sizes().into_iter().chain((0..3).map(number)).chain(arguments(printer, false));
    all.filter(|(name, _)| lines::has_word(text, name)).collect()
}

/// The kernel's subroutine: the loops over groups, and the call for each.
fn kernel(printer: &mut Printer<'_>, bound_name: &str, call: &str) {
    let name = &printer.program.name;
    let all: Vec<_> = sizes().into_iter().chain(arguments(printer, true)).collect();
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    printer.open(&format!("subroutine {name}({}) bind(c, name=\"{bound_name}\")", names.join(", ")));
    all.iter().for_each(|(_, declaration)| printer.line(declaration));
    printer.line("integer(c_int64_t) :: group_0, group_1, group_2");
    printer.out.push('\n');
    printer.line("!$omp parallel do collapse(3)");
    for dimension in (0..3).rev() {
        printer.open(&format!("do group_{dimension} = 0, groups({dimension}) - 1"));
    }
    printer.line(call);
    (0..3).for_each(|_| printer.close(Construct::Loop));
    printer.line("!$omp end parallel do");
    printer.close(Construct::Subprogram);
    printer.out.push('\n');
}

/// The subroutine of a group, whose variables are each thread's own, and the call of it.
fn group(printer: &mut Printer<'_>, regions: &Regions<'_>) -> String {
    printer.indent += 1;
    printer.declare_arrays(Space::Local, "");
    regions.print(printer);
    printer.indent -= 1;
    let body = std::mem::take(&mut printer.out);
    let arguments = group_arguments(printer, &[&declared(printer), &body].map(String::as_str).concat());
    let names: Vec<&str> = arguments.iter().map(|(name, _)| name.as_str()).collect();
    let head = format!("{}({})", names::group(printer.program), names.join(", "));
    printer.open(&format!("recursive subroutine {head}"));
    arguments.iter().for_each(|(_, declaration)| printer.line(declaration));
    declare_locals(printer);
    printer.out.push('\n');
    printer.out += &body;
    printer.close(Construct::Subprogram);
    printer.out.push('\n');
    format!("call {head}")
}

/// The declarations of local names as text.
fn declared(printer: &Printer<'_>) -> String {
    printer.locals.iter().map(|(_, name)| format!("{name}\n")).collect()
}
