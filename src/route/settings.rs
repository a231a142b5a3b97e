//! What the user asked for: environment variables, read once, and the device chosen by a call.

use std::sync::{OnceLock, PoisonError, RwLock};

use crate::device::{Device, DeviceClass};
use crate::error::{Error, Result};

/// `AFFINIMATH_ROUTE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RouteChoice {
    /// A device where it pays, else the host.
    Auto,
    /// Always the host.
    Host,
    /// Always a device; without one, an error.
    Device,
}

/// `AFFINIMATH_DEVICE`, or what a call chose in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The first GPU, if there is one.
    Auto,
    /// The host.
    Host,
    /// The index in [`Device::all`].
    Index(usize),
    /// Part of the platform's or the device's name, in any case.
    Name(String),
}

impl DeviceChoice {
    /// The choice that a text means: `auto`, `host`, an index, or part of a name.
    pub fn parse(text: &str) -> Self {
        let text = text.trim().to_lowercase();
        match text.as_str() {
            "" | "auto" => DeviceChoice::Auto,
            "host" => DeviceChoice::Host,
            _ => text.parse().map_or(DeviceChoice::Name(text), DeviceChoice::Index),
        }
    }

    /// The device that was asked for, if it was a certain one.
    fn asked(&self) -> Option<String> {
        match self {
            DeviceChoice::Auto | DeviceChoice::Host => None,
            DeviceChoice::Index(index) => Some(index.to_string()),
            DeviceChoice::Name(part) => Some(part.clone()),
        }
    }
}

/// What was asked for, and the device found for it.
#[derive(Debug)]
pub struct Settings {
    /// The route.
    pub route: RouteChoice,
    device: Option<ChosenDevice>,
    failure: Option<Error>,
}

/// A device that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChosenDevice {
    /// Its index in [`Device::all`].
    pub index: usize,
}

impl Settings {
    fn new(route: RouteChoice, choice: &DeviceChoice) -> Self {
        match find(route, choice) {
            Ok(device) => Settings { route, device, failure: None },
            Err(error) => Settings { route, device: None, failure: Some(error) },
        }
    }

    /// Whether calls of a few thousand operations run on the host, whatever else they are: no device and no vendor's library was
    /// demanded.
    pub const fn small_on_host(&self) -> bool {
        !matches!(self.route, RouteChoice::Device) && self.failure.is_none()
    }

    /// The device that calls may use, if there is one.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`] or [`Error::NoDevice`] when one was asked for that is not there.
    pub fn device(&self) -> Result<Option<ChosenDevice>> {
        match &self.failure {
            None => Ok(self.device),
            Some(error) => Err(error.clone()),
        }
    }
}

/// The settings in force. They are leaked when a call changes them, so that deciding a route takes no lock for long;
/// a program changes its device a few times at most.
static CURRENT: RwLock<Option<&'static Settings>> = RwLock::new(None);

/// The settings in force.
///
/// # Errors
/// [`Error::InvalidSetting`] when an environment variable is not understood.
pub fn settings() -> Result<&'static Settings> {
    if let Some(settings) = *CURRENT.read().unwrap_or_else(PoisonError::into_inner) {
        return Ok(settings);
    }
    let (route, choice) = from_environment()?;
    let mut current = CURRENT.write().unwrap_or_else(PoisonError::into_inner);
    Ok(current.get_or_insert_with(|| Box::leak(Box::new(Settings::new(route, choice)))))
}

/// Sets the route and the device for calls on the host's memory, in place of the environment's.
///
/// # Errors
/// [`Error::UnknownDevice`], [`Error::NoDevice`]: the settings stay as they were.
pub fn configure(route: RouteChoice, choice: &DeviceChoice) -> Result<()> {
    let settings = Settings::new(route, choice);
    settings.device()?;
    *CURRENT.write().unwrap_or_else(PoisonError::into_inner) = Some(Box::leak(Box::new(settings)));
    Ok(())
}

