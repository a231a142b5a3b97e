//! The writers: what is generated from the table and committed, and where it goes.

mod api_page;
mod cxx;
mod fortran;
mod header;
mod shapes;
mod standard_headers;
mod symbols;

use std::path::PathBuf;

/// The command that makes the files, which each of them names in its first line.
const COMMAND: &str = "cargo xtask codegen";

/// A generated file.
pub struct Generated {
    /// Path below the repository's root.
    pub path: PathBuf,
    /// Contents of the file.
    pub text: String,
}

impl Generated {
    fn new(path: impl Into<PathBuf>, text: String) -> Self {
        Generated { path: path.into(), text }
    }
}

/// Every generated file.
pub fn all() -> Result<Vec<Generated>, String> {
    let mut files = header::all()?;
    files.extend(cxx::all()?);
    files.extend(fortran::all()?);
    files.extend([
        Generated::new("ffi/symbols.txt", symbols::library()),
        Generated::new("ffi/blas/symbols.txt", symbols::drop_in()),
        Generated::new("ffi/mpi/symbols.txt", symbols::mpi()),
        Generated::new("include/affinimath-blas/cblas.h", standard_headers::cblas()),
        Generated::new("include/affinimath-blas/lapacke.h", standard_headers::lapacke()),
    ]);
    files.extend(api_page::all());
    Ok(files)
}
