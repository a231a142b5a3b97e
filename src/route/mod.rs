//! Routes of calls on host memory: the host, a device, or a vendor's library.

pub(crate) mod batched;
pub(crate) mod condition;
pub(crate) mod convolution;
mod costs;
mod dispatch;
pub(crate) mod fft;
pub(crate) mod gemm;
pub(crate) mod half;
pub(crate) mod host_only;
pub(crate) mod lapack;
pub(crate) mod level1;
pub(crate) mod level2;
pub(crate) mod level3;
pub(crate) mod movement;
pub(crate) mod norms;
pub(crate) mod reductions;
pub(crate) mod set;
mod settings;
pub(crate) mod sparse;
pub(crate) mod trsm;

use std::fmt;
use std::sync::Arc;

pub use settings::{CuBlasChoice, DeviceChoice, RouteChoice, configure, set_cblas, set_cublas, set_route};

// For the benchmarks, the program and the C library.
#[cfg(feature = "inner")]
#[doc(hidden)]
pub use convolution::cached_convolution;
#[cfg(not(feature = "inner"))]
pub(crate) use convolution::cached_convolution;
#[cfg(feature = "inner")]
#[doc(hidden)]
pub use fft::{cached_plan, clear_plan_cache};
#[cfg(not(feature = "inner"))]
pub(crate) use fft::{cached_plan, clear_plan_cache};
#[cfg(feature = "inner")]
#[doc(hidden)]
pub use gemm::route_of_gemm;
#[cfg(not(feature = "inner"))]
pub(crate) use gemm::route_of_gemm;
#[cfg(feature = "inner")]
#[doc(hidden)]
pub use host_only::on_host;
#[cfg(not(feature = "inner"))]
pub(crate) use host_only::on_host;
#[cfg(feature = "inner")]
#[doc(hidden)]
pub use settings::{ChosenDevice, Settings, settings, small_on_host};
#[cfg(not(feature = "inner"))]
pub(crate) use settings::{ChosenDevice, Settings, settings, small_on_host};
#[cfg(feature = "inner")]
#[doc(hidden)]
pub use sparse::{StagedMatrix, StagedVector};
#[cfg(not(feature = "inner"))]
pub(crate) use sparse::{StagedMatrix, StagedVector};

// The root names them for everybody.
pub(crate) use level1::{axpby, axpy, copy, rot, rot_real, rotm, scal, scal_real, swap};
pub(crate) use level2::{ger, gerc, her, her2, hpr, hpr2, spr, spr2, syr, syr2, tbsv, tpsv, trsv};
pub(crate) use level3::{gemmt, hemm, her2k, herk, symm, syr2k, syrk, trmm};
pub(crate) use reductions::{asum, dot, dotc, dsdot, iamax, iamin, nrm2, sdsdot};
pub(crate) use trsm::trsm;

pub use crate::tuning::model::{Family, Work};
#[cfg(feature = "inner")]
#[doc(hidden)]
pub use crate::tuning::model::{Line, Model, PAYS_BELOW};
#[cfg(not(feature = "inner"))]
pub(crate) use crate::tuning::model::{Line, Model, PAYS_BELOW};

use crate::context::DeviceContext;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::scalar::ScalarKind;
use crate::vendor::{self, Vendor};

/// Route of a call.
#[derive(Clone, Debug)]
pub enum Route {
    /// On the host backend.
    Host,
    /// On a device.
    Device(Arc<DeviceContext>),
    /// In a vendor's library.
    Vendor(Vendor),
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Route::Host => f.write_str("host"),
            Route::Device(context) => f.write_str(&context.device().info().name),
            Route::Vendor(vendor) => write!(f, "{}", vendor.path().display()),
        }
    }
}

/// Reads the settings and looks for devices, so that the first call need not, and a wrong setting is told now.
///
/// # Errors
/// [`crate::Error::InvalidSetting`] for an environment variable that is not understood, [`crate::Error::UnknownDevice`]
/// for a device that is not there. A machine without any device is no error, unless one is demanded.
pub fn initialize() -> Result<()> {
    settings().and_then(|settings| settings.device()).map(drop)
}

/// Chooses the device for calls on the host's memory, in place of `AFFINIMATH_DEVICE`: its index in [`Device::all`], or
/// -1 for the host.
///
/// # Errors
/// [`crate::Error::UnknownDevice`], [`crate::Error::NoDevice`]: the choice stays as it was.
pub fn set_device(index: i64) -> Result<()> {
    let choice = match usize::try_from(index) {
        Ok(index) => DeviceChoice::Index(index),
        Err(_) if index == -1 => DeviceChoice::Host,
        Err(_) => return Err(settings::unknown_device(&index.to_string())),
    };
    settings::set_device(&choice)
}

/// Chooses the devices for calls on the host's memory, in place of `AFFINIMATH_DEVICE` and in its spelling, such as
/// `all` or `0,1`.
///
/// # Errors
/// [`crate::Error::UnknownDevice`], [`crate::Error::NoDevice`], and [`crate::Error::InvalidSetting`] for a list that
/// names a device twice: the choice stays as it was.
pub fn set_devices(devices: &str) -> Result<()> {
    settings::set_device(&DeviceChoice::parse(devices))
}

