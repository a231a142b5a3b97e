//! Content of `launch.json`: everything of a recorded launch but the contents of memory.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::element::ElementKind;
use super::files::is_file_name;
use super::range::NdRange;

/// Version of the files.
const FORMAT: u32 = 1;
const MAX_ARGUMENTS: usize = 1024;
/// Bytes of a value, such as a structure: more than the arguments of any device take.
const MAX_VALUE: usize = 1 << 16;
/// Numbers of a value that are shown.
const SHOWN: usize = 16;
/// Letters of an object's kind, and of an obstacle.
const MAX_TEXT: usize = 1024;

/// Device that a launch ran on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceName {
    /// Platform.
    pub platform: String,
    /// Device.
    pub name: String,
    /// Version of the driver.
    pub driver: String,
}

/// Argument of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Argument {
    /// Name in the source; empty where the driver did not tell.
    pub name: String,
    /// Type in the source, such as `long` or `float*`; empty where the driver did not tell.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Value or memory.
    #[serde(flatten)]
    pub given: Given,
}

/// Value of an argument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Given {
    /// A memory object.
    Memory {
        /// Its index in [`LaunchRecord::memories`].
        memory: usize,
    },
    /// A value.
    Value {
        /// Bytes in hexadecimal.
        hex: String,
        /// The number, for readers: nothing depends on it.
        #[serde(default)]
        value: Value,
    },
    /// Local memory of a group.
    Local {
        /// Its bytes.
        local: u64,
    },
    /// An object without a file: an image, a sampler, or shared virtual memory. Such a launch has an obstacle.
    Object {
        /// Its kind, such as `image2d_t`.
        object: String,
    },
}

/// A memory object of a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryRecord {
    /// Number of the buffer in the trace.
    pub buffer: u64,
    /// Its size.
    pub bytes: u64,
    /// Type of its elements, as the first argument that it is has it.
    pub element: ElementKind,
    /// File of what it held before.
    pub before: Option<String>,
    /// File of what it held after, where that is something else.
    pub after: Option<String>,
    /// True if the launch changed it; `None` where nobody looked.
    pub changed: Option<bool>,
}

/// Content of `launch.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchRecord {
    /// Version of the format.
    pub format: u32,
    /// Number of the launch in the trace.
    pub launch: u64,
    /// Kernel's name.
    pub kernel: String,
    /// Program's name.
    pub program: String,
    /// Parameters that the source begins with.
    #[serde(default)]
    pub definitions: BTreeMap<String, i64>,
    /// Options of the compiler.
    pub options: String,
    /// True if the source has instructions in comments, which the build reveals.
    #[serde(default)]
    pub hidden_ptx: bool,
    /// Work-groups per dimension.
    pub groups: [usize; 3],
    /// Work-items of a group, per dimension.
    pub items: [usize; 3],
    /// Index space, where the groups and work-items do not say all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<NdRange>,
    /// Reason for which the launch cannot be run again, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<String>,
    /// Arguments in order.
    pub arguments: Vec<Argument>,
    /// Memory objects, each once.
    pub memories: Vec<MemoryRecord>,
    /// Device.
    #[serde(default)]
    pub device: DeviceName,
    /// Version of the library.
    #[serde(default)]
    pub library: String,
    /// Nanoseconds from the launch to its end, on the host's clock.
    #[serde(default)]
    pub nanoseconds: Option<u64>,
}

/// Name of a launch's folder: `000123-gemm_tiled`.
pub fn folder_name(launch: u64, kernel: &str) -> String {
    let kernel: String = kernel.chars().take(80).collect();
    format!("{launch:06}-{kernel}")
}

