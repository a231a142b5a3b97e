//! The writers: what is generated from the table, and where it goes.

mod api_page;
mod constants;
mod fortran;
mod header;
mod shims;
mod standard;
mod standard_headers;
mod symbols;

use std::path::PathBuf;

use crate::table::{FAMILIES, GROUPS};

/// The command that makes the files, which each of them names in its first line.
const COMMAND: &str = "cargo xtask codegen";

/// A generated file.
pub struct Generated {
    /// Where it belongs, relative to the repository's root.
    pub path: PathBuf,
    /// What it holds.
    pub text: String,
}

impl Generated {
    fn new(path: impl Into<PathBuf>, text: String) -> Self {
        Generated { path: path.into(), text }
    }
}

/// Every generated file.
pub fn all() -> Result<Vec<Generated>, String> {
    let mut files = vec![Generated::new("ffi/src/generated/constants.rs", constants::rust())];
    for group in GROUPS {
        files.push(Generated::new(format!("ffi/src/generated/{}.rs", group.module), shims::group(group)));
    }
    for family in FAMILIES {
        files.push(Generated::new(
            format!("ffi/src/generated/{}.rs", shims::module_name(family)),
            shims::family(family),
        ));
    }
    let header = header::write(&files)?;
    let symbols = symbols::library(&files);
    files.push(Generated::new("ffi/src/generated/mod.rs", shims::root()));
    for family in standard::families() {
        let path = format!("ffi/blas/src/generated/{}.rs", shims::module_name(family));
        files.push(Generated::new(path, standard::family(family)));
    }
    files.push(Generated::new("ffi/blas/src/generated/mod.rs", standard::root()));
    files.push(Generated::new("ffi/symbols.txt", symbols));
    files.push(Generated::new("ffi/blas/symbols.txt", symbols::drop_in()));
    files.push(Generated::new("include/affinimath.h", header));
    files.push(Generated::new("include/affinimath/cblas.h", standard_headers::cblas()));
    files.push(Generated::new("include/affinimath/lapacke.h", standard_headers::lapacke()));
    files.push(Generated::new("include/affinimath.f90", fortran::module()));
    files.push(Generated::new("docs/src/api.md", api_page::page()));
    Ok(files)
}

/// Text broken into lines of at most `width` characters, between words.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
