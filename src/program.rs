//! Built programs, kept on disk for later processes.

pub use affinimath_opencl::program::{
    CacheEntries, cache_directory, cache_entries, cache_fault, cache_limit, clear_cache, parse_size, prune_cache,
};
pub(crate) use affinimath_opencl::program::{GeneratedSource, HIDDEN_PTX, KernelFile, Program, ProgramSource};

use affinimath_array::lower::{DeviceClass, DeviceKind, Functions};
use affinimath_opencl::device::DeviceInfo;
use affinimath_opencl::program::KernelFiles;

/// All files under `cl/`.
static FILES: KernelFiles = KernelFiles(include!(concat!(env!("OUT_DIR"), "/kernel_files.rs")));

/// The kernel file at `path`, from `cl/`.
pub(crate) const fn source(path: &'static str) -> KernelFile {
    KernelFile::new(&FILES, path)
}

/// The properties of a device that kernels of arrays' structures depend on.
pub(crate) const fn device_class(device_info: &DeviceInfo, functions: Functions) -> DeviceClass {
    let kind = match device_info.class {
        affinimath_opencl::device::DeviceClass::Cpu => DeviceKind::Cpu,
        affinimath_opencl::device::DeviceClass::Gpu | affinimath_opencl::device::DeviceClass::Accelerator => {
            DeviceKind::Gpu
        }
    };
    DeviceClass {
        kind,
        functions,
        has_doubles: device_info.fp64,
        rounds_divisions: device_info.correctly_rounded_divide_sqrt,
        compute_units: device_info.compute_units,
    }
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
