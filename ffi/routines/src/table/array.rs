//! Arrays and text expressions.

use super::constants::{Constant, ConstantGroup};
use super::fft::field;
use super::library::{FunctionGroup, LibraryFunction, PlainArgument, Struct, plain};
use crate::signature::{Named, Pointee, Returns, Type};

const fn element(name: &'static str, value: i32, rust: &'static str, meaning: &'static str) -> Constant {
    Constant { name, value, rust, meaning }
}

/// Types of elements.
pub(super) const CONSTANTS: &[ConstantGroup] = &[ConstantGroup {
    title: "Types of arrays' elements",
    expression: "crate::arrays::code(affinimath::array::ElementType::{})",
    constants: &[
        element("TYPE_BOOL", 501, "Bool", "A byte, 0 or 1."),
        element("TYPE_UINT8", 502, "U8", "uint8_t"),
        element("TYPE_INT32", 503, "I32", "int32_t"),
        element("TYPE_UINT32", 504, "U32", "uint32_t"),
        element("TYPE_INT64", 505, "I64", "int64_t"),
        element("TYPE_FLOAT", 506, "F32", "float"),
        element("TYPE_DOUBLE", 507, "F64", "double"),
        element("TYPE_COMPLEX_FLOAT", 508, "C32", "affinimath_c32"),
        element("TYPE_COMPLEX_DOUBLE", 509, "C64", "affinimath_c64"),
    ],
}];

pub(super) const ARRAY_TYPE: Named = Named { rust: "Array", c: "array" };
pub(super) const EXPRESSION_TYPE: Named = Named { rust: "Expression", c: "expression" };

pub(super) const OPERAND: Struct = Struct {
    ty: Named { rust: "ArrayOperand", c: "operand" },
    summary: "An operand of a text: an array, or elements in the host's memory.",
    fields: &[
        field("name", Type::Pointer(Pointee::Char, false), None, "Its name in the text; empty for the text's value."),
        field("array", Type::Pointer(Pointee::Handle(ARRAY_TYPE), false), None, "An array, or null for elements."),
        field("data", Type::Pointer(Pointee::Void, true), None, "The element of which all indices are 0."),
        field("element", Type::Int, None, "AFFINIMATH_TYPE_DOUBLE or another type of elements."),
        field(
            "rank",
            Type::Int,
            None,
            "Its axes, 0 to 8; -1 of a number, which takes the type of the arrays that it meets.",
        ),
        field("shape", Type::Int64, Some(8), "Elements along each axis."),
        field("strides", Type::Int64, Some(8), "Elements between neighbours along each axis; negative ones too."),
    ],
};

pub(super) const OPERAND_CL: Struct = Struct {
    ty: Named { rust: "OperandCl", c: "operand_cl" },
    summary: "An operand of a text, in a memory object.",
    fields: &[
        field("name", Type::Pointer(Pointee::Char, false), None, "Its name in the text; empty for the text's value."),
        field("memory", Type::Memory, None, "The memory object; null for an operand without elements."),
        field("offset", Type::Int64, None, "Elements before the one of which all indices are 0."),
        field("element", Type::Int, None, "AFFINIMATH_TYPE_DOUBLE or another type of elements."),
        field("rank", Type::Int, None, "Its axes, 0 to 8."),
        field("shape", Type::Int64, Some(8), "Elements along each axis."),
        field("strides", Type::Int64, Some(8), "Elements between neighbours along each axis; negative ones too."),
    ],
};

const RESULT: Struct = Struct {
    ty: Named { rust: "ArrayResult", c: "array_result" },
    summary: "A result of a text.",
    fields: &[
        field(
            "array",
            Type::Pointer(Pointee::Handle(ARRAY_TYPE), true),
            None,
            "The array; affinimathArrayDestroy ends it.",
        ),
        field("element", Type::Int, None, "AFFINIMATH_TYPE_DOUBLE or another type of elements."),
        field("rank", Type::Int, None, "Its axes."),
        field("shape", Type::Int64, Some(8), "Elements along each axis."),
    ],
};

