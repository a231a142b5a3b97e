//! A C of few rows or columns on tensor cores: the large operand is streamed once, at the memory's speed as long as the tensor cores keep up.
//!
//! Numbers are multiplied as the [tensor family](super::tensor) does, with the same bounds. Floats that halves do not hold are found by the
//! kernel itself.

use affinimath_core::problem::gemm::GemmProblem;

use super::call::GemmCall;
use super::family::{Family, Needs};
use super::finish;
use super::limits::{F32Mma, Limits};
use super::probe::product_is_right;
use super::skinny::{SkinnyGrid, part_depth};
use super::tensor::{WARP, copy_bytes, local_memory};
use crate::context::{ContextParts, Event, Queue};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::program::ProgramSource;
use crate::scalar::{Scalar, ScalarKind};

macro_rules! files {
    ($copies:literal, $instructions:literal, $($arithmetic:literal),+) => {
        &[
            include_str!("../../../../cl/blas/level3/gemm/too_small.cl"),
            include_str!("../../../../cl/blas/level3/gemm/tensor_chunk.cl"),
            include_str!(concat!("../../../../cl/blas/level3/gemm/", $copies)),
            include_str!(concat!("../../../../cl/blas/level3/gemm/", $instructions)),
            include_str!("../../../../cl/blas/level3/gemm/tensor_sums.cl"),
            $(include_str!(concat!("../../../../cl/blas/level3/gemm/", $arithmetic)),)+
            include_str!("../../../../cl/blas/level3/gemm/skinny_tensor.cl"),
        ]
    };
}

const NVIDIA_F64: &[&str] = files!("copy_nvidia.cl", "tensor_nvidia.cl", "skinny_tensor_f64.cl");
const NVIDIA_HALVES: &[&str] =
    files!("copy_nvidia.cl", "tensor_nvidia.cl", "tensor_halves.cl", "tensor_products.cl", "skinny_tensor_halves.cl");
const EMULATED_F64: &[&str] = files!("copy_emulated.cl", "tensor_emulated.cl", "skinny_tensor_f64.cl");
const EMULATED_HALVES: &[&str] = files!(
    "copy_emulated.cl",
    "tensor_emulated.cl",
    "tensor_halves.cl",
    "tensor_products.cl",
    "skinny_tensor_halves.cl"
);

/// Fragments of 16 rows that a warp has.
const FRAGMENTS_M: usize = 2;
const WARP_ROWS: usize = 16 * FRAGMENTS_M;
/// Columns of a fragment.
const FRAGMENT_COLUMNS: usize = 8;
/// Bytes that a work-item copies at once.
const CHUNK_BYTES: usize = 16;

/// With fewer columns multiply-adds do what memory allows, or, where lines are not aligned to what is copied at once, as much as these.
const FEWEST_COLUMNS: usize = 5;
const FEWEST_UNALIGNED_COLUMNS: usize = 9;
/// A smaller matrix, in bytes, takes as long as the launch of any kernel; or, where B is copied first, as the copy's launch.
const SMALLEST: usize = 1 << 20;
const SMALLEST_WITH_COPY: usize = 16 << 20;
/// With a shorter depth there are few steps to copy ahead.
const SHORTEST: usize = 256;
/// Where C has too few rows for all compute units, the depth of a part is at least this.
const SHORTEST_PART: usize = 1024;

/// The most columns. With more, arithmetic sets the time, for which larger tiles are better.
const fn most_columns(kind: ScalarKind) -> usize {
    if kind.is_complex() { 16 } else { 32 }
}

/// How a skinny product is computed on tensor cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkinnyTensorPlan {
    /// Whether C has few rows: then Cᵀ, with few columns, is computed.
    pub transpose: bool,
    /// Columns that the kernel is compiled for, a multiple of 8.
    pub columns: usize,
    /// Warps of a work-group that have other rows, and those that have the same rows at other depths.
    pub warps: [usize; 2],
    /// Steps along the depth that there is room for: all but one are on their way.
    pub stages: usize,
    /// Parts of the depth; partial products are summed afterwards, always in the same order.
    pub depth_parts: usize,
    /// Whether floats are split in halves. If not, they are rounded.
    pub splits: bool,
}

