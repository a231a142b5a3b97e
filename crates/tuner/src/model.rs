//! Cost model: expected seconds of a call on the host and on a device. It is plain data; a route follows by a few
//! multiplications.
//!
//! A time is linear: a fixed part, a part for each serial step (a column that is factorised) and a part for each
//! operation; between host and device, a part for each byte in either direction. [`super::machine`] derives the lines
//! from a few rates, which are measured at a device's first use; `affinimath tune crossovers` measures the lines
//! themselves, and the tuning database keeps them.

use serde::{Deserialize, Serialize};

use super::machine::Machine;
use affinimath_core::scalar::ScalarKind;
use affinimath_opencl::device::DeviceInfo;

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
    /// getrf, gesv.
    Lu,
    /// potrf, posv.
    Cholesky,
    /// geqrf, orgqr, ormqr, gels.
    Orthogonal,
    /// getri, potri, trtri, lauum.
    Inverse,
    /// Factorisations of batches of small matrices.
    BatchFactorization,
    /// Fourier transforms and convolutions.
    Transform,
}

impl Family {
    /// All of them: a family's number is its place.
    pub const ALL: [Family; 17] = [
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
        Family::Lu,
        Family::Cholesky,
        Family::Orthogonal,
        Family::Inverse,
        Family::BatchFactorization,
        Family::Transform,
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
            Family::Lu => "getrf",
            Family::Cholesky => "potrf",
            Family::Orthogonal => "geqrf",
            Family::Inverse => "getri",
            Family::BatchFactorization => "getrf_batched",
            Family::Transform => "fft",
        }
    }

    /// Work of a call of its routine for vectors of length `n`, or for square matrices of order `n`; a batch is one
    /// of `n` matrices of order 16. A Fourier transform is one of n x n numbers in two dimensions, complex also for
    /// real types.
    pub fn work(self, kind: ScalarKind, n: u64) -> Work {
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
            Family::Lu => (cube / 3, square, square),
            Family::Cholesky => (cube / 6, square, square),
            Family::Orthogonal | Family::Inverse => (cube / 3 * 2, square, square),
            Family::BatchFactorization => {
                (n.saturating_mul(16 * 16 * 16 / 3), n.saturating_mul(256), n.saturating_mul(256))
            }
            // 5 n^2 log2 n^2 real operations.
            Family::Transform => (square.saturating_mul(5 * u64::from(n.max(2).ilog2())), square, square),
        };
        let (kind, operations) = match (self, kind) {
            (Family::Transform, ScalarKind::S | ScalarKind::C) => (ScalarKind::C, pairs.saturating_mul(2)),
            (Family::Transform, ScalarKind::D | ScalarKind::Z) => (ScalarKind::Z, pairs.saturating_mul(2)),
            _ => (kind, pairs.saturating_mul(kind.multiply_add_operations())),
        };
        let size = kind.bytes() as u64;
        let (bytes_to, bytes_from) = (to.saturating_mul(size), from.saturating_mul(size));
        Work { family: self, kind, operations, steps: self.steps(n), bytes_to, bytes_from }
    }

    /// Serial steps of a call on matrices of order `n`: columns that are eliminated one after another. 0 for families
    /// without.
    pub const fn steps(self, n: u64) -> u64 {
        match self {
            Family::Lu | Family::Cholesky | Family::Orthogonal | Family::Inverse => n,
            Family::BatchFactorization => 16,
            _ => 0,
        }
    }
}

/// Work of a call: the router's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Family of the routine.
    pub family: Family,
    /// The element type.
    pub kind: ScalarKind,
    /// Real operations.
    pub operations: u64,
    /// Steps that cannot run at the same time: see [`Family::steps`].
    pub steps: u64,
    /// Bytes that go to a discrete device.
    pub bytes_to: u64,
    /// Bytes that come back.
    pub bytes_from: u64,
}

/// A time that grows with the serial steps and the operations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Seconds that every call takes.
    pub fixed: f64,
    /// Seconds for each serial step.
    #[serde(default)]
    pub per_step: f64,
    /// Seconds for each operation.
    pub per_operation: f64,
}

