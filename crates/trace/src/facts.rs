//! Facts that a recorder is told: of contexts, programs, launches and their arguments.

use std::collections::BTreeMap;

use super::element::ElementKind;
use super::range::NdRange;
use super::record::DeviceName;

/// Facts of a context.
#[derive(Clone, Debug)]
pub struct ContextFacts {
    /// Device.
    pub device: DeviceName,
    /// Version of the library.
    pub library: &'static str,
}

/// Facts of a program.
#[derive(Clone, Debug)]
pub struct ProgramFacts {
    /// Name.
    pub name: String,
    /// Text that the compiler gets.
    pub source: String,
    /// Options of the compiler.
    pub options: String,
    /// Parameters that the source begins with.
    pub definitions: BTreeMap<String, i64>,
    /// True if the source has instructions in comments.
    pub hidden_ptx: bool,
    /// Element type that the program's `scalar` is.
    pub scalar: Option<ElementKind>,
    /// Generated kernels as JSON, by name.
    pub kernels: Vec<(String, String)>,
}

/// Facts of a launch.
#[derive(Clone, Debug)]
pub struct LaunchFacts<'a> {
    /// Kernel's name.
    pub kernel: &'a str,
    /// Program, as [`Recorder::program`](crate::Recorder::program) has numbered it.
    pub program: u64,
    /// Context, as [`Recorder::context`](crate::Recorder::context) has numbered it.
    pub context: u64,
    /// Work-groups per dimension.
    pub groups: [usize; 3],
    /// Work-items of a group, per dimension.
    pub items: [usize; 3],
    /// Index space, where the groups and work-items do not say all.
    pub range: Option<NdRange>,
    /// Arguments in order.
    pub arguments: Vec<ArgumentFacts>,
    /// Reason for which the launch cannot be run again, if there is one.
    pub obstacle: Option<String>,
    /// True if the launch cannot be waited for: it gets a line and no folder.
    pub unread: bool,
}

/// Facts of an argument.
#[derive(Clone, Debug)]
pub struct ArgumentFacts {
    /// Name, where it is known.
    pub name: String,
    /// Type, where it is known.
    pub type_name: String,
    /// Value or memory.
    pub payload: Payload,
}

/// Value of an argument.
#[derive(Clone, Debug)]
pub enum Payload {
    /// Bytes of a value.
    Value(Vec<u8>),
    /// A memory object.
    Memory {
        /// Handle.
        handle: usize,
        /// Size.
        bytes: u64,
    },
    /// Local memory of a group: its bytes.
    Local(u64),
    /// An object that has no file, by its kind, such as `image2d_t`.
    Object(String),
}
