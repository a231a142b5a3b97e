//! Convolutions and correlations: functions with cached plans, and plans that the caller makes.

use super::Access::{Read, Write};
use super::fft::field;
use super::library::plain;
use super::{
    Argument, Element, Forms, FunctionGroup, Kind, LibraryFunction, Number, PlainArgument, Routine, SDCZ, Struct,
    argument,
};
use crate::signature::{Named, Pointee, Returns, Type};

const ARGUMENTS: &[Argument] = &[
    argument("extent", Kind::Extent, "which results"),
    argument("n", Kind::AxisLength, "numbers of the signal"),
    argument("m", Kind::AxisLength, "numbers of the kernel"),
    argument("x", Kind::Vector(Read, Number::Element), "the signal"),
    argument("h", Kind::Vector(Read, Number::Element), "the kernel"),
    argument("y", Kind::Vector(Write, Number::Element), "gets the results"),
];

const RESULTS: &str = "Of the n + m - 1 results, with zeros beyond both, AFFINIMATH_FULL has all, AFFINIMATH_SAME the \
    n in the middle, from number (m-1)/2 on, AFFINIMATH_VALID the |n - m| + 1 that no zeros go into. \
    AFFINIMATH_CIRCULAR has n results of a signal that goes on periodically, with m at most n.";
const DISTINCT: &str = "y must overlap neither x nor h.";
const CACHED: &str =
    "The plan is made at the first call of a size, and kept with those of the last 64 sizes until affinimathShutdown.";

pub(super) const CONVOLVE: Routine = Routine {
    name: "convolve",
    module: "convolve",
    types: SDCZ,
    summary: "Convolves a signal with a kernel: y_k := sum over j of h_j x_(k-j), for k from 0 to n + m - 2 or those \
     that extent tells.",
    notes: &[RESULTS, DISTINCT, CACHED],
    source: "scipy.signal.fftconvolve",
    arguments: ARGUMENTS,
    forms: Forms::BOTH,
    standard: &[],
};

pub(super) const CORRELATE: Routine = Routine {
    name: "correlate",
    module: "correlate",
    types: SDCZ,
    summary: "Correlates a signal with another: y_k := sum over j of conj(h_j) x_(k-(m-1)+j), for k from 0 to n + m - \
     2 or those that extent tells; in a circle y_k := sum over j of conj(h_j) x_((k+j) mod n).",
    notes: &[RESULTS, DISTINCT, CACHED],
    source: "scipy.signal.correlate",
    arguments: ARGUMENTS,
    forms: Forms::BOTH,
    standard: &[],
};

/// Plans that the caller makes.
pub(super) const PLANS: FunctionGroup = FunctionGroup {
    module: "convolution_plans",
    title: "Plans of convolutions and correlations",
    structs: &[DESCRIPTOR],
    functions: &[DEFAULTS, CREATE, DESTROY, WORKSPACE, EXECUTE, EXECUTE_CL],
};

pub(super) const PLAN_TYPE: Named = Named { rust: "ConvolutionPlan", c: "convolution_plan" };

const DESCRIPTOR: Struct = Struct {
    ty: Named { rust: "ConvolutionDescriptor", c: "convolution_descriptor" },
    summary: "What a plan convolves: signals of one to three axes, in a batch, all row after row.",
    fields: &[
        field("operation", Type::Int, None, "AFFINIMATH_CONVOLUTION or AFFINIMATH_CORRELATION."),
        field("extent", Type::Int, None, "AFFINIMATH_FULL or another extent: which results there are."),
        field("precision", Type::Int, None, "AFFINIMATH_SINGLE or AFFINIMATH_DOUBLE."),
        field("complex_numbers", Type::Int, None, "Not 0 where the numbers are complex."),
        field("rank", Type::Int, None, "How many axes: 1, 2 or 3. What follows in the arrays is not looked at."),
        field("own_kernels", Type::Int, None, "Not 0 where each signal has a kernel of its own; else one serves all."),
        field(
            "signal",
            Type::Int64,
            Some(3),
            "Numbers of a signal on each axis, at least 1. The last axis is that whose neighbours are adjacent.",
        ),
        field("kernel", Type::Int64, Some(3), "Numbers of a kernel on each axis, at least 1."),
        field("batch", Type::Int64, None, "How many signals, at least 0."),
        field("scale", Type::Value(Element::F64), None, "What all results are multiplied by."),
    ],
};

const PLAN: PlainArgument = plain("plan", Type::Pointer(Pointee::Handle(PLAN_TYPE), false), "the plan");

