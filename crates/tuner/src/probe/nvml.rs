//! NVIDIA's management library, loaded where it is installed.

use std::env;
use std::ffi::{CString, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::ptr;
use std::sync::Arc;

use libloading::Library;

use super::PciAddress;

/// The library's file, unless `AFFINIMATH_NVML` names another.
const FILE: &str = "libnvidia-ml.so.1";
const VARIABLE: &str = "AFFINIMATH_NVML";
const SUCCESS: c_int = 0;

/// The loaded and initialised library.
#[derive(Debug)]
struct Nvml {
    library: Library,
}

/// A GPU.
#[derive(Clone, Debug)]
pub(super) struct Gpu {
    nvml: Arc<Nvml>,
    /// The library's handle, valid from its initialisation to its shutdown.
    handle: usize,
}

/// A function of the library.
///
/// # Safety
/// `F` must be the function's type in nvml.h, and the library must stay loaded while it is called.
unsafe fn function<F: Copy>(library: &Library, name: &str) -> Result<F, String> {
    // SAFETY: by contract.
    let symbol = unsafe { library.get::<F>(name.as_bytes()) };
    symbol.map(|symbol| *symbol).map_err(|error| format!("{name}: {error}"))
}

fn succeeded(name: &str, status: c_int) -> Result<(), String> {
    if status == SUCCESS { Ok(()) } else { Err(format!("{name} gives {status}")) }
}

impl Drop for Nvml {
    fn drop(&mut self) {
        // SAFETY: nvmlReturn_t nvmlShutdown(void); no handle is used any more.
        if let Ok(shutdown) = unsafe { function::<unsafe extern "C" fn() -> c_int>(&self.library, "nvmlShutdown") } {
            // SAFETY: as above.
            unsafe { shutdown() };
        }
    }
}

impl Gpu {
    /// The GPU at an address, or else the only one.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn open(address: Option<PciAddress>) -> Result<Self, String> {
        let file = env::var_os(VARIABLE).unwrap_or_else(|| FILE.into());
        if file == "off" {
            return Err(format!("{VARIABLE} is off"));
        }
        // SAFETY: the driver's own library, or one that the user names, may be loaded.
        let library = unsafe { Library::new(&file) }.map_err(|error| error.to_string())?;
        Self::of_library(library, address)
    }

    fn of_library(library: Library, address: Option<PciAddress>) -> Result<Self, String> {
        // SAFETY: nvmlReturn_t nvmlInit_v2(void).
        succeeded("nvmlInit_v2", unsafe { function::<unsafe extern "C" fn() -> c_int>(&library, "nvmlInit_v2")?() })?;
        // It is shut down when this is dropped.
        let nvml = Arc::new(Nvml { library });
        let handle = match address {
            Some(address) => at_address(&nvml.library, address)?,
            None => only(&nvml.library)?,
        };
        Ok(Gpu { nvml, handle: handle.addr() })
    }

    /// Value of the GPU by a function's name.
    fn get<V: Default>(&self, name: &str) -> Result<V, String> {
        type Get<V> = unsafe extern "C" fn(*mut c_void, *mut V) -> c_int;
        let (mut value, handle) = (V::default(), ptr::without_provenance_mut(self.handle));
        // SAFETY: the callers give the type of the value in nvml.h, and the handle is the library's.
        succeeded(name, unsafe { function::<Get<V>>(&self.nvml.library, name)?(handle, &raw mut value) })?;
        Ok(value)
    }

    /// Joules since the driver was loaded.
    ///
    /// # Errors
    /// GPUs before Volta do not tell.
    pub(super) fn energy(&self) -> Result<f64, String> {
        self.get::<c_ulonglong>("nvmlDeviceGetTotalEnergyConsumption").map(|millijoules| millijoules as f64 * 1e-3)
    }

    /// Watts.
    ///
    /// # Errors
    /// Some GPUs do not tell.
    pub(super) fn power(&self) -> Result<f64, String> {
        self.get::<c_uint>("nvmlDeviceGetPowerUsage").map(|milliwatts| f64::from(milliwatts) * 1e-3)
    }
}

/// Handle of the GPU at an address.
fn at_address(library: &Library, address: PciAddress) -> Result<*mut c_void, String> {
    type Get = unsafe extern "C" fn(*const c_char, *mut *mut c_void) -> c_int;
    const NAME: &str = "nvmlDeviceGetHandleByPciBusId_v2";
    let text = CString::new(address.to_string()).map_err(|error| error.to_string())?;
    let mut handle = ptr::null_mut();
    // SAFETY: the type is that of nvml.h, the text ends with a zero, and the handle has a place.
    succeeded(NAME, unsafe { function::<Get>(library, NAME)?(text.as_ptr(), &raw mut handle) })?;
    Ok(handle)
}

