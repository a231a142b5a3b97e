//! Errors that carry facts and say what to do, each with a stable status code.

use crate::scalar::ScalarKind;

/// The library's result.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call could not be done. What is found wrong with arguments, sizes and settings leaves everything as it was.
/// After what a device reports in the middle of an operation, and memory that runs out there, its outputs hold
/// anything; its inputs are unchanged, no command uses the host's memory any more, and the same call may be made again.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument does not have a legal value.
    #[error("argument {name}: {reason}")]
    InvalidArgument {
        /// The argument's name, as the documentation gives it.
        name: &'static str,
        /// The rule that it breaks.
        reason: String,
    },

    /// Operands whose sizes do not fit each other.
    #[error("sizes do not agree: {0}")]
    ShapeMismatch(String),

    /// A view that reaches past the end of its memory.
    #[error("{name} needs {needed} elements from the start of its memory, which holds {available}")]
    ViewTooLarge {
        /// The view's name.
        name: &'static str,
        /// Offset plus extent, in elements.
        needed: u64,
        /// Length of the memory, in elements.
        available: u64,
    },

    /// There is no OpenCL device (or no OpenCL at all), and one was demanded.
    #[error(
        "no OpenCL device found: {0}; install an OpenCL driver (pocl-opencl-icd for a CPU), or use \
         AFFINIMATH_ROUTE=host"
    )]
    NoDevice(String),

    /// No device answers to the name or index asked for.
    #[error("no device answers to '{asked}'; there are: {available}")]
    UnknownDevice {
        /// The device that was asked for.
        asked: String,
        /// The devices there are.
        available: String,
    },

    /// The device cannot compute in the precision.
    #[error(
        "the device '{device}' has no {missing}, which the {kind:?} routines need: use the S or C routines, another \
         device (AFFINIMATH_DEVICE=...) or AFFINIMATH_ROUTE=host"
    )]
    PrecisionNotSupported {
        /// The device's name.
        device: String,
        /// The extension it lacks.
        missing: &'static str,
        /// The type asked for.
        kind: ScalarKind,
    },

    /// The device's compiler refused a program.
    #[error("the program '{program}' did not build on '{device}':\n{log}")]
    ProgramBuild {
        /// The program's name.
        program: String,
        /// The device's name.
        device: String,
        /// The compiler's log.
        log: String,
    },

    /// The device's memory, or the library's bound on workspace, is exhausted.
    #[error("out of device memory: {}", asked_for(*bytes, purpose))]
    OutOfDeviceMemory {
        /// The bytes of the request that failed; 0 where the driver does not tell them.
        bytes: u64,
        /// Use of the bytes, as the message names it.
        purpose: &'static str,
    },

    /// The host's memory is exhausted.
    #[error("out of host memory: {}", asked_for(*bytes, purpose))]
    OutOfHostMemory {
        /// The bytes of the request that failed; 0 where the driver does not tell them.
        bytes: u64,
        /// Use of the bytes, as the message names it.
        purpose: &'static str,
    },

    /// An OpenCL call failed. Outputs of the operation are not to be used.
    #[error("OpenCL error {code} ({name}) in {call}")]
    OpenCl {
        /// OpenCL's error code.
        code: i32,
        /// Its name.
        name: &'static str,
        /// The call.
        call: &'static str,
    },

    /// Operands of one call that lie in different memories or contexts.
    #[error("operands do not share a context: {0}")]
    MixedMemory(String),

    /// A queue that the library cannot use.
    #[error("the command queue cannot be used: {0}")]
    InvalidQueue(String),

    /// An environment variable with a value that is not understood.
    #[error("{variable}='{value}' is not understood: {expected}")]
    InvalidSetting {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: String,
        /// Legal values.
        expected: &'static str,
    },

    /// A pivot of a factorisation is exactly zero: the matrix is singular.
    #[error("the matrix is singular: pivot {index} is exactly zero")]
    ZeroPivot {
        /// The pivot's number, from 1.
        index: usize,
    },

    /// A factorisation met no pivot of zero that it could name, and its factors give no finite solution.
    #[error("the matrix is singular: its factors give no finite solution")]
    Singular,

    /// A leading minor is not positive definite.
    #[error("the matrix is not positive definite: the leading minor of order {index} is not positive")]
    NotPositiveDefinite {
        /// The minor's order, from 1.
        index: usize,
    },

    /// The B of a generalised eigenvalue problem is not positive definite.
    #[error("B is not positive definite: the leading minor of order {index} is not positive")]
    PencilNotPositiveDefinite {
        /// The order of the problem.
        order: usize,
        /// The minor's order, from 1.
        index: usize,
    },

    /// The iteration for eigenvalues or singular values did not converge, or elements are not finite.
    #[error("the iteration for eigenvalues or singular values did not converge (LAPACK's info is {index})")]
    NoConvergence {
        /// LAPACK's info.
        index: usize,
    },

    /// Eigenvalues of a Schur form are too close to be exchanged. The form is right, in an incomplete order.
    #[error("eigenvalues are too close to be exchanged, and their order is incomplete (LAPACK's info is {index})")]
    EigenvaluesTooClose {
        /// LAPACK's info.
        index: usize,
    },

    /// A Sylvester equation whose matrices have common or close eigenvalues. The solution is that of perturbed ones.
    #[error("the matrices of the equation have common or close eigenvalues: X belongs to perturbed ones")]
    CommonEigenvalues,

    /// A pivot of an incomplete factorisation is not positive, which the matrix may be for all that.
    #[error(
        "the incomplete Cholesky factorisation has no positive pivot in row {index}: a shift of the diagonal helps \
         where that is positive, ILU(0) where not"
    )]
    IncompletePivot {
        /// The pivot's number, from 1.
        index: usize,
    },

    /// The columns (or, of a matrix wider than high, the rows) are linearly dependent to working precision.
    #[error("the matrix does not have full rank: {rank} of {full} columns or rows are independent")]
    RankDeficient {
        /// How many are independent.
        rank: usize,
        /// How many there are: the smaller of rows and columns.
        full: usize,
    },

    /// An element that is NaN or infinite, where no result could be right.
    #[error("{what} has the value {value} in row {row}, column {column}")]
    NotFinite {
        /// Which matrix.
        what: &'static str,
        /// The element's row, from 1.
        row: usize,
        /// The element's column, from 1.
        column: usize,
        /// The element.
        value: String,
    },

    /// An operation of an array expression that failed when it was evaluated.
    #[error("{operation}: {error} (at {location})")]
    Operation {
        /// The operation's name.
        operation: &'static str,
        /// The line that wrote the operation.
        location: &'static std::panic::Location<'static>,
        /// Why it failed.
        error: Box<Error>,
    },

    /// A vendor's library that cannot be used.
    #[error("the library '{library}' cannot be used: {reason}")]
    VendorLibrary {
        /// Its path.
        library: String,
        /// Why.
        reason: String,
    },

    /// No vendor's library is configured, and one was demanded.
    #[error("no vendor's library is configured, and AFFINIMATH_ROUTE=vendor asks for one: AFFINIMATH_CBLAS names it")]
    NoVendor,

    /// A vendor's library was demanded for a call that it cannot do.
    #[error("'{library}' cannot do this call: {reason}; AFFINIMATH_ROUTE=auto does it elsewhere")]
    UnsupportedByVendor {
        /// Its path.
        library: String,
        /// The missing function or file.
        reason: String,
    },

    /// A function of a vendor's library failed. Outputs of the operation are not to be used.
    #[error("{call} of '{library}' returned {code}")]
    VendorCall {
        /// Its path.
        library: String,
        /// The function.
        call: String,
        /// The status that it returned.
        code: i32,
    },

    /// An operator or a preconditioner of the caller's could not do its part of a solve.
    #[error("{what} of the caller's returned {status}")]
    Callback {
        /// Which of them.
        what: &'static str,
        /// The value that it returned, which the C API returns too.
        status: i32,
    },

    /// The tuning database cannot be written.
    #[error("the tuning database in '{}' cannot be written: {reason}", path.display())]
    Tuning {
        /// Its folder.
        path: std::path::PathBuf,
        /// Why.
        reason: String,
    },

    /// A defect in the library itself.
    #[error("internal error: {0}")]
    Internal(String),
}