impl SkinnyTensorPlan {
    /// `None` when C is not skinny, or is better computed in another way.
    fn choose(problem: &GemmProblem, device: &DeviceInfo, limits: &Limits) -> Option<Self> {
        let (kind, transpose) = (problem.kind, problem.m < problem.n);
        let oriented = if transpose { problem.transposed() } else { *problem };
        let smallest = if oriented.b.row_stride == 1 { SMALLEST } else { SMALLEST_WITH_COPY };
        let is_large = oriented.k >= SHORTEST && (oriented.m * oriented.k).saturating_mul(kind.bytes()) >= smallest;
        let is_aligned = copy_bytes(kind, &oriented.a) == CHUNK_BYTES;
        let fewest = if is_aligned { FEWEST_COLUMNS } else { FEWEST_UNALIGNED_COLUMNS };
        let is_skinny = (fewest..=most_columns(kind)).contains(&oriented.n);
        // The queues of copies are longer than the local memory that devices state.
        if !limits.tensor.takes(kind) || !limits.tensor.unstated || !is_skinny || !is_large || !Self::can(problem) {
            return None;
        }
        let plan = Self::for_rows(kind, oriented.m, oriented.n, limits.tensor.f32_mma, device);
        plan.fits(device).then(|| plan.with_parts(&oriented, device, limits)).map(|plan| Self { transpose, ..plan })
    }

    /// Whether the kernel computes such problems: the large operand is contiguous in one direction.
    pub(super) fn can(problem: &GemmProblem) -> bool {
        let large = if problem.m < problem.n { &problem.b } else { &problem.a };
        problem.is_plain() && (large.row_stride == 1 || large.column_stride == 1)
    }

    /// As measured on an H200: work-groups of two warps along C, if they occupy it, as they read B half as often.
    fn for_rows(kind: ScalarKind, m: usize, n: usize, f32_mma: F32Mma, device: &DeviceInfo) -> Self {
        let (fragments, units) = (n.div_ceil(FRAGMENT_COLUMNS), device.compute_units.max(1));
        let tiles = m.div_ceil(2 * WARP_ROWS);
        let (warps, stages) = if 4 * tiles >= 3 * units * tiles.div_ceil(units) {
            let (along_depth, stages) = match (kind, fragments) {
                (ScalarKind::S | ScalarKind::D | ScalarKind::Z, 1) => (4, 6),
                (ScalarKind::S, 2) => (8, 4),
                (ScalarKind::S, _) => (4, 4),
                (ScalarKind::D, 4..) => (6, 4),
                (ScalarKind::D | ScalarKind::Z, _) => (4, 5),
                (ScalarKind::C, 1) => (8, 3),
                (ScalarKind::C, _) => (6, 4),
            };
            ([2, along_depth], stages)
        } else {
            ([1, 8], if fragments == 1 { 5 } else { 4 })
        };
        Self::with_sizes(kind, n, warps, stages, f32_mma)
    }

    /// The plans for a C of many rows and of few, whichever a problem has: to be tried on a device.
    pub(super) fn both(problem: &GemmProblem, f32_mma: F32Mma, device: &DeviceInfo) -> [Self; 2] {
        let (transpose, n) = (problem.m < problem.n, problem.m.min(problem.n));
        [2 * WARP_ROWS * device.compute_units, 1]
            .map(|rows| Self { transpose, ..Self::for_rows(problem.kind, rows, n, f32_mma, device) })
    }

    /// A plan with given sizes, for a C of few columns.
    pub(super) fn with_sizes(kind: ScalarKind, n: usize, warps: [usize; 2], stages: usize, f32_mma: F32Mma) -> Self {
        SkinnyTensorPlan {
            transpose: false,
            columns: n.next_multiple_of(FRAGMENT_COLUMNS),
            warps,
            stages,
            depth_parts: 1,
            splits: !kind.is_double() && f32_mma != F32Mma::Tf32,
        }
    }

    /// The same with parts that occupy the device when C has far too few rows for that: their sum is a launch more.
    fn with_parts(self, oriented: &GemmProblem, device: &DeviceInfo, limits: &Limits) -> Self {
        let groups = oriented.m.div_ceil(self.rows());
        if 4 * groups >= device.compute_units {
            return self;
        }
        let part_bytes = (oriented.m * oriented.n * oriented.kind.bytes()) as u64;
        let by_memory = (limits.scratch_bytes / 2 / part_bytes.max(1)).min(1 << 20) as usize;
        let parts = (device.compute_units / groups).min(oriented.k / SHORTEST_PART).min(by_memory).max(1);
        SkinnyTensorPlan { depth_parts: oriented.k.div_ceil(part_depth(oriented.k, parts)).max(1), ..self }
    }

