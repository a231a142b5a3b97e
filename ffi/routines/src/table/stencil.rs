//! Stencils and their plans.

use super::array::{OPERAND, OPERAND_CL};
use super::fft::field;
use super::library::{FunctionGroup, LibraryFunction, PlainArgument, Struct, plain};
use crate::signature::{Named, Pointee, Returns, Type};

pub(super) const STENCIL_TYPE: Named = Named { rust: "Stencil", c: "stencil" };
pub(super) const PLAN_TYPE: Named = Named { rust: "StencilPlan", c: "stencil_plan" };

const SIZE: Struct = Struct {
    ty: Named { rust: "StencilSize", c: "stencil_size" },
    summary: "The value of a size of a stencil.",
    fields: &[
        field("name", Type::Pointer(Pointee::Char, false), None, "The size's name in the text."),
        field("value", Type::Int64, None, "Its value."),
    ],
};

const OUTCOME: Struct = Struct {
    ty: Named { rust: "StencilOutcome", c: "stencil_outcome" },
    summary: "The end of a run.",
    fields: &[
        field("steps", Type::Int64, None, "Steps that were done."),
        field("stopped", Type::Int, None, "1 if the stop criterion ended the run, else 0."),
    ],
};

/// Stencils and their plans.
pub(super) const STENCILS: FunctionGroup = FunctionGroup {
    module: "stencils",
    title: "Stencils and their plans",
    structs: &[SIZE, OUTCOME],
    functions: &[
        CREATE,
        DESCRIPTION,
        PLAN_CREATE,
        PLAN_CREATE_CL,
        PLAN_DESCRIPTION,
        PLAN_SOURCE,
        PLAN_STRATEGY,
        PLAN_SET_STRATEGY,
        PLAN_RUN,
        PLAN_RUN_CL,
        PLAN_DESTROY,
        DESTROY,
    ],
};

const STENCIL: PlainArgument = plain("stencil", Type::Pointer(Pointee::Handle(STENCIL_TYPE), false), "the stencil");
const PLAN: PlainArgument = plain("plan", Type::Pointer(Pointee::Handle(PLAN_TYPE), false), "the plan");
const TEXT: PlainArgument = plain(
    "text",
    Type::Pointer(Pointee::Char, true),
    "gets the text, ended by a null character and cut to fit, or null for its length alone",
);
const ROOM: PlainArgument = plain("size", Type::Int64, "bytes that text has room for");
const LENGTH: PlainArgument =
    plain("length", Type::Pointer(Pointee::Int64, true), "gets the bytes of the whole text, its end not counted");

const CREATE: LibraryFunction = LibraryFunction {
    name: "StencilCreate",
    function: "create",
    summary: "Parses a stencil's text.",
    notes: &["Any number of threads may use the stencil at once. An error shows the place in the text."],
    arguments: &[
        plain("text", Type::Pointer(Pointee::Char, false), "the text"),
        plain("stencil", Type::New(STENCIL_TYPE), "gets the stencil; affinimathStencilDestroy ends it"),
    ],
    returns: Returns::Status,
};

const DESCRIPTION: LibraryFunction = LibraryFunction {
    name: "StencilDescription",
    function: "description",
    summary: "Writes a stencil's facts as JSON: grids, parameters, results and sizes, radii, levels, work per point.",
    notes: &[],
    arguments: &[STENCIL, TEXT, ROOM, LENGTH],
    returns: Returns::Status,
};

const PLAN_CREATE: LibraryFunction = LibraryFunction {
    name: "StencilPlanCreate",
    function: "plan_create",
    summary: "Plans runs of a stencil with given sizes on a device or on the host.",
    notes: &[
        "A size that is not given follows from the shapes of operands that are called as grids. Their elements are \
         not looked at. Sizes that the number of steps alone depends on may be missing.",
        "Calls with the plan wait for each other. On an error plan is left as it was.",
    ],
    arguments: &[
        STENCIL,
        plain("device", Type::Int64, "the device's number, -1 for the host, or -2 for the one of affinimathGetDevice"),
        plain("sizes", Type::Int64, "how many sizes are given"),
        plain("values", Type::Pointer(Pointee::Struct(SIZE.ty), false), "their values, or null where there are none"),
        plain("count", Type::Int64, "how many operands are given"),
        plain(
            "operands",
            Type::Pointer(Pointee::Struct(OPERAND.ty), false),
            "operands with names of grids, their ranks and shapes, or null where there are none",
        ),
        plain("plan", Type::New(PLAN_TYPE), "gets the plan; affinimathStencilPlanDestroy ends it"),
    ],
    returns: Returns::Status,
};

