//! What a call is expected to cost on the host and on a device: plain data, from which a route is decided by a few
//! multiplications.
//!
//! A time is a straight line: a fixed part, and a part for each operation; between host and device, a part for each byte in
//! either direction. `affinimath tune --crossover` measures the lines of a machine, and the tuning database keeps them.

use serde::{Deserialize, Serialize};

use crate::device::{DeviceClass, DeviceFacts};
use crate::scalar::ScalarKind;

/// Routines that cost alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// axpy and its kin.
    Vector,
    /// dot and its kin.
    Reduction,
    /// gemv and its kin.
    MatrixVector,
    /// trsv and its kin.
    VectorSolve,
    /// ger and its kin.
    Update,
    /// gemm, symm, hemm.
    Product,
    /// syrk, syr2k, their Hermitian kin, gemmt.
    RankUpdate,
    /// trmm.
    TriangularProduct,
    /// trsm.
    TriangularSolve,
    /// Batches of small matrices.
    Batch,
    /// omatcopy and its kin.
    Movement,
}

impl Family {
    /// All of them: a family's number is its place.
    pub const ALL: [Family; 11] = [
        Family::Vector,
        Family::Reduction,
        Family::MatrixVector,
        Family::VectorSolve,
        Family::Update,
        Family::Product,
        Family::RankUpdate,
        Family::TriangularProduct,
        Family::TriangularSolve,
        Family::Batch,
        Family::Movement,
    ];

    /// The routine that stands for it in measurements and tables.
    pub const fn routine(self) -> &'static str {
        match self {
            Family::Vector => "axpy",
            Family::Reduction => "dot",
            Family::MatrixVector => "gemv",
            Family::VectorSolve => "trsv",
            Family::Update => "ger",
            Family::Product => "gemm",
            Family::RankUpdate => "syrk",
            Family::TriangularProduct => "trmm",
            Family::TriangularSolve => "trsm",
            Family::Batch => "gemm_batched",
            Family::Movement => "omatcopy",
        }
    }

    /// Whether its arithmetic grows faster than what it reads.
    const fn computes(self) -> bool {
        matches!(
            self,
            Family::Product | Family::RankUpdate | Family::TriangularProduct | Family::TriangularSolve | Family::Batch
        )
    }

    /// What a call of its routine costs for vectors of length `n`, or for square matrices of order `n`; a batch is one of
    /// `n` matrices of order 16.
    pub const fn work(self, kind: ScalarKind, n: u64) -> Work {
        let square = n.saturating_mul(n);
        let cube = square.saturating_mul(n);
        // Multiplications and additions, elements that go to the device, and elements that come back.
        let (pairs, to, from) = match self {
            Family::Vector => (n, 2 * n, n),
            Family::Reduction => (n, 2 * n, 0),
            Family::MatrixVector => (square, square.saturating_add(2 * n), n),
            Family::VectorSolve => (square / 2, square.saturating_add(n), n),
            Family::Update => (square, square.saturating_add(2 * n), square),
            Family::Product => (cube, square.saturating_mul(3), square),
            Family::RankUpdate => (cube / 2, square.saturating_mul(2), square),
            Family::TriangularProduct | Family::TriangularSolve => (cube / 2, square.saturating_mul(2), square),
            Family::Batch => (n.saturating_mul(16 * 16 * 16), n.saturating_mul(3 * 256), n.saturating_mul(256)),
            Family::Movement => (square, square, square),
        };
        let size = kind.bytes() as u64;
        Work {
            family: self,
            kind,
            operations: pairs.saturating_mul(kind.multiply_add_operations()),
            bytes_to: to.saturating_mul(size),
            bytes_from: from.saturating_mul(size),
        }
    }
}

/// What a call does, for the decision where to run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// What kind of routine it is.
    pub family: Family,
    /// The element type.
    pub kind: ScalarKind,
    /// Real operations.
    pub operations: u64,
    /// Bytes that go to a discrete device.
    pub bytes_to: u64,
    /// Bytes that come back.
    pub bytes_from: u64,
}

/// A time that grows with the operations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Seconds that every call takes.
    pub fixed: f64,
    /// Seconds for each operation.
    pub per_operation: f64,
}

impl Line {
    /// The line through two measurements, (operations, seconds). Neither part is less than 0.
    pub fn through((few, short): (u64, f64), (many, long): (u64, f64)) -> Self {
        let slope = (long - short) / many.saturating_sub(few).max(1) as f64;
        if slope <= 0.0 {
            // The smaller case took as long as the larger one: all of it is rate.
            return Line { fixed: 0.0, per_operation: long / many.max(1) as f64 };
        }
        match short - slope * few as f64 {
            fixed if fixed >= 0.0 => Line { fixed, per_operation: slope },
            _ => Line { fixed: 0.0, per_operation: long / many.max(1) as f64 },
        }
    }

