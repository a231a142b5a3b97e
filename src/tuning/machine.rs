//! What a host, a device and the bus between them do in a second, and from these few rates the lines of every family.
//!
//! The rates are measured at a device's first use. What part of them each family reaches is the table [`Family::efficiency`]: its figures are
//! from `docs/src/internals/routing.md`.

use serde::{Deserialize, Serialize};

use super::model::{Family, Line, Model};
use crate::device::{DeviceClass, DeviceFacts};
use crate::scalar::ScalarKind;

/// The rates of a machine with one device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Real operations a second of the host's gemm, in single and in double precision.
    pub host_operations: [f64; 2],
    /// Bytes a second that the host moves in its memory, read and written.
    pub host_bytes: f64,
    /// Multiply-adds of the device, as two operations each, a second, in single and in double precision.
    pub device_operations: [f64; 2],
    /// Bytes a second that the device moves in its memory, read and written.
    pub device_bytes: f64,
    /// Seconds for each byte from the host's memory to the device's, and back.
    pub per_byte: [f64; 2],
    /// Seconds of the smallest call on operands in the host's memory: two transfers, a launch and a wait.
    pub call: f64,
}

/// What bounds a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Arithmetic,
    Memory,
}

/// What a family reaches on the host, or on a device.
#[derive(Clone, Copy, Debug)]
struct Reached {
    /// Part of the rate.
    part: f64,
    /// Seconds of a serial step.
    step: f64,
    /// Smallest calls that the fixed part takes.
    calls: f64,
}

impl Family {
    /// What bounds it, what it reaches on the host, and what on a device.
    const fn efficiency(self) -> (Bound, Reached, Reached) {
        use Bound::{Arithmetic, Memory};
        const fn row(bound: Bound, host: (f64, f64), device: (f64, f64, f64)) -> (Bound, Reached, Reached) {
            let host = Reached { part: host.0, step: host.1, calls: 0.0 };
            (bound, host, Reached { part: device.0, step: device.1, calls: device.2 })
        }
        match self {
            // The part of the bandwidth counts the bytes of one operand alone.
            Family::Vector | Family::Update => row(Memory, (0.35, 0.0), (0.3, 0.0, 1.0)),
            Family::Reduction => row(Memory, (0.5, 0.0), (0.4, 0.0, 1.0)),
            Family::MatrixVector => row(Memory, (0.8, 0.0), (0.7, 0.0, 1.0)),
            Family::VectorSolve => row(Memory, (0.25, 0.0), (0.05, 0.0, 1.0)),
            Family::Movement => row(Memory, (0.4, 0.0), (0.4, 0.0, 1.0)),
            Family::Product => row(Arithmetic, (1.0, 0.0), (0.8, 0.0, 1.0)),
            Family::RankUpdate => row(Arithmetic, (0.7, 0.0), (0.6, 0.0, 1.0)),
            Family::TriangularProduct => row(Arithmetic, (0.7, 0.0), (0.6, 0.0, 1.0)),
            Family::TriangularSolve => row(Arithmetic, (0.7, 0.0), (0.5, 0.4e-6, 4.0)),
            Family::Batch => row(Arithmetic, (0.2, 0.0), (0.1, 0.0, 1.0)),
            Family::Lu => row(Arithmetic, (0.5, 4e-6), (0.3, 1.7e-6, 1.0)),
            Family::Cholesky => row(Arithmetic, (0.5, 1.5e-6), (0.3, 0.8e-6, 1.0)),
            Family::Orthogonal => row(Arithmetic, (0.5, 6e-6), (0.3, 2e-6, 1.0)),
            Family::Inverse => row(Arithmetic, (0.5, 1.5e-6), (0.3, 1e-6, 1.0)),
            Family::BatchFactorization => row(Arithmetic, (0.05, 0.0), (0.02, 2e-6, 1.0)),
            // 5 n log2 n operations for n numbers that are moved a few times.
            Family::Transform => row(Memory, (0.5, 0.0), (2.0, 0.0, 1.0)),
        }
    }
}

impl Machine {
    /// What is assumed of a device that was not measured: the order of magnitude, on the safe side.
    ///
    /// The host computes 50 GFLOP/s of doubles per core, or moves 10 GB/s per core, up to 100. A discrete GPU takes 100
    /// microseconds for a call, computes 1 TFLOP/s of doubles for each 16 compute units, moves 500 GB/s of its own memory, and 10
    /// GB/s over the bus. A CPU device, which is used only when it is asked for, computes at the host's own rate: it pays
    /// once the call does not count.
    pub fn assumed(device: &DeviceFacts, threads: usize) -> Self {
        Self::of_units(device.class == DeviceClass::Gpu, device.compute_units, threads)
    }

    /// The same for a GPU that only a vendor's library sees.
    pub fn of_units(gpu: bool, units: usize, threads: usize) -> Self {
        let cores = threads as f64;
        let doubles = if gpu { 1e12 * units as f64 / 16.0 } else { f64::INFINITY };
        Machine {
            host_operations: [100e9 * cores, 50e9 * cores],
            host_bytes: 10e9 * cores.min(10.0),
            device_operations: [2.0 * doubles, doubles],
            device_bytes: if gpu { 500e9 } else { f64::INFINITY },
            per_byte: if gpu { [1e-10; 2] } else { [0.0; 2] },
            call: if gpu { 100e-6 } else { 200e-6 },
        }
    }

    /// The most that a device may turn out to be: what a call must be able to gain before anything is measured for it.
    ///
    /// A bus of 64 GB/s in each direction, 20 microseconds for a call, and arithmetic that takes no time.
    pub(crate) fn at_best(self) -> Self {
        Machine {
            host_operations: self.host_operations.map(|rate| rate / 5.0),
            host_bytes: self.host_bytes / 2.0,
            device_operations: [f64::INFINITY; 2],
            device_bytes: f64::INFINITY,
            per_byte: [1.0 / 64e9; 2],
            call: 20e-6,
        }
    }

    /// Whether all rates are numbers that a machine can have.
    pub(crate) fn is_sound(&self) -> bool {
        let rates = [self.host_operations, self.device_operations, [self.host_bytes, self.device_bytes]];
        let times = [self.per_byte[0], self.per_byte[1], self.call];
        rates.iter().flatten().all(|rate| rate.is_finite() && *rate > 0.0)
            && times.iter().all(|time| time.is_finite() && *time >= 0.0)
    }

    /// The lines of a family and a type: the host's and the device's.
    fn lines(&self, family: Family, kind: ScalarKind) -> [Line; 2] {
        let (bound, host, device) = family.efficiency();
        let precision = usize::from(kind.is_double());
        // Of what is moved, each element of 8 (complex: 16) bytes takes part in one multiplication and addition.
        let moved = |bytes: f64| kind.multiply_add_operations() as f64 / kind.bytes() as f64 * bytes;
        let (host_rate, device_rate) = match bound {
            Bound::Arithmetic => (self.host_operations[precision], self.device_operations[precision]),
            Bound::Memory => (moved(self.host_bytes), moved(self.device_bytes)),
        };
        let line = |rate: f64, reached: Reached| Line {
            fixed: self.call * reached.calls,
            per_step: reached.step,
            per_operation: 1.0 / (rate * reached.part),
        };
        [line(host_rate, host), line(device_rate, device)]
    }
}

impl Model {
    /// What calls cost on a machine.
    pub fn of_machine(machine: &Machine) -> Self {
        let lines = Family::ALL.map(|family| ScalarKind::ALL.map(|kind| machine.lines(family, kind)));
        Model { per_byte: machine.per_byte, lines: lines.to_vec() }
    }
}