/// The indices of the devices that calls on the host's memory may use; none when they all run on the host.
///
/// # Errors
/// The errors of [`initialize`].
pub fn devices() -> Result<Vec<usize>> {
    Ok(settings()?.devices()?.iter().map(|chosen| chosen.index).collect())
}

/// The index of the device that calls on the host's memory may use; -1 when they all run on the host.
///
/// # Errors
/// The errors of [`initialize`].
pub fn device() -> Result<i64> {
    Ok(settings()?.device()?.map_or(-1, |chosen| chosen.index as i64))
}

/// True if calls on the host's memory run on a device whatever their size.
///
/// # Errors
/// The errors of [`initialize`].
pub fn demands_device() -> Result<bool> {
    Ok(settings()?.route == settings::RouteChoice::Device)
}

/// The decision for a call: an atomic load and a few multiplications. The settings, the device and the vendor's library
/// are looked up once in a process.
///
/// # Errors
/// The errors of [`initialize`], and [`Error::PrecisionNotSupported`] when a device is demanded that lacks the
/// precision.
pub fn decide(work: &Work) -> Result<Route> {
    // A vendor's library that has called us is not asked again: that would never end.
    if host_only::host_only() || vendor::inside() {
        return Ok(Route::Host);
    }
    if let Some(context) = host_only::device_of_thread() {
        return on_device_of_thread(context, work);
    }
    let settings = settings()?;
    let route = match settings.cublas_for(work)? {
        Some(cublas) => Route::Vendor(cublas),
        None => match on_host_or_device(settings, work)? {
            Route::Host => settings.cblas()?.map_or(Route::Host, Route::Vendor),
            device => device,
        },
    };
    tracing::debug!(family = ?work.family, kind = ?work.kind, operations = work.operations, %route, "route");
    Ok(route)
}

/// The decision for LAPACK's routines and Fourier transforms, of which vendors' libraries are not asked.
///
/// # Errors
/// The errors of [`decide`].
fn decide_without_vendors(work: &Work) -> Result<Route> {
    if host_only::host_only() || vendor::inside() {
        return Ok(Route::Host);
    }
    if let Some(context) = host_only::device_of_thread() {
        return on_device_of_thread(context, work);
    }
    let route = on_host_or_device(settings()?, work)?;
    tracing::debug!(family = ?work.family, kind = ?work.kind, operations = work.operations, %route, "route");
    Ok(route)
}

fn on_device_of_thread(context: Arc<DeviceContext>, work: &Work) -> Result<Route> {
    context.device().info().require(work.kind)?;
    Ok(Route::Device(context))
}

/// Route of a call that a vendor's library has refused.
///
/// # Errors
/// [`Error::UnsupportedByVendor`] when the vendor was demanded, and as [`decide`].
#[cold]
fn without_vendors(work: &Work, vendor: Vendor, reason: String) -> Result<Route> {
    let settings = settings()?;
    if settings.route == RouteChoice::Vendor {
        return Err(Error::UnsupportedByVendor { library: vendor.path().display().to_string(), reason });
    }
    let route = on_host_or_device(settings, work)?;
    tracing::debug!(%reason, %route, "the vendor's library is passed over");
    Ok(route)
}

fn on_host_or_device(settings: &'static Settings, work: &Work) -> Result<Route> {
    let Some(chosen) = settings.device()? else { return Ok(Route::Host) };
    let device = &Device::all()?[chosen.index];
    let device_info = device.info();
    if settings.route == RouteChoice::Device {
        device_info.require(work.kind)?;
    } else if !device_info.supports(work.kind) || !chosen.costs.pays(work) {
        return Ok(Route::Host);
    }
    Ok(Route::Device(DeviceContext::for_device(device)?))
}

impl crate::Context {
    /// The device that `AFFINIMATH_DEVICE` names, else the first GPU, else the host.
    ///
    /// # Errors
    /// The errors of [`initialize`].
    pub fn preferred() -> Result<Self> {
        match settings()?.device()? {
            Some(chosen) => Self::open(&Device::all()?[chosen.index]),
            None => Ok(Self::host()),
        }
    }

    /// Context for data cached between calls on host memory: the device of the route if it supports the type, else the
    /// host.
    ///
    /// # Errors
    /// The errors of [`initialize`], and [`Error::PrecisionNotSupported`] when a device is demanded that lacks the
    /// precision.
    pub fn routed(kind: ScalarKind) -> Result<Self> {
        let settings = settings()?;
        if host_only::host_only() || !matches!(settings.route, RouteChoice::Auto | RouteChoice::Device) {
            return Ok(Self::host());
        }
        let Some(chosen) = settings.device()? else { return Ok(Self::host()) };
        let device = &Device::all()?[chosen.index];
        if settings.route == RouteChoice::Device {
            device.info().require(kind)?;
        } else if !device.info().supports(kind) {
            return Ok(Self::host());
        }
        Self::open(device)
    }
}