const PLAN_CREATE_CL: LibraryFunction = LibraryFunction {
    name: "StencilPlanCreateCL",
    function: "plan_create_cl",
    summary: "Plans runs of a stencil with given sizes on memory objects of a queue's context.",
    notes: &[
        "Sizes that the number of steps alone depends on may be missing. On an error plan is left as it was. The plan \
         ends before the context does.",
    ],
    arguments: &[
        STENCIL,
        plain("queue", Type::Queue, "a command queue of the context and the device"),
        plain("sizes", Type::Int64, "how many sizes are given"),
        plain("values", Type::Pointer(Pointee::Struct(SIZE.ty), false), "their values, or null where there are none"),
        plain("plan", Type::New(PLAN_TYPE), "gets the plan; affinimathStencilPlanDestroy ends it"),
    ],
    returns: Returns::Status,
};

const PLAN_DESCRIPTION: LibraryFunction = LibraryFunction {
    name: "StencilPlanDescription",
    function: "plan_description",
    summary: "Writes a plan's facts as JSON: sizes, the number of points, and the memory of each grid.",
    notes: &["A grid has its name, its type, the first coordinate (lower) and the length (shape) on each axis of its \
         memory, x last, and its levels. An array of grids has its components' axes first."],
    arguments: &[PLAN, TEXT, ROOM, LENGTH],
    returns: Returns::Status,
};

const PLAN_SOURCE: LibraryFunction = LibraryFunction {
    name: "StencilPlanSource",
    function: "plan_source",
    summary: "Writes the text of a plan's kernels.",
    notes: &[],
    arguments: &[
        PLAN,
        plain("language", Type::Pointer(Pointee::Char, false), "\"opencl\", \"cuda\" or \"c99\""),
        TEXT,
        ROOM,
        LENGTH,
    ],
    returns: Returns::Status,
};

const PLAN_STRATEGY: LibraryFunction = LibraryFunction {
    name: "StencilPlanStrategy",
    function: "plan_strategy",
    summary: "Writes a plan's strategy with its settings.",
    notes: &["The text has the form that affinimathStencilPlanSetStrategy takes."],
    arguments: &[PLAN, TEXT, ROOM, LENGTH],
    returns: Returns::Status,
};

const PLAN_SET_STRATEGY: LibraryFunction = LibraryFunction {
    name: "StencilPlanSetStrategy",
    function: "plan_set_strategy",
    summary: "Gives a plan another strategy for its runs. All strategies give the same bits.",
    notes: &["A strategy is naive, stream, stream-local, overlap or wavefront, with settings behind a colon, as in \
         \"stream:items=32x8,planes=64\". Runs of other threads end first. An error leaves the plan as it was: the \
         text is no strategy, or the strategy does not fit the stencil, its sizes or the device."],
    arguments: &[
        plain("plan", Type::Pointer(Pointee::Handle(PLAN_TYPE), true), "the plan"),
        plain(
            "strategy",
            Type::Pointer(Pointee::Char, false),
            "the strategy, or \"auto\" for the one that the plan chooses by itself",
        ),
    ],
    returns: Returns::Status,
};

const INITIALIZE: PlainArgument =
    plain("initialize", Type::Int, "1 to set the initial values of the text first, else 0");
