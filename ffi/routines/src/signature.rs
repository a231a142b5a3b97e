//! The expanded rows of the table: one C function per type and form, still as data, for all writers alike.

use crate::table::{Access, Argument, Choice, Element, Family, Kind, LibraryFunction, Number, Routine, TypeVariant};

/// The type behind a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointee {
    /// Elements of a vector or matrix.
    Element(Element),
    /// `int32_t`
    Int32,
    /// `int64_t`
    Int64,
    /// `char`
    Char,
    /// `void`: elements whose type another argument determines.
    Void,
    /// A struct of C's, such as `affinimath_fft_descriptor`.
    Struct(Named),
    /// An opaque type of the library, such as `affinimath_fft_plan`.
    Handle(Named),
}

/// A type by its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// In Rust.
    pub rust: &'static str,
    /// In C and Fortran, without `affinimath_`.
    pub c: &'static str,
}

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// `int`
    Int,
    /// `int64_t`
    Int64,
    /// A scalar by value.
    Value(Element),
    /// A pointer that receives a new handle.
    New(Named),
    /// `void **`: a pointer that receives an address.
    Address,
    /// A callback.
    Callback(Named),
    /// `void *`: an address, such as the pointer that a callback receives.
    User,
    /// A pointer; the flag says whether it is written through.
    Pointer(Pointee, bool),
    /// `cl_command_queue`
    Queue,
    /// `cl_mem`
    Memory,
    /// `cl_event *`, which may be null.
    Event,
}

/// The result of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// A status, as `int`.
    Status,
    /// An `int64_t`.
    Int64,
    /// Text that the library owns.
    Text,
}

/// The memory of a routine's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Behind host pointers.
    Host,
    /// In memory objects.
    Device,
}

/// A parameter of a C function.
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its meaning, and its legal values.
    pub meaning: String,
    /// The count of elements behind a pointer, if it is fixed.
    pub count: Option<usize>,
    /// The length of a row, in terms of the other parameters, if the elements are rows.
    pub row: Option<&'static str>,
}

/// A C function.
pub struct Signature {
    /// Its symbol.
    pub symbol: String,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Its result.
    pub returns: Returns,
    /// Its documentation, one paragraph (or list item) per entry.
    pub documentation: Vec<String>,
}

impl Signature {
    /// One type and form of a routine. The first type carries the whole documentation, the others refer to it.
    pub fn of_routine(routine: &Routine, variant: &TypeVariant, form: Form) -> Self {
        let symbol = symbol(routine, variant, form);
        let parameters = parameters(routine, variant.element, form);
        let first = &routine.types[0];
        let documentation = if std::ptr::eq(variant, first) {
            routine_documentation(routine, form, &parameters)
        } else {
            let model = self::symbol(routine, first, form);
            vec![format!("{} As {model}, for {}.", routine.summary, elements(variant.element))]
        };
        Signature { symbol, parameters, returns: Returns::Status, documentation }
    }

    /// A function about the library itself.
    pub fn of_function(function: &LibraryFunction) -> Self {
        let parameters: Vec<Parameter> = function
            .arguments
            .iter()
            .map(|a| Parameter { count: one(a.ty), ..parameter(a.name, a.ty, a.meaning) })
            .collect();
        let mut documentation = vec![function.summary.to_owned()];
        documentation.extend(function.notes.iter().map(|note| (*note).to_owned()));
        documentation.extend(parameter_list(&parameters));
        if function.returns == Returns::Status {
            documentation.push(STATUS_NOTE.to_owned());
        }
        Signature {
            symbol: format!("affinimath{}", function.name),
            parameters,
            returns: function.returns,
            documentation,
        }
    }
}

/// The forms of a routine, the host's first.
pub fn forms(routine: &Routine) -> impl Iterator<Item = Form> {
    let host = routine.forms.host.then_some(Form::Host);
    let device = routine.forms.device.then_some(Form::Device);
    host.into_iter().chain(device)
}

/// Every function of a family, in the order of the header.
pub fn of_family(family: &Family) -> Vec<Signature> {
    let mut signatures = Vec::new();
    for routine in family.routines {
        for form in forms(routine) {
            signatures.extend(routine.types.iter().map(|variant| Signature::of_routine(routine, variant, form)));
        }
    }
    signatures
}