impl Error {
    /// The status that the C API returns: these numbers do not change.
    ///
    /// An invalid argument's index depends on the C function called, so that the C API finds it itself; here it is -1.
    pub const fn status(&self) -> i32 {
        match self {
            Error::InvalidArgument { .. } => -1,
            Error::Operation { error, .. } => error.status(),
            Error::ZeroPivot { index } | Error::NotPositiveDefinite { index } | Error::IncompletePivot { index } => {
                *index as i32
            }
            Error::NoConvergence { index } | Error::EigenvaluesTooClose { index } => *index as i32,
            // LAPACK's xSYGV.
            Error::PencilNotPositiveDefinite { order, index } => (*order + *index) as i32,
            // Some pivot, as LAPACK's info has it.
            Error::Singular | Error::CommonEigenvalues => 1,
            // LAPACK's xGELS: the first diagonal element of the triangular factor that is zero.
            Error::RankDeficient { rank, .. } => *rank as i32 + 1,
            Error::NotFinite { .. } => status::NOT_FINITE,
            Error::Callback { status, .. } => *status,
            Error::Internal(_) => status::INTERNAL,
            Error::NoDevice(_) => status::NO_DEVICE,
            Error::UnknownDevice { .. } => status::UNKNOWN_DEVICE,
            Error::PrecisionNotSupported { .. } => status::PRECISION_NOT_SUPPORTED,
            Error::ProgramBuild { .. } => status::PROGRAM_BUILD,
            Error::OutOfDeviceMemory { .. } => status::OUT_OF_DEVICE_MEMORY,
            Error::OutOfHostMemory { .. } => status::OUT_OF_HOST_MEMORY,
            Error::InvalidQueue(_) => status::INVALID_QUEUE,
            Error::MixedMemory(_) => status::MIXED_MEMORY,
            Error::ViewTooLarge { .. } => status::VIEW_TOO_LARGE,
            Error::ShapeMismatch(_) => status::SHAPE_MISMATCH,
            Error::InvalidSetting { .. } => status::INVALID_SETTING,
            Error::VendorLibrary { .. } | Error::NoVendor => status::VENDOR_LIBRARY,
            Error::UnsupportedByVendor { .. } => status::UNSUPPORTED_BY_VENDOR,
            Error::VendorCall { .. } => status::VENDOR_CALL,
            Error::Tuning { .. } => status::TUNING,
            // OpenCL's own codes lie between 0 and -10000: they keep their number below the library's.
            Error::OpenCl { code, .. } => status::OPENCL + *code,
        }
    }

