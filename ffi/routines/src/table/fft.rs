//! Fourier transforms: functions with cached plans, and plans that the caller makes.

use super::Access::{Read, Write};
use super::convolution::{CONVOLVE, CORRELATE};
use super::library::plain;
use super::{
    Argument, Element, Family, Field, Forms, FunctionGroup, Kind, LibraryFunction, Number, PlainArgument, Routine,
    SDCZ, Struct, TypeVariant, argument,
};
use crate::signature::{Named, Pointee, Returns, Type};

pub(super) const FAMILY: Family = Family {
    path: "fft",
    home: "affinimath_abi",
    title: "Fourier transforms",
    routines: &[FFT, FFT_MANY, RFFT, IRFFT, FFT2, RFFT2, IRFFT2, CONVOLVE, CORRELATE],
};

/// The real types, which are those of the real side.
const SD: &[TypeVariant] = &[SDCZ[0], SDCZ[1]];

/// The complex types.
const CZ: &[TypeVariant] = &[SDCZ[2], SDCZ[3]];

const DIRECTION: Argument = argument("direction", Kind::Direction, "the sign in the exponent");
const N: Argument = argument("n", Kind::AxisLength, "numbers of the transform");
const ROWS: Argument = argument("m", Kind::AxisLength, "rows");
const COLUMNS: Argument = argument("n", Kind::AxisLength, "numbers in a row, real ones where there are such");

const X: Argument = argument("x", Kind::Vector(Read, Number::Element), "n numbers");
const Y: Argument = argument("y", Kind::Vector(Write, Number::Element), "gets n numbers");
const HALF_X: Argument = argument("x", Kind::Vector(Read, Number::Complex), "n/2 + 1 complex numbers");
const HALF_Y: Argument = argument("y", Kind::Vector(Write, Number::Complex), "gets n/2 + 1 complex numbers");
const MATRIX_X: Argument =
    argument("x", Kind::Rows(Read, Number::Element, "n"), "m rows of n numbers, one after the other");
const MATRIX_Y: Argument =
    argument("y", Kind::Rows(Write, Number::Element, "n"), "gets m rows of n numbers, one after the other");

const UNNORMALISED: &str =
    "Nothing is normalised, as FFTW has it: forward and then backward, numbers come back times n.";
const UNNORMALISED_2: &str =
    "Nothing is normalised, as FFTW has it: forward and then backward, numbers come back times m * n.";
const DISTINCT: &str = "x and y must not overlap: a plan transforms in place.";
const CACHED: &str =
    "The plan is made at the first call of a size, and kept with those of the last 64 sizes until affinimathShutdown.";
const HALF: &str = "n/2 is rounded down. The other numbers of a row are conjugates of these: X_(n-k) = conj(X_k).";
const UNREAD: &str = "Imaginary parts that would have to be zero are not looked at, and x is left as it was.";

const FFT: Routine = Routine {
    name: "fft",
    module: "fft",
    types: CZ,
    summary: "Transforms complex numbers: y_k := sum over j of x_j exp(direction * 2 pi i j k / n).",
    notes: &[UNNORMALISED, DISTINCT, CACHED],
    source: "FFTW fftw_plan_dft_1d",
    arguments: &[DIRECTION, N, X, Y],
    forms: Forms::BOTH,
    standard: &[],
};

const FFT_MANY: Routine = Routine {
    name: "fftMany",
    module: "fft_many",
    types: CZ,
    summary: "Transforms many vectors of complex numbers, each by itself, that lie one after the other.",
    notes: &["When batch is 0 nothing is done, and no pointer is looked at.", UNNORMALISED, DISTINCT, CACHED],
    source: "FFTW fftw_plan_many_dft",
    arguments: &[
        DIRECTION,
        argument("n", Kind::AxisLength, "numbers of each transform"),
        argument("batch", Kind::Size, "how many transforms"),
        argument("x", Kind::Rows(Read, Number::Element, "n"), "batch vectors of n numbers, one after the other"),
        argument("y", Kind::Rows(Write, Number::Element, "n"), "gets batch vectors of n numbers, one after the other"),
    ],
    forms: Forms::BOTH,
    standard: &[],
};

const RFFT: Routine = Routine {
    name: "rfft",
    module: "rfft",
    types: SD,
    summary: "Transforms real numbers forward: y_k := sum over j of x_j exp(-2 pi i j k / n), for k from 0 to n/2.",
    notes: &[HALF, UNNORMALISED, DISTINCT, CACHED],
    source: "FFTW fftw_plan_dft_r2c_1d",
    arguments: &[N, X, HALF_Y],
    forms: Forms::BOTH,
    standard: &[],
};