/// A routine's C name, such as `affinimathSgemmCL`.
pub fn symbol(routine: &Routine, variant: &TypeVariant, form: Form) -> String {
    let suffix = if form == Form::Device { "CL" } else { "" };
    format!("affinimath{}{}{suffix}", variant.letters, routine.name)
}

/// The parameters of one form. Only names and meanings matter where the element type does not.
pub fn parameters(routine: &Routine, element: Element, form: Form) -> Vec<Parameter> {
    let mut list = Vec::new();
    if form == Form::Device {
        list.push(parameter("queue", Type::Queue, "the in-order command queue to enqueue on"));
    }
    for argument in routine.arguments {
        expand(argument, element, form, &mut list);
    }
    if form == Form::Device {
        list.push(parameter(
            "event",
            Type::Event,
            "null, or gets an event that is complete when the result is; release it with clReleaseEvent",
        ));
    }
    list
}

/// The count of elements that a function about the library writes through a pointer: one.
fn one(ty: Type) -> Option<usize> {
    (ty == Type::Pointer(Pointee::Int64, true)).then_some(1)
}

fn parameter(name: &str, ty: Type, meaning: impl Into<String>) -> Parameter {
    Parameter { name: name.to_owned(), ty, meaning: meaning.into(), count: None, row: None }
}

/// One argument of a row: one parameter, or a memory object and its offset.
fn expand(argument: &Argument, element: Element, form: Form, list: &mut Vec<Parameter>) {
    let Argument { name, kind, meaning } = argument;
    if *kind == Kind::Info && form == Form::Host {
        return;
    }
    let row = if let Kind::Rows(_, _, row) = *kind { Some(row) } else { None };
    let mut memory = |pointee, written, count| {
        if form == Form::Host {
            list.push(Parameter { count, row, ..parameter(name, Type::Pointer(pointee, written), *meaning) });
        } else {
            list.push(parameter(name, Type::Memory, *meaning));
            list.push(parameter(
                &format!("off{name}"),
                Type::Int64,
                format!("where {name} begins in its memory object, in elements, at least 0"),
            ));
        }
    };
    match *kind {
        Kind::Matrix(access) | Kind::Packed(access) => {
            memory(Pointee::Element(element), access == Access::Write, None);
        }
        Kind::Vector(access, number) | Kind::Array(access, number) | Kind::Rows(access, number, _) => {
            memory(pointee(number, element), access == Access::Write, None)
        }
        Kind::Scalars(access, number, count) => {
            memory(pointee(number, element), access == Access::Write, Some(count));
        }
        Kind::Result(number) => memory(pointee(number, element), true, Some(1)),
        Kind::Info => memory(Pointee::Int32, true, Some(1)),
        Kind::Scalar(number) => match pointee(number, element) {
            Pointee::Element(element) => list.push(parameter(name, Type::Value(element), *meaning)),
            _ => list.push(parameter(name, Type::Int64, *meaning)),
        },
        // The library's own functions have no workspace.
        Kind::Workspace
        | Kind::WorkspaceLength
        | Kind::UnneededWorkspace
        | Kind::RealWorkspace
        | Kind::IntegerWorkspace
        | Kind::StandardVector(_)
        | Kind::Only(_) => {}
        Kind::Iterations => {
            let count = parameter(name, Type::Pointer(Pointee::Int32, true), *meaning);
            list.push(Parameter { count: Some(1), ..count });
        }
        Kind::Flags(access) => {
            list.push(parameter(name, Type::Pointer(Pointee::Int32, access == Access::Write), *meaning));
        }
        Kind::Letter => {
            let letter = parameter(name, Type::Pointer(Pointee::Char, true), *meaning);
            list.push(Parameter { count: Some(1), ..letter });
        }
        Kind::RealResult => {
            let result = parameter(name, Type::Pointer(pointee(Number::Real, element), true), *meaning);
            list.push(Parameter { count: Some(1), ..result });
        }
        Kind::Handle(access, handle) => {
            list.push(parameter(name, Type::Pointer(Pointee::Handle(handle), access == Access::Write), *meaning));
        }
        Kind::NewHandle(handle) => list.push(parameter(name, Type::New(handle), *meaning)),
        Kind::Struct(access, item) => {
            list.push(parameter(name, Type::Pointer(Pointee::Struct(item), access == Access::Write), *meaning));
        }
        Kind::Text => list.push(parameter(name, Type::Pointer(Pointee::Char, false), *meaning)),
        Kind::Callback([host, device]) => {
            list.push(parameter(name, Type::Callback(if form == Form::Host { host } else { device }), *meaning));
        }
        Kind::User => list.push(parameter(name, Type::User, *meaning)),
        Kind::Offsets => list.push(parameter(name, Type::Pointer(Pointee::Int64, false), *meaning)),
        Kind::Layout
        | Kind::Op
        | Kind::Triangle
        | Kind::Diagonal
        | Kind::Side
        | Kind::Norm
        | Kind::Job
        | Kind::Range
        | Kind::Choice(_)
        | Kind::ConsistentNorm
        | Kind::Direction
        | Kind::Extent => {
            list.push(parameter(name, Type::Int, format!("{meaning}: {}", legal_values(*kind))));
        }
        Kind::Size
        | Kind::AxisLength
        | Kind::Length
        | Kind::LeadingDimension
        | Kind::ResultLeadingDimension
        | Kind::Increment
        | Kind::Stride => {
            list.push(parameter(name, Type::Int64, format!("{meaning}, {}", legal_values(*kind))));
        }
    }
}