const DEFAULTS: LibraryFunction = LibraryFunction {
    name: "ConvolutionDescriptor",
    function: "describe",
    summary: "Fills a descriptor: one signal of real numbers, results not multiplied.",
    notes: &["What is to be otherwise is set in its fields."],
    arguments: &[
        plain("descriptor", Type::Pointer(Pointee::Struct(DESCRIPTOR.ty), true), "gets the description"),
        plain("operation", Type::Int, "AFFINIMATH_CONVOLUTION or AFFINIMATH_CORRELATION"),
        plain("extent", Type::Int, "AFFINIMATH_FULL, AFFINIMATH_SAME, AFFINIMATH_VALID or AFFINIMATH_CIRCULAR"),
        plain("precision", Type::Int, "AFFINIMATH_SINGLE or AFFINIMATH_DOUBLE"),
        plain("rank", Type::Int, "how many axes: 1, 2 or 3"),
        plain("signal", Type::Pointer(Pointee::Int64, false), "numbers of a signal on each axis, at least 1"),
        plain("kernel", Type::Pointer(Pointee::Int64, false), "numbers of a kernel on each axis, at least 1"),
    ],
    returns: Returns::Status,
};

const CREATE: LibraryFunction = LibraryFunction {
    name: "ConvolutionPlanCreate",
    function: "create",
    summary: "Makes a plan, which any number of threads may execute at once.",
    notes: &["Programs and tables for a device are made at the plan's first use on it, and held until the plan is \
         destroyed. The descriptor is not needed afterwards. On an error plan is left as it was."],
    arguments: &[
        plain("descriptor", Type::Pointer(Pointee::Struct(DESCRIPTOR.ty), false), "what is to be convolved"),
        plain("plan", Type::New(PLAN_TYPE), "gets the plan; affinimathConvolutionPlanDestroy ends it"),
    ],
    returns: Returns::Status,
};

const DESTROY: LibraryFunction = LibraryFunction {
    name: "ConvolutionPlanDestroy",
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
    name: "ConvolutionScratchBytes",
    function: "workspace_bytes",
    summary: "Tells how much workspace affinimathConvolutionExecuteCL needs on a queue's device, and makes the \
     plan ready for it.",
    notes: &[],
    arguments: &[
        PLAN,
        plain("queue", Type::Queue, "the in-order command queue to execute on"),
        plain("bytes", Type::Pointer(Pointee::Int64, true), "gets the number of bytes, which may be 0"),
    ],
    returns: Returns::Status,
};

const EXECUTE: LibraryFunction = LibraryFunction {
    name: "ConvolutionExecute",
    function: "execute",
    summary: "Convolves numbers behind host pointers.",
    notes: &["The output must not overlap the others. For a batch of 0 nothing is done, and no pointer is looked at."],
    arguments: &[
        PLAN,
        plain("signal", Type::Pointer(Pointee::Void, false), "the signals, one after the other"),
        plain("kernel", Type::Pointer(Pointee::Void, false), "the kernel, or one for each signal"),
        plain("output", Type::Pointer(Pointee::Void, true), "gets the results, signal after signal"),
    ],
    returns: Returns::Status,
};

const EXECUTE_CL: LibraryFunction = LibraryFunction {
    name: "ConvolutionExecuteCL",
    function: "execute_cl",
    summary: "Convolves numbers in memory objects: enqueued on the queue, and running when the call returns.",
    notes: &[
        "What is written must not overlap what is read.",
        "Workspace is used from its start, and in the queue's order: calls that may run at the same time need one \
         each.",
    ],
    arguments: &[
        PLAN,
        plain("queue", Type::Queue, "the in-order command queue to enqueue on"),
        plain("signal", Type::Memory, "the memory object with the signals"),
        plain("offsignal", Type::Int64, "where these begin in it, in numbers, at least 0"),
        plain("kernel", Type::Memory, "the memory object with the kernels"),
        plain("offkernel", Type::Int64, "where these begin in it, in numbers, at least 0"),
        plain("output", Type::Memory, "the memory object for the results"),
        plain("offoutput", Type::Int64, "where these begin in it, in numbers, at least 0"),
        plain(
            "workspace",
            Type::Memory,
            "memory of at least affinimathConvolutionScratchBytes, whose content is lost, or null for the library's \
             own",
        ),
        plain(
            "event",
            Type::Event,
            "null, or gets an event that is complete when the result is; release it with clReleaseEvent",
        ),
    ],
    returns: Returns::Status,
};
