//! A program's source: the common part, the routine's files, and the definitions that specialise them.

use std::fmt::Write;

use crate::device::DeviceFacts;
use crate::scalar::ScalarKind;

const COMMON: &str = include_str!("../../cl/common/scalar.cl");

/// What a program is made of. Two equal sources are the same program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ProgramSource {
    /// The program's name in logs and errors: the routine and the family.
    pub(crate) name: &'static str,
    /// The element type.
    pub(crate) kind: ScalarKind,
    /// The texts of the routine's files under `cl/`, in order.
    pub(crate) files: &'static [&'static str],
    /// The parameters, defined before the texts.
    pub(crate) definitions: Vec<(&'static str, i64)>,
}

impl ProgramSource {
    /// The text that the device's compiler sees.
    pub(crate) fn text(&self, facts: &DeviceFacts) -> String {
        let flags = [
            ("SCALAR_IS_DOUBLE", self.kind.is_double()),
            ("SCALAR_IS_COMPLEX", self.kind.is_complex()),
            // OpenCL promises fma in hardware for double only; for float the device says so.
            ("FAST_FMA", self.kind.is_double() || facts.fast_fma),
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
