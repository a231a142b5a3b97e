//! Probes of a run: clocks, hardware counters and energy. A value that this machine does not give is `None`.
//!
//! ```
//! use affinimath_tuner::probe::{Probe, Probes, Target};
//!
//! let mut probes = Probes::new(Target::Host, &[Probe::Counters, Probe::Energy]);
//! let reading = probes.measure(10, || {
//!     (0..10).for_each(|_| drop(std::hint::black_box(vec![1.0_f64; 1 << 16])));
//!     Ok::<(), String>(())
//! })?;
//! println!("{:.1} us, {:?} cycles, {:?} J", 1e6 * reading.wall_seconds, reading.cycles, reading.joules);
//! # Ok::<(), String>(())
//! ```

mod counters;
mod energy;
mod nvml;
mod powercap;
mod reading;

use std::fmt;
use std::time::{Duration, Instant};

use affinimath_opencl::device::{Device, DeviceClass};

pub use energy::EnergyMeter;
pub use reading::Reading;

use counters::Counters;

/// Least duration of a measurement of energy: counters of energy change every 1 to 100 ms.
pub const ENERGY_DURATION: Duration = Duration::from_millis(500);

/// Instrument of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// The host's clock: always there.
    Wall,
    /// OpenCL's times of launches, from a queue with profiling.
    DeviceEvents,
    /// Hardware counters of this process's threads, by Linux's perf_event_open: cycles, instructions, cache misses.
    Counters,
    /// Energy: of NVIDIA's GPUs by NVML, of the host's processors by powercap (RAPL).
    Energy,
}

/// Address of a device on the PCI bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PciAddress {
    /// Domain, bus, device and function.
    pub domain: u32,
    /// See `domain`.
    pub bus: u32,
    /// See `domain`.
    pub device: u32,
    /// See `domain`.
    pub function: u32,
}

impl fmt::Display for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}:{:02x}:{:02x}.{:x}", self.domain, self.bus, self.device, self.function)
    }
}

/// Processor whose energy counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The host's processors and their memory.
    Host,
    /// An NVIDIA GPU; without an address, the only one.
    Gpu(Option<PciAddress>),
    /// A processor whose energy nobody tells.
    Other,
}

impl Target {
    /// The processor that an OpenCL device is.
    pub fn of_device(device: &Device) -> Self {
        match device.info().class {
            DeviceClass::Cpu => Target::Host,
            DeviceClass::Gpu => {
                let device = device.handle();
                let khronos = device.pcibusinfokhr_intel().ok().map(|info| PciAddress {
                    domain: info.pci_domain,
                    bus: info.pci_bus,
                    device: info.pci_device,
                    function: info.pci_function,
                });
                // cl_nv_device_attribute_query: five bits of the device and three of the function.
                let nvidia = || {
                    let (bus, slot) = (device.pci_bus_id_nv().ok()?, device.pci_slot_id_nv().ok()?);
                    Some(PciAddress { domain: 0, bus, device: slot >> 3, function: slot & 7 })
                };
                Target::Gpu(khronos.or_else(nvidia))
            }
            DeviceClass::Accelerator => Target::Other,
        }
    }
}

/// Opened instruments.
#[derive(Debug)]
pub struct Probes {
    counters: bool,
    energy: Result<EnergyMeter, String>,
}

impl Probes {
    /// Opens instruments. Those that are absent give no values, which is no error.
    pub fn new(target: Target, wanted: &[Probe]) -> Self {
        let energy = match wanted.contains(&Probe::Energy) {
            true => EnergyMeter::open(target),
            false => Err("energy was not asked for".to_owned()),
        };
        // Counters of threads say nothing about another processor.
        Probes { counters: wanted.contains(&Probe::Counters) && target == Target::Host, energy }
    }

    /// Source of the energy.
    ///
    /// # Errors
    /// Why there is none.
    pub fn energy(&self) -> Result<&EnergyMeter, &str> {
        self.energy.as_ref().map_err(String::as_str)
    }