fn is_identifier(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && name.len() <= 256 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// True for one line that is not too long.
fn is_text(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_TEXT && !text.contains(char::is_control)
}

impl LaunchRecord {
    /// A record of this version of the format, without arguments.
    pub fn new(launch: u64, kernel: &str, program: &str, groups: [usize; 3], items: [usize; 3]) -> Self {
        LaunchRecord {
            format: FORMAT,
            launch,
            kernel: kernel.to_owned(),
            program: program.to_owned(),
            definitions: BTreeMap::new(),
            options: String::new(),
            hidden_ptx: false,
            groups,
            items,
            range: None,
            obstacle: None,
            arguments: Vec::new(),
            memories: Vec::new(),
            device: DeviceName::default(),
            library: String::new(),
            nanoseconds: None,
        }
    }

    /// Name of an argument for a person: `'x' (argument 3)`.
    pub fn argument_name(&self, index: usize) -> String {
        match self.arguments.get(index) {
            Some(argument) if !argument.name.is_empty() => format!("'{}' (argument {index})", argument.name),
            _ => format!("argument {index}"),
        }
    }

    /// Value of an integer argument, by its name in the source.
    pub fn integer(&self, name: &str) -> Option<i64> {
        let argument = self.arguments.iter().find(|argument| argument.name == name)?;
        let kind = ElementKind::of_opencl(&argument.type_name, None)?;
        kind.integer(&argument.given.bytes()?)
    }

    /// Takes other work-groups and work-items. An offset stays.
    pub fn set_sizes(&mut self, groups: [usize; 3], items: [usize; 3]) {
        if (groups, items) != (self.groups, self.items)
            && let Some(range) = &mut self.range
        {
            let global: [usize; 3] = std::array::from_fn(|axis| groups[axis].saturating_mul(items[axis]));
            let used = (0..3).rfind(|axis| global[*axis] > 1).map_or(1, |last| last as u32 + 1);
            let dimensions = range.dimensions.max(used);
            *range = NdRange { dimensions, offset: range.offset, global, local: Some(items) };
        }
        (self.groups, self.items) = (groups, items);
    }

    /// Work-items of all groups, per dimension.
    pub fn global(&self) -> [usize; 3] {
        let product = |axis: usize| self.groups[axis].saturating_mul(self.items[axis]);
        self.range.map_or_else(|| std::array::from_fn(product), |range| range.global)
    }

    /// First argument that a memory object is.
    pub fn argument_of(&self, memory: usize) -> Option<usize> {
        self.arguments.iter().position(|argument| argument.given == Given::Memory { memory })
    }

    /// Reason for which the record is none of a launch, if there is one.
    pub(crate) fn check(&self) -> Result<(), String> {
        let ensure = |holds: bool, reason: &dyn Fn() -> String| if holds { Ok(()) } else { Err(reason()) };
        ensure(self.format == FORMAT, &|| format!("format {} is not {FORMAT}", self.format))?;
        ensure(is_identifier(&self.kernel), &|| format!("{:?} is no name of a kernel", self.kernel))?;
        ensure(!self.options.contains('\0'), &|| "the options have a zero byte".to_owned())?;
        let sizes = self.groups.iter().chain(&self.items);
        let all = sizes.clone().try_fold(1_usize, |all, size| all.checked_mul(*size));
        let sound = all.is_some_and(|all| all > 0 && isize::try_from(all).is_ok());
        ensure(sound, &|| format!("{:?} groups of {:?} work-items", self.groups, self.items))?;
        self.range.map_or(Ok(()), |range| range.check(self.groups, self.items))?;
        let told = self.obstacle.as_ref().is_none_or(|text| is_text(text));
        ensure(told, &|| "the obstacle is no text of a line".to_owned())?;
        ensure(self.arguments.len() <= MAX_ARGUMENTS, &|| format!("{} arguments", self.arguments.len()))?;
        let mut used = BTreeSet::new();
        for (index, argument) in self.arguments.iter().enumerate() {
            match &argument.given {
                Given::Memory { memory } => {
                    used.insert(*memory);
                    ensure(*memory < self.memories.len(), &|| format!("argument {index} is memory {memory}"))?;
                }
                Given::Value { hex, .. } => {
                    let length = from_hex(hex).map_or(0, |bytes| bytes.len());
                    ensure((1..=MAX_VALUE).contains(&length), &|| {
                        format!("argument {index} is no value of 1 to {MAX_VALUE} bytes in hexadecimal")
                    })?;
                }
                Given::Local { local } => {
                    let sound = *local > 0 && isize::try_from(*local).is_ok();
                    ensure(sound, &|| format!("argument {index} is local memory of {local} bytes"))?;
                }
                Given::Object { object } => {
                    ensure(is_text(object), &|| format!("argument {index} is an object without a kind"))?;
                    ensure(self.obstacle.is_some(), &|| format!("argument {index} is {object}, and no obstacle"))?;
                }
            }
        }
        ensure(used.len() == self.memories.len(), &|| "a memory object is no argument".to_owned())?;
        let mut files = BTreeSet::new();
        for (index, memory) in self.memories.iter().enumerate() {
            ensure(memory.bytes > 0, &|| format!("memory {index} has no bytes"))?;
            let whole = memory.bytes.is_multiple_of(memory.element.bytes() as u64);
            ensure(whole, &|| format!("memory {index} has no whole number of elements"))?;
            ensure(memory.after.is_none() || memory.changed == Some(true), &|| {
                format!("memory {index} has a file after, and has not changed")
            })?;
            for file in memory.before.iter().chain(&memory.after) {
                let sound = is_file_name(file) && file.ends_with(".npy") && files.insert(file);
                ensure(sound, &|| format!("{file:?} is no name of an array's own file in the folder"))?;
            }
        }
        Ok(())
    }
}

/// Bytes of a text in hexadecimal.
pub(crate) fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) || text.len() > 2 * MAX_VALUE {
        return None;
    }
    let digits: Option<Vec<u32>> = text.chars().map(|c| c.to_digit(16)).collect();
    digits.map(|digits| digits.chunks_exact(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect())
}

/// Bytes in hexadecimal.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Given {
    /// A value of a type of OpenCL C.
    pub fn value(bytes: &[u8], kind: Option<ElementKind>) -> Self {
        let value = match kind {
            Some(kind) if bytes.len() == kind.bytes() => kind.first(bytes, 1).pop().unwrap_or_default(),
            Some(kind) if bytes.len().is_multiple_of(kind.bytes()) => Value::from(kind.first(bytes, SHOWN)),
            _ => Value::Null,
        };
        Given::Value { hex: to_hex(bytes), value }
    }

    /// Bytes of a value; `None` for others.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Given::Value { hex, .. } => from_hex(hex),
            Given::Memory { .. } | Given::Local { .. } | Given::Object { .. } => None,
        }
    }
}
