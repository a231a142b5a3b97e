//! Energy of a processor between two moments.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Target;
use super::nvml::Gpu;
use super::powercap::Powercap;

/// Time between samples of the power.
const SAMPLES: Duration = Duration::from_millis(5);

/// Source of a processor's energy.
#[derive(Debug)]
pub struct EnergyMeter(Source);

#[derive(Debug)]
enum Source {
    Powercap(Powercap),
    /// A GPU that counts its energy.
    Counter(Gpu),
    /// A GPU that tells its power alone.
    Power(Gpu),
}

/// Measurement that has begun.
pub(super) enum Running<'m> {
    Powercap(&'m Powercap, Vec<u64>),
    Counter(&'m Gpu, f64),
    Samples(Sampler),
}

impl EnergyMeter {
    /// Opens the source of a processor's energy.
    ///
    /// # Errors
    /// Why there is none.
    pub fn open(target: Target) -> Result<Self, String> {
        match target {
            Target::Host => Powercap::open().map(|powercap| EnergyMeter(Source::Powercap(powercap))),
            Target::Gpu(address) => Gpu::open(address).and_then(Self::of_gpu),
            Target::Other => Err("no instrument tells the energy of this device".to_owned()),
        }
    }

    fn of_gpu(gpu: Gpu) -> Result<Self, String> {
        if gpu.energy().is_ok() {
            return Ok(EnergyMeter(Source::Counter(gpu)));
        }
        gpu.power().map(|_| EnergyMeter(Source::Power(gpu)))
    }

    /// Name of the source, for people.
    pub const fn name(&self) -> &'static str {
        match &self.0 {
            Source::Powercap(_) => "powercap",
            Source::Counter(_) => "NVML's energy counter",
            Source::Power(_) => "samples of NVML's power",
        }
    }

    /// Begins a measurement; `None` where the source fails now.
    pub(super) fn start(&self) -> Option<Running<'_>> {
        Some(match &self.0 {
            Source::Powercap(powercap) => Running::Powercap(powercap, powercap.read()?),
            Source::Counter(gpu) => Running::Counter(gpu, gpu.energy().ok()?),
            Source::Power(gpu) => Running::Samples(Sampler::start(gpu.clone())),
        })
    }
}

impl Running<'_> {
    /// Joules from the start until now.
    pub(super) fn joules(self) -> Option<f64> {
        match self {
            Running::Powercap(powercap, before) => Some(powercap.joules(&before, &powercap.read()?)),
            Running::Counter(gpu, before) => Some(gpu.energy().ok()? - before),
            Running::Samples(sampler) => sampler.stop(),
        }
    }
}

/// Thread that integrates the power over time, by the trapezoidal rule.
pub(super) struct Sampler {
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<Option<f64>>>,
}

impl Sampler {
    fn start(gpu: Gpu) -> Self {
        let ends = Arc::new(AtomicBool::new(false));
        let asked = ends.clone();
        let thread = std::thread::spawn(move || {
            let (mut joules, mut last, mut power) = (0.0, Instant::now(), gpu.power().ok()?);
            loop {
                let ends = asked.load(Ordering::Acquire);
                let (now, current) = (Instant::now(), gpu.power().ok()?);
                joules += 0.5 * (power + current) * (now - last).as_secs_f64();
                (last, power) = (now, current);
                if ends {
                    return Some(joules);
                }
                std::thread::park_timeout(SAMPLES);
            }
        });
        Sampler { ends, thread: Some(thread) }
    }

    fn end(&mut self) -> Option<f64> {
        self.ends.store(true, Ordering::Release);
        let thread = self.thread.take()?;
        thread.thread().unpark();
        thread.join().ok()?
    }

    fn stop(mut self) -> Option<f64> {
        self.end()
    }
}

/// Work that fails leaves no thread behind.
impl Drop for Sampler {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::super::nvml::tests::{gpu, library};
    use super::*;

    #[test]
    fn a_gpu_without_a_counter_has_its_power_integrated() {
        let folder = tempfile::tempdir().unwrap();
        for (counts, name) in [(true, "NVML's energy counter"), (false, "samples of NVML's power")] {
            let Some(file) = library(folder.path(), counts) else { return };
            let meter = EnergyMeter::of_gpu(gpu(&file, None).unwrap()).unwrap();
            assert_eq!(meter.name(), name);
            let (start, running) = (Instant::now(), meter.start().unwrap());
            std::thread::sleep(Duration::from_millis(50));
            let joules = running.joules().unwrap();
            let most = 200.0 * start.elapsed().as_secs_f64() + 0.01;
            assert!((9.0..=most).contains(&joules), "200 W for 50 ms: {joules} J, {most} J at most");
        }
    }

    #[test]
    fn a_measurement_that_is_dropped_ends_its_thread() {
        let folder = tempfile::tempdir().unwrap();
        let Some(file) = library(folder.path(), false) else { return };
        let meter = EnergyMeter::of_gpu(gpu(&file, None).unwrap()).unwrap();
        drop(meter.start());
    }
}