    /// An invalid argument, named.
    #[cold]
    pub fn argument(name: &'static str, reason: impl Into<String>) -> Self {
        Error::InvalidArgument { name, reason: reason.into() }
    }

    /// A vendor's library that cannot be used.
    #[cold]
    pub fn vendor_library(path: &std::path::Path, reason: impl Into<String>) -> Self {
        Error::VendorLibrary { library: path.display().to_string(), reason: reason.into() }
    }

    /// An OpenCL call that returned `code`.
    ///
    /// CL_OUT_OF_RESOURCES keeps its code: drivers report with it also that a kernel was ended.
    #[cold]
    pub fn opencl(call: &'static str, code: i32) -> Self {
        match code {
            // CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY.
            -4 => Error::OutOfDeviceMemory { bytes: 0, purpose: call },
            -6 => Error::OutOfHostMemory { bytes: 0, purpose: call },
            _ => Error::OpenCl { code, name: opencl_error_name(code), call },
        }
    }
}

/// A request for memory, in words.
fn asked_for(bytes: u64, purpose: &str) -> String {
    match bytes {
        0 => format!("the driver has none left for {purpose}"),
        _ => format!("{bytes} bytes were asked for {purpose}"),
    }
}

/// The library's status codes: what every C function returns when it cannot do its work. They never change.
pub mod status {
    /// Done.
    pub const SUCCESS: i32 = 0;
    /// A defect in the library (a panic was caught, an invariant did not hold).
    pub const INTERNAL: i32 = -1000;
    /// No OpenCL device was found, and one was demanded.
    pub const NO_DEVICE: i32 = -1001;
    /// No device answers to the index or name.
    pub const UNKNOWN_DEVICE: i32 = -1002;
    /// The device lacks the precision (cl_khr_fp64 for the D and Z routines).
    pub const PRECISION_NOT_SUPPORTED: i32 = -1003;
    /// The device's compiler refused a program; the last error holds its log.
    pub const PROGRAM_BUILD: i32 = -1004;
    /// Out of device memory.
    pub const OUT_OF_DEVICE_MEMORY: i32 = -1005;
    /// Out of host memory.
    pub const OUT_OF_HOST_MEMORY: i32 = -1006;
    /// The command queue is null, not valid, or out of order.
    pub const INVALID_QUEUE: i32 = -1007;
    /// The memory objects do not belong to the queue's context.
    pub const MIXED_MEMORY: i32 = -1008;
    /// A view reaches past the end of its memory object.
    pub const VIEW_TOO_LARGE: i32 = -1009;
    /// Operands' sizes do not agree (the Rust API; in C each argument has its own index).
    pub const SHAPE_MISMATCH: i32 = -1010;
    /// An environment variable has a value that is not understood.
    pub const INVALID_SETTING: i32 = -1011;
    /// A matrix has an element that is NaN or infinite.
    pub const NOT_FINITE: i32 = -1012;
    /// A vendor's library cannot be loaded, or none is configured and one was demanded.
    pub const VENDOR_LIBRARY: i32 = -1020;
    /// A vendor's library was demanded for a call that it cannot do.
    pub const UNSUPPORTED_BY_VENDOR: i32 = -1021;
    /// A function of a vendor's library failed.
    pub const VENDOR_CALL: i32 = -1022;
    /// The tuning database cannot be written.
    pub const TUNING: i32 = -1023;
    /// An OpenCL call failed: the status is this number plus OpenCL's (negative) code.
    pub const OPENCL: i32 = -2000;

