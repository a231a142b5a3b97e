//! OpenCL devices: which there are, and the facts about them that plans need.

mod nvidia;

use std::fmt;
use std::sync::OnceLock;

use opencl3::device::{
    CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_DEFAULT, CL_DEVICE_TYPE_GPU, CL_EXEC_NATIVE_KERNEL,
    CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, CL_FP_FMA, Device as ClDevice,
};
use opencl3::platform::{Platform, get_platforms};

use crate::error::{Error, Result};
use crate::fork;
use crate::scalar::ScalarKind;

pub use nvidia::NvidiaFeatures;

/// Class of a device, which selects kernel families.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceClass {
    /// A GPU: local-memory tiles, coalesced access.
    Gpu,
    /// Anything else than a GPU or a CPU: the portable kernels.
    Accelerator,
    /// A CPU: wide vectors, one work-item per tile, no barriers.
    Cpu,
}

impl fmt::Display for DeviceClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DeviceClass::Gpu => "gpu",
            DeviceClass::Accelerator => "accelerator",
            DeviceClass::Cpu => "cpu",
        })
    }
}

/// Properties of a device, read once. They are plain data, so plans are chosen and tested without a device.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct DeviceInfo {
    /// The platform's name.
    pub platform: String,
    /// The platform's version string.
    pub platform_version: String,
    /// The device's name.
    pub name: String,
    /// Its vendor.
    pub vendor: String,
    /// The OpenCL version that it supports.
    pub version: String,
    /// The driver's version.
    pub driver: String,
    /// Its class.
    pub class: DeviceClass,
    /// Compute units (cores, multiprocessors).
    pub compute_units: usize,
    /// Work-items in a work-group, at most.
    pub max_work_group_size: usize,
    /// Local memory of a work-group, in bytes.
    pub local_memory_bytes: u64,
    /// Global memory, in bytes.
    pub global_memory_bytes: u64,
    /// The largest single allocation, in bytes.
    pub max_allocation_bytes: u64,
    /// True if it computes in `f64` (cl_khr_fp64).
    pub fp64: bool,
    /// True if `fma` on floats is done by the hardware.
    pub fast_fma: bool,
    /// True if division and square root of floats can be rounded correctly, by a build option.
    pub correctly_rounded_divide_sqrt: bool,
    /// True if kernels work on the host's memory itself, so that nothing need be copied.
    pub zero_copy: bool,
    /// True if its queues run functions of the host's, too, on memory that it shares with the host.
    pub native_kernels: bool,
    /// Features of an NVIDIA GPU: inline PTX depends on them.
    pub nvidia: NvidiaFeatures,
    /// Floats in a native vector: 16 with AVX-512, 8 with AVX, 1 where work-items are the vectors.
    pub native_floats: usize,
}

impl DeviceInfo {
    /// True if the device can compute with the type.
    pub const fn supports(&self, kind: ScalarKind) -> bool {
        !kind.is_double() || self.fp64
    }

    /// Reals of the type in a native vector, between 4 and 16: what explicit vectors are made of.
    pub const fn vector_width(&self, kind: ScalarKind) -> usize {
        let width = self.native_floats * 4 / kind.real_bytes();
        if width < 4 {
            4
        } else if width > 16 {
            16
        } else {
            width
        }
    }

    /// Refuses a type that the device cannot compute with.
    pub fn require(&self, kind: ScalarKind) -> Result<()> {
        if self.supports(kind) {
            return Ok(());
        }
        Err(Error::PrecisionNotSupported { device: self.name.clone(), missing: "cl_khr_fp64", kind })
    }
}

/// An OpenCL device.
#[derive(Clone, Debug)]
pub struct Device {
    handle: ClDevice,
    device_info: DeviceInfo,
}

impl Device {
    /// Every device of every platform, GPUs first, then accelerators, then CPUs; within a class in the drivers' order.
    ///
    /// The list is made once in a process: an index into it stays valid.
    ///
    /// # Errors
    /// [`Error::NoDevice`] when there is no OpenCL on this machine, or no device in it.
    pub fn all() -> Result<&'static [Device]> {
        static DEVICES: OnceLock<std::result::Result<Vec<Device>, String>> = OnceLock::new();
        match DEVICES.get_or_init(|| {
            fork::watch();
            enumerate()
        }) {
            Ok(devices) => Ok(devices),
            Err(reason) => Err(Error::NoDevice(reason.clone())),
        }
    }

    /// Properties of the device.
    pub const fn info(&self) -> &DeviceInfo {
        &self.device_info
    }

    /// OpenCL's handle.
    pub const fn handle(&self) -> ClDevice {
        self.handle
    }

    /// The facts of a device known only by its handle, such as that of an application's queue.
    pub fn from_handle(handle: ClDevice) -> Result<Self> {
        let platform = handle.platform().map_err(|e| Error::opencl("clGetDeviceInfo", e.0))?;
        Ok(Device { device_info: read_facts(&Platform::new(platform), &handle), handle })
    }
}

/// OpenCL's codes for an absent or unusable loader, and for a loader that found no platform.
const LOADER_ABSENT: [i32; 2] = [-2000, -2001];
const NO_PLATFORM: i32 = -1001;

