//! `affinimath bench limits`: peak rates of memory and arithmetic, which bound every library.

mod device;
mod host;

use affinimath::{Device, DeviceClass, ScalarKind};
use clap::Args;

use super::contender::{Accuracy, Entrant};
use super::error::BenchError;
use super::options::CommonArguments;
use super::plot::Rates;
use super::report::{CaseReport, Report};
use super::runner::{Schedule, race};
use super::session::{self, Audience, Measured};
use super::sizes::number;
use super::table::Table;
use super::target::{MemoryChoice, Target};

/// Text after the options of `--help`.
pub const HELP: &str = "
copy  y := x, in GB/s of what is read and what is written
read  sums of all elements, in GB/s
fma   x := a x + b in registers, in GFLOP/s of two operations each: s in single precision, d in double. Matrix units, \
such as NVIDIA's tensor
      cores, may do more

On the host, as many threads as our library uses do this in the widest vectors of the processor; on a device, kernels \
of our kernel
language in its own memory.

Examples:
  affinimath bench limits
  affinimath bench limits --device nvidia --bytes 2^30 --json limits.json";

/// The arguments of `affinimath bench limits`.
#[derive(Args)]
pub struct LimitArguments {
    /// Bytes of each array: much more than the caches hold [default: 2^27, on GPUs 2^29].
    #[arg(long, value_parser = number)]
    bytes: Option<usize>,
    #[command(flatten)]
    common: CommonArguments,
}

/// Quantities that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Copy,
    Read,
    MultiplyAdd,
}

impl What {
    const fn name(self) -> &'static str {
        match self {
            What::Copy => "copy",
            What::Read => "read",
            What::MultiplyAdd => "fma",
        }
    }

    /// The unit of its rates.
    const fn unit(self) -> &'static str {
        match self {
            What::Copy | What::Read => "GB/s",
            What::MultiplyAdd => "GFLOP/s",
        }
    }
}

/// Multiply-adds in which nothing waits for anything else: each work-item or thread goes on with so many vectors at a
/// time, which is more than any pipeline holds of them.
const CHAINS: usize = 12;

/// Multiply-adds of each vector, in one operation.
const STEPS: usize = 1 << 15;

/// a and b of x := a x + b, which brings every x to exactly 1.
const FACTOR: f64 = 0.5;

/// Sums of vectors of ones are integers.
fn exact(mut sums: impl Iterator<Item = f64>, expected: f64) -> Accuracy {
    let right = sums.all(|sum| sum == expected);
    Accuracy { error: if right { 0.0 } else { 1.0 }, bound: 0.0 }
}

struct Case {
    kind: ScalarKind,
    what: What,
    /// Bytes of each array.
    bytes: usize,
}

impl Case {
    fn report(&self, target: &Target) -> CaseReport {
        let work = match self.what {
            What::Copy => 2.0 * self.bytes as f64,
            What::Read => self.bytes as f64,
            What::MultiplyAdd => {
                let lanes = target
                    .info()
                    .map_or_else(|| host::lanes(self.kind), |device_info| device::lanes(self.kind, device_info));
                2.0 * (lanes * CHAINS * STEPS) as f64
            }
        };
        let size = if self.what == What::MultiplyAdd { STEPS } else { self.bytes };
        CaseReport {
            kind: self.kind,
            routine: self.what.name().to_owned(),
            variant: self.what.unit().to_owned(),
            sizes: vec![(if self.what == What::MultiplyAdd { "steps" } else { "bytes" }.into(), size)],
            batch: None,
            size: size as f64,
            work,
            traffic: None,
            roofs: Vec::new(),
            results: Vec::new(),
        }
    }

    fn entrant<'a>(&self, target: &Target) -> Entrant<'a> {
        match target.device {
            Some(device) => device::entrant(self, device),
            None => host::entrant(self),
        }
    }
}

/// A copy of `bytes` bytes, a multiple of 256.
pub fn copy_entrant<'a>(bytes: usize, target: &Target) -> Entrant<'a> {
    Case { kind: ScalarKind::S, what: What::Copy, bytes }.entrant(target)
}

