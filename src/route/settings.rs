//! Settings: environment variables, read once, and the device chosen by a call.

mod devices;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

pub use devices::DeviceChoice;
pub(super) use devices::{indices, unknown_device};

use super::costs::Costs;
use super::{Model, Work};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::threads;
use crate::tuning::machine::Machine;
use crate::vendor::{Cblas, CuBlas, Vendor};

/// `AFFINIMATH_ROUTE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RouteChoice {
    /// A device where it pays, else the vendor's library, if there is one, else the host.
    Auto,
    /// Always the host.
    Host,
    /// Always a device; without one, an error.
    Device,
    /// Always the vendor's library; an error without one, and for what it cannot do.
    Vendor,
}

/// `AFFINIMATH_CUBLAS`, or what a call chose in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CuBlasChoice {
    /// Not to be used.
    Off,
    /// Path of the library.
    Auto,
    /// This file.
    File(PathBuf),
}

impl CuBlasChoice {
    /// The choice that a text means: `off`, `auto`, or a path. Nothing is `off`.
    pub fn parse(text: &str) -> Self {
        match text.trim() {
            "" => CuBlasChoice::Off,
            off if off.eq_ignore_ascii_case("off") => CuBlasChoice::Off,
            auto if auto.eq_ignore_ascii_case("auto") => CuBlasChoice::Auto,
            path => CuBlasChoice::File(PathBuf::from(path)),
        }
    }
}

/// Requested settings.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Choices {
    route: RouteChoice,
    device: DeviceChoice,
    /// `AFFINIMATH_CBLAS`.
    cblas: Option<PathBuf>,
    cublas: CuBlasChoice,
}

/// Requested settings, with the device and libraries that were found.
#[derive(Debug)]
pub struct Settings {
    /// The route.
    pub route: RouteChoice,
    choices: Choices,
    /// The devices, the first of which is that of calls that are not spread.
    devices: Result<Vec<ChosenDevice>>,
    cblas: Result<Option<&'static Cblas>>,
    cublas: Result<Option<ChosenCuBlas>>,
    /// The first of the errors above: every call reports it, whatever its size.
    fault: Option<Error>,
}

/// cuBLAS, and what calls are expected to cost there.
#[derive(Clone, Copy, Debug)]
struct ChosenCuBlas {
    library: &'static CuBlas,
    costs: &'static Costs,
}

/// A device that was found.
#[derive(Clone, Copy, Debug)]
pub struct ChosenDevice {
    /// Its index in [`Device::all`].
    pub index: usize,
    pub(super) costs: &'static Costs,
}

impl ChosenDevice {
    /// True if a call may be expected to be faster on the device, once its rates are known.
    pub(super) fn may_pay(&self, work: &Work) -> bool {
        self.costs.may_pay(work)
    }

    /// Cost model of the device, measured now if unknown.
    pub fn model(&self) -> &'static Model {
        self.costs.model()
    }
}

impl Settings {
    fn new(choices: Choices) -> Self {
        let cblas = find_cblas(&choices);
        let baseline = baseline(cblas.as_ref().ok().copied().flatten());
        let devices = find(choices.route, &choices.device, &baseline);
        let chosen = devices.as_ref().ok().and_then(|devices| devices.first().copied());
        let cublas = find_cublas(&choices, chosen, cblas.as_ref().is_ok_and(Option::is_some));
        let mut settings = Settings { route: choices.route, devices, cblas, cublas, choices, fault: None };
        settings.fault = settings.check().err();
        settings
    }

    /// Backend of calls off the device: `host`, or the path of a vendor's library.
    pub fn baseline(&self) -> String {
        baseline(self.cblas.as_ref().ok().copied().flatten())
    }