fn enumerate() -> std::result::Result<Vec<Device>, String> {
    let platforms = get_platforms().map_err(|e| match e.0 {
        code if LOADER_ABSENT.contains(&code) => "the OpenCL loader (libOpenCL.so.1) is not installed".to_owned(),
        NO_PLATFORM => "the OpenCL loader knows no driver".to_owned(),
        code => Error::opencl("clGetPlatformIDs", code).to_string(),
    })?;
    let mut devices = Vec::new();
    for platform in &platforms {
        // A platform without devices is common (Mesa's, where no GPU is), and one that fails must not hide the others.
        let Ok(handles) = platform.get_devices(CL_DEVICE_TYPE_ALL) else { continue };
        for handle in handles.into_iter().map(ClDevice::new) {
            if handle.available().unwrap_or(false) && handle.compiler_available().unwrap_or(false) {
                devices.push(Device { device_info: read_facts(platform, &handle), handle });
            }
        }
    }
    if devices.is_empty() {
        return Err(format!("{} OpenCL platform(s), none with a device", platforms.len()));
    }
    devices.sort_by_key(|device| device.device_info.class);
    Ok(devices)
}

/// A fact that a driver fails to tell reads as its type's default, which every plan takes as "not able to".
fn read_facts(platform: &Platform, device: &ClDevice) -> DeviceInfo {
    let text = |value: std::result::Result<String, _>| value.map(|s: String| s.trim().to_owned()).unwrap_or_default();
    let kind = device.dev_type().unwrap_or(0) & !CL_DEVICE_TYPE_DEFAULT;
    let class = class_override().unwrap_or(if kind & CL_DEVICE_TYPE_CPU != 0 {
        DeviceClass::Cpu
    } else if kind & CL_DEVICE_TYPE_GPU != 0 {
        DeviceClass::Gpu
    } else {
        DeviceClass::Accelerator
    });
    let single_fp_config = device.single_fp_config().unwrap_or(0);
    let zero_copy = kind == CL_DEVICE_TYPE_CPU && device.host_unified_memory().unwrap_or(false);
    DeviceInfo {
        platform: text(platform.name()),
        platform_version: text(platform.version()),
        name: text(device.name()),
        vendor: text(device.vendor()),
        version: text(device.version()),
        driver: text(device.driver_version()),
        class,
        compute_units: device.max_compute_units().unwrap_or(1).max(1) as usize,
        max_work_group_size: device.max_work_group_size().unwrap_or(1).max(1),
        local_memory_bytes: device.local_mem_size().unwrap_or(0),
        global_memory_bytes: device.global_mem_size().unwrap_or(0),
        max_allocation_bytes: device.max_mem_alloc_size().unwrap_or(0),
        fp64: device.double_fp_config().unwrap_or(0) != 0,
        fast_fma: single_fp_config & CL_FP_FMA != 0,
        correctly_rounded_divide_sqrt: single_fp_config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT != 0,
        zero_copy,
        // A simulator that claims them would not see what they do.
        native_kernels: zero_copy && device.execution_capabilities().unwrap_or(0) & CL_EXEC_NATIVE_KERNEL != 0,
        nvidia: NvidiaFeatures::of(
            device.compute_capability_major_nv().unwrap_or(0) * 10 + device.compute_capability_minor_nv().unwrap_or(0),
        ),
        native_floats: device.native_vector_width_float().unwrap_or(1).max(1) as usize,
    }
}

/// `AFFINIMATH_DEVICE_CLASS=gpu|cpu|accelerator` makes every device run that class's kernels: a tool for diagnosis and
/// for testing all families on one device.
fn class_override() -> Option<DeviceClass> {
    match std::env::var("AFFINIMATH_DEVICE_CLASS").ok()?.to_ascii_lowercase().as_str() {
        "gpu" => Some(DeviceClass::Gpu),
        "cpu" => Some(DeviceClass::Cpu),
        "accelerator" => Some(DeviceClass::Accelerator),
        other => {
            tracing::warn!("AFFINIMATH_DEVICE_CLASS='{other}' is not gpu, cpu or accelerator: ignored");
            None
        }
    }
}

/// A plausible device of a class, for tests of plans.
pub fn example(class: DeviceClass) -> DeviceInfo {
    let gpu = class == DeviceClass::Gpu;
    DeviceInfo {
        platform: "example".to_owned(),
        platform_version: String::new(),
        name: "example".to_owned(),
        vendor: String::new(),
        version: String::new(),
        driver: String::new(),
        class,
        compute_units: if gpu { 132 } else { 2 },
        max_work_group_size: if gpu { 1024 } else { 4096 },
        local_memory_bytes: 48 << 10,
        global_memory_bytes: 16 << 30,
        max_allocation_bytes: 4 << 30,
        fp64: true,
        fast_fma: true,
        correctly_rounded_divide_sqrt: true,
        zero_copy: !gpu,
        native_kernels: !gpu,
        nvidia: NvidiaFeatures::NONE,
        native_floats: if gpu { 1 } else { 16 },
    }
}

/// Every device, for tests. `AFFINIMATH_TEST_DEVICE` demands one whose platform or name contains its text: without that
/// device tests fail.
pub fn for_tests() -> &'static [Device] {
    let devices = Device::all().unwrap_or_default();
    if let Some(text) = std::env::var_os("AFFINIMATH_TEST_DEVICE") {
        let text = text.to_str().expect("AFFINIMATH_TEST_DEVICE is not UTF-8");
        let names: Vec<_> = devices.iter().flat_map(|device| [&device.info().platform, &device.info().name]).collect();
        let is_there = names.iter().any(|name| name.contains(text));
        assert!(is_there, "AFFINIMATH_TEST_DEVICE='{text}' is in none of the platforms' and devices' names {names:?}");
    }
    devices
}
