//! `affinimath info`: what the library finds on this machine.

use std::fmt::Write;

use affinimath::stencil::DeviceProfile;
use affinimath::{Device, DeviceInfo, route};
use affinimath_bench::json::JsonOption;
use affinimath_bench::stdout::print;
use affinimath_bench::{Failure, copy_rate, device, memory};
use affinimath_cpu as host;
use serde_json::{Value, json};

use crate::cache;

/// The arguments of `affinimath info`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Print the facts of a device, by its index or part of its name, as affinimath stencil takes them; a copy in its
    /// memory is timed
    #[arg(long, value_name = "DEVICE", conflicts_with = "json")]
    facts: Option<String>,
    #[command(flatten)]
    json: JsonOption,
}

/// Prints the devices, the route, the cache and the host backend. What cannot be found is said, and is no failure: this
/// is the command to find out why.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(name) = &arguments.facts {
        return facts(name);
    }
    arguments.json.check_folder()?;
    arguments.json.give("info", json(), &text())
}

/// Facts about a device as JSON.
fn facts(name: &str) -> Result<(), Failure> {
    device::choose(name)?;
    let chosen = route::settings()?.device()?;
    let chosen = chosen.ok_or_else(|| Failure(format!("--facts {name} names the host, which is no OpenCL device")))?;
    let device = &Device::all()?[chosen.index];
    let rate = copy_rate(device).map_err(|error| Failure(error.to_string()))?;
    let facts = DeviceProfile { copy_bytes_per_second: Some(rate.round()), ..DeviceProfile::of(device.info()) };
    print(&format!("{}\n", facts.to_json()))
}

/// The report as text.
pub fn text() -> String {
    let mut lines = format!("affinimath  {}\n", env!("CARGO_PKG_VERSION"));
    let mut add =
        |label: &str, value: &str| writeln!(lines, "{label:<11} {value}").expect("a String takes every write");
    add("host", &host_line());
    match Device::all() {
        Err(error) => add("devices", &error.to_string()),
        Ok(devices) => {
            for (index, device) in devices.iter().enumerate() {
                let device_info = device.info();
                add(
                    &format!("device {index}"),
                    &format!(
                        "{} ({}, {} compute units)",
                        device_info.name, device_info.class, device_info.compute_units
                    ),
                );
                for line in device_lines(device_info) {
                    add("", &line);
                }
            }
        }
    }
    add("route", &route_line());
    add("cache", &cache::line());
    lines
}

fn host_line() -> String {
    let available = memory::available().map_or("unknown".into(), |bytes| memory::readable(bytes.into()));
    format!("{} threads, {available} of memory available", host::threads())
}

fn device_lines(device_info: &DeviceInfo) -> [String; 3] {
    let readable = |bytes: u64| memory::readable(bytes.into());
    let doubles = if device_info.fp64 { "fp64" } else { "no fp64: S and C routines only" };
    [
        format!("{}: {}; driver {}", device_info.platform, device_info.version, device_info.driver),
        format!(
            "{} of memory, {} at most at a time",
            readable(device_info.global_memory_bytes),
            readable(device_info.max_allocation_bytes)
        ),
        format!(
            "{doubles}; work-groups to {}, {} of local memory",
            device_info.max_work_group_size,
            readable(device_info.local_memory_bytes)
        ),
    ]
}

/// The route of calls on host memory.
fn route_line() -> String {
    let chosen = route::settings().and_then(|settings| Ok((settings.route, settings.devices()?, settings.vendors()?)));
    let (choice, devices, vendors) = match chosen {
        Err(error) => return error.to_string(),
        Ok(chosen) => chosen,
    };
    let paths: Vec<String> = vendors.iter().map(|vendor| vendor.path().display().to_string()).collect();
    let path = (!paths.is_empty()).then(|| paths.join(" and "));
    let numbers: Vec<String> = devices.iter().map(|device| device.index.to_string()).collect();
    let device = match numbers.as_slice() {
        [] => None,
        [one] => Some(format!("device {one}")),
        several => Some(format!("devices {}", several.join(", "))),
    };
    match (choice, device, path) {
        (route::RouteChoice::Device, Some(device), _) => format!("{device} for every call"),
        (route::RouteChoice::Vendor, _, Some(path)) => format!("{path} for every call"),
        (_, Some(device), None) => format!("{device} where it pays, else the host"),
        (_, Some(device), Some(path)) => format!("{device} where it pays, else {path}, else the host"),
        (_, None, Some(path)) => format!("{path}, and the host for what it lacks"),
        (_, None, None) => "the host for every call (AFFINIMATH_DEVICE chooses a device)".to_owned(),
    }
}

/// The same for programs.
pub fn json() -> Value {
    let devices: Vec<&DeviceInfo> = Device::all().unwrap_or_default().iter().map(Device::info).collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "host": { "threads": host::threads(), "memory_available": memory::available() },
        "devices": devices,
        "device_error": Device::all().err().map(|error| error.to_string()),
        "route": route_line(),
        "route_devices": route::devices().unwrap_or_default(),
        "cache": cache::json(),
    })
}