    /// True if calls of a few thousand operations run on the host, whatever else they are: no device was demanded, and
    /// no vendor's CBLAS does what a device does not.
    const fn small_on_host(&self) -> bool {
        matches!(self.route, RouteChoice::Auto | RouteChoice::Host)
            && matches!((&self.devices, &self.cblas, &self.cublas), (Ok(_), Ok(None), Ok(_)))
    }

    /// True if the requested device and libraries were found.
    fn check(&self) -> Result<()> {
        self.device()?;
        self.vendors().map(drop)
    }

    /// The device that calls may use, if there is one.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`] or [`Error::NoDevice`] when one was asked for that is not there.
    pub fn device(&self) -> Result<Option<ChosenDevice>> {
        Ok(self.devices()?.first().copied())
    }

    /// The devices that calls may be spread over. One or none where no list was chosen.
    ///
    /// # Errors
    /// The errors of [`Settings::device`].
    pub fn devices(&self) -> Result<&[ChosenDevice]> {
        self.devices.as_deref().map_err(Error::clone)
    }

    /// The vendors' libraries that calls may use.
    ///
    /// # Errors
    /// [`Error::VendorLibrary`] when one cannot be used, [`Error::NoVendor`] when there is none and one is demanded.
    pub fn vendors(&self) -> Result<Vec<Vendor>> {
        let cublas = self.cublas.as_ref().map_err(Error::clone)?.map(|chosen| Vendor::CuBlas(chosen.library));
        let cblas = self.cblas.as_ref().map_err(Error::clone)?.map(Vendor::Cblas);
        Ok(cublas.into_iter().chain(cblas).collect())
    }

    /// cuBLAS, if the call is expected to be faster there than on the host, or nobody else is asked for.
    pub(super) fn cublas_for(&self, work: &Work) -> Result<Option<Vendor>> {
        let chosen = match &self.cublas {
            Ok(chosen) => *chosen,
            Err(error) => return Err(error.clone()),
        };
        let only = self.route == RouteChoice::Vendor && !matches!(self.cblas, Ok(Some(_)));
        Ok(chosen.filter(|chosen| only || chosen.costs.pays(work)).map(|chosen| Vendor::CuBlas(chosen.library)))
    }

    /// The CBLAS.
    pub(super) fn cblas(&self) -> Result<Option<Vendor>> {
        match &self.cblas {
            Ok(library) => Ok(library.map(Vendor::Cblas)),
            Err(error) => Err(error.clone()),
        }
    }
}

/// The settings in force; null before the first use. Deciding a route takes no lock.
static CURRENT: AtomicPtr<Settings> = AtomicPtr::new(ptr::null_mut());

/// True if small calls run on the host under the current settings. The first call decides.
static SMALL_ON_HOST: AtomicBool = AtomicBool::new(false);

/// True if calls of a few thousand operations are known to run on the host: no device was demanded, and no vendor's
/// library does what a device does not. False until the settings are read.
#[inline]
pub fn small_on_host() -> bool {
    SMALL_ON_HOST.load(Ordering::Relaxed)
}

/// All settings that have been in force, which are never freed: one for each set of choices, so that a program may
/// change its mind as often as it likes. Held while the settings change.
static MADE: Mutex<Vec<&'static Settings>> = Mutex::new(Vec::new());

/// The settings in force.
///
/// # Errors
/// [`Error::InvalidSetting`] when an environment variable is not understood, and as [`configure`] and [`set_cblas`]
/// when a device or library that one names is not there.
pub fn settings() -> Result<&'static Settings> {
    let settings = in_force()?;
    match &settings.fault {
        None => Ok(settings),
        Some(fault) => Err(fault.clone()),
    }
}

/// The settings in force, although what they name may be missing.
fn in_force() -> Result<&'static Settings> {
    // SAFETY: it is null or points to settings that are never freed.
    match unsafe { CURRENT.load(Ordering::Acquire).as_ref() } {
        Some(settings) => Ok(settings),
        None => first_settings(),
    }
}

