//! A C of few rows or columns: the large operand is streamed once, so that memory, not arithmetic, sets the time.

use affinimath_core::problem::gemm::GemmProblem;

use super::call::GemmCall;
use super::family::Family;
use super::finish;
use super::limits::{Limits, split};
use crate::blas::level3::gemm::GemmArguments;
use crate::context::{ContextParts, Event, Scratch};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::launch::Launch;
use crate::program::{Program, ProgramSource};
use crate::scalar::{Scalar, ScalarKind};

const CPU_SOURCES: &[&str] = &[
    include_str!("../../../../cl/common/vectors.cl"),
    include_str!("../../../../cl/blas/level3/gemm/streamed.cl"),
    include_str!("../../../../cl/blas/level3/gemm/skinny_cpu.cl"),
];
const CPU_SOURCES_OF_HALVES: &[&str] = &[
    include_str!("../../../../cl/common/vectors.cl"),
    include_str!("../../../../cl/common/halves.cl"),
    include_str!("../../../../cl/blas/level3/gemm/streamed.cl"),
    include_str!("../../../../cl/blas/level3/gemm/skinny_cpu.cl"),
];
const GPU_VECTOR_SOURCES: &[&str] = &[
    include_str!("../../../../cl/blas/level3/gemm/streamed.cl"),
    include_str!("../../../../cl/blas/level3/gemm/skinny_gpu_vectors.cl"),
];
const GPU_SOURCES: &[&str] = &[
    include_str!("../../../../cl/blas/level3/gemm/streamed.cl"),
    include_str!("../../../../cl/blas/level3/gemm/skinny_gpu.cl"),
];

/// The most columns that a kernel computes at a time.
const MOST_COLUMNS: usize = 16;

/// Whether a GPU loads the matrix in vectors, as measured on an H200: memory alone sets the time then, until there are too many sums.
const fn loads_vectors(
    family: SkinnyFamily,
    kind: ScalarKind,
    columns: usize,
    vector: usize,
    device: &DeviceInfo,
) -> bool {
    match (family, kind) {
        (SkinnyFamily::CpuRows | SkinnyFamily::CpuDepth, _) | (SkinnyFamily::GpuDepth, ScalarKind::Z) => false,
        // Eight columns' sums of a group are 32 KiB.
        (SkinnyFamily::GpuRows, ScalarKind::S) if device.local_memory_bytes >= 40 << 10 => columns <= 8,
        (SkinnyFamily::GpuDepth, ScalarKind::S) => columns >= 4 || (columns == 1 && vector == 4),
        _ => columns <= 4,
    }
}

/// The most columns that a skinny C has on any device.
pub(crate) const MOST_SKINNY: usize = widest(DeviceClass::Cpu);

/// The most columns that a skinny C has. On a CPU it is worth streaming the matrix three times before packing it pays.
const fn widest(class: DeviceClass) -> usize {
    match class {
        DeviceClass::Cpu => 3 * MOST_COLUMNS,
        _ => MOST_COLUMNS,
    }
}

/// Which kernel streams the matrix: by the device, and by the direction in which the matrix is contiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkinnyFamily {
    /// CPU, contiguous along the rows' index.
    CpuRows,
    /// CPU, contiguous along the depth.
    CpuDepth,
    /// GPU, contiguous along the rows' index.
    GpuRows,
    /// GPU, contiguous along the depth.
    GpuDepth,
}

/// How a skinny product is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkinnyPlan {
    /// The kernel.
    pub family: SkinnyFamily,
    /// Whether C has few rows: then Cᵀ, with few columns, is computed.
    pub transpose: bool,
    /// Columns that the kernel is compiled for: 1, 2, 4, 8 or 16. A wider C is done in pieces.
    pub columns: usize,
    /// Work-items of a group (1 on a CPU).
    pub threads: usize,
    /// Rows of a work-group, or of a chunk (CPU).
    pub rows: usize,
    /// Elements of the matrix that a work-item loads at once, which are aligned (GPU).
    pub vector: usize,
    /// Whether it does that, or loads one element at a time (GPU).
    pub loads_vectors: bool,
    /// Parts of the depth; partial products are summed afterwards, always in the same order.
    pub depth_parts: usize,
    /// Whether the matrix that is streamed is in half precision, in a product of floats.
    pub halves: bool,
}

