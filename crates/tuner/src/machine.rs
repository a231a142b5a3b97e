//! Rates of a host, a device and the bus between them; the cost lines of every family follow from them.
//!
//! The rates are measured at a device's first use. What part of them each family reaches is the table
//! [`Family::efficiency`]: its figures are from `docs/src/internals/notebook/routing.md`.

use serde::{Deserialize, Serialize};

use super::model::{Bus, Family, Line, Model, Sides};
use affinimath_core::scalar::ScalarKind;
use affinimath_opencl::device::{DeviceClass, DeviceInfo};

/// The rates of a machine with one device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Real operations a second of a small gemm on one of the host's threads, in single and in double precision.
    pub thread_operations: [f64; 2],
    /// The same of a gemm on all threads.
    pub host_operations: [f64; 2],
    /// Seconds until all threads are at work.
    pub host_start: f64,
    /// Bytes a second of a matrix that the host reads from its memory, on all threads.
    pub host_bytes: f64,
    /// Multiply-adds of the device, as two operations each, a second, in single and in double precision.
    pub device_operations: [f64; 2],
    /// Bytes a second that the device moves in its memory, read and written.
    pub device_bytes: f64,
    /// The way between the host's memory and the device's.
    pub bus: Bus,
    /// Seconds of the smallest call on operands in the host's memory: two transfers, a launch and a wait.
    pub call: f64,
}

/// Bound of a family: arithmetic or memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Arithmetic,
    Memory,
}

/// Efficiency of a family, as parts of the rates.
#[derive(Clone, Copy, Debug)]
struct Efficiency {
    bound: Bound,
    /// Parts of the rates of one of the host's threads, and of all.
    thread: f64,
    host: f64,
    /// Seconds of a serial step on the host.
    host_step: f64,
    /// Part of the device's rate.
    device: f64,
    /// Seconds of a serial step on a device.
    device_step: f64,
    /// Smallest calls that the device's fixed part takes.
    calls: f64,
}

/// A row of the table: parts of the rates of a thread and of the host, microseconds of a step there, the part of the
/// device's rate, microseconds of a step there, and the calls of its fixed part.
const fn row(bound: Bound, [thread, host, host_step]: [f64; 3], [device, device_step, calls]: [f64; 3]) -> Efficiency {
    Efficiency { bound, thread, host, host_step: 1e-6 * host_step, device, device_step: 1e-6 * device_step, calls }
}

impl Family {
    /// Efficiency as measured in `docs/src/internals/notebook/routing.md`.
    const fn efficiency(self) -> Efficiency {
        use Bound::{Arithmetic, Memory};
        match self {
            // The part of the bandwidth counts the bytes of one operand alone.
            Family::Vector | Family::Update => row(Memory, [0.44, 0.44, 0.0], [0.3, 0.0, 1.0]),
            Family::Reduction => row(Memory, [0.62, 0.62, 0.0], [0.4, 0.0, 1.0]),
            Family::MatrixVector => row(Memory, [1.0, 1.0, 0.0], [0.7, 0.0, 1.0]),
            Family::VectorSolve => row(Memory, [0.31, 0.31, 0.0], [0.05, 0.0, 1.0]),
            Family::Movement => row(Memory, [0.5, 0.5, 0.0], [0.4, 0.0, 1.0]),
            Family::Product => row(Arithmetic, [1.0, 0.9, 0.0], [0.8, 0.0, 1.0]),
            Family::RankUpdate => row(Arithmetic, [0.3, 0.55, 0.0], [0.6, 0.0, 1.2]),
            Family::TriangularProduct => row(Arithmetic, [0.4, 0.55, 0.0], [0.6, 0.0, 1.2]),
            Family::TriangularSolve => row(Arithmetic, [0.4, 0.55, 0.0], [0.5, 0.0, 3.0]),
            Family::Batch => row(Arithmetic, [0.2, 0.2, 0.0], [0.1, 0.0, 1.0]),
            Family::Lu => row(Arithmetic, [0.15, 0.35, 6.3], [0.3, 1.9, 1.0]),
            Family::Cholesky => row(Arithmetic, [0.12, 0.5, 2.4], [0.3, 0.85, 1.0]),
            Family::Orthogonal => row(Arithmetic, [0.15, 0.6, 6.7], [0.3, 3.7, 1.0]),
            Family::Inverse => row(Arithmetic, [0.15, 0.4, 2.0], [0.3, 1.0, 2.0]),
            Family::BatchFactorization => row(Arithmetic, [0.05, 0.05, 0.0], [0.02, 2.0, 1.0]),
            Family::Transform => row(Arithmetic, [0.07, 0.07, 0.0], [0.05, 0.0, 1.0]),
        }
    }
}

