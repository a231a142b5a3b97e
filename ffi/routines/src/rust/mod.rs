//! The Rust text that the build scripts of the two libraries write: modules of exported functions.

mod constants;
mod shims;
pub mod standard;

use std::fmt::Write;
use std::path::Path;
use std::{fs, io};

use crate::table::{self, Choice, Element, Family, MPI, Only, families, groups};

/// A module, as text.
pub struct Module {
    /// Its name.
    pub name: String,
    /// Its Rust text.
    pub text: String,
    /// True for a public module.
    pub public: bool,
}

/// The modules of `libaffinimath.so`: constants, and a shim for each function of the C API.
pub fn shims() -> Vec<Module> {
    let public = |name: String, text| Module { name, text, public: true };
    let constants = public("constants".to_owned(), constants::module(&table::constants().collect::<Vec<_>>()));
    let groups = groups().map(|group| public(group.module.to_owned(), shims::group(group)));
    let families = families().map(|family| public(module_name(family), shims::family(family)));
    [constants].into_iter().chain(groups).chain(families).collect()
}

/// The modules of `libaffinimath_mpi.so`: a shim for each distributed function.
pub fn mpi_shims() -> Vec<Module> {
    let public = |name: String, text| Module { name, text, public: true };
    let constants = public("constants".to_owned(), constants::module(&MPI.constants.iter().collect::<Vec<_>>()));
    let groups = MPI.groups.iter().map(|group| public(group.module.to_owned(), shims::mpi_group(group)));
    [constants]
        .into_iter()
        .chain(groups)
        .chain(MPI.families.iter().map(|family| public(module_name(family), shims::mpi_family(family))))
        .collect()
}

/// The modules of `libaffinimath_blas.so`: the standard names.
pub fn standard_names() -> Vec<Module> {
    let family = |family| Module { name: module_name(family), text: standard::family(family), public: false };
    standard::families().map(family).collect()
}

/// Writes each module to a file of the folder, and `modules.rs`, which declares them and is to be included.
pub fn write(modules: &[Module], folder: &Path) -> io::Result<()> {
    let mut list = String::new();
    for Module { name, text, public } in modules {
        fs::write(folder.join(format!("{name}.rs")), text)?;
        writeln!(list, "{}mod {name};", if *public { "pub " } else { "" }).unwrap();
    }
    fs::write(folder.join("modules.rs"), list)
}

/// The module of a family's functions: `blas_level3` for `blas/level3`.
fn module_name(family: &Family) -> String {
    family.path.replace('/', "_")
}

/// The field of a call for an argument that only other names have.
fn absent(only: Only) -> &'static str {
    match only {
        Only::Matrix => "affinimath_abi::lapack::Unneeded",
        Only::Size => "affinimath_abi::lapack::NO_WORKSPACE",
        Only::Choice(Choice::Sort) => "affinimath_abi::lapack::job::UNSORTED",
        Only::Choice(_) => "affinimath_abi::lapack::job::SENSE_NONE",
        Only::Select | Only::SelectQuotient => "affinimath_abi::lapack::schur::Selection::NONE",
        Only::Count => "affinimath_abi::lapack::NO_INTEGERS",
        Only::Real => "std::ptr::null_mut()",
    }
}

fn element(element: Element) -> &'static str {
    match element {
        Element::F16 => "Half",
        Element::F32 => "f32",
        Element::F64 => "f64",
        Element::C32 => "Complex32",
        Element::C64 => "Complex64",
    }
}