fn legal_values(kind: Kind) -> &'static str {
    match kind {
        Kind::Layout => "AFFINIMATH_ROW_MAJOR or AFFINIMATH_COL_MAJOR",
        Kind::Op => "AFFINIMATH_NO_TRANS, AFFINIMATH_TRANS, AFFINIMATH_CONJ_TRANS or AFFINIMATH_CONJ_NO_TRANS",
        Kind::Triangle => "AFFINIMATH_UPPER or AFFINIMATH_LOWER",
        Kind::Diagonal => "AFFINIMATH_NON_UNIT or AFFINIMATH_UNIT",
        Kind::Side => "AFFINIMATH_LEFT or AFFINIMATH_RIGHT",
        Kind::Norm => "AFFINIMATH_ONE_NORM, AFFINIMATH_INFINITY_NORM, AFFINIMATH_FROBENIUS_NORM or AFFINIMATH_MAX_NORM",
        Kind::Job => {
            "AFFINIMATH_NO_VECTORS, AFFINIMATH_VECTORS of eigenvalues, and of singular values AFFINIMATH_ALL_VECTORS, \
             AFFINIMATH_THIN_VECTORS or AFFINIMATH_OVERWRITE; of a reduced matrix AFFINIMATH_TRIDIAGONAL_VECTORS, of \
             its factors AFFINIMATH_FACTOR_Q or AFFINIMATH_FACTOR_P, and of a reduction AFFINIMATH_UPDATE_VECTORS"
        }
        Kind::Range => "AFFINIMATH_RANGE_ALL, AFFINIMATH_RANGE_VALUES or AFFINIMATH_RANGE_INDICES",
        Kind::Choice(choice) => legal_choices(choice),
        Kind::ConsistentNorm => "AFFINIMATH_ONE_NORM or AFFINIMATH_INFINITY_NORM",
        Kind::Direction => "AFFINIMATH_FORWARD or AFFINIMATH_BACKWARD",
        Kind::Extent => "AFFINIMATH_FULL, AFFINIMATH_SAME, AFFINIMATH_VALID or AFFINIMATH_CIRCULAR",
        Kind::Size => "at least 0",
        Kind::AxisLength => "at least 1",
        Kind::Length => "where 0 and less mean that there is nothing to do",
        Kind::LeadingDimension | Kind::ResultLeadingDimension => {
            "in elements, at least 1 and at least the rows of the matrix as stored (its columns, in row-major layout)"
        }
        Kind::Increment => "in elements, not 0; when negative the vector is walked from its end",
        Kind::Stride => "in elements",
        _ => "",
    }
}

fn legal_choices(choice: Choice) -> &'static str {
    match choice {
        Choice::Balance => {
            "AFFINIMATH_BALANCE_NONE, AFFINIMATH_BALANCE_PERMUTE, AFFINIMATH_BALANCE_SCALE or AFFINIMATH_BALANCE_BOTH"
        }
        Choice::Sense => {
            "AFFINIMATH_SENSE_NONE, AFFINIMATH_SENSE_VALUES, AFFINIMATH_SENSE_VECTORS or AFFINIMATH_SENSE_BOTH"
        }
        Choice::SchurJob => "AFFINIMATH_EIGENVALUES or AFFINIMATH_SCHUR_FORM",
        Choice::HowMany => {
            "AFFINIMATH_EIGENVECTORS_ALL, AFFINIMATH_EIGENVECTORS_PRODUCT or AFFINIMATH_EIGENVECTORS_SELECTED"
        }
        Choice::Sides => "AFFINIMATH_LEFT_VECTORS, AFFINIMATH_RIGHT_VECTORS or AFFINIMATH_BOTH_VECTORS",
        Choice::Fact => "AFFINIMATH_FACT_COMPUTED, AFFINIMATH_FACT_EQUILIBRATED or AFFINIMATH_FACT_GIVEN",
        Choice::Sort => "",
    }
}