    /// One line on what a status means. An argument's index and an OpenCL code are to be read from the number itself.
    pub const fn describe(status: i32) -> &'static str {
        match status {
            SUCCESS => "success",
            INTERNAL => "internal error: please report it, with the text of the last error",
            NO_DEVICE => "no OpenCL device found",
            UNKNOWN_DEVICE => "no device answers to that index or name",
            PRECISION_NOT_SUPPORTED => "the device does not support this precision",
            PROGRAM_BUILD => "a program did not build on the device",
            OUT_OF_DEVICE_MEMORY => "out of device memory",
            OUT_OF_HOST_MEMORY => "out of host memory",
            INVALID_QUEUE => "the command queue cannot be used",
            MIXED_MEMORY => "memory objects and queue do not share a context",
            VIEW_TOO_LARGE => "a vector or matrix reaches past the end of its memory object",
            SHAPE_MISMATCH => "operands' sizes do not agree",
            INVALID_SETTING => "an environment variable has a value that is not understood",
            VENDOR_LIBRARY => "a vendor's library cannot be used",
            UNSUPPORTED_BY_VENDOR => "the vendor's library cannot do this call",
            VENDOR_CALL => "a function of a vendor's library failed",
            TUNING => "the tuning database cannot be written",
            NOT_FINITE => "a matrix has an element that is NaN or infinite",
            1.. => {
                "LAPACK info: a zero pivot, a minor that is not positive definite, or a rank that ends before this \
                 index"
            }
            -999..=-1 => "the argument with this index (counted from 1, sign changed) has an illegal value",
            ..=-2001 => "an OpenCL call failed: the status is -2000 plus OpenCL's error code",
            _ => "unknown status",
        }
    }
}

