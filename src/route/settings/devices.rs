//! `AFFINIMATH_DEVICE`: which devices a text means.

use super::RouteChoice;
use crate::device::{Device, DeviceClass};
use crate::error::{Error, Result};

/// `AFFINIMATH_DEVICE`, or the choice of a call instead of it.
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
    /// Every GPU, or every device where there is no GPU. Large calls are spread over them; others run on the first one.
    All,
    /// Several devices, by their indices or names, in the same way.
    List(Vec<String>),
}

impl DeviceChoice {
    /// The choice that a text means: `auto`, `host`, `all`, an index, part of a name, or several of these two between
    /// commas.
    pub fn parse(text: &str) -> Self {
        let text = text.trim().to_lowercase();
        match text.as_str() {
            "" | "auto" => DeviceChoice::Auto,
            "host" => DeviceChoice::Host,
            "all" => DeviceChoice::All,
            _ if text.contains(',') => DeviceChoice::List(text.split(',').map(|part| part.trim().to_owned()).collect()),
            _ => text.parse().map_or(DeviceChoice::Name(text), DeviceChoice::Index),
        }
    }

    /// The device that was asked for, if it was a certain one.
    pub(super) fn asked(&self) -> Option<String> {
        match self {
            DeviceChoice::Auto | DeviceChoice::Host | DeviceChoice::All => None,
            DeviceChoice::Index(index) => Some(index.to_string()),
            DeviceChoice::Name(part) => Some(part.clone()),
            DeviceChoice::List(parts) => Some(parts.join(",")),
        }
    }
}

/// The devices of a choice, by their indices.
pub(in crate::route) fn indices(choice: &DeviceChoice, route: RouteChoice, devices: &[Device]) -> Result<Vec<usize>> {
    let one = match choice {
        DeviceChoice::Host => None,
        DeviceChoice::Auto if route == RouteChoice::Device => Some(0),
        DeviceChoice::Auto => devices.iter().position(|device| device.info().class == DeviceClass::Gpu),
        DeviceChoice::Index(index) if *index < devices.len() => Some(*index),
        DeviceChoice::Index(index) => return Err(unknown_device(&index.to_string())),
        DeviceChoice::Name(part) => {
            let found = devices.iter().position(|device| answers_to(device, part));
            Some(found.ok_or_else(|| unknown_device(part))?)
        }
        DeviceChoice::All => {
            let is_gpu = |index: &usize| devices[*index].info().class == DeviceClass::Gpu;
            let gpus: Vec<usize> = (0..devices.len()).filter(is_gpu).collect();
            return Ok(if gpus.is_empty() { (0..devices.len()).collect() } else { gpus });
        }
        DeviceChoice::List(parts) => return listed(parts, route, devices),
    };
    Ok(one.into_iter().collect())
}

/// The devices of a list, which names each of them once.
fn listed(parts: &[String], route: RouteChoice, devices: &[Device]) -> Result<Vec<usize>> {
    let mut found = Vec::new();
    for part in parts {
        let one = DeviceChoice::parse(part);
        let wrong =
            |expected| Err(Error::InvalidSetting { variable: "AFFINIMATH_DEVICE", value: parts.join(","), expected });
        if !matches!(one, DeviceChoice::Index(_) | DeviceChoice::Name(_)) {
            return wrong("a list has numbers or names of devices between commas");
        }
        let index = indices(&one, route, devices)?;
        if index.iter().any(|index| found.contains(index)) {
            return wrong("a list names each device once, and a part of a name means the first device that has it");
        }
        found.extend(index);
    }
    Ok(found)
}

fn answers_to(device: &Device, part: &str) -> bool {
    let device_info = device.info();
    let pocl = if device_info.platform == "Portable Computing Language" { "pocl" } else { "" };
    [device_info.name.as_str(), device_info.platform.as_str(), pocl]
        .iter()
        .any(|name| name.to_lowercase().contains(part))
}

/// The error for a device that is not there: it lists those that are.
#[cold]
pub(in crate::route) fn unknown_device(asked: &str) -> Error {
    let available = match Device::all() {
        Ok(devices) => {
            let names = devices.iter().enumerate().map(|(index, device)| format!("{index}: {}", device.info().name));
            names.collect::<Vec<_>>().join(", ")
        }
        Err(error) => format!("none ({error})"),
    };
    Error::UnknownDevice { asked: asked.to_owned(), available }
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn a_text_means_a_device_or_several() {
        assert_eq!(DeviceChoice::parse("HOST"), DeviceChoice::Host);
        assert_eq!(DeviceChoice::parse("2"), DeviceChoice::Index(2));
        assert_eq!(DeviceChoice::parse("NVIDIA"), DeviceChoice::Name("nvidia".to_owned()));
        assert_eq!(DeviceChoice::parse(" All"), DeviceChoice::All);
        assert_eq!(DeviceChoice::parse("0, NVIDIA"), DeviceChoice::List(vec!["0".to_owned(), "nvidia".to_owned()]));
    }

    #[test]
    fn a_list_names_each_device_once() {
        for wrong in ["0,0", "0,,1", "host,0", ",", "0,auto", "all,0"] {
            let choice = DeviceChoice::parse(wrong);
            let message = indices(&choice, RouteChoice::Auto, &[]).unwrap_err().to_string();
            let expected = message.contains("AFFINIMATH_DEVICE") || message.contains("no device answers to '0'");
            assert!(expected, "{wrong}: {message}");
        }
        assert!(indices(&DeviceChoice::All, RouteChoice::Auto, &[]).unwrap().is_empty());
    }
}