/// Handle of the only GPU.
fn only(library: &Library) -> Result<*mut c_void, String> {
    type Count = unsafe extern "C" fn(*mut c_uint) -> c_int;
    type Get = unsafe extern "C" fn(c_uint, *mut *mut c_void) -> c_int;
    const COUNT: &str = "nvmlDeviceGetCount_v2";
    const HANDLE: &str = "nvmlDeviceGetHandleByIndex_v2";
    let (mut count, mut handle) = (0, ptr::null_mut());
    // SAFETY: the type is that of nvml.h, and the count has a place.
    succeeded(COUNT, unsafe { function::<Count>(library, COUNT)?(&raw mut count) })?;
    if count != 1 {
        return Err(format!("there are {count} GPUs, and the device does not tell which one it is"));
    }
    // SAFETY: as above.
    succeeded(HANDLE, unsafe { function::<Get>(library, HANDLE)?(0, &raw mut handle) })?;
    Ok(handle)
}

#[cfg(all(test, target_os = "linux"))]
pub(super) mod tests {
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use super::*;

    /// A library with one GPU at bus 0x3b: it takes 200 W by its clock, `energy` saying whether it counts joules.
    pub(in crate::probe) fn library(folder: &Path, energy: bool) -> Option<PathBuf> {
        let text = format!(
            "#define _GNU_SOURCE
            #include <string.h>
            #include <time.h>
            static double now(void)
            {{
              struct timespec t;
              clock_gettime(CLOCK_MONOTONIC, &t);
              return t.tv_sec + 1e-9 * t.tv_nsec;
            }}
            int nvmlInit_v2(void) {{ return 0; }}
            int nvmlShutdown(void) {{ return 0; }}
            int nvmlDeviceGetCount_v2(unsigned *count) {{ *count = 1; return 0; }}
            int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {{ *device = (void *)7; return index; }}
            int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **device)
            {{ *device = (void *)7; return strcmp(id, \"00000000:3b:00.0\") ? 6 : 0; }}
            int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *energy)
            {{ *energy = (unsigned long long)(200e3 * now()); return {}; }}
            int nvmlDeviceGetPowerUsage(void *device, unsigned *power)
            {{ *power = 200000; return device == (void *)7 ? 0 : 2; }}",
            if energy { "device == (void *)7 ? 0 : 2" } else { "3" }
        );
        let (source, file) = (folder.join("nvml.c"), folder.join(format!("libnvidia-ml-{energy}.so")));
        std::fs::write(&source, text).unwrap();
        let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
        let built = Command::new(compiler).args(["-shared", "-fPIC", "-o"]).args([&file, &source]).status();
        built.ok()?.success().then_some(file)
    }

    pub(in crate::probe) fn gpu(file: &Path, address: Option<PciAddress>) -> Result<Gpu, String> {
        // SAFETY: the library has no initialisers.
        Gpu::of_library(unsafe { Library::new(file) }.unwrap(), address)
    }

    #[test]
    fn a_gpu_is_found_by_its_address() {
        let folder = tempfile::tempdir().unwrap();
        let Some(file) = library(folder.path(), true) else { return };
        let address = PciAddress { domain: 0, bus: 0x3b, device: 0, function: 0 };
        let found = gpu(&file, Some(address)).unwrap();
        assert_eq!(found.power(), Ok(200.0));
        let before = found.energy().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(10));
        assert!(found.energy().unwrap() > before);
        let other = gpu(&file, Some(PciAddress { bus: 1, ..address })).err().unwrap();
        assert_eq!(other, "nvmlDeviceGetHandleByPciBusId_v2 gives 6");
        assert!(gpu(&file, None).is_ok(), "it is the only one");
    }

    #[test]
    fn functions_that_a_library_lacks_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let (source, file) = (folder.path().join("empty.c"), folder.path().join("libempty.so"));
        std::fs::write(&source, "int nvmlNothing;").unwrap();
        let Ok(status) = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&file, &source]).status() else {
            return;
        };
        assert!(status.success());
        assert!(gpu(&file, None).err().unwrap().contains("nvmlInit_v2"));
    }
}