/// OpenCL's name for an error code, or a note for the codes of the loader.
fn opencl_error_name(code: i32) -> &'static str {
    match code {
        -1 => "CL_DEVICE_NOT_FOUND",
        -2 => "CL_DEVICE_NOT_AVAILABLE",
        -3 => "CL_COMPILER_NOT_AVAILABLE",
        -4 => "CL_MEM_OBJECT_ALLOCATION_FAILURE",
        -5 => "CL_OUT_OF_RESOURCES",
        -6 => "CL_OUT_OF_HOST_MEMORY",
        -11 => "CL_BUILD_PROGRAM_FAILURE",
        -12 => "CL_MAP_FAILURE",
        -13 => "CL_MISALIGNED_SUB_BUFFER_OFFSET",
        -14 => "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
        -30 => "CL_INVALID_VALUE",
        -32 => "CL_INVALID_PLATFORM",
        -33 => "CL_INVALID_DEVICE",
        -34 => "CL_INVALID_CONTEXT",
        -35 => "CL_INVALID_QUEUE_PROPERTIES",
        -36 => "CL_INVALID_COMMAND_QUEUE",
        -37 => "CL_INVALID_HOST_PTR",
        -38 => "CL_INVALID_MEM_OBJECT",
        -42 => "CL_INVALID_BINARY",
        -43 => "CL_INVALID_BUILD_OPTIONS",
        -44 => "CL_INVALID_PROGRAM",
        -45 => "CL_INVALID_PROGRAM_EXECUTABLE",
        -46 => "CL_INVALID_KERNEL_NAME",
        -48 => "CL_INVALID_KERNEL",
        -49 => "CL_INVALID_ARG_INDEX",
        -50 => "CL_INVALID_ARG_VALUE",
        -51 => "CL_INVALID_ARG_SIZE",
        -52 => "CL_INVALID_KERNEL_ARGS",
        -53 => "CL_INVALID_WORK_DIMENSION",
        -54 => "CL_INVALID_WORK_GROUP_SIZE",
        -55 => "CL_INVALID_WORK_ITEM_SIZE",
        -57 => "CL_INVALID_EVENT_WAIT_LIST",
        -58 => "CL_INVALID_EVENT",
        -59 => "CL_INVALID_OPERATION",
        -61 => "CL_INVALID_BUFFER_SIZE",
        -63 => "CL_INVALID_GLOBAL_WORK_SIZE",
        -1001 => "CL_PLATFORM_NOT_FOUND_KHR",
        -2000 | -2001 => "the OpenCL loader could not be used",
        _ => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_status_is_described() {
        for code in (-1012..=-1000).chain(-1023..=-1020).chain([0, 1, -1, -14, -2036]) {
            assert_ne!(status::describe(code), "unknown status", "{code}");
        }
    }

    #[test]
    fn an_opencl_error_keeps_its_code() {
        let error = Error::opencl("clFinish", -36);
        assert_eq!(error.status(), -2036);
        assert_eq!(error.to_string(), "OpenCL error -36 (CL_INVALID_COMMAND_QUEUE) in clFinish");
    }

    #[test]
    fn exhausted_memory_is_told_as_such_wherever_it_shows() {
        let error = Error::opencl("clEnqueueWriteBuffer", -4);
        assert_eq!(error.status(), status::OUT_OF_DEVICE_MEMORY);
        assert_eq!(error.to_string(), "out of device memory: the driver has none left for clEnqueueWriteBuffer");
        assert_eq!(Error::opencl("clCreateKernel", -6).status(), status::OUT_OF_HOST_MEMORY);
        let error = Error::OutOfDeviceMemory { bytes: 7, purpose: "offsets" };
        assert_eq!(error.to_string(), "out of device memory: 7 bytes were asked for offsets");
    }
}