const IRFFT: Routine = Routine {
    name: "irfft",
    module: "irfft",
    types: SD,
    summary: "Transforms backward to real numbers, of which rfft gave x: n times the numbers that rfft had.",
    notes: &[HALF, UNREAD, UNNORMALISED, DISTINCT, CACHED],
    source: "FFTW fftw_plan_dft_c2r_1d",
    arguments: &[N, HALF_X, Y],
    forms: Forms::BOTH,
    standard: &[],
};

const FFT2: Routine = Routine {
    name: "fft2",
    module: "fft2",
    types: CZ,
    summary: "Transforms a matrix of complex numbers on both axes: each row, and then each column.",
    notes: &[UNNORMALISED_2, DISTINCT, CACHED],
    source: "FFTW fftw_plan_dft_2d",
    arguments: &[DIRECTION, ROWS, COLUMNS, MATRIX_X, MATRIX_Y],
    forms: Forms::BOTH,
    standard: &[],
};

const RFFT2: Routine = Routine {
    name: "rfft2",
    module: "rfft2",
    types: SD,
    summary: "Transforms a matrix of real numbers forward on both axes: each row as rfft does, and then each column.",
    notes: &[HALF, UNNORMALISED_2, DISTINCT, CACHED],
    source: "FFTW fftw_plan_dft_r2c_2d",
    arguments: &[
        ROWS,
        COLUMNS,
        MATRIX_X,
        argument("y", Kind::Rows(Write, Number::Complex, "n/2 + 1"), "gets m rows of n/2 + 1 complex numbers"),
    ],
    forms: Forms::BOTH,
    standard: &[],
};

const IRFFT2: Routine = Routine {
    name: "irfft2",
    module: "irfft2",
    types: SD,
    summary: "Transforms backward to a matrix of real numbers, of which rfft2 gave x: m * n times the matrix that \
     rfft2 had.",
    notes: &[HALF, UNREAD, UNNORMALISED_2, DISTINCT, CACHED],
    source: "FFTW fftw_plan_dft_c2r_2d",
    arguments: &[
        ROWS,
        COLUMNS,
        argument("x", Kind::Rows(Read, Number::Complex, "n/2 + 1"), "m rows of n/2 + 1 complex numbers"),
        MATRIX_Y,
    ],
    forms: Forms::BOTH,
    standard: &[],
};

/// Plans that the caller makes.
pub(super) const PLANS: FunctionGroup = FunctionGroup {
    module: "fft_plans",
    title: "Plans of Fourier transforms",
    structs: &[DESCRIPTOR],
    functions: &[DEFAULTS, CREATE, DESTROY, WORKSPACE, EXECUTE, EXECUTE_CL],
};

pub(super) const fn field(name: &'static str, ty: Type, count: Option<usize>, meaning: &'static str) -> Field {
    Field { name, ty, count, meaning }
}

pub(super) const PLAN_TYPE: Named = Named { rust: "FftPlan", c: "fft_plan" };

const DESCRIPTOR: Struct = Struct {
    ty: Named { rust: "FftDescriptor", c: "fft_descriptor" },
    summary: "What a plan transforms: one to three axes, in a batch, at any strides.",
    fields: &[
        field("transform", Type::Int, None, "AFFINIMATH_FORWARD, AFFINIMATH_REAL_TO_COMPLEX or another transform."),
        field("precision", Type::Int, None, "AFFINIMATH_SINGLE or AFFINIMATH_DOUBLE."),
        field("rank", Type::Int, None, "How many axes: 1, 2 or 3. What follows in the arrays is not looked at."),
        field("in_place", Type::Int, None, "Not 0 where the output takes the input's place."),
        field(
            "lengths",
            Type::Int64,
            Some(3),
            "Numbers on each axis, real ones where there are such, at least 1. The last axis is that whose neighbours \
             lie nearest.",
        ),
        field("batch", Type::Int64, None, "How many transforms, at least 0."),
        field(
            "input_strides",
            Type::Int64,
            Some(3),
            "Elements of the input, complex or real as it has them, between neighbours on each axis. All 0, with a \
             distance of 0, for row after row, transform after transform.",
        ),
        field(
            "input_distance",
            Type::Int64,
            None,
            "Elements of the input from one transform of the batch to the next.",
        ),
        field("output_strides", Type::Int64, Some(3), "The same of the output. No two of its elements may be one."),
        field("output_distance", Type::Int64, None, "Elements of the output from one transform to the next."),
        field("scale", Type::Value(Element::F64), None, "What all results are multiplied by."),
    ],
};

const PLAN: PlainArgument = plain("plan", Type::Pointer(Pointee::Handle(PLAN_TYPE), false), "the plan");

