//! A program's source: the common part, the routine's files, and the definitions that specialise them; or a text that
//! was generated.

use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::ptr;

use crate::device::DeviceInfo;
use crate::scalar::ScalarKind;
use affinimath_kernel::Kernel;

const COMMON: &str = include_str!("../../cl/scalar.cl");

/// Source of a program: files and definitions. Equal sources are the same program.
#[derive(Clone, Debug, Eq)]
pub struct ProgramSource {
    /// The program's name in logs and errors: the routine and the family.
    pub name: &'static str,
    /// The element type.
    pub kind: ScalarKind,
    /// The texts of the routine's files under `cl/`, in order.
    pub files: &'static [&'static str],
    /// The parameters, defined before the texts.
    pub definitions: Vec<(&'static str, i64)>,
}

impl PartialEq for ProgramSource {
    /// Texts are compared where they are not the same ones.
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&&'static str, &&'static str)| ptr::eq(*a, *b) || a == b;
        (self.name, self.kind, &self.definitions) == (other.name, other.kind, &other.definitions)
            && self.files.len() == other.files.len()
            && self.files.iter().zip(other.files).all(same)
    }
}

impl Hash for ProgramSource {
    /// By numbers only, the texts' lengths and the definitions' values: each launch looks its program up, and to read
    /// 40 KB would take longer than to enqueue it.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.name.len());
        state.write_u8(self.kind as u8);
        for (_, value) in &self.definitions {
            state.write_i64(*value);
        }
        for text in self.files {
            state.write_usize(text.len());
        }
    }
}

/// Source of a program: a name for logs and errors, and a text for the device's compiler.
pub trait Source {
    /// The program's name.
    fn label(&self) -> String;

    /// The text that the device's compiler sees.
    fn text(&self, device_info: &DeviceInfo) -> String;
}

/// A program of generated kernels. Two equal texts are the same program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GeneratedSource {
    /// The kernel's name.
    pub name: String,
    text: String,
}

impl GeneratedSource {
    /// Generated kernels behind texts that they need.
    pub fn behind(written: &ProgramSource, device_info: &DeviceInfo, kernels: &str) -> Self {
        GeneratedSource { name: written.name.to_owned(), text: written.text(device_info) + kernels }
    }
}

impl From<&Kernel> for GeneratedSource {
    fn from(kernel: &Kernel) -> Self {
        GeneratedSource { name: kernel.name().to_owned(), text: kernel.opencl() }
    }
}

impl Source for GeneratedSource {
    fn label(&self) -> String {
        format!("{} (generated)", self.name)
    }

    fn text(&self, _: &DeviceInfo) -> String {
        self.text.clone()
    }
}

impl Source for ProgramSource {
    fn label(&self) -> String {
        format!("{} ({:?})", self.name, self.kind)
    }

    fn text(&self, device_info: &DeviceInfo) -> String {
        let flags = [
            ("SCALAR_IS_DOUBLE", self.kind.is_double()),
            ("SCALAR_IS_COMPLEX", self.kind.is_complex()),
            // OpenCL promises fma in hardware for double only; for float the device says so.
            ("FAST_FMA", self.kind.is_double() || device_info.fast_fma),
        ];
        let definitions =
            flags.map(|(name, on)| (name, i64::from(on))).into_iter().chain(self.definitions.iter().copied());
        let mut text = String::new();
        for (name, value) in definitions {
            writeln!(text, "#define {name} {value}").expect("a String takes every write");
        }
        text.push_str(COMMON);
        for file in self.files {
            text.push_str(file);
        }
        text
    }
}