impl Machine {
    /// Default rates of a device without measurements: a cautious order of magnitude.
    ///
    /// The host computes 50 GFLOP/s of doubles per core, or moves 10 GB/s per core, up to 100. A discrete GPU takes 100
    /// microseconds for a call, computes 1 TFLOP/s of doubles for each 16 compute units, moves 500 GB/s of its own
    /// memory, and 10 GB/s over the bus. A CPU device, which is used only when it is asked for, computes at the host's
    /// own rate: it pays once the call does not count.
    pub fn assumed(device: &DeviceInfo, threads: usize) -> Self {
        Self::of_units(device.class == DeviceClass::Gpu, device.compute_units, threads)
    }

    /// The same for a GPU that only a vendor's library sees.
    pub fn of_units(gpu: bool, units: usize, threads: usize) -> Self {
        let cores = threads as f64;
        let doubles = if gpu { 1e12 * units as f64 / 16.0 } else { f64::INFINITY };
        Machine {
            thread_operations: [100e9, 50e9],
            host_operations: [100e9 * cores, 50e9 * cores],
            host_start: 30e-6,
            host_bytes: 10e9 * cores.min(10.0),
            device_operations: [2.0 * doubles, doubles],
            device_bytes: if gpu { 500e9 } else { f64::INFINITY },
            bus: if gpu { Bus::of_rates([1e-10; 2]) } else { Bus::of_rates([0.0; 2]) },
            call: if gpu { 100e-6 } else { 200e-6 },
        }
    }

    /// The most that a device may turn out to be: what a call must be able to gain before anything is measured for it.
    ///
    /// A slow host, a bus of 64 GB/s in each direction, 20 microseconds for a call, and arithmetic that takes no time.
    pub fn at_best(self) -> Self {
        Machine {
            thread_operations: self.thread_operations.map(|rate| rate / 5.0),
            host_operations: self.host_operations.map(|rate| rate / 5.0),
            host_bytes: self.host_bytes / 2.0,
            device_operations: [f64::INFINITY; 2],
            device_bytes: f64::INFINITY,
            bus: Bus::of_rates([1.0 / 64e9; 2]),
            call: 20e-6,
            ..self
        }
    }

    /// True if all rates are numbers that a machine can have.
    pub fn is_sound(&self) -> bool {
        let Bus { per_byte, start, small_per_byte } = self.bus;
        let rates = [self.thread_operations, self.host_operations, self.device_operations];
        let times = [per_byte[0], per_byte[1], start, small_per_byte, self.call, self.host_start];
        rates.iter().flatten().chain(&[self.host_bytes, self.device_bytes]).all(|rate| rate.is_finite() && *rate > 0.0)
            && times.iter().all(|time| time.is_finite() && *time >= 0.0)
    }

    /// The costs of a family and a type.
    fn lines(&self, family: Family, kind: ScalarKind) -> Sides {
        let reached = family.efficiency();
        let precision = usize::from(kind.is_double());
        // Of what is moved, each element of 8 (complex: 16) bytes takes part in one multiplication and addition.
        let moved = |bytes: f64| kind.multiply_add_operations() as f64 / kind.bytes() as f64 * bytes;
        let line = |fixed: f64, per_step: f64, rate: f64| Line { fixed, per_step, per_operation: 1.0 / rate };
        match reached.bound {
            Bound::Arithmetic => {
                let [thread, host, device] = [self.thread_operations, self.host_operations, self.device_operations]
                    .map(|rates| rates[precision]);
                Sides {
                    thread: line(0.0, 0.0, thread * reached.thread),
                    host: line(self.host_start, reached.host_step, host * reached.host),
                    device: line(self.call * reached.calls, reached.device_step, device * reached.device),
                }
            }
            Bound::Memory => {
                let host = line(0.0, 0.0, moved(self.host_bytes) * reached.host);
                let device =
                    line(self.call * reached.calls, reached.device_step, moved(self.device_bytes) * reached.device);
                Sides { thread: host, host, device }
            }
        }
    }
}