fn pointee(number: Number, element: Element) -> Pointee {
    let real = match element {
        Element::F16 => Element::F16,
        Element::F32 | Element::C32 => Element::F32,
        Element::F64 | Element::C64 => Element::F64,
    };
    let complex = || match element {
        Element::F16 => unreachable!("there are no complex numbers in half precision"),
        Element::F32 | Element::C32 => Element::C32,
        Element::F64 | Element::C64 => Element::C64,
    };
    match number {
        Number::Element => Pointee::Element(element),
        Number::Complex => Pointee::Element(complex()),
        Number::Real => Pointee::Element(real),
        Number::F32 => Pointee::Element(Element::F32),
        Number::F64 => Pointee::Element(Element::F64),
        Number::I32 => Pointee::Int32,
        Number::I64 => Pointee::Int64,
    }
}

/// A type's elements, in words.
pub fn elements(element: Element) -> &'static str {
    match element {
        Element::F16 => "half",
        Element::F32 => "float",
        Element::F64 => "double",
        Element::C32 => "complex numbers of float",
        Element::C64 => "complex numbers of double",
    }
}

const STATUS_NOTE: &str = "Returns 0, -i when argument i is wrong, or another status: see affinimathStatusString.";

fn routine_documentation(routine: &Routine, form: Form, parameters: &[Parameter]) -> Vec<String> {
    let mut text = vec![routine.summary.to_owned()];
    if form == Form::Device {
        let host = symbol(routine, &routine.types[0], Form::Host);
        text.push(match routine.forms.waits {
            false => format!("As {host}, on memory objects: enqueued on the queue, and running when the call returns."),
            true => format!(
                "As {host}, on memory objects, in the queue's order. The call waits for what the host decides on in \
                 its middle."
            ),
        });
    } else {
        text.extend(routine.notes.iter().map(|note| (*note).to_owned()));
    }
    text.extend(parameter_list(parameters));
    text.push(match form {
        Form::Host => "Returns 0, or -i when argument i is wrong (the first one, in this order; nothing was touched), \
                       or -1000 and below for the library's own errors."
            .to_owned(),
        Form::Device => "Returns 0, or -i when argument i is wrong (nothing was enqueued), or -1000 and below for the \
                         library's own errors. Numbers and null are checked first, in this order, then the memory \
                         objects, in this order: one that is too small is a wrong argument. A queue that executes out \
                         of order gives AFFINIMATH_INVALID_QUEUE, memory of another context than the queue's \
                         AFFINIMATH_MIXED_MEMORY."
            .to_owned(),
    });
    text.push(format!("Source: {}.", routine.source));
    text
}

/// The meaning of each parameter, numbered from 1.
pub fn parameter_list(parameters: &[Parameter]) -> impl Iterator<Item = String> {
    parameters.iter().enumerate().map(|(i, p)| format!("{}. {}: {}", i + 1, p.name, p.meaning))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::families;

    fn names(symbol: &str) -> String {
        let signatures: Vec<Signature> = families().flat_map(of_family).collect();
        let signature = signatures.iter().find(|s| s.symbol == symbol).expect("a function of this name");
        signature.parameters.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(" ")
    }

    mod host {
        use super::*;

        #[test]
        fn the_forms_of_gemm_are_those_of_the_contract() {
            assert_eq!(names("affinimathSgemm"), "layout transa transb m n k alpha a lda b ldb beta c ldc");
            assert_eq!(
                names("affinimathZgemmCL"),
                "queue layout transa transb m n k alpha a offa lda b offb ldb beta c offc ldc event"
            );
        }

        #[test]
        fn a_vector_brings_its_offset_before_its_increment() {
            assert_eq!(names("affinimathSaxpy"), "n alpha x incx y incy");
            assert_eq!(names("affinimathSaxpyCL"), "queue n alpha x offx incx y offy incy event");
        }
    }
}