impl Line {
    /// The line with parts of at least 0 that is nearest to measurements (steps, operations, seconds), by the sum of
    /// the squares of the relative errors.
    pub fn through(measurements: &[(u64, u64, f64)]) -> Self {
        let mut best = (f64::INFINITY, Line { fixed: 0.0, per_step: 0.0, per_operation: 0.0 });
        // Least squares where some parts are 0: there are few parts, so that all choices of them are tried.
        for parts in 1..8_u32 {
            let Some(line) = Self::with_parts(measurements, parts) else { continue };
            let error = |&(steps, operations, seconds): &(u64, u64, f64)| {
                (line.seconds(steps, operations) / seconds.max(f64::MIN_POSITIVE) - 1.0).powi(2)
            };
            let error: f64 = measurements.iter().map(error).sum();
            // More parts have to be better by more than rounding.
            if [line.fixed, line.per_step, line.per_operation].iter().all(|part| *part >= 0.0) && error < best.0 - 1e-12
            {
                best = (error, line);
            }
        }
        best.1
    }

    /// The least squares solution with the parts whose bits are set, by the normal equations; `None` where they are
    /// singular.
    fn with_parts(measurements: &[(u64, u64, f64)], parts: u32) -> Option<Self> {
        let mut equations = [[0.0_f64; 4]; 3];
        let scale = measurements.iter().fold([1.0, 1.0, 1.0], |scale: [f64; 3], &(steps, operations, _)| {
            [scale[0], scale[1].max(steps as f64), scale[2].max(operations as f64)]
        });
        for &(steps, operations, seconds) in measurements {
            let terms =
                [1.0, steps as f64 / scale[1], operations as f64 / scale[2]].map(|term| term / seconds.max(1e-12));
            for (i, equation) in equations.iter_mut().enumerate() {
                (0..3).for_each(|j| equation[j] += terms[i] * terms[j]);
                equation[3] += terms[i];
            }
        }
        for (i, equation) in equations.iter_mut().enumerate() {
            if parts >> i & 1 == 0 {
                *equation = [0.0; 4];
                equation[i] = 1.0;
            }
        }
        let x = solve(equations)?;
        Some(Line { fixed: x[0], per_step: x[1] / scale[1], per_operation: x[2] / scale[2] })
    }

    /// The seconds of so many serial steps and operations.
    pub fn seconds(&self, steps: u64, operations: u64) -> f64 {
        self.fixed + self.per_step * steps as f64 + self.per_operation * operations as f64
    }
}

/// Three linear equations, by Gauss-Jordan elimination with pivots; `None` where they are singular to working
/// precision.
fn solve(mut equations: [[f64; 4]; 3]) -> Option<[f64; 3]> {
    for column in 0..3 {
        let size = |row: &usize| equations[*row][column].abs();
        let pivot = (column..3).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        let largest = equations[pivot].iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        if equations[pivot][column].abs() <= 1e-12 * largest {
            return None;
        }
        equations.swap(column, pivot);
        let pivot = equations[column].map(|value| value / equations[column][column]);
        for (row, equation) in equations.iter_mut().enumerate() {
            let factor = equation[column];
            let eliminated: [f64; 4] = std::array::from_fn(|j| equation[j] - factor * pivot[j]);
            *equation = if row == column { pivot } else { eliminated };
        }
    }
    Some(equations.map(|equation| equation[3]))
}

/// The way between the host's memory and a device's. A few bytes go as the driver brings them; many go through pinned
/// memory, which takes threads some time to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bus {
    /// Seconds for each of many bytes to the device, and back.
    pub per_byte: [f64; 2],
    /// Seconds until many bytes are on their way.
    pub start: f64,
    /// Seconds for each of a few bytes, in either direction.
    pub small_per_byte: f64,
}

impl Bus {
    /// A bus that takes few bytes at the rate of many.
    pub const fn of_rates(per_byte: [f64; 2]) -> Self {
        let [to, from] = per_byte;
        Bus { per_byte, start: 0.0, small_per_byte: if to > from { to } else { from } }
    }