#[cold]
fn first_settings() -> Result<&'static Settings> {
    let choices = from_environment()?;
    threads::check_setting()?;
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: as above.
    if let Some(settings) = unsafe { CURRENT.load(Ordering::Acquire).as_ref() } {
        return Ok(settings);
    }
    let settings: &'static Settings = Box::leak(Box::new(Settings::new(choices.clone())));
    made.push(settings);
    put_in_force(settings);
    Ok(settings)
}

/// True if the settings in force name several devices. False until they are read.
static SEVERAL_DEVICES: AtomicBool = AtomicBool::new(false);

/// True if calls may be spread over several devices: an atomic load.
///
/// # Errors
/// The errors of [`settings`].
#[inline]
pub(super) fn several_devices() -> Result<bool> {
    // The first call reads them.
    if CURRENT.load(Ordering::Relaxed).is_null() {
        settings()?;
    }
    Ok(SEVERAL_DEVICES.load(Ordering::Relaxed))
}

fn put_in_force(settings: &'static Settings) {
    let several = settings.devices.as_ref().is_ok_and(|devices| devices.len() > 1);
    SEVERAL_DEVICES.store(several, Ordering::Relaxed);
    CURRENT.store(ptr::from_ref(settings).cast_mut(), Ordering::Release);
    SMALL_ON_HOST.store(settings.small_on_host(), Ordering::Relaxed);
}

/// Changes some of the choices in force. On an error, such as a device that is not there, all stays as it was.
fn change(what: impl FnOnce(&mut Choices)) -> Result<()> {
    in_force()?; // which takes the lock where there are none yet
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut choices = in_force()?.choices.clone();
    what(&mut choices);
    // Those that an error was found for, such as a device that is not there, are made again: it may be there now.
    if let Some(settings) = made.iter().find(|made| made.choices == choices && made.check().is_ok()) {
        put_in_force(settings);
        return Ok(());
    }
    let settings = Settings::new(choices);
    settings.check()?;
    let settings: &'static Settings = Box::leak(Box::new(settings));
    made.push(settings);
    put_in_force(settings);
    Ok(())
}

/// Sets the route and the device for calls on the host's memory, in place of the environment's.
///
/// # Errors
/// [`Error::UnknownDevice`], [`Error::NoDevice`], [`Error::NoVendor`]: the settings stay as they were.
pub fn configure(route: RouteChoice, choice: &DeviceChoice) -> Result<()> {
    change(|choices| {
        choices.route = route;
        choices.device = choice.clone();
    })
}

/// Sets the device for calls on the host's memory, in place of `AFFINIMATH_DEVICE`, also of one that is not there.
///
/// # Errors
/// The errors of [`configure`].
pub(super) fn set_device(choice: &DeviceChoice) -> Result<()> {
    change(|choices| choices.device = choice.clone())
}

/// Sets the route for calls on the host's memory, in place of `AFFINIMATH_ROUTE`.
///
/// # Errors
/// The errors of [`configure`].
pub fn set_route(route: RouteChoice) -> Result<()> {
    change(|choices| choices.route = route)
}

/// Sets the vendor's CBLAS, in place of `AFFINIMATH_CBLAS`: a library's path, or none.
///
/// # Errors
/// [`Error::VendorLibrary`] when it cannot be used, and as [`configure`]: the settings stay as they were.
pub fn set_cblas(path: Option<&Path>) -> Result<()> {
    change(|choices| choices.cblas = path.map(Path::to_owned))
}

/// Sets whether cuBLAS is used, in place of `AFFINIMATH_CUBLAS`.
///
/// # Errors
/// The errors of [`set_cblas`].
pub fn set_cublas(choice: &CuBlasChoice) -> Result<()> {
    change(|choices| choices.cublas = choice.clone())
}

