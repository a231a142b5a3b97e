//! A program's source: a kernel file with the definitions that specialise it, or a generated text.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::ptr;

use super::include::{IncludeError, KernelFiles};
use super::ptx_patch::HIDDEN_PTX;
use crate::device::{DeviceInfo, NvidiaFeatures};
use crate::scalar::ScalarKind;
use crate::trace;
use affinimath_kernel::{BuildOption, Kernel};

/// A kernel file that includes all that it needs, and the files that it may include.
#[derive(Clone, Copy, Debug)]
pub struct KernelFile {
    files: &'static KernelFiles,
    path: &'static str,
}

impl KernelFile {
    /// The file at `path`, one of `files`.
    pub const fn new(files: &'static KernelFiles, path: &'static str) -> Self {
        KernelFile { files, path }
    }

    fn assemble(&self) -> Result<String, IncludeError> {
        self.files.assemble(self.path)
    }

    /// The first parameter that the file declares, with a default, and `definitions` do not have.
    fn missing_parameter(&self, definitions: &[(&str, i64)]) -> Option<&'static str> {
        let text = self.files.text(self.path)?;
        let mut parameters = text.lines().zip(text.lines().skip(1)).filter_map(|(line, next)| {
            let name = line.strip_prefix("#ifndef ")?;
            next.strip_prefix("#define ")?.strip_prefix(name).map(|_| name)
        });
        parameters.find(|name| !definitions.iter().any(|(defined, _)| defined == name))
    }
}

impl PartialEq for KernelFile {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.files, other.files) && self.path == other.path
    }
}

impl Eq for KernelFile {}

/// Source of a program: files and definitions. Equal sources are the same program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSource {
    /// The program's name in logs and errors: the routine and the family.
    pub name: &'static str,
    /// The element type.
    pub kind: ScalarKind,
    /// The routine's file under `cl/`.
    pub root: KernelFile,
    /// The parameters, defined before the texts.
    pub definitions: Vec<(&'static str, i64)>,
}

impl Hash for ProgramSource {
    /// By numbers only, lengths and the definitions' values: each launch looks its program up.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.name.len());
        state.write_u8(self.kind as u8);
        for (_, value) in &self.definitions {
            state.write_i64(*value);
        }
        state.write_usize(self.root.path.len());
    }
}

/// Source of a program: a name for logs and errors, and a text for the device's compiler.
pub trait Source {
    /// The program's name.
    fn label(&self) -> String;

    /// The text that the device's compiler sees.
    fn text(&self, device_info: &DeviceInfo) -> String;

    /// Options for the device's compiler, beyond the language's version: each begins with a space.
    fn options(&self, _device_info: &DeviceInfo) -> String {
        String::new()
    }

    /// Parameters that the text begins with.
    fn definitions(&self) -> &[(&'static str, i64)] {
        &[]
    }

    /// Element type that `scalar` is in the text.
    fn kind(&self) -> Option<ScalarKind> {
        None
    }

    /// Generated kernels of the program as JSON, by name: for traces alone.
    fn kernels(&self) -> &[(String, String)] {
        &[]
    }

    /// True if the text has instructions in comments: see [`HIDDEN_PTX`].
    fn has_hidden_ptx(&self) -> bool {
        false
    }
}

/// A program of generated kernels. Two equal texts are the same program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GeneratedSource {
    /// The kernel's name.
    pub name: String,
    text: String,
    options: BTreeSet<BuildOption>,
    /// The kernels as JSON, by name, where a trace is written.
    kernels: Vec<(String, String)>,
}

/// Kernels as JSON by name, where a trace is written.
fn traced<'k>(kernels: impl IntoIterator<Item = &'k Kernel>) -> Vec<(String, String)> {
    if !trace::is_on() {
        return Vec::new();
    }
    let json = |kernel: &Kernel| Some((kernel.name().to_owned(), kernel.to_json()?));
    kernels.into_iter().filter_map(json).collect()
}

impl GeneratedSource {
    /// One program of several kernels, which have different names and no functions of their own.
    pub fn of_kernels(name: &str, kernels: &[Kernel]) -> Self {
        let texts: Vec<String> = kernels.iter().map(Kernel::opencl).collect();
        let options = kernels.iter().flat_map(|kernel| kernel.build_options().clone()).collect();
        GeneratedSource { name: name.to_owned(), text: texts.join("\n"), options, kernels: traced(kernels) }
    }
}

impl From<&Kernel> for GeneratedSource {
    fn from(kernel: &Kernel) -> Self {
        let options = kernel.build_options().clone();
        let (name, text, kernels) = (kernel.name().to_owned(), kernel.opencl(), traced([kernel]));
        GeneratedSource { name, text, options, kernels }
    }
}

/// A program of a text that comes from elsewhere, such as a recorded launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSource {
    /// Name in logs and errors.
    pub name: String,
    /// Text for the device's compiler.
    pub text: String,
    /// Options of the compiler, beyond the language's version.
    pub options: String,
    /// True if the text has instructions in comments: see [`HIDDEN_PTX`].
    pub hidden_ptx: bool,
}

impl Source for TextSource {
    fn label(&self) -> String {
        self.name.clone()
    }

    fn text(&self, _: &DeviceInfo) -> String {
        self.text.clone()
    }

    fn options(&self, _: &DeviceInfo) -> String {
        if self.options.is_empty() { String::new() } else { format!(" {}", self.options) }
    }

    fn has_hidden_ptx(&self) -> bool {
        self.hidden_ptx
    }
}

impl Source for GeneratedSource {
    fn label(&self) -> String {
        format!("{} (generated)", self.name)
    }

    fn kernels(&self) -> &[(String, String)] {
        &self.kernels
    }

    fn text(&self, _: &DeviceInfo) -> String {
        self.text.clone()
    }

    fn options(&self, device_info: &DeviceInfo) -> String {
        let is_offered = |option: &&BuildOption| match option {
            BuildOption::CorrectlyRoundedDivideSqrt => device_info.correctly_rounded_divide_sqrt,
            option => !option.is_nvidia() || device_info.nvidia != NvidiaFeatures::NONE,
        };
        self.options.iter().filter(is_offered).map(|option| format!(" {option}")).collect()
    }
}

impl Source for ProgramSource {
    fn label(&self) -> String {
        format!("{} ({:?})", self.name, self.kind)
    }

    fn definitions(&self) -> &[(&'static str, i64)] {
        &self.definitions
    }

    fn kind(&self) -> Option<ScalarKind> {
        Some(self.kind)
    }

    fn has_hidden_ptx(&self) -> bool {
        self.definitions.contains(&(HIDDEN_PTX, 1))
    }

    fn text(&self, device_info: &DeviceInfo) -> String {
        let flags = [
            ("SCALAR_IS_DOUBLE", self.kind.is_double()),
            ("SCALAR_IS_COMPLEX", self.kind.is_complex()),
            // OpenCL promises fma in hardware for double only; for float the device says so.
            ("FAST_FMA", self.kind.is_double() || device_info.fast_fma),
        ];
        let definitions: Vec<_> =
            flags.map(|(name, on)| (name, i64::from(on))).into_iter().chain(self.definitions.iter().copied()).collect();
        // Defaults are for reading and checking a file alone.
        debug_assert_eq!(self.root.missing_parameter(&definitions), None, "a parameter of {}", self.name);
        let mut text = String::new();
        for (name, value) in definitions {
            writeln!(text, "#define {name} {value}").expect("a String takes every write");
        }
        // A test of each crate with kernel files assembles all of them.
        text + &self.root.assemble().expect("every #include of an embedded file is resolved")
    }
}