/// Arrays and text expressions.
pub(super) const ARRAYS: FunctionGroup = FunctionGroup {
    module: "arrays",
    title: "Arrays and text expressions",
    structs: &[OPERAND, OPERAND_CL, RESULT],
    functions: &[
        ARRAY_CREATE,
        ARRAY_DOWNLOAD,
        ARRAY_EVALUATE,
        ARRAY_EVALUATE_ALL,
        ARRAY_DEVICE,
        ARRAY_DESTROY,
        EXPRESSION_CREATE,
        EXPRESSION_APPLY,
        EXPRESSION_VALUE,
        EXPRESSION_RUN,
        EXPRESSION_RUN_CL,
        EXPRESSION_DESTROY,
    ],
};

const ARRAY: PlainArgument = plain("array", Type::Pointer(Pointee::Handle(ARRAY_TYPE), false), "the array");
const EXPRESSION: PlainArgument =
    plain("expression", Type::Pointer(Pointee::Handle(EXPRESSION_TYPE), false), "the expression");
const COUNT: PlainArgument = plain("count", Type::Int64, "how many operands");
const OPERANDS: PlainArgument =
    plain("operands", Type::Pointer(Pointee::Struct(OPERAND.ty), false), "the operands, count of them");

const ARRAY_CREATE: LibraryFunction = LibraryFunction {
    name: "ArrayCreate",
    function: "create",
    summary: "Makes an array with a copy of elements of the host, in the memory of a device or of the host.",
    notes: &["On an error array is left as it was."],
    arguments: &[
        plain("operand", Type::Pointer(Pointee::Struct(OPERAND.ty), false), "the elements; its name is not looked at"),
        plain("device", Type::Int64, "the device's number, -1 for the host, or -2 for the one of affinimathGetDevice"),
        plain("array", Type::New(ARRAY_TYPE), "gets the array; affinimathArrayDestroy ends it"),
    ],
    returns: Returns::Status,
};

const ARRAY_DOWNLOAD: LibraryFunction = LibraryFunction {
    name: "ArrayDownload",
    function: "download",
    summary: "Copies an array's elements to the host's memory, row after row, and waits for them.",
    notes: &["An expression is evaluated first."],
    arguments: &[ARRAY, plain("data", Type::Pointer(Pointee::Void, true), "gets all elements of the array")],
    returns: Returns::Status,
};

const ARRAY_EVALUATE: LibraryFunction = LibraryFunction {
    name: "ArrayEvaluate",
    function: "evaluate",
    summary: "Evaluates an array that is an expression. On a device it may still be computed when the call returns.",
    notes: &[],
    arguments: &[ARRAY],
    returns: Returns::Status,
};

const ARRAY_EVALUATE_ALL: LibraryFunction = LibraryFunction {
    name: "ArrayEvaluateAll",
    function: "evaluate_all",
    summary: "Evaluates arrays of one device together: what several of them need is computed once.",
    notes: &["On a device they may still be computed when the call returns."],
    arguments: &[
        plain("count", Type::Int64, "how many arrays"),
        plain(
            "operands",
            Type::Pointer(Pointee::Struct(OPERAND.ty), false),
            "operands with the arrays, count of them; their names are not looked at",
        ),
    ],
    returns: Returns::Status,
};

const ARRAY_DEVICE: LibraryFunction = LibraryFunction {
    name: "ArrayDevice",
    function: "array_device",
    summary: "Tells which memory an array lies in.",
    notes: &[],
    arguments: &[
        ARRAY,
        plain("device", Type::Pointer(Pointee::Int64, true), "gets the device's number, or -1 for the host"),
    ],
    returns: Returns::Status,
};

const ARRAY_DESTROY: LibraryFunction = LibraryFunction {
    name: "ArrayDestroy",
    function: "destroy",
    summary: "Ends an array. Expressions that read it are not affected.",
    notes: &[],
    arguments: &[plain(
        "array",
        Type::Pointer(Pointee::Handle(ARRAY_TYPE), true),
        "the array, or null, for which nothing is done",
    )],
    returns: Returns::Status,
};