    /// Rows of a work-group.
    const fn rows(&self) -> usize {
        self.warps[0] * WARP_ROWS
    }

    const fn threads(&self) -> usize {
        self.warps[0] * self.warps[1] * WARP
    }

    const fn local_bytes(&self) -> u64 {
        let chunks = self.threads() * 2 * FRAGMENTS_M + self.warps[1] * WARP * (self.columns / FRAGMENT_COLUMNS);
        (self.stages * chunks * CHUNK_BYTES) as u64
    }

    const fn fits(&self, device: &DeviceInfo) -> bool {
        self.threads() <= device.max_work_group_size && self.local_bytes() <= local_memory(device)
    }

    fn source(&self, problem: &GemmProblem, device: &DeviceInfo) -> ProgramSource {
        let kind = problem.kind;
        let definitions = vec![
            ("WARPS_M", self.warps[0] as i64),
            ("WARPS_K", self.warps[1] as i64),
            ("THREADS", self.threads() as i64),
            ("FRAGMENTS_M", FRAGMENTS_M as i64),
            ("FRAGMENTS_N", (self.columns / FRAGMENT_COLUMNS) as i64),
            ("STAGES", self.stages as i64),
            ("A_ALONG_M", i64::from(problem.a.row_stride == 1)),
            ("COPY_A", copy_bytes(kind, &problem.a) as i64),
            ("COPY_B", copy_bytes(kind, &problem.b) as i64),
            ("SPLIT", i64::from(self.splits)),
            ("GUARD", i64::from(self.splits)),
        ];
        let files = match (device.nvidia.inline_ptx, kind.is_double()) {
            (true, true) => NVIDIA_F64,
            (true, false) => NVIDIA_HALVES,
            (false, true) => EMULATED_F64,
            (false, false) => EMULATED_HALVES,
        };
        ProgramSource { name: "gemm skinny tensor", kind, files, definitions }
    }
}

impl Family for SkinnyTensorPlan {
    type Parameters = ();

    /// One plan, on GPUs.
    fn candidates(problem: &GemmProblem, device: &DeviceInfo, limits: &Limits, (): ()) -> Vec<Self> {
        let is_gpu = device.class == DeviceClass::Gpu;
        is_gpu.then(|| Self::choose(problem, device, limits)).flatten().into_iter().collect()
    }

    fn needs(&self, _: &GemmProblem, _: &DeviceInfo) -> Option<Needs> {
        Some(Needs::Skinny)
    }

    fn probe<T: Scalar>(queue: &Queue, needs: Needs) -> Result<bool> {
        if needs == Needs::Skinny { products_are_right::<T>(queue) } else { Ok(true) }
    }

    fn run<T: Scalar>(&self, call: &GemmCall<'_, T>, problem: &GemmProblem) -> Result<Event> {
        run(call, problem, self)
    }
}

/// Few columns, and few rows, with more steps along the depth than any plan keeps at a time.
const PROBE_SIZES: [[usize; 3]; 2] = [[150, 7, 1300], [14, 150, 1300]];

fn products_are_right<T: Scalar>(queue: &Queue) -> Result<bool> {
    let device_info = queue.context().device().info();
    for (size, which) in PROBE_SIZES.into_iter().flat_map(|size| [(size, 0), (size, 1)]) {
        let is_right = product_is_right::<T>(queue, size, |call, problem| {
            run(call, problem, &SkinnyTensorPlan::both(problem, F32Mma::Tf32x3, device_info)[which])?.wait()
        });
        if !is_right? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn run<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem, plan: &SkinnyTensorPlan) -> Result<Event> {
    let context = call.queue.context();
    let mut oriented = if plan.transpose { problem.transposed() } else { *problem };
    // B's columns are to be contiguous; where they are not, they are copied.
    let dense_b = if oriented.b.row_stride == 1 { None } else { Some(finish::gather_b(call, &mut oriented)?) };
    let program = context.program(&plan.source(&oriented, context.device().info()))?;
    let grid = SkinnyGrid {
        program: &program,
        kernel: "gemm_skinny_tensor",
        rows: plan.rows(),
        threads: plan.threads(),
        depth_parts: plan.depth_parts,
    };
    grid.launch(call, &oriented, dense_b.as_ref())
}