    /// The seconds of so many bytes to the device, and back.
    pub(super) fn seconds(&self, bytes_to: u64, bytes_from: u64) -> f64 {
        let one = |bytes: u64, per_byte: f64| {
            let bytes = bytes as f64;
            (self.small_per_byte * bytes).min(self.start + per_byte * bytes)
        };
        one(bytes_to, self.per_byte[0]) + one(bytes_from, self.per_byte[1])
    }
}

/// The costs of a family and a type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sides {
    /// On one of the host's threads. The host takes one thread or all, whichever is faster.
    pub thread: Line,
    /// On all threads of the host.
    pub host: Line,
    /// On the device, for operands that are there; the fixed part has what it takes to bring small ones.
    pub device: Line,
}

/// The costs of calls on a host and a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub(super) bus: Bus,
    /// By family and type.
    pub(super) lines: Vec<[Sides; ScalarKind::ALL.len()]>,
}

/// The device must be expected to take at most this part of the host's time: measurements are not exact, and to lose
/// costs more than not to win.
pub const PAYS_BELOW: f64 = 0.9;

impl Model {
    /// Default model of a device without measurements: see [`Machine::assumed`].
    pub fn assumed(device: &DeviceInfo, threads: usize) -> Self {
        Self::of_machine(&Machine::assumed(device, threads))
    }

    fn sides(&self, family: Family, kind: ScalarKind) -> &Sides {
        &self.lines[family as usize][kind as usize]
    }

    /// Puts measured lines in place of others: the host's and the device's.
    pub fn set_lines(&mut self, family: Family, kind: ScalarKind, [host, device]: [Line; 2]) {
        self.lines[family as usize][kind as usize] = Sides { thread: host, host, device };
    }

    /// The seconds that a call is expected to take on the host, and on the device with its transfers.
    pub fn seconds(&self, work: &Work) -> [f64; 2] {
        let Sides { thread, host, device } = self.sides(work.family, work.kind);
        let on = |line: &Line| line.seconds(work.steps, work.operations);
        [on(thread).min(on(host)), on(device) + self.bus.seconds(work.bytes_to, work.bytes_from)]
    }

    /// True if the device is expected to be faster.
    pub fn pays(&self, work: &Work) -> bool {
        let [host, device] = self.seconds(work);
        device < PAYS_BELOW * host
    }

    /// The smallest size, as [`Family::work`] has it, from which the device is chosen; `None` where it never is.
    ///
    /// A device that pays at a size is taken to pay at all larger ones.
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
    use affinimath_opencl::device::DeviceClass;
    use affinimath_testing::is_close;

    fn gpu() -> Model {
        Model::assumed(&affinimath_opencl::device::example(DeviceClass::Gpu), 8)
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
        let line = Line::through(&[(0, 100, 3.0), (0, 300, 5.0)]);
        let near = |a: f64, b: f64| is_close(a, b, 1e-9 * b.abs());
        assert!(
            near(line.seconds(0, 100), 3.0) && near(line.seconds(0, 300), 5.0) && near(line.fixed, 2.0),
            "{line:?}"
        );
        let exact = Line { fixed: 1e-4, per_step: 2e-6, per_operation: 1e-13 };
        let at = |n: u64| (n, n * n * n, exact.seconds(n, n * n * n));
        let found = Line::through(&[at(64), at(512), at(2048), at(8192)]);
        assert!(near(found.per_step, 2e-6) && near(found.per_operation, 1e-13) && near(found.fixed, 1e-4), "{found:?}");
    }

    #[test]
    fn no_part_of_a_line_is_less_than_0() {
        for measurements in
            [[(0, 100, 5.0), (0, 300, 3.0)], [(0, 100, 0.1), (0, 200, 4.0)], [(1, 1, 1e-7), (2, 8, 1e-7)]]
        {
            let line = Line::through(&measurements);
            assert!(line.fixed >= 0.0 && line.per_step >= 0.0 && line.per_operation >= 0.0, "{line:?}");
            assert!(line.seconds(2, 300) > 0.0, "{line:?}");
        }
    }
}