const EXPRESSION_CREATE: LibraryFunction = LibraryFunction {
    name: "ExpressionCreate",
    function: "parse",
    summary: "Parses a text, such as \"d = x*exp(-r*t); s*normcdf(a) - d*normcdf(b)\".",
    notes: &["Any number of threads may use the expression at once. An error shows the place in the text."],
    arguments: &[
        plain("text", Type::Pointer(Pointee::Char, false), "the text"),
        plain("expression", Type::New(EXPRESSION_TYPE), "gets the expression; affinimathExpressionDestroy ends it"),
    ],
    returns: Returns::Status,
};

const EXPRESSION_APPLY: LibraryFunction = LibraryFunction {
    name: "ExpressionApply",
    function: "apply",
    summary: "Makes the text's results for operands that are arrays: expressions, which nothing is computed for yet.",
    notes: &[
        "Without an array among the operands, results are the host's. On an error no result is made.",
        "Arrays do not change. Of each operand that the text assigns parts of, a result behind the others has the new \
         elements; these results have the order of the first assignments.",
    ],
    arguments: &[
        EXPRESSION,
        COUNT,
        OPERANDS,
        plain("limit", Type::Int64, "how many results there is memory for"),
        plain("results", Type::Pointer(Pointee::Struct(RESULT.ty), true), "gets the results, in the text's order"),
        plain("made", Type::Pointer(Pointee::Int64, true), "gets how many results there are"),
    ],
    returns: Returns::Status,
};

const EXPRESSION_VALUE: LibraryFunction = LibraryFunction {
    name: "ExpressionValue",
    function: "value",
    summary: "Tells the type and the shape of the text's value for operands in the host's memory.",
    notes: &[
        "Elements are not looked at. A text without a value of its own has the one that it assigns last; one that \
         assigns parts of operands alone has none, and the rank is -1.",
    ],
    arguments: &[
        EXPRESSION,
        COUNT,
        OPERANDS,
        plain("result", Type::Pointer(Pointee::Struct(RESULT.ty), true), "gets type and shape, and no array"),
    ],
    returns: Returns::Status,
};

const EXPRESSION_RUN: LibraryFunction = LibraryFunction {
    name: "ExpressionRun",
    function: "run",
    summary: "Evaluates the text for operands in the host's memory, and waits for it.",
    notes: &[
        "Operands that the text assigns are written, also parts of them as in \"x[1:-1] = y\". The operand whose name \
         is empty gets the text's value. Operands may overlap: each means what it held before.",
    ],
    arguments: &[EXPRESSION, COUNT, OPERANDS],
    returns: Returns::Status,
};

const EXPRESSION_RUN_CL: LibraryFunction = LibraryFunction {
    name: "ExpressionRunCL",
    function: "run_cl",
    summary: "Evaluates the text for operands in memory objects: enqueued on the queue, and running when the call \
     returns.",
    notes: &[
        "Operands are assigned as by affinimathExpressionRun. Those of one memory object may overlap, where their \
         types are the same: each means what it held before. What is written is shared with no other memory object of \
         the call, such as a sub-buffer.",
        "Nothing is copied to the host. A text with indices in arrays or with systems of equations waits for what the \
         host decides on. An error of the arguments enqueues nothing.",
    ],
    arguments: &[
        EXPRESSION,
        plain("queue", Type::Queue, "the in-order command queue to enqueue on"),
        COUNT,
        plain("operands", Type::Pointer(Pointee::Struct(OPERAND_CL.ty), false), "the operands, count of them"),
        plain(
            "event",
            Type::Event,
            "null, or gets an event that is complete when the result is; release it with clReleaseEvent",
        ),
    ],
    returns: Returns::Status,
};

const EXPRESSION_DESTROY: LibraryFunction = LibraryFunction {
    name: "ExpressionDestroy",
    function: "destroy_expression",
    summary: "Ends an expression. Arrays that were made by it are not affected.",
    notes: &["No other call may use the expression meanwhile or afterwards."],
    arguments: &[plain(
        "expression",
        Type::Pointer(Pointee::Handle(EXPRESSION_TYPE), true),
        "the expression, or null, for which nothing is done",
    )],
    returns: Returns::Status,
};
