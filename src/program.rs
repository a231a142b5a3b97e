//! Built programs, kept on disk for later processes.

pub use affinimath_opencl::program::{
    CacheEntries, cache_directory, cache_entries, cache_fault, cache_limit, clear_cache, parse_size, prune_cache,
};
pub(crate) use affinimath_opencl::program::{GeneratedSource, HIDDEN_PTX, KernelFile, Program, ProgramSource};

use affinimath_opencl::program::KernelFiles;

/// All files under `cl/`.
static FILES: KernelFiles = KernelFiles(include!(concat!(env!("OUT_DIR"), "/kernel_files.rs")));

/// The kernel file at `path`, from `cl/`.
pub(crate) const fn source(path: &'static str) -> KernelFile {
    KernelFile::new(&FILES, path)
}

#[cfg(test)]
mod host {
    use super::FILES;

    #[test]
    fn every_include_of_the_kernel_files_is_resolved() {
        for (path, _) in FILES.0 {
            FILES.assemble(path).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}
