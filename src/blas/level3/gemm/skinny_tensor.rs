//! Skinny products on tensor cores: the large operand is streamed once, at memory bandwidth as long as the tensor cores
//! keep up.
//!
//! Elements are multiplied as in the [tensor family](super::tensor), with the same error bounds. The kernel itself
//! finds floats that the hi/lo split in TF32 cannot hold.

use affinimath_core::problem::gemm::GemmProblem;

use super::call::GemmCall;
use super::family::{Family, Feature};
use super::finish;
use super::limits::{F32Mma, Limits};
use super::probe::product_matches_reference;
use super::skinny::{SkinnyGrid, part_k};
use super::tensor::{WARP, copy_bytes, local_memory};
use crate::context::{ContextParts, Event, Queue};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::program::{ProgramSource, source};
use crate::scalar::{Scalar, ScalarKind};

/// Fragments of 16 rows that a warp has.
const FRAGMENTS_M: usize = 2;
const WARP_ROWS: usize = 16 * FRAGMENTS_M;
/// Columns of a fragment.
const FRAGMENT_COLUMNS: usize = 8;
/// Bytes that a work-item copies at once.
const CHUNK_BYTES: usize = 16;

/// Minimum columns: below, multiply-adds reach memory bandwidth, or, with unaligned columns, are as fast as the tensor
/// cores.
const MIN_COLUMNS: usize = 5;
const MIN_UNALIGNED_COLUMNS: usize = 9;
/// Minimum size of the matrix in bytes: a smaller one takes no longer than a launch, or, if B is copied first, than the
/// copy's launch.
const MIN_BYTES: usize = 1 << 20;
const MIN_BYTES_WITH_COPY: usize = 16 << 20;
/// A smaller k has too few steps to prefetch.
const MIN_K: usize = 256;
/// Minimum k extent of a split-K part.
const MIN_PART_K: usize = 1024;

/// Maximum columns; above, arithmetic is the limit, and larger tiles are better.
const fn max_columns(kind: ScalarKind) -> usize {
    if kind.is_complex() { 16 } else { 32 }
}

/// Kernel and sizes of a skinny product on tensor cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkinnyTensorPlan {
    /// C has few rows: Cᵀ, with few columns, is computed.
    pub transpose: bool,
    /// Columns that the kernel is compiled for, a multiple of 8.
    pub columns: usize,
    /// Warps of a work-group along m, and along k.
    pub warps: [usize; 2],
    /// Pipeline stages along k: all but one are in flight.
    pub stages: usize,
    /// Number of split-K parts; partial products are summed in a fixed order.
    pub split_k: usize,
    /// Floats are split in hi and lo (3xTF32); otherwise they are rounded.
    pub splits: bool,
}

impl SkinnyTensorPlan {
    /// `None` when C is not skinny, or is better computed in another way.
    fn choose(problem: &GemmProblem, device: &DeviceInfo, limits: &Limits) -> Option<Self> {
        let (kind, transpose) = (problem.kind, problem.m < problem.n);
        let oriented = if transpose { problem.transposed() } else { *problem };
        let min_bytes = if oriented.b.row_stride == 1 { MIN_BYTES } else { MIN_BYTES_WITH_COPY };
        let is_large_enough =
            oriented.k >= MIN_K && (oriented.m * oriented.k).saturating_mul(kind.bytes()) >= min_bytes;
        let is_aligned = copy_bytes(kind, &oriented.a) == CHUNK_BYTES;
        let min_columns = if is_aligned { MIN_COLUMNS } else { MIN_UNALIGNED_COLUMNS };
        let is_skinny = (min_columns..=max_columns(kind)).contains(&oriented.n);
        // The queues of copies are longer than the local memory that devices state.
        if !limits.tensor.takes(kind) || !limits.tensor.opt_in || !is_skinny || !is_large_enough || !Self::can(problem)
        {
            return None;
        }
        let plan = Self::for_rows(kind, oriented.m, oriented.n, limits.tensor.f32_mma, device);
        plan.fits(device).then(|| plan.with_parts(&oriented, device, limits)).map(|plan| Self { transpose, ..plan })
    }

    /// True if the kernel takes such problems: the large operand is contiguous in one direction.
    pub(super) fn can(problem: &GemmProblem) -> bool {
        let large = if problem.m < problem.n { &problem.b } else { &problem.a };
        problem.is_plain() && (large.row_stride == 1 || large.column_stride == 1)
    }