    /// The seconds of so many operations.
    pub fn seconds(&self, operations: u64) -> f64 {
        self.fixed + self.per_operation * operations as f64
    }
}

/// The lines of a host and a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Seconds for each byte to the device, and back.
    pub per_byte: [f64; 2],
    /// By family and type: on the host, and on the device for operands that are there.
    lines: Vec<[[Line; 2]; ScalarKind::ALL.len()]>,
}

/// The device must be expected to take at most this part of the host's time: measurements are not exact, and to lose costs
/// more than not to win.
const MARGIN: f64 = 0.9;

impl Model {
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
        let lines = Family::ALL.map(|family| {
            ScalarKind::ALL.map(|kind| {
                let single = if kind.is_double() { 1.0 } else { 2.0 };
                // Of what is moved, each element of 8 (complex: 16) bytes takes part in one multiplication and addition.
                let moved = |bytes: f64| kind.multiply_add_operations() as f64 / kind.bytes() as f64 * bytes;
                let host = if family.computes() { 50e9 * cores * single } else { moved(10e9 * cores.min(10.0)) };
                let units = units as f64;
                let rate = match (gpu, family.computes()) {
                    (true, true) => 1e12 * units / 16.0 * single,
                    (true, false) => moved(500e9),
                    (false, _) => f64::INFINITY,
                };
                let fixed = if gpu { 100e-6 } else { 200e-6 };
                [Line { fixed: 0.0, per_operation: 1.0 / host }, Line { fixed, per_operation: 1.0 / rate }]
            })
        });
        Model { per_byte: if gpu { [1e-10; 2] } else { [0.0; 2] }, lines: lines.to_vec() }
    }

    /// The lines of a family and a type: the host's and the device's.
    pub fn lines(&self, family: Family, kind: ScalarKind) -> &[Line; 2] {
        &self.lines[family as usize][kind as usize]
    }

    /// Puts measured lines in place of others.
    pub fn set_lines(&mut self, family: Family, kind: ScalarKind, lines: [Line; 2]) {
        self.lines[family as usize][kind as usize] = lines;
    }

    /// The seconds that a call is expected to take on the host, and on the device with its transfers.
    pub fn seconds(&self, work: &Work) -> [f64; 2] {
        let [host, device] = self.lines(work.family, work.kind);
        let transfer = work.bytes_to as f64 * self.per_byte[0] + work.bytes_from as f64 * self.per_byte[1];
        [host.seconds(work.operations), device.seconds(work.operations) + transfer]
    }

    /// Whether the device is expected to be faster.
    pub fn pays(&self, work: &Work) -> bool {
        let [host, device] = self.seconds(work);
        device < MARGIN * host
    }

    /// The smallest size, as [`Family::work`] has it, from which the device is chosen; `None` where it never is.
    ///
    /// Both times are polynomials of the size, so that a device which pays at a size pays at all larger ones.
    pub fn crossover(&self, family: Family, kind: ScalarKind) -> Option<u64> {
        let pays = |n: u64| self.pays(&family.work(kind, n));
        let mut above = (0..31).map(|exponent| 1_u64 << exponent).find(|&n| pays(n))?;
        let mut below = above / 2;
        while above - below > 1 {
            let middle = below.midpoint(above);
            if pays(middle) { above = middle } else { below = middle }
        }
        Some(above)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpu() -> Model {
        Model::assumed(&DeviceFacts::example(DeviceClass::Gpu), 8)
    }

    #[test]
    fn a_gpu_pays_for_large_products_only() {
        let n = gpu().crossover(Family::Product, ScalarKind::S).unwrap();
        assert!((128..8192).contains(&n), "{n}");
        assert!(!gpu().pays(&Family::Product.work(ScalarKind::S, n - 1)));
        assert!(gpu().pays(&Family::Product.work(ScalarKind::S, 2 * n)));
    }

    #[test]
    fn what_is_moved_over_the_bus_for_one_operation_stays_on_the_host() {
        for family in [Family::Vector, Family::Reduction, Family::MatrixVector, Family::Update] {
            assert_eq!(gpu().crossover(family, ScalarKind::D), None, "{family:?}");
        }
    }

    #[test]
    fn a_line_goes_through_its_measurements() {
        let line = Line::through((100, 3.0), (300, 5.0));
        assert_eq!((line.seconds(100), line.seconds(300), line.fixed), (3.0, 5.0, 2.0));
        // What took no longer for more operations, or would start below 0, is a rate.
        assert_eq!(Line::through((100, 5.0), (300, 3.0)), Line { fixed: 0.0, per_operation: 0.01 });
        assert_eq!(Line::through((100, 0.1), (200, 4.0)), Line { fixed: 0.0, per_operation: 0.02 });
    }
}