impl Model {
    /// Cost model of a machine.
    pub fn of_machine(machine: &Machine) -> Self {
        let lines = Family::ALL.map(|family| ScalarKind::ALL.map(|kind| machine.lines(family, kind)));
        Model { bus: machine.bus, lines: lines.to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rates of 16 cores of a Xeon (Skylake) with an NVIDIA H200, in double precision as far as it counts.
    const H200: Machine = Machine {
        thread_operations: [140e9, 70e9],
        host_operations: [1300e9, 650e9],
        host_start: 50e-6,
        host_bytes: 120e9,
        device_operations: [60e12, 30e12],
        device_bytes: 4000e9,
        bus: Bus { per_byte: [3.9e-11, 5e-11], start: 60e-6, small_per_byte: 1.06e-10 },
        call: 70e-6,
    };

    /// Host and device on operands in the host's memory, in microseconds from n = 128 on, each size twice the one
    /// before (D). What is measured there and what its rates give agree well enough to choose:
    /// docs/src/internals/notebook/routing.md.
    #[test]
    fn the_chosen_route_takes_at_most_a_fifth_longer_than_the_better_one() {
        type Measured = (Family, &'static [f64], &'static [f64]);
        let measured: &[Measured] = &[
            (
                Family::Product,
                &[49.0, 102.0, 467.0, 2468.0, 30999.0, 208430.0],
                &[125.0, 252.0, 573.0, 1437.0, 3436.0, 18975.0],
            ),
            (Family::RankUpdate, &[93.0, 178.0, 533.0, 2633.0, 16331.0], &[130.0, 282.0, 601.0, 1424.0, 3475.0]),
            (Family::TriangularProduct, &[63.0, 240.0, 706.0, 2753.0, 14694.0], &[138.0, 289.0, 623.0, 1688.0, 3972.0]),
            (Family::TriangularSolve, &[65.0, 251.0, 701.0, 2616.0, 16754.0], &[165.0, 345.0, 922.0, 1999.0, 4031.0]),
            (Family::Lu, &[93.0, 799.0, 2499.0, 8859.0, 32244.0], &[292.0, 615.0, 1434.0, 2993.0, 6661.0]),
            (Family::Cholesky, &[91.0, 437.0, 1162.0, 3287.0, 11408.0], &[153.0, 373.0, 650.0, 1411.0, 2843.0]),
            (Family::Orthogonal, &[390.0, 1045.0, 2836.0, 9615.0, 35437.0], &[346.0, 682.0, 1904.0, 4468.0, 10513.0]),
        ];
        let model = Model::of_machine(&H200);
        let mut device_is_chosen = 0;
        for (family, host, device) in measured {
            for (step, (host, device)) in host.iter().zip(*device).enumerate() {
                let n = 128_u64 << step;
                let pays = model.pays(&family.work(ScalarKind::D, n));
                let chosen = if pays { device } else { host };
                device_is_chosen += usize::from(pays);
                assert!(
                    *chosen <= 1.2 * host.min(*device),
                    "{family:?} of order {n}: device {pays}, {host} and {device}"
                );
            }
        }
        assert!(device_is_chosen > 15, "the device is chosen {device_is_chosen} times");
    }

    /// Another such machine, with a faster bus: sizes, host and device in microseconds (D). LU of order 256 was taken
    /// to the host there, and a triangular solve of order 4096 to the device, when the host's memory was measured at a
    /// third of what level 2 reads.
    #[test]
    fn the_better_route_is_chosen_where_a_model_chose_the_other_one() {
        let bus = Bus { per_byte: [2.4e-11, 3e-11], ..H200.bus };
        let model = Model::of_machine(&Machine { bus, ..H200 });
        for (family, n, host, device) in [
            (Family::Lu, 256, 1492.0, 615.0),
            (Family::Lu, 4096, 218437.0, 16352.0),
            (Family::VectorSolve, 4096, 1655.0, 3724.0),
            (Family::MatrixVector, 1024, 101.0, 542.0),
        ] {
            let pays = model.pays(&family.work(ScalarKind::D, n));
            assert_eq!(pays, device < host, "{family:?} of order {n}: {host} and {device}");
        }
    }

    /// However its memory was measured.
    #[test]
    fn level_2_stays_on_a_host_whose_memory_is_faster_than_the_bus() {
        let bus = Bus { per_byte: [2.4e-11, 3e-11], ..H200.bus };
        for host_bytes in [60e9, 120e9, 240e9] {
            let model = Model::of_machine(&Machine { bus, host_bytes, ..H200 });
            for family in [Family::MatrixVector, Family::Update] {
                assert_eq!(model.crossover(family, ScalarKind::D), None, "{family:?}, {host_bytes}");
            }
        }
    }

    #[test]
    fn a_device_is_not_measured_for_calls_that_cannot_pay() {
        let at_best = Model::of_machine(&Machine::of_units(true, 132, 16).at_best());
        let pays = |family: Family, n: u64| at_best.pays(&family.work(ScalarKind::D, n));
        assert!(!pays(Family::Product, 32) && !pays(Family::Vector, 100) && !pays(Family::MatrixVector, 32));
        assert!(pays(Family::Product, 1024) && pays(Family::Lu, 512) && pays(Family::Transform, 1024));
    }

    #[test]
    fn few_bytes_go_as_the_driver_brings_them_and_many_at_the_full_rate() {
        let bus = H200.bus;
        let seconds = |bytes: u64| bus.seconds(bytes, 0);
        assert_eq!(seconds(1000), 1.06e-10 * 1000.0);
        assert_eq!(seconds(1 << 30), 60e-6 + 3.9e-11 * (1u64 << 30) as f64);
        assert_eq!(bus.seconds(0, 0), 0.0);
    }

    #[test]
    fn rates_that_no_machine_has_are_found_out() {
        assert!(H200.is_sound());
        assert!(!Machine { call: f64::NAN, ..H200 }.is_sound());
        assert!(!Machine { host_bytes: 0.0, ..H200 }.is_sound());
        assert!(!Machine { device_operations: [1e12, f64::INFINITY], ..H200 }.is_sound());
    }
}