impl SkinnyPlan {
    /// `None` when C is not skinny, or the device's work-groups are too small.
    pub(super) fn choose(problem: &GemmProblem, device: &DeviceInfo, limits: &Limits) -> Option<Self> {
        let transpose = problem.m < problem.n;
        let oriented = if transpose { problem.transposed() } else { *problem };
        if oriented.n > widest(device.class) {
            return None;
        }
        let along_rows = oriented.a.row_stride == 1;
        let family = match (device.class, along_rows) {
            (DeviceClass::Cpu, true) => SkinnyFamily::CpuRows,
            (DeviceClass::Cpu, false) => SkinnyFamily::CpuDepth,
            (_, true) => SkinnyFamily::GpuRows,
            (_, false) => SkinnyFamily::GpuDepth,
        };
        let columns = oriented.n.next_power_of_two().min(MOST_COLUMNS);
        let vector = vector(family, &oriented);
        let loads_vectors = loads_vectors(family, problem.kind, columns, vector, device);
        let threads = match (family, problem.kind) {
            (SkinnyFamily::CpuRows | SkinnyFamily::CpuDepth, _) => 1,
            _ if !loads_vectors => 128,
            (SkinnyFamily::GpuRows, ScalarKind::D) if columns == 4 => 512,
            (SkinnyFamily::GpuDepth, ScalarKind::S) if columns <= 8 => 128,
            _ => 256,
        };
        let threads =
            if threads <= device.max_work_group_size { threads } else { device.max_work_group_size / WARP * WARP };
        if device.class != DeviceClass::Cpu && threads < 64 {
            return None;
        }
        let rows = match family {
            SkinnyFamily::CpuRows => chunk_vectors(columns) * device.vector_width(problem.kind) / parts(problem.kind),
            SkinnyFamily::CpuDepth => 4,
            SkinnyFamily::GpuRows if !loads_vectors => threads * rows_of_item(columns, problem.kind),
            SkinnyFamily::GpuRows => rows_of_group(columns, problem.kind),
            SkinnyFamily::GpuDepth if !loads_vectors => rows_of_item(columns, problem.kind),
            SkinnyFamily::GpuDepth => threads / WARP * rows_of_warp(columns, problem.kind),
        };
        let mut plan = SkinnyPlan {
            family,
            transpose,
            columns,
            threads,
            rows,
            vector: if loads_vectors { vector } else { 1 },
            loads_vectors,
            depth_parts: 1,
            halves: false,
        };
        plan.depth_parts = plan.depth_parts(&oriented, device, limits);
        Some(plan)
    }

    /// Parts that occupy the device when C has too few rows for that.
    fn depth_parts(&self, oriented: &GemmProblem, device: &DeviceInfo, limits: &Limits) -> usize {
        let groups = oriented.m.div_ceil(self.rows);
        let (wanted, shortest) = match self.family {
            SkinnyFamily::CpuRows | SkinnyFamily::CpuDepth => (2 * device.compute_units, 1024),
            SkinnyFamily::GpuRows if !self.loads_vectors => (8 * device.compute_units, 64),
            SkinnyFamily::GpuDepth if !self.loads_vectors => (8 * device.compute_units, 1024),
            // The sum of the parts is a launch more.
            _ if 4 * groups >= 3 * device.compute_units => return 1,
            SkinnyFamily::GpuRows => (4 * device.compute_units, 256),
            SkinnyFamily::GpuDepth => (4 * device.compute_units, 1024),
        };
        let part_bytes = (oriented.m * oriented.n * oriented.kind.bytes()) as u64;
        let by_memory = (limits.scratch_bytes / 2 / part_bytes.max(1)).min(1 << 20) as usize;
        let parts = (wanted / groups).min(oriented.k / shortest).min(by_memory).max(1);
        oriented.k.div_ceil(part_depth(oriented.k, parts)).max(1)
    }
}

/// Depth of a part: whole slices, whole vectors.
pub(super) const fn part_depth(k: usize, parts: usize) -> usize {
    split(k, k.div_ceil(parts), SLICE)
}

/// Depth of B's slice in local memory, and a multiple of every vector's width.
const SLICE: usize = 64;

/// Work-items of a warp.
const WARP: usize = 32;

/// Rows of a group that loads vectors, where the matrix is contiguous along them.
const fn rows_of_group(columns: usize, kind: ScalarKind) -> usize {
    match (kind, columns) {
        (ScalarKind::D, 4) => 64,
        (ScalarKind::C, 4) => 16,
        _ => 32,
    }
}

