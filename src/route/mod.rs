//! Where a call on the host's memory runs: on the host, or on a device.

mod batched;
mod dispatch;
mod gemm;
mod host_only;
mod lapack;
mod level1;
mod level2;
mod level3;
mod movement;
mod reductions;
mod settings;
mod trsm;

use std::fmt;
use std::sync::Arc;

pub use batched::{gemm_batched, trsm_batched};
pub use gemm::{gemm, route_of_gemm};
pub use host_only::on_host;
pub use lapack::{
    PivotOrder, gels, geqrf, gesv, getrf, getri, getrs, laswp, lauum, orgqr, ormqr, posv, potrf, potri, potrs, trtri,
    trtrs,
};
pub use level1::{axpby, axpy, copy, rot, rot_real, rotm, scal, scal_real, swap};
pub use level2::{
    gbmv, gemv, ger, gerc, hbmv, hemv, her, her2, hpmv, hpr, hpr2, sbmv, spmv, spr, spr2, symv, syr, syr2, tbmv, tbsv,
    tpmv, tpsv, trmv, trsv,
};
pub use level3::{gemmt, hemm, her2k, herk, symm, syr2k, syrk, trmm};
pub use movement::{imatcopy, omatadd, omatcopy};
pub use reductions::{asum, dot, dotc, dsdot, iamax, iamin, nrm2, sdsdot};
pub use settings::{ChosenDevice, DeviceChoice, RouteChoice, Settings, configure, settings};
pub use trsm::trsm;

use crate::context::DeviceContext;
use crate::device::{Device, DeviceClass, DeviceFacts};
use crate::error::Result;
use crate::scalar::ScalarKind;

/// Where a call runs.
#[derive(Clone, Debug)]
pub enum Route {
    /// On the host backend.
    Host,
    /// On a device.
    Device(Arc<DeviceContext>),
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Route::Host => f.write_str("host"),
            Route::Device(context) => f.write_str(&context.device().facts().name),
        }
    }
}

/// What a call costs, for the decision where to run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// The element type.
    pub kind: ScalarKind,
    /// Real operations.
    pub operations: u64,
    /// Bytes that go to a discrete device and come back.
    pub bytes: u64,
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
    configure(settings()?.route, &choice)
}

/// The index of the device that calls on the host's memory may use; -1 when they all run on the host.
///
/// # Errors
/// As [`initialize`].
pub fn device() -> Result<i64> {
    Ok(settings()?.device()?.map_or(-1, |chosen| chosen.index as i64))
}

/// The decision for a call. A few comparisons: the settings and the device are looked up once in a process.
///
/// # Errors
/// As [`initialize`], and [`crate::Error::PrecisionNotSupported`] when a device is demanded that lacks the precision.
pub fn decide(work: &Work) -> Result<Route> {
    if host_only::host_only() {
        return Ok(Route::Host);
    }
    let settings = settings()?;
    let demanded = settings.route == RouteChoice::Device;
    let Some(chosen) = (if settings.route == RouteChoice::Host { None } else { settings.device()? }) else {
        return Ok(Route::Host);
    };
    let device: &'static Device = &Device::all()?[chosen.index];
    let facts = device.facts();
    if demanded {
        facts.require(work.kind)?;
    } else if !facts.supports(work.kind) || !pays(work, facts) {
        return Ok(Route::Host);
    }
    Ok(Route::Device(DeviceContext::for_device(device)?))
}

impl crate::Context {
    /// The device that `AFFINIMATH_DEVICE` names, else the first GPU, else the host.
    ///
    /// # Errors
    /// As [`initialize`].
    pub fn preferred() -> Result<Self> {
        match settings()?.device()? {
            Some(chosen) => Self::open(&Device::all()?[chosen.index]),
            None => Ok(Self::host()),
        }
    }
}

/// Rates of a class of machines, in operations and bytes per second: the order of magnitude is what matters here.
struct Rates {
    operations: f64,
    bytes: f64,
    launch_seconds: f64,
}

/// Whether a device is expected to be faster than the host, transfers included.
///
/// The host's rate is taken as 50 GFLOP/s of doubles per core. A discrete GPU moves pageable memory at some 9 GB/s and a
/// call costs it about 50 microseconds (see `docs/src/devices-and-routes.md`). A CPU device, which is used only when it is
/// asked for, computes at the host's own rate: it pays once the launch does not count.
pub fn pays(work: &Work, device: &DeviceFacts) -> bool {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get()) as f64;
    let single = if work.kind.is_double() { 1.0 } else { 2.0 };
    let host_seconds = work.operations as f64 / (50e9 * cores * single);
    let rates = match device.class {
        DeviceClass::Gpu => Rates { operations: 5e12 * single, bytes: 9e9, launch_seconds: 50e-6 },
        _ => return host_seconds > 200e-6,
    };
    let device_seconds =
        rates.launch_seconds + work.bytes as f64 / rates.bytes + work.operations as f64 / rates.operations;
    device_seconds < host_seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(n: u64) -> Work {
        Work { kind: ScalarKind::S, operations: 2 * n.pow(3), bytes: 4 * 4 * n * n }
    }

    #[test]
    fn a_gpu_pays_for_large_products_only() {
        let gpu = DeviceFacts::example(DeviceClass::Gpu);
        assert!(!pays(&square(64), &gpu));
        assert!(pays(&square(1 << 14), &gpu));
    }
}