    /// Measures `work`, which makes `runs` equal runs. The reading is of one of them.
    ///
    /// # Errors
    /// The errors of `work`.
    pub fn measure<E>(&mut self, runs: u32, work: impl FnOnce() -> Result<(), E>) -> Result<Reading, E> {
        let energy = self.energy.as_ref().ok().and_then(EnergyMeter::start);
        let counters = self.counters.then(Counters::start);
        let start = Instant::now();
        work()?;
        let wall_seconds = start.elapsed().as_secs_f64();
        let counts = counters.map(Counters::stop).unwrap_or_default();
        let joules = energy.and_then(energy::Running::joules);
        let each = |total: f64| total / f64::from(runs.max(1));
        Ok(Reading {
            wall_seconds: each(wall_seconds),
            device_seconds: None,
            cycles: counts.cycles.map(each),
            instructions: counts.instructions.map(each),
            cache_misses: counts.cache_misses.map(each),
            joules: joules.map(each),
        })
    }

    /// Measures as many runs as take a duration together. `work` makes the runs that it is told.
    ///
    /// # Errors
    /// The errors of `work`.
    pub fn measure_for<E>(
        &mut self,
        least: Duration,
        mut work: impl FnMut(u32) -> Result<(), E>,
    ) -> Result<Reading, E> {
        let mut runs = 1_u32;
        loop {
            let reading = self.measure(runs, || work(runs))?;
            let total = reading.wall_seconds * f64::from(runs);
            if total >= least.as_secs_f64() || runs >= MAX_RUNS {
                return Ok(reading);
            }
            // A tenth more than is needed; a time that is too short to be trusted counts as one of a ten-thousandth.
            let factor = 1.1 * least.as_secs_f64() / total.max(1e-4 * least.as_secs_f64());
            runs = ((f64::from(runs) * factor).ceil() as u32).clamp(runs + 1, MAX_RUNS);
        }
    }
}

/// Runs of one measurement, at most.
const MAX_RUNS: u32 = 1 << 24;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_instruments_give_no_values() {
        let mut probes = Probes::new(Target::Other, &[Probe::Wall, Probe::Counters, Probe::Energy]);
        let nap = || {
            std::thread::sleep(Duration::from_millis(8));
            Ok::<(), ()>(())
        };
        let reading = probes.measure(4, nap).unwrap();
        assert!((0.002..1.0).contains(&reading.wall_seconds), "of one run: {reading:?}");
        let absent = [reading.device_seconds, reading.cycles, reading.instructions, reading.cache_misses];
        assert_eq!((absent, reading.joules), ([None; 4], None));
        assert!(probes.energy().unwrap_err().contains("no instrument"));
    }

    #[test]
    fn runs_are_repeated_until_they_take_the_duration() {
        let mut probes = Probes::new(Target::Host, &[]);
        let mut all = Vec::new();
        let sleep = |runs: u32| {
            all.push(runs);
            std::thread::sleep(Duration::from_micros(200) * runs);
            Ok::<(), ()>(())
        };
        let reading = probes.measure_for(Duration::from_millis(40), sleep).unwrap();
        let last = f64::from(*all.last().unwrap());
        assert!(all[0] == 1 && last * reading.wall_seconds >= 0.04, "{all:?}, {reading:?}");
        assert!(all.is_sorted() && all.len() <= 6, "{all:?}");
    }

    #[test]
    fn errors_of_the_work_end_the_measurement() {
        let mut probes = Probes::new(Target::Host, &[Probe::Counters]);
        assert_eq!(probes.measure(1, || Err("no")).unwrap_err(), "no");
        assert_eq!(probes.measure_for(Duration::from_secs(9), |_| Err("no")).unwrap_err(), "no");
    }

    #[test]
    fn addresses_read_as_nvml_has_them() {
        let address = PciAddress { domain: 0, bus: 0x3b, device: 2, function: 0 };
        assert_eq!(address.to_string(), "00000000:3b:02.0");
    }
}
