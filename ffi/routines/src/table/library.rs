//! The functions that are the same for all types. The first ones are about the library itself: devices, statuses,
//! versions.

use crate::signature::{Named, Pointee, Returns, Type};

/// A group of functions whose shims share a file.
pub struct FunctionGroup {
    /// The handwritten module in `ffi/src/` that the shims call, and the name of their own.
    pub module: &'static str,
    /// A heading for people.
    pub title: &'static str,
    /// The structs that they take.
    pub structs: &'static [Struct],
    /// The functions.
    pub functions: &'static [LibraryFunction],
}

/// A struct of C and Fortran, and its layout there.
pub struct Struct {
    /// Its names.
    pub ty: Named,
    /// Its meaning, in one sentence.
    pub summary: &'static str,
    /// Its fields, in order.
    pub fields: &'static [Field],
}

/// A field of a struct.
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its type: an integer, a scalar, a pointer or a callback.
    pub ty: Type,
    /// The length of an array.
    pub count: Option<usize>,
    /// Its meaning.
    pub meaning: &'static str,
}

/// A function that is the same for all types.
pub struct LibraryFunction {
    /// The end of its name, after `affinimath`.
    pub name: &'static str,
    /// The handwritten function in the group's module that its shim calls.
    pub function: &'static str,
    /// Its effect, in one sentence.
    pub summary: &'static str,
    /// Further facts.
    pub notes: &'static [&'static str],
    /// Its arguments.
    pub arguments: &'static [PlainArgument],
    /// Its result. A function that returns a status goes through the boundary.
    pub returns: Returns,
}

/// An argument of such a function.
pub struct PlainArgument {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub ty: Type,
    /// Its meaning.
    pub meaning: &'static str,
}

pub(super) const fn plain(name: &'static str, ty: Type, meaning: &'static str) -> PlainArgument {
    PlainArgument { name, ty, meaning }
}

/// The functions about the library itself.
pub(super) const GROUP: FunctionGroup =
    FunctionGroup { module: "library", title: "The library itself", structs: &[], functions: FUNCTIONS };

