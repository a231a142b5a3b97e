//! The option `--device`, which several commands have.

use affinimath::Result;
use affinimath::route::{DeviceChoice, RouteChoice, configure};

/// Sends every call to what `name` means: a device by its index or part of its name, or the host. With `auto`, calls
/// run where the library's own settings send them.
pub fn choose(name: &str) -> Result<()> {
    match DeviceChoice::parse(name) {
        DeviceChoice::Auto => Ok(()),
        DeviceChoice::Host => configure(RouteChoice::Host, &DeviceChoice::Host),
        device => configure(RouteChoice::Device, &device),
    }
}