fn from_environment() -> Result<&'static Choices> {
    static PARSED: OnceLock<Result<Choices>> = OnceLock::new();
    let parsed = PARSED.get_or_init(|| {
        // Settings of other parts of the library are understood now too, and not first where they are used.
        crate::program::cache_limit()?;
        let text = |name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Choices {
            route: RouteChoice::parse(&text("AFFINIMATH_ROUTE"))?,
            device: DeviceChoice::parse(&text("AFFINIMATH_DEVICE")),
            cublas: CuBlasChoice::parse(&text("AFFINIMATH_CUBLAS")),
            cblas: std::env::var_os("AFFINIMATH_CBLAS").filter(|path| !path.is_empty()).map(PathBuf::from),
        })
    });
    parsed.as_ref().map_err(Error::clone)
}

/// True if the route leads to vendors' libraries at all.
fn may_use_vendors(choices: &Choices) -> bool {
    matches!(choices.route, RouteChoice::Auto | RouteChoice::Vendor)
}

/// The CBLAS that the choices name. Each is loaded once, and kept.
fn find_cblas(choices: &Choices) -> Result<Option<&'static Cblas>> {
    static LOADED: Mutex<Option<HashMap<PathBuf, &'static Cblas>>> = Mutex::new(None);
    let Some(path) = choices.cblas.as_ref().filter(|_| may_use_vendors(choices)) else { return Ok(None) };
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let loaded = loaded.get_or_insert_default();
    if let Some(library) = loaded.get(path) {
        return Ok(Some(library));
    }
    let library = match Cblas::load(path) {
        Ok(library) => &*Box::leak(Box::new(library)),
        Err(error) if choices.route == RouteChoice::Auto && Cblas::is_ourselves(&error) => {
            tracing::warn!("{error}: the host does the work");
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    tracing::info!(path = %path.display(), version = library.version(), "a vendor's library was loaded");
    loaded.insert(path.clone(), library);
    Ok(Some(library))
}

/// cuBLAS as the choices have it, on the GPU that our own kernels would use.
fn find_cublas(choices: &Choices, device: Option<ChosenDevice>, has_cblas: bool) -> Result<Option<ChosenCuBlas>> {
    static LOADED: Mutex<Option<HashMap<PathBuf, Option<&'static CuBlas>>>> = Mutex::new(None);
    let none = || match choices.route {
        RouteChoice::Vendor if !has_cblas && choices.cblas.is_none() => Err(Error::NoVendor),
        _ => Ok(None),
    };
    if !may_use_vendors(choices) || choices.cublas == CuBlasChoice::Off {
        return none();
    }
    let (path, name) = match &choices.cublas {
        CuBlasChoice::File(path) => (path.clone(), device_name(device)),
        _ => (PathBuf::new(), device_name(device)),
    };
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let loaded = loaded.get_or_insert_default();
    let library = match loaded.get(&path) {
        Some(library) => *library,
        None => {
            let library = match &choices.cublas {
                CuBlasChoice::File(path) => Some(CuBlas::load(path, name)?),
                _ => CuBlas::find(name),
            };
            let library = library.map(|library| &*Box::leak(Box::new(library)));
            loaded.insert(path, library);
            library
        }
    };
    let Some(library) = library else { return none() };
    let costs = device.map_or_else(
        || {
            let machine = Machine::of_units(true, library.cuda().multiprocessors(), crate::host::threads());
            &*Box::leak(Box::new(Costs::known(Model::of_machine(&machine))))
        },
        |device| device.costs,
    );
    Ok(Some(ChosenCuBlas { library, costs }))
}

/// The name of the device that our own kernels would use.
fn device_name(device: Option<ChosenDevice>) -> &'static str {
    let devices = Device::all().unwrap_or_default();
    device.and_then(|device| devices.get(device.index)).map_or("", |device| device.info().name.as_str())
}