const DEFAULTS: LibraryFunction = LibraryFunction {
    name: "FftDescriptor",
    function: "describe",
    summary: "Fills a descriptor: one transform, out of place, row after row, results not multiplied.",
    notes: &[
        "What is to be otherwise, set in its fields. Between real and complex numbers, rows of the complex side have \
         n/2 + 1 numbers, and in place those of the real side are padded to 2 (n/2 + 1), where n is the last length \
         and n/2 is rounded down.",
    ],
    arguments: &[
        plain("descriptor", Type::Pointer(Pointee::Struct(DESCRIPTOR.ty), true), "gets the description"),
        plain("transform", Type::Int, "AFFINIMATH_FORWARD, AFFINIMATH_REAL_TO_COMPLEX or another transform"),
        plain("precision", Type::Int, "AFFINIMATH_SINGLE or AFFINIMATH_DOUBLE"),
        plain("rank", Type::Int, "how many axes: 1, 2 or 3"),
        plain("lengths", Type::Pointer(Pointee::Int64, false), "numbers on each axis, at least 1"),
    ],
    returns: Returns::Status,
};

const CREATE: LibraryFunction = LibraryFunction {
    name: "FftPlanCreate",
    function: "create",
    summary: "Makes a plan, which any number of threads may execute at once.",
    notes: &["Programs and tables for a device are made at the plan's first use on it, and held until the plan is \
         destroyed. The descriptor is not needed afterwards. On an error plan is left as it was."],
    arguments: &[
        plain("descriptor", Type::Pointer(Pointee::Struct(DESCRIPTOR.ty), false), "what is to be transformed"),
        plain("plan", Type::New(PLAN_TYPE), "gets the plan; affinimathFftPlanDestroy ends it"),
    ],
    returns: Returns::Status,
};

const DESTROY: LibraryFunction = LibraryFunction {
    name: "FftPlanDestroy",
    function: "destroy",
    summary: "Ends a plan, and what it holds of devices once the work that is enqueued is done.",
    notes: &["No other call may use the plan meanwhile or afterwards."],
    arguments: &[plain(
        "plan",
        Type::Pointer(Pointee::Handle(PLAN_TYPE), true),
        "the plan, or null, for which nothing is done",
    )],
    returns: Returns::Status,
};

const WORKSPACE: LibraryFunction = LibraryFunction {
    name: "FftScratchBytes",
    function: "workspace_bytes",
    summary: "Tells how much workspace affinimathFftExecuteCL needs on a queue's device, and makes the plan ready \
     for it.",
    notes: &[],
    arguments: &[
        PLAN,
        plain("queue", Type::Queue, "the in-order command queue to execute on"),
        plain("bytes", Type::Pointer(Pointee::Int64, true), "gets the number of bytes, which may be 0"),
    ],
    returns: Returns::Status,
};

const EXECUTE: LibraryFunction = LibraryFunction {
    name: "FftExecute",
    function: "execute",
    summary: "Transforms numbers behind host pointers.",
    notes: &[
        "In place, output is the same pointer as input; else the two must not overlap. Between elements that are \
         strides apart nothing is touched. For a batch of 0 nothing is done, and no pointer is looked at.",
    ],
    arguments: &[
        PLAN,
        plain("input", Type::Pointer(Pointee::Void, false), "the first element of the input"),
        plain("output", Type::Pointer(Pointee::Void, true), "the first element of the output"),
    ],
    returns: Returns::Status,
};

const EXECUTE_CL: LibraryFunction = LibraryFunction {
    name: "FftExecuteCL",
    function: "execute_cl",
    summary: "Transforms numbers in memory objects: enqueued on the queue, and running when the call returns.",
    notes: &[
        "In place, input and output are one memory object and the two offsets are equal; of a transform between real \
         and complex numbers both then count complex ones. Else what is read and what is written must not overlap.",
        "Workspace is used from its start, and in the queue's order: calls that may run at the same time need one \
         each.",
    ],
    arguments: &[
        PLAN,
        plain("queue", Type::Queue, "the in-order command queue to enqueue on"),
        plain("input", Type::Memory, "the memory object with the input"),
        plain("offinput", Type::Int64, "where the input begins in it, in the input's elements, at least 0"),
        plain("output", Type::Memory, "the memory object for the output"),
        plain("offoutput", Type::Int64, "where the output begins in it, in the output's elements, at least 0"),
        plain(
            "workspace",
            Type::Memory,
            "memory of at least affinimathFftScratchBytes, whose content is lost, or null for the library's own",
        ),
        plain(
            "event",
            Type::Event,
            "null, or gets an event that is complete when the result is; release it with clReleaseEvent",
        ),
    ],
    returns: Returns::Status,
};
