//! Types and constants of OpenCL's interface.

use std::ffi::c_void;

/// A handle, an array or a structure, of which nothing is read.
pub type Pointer = *mut c_void;
/// Handle of an object.
pub type Handle = *mut c_void;
/// A function that a driver calls, or null.
pub type Callback = *mut c_void;
/// Status of a call.
pub type Status = i32;

pub const SUCCESS: Status = 0;
pub const INVALID_BUILD_OPTIONS: Status = -43;
/// The real library has no such function.
pub const INVALID_OPERATION: Status = -59;

pub const PLATFORM_NAME: u32 = 0x0902;
pub const DEVICE_NAME: u32 = 0x102B;
pub const DRIVER_VERSION: u32 = 0x102D;
pub const DEVICE_PLATFORM: u32 = 0x1031;
pub const QUEUE_CONTEXT: u32 = 0x1090;
pub const QUEUE_DEVICE: u32 = 0x1091;
pub const MEM_COPY_OR_USE_HOST_PTR: u64 = 1 << 3 | 1 << 5;
pub const MEM_READ_WRITE: u64 = 1;
pub const MEM_OBJECT_BUFFER: u32 = 0x10F0;
pub const MEM_TYPE: u32 = 0x1100;
pub const MEM_SIZE: u32 = 0x1102;
pub const MEM_ASSOCIATED_MEMOBJECT: u32 = 0x1107;
pub const MEM_OFFSET: u32 = 0x1108;
pub const IMAGE_ELEMENT_SIZE: u32 = 0x1111;
pub const MAP_READ: u64 = 1;
pub const PROGRAM_SOURCE: u32 = 0x1164;
pub const PROGRAM_KERNEL_NAMES: u32 = 0x1168;
pub const PROGRAM_BUILD_OPTIONS: u32 = 0x1182;
pub const KERNEL_FUNCTION_NAME: u32 = 0x1190;
pub const KERNEL_NUM_ARGS: u32 = 0x1191;
pub const KERNEL_PROGRAM: u32 = 0x1194;
pub const KERNEL_ARG_ADDRESS_QUALIFIER: u32 = 0x1196;
pub const KERNEL_ARG_TYPE_NAME: u32 = 0x1198;
pub const KERNEL_ARG_TYPE_QUALIFIER: u32 = 0x1199;
pub const KERNEL_ARG_NAME: u32 = 0x119A;
pub const KERNEL_ARG_ADDRESS_GLOBAL: u32 = 0x119B;
pub const KERNEL_ARG_ADDRESS_CONSTANT: u32 = 0x119D;
pub const KERNEL_ARG_TYPE_PIPE: u64 = 1 << 3;
pub const KERNEL_EXEC_INFO_SVM_PTRS: u32 = 0x11B6;
pub const EVENT_COMMAND_EXECUTION_STATUS: u32 = 0x11D3;