/// Multiply-adds in registers, and the operations of a call.
pub fn multiply_add_entrant<'a>(kind: ScalarKind, target: &Target) -> (Entrant<'a>, f64) {
    let case = Case { kind, what: What::MultiplyAdd, bytes: 0 };
    (case.entrant(target), case.report(target).work)
}

/// Bytes of each array, without a number that is given: whole vectors.
const fn default_bytes(on_gpu: bool) -> usize {
    if on_gpu { 1 << 29 } else { 1 << 27 }
}

/// Runs of a copy, the fastest of which counts.
const COPIES: u32 = 5;

/// The rate of a copy within a device's memory: bytes that are read and written per second.
///
/// # Errors
/// Errors of the device, or memory that is too small.
pub fn copy_rate(device: &'static Device) -> Result<f64, BenchError> {
    let largest = usize::try_from(device.info().max_allocation_bytes / 4).unwrap_or(usize::MAX);
    let bytes = default_bytes(device.info().class == DeviceClass::Gpu).min(largest) / 256 * 256;
    let target = Target { device: Some(device), memory: MemoryChoice::Device, automatic: false };
    let mut copy = copy_entrant(bytes.max(256), &target)?;
    copy.run(1)?;
    let runs = (0..COPIES).map(|_| copy.run(1)).collect::<Result<Vec<_>, _>>()?;
    let fastest = runs.into_iter().min().unwrap_or_default();
    Ok(2.0 * bytes as f64 / fastest.as_secs_f64().max(1e-9))
}

/// Runs the benchmark.
///
/// # Errors
/// See [`super::run`].
pub fn run(arguments: &LimitArguments, audience: &Audience) -> Result<(), BenchError> {
    let common = &arguments.common;
    if let Some(peer) = common.against.first() {
        return Err(BenchError::Options(format!("{} has no limits of a device: leave --against out", peer.name)));
    }
    let target = Target::choose(&common.device, common.memory)?;
    let on_gpu = target.info().is_some_and(|device_info| device_info.class == DeviceClass::Gpu);
    // Whole vectors.
    let bytes = arguments.bytes.unwrap_or_else(|| default_bytes(on_gpu)).next_multiple_of(256);
    let mut cases = vec![(ScalarKind::S, What::Copy), (ScalarKind::S, What::Read), (ScalarKind::S, What::MultiplyAdd)];
    if target.info().is_none_or(|device_info| device_info.fp64) {
        cases.push((ScalarKind::D, What::MultiplyAdd));
    }
    let cases: Vec<_> = cases
        .into_iter()
        .map(|(kind, what)| Case { kind, what, bytes })
        .map(|case| (case.report(&target), case))
        .collect();
    let report = Report::new("limits", "GB/s or GFLOP/s", &target, Vec::new());
    let table = Table::new(&report, ("what", 11), &[("size", bytes)], common.first_call);
    session::run(report, &table, (common, audience), Rates::Linear, cases, |case, schedule, turn| {
        measure(case, &target, schedule, turn)
    })
}

fn measure(case: &Case, target: &Target, schedule: &Schedule, turn: &mut dyn FnMut(usize)) -> Measured {
    if case.what != What::MultiplyAdd {
        let needed = 2 * case.bytes as u64;
        let available = crate::memory::available().unwrap_or(u64::MAX);
        if needed > available {
            return Err(BenchError::Memory { what: case.what.name().to_owned(), needed, available });
        }
    }
    Ok(race(vec![case.entrant(target)], schedule, turn))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_copies_reads_and_multiplies_right() {
        let target = Target { device: None, memory: MemoryChoice::Host, automatic: false };
        for what in [What::Copy, What::Read, What::MultiplyAdd] {
            for kind in [ScalarKind::S, ScalarKind::D] {
                let case = Case { kind, what, bytes: 4096 };
                assert!(case.report(&target).work > 0.0);
                let mut entrant = case.entrant(&target).unwrap();
                entrant.run(2).unwrap();
                assert!(entrant.accuracy().unwrap().holds(), "{what:?} {kind:?}");
            }
        }
    }

    #[test]
    fn kernels_copy_read_and_multiply_right() {
        device::tests::interpreted();
    }
}