fn from_environment() -> Result<(RouteChoice, &'static DeviceChoice)> {
    static PARSED: OnceLock<Result<(RouteChoice, DeviceChoice)>> = OnceLock::new();
    let parsed = PARSED.get_or_init(|| {
        let text = |name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()).unwrap_or_default();
        Ok((parse_route(&text("AFFINIMATH_ROUTE"))?, DeviceChoice::parse(&text("AFFINIMATH_DEVICE"))))
    });
    match parsed {
        Ok((route, choice)) => Ok((*route, choice)),
        Err(error) => Err(error.clone()),
    }
}

fn parse_route(text: &str) -> Result<RouteChoice> {
    match text.trim().to_ascii_lowercase().as_str() {
        "" | "auto" => Ok(RouteChoice::Auto),
        "host" => Ok(RouteChoice::Host),
        "device" => Ok(RouteChoice::Device),
        _ => Err(Error::InvalidSetting {
            variable: "AFFINIMATH_ROUTE",
            value: text.to_owned(),
            expected: "it may be auto, host or device",
        }),
    }
}

fn find(route: RouteChoice, choice: &DeviceChoice) -> Result<Option<ChosenDevice>> {
    if route == RouteChoice::Host || *choice == DeviceChoice::Host {
        return match route {
            RouteChoice::Device => Err(Error::NoDevice("AFFINIMATH_ROUTE=device, but the host was chosen".to_owned())),
            _ => Ok(None),
        };
    }
    let devices = match Device::all() {
        Ok(devices) => devices,
        // Without OpenCL, the host does the work, unless a device was asked for.
        Err(_) if route == RouteChoice::Auto && *choice == DeviceChoice::Auto => return Ok(None),
        Err(error) => return Err(choice.asked().map_or(error, |asked| unknown_device(&asked))),
    };
    let index = match choice {
        DeviceChoice::Host => None,
        DeviceChoice::Auto if route == RouteChoice::Device => Some(0),
        DeviceChoice::Auto => devices.iter().position(|device| device.facts().class == DeviceClass::Gpu),
        DeviceChoice::Index(index) if *index < devices.len() => Some(*index),
        DeviceChoice::Index(index) => return Err(unknown_device(&index.to_string())),
        DeviceChoice::Name(part) => {
            let found = devices.iter().position(|device| answers_to(device, part));
            Some(found.ok_or_else(|| unknown_device(part))?)
        }
    };
    Ok(index.map(|index| ChosenDevice { index }))
}

fn answers_to(device: &Device, part: &str) -> bool {
    let facts = device.facts();
    let pocl = if facts.platform == "Portable Computing Language" { "pocl" } else { "" };
    [facts.name.as_str(), facts.platform.as_str(), pocl].iter().any(|name| name.to_lowercase().contains(part))
}

/// The error for a device that is not there: it lists those that are.
#[cold]
pub(super) fn unknown_device(asked: &str) -> Error {
    let available = match Device::all() {
        Ok(devices) => {
            let names = devices.iter().enumerate().map(|(index, device)| format!("{index}: {}", device.facts().name));
            names.collect::<Vec<_>>().join(", ")
        }
        Err(error) => format!("none ({error})"),
    };
    Error::UnknownDevice { asked: asked.to_owned(), available }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_in_any_case() {
        assert_eq!(parse_route("").unwrap(), RouteChoice::Auto);
        assert_eq!(parse_route(" Device ").unwrap(), RouteChoice::Device);
        assert_eq!(DeviceChoice::parse("HOST"), DeviceChoice::Host);
        assert_eq!(DeviceChoice::parse("2"), DeviceChoice::Index(2));
        assert_eq!(DeviceChoice::parse("NVIDIA"), DeviceChoice::Name("nvidia".to_owned()));
    }

    #[test]
    fn a_route_that_is_not_understood_is_named() {
        let message = parse_route("gpu").unwrap_err().to_string();
        assert!(message.contains("AFFINIMATH_ROUTE='gpu'") && message.contains("auto, host or device"), "{message}");
    }
}