    /// Sizes fitted to an H200: two warps along m, if that occupies it, since they read B half as often.
    fn for_rows(kind: ScalarKind, m: usize, n: usize, f32_mma: F32Mma, device: &DeviceInfo) -> Self {
        let (fragments, units) = (n.div_ceil(FRAGMENT_COLUMNS), device.compute_units.max(1));
        let tiles = m.div_ceil(2 * WARP_ROWS);
        let (warps, stages) = if 4 * tiles >= 3 * units * tiles.div_ceil(units) {
            let (warps_k, stages) = match (kind, fragments) {
                (ScalarKind::S | ScalarKind::D | ScalarKind::Z, 1) => (4, 6),
                (ScalarKind::S, 2) => (8, 4),
                (ScalarKind::S, _) => (4, 4),
                (ScalarKind::D, 4..) => (6, 4),
                (ScalarKind::D | ScalarKind::Z, _) => (4, 5),
                (ScalarKind::C, 1) => (8, 3),
                (ScalarKind::C, _) => (6, 4),
            };
            ([2, warps_k], stages)
        } else {
            ([1, 8], if fragments == 1 { 5 } else { 4 })
        };
        Self::with_sizes(kind, n, warps, stages, f32_mma)
    }

    /// The plans for a C of many rows and of few, whichever a problem has: to be tried on a device.
    pub(super) fn candidates_by_rows(problem: &GemmProblem, f32_mma: F32Mma, device: &DeviceInfo) -> [Self; 2] {
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
            split_k: 1,
            splits: !kind.is_double() && f32_mma != F32Mma::Tf32,
        }
    }

    /// The plan with split-K if C has far too few rows to occupy the device; the sum is one more launch.
    fn with_parts(self, oriented: &GemmProblem, device: &DeviceInfo, limits: &Limits) -> Self {
        let groups = oriented.m.div_ceil(self.rows());
        if 4 * groups >= device.compute_units {
            return self;
        }
        let part_bytes = (oriented.m * oriented.n * oriented.kind.bytes()) as u64;
        let by_memory = (limits.workspace_bytes / 2 / part_bytes.max(1)).min(1 << 20) as usize;
        let parts = (device.compute_units / groups).min(oriented.k / MIN_PART_K).min(by_memory).max(1);
        SkinnyTensorPlan { split_k: oriented.k.div_ceil(part_k(oriented.k, parts)).max(1), ..self }
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
            ("NVIDIA", i64::from(device.nvidia.inline_ptx)),
        ];
        ProgramSource {
            name: "gemm skinny tensor",
            kind,
            root: source("blas/level3/gemm/skinny/tensor.cl"),
            definitions,
        }
    }
}

impl Family for SkinnyTensorPlan {
    type Parameters = ();

    /// One plan, on GPUs.
    fn candidates(problem: &GemmProblem, device: &DeviceInfo, limits: &Limits, (): ()) -> Vec<Self> {
        let is_gpu = device.class == DeviceClass::Gpu;
        is_gpu.then(|| Self::choose(problem, device, limits)).flatten().into_iter().collect()
    }

    fn required_feature(&self, _: &GemmProblem, _: &DeviceInfo) -> Option<Feature> {
        Some(Feature::SkinnyTensor)
    }

    fn probe<T: Scalar>(queue: &Queue, feature: Feature) -> Result<bool> {
        if feature == Feature::SkinnyTensor { match_reference::<T>(queue) } else { Ok(true) }
    }

    fn run<T: Scalar>(&self, call: &GemmCall<'_, T>, problem: &GemmProblem) -> Result<Event> {
        run(call, problem, self)
    }
}

/// Few columns, and few rows, with a k longer than the pipeline of any plan.
const PROBE_SIZES: [[usize; 3]; 2] = [[150, 7, 1300], [14, 150, 1300]];

fn match_reference<T: Scalar>(queue: &Queue) -> Result<bool> {
    let device_info = queue.context().device().info();
    for (size, which) in PROBE_SIZES.into_iter().flat_map(|size| [(size, 0), (size, 1)]) {
        let matches_reference = product_matches_reference::<T>(queue, size, |call, problem| {
            run(call, problem, &SkinnyTensorPlan::candidates_by_rows(problem, F32Mma::Tf32x3, device_info)[which])?
                .wait()
        });
        if !matches_reference? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn run<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem, plan: &SkinnyTensorPlan) -> Result<Event> {
    let context = call.queue.context();
    let mut oriented = if plan.transpose { problem.transposed() } else { *problem };
    // The kernel needs contiguous columns of B.
    let dense_b = if oriented.b.row_stride == 1 { None } else { Some(finish::gather_b(call, &mut oriented)?) };
    let program = context.program(&plan.source(&oriented, context.device().info()))?;
    let grid = SkinnyGrid {
        program: &program,
        kernel: "gemm_skinny_tensor",
        rows: plan.rows(),
        threads: plan.threads(),
        split_k: plan.split_k,
    };
    grid.launch(call, &oriented, dense_b.as_ref())
}
