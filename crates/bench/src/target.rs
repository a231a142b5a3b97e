//! Target of our library, and memory of its operands.

use affinimath::{Device, DeviceClass, DeviceInfo, route};
use affinimath_cpu as host;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::error::BenchError;
use crate::device;

/// Memory of the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryChoice {
    /// The host's: each call brings the operands to the device and the result back.
    Host,
    /// The device's: calls are enqueued back to back, and the last one's completion ends the time.
    Device,
}

/// Target of our library.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The device, or `None` for the host.
    pub device: Option<&'static Device>,
    /// Memory of the operands.
    pub memory: MemoryChoice,
    /// True if each call is left to the library's own decision.
    pub automatic: bool,
}

impl Target {
    /// The device that answers to `name` (as `AFFINIMATH_DEVICE` has it), every call forced to it, except with `auto`.
    ///
    /// Without `memory`, operands lie in the memory of a GPU, which is what its speed is about, and else in the host's.
    pub(crate) fn choose(name: &str, memory: Option<MemoryChoice>) -> Result<Self, BenchError> {
        let automatic = name.eq_ignore_ascii_case("auto");
        device::choose(name)?;
        let device = match route::settings()?.device()? {
            Some(chosen) => Some(&Device::all()?[chosen.index]),
            None => None,
        };
        let class = device.map(|device| device.info().class);
        let memory = match (memory, class) {
            (Some(MemoryChoice::Device), None) => {
                let problem = "--memory device needs a device, and the host was chosen: name one with --device";
                return Err(BenchError::Options(problem.to_owned()));
            }
            (Some(memory), _) => memory,
            (None, Some(DeviceClass::Gpu)) => MemoryChoice::Device,
            (None, _) => MemoryChoice::Host,
        };
        Ok(Target { device, memory, automatic: automatic && memory == MemoryChoice::Host })
    }

    /// Facts of the device.
    pub fn info(&self) -> Option<&'static DeviceInfo> {
        self.device.map(Device::info)
    }

    /// The device in one line.
    pub(crate) fn describe(&self) -> String {
        let Some(device_info) = self.info() else {
            return format!("the host, {} threads", host::threads());
        };
        let DeviceInfo { name, platform, version, driver, class, compute_units, .. } = device_info;
        let route = if self.automatic { "; each call where the library sends it" } else { "" };
        format!("{name} ({class}, {compute_units} compute units; {platform}, {version}, driver {driver}){route}")
    }
}
