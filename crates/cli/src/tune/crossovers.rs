//! Measures what calls cost on the host and on a device: the lines of [`affinimath::route::Model`].

use affinimath::route::{self, DeviceChoice, Family, Line, RouteChoice};
use affinimath::{Context, Device, DeviceClass, Result, ScalarKind, VectorMut, VectorRef, VectorShape};
use affinimath_tuner::database::{Key, Lines, Record};

use super::calls::{has_type, seconds};
use super::timing::shortest;

/// Measures a device in these types against the host or a vendor's library. After each family `progress` gets the steps
/// done and their count.
///
/// Meanwhile the process's route is changed; afterwards it is `auto` with this device.
///
/// # Errors
/// What the device reports, and as [`route::configure`].
pub fn measure(index: usize, kinds: &[ScalarKind], mut progress: impl FnMut(usize, usize)) -> Result<Record> {
    let device = &Device::all()?[index];
    route::configure(RouteChoice::Auto, &DeviceChoice::Host)?;
    let baseline = route::settings()?.baseline();
    let [host, there] = [Context::host(), Context::open(device)?];
    let cases: Vec<(Family, ScalarKind)> = kinds
        .iter()
        .flat_map(|kind| Family::ALL.map(|family| (family, *kind)))
        .filter(|(family, kind)| has_type(*family, *kind))
        .collect();
    let mut lines = Vec::new();
    for (done, &(family, kind)) in cases.iter().enumerate() {
        progress(done, cases.len());
        let large = device.info().class == DeviceClass::Gpu;
        let host = line(&host, family, kind, false)?;
        let device = line(&there, family, kind, large)?;
        lines.push(Lines { family, kind, host, device });
    }
    progress(cases.len(), cases.len());
    // The lines end at sizes where threads and devices are worth starting: what the smallest call costs is measured
    // apart, on the host, and on the device from the host's memory.
    for line in &mut lines {
        line.host.fixed = line.host.fixed.min(seconds(&host, line.family, line.kind, 1)?);
    }
    route::configure(RouteChoice::Device, &DeviceChoice::Index(index))?;
    for line in &mut lines {
        line.device.fixed = line.device.fixed.max(seconds(&host, line.family, line.kind, 1)?);
    }
    let record = Record { key: Key::of(device.info(), &baseline), per_byte: per_byte(index)?, lines };
    route::configure(RouteChoice::Auto, &DeviceChoice::Index(index))?;
    Ok(record)
}

/// The sizes through which a family's line is drawn.
const fn sizes(family: Family, large: bool) -> &'static [usize] {
    match family {
        Family::Vector | Family::Reduction => &[1 << 14, 1 << 22],
        Family::MatrixVector | Family::Update | Family::Movement | Family::VectorSolve => &[256, 2048],
        Family::Batch | Family::BatchFactorization => &[16, 4096],
        Family::Lu | Family::Cholesky | Family::Orthogonal | Family::Inverse if large => &[256, 1024, 4096],
        Family::Lu | Family::Cholesky | Family::Orthogonal | Family::Inverse => &[64, 256, 1024],
        Family::Transform => &[64, 1024],
        _ if large => &[256, 4096],
        _ => &[64, 1024],
    }
}

fn line(context: &Context, family: Family, kind: ScalarKind, large: bool) -> Result<Line> {
    let measure = |&n: &usize| {
        let work = family.work(kind, n as u64);
        Ok((work.steps, work.operations, seconds(context, family, kind, n)?))
    };
    Ok(Line::through(&sizes(family, large).iter().map(measure).collect::<Result<Vec<_>>>()?))
}

/// Seconds for each byte to the device and back, as a call's operands go: the longer of two calls on the device less
/// the shorter one.
fn per_byte(index: usize) -> Result<[f64; 2]> {
    route::configure(RouteChoice::Device, &DeviceChoice::Index(index))?;
    let length = 16 << 20; // 64 MiB of floats.
    let x = vec![0.0_f32; length];
    let mut y = vec![0.0_f32; length];
    let shape = |n| VectorShape::new(n, 0, 1);
    // A sum reads; a scaling reads and writes.
    let read = |n: usize| shortest(|| affinimath::asum(VectorRef::from_slice(&x[..n], shape(n)?)?).map(drop));
    let to = (read(length)? - read(1 << 12)?).max(0.0);
    let mut both =
        |n: usize| shortest(|| affinimath::scal(0.5_f32, VectorMut::from_slice(&mut y[..n], shape(n)?)?)?.wait());
    let round_trip = (both(length)? - both(1 << 12)?).max(0.0);
    let bytes = (length * size_of::<f32>()) as f64;
    Ok([to / bytes, (round_trip - to).max(0.0) / bytes])
}