/// Rows of a warp that loads vectors, where the matrix is contiguous along the depth.
const fn rows_of_warp(columns: usize, kind: ScalarKind) -> usize {
    match (kind, columns) {
        (ScalarKind::S, 1) => 2,
        (ScalarKind::S, 4 | 8) => 8,
        _ => 4,
    }
}

/// Rows of a work-item that loads elements: sums fill at most 128 registers of 4 bytes.
fn rows_of_item(columns: usize, kind: ScalarKind) -> usize {
    (512 / kind.bytes() / columns).clamp(1, 4)
}

/// Elements that a work-item loads at once, of 16 bytes at most: as many as lines are aligned to, and are long.
fn vector(family: SkinnyFamily, oriented: &GemmProblem) -> usize {
    let (a, b) = (&oriented.a, &oriented.b);
    let alignment = match family {
        SkinnyFamily::CpuRows | SkinnyFamily::CpuDepth => return 1,
        SkinnyFamily::GpuRows => a.offset | a.column_stride | oriented.m,
        // B's columns are loaded in the same way; where they are not contiguous, they are copied to columns of this depth.
        SkinnyFamily::GpuDepth if b.row_stride == 1 => {
            a.offset | a.row_stride | oriented.k | b.offset | b.column_stride
        }
        SkinnyFamily::GpuDepth => a.offset | a.row_stride | oriented.k,
    };
    (1 << alignment.trailing_zeros().min(4)).min((16 / oriented.kind.bytes()).max(1))
}

/// Vectors of rows whose sums stay in the first-level cache: 2 KiB of them for one column of C with AVX-512.
fn chunk_vectors(columns: usize) -> usize {
    (32 / columns.div_ceil(4)).max(1)
}

const fn parts(kind: ScalarKind) -> usize {
    if kind.is_complex() { 2 } else { 1 }
}

impl SkinnyPlan {
    /// Vectors that a work-item has on their way of each of its rows: 128 bytes in all, or 64 in Z, if they are not very many.
    fn steps(&self, kind: ScalarKind) -> usize {
        let bytes = if kind == ScalarKind::Z { 64 } else { 128 };
        let steps = (bytes / (self.vector * kind.bytes())).min(16);
        if self.walks_depth() { steps / rows_of_warp(self.columns, kind) } else { steps }
    }

    fn source(&self, kind: ScalarKind, device: &DeviceInfo) -> ProgramSource {
        let mut definitions = vec![("COLUMNS", self.columns as i64), ("HALVES", i64::from(self.halves))];
        let (name, files) = match self.family {
            SkinnyFamily::CpuRows | SkinnyFamily::CpuDepth => {
                definitions.push(("VECTOR_WIDTH", device.vector_width(kind) as i64));
                definitions.push(("CHUNK_VECTORS", chunk_vectors(self.columns) as i64));
                definitions.push(("CHUNK_ROWS", 4));
                definitions.push(("DEPTH_BLOCK", 1024));
                ("gemm skinny cpu", if self.halves { CPU_SOURCES_OF_HALVES } else { CPU_SOURCES })
            }
            SkinnyFamily::GpuRows | SkinnyFamily::GpuDepth if !self.loads_vectors => {
                definitions.push(("THREADS", self.threads as i64));
                definitions.push(("ROWS", rows_of_item(self.columns, kind) as i64));
                definitions.push(("SLICE", SLICE as i64));
                ("gemm skinny gpu", GPU_SOURCES)
            }
            SkinnyFamily::GpuRows | SkinnyFamily::GpuDepth => {
                definitions.push(("THREADS", self.threads as i64));
                definitions.push(("VECTOR", self.vector as i64));
                definitions.push(("STEPS", self.steps(kind) as i64));
                definitions.push(("GROUP_ROWS", self.rows as i64));
                definitions.push(("WARP_ROWS", rows_of_warp(self.columns, kind) as i64));
                ("gemm skinny gpu vectors", GPU_VECTOR_SOURCES)
            }
        };
        ProgramSource { name, kind, files, definitions }
    }