const FUNCTIONS: &[LibraryFunction] = &[
    LibraryFunction {
        name: "Initialize",
        function: "initialize",
        summary: "Reads the settings from the environment and looks for devices.",
        notes: &[
            "Calling it is optional: the first call that needs to know does the same. It succeeds on a machine without \
             OpenCL, where everything runs on the host.",
        ],
        arguments: &[],
        returns: Returns::Status,
    },
    LibraryFunction {
        name: "Shutdown",
        function: "shutdown",
        summary: "Releases every OpenCL object that the library keeps: contexts, queues, programs, workspace.",
        notes: &[
            "Finish the queues that were given to the library first. The library can be used again afterwards; it then \
             makes anew what it needs. What a plan of Fourier transforms or a sparse matrix holds, it holds until it \
             is destroyed; a sparse matrix that was made from memory objects can then only be destroyed.",
        ],
        arguments: &[],
        returns: Returns::Status,
    },
    LibraryFunction {
        name: "SetDevice",
        function: "set_device",
        summary: "Chooses the device that calls with host pointers may use, in the whole process and in place of \
         AFFINIMATH_DEVICE.",
        notes: &[
            "Whether a call pays for the device is still AFFINIMATH_ROUTE's to say. On an error the choice stays as it \
             was.",
        ],
        arguments: &[plain(
            "index",
            Type::Int64,
            "the device's number, from 0 in the order of affinimathDeviceName, or -1 for the host",
        )],
        returns: Returns::Status,
    },
    LibraryFunction {
        name: "SetDevices",
        function: "set_devices",
        summary: "Chooses devices that share large calls with host pointers, in the whole process and in place of \
         AFFINIMATH_DEVICE.",
        notes: &[
            "They share level 3, batches, getrf, potrf and geqrf where that pays; other calls may use the first one. \
             On an error the choice stays as it was.",
        ],
        arguments: &[plain(
            "devices",
            Type::Pointer(Pointee::Char, false),
            "\"all\", or numbers or parts of names between commas, as in \"0,1\"",
        )],
        returns: Returns::Status,
    },
    LibraryFunction {
        name: "GetDevice",
        function: "get_device",
        summary: "Tells which device calls with host pointers may use: the first one of several.",
        notes: &[],
        arguments: &[plain(
            "index",
            Type::Pointer(Pointee::Int64, true),
            "gets the device's number, or -1 for the host",
        )],
        returns: Returns::Status,
    },
    LibraryFunction {
        name: "SetRoute",
        function: "set_route",
        summary: "Chooses where calls with host pointers run, in the whole process and in place of AFFINIMATH_ROUTE.",
        notes: &["On an error the choice stays as it was."],
        arguments: &[plain(
            "route",
            Type::Pointer(Pointee::Char, false),
            "\"auto\", \"host\", \"device\" or \"vendor\"",
        )],
        returns: Returns::Status,
    },
    LibraryFunction {
        name: "SetMathMode",
        function: "set_math_mode",
        summary: "Chooses how exactly products in single precision are computed by tensor cores, in the whole process \
         and in place of AFFINIMATH_MATH_MODE.",
        notes: &[
            "\"default\" computes within the error bound of multiply-adds, \"strict\" with multiply-adds alone, and \
             \"fast\" with numbers that are rounded to 11 bits (tf32). Double precision, and devices without tensor \
             cores, are the same in all modes.",
            "Products that are enqueued later have the mode. On an error it stays as it was.",
        ],
        arguments: &[plain("mode", Type::Pointer(Pointee::Char, false), "\"default\", \"strict\" or \"fast\"")],
        returns: Returns::Status,
    },
    LibraryFunction {
        name: "SetCblas",
        function: "set_cblas",
        summary: "Chooses the vendor's CBLAS, in the whole process and in place of AFFINIMATH_CBLAS.",
        notes: &["The library is loaded now, and stays loaded. On an error the choice stays as it was."],
        arguments: &[plain(
            "path",
            Type::Pointer(Pointee::Char, false),
            "the library's path, or an empty text for none",
        )],
        returns: Returns::Status,
    },
    LibraryFunction {
        name: "SetCublas",
        function: "set_cublas",
        summary: "Chooses whether cuBLAS is used, in the whole process and in place of AFFINIMATH_CUBLAS.",
        notes: &["The library is loaded now, and stays loaded. On an error the choice stays as it was."],
        arguments: &[plain("choice", Type::Pointer(Pointee::Char, false), "\"auto\", \"off\", or the library's path")],
        returns: Returns::Status,
    },
    LibraryFunction {
        name: "SetNumThreads",
        function: "set_num_threads",
        summary: "Sets how many threads a large operation on the host may use, in the whole process and in place of \
                  AFFINIMATH_NUM_THREADS.",
        notes: &["More than there are processors are as many as there are. Operations that have begun go on with the \
             threads that they have. On an error the setting stays as it was."],
        arguments: &[plain("threads", Type::Int64, "the number of threads, at least 1")],
        returns: Returns::Status,
    },
    LibraryFunction {
        name: "GetNumThreads",
        function: "get_num_threads",
        summary: "Tells how many threads a large operation on the host may use.",
        notes: &[],
        arguments: &[plain("threads", Type::Pointer(Pointee::Int64, true), "gets the number of threads")],
        returns: Returns::Status,
    },
    LibraryFunction {
        name: "DeviceCount",
        function: "device_count",
        summary: "Tells how many OpenCL devices there are.",
        notes: &["A machine without OpenCL has 0, which is no error."],
        arguments: &[plain("count", Type::Pointer(Pointee::Int64, true), "gets the number of devices")],
        returns: Returns::Status,
    },
    LibraryFunction {
        name: "DeviceName",
        function: "device_name",
        summary: "Writes a device's name, ended by a null character and cut to fit.",
        notes: &["GPUs come first, then accelerators, then CPUs. The list does not change while the process lives."],
        arguments: &[
            plain("index", Type::Int64, "the device's number, from 0, or -1 for the host"),
            plain("name", Type::Pointer(Pointee::Char, true), "gets the name"),
            plain("size", Type::Int64, "bytes that name has room for, at least 1"),
        ],
        returns: Returns::Status,
    },
    LibraryFunction {
        name: "PinnedAlloc",
        function: "pinned_alloc",
        summary: "Allocates pinned memory of the host, which the bus of a device takes at its full rate.",
        notes: &[
            "It is memory of the process, at first zeros and aligned to 64 bytes. Host pointers into it are recognised \
             by transfers to and from the device; every other use is possible as well. On the host, and for devices \
             that work on the host's memory, it is memory like any other. Pinned memory stays in the machine's memory: \
             keep it for several transfers, and free it with affinimathPinnedFree.",
        ],
        arguments: &[
            plain("device", Type::Int64, "the device's number, -1 for the host, or -2 for that of affinimathGetDevice"),
            plain("bytes", Type::Int64, "the number of bytes"),
            plain("data", Type::Address, "gets the address of the first byte"),
        ],
        returns: Returns::Status,
    },
    LibraryFunction {
        name: "PinnedFree",
        function: "pinned_free",
        summary: "Frees memory of affinimathPinnedAlloc. Null is accepted and ignored.",
        notes: &["Work that was given host pointers into the memory must be complete."],
        arguments: &[plain("data", Type::User, "the address that affinimathPinnedAlloc gave")],
        returns: Returns::Status,
    },
    ld_multiple("LDMultipleS"),
    ld_multiple("LDMultipleD"),
    ld_multiple("LDMultipleC"),
    ld_multiple("LDMultipleZ"),
    LibraryFunction {
        name: "StatusString",
        function: "status_string",
        summary: "One line on what a status means. The text is static; it is never null.",
        notes: &[],
        arguments: &[plain("status", Type::Int, "what a function returned")],
        returns: Returns::Text,
    },
    LibraryFunction {
        name: "LastError",
        function: "last_error",
        summary: "The full text of the last error of the calling thread, or an empty text.",
        notes: &[
            "It names the function, the argument and the facts, and holds the compiler's log of a failed build. A \
             success leaves it as it is. It is never null, and valid until the thread's next error.",
        ],
        arguments: &[],
        returns: Returns::Text,
    },
    LibraryFunction {
        name: "Version",
        function: "version",
        summary: "The library's version, such as \"0.1.0\". The text is static.",
        notes: &[],
        arguments: &[],
        returns: Returns::Text,
    },
];

const fn ld_multiple(name: &'static str) -> LibraryFunction {
    LibraryFunction {
        name,
        function: "ld_multiple",
        summary: "What leading dimensions should be a multiple of, in elements: 1, as any leading dimension works.",
        notes: &[],
        arguments: &[],
        returns: Returns::Int64,
    }
}