impl RouteChoice {
    /// The route that a text means, in any case; nothing is `auto`.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] when it is none.
    pub fn parse(text: &str) -> Result<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "" | "auto" => Ok(RouteChoice::Auto),
            "host" => Ok(RouteChoice::Host),
            "device" => Ok(RouteChoice::Device),
            "vendor" => Ok(RouteChoice::Vendor),
            _ => Err(Error::InvalidSetting {
                variable: "AFFINIMATH_ROUTE",
                value: text.to_owned(),
                expected: "it may be auto, host, device or vendor",
            }),
        }
    }
}

fn baseline(cblas: Option<&Cblas>) -> String {
    cblas.map_or("host".to_owned(), |library| library.file().path().display().to_string())
}

fn find(route: RouteChoice, choice: &DeviceChoice, baseline: &str) -> Result<Vec<ChosenDevice>> {
    if matches!(route, RouteChoice::Host | RouteChoice::Vendor) || *choice == DeviceChoice::Host {
        return match route {
            RouteChoice::Device => Err(Error::NoDevice("AFFINIMATH_ROUTE=device, but the host was chosen".to_owned())),
            _ => Ok(Vec::new()),
        };
    }
    let devices = match Device::all() {
        Ok(devices) => devices,
        // Without OpenCL, the host does the work, unless a device was asked for.
        Err(_) if route != RouteChoice::Device && matches!(choice, DeviceChoice::Auto | DeviceChoice::All) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(choice.asked().map_or(error, |asked| unknown_device(&asked))),
    };
    let chosen = indices(choice, route, devices)?.into_iter().map(|index| {
        // Never freed, as the settings.
        let costs = Box::leak(Box::new(Costs::of_device(&devices[index], baseline)));
        ChosenDevice { index, costs: &*costs }
    });
    Ok(chosen.collect())
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn settings_are_read_in_any_case() {
        assert_eq!(RouteChoice::parse("").unwrap(), RouteChoice::Auto);
        assert_eq!(RouteChoice::parse(" Device ").unwrap(), RouteChoice::Device);
    }

    #[test]
    fn cublas_is_off_unless_it_is_asked_for() {
        assert_eq!(CuBlasChoice::parse(" "), CuBlasChoice::Off);
        assert_eq!(CuBlasChoice::parse("OFF"), CuBlasChoice::Off);
        assert_eq!(CuBlasChoice::parse("Auto"), CuBlasChoice::Auto);
        assert_eq!(CuBlasChoice::parse("/opt/lib.so"), CuBlasChoice::File("/opt/lib.so".into()));
    }

    #[test]
    fn a_device_that_is_not_there_is_a_fault_of_the_settings() {
        let choices = |device| Choices { route: RouteChoice::Auto, device, cblas: None, cublas: CuBlasChoice::Off };
        let missing = Settings::new(choices(DeviceChoice::Name("no such device".to_owned())));
        assert!(matches!(missing.fault, Some(Error::UnknownDevice { .. })), "{:?}", missing.fault);
        assert!(Settings::new(choices(DeviceChoice::Host)).fault.is_none());
        let library = Choices { cblas: Some("/no/such/library.so".into()), ..choices(DeviceChoice::Host) };
        assert!(matches!(Settings::new(library).fault, Some(Error::VendorLibrary { .. })));
    }

    #[test]
    fn settings_that_were_in_force_before_are_not_made_again() {
        for _ in 0..3 {
            change(|_| ()).unwrap();
        }
        let made = MADE.lock().unwrap();
        let found = || made.iter().filter(|made| made.check().is_ok());
        assert!(found().count() > 0);
        for one in found() {
            assert_eq!(found().filter(|other| other.choices == one.choices).count(), 1, "{:?}", one.choices);
        }
    }

    #[test]
    fn a_route_that_is_not_understood_is_named() {
        let message = RouteChoice::parse("gpu").unwrap_err().to_string();
        assert!(
            message.contains("AFFINIMATH_ROUTE='gpu'") && message.contains("auto, host, device or vendor"),
            "{message}"
        );
    }
}