const FIRST: PlainArgument = plain("first", Type::Int64, "the time t of the first step");
const STEPS: PlainArgument = plain("steps", Type::Int64, "the number of steps, or -1 for that of the stencil's t_max");
const NEWEST: PlainArgument = plain(
    "newest",
    Type::Pointer(Pointee::Int32, true),
    "gets for each operand 1 if it holds its grid's newest level, else 0; it may be null",
);
const RUN_OUTCOME: PlainArgument =
    plain("outcome", Type::Pointer(Pointee::Struct(OUTCOME.ty), true), "gets the end of the run; it may be null");

const PLAN_RUN: LibraryFunction = LibraryFunction {
    name: "StencilPlanRun",
    function: "plan_run",
    summary: "Runs steps on grids in the host's memory, and waits for them; or on grids that are arrays.",
    notes: &[
        "Operands have the names of grids, parameters and results. A grid has an operand for each of its levels, the \
         oldest first. Its type and shape are those of the grid's memory, x is the last axis, strides are positive. \
         An array of grids has its components' axes first.",
        "A parameter has an operand without axes, or with one for each of its ranges. A result that is asked for has \
         one without axes, which gets the last step's value; a run without a step leaves it as it is.",
        "Levels may be arrays instead, all of them, in the memory of the plan's device; each that the run changes is \
         another one. Type, shape and strides are those of the array then. The run changes the elements where they \
         lie. Other arrays and expressions that were made of such an array keep what it held before. On a device the \
         steps may still run when the call returns, unless there is a stop criterion or a result is asked for.",
        "An error of the arguments changes nothing.",
    ],
    arguments: &[
        PLAN,
        plain("count", Type::Int64, "how many operands"),
        plain("operands", Type::Pointer(Pointee::Struct(OPERAND.ty), false), "the operands, count of them"),
        INITIALIZE,
        FIRST,
        STEPS,
        NEWEST,
        RUN_OUTCOME,
    ],
    returns: Returns::Status,
};

const PLAN_RUN_CL: LibraryFunction = LibraryFunction {
    name: "StencilPlanRunCL",
    function: "plan_run_cl",
    summary: "Runs steps on grids in memory objects: enqueued on the queue, and running when the call returns.",
    notes: &[
        "The plan is one of affinimathStencilPlanCreateCL. Grids are as for affinimathStencilPlanRun. Parameters and \
         results are the host's. A run with a stop criterion, or with results that are asked for, waits for its end.",
        "An error of the arguments enqueues nothing.",
    ],
    arguments: &[
        PLAN,
        plain("queue", Type::Queue, "the in-order command queue to enqueue on, of the plan's context"),
        plain("count", Type::Int64, "how many operands are levels of grids"),
        plain("grids", Type::Pointer(Pointee::Struct(OPERAND_CL.ty), false), "levels of grids, count of them"),
        plain("scalars", Type::Int64, "how many parameters and results"),
        plain(
            "operands",
            Type::Pointer(Pointee::Struct(OPERAND.ty), false),
            "parameters and results, or null where there are none",
        ),
        INITIALIZE,
        FIRST,
        STEPS,
        NEWEST,
        RUN_OUTCOME,
        plain(
            "event",
            Type::Event,
            "null, or gets an event that is complete when the result is; release it with clReleaseEvent",
        ),
    ],
    returns: Returns::Status,
};

const PLAN_DESTROY: LibraryFunction = LibraryFunction {
    name: "StencilPlanDestroy",
    function: "plan_destroy",
    summary: "Ends a plan. The library waits for what runs with it.",
    notes: &["No other call may use the plan meanwhile or afterwards."],
    arguments: &[plain(
        "plan",
        Type::Pointer(Pointee::Handle(PLAN_TYPE), true),
        "the plan, or null, for which nothing is done",
    )],
    returns: Returns::Status,
};

const DESTROY: LibraryFunction = LibraryFunction {
    name: "StencilDestroy",
    function: "destroy",
    summary: "Ends a stencil. Its plans are not affected.",
    notes: &["No other call may use the stencil meanwhile or afterwards."],
    arguments: &[plain(
        "stencil",
        Type::Pointer(Pointee::Handle(STENCIL_TYPE), true),
        "the stencil, or null, for which nothing is done",
    )],
    returns: Returns::Status,
};