    const fn kernel(&self) -> &'static str {
        match self.family {
            SkinnyFamily::CpuRows | SkinnyFamily::GpuRows => "gemm_skinny_rows",
            SkinnyFamily::CpuDepth | SkinnyFamily::GpuDepth => "gemm_skinny_depth",
        }
    }

    const fn walks_depth(&self) -> bool {
        matches!(self.family, SkinnyFamily::CpuDepth | SkinnyFamily::GpuDepth)
    }
}

impl Family for SkinnyPlan {
    type Parameters = ();

    /// One plan, on CPUs and GPUs. The kernels know neither structures nor triangles of C.
    fn candidates(problem: &GemmProblem, device: &DeviceInfo, limits: &Limits, (): ()) -> Vec<Self> {
        let is_offered = device.class != DeviceClass::Accelerator && problem.is_plain();
        is_offered.then(|| Self::choose(problem, device, limits)).flatten().into_iter().collect()
    }

    fn run<T: Scalar>(&self, call: &GemmCall<'_, T>, problem: &GemmProblem) -> Result<Event> {
        run(call, problem, self)
    }
}

fn run<T: Scalar>(call: &GemmCall<'_, T>, problem: &GemmProblem, plan: &SkinnyPlan) -> Result<Event> {
    let oriented = if plan.transpose { problem.transposed() } else { *problem };
    let mut last = Event::Complete;
    for j in (0..oriented.n).step_by(plan.columns) {
        let n = plan.columns.min(oriented.n - j);
        let (b, c) = (oriented.b.shifted(0, j), oriented.c.shifted(0, j));
        last = run_columns(call, GemmProblem { n, b, c, ..oriented }, plan)?;
    }
    Ok(last)
}

/// At most as many columns of C as the kernel is compiled for.
fn run_columns<T: Scalar>(call: &GemmCall<'_, T>, mut problem: GemmProblem, plan: &SkinnyPlan) -> Result<Event> {
    let context = call.queue.context();
    let program = context.program(&plan.source(T::KIND, context.device().info()))?;
    // The kernels that walk along the depth need a B that is contiguous there; it is small.
    let dense_b = if plan.walks_depth() && problem.b.row_stride != 1 {
        Some(finish::gather_b(call, &mut problem)?)
    } else {
        None
    };
    let grid = SkinnyGrid {
        program: &program,
        kernel: plan.kernel(),
        rows: plan.rows,
        threads: plan.threads,
        depth_parts: plan.depth_parts,
    };
    grid.launch(call, &problem, dense_b.as_ref())
}

/// How a kernel for skinny products is launched.
pub(super) struct SkinnyGrid<'a> {
    pub(super) program: &'a Program,
    pub(super) kernel: &'static str,
    /// Rows and work-items of a group.
    pub(super) rows: usize,
    pub(super) threads: usize,
    pub(super) depth_parts: usize,
}

impl SkinnyGrid<'_> {
    /// The product, and the sum of its parts; B may lie in a dense copy.
    pub(super) fn launch<T: Scalar>(
        &self,
        call: &GemmCall<'_, T>,
        problem: &GemmProblem,
        dense_b: Option<&Scratch<'_>>,
    ) -> Result<Event> {
        let (a, b) = call.operands(problem);
        let launch = |alpha: T, beta: T| {
            let launch = Launch::new(call.queue, self.program, self.kernel)
                .index(problem.m)
                .index(problem.n)
                .index(problem.k)
                .scalar(alpha)
                .operand(a, &problem.a);
            match dense_b {
                Some(dense) => launch.scratch(dense).strides(&problem.b),
                None => launch.operand(b, &problem.b),
            }
            .scalar(beta)
        };
        let groups = [problem.m.div_ceil(self.rows), self.depth_parts, 1];
        let local = [self.threads, 1, 1];
        let depth = part_depth(problem.k, self.depth_parts);
        if self.depth_parts == 1 {
            return launch(call.alpha, call.beta)
                .buffer(call.c)
                .target(problem)
                .index(depth)
                .index(0)
                .enqueue(groups, local);
        }
        let part_elements = problem.m * problem.n;
        let partial = Scratch::borrow(call.queue, (self.depth_parts * part_elements * T::KIND.bytes()) as u64)?;
        launch(T::ONE, T::ZERO)
            .scratch(&partial)
            .index(0)
            .index(1)
            .index(problem.m)
            .index(depth)
            .index(part_elements)
            .enqueue_step(groups, local)?;
        finish::sum(call, problem, self.depth_parts, &partial)
    }
}
